//! Loops over the entries of stores and the rows of matrices, cursors, and look-ups.

use std::sync::Arc;

use crate::ir::expr::Expr;
use crate::ir::interpret::expr::{Compiled, Compiler, store_at, value_at};
use crate::ir::interpret::frame::{Action, Cursor, Fault, Frame};
use crate::ir::interpret::prim::{Prim, with_scalar};
use crate::ir::interpret::value::{Array, Store};
use crate::ir::kernel::Var;
use crate::ir::stmt::{Block, Stmt};
use crate::ir::types::{Growth, Scalar, Type};

/// Binds variables to an entry of a store.
pub(super) type Bind = Box<dyn Fn(&mut Frame, &Arc<Store>, usize) + Send + Sync>;

impl Compiler<'_> {
    pub(super) fn open_cursor(&mut self, cursor: Var, store: &Expr, ordered: bool) -> Compiled<Action> {
        let (store, slot) = (self.store(store)?, cursor.0 as usize);
        Ok(Box::new(move |f| {
            let store = store(f)?;
            let store = if ordered && !store.ordered { Arc::new(sorted(&store)) } else { store };
            f.cursors[slot] = Some(Cursor { store, at: 0 });
            Ok(())
        }))
    }

    pub(super) fn advance(&mut self, c: &Var) -> Compiled<Action> {
        let (slot, c) = (c.0 as usize, *c);
        Ok(Box::new(move |f| {
            match &mut f.cursors[slot] {
                Some(cursor) if cursor.at < cursor.store.coords.len() => cursor.at += 1,
                _ => return f.fail(Fault::CursorAtEnd(c)),
            }
            Ok(())
        }))
    }

    pub(super) fn rest(&mut self, cursor: &Var, coord: &Var, value: &Option<Var>, body: &Block) -> Compiled<Action> {
        let (slot, cursor) = (cursor.0 as usize, *cursor);
        let bind = self.bind(*coord, *value);
        let body = self.block(body)?;
        Ok(Box::new(move |f| {
            let Some(Cursor { store, at }) = f.cursors[slot].clone() else {
                return f.fail(Fault::CursorAtEnd(cursor));
            };
            for k in at..store.coords.len() {
                f.tick(1)?;
                bind(f, &store, k);
                body(f)?;
            }
            let end = store.coords.len();
            f.cursors[slot] = Some(Cursor { store, at: end });
            Ok(())
        }))
    }

    pub(super) fn entries(
        &mut self,
        store: &Expr,
        coord: &Var,
        value: &Option<Var>,
        ordered: &bool,
        body: &Block,
    ) -> Compiled<Action> {
        let (store, ordered) = (self.store(store)?, *ordered);
        let bind = self.bind(*coord, *value);
        let body = self.block(body)?;
        Ok(Box::new(move |f| {
            let store = store(f)?;
            for k in order(&store, ordered) {
                f.tick(1)?;
                bind(f, &store, k);
                body(f)?;
            }
            Ok(())
        }))
    }

    /// One row after the other.
    pub(super) fn gather(&mut self, stmt: &Stmt) -> Compiled<Action> {
        let Stmt::Gather { matrix, coord, row, body, flag, value, crd, vals } = stmt else {
            return Ok(Box::new(|_| Ok(())));
        };
        let body = self.block(body)?;
        let push = Block(vec![Stmt::Push(*crd, Expr::Var(*coord).cast(Scalar::U32)), Stmt::Push(*vals, value.clone())]);
        let push = self.stmt(&Stmt::when(Expr::Var(*flag), push))?;
        let (matrix, coord, row) = (matrix.0 as usize, coord.0 as usize, row.0 as usize);
        Ok(Box::new(move |f| {
            for i in 0..f.arrays[matrix].len() {
                f.tick(1)?;
                if let Array::Stores(rows) = &f.arrays[matrix] {
                    f.stores[row] = rows.get(i).cloned();
                }
                f.scalars[coord] = i as u64;
                body(f)?;
                push(f)?;
            }
            Ok(())
        }))
    }

    pub(super) fn locate(
        &mut self,
        store: &Expr,
        coord: &Expr,
        value: &Option<Var>,
        then: &Block,
        otherwise: &Block,
    ) -> Compiled<Action> {
        let lookup = match store.type_in(&self.kernel.vars) {
            Some(Type::Store(of)) => of.lookup,
            _ => Growth::Linear,
        };
        let (store, coord) = (self.store(store)?, self.usize(coord)?);
        let bind = self.bind_value(*value);
        let (then, otherwise) = (self.block(then)?, self.block(otherwise)?);
        Ok(Box::new(move |f| {
            let store = store(f)?;
            let coord = coord(f)?;
            let growth = if store.ordered { lookup } else { Growth::Linear };
            let at = store.coords.partition_point(|&c| c < coord);
            f.tick(growth.steps(at, store.coords.len()))?;
            match store.find(coord) {
                Some(k) => {
                    bind(f, &store, k);
                    then(f)
                }
                None => otherwise(f),
            }
        }))
    }

    /// Code that binds the coordinate and value of entry `k` of a store.
    fn bind(&self, coord: Var, value: Option<Var>) -> impl Fn(&mut Frame, &Arc<Store>, usize) + Send + Sync + use<> {
        let (slot, bind) = (coord.0 as usize, self.bind_value(value));
        move |f, store, k| {
            f.scalars[slot] = store.coords[k] as u64;
            bind(f, store, k);
        }
    }

    pub(super) fn bind_value(&self, value: Option<Var>) -> Bind {
        let Some(value) = value else { return Box::new(|_, _, _| {}) };
        let slot = value.0 as usize;
        match self.ty(value) {
            Type::Scalar(s) => with_scalar!(*s, T => {
                Box::new(move |f, store, k| {
                    if let Some(x) = value_at::<T>(store, k) {
                        f.scalars[slot] = x.encode();
                    }
                })
            }),
            _ => Box::new(move |f, store, k| f.stores[slot] = store_at(store, k)),
        }
    }
}

/// The entries of a store in ascending order of their coordinates.
fn sorted(store: &Store) -> Store {
    let order = order(store, true);
    let values = store.values.as_ref().map(|values| match values {
        Array::Stores(all) => Array::Stores(order.iter().map(|&k| all[k].clone()).collect()),
        other => with_scalar!(other.scalar().unwrap_or(Scalar::Bool), T => {
            T::new_array(order.iter().map(|&k| T::slice(other)[k]).collect())
        }),
    });
    Store { coords: order.iter().map(|&k| store.coords[k]).collect(), values, ordered: true }
}

/// The positions of a store's entries, by coordinate if asked to.
fn order(store: &Store, ordered: bool) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..store.coords.len()).collect();
    if ordered && !store.ordered {
        positions.sort_by_key(|&k| store.coords[k]);
    }
    positions
}
