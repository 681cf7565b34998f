//! `pleach run tc`.

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{Ends, GraphView};

use super::super::Failure;
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use super::verifying::Size;
use pleach_algorithms::tc::Triangles;
use pleach_compiled::lcc;
use pleach_compiled::tc;

/// Options of counting triangles.
#[derive(Args)]
pub struct TcArgs {
    #[command(flatten)]
    checked: Checked,
}

/// The triangles of a graph, and those of each vertex if the highest numbers are asked for.
pub struct Found {
    all: Triangles,
    of_each: Option<Vec<u64>>,
}

impl Algorithm for TcArgs {
    const NAME: &'static str = "tc";
    const ENDS: Ends = Ends::Undirected;
    const HAS_VALUES: bool = false;
    type Value = ();
    type Found = Found;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn by_number(&self) -> bool {
        false
    }

    fn compute(&self, graph: GraphView<'_, ()>, _: &Vertices<'_>) -> Result<Found, Failure> {
        let all = tc::triangles(graph).map_err(Failure::input)?;
        let count = self.checked.common.top.unwrap_or(0);
        let of_each = (count > 0).then(|| lcc::triangles_of_each(graph)).transpose().map_err(Failure::input)?;
        Ok(Found { all, of_each })
    }

    fn steps_to_verify(&self, size: &Size<'_, ()>, _: &Vertices<'_>, _: &Found) -> f64 {
        // Both ends of each arc get the other, which lists it twice.
        size.lists() + 2.0 * size.arcs + size.turned()
    }

    fn verify(&self, graph: Adjacency<'_, DynRows<'_, ()>>, _: &Vertices<'_>, found: &Found) -> Result<(), String> {
        tc::verify(graph, &found.all).map_err(|wrong| wrong.to_string())?;
        let corners = found.of_each.iter().flatten().sum::<u64>();
        if found.of_each.is_some() && corners != 3 * found.all.count {
            return Err(format!("{} triangles have {corners} corners", found.all.count));
        }
        Ok(())
    }

    fn report<'a>(&self, found: &'a Found, _: &'a Vertices<'_>) -> Report<'a> {
        let mut report = Report::new();
        report.result("triangles", found.all.count).hidden("relabelled", found.all.relabelled);
        if let Some(of_each) = &found.of_each {
            report.value(|file, vertex| write!(file, "{}", of_each[vertex as usize]));
        }
        report
    }
}
