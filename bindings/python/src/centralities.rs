//! Importance by distances and by products with the matrix, and communities.

use numpy::PyArray1;
use pleach_algorithms::closeness::{Closeness, closeness_weighted};
use pleach_algorithms::louvain::{Louvain, louvain as modules};
use pleach_algorithms::spectral::{Scores, Spectral, SpectralError};
use pleach_algorithms::{ABSENT, spectral};
use pyo3::prelude::*;

use crate::arrays::{Given, array, given};
use crate::failure::Failure;
use crate::jobs::{Threads, run_cancellable};
use crate::snapshot::{Snap, SnapshotCore, adjacency};

type Floats<'py> = Bound<'py, PyArray1<f64>>;

/// Computes on rows with weights if the graph has them and they are wanted, else on those without.
macro_rules! weighed {
    ($core:expr, $py:expr, $threads:expr, $weighted:expr, |$graph:ident| $do:expr) => {{
        let snap = $core.0.clone();
        let weighted = $weighted;
        run_cancellable($py, $threads, move |cancel| match &*snap {
            Snap::Weighted(snapshot) if weighted => {
                let out = snapshot.rows();
                let incoming = snapshot.is_directed().then(|| snapshot.incoming_rows()).flatten();
                let $graph = adjacency(snapshot, &out, incoming.as_ref()).with_cancel(cancel);
                $do
            }
            _ => snap.over(cancel, |$graph| $do),
        })
    }};
}
pub(crate) use weighed;

/// Closeness and harmonic centrality of each vertex. With `weighted`, the weights of edges are their lengths.
#[pyfunction]
#[pyo3(signature = (snapshot, scaled, weighted, threads=None))]
pub(crate) fn closeness<'py>(
    py: Python<'py>,
    snapshot: &SnapshotCore,
    scaled: bool,
    weighted: bool,
    threads: Option<Threads>,
) -> PyResult<(Floats<'py>, Floats<'py>)> {
    let options = Closeness::default().with_scaled(scaled);
    let found =
        weighed!(snapshot, py, threads, weighted, |graph| closeness_weighted(graph, &options).map_err(Failure::value))?;
    Ok((array(py, found.closeness), array(py, found.harmonic)))
}

fn options(tol: f64, max_iter: usize) -> Spectral {
    Spectral::default().with_tolerance(tol).with_iterations(max_iter)
}

fn scores<'py>(py: Python<'py>, found: Scores) -> (Floats<'py>, usize, bool) {
    (array(py, found.scores), found.iterations, found.converged)
}

fn failure(error: SpectralError) -> Failure {
    match error {
        SpectralError::Diverges(_) => Failure::Overflow(error.to_string()),
        _ => Failure::value(error),
    }
}

/// Eigenvector centralities, iterations, and whether they converged.
#[pyfunction]
#[pyo3(signature = (snapshot, tol, max_iter, start, weighted, threads=None))]
pub(crate) fn eigenvector<'py>(
    py: Python<'py>,
    snapshot: &SnapshotCore,
    tol: f64,
    max_iter: usize,
    start: Option<Given<'py>>,
    weighted: bool,
    threads: Option<Threads>,
) -> PyResult<(Floats<'py>, usize, bool)> {
    let options = options(tol, max_iter).with_start(given(start)?);
    let found =
        weighed!(snapshot, py, threads, weighted, |graph| spectral::eigenvector(graph, &options).map_err(failure))?;
    Ok(scores(py, found))
}

/// Katz centralities, iterations, and whether they converged. `betas` are those of single vertices; all others have `beta`.
#[pyfunction]
#[pyo3(signature = (snapshot, alpha, beta, betas, tol, max_iter, start, normalized, weighted, threads=None))]
#[expect(clippy::too_many_arguments, reason = "options of one algorithm")]
pub(crate) fn katz<'py>(
    py: Python<'py>,
    snapshot: &SnapshotCore,
    alpha: f64,
    beta: f64,
    betas: Option<Given<'py>>,
    tol: f64,
    max_iter: usize,
    start: Option<Given<'py>>,
    normalized: bool,
    weighted: bool,
    threads: Option<Threads>,
) -> PyResult<(Floats<'py>, usize, bool)> {
    let options = options(tol, max_iter).with_katz(alpha, beta).with_betas(given(betas)?);
    let options = options.with_start(given(start)?).with_normalised(normalized);
    let found = weighed!(snapshot, py, threads, weighted, |graph| spectral::katz(graph, &options).map_err(failure))?;
    Ok(scores(py, found))
}

/// Hubs, authorities, iterations, and whether they converged.
#[pyfunction]
#[pyo3(signature = (snapshot, tol, max_iter, weighted, threads=None))]
pub(crate) fn hits<'py>(
    py: Python<'py>,
    snapshot: &SnapshotCore,
    tol: f64,
    max_iter: usize,
    weighted: bool,
    threads: Option<Threads>,
) -> PyResult<(Floats<'py>, Floats<'py>, usize, bool)> {
    let options = options(tol, max_iter);
    let found = weighed!(snapshot, py, threads, weighted, |graph| spectral::hits(graph, &options).map_err(failure))?;
    Ok((array(py, found.hubs), array(py, found.authorities), found.iterations, found.converged))
}

/// Communities by Louvain, or with ``rounds`` by Leiden in so many, in at most so many levels: labels, their modularity, and the levels that gained.
#[pyfunction]
#[pyo3(signature = (snapshot, resolution, threshold, seed, rounds, levels, weighted, threads=None))]
#[expect(clippy::too_many_arguments, reason = "options of one algorithm")]
pub(crate) fn louvain<'py>(
    py: Python<'py>,
    snapshot: &SnapshotCore,
    resolution: f64,
    threshold: f64,
    seed: u64,
    rounds: Option<usize>,
    levels: Option<usize>,
    weighted: bool,
    threads: Option<Threads>,
) -> PyResult<(Bound<'py, PyArray1<i64>>, f64, usize)> {
    let options = Louvain::default().with_resolution(resolution).with_threshold(threshold);
    let options = options.with_seed(seed).with_refine(rounds.is_some()).with_rounds(rounds.unwrap_or(1));
    let options = options.with_levels(levels.unwrap_or(usize::MAX));
    let found = weighed!(snapshot, py, threads, weighted, |graph| modules(graph, &options).map_err(Failure::value))?;
    let label = |label| if label == ABSENT { -1 } else { i64::from(label) };
    Ok((array(py, found.labels.into_iter().map(label).collect()), found.modularity, found.levels))
}
