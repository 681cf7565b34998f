//! Results that go on from version to version, at the cost of what changed.

use std::sync::Arc;

use numpy::PyArray1;
use parking_lot::Mutex;
use pleach::traverse::{Adjacency, Cancel, DynRows};
use pleach_algorithms::ABSENT;
use pleach_algorithms::incremental::{MovingComponents, MovingRanks, changed_sources};
use pleach_erased::{AnySnapshot, Bundled};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::arrays::array;
use crate::failure::Failure;
use crate::jobs::run_cancellable;
use crate::snapshot::{Snap, SnapshotCore};

/// A result that moves.
enum Moving {
    Components(MovingComponents),
    Ranks(MovingRanks),
}

/// What is followed.
#[derive(Clone, Copy)]
enum Kind {
    Components,
    Ranks { alpha: f64, tol: f64 },
}

impl Kind {
    fn compute(self, graph: Adjacency<'_, DynRows<'_, ()>>) -> Result<Moving, Failure> {
        Ok(match self {
            Kind::Components => Moving::Components(MovingComponents::new(graph)),
            Kind::Ranks { alpha, tol } => Moving::Ranks(MovingRanks::new(graph, alpha, tol).map_err(Failure::value)?),
        })
    }
}

/// A result, and the version that it belongs to. None while it is moved, and after that has failed.
type Kept = Mutex<Option<(Moving, Arc<Snap>)>>;

/// A result that follows the versions of a graph.
#[pyclass(frozen, module = "pleach_graph._pleach")]
pub(crate) struct FollowCore {
    kind: Kind,
    kept: Arc<Kept>,
}

/// The edges and vertices in which two versions of one graph differ; a vertex is an edge to itself.
fn changed<V: Bundled>(new: &AnySnapshot<V>, old: &AnySnapshot<V>) -> Option<Vec<(u32, u32)>> {
    let found = new.diff(old)?;
    let edges = found.added.iter().chain(&found.removed).map(|edge| (edge.from, edge.to));
    let vertices = found.vertices_added.iter().chain(&found.vertices_removed).map(|&vertex| (vertex, vertex));
    Some(edges.chain(vertices).collect())
}

fn difference(new: &Snap, old: &Snap) -> Option<Vec<(u32, u32)>> {
    match (new, old) {
        (Snap::Pattern(new), Snap::Pattern(old)) => changed(new, old),
        (Snap::Weighted(new), Snap::Weighted(old)) => changed(new, old),
        _ => None,
    }
}

fn advance(kind: Kind, kept: &Kept, snap: &Arc<Snap>, cancel: &Cancel) -> Result<(), Failure> {
    // Whoever is interrupted in the middle leaves nothing, and the next call computes it anew.
    let before = kept.lock().take();
    let moved = match before.and_then(|(moving, old)| Some((moving, difference(snap, &old)?, old))) {
        None => snap.over(cancel, |graph| kind.compute(graph))?,
        Some((mut moving, edges, old)) => {
            old.over(cancel, |before| {
                snap.over(cancel, |after| match &mut moving {
                    Moving::Components(moving) => moving.follow(before, after, &edges).map_err(Failure::value),
                    Moving::Ranks(moving) => {
                        let moved = moving.follow(before, after, &changed_sources(before, &edges));
                        moved.map(|_| ()).map_err(Failure::value)
                    }
                })
            })?;
            moving
        }
    };
    *kept.lock() = Some((moved, snap.clone()));
    Ok(())
}

#[pymethods]
impl FollowCore {
    /// Of a version: components, or with ``alpha`` and ``tol`` ranks.
    #[new]
    #[pyo3(signature = (snapshot, ranks=None))]
    fn new(py: Python<'_>, snapshot: &SnapshotCore, ranks: Option<(f64, f64)>) -> PyResult<Self> {
        let kind = ranks.map_or(Kind::Components, |(alpha, tol)| Kind::Ranks { alpha, tol });
        let found = FollowCore { kind, kept: Arc::new(Mutex::new(None)) };
        found.advance(py, snapshot)?;
        Ok(found)
    }

    /// Goes on to another version of the same graph.
    fn advance(&self, py: Python<'_>, snapshot: &SnapshotCore) -> PyResult<()> {
        let (kind, kept, snap) = (self.kind, self.kept.clone(), snapshot.0.clone());
        run_cancellable(py, None, move |cancel| advance(kind, &kept, &snap, cancel))
    }

    /// The smallest vertex of the component of each, and their number.
    fn components<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyArray1<i64>>, usize)> {
        match &*self.kept.lock() {
            Some((Moving::Components(moving), _)) => {
                let found = moving.components();
                let label = |label| if label == ABSENT { -1 } else { i64::from(label) };
                Ok((array(py, found.labels.into_iter().map(label).collect()), found.count))
            }
            _ => Err(PyRuntimeError::new_err("an interrupt left no result: follow a version again")),
        }
    }

    /// The rank of each vertex.
    fn ranks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        match &*self.kept.lock() {
            Some((Moving::Ranks(moving), _)) => Ok(array(py, moving.ranks())),
            _ => Err(PyRuntimeError::new_err("an interrupt left no result: follow a version again")),
        }
    }
}
