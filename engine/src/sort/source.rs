//! Sources of arcs: an edge list, the rows of a matrix, or a bucket of keys that is split again.

use std::borrow::Cow;
use std::ops::Range;

use super::key::{Key, Span};
use crate::csr::CsrView;
use crate::edges::EdgeList;

/// Arcs that lie in memory and are read twice: once to be counted, once to be moved.
///
/// An *item* may stand for no arc (a self loop that is to be dropped), one, or two (an edge that is to lead both ways).
pub(super) trait Arcs<V>: Sync {
    /// The number of items.
    fn len(&self) -> usize;

    /// Inspects some items: the number of self loops among them, or the index of the first that is out of range.
    fn inspect(&self, items: Range<usize>) -> Result<usize, usize>;

    /// Calls `arc(row, column, value)` for each arc of some items, in order.
    fn for_each(&self, items: Range<usize>, arc: impl FnMut(u32, u32, V));

    /// Whether [`release`](Self::release) frees memory.
    fn can_release(&self) -> bool {
        false
    }

    /// Frees the memory of the items from `first` on, which are not read again.
    fn release(&mut self, first: usize) {
        let _ = first;
    }
}

/// Which arcs an item stands for.
#[derive(Clone, Copy)]
pub(super) struct Emit {
    /// An item that is no self loop also leads the other way.
    pub mirrored: bool,
    /// Self loops stand for no arc.
    pub drop_loops: bool,
}

impl Emit {
    /// Calls `arc` for what each of `items` stands for, with the choice made outside the loop.
    #[inline]
    fn each<V: Copy>(self, items: impl Iterator<Item = (u32, u32, V)>, arc: impl FnMut(u32, u32, V)) {
        #[inline]
        fn go<V: Copy, const MIRRORED: bool, const DROP: bool>(
            items: impl Iterator<Item = (u32, u32, V)>,
            mut arc: impl FnMut(u32, u32, V),
        ) {
            for (row, col, value) in items {
                if !DROP || row != col {
                    arc(row, col, value);
                }
                if MIRRORED && row != col {
                    arc(col, row, value);
                }
            }
        }
        match (self.mirrored, self.drop_loops) {
            (false, false) => go::<V, false, false>(items, arc),
            (false, true) => go::<V, false, true>(items, arc),
            (true, false) => go::<V, true, false>(items, arc),
            (true, true) => go::<V, true, true>(items, arc),
        }
    }
}

/// The arcs of an edge list whose arrays have equal length.
pub(super) struct EdgeArcs<'a, V: Clone> {
    pub edges: Cow<'a, EdgeList<V>>,
    /// Exclusive bounds of sources and targets.
    bounds: (u64, u64),
    emit: Emit,
}

impl<'a, V: Clone> EdgeArcs<'a, V> {
    pub(super) fn new(edges: Cow<'a, EdgeList<V>>, emit: Emit) -> Self {
        EdgeArcs { bounds: (edges.num_rows as u64, edges.num_cols as u64), edges, emit }
    }

    /// Arcs none of which is out of range, whatever the list says of its rows and columns.
    pub(super) fn in_range(edges: &'a EdgeList<V>, emit: Emit) -> Self {
        EdgeArcs { edges: Cow::Borrowed(edges), bounds: (u64::MAX, u64::MAX), emit }
    }
}

/// Frees the memory of the arcs from `first` on, if the list is owned.
pub(super) fn release<V: Clone>(edges: &mut Cow<'_, EdgeList<V>>, first: usize) {
    let Cow::Owned(EdgeList { src, dst, weight, .. }) = edges else { return };
    src.truncate(first);
    src.shrink_to_fit();
    dst.truncate(first);
    dst.shrink_to_fit();
    weight.truncate(first);
    weight.shrink_to_fit();
}

impl<V: Copy + Send + Sync> Arcs<V> for EdgeArcs<'_, V> {
    fn len(&self) -> usize {
        self.edges.src.len()
    }

    fn can_release(&self) -> bool {
        matches!(self.edges, Cow::Owned(_))
    }

    fn release(&mut self, first: usize) {
        release(&mut self.edges, first);
    }

    fn inspect(&self, items: Range<usize>) -> Result<usize, usize> {
        let (src, dst) = (&self.edges.src[items.clone()], &self.edges.dst[items.clone()]);
        let mut loops = 0u32;
        let (mut max_src, mut max_dst) = (0u32, 0u32);
        for (&s, &d) in src.iter().zip(dst) {
            max_src = max_src.max(s);
            max_dst = max_dst.max(d);
            loops += u32::from(s == d);
        }
        let outside = |s: u32, d: u32| u64::from(s) >= self.bounds.0 || u64::from(d) >= self.bounds.1;
        if !src.is_empty() && outside(max_src, max_dst) {
            let first = src.iter().zip(dst).position(|(&s, &d)| outside(s, d));
            return Err(items.start + first.unwrap_or(0));
        }
        Ok(loops as usize)
    }

    #[inline]
    fn for_each(&self, items: Range<usize>, arc: impl FnMut(u32, u32, V)) {
        let EdgeList { src, dst, weight, .. } = &*self.edges;
        let items = src[items.clone()].iter().zip(&dst[items.clone()]).zip(&weight[items]);
        self.emit.each(items.map(|((&s, &d), &w)| (s, d, w)), arc);
    }
}

/// The nonzeros of a matrix, each one both ways, and self loops once.
pub(super) struct MirroredArcs<'a, V> {
    pub matrix: CsrView<'a, V>,
}

impl<V: Copy + Sync> MirroredArcs<'_, V> {
    /// Calls `nonzero(row, column, value)` with the matrix's own rows and columns.
    #[inline]
    fn nonzeros(&self, items: Range<usize>) -> impl Iterator<Item = (u32, u32, V)> {
        let offsets = self.matrix.offsets();
        // The row that holds the first position, then the rows as far as the last.
        let first = offsets.partition_point(|&o| o <= items.start).saturating_sub(1);
        let rows = offsets[first..].windows(2).take_while({
            let end = items.end;
            move |w| w[0] < end
        });
        let (coords, values) = (self.matrix.coords(), self.matrix.values());
        rows.enumerate().flat_map(move |(k, w)| {
            let range = w[0].max(items.start)..w[1].min(items.end);
            let row = (first + k) as u32;
            coords[range.clone()].iter().zip(&values[range]).map(move |(&col, &value)| (row, col, value))
        })
    }
}

impl<V: Copy + Sync> Arcs<V> for MirroredArcs<'_, V> {
    fn len(&self) -> usize {
        self.matrix.nnz()
    }

    fn inspect(&self, items: Range<usize>) -> Result<usize, usize> {
        Ok(self.nonzeros(items).filter(|&(row, col, _)| row == col).count())
    }

    #[inline]
    fn for_each(&self, items: Range<usize>, arc: impl FnMut(u32, u32, V)) {
        Emit { mirrored: true, drop_loops: false }.each(self.nonzeros(items), arc);
    }
}

/// The arcs of a sorted batch, each with source and target exchanged: they come in ascending order of their new columns.
pub(super) struct TransposedBatch<'a, V> {
    /// The sources, ascending.
    pub rows: &'a [usize],
    /// Where the arcs of each source begin, and where the last end.
    pub offsets: &'a [usize],
    /// The targets.
    pub coords: &'a [u32],
    /// As many.
    pub values: &'a [V],
}

impl<V: Copy + Sync> Arcs<V> for TransposedBatch<'_, V> {
    fn len(&self) -> usize {
        self.coords.len()
    }

    fn inspect(&self, _: Range<usize>) -> Result<usize, usize> {
        Ok(0)
    }

    #[inline]
    fn for_each(&self, items: Range<usize>, mut arc: impl FnMut(u32, u32, V)) {
        let first = self.offsets.partition_point(|&offset| offset <= items.start).saturating_sub(1);
        for (&row, ends) in self.rows[first..].iter().zip(self.offsets[first..].windows(2)) {
            if ends[0] >= items.end {
                break;
            }
            let range = ends[0].max(items.start)..ends[1].min(items.end);
            for (&col, &value) in self.coords[range.clone()].iter().zip(&self.values[range]) {
                arc(col, row as u32, value);
            }
        }
    }
}

/// The arcs of one bucket, already packed into keys.
pub(super) struct KeyArcs<'a, K, V> {
    pub keys: &'a [K],
    pub values: &'a [V],
    pub span: Span,
}

impl<K: Key, V: Copy + Sync> Arcs<V> for KeyArcs<'_, K, V> {
    fn len(&self) -> usize {
        self.keys.len()
    }

    fn inspect(&self, _: Range<usize>) -> Result<usize, usize> {
        Ok(0)
    }

    #[inline]
    fn for_each(&self, items: Range<usize>, mut arc: impl FnMut(u32, u32, V)) {
        let Span { first_row, col_bits, .. } = self.span;
        for (&key, &value) in self.keys[items.clone()].iter().zip(&self.values[items]) {
            arc(first_row + key.local_row(first_row, col_bits) as u32, key.col(col_bits), value);
        }
    }
}
