//! The entries of a matrix in an archive, a block at a time.
//!
//! ```text
//!   indptr   0 │ 2 │ 3 │ …        indices   7 9 │ 2 │ …        data   as indices: three read positions that advance together
//! ```

use super::array::{Archive, Array, Numbers};
use crate::error::{Error, counted};
use crate::read::share_steps::{BLOCK, InSteps, Steps};
use crate::tensor::Coo;

/// A matrix in an archive.
#[derive(Clone, Debug)]
pub(super) struct Matrix {
    pub(super) archive: Archive,
    format: String,
    pub(super) rows: u64,
    pub(super) cols: u64,
    /// Whether entries have values.
    pub(super) weighted: bool,
    /// An upper bound of the number of entries.
    pub(super) most: u64,
    any_number: bool,
}

impl Matrix {
    /// Reads the format and the shape of the matrix, whose values may be infinite or no number if `any_number` says so.
    pub(super) fn open(archive: Archive, any_number: bool) -> Result<Matrix, Error> {
        let (format, shape) = head(&archive)?;
        let [rows, cols] = shape[..] else {
            return Err(Error::Order { path: archive.path().to_owned(), order: shape.len() });
        };
        let mut matrix = Matrix { archive, format, rows, cols, weighted: true, most: 0, any_number };
        let entries = matrix.entries()?;
        (matrix.weighted, matrix.most) = (!entries.data.array().is_bool(), entries.data.len());
        Ok(matrix)
    }

    /// Its entries, from the first one on.
    pub(super) fn entries(&self) -> Result<Entries, Error> {
        let data = data_of(&self.archive)?;
        let data = if matches!(&self.format[..], "coo" | "csr" | "csc") { data.of_one_dimension()? } else { data };
        let layout = match self.format.as_str() {
            "coo" => self.listed(&data)?,
            "csr" | "csc" | "bsr" => self.compressed(&data)?,
            "dia" => self.diagonals(&data)?,
            other => {
                return Err(self
                    .archive
                    .wrong(format!("expected the format csr, csc, coo, bsr or dia, found `{other}`")));
            }
        };
        Ok(Entries { matrix: self.clone(), data: data.of_numbers()?, layout })
    }

    fn listed(&self, data: &Array) -> Result<Layout, Error> {
        let left = data.len();
        // Newer versions of SciPy have rows and columns in one array.
        if let (Some(row), Some(col)) = (self.archive.array("coords")?, self.archive.array("coords")?) {
            check_coords(&self.archive, &row, 2, left)?;
            let listed = Listed { row: row.of_whole()?, col: col.of_whole()?, ahead: left, left };
            return Ok(Layout::Listed(Box::new(listed)));
        }
        let (row, col) = (whole(&self.archive, "row")?, whole(&self.archive, "col")?);
        match row.len() == col.len() && row.len() == left {
            true => Ok(Layout::Listed(Box::new(Listed { row, col, ahead: 0, left }))),
            false => Err(self.archive.wrong("expected as many numbers in `row`, `col` and `data`")),
        }
    }

    fn compressed(&self, data: &Array) -> Result<Layout, Error> {
        let (indptr, indices) = (whole(&self.archive, "indptr")?, whole(&self.archive, "indices")?);
        let (high, wide) = match (&self.format[..], data.shape()) {
            ("bsr", &[_, high, wide]) if high > 0 && wide > 0 => (high as u64, wide as u64),
            ("bsr", _) => return Err(self.archive.wrong("expected blocks in `data`")),
            _ => (1, 1),
        };
        let by_column = self.format == "csc";
        let lines = if by_column { self.cols } else { self.rows / high };
        let block = high.checked_mul(wide);
        let values = block.and_then(|block| indices.len().checked_mul(block));
        let mut compressed =
            Compressed { indptr, indices, by_column, high, wide, lines, line: 0, at: 0, end: 0, index: 0, value: 0 };
        if compressed.indptr.len() != lines + 1 || values != Some(data.len()) || compressed.indptr.whole()? != 0 {
            return Err(compressed.unfit(&self.archive));
        }
        compressed.value = high * wide;
        Ok(Layout::Compressed(Box::new(compressed)))
    }

    fn diagonals(&self, data: &Array) -> Result<Layout, Error> {
        let mut offsets = whole(&self.archive, "offsets")?;
        let (count, left) = (offsets.len(), data.len());
        let width = match *data.shape() {
            [diagonals, width] if count == diagonals as u64 => width as u64,
            _ => return Err(self.archive.wrong("expected a row of `data` for each number of `offsets`")),
        };
        let offsets: Vec<i64> = (0..count).map(|_| offsets.next()).collect::<Result<_, _>>()?;
        let mut sorted = offsets.clone();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            let reason = format!("expected each diagonal once in `offsets`, found {} twice", twice[0]);
            return Err(self.archive.wrong(reason));
        }
        Ok(Layout::Diagonals { offsets: offsets.into_iter(), width, offset: 0, col: width, left })
    }
}

/// The format in an archive, and the extents.
fn head(archive: &Archive) -> Result<(String, Vec<u64>), Error> {
    let expected = "expected an array `format` of text, as scipy.sparse.save_npz writes it";
    let format = archive.array("format")?.map(Array::text).transpose()?.flatten();
    let format = format.ok_or_else(|| archive.wrong(expected))?;
    let mut shape = whole(archive, "shape")?;
    let (order, path) = (shape.len(), || archive.path().to_owned());
    if !(1..=Coo::MAX_ORDER as u64).contains(&order) {
        return Err(Error::Order { path: path(), order: usize::try_from(order).unwrap_or(usize::MAX) });
    }
    let shape: Vec<u64> = (0..order).map(|_| shape.whole()).collect::<Result<_, _>>()?;
    match shape.iter().find(|&&extent| extent > u64::from(u32::MAX)) {
        None => Ok((format, shape)),
        Some(&vertices) => Err(Error::TooManyVertices { what: crate::input::ROWS, path: path(), vertices }),
    }
}

/// The tensor in an archive, unless it is a matrix, and whether a whole number among its values was rounded. Values may be infinite or no number if
/// `any_number` says so.
pub(super) fn tensor(archive: &Archive, any_number: bool) -> Result<Option<(Coo, bool)>, Error> {
    let (format, shape) = head(archive)?;
    if shape.len() == 2 {
        return Ok(None);
    }
    let coords = archive.array("coords")?.filter(|_| format == "coo").ok_or_else(|| {
        let found = format!("is a tensor of order {} in the format {format}", shape.len());
        archive.wrong(format!("{found}, expected the format coo with an array `coords`"))
    })?;
    let data = data_of(archive)?.of_one_dimension()?;
    check_coords(archive, &coords, shape.len(), data.len())?;
    let (mut coords, is_bool, mut data) = (coords.of_whole()?, data.is_bool(), data.of_numbers()?);
    let mut tensor = Coo::new(shape.iter().map(|&extent| extent as usize).collect());
    for (mode, &extent) in tensor.coords.iter_mut().zip(&shape) {
        for _ in 0..data.len() {
            let coord = coords.whole()?;
            if coord >= extent {
                return Err(archive.wrong(format!("expected coordinates below {extent} in `coords`, found {coord}")));
            }
            mode.push(coord as u32);
        }
    }
    for _ in 0..data.len() {
        let value = data.next()?;
        if !any_number && !value.is_finite() {
            return Err(archive.wrong(format!("expected finite numbers in `data`, found {value}")));
        }
        tensor.values.push(value);
    }
    if is_bool {
        let is_true: Vec<bool> = tensor.values.iter().map(|&value| value != 0.0).collect();
        for mode in &mut tensor.coords {
            let mut kept = is_true.iter();
            mode.retain(|_| kept.next() == Some(&true));
        }
        keep_first(&mut tensor.coords);
        tensor.values = vec![1.0; tensor.coords[0].len()];
    }
    Ok(Some((tensor, data.rounded())))
}

/// Keeps the first of several entries at one place. Truth values are joined by *or*, and only those that are true are entries.
pub(super) fn keep_first(modes: &mut [Vec<u32>]) {
    let all = &*modes;
    let place = |k: usize| all.iter().map(move |mode| mode[k]);
    let count = all.first().map_or(0, Vec::len);
    let mut each = 1..count;
    // Most files have entries in order of rows, or of columns, and each place once.
    if each.clone().all(|k| place(k - 1).lt(place(k))) || each.all(|k| place(k - 1).rev().lt(place(k).rev())) {
        return;
    }
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| place(a).cmp(place(b)));
    order.dedup_by(|a, b| place(*a).eq(place(*b)));
    order.sort_unstable();
    modes.iter_mut().for_each(|mode| *mode = order.iter().map(|&k| mode[k]).collect());
}

/// Refuses coordinates unless they are an array with a row for each of `order` modes, and in each row a number for each of `count` values.
fn check_coords(archive: &Archive, coords: &Array, order: usize, count: u64) -> Result<(), Error> {
    match *coords.shape() {
        [rows, numbers] if rows == order && numbers as u64 == count => Ok(()),
        _ => {
            let (rows, numbers) = (counted(order as u64, "row", "rows"), counted(count, "number", "numbers"));
            Err(archive.wrong(format!("expected {rows} of {numbers} in `coords`, as in `data`")))
        }
    }
}

impl InSteps for Matrix {
    fn begin(&self) -> Result<Box<dyn Steps>, Error> {
        Ok(Box::new(self.entries()?))
    }
}

/// Opens an array by its name. It must exist, have one dimension, and hold whole numbers.
fn whole(archive: &Archive, name: &str) -> Result<Numbers<i64>, Error> {
    let array = archive.array(name)?.ok_or_else(|| archive.wrong(format!("expected an array `{name}`")))?;
    array.of_one_dimension()?.of_whole()
}

/// Opens the values.
fn data_of(archive: &Archive) -> Result<Array, Error> {
    archive.array("data")?.ok_or_else(|| archive.wrong("expected an array `data`"))
}

/// Entries that are read one after the other.
pub(super) struct Entries {
    matrix: Matrix,
    data: Numbers<f64>,
    layout: Layout,
}

/// The coordinates of entries, by SciPy's format.
enum Layout {
    Listed(Box<Listed>),
    Compressed(Box<Compressed>),
    /// DIA: rows of values, which may be longer than the matrix is wide. The current diagonal, and the next position in it.
    Diagonals {
        offsets: std::vec::IntoIter<i64>,
        width: u64,
        offset: i64,
        col: u64,
        left: u64,
    },
}

/// COO: an array of rows and one of columns. Where both are one array, the columns begin behind this many numbers.
struct Listed {
    row: Numbers<i64>,
    col: Numbers<i64>,
    ahead: u64,
    left: u64,
}

/// CSR, CSC and BSR: rows, columns, or rows of blocks.
struct Compressed {
    indptr: Numbers<i64>,
    indices: Numbers<i64>,
    by_column: bool,
    /// The size of a block.
    high: u64,
    wide: u64,
    lines: u64,
    /// The current row (or column), the position of the next index, and the position at which the current row ends.
    line: u64,
    at: u64,
    end: u64,
    /// The column of the current block, and the number of its next value.
    index: u64,
    value: u64,
}

impl Compressed {
    fn unfit(&self, archive: &Archive) -> Error {
        let offsets = counted(self.lines + 1, "offset", "offsets");
        let indices = counted(self.indices.len(), "number", "numbers");
        archive.wrong(format!(
            "expected {offsets} in `indptr` that ascend from 0 to the {indices} of `indices`, and a value for each"
        ))
    }

    /// The coordinates of the next value; `None` after the last one.
    #[inline]
    fn next(&mut self, archive: &Archive) -> Result<Option<(u64, u64)>, Error> {
        if self.value == self.high * self.wide {
            while self.at == self.end {
                if self.line == self.lines {
                    let all = self.end == self.indices.len();
                    return if all { Ok(None) } else { Err(self.unfit(archive)) };
                }
                let end = self.indptr.whole()?;
                if !(self.end..=self.indices.len()).contains(&end) {
                    return Err(self.unfit(archive));
                }
                (self.end, self.line) = (end, self.line + 1);
            }
            (self.index, self.value, self.at) = (self.indices.whole()?, 0, self.at + 1);
        }
        let (line, value) = (self.line - 1, self.value);
        self.value += 1;
        Ok(Some(match (self.by_column, self.high * self.wide) {
            (true, _) => (self.index, line),
            (false, 1) => (line, self.index),
            (false, _) => {
                let col = self.index.saturating_mul(self.wide).saturating_add(value % self.wide);
                (line * self.high + value / self.wide, col)
            }
        }))
    }
}

impl Entries {
    /// Whether a whole number among the values was rounded so far.
    pub(super) fn rounded(&self) -> bool {
        self.data.rounded()
    }

    /// The coordinates of the next value, and whether it is an entry even if it is zero; `None` after the last one.
    #[inline]
    fn place(&mut self) -> Result<Option<(u64, u64, bool)>, Error> {
        match &mut self.layout {
            Layout::Diagonals { left: 0, .. } => Ok(None),
            Layout::Listed(listed) if listed.left == 0 => Ok(None),
            Layout::Listed(listed) => {
                let ahead = std::mem::take(&mut listed.ahead);
                listed.col.skip(ahead)?;
                listed.left -= 1;
                Ok(Some((listed.row.whole()?, listed.col.whole()?, true)))
            }
            Layout::Compressed(compressed) => {
                // Zeros in blocks are padding.
                let single = compressed.high * compressed.wide == 1;
                Ok(compressed.next(&self.matrix.archive)?.map(|(row, col)| (row, col, single)))
            }
            Layout::Diagonals { offsets, width, offset, col, left } => {
                if col == width {
                    let Some(next) = offsets.next() else { return Ok(None) };
                    (*offset, *col) = (next, 0);
                }
                let row = (*col as i64).checked_sub(*offset).and_then(|row| u64::try_from(row).ok());
                (*col, *left) = (*col + 1, *left - 1);
                Ok(Some((row.unwrap_or(u64::MAX), *col - 1, false)))
            }
        }
    }
}

impl Steps for Entries {
    fn next(&mut self, each: &mut dyn FnMut(u64, u64, f64)) -> Result<bool, Error> {
        let Matrix { rows, cols, weighted, any_number, .. } = self.matrix;
        for done in 0..BLOCK {
            let Some((row, col, zeros)) = self.place()? else { return Ok(done > 0) };
            let value = self.data.next()?;
            // What is false is no entry of a pattern.
            if value == 0.0 && !(zeros && weighted) {
                continue;
            }
            if row >= rows || col >= cols {
                // Parts of diagonals lie outside of the matrix.
                if matches!(self.layout, Layout::Diagonals { .. }) {
                    continue;
                }
                let reason = format!("expected entries within {rows} × {cols}, found one at ({row}, {col})");
                return Err(self.matrix.archive.wrong(reason));
            }
            if weighted && !any_number && !value.is_finite() {
                let reason = format!("expected finite numbers in `data`, found {value} at ({row}, {col})");
                return Err(self.matrix.archive.wrong(reason));
            }
            each(row, col, if weighted { value } else { 1.0 });
        }
        Ok(true)
    }
}
