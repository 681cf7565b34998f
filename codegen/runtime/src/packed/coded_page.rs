//! A page of difference-coded rows: the short ones packed into one slab of bytes, the long ones outside.
//!
//! ```text
//!   CodedPage ──▶ [hubs | starts 0..=64 | byte starts 0..=64 | hub, hub …]
//!                    ├─▶ bytes   row after row, each coded by itself
//!                    └─▶ values  row k's in starts[k]..starts[k + 1]
//! ```
//!
//! A row is coded without regard to the others, so that an update decodes and codes only the rows it touches. The rows between two of these
//! are copied as they are, all at once.

use std::ops::Range;
use std::sync::Arc;

use super::coded::{CodedBlock, append_coded, audit_coded};
use super::page::RETURN;
use super::row::{PackedFiber, PackedRow};
use crate::coded::{CodedView, coded_len};
use crate::update::Merge;
use crate::{
    Ahead, AuditError, Change, Coord, Counts, Elements, Fiber, Footprint, PAGE_ROWS, Page, RowBatch, RowBlock,
    SameValues, SortedBatch, Store, Value,
};

/// Longest row inside the slab. A longer one takes a chunk of its own, whose header weighs more beside coded arcs than beside plain ones.
const INLINE: usize = 256;

/// Elements in a slab at most.
const SLAB: usize = 4096;

/// A row that lies outside.
type Hub<C, V> = PackedRow<CodedBlock<C, V>>;

/// A reference-counted page of [`PAGE_ROWS`] difference-coded rows.
pub struct CodedPage<C: Coord, V: Value>(Arc<Slab<C, V>>);

#[derive(Clone)]
struct Slab<C: Coord, V: Value> {
    /// Bit `k`: row `k` lies outside.
    mask: u64,
    /// Row `k` of the slab has the values `starts[k]..starts[k + 1]`; none if it lies outside.
    starts: [u16; PAGE_ROWS + 1],
    /// … and begins at byte `bytes_at[k]`.
    bytes_at: [u16; PAGE_ROWS + 1],
    /// Rows outside, by ascending slot.
    hubs: Box<[Hub<C, V>]>,
    bytes: Box<[u8]>,
    values: Box<[V]>,
}

impl<C: Coord, V: Value> Clone for CodedPage<C, V> {
    #[inline]
    fn clone(&self) -> Self {
        CodedPage(self.0.clone())
    }
}

impl<C: Coord, V: Value> Slab<C, V> {
    #[inline(always)]
    fn is_hub(&self, slot: usize) -> bool {
        self.mask >> slot & 1 != 0
    }

    /// Hubs before `slot`.
    #[inline(always)]
    fn hub_index(&self, slot: usize) -> usize {
        (self.mask & ((1 << slot) - 1)).count_ones() as usize
    }

    /// Those of some consecutive rows that lie outside.
    fn hubs_of(&self, slots: Range<usize>) -> &[Hub<C, V>] {
        let end = if slots.end == PAGE_ROWS { self.hubs.len() } else { self.hub_index(slots.end) };
        &self.hubs[self.hub_index(slots.start)..end]
    }

    /// The row inside the slab. The view reaches to the slab's end, which makes decoding faster.
    #[inline(always)]
    fn view(&self, slot: usize) -> CodedView<'_, C, V> {
        let values = span(&self.starts, slot..slot + 1);
        CodedView::new(&self.bytes[usize::from(self.bytes_at[slot])..], &self.values[values], None)
    }

    /// The bytes of the row inside the slab.
    fn bytes_of(&self, slot: usize) -> &[u8] {
        &self.bytes[span(&self.bytes_at, slot..slot + 1)]
    }

    #[inline(always)]
    fn row(&self, slot: usize) -> PackedFiber<'_, CodedBlock<C, V>> {
        if self.is_hub(slot) { self.hubs[self.hub_index(slot)].fiber() } else { PackedFiber::flat(self.view(slot)) }
    }
}

/// Where consecutive rows lie, by where each of them begins.
#[inline(always)]
fn span(starts: &[u16; PAGE_ROWS + 1], slots: Range<usize>) -> Range<usize> {
    usize::from(starts[slots.start])..usize::from(starts[slots.end])
}

/// Rows of the page that is to be made, behind those of the part before.
enum Part<'a, C: Coord, V: Value> {
    /// Rows of the old page, in the same slots, as they are.
    Kept(&'a Slab<C, V>, Range<usize>),
    /// A row to be coded.
    New(Vec<C>, Vec<V>),
    /// A row that lies outside.
    Hub(Hub<C, V>),
}

impl<C: Coord, V: Value> Part<'_, C, V> {
    /// Elements inside the slab.
    fn inside(&self) -> usize {
        match self {
            Part::Kept(slab, slots) => span(&slab.starts, slots.clone()).len(),
            Part::New(coords, _) => coords.len(),
            Part::Hub(_) => 0,
        }
    }

    /// Bytes inside the slab.
    fn bytes(&self) -> usize {
        match self {
            Part::Kept(slab, slots) => span(&slab.bytes_at, slots.clone()).len(),
            Part::New(coords, _) => coded_len(coords, None),
            Part::Hub(_) => 0,
        }
    }

    /// The rows one by one.
    fn rows(self) -> Vec<Self> {
        match self {
            Part::Kept(slab, slots) => slots.map(|slot| Part::Kept(slab, slot..slot + 1)).collect(),
            row => vec![row],
        }
    }

    /// A row that lies outside back in the slab, if it is short.
    fn demoted(self) -> Self {
        match self {
            Part::Hub(hub) if hub.len() <= RETURN => {
                let (coords, values) = decoded(hub.fiber());
                Part::New(coords, values)
            }
            row => row,
        }
    }

    /// Moves a row out of the slab.
    fn promote(&mut self) {
        let hub = match self {
            Part::Kept(slab, slots) => {
                let (coords, mut values) = decoded(slab.row(slots.start));
                Hub::build_row(Elements::drain(&coords, &mut values))
            }
            Part::New(coords, values) => Hub::build_row(Elements::drain(coords, values)),
            Part::Hub(_) => return,
        };
        *self = Part::Hub(hub);
    }
}

/// The elements of a row.
fn decoded<C: Coord, V: Value>(row: PackedFiber<'_, CodedBlock<C, V>>) -> (Vec<C>, Vec<V>) {
    row.fold_runs((Vec::new(), Vec::new()), |(mut coords, mut values), run| {
        coords.extend_from_slice(run.coords());
        values.extend_from_slice(run.values());
        (coords, values)
    })
}

impl<C: Coord, V: Value> CodedPage<C, V> {
    /// The page of these rows, of which the longest go outside where the slab would overflow.
    fn pack(mut parts: Vec<Part<'_, C, V>>) -> Self {
        for part in &mut parts {
            if matches!(part, Part::New(coords, _) if coords.len() > INLINE) {
                part.promote();
            }
        }
        if parts.iter().map(Part::inside).sum::<usize>() > SLAB {
            parts = parts.into_iter().flat_map(Part::rows).collect();
            while parts.iter().map(Part::inside).sum::<usize>() > SLAB {
                parts.iter_mut().max_by_key(|row| row.inside()).expect("rows that overflow").promote();
            }
        }
        let mut bytes = Vec::with_capacity(parts.iter().map(Part::bytes).sum());
        let mut values: Vec<V> = Vec::with_capacity(parts.iter().map(Part::inside).sum());
        let (mut hubs, mut mask) = (Vec::new(), 0);
        let (mut starts, mut bytes_at) = ([0; PAGE_ROWS + 1], [0; PAGE_ROWS + 1]);
        let mut slot = 0;
        for part in parts {
            // At most SLAB elements of at most nine bytes.
            let (start, byte) = (values.len() as u16, bytes.len() as u16);
            let first = slot;
            slot += 1;
            match part {
                Part::Kept(old, slots) => {
                    debug_assert_eq!(slots.start, first);
                    slot = slots.end;
                    mask |= old.mask & u64::MAX << first & u64::MAX >> (PAGE_ROWS - slot);
                    hubs.extend_from_slice(old.hubs_of(slots.clone()));
                    bytes.extend_from_slice(&old.bytes[span(&old.bytes_at, slots.clone())]);
                    values.extend_from_slice(&old.values[span(&old.starts, slots)]);
                    for end in first + 1..=slot {
                        starts[end] = start + (old.starts[end] - old.starts[first]);
                        bytes_at[end] = byte + (old.bytes_at[end] - old.bytes_at[first]);
                    }
                    continue;
                }
                Part::New(coords, mut row) => {
                    append_coded(&coords, &mut bytes);
                    values.append(&mut row);
                }
                Part::Hub(hub) => {
                    mask |= 1 << first;
                    hubs.push(hub);
                }
            }
            (starts[slot], bytes_at[slot]) = (values.len() as u16, bytes.len() as u16);
        }
        starts[slot..].fill(values.len() as u16);
        bytes_at[slot..].fill(bytes.len() as u16);
        let (hubs, bytes, values) = (hubs.into(), bytes.into(), values.into());
        CodedPage(Arc::new(Slab { mask, starts, bytes_at, hubs, bytes, values }))
    }
}

impl<C: Coord, V: Value> Page<PackedRow<CodedBlock<C, V>>> for CodedPage<C, V> {
    fn build(mut block: RowBlock<'_, C, V>) -> Self {
        let mut rows = Vec::with_capacity(PAGE_ROWS);
        while rows.len() < PAGE_ROWS
            && let Some((_, row)) = block.pop_row()
        {
            rows.push(if row.len() > INLINE {
                Part::Hub(Hub::build_row(row))
            } else {
                let coords = row.coords().to_vec();
                Part::New(coords, row.map(|(_, value)| value).collect())
            });
        }
        Self::pack(rows)
    }

    #[inline(always)]
    fn row(&self, slot: usize) -> PackedFiber<'_, CodedBlock<C, V>> {
        self.0.row(slot)
    }

    #[inline(always)]
    fn rows<'a>(&'a self) -> impl Iterator<Item = PackedFiber<'a, CodedBlock<C, V>>>
    where
        PackedRow<CodedBlock<C, V>>: 'a,
    {
        (0..PAGE_ROWS).map(|slot| self.0.row(slot))
    }

    #[inline(always)]
    fn prefetch(&self) {
        crate::prefetch::read::<4>(Arc::as_ptr(&self.0).cast());
    }

    #[inline(always)]
    fn ahead(&self) -> Ahead {
        let bytes = self.0.bytes.as_ptr_range();
        Ahead::new(bytes.start, bytes.end)
    }

    fn nnz(&self) -> usize {
        self.0.values.len() + self.0.hubs.iter().map(PackedRow::len).sum::<usize>()
    }

    /// Rows outside are updated where they lie, if nobody shares the page. Others are merged, and the slab is put together anew if any of them
    /// changed.
    fn update(&mut self, batch: SortedBatch<'_, C, V>, change: Change<'_, V>) -> Counts {
        let (mut counts, mut shrunk) = (Counts::default(), 0u64);
        let parts = || batch.rows().iter().enumerate().map(|(k, &row)| (row % PAGE_ROWS, batch.row(k)));
        let unique = Arc::get_mut(&mut self.0);
        let is_unique = unique.is_some();
        if let Some(slab) = unique {
            for (slot, part) in parts().filter(|&(slot, _)| slab.mask >> slot & 1 != 0) {
                let index = slab.hub_index(slot);
                counts += slab.hubs[index].update(part, change);
                shrunk |= u64::from(slab.hubs[index].len() <= RETURN) << slot;
            }
        }
        let old = &*self.0;
        let mut new = Vec::new();
        let mut from = 0;
        for (slot, part) in parts() {
            let is_shrunk = shrunk >> slot & 1 != 0;
            let (row, of_row) = if !old.is_hub(slot) {
                merged(old.view(slot), part, change)
            } else if is_unique && !is_shrunk {
                continue;
            } else {
                let mut hub = old.hubs[old.hub_index(slot)].clone();
                let of_row = if is_unique { Counts::default() } else { hub.update(part, change) };
                (Part::Hub(hub), of_row)
            };
            counts += of_row;
            if of_row.new + of_row.changed + of_row.removed == 0 && !is_shrunk {
                continue;
            }
            if from < slot {
                new.push(Part::Kept(old, from..slot));
            }
            new.push(row.demoted());
            from = slot + 1;
        }
        if new.is_empty() {
            return counts;
        }
        if from < PAGE_ROWS {
            new.push(Part::Kept(old, from..PAGE_ROWS));
        }
        *self = Self::pack(new);
        counts
    }

    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn differing(&self, older: &Self, same: SameValues<'_, V>) -> u64 {
        let (newer, older) = (&*self.0, &*older.0);
        let values = |slab: &Slab<C, V>, slot: usize| span(&slab.starts, slot..slot + 1);
        let differs = |&slot: &usize| match (newer.is_hub(slot), older.is_hub(slot)) {
            (true, true) => !newer.hubs[newer.hub_index(slot)].is(&older.hubs[older.hub_index(slot)]),
            // Each row is coded by itself. Its bytes say how many elements it has only to within a byte: rows of unlike lengths may have
            // the same ones.
            (false, false) => {
                let (new, old) = (values(newer, slot), values(older, slot));
                new.len() != old.len()
                    || newer.bytes_of(slot) != older.bytes_of(slot)
                    || !same(&newer.values[new], &older.values[old])
            }
            _ => true,
        };
        (0..PAGE_ROWS).filter(differs).fold(0, |slots, slot| slots | 1 << slot)
    }

    fn audit_with(&self, value: &mut dyn FnMut(&V) -> Result<(), AuditError>) -> Result<(), AuditError> {
        let wrong = |message: String| Err(AuditError::new("page", message));
        let slab = &*self.0;
        let ends = (usize::from(slab.starts[PAGE_ROWS]), usize::from(slab.bytes_at[PAGE_ROWS]));
        if !slab.starts.is_sorted() || !slab.bytes_at.is_sorted() || ends != (slab.values.len(), slab.bytes.len()) {
            return wrong("the starts of rows do not ascend to the end of the slab".into());
        }
        if slab.values.len() > SLAB || slab.hubs.len() != slab.mask.count_ones() as usize {
            return wrong(format!("{} elements in a slab (at most {SLAB})", slab.values.len()));
        }
        for slot in 0..PAGE_ROWS {
            let at = |error: AuditError| error.within(&format!("page[{slot}]"));
            let inside = slab.view(slot).len();
            if slab.is_hub(slot) {
                slab.hubs[slab.hub_index(slot)].audit_with(value).map_err(at)?;
                if inside > 0 {
                    return wrong(format!("row {slot} lies inside and outside"));
                }
                continue;
            }
            if inside > INLINE {
                return wrong(format!("row {slot} has {inside} elements, but lies inside"));
            }
            let values = &slab.values[span(&slab.starts, slot..slot + 1)];
            audit_coded(CodedView::<C, V>::new(slab.bytes_of(slot), values, None).coords()).map_err(at)?;
            values.iter().try_for_each(&mut *value).map_err(at)?;
        }
        Ok(())
    }

    fn footprint_with(&self, value: &mut dyn FnMut(&V) -> Footprint) -> Footprint {
        /// The two counts before what an `Arc` points to.
        const COUNTS: usize = 2 * size_of::<usize>();
        let slab = &*self.0;
        let arrays = size_of_val(&*slab.hubs) + slab.bytes.len() + size_of_val(&*slab.values);
        let bytes = size_of::<Self>() + COUNTS + size_of::<Slab<C, V>>() + arrays;
        let mut sum = Footprint { bytes, nodes: 1, gaps: 0 };
        slab.hubs.iter().for_each(|hub| sum += hub.footprint_with(value));
        if size_of::<V>() > 0 {
            slab.values.iter().for_each(|v| sum += value(v));
        }
        sum
    }
}

/// A row inside merged with its part of a batch.
fn merged<'a, C: Coord, V: Value>(
    old: CodedView<'_, C, V>,
    part: RowBatch<'_, C, V>,
    change: Change<'_, V>,
) -> (Part<'a, C, V>, Counts) {
    let mut merge = Merge::new(part, change, old.len());
    old.fold_runs((), |(), run| merge.run(run.coords(), |k| &run.values()[k]));
    let merged = merge.finish();
    (Part::New(merged.coords, merged.values), merged.counts)
}
