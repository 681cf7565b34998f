//! One row by itself: nothing, one chunk, or a tree of chunks.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::chunk::{BLOCK, Chunk};
use super::tree::{Kids, Node, unshared};
use crate::update::Merge;
use crate::{AuditError, Change, Counts, Elements, Fiber, Footprint, RowBatch, Run, Runs, Store, join, or_mend};

/// The handle of one row: 16 bytes. Cloning it shares all chunks.
///
/// In a `dense` or `paged` outer level only long rows have one; short ones lie in their page ([`Chunk::Page`]).
#[derive(Clone)]
pub struct PackedRow<B: Chunk>(Repr<B>);

/// What a row is made of.
#[derive(Clone, Default)]
enum Repr<B: Chunk> {
    #[default]
    Empty,
    Chunk(B),
    Tree(Arc<Node<B>>),
}

impl<B: Chunk> Default for PackedRow<B> {
    fn default() -> Self {
        PackedRow(Repr::Empty)
    }
}

impl<B: Chunk> PackedRow<B> {
    /// Number of nonzeros. Constant time.
    #[inline]
    pub fn len(&self) -> usize {
        match &self.0 {
            Repr::Empty => 0,
            Repr::Chunk(chunk) => chunk.len(),
            Repr::Tree(root) => root.len,
        }
    }

    /// Whether there are no nonzeros.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether both are one row in memory.
    pub(super) fn is(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Repr::Empty, Repr::Empty) => true,
            (Repr::Chunk(chunk), Repr::Chunk(other)) => chunk.is(other),
            (Repr::Tree(root), Repr::Tree(other)) => Arc::ptr_eq(root, other),
            _ => false,
        }
    }

    /// Prefetches the first chunk or the root.
    #[inline(always)]
    pub(super) fn prefetch(&self) {
        match &self.0 {
            Repr::Empty => {}
            Repr::Chunk(chunk) => chunk.prefetch(),
            Repr::Tree(root) => root.prefetch(),
        }
    }

    /// Prefetches the memory that changing an element touches, as [`Page::prefetch_change`](crate::Page::prefetch_change) does. A `shared`
    /// row is copied before it is changed.
    pub(super) fn prefetch_change(&self, coord: B::Coord, step: usize, shared: bool) -> bool {
        match &self.0 {
            Repr::Empty => false,
            Repr::Chunk(chunk) => chunk.prefetch_step(step, shared),
            Repr::Tree(root) => Node::prefetch_step(root, coord, step, shared),
        }
    }

    /// Prefetches the reference count that cloning the row raises.
    #[inline(always)]
    pub(super) fn prefetch_count(&self) {
        match &self.0 {
            Repr::Empty => {}
            Repr::Chunk(chunk) => chunk.prefetch_header(),
            Repr::Tree(root) => root.prefetch(),
        }
    }

    /// The row of chunks, none of them empty.
    fn over(mut chunks: Vec<B>) -> Self {
        PackedRow(match chunks.len() {
            0 => Repr::Empty,
            1 => Repr::Chunk(chunks.remove(0)),
            _ => Repr::Tree(Node::over_chunks(chunks)),
        })
    }

    /// Merges a batch that is large against the row, building the row anew.
    fn merge(&mut self, batch: RowBatch<'_, B::Coord, B::Value>, change: Change<'_, B::Value>) -> Counts {
        let mut merge = Merge::new(batch, change, self.len());
        self.fiber().fold_runs((), |(), run| merge.run(run.coords(), |k| &run.values()[k]));
        let mut merged = merge.finish();
        *self = Self::build_row(Elements::drain(&merged.coords, &mut merged.values));
        merged.counts
    }
}

impl<B: Chunk> Store for PackedRow<B> {
    type Coord = B::Coord;
    type Value = B::Value;
    type Fiber<'a> = PackedFiber<'a, B>;
    type Page = B::Page;
    const NAME: &'static str = B::NAME;

    fn build_row(elements: Elements<'_, B::Coord, B::Value>) -> Self {
        PackedRow(match elements.len() {
            0 => Repr::Empty,
            1..=BLOCK => Repr::Chunk(B::build(elements)),
            _ => Repr::Tree(Node::build(elements)),
        })
    }

    #[inline(always)]
    fn fiber(&self) -> PackedFiber<'_, B> {
        match &self.0 {
            Repr::Empty => PackedFiber(View::Flat(B::empty())),
            Repr::Chunk(chunk) => PackedFiber(View::Flat(chunk.view())),
            Repr::Tree(root) => PackedFiber(View::Tree(root)),
        }
    }

    fn update(&mut self, batch: RowBatch<'_, B::Coord, B::Value>, change: Change<'_, B::Value>) -> Counts {
        if batch.is_empty() {
            return Counts::default();
        }
        if self.is_empty() && !matches!(change, Change::Insert(_)) {
            return Counts { absent: batch.len(), ..Counts::default() };
        }
        if batch.len() > self.len() {
            return self.merge(batch, change);
        }
        let mut under = Under { row: &mut self.0, chunks: Vec::new(), nodes: Vec::new() };
        let counts = or_mend(&mut under, |under| under.apply(batch, change), Under::settle);
        under.settle();
        if let Repr::Tree(root) = &self.0
            && root.fits_chunk()
        {
            self.merge(RowBatch { coords: &[], values: &[] }, Change::Delete);
        }
        counts
    }

    fn audit_with(&self, value: &mut dyn FnMut(&B::Value) -> Result<(), AuditError>) -> Result<(), AuditError> {
        match &self.0 {
            Repr::Empty => Ok(()),
            Repr::Chunk(chunk) if chunk.is_empty() => Err(AuditError::new("chunk", "is empty, but there")),
            Repr::Chunk(chunk) => chunk.audit_with(value),
            Repr::Tree(root) => root.audit_with(value),
        }
    }

    fn footprint_with(&self, value: &mut dyn FnMut(&B::Value) -> Footprint) -> Footprint {
        match &self.0 {
            Repr::Empty => Footprint::default(),
            Repr::Chunk(chunk) => chunk.footprint_with(value),
            Repr::Tree(root) => root.footprint_with(value),
        }
    }
}

/// A row while a batch is applied to it, and what was split off at its end.
struct Under<'r, B: Chunk> {
    row: &'r mut Repr<B>,
    chunks: Vec<B>,
    nodes: Vec<Arc<Node<B>>>,
}

impl<B: Chunk> Under<'_, B> {
    fn apply(&mut self, batch: RowBatch<'_, B::Coord, B::Value>, change: Change<'_, B::Value>) -> Counts {
        match self.row {
            Repr::Empty => unreachable!("the batch would be longer than the row"),
            Repr::Chunk(chunk) => chunk.update(batch, change, &mut self.chunks),
            Repr::Tree(root) => Node::update_root(root, batch, change, &mut self.nodes),
        }
    }

    /// Joins the row and the parts that were split off to one row. Moves chunks and nodes only, so that it can be done after a panic too.
    fn settle(&mut self) {
        match self.row {
            Repr::Chunk(chunk) if chunk.is_empty() || !self.chunks.is_empty() => {
                if let Repr::Chunk(chunk) = std::mem::take(self.row) {
                    self.chunks.insert(0, chunk);
                    self.chunks.retain(|chunk| !chunk.is_empty());
                    *self.row = PackedRow::over(std::mem::take(&mut self.chunks)).0;
                }
            }
            Repr::Tree(root) => {
                Node::settle_root(root, std::mem::take(&mut self.nodes));
                if root.len == 0 {
                    *self.row = Repr::Empty;
                }
            }
            _ => {}
        }
    }
}

/// A row, wherever it lies: in its page, in a chunk, or in a tree.
pub struct PackedFiber<'a, B: Chunk>(View<'a, B>);

enum View<'a, B: Chunk> {
    Flat(B::View<'a>),
    Tree(&'a Node<B>),
}

impl<B: Chunk> Clone for PackedFiber<'_, B> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<B: Chunk> Copy for PackedFiber<'_, B> {}

impl<B: Chunk> Clone for View<'_, B> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<B: Chunk> Copy for View<'_, B> {}

impl<'a, B: Chunk> PackedFiber<'a, B> {
    /// The fiber of elements that lie together.
    #[inline(always)]
    pub(super) fn flat(view: B::View<'a>) -> Self {
        PackedFiber(View::Flat(view))
    }

    /// The first chunk, and its place if the row is a tree.
    #[inline(always)]
    fn first(self) -> (B::View<'a>, Option<Place<'a, B>>) {
        match self.0 {
            View::Flat(view) => (view, None),
            View::Tree(root) => Place { root, leaf: root.first_leaf(), at: 0 }.chunk().unwrap_or((B::empty(), None)),
        }
    }
}

impl<'a, B: Chunk> Fiber<'a> for PackedFiber<'a, B> {
    type Coord = B::Coord;
    type Value = B::Value;
    type Runs = PackedRuns<'a, B>;
    const ORDERED: bool = true;
    const COUNTED: bool = true;

    #[inline(always)]
    fn len(self) -> usize {
        match self.0 {
            View::Flat(view) => view.len(),
            View::Tree(node) => node.len,
        }
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        self.len() == 0
    }

    #[inline]
    fn runs(self) -> PackedRuns<'a, B> {
        let (view, place) = self.first();
        PackedRuns { runs: view.runs(), place }
    }

    #[inline(always)]
    fn try_fold_runs<A, T, F>(self, init: A, mut f: F) -> ControlFlow<T, A>
    where
        F: FnMut(A, Run<'_, 'a, B::Coord, B::Value>) -> ControlFlow<T, A>,
    {
        // `f` is called from one place for all kinds of rows, so that it is inlined into this loop. If it were passed to a function that
        // folds trees, its captures would be stored to memory for short rows, too.
        let (mut view, mut place) = self.first();
        let mut acc = init;
        loop {
            acc = view.try_fold_runs(acc, &mut f)?;
            match place.and_then(Place::next) {
                Some(next) => (view, place) = next,
                None => return ControlFlow::Continue(acc),
            }
        }
    }

    fn par_fold<A, I, F, G>(self, identity: &I, fold: &F, combine: &G) -> A
    where
        A: Send,
        I: Fn() -> A + Sync,
        F: Fn(A, Run<'_, 'a, B::Coord, B::Value>) -> A + Sync,
        G: Fn(A, A) -> A + Sync,
    {
        match self.0 {
            View::Flat(view) => view.par_fold(identity, fold, combine),
            View::Tree(node) => match &node.kids {
                Kids::Chunks(chunks) => par_fold_chunks(chunks, identity, fold, combine),
                Kids::Nodes(nodes) => par_fold_nodes::<B, A, I, F, G>(nodes, identity, fold, combine),
            },
        }
    }

    fn unshared<F>(self, older: Self, mut visit: F)
    where
        F: FnMut(bool, Run<'_, 'a, B::Coord, B::Value>),
    {
        if let (View::Tree(newer), View::Tree(older)) = (self.0, older.0) {
            return unshared(newer, older, |old, chunk| chunk.view().fold_runs((), |(), run| visit(old, run)));
        }
        self.fold_runs((), |(), run| visit(false, run));
        older.fold_runs((), |(), run| visit(true, run));
    }

    #[inline]
    fn locate(self, coord: B::Coord) -> Option<&'a B::Value> {
        match self.0 {
            View::Flat(view) => view.locate(coord),
            View::Tree(node) => node.chunk_of(coord).view().locate(coord),
        }
    }
}

/// Chunks that one task folds.
const GRAIN: usize = 32;

/// Folds chunks in parallel.
fn par_fold_chunks<'a, B: Chunk, A, I, F, G>(chunks: &'a [B], identity: &I, fold: &F, combine: &G) -> A
where
    A: Send,
    I: Fn() -> A + Sync,
    F: Fn(A, Run<'_, 'a, B::Coord, B::Value>) -> A + Sync,
    G: Fn(A, A) -> A + Sync,
{
    if chunks.len() <= GRAIN {
        return chunks.iter().fold(identity(), |acc, chunk| chunk.view().fold_runs(acc, fold));
    }
    let (left, right) = chunks.split_at(chunks.len() / 2);
    let (left, right) =
        join(|| par_fold_chunks(left, identity, fold, combine), || par_fold_chunks(right, identity, fold, combine));
    combine(left, right)
}

/// Folds nodes in parallel.
fn par_fold_nodes<'a, B: Chunk, A, I, F, G>(nodes: &'a [Arc<Node<B>>], identity: &I, fold: &F, combine: &G) -> A
where
    A: Send,
    I: Fn() -> A + Sync,
    F: Fn(A, Run<'_, 'a, B::Coord, B::Value>) -> A + Sync,
    G: Fn(A, A) -> A + Sync,
{
    if let [node] = nodes {
        return PackedFiber(View::Tree(node)).par_fold(identity, fold, combine);
    }
    let (left, right) = nodes.split_at(nodes.len() / 2);
    let (left, right) = join(
        || par_fold_nodes::<B, A, I, F, G>(left, identity, fold, combine),
        || par_fold_nodes::<B, A, I, F, G>(right, identity, fold, combine),
    );
    combine(left, right)
}

/// The place of a chunk in a tree. It is passed by value, so that loops over short rows need not store it to memory.
struct Place<'a, B: Chunk> {
    root: &'a Node<B>,
    /// The node above the chunk, which is its child number `at`.
    leaf: &'a Node<B>,
    at: usize,
}

impl<B: Chunk> Clone for Place<'_, B> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<B: Chunk> Copy for Place<'_, B> {}

impl<'a, B: Chunk> Place<'a, B> {
    /// The chunk at this place, and the place. Prefetches the chunk after it.
    fn chunk(self) -> Option<(B::View<'a>, Option<Self>)> {
        let Kids::Chunks(chunks) = &self.leaf.kids else { return None };
        if let Some(next) = chunks.get(self.at + 1) {
            next.prefetch();
        }
        chunks.get(self.at).map(|chunk| (chunk.view(), Some(self)))
    }

    /// The next chunk and its place. It is not inlined, because it is called once for hundreds of nonzeros.
    #[inline(never)]
    fn next(self) -> Option<(B::View<'a>, Option<Self>)> {
        let behind = Place { at: self.at + 1, ..self };
        behind.chunk().or_else(|| Place { leaf: self.root.leaf_after(self.leaf)?, at: 0, ..self }.chunk())
    }
}

/// The iterator over a row's runs.
pub struct PackedRuns<'a, B: Chunk> {
    /// The rest of the current chunk.
    runs: <B::View<'a> as Fiber<'a>>::Runs,
    /// Where the current chunk lies, if the row is a tree.
    place: Option<Place<'a, B>>,
}

impl<'a, B: Chunk> Runs<'a> for PackedRuns<'a, B> {
    type Coord = B::Coord;
    type Value = B::Value;

    #[inline]
    fn advance(&mut self) -> bool {
        loop {
            if self.runs.advance() {
                return true;
            }
            let Some((view, place)) = self.place.and_then(Place::next) else { return false };
            (self.runs, self.place) = (view.runs(), place);
        }
    }

    #[inline(always)]
    fn run(&self) -> Run<'_, 'a, B::Coord, B::Value> {
        self.runs.run()
    }
}
