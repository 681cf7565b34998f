//! `pleach run bc`.

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{Ends, GraphView};

use super::super::Failure;
use super::super::plot::{Picture, falling};
use super::common::{Algorithm, Checked, Vertices};
use super::report::{Report, scored};
use super::verifying::Size;
use pleach_algorithms::bc::{Betweenness, sample};
use pleach_compiled::bc;

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

/// The scores, and the sources of the searches.
pub struct Found {
    betweenness: Betweenness,
    sources: Vec<u32>,
}

impl BcArgs {
    /// The sources of the searches: those that the user names, or a random sample of the vertices of the graph. A removed vertex is never
    /// sampled.
    fn starts(&self, graph: GraphView<'_, ()>, vertices: &Vertices<'_>) -> Result<Vec<u32>, Failure> {
        if !self.sources.is_empty() {
            return vertices.find_all(&self.sources);
        }
        let drawn = sample(graph.num_vertices(), self.samples.unwrap_or(4), self.sampling);
        let mut drawn = drawn.into_iter().peekable();
        let picked = graph.vertices().zip(0_u32..).filter(|&(_, place)| drawn.next_if_eq(&place).is_some());
        Ok(picked.map(|(vertex, _)| vertex).collect())
    }
}

impl Algorithm for BcArgs {
    const NAME: &'static str = "bc";
    const ENDS: Ends = Ends::Both;
    const PICTURE: Option<fn(&Found) -> Picture> = Some(|found| {
        let scores = found.betweenness.scores.clone();
        falling("distribution of betweenness", "vertices of at least this score", "score", scores)
    });
    type Value = ();
    type Found = Found;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn compute(&self, graph: GraphView<'_, ()>, vertices: &Vertices<'_>) -> Result<Found, Failure> {
        let sources = self.starts(graph, vertices)?;
        let betweenness = bc::bc(graph, &sources).map_err(Failure::input)?;
        Ok(Found { betweenness, sources })
    }

    fn steps_to_verify(&self, size: &Size<'_, ()>, _: &Vertices<'_>, found: &Found) -> f64 {
        // Each search goes there and back.
        found.sources.len() as f64 * size.vertices + 2.0 * size.met_from(&found.sources)
    }

    fn verify(
        &self,
        graph: Adjacency<'_, DynRows<'_, ()>>,
        vertices: &Vertices<'_>,
        found: &Found,
    ) -> Result<(), String> {
        let sources = self.starts(graph.into(), vertices).map_err(|_| "a source is gone".to_owned())?;
        bc::verify(graph, &sources, &found.betweenness).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Found, vertices: &'a Vertices<'_>) -> Report<'a> {
        let mut report = scored(&found.betweenness.scores, vertices);
        report.result("sources", found.sources.len()).result("depth", found.betweenness.depth);
        report
    }
}
