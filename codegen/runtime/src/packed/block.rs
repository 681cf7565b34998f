//! Blocks: reference-counted arrays of sorted elements behind one thin pointer.
//!
//! ```text
//!   Block ──▶ [refs | len | capacity | coords … slack | values … slack]
//! ```

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use super::area::{Area, plan, with_steps};
use super::chunk::{BLOCK, Chunk, FILL};
use super::class::round_up;
use super::page::PackedPage;
use crate::update::Merge;
use crate::{AuditError, Change, Coord, Counts, Elements, Footprint, RowBatch, SliceFiber, Value};

/// What lies before the coordinates.
#[repr(C)]
struct Header {
    refs: AtomicU32,
    len: u32,
    capacity: u32,
}

/// References beyond which something must be wrong; far enough from overflow for all threads to stop.
pub(super) const MAX_REFS: u32 = u32::MAX / 2;

/// A thin, reference-counted pointer to at most 508 sorted elements.
pub struct Block<C, V> {
    /// Points to a live `Header` followed by arrays of `capacity` elements, of which the first `len` are initialised.
    ptr: NonNull<Header>,
    marker: PhantomData<(C, V)>,
}

// SAFETY: a block is shared like an `Arc<[(C, V)]>`: each holder may read it and drop it in any thread.
unsafe impl<C: Send + Sync, V: Send + Sync> Send for Block<C, V> {}
// SAFETY: as above.
unsafe impl<C: Send + Sync, V: Send + Sync> Sync for Block<C, V> {}

impl<C: Coord, V: Value> Block<C, V> {
    /// Where the coordinates begin.
    const COORDS: usize = size_of::<Header>().next_multiple_of(align_of::<C>());

    /// Where the values begin, behind room for `capacity` coordinates.
    #[inline(always)]
    const fn values_at(capacity: usize) -> usize {
        (Self::COORDS + capacity * size_of::<C>()).next_multiple_of(align_of::<V>())
    }

    /// The allocation of a block with room for `capacity` elements.
    fn layout(capacity: usize) -> Layout {
        let bytes = round_up(Self::values_at(capacity) + capacity * size_of::<V>());
        let align = align_of::<Header>().max(align_of::<C>()).max(align_of::<V>());
        Layout::from_size_align(bytes, align).expect("at most a few kilobytes of values")
    }

    /// The number of elements that fit an allocation made for `n` elements, at most [`BLOCK`].
    fn capacity_for(n: usize) -> usize {
        let room = Self::layout(n).size() - Self::COORDS;
        let mut capacity = (room / (size_of::<C>() + size_of::<V>())).min(BLOCK).max(n);
        while capacity > n && Self::values_at(capacity) + capacity * size_of::<V>() > Self::COORDS + room {
            capacity -= 1;
        }
        capacity
    }

    /// An empty block with room for `n` elements, or some more.
    fn with_capacity(n: usize) -> Self {
        let mut capacity = Self::capacity_for(n);
        if Self::layout(capacity) != Self::layout(n) {
            capacity = n;
        }
        let layout = Self::layout(capacity);
        // SAFETY: the layout has room for a header at least.
        let ptr = unsafe { alloc(layout) }.cast::<Header>();
        let Some(ptr) = NonNull::new(ptr) else { handle_alloc_error(layout) };
        // SAFETY: fresh memory of that layout.
        unsafe { ptr.write(Header { refs: AtomicU32::new(1), len: 0, capacity: capacity as u32 }) };
        Block { ptr, marker: PhantomData }
    }

    #[inline(always)]
    fn header(&self) -> &Header {
        // SAFETY: the header lives as long as any block that points to it, and its plain fields change only under `&mut self` of
        // the only block that does.
        unsafe { self.ptr.as_ref() }
    }

    #[inline(always)]
    fn capacity(&self) -> usize {
        self.header().capacity as usize
    }

    #[inline(always)]
    fn area(&self) -> Area<C, V> {
        // SAFETY: both lie inside the allocation.
        unsafe {
            let base = self.ptr.as_ptr().cast::<u8>();
            Area { coords: base.add(Self::COORDS).cast(), values: base.add(Self::values_at(self.capacity())).cast() }
        }
    }

    /// Whether nobody else points to the block, so that it may be written to.
    #[inline(always)]
    fn is_unique(&mut self) -> bool {
        self.header().refs.load(Ordering::Acquire) == 1
    }

    /// # Safety
    ///
    /// The block is unique, and its first `len` elements are initialised.
    #[inline(always)]
    unsafe fn set_len(&mut self, len: usize) {
        // SAFETY: unique, so nobody reads the header.
        unsafe { (*self.ptr.as_ptr()).len = len as u32 };
    }

    /// The coordinates, ascending.
    #[inline(always)]
    pub fn coords(&self) -> &[C] {
        // SAFETY: `len` are initialised.
        unsafe { std::slice::from_raw_parts(self.area().coords, self.header().len as usize) }
    }

    /// The values, one for each coordinate.
    #[inline(always)]
    pub fn values(&self) -> &[V] {
        // SAFETY: `len` are initialised.
        unsafe { std::slice::from_raw_parts(self.area().values, self.header().len as usize) }
    }

    /// Makes the block unique with room for `capacity` elements, by moving or copying it where need be.
    fn reserve(&mut self, capacity: usize) {
        let unique = self.is_unique();
        if unique && capacity <= self.capacity() {
            return;
        }
        let len = self.coords().len();
        let mut new = Self::with_capacity(capacity.max(len));
        // SAFETY: there is room for `len` elements; a unique block's elements are moved, and it is freed as an empty one.
        unsafe {
            if unique {
                new.area().move_from(self.area(), len);
                self.set_len(0);
            } else {
                new.area().clone_from(self.area(), len);
            }
            new.set_len(len);
        }
        *self = new;
    }
}

impl<C, V> Clone for Block<C, V> {
    #[inline]
    fn clone(&self) -> Self {
        // SAFETY: `self` keeps the header alive.
        let before = unsafe { self.ptr.as_ref() }.refs.fetch_add(1, Ordering::Relaxed);
        if before > MAX_REFS {
            std::process::abort();
        }
        Block { ptr: self.ptr, marker: PhantomData }
    }
}

impl<C, V> Drop for Block<C, V> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: `self` keeps the header alive.
        let refs = unsafe { &self.ptr.as_ref().refs };
        if refs.fetch_sub(1, Ordering::Release) != 1 {
            return;
        }
        // This load takes the place of a fence, which thread sanitizer does not support.
        refs.load(Ordering::Acquire);
        // SAFETY: this was the last pointer to the block.
        unsafe { Self::free(self.ptr) };
    }
}

impl<C, V> Block<C, V> {
    /// Drops the values and gives the memory back.
    ///
    /// # Safety
    ///
    /// `ptr` is the last pointer to a block of these types, and not used again.
    #[cold]
    unsafe fn free(ptr: NonNull<Header>) {
        // SAFETY: the caller's promise; offsets and layout are those of `with_capacity`.
        unsafe {
            let (len, capacity) = (ptr.as_ref().len as usize, ptr.as_ref().capacity as usize);
            let coords = size_of::<Header>().next_multiple_of(align_of::<C>());
            let values = (coords + capacity * size_of::<C>()).next_multiple_of(align_of::<V>());
            let align = align_of::<Header>().max(align_of::<C>()).max(align_of::<V>());
            let layout = Layout::from_size_align_unchecked(round_up(values + capacity * size_of::<V>()), align);
            if std::mem::needs_drop::<V>() {
                let values = ptr.as_ptr().cast::<u8>().add(values).cast::<V>();
                std::ptr::slice_from_raw_parts_mut(values, len).drop_in_place();
            }
            dealloc(ptr.as_ptr().cast(), layout);
        }
    }
}

impl<C: Coord, V: Value> Chunk for Block<C, V> {
    type Coord = C;
    type Value = V;
    type View<'a>
        = SliceFiber<'a, C, V>
    where
        Self: 'a;
    type Page = PackedPage<C, V>;
    const NAME: &'static str = "packed";

    #[inline(always)]
    fn empty<'a>() -> SliceFiber<'a, C, V> {
        SliceFiber::new(&[], &[])
    }

    fn build(elements: Elements<'_, C, V>) -> Self {
        let n = elements.len();
        assert!(n <= BLOCK, "a block holds at most {BLOCK} elements");
        let mut block = Self::with_capacity(n);
        let area = block.area();
        // SAFETY: there is room for `n` elements, which are moved in.
        unsafe {
            elements.write_to(area.coords, area.values);
            block.set_len(n);
        }
        block
    }

    #[inline(always)]
    fn view(&self) -> SliceFiber<'_, C, V> {
        SliceFiber::new(self.coords(), self.values())
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.header().len as usize
    }

    #[inline(always)]
    fn is(&self, other: &Self) -> bool {
        self.ptr == other.ptr
    }

    #[inline(always)]
    fn first(&self) -> Option<C> {
        self.coords().first().copied()
    }

    #[inline(always)]
    fn prefetch(&self) {
        crate::prefetch::read::<4>(self.ptr.as_ptr().cast());
    }

    #[inline(always)]
    fn prefetch_header(&self) {
        crate::prefetch::read::<1>(self.ptr.as_ptr().cast());
    }

    #[inline(always)]
    fn prefetch_elements(&self, shared: bool) {
        if shared || self.header().refs.load(Ordering::Relaxed) > 1 {
            crate::prefetch::whole(self.coords());
            crate::prefetch::whole(self.values());
        } else {
            crate::prefetch::eighths(self.coords());
        }
    }

    fn update(&mut self, batch: RowBatch<'_, C, V>, change: Change<'_, V>, more: &mut Vec<Self>) -> Counts {
        if size_of::<V>() > 0 && !matches!(change, Change::Delete) {
            self.reserve(self.len());
        }
        with_steps(|steps| {
            // SAFETY: the block is unique where values are combined.
            let counts = unsafe { plan(self.coords(), self.area().values, batch, change, (0, 0), steps) };
            if steps.is_empty() {
                return counts;
            }
            let len = self.len();
            if let Change::Delete = change {
                let left = len - steps.len();
                self.reserve(len);
                // SAFETY: unique; `plan` gave strictly ascending positions of elements.
                let removed = unsafe {
                    let removed = self.area().remove(len, steps);
                    self.set_len(left);
                    removed
                };
                drop(removed);
                if left + left / 2 < self.capacity() && Self::layout(left).size() < Self::layout(self.capacity()).size()
                {
                    let mut small = Self::with_capacity(left);
                    // SAFETY: unique, as above; the elements move to the new block.
                    unsafe {
                        small.area().move_from(self.area(), left);
                        small.set_len(left);
                        self.set_len(0);
                    }
                    *self = small;
                }
            } else if len + steps.len() <= BLOCK {
                let wanted = len + steps.len();
                self.reserve(wanted);
                // SAFETY: unique, with room for all; `plan` gave positions that do not descend.
                unsafe {
                    self.area().insert(len, steps, batch);
                    self.set_len(wanted);
                }
            } else {
                // Values were combined already: what is present is kept as it is.
                let mut merge = Merge::new(batch, Change::Insert(&|_, _| false), len);
                merge.run(self.coords(), |k| &self.values()[k]);
                let mut merged = merge.finish();
                split(Elements::drain(&merged.coords, &mut merged.values), |part| more.push(part));
                *self = more.remove(0);
            }
            counts
        })
    }

    fn join(&mut self, right: &Self) {
        let (len, n) = (self.len(), right.len());
        assert!(len + n <= BLOCK, "a block holds at most {BLOCK} elements");
        self.reserve(len + n);
        // SAFETY: unique, with room for both.
        unsafe {
            self.area().add(len).clone_from(right.area(), n);
            self.set_len(len + n);
        }
    }

    fn audit_with(&self, value: &mut dyn FnMut(&V) -> Result<(), AuditError>) -> Result<(), AuditError> {
        let (len, capacity) = (self.len(), self.capacity());
        if len > capacity || capacity > BLOCK {
            return Err(AuditError::new("block", format!("{len} elements, room for {capacity}, at most {BLOCK}")));
        }
        super::chunk::audit_run(self.coords())?;
        self.values().iter().try_for_each(value)
    }

    fn footprint_with(&self, value: &mut dyn FnMut(&V) -> Footprint) -> Footprint {
        let mut sum =
            Footprint { bytes: Self::layout(self.capacity()).size(), nodes: 1, gaps: self.capacity() - self.len() };
        if size_of::<V>() > 0 {
            self.values().iter().for_each(|v| sum += value(v));
        }
        sum
    }
}

/// Splits more elements than a block holds evenly over as few blocks as leave each some room.
fn split<C: Coord, V: Value>(mut elements: Elements<'_, C, V>, mut push: impl FnMut(Block<C, V>)) {
    let parts = elements.len().div_ceil(FILL);
    for part in (1..=parts).rev() {
        push(Block::build(elements.split_front(elements.len().div_ceil(part))));
    }
}
