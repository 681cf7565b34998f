//! The contract between stores and the code that computes with them: fibers, run iterators, stores and their assembly.
//!
//! ```text
//!   Store   owns one fiber: a set of (coordinate, value), the value being a number, nothing (a pattern), or another store
//!     │ fiber()
//!   Fiber   a borrowed, copyable view of it: fold over runs, locate, length
//!     │ runs()
//!   Runs    the stackless resumable iterator, from run to run;  Cursor steps element by element inside the runs
//! ```

use std::convert::Infallible;
use std::ops::ControlFlow;

use crate::update::rebuild_row;
use crate::{
    Ahead, AuditError, Change, Coord, Counts, Elements, Footprint, PAGE_ROWS, RowBatch, RowBlock, Run, SortedBatch,
};

/// What a nonzero can carry: a number, `()` in a pattern, or the handle of a further level.
pub trait Value: Clone + Send + Sync + 'static {}

impl<T: Clone + Send + Sync + 'static> Value for T {}

/// A stackless resumable iterator over the runs of a fiber, in coordinate order where the fiber is ordered.
///
/// Derived from a schema's `seq` (Chou & Amarasinghe, *Dynamic Sparse Tensor Algebra Compilation*, §4.3).
pub trait Runs<'a> {
    /// Coordinate type.
    type Coord: Coord;
    /// Value type.
    type Value: 'a;

    /// Moves to the next run that is not empty; `false` when there is none left, and ever after.
    fn advance(&mut self) -> bool;

    /// The current run; empty before the first `advance` and after the last.
    fn run(&self) -> Run<'_, 'a, Self::Coord, Self::Value>;
}

/// A borrowed view of one fiber: the (coordinate, value) pairs that lie under one parent, as a row lies in a matrix.
///
/// Coordinates of a fiber are unique and none is the gap mark.
pub trait Fiber<'a>: Copy + Send + Sync {
    /// Coordinate type.
    type Coord: Coord;
    /// Value type.
    type Value: 'a;
    /// The resumable iterator.
    type Runs: Runs<'a, Coord = Self::Coord, Value = Self::Value>;
    /// Whether runs come, and lie inside, in ascending coordinate order.
    const ORDERED: bool;
    /// Whether [`len`](Self::len) takes constant time.
    const COUNTED: bool = false;

    /// Number of nonzeros. Constant time where the store counts, otherwise linear in the number of nodes.
    fn len(self) -> usize;

    /// Whether there are no nonzeros. Constant time unless nodes may be empty.
    fn is_empty(self) -> bool {
        self.try_fold_runs(
            (),
            |(), run| if run.is_empty() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) },
        )
        .is_continue()
    }

    /// The resumable iterator over the runs.
    fn runs(self) -> Self::Runs;

    /// Folds over the runs in coordinate order (any order if not `ORDERED`), until `f` breaks.
    fn try_fold_runs<A, B, F>(self, init: A, f: F) -> ControlFlow<B, A>
    where
        F: FnMut(A, Run<'_, 'a, Self::Coord, Self::Value>) -> ControlFlow<B, A>;

    /// Folds over the runs in coordinate order (any order if not `ORDERED`).
    #[inline(always)]
    fn fold_runs<A, F>(self, init: A, mut f: F) -> A
    where
        F: FnMut(A, Run<'_, 'a, Self::Coord, Self::Value>) -> A,
    {
        match self.try_fold_runs(init, |acc, run| ControlFlow::<Infallible, A>::Continue(f(acc, run))) {
            ControlFlow::Continue(acc) => acc,
        }
    }

    /// As [`fold_runs`](Self::fold_runs), for callers that need the order: it does not compile for a fiber without one.
    #[inline(always)]
    fn fold_ordered<A, F>(self, init: A, f: F) -> A
    where
        F: FnMut(A, Run<'_, 'a, Self::Coord, Self::Value>) -> A,
    {
        const { assert!(Self::ORDERED, "this kernel takes rows in ascending order, and this store keeps them in none") };
        self.fold_runs(init, f)
    }

    /// Folds over the runs in the order in which they lie in memory, which is the faster one where order does not matter, until
    /// `f` breaks.
    #[inline(always)]
    fn try_fold_storage<A, B, F>(self, init: A, f: F) -> ControlFlow<B, A>
    where
        F: FnMut(A, Run<'_, 'a, Self::Coord, Self::Value>) -> ControlFlow<B, A>,
    {
        self.try_fold_runs(init, f)
    }

    /// Folds over the runs in the order in which they lie in memory.
    #[inline(always)]
    fn fold_storage<A, F>(self, init: A, mut f: F) -> A
    where
        F: FnMut(A, Run<'_, 'a, Self::Coord, Self::Value>) -> A,
    {
        match self.try_fold_storage(init, |acc, run| ControlFlow::<Infallible, A>::Continue(f(acc, run))) {
            ControlFlow::Continue(acc) => acc,
        }
    }

    /// Folds over the runs in parallel, each task starting from `identity()`; `combine` joins neighbouring tasks' results, left
    /// before right in coordinate order where the fiber is ordered.
    fn par_fold<A, I, F, G>(self, identity: &I, fold: &F, combine: &G) -> A
    where
        A: Send,
        I: Fn() -> A + Sync,
        F: Fn(A, Run<'_, 'a, Self::Coord, Self::Value>) -> A + Sync,
        G: Fn(A, A) -> A + Sync,
    {
        let _ = combine;
        self.fold_runs(identity(), fold)
    }

    /// Calls `visit` with runs of this fiber (`false`) and of an older version of it (`true`), each in its own order. What the two share in
    /// memory may be left out on both sides: a store of several nodes that knows which ones are shared compares no others.
    fn unshared<F>(self, older: Self, mut visit: F)
    where
        F: FnMut(bool, Run<'_, 'a, Self::Coord, Self::Value>),
    {
        self.fold_runs((), |(), run| visit(false, run));
        older.fold_runs((), |(), run| visit(true, run));
    }

    /// The value at a coordinate. Logarithmic in trees; linear where nothing is ordered.
    fn locate(self, coord: Self::Coord) -> Option<&'a Self::Value>;
}

/// A store: the owner of one fiber. Its handle is what a further level out holds as a value.
///
/// Cloning a store shares its nodes and takes constant time.
pub trait Store: Clone + Default + Send + Sync + 'static {
    /// Coordinate type.
    type Coord: Coord;
    /// Value type.
    type Value: Value;
    /// The borrowed view.
    type Fiber<'a>: Fiber<'a, Coord = Self::Coord, Value = Self::Value>
    where
        Self: 'a;
    /// How many rows of this store lie together in one page of a `dense` or `paged` outer level.
    type Page: Page<Self>;
    /// The store's name in schemas, formats and on the command line.
    const NAME: &'static str;

    /// Joins stores, [where that is fast](Build::JOIN).
    const JOIN: Option<fn(Vec<Self>) -> Self> = None;

    /// Builds the store from its nonzeros, whose coordinates strictly ascend: what the store's assembly says.
    fn build_row(elements: Elements<'_, Self::Coord, Self::Value>) -> Self;

    /// The view of the fiber.
    fn fiber(&self) -> Self::Fiber<'_>;

    /// Calls `visit` with the number and the value of each of some coordinates, strictly ascending, that is there: in parallel if
    /// they are many, and after copying what is shared on the way. In a store that cannot reach its values to change them, none is
    /// visited.
    fn each_mut(&mut self, coords: &[Self::Coord], visit: &(dyn Fn(usize, &mut Self::Value) + Sync)) {
        let _ = (coords, visit);
    }

    /// Applies one row's part of a batch. Builds the row anew from a merge, unless the store can change it in place; nodes that are
    /// shared with a clone stay as they are.
    ///
    /// # Panics
    ///
    /// If a value or the combiner does, or there are fewer values than coordinates to insert. Part of the batch is applied then: see the
    /// [crate's page](crate#when-a-value-panics).
    fn update(&mut self, batch: RowBatch<'_, Self::Coord, Self::Value>, change: Change<'_, Self::Value>) -> Counts {
        rebuild_row(self, batch, change)
    }

    /// Checks every invariant of the schema, and the values by `value` (a further level audits itself there).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold, with the path to the node that breaks it.
    fn audit_with(&self, value: &mut dyn FnMut(&Self::Value) -> Result<(), AuditError>) -> Result<(), AuditError>;

    /// Bytes held by the nodes, the handle not included, plus what `value` says of each value.
    fn footprint_with(&self, value: &mut dyn FnMut(&Self::Value) -> Footprint) -> Footprint;

    /// Checks every invariant of the schema; see [`Store::audit_with`].
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    fn audit(&self) -> Result<(), AuditError> {
        self.audit_with(&mut |_| Ok(()))
    }

    /// Bytes held by the nodes, the handle not included.
    fn footprint(&self) -> Footprint {
        self.footprint_with(&mut |_| Footprint::default())
    }
}

/// Bulk assembly (*Dynamic Sparse Tensor Algebra Compilation*, §3.2), and updates that are cheaper than it: written once per
/// store, in safe Rust.
pub trait Build<C: Coord, V: Value>: Sized {
    /// Joins stores of which each has all its coordinates above those of the one before, if that takes far less time than to build one
    /// of all their nonzeros, and makes the same: parts are built one by one then, each while its rows are in the cache.
    const JOIN: Option<fn(Vec<Self>) -> Self> = None;

    /// Builds the store from its nonzeros, whose coordinates strictly ascend.
    fn build(elements: Elements<'_, C, V>) -> Self;

    /// Applies a batch, for [`Store::update`]. Builds the store anew from a merge unless the assembly knows better.
    fn update(&mut self, batch: RowBatch<'_, C, V>, change: Change<'_, V>) -> Counts
    where
        Self: Store<Coord = C, Value = V>,
    {
        rebuild_row(self, batch, change)
    }

    /// Reaches values to change them, for [`Store::each_mut`]. Reaches none unless the assembly knows how.
    fn each_mut(&mut self, coords: &[C], visit: &(dyn Fn(usize, &mut V) + Sync)) {
        let _ = (coords, visit);
    }
}

/// Assembly by appending one nonzero after the other, in ascending coordinate order (§3.2 of the paper).
pub trait Append: Store {
    /// What is remembered between appends; it owns the nodes until `finish`.
    type State;

    /// Appends the first nonzero.
    fn append_first(coord: Self::Coord, value: Self::Value) -> Self::State;

    /// Appends a further nonzero.
    fn append_rest(state: &mut Self::State, coord: Self::Coord, value: Self::Value);

    /// The finished store.
    fn finish(state: Self::State) -> Self;
}

/// Builds a store by appending every element: what `build` calls in stores that only know how to append.
pub fn build_by_appending<S: Append>(mut elements: Elements<'_, S::Coord, S::Value>) -> S {
    let Some((coord, value)) = elements.pop_front() else { return S::default() };
    let mut state = S::append_first(coord, value);
    while let Some((coord, value)) = elements.pop_front() {
        S::append_rest(&mut state, coord, value);
    }
    S::finish(state)
}

/// A structure-copying map: the same coordinates in nodes of the same shape, with new values (§4.4 of the paper).
pub trait MapValues<U: Value>: Store {
    /// The same store with values of type `U`.
    type Output: Store<Coord = Self::Coord, Value = U>;

    /// Calls `f` on each nonzero in storage order and keeps what it returns.
    fn map_values<F: FnMut(Self::Coord, &Self::Value) -> U>(&self, f: F) -> Self::Output;
}

/// Whether all of some values are those at the same places of another slice.
pub type SameValues<'s, V> = &'s dyn Fn(&[V], &[V]) -> bool;

/// As many consecutive rows as lie together in a `dense` or `paged` outer level.
///
/// Most stores lie as an array of handles ([`ArrayPage`](crate::ArrayPage)); a store that packs short rows together lies in a
/// page of its own. Cloning a page shares it, in constant time.
pub trait Page<R: Store<Page = Self>>: Clone + Send + Sync + 'static {
    /// Builds a page from at most [`PAGE_ROWS`] rows; the rest of the page's rows are empty.
    fn build(rows: RowBlock<'_, R::Coord, R::Value>) -> Self;

    /// The row at `slot < PAGE_ROWS`.
    fn row(&self, slot: usize) -> R::Fiber<'_>;

    /// The rows of all [`PAGE_ROWS`] slots, in order. An iterator, and not a fold, so that a kernel's loop body is called from one
    /// place and becomes part of the loop.
    fn rows<'a>(&'a self) -> impl Iterator<Item = R::Fiber<'a>>
    where
        R: 'a;

    /// The page's rows if they lie side by side in memory, but for some, each in ascending order of its coordinates.
    fn side_by_side(&self) -> Option<SideBySide<'_, R::Coord, R::Value>> {
        None
    }

    /// A bit for each row that may hold nonzeros, the first row's lowest.
    #[inline(always)]
    fn filled(&self) -> u64 {
        u64::MAX
    }

    /// Whether both are one page in memory.
    fn is(&self, other: &Self) -> bool {
        let _ = other;
        false
    }

    /// A bit for each row that may be another one than in an older version of the page, the first row's lowest. `same` compares values.
    fn differing(&self, older: &Self, same: SameValues<'_, R::Value>) -> u64 {
        let _ = same;
        self.filled() | older.filled()
    }

    /// Prefetches the page.
    #[inline(always)]
    fn prefetch(&self) {}

    /// Prefetches the reference count that cloning the page raises.
    #[inline(always)]
    fn prefetch_count(&self) {
        self.prefetch();
    }

    /// What is read when all rows are visited. The page itself should have been prefetched some time before.
    #[inline(always)]
    fn ahead(&self) -> Ahead {
        Ahead::nothing()
    }

    /// Prefetches a row. The page itself should have been prefetched some time before.
    #[inline(always)]
    fn prefetch_row(&self, slot: usize) {
        let _ = slot;
    }

    /// Prefetches the memory that changing elements with these coordinates touches. A pointer can be followed only when it has arrived: step
    /// `k` follows `k` pointers from the row. Call it with steps from 0 on, each some time after the one before, while it returns `true`.
    #[inline(always)]
    fn prefetch_change(&self, slot: usize, coords: &[R::Coord], step: usize) -> bool {
        let _ = (coords, step);
        self.prefetch_row(slot);
        false
    }

    /// Applies a part of a batch, all of whose rows lie in this page (`row % PAGE_ROWS` is the slot). In place where nobody shares
    /// the page; otherwise what is touched is copied first.
    fn update(&mut self, batch: SortedBatch<'_, R::Coord, R::Value>, change: Change<'_, R::Value>) -> Counts;

    /// Number of nonzeros in the page.
    fn nnz(&self) -> usize {
        (0..PAGE_ROWS).map(|slot| self.row(slot).len()).sum()
    }

    /// Checks every row; see [`Store::audit_with`].
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold, with the row.
    fn audit_with(&self, value: &mut dyn FnMut(&R::Value) -> Result<(), AuditError>) -> Result<(), AuditError>;

    /// Bytes of the page, itself included.
    fn footprint_with(&self, value: &mut dyn FnMut(&R::Value) -> Footprint) -> Footprint;
}

/// The rows of a page that lie side by side in memory.
#[derive(Clone, Copy, Debug)]
pub struct SideBySide<'a, C, V> {
    /// Where each row ends among the nonzeros; it begins where the row before it ends.
    pub ends: &'a [u16],
    /// A bit for each row that lies elsewhere, the first row's lowest: such a row has no nonzeros here, and [`Page::row`] has them.
    pub elsewhere: u64,
    /// The coordinates of all rows, row after row.
    pub coords: &'a [C],
    /// The values of all rows.
    pub values: &'a [V],
}

impl<'a, C, V> SideBySide<'a, C, V> {
    /// The first `rows` rows in order: stretches of rows that lie side by side, and single rows that lie elsewhere.
    pub fn stretches(self, rows: usize) -> impl Iterator<Item = Stretch<'a, C, V>> {
        let (mut slot, mut from) = (0, 0);
        std::iter::from_fn(move || {
            if slot >= rows.min(self.ends.len()) {
                return None;
            }
            let first = slot;
            if self.elsewhere >> first & 1 != 0 {
                slot += 1;
                return Some(Stretch::Elsewhere(first));
            }
            slot = rows.min(self.ends.len()).min(first + (self.elsewhere >> first).trailing_zeros() as usize);
            let begin = std::mem::replace(&mut from, usize::from(self.ends[slot - 1]));
            Some(Stretch::Here {
                first,
                ends: &self.ends[first..slot],
                begin,
                coords: &self.coords[begin..from],
                values: &self.values[begin..from],
            })
        })
    }
}

/// Consecutive rows of a page.
#[derive(Clone, Copy, Debug)]
pub enum Stretch<'a, C, V> {
    /// Rows that lie side by side.
    Here {
        /// The first of them.
        first: usize,
        /// Where each of them ends, counted as `begin` is.
        ends: &'a [u16],
        /// Where the first of them begins.
        begin: usize,
        /// Their coordinates, row after row.
        coords: &'a [C],
        /// Their values.
        values: &'a [V],
    },
    /// One row that lies elsewhere.
    Elsewhere(usize),
}

/// Steps through a fiber element by element, as merges do.
pub struct Cursor<'a, I: Runs<'a>> {
    runs: I,
    position: usize,
    length: usize,
    coord: Option<I::Coord>,
    marker: std::marker::PhantomData<&'a ()>,
}

impl<'a, I: Runs<'a>> Cursor<'a, I> {
    /// A cursor at the first element.
    #[inline(always)]
    pub fn new(runs: I) -> Self {
        let mut cursor = Cursor { runs, position: 0, length: 0, coord: None, marker: std::marker::PhantomData };
        cursor.next_run();
        cursor
    }

    /// A cursor at the first element of a fiber. This does not compile for a fiber without order, because merges would silently give wrong
    /// results.
    #[inline(always)]
    pub fn over<F: Fiber<'a, Coord = I::Coord, Value = I::Value, Runs = I>>(fiber: F) -> Self {
        const { assert!(F::ORDERED, "this kernel takes rows in ascending order, and this store keeps them in none") };
        Cursor::new(fiber.runs())
    }

    #[inline]
    fn next_run(&mut self) {
        self.position = 0;
        if self.runs.advance() {
            let run = self.runs.run();
            self.length = run.len();
            self.coord = run.coords().first().copied();
        } else {
            self.length = 0;
            self.coord = None;
        }
    }

    /// The coordinate of the current element, `None` at the end.
    #[inline(always)]
    pub fn coord(&self) -> Option<I::Coord> {
        self.coord
    }

    /// The value of the current element.
    ///
    /// # Panics
    ///
    /// At the end.
    #[inline(always)]
    pub fn value(&self) -> &'a I::Value {
        &self.runs.run().values()[self.position]
    }

    /// Moves to the next element.
    #[inline(always)]
    pub fn advance(&mut self) {
        self.position += 1;
        if self.position < self.length {
            self.coord = self.runs.run().coords().get(self.position).copied();
        } else {
            self.next_run();
        }
    }

    /// Calls `f` with the rest of the current run and every run after it; the cursor is at the end afterwards.
    #[inline(always)]
    pub fn rest<F: FnMut(Run<'_, 'a, I::Coord, I::Value>)>(&mut self, mut f: F) {
        while self.length > 0 {
            f(self.runs.run().skip(self.position));
            self.next_run();
        }
    }

    /// Moves to the first element whose coordinate is at least `target`. Skips inside a run by galloping search.
    #[inline]
    pub fn seek(&mut self, target: I::Coord) {
        while let Some(coord) = self.coord {
            if coord >= target {
                return;
            }
            let run = self.runs.run();
            let rest = &run.coords()[self.position..];
            if rest[rest.len() - 1] < target {
                self.next_run();
                continue;
            }
            let mut bound = 1;
            while rest[bound] < target {
                bound *= 2;
                if bound >= rest.len() {
                    bound = rest.len() - 1;
                    break;
                }
            }
            let step = rest[..=bound].partition_point(|&c| c < target);
            self.position += step;
            self.coord = Some(rest[step]);
            return;
        }
    }
}
