//! One version of a graph, which never changes.

use std::ops::ControlFlow;
use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1};
use pleach::matrix::BlockRows;
use pleach::traverse::{Adjacency, Cancel, DynRows};
use pleach_erased::{AnySnapshot, Bundled};
use pyo3::prelude::*;

use crate::arrays::{array, copied};
use crate::failure::Failure;
use crate::jobs::{Threads, run};

/// A version, with weights or without.
pub(crate) enum Snap {
    Pattern(AnySnapshot<()>),
    Weighted(AnySnapshot<f64>),
}

/// The same for both.
macro_rules! each {
    ($snap:expr, $snapshot:ident => $do:expr) => {
        match $snap {
            Snap::Pattern($snapshot) => $do,
            Snap::Weighted($snapshot) => $do,
        }
    };
}

/// Why views of a version cannot fail.
const FITS: &str = "the rows of a version are square, and its vertices are among them";

/// What values are in Python: a pattern has none.
pub(crate) trait Carried: Bundled + Default {
    fn pushed(values: &mut Vec<f64>, new: &[Self]);
    fn number(self) -> f64;
    /// Rows without values.
    fn places<'m>(rows: DynRows<'m, Self>) -> DynRows<'m, ()>;
}

impl Carried for () {
    fn pushed(_: &mut Vec<f64>, _: &[Self]) {}

    fn number(self) -> f64 {
        1.0
    }

    fn places<'m>(rows: DynRows<'m, ()>) -> DynRows<'m, ()> {
        rows
    }
}

impl Carried for f64 {
    fn pushed(values: &mut Vec<f64>, new: &[f64]) {
        values.extend_from_slice(new);
    }

    fn number(self) -> f64 {
        self
    }

    fn places<'m>(rows: DynRows<'m, f64>) -> DynRows<'m, ()> {
        rows.into_places()
    }
}

impl Snap {
    /// Calls `f` with the arcs of the graph as they are, by both ends; weights are left out.
    pub fn over<T>(&self, cancel: &Cancel, f: impl FnOnce(Adjacency<'_, DynRows<'_, ()>>) -> T) -> T {
        fn view<V: Carried, T>(
            snapshot: &AnySnapshot<V>,
            cancel: &Cancel,
            f: impl FnOnce(Adjacency<'_, DynRows<'_, ()>>) -> T,
        ) -> T {
            let out = V::places(snapshot.rows());
            let incoming = snapshot.is_directed().then(|| snapshot.incoming_rows()).flatten().map(V::places);
            f(adjacency(snapshot, &out, incoming.as_ref()).with_cancel(cancel))
        }
        each!(self, snapshot => view(snapshot, cancel, f))
    }

    /// Calls `f` with the graph without directions: an arc leads both ways.
    pub fn over_undirected<T>(
        &self,
        cancel: &Cancel,
        f: impl FnOnce(Adjacency<'_, DynRows<'_, ()>>) -> T,
    ) -> Result<T, Failure> {
        fn view<V: Carried, T>(
            snapshot: &AnySnapshot<V>,
            cancel: &Cancel,
            f: impl FnOnce(Adjacency<'_, DynRows<'_, ()>>) -> T,
        ) -> Result<T, Failure> {
            let out = V::places(snapshot.rows());
            let arcs = if snapshot.is_directed() {
                let incoming = snapshot.incoming_rows().map(V::places);
                DynRows::symmetric(out, incoming.ok_or_else(|| Failure::value("the graph keeps no in-arcs"))?)
            } else {
                out
            };
            let graph = Adjacency::assume_undirected(&arcs).and_then(|graph| graph.among(snapshot.vertex_set()));
            Ok(f(graph.expect(FITS).with_cancel(cancel)))
        }
        each!(self, snapshot => view(snapshot, cancel, f))
    }
}

/// A version as algorithms traverse it.
pub(crate) fn adjacency<'a, 'm, V: Bundled, W: pleach::runtime::Value>(
    snapshot: &'a AnySnapshot<V>,
    out: &'a DynRows<'m, W>,
    incoming: Option<&'a DynRows<'m, W>>,
) -> Adjacency<'a, DynRows<'m, W>> {
    let graph = match incoming {
        Some(incoming) => Adjacency::assume_directed(out, incoming),
        None if snapshot.is_directed() => Adjacency::outward(out),
        None => Adjacency::assume_undirected(out),
    };
    graph.and_then(|graph| graph.among(snapshot.vertex_set())).expect(FITS)
}

/// A version of a graph.
#[pyclass(frozen, module = "pleach_graph._pleach")]
pub(crate) struct SnapshotCore(pub(crate) Arc<Snap>);

impl SnapshotCore {
    pub fn of(snap: Snap) -> Self {
        SnapshotCore(Arc::new(snap))
    }
}

/// Offsets of rows, coordinates and values.
type Arrays<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>, Option<Bound<'py, PyArray1<f64>>>);

/// Sources, targets and weights.
type Columns<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, Option<Bound<'py, PyArray1<f64>>>);

#[pymethods]
impl SnapshotCore {
    /// The number of batches that this version holds.
    #[getter]
    fn version(&self) -> u64 {
        each!(&*self.0, snapshot => snapshot.version())
    }

    /// Whether edges have a direction.
    #[getter]
    fn directed(&self) -> bool {
        each!(&*self.0, snapshot => snapshot.is_directed())
    }

    /// Whether edges have weights.
    #[getter]
    fn weighted(&self) -> bool {
        matches!(&*self.0, Snap::Weighted(_))
    }

    /// One more than the largest number of a vertex.
    #[getter]
    fn num_rows(&self) -> usize {
        each!(&*self.0, snapshot => snapshot.num_rows())
    }

    /// Number of vertices.
    #[getter]
    fn num_vertices(&self) -> usize {
        each!(&*self.0, snapshot => snapshot.num_vertices())
    }

    /// Number of edges; an undirected one counts once.
    #[getter]
    fn num_edges(&self) -> u64 {
        each!(&*self.0, snapshot => snapshot.num_edges())
    }

    /// Bytes of all rows.
    #[getter]
    fn nbytes(&self) -> usize {
        each!(&*self.0, snapshot => snapshot.footprint().bytes)
    }

    /// Whether a number is a vertex.
    fn has_vertex(&self, vertex: u32) -> bool {
        each!(&*self.0, snapshot => snapshot.has_vertex(vertex))
    }

    /// The numbers of the vertices, ascending; ``None`` if they are all below ``num_rows``.
    fn vertices<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<u32>>> {
        each!(&*self.0, snapshot => {
            let all = snapshot.num_vertices() == snapshot.num_rows();
            (!all).then(|| array(py, snapshot.vertices().collect()))
        })
    }

    /// Targets of the arcs that lead out of a vertex (with ``incoming``, sources of those that lead into it), ascending, and their weights.
    fn neighbors<'py>(
        &self,
        py: Python<'py>,
        vertex: u32,
        incoming: bool,
    ) -> (Bound<'py, PyArray1<u32>>, Option<Bound<'py, PyArray1<f64>>>) {
        fn row<V: Carried>(snapshot: &AnySnapshot<V>, vertex: u32, incoming: bool) -> (Vec<u32>, Vec<f64>) {
            if vertex as usize >= snapshot.num_rows() {
                return (Vec::new(), Vec::new());
            }
            let pair = |(to, weight): (u32, V)| (to, weight.number());
            match incoming.then(|| snapshot.in_neighbors(vertex)).flatten() {
                Some(sources) => sources.map(pair).unzip(),
                None => snapshot.neighbors(vertex).map(pair).unzip(),
            }
        }
        let (coords, values) = each!(&*self.0, snapshot => row(snapshot, vertex, incoming));
        (array(py, coords), self.weighted().then(|| array(py, values)))
    }

    /// Number of arcs that lead out of a vertex, or with ``incoming`` into it.
    fn degree(&self, vertex: u32, incoming: bool) -> usize {
        each!(&*self.0, snapshot => {
            if vertex as usize >= snapshot.num_rows() {
                return 0;
            }
            let sources = incoming.then(|| snapshot.in_degree(vertex)).flatten();
            sources.unwrap_or_else(|| snapshot.out_degree(vertex))
        })
    }

    /// The weight of an edge, 1 where edges have none; ``None`` if there is no such edge.
    fn weight(&self, src: u32, dst: u32) -> Option<f64> {
        each!(&*self.0, snapshot => {
            let inside = (src as usize) < snapshot.num_rows() && (dst as usize) < snapshot.num_rows();
            inside.then(|| snapshot.weight(src, dst)).flatten().map(Carried::number)
        })
    }

    /// The weights of many edges, NaN where there is no such edge.
    fn weights<'py>(
        &self,
        py: Python<'py>,
        src: PyReadonlyArray1<'_, u32>,
        dst: PyReadonlyArray1<'_, u32>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (snap, src, dst) = (self.0.clone(), copied("src", &src)?, copied("dst", &dst)?);
        let found = run(py, None, move || {
            let rows = each!(&*snap, snapshot => snapshot.num_rows());
            let weight = |(&src, &dst): (&u32, &u32)| {
                let inside = (src as usize) < rows && (dst as usize) < rows;
                let weight = || each!(&*snap, snapshot => snapshot.weight(src, dst).map(Carried::number));
                inside.then(weight).flatten().unwrap_or(f64::NAN)
            };
            Ok(src.iter().zip(&dst).map(weight).collect())
        })?;
        Ok(array(py, found))
    }

    /// All arcs by their sources, or with ``incoming`` by their targets: compressed sparse rows.
    #[pyo3(signature = (incoming=false, threads=None))]
    fn arcs<'py>(&self, py: Python<'py>, incoming: bool, threads: Option<Threads>) -> PyResult<Arrays<'py>> {
        fn arrays<V: Carried>(
            snapshot: &AnySnapshot<V>,
            incoming: bool,
        ) -> Result<(Vec<i64>, Vec<i32>, Vec<f64>), Failure> {
            let rows = snapshot.num_rows();
            if rows > i32::MAX as usize {
                return Err(Failure::value("more than 2147483647 vertices do not fit 32-bit indices of SciPy"));
            }
            let arcs = snapshot.num_arcs() as usize;
            let mut offsets = vec![0i64; rows + 1];
            let mut coords: Vec<i32> = Vec::with_capacity(arcs);
            let mut values = Vec::with_capacity(if size_of::<V>() == 0 { 0 } else { arcs });
            let incoming = incoming && snapshot.is_directed();
            let _ = snapshot.each_block(incoming, 1 << 16, &mut |_, block: BlockRows<'_, V>| {
                for (&row, &len) in block.rows.iter().zip(block.lens) {
                    offsets[row as usize + 1] = i64::from(len);
                }
                coords.extend(block.coords.iter().map(|&coord| coord as i32));
                V::pushed(&mut values, block.values);
                ControlFlow::Continue(())
            });
            let mut sum = 0;
            offsets.iter_mut().for_each(|offset| {
                sum += *offset;
                *offset = sum;
            });
            Ok((offsets, coords, values))
        }
        let snap = self.0.clone();
        let (offsets, coords, values) =
            run(py, threads, move || each!(&*snap, snapshot => arrays(snapshot, incoming)))?;
        let values = self.weighted().then(|| array(py, values));
        Ok((array(py, offsets), array(py, coords), values))
    }

    /// All edges, ascending; an undirected one comes once, its smaller end first.
    fn edges<'py>(&self, py: Python<'py>) -> PyResult<Columns<'py>> {
        let snap = self.0.clone();
        let (src, dst, weight) = run(py, None, move || {
            let (mut src, mut dst, mut weight) = (Vec::new(), Vec::new(), Vec::new());
            match &*snap {
                Snap::Pattern(snapshot) => snapshot.for_each_edge(|from, to, ()| {
                    src.push(from);
                    dst.push(to);
                }),
                Snap::Weighted(snapshot) => snapshot.for_each_edge(|from, to, value| {
                    src.push(from);
                    dst.push(to);
                    weight.push(value);
                }),
            }
            Ok((src, dst, weight))
        })?;
        Ok((array(py, src), array(py, dst), self.weighted().then(|| array(py, weight))))
    }

    /// What differs from an older version: edges added, removed and with another weight (sources, targets, weights), and vertices added and
    /// removed. ``None`` if the two are versions of different graphs.
    fn diff<'py>(
        &self,
        py: Python<'py>,
        older: &Self,
    ) -> PyResult<
        Option<(
            [(Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f64>>); 3],
            [Bound<'py, PyArray1<u32>>; 2],
        )>,
    > {
        type Edges = (Vec<u32>, Vec<u32>, Vec<f64>);
        fn differs<V: Carried>(new: &AnySnapshot<V>, old: &AnySnapshot<V>) -> Option<([Edges; 3], [Vec<u32>; 2])> {
            let found = new.diff(old)?;
            let list = |edges: &[pleach::graph::Edge<V>]| -> Edges {
                let mut columns = (Vec::new(), Vec::new(), Vec::new());
                for edge in edges {
                    columns.0.push(edge.from);
                    columns.1.push(edge.to);
                    columns.2.push(edge.weight.number());
                }
                columns
            };
            let mut changed = (Vec::new(), Vec::new(), Vec::new());
            for edge in &found.reweighted {
                changed.0.push(edge.from);
                changed.1.push(edge.to);
                changed.2.push(edge.after.number());
            }
            let edges = [list(&found.added), list(&found.removed), changed];
            Some((edges, [found.vertices_added, found.vertices_removed]))
        }
        let (new, old) = (self.0.clone(), older.0.clone());
        let found = run(py, None, move || {
            Ok(match (&*new, &*old) {
                (Snap::Pattern(new), Snap::Pattern(old)) => differs(new, old),
                (Snap::Weighted(new), Snap::Weighted(old)) => differs(new, old),
                _ => None,
            })
        })?;
        Ok(found.map(|(edges, vertices)| {
            let edges = edges.map(|(src, dst, weight)| (array(py, src), array(py, dst), array(py, weight)));
            (edges, vertices.map(|vertices| array(py, vertices)))
        }))
    }
}
