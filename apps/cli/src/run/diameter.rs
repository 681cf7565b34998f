//! `pleach run diameter`.

use clap::Args;
use pleach::Rows;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::Ends;

use super::super::Failure;
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use super::verifying::Size;
use pleach_algorithms::diameter::{self, Bounds, Diameter};

/// Options of the diameter.
#[derive(Args)]
pub struct DiameterArgs {
    #[command(flatten)]
    checked: Checked,
    /// Largest number of searches; if they do not suffice, the result is a lower and an upper bound
    #[arg(long, value_name = "N", default_value_t = 1000)]
    searches: usize,
}

impl Algorithm for DiameterArgs {
    const NAME: &'static str = "diameter";
    const ENDS: Ends = Ends::Undirected;
    const HAS_VALUES: bool = false;
    type Value = ();
    type Found = Bounds;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn compute<A: Rows<Value = ()>>(&self, graph: Adjacency<'_, A>, _: &Vertices<'_>) -> Result<Bounds, Failure> {
        diameter::diameter(graph, &Diameter::default().with_searches(self.searches)).map_err(Failure::input)
    }

    fn steps_to_verify(&self, size: &Size<'_, ()>, _: &Vertices<'_>, _: &Bounds) -> f64 {
        let all = diameter::checks_all(size.vertices as usize, size.arcs as usize);
        if !all {
            return size.pass();
        }
        let (vertices, arcs) = size.reached();
        size.pass() + size.vertices * (size.vertices + vertices + arcs)
    }

    fn verify(&self, graph: Adjacency<'_, DynRows<'_, ()>>, _: &Vertices<'_>, found: &Bounds) -> Result<(), String> {
        diameter::verify(graph, found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Bounds, vertices: &'a Vertices<'_>) -> Report<'a> {
        let mut report = Report::new();
        let Bounds { least, most, ends, searches } = *found;
        report.iterations(searches).result("exact", least == most).result("least", least).result("most", most);
        report.result("ends", ends.map(|(u, v)| vec![vertices.ids.json(u), vertices.ids.json(v)]));
        report
    }
}
