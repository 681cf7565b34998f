//! A range of the edges of a generated graph. Each worker draws its own range.

use std::ops::Range;

use super::geometric::{Band, Cells};
use super::random::Permutation;
use super::{Generator, erdos_renyi, labels, rmat};
use crate::error::Error;
use crate::input::{Direction, Options};

/// Edges that are drawn at a time.
const EDGES: usize = 1 << 16;

/// A part of a generated graph: some of its edges, or of a geometric graph some rows of cells with their points.
pub(crate) struct Stretch {
    pieces: Range<u64>,
    draw: Draw,
}

enum Draw {
    Rmat { scale: u32, seed: u64, labels: Permutation },
    Grid { cols: u64, rows: u64, labels: Option<Permutation> },
    ErdosRenyi { vertices: u64, directed: bool, pairs: Permutation },
    Geometric { band: Box<Band>, labels: Option<Permutation> },
}

impl Generator {
    /// The number of vertices.
    pub(crate) fn shared_vertices(&self) -> Result<u64, Error> {
        self.check()?;
        Ok(match *self {
            Generator::Rmat { scale, .. } | Generator::Geometric { scale } => 1 << scale,
            Generator::Grid { rows, cols } => rows * cols,
            Generator::ErdosRenyi { vertices, .. } => vertices,
        })
    }

    /// The number of pieces: edges, or rows of cells.
    pub(crate) fn shared_pieces(&self) -> u64 {
        match *self {
            Generator::Grid { rows, cols } => (2 * cols - 1) * rows - cols,
            Generator::Geometric { scale } => Cells::new(scale, 0).rows() as u64,
            _ => self.num_edges(),
        }
    }

    /// The pieces with these numbers. For a geometric graph all points are drawn, and the points of these rows are kept.
    pub(crate) fn stretch(&self, options: &Options, pieces: Range<u64>) -> Stretch {
        let (seed, directed) = (options.seed, options.direction == Some(Direction::Directed));
        let draw = match *self {
            Generator::Rmat { scale, .. } => Draw::Rmat { scale, seed, labels: Permutation::new(seed, 1 << scale) },
            Generator::Grid { rows, cols } => Draw::Grid { cols, rows, labels: labels(options, rows * cols) },
            Generator::ErdosRenyi { vertices, .. } => {
                Draw::ErdosRenyi { vertices, directed, pairs: erdos_renyi::pairs(vertices, directed, seed) }
            }
            Generator::Geometric { scale } => {
                let band = Cells::new(scale, seed).band(pieces.start as usize..pieces.end as usize);
                Draw::Geometric { band: Box::new(band), labels: labels(options, 1 << scale) }
            }
        };
        Stretch { pieces, draw }
    }
}

impl Stretch {
    /// Calls `each` with the ends of the next edges and weight 1. Returns whether there may be more.
    pub(crate) fn next(&mut self, each: &mut dyn FnMut(u64, u64, f64)) -> bool {
        let some = !self.pieces.is_empty();
        if let Draw::Geometric { band, labels } = &self.draw {
            let label = |v: u32| labels.map_or(u64::from(v), |labels| labels.at(u64::from(v)));
            let row = self.pieces.by_ref().take(1);
            row.flat_map(|row| band.edges(row as usize)).for_each(|(src, dst)| each(label(src), label(dst), 1.0));
            return some;
        }
        for k in self.pieces.by_ref().take(EDGES) {
            let (src, dst) = match &self.draw {
                Draw::Rmat { scale, seed, labels } => rmat::at(k, *scale, *seed, labels),
                Draw::ErdosRenyi { vertices, directed, pairs } => erdos_renyi::at(k, *vertices, *directed, pairs),
                Draw::Grid { cols, rows, labels } => {
                    let (src, dst) = grid_edge(k, *cols, *rows);
                    labels.map_or((src, dst), |labels| (labels.at(src), labels.at(dst)))
                }
                Draw::Geometric { .. } => return false,
            };
            each(src, dst, 1.0);
        }
        some
    }
}

/// The edge of a number: in each row first those to the right, then those down.
fn grid_edge(k: u64, cols: u64, rows: u64) -> (u64, u64) {
    let (row, at) = (k / (2 * cols - 1), k % (2 * cols - 1));
    let first = row * cols;
    debug_assert!(row < rows);
    if at < cols - 1 { (first + at, first + at + 1) } else { (first + at + 1 - cols, first + at + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shared;

    #[test]
    fn stretches_are_the_graph() {
        for name in ["rmat:9", "rmat:5:3", "grid:7x5", "grid:1x4", "grid:4x1", "er:50:200", "rgg:11", "rgg:3", "rgg:0"]
        {
            for (seed, direction) in [(0, None), (3, Some(Direction::Directed))] {
                let options = Options::default().with_seed(seed).with_direction(direction).with_permute(seed == 3);
                let input = crate::open(name, &options).unwrap();
                let expected: Vec<(u64, u64)> =
                    input.edges.src().iter().zip(input.edges.dst()).map(|(&s, &d)| (s.into(), d.into())).collect();
                let shared = Shared::open(name, &options).unwrap().unwrap();
                assert_eq!((shared.directed, shared.mirrored), (input.directed, input.mirrored), "{name}");
                for readers in [1, 3, 7] {
                    let (mut found, mut vertices) = (Vec::new(), Vec::new());
                    for reader in 0..readers {
                        let mut share = shared.share(reader, readers).unwrap();
                        while share.next(&mut |s, d, _| found.push((s, d)), &mut |v| vertices.push(v)).unwrap() {}
                    }
                    assert_eq!(found, expected, "{name} by {readers}");
                    assert!(vertices.into_iter().eq(0..input.num_vertices() as u64), "{name} by {readers}");
                }
            }
        }
    }
}
