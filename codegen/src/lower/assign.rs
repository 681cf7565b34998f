//! Assignments: a value, and how it gets to where its target lies.

use super::access::row_major;
use super::nest::{Lower, Phase, State, Storage};
use super::storage::{Pos, scalar};
use super::value::{Stored, fold};
use super::{Stopped, unsupported};
use crate::ir::{self, Block, Expr as Code, Scalar, Stmt as IrStmt};
use crate::notation::algebra::{assigns_nothing, changes_nothing};
use crate::notation::concrete::{Assign, Expr};
use crate::notation::type_of;

impl Lower<'_> {
    pub(super) fn assign(&mut self, assign: &Assign, state: &State) -> Result<Block, Stopped> {
        let mut block = Block::new();
        let Some(value) = self.effect(assign, state, &[]) else { return Ok(block) };
        let id = assign.target.tensor;
        let tensor = self.kernel.tensor(id).clone();
        let own = scalar(tensor.value);
        let ty = type_of(&assign.value, &self.kernel.tensors).map_or(tensor.value, |ty| ty.join(tensor.value));
        let ty = scalar(ty);
        // A mask that goes by values is tested at run time.
        let mut allowed = None;
        if let Some(mask) = &assign.mask
            && self.present(&mask.access, state).is_none()
        {
            let entry = self.has_entry(&mask.access, state, &mut block)?;
            allowed = Some(if mask.negated { !entry } else { entry });
        }
        let storage = self.stores[id.0].clone().ok_or_else(|| unsupported(assign.span, "the target has no place"))?;
        let sparse = self.is_sparse(id);
        let mut body = Block::new();
        let mut condition = allowed.clone();
        let flagged = assign.reduce.is_some() && self.has_operand_flag(&value, state);
        if sparse || flagged {
            let zero = assign.over.as_ref().map(|semiring| semiring.zero);
            let computed =
                type_of(&assign.value, &self.kernel.tensors).map_or(tensor.value, |ty| ty.join(tensor.value));
            let nothing = |value| match assign.reduce {
                Some(reduce) => changes_nothing(reduce, zero, value, computed),
                None => assigns_nothing(zero, value, computed, tensor.fill, tensor.value),
            };
            match self.stored(&value, nothing, state, &mut block)? {
                Stored::Never => return Ok(block),
                Stored::Always => {}
                Stored::If(stored) => {
                    condition = Some(match condition {
                        None => stored,
                        Some(allowed) => allowed.and(stored),
                    });
                }
            }
        }
        if let (false, Some(_), Expr::Access(access)) = (sparse, assign.reduce, &value)
            && let Some(flag) = self.flag(access, state).filter(|_| !flagged)
        {
            // Nothing was written to the workspace: nothing is folded in.
            condition = Some(condition.map_or(flag.into(), |other| other.and(flag)));
        }
        let code = self.value(&value, ty, state, &mut body)?;
        let coords: Vec<Code> = assign.target.indices.iter().map(|&index| self.index_value(index, state)).collect();
        let narrow = |code: Code| if ty == own { code } else { code.cast(own) };
        match storage {
            Storage::Scalar { var, flag } => {
                let code = narrow(code);
                body.push(match assign.reduce {
                    None => IrStmt::Assign(var, code),
                    Some(reduce) => IrStmt::Update(var, fold(reduce, own), code),
                });
                if let Some(flag) = flag {
                    body.push(IrStmt::Assign(flag, ir::bool(true)));
                }
            }
            Storage::Dense { shape, vals, marks } => {
                let at = row_major(&shape, &coords);
                let code = narrow(code);
                match (marks, assign.reduce) {
                    (None, None) => body.push(IrStmt::Store(vals, at, code)),
                    (None, Some(reduce)) => body.push(IrStmt::StoreUpdate(vals, at, fold(reduce, own), code)),
                    (Some(marks), reduce) => {
                        let new = self.vars.fresh("value", own);
                        body.push(IrStmt::Let(new, code));
                        let first = vec![
                            IrStmt::Store(marks.set, at.clone(), ir::bool(true)),
                            IrStmt::Push(marks.list, at.clone()),
                            IrStmt::Store(vals, at.clone(), new.into()),
                        ];
                        let again = match reduce {
                            None => IrStmt::Store(vals, at.clone(), new.into()),
                            Some(reduce) => IrStmt::StoreUpdate(vals, at.clone(), fold(reduce, own), new.into()),
                        };
                        body.push(IrStmt::either(ir::load(marks.set, at), again, first));
                    }
                }
            }
            Storage::Levels(levels) => {
                let pos = self.locate_all(&levels, &assign.target, state, &mut body)?;
                let code = narrow(code);
                if let (Some(vals), Pos::At(at)) = (levels.vals, pos) {
                    body.push(match assign.reduce {
                        None => IrStmt::Store(vals, at, code),
                        Some(reduce) => IrStmt::StoreUpdate(vals, at, fold(reduce, own), code),
                    });
                }
            }
            Storage::Viewed(viewed) => {
                let (vals, at, inside) = self.place_of(&viewed, &assign.target, state, &mut body)?;
                let code = narrow(code);
                let write = match assign.reduce {
                    None => IrStmt::Store(vals, at, code),
                    Some(reduce) => IrStmt::StoreUpdate(vals, at, fold(reduce, own), code),
                };
                body.push(match inside {
                    None => write,
                    Some(inside) => IrStmt::when(inside, write),
                });
            }
            Storage::List(list) => {
                let code = if list.scalar == ty { code } else { code.cast(list.scalar) };
                body.append(list.push(coords, code));
            }
            Storage::Shaped(shaped) => {
                let Some((vals, at)) = self.entry_of(&shaped, id, &coords, state) else {
                    return Err(unsupported(assign.span, "the loops do not come by the entries of the result"));
                };
                let code = narrow(code);
                body.push(match assign.reduce {
                    None => IrStmt::Store(vals, at, code),
                    Some(reduce) => IrStmt::StoreUpdate(vals, at, fold(reduce, own), code),
                });
            }
            Storage::Append(append) => {
                let c = coords[append.last].clone().cast(Scalar::U32);
                match append.phase {
                    Phase::Append if append.tail.is_some() => {
                        let Some(tail) = &append.tail else { return Ok(block) };
                        if let Some(vals) = append.vals {
                            let inner: Vec<Code> = tail.modes.iter().map(|&m| coords[m].clone()).collect();
                            let at = ir::len(append.crd) * tail.size.clone() + row_major(&tail.extents, &inner);
                            let code = narrow(code);
                            body.push(match assign.reduce {
                                None => IrStmt::Store(vals, at, code),
                                Some(reduce) => IrStmt::StoreUpdate(vals, at, fold(reduce, own), code),
                            });
                        }
                        body.push(IrStmt::Assign(tail.any, ir::bool(true)));
                    }
                    Phase::Append => {
                        body.push(IrStmt::Push(append.crd, c));
                        body.extend(append.vals.map(|vals| IrStmt::Push(vals, narrow(code))));
                    }
                    Phase::Count => {
                        let rows: Vec<Code> = append.rows.iter().map(|&i| self.index_value(i, state)).collect();
                        let parent = append.parent(&rows);
                        body.push(IrStmt::StoreUpdate(
                            append.pos,
                            parent + ir::usize(1),
                            ir::Reduce::Add,
                            ir::usize(1),
                        ));
                    }
                    Phase::Fill(at) => {
                        body.push(IrStmt::Store(append.crd, at.into(), c));
                        body.extend(append.vals.map(|vals| IrStmt::Store(vals, at.into(), narrow(code))));
                        body.push(IrStmt::Update(at, ir::Reduce::Add, ir::usize(1)));
                    }
                    Phase::Filled => return Err(unsupported(assign.span, "this result is made already")),
                }
            }
        }
        match condition.filter(|condition| !state.holds.contains(condition)) {
            None => block.append(body),
            Some(condition) => block.push(IrStmt::when(condition, body)),
        }
        Ok(block)
    }
}
