//! Between the interpreter's values and what compiled kernels take and return.

use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::sync::Arc;

use pleach_codegen::ir::Literal;
use pleach_codegen::ir::interpret::{Array, Store as Model};
use pleach_runtime::{BuildOuter, Elements, Outer, RowBlock, RowGroup, Rows};

pub use pleach_codegen::ir::interpret::Value;
pub use pleach_runtime::kernel::ShapeError;
pub use pleach_runtime::tensor::{self, Stores, Tensor};
pub use pleach_runtime::{Dense, Fiber, Nested, Packed, PackedDelta, Paged, Store};
pub use pleach_stores::*;

/// Calls a kernel: takes its arguments, puts back what is written in place, and returns the fields of its results.
pub type Caller = fn(&mut [Value]) -> Result<Vec<Value>, ShapeError>;

/// A field that is a number or an array of numbers.
pub trait Plain: Sized {
    /// Of the right type, or nothing.
    fn of(value: Value) -> Option<Self>;
    /// As the interpreter has it.
    fn value(self) -> Value;
}

/// What entries of a store have: numbers, nothing, or stores in turn.
pub trait Entry: Clone + Default + Send + Sync + 'static {
    /// Of the right type, or nothing.
    fn of(array: Option<&Array>, len: usize) -> Option<Vec<Self>>;
    /// As the interpreter has them; nothing in a pattern.
    fn array(entries: Vec<Self>) -> Option<Array>;
}

macro_rules! plain {
    ($($variant:ident $ty:ty),*) => {$(
        impl Plain for $ty {
            fn of(value: Value) -> Option<Self> {
                if let Value::Scalar(Literal::$variant(x)) = value { Some(x) } else { None }
            }
            fn value(self) -> Value {
                Value::Scalar(Literal::$variant(self))
            }
        }
        impl Plain for Vec<$ty> {
            fn of(value: Value) -> Option<Self> {
                if let Value::Array(Array::$variant(x)) = value { Some(x) } else { None }
            }
            fn value(self) -> Value {
                self.into()
            }
        }
        impl Entry for $ty {
            fn of(array: Option<&Array>, _: usize) -> Option<Vec<Self>> {
                if let Some(Array::$variant(x)) = array { Some(x.clone()) } else { None }
            }
            fn array(entries: Vec<Self>) -> Option<Array> {
                Some(Array::$variant(entries))
            }
        }
    )*};
}

plain!(F32 f32, F64 f64, I32 i32, I64 i64, U32 u32, U64 u64, Bool bool, Usize usize);

impl Entry for () {
    fn of(_: Option<&Array>, len: usize) -> Option<Vec<()>> {
        Some(vec![(); len])
    }
    fn array(_: Vec<()>) -> Option<Array> {
        None
    }
}

macro_rules! stores {
    ($($store:ty),*) => {$(
        impl<V: Entry> Entry for $store {
            fn of(array: Option<&Array>, _: usize) -> Option<Vec<Self>> {
                if let Some(Array::Stores(models)) = array { Some(models.iter().map(|m| built(m)).collect()) } else { None }
            }
            fn array(stores: Vec<Self>) -> Option<Array> {
                Some(Array::Stores(stores.iter().map(model).collect()))
            }
        }
    )*};
}

stores!(
    Bst<V>, Rbtree<V>, Ctree<V>, CtreeDelta<V>, List<V>, Blist<V>, BlistPrefix<V>, BlistGaps<V>, BlistUnsorted<V>,
    Vblist<V>, Ttree<V>, Btree<V>, Packed<u32, V>, PackedDelta<u32, V>
);

/// The argument at `at`.
pub fn take<T: Plain>(args: &mut [Value], at: usize) -> T {
    let value = std::mem::replace(&mut args[at], Value::usize(0));
    T::of(value).unwrap_or_else(|| panic!("argument {at} is of another type"))
}

/// Puts an argument back that a kernel has written to.
pub fn give<T: Plain>(args: &mut [Value], at: usize, field: T) {
    args[at] = field.value();
}

/// Coordinates in ascending order with their values: what stores are built from.
fn entries<V: Entry>(model: &Model) -> (Vec<u32>, Vec<V>) {
    let values = V::of(model.values.as_ref(), model.coords.len()).expect("values of the store's type");
    let mut entries: Vec<(u32, V)> = model.coords.iter().map(|&c| c as u32).zip(values).collect();
    entries.sort_by_key(|entry| entry.0);
    entries.into_iter().unzip()
}

fn built<S: Store<Coord = u32, Value: Entry>>(model: &Model) -> S {
    let (coords, mut values) = entries(model);
    S::build_row(Elements::drain(&coords, &mut values))
}

/// The argument at `at`, which is one store.
pub fn store<S: Store<Coord = u32, Value: Entry>>(args: &[Value], at: usize) -> S {
    let Value::Store(model) = &args[at] else { panic!("argument {at} is no store") };
    built(model)
}

/// A matrix whose rows are stores of type `R` below the outer level `O`.
pub struct OfRows<O, R> {
    outer: O,
    rows: usize,
    cols: usize,
    nnz: usize,
    row: PhantomData<fn() -> R>,
}

/// The argument at `at`: stores, at least so many, below an outer level.
pub fn rows<O, R>(args: &[Value], at: usize, rows: usize, cols: usize) -> OfRows<O, R>
where
    O: BuildOuter<R>,
    R: Store<Coord = u32, Value: Entry>,
{
    let stored: Vec<(usize, &Model)> = match &args[at] {
        Value::Array(Array::Stores(models)) => models.iter().map(|model| &**model).enumerate().collect(),
        Value::Store(model) => match &model.values {
            Some(Array::Stores(models)) => model.coords.iter().copied().zip(models.iter().map(|row| &**row)).collect(),
            _ => panic!("argument {at} holds no rows"),
        },
        _ => panic!("argument {at} is no matrix"),
    };
    let rows = stored.iter().map(|(i, _)| i + 1).max().unwrap_or(0).max(rows);
    let (mut offsets, mut coords, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..rows {
        if let Some((_, row)) = stored.iter().find(|(at, _)| *at == i) {
            let (own, vals) = entries::<R::Value>(row);
            coords.extend(own);
            values.extend(vals);
        }
        offsets.push(coords.len());
    }
    let elements = Elements::drain(&coords, &mut values);
    let outer = O::join(rows, vec![O::build_part(RowBlock::new(0, &offsets, elements))]);
    OfRows { outer, rows, cols, nnz: coords.len(), row: PhantomData }
}

impl<O: Outer<R>, R: Store<Coord = u32>> Rows for OfRows<O, R> {
    type Value = R::Value;
    type Fiber<'a>
        = R::Fiber<'a>
    where
        Self: 'a;

    fn num_rows(&self) -> usize {
        self.rows
    }

    fn num_cols(&self) -> usize {
        self.cols
    }

    fn nnz(&self) -> usize {
        self.nnz
    }

    fn row(&self, i: usize) -> Option<R::Fiber<'_>> {
        self.outer.row(i)
    }

    fn par_rows<'a, F: Fn(usize, Self::Fiber<'a>) + Sync>(&'a self, visit: F) {
        self.outer.par_batches(&|batch: RowGroup<'_, 'a, R>| {
            batch.for_each(|i, row| {
                if i < self.rows {
                    visit(i, row)
                }
            })
        });
    }

    fn try_rows<'a, B, F>(&'a self, mut visit: F) -> ControlFlow<B>
    where
        F: FnMut(usize, Self::Fiber<'a>) -> ControlFlow<B>,
    {
        (0..self.rows).try_for_each(|i| self.outer.row(i).map_or(ControlFlow::Continue(()), |row| visit(i, row)))
    }
}

fn model<S: Store<Coord = u32, Value: Entry>>(store: &S) -> Arc<Model> {
    store.audit().unwrap_or_else(|error| panic!("{error}"));
    let none: (Vec<usize>, Vec<S::Value>) = Default::default();
    let (coords, values) = store.fiber().fold_runs(none, |mut all, run| {
        all.0.extend(run.coords().iter().map(|&c| c as usize));
        all.1.extend(run.values().iter().cloned());
        all
    });
    Arc::new(Model { ordered: coords.is_sorted(), coords, values: Entry::array(values) })
}

/// A result that is one store.
pub fn one_store<S: Store<Coord = u32, Value: Entry>>(store: S) -> Value {
    Value::Store(model(&store))
}

/// A result with a store for each row.
pub fn a_store_each<S: Store<Coord = u32, Value: Entry>>(stores: Vec<S>) -> Value {
    Value::Array(Array::Stores(stores.iter().map(model).collect()))
}
