//! Scores checked against those of Brandes' algorithm as it was published.

use pleach::Rows;
use pleach::runtime::Fiber;
use pleach::traverse::Adjacency;

use super::Betweenness;
use super::paths::{Paths, Wide};

/// What is wrong with scores.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BcWrong {
    /// The number of scores is not that of the vertices.
    #[error("there are {found} scores for {vertices} vertices")]
    Length {
        /// How many there are.
        found: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// A score is not the one that Brandes' algorithm gives, by more than rounding explains.
    #[error("vertex {vertex} has score {found}, but {expected} is right")]
    Score {
        /// The vertex.
        vertex: usize,
        /// Its score.
        found: f64,
        /// The right score.
        expected: f64,
    },
    /// The deepest level is another one.
    #[error("the deepest level is {found}, but {expected} is right")]
    Depth {
        /// The level found.
        found: usize,
        /// The right level.
        expected: usize,
    },
}

/// The relative difference of two sums of the same terms in another order.
const ROUNDING: f64 = 1e-9;

/// Checks scores against Brandes' algorithm as published: a queue, a stack, and out-arcs only. Serial; O(n + m) a source.
///
/// # Errors
///
/// The first score that is wrong.
pub fn verify<A: Rows>(graph: Adjacency<'_, A>, sources: &[u32], found: &Betweenness) -> Result<(), BcWrong> {
    let vertices = graph.bound();
    if found.scores.len() != vertices {
        return Err(BcWrong::Length { found: found.scores.len(), vertices });
    }
    let (mut scores, mut deepest) = (vec![0.0; vertices], 0);
    for &source in sources {
        // Always in the wider numbers, so that the two kinds of numbers are checked against each other.
        let (mut depths, mut paths) = (vec![usize::MAX; vertices], vec![Wide::NONE; vertices]);
        (depths[source as usize], paths[source as usize]) = (0, Wide::ONE);
        let (mut queue, mut next) = (vec![source as usize], 0);
        while let Some(&from) = queue.get(next) {
            next += 1;
            let Some(row) = graph.out().row(from) else { continue };
            row.fold_runs((), |(), run| {
                for to in run.coords().iter().map(|&to| to as usize) {
                    if depths[to] == usize::MAX {
                        depths[to] = depths[from] + 1;
                        queue.push(to);
                    }
                    if depths[to] == depths[from] + 1 {
                        paths[to] = paths[to].plus(paths[from]);
                    }
                }
            });
        }
        deepest = queue.last().map_or(deepest, |&last| deepest.max(depths[last]));
        let mut dependence = vec![0.0; vertices];
        while let Some(from) = queue.pop() {
            let Some(row) = graph.out().row(from) else { continue };
            let sum = row.fold_runs(0.0, |sum, run| {
                let later = run.coords().iter().map(|&to| to as usize).filter(|&to| depths[to] == depths[from] + 1);
                later.fold(sum, |sum, to| sum + paths[from].times(paths[to].divide(1.0 + dependence[to])))
            });
            dependence[from] = sum;
            if from != source as usize {
                scores[from] += sum;
            }
        }
    }
    for (vertex, (&found, &expected)) in found.scores.iter().zip(&scores).enumerate() {
        if !(found == expected || (found - expected).abs() <= ROUNDING * expected.abs()) {
            return Err(BcWrong::Score { vertex, found, expected });
        }
    }
    if found.depth != deepest {
        return Err(BcWrong::Depth { found: found.depth, expected: deepest });
    }
    Ok(())
}
