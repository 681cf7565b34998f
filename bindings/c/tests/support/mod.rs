//! The interface as a C program sees it, with less to write.
#![allow(dead_code)]

use std::ffi::CStr;
use std::mem::MaybeUninit;

use pleach_capi::*;

/// The result that a function writes, if it succeeds.
pub fn result<T>(call: impl FnOnce(Option<&mut MaybeUninit<T>>) -> Status) -> Result<T, Status> {
    let mut out = MaybeUninit::uninit();
    match call(Some(&mut out)) {
        // SAFETY: a function that succeeds has written its result.
        Status::Ok => Ok(unsafe { out.assume_init() }),
        status => Err(status),
    }
}

pub fn message() -> String {
    // SAFETY: the text is that of this thread, and lives until the next failure.
    unsafe { CStr::from_ptr(pleach_last_error()) }.to_str().unwrap().to_owned()
}

pub fn new(directed: bool, weighted: bool) -> PleachGraph {
    result(|graph| pleach_graph_new(directed, weighted, graph)).unwrap()
}

pub fn snapshot(graph: PleachGraph) -> PleachSnapshot {
    result(|snapshot| pleach_graph_snapshot(graph, snapshot)).unwrap()
}

pub fn insert(graph: PleachGraph, from: u64, to: u64, weight: f64) -> Result<bool, Status> {
    result(|new| pleach_graph_insert_edge(graph, from, to, weight, new))
}

pub fn weight(graph: PleachGraph, from: u64, to: u64) -> Option<f64> {
    let mut there = MaybeUninit::new(false);
    let weight = result(|weight| pleach_graph_find_edge(graph, from, to, Some(&mut there), weight)).unwrap();
    // SAFETY: it was initialised from the start.
    let there = unsafe { there.assume_init() };
    assert_eq!(there, !weight.is_nan());
    there.then_some(weight)
}

/// A result with an element for each vertex, with the vertex, ascending by it.
pub fn by_vertex<T: Copy + Default>(
    snapshot: PleachSnapshot,
    call: impl FnOnce(*mut T, usize) -> Status,
) -> Result<Vec<(u64, T)>, Status> {
    let len = result(|count| pleach_snapshot_num_vertices(snapshot, count)).unwrap() as usize;
    let (mut vertices, mut values) = (vec![0; len], vec![T::default(); len]);
    // SAFETY: the array has so many elements.
    assert_eq!(unsafe { pleach_snapshot_vertices(snapshot, vertices.as_mut_ptr(), len) }, Status::Ok);
    match call(values.as_mut_ptr(), len) {
        Status::Ok => {}
        status => return Err(status),
    }
    let mut found: Vec<(u64, T)> = vertices.into_iter().zip(values).collect();
    found.sort_unstable_by_key(|found| found.0);
    Ok(found)
}

/// The neighbours of a vertex with the weights of the edges, ascending.
pub fn neighbors(snapshot: PleachSnapshot, vertex: u64, incoming: bool) -> Vec<(u64, f64)> {
    let call = if incoming { pleach_snapshot_in_neighbors } else { pleach_snapshot_out_neighbors };
    let degree = if incoming { pleach_snapshot_in_degree } else { pleach_snapshot_out_degree };
    let degree = result(|count| degree(snapshot, vertex, count)).unwrap() as usize;
    let (mut ids, mut weights) = (vec![0; degree], vec![0.0; degree]);
    // SAFETY: both arrays have so many elements.
    let count =
        result(|count| unsafe { call(snapshot, vertex, ids.as_mut_ptr(), weights.as_mut_ptr(), degree, count) });
    assert_eq!(count, Ok(degree));
    let mut found: Vec<(u64, f64)> = ids.into_iter().zip(weights).collect();
    found.sort_by_key(|near| near.0);
    found
}
