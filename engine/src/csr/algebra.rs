//! Sums, products and multiples of static rows.
//!
//! ```
//! use pleach::Csr;
//!
//! let a = Csr::from_entries(2, 2, [(0, 0, 1.0), (0, 1, 2.0)])?;
//! let b = Csr::from_entries(2, 2, [(1, 0, 3.0), (0, 1, 1.0)])?;
//! assert_eq!((&a + &b).row(0).values, [1.0, 3.0]);
//! assert_eq!((&a * &b).get(0, 0), Some(&6.0));
//! assert_eq!(&a * &[1.0, 10.0][..], [21.0, 0.0]);
//! assert_eq!((&a * 2.0).values(), [2.0, 4.0]);
//! # Ok::<(), pleach::BuildError>(())
//! ```
//!
//! Operators panic if the shapes do not match; `plus`, `minus`, `times` and `times_vector` return an
//! error. Other expressions are kernels: see [`pleach!`](crate::pleach).

use std::ops::{Add, Mul, Range, Sub};

use pleach_runtime::kernel::{ShapeError, check_extents};
use pleach_runtime::{par_filled, par_items, par_map};

use super::operand::{Buffer, Operand};
use super::{Csr, CsrView, RowSums};

/// Types of values that can be added and multiplied.
pub trait Number: Copy + Default + Add<Output = Self> + Mul<Output = Self> + Send + Sync + 'static {}

impl<V: Copy + Default + Add<Output = V> + Mul<Output = V> + Send + Sync + 'static> Number for V {}

/// Values that one task changes.
const VALUES_PER_TASK: usize = 1 << 12;

/// Rows that one task has computed.
struct Rows<V> {
    ends: Vec<usize>,
    coords: Vec<u32>,
    values: Vec<V>,
}

/// Concatenates the rows that `compute` makes for each range of rows, in parallel. There is room for as many nonzeros as `most` says; there
/// may be more.
fn by_rows<V: Copy + Send + Sync>(
    num_cols: usize,
    stretches: Vec<Range<usize>>,
    most: impl Fn(&Range<usize>) -> usize + Sync,
    compute: impl Fn(Range<usize>, &mut Rows<V>) + Sync,
) -> Csr<V> {
    let parts: Vec<Rows<V>> = par_items(stretches, |rows| {
        let most = most(&rows);
        let ends = Vec::with_capacity(rows.len());
        let mut part = Rows { ends, coords: Vec::with_capacity(most), values: Vec::with_capacity(most) };
        compute(rows, &mut part);
        part
    });
    let mut offsets = Vec::with_capacity(1 + parts.iter().map(|part| part.ends.len()).sum::<usize>());
    let (mut ends, mut first) = (Vec::with_capacity(parts.len()), 0);
    offsets.push(0);
    for part in &parts {
        offsets.extend(part.ends.iter().map(|end| first + end));
        first += part.coords.len();
        ends.push(first);
    }
    let (coords, values) = par_filled(&ends, |k, coords, values| {
        coords.extend_from_slice(&parts[k].coords);
        values.extend_from_slice(&parts[k].values);
    });
    Csr { num_cols, offsets, coords, values }
}

fn check_same<V>(a: &impl Operand<V>, b: &impl Operand<V>) -> Result<(), ShapeError> {
    let ((a_rows, a_cols), (b_rows, b_cols)) = (a.shape(), b.shape());
    check_extents("the left matrix along its rows", a_rows, "the right matrix along its rows", b_rows)?;
    check_extents("the left matrix along its columns", a_cols, "the right matrix along its columns", b_cols)
}

/// The union of two matrices.
pub(crate) fn merged<V: Copy + Send + Sync>(
    a: &impl Operand<V>,
    b: &impl Operand<V>,
    both: impl Fn(V, V) -> V + Sync,
    right: impl Fn(V) -> V + Sync,
) -> Result<Csr<V>, ShapeError> {
    check_same(a, b)?;
    let stretches = if a.nnz() < b.nnz() { b.stretches() } else { a.stretches() };
    let most = |rows: &Range<usize>| a.within(rows).zip(b.within(rows)).map_or(0, |(a, b)| a + b);
    Ok(by_rows(a.shape().1, stretches, most, |rows, made| {
        let (mut left, mut right_row) = (Buffer::new(), Buffer::new());
        for row in rows {
            let (a, b) = (a.row(row, &mut left), b.row(row, &mut right_row));
            let (mut p, mut q) = (0, 0);
            // Which of the two is next is decided without a branch, which would be mispredicted half of the time.
            while let (Some(&j), Some(&k)) = (a.coords.get(p), b.coords.get(q)) {
                let (own, other) = (a.values[p], b.values[q]);
                let (at_left, at_right) = (j <= k, k <= j);
                let one = if at_left { own } else { right(other) };
                made.coords.push(j.min(k));
                made.values.push(if at_left & at_right { both(own, other) } else { one });
                (p, q) = (p + usize::from(at_left), q + usize::from(at_right));
            }
            made.coords.extend_from_slice(&a.coords[p..]);
            made.values.extend_from_slice(&a.values[p..]);
            made.coords.extend_from_slice(&b.coords[q..]);
            made.values.extend(b.values[q..].iter().map(|&value| right(value)));
            made.ends.push(made.coords.len());
        }
    }))
}

/// The product of two matrices, row by row.
pub(crate) fn product<V: Number>(a: &impl Operand<V>, b: &impl Operand<V>) -> Result<Csr<V>, ShapeError> {
    let (num_rows, num_cols) = b.shape();
    check_extents("the left matrix along its columns", a.shape().1, "the right matrix along its rows", num_rows)?;
    // How many nonzeros there will be is not known.
    let most = |_: &Range<usize>| 0;
    Ok(by_rows(num_cols, a.stretches(), most, |rows, made| {
        let mut sums = RowSums::new(num_cols);
        for row in rows {
            let mut most = 0;
            a.each(row, |k, _| most += b.len(k as usize));
            let mut sum = sums.begin(most);
            a.each(row, |k, a| b.each(k as usize, |col, b| sum.add(col as usize, a * b)));
            sum.take(|col, value| {
                made.coords.push(col);
                made.values.push(value);
            });
            made.ends.push(made.coords.len());
        }
    }))
}

/// The product of a matrix and a vector.
pub(crate) fn vector_product<V: Number>(a: &impl Operand<V>, vector: &[V]) -> Result<Vec<V>, ShapeError> {
    check_extents("the matrix along its columns", a.shape().1, "the vector", vector.len())?;
    let sum = |row: usize| {
        let mut sum = V::default();
        a.each(row, |col, value| sum = sum + value * vector[col as usize]);
        sum
    };
    Ok(par_items(a.stretches(), |rows| rows.map(sum).collect::<Vec<_>>()).concat())
}

/// A copy of a matrix with every value changed.
pub(crate) fn mapped<V: Copy + Send + Sync>(a: &impl Operand<V>, change: impl Fn(V) -> V + Sync) -> Csr<V> {
    let most = |rows: &Range<usize>| a.within(rows).unwrap_or(0);
    by_rows(a.shape().1, a.stretches(), most, |rows, made| {
        let mut buffer = Buffer::new();
        for row in rows {
            let row = a.row(row, &mut buffer);
            made.coords.extend_from_slice(row.coords);
            made.values.extend(row.values.iter().map(|&value| change(value)));
            made.ends.push(made.coords.len());
        }
    })
}

impl<'a, V: Copy + Send + Sync> CsrView<'a, V> {
    /// The sum of two matrices, in parallel; an entry that adds up to zero stays. O(nonzeros + rows).
    ///
    /// # Errors
    ///
    /// If the shapes differ.
    pub fn plus(self, other: CsrView<'_, V>) -> Result<Csr<V>, ShapeError>
    where
        V: Add<Output = V>,
    {
        merged(&self, &other, |a, b| a + b, |b| b)
    }

    /// The difference of two matrices, in parallel; an entry that becomes zero stays. O(nonzeros + rows).
    ///
    /// # Errors
    ///
    /// If the shapes differ.
    pub fn minus(self, other: CsrView<'_, V>) -> Result<Csr<V>, ShapeError>
    where
        V: Default + Sub<Output = V>,
    {
        merged(&self, &other, |a, b| a - b, |b| V::default() - b)
    }

    /// The product of two matrices, row by row and in parallel (Gustavson 1978). Takes O(rows + products of nonzeros that meet), a
    /// look at a bit for every 64 columns for each long row of the result, and memory for an array of columns for each task that runs.
    ///
    /// # Errors
    ///
    /// If the number of columns of this matrix is not the number of rows of the other.
    pub fn times(self, other: CsrView<'_, V>) -> Result<Csr<V>, ShapeError>
    where
        V: Number,
    {
        product(&self, &other)
    }

    /// The product with a vector, in parallel. O(nonzeros + rows).
    ///
    /// # Errors
    ///
    /// If the length of the vector is not the number of columns.
    pub fn times_vector(self, vector: &[V]) -> Result<Vec<V>, ShapeError>
    where
        V: Number,
    {
        vector_product(&self, vector)
    }

    /// The matrix with every value changed; the pattern stays.
    pub fn map<U: Send>(self, change: impl Fn(V) -> U + Sync + Send) -> Csr<U> {
        Csr {
            num_cols: self.num_cols,
            offsets: self.offsets.to_vec(),
            coords: self.coords.to_vec(),
            values: par_map(self.values.len(), VALUES_PER_TASK, |k| change(self.values[k])),
        }
    }
}

impl<V: Copy + Send + Sync> Csr<V> {
    /// The sum; see [`CsrView::plus`].
    ///
    /// # Errors
    ///
    /// If the shapes differ.
    pub fn plus(&self, other: &Csr<V>) -> Result<Csr<V>, ShapeError>
    where
        V: Add<Output = V>,
    {
        self.view().plus(other.view())
    }

    /// The difference; see [`CsrView::minus`].
    ///
    /// # Errors
    ///
    /// If the shapes differ.
    pub fn minus(&self, other: &Csr<V>) -> Result<Csr<V>, ShapeError>
    where
        V: Default + Sub<Output = V>,
    {
        self.view().minus(other.view())
    }

    /// The product; see [`CsrView::times`].
    ///
    /// # Errors
    ///
    /// If the number of columns of this matrix is not the number of rows of the other.
    pub fn times(&self, other: &Csr<V>) -> Result<Csr<V>, ShapeError>
    where
        V: Number,
    {
        self.view().times(other.view())
    }

    /// The product with a vector; see [`CsrView::times_vector`].
    ///
    /// # Errors
    ///
    /// If the length of the vector is not the number of columns.
    pub fn times_vector(&self, vector: &[V]) -> Result<Vec<V>, ShapeError>
    where
        V: Number,
    {
        self.view().times_vector(vector)
    }

    /// The matrix with every value changed; see [`CsrView::map`].
    pub fn map<U: Send>(&self, change: impl Fn(V) -> U + Sync + Send) -> Csr<U> {
        self.view().map(change)
    }
}

#[cfg(test)]
mod tests {
    use pleach_runtime::SplitMix64;

    use super::*;

    /// A matrix of pseudo-random small integers, with a row that is full and rows that are empty.
    fn random(rows: usize, cols: usize, seed: u64) -> Csr<i64> {
        let mut random = SplitMix64(seed);
        let mut entries = Vec::new();
        for row in 0..rows {
            for col in 0..cols {
                let wanted = row == rows / 2 || row % 3 != 0 && random.below(4) == 0;
                if wanted {
                    entries.push((row as u32, col as u32, random.below(9) as i64 - 4));
                }
            }
        }
        Csr::from_entries(rows, cols, entries).unwrap()
    }

    fn dense(a: &Csr<i64>) -> Vec<Vec<i64>> {
        let at = |row, col| a.get(row, col).copied().unwrap_or(0);
        (0..a.num_rows()).map(|row| (0..a.num_cols()).map(|col| at(row, col)).collect()).collect()
    }

    fn sound(a: &Csr<i64>) {
        let parts = a.clone().into_parts();
        Csr::from_parts(parts.num_cols, parts.offsets, parts.coords, parts.values).unwrap();
    }

    #[test]
    fn sums_differences_and_products_are_those_of_dense_matrices() {
        for (n, m, l) in [(0, 0, 0), (1, 1, 1), (7, 5, 9), (40, 31, 23)] {
            let (a, b, c) = (random(n, m, 1), random(n, m, 2), random(m, l, 3));
            let (da, db, dc) = (dense(&a), dense(&b), dense(&c));
            let zip = |f: fn(i64, i64) -> i64| -> Vec<Vec<i64>> {
                da.iter().zip(&db).map(|(x, y)| x.iter().zip(y).map(|(x, y)| f(*x, *y)).collect()).collect()
            };
            let (sum, difference, product) = (&a + &b, &a - &b, &a * &c);
            for made in [&sum, &difference, &product] {
                sound(made);
            }
            assert_eq!(dense(&sum), zip(|x, y| x + y));
            assert_eq!(dense(&difference), zip(|x, y| x - y));
            let at = |i: usize, j: usize| (0..m).map(|k| da[i][k] * dc[k][j]).sum::<i64>();
            assert_eq!(dense(&product), (0..n).map(|i| (0..l).map(|j| at(i, j)).collect()).collect::<Vec<Vec<_>>>());
            let x: Vec<i64> = (0..m as i64).collect();
            let y: Vec<i64> = da.iter().map(|row| row.iter().zip(&x).map(|(a, x)| a * x).sum()).collect();
            assert_eq!(&a * &x[..], y);
            assert_eq!(dense(&(-&a)), dense(&(&a * -1)));
            assert_eq!(dense(&a.transpose().transpose()), da);
        }
    }

    #[test]
    fn shapes_that_do_not_agree_are_an_error() {
        let (a, b) = (random(3, 4, 1), random(4, 3, 2));
        let message = a.plus(&b).unwrap_err().to_string();
        assert_eq!(
            message,
            "the left matrix along its rows has extent 3, but the right matrix along its rows has extent 4"
        );
        assert!(a.minus(&b).is_err() && a.times(&a).is_err() && a.times_vector(&[1]).is_err());
        assert!(std::panic::catch_unwind(|| &a + &b).is_err());
    }
}
