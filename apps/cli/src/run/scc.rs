//! `pleach run scc`.

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{Ends, GraphView};

use super::super::Failure;
use super::super::plot::{Picture, sizes_of_groups};
use super::cc::components;
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use super::verifying::Size;
use pleach_algorithms::cc::Components;
use pleach_compiled::scc;

/// Options of strongly connected components.
#[derive(Args)]
pub struct SccArgs {
    #[command(flatten)]
    checked: Checked,
}

impl Algorithm for SccArgs {
    const NAME: &'static str = "scc";
    const ENDS: Ends = Ends::Both;
    const PICTURE: Option<fn(&Components) -> Picture> = Some(|found| {
        sizes_of_groups("sizes of components", "components of at least this size", found.labels.iter().copied())
    });
    type Value = ();
    type Found = Components;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn by_number(&self) -> bool {
        false
    }

    fn compute(&self, graph: GraphView<'_, ()>, _: &Vertices<'_>) -> Result<Components, Failure> {
        scc::scc(graph).map_err(Failure::input)
    }

    fn steps_to_verify(&self, size: &Size<'_, ()>, _: &Vertices<'_>, _: &Components) -> f64 {
        // Lists of both directions, and a search along each.
        2.0 * size.lists() + 2.0 * size.pass()
    }

    fn verify(
        &self,
        graph: Adjacency<'_, DynRows<'_, ()>>,
        _: &Vertices<'_>,
        found: &Components,
    ) -> Result<(), String> {
        scc::verify(graph, found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Components, vertices: &'a Vertices<'_>) -> Report<'a> {
        components(found, vertices)
    }
}
