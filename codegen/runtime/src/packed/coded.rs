//! The difference-coded chunk that long rows are made of.

use std::sync::Arc;

use super::chunk::{BLOCK, Chunk, FILL};
use super::coded_page::CodedPage;
use crate::coded::{Coded, CodedView, coded_len, encode_coords};
use crate::update::Merge;
use crate::{AuditError, Change, Coord, Counts, Elements, Fiber, Footprint, RowBatch, Value};

/// Appends the coded form of coordinates to bytes.
pub(super) fn append_coded<C: Coord>(coords: &[C], bytes: &mut Vec<u8>) {
    let at = bytes.len();
    bytes.resize(at + coded_len(coords, None), 0);
    let written = encode_coords(coords, None, &mut bytes[at..]);
    debug_assert_eq!(at + written, bytes.len());
}

/// Checks coded coordinates, of which there should be nothing behind the last.
pub(super) fn audit_coded<C: Coord>(coords: Coded<'_, C>) -> Result<(), AuditError> {
    coords.check().map_err(|error| AuditError::new("coords", error.to_string()))
}

/// A reference-counted chunk of at most 508 elements with difference-coded coordinates.
pub struct CodedBlock<C, V>(Arc<Inner<C, V>>);

struct Inner<C, V> {
    first: Option<C>,
    bytes: Box<[u8]>,
    values: Box<[V]>,
}

impl<C, V> Clone for CodedBlock<C, V> {
    #[inline]
    fn clone(&self) -> Self {
        CodedBlock(self.0.clone())
    }
}

impl<C: Coord, V: Value> CodedBlock<C, V> {
    /// The block's elements merged with a batch.
    fn merge(&self, merge: &mut Merge<'_, C, V>) {
        self.view().fold_runs((), |(), run| merge.run(run.coords(), |k| &run.values()[k]));
    }
}

impl<C: Coord, V: Value> Chunk for CodedBlock<C, V> {
    type Coord = C;
    type Value = V;
    type View<'a>
        = CodedView<'a, C, V>
    where
        Self: 'a;
    type Page = CodedPage<C, V>;
    const NAME: &'static str = "packed_delta";

    #[inline(always)]
    fn empty<'a>() -> CodedView<'a, C, V> {
        CodedView::new(&[], &[], None)
    }

    fn build(elements: Elements<'_, C, V>) -> Self {
        assert!(elements.len() <= BLOCK, "a block holds at most {BLOCK} elements");
        let mut bytes = Vec::new();
        append_coded(elements.coords(), &mut bytes);
        let first = elements.coords().first().copied();
        let values = elements.map(|(_, value)| value).collect();
        CodedBlock(Arc::new(Inner { first, bytes: bytes.into_boxed_slice(), values }))
    }

    #[inline(always)]
    fn view(&self) -> CodedView<'_, C, V> {
        CodedView::new(&self.0.bytes, &self.0.values, None)
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.0.values.len()
    }

    #[inline(always)]
    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    #[inline(always)]
    fn first(&self) -> Option<C> {
        self.0.first
    }

    #[inline(always)]
    fn prefetch(&self) {
        crate::prefetch::read::<1>(Arc::as_ptr(&self.0).cast());
    }

    /// Decodes the block, merges, and codes it again: differences leave nothing to change in place.
    fn update(&mut self, batch: RowBatch<'_, C, V>, change: Change<'_, V>, more: &mut Vec<Self>) -> Counts {
        let mut merge = Merge::new(batch, change, self.len());
        self.merge(&mut merge);
        let mut merged = merge.finish();
        let counts = merged.counts;
        if counts.new + counts.changed + counts.removed > 0 {
            let mut elements = Elements::drain(&merged.coords, &mut merged.values);
            if elements.len() <= BLOCK {
                *self = Self::build(elements);
                return counts;
            }
            let parts = elements.len().div_ceil(FILL);
            let first = Self::build(elements.split_front(elements.len().div_ceil(parts)));
            for part in (1..parts).rev() {
                more.push(Self::build(elements.split_front(elements.len().div_ceil(part))));
            }
            // Last, since old values that are dropped may panic.
            *self = first;
        }
        counts
    }

    fn join(&mut self, right: &Self) {
        let nothing = RowBatch { coords: &[], values: &[] };
        let mut merge = Merge::new(nothing, Change::Delete, self.len() + right.len());
        self.merge(&mut merge);
        right.merge(&mut merge);
        let mut merged = merge.finish();
        *self = Self::build(Elements::drain(&merged.coords, &mut merged.values));
    }

    fn audit_with(&self, value: &mut dyn FnMut(&V) -> Result<(), AuditError>) -> Result<(), AuditError> {
        if self.len() > BLOCK {
            return Err(AuditError::new("block", format!("{} elements, at most {BLOCK}", self.len())));
        }
        audit_coded(self.view().coords())?;
        let first = self.view().fold_runs(None, |first, run| first.or(run.coords().first().copied()));
        if first != self.0.first {
            return Err(AuditError::new("block", format!("begins at {first:?}, filed under {:?}", self.0.first)));
        }
        self.0.values.iter().try_for_each(value)
    }

    fn footprint_with(&self, value: &mut dyn FnMut(&V) -> Footprint) -> Footprint {
        /// The two counts before what an `Arc` points to.
        const COUNTS: usize = 2 * size_of::<usize>();
        let arrays = self.0.bytes.len() + size_of_val(&*self.0.values);
        let mut sum = Footprint { bytes: COUNTS + size_of::<Inner<C, V>>() + arrays, nodes: 1, gaps: 0 };
        if size_of::<V>() > 0 {
            self.0.values.iter().for_each(|v| sum += value(v));
        }
        sum
    }
}
