//! One parallel pass that moves arcs into buckets, keeping their order within each.
//!
//! ```text
//!   items    [ chunk 0 ][ chunk 1 ][ chunk 2 ]       each counts its arcs by bin, in parallel
//!   bins     |||||||||||||||||||||||||||||||||       high bits of (row, column)
//!   buckets  [    ][  ][      ][ ][          ]       consecutive bins that hold about equally many arcs
//!   keys     [0 1 2][0 1 2][0 1 2][0 1 2] …          each chunk writes its own part of each bucket
//! ```
//!
//! The parts of a bucket lie in the order of the chunks, so the result depends on neither the number of chunks nor of threads. Where the
//! list is freed on the way, the parts of a chunk lie together instead ([`Place::ByChunk`]): the pages of the keys are then touched as those
//! of the list are freed, and never all of both.

use std::ops::Range;
use std::slice::IterMut;

use pleach_runtime::{par_concat, par_items, par_map, threads};

use super::key::{Key, Span};
use super::source::Arcs;

/// Bins at most: their counters fit the first cache level.
pub(super) const BINS: usize = 4096;

/// Items that are inspected and then counted while they are in the first cache level.
const BLOCK: usize = 2048;

/// Items that are worth a task.
const CHUNK: usize = 1 << 12;

/// Counters that are worth a task.
const SUMMED: usize = 1 << 15;

/// Chunks at most, unless there are more threads: each has a part of each bucket, and one thread lists them.
const CHUNKS: usize = 128;

/// Chunks of a list that is freed chunk by chunk.
const FREED_CHUNKS: usize = 32;

/// Where the parts of buckets go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The parts of a bucket follow one another.
    ByGroup,
    /// The parts of a chunk follow one another.
    ByChunk,
}

/// Which bin an arc belongs to: the high bits of its row and column side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binning {
    /// Rows, and the bits below them that hold the column.
    pub span: Span,
    /// Low bits that are ignored.
    pub shift: u32,
}

impl Binning {
    /// The bin of an arc, below [`BINS`].
    #[inline]
    fn of(&self, row: u32, col: u32) -> usize {
        let local = u64::from(row - self.span.first_row) << self.span.col_bits | u64::from(col);
        (local >> self.shift) as usize & (BINS - 1)
    }
}

/// Arcs counted by chunk and bin.
pub(super) struct Counts {
    chunks: Vec<Range<usize>>,
    by_chunk: Vec<Box<[u32; BINS]>>,
    /// Arcs in each bin.
    pub by_bin: Vec<usize>,
    /// Self loops seen among the items.
    pub self_loops: usize,
}

/// Counts the arcs of each bin, or gives the index of the first item that is out of range.
pub(super) fn count<V, S: Arcs<V>>(arcs: &S, binning: Binning) -> Result<Counts, usize> {
    let enough = (4 * threads()).min(CHUNKS.max(threads()));
    let most = if arcs.can_release() { FREED_CHUNKS.max(enough) } else { enough };
    let tasks = most.min(arcs.len().div_ceil(CHUNK)).max(1);
    // A chunk's counters are 32 bits wide, and an item may stand for two arcs.
    let step = arcs.len().div_ceil(tasks).clamp(1, 1 << 30);
    let chunks: Vec<_> = (0..arcs.len()).step_by(step).map(|k| k..(k + step).min(arcs.len())).collect();
    let count = |chunk: Range<usize>| {
        let mut bins = Box::new([0u32; BINS]);
        let mut self_loops = 0;
        for begin in chunk.clone().step_by(BLOCK) {
            let block = begin..(begin + BLOCK).min(chunk.end);
            self_loops += arcs.inspect(block.clone())?;
            arcs.for_each(block, |row, col, _| bins[binning.of(row, col)] += 1);
        }
        Ok((bins, self_loops))
    };
    let counted: Vec<Result<_, usize>> = par_items(chunks.clone(), count);
    let (mut by_chunk, mut self_loops) = (Vec::with_capacity(counted.len()), 0);
    for chunk in counted {
        let (bins, loops) = chunk?;
        by_chunk.push(bins);
        self_loops += loops;
    }
    let by_bin = par_concat(BINS, (SUMMED / by_chunk.len().max(1)).max(64), |range| {
        let mut sums = vec![0; range.len()];
        for bins in &by_chunk {
            sums.iter_mut().zip(&bins[range.clone()]).for_each(|(sum, &n)| *sum += n as usize);
        }
        sums
    });
    Ok(Counts { chunks, by_chunk, by_bin, self_loops })
}

impl Counts {
    /// The arcs of each chunk in each group of bins.
    fn by_group(&self, groups: &[Range<usize>]) -> Vec<Vec<usize>> {
        par_map(self.by_chunk.len(), SUMMED / BINS, |chunk| {
            let bins = &self.by_chunk[chunk];
            groups.iter().map(|group| bins[group.clone()].iter().map(|&n| n as usize).sum()).collect()
        })
    }
}

/// Groups consecutive bins so that each group holds up to `arcs` arcs, or is a single bin, and no more than `bins` bins.
pub(super) fn group(by_bin: &[usize], arcs: usize, bins: usize) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut held = 0;
    for (bin, &n) in by_bin.iter().enumerate() {
        match groups.last_mut() {
            Some(group) if held + n <= arcs && group.len() < bins => {
                group.end = bin + 1;
                held += n;
            }
            _ => {
                groups.push(bin..bin + 1);
                held = n;
            }
        }
    }
    groups
}

/// Moves the arcs, packed, into `keys` and `values`: the arcs of the first group of bins first, and so on.
///
/// `keys` and `values` hold exactly as many as were counted. Arcs that can be freed are moved in a few rounds, the last ones first, each
/// of which frees what it has moved.
pub(super) fn scatter<K: Key, V: Copy + Send + Sync, S: Arcs<V>>(
    arcs: &mut S,
    binning: Binning,
    counts: &Counts,
    groups: &[Range<usize>],
    place: Place,
    keys: &mut [K],
    values: &mut [V],
) {
    let mut group_of = Box::new([0u16; BINS]);
    for (k, group) in groups.iter().enumerate() {
        group_of[group.clone()].fill(k as u16);
    }
    let lens = counts.by_group(groups);
    let keys = deal(keys, &lens, groups.len(), place);
    // A pattern's values need no moving.
    let values = if size_of::<V>() == 0 { Vec::new() } else { deal(values, &lens, groups.len(), place) };
    let col_bits = binning.span.col_bits;
    type Slots<'a, K, V> = (&'a Range<usize>, Vec<IterMut<'a, K>>, Vec<IterMut<'a, V>>);
    let scatter = |arcs: &S, (chunk, mut keys, mut values): Slots<'_, K, V>| {
        arcs.for_each(chunk.clone(), |row, col, value| {
            let group = usize::from(group_of[binning.of(row, col)]);
            if let Some(slot) = keys[group].next() {
                *slot = K::pack(row, col, col_bits);
            }
            if size_of::<V>() != 0
                && let Some(slot) = values[group].next()
            {
                *slot = value;
            }
        });
    };
    let values = values.into_iter().chain(std::iter::repeat_with(Vec::new));
    let mut slots: Vec<Slots<'_, K, V>> =
        counts.chunks.iter().zip(keys).zip(values).map(|((chunk, keys), values)| (chunk, keys, values)).collect();
    let at_a_time = if arcs.can_release() { threads() } else { slots.len() };
    while !slots.is_empty() {
        let last = slots.split_off(slots.len().saturating_sub(at_a_time));
        let first = last[0].0.start;
        let moved = &*arcs;
        par_items(last, |slots| scatter(moved, slots));
        arcs.release(first);
    }
}

/// Splits an array: each chunk gets its part of each group.
fn deal<'a, T>(array: &'a mut [T], lens: &[Vec<usize>], groups: usize, place: Place) -> Vec<Vec<IterMut<'a, T>>> {
    let mut parts: Vec<_> = lens.iter().map(|_| Vec::with_capacity(groups)).collect();
    each_part(array, lens, groups, place, |chunk, _, part| parts[chunk].push(part.iter_mut()));
    parts
}

/// The parts of each group in an array that was dealt by chunks, in the order of the chunks.
pub(super) fn parts_by_group<'a, T>(array: &'a mut [T], counts: &Counts, groups: &[Range<usize>]) -> Vec<Vec<&'a [T]>> {
    let mut parts: Vec<_> = groups.iter().map(|_| Vec::with_capacity(counts.chunks.len())).collect();
    let lens = counts.by_group(groups);
    each_part(array, &lens, groups.len(), Place::ByChunk, |_, group, part| parts[group].push(&*part));
    parts
}

/// Calls `take(chunk, group, part)` with the parts of an array, in the order in which they lie; `lens` has their lengths by chunk and group.
fn each_part<'a, T>(
    mut array: &'a mut [T],
    lens: &[Vec<usize>],
    groups: usize,
    place: Place,
    mut take: impl FnMut(usize, usize, &'a mut [T]),
) {
    let mut next = |chunk: usize, group: usize| {
        let (part, rest) = std::mem::take(&mut array).split_at_mut(lens[chunk][group]);
        array = rest;
        take(chunk, group, part);
    };
    let (chunks, groups) = (0..lens.len(), 0..groups);
    match place {
        Place::ByGroup => groups.for_each(|group| chunks.clone().for_each(|chunk| next(chunk, group))),
        Place::ByChunk => chunks.for_each(|chunk| groups.clone().for_each(|group| next(chunk, group))),
    }
}
