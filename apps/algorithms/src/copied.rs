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
            let begin = copied.coords.len();
            if let Some(row) = finder(row) {
                row.fold_runs((), |(), run| {
                    copied.coords.extend_from_slice(run.coords());
                    run.iter().for_each(|(_, value)| keep(&mut copied.weights, value.clone()));
                });
            }
            if !<A::Fiber<'_> as Fiber<'_>>::ORDERED {
                copied.sort_from(begin);
            }
            copied.offsets.push(copied.coords.len());
        }
        copied
    }

    /// Sorts the arcs from a position on by their coordinates.
    fn sort_from(&mut self, begin: usize) {
        let coords = &mut self.coords[begin..];
        let Some(weights) = self.weights.get_mut(begin..).filter(|weights| !weights.is_empty()) else {
            return coords.sort_unstable();
        };
        let mut arcs: Vec<(u32, f64)> = coords.iter().copied().zip(weights.iter().copied()).collect();
        arcs.sort_unstable_by_key(|arc| arc.0);
        for ((coord, weight), arc) in coords.iter_mut().zip(weights).zip(arcs) {
            (*coord, *weight) = arc;
        }
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
        self.first(|weight| !(0.0..f64::INFINITY).contains(&weight))
    }

    /// The first arc whose weight is infinite or not a number: row, coordinate and weight.
    pub fn not_finite(&self) -> Option<(u32, u32, f64)> {
        self.first(|weight| !weight.is_finite())
    }

    fn first(&self, is_wrong: impl Fn(f64) -> bool) -> Option<(u32, u32, f64)> {
        let at = self.weights.iter().position(|&weight| is_wrong(weight))?;
        let row = self.offsets.partition_point(|&offset| offset <= at) - 1;
        Some((row as u32, self.coords[at], self.weights[at]))
    }

    /// The arcs with their weights, which are finite, times a power of two: the largest absolute value is then at least 1 and below 2, unless all
    /// weights are 0. So sums and products do not overflow. Only weights that are far smaller than the largest lose digits.
    pub fn scaled(mut self) -> Self {
        let most = self.weights.iter().fold(0.0, |most: f64, weight| most.max(weight.abs()));
        let power = if most > 0.0 { -exponent(most) } else { 0 };
        if power != 0 {
            // In two steps, because the power itself may overflow.
            let (one, other) = (2f64.powi(power / 2), 2f64.powi(power - power / 2));
            self.weights.iter_mut().for_each(|weight| {
                *weight *= one;
                *weight *= other;
            });
        }
        self
    }

    /// The targets of a vertex's arcs, and their weights: 1 where arcs have none.
    pub fn arcs(&self, vertex: u32) -> impl Iterator<Item = (u32, f64)> {
        self.range(vertex).map(|at| (self.coords[at], self.weights.get(at).copied().unwrap_or(1.0)))
    }
}

/// The exponent of the largest power of two that is not above a positive number.
fn exponent(number: f64) -> i32 {
    const BITS: u32 = f64::MANTISSA_DIGITS - 1;
    match number >= f64::MIN_POSITIVE {
        true => (number.to_bits() >> BITS) as i32 - (f64::MAX_EXP - 1),
        false => exponent(number * 2f64.powi(BITS as i32)) - BITS as i32,
    }
}

/// Which numbers below the bound are vertices.
pub(crate) fn present<A: Rows>(graph: Adjacency<'_, A>) -> Vec<bool> {
    let mut present = vec![true; graph.bound()];
    graph.absent().for_each(|gap| present[gap as usize] = false);
    present
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach::Csr;

    #[test]
    fn weights_of_any_size_are_scaled_without_a_loss() {
        let least = f64::from_bits(1);
        for (most, other) in [(1.5, -0.25), (-3.0, 1.0), (f64::MAX, -1e300), (3.0 * least, least), (0.0, -0.0)] {
            let rows = Csr::from_entries(2, 2, [(0, 1, most), (1, 0, other)]).unwrap();
            let scaled = Copied::weighted(&rows).scaled();
            let (first, second) = (scaled.weights(0)[0], scaled.weights(1)[0]);
            assert!(most == 0.0 || (1.0..2.0).contains(&first.abs()), "{most}: {first}");
            assert!(most == 0.0 || second * (most / first) == other, "{other}: {second}");
        }
    }
}
