//! Plain packers: entries to the arrays of any static format and back, one level after the other.

use std::sync::Arc;

use crate::format::{Coordinate, Counters, Format, FormatLevel};
use crate::ir::interpret::{Array, Store, Value};
use crate::ir::{Literal as IrLiteral, Scalar};
use crate::level::{FieldKind, GAP, Packed, Packing, Place};
use crate::lower::{extent_names, keeps_extent};
use crate::notation::ast::ValueType;
use crate::notation::scalar;

use super::{Number, Tensor};

/// A tensor packed into a format.
pub struct PackedTensor {
    /// One value for each field that a kernel takes, in order.
    pub arguments: Vec<Value>,
    /// The tensor as the format keeps it: padding that the format stores is stored.
    pub kept: Tensor,
}

fn literal(number: Number, ty: ValueType) -> IrLiteral {
    match (number.cast(ty), ty) {
        (Number::Int(x), ValueType::I64) => IrLiteral::I64(x as i64),
        (Number::Int(x), ValueType::U64) => IrLiteral::U64(x as u64),
        (number, ty) => IrLiteral::from_f64(scalar(ty), number.float()),
    }
}

/// A scalar as an argument.
pub fn scalar_argument(number: Number, ty: ValueType) -> Value {
    Value::Scalar(literal(number, ty))
}

/// Packs `entries`, whose coordinates may repeat (then their values add up) and come in any order, into `format`. Levels
/// that are unordered keep the order of the entries as far as they can.
///
/// # Panics
///
/// If a coordinate lies outside of `shape`.
pub fn pack(
    format: &Format,
    shape: &[usize],
    ty: ValueType,
    fill: Number,
    entries: &[(Vec<usize>, Number)],
) -> PackedTensor {
    pack_as(format, shape, ty, fill, entries, None).unwrap_or_else(|_| unreachable!("there is no limit"))
}

/// Packs entries as [`pack`] does, into the arguments alone.
///
/// # Errors
///
/// How many positions a level would have, if that is more than `most`: formats that store what is no entry can need far more than
/// there are entries.
///
/// # Panics
///
/// If a coordinate lies outside of `shape`.
pub fn pack_within(
    format: &Format,
    shape: &[usize],
    ty: ValueType,
    fill: Number,
    entries: &[(Vec<usize>, Number)],
    most: usize,
) -> Result<Vec<Value>, u128> {
    pack_as(format, shape, ty, fill, entries, Some(most)).map(|packed| packed.arguments)
}

/// Packs within a limit and keeps no dense copy, or without a limit and with one.
fn pack_as(
    format: &Format,
    shape: &[usize],
    ty: ValueType,
    fill: Number,
    entries: &[(Vec<usize>, Number)],
    most: Option<usize>,
) -> Result<PackedTensor, u128> {
    let coordinates: Vec<Coordinate> = format.levels.iter().map(|level| level.coordinate.clone()).collect();
    let signed: Vec<i64> = shape.iter().map(|&n| n as i64).collect();
    let bounds: Vec<(i64, i64)> = format.bounds(&signed).into_iter().map(|bounds| bounds.unwrap_or((0, 0))).collect();
    // Counters count in the order of all coordinates.
    let mut order: Vec<usize> = (0..entries.len()).collect();
    let counts = coordinates.iter().any(|c| matches!(c, Coordinate::Counter(_)));
    if counts {
        order.sort_by_key(|&e| &entries[e].0);
    }
    let mut counters = Counters::default();
    let mut keyed: Vec<(Vec<usize>, Number)> = order
        .into_iter()
        .map(|e| {
            let (coords, value) = &entries[e];
            let coords: Vec<i64> = coords.iter().map(|&c| c as i64).collect();
            let levels = format.remap(&mut counters, &coords);
            (levels.iter().zip(&bounds).map(|(c, (lo, _))| (c - lo) as usize).collect(), *value)
        })
        .collect();
    // A level in no order keeps the order of the entries; ordered levels are sorted, above it and below it.
    let unordered = |n: usize| !format.levels[n].properties.ordered && format.levels[n].kind.capabilities().append;
    let ordered_from = |n: usize| n..(n..format.levels.len()).find(|&m| unordered(m)).unwrap_or(format.levels.len());
    keyed.sort_by(|a, b| a.0[ordered_from(0)].cmp(&b.0[ordered_from(0)]));

    let mut fields: Vec<Vec<Value>> = Vec::new();
    let (mut parents, mut at) = (1, vec![0usize; keyed.len()]);
    let mut levels: Vec<(Packed, usize)> = Vec::new();
    for (n, level) in format.levels.iter().enumerate() {
        let extent = match &level.coordinate {
            Coordinate::Index(m) => shape[*m],
            Coordinate::Counter(_) => 0,
            _ => (bounds[n].1 - bounds[n].0 + 1).max(0) as usize,
        };
        if n > 0 && unordered(n - 1) {
            let mut placed: Vec<_> = at.iter().copied().zip(keyed).collect();
            placed.sort_by(|a, b| (a.0, &a.1.0[ordered_from(n)]).cmp(&(b.0, &b.1.0[ordered_from(n)])));
            (at, keyed) = placed.into_iter().unzip();
        }
        let below: Vec<(usize, usize)> =
            keyed.iter().zip(&at).map(|((levels, _), &parent)| (parent, levels[n])).collect();
        // What is kept in 32 bits is not cut off to fit.
        let narrow = level.keeps_coordinates() && below.iter().any(|&(_, c)| c >= GAP as usize);
        if narrow && most.is_some() {
            return Err(extent as u128);
        }
        assert!(!narrow, "a coordinate takes more than 32 bits");
        let kinds: Vec<_> = format.levels[..n].iter().map(|level| level.kind.clone()).collect();
        let place = Place { coordinates: &coordinates, above: &kinds, at: n, indices: &format.indices };
        let widest = if level.properties.full { parents as u128 * extent as u128 } else { parents as u128 };
        if most.is_some_and(|most| widest > most as u128) {
            return Err(widest);
        }
        let packed =
            level.kind.pack(&Packing { parents, entries: &below, extent, shape, place, switches: &level.switches });
        let mut own = Vec::new();
        if keeps_extent(&level.coordinate) {
            own.push(Value::usize(extent));
        }
        for (name, kind) in level.kind.fields(&level.switches) {
            match kind {
                FieldKind::Size => own.push(Value::usize(packed.sizes[name])),
                FieldKind::Positions => own.push(packed.positions[name].clone().into()),
                FieldKind::Coordinates => own.push(packed.coordinates[name].clone().into()),
                // Stores hold what is below them, which is not known yet.
                FieldKind::Stores => {}
            }
        }
        fields.push(own);
        at.clone_from(&packed.at);
        parents = packed.count;
        levels.push((packed, extent));
    }
    if most.is_some_and(|most| parents > most) {
        return Err(parents as u128);
    }
    let mut vals: Vec<Option<Number>> = vec![None; parents];
    for ((_, value), &position) in keyed.iter().zip(&at) {
        vals[position] = Some(match vals[position] {
            None => value.cast(ty),
            Some(old) => old.add(*value, ty),
        });
    }
    let vals: Vec<Number> = vals.into_iter().map(|value| value.unwrap_or(fill.cast(ty))).collect();
    let array = |positions: &mut dyn Iterator<Item = usize>| {
        let mut array = Array::empty(scalar(ty));
        for position in positions {
            array.push(literal(vals[position], ty));
        }
        array
    };
    for (at, level) in format.levels.iter().enumerate().filter(|(_, level)| level.is_store()) {
        match at.checked_sub(1) {
            None => fields[at].push(Value::Store(Arc::new(store(format, &levels, at, 0, ty, &array)))),
            Some(above) if format.levels[above].is_store() => {}
            Some(above) => {
                let parents = 0..levels[above].0.count;
                let stores = parents.map(|parent| Arc::new(store(format, &levels, at, parent, ty, &array))).collect();
                fields[at].push(Value::Array(Array::Stores(stores)));
            }
        }
        debug_assert!(level.kind.capabilities().map);
    }
    let mut arguments: Vec<Value> = shape.iter().map(|&n| Value::usize(n)).collect();
    debug_assert_eq!(extent_names(shape.len()).len(), arguments.len());
    arguments.extend(fields.into_iter().flatten());
    let in_store = format.levels.last().is_some_and(FormatLevel::is_store);
    if ty != ValueType::Pattern && !in_store {
        arguments.push(Value::Array(array(&mut (0..vals.len()))));
    }
    if most.is_some() {
        return Ok(PackedTensor { arguments, kept: Tensor::empty(vec![0], ty) });
    }
    let mut kept = Tensor::empty(shape.to_vec(), ty);
    kept.by_value = !format.keeps_entries_only();
    kept.fill = Some(fill);
    let padded = kept.by_value && !format.is_full();
    visit(format, shape, &coordinates, &bounds, &levels, 0, 0, &mut Vec::new(), &mut |coords, position| {
        let at = coords.iter().zip(shape).fold(0, |at, (c, n)| at * n + c);
        let value = if ty == ValueType::Pattern { Number::Bool(true) } else { vals[position] };
        if padded && value == fill.cast(ty) {
            return;
        }
        kept.cells[at] = Some(match kept.cells[at] {
            None => value,
            Some(old) => old.add(value, ty),
        });
    });
    Ok(PackedTensor { arguments, kept })
}

/// The store of `parent` at level `at`, with those below it. Above a static level it holds positions.
fn store(
    format: &Format,
    levels: &[(Packed, usize)],
    at: usize,
    parent: usize,
    ty: ValueType,
    array: &dyn Fn(&mut dyn Iterator<Item = usize>) -> Array,
) -> Store {
    let packed = &levels[at].0;
    let pos = &packed.positions["pos"];
    let range = pos[parent]..pos[parent + 1];
    let coords: Vec<usize> = range.clone().map(|q| packed.coordinates["crd"][q] as usize).collect();
    let values = match format.levels.get(at + 1) {
        Some(next) if next.is_store() => {
            Some(Array::Stores(range.map(|q| Arc::new(store(format, levels, at + 1, q, ty, array))).collect()))
        }
        Some(_) => Some(Array::Usize(range.collect())),
        None if ty == ValueType::Pattern => None,
        None => Some(array(&mut range.clone())),
    };
    let ordered = coords.is_sorted();
    Store { coords, values, ordered }
}

/// Takes stores of level `at` apart again, and those below them: the level as segments, and the values if no static level is in
/// between.
fn flatten(
    format: &Format,
    stores: &[Arc<Store>],
    at: usize,
    levels: &mut [(Packed, usize)],
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
    levels[at].0.positions.insert("pos", pos);
    levels[at].0.coordinates.insert("crd", crd);
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

/// Calls `f` with the coordinates and the position of everything that the levels keep.
#[allow(clippy::too_many_arguments, reason = "a recursion over levels")]
fn visit(
    format: &Format,
    shape: &[usize],
    coordinates: &[Coordinate],
    bounds: &[(i64, i64)],
    levels: &[(Packed, usize)],
    at: usize,
    parent: usize,
    above: &mut Vec<usize>,
    f: &mut dyn FnMut(Vec<usize>, usize),
) {
    if at == levels.len() {
        let signed: Vec<i64> = above.iter().zip(bounds).map(|(&c, (lo, _))| c as i64 + lo).collect();
        let coords: Vec<i64> =
            format.inverse.iter().map(|inverse| inverse.evaluate(&format.inverse, &signed)).collect();
        if coords.iter().zip(shape).all(|(&c, &n)| (0..n as i64).contains(&c)) {
            f(coords.into_iter().map(|c| c as usize).collect(), parent);
        }
        return;
    }
    let level = &format.levels[at];
    let kinds: Vec<_> = format.levels[..at].iter().map(|level| level.kind.clone()).collect();
    let place = Place { coordinates, above: &kinds, at, indices: &format.indices };
    let (packed, extent) = &levels[at];
    let packing = Packing { parents: 0, entries: &[], extent: *extent, shape, place, switches: &level.switches };
    for (coordinate, position) in level.kind.children(packed, &packing, parent, above) {
        above.push(coordinate);
        visit(format, shape, coordinates, bounds, levels, at + 1, position, above, f);
        above.pop();
    }
}

/// Reads a tensor back from the fields that a kernel returns.
///
/// # Errors
///
/// What does not fit the format.
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
/// What does not fit the format.
pub fn unpack_with(
    format: &Format,
    shape: &[usize],
    ty: ValueType,
    fields: &[Value],
    f: &mut dyn FnMut(Vec<usize>, Number),
) -> Result<(), String> {
    let coordinates: Vec<Coordinate> = format.levels.iter().map(|level| level.coordinate.clone()).collect();
    let signed: Vec<i64> = shape.iter().map(|&n| n as i64).collect();
    let bounds: Vec<(i64, i64)> = format.bounds(&signed).into_iter().map(|bounds| bounds.unwrap_or((0, 0))).collect();
    let mut fields = fields.iter();
    let mut next = || fields.next().ok_or("a field is missing");
    for &n in shape {
        if *next()? != Value::usize(n) {
            return Err(format!("an extent is not {n}"));
        }
    }
    let mut levels: Vec<(Packed, usize)> = vec![(Packed::default(), 0); format.levels.len()];
    let mut in_stores = None;
    for (at, level) in format.levels.iter().enumerate() {
        let mut packed = std::mem::take(&mut levels[at].0);
        let mut extent = match &level.coordinate {
            Coordinate::Index(m) => shape[*m],
            _ => 0,
        };
        if keeps_extent(&level.coordinate) {
            let Value::Scalar(IrLiteral::Usize(n)) = next()? else { return Err("an extent is no number".into()) };
            extent = *n;
        }
        for (name, kind) in level.kind.fields(&level.switches) {
            if kind == FieldKind::Stores {
                let stores = match at.checked_sub(1) {
                    Some(above) if format.levels[above].is_store() => continue,
                    _ => match next()? {
                        Value::Store(store) => vec![store.clone()],
                        Value::Array(Array::Stores(stores)) => stores.clone(),
                        other => return Err(format!("field {name} is {other:?}")),
                    },
                };
                in_stores = flatten(format, &stores, at, &mut levels)?.or(in_stores);
                packed = std::mem::take(&mut levels[at].0);
                continue;
            }
            match (kind, next()?) {
                (FieldKind::Size, Value::Scalar(IrLiteral::Usize(n))) => drop(packed.sizes.insert(name, *n)),
                (FieldKind::Positions, Value::Array(Array::Usize(array))) => {
                    drop(packed.positions.insert(name, array.clone()))
                }
                (FieldKind::Coordinates, Value::Array(Array::U32(array))) => {
                    drop(packed.coordinates.insert(name, array.clone()))
                }
                (_, other) => return Err(format!("field {name} is {other:?}")),
            }
        }
        levels[at] = (packed, extent);
    }
    let in_store = format.levels.last().is_some_and(FormatLevel::is_store);
    let vals = match ty {
        ValueType::Pattern => None,
        _ if in_store => Some(Value::Array(in_stores.unwrap_or(Array::empty(scalar(ty))))),
        _ => Some(next()?.clone()),
    };
    let mut wrong = None;
    visit(format, shape, &coordinates, &bounds, &levels, 0, 0, &mut Vec::new(), &mut |coords, position| {
        let value = match &vals {
            None => Some(Number::Bool(true)),
            Some(Value::Array(array)) => array.get(position).map(number),
            Some(_) => None,
        };
        match value {
            None => wrong = Some(format!("there is no value at position {position}")),
            Some(value) => f(coords, value),
        }
    });
    wrong.map_or(Ok(()), Err)
}

/// A constant of the IR as a number.
pub fn number(literal: IrLiteral) -> Number {
    match literal {
        IrLiteral::F32(x) => Number::Float(x.into()),
        IrLiteral::F64(x) => Number::Float(x),
        IrLiteral::I32(x) => Number::Int(x.into()),
        IrLiteral::I64(x) => Number::Int(x.into()),
        IrLiteral::U32(x) => Number::Int(x.into()),
        IrLiteral::U64(x) => Number::Int(x.into()),
        IrLiteral::Usize(x) => Number::Int(x as i128),
        IrLiteral::Bool(x) => Number::Bool(x),
    }
}
