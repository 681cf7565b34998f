//! Single entries of a matrix, sums and products of matrices, and `Debug`.
//!
//! ```
//! use pleach::runtime::{Packed, Paged};
//! use pleach::{Matrix, Rows};
//!
//! let mut a = Matrix::<Packed<u32, f64>>::empty::<Paged<_>>();
//! a.add_entries([(0, 1, 2.0), (3, 0, 1.0), (0, 1, 0.5)])?;       // an element matrix of a finite element, say
//! a.set(3, 0, 7.0)?;
//! assert_eq!((a.get(0, 1), a.get(3, 0), a.get(9, 9)), (Some(&2.5), Some(&7.0), None));
//! assert_eq!((a.num_rows(), a.num_cols()), (4, 2));
//! assert_eq!((&a + &a).get(0, 1), Some(&5.0));
//! # Ok::<(), pleach::UpdateError>(())
//! ```

use std::fmt;
use std::ops::{self, ControlFlow};

use pleach_runtime::kernel::ShapeError;
use pleach_runtime::{Change, Counts, Fiber, Paged, Rows, Store, replace};

use super::{Matrix, UpdateError};
use crate::csr::Number;
use crate::csr::algebra::{mapped, merged, product, vector_product};
use crate::csr::operand::operand;
use crate::sort::Weight;
use crate::{Batch, Csr};

impl<R: Store<Coord = u32>> Matrix<R> {
    /// The value at `row` and `col`, if it is stored; `None` also beyond the matrix. Takes a search in the store of the row.
    pub fn get(&self, row: usize, col: usize) -> Option<&R::Value> {
        let col = u32::try_from(col).ok().filter(|&col| (col as usize) < self.num_cols)?;
        self.outer.row(row)?.locate(col)
    }
}

impl<R: Store<Coord = u32, Value: Copy + Default + PartialEq>> Matrix<R> {
    /// Sets the value at `row` and `col`, which is inserted if it is not stored. The matrix grows to hold it. A batch of one: for
    /// many entries [`insert`](Self::insert) is faster.
    ///
    /// # Errors
    ///
    /// As [`apply`](Self::apply).
    pub fn set(&mut self, row: u32, col: u32, value: R::Value) -> Result<Counts, UpdateError> {
        self.insert(&Batch::weighted([(row, col, value)], |_, last| last))
    }
}

impl<R: Store<Coord = u32, Value: Weight>> Matrix<R> {
    /// Adds to the value at `row` and `col`, which is inserted if it is not stored. See [`add_entries`](Self::add_entries).
    ///
    /// # Errors
    ///
    /// As [`apply`](Self::apply).
    pub fn add_to(&mut self, row: u32, col: u32, value: R::Value) -> Result<Counts, UpdateError> {
        self.add_entries([(row, col, value)])
    }

    /// Adds entries, in any order, to those that are stored; entries at the same place are added up. The matrix grows to hold them.
    /// The cost grows with the entries and the rows they touch. Integers wrap around; truth values are or-ed.
    ///
    /// # Errors
    ///
    /// As [`apply`](Self::apply); the matrix is then as it was before.
    pub fn add_entries(
        &mut self,
        entries: impl IntoIterator<Item = (u32, u32, R::Value)>,
    ) -> Result<Counts, UpdateError> {
        let batch = Batch::weighted(entries, R::Value::sum);
        let add = |old: &mut R::Value, new: &R::Value| replace(old, &R::Value::sum(*old, *new));
        self.apply(&batch, Change::Insert(&add))
    }
}

/// How many entries are shown at most.
const SHOWN: usize = 32;

impl<R: Store<Coord = u32, Value: fmt::Debug>> fmt::Debug for Matrix<R> {
    /// Store and shape, and the first entries.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct Entries<'m, R: Store>(&'m Matrix<R>);

        impl<R: Store<Coord = u32, Value: fmt::Debug>> fmt::Debug for Entries<'_, R> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let (mut map, mut shown) = (f.debug_map(), 0);
                let _ = self.0.try_rows(|row, fiber| {
                    fiber.try_fold_runs((), |(), run| {
                        for (col, value) in run.iter() {
                            if shown == SHOWN {
                                return ControlFlow::Break(());
                            }
                            map.entry(&(row, col), value);
                            shown += 1;
                        }
                        ControlFlow::Continue(())
                    })
                });
                if shown < self.0.nnz() { map.finish_non_exhaustive() } else { map.finish() }
            }
        }

        f.debug_struct("Matrix")
            .field("store", &self.store_name())
            .field("rows", &self.num_rows)
            .field("cols", &self.num_cols)
            .field("nnz", &self.nnz)
            .field("entries", &Entries(self))
            .finish()
    }
}

/// Matrices that are computed of others keep their rows in pages, whatever the outer levels of those. Operands are read where they
/// lie; the result is made as static rows, from which its store is built: for a while it is held twice.
impl<R: Store<Coord = u32, Value: Copy + Default>> Matrix<R> {
    fn of(csr: &Csr<R::Value>) -> Self {
        Matrix::from_csr::<Paged<R>>(csr.view())
    }

    /// The matrix with rows and columns exchanged, in parallel; O(nonzeros + rows + columns). Static rows are made in between.
    pub fn transpose(&self) -> Self {
        Self::of(&Csr::from(self).transpose())
    }

    /// The sum of two matrices, in parallel. Rows are read from their stores without a copy. Entries that add up to zero stay.
    /// O(nonzeros + rows).
    ///
    /// # Errors
    ///
    /// If the shapes differ.
    pub fn plus(&self, other: &Self) -> Result<Self, ShapeError>
    where
        R::Value: ops::Add<Output = R::Value>,
    {
        Ok(Self::of(&merged(&operand(self), &operand(other), |a, b| a + b, |b| b)?))
    }

    /// The difference of two matrices, in parallel. Rows are read from their stores without a copy. Entries that become zero stay.
    /// O(nonzeros + rows).
    ///
    /// # Errors
    ///
    /// If the shapes differ.
    pub fn minus(&self, other: &Self) -> Result<Self, ShapeError>
    where
        R::Value: ops::Sub<Output = R::Value>,
    {
        Ok(Self::of(&merged(&operand(self), &operand(other), |a, b| a - b, |b| R::Value::default() - b)?))
    }

    /// The product of two matrices, in parallel; see [`CsrView::times`](crate::CsrView::times).
    ///
    /// # Errors
    ///
    /// If the number of columns of this matrix is not the number of rows of the other.
    pub fn times(&self, other: &Self) -> Result<Self, ShapeError>
    where
        R::Value: Number,
    {
        Ok(Self::of(&product(&operand(self), &operand(other))?))
    }

    /// The product with a vector; see [`CsrView::times_vector`](crate::CsrView::times_vector).
    ///
    /// # Errors
    ///
    /// If the length of the vector is not the number of columns.
    pub fn times_vector(&self, vector: &[R::Value]) -> Result<Vec<R::Value>, ShapeError>
    where
        R::Value: Number,
    {
        vector_product(&operand(self), vector)
    }

    /// The matrix with every value changed; the pattern stays.
    pub fn map(&self, change: impl Fn(R::Value) -> R::Value + Sync + Send) -> Self {
        Self::of(&mapped(&operand(self), change))
    }
}

#[cfg(test)]
mod tests {
    use pleach_runtime::{Dense, Nested, Packed};
    use pleach_stores::{BlistUnsorted, Bst, Ctree};

    use super::*;

    fn check<R: Store<Coord = u32, Value = f64>>(mut a: Matrix<R>) {
        assert_eq!((a.get(0, 0), a.nnz()), (None, 0));
        a.set(2, 70, 1.5).unwrap();
        a.add_to(2, 70, 2.0).unwrap();
        a.add_to(0, 3, 1.0).unwrap();
        let counts = a.add_entries([(2, 70, 0.5), (130, 1, 1.0), (2, 70, 1.0), (130, 1, 1.0)]).unwrap();
        assert_eq!((counts.new, counts.changed), (1, 1));
        assert_eq!((a.get(2, 70), a.get(0, 3), a.get(130, 1)), (Some(&5.0), Some(&1.0), Some(&2.0)));
        assert_eq!(
            (a.get(2, 69), a.get(2, 71), a.get(131, 1), a.get(usize::MAX, usize::MAX)),
            (None, None, None, None)
        );
        assert_eq!((a.num_rows(), a.num_cols(), a.nnz()), (131, 71, 3));
        a.set(2, 70, -1.0).unwrap();
        a.audit().unwrap();
        #[allow(clippy::eq_op, reason = "a matrix less itself keeps its pattern")]
        let (sum, none) = (&a + &a, &a - &a);
        assert_eq!((sum.get(2, 70), none.get(130, 1), none.nnz()), (Some(&-2.0), Some(&0.0), 3));
        let turned = a.transpose();
        assert_eq!((turned.num_rows(), turned.get(70, 2)), (71, Some(&-1.0)));
        let product = &turned * &a;
        assert_eq!((product.num_cols(), product.get(70, 70), product.get(3, 3)), (71, Some(&1.0), Some(&1.0)));
        let y = &a * &vec![1.0; 71][..];
        assert_eq!((y[0], y[2], y[130], y.len()), (1.0, -1.0, 2.0, 131));
        assert_eq!(((-&a).get(2, 70), (&a * 3.0).get(2, 70)), (Some(&1.0), Some(&-3.0)));
        assert!(a.plus(&turned).is_err() && a.times(&a).is_err());
        let shown = format!("{a:?}");
        assert!(shown.contains("rows: 131, cols: 71, nnz: 3") && shown.contains("(2, 70): -1.0"), "{shown}");
    }

    #[test]
    fn entries_are_set_added_to_and_read_in_any_store() {
        check(Matrix::<Packed<u32, f64>>::empty::<Paged<_>>());
        check(Matrix::<Ctree<f64>>::empty::<Nested<Bst<_>>>());
        check(Matrix::<BlistUnsorted<f64>>::empty::<Dense<_>>());
    }

    #[test]
    fn a_large_matrix_is_shown_in_part() {
        let mut a = Matrix::<Packed<u32, f64>>::empty::<Paged<_>>();
        a.add_entries((0..1000).map(|k| (k, k, 1.0))).unwrap();
        let shown = format!("{a:?}");
        assert!(shown.ends_with("(31, 31): 1.0, ..} }") && shown.len() < 1000, "{shown}");
    }

    #[test]
    fn the_mark_of_gaps_is_no_column() {
        let mut a = Matrix::<Packed<u32, f64>>::empty::<Paged<_>>();
        assert_eq!(a.add_to(0, u32::MAX, 1.0), Err(UpdateError::Coordinate { row: 0, col: u32::MAX }));
        assert!(a.set(u32::MAX, 0, 1.0).is_err());
        assert_eq!((a.num_rows(), a.nnz()), (0, 0));
    }
}
