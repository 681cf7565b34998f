//! A maximal independent set.
//!
//! Let vertices stand in the order of a random priority. Then
//!
//! ```text
//!   v ∈ S  ⇔  no neighbour u of v with priority before v is in S
//! ```
//!
//! defines one set: the one that a greedy walk in that order finds. No two of its vertices are neighbours, and none can be added. It is found in
//! parallel by deciding, round by round, every vertex whose earlier neighbours allow it (Blelloch, Fineman & Shun, *Greedy Sequential Maximal Independent
//! Set and Matching are Parallel on Average*, SPAA 2012): O(log² n) rounds with high probability. Priorities are a hash of vertex and seed, so the set is the same
//! on any store and any number of threads. O(m) time on average, and at most `25 n` bytes. A self loop makes no vertex its own neighbour.
//!
//! A round as a product over (or, and) would look at all arcs of each vertex; deciding stops at the first neighbour that decides.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU8, Ordering};

use pleach::Rows;
use pleach::runtime::{Fiber, GOLDEN, first_coords, mix, par_concat, par_map, prefetch_at};
use pleach::traverse::Adjacency;

use crate::error::{UnfitGraph, undirected};

/// How to choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct Mis {
    /// Seed of the priorities. Default 0.
    pub seed: u64,
}

impl Mis {
    /// What priorities are drawn from.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
}

/// A maximal independent set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct IndependentSet {
    /// Whether each vertex is in the set; a number that is not a vertex is not.
    pub members: Vec<bool>,
    /// Number of vertices in the set.
    pub size: usize,
    /// Rounds taken.
    pub rounds: usize,
}

const UNDECIDED: u8 = 0;
const IN: u8 = 1;
const OUT: u8 = 2;

/// Vertices that one task decides about.
const VERTICES: usize = 1 << 10;

/// Vertices of which one task reads the state.
const CHUNK: usize = 1 << 14;

/// Neighbours whose states are prefetched.
const SOON: usize = 8;

/// Finds the set of an undirected graph.
///
/// # Errors
///
/// [`UnfitGraph`] if the graph is directed.
pub fn mis<'a, A: Rows + 'a>(graph: impl Into<Adjacency<'a, A>>, options: &Mis) -> Result<IndependentSet, UnfitGraph> {
    let graph = graph.into();
    undirected(graph, "mis")?;
    let states: Vec<AtomicU8> = par_map(graph.bound(), CHUNK, |_| AtomicU8::new(UNDECIDED));
    graph.announce("vertices", Some(graph.num_vertices()));
    let mut waiting = par_concat(graph.bound(), VERTICES, |range| {
        graph.check_cancel();
        let vertices = range.map(|vertex| vertex as u32).filter(|&vertex| graph.has_vertex(vertex)).collect::<Vec<_>>();
        decide(graph.out(), &states, &vertices, options.seed, Vec::new())
    });
    let mut rounds = usize::from(graph.num_vertices() > 0);
    graph.advance(graph.num_vertices() - waiting.len());
    while !waiting.is_empty() {
        graph.check_cancel();
        rounds += 1;
        let before = waiting.len();
        waiting = par_concat(waiting.len(), VERTICES, |range| {
            let (mut ready, mut waits) = (Vec::new(), Vec::new());
            for &(vertex, earlier) in &waiting[range] {
                match states[earlier as usize].load(Ordering::Relaxed) {
                    IN => states[vertex as usize].store(OUT, Ordering::Relaxed),
                    OUT => ready.push(vertex),
                    _ => waits.push((vertex, earlier)),
                }
            }
            decide(graph.out(), &states, &ready, options.seed, waits)
        });
        graph.advance(before - waiting.len());
    }
    let members: Vec<bool> = par_map(states.len(), CHUNK, |vertex| states[vertex].load(Ordering::Relaxed) == IN);
    Ok(IndependentSet { size: members.iter().filter(|&&member| member).count(), members, rounds })
}

/// Decides about vertices by the states of their neighbours. A state that another task has just decided may be seen or not: it only brings the
/// decision forward. A vertex that cannot be decided yet is appended to `waiting`, with an earlier neighbour that is undecided: its row need not be read
/// again until that neighbour is decided.
fn decide<A: Rows>(
    rows: &A,
    states: &[AtomicU8],
    vertices: &[u32],
    seed: u64,
    mut waiting: Vec<(u32, u32)>,
) -> Vec<(u32, u32)> {
    let soon = |_, row: A::Fiber<'_>| first_coords(row, SOON, |other| prefetch_at(states, other as usize));
    rows.each_ahead(vertices, soon, |vertex, row| {
        let state = row.map_or(ControlFlow::Continue(None), |row| look(row, states, vertex, seed));
        let state = match state {
            ControlFlow::Break(()) => OUT,
            ControlFlow::Continue(None) => IN,
            ControlFlow::Continue(Some(earlier)) => return waiting.push((vertex, earlier)),
        };
        states[vertex as usize].store(state, Ordering::Relaxed);
    });
    waiting
}

/// The last neighbour of a vertex that is undecided and comes before it; breaks at a neighbour that is in the set.
#[inline(always)]
fn look<'a, R: Fiber<'a, Coord = u32>>(
    row: R,
    states: &[AtomicU8],
    vertex: u32,
    seed: u64,
) -> ControlFlow<(), Option<u32>> {
    let own = priority(vertex, seed);
    row.try_fold_runs(None, |mut earlier, run| {
        for &other in run.coords() {
            match states[other as usize].load(Ordering::Relaxed) {
                OUT => {}
                // It comes before this vertex: otherwise it would wait for this one.
                IN => return ControlFlow::Break(()),
                // No vertex comes before itself, so that self loops do not count.
                _ if priority(other, seed) < own => earlier = Some(other),
                _ => {}
            }
        }
        ControlFlow::Continue(earlier)
    })
}

/// The priority of a vertex: the finaliser of SplitMix64, and the vertex where that is equal.
#[inline(always)]
fn priority(vertex: u32, seed: u64) -> (u64, u32) {
    (mix((u64::from(vertex) ^ seed.rotate_left(32)).wrapping_add(GOLDEN)), vertex)
}

/// What is wrong with a set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MisWrong {
    /// The number of entries is not that of the vertices.
    #[error("there are {found} answers for {vertices} vertices")]
    Length {
        /// How many there are.
        found: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// Two vertices of the set are neighbours.
    #[error("vertices {0} and {1} are neighbours and both in the set")]
    Dependent(usize, u32),
    /// A vertex could be added.
    #[error("vertex {0} could be added: neither it nor a neighbour is in the set")]
    NotMaximal(usize),
    /// A number that is not a vertex is in the set.
    #[error("{0} is no vertex and is in the set")]
    NoVertex(u32),
    /// The set is not the one that the order of priorities defines.
    #[error("vertex {0} is decided otherwise by a walk in the order of priorities")]
    NotGreedy(u32),
    /// The size is not that of the set.
    #[error("the size does not fit the set")]
    Size,
}

/// Checks that the set is independent and maximal, and that it is the one a serial walk finds. O(n log n + m).
///
/// # Errors
///
/// The first thing that is wrong.
pub fn verify<A: Rows>(graph: Adjacency<'_, A>, options: &Mis, found: &IndependentSet) -> Result<(), MisWrong> {
    let (vertices, members) = (graph.bound(), &found.members);
    if members.len() != vertices {
        return Err(MisWrong::Length { found: members.len(), vertices });
    }
    if let Some(gap) = graph.absent().find(|&gap| members[gap as usize]) {
        return Err(MisWrong::NoVertex(gap));
    }
    let mut near = vec![Vec::new(); vertices];
    graph.out().rows(|u, row| {
        row.fold_runs((), |(), run| near[u].extend(run.coords().iter().copied().filter(|&v| v as usize != u)));
    });
    for (vertex, near) in near.iter().enumerate() {
        match near.iter().find(|&&other| members[other as usize]) {
            Some(&other) if members[vertex] => return Err(MisWrong::Dependent(vertex, other)),
            None if !members[vertex] && graph.has_vertex(vertex as u32) => return Err(MisWrong::NotMaximal(vertex)),
            _ => {}
        }
    }
    let mut order: Vec<u32> = graph.vertices().collect();
    order.sort_unstable_by_key(|&vertex| priority(vertex, options.seed));
    let mut greedy = vec![false; vertices];
    for vertex in order {
        greedy[vertex as usize] = near[vertex as usize].iter().all(|&other| !greedy[other as usize]);
        if greedy[vertex as usize] != members[vertex as usize] {
            return Err(MisWrong::NotGreedy(vertex));
        }
    }
    if found.size != members.iter().filter(|&&member| member).count() {
        return Err(MisWrong::Size);
    }
    Ok(())
}
