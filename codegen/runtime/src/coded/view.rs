//! Difference-coded elements as a fiber: runs are decoded blocks.

use std::ops::ControlFlow;

use super::{Coded, CodedBlocks, GROUP};
use crate::{Coord, Fiber, Run, Runs, Value};

/// Coded coordinates and their values.
pub struct CodedView<'a, C, V> {
    coords: Coded<'a, C>,
    values: &'a [V],
}

impl<C: Copy, V> Clone for CodedView<'_, C, V> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Copy, V> Copy for CodedView<'_, C, V> {}

impl<'a, C: Coord, V> CodedView<'a, C, V> {
    /// The coordinates above `base` at the front of `bytes`, one for each value. Bytes behind them are not looked at, but may make
    /// decoding faster.
    #[inline(always)]
    pub fn new(bytes: &'a [u8], values: &'a [V], base: Option<C>) -> Self {
        CodedView { coords: Coded::new(bytes, values.len(), base), values }
    }

    /// Number of elements.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.values.len()
    }

    /// Whether there are no elements.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.values.is_empty()
    }

    /// The coded coordinates.
    #[inline(always)]
    pub fn coords(self) -> Coded<'a, C> {
        self.coords
    }

    /// The values, in the order of the coordinates.
    #[inline(always)]
    pub fn values(self) -> &'a [V] {
        self.values
    }

    /// The coordinates, decoded.
    pub fn decoded(self) -> Vec<C> {
        let mut coords = vec![C::default(); self.len()];
        self.coords.decode(&mut coords);
        coords
    }
}

impl<'a, C: Coord, V: Value> Fiber<'a> for CodedView<'a, C, V> {
    type Coord = C;
    type Value = V;
    type Runs = CodedRuns<'a, C, V>;
    const ORDERED: bool = true;
    const COUNTED: bool = true;

    #[inline(always)]
    fn len(self) -> usize {
        self.values.len()
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        self.values.is_empty()
    }

    #[inline]
    fn runs(self) -> CodedRuns<'a, C, V> {
        CodedRuns { blocks: self.coords.blocks(), current: &[], rest: self.values }
    }

    #[inline(always)]
    fn try_fold_runs<A, T, F>(self, init: A, mut f: F) -> ControlFlow<T, A>
    where
        F: FnMut(A, Run<'_, 'a, C, V>) -> ControlFlow<T, A>,
    {
        if self.values.len() <= GROUP {
            // Short rows, which are most, are one group each.
            let mut group = [C::default(); GROUP];
            let mut coords = self.coords;
            let n = if self.values.is_empty() { 0 } else { coords.decode_group(&mut group) };
            return f(init, Run::new(&group[..n], self.values));
        }
        let (mut acc, mut rest) = (init, self.values);
        let mut blocks = self.coords.blocks();
        while blocks.advance() {
            let (values, others) = rest.split_at(blocks.coords().len());
            rest = others;
            acc = f(acc, Run::new(blocks.coords(), values))?;
        }
        ControlFlow::Continue(acc)
    }

    /// Linear: differences must be summed up to the coordinate.
    #[inline]
    fn locate(self, coord: C) -> Option<&'a V> {
        self.coords.locate(coord).map(|position| &self.values[position])
    }
}

/// The iterator over the decoded blocks of a [`CodedView`].
pub struct CodedRuns<'a, C, V> {
    blocks: CodedBlocks<'a, C>,
    current: &'a [V],
    rest: &'a [V],
}

impl<'a, C: Coord, V> CodedRuns<'a, C, V> {
    /// The iterator over no elements.
    #[inline]
    pub fn empty() -> Self {
        CodedRuns { blocks: Coded::new(&[], 0, None).blocks(), current: &[], rest: &[] }
    }

    /// Continues with the blocks of another array, in the same buffer.
    #[inline]
    pub fn restart(&mut self, elements: CodedView<'a, C, V>) {
        self.blocks.restart(elements.coords);
        (self.current, self.rest) = (&[], elements.values);
    }
}

impl<'a, C: Coord, V: Value> Runs<'a> for CodedRuns<'a, C, V> {
    type Coord = C;
    type Value = V;

    #[inline]
    fn advance(&mut self) -> bool {
        if !self.blocks.advance() {
            self.current = &[];
            return false;
        }
        (self.current, self.rest) = self.rest.split_at(self.blocks.coords().len());
        true
    }

    #[inline(always)]
    fn run(&self) -> Run<'_, 'a, C, V> {
        if self.current.is_empty() { Run::empty() } else { Run::new(self.blocks.coords(), self.current) }
    }
}
