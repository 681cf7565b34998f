//! `pleach run tc`.

use clap::Args;
use pleach::Rows;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::Ends;

use super::super::Failure;
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use super::verifying::Size;
use pleach_algorithms::tc::{self, Triangles};

/// Options of counting triangles.
#[derive(Args)]
pub struct TcArgs {
    #[command(flatten)]
    checked: Checked,
}

impl Algorithm for TcArgs {
    const NAME: &'static str = "tc";
    const ENDS: Ends = Ends::Undirected;
    const HAS_VALUES: bool = false;
    type Value = ();
    type Found = Triangles;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn by_number(&self) -> bool {
        false
    }

    fn compute<A: Rows<Value = ()>>(&self, graph: Adjacency<'_, A>, _: &Vertices<'_>) -> Result<Triangles, Failure> {
        tc::triangles(graph).map_err(Failure::input)
    }

    fn steps_to_verify(&self, size: &Size<'_, ()>, _: &Vertices<'_>, _: &Triangles) -> f64 {
        // Both ends of each arc get the other, which lists it twice.
        size.lists() + 2.0 * size.arcs + size.turned()
    }

    fn verify(&self, graph: Adjacency<'_, DynRows<'_, ()>>, _: &Vertices<'_>, found: &Triangles) -> Result<(), String> {
        tc::verify(graph, found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Triangles, _: &'a Vertices<'_>) -> Report<'a> {
        let mut report = Report::new();
        report.result("triangles", found.count).hidden("relabelled", found.relabelled);
        report
    }
}
