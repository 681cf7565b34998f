//! Batches: arcs in any order, sorted for the rows of a matrix.

use std::ops::Range;

use pleach_runtime::{SortedBatch, par_items, par_map, threads};
use smallvec::SmallVec;

use crate::EdgeList;
use crate::sort::{CLEARED, SortedArcs, sort_arcs, transpose_arcs};

/// Arcs sorted by source and target, each position once. [`Matrix::insert`](crate::Matrix::insert), `delete` and `apply` take one.
///
/// Small batches are stored in the value itself, without an allocation.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch<V = ()> {
    rows: SmallVec<[usize; 2]>,
    offsets: SmallVec<[usize; 3]>,
    coords: SmallVec<[u32; 2]>,
    /// One for each coordinate, or none at all in a batch of positions.
    values: SmallVec<[V; 2]>,
}

impl<V> Default for Batch<V> {
    fn default() -> Self {
        Batch {
            rows: SmallVec::new(),
            offsets: SmallVec::from_slice(&[0]),
            coords: SmallVec::new(),
            values: SmallVec::new(),
        }
    }
}

impl Batch<()> {
    /// A batch of arcs without values, in any order; repeated ones count once. Takes O(m log m) for `m` arcs.
    ///
    /// ```
    /// let batch = pleach::Batch::pattern([(2, 1), (0, 7), (2, 1)]);
    /// assert!(batch.iter().map(|arc| (arc.0, arc.1)).eq([(0, 7), (2, 1)]));
    /// ```
    pub fn pattern(arcs: impl IntoIterator<Item = (u32, u32)>) -> Self {
        Batch::weighted(arcs.into_iter().map(|(from, to)| (from, to, ())), |(), ()| ())
    }
}

impl<V: Copy + Default + Send + Sync> Batch<V> {
    /// A batch of arcs with values, in any order; `combine` makes one value of an earlier and a later one of the same arc.
    /// Takes O(m log m) for `m` arcs.
    pub fn weighted(arcs: impl IntoIterator<Item = (u32, u32, V)>, combine: impl FnMut(V, V) -> V) -> Self {
        let mut list = EdgeList::new(0, 0);
        for (from, to, value) in arcs {
            list.src.push(from);
            list.dst.push(to);
            list.weight.push(value);
        }
        let SortedArcs { mut keys, mut payloads } = sort_arcs(&list, false)
            .unwrap_or_else(|bytes| panic!("{bytes} bytes of memory for sorting a batch cannot be allocated"));
        let kept = fold_repeated(&mut keys, &mut payloads, combine);
        payloads.truncate(kept);
        Batch::from_sorted(&keys[..kept], payloads)
    }
}

/// Combines the payloads of each position, from the first to the last. Returns the number of positions; the results are at the front.
fn fold_repeated<P: Copy>(keys: &mut [u64], payloads: &mut [P], mut combine: impl FnMut(P, P) -> P) -> usize {
    let Some(first) = keys.windows(2).position(|pair| pair[0] == pair[1]) else { return keys.len() };
    let mut kept = first;
    for k in first + 1..keys.len() {
        if keys[k] == keys[kept] {
            payloads[kept] = combine(payloads[kept], payloads[k]);
        } else {
            kept += 1;
            (keys[kept], payloads[kept]) = (keys[k], payloads[k]);
        }
    }
    kept + 1
}

/// A batch with more arcs than this is made by several threads.
const PARALLEL: usize = 1 << 15;

/// Tasks for each thread: several, to balance tasks of different length.
const TASKS: usize = 4;

/// An array of so many default values.
fn defaults<T: Copy + Default + Send, const N: usize>(n: usize) -> SmallVec<[T; N]> {
    SmallVec::from_vec(par_map(n, CLEARED, |_| T::default()))
}

/// Divides sorted arcs for several threads, each part in order: cut where a row begins, so that no two parts have a row in common. A small
/// batch, and one of a single row, is one part.
pub(crate) fn row_ranges(keys: &[u64]) -> Vec<Range<usize>> {
    if keys.len() <= PARALLEL {
        return std::iter::once(0..keys.len()).collect();
    }
    let tasks = TASKS * threads();
    let cut = |task| {
        let row = keys[keys.len() * task / tasks] >> 32;
        keys.partition_point(|key| key >> 32 < row)
    };
    let mut cuts: Vec<usize> = (0..tasks).map(cut).chain([keys.len()]).collect();
    cuts.dedup();
    cuts.windows(2).map(|cut| cut[0]..cut[1]).collect()
}

/// The batch of sorted arcs; `combine` makes one payload of those of one position, from the first to the last.
pub(crate) fn fold_sorted<P, F>(sorted: SortedArcs<P>, combine: F) -> Batch<P>
where
    P: Copy + Default + Send + Sync,
    F: Fn(P, P) -> P + Sync,
{
    let SortedArcs { mut keys, mut payloads } = sorted;
    if keys.len() <= PARALLEL {
        let kept = fold_repeated(&mut keys, &mut payloads, combine);
        payloads.truncate(kept);
        return Batch::from_sorted(&keys[..kept], payloads);
    }
    let ranges = row_ranges(&keys);
    let mut parts = Vec::with_capacity(ranges.len());
    let mut rest = (&mut keys[..], &mut payloads[..]);
    for range in ranges {
        let (keys, more_keys) = rest.0.split_at_mut(range.len());
        let (payloads, more_payloads) = rest.1.split_at_mut(range.len());
        rest = (more_keys, more_payloads);
        parts.push((keys, payloads));
    }
    let folded: Vec<(&[u64], &[P])> = par_items(parts, |(keys, payloads)| {
        let kept = fold_repeated(keys, payloads, &combine);
        (&keys[..kept], &payloads[..kept])
    });
    joined(folded)
}

/// The batch of several parts, as [`divided`] cuts them: each has strictly ascending positions, with a payload each or all without payloads.
pub(crate) fn joined<P: Copy + Default + Send + Sync>(parts: Vec<(&[u64], &[P])>) -> Batch<P> {
    let parts: Vec<(&[u64], &[P], usize)> =
        par_items(parts, |(keys, payloads)| (keys, payloads, keys.chunk_by(|a, b| a >> 32 == b >> 32).count()));
    let (arcs, values, rows) = parts
        .iter()
        .fold((0, 0, 0), |(arcs, values, rows), part| (arcs + part.0.len(), values + part.1.len(), rows + part.2));
    let mut batch =
        Batch { rows: defaults(rows), offsets: defaults(rows + 1), coords: defaults(arcs), values: defaults(values) };
    batch.offsets[rows] = arcs;
    let mut jobs = Vec::with_capacity(parts.len());
    let mut rest = (&mut batch.rows[..], &mut batch.offsets[..], &mut batch.coords[..], &mut batch.values[..]);
    let mut first = 0;
    for (keys, payloads, rows) in parts {
        let (to_rows, more_rows) = rest.0.split_at_mut(rows);
        let (to_offsets, more_offsets) = rest.1.split_at_mut(rows);
        let (to_coords, more_coords) = rest.2.split_at_mut(keys.len());
        let (to_values, more_values) = rest.3.split_at_mut(payloads.len());
        rest = (more_rows, more_offsets, more_coords, more_values);
        jobs.push(((keys, payloads), to_rows, to_offsets, (to_coords, to_values), first));
        first += keys.len();
    }
    par_items(jobs, |((keys, payloads), rows, offsets, (coords, values), mut at)| {
        let runs = keys.chunk_by(|a, b| a >> 32 == b >> 32);
        for ((run, row), offset) in runs.zip(rows).zip(offsets) {
            (*row, *offset) = ((run[0] >> 32) as usize, at);
            at += run.len();
        }
        coords.iter_mut().zip(keys).for_each(|(coord, &key)| *coord = key as u32);
        values.copy_from_slice(payloads);
    });
    batch
}

impl<V: Copy + Default + Send + Sync> Batch<V> {
    /// The same arcs, each with source and target exchanged: a pass or two over the batch, which is sorted already. With `alone`, the
    /// calling thread does all of it.
    ///
    /// # Errors
    ///
    /// The number of bytes that could not be allocated.
    pub(crate) fn transposed(&self, alone: bool) -> Result<Self, usize> {
        fn turn<P: Copy + Default + Send + Sync, V>(
            batch: &Batch<V>,
            payloads: &[P],
            alone: bool,
        ) -> Result<Batch<P>, usize> {
            let SortedArcs { keys, payloads } =
                transpose_arcs((&batch.rows, &batch.offsets), (&batch.coords, payloads), alone)?;
            if alone {
                return Ok(Batch::from_sorted(&keys, payloads));
            }
            // No position comes twice.
            Ok(fold_sorted(SortedArcs { keys, payloads }, |_, last| last))
        }
        if self.values.len() == self.coords.len() {
            return turn(self, &self.values, alone);
        }
        Ok(turn(self, &vec![(); self.coords.len()], alone)?.into_positions())
    }
}

impl<V> Batch<V> {
    /// The batch of strictly ascending positions, with a value each or without values. A key has the source in its upper 32 bits and the
    /// target in its lower ones.
    pub(crate) fn from_sorted(keys: &[u64], values: SmallVec<[V; 2]>) -> Self {
        debug_assert!(keys.is_sorted_by(|a, b| a < b));
        debug_assert!(values.is_empty() || values.len() == keys.len());
        let mut batch = Batch { values, ..Batch::default() };
        let rows = keys.chunk_by(|a, b| a >> 32 == b >> 32).count();
        batch.rows.reserve_exact(rows);
        batch.offsets.reserve_exact(rows);
        batch.coords.reserve_exact(keys.len());
        for (k, &key) in keys.iter().enumerate() {
            let row = (key >> 32) as usize;
            if batch.rows.last() != Some(&row) {
                if k > 0 {
                    batch.offsets.push(k);
                }
                batch.rows.push(row);
            }
            batch.coords.push(key as u32);
        }
        if !keys.is_empty() {
            batch.offsets.push(keys.len());
        }
        batch
    }

    /// The same positions without values.
    pub(crate) fn into_positions<U>(self) -> Batch<U> {
        Batch { rows: self.rows, offsets: self.offsets, coords: self.coords, values: SmallVec::new() }
    }

    /// Number of arcs.
    pub fn len(&self) -> usize {
        self.coords.len()
    }

    /// Whether there is no arc.
    pub fn is_empty(&self) -> bool {
        self.coords.is_empty()
    }

    /// The sources, ascending, each once.
    pub(crate) fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// The targets, ascending for each source.
    pub(crate) fn coords(&self) -> &[u32] {
        &self.coords
    }

    /// The values, one for each target or none at all.
    pub(crate) fn values(&self) -> &[V] {
        &self.values
    }

    /// The largest source, if there is an arc.
    pub fn max_row(&self) -> Option<usize> {
        self.rows.last().copied()
    }

    /// The largest target, if there is an arc.
    pub fn max_col(&self) -> Option<u32> {
        self.coords.iter().copied().max()
    }

    /// The batch as outer levels apply it.
    pub fn sorted(&self) -> SortedBatch<'_, u32, V> {
        SortedBatch::new(&self.rows, &self.offsets, &self.coords, &self.values)
    }

    /// The positions, ascending.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = (u32, u32)> {
        Positions { rows: &self.rows, ends: &self.offsets[1..], coords: &self.coords, at: 0 }
    }

    /// The arcs, ascending. None, if the batch has positions without values.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, u32, &V)> {
        self.positions().zip(&self.values).map(|((row, col), value)| (row, col, value))
    }
}

/// An iterator over the positions of a batch.
struct Positions<'b> {
    /// The row of the next one, and all behind it.
    rows: &'b [usize],
    /// Where each of these rows ends.
    ends: &'b [usize],
    coords: &'b [u32],
    at: usize,
}

impl Iterator for Positions<'_> {
    type Item = (u32, u32);

    fn next(&mut self) -> Option<(u32, u32)> {
        let col = *self.coords.get(self.at)?;
        if self.ends[0] == self.at {
            (self.rows, self.ends) = (&self.rows[1..], &self.ends[1..]);
        }
        self.at += 1;
        Some((self.rows[0] as u32, col))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.coords.len() - self.at;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Positions<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether tests run at their full size, as by night.
    const FULL: bool = option_env!("PLEACH_FULL_SIZE").is_some();

    #[test]
    fn arcs_are_sorted_and_combined() {
        let batch = Batch::pattern([(2, 1), (0, 7), (2, 0), (0, 7)]);
        assert_eq!(batch.iter().map(|arc| (arc.0, arc.1)).collect::<Vec<_>>(), [(0, 7), (2, 0), (2, 1)]);
        let batch = Batch::weighted([(2, 1, 3.0), (0, 7, 1.0), (2, 1, 4.0)], |a, b| a + b);
        assert_eq!(batch.iter().map(|arc| (arc.0, arc.1, *arc.2)).collect::<Vec<_>>(), [(0, 7, 1.0), (2, 1, 7.0)]);
        assert_eq!((batch.max_row(), batch.max_col()), (Some(2), Some(7)));
        let turned = batch.transposed(false).unwrap();
        assert_eq!(turned.iter().map(|arc| (arc.0, arc.1, *arc.2)).collect::<Vec<_>>(), [(1, 2, 7.0), (7, 0, 1.0)]);
        assert!(Batch::pattern([]).transposed(false).unwrap().is_empty());
        assert!(Batch::pattern([]).is_empty() && Batch::pattern([]).sorted().is_empty());
        let mut arcs = batch.iter();
        assert_eq!(
            (arcs.len(), arcs.next().is_some(), arcs.len(), Batch::pattern([]).positions().len()),
            (2, true, 1, 0)
        );
    }

    /// Batches made by several threads are those made by one, and transposed as by a sort: with repeated arcs, with one huge row, with all
    /// arcs in it.
    #[test]
    fn large_batches_are_folded_alike() {
        // Each is shared among several threads.
        let [many, some] = if FULL { [200_000u64, 100_000] } else { [70_000, 50_000] };
        for (n, rows, cols) in [(many, 5_000u64, 40u64), (some, 2, 100_000), (some, 1, 200), (40_000, 1 << 31, 9)] {
            let mut list = EdgeList::new(0, 0);
            for k in 0..n {
                let bits = k.wrapping_mul(0x9E37_79B9_7F4A_7C15);
                list.src.push((bits % rows) as u32);
                list.dst.push((bits >> 40) as u32 % cols as u32);
                list.weight.push(k);
            }
            let combine = |a: u64, b: u64| a.wrapping_mul(3).wrapping_add(b);
            let folded = fold_sorted(sort_arcs(&list, false).unwrap(), combine);
            let arcs = list.src.iter().zip(&list.dst).zip(&list.weight).map(|((&from, &to), &k)| (from, to, k));
            assert!(folded == Batch::weighted(arcs, combine), "{n} {rows} {cols}");
            assert_eq!(folded.sorted().len(), folded.len());
            let mut turned: Vec<_> = folded.iter().map(|(from, to, &k)| (to, from, k)).collect();
            turned.sort_unstable();
            for alone in [false, true] {
                let transposed = folded.transposed(alone).unwrap();
                assert!(transposed.iter().map(|(from, to, &k)| (from, to, k)).eq(turned.iter().copied()), "{n} {rows}");
                assert!(transposed.transposed(alone).unwrap() == folded);
                let positions: Batch<u64> = folded.clone().into_positions();
                assert!(positions.transposed(alone).unwrap() == transposed.into_positions());
            }
        }
    }
}
