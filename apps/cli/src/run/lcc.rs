//! `pleach run lcc`.

use clap::Args;
use pleach::Rows;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::Ends;

use super::super::Failure;
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use pleach_algorithms::lcc::{self, Clustering};

/// Options of clustering coefficients.
#[derive(Args)]
pub struct LccArgs {
    #[command(flatten)]
    checked: Checked,
}

impl Algorithm for LccArgs {
    const NAME: &'static str = "lcc";
    const ENDS: Ends = Ends::Both;
    type Value = ();
    type Found = Clustering;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn by_number(&self) -> bool {
        false
    }

    fn compute<A: Rows<Value = ()>>(&self, graph: Adjacency<'_, A>, _: &Vertices<'_>) -> Result<Clustering, Failure> {
        lcc::lcc(graph).map_err(Failure::input)
    }

    fn verify(
        &self,
        graph: Adjacency<'_, DynRows<'_, ()>>,
        _: &Vertices<'_>,
        found: &Clustering,
    ) -> Result<(), String> {
        lcc::verify(graph, found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Clustering, _: &'a Vertices<'_>) -> Report<'a> {
        let mut report = Report::new();
        report.result("mean", found.mean);
        report.value(|file, vertex| write!(file, "{}", found.coefficients[vertex as usize]));
        report
    }
}
