//! `pleach run bfs`.

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{Ends, GraphView};

use super::super::Failure;
use super::super::plot::{Axis, Picture, Series};
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use super::verifying::Size;
use pleach_algorithms::bfs::{Bfs, UNREACHED};
use pleach_compiled::bfs;

/// What `--out` writes of a vertex that cannot be reached: LDBC Graphalytics' spelling of infinity.
pub const INFINITY: u64 = i64::MAX as u64;

/// Options of BFS.
#[derive(Args)]
pub struct BfsArgs {
    #[command(flatten)]
    checked: Checked,
    /// Vertex to start from, by its id or name in the input
    #[arg(long, value_name = "ID")]
    source: String,
    /// Write the parent of each vertex to `--out` instead of its depth
    #[arg(long)]
    parents: bool,
}

impl Algorithm for BfsArgs {
    const NAME: &'static str = "bfs";
    const ENDS: Ends = Ends::Both;
    const PICTURE: Option<fn(&Bfs) -> Picture> = Some(|found| frontiers(&found.levels));
    type Value = ();
    type Found = Bfs;

    fn options(&self) -> &Checked {
        &self.checked
    }

    /// Depths do not; of several parents the smallest is taken.
    fn by_number(&self) -> bool {
        self.parents
    }

    fn compute(&self, graph: GraphView<'_, ()>, vertices: &Vertices<'_>) -> Result<Bfs, Failure> {
        bfs::bfs(graph, vertices.find(&self.source)?).map_err(Failure::input)
    }

    fn steps_to_verify(&self, size: &Size<'_, ()>, _: &Vertices<'_>, found: &Bfs) -> f64 {
        size.vertices + size.among(|vertex| found.depths[vertex as usize] != UNREACHED)
    }

    fn verify(
        &self,
        graph: Adjacency<'_, DynRows<'_, ()>>,
        vertices: &Vertices<'_>,
        found: &Bfs,
    ) -> Result<(), String> {
        let source = vertices.find(&self.source).map_err(|_| "the source is gone".to_owned())?;
        bfs::verify(graph, source, found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Bfs, vertices: &'a Vertices<'_>) -> Report<'a> {
        let mut report = Report::new();
        report.result("reached", found.reached).result("depth", found.levels.len().saturating_sub(1));
        report.hidden("levels", found.levels.clone());
        let parents = self.parents;
        if parents {
            report.grouped();
        }
        report.value(move |file, vertex| match (found.depths[vertex as usize], found.parents[vertex as usize]) {
            (UNREACHED, _) => write!(file, "{INFINITY}"),
            (_, parent) if parents => write!(file, "{}", vertices.ids.label(parent)),
            (depth, _) => write!(file, "{depth}"),
        });
        report
    }
}

/// How many vertices there are at each distance.
pub fn frontiers(levels: &[usize]) -> Picture {
    let points = levels.iter().enumerate().map(|(depth, &size)| (depth as f64, size as f64)).collect();
    Picture {
        title: "sizes of frontiers",
        x: Axis::whole("distance from the source"),
        y: Axis::whole("vertices").logarithmic(),
        series: vec![Series { name: "vertices", joined: true, points }],
    }
}
