//! Random walks along out-arcs, as node2vec takes them.
//!
//! From `v`, reached from `u`, the next vertex is `x` with a probability in proportion to
//!
//! ```text
//!   w(v,x) / p   if x = u            w(v,x)   if there is an arc from u to x           w(v,x) / q   otherwise
//! ```
//!
//! (Grover & Leskovec, *node2vec*, KDD 2016); with `p = q = 1` each arc counts by its weight alone. A walk ends early at a vertex without out-arcs.
//! Every walk draws from numbers of its own, so the result depends on the seed alone. O(d log d) time a step for degree `d`; walks are taken in parallel.

use pleach::Rows;
use pleach::runtime::{GOLDEN, SplitMix64, mix, par_map};
use pleach::traverse::Adjacency;

use crate::ABSENT;
use crate::copied::Copied;
use crate::error::NoSuchVertex;
use crate::weighs::Weighs;

/// Options of walks.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct Walks {
    /// Arcs of a walk. Default 10.
    pub length: usize,
    /// The larger, the less a walk returns at once. Default 1.
    pub p: f64,
    /// The larger, the nearer a walk stays. Default 1.
    pub q: f64,
    /// Seed of the random numbers. Default 0.
    pub seed: u64,
}

impl Default for Walks {
    fn default() -> Self {
        Walks { length: 10, p: 1.0, q: 1.0, seed: 0 }
    }
}

impl Walks {
    /// The number of arcs of a walk.
    #[must_use]
    pub fn with_length(mut self, length: usize) -> Self {
        self.length = length;
        self
    }

    /// The parameters of returning and of staying near.
    #[must_use]
    pub fn with_bias(mut self, p: f64, q: f64) -> Self {
        (self.p, self.q) = (p, q);
        self
    }

    /// The seed of the random numbers.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
}

/// Why walks cannot be taken.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WalksError {
    /// A start is not in the graph.
    #[error(transparent)]
    Start(#[from] NoSuchVertex),
    /// A parameter is not a positive number.
    #[error("p and q must be positive and finite, not {0} and {1}")]
    Bias(f64, f64),
    /// A weight is negative or not finite.
    #[error("weights must be finite and not negative, but the arc from {from} to {to} (numbered from 0) has {weight}")]
    Weight {
        /// Its source.
        from: u32,
        /// Its target.
        to: u32,
        /// Its weight.
        weight: f64,
    },
    /// The walks are more numbers than memory can hold.
    #[error("{walks} walks of {length} arcs are too many numbers")]
    TooLarge {
        /// Number of walks.
        walks: usize,
        /// Arcs of each.
        length: usize,
    },
}

/// Walks that one task takes.
const SOME: usize = 16;

/// The most vertices that all walks may list.
const MOST: usize = 1 << 33;

/// Takes a walk from each start: its vertices, `length + 1` of them, with [`ABSENT`] behind the end of one that ends early, one walk after the other.
///
/// # Errors
///
/// [`WalksError`] names a start, a weight or an option that is wrong.
pub fn walks<'a, A: Rows<Value: Weighs> + 'a>(
    graph: impl Into<Adjacency<'a, A>>,
    starts: &[u32],
    options: &Walks,
) -> Result<Vec<u32>, WalksError> {
    let graph = graph.into();
    for &start in starts {
        NoSuchVertex::check(start, graph)?;
    }
    let Walks { length, p, q, .. } = *options;
    let is_bias = |bias: f64| bias > 0.0 && bias.is_finite() && (1.0 / bias).is_finite();
    if !(is_bias(p) && is_bias(q)) {
        return Err(WalksError::Bias(p, q));
    }
    let all = length.checked_add(1).and_then(|each| each.checked_mul(starts.len()));
    if all.is_none_or(|all| all > MOST) {
        return Err(WalksError::TooLarge { walks: starts.len(), length });
    }
    let arcs = Copied::weighted(graph.out());
    for from in 0..arcs.len() as u32 {
        if let Some((to, weight)) = arcs.arcs(from).find(|arc| !(arc.1 >= 0.0 && arc.1.is_finite())) {
            return Err(WalksError::Weight { from, to, weight });
        }
    }
    graph.announce("walks", Some(starts.len()));
    Ok(par_map(starts.len(), SOME, |k| {
        graph.advance(1);
        walk(&arcs, starts[k], k as u64, options)
    })
    .concat())
}

fn walk(arcs: &Copied, start: u32, number: u64, options: &Walks) -> Vec<u32> {
    // Mixed, since the generator itself goes on by this constant: one walk would draw what the next one draws a step later.
    let mut random = SplitMix64(mix(mix(options.seed.wrapping_add(GOLDEN)) ^ number.wrapping_mul(GOLDEN)));
    let (back, on) = (1.0 / options.p, 1.0 / options.q);
    let largest = back.max(on).max(1.0);
    let (back, near, on) = (back / largest, 1.0 / largest, on / largest);
    let mut walk = Vec::with_capacity(options.length + 1);
    walk.push(start);
    let (mut before, mut at, mut chances) = (None, start, Vec::new());
    for _ in 0..options.length {
        chances.clear();
        // Parts of the largest weight, so that their sum is finite.
        let most = arcs.arcs(at).fold(0.0, |most: f64, (_, weight)| most.max(weight));
        if most == 0.0 {
            break;
        }
        let mut sum = 0.0;
        for (to, weight) in arcs.arcs(at) {
            let bias = match before {
                None => 1.0,
                Some(before) if to == before => back,
                Some(before) if arcs.near(before).binary_search(&to).is_err() => on,
                Some(_) => near,
            };
            sum += weight / most * bias;
            chances.push(sum);
        }
        let drawn = (random.bits() >> 11) as f64 / (1u64 << 53) as f64 * sum;
        let chosen = chances.partition_point(|&chance| chance <= drawn).min(chances.len() - 1);
        (before, at) = (Some(at), arcs.near(at)[chosen]);
        walk.push(at);
    }
    walk.resize(options.length + 1, ABSENT);
    walk
}

/// What is wrong with walks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WalksWrong {
    /// There are not as many vertices as the starts and the length ask for.
    #[error("the walks list {0} vertices, and they should list {1}")]
    Length(usize, usize),
    /// A walk does not begin at its start, takes an arc that is missing or weighs 0, or ends although it could go on.
    #[error("step {step} of walk {walk} is wrong")]
    Step {
        /// The walk.
        walk: usize,
        /// The step, from 0.
        step: usize,
    },
}

/// Checks that walks begin at their starts, follow arcs of positive weight, and end early only where no arc with a positive weight leads on.
///
/// # Errors
///
/// The first step that is wrong.
pub fn verify<A: Rows<Value: Weighs>>(
    graph: Adjacency<'_, A>,
    starts: &[u32],
    options: &Walks,
    found: &[u32],
) -> Result<(), WalksWrong> {
    use pleach::runtime::Fiber;
    let each = options.length + 1;
    if found.len() != starts.len() * each {
        return Err(WalksWrong::Length(found.len(), starts.len() * each));
    }
    for (walk, (&start, vertices)) in starts.iter().zip(found.chunks(each)).enumerate() {
        if vertices[0] != start {
            return Err(WalksWrong::Step { walk, step: 0 });
        }
        for (step, pair) in vertices.windows(2).enumerate() {
            let right = match (pair[0], pair[1]) {
                (ABSENT, to) => to == ABSENT,
                (from, ABSENT) => graph.out().row(from as usize).is_none_or(|row| {
                    row.fold_runs(true, |none, run| none && run.iter().all(|(_, weight)| weight.weight() == 0.0))
                }),
                (from, to) => {
                    let taken = |weight: &A::Value| weight.weight() > 0.0;
                    graph.out().row(from as usize).is_some_and(|row| row.locate(to).is_some_and(taken))
                }
            };
            if !right {
                return Err(WalksWrong::Step { walk, step: step + 1 });
            }
        }
    }
    Ok(())
}
