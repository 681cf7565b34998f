//! Copies of arrays.

use std::mem::MaybeUninit;

use crate::{par_items, threads};

/// Elements that one task copies at least: memory is then touched for the first time by several threads. An interpreter takes minutes
/// over as many.
const EACH: usize = if cfg!(miri) { 16 } else { 1 << 16 };

/// A copy of an array, made in parallel if it is long.
pub fn copied<T: Copy + Send + Sync>(array: &[T]) -> Vec<T> {
    if array.len() < 2 * EACH || threads() == 1 {
        return array.to_vec();
    }
    let mut copy = Vec::with_capacity(array.len());
    // There may be more room: always, for elements of size zero.
    let parts = array.chunks(EACH).zip(copy.spare_capacity_mut()[..array.len()].chunks_mut(EACH));
    par_items(parts.collect(), |(from, to): (&[T], &mut [MaybeUninit<T>])| {
        to.write_copy_of_slice(from);
    });
    // SAFETY: the chunks make up the array, and each was copied.
    unsafe { copy.set_len(array.len()) };
    copy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_equal() {
        for n in [0usize, 1, EACH, 5 * EACH + 3] {
            let array: Vec<usize> = (0..n).map(|i| i * i).collect();
            assert_eq!(copied(&array), array);
            assert_eq!(copied(&vec![(); n]).len(), n);
        }
    }
}
