//! Sorts arcs as integers of 64 bits, with the source in the upper and the target in the lower half: how batches are prepared.
//!
//! Blocks of rows would cost something for every row of the matrix; here the cost depends on the arcs alone. Few arcs are sorted by
//! one thread that starts no other; many are dealt into buckets by their high bits and sorted there digit by digit, in parallel.

use std::ops::Range;

use pleach_runtime::{attempt, par_items, par_map, par_parts, threads};
use smallvec::SmallVec;

use super::bucket::{DIGIT_BITS, Digit};
use super::key::{Span, bits_for};
use super::partition::{BINS, Binning, Place, count, group, scatter};
use super::source::{Arcs, EdgeArcs, Emit, KeyArcs, TransposedBatch};
use crate::EdgeList;

/// Arcs below which one thread sorts: starting the others takes longer.
const SERIAL: usize = 1 << 13;

/// Arcs that a bucket is meant to hold at most.
const BUCKET: usize = 1 << 15;

/// Arcs that a bucket is meant to hold at least: with fewer, the counters of its digits would take longer than they.
const LEAST: usize = 1 << 12;

/// Buckets for each thread: several, to balance them.
const TASKS: usize = 8;

/// Buckets with more arcs are dealt out once more.
const SPLIT: usize = 1 << 18;

/// Buckets with fewer arcs are sorted by comparisons: the counters of a digit would take longer.
const COMPARE: usize = 1 << 9;

/// Arcs, ascending: source above target in each key. Arcs of one position stand in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SortedArcs<P> {
    pub keys: SmallVec<[u64; 2]>,
    pub payloads: SmallVec<[P; 2]>,
}

/// Sorts the arcs of a list, whose arrays have equal length, by source and target. With `mirrored` each arc also leads the other way, and
/// self loops are left out.
///
/// # Errors
///
/// The number of bytes that could not be allocated.
pub(crate) fn sort_arcs<P: Copy + Default + Send + Sync>(
    list: &EdgeList<P>,
    mirrored: bool,
) -> Result<SortedArcs<P>, usize> {
    let (src, dst) = (&list.src, &list.dst);
    if list.len() <= SERIAL {
        return Ok(sort_few(src.iter().copied().zip(dst.iter().copied()).zip(&list.weight), mirrored));
    }
    let (mut rows, mut cols) = (bounds(src), bounds(dst));
    if mirrored {
        rows = (rows.0.min(cols.0), rows.1.max(cols.1));
        cols = rows;
    }
    let range = (rows.0, rows.1, cols.1);
    let mut arcs = EdgeArcs::in_range(list, Emit { mirrored, drop_loops: mirrored });
    let (keys, payloads) = sort_many(&mut arcs, range, WHOLE)?;
    Ok(SortedArcs { keys: SmallVec::from_vec(keys), payloads: SmallVec::from_vec(payloads) })
}

/// Ids of which one task finds the least and the greatest.
const BOUNDED: usize = 1 << 13;

/// The least and the greatest of some ids.
pub(crate) fn bounds(ids: &[u32]) -> (u32, u32) {
    let of = |part: Range<usize>| ids[part].iter().fold((u32::MAX, 0), |(low, high), &id| (low.min(id), high.max(id)));
    par_parts(ids.len(), BOUNDED, of).into_iter().fold((u32::MAX, 0), |a, b| (a.0.min(b.0), a.1.max(b.1)))
}

/// The arcs of a sorted batch by target and source, each position once as before. Because sources ascend already, only targets are sorted:
/// in two passes over a cached bucket, where whole keys take four. With `alone`, the calling thread does all of it.
///
/// `rows` are the sources, of which the arcs of number `k` are `coords[offsets[k]..offsets[k + 1]]`, with as many values.
///
/// # Errors
///
/// The number of bytes that could not be allocated.
pub(crate) fn transpose_arcs<P: Copy + Default + Send + Sync>(
    (rows, offsets): (&[usize], &[usize]),
    (coords, values): (&[u32], &[P]),
    alone: bool,
) -> Result<SortedArcs<P>, usize> {
    let mut arcs = TransposedBatch { rows, offsets, coords, values };
    let n = coords.len();
    if n > SERIAL && !alone {
        let targets = bounds(coords);
        let (keys, payloads) = sort_many(&mut arcs, (targets.0, targets.1, rows[rows.len() - 1] as u32), ROWS)?;
        return Ok(SortedArcs { keys: SmallVec::from_vec(keys), payloads: SmallVec::from_vec(payloads) });
    }
    let mut turned = SortedArcs { keys: SmallVec::new(), payloads: SmallVec::new() };
    turned.keys.reserve_exact(n);
    turned.payloads.reserve_exact(n);
    arcs.for_each(0..n, |row, col, payload| {
        turned.keys.push(pack(row, col));
        turned.payloads.push(payload);
    });
    sort_bucket(&mut turned.keys, &mut turned.payloads, ROWS)?;
    Ok(turned)
}

/// The bits of a key by which arcs in any order are sorted.
const WHOLE: u64 = u64::MAX;

/// The bits by which arcs are sorted whose columns ascend already.
const ROWS: u64 = u64::MAX << 32;

/// Sorts few arcs by comparisons, without other threads.
fn sort_few<'a, P: Copy + 'a>(
    arcs: impl ExactSizeIterator<Item = ((u32, u32), &'a P)>,
    mirrored: bool,
) -> SortedArcs<P> {
    let mut sorted = SortedArcs { keys: SmallVec::new(), payloads: SmallVec::new() };
    let room = arcs.len() << u32::from(mirrored);
    sorted.keys.reserve_exact(room);
    sorted.payloads.reserve_exact(room);
    for ((row, col), &payload) in arcs {
        if mirrored && row == col {
            continue;
        }
        sorted.keys.push(pack(row, col));
        sorted.payloads.push(payload);
        if mirrored {
            sorted.keys.push(pack(col, row));
            sorted.payloads.push(payload);
        }
    }
    sort_by_comparisons(&mut sorted.keys, &mut sorted.payloads);
    sorted
}

/// Source above target.
#[inline(always)]
fn pack(row: u32, col: u32) -> u64 {
    u64::from(row) << 32 | u64::from(col)
}

/// Sorts keys and payloads, keeping the order of equals.
fn sort_by_comparisons<P: Copy>(keys: &mut [u64], payloads: &mut [P]) {
    if keys.is_sorted() {
        return;
    }
    if size_of::<P>() == 0 {
        return keys.sort_unstable();
    }
    // Positions beside the keys keep equals in order.
    let mut order: SmallVec<[(u64, u32); 8]> = keys.iter().copied().zip(0..).collect();
    order.sort_unstable();
    let old: SmallVec<[P; 8]> = SmallVec::from_slice(payloads);
    for ((key, payload), &(sorted, from)) in keys.iter_mut().zip(payloads).zip(&order) {
        (*key, *payload) = (sorted, old[from as usize]);
    }
}

/// Elements that one task clears.
pub(crate) const CLEARED: usize = 1 << 14;

/// A vector of `n` defaults, or the bytes that it would have taken.
fn try_vec<T: Copy + Default + Send>(n: usize) -> Result<Vec<T>, usize> {
    attempt(|| Vec::<T>::new().try_reserve_exact(n)).map_err(|_| n.saturating_mul(size_of::<T>()))?;
    // Several threads touch the memory of a long one for the first time.
    Ok(par_map(n, CLEARED, |_| T::default()))
}

/// Sorts many arcs with sources in `first..=last` and targets up to `highest` by some bits of their keys.
fn sort_many<P, S>(arcs: &mut S, (first, last, highest): (u32, u32, u32), by: u64) -> Result<(Vec<u64>, Vec<P>), usize>
where
    P: Copy + Default + Send + Sync,
    S: Arcs<P>,
{
    let span = Span { first_row: first, rows: (last - first) as usize + 1, col_bits: 32 };
    let bits = if first < last { 32 + bits_for(span.rows) } else { bits_for(highest as usize + 1) };
    let binning = Binning { span, shift: bits.saturating_sub(BINS.ilog2()) };
    let counts = count(&*arcs, binning).expect("every arc is in range");
    let total: usize = counts.by_bin.iter().sum();
    let (mut keys, mut payloads) = (try_vec::<u64>(total)?, try_vec::<P>(total)?);
    let bucket = (total / (TASKS * threads())).clamp(LEAST, BUCKET).max(total / BINS);
    let groups = group(&counts.by_bin, bucket, BINS);
    scatter(arcs, binning, &counts, &groups, Place::ByGroup, &mut keys, &mut payloads);
    let mut buckets = Vec::with_capacity(groups.len());
    let mut rest = (&mut keys[..], &mut payloads[..]);
    for bins in groups {
        let n = counts.by_bin[bins].iter().sum();
        let (keys, more_keys) = rest.0.split_at_mut(n);
        let (payloads, more_payloads) = rest.1.split_at_mut(n);
        rest = (more_keys, more_payloads);
        buckets.push((keys, payloads));
    }
    let sorted = par_items(buckets, |(keys, payloads)| {
        // A bucket that holds all arcs would only be dealt into one bucket again.
        let split = keys.len() > SPLIT && keys.len() < total;
        if split { split_bucket(keys, payloads, by) } else { sort_bucket(keys, payloads, by) }
    });
    sorted.into_iter().collect::<Result<(), usize>>()?;
    Ok((keys, payloads))
}

/// Sorts a large bucket by dealing it out once more.
fn split_bucket<P: Copy + Default + Send + Sync>(keys: &mut [u64], payloads: &mut [P], by: u64) -> Result<(), usize> {
    let (low, high, highest) = keys
        .iter()
        .fold((u64::MAX, 0, 0), |(low, high, highest), &key| (low.min(key), high.max(key), highest.max(key as u32)));
    if (low ^ high) & by == 0 {
        return Ok(());
    }
    let range = ((low >> 32) as u32, (high >> 32) as u32, highest);
    let span = Span { first_row: 0, rows: usize::MAX, col_bits: 32 };
    let (sorted, moved) = sort_many(&mut KeyArcs { keys: &*keys, values: &*payloads, span }, range, by)?;
    keys.copy_from_slice(&sorted);
    payloads.copy_from_slice(&moved);
    Ok(())
}

/// Sorts a bucket digit by digit, or by comparisons if it is small.
fn sort_bucket<P: Copy + Default + Send>(keys: &mut [u64], payloads: &mut [P], by: u64) -> Result<(), usize> {
    if keys.len() < COMPARE {
        sort_by_comparisons(keys, payloads);
        return Ok(());
    }
    let (mut other_keys, mut other_payloads) = (try_vec::<u64>(keys.len())?, try_vec::<P>(keys.len())?);
    let first = keys[0];
    let mut differ = keys.iter().fold(0, |bits, key| bits | key ^ first) & by;
    let mut swapped = false;
    while differ != 0 {
        let shift = differ.trailing_zeros();
        let digit = Digit::at(shift);
        differ &= u64::MAX.checked_shl(shift + DIGIT_BITS).unwrap_or(0);
        let here = (&mut *keys, &mut *payloads);
        let there = (&mut other_keys[..], &mut other_payloads[..]);
        let (from, to) = if swapped { (there, here) } else { (here, there) };
        let mut counts = digit.count(from.0);
        digit.pass((from.0, from.1), to, &mut counts);
        swapped = !swapped;
    }
    if swapped {
        keys.copy_from_slice(&other_keys);
        payloads.copy_from_slice(&other_payloads);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use pleach_runtime::SplitMix64;

    use super::*;

    /// Arcs sorted by the standard library.
    fn expected(list: &EdgeList<u32>, mirrored: bool) -> Vec<(u64, u32)> {
        let mut arcs = Vec::new();
        for k in 0..list.len() {
            let (row, col) = (list.src[k], list.dst[k]);
            if mirrored && row == col {
                continue;
            }
            arcs.push((pack(row, col), list.weight[k]));
            if mirrored {
                arcs.push((pack(col, row), list.weight[k]));
            }
        }
        arcs.sort_by_key(|arc| arc.0);
        arcs
    }

    #[test]
    fn arcs_against_the_standard_library() {
        let mut random = SplitMix64(3);
        let largest = u64::from(u32::MAX);
        // Few; many; one huge row; few positions; the whole range; one position only.
        let shapes = [
            (0, 1, 1),
            (1, 10, 10),
            (700, 9, largest),
            (20_000, 100_000, 100_000),
            (400_000, 1, 1 << 30),
            (300_000, 3, 5),
            (30_000, largest, largest),
            (300_000, 1, 1),
        ];
        for (n, rows, cols) in shapes {
            let mut list = EdgeList::new(0, 0);
            for k in 0..n {
                list.src.push(random.below(rows) as u32);
                list.dst.push(random.below(cols) as u32);
                list.weight.push(k);
            }
            for mirrored in [false, true] {
                let sorted = sort_arcs(&list, mirrored).unwrap();
                let found = sorted.keys.iter().copied().zip(sorted.payloads.iter().copied());
                assert!(found.eq(expected(&list, mirrored)), "{n} {rows} {cols} {mirrored}");
            }
            let pattern =
                EdgeList { weight: vec![(); list.len()], src: list.src, dst: list.dst, ..EdgeList::new(0, 0) };
            assert!(sort_arcs(&pattern, false).unwrap().keys.is_sorted());
        }
    }
}
