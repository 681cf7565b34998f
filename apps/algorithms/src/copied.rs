//! Arcs in arrays, for algorithms that take long enough to copy them first. They are then compiled once, whatever holds the graph.

use pleach::Rows;
use pleach::runtime::Fiber;
use pleach::traverse::Adjacency;

use crate::weighs::Weighs;

/// Rows of arcs in arrays, ascending.
pub(crate) struct Copied {
    offsets: Vec<usize>,
    coords: Vec<u32>,
    /// One for each arc; none if all are 1.
    weights: Vec<f64>,
}

impl Copied {
    /// The arcs without weights. O(n + m).
    pub fn places<A: Rows>(rows: &A) -> Self {
        Copied::of(rows, 0, |_, _| ())
    }

    /// The arcs with their weights. O(n + m).
    pub fn weighted<A: Rows<Value: Weighs>>(rows: &A) -> Self {
        if size_of::<A::Value>() == 0 {
            return Copied::places(rows);
        }
        Copied::of(rows, rows.nnz(), |weights, value| weights.push(value.weight()))
    }

    fn of<A: Rows>(rows: &A, weights: usize, keep: impl Fn(&mut Vec<f64>, A::Value)) -> Self {
        let (coords, weights) = (Vec::with_capacity(rows.nnz()), Vec::with_capacity(weights));
        let mut copied = Copied { offsets: vec![0], coords, weights };
        let finder = rows.finder();
        for row in 0..rows.num_rows() {
            if let Some(row) = finder(row) {
                row.fold_runs((), |(), run| {
                    copied.coords.extend_from_slice(run.coords());
                    run.iter().for_each(|(_, value)| keep(&mut copied.weights, value.clone()));
                });
            }
            copied.offsets.push(copied.coords.len());
        }
        copied
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Where the arcs of a vertex are.
    pub fn range(&self, vertex: u32) -> std::ops::Range<usize> {
        self.offsets[vertex as usize]..self.offsets[vertex as usize + 1]
    }

    /// The targets of a vertex's arcs, ascending.
    pub fn near(&self, vertex: u32) -> &[u32] {
        &self.coords[self.range(vertex)]
    }

    /// The weights of a vertex's arcs; none if all are 1.
    pub fn weights(&self, vertex: u32) -> &[f64] {
        self.weights.get(self.range(vertex)).unwrap_or_default()
    }

    /// The weighted sum of `x` over the targets of a vertex's arcs.
    pub fn sum(&self, vertex: u32, x: &[f64]) -> f64 {
        let (near, weights) = (self.near(vertex), self.weights(vertex));
        // Starts from 0, because the sum of no floats is -0 in Rust.
        if weights.is_empty() {
            return near.iter().fold(0.0, |sum, &to| sum + x[to as usize]);
        }
        near.iter().zip(weights).fold(0.0, |sum, (&to, weight)| sum + weight * x[to as usize])
    }

    /// The first arc whose weight is negative, infinite or not a number: row, coordinate and weight.
    pub fn not_a_length(&self) -> Option<(u32, u32, f64)> {
        let wrong = |&weight: &f64| !(0.0..f64::INFINITY).contains(&weight);
        let at = self.weights.iter().position(wrong)?;
        let row = self.offsets.partition_point(|&offset| offset <= at) - 1;
        Some((row as u32, self.coords[at], self.weights[at]))
    }

    /// The targets of a vertex's arcs, and their weights: 1 where arcs have none.
    pub fn arcs(&self, vertex: u32) -> impl Iterator<Item = (u32, f64)> {
        self.range(vertex).map(|at| (self.coords[at], self.weights.get(at).copied().unwrap_or(1.0)))
    }
}

/// Which numbers below the bound are vertices.
pub(crate) fn present<A: Rows>(graph: Adjacency<'_, A>) -> Vec<bool> {
    let mut present = vec![true; graph.bound()];
    graph.absent().for_each(|gap| present[gap as usize] = false);
    present
}
