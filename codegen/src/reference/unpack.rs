//! The arrays of any static format back to entries.

use std::sync::Arc;

use crate::format::{Coordinate, Format, FormatLevel};
use crate::ir::interpret::{Array, Store, Value};
use crate::ir::{Literal as IrLiteral, Scalar};
use crate::level::{FieldKind, Packed, SEGMENTS};
use crate::notation::ast::ValueType;
use crate::tensor::{keeps_extent, scalar};

use super::layout::{Layout, PackedLevel};
use super::number::{Number, number};
use super::tensor::Tensor;

/// Reads a tensor back from the fields that a kernel returns.
///
/// # Errors
///
/// The first place at which the arrays do not fit the format.
pub fn unpack(
    format: &Format,
    shape: &[usize],
    ty: ValueType,
    fill: Number,
    fields: &[Value],
) -> Result<Tensor, String> {
    let mut kept = Tensor::empty(shape.to_vec(), ty);
    kept.by_value = !format.keeps_entries_only();
    kept.fill = Some(fill);
    let mut twice = None;
    unpack_with(format, shape, ty, fields, &mut |coords, value| {
        let at = coords.iter().zip(shape).fold(0, |at, (c, n)| at * n + c);
        if kept.cells[at].replace(value).is_some() {
            twice = Some(format!("{coords:?} is kept twice"));
        }
    })?;
    twice.map_or(Ok(kept), Err)
}

/// Calls `f` with the coordinates and the value of everything that the fields of a tensor keep, in their order.
///
/// # Errors
///
/// The first place at which the arrays do not fit the format.
pub fn unpack_with(
    format: &Format,
    shape: &[usize],
    ty: ValueType,
    fields: &[Value],
    f: &mut dyn FnMut(Vec<usize>, Number),
) -> Result<(), String> {
    let layout = Layout::new(format, shape);
    let levels = vec![(Packed::default(), 0); format.levels.len()];
    let mut unpacker = Unpacker { layout: &layout, fields: fields.iter(), levels, in_stores: None };
    unpacker.shape()?;
    for n in 0..format.levels.len() {
        unpacker.level(n)?;
    }
    let vals = unpacker.values(ty)?;
    let mut wrong = None;
    let (padded, fill) = (!format.keeps_entries_only(), format.fill.map_or(0.0, |fill| Number::from(fill).float()));
    layout.visit(&unpacker.levels, &mut |coords, position, levels| {
        let value = match &vals {
            None => Some(Number::Bool(true)),
            Some(Value::Array(array)) => array.get(position).map(number),
            Some(_) => None,
        };
        match value {
            None => wrong = Some(format!("there is no value at position {position}")),
            Some(value) => {
                // What only fills a place may lie anywhere.
                let stored = !padded || value.float() != fill;
                if let Some((level, belongs)) = layout.misplaced(&coords, levels).filter(|_| stored && wrong.is_none())
                {
                    let (number, kept) = (level + 1, levels[level]);
                    wrong = Some(format!(
                        "level {number}: {coords:?} is kept below the coordinate {kept}, and belongs below {belongs}"
                    ));
                }
                f(coords, value);
            }
        }
    });
    wrong.map_or(Ok(()), Err)
}

/// The levels of a tensor while its fields are read.
struct Unpacker<'a> {
    layout: &'a Layout<'a>,
    /// The fields that have not been read yet.
    fields: std::slice::Iter<'a, Value>,
    levels: Vec<PackedLevel>,
    /// The values that stores hold.
    in_stores: Option<Array>,
}

impl<'a> Unpacker<'a> {
    fn next(&mut self) -> Result<&'a Value, String> {
        self.fields.next().ok_or_else(|| "a field is missing".to_owned())
    }

    fn shape(&mut self) -> Result<(), String> {
        for &n in self.layout.shape {
            if *self.next()? != Value::usize(n) {
                return Err(format!("an extent is not {n}"));
            }
        }
        Ok(())
    }

    fn level(&mut self, n: usize) -> Result<(), String> {
        let level = &self.layout.format.levels[n];
        self.levels[n].1 = match &level.coordinate {
            Coordinate::Index(m) => self.layout.shape[*m],
            _ => 0,
        };
        if keeps_extent(&level.coordinate) {
            let Value::Scalar(IrLiteral::Usize(extent)) = self.next()? else {
                return Err("an extent is no number".into());
            };
            self.levels[n].1 = *extent;
        }
        for (name, kind) in level.kind.fields(&level.switches) {
            if kind == FieldKind::Stores {
                self.stores(n, name)?;
            } else {
                self.field(n, name, kind)?;
            }
        }
        Ok(())
    }

    fn field(&mut self, n: usize, name: &'static str, kind: FieldKind) -> Result<(), String> {
        let field = self.next()?;
        let packed = &mut self.levels[n].0;
        match (kind, field) {
            (FieldKind::Size, Value::Scalar(IrLiteral::Usize(n))) => drop(packed.sizes.insert(name, *n)),
            (FieldKind::Positions, Value::Array(Array::Usize(array))) => {
                drop(packed.positions.insert(name, array.clone()));
            }
            (FieldKind::Coordinates, Value::Array(Array::U32(array))) => {
                drop(packed.coordinates.insert(name, array.clone()));
            }
            (_, other) => return Err(format!("field {name} is {other:?}")),
        }
        Ok(())
    }

    /// The stores of level `n`, with those below them. A store that lies within another one is not a field of its own.
    fn stores(&mut self, n: usize, name: &str) -> Result<(), String> {
        if n.checked_sub(1).is_some_and(|above| self.layout.format.levels[above].is_store()) {
            return Ok(());
        }
        let stores = match self.next()? {
            Value::Store(store) => vec![store.clone()],
            Value::Array(Array::Stores(stores)) => stores.clone(),
            other => return Err(format!("field {name} is {other:?}")),
        };
        if let Some(values) = flatten(self.layout.format, &stores, n, &mut self.levels)? {
            self.in_stores = Some(values);
        }
        Ok(())
    }

    /// The values, one after the other; `None` for a pattern.
    fn values(&mut self, ty: ValueType) -> Result<Option<Value>, String> {
        let in_store = self.layout.format.levels.last().is_some_and(FormatLevel::is_store);
        Ok(match ty {
            ValueType::Pattern => None,
            _ if in_store => Some(Value::Array(self.in_stores.take().unwrap_or(Array::empty(scalar(ty))))),
            _ => Some(self.next()?.clone()),
        })
    }
}

/// Takes stores of level `at` apart again, and those below them: the level as segments, and the values if no static level is in
/// between.
fn flatten(
    format: &Format,
    stores: &[Arc<Store>],
    at: usize,
    levels: &mut [PackedLevel],
) -> Result<Option<Array>, String> {
    let (mut pos, mut crd) = (vec![0], Vec::new());
    let mut inner = Vec::new();
    let mut scalars: Option<Array> = None;
    for store in stores {
        if format.levels[at].properties.ordered && !store.coords.is_sorted_by(|a, b| a < b) {
            return Err(format!("coordinates of a store do not ascend: {:?}", store.coords));
        }
        crd.extend(store.coords.iter().map(|&c| c as u32));
        pos.push(crd.len());
        match &store.values {
            Some(Array::Stores(below)) => inner.extend(below.iter().cloned()),
            Some(values) => {
                let all = scalars.get_or_insert_with(|| Array::empty(values.scalar().unwrap_or(Scalar::F64)));
                for q in 0..values.len() {
                    values.get(q).filter(|value| all.push(*value)).ok_or("values of two types in stores")?;
                }
            }
            None => {}
        }
    }
    levels[at].0.count = crd.len();
    let [pos_name, crd_name] = SEGMENTS.map(|kind| format.levels[at].field(kind));
    levels[at].0.positions.insert(pos_name, pos);
    levels[at].0.coordinates.insert(crd_name, crd);
    match format.levels.get(at + 1) {
        Some(next) if next.is_store() => flatten(format, &inner, at + 1, levels),
        Some(_) => {
            let count = levels[at].0.count;
            if !matches!(&scalars, Some(Array::Usize(positions)) if positions.iter().copied().eq(0..count)) && count > 0
            {
                return Err("a store above a static level holds the positions of its entries".into());
            }
            Ok(None)
        }
        None => Ok(scalars),
    }
}
