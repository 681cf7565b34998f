//! Closeness and harmonic centrality.
//!
//! With `d(u,v)` the number of arcs on a shortest path from `u` to `v`, `R(v)` the vertices from which `v` can be reached, itself among them, and `n`
//! the number of vertices,
//!
//! ```text
//!   closeness(v) = (|R(v)| - 1) / Σ d(u,v) over R(v)  ·  (|R(v)| - 1) / (n - 1)        harmonic(v) = Σ 1 / d(u,v) over R(v) without v
//! ```
//!
//! and 0 where nothing reaches `v`. The second factor of closeness (Wasserman & Faust, *Social Network Analysis*, 1994) makes vertices of
//! different components comparable; it can be left out. Harmonic centrality is Boldi & Vigna's (*Axioms for Centrality*, 2014).
//!
//! A search against the arcs from each vertex, several at a time: O(n m) time, `8 n` bytes for each thread and a copy of the arcs.

use pleach::Rows;
use pleach::runtime::par_parts;
use pleach::traverse::Adjacency;

use crate::bfs::{UNREACHED, bfs};
use crate::copied::{Copied, present};
use crate::error::{UnfitGraph, in_arcs};

/// Options of closeness.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Closeness {
    /// Whether closeness is scaled by the share of vertices that reach a vertex, as it is by default.
    pub scaled: bool,
}

impl Default for Closeness {
    fn default() -> Self {
        Closeness { scaled: true }
    }
}

impl Closeness {
    /// Whether closeness is scaled by the share of vertices that reach a vertex.
    #[must_use]
    pub fn with_scaled(mut self, scaled: bool) -> Self {
        self.scaled = scaled;
        self
    }
}

/// Both centralities.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Centralities {
    /// Closeness of each vertex.
    pub closeness: Vec<f64>,
    /// Harmonic centrality of each vertex.
    pub harmonic: Vec<f64>,
}

/// Sources that one task searches from.
const SOURCES: usize = 64;

/// Computes both. A directed graph must keep its in-arcs.
///
/// # Errors
///
/// [`UnfitGraph`] if a directed graph keeps no in-arcs.
pub fn closeness<'a, A: Rows + 'a>(
    graph: impl Into<Adjacency<'a, A>>,
    options: &Closeness,
) -> Result<Centralities, UnfitGraph> {
    let graph = graph.into();
    let arcs = Copied::places(in_arcs(graph, "closeness")?);
    graph.announce("searches", Some(graph.num_vertices()));
    Ok(search(&arcs, &present(graph), graph.num_vertices(), options.scaled, &|| graph.advance(1)))
}

fn search(arcs: &Copied, present: &[bool], vertices: usize, scaled: bool, check: &(dyn Fn() + Sync)) -> Centralities {
    let parts = par_parts(arcs.len(), SOURCES, |sources| {
        let (mut depths, mut queue) = (vec![UNREACHED; arcs.len()], Vec::new());
        let one = |source: usize| {
            if !present[source] {
                return (0.0, 0.0);
            }
            check();
            let levels = levels(arcs, source as u32, &mut depths, &mut queue);
            value(&levels, vertices, scaled)
        };
        sources.map(one).collect::<Vec<_>>()
    });
    let (closeness, harmonic) = parts.into_iter().flatten().unzip();
    Centralities { closeness, harmonic }
}

/// The number of vertices at each depth. `depths` is as it was before when this returns.
fn levels(arcs: &Copied, source: u32, depths: &mut [u32], queue: &mut Vec<u32>) -> Vec<usize> {
    let (mut levels, mut begin) = (Vec::new(), 0);
    depths[source as usize] = 0;
    queue.push(source);
    while begin < queue.len() {
        let end = queue.len();
        levels.push(end - begin);
        for at in begin..end {
            for &to in arcs.near(queue[at]) {
                if depths[to as usize] == UNREACHED {
                    depths[to as usize] = levels.len() as u32;
                    queue.push(to);
                }
            }
        }
        begin = end;
    }
    queue.drain(..).for_each(|vertex| depths[vertex as usize] = UNREACHED);
    levels
}

/// Both centralities of a vertex by the numbers of vertices at each distance.
fn value(levels: &[usize], vertices: usize, scaled: bool) -> (f64, f64) {
    let reached = levels.iter().sum::<usize>().saturating_sub(1) as f64;
    let total: usize = levels.iter().enumerate().map(|(depth, &count)| depth * count).sum();
    let shares = levels.iter().enumerate().skip(1).map(|(depth, &count)| count as f64 / depth as f64);
    // From 0, since a sum of nothing is -0.
    let harmonic = shares.fold(0.0, std::ops::Add::add);
    if total == 0 {
        return (0.0, harmonic);
    }
    let share = if scaled { reached / (vertices as f64 - 1.0) } else { 1.0 };
    (reached / total as f64 * share, harmonic)
}

/// What is wrong with centralities.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ClosenessWrong {
    /// There are not as many values as vertices.
    #[error("there are {found} values for {vertices} vertices")]
    Length {
        /// How many there are.
        found: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// A value is not that of the definition.
    #[error("vertex {vertex} has closeness {closeness} and harmonic centrality {harmonic}, but {expected:?} are right")]
    Value {
        /// The vertex.
        vertex: u32,
        /// Its closeness.
        closeness: f64,
        /// Its harmonic centrality.
        harmonic: f64,
        /// The right values.
        expected: (f64, f64),
    },
}

/// Checks both by the breadth-first search of this crate and sums of single distances.
///
/// # Errors
///
/// The first value that is wrong.
pub fn verify<A: Rows>(
    graph: Adjacency<'_, A>,
    options: &Closeness,
    found: &Centralities,
) -> Result<(), ClosenessWrong> {
    let bound = graph.bound();
    for found in [found.closeness.len(), found.harmonic.len()] {
        if found != bound {
            return Err(ClosenessWrong::Length { found, vertices: bound });
        }
    }
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs().max(1.0);
    for vertex in 0..bound as u32 {
        let (closeness, harmonic) = (found.closeness[vertex as usize], found.harmonic[vertex as usize]);
        let mut expected = (0.0, 0.0);
        if graph.has_vertex(vertex)
            && let Some(reversed) = graph.reversed()
        {
            let depths = bfs(reversed, vertex).map(|found| found.depths).unwrap_or_default();
            let distances: Vec<f64> =
                depths.into_iter().filter(|&depth| depth != UNREACHED && depth > 0).map(f64::from).collect();
            expected.1 = distances.iter().map(|distance| 1.0 / distance).fold(0.0, std::ops::Add::add);
            if !distances.is_empty() {
                let count = distances.len() as f64;
                expected.0 = count / distances.iter().sum::<f64>();
                if options.scaled {
                    expected.0 *= count / (graph.num_vertices() as f64 - 1.0);
                }
            }
        }
        if !near(closeness, expected.0) || !near(harmonic, expected.1) {
            return Err(ClosenessWrong::Value { vertex, closeness, harmonic, expected });
        }
    }
    Ok(())
}
