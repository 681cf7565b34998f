//! Results: where their values and entries go while loops run, and how their levels are finished after that.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::nest::{Lower, State};
use super::stored::Storage;
use crate::convert::appended::{Append, Target};
use crate::convert::collected::{Collected, Via};
use crate::convert::list::List;
use crate::ir::{Block, Expr as Code, Field, Scalar, Stmt as IrStmt, Type, Vars};
use crate::notation::ast::ValueType;
use crate::notation::concrete::{Assign, TensorId};
use crate::notation::start;
use crate::plan::{Kept, Loop};
use crate::tensor::{Levels, extent_fields, level_fields, literal, prefix, scalar, size};

impl Lower<'_> {
    /// Makes a place for a tensor that the statement is the first to write.
    pub(super) fn make(&mut self, assign: &Assign, body: &mut Block, results: &mut BTreeMap<TensorId, Vec<Field>>) {
        let id = assign.target.tensor;
        let tensor = self.kernel.tensor(id);
        let (own, name) = (scalar(tensor.value), prefix(&tensor.name));
        let nothing = assign.reduce.map_or(tensor.fill, |reduce| start(assign, reduce, tensor.value));
        let shape: Vec<Code> = assign.target.indices.iter().map(|&index| self.extent(index)).collect();
        let (shape, value) = (&shape[..], tensor.value);
        let of = |places, format, name| Target { places, format, name, shape, value };
        let counted = self.plan.counted.contains(&id);
        let plan = self.plan;
        let kept = plan.kept[id.0].as_ref().expect("the plan says how what is made is kept");
        let storage = match kept {
            Kept::Scalar { .. } => {
                let var = self.vars.fresh(name, own);
                body.push(IrStmt::Let(var, literal(nothing, own)));
                results.insert(id, vec![Field { name: "value".into(), level: None, var }]);
                Storage::Scalar { var, flag: None }
            }
            Kept::Array { .. } | Kept::Levels(_) | Kept::View => {
                let vals = self.vars.fresh(name.clone(), Type::vec(own));
                let len = size(shape.to_vec());
                body.push(IrStmt::NewArray { var: vals, len, fill: literal(nothing, own) });
                match &tensor.format {
                    None => Storage::Dense { shape: shape.to_vec(), vals, marks: None },
                    Some(format) => {
                        let mut fields = extent_fields(&mut self.vars, body, &name, shape);
                        fields.push(Field { name: "vals".into(), level: None, var: vals });
                        results.insert(id, fields);
                        Storage::Levels(Arc::new(Levels::without_fields(format, shape.to_vec(), Some(vals), value)))
                    }
                }
            }
            Kept::Copied(copied) => {
                let Some(Storage::Levels(from)) = self.stores[copied.of.tensor.0].clone() else {
                    unreachable!("an operand whose levels are copied has some");
                };
                let Some(format) = &tensor.format else { unreachable!("a result with levels has a format") };
                let (target, fill) = (of(&copied.places, format, &name), literal(tensor.fill, own));
                Storage::Append(Box::new(Append::copying(&mut self.vars, body, target, &from, fill)))
            }
            Kept::Appended(places, None) => {
                let Some(format) = &tensor.format else { unreachable!("entries are appended to levels") };
                Storage::Append(Box::new(Append::declare(&mut self.vars, body, of(places, format, &name), counted)))
            }
            Kept::Appended(places, Some(source)) => {
                let (format, name) = (&source.list, format!("{name}_rows"));
                Storage::Append(Box::new(Append::declare(&mut self.vars, body, of(places, format, &name), counted)))
            }
            Kept::Collected(source) => {
                let kept = (tensor.value != ValueType::Pattern).then(|| scalar(source.value));
                let list = List::declare(&mut self.vars, body, &name, tensor.rank, kept);
                Storage::List(List { in_order: source.via == Via::Order, ..list })
            }
        };
        self.store(id, storage);
    }

    /// Makes the levels of a target whose entries have been collected.
    pub(super) fn finish(&mut self, assign: &Assign, body: &mut Block, results: &mut BTreeMap<TensorId, Vec<Field>>) {
        let id = assign.target.tensor;
        let tensor = self.kernel.tensor(id);
        let (Some(format), Some(storage)) = (tensor.format.clone(), self.stores[id.0].clone()) else { return };
        if let Storage::Levels(_) = storage {
            return;
        }
        let (plan, name) = (self.plan, prefix(&tensor.name));
        let shape: Vec<Code> = assign.target.indices.iter().map(|&index| self.extent(index)).collect();
        let mut fields = extent_fields(&mut self.vars, body, &name, &shape);
        let (levels, own) = match storage {
            Storage::Append(append) => {
                let (vars, value) = (&mut self.vars, tensor.value);
                append.end(vars, literal(tensor.fill, scalar(value)), body);
                let of = |format| Target { places: &append.places, format, name: &name, shape: &shape, value };
                match &plan.kept[id.0] {
                    Some(Kept::Appended(_, Some(source))) => {
                        let (rows, _) = append.levels(vars, body, of(&source.list));
                        source.assemble(Collected::Rows(&rows), vars, body, &name, &format, shape, value)
                    }
                    _ => append.levels(vars, body, of(&format)),
                }
            }
            Storage::List(list) => {
                let Some(Kept::Collected(source)) = &plan.kept[id.0] else { return };
                let (vars, list) = (&mut self.vars, Collected::List(&list));
                source.assemble(list, vars, body, &name, &format, shape, tensor.value)
            }
            Storage::Scalar { .. } | Storage::Dense { .. } | Storage::Viewed(_) | Storage::Levels(_) => return,
        };
        fields.extend(level_fields(own, levels.vals));
        self.store(id, Storage::Levels(Arc::new(levels)));
        results.insert(id, fields);
    }

    /// The value of a tensor where nothing is written.
    fn fill(&self, id: TensorId) -> Code {
        let tensor = self.kernel.tensor(id);
        literal(tensor.fill, scalar(tensor.value))
    }

    /// Calls `f` with each appended result that the body of a loop writes.
    fn appended_in(&mut self, one: &Loop, mut f: impl FnMut(&mut Append, &mut Vars, Code)) {
        for id in one.body.written() {
            let fill = self.fill(id);
            if let Some(Storage::Append(append)) = &mut self.stores[id.0] {
                f(append, &mut self.vars, fill);
            }
        }
    }

    /// Makes place for the blocks of values whose entries a loop has come to, before anything is written to them.
    pub(super) fn open_blocks(&mut self, one: &Loop, block: &mut Block) {
        self.appended_in(one, |append, vars, fill| {
            if append.has_block(&one.known.path) {
                append.open_block(vars, fill, block);
            }
        });
    }

    /// Ends the blocks of values and the rows of appended results that the loop around has made.
    pub(super) fn end_rows(&mut self, one: &Loop, state: &State, block: &mut Block) {
        let path = &one.known.path;
        self.appended_in(one, |append, _, _| {
            if append.has_block(path) {
                append.end_block(state.index(one.index).cast(Scalar::U32), block);
            }
        });
        self.appended_in(one, |append, _, _| append.end_row(path, &|index| state.index(index), block));
    }

    /// Remembers that a loop may leave out rows of appended results, which then have no end of their own.
    pub(super) fn leaves_rows_out(&mut self, one: &Loop) {
        self.appended_in(one, |append, _, _| append.gaps |= append.places.rows.contains(&one.index));
    }
}
