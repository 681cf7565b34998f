//! How alike the neighbourhoods of two vertices are.
//!
//! ```text
//!   Jaccard(u,v) = |N(u) ∩ N(v)| / |N(u) ∪ N(v)|        overlap(u,v) = |N(u) ∩ N(v)| / min(|N(u)|, |N(v)|)
//! ```
//!
//! with `N` the targets of out-arcs; 0 where a denominator is. Each pair takes time linear in both rows; pairs are computed in parallel.

use pleach::Rows;
use pleach::runtime::{Fiber, par_map};
use pleach::traverse::Adjacency;

use crate::error::NoSuchVertex;

/// The neighbours that two vertices have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Likeness {
    /// Number of common neighbours.
    pub common: u32,
    /// Their share of all neighbours of either.
    pub jaccard: f64,
    /// Their share of the neighbours of the one that has fewer.
    pub overlap: f64,
}

impl Likeness {
    /// Of sets of these sizes.
    fn of(common: usize, left: usize, right: usize) -> Self {
        let share = |whole: usize| if whole == 0 { 0.0 } else { common as f64 / whole as f64 };
        Likeness { common: common as u32, jaccard: share(left + right - common), overlap: share(left.min(right)) }
    }
}

/// Pairs that one task compares.
const PAIRS: usize = 64;

/// Compares the neighbourhoods of pairs of vertices.
///
/// # Errors
///
/// [`NoSuchVertex`] names one of a pair that is not in the graph.
pub fn similarity<'a, A: Rows + 'a>(
    graph: impl Into<Adjacency<'a, A>>,
    pairs: &[(u32, u32)],
) -> Result<Vec<Likeness>, NoSuchVertex> {
    let graph = graph.into();
    for &(u, v) in pairs {
        NoSuchVertex::check(u, graph)?;
        NoSuchVertex::check(v, graph)?;
    }
    let near = |vertex: u32| {
        let mut near = Vec::new();
        if let Some(row) = graph.out().row(vertex as usize) {
            row.fold_runs((), |(), run| near.extend_from_slice(run.coords()));
        }
        near
    };
    graph.announce("pairs", Some(pairs.len()));
    Ok(par_map(pairs.len(), PAIRS, |k| {
        if k.is_multiple_of(PAIRS) {
            graph.advance(PAIRS);
        }
        let (left, right) = (near(pairs[k].0), near(pairs[k].1));
        Likeness::of(common(&left, &right), left.len(), right.len())
    }))
}

/// The number of elements that two ascending lists share.
fn common(left: &[u32], right: &[u32]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < left.len() && j < right.len() {
        let (a, b) = (left[i], right[j]);
        count += usize::from(a == b);
        i += usize::from(a <= b);
        j += usize::from(b <= a);
    }
    count
}

/// A pair whose likeness is wrong.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("the vertices {u} and {v} are said to be alike by {found:?}, but {expected:?} is right")]
pub struct SimilarityWrong {
    /// One vertex.
    pub u: u32,
    /// The other.
    pub v: u32,
    /// What was found; `None` if there are not as many results as pairs.
    pub found: Option<Likeness>,
    /// What is right.
    pub expected: Likeness,
}

/// Checks likenesses by lookups of each neighbour of one vertex among those of the other.
///
/// # Errors
///
/// The first pair that is wrong.
pub fn verify<A: Rows>(
    graph: Adjacency<'_, A>,
    pairs: &[(u32, u32)],
    found: &[Likeness],
) -> Result<(), SimilarityWrong> {
    for (k, &(u, v)) in pairs.iter().enumerate() {
        let len = |vertex: u32| graph.out().row(vertex as usize).map_or(0, Fiber::len);
        let mut count = 0;
        if let (Some(left), Some(right)) = (graph.out().row(u as usize), graph.out().row(v as usize)) {
            left.fold_runs((), |(), run| {
                count += run.coords().iter().filter(|&&to| right.locate(to).is_some()).count();
            });
        }
        let expected = Likeness::of(count, len(u), len(v));
        if found.get(k) != Some(&expected) || found.len() != pairs.len() {
            return Err(SimilarityWrong { u, v, found: found.get(k).copied(), expected });
        }
    }
    Ok(())
}
