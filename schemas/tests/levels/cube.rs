//! Three levels: rows whose values are fibers of their own, below an outer level.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use pleach_runtime::{
    AnyRow, BuildOuter, Change, Dense, Elements, Fiber, NestedAny, Paged, Places, RowBatch, RowBlock, SortedBatch,
    SplitMix64, Store, UpdateOuter, replace,
};
use pleach_stores::{Bst, Btree};

use super::{elements, sorted};

type Cube = BTreeMap<(usize, u64, u64), f64>;

/// Slices of the cube: more than a page of them.
const SLICES: usize = if cfg!(miri) { 5 } else { 150 };

/// A cube with empty slices, a slice of many rows and a row of many nonzeros, whose coordinates do not fit into 32 bits.
fn cube(random: &mut SplitMix64, nonzeros: usize) -> Cube {
    let mut cube = Cube::new();
    for n in 0..nonzeros {
        let (i, j, k) = (random.index(SLICES - 1), random.index(6), random.index(40));
        let i = if n % 4 == 0 { 3 } else { i - i % 2 };
        let j = if n % 8 == 0 { random.index(700) } else { j };
        let (j, k) = if n % 3 == 0 { (1, random.index(4000)) } else { (j, k) };
        cube.insert((i, j as u64 * 0x1_0000_0001, k as u64 * 0x1_0000_0003), n as f64);
    }
    cube
}

/// The fibers (i, j) of a cube, each a store.
fn fibers<L: Store<Coord = u64, Value = f64>>(cube: &Cube) -> (Vec<usize>, Vec<u64>, Vec<L>) {
    let entries: Vec<(usize, u64, u64, f64)> = cube.iter().map(|(&(i, j, k), &v)| (i, j, k, v)).collect();
    let (mut rows, mut coords, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for fiber in entries.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (k, v): (Vec<u64>, Vec<f64>) = fiber.iter().map(|&(_, _, k, v)| (k, v)).unzip();
        rows.push(fiber[0].0);
        coords.push(fiber[0].1);
        values.push(L::build_row(Elements::copied(&k, &v)));
    }
    (rows, coords, values)
}

/// Builds the cube below several outer levels and changes it there.
pub fn check<R, L>()
where
    R: Store<Coord = u64, Value = L>,
    L: Store<Coord = u64, Value = f64>,
{
    changes(build::<Dense<R>, R, L>);
    changes(build::<Paged<R>, R, L>);
    changes(build::<NestedAny<Bst<AnyRow>>, R, L>);
    changes(build::<NestedAny<Btree<AnyRow>>, R, L>);
}

fn build<O, R, L>(cube: &Cube) -> Box<dyn UpdateOuter<R>>
where
    O: BuildOuter<R> + UpdateOuter<R> + 'static,
    R: Store<Coord = u64, Value = L>,
    L: Store<Coord = u64, Value = f64>,
{
    let (rows, coords, mut values) = fibers::<L>(cube);
    let offsets: Vec<usize> = (0..=SLICES).map(|i| rows.partition_point(|&row| row < i)).collect();
    let elements = Elements::drain(&coords, &mut values);
    Box::new(O::join(SLICES, vec![O::build_part(RowBlock::new(0, &offsets, elements))]))
}

/// Inserts a cube into a cube and deletes fibers from it; the work is done once a row store, not once an outer level.
fn changes<R, L>(build: fn(&Cube) -> Box<dyn UpdateOuter<R>>)
where
    R: Store<Coord = u64, Value = L>,
    L: Store<Coord = u64, Value = f64>,
{
    let mut random = SplitMix64(7);
    let size = if cfg!(miri) { 60 } else { 3000 };
    let mut map = cube(&mut random, size);
    let mut outer = build(&map);
    compare(&*outer, &map);

    let new = cube(&mut random, size / 3);
    let (rows, coords, values) = fibers::<L>(&new);
    let absent = new.keys().filter(|&&(i, j, _)| map.range((i, j, 0)..=(i, j, u64::MAX)).next().is_none());
    let absent: std::collections::BTreeSet<(usize, u64)> = absent.map(|&(i, j, _)| (i, j)).collect();
    let counts = apply(&mut *outer, &rows, &coords, &values, Change::Insert(&merge));
    assert_eq!((counts.new, counts.total()), (absent.len(), coords.len()));
    map.extend(new.iter());
    compare(&*outer, &map);

    let counts = apply(&mut *outer, &rows, &coords, &values, Change::Delete);
    assert_eq!(counts.removed, coords.len());
    map.retain(|&(i, j, _), _| new.range((i, j, 0)..=(i, j, u64::MAX)).next().is_none());
    compare(&*outer, &map);

    compare(&*build(&Cube::new()), &Cube::new());
}

/// Inserts the nonzeros of one fiber into another.
fn merge<L: Store<Coord = u64, Value = f64>>(old: &mut L, new: &L) -> bool {
    let (coords, values) = elements(new);
    let counts = old.update(RowBatch { coords: &coords, values: &values }, Change::Insert(&replace));
    counts.new + counts.changed > 0
}

fn apply<R: Store<Coord = u64>>(
    outer: &mut dyn UpdateOuter<R>,
    fiber_rows: &[usize],
    coords: &[u64],
    values: &[R::Value],
    change: Change<'_, R::Value>,
) -> pleach_runtime::Counts {
    let mut rows = fiber_rows.to_vec();
    rows.dedup();
    let mut offsets: Vec<usize> = rows.iter().map(|&i| fiber_rows.partition_point(|&row| row < i)).collect();
    offsets.push(coords.len());
    outer.apply(SortedBatch::new(&rows, &offsets, coords, values), change)
}

fn compare<R, L>(outer: &dyn UpdateOuter<R>, cube: &Cube)
where
    R: Store<Coord = u64, Value = L>,
    L: Store<Coord = u64, Value = f64>,
{
    let name = format!("{},{},{}", outer.name(), R::NAME, L::NAME);
    outer.audit_with(&mut |fiber| fiber.audit()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut found = Vec::new();
    let ControlFlow::Continue(()) = outer.batches(&mut |batch| {
        batch.for_each(|i, row| {
            let rows = row.fold_runs(Vec::new(), |mut all, run| {
                all.extend(run.iter().map(|(j, fiber)| (j, fiber.clone())));
                all
            });
            let (js, fibers) = sorted(rows);
            for (j, fiber) in js.into_iter().zip(fibers) {
                let (coords, values) = elements(&fiber);
                found.extend(coords.into_iter().zip(values).map(|(k, value)| ((i, j, k), value)));
            }
        });
        ControlFlow::Continue(())
    }) else {
        unreachable!("nothing breaks")
    };
    assert!(found.iter().copied().eq(cube.iter().map(|(&at, &value)| (at, value))), "{name}");
    let values = outer.footprint_with(&mut |fiber| fiber.footprint()).bytes;
    assert!(values >= 8 * cube.len(), "{name}: {values} bytes for {} values", cube.len());
    let places = Places::of(outer, SLICES);
    for i in 0..SLICES + 70 {
        let row = outer.row(i).filter(|_| i < SLICES);
        // Pages may hold more rows than asked for; they are empty.
        assert_eq!(places.row(i).map_or(0, Fiber::len), row.map_or(0, Fiber::len), "{name}: row {i}");
    }
    for (&(i, j, k), value) in cube.iter().step_by(1 + cube.len() / 50) {
        assert_eq!(places.row(i).and_then(|row| row.locate(j)).and_then(|row| row.fiber().locate(k)), Some(value));
        let locate = |j, k| outer.row(i)?.locate(j)?.fiber().locate(k);
        assert_eq!(locate(j, k), Some(value), "{name}: {i} {j} {k}");
        assert_eq!(locate(j, k + 1), cube.get(&(i, j, k + 1)), "{name}: {i} {j} {}", k + 1);
        assert_eq!(locate(j + 1, k), cube.get(&(i, j + 1, k)), "{name}: {i} {} {k}", j + 1);
    }
}
