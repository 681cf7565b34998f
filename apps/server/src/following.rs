//! Standing results that go on from the version before, in time that grows with what changed.
//!
//! ```text
//!   result of version 17 ── what differs between 17 and 20 ──► result of version 20
//! ```
//!
//! Components and ranks go on so. Degrees take the lengths of rows and read no arcs. All other algorithms compute each version from
//! scratch.

use std::sync::Arc;

use pleach::graph::Difference;
use pleach::traverse::{Cancel, DynRows};
use pleach_algorithms::incremental::{MovingComponents, MovingRanks};
use pleach_compiled::incremental;
use pleach_erased::GraphView;
use serde_json::json;

use crate::apps::{App, Computed, Found, Question, labels, list, run, scores, view};
use crate::host::{Served, Version};
use crate::refusal::Refusal;

/// As [`PageRank`](pleach_algorithms::pagerank::PageRank) has by default.
const DAMPING: f64 = 0.85;

/// The sum of residuals at which ranks are near enough: as precise as a run that is asked for.
const TOLERANCE: f64 = 1e-10;

/// A result, and the version that it is of.
pub(crate) struct Kept<V: Served> {
    version: Arc<Version<V>>,
    moving: Moving,
}

/// What is kept of a result.
enum Moving {
    Components(MovingComponents),
    Ranks(MovingRanks),
}

/// Computes a standing result on a version, from what was kept of an earlier one if something was.
pub(crate) fn follow<V: Served>(
    version: Arc<Version<V>>,
    question: &Question,
    kept: Option<Kept<V>>,
    cancel: &Cancel,
) -> Result<(Found, Option<Kept<V>>), Refusal> {
    let snapshot = &version.snapshot;
    let has_in_arcs = !snapshot.is_directed() || snapshot.incoming_rows().is_some();
    if !matches!(question.app, App::Cc | App::Pagerank) || !has_in_arcs {
        return Ok((run(&version, question, cancel)?, None));
    }
    let before = kept.as_ref().map(|kept| kept.version.clone());
    let moving = kept.map(|kept| kept.moving);
    let difference = before.as_ref().and_then(|before| snapshot.diff(&before.snapshot));
    let (out, incoming) = rows(&version);
    let after = view(&version, &out, incoming.as_ref()).with_cancel(cancel).into();
    let (moving, computed) = match (moving, before, difference) {
        (Some(moving), Some(before), Some(difference)) => {
            let (out, incoming) = rows(&before);
            go_on(moving, view(&before, &out, incoming.as_ref()).into(), after, &changed(&difference))?
        }
        _ => begin(question.app, after)?,
    };
    let found = list(&version, question, computed)?;
    drop((out, incoming));
    Ok((found, Some(Kept { version, moving })))
}

/// The rows of a version, without weights.
type Places<'a> = DynRows<'a, ()>;

fn rows<V: Served>(version: &Version<V>) -> (Places<'_>, Option<Places<'_>>) {
    let snapshot = &version.snapshot;
    let incoming = snapshot.is_directed().then(|| snapshot.incoming_rows()).flatten();
    (snapshot.rows().into_places(), incoming.map(DynRows::into_places))
}

/// The edges that differ, and a pair `(v, v)` for each vertex that is there in one of the versions only.
fn changed<W>(difference: &Difference<W>) -> Vec<(u32, u32)> {
    let edges = difference.added.iter().chain(&difference.removed).map(|edge| (edge.from, edge.to));
    let vertices = difference.vertices_added.iter().chain(&difference.vertices_removed).map(|&vertex| (vertex, vertex));
    edges.chain(vertices).collect()
}

fn begin(app: App, graph: GraphView<'_, ()>) -> Result<(Moving, Computed), Refusal> {
    if app == App::Cc {
        let moving = incremental::components(graph);
        let found = moving.components();
        return Ok((Moving::Components(moving), labels(found)));
    }
    let moving = incremental::ranks(graph, DAMPING, TOLERANCE, None).map_err(Refusal::bad)?;
    let computed = ranked(&moving);
    Ok((Moving::Ranks(moving), computed))
}

fn go_on(
    moving: Moving,
    before: GraphView<'_, ()>,
    after: GraphView<'_, ()>,
    changed: &[(u32, u32)],
) -> Result<(Moving, Computed), Refusal> {
    match moving {
        Moving::Components(mut moving) => {
            incremental::follow_components(&mut moving, before, after, changed).map_err(Refusal::bad)?;
            let found = moving.components();
            Ok((Moving::Components(moving), labels(found)))
        }
        Moving::Ranks(mut moving) => {
            let sources = incremental::changed_sources(before, changed);
            incremental::follow_ranks(&mut moving, before, after, &sources).map_err(Refusal::bad)?;
            let computed = ranked(&moving);
            Ok((Moving::Ranks(moving), computed))
        }
    }
}

fn ranked(moving: &MovingRanks) -> Computed {
    let last = moving.last();
    let residual = moving.residual();
    let figures = json!({
        "iterations": last.iterations, "pushes": last.pushes, "residual": residual, "converged": true,
    });
    scores(figures, moving.ranks())
}
