//! Edge maps: from a frontier along the arcs to the next one.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use pleach_runtime::Fiber;
use rayon::prelude::*;
use smallvec::SmallVec;

use super::{Adjacency, Bits, Frontier, for_each_run};
use crate::Rows;

/// What an algorithm does with an arc that leads out of the frontier.
pub trait EdgeFunction<V>: Sync {
    /// Whether `to` still wants to be reached. An arc to a vertex that does not is not looked at.
    fn wants(&self, to: u32) -> bool;

    /// Uses the arc; other tasks may use other arcs to the same vertex at the same time. Whether `to` joins the next frontier: said
    /// once at most of a vertex in one map, unless the map is a deduplicating one.
    fn push(&self, from: u32, to: u32, value: &V) -> bool;

    /// Uses the arc; no other task uses an arc to the same vertex. Whether `to` joins the next frontier.
    fn pull(&self, from: u32, to: u32, value: &V) -> bool {
        self.push(from, to, value)
    }
}

/// Which way arcs are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Along the out-arcs of the frontier.
    Push,
    /// Against the in-arcs of the vertices that want to be reached.
    Pull,
}

/// How to map over the arcs out of a frontier; keeps its scratch memory from map to map.
pub struct EdgeMap {
    /// Always in this direction, if one is given.
    pub direction: Option<Direction>,
    /// Pull once the frontier and its out-arcs are more than one in so many of all arcs. Ligra's default is 20.
    pub dense_share: usize,
    /// The vertices that joined, where a push may say of one vertex more than once that it joins.
    joined: Option<Bits>,
}

impl Default for EdgeMap {
    fn default() -> Self {
        EdgeMap::new()
    }
}

impl EdgeMap {
    /// Maps functions whose `push` says of a vertex once at most, in one map, that it joins.
    pub fn new() -> Self {
        EdgeMap { direction: None, dense_share: 20, joined: None }
    }

    /// Maps any functions: a vertex joins once, however often `push` says so.
    pub fn deduplicating(vertices: usize) -> Self {
        EdgeMap { joined: Some(Bits::new(vertices)), ..EdgeMap::new() }
    }

    /// Which way a frontier of so many vertices with so many out-arcs is mapped.
    pub fn choose(&self, vertices: usize, out_arcs: usize, all_arcs: usize) -> Direction {
        self.direction.unwrap_or(if vertices + out_arcs > all_arcs / self.dense_share.max(1) {
            Direction::Pull
        } else {
            Direction::Push
        })
    }

    /// Applies `f` to the arcs out of `frontier` whose targets want to be reached, and gives the next frontier.
    pub fn run<A: Rows, F: EdgeFunction<A::Value>>(
        &mut self,
        graph: Adjacency<'_, A>,
        frontier: Frontier,
        f: &F,
    ) -> Frontier {
        let out_arcs = match (self.direction, &frontier) {
            (Some(_), _) => 0,
            (None, Frontier::Sparse(vertices)) if frontier.len() < graph.num_vertices() / self.dense_share.max(1) => {
                let degree = |&vertex: &u32| graph.out().row(vertex as usize).map_or(0, Fiber::len);
                vertices.par_iter().with_min_len(1 << 8).map(degree).sum()
            }
            // So large a frontier is pulled whatever its degrees.
            _ => graph.num_arcs(),
        };
        match self.choose(frontier.len(), out_arcs, graph.num_arcs()) {
            Direction::Push => push(graph, frontier, f, self.joined.as_ref()),
            Direction::Pull => pull(graph, frontier, f),
        }
    }
}

/// Vertices of the frontier that one task takes.
const VERTICES: usize = 64;

/// Along the out-arcs of the frontier.
fn push<A: Rows, F: EdgeFunction<A::Value>>(
    graph: Adjacency<'_, A>,
    frontier: Frontier,
    f: &F,
    joined: Option<&Bits>,
) -> Frontier {
    let found: Vec<Vec<u32>> = frontier
        .into_vertices()
        .par_chunks(VERTICES)
        .map(|vertices| {
            // Locked by other tasks than this one only while they help with a hub.
            let found = Mutex::new(Vec::new());
            for &vertex in vertices {
                let Some(row) = graph.out().row(vertex as usize) else { continue };
                for_each_run(row, |run| {
                    let mut joining: SmallVec<[u32; 32]> = SmallVec::new();
                    for (to, value) in run.iter() {
                        if f.wants(to) && f.push(vertex, to, value) && joined.is_none_or(|bits| bits.set(to as usize)) {
                            joining.push(to);
                        }
                    }
                    if !joining.is_empty() {
                        found.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&joining);
                    }
                });
            }
            found.into_inner().unwrap_or_else(PoisonError::into_inner)
        })
        .collect();
    let next = found.concat();
    if let Some(bits) = joined {
        next.par_iter().with_min_len(1 << 12).for_each(|&vertex| bits.clear_one(vertex as usize));
    }
    Frontier::Sparse(next)
}

/// Against the in-arcs of the vertices that want to be reached.
fn pull<A: Rows, F: EdgeFunction<A::Value>>(graph: Adjacency<'_, A>, frontier: Frontier, f: &F) -> Frontier {
    let from = frontier.into_bits(graph.num_vertices());
    let next = Bits::new(graph.num_vertices());
    graph.incoming().par_rows(|vertex, row| {
        let to = vertex as u32;
        if !f.wants(to) {
            return;
        }
        let mut joins = false;
        let _ = row.try_fold_runs((), |(), run| {
            for (source, value) in run.iter() {
                if from.get(source as usize) {
                    joins |= f.pull(source, to, value);
                    if !f.wants(to) {
                        return ControlFlow::Break(());
                    }
                }
            }
            ControlFlow::Continue(())
        });
        if joins {
            next.set(vertex);
        }
    });
    let count = next.count();
    Frontier::Dense(next, count)
}
