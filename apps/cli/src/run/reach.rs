//! `pleach run descendants` and `pleach run ancestors`.

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{Ends, GraphView};

use super::super::Failure;
use super::super::plot::Picture;
use super::bfs::{INFINITY, frontiers};
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use super::verifying::Size;
use pleach_algorithms::bfs::{Bfs, UNREACHED};
use pleach_compiled::bfs;

/// What both algorithms take.
#[derive(Args)]
struct From {
    #[command(flatten)]
    checked: Checked,
    /// Vertex to start from, by its id or name in the input
    #[arg(long, value_name = "ID")]
    source: String,
}

/// The depths of vertices, and how many there are besides the source.
fn reached<'a>(found: &'a Bfs, _: &'a Vertices<'_>) -> Report<'a> {
    let mut report = Report::new();
    report.result("size", found.reached - 1).result("depth", found.levels.len().saturating_sub(1));
    report.hidden("levels", found.levels.clone());
    report.value(|file, vertex| match found.depths[vertex as usize] {
        UNREACHED => write!(file, "{INFINITY}"),
        depth => write!(file, "{depth}"),
    });
    report
}

macro_rules! reach {
    ($(#[$doc:meta])* $args:ident, $name:literal, $turned:expr) => {
        $(#[$doc])*
        #[derive(Args)]
        pub struct $args {
            #[command(flatten)]
            from: From,
        }

        impl Algorithm for $args {
            const NAME: &'static str = $name;
            const ENDS: Ends = Ends::Both;
            const PICTURE: Option<fn(&Bfs) -> Picture> = Some(|found| frontiers(&found.levels));
            type Value = ();
            type Found = Bfs;

            fn options(&self) -> &Checked {
                &self.from.checked
            }

            fn by_number(&self) -> bool {
                false
            }

            fn compute(
                &self,
                graph: GraphView<'_, ()>,
                vertices: &Vertices<'_>,
            ) -> Result<Bfs, Failure> {
                let graph = if $turned { graph.reversed().expect(BOTH) } else { graph };
                bfs::bfs(graph, vertices.find(&self.from.source)?).map_err(Failure::input)
            }

            fn steps_to_verify(&self, size: &Size<'_, ()>, _: &Vertices<'_>, found: &Bfs) -> f64 {
                let turned = if $turned { size.reversed() } else { *size };
                size.vertices + turned.among(|vertex| found.depths[vertex as usize] != UNREACHED)
            }

            fn verify(
                &self,
                graph: Adjacency<'_, DynRows<'_, ()>>,
                vertices: &Vertices<'_>,
                found: &Bfs,
            ) -> Result<(), String> {
                let graph = if $turned { graph.reversed().expect(BOTH) } else { graph };
                let source = vertices.find(&self.from.source).map_err(|_| "the source is gone".to_owned())?;
                bfs::verify(graph, source, found).map_err(|wrong| wrong.to_string())
            }

            fn report<'a>(&self, found: &'a Bfs, vertices: &'a Vertices<'_>) -> Report<'a> {
                reached(found, vertices)
            }
        }
    };
}

/// What holds of the graphs of these algorithms.
const BOTH: &str = "the rows of in-arcs are built";

reach! {
    /// Options of descendants.
    DescendantsArgs, "descendants", false
}

reach! {
    /// Options of ancestors.
    AncestorsArgs, "ancestors", true
}
