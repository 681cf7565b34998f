//! `pleach run coloring`.

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{Ends, GraphView};

use super::super::Failure;
use super::super::plot::{Axis, Picture, Series};
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use super::verifying::{Size, of_sorted};
use pleach_algorithms::coloring::Colors;
use pleach_compiled::coloring;

/// Options of colouring.
#[derive(Args)]
pub struct ColoringArgs {
    #[command(flatten)]
    checked: Checked,
}

impl Algorithm for ColoringArgs {
    const NAME: &'static str = "coloring";
    const ENDS: Ends = Ends::Undirected;
    const PICTURE: Option<fn(&Colors) -> Picture> = Some(colors);
    type Value = ();
    type Found = Colors;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn compute(&self, graph: GraphView<'_, ()>, _: &Vertices<'_>) -> Result<Colors, Failure> {
        coloring::coloring(graph).map_err(Failure::input)
    }

    fn steps_to_verify(&self, size: &Size<'_, ()>, _: &Vertices<'_>, found: &Colors) -> f64 {
        // The smaller colours around each vertex go into a tree.
        size.pass() + size.arcs * of_sorted(found.count as f64)
    }

    fn verify(&self, graph: Adjacency<'_, DynRows<'_, ()>>, _: &Vertices<'_>, found: &Colors) -> Result<(), String> {
        coloring::verify(graph, found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Colors, _: &'a Vertices<'_>) -> Report<'a> {
        let mut report = Report::new();
        report.iterations(found.rounds).result("colors", found.count);
        report.grouped().value(|file, vertex| write!(file, "{}", found.colors[vertex as usize]));
        report
    }
}

/// How many vertices have each colour.
fn colors(found: &Colors) -> Picture {
    let mut sizes = vec![0u64; found.count as usize];
    for &color in &found.colors {
        if let Some(size) = sizes.get_mut(color as usize) {
            *size += 1;
        }
    }
    let points = sizes.iter().enumerate().map(|(color, &size)| (color as f64, size as f64)).collect();
    Picture {
        title: "sizes of colours",
        x: Axis::whole("colour"),
        y: Axis::whole("vertices").logarithmic(),
        series: vec![Series { name: "vertices", joined: true, points }],
    }
}
