//! `pleach run sssp`.

use clap::Args;
use pleach::runtime::Fiber;
use pleach::traverse::{Adjacency, DynRows};
use pleach::{BuildOptions, Duplicates, Rows};
use pleach_erased::{Ends, GraphView};
use rayon::prelude::*;

use super::super::Failure;
use super::super::input::LEAST;
use super::super::plot::{Axis, Picture, Series};
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use super::verifying::{Size, of_sorted};
use pleach_algorithms::ABSENT;
use pleach_algorithms::sssp::{Distances, Sssp, SsspError};
use pleach_compiled::sssp;

/// Options of shortest paths.
#[derive(Args)]
#[command(mut_arg("conflict", |arg| arg.help(LEAST)))]
pub struct SsspArgs {
    #[command(flatten)]
    checked: Checked,
    /// Vertex to start from, by its id or name in the input
    #[arg(long, value_name = "ID")]
    source: String,
    /// Width of a bucket in delta-stepping [default: chosen by mean weight and degree]
    #[arg(long, value_name = "WIDTH")]
    delta: Option<f64>,
    /// Also print a shortest path to this vertex, by its id or name in the input
    #[arg(long, value_name = "ID")]
    to: Option<String>,
}

/// Distances, and a path if one is asked for.
pub struct Paths {
    distances: Distances,
    /// The vertices of the path from the source; none where the vertex is not reached.
    path: Option<Vec<u32>>,
}

/// The vertices of a shortest path from `source` to `target`, from the vertex before each.
fn path(before: &[u32], source: u32, target: u32) -> Vec<u32> {
    let mut path = vec![target];
    while let Some(&last) = path.last().filter(|&&last| last != source) {
        match before[last as usize] {
            ABSENT => return Vec::new(),
            other => path.push(other),
        }
    }
    path.reverse();
    path
}

impl Algorithm for SsspArgs {
    const NAME: &'static str = "sssp";
    const ENDS: Ends = Ends::Out;
    const PICTURE: Option<fn(&Paths) -> Picture> = Some(|found| within(&found.distances));
    type Value = f64;
    type Found = Paths;

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

    fn compute(&self, graph: GraphView<'_, f64>, vertices: &Vertices<'_>) -> Result<Paths, Failure> {
        let source = vertices.find(&self.source)?;
        let target = self.to.as_deref().map(|target| vertices.find(target)).transpose()?;
        let found =
            sssp::sssp(graph, source, &Sssp::default().with_delta(self.delta)).map_err(|error| match error {
                SsspError::Weight { from, to, weight } => Failure::input(format!(
                    "weights must be finite and not negative, but the arc from {} to {} has {weight}",
                    vertices.ids.label(from),
                    vertices.ids.label(to)
                )),
                SsspError::Delta(_) => Failure::usage(error),
                _ => Failure::input(error),
            })?;
        let path = target.map(|target| path(&sssp::predecessors(graph, source, &found.distances), source, target));
        Ok(Paths { distances: found, path })
    }

    fn steps_to_verify(&self, size: &Size<'_, f64>, _: &Vertices<'_>, found: &Paths) -> f64 {
        let distances = &found.distances;
        // A vertex is put on the heap again where a shorter way is found.
        let taken = 1.5 * distances.reached as f64;
        size.vertices + size.among(|vertex| distances.distances[vertex as usize].is_finite()) + taken * of_sorted(taken)
    }

    fn verify(
        &self,
        graph: Adjacency<'_, DynRows<'_, f64>>,
        vertices: &Vertices<'_>,
        found: &Paths,
    ) -> Result<(), String> {
        let source = vertices.find(&self.source).map_err(|_| "the source is gone".to_owned())?;
        sssp::verify(graph, source, &found.distances).map_err(|wrong| wrong.to_string())?;
        // Each step of a shortest path leads exactly as far as the distances say.
        let distance = |vertex: u32| found.distances.distances[vertex as usize];
        let steps = found.path.iter().flat_map(|path| path.windows(2));
        for step in steps.map(|step| (step[0], step[1])) {
            let weight = graph.out().row(step.0 as usize).and_then(|row| row.locate(step.1).copied());
            if weight.is_none_or(|weight| distance(step.0) + weight != distance(step.1)) {
                return Err(format!("the path's step to {} is on no shortest path", vertices.ids.label(step.1)));
            }
        }
        Ok(())
    }

    fn report<'a>(&self, found: &'a Paths, vertices: &'a Vertices<'_>) -> Report<'a> {
        let mut report = Report::new();
        if let (Some(path), Some(target)) = (&found.path, &self.to) {
            let ids = vertices.ids;
            let text: Vec<String> = path.iter().map(|&vertex| ids.label(vertex).to_string()).collect();
            report.hidden("path", path.iter().map(|&vertex| ids.json(vertex)).collect::<Vec<_>>());
            report.lines(&match path.is_empty() {
                true => format!("no path leads to {target}\n"),
                false => format!("a shortest path: {}\n", text.join(" ")),
            });
        }
        let found = &found.distances;
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
    let whole = points.iter().all(|point| point.0.fract() == 0.0);
    let axis = if whole { Axis::whole } else { Axis::real };
    Picture {
        title: "vertices within a distance",
        x: axis("distance from the source"),
        y: Axis::whole("vertices"),
        series: vec![Series { name: "vertices", joined: true, points }],
    }
}
