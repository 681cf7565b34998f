//! Arrays that several threads write for the first time.

use std::mem::MaybeUninit;

use crate::par_items;

/// A part of an array that is being written from its beginning on.
pub struct Filling<'a, T> {
    part: &'a mut [MaybeUninit<T>],
    /// Elements of the part that are written.
    len: usize,
}

impl<T: Copy> Filling<'_, T> {
    /// Number of elements written so far.
    #[allow(clippy::len_without_is_empty, reason = "a place to return to, and not a size")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Writes elements behind those that are written.
    ///
    /// # Panics
    ///
    /// If the part has no room for them.
    #[inline(always)]
    pub fn extend_from_slice(&mut self, elements: &[T]) {
        let end = self.len + elements.len();
        self.part[self.len..end].write_copy_of_slice(elements);
        self.len = end;
    }

    /// What was written from position `from` on.
    ///
    /// # Panics
    ///
    /// If fewer than `from` elements are written.
    pub fn written(&mut self, from: usize) -> &mut [T] {
        // SAFETY: the first `len` elements are written.
        unsafe { self.part[from..self.len].assume_init_mut() }
    }
}

/// Two arrays that are written part by part in parallel: part `k` of either ends at `ends[k]`, and `fill` writes it. Memory is touched for
/// the first time by the thread that writes it, and is not cleared before.
///
/// ```
/// use pleach_runtime::par_filled;
///
/// let (a, b): (Vec<u32>, Vec<u8>) = par_filled(&[2, 3], |k, a, b| {
///     a.extend_from_slice(if k == 0 { &[7, 8] } else { &[9] });
///     b.extend_from_slice(if k == 0 { &[1, 2] } else { &[3] });
/// });
/// assert_eq!((a, b), (vec![7, 8, 9], vec![1, 2, 3]));
/// ```
///
/// # Panics
///
/// If `ends` descend, `fill` leaves a part unfinished, or it panics.
pub fn par_filled<T: Copy + Send, U: Copy + Send>(
    ends: &[usize],
    fill: impl Fn(usize, &mut Filling<'_, T>, &mut Filling<'_, U>) + Sync,
) -> (Vec<T>, Vec<U>) {
    let len = ends.last().copied().unwrap_or(0);
    let (mut first, mut second) = (Vec::with_capacity(len), Vec::with_capacity(len));
    let mut parts = Vec::with_capacity(ends.len());
    let (mut rest, mut begin) = ((&mut first.spare_capacity_mut()[..len], &mut second.spare_capacity_mut()[..len]), 0);
    for (k, &end) in ends.iter().enumerate() {
        assert!(begin <= end, "parts end in ascending order");
        let (one, rest_of_one) = rest.0.split_at_mut(end - begin);
        let (other, rest_of_other) = rest.1.split_at_mut(end - begin);
        parts.push((k, one, other));
        (rest, begin) = ((rest_of_one, rest_of_other), end);
    }
    par_items(parts, |(k, one, other): (usize, &mut [MaybeUninit<T>], &mut [MaybeUninit<U>])| {
        let mut one = Filling { part: one, len: 0 };
        let mut other = Filling { part: other, len: 0 };
        fill(k, &mut one, &mut other);
        assert!(one.len == one.part.len() && other.len == other.part.len(), "part {k} is unfinished");
    });
    // SAFETY: the parts make up both arrays, and each was filled: `par_items` returns when all tasks have, and panics if one did.
    unsafe {
        first.set_len(len);
        second.set_len(len);
    }
    (first, second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_written_where_they_belong() {
        let ends = [0, 3, 3, 10];
        let (a, b): (Vec<usize>, Vec<()>) = par_filled(&ends, |k, a, b| {
            for i in k.checked_sub(1).map_or(0, |before| ends[before])..ends[k] {
                a.extend_from_slice(&[i]);
                b.extend_from_slice(&[()]);
            }
        });
        assert_eq!(a, (0..10).collect::<Vec<_>>());
        assert_eq!(b.len(), 10);
    }

    #[test]
    fn what_is_written_can_be_sorted() {
        let (a, _): (Vec<u8>, Vec<()>) = par_filled(&[3], |_, a, b| {
            a.extend_from_slice(&[9]);
            a.extend_from_slice(&[3, 2]);
            a.written(1).sort_unstable();
            b.extend_from_slice(&[(); 3]);
        });
        assert_eq!(a, [9, 2, 3]);
    }

    #[test]
    fn unfinished_parts_and_descending_ends_are_refused() {
        let short = || par_filled::<u8, ()>(&[1], |_, _, b| b.extend_from_slice(&[()]));
        let long = || par_filled::<u8, ()>(&[1], |_, a, _| a.extend_from_slice(&[1, 2]));
        let descending = || par_filled::<u8, ()>(&[2, 1, 2], |_, _, _| {});
        for wrong in [&short as &dyn Fn() -> _, &long, &descending] {
            assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(wrong)).is_err());
        }
        let (a, b): (Vec<u8>, Vec<u8>) = par_filled(&[], |_, _, _| {});
        assert!(a.is_empty() && b.is_empty());
    }
}
