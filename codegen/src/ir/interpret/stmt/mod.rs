//! Statements to closures.

mod array;
mod control;
mod entries;
mod parallel;
mod sort;
mod walk;

use super::expr::{AnyCode, Compiled, Compiler};
use super::frame::{Action, Frame, Stop};
use super::prim::Prim;
use crate::ir::expr::{Expr, usize};
use crate::ir::kernel::Var;
use crate::ir::stmt::{Block, Stmt};
use crate::ir::types::{Scalar, Type};

impl Compiler<'_> {
    pub fn block(&mut self, block: &Block) -> Compiled<Action> {
        let mut actions = Vec::new();
        for stmt in &block.0 {
            if !matches!(stmt, Stmt::Comment(_)) {
                actions.push(self.stmt(stmt)?);
            }
        }
        Ok(match <[Action; 1]>::try_from(actions) {
            Ok([only]) => only,
            Err(actions) => Box::new(move |f| {
                for action in &actions {
                    action(f)?;
                }
                Ok(())
            }),
        })
    }

    fn stmt(&mut self, stmt: &Stmt) -> Compiled<Action> {
        Ok(match stmt {
            Stmt::Comment(_) => Box::new(|_| Ok(())),
            Stmt::Let(v, x) if matches!(self.ty(*v), Type::Store(_)) => {
                let (store, slot) = (self.store(x)?, v.0 as usize);
                Box::new(move |f| {
                    f.stores[slot] = Some(store(f)?);
                    Ok(())
                })
            }
            Stmt::Let(v, x) | Stmt::Assign(v, x) => self.set(*v, x)?,
            Stmt::Update(v, op, x) => {
                let value = Expr::Var(*v).binary(op.binary(), x.clone());
                self.set(*v, &value)?
            }
            Stmt::NewArray { var, len, fill } => self.new_array(var, len, fill)?,
            Stmt::NewUncleared { var, len } => {
                let zero = self.element(*var).unwrap_or(Scalar::Usize).zero();
                self.new_array(var, len, &zero.into())?
            }
            Stmt::NewLocal { var, len } => {
                let zero = self.element(*var).unwrap_or(Scalar::Usize).zero();
                self.new_array(var, &usize(*len), &zero.into())?
            }
            Stmt::CopyArray { var, from, len } => self.copy_array(var, from, len)?,
            Stmt::NewVec { var, capacity } => self.new_vec(var, capacity)?,
            Stmt::Numbers { var, len } => self.numbers(*var, len)?,
            Stmt::Store(a, i, x) => self.put(*a, i, x)?,
            Stmt::StoreUpdate(a, i, op, x) => self.fold_into(*a, i, *op, x)?,
            Stmt::Push(a, x) => self.push(a, x)?,
            Stmt::Resize { array, len, fill } => self.resize(array, len, fill)?,
            Stmt::Fill { array, lo, hi, value } => self.fill(array, lo, hi, value)?,
            Stmt::CopyPart { array, at, from, first, len } => self.copy_part(*array, at, *from, first, *len)?,
            Stmt::For { var, lo, hi, body } => self.count(var, lo, hi, body)?,
            Stmt::Slice { slice, array, lo, hi, .. } => self.slice(*slice, *array, lo, hi)?,
            Stmt::Along { walked, body } => self.along(walked, body)?,
            Stmt::While(condition, body) => self.repeat(condition, body)?,
            Stmt::If { arms, otherwise } => self.branch(arms, otherwise)?,
            Stmt::Break => Box::new(|_| Err(Stop::Break)),
            Stmt::Parallel { .. } => self.parallel(stmt)?,
            Stmt::Sort { array, lo, hi, keys } => self.sort(array, lo, hi, keys)?,
            Stmt::PrefixSum(a) => self.prefix_sum(a)?,
            Stmt::TaskCounts { array, tasks, parents, turn } => self.task_counts(array, tasks, parents, turn)?,
            Stmt::OpenCursor { cursor, store, ordered } => self.open_cursor(*cursor, store, *ordered)?,
            Stmt::Advance(c) => self.advance(c)?,
            Stmt::Rest { cursor, coord, value, body } => self.rest(cursor, coord, value, body)?,
            Stmt::ForEntries { store, coord, value, ordered, body, .. } => {
                self.entries(store, coord, value, ordered, body)?
            }
            Stmt::Gather { .. } => self.gather(stmt)?,
            Stmt::FindRows { finder, matrix } => {
                let (finder, matrix) = (finder.0 as usize, matrix.0 as usize);
                Box::new(move |f| {
                    f.stores[finder] = f.stores[matrix].clone();
                    f.arrays[finder] = f.arrays[matrix].clone();
                    Ok(())
                })
            }
            Stmt::Locate { store, coord, value, then, otherwise } => {
                self.locate(store, coord, value, then, otherwise)?
            }
        })
    }

    fn ty(&self, v: Var) -> &Type {
        &self.kernel.vars[v].ty
    }

    /// The scalar type of an array's elements; `None` if they are stores.
    fn element(&self, array: Var) -> Option<Scalar> {
        self.ty(array).array_scalar()
    }

    /// Code that sets a scalar variable.
    fn set(&self, v: Var, value: &Expr) -> Compiled<Action> {
        macro_rules! each {
            ($($variant:ident)*) => {
                match self.any(value)? {
                    $(AnyCode::$variant(x) => {
                        let slot = v.0 as usize;
                        Box::new(move |f: &mut Frame| {
                            f.scalars[slot] = x(f)?.encode();
                            Ok(())
                        })
                    })*
                }
            };
        }
        Ok(each!(F32 F64 I32 I64 U32 U64 Bool Usize))
    }
}
