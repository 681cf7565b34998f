//! The random geometric graph of the 10th DIMACS challenge: points drawn evenly in the unit square, joined where they are nearer
//! than 0.55 · √(ln n / n), which makes the graph almost surely connected (Holtgrewe, Sanders and Schulz, IPDPS 2010).
//!
//! Points are sorted into cells no smaller than the radius, row by row, and numbered in that order. A point's neighbours are then in
//! its own cell, in the next one, or among three consecutive cells below: two ranges of numbers.

use std::ops::Range;

use pleach::EdgeList;
use pleach::runtime::{par_items, par_map};
use rayon::slice::ParallelSliceMut;

use super::random::{Permutation, Sequence};
use crate::progress::Meter;

/// Points that one task draws.
const POINTS: usize = 1 << 12;

/// The grid of cells over the unit square.
#[derive(Clone, Copy)]
pub(super) struct Cells {
    points: usize,
    seed: u64,
    radius: f64,
    /// Number of cells in a row, and number of rows.
    side: usize,
}

/// A point with its cell and its coordinates.
type Point = (u64, f64, f64);

impl Cells {
    pub(super) fn new(scale: u32, seed: u64) -> Cells {
        let n = 1usize << scale;
        let radius = 0.55 * ((n as f64).ln() / n as f64).sqrt();
        // A cell is at least as wide as the radius; with few points the radius is 0 or large, and one cell a point is enough.
        let side = ((1.0 / radius) as usize).clamp(1, (n as f64).sqrt().ceil() as usize);
        Cells { points: n, seed, radius, side }
    }

    /// How many rows of cells there are.
    pub(super) fn rows(&self) -> usize {
        self.side
    }

    fn draw(&self, k: usize) -> Point {
        let mut random = Sequence::of(self.seed, k as u64);
        let (x, y) = (random.unit(), random.unit());
        let cell = |x: f64| ((x * self.side as f64) as usize).min(self.side - 1);
        ((cell(y) * self.side + cell(x)) as u64, x, y)
    }

    /// The points of some rows, and those of the following row, which may be their neighbours.
    pub(super) fn band(&self, rows: Range<usize>) -> Band {
        let cells = (rows.start * self.side) as u64..((rows.end + 1).min(self.side) * self.side) as u64;
        let drawn = par_map(self.points.div_ceil(POINTS), 1, |task| {
            let (mut kept, mut before) = (Vec::new(), 0);
            for point in (task * POINTS..self.points.min((task + 1) * POINTS)).map(|k| self.draw(k)) {
                before += usize::from(point.0 < cells.start);
                kept.extend(cells.contains(&point.0).then_some(point));
            }
            (kept, before)
        });
        let before = drawn.iter().map(|(_, before)| before).sum();
        let mut points: Vec<Point> = drawn.into_iter().flat_map(|(kept, _)| kept).collect();
        // Points of one cell stay in the order in which they were drawn.
        points.par_sort_by_key(|&(cell, ..)| cell);
        let count = (cells.end - cells.start) as usize + 1;
        let first = par_map(count, POINTS, |c| points.partition_point(|p| p.0 < cells.start + c as u64));
        Band { cells: *self, top: rows.start, before, points, first }
    }
}

/// The points of some rows of cells, sorted by cells.
pub(super) struct Band {
    cells: Cells,
    /// The first of the rows, and the number of points in the rows before it.
    top: usize,
    before: usize,
    points: Vec<Point>,
    /// The first point of each cell.
    first: Vec<usize>,
}

impl Band {
    /// The edges from the points of a row to points with higher numbers.
    pub(super) fn edges(&self, row: usize) -> Vec<(u32, u32)> {
        let Band { cells: Cells { side, radius, .. }, top, before, points, first } = self;
        let near = |a: &Point, b: &Point| {
            let (dx, dy) = (a.1 - b.1, a.2 - b.2);
            dx * dx + dy * dy < radius * radius
        };
        let mut edges = Vec::new();
        for col in 0..*side {
            let here = (row - top) * side + col;
            let (left, right) = (col.saturating_sub(1), (col + 2).min(*side));
            let beside = first[(row - top) * side + right];
            let below = match row + 1 < *side {
                true => first[(row - top + 1) * side + left]..first[(row - top + 1) * side + right],
                false => 0..0,
            };
            for u in first[here]..first[here + 1] {
                let candidates = (u + 1..beside).chain(below.clone());
                let near = candidates.filter(|&v| near(&points[u], &points[v]));
                edges.extend(near.map(|v| ((before + u) as u32, (before + v) as u32)));
            }
        }
        edges
    }
}

pub(super) fn generate(scale: u32, seed: u64, labels: Option<Permutation>, meter: &Meter) -> EdgeList<()> {
    let cells = Cells::new(scale, seed);
    let band = cells.band(0..cells.rows());
    let rows: Vec<Vec<(u32, u32)>> = par_map(cells.rows(), 1, |row| {
        let edges = band.edges(row);
        meter.advance(super::LISTED * edges.len() as u64);
        edges
    });

    let mut edges = super::blank(1 << scale, rows.iter().map(|r| r.len() as u64).sum());
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
