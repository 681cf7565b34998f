//! Plain packers: entries to the arrays of any static format, one level after the other.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::format::{Format, FormatLevel};
use crate::ir::interpret::{Array, Store, Value};
use crate::level::{FieldKind, GAP, Packed, SEGMENTS};
use crate::notation::ast::ValueType;
use crate::tensor::{extent_names, keeps_extent, scalar};

use super::layout::{Layout, PackedLevel};
use super::number::{Number, literal};
use super::tensor::Tensor;

/// A tensor packed into a format.
pub struct PackedTensor {
    /// One value for each field that a kernel takes, in order.
    pub arguments: Vec<Value>,
    /// The tensor as the format keeps it: padding that the format stores is stored.
    pub kept: Tensor,
}

/// A scalar as an argument.
pub fn scalar_argument(number: Number, ty: ValueType) -> Value {
    Value::Scalar(literal(number, ty))
}

/// Packs `entries`, whose coordinates may repeat (then their values add up) and come in any order, into `format`. Levels
/// that are unordered keep the order of the entries as far as they can. Entries that agree in all coordinates down to a unique level
/// share its position, as those of one block do: `compressed(nonunique), singleton, dense` keeps each block once.
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
    let layout = Layout::new(format, shape);
    let packer = Packer::pack(&layout, ty, fill, entries, None).unwrap_or_else(|_| unreachable!("there is no limit"));
    PackedTensor { arguments: packer.arguments(), kept: packer.kept() }
}

/// Packs entries as [`pack`] does, into the arguments alone. They must fit: where [`may_not_fit`](crate::convert::may_not_fit) names a level,
/// [`size_of`](crate::convert::size_of) says whether they do.
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
    let layout = Layout::new(format, shape);
    Packer::pack(&layout, ty, fill, entries, Some(most)).map(|packer| packer.arguments())
}

/// Entries while levels are packed.
struct Entries {
    /// For each entry, the coordinates of the levels, and its value.
    keyed: Vec<(Vec<usize>, Number)>,
    /// For each entry, its position at the level that was packed last.
    at: Vec<usize>,
}

/// A tensor that has been packed.
struct Packer<'a> {
    layout: &'a Layout<'a>,
    ty: ValueType,
    fill: Number,
    levels: Vec<PackedLevel>,
    /// The fields of each level but its stores.
    fields: Vec<Vec<Value>>,
    /// The value at each position of the last level.
    vals: Vec<Number>,
}

impl<'a> Packer<'a> {
    /// Packs level after level. The error is how many positions a level would have, if that is more than `most`.
    fn pack(
        layout: &'a Layout<'a>,
        ty: ValueType,
        fill: Number,
        entries: &[(Vec<usize>, Number)],
        most: Option<usize>,
    ) -> Result<Packer<'a>, u128> {
        let mut packer = Packer { layout, ty, fill, levels: Vec::new(), fields: Vec::new(), vals: Vec::new() };
        let mut entries = Entries { keyed: layout.keyed(entries), at: vec![0; entries.len()] };
        let ordered = ordered_levels(layout.format, 0);
        entries.keyed.sort_by(|a, b| a.0[ordered.clone()].cmp(&b.0[ordered.clone()]));
        let mut parents = 1;
        for n in 0..layout.format.levels.len() {
            parents = packer.level(n, parents, &mut entries, most)?;
        }
        if most.is_some_and(|most| parents > most) {
            return Err(parents as u128);
        }
        packer.vals = packer.values(parents, &entries);
        Ok(packer)
    }

    /// Packs level `n` below `parents` positions. Returns how many positions it has.
    fn level(&mut self, n: usize, parents: usize, entries: &mut Entries, most: Option<usize>) -> Result<usize, u128> {
        let (layout, level) = (self.layout, &self.layout.format.levels[n]);
        let extent = layout.extent(n);
        if n > 0 && keeps_order(layout.format, n - 1) {
            entries.sort_below(ordered_levels(layout.format, n));
        }
        let below: Vec<(usize, usize)> =
            entries.keyed.iter().zip(&entries.at).map(|((levels, _), &parent)| (parent, levels[n])).collect();
        // What is kept in 32 bits is not cut off to fit.
        let narrow = level.keeps_coordinates() && below.iter().any(|&(_, c)| c >= GAP as usize);
        if narrow && most.is_some() {
            return Err(extent as u128);
        }
        assert!(!narrow, "a coordinate takes more than 32 bits");
        let widest = if level.properties.full { parents as u128 * extent as u128 } else { parents as u128 };
        if most.is_some_and(|most| widest > most as u128) {
            return Err(widest);
        }
        let packed = match single_below(layout.format, n) {
            Some(last) => {
                let (firsts, shares) = entries.distinct(n, last);
                let own: Vec<(usize, usize)> = firsts.iter().map(|&e| below[e]).collect();
                let packed = level.kind.pack(&layout.packing(n, parents, &own, extent));
                let at = shares.iter().map(|&own| packed.at[own]).collect();
                Packed { at, ..packed }
            }
            None => level.kind.pack(&layout.packing(n, parents, &below, extent)),
        };
        self.fields.push(level_fields(level, &packed, extent));
        entries.at.clone_from(&packed.at);
        let count = packed.count;
        self.levels.push((packed, extent));
        Ok(count)
    }

    /// The values at `count` positions: those of entries, added up, and the fill elsewhere.
    fn values(&self, count: usize, entries: &Entries) -> Vec<Number> {
        let mut vals: Vec<Option<Number>> = vec![None; count];
        for ((_, value), &position) in entries.keyed.iter().zip(&entries.at) {
            vals[position] = Some(match vals[position] {
                None => value.cast(self.ty),
                Some(old) => old.add(*value, self.ty),
            });
        }
        vals.into_iter().map(|value| value.unwrap_or(self.fill.cast(self.ty))).collect()
    }

    /// One value for each field that a kernel takes.
    fn arguments(&self) -> Vec<Value> {
        let (format, shape) = (self.layout.format, self.layout.shape);
        let mut arguments: Vec<Value> = shape.iter().map(|&n| Value::usize(n)).collect();
        debug_assert_eq!(extent_names(shape.len()).len(), arguments.len());
        for (n, fields) in self.fields.iter().enumerate() {
            arguments.extend(fields.iter().cloned());
            if format.levels[n].is_store() {
                arguments.extend(self.stores(n));
            }
        }
        let in_store = format.levels.last().is_some_and(FormatLevel::is_store);
        if self.ty != ValueType::Pattern && !in_store {
            arguments.push(Value::Array(self.array(0..self.vals.len())));
        }
        arguments
    }

    /// The stores of level `n`, which hold those below them; `None` if they are held themselves.
    fn stores(&self, n: usize) -> Option<Value> {
        debug_assert!(self.layout.format.levels[n].kind.capabilities().map);
        let Some(above) = n.checked_sub(1) else { return Some(Value::Store(Arc::new(self.store(0, 0)))) };
        if self.layout.format.levels[above].is_store() {
            return None;
        }
        let parents = 0..self.levels[above].0.count;
        let stores = parents.map(|parent| Arc::new(self.store(n, parent))).collect();
        Some(Value::Array(Array::Stores(stores)))
    }

    /// The store of `parent` at level `n`, with those below it. Above a static level it holds positions.
    fn store(&self, n: usize, parent: usize) -> Store {
        let packed = &self.levels[n].0;
        let [pos, crd] = SEGMENTS.map(|kind| self.layout.format.levels[n].field(kind));
        let (pos, crd) = (&packed.positions[pos], &packed.coordinates[crd]);
        let range = pos[parent]..pos[parent + 1];
        let coords: Vec<usize> = range.clone().map(|q| crd[q] as usize).collect();
        let values = match self.layout.format.levels.get(n + 1) {
            Some(next) if next.is_store() => {
                Some(Array::Stores(range.map(|q| Arc::new(self.store(n + 1, q))).collect()))
            }
            Some(_) => Some(Array::Usize(range.collect())),
            None if self.ty == ValueType::Pattern => None,
            None => Some(self.array(range)),
        };
        let ordered = coords.is_sorted();
        Store { coords, values, ordered }
    }

    /// The values at some positions as an array.
    fn array(&self, positions: Range<usize>) -> Array {
        let mut array = Array::empty(scalar(self.ty));
        for position in positions {
            array.push(literal(self.vals[position], self.ty));
        }
        array
    }

    /// The tensor as the format keeps it.
    fn kept(&self) -> Tensor {
        let (format, ty) = (self.layout.format, self.ty);
        let mut kept = Tensor::empty(self.layout.shape.to_vec(), ty);
        kept.by_value = !format.keeps_entries_only();
        kept.fill = Some(self.fill);
        let padded = kept.by_value && !format.is_full();
        self.layout.visit(&self.levels, &mut |coords, position, _| {
            let value = if ty == ValueType::Pattern { Number::Bool(true) } else { self.vals[position] };
            if padded && value == self.fill.cast(ty) {
                return;
            }
            let cell = &mut kept.cells[self.layout.cell(&coords)];
            *cell = Some(match *cell {
                None => value,
                Some(old) => old.add(value, ty),
            });
        });
        kept
    }
}

impl Entries {
    /// The first entry of each group of those that agree in their position and in their coordinates from level `n` to level `last`; and the
    /// group of each entry.
    fn distinct(&self, n: usize, last: usize) -> (Vec<usize>, Vec<usize>) {
        let (mut firsts, mut known) = (Vec::new(), BTreeMap::new());
        let groups = self.keyed.iter().zip(&self.at).enumerate().map(|(e, ((levels, _), &at))| {
            *known.entry((at, &levels[n..=last])).or_insert_with(|| {
                firsts.push(e);
                firsts.len() - 1
            })
        });
        let groups = groups.collect();
        (firsts, groups)
    }

    /// Sorts by the position of the last level, and below one position by the coordinates of some levels.
    fn sort_below(&mut self, levels: Range<usize>) {
        let keyed = std::mem::take(&mut self.keyed);
        let mut placed: Vec<_> = self.at.iter().copied().zip(keyed).collect();
        placed.sort_by(|a, b| (a.0, &a.1.0[levels.clone()]).cmp(&(b.0, &b.1.0[levels.clone()])));
        (self.at, self.keyed) = placed.into_iter().unzip();
    }
}

/// The level that makes the positions of level `n` unique, which keeps coordinates more than once: the last one of those that have one
/// coordinate for each of its positions.
fn single_below(format: &Format, n: usize) -> Option<usize> {
    let properties = |level: &FormatLevel| level.properties;
    let singles = format.levels[n + 1..].iter().take_while(|level| properties(level).branchless).count();
    let last = n + singles;
    let shared = !properties(&format.levels[n]).unique && !properties(&format.levels[n]).branchless;
    (shared && last > n && properties(&format.levels[last]).unique).then_some(last)
}

/// Whether a level keeps entries in the order in which they come.
fn keeps_order(format: &Format, n: usize) -> bool {
    !format.levels[n].properties.ordered && format.levels[n].kind.capabilities().append
}

/// The levels from `n` on by which entries are sorted: those above the next level that keeps their order.
fn ordered_levels(format: &Format, n: usize) -> Range<usize> {
    n..(n..format.levels.len()).find(|&m| keeps_order(format, m)).unwrap_or(format.levels.len())
}

/// The fields of a level. Stores hold what is below them, which is not known yet.
fn level_fields(level: &FormatLevel, packed: &Packed, extent: usize) -> Vec<Value> {
    let mut fields = Vec::new();
    if keeps_extent(&level.coordinate) {
        fields.push(Value::usize(extent));
    }
    for (name, kind) in level.kind.fields(&level.switches) {
        match kind {
            FieldKind::Size => fields.push(Value::usize(packed.sizes[name])),
            FieldKind::Positions => fields.push(packed.positions[name].clone().into()),
            FieldKind::Coordinates => fields.push(packed.coordinates[name].clone().into()),
            FieldKind::Stores => {}
        }
    }
    fields
}
