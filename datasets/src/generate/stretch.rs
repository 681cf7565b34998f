//! A range of the edges of a generated graph. Each worker draws its own range.

use std::ops::Range;

use super::random::Permutation;
use super::{Generator, erdos_renyi, labels, rmat};
use crate::error::Error;
use crate::input::{Direction, Options};

/// Edges that are drawn at a time.
const EDGES: usize = 1 << 16;

/// Edges of a graph that are drawn one by one.
pub(crate) struct Stretch {
    edges: Range<u64>,
    draw: Draw,
}

enum Draw {
    Rmat { scale: u32, seed: u64, labels: Permutation },
    Grid { cols: u64, rows: u64, labels: Option<Permutation> },
    ErdosRenyi { vertices: u64, directed: bool, pairs: Permutation },
}

impl Generator {
    /// The number of vertices of a graph whose edges can be drawn one by one; `None` for others.
    pub(crate) fn shared_vertices(&self) -> Result<Option<u64>, Error> {
        self.check()?;
        Ok(match *self {
            Generator::Rmat { scale, .. } => Some(1 << scale),
            Generator::Grid { rows, cols } => Some(rows * cols),
            Generator::ErdosRenyi { vertices, .. } => Some(vertices),
            Generator::Geometric { .. } => None,
        })
    }

    /// How many edges can be drawn one by one.
    pub(crate) fn shared_edges(&self) -> u64 {
        match *self {
            Generator::Grid { rows, cols } => (2 * cols - 1) * rows - cols,
            _ => self.num_edges(),
        }
    }

    /// The edges with these numbers.
    pub(crate) fn stretch(&self, options: &Options, edges: Range<u64>) -> Stretch {
        let (seed, directed) = (options.seed, options.direction == Some(Direction::Directed));
        let draw = match *self {
            Generator::Rmat { scale, .. } => Draw::Rmat { scale, seed, labels: Permutation::new(seed, 1 << scale) },
            Generator::Grid { rows, cols } => Draw::Grid { cols, rows, labels: labels(options, rows * cols) },
            Generator::ErdosRenyi { vertices, .. } => {
                Draw::ErdosRenyi { vertices, directed, pairs: erdos_renyi::pairs(vertices, directed, seed) }
            }
            Generator::Geometric { .. } => {
                return Stretch { edges: 0..0, draw: Draw::Grid { cols: 1, rows: 1, labels: None } };
            }
        };
        Stretch { edges, draw }
    }
}

impl Stretch {
    /// Calls `each` with the ends of the next edges, and a weight of 1. Whether there were any.
    pub(crate) fn next(&mut self, each: &mut dyn FnMut(u64, u64, f64)) -> bool {
        let some = !self.edges.is_empty();
        for k in self.edges.by_ref().take(EDGES) {
            let (src, dst) = match &self.draw {
                Draw::Rmat { scale, seed, labels } => rmat::at(k, *scale, *seed, labels),
                Draw::ErdosRenyi { vertices, directed, pairs } => erdos_renyi::at(k, *vertices, *directed, pairs),
                Draw::Grid { cols, rows, labels } => {
                    let (src, dst) = grid_edge(k, *cols, *rows);
                    labels.map_or((src, dst), |labels| (labels.at(src), labels.at(dst)))
                }
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
        for name in ["rmat:9", "rmat:5:3", "grid:7x5", "grid:1x4", "grid:4x1", "er:50:200"] {
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
