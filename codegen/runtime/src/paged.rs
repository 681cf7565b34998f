//! The paged outer level: pages of rows below a shallow copy-on-write tree.
//!
//! ```text
//!   Paged ─▶ directory ─▶ directory ─▶ page, page, …      at most FANOUT children a directory, PAGE_ROWS rows a page
//! ```
//!
//! The place of a row follows from its coordinate: with `FANOUT = 64`, four million rows are three directories deep. Cloning
//! shares everything; the first write after it copies the directories and the page on its way (`FANOUT` counts each, fetched
//! ahead of being raised), at any size.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::update::{apply_pages, empty_page, split_rows};
use crate::{
    AuditError, Batch, BuildOuter, Change, Counts, Footprint, Outer, PAGE_ROWS, Page, RowBlock, SortedBatch, Store,
    UpdateOuter, Visit, build_pages, par_each,
};

/// Children of a directory.
const FANOUT: usize = 64;

/// Bits of a page's index that one directory resolves.
const BITS: u32 = FANOUT.trailing_zeros();

/// The paged outer level. Cloning takes constant time.
pub struct Paged<R: Store> {
    root: Dir<R>,
    /// Directories from the root to a page.
    height: u32,
}

/// A directory: pages, or further directories; `None` where all rows are empty.
enum Dir<R: Store> {
    Pages(Arc<[Option<R::Page>; FANOUT]>),
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
            Dir::Pages(Arc::new([const { None }; FANOUT]))
        } else {
            Dir::Dirs(Arc::new([const { None }; FANOUT]))
        }
    }

    /// The pages of an unshared copy of a directory just above them.
    fn pages_mut(pages: &mut Arc<[Option<R::Page>; FANOUT]>) -> &mut [Option<R::Page>; FANOUT] {
        if Arc::get_mut(pages).is_none() {
            // Raising a count writes to each page: fetched ahead, the misses overlap.
            pages.iter().flatten().for_each(|page| page.prefetch());
        }
        Arc::make_mut(pages)
    }

    /// Visits the pages below in parallel.
    fn par_visit<'a>(&'a self, height: u32, index: usize, visit: &dyn Visit<'a, R>) {
        match self {
            Dir::Pages(pages) => par_each(FANOUT / GRAIN, usize::MAX, &|chunk: usize| {
                let begin = chunk * GRAIN;
                let pages = &pages[begin..begin + GRAIN];
                for (k, page) in pages.iter().enumerate() {
                    if let Some(Some(next)) = pages.get(k + 1) {
                        next.prefetch();
                    }
                    if let Some(page) = page {
                        visit.visit(Batch::Page { first_row: (index + begin + k) * PAGE_ROWS, page });
                    }
                }
            }),
            Dir::Dirs(dirs) => par_each(FANOUT, usize::MAX, &|k: usize| {
                if let Some(dir) = &dirs[k] {
                    dir.par_visit(height - 1, index + (k << (BITS * (height - 1))), visit);
                }
            }),
        }
    }

    /// Visits the pages below in order. Recurses as deep as the tree, at most eleven levels.
    fn visit<'a>(
        &'a self,
        height: u32,
        index: usize,
        visit: &mut dyn FnMut(usize, &'a R::Page) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        match self {
            Dir::Pages(pages) => pages.iter().enumerate().try_for_each(|(k, page)| {
                page.as_ref().map_or(ControlFlow::Continue(()), |page| visit(index + k, page))
            }),
            Dir::Dirs(dirs) => dirs.iter().enumerate().try_for_each(|(k, dir)| {
                dir.as_ref().map_or(ControlFlow::Continue(()), |dir| {
                    dir.visit(height - 1, index + (k << (BITS * (height - 1))), visit)
                })
            }),
        }
    }

    /// Applies the part of a batch that lies below.
    fn apply(
        &mut self,
        height: u32,
        index: usize,
        batch: SortedBatch<'_, R::Coord, R::Value>,
        change: Change<'_, R::Value>,
    ) -> Counts {
        match self {
            Dir::Pages(pages) => apply_pages::<R>(Self::pages_mut(pages), index, batch, change),
            Dir::Dirs(dirs) => {
                let shift = BITS * (height - 1);
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
            Dir::Pages(_) => Footprint { bytes: COUNTS + FANOUT * size_of::<Option<R::Page>>(), nodes: 1, gaps: 0 },
            Dir::Dirs(dirs) => {
                let mut sum = Footprint { bytes: COUNTS + FANOUT * size_of::<Option<Dir<R>>>(), nodes: 1, gaps: 0 };
                dirs.iter().flatten().for_each(|dir| sum += dir.footprint());
                sum
            }
        }
    }
}

/// Elements of a batch that is applied by one thread.
const SMALL: usize = 2048;

/// Rows whose places are fetched together.
const GROUP: usize = 16;

/// Pages that one task visits.
const GRAIN: usize = 8;

impl<R: Store> Paged<R> {
    /// Pages for which there is room without growing.
    fn room(&self) -> usize {
        1usize.checked_shl(BITS * self.height).unwrap_or(usize::MAX)
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

    /// The page at an index, that is of the rows from `index * PAGE_ROWS` on; `None` if there is none.
    #[inline]
    pub fn page(&self, index: usize) -> Option<&R::Page> {
        if index >= self.room() {
            return None;
        }
        let (mut dir, mut shift) = (&self.root, BITS * (self.height - 1));
        loop {
            match dir {
                Dir::Pages(pages) => return pages[index % FANOUT].as_ref(),
                Dir::Dirs(dirs) => dir = dirs[(index >> shift) % FANOUT].as_ref()?,
            }
            shift -= BITS;
        }
    }

    /// The page at an index, to be changed; directories on the way to it are copied where they are shared. The page itself may
    /// still be shared: its own update copies it.
    pub fn page_mut(&mut self, index: usize) -> &mut R::Page {
        self.grow_to(index + 1);
        let (mut dir, mut height) = (&mut self.root, self.height);
        loop {
            match dir {
                Dir::Pages(pages) => {
                    return Dir::<R>::pages_mut(pages)[index % FANOUT].get_or_insert_with(empty_page::<R>);
                }
                Dir::Dirs(dirs) => {
                    height -= 1;
                    let below = &mut Arc::make_mut(dirs)[(index >> (BITS * height)) % FANOUT];
                    dir = below.get_or_insert_with(|| Dir::empty(height));
                }
            }
        }
    }
}

impl<R: Store> Outer<R> for Paged<R> {
    fn name(&self) -> &'static str {
        "paged"
    }

    fn par_batches<'a>(&'a self, visit: &dyn Visit<'a, R>) {
        self.root.par_visit(self.height, 0, visit);
    }

    fn batches<'a>(&'a self, visit: &mut dyn FnMut(Batch<'_, 'a, R>) -> ControlFlow<()>) -> ControlFlow<()> {
        self.root.visit(self.height, 0, &mut |index, page| visit(Batch::Page { first_row: index * PAGE_ROWS, page }))
    }

    #[inline]
    fn row(&self, coord: usize) -> Option<R::Fiber<'_>> {
        self.page(coord / PAGE_ROWS).map(|page| page.row(coord % PAGE_ROWS))
    }

    fn audit_with(&self, value: &mut dyn FnMut(&R::Value) -> Result<(), AuditError>) -> Result<(), AuditError> {
        let mut result = Ok(());
        let _ = self.root.visit(self.height, 0, &mut |index, page| {
            result = page.audit_with(value).map_err(|error| error.within(&format!("paged[{}..]", index * PAGE_ROWS)));
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        result
    }

    fn footprint_with(&self, value: &mut dyn FnMut(&R::Value) -> Footprint) -> Footprint {
        let mut sum = self.root.footprint();
        sum.bytes += size_of::<Self>();
        let _ = self.root.visit(self.height, 0, &mut |_, page| {
            let mut below = page.footprint_with(value);
            // The pointer to the page was counted with its directory.
            below.bytes -= size_of::<R::Page>();
            sum += below;
            ControlFlow::Continue(())
        });
        sum
    }
}

impl<R: Store> BuildOuter<R> for Paged<R> {
    type Part = Vec<R::Page>;

    fn build_part(block: RowBlock<'_, R::Coord, R::Value>) -> Self::Part {
        build_pages::<R>(block)
    }

    fn join(_num_rows: usize, parts: Vec<Self::Part>) -> Self {
        let mut pages = parts.into_iter().flatten().peekable();
        let mut dirs: Vec<Option<Dir<R>>> = Vec::new();
        while pages.peek().is_some() {
            let mut next = || pages.next().filter(|page| page.nnz() > 0);
            dirs.push(Some(Dir::Pages(Arc::new(std::array::from_fn(|_| next())))));
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
        self.grow_to(last / PAGE_ROWS + 1);
        if batch.len() > SMALL {
            return self.root.apply(self.height, 0, batch, change);
        }
        // Too small for threads: the misses of some rows on the way to their places overlap instead.
        let (mut counts, mut rest) = (Counts::default(), batch);
        while !rest.rows().is_empty() {
            let (group, others) = rest.split_at(rest.rows().len().min(GROUP));
            let pages = || group.rows().iter().filter_map(|&row| Some((self.page(row / PAGE_ROWS)?, row % PAGE_ROWS)));
            pages().for_each(|(page, _)| page.prefetch());
            pages().for_each(|(page, slot)| page.prefetch_row(slot));
            counts += self.root.apply(self.height, 0, group, change);
            rest = others;
        }
        counts
    }
}
