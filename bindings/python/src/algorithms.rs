//! Algorithms on a version. Results are arrays by the numbers of vertices; the Python part knows what these are called.

use std::sync::Arc;

use numpy::PyArray1;
use pleach::traverse::{Adjacency, DynRows};
use pleach_algorithms::bc::{bc, sample};
use pleach_algorithms::bfs::{UNREACHED, bfs};
use pleach_algorithms::cc::{Components, components};
use pleach_algorithms::cdlp::{Cdlp, cdlp};
use pleach_algorithms::coloring::coloring;
use pleach_algorithms::diameter::{Diameter, diameter};
use pleach_algorithms::kcore::kcore;
use pleach_algorithms::khop::khop;
use pleach_algorithms::ktruss::ktruss;
use pleach_algorithms::lcc::lcc;
use pleach_algorithms::mis::{Mis, mis};
use pleach_algorithms::msf::msf;
use pleach_algorithms::nibble::{Nibble, nibble};
use pleach_algorithms::pagerank::{PageRank, Stop, pagerank_weighted};
use pleach_algorithms::scc::scc;
use pleach_algorithms::sssp::{Sssp, sssp};
use pleach_algorithms::tc::triangles;
use pyo3::prelude::*;

use crate::arrays::{Given, array, counts, given};
use crate::centralities::weighed;
use crate::failure::Failure;
use crate::jobs::{Threads, run_cancellable};
use crate::snapshot::{Snap, SnapshotCore, adjacency};

type Floats<'py> = Bound<'py, PyArray1<f64>>;
type Numbers<'py> = Bound<'py, PyArray1<u32>>;
type Signed<'py> = Bound<'py, PyArray1<i64>>;

/// The view on which algorithms are compiled, once for all stores.
type View<'a, 'm> = Adjacency<'a, DynRows<'m, ()>>;

/// The algorithms on one version.
#[pyclass(frozen, module = "pleach_graph._pleach")]
pub(crate) struct AlgorithmsCore(Arc<Snap>);

impl AlgorithmsCore {
    /// Computes on the graph as it is.
    fn on<T: Send + 'static>(
        &self,
        py: Python<'_>,
        threads: Option<Threads>,
        f: impl FnOnce(View<'_, '_>) -> Result<T, Failure> + Send + 'static,
    ) -> PyResult<T> {
        let snap = self.0.clone();
        run_cancellable(py, threads, move |cancel| snap.over(cancel, f))
    }

    /// Computes on the graph without directions.
    fn on_undirected<T: Send + 'static>(
        &self,
        py: Python<'_>,
        threads: Option<Threads>,
        f: impl FnOnce(View<'_, '_>) -> Result<T, Failure> + Send + 'static,
    ) -> PyResult<T> {
        let snap = self.0.clone();
        run_cancellable(py, threads, move |cancel| snap.over_undirected(cancel, f)?)
    }
}

/// Distances and parents with -1 where there is none.
fn signed(py: Python<'_>, values: Vec<u32>) -> Signed<'_> {
    array(py, values.into_iter().map(|value| if value == UNREACHED { -1 } else { i64::from(value) }).collect())
}

fn labels<'py>(py: Python<'py>, found: Components) -> (Signed<'py>, usize) {
    (signed(py, found.labels), found.count)
}

#[pymethods]
impl AlgorithmsCore {
    /// Of a version.
    #[new]
    fn new(snapshot: &SnapshotCore) -> Self {
        AlgorithmsCore(snapshot.0.clone())
    }

    /// Depths, parents, and the number of vertices at each depth.
    #[pyo3(signature = (source, reverse=false, threads=None))]
    fn bfs<'py>(
        &self,
        py: Python<'py>,
        source: u32,
        reverse: bool,
        threads: Option<Threads>,
    ) -> PyResult<(Signed<'py>, Signed<'py>, Signed<'py>)> {
        let found = self.on(py, threads, move |graph| {
            let graph = if reverse { graph.reversed() } else { Some(graph) };
            bfs(graph.ok_or_else(|| Failure::value("the graph keeps no in-arcs"))?, source).map_err(Failure::value)
        })?;
        Ok((signed(py, found.depths), signed(py, found.parents), counts(py, found.levels)))
    }

    /// Distances by weight (by arcs where there are none), infinite where there is no path.
    #[pyo3(signature = (source, delta=None, threads=None))]
    fn sssp<'py>(
        &self,
        py: Python<'py>,
        source: u32,
        delta: Option<f64>,
        threads: Option<Threads>,
    ) -> PyResult<Floats<'py>> {
        let snap = self.0.clone();
        let found = run_cancellable(py, threads, move |cancel| match &*snap {
            Snap::Pattern(_) => {
                let found = snap.over(cancel, |graph| bfs(graph, source)).map_err(Failure::value)?;
                let far = |depth| if depth == UNREACHED { f64::INFINITY } else { f64::from(depth) };
                Ok(found.depths.into_iter().map(far).collect())
            }
            Snap::Weighted(snapshot) => {
                let out = snapshot.rows();
                let incoming = snapshot.is_directed().then(|| snapshot.incoming_rows()).flatten();
                let graph = adjacency(snapshot, &out, incoming.as_ref()).with_cancel(cancel);
                let options = Sssp::default().with_delta(delta);
                Ok(sssp(graph, source, &options).map_err(Failure::value)?.distances)
            }
        })?;
        Ok(array(py, found))
    }

    /// Distances of at most ``hops`` from the nearest of some vertices.
    #[pyo3(signature = (sources, hops, threads=None))]
    fn khop<'py>(
        &self,
        py: Python<'py>,
        sources: Vec<u32>,
        hops: usize,
        threads: Option<Threads>,
    ) -> PyResult<Signed<'py>> {
        let found = self.on(py, threads, move |graph| khop(graph, &sources, hops).map_err(Failure::value))?;
        Ok(signed(py, found.distances))
    }

    /// The smallest vertex of the component of each, and their number.
    #[pyo3(signature = (strong=false, threads=None))]
    fn components<'py>(
        &self,
        py: Python<'py>,
        strong: bool,
        threads: Option<Threads>,
    ) -> PyResult<(Signed<'py>, usize)> {
        let found = self.on(py, threads, move |graph| {
            if strong && graph.is_directed() { scc(graph).map_err(Failure::value) } else { Ok(components(graph)) }
        })?;
        Ok(labels(py, found))
    }

    /// Ranks, iterations, residual, and whether it converged. `teleport`, `start` and `dangling` are arrays of vertices and of their weights.
    #[pyo3(signature = (alpha, tol, max_iter, weighted, teleport=None, start=None, dangling=None, threads=None))]
    #[expect(clippy::too_many_arguments, reason = "options of one algorithm")]
    fn pagerank<'py>(
        &self,
        py: Python<'py>,
        alpha: f64,
        tol: f64,
        max_iter: usize,
        weighted: bool,
        teleport: Option<Given<'py>>,
        start: Option<Given<'py>>,
        dangling: Option<Given<'py>>,
        threads: Option<Threads>,
    ) -> PyResult<(Floats<'py>, usize, f64, bool)> {
        let stop = Stop::Tolerance { change: tol, most: max_iter };
        let options = PageRank::default().with_damping(alpha).with_stop(stop);
        let options = options.with_personalisation(given(teleport)?).with_start(given(start)?);
        let options = options.with_dangling(given(dangling)?);
        // Without weights, too: each iteration reads the copy of the arcs, which is faster than rows of any store.
        let found =
            weighed!(self, py, threads, weighted, |graph| pagerank_weighted(graph, &options).map_err(Failure::value))?;
        Ok((array(py, found.ranks), found.iterations, found.residual, found.converged))
    }

    /// Betweenness by searches from the sources; an undirected graph's pairs count twice.
    #[pyo3(signature = (sources, threads=None))]
    fn betweenness<'py>(&self, py: Python<'py>, sources: Vec<u32>, threads: Option<Threads>) -> PyResult<Floats<'py>> {
        let found = self.on(py, threads, move |graph| bc(graph, &sources).map_err(Failure::value))?;
        Ok(array(py, found.scores))
    }

    /// The label of each vertex after some rounds of label propagation.
    #[pyo3(signature = (max_iter, threads=None))]
    fn label_propagation<'py>(
        &self,
        py: Python<'py>,
        max_iter: usize,
        threads: Option<Threads>,
    ) -> PyResult<(Signed<'py>, usize)> {
        let options = Cdlp::default().with_iterations(max_iter);
        let found = self.on(py, threads, move |graph| cdlp(graph, &options).map_err(Failure::value))?;
        Ok((signed(py, found.labels), found.count))
    }

    /// A colour for each vertex, and their number.
    #[pyo3(signature = (threads=None))]
    fn coloring<'py>(&self, py: Python<'py>, threads: Option<Threads>) -> PyResult<(Signed<'py>, u32)> {
        let found = self.on_undirected(py, threads, |graph| coloring(graph).map_err(Failure::value))?;
        Ok((signed(py, found.colors), found.count))
    }

    /// Bounds of the diameter, and the ends of a path as long as the lower one.
    #[pyo3(signature = (searches, threads=None))]
    fn diameter(
        &self,
        py: Python<'_>,
        searches: usize,
        threads: Option<Threads>,
    ) -> PyResult<(u32, u32, Option<(u32, u32)>)> {
        let options = Diameter::default().with_searches(searches);
        let found = self.on_undirected(py, threads, move |graph| diameter(graph, &options).map_err(Failure::value))?;
        Ok((found.least, found.most, found.ends))
    }

    /// The core number of each vertex.
    #[pyo3(signature = (threads=None))]
    fn core_number<'py>(&self, py: Python<'py>, threads: Option<Threads>) -> PyResult<Numbers<'py>> {
        let found = self.on_undirected(py, threads, |graph| kcore(graph).map_err(Failure::value))?;
        Ok(array(py, found.coreness))
    }

    /// The truss number of each vertex; edges (two columns) and theirs.
    #[pyo3(signature = (threads=None))]
    fn truss_number<'py>(
        &self,
        py: Python<'py>,
        threads: Option<Threads>,
    ) -> PyResult<(Numbers<'py>, Numbers<'py>, Numbers<'py>, Numbers<'py>)> {
        let found = self.on_undirected(py, threads, |graph| ktruss(graph).map_err(Failure::value))?;
        let (src, dst) = found.edges.into_iter().unzip();
        Ok((array(py, found.vertices), array(py, src), array(py, dst), array(py, found.trussness)))
    }

    /// Local clustering coefficients, and their mean.
    #[pyo3(signature = (threads=None))]
    fn clustering<'py>(&self, py: Python<'py>, threads: Option<Threads>) -> PyResult<(Floats<'py>, f64)> {
        let found = self.on_undirected(py, threads, |graph| lcc(graph).map_err(Failure::value))?;
        Ok((array(py, found.coefficients), found.mean))
    }

    /// Whether each vertex is in a maximal independent set.
    #[pyo3(signature = (seed, threads=None))]
    fn independent_set<'py>(
        &self,
        py: Python<'py>,
        seed: u64,
        threads: Option<Threads>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let options = Mis::default().with_seed(seed);
        let found = self.on_undirected(py, threads, move |graph| mis(graph, &options).map_err(Failure::value))?;
        Ok(array(py, found.members))
    }

    /// The edges of a minimum spanning forest: sources, targets, weights.
    #[pyo3(signature = (threads=None))]
    fn spanning_forest<'py>(
        &self,
        py: Python<'py>,
        threads: Option<Threads>,
    ) -> PyResult<(Numbers<'py>, Numbers<'py>, Floats<'py>)> {
        let snap = self.0.clone();
        let edges = run_cancellable(py, threads, move |cancel| match &*snap {
            Snap::Weighted(snapshot) => {
                let rows = snapshot.rows();
                Ok(msf(adjacency(snapshot, &rows, None).with_cancel(cancel)).map_err(Failure::value)?.edges)
            }
            Snap::Pattern(_) => Err(Failure::value("the edges of this graph have no weights")),
        })?;
        let (mut src, mut dst, mut weight) = (Vec::new(), Vec::new(), Vec::new());
        for (from, to, value) in edges {
            src.push(from);
            dst.push(to);
            weight.push(value);
        }
        Ok((array(py, src), array(py, dst), array(py, weight)))
    }

    /// The members of a local cluster around a vertex, and its conductance.
    #[pyo3(signature = (source, alpha, epsilon, threads=None))]
    fn local_cluster<'py>(
        &self,
        py: Python<'py>,
        source: u32,
        alpha: f64,
        epsilon: f64,
        threads: Option<Threads>,
    ) -> PyResult<(Numbers<'py>, f64)> {
        let options = Nibble::default().with_alpha(alpha).with_epsilon(epsilon);
        let found =
            self.on_undirected(py, threads, move |graph| nibble(graph, source, &options).map_err(Failure::value))?;
        Ok((array(py, found.members), found.conductance))
    }

    /// The number of triangles.
    #[pyo3(signature = (threads=None))]
    fn triangles(&self, py: Python<'_>, threads: Option<Threads>) -> PyResult<u64> {
        Ok(self.on_undirected(py, threads, |graph| triangles(graph).map_err(Failure::value))?.count)
    }
}

/// So many of some vertices, drawn at random without repetition.
#[pyfunction]
pub(crate) fn sample_vertices(vertices: usize, count: usize, seed: u64) -> Vec<u32> {
    sample(vertices, count.min(vertices), seed)
}
