//! `pleach run topological`.

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{Ends, GraphView};

use super::super::Failure;
use super::super::plot::{Axis, Picture, Series};
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use pleach_algorithms::ABSENT;
use pleach_algorithms::topological::{Order, OrderError};
use pleach_compiled::topological;

/// Options of topological orders.
#[derive(Args)]
pub struct TopologicalArgs {
    #[command(flatten)]
    checked: Checked,
    /// Write the place of each vertex in the order, from 0, instead of its generation
    #[arg(long)]
    places: bool,
}

impl Algorithm for TopologicalArgs {
    const NAME: &'static str = "topological";
    const ENDS: Ends = Ends::Both;
    const PICTURE: Option<fn(&Order) -> Picture> = Some(generations);
    type Value = ();
    type Found = Order;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn compute(&self, graph: GraphView<'_, ()>, vertices: &Vertices<'_>) -> Result<Order, Failure> {
        topological::topological(graph).map_err(|error| match error {
            OrderError::Cycle { vertex } => {
                Failure::input(format!("the graph has a cycle: vertex {} is on one", vertices.ids.label(vertex)))
            }
            other => Failure::input(other),
        })
    }

    fn verify(&self, graph: Adjacency<'_, DynRows<'_, ()>>, _: &Vertices<'_>, found: &Order) -> Result<(), String> {
        topological::verify(graph, found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Order, vertices: &'a Vertices<'_>) -> Report<'a> {
        let mut report = Report::new();
        report.result("generations", found.count);
        report.result("first", found.order.first().map(|&vertex| vertices.ids.json(vertex)));
        report.result("last", found.order.last().map(|&vertex| vertices.ids.json(vertex)));
        if self.places {
            let mut places = vec![0; found.generations.len()];
            found.order.iter().zip(0_u32..).for_each(|(&vertex, place)| places[vertex as usize] = place);
            report.value(move |file, vertex| write!(file, "{}", places[vertex as usize]));
        } else {
            report.value(|file, vertex| write!(file, "{}", found.generations[vertex as usize]));
        }
        report
    }
}

/// How many vertices each generation has.
fn generations(found: &Order) -> Picture {
    let mut sizes = vec![0u64; found.count];
    found.generations.iter().filter(|&&of| of != ABSENT).for_each(|&of| sizes[of as usize] += 1);
    let points = sizes.into_iter().enumerate().map(|(of, size)| (of as f64, size as f64)).collect();
    Picture {
        title: "sizes of generations",
        x: Axis::whole("generation"),
        y: Axis::whole("vertices").logarithmic(),
        series: vec![Series { name: "vertices", joined: true, points }],
    }
}
