//! `pleach run diameter`.

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{Ends, GraphView};
use serde_json::json;

use super::super::Failure;
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use super::verifying::Size;
use pleach_algorithms::diameter::{Bounds, Diameter, checks_all};
use pleach_compiled::diameter;

/// Options of the diameter.
#[derive(Args)]
pub struct DiameterArgs {
    #[command(flatten)]
    checked: Checked,
    /// Largest number of searches; if they do not suffice, the result is a lower and an upper bound
    #[arg(long, value_name = "N", default_value_t = 1000)]
    searches: usize,
}

/// Bounds of the diameter, and the vertices of the largest eccentricities.
pub struct Found {
    bounds: Bounds,
    farthest: Vec<(u32, u32)>,
}

impl Algorithm for DiameterArgs {
    const NAME: &'static str = "diameter";
    const ENDS: Ends = Ends::Undirected;
    const HAS_VALUES: bool = false;
    type Value = ();
    type Found = Found;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn compute(&self, graph: GraphView<'_, ()>, _: &Vertices<'_>) -> Result<Found, Failure> {
        let options = Diameter::default().with_searches(self.searches);
        let count = self.checked.common.top.unwrap_or(0);
        let (bounds, farthest) = diameter::farthest(graph, &options, count).map_err(Failure::input)?;
        Ok(Found { bounds, farthest })
    }

    fn steps_to_verify(&self, size: &Size<'_, ()>, _: &Vertices<'_>, _: &Found) -> f64 {
        let all = checks_all(size.vertices as usize, size.arcs as usize);
        if !all {
            return size.pass();
        }
        let (vertices, arcs) = size.reached();
        size.pass() + size.vertices * (size.vertices + vertices + arcs)
    }

    fn verify(&self, graph: Adjacency<'_, DynRows<'_, ()>>, _: &Vertices<'_>, found: &Found) -> Result<(), String> {
        diameter::verify(graph, &found.bounds).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Found, vertices: &'a Vertices<'_>) -> Report<'a> {
        let mut report = Report::new();
        let Bounds { least, most, ends, searches } = found.bounds;
        report.iterations(searches).result("exact", least == most).result("least", least).result("most", most);
        report.result("ends", ends.map(|(u, v)| vec![vertices.ids.json(u), vertices.ids.json(v)]));
        if self.checked.common.top.is_some_and(|top| top > 0) {
            let pairs = found.farthest.iter().map(|&(vertex, far)| json!([vertices.ids.json(vertex), far]));
            report.hidden("top", pairs.collect::<Vec<_>>());
            for &(vertex, eccentricity) in &found.farthest {
                report.lines(&format!("{:>12}  {eccentricity}\n", vertices.ids.label(vertex)));
            }
        }
        report
    }
}
