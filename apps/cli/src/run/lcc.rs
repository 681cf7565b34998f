//! `pleach run lcc`.

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{Ends, GraphView};

use super::super::Failure;
use super::super::plot::{Axis, Picture, Series};
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use super::verifying::Size;
use pleach_algorithms::lcc::Clustering;
use pleach_compiled::lcc;

/// Options of clustering coefficients.
#[derive(Args)]
pub struct LccArgs {
    #[command(flatten)]
    checked: Checked,
}

impl Algorithm for LccArgs {
    const NAME: &'static str = "lcc";
    const ENDS: Ends = Ends::Both;
    const PICTURE: Option<fn(&Clustering) -> Picture> = Some(histogram);
    type Value = ();
    type Found = Clustering;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn by_number(&self) -> bool {
        false
    }

    fn compute(&self, graph: GraphView<'_, ()>, _: &Vertices<'_>) -> Result<Clustering, Failure> {
        lcc::lcc(graph).map_err(Failure::input)
    }

    fn steps_to_verify(&self, size: &Size<'_, ()>, _: &Vertices<'_>, _: &Clustering) -> f64 {
        size.lists() + 2.0 * size.arcs + size.wedges() / 2.0
    }

    fn verify(
        &self,
        graph: Adjacency<'_, DynRows<'_, ()>>,
        _: &Vertices<'_>,
        found: &Clustering,
    ) -> Result<(), String> {
        lcc::verify(graph, found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Clustering, _: &'a Vertices<'_>) -> Report<'a> {
        let mut report = Report::new();
        report.result("mean", found.mean);
        report.value(|file, vertex| write!(file, "{}", found.coefficients[vertex as usize]));
        report
    }
}

/// Bins of the histogram.
const BINS: usize = 20;

/// How many vertices have a coefficient in each twentieth between 0 and 1.
fn histogram(found: &Clustering) -> Picture {
    let mut sizes = [0u64; BINS];
    for coefficient in &found.coefficients {
        sizes[((coefficient * BINS as f64) as usize).min(BINS - 1)] += 1;
    }
    let centre = |bin: usize| (bin as f64 + 0.5) / BINS as f64;
    let points = sizes.iter().enumerate().map(|(bin, &size)| (centre(bin), size as f64)).collect();
    Picture {
        title: "clustering coefficients",
        x: Axis::real("coefficient (middle of a twentieth)"),
        y: Axis::whole("vertices").logarithmic(),
        // A logarithmic axis cannot show an empty bin. A line across it would look as if the bin had vertices.
        series: vec![Series { name: "vertices", joined: false, points }],
    }
}
