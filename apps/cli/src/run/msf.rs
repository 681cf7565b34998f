//! `pleach run msf`.

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach::{BuildOptions, Duplicates};
use pleach_erased::{Ends, GraphView};

use super::super::Failure;
use super::super::input::LEAST;
use super::super::plot::{Picture, falling_all};
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use super::verifying::{Size, of_sorted};
use pleach_algorithms::msf::{Forest, MsfError};
use pleach_compiled::msf;

/// Options of a spanning forest.
#[derive(Args)]
#[command(mut_arg("conflict", |arg| arg.help(LEAST)))]
pub struct MsfArgs {
    #[command(flatten)]
    checked: Checked,
}

impl Algorithm for MsfArgs {
    const NAME: &'static str = "msf";
    const ENDS: Ends = Ends::Undirected;
    const PICTURE: Option<fn(&Forest) -> Picture> = Some(|found| {
        let weights = found.edges.iter().map(|&(_, _, weight)| weight).collect();
        falling_all("weights of the spanning forest", "edges of at least this weight", "weight", weights)
    });
    type Value = f64;
    type Found = Forest;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn adjust(&self, build: &mut BuildOptions<f64>) {
        // Of several edges between two vertices the lightest can be in a forest of the least weight.
        build.duplicates = Duplicates::min();
    }

    fn compute(&self, graph: GraphView<'_, f64>, vertices: &Vertices<'_>) -> Result<Forest, Failure> {
        msf::msf(graph).map_err(|error| match error {
            MsfError::Weight { u, v, weight } => {
                let (u, v) = (vertices.ids.label(u), vertices.ids.label(v));
                Failure::input(format!("weights must be finite, but the edge between {u} and {v} has {weight}"))
            }
            other => Failure::input(other),
        })
    }

    fn steps_to_verify(&self, size: &Size<'_, f64>, _: &Vertices<'_>, found: &Forest) -> f64 {
        // A heap gets each edge; those of the forest go into two trees.
        let (pushed, edges) = (size.vertices + size.arcs / 2.0, found.edges.len() as f64);
        size.pass() + pushed * of_sorted(pushed) + 2.0 * edges * of_sorted(edges)
    }

    fn verify(&self, graph: Adjacency<'_, DynRows<'_, f64>>, _: &Vertices<'_>, found: &Forest) -> Result<(), String> {
        msf::verify(graph, found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Forest, vertices: &'a Vertices<'_>) -> Report<'a> {
        let mut report = Report::new();
        // A sum of nothing is -0, and is meant to be 0.
        report.result("weight", found.weight + 0.0).result("edges", found.edges.len()).result("trees", found.trees);
        // The parents are the forest: its edges are those from each vertex that is not its own parent.
        report.grouped().value(|file, vertex| write!(file, "{}", vertices.ids.label(found.parents[vertex as usize])));
        report
    }
}
