//! Results: where their values and entries go while loops run, and how their levels are finished after that.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::nest::Lower;
use super::storage::{Levels, extent_names, level_extents, literal, prefix, scalar};
use super::stored::{Append, Listed, Phase, Shaped, Storage, Tail, size};
use crate::convert::collected::{Collected, Via};
use crate::convert::list::{List, OwnFields, build_stores, by_name};
use crate::format::Format;
use crate::ir::{self, Block, Expr as Code, Field, Scalar, Stmt as IrStmt, Type, Var};
use crate::notation::ast::ValueType;
use crate::notation::concrete::TensorId;
use crate::notation::start;
use crate::plan::{Appendable, Making, MakingWay};

impl Lower<'_> {
    /// Makes a place for a tensor that the statement is the first to write.
    pub(super) fn make(&mut self, making: &Making, body: &mut Block, results: &mut BTreeMap<TensorId, Vec<Field>>) {
        let Making { id, assign, way } = making;
        let tensor = self.kernel.tensor(*id);
        let (own, name) = (scalar(tensor.value), prefix(&tensor.name));
        let nothing = assign.reduce.map_or(tensor.fill, |reduce| start(assign, reduce, tensor.value));
        let shape: Vec<Code> = assign.target.indices.iter().map(|&index| self.extent(index)).collect();
        let storage = match way {
            MakingWay::Scalar => {
                let var = self.vars.fresh(name, own);
                body.push(IrStmt::Let(var, literal(nothing, own)));
                results.insert(*id, vec![Field { name: "value".into(), level: None, var }]);
                Storage::Scalar { var, flag: None }
            }
            MakingWay::InPlace => {
                let vals = self.vars.fresh(name.clone(), Type::vec(own));
                let len = size(shape.clone());
                body.push(IrStmt::NewArray { var: vals, len, fill: literal(nothing, own) });
                match &tensor.format {
                    None => Storage::Dense { shape, vals, marks: None },
                    Some(format) => {
                        let mut fields = self.extent_fields(body, &name, &shape);
                        fields.push(Field { name: "vals".into(), level: None, var: vals });
                        results.insert(*id, fields);
                        Storage::Levels(Arc::new(levels(format, shape, Some(vals), tensor.value)))
                    }
                }
            }
            MakingWay::Copied(copied) => Storage::Shaped(self.shaped(copied, tensor, &name, &shape, body)),
            MakingWay::Appended(places) => {
                let Some(format) = &tensor.format else { unreachable!("entries are appended to levels") };
                Storage::Append(self.appended(places, (*id, format, &name), &shape, body))
            }
            MakingWay::Entries(source) => {
                if let Some(places) = &source.rows {
                    let rows = (*id, &source.list, &*format!("{name}_rows"));
                    let append = self.appended(places, rows, &shape, body);
                    return self.store(*id, Storage::Append(append));
                }
                let kept = (tensor.value != ValueType::Pattern).then(|| scalar(source.value));
                let list = List::declare(&mut self.vars, body, &name, tensor.rank, kept);
                Storage::List(List { in_order: source.via == Via::Order, ..list })
            }
        };
        self.store(*id, storage);
    }

    /// Arrays for entries that are appended. Those that are counted first are made once their number is known.
    fn appended(
        &mut self,
        places: &Appendable,
        (id, format, name): (TensorId, &Format, &str),
        shape: &[Code],
        body: &mut Block,
    ) -> Append {
        let Appendable { rows, listed, last, singles, tail, .. } = places.clone();
        let tensor = self.kernel.tensor(id);
        let own = scalar(tensor.value);
        let counted = self.plan.counted.contains(&id);
        let extents: Vec<Code> = rows.iter().map(|&index| self.extent(index)).collect();
        let parents = size(extents.clone());
        let mut ends = parents + ir::usize(1);
        let mut level = |at: usize, this: &mut Self| {
            let alone = listed.is_empty() && singles.is_empty();
            let name = if alone { name.to_owned() } else { format!("{name}{}", rows.len() + at + 1) };
            let (pos, crd) = format.levels[rows.len() + at].segments(&mut this.vars, &name);
            let len = std::mem::replace(&mut ends, ir::usize(1));
            body.push(IrStmt::NewArray { var: pos, len, fill: ir::usize(0) });
            if !counted {
                body.push(IrStmt::NewVec { var: crd, capacity: None });
            }
            (pos, crd)
        };
        let mut outer = Vec::new();
        for (at, &index) in listed.iter().enumerate() {
            let (pos, crd) = level(at, self);
            outer.push(Listed { pos, crd, index });
        }
        let (pos, crd) = level(listed.len(), self);
        let single = |(n, &m): (usize, &usize)| {
            let name = format!("{name}{}_crd", rows.len() + listed.len() + n + 2);
            let crd = self.vars.fresh(name, Type::vec(Scalar::U32));
            body.push(IrStmt::NewVec { var: crd, capacity: None });
            (m, crd)
        };
        let singles = singles.iter().enumerate().map(single).collect();
        let vals = (tensor.value != ValueType::Pattern).then(|| {
            let vals = self.vars.fresh(format!("{name}_vals"), Type::vec(own));
            if !counted {
                body.push(IrStmt::NewVec { var: vals, capacity: None });
            }
            vals
        });
        let tail = (!tail.is_empty()).then(|| {
            let extents: Vec<Code> = tail.iter().map(|&m| shape[m].clone()).collect();
            let size = size(extents.clone());
            let any = self.vars.fresh(format!("{name}_any"), Scalar::Bool);
            Box::new(Tail { extents, modes: tail, size, any, fill: literal(tensor.fill, own) })
        });
        let gaps = rows.len() > 1;
        Append { pos, crd, outer, singles, tail, vals, extents, gaps, rows, last, phase: Phase::Append }
    }

    fn extent_fields(&mut self, body: &mut Block, name: &str, shape: &[Code]) -> Vec<Field> {
        let mut fields = Vec::new();
        for (extent, size) in extent_names(shape.len()).into_iter().zip(shape) {
            let var = self.vars.fresh(format!("{name}_{extent}"), Scalar::Usize);
            body.push(IrStmt::Let(var, size.clone()));
            fields.push(Field { name: extent, level: None, var });
        }
        fields
    }

    /// Makes the levels of a target whose entries have been collected.
    pub(super) fn finish(&mut self, making: &Making, body: &mut Block, results: &mut BTreeMap<TensorId, Vec<Field>>) {
        let (id, assign) = (making.id, &making.assign);
        let tensor = self.kernel.tensor(id);
        let (Some(format), Some(storage)) = (tensor.format.clone(), self.stores[id.0].clone()) else { return };
        if let Storage::Levels(_) = storage {
            return;
        }
        let name = prefix(&tensor.name);
        let shape: Vec<Code> = assign.target.indices.iter().map(|&index| self.extent(index)).collect();
        let mut fields = self.extent_fields(body, &name, &shape);
        let (levels, own) = match storage {
            Storage::Append(append) => {
                self.end_appended(&append, body);
                match &making.way {
                    MakingWay::Entries(source) => {
                        let list = source.list.clone();
                        let (rows, _) = self.append_levels(append, list, shape.clone(), tensor.value, &name, body);
                        let (vars, rows) = (&mut self.vars, Collected::Rows(rows));
                        source.assemble(rows, vars, body, &name, &format, shape, tensor.value)
                    }
                    _ => self.append_levels(append, format, shape, tensor.value, &name, body),
                }
            }
            Storage::List(list) => {
                let MakingWay::Entries(source) = &making.way else { return };
                let (vars, list) = (&mut self.vars, Collected::List(&list));
                source.assemble(list, vars, body, &name, &format, shape, tensor.value)
            }
            Storage::Shaped(shaped) => shaped_levels(shaped, &format, shape, tensor.value),
            Storage::Scalar { .. } | Storage::Dense { .. } | Storage::Viewed(_) | Storage::Levels(_) => return,
        };
        fields.extend(level_fields(own, levels.vals));
        self.store(id, Storage::Levels(Arc::new(levels)));
        results.insert(id, fields);
    }

    /// Ends the rows and blocks of a result whose entries have been appended.
    fn end_appended(&mut self, append: &Append, body: &mut Block) {
        let (ends, entries) = append.first();
        if append.phase == Phase::Append && append.rows.is_empty() {
            body.push(IrStmt::Store(ends, ir::usize(1), ir::len(entries)));
        } else if append.phase == Phase::Append && append.gaps {
            // A row that the loops left out ends where the row before it does.
            let p = self.vars.fresh("p", Scalar::Usize);
            let before = ir::load(ends, Code::Var(p) - ir::usize(1));
            let end = IrStmt::StoreUpdate(ends, p.into(), ir::Reduce::Max, before);
            body.push(IrStmt::count(p, ir::usize(1), ir::len(ends), end));
        }
        if let (Some(tail), Some(vals)) = (&append.tail, append.vals) {
            // The last block may have stayed empty.
            let len = ir::len(append.crd) * tail.size.clone();
            body.push(IrStmt::Resize { array: vals, len, fill: tail.fill.clone() });
        }
    }

    /// The levels of a result whose entries have been appended, and their fields.
    fn append_levels(
        &mut self,
        append: Append,
        format: Format,
        shape: Vec<Code>,
        value: ValueType,
        name: &str,
        body: &mut Block,
    ) -> (Levels, Vec<OwnFields>) {
        let mut made = levels(&format, shape, append.vals, value);
        let mut own: Vec<OwnFields> = vec![Vec::new(); format.levels.len()];
        for below in 0..=append.outer.len() {
            let (at, (pos, crd)) = (append.rows.len() + below, append.level(below));
            let names = format.levels[at].segment_names();
            own[at] = names.into_iter().zip([pos, crd]).collect();
            made.fields[at] = by_name(&own[at]);
        }
        let below = append.rows.len() + append.outer.len() + 1;
        for (at, (_, crd)) in (below..).zip(&append.singles) {
            let level = &format.levels[at];
            own[at] = level.kind.fields(&level.switches).into_iter().map(|(name, _)| (name, *crd)).collect();
            made.fields[at] = by_name(&own[at]);
        }
        build_stores(&mut self.vars, body, name, &format, value, &mut made.fields, &mut own, &mut made.vals);
        (made, own)
    }
}

/// The levels of a result that keeps those of an operand, and their fields.
fn shaped_levels(shaped: Shaped, format: &Format, shape: Vec<Code>, value: ValueType) -> (Levels, Vec<OwnFields>) {
    let mut own: Vec<OwnFields> = vec![Vec::new(); format.levels.len()];
    for (at, (pos, crd)) in (shaped.copied.rows..).zip(shaped.own) {
        own[at] = format.levels[at].segment_names().into_iter().zip([pos, crd]).collect();
    }
    let made = levels(format, shape, Some(shaped.vals), value);
    let fields = own.iter().map(|own| by_name(own)).collect();
    (Levels { fields, ..made }, own)
}

/// Levels whose fields are not known yet.
fn levels(format: &Format, shape: Vec<Code>, vals: Option<Var>, value: ValueType) -> Levels {
    let (extents, fields) = (level_extents(format, &shape), vec![BTreeMap::new(); format.levels.len()]);
    Levels { format: format.clone(), shape, extents, fields, vals, value, windows: Vec::new() }
}

/// The fields in which levels are returned.
fn level_fields(own: Vec<OwnFields>, vals: Option<Var>) -> Vec<Field> {
    let of = |(at, fields): (usize, OwnFields)| {
        fields.into_iter().map(move |(name, var)| Field { name: name.into(), level: Some(at), var })
    };
    let levels = own.into_iter().enumerate().flat_map(of);
    levels.chain(vals.map(|var| Field { name: "vals".into(), level: None, var })).collect()
}
