//! `pleach run coloring`.

use clap::Args;
use pleach::Rows;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::Ends;

use super::super::Failure;
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use pleach_algorithms::coloring::{self, Colors};

/// Options of colouring.
#[derive(Args)]
pub struct ColoringArgs {
    #[command(flatten)]
    checked: Checked,
}

impl Algorithm for ColoringArgs {
    const NAME: &'static str = "coloring";
    const ENDS: Ends = Ends::Undirected;
    type Value = ();
    type Found = Colors;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn compute<A: Rows<Value = ()>>(&self, graph: Adjacency<'_, A>, _: &Vertices<'_>) -> Result<Colors, Failure> {
        coloring::coloring(graph).map_err(Failure::input)
    }

    fn verify(&self, graph: Adjacency<'_, DynRows<'_, ()>>, _: &Vertices<'_>, found: &Colors) -> Result<(), String> {
        coloring::verify(graph, found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Colors, _: &'a Vertices<'_>) -> Report<'a> {
        let mut report = Report::new();
        report.iterations(found.rounds).result("colors", found.count);
        report.value(|file, vertex| write!(file, "{}", found.colors[vertex as usize]));
        report
    }
}
