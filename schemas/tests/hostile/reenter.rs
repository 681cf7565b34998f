//! Values whose `Clone`, `Drop` and `PartialEq` change other stores, which share threads, pools and buffers with the one that calls them.

use std::cell::{Cell, RefCell};

use pleach_runtime::{
    BuildOuter, Change, Dense, Elements, Fiber, Nested, Packed, PackedDelta, Paged, RowBatch, RowBlock, SortedBatch,
    Store, UpdateOuter, replace,
};
use pleach_stores::{BlistGaps, Bst, Btree, Ctree, CtreeDelta, List};

/// Stores that the values' methods change.
#[derive(Default)]
struct Others {
    tree: Bst<u32>,
    chunks: Ctree<u32>,
    packed: Packed<u32, u32>,
}

thread_local! {
    /// Taken while one of them is changed.
    static OTHERS: RefCell<Option<Others>> = const { RefCell::new(None) };
    static CALLS: Cell<u32> = const { Cell::new(0) };
    static ALIVE: Cell<isize> = const { Cell::new(0) };
}

/// Inserts into the others, deletes from them, and drops what only a clone of them holds.
fn change_others() {
    CALLS.set(CALLS.get() + 1);
    let mut others = OTHERS.with_borrow_mut(Option::take).unwrap_or_default();
    let coords: Vec<u32> = (0..8).map(|k| CALLS.get() % 13 * 50 + k).collect();
    let old = (others.tree.clone(), others.chunks.clone(), others.packed.clone());
    let batch = RowBatch { coords: &coords, values: &coords };
    let change = if CALLS.get().is_multiple_of(3) { Change::Delete } else { Change::Insert(&replace) };
    others.tree.update(batch, change);
    others.chunks.update(batch, change);
    others.packed.update(batch, change);
    drop(old);
    OTHERS.set(Some(others));
}

#[derive(Debug)]
struct Busy(Box<u32>);

impl Busy {
    fn new(number: u32) -> Self {
        ALIVE.set(ALIVE.get() + 1);
        Busy(Box::new(number))
    }
}

impl Clone for Busy {
    fn clone(&self) -> Self {
        change_others();
        Busy::new(*self.0)
    }
}

impl PartialEq for Busy {
    fn eq(&self, other: &Self) -> bool {
        change_others();
        self.0 == other.0
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        change_others();
        ALIVE.set(ALIVE.get() - 1);
    }
}

fn values(coords: &[u32]) -> Vec<Busy> {
    coords.iter().map(|&coord| Busy::new(coord)).collect()
}

/// The others are sound, and nothing is left alive.
fn check_others() {
    let others = OTHERS.take().expect("values that changed the others");
    others.tree.audit().unwrap();
    others.chunks.audit().unwrap();
    others.packed.audit().unwrap();
    assert_eq!(others.tree.fiber().len(), others.packed.fiber().len());
    assert_eq!(ALIVE.get(), 0);
}

fn row<S: Store<Coord = u32, Value = Busy>>() {
    let even: Vec<u32> = (0..40).map(|k| 2 * k).collect();
    let some: Vec<u32> = (0..30).map(|k| 3 * k).collect();
    let mut row = S::build_row(Elements::drain(&even, &mut values(&even)));
    let held = row.clone();
    let counts = row.update(RowBatch { coords: &some, values: &values(&some) }, Change::Insert(&replace));
    assert_eq!((counts.new, counts.unchanged), (16, 14));
    let counts = row.update(RowBatch { coords: &even[5..], values: &[] }, Change::Delete);
    assert_eq!(counts.removed, 35);
    row.audit().unwrap();
    assert_eq!((row.fiber().len(), held.fiber().len()), (21, 40));
    row.fiber().fold_runs((), |(), run| run.iter().for_each(|(coord, value)| assert_eq!(coord, *value.0)));
    drop((row, held));
    check_others();
}

#[test]
fn rows() {
    row::<Bst<Busy>>();
    row::<Btree<Busy>>();
    row::<Ctree<Busy>>();
    row::<CtreeDelta<Busy>>();
    row::<List<Busy>>();
    row::<BlistGaps<Busy>>();
    row::<Packed<u32, Busy>>();
    row::<PackedDelta<u32, Busy>>();
}

fn matrix<O: BuildOuter<R> + UpdateOuter<R>, R: Store<Coord = u32, Value = Busy>>() {
    let coords: Vec<u32> = (0..12).chain(0..12).collect();
    let mut own = values(&coords);
    let block = RowBlock::new(0, &[0, 12, 12, 24], Elements::drain(&coords, &mut own));
    let mut outer = O::join(3, vec![O::build_part(block)]);
    let held = outer.share();
    let some = [3, 20, 3, 20];
    outer.apply(SortedBatch::new(&[0, 1], &[0, 2, 4], &some, &values(&some)), Change::Insert(&replace));
    outer.apply(SortedBatch::new(&[2], &[0, 11], &coords[1..12], &[]), Change::Delete);
    outer.audit_with(&mut |_| Ok(())).unwrap();
    held.audit_with(&mut |_| Ok(())).unwrap();
    let len = |row| outer.row(row).map_or(0, Fiber::len);
    assert_eq!([len(0), len(1), len(2)], [13, 2, 1]);
    drop((outer, held));
    check_others();
}

#[test]
fn matrices() {
    matrix::<Paged<Packed<u32, Busy>>, Packed<u32, Busy>>();
    matrix::<Dense<PackedDelta<u32, Busy>>, PackedDelta<u32, Busy>>();
    matrix::<Dense<Bst<Busy>>, Bst<Busy>>();
    matrix::<Nested<Ctree<Packed<u32, Busy>>>, Packed<u32, Busy>>();
}
