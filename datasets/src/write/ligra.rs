//! Ligra's and Aspen's adjacency arrays: the numbers of vertices and arcs, then offsets, targets and perhaps weights, one a line.

use std::ops::Range;
use std::path::Path;

use super::{Lines, push_number, push_weight};
use crate::error::Error;
use crate::input::Input;
use crate::rows::Rows;

pub(super) struct Ligra {
    vertices: usize,
    rows: Rows,
}

impl Ligra {
    pub(super) fn of(input: &Input, path: &Path) -> Result<Self, Error> {
        let refused = |reason: String| Error::CannotWrite { path: path.to_owned(), reason };
        if !input.is_square() {
            return Err(refused(
                "files that end in .adj hold graphs, and this is a matrix that is not square".to_owned(),
            ));
        }
        let rows = Rows::of(input).map_err(|error| refused(error.to_string()))?;
        Ok(Ligra { vertices: rows.len(), rows })
    }
}

impl Lines for Ligra {
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
