//! Outer levels: what holds the rows of a matrix, seen by kernels as batches of rows.
//!
//! Kernels are monomorphic in the row store and dynamic in the outer level: one dynamic call delivers a whole batch of rows.
//!
//! ```text
//!   dense   pages side by side        [page 0][page 1][page 2] …        a page: PAGE_ROWS consecutive rows
//!   paged   pages below a shallow copy-on-write tree
//!   bst …   any store whose values are row handles: batches of gathered (coordinate, row) pairs
//! ```

use std::any::Any;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::update::{empty_page, split_rows};
use crate::{
    Ahead, AuditError, Change, Coord, Counts, Elements, Footprint, Page, SameValues, SortedBatch, Store, UpdateOuter,
    Value, par_each, prefetch,
};

/// Rows in a page of a `dense` or `paged` outer level.
pub const PAGE_ROWS: usize = 64;

/// Consecutive rows with their sorted nonzeros: what outer levels are built from.
pub struct RowBlock<'a, C, V> {
    first_row: usize,
    /// Row `k` holds elements `offsets[k] - offsets[0] .. offsets[k + 1] - offsets[0]`. There is one offset at least, they do not
    /// descend, and the last one leads no further than to the end of the elements.
    offsets: &'a [usize],
    elements: Elements<'a, C, V>,
}

impl<'a, C: Coord, V: Value> RowBlock<'a, C, V> {
    /// The rows from `first_row` on. Row `k` of the block holds elements `offsets[k] - offsets[0] .. offsets[k + 1] - offsets[0]`, so
    /// there is one more offset than rows; `elements` are the nonzeros of all rows, row after row, ascending inside each. Linear in
    /// the rows.
    ///
    /// # Panics
    ///
    /// If there is no offset, offsets descend, or they ask for more elements than there are.
    pub fn new(first_row: usize, offsets: &'a [usize], elements: Elements<'a, C, V>) -> Self {
        let (Some(first), Some(last)) = (offsets.first(), offsets.last()) else {
            panic!("a block has one more offset than rows");
        };
        assert!(offsets.is_sorted(), "offsets do not descend");
        assert!(last - first <= elements.len(), "offsets lead into the elements");
        RowBlock { first_row, offsets, elements }
    }

    /// No rows.
    pub fn empty() -> Self {
        RowBlock { first_row: 0, offsets: &[0], elements: Elements::none() }
    }

    /// Coordinate of the first row.
    pub fn first_row(&self) -> usize {
        self.first_row
    }

    /// Number of rows.
    pub fn num_rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Where rows begin and the last one ends: row `k` of the block holds elements `offsets[k] - offsets[0] .. offsets[k + 1] -
    /// offsets[0]`.
    pub fn offsets(&self) -> &'a [usize] {
        self.offsets
    }

    /// The nonzeros of all rows, row after row.
    pub fn elements(&self) -> &Elements<'a, C, V> {
        &self.elements
    }

    /// The nonzeros of all rows, row after row, taken over.
    pub(crate) fn into_elements(self) -> Elements<'a, C, V> {
        self.elements
    }

    /// Number of nonzeros in row `k` of the block.
    ///
    /// # Panics
    ///
    /// If there are fewer rows.
    pub fn row_len(&self, k: usize) -> usize {
        self.offsets[k + 1] - self.offsets[k]
    }

    /// Takes the first `rows` rows off the block (all, if it has fewer).
    pub(crate) fn take_rows(&mut self, rows: usize) -> RowBlock<'a, C, V> {
        let rows = rows.min(self.num_rows());
        let offsets = &self.offsets[..rows + 1];
        let elements = self.elements.split_front(offsets[rows] - offsets[0]);
        let block = RowBlock { first_row: self.first_row, offsets, elements };
        self.first_row += rows;
        self.offsets = &self.offsets[rows..];
        block
    }

    /// Takes the first row off the block: its coordinate and its nonzeros.
    #[inline]
    pub fn pop_row(&mut self) -> Option<(usize, Elements<'a, C, V>)> {
        let (&[begin, end], row) = (self.offsets.first_chunk::<2>()?, self.first_row);
        self.offsets = &self.offsets[1..];
        self.first_row += 1;
        Some((row, self.elements.split_front(end - begin)))
    }
}

/// Rows that an outer level hands to a kernel in one call.
pub enum RowGroup<'b, 'a, R: Store> {
    /// A page of consecutive rows.
    Page {
        /// Coordinate of the page's first row, a multiple of [`PAGE_ROWS`].
        first_row: usize,
        /// The page.
        page: &'a R::Page,
        /// The two pages that are visited next, as far as they are known: they are fetched while the rows of this one are visited.
        next: [Option<&'a R::Page>; 2],
    },
    /// Rows gathered from a store, each with its coordinate.
    Rows(&'b [(usize, &'a R)]),
}

impl<R: Store> Clone for RowGroup<'_, '_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Store> Copy for RowGroup<'_, '_, R> {}

impl<'a, R: Store> RowGroup<'_, 'a, R> {
    /// Calls `f` with the coordinate and the fiber of each row that may hold nonzeros.
    ///
    /// There is one call of `f` in here, for both kinds of batch, so that it is always inlined: a call for each row, with the fiber
    /// passed through memory, has measured as three times the work of a short row.
    #[inline(always)]
    pub fn for_each<F: FnMut(usize, R::Fiber<'a>)>(self, mut f: F) {
        let mut ahead = self.ahead();
        let (mut coord, mut page, mut gathered) = match self {
            RowGroup::Page { first_row, page, .. } => (first_row, Some(page.rows()), [].iter()),
            RowGroup::Rows(rows) => (0, None, rows.iter()),
        };
        let mut next = || match &mut page {
            Some(rows) => rows.next().map(|row| {
                coord += 1;
                (coord - 1, row)
            }),
            None => gathered.next().map(|&(coord, row)| (coord, row.fiber())),
        };
        while let Some((coord, row)) = next() {
            ahead.line();
            f(coord, row);
        }
    }
}

impl<'a, R: Store> RowGroup<'_, 'a, R> {
    /// What is read when all rows of the group that is visited next are. The group after that is prefetched.
    #[inline(always)]
    pub fn ahead(self) -> Ahead {
        let RowGroup::Page { next: [next, later], .. } = self else { return Ahead::nothing() };
        if let Some(later) = later {
            later.prefetch();
        }
        next.map_or(Ahead::nothing(), Page::ahead)
    }

    /// The page that the group is, and the coordinate of its first row.
    pub fn page(self) -> Option<(usize, &'a R::Page)> {
        match self {
            RowGroup::Page { first_row, page, .. } => Some((first_row, page)),
            RowGroup::Rows(_) => None,
        }
    }

    /// The row at a coordinate, if it is in the batch and a page's.
    #[inline(always)]
    pub fn row(self, coord: usize) -> Option<R::Fiber<'a>> {
        match self {
            RowGroup::Page { first_row, page, .. } => {
                let slot = coord.wrapping_sub(first_row);
                (slot < PAGE_ROWS).then(|| page.row(slot))
            }
            RowGroup::Rows(_) => None,
        }
    }

    /// As [`for_each`](Self::for_each), but only rows whose coordinate is `wanted`.
    ///
    /// In a page, `wanted` is called for all rows first, without a branch that the processor would mispredict about half the time. Then
    /// the wanted rows are visited, each prefetched some rows ahead: they are few and far apart, and the visitor may stop early.
    #[inline(always)]
    pub fn for_each_where<W: Fn(usize) -> bool, F: FnMut(usize, R::Fiber<'a>)>(self, wanted: W, mut f: F) {
        let (mut page, mut gathered) = match self {
            RowGroup::Page { first_row, page, next: [next, _] } => {
                if let Some(next) = next {
                    next.prefetch();
                }
                (Some((first_row, page, RowMask::of(|slot| wanted(first_row + slot), || page.filled()))), [].iter())
            }
            RowGroup::Rows(rows) => (None, rows.iter()),
        };
        let mut next = || match &mut page {
            Some((first_row, page, mask)) => {
                mask.next(|slot| page.prefetch_row(slot)).map(|slot| (*first_row + slot, page.row(slot)))
            }
            None => gathered.find(|row| wanted(row.0)).map(|&(coord, row)| (coord, row.fiber())),
        };
        while let Some((coord, row)) = next() {
            f(coord, row);
        }
    }
}

/// A subset of [`PAGE_ROWS`] rows, visited in ascending order, with later ones prefetched.
pub struct RowMask {
    rest: u64,
    /// The rows that have not been prefetched yet.
    ahead: u64,
}

impl RowMask {
    /// A row is prefetched so many rows before its turn.
    const AHEAD: usize = 8;

    /// The rows that are wanted and filled. `filled` is called only if some row is wanted.
    #[inline(always)]
    pub fn of(wanted: impl Fn(usize) -> bool, filled: impl FnOnce() -> u64) -> Self {
        const { assert!(PAGE_ROWS == u64::BITS as usize) };
        let mut rest = (0..PAGE_ROWS).fold(0, |rest, slot| rest | u64::from(wanted(slot)) << slot);
        if rest != 0 {
            rest &= filled();
        }
        RowMask { rest, ahead: rest }
    }

    /// The next row. Calls `ask` with each row some rows before its turn.
    #[inline(always)]
    pub fn next(&mut self, ask: impl Fn(usize)) -> Option<usize> {
        if self.rest == 0 {
            return None;
        }
        // Several rows at first, then one for each that is visited.
        let behind = if self.rest == self.ahead { Self::AHEAD } else { 1 };
        for _ in 0..behind {
            if self.ahead != 0 {
                ask(self.ahead.trailing_zeros() as usize);
                self.ahead &= self.ahead - 1;
            }
        }
        let slot = self.rest.trailing_zeros() as usize;
        self.rest &= self.rest - 1;
        Some(slot)
    }
}

/// What a kernel does with a batch of rows. Every closure that takes a batch does it.
///
/// A trait of its own, and not `dyn Fn`: the table of a `dyn Fn` holds further copies of the closure (to call it by value), and so of the
/// loop body inside it. The compiler is sure to inline the loop body only if it is called from one place.
pub trait Visit<'a, R: Store>: Sync {
    /// Does it.
    fn visit(&self, batch: RowGroup<'_, 'a, R>);
}

impl<'a, R: Store, F: Fn(RowGroup<'_, 'a, R>) + Sync> Visit<'a, R> for F {
    #[inline]
    fn visit(&self, batch: RowGroup<'_, 'a, R>) {
        self(batch);
    }
}

/// The outer level of a matrix whose rows are stores of type `R`.
///
/// Every row coordinate occurs at most once.
pub trait Outer<R: Store>: Send + Sync {
    /// The level's name in formats and on the command line.
    fn name(&self) -> &'static str;

    /// Visits all rows that may hold nonzeros in parallel and in no particular order, about 64 rows or more in one call.
    fn par_batches<'a>(&'a self, visit: &dyn Visit<'a, R>);

    /// Visits all rows that may hold nonzeros in ascending coordinate order, until `visit` breaks.
    fn batches<'a>(&'a self, visit: &mut dyn FnMut(RowGroup<'_, 'a, R>) -> ControlFlow<()>) -> ControlFlow<()>;

    /// The row at a coordinate, `None` if the level holds none.
    fn row(&self, coord: usize) -> Option<R::Fiber<'_>>;

    /// The page that holds the row at a coordinate, `None` if there is none or the level has no pages.
    fn page_of(&self, coord: usize) -> Option<RowGroup<'_, '_, R>> {
        let _ = coord;
        None
    }

    /// Puts the pages that hold the rows at some coordinates into as many places of a slice that holds none, and prefetches them. Levels without pages
    /// put none there.
    fn find_pages<'a>(&'a self, coords: &[u32], pages: &mut [Option<&'a R::Page>]) {
        let _ = (coords, pages);
    }

    /// Checks the level and every row; see [`Store::audit_with`].
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    fn audit_with(&self, value: &mut dyn FnMut(&R::Value) -> Result<(), AuditError>) -> Result<(), AuditError>;

    /// Bytes of the level and its rows.
    fn footprint_with(&self, value: &mut dyn FnMut(&R::Value) -> Footprint) -> Footprint;

    /// The level itself, for [`each_difference`](Self::each_difference) with another of its type.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }

    /// Calls `visit` with each row that may be another one in an older version of the level, ascending. Levels of pages look only at those that
    /// the two do not share; others hand over all rows.
    fn each_difference<'a>(
        &'a self,
        older: &'a dyn Outer<R>,
        same: SameValues<'_, R::Value>,
        visit: VisitPair<'_, 'a, R>,
    ) {
        let _ = same;
        let mut before = Vec::new();
        let _ = older.batches(&mut |group| {
            group.for_each(|coord, row| before.push((coord, row)));
            ControlFlow::Continue(())
        });
        let mut before = before.into_iter().peekable();
        let _ = self.batches(&mut |group| {
            group.for_each(|coord, row| {
                while let Some((coord, old)) = before.next_if(|&(other, _)| other < coord) {
                    visit(coord, None, Some(old));
                }
                visit(coord, Some(row), before.next_if(|&(other, _)| other == coord).map(|(_, old)| old));
            });
            ControlFlow::Continue(())
        });
        before.for_each(|(coord, old)| visit(coord, None, Some(old)));
    }
}

/// What is done with a row and an older version of it.
pub type VisitPair<'f, 'a, R> =
    &'f mut dyn FnMut(usize, Option<<R as Store>::Fiber<'a>>, Option<<R as Store>::Fiber<'a>>);

/// Calls `visit` with the rows of the page at an index that may be others than in an older version of it.
pub(crate) fn page_difference<'a, R: Store>(
    index: usize,
    (newer, older): (Option<&'a R::Page>, Option<&'a R::Page>),
    same: SameValues<'_, R::Value>,
    visit: VisitPair<'_, 'a, R>,
) {
    let mut slots = match (newer, older) {
        (Some(newer), Some(older)) if newer.is(older) => return,
        (Some(newer), Some(older)) => newer.differing(older, same),
        (newer, older) => newer.or(older).map_or(0, |page| page.filled()),
    };
    while slots != 0 {
        let slot = slots.trailing_zeros() as usize;
        slots &= slots - 1;
        visit(index * PAGE_ROWS + slot, newer.map(|page| page.row(slot)), older.map(|page| page.row(slot)));
    }
}

/// An outer level that can be built from sorted rows, in parallel.
pub trait BuildOuter<R: Store>: Outer<R> + Sized {
    /// What one block of rows becomes before the parts are joined.
    type Part: Send + 'static;

    /// Builds the part for a block, whose first row is a multiple of [`PAGE_ROWS`]. Called in parallel for different blocks.
    ///
    /// # Panics
    ///
    /// If there are nonzeros in a row whose coordinate a store of rows cannot hold: see [`UpdateOuter::apply`].
    fn build_part(block: RowBlock<'_, R::Coord, R::Value>) -> Self::Part;

    /// Joins the parts of consecutive blocks that together cover `0..num_rows`.
    fn join(num_rows: usize, parts: Vec<Self::Part>) -> Self;

    /// As [`join`](Self::join), behind a pointer: what a matrix holds. A level may choose a type for it of which less is compiled.
    fn boxed(num_rows: usize, parts: Vec<Self::Part>) -> Box<dyn UpdateOuter<R>>
    where
        Self: UpdateOuter<R> + 'static,
    {
        Box::new(Self::join(num_rows, parts))
    }
}

/// An outer level as a value: it holds the functions of [`BuildOuter`] of one level. A function that takes it builds rows below any level and is
/// compiled once for each type of row, not once for each level and type of row.
pub struct OuterLevel<R: Store> {
    build_part: fn(RowBlock<'_, R::Coord, R::Value>) -> OuterPart,
    join: fn(usize, Vec<OuterPart>) -> Box<dyn UpdateOuter<R>>,
}

/// The [`BuildOuter::Part`] of some level.
pub struct OuterPart(Box<dyn Any + Send>);

impl<R: Store> Clone for OuterLevel<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Store> Copy for OuterLevel<R> {}

impl<R: Store> OuterLevel<R> {
    /// The level of type `O`.
    pub fn of<O: BuildOuter<R> + UpdateOuter<R> + 'static>() -> Self {
        OuterLevel { build_part: boxed_part::<R, O>, join: joined::<R, O> }
    }

    /// Builds the part for a block: see [`BuildOuter::build_part`].
    pub fn build_part(self, block: RowBlock<'_, R::Coord, R::Value>) -> OuterPart {
        (self.build_part)(block)
    }

    /// Joins parts that this level has built: see [`BuildOuter::join`].
    ///
    /// # Panics
    ///
    /// If another level has built one of them.
    pub fn join(self, num_rows: usize, parts: Vec<OuterPart>) -> Box<dyn UpdateOuter<R>> {
        (self.join)(num_rows, parts)
    }
}

// These are functions, since a closure that becomes a function pointer is compiled twice.

fn boxed_part<R: Store, O: BuildOuter<R>>(block: RowBlock<'_, R::Coord, R::Value>) -> OuterPart {
    OuterPart(Box::new(O::build_part(block)))
}

fn joined<R: Store, O: BuildOuter<R> + UpdateOuter<R> + 'static>(
    num_rows: usize,
    parts: Vec<OuterPart>,
) -> Box<dyn UpdateOuter<R>> {
    O::boxed(num_rows, unboxed(parts))
}

/// Converts parts back to their own type. It is not inlined, so that it is compiled once for each type of part.
#[inline(never)]
fn unboxed<P: 'static>(parts: Vec<OuterPart>) -> Vec<P> {
    let unboxed =
        |OuterPart(part): OuterPart| *part.downcast().expect("parts are joined by the level that has built them");
    parts.into_iter().map(unboxed).collect()
}

/// What `build` makes of the rows of each page of a block.
pub(crate) fn by_pages<'a, C: Coord, V: Value, P>(
    mut block: RowBlock<'a, C, V>,
    mut build: impl FnMut(RowBlock<'a, C, V>) -> P,
) -> Vec<P> {
    debug_assert_eq!(block.first_row % PAGE_ROWS, 0);
    let mut pages = Vec::with_capacity(block.num_rows().div_ceil(PAGE_ROWS));
    while block.num_rows() > 0 {
        pages.push(build(block.take_rows(PAGE_ROWS)));
    }
    pages
}

/// The usual page: an array of row handles, shared as a whole.
pub struct ArrayPage<R> {
    rows: Arc<[R; PAGE_ROWS]>,
}

impl<R> Clone for ArrayPage<R> {
    #[inline]
    fn clone(&self) -> Self {
        ArrayPage { rows: self.rows.clone() }
    }
}

impl<R: Store<Page = ArrayPage<R>>> Page<R> for ArrayPage<R> {
    fn build(mut block: RowBlock<'_, R::Coord, R::Value>) -> Self {
        let mut next = || block.pop_row().map_or_else(R::default, |(_, row)| R::build_row(row));
        ArrayPage { rows: Arc::new(std::array::from_fn(|_| next())) }
    }

    #[inline(always)]
    fn row(&self, slot: usize) -> R::Fiber<'_> {
        self.rows[slot].fiber()
    }

    #[inline(always)]
    fn rows<'a>(&'a self) -> impl Iterator<Item = R::Fiber<'a>>
    where
        R: 'a,
    {
        self.rows.iter().map(R::fiber)
    }

    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.rows, &other.rows)
    }

    #[inline(always)]
    fn prefetch(&self) {
        prefetch::read::<2>(Arc::as_ptr(&self.rows).cast());
    }

    fn update(&mut self, batch: SortedBatch<'_, R::Coord, R::Value>, change: Change<'_, R::Value>) -> Counts {
        let rows = Arc::make_mut(&mut self.rows);
        let mut counts = Counts::default();
        for (k, &row) in batch.rows().iter().enumerate() {
            counts += rows[row % PAGE_ROWS].update(batch.row(k), change);
        }
        counts
    }

    fn audit_with(&self, value: &mut dyn FnMut(&R::Value) -> Result<(), AuditError>) -> Result<(), AuditError> {
        self.rows
            .iter()
            .enumerate()
            .try_for_each(|(slot, row)| row.audit_with(value).map_err(|error| error.within(&format!("page[{slot}]"))))
    }

    fn footprint_with(&self, value: &mut dyn FnMut(&R::Value) -> Footprint) -> Footprint {
        /// The two counts before what an `Arc` points to.
        const COUNTS: usize = 2 * size_of::<usize>();
        let bytes = size_of::<Self>() + COUNTS + size_of::<[R; PAGE_ROWS]>();
        let mut sum = Footprint { bytes, nodes: 1, gaps: 0 };
        for row in &*self.rows {
            sum += row.footprint_with(value);
        }
        sum
    }
}

/// The dense outer level: pages of rows side by side, one row per coordinate. Cloning it shares the pages, and takes time and a
/// pointer for each: linear in the rows, as their places are an array. `paged` is the same behind a tree that is shared as a whole.
#[derive(Clone)]
pub struct Dense<R: Store> {
    pages: Vec<R::Page>,
}

impl<R: Store> Dense<R> {
    /// A page.
    #[inline(always)]
    fn group(&self, index: usize) -> RowGroup<'_, '_, R> {
        let next = [self.pages.get(index + 1), self.pages.get(index + 2)];
        RowGroup::Page { first_row: index * PAGE_ROWS, page: &self.pages[index], next }
    }
}

impl<R: Store> Outer<R> for Dense<R> {
    fn name(&self) -> &'static str {
        "dense"
    }

    fn par_batches<'a>(&'a self, visit: &dyn Visit<'a, R>) {
        par_each(self.pages.len(), usize::MAX, &|index: usize| {
            visit.visit(self.group(index));
        });
    }

    fn batches<'a>(&'a self, visit: &mut dyn FnMut(RowGroup<'_, 'a, R>) -> ControlFlow<()>) -> ControlFlow<()> {
        (0..self.pages.len()).try_for_each(|index| visit(self.group(index)))
    }

    fn row(&self, coord: usize) -> Option<R::Fiber<'_>> {
        self.pages.get(coord / PAGE_ROWS).map(|page| page.row(coord % PAGE_ROWS))
    }

    fn page_of(&self, coord: usize) -> Option<RowGroup<'_, '_, R>> {
        let index = coord / PAGE_ROWS;
        (index < self.pages.len()).then(|| self.group(index))
    }

    fn find_pages<'a>(&'a self, coords: &[u32], pages: &mut [Option<&'a R::Page>]) {
        for (place, &coord) in pages.iter_mut().zip(coords) {
            *place = self.pages.get(coord as usize / PAGE_ROWS);
            place.iter().for_each(|page| page.prefetch());
        }
    }

    fn audit_with(&self, value: &mut dyn FnMut(&R::Value) -> Result<(), AuditError>) -> Result<(), AuditError> {
        self.pages.iter().enumerate().try_for_each(|(index, page)| {
            page.audit_with(value).map_err(|error| error.within(&format!("dense[{}..]", index * PAGE_ROWS)))
        })
    }

    fn footprint_with(&self, value: &mut dyn FnMut(&R::Value) -> Footprint) -> Footprint {
        self.pages.iter().map(|page| page.footprint_with(value)).sum()
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn each_difference<'a>(
        &'a self,
        older: &'a dyn Outer<R>,
        same: SameValues<'_, R::Value>,
        visit: VisitPair<'_, 'a, R>,
    ) {
        let older = older.as_any().and_then(|older| older.downcast_ref::<Self>());
        let older = older.map_or(&[][..], |older| &older.pages);
        for index in 0..self.pages.len().max(older.len()) {
            page_difference::<R>(index, (self.pages.get(index), older.get(index)), same, visit);
        }
    }
}

impl<R: Store> BuildOuter<R> for Dense<R> {
    type Part = Vec<R::Page>;

    fn build_part(block: RowBlock<'_, R::Coord, R::Value>) -> Self::Part {
        by_pages(block, R::Page::build)
    }

    fn join(_num_rows: usize, parts: Vec<Self::Part>) -> Self {
        Dense { pages: parts.into_iter().flatten().collect() }
    }
}

impl<R: Store> UpdateOuter<R> for Dense<R> {
    fn grow(&mut self, num_rows: usize) {
        let pages = num_rows.div_ceil(PAGE_ROWS).max(self.pages.len());
        self.pages.resize_with(pages, empty_page::<R>);
    }

    fn share(&self) -> Box<dyn UpdateOuter<R>> {
        Box::new(self.clone())
    }

    fn growth(&self, num_rows: usize) -> usize {
        let pages = num_rows.div_ceil(PAGE_ROWS).saturating_sub(self.pages.len());
        pages.saturating_mul(empty_page::<R>().footprint_with(&mut |_| Footprint::default()).bytes)
    }

    fn apply(&mut self, batch: SortedBatch<'_, R::Coord, R::Value>, change: Change<'_, R::Value>) -> Counts {
        let Some(&last) = batch.rows().last() else { return Counts::default() };
        if let Change::Insert(_) = change {
            self.grow(last.saturating_add(1));
        }
        // There are no rows beyond the last page, so nothing changes there.
        let held = self.pages.len() * PAGE_ROWS;
        let (inside, beyond) = batch.split_at(batch.rows().partition_point(|&row| row < held));
        let mut counts = split_rows(&mut self.pages, (0, 0, PAGE_ROWS.trailing_zeros()), inside, &|_, page, part| {
            page.update(part, change)
        });
        counts.absent += beyond.len();
        counts
    }
}
