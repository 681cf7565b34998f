//! Arrays that a parallel loop makes, in memory that is not cleared before.

use std::mem::{self, MaybeUninit};
use std::ops::{Index, IndexMut, Range};
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::share::{Divided, Layout, Owned};

/// An array that a parallel loop makes.
pub struct Uncleared<'a, T: Copy + Default>(UnclearedPart<'a, T>);

/// The part of an array that a task makes: element by element with [`push`](UnclearedPart::push), or indexed with the positions of the whole
/// array. It holds zeros where nothing has been written.
///
/// # Panics
///
/// Indexing panics at positions that belong to another task, and where a range is read that is not written.
pub struct UnclearedPart<'a, T: Copy + Default> {
    elements: &'a mut [MaybeUninit<T>],
    /// How many of them are initialised, from the first on.
    written: usize,
    /// Position of the first one in the whole array.
    first: usize,
    whole: Arc<Whole<'a, T>>,
    zero: T,
}

/// What the parts of an array share. The array gets its elements when there are no more parts.
struct Whole<'a, T> {
    array: &'a mut Vec<T>,
    memory: Vec<T>,
    len: usize,
    /// Number of elements in parts that are finished.
    finished: AtomicUsize,
}

/// Has a parallel loop make `array`, of `len` elements, which are zero where the loop does not write them. What was in it is lost. It stays
/// empty if a part of it is forgotten ([`mem::forget`]).
///
/// To clear the array first would be to write all of its memory once more.
///
/// ```
/// use pleach_runtime::kernel::{Work, par_for, uncleared};
///
/// let (mut squares, pos) = (Vec::new(), [0, 1, 3]);
/// par_for(Work::over(0..2), uncleared(&mut squares, 3).segments(&pos), |block, mut squares| {
///     for p in pos[block.start]..pos[block.end] {
///         squares.push(p * p);
///     }
/// });
/// assert_eq!(squares, [0, 1, 4]);
/// ```
pub fn uncleared<T: Copy + Default>(array: &mut Vec<T>, len: usize) -> Uncleared<'_, T> {
    let mut memory = mem::take(array);
    memory.clear();
    memory.reserve_exact(len);
    // SAFETY: there is room for `len` elements, and every part keeps the memory alive. It is reached through these elements only.
    let elements = unsafe { slice::from_raw_parts_mut(memory.as_mut_ptr().cast(), len) };
    let whole = Arc::new(Whole { array, memory, len, finished: AtomicUsize::new(0) });
    Uncleared(UnclearedPart { elements, written: 0, first: 0, whole, zero: T::default() })
}

impl<'a, T: Copy + Default> Uncleared<'a, T> {
    /// Iteration `i` owns `array[i * stride .. (i + 1) * stride]`.
    pub fn each(self, stride: usize) -> Owned<'a, UnclearedPart<'a, T>> {
        Owned { part: self.0, layout: Layout::Each { offset: 0, stride } }
    }

    /// Iteration `i` owns `array[pos[i] .. pos[i + 1]]`; `pos` ascends.
    pub fn segments(self, pos: &'a [usize]) -> Owned<'a, UnclearedPart<'a, T>> {
        self.blocks(pos, 1)
    }

    /// Iteration `i` owns `array[pos[i] * stride .. pos[i + 1] * stride]`; `pos` ascends.
    pub fn blocks(self, pos: &'a [usize], stride: usize) -> Owned<'a, UnclearedPart<'a, T>> {
        Owned { part: self.0, layout: Layout::Segments { pos, stride } }
    }
}

impl<T: Copy + Default> UnclearedPart<'_, T> {
    /// Writes the element behind those that are written.
    ///
    /// # Panics
    ///
    /// If it belongs to another task.
    #[inline(always)]
    pub fn push(&mut self, element: T) {
        self.elements[self.written] = MaybeUninit::new(element);
        self.written += 1;
    }

    /// Initialises what precedes position `end`. Elements behind those that are written are cleared.
    #[inline(always)]
    fn reach(&mut self, end: usize) {
        if end > self.written {
            self.elements[self.written..end].fill(MaybeUninit::new(self.zero));
            self.written = end;
        }
    }
}

impl<T: Copy + Default> Index<usize> for UnclearedPart<'_, T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, position: usize) -> &T {
        let at = position.wrapping_sub(self.first);
        if at >= self.written {
            assert!(at < self.elements.len(), "a position that belongs to another task");
            return &self.zero;
        }
        // SAFETY: the first `written` elements are initialised.
        unsafe { self.elements[at].assume_init_ref() }
    }
}

impl<T: Copy + Default> IndexMut<usize> for UnclearedPart<'_, T> {
    #[inline(always)]
    fn index_mut(&mut self, position: usize) -> &mut T {
        let at = position.wrapping_sub(self.first);
        self.reach(at.saturating_add(1));
        // SAFETY: the first `written` elements are initialised.
        unsafe { self.elements[..self.written][at].assume_init_mut() }
    }
}

impl<T: Copy + Default> Index<Range<usize>> for UnclearedPart<'_, T> {
    type Output = [T];

    #[inline(always)]
    fn index(&self, positions: Range<usize>) -> &[T] {
        let range = positions.start.wrapping_sub(self.first)..positions.end.wrapping_sub(self.first);
        // SAFETY: the first `written` elements are initialised.
        unsafe { self.elements[..self.written][range].assume_init_ref() }
    }
}

impl<T: Copy + Default> IndexMut<Range<usize>> for UnclearedPart<'_, T> {
    #[inline(always)]
    fn index_mut(&mut self, positions: Range<usize>) -> &mut [T] {
        let range = positions.start.wrapping_sub(self.first)..positions.end.wrapping_sub(self.first);
        self.reach(range.end);
        // SAFETY: the first `written` elements are initialised.
        unsafe { self.elements[..self.written][range].assume_init_mut() }
    }
}

impl<T: Copy + Default> Divided for UnclearedPart<'_, T> {
    fn first(&self) -> usize {
        self.first
    }

    fn len(&self) -> usize {
        self.elements.len()
    }

    fn split(mut self, before: usize, first: usize) -> (Self, Self) {
        // A task gets its part when nothing is divided any more: until then, nobody writes.
        debug_assert_eq!(self.written, 0);
        let (left, right) = mem::take(&mut self.elements).split_at_mut(before);
        let part = |elements, first| {
            let whole = Arc::clone(&self.whole);
            UnclearedPart { elements, written: 0, first, whole, zero: self.zero }
        };
        (part(left, self.first), part(right, first))
    }
}

impl<T: Copy + Default> Drop for UnclearedPart<'_, T> {
    fn drop(&mut self) {
        self.elements[self.written..].fill(MaybeUninit::new(self.zero));
        self.whole.finished.fetch_add(self.elements.len(), Ordering::Relaxed);
    }
}

impl<T> Drop for Whole<'_, T> {
    fn drop(&mut self) {
        // Elements are missing if a part could not be divided: the array stays empty.
        if *self.finished.get_mut() == self.len {
            // SAFETY: there is room for `len` elements. Parts do not overlap, and each counts its elements once, when all of them are
            // initialised. So the whole array is initialised.
            unsafe { self.memory.set_len(self.len) };
        }
        // Even an empty array takes the memory: the function that drops the last part still has a reference to elements.
        *self.array = mem::take(&mut self.memory);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Share, Work, par_for};
    use super::*;

    #[test]
    fn what_is_not_written_is_zero() {
        let (mut array, pos): (Vec<u32>, Vec<usize>) = (vec![9; 3], (0..=50).map(|i| i * 3).collect());
        par_for(Work::over(0..50).tasks(), uncleared(&mut array, 150).segments(&pos), |block, mut part| {
            for i in block {
                match i % 5 {
                    // In order, out of order, as a range, and not at all.
                    0 => {
                        part[pos[i]..pos[i]].fill(5);
                        (0..3).for_each(|_| part.push(1));
                    }
                    1 => (0..3).rev().for_each(|k| part[pos[i] + k] += 2),
                    2 => part[pos[i]..pos[i + 1]].iter_mut().for_each(|x| *x += 3),
                    3 => part[pos[i] + 1] = 4,
                    _ => assert_eq!(part[pos[i] + 2], 0),
                }
            }
        });
        let rows = [[1; 3], [2; 3], [3; 3], [0, 4, 0], [0; 3]];
        assert!(array.len() == 150 && array.chunks_exact(3).zip(rows.iter().cycle()).all(|(row, made)| row == made));
    }

    #[test]
    fn iterations_outside_of_the_loop_are_zero() {
        let mut array = vec![1.0];
        par_for(Work::over(1..3), uncleared(&mut array, 10).each(2), |block, mut part| {
            block.for_each(|i| part[2 * i + 1] = i as f64);
        });
        assert_eq!(array, [0.0, 0.0, 0.0, 1.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0]);
        drop(uncleared(&mut array, 2));
        assert_eq!(array, [0.0; 2]);
        drop(uncleared(&mut array, 0));
        assert!(array.is_empty());
        // What is pushed first belongs to the first iteration of the loop.
        let (mut array, pos) = (Vec::new(), [0, 2, 3, 5]);
        par_for(Work::over(1..3), uncleared(&mut array, 5).segments(&pos), |block, mut part| {
            block.for_each(|i| (pos[i]..pos[i + 1]).for_each(|_| part.push(i)));
        });
        assert_eq!(array, [0, 0, 1, 2, 2]);
    }

    #[test]
    fn a_forgotten_part_leaves_the_array_empty() {
        let mut array = vec![1u8];
        let (left, right) = uncleared(&mut array, 4).each(1).split(2);
        mem::forget(left);
        drop(right);
        assert!(array.is_empty());
    }

    #[test]
    fn an_array_that_cannot_be_divided_stays_empty() {
        let mut array = vec![1u8];
        let divide = || drop(uncleared(&mut array, 4).each(1).split(5));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(divide)).is_err());
        assert!(array.is_empty());
    }

    #[test]
    fn positions_of_others_are_refused() {
        let refused = |touch: &dyn Fn(&mut UnclearedPart<'_, u8>)| {
            let mut array = Vec::new();
            let mut part = uncleared(&mut array, 4).each(1).split(2).1.parts();
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| touch(&mut part))).is_err()
        };
        assert!(!refused(&|part| part[3] = 1));
        assert!(refused(&|part| (0..3).for_each(|_| part.push(1))));
        assert!(refused(&|part| part[1] = 1));
        assert!(refused(&|part| part[4] = 1));
        assert!(refused(&|part| assert_eq!(part[4], 0)));
        assert!(refused(&|part| part[2..5].fill(1)));
        assert!(refused(&|part| part[1..3].fill(1)));
        assert!(refused(&|part| assert_eq!(part[2..4].len(), 2)), "nobody has written it");
    }
}
