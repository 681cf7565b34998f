//! Random sequences of operations.

use std::collections::BTreeMap;
use std::sync::Arc;

use pleach_runtime::{Append, Coord, MapValues, SplitMix64, Store};

use crate::FULL;
use crate::model::{Sample, build, check, coord};

/// Lengths at which blocks, tasks and buffers begin and end.
const LENGTHS: &[usize] = &[0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200, 1000];

fn random_map<C: Coord, V: Sample>(random: &mut SplitMix64, len: usize) -> BTreeMap<C, V> {
    let spread = [1, 3, 1000][random.index(3)];
    let mut map = BTreeMap::new();
    while map.len() < len {
        let number = random.bits();
        map.insert(coord(random.index(len * spread + 1)), V::sample(number));
    }
    map
}

/// Builds rows of many lengths, then changes one over and over: nonzeros come and go, snapshots are taken and dropped.
pub fn operations<S, V>(seed: u64)
where
    V: Sample,
    S: Store<Value = V> + MapValues<String> + MapValues<V, Output = S>,
    <S as MapValues<String>>::Output: Store<Coord = S::Coord, Value = String>,
{
    let mut random = SplitMix64(seed);
    let lengths = if cfg!(miri) { &LENGTHS[..10] } else { LENGTHS };
    for &len in lengths {
        let map = random_map::<S::Coord, V>(&mut random, len);
        check(&build::<S>(&map), &map);
    }

    let (rounds, width) = if cfg!(miri) { (4, 40) } else { (if FULL { 60 } else { 24 }, 3000) };
    let mut map = BTreeMap::new();
    let mut store = S::default();
    check(&store, &map);
    let mut snapshots: Vec<(S, BTreeMap<S::Coord, V>)> = Vec::new();
    for _ in 0..rounds {
        match random.index(6) {
            0..=2 => {
                for _ in 0..random.index(width / 4) {
                    let number = random.bits();
                    map.insert(coord(random.index(width)), V::sample(number));
                }
                store = build(&map);
            }
            3 => {
                let lo = random.index(width);
                let hi = lo + random.index(width / 2);
                map.retain(|coord, _| !(lo..hi).contains(&coord.index()));
                store = build(&map);
            }
            4 => {
                snapshots.push((store.clone(), map.clone()));
                if snapshots.len() > 3 {
                    snapshots.swap_remove(random.index(3));
                }
            }
            _ => {
                let text: <S as MapValues<String>>::Output =
                    store.map_values(|coord, value| format!("{coord} {value:?}"));
                let expected = map.iter().map(|(&coord, value)| (coord, format!("{coord} {value:?}"))).collect();
                check(&text, &expected);
                let copy: S = MapValues::<V>::map_values(&store, |_, value| value.clone());
                assert_eq!(copy.footprint(), store.footprint());
                store = copy;
            }
        }
        check(&store, &map);
        for (snapshot, map) in &snapshots {
            check(snapshot, map);
        }
    }
}

/// Appends one by one, and compares with what is built at once.
pub fn appends<S: Append<Value: Sample>>(seed: u64) {
    let mut random = SplitMix64(seed);
    let lengths = if cfg!(miri) { &LENGTHS[..10] } else { LENGTHS };
    for &len in lengths {
        let map = random_map::<S::Coord, S::Value>(&mut random, len);
        let mut elements = map.iter().map(|(&coord, value)| (coord, value.clone()));
        let store = match elements.next() {
            None => S::default(),
            Some((coord, value)) => {
                let mut state = S::append_first(coord, value);
                for (coord, value) in elements {
                    S::append_rest(&mut state, coord, value);
                }
                S::finish(state)
            }
        };
        check(&store, &map);
        assert_eq!(store.footprint(), build::<S>(&map).footprint());
    }
}

/// Every value that goes into a store is dropped exactly once.
pub fn drops<S: Store<Value = Arc<()>> + MapValues<Arc<()>, Output = S>>() {
    let token = Arc::new(());
    for len in [0, 1, 5, 64, 65, 700] {
        let len = if cfg!(miri) { len.min(70) } else { len };
        let map: BTreeMap<S::Coord, Arc<()>> = (0..len).map(|at| (coord(3 * at), token.clone())).collect();
        let store: S = build(&map);
        let snapshot = store.clone();
        let copy = store.map_values(|_, value| value.clone());
        assert_eq!(Arc::strong_count(&token), 1 + 3 * len);
        drop(store);
        assert_eq!(Arc::strong_count(&token), 1 + 3 * len);
        drop(snapshot);
        assert_eq!(Arc::strong_count(&token), 1 + 2 * len);
        drop((copy, map));
        assert_eq!(Arc::strong_count(&token), 1);
    }
}

/// A panic of the function in a structure-copying map leaks nothing and breaks nothing.
pub fn panics<S: Store<Value = Arc<()>> + MapValues<Arc<()>, Output = S>>() {
    let token = Arc::new(());
    let map: BTreeMap<S::Coord, Arc<()>> = (0..90).map(|at| (coord(at), token.clone())).collect();
    let store: S = build(&map);
    for stop in [0, 1, 40, 89] {
        let mut calls = 0;
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            store.map_values(|_, value| {
                calls += 1;
                assert!(calls <= stop, "stop here");
                value.clone()
            })
        }));
        assert!(result.is_err());
        assert_eq!(Arc::strong_count(&token), 1 + 2 * 90, "after {stop} calls");
    }
    store.audit().expect("the original is as it was");
}

macro_rules! stores {
    ($($name:ident: $path:path;)*) => {$(
        mod $name {
            use std::sync::Arc;
            use $path as Handle;

            #[test]
            fn pattern() {
                super::operations::<Handle<()>, _>(1);
            }

            #[test]
            fn numbers() {
                super::operations::<Handle<f64>, _>(2);
                super::operations::<Handle<u8>, _>(3);
            }

            #[test]
            fn strings() {
                super::operations::<Handle<String>, _>(4);
            }

            #[test]
            fn wide_coordinates() {
                super::operations::<Handle<(), u64>, _>(5);
                super::operations::<Handle<f64, u64>, _>(6);
            }

            #[test]
            fn every_value_is_dropped_once() {
                super::drops::<Handle<Arc<()>>>();
                super::panics::<Handle<Arc<()>>>();
            }
        }
    )*};
}

stores! {
    blist: pleach_stores::Blist;
    blist_gaps: pleach_stores::BlistGaps;
    blist_prefix: pleach_stores::BlistPrefix;
    blist_unsorted: pleach_stores::BlistUnsorted;
    bst: pleach_stores::Bst;
    btree: pleach_stores::Btree;
    ctree: pleach_stores::Ctree;
    ctree_delta: pleach_stores::CtreeDelta;
    list: pleach_stores::List;
    rbtree: pleach_stores::Rbtree;
    ttree: pleach_stores::Ttree;
    vblist: pleach_stores::Vblist;
    small_blist: crate::small::blist::Blist;
    small_blist_prefix: crate::small::blist_prefix::BlistPrefix;
    small_blist_gaps: crate::small::blist_gaps::BlistGaps;
    small_blist_unsorted: crate::small::blist_unsorted::BlistUnsorted;
    small_ttree: crate::small::ttree::Ttree;
    small_btree: crate::small::btree::Btree;
}

#[test]
fn lists_are_appended_to() {
    appends::<pleach_stores::Blist<f64>>(7);
    appends::<pleach_stores::Blist<()>>(8);
    appends::<crate::small::blist::Blist<String>>(9);
    appends::<pleach_stores::List<f64>>(10);
    appends::<pleach_stores::BlistPrefix<f64>>(11);
    appends::<crate::small::blist_prefix::BlistPrefix<String>>(12);
}

#[test]
fn a_pattern_costs_no_bytes() {
    use pleach_runtime::Elements;
    let coords: Vec<u32> = (0..100).collect();
    let tree = pleach_stores::Bst::<()>::build_row(Elements::copied(&coords, &[(); 100]));
    assert_eq!(tree.footprint().bytes, 24 * 100);
    assert_eq!(size_of::<pleach_stores::Bst<()>>(), 8);
    assert_eq!(size_of::<pleach_stores::Ctree<()>>(), 8);
    let list = pleach_stores::Blist::<()>::build_row(Elements::copied(&coords[..64], &[(); 64]));
    assert_eq!(list.footprint().bytes, 16 + 4 * 64);
}
