//! Verifiers: distances come from this crate's searches, and are summed one by one.

use pleach::Rows;
use pleach::traverse::Adjacency;

use super::{Centralities, Closeness};
use crate::bfs::{UNREACHED, bfs};
use crate::sssp::{Sssp, Weight, sssp};

/// What is wrong with centralities.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ClosenessWrong {
    /// There are not as many values as vertices.
    #[error("there are {found} values for {vertices} vertices")]
    Length {
        /// How many there are.
        found: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// A value is not that of the definition.
    #[error("vertex {vertex} has closeness {closeness} and harmonic centrality {harmonic}, but {expected:?} are right")]
    Value {
        /// The vertex.
        vertex: u32,
        /// Its closeness.
        closeness: f64,
        /// Its harmonic centrality.
        harmonic: f64,
        /// The right values.
        expected: (f64, f64),
    },
}

/// Checks both centralities against distances by this crate's breadth-first search.
///
/// # Errors
///
/// The first value that is wrong.
pub fn verify<A: Rows>(
    graph: Adjacency<'_, A>,
    options: &Closeness,
    found: &Centralities,
) -> Result<(), ClosenessWrong> {
    checked(graph, options, found, |graph, vertex| {
        let depths = bfs(graph, vertex).map(|found| found.depths).unwrap_or_default();
        depths.into_iter().filter(|&depth| depth != UNREACHED).map(f64::from).collect()
    })
}

/// Checks both weighted centralities against distances by this crate's shortest paths.
///
/// # Errors
///
/// The first value that is wrong.
pub fn verify_weighted<A: Rows<Value: Weight>>(
    graph: Adjacency<'_, A>,
    options: &Closeness,
    found: &Centralities,
) -> Result<(), ClosenessWrong> {
    checked(graph, options, found, |graph, vertex| {
        let lengths = sssp(graph, vertex, &Sssp::default()).map(|found| found.distances).unwrap_or_default();
        lengths.into_iter().filter(|&length| length < f64::INFINITY).collect()
    })
}

/// Checks both centralities. `search` returns the distances of all vertices that a vertex reaches, its own distance 0 among them; it gets
/// the reversed graph.
fn checked<A: Rows>(
    graph: Adjacency<'_, A>,
    options: &Closeness,
    found: &Centralities,
    search: impl Fn(Adjacency<'_, A>, u32) -> Vec<f64>,
) -> Result<(), ClosenessWrong> {
    let bound = graph.bound();
    for found in [found.closeness.len(), found.harmonic.len()] {
        if found != bound {
            return Err(ClosenessWrong::Length { found, vertices: bound });
        }
    }
    let near = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-9 * b.abs();
    for vertex in 0..bound as u32 {
        let (closeness, harmonic) = (found.closeness[vertex as usize], found.harmonic[vertex as usize]);
        let mut expected = (0.0, 0.0);
        if graph.has_vertex(vertex)
            && let Some(reversed) = graph.reversed()
        {
            let distances = search(reversed, vertex);
            let apart = distances.iter().filter(|&&distance| distance > 0.0);
            expected.1 = apart.map(|distance| 1.0 / distance).fold(0.0, std::ops::Add::add);
            let (count, total) = (distances.len().saturating_sub(1) as f64, distances.iter().sum::<f64>());
            if total > 0.0 {
                expected.0 = count / total;
                if options.scaled {
                    expected.0 *= count / (graph.num_vertices() as f64 - 1.0);
                }
            }
        }
        if !near(closeness, expected.0) || !near(harmonic, expected.1) {
            return Err(ClosenessWrong::Value { vertex, closeness, harmonic, expected });
        }
    }
    Ok(())
}
