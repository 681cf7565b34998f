//! Local clustering coefficients.
//!
//! With `N(v)` the neighbours of `v` either way, `v` itself not among them, and `d(v)` their number,
//!
//! ```text
//!   LCC(v) = |{(u,w) : u, w ∈ N(v), u → w}| / (d(v) (d(v) - 1))      and 0 where d(v) < 2
//! ```
//!
//! as LDBC Graphalytics defines it (Iosup et al., VLDB 2016; Watts & Strogatz, *Collective dynamics of 'small-world' networks*, Nature 1998): in a
//! directed graph an edge both ways between two neighbours counts twice, as it always does in an undirected one.
//!
//! Each pair that is counted is the side of a triangle opposite to `v`. So every triangle of the graph, oriented by degree, is found once and
//! adds the number of arcs of each of its sides to the count of the vertex opposite: O(m √m) time at worst, `5 m + 16 n` bytes for the
//! oriented copy and the counts. In index notation the counts are `t(v) += A(v,u) * A(v,w) * A(u,w)`, a masked product. The order by degree, which
//! makes hubs cheap, is a permutation of the graph, which an expression cannot name.

use std::sync::atomic::{AtomicU64, Ordering};

use pleach::Rows;
use pleach::runtime::{Fiber, par_items};
use pleach::traverse::Adjacency;

use crate::error::{UnfitGraph, in_arcs, undirected};
use crate::orient::{Order, Oriented};

/// Clustering coefficients.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Clustering {
    /// Coefficient of each vertex, in `[0, 1]`; 0 for a number that is not a vertex.
    pub coefficients: Vec<f64>,
    /// Their mean; 0 of none.
    pub mean: f64,
}

/// Computes the coefficients.
///
/// # Errors
///
/// [`UnfitGraph`] if the graph is directed and keeps no in-arcs.
pub fn lcc<'a, A: Rows + 'a>(graph: impl Into<Adjacency<'a, A>>) -> Result<Clustering, UnfitGraph> {
    let graph = graph.into();
    in_arcs(graph, "lcc")?;
    let oriented = Oriented::of(graph, Order::Degree);
    graph.announce("vertices", Some(graph.bound()));
    let sides = sides(&oriented, if graph.is_directed() { 1 } else { 2 }, &|count| graph.advance(count));
    let mut coefficients = vec![0.0; graph.bound()];
    for (sides, &vertex) in sides.into_iter().zip(&oriented.old) {
        coefficients[vertex as usize] = coefficient(sides, oriented.degrees[vertex as usize]);
    }
    Ok(Clustering { mean: mean(&coefficients, graph.num_vertices()), coefficients })
}

/// The number of triangles that each vertex of an undirected graph is in. O(m √m), as [`lcc`].
///
/// # Errors
///
/// [`UnfitGraph`] if the graph is directed.
pub fn triangles_of_each<'a, A: Rows + 'a>(graph: impl Into<Adjacency<'a, A>>) -> Result<Vec<u64>, UnfitGraph> {
    let graph = graph.into();
    undirected(graph, "triangles of each vertex")?;
    let oriented = Oriented::of(graph, Order::Degree);
    graph.announce("vertices", Some(graph.bound()));
    let mut triangles = vec![0; graph.bound()];
    // The opposite side of a triangle is one edge.
    for (sides, &vertex) in sides(&oriented, 1, &|count| graph.advance(count)).into_iter().zip(&oriented.old) {
        triangles[vertex as usize] = sides;
    }
    Ok(triangles)
}

fn coefficient(sides: u64, degree: u32) -> f64 {
    let pairs = f64::from(degree) * (f64::from(degree) - 1.0);
    if degree < 2 { 0.0 } else { sides as f64 / pairs }
}

/// The mean over the given number of vertices.
fn mean(coefficients: &[f64], vertices: usize) -> f64 {
    // Starts from 0, because the sum of no floats is -0 in Rust.
    coefficients.iter().fold(0.0, |sum: f64, one| sum + one) / vertices.max(1) as f64
}

/// The number of arcs on the opposite sides of each vertex's triangles, with a factor for what an edge counts. Each task calls `advance` with the number of its rows.
fn sides(oriented: &Oriented, factor: u64, advance: &(dyn Fn(usize) + Sync)) -> Vec<u64> {
    let edges = oriented.edges.view();
    let counts: Vec<AtomicU64> = (0..edges.num_rows()).map(|_| AtomicU64::new(0)).collect();
    let add = |vertex: usize, count: u64| {
        if count > 0 {
            counts[vertex].fetch_add(count * factor, Ordering::Relaxed);
        }
    };
    par_items(edges.split_by_arcs(STRETCHES), |rows| {
        advance(rows.len());
        for a in rows {
            let from_a = edges.row(a);
            let mut opposite_a = 0;
            for (at, (&b, &ab)) in from_a.coords.iter().zip(from_a.values).enumerate() {
                // Only the elements behind `b` are larger than it.
                let (left, left_arcs) = (&from_a.coords[at + 1..], &from_a.values[at + 1..]);
                let right = edges.row(b as usize);
                let mut opposite_b = 0;
                each_common(left, right.coords, |in_left, in_right| {
                    opposite_a += u64::from(right.values[in_right]);
                    opposite_b += u64::from(left_arcs[in_left]);
                    add(left[in_left] as usize, u64::from(ab));
                });
                add(b as usize, opposite_b);
            }
            add(a, opposite_a);
        }
    });
    counts.into_iter().map(AtomicU64::into_inner).collect()
}

/// Ranges of rows with about equally many arcs each: several for each thread, because the work of an arc differs.
const STRETCHES: usize = 1024;

/// Calls `f` with the positions of each element that two ascending lists share.
#[inline]
fn each_common(left: &[u32], right: &[u32], mut f: impl FnMut(usize, usize)) {
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < right.len() {
        let (a, b) = (left[i], right[j]);
        if a == b {
            f(i, j);
        }
        i += usize::from(a <= b);
        j += usize::from(b <= a);
    }
}

/// What is wrong with coefficients.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LccWrong {
    /// The number of coefficients is not that of the vertices.
    #[error("there are {found} coefficients for {vertices} vertices")]
    Length {
        /// How many there are.
        found: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// A coefficient is not the one that the definition gives.
    #[error("vertex {vertex} has coefficient {found}, but {expected} is right")]
    Coefficient {
        /// The vertex.
        vertex: usize,
        /// Its coefficient.
        found: f64,
        /// The right coefficient.
        expected: f64,
    },
    /// The mean is not that of the coefficients.
    #[error("the mean is {expected}, not {found}")]
    Mean {
        /// The mean in the result.
        found: f64,
        /// The right mean.
        expected: f64,
    },
}

/// Checks coefficients against the definition, pair of neighbours by pair of neighbours, without triangles or an order. Serial; O(Σ over v and u in
/// N(v) of d(u)), which is much where hubs are.
///
/// # Errors
///
/// The first thing that is wrong.
pub fn verify<A: Rows>(graph: Adjacency<'_, A>, found: &Clustering) -> Result<(), LccWrong> {
    let vertices = graph.bound();
    if found.coefficients.len() != vertices {
        return Err(LccWrong::Length { found: found.coefficients.len(), vertices });
    }
    let mut near = vec![Vec::new(); vertices];
    graph.out().rows(|u, row| {
        row.fold_runs((), |(), run| {
            for &v in run.coords().iter().filter(|&&v| v as usize != u) {
                near[u].push(v);
                near[v as usize].push(u as u32);
            }
        });
    });
    let mut member = vec![false; vertices];
    for (vertex, near) in near.iter_mut().enumerate() {
        near.sort_unstable();
        near.dedup();
        near.iter().for_each(|&u| member[u as usize] = true);
        let mut arcs = 0;
        for &u in near.iter() {
            let Some(row) = graph.out().row(u as usize) else { continue };
            let inside = |arcs, w: &u32| arcs + u64::from(*w != u && member[*w as usize]);
            arcs = row.fold_runs(arcs, |arcs, run| run.coords().iter().fold(arcs, inside));
        }
        near.iter().for_each(|&u| member[u as usize] = false);
        let (found, expected) = (found.coefficients[vertex], coefficient(arcs, near.len() as u32));
        if found != expected {
            return Err(LccWrong::Coefficient { vertex, found, expected });
        }
    }
    let expected = mean(&found.coefficients, graph.num_vertices());
    if found.mean != expected {
        return Err(LccWrong::Mean { found: found.mean, expected });
    }
    Ok(())
}
