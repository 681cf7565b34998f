//! Random batches on every outer level, against a `BTreeMap` and with an audit after each.

mod coded;
mod model;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use model::{Arrays, Kind, Model, Sample, build, check, expected, random_batch};
use pleach_runtime::{
    AnyRow, ArrayPage, AuditError, BuildOuter, Change, Counts, Dense, Elements, Fiber, Footprint, Nested, NestedAny,
    Outer, PAGE_ROWS, Packed, PackedDelta, Page, Paged, RowBatch, RowBlock, Runs, SortedBatch, SplitMix64, Store,
    UpdateOuter,
};

/// Whether tests run at their full size, as by night.
const FULL: bool = option_env!("PLEACH_FULL_SIZE").is_some();

/// Applies a batch to a matrix, adding values that meet.
fn apply<R: Store<Coord = u32>>(outer: &mut dyn UpdateOuter<R>, batch: &Model<R::Value>, kind: Kind) -> Counts
where
    R::Value: Sample,
{
    let sum = |old: &mut R::Value, new: &R::Value| old.add(new);
    let change = match kind {
        Kind::Insert => Change::Insert(&sum),
        Kind::Update => Change::Update(&sum),
        Kind::Delete => Change::Delete,
    };
    let counts = outer.apply(Arrays::new(batch).batch(), change);
    assert_eq!(counts.total(), batch.len());
    counts
}

fn run<O, R>(seed: u64)
where
    O: BuildOuter<R> + UpdateOuter<R> + Clone,
    R: Store<Coord = u32>,
    R::Value: Sample,
{
    let mut random = SplitMix64(seed);
    let (rounds, largest) = if cfg!(miri) { (2, 40) } else { (60, 6000) };
    let num_rows = if cfg!(miri) { 66 } else { 300 };
    let mut model = Model::new();
    if seed % 2 == 1 {
        let first = random_batch(&mut random, &model, num_rows, largest);
        expected(&mut model, &first, Kind::Insert);
    }
    let mut outer: O = build(&model, num_rows);
    check::<R>(&outer, &model, num_rows);
    let mut kept: Vec<(O, Model<R::Value>)> = Vec::new();
    for round in 0..rounds {
        let most = [1, 10, 100, largest][random.index(4)];
        let size = 1 + random.index(most);
        let batch = random_batch(&mut random, &model, num_rows, size);
        // Growth for a while, then decline.
        let kind = match random.index(10) {
            0 | 1 => Kind::Update,
            2 | 3 => Kind::Delete,
            _ if round % 20 < 12 => Kind::Insert,
            _ => Kind::Delete,
        };
        let counts = apply::<R>(&mut outer, &batch, kind);
        assert_eq!(counts, expected(&mut model, &batch, kind));
        check::<R>(&outer, &model, num_rows);
        if random.index(5) == 0 {
            kept.push((outer.clone(), model.clone()));
            if kept.len() > 3 {
                kept.remove(random.index(3));
            }
        }
        if round % 6 == 0 {
            for (old, model) in &kept {
                check::<R>(old, model, num_rows);
            }
        }
    }
    // Everything goes, with versions alive that must not notice.
    let arrays = Arrays::new(&model);
    let counts = outer.apply(SortedBatch::new(&arrays.rows, &arrays.offsets, &arrays.coords, &[]), Change::Delete);
    assert_eq!(counts, Counts { removed: model.len(), ..Counts::default() });
    check::<R>(&outer, &Model::new(), num_rows);
    for (old, model) in &kept {
        check::<R>(old, model, num_rows);
    }
}

fn run_all<R: Store<Coord = u32>>()
where
    R::Value: Sample,
{
    let seeds = match () {
        () if cfg!(miri) => 1,
        () if FULL => 6,
        () => 3,
    };
    for seed in 0..seeds {
        run::<Dense<R>, R>(seed);
        run::<Paged<R>, R>(seed + 1);
    }
}

#[test]
fn packed_patterns() {
    run_all::<Packed<u32, ()>>();
}

#[test]
fn packed_numbers() {
    run_all::<Packed<u32, f64>>();
}

#[test]
fn packed_values_with_destructors() {
    run_all::<Packed<u32, Arc<u16>>>();
}

#[test]
fn packed_delta_patterns() {
    run_all::<PackedDelta<u32, ()>>();
}

#[test]
fn packed_delta_values_with_destructors() {
    run_all::<PackedDelta<u32, Arc<u16>>>();
}

/// Pages in which each slot of `mask` holds a long row, and all others a short or an empty one: built, and grown by a batch.
fn rows_outside<R: Store<Coord = u32, Value = f64>>(mask: u64, long: usize) {
    let len = |row: usize| if mask >> (row % PAGE_ROWS) & 1 != 0 { long } else { row % 3 };
    let num_rows = if cfg!(miri) { PAGE_ROWS } else { 2 * PAGE_ROWS };
    let model: Model<f64> = (0..num_rows)
        .flat_map(|row| (0..len(row) as u32).map(move |k| ((row, 3 * k), row as f64 + f64::from(k))))
        .collect();
    let built: Dense<R> = build(&model, num_rows);
    let mut grown: Dense<R> = build(&Model::new(), num_rows);
    assert_eq!(apply::<R>(&mut grown, &model, Kind::Insert).new, model.len());
    for outer in [&built, &grown] {
        check::<R>(outer, &model, num_rows);
        let mut seen = Vec::new();
        let _ = outer.batches(&mut |group| {
            group.for_each(|row, fiber| seen.push((row, fiber.len())));
            let (first_row, page) = group.page().expect("a level of pages");
            let lens = page.rows().map(|fiber| fiber.len());
            assert!(lens.eq((0..PAGE_ROWS).map(|slot| len(first_row + slot))), "{mask:#x}");
            ControlFlow::Continue(())
        });
        assert!(seen.into_iter().eq((0..num_rows).map(|row| (row, len(row)))), "each row once, in order: {mask:#x}");
    }
}

#[test]
fn packed_rows_outside_lie_in_any_slot() {
    // No hubs; hubs at either end, side by side, apart; all rows; all rows but one.
    let masks =
        [0, 1, 1 << 63, 1 | 1 << 63, 0b11, 3 << 62, 0b110 << 30, 0x5555 << 20, u64::MAX, !1, !(1 << 63), !(1 << 31)];
    for (k, mask) in masks.into_iter().enumerate() {
        if cfg!(miri) && ![2, 4, 8].contains(&k) {
            continue;
        }
        rows_outside::<Packed<u32, f64>>(mask, 65);
        // Coded rows have no unsafe code of their own.
        if !cfg!(miri) {
            rows_outside::<PackedDelta<u32, f64>>(mask, 257);
        }
    }
}

/// Walks a row by a fold, by the resumable iterator, and by a fold that breaks off: each element comes once, in order.
fn walk<R: Store<Coord = u32, Value = ()>>(row: &R, coords: &[u32]) {
    let mut seen = 0;
    row.fiber().fold_runs((), |(), run| {
        assert!(coords[seen..].starts_with(run.coords()), "a fold, behind {seen} elements");
        seen += run.len();
    });
    assert_eq!(seen, coords.len());
    let (mut runs, mut seen) = (row.fiber().runs(), 0);
    assert!(runs.run().is_empty());
    while runs.advance() {
        let run = runs.run();
        assert!(!run.is_empty() && coords[seen..].starts_with(run.coords()), "an iterator, behind {seen} elements");
        seen += run.len();
    }
    assert_eq!(seen, coords.len());
    assert!(!runs.advance() && runs.run().is_empty());
    let most = coords.len() / 3 * 2;
    let broken = row.fiber().try_fold_runs(0, |seen, run| match seen + run.len() {
        seen if seen > most => ControlFlow::Break(run.coords().last().copied()),
        seen => ControlFlow::Continue(seen),
    });
    match broken {
        ControlFlow::Break(last) => assert!(last >= coords.get(most).copied()),
        ControlFlow::Continue(seen) => assert_eq!((seen, coords.len()), (0, 0)),
    }
}

/// One chunk, and trees one, two and three nodes deep, with as many chunks as nodes are built of, and one more.
#[test]
fn packed_long_rows_are_walked_in_order() {
    let leaf = 60 * 480;
    for n in [0, 1, 508, 509, leaf, leaf + 1, 60 * leaf, 60 * leaf + 1] {
        if cfg!(miri) && ![1, 509, leaf + 1].contains(&n) {
            continue;
        }
        let coords: Vec<u32> = (0..n as u32).map(|k| 2 * k).collect();
        let values = vec![(); n];
        walk(&Packed::<u32, ()>::build_row(Elements::copied(&coords, &values)), &coords);
        if !cfg!(miri) {
            walk(&PackedDelta::<u32, ()>::build_row(Elements::copied(&coords, &values)), &coords);
        }
    }
}

/// A lone row, as other levels hold it, against a set.
fn one_huge_row<R: Store<Coord = u32, Value = ()>>() {
    for (n, seed) in [(1usize, 1), (508, 2), (509, 3), (5_000, 4), (if FULL { 300_000 } else { 60_000 }, 5)] {
        let mut random = SplitMix64(seed);
        let mut model: BTreeSet<u32> = (0..n).map(|_| random.index(4 * n) as u32).collect();
        let coords: Vec<u32> = model.iter().copied().collect();
        let mut row = R::build_row(Elements::copied(&coords, &vec![(); coords.len()]));
        for round in 0..40 {
            let size = [1, 30, n / 10 + 1, 3 * n][round % 4];
            let part: BTreeSet<u32> = (0..size).map(|_| random.index(5 * n) as u32).collect();
            let coords: Vec<u32> = part.iter().copied().collect();
            let values = vec![(); coords.len()];
            let (old, before) = (row.clone(), model.clone());
            let batch = RowBatch { coords: &coords, values: &values };
            if round / 4 % 2 == 0 {
                let counts = row.update(batch, Change::Insert(&|_, _| false));
                model.extend(&part);
                assert_eq!(counts.new, model.len() - before.len());
            } else {
                let counts = row.update(batch, Change::Delete);
                model.retain(|coord| !part.contains(coord));
                assert_eq!(counts.removed, before.len() - model.len());
            }
            for (row, model) in [(&row, &model), (&old, &before)] {
                row.audit().unwrap();
                walk(row, &model.iter().copied().collect::<Vec<_>>());
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "long rows")]
fn packed_huge_row() {
    one_huge_row::<Packed<u32, ()>>();
    one_huge_row::<PackedDelta<u32, ()>>();
}

/// The longest row of a slab, one more, and one less; a block exactly full; all of a batch there already; and back to nothing.
fn rows_around_the_limits<R: Store<Coord = u32, Value = ()>>() {
    for degree in [15usize, 16, 17, 63, 64, 65, 255, 256, 257, 507, 508, 509] {
        if cfg!(miri) && degree != 257 {
            continue;
        }
        let num_rows = if cfg!(miri) { 1 } else { 70 };
        let full: Model<()> =
            (0..num_rows).flat_map(|row| (0..degree as u32).map(move |k| ((row, 3 * k), ()))).collect();
        let mut outer: Paged<R> = build(&full, num_rows);
        check::<R>(&outer, &full, num_rows);
        let again = apply::<R>(&mut outer, &full, Kind::Insert);
        assert_eq!(again, Counts { unchanged: full.len(), ..Counts::default() });
        check::<R>(&outer, &full, num_rows);
        let mut grown = full.clone();
        let extra: Model<()> = (0..num_rows).map(|row| ((row, 4), ())).collect();
        expected(&mut grown, &extra, Kind::Insert);
        apply::<R>(&mut outer, &extra, Kind::Insert);
        check::<R>(&outer, &grown, num_rows);
        let mut apart: Dense<R> = build(&Model::new(), 1);
        assert_eq!(apply::<R>(&mut apart, &grown, Kind::Insert).new, grown.len());
        check::<R>(&apart, &grown, num_rows);
        while !grown.is_empty() {
            let some: Model<()> = grown.iter().step_by(2).map(|(&at, &())| (at, ())).collect();
            assert_eq!(apply::<R>(&mut outer, &some, Kind::Delete), expected(&mut grown, &some, Kind::Delete));
            check::<R>(&outer, &grown, num_rows);
        }
        assert_eq!(apply::<R>(&mut outer, &Model::new(), Kind::Delete), Counts::default());
        assert_eq!(apply::<R>(&mut outer, &full, Kind::Update).absent, full.len());
    }
}

#[test]
fn packed_rows_around_the_limits() {
    rows_around_the_limits::<Packed<u32, ()>>();
    // Coded rows have no unsafe code of their own.
    if !cfg!(miri) {
        rows_around_the_limits::<PackedDelta<u32, ()>>();
    }
}

/// Rows below a store: reached by its own update.
fn rows_below_a_store<R, S, O>(store: impl Fn(&O) -> &S)
where
    R: Store<Coord = u32, Value = f64>,
    S: Store,
    O: BuildOuter<R> + UpdateOuter<R>,
{
    let mut random = SplitMix64(7);
    let mut model = Model::new();
    let mut outer: O = build(&model, 10);
    for round in 0..if cfg!(miri) { 4 } else { 40 } {
        let batch = random_batch(&mut random, &model, 200, if cfg!(miri) { 12 } else { 400 });
        let kind = [Kind::Insert, Kind::Insert, Kind::Update, Kind::Delete][round % 4];
        assert_eq!(apply::<R>(&mut outer, &batch, kind), expected(&mut model, &batch, kind));
        check::<R>(&outer, &model, 200);
    }
    let all = model.clone();
    apply::<R>(&mut outer, &all, Kind::Delete);
    assert!(store(&outer).fiber().is_empty(), "rows left empty are taken out");
}

#[test]
fn packed_rows_below_a_store() {
    rows_below_a_store::<Packed<u32, f64>, _, Nested<Packed<u32, Packed<u32, f64>>>>(|outer| &outer.0);
    rows_below_a_store::<PackedDelta<u32, f64>, _, Nested<Packed<u32, PackedDelta<u32, f64>>>>(|outer| &outer.0);
}

/// A store of 32-bit coordinates has no row at 2^32 - 1 or beyond: deletions count as absent there, and insertions panic.
#[test]
fn rows_beyond_a_store_of_rows() {
    type Row = Packed<u32, f64>;
    let mut outer = build::<Nested<Packed<u32, Row>>, Row>(&Model::new(), 10);
    let here = Model::from([((3, 1), 2.0)]);
    let far = Model::from([((3, 1), 5.0), ((u32::MAX as usize, 0), 1.0), ((usize::MAX, 2), 1.0)]);
    assert_eq!(apply::<Row>(&mut outer, &here, Kind::Insert).new, 1);
    let counts = apply::<Row>(&mut outer, &far, Kind::Update);
    assert_eq!(counts, Counts { changed: 1, absent: 2, ..Counts::default() });
    let inserted = std::panic::AssertUnwindSafe(|| apply::<Row>(&mut outer, &far, Kind::Insert));
    let said = std::panic::catch_unwind(inserted).unwrap_err();
    let said = said.downcast_ref::<String>().expect("a text");
    assert_eq!(said, "row 4294967295 is beyond those that the outer store has coordinates for");
    check::<Row>(&outer, &Model::from([((3, 1), 7.0)]), 10);
    let counts = apply::<Row>(&mut outer, &far, Kind::Delete);
    assert_eq!(counts, Counts { removed: 1, absent: 2, ..Counts::default() });
    check::<Row>(&outer, &Model::new(), 10);
}

#[test]
fn rows_of_any_type_below_a_store() {
    rows_below_a_store::<Packed<u32, f64>, _, NestedAny<Packed<u32, AnyRow>>>(|outer| &outer.0);
}

/// A store whose handle does not fit two words, as one of a user may be.
#[derive(Clone, Default)]
struct Wide(Packed<u32, f64>, [u64; 4]);

impl Store for Wide {
    type Coord = u32;
    type Value = f64;
    type Fiber<'a> = <Packed<u32, f64> as Store>::Fiber<'a>;
    type Page = ArrayPage<Wide>;
    const NAME: &'static str = "wide";

    fn build_row(elements: Elements<'_, u32, f64>) -> Self {
        Wide(Store::build_row(elements), [7; 4])
    }

    fn fiber(&self) -> Self::Fiber<'_> {
        assert!([[0; 4], [7; 4]].contains(&self.1), "the handle is whole");
        self.0.fiber()
    }

    fn audit_with(&self, value: &mut dyn FnMut(&f64) -> Result<(), AuditError>) -> Result<(), AuditError> {
        self.0.audit_with(value)
    }

    fn footprint_with(&self, value: &mut dyn FnMut(&f64) -> Footprint) -> Footprint {
        self.0.footprint_with(value)
    }
}

#[test]
fn large_handles_of_any_type() {
    rows_below_a_store::<Wide, _, NestedAny<Packed<u32, AnyRow>>>(|outer| &outer.0);
}

#[test]
#[should_panic(expected = "is no")]
fn rows_of_another_type_are_refused() {
    let mut rows = vec![AnyRow::new(Packed::<u32, f64>::default())];
    let outer = NestedAny::<Packed<u32, AnyRow>>(Store::build_row(Elements::drain(&[1], &mut rows)));
    let _ = Outer::<Packed<u32, ()>>::row(&outer, 1);
}

/// Values are dropped as often as they are made.
fn nothing_leaks<R: Store<Coord = u32, Value = Arc<u16>>>() {
    let token = Arc::new(1u16);
    // A hundred short rows and a long one.
    let coords: Vec<u32> = (0..2000).collect();
    let offsets: Vec<usize> = (0..=100).map(|k| k * 5).chain([2000]).collect();
    let mut values = vec![token.clone(); 2000];
    let elements = Elements::drain(&coords, &mut values);
    let part = Paged::<R>::build_part(RowBlock::new(0, &offsets, elements));
    let outer = Paged::<R>::join(101, vec![part]);
    assert_eq!(Arc::strong_count(&token), 2001);
    let mut other = outer.clone();
    assert_eq!(Arc::strong_count(&token), 2001, "a clone shares");
    let gone = SortedBatch::new(&[3, 100], &[0, 1, 2], &[17, 600], &[]);
    assert_eq!(other.apply(gone, Change::Delete).removed, 2);
    drop(outer);
    assert_eq!(Arc::strong_count(&token), 1999);
    drop(other);
    assert_eq!(Arc::strong_count(&token), 1);
}

#[test]
fn packed_leaks_nothing() {
    nothing_leaks::<Packed<u32, Arc<u16>>>();
    nothing_leaks::<PackedDelta<u32, Arc<u16>>>();
}

/// The audit reaches values, and the footprint counts each byte that was asked for.
#[test]
fn values_are_audited_and_weighed() {
    let model: Model<f64> = (0..1000).map(|k| ((k / 700, k as u32), k as f64)).collect();
    let outer: Paged<Packed<u32, f64>> = build(&model, 2);
    let mut seen = 0;
    let sum = outer.footprint_with(&mut |_| {
        seen += 1;
        Footprint { bytes: 1, nodes: 0, gaps: 0 }
    });
    assert_eq!(seen, 1000);
    assert!(sum.bytes >= 1000 * 13 && sum.bytes < 1000 * 13 + 4000, "{sum:?}");
    let bad = outer.audit_with(&mut |&v| if v == 800.0 { Err(AuditError::new("value", "is 800")) } else { Ok(()) });
    let error = bad.unwrap_err().to_string();
    assert!(error.starts_with("paged[0..].page[1]") && error.ends_with("is 800"), "{error}");
}
