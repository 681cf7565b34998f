//! Rows of any store behind one type.

use std::marker::PhantomData;
use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;

use pleach_runtime::{Fiber, Run, Runs, Value, par_map, par_ranges};

use crate::Rows;

/// The rows of any matrix, behind one type: what is compiled for it serves every store.
///
/// ```text
///   DynRows ──► row 0: fiber     a fiber is found once, when the view is made, and then in one load,
///               row 1: fiber     whatever the outer level; a fold over a row is one dynamic call, and one
///               row 2: …         a run, never one a nonzero
/// ```
///
/// A program of its own names its store instead; this is for programs that run on a store chosen at run time, and for what is not
/// worth compiling for each. The table is what Aspen calls a flat snapshot (Dhulipala, Blelloch & Shun, *Low-Latency Graph
/// Streaming Using Compressed Purely-Functional Trees*, PLDI 2019, §5.1): it takes a pass over the outer level and some 16 to 32
/// bytes a row. Rows come in ascending order of columns: those of a store without order are sorted each time.
///
/// Processor time of one thread on R-MAT of scale 16 (2M arcs), with the store named in the type and through this view: in `(bst, ctree)` a
/// breadth-first search 5.0 and 4.0 ms, an iteration of PageRank 3.6 and 3.4 ms, since rows are found faster; over static rows 2.0 and 4.0,
/// 2.7 and 3.2.
pub struct DynRows<'m, V: Value> {
    pub(super) rows: Box<dyn ErasedRows<V> + 'm>,
    pub(super) num_cols: usize,
    pub(super) nnz: usize,
}

impl<'m, V: Value> DynRows<'m, V> {
    /// A view of a matrix. Takes a pass over its outer level, not over its nonzeros.
    pub fn of<A: Rows<Value = V>>(matrix: &'m A) -> Self {
        let mut fibers = vec![None; matrix.num_rows()];
        matrix.rows(|coord, row| fibers[coord] = Some(row));
        let rows = Box::new(Flat { fibers, degrees: OnceLock::new(), matrix: PhantomData });
        DynRows { rows, num_cols: matrix.num_cols(), nnz: matrix.nnz() }
    }
}

impl<'m, V: Value> DynRows<'m, V> {
    /// A view without a table: each row is looked up when it is visited. For outer levels that find a row in a few loads, as `paged` and
    /// `dense` do. Takes constant time.
    pub fn direct<A: Rows<Value = V>>(matrix: &'m A) -> Self {
        DynRows { rows: Box::new(Direct(matrix)), num_cols: matrix.num_cols(), nnz: matrix.nnz() }
    }

    /// The same view without the values.
    pub fn into_places(self) -> DynRows<'m, ()> {
        DynRows { rows: Box::new(Pattern(self.rows)), num_cols: self.num_cols, nnz: self.nnz }
    }
}

/// Values of a pattern, as many as any row has: they take no memory.
pub(super) static UNITS: [(); usize::MAX] = [(); usize::MAX];

/// The places of nonzeros without their values.
struct Pattern<'m, V>(Box<dyn ErasedRows<V> + 'm>);

/// A run without its values.
fn places<'c, 'a, V>(run: Run<'c, '_, u32, V>) -> Run<'c, 'a, u32, ()> {
    Run::new(run.coords(), &UNITS[..run.len()])
}

impl<V: Value> ErasedRows<()> for Pattern<'_, V> {
    fn num_rows(&self) -> usize {
        self.0.num_rows()
    }

    fn len(&self, row: usize) -> usize {
        self.0.len(row)
    }

    fn runs<'a>(&'a self, row: usize, in_order: bool, visit: VisitRun<'_, 'a, ()>) {
        self.0.runs(row, in_order, &mut |run| visit(places(run)));
    }

    fn locate(&self, row: usize, col: u32) -> Option<&()> {
        self.0.locate(row, col).map(|_| &())
    }

    fn iterator<'a>(&'a self, row: usize) -> Box<dyn ErasedRuns<'a, ()> + 'a> {
        Box::new(PatternRuns(self.0.iterator(row)))
    }
}

/// The runs of a row without their values.
struct PatternRuns<'a, V>(Box<dyn ErasedRuns<'a, V> + 'a>);

impl<'a, V: Value> ErasedRuns<'a, ()> for PatternRuns<'a, V> {
    fn advance(&mut self) -> bool {
        self.0.advance()
    }

    fn run(&self) -> Run<'_, 'a, u32, ()> {
        places(self.0.run())
    }
}

/// The methods that are called dynamically, with the coordinate of a row.
pub(super) trait ErasedRows<V>: Send + Sync {
    fn num_rows(&self) -> usize;

    /// The number of nonzeros of a row.
    fn len(&self, row: usize) -> usize;

    /// Calls `visit` with each run, in ascending order or in that of storage, until it breaks.
    fn runs<'a>(&'a self, row: usize, in_order: bool, visit: VisitRun<'_, 'a, V>);

    /// The value at a column.
    fn locate(&self, row: usize, col: u32) -> Option<&V>;

    /// A resumable iterator over the runs.
    fn iterator<'a>(&'a self, row: usize) -> Box<dyn ErasedRuns<'a, V> + 'a>;
}

pub(super) type VisitRun<'f, 'a, V> = &'f mut dyn FnMut(Run<'_, 'a, u32, V>) -> ControlFlow<()>;

pub(super) trait ErasedRuns<'a, V> {
    fn advance(&mut self) -> bool;
    fn run(&self) -> Run<'_, 'a, u32, V>;
}

/// Fibers of one type, those that the outer level holds.
struct Flat<'m, F> {
    fibers: Vec<Option<F>>,
    /// The lengths of rows. In stores that do not count, each takes a walk over the nodes of the row, once.
    degrees: OnceLock<Vec<u32>>,
    matrix: PhantomData<&'m ()>,
}

/// Rows whose degrees one task looks up.
pub(super) const ROWS: usize = 1 << 8;

impl<'m, V: Value, F: Fiber<'m, Coord = u32, Value = V> + 'm> ErasedRows<V> for Flat<'m, F> {
    fn num_rows(&self) -> usize {
        self.fibers.len()
    }

    fn len(&self, row: usize) -> usize {
        if self.degrees.get().is_none() {
            let degree = |fiber: &Option<F>| fiber.map_or(0, Fiber::len) as u32;
            let found = par_map(self.fibers.len(), ROWS, |row| degree(&self.fibers[row]));
            // Not computed within: a thread that waits for others meanwhile may pick up a task that waits for these lengths.
            let _ = self.degrees.set(found);
        }
        let degrees = self.degrees.get().expect("set just now, or by another thread");
        degrees[row] as usize
    }

    fn runs<'a>(&'a self, row: usize, in_order: bool, visit: VisitRun<'_, 'a, V>) {
        if let Some(fiber) = self.fibers[row] {
            runs_of(fiber, in_order, visit);
        }
    }

    fn locate(&self, row: usize, col: u32) -> Option<&V> {
        self.fibers[row]?.locate(col)
    }

    fn iterator<'a>(&'a self, row: usize) -> Box<dyn ErasedRuns<'a, V> + 'a> {
        iterator_of(self.fibers[row])
    }
}

/// Rows that are looked up when they are visited.
struct Direct<'m, A>(&'m A);

impl<'m, V: Value, A: Rows<Value = V>> ErasedRows<V> for Direct<'m, A> {
    fn num_rows(&self) -> usize {
        self.0.num_rows()
    }

    fn len(&self, row: usize) -> usize {
        self.0.row(row).map_or(0, Fiber::len)
    }

    fn runs<'a>(&'a self, row: usize, in_order: bool, visit: VisitRun<'_, 'a, V>) {
        if let Some(fiber) = self.0.row(row) {
            runs_of(fiber, in_order, visit);
        }
    }

    fn locate(&self, row: usize, col: u32) -> Option<&V> {
        self.0.row(row)?.locate(col)
    }

    fn iterator<'a>(&'a self, row: usize) -> Box<dyn ErasedRuns<'a, V> + 'a> {
        iterator_of(self.0.row(row))
    }
}

/// Calls `visit` with each run of a row, in ascending order or in that of storage, until it breaks.
fn runs_of<'a, 'm: 'a, V: 'm, F: Fiber<'m, Coord = u32, Value = V>>(
    fiber: F,
    in_order: bool,
    visit: VisitRun<'_, 'a, V>,
) {
    if in_order && !F::ORDERED {
        let _ = sorted(fiber).iter().try_for_each(|(coord, value)| visit(Run::one(coord, value)));
    } else if in_order {
        let _ = fiber.try_fold_runs((), |(), run| visit(run));
    } else {
        // The order of storage cannot break off: what comes after a break is not shown.
        let mut going = ControlFlow::Continue(());
        fiber.fold_storage((), |(), run| {
            if going.is_continue() {
                going = visit(run);
            }
        });
    }
}

/// A resumable iterator over the runs of a row, if there is one.
fn iterator_of<'a, 'm: 'a, V: Value, F: Fiber<'m, Coord = u32, Value = V> + 'm>(
    fiber: Option<F>,
) -> Box<dyn ErasedRuns<'a, V> + 'a> {
    match fiber {
        None => Box::new(Sorted::new(Vec::new())),
        Some(fiber) if F::ORDERED => Box::new(Stepped(fiber.runs())),
        Some(fiber) => Box::new(Sorted::new(sorted(fiber))),
    }
}

/// The nonzeros of a row without order, ascending.
fn sorted<'a, V: 'a, F: Fiber<'a, Coord = u32, Value = V>>(fiber: F) -> Vec<(u32, &'a V)> {
    let mut nonzeros = Vec::new();
    fiber.fold_storage((), |(), run| nonzeros.extend(run.iter()));
    nonzeros.sort_unstable_by_key(|nonzero| nonzero.0);
    nonzeros
}

/// The iterator of a store in order.
struct Stepped<I>(I);

impl<'a, 'm: 'a, V: 'm, I: Runs<'m, Coord = u32, Value = V>> ErasedRuns<'a, V> for Stepped<I> {
    fn advance(&mut self) -> bool {
        self.0.advance()
    }

    fn run(&self) -> Run<'_, 'a, u32, V> {
        self.0.run()
    }
}

/// Nonzeros that have been sorted, the current one before `next`.
pub(super) struct Sorted<'a, V> {
    nonzeros: Vec<(u32, &'a V)>,
    next: usize,
}

impl<'a, V> Sorted<'a, V> {
    pub(super) fn new(nonzeros: Vec<(u32, &'a V)>) -> Self {
        Sorted { nonzeros, next: 0 }
    }
}

impl<'a, V> ErasedRuns<'a, V> for Sorted<'a, V> {
    fn advance(&mut self) -> bool {
        self.next = self.next.saturating_add(1);
        self.next <= self.nonzeros.len()
    }

    fn run(&self) -> Run<'_, 'a, u32, V> {
        match self.next.checked_sub(1).and_then(|at| self.nonzeros.get(at)) {
            Some((coord, value)) => Run::one(coord, value),
            None => Run::empty(),
        }
    }
}

/// A row of [`DynRows`].
pub struct DynRow<'a, V> {
    rows: &'a dyn ErasedRows<V>,
    row: usize,
}

impl<V> Clone for DynRow<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for DynRow<'_, V> {}

/// The resumable iterator of a [`DynRow`].
pub struct DynRuns<'a, V> {
    runs: Box<dyn ErasedRuns<'a, V> + 'a>,
}

impl<'a, V: Value> Runs<'a> for DynRuns<'a, V> {
    type Coord = u32;
    type Value = V;

    fn advance(&mut self) -> bool {
        self.runs.advance()
    }

    fn run(&self) -> Run<'_, 'a, u32, V> {
        self.runs.run()
    }
}

impl<'a, V: Value> Fiber<'a> for DynRow<'a, V> {
    type Coord = u32;
    type Value = V;
    type Runs = DynRuns<'a, V>;
    const ORDERED: bool = true;

    fn len(self) -> usize {
        self.rows.len(self.row)
    }

    fn runs(self) -> DynRuns<'a, V> {
        DynRuns { runs: self.rows.iterator(self.row) }
    }

    fn try_fold_runs<A, B, F>(self, init: A, mut f: F) -> ControlFlow<B, A>
    where
        F: FnMut(A, Run<'_, 'a, u32, V>) -> ControlFlow<B, A>,
    {
        // Taken out while `f` has it, and back before the next run.
        let (mut state, mut broken) = (Some(init), None);
        self.rows.runs(self.row, true, &mut |run| {
            let Some(taken) = state.take() else { return ControlFlow::Break(()) };
            match f(taken, run) {
                ControlFlow::Continue(next) => {
                    state = Some(next);
                    ControlFlow::Continue(())
                }
                ControlFlow::Break(value) => {
                    broken = Some(value);
                    ControlFlow::Break(())
                }
            }
        });
        match (state, broken) {
            (_, Some(value)) => ControlFlow::Break(value),
            (Some(state), None) => ControlFlow::Continue(state),
            (None, None) => unreachable!("the state is back after every run"),
        }
    }

    fn fold_storage<A, F>(self, init: A, mut f: F) -> A
    where
        F: FnMut(A, Run<'_, 'a, u32, V>) -> A,
    {
        let mut state = Some(init);
        self.rows.runs(self.row, false, &mut |run| {
            state = state.take().map(|state| f(state, run));
            ControlFlow::Continue(())
        });
        state.expect("the state is back after every run")
    }

    fn locate(self, coord: u32) -> Option<&'a V> {
        self.rows.locate(self.row, coord)
    }
}

impl<V: Value> Rows for DynRows<'_, V> {
    type Value = V;
    type Fiber<'a>
        = DynRow<'a, V>
    where
        Self: 'a;

    fn num_rows(&self) -> usize {
        self.rows.num_rows()
    }

    fn num_cols(&self) -> usize {
        self.num_cols
    }

    fn nnz(&self) -> usize {
        self.nnz
    }

    fn row(&self, coord: usize) -> Option<DynRow<'_, V>> {
        (coord < self.num_rows()).then_some(DynRow { rows: &*self.rows, row: coord })
    }

    fn par_rows<'a, F: Fn(usize, DynRow<'a, V>) + Sync>(&'a self, visit: F) {
        self.par_rows_where(|_| true, visit);
    }

    fn par_rows_where<'a, W, F>(&'a self, wanted: W, visit: F)
    where
        W: Fn(usize) -> bool + Sync,
        F: Fn(usize, DynRow<'a, V>) + Sync,
    {
        par_ranges(self.num_rows(), ROWS / 8, &|rows: Range<usize>| {
            for row in rows.filter(|&row| wanted(row)) {
                visit(row, DynRow { rows: &*self.rows, row });
            }
        });
    }

    fn try_rows<'a, B, F>(&'a self, mut visit: F) -> ControlFlow<B>
    where
        F: FnMut(usize, DynRow<'a, V>) -> ControlFlow<B>,
    {
        (0..self.num_rows()).try_for_each(|row| visit(row, DynRow { rows: &*self.rows, row }))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use pleach_runtime::{Dense, Nested, Store};
    use pleach_stores::{BlistUnsorted, Bst, Ctree};

    use super::*;
    use crate::{Batch, BuildOptions, Csr, EdgeList, Matrix};

    fn edges() -> EdgeList<f64> {
        let mut edges = EdgeList::new(300, 200);
        for k in 0..2000u32 {
            edges.push(k * k % 257, k * 7 % 200, f64::from(k));
        }
        edges
    }

    /// Everything that a view says of its rows equals what static rows hold.
    pub(in crate::traverse) fn equals_static_rows(view: &DynRows<'_, f64>, csr: &Csr<f64>) {
        assert_eq!((view.num_rows(), view.num_cols(), view.nnz()), (csr.num_rows(), csr.num_cols(), csr.nnz()));
        assert_eq!(view.row_degrees(), csr.view().row_degrees());
        assert!(view.row(csr.num_rows()).is_none());
        for (i, expected) in csr.view().rows().enumerate() {
            let row = view.row(i).expect("the row is there");
            let expected: Vec<(u32, f64)> = expected.iter().map(|(coord, &value)| (coord, value)).collect();
            let collect = |mut found: Vec<(u32, f64)>, run: Run<'_, '_, u32, f64>| {
                found.extend(run.iter().map(|(coord, &value)| (coord, value)));
                found
            };
            assert_eq!(row.fold_runs(Vec::new(), collect), expected, "row {i}");
            let mut stored = row.fold_storage(Vec::new(), collect);
            stored.sort_by_key(|nonzero| nonzero.0);
            assert_eq!(stored, expected, "row {i}");
            let (mut runs, mut stepped) = (row.runs(), Vec::new());
            while runs.advance() {
                stepped = collect(stepped, runs.run());
            }
            assert_eq!(stepped, expected, "row {i}");
            assert!(!runs.advance() && runs.run().is_empty());
            assert!(expected.iter().all(|&(coord, value)| row.locate(coord) == Some(&value)));
            assert!(row.locate(199).is_none() || expected.iter().any(|nonzero| nonzero.0 == 199));
            let first = row.try_fold_runs((), |(), run| match run.iter().next() {
                Some((coord, _)) => ControlFlow::Break(coord),
                None => ControlFlow::Continue(()),
            });
            assert_eq!(first.break_value(), expected.first().map(|nonzero| nonzero.0), "row {i}");
        }
    }

    #[test]
    fn a_view_of_any_store_holds_its_rows_in_order() {
        let (edges, options) = (edges(), BuildOptions::default());
        let (csr, _) = Csr::from_edges(&edges, &options).expect("arcs are in range");
        equals_static_rows(&DynRows::of(&csr.view()), &csr);
        let (tree, _) = Matrix::<Ctree<f64>>::from_edges::<Nested<Bst<_>>>(&edges, &options).expect("in range");
        equals_static_rows(&DynRows::of(&tree), &csr);
        equals_static_rows(&DynRows::direct(&tree), &csr);
        let mut unsorted = Matrix::<BlistUnsorted<f64>>::from_edges::<Dense<_>>(&edges, &options).expect("in range").0;
        const { assert!(!<BlistUnsorted<f64> as Store>::Fiber::<'_>::ORDERED) };
        // What was deleted and inserted again lies somewhere else.
        let moved = |value| Batch::weighted((0..100).map(|k| (k, k, value)), |_, last| last);
        unsorted.insert(&moved(1.0)).unwrap();
        unsorted.delete(&moved(0.0)).unwrap();
        let mut list = EdgeList::new(300, 200);
        csr.view().rows().enumerate().for_each(|(i, row)| {
            row.iter().filter(|&(j, _)| i >= 100 || j != i as u32).for_each(|(j, &v)| list.push(i as u32, j, v));
        });
        let (csr, _) = Csr::from_edges(&list, &options).expect("arcs are in range");
        equals_static_rows(&DynRows::of(&unsorted), &csr);
    }

    #[test]
    fn a_view_of_places_holds_them_all() {
        let (edges, options) = (edges(), BuildOptions::default());
        let (tree, _) = Matrix::<Ctree<f64>>::from_edges::<Nested<Bst<_>>>(&edges, &options).expect("in range");
        let (view, whole) = (DynRows::of(&tree).into_places(), DynRows::of(&tree));
        assert_eq!((view.num_rows(), view.num_cols(), view.nnz()), (whole.num_rows(), whole.num_cols(), whole.nnz()));
        assert_eq!(view.row_degrees(), whole.row_degrees());
        for row in 0..view.num_rows() {
            let (places, values) = (view.row(row).expect("it is there"), whole.row(row).expect("it is there"));
            let coords = |mut all: Vec<u32>, coords: &[u32]| {
                all.extend_from_slice(coords);
                all
            };
            let found = places.fold_runs(Vec::new(), |all, run| coords(all, run.coords()));
            assert_eq!(found, values.fold_runs(Vec::new(), |all, run| coords(all, run.coords())));
            let (mut runs, mut stepped) = (places.runs(), Vec::new());
            while runs.advance() {
                stepped = coords(stepped, runs.run().coords());
            }
            assert_eq!(stepped, found);
            assert!(found.iter().all(|&col| places.locate(col).is_some()) && places.locate(200).is_none());
        }
    }

    #[test]
    fn a_view_of_nothing_is_empty() {
        let csr = Csr::<()>::default();
        let view = csr.view();
        let view = DynRows::of(&view);
        assert_eq!((view.num_rows(), view.nnz()), (0, 0));
        assert!(view.row(0).is_none());
        view.par_rows(|_, _| unreachable!("there is no row"));
    }
}
