//! A `BTreeMap` as the model of a matrix, random batches against it, and the comparison of all that can be read.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pleach_runtime::{
    BuildOuter, Counts, Cursor, Elements, Fiber, Outer, RowBlock, RowGroup, SortedBatch, SplitMix64, Store,
};

/// A value of which one can be made from a number.
pub trait Sample: Clone + Send + Sync + PartialEq + Debug + 'static {
    fn sample(n: usize) -> Self;
    /// Adds; whether the sum differs.
    fn add(&mut self, other: &Self) -> bool;
}

impl Sample for () {
    fn sample(_: usize) {}
    fn add(&mut self, _: &()) -> bool {
        false
    }
}

impl Sample for f64 {
    fn sample(n: usize) -> f64 {
        n as f64
    }
    fn add(&mut self, other: &f64) -> bool {
        *self += other;
        *other != 0.0
    }
}

/// A value with a destructor: each clone holds one count.
impl Sample for Arc<u16> {
    fn sample(n: usize) -> Self {
        Arc::new(n as u16)
    }
    fn add(&mut self, other: &Self) -> bool {
        *self = Arc::new(self.wrapping_add(**other));
        **other != 0
    }
}

/// The nonzeros of a matrix, by row and coordinate.
pub type Model<V> = BTreeMap<(usize, u32), V>;

/// The nonzeros of one row of a model.
pub fn row_of<V>(model: &Model<V>, row: usize) -> impl Iterator<Item = (u32, &V)> {
    model.range((row, 0)..=(row, u32::MAX)).map(|(&(_, coord), value)| (coord, value))
}

/// A batch in the arrays that [`SortedBatch`] borrows.
pub struct Arrays<V> {
    pub rows: Vec<usize>,
    pub offsets: Vec<usize>,
    pub coords: Vec<u32>,
    pub values: Vec<V>,
}

impl<V: Sample> Arrays<V> {
    pub fn new(elements: &Model<V>) -> Self {
        let mut arrays = Arrays { rows: vec![], offsets: vec![], coords: vec![], values: vec![] };
        for (&(row, coord), value) in elements {
            if arrays.rows.last() != Some(&row) {
                arrays.rows.push(row);
                arrays.offsets.push(arrays.coords.len());
            }
            arrays.coords.push(coord);
            arrays.values.push(value.clone());
        }
        arrays.offsets.push(arrays.coords.len());
        arrays
    }

    pub fn batch(&self) -> SortedBatch<'_, u32, V> {
        SortedBatch::new(&self.rows, &self.offsets, &self.coords, &self.values)
    }
}

/// Builds an outer level from a model, a few pages a block.
pub fn build<O: BuildOuter<R>, R: Store<Coord = u32>>(model: &Model<R::Value>, num_rows: usize) -> O
where
    R::Value: Sample,
{
    let mut parts = Vec::new();
    for first_row in (0..num_rows).step_by(128) {
        let (mut offsets, mut coords, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in first_row..num_rows.min(first_row + 128) {
            for (coord, value) in row_of(model, row) {
                coords.push(coord);
                values.push(value.clone());
            }
            offsets.push(coords.len());
        }
        let elements = Elements::drain(&coords, &mut values);
        parts.push(O::build_part(RowBlock::new(first_row, &offsets, elements)));
    }
    O::join(num_rows, parts)
}

/// Audits, and compares all that can be read with the model.
pub fn check<R: Store<Coord = u32>>(outer: &dyn Outer<R>, model: &Model<R::Value>, num_rows: usize)
where
    R::Value: Sample,
{
    outer.audit_with(&mut |_| Ok(())).unwrap();
    let mut found: Vec<((usize, u32), R::Value)> = Vec::new();
    let flow = outer.batches(&mut |batch| {
        batch.for_each(|row, fiber| {
            let before = found.len();
            fiber.fold_runs((), |(), run| {
                found.extend(run.iter().map(|(coord, value)| ((row, coord), value.clone())));
            });
            assert_eq!(fiber.len(), found.len() - before);
        });
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    assert!(found.iter().map(|(at, value)| (at, value)).eq(model.iter()), "the levels hold what the model does");
    let total = AtomicUsize::new(0);
    outer.par_batches(&|batch: RowGroup<'_, '_, R>| {
        batch.for_each(|_, fiber| {
            let n = fiber.par_fold(&|| 0, &|n, run| n + run.len(), &|left, right| left + right);
            total.fetch_add(n, Ordering::Relaxed);
        });
    });
    assert_eq!(total.into_inner(), model.len());
    // Rows one by one, through the resumable iterator and by locating.
    for row in 0..num_rows {
        let Some(fiber) = outer.row(row) else {
            assert!(row_of(model, row).next().is_none());
            continue;
        };
        let mut cursor = Cursor::new(fiber.runs());
        for (coord, value) in row_of(model, row) {
            assert_eq!(cursor.coord(), Some(coord));
            assert_eq!(cursor.value(), value);
            cursor.advance();
        }
        assert_eq!(cursor.coord(), None);
        for (coord, value) in row_of(model, row).step_by(if cfg!(miri) { 101 } else { 7 }) {
            assert_eq!(fiber.locate(coord), Some(value));
            assert_eq!(fiber.locate(coord + 1), model.get(&(row, coord + 1)));
        }
    }
}

/// What a batch does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Insert,
    Update,
    Delete,
}

/// Applies a batch to a model; returns what applying it to the store should return.
pub fn expected<V: Sample>(model: &mut Model<V>, batch: &Model<V>, kind: Kind) -> Counts {
    let mut counts = Counts::default();
    for (&at, value) in batch {
        match (kind, model.get_mut(&at)) {
            (Kind::Insert, None) => {
                model.insert(at, value.clone());
                counts.new += 1;
            }
            (Kind::Insert | Kind::Update, Some(old)) => {
                if old.add(value) {
                    counts.changed += 1
                } else {
                    counts.unchanged += 1
                }
            }
            (Kind::Delete, Some(_)) => {
                model.remove(&at);
                counts.removed += 1;
            }
            _ => counts.absent += 1,
        }
    }
    counts
}

/// A random batch: rows of any kind, of which some are chosen often and become long.
pub fn random_batch<V: Sample>(random: &mut SplitMix64, model: &Model<V>, num_rows: usize, size: usize) -> Model<V> {
    let mut batch = Model::new();
    let kind = random.index(4);
    for _ in 0..size {
        let row = match kind {
            0 => random.index(num_rows),
            1 => random.index(3),
            2 => random.index(num_rows) / 64 * 64,
            _ => (random.index(num_rows) * random.index(num_rows)) / num_rows,
        };
        batch.insert((row, random.index(3000) as u32), V::sample(random.index(5)));
    }
    if random.index(3) == 0 {
        // What is there already, so that updates and deletions hit.
        let present: Vec<(usize, u32)> = model.keys().filter(|_| random.index(4) == 0).take(size).copied().collect();
        batch.extend(present.into_iter().map(|at| (at, V::sample(random.index(5)))));
    }
    batch
}
