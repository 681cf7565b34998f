//! What a row outside of a page is made of: chunks of sorted elements, plain or coded.

use crate::{AuditError, Change, Coord, Counts, Elements, Fiber, Footprint, Page, RowBatch, Value};

use super::row::PackedRow;

/// Elements a chunk holds at most.
pub(crate) const BLOCK: usize = 508;

/// Elements of a chunk when it is built, which leaves it some room.
pub(crate) const FILL: usize = 480;

/// Neighbours that together hold no more than this are joined when one of them is thin.
pub(crate) const JOIN: usize = 320;

/// A chunk with fewer elements than this is thin.
pub(crate) const THIN: usize = 96;

/// A reference-counted array of at most 508 elements with ascending coordinates.
pub trait Chunk: Clone + Send + Sync + Sized + 'static {
    /// Coordinate type.
    type Coord: Coord;
    /// Value type.
    type Value: Value;
    /// A borrowed view of the elements.
    type View<'a>: Fiber<'a, Coord = Self::Coord, Value = Self::Value>
    where
        Self: 'a;
    /// The page in which short rows lie together.
    type Page: Page<PackedRow<Self>>;
    /// The store's name in formats and on the command line.
    const NAME: &'static str;

    /// The view of no elements.
    fn empty<'a>() -> Self::View<'a>;

    /// A chunk of the given elements, as large as they need.
    ///
    /// # Panics
    ///
    /// If there are more than a chunk holds.
    fn build(elements: Elements<'_, Self::Coord, Self::Value>) -> Self;

    /// The view of the elements.
    fn view(&self) -> Self::View<'_>;

    /// Whether both are one chunk in memory.
    fn is(&self, other: &Self) -> bool;

    /// Number of elements.
    fn len(&self) -> usize;

    /// Whether there is no element.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first coordinate.
    fn first(&self) -> Option<Self::Coord>;

    /// Prefetches the beginning of the chunk.
    fn prefetch(&self);

    /// Prefetches the chunk's header: its reference count and its length.
    #[inline(always)]
    fn prefetch_header(&self) {
        self.prefetch();
    }

    /// Prefetches the elements that a change reads first, or all elements of a `shared` chunk, which is copied. The header should have been
    /// prefetched some time before.
    #[inline(always)]
    fn prefetch_elements(&self, shared: bool) {
        let _ = shared;
    }

    /// Prefetches the header in step 0 and elements in step 1. Returns whether there is another step.
    #[inline(always)]
    fn prefetch_step(&self, step: usize, shared: bool) -> bool {
        if step == 0 {
            self.prefetch_header()
        } else {
            self.prefetch_elements(shared)
        }
        step == 0
    }

    /// Applies a part of a batch, in place if nobody shares the chunk. If it overflows, the chunk keeps the first part of the
    /// elements, and the chunks for the rest are appended to `more`. It may be empty afterwards.
    fn update(
        &mut self,
        batch: RowBatch<'_, Self::Coord, Self::Value>,
        change: Change<'_, Self::Value>,
        more: &mut Vec<Self>,
    ) -> Counts;

    /// Appends the elements of the chunk to the right.
    ///
    /// # Panics
    ///
    /// If together they are more than a chunk holds.
    fn join(&mut self, right: &Self);

    /// Checks order and sizes, and the values by `value`.
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    fn audit_with(&self, value: &mut dyn FnMut(&Self::Value) -> Result<(), AuditError>) -> Result<(), AuditError>;

    /// Bytes of the chunk, plus what `value` says of each value.
    fn footprint_with(&self, value: &mut dyn FnMut(&Self::Value) -> Footprint) -> Footprint;
}

/// Checks that coordinates strictly ascend and none is the gap mark.
pub(crate) fn audit_run<C: Coord>(coords: &[C]) -> Result<(), AuditError> {
    if let Some(w) = coords.windows(2).find(|w| w[0] >= w[1]) {
        return Err(AuditError::new(
            "coords",
            format!("coordinate {} is not above {}, which comes before it", w[1], w[0]),
        ));
    }
    match coords.last() {
        Some(&last) if last == C::GAP => Err(AuditError::new("coords", "the gap mark occurs as a coordinate")),
        _ => Ok(()),
    }
}
