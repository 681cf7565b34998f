//! The random geometric graph of the 10th DIMACS challenge: points drawn evenly in the unit square, joined where they are nearer
//! than 0.55 · √(ln n / n), which makes the graph almost surely connected (Holtgrewe, Sanders and Schulz, IPDPS 2010).
//!
//! Points are sorted into cells no smaller than the radius, row by row, and numbered in that order. A point's neighbours are then in
//! its own cell, in the next one, or among three consecutive cells below: two ranges of numbers.

use pleach::EdgeList;
use pleach::runtime::{par_items, par_map};
use rayon::slice::ParallelSliceMut;

use super::random::{Permutation, Sequence};
use crate::progress::Meter;

/// Points that one task draws.
const POINTS: usize = 1 << 12;

pub(super) fn generate(scale: u32, seed: u64, labels: Option<Permutation>, meter: &Meter) -> EdgeList<()> {
    let n = 1usize << scale;
    let radius = 0.55 * ((n as f64).ln() / n as f64).sqrt();
    // A cell is at least as wide as the radius; with few points the radius is 0 or large, and one cell a point is enough.
    let side = ((1.0 / radius) as usize).clamp(1, (n as f64).sqrt().ceil() as usize);
    let cell = |x: f64| ((x * side as f64) as usize).min(side - 1);

    let mut points: Vec<(u64, f64, f64)> = par_map(n, POINTS, |i| {
        let mut random = Sequence::of(seed, i as u64);
        let (x, y) = (random.unit(), random.unit());
        ((cell(y) * side + cell(x)) as u64, x, y)
    });
    // Points of one cell stay in the order in which they were drawn.
    points.par_sort_by_key(|&(cell, ..)| cell);
    let first: Vec<usize> = par_map(side * side + 1, POINTS, |c| points.partition_point(|p| p.0 < c as u64));

    let near = |a: &(u64, f64, f64), b: &(u64, f64, f64)| {
        let (dx, dy) = (a.1 - b.1, a.2 - b.2);
        dx * dx + dy * dy < radius * radius
    };
    let rows: Vec<Vec<(u32, u32)>> = par_map(side, 1, |row| {
        let mut edges = Vec::new();
        for col in 0..side {
            let here = row * side + col;
            let (left, right) = (col.saturating_sub(1), (col + 2).min(side));
            let beside = first[row * side + right];
            let below = match row + 1 < side {
                true => first[(row + 1) * side + left]..first[(row + 1) * side + right],
                false => 0..0,
            };
            for u in first[here]..first[here + 1] {
                let candidates = (u + 1..beside).chain(below.clone());
                edges.extend(candidates.filter(|&v| near(&points[u], &points[v])).map(|v| (u as u32, v as u32)));
            }
        }
        meter.advance(super::LISTED * edges.len() as u64);
        edges
    });

    let mut edges = super::blank(n as u64, rows.iter().map(|r| r.len() as u64).sum());
    let (mut src, mut dst) = (&mut edges.src[..], &mut edges.dst[..]);
    let mut places = Vec::with_capacity(rows.len());
    for row in rows {
        let (s, rest) = src.split_at_mut(row.len());
        src = rest;
        let (d, rest) = dst.split_at_mut(row.len());
        dst = rest;
        places.push((row, s, d));
    }
    let label = |v: u32| labels.map_or(v, |labels| labels.at(u64::from(v)) as u32);
    par_items(places, |(row, src, dst): (Vec<_>, &mut [u32], &mut [u32])| {
        for ((edge, src), dst) in row.into_iter().zip(src).zip(dst) {
            *src = label(edge.0);
            *dst = label(edge.1);
        }
    });
    edges
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every pair of points, compared.
    #[test]
    fn joins_exactly_the_points_that_are_near() {
        for (scale, seed) in [(0, 1), (1, 2), (2, 3), (5, 4), (8, 5), (10, 6)] {
            let edges = generate(scale, seed, None, &Meter::new(&Default::default(), 0));
            let degrees = |edges: &BTreeSet<(u32, u32)>| {
                let mut degrees = vec![0; 1 << scale];
                edges.iter().for_each(|&(u, v)| {
                    degrees[u as usize] += 1;
                    degrees[v as usize] += 1;
                });
                degrees.sort_unstable();
                degrees
            };
            let n = 1u64 << scale;
            let radius = 0.55 * ((n as f64).ln() / n as f64).sqrt();
            let points: Vec<(f64, f64)> = (0..n)
                .map(|i| {
                    let mut random = Sequence::of(seed, i);
                    (random.unit(), random.unit())
                })
                .collect();
            let mut expected = BTreeSet::new();
            for (u, a) in points.iter().enumerate() {
                for (v, b) in points.iter().enumerate().skip(u + 1) {
                    if (a.0 - b.0).hypot(a.1 - b.1) < radius {
                        expected.insert((u as u32, v as u32));
                    }
                }
            }
            let found: BTreeSet<_> = edges.src.iter().copied().zip(edges.dst.iter().copied()).collect();
            assert_eq!(found.len(), edges.len(), "an edge is listed twice");
            assert_eq!(found.len(), expected.len());
            // The generator numbers points by cell, so graphs are compared by their degrees.
            assert_eq!(degrees(&found), degrees(&expected));
        }
    }
}
