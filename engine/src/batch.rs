//! Batches: arcs in any order, sorted for the rows of a matrix.

use pleach_runtime::SortedBatch;
use smallvec::SmallVec;

use crate::EdgeList;
use crate::sort::{SortedArcs, sort_arcs};

/// Arcs sorted by source and target, each position once: what [`Matrix::insert`](crate::Matrix::insert) and its like apply.
///
/// Small batches lie in the value itself, without an allocation.
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
        let mut sorted = sort_arcs(&list, false, false)
            .unwrap_or_else(|bytes| panic!("{bytes} bytes of memory for sorting a batch cannot be had"));
        fold_repeated(&mut sorted, combine);
        Batch::from_sorted(&sorted.keys, sorted.payloads)
    }
}

/// Makes one payload of all those of one position, from the first to the last.
pub(crate) fn fold_repeated<P: Copy>(sorted: &mut SortedArcs<P>, mut combine: impl FnMut(P, P) -> P) {
    let (keys, payloads) = (&mut sorted.keys, &mut sorted.payloads);
    let Some(first) = keys.windows(2).position(|pair| pair[0] == pair[1]) else { return };
    let mut kept = first;
    for k in first + 1..keys.len() {
        if keys[k] == keys[kept] {
            payloads[kept] = combine(payloads[kept], payloads[k]);
        } else {
            kept += 1;
            (keys[kept], payloads[kept]) = (keys[k], payloads[k]);
        }
    }
    keys.truncate(kept + 1);
    payloads.truncate(kept + 1);
}

impl<V> Batch<V> {
    /// The batch of strictly ascending positions, source above target, with a value each or without values.
    pub(crate) fn from_sorted(keys: &[u64], values: SmallVec<[V; 2]>) -> Self {
        debug_assert!(keys.is_sorted_by(|a, b| a < b));
        debug_assert!(values.is_empty() || values.len() == keys.len());
        let mut batch = Batch { values, ..Batch::default() };
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
    pub fn positions(&self) -> impl Iterator<Item = (u32, u32)> {
        self.rows
            .iter()
            .zip(self.offsets.windows(2))
            .flat_map(move |(&row, range)| self.coords[range[0]..range[1]].iter().map(move |&col| (row as u32, col)))
    }

    /// The arcs, ascending. None, if the batch is one of positions without values.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32, &V)> {
        self.positions().zip(&self.values).map(|((row, col), value)| (row, col, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arcs_are_sorted_and_combined() {
        let batch = Batch::pattern([(2, 1), (0, 7), (2, 0), (0, 7)]);
        assert_eq!(batch.iter().map(|arc| (arc.0, arc.1)).collect::<Vec<_>>(), [(0, 7), (2, 0), (2, 1)]);
        let batch = Batch::weighted([(2, 1, 3.0), (0, 7, 1.0), (2, 1, 4.0)], |a, b| a + b);
        assert_eq!(batch.iter().map(|arc| (arc.0, arc.1, *arc.2)).collect::<Vec<_>>(), [(0, 7, 1.0), (2, 1, 7.0)]);
        assert_eq!((batch.max_row(), batch.max_col()), (Some(2), Some(7)));
        assert!(Batch::pattern([]).is_empty() && Batch::pattern([]).sorted().is_empty());
    }
}
