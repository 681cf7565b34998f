//! `pleach run ktruss`.

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{Ends, GraphView};

use super::super::Failure;
use super::super::plot::{Axis, Picture, Series};
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use super::verifying::{Size, of_sorted};
use pleach_algorithms::ktruss::Trusses;
use pleach_compiled::ktruss;

/// Options of trusses.
#[derive(Args)]
pub struct KtrussArgs {
    #[command(flatten)]
    checked: Checked,
}

impl Algorithm for KtrussArgs {
    const NAME: &'static str = "ktruss";
    const ENDS: Ends = Ends::Undirected;
    const PICTURE: Option<fn(&Trusses) -> Picture> = Some(profile);
    type Value = ();
    type Found = Trusses;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn by_number(&self) -> bool {
        false
    }

    fn compute(&self, graph: GraphView<'_, ()>, _: &Vertices<'_>) -> Result<Trusses, Failure> {
        ktruss::ktruss(graph).map_err(Failure::input)
    }

    fn steps_to_verify(&self, size: &Size<'_, ()>, _: &Vertices<'_>, _: &Trusses) -> f64 {
        // The rows of each edge's ends are searched in twice.
        size.pass() + size.arcs * of_sorted(size.arcs) + 5.0 * size.lesser()
    }

    fn verify(&self, graph: Adjacency<'_, DynRows<'_, ()>>, _: &Vertices<'_>, found: &Trusses) -> Result<(), String> {
        ktruss::verify(graph, found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Trusses, _: &'a Vertices<'_>) -> Report<'a> {
        let mut report = Report::new();
        let innermost = found.trussness.iter().filter(|&&truss| truss == found.most).count();
        report.iterations(found.rounds).result("most", found.most).result("edges", found.edges.len());
        report.result("edges_in_innermost", innermost);
        report.value(|file, vertex| write!(file, "{}", found.vertices[vertex as usize]));
        report
    }
}

/// How many edges each truss has.
fn profile(found: &Trusses) -> Picture {
    let mut sizes = vec![0u64; found.most as usize + 1];
    found.trussness.iter().for_each(|&truss| sizes[truss as usize] += 1);
    let mut inside = found.trussness.len() as u64;
    let mut points = Vec::new();
    for (k, size) in sizes.iter().enumerate() {
        // Every edge is in the 2-truss.
        if k >= 2 {
            points.push((k as f64, inside as f64));
        }
        inside -= size;
    }
    Picture {
        title: "sizes of trusses",
        x: Axis::whole("k"),
        y: Axis::whole("edges in the k-truss").logarithmic(),
        series: vec![Series { name: "edges", joined: true, points }],
    }
}
