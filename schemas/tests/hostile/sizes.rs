//! Types of values that are larger than memory, of which there is no value: nodes with empty slots for them must not overflow.

use std::panic::catch_unwind;

use pleach_runtime::{Elements, Packed, PackedDelta, Store, Value};

/// Eight of these are exactly 2^64 bytes less or more than nothing.
type Huge = [u8; 1 << 60];

#[test]
fn slots_for_values_larger_than_memory_are_refused() {
    // The message of a layout that does not fit, and not that of an overflow that only debug builds notice.
    let message = |result: std::thread::Result<()>| *result.unwrap_err().downcast::<&str>().expect("a plain message");
    let gaps = catch_unwind(|| drop(pleach_stores::blist_gaps::nodes::Blist::<Huge>::reserve()));
    assert_eq!(message(gaps), "a node that fits into memory");
    let prefix = catch_unwind(|| drop(pleach_stores::blist_prefix::nodes::Blist::<Huge>::reserve()));
    assert_eq!(message(prefix), "a node that fits into memory");
}

#[test]
fn rows_without_values_larger_than_memory_are_fine() {
    fn empty<S: Store>() {
        let row = S::build_row(Elements::none());
        row.audit().unwrap();
        assert_eq!(row.clone().footprint().bytes, 0);
    }
    empty::<Packed<u32, Huge>>();
    empty::<PackedDelta<u64, Huge>>();
    empty::<pleach_stores::Vblist<Huge>>();
}

/// Aligned more strictly than anything that the pool serves.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(4096))]
struct Aligned(u8);

/// Aligned, and of no size.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
struct Nothing;

fn aligned<S: Store<Coord = u32, Value = V>, V: Copy + PartialEq + std::fmt::Debug + Value>(value: impl Fn(u32) -> V) {
    use pleach_runtime::Fiber;
    let coords: Vec<u32> = (0..20).map(|k| 3 * k).collect();
    let values: Vec<V> = coords.iter().map(|&coord| value(coord)).collect();
    let row = S::build_row(Elements::copied(&coords, &values));
    row.audit().unwrap();
    for &coord in &coords {
        let found = row.fiber().locate(coord).unwrap();
        assert!(std::ptr::from_ref(found).is_aligned());
        assert_eq!(*found, value(coord));
    }
}

#[test]
fn values_of_any_alignment_lie_aligned() {
    fn both<A: Store<Coord = u32, Value = Aligned>, N: Store<Coord = u32, Value = Nothing>>() {
        aligned::<A, _>(|coord| Aligned(coord as u8));
        aligned::<N, _>(|_| Nothing);
    }
    both::<Packed<u32, Aligned>, Packed<u32, Nothing>>();
    both::<pleach_stores::Bst<Aligned>, pleach_stores::Bst<Nothing>>();
    both::<pleach_stores::Ctree<Aligned>, pleach_stores::Ctree<Nothing>>();
    both::<pleach_stores::CtreeDelta<Aligned>, pleach_stores::CtreeDelta<Nothing>>();
    both::<pleach_stores::BlistGaps<Aligned>, pleach_stores::BlistGaps<Nothing>>();
    both::<pleach_stores::Btree<Aligned>, pleach_stores::Btree<Nothing>>();
}

/// A value of a megabyte: a node or a page of few of them is larger than any chunk of the pool.
type Large = [u8; if cfg!(miri) { 1 << 12 } else { 1 << 20 }];

#[test]
fn values_of_a_megabyte_are_inserted_and_deleted() {
    fn run<S: Store<Coord = u32, Value = Large>>() {
        use pleach_runtime::{Change, Fiber, RowBatch, replace};
        let coords = [2, 5, 7];
        let mut row = S::build_row(Elements::drain(&coords, &mut vec![[1; _], [2; _], [3; _]]));
        let held = row.clone();
        let batch = vec![[4; _], [5; _]];
        let counts = row.update(RowBatch { coords: &[5, 6], values: &batch }, Change::Insert(&replace));
        assert_eq!((counts.new, counts.changed), (1, 1));
        assert_eq!(row.update(RowBatch { coords: &[2], values: &[] }, Change::Delete).removed, 1);
        row.audit().unwrap();
        let firsts = |row: &S| {
            row.fiber().fold_runs(Vec::new(), |mut all, run| {
                all.extend(run.iter().map(|(coord, value)| (coord, value[0], value[value.len() - 1])));
                all
            })
        };
        assert_eq!(firsts(&row), [(5, 4, 4), (6, 5, 5), (7, 3, 3)]);
        assert_eq!(firsts(&held), [(2, 1, 1), (5, 2, 2), (7, 3, 3)]);
    }
    // Values are passed by value here and there.
    let all = || {
        run::<Packed<u32, Large>>();
        run::<PackedDelta<u32, Large>>();
        run::<pleach_stores::Bst<Large>>();
        run::<pleach_stores::Ctree<Large>>();
        run::<pleach_stores::Btree<Large>>();
        run::<pleach_stores::Vblist<Large>>();
    };
    std::thread::Builder::new().stack_size(256 << 20).spawn(all).unwrap().join().unwrap();
}
