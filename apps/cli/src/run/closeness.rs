//! `pleach run closeness` and `pleach run harmonic`.

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{Ends, GraphView};

use super::super::Failure;
use super::super::plot::{Picture, falling};
use super::common::{Algorithm, Checked, Vertices};
use super::report::{Report, scored};
use super::verifying::Size;
use pleach_algorithms::closeness::{Centralities, Closeness};
use pleach_compiled::closeness;

/// Options of closeness centrality.
#[derive(Args)]
pub struct ClosenessArgs {
    #[command(flatten)]
    checked: Checked,
    /// Do not scale the closeness of a vertex by the share of vertices that reach it
    #[arg(long)]
    unscaled: bool,
}

impl ClosenessArgs {
    fn closeness(&self) -> Closeness {
        Closeness::default().with_scaled(!self.unscaled)
    }
}

impl Algorithm for ClosenessArgs {
    const NAME: &'static str = "closeness";
    const ENDS: Ends = Ends::Both;
    const PICTURE: Option<fn(&Centralities) -> Picture> = Some(|found| {
        falling("distribution of closeness", "vertices of at least this score", "score", found.closeness.clone())
    });
    type Value = ();
    type Found = Centralities;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn compute(&self, graph: GraphView<'_, ()>, _: &Vertices<'_>) -> Result<Centralities, Failure> {
        closeness::closeness(graph, &self.closeness()).map_err(Failure::input)
    }

    fn steps_to_verify(&self, size: &Size<'_, ()>, _: &Vertices<'_>, _: &Centralities) -> f64 {
        searches(size)
    }

    fn verify(
        &self,
        graph: Adjacency<'_, DynRows<'_, ()>>,
        _: &Vertices<'_>,
        found: &Centralities,
    ) -> Result<(), String> {
        closeness::verify(graph, &self.closeness(), found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Centralities, vertices: &'a Vertices<'_>) -> Report<'a> {
        scored(&found.closeness, vertices)
    }
}

/// A search from every vertex, which skips most arcs where many vertices are reached at a time.
fn searches(size: &Size<'_, ()>) -> f64 {
    let (vertices, arcs) = size.reached();
    size.vertices * (4.0 * (size.vertices + vertices) + arcs / 4.0)
}

/// Options of harmonic centrality.
#[derive(Args)]
pub struct HarmonicArgs {
    #[command(flatten)]
    checked: Checked,
}

impl Algorithm for HarmonicArgs {
    const NAME: &'static str = "harmonic";
    const ENDS: Ends = Ends::Both;
    const PICTURE: Option<fn(&Centralities) -> Picture> = Some(|found| {
        falling(
            "distribution of harmonic centrality",
            "vertices of at least this score",
            "score",
            found.harmonic.clone(),
        )
    });
    type Value = ();
    type Found = Centralities;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn compute(&self, graph: GraphView<'_, ()>, _: &Vertices<'_>) -> Result<Centralities, Failure> {
        closeness::closeness(graph, &Closeness::default()).map_err(Failure::input)
    }

    fn steps_to_verify(&self, size: &Size<'_, ()>, _: &Vertices<'_>, _: &Centralities) -> f64 {
        searches(size)
    }

    fn verify(
        &self,
        graph: Adjacency<'_, DynRows<'_, ()>>,
        _: &Vertices<'_>,
        found: &Centralities,
    ) -> Result<(), String> {
        closeness::verify(graph, &Closeness::default(), found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Centralities, vertices: &'a Vertices<'_>) -> Report<'a> {
        scored(&found.harmonic, vertices)
    }
}
