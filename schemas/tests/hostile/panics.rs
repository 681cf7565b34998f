//! Values whose `Clone`, `Drop`, `PartialEq` and combiner panic, each of them once at every call there is.
//!
//! The tests check what the front page of `pleach_runtime` promises. The store passes the audit that is derived from its schema. It holds
//! what it held, with a part of the batch applied: what the batch does not name is as it was, and what it names is as it was or as the
//! batch makes it. Handles that share nodes with it hold what they held. The next batch is applied as to any other store. No value is
//! dropped twice, and, unless it was a destructor that panicked, none is leaked.

use std::cell::Cell;
use std::collections::BTreeSet;
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

    /// What it was made of, or zero.
    fn number(&self) -> u32;
}

/// A value with memory of its own, so that a value that is dropped twice, or used when it is gone, is seen.
struct Bomb(Box<u32>);

impl Sample for Bomb {
    fn new(number: u32) -> Self {
        ALIVE.set(ALIVE.get() + 1);
        Bomb(Box::new(number))
    }

    fn number(&self) -> u32 {
        *self.0
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

    fn number(&self) -> u32 {
        0
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

/// Whether few calls panic: in miri, which is slow, unless `PLEACH_FULL_SIZE` is set.
const FEW: bool = cfg!(miri) && option_env!("PLEACH_FULL_SIZE").is_none();

/// Of what is held, what a further batch is applied to: all, but the first only if few calls panic.
fn further<T>(held: &mut [T]) -> &mut [T] {
    let count = if FEW { held.len().min(1) } else { held.len() };
    &mut held[..count]
}

/// Runs `scenario` with a panic at the first call, at the second, and so on until it ends without one; `far` makes the steps longer
/// from the tenth on. If [`FEW`] are to panic, these are the calls 0, 7, 63 and so on. After each, `after` checks what is left.
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
            at += match (FEW, far) {
                (true, _) => 7 * at + 7,
                (_, true) if at >= 10 => at / 3,
                _ => 1,
            };
        }
    }
}

/// What a batch does to what it names.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Insert,
    Update,
    Delete,
}

impl Kind {
    fn change<'a, V: Sample>(self) -> Change<'a, V> {
        match self {
            Kind::Insert => Change::Insert(&combine),
            Kind::Update => Change::Update(&combine),
            Kind::Delete => Change::Delete,
        }
    }
}

/// Places of nonzeros: row and coordinate.
type Places = BTreeSet<(usize, u32)>;

/// A batch: what it does, and where.
type Batch = (Kind, Vec<(usize, u32)>);

/// What a store must hold.
#[derive(Clone, Default)]
struct Model {
    /// What it held before the batch that is under way.
    places: Places,
    /// The batch that is under way.
    batch: Option<Batch>,
}

impl Model {
    fn of(places: impl IntoIterator<Item = (usize, u32)>) -> Self {
        Model { places: places.into_iter().collect(), batch: None }
    }

    fn begin(&mut self, kind: Kind, named: impl IntoIterator<Item = (usize, u32)>) {
        self.batch = Some((kind, named.into_iter().collect()));
    }

    /// The batch that was begun has been applied.
    fn end(&mut self) {
        match self.batch.take() {
            Some((Kind::Insert, named)) => self.places.extend(named),
            Some((Kind::Delete, named)) => self.places.retain(|place| !named.contains(place)),
            Some((Kind::Update, _)) | None => {}
        }
    }

    /// Checks that what is held is what was held, with a part of the batch that was under way applied; takes it as what must be held now.
    fn check(&mut self, held: Places) {
        let mut all = self.clone();
        all.end();
        let sure: Places = self.places.intersection(&all.places).copied().collect();
        let possible: Places = self.places.union(&all.places).copied().collect();
        let lost: Vec<_> = sure.difference(&held).collect();
        let added: Vec<_> = held.difference(&possible).collect();
        assert!(lost.is_empty() && added.is_empty(), "lost {lost:?}, added {added:?}, batch {:?}", self.batch);
        self.places = held;
        self.batch = None;
    }
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

/// A row that is held, and what must be in it.
type HeldRow<S> = (S, Model);

fn update<S: Store<Coord = u32, Value = V>, V: Sample>((row, model): &mut HeldRow<S>, coords: &[u32], kind: Kind) {
    model.begin(kind, coords.iter().map(|&coord| (0, coord)));
    let values = if kind == Kind::Delete { Vec::new() } else { values(coords) };
    row.update(RowBatch { coords, values: &values }, kind.change());
    model.end();
}

/// Audits a row and checks what it holds.
fn check<S: Store<Coord = u32, Value = V>, V: Sample>((row, model): &mut HeldRow<S>) {
    row.audit().unwrap();
    let mut held = Places::new();
    row.fiber().fold_runs((), |(), run| {
        for (coord, value) in run.iter() {
            assert!(held.insert((0, coord)), "coordinate {coord} occurs twice");
            assert!([0, 7, coord].contains(&value.number()), "coordinate {coord} has the value {}", value.number());
        }
    });
    assert!(held.iter().all(|&(_, coord)| row.fiber().locate(coord).is_some()), "what is there is found");
    model.check(held);
}

/// Every second coordinate is there; all are in the batches.
fn rows<S: Store<Coord = u32, Value = V>, V: Sample>(more: impl Fn(&mut Vec<HeldRow<S>>)) {
    let all = coords();
    let there: Vec<u32> = all.iter().copied().step_by(2).collect();
    // The heads of chunks, whose chunks go to others if they are deleted.
    let heads: Vec<u32> = all.iter().copied().step_by(3).collect();
    each_call(
        false,
        |held: &mut Vec<HeldRow<S>>| {
            let row = S::build_row(Elements::drain(&there, &mut values(&there)));
            held.push((row, Model::of(there.iter().map(|&coord| (0, coord)))));
            update(&mut held[0], &all[..5], Kind::Insert);
            held.push(held[0].clone());
            update(&mut held[0], &all[4..8], Kind::Insert);
            update(&mut held[1], &all[3..6], Kind::Delete);
            update(&mut held[0], &all[..3], Kind::Update);
            held.push(held[0].clone());
            held[2].0.each_mut(&all[1..4], &|_, value| {
                combine(value, &V::new(7));
            });
            // Nodes that are no longer shared are changed in place.
            held.truncate(1);
            update(&mut held[0], &all[2..7], Kind::Delete);
            update(&mut held[0], &all, Kind::Insert);
            held.push(held[0].clone());
            update(&mut held[1], &heads, Kind::Delete);
            held.truncate(1);
            update(&mut held[0], &heads, Kind::Delete);
            update(&mut held[0], &all[5..], Kind::Delete);
            more(held);
            drop(held.pop());
            held.clear();
        },
        |held| {
            held.iter_mut().for_each(check);
            for row in further(held) {
                update(row, &all, Kind::Insert);
                check(row);
                update(row, &all[2..5], Kind::Delete);
                check(row);
                update(row, &all, Kind::Delete);
                check(row);
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
        let mapped = held[0].0.map_values(|_, value| value.clone());
        held.push((mapped, held[0].1.clone()));
    });
    rows::<Z, Fuse>(|_| {});
}

#[cfg(any(not(part), part = "trees"))]
#[test]
fn bst() {
    generated::<Bst<Bomb>, Bst<Fuse>>();
}

#[cfg(any(not(part), part = "trees"))]
#[test]
fn btree() {
    generated::<btree::Btree<Bomb>, btree::Btree<Fuse>>();
}

#[cfg(any(not(part), part = "trees"))]
#[test]
fn ctree() {
    generated::<Ctree<Bomb>, Ctree<Fuse>>();
}

#[cfg(any(not(part), part = "trees"))]
#[test]
fn ctree_delta() {
    generated::<CtreeDelta<Bomb>, CtreeDelta<Fuse>>();
}

#[cfg(any(not(part), part = "trees"))]
#[test]
fn rbtree() {
    generated::<Rbtree<Bomb>, Rbtree<Fuse>>();
}

#[cfg(any(not(part), part = "trees"))]
#[test]
fn ttree() {
    generated::<ttree::Ttree<Bomb>, ttree::Ttree<Fuse>>();
}

#[cfg(any(not(part), part = "lists"))]
#[test]
fn list() {
    generated::<List<Bomb>, List<Fuse>>();
}

#[cfg(any(not(part), part = "lists"))]
#[test]
fn vblist() {
    generated::<Vblist<Bomb>, Vblist<Fuse>>();
}

#[cfg(any(not(part), part = "lists"))]
#[test]
fn blist() {
    generated::<blist::Blist<Bomb>, blist::Blist<Fuse>>();
}

#[cfg(any(not(part), part = "lists"))]
#[test]
fn blist_gaps() {
    generated::<blist_gaps::BlistGaps<Bomb>, blist_gaps::BlistGaps<Fuse>>();
}

#[cfg(any(not(part), part = "lists"))]
#[test]
fn blist_prefix() {
    generated::<blist_prefix::BlistPrefix<Bomb>, blist_prefix::BlistPrefix<Fuse>>();
}

#[cfg(any(not(part), part = "lists"))]
#[test]
fn blist_unsorted() {
    generated::<blist_unsorted::BlistUnsorted<Bomb>, blist_unsorted::BlistUnsorted<Fuse>>();
}

#[cfg(any(not(part), part = "pages"))]
#[test]
fn packed_rows() {
    rows::<Packed<u32, Bomb>, Bomb>(|_| {});
    rows::<Packed<u32, Fuse>, Fuse>(|_| {});
    rows::<PackedDelta<u32, Bomb>, Bomb>(|_| {});
    rows::<PackedDelta<u32, Fuse>, Fuse>(|_| {});
}

/// A matrix that is held, and what must be in it.
type HeldRows<R> = (Box<dyn UpdateOuter<R>>, Model);

fn apply<R: Store<Coord = u32, Value = V>, V: Sample>(
    (outer, model): &mut HeldRows<R>,
    rows: &[usize],
    coords: &[u32],
    kind: Kind,
) {
    model.begin(kind, rows.iter().flat_map(|&row| coords.iter().map(move |&coord| (row, coord))));
    let all: Vec<u32> = rows.iter().flat_map(|_| coords).copied().collect();
    let offsets: Vec<usize> = (0..=rows.len()).map(|row| row * coords.len()).collect();
    let values = if kind == Kind::Delete { Vec::new() } else { values(&all) };
    outer.apply(SortedBatch::new(rows, &offsets, &all, &values), kind.change());
    model.end();
}

/// Audits a matrix and checks what it holds.
fn check_rows<R: Store<Coord = u32, Value = V>, V: Sample>((outer, model): &mut HeldRows<R>) {
    outer.audit_with(&mut |_| Ok(())).unwrap();
    let mut held = Places::new();
    for row in 0..PAGE_ROWS + 2 {
        let Some(fiber) = outer.row(row) else { continue };
        let before = held.len();
        fiber.fold_runs((), |(), run| {
            for (coord, value) in run.iter() {
                assert!(held.insert((row, coord)), "({row}, {coord}) occurs twice");
                assert!([0, coord].contains(&value.number()), "({row}, {coord}) has the value {}", value.number());
            }
        });
        assert_eq!(fiber.len(), held.len() - before, "the length of row {row}");
    }
    model.check(held);
}

/// Rows of a matrix, one of them so long. `far` as in [`each_call`].
fn matrices<O, R, V>(len: usize, far: bool)
where
    V: Sample,
    R: Store<Coord = u32, Value = V>,
    O: BuildOuter<R> + UpdateOuter<R> + 'static,
{
    let long: Vec<u32> = (0..len as u32).map(|k| 2 * k).collect();
    let coords: Vec<u32> = [1, 2].into_iter().chain(long.iter().copied()).chain([5, 8, 9]).collect();
    let offsets: Vec<usize> = [0, 0, 2, 2, 2 + len, 2 + len, 5 + len].to_vec();
    let places =
        || (0..6).flat_map(|row| coords[offsets[row]..offsets[row + 1]].iter().map(move |&coord| (row, coord)));
    let odd = [1, 3, 5];
    // Rows 1, 3, 5 and one of the next page.
    let touched = [1, 3, 5, PAGE_ROWS + 1];
    // Nearly all of the long row, which then has no place of its own any more.
    let gone = &long[..len - 1];
    each_call(
        far,
        |held: &mut Vec<HeldRows<R>>| {
            let mut values = values(&coords);
            let block = RowBlock::new(0, &offsets, Elements::drain(&coords, &mut values));
            held.push((Box::new(O::join(PAGE_ROWS, vec![O::build_part(block)])), Model::of(places())));
            apply(&mut held[0], &touched, &odd, Kind::Insert);
            held.push((held[0].0.share(), held[0].1.clone()));
            apply(&mut held[0], &touched, &odd, Kind::Update);
            apply(&mut held[1], &touched, &odd, Kind::Delete);
            held.push((held[0].0.share(), held[0].1.clone()));
            apply(&mut held[0], &[3], gone, Kind::Delete);
            drop(held.pop());
            apply(&mut held[1], &[3], gone, Kind::Delete);
            held.clear();
        },
        |held| {
            held.iter_mut().for_each(check_rows);
            for outer in further(held) {
                apply(outer, &touched, &odd, Kind::Insert);
                check_rows(outer);
                apply(outer, &[3], gone, Kind::Delete);
                check_rows(outer);
            }
        },
    );
}

#[cfg(any(not(part), part = "pages"))]
#[test]
fn packed_pages() {
    matrices::<Paged<Packed<u32, Bomb>>, Packed<u32, Bomb>, Bomb>(4, false);
    if !FEW {
        matrices::<Dense<Packed<u32, Fuse>>, Packed<u32, Fuse>, Fuse>(4, false);
    }
}

#[cfg(any(not(part), part = "pages"))]
#[test]
fn packed_delta_pages() {
    matrices::<Paged<PackedDelta<u32, Bomb>>, PackedDelta<u32, Bomb>, Bomb>(4, false);
    matrices::<Dense<PackedDelta<u32, Fuse>>, PackedDelta<u32, Fuse>, Fuse>(4, false);
}

#[cfg(any(not(part), part = "pages"))]
#[test]
fn array_pages() {
    matrices::<Paged<Bst<Bomb>>, Bst<Bomb>, Bomb>(4, false);
    matrices::<Dense<blist_gaps::BlistGaps<Bomb>>, blist_gaps::BlistGaps<Bomb>, Bomb>(4, false);
}

#[cfg(any(not(part), part = "pages"))]
#[test]
fn stores_of_rows() {
    matrices::<Nested<Bst<Packed<u32, Bomb>>>, Packed<u32, Bomb>, Bomb>(4, false);
    matrices::<NestedAny<Ctree<AnyRow>>, Bst<Bomb>, Bomb>(4, false);
    matrices::<NestedAny<btree::Btree<AnyRow>>, PackedDelta<u32, Bomb>, Bomb>(4, false);
}

/// A row that lies outside of its page, in a block; then one that is a tree of blocks.
#[cfg(any(not(part), part = "pages"))]
#[test]
fn long_packed_rows() {
    matrices::<Paged<Packed<u32, Bomb>>, Packed<u32, Bomb>, Bomb>(255, true);
    matrices::<Paged<Packed<u32, Bomb>>, Packed<u32, Bomb>, Bomb>(510, true);
    matrices::<Paged<PackedDelta<u32, Bomb>>, PackedDelta<u32, Bomb>, Bomb>(510, true);
}
