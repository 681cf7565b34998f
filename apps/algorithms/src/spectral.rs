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
//! All are power iterations; that of eigenvectors is with `Aᵀ + I`, which has the same vectors and converges on bipartite graphs, too. They end
//! when the entries change by less than the tolerance each on average (the sum of absolute changes by less than `n` times it). An iteration
//! reads every arc once (HITS twice), and gathers: the result is the same on any number of threads. Katz converges if `α` is below `1/λ`.

use pleach::Rows;
use pleach::runtime::par_map;
use pleach::traverse::Adjacency;

use crate::copied::{Copied, present};
use crate::error::{UnfitGraph, in_arcs};
use crate::weighs::Weighs;

/// When an iteration ends.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Spectral {
    /// The mean absolute change of an entry at which it ends. Default 1e-9.
    pub tolerance: f64,
    /// The largest number of iterations. Default 1000.
    pub iterations: usize,
    /// Katz's attenuation. Default 0.1.
    pub alpha: f64,
    /// What every vertex has by itself in Katz's centrality. Default 1.
    pub beta: f64,
}

impl Default for Spectral {
    fn default() -> Self {
        Spectral { tolerance: 1e-9, iterations: 1000, alpha: 0.1, beta: 1.0 }
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

    /// Katz's attenuation, and what every vertex has by itself.
    #[must_use]
    pub fn with_katz(mut self, alpha: f64, beta: f64) -> Self {
        (self.alpha, self.beta) = (alpha, beta);
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
    /// Katz's attenuation, or what every vertex has by itself, is no finite number.
    #[error("alpha and beta must be finite, not {0} and {1}")]
    Katz(f64, f64),
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
    par_map(arcs.len(), ROWS, |row| arcs.arcs(row as u32).map(|(to, weight)| weight * x[to as usize]).sum())
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|value| value * value).sum::<f64>().sqrt()
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
    let arcs = Copied::weighted(in_arcs(graph, "eigenvector")?);
    let present = present(graph);
    let vertices = graph.num_vertices() as f64;
    let start = present.iter().map(|&there| if there { 1.0 / vertices } else { 0.0 }).collect();
    graph.announce("iterations", None);
    Ok(iterate(start, options, vertices, |x| {
        graph.advance(1);
        let mut y = product(&arcs, x);
        y.iter_mut().zip(x).for_each(|(y, x)| *y += x);
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
    let Spectral { alpha, beta, .. } = *options;
    if !alpha.is_finite() || !beta.is_finite() {
        return Err(SpectralError::Katz(alpha, beta));
    }
    let graph = graph.into();
    let arcs = Copied::weighted(in_arcs(graph, "katz")?);
    let present = present(graph);
    graph.announce("iterations", None);
    let step = |x: &[f64]| {
        graph.advance(1);
        let mut y = product(&arcs, x);
        y.iter_mut().zip(&present).for_each(|(y, &there)| *y = if there { alpha * *y + beta } else { 0.0 });
        y
    };
    let mut found = iterate(vec![0.0; arcs.len()], options, graph.num_vertices() as f64, step);
    if !found.scores.iter().all(|score| score.is_finite()) {
        return Err(SpectralError::Diverges(alpha));
    }
    let length = norm(&found.scores);
    scale(&mut found.scores, length);
    Ok(found)
}

fn iterate(mut x: Vec<f64>, options: &Spectral, vertices: f64, step: impl Fn(&[f64]) -> Vec<f64>) -> Scores {
    for iterations in 1..=options.iterations {
        let y = step(&x);
        let moved = change(&x, &y);
        x = y;
        // What grows beyond all numbers does not converge.
        if moved < vertices * options.tolerance || vertices == 0.0 || moved.is_nan() {
            return Scores { scores: x, iterations, converged: !moved.is_nan() };
        }
    }
    Scores { scores: x, iterations: options.iterations, converged: false }
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
    let (incoming, out) = (Copied::weighted(in_arcs(graph, "hits")?), Copied::weighted(graph.out()));
    let vertices = graph.num_vertices() as f64;
    let whole = |mut x: Vec<f64>| {
        let sum = x.iter().sum();
        scale(&mut x, sum);
        x
    };
    let start = whole(present(graph).iter().map(|&there| f64::from(u8::from(there))).collect());
    graph.announce("iterations", None);
    let found = iterate(start, options, vertices, |hubs| {
        graph.advance(1);
        whole(product(&out, &product(&incoming, hubs)))
    });
    let authorities = whole(product(&incoming, &found.scores));
    Ok(Hits { hubs: found.scores, authorities, iterations: found.iterations, converged: found.converged })
}

/// What is wrong with scores.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpectralWrong {
    /// There are not as many scores as vertices.
    #[error("there are {found} scores for {vertices} vertices")]
    Length {
        /// How many there are.
        found: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// The scores are no fixed point.
    #[error("a further step changes the scores by {change}, and {allowed} is allowed")]
    NotFixed {
        /// The sum of absolute changes.
        change: f64,
        /// The largest one that is right.
        allowed: f64,
    },
}

fn fixed(found: &[f64], bound: usize, expected: Vec<f64>, tolerance: f64) -> Result<(), SpectralWrong> {
    if found.len() != bound {
        return Err(SpectralWrong::Length { found: found.len(), vertices: bound });
    }
    let (change, allowed) = (change(found, &expected), 10.0 * tolerance * (bound as f64 + 1.0));
    if change <= allowed { Ok(()) } else { Err(SpectralWrong::NotFixed { change, allowed }) }
}

/// One product, pushed along the out-arcs: `y(v) = Σ x(u) A(u,v)`.
fn pushed<A: Rows<Value: Weighs>>(rows: &A, x: &[f64]) -> Vec<f64> {
    let mut y = vec![0.0; x.len()];
    rows.rows(|from, row| {
        use pleach::runtime::Fiber;
        row.fold_runs((), |(), run| {
            for (to, weight) in run.iter() {
                y[to as usize] += weight.weight() * x[from];
            }
        });
    });
    y
}

/// Checks that eigenvector centralities are a fixed point, by a product that is pushed along out-arcs instead of gathered.
///
/// # Errors
///
/// By how much they are not.
pub fn verify_eigenvector<A: Rows<Value: Weighs>>(
    graph: Adjacency<'_, A>,
    options: &Spectral,
    found: &Scores,
) -> Result<(), SpectralWrong> {
    let mut y = pushed(graph.out(), &found.scores);
    y.iter_mut().zip(&found.scores).for_each(|(y, x)| *y += x);
    let length = norm(&y);
    scale(&mut y, length);
    fixed(&found.scores, graph.bound(), y, options.tolerance)
}

/// Checks that Katz centralities are a fixed point up to their scale, in the same way.
///
/// # Errors
///
/// By how much they are not.
pub fn verify_katz<A: Rows<Value: Weighs>>(
    graph: Adjacency<'_, A>,
    options: &Spectral,
    found: &Scores,
) -> Result<(), SpectralWrong> {
    let y = pushed(graph.out(), &found.scores);
    // x - α Aᵀ x is the same for every vertex: β, scaled.
    let rest: Vec<f64> =
        graph.vertices().map(|vertex| found.scores[vertex as usize] - options.alpha * y[vertex as usize]).collect();
    let mean = rest.iter().sum::<f64>() / rest.len().max(1) as f64;
    let expected = (0..graph.bound() as u32)
        .map(|vertex| if graph.has_vertex(vertex) { options.alpha * y[vertex as usize] + mean } else { 0.0 })
        .collect();
    fixed(&found.scores, graph.bound(), expected, options.tolerance)
}

/// Checks that hubs are a fixed point, in the same way, and that authorities follow from them.
///
/// # Errors
///
/// By how much they are not.
pub fn verify_hits<A: Rows<Value: Weighs>>(
    graph: Adjacency<'_, A>,
    options: &Spectral,
    found: &Hits,
) -> Result<(), SpectralWrong> {
    let whole = |mut x: Vec<f64>| {
        let sum = x.iter().sum();
        scale(&mut x, sum);
        x
    };
    let authorities = whole(pushed(graph.out(), &found.hubs));
    fixed(&found.authorities, graph.bound(), authorities, options.tolerance)?;
    let Some(incoming) = graph.incoming() else { return Ok(()) };
    fixed(&found.hubs, graph.bound(), whole(pushed(incoming, &found.authorities)), options.tolerance)
}
