//! `pleach run degree`.

use clap::Args;
use pleach::Rows;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::Ends;

use super::super::Failure;
use super::super::plot::{Axis, Picture, Series};
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use pleach_algorithms::degree::{self, Degrees, Side};

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

    fn compute<A: Rows<Value = ()>>(&self, graph: Adjacency<'_, A>, _: &Vertices<'_>) -> Result<Degrees, Failure> {
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
    let points =
        |side: &Side| side.distribution.iter().map(|&(degree, count)| (f64::from(degree), count as f64)).collect();
    let mut series = vec![Series { name: "out-arcs", joined: false, points: points(&found.out) }];
    if found.out != found.incoming {
        series.push(Series { name: "in-arcs", joined: false, points: points(&found.incoming) });
    }
    Picture {
        title: "distribution of degrees",
        x: Axis { label: "degree (0 is not shown)", logarithmic: true },
        y: Axis { label: "vertices", logarithmic: true },
        series,
    }
}
