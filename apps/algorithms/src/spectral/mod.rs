//! Eigenvector centrality, Katz centrality, and hubs and authorities: fixed points of products with the matrix.
//!
//! With `A(u,v)` the weight of the arc from `u` to `v` (1 where arcs have none),
//!
//! ```text
//!   eigenvector   λ x = Aᵀ x                 the largest λ, |x|₂ = 1          (Bonacich, 1987)
//!   Katz          x = α Aᵀ x + β             then scaled to |x|₂ = 1          (Katz, 1953)
//!   HITS          h ∝ A a,  a ∝ Aᵀ h         each scaled to sum 1             (Kleinberg, 1999)
//! ```
//!
//! where `β` may differ from vertex to vertex. All are power iterations; that of eigenvectors is with `Aᵀ + s I`, which has the same vectors and
//! converges on bipartite graphs, too. Weights are scaled so that the largest is about 1, and `s` is the smaller one of 1 and `|Aᵀ x|₂ / |x|₂`:
//! with an `s` far above `λ`, a step would hardly change any `x`. In eigenvector centrality and HITS, weights count by their ratios only.
//! Iterations end when the entries change by less than the tolerance each on average (the sum of absolute changes by less than `n` times it); in
//! Katz's centrality the tolerance is a part of the largest `|β|`. An iteration reads every arc once (HITS twice), and gathers: the result is the
//! same on any number of threads. Katz converges if `α` is below `1/λ`. Weights must be finite, and may be negative.

mod verify;

use pleach::Rows;
use pleach::runtime::par_map;
use pleach::traverse::Adjacency;

use crate::copied::{Copied, present};
use crate::error::{UnfitGraph, in_arcs};
use crate::weighs::Weighs;

pub use self::verify::{SpectralWrong, verify_eigenvector, verify_hits, verify_katz};

/// Where an iteration begins, and when it ends.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct Spectral {
    /// The mean absolute change of an entry at which it ends; in Katz's centrality, divided by the largest `|β|`. Default 1e-9.
    pub tolerance: f64,
    /// The largest number of iterations. Default 1000.
    pub iterations: usize,
    /// `α` in Katz's centrality. Default 0.1.
    pub alpha: f64,
    /// `β` of all vertices in Katz's centrality. Default 1.
    pub beta: f64,
    /// `β` of single vertices in Katz's centrality; all others have `beta`. Default none.
    pub betas: Vec<(u32, f64)>,
    /// Eigenvector or Katz centralities before the first iteration, 0 for vertices that are not named. Empty, the default, means 1 for all
    /// vertices for eigenvector centrality, and 0 for Katz centrality.
    pub start: Vec<(u32, f64)>,
    /// Whether Katz's centralities are scaled. Default true.
    pub normalised: bool,
}

impl Default for Spectral {
    fn default() -> Self {
        Spectral {
            tolerance: 1e-9,
            iterations: 1000,
            alpha: 0.1,
            beta: 1.0,
            betas: Vec::new(),
            start: Vec::new(),
            normalised: true,
        }
    }
}

impl Spectral {
    /// The mean absolute change of an entry at which an iteration ends.
    #[must_use]
    pub fn with_tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// The largest number of iterations.
    #[must_use]
    pub fn with_iterations(mut self, iterations: usize) -> Self {
        self.iterations = iterations;
        self
    }

    /// `α` and `β` of all vertices in Katz's centrality.
    #[must_use]
    pub fn with_katz(mut self, alpha: f64, beta: f64) -> Self {
        (self.alpha, self.beta) = (alpha, beta);
        self
    }

    /// `β` of single vertices in Katz's centrality.
    #[must_use]
    pub fn with_betas(mut self, betas: Vec<(u32, f64)>) -> Self {
        self.betas = betas;
        self
    }

    /// Eigenvector or Katz centralities before the first iteration.
    #[must_use]
    pub fn with_start(mut self, start: Vec<(u32, f64)>) -> Self {
        self.start = start;
        self
    }

    /// Whether Katz's centralities are scaled.
    #[must_use]
    pub fn with_normalised(mut self, normalised: bool) -> Self {
        self.normalised = normalised;
        self
    }
}

/// A vector, and how the iteration went.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Scores {
    /// Score of each vertex; 0 for a number that is not one.
    pub scores: Vec<f64>,
    /// Iterations taken.
    pub iterations: usize,
    /// Whether the tolerance was reached.
    pub converged: bool,
}

/// Hubs and authorities.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Hits {
    /// How good each vertex is as a hub.
    pub hubs: Vec<f64>,
    /// How good each vertex is as an authority.
    pub authorities: Vec<f64>,
    /// Iterations taken.
    pub iterations: usize,
    /// Whether the tolerance was reached.
    pub converged: bool,
}

/// Why scores cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpectralError {
    /// The tolerance is not a positive number.
    #[error("the tolerance must be a positive number, not {0}")]
    Tolerance(f64),
    /// `alpha` or `beta` is infinite or not a number.
    #[error("alpha and beta must be finite, not {0} and {1}")]
    Katz(f64, f64),
    /// `start` or `betas` names a vertex that does not exist.
    #[error("a number is given for vertex {vertex}, but there are only {vertices} vertices")]
    Vertex {
        /// The vertex.
        vertex: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A number in `start` or `betas` is infinite or not a number.
    #[error("numbers that are given for vertices must be finite, but that of vertex {vertex} is {number}")]
    Number {
        /// The vertex.
        vertex: u32,
        /// Its number.
        number: f64,
    },
    /// The weight of an arc is infinite or not a number.
    #[error("weights must be finite, but the arc from {from} to {to} (numbered from 0) has {weight}")]
    Arc {
        /// Source of such an arc.
        from: u32,
        /// Its target.
        to: u32,
        /// Its weight.
        weight: f64,
    },
    /// The entries of `start` sum to zero, so that eigenvector centrality cannot scale them.
    #[error("a first guess is scaled to the sum 1, and this one sums to {0}")]
    Guess(f64),
    /// Katz's scores grow beyond all numbers.
    #[error(
        "the scores grow beyond all numbers: expected an alpha below the inverse of the largest eigenvalue, found {0}"
    )]
    Diverges(f64),
    /// A directed graph keeps no in-arcs.
    #[error(transparent)]
    Graph(#[from] UnfitGraph),
}

/// Rows that one task sums.
const ROWS: usize = 1 << 10;

/// `y(v) = Σ A(v,u) x(u)`.
fn product(arcs: &Copied, x: &[f64]) -> Vec<f64> {
    par_map(arcs.len(), ROWS, |row| arcs.sum(row as u32, x))
}

fn norm(x: &[f64]) -> f64 {
    let squares: f64 = x.iter().map(|value| value * value).sum();
    if squares.is_normal() {
        return squares.sqrt();
    }
    // The squares are too large, or too small, where the numbers are not.
    let most = x.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    if most == 0.0 || !most.is_finite() {
        return most;
    }
    most * x.iter().map(|value| (value / most).powi(2)).sum::<f64>().sqrt()
}

fn scale(x: &mut [f64], by: f64) {
    if by != 0.0 && by.is_finite() {
        x.iter_mut().for_each(|value| *value /= by);
    }
}

fn change(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y).abs()).sum()
}

fn check(options: &Spectral) -> Result<(), SpectralError> {
    if options.tolerance > 0.0 { Ok(()) } else { Err(SpectralError::Tolerance(options.tolerance)) }
}

/// Writes the numbers that are given for single vertices into an array of all vertices.
fn put<A: Rows>(graph: Adjacency<'_, A>, given: &[(u32, f64)], numbers: &mut [f64]) -> Result<(), SpectralError> {
    for &(vertex, number) in given {
        if !graph.has_vertex(vertex) {
            return Err(SpectralError::Vertex { vertex, vertices: graph.num_vertices() });
        }
        if !number.is_finite() {
            return Err(SpectralError::Number { vertex, number });
        }
        numbers[vertex as usize] = number;
    }
    Ok(())
}

/// An array with `number` for each vertex that exists, and 0 for the others.
fn alike(present: &[bool], number: f64) -> Vec<f64> {
    present.iter().map(|&there| if there { number } else { 0.0 }).collect()
}

/// The in-arcs with their weights.
fn incoming<A: Rows<Value: Weighs>>(graph: Adjacency<'_, A>, algorithm: &'static str) -> Result<Copied, SpectralError> {
    let arcs = Copied::weighted(in_arcs(graph, algorithm)?);
    match arcs.not_finite() {
        Some((to, from, weight)) => Err(SpectralError::Arc { from, to, weight }),
        None => Ok(arcs),
    }
}

/// Computes eigenvector centrality by the weights of arcs. A directed graph must keep its in-arcs.
///
/// # Errors
///
/// [`SpectralError`].
pub fn eigenvector<'a, A: Rows<Value: Weighs> + 'a>(
    graph: impl Into<Adjacency<'a, A>>,
    options: &Spectral,
) -> Result<Scores, SpectralError> {
    check(options)?;
    let graph = graph.into();
    let arcs = incoming(graph, "eigenvector")?.scaled();
    let vertices = graph.num_vertices() as f64;
    let start = if options.start.is_empty() {
        alike(&present(graph), 1.0 / vertices)
    } else {
        let mut start = vec![0.0; graph.bound()];
        put(graph, &options.start, &mut start)?;
        let sum: f64 = start.iter().sum();
        if sum == 0.0 || !sum.is_finite() {
            return Err(SpectralError::Guess(sum));
        }
        scale(&mut start, sum);
        start
    };
    graph.announce("iterations", None);
    Ok(iterate(start, options.iterations, vertices * options.tolerance, |x| {
        graph.advance(1);
        let mut y = product(&arcs, x);
        let factor = norm(&y) / norm(x);
        // Where the product is 0, `x` is an eigenvector already.
        let shift = if factor == 0.0 { 1.0 } else { factor.min(1.0) };
        y.iter_mut().zip(x).for_each(|(y, x)| *y += shift * x);
        let length = norm(&y);
        scale(&mut y, length);
        y
    }))
}

/// Computes Katz centrality by the weights of arcs. A directed graph must keep its in-arcs.
///
/// # Errors
///
/// [`SpectralError`].
pub fn katz<'a, A: Rows<Value: Weighs> + 'a>(
    graph: impl Into<Adjacency<'a, A>>,
    options: &Spectral,
) -> Result<Scores, SpectralError> {
    check(options)?;
    let &Spectral { alpha, beta, .. } = options;
    if !alpha.is_finite() || !beta.is_finite() {
        return Err(SpectralError::Katz(alpha, beta));
    }
    let graph = graph.into();
    let arcs = incoming(graph, "katz")?;
    let mut betas = alike(&present(graph), beta);
    put(graph, &options.betas, &mut betas)?;
    let mut start = vec![0.0; arcs.len()];
    put(graph, &options.start, &mut start)?;
    graph.announce("iterations", None);
    let step = |x: &[f64]| {
        graph.advance(1);
        let mut y = product(&arcs, x);
        y.iter_mut().zip(&betas).for_each(|(y, beta)| *y = alpha * *y + beta);
        y
    };
    let allowed = graph.num_vertices() as f64 * options.tolerance * size_of_scores(&betas);
    let mut found = iterate(start, options.iterations, allowed, step);
    if !found.scores.iter().all(|score| score.is_finite()) {
        return Err(SpectralError::Diverges(alpha));
    }
    if options.normalised {
        let length = norm(&found.scores);
        scale(&mut found.scores, length);
    }
    Ok(found)
}

/// The largest `|β|`, to which Katz's scores are proportional; 1 if all are 0.
fn size_of_scores(betas: &[f64]) -> f64 {
    let most = betas.iter().fold(0.0, |most: f64, beta| most.max(beta.abs()));
    if most == 0.0 { 1.0 } else { most }
}

/// Takes at most `most` steps, until one changes the entries by less than `allowed` in all, or not at all.
fn iterate(mut x: Vec<f64>, most: usize, allowed: f64, step: impl Fn(&[f64]) -> Vec<f64>) -> Scores {
    for iterations in 1..=most {
        let y = step(&x);
        let moved = change(&x, &y);
        x = y;
        // What grows beyond all numbers does not converge.
        if moved < allowed || moved == 0.0 || moved.is_nan() {
            return Scores { scores: x, iterations, converged: !moved.is_nan() };
        }
    }
    Scores { scores: x, iterations: most, converged: false }
}

/// Computes hubs and authorities by the weights of arcs. A directed graph must keep its in-arcs.
///
/// # Errors
///
/// [`SpectralError`].
pub fn hits<'a, A: Rows<Value: Weighs> + 'a>(
    graph: impl Into<Adjacency<'a, A>>,
    options: &Spectral,
) -> Result<Hits, SpectralError> {
    check(options)?;
    let graph = graph.into();
    let (incoming, out) = (incoming(graph, "hits")?.scaled(), Copied::weighted(graph.out()).scaled());
    let vertices = graph.num_vertices() as f64;
    let whole = |mut x: Vec<f64>| {
        let sum = x.iter().sum();
        scale(&mut x, sum);
        x
    };
    let start = whole(alike(&present(graph), 1.0));
    graph.announce("iterations", None);
    let found = iterate(start, options.iterations, vertices * options.tolerance, |hubs| {
        graph.advance(1);
        whole(product(&out, &whole(product(&incoming, hubs))))
    });
    let authorities = whole(product(&incoming, &found.scores));
    Ok(Hits { hubs: found.scores, authorities, iterations: found.iterations, converged: found.converged })
}
