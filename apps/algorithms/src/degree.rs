//! Statistics of degrees.
//!
//! ```text
//!   out(v) = |{w : v → w}|      in(v) = |{u : u → v}|      gini = Σ over u, v of |d(u) - d(v)| / (2 n Σ d(v))
//! ```
//!
//! with least, mean, median and most, and the coefficient of Gini (*Variabilità e mutabilità*, 1912) as a measure of skew: 0 where all degrees are equal, near 1 where one
//! vertex has all arcs. A self loop counts once at each end. Out-degrees are the lengths of rows, in-degrees are counted over their
//! coordinates, which is the reduction `in(j) += A(i,j)` into a dense vector: O(n + m) time, and `8 n` bytes.

use pleach::Rows;
use pleach::runtime::{Fiber, par_sort};
use pleach::traverse::Adjacency;

/// Degrees at both ends.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Degrees {
    /// Of out-arcs.
    pub out: Side,
    /// Of in-arcs; the same in an undirected graph.
    pub incoming: Side,
    /// Number of vertices without any arc.
    pub isolated: usize,
}

/// Degrees at one end.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Side {
    /// The degree of each vertex; 0 for a number that is no vertex, which no other figure counts.
    pub degrees: Vec<u32>,
    /// The smallest; 0 of none, as are all others.
    pub least: u32,
    /// The largest.
    pub most: u32,
    /// The mean.
    pub mean: f64,
    /// The median, of an even number the larger one in the middle.
    pub median: u32,
    /// Number of vertices of degree 0.
    pub zero: usize,
    /// Gini's coefficient.
    pub gini: f64,
    /// Each degree that occurs, ascending, with the number of vertices that have it.
    pub distribution: Vec<(u32, usize)>,
}

/// Finds the degrees of a graph.
pub fn degrees<'a, A: Rows + 'a>(graph: impl Into<Adjacency<'a, A>>) -> Degrees {
    let graph = graph.into();
    graph.announce("steps", Some(2));
    graph.advance(0);
    let out = graph.out().row_degrees();
    graph.advance(1);
    let incoming = match graph.incoming() {
        _ if !graph.is_directed() => out.clone(),
        Some(incoming) => incoming.row_degrees(),
        None => graph.out().col_degrees(),
    };
    graph.advance(1);
    let absent = graph.bound() - graph.num_vertices();
    let isolated = out.iter().zip(&incoming).filter(|&(&out, &incoming)| out == 0 && incoming == 0).count();
    Degrees { out: Side::of(out, absent), incoming: Side::of(incoming, absent), isolated: isolated - absent }
}

impl Side {
    /// The statistics of degrees, of which `absent` belong to numbers that are not vertices.
    fn of(degrees: Vec<u32>, absent: usize) -> Self {
        let mut sorted: Vec<u64> = degrees.iter().map(|&degree| u64::from(degree)).collect();
        par_sort(&mut sorted);
        let sorted: Vec<u32> = sorted.into_iter().map(|degree| degree as u32).collect();
        let sorted = &sorted[absent..];
        let vertices = sorted.len();
        let sum: u64 = sorted.iter().map(|&degree| u64::from(degree)).sum();
        // Σ |d(u) - d(v)| over all pairs is Σ (2 k + 1 - n) d(k) twice, with degrees ascending and counted from 0.
        let weighed: f64 =
            sorted.iter().enumerate().map(|(k, &d)| (2.0 * k as f64 + 1.0 - vertices as f64) * f64::from(d)).sum();
        Side {
            least: sorted.first().copied().unwrap_or(0),
            most: sorted.last().copied().unwrap_or(0),
            mean: sum as f64 / vertices.max(1) as f64,
            median: sorted.get(vertices / 2).copied().unwrap_or(0),
            zero: sorted.partition_point(|&degree| degree == 0),
            gini: if sum == 0 { 0.0 } else { weighed / (vertices as f64 * sum as f64) },
            distribution: sorted.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())).collect(),
            degrees,
        }
    }
}

/// What is wrong with degrees.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DegreesWrong {
    /// The degrees are not those that counting arc by arc gives.
    #[error("vertex {vertex} has degrees {found:?} (out, in), but {expected:?} is right")]
    Degree {
        /// The vertex.
        vertex: usize,
        /// Its degrees.
        found: (u32, u32),
        /// The right degrees.
        expected: (u32, u32),
    },
    /// There is not one degree for each vertex, or a figure does not fit the degrees.
    #[error("the statistics do not fit the degrees")]
    Statistics,
}

/// Checks degrees by counting arc by arc, and the statistics by how many vertices have each degree. Serial; O(n log n + m).
///
/// # Errors
///
/// The first thing that is wrong.
pub fn verify<A: Rows>(graph: Adjacency<'_, A>, found: &Degrees) -> Result<(), DegreesWrong> {
    let vertices = graph.bound();
    let (mut out, mut incoming) = (vec![0; vertices], vec![0; vertices]);
    graph.out().rows(|u, row| {
        row.fold_runs((), |(), run| {
            for &v in run.coords() {
                out[u] += 1;
                incoming[v as usize] += 1;
            }
        });
    });
    let of =
        |found: &Degrees, vertex: usize| Some((*found.out.degrees.get(vertex)?, *found.incoming.degrees.get(vertex)?));
    for vertex in 0..vertices {
        let expected = (out[vertex], incoming[vertex]);
        match of(found, vertex) {
            Some(found) if found != expected => return Err(DegreesWrong::Degree { vertex, found, expected }),
            Some(_) => {}
            None => return Err(DegreesWrong::Statistics),
        }
    }
    for (side, degrees) in [(&found.out, &out), (&found.incoming, &incoming)] {
        if side.degrees.len() != vertices || !fits(graph, side, degrees) {
            return Err(DegreesWrong::Statistics);
        }
    }
    let alone = |&vertex: &u32| out[vertex as usize] == 0 && incoming[vertex as usize] == 0;
    if found.isolated == graph.vertices().filter(alone).count() { Ok(()) } else { Err(DegreesWrong::Statistics) }
}

/// How far Gini's coefficient may differ when its terms are added in another order.
const ROUNDING: f64 = 1e-9;

/// Whether the figures of one end are those of the degrees.
fn fits<A: Rows>(graph: Adjacency<'_, A>, side: &Side, degrees: &[u32]) -> bool {
    let (vertices, arcs) = (graph.num_vertices(), graph.num_arcs());
    let mut counts = std::collections::BTreeMap::<u32, usize>::new();
    graph.vertices().for_each(|vertex| *counts.entry(degrees[vertex as usize]).or_default() += 1);
    let (mut smaller, mut last, mut median, mut apart) = (0usize, 0u32, 0u32, 0.0f64);
    for (&degree, &count) in &counts {
        // This step is part of the difference of each pair with one vertex below this degree and one not below it.
        apart += f64::from(degree - last) * smaller as f64 * (vertices - smaller) as f64;
        if smaller <= vertices / 2 {
            median = degree;
        }
        (smaller, last) = (smaller + count, degree);
    }
    let gini = if arcs == 0 { 0.0 } else { apart / (vertices as f64 * arcs as f64) };
    let least = counts.first_key_value().map_or(0, |(&degree, _)| degree);
    (side.least, side.most, side.median) == (least, last, median)
        && side.zero == counts.get(&0).copied().unwrap_or(0)
        && side.mean == arcs as f64 / vertices.max(1) as f64
        && (side.gini - gini).abs() <= ROUNDING
        && side.distribution.iter().copied().eq(counts)
}
