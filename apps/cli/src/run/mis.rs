//! `pleach run mis`.

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{Ends, GraphView};

use super::super::Failure;
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use super::verifying::{Size, of_sorted};
use pleach_algorithms::mis::{IndependentSet, Mis};
use pleach_compiled::mis;

/// Options of a maximal independent set.
#[derive(Args)]
pub struct MisArgs {
    #[command(flatten)]
    checked: Checked,
    /// Seed of the random priorities
    #[arg(long, value_name = "N", default_value_t = 0)]
    priorities: u64,
}

impl Algorithm for MisArgs {
    const NAME: &'static str = "mis";
    const ENDS: Ends = Ends::Undirected;
    type Value = ();
    type Found = IndependentSet;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn compute(&self, graph: GraphView<'_, ()>, _: &Vertices<'_>) -> Result<IndependentSet, Failure> {
        mis::mis(graph, &Mis::default().with_seed(self.priorities)).map_err(Failure::input)
    }

    fn steps_to_verify(&self, size: &Size<'_, ()>, _: &Vertices<'_>, _: &IndependentSet) -> f64 {
        size.lists() + size.arcs + size.vertices * of_sorted(size.vertices)
    }

    fn verify(
        &self,
        graph: Adjacency<'_, DynRows<'_, ()>>,
        _: &Vertices<'_>,
        found: &IndependentSet,
    ) -> Result<(), String> {
        mis::verify(graph, &Mis::default().with_seed(self.priorities), found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a IndependentSet, _: &'a Vertices<'_>) -> Report<'a> {
        let mut report = Report::new();
        report.iterations(found.rounds).result("size", found.size);
        report.value(|file, vertex| write!(file, "{}", u8::from(found.members[vertex as usize])));
        report
    }
}
