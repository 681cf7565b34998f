//! Updates as additions: a sorted batch of nonzeros is merged into rows, or taken out of them.
//!
//! ```text
//!   SortedBatch   rows 3, 7, 9 …  each with its sorted coordinates and values
//!     │ UpdateOuter::apply        finds the pages of touched rows, copies those that are shared, in parallel when it pays
//!   RowBatch      one row's part
//!     │ Store::update             in place where the store knows how, else the row is built anew from a merge
//!   Counts        how many were new, changed, unchanged, removed, absent
//! ```
//!
//! The same call changes a node in place if it is not shared, and copies it if it is. The cost of a batch grows with the batch, not with
//! the matrix.

use std::ops::AddAssign;

use smallvec::SmallVec;

use crate::{Coord, Elements, Fiber, Outer, PAGE_ROWS, Page, RowBlock, Store, Value, join, sort_by_coord};

/// How a value that is there already is combined with the one in the batch; says whether it changed.
pub type Combine<'a, V> = &'a (dyn Fn(&mut V, &V) -> bool + Sync);

/// What a batch does to the nonzeros it names.
pub enum Change<'a, V> {
    /// Inserts those that are absent and combines those that are present.
    Insert(Combine<'a, V>),
    /// Combines those that are present; absent ones are counted only.
    Update(Combine<'a, V>),
    /// Deletes those that are present; absent ones are counted only. Values of the batch are ignored.
    Delete,
}

impl<V> Clone for Change<'_, V> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Change<'_, V> {}

/// The combiner that replaces the old value with the new one. Returns whether they differ; two values that are not a number (`NaN`) do not.
#[allow(clippy::eq_op, reason = "only what is not a number differs from itself")]
pub fn replace<V: Clone + PartialEq>(old: &mut V, new: &V) -> bool {
    let changed = old != new && (old == old || new == new);
    if changed {
        old.clone_from(new);
    }
    changed
}

/// How many elements of a batch had which effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Inserted.
    pub new: usize,
    /// Present before, and given another value.
    pub changed: usize,
    /// Present before, with the value that they keep. In a pattern, all that were present.
    pub unchanged: usize,
    /// Deleted.
    pub removed: usize,
    /// To be updated or deleted, but not present.
    pub absent: usize,
}

impl Counts {
    /// Elements accounted for: the length of the batch.
    pub fn total(&self) -> usize {
        self.new + self.changed + self.unchanged + self.removed + self.absent
    }
}

impl AddAssign for Counts {
    #[inline]
    fn add_assign(&mut self, other: Counts) {
        self.new += other.new;
        self.changed += other.changed;
        self.unchanged += other.unchanged;
        self.removed += other.removed;
        self.absent += other.absent;
    }
}

/// One row's part of a batch: strictly ascending coordinates and as many values. A batch that deletes has no values.
pub struct RowBatch<'a, C, V> {
    /// The coordinates, strictly ascending.
    pub coords: &'a [C],
    /// Their values, or none at all.
    pub values: &'a [V],
}

impl<C, V> Clone for RowBatch<'_, C, V> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<C, V> Copy for RowBatch<'_, C, V> {}

impl<'a, C: Coord, V> RowBatch<'a, C, V> {
    /// Number of elements.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.coords.len()
    }

    /// Whether there is no element.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.coords.is_empty()
    }

    /// The first `n` elements and the rest.
    ///
    /// # Panics
    ///
    /// If there are fewer.
    #[inline]
    pub fn split_at(self, n: usize) -> (Self, Self) {
        let (left, right) = self.coords.split_at(n);
        let (left_values, right_values) = self.values.split_at(n.min(self.values.len()));
        (RowBatch { coords: left, values: left_values }, RowBatch { coords: right, values: right_values })
    }
}

/// A batch of nonzeros, sorted by row and inside each row by coordinate, each position once.
pub struct SortedBatch<'a, C, V> {
    rows: &'a [usize],
    offsets: &'a [usize],
    coords: &'a [C],
    values: &'a [V],
}

impl<C, V> Clone for SortedBatch<'_, C, V> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<C, V> Copy for SortedBatch<'_, C, V> {}

impl<'a, C: Coord, V> SortedBatch<'a, C, V> {
    /// A batch that touches `rows`, strictly ascending; row `k` has the elements `offsets[k] .. offsets[k + 1]` of `coords` (there
    /// strictly ascending, none the gap mark) and `values`. A batch that deletes may leave `values` empty.
    ///
    /// The order is checked in debug builds only: a batch in another order makes wrong rows, but causes no undefined behaviour.
    ///
    /// # Panics
    ///
    /// If there is not one more offset than rows, or an offset leads outside the coordinates, or there are values, but not one for
    /// each coordinate.
    pub fn new(rows: &'a [usize], offsets: &'a [usize], coords: &'a [C], values: &'a [V]) -> Self {
        assert_eq!(offsets.len(), rows.len() + 1, "one more offset than rows");
        assert!(values.is_empty() || values.len() == coords.len(), "one value per coordinate, or none at all");
        assert!(offsets[rows.len()] <= coords.len(), "offsets lead into the coordinates");
        debug_assert!(rows.is_sorted_by(|a, b| a < b), "rows ascend");
        debug_assert!(offsets.is_sorted(), "offsets do not descend");
        debug_assert!(offsets.windows(2).all(|w| coords[w[0]..w[1]].is_sorted_by(|a, b| a < b)), "coordinates ascend");
        SortedBatch { rows, offsets, coords, values }
    }

    /// Number of elements.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.offsets[self.rows.len()] - self.offsets[0]
    }

    /// Whether there is no element.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The touched rows, ascending.
    #[inline(always)]
    pub fn rows(self) -> &'a [usize] {
        self.rows
    }

    /// The part of the `k`-th touched row.
    ///
    /// # Panics
    ///
    /// If fewer rows are touched.
    #[inline(always)]
    pub fn row(self, k: usize) -> RowBatch<'a, C, V> {
        let range = self.offsets[k]..self.offsets[k + 1];
        let values = if self.values.is_empty() { &[] } else { &self.values[range.clone()] };
        RowBatch { coords: &self.coords[range], values }
    }

    /// All elements of the batch as if they were one row's (they ascend only inside each row).
    #[inline(always)]
    pub(crate) fn elements(self) -> RowBatch<'a, C, V> {
        let range = self.offsets[0]..self.offsets[self.rows.len()];
        let values = if self.values.is_empty() { &[] } else { &self.values[range.clone()] };
        RowBatch { coords: &self.coords[range], values }
    }

    /// Where the `k`-th touched row begins in [`elements`](Self::elements).
    #[inline(always)]
    pub(crate) fn start(self, k: usize) -> usize {
        self.offsets[k] - self.offsets[0]
    }

    /// The first `n` touched rows and the rest.
    ///
    /// # Panics
    ///
    /// If fewer rows are touched.
    #[inline]
    pub fn split_at(self, n: usize) -> (Self, Self) {
        let (left, right) = self.rows.split_at(n);
        (
            SortedBatch { rows: left, offsets: &self.offsets[..n + 1], ..self },
            SortedBatch { rows: right, offsets: &self.offsets[n..], ..self },
        )
    }
}

/// An outer level whose rows can be updated.
pub trait UpdateOuter<R: Store>: Outer<R> {
    /// Makes room for rows `0..num_rows`; what is there stays.
    fn grow(&mut self, num_rows: usize);

    /// A second handle of the level as it is now, which shares every row with this one. What either writes afterwards it copies
    /// first, so that the other never sees it. Takes constant time, in a `dense` level one count for each page.
    fn share(&self) -> Box<dyn UpdateOuter<R>>;

    /// Bytes that the level needs at least beside the rows themselves to have room for rows `0..num_rows`, beyond what it holds.
    /// They matter where a single far coordinate makes a level large.
    fn growth(&self, num_rows: usize) -> usize {
        let _ = num_rows;
        0
    }

    /// Applies a batch, and makes room for its rows where it inserts.
    ///
    /// # Panics
    ///
    /// If a value or the combiner does. Part of the batch is applied then: see the [crate's page](crate#when-a-value-panics). If the batch
    /// inserts into a row that a store of rows has no coordinate for, which is row 2^32 − 1 or beyond for coordinates of 32 bits. Nothing
    /// has changed then.
    fn apply(&mut self, batch: SortedBatch<'_, R::Coord, R::Value>, change: Change<'_, R::Value>) -> Counts;
}

/// Rows whose memory is prefetched together, so that cache misses overlap. It fits the first-level cache until the rows are changed.
const WINDOW: usize = 16;

/// Applies a batch page by page, in order: `page` finds the page of an index in what holds the pages, and `apply` changes it.
pub(crate) fn each_page<R: Store, P: ?Sized>(
    pages: &mut P,
    batch: SortedBatch<'_, R::Coord, R::Value>,
    page: impl Fn(&P, usize) -> Option<&R::Page>,
    apply: impl Fn(&mut P, usize, SortedBatch<'_, R::Coord, R::Value>) -> Counts,
) -> Counts {
    let (mut counts, mut rest) = (Counts::default(), batch);
    let mut fetched = 0;
    while let Some(&row) = rest.rows().first() {
        if fetched == 0 {
            fetched = prefetch_window::<R, P>(&*pages, rest, &page);
        }
        let index = row / PAGE_ROWS;
        let n = 1 + rest.rows()[1..].iter().take_while(|&&row| row / PAGE_ROWS == index).count();
        let (part, others) = rest.split_at(n);
        counts += apply(pages, index, part);
        rest = others;
        fetched = fetched.saturating_sub(n);
    }
    counts
}

/// Prefetches the memory that the first rows of a batch touch: each step for all of them before the next step. Returns their number.
#[inline(always)]
fn prefetch_window<R: Store, P: ?Sized>(
    pages: &P,
    batch: SortedBatch<'_, R::Coord, R::Value>,
    page: &impl Fn(&P, usize) -> Option<&R::Page>,
) -> usize {
    let rows = &batch.rows()[..batch.rows().len().min(WINDOW)];
    // Pages of rows for which there is another step.
    let mut left: SmallVec<[(usize, &R::Page); WINDOW]> = SmallVec::new();
    for (k, row) in rows.iter().enumerate() {
        if let Some(page) = page(pages, row / PAGE_ROWS) {
            page.prefetch();
            left.push((k, page));
        }
    }
    for step in 0.. {
        left.retain(|(k, page)| page.prefetch_change(rows[*k] % PAGE_ROWS, batch.row(*k).coords, step));
        if left.is_empty() {
            break;
        }
    }
    rows.len()
}

/// Applies a batch to pages, the first of which has index `first`; missing ones are made where something is inserted.
pub(crate) fn apply_pages<R: Store>(
    pages: &mut [Option<R::Page>],
    first: usize,
    batch: SortedBatch<'_, R::Coord, R::Value>,
    change: Change<'_, R::Value>,
) -> Counts {
    if let Some((left, right, boundary)) = halves(batch, |row| row / PAGE_ROWS) {
        let (left_pages, right_pages) = pages.split_at_mut(boundary - first);
        let (mut counts, others) = join(
            || apply_pages::<R>(left_pages, first, left, change),
            || apply_pages::<R>(right_pages, boundary, right, change),
        );
        counts += others;
        return counts;
    }
    each_page::<R, _>(
        pages,
        batch,
        |pages, index| pages[index - first].as_ref(),
        |pages, index, part| {
            let page = &mut pages[index - first];
            if page.is_none() && !matches!(change, Change::Insert(_)) {
                return Counts { absent: part.len(), ..Counts::default() };
            }
            page.get_or_insert_with(empty_page::<R>).update(part, change)
        },
    )
}

/// The two parts of a batch, and the slot at which the second one begins.
type Halves<'a, C, V> = (SortedBatch<'a, C, V>, SortedBatch<'a, C, V>, usize);

/// A batch cut where about half of its elements are, for two tasks. Nothing, if it is small or all in one slot.
fn halves<'a, C: Coord, V: Value>(
    batch: SortedBatch<'a, C, V>,
    slot_of: impl Fn(usize) -> usize,
) -> Option<Halves<'a, C, V>> {
    let rows = batch.rows();
    let (front, back) = (slot_of(*rows.first()?), slot_of(*rows.last()?));
    if batch.len() <= GRAIN || front >= back {
        return None;
    }
    // Where half of the elements are, moved to the nearest boundary of slots inside.
    let half = batch.offsets[0] + batch.len() / 2;
    let middle = slot_of(rows[batch.offsets.partition_point(|&offset| offset <= half).clamp(1, rows.len()) - 1]);
    let boundary = middle.max(front + 1);
    let (left, right) = batch.split_at(rows.partition_point(|&row| slot_of(row) < boundary));
    Some((left, right, boundary))
}

/// A page of empty rows.
pub(crate) fn empty_page<R: Store>() -> R::Page {
    R::Page::build(RowBlock::empty())
}

/// Elements of a batch that one task applies: in a large graph some fifty microseconds of misses.
pub(crate) const GRAIN: usize = 128;

/// Hands the parts of a batch to the slots (pages or directories) to which their rows belong: slot `k` of the level holds the rows
/// from `base + (k << bits)` on, and `slots[0]` is the level's slot `first`. A large batch is split by elements and applied in
/// parallel.
pub(crate) fn split_rows<T: Send, C: Coord, V: Value>(
    slots: &mut [T],
    (first, base, bits): (usize, usize, u32),
    batch: SortedBatch<'_, C, V>,
    apply: &(impl Fn(usize, &mut T, SortedBatch<'_, C, V>) -> Counts + Sync),
) -> Counts {
    let slot_of = |row: usize| (row - base) >> bits;
    if let Some((left, right, boundary)) = halves(batch, slot_of) {
        let (left_slots, right_slots) = slots.split_at_mut(boundary - first);
        let (mut counts, others) = join(
            || split_rows(left_slots, (first, base, bits), left, apply),
            || split_rows(right_slots, (boundary, base, bits), right, apply),
        );
        counts += others;
        return counts;
    }
    let (mut counts, mut rest) = (Counts::default(), batch);
    while let Some(&row) = rest.rows.first() {
        let slot = slot_of(row);
        let n = 1 + rest.rows[1..].iter().take_while(|&&row| slot_of(row) == slot).count();
        let (part, others) = rest.split_at(n);
        counts += apply(slot, &mut slots[slot - first], part);
        rest = others;
    }
    counts
}

/// Updates a row of any store by building it anew from a merge of its old nonzeros and the batch. Takes time linear in both.
pub fn rebuild_row<R: Store>(
    row: &mut R,
    batch: RowBatch<'_, R::Coord, R::Value>,
    change: Change<'_, R::Value>,
) -> Counts {
    let mut merge = Merge::new(batch, change, row.fiber().len());
    if R::Fiber::<'_>::ORDERED {
        row.fiber().fold_runs((), |(), run| merge.run(run.coords(), |k| &run.values()[k]));
    } else {
        let mut old = Vec::with_capacity(row.fiber().len());
        row.fiber().fold_runs((), |(), run| old.extend(run.iter()));
        sort_by_coord(&mut old);
        let coords: Vec<R::Coord> = old.iter().map(|&(coord, _)| coord).collect();
        merge.run(&coords, |k| old[k].1);
    }
    let Merged { coords, mut values, counts } = merge.finish();
    if counts.new + counts.changed + counts.removed > 0 {
        *row = R::build_row(Elements::drain(&coords, &mut values));
    }
    counts
}

/// A row merged with a batch.
pub(crate) struct Merged<C, V> {
    pub coords: Vec<C>,
    pub values: Vec<V>,
    pub counts: Counts,
}

/// A merge of a row's runs, which come in order, with a batch.
pub(crate) struct Merge<'a, C, V> {
    batch: RowBatch<'a, C, V>,
    next: usize,
    change: Change<'a, V>,
    merged: Merged<C, V>,
}

impl<'a, C: Coord, V: Value> Merge<'a, C, V> {
    /// A merge into which `old` nonzeros are expected.
    pub(crate) fn new(batch: RowBatch<'a, C, V>, change: Change<'a, V>, old: usize) -> Self {
        let room = old + if let Change::Insert(_) = change { batch.len() } else { 0 };
        let merged =
            Merged { coords: Vec::with_capacity(room), values: Vec::with_capacity(room), counts: Counts::default() };
        Merge { batch, next: 0, change, merged }
    }

    /// Merges the row's next run, whose values are cloned.
    pub(crate) fn run<'v>(&mut self, coords: &[C], value: impl Fn(usize) -> &'v V)
    where
        V: 'v,
    {
        let (mut from, merged) = (0, &mut self.merged);
        let Some(&last) = coords.last() else { return };
        while let Some(&coord) = self.batch.coords.get(self.next)
            && coord <= last
        {
            let to = from + coords[from..].partition_point(|&c| c < coord);
            merged.coords.extend_from_slice(&coords[from..to]);
            merged.values.extend((from..to).map(|k| value(k).clone()));
            from = to;
            if coords[from] == coord {
                match self.change {
                    Change::Insert(combine) | Change::Update(combine) => {
                        let mut old = value(from).clone();
                        let changed = size_of::<V>() > 0 && combine(&mut old, &self.batch.values[self.next]);
                        merged.coords.push(coord);
                        merged.values.push(old);
                        if changed { merged.counts.changed += 1 } else { merged.counts.unchanged += 1 }
                    }
                    Change::Delete => merged.counts.removed += 1,
                }
                from += 1;
                self.next += 1;
                if from == coords.len() {
                    return;
                }
            } else {
                merged.counts +=
                    Self::absent(self.batch, self.next, self.change, &mut merged.coords, &mut merged.values);
                self.next += 1;
            }
        }
        merged.coords.extend_from_slice(&coords[from..]);
        merged.values.extend((from..coords.len()).map(|k| value(k).clone()));
    }

    /// Element `k` of the batch is not in the row.
    fn absent(
        batch: RowBatch<'_, C, V>,
        k: usize,
        change: Change<'_, V>,
        coords: &mut Vec<C>,
        values: &mut Vec<V>,
    ) -> Counts {
        if let Change::Insert(_) = change {
            coords.push(batch.coords[k]);
            values.push(batch.values[k].clone());
            return Counts { new: 1, ..Counts::default() };
        }
        Counts { absent: 1, ..Counts::default() }
    }

    /// What is left of the batch lies behind the last run.
    pub(crate) fn finish(mut self) -> Merged<C, V> {
        let merged = &mut self.merged;
        for k in self.next..self.batch.len() {
            merged.counts += Self::absent(self.batch, k, self.change, &mut merged.coords, &mut merged.values);
        }
        self.merged
    }
}
