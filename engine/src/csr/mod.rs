//! Compressed sparse rows: the static format, in which graphs are exchanged and with which stores are compared.
//!
//! ```text
//!            row 0    row 1   row 2 (empty)   row 3
//! offsets    0        2       3               3        5
//! coords     1  4     0                                2  3
//! values     a  b     c                                d  e
//! ```
//!
//! [`Csr`] owns the three arrays, [`CsrView`] borrows them; neither copies them. Within a row coordinates ascend and none occurs twice.
//! Coordinates are `u32`, offsets are `usize`, so that more than 2^32 arcs are counted right. A pattern (`V = ()`) has no value bytes.

pub(crate) mod algebra;
mod build;
mod convert;
mod csc;
mod of_matrix;
pub(crate) mod operand;
mod row_sum;
mod tensor;
mod transpose;

use std::ops::Range;

use pleach_runtime::par_first;

pub use algebra::Number;
pub use csc::{Csc, CscView};
pub use row_sum::{RowSum, RowSums};
pub(crate) use tensor::{CscTensor, CscTensorView, CsrTensor, CsrTensorView};

/// The most rows or columns: `u32` coordinates but for the largest, which marks gaps in stores.
pub const MAX_DIMENSION: usize = u32::MAX as usize;

/// Number of rows that one task checks or copies.
const ROWS_PER_TASK: usize = 4096;

/// Why three arrays are not compressed sparse rows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CsrError {
    /// The offsets are empty.
    #[error("there are no row offsets; a matrix of n rows has n + 1 of them, so that even one without rows has [0]")]
    NoOffsets,
    /// A dimension does not fit `u32` coordinates.
    #[error("{size} {what} are more than the 4294967295 that 32-bit coordinates can number")]
    TooLarge {
        /// `"rows"` or `"columns"`.
        what: &'static str,
        /// The number given.
        size: usize,
    },
    /// The first offset is not zero.
    #[error("the first row offset is {found}; it must be 0")]
    FirstOffset {
        /// The offset given.
        found: usize,
    },
    /// An offset is below the one before it.
    #[error("row {row} begins at {begin} but ends at {end}; row offsets must not decrease")]
    OffsetsDecrease {
        /// The row between the two offsets.
        row: usize,
        /// Its first offset.
        begin: usize,
        /// Its second, smaller offset.
        end: usize,
    },
    /// The last offset is not the number of coordinates.
    #[error("the last row offset is {found} but there are {coords} coordinates; the two must be equal")]
    LastOffset {
        /// The offset given.
        found: usize,
        /// The length of the coordinate array.
        coords: usize,
    },
    /// The numbers of values and coordinates differ.
    #[error("there are {values} values for {coords} coordinates; each coordinate needs one value")]
    ValueCount {
        /// The length of the value array.
        values: usize,
        /// The length of the coordinate array.
        coords: usize,
    },
    /// A coordinate lies outside the matrix.
    #[error("row {row} holds column {col} (at position {position}), but there are only {num_cols} columns")]
    ColumnOutOfRange {
        /// The row.
        row: usize,
        /// Where in the coordinate array.
        position: usize,
        /// The coordinate found there.
        col: u32,
        /// The number of columns.
        num_cols: usize,
    },
    /// A row is not in ascending order.
    #[error(
        "row {row} holds column {col} (at position {position}) after column {previous}; the columns of a row must ascend"
    )]
    Unsorted {
        /// The row.
        row: usize,
        /// Where in the coordinate array.
        position: usize,
        /// The coordinate found there.
        col: u32,
        /// The larger coordinate before it.
        previous: u32,
    },
    /// A row holds a column twice.
    #[error("row {row} holds column {col} twice (again at position {position}); the columns of a row must differ")]
    Duplicate {
        /// The row.
        row: usize,
        /// Where in the coordinate array it is repeated.
        position: usize,
        /// The repeated coordinate.
        col: u32,
    },
}

/// One row: ascending coordinates and as many values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CsrRow<'a, V = ()> {
    /// Column coordinates, ascending, each once.
    pub coords: &'a [u32],
    /// Their values.
    pub values: &'a [V],
}

impl<'a, V> CsrRow<'a, V> {
    /// The number of nonzeros.
    pub fn len(&self) -> usize {
        self.coords.len()
    }

    /// Whether the row holds nothing.
    pub fn is_empty(&self) -> bool {
        self.coords.is_empty()
    }

    /// The nonzeros in ascending order of their columns.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, &'a V)> + use<'a, V> {
        self.coords.iter().copied().zip(self.values)
    }

    /// The value at column `col`, if it is stored. Takes O(log degree).
    pub fn get(&self, col: u32) -> Option<&'a V> {
        self.coords.binary_search(&col).ok().map(|k| &self.values[k])
    }
}

/// Compressed sparse rows in borrowed arrays, with all that is needed to read them.
#[derive(Debug, PartialEq)]
pub struct CsrView<'a, V = ()> {
    num_cols: usize,
    offsets: &'a [usize],
    coords: &'a [u32],
    values: &'a [V],
}

impl<V> Clone for CsrView<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for CsrView<'_, V> {}

impl<'a, V: Sync> CsrView<'a, V> {
    /// Views borrowed arrays as a matrix of `offsets.len() - 1` rows and `num_cols` columns, without copying them.
    ///
    /// # Errors
    ///
    /// [`CsrError`] names the first place where the arrays are not compressed sparse rows. The check reads all of `offsets` and
    /// `coords`, in parallel.
    pub fn from_parts(
        num_cols: usize,
        offsets: &'a [usize],
        coords: &'a [u32],
        values: &'a [V],
    ) -> Result<Self, CsrError> {
        check_parts(num_cols, offsets, coords, values.len())?;
        Ok(CsrView { num_cols, offsets, coords, values })
    }
}

impl<'a, V> CsrView<'a, V> {
    /// The view itself. ([`Csr`] has the same method.)
    #[inline(always)]
    pub fn view(&self) -> CsrView<'a, V> {
        *self
    }

    /// The value at `row` and `col`, if it is stored; `None` also beyond the matrix. Takes O(log degree).
    pub fn get(&self, row: usize, col: usize) -> Option<&'a V> {
        let col = u32::try_from(col).ok()?;
        if row < self.num_rows() { CsrView::row(self, row).get(col) } else { None }
    }

    /// The number of rows.
    pub fn num_rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of columns.
    pub fn num_cols(&self) -> usize {
        self.num_cols
    }

    /// The number of stored nonzeros (arcs).
    pub fn nnz(&self) -> usize {
        self.coords.len()
    }

    /// Where each row begins in [`coords`](Self::coords), and, as the last element, where the last row ends: there is one element more than
    /// rows.
    pub fn offsets(&self) -> &'a [usize] {
        self.offsets
    }

    /// The column coordinates of all rows, one row after the other.
    pub fn coords(&self) -> &'a [u32] {
        self.coords
    }

    /// The values of all rows, each at the position of its coordinate.
    pub fn values(&self) -> &'a [V] {
        self.values
    }

    /// The number of nonzeros of row `row`.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    pub fn degree(&self, row: usize) -> usize {
        self.offsets[row + 1] - self.offsets[row]
    }

    /// Row `row`.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    pub fn row(&self, row: usize) -> CsrRow<'a, V> {
        let range = self.offsets[row]..self.offsets[row + 1];
        CsrRow { coords: &self.coords[range.clone()], values: &self.values[range] }
    }

    /// The rows in ascending order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = CsrRow<'a, V>> + use<'a, V> {
        let CsrView { coords, values, .. } = *self;
        self.offsets.windows(2).map(move |w| CsrRow { coords: &coords[w[0]..w[1]], values: &values[w[0]..w[1]] })
    }

    /// Splits the rows into at most `parts` ranges that hold about equally many nonzeros *and* rows: skewed matrices are split by
    /// arcs, and yet no range of empty rows becomes too long. Each row is in exactly one range.
    pub fn split_by_arcs(&self, parts: usize) -> Vec<Range<usize>> {
        let (rows, work) = (self.num_rows(), self.num_rows() + self.nnz());
        let parts = parts.clamp(1, rows.max(1));
        let mut ranges = Vec::with_capacity(parts);
        let mut begin = 0;
        for part in 1..=parts {
            let goal = (work as u128 * part as u128 / parts as u128) as usize;
            // Rows before `end` and their nonzeros together reach the goal.
            let end = if part == parts { rows } else { begin + first_reaching(&self.offsets[begin..], begin, goal) };
            if end > begin {
                ranges.push(begin..end);
                begin = end;
            }
        }
        ranges
    }
}

/// The first `k` with `offsets[k] + base + k >= goal`; at most the last index.
fn first_reaching(offsets: &[usize], base: usize, goal: usize) -> usize {
    let (mut low, mut high) = (0, offsets.len() - 1);
    while low < high {
        let mid = low + (high - low) / 2;
        if offsets[mid] + base + mid < goal { low = mid + 1 } else { high = mid }
    }
    low
}

/// A matrix in compressed sparse rows that owns its arrays. It is read through a [`view`](Self::view) or the methods here.
#[derive(Clone, Debug, PartialEq)]
pub struct Csr<V = ()> {
    num_cols: usize,
    offsets: Vec<usize>,
    coords: Vec<u32>,
    values: Vec<V>,
}

/// The arrays of a [`Csr`], taken apart.
#[derive(Clone, Debug, PartialEq)]
pub struct CsrParts<V = ()> {
    /// The number of columns.
    pub num_cols: usize,
    /// Where each row begins, and where the last one ends.
    pub offsets: Vec<usize>,
    /// Column coordinates, row by row.
    pub coords: Vec<u32>,
    /// Values, row by row.
    pub values: Vec<V>,
}

impl<V> Default for Csr<V> {
    fn default() -> Self {
        Csr { num_cols: 0, offsets: vec![0], coords: Vec::new(), values: Vec::new() }
    }
}

impl Csr<()> {
    /// Takes two arrays as a pattern of `offsets.len() - 1` rows and `num_cols` columns, without copying them.
    ///
    /// # Errors
    ///
    /// As [`Csr::from_parts`].
    pub fn from_pattern(num_cols: usize, offsets: Vec<usize>, coords: Vec<u32>) -> Result<Self, CsrError> {
        let values = vec![(); coords.len()];
        Csr::from_parts(num_cols, offsets, coords, values)
    }
}

impl<V> Csr<V> {
    /// A matrix of `num_rows` rows and `num_cols` columns that holds nothing.
    ///
    /// # Errors
    ///
    /// [`CsrError::TooLarge`] if a dimension exceeds [`MAX_DIMENSION`].
    pub fn empty(num_rows: usize, num_cols: usize) -> Result<Self, CsrError> {
        check_dimensions(num_rows, num_cols)?;
        Ok(Csr { num_cols, offsets: vec![0; num_rows + 1], coords: Vec::new(), values: Vec::new() })
    }

    /// Takes three arrays as a matrix of `offsets.len() - 1` rows and `num_cols` columns, without copying them.
    ///
    /// # Errors
    ///
    /// [`CsrError`] names the first place where the arrays are not compressed sparse rows. The check reads all of `offsets` and
    /// `coords`, in parallel.
    pub fn from_parts(
        num_cols: usize,
        offsets: Vec<usize>,
        coords: Vec<u32>,
        values: Vec<V>,
    ) -> Result<Self, CsrError> {
        check_parts(num_cols, &offsets, &coords, values.len())?;
        Ok(Csr { num_cols, offsets, coords, values })
    }

    /// Returns the arrays, without copying them.
    pub fn into_parts(self) -> CsrParts<V> {
        let Csr { num_cols, offsets, coords, values } = self;
        CsrParts { num_cols, offsets, coords, values }
    }

    /// The same matrix, borrowed.
    #[inline]
    pub fn view(&self) -> CsrView<'_, V> {
        CsrView { num_cols: self.num_cols, offsets: &self.offsets, coords: &self.coords, values: &self.values }
    }

    /// The number of rows.
    pub fn num_rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of columns.
    pub fn num_cols(&self) -> usize {
        self.num_cols
    }

    /// The number of stored nonzeros (arcs).
    pub fn nnz(&self) -> usize {
        self.coords.len()
    }

    /// Where each row begins, and where the last one ends.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The column coordinates of all rows.
    pub fn coords(&self) -> &[u32] {
        &self.coords
    }

    /// The values of all rows.
    pub fn values(&self) -> &[V] {
        &self.values
    }

    /// The values of all rows, to be overwritten; the pattern stays.
    pub fn values_mut(&mut self) -> &mut [V] {
        &mut self.values
    }

    /// The number of nonzeros of row `row`.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    pub fn degree(&self, row: usize) -> usize {
        self.view().degree(row)
    }

    /// Row `row`.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    pub fn row(&self, row: usize) -> CsrRow<'_, V> {
        self.view().row(row)
    }

    /// The value at `row` and `col`, if it is stored; `None` also beyond the matrix. Takes O(log degree).
    pub fn get(&self, row: usize, col: usize) -> Option<&V> {
        self.view().get(row, col)
    }

    /// The bytes that the three arrays hold, spare capacity included.
    pub fn footprint(&self) -> usize {
        self.offsets.capacity() * size_of::<usize>()
            + self.coords.capacity() * size_of::<u32>()
            + if size_of::<V>() == 0 { 0 } else { self.values.capacity() * size_of::<V>() }
    }

    /// The same pattern without values. Shares nothing with this matrix; copies offsets and coordinates.
    pub fn pattern(&self) -> Csr<()> {
        Csr {
            num_cols: self.num_cols,
            offsets: self.offsets.clone(),
            coords: self.coords.clone(),
            values: vec![(); self.coords.len()],
        }
    }
}

/// The first dimension that exceeds [`MAX_DIMENSION`], and its size.
pub(crate) fn too_large(num_rows: usize, num_cols: usize) -> Option<(&'static str, usize)> {
    [("rows", num_rows), ("columns", num_cols)].into_iter().find(|&(_, size)| size > MAX_DIMENSION)
}

/// Both dimensions are at most [`MAX_DIMENSION`].
pub(crate) fn check_dimensions(num_rows: usize, num_cols: usize) -> Result<(), CsrError> {
    too_large(num_rows, num_cols).map_or(Ok(()), |(what, size)| Err(CsrError::TooLarge { what, size }))
}

/// Finds the first place where the arrays are not compressed sparse rows.
pub(crate) fn check_parts(
    num_cols: usize,
    offsets: &[usize],
    coords: &[u32],
    num_values: usize,
) -> Result<(), CsrError> {
    let (Some(&first), Some(&last)) = (offsets.first(), offsets.last()) else { return Err(CsrError::NoOffsets) };
    check_dimensions(offsets.len() - 1, num_cols)?;
    if first != 0 {
        return Err(CsrError::FirstOffset { found: first });
    }
    let rows = offsets.len() - 1;
    let decrease = par_first(rows, ROWS_PER_TASK, |row| offsets[row] > offsets[row + 1]);
    if let Some(row) = decrease {
        return Err(CsrError::OffsetsDecrease { row, begin: offsets[row], end: offsets[row + 1] });
    }
    if last != coords.len() {
        return Err(CsrError::LastOffset { found: last, coords: coords.len() });
    }
    if num_values != coords.len() {
        return Err(CsrError::ValueCount { values: num_values, coords: coords.len() });
    }
    let wrong = par_first(rows, 64, |row| !row_is_sound(num_cols, &coords[offsets[row]..offsets[row + 1]]));
    match wrong {
        Some(row) => Err(first_wrong_column(num_cols, row, offsets[row], &coords[offsets[row]..offsets[row + 1]])),
        None => Ok(()),
    }
}

/// Whether coordinates ascend, and the last one, which is the largest then, is in range.
fn row_is_sound(num_cols: usize, coords: &[u32]) -> bool {
    // Without early exit the comparison of neighbours runs on vectors.
    let ascending = coords.windows(2).fold(true, |ok, w| ok & (w[0] < w[1]));
    ascending && coords.last().is_none_or(|&c| (c as usize) < num_cols)
}

/// Says what is wrong with a row that is not sound.
fn first_wrong_column(num_cols: usize, row: usize, begin: usize, coords: &[u32]) -> CsrError {
    let mut previous = None;
    for (k, &col) in coords.iter().enumerate() {
        let position = begin + k;
        match previous {
            _ if col as usize >= num_cols => return CsrError::ColumnOutOfRange { row, position, col, num_cols },
            Some(p) if p == col => return CsrError::Duplicate { row, position, col },
            Some(p) if p > col => return CsrError::Unsorted { row, position, col, previous: p },
            _ => previous = Some(col),
        }
    }
    unreachable!("a row that is not sound has a first wrong column")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Csr<f64> {
        Csr::from_parts(5, vec![0, 2, 3, 3, 5], vec![1, 4, 0, 2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0]).unwrap()
    }

    #[test]
    fn rows_and_counts() {
        let a = sample();
        assert_eq!((a.num_rows(), a.num_cols(), a.nnz()), (4, 5, 5));
        assert_eq!(a.row(0).coords, [1, 4]);
        assert_eq!(a.row(3).values, [4.0, 5.0]);
        assert!(a.row(2).is_empty());
        assert_eq!(a.row(3).get(3), Some(&5.0));
        assert_eq!(a.row(3).get(4), None);
        assert_eq!(a.view().rows().map(|r| r.len()).collect::<Vec<_>>(), [2, 1, 0, 2]);
        assert_eq!(a.row(1).iter().collect::<Vec<_>>(), [(0, &3.0)]);
    }

    #[test]
    fn parts_come_back_without_a_copy() {
        let coords = vec![1u32, 4, 0, 2, 3];
        let address = coords.as_ptr();
        let a = Csr::from_pattern(5, vec![0, 2, 3, 3, 5], coords).unwrap();
        let parts = a.into_parts();
        assert_eq!(parts.coords.as_ptr(), address);
        let view = CsrView::from_parts(5, &parts.offsets, &parts.coords, &parts.values).unwrap();
        assert_eq!(view.coords().as_ptr(), address);
    }

    #[test]
    fn the_largest_coordinate_is_allowed() {
        let largest = u32::MAX - 1;
        let a = Csr::from_pattern(MAX_DIMENSION, vec![0, 2], vec![0, largest]).unwrap();
        assert_eq!(a.row(0).coords, [0, largest]);
        assert!(Csr::from_pattern(MAX_DIMENSION, vec![0, 2], vec![0, u32::MAX]).is_err());
        assert!(Csr::from_pattern(largest as usize, vec![0, 2], vec![0, largest]).is_err());
        assert_eq!(
            Csr::from_pattern(MAX_DIMENSION + 1, vec![0], vec![]),
            Err(CsrError::TooLarge { what: "columns", size: MAX_DIMENSION + 1 })
        );
    }

    #[test]
    fn the_first_wrong_place_is_named() {
        let check = |offsets: &[usize], coords: &[u32]| check_parts(5, offsets, coords, coords.len()).unwrap_err();
        assert_eq!(check(&[], &[]), CsrError::NoOffsets);
        assert_eq!(check(&[1, 2], &[0, 1]), CsrError::FirstOffset { found: 1 });
        assert_eq!(check(&[0, 2, 1, 0, 3], &[0, 1, 2]), CsrError::OffsetsDecrease { row: 1, begin: 2, end: 1 });
        assert_eq!(check(&[0, 2], &[0, 1, 2]), CsrError::LastOffset { found: 2, coords: 3 });
        assert_eq!(check(&[0, 1, 4], &[0, 0, 2, 1]), CsrError::Unsorted { row: 1, position: 3, col: 1, previous: 2 });
        assert_eq!(check(&[0, 1, 4], &[0, 0, 2, 2]), CsrError::Duplicate { row: 1, position: 3, col: 2 });
        assert_eq!(
            check(&[0, 1, 4], &[0, 0, 5, 1]),
            CsrError::ColumnOutOfRange { row: 1, position: 2, col: 5, num_cols: 5 }
        );
        assert_eq!(check_parts(5, &[0, 1], &[0], 2), Err(CsrError::ValueCount { values: 2, coords: 1 }));
    }

    #[test]
    fn the_first_of_many_wrong_rows_is_named() {
        let rows = if cfg!(miri) { 300 } else { 100_000 };
        let mut coords = vec![0u32; rows];
        (coords[rows / 3], coords[rows - 1]) = (9, 9);
        let error = Csr::from_pattern(1, (0..=rows).collect(), coords).unwrap_err();
        let position = rows / 3;
        assert_eq!(error, CsrError::ColumnOutOfRange { row: position, position, col: 9, num_cols: 1 });
    }

    #[test]
    fn splitting_covers_each_row_once_and_evenly() {
        // One huge row, many small ones, many empty ones.
        let mut offsets = vec![0usize];
        for row in 0..3000 {
            let degree = if row == 1000 { 5000 } else { usize::from(row < 1000) };
            offsets.push(offsets[row] + degree);
        }
        let coords = vec![0; 6000];
        let view = CsrView { num_cols: 5000, offsets: &offsets, coords: &coords, values: &[(); 6000] };
        for parts in [0, 1, 2, 7, 64, 5000] {
            let ranges = view.split_by_arcs(parts);
            assert!(ranges.len() <= parts.max(1));
            assert_eq!(ranges.first().unwrap().start, 0);
            assert_eq!(ranges.last().unwrap().end, 3000);
            assert!(ranges.windows(2).all(|w| w[0].end == w[1].start && !w[0].is_empty()));
            for r in ranges.iter().filter(|r| !r.contains(&1000)) {
                let work = r.len() + offsets[r.end] - offsets[r.start];
                assert!(work <= 9000 / parts.clamp(1, 3000) + 2, "{parts} parts: {r:?} does {work}");
            }
        }
        assert!(Csr::<()>::default().view().split_by_arcs(4).is_empty());
    }

    #[test]
    fn empty_matrices() {
        let a = Csr::<f32>::empty(3, 0).unwrap();
        assert_eq!((a.num_rows(), a.nnz()), (3, 0));
        assert!(a.row(2).is_empty());
        assert_eq!(Csr::<()>::default(), Csr::from_pattern(0, vec![0], vec![]).unwrap());
        assert!(Csr::<()>::empty(MAX_DIMENSION + 1, 0).is_err());
    }
}
