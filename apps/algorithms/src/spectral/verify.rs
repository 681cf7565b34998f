//! Scores checked as fixed points, by a product that is pushed along out-arcs instead of gathered.

use pleach::Rows;
use pleach::runtime::Fiber;
use pleach::traverse::Adjacency;

use super::{Hits, Scores, Spectral, change, norm, scale, size_of_scores};
use crate::weighs::Weighs;

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
    /// There are more iterations than are allowed, or fewer although the tolerance was not reached.
    #[error(
        "there were {found} iterations, which do not fit the limit of {most} and whether the tolerance was reached"
    )]
    Iterations {
        /// How many there were.
        found: usize,
        /// The limit.
        most: usize,
    },
    /// The scores are not scaled as they are to be.
    #[error("the scores have length {found}, and 1 is right")]
    Scale {
        /// Their length: the root of the sum of their squares, or the sum of hubs or authorities.
        found: f64,
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

/// Checks that there is a score for each vertex.
fn complete(found: &[f64], vertices: usize) -> Result<(), SpectralWrong> {
    if found.len() == vertices { Ok(()) } else { Err(SpectralWrong::Length { found: found.len(), vertices }) }
}

/// Checks the number of iterations, as far as it can be known.
fn counted(found: usize, converged: bool, options: &Spectral) -> Result<(), SpectralWrong> {
    let most = options.iterations;
    match found > most || !converged && found < most {
        true => Err(SpectralWrong::Iterations { found, most }),
        false => Ok(()),
    }
}

/// Checks the length of scores that are not all 0 by their definition.
fn scaled(found: f64) -> Result<(), SpectralWrong> {
    if (found - 1.0).abs() <= 1e-9 { Ok(()) } else { Err(SpectralWrong::Scale { found }) }
}

fn fixed(found: &[f64], bound: usize, expected: Vec<f64>, tolerance: f64) -> Result<(), SpectralWrong> {
    let (change, allowed) = (change(found, &expected), 10.0 * tolerance * (bound as f64 + 1.0));
    if change <= allowed { Ok(()) } else { Err(SpectralWrong::NotFixed { change, allowed }) }
}

/// One product, pushed along the out-arcs, with weights divided by a number: `y(v) = Σ x(u) A(u,v) / unit`.
fn pushed<A: Rows<Value: Weighs>>(rows: &A, x: &[f64], unit: f64) -> Vec<f64> {
    let mut y = vec![0.0; x.len()];
    rows.rows(|from, row| {
        row.fold_runs((), |(), run| {
            for (to, weight) in run.iter() {
                y[to as usize] += weight.weight() / unit * x[from];
            }
        });
    });
    y
}

/// The largest absolute weight; 1 if all are 0.
fn largest<A: Rows<Value: Weighs>>(rows: &A) -> f64 {
    let mut most = 0.0_f64;
    rows.rows(|_, row| {
        row.fold_runs((), |(), run| run.iter().for_each(|(_, weight)| most = most.max(weight.weight().abs())));
    });
    if most == 0.0 { 1.0 } else { most }
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
    complete(&found.scores, graph.bound())?;
    counted(found.iterations, found.converged, options)?;
    if graph.num_vertices() > 0 {
        scaled(norm(&found.scores))?;
    }
    let mut y = pushed(graph.out(), &found.scores, largest(graph.out()));
    let length = norm(&y);
    if length == 0.0 {
        // An eigenvector of the eigenvalue 0.
        return Ok(());
    }
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
    complete(&found.scores, graph.bound())?;
    counted(found.iterations, found.converged, options)?;
    let y = pushed(graph.out(), &found.scores, 1.0);
    // x - α Aᵀ x is β, up to one factor for all vertices.
    let mut betas: Vec<f64> =
        (0..graph.bound() as u32).map(|v| if graph.has_vertex(v) { options.beta } else { 0.0 }).collect();
    options.betas.iter().for_each(|&(vertex, beta)| betas[vertex as usize] = beta);
    let rest = found.scores.iter().zip(&y).map(|(score, y)| score - options.alpha * y);
    let along: f64 = rest.zip(&betas).map(|(rest, beta)| rest * beta).sum();
    let square: f64 = betas.iter().map(|beta| beta * beta).sum();
    let factor = if options.normalised && square > 0.0 { along / square } else { 1.0 };
    if options.normalised && square > 0.0 {
        // Also the opposite of what is right has the right length.
        scaled(if factor > 0.0 { norm(&found.scores) } else { -norm(&found.scores) })?;
    }
    let expected = y.iter().zip(&betas).map(|(y, beta)| options.alpha * y + factor * beta).collect();
    let size = if options.normalised { 1.0 } else { size_of_scores(&betas) };
    fixed(&found.scores, graph.bound(), expected, options.tolerance * size)
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
    complete(&found.hubs, graph.bound())?;
    complete(&found.authorities, graph.bound())?;
    counted(found.iterations, found.converged, options)?;
    let unit = largest(graph.out());
    // They are 0 only where there is nothing to share.
    if pushed(graph.out(), &vec![1.0; graph.bound()], unit).iter().any(|&weight| weight > 0.0) {
        scaled(found.hubs.iter().sum())?;
        scaled(found.authorities.iter().sum())?;
    }
    let authorities = whole(pushed(graph.out(), &found.hubs, unit));
    fixed(&found.authorities, graph.bound(), authorities, options.tolerance)?;
    let Some(incoming) = graph.incoming() else { return Ok(()) };
    fixed(&found.hubs, graph.bound(), whole(pushed(incoming, &found.authorities, unit)), options.tolerance)
}
