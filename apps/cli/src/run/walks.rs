//! `pleach run walks`.

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{Ends, GraphView};
use serde_json::Value;

use super::super::Failure;
use super::super::plot::{Axis, Picture, falling};
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use super::verifying::{Size, of_sorted};
use pleach_algorithms::ABSENT;
use pleach_algorithms::walks::{Walks, WalksError};
use pleach_compiled::walks;

/// The most walks that are taken.
const MOST: usize = 1 << 32;

/// Options of random walks.
#[derive(Args)]
pub struct WalksArgs {
    #[command(flatten)]
    checked: Checked,
    /// Vertices to start from, by their ids or names in the input [default: all vertices]
    #[arg(long, value_name = "ID,…", value_delimiter = ',')]
    sources: Vec<String>,
    /// Number of walks from each vertex to start from
    #[arg(long, value_name = "N", default_value_t = 1)]
    walks: usize,
    /// Number of arcs in a walk
    #[arg(long, value_name = "N", default_value_t = 10)]
    length: usize,
    /// Node2vec's p: the larger, the less a walk returns at once
    #[arg(long, value_name = "P", default_value_t = 1.0)]
    p: f64,
    /// Node2vec's q: the larger, the nearer a walk stays
    #[arg(long, value_name = "Q", default_value_t = 1.0)]
    q: f64,
    /// Seed of the random draw
    #[arg(long, value_name = "N", default_value_t = 0)]
    sampling: u64,
}

impl WalksArgs {
    fn options(&self) -> Walks {
        Walks::default().with_length(self.length).with_bias(self.p, self.q).with_seed(self.sampling)
    }

    /// The first vertex of each walk.
    fn starts(&self, graph: GraphView<'_, f64>, vertices: &Vertices<'_>) -> Result<Vec<u32>, Failure> {
        let once = match self.sources.is_empty() {
            true => graph.vertices().collect(),
            false => vertices.find_all(&self.sources)?,
        };
        let count = once.len().checked_mul(self.walks).filter(|&count| count <= MOST);
        count.map(|_| once.repeat(self.walks)).ok_or_else(|| {
            Failure::usage(format!("--walks {}: at most {MOST} walks from all vertices can be taken", self.walks))
        })
    }
}

impl Algorithm for WalksArgs {
    const NAME: &'static str = "walks";
    const ENDS: Ends = Ends::Out;
    const PICTURE: Option<fn(&Vec<u32>) -> Picture> = Some(|found| visits(found));
    type Value = f64;
    /// The vertices of all walks.
    type Found = Vec<u32>;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn compute(&self, graph: GraphView<'_, f64>, vertices: &Vertices<'_>) -> Result<Vec<u32>, Failure> {
        let starts = self.starts(graph, vertices)?;
        walks::walks(graph, &starts, &WalksArgs::options(self)).map_err(|error| match error {
            WalksError::Bias(..) => Failure::usage(error),
            WalksError::Weight { from, to, weight } => Failure::input(format!(
                "weights must be finite and not negative, but the arc from {} to {} has {weight}",
                vertices.ids.label(from),
                vertices.ids.label(to)
            )),
            _ => Failure::input(error),
        })
    }

    fn steps_to_verify(&self, size: &Size<'_, f64>, _: &Vertices<'_>, found: &Vec<u32>) -> f64 {
        found.len() as f64 * of_sorted(size.arcs / size.vertices.max(1.0))
    }

    fn verify(
        &self,
        graph: Adjacency<'_, DynRows<'_, f64>>,
        vertices: &Vertices<'_>,
        found: &Vec<u32>,
    ) -> Result<(), String> {
        let starts = self.starts(graph.into(), vertices).map_err(|_| "a source is gone".to_owned())?;
        walks::verify(graph, &starts, &WalksArgs::options(self), found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Vec<u32>, vertices: &'a Vertices<'_>) -> Report<'a> {
        let mut report = Report::new();
        let walks = || found.chunks(self.length + 1).map(|walk| walk.iter().take_while(|&&vertex| vertex != ABSENT));
        report
            .result("walks", walks().count())
            .result("steps", walks().map(|walk| walk.count().max(1) - 1).sum::<usize>());
        let ids = vertices.ids;
        let mut text = String::new();
        for walk in walks() {
            let labels: Vec<String> = walk.map(|&vertex| ids.label(vertex).to_string()).collect();
            text += &labels.join(" ");
            text.push('\n');
        }
        let all: Vec<Value> = walks().map(|walk| walk.map(|&vertex| ids.json(vertex)).collect()).collect();
        report.lines(&text).hidden("vertices", all);
        let mut visits = vec![0_u64; ids.len()];
        walks().flatten().for_each(|&vertex| visits[vertex as usize] += 1);
        report.value(move |file, vertex| write!(file, "{}", visits[vertex as usize]));
        report
    }
}

/// How often walks come to each vertex.
fn visits(found: &[u32]) -> Picture {
    let mut visits = std::collections::HashMap::<u32, u64>::new();
    found.iter().filter(|&&vertex| vertex != ABSENT).for_each(|&vertex| *visits.entry(vertex).or_default() += 1);
    let visits = visits.into_values().map(|visits| visits as f64).collect();
    let picture = falling("visits of walks", "vertices with at least so many visits", "visits", visits);
    Picture { y: Axis::whole("visits").logarithmic(), ..picture }
}
