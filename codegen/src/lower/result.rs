//! Results: where their values and entries go while loops run, and how their levels are finished after that.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::nest::Lower;
use super::stored::{Append, Phase, Storage, size};
use crate::convert::collected::{Collected, Via};
use crate::convert::list::{List, build_stores, by_name};
use crate::format::Format;
use crate::ir::{self, Block, Expr as Code, Field, Scalar, Stmt as IrStmt, Type, Var};
use crate::notation::ast::ValueType;
use crate::notation::concrete::TensorId;
use crate::notation::start;
use crate::plan::{Appendable, Making, MakingWay};
use crate::tensor::{
    Levels, OwnFields, end_empty_segments, extent_fields, level_extents, level_fields, literal, prefix, scalar,
    segments,
};

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
                        let mut fields = extent_fields(&mut self.vars, body, &name, &shape);
                        fields.push(Field { name: "vals".into(), level: None, var: vals });
                        results.insert(*id, fields);
                        Storage::Levels(Arc::new(levels(format, shape, Some(vals), tensor.value)))
                    }
                }
            }
            MakingWay::Copied(copied) => Storage::Append(Box::new(self.shaped(copied, tensor, &name, &shape, body))),
            MakingWay::Appended(places) => {
                let Some(format) = &tensor.format else { unreachable!("entries are appended to levels") };
                Storage::Append(Box::new(self.appended(places, (*id, format, &name), &shape, body)))
            }
            MakingWay::Rows(source, places) => {
                let rows = (*id, &source.list, &*format!("{name}_rows"));
                Storage::Append(Box::new(self.appended(places, rows, &shape, body)))
            }
            MakingWay::Entries(source) => {
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
        let Appendable { rows, listed, singles, tail, .. } = places;
        let tensor = self.kernel.tensor(id);
        let counted = self.plan.counted.contains(&id);
        let extents: Vec<Code> = rows.iter().map(|&index| self.extent(index)).collect();
        let mut ends = size(extents.clone()) + ir::usize(1);
        let mut levels = Vec::new();
        for at in rows.len()..=rows.len() + listed.len() {
            let alone = listed.is_empty() && singles.is_empty();
            let name = if alone { name.to_owned() } else { format!("{name}{}", at + 1) };
            let (pos, crd) = segments(&format.levels[at], &mut self.vars, &name);
            let len = std::mem::replace(&mut ends, ir::usize(1));
            body.push(IrStmt::NewArray { var: pos, len, fill: ir::usize(0) });
            levels.push((pos, crd));
        }
        let below = rows.len() + listed.len() + 2;
        let single = |n| self.vars.fresh(format!("{name}{}_crd", below + n), Type::vec(Scalar::U32));
        let singles: Vec<Var> = (0..singles.len()).map(single).collect();
        let vals = (tensor.value != ValueType::Pattern)
            .then(|| self.vars.fresh(format!("{name}_vals"), Type::vec(scalar(tensor.value))));
        if !counted {
            let arrays = levels.iter().map(|level| level.1).chain(singles.iter().copied()).chain(vals);
            body.extend(arrays.map(|var| IrStmt::NewVec { var, capacity: None }));
        }
        let block: Vec<Code> = tail.iter().map(|&m| shape[m].clone()).collect();
        let any = (!block.is_empty()).then(|| self.vars.fresh(format!("{name}_any"), Scalar::Bool));
        let (places, gaps, phase) = (places.clone(), rows.len() > 1, Phase::Append);
        Append { places, levels, singles, block, any, vals, extents, gaps, phase }
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
        let mut fields = extent_fields(&mut self.vars, body, &name, &shape);
        let (levels, own) = match storage {
            Storage::Append(append) => {
                self.end_appended(id, &append, body);
                match &making.way {
                    MakingWay::Rows(source, _) => {
                        let list = source.list.clone();
                        let (rows, _) = self.append_levels(&append, list, shape.clone(), tensor.value, &name, body);
                        let (vars, rows) = (&mut self.vars, Collected::Rows(&rows));
                        source.assemble(rows, vars, body, &name, &format, shape, tensor.value)
                    }
                    _ => self.append_levels(&append, format, shape, tensor.value, &name, body),
                }
            }
            Storage::List(list) => {
                let MakingWay::Entries(source) = &making.way else { return };
                let (vars, list) = (&mut self.vars, Collected::List(&list));
                source.assemble(list, vars, body, &name, &format, shape, tensor.value)
            }
            Storage::Scalar { .. } | Storage::Dense { .. } | Storage::Viewed(_) | Storage::Levels(_) => return,
        };
        fields.extend(level_fields(own, levels.vals));
        self.store(id, Storage::Levels(Arc::new(levels)));
        results.insert(id, fields);
    }

    /// Ends the rows and blocks of a result whose entries have been appended.
    fn end_appended(&mut self, id: TensorId, append: &Append, body: &mut Block) {
        let (ends, entries) = append.levels[0];
        if append.phase == Phase::Append && append.places.rows.is_empty() {
            body.push(IrStmt::Store(ends, ir::usize(1), ir::len(entries)));
        } else if append.phase == Phase::Append && append.gaps {
            // A row that the loops left out ends where the row before it does.
            end_empty_segments(&mut self.vars, body, ends);
        }
        if let (Some(_), Some(array)) = (append.any, append.vals) {
            // The last block may have stayed empty.
            let len = ir::len(append.last().1) * size(append.block.clone());
            body.push(IrStmt::Resize { array, len, fill: self.fill(id) });
        }
    }

    /// The levels of a result whose entries have been appended, and their fields.
    fn append_levels(
        &mut self,
        append: &Append,
        format: Format,
        shape: Vec<Code>,
        value: ValueType,
        name: &str,
        body: &mut Block,
    ) -> (Levels, Vec<OwnFields>) {
        let mut made = levels(&format, shape, append.vals, value);
        let mut own: Vec<OwnFields> = vec![Vec::new(); format.levels.len()];
        let rows = append.places.rows.len();
        for (at, (pos, crd)) in (rows..).zip(&append.levels) {
            own[at] = format.levels[at].segment_names().into_iter().zip([*pos, *crd]).collect();
        }
        for (at, crd) in (rows + append.levels.len()..).zip(&append.singles) {
            let level = &format.levels[at];
            own[at] = level.kind.fields(&level.switches).into_iter().map(|(name, _)| (name, *crd)).collect();
        }
        made.fields = own.iter().map(|own| by_name(own)).collect();
        build_stores(&mut self.vars, body, name, &format, value, &mut made.fields, &mut own, &mut made.vals);
        (made, own)
    }
}

/// Levels whose fields are not known yet.
fn levels(format: &Format, shape: Vec<Code>, vals: Option<Var>, value: ValueType) -> Levels {
    let (extents, fields) = (level_extents(format, &shape), vec![BTreeMap::new(); format.levels.len()]);
    Levels { format: format.clone(), shape, extents, fields, vals, value, windows: Vec::new() }
}
