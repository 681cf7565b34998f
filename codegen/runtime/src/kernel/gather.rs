//! One value for each row of a matrix, where there is one.

use crate::{Rows, Scalar, SharedOutput, par_parts, threads};

/// Rows that one task puts together at least.
const ROWS: usize = 1 << 14;

/// Appends the coordinate and the value of each row of `matrix` for which `value` gives one, in ascending order. `value` is asked
/// for the rows that may hold nonzeros, several at the same time and in any order.
///
/// Time is that of visiting the rows and O(rows); memory is a value and a mark for each row while several threads work.
///
/// # Panics
///
/// If a row has a coordinate beyond the matrix.
pub fn gather<'a, A, V, F>(matrix: &'a A, coords: &mut Vec<u32>, values: &mut Vec<V>, value: F)
where
    A: Rows,
    V: Scalar + Default,
    F: Fn(usize, A::Fiber<'a>) -> Option<V> + Sync,
{
    if threads() == 1 || matrix.num_rows() < 2 * ROWS {
        matrix.rows(|i, row| {
            if let Some(value) = value(i, row) {
                coords.push(i as u32);
                values.push(value);
            }
        });
        return;
    }
    let mut all = vec![V::default(); matrix.num_rows()];
    let mut there = vec![false; matrix.num_rows()];
    {
        let (all, there) = (SharedOutput::new(&mut all), SharedOutput::new(&mut there));
        matrix.par_rows(|i, row| {
            if let Some(value) = value(i, row) {
                all.set(i, value);
                there.set(i, true);
            }
        });
    }
    let parts: Vec<(Vec<u32>, Vec<V>)> = par_parts(all.len(), ROWS, |part| {
        let entries = || part.clone().filter(|&i| there[i]);
        (entries().map(|i| i as u32).collect(), entries().map(|i| all[i]).collect())
    });
    let len = parts.iter().map(|part| part.0.len()).sum();
    coords.reserve_exact(len);
    values.reserve_exact(len);
    for (own, held) in parts {
        coords.extend(own);
        values.extend(held);
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use rayon::prelude::*;

    use super::*;
    use crate::{Fiber, SliceFiber};

    /// Every third row holds one nonzero: its own coordinate.
    struct Thirds {
        coords: Vec<u32>,
        values: Vec<u64>,
    }

    impl Thirds {
        fn fiber(&self, i: usize) -> SliceFiber<'_, u32, u64> {
            let held = if i.is_multiple_of(3) { i..i + 1 } else { i..i };
            SliceFiber::new(&self.coords[held.clone()], &self.values[held])
        }
    }

    impl Rows for Thirds {
        type Value = u64;
        type Fiber<'a> = SliceFiber<'a, u32, u64>;

        fn num_rows(&self) -> usize {
            self.coords.len()
        }

        fn num_cols(&self) -> usize {
            self.coords.len()
        }

        fn nnz(&self) -> usize {
            self.coords.len().div_ceil(3)
        }

        fn row(&self, i: usize) -> Option<Self::Fiber<'_>> {
            (i < self.coords.len()).then(|| self.fiber(i))
        }

        fn par_rows<'a, F: Fn(usize, Self::Fiber<'a>) + Sync>(&'a self, visit: F) {
            (0..self.coords.len()).into_par_iter().rev().for_each(|i| visit(i, self.fiber(i)));
        }

        fn try_rows<'a, B, F>(&'a self, mut visit: F) -> ControlFlow<B>
        where
            F: FnMut(usize, Self::Fiber<'a>) -> ControlFlow<B>,
        {
            (0..self.coords.len()).try_for_each(|i| visit(i, self.fiber(i)))
        }
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn rows_come_in_order() {
        for (rows, threads) in [(0, 2), (10, 2), (3 * ROWS + 5, 1), (3 * ROWS + 5, 3)] {
            let matrix = Thirds { coords: (0..rows as u32).collect(), values: (0..rows as u64).collect() };
            let (mut coords, mut values) = (Vec::new(), Vec::new());
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
            pool.install(|| {
                gather(&matrix, &mut coords, &mut values, |_, row| {
                    let (sum, any) = row.fold_storage((0, false), |all, run| {
                        run.values().iter().fold(all, |(sum, _), v| (sum + v, true))
                    });
                    (any && sum % 2 == 0).then_some(sum)
                });
            });
            let expected: Vec<u32> = (0..rows as u32).step_by(6).collect();
            assert_eq!(coords, expected);
            assert!(values.iter().zip(&expected).all(|(&v, &i)| v == u64::from(i)));
        }
    }
}
