//! A page of difference-coded rows: the short ones packed into one slab of bytes, the long ones outside.
//!
//! ```text
//!   CodedPage ──▶ [hubs | starts 0..=64 | byte starts 0..=64 | hub, hub …]
//!                    ├─▶ bytes   row after row, each coded by itself
//!                    └─▶ values  row k's in starts[k]..starts[k + 1]
//! ```
//!
//! A row is coded without regard to the others, so that an update decodes and codes only the rows it touches; all others are
//! copied as they are.

use std::sync::Arc;

use super::coded::{CodedBlock, append_coded, audit_coded};
use super::page::RETURN;
use super::row::{PackedFiber, PackedRow};
use crate::coded::CodedView;
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

    /// The row inside the slab. The view reaches to the slab's end, which makes decoding faster.
    #[inline(always)]
    fn view(&self, slot: usize) -> CodedView<'_, C, V> {
        let values = usize::from(self.starts[slot])..usize::from(self.starts[slot + 1]);
        CodedView::new(&self.bytes[usize::from(self.bytes_at[slot])..], &self.values[values], None)
    }

    /// The bytes of the row inside the slab.
    fn bytes_of(&self, slot: usize) -> &[u8] {
        &self.bytes[usize::from(self.bytes_at[slot])..usize::from(self.bytes_at[slot + 1])]
    }

    #[inline(always)]
    fn row(&self, slot: usize) -> PackedFiber<'_, CodedBlock<C, V>> {
        if self.is_hub(slot) { self.hubs[self.hub_index(slot)].fiber() } else { PackedFiber::flat(self.view(slot)) }
    }
}

/// A row of the page that is to be made.
enum Row<'a, C: Coord, V: Value> {
    /// A row of the old slab, as it is.
    Kept(&'a Slab<C, V>, usize),
    /// A row to be coded.
    New(Vec<C>, Vec<V>),
    /// A row that lies outside.
    Hub(Hub<C, V>),
}

impl<C: Coord, V: Value> Row<'_, C, V> {
    /// Elements inside the slab.
    fn inside(&self) -> usize {
        match self {
            Row::Kept(slab, slot) => slab.view(*slot).len(),
            Row::New(coords, _) => coords.len(),
            Row::Hub(_) => 0,
        }
    }

    /// Moves the row out of the slab.
    fn promote(&mut self) {
        let hub = match self {
            Row::Kept(slab, slot) => {
                let (coords, mut values) = decoded(slab.row(*slot));
                Hub::build_row(Elements::drain(&coords, &mut values))
            }
            Row::New(coords, values) => Hub::build_row(Elements::drain(coords, values)),
            Row::Hub(_) => return,
        };
        *self = Row::Hub(hub);
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
    fn pack(mut rows: Vec<Row<'_, C, V>>) -> Self {
        for row in &mut rows {
            if row.inside() > INLINE {
                row.promote();
            }
        }
        while rows.iter().map(Row::inside).sum::<usize>() > SLAB {
            rows.iter_mut().max_by_key(|row| row.inside()).expect("rows that overflow").promote();
        }
        let mut slab = Slab {
            mask: 0,
            starts: [0; PAGE_ROWS + 1],
            bytes_at: [0; PAGE_ROWS + 1],
            hubs: Box::default(),
            bytes: Box::default(),
            values: Box::default(),
        };
        let (mut hubs, mut bytes) = (Vec::new(), Vec::new());
        let mut all: Vec<V> = Vec::with_capacity(rows.iter().map(Row::inside).sum());
        let mut rows = rows.into_iter();
        for slot in 0..PAGE_ROWS {
            match rows.next() {
                None => {}
                Some(Row::Kept(old, slot)) => {
                    bytes.extend_from_slice(old.bytes_of(slot));
                    all.extend_from_slice(
                        &old.values[usize::from(old.starts[slot])..usize::from(old.starts[slot + 1])],
                    );
                }
                Some(Row::New(coords, mut values)) => {
                    append_coded(&coords, &mut bytes);
                    all.append(&mut values);
                }
                Some(Row::Hub(hub)) => {
                    slab.mask |= 1 << slot;
                    hubs.push(hub);
                }
            }
            // At most SLAB elements of at most nine bytes.
            slab.starts[slot + 1] = all.len() as u16;
            slab.bytes_at[slot + 1] = bytes.len() as u16;
        }
        (slab.hubs, slab.bytes, slab.values) = (hubs.into(), bytes.into(), all.into());
        CodedPage(Arc::new(slab))
    }
}

impl<C: Coord, V: Value> Page<PackedRow<CodedBlock<C, V>>> for CodedPage<C, V> {
    fn build(mut block: RowBlock<'_, C, V>) -> Self {
        let mut rows = Vec::with_capacity(PAGE_ROWS);
        while rows.len() < PAGE_ROWS
            && let Some((_, row)) = block.pop_row()
        {
            rows.push(if row.len() > INLINE {
                Row::Hub(Hub::build_row(row))
            } else {
                let coords = row.coords().to_vec();
                Row::New(coords, row.map(|(_, value)| value).collect())
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

    /// Rows outside are updated where they lie, those inside are merged, and the slab is put together anew if any of them changed.
    fn update(&mut self, batch: SortedBatch<'_, C, V>, change: Change<'_, V>) -> Counts {
        let mut counts = Counts::default();
        let (mut shrunk, mut inside) = (false, Vec::new());
        for (k, &row) in batch.rows().iter().enumerate() {
            let slot = row % PAGE_ROWS;
            if !self.0.is_hub(slot) {
                inside.push((slot, batch.row(k)));
                continue;
            }
            let index = self.0.hub_index(slot);
            let hub = &mut Arc::make_mut(&mut self.0).hubs[index];
            counts += hub.update(batch.row(k), change);
            shrunk |= hub.len() <= RETURN;
        }
        let old = &*self.0;
        let mut changed: Vec<(usize, Row<'_, C, V>)> = Vec::new();
        for (slot, part) in inside {
            let (row, part) = merged(old.view(slot), part, change);
            counts += part;
            if part.new + part.changed + part.removed > 0 {
                changed.push((slot, row));
            }
        }
        if changed.is_empty() && !shrunk {
            return counts;
        }
        let mut changed = changed.into_iter().peekable();
        let rows = (0..PAGE_ROWS).map(|slot| match changed.next_if(|&(at, _)| at == slot) {
            Some((_, row)) => row,
            None if !old.is_hub(slot) => Row::Kept(old, slot),
            None => {
                let hub = &old.hubs[old.hub_index(slot)];
                if hub.len() > RETURN {
                    return Row::Hub(hub.clone());
                }
                let (coords, values) = decoded(hub.fiber());
                Row::New(coords, values)
            }
        });
        let new = Self::pack(rows.collect());
        *self = new;
        counts
    }

    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn differing(&self, older: &Self, same: SameValues<'_, V>) -> u64 {
        let (newer, older) = (&*self.0, &*older.0);
        let values =
            |slab: &'_ Slab<C, V>, slot: usize| usize::from(slab.starts[slot])..usize::from(slab.starts[slot + 1]);
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
            let values = &slab.values[usize::from(slab.starts[slot])..usize::from(slab.starts[slot + 1])];
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
) -> (Row<'a, C, V>, Counts) {
    let mut merge = Merge::new(part, change, old.len());
    old.fold_runs((), |(), run| merge.run(run.coords(), |k| &run.values()[k]));
    let merged = merge.finish();
    (Row::New(merged.coords, merged.values), merged.counts)
}
