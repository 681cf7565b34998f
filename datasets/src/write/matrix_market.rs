//! Matrix Market's coordinate format: arcs that stand for two make a symmetric matrix, of which the lower triangle is listed.

use std::ops::Range;

use super::{Lines, push_nonzeros, push_number, push_weight};
use crate::input::Input;
use crate::tensor::Coo;

pub(super) struct MatrixMarket<'a> {
    pub(super) input: &'a Input,
}

impl Lines for MatrixMarket<'_> {
    fn head(&self) -> Vec<u8> {
        let edges = &self.input.edges;
        let field = if edges.is_weighted() { "real" } else { "pattern" };
        let symmetry = if self.input.mirrored { "symmetric" } else { "general" };
        // A symmetric matrix is square: what was read may not have been.
        let n = self.input.num_vertices();
        let (rows, cols) = if self.input.mirrored { (n, n) } else { (edges.num_rows(), edges.num_cols()) };
        format!("%%MatrixMarket matrix coordinate {field} {symmetry}\n{rows} {cols} {}\n", edges.len()).into_bytes()
    }

    fn count(&self) -> usize {
        self.input.edges.len()
    }

    fn format(&self, arcs: Range<usize>, text: &mut Vec<u8>) {
        let edges = &self.input.edges;
        let (src, dst, weight) = (edges.src(), edges.dst(), edges.weight());
        for k in arcs {
            let (mut row, mut col) = (src[k], dst[k]);
            if self.input.mirrored && row < col {
                (row, col) = (col, row);
            }
            push_number(text, u64::from(row) + 1);
            text.push(b' ');
            push_number(text, u64::from(col) + 1);
            if let Some(weight) = weight {
                text.push(b' ');
                push_weight(text, weight[k]);
            }
            text.push(b'\n');
        }
    }
}

/// A tensor of order 2, or of order 1: a matrix of one column.
pub(super) struct Matrix<'a> {
    pub(super) tensor: &'a Coo,
}

impl Lines for Matrix<'_> {
    fn head(&self) -> Vec<u8> {
        let cols = self.tensor.dims.get(1).copied().unwrap_or(1);
        let (rows, nnz) = (self.tensor.dims[0], self.tensor.nnz());
        format!("%%MatrixMarket matrix coordinate real general\n{rows} {cols} {nnz}\n").into_bytes()
    }

    fn count(&self) -> usize {
        self.tensor.nnz()
    }

    fn format(&self, nonzeros: Range<usize>, text: &mut Vec<u8>) {
        if self.tensor.order() == 2 {
            return push_nonzeros(self.tensor, nonzeros, text);
        }
        for k in nonzeros {
            push_number(text, u64::from(self.tensor.coords[0][k]) + 1);
            text.extend(b" 1 ");
            push_weight(text, self.tensor.values[k]);
            text.push(b'\n');
        }
    }
}
