//! Entries by their coordinates: how matrices come from files, other programs and assembly loops.

use std::fmt;

use pleach_runtime::tensor::coordinate::{Index, Repeated, Unordered};
use pleach_runtime::tensor::{Arranged, Compressed, Dense, Singleton, Tensor};
use pleach_runtime::{Paged, Store};

use crate::sort::Weight;
use crate::{BuildError, BuildOptions, Csr, Duplicates, EdgeList, Matrix};

/// A matrix as three arrays, of the rows, columns and values of its entries: ascending by row and column, each place once.
///
/// ```text
/// rows    0  0  2        . a . b
/// cols    1  3  0        . . . .
/// values  a  b  c        c . . .
/// ```
///
/// One call makes any other format of it: `Csr::from(&coo)`, `Csc::from(&coo)`, `Matrix::<Ctree<f64>>::from(&coo)`,
/// [`to_dense`](Self::to_dense); kernels take `&coo` for a parameter of the format `coo`, and so
/// `kernel pack(A: coo) -> B: FORMAT { B(i,j) = A(i,j) }` makes every other format.
///
/// ```
/// use pleach::{Coo, Csr};
///
/// let coo = Coo::from_parts(3, 4, vec![2, 0, 0, 2], vec![0, 3, 1, 0], vec![1.0, 2.0, 3.0, 4.0])?;
/// assert_eq!((coo.rows(), coo.cols(), coo.values()), (&[0, 0, 2][..], &[1, 3, 0][..], &[3.0, 2.0, 5.0][..]));
/// assert_eq!(Csr::from(&coo).get(2, 0), Some(&5.0));
/// # Ok::<(), pleach::BuildError>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Coo<V = ()> {
    num_rows: usize,
    num_cols: usize,
    /// Where the entries begin and end: what the format `coo` keeps of its outermost level.
    ends: [usize; 2],
    rows: Vec<u32>,
    cols: Vec<u32>,
    values: Vec<V>,
}

/// The format `coo`, its arrays borrowed.
type CooTensorView<'a, V> = Tensor<2, (Compressed<&'a [usize], &'a [u32]>, Singleton<&'a [u32]>), &'a [V]>;

/// The format `coo`: what kernels return.
type CooTensor<V> = Tensor<2, (Compressed<Vec<usize>, Vec<u32>>, Singleton<Vec<u32>>), Vec<V>>;

impl<V> Coo<V> {
    /// The number of rows.
    pub fn num_rows(&self) -> usize {
        self.num_rows
    }

    /// The number of columns.
    pub fn num_cols(&self) -> usize {
        self.num_cols
    }

    /// The number of entries.
    pub fn nnz(&self) -> usize {
        self.rows.len()
    }

    /// The row of each entry, ascending.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The column of each entry, ascending within a row.
    pub fn cols(&self) -> &[u32] {
        &self.cols
    }

    /// The value of each entry.
    pub fn values(&self) -> &[V] {
        &self.values
    }

    /// The entries, in order.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (u32, u32, &V)> {
        // `zip` is exact where both sides are.
        self.rows.iter().zip(&self.cols).zip(&self.values).map(|((&row, &col), value)| (row, col, value))
    }
}

impl<V: Weight> Coo<V> {
    /// The entries in three arrays, in any order; entries at the same place are added up. Sorts in parallel.
    ///
    /// # Errors
    ///
    /// [`BuildError`] if the arrays differ in length, and the first entry that is out of range.
    pub fn from_parts(
        num_rows: usize,
        num_cols: usize,
        rows: Vec<u32>,
        cols: Vec<u32>,
        values: Vec<V>,
    ) -> Result<Self, BuildError> {
        Self::from_list(&EdgeList { num_rows, num_cols, src: rows, dst: cols, weight: values })
    }

    /// The entries of a list, in any order; entries at the same place are added up. Sorts in parallel.
    ///
    /// # Errors
    ///
    /// As [`from_parts`](Self::from_parts).
    pub fn from_list(list: &EdgeList<V>) -> Result<Self, BuildError> {
        let options = BuildOptions { duplicates: Duplicates::sum(), ..BuildOptions::default() };
        Ok(Csr::from_edges(list, &options)?.0.into())
    }

    /// The entries of an iterator, in any order; entries at the same place are added up.
    ///
    /// # Errors
    ///
    /// [`BuildError`] names the first entry that is out of range.
    pub fn from_entries(
        num_rows: usize,
        num_cols: usize,
        entries: impl IntoIterator<Item = (u32, u32, V)>,
    ) -> Result<Self, BuildError> {
        Ok(Csr::from_entries(num_rows, num_cols, entries)?.into())
    }

    /// All places of the matrix, row by row, as kernels take the format `matrix`. Places without an entry are `V::default()`. Takes
    /// memory for rows · columns.
    ///
    /// # Panics
    ///
    /// If no address space holds so many places.
    pub fn to_dense(&self) -> Tensor<2, (Dense, Dense), Vec<V>> {
        let (rows, cols) = (self.num_rows, self.num_cols);
        let bytes = rows.checked_mul(cols).and_then(|places| places.checked_mul(size_of::<V>()));
        assert!(
            bytes.is_some_and(|bytes| bytes <= isize::MAX as usize),
            "a dense matrix of {rows} rows and {cols} columns does not fit into memory"
        );
        let mut vals = vec![V::default(); rows * cols];
        for (row, col, value) in self.entries() {
            vals[row as usize * cols + col as usize] = *value;
        }
        Tensor { shape: [rows, cols], levels: (Dense, Dense), vals }
    }
}

impl<V> From<Csr<V>> for Coo<V> {
    /// Moves columns and values, without a copy.
    fn from(csr: Csr<V>) -> Self {
        let (num_rows, parts) = (csr.num_rows(), csr.into_parts());
        let mut rows = Vec::with_capacity(parts.coords.len());
        for (row, range) in parts.offsets.windows(2).enumerate() {
            rows.resize(rows.len() + range[1] - range[0], row as u32);
        }
        Coo {
            num_rows,
            num_cols: parts.num_cols,
            ends: [0, rows.len()],
            rows,
            cols: parts.coords,
            values: parts.values,
        }
    }
}

impl<V> From<Coo<V>> for Csr<V> {
    /// Moves columns and values, without a copy.
    fn from(coo: Coo<V>) -> Self {
        Csr::from_sorted(coo.num_rows, coo.num_cols, &coo.rows, coo.cols, coo.values)
    }
}

impl<V> From<Coo<V>> for EdgeList<V> {
    /// Moves the three arrays, without a copy.
    fn from(coo: Coo<V>) -> Self {
        let Coo { num_rows, num_cols, rows, cols, values, .. } = coo;
        EdgeList { num_rows, num_cols, src: rows, dst: cols, weight: values }
    }
}

impl<V: Clone> From<&Coo<V>> for Csr<V> {
    fn from(coo: &Coo<V>) -> Self {
        coo.clone().into()
    }
}

impl<R: Store<Coord = u32, Value: Copy>> From<&Coo<R::Value>> for Matrix<R> {
    /// The matrix, its rows in pages. For another outer level: `Matrix::from_csr::<OUTER>(Csr::from(&coo).view())`.
    fn from(coo: &Coo<R::Value>) -> Self {
        Matrix::from_csr::<Paged<R>>(Csr::from(coo).view())
    }
}

/// The coordinates of a list in any order.
type AnyOrder = (Unordered<Index<0>>, Unordered<Index<1>>);

/// The format `coo_unsorted`, which `T` has the arrays of.
type Unsorted<T> = Arranged<T, AnyOrder>;

/// The format `coo_duplicates`, which `T` has the arrays of.
type Repeats<T> = Arranged<T, Repeated<AnyOrder>>;

macro_rules! in_any_order {
    ($($(#[$doc:meta])* $format:ident;)*) => {$(
        impl<'a, V> From<&'a Coo<V>> for $format<CooTensorView<'a, V>> {
            $(#[$doc])*
            fn from(coo: &'a Coo<V>) -> Self {
                Arranged::new(coo.into())
            }
        }

        impl<V: Weight> TryFrom<$format<CooTensor<V>>> for Coo<V> {
            type Error = BuildError;

            /// Sorts a list; entries of one place are added up.
            fn try_from(list: $format<CooTensor<V>>) -> Result<Self, BuildError> {
                list.tensor.try_into()
            }
        }
    )*};
}

in_any_order! {
    /// The same arrays where entries may come in any order.
    Unsorted;
    /// The same arrays where entries may come in any order, and several at one place.
    Repeats;
}

impl<'a, V> From<&'a Coo<V>> for CooTensorView<'a, V> {
    fn from(coo: &'a Coo<V>) -> Self {
        Tensor {
            shape: [coo.num_rows, coo.num_cols],
            levels: (Compressed { pos: &coo.ends, crd: &coo.rows }, Singleton { crd: &coo.cols }),
            vals: &coo.values,
        }
    }
}

impl<V: Weight> TryFrom<CooTensor<V>> for Coo<V> {
    type Error = BuildError;

    /// Converts the result of a kernel.
    fn try_from(tensor: CooTensor<V>) -> Result<Self, BuildError> {
        let (rows, cols) = (tensor.levels.0.crd, tensor.levels.1.crd);
        Coo::from_parts(tensor.shape[0], tensor.shape[1], rows, cols, tensor.vals)
    }
}

/// How many entries are shown at most.
const SHOWN: usize = 32;

impl<V: fmt::Debug> fmt::Debug for Coo<V> {
    /// Shape, and the first entries.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct Entries<'c, V>(&'c Coo<V>);

        impl<V: fmt::Debug> fmt::Debug for Entries<'_, V> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut map = f.debug_map();
                for (row, col, value) in self.0.entries().take(SHOWN) {
                    map.entry(&(row, col), value);
                }
                if self.0.nnz() > SHOWN { map.finish_non_exhaustive() } else { map.finish() }
            }
        }

        f.debug_struct("Coo")
            .field("rows", &self.num_rows)
            .field("cols", &self.num_cols)
            .field("nnz", &self.nnz())
            .field("entries", &Entries(self))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use pleach_runtime::Rows;
    use pleach_stores::Ctree;

    use super::*;

    #[test]
    fn one_call_makes_every_other_format() {
        let coo = Coo::from_parts(3, 4, vec![2, 0, 0, 2], vec![0, 3, 1, 0], vec![1.0, 2.0, 3.0, 4.0]).unwrap();
        let csr = Csr::from(&coo);
        assert_eq!(
            (csr.offsets(), csr.coords(), csr.values()),
            (&[0, 2, 2, 3][..], &[1, 3, 0][..], &[3.0, 2.0, 5.0][..])
        );
        assert_eq!(Coo::from(csr.clone()), coo);
        let matrix = Matrix::<Ctree<f64>>::from(&coo);
        assert_eq!((matrix.num_rows(), matrix.num_cols(), matrix.get(2, 0)), (3, 4, Some(&5.0)));
        assert_eq!(coo.to_dense().vals, [0.0, 3.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0]);
        assert_eq!(coo.entries().len(), 3);
        let view = CooTensorView::from(&coo);
        assert_eq!((view.levels.0.pos, view.levels.0.crd, view.levels.1.crd), (&[0, 3][..], coo.rows(), coo.cols()));
        let repeats: Repeats<CooTensorView<'_, f64>> = (&coo).into();
        assert_eq!(repeats.tensor, view);
        let crd = |crd: &[u32]| crd.to_vec();
        let list: Repeats<CooTensor<f64>> = Arranged::new(Tensor {
            shape: [3, 4],
            levels: (Compressed { pos: vec![0, 4], crd: crd(&[2, 0, 0, 2]) }, Singleton { crd: crd(&[0, 3, 1, 0]) }),
            vals: vec![1.0, 2.0, 3.0, 4.0],
        });
        assert_eq!(Coo::try_from(list), Ok(coo.clone()));
        assert_eq!(
            format!("{coo:?}"),
            "Coo { rows: 3, cols: 4, nnz: 3, entries: {(0, 1): 3.0, (0, 3): 2.0, (2, 0): 5.0} }"
        );
    }

    #[test]
    #[should_panic(expected = "4294967295 rows and 4294967294 columns does not fit into memory")]
    fn a_dense_matrix_that_no_memory_holds_is_refused() {
        let most = u32::MAX as usize;
        Coo::from(Csr::<f64>::default()).to_dense();
        Coo { num_rows: most, num_cols: most - 1, ..Coo::from(Csr::<f64>::default()) }.to_dense();
    }

    #[test]
    fn arrays_of_unequal_length_and_entries_out_of_range_are_refused() {
        assert!(matches!(Coo::from_parts(3, 4, vec![0, 1], vec![0], vec![1.0]), Err(BuildError::UnequalArrays { .. })));
        assert!(Coo::from_parts(3, 4, vec![3], vec![0], vec![1.0]).is_err());
        assert!(Coo::from_parts(3, 4, vec![0], vec![4], vec![1.0]).is_err());
        let empty = Coo::<f64>::from_parts(0, 0, vec![], vec![], vec![]).unwrap();
        assert_eq!((empty.nnz(), Csr::from(&empty)), (0, Csr::default()));
    }
}
