//! Arrays that are divided among the tasks of a parallel loop.

use std::ops::{Index, IndexMut, Range};

/// The part of an array that belongs to one task. It is indexed with the positions of the whole array.
///
/// # Panics
///
/// Indexing panics at positions that belong to another task.
pub struct Part<'a, T> {
    elements: &'a mut [T],
    first: usize,
}

impl<T> Index<usize> for Part<'_, T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, position: usize) -> &T {
        &self.elements[position.wrapping_sub(self.first)]
    }
}

impl<T> IndexMut<usize> for Part<'_, T> {
    #[inline(always)]
    fn index_mut(&mut self, position: usize) -> &mut T {
        &mut self.elements[position.wrapping_sub(self.first)]
    }
}

impl<T> Index<Range<usize>> for Part<'_, T> {
    type Output = [T];

    #[inline(always)]
    fn index(&self, positions: Range<usize>) -> &[T] {
        &self.elements[positions.start.wrapping_sub(self.first)..positions.end.wrapping_sub(self.first)]
    }
}

impl<T> IndexMut<Range<usize>> for Part<'_, T> {
    #[inline(always)]
    fn index_mut(&mut self, positions: Range<usize>) -> &mut [T] {
        &mut self.elements[positions.start.wrapping_sub(self.first)..positions.end.wrapping_sub(self.first)]
    }
}

/// An array and which part of it belongs to which iteration.
pub struct Owned<'a, P> {
    pub(super) part: P,
    pub(super) layout: Layout<'a>,
}

/// What an array is divided into: parts of it, and parts of these.
pub(super) trait Divided: Sized {
    /// Position of the first element in the whole array.
    fn first(&self) -> usize;

    /// Number of elements.
    fn len(&self) -> usize;

    /// The first elements, `before` of them, and the others, which begin at position `first`.
    fn split(self, before: usize, first: usize) -> (Self, Self);
}

impl<T> Divided for Part<'_, T> {
    fn first(&self) -> usize {
        self.first
    }

    fn len(&self) -> usize {
        self.elements.len()
    }

    fn split(self, before: usize, first: usize) -> (Self, Self) {
        let (left, right) = self.elements.split_at_mut(before);
        (Part { elements: left, first: self.first }, Part { elements: right, first })
    }
}

#[derive(Clone, Copy)]
pub(super) enum Layout<'a> {
    Each { offset: usize, stride: usize },
    Segments { pos: &'a [usize], stride: usize },
    Listed { offset: usize, stride: usize, crd: &'a [u32] },
}

impl Layout<'_> {
    /// Position of the first element of iteration `i`.
    fn start(self, i: usize) -> usize {
        match self {
            Layout::Each { offset, stride } => offset + i * stride,
            Layout::Segments { pos, stride } => pos[i] * stride,
            // No part lies behind the last coordinate.
            Layout::Listed { offset, stride, crd } => crd.get(i).map_or(usize::MAX, |&c| offset + c as usize * stride),
        }
    }
}

/// Iteration `i` owns `array[offset + i * stride .. offset + (i + 1) * stride]`.
pub fn each<T>(array: &mut [T], offset: usize, stride: usize) -> Owned<'_, Part<'_, T>> {
    Owned { part: Part { elements: array, first: 0 }, layout: Layout::Each { offset, stride } }
}

/// Iteration `i` owns `array[pos[i] .. pos[i + 1]]`; `pos` ascends.
pub fn segments<'a, T>(array: &'a mut [T], pos: &'a [usize]) -> Owned<'a, Part<'a, T>> {
    blocks(array, pos, 1)
}

/// Iteration `i` owns `array[pos[i] * stride .. pos[i + 1] * stride]`; `pos` ascends.
pub fn blocks<'a, T>(array: &'a mut [T], pos: &'a [usize], stride: usize) -> Owned<'a, Part<'a, T>> {
    Owned { part: Part { elements: array, first: 0 }, layout: Layout::Segments { pos, stride } }
}

/// Iteration `p` owns `array[offset + crd[p] * stride .. offset + (crd[p] + 1) * stride]`; `crd` ascends.
pub fn listed<'a, T>(array: &'a mut [T], offset: usize, stride: usize, crd: &'a [u32]) -> Owned<'a, Part<'a, T>> {
    Owned { part: Part { elements: array, first: 0 }, layout: Layout::Listed { offset, stride, crd } }
}

/// What can be divided among tasks: arrays, and tuples of them.
pub trait Share: Send + Sized {
    /// What one task gets.
    type Parts;

    /// What belongs to the iterations before `i`, and the rest.
    ///
    /// # Panics
    ///
    /// If an array is too short for its layout.
    fn split(self, i: usize) -> (Self, Self);

    /// Everything that is left, for one task.
    fn parts(self) -> Self::Parts;
}

#[allow(private_bounds, reason = "parts are those of this module")]
impl<P: Divided + Send> Share for Owned<'_, P> {
    type Parts = P;

    fn split(self, i: usize) -> (Self, Self) {
        let Owned { part, layout } = self;
        let middle = layout.start(i);
        let before = match layout {
            Layout::Listed { .. } => (middle - part.first()).min(part.len()),
            _ => middle - part.first(),
        };
        let (left, right) = part.split(before, middle);
        (Owned { part: left, layout }, Owned { part: right, layout })
    }

    fn parts(self) -> P {
        self.part
    }
}

macro_rules! tuples {
    ($(($($name:ident $index:tt),*))*) => {$(
        impl<$($name: Share),*> Share for ($($name,)*) {
            type Parts = ($($name::Parts,)*);

            #[allow(unused_variables, clippy::unused_unit)]
            fn split(self, i: usize) -> (Self, Self) {
                let pairs = ($(self.$index.split(i),)*);
                (($(pairs.$index.0,)*), ($(pairs.$index.1,)*))
            }

            #[allow(clippy::unused_unit)]
            fn parts(self) -> Self::Parts {
                ($(self.$index.parts(),)*)
            }
        }
    )*};
}

impl Share for () {
    type Parts = ();

    fn split(self, _: usize) -> (Self, Self) {
        ((), ())
    }

    fn parts(self) {}
}

crate::tuples::each_tuple!(tuples);
