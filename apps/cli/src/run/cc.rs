//! `pleach run cc`.

use std::cell::OnceCell;

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{Ends, GraphView};

use super::super::Failure;
use super::super::plot::{Picture, sizes_of_groups};
use super::common::{Algorithm, Checked, Vertices};
use super::following::{Following, FollowingComponents};
use super::report::Report;
use super::verifying::Size;
use pleach_algorithms::cc::Components;
use pleach_compiled::cc;

/// Options of connected components.
#[derive(Args)]
pub struct CcArgs {
    #[command(flatten)]
    checked: Checked,
}

impl Algorithm for CcArgs {
    const NAME: &'static str = "cc";
    const ENDS: Ends = Ends::Out;
    const PICTURE: Option<fn(&Components) -> Picture> = Some(|found| {
        sizes_of_groups("sizes of components", "components of at least this size", found.labels.iter().copied())
    });
    type Value = ();
    type Found = Components;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn by_number(&self) -> bool {
        false
    }

    fn compute(&self, graph: GraphView<'_, ()>, _: &Vertices<'_>) -> Result<Components, Failure> {
        Ok(cc::components(graph))
    }

    fn steps_to_verify(&self, size: &Size<'_, ()>, _: &Vertices<'_>, _: &Components) -> f64 {
        // Labels sink for some passes, which only compare; the last one finds none that does.
        1.5 * size.pass()
    }

    fn verify(
        &self,
        graph: Adjacency<'_, DynRows<'_, ()>>,
        _: &Vertices<'_>,
        found: &Components,
    ) -> Result<(), String> {
        cc::verify(graph, found).map_err(|wrong| wrong.to_string())
    }

    fn following(&self) -> Option<Box<dyn Following<'_> + '_>> {
        Some(Box::new(FollowingComponents::new(self)))
    }

    fn report<'a>(&self, found: &'a Components, vertices: &'a Vertices<'_>) -> Report<'a> {
        components(found, vertices)
    }
}

/// How components of any kind are printed, each named by its vertex of the smallest id.
pub fn components<'a>(found: &'a Components, vertices: &'a Vertices<'_>) -> Report<'a> {
    let mut report = Report::new();
    report.result("components", found.count).result("largest", found.largest);
    let names = OnceCell::new();
    report.grouped();
    report.value(move |file, vertex| {
        let names = names.get_or_init(|| vertices.ids.smallest(&found.labels));
        let label = found.labels[vertex as usize];
        write!(file, "{}", vertices.ids.label(names.get(label as usize).copied().unwrap_or(vertex)))
    });
    report
}
