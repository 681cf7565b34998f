//! Ligra's and Aspen's adjacency arrays: the numbers of vertices and arcs, then offsets, targets and perhaps weights, one a line.

use std::ops::Range;

use super::{Lines, push_number, push_weight};
use crate::input::Input;
use crate::rows::Rows;

pub(super) struct Ligra<'a> {
    vertices: usize,
    rows: Rows<'a>,
}

impl<'a> Ligra<'a> {
    pub(super) fn of(input: &'a Input) -> Self {
        let vertices = input.num_vertices();
        Ligra { vertices, rows: Rows::of(&input.edges, vertices, input.mirrored) }
    }
}

impl Lines for Ligra<'_> {
    fn head(&self) -> Vec<u8> {
        let weighted = if self.rows.weights.is_some() { "Weighted" } else { "" };
        format!("{weighted}AdjacencyGraph\n{}\n{}\n", self.vertices, self.rows.targets.len()).into_bytes()
    }

    fn count(&self) -> usize {
        self.vertices + self.rows.targets.len() + self.rows.weights.as_ref().map_or(0, |weights| weights.len())
    }

    fn format(&self, lines: Range<usize>, text: &mut Vec<u8>) {
        let (n, m) = (self.vertices, self.rows.targets.len());
        for line in lines {
            match &self.rows.weights {
                _ if line < n => push_number(text, self.rows.offsets[line]),
                _ if line < n + m => push_number(text, self.rows.targets[line - n].into()),
                Some(weights) => push_weight(text, weights[line - n - m]),
                None => unreachable!("there are no more lines than offsets and targets"),
            }
            text.push(b'\n');
        }
    }
}
