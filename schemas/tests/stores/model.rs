//! A store and the map that it should equal.

use std::collections::BTreeMap;
use std::fmt::Debug;

use pleach_runtime::{CODED_BLOCK, Coord, Cursor, Elements, Fiber, Runs, Store, Value};

pub fn coord<C: Coord>(index: usize) -> C {
    C::from_index(index).expect("a coordinate below the gap mark")
}

/// Builds the store of a map.
pub fn build<S: Store>(map: &BTreeMap<S::Coord, S::Value>) -> S {
    let coords: Vec<S::Coord> = map.keys().copied().collect();
    let mut values: Vec<S::Value> = map.values().cloned().collect();
    S::build_row(Elements::drain(&coords, &mut values))
}

/// Reads the store in every way there is and compares with the map.
pub fn check<S: Store>(store: &S, map: &BTreeMap<S::Coord, S::Value>)
where
    S::Value: PartialEq + Debug,
{
    let fiber = store.fiber();
    store.audit().unwrap_or_else(|error| panic!("{}: {error}", S::NAME));
    assert_eq!(fiber.len(), map.len());
    assert_eq!(fiber.is_empty(), map.is_empty());
    let expected: Vec<(S::Coord, S::Value)> = map.iter().map(|(&coord, value)| (coord, value.clone())).collect();
    let sorted = |mut seen: Vec<(S::Coord, S::Value)>| {
        if !ordered::<S>() {
            seen.sort_by_key(|&(coord, _)| coord);
        }
        seen
    };

    let mut runs = 0;
    let folded = fiber.fold_runs(Vec::new(), |mut seen, run| {
        runs += usize::from(!run.is_empty());
        assert_eq!(run.coords().len(), run.values().len());
        seen.extend(run.iter().map(|(coord, value)| (coord, value.clone())));
        seen
    });
    assert_eq!(sorted(folded), expected);
    let footprint = store.footprint();
    // A node has two stretches of elements at most, a head and its chunk; an element that parts two children of a B-tree is a run
    // of its own, and there are fewer of these than children. Coded elements are decoded a block at a time.
    let bound = 2 * footprint.nodes + footprint.gaps + map.len() / CODED_BLOCK;
    assert!(runs <= bound, "{runs} runs from {footprint:?}");
    assert_eq!(footprint.bytes == 0, footprint.nodes == 0);

    let mut stored = fiber.fold_storage(Vec::new(), |mut seen, run| {
        seen.extend(run.iter().map(|(coord, value)| (coord, value.clone())));
        seen
    });
    stored.sort_by_key(|&(coord, _)| coord);
    assert_eq!(stored, expected);

    let parallel = fiber.par_fold(
        &Vec::new,
        &|mut seen, run| {
            seen.extend(run.iter().map(|(coord, value)| (coord, value.clone())));
            seen
        },
        &|mut left, mut right| {
            left.append(&mut right);
            left
        },
    );
    assert_eq!(sorted(parallel), expected);

    let (mut iterator, mut iterated) = (fiber.runs(), Vec::new());
    assert!(iterator.run().is_empty());
    while iterator.advance() {
        let run = iterator.run();
        assert!(!run.is_empty(), "an iterator hands out runs that are not empty");
        iterated.extend(run.iter().map(|(coord, value)| (coord, value.clone())));
    }
    assert!(!iterator.advance() && iterator.run().is_empty());
    assert_eq!(sorted(iterated), expected);

    let (mut cursor, mut stepped) = (Cursor::new(fiber.runs()), Vec::new());
    while let Some(coord) = cursor.coord() {
        stepped.push((coord, cursor.value().clone()));
        cursor.advance();
    }
    assert_eq!(sorted(stepped), expected);

    let step = (expected.len() / 200).max(1);
    for (coord, value) in expected.iter().step_by(step) {
        assert_eq!(fiber.locate(*coord), Some(value), "{}: locate {coord}", S::NAME);
    }
    let beside =
        expected.iter().step_by(step).flat_map(|(coord, _)| [coord.index().wrapping_sub(1), coord.index() + 1]);
    for index in beside.chain([0]) {
        if let Some(coord) = S::Coord::from_index(index) {
            assert_eq!(fiber.locate(coord), map.get(&coord), "{}: locate {coord}", S::NAME);
        }
    }
    assert_eq!(fiber.locate(S::Coord::GAP), None);

    // A run can be left behind by seeking.
    if ordered::<S>()
        && let Some((middle, _)) = expected.get(expected.len() / 2)
    {
        let mut cursor = Cursor::new(fiber.runs());
        cursor.seek(*middle);
        assert_eq!(cursor.coord(), Some(*middle));
        let mut rest = 0;
        cursor.rest(|run| rest += run.len());
        assert_eq!(rest, expected.len() - expected.len() / 2);
    }
}

pub fn ordered<S: Store>() -> bool {
    <S::Fiber<'static> as Fiber<'static>>::ORDERED
}

/// A value that a test can make from a number, different for different numbers.
pub trait Sample: Value + PartialEq + Debug {
    fn sample(number: u64) -> Self;
}

impl Sample for () {
    fn sample(_: u64) {}
}

impl Sample for f64 {
    fn sample(number: u64) -> f64 {
        (number % 1000) as f64 / 8.0
    }
}

impl Sample for u8 {
    fn sample(number: u64) -> u8 {
        number as u8
    }
}

impl Sample for String {
    fn sample(number: u64) -> String {
        number.to_string()
    }
}
