//! The two-dimensional grid, numbered row by row; every edge is listed once, from its upper or left end.

use pleach::EdgeList;
use pleach::runtime::par_items;

use super::random::Permutation;
use crate::progress::Meter;

pub(super) fn generate(rows: u64, cols: u64, labels: Option<Permutation>, meter: &Meter) -> EdgeList<()> {
    let per_row = 2 * cols - 1;
    let mut edges = super::blank(rows * cols, per_row * rows - cols);
    let label = |v: u64| labels.map_or(v, |labels| labels.at(v)) as u32;
    let lines = edges.src.chunks_mut(per_row as usize).zip(edges.dst.chunks_mut(per_row as usize));
    par_items(lines.enumerate().collect(), |(row, (src, dst))| {
        let first = row as u64 * cols;
        let right = (first..first + cols - 1).map(|v| (v, v + 1));
        let down = (first..first + cols).map(|v| (v, v + cols));
        // The last row has nothing below it, and its chunk ends there.
        for ((src, dst), (u, v)) in src.iter_mut().zip(dst).zip(right.chain(down)) {
            *src = label(u);
            *dst = label(v);
        }
        meter.advance(super::LISTED * src.len() as u64);
    });
    edges
}
