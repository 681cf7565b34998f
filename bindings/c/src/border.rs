//! The functions that C calls, documented for their callers in `include/pleach.h`.
//!
//! Results go to references that may be null and whose memory need not be initialised: `Option<&mut MaybeUninit<T>>` is such a pointer, and
//! needs no `unsafe`. Only arrays do, since their lengths come apart from them. Every function is marked `unsafe(no_mangle)`; no other
//! library may define functions whose names begin with `pleach_`.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::slice;

use crate::changes::EdgeChange;
use crate::failure::{Failure, Status, guard, last_message};
use crate::graph::AnyGraph;
use crate::handles::{HANDLES, Object};
use crate::snapshot::AnySnapshot;

/// The handle of a graph.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PleachGraph {
    /// Zero names nothing.
    pub id: u64,
}

/// The handle of a snapshot.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PleachSnapshot {
    /// Zero names nothing.
    pub id: u64,
}

/// A result that the caller may leave out.
type Optional<'a, T> = Option<&'a mut MaybeUninit<T>>;

/// A result that the caller must have room for.
fn needed<'a, T>(out: Optional<'a, T>, name: &str) -> Result<&'a mut MaybeUninit<T>, Failure> {
    out.ok_or_else(|| null(name))
}

fn null(name: &str) -> Failure {
    Failure::new(Status::NullPointer, format!("`{name}` is a null pointer"))
}

fn give<T>(out: Optional<'_, T>, value: T) {
    if let Some(out) = out {
        out.write(value);
    }
}

/// Refuses what cannot be an array. One of no elements may be a null pointer.
fn check_array<T>(array: *const T, len: usize, name: &str) -> Result<(), Failure> {
    if len == 0 {
        return Ok(());
    }
    if array.is_null() {
        return Err(null(name));
    }
    if !array.is_aligned() {
        return Err(Failure::argument(format_args!("`{name}` is not aligned to {} bytes", align_of::<T>())));
    }
    if len > isize::MAX as usize / size_of::<T>() {
        return Err(Failure::argument(format_args!("`{name}` has {len} elements, which no memory holds")));
    }
    Ok(())
}

/// An array that is written to.
///
/// # Safety
///
/// Unless it is null, nothing else reads or writes its `len` elements while the result is in use.
unsafe fn room<'a, T>(array: *mut T, len: usize, name: &str) -> Result<&'a mut [MaybeUninit<T>], Failure> {
    check_array(array, len, name)?;
    if len == 0 {
        return Ok(&mut []);
    }
    // SAFETY: the array is aligned, not null and not longer than memory; the caller vouches that the elements are there and that nothing
    // else uses them. What is not initialised may be a `MaybeUninit`.
    Ok(unsafe { slice::from_raw_parts_mut(array.cast(), len) })
}

/// An array that is read.
///
/// # Safety
///
/// Unless it is null, its `len` elements are initialised, and nothing writes them while the result is in use.
unsafe fn list<'a, T>(array: *const T, len: usize, name: &str) -> Result<&'a [T], Failure> {
    check_array(array, len, name)?;
    if len == 0 {
        return Ok(&[]);
    }
    // SAFETY: the array is aligned, not null and not longer than memory; the caller vouches for its elements.
    Ok(unsafe { slice::from_raw_parts(array, len) })
}

fn graph<T>(graph: PleachGraph, f: impl FnOnce(&dyn AnyGraph) -> Result<T, Failure>) -> Result<T, Failure> {
    HANDLES.graph(graph.id, f)
}

fn snapshot<T>(snapshot: PleachSnapshot, f: impl FnOnce(&dyn AnySnapshot) -> Result<T, Failure>) -> Result<T, Failure> {
    HANDLES.snapshot(snapshot.id, f)
}

/// The version of the library.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_version() -> *const c_char {
    const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => c"",
    };
    VERSION.as_ptr()
}

/// The message of the last failure of this thread.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_last_error() -> *const c_char {
    last_message()
}

/// Creates a graph.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_graph_new(directed: bool, weighted: bool, graph: Optional<'_, PleachGraph>) -> Status {
    guard(|| {
        let graph = needed(graph, "graph")?;
        let id = HANDLES.add(Object::Graph(crate::graph::new(directed, weighted)))?;
        graph.write(PleachGraph { id });
        Ok(())
    })
}

/// Frees a graph.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_graph_free(graph: PleachGraph) -> Status {
    guard(|| HANDLES.free(graph.id, "graph"))
}

/// Adds a vertex.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_graph_insert_vertex(graph: PleachGraph, vertex: u64, was_new: Optional<'_, bool>) -> Status {
    guard(|| self::graph(graph, |graph| graph.insert_vertex(vertex)).map(|new| give(was_new, new)))
}

/// Removes a vertex and its edges.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_graph_delete_vertex(graph: PleachGraph, vertex: u64, was_there: Optional<'_, bool>) -> Status {
    guard(|| self::graph(graph, |graph| graph.delete_vertex(vertex)).map(|there| give(was_there, there)))
}

/// Inserts an edge unless it exists, and its vertices.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_graph_insert_edge(
    graph: PleachGraph,
    from: u64,
    to: u64,
    weight: f64,
    was_new: Optional<'_, bool>,
) -> Status {
    change(graph, EdgeChange::Insert, from, to, weight, was_new)
}

/// Inserts an edge unless it exists, between vertices that exist.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_graph_connect(
    graph: PleachGraph,
    from: u64,
    to: u64,
    weight: f64,
    was_new: Optional<'_, bool>,
) -> Status {
    change(graph, EdgeChange::Connect, from, to, weight, was_new)
}

/// Inserts an edge, or changes its weight if it exists.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_graph_put_edge(
    graph: PleachGraph,
    from: u64,
    to: u64,
    weight: f64,
    was_new: Optional<'_, bool>,
) -> Status {
    change(graph, EdgeChange::Put, from, to, weight, was_new)
}

/// Changes the weight of an edge, if it exists.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_graph_update_edge(
    graph: PleachGraph,
    from: u64,
    to: u64,
    weight: f64,
    was_there: Optional<'_, bool>,
) -> Status {
    change(graph, EdgeChange::Update, from, to, weight, was_there)
}

/// Deletes an edge, if it exists.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_graph_delete_edge(
    graph: PleachGraph,
    from: u64,
    to: u64,
    was_there: Optional<'_, bool>,
) -> Status {
    change(graph, EdgeChange::Delete, from, to, 0.0, was_there)
}

fn change(
    graph: PleachGraph,
    change: EdgeChange,
    from: u64,
    to: u64,
    weight: f64,
    found: Optional<'_, bool>,
) -> Status {
    guard(|| self::graph(graph, |graph| graph.change(change, from, to, weight)).map(|was| give(found, was)))
}

/// Inserts many edges, each unless it exists.
///
/// # Safety
///
/// Each array that is not null has `count` elements, which nothing writes meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_graph_insert_edges(
    graph: PleachGraph,
    from: *const u64,
    to: *const u64,
    weights: *const f64,
    count: usize,
    new_edges: Optional<'_, u64>,
) -> Status {
    guard(|| {
        // SAFETY: the caller vouches for the elements of all arrays that are not null.
        let (from, to, weights) = unsafe {
            let weights = if weights.is_null() { None } else { Some(list(weights, count, "weights")?) };
            (list(from, count, "from")?, list(to, count, "to")?, weights)
        };
        give(new_edges, self::graph(graph, |graph| graph.insert_edges(from, to, weights))?);
        Ok(())
    })
}

/// Whether a vertex exists now.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_graph_has_vertex(graph: PleachGraph, vertex: u64, is_there: Optional<'_, bool>) -> Status {
    guard(|| {
        let is_there = needed(is_there, "is_there")?;
        is_there.write(self::graph(graph, |graph| Ok(graph.has_vertex(vertex)))?);
        Ok(())
    })
}

/// Whether an edge exists now, and its weight.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_graph_find_edge(
    graph: PleachGraph,
    from: u64,
    to: u64,
    is_there: Optional<'_, bool>,
    weight: Optional<'_, f64>,
) -> Status {
    guard(|| found(self::graph(graph, |graph| Ok(graph.weight(from, to)))?, is_there, weight))
}

fn found(edge: Option<f64>, is_there: Optional<'_, bool>, weight: Optional<'_, f64>) -> Result<(), Failure> {
    if is_there.is_none() && weight.is_none() {
        return Err(null("is_there"));
    }
    give(is_there, edge.is_some());
    give(weight, edge.unwrap_or(f64::NAN));
    Ok(())
}

/// The number of vertices now.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_graph_num_vertices(graph: PleachGraph, count: Optional<'_, u64>) -> Status {
    guard(|| {
        let count = needed(count, "count")?;
        count.write(self::graph(graph, |graph| Ok(graph.counts().0))?);
        Ok(())
    })
}

/// The number of edges now.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_graph_num_edges(graph: PleachGraph, count: Optional<'_, u64>) -> Status {
    guard(|| {
        let count = needed(count, "count")?;
        count.write(self::graph(graph, |graph| Ok(graph.counts().1))?);
        Ok(())
    })
}

/// Takes a snapshot.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_graph_snapshot(graph: PleachGraph, snapshot: Optional<'_, PleachSnapshot>) -> Status {
    guard(|| {
        let snapshot = needed(snapshot, "snapshot")?;
        let taken = self::graph(graph, |graph| Ok(graph.snapshot()))?;
        snapshot.write(PleachSnapshot { id: HANDLES.add(Object::Snapshot(taken))? });
        Ok(())
    })
}

/// Releases a snapshot.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_snapshot_free(snapshot: PleachSnapshot) -> Status {
    guard(|| HANDLES.free(snapshot.id, "snapshot"))
}

/// Ends the algorithms that run on a snapshot, and those that are started on it later.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_snapshot_cancel(snapshot: PleachSnapshot) -> Status {
    guard(|| {
        self::snapshot(snapshot, |snapshot| {
            snapshot.cancel();
            Ok(())
        })
    })
}

/// The number of batches that a snapshot holds.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_snapshot_version(snapshot: PleachSnapshot, version: Optional<'_, u64>) -> Status {
    guard(|| {
        let version = needed(version, "version")?;
        version.write(self::snapshot(snapshot, |snapshot| Ok(snapshot.version()))?);
        Ok(())
    })
}

/// The number of vertices of a snapshot.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_snapshot_num_vertices(snapshot: PleachSnapshot, count: Optional<'_, u64>) -> Status {
    guard(|| {
        let count = needed(count, "count")?;
        count.write(self::snapshot(snapshot, |snapshot| Ok(snapshot.counts().0))?);
        Ok(())
    })
}

/// The number of edges of a snapshot.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_snapshot_num_edges(snapshot: PleachSnapshot, count: Optional<'_, u64>) -> Status {
    guard(|| {
        let count = needed(count, "count")?;
        count.write(self::snapshot(snapshot, |snapshot| Ok(snapshot.counts().1))?);
        Ok(())
    })
}

/// Whether a snapshot has a vertex.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_snapshot_has_vertex(
    snapshot: PleachSnapshot,
    vertex: u64,
    is_there: Optional<'_, bool>,
) -> Status {
    guard(|| {
        let is_there = needed(is_there, "is_there")?;
        is_there.write(self::snapshot(snapshot, |snapshot| Ok(snapshot.has_vertex(vertex)))?);
        Ok(())
    })
}

/// Whether a snapshot has an edge, and its weight.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_snapshot_find_edge(
    snapshot: PleachSnapshot,
    from: u64,
    to: u64,
    is_there: Optional<'_, bool>,
    weight: Optional<'_, f64>,
) -> Status {
    guard(|| found(self::snapshot(snapshot, |snapshot| Ok(snapshot.weight(from, to)))?, is_there, weight))
}

/// The ids of the vertices.
///
/// # Safety
///
/// Unless it is null, the array has `capacity` elements, which nothing else uses meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_snapshot_vertices(
    snapshot: PleachSnapshot,
    vertices: *mut u64,
    capacity: usize,
) -> Status {
    guard(|| {
        // SAFETY: the caller vouches for the array.
        let vertices = unsafe { room(vertices, capacity, "vertices") }?;
        self::snapshot(snapshot, |snapshot| snapshot.vertices(vertices))
    })
}

/// The number of edges that lead out of a vertex.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_snapshot_out_degree(
    snapshot: PleachSnapshot,
    vertex: u64,
    degree: Optional<'_, u64>,
) -> Status {
    guard(|| {
        let degree = needed(degree, "degree")?;
        degree.write(self::snapshot(snapshot, |snapshot| snapshot.degree(vertex, false))?);
        Ok(())
    })
}

/// The number of edges that lead into a vertex.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_snapshot_in_degree(
    snapshot: PleachSnapshot,
    vertex: u64,
    degree: Optional<'_, u64>,
) -> Status {
    guard(|| {
        let degree = needed(degree, "degree")?;
        degree.write(self::snapshot(snapshot, |snapshot| snapshot.degree(vertex, true))?);
        Ok(())
    })
}

/// The neighbours that edges lead to, and the weights of the edges.
///
/// # Safety
///
/// Each array that is not null has `capacity` elements, which nothing else uses meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_snapshot_out_neighbors(
    snapshot: PleachSnapshot,
    vertex: u64,
    neighbors: *mut u64,
    weights: *mut f64,
    capacity: usize,
    count: Optional<'_, usize>,
) -> Status {
    // SAFETY: the caller vouches for both arrays.
    guard(|| unsafe { give_neighbors(snapshot, vertex, false, neighbors, weights, capacity, count) })
}

/// The neighbours that edges come from, and the weights of the edges.
///
/// # Safety
///
/// As [`pleach_snapshot_out_neighbors`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_snapshot_in_neighbors(
    snapshot: PleachSnapshot,
    vertex: u64,
    neighbors: *mut u64,
    weights: *mut f64,
    capacity: usize,
    count: Optional<'_, usize>,
) -> Status {
    // SAFETY: the caller vouches for both arrays.
    guard(|| unsafe { give_neighbors(snapshot, vertex, true, neighbors, weights, capacity, count) })
}

/// # Safety
///
/// As [`pleach_snapshot_out_neighbors`].
unsafe fn give_neighbors(
    snapshot: PleachSnapshot,
    vertex: u64,
    incoming: bool,
    neighbors: *mut u64,
    weights: *mut f64,
    capacity: usize,
    count: Optional<'_, usize>,
) -> Result<(), Failure> {
    // SAFETY: the caller vouches for both arrays.
    let (ids, weights) = unsafe {
        let weights = if weights.is_null() { None } else { Some(room(weights, capacity, "weights")?) };
        (room(neighbors, capacity, "neighbors")?, weights)
    };
    self::snapshot(snapshot, |snapshot| {
        give(count, snapshot.degree(vertex, incoming)? as usize);
        snapshot.neighbors(vertex, incoming, ids, weights)
    })
}

/// Numbers of edges on shortest paths.
///
/// # Safety
///
/// Unless it is null, the array has `capacity` elements, which nothing else uses meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_snapshot_bfs(
    snapshot: PleachSnapshot,
    source: u64,
    depths: *mut i64,
    capacity: usize,
) -> Status {
    guard(|| {
        // SAFETY: the caller vouches for the array.
        let depths = unsafe { room(depths, capacity, "depths") }?;
        self::snapshot(snapshot, |snapshot| snapshot.bfs(source, depths))
    })
}

/// PageRank.
///
/// # Safety
///
/// As [`pleach_snapshot_bfs`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_snapshot_pagerank(
    snapshot: PleachSnapshot,
    iterations: u64,
    damping: f64,
    ranks: *mut f64,
    capacity: usize,
) -> Status {
    guard(|| {
        // SAFETY: the caller vouches for the array.
        let ranks = unsafe { room(ranks, capacity, "ranks") }?;
        self::snapshot(snapshot, |snapshot| snapshot.pagerank(iterations, damping, ranks))
    })
}

/// Weakly connected components.
///
/// # Safety
///
/// As [`pleach_snapshot_bfs`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_snapshot_wcc(
    snapshot: PleachSnapshot,
    components: *mut u64,
    capacity: usize,
) -> Status {
    guard(|| {
        // SAFETY: the caller vouches for the array.
        let components = unsafe { room(components, capacity, "components") }?;
        self::snapshot(snapshot, |snapshot| snapshot.wcc(components))
    })
}

/// Communities by propagation of labels.
///
/// # Safety
///
/// As [`pleach_snapshot_bfs`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_snapshot_cdlp(
    snapshot: PleachSnapshot,
    iterations: u64,
    labels: *mut u64,
    capacity: usize,
) -> Status {
    guard(|| {
        // SAFETY: the caller vouches for the array.
        let labels = unsafe { room(labels, capacity, "labels") }?;
        self::snapshot(snapshot, |snapshot| snapshot.cdlp(iterations, labels))
    })
}

/// Local clustering coefficients.
///
/// # Safety
///
/// As [`pleach_snapshot_bfs`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_snapshot_lcc(
    snapshot: PleachSnapshot,
    coefficients: *mut f64,
    capacity: usize,
) -> Status {
    guard(|| {
        // SAFETY: the caller vouches for the array.
        let coefficients = unsafe { room(coefficients, capacity, "coefficients") }?;
        self::snapshot(snapshot, |snapshot| snapshot.lcc(coefficients))
    })
}

/// Lengths of shortest paths.
///
/// # Safety
///
/// As [`pleach_snapshot_bfs`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_snapshot_sssp(
    snapshot: PleachSnapshot,
    source: u64,
    distances: *mut f64,
    capacity: usize,
) -> Status {
    guard(|| {
        // SAFETY: the caller vouches for the array.
        let distances = unsafe { room(distances, capacity, "distances") }?;
        self::snapshot(snapshot, |snapshot| snapshot.sssp(source, distances))
    })
}
