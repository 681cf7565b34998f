//! Compressed rows that are computed with where they lie, by several threads if there are many nonzeros.
//!
//! Every method returns `None` where the arrays are no rows that ascend, or where a position does not fit.

use std::ops::Range;

use numpy::Element;
use pleach::csr::RowSums;
use pleach::runtime::{Position, par_items, par_map, threads, transposed};

use crate::order::falls;

/// Nonzeros of a part: to wake a thread takes as long as a pass over some ten thousand.
const PART: usize = 1 << 18;

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

/// The parts in which so many nonzeros are computed with at a time.
pub(crate) fn num_parts(nonzeros: usize) -> usize {
    let most = nonzeros / PART;
    if most < 2 { 1 } else { most.min(threads()) }
}

/// A matrix by rows, whose arrays are not checked beyond their lengths.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a, I> {
    pub(crate) cols: usize,
    pub(crate) offsets: &'a [I],
    pub(crate) coords: &'a [I],
    pub(crate) values: &'a [f64],
}

/// Where a sum is written: coordinates, values, and the end of each row.
type Room<'a, I> = (&'a mut [I], &'a mut [f64], &'a mut [usize]);

/// Arrays that a computation has made: offsets, coordinates and values.
pub(crate) type Made<I> = (Vec<I>, Vec<I>, Vec<f64>);

impl<'a, I: Index> Rows<'a, I> {
    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    pub(crate) fn num_nonzeros(&self) -> usize {
        self.coords.len()
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
    pub(crate) fn times(&self, vector: &[f64], products: &mut [f64]) -> Option<()> {
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
        let parts = num_parts(self.coords.len());
        if parts == 1 {
            return compute(0..self.len(), elements);
        }
        let mut rest = elements;
        let own = |rows: Range<usize>| {
            let (own, others) = std::mem::take(&mut rest).split_at_mut(rows.len());
            rest = others;
            (rows, own)
        };
        let stretches = self.stretches(parts).into_iter().map(own).collect();
        par_items(stretches, |(rows, own): (Range<usize>, &mut [T])| compute(rows, own)).into_iter().collect()
    }

    /// The product of the transpose with a vector as long as the matrix has rows.
    pub(crate) fn transposed_times(&self, vector: &[f64], products: &mut [f64]) -> Option<()> {
        for (row, factor) in (0..self.len()).zip(vector) {
            let (coords, values) = self.row(row)?;
            for (col, value) in coords.iter().zip(values) {
                *products.get_mut(col.index())? += value * factor;
            }
        }
        Some(())
    }

    /// The sum with `sign` times another matrix of as many rows and columns; what adds up to zero stays.
    pub(crate) fn plus(&self, other: &Rows<'_, I>, sign: f64) -> Option<Made<I>> {
        let most = self.coords.len() + other.coords.len();
        // No offset is larger than this one.
        I::checked(most)?;
        let parts = num_parts(most);
        if parts > 1 {
            return self.plus_shared(other, sign, parts);
        }
        if (self.offsets, self.coords) == (other.offsets, other.coords) {
            // Matrices with the same pattern.
            let add = |(own, other): (&f64, &f64)| own + sign * other;
            let values = || self.values.iter().zip(other.values).map(add).collect();
            return self.ascends().then(|| (self.offsets.to_vec(), self.coords.to_vec(), values()));
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

    /// Whether these are rows in ascending order without duplicates, with coordinates in range.
    pub(crate) fn ascends(&self) -> bool {
        // Many pairs are compared at a time: all those that do not ascend are where a row begins.
        let all = falls(self.coords);
        let (mut between, mut begin) = (0, 0);
        for end in self.offsets.iter().map(|end| end.index()) {
            let Some(row) = self.coords.get(begin..end) else { return false };
            // If a row ascends, its ends are the smallest and the largest.
            if [row.first(), row.last()].into_iter().flatten().any(|col| col.index() >= self.cols) {
                return false;
            }
            between += usize::from(begin > 0 && begin < end && self.coords[begin - 1] >= row[0]);
            begin = end;
        }
        all == between
    }

    /// The same by several threads. Each has room for all entries of its rows; what is left over is closed up in the end.
    fn plus_shared(&self, other: &Rows<'_, I>, sign: f64, parts: usize) -> Option<Made<I>> {
        let most = self.coords.len() + other.coords.len();
        let (mut coords, mut values) = (vec![I::default(); most], vec![0.0; most]);
        let mut ends = vec![0usize; self.len()];
        let mut rest = (&mut coords[..], &mut values[..], &mut ends[..]);
        let stretches = self.stretches(parts);
        let room = |rows: &Range<usize>| {
            let stored = |of: &Rows<'_, I>| of.offsets[rows.end].index().checked_sub(of.offsets[rows.start].index());
            Some(stored(self)? + stored(other)?)
        };
        let rooms: Vec<usize> = stretches.iter().map(room).collect::<Option<_>>()?;
        let mut own = Vec::new();
        for (rows, &room) in stretches.iter().cloned().zip(&rooms) {
            let (coords, more_coords) = rest.0.split_at_mut_checked(room)?;
            let (values, more_values) = rest.1.split_at_mut_checked(room)?;
            let (ends, more_ends) = rest.2.split_at_mut(rows.len());
            rest = (more_coords, more_values, more_ends);
            own.push((rows, (coords, values, ends)));
        }
        let filled = par_items(own, |(rows, room): (Range<usize>, Room<'_, I>)| self.fill(other, sign, rows, room));
        let filled: Vec<usize> = filled.into_iter().collect::<Option<_>>()?;
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
        (coords, values, ends): Room<'_, I>,
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

    /// How many pairs of nonzeros the product with another matrix comes of, before each row and in the end.
    pub(crate) fn products(&self, other: &Rows<'_, I>) -> Option<Vec<usize>> {
        let (mut counts, mut count) = (Vec::with_capacity(self.len() + 1), 0);
        counts.push(0);
        for row in 0..self.len() {
            for at in self.row(row)?.0 {
                count += other.row_len(at.index())?;
            }
            counts.push(count);
        }
        Some(counts)
    }

    /// The product with another matrix that comes of so many pairs, by several threads if there are many; `None` if that takes too long to hold
    /// the GIL.
    pub(crate) fn product(&self, other: &Rows<'_, I>, counts: &[usize]) -> Option<Made<I>> {
        let products = counts[self.len()];
        if products > MOST_PRODUCTS || other.cols > MOST_COLUMNS {
            return None;
        }
        let parts = num_parts(products);
        let start = |k: usize| match k {
            0 => 0,
            k if k == parts => self.len(),
            k => counts[1..].partition_point(|&count| count * parts < products * k),
        };
        // The others' rows are appended to the first ones.
        let room = |k: usize| if k == 0 { products } else { products / parts };
        let made = par_map(parts, 1, |k| self.multiply(other, start(k)..start(k + 1), counts, room(k)));
        let made: Vec<Made<I>> = made.into_iter().collect::<Option<_>>()?;
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

    /// Some rows of the product with another matrix, one by one (Gustavson 1978). There is `room` for so many entries at first.
    fn multiply(&self, other: &Rows<'_, I>, rows: Range<usize>, counts: &[usize], room: usize) -> Option<Made<I>> {
        let mut sums = RowSums::new(other.cols);
        let mut offsets = Vec::with_capacity(rows.len() + 1);
        // Memory that is not written to costs nothing.
        let (mut coords, mut values) = (Vec::with_capacity(room), Vec::with_capacity(room));
        offsets.push(I::default());
        for row in rows {
            let mut sum = sums.begin(counts[row + 1] - counts[row]);
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
    pub(crate) fn transpose(&self) -> Option<Made<I>> {
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
