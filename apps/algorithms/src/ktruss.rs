//! Trusses: how deep in the triangles of a graph each edge lies.
//!
//! The `k`-truss is the largest part of an undirected graph in which every edge is in at least `k - 2` triangles, and
//!
//! ```text
//!   truss(e) = max { k : e in the k-truss }      truss(v) = max truss(e) over edges e at v, and 1 where there is none
//! ```
//!
//! (Cohen, *Trusses: Cohesive Subgraphs for Social Network Analysis*, 2008; self loops are left out). First the triangles of each edge are
//! counted, then edges are peeled off level by level, in parallel (Kabir & Madduri, *Parallel k-truss Decomposition on Multicore Systems*,
//! HPEC 2017): a removed edge takes its triangles away; if several edges of a triangle are removed in the same round, the one with the
//! smallest number does so. O(Σ over edges of the smaller degree · log of the larger), at most O(m √m log m); `24 m` bytes for the copy and
//! the counts.
//!
//! In index notation the triangles of each edge are the masked product `s(u,v) = A(u,v) * A(u,w) * A(v,w)`. Peeling takes a few of its terms
//! off at a time; a product would compute all of them again.

use std::ops::Range;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use pleach::Rows;
use pleach::runtime::{par_concat, par_map, par_parts};
use pleach::traverse::Adjacency;

use crate::error::{UnfitGraph, in_arcs};
use crate::simple::Simple;

/// Trussnesses.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Trusses {
    /// Trussness of each vertex.
    pub vertices: Vec<u32>,
    /// Ends of each edge, the smaller first, ascending.
    pub edges: Vec<(u32, u32)>,
    /// Trussness of each edge, at least 2.
    pub trussness: Vec<u32>,
    /// The largest; 1 if there is no edge.
    pub most: u32,
    /// Rounds of peeling.
    pub rounds: usize,
}

/// Why trusses cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrussError {
    /// A directed graph keeps no in-arcs.
    #[error(transparent)]
    Graph(#[from] UnfitGraph),
    /// There are more edges than 32 bits can number.
    #[error("the graph has more than 4294967295 edges, which is the most that trusses are computed of")]
    TooManyEdges,
}

/// Edges that one thread peels alone.
const ALONE: usize = 64;

/// Edges that one task looks at.
const EDGES: usize = 32;

const THERE: u8 = 0;
const GOING: u8 = 1;
const GONE: u8 = 2;

/// Computes the trussness of each edge.
///
/// # Errors
///
/// [`TrussError`] if the graph is directed and keeps no in-arcs, or if it has more edges than 32 bits can number.
pub fn ktruss<'a, A: Rows + 'a>(graph: impl Into<Adjacency<'a, A>>) -> Result<Trusses, TrussError> {
    let graph = graph.into();
    in_arcs(graph, "ktruss")?;
    let simple = Simple::of(graph).ok_or(TrussError::TooManyEdges)?;
    let count = simple.ends.len();
    graph.announce("edges", Some(count));
    let supports: Vec<AtomicU32> = par_map(count, EDGES, |edge| {
        graph.check_cancel();
        let mut triangles = 0;
        simple.each_triangle(edge as u32, |_, _| triangles += 1);
        AtomicU32::new(triangles)
    });
    let peeling = Peeling { simple: &simple, supports, states: (0..count).map(|_| AtomicU8::new(THERE)).collect() };
    let (mut rounds, mut remaining): (usize, Vec<u32>) = (0, (0..count as u32).collect());
    while !remaining.is_empty() {
        let level = peeling.least(&remaining);
        let (mut going, rest): (Vec<u32>, Vec<u32>) =
            remaining.into_iter().partition(|&edge| peeling.support(edge) <= level);
        while !going.is_empty() {
            graph.advance(going.len());
            rounds += 1;
            going = peeling.round(&going, level);
        }
        remaining = rest;
        remaining.retain(|&edge| peeling.states[edge as usize].load(Ordering::Relaxed) == THERE);
    }
    let trussness: Vec<u32> = peeling.supports.iter().map(|support| support.load(Ordering::Relaxed) + 2).collect();
    let mut vertices = vec![1; graph.bound()];
    graph.absent().for_each(|gap| vertices[gap as usize] = 0);
    for (&(u, v), &truss) in simple.ends.iter().zip(&trussness) {
        for end in [u, v] {
            vertices[end as usize] = truss.max(vertices[end as usize]);
        }
    }
    let most = trussness.iter().copied().max().unwrap_or(1);
    Ok(Trusses { vertices, edges: simple.ends, trussness, most, rounds })
}

struct Peeling<'a> {
    simple: &'a Simple,
    /// Triangles that each edge is still in; of a removed edge, the level at which it was removed.
    supports: Vec<AtomicU32>,
    states: Vec<AtomicU8>,
}

impl Peeling<'_> {
    fn support(&self, edge: u32) -> u32 {
        self.supports[edge as usize].load(Ordering::Relaxed)
    }

    /// The least support of some edges.
    fn least(&self, edges: &[u32]) -> u32 {
        let least = |range: Range<usize>| edges[range].iter().map(|&edge| self.support(edge)).min();
        par_parts(edges.len(), EDGES, least).into_iter().flatten().min().unwrap_or(0)
    }

    fn state(&self, edge: u32) -> u8 {
        self.states[edge as usize].load(Ordering::Relaxed)
    }

    /// Removes edges. Returns those whose count thereby falls to the level.
    fn round(&self, going: &[u32], level: u32) -> Vec<u32> {
        let mark = |state| going.iter().for_each(|&edge| self.states[edge as usize].store(state, Ordering::Relaxed));
        mark(GOING);
        let next = match going.len() {
            ..=ALONE => self.take_some(going, level),
            _ => par_concat(going.len(), EDGES, |range| self.take_some(&going[range], level)),
        };
        mark(GONE);
        next
    }

    fn take_some(&self, going: &[u32], level: u32) -> Vec<u32> {
        let mut next = Vec::new();
        let mut lose = |edge: u32| {
            let fewer = |left: u32| (left > level).then(|| left - 1);
            let before = self.supports[edge as usize].fetch_update(Ordering::Relaxed, Ordering::Relaxed, fewer);
            if before == Ok(level + 1) {
                next.push(edge);
            }
        };
        for &edge in going {
            self.simple.each_triangle(edge, |a, b| match (self.state(a), self.state(b)) {
                (GONE, _) | (_, GONE) | (GOING, GOING) => {}
                (GOING, _) if edge < a => lose(b),
                (_, GOING) if edge < b => lose(a),
                (THERE, THERE) => {
                    lose(a);
                    lose(b);
                }
                _ => {}
            });
        }
        next
    }
}

/// What is wrong with trussnesses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrussesWrong {
    /// The edges are not those of the graph, or the arrays of the result have wrong lengths.
    #[error("the edges are not those of the graph, each once and with a trussness")]
    Edges,
    /// A trussness is not the one that taking off one edge at a time gives.
    #[error("the edge between {u} and {v} has trussness {found}, but {expected} is right")]
    Trussness {
        /// The smaller end.
        u: u32,
        /// The larger end.
        v: u32,
        /// Its trussness.
        found: u32,
        /// The right one.
        expected: u32,
    },
    /// The figures of vertices, or the largest, do not fit those of edges.
    #[error("the trussness of a vertex, or the largest, does not fit those of edges")]
    Statistics,
}

/// Checks trussnesses against those that taking off the edge of the fewest triangles, one after the other, gives (Wang and Cheng, *Truss
/// Decomposition in Massive Networks*, PVLDB 2012, algorithm 2): edges stand in an array by their number of triangles. Serial; it lists the triangles
/// of each edge twice, as the algorithm does.
///
/// # Errors
///
/// The first thing that is wrong.
pub fn verify<A: Rows>(graph: Adjacency<'_, A>, found: &Trusses) -> Result<(), TrussesWrong> {
    let peeled = Peel::of(graph);
    let mut listed: Vec<_> = found.edges.iter().copied().zip(found.trussness.iter().copied()).collect();
    listed.sort_unstable();
    let lengths = [found.edges.len(), found.trussness.len()];
    if lengths != [peeled.ends.len(); 2] || found.vertices.len() != graph.bound() {
        return Err(TrussesWrong::Edges);
    }
    if !listed.iter().map(|&(ends, _)| ends).eq(peeled.ends.iter().copied()) {
        return Err(TrussesWrong::Edges);
    }
    for (expected, ((u, v), found)) in peeled.trussness().into_iter().zip(listed) {
        if found != expected {
            return Err(TrussesWrong::Trussness { u, v, found, expected });
        }
    }
    let mut vertices = vec![1; graph.bound()];
    graph.absent().for_each(|gap| vertices[gap as usize] = 0);
    for (&(u, v), &truss) in found.edges.iter().zip(&found.trussness) {
        vertices[u as usize] = truss.max(vertices[u as usize]);
        vertices[v as usize] = truss.max(vertices[v as usize]);
    }
    if found.vertices != vertices || found.most != vertices.into_iter().max().unwrap_or(1).max(1) {
        return Err(TrussesWrong::Statistics);
    }
    Ok(())
}

/// The simple undirected graph of the verifier, from which one edge after the other is taken.
struct Peel {
    /// The ends of each edge, the smaller first; ascending.
    ends: Vec<(u32, u32)>,
    offsets: Vec<usize>,
    /// The neighbours of each vertex, ascending, with the edges to them.
    near: Vec<(u32, u32)>,
}

impl Peel {
    fn of<A: Rows>(graph: Adjacency<'_, A>) -> Self {
        use pleach::runtime::Fiber;

        let mut ends = Vec::with_capacity(graph.num_arcs());
        graph.out().rows(|u, row| {
            let u = u as u32;
            row.fold_runs((), |(), run| {
                ends.extend(run.coords().iter().filter(|&&v| v != u).map(|&v| (u.min(v), u.max(v))));
            });
        });
        ends.sort_unstable();
        ends.dedup();
        let mut offsets = vec![0; graph.bound() + 2];
        for &(u, v) in &ends {
            offsets[u as usize + 2] += 1;
            offsets[v as usize + 2] += 1;
        }
        for vertex in 2..offsets.len() {
            offsets[vertex] += offsets[vertex - 1];
        }
        // Edges ascend, so that each vertex gets its smaller neighbours first, and all of them ascending.
        let mut near = vec![(0, 0); 2 * ends.len()];
        for (&(u, v), edge) in ends.iter().zip(0_u32..) {
            for (from, to) in [(u, v), (v, u)] {
                near[offsets[from as usize + 1]] = (to, edge);
                offsets[from as usize + 1] += 1;
            }
        }
        offsets.pop();
        Peel { ends, offsets, near }
    }

    /// Calls `visit` with the other two edges of each triangle of an edge.
    fn each_triangle(&self, edge: usize, mut visit: impl FnMut(usize, usize)) {
        let row = |vertex: u32| &self.near[self.offsets[vertex as usize]..self.offsets[vertex as usize + 1]];
        let (u, v) = self.ends[edge];
        let (mut few, mut many) = (row(u), row(v));
        if few.len() > many.len() {
            (few, many) = (many, few);
        }
        for &(w, a) in few {
            // Doubles the step until it is beyond `w`, then searches between.
            let mut step = 1;
            while many.get(step).is_some_and(|&(other, _)| other < w) {
                step *= 2;
            }
            let reach = (step + 1).min(many.len());
            many = &many[many[..reach].partition_point(|&(other, _)| other < w)..];
            if let Some(&(_, b)) = many.first().filter(|&&(other, _)| other == w) {
                visit(a as usize, b as usize);
            }
        }
    }

    /// The trussness of each edge.
    fn trussness(&self) -> Vec<u32> {
        let edges = self.ends.len();
        let mut supports = vec![0usize; edges];
        for (edge, support) in supports.iter_mut().enumerate() {
            self.each_triangle(edge, |_, _| *support += 1);
        }
        // Edges by their support, where those of each support begin, and the place of each edge.
        let mut begins = vec![0; supports.iter().max().map_or(0, |most| most + 2)];
        supports.iter().for_each(|&support| begins[support + 1] += 1);
        for support in 1..begins.len() {
            begins[support] += begins[support - 1];
        }
        let (mut order, mut places, mut next) = (vec![0; edges], vec![0; edges], begins.clone());
        for (edge, &support) in supports.iter().enumerate() {
            (order[next[support]], places[edge]) = (edge, next[support]);
            next[support] += 1;
        }
        let (mut trussness, mut level) = (vec![0; edges], 0);
        for place in 0..edges {
            let edge = order[place];
            level = level.max(supports[edge]);
            trussness[edge] = level as u32 + 2;
            self.each_triangle(edge, |a, b| {
                if trussness[a] > 0 || trussness[b] > 0 {
                    return;
                }
                for other in [a, b] {
                    if supports[other] <= level {
                        continue;
                    }
                    // It changes places with the first edge of its support, which from now on is one of fewer.
                    let (from, to) = (places[other], begins[supports[other]].max(place + 1));
                    order.swap(from, to);
                    (places[order[from]], places[other]) = (from, to);
                    begins[supports[other]] = to + 1;
                    supports[other] -= 1;
                }
            });
        }
        trussness
    }
}
