//! Values whose `Clone`, `Drop`, `PartialEq` and combiner panic, each of them once at every call there is.
//!
//! What a store holds after such a panic is not said, and what is done with it may panic again (a node may have lost a child). But
//! nothing of that is undefined behaviour, no value is dropped twice, and, unless it was a destructor that panicked, none is lost.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::panicking;

use pleach_runtime::{
    AnyRow, BuildOuter, Change, Dense, Elements, Fiber, MapValues, Nested, NestedAny, PAGE_ROWS, Packed, PackedDelta,
    Paged, RowBatch, RowBlock, SortedBatch, Store, UpdateOuter, replace,
};
use pleach_stores::{Bst, Ctree, CtreeDelta, List, Rbtree, Vblist};

use crate::small::{blist, blist_gaps, blist_prefix, blist_unsorted, btree, ttree};

/// What panics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Panics {
    /// Everything but destructors.
    Calls,
    /// Destructors.
    Drops,
}

thread_local! {
    static WHICH: Cell<Panics> = const { Cell::new(Panics::Calls) };
    /// Calls until the panic; far below zero where none is due.
    static LEFT: Cell<isize> = const { Cell::new(isize::MAX) };
    /// Values that live.
    static ALIVE: Cell<isize> = const { Cell::new(0) };
}

fn call(kind: Panics) {
    if WHICH.get() != kind || panicking() {
        return;
    }
    LEFT.set(LEFT.get() - 1);
    if LEFT.get() == -1 {
        std::panic::resume_unwind(Box::new("the call that panics"));
    }
}

trait Sample: Clone + PartialEq + Send + Sync + 'static {
    fn new(number: u32) -> Self;
}

/// A value with memory of its own, so that a value that is dropped twice, or used when it is gone, is seen.
struct Bomb(Box<u32>);

impl Sample for Bomb {
    fn new(number: u32) -> Self {
        ALIVE.set(ALIVE.get() + 1);
        Bomb(Box::new(number))
    }
}

impl Clone for Bomb {
    fn clone(&self) -> Self {
        call(Panics::Calls);
        Bomb::new(*self.0)
    }
}

impl PartialEq for Bomb {
    fn eq(&self, other: &Self) -> bool {
        call(Panics::Calls);
        self.0 == other.0
    }
}

impl Drop for Bomb {
    fn drop(&mut self) {
        ALIVE.set(ALIVE.get() - 1);
        call(Panics::Drops);
    }
}

/// The same without a size: what counts clones and drops must see them all.
struct Fuse;

impl Sample for Fuse {
    fn new(_: u32) -> Self {
        ALIVE.set(ALIVE.get() + 1);
        Fuse
    }
}

impl Clone for Fuse {
    fn clone(&self) -> Self {
        call(Panics::Calls);
        Fuse::new(0)
    }
}

impl PartialEq for Fuse {
    fn eq(&self, _: &Self) -> bool {
        call(Panics::Calls);
        true
    }
}

impl Drop for Fuse {
    fn drop(&mut self) {
        ALIVE.set(ALIVE.get() - 1);
        call(Panics::Drops);
    }
}

fn combine<V: PartialEq + Clone>(old: &mut V, new: &V) -> bool {
    call(Panics::Calls);
    let changed = replace(old, new);
    call(Panics::Calls);
    changed
}

/// Runs `scenario` with a panic at the first call, at the second, and so on until it ends without one; `far` makes the steps longer
/// from the tenth on, and so does miri, which is slow, unless `PLEACH_EVERY_CALL` is set. After each, `after` does what is still possible with what is left.
fn each_call<T: Default>(far: bool, scenario: impl Fn(&mut T), after: impl Fn(&mut T)) {
    for which in [Panics::Calls, Panics::Drops] {
        let mut at = 0;
        loop {
            ALIVE.set(0);
            let mut held = T::default();
            WHICH.set(which);
            LEFT.set(at);
            let ended = catch_unwind(AssertUnwindSafe(|| scenario(&mut held))).is_ok();
            LEFT.set(isize::MAX);
            after(&mut held);
            drop(held);
            let alive = ALIVE.get();
            match which {
                Panics::Calls => assert_eq!(alive, 0, "values alive after a panic at call {at}"),
                // A destructor that panics may keep others from running.
                Panics::Drops => assert!(alive >= 0, "{alive} values were dropped twice by a panic at drop {at}"),
            }
            if ended {
                break;
            }
            let far = far || cfg!(miri) && std::env::var_os("PLEACH_EVERY_CALL").is_none();
            at += if far && at >= 10 { at / 3 } else { 1 };
        }
    }
}

/// Does something that may panic.
fn attempt<T>(f: impl FnOnce() -> T) {
    drop(catch_unwind(AssertUnwindSafe(f)));
}

fn values<V: Sample>(coords: &[u32]) -> Vec<V> {
    coords.iter().map(|&coord| V::new(coord)).collect()
}

/// Coordinates of which some are heads of a C-tree's chunks, so that the tree below them has nodes.
fn coords() -> Vec<u32> {
    let heads = (0..u32::MAX).filter(|&coord| crate::shape::mix(coord).is_multiple_of(256)).take(4);
    let mut coords: Vec<u32> = heads.flat_map(|head| [head, head + 1, head + 2]).collect();
    coords.sort_unstable();
    coords.dedup();
    coords
}

/// Every second coordinate is there; all are in the batches.
fn rows<S: Store<Coord = u32, Value = V>, V: Sample>(more: impl Fn(&mut Vec<S>)) {
    let all = coords();
    let there: Vec<u32> = all.iter().copied().step_by(2).collect();
    let update = |row: &mut S, coords: &[u32], change: Change<'_, V>| {
        let values = if matches!(change, Change::Delete) { Vec::new() } else { values(coords) };
        row.update(RowBatch { coords, values: &values }, change);
    };
    each_call(
        false,
        |held: &mut Vec<S>| {
            held.push(S::build_row(Elements::drain(&there, &mut values(&there))));
            update(&mut held[0], &all[..5], Change::Insert(&combine));
            held.push(held[0].clone());
            update(&mut held[0], &all[4..8], Change::Insert(&combine));
            update(&mut held[1], &all[3..6], Change::Delete);
            update(&mut held[0], &all[..3], Change::Update(&combine));
            held.push(held[0].clone());
            held[2].each_mut(&all[1..4], &|_, value| {
                combine(value, &V::new(7));
            });
            more(held);
            drop(held.pop());
            held.clear();
        },
        |held| {
            for row in held.iter_mut() {
                attempt(|| row.fiber().fold_runs(0, |len, run| len + run.len()));
                attempt(|| row.fiber().locate(all[0]).is_some());
                attempt(|| row.audit());
                attempt(|| update(row, &all, Change::Insert(&combine)));
                attempt(|| update(row, &all[2..5], Change::Delete));
                attempt(|| row.audit());
            }
        },
    );
}

fn generated<S, Z>()
where
    S: Store<Coord = u32, Value = Bomb> + MapValues<Bomb, Output = S>,
    Z: Store<Coord = u32, Value = Fuse>,
{
    rows::<S, Bomb>(|held| {
        let mapped = held[0].map_values(|_, value| value.clone());
        held.push(mapped);
    });
    rows::<Z, Fuse>(|_| {});
}

#[test]
fn bst() {
    generated::<Bst<Bomb>, Bst<Fuse>>();
}

#[test]
fn btree() {
    generated::<btree::Btree<Bomb>, btree::Btree<Fuse>>();
}

#[test]
fn ctree() {
    generated::<Ctree<Bomb>, Ctree<Fuse>>();
}

#[test]
fn ctree_delta() {
    generated::<CtreeDelta<Bomb>, CtreeDelta<Fuse>>();
}

#[test]
fn rbtree() {
    generated::<Rbtree<Bomb>, Rbtree<Fuse>>();
}

#[test]
fn ttree() {
    generated::<ttree::Ttree<Bomb>, ttree::Ttree<Fuse>>();
}

#[test]
fn list() {
    generated::<List<Bomb>, List<Fuse>>();
}

#[test]
fn vblist() {
    generated::<Vblist<Bomb>, Vblist<Fuse>>();
}

#[test]
fn blist() {
    generated::<blist::Blist<Bomb>, blist::Blist<Fuse>>();
}

#[test]
fn blist_gaps() {
    generated::<blist_gaps::BlistGaps<Bomb>, blist_gaps::BlistGaps<Fuse>>();
}

#[test]
fn blist_prefix() {
    generated::<blist_prefix::BlistPrefix<Bomb>, blist_prefix::BlistPrefix<Fuse>>();
}

#[test]
fn blist_unsorted() {
    generated::<blist_unsorted::BlistUnsorted<Bomb>, blist_unsorted::BlistUnsorted<Fuse>>();
}

#[test]
fn packed_rows() {
    rows::<Packed<u32, Bomb>, Bomb>(|_| {});
    rows::<Packed<u32, Fuse>, Fuse>(|_| {});
    rows::<PackedDelta<u32, Bomb>, Bomb>(|_| {});
    rows::<PackedDelta<u32, Fuse>, Fuse>(|_| {});
}

/// A long row of an outer level: of so many elements.
fn long(len: usize) -> Vec<u32> {
    (0..len as u32).map(|k| 2 * k).collect()
}

/// Rows of a matrix, one of them so long. `far` as in [`each_call`].
fn matrices<O, R, V>(len: usize, far: bool)
where
    V: Sample,
    R: Store<Coord = u32, Value = V>,
    O: BuildOuter<R> + UpdateOuter<R> + 'static,
{
    let row = long(len);
    let coords: Vec<u32> = [1, 2].into_iter().chain(row.iter().copied()).chain([5, 8, 9]).collect();
    let offsets: Vec<usize> = [0, 0, 2, 2, 2 + len, 2 + len, 5 + len].to_vec();
    let odd = [1, 3, 5];
    // Rows 1, 3, 5 and one of the next page.
    let touched = [1, 3, 5, PAGE_ROWS + 1];
    let apply = |outer: &mut dyn UpdateOuter<R>, change: Change<'_, V>| {
        let coords: Vec<u32> = touched.iter().flat_map(|_| odd).collect();
        let values = if matches!(change, Change::Delete) { Vec::new() } else { values(&coords) };
        outer.apply(SortedBatch::new(&touched, &[0, 3, 6, 9, 12], &coords, &values), change);
    };
    // Nearly all of the long row, which then has no place of its own any more.
    let clear = |outer: &mut dyn UpdateOuter<R>| {
        let gone = &row[..len - 1];
        outer.apply(SortedBatch::new(&[3], &[0, gone.len()], gone, &[]), Change::Delete);
    };
    each_call(
        far,
        |held: &mut Vec<Box<dyn UpdateOuter<R>>>| {
            let mut values = values(&coords);
            let block = RowBlock::new(0, &offsets, Elements::drain(&coords, &mut values));
            held.push(Box::new(O::join(PAGE_ROWS, vec![O::build_part(block)])));
            apply(&mut *held[0], Change::Insert(&combine));
            held.push(held[0].share());
            apply(&mut *held[0], Change::Update(&combine));
            apply(&mut *held[1], Change::Delete);
            held.push(held[0].share());
            clear(&mut *held[0]);
            drop(held.pop());
            clear(&mut *held[1]);
            held.clear();
        },
        |held| {
            for outer in held {
                attempt(|| outer.audit_with(&mut |_| Ok(())));
                for row in touched {
                    attempt(|| outer.row(row).map(|row| row.fold_runs(0, |len, run| len + run.len())));
                }
                attempt(|| apply(&mut **outer, Change::Insert(&combine)));
                attempt(|| clear(&mut **outer));
                attempt(|| outer.audit_with(&mut |_| Ok(())));
            }
        },
    );
}

#[test]
fn packed_pages() {
    matrices::<Paged<Packed<u32, Bomb>>, Packed<u32, Bomb>, Bomb>(4, false);
    matrices::<Dense<Packed<u32, Fuse>>, Packed<u32, Fuse>, Fuse>(4, false);
}

#[test]
fn packed_delta_pages() {
    matrices::<Paged<PackedDelta<u32, Bomb>>, PackedDelta<u32, Bomb>, Bomb>(4, false);
    matrices::<Dense<PackedDelta<u32, Fuse>>, PackedDelta<u32, Fuse>, Fuse>(4, false);
}

#[test]
fn array_pages() {
    matrices::<Paged<Bst<Bomb>>, Bst<Bomb>, Bomb>(4, false);
    matrices::<Dense<blist_gaps::BlistGaps<Bomb>>, blist_gaps::BlistGaps<Bomb>, Bomb>(4, false);
}

#[test]
fn stores_of_rows() {
    matrices::<Nested<Bst<Packed<u32, Bomb>>>, Packed<u32, Bomb>, Bomb>(4, false);
    matrices::<NestedAny<Ctree<AnyRow>>, Bst<Bomb>, Bomb>(4, false);
    matrices::<NestedAny<btree::Btree<AnyRow>>, PackedDelta<u32, Bomb>, Bomb>(4, false);
}

/// A row that lies outside of its page, in a block; then one that is a tree of blocks.
#[test]
fn long_packed_rows() {
    matrices::<Paged<Packed<u32, Bomb>>, Packed<u32, Bomb>, Bomb>(255, true);
    matrices::<Paged<Packed<u32, Bomb>>, Packed<u32, Bomb>, Bomb>(510, true);
    matrices::<Paged<PackedDelta<u32, Bomb>>, PackedDelta<u32, Bomb>, Bomb>(510, true);
}
