//! Prefix sums: from counts to positions.

use crate::{par_items, par_parts, threads};

/// Elements from which on two passes in parallel beat one in sequence.
const PARALLEL: usize = 1 << 18;

/// Replaces each element by the sum of those up to and including it; wraps around on overflow.
///
/// Long arrays are summed in parallel: each block for itself, and then raised by what lies before it.
pub fn prefix_sum(elements: &mut [usize]) {
    let threads = threads();
    if elements.len() < PARALLEL || threads == 1 {
        scan(elements, 0);
        return;
    }
    let block = elements.len().div_ceil(4 * threads);
    let mut before =
        par_parts(elements.len(), block, |part| elements[part].iter().fold(0, |sum: usize, &x| sum.wrapping_add(x)));
    let mut sum = 0usize;
    for part in &mut before {
        sum = sum.wrapping_add(std::mem::replace(part, sum));
    }
    par_items(elements.chunks_mut(block).zip(before).collect(), |(part, before): (&mut [usize], usize)| {
        scan(part, before)
    });
}

fn scan(elements: &mut [usize], mut sum: usize) {
    for x in elements {
        sum = sum.wrapping_add(*x);
        *x = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::prefix_sum;

    #[test]
    #[cfg_attr(miri, ignore)]
    fn long_arrays_are_summed_as_short_ones() {
        for n in [0, 1, 2, 1000, (1 << 18) - 1, (1 << 18) + 12345] {
            let mut elements: Vec<usize> = (0..n).map(|k| k % 7).collect();
            prefix_sum(&mut elements);
            let mut sum = 0;
            for (k, &x) in elements.iter().enumerate() {
                sum += k % 7;
                assert_eq!(x, sum);
            }
        }
    }
}
