//! A tensor as an array of cells.

use super::number::Number;
use crate::notation::ast::ValueType;

/// A tensor as an array of cells in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Extent of each dimension; empty for a scalar.
    pub shape: Vec<usize>,
    /// The type of its values.
    pub value: ValueType,
    /// The value of cells that are not stored; `None` if it is not declared, and no statement has decided it yet.
    pub fill: Option<Number>,
    /// Whether more cells may be stored than those that are entries: a mask then goes by values.
    pub by_value: bool,
    /// Whether every cell has a value in memory, so that only the removal of entries needs its fill.
    pub full: bool,
    /// The cells; `None` if not stored.
    pub cells: Vec<Option<Number>>,
}

impl Tensor {
    /// A tensor of `shape` in which nothing is stored.
    pub fn empty(shape: Vec<usize>, value: ValueType) -> Tensor {
        let cells = vec![None; shape.iter().product()];
        Tensor { shape, value, fill: None, by_value: false, full: false, cells }
    }

    /// A dense tensor with the given cells.
    pub fn dense(shape: Vec<usize>, value: ValueType, cells: Vec<Number>) -> Tensor {
        assert_eq!(shape.iter().product::<usize>(), cells.len(), "one cell for each place");
        Tensor {
            shape,
            value,
            fill: None,
            by_value: true,
            full: true,
            cells: cells.into_iter().map(|x| Some(x.cast(value))).collect(),
        }
    }

    pub(super) fn fill(&self) -> Number {
        self.fill.unwrap_or(Number::Int(0)).cast(self.value)
    }

    /// The value of every cell, stored or not.
    pub fn values(&self) -> Vec<Number> {
        self.cells.iter().map(|cell| cell.unwrap_or(self.fill())).collect()
    }
}
