//! `pleach run nibble`.

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{Ends, GraphView};

use super::super::Failure;
use super::super::plot::{Picture, falling};
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use pleach_algorithms::nibble::{Cluster, Nibble, NibbleError};
use pleach_compiled::nibble;

/// Options of looking for a cluster.
#[derive(Args)]
pub struct NibbleArgs {
    #[command(flatten)]
    checked: Checked,
    /// Vertex at the centre of the cluster, by its id or name in the input
    #[arg(long, value_name = "ID")]
    source: String,
    /// Probability of teleporting back to the source: smaller values give larger clusters
    #[arg(long, value_name = "P", default_value_t = 0.15)]
    alpha: f64,
    /// Largest residual of a vertex, divided by its degree: smaller values give more exact and larger clusters
    #[arg(long, value_name = "REST", default_value_t = 1e-6)]
    epsilon: f64,
}

impl NibbleArgs {
    fn nibble(&self) -> Nibble {
        Nibble::default().with_alpha(self.alpha).with_epsilon(self.epsilon)
    }
}

impl Algorithm for NibbleArgs {
    const NAME: &'static str = "nibble";
    const ENDS: Ends = Ends::Undirected;
    const PICTURE: Option<fn(&Cluster) -> Picture> = Some(|found| {
        let ranks = found.ranks.iter().map(|&(_, rank)| rank).collect();
        falling("ranks around the source", "vertices of at least this rank", "rank", ranks)
    });
    type Value = ();
    type Found = Cluster;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn compute(&self, graph: GraphView<'_, ()>, vertices: &Vertices<'_>) -> Result<Cluster, Failure> {
        nibble::nibble(graph, vertices.find(&self.source)?, &self.nibble()).map_err(|error| match error {
            NibbleError::Seed(_) | NibbleError::Graph(_) => Failure::input(error),
            _ => Failure::usage(error),
        })
    }

    fn verify(
        &self,
        graph: Adjacency<'_, DynRows<'_, ()>>,
        vertices: &Vertices<'_>,
        found: &Cluster,
    ) -> Result<(), String> {
        let seed = vertices.find(&self.source).map_err(|_| "the vertex is gone".to_owned())?;
        nibble::verify(graph, seed, &self.nibble(), found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Cluster, _: &'a Vertices<'_>) -> Report<'a> {
        let mut report = Report::new();
        report.result("size", found.members.len()).result("conductance", found.conductance);
        report.result("volume", found.volume).result("pushes", found.pushes);
        report.value(|file, vertex| write!(file, "{}", u8::from(found.members.binary_search(&vertex).is_ok())));
        report
    }
}
