//! `pleach run cdlp`.

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{Ends, GraphView};

use super::super::Failure;
use super::super::plot::{Picture, sizes_of_groups};
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use super::verifying::{HASHED, Size};
use pleach_algorithms::cdlp::{Cdlp, Communities};
use pleach_compiled::cdlp;

/// Options of community detection by label propagation.
#[derive(Args)]
pub struct CdlpArgs {
    #[command(flatten)]
    checked: Checked,
    /// Largest number of iterations; it stops earlier when no label changes
    #[arg(long, value_name = "N", default_value_t = 10)]
    iterations: usize,
}

impl CdlpArgs {
    fn cdlp(&self) -> Cdlp {
        Cdlp::default().with_iterations(self.iterations)
    }
}

impl Algorithm for CdlpArgs {
    const NAME: &'static str = "cdlp";
    const ENDS: Ends = Ends::Both;
    const PICTURE: Option<fn(&Communities) -> Picture> = Some(|found| {
        sizes_of_groups("sizes of communities", "communities of at least this size", found.labels.iter().copied())
    });
    type Value = ();
    type Found = Communities;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn compute(&self, graph: GraphView<'_, ()>, _: &Vertices<'_>) -> Result<Communities, Failure> {
        cdlp::cdlp(graph, &self.cdlp()).map_err(Failure::input)
    }

    fn steps_to_verify(&self, size: &Size<'_, ()>, _: &Vertices<'_>, found: &Communities) -> f64 {
        // The last iteration finds that nothing changes any more, where not all of them are needed.
        let iterations = (found.iterations + 1).min(self.iterations) as f64;
        iterations * (size.lists() + HASHED * size.ends())
    }

    fn verify(
        &self,
        graph: Adjacency<'_, DynRows<'_, ()>>,
        _: &Vertices<'_>,
        found: &Communities,
    ) -> Result<(), String> {
        cdlp::verify(graph, &self.cdlp(), found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Communities, vertices: &'a Vertices<'_>) -> Report<'a> {
        let mut report = Report::new();
        report.iterations(found.iterations).result("communities", found.count);
        report.hidden("changed", found.changed.clone());
        report.grouped().value(|file, vertex| write!(file, "{}", vertices.ids.label(found.labels[vertex as usize])));
        report
    }
}
