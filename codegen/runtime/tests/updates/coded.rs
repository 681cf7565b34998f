//! Pages of difference-coded rows of which some change: the rows between these are copied as they are.

use pleach_runtime::{Dense, PAGE_ROWS, PackedDelta};

use crate::apply;
use crate::model::{Kind, Model, build, check, expected};

type Row = PackedDelta<u32, f64>;

/// One of the others is far longer: where the batch overflows the slab, it is the one that goes outside.
const LONG: usize = 20;

/// Changes some rows of a page whose rows have about `common` elements, but for those outside: `hubs` has a bit for each.
fn some_rows_change(common: usize, hubs: u64, changed: &[usize], is_shared: bool) {
    let len = |row: usize| match row {
        _ if hubs >> row & 1 != 0 => 300,
        LONG => 250,
        _ => common + row % 5,
    };
    let row = |row: usize| (0..len(row) as u32).map(move |k| ((row, 3 * k), row as f64 + f64::from(k)));
    let model: Model<f64> = (0..PAGE_ROWS).flat_map(row).collect();
    let mut outer: Dense<Row> = build(&model, PAGE_ROWS);
    let old = is_shared.then(|| (outer.clone(), model.clone()));

    let mut now = model;
    let batch: Model<f64> =
        changed.iter().flat_map(|&row| (0..90).map(move |k| ((row, 2 * k + 1), f64::from(k)))).collect();
    assert_eq!(apply::<Row>(&mut outer, &batch, Kind::Insert), expected(&mut now, &batch, Kind::Insert));
    check::<Row>(&outer, &now, PAGE_ROWS);

    // Rows outside that become short come back.
    let ends = now.iter().filter(|((row, col), _)| changed.contains(row) && *col > 9);
    let batch: Model<f64> = ends.map(|(&at, &value)| (at, value)).collect();
    assert_eq!(apply::<Row>(&mut outer, &batch, Kind::Delete), expected(&mut now, &batch, Kind::Delete));
    check::<Row>(&outer, &now, PAGE_ROWS);
    if let Some((outer, model)) = old {
        check::<Row>(&outer, &model, PAGE_ROWS);
    }
}

#[test]
#[cfg_attr(miri, ignore = "coded rows have no unsafe code of their own")]
fn rows_between_those_that_change_stay() {
    for (common, hubs) in [(2, 0), (58, 0), (58, 1 | 1 << 5 | 1 << 63), (58, 0b110 << 39), (2, u64::MAX)] {
        for changed in [&[0][..], &[63], &[5, 6, 40], &[0, 1, 2, 41, 62, 63]] {
            for is_shared in [false, true] {
                some_rows_change(common, hubs, changed, is_shared);
            }
        }
    }
}
