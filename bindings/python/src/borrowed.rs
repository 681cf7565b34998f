//! Products, sums and transposes of compressed rows where SciPy holds them, without a copy.
//!
//! ```text
//!   SciPy's indptr · indices · data ──► one pass over the nonzeros, the GIL held ──► new arrays
//! ```
//!
//! Nothing else changes the arrays meanwhile, because nothing else holds the GIL. What takes longer than a pass copies them first and
//! releases it: [`CsrCore`](crate::matrix::CsrCore).
//!
//! Every function checks what it reads. It returns `None` for arrays that are no rows in ascending order without duplicates, or that have
//! other types: the caller then looks for what is wrong, or converts them.

use std::ops::Range;

use numpy::{Element, PyArray1, PyReadonlyArray1};
use pleach::csr::RowSums;
use pleach::runtime::{Position, transposed};
use pyo3::intern;
use pyo3::prelude::*;

use crate::arrays::array;
use crate::jobs::get_threads;

/// Nonzeros from which on a pass over them takes several times as long as to start threads.
const SHARED: usize = 1 << 21;

/// Products of nonzeros that are added up while the GIL is held: about a tenth of a second.
const MOST_PRODUCTS: usize = 1 << 25;

/// Nonzeros of a row from which on it is added up in four sums.
const SHORT: usize = 12;

/// Columns of a product for each of which there is a sum meanwhile: at most half a gigabyte.
const MOST_COLUMNS: usize = 1 << 26;

/// The types in which SciPy keeps coordinates and offsets.
pub(crate) trait Index: Element + Position + Default + Ord + Send + Sync {
    /// A position in this type, if it fits.
    fn checked(at: usize) -> Option<Self> {
        Self::fits(at).then(|| Self::of(at))
    }
}

impl Index for i32 {}

impl Index for i64 {}

/// The arrays of a matrix.
struct Arrays<'py, I: Index> {
    cols: usize,
    offsets: PyReadonlyArray1<'py, I>,
    coords: PyReadonlyArray1<'py, I>,
    values: PyReadonlyArray1<'py, f64>,
}

impl<I: Index> Arrays<'_, I> {
    /// The rows; `None` if the arrays are not contiguous or of the wrong lengths.
    fn rows(&self) -> Option<Rows<'_, I>> {
        let (offsets, coords, values) =
            (self.offsets.as_slice().ok()?, self.coords.as_slice().ok()?, self.values.as_slice().ok()?);
        let used = offsets.last()?.index();
        let (coords, values) = (coords.get(..used)?, values.get(..used)?);
        Some(Rows { cols: self.cols, offsets, coords, values })
    }
}

/// A matrix by rows, whose arrays are not checked beyond their lengths.
#[derive(Clone, Copy)]
struct Rows<'a, I> {
    cols: usize,
    offsets: &'a [I],
    coords: &'a [I],
    values: &'a [f64],
}

/// Arrays that a computation has made: offsets, coordinates and values.
pub(crate) type Made<I> = (Vec<I>, Vec<I>, Vec<f64>);

impl<'a, I: Index> Rows<'a, I> {
    fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    fn row(&self, row: usize) -> Option<(&'a [I], &'a [f64])> {
        let range = self.offsets[row].index()..self.offsets[row + 1].index();
        Some((self.coords.get(range.clone())?, self.values.get(range)?))
    }

    fn row_len(&self, row: usize) -> Option<usize> {
        let (from, to) = (self.offsets.get(row)?, self.offsets.get(row.checked_add(1)?)?);
        to.index().checked_sub(from.index())
    }

    /// The rows in stretches for so many threads, of about as many nonzeros each.
    fn stretches(&self, threads: usize) -> Vec<Range<usize>> {
        let mut first = 0;
        let stretch = |k: usize| {
            let wanted = self.coords.len() * (k + 1) / threads;
            let end =
                if k + 1 == threads { self.len() } else { self.offsets.partition_point(|at| at.index() < wanted) };
            let start = first;
            first = end.clamp(start, self.len());
            start..first
        };
        (0..threads).map(stretch).collect()
    }

    /// The product with a vector as long as the matrix has columns.
    fn times(&self, vector: &[f64], products: &mut [f64]) -> Option<()> {
        self.shared(products, |rows, products| self.times_rows(vector, rows, products))
    }

    /// The product of some rows with a vector. It is not inlined: as a part of its caller the same loop took half as long again in some builds.
    #[inline(never)]
    fn times_rows(self, vector: &[f64], rows: Range<usize>, products: &mut [f64]) -> Option<()> {
        let ends = self.offsets.get(rows.start..=rows.end)?;
        let (all_coords, all_values) = (self.coords, self.values.get(..self.coords.len())?);
        for (pair, product) in ends.windows(2).zip(products) {
            let range = pair[0].index()..pair[1].index();
            let (coords, values) = (all_coords.get(range.clone())?, all_values.get(range)?);
            if coords.len() < SHORT {
                let mut sum = 0.0;
                for (col, value) in coords.iter().zip(values) {
                    sum += value * vector.get(col.index())?;
                }
                *product = sum;
                continue;
            }
            // Four sums at a time: an addition need not wait for the one before it.
            let (fours, coords_left) = coords.as_chunks::<4>();
            let (values_of_fours, values_left) = values.as_chunks::<4>();
            let mut sums = [0.0; 4];
            for (cols, values) in fours.iter().zip(values_of_fours) {
                for k in 0..4 {
                    sums[k] += values[k] * vector.get(cols[k].index())?;
                }
            }
            let mut sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
            for (col, value) in coords_left.iter().zip(values_left) {
                sum += value * vector.get(col.index())?;
            }
            *product = sum;
        }
        Some(())
    }

    /// Computes an element for each row, in several threads if there are many nonzeros.
    fn shared<T: Send>(
        &self,
        elements: &mut [T],
        compute: impl Fn(Range<usize>, &mut [T]) -> Option<()> + Sync,
    ) -> Option<()> {
        let threads = if self.coords.len() < SHARED { 1 } else { get_threads() };
        if threads == 1 {
            return compute(0..self.len(), elements);
        }
        std::thread::scope(|scope| {
            let (mut rest, compute) = (elements, &compute);
            let started: Vec<_> = (self.stretches(threads).into_iter())
                .map(|rows| {
                    let (own, others) = std::mem::take(&mut rest).split_at_mut(rows.len());
                    rest = others;
                    scope.spawn(move || compute(rows, own))
                })
                .collect();
            started.into_iter().try_for_each(|thread| thread.join().ok()?)
        })
    }

    /// The product of the transpose with a vector as long as the matrix has rows.
    fn transposed_times(&self, vector: &[f64], products: &mut [f64]) -> Option<()> {
        for (row, factor) in (0..self.len()).zip(vector) {
            let (coords, values) = self.row(row)?;
            for (col, value) in coords.iter().zip(values) {
                *products.get_mut(col.index())? += value * factor;
            }
        }
        Some(())
    }

    /// The sum with `sign` times another matrix of as many rows and columns; what adds up to zero stays.
    fn plus(&self, other: &Rows<'_, I>, sign: f64) -> Option<Made<I>> {
        let most = self.coords.len() + other.coords.len();
        // No offset is larger than this one.
        I::checked(most)?;
        if most >= SHARED && get_threads() > 1 {
            return self.plus_shared(other, sign);
        }
        let (mut coords, mut values) = (vec![I::default(); most], vec![0.0; most]);
        let mut ends = vec![0; self.len()];
        let count = self.fill(other, sign, 0..self.len(), (&mut coords, &mut values, &mut ends))?;
        coords.truncate(count);
        values.truncate(count);
        coords.shrink_to_fit();
        values.shrink_to_fit();
        let offsets =
            std::iter::once(Some(I::default())).chain(ends.into_iter().map(I::checked)).collect::<Option<_>>()?;
        Some((offsets, coords, values))
    }

    /// The same by several threads. Each has room for all entries of its rows; what is left over is closed up in the end.
    fn plus_shared(&self, other: &Rows<'_, I>, sign: f64) -> Option<Made<I>> {
        let most = self.coords.len() + other.coords.len();
        let (mut coords, mut values) = (vec![I::default(); most], vec![0.0; most]);
        let mut ends = vec![0usize; self.len()];
        let mut rest = (&mut coords[..], &mut values[..], &mut ends[..]);
        let stretches = self.stretches(get_threads());
        let room = |rows: &Range<usize>| {
            let stored = |of: &Rows<'_, I>| of.offsets[rows.end].index().checked_sub(of.offsets[rows.start].index());
            Some(stored(self)? + stored(other)?)
        };
        let rooms: Vec<usize> = stretches.iter().map(room).collect::<Option<_>>()?;
        let filled: Vec<usize> = std::thread::scope(|scope| {
            let mut started = Vec::new();
            for (rows, &room) in stretches.iter().cloned().zip(&rooms) {
                let (coords, more_coords) = rest.0.split_at_mut_checked(room)?;
                let (values, more_values) = rest.1.split_at_mut_checked(room)?;
                let (ends, more_ends) = rest.2.split_at_mut(rows.len());
                rest = (more_coords, more_values, more_ends);
                started.push(scope.spawn(move || self.fill(other, sign, rows, (coords, values, ends))));
            }
            started.into_iter().map(|thread| thread.join().ok()?).collect::<Option<_>>()
        })?;
        let (mut from, mut to) = (0, 0);
        let mut offsets = Vec::with_capacity(self.offsets.len());
        offsets.push(I::default());
        for ((rows, room), count) in stretches.into_iter().zip(rooms).zip(filled) {
            coords.copy_within(from..from + count, to);
            values.copy_within(from..from + count, to);
            for &end in &ends[rows] {
                offsets.push(I::checked(to + end)?);
            }
            (from, to) = (from + room, to + count);
        }
        coords.truncate(to);
        values.truncate(to);
        coords.shrink_to_fit();
        values.shrink_to_fit();
        Some((offsets, coords, values))
    }

    /// Adds some rows up at the beginning of arrays that are large enough, and notes where each row ends there; how many entries there are.
    fn fill(
        &self,
        other: &Rows<'_, I>,
        sign: f64,
        rows: Range<usize>,
        (coords, values, ends): (&mut [I], &mut [f64], &mut [usize]),
    ) -> Option<usize> {
        let mut count = 0;
        for (row, end) in rows.zip(ends) {
            let (a, b) = (self.row(row)?, other.row(row)?);
            let most = a.0.len() + b.0.len();
            let (coords, values) = (coords.get_mut(count..count + most)?, values.get_mut(count..count + most)?);
            let made = merge(a, b, sign, coords, values)?;
            // The row ascends: a negative coordinate, which is larger than all as a position, comes first.
            if made > 0 && coords[0].index().max(coords[made - 1].index()) >= self.cols {
                return None;
            }
            count += made;
            *end = count;
        }
        Some(count)
    }

    /// The product with another matrix, by several threads if there is much to add up; `None` if that takes too long to hold the GIL.
    fn product(&self, other: &Rows<'_, I>) -> Option<Made<I>> {
        // How many products there are up to the end of each row.
        let (mut ends, mut products) = (Vec::with_capacity(self.len()), 0);
        for row in 0..self.len() {
            products += self.products(other, row)?;
            ends.push(products);
        }
        if products > MOST_PRODUCTS || other.cols > MOST_COLUMNS {
            return None;
        }
        let threads = if products < SHARED { 1 } else { get_threads() };
        let start = |k: usize| match k {
            0 => 0,
            k if k == threads => self.len(),
            k => ends.partition_point(|&end| end * threads < products * k),
        };
        let multiply = |k: usize, room| self.multiply(other, start(k)..start(k + 1), room);
        let made: Vec<Made<I>> = std::thread::scope(|scope| {
            let multiply = &multiply;
            let room = products / threads;
            let others: Vec<_> = (1..threads).map(|k| scope.spawn(move || multiply(k, room))).collect();
            // The others' rows are appended to the first ones.
            let first = multiply(0, products);
            std::iter::once(first).chain(others.into_iter().map(|thread| thread.join().ok()?)).collect::<Option<_>>()
        })?;
        let mut made = made.into_iter();
        let (mut offsets, mut coords, mut values) = made.next()?;
        for (more, more_coords, more_values) in made {
            let first = coords.len();
            offsets.extend(more[1..].iter().map(|end| I::checked(first + end.index())).collect::<Option<Vec<_>>>()?);
            coords.extend(more_coords);
            values.extend(more_values);
        }
        coords.shrink_to_fit();
        values.shrink_to_fit();
        Some((offsets, coords, values))
    }

    /// How many pairs of nonzeros a row of the product comes of.
    fn products(&self, other: &Rows<'_, I>, row: usize) -> Option<usize> {
        let mut count = 0;
        for at in self.row(row)?.0 {
            count += other.row_len(at.index())?;
        }
        Some(count)
    }

    /// Some rows of the product with another matrix, one by one (Gustavson 1978). There is `room` for so many entries at first.
    fn multiply(&self, other: &Rows<'_, I>, rows: Range<usize>, room: usize) -> Option<Made<I>> {
        let mut sums = RowSums::new(other.cols);
        let mut offsets = Vec::with_capacity(rows.len() + 1);
        // Memory that is not written to costs nothing.
        let (mut coords, mut values) = (Vec::with_capacity(room), Vec::with_capacity(room));
        offsets.push(I::default());
        for row in rows {
            let mut sum = sums.begin(self.products(other, row)?);
            let (own, factors) = self.row(row)?;
            for (at, factor) in own.iter().zip(factors) {
                let (cols, numbers) = other.row(at.index())?;
                for (col, number) in cols.iter().zip(numbers) {
                    if col.index() >= sum.num_cols() {
                        return None;
                    }
                    sum.add(col.index(), factor * number);
                }
            }
            sum.take(|col, value| {
                coords.push(I::of(col as usize));
                values.push(value);
            });
            offsets.push(I::checked(coords.len())?);
        }
        Some((offsets, coords, values))
    }

    /// The transpose. Its rows ascend, whatever the order of this matrix is.
    fn transpose(&self) -> Option<Made<I>> {
        transposed(self.offsets, self.coords, self.values, self.cols)
    }
}

/// Writes the sum of two rows to arrays with room for both; how many entries it has. `None` if the rows do not ascend: neither does their
/// sum then.
fn merge<I: Index>(
    (a, own): (&[I], &[f64]),
    (b, others): (&[I], &[f64]),
    sign: f64,
    coords: &mut [I],
    values: &mut [f64],
) -> Option<usize> {
    let (own, others) = (&own[..a.len()], &others[..b.len()]);
    if a == b {
        // As in every row of a sum of matrices with the same pattern.
        coords[..a.len()].copy_from_slice(a);
        for ((sum, own), other) in values.iter_mut().zip(own).zip(others) {
            *sum = own + sign * other;
        }
        let ascends = a.windows(2).fold(true, |ascends, pair| ascends & (pair[0] < pair[1]));
        return ascends.then_some(a.len());
    }
    let (mut p, mut q, mut k) = (0, 0, 0);
    let mut ascends = true;
    // Smaller than every coordinate.
    let mut last = None;
    while p < a.len() && q < b.len() {
        let (i, j) = (a[p], b[q]);
        let (coord, value) = if i == j {
            (p, q) = (p + 1, q + 1);
            (i, own[p - 1] + sign * others[q - 1])
        } else if i < j {
            p += 1;
            (i, own[p - 1])
        } else {
            q += 1;
            (j, sign * others[q - 1])
        };
        ascends &= last < Some(coord);
        last = Some(coord);
        (coords[k], values[k]) = (coord, value);
        k += 1;
    }
    for (&coord, &value) in a[p..].iter().zip(&own[p..]) {
        ascends &= last < Some(coord);
        last = Some(coord);
        (coords[k], values[k]) = (coord, value);
        k += 1;
    }
    for (&coord, &value) in b[q..].iter().zip(&others[q..]) {
        ascends &= last < Some(coord);
        last = Some(coord);
        (coords[k], values[k]) = (coord, sign * value);
        k += 1;
    }
    ascends.then_some(k)
}

fn arrays<'py, I: Index>(matrix: &Bound<'py, PyAny>) -> PyResult<Option<Arrays<'py, I>>> {
    let py = matrix.py();
    let is_csr = |format: Bound<'py, PyAny>| format.eq(intern!(py, "csr")).unwrap_or(false);
    if !matrix.getattr(intern!(py, "format")).is_ok_and(is_csr) {
        return Ok(None);
    }
    let Ok((rows, cols)) = matrix.getattr(intern!(py, "shape"))?.extract::<(usize, usize)>() else { return Ok(None) };
    // Coordinates of the library have 32 bits: its messages say so.
    if u32::try_from(cols).is_err() {
        return Ok(None);
    }
    let Ok(offsets) = matrix.getattr(intern!(py, "indptr"))?.extract::<PyReadonlyArray1<'py, I>>() else {
        return Ok(None);
    };
    let Ok(coords) = matrix.getattr(intern!(py, "indices"))?.extract::<PyReadonlyArray1<'py, I>>() else {
        return Ok(None);
    };
    let Ok(values) = matrix.getattr(intern!(py, "data"))?.extract::<PyReadonlyArray1<'py, f64>>() else {
        return Ok(None);
    };
    let fits = offsets.as_slice().is_ok_and(|offsets| offsets.len() == rows + 1 && offsets[0].index() == 0);
    Ok(fits.then_some(Arrays { cols, offsets, coords, values }))
}

/// Offsets, coordinates and values.
pub(crate) type Parts<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyArray1<f64>>);

pub(crate) fn parts<I: Index>(py: Python<'_>, (offsets, coords, values): Made<I>) -> Parts<'_> {
    (array(py, offsets).into_any(), array(py, coords).into_any(), array(py, values))
}

/// The product of a matrix, or of its transpose, and a vector.
fn product<'py, I: Index>(
    matrix: &Bound<'py, PyAny>,
    vector: &PyReadonlyArray1<'py, f64>,
    transposed: bool,
) -> PyResult<Option<Bound<'py, PyArray1<f64>>>> {
    let Some(arrays) = arrays::<I>(matrix)? else { return Ok(None) };
    let (Some(rows), Ok(vector)) = (arrays.rows(), vector.as_slice()) else { return Ok(None) };
    let (extent, size) = if transposed { (rows.len(), rows.cols) } else { (rows.cols, rows.len()) };
    if vector.len() != extent {
        return Ok(None);
    }
    let mut products = vec![0.0; size];
    let done = match transposed {
        true => rows.transposed_times(vector, &mut products),
        false => rows.times(vector, &mut products),
    };
    Ok(done.map(|()| array(matrix.py(), products)))
}

/// The product of SciPy's compressed rows, or of their transpose, and a vector.
#[pyfunction]
pub(crate) fn times_vector<'py>(
    matrix: &Bound<'py, PyAny>,
    vector: &Bound<'py, PyAny>,
    transposed: bool,
) -> PyResult<Option<Bound<'py, PyArray1<f64>>>> {
    let Ok(vector) = vector.extract() else { return Ok(None) };
    match product::<i32>(matrix, &vector, transposed)? {
        None => product::<i64>(matrix, &vector, transposed),
        found => Ok(found),
    }
}

fn matrix_product<'py, I: Index>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Option<Parts<'py>>> {
    let (Some(left), Some(right)) = (arrays::<I>(a)?, arrays::<I>(b)?) else { return Ok(None) };
    let (Some(left), Some(right)) = (left.rows(), right.rows()) else { return Ok(None) };
    let made = if left.cols == right.len() { left.product(&right) } else { None };
    Ok(made.map(|made| parts(a.py(), made)))
}

/// The product of SciPy's compressed rows and others.
#[pyfunction]
pub(crate) fn times<'py>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Option<Parts<'py>>> {
    match matrix_product::<i32>(a, b)? {
        None => matrix_product::<i64>(a, b),
        found => Ok(found),
    }
}

fn sum<'py, I: Index>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>, sign: f64) -> PyResult<Option<Parts<'py>>> {
    let (Some(left), Some(right)) = (arrays::<I>(a)?, arrays::<I>(b)?) else { return Ok(None) };
    let (Some(left), Some(right)) = (left.rows(), right.rows()) else { return Ok(None) };
    if (left.len(), left.cols) != (right.len(), right.cols) {
        return Ok(None);
    }
    Ok(left.plus(&right, sign).map(|made| parts(a.py(), made)))
}

/// The sum of SciPy's compressed rows and ``sign`` times others.
#[pyfunction]
pub(crate) fn plus<'py>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>, sign: f64) -> PyResult<Option<Parts<'py>>> {
    match sum::<i32>(a, b, sign)? {
        None => sum::<i64>(a, b, sign),
        found => Ok(found),
    }
}

fn turned<'py, I: Index>(matrix: &Bound<'py, PyAny>) -> PyResult<Option<Parts<'py>>> {
    let Some(arrays) = arrays::<I>(matrix)? else { return Ok(None) };
    let made = arrays.rows().and_then(|rows| rows.transpose());
    Ok(made.map(|made| parts(matrix.py(), made)))
}

/// The transpose of SciPy's compressed rows, as rows.
#[pyfunction]
pub(crate) fn transpose<'py>(matrix: &Bound<'py, PyAny>) -> PyResult<Option<Parts<'py>>> {
    match turned::<i32>(matrix)? {
        None => turned::<i64>(matrix),
        found => Ok(found),
    }
}
