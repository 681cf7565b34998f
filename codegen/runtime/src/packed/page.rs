//! A page of plain rows: the short ones packed into one slab, the long ones outside.
//!
//! ```text
//!   PackedPage ──▶ [refs | capacity | hubs | starts 0..=64 | hub, hub … | coords … slack | values … slack]
//!                                      │                      │
//!              row k lies in starts[k]..starts[k + 1] of the slab, or, where bit k of `hubs` is set, outside
//! ```
//!
//! A row of degree 4 thus costs two bytes beside its arcs: no allocation, no pointer, no header. Inserting moves the slab's tail, which is
//! why rows longer than 64 lie outside: in a graph of skewed degrees a tail is some hundred bytes then, where rows of up to 256 made it
//! several kilobytes. Pages are reference-counted as a whole: copying a shared one is one `memcpy` and one
//! count for each hub.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use smallvec::SmallVec;

use super::area::{Area, plan, with_steps};
use super::block::{Block, MAX_REFS};
use super::chunk::audit_run;
use super::class::round_up;
use super::row::{PackedFiber, PackedRow};
use crate::{
    Ahead, AuditError, Change, Coord, Counts, Elements, Fiber, Footprint, PAGE_ROWS, Page, RowBlock, SameValues,
    SideBySide, SliceFiber, SortedBatch, Store, Value,
};

/// Longest row inside the slab.
const INLINE: usize = 64;

/// Elements in a slab at most.
const SLAB: usize = PAGE_ROWS * INLINE;

/// Elements of a row's part of a batch for which memory is prefetched.
const PREFETCHED: usize = 4;

/// A row outside comes back into the slab when a batch leaves it no longer than this. It stays outside where the batch ended in a panic.
pub(super) const RETURN: usize = 16;

/// What lies before the hubs.
#[repr(C)]
struct Header {
    refs: AtomicU32,
    /// Elements for which the slab has room.
    capacity: u32,
    /// Bit `k`: row `k` lies outside.
    hubs: u64,
    /// Row `k` of the slab lies in `starts[k]..starts[k + 1]`; empty if it lies outside.
    starts: [u16; PAGE_ROWS + 1],
}

/// A row that lies outside.
type Hub<C, V> = PackedRow<Block<C, V>>;

/// A thin, reference-counted pointer to a page of [`PAGE_ROWS`] rows.
pub struct PackedPage<C: Coord, V: Value> {
    /// Points to a live header, followed by as many initialised hubs as bits are set in `hubs`, and arrays of `capacity`
    /// elements, of which the first `starts[64]` are initialised. Nothing else is ever a page: see [`Fresh`].
    ptr: NonNull<Header>,
    marker: PhantomData<(Hub<C, V>, C, V)>,
}

// SAFETY: a page is shared like an `Arc`: each holder may read it and drop it in any thread.
unsafe impl<C: Coord, V: Value> Send for PackedPage<C, V> {}
// SAFETY: as above.
unsafe impl<C: Coord, V: Value> Sync for PackedPage<C, V> {}

/// Where things lie in a page's memory.
#[derive(Clone, Copy, PartialEq)]
struct Shape {
    hubs: usize,
    capacity: usize,
}

impl<C: Coord, V: Value> PackedPage<C, V> {
    const HUBS: usize = size_of::<Header>().next_multiple_of(align_of::<Hub<C, V>>());

    #[inline(always)]
    const fn coords_at(hubs: usize) -> usize {
        (Self::HUBS + hubs * size_of::<Hub<C, V>>()).next_multiple_of(align_of::<C>())
    }

    #[inline(always)]
    const fn values_at(shape: Shape) -> usize {
        (Self::coords_at(shape.hubs) + shape.capacity * size_of::<C>()).next_multiple_of(align_of::<V>())
    }

    const fn bytes(shape: Shape) -> usize {
        Self::values_at(shape) + shape.capacity * size_of::<V>()
    }

    fn layout(shape: Shape) -> Layout {
        let align = align_of::<Header>().max(align_of::<Hub<C, V>>()).max(align_of::<C>()).max(align_of::<V>());
        Layout::from_size_align(round_up(Self::bytes(shape)), align).expect("at most a few hundred kilobytes")
    }

    /// The shape with room for `n` elements, and whatever the allocator would add anyway.
    fn shape_for(hubs: usize, n: usize) -> Shape {
        let class = Self::layout(Shape { hubs, capacity: n }).size();
        let per_element = size_of::<C>() + size_of::<V>();
        let mut capacity = ((class - Self::coords_at(hubs)) / per_element).clamp(n, SLAB.max(n));
        while capacity > n && Self::bytes(Shape { hubs, capacity }) > class {
            capacity -= 1;
        }
        Shape { hubs, capacity }
    }

    #[inline(always)]
    fn header(&self) -> &Header {
        // SAFETY: the header lives as long as any page that points to it; its plain fields change only under `&mut self` of the
        // only page that does.
        unsafe { self.ptr.as_ref() }
    }

    /// The header, to be written.
    ///
    /// # Safety
    ///
    /// The page is unique, and no other reference to the header is used while this one is.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    unsafe fn header_mut(&mut self) -> &mut Header {
        // SAFETY: the caller's promise.
        unsafe { self.ptr.as_mut() }
    }

    #[inline(always)]
    fn num_hubs(&self) -> usize {
        self.header().hubs.count_ones() as usize
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape { hubs: self.num_hubs(), capacity: self.header().capacity as usize }
    }

    /// Elements in the slab.
    #[inline(always)]
    fn used(&self) -> usize {
        usize::from(self.header().starts[PAGE_ROWS])
    }

    /// Where row `slot` lies in the slab.
    #[inline(always)]
    fn range(&self, slot: usize) -> std::ops::Range<usize> {
        let starts = &self.header().starts;
        usize::from(starts[slot])..usize::from(starts[slot + 1])
    }

    #[inline(always)]
    fn is_hub(&self, slot: usize) -> bool {
        self.header().hubs >> slot & 1 != 0
    }

    /// Hubs before `slot`.
    #[inline(always)]
    fn hub_index(&self, slot: usize) -> usize {
        (self.header().hubs & ((1 << slot) - 1)).count_ones() as usize
    }

    /// The first hub.
    #[inline(always)]
    fn hubs_ptr(&self) -> *mut Hub<C, V> {
        // SAFETY: the memory of a page.
        unsafe { Self::hubs_in(self.ptr) }
    }

    /// The first hub in the memory of a page.
    ///
    /// # Safety
    ///
    /// The pointer is that to the memory of a page.
    #[inline(always)]
    unsafe fn hubs_in(ptr: NonNull<Header>) -> *mut Hub<C, V> {
        // SAFETY: inside the allocation.
        unsafe { ptr.as_ptr().cast::<u8>().add(Self::HUBS).cast() }
    }

    #[inline(always)]
    fn hubs(&self) -> &[Hub<C, V>] {
        // SAFETY: as many as there are bits are initialised.
        unsafe { std::slice::from_raw_parts(self.hubs_ptr(), self.num_hubs()) }
    }

    /// The slab in the memory of a page.
    ///
    /// # Safety
    ///
    /// The pointer is that to the memory of a page of that shape.
    #[inline(always)]
    unsafe fn area_in(ptr: NonNull<Header>, shape: Shape) -> Area<C, V> {
        // SAFETY: both lie inside the allocation.
        unsafe {
            let base = ptr.as_ptr().cast::<u8>();
            Area {
                coords: base.add(Self::coords_at(shape.hubs)).cast(),
                values: base.add(Self::values_at(shape)).cast(),
            }
        }
    }

    #[inline(always)]
    fn area(&self) -> Area<C, V> {
        // SAFETY: the memory of a page of this shape.
        unsafe { Self::area_in(self.ptr, self.shape()) }
    }

    /// The coordinates of the whole slab, row after row.
    #[inline(always)]
    fn coords(&self) -> &[C] {
        // SAFETY: that many are initialised.
        unsafe { std::slice::from_raw_parts(self.area().coords, self.used()) }
    }

    /// The values of the whole slab, row after row.
    #[inline(always)]
    fn values(&self) -> &[V] {
        // SAFETY: that many are initialised.
        unsafe { std::slice::from_raw_parts(self.area().values, self.used()) }
    }

    #[inline(always)]
    fn is_unique(&mut self) -> bool {
        self.header().refs.load(Ordering::Acquire) == 1
    }

    /// Whether there is another reference to the page, so that it is copied before it is changed.
    #[inline(always)]
    fn is_shared(&self) -> bool {
        self.header().refs.load(Ordering::Relaxed) > 1
    }

    /// Prefetches what copying the page touches: its elements, and the reference counts of the rows outside.
    fn prefetch_copy(&self) {
        self.hubs().iter().for_each(PackedRow::prefetch_count);
        crate::prefetch::whole(self.coords());
        crate::prefetch::whole(self.values());
    }

    /// Frees a unique page whose hubs and elements were moved away.
    ///
    /// # Safety
    ///
    /// The page is unique and its contents are given up.
    unsafe fn free_emptied(self) {
        let (ptr, layout) = (self.ptr, Self::layout(self.shape()));
        std::mem::forget(self);
        // SAFETY: allocated with that layout, and nobody else points to it.
        unsafe { dealloc(ptr.as_ptr().cast(), layout) };
    }

    /// Makes the page unique, with room for `n` elements.
    fn reserve(&mut self, n: usize) {
        let unique = self.is_unique();
        if unique && n <= self.header().capacity as usize {
            return;
        }
        let (used, hubs) = (self.used(), self.num_hubs());
        // A page that grows once will grow again.
        let room = if n > self.header().capacity as usize { n + n / 16 } else { n };
        let mut new = Fresh::allocate(Self::shape_for(hubs, room.max(used)));
        let (mask, starts) = (self.header().hubs, self.header().starts);
        // SAFETY: the new page has room for as many hubs and elements; a unique page's are moved and the page freed without them.
        unsafe {
            if unique {
                std::ptr::copy_nonoverlapping(self.hubs_ptr(), new.hubs_ptr(), hubs);
                new.area().move_from(self.area(), used);
                std::mem::replace(self, new.finish(mask, starts)).free_emptied();
            } else {
                // This may panic.
                new.area().clone_from(self.area(), used);
                new.used = used;
                for hub in self.hubs() {
                    new.hubs_ptr().add(new.hubs).write(hub.clone());
                    new.hubs += 1;
                }
                *self = new.finish(mask, starts);
            }
        }
    }

    /// Moves a row out of the slab, to lie by itself.
    fn promote(&mut self, slot: usize) {
        self.reserve(self.used());
        let (row, used, hubs, index) = (self.range(slot), self.used(), self.num_hubs(), self.hub_index(slot));
        let area = self.area();
        // SAFETY: the page is unique; the row's elements move into the hub, all others and the hubs into the new page, and the old
        // one is freed without them.
        unsafe {
            let coords = std::slice::from_raw_parts(area.coords.add(row.start), row.len());
            let hub = PackedRow::build_row(Elements::from_raw(coords, area.values.add(row.start)));
            let left = used - row.len();
            let new = Fresh::allocate(Self::shape_for(hubs + 1, left));
            let (from, to) = (self.hubs_ptr(), new.hubs_ptr());
            std::ptr::copy_nonoverlapping(from, to, index);
            to.add(index).write(hub);
            std::ptr::copy_nonoverlapping(from.add(index), to.add(index + 1), hubs - index);
            let target = new.area();
            target.move_from(area, row.start);
            target.add(row.start).move_from(area.add(row.end), used - row.end);
            let (mask, mut starts) = (self.header().hubs, self.header().starts);
            starts[slot + 1..].iter_mut().for_each(|start| *start -= row.len() as u16);
            std::mem::replace(self, new.finish(mask | 1 << slot, starts)).free_emptied();
        }
    }

    /// Moves a row that lies outside back into the slab.
    fn demote(&mut self, slot: usize) {
        self.reserve(self.used());
        let (used, hubs, index) = (self.used(), self.num_hubs(), self.hub_index(slot));
        let at = self.range(slot).start;
        let mut coords = Vec::new();
        let mut values = Vec::new();
        self.hubs()[index].fiber().fold_runs((), |(), run| {
            coords.extend_from_slice(run.coords());
            values.extend_from_slice(run.values());
        });
        let n = coords.len();
        let area = self.area();
        // SAFETY: the page is unique; all hubs but this one and all elements move into the new page, together with copies of this
        // hub's, which is dropped. The old page is freed without them.
        unsafe {
            let new = Fresh::allocate(Self::shape_for(hubs - 1, used + n));
            let (from, to) = (self.hubs_ptr(), new.hubs_ptr());
            std::ptr::copy_nonoverlapping(from, to, index);
            let hub = from.add(index).read();
            std::ptr::copy_nonoverlapping(from.add(index + 1), to.add(index), hubs - index - 1);
            let target = new.area();
            target.move_from(area, at);
            let row = target.add(at);
            Elements::drain(&coords, &mut values).write_to(row.coords, row.values);
            target.add(at + n).move_from(area.add(at), used - at);
            let (mask, mut starts) = (self.header().hubs, self.header().starts);
            starts[slot + 1..].iter_mut().for_each(|start| *start += n as u16);
            std::mem::replace(self, new.finish(mask & !(1 << slot), starts)).free_emptied();
            drop(hub);
        }
    }

    /// Moves rows out that would become too long for the slab.
    fn make_way(&mut self, batch: SortedBatch<'_, C, V>) {
        for (k, &row) in batch.rows().iter().enumerate() {
            let slot = row % PAGE_ROWS;
            if self.is_hub(slot) {
                continue;
            }
            let (old, part) = (self.range(slot), batch.row(k));
            let most = old.len() + part.len();
            // It may hold many of them already.
            if most > INLINE && most - count_present(&self.coords()[old], part.coords) > INLINE {
                self.promote(slot);
            }
        }
    }

    /// Applies the part of a batch that touches this page.
    fn apply(&mut self, batch: SortedBatch<'_, C, V>, change: Change<'_, V>) -> Counts {
        let inserts = matches!(change, Change::Insert(_));
        if inserts && self.some_overflow(batch) {
            self.make_way(batch);
        }
        if size_of::<V>() > 0 && !matches!(change, Change::Delete) {
            self.reserve(self.used());
        }
        let mut counts = Counts::default();
        let mut shrunk = 0u64;
        with_steps(|steps| {
            let mut grown = SmallVec::<[(usize, u16); 4]>::new();
            let mut next_slot = 0;
            for (k, &row) in batch.rows().iter().enumerate() {
                let (slot, part) = (row % PAGE_ROWS, batch.row(k));
                assert!(slot >= next_slot, "the rows of a batch ascend");
                next_slot = slot + 1;
                if self.is_hub(slot) {
                    self.reserve(self.used());
                    let index = self.hub_index(slot);
                    // SAFETY: the page is unique, the hub initialised.
                    let hub = unsafe { &mut *self.hubs_ptr().add(index) };
                    counts += hub.update(part, change);
                    if hub.len() <= RETURN {
                        shrunk |= 1 << slot;
                    }
                } else {
                    let old = self.range(slot);
                    let before = steps.len();
                    // SAFETY: where values are combined the page is unique.
                    unsafe {
                        let values = self.area().values.add(old.start);
                        let at = (old.start, batch.start(k));
                        counts += plan(&self.coords()[old], values, part, change, at, steps);
                    }
                    if steps.len() > before {
                        grown.push((slot, (steps.len() - before) as u16));
                    }
                }
            }
            if !steps.is_empty() {
                let used = self.used();
                let removed = if inserts {
                    self.reserve(used + steps.len());
                    // SAFETY: unique with room for all; positions do not descend, since slots ascend.
                    unsafe { self.area().insert(used, steps, batch.elements()) };
                    Vec::new()
                } else {
                    self.reserve(used);
                    // SAFETY: unique; positions strictly ascend.
                    unsafe { self.area().remove(used, steps) }
                };
                // SAFETY: unique.
                let starts = unsafe { &mut self.header_mut().starts };
                for (slot, n) in grown {
                    let behind = starts[slot + 1..].iter_mut();
                    if inserts { behind.for_each(|start| *start += n) } else { behind.for_each(|start| *start -= n) }
                }
                drop(removed);
            }
        });
        while shrunk != 0 {
            let slot = shrunk.trailing_zeros() as usize;
            shrunk &= shrunk - 1;
            self.demote(slot);
        }
        if !inserts {
            self.shrink();
        }
        counts
    }

    /// Whether some row of the slab may become longer than [`INLINE`].
    fn some_overflow(&self, batch: SortedBatch<'_, C, V>) -> bool {
        let rows = batch.rows().iter().enumerate();
        rows.into_iter().any(|(k, &row)| {
            let slot = row % PAGE_ROWS;
            !self.is_hub(slot) && self.range(slot).len() + batch.row(k).len() > INLINE
        })
    }

    /// Gives memory back when a slab that nobody shares is half empty.
    fn shrink(&mut self) {
        let (used, shape) = (self.used(), self.shape());
        if used * 2 > shape.capacity || !self.is_unique() {
            return;
        }
        let small = Self::shape_for(shape.hubs, used + used / 16);
        if Self::layout(small).size() >= Self::layout(shape).size() {
            return;
        }
        let new = Fresh::allocate(small);
        let (mask, starts) = (self.header().hubs, self.header().starts);
        // SAFETY: as in `reserve`, for a unique page.
        unsafe {
            std::ptr::copy_nonoverlapping(self.hubs_ptr(), new.hubs_ptr(), shape.hubs);
            new.area().move_from(self.area(), used);
            std::mem::replace(self, new.finish(mask, starts)).free_emptied();
        }
    }

    /// The row in the slab.
    ///
    /// # Safety
    ///
    /// `area` is this page's slab, and `start <= end <= used`.
    #[inline(always)]
    unsafe fn inline_row<'a>(area: Area<C, V>, start: usize, end: usize) -> PackedFiber<'a, Block<C, V>> {
        // SAFETY: the caller's promise: that part of the slab is initialised.
        unsafe {
            let coords = std::slice::from_raw_parts(area.coords.add(start), end - start);
            let values = std::slice::from_raw_parts(area.values.add(start), end - start);
            PackedFiber::flat(SliceFiber::new(coords, values))
        }
    }
}

/// A page under construction. If that panics, what is in it is dropped, and its memory freed.
struct Fresh<C: Coord, V: Value> {
    /// Points to memory for a page of the shape. Nothing in it is initialised but what is counted here.
    ptr: NonNull<Header>,
    shape: Shape,
    /// Hubs to be dropped.
    hubs: usize,
    /// Values to be dropped.
    used: usize,
    marker: PhantomData<PackedPage<C, V>>,
}

impl<C: Coord, V: Value> Fresh<C, V> {
    fn allocate(shape: Shape) -> Self {
        let layout = PackedPage::<C, V>::layout(shape);
        // SAFETY: the layout has room for a header at least.
        let Some(ptr) = NonNull::new(unsafe { alloc(layout) }.cast::<Header>()) else { handle_alloc_error(layout) };
        Fresh { ptr, shape, hubs: 0, used: 0, marker: PhantomData }
    }

    #[inline(always)]
    fn hubs_ptr(&self) -> *mut Hub<C, V> {
        // SAFETY: the memory of a page.
        unsafe { PackedPage::<C, V>::hubs_in(self.ptr) }
    }

    #[inline(always)]
    fn area(&self) -> Area<C, V> {
        // SAFETY: the memory of a page of this shape.
        unsafe { PackedPage::<C, V>::area_in(self.ptr, self.shape) }
    }

    /// The finished page, of which nobody else has a pointer.
    ///
    /// # Safety
    ///
    /// As many hubs as the shape says are initialised, one for each bit of `mask`, and so are the elements up to `starts[64]`, of
    /// which there are no more than the shape has room for. `starts` do not descend.
    unsafe fn finish(self, mask: u64, starts: [u16; PAGE_ROWS + 1]) -> PackedPage<C, V> {
        let (ptr, Shape { hubs, capacity }) = (self.ptr, self.shape);
        debug_assert!(mask.count_ones() as usize == hubs && usize::from(starts[PAGE_ROWS]) <= capacity);
        std::mem::forget(self);
        // SAFETY: memory of the layout of a page.
        unsafe { ptr.write(Header { refs: AtomicU32::new(1), capacity: capacity as u32, hubs: mask, starts }) };
        PackedPage { ptr, marker: PhantomData }
    }
}

impl<C: Coord, V: Value> Drop for Fresh<C, V> {
    fn drop(&mut self) {
        // SAFETY: what is counted is initialised, and the memory was allocated for this shape.
        unsafe {
            std::ptr::slice_from_raw_parts_mut(self.hubs_ptr(), self.hubs).drop_in_place();
            self.area().drop_values(self.used);
            dealloc(self.ptr.as_ptr().cast(), PackedPage::<C, V>::layout(self.shape));
        }
    }
}

/// Where at most [`PAGE_ROWS`] rows begin in a slab, and the last one ends, if none of them is a hub. `offsets` do not descend.
fn starts_of_short_rows(offsets: &[usize]) -> Option<[u16; PAGE_ROWS + 1]> {
    let (first, last) = (*offsets.first()?, *offsets.last()?);
    if last - first > SLAB {
        return None;
    }
    let mut starts = [(last - first) as u16; PAGE_ROWS + 1];
    for (start, offset) in starts.iter_mut().zip(offsets) {
        *start = (offset - first) as u16;
    }
    // Signed, since every x86-64 has their maximum as one instruction.
    const { assert!(SLAB <= i16::MAX as usize) };
    let longest = starts.windows(2).fold(0, |longest, row| longest.max(row[1].wrapping_sub(row[0]) as i16));
    (longest as usize <= INLINE).then_some(starts)
}

/// How many of `wanted` occur in `coords`; both ascend.
fn count_present<C: Coord>(coords: &[C], wanted: &[C]) -> usize {
    let stride = coords.len() / wanted.len().max(1) + 1;
    let mut at = 0;
    let present = |&&coord: &&C| {
        at = super::area::seek(coords, at, coord, stride);
        coords.get(at) == Some(&coord)
    };
    wanted.iter().filter(present).count()
}

impl<C: Coord, V: Value> Clone for PackedPage<C, V> {
    #[inline]
    fn clone(&self) -> Self {
        if self.header().refs.fetch_add(1, Ordering::Relaxed) > MAX_REFS {
            std::process::abort();
        }
        PackedPage { ptr: self.ptr, marker: PhantomData }
    }
}

impl<C: Coord, V: Value> Drop for PackedPage<C, V> {
    #[inline]
    fn drop(&mut self) {
        let refs = &self.header().refs;
        if refs.fetch_sub(1, Ordering::Release) != 1 {
            return;
        }
        // This load takes the place of a fence, which thread sanitizer does not support.
        refs.load(Ordering::Acquire);
        // SAFETY: this was the last pointer to the page; hubs and values are initialised as the header says.
        unsafe {
            let shape = self.shape();
            std::ptr::slice_from_raw_parts_mut(self.hubs_ptr(), shape.hubs).drop_in_place();
            self.area().drop_values(self.used());
            dealloc(self.ptr.as_ptr().cast(), Self::layout(shape));
        }
    }
}

impl<C: Coord, V: Value> Page<PackedRow<Block<C, V>>> for PackedPage<C, V> {
    fn build(mut block: RowBlock<'_, C, V>) -> Self {
        let rows = block.num_rows().min(PAGE_ROWS);
        // The loops over 64 rows have no branches, so that they are a few wide instructions: a page of short rows takes little more to copy.
        let offsets = &block.offsets()[..=rows];
        // Most pages have no hub: their rows are copied at once.
        if let Some(starts) = starts_of_short_rows(offsets) {
            let elements = block.take_rows(rows).into_elements();
            let page = Fresh::allocate(Self::shape_for(0, elements.len()));
            let area = page.area();
            // SAFETY: the slab has room for all elements of the rows, which `starts` divide.
            unsafe {
                elements.write_to(area.coords, area.values);
                return page.finish(0, starts);
            }
        }
        let (outside, hubs) = offsets.windows(2).fold((0, 0), |(outside, hubs), row| {
            let (n, is_hub) = (row[1] - row[0], row[1] - row[0] > INLINE);
            (outside + if is_hub { n } else { 0 }, hubs + usize::from(is_hub))
        });
        let mut page = Fresh::allocate(Self::shape_for(hubs, offsets[rows] - offsets[0] - outside));
        let (area, mut mask) = (page.area(), 0);
        let mut starts = [0; PAGE_ROWS + 1];
        let mut slot = 0;
        while slot < rows {
            // The rows up to the next long one lie side by side in the block as they do in the slab.
            let is_hub = |row: &[usize]| row[1] - row[0] > INLINE;
            let next = if page.hubs == hubs { None } else { block.offsets().windows(2).position(is_hub) };
            let stretch = block.take_rows(next.unwrap_or(rows - slot));
            let (begin, offsets) = (page.used, stretch.offsets());
            for (start, offset) in starts[slot + 1..].iter_mut().zip(&offsets[1..]) {
                *start = (begin + offset - offsets[0]) as u16;
            }
            slot += stretch.num_rows();
            let elements = stretch.into_elements();
            page.used += elements.len();
            // SAFETY: rows no longer than `INLINE` fit the slab.
            unsafe {
                let to = area.add(begin);
                elements.write_to(to.coords, to.values);
            }
            let hub = if next.is_some() { block.pop_row() } else { None };
            if let Some((_, row)) = hub {
                // SAFETY: the handles of long rows fit before the slab.
                unsafe { page.hubs_ptr().add(page.hubs).write(PackedRow::build_row(row)) };
                page.hubs += 1;
                mask |= 1 << slot;
                starts[slot + 1] = page.used as u16;
                slot += 1;
            }
        }
        starts[rows + 1..].fill(page.used as u16);
        // SAFETY: all rows that were counted for its shape are there.
        unsafe { page.finish(mask, starts) }
    }

    #[inline(always)]
    fn row(&self, slot: usize) -> PackedFiber<'_, Block<C, V>> {
        if self.is_hub(slot) {
            return self.hubs()[self.hub_index(slot)].fiber();
        }
        let range = self.range(slot);
        // SAFETY: starts do not descend and end at `used`.
        unsafe { Self::inline_row(self.area(), range.start, range.end) }
    }

    #[inline(always)]
    fn rows<'a>(&'a self) -> impl Iterator<Item = PackedFiber<'a, Block<C, V>>>
    where
        PackedRow<Block<C, V>>: 'a,
    {
        let (header, area) = (self.header(), self.area());
        let mut hubs = self.hubs().iter();
        if let Some(hub) = hubs.as_slice().first() {
            hub.prefetch();
        }
        let (mut mask, mut start) = (header.hubs, 0);
        header.starts[1..].iter().map(move |&end| {
            let (from, to, is_hub) = (start, usize::from(end), mask & 1 != 0);
            mask >>= 1;
            start = to;
            if !is_hub {
                // SAFETY: starts do not descend and end at `used`.
                return unsafe { Self::inline_row(area, from, to) };
            }
            hubs.next().map_or_else(|| PackedFiber::flat(SliceFiber::new(&[], &[])), PackedRow::fiber)
        })
    }

    #[inline]
    fn side_by_side(&self) -> Option<SideBySide<'_, C, V>> {
        let (header, area, used) = (self.header(), self.area(), self.used());
        // SAFETY: the first `used` elements of the slab are initialised.
        let (coords, values) =
            unsafe { (std::slice::from_raw_parts(area.coords, used), std::slice::from_raw_parts(area.values, used)) };
        Some(SideBySide { ends: &header.starts[1..], elsewhere: header.hubs, coords, values })
    }

    #[inline(always)]
    fn filled(&self) -> u64 {
        let header = self.header();
        header
            .starts
            .windows(2)
            .enumerate()
            .fold(header.hubs, |filled, (slot, starts)| filled | u64::from(starts[0] != starts[1]) << slot)
    }

    #[inline(always)]
    fn prefetch(&self) {
        crate::prefetch::read::<4>(self.ptr.as_ptr().cast());
    }

    #[inline(always)]
    fn prefetch_count(&self) {
        crate::prefetch::read::<1>(self.ptr.as_ptr().cast());
    }

    #[inline(always)]
    fn ahead(&self) -> Ahead {
        let (area, used) = (self.area(), self.used());
        let end: *const u8 = match size_of::<V>() {
            0 => area.coords.wrapping_add(used).cast_const().cast(),
            _ => area.values.wrapping_add(used).cast_const().cast(),
        };
        Ahead::new(area.coords.cast_const().cast(), end)
    }

    #[inline(always)]
    fn prefetch_row(&self, slot: usize) {
        if self.is_hub(slot) {
            self.hubs()[self.hub_index(slot)].prefetch();
        } else {
            let (area, range) = (self.area(), self.range(slot));
            let coords = area.coords.wrapping_add(range.start).cast_const().cast();
            crate::prefetch::extent(coords, range.len() * size_of::<C>());
            let values = area.values.wrapping_add(range.start).cast_const().cast();
            crate::prefetch::extent(values, range.len() * size_of::<V>());
        }
    }

    #[inline(always)]
    fn prefetch_change(&self, slot: usize, coords: &[C], step: usize) -> bool {
        let shared = self.is_shared();
        if step == 0 && shared {
            self.prefetch_copy();
        }
        if self.is_hub(slot) {
            let hub = &self.hubs()[self.hub_index(slot)];
            let mut more = false;
            for &coord in coords.iter().take(PREFETCHED) {
                more |= hub.prefetch_change(coord, step, shared);
            }
            return more;
        }
        if !shared {
            // The elements behind the row move, too.
            let from = self.area().coords.wrapping_add(self.range(slot).start);
            crate::prefetch::read::<8>(from.cast_const().cast());
            if size_of::<V>() > 0 {
                let from = self.area().values.wrapping_add(self.range(slot).start);
                crate::prefetch::read::<4>(from.cast_const().cast());
            }
        }
        false
    }

    fn nnz(&self) -> usize {
        self.used() + self.hubs().iter().map(PackedRow::len).sum::<usize>()
    }

    fn update(&mut self, batch: SortedBatch<'_, C, V>, change: Change<'_, V>) -> Counts {
        self.apply(batch, change)
    }

    fn is(&self, other: &Self) -> bool {
        self.ptr == other.ptr
    }

    fn differing(&self, older: &Self, same: SameValues<'_, V>) -> u64 {
        let differs = |&slot: &usize| match (self.is_hub(slot), older.is_hub(slot)) {
            (true, true) => !self.hubs()[self.hub_index(slot)].is(&older.hubs()[older.hub_index(slot)]),
            (false, false) => {
                let (new, old) = (self.range(slot), older.range(slot));
                self.coords()[new.clone()] != older.coords()[old.clone()]
                    || size_of::<V>() > 0 && !same(&self.values()[new], &older.values()[old])
            }
            _ => true,
        };
        (0..PAGE_ROWS).filter(differs).fold(0, |slots, slot| slots | 1 << slot)
    }

    fn audit_with(&self, value: &mut dyn FnMut(&V) -> Result<(), AuditError>) -> Result<(), AuditError> {
        let wrong = |message: String| Err(AuditError::new("page", message));
        let (header, used) = (self.header(), self.used());
        if !header.starts.is_sorted() || header.starts[0] != 0 {
            return wrong(format!("the starts {:?} do not ascend from 0", header.starts));
        }
        if used > header.capacity as usize || used > SLAB {
            return wrong(format!("{used} elements in a slab for {} (at most {SLAB})", header.capacity));
        }
        for slot in 0..PAGE_ROWS {
            let at = |error: AuditError| error.within(&format!("page[{slot}]"));
            let inside = self.range(slot);
            if self.is_hub(slot) {
                let hub = &self.hubs()[self.hub_index(slot)];
                hub.audit_with(value).map_err(at)?;
                if !inside.is_empty() {
                    return wrong(format!("row {slot} lies inside and outside"));
                }
                continue;
            }
            if inside.len() > INLINE {
                return wrong(format!("row {slot} has {} elements, but lies inside", inside.len()));
            }
            audit_run(&self.coords()[inside.clone()]).map_err(at)?;
            self.row(slot).try_fold_values(value).map_err(at)?;
        }
        Ok(())
    }

    fn footprint_with(&self, value: &mut dyn FnMut(&V) -> Footprint) -> Footprint {
        let shape = self.shape();
        let gaps = shape.capacity - self.used();
        let mut sum = Footprint { bytes: size_of::<Self>() + Self::layout(shape).size(), nodes: 1, gaps };
        self.hubs().iter().for_each(|hub| sum += hub.footprint_with(value));
        if size_of::<V>() > 0 {
            // SAFETY: `used` values are initialised.
            let values = unsafe { std::slice::from_raw_parts(self.area().values, self.used()) };
            values.iter().for_each(|v| sum += value(v));
        }
        sum
    }
}

impl<C: Coord, V: Value> PackedFiber<'_, Block<C, V>> {
    /// Checks all values.
    fn try_fold_values(self, value: &mut dyn FnMut(&V) -> Result<(), AuditError>) -> Result<(), AuditError> {
        self.fold_runs(Ok(()), |sound, run| sound.and_then(|()| run.values().iter().try_for_each(&mut *value)))
    }
}
