//! `pleach run bridges` and `pleach run articulation`.

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{Ends, GraphView};
use serde_json::{Value, json};

use super::super::Failure;
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use super::verifying::Size;
use pleach_algorithms::cuts::Cuts;
use pleach_compiled::cuts;

/// Bridges that text lists; JSON has all.
const LISTED: usize = 20;

/// The rows are copied, searched, and walked again by chains.
fn searches(size: &Size<'_, ()>) -> f64 {
    3.0 * size.pass()
}

/// Options of bridges.
#[derive(Args)]
pub struct BridgesArgs {
    #[command(flatten)]
    checked: Checked,
}

impl Algorithm for BridgesArgs {
    const NAME: &'static str = "bridges";
    const ENDS: Ends = Ends::Undirected;
    type Value = ();
    type Found = Cuts;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn compute(&self, graph: GraphView<'_, ()>, _: &Vertices<'_>) -> Result<Cuts, Failure> {
        cuts::cuts(graph).map_err(Failure::input)
    }

    fn steps_to_verify(&self, size: &Size<'_, ()>, _: &Vertices<'_>, _: &Cuts) -> f64 {
        searches(size)
    }

    fn verify(&self, graph: Adjacency<'_, DynRows<'_, ()>>, _: &Vertices<'_>, found: &Cuts) -> Result<(), String> {
        cuts::verify(graph, found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Cuts, vertices: &'a Vertices<'_>) -> Report<'a> {
        let mut report = Report::new();
        report.result("bridges", found.bridges.len()).result("articulation_points", found.points);
        let ids = vertices.ids;
        let all: Vec<Value> = found.bridges.iter().map(|&(u, v)| json!([ids.json(u), ids.json(v)])).collect();
        report.hidden("edges", all);
        for &(u, v) in found.bridges.iter().take(LISTED) {
            report.lines(&format!("{} {}\n", ids.label(u), ids.label(v)));
        }
        if found.bridges.len() > LISTED {
            report.lines(&format!("… and {} more, which --json lists\n", found.bridges.len() - LISTED));
        }
        let mut ends = vec![0_u32; ids.len()];
        found.bridges.iter().flat_map(|&(u, v)| [u, v]).for_each(|end| ends[end as usize] += 1);
        report.value(move |file, vertex| write!(file, "{}", ends[vertex as usize]));
        report
    }
}

/// Options of articulation points.
#[derive(Args)]
pub struct ArticulationArgs {
    #[command(flatten)]
    checked: Checked,
}

impl Algorithm for ArticulationArgs {
    const NAME: &'static str = "articulation";
    const ENDS: Ends = Ends::Undirected;
    type Value = ();
    type Found = Cuts;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn compute(&self, graph: GraphView<'_, ()>, _: &Vertices<'_>) -> Result<Cuts, Failure> {
        cuts::cuts(graph).map_err(Failure::input)
    }

    fn steps_to_verify(&self, size: &Size<'_, ()>, _: &Vertices<'_>, _: &Cuts) -> f64 {
        searches(size)
    }

    fn verify(&self, graph: Adjacency<'_, DynRows<'_, ()>>, _: &Vertices<'_>, found: &Cuts) -> Result<(), String> {
        cuts::verify(graph, found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Cuts, _: &'a Vertices<'_>) -> Report<'a> {
        let mut report = Report::new();
        report.result("articulation_points", found.points).result("bridges", found.bridges.len());
        report.value(|file, vertex| write!(file, "{}", u8::from(found.articulation[vertex as usize])));
        report
    }
}
