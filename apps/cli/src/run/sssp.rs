//! `pleach run sssp`.

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach::{BuildOptions, Duplicates, Rows};
use pleach_erased::Ends;
use rayon::prelude::*;

use super::super::Failure;
use super::super::plot::{Axis, Picture, Series};
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use pleach_algorithms::sssp::{self, Distances, Sssp, SsspError};

/// Options of shortest paths.
#[derive(Args)]
pub struct SsspArgs {
    #[command(flatten)]
    checked: Checked,
    /// Vertex to start from, by its id or name in the input
    #[arg(long, value_name = "ID")]
    source: String,
    /// Width of a bucket in delta-stepping [default: chosen by mean weight and degree]
    #[arg(long, value_name = "WIDTH")]
    delta: Option<f64>,
}

impl Algorithm for SsspArgs {
    const NAME: &'static str = "sssp";
    const ENDS: Ends = Ends::Out;
    const PICTURE: Option<fn(&Distances) -> Picture> = Some(within);
    type Value = f64;
    type Found = Distances;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn adjust(&self, build: &mut BuildOptions<f64>) {
        // Of several arcs between two vertices a shortest path takes the shortest.
        build.duplicates = Duplicates::min();
    }

    fn by_number(&self) -> bool {
        false
    }

    fn compute<A: Rows<Value = f64>>(
        &self,
        graph: Adjacency<'_, A>,
        vertices: &Vertices<'_>,
    ) -> Result<Distances, Failure> {
        let source = vertices.find(&self.source)?;
        sssp::sssp(graph, source, &Sssp::default().with_delta(self.delta)).map_err(|error| match error {
            SsspError::Weight { from, to, weight } => Failure::input(format!(
                "weights must be finite and not negative, but the arc from {} to {} has {weight}",
                vertices.ids.label(from),
                vertices.ids.label(to)
            )),
            SsspError::Delta(_) => Failure::usage(error),
            _ => Failure::input(error),
        })
    }

    fn verify(
        &self,
        graph: Adjacency<'_, DynRows<'_, f64>>,
        vertices: &Vertices<'_>,
        found: &Distances,
    ) -> Result<(), String> {
        let source = vertices.find(&self.source).map_err(|_| "the source is gone".to_owned())?;
        sssp::verify(graph, source, found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Distances, _: &'a Vertices<'_>) -> Report<'a> {
        let mut report = Report::new();
        report.iterations(found.rounds);
        report.result("reached", found.reached).result("farthest", found.farthest);
        report.result("delta", found.delta).result("relaxed", found.relaxed);
        report.value(|file, vertex| match found.distances[vertex as usize] {
            f64::INFINITY => write!(file, "infinity"),
            distance => write!(file, "{distance}"),
        });
        report
    }
}

/// How many vertices lie within each distance.
fn within(found: &Distances) -> Picture {
    let mut distances: Vec<f64> = found.distances.iter().copied().filter(|distance| distance.is_finite()).collect();
    distances.par_sort_unstable_by(f64::total_cmp);
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (before, distance) in distances.into_iter().enumerate() {
        let within = before as f64 + 1.0;
        match points.last_mut().filter(|last| last.0 == distance) {
            Some(last) => last.1 = within,
            None => points.push((distance, within)),
        }
    }
    Picture {
        title: "vertices within a distance",
        x: Axis::real("distance from the source"),
        y: Axis::whole("vertices"),
        series: vec![Series { name: "vertices", joined: true, points }],
    }
}
