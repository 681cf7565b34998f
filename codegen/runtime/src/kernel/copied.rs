//! Copies of arrays.

use rayon::prelude::*;

/// Elements that one task copies at least: memory is then touched for the first time by several threads. An interpreter takes minutes
/// over as many.
const EACH: usize = if cfg!(miri) { 16 } else { 1 << 16 };

/// A copy of an array, made in parallel if it is long.
pub fn copied<T: Copy + Send + Sync>(array: &[T]) -> Vec<T> {
    if array.len() < 2 * EACH || rayon::current_num_threads() == 1 {
        return array.to_vec();
    }
    array.par_iter().with_min_len(EACH).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_equal() {
        for n in [0usize, 1, EACH, 5 * EACH + 3] {
            let array: Vec<usize> = (0..n).map(|i| i * i).collect();
            assert_eq!(copied(&array), array);
        }
    }
}
