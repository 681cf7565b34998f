//! The entries of a matrix in an archive, a block at a time.
//!
//! ```text
//!   indptr   0 │ 2 │ 3 │ …        indices   7 9 │ 2 │ …        data   as indices: three read positions that advance together
//! ```

use super::array::{Archive, Array};
use crate::error::Error;
use crate::read::share_steps::{BLOCK, InSteps, Steps};

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
        let expected = "expected an array `format` of text, as scipy.sparse.save_npz writes it";
        let format = archive.array("format")?.map(Array::text).transpose()?.flatten();
        let format = format.ok_or_else(|| archive.wrong(expected))?;
        let mut shape = whole(&archive, "shape")?;
        let order = shape.len();
        if order != 2 {
            let path = archive.path().to_owned();
            return Err(Error::Order { path, order: usize::try_from(order).unwrap_or(usize::MAX) });
        }
        let (rows, cols) = (shape.whole()?, shape.whole()?);
        if rows.max(cols) > u64::from(u32::MAX) {
            let (what, path) = (crate::input::ROWS, archive.path().to_owned());
            return Err(Error::TooManyVertices { what, path, vertices: rows.max(cols) });
        }
        let mut matrix = Matrix { archive, format, rows, cols, weighted: true, most: 0, any_number };
        let entries = matrix.entries()?;
        (matrix.weighted, matrix.most) = (!entries.data.is_bool(), entries.data.len());
        Ok(matrix)
    }

    /// Its entries, from the first one on.
    pub(super) fn entries(&self) -> Result<Entries, Error> {
        let data = self.archive.array("data")?.ok_or_else(|| self.archive.wrong("expected an array `data`"))?;
        let data = data.of_numbers()?;
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
        Ok(Entries { matrix: self.clone(), data, layout })
    }

    fn listed(&self, data: &Array) -> Result<Layout, Error> {
        let left = data.len();
        // Newer versions of SciPy have rows and columns in one array.
        if let Some(coords) = self.archive.array("coords")? {
            let (row, col) = (coords.of_whole()?, whole(&self.archive, "coords")?);
            let fits = *row.shape() == [2, left as usize];
            return match fits {
                true => Ok(Layout::Listed { row, col, ahead: left, left }),
                false => {
                    Err(self.archive.wrong(format!("expected two rows of {left} numbers in `coords`, as in `data`")))
                }
            };
        }
        let (row, col) = (whole(&self.archive, "row")?, whole(&self.archive, "col")?);
        match row.len() == col.len() && row.len() == left {
            true => Ok(Layout::Listed { row, col, ahead: 0, left }),
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
        let offsets = self.archive.array("offsets")?.map(Array::of_whole).transpose()?;
        match (offsets, data.shape()) {
            (Some(offsets), &[diagonals, width]) if offsets.len() == diagonals as u64 => {
                Ok(Layout::Diagonals { offsets, width: width as u64, offset: 0, col: width as u64, left: data.len() })
            }
            _ => Err(self.archive.wrong("expected whole numbers in `offsets`, and a row of `data` for each")),
        }
    }
}

impl InSteps for Matrix {
    fn begin(&self) -> Result<Box<dyn Steps>, Error> {
        Ok(Box::new(self.entries()?))
    }
}

/// Opens an array by its name, which must exist and hold integers.
fn whole(archive: &Archive, name: &str) -> Result<Array, Error> {
    let array = archive.array(name)?;
    array.ok_or_else(|| archive.wrong(format!("expected an array `{name}` of whole numbers")))?.of_whole()
}

/// Entries that are read one after the other.
pub(super) struct Entries {
    matrix: Matrix,
    data: Array,
    layout: Layout,
}

/// The coordinates of entries, by SciPy's format.
enum Layout {
    /// COO: an array of rows and one of columns. Where both are one array, the columns begin behind this many numbers.
    Listed {
        row: Array,
        col: Array,
        ahead: u64,
        left: u64,
    },
    Compressed(Box<Compressed>),
    /// DIA: rows of values, which may be longer than the matrix is wide. The current diagonal, and the next position in it.
    Diagonals {
        offsets: Array,
        width: u64,
        offset: i64,
        col: u64,
        left: u64,
    },
}

/// CSR, CSC and BSR: rows, columns, or rows of blocks.
struct Compressed {
    indptr: Array,
    indices: Array,
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
        archive.wrong(format!(
            "expected {} offsets in `indptr` that ascend from 0 to the {} numbers of `indices`, and a value for each",
            self.lines + 1,
            self.indices.len()
        ))
    }

    /// The coordinates of the next value; `None` after the last one.
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
        Ok(Some(match self.by_column {
            true => (self.index, line),
            false => {
                let col = self.index.saturating_mul(self.wide).saturating_add(value % self.wide);
                (line * self.high + value / self.wide, col)
            }
        }))
    }
}

impl Entries {
    /// The coordinates of the next value, and whether it is an entry even if it is zero; `None` after the last one.
    fn place(&mut self) -> Result<Option<(u64, u64, bool)>, Error> {
        match &mut self.layout {
            Layout::Listed { left: 0, .. } | Layout::Diagonals { left: 0, .. } => Ok(None),
            Layout::Listed { row, col, ahead, left } => {
                col.skip(std::mem::take(ahead))?;
                *left -= 1;
                Ok(Some((row.whole()?, col.whole()?, true)))
            }
            Layout::Compressed(compressed) => {
                // Zeros in blocks are padding.
                let single = compressed.high * compressed.wide == 1;
                Ok(compressed.next(&self.matrix.archive)?.map(|(row, col)| (row, col, single)))
            }
            Layout::Diagonals { offsets, width, offset, col, left } => {
                if col == width {
                    (*offset, *col) = (offsets.signed()?, 0);
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
            let value = self.data.real()?;
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
