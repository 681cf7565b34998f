//! The paged outer level: pages of rows below a shallow copy-on-write tree.
//!
//! ```text
//!   Paged ─▶ directory ─▶ directory ─▶ page, page, …      32 children a directory, 16 the last one; PAGE_ROWS rows a page
//! ```
//!
//! The place of a row follows from its coordinate: a million rows are three directories deep. Cloning shares everything; the
//! first write after it copies the directories and the page on its way, at any size. Copying a directory raises a count in each
//! child and freeing it lowers them again, in as many cache lines: the last directory, of which scattered writes copy one each, is
//! small for that reason.

use std::any::Any;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::outer::{VisitPair, by_pages, page_difference};
use crate::update::{GRAIN, apply_pages, each_page, empty_page, split_rows};
use crate::{
    AuditError, BuildOuter, Change, Counts, Footprint, Outer, PAGE_ROWS, Page, RowBlock, RowGroup, SameValues,
    SortedBatch, Store, UpdateOuter, Visit, par_each,
};

/// Children of a directory of directories.
const FANOUT: usize = 32;

/// Pages of a directory.
const PAGES: usize = 16;

/// Bits of a page's index that a directory and those below it resolve, `height` directories in all.
const fn bits(height: u32) -> u32 {
    PAGES.trailing_zeros() + FANOUT.trailing_zeros() * (height - 1)
}

/// The paged outer level. Cloning takes constant time.
pub struct Paged<R: Store> {
    root: Dir<R>,
    /// Directories from the root to a page.
    height: u32,
}

/// A directory: pages, or further directories; `None` where all rows are empty.
enum Dir<R: Store> {
    Pages(Arc<[Option<R::Page>; PAGES]>),
    Dirs(Arc<[Option<Dir<R>>; FANOUT]>),
}

impl<R: Store> Clone for Dir<R> {
    #[inline]
    fn clone(&self) -> Self {
        match self {
            Dir::Pages(pages) => Dir::Pages(pages.clone()),
            Dir::Dirs(dirs) => Dir::Dirs(dirs.clone()),
        }
    }
}

impl<R: Store> Clone for Paged<R> {
    fn clone(&self) -> Self {
        Paged { root: self.root.clone(), height: self.height }
    }
}

impl<R: Store> Default for Paged<R> {
    fn default() -> Self {
        Paged { root: Dir::empty(1), height: 1 }
    }
}

impl<R: Store> Dir<R> {
    /// An empty directory `height` levels above the pages.
    fn empty(height: u32) -> Self {
        if height == 1 {
            Dir::Pages(Arc::new([const { None }; PAGES]))
        } else {
            Dir::Dirs(Arc::new([const { None }; FANOUT]))
        }
    }

    /// The pages of an unshared copy of a directory just above them.
    fn pages_mut(pages: &mut Arc<[Option<R::Page>; PAGES]>) -> &mut [Option<R::Page>; PAGES] {
        if Arc::get_mut(pages).is_none() {
            // Raising a count writes to each page: fetched ahead, the misses overlap.
            pages.iter().flatten().for_each(|page| page.prefetch_count());
        }
        Arc::make_mut(pages)
    }

    /// Visits the pages below in parallel.
    fn par_visit<'a>(&'a self, height: u32, index: usize, visit: &dyn Visit<'a, R>) {
        match self {
            Dir::Pages(pages) => par_each(PAGES / VISITED, usize::MAX, &|chunk: usize| {
                for k in chunk * VISITED..(chunk + 1) * VISITED {
                    if let Some((page, next)) = with_next(pages, k) {
                        visit.visit(RowGroup::Page { first_row: (index + k) * PAGE_ROWS, page, next });
                    }
                }
            }),
            Dir::Dirs(dirs) => {
                // The directories behind the last one are not divided among the threads: a thread that took them would have nothing to do.
                let count = dirs.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
                par_each(count, usize::MAX, &|k: usize| {
                    if let Some(dir) = &dirs[k] {
                        dir.par_visit(height - 1, index + (k << bits(height - 1)), visit);
                    }
                });
            }
        }
    }

    /// Visits the pages below in order. Recurses as deep as the tree, at most twelve levels.
    fn visit<'a>(&'a self, height: u32, index: usize, visit: VisitPage<'_, 'a, R>) -> ControlFlow<()> {
        match self {
            Dir::Pages(pages) => (0..PAGES).try_for_each(|k| {
                with_next(pages, k).map_or(ControlFlow::Continue(()), |(page, next)| visit(index + k, page, next))
            }),
            Dir::Dirs(dirs) => dirs.iter().enumerate().try_for_each(|(k, dir)| {
                dir.as_ref().map_or(ControlFlow::Continue(()), |dir| {
                    dir.visit(height - 1, index + (k << bits(height - 1)), visit)
                })
            }),
        }
    }

    /// The page at an index; `None` if there is none.
    #[inline]
    fn page(&self, mut height: u32, index: usize) -> Option<&R::Page> {
        let mut dir = self;
        loop {
            match dir {
                Dir::Pages(pages) => return pages[index % PAGES].as_ref(),
                Dir::Dirs(dirs) => {
                    height -= 1;
                    dir = dirs[(index >> bits(height)) % FANOUT].as_ref()?;
                }
            }
        }
    }

    /// As [`page`](Self::page), for a page that will be changed. Where the directory above it is shared, it will be copied first, which raises
    /// the reference counts of all its pages: prefetches these.
    #[inline]
    fn page_ahead(&self, mut height: u32, index: usize) -> Option<&R::Page> {
        let (mut dir, mut shared) = (self, false);
        loop {
            match dir {
                Dir::Pages(pages) => {
                    if shared || Arc::strong_count(pages) > 1 {
                        pages.iter().flatten().for_each(|page| page.prefetch_count());
                    }
                    return pages[index % PAGES].as_ref();
                }
                Dir::Dirs(dirs) => {
                    height -= 1;
                    shared |= Arc::strong_count(dirs) > 1;
                    dir = dirs[(index >> bits(height)) % FANOUT].as_ref()?;
                }
            }
        }
    }

    /// The page at an index, made if there is none; directories on the way to it are copied where they are shared.
    fn page_mut(&mut self, mut height: u32, index: usize) -> &mut R::Page {
        let mut dir = self;
        loop {
            match dir {
                Dir::Pages(pages) => {
                    return Self::pages_mut(pages)[index % PAGES].get_or_insert_with(empty_page::<R>);
                }
                Dir::Dirs(dirs) => {
                    height -= 1;
                    let below = &mut Arc::make_mut(dirs)[(index >> bits(height)) % FANOUT];
                    dir = below.get_or_insert_with(|| Dir::empty(height));
                }
            }
        }
    }

    /// Applies the part of a batch that lies below page by page, with later pages prefetched.
    fn apply_in_order(
        &mut self,
        height: u32,
        batch: SortedBatch<'_, R::Coord, R::Value>,
        change: Change<'_, R::Value>,
    ) -> Counts {
        each_page::<R, _>(
            self,
            batch,
            |dir, index| dir.page_ahead(height, index),
            |dir, index, part| {
                if !matches!(change, Change::Insert(_)) && dir.page(height, index).is_none() {
                    return Counts { absent: part.len(), ..Counts::default() };
                }
                dir.page_mut(height, index).update(part, change)
            },
        )
    }

    /// Applies the part of a batch that lies below, in parallel.
    fn apply(
        &mut self,
        height: u32,
        index: usize,
        batch: SortedBatch<'_, R::Coord, R::Value>,
        change: Change<'_, R::Value>,
    ) -> Counts {
        if batch.len() <= GRAIN {
            return self.apply_in_order(height, batch, change);
        }
        match self {
            Dir::Pages(pages) => apply_pages::<R>(Self::pages_mut(pages), index, batch, change),
            Dir::Dirs(dirs) => {
                let shift = bits(height - 1);
                let place = (0, index * PAGE_ROWS, shift + PAGE_ROWS.trailing_zeros());
                split_rows(&mut Arc::make_mut(dirs)[..], place, batch, &|k, dir: &mut Option<Dir<R>>, part| {
                    if dir.is_none() && !matches!(change, Change::Insert(_)) {
                        return Counts { absent: part.len(), ..Counts::default() };
                    }
                    let dir = dir.get_or_insert_with(|| Dir::empty(height - 1));
                    dir.apply(height - 1, index + (k << shift), part, change)
                })
            }
        }
    }

    /// Bytes of the directories below.
    fn footprint(&self) -> Footprint {
        /// The two counts before what an `Arc` points to.
        const COUNTS: usize = 2 * size_of::<usize>();
        match self {
            Dir::Pages(_) => Footprint { bytes: COUNTS + PAGES * size_of::<Option<R::Page>>(), nodes: 1, gaps: 0 },
            Dir::Dirs(dirs) => {
                let mut sum = Footprint { bytes: COUNTS + FANOUT * size_of::<Option<Dir<R>>>(), nodes: 1, gaps: 0 };
                dirs.iter().flatten().for_each(|dir| sum += dir.footprint());
                sum
            }
        }
    }
}

/// Pages that one task visits.
const VISITED: usize = 8;

/// Elements of a batch that is applied by one thread: waking others takes as long as a hundred of them.
const SMALL: usize = 512;

impl<R: Store> Paged<R> {
    /// Pages for which there is room without growing.
    fn room(&self) -> usize {
        1usize.checked_shl(bits(self.height)).unwrap_or(usize::MAX)
    }

    /// Adds directories above the root until there is room for a number of pages.
    fn grow_to(&mut self, pages: usize) {
        while self.room() < pages {
            let mut dirs = [const { None }; FANOUT];
            dirs[0] = Some(self.root.clone());
            self.root = Dir::Dirs(Arc::new(dirs));
            self.height += 1;
        }
    }

    /// Applies a batch to rows of pages that there is room for.
    fn apply_inside(&mut self, batch: SortedBatch<'_, R::Coord, R::Value>, change: Change<'_, R::Value>) -> Counts {
        match batch.len() {
            0 => Counts::default(),
            1..=SMALL => self.root.apply_in_order(self.height, batch, change),
            _ => self.root.apply(self.height, 0, batch, change),
        }
    }

    /// The page at an index, that is of the rows from `index * PAGE_ROWS` on; `None` if there is none.
    #[inline]
    pub fn page(&self, index: usize) -> Option<&R::Page> {
        if index < self.room() { self.root.page(self.height, index) } else { None }
    }
}

impl<R: Store> Outer<R> for Paged<R> {
    fn name(&self) -> &'static str {
        "paged"
    }

    fn par_batches<'a>(&'a self, visit: &dyn Visit<'a, R>) {
        self.root.par_visit(self.height, 0, visit);
    }

    fn batches<'a>(&'a self, visit: &mut dyn FnMut(RowGroup<'_, 'a, R>) -> ControlFlow<()>) -> ControlFlow<()> {
        self.root.visit(self.height, 0, &mut |index, page, next| {
            visit(RowGroup::Page { first_row: index * PAGE_ROWS, page, next })
        })
    }

    #[inline]
    fn row(&self, coord: usize) -> Option<R::Fiber<'_>> {
        self.page(coord / PAGE_ROWS).map(|page| page.row(coord % PAGE_ROWS))
    }

    fn page_of(&self, coord: usize) -> Option<RowGroup<'_, '_, R>> {
        let index = coord / PAGE_ROWS;
        let next = [self.page(index + 1), self.page(index + 2)];
        Some(RowGroup::Page { first_row: index * PAGE_ROWS, page: self.page(index)?, next })
    }

    fn find_pages<'a>(&'a self, coords: &[u32], pages: &mut [Option<&'a R::Page>]) {
        for (place, &coord) in pages.iter_mut().zip(coords) {
            *place = self.page(coord as usize / PAGE_ROWS);
            place.iter().for_each(|page| page.prefetch());
        }
    }

    fn audit_with(&self, value: &mut dyn FnMut(&R::Value) -> Result<(), AuditError>) -> Result<(), AuditError> {
        let mut result = Ok(());
        let _ = self.root.visit(self.height, 0, &mut |index, page, _| {
            result = page.audit_with(value).map_err(|error| error.within(&format!("paged[{}..]", index * PAGE_ROWS)));
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        result
    }

    fn footprint_with(&self, value: &mut dyn FnMut(&R::Value) -> Footprint) -> Footprint {
        let mut sum = self.root.footprint();
        sum.bytes += size_of::<Self>();
        let _ = self.root.visit(self.height, 0, &mut |_, page, _| {
            let mut below = page.footprint_with(value);
            // The pointer to the page was counted with its directory.
            below.bytes -= size_of::<R::Page>();
            sum += below;
            ControlFlow::Continue(())
        });
        sum
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
        let before = (older.map(|older| &older.root), older.map_or(1, |older| older.height));
        differences((Some(&self.root), self.height), before, 0, same, visit);
    }
}

/// The page at a place of a directory, if there is one, and the two after it.
#[inline(always)]
fn with_next<P>(pages: &[Option<P>; PAGES], k: usize) -> Option<(&P, [Option<&P>; 2])> {
    let page = |k: usize| pages.get(k).and_then(Option::as_ref);
    Some((page(k)?, [page(k + 1), page(k + 2)]))
}

/// What is done with a page, its index and the two pages after it.
type VisitPage<'v, 'a, R> =
    &'v mut dyn FnMut(usize, &'a <R as Store>::Page, [Option<&'a <R as Store>::Page>; 2]) -> ControlFlow<()>;

/// A directory, if it is there, and its height.
type Place<'a, R> = (Option<&'a Dir<R>>, u32);

/// Visits the rows that may differ below two directories, whose first page has an index. Recurses as deep as the trees.
fn differences<'a, R: Store>(
    (newer, new_height): Place<'a, R>,
    (older, old_height): Place<'a, R>,
    index: usize,
    same: SameValues<'_, R::Value>,
    visit: VisitPair<'_, 'a, R>,
) {
    fn child<R: Store>(dir: Option<&Dir<R>>, k: usize) -> Option<&Dir<R>> {
        if let Some(Dir::Dirs(dirs)) = dir { dirs[k].as_ref() } else { None }
    }
    fn page<R: Store>(dir: Option<&Dir<R>>, k: usize) -> Option<&R::Page> {
        if let Some(Dir::Pages(pages)) = dir { pages[k].as_ref() } else { None }
    }
    match (newer, older) {
        (None, None) => return,
        (Some(Dir::Pages(newer)), Some(Dir::Pages(older))) if Arc::ptr_eq(newer, older) => return,
        (Some(Dir::Dirs(newer)), Some(Dir::Dirs(older))) if Arc::ptr_eq(newer, older) => return,
        _ => {}
    }
    let height = new_height.max(old_height);
    if height == 1 {
        for k in 0..PAGES {
            page_difference::<R>(index + k, (page(newer, k), page(older, k)), same, visit);
        }
        return;
    }
    // A tree that is less high lies below the first child of the other.
    let below = |dir, own: u32, k| match (own == height, k) {
        (true, _) => (child(dir, k), height - 1),
        (false, 0) => (dir, own),
        (false, _) => (None, height - 1),
    };
    for k in 0..FANOUT {
        let (newer, older) = (below(newer, new_height, k), below(older, old_height, k));
        differences(newer, older, index + (k << bits(height - 1)), same, visit);
    }
}

impl<R: Store> BuildOuter<R> for Paged<R> {
    type Part = Vec<Option<R::Page>>;

    fn build_part(block: RowBlock<'_, R::Coord, R::Value>) -> Self::Part {
        by_pages(block, |rows| (!rows.elements().is_empty()).then(|| R::Page::build(rows)))
    }

    fn join(_num_rows: usize, parts: Vec<Self::Part>) -> Self {
        let mut pages = parts.into_iter().flatten().peekable();
        let mut dirs: Vec<Option<Dir<R>>> = Vec::new();
        while pages.peek().is_some() {
            dirs.push(Some(Dir::Pages(Arc::new(std::array::from_fn(|_| pages.next().flatten())))));
        }
        let mut height = 1;
        while dirs.len() > 1 {
            let mut below = dirs.into_iter().peekable();
            let mut above = Vec::new();
            while below.peek().is_some() {
                above.push(Some(Dir::Dirs(Arc::new(std::array::from_fn(|_| below.next().flatten())))));
            }
            dirs = above;
            height += 1;
        }
        Paged { root: dirs.pop().flatten().unwrap_or_else(|| Dir::empty(1)), height }
    }
}

impl<R: Store> UpdateOuter<R> for Paged<R> {
    fn grow(&mut self, num_rows: usize) {
        self.grow_to(num_rows.div_ceil(PAGE_ROWS));
    }

    fn share(&self) -> Box<dyn UpdateOuter<R>> {
        Box::new(self.clone())
    }

    fn apply(&mut self, batch: SortedBatch<'_, R::Coord, R::Value>, change: Change<'_, R::Value>) -> Counts {
        let Some(&last) = batch.rows().last() else { return Counts::default() };
        if let Change::Insert(_) = change {
            self.grow_to(last / PAGE_ROWS + 1);
        }
        let room = self.room();
        if last / PAGE_ROWS < room {
            return self.apply_inside(batch, change);
        }
        // There are no rows beyond the last page that there is room for, so nothing changes there.
        let (inside, beyond) = batch.split_at(batch.rows().partition_point(|&row| row / PAGE_ROWS < room));
        let mut counts = self.apply_inside(inside, change);
        counts.absent += beyond.len();
        counts
    }
}
