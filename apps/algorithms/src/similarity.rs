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
        if !<A::Fiber<'_> as Fiber<'_>>::ORDERED {
            near.sort_unstable();
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

/// What is wrong with likenesses.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SimilarityWrong {
    /// There are not as many results as pairs.
    #[error("there are {found} results for {pairs} pairs")]
    Length {
        /// How many there are.
        found: usize,
        /// Number of pairs.
        pairs: usize,
    },
    /// The likeness of a pair is wrong.
    #[error("the vertices {u} and {v} are said to be alike by {found:?}, but {expected:?} is right")]
    Likeness {
        /// One vertex.
        u: u32,
        /// The other.
        v: u32,
        /// What was found.
        found: Likeness,
        /// What is right.
        expected: Likeness,
    },
}

/// Checks likenesses by lookups of each neighbour of one vertex among those of the other, and by the set of all neighbours of either.
///
/// # Errors
///
/// The first pair that is wrong.
pub fn verify<A: Rows>(
    graph: Adjacency<'_, A>,
    pairs: &[(u32, u32)],
    found: &[Likeness],
) -> Result<(), SimilarityWrong> {
    use std::collections::HashSet;

    if found.len() != pairs.len() {
        return Err(SimilarityWrong::Length { found: found.len(), pairs: pairs.len() });
    }
    for (&(u, v), &found) in pairs.iter().zip(found) {
        let mut either = HashSet::new();
        let (mut common, mut fewest) = (0u32, usize::MAX);
        for (from, other) in [(u, v), (v, u)] {
            let other = graph.out().row(other as usize);
            let (mut own, mut shared) = (0, 0);
            if let Some(row) = graph.out().row(from as usize) {
                row.fold_runs((), |(), run| {
                    own += run.len();
                    either.extend(run.coords().iter().copied());
                    let is_shared = |to: &&u32| other.is_some_and(|row| row.locate(**to).is_some());
                    shared += run.coords().iter().filter(is_shared).count();
                });
            }
            (common, fewest) = (shared as u32, fewest.min(own));
        }
        let of = |whole: usize| if whole == 0 { 0.0 } else { f64::from(common) / whole as f64 };
        let expected = Likeness { common, jaccard: of(either.len()), overlap: of(fewest) };
        if found != expected {
            return Err(SimilarityWrong::Likeness { u, v, found, expected });
        }
    }
    Ok(())
}
