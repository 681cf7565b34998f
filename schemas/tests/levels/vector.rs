//! One level alone: a store is a sparse vector.

use std::collections::BTreeMap;

use pleach_runtime::{Change, Coord, Counts, Elements, Fiber, RowBatch, SplitMix64, Store, replace};

use super::elements;

type Map<C> = BTreeMap<C, f64>;

/// Coordinates of a width's whole range: dense ones at its start, scattered ones, and the last before the gap mark.
fn coordinate<C: Coord>(random: &mut SplitMix64, width: usize) -> C {
    let number = random.index(width) as u64;
    let last = C::GAP.to_u64() - 1;
    C::from_u64(match number % 8 {
        0 => last - number,
        1 => number * (last / width as u64),
        _ => number,
    })
}

/// Builds a vector, then inserts into, updates and deletes from it by batches, next to a map.
pub fn check<S: Store<Value = f64>>(seed: u64) {
    let (rounds, width) = if cfg!(miri) { (3, 60) } else { (24, 2000) };
    let mut random = SplitMix64(seed);
    let mut map: Map<S::Coord> = (0..width / 4).map(|n| (coordinate(&mut random, width), n as f64)).collect();
    let mut vector = build::<S>(&map);
    compare(&vector, &map);
    for round in 0..rounds {
        let len = random.index(width / 8);
        let batch: Map<S::Coord> = (0..len).map(|n| (coordinate(&mut random, width), (n % 7) as f64)).collect();
        let snapshot = (vector.clone(), map.clone());
        let (coords, values): (Vec<S::Coord>, Vec<f64>) = batch.iter().map(|(&coord, &value)| (coord, value)).unzip();
        let batch = RowBatch { coords: &coords, values: &values };
        let change = match round % 3 {
            0 => Change::Insert(&replace),
            1 => Change::Update(&replace),
            _ => Change::Delete,
        };
        assert_eq!(vector.update(batch, change), apply(&mut map, batch, change), "{}", S::NAME);
        compare(&vector, &map);
        compare(&snapshot.0, &snapshot.1);
    }
    let nothing = RowBatch { coords: &[], values: &[] };
    assert_eq!(vector.update(nothing, Change::Delete), Counts::default());
    assert_eq!(S::default().update(nothing, Change::Insert(&replace)), Counts::default());
}

fn build<S: Store<Value = f64>>(map: &Map<S::Coord>) -> S {
    let coords: Vec<S::Coord> = map.keys().copied().collect();
    let values: Vec<f64> = map.values().copied().collect();
    S::build_row(Elements::copied(&coords, &values))
}

/// The same change to a map.
fn apply<C: Coord>(map: &mut Map<C>, batch: RowBatch<'_, C, f64>, change: Change<'_, f64>) -> Counts {
    let mut counts = Counts::default();
    for (&coord, &value) in batch.coords.iter().zip(batch.values) {
        match (change, map.get_mut(&coord)) {
            (Change::Delete, Some(_)) => {
                map.remove(&coord);
                counts.removed += 1;
            }
            (Change::Insert(combine) | Change::Update(combine), Some(old)) => match combine(old, &value) {
                true => counts.changed += 1,
                false => counts.unchanged += 1,
            },
            (Change::Insert(_), None) => {
                map.insert(coord, value);
                counts.new += 1;
            }
            (Change::Delete | Change::Update(_), None) => counts.absent += 1,
        }
    }
    counts
}

fn compare<S: Store<Value = f64>>(vector: &S, map: &Map<S::Coord>) {
    vector.audit().unwrap_or_else(|error| panic!("{}: {error}", S::NAME));
    let (coords, values) = elements(vector);
    assert!(coords.iter().eq(map.keys()) && values.iter().eq(map.values()), "{}", S::NAME);
    assert_eq!(vector.fiber().len(), map.len());
    for (&coord, value) in map.iter().step_by(1 + map.len() / 20) {
        assert_eq!(vector.fiber().locate(coord), Some(value), "{}: locate {coord}", S::NAME);
        let beside = S::Coord::from_u64(coord.to_u64() + 1);
        assert_eq!(vector.fiber().locate(beside), map.get(&beside), "{}: locate {beside}", S::NAME);
    }
}
