//! Stores of row handles as outer levels.
//!
//! ```text
//!   Nested<Bst<Ctree<f64>>>     the outer store holds the handles themselves    compiled for each pair of stores
//!   NestedAny<Bst<AnyRow>>      the outer store holds handles of any type       compiled for each outer store, and for each row
//! ```

use std::ops::ControlFlow;
use std::sync::OnceLock;

use crate::{
    AnyRow, AuditError, BuildOuter, Change, Coord, Counts, Elements, Fiber, Footprint, Outer, RowBatch, RowBlock,
    RowGroup, SortedBatch, Store, UpdateOuter, Visit, par_each, sort_by_coord,
};

/// Elements of a batch that one thread applies to a store of rows.
const SMALL: usize = 256;

/// Rows gathered before they are handed to a kernel in one call.
const GATHER: usize = 64;

/// What an outer store holds for a row of type `R`.
trait Slot<R>: Clone + Send + Sync + 'static {
    /// Holds a row.
    fn hold(row: R) -> Self;

    /// The row.
    fn row(&self) -> &R;

    /// The row, to be changed.
    fn row_mut(&mut self) -> &mut R;

    /// The rows that some slots hold, in `room` unless they lie like this already.
    fn rows<'b, 'a>(slots: &'b [(usize, &'a Self)], room: &'b mut Vec<(usize, &'a R)>) -> &'b [(usize, &'a R)] {
        room.extend(slots.iter().map(|&(coord, slot)| (coord, slot.row())));
        room
    }
}

impl<R: Store> Slot<R> for R {
    #[inline(always)]
    fn hold(row: R) -> R {
        row
    }

    #[inline(always)]
    fn row(&self) -> &R {
        self
    }

    #[inline(always)]
    fn row_mut(&mut self) -> &mut R {
        self
    }

    #[inline(always)]
    fn rows<'b, 'a>(slots: &'b [(usize, &'a R)], _: &'b mut Vec<(usize, &'a R)>) -> &'b [(usize, &'a R)] {
        slots
    }
}

impl<R: Store> Slot<R> for AnyRow {
    fn hold(row: R) -> AnyRow {
        AnyRow::new(row)
    }

    #[inline(always)]
    fn row(&self) -> &R {
        self.get()
    }

    #[inline(always)]
    fn row_mut(&mut self) -> &mut R {
        self.get_mut()
    }
}

/// Slots with their coordinates.
type Gathered<'b, 'a, T> = &'b [(usize, &'a T)];

/// A store of slots, whatever store it is.
trait SlotStore<T> {
    /// Hands all slots to `visit` in parallel, [`GATHER`] or so a call.
    fn par_gather<'a>(&'a self, visit: &(dyn Fn(Gathered<'_, 'a, T>) + Sync));

    /// Hands all slots to `visit` in coordinate order, until it breaks.
    fn gather<'a>(&'a self, visit: &mut dyn FnMut(Gathered<'_, 'a, T>) -> ControlFlow<()>) -> ControlFlow<()>;

    /// Whether the outer store can hold a row: its coordinate must be below the gap mark.
    fn has_coord(&self, row: usize) -> bool;

    /// The slot at a coordinate.
    fn slot(&self, coord: usize) -> Option<&T>;

    /// Calls `visit` with the number and the slot of each of some coordinates that can be reached: see [`Store::each_mut`].
    fn reach(&mut self, coords: &[usize], visit: &(dyn Fn(usize, &mut T) + Sync));

    /// Puts slots at coordinates, strictly ascending, in place of what is there.
    fn put(&mut self, coords: &[usize], slots: &[T]);

    /// Takes out what is at some coordinates, strictly ascending.
    fn remove(&mut self, coords: &[usize]);
}

/// A row's coordinate as the outer store has it.
fn coord_of<C: Coord>(row: usize) -> C {
    C::from_index(row).unwrap_or_else(|| beyond(row))
}

/// Refuses a row that the outer store has no coordinate for.
#[cold]
fn beyond(row: usize) -> ! {
    panic!("row {row} is beyond those that the outer store has coordinates for")
}

/// Coordinates of rows as the outer store has them.
fn coords<C: Coord>(rows: &[usize]) -> Vec<C> {
    rows.iter().copied().map(coord_of).collect()
}

impl<S: Store> SlotStore<S::Value> for S {
    fn par_gather<'a>(&'a self, visit: &(dyn Fn(Gathered<'_, 'a, S::Value>) + Sync)) {
        let flush = |slots: &mut Vec<(usize, &'a S::Value)>| {
            visit(slots);
            slots.clear();
        };
        let mut rest = self.fiber().par_fold(
            &Vec::new,
            &|mut slots: Vec<(usize, &'a S::Value)>, run| {
                for (coord, slot) in run.iter() {
                    if slots.capacity() == 0 {
                        slots.reserve_exact(GATHER);
                    }
                    slots.push((coord.index(), slot));
                    if slots.len() >= GATHER {
                        flush(&mut slots);
                    }
                }
                slots
            },
            &|mut left, mut right| {
                if left.len() + right.len() >= GATHER {
                    flush(&mut left);
                    return right;
                }
                if left.is_empty() {
                    return right;
                }
                left.append(&mut right);
                left
            },
        );
        if !rest.is_empty() {
            flush(&mut rest);
        }
    }

    fn gather<'a>(&'a self, visit: &mut dyn FnMut(Gathered<'_, 'a, S::Value>) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut slots = Vec::with_capacity(GATHER);
        if !S::Fiber::<'a>::ORDERED {
            self.fiber().fold_runs((), |(), run| slots.extend(run.iter().map(|(coord, slot)| (coord.index(), slot))));
            sort_by_coord(&mut slots);
            return visit(&slots);
        }
        self.fiber().try_fold_runs((), |(), run| {
            for (coord, slot) in run.iter() {
                slots.push((coord.index(), slot));
                if slots.len() >= GATHER {
                    visit(&slots)?;
                    slots.clear();
                }
            }
            ControlFlow::Continue(())
        })?;
        visit(&slots)
    }

    fn has_coord(&self, row: usize) -> bool {
        S::Coord::from_index(row).is_some()
    }

    fn slot(&self, coord: usize) -> Option<&S::Value> {
        self.fiber().locate(S::Coord::from_index(coord)?)
    }

    fn reach(&mut self, rows: &[usize], visit: &(dyn Fn(usize, &mut S::Value) + Sync)) {
        self.each_mut(&coords(rows), visit);
    }

    fn put(&mut self, rows: &[usize], slots: &[S::Value]) {
        let replace = |old: &mut S::Value, new: &S::Value| {
            old.clone_from(new);
            true
        };
        self.update(RowBatch { coords: &coords(rows), values: slots }, Change::Insert(&replace));
    }

    fn remove(&mut self, rows: &[usize]) {
        self.update(RowBatch { coords: &coords(rows), values: &[] }, Change::Delete);
    }
}

/// Updates rows where they lie if the outer store can reach them ([`Store::each_mut`]); the others are updated as clones and then
/// put in their places by an update of the outer store. Rows left empty are taken out of it.
///
/// # Panics
///
/// If something is inserted into a row that the outer store has no coordinate for. Nothing has changed then.
fn apply<R: Store, T: Slot<R>>(
    store: &mut (dyn SlotStore<T> + Send + Sync),
    batch: SortedBatch<'_, R::Coord, R::Value>,
    change: Change<'_, R::Value>,
) -> Counts {
    let (batch, far) = batch.split_at(batch.rows().partition_point(|&row| store.has_coord(row)));
    if let (Change::Insert(_), Some(&row)) = (change, far.rows().first()) {
        beyond(row);
    }
    let at = batch.rows();
    // What became of each row that was reached, and whether it is empty now.
    let reached: Vec<OnceLock<(Counts, bool)>> = at.iter().map(|_| OnceLock::new()).collect();
    store.reach(at, &|k, slot| {
        let row = slot.row_mut();
        let counts = row.update(batch.row(k), change);
        // Also a row that was empty before: it is left over from a batch that panicked.
        let emptied = !matches!(change, Change::Insert(_)) && row.fiber().is_empty();
        let _ = reached[k].set((counts, emptied));
    });
    // There are no rows beyond those with a coordinate, so nothing changes there.
    let mut counts = Counts { absent: far.len(), ..Counts::default() };
    let (mut emptied, mut elsewhere) = (Vec::new(), Vec::new());
    for (k, reached) in reached.into_iter().enumerate() {
        match reached.into_inner() {
            Some((part, empty)) => {
                counts += part;
                emptied.extend(empty.then_some(at[k]));
            }
            None => elsewhere.push(k),
        }
    }
    let updated: Vec<OnceLock<(R, Counts)>> = elsewhere.iter().map(|_| OnceLock::new()).collect();
    let update = |n: usize| {
        let k = elsewhere[n];
        let mut row = store.slot(at[k]).map_or_else(R::default, |slot| slot.row().clone());
        let counts = row.update(batch.row(k), change);
        let _ = updated[n].set((row, counts));
    };
    // A few rows are done before other threads would have started.
    if batch.len() <= SMALL {
        (0..elsewhere.len()).for_each(update);
    } else {
        par_each(elsewhere.len(), usize::MAX, &update);
    }
    let (mut coords, mut rows) = (Vec::new(), Vec::new());
    for (k, updated) in elsewhere.into_iter().zip(updated) {
        let (coord, (row, part)) = (at[k], updated.into_inner().expect("each row was updated"));
        counts += part;
        if part.new + part.changed + part.removed == 0 {
            continue;
        }
        if row.fiber().is_empty() {
            emptied.push(coord);
        } else {
            coords.push(coord);
            rows.push(T::hold(row));
        }
    }
    if !coords.is_empty() {
        store.put(&coords, &rows);
    }
    if !emptied.is_empty() {
        emptied.sort_unstable();
        store.remove(&emptied);
    }
    counts
}

/// The rows of a block that are not empty.
fn build_slots<R: Store, C: Coord, T: Slot<R>>(mut block: RowBlock<'_, R::Coord, R::Value>) -> (Vec<C>, Vec<T>) {
    // Few rows are empty as a rule.
    let (mut coords, mut slots) = (Vec::with_capacity(block.num_rows()), Vec::with_capacity(block.num_rows()));
    while let Some((coord, row)) = block.pop_row() {
        if !row.is_empty() {
            coords.push(coord_of(coord));
            slots.push(T::hold(R::build_row(row)));
        }
    }
    (coords, slots)
}

/// Coordinates of rows, and what a store holds for each.
type Columns<S> = (Vec<<S as Store>::Coord>, Vec<<S as Store>::Value>);

/// The rows of a block.
pub enum Part<S: Store> {
    /// Their coordinates, and what a store holds for each.
    Columns(Vec<S::Coord>, Vec<S::Value>),
    /// A store of them, if stores can be joined.
    Built(S),
}

/// The store of the rows of consecutive blocks.
fn join<S: Store>(parts: Vec<Part<S>>) -> S {
    if let Some(join) = S::JOIN {
        let built = parts.into_iter().filter_map(|part| match part {
            Part::Built(store) => Some(store),
            Part::Columns(..) => None,
        });
        return join(built.collect());
    }
    let columns = parts.into_iter().filter_map(|part| match part {
        Part::Columns(rows, slots) => Some((rows, slots)),
        Part::Built(_) => None,
    });
    join_columns(columns.collect())
}

/// The store of the rows of consecutive blocks.
fn join_columns<S: Store>(parts: Vec<Columns<S>>) -> S {
    let all = parts.iter().map(|(rows, _)| rows.len()).sum();
    let (mut rows, mut slots) = (Vec::with_capacity(all), Vec::with_capacity(all));
    for (mut part_rows, mut part_slots) in parts {
        rows.append(&mut part_rows);
        slots.append(&mut part_slots);
    }
    S::build_row(Elements::drain(&rows, &mut slots))
}

/// Any store whose values are row handles is an outer level.
pub struct Nested<S>(pub S);

/// Any store whose values are row handles of any type is an outer level over rows of every type.
///
/// It is compiled once, and not for each type of row as [`Nested`] is: for programs that take the names of both stores at run time.
/// Each row takes 24 bytes in the outer store instead of 8 or 16, and one more comparison to read.
pub struct NestedAny<S>(pub S);

macro_rules! outer_level {
    ($outer:ident<S> where S: $store:path) => {
        impl<R: Store, S: $store> Outer<R> for $outer<S> {
            fn name(&self) -> &'static str {
                S::NAME
            }

            fn par_batches<'a>(&'a self, visit: &dyn Visit<'a, R>) {
                self.0.par_gather(&|slots| visit.visit(RowGroup::Rows(S::Value::rows(slots, &mut Vec::new()))));
            }

            fn batches<'a>(&'a self, visit: &mut dyn FnMut(RowGroup<'_, 'a, R>) -> ControlFlow<()>) -> ControlFlow<()> {
                self.0.gather(&mut |slots| visit(RowGroup::Rows(S::Value::rows(slots, &mut Vec::new()))))
            }

            fn row(&self, coord: usize) -> Option<R::Fiber<'_>> {
                self.0.slot(coord).map(|slot| Slot::<R>::row(slot).fiber())
            }

            fn audit_with(&self, value: &mut dyn FnMut(&R::Value) -> Result<(), AuditError>) -> Result<(), AuditError> {
                self.0.audit_with(&mut |slot| Slot::<R>::row(slot).audit_with(value))
            }

            fn footprint_with(&self, value: &mut dyn FnMut(&R::Value) -> Footprint) -> Footprint {
                let mut sum = self.0.footprint_with(&mut |slot| Slot::<R>::row(slot).footprint_with(value));
                sum.bytes += size_of::<S>();
                sum
            }
        }

        impl<R: Store, S: $store> UpdateOuter<R> for $outer<S> {
            fn grow(&mut self, _num_rows: usize) {}

            fn share(&self) -> Box<dyn UpdateOuter<R>> {
                Box::new($outer(self.0.clone()))
            }

            fn apply(&mut self, batch: SortedBatch<'_, R::Coord, R::Value>, change: Change<'_, R::Value>) -> Counts {
                apply::<R, S::Value>(&mut self.0, batch, change)
            }
        }
    };
}

outer_level!(Nested<S> where S: Store<Value = R>);
outer_level!(NestedAny<S> where S: Store<Value = AnyRow>);

impl<R: Store, S: Store<Value = R>> BuildOuter<R> for Nested<S> {
    type Part = Part<S>;

    fn build_part(block: RowBlock<'_, R::Coord, R::Value>) -> Self::Part {
        let (coords, mut slots) = build_slots::<R, S::Coord, R>(block);
        match S::JOIN {
            Some(_) => Part::Built(S::build_row(Elements::drain(&coords, &mut slots))),
            None => Part::Columns(coords, slots),
        }
    }

    fn join(_num_rows: usize, parts: Vec<Self::Part>) -> Self {
        Nested(join(parts))
    }
}

/// Parts are columns whatever the outer store is, so that what builds them is compiled for each type of row only.
impl<R: Store, S: Store<Value = AnyRow>> BuildOuter<R> for NestedAny<S> {
    type Part = (Vec<S::Coord>, Vec<AnyRow>);

    fn build_part(block: RowBlock<'_, R::Coord, R::Value>) -> Self::Part {
        build_slots::<R, S::Coord, AnyRow>(block)
    }

    fn join(_num_rows: usize, parts: Vec<Self::Part>) -> Self {
        NestedAny(join_columns(parts))
    }

    fn boxed(_num_rows: usize, parts: Vec<Self::Part>) -> Box<dyn UpdateOuter<R>> {
        Box::new(NestedDyn(Box::new(join_columns::<S>(parts))))
    }
}

/// What [`NestedAny`] becomes behind a pointer: the outer store is known to itself only, so that this is compiled for each type of row,
/// but not for each outer store as well.
struct NestedDyn(Box<dyn AnyRows>);

/// A store of rows of any type, whatever store it is.
trait AnyRows: SlotStore<AnyRow> + Send + Sync {
    fn name(&self) -> &'static str;

    fn share(&self) -> Box<dyn AnyRows>;

    fn audit_rows(&self, row: &mut dyn FnMut(&AnyRow) -> Result<(), AuditError>) -> Result<(), AuditError>;

    fn footprint_rows(&self, row: &mut dyn FnMut(&AnyRow) -> Footprint) -> Footprint;
}

impl<S: Store<Value = AnyRow>> AnyRows for S {
    fn name(&self) -> &'static str {
        S::NAME
    }

    fn share(&self) -> Box<dyn AnyRows> {
        Box::new(self.clone())
    }

    fn audit_rows(&self, row: &mut dyn FnMut(&AnyRow) -> Result<(), AuditError>) -> Result<(), AuditError> {
        self.audit_with(row)
    }

    fn footprint_rows(&self, row: &mut dyn FnMut(&AnyRow) -> Footprint) -> Footprint {
        let mut sum = self.footprint_with(row);
        sum.bytes += size_of::<S>();
        sum
    }
}

impl<R: Store> Outer<R> for NestedDyn {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn par_batches<'a>(&'a self, visit: &dyn Visit<'a, R>) {
        self.0.par_gather(&|slots| visit.visit(RowGroup::Rows(AnyRow::rows(slots, &mut Vec::new()))));
    }

    fn batches<'a>(&'a self, visit: &mut dyn FnMut(RowGroup<'_, 'a, R>) -> ControlFlow<()>) -> ControlFlow<()> {
        self.0.gather(&mut |slots| visit(RowGroup::Rows(AnyRow::rows(slots, &mut Vec::new()))))
    }

    fn row(&self, coord: usize) -> Option<R::Fiber<'_>> {
        self.0.slot(coord).map(|slot| Slot::<R>::row(slot).fiber())
    }

    fn audit_with(&self, value: &mut dyn FnMut(&R::Value) -> Result<(), AuditError>) -> Result<(), AuditError> {
        self.0.audit_rows(&mut |slot| Slot::<R>::row(slot).audit_with(value))
    }

    fn footprint_with(&self, value: &mut dyn FnMut(&R::Value) -> Footprint) -> Footprint {
        self.0.footprint_rows(&mut |slot| Slot::<R>::row(slot).footprint_with(value))
    }
}

impl<R: Store> UpdateOuter<R> for NestedDyn {
    fn grow(&mut self, _num_rows: usize) {}

    fn share(&self) -> Box<dyn UpdateOuter<R>> {
        Box::new(NestedDyn(self.0.share()))
    }

    fn apply(&mut self, batch: SortedBatch<'_, R::Coord, R::Value>, change: Change<'_, R::Value>) -> Counts {
        apply::<R, AnyRow>(&mut *self.0, batch, change)
    }
}
