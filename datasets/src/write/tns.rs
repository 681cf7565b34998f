//! FROSTT's coordinates, with a comment that says the dimensions: the lines alone do not show empty slices at the end.

use std::ops::Range;

use super::{Lines, push_nonzeros};
use crate::read::tns::DIMENSIONS;
use crate::tensor::Coo;

pub(super) struct Tns<'a> {
    pub(super) tensor: &'a Coo,
}

impl Lines for Tns<'_> {
    fn head(&self) -> Vec<u8> {
        let mut head = DIMENSIONS.to_owned();
        self.tensor.dims.iter().for_each(|size| head += &format!(" {size}"));
        head.push('\n');
        head.into_bytes()
    }

    fn count(&self) -> usize {
        self.tensor.nnz()
    }

    fn format(&self, nonzeros: Range<usize>, text: &mut Vec<u8>) {
        push_nonzeros(self.tensor, nonzeros, text);
    }
}
