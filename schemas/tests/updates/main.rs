//! Random batches on one row of every store, against a `BTreeMap`, with clones alive that must not notice.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use pleach_runtime::{Change, Counts, Fiber, RowBatch, SplitMix64, Store, replace};

use model::{Sample, build, coord, ordered};

#[allow(dead_code)]
#[path = "../stores/model.rs"]
mod model;

/// The B-tree once more, with nodes as small as the paper draws them.
#[allow(dead_code, missing_docs)]
#[path = "../stores/small/btree.rs"]
mod small_btree;

#[allow(dead_code)]
#[path = "../../edit.rs"]
mod edit;
#[allow(dead_code)]
#[path = "../../shape.rs"]
mod shape;

/// Whether tests run at their full size, as by night.
const FULL: bool = option_env!("PLEACH_FULL_SIZE").is_some();

type Map<S> = BTreeMap<<S as Store>::Coord, <S as Store>::Value>;

#[derive(Clone, Copy, Debug)]
enum Kind {
    Insert,
    Update,
    Delete,
}

/// What a batch should do to a map.
fn expected<S: Store>(map: &mut Map<S>, batch: &Map<S>, kind: Kind) -> Counts
where
    S::Value: PartialEq,
{
    let mut counts = Counts::default();
    for (coord, value) in batch {
        match (map.get_mut(coord), kind) {
            (None, Kind::Insert) => {
                map.insert(*coord, value.clone());
                counts.new += 1;
            }
            (None, _) => counts.absent += 1,
            (Some(_), Kind::Delete) => {
                map.remove(coord);
                counts.removed += 1;
            }
            (Some(old), _) => match replace(old, value) {
                true => counts.changed += 1,
                false => counts.unchanged += 1,
            },
        }
    }
    counts
}

fn apply<S: Store>(store: &mut S, batch: &Map<S>, kind: Kind) -> Counts
where
    S::Value: PartialEq,
{
    let coords: Vec<S::Coord> = batch.keys().copied().collect();
    let values: Vec<S::Value> = batch.values().cloned().collect();
    let all = RowBatch { coords: &coords, values: &values };
    match kind {
        Kind::Insert => store.update(all, Change::Insert(&replace)),
        Kind::Update => store.update(all, Change::Update(&replace)),
        Kind::Delete => store.update(RowBatch { coords: &coords, values: &[] }, Change::Delete),
    }
}

/// The audit, and the nonzeros in order.
fn same<S: Store>(store: &S, map: &Map<S>)
where
    S::Value: Sample,
{
    store.audit().unwrap_or_else(|error| panic!("{}: {error}", S::NAME));
    let mut seen = store.fiber().fold_runs(Vec::new(), |mut seen, run| {
        seen.extend(run.iter().map(|(coord, value)| (coord, value.clone())));
        seen
    });
    if !ordered::<S>() {
        seen.sort_by_key(|&(coord, _)| coord);
    }
    assert!(seen.iter().map(|(coord, value)| (coord, value)).eq(map), "{} holds something else", S::NAME);
    for (coord, value) in seen.iter().step_by(seen.len() / 20 + 1) {
        assert_eq!(store.fiber().locate(*coord), Some(value), "{}: locate {coord}", S::NAME);
    }
}

/// Half of the coordinates from what is there, and some neighbours.
fn batch<S: Store>(random: &mut SplitMix64, map: &Map<S>, size: usize, width: usize) -> Map<S>
where
    S::Value: Sample,
{
    let there: Vec<S::Coord> = map.keys().copied().collect();
    let clustered = random.index(3) == 0;
    let centre = random.index(width);
    let mut batch = Map::<S>::new();
    for _ in 0..size {
        let at = match random.index(2) {
            0 if !there.is_empty() && !clustered => there[random.index(there.len())],
            _ if clustered => coord((centre + random.index(2 * size)) % width),
            _ => coord(random.index(width)),
        };
        batch.insert(at, S::Value::sample(random.bits()));
    }
    batch
}

fn random_batches<S: Store>(seed: u64)
where
    S::Value: Sample,
{
    let mut random = SplitMix64(seed);
    let sizes: &[usize] = if cfg!(miri) { &[0, 60] } else { &[0, 9, 700, 6000] };
    for &len in sizes {
        let width = 4 * len + 10;
        let mut map = Map::<S>::new();
        while map.len() < len {
            map.insert(coord(random.index(width)), S::Value::sample(random.bits()));
        }
        let mut store: S = build(&map);
        let mut held: Vec<(S, Map<S>)> = Vec::new();
        let rounds = match () {
            () if cfg!(miri) => 12,
            () if FULL => 60,
            () => 30,
        };
        for round in 0..rounds {
            let most = [1, 4, 40, len / 3 + 2][random.index(4)];
            let size = 1 + random.index(most);
            let kind = match random.index(8) {
                0 => Kind::Update,
                1..=3 => Kind::Insert,
                4 | 5 => Kind::Delete,
                // Growth first, then decline.
                _ if 2 * round < rounds => Kind::Insert,
                _ => Kind::Delete,
            };
            let batch = batch::<S>(&mut random, &map, size, width);
            assert_eq!(apply(&mut store, &batch, kind), expected::<S>(&mut map, &batch, kind), "{} {kind:?}", S::NAME);
            same(&store, &map);
            match random.index(4) {
                0 => held.push((store.clone(), map.clone())),
                1 if !held.is_empty() => {
                    held.swap_remove(random.index(held.len()));
                }
                _ => {}
            }
            held.truncate(4);
            held.iter().for_each(|(store, map)| same(store, map));
        }
        same(&store, &map);
        // Down to nothing.
        while !map.is_empty() {
            let some: Map<S> = match map.len() {
                0..20 => map.clone(),
                _ => map.iter().filter(|_| random.index(3) > 0).map(|(&at, value)| (at, value.clone())).collect(),
            };
            assert_eq!(apply(&mut store, &some, Kind::Delete), expected::<S>(&mut map, &some, Kind::Delete));
            same(&store, &map);
        }
        assert!(store.fiber().is_empty());
        held.iter().for_each(|(store, map)| same(store, map));
    }
}

/// Ascending, descending, and every other one away again: the shapes in which trees grow lopsided.
fn in_a_row<S: Store<Value = ()>>() {
    let len = if cfg!(miri) { 40 } else { 1500 };
    for backwards in [false, true] {
        let (mut store, mut map) = (S::default(), Map::<S>::new());
        for k in 0..len {
            let one = Map::<S>::from([(coord(if backwards { len - 1 - k } else { k }), ())]);
            assert_eq!(apply(&mut store, &one, Kind::Insert), expected::<S>(&mut map, &one, Kind::Insert));
            if k % 97 == 0 {
                same(&store, &map);
            }
        }
        same(&store, &map);
        for k in (0..len).step_by(2).chain((1..len).step_by(2).rev()) {
            let one = Map::<S>::from([(coord(k), ())]);
            assert_eq!(apply(&mut store, &one, Kind::Delete), expected::<S>(&mut map, &one, Kind::Delete));
            if k % 97 == 0 {
                same(&store, &map);
            }
        }
        assert!(store.fiber().is_empty() && map.is_empty());
        assert_eq!(store.footprint().nodes, 0, "{}", S::NAME);
    }
}

/// A store that can reach its values visits each existing one of them once; other stores visit none.
fn visits<S: Store>(reaches: bool)
where
    S::Value: Sample,
{
    let mut random = SplitMix64(77);
    let len = if cfg!(miri) { 50 } else { 3000 };
    let mut map: Map<S> = (0..len).map(|k| (coord(3 * k), S::Value::sample(random.bits()))).collect();
    let mut store: S = build(&map);
    for step in [1, 2, 500] {
        let (before, old) = (store.clone(), map.clone());
        let coords: Vec<S::Coord> = (0..3 * len).step_by(step).map(coord).collect();
        let seen = Mutex::new(Vec::new());
        store.each_mut(&coords, &|k, value| {
            *value = S::Value::sample(k as u64);
            seen.lock().unwrap().push(k);
        });
        let mut seen = seen.into_inner().unwrap();
        seen.sort_unstable();
        let there: Vec<usize> = (0..coords.len()).filter(|&k| reaches && map.contains_key(&coords[k])).collect();
        assert_eq!(seen, there, "{}", S::NAME);
        seen.iter().for_each(|&k| {
            map.insert(coords[k], S::Value::sample(k as u64));
        });
        same(&store, &map);
        same(&before, &old);
    }
}

/// Every value is dropped exactly once, even if its node is copied, replaced or shared.
fn drops<S: Store<Value = Arc<()>>>() {
    let token = Arc::new(());
    let len = if cfg!(miri) { 60 } else { 2000 };
    let all =
        |range: std::ops::Range<usize>, step: usize| -> Vec<S::Coord> { range.step_by(step).map(coord).collect() };
    let mut store = S::default();
    let insert = |store: &mut S, coords: &[S::Coord]| {
        let values = vec![token.clone(); coords.len()];
        store.update(RowBatch { coords, values: &values }, Change::Insert(&|_, _| false));
    };
    insert(&mut store, &all(0..len, 2));
    let held = store.clone();
    insert(&mut store, &all(0..len, 3));
    insert(&mut store, &all(1..9, 1));
    store.update(RowBatch { coords: &all(5..len, 11), values: &[] }, Change::Delete);
    let (old, new) = (held.fiber().len(), store.fiber().len());
    drop(held);
    assert_eq!(Arc::strong_count(&token), 1 + new, "{} after {old}", S::NAME);
    drop(store);
    assert_eq!(Arc::strong_count(&token), 1);
}

macro_rules! stores {
    ($($name:ident: $path:path, $reaches:literal;)*) => {$(
        #[test]
        fn $name() {
            use $path as Handle;
            random_batches::<Handle<()>>(1);
                random_batches::<Handle<String, u64>>(3);
            in_a_row::<Handle<()>>();
            visits::<Handle<String, u64>>($reaches);
            drops::<Handle<Arc<()>>>();
        }
    )*};
}

stores! {
    blist: pleach_stores::Blist, false;
    blist_gaps: pleach_stores::BlistGaps, false;
    blist_prefix: pleach_stores::BlistPrefix, false;
    blist_unsorted: pleach_stores::BlistUnsorted, false;
    bst: pleach_stores::Bst, true;
    btree: pleach_stores::Btree, true;
    ctree: pleach_stores::Ctree, true;
    ctree_delta: pleach_stores::CtreeDelta, false;
    list: pleach_stores::List, false;
    rbtree: pleach_stores::Rbtree, false;
    ttree: pleach_stores::Ttree, false;
    vblist: pleach_stores::Vblist, false;
    btree_of_small_nodes: crate::small_btree::Btree, true;
}
