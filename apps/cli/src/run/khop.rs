//! `pleach run khop`.

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{Ends, GraphView};

use super::super::Failure;
use super::super::plot::Picture;
use super::bfs::frontiers;
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use super::verifying::Size;
use pleach_algorithms::bfs::UNREACHED;
use pleach_algorithms::khop::Neighbourhood;
use pleach_compiled::khop;

/// Options of neighbourhoods.
#[derive(Args)]
pub struct KhopArgs {
    #[command(flatten)]
    checked: Checked,
    /// Vertices to start from, by their ids or names in the input
    #[arg(long, value_name = "ID,…", value_delimiter = ',', required = true)]
    sources: Vec<String>,
    /// Number of steps
    #[arg(long, value_name = "K", default_value_t = 2)]
    hops: usize,
}

impl Algorithm for KhopArgs {
    const NAME: &'static str = "khop";
    const ENDS: Ends = Ends::Both;
    const PICTURE: Option<fn(&Neighbourhood) -> Picture> = Some(|found| frontiers(&found.levels));
    type Value = ();
    type Found = Neighbourhood;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn by_number(&self) -> bool {
        false
    }

    fn compute(&self, graph: GraphView<'_, ()>, vertices: &Vertices<'_>) -> Result<Neighbourhood, Failure> {
        khop::khop(graph, &vertices.find_all(&self.sources)?, self.hops).map_err(Failure::input)
    }

    fn steps_to_verify(&self, size: &Size<'_, ()>, _: &Vertices<'_>, found: &Neighbourhood) -> f64 {
        // Each step looks at the distance of every vertex.
        let passes = found.levels.len() as f64 + 1.0;
        passes * size.vertices / 4.0 + size.among(|vertex| found.distances[vertex as usize] != UNREACHED)
    }

    fn verify(
        &self,
        graph: Adjacency<'_, DynRows<'_, ()>>,
        vertices: &Vertices<'_>,
        found: &Neighbourhood,
    ) -> Result<(), String> {
        let sources = vertices.find_all(&self.sources).map_err(|_| "a source is gone".to_owned())?;
        khop::verify(graph, &sources, self.hops, found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Neighbourhood, _: &'a Vertices<'_>) -> Report<'a> {
        let mut report = Report::new();
        report.result("size", found.size).result("levels", found.levels.clone());
        report.value(|file, vertex| match found.distances[vertex as usize] {
            UNREACHED => write!(file, "{}", super::bfs::INFINITY),
            distance => write!(file, "{distance}"),
        });
        report
    }
}
