//! Iterators that know how many elements are left.

use std::iter::FusedIterator;

/// An iterator with the number of elements that are left.
#[derive(Clone)]
pub(crate) struct Counted<I> {
    elements: I,
    left: usize,
}

impl<I: Iterator> Counted<I> {
    /// `elements`, of which there are `left`.
    pub(crate) fn new(elements: I, left: usize) -> Self {
        Counted { elements, left }
    }
}

impl<I: Iterator> Iterator for Counted<I> {
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        let element = self.elements.next()?;
        // Rows of a damaged file may hold more than was counted.
        self.left = self.left.saturating_sub(1);
        Some(element)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }

    fn fold<B, F: FnMut(B, I::Item) -> B>(self, init: B, f: F) -> B {
        self.elements.fold(init, f)
    }
}

impl<I: Iterator> ExactSizeIterator for Counted<I> {}

impl<I: FusedIterator> FusedIterator for Counted<I> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_is_too_low_ends_at_zero() {
        let mut elements = Counted::new([1, 2, 3].into_iter(), 2);
        assert_eq!((elements.len(), elements.next(), elements.len()), (2, Some(1), 1));
        assert_eq!((elements.next(), elements.next(), elements.len()), (Some(2), Some(3), 0));
        assert_eq!(elements.next(), None);
    }
}
