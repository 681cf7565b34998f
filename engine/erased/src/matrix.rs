//! A matrix in any store.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::ops::ControlFlow;
use std::panic::{RefUnwindSafe, UnwindSafe};

use pleach::kernels::ShapeError;
use pleach::kernels::pagerank::{sum_quotients, sum_shares};
use pleach::matrix::{BlockError, BlockRows, RowSource, VisitBlock};
use pleach::runtime::{AuditError, Change, Counts, Fiber, Footprint, Store, replace};
use pleach::sort::Weight;
use pleach::traverse::DynRows;
use pleach::{Batch, BuildError, BuildOptions, BuildReport, EdgeList, Matrix, Rows, UpdateError};

use crate::{Bundled, HoldError, Packed, StoreName};

/// Nonzeros that are copied out of a store at a time, where all of them are visited.
const NONZEROS: usize = 1 << 14;

/// What is called dynamically.
pub(crate) trait ErasedMatrix<V: Weight>: Any + Send + Sync + UnwindSafe + RefUnwindSafe {
    fn store_name(&self) -> String;
    fn num_rows(&self) -> usize;
    fn num_cols(&self) -> usize;
    fn nnz(&self) -> usize;
    fn get(&self, row: usize, col: u32) -> Option<V>;
    fn apply(&mut self, batch: &Batch<V>, change: Change<'_, V>) -> Result<Counts, UpdateError>;
    fn rows(&self) -> DynRows<'_, V>;
    fn each_block(&self, nonzeros: usize, visit: VisitBlock<'_, V>) -> ControlFlow<()>;
    fn audit(&self) -> Result<(), AuditError>;
    fn footprint(&self) -> Footprint;
    fn sum_quotients(&self, y: &mut [f64], x: &[f64], d: &[f64]) -> Result<(), ShapeError>;
    fn sum_shares(&self, y: &mut [f64], w: &[f64]) -> Result<(), ShapeError>;
}

impl<V: Weight, R: Store<Coord = u32, Value = V>> ErasedMatrix<V> for Matrix<R> {
    fn store_name(&self) -> String {
        Matrix::store_name(self)
    }

    fn num_rows(&self) -> usize {
        Rows::num_rows(self)
    }

    fn num_cols(&self) -> usize {
        Rows::num_cols(self)
    }

    fn nnz(&self) -> usize {
        Rows::nnz(self)
    }

    fn get(&self, row: usize, col: u32) -> Option<V> {
        Rows::row(self, row)?.locate(col).copied()
    }

    fn apply(&mut self, batch: &Batch<V>, change: Change<'_, V>) -> Result<Counts, UpdateError> {
        Matrix::apply(self, batch, change)
    }

    fn rows(&self) -> DynRows<'_, V> {
        DynRows::of(self)
    }

    fn each_block(&self, nonzeros: usize, visit: VisitBlock<'_, V>) -> ControlFlow<()> {
        Matrix::each_block(self, nonzeros, visit)
    }

    fn audit(&self) -> Result<(), AuditError> {
        Matrix::audit(self)
    }

    fn footprint(&self) -> Footprint {
        Matrix::footprint(self)
    }

    fn sum_quotients(&self, y: &mut [f64], x: &[f64], d: &[f64]) -> Result<(), ShapeError> {
        sum_quotients(y, self, x, d)
    }

    fn sum_shares(&self, y: &mut [f64], w: &[f64]) -> Result<(), ShapeError> {
        sum_shares(y, self, w)
    }
}

/// A matrix whose store was chosen at run time.
///
/// ```
/// use pleach::{Batch, BuildOptions, EdgeList};
/// use pleach_erased::{AnyMatrix, StoreName};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store: StoreName = "dense,btree".parse()?;
/// let (mut matrix, _) = AnyMatrix::from_edges(&store, &EdgeList::<f64>::new(3, 3), &BuildOptions::default())?;
/// matrix.insert(&Batch::weighted([(0, 1, 0.5), (2, 0, 4.0)], |_, last| last))?;
/// assert_eq!((matrix.nnz(), matrix.get(2, 0)), (2, Some(4.0)));
/// assert_eq!(matrix.store_name(), "dense,btree");
/// # Ok(())
/// # }
/// ```
pub struct AnyMatrix<V: Bundled>(Box<dyn ErasedMatrix<V>>);

impl<V: Bundled> AnyMatrix<V> {
    /// Sorts arcs into the rows of a matrix in the named store, in parallel.
    ///
    /// # Errors
    ///
    /// [`HoldError`] if the store is `csr`, whose rows are static, or if the arcs cannot be sorted into rows as the options say.
    pub fn from_edges(
        store: &StoreName,
        edges: &EdgeList<V>,
        options: &BuildOptions<V>,
    ) -> Result<(Self, BuildReport), HoldError> {
        if *store == StoreName::Csr {
            return Err(HoldError::Static);
        }
        Ok(Self::pair(store, Cow::Borrowed(edges), options)?)
    }

    /// As [`from_edges`](Self::from_edges), where the store is a pair of levels. A list that is owned is freed while it is sorted.
    pub(crate) fn pair(
        store: &StoreName,
        edges: Cow<'_, EdgeList<V>>,
        options: &BuildOptions<V>,
    ) -> Result<(Self, BuildReport), BuildError> {
        let StoreName::Pair(outer, row) = store else { unreachable!("`csr` is no pair of levels") };
        let (matrix, report) = V::builder(outer, row).matrix(edges, options)?;
        Ok((AnyMatrix(matrix), report))
    }

    /// Builds a matrix in the named pair of levels from rows that are sorted already, and counts the nonzeros on the diagonal; see
    /// [`Matrix::from_blocks`].
    pub(crate) fn from_blocks(
        store: &StoreName,
        num_rows: usize,
        num_cols: usize,
        source: &dyn RowSource<V>,
    ) -> Result<(Self, usize), BlockError> {
        let StoreName::Pair(outer, row) = store else { unreachable!("`csr` is no pair of levels") };
        let (matrix, diagonal) = V::builder(outer, row).blocks(num_rows, num_cols, source)?;
        Ok((AnyMatrix(matrix), diagonal))
    }

    /// Calls `visit` with each row that is not empty: its number, its columns, which ascend, and their values.
    pub(crate) fn each_row(&self, mut visit: impl FnMut(u32, &[u32], &[V])) {
        let _ = self.0.each_block(NONZEROS, &mut |_, block| {
            each_row_of(&block, &mut visit);
            ControlFlow::Continue(())
        });
    }

    /// The names of the outer level and of the row store, as on the command line: `bst,ctree`.
    pub fn store_name(&self) -> String {
        self.0.store_name()
    }

    /// Number of rows.
    pub fn num_rows(&self) -> usize {
        self.0.num_rows()
    }

    /// Number of columns.
    pub fn num_cols(&self) -> usize {
        self.0.num_cols()
    }

    /// Number of nonzeros.
    pub fn nnz(&self) -> usize {
        self.0.nnz()
    }

    /// The value at a row and a column, if there is one. Logarithmic in the length of the row.
    pub fn get(&self, row: usize, col: u32) -> Option<V> {
        self.0.get(row, col)
    }

    /// Inserts the nonzeros of a batch. The value of a nonzero that exists already is replaced. See [`Matrix::insert`].
    ///
    /// # Errors
    ///
    /// [`UpdateError`]; the matrix is then as it was before.
    pub fn insert(&mut self, batch: &Batch<V>) -> Result<Counts, UpdateError> {
        self.apply(batch, Change::Insert(&replace))
    }

    /// Deletes the nonzeros that a batch names; those that are absent are counted only.
    ///
    /// # Errors
    ///
    /// [`UpdateError`]; the matrix is then as it was before.
    pub fn delete(&mut self, batch: &Batch<V>) -> Result<Counts, UpdateError> {
        self.apply(batch, Change::Delete)
    }

    /// Applies a change to the nonzeros that a batch names; see [`Matrix::apply`].
    ///
    /// # Errors
    ///
    /// [`UpdateError`]; the matrix is then as it was before.
    pub fn apply(&mut self, batch: &Batch<V>, change: Change<'_, V>) -> Result<Counts, UpdateError> {
        self.0.apply(batch, change)
    }

    /// The rows, as kernels and algorithms read them. Takes a pass over the outer level.
    pub fn rows(&self) -> DynRows<'_, V> {
        self.0.rows()
    }

    /// The matrix with its type, if its rows are in the default row store: for code that is compiled for that store.
    pub fn as_packed(&self) -> Option<&Matrix<Packed<V>>> {
        let matrix: &dyn Any = &*self.0;
        matrix.downcast_ref()
    }

    /// Checks every invariant of the outer level and of each row.
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold, with the path to it.
    pub fn audit(&self) -> Result<(), AuditError> {
        self.0.audit()
    }

    /// Bytes held by the outer level and the rows.
    pub fn footprint(&self) -> Footprint {
        self.0.footprint()
    }

    /// [`pleach::kernels::pagerank::sum_quotients`], compiled for the rows of this store: `y(i) += A(i,j) * x(j) / d(j)`.
    ///
    /// # Errors
    ///
    /// If the lengths of the arrays do not fit the matrix.
    pub fn sum_quotients(&self, y: &mut [f64], x: &[f64], d: &[f64]) -> Result<(), ShapeError> {
        self.0.sum_quotients(y, x, d)
    }

    /// [`pleach::kernels::pagerank::sum_shares`], compiled for the rows of this store: `y(i) += A(i,j) * w(j)`.
    ///
    /// # Errors
    ///
    /// If the lengths of the arrays do not fit the matrix.
    pub fn sum_shares(&self, y: &mut [f64], w: &[f64]) -> Result<(), ShapeError> {
        self.0.sum_shares(y, w)
    }
}

impl<V: Bundled> fmt::Debug for AnyMatrix<V> {
    /// Store and shape.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyMatrix")
            .field("store", &self.store_name())
            .field("rows", &self.num_rows())
            .field("cols", &self.num_cols())
            .field("nnz", &self.nnz())
            .finish_non_exhaustive()
    }
}

/// Calls `visit` with each row of a block: its number, its columns, and their values.
pub(crate) fn each_row_of<V>(block: &BlockRows<'_, V>, visit: &mut impl FnMut(u32, &[u32], &[V])) {
    let (mut coords, mut values) = (block.coords, block.values);
    for (&row, &len) in block.rows.iter().zip(block.lens) {
        let (cols, more_coords) = coords.split_at(len as usize);
        let (of_row, more_values) = values.split_at(len as usize);
        visit(row, cols, of_row);
        (coords, values) = (more_coords, more_values);
    }
}
