//! `pleach run degree`.

use std::collections::BTreeMap;

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{Ends, GraphView};

use super::super::Failure;
use super::super::plot::{Axis, Picture, Series};
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use pleach_algorithms::degree::{Degrees, Side};
use pleach_compiled::degree;

/// Options of degree statistics.
#[derive(Args)]
pub struct DegreeArgs {
    #[command(flatten)]
    checked: Checked,
    /// Write the in-degree of each vertex to `--out` instead of its out-degree
    #[arg(long)]
    incoming: bool,
}

impl Algorithm for DegreeArgs {
    const NAME: &'static str = "degree";
    const ENDS: Ends = Ends::Out;
    const PICTURE: Option<fn(&Degrees) -> Picture> = Some(distribution);
    type Value = ();
    type Found = Degrees;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn by_number(&self) -> bool {
        false
    }

    fn compute(&self, graph: GraphView<'_, ()>, _: &Vertices<'_>) -> Result<Degrees, Failure> {
        Ok(degree::degrees(graph))
    }

    fn verify(&self, graph: Adjacency<'_, DynRows<'_, ()>>, _: &Vertices<'_>, found: &Degrees) -> Result<(), String> {
        degree::verify(graph, found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Degrees, _: &'a Vertices<'_>) -> Report<'a> {
        let mut report = Report::new();
        for (name, side) in [("out", &found.out), ("in", &found.incoming)] {
            let [least, mean, median, most, zero, gini] = NAMES[usize::from(name == "in")];
            report
                .result(least, side.least)
                .result(mean, side.mean)
                .result(median, side.median)
                .result(most, side.most);
            report.result(zero, side.zero).result(gini, side.gini);
        }
        report.result("isolated", found.isolated);
        let degrees = if self.incoming { &found.incoming.degrees } else { &found.out.degrees };
        report.value(|file, vertex| write!(file, "{}", degrees[vertex as usize]));
        report
    }
}

/// What the figures of the two sides are called.
const NAMES: [[&str; 6]; 2] = [
    ["out_least", "out_mean", "out_median", "out_most", "out_zero", "out_gini"],
    ["in_least", "in_mean", "in_median", "in_most", "in_zero", "in_gini"],
];

/// How many vertices have each degree; one series where both ends have the same.
fn distribution(found: &Degrees) -> Picture {
    let mut series = vec![Series { name: "out-arcs", joined: false, points: binned(&found.out) }];
    if found.out != found.incoming {
        series.push(Series { name: "in-arcs", joined: false, points: binned(&found.incoming) });
    }
    Picture {
        title: "distribution of degrees",
        x: Axis::whole("degree (0 is not shown)").logarithmic(),
        y: Axis::real("vertices of one degree (mean over a bin)").logarithmic(),
        series,
    }
}

/// Bins for each factor of ten, from degree 10 on.
const BINS: f64 = 10.0;

/// The degrees from the first to before the second that are drawn as one point: each below 10 for itself, then bins of equal ratios.
fn bin(degree: u32) -> (u32, u32) {
    if degree < 10 {
        return (degree, degree + 1);
    }
    let begin = |bin: f64| 10f64.powf(bin / BINS).ceil() as u32;
    let mut bin = (f64::from(degree).log10() * BINS).floor();
    // The logarithm may be rounded down.
    if begin(bin + 1.0) <= degree {
        bin += 1.0;
    }
    (begin(bin), begin(bin + 1.0))
}

/// In each bin of degrees: the mean degree of its vertices, and how many vertices a degree of the bin has in the mean. Without bins, large
/// degrees are a cloud of ones.
fn binned(side: &Side) -> Vec<(f64, f64)> {
    let mut bins = BTreeMap::<(u32, u32), (f64, f64)>::new();
    for &(degree, count) in side.distribution.iter().filter(|(degree, _)| *degree > 0) {
        let (sum, vertices) = bins.entry(bin(degree)).or_default();
        *sum += f64::from(degree) * count as f64;
        *vertices += count as f64;
    }
    bins.into_iter()
        .map(|((begin, end), (sum, vertices))| (sum / vertices, vertices / f64::from(end - begin)))
        .collect()
}
