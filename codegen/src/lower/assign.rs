//! Assignments: a value, and how it is written to its target.

use super::nest::{Lower, State};
use super::stored::{Marks, Storage};
use crate::ir::{self, Block, Expr as Code, Scalar, Stmt as IrStmt, Var};
use crate::notation::concrete::Assign;
use crate::notation::presence::Presence;
use crate::plan::Assignment;
use crate::tensor::{fold, row_major, scalar};

impl Lower<'_> {
    /// An assignment.
    pub(super) fn assign(&mut self, one: &Assignment, state: &State) -> Block {
        let mut block = Block::new();
        let found = self.looked_up(one.reads.iter().map(|read| &read.access), state, &mut block);
        let state = &State { reads: one.reads.clone(), ..found.unwrap_or_else(|| state.clone()) };
        let condition = self.condition_of(one, state, &mut block);
        let mut body = Block::new();
        let ty = scalar(one.ty);
        let code = self.value(&one.value, ty, state, &mut body);
        self.write(&one.assign, code, ty, state, &mut body);
        match condition {
            Presence::When(condition) if !state.holds.contains(&condition) => block.push(IrStmt::when(condition, body)),
            _ => block.append(body),
        }
        block
    }

    /// The condition under which an assignment is done.
    fn condition_of(&mut self, one: &Assignment, state: &State, block: &mut Block) -> Presence<Code> {
        let mut condition = Presence::Always;
        // A mask that goes by values is tested at run time.
        if let Some(mask) = one.assign.mask.as_ref().filter(|_| one.masked) {
            let entry = self.has_entry(&mask.access, state, block);
            condition = condition.and(Presence::When(if mask.negated { !entry } else { entry }));
        }
        if one.of_entries {
            condition = condition.and(self.computed(&one.value, state, block));
        }
        condition
    }

    /// Writes a value, computed in type `ty`, to the target of an assignment.
    fn write(&mut self, assign: &Assign, code: Code, ty: Scalar, state: &State, body: &mut Block) {
        let id = assign.target.tensor;
        let own = scalar(self.kernel.tensor(id).value);
        let coords: Vec<Code> = assign.target.indices.iter().map(|&index| state.index(index)).collect();
        let narrow = |code: Code| if ty == own { code } else { code.cast(own) };
        let put = |array: Var, at: Code, code: Code| match assign.reduce {
            None => IrStmt::Store(array, at, code),
            Some(reduce) => IrStmt::StoreUpdate(array, at, fold(reduce, own), code),
        };
        match self.stores[id.0].clone() {
            Some(Storage::Scalar { var, flag }) => {
                body.push(match assign.reduce {
                    None => IrStmt::Assign(var, narrow(code)),
                    Some(reduce) => IrStmt::Update(var, fold(reduce, own), narrow(code)),
                });
                body.extend(flag.map(|flag| IrStmt::Assign(flag, ir::bool(true))));
            }
            Some(Storage::Dense { shape, vals, marks: Some(marks) }) => {
                let new = self.vars.fresh("value", own);
                body.push(IrStmt::Let(new, narrow(code)));
                body.push(marked(marks, vals, row_major(&shape, &coords), new, &put));
            }
            Some(Storage::List(list)) => {
                let code = if list.scalar == ty { code } else { code.cast(list.scalar) };
                body.append(list.push(coords, code));
            }
            Some(Storage::Append(append)) => {
                append.write(&coords, narrow(code), state.entries.get(&id).cloned(), &put, body);
            }
            Some(stored) => {
                let (vals, at, inside) = self.place_of(&stored, &assign.target, state, body);
                let put = vals.map(|vals| put(vals, at, narrow(code)));
                body.append(IrStmt::when_all(inside, put.into_iter().collect::<Block>()));
            }
            None => unreachable!("a target has a place before it is written"),
        }
    }
}

/// Writes to a workspace that remembers what was written.
fn marked(marks: Marks, vals: Var, at: Code, new: Var, put: &dyn Fn(Var, Code, Code) -> IrStmt) -> IrStmt {
    let first = vec![
        IrStmt::Store(marks.set, at.clone(), ir::bool(true)),
        IrStmt::Push(marks.list, at.clone()),
        IrStmt::Store(vals, at.clone(), new.into()),
    ];
    let again = put(vals, at.clone(), new.into());
    IrStmt::either(ir::load(marks.set, at), again, first)
}
