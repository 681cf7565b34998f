//! `pleach run louvain` and `pleach run leiden`.

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{Ends, GraphView};

use super::super::Failure;
use super::super::plot::{Picture, sizes_of_groups};
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use super::verifying::{Size, of_sorted};
use pleach_algorithms::louvain::{Louvain, LouvainError, Modules};
use pleach_compiled::louvain;

/// What both algorithms take.
#[derive(Args)]
struct Modular {
    #[command(flatten)]
    checked: Checked,
    /// Resolution: above 1 there are more and smaller communities
    #[arg(long, value_name = "GAMMA", default_value_t = 1.0)]
    resolution: f64,
    /// Gain of modularity below which no further level is tried
    #[arg(long, value_name = "GAIN", default_value_t = 1e-7)]
    threshold: f64,
    /// Seed of the order in which vertices are visited
    #[arg(long, value_name = "N", default_value_t = 0)]
    shuffle: u64,
}

impl Modular {
    fn options(&self, refine: bool) -> Louvain {
        let options = Louvain::default().with_resolution(self.resolution).with_threshold(self.threshold);
        options.with_seed(self.shuffle).with_refine(refine)
    }
}

/// Finds communities.
fn modules(graph: GraphView<'_, f64>, options: &Louvain, vertices: &Vertices<'_>) -> Result<Modules, Failure> {
    louvain::louvain(graph, options).map_err(|error| match error {
        LouvainError::Weight { u, v, weight } => Failure::input(format!(
            "weights must be finite and not negative, but the edge between {} and {} has {weight}",
            vertices.ids.label(u),
            vertices.ids.label(v)
        )),
        LouvainError::Graph(_) => Failure::input(error),
        _ => Failure::usage(error),
    })
}

fn communities<'a>(found: &'a Modules, vertices: &'a Vertices<'_>) -> Report<'a> {
    let mut report = Report::new();
    report.iterations(found.levels).result("communities", found.count).result("modularity", found.modularity);
    let smallest = vertices.ids.smallest(&found.labels);
    report.grouped().value(move |file, vertex| {
        let label = found.labels[vertex as usize];
        let first = smallest.get(label as usize).copied().unwrap_or(label);
        write!(file, "{}", vertices.ids.label(first))
    });
    report
}

macro_rules! modular {
    ($(#[$doc:meta])* $args:ident, $name:literal, $refine:literal) => {
        $(#[$doc])*
        #[derive(Args)]
        pub struct $args {
            #[command(flatten)]
            modular: Modular,
        }

        impl Algorithm for $args {
            const NAME: &'static str = $name;
            const ENDS: Ends = Ends::Undirected;
            const PICTURE: Option<fn(&Modules) -> Picture> = Some(|found| {
                sizes_of_groups("sizes of communities", "communities of at least this size", found.labels.iter().copied())
            });
            type Value = f64;
            type Found = Modules;

            fn options(&self) -> &Checked {
                &self.modular.checked
            }

            fn compute(
                &self,
                graph: GraphView<'_, f64>,
                vertices: &Vertices<'_>,
            ) -> Result<Modules, Failure> {
                modules(graph, &self.modular.options($refine), vertices)
            }

            fn steps_to_verify(&self, size: &Size<'_, f64>, _: &Vertices<'_>, found: &Modules) -> f64 {
                // The weight of each arc is added up in a tree of communities, and in one of vertices.
                size.pass() + size.arcs * (of_sorted(found.count as f64) + of_sorted(size.vertices))
            }

            fn verify(
                &self,
                graph: Adjacency<'_, DynRows<'_, f64>>,
                _: &Vertices<'_>,
                found: &Modules,
            ) -> Result<(), String> {
                louvain::verify(graph, &self.modular.options($refine), found).map_err(|wrong| wrong.to_string())
            }

            fn report<'a>(&self, found: &'a Modules, vertices: &'a Vertices<'_>) -> Report<'a> {
                communities(found, vertices)
            }
        }
    };
}

modular! {
    /// Options of communities by modularity.
    LouvainArgs, "louvain", false
}

modular! {
    /// Options of connected communities by modularity.
    LeidenArgs, "leiden", true
}
