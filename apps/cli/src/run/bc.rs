//! `pleach run bc`.

use clap::Args;
use pleach::Rows;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::Ends;

use super::super::Failure;
use super::super::plot::{Picture, falling};
use super::common::{Algorithm, Checked, Vertices};
use super::report::{Report, scored};
use super::verifying::Size;
use pleach_algorithms::bc::{self, Betweenness};

/// Options of betweenness centrality.
#[derive(Args)]
pub struct BcArgs {
    #[command(flatten)]
    checked: Checked,
    /// Vertices to search from, by their ids or names in the input
    #[arg(long, value_name = "ID,…", value_delimiter = ',', conflicts_with = "samples")]
    sources: Vec<String>,
    /// Search from this many vertices drawn at random instead [default: 4; the number of vertices gives the exact result]
    #[arg(long, value_name = "N")]
    samples: Option<usize>,
    /// Seed of the random draw
    #[arg(long, value_name = "N", default_value_t = 0)]
    sampling: u64,
}

impl BcArgs {
    fn vertices(&self, vertices: &Vertices<'_>) -> Result<Vec<u32>, Failure> {
        if self.sources.is_empty() {
            return Ok(bc::sample(vertices.ids.len(), self.samples.unwrap_or(4), self.sampling));
        }
        vertices.find_all(&self.sources)
    }
}

impl Algorithm for BcArgs {
    const NAME: &'static str = "bc";
    const ENDS: Ends = Ends::Both;
    const PICTURE: Option<fn(&Betweenness) -> Picture> = Some(|found| {
        falling("distribution of betweenness", "vertices of at least this score", "score", found.scores.clone())
    });
    type Value = ();
    type Found = Betweenness;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn compute<A: Rows<Value = ()>>(
        &self,
        graph: Adjacency<'_, A>,
        vertices: &Vertices<'_>,
    ) -> Result<Betweenness, Failure> {
        bc::bc(graph, &self.vertices(vertices)?).map_err(Failure::input)
    }

    fn steps_to_verify(&self, size: &Size<'_, ()>, vertices: &Vertices<'_>, _: &Betweenness) -> f64 {
        let sources = self.vertices(vertices).unwrap_or_default();
        // Each search goes there and back.
        sources.len() as f64 * size.vertices + 2.0 * size.met_from(&sources)
    }

    fn verify(
        &self,
        graph: Adjacency<'_, DynRows<'_, ()>>,
        vertices: &Vertices<'_>,
        found: &Betweenness,
    ) -> Result<(), String> {
        let sources = self.vertices(vertices).map_err(|_| "a source is gone".to_owned())?;
        bc::verify(graph, &sources, found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Betweenness, vertices: &'a Vertices<'_>) -> Report<'a> {
        let mut report = scored(&found.scores, vertices);
        report.result("sources", self.vertices(vertices).map_or(0, |sources| sources.len()));
        report.result("depth", found.depth);
        report
    }
}
