//! Hostile callers in safe Rust: arguments that break a documented promise, and traits whose methods return wrong answers. A call may
//! panic or return a wrong result. It must not cause undefined behaviour, which miri detects, and it must not leak or drop a value twice.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pleach_runtime::packed::{Block, Chunk, PackedPage};
use pleach_runtime::{
    AnyRow, AuditError, BuildOuter, Change, Coded, CodedView, Dense, Elements, Fiber, Footprint, Outer, PAGE_ROWS,
    Packed, PackedDelta, Page, Paged, Places, RowBatch, RowBlock, RowGroup, Run, Runs, SharedOutput, SortedBatch,
    Stack, Store, UpdateOuter, Visit, replace,
};

type Text = Arc<str>;
type Row = Packed<u32, Text>;

/// Values that count how many of them exist.
fn texts(n: usize) -> (Text, Vec<Text>) {
    let text: Text = "text".into();
    (text.clone(), vec![text; n])
}

/// Miri runs one combination in five.
fn skipped(combination: usize) -> bool {
    cfg!(miri) && !combination.is_multiple_of(5)
}

fn fails<T>(f: impl FnOnce() -> T) -> bool {
    catch_unwind(AssertUnwindSafe(f)).is_err()
}

#[test]
fn blocks_of_rows_are_checked() {
    let coords: Vec<u32> = (0..300).collect();
    for offsets in [&[][..], &[5, 3], &[0, 300, 2], &[0, 301], &[0, usize::MAX], &[usize::MAX, 0], &[1, 302]] {
        let (text, mut values) = texts(300);
        assert!(fails(|| RowBlock::new(0, offsets, Elements::drain(&coords, &mut values))), "{offsets:?}");
        drop(values);
        assert_eq!(Arc::strong_count(&text), 1);
    }
    // Offsets count from the first one; what lies behind the last is dropped, even if the page is full.
    let (text, mut values) = texts(300);
    let offsets: Vec<usize> = (7..=7 + 70).collect();
    let page = <PackedPage<u32, Text> as Page<Row>>::build(RowBlock::new(
        640,
        &offsets,
        Elements::drain(&coords, &mut values),
    ));
    assert_eq!((page.nnz(), Arc::strong_count(&text)), (PAGE_ROWS, 1 + PAGE_ROWS));
    let flat = page.side_by_side().expect("the rows of a slab");
    assert_eq!(flat.elsewhere, 0);
    assert_eq!((flat.ends.len(), flat.coords, flat.values.len()), (PAGE_ROWS, &coords[..PAGE_ROWS], PAGE_ROWS));
    assert!(flat.values.iter().all(|text| &**text == "text") && flat.ends.iter().copied().eq(1..=PAGE_ROWS as u16));
    assert!(fails(|| page.row(PAGE_ROWS).len()) || page.row(0).len() == 1);
    assert!(fails(|| page.row(PAGE_ROWS + 1).len()) || page.row(1).len() == 1);
    drop(page);
    assert_eq!(Arc::strong_count(&text), 1);
}

/// Batches that are in no order, name coordinates twice, or the gap mark, or bring too few values.
fn update_with_anything<R: Store<Coord = u32, Value = Text>>() {
    let ascending: Vec<u32> = (0..40).map(|k| 3 * k).collect();
    let descending: Vec<u32> = (0..40).rev().map(|k| 2 * k).collect();
    let coords = [&ascending[..], &descending, &[5; 30], &[7, 7, 3, 3, u32::MAX, 0, u32::MAX], &[u32::MAX], &[9, 9, 9]];
    for (k, first) in coords.into_iter().enumerate() {
        for (m, second) in coords.into_iter().enumerate() {
            if skipped(k + m) {
                continue;
            }
            for values in [0, 1, second.len() - 1, second.len(), second.len() + 3] {
                let (text, batch) = texts(values);
                {
                    let (_, mut own) = (0, vec![text.clone(); first.len()]);
                    // Builds too get arguments that break their promises.
                    let mut row = R::default();
                    let _ = fails(|| row = R::build_row(Elements::drain(first, &mut own)));
                    drop(own);
                    let held = row.clone();
                    let batch = RowBatch { coords: second, values: &batch };
                    let _ = fails(|| row.update(batch, Change::Insert(&replace)));
                    let _ = fails(|| row.update(batch, Change::Update(&|_, _| k % 2 == 0)));
                    let _ = fails(|| row.update(batch, Change::Delete));
                    for row in [&row, &held] {
                        let _ = fails(|| row.audit());
                        let _ = fails(|| row.fiber().fold_runs(0, |sum, run| sum + run.values().len()));
                        let _ = fails(|| row.fiber().locate(7));
                    }
                }
                drop(batch);
                assert_eq!(Arc::strong_count(&text), 1, "{first:?} {second:?} {values}");
            }
        }
    }
}

#[test]
fn rows_survive_any_batch() {
    update_with_anything::<Row>();
    update_with_anything::<PackedDelta<u32, Text>>();
}

/// Trees of elements in no order: a walk may miss some of them, but it ends.
fn walk_anything<R: Store<Coord = u32, Value = Text>>() {
    // Four nodes over chunks, or one.
    let n = if cfg!(miri) { 600 } else { 240 * 480 };
    let orders: [fn(u32) -> u32; 5] = [
        |k| 200_000 - k,
        |_| 7,
        |k| k % 1000,
        |k| k / 480 * 7919 % 240 * 480 + k % 480,
        |k| k.wrapping_mul(0x9e37_79b9),
    ];
    for (number, order) in orders.into_iter().enumerate() {
        let coords: Vec<u32> = (0..n as u32).map(order).collect();
        let (text, mut values) = texts(n);
        let mut row = R::default();
        let _ = fails(|| row = R::build_row(Elements::drain(&coords, &mut values)));
        for round in 0..3 {
            let (mut folded, mut iterated) = (0, 0);
            let _ = fails(|| row.fiber().fold_runs((), |(), run| folded += run.values().len()));
            let _ = fails(|| {
                let mut runs = row.fiber().runs();
                while runs.advance() {
                    iterated += runs.run().values().len();
                }
            });
            assert!(folded <= n && iterated == folded, "order {number}, round {round}: {folded}, {iterated} of {n}");
            let part = &coords[round * 100..round * 100 + 200];
            let _ = fails(|| row.update(RowBatch { coords: part, values: &[] }, Change::Delete));
        }
        drop((row, values));
        assert_eq!(Arc::strong_count(&text), 1, "order {number}");
    }
}

#[test]
fn walks_over_trees_in_no_order_end() {
    walk_anything::<Row>();
    walk_anything::<PackedDelta<u32, Text>>();
}

#[test]
fn pages_survive_any_batch() {
    fn run<O: BuildOuter<R> + UpdateOuter<R>, R: Store<Coord = u32, Value = Text>>() {
        let coords: Vec<u32> = (0..64).rev().chain(0..64).collect();
        let rows: [&[usize]; 5] = [&[1, 2, 3], &[3, 2, 1], &[1, 1, 1], &[1, 70, 2], &[64, 1, 64]];
        let offsets: [&[usize]; 6] =
            [&[0, 5, 9, 12], &[0, 9, 5, 12], &[9, 5, 3, 0], &[0, 0, 0, 128], &[5, 200, 9, 20], &[128, 0, 0, 0]];
        for (k, rows) in rows.into_iter().enumerate() {
            for (m, offsets) in offsets.into_iter().enumerate() {
                if skipped(k + m) {
                    continue;
                }
                let (text, values) = texts(coords.len());
                let mut outer = O::join(200, vec![O::build_part(RowBlock::empty())]);
                for change in [Change::Insert(&replace as _), Change::Update(&replace as _), Change::Delete] {
                    // Debug builds refuse most of these; others must be sound with them.
                    let held = fails(|| outer.apply(SortedBatch::new(rows, offsets, &coords, &values), change));
                    let shared = outer.share();
                    let _ = fails(|| outer.apply(SortedBatch::new(rows, offsets, &coords, &values), change));
                    let _ = (held, fails(|| shared.audit_with(&mut |_| Ok(()))));
                }
                let _ = fails(|| outer.audit_with(&mut |_| Ok(())));
                drop((outer, values));
                assert_eq!(Arc::strong_count(&text), 1, "{rows:?} {offsets:?}");
            }
        }
    }
    run::<Paged<Row>, Row>();
    run::<Dense<Row>, Row>();
    run::<Paged<PackedDelta<u32, Text>>, PackedDelta<u32, Text>>();
}

#[test]
fn chunks_refuse_what_they_cannot_hold() {
    let coords: Vec<u32> = (0..509).collect();
    let build = |n: usize| Block::build(Elements::copied(&coords[..n], &vec![1.5; n]));
    assert!(fails(|| build(509)));
    let (mut left, right) = (build(400), build(200));
    assert!(fails(|| left.join(&right)));
    assert_eq!(left.len(), 400);
    let mut own = build(254);
    let same = own.clone();
    own.join(&same);
    assert_eq!((own.len(), same.len()), (508, 254));
}

/// An outer level that shows different rows to each visitor.
struct Liar {
    rows: Vec<Row>,
    page: PackedPage<u32, Text>,
    asked: AtomicUsize,
}

impl Outer<Row> for Liar {
    fn name(&self) -> &'static str {
        "liar"
    }

    fn par_batches<'a>(&'a self, visit: &dyn Visit<'a, Row>) {
        let far: Vec<(usize, &'a Row)> =
            self.rows.iter().enumerate().map(|(k, row)| ([3, 3, usize::MAX][k % 3], row)).collect();
        visit.visit(RowGroup::Rows(&far));
        visit.visit(RowGroup::Page { first_row: 17, page: &self.page, next: [None; 2] });
    }

    fn batches<'a>(&'a self, visit: &mut dyn FnMut(RowGroup<'_, 'a, Row>) -> ControlFlow<()>) -> ControlFlow<()> {
        if self.asked.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) {
            return visit(RowGroup::Rows(&[]));
        }
        for first_row in [900, 1, 77, usize::MAX, 0] {
            // Goes on after it was told to stop.
            let _ = visit(RowGroup::Page { first_row, page: &self.page, next: [None; 2] });
        }
        ControlFlow::Continue(())
    }

    fn row(&self, _: usize) -> Option<<Row as Store>::Fiber<'_>> {
        None
    }

    fn audit_with(&self, _: &mut dyn FnMut(&Text) -> Result<(), AuditError>) -> Result<(), AuditError> {
        Ok(())
    }

    fn footprint_with(&self, _: &mut dyn FnMut(&Text) -> Footprint) -> Footprint {
        Footprint::default()
    }
}

#[test]
fn places_believe_no_outer_level() {
    let (_, mut values) = texts(6);
    let rows = (0..6).map(|k| Row::build_row(Elements::drain(&[k], &mut vec![values.pop().unwrap()]))).collect();
    let page = <PackedPage<u32, Text> as Page<Row>>::build(RowBlock::empty());
    let liar = Liar { rows, page, asked: AtomicUsize::new(0) };
    for _ in 0..4 {
        let places = Places::of(&liar, 1000);
        for coord in (0..1100).chain([usize::MAX]) {
            if let Some(row) = places.row(coord) {
                row.fold_runs((), |(), run| assert!(run.values().iter().all(|text| &**text == "text")));
            }
        }
        assert!(Places::of(&liar, 0).row(0).is_none());
    }
}

#[test]
fn elements_own_each_value_once() {
    let coords = [1_u32, 2, 3, 4, 5, 6];
    let (text, mut values) = texts(6);
    assert!(fails(|| Elements::drain(&coords[..5], &mut values).len()));
    assert_eq!((values.len(), Arc::strong_count(&text)), (6, 7));
    let mut elements = Elements::drain(&coords, &mut values);
    elements.pop_front();
    let (left, right) = elements.split_at(3);
    assert_eq!(Arc::strong_count(&text), 6);
    assert!(fails(|| right.split_at(3).0.len()));
    assert_eq!(Arc::strong_count(&text), 4);
    let (_, middle, _) = left.split_around(1);
    drop(middle);
    assert_eq!(values.len(), 0);
    // Numbers, so that nothing leaks.
    let mut numbers = vec![7];
    std::mem::forget(Elements::drain(&coords[..1], &mut numbers));
    assert!(numbers.is_empty());
}

#[test]
fn runs_and_slices_are_as_long_as_they_say() {
    assert!(fails(|| Run::new(&[1_u32, 2], &[1.0]).len()));
    assert!(fails(|| Run::new(&[1_u32, 2], &[1.0, 2.0]).part(1..3).len()));
    #[expect(clippy::reversed_empty_ranges)]
    let backwards = || Run::new(&[1_u32, 2], &[1.0, 2.0]).part(2..1).len();
    assert!(fails(backwards));
    assert!(fails(|| Elements::copied(&[1_u32, 2], &[1.0]).len()));
    let (mut array, mut none) = ([1.0_f64; 3], [0_u32; 0]);
    assert!(fails(|| SharedOutput::new(&mut array).set(3, 2.0)));
    assert!(fails(|| SharedOutput::new(&mut none).get(0)));
}

#[test]
fn any_bytes_can_be_decoded() {
    for len in [0, 1, 7, 8, 9, 127, 128, 129, 300] {
        for bytes in [&[][..], &[255; 1], &[255; 40], &[32; 100], &[200; 3], &[0; 400]] {
            let mut out = vec![0_u32; len];
            let coded = Coded::new(bytes, len, Some(u32::MAX));
            coded.decode(&mut out);
            let _ = (coded.check(), coded.first(), coded.locate(7), coded.lower_bound(u32::MAX));
            let wide = Coded::new(bytes, len, Some(u64::MAX - 1));
            let _ = (wide.check(), wide.first(), wide.locate(7), wide.fold(0, |sum: u64, c| sum.wrapping_add(c)));
            let values = vec![(); len];
            let view = CodedView::<u32, ()>::new(bytes, &values, None);
            assert_eq!(view.fold_runs(0, |n, run| n + run.len()), len);
        }
    }
}

#[test]
fn rows_of_any_type_are_what_they_were() {
    let (text, mut values) = texts(1);
    let mut any = AnyRow::new(Row::build_row(Elements::drain(&[1], &mut values)));
    assert!(fails(|| any.get::<Packed<u64, Text>>().len()));
    assert!(fails(|| any.get_mut::<PackedDelta<u32, Text>>().len()));
    assert_eq!(any.get_mut::<Row>().len(), 1);
    *any.get_mut::<Row>() = Row::default();
    assert_eq!(Arc::strong_count(&text), 1);
}

#[test]
fn a_stack_without_places_spills() {
    let mut stack = Stack::<u32, 0>::new();
    assert_eq!(stack.pop(), None);
    (0..5).for_each(|k| stack.push(k));
    assert_eq!((stack.len(), stack.pop(), stack.pop()), (5, Some(4), Some(3)));
}

/// A row that lies outside of a full page, and becomes short there, stays outside when the page empties later.
#[test]
fn short_rows_outside_of_their_page_are_sound() {
    let long: Vec<u32> = (0..300).collect();
    let coords: Vec<u32> = long.iter().copied().chain((1..PAGE_ROWS).flat_map(|_| 0..65)).collect();
    let offsets: Vec<usize> = std::iter::once(0).chain((0..PAGE_ROWS).map(|k| 300 + 65 * k)).collect();
    let (text, mut values) = texts(coords.len());
    let mut outer = Dense::<Row>::join(
        PAGE_ROWS,
        vec![<Dense<Row> as BuildOuter<Row>>::build_part(RowBlock::new(
            0,
            &offsets,
            Elements::drain(&coords, &mut values),
        ))],
    );
    let mut delete = |row: usize, coords: &[u32]| {
        let counts = outer.apply(SortedBatch::new(&[row], &[0, coords.len()], coords, &[]), Change::Delete);
        assert_eq!(counts.removed, coords.len());
        outer.audit_with(&mut |_| Ok(())).unwrap();
        outer.row(row).map_or(0, Fiber::len)
    };
    assert_eq!(delete(0, &long[10..]), 10);
    assert_eq!(delete(7, &long[..65]), 0);
    assert_eq!(delete(0, &long[..1]), 9);
    drop(outer);
    assert_eq!(Arc::strong_count(&text), 1);
}
