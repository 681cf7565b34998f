//! Sorting arcs into blocks of rows: buckets of rows, each sorted by one task; buckets that are too large are split again.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use pleach_runtime::{Elements, PAGE_ROWS, RowBlock, par_items};

use super::bucket::{BucketSorter, fit};
use super::key::{Key, Span, bits_for};
use super::partition::{BINS, Binning, Counts, Place, count, group, parts_by_group, scatter};
use super::source::{Arcs, KeyArcs};
use super::{BuildReport, Duplicates, Shape};

/// Arcs that a bucket is meant to hold: keys and their copy fit the second cache level.
pub(super) const BUCKET: usize = 1 << 15;

/// Buckets at most, unless rows are so many that keys of 32 bits need more: one stream is written to each.
const BUCKETS: usize = 2048;

/// Rows of a bucket at most, so that their offsets fit the second cache level.
pub(super) const BUCKET_ROWS: usize = 1 << 14;

/// Buckets with more arcs are split by rows once more.
const SPLIT_ROWS: usize = 1 << 18;

/// Buckets of too few rows for that are split by columns if they hold more arcs than this.
const SPLIT_COLS: usize = 1 << 20;

/// Memory that a sort needs besides its input and its result; kept for the next one.
pub struct SortScratch<V> {
    narrow: Scratch<u32, V>,
    wide: Scratch<u64, V>,
    values: Vec<V>,
}

impl<V> Default for SortScratch<V> {
    fn default() -> Self {
        SortScratch { narrow: Scratch::default(), wide: Scratch::default(), values: Vec::new() }
    }
}

impl<V> SortScratch<V> {
    /// Scratch memory that grows with its first use.
    pub fn new() -> Self {
        Self::default()
    }
}

/// The part of the scratch memory whose type depends on the keys.
struct Scratch<K, V> {
    keys: Vec<K>,
    sorters: Mutex<Vec<BucketSorter<K, V>>>,
}

impl<K, V> Default for Scratch<K, V> {
    fn default() -> Self {
        Scratch { keys: Vec::new(), sorters: Mutex::new(Vec::new()) }
    }
}

/// A destination that is split among blocks of rows.
pub(crate) trait SplitRows: Send + Sized {
    /// Splits after some rows, which hold so many arcs with duplicates.
    fn split(self, rows: usize, arcs: usize) -> (Self, Self);
}

impl SplitRows for () {
    fn split(self, _: usize, _: usize) -> ((), ()) {
        ((), ())
    }
}

/// Why a sort failed.
pub(super) enum Failure {
    /// This item is out of range.
    OutOfRange(usize),
    /// There is more than one arc at this place.
    Duplicate(u32, u32),
}

/// The shape and the options of a sort, and the function that builds a block.
pub(super) struct Job<V, F> {
    pub rows: usize,
    pub cols: usize,
    pub duplicates: Duplicates<V>,
    pub build: F,
}

/// The result of each block of rows and the number of arcs left in it, or the place of a duplicate.
type Built<R> = Vec<Result<(R, usize), (u32, u32)>>;

impl<V, F> Job<V, F>
where
    V: Copy + Default + Send + Sync + 'static,
{
    pub(super) fn run<S, D, R>(
        &self,
        arcs: &mut S,
        scratch: &mut SortScratch<V>,
        destination: impl FnOnce(&Shape) -> D,
    ) -> Result<(Vec<R>, BuildReport), Failure>
    where
        S: Arcs<V>,
        D: SplitRows,
        R: Send,
        F: Fn(RowBlock<'_, u32, V>, D) -> R + Sync,
    {
        let span = Span { first_row: 0, rows: self.rows, col_bits: bits_for(self.cols) };
        // Rows that share a bin: whole pages, and as few as the number of bins allows.
        let bin_bits = row_bin_bits(self.rows);
        let binning = Binning { span, shift: span.col_bits + bin_bits };
        let counts = count(&*arcs, binning).map_err(Failure::OutOfRange)?;
        let total: usize = counts.by_bin.iter().sum();
        let destination = destination(&Shape { rows: self.rows, arcs: total });

        // 32-bit keys need the rows of a bucket to be few.
        let narrow = span.col_bits < 32 && span.col_bits + bin_bits <= 32;
        let mut bucket_bins = (BUCKET_ROWS >> bin_bits).max(1);
        if narrow {
            bucket_bins = bucket_bins.min(1 << (32 - span.col_bits - bin_bits));
        }
        let by_bin = &counts.by_bin[..self.rows.div_ceil(1 << bin_bits)];
        let groups = group(by_bin, BUCKET.max(2 * total / BUCKETS), bucket_bins);
        let buckets = Buckets { binning, bin_bits, groups, by_bin };

        fit(&mut scratch.values, total);
        let values = &mut scratch.values[..total];
        let built = if narrow {
            self.sort(arcs, &counts, buckets, &mut scratch.narrow, values, destination)
        } else {
            self.sort(arcs, &counts, buckets, &mut scratch.wide, values, destination)
        };
        let mut results = Vec::with_capacity(built.len());
        let mut kept = 0;
        for block in built {
            let (result, n) = block.map_err(|(row, col)| Failure::Duplicate(row, col))?;
            results.push(result);
            kept += n;
        }
        let report = BuildReport {
            num_rows: self.rows,
            num_cols: self.cols,
            arcs: kept,
            self_loops: counts.self_loops,
            duplicates: total - kept,
        };
        Ok((results, report))
    }

    fn sort<K, S, D, R>(
        &self,
        arcs: &mut S,
        counts: &Counts,
        buckets: Buckets<'_>,
        scratch: &mut Scratch<K, V>,
        values: &mut [V],
        destination: D,
    ) -> Built<R>
    where
        K: Key,
        S: Arcs<V>,
        D: SplitRows,
        R: Send,
        F: Fn(RowBlock<'_, u32, V>, D) -> R + Sync,
    {
        fit(&mut scratch.keys, values.len());
        let keys = &mut scratch.keys[..values.len()];
        let place = if arcs.can_release() { Place::ByChunk } else { Place::ByGroup };
        scatter(arcs, buckets.binning, counts, &buckets.groups, place, keys, values);
        match place {
            Place::ByGroup => self.each_bucket(buckets, keys, values, destination, &scratch.sorters),
            Place::ByChunk => self.each_gathered(buckets, counts, (keys, values), destination, &scratch.sorters),
        }
    }

    /// Sorts buckets in parallel, each gathered from its parts first.
    fn each_gathered<K, D, R>(
        &self,
        buckets: Buckets<'_>,
        counts: &Counts,
        (keys, values): (&mut [K], &mut [V]),
        mut destination: D,
        sorters: &Mutex<Vec<BucketSorter<K, V>>>,
    ) -> Built<R>
    where
        K: Key,
        D: SplitRows,
        R: Send,
        F: Fn(RowBlock<'_, u32, V>, D) -> R + Sync,
    {
        let keys = parts_by_group(keys, counts, &buckets.groups);
        // A pattern's values were not moved, and are all alike.
        let pattern = size_of::<V>() == 0;
        let values = if pattern { Vec::new() } else { parts_by_group(values, counts, &buckets.groups) };
        let values = values.into_iter().chain(std::iter::repeat_with(Vec::new));
        let mut parts = Vec::with_capacity(keys.len());
        for (k, (keys, values)) in keys.into_iter().zip(values).enumerate() {
            let (span, n) = buckets.bucket(k);
            let (mine, more) = destination.split(span.rows, n);
            destination = more;
            parts.push((span, keys, values, mine));
        }
        let gathered: Mutex<Vec<(Vec<K>, Vec<V>)>> = Mutex::default();
        let one = |(span, from_keys, from_values, destination): (Span, Vec<&[K]>, Vec<&[V]>, D)| {
            let (mut keys, mut values) = lock(&gathered).pop().unwrap_or_default();
            keys.clear();
            from_keys.iter().for_each(|part| keys.extend_from_slice(part));
            values.clear();
            from_values.iter().for_each(|part| values.extend_from_slice(part));
            values.resize(keys.len(), V::default());
            let built = self.bucket(span, &mut keys, &mut values, destination, sorters);
            lock(&gathered).push((keys, values));
            built
        };
        let built: Vec<Built<R>> = par_items(parts, one);
        built.into_iter().flatten().collect()
    }

    /// Sorts buckets in parallel.
    fn each_bucket<K, D, R>(
        &self,
        buckets: Buckets<'_>,
        keys: &mut [K],
        values: &mut [V],
        destination: D,
        sorters: &Mutex<Vec<BucketSorter<K, V>>>,
    ) -> Built<R>
    where
        K: Key,
        D: SplitRows,
        R: Send,
        F: Fn(RowBlock<'_, u32, V>, D) -> R + Sync,
    {
        let mut parts = Vec::with_capacity(buckets.groups.len());
        let mut rest = (keys, values, destination);
        for k in 0..buckets.groups.len() {
            let (span, n) = buckets.bucket(k);
            let (keys, more_keys) = rest.0.split_at_mut(n);
            let (values, more_values) = rest.1.split_at_mut(n);
            let (destination, more) = rest.2.split(span.rows, n);
            rest = (more_keys, more_values, more);
            parts.push((span, keys, values, destination));
        }
        let one = |(span, keys, values, destination)| self.bucket(span, keys, values, destination, sorters);
        let built: Vec<Built<R>> = par_items(parts, one);
        built.into_iter().flatten().collect()
    }

    /// Sorts one bucket.
    fn bucket<K, D, R>(
        &self,
        span: Span,
        keys: &mut [K],
        values: &mut [V],
        destination: D,
        sorters: &Mutex<Vec<BucketSorter<K, V>>>,
    ) -> Built<R>
    where
        K: Key,
        D: SplitRows,
        R: Send,
        F: Fn(RowBlock<'_, u32, V>, D) -> R + Sync,
    {
        let mut sorter = lock(sorters).pop().unwrap_or_default();
        let built = if keys.len() > SPLIT_ROWS && span.rows > PAGE_ROWS {
            let bin_bits = row_bin_bits(span.rows);
            let binning = Binning { span, shift: span.col_bits + bin_bits };
            let by_bin = sorter.split(keys, values, binning);
            let by_bin = &by_bin[..span.rows.div_ceil(1 << bin_bits)];
            let groups = group(by_bin, BUCKET, BINS);
            let buckets = Buckets { binning, bin_bits, groups, by_bin };
            let (keys, values) = (&mut sorter.keys[..keys.len()], &mut sorter.key_values[..keys.len()]);
            self.each_bucket(buckets, keys, values, destination, sorters)
        } else {
            if keys.len() > SPLIT_COLS {
                sorter.sort_in_parallel(keys, values, span, sorters);
            } else {
                sorter.sort(keys, values, span);
            }
            let built = sorter.deduplicate(span.rows, self.duplicates).map(|kept| {
                let elements = Elements::copied(&sorter.cols[..kept], &sorter.values[..kept]);
                let block = RowBlock::new(span.first_row as usize, &sorter.offsets[..=span.rows], elements);
                ((self.build)(block, destination), kept)
            });
            vec![built.map_err(|(row, col)| (span.first_row + row as u32, col))]
        };
        lock(sorters).push(sorter);
        built
    }
}

impl<K: Key, V: Copy + Default + Send + Sync> BucketSorter<K, V> {
    /// Moves the arcs of a bucket into `self.keys` and `self.key_values`, bin by bin, in parallel. Returns the number of arcs in each bin.
    fn split(&mut self, keys: &[K], values: &[V], binning: Binning) -> Vec<usize> {
        let n = keys.len();
        fit(&mut self.keys, n);
        fit(&mut self.key_values, n);
        let mut arcs = KeyArcs { keys, values, span: binning.span };
        let counts = count(&arcs, binning).expect("keys are in range");
        let each: Vec<_> = (0..BINS).map(|bin| bin..bin + 1).collect();
        let to = (&mut self.keys[..n], &mut self.key_values[..n]);
        scatter(&mut arcs, binning, &counts, &each, Place::ByGroup, to.0, to.1);
        counts.by_bin
    }

    /// As [`sort`](Self::sort), for a bucket of few rows with many arcs: several tasks take a range of columns each.
    fn sort_in_parallel(&mut self, keys: &mut [K], values: &mut [V], span: Span, sorters: &Mutex<Vec<Self>>) {
        let n = keys.len();
        let bits = bits_for(span.rows) + span.col_bits;
        let by_bin = self.split(keys, values, Binning { span, shift: bits.saturating_sub(BINS.ilog2()) });
        fit(&mut self.cols, n);
        fit(&mut self.values, n);
        let mut parts = Vec::new();
        let mut rest = ((&mut self.keys[..n], &mut self.key_values[..n]), (&mut self.cols[..n], &mut self.values[..n]));
        for bins in group(&by_bin, BUCKET, BINS) {
            let arcs = by_bin[bins].iter().sum();
            let (keys, more_keys) = rest.0.0.split_at_mut(arcs);
            let (values, more_values) = rest.0.1.split_at_mut(arcs);
            let (to_cols, more_cols) = rest.1.0.split_at_mut(arcs);
            let (to_values, more_to_values) = rest.1.1.split_at_mut(arcs);
            rest = ((more_keys, more_values), (more_cols, more_to_values));
            parts.push((keys, values, to_cols, to_values));
        }
        let offsets: Vec<Vec<usize>> = par_items(parts, |(keys, values, to_cols, to_values)| {
            let mut sorter = lock(sorters).pop().unwrap_or_default();
            sorter.sort(keys, values, span);
            to_cols.copy_from_slice(&sorter.cols[..keys.len()]);
            to_values.copy_from_slice(&sorter.values[..keys.len()]);
            let offsets = sorter.offsets.clone();
            lock(sorters).push(sorter);
            offsets
        });
        // Parts follow one another by row and column, so where a row begins is the sum of where it begins in each part.
        self.offsets.clear();
        self.offsets.resize(span.rows + 1, 0);
        for part in offsets {
            self.offsets.iter_mut().zip(part).for_each(|(sum, offset)| *sum += offset);
        }
    }
}

/// Low bits of the row that bins ignore: whole pages of rows, and at most as many bins as there may be.
fn row_bin_bits(rows: usize) -> u32 {
    bits_for(rows).saturating_sub(BINS.ilog2()).max(PAGE_ROWS.ilog2())
}

/// Buckets as groups of bins of rows.
struct Buckets<'a> {
    binning: Binning,
    bin_bits: u32,
    groups: Vec<Range<usize>>,
    by_bin: &'a [usize],
}

impl Buckets<'_> {
    /// The rows and the number of arcs of bucket `k`.
    fn bucket(&self, k: usize) -> (Span, usize) {
        let Range { start, end } = self.groups[k];
        let Span { first_row, rows, col_bits } = self.binning.span;
        let begin = start << self.bin_bits;
        let rows = rows.min(end << self.bin_bits) - begin;
        let arcs = self.by_bin[start..end].iter().sum();
        (Span { first_row: first_row + begin as u32, rows, col_bits }, arcs)
    }
}

/// Locks the sorters. They are taken out and put back as a whole, so that a panic elsewhere leaves none of them half changed.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
