//! `pleach run kcore`.

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{Ends, GraphView};

use super::super::Failure;
use super::super::plot::{Axis, Picture, Series};
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use super::verifying::{Size, of_sorted};
use pleach_algorithms::kcore::Cores;
use pleach_compiled::kcore;

/// Options of coreness.
#[derive(Args)]
pub struct KcoreArgs {
    #[command(flatten)]
    checked: Checked,
}

impl Algorithm for KcoreArgs {
    const NAME: &'static str = "kcore";
    const ENDS: Ends = Ends::Undirected;
    const PICTURE: Option<fn(&Cores) -> Picture> = Some(profile);
    type Value = ();
    type Found = Cores;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn by_number(&self) -> bool {
        false
    }

    fn compute(&self, graph: GraphView<'_, ()>, _: &Vertices<'_>) -> Result<Cores, Failure> {
        kcore::kcore(graph).map_err(Failure::input)
    }

    fn steps_to_verify(&self, size: &Size<'_, ()>, _: &Vertices<'_>, _: &Cores) -> f64 {
        // A heap gets each vertex, and again for each edge that is taken away.
        let pushed = size.vertices + size.arcs / 2.0;
        size.lists() + size.arcs + pushed * of_sorted(pushed)
    }

    fn verify(&self, graph: Adjacency<'_, DynRows<'_, ()>>, _: &Vertices<'_>, found: &Cores) -> Result<(), String> {
        kcore::verify(graph, found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Cores, _: &'a Vertices<'_>) -> Report<'a> {
        let mut report = Report::new();
        report.iterations(found.rounds).result("degeneracy", found.degeneracy);
        report.result("in_innermost", found.sizes.last().copied().unwrap_or(0)).hidden("sizes", found.sizes.clone());
        report.value(|file, vertex| write!(file, "{}", found.coreness[vertex as usize]));
        report
    }
}

/// How many vertices each core has.
fn profile(found: &Cores) -> Picture {
    let mut inside: usize = found.sizes.iter().sum();
    let core = |(k, size): (usize, &usize)| {
        let point = (k as f64, inside as f64);
        inside -= size;
        point
    };
    let points = found.sizes.iter().enumerate().map(core).collect();
    Picture {
        title: "sizes of cores",
        x: Axis::whole("k"),
        y: Axis::whole("vertices in the k-core").logarithmic(),
        series: vec![Series { name: "vertices", joined: true, points }],
    }
}
