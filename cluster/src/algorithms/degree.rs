//! Degrees.

use crate::exchange::Lost;
use crate::part::Part;
use crate::wire::Wire;

/// Out-degrees of a worker's vertices, and those of the whole graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Degrees {
    /// The out-degree of each vertex.
    pub degrees: Vec<u64>,
    /// The smallest of all; 0 without vertices.
    pub min: u64,
    /// The largest of all.
    pub max: u64,
    /// The mean of all; 0 without vertices.
    pub mean: f64,
}

/// The out-degree of each vertex; in an undirected graph, the number of its neighbours.
///
/// # Errors
///
/// [`Lost`], if a worker has ended.
pub fn degrees(part: &Part<'_>, wire: &mut Wire<'_>) -> Result<Degrees, Lost> {
    let degrees: Vec<u64> = part.own.iter().map(|&vertex| part.rows.degree(false, vertex) as u64).collect();
    let min = degrees.iter().copied().min().unwrap_or(u64::MAX);
    let all = wire.all([min, degrees.iter().copied().max().unwrap_or(0)])?;
    let (min, max) = all.iter().fold((u64::MAX, 0), |(min, max), each| (min.min(each[0]), max.max(each[1])));
    let mean = if part.vertices == 0 { 0.0 } else { part.arcs as f64 / part.vertices as f64 };
    Ok(Degrees { degrees, min: if part.vertices == 0 { 0 } else { min }, max, mean })
}
