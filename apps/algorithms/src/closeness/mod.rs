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

mod heap;
mod verify;
mod weighted;

use pleach::Rows;
use pleach::runtime::par_parts;
use pleach::traverse::Adjacency;

use crate::bfs::UNREACHED;
use crate::copied::{Copied, present};
use crate::error::{UnfitGraph, in_arcs};

pub use self::verify::{ClosenessWrong, verify, verify_weighted};
pub use self::weighted::closeness_weighted;

/// Options of closeness.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
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
    /// Closeness of each vertex. It is infinite where distances are as good as zero; JSON has `null` for infinity.
    #[cfg_attr(feature = "serde", serde(with = "crate::infinite::array"))]
    pub closeness: Vec<f64>,
    /// Harmonic centrality of each vertex, infinite as closeness may be.
    #[cfg_attr(feature = "serde", serde(with = "crate::infinite::array"))]
    pub harmonic: Vec<f64>,
}

impl Centralities {
    /// From the closeness and the harmonic centrality of each vertex, in parts.
    fn of(parts: Vec<Vec<(f64, f64)>>) -> Self {
        let (closeness, harmonic) = parts.into_iter().flatten().unzip();
        Centralities { closeness, harmonic }
    }
}

/// Why weighted centralities cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ClosenessError {
    /// A directed graph keeps no in-arcs.
    #[error(transparent)]
    Graph(#[from] UnfitGraph),
    /// A weight is negative, infinite or not a number.
    #[error("weights must be finite and not negative, but the arc from {from} to {to} (numbered from 0) has {weight}")]
    Weight {
        /// Source of such an arc.
        from: u32,
        /// Its target.
        to: u32,
        /// Its weight.
        weight: f64,
    },
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
    Ok(search(&arcs, &present(graph), graph.num_vertices(), options, &|| graph.advance(1)))
}

fn search(
    arcs: &Copied,
    present: &[bool],
    vertices: usize,
    options: &Closeness,
    check: &(dyn Fn() + Sync),
) -> Centralities {
    let parts = par_parts(arcs.len(), SOURCES, |sources| {
        let (mut depths, mut queue) = (vec![UNREACHED; arcs.len()], Vec::new());
        let one = |source: usize| {
            if !present[source] {
                return (0.0, 0.0);
            }
            check();
            let levels = levels(arcs, source as u32, &mut depths, &mut queue);
            value(&levels, vertices, options)
        };
        sources.map(one).collect::<Vec<_>>()
    });
    Centralities::of(parts)
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
fn value(levels: &[usize], vertices: usize, options: &Closeness) -> (f64, f64) {
    let reached = levels.iter().sum::<usize>().saturating_sub(1) as f64;
    let total: usize = levels.iter().enumerate().map(|(depth, &count)| depth * count).sum();
    let shares = levels.iter().enumerate().skip(1).map(|(depth, &count)| count as f64 / depth as f64);
    // From 0, since a sum of nothing is -0.
    let harmonic = shares.fold(0.0, std::ops::Add::add);
    (scaled(reached, total as f64, vertices, options), harmonic)
}

/// The closeness of a vertex that is reached from `reached` others, where `total` is the sum of the distances.
fn scaled(reached: f64, total: f64, vertices: usize, options: &Closeness) -> f64 {
    if total == 0.0 {
        return 0.0;
    }
    let share = if options.scaled { reached / (vertices as f64 - 1.0) } else { 1.0 };
    reached / total * share
}
