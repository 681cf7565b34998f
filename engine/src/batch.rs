//! Batches: changes in any order, prepared for the rows of a matrix.

use pleach_runtime::SortedBatch;
use rayon::prelude::*;

/// Arcs sorted by source and target, each position once: what [`Matrix::insert`](crate::Matrix::insert) and its like apply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch<V = ()> {
    rows: Vec<usize>,
    offsets: Vec<usize>,
    coords: Vec<u32>,
    values: Vec<V>,
}

/// Arcs below which a batch is sorted by one thread: starting the others takes longer.
const SERIAL: usize = 1 << 13;

impl Batch<()> {
    /// A batch of arcs without values, in any order; repeated ones count once. Takes O(m log m) for `m` arcs.
    pub fn pattern(arcs: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut keys: Vec<u64> = arcs.into_iter().map(|(from, to)| key(from, to)).collect();
        if keys.len() < SERIAL {
            keys.sort_unstable()
        } else {
            keys.par_sort_unstable()
        }
        keys.dedup();
        let values = vec![(); keys.len()];
        Batch::from_sorted(keys.into_iter(), values)
    }
}

impl<V: Copy + Send + Sync> Batch<V> {
    /// A batch of arcs with values, in any order; `combine` makes one value of an earlier and a later one of the same arc.
    /// Takes O(m log m) for `m` arcs.
    pub fn weighted(arcs: impl IntoIterator<Item = (u32, u32, V)>, mut combine: impl FnMut(V, V) -> V) -> Self {
        let mut arcs: Vec<(u64, V)> = arcs.into_iter().map(|(from, to, value)| (key(from, to), value)).collect();
        // Stable: arcs of one position stay in the order in which they came.
        if arcs.len() < SERIAL {
            arcs.sort_by_key(|arc| arc.0)
        } else {
            arcs.par_sort_by_key(|arc| arc.0)
        }
        arcs.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1 = combine(earlier.1, later.1);
            }
            same
        });
        let values = arcs.iter().map(|arc| arc.1).collect();
        Batch::from_sorted(arcs.into_iter().map(|arc| arc.0), values)
    }
}

impl<V> Batch<V> {
    fn from_sorted(keys: impl ExactSizeIterator<Item = u64>, values: Vec<V>) -> Self {
        let mut batch = Batch { rows: Vec::new(), offsets: vec![0], coords: Vec::with_capacity(keys.len()), values };
        for key in keys {
            let row = (key >> 32) as usize;
            if batch.rows.last() != Some(&row) {
                if !batch.rows.is_empty() {
                    batch.offsets.push(batch.coords.len());
                }
                batch.rows.push(row);
            }
            batch.coords.push(key as u32);
        }
        if !batch.rows.is_empty() {
            batch.offsets.push(batch.coords.len());
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

    /// The arcs, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32, &V)> {
        self.rows.iter().zip(self.offsets.windows(2)).flat_map(move |(&row, range)| {
            (range[0]..range[1]).map(move |k| (row as u32, self.coords[k], &self.values[k]))
        })
    }
}

/// Source before target.
fn key(from: u32, to: u32) -> u64 {
    u64::from(from) << 32 | u64::from(to)
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
