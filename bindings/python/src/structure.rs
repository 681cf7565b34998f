//! Cuts, orders, likeness, paths and walks.

use numpy::{PyArray1, PyReadonlyArray1};
use pleach_algorithms::similarity::similarity as alike;
use pleach_algorithms::sssp::{Sssp, predecessors, sssp};
use pleach_algorithms::topological::{OrderError, topological as sorted};
use pleach_algorithms::walks::{Walks, walks as wander};
use pleach_algorithms::{ABSENT, cuts as falls_apart};
use pyo3::prelude::*;

use crate::arrays::{array, copied};
use crate::centralities::weighed;
use crate::failure::Failure;
use crate::jobs::{Threads, run_cancellable};
use crate::snapshot::{Snap, SnapshotCore, adjacency};

type Numbers<'py> = Bound<'py, PyArray1<u32>>;
type Signed<'py> = Bound<'py, PyArray1<i64>>;
type Floats<'py> = Bound<'py, PyArray1<f64>>;

fn signed(py: Python<'_>, values: Vec<u32>) -> Signed<'_> {
    array(py, values.into_iter().map(|value| if value == ABSENT { -1 } else { i64::from(value) }).collect())
}

/// Bridges in two columns, and whether each vertex is an articulation point. Directions are ignored.
#[pyfunction]
#[pyo3(signature = (snapshot, threads=None))]
pub(crate) fn cuts<'py>(
    py: Python<'py>,
    snapshot: &SnapshotCore,
    threads: Option<Threads>,
) -> PyResult<(Numbers<'py>, Numbers<'py>, Bound<'py, PyArray1<bool>>)> {
    let snap = snapshot.0.clone();
    let found = run_cancellable(py, threads, move |cancel| {
        snap.over_undirected(cancel, |graph| falls_apart::cuts(graph).map_err(Failure::value))?
    })?;
    let (src, dst) = found.bridges.into_iter().unzip();
    Ok((array(py, src), array(py, dst), array(py, found.articulation)))
}

/// Vertices in topological order, and the generation of each vertex; or a vertex of a cycle.
#[pyfunction]
#[pyo3(signature = (snapshot, threads=None))]
pub(crate) fn topological<'py>(
    py: Python<'py>,
    snapshot: &SnapshotCore,
    threads: Option<Threads>,
) -> PyResult<(Numbers<'py>, Signed<'py>, Option<u32>)> {
    let snap = snapshot.0.clone();
    let found = run_cancellable(py, threads, move |cancel| match snap.over(cancel, |graph| sorted(graph)) {
        Ok(found) => Ok((found.order, found.generations, None)),
        Err(OrderError::Cycle { vertex }) => Ok((Vec::new(), Vec::new(), Some(vertex))),
        Err(error) => Err(Failure::value(error)),
    })?;
    Ok((array(py, found.0), signed(py, found.1), found.2))
}

/// Common neighbours of pairs of vertices, and their Jaccard and overlap coefficients.
#[pyfunction]
#[pyo3(signature = (snapshot, u, v, threads=None))]
pub(crate) fn similarity<'py>(
    py: Python<'py>,
    snapshot: &SnapshotCore,
    u: PyReadonlyArray1<'_, u32>,
    v: PyReadonlyArray1<'_, u32>,
    threads: Option<Threads>,
) -> PyResult<(Numbers<'py>, Floats<'py>, Floats<'py>)> {
    let pairs: Vec<(u32, u32)> = copied("u", &u)?.into_iter().zip(copied("v", &v)?).collect();
    let snap = snapshot.0.clone();
    let found = run_cancellable(py, threads, move |cancel| {
        snap.over(cancel, |graph| alike(graph, &pairs)).map_err(Failure::value)
    })?;
    let common = found.iter().map(|likeness| likeness.common).collect();
    let jaccard = found.iter().map(|likeness| likeness.jaccard).collect();
    let overlap = found.iter().map(|likeness| likeness.overlap).collect();
    Ok((array(py, common), array(py, jaccard), array(py, overlap)))
}

/// Distances by weight, and the vertex before each on a shortest path; edges are followed backwards if ``reverse`` is true. The graph has weights.
#[pyfunction]
#[pyo3(signature = (snapshot, source, reverse=false, threads=None))]
pub(crate) fn paths<'py>(
    py: Python<'py>,
    snapshot: &SnapshotCore,
    source: u32,
    reverse: bool,
    threads: Option<Threads>,
) -> PyResult<(Floats<'py>, Signed<'py>)> {
    let snap = snapshot.0.clone();
    let (distances, before) = run_cancellable(py, threads, move |cancel| match &*snap {
        Snap::Pattern(_) => Err(Failure::value("the edges of this graph have no weights")),
        Snap::Weighted(snapshot) => {
            let out = snapshot.rows();
            let incoming = snapshot.is_directed().then(|| snapshot.incoming_rows()).flatten();
            let graph = adjacency(snapshot, &out, incoming.as_ref()).with_cancel(cancel);
            let graph = if reverse { graph.reversed() } else { Some(graph) };
            let graph = graph.ok_or_else(|| Failure::value("the graph keeps no in-arcs"))?;
            let found = sssp(graph, source, &Sssp::default()).map_err(Failure::value)?.distances;
            let before = predecessors(graph, source, &found);
            Ok((found, before))
        }
    })?;
    Ok((array(py, distances), signed(py, before)))
}

/// Random walks, one after the other; -1 behind the end of one that ends early.
#[pyfunction]
#[pyo3(signature = (snapshot, starts, length, p, q, seed, weighted, threads=None))]
#[expect(clippy::too_many_arguments, reason = "options of one algorithm")]
pub(crate) fn walks<'py>(
    py: Python<'py>,
    snapshot: &SnapshotCore,
    starts: PyReadonlyArray1<'_, u32>,
    length: usize,
    p: f64,
    q: f64,
    seed: u64,
    weighted: bool,
    threads: Option<Threads>,
) -> PyResult<Signed<'py>> {
    let starts = copied("starts", &starts)?;
    let options = Walks::default().with_length(length).with_bias(p, q).with_seed(seed);
    let found =
        weighed!(snapshot, py, threads, weighted, |graph| wander(graph, &starts, &options).map_err(Failure::value))?;
    Ok(signed(py, found))
}
