//! Statements to closures.

use std::sync::Arc;

use super::expr::{AnyCode, Compiled, Compiler, store_at, value_at};
use super::frame::{Code, Cursor, Fault, Frame, Stop};
use super::prim::{Prim, with_scalar};
use super::value::{Array, Store};
use crate::ir::expr::Expr;
use crate::ir::kernel::Var;
use crate::ir::stmt::{Block, Domain, Owned, Partition, Reduce, Stmt, Turn};
use crate::ir::types::{Growth, Scalar, Type};

type Action = Code<()>;

/// Binds variables to an entry of a store.
type Bind = Box<dyn Fn(&mut Frame, &Arc<Store>, usize) + Send + Sync>;

/// Says what an iteration owns.
type Share = Box<dyn Fn(&mut Frame, Iteration) -> Result<(), Stop> + Send + Sync>;

/// One iteration of a parallel loop.
#[derive(Clone, Copy)]
struct Iteration {
    /// The value of the loop variable.
    number: usize,
    /// Where a loop over positions is; in others, the same.
    position: usize,
}

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

    /// Code that gives one element after `at` has said where.
    fn put(&self, array: Var, at: &Expr, value: &Expr) -> Compiled<Action> {
        let index = self.usize(at)?;
        let (slot, owned) = (array.0 as usize, self.owned[array.0 as usize]);
        let Some(scalar) = self.element(array) else {
            let value = self.store(value)?;
            return Ok(Box::new(move |f| {
                let value = value(f)?;
                let i = index(f)?;
                if owned {
                    f.own(array, i)?;
                }
                let len = f.arrays[slot].len();
                match &mut f.arrays[slot] {
                    Array::Stores(stores) if i < len => stores[i] = value,
                    _ => return f.fail(Fault::OutOfBounds(array, i, len)),
                }
                Ok(())
            }));
        };
        with_scalar!(scalar, T => {
            let value: Code<T> = self.typed(value)?;
            Ok(Box::new(move |f| {
                let value = value(f)?;
                let i = index(f)?;
                if owned {
                    f.own(array, i)?;
                }
                *element_mut(f, array, i)? = value;
                Ok(())
            }))
        })
    }

    /// Code that folds a value into an element.
    fn fold_into(&self, array: Var, at: &Expr, op: Reduce, value: &Expr) -> Compiled<Action> {
        let owned = self.owned[array.0 as usize];
        with_scalar!(self.element(array).unwrap_or(Scalar::Bool), T => {
            let index = self.usize(at)?;
            let value: Code<T> = self.typed(value)?;
            // The element is handed to the operator's own closure through a slot, except for the common sum of floats.
            if op == Reduce::Add && T::SCALAR == Scalar::F64 {
                let value: Code<f64> = Box::new(move |f| Ok(f64::from_bits(value(f)?.encode())));
                return Ok(Box::new(move |f| {
                    let value = value(f)?;
                    let i = index(f)?;
                    if owned {
                        f.own(array, i)?;
                    }
                    *element_mut::<f64>(f, array, i)? += value;
                    Ok(())
                }));
            }
            let temp = self.kernel.vars.len();
            let old: Code<T> = Box::new(move |f| Ok(T::decode(f.scalars[temp])));
            let Some(combine) = T::binary(op.binary(), old, Box::new(move |f| Ok(T::decode(f.scalars[temp + 1])))) else {
                return Err(super::error::RunError::Invalid(crate::ir::check::CheckError::Operator {
                    op: op.symbol().into(),
                    ty: T::SCALAR.to_string(),
                }));
            };
            Ok(Box::new(move |f| {
                let value = value(f)?;
                let i = index(f)?;
                if owned {
                    f.own(array, i)?;
                }
                f.scalars[temp] = element_mut::<T>(f, array, i)?.encode();
                f.scalars[temp + 1] = value.encode();
                let new = combine(f)?;
                *element_mut(f, array, i)? = new;
                Ok(())
            }))
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
            Stmt::CopyArray { var, from, len } => self.copy_array(var, from, len)?,
            Stmt::NewVec { var, capacity } => self.new_vec(var, capacity)?,
            Stmt::Store(a, i, x) => self.put(*a, i, x)?,
            Stmt::StoreUpdate(a, i, op, x) => self.fold_into(*a, i, *op, x)?,
            Stmt::Push(a, x) => self.push(a, x)?,
            Stmt::Resize { array, len, fill } => self.resize(array, len, fill)?,
            Stmt::Fill { array, lo, hi, value } => self.fill(array, lo, hi, value)?,
            Stmt::For { var, lo, hi, body } => self.count(var, lo, hi, body)?,
            Stmt::While(condition, body) => self.repeat(condition, body)?,
            Stmt::If { arms, otherwise } => self.branch(arms, otherwise)?,
            Stmt::Break => Box::new(|_| Err(Stop::Break)),
            Stmt::Parallel { .. } => self.parallel(stmt)?,
            Stmt::Sort { array, lo, hi, keys } => self.sort(array, lo, hi, keys)?,
            Stmt::PrefixSum(a) => self.prefix_sum(a)?,
            Stmt::TaskCounts { array, tasks, parents, turn } => self.task_counts(array, tasks, parents, turn)?,
            Stmt::OpenCursor(v, x) => {
                let (store, slot) = (self.store(x)?, v.0 as usize);
                Box::new(move |f| {
                    f.cursors[slot] = Some(Cursor { store: store(f)?, at: 0 });
                    Ok(())
                })
            }
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

    fn new_array(&mut self, var: &Var, len: &Expr, fill: &Expr) -> Compiled<Action> {
        let (len, slot, var) = (self.usize(len)?, var.0 as usize, *var);
        Ok(match self.element(var) {
            Some(scalar) => with_scalar!(scalar, T => {
                let fill: Code<T> = self.typed(fill)?;
                Box::new(move |f| {
                    let (len, fill) = (f.length(var, &len)?, fill(f)?);
                    f.arrays[slot] = T::new_array(vec![fill; len]);
                    Ok(())
                })
            }),
            None => {
                let fill = self.store(fill)?;
                Box::new(move |f| {
                    let (len, fill) = (f.length(var, &len)?, fill(f)?);
                    f.arrays[slot] = Array::Stores(vec![fill; len]);
                    Ok(())
                })
            }
        })
    }

    fn copy_array(&mut self, var: &Var, from: &Var, len: &Expr) -> Compiled<Action> {
        let (len, slot, from, var) = (self.usize(len)?, var.0 as usize, *from, *var);
        Ok(match self.element(var) {
            Some(scalar) => with_scalar!(scalar, T => {
                Box::new(move |f| {
                    let len = f.length(var, &len)?;
                    let elements = T::slice(&f.arrays[from.0 as usize]);
                    let Some(part) = elements.get(..len) else {
                        let all = elements.len();
                        return f.fail(Fault::OutOfBounds(from, len.saturating_sub(1), all));
                    };
                    f.arrays[slot] = T::new_array(part.to_vec());
                    Ok(())
                })
            }),
            // Unreachable in a checked kernel.
            None => Box::new(|_| Err(Stop::Fault)),
        })
    }

    fn new_vec(&mut self, var: &Var, capacity: &Option<Expr>) -> Compiled<Action> {
        let (slot, element) = (var.0 as usize, self.element(*var));
        // The capacity is a hint, but one that may fault, as it does in compiled code.
        let capacity = capacity.as_ref().map(|c| self.usize(c)).transpose()?;
        Ok(Box::new(move |f| {
            if let Some(capacity) = &capacity {
                capacity(f)?;
            }
            f.arrays[slot] = element.map_or(Array::Stores(Vec::new()), Array::empty);
            Ok(())
        }))
    }

    fn push(&mut self, a: &Var, x: &Expr) -> Compiled<Action> {
        let (slot, array) = (a.0 as usize, *a);
        Ok(match self.element(*a) {
            Some(scalar) => with_scalar!(scalar, T => {
                let value: Code<T> = self.typed(x)?;
                Box::new(move |f| {
                    let value = value(f)?;
                    f.charge(array, 1)?;
                    if let Some(elements) = T::vec(&mut f.arrays[slot]) {
                        elements.push(value);
                    }
                    Ok(())
                })
            }),
            None => {
                let value = self.store(x)?;
                Box::new(move |f| {
                    let value = value(f)?;
                    f.charge(array, 1)?;
                    if let Array::Stores(stores) = &mut f.arrays[slot] {
                        stores.push(value);
                    }
                    Ok(())
                })
            }
        })
    }

    fn resize(&mut self, array: &Var, len: &Expr, fill: &Expr) -> Compiled<Action> {
        let (len, slot, array) = (self.usize(len)?, array.0 as usize, *array);
        Ok(match self.element(array) {
            Some(scalar) => with_scalar!(scalar, T => {
                let fill: Code<T> = self.typed(fill)?;
                Box::new(move |f| {
                    let (len, fill) = (len(f)?, fill(f)?);
                    let more = len.saturating_sub(f.arrays[slot].len());
                    f.charge(array, more)?;
                    f.tick(more as u64)?;
                    if let Some(elements) = T::vec(&mut f.arrays[slot]) {
                        elements.resize(len, fill);
                    }
                    Ok(())
                })
            }),
            None => {
                let fill = self.store(fill)?;
                Box::new(move |f| {
                    let (len, fill) = (len(f)?, fill(f)?);
                    let more = len.saturating_sub(f.arrays[slot].len());
                    f.charge(array, more)?;
                    if let Array::Stores(stores) = &mut f.arrays[slot] {
                        stores.resize(len, fill);
                    }
                    Ok(())
                })
            }
        })
    }

    fn fill(&mut self, array: &Var, lo: &Expr, hi: &Expr, value: &Expr) -> Compiled<Action> {
        let (lo, hi, array, slot) = (self.usize(lo)?, self.usize(hi)?, *array, array.0 as usize);
        let owned = self.owned[slot];
        Ok(match self.element(array) {
            Some(scalar) => with_scalar!(scalar, T => {
                let value: Code<T> = self.typed(value)?;
                Box::new(move |f| {
                    let (lo, hi) = range(f, array, owned, &lo, &hi)?;
                    let value = value(f)?;
                    if let Some(elements) = T::vec(&mut f.arrays[slot]) {
                        elements[lo..hi].fill(value);
                    }
                    Ok(())
                })
            }),
            None => {
                let value = self.store(value)?;
                Box::new(move |f| {
                    let (lo, hi) = range(f, array, owned, &lo, &hi)?;
                    let value = value(f)?;
                    if let Array::Stores(stores) = &mut f.arrays[slot] {
                        stores[lo..hi].fill(value);
                    }
                    Ok(())
                })
            }
        })
    }

    fn count(&mut self, var: &Var, lo: &Expr, hi: &Expr, body: &Block) -> Compiled<Action> {
        let (lo, hi, slot) = (self.usize(lo)?, self.usize(hi)?, var.0 as usize);
        let body = self.block(body)?;
        Ok(Box::new(move |f| {
            let (lo, hi) = (lo(f)?, hi(f)?);
            for i in lo..hi {
                f.tick(1)?;
                f.scalars[slot] = i as u64;
                match body(f) {
                    Ok(()) => {}
                    Err(Stop::Break) => break,
                    Err(stop) => return Err(stop),
                }
            }
            Ok(())
        }))
    }

    fn repeat(&mut self, condition: &Expr, body: &Block) -> Compiled<Action> {
        let condition: Code<bool> = self.typed(condition)?;
        let body = self.block(body)?;
        Ok(Box::new(move |f| {
            while condition(f)? {
                f.tick(1)?;
                match body(f) {
                    Ok(()) => {}
                    Err(Stop::Break) => break,
                    Err(stop) => return Err(stop),
                }
            }
            Ok(())
        }))
    }

    fn branch(&mut self, arms: &[(Expr, Block)], otherwise: &Block) -> Compiled<Action> {
        let mut arms =
            arms.iter().map(|(c, b)| Ok((self.typed::<bool>(c)?, self.block(b)?))).collect::<Compiled<Vec<_>>>()?;
        let otherwise = self.block(otherwise)?;
        Ok(if arms.len() == 1 {
            let (condition, then) = arms.remove(0);
            Box::new(move |f| if condition(f)? { then(f) } else { otherwise(f) })
        } else {
            Box::new(move |f| {
                for (condition, then) in &arms {
                    if condition(f)? {
                        return then(f);
                    }
                }
                otherwise(f)
            })
        })
    }

    fn sort(&mut self, array: &Var, lo: &Expr, hi: &Expr, keys: &Option<Var>) -> Compiled<Action> {
        let (lo, hi, array) = (self.usize(lo)?, self.usize(hi)?, *array);
        let owned = self.owned[array.0 as usize];
        Ok(match keys {
            None => with_scalar!(self.element(array).unwrap_or(Scalar::Bool), T => {
                Box::new(move |f| {
                    let (lo, hi) = range(f, array, owned, &lo, &hi)?;
                    if let Some(elements) = T::vec(&mut f.arrays[array.0 as usize]) {
                        elements[lo..hi].sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
                    }
                    Ok(())
                })
            }),
            Some(keys) => {
                let keys = *keys;
                with_scalar!(self.element(keys).unwrap_or(Scalar::Bool), T => {
                    Box::new(move |f| {
                        let (lo, hi) = range(f, array, owned, &lo, &hi)?;
                        let mut part = usize::slice(&f.arrays[array.0 as usize])[lo..hi].to_vec();
                        let by = T::slice(&f.arrays[keys.0 as usize]);
                        let len = by.len();
                        if let Some(&bad) = part.iter().find(|&&k| k >= len) {
                            return f.fail(Fault::OutOfBounds(keys, bad, len));
                        }
                        part.sort_by(|&a, &b| by[a].partial_cmp(&by[b]).unwrap_or(std::cmp::Ordering::Equal));
                        if let Some(elements) = usize::vec(&mut f.arrays[array.0 as usize]) {
                            elements[lo..hi].copy_from_slice(&part);
                        }
                        Ok(())
                    })
                })
            }
        })
    }

    fn prefix_sum(&mut self, a: &Var) -> Compiled<Action> {
        let slot = a.0 as usize;
        Ok(Box::new(move |f| {
            f.tick(f.arrays[slot].len() as u64)?;
            let mut sum = 0usize;
            let mut overflow = false;
            if let Some(elements) = usize::vec(&mut f.arrays[slot]) {
                for x in elements {
                    match sum.checked_add(*x) {
                        Some(s) => sum = s,
                        None => overflow = true,
                    }
                    *x = sum;
                }
            }
            if overflow { f.fail(Fault::Overflow) } else { Ok(()) }
        }))
    }

    fn task_counts(&mut self, array: &Var, tasks: &Expr, parents: &Expr, turn: &Turn) -> Compiled<Action> {
        let (tasks, parents) = (self.usize(tasks)?, self.usize(parents)?);
        let (array, turn) = (*array, *turn);
        Ok(Box::new(move |f| {
            let (tasks, parents) = (tasks(f)?, parents(f)?);
            let slot = array.0 as usize;
            let len = f.arrays[slot].len();
            f.tick(len as u64)?;
            let first = usize::from(!matches!(turn, Turn::StartsWithin(_)));
            match tasks.checked_mul(parents).and_then(|all| all.checked_add(first)) {
                Some(all) if all == len => {}
                wanted => return f.fail(Fault::OutOfBounds(array, wanted.unwrap_or(usize::MAX), len)),
            }
            let Some(elements) = usize::vec(&mut f.arrays[slot]) else { return Ok(()) };
            let number = turned(elements, tasks, parents, turn);
            match (turn.declares(), number) {
                (Some(var), Some(number)) => f.scalars[var.0 as usize] = number.encode(),
                (None, _) => {}
                (Some(_), None) => return f.fail(Fault::Overflow),
            }
            Ok(())
        }))
    }

    fn advance(&mut self, c: &Var) -> Compiled<Action> {
        let (slot, c) = (c.0 as usize, *c);
        Ok(Box::new(move |f| {
            match &mut f.cursors[slot] {
                Some(cursor) if cursor.at < cursor.store.coords.len() => cursor.at += 1,
                _ => return f.fail(Fault::CursorAtEnd(c)),
            }
            Ok(())
        }))
    }

    fn rest(&mut self, cursor: &Var, coord: &Var, value: &Option<Var>, body: &Block) -> Compiled<Action> {
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

    fn entries(
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

    fn locate(
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

    fn bind_value(&self, value: Option<Var>) -> Bind {
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

    /// One row after the other.
    fn gather(&mut self, stmt: &Stmt) -> Compiled<Action> {
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

    /// One iteration after the other; each is given its part of the owned arrays and nothing else of them.
    fn parallel(&mut self, stmt: &Stmt) -> Compiled<Action> {
        let Stmt::Parallel { var, domain, owned, scratch, body, .. } = stmt else { return Ok(Box::new(|_| Ok(()))) };
        let shares = owned.iter().map(|o| self.share(o)).collect::<Compiled<Vec<_>>>()?;
        enum Source {
            Range(Code<usize>, Code<usize>),
            Entries(Code<Arc<Store>>),
            Rows(Var, Option<Var>),
            Listed(Code<usize>, Code<usize>, Var, usize),
        }
        let (source, bind) = match domain {
            Domain::Range { lo, hi } => (Source::Range(self.usize(lo)?, self.usize(hi)?), self.bind_value(None)),
            Domain::Entries { store, value } => (Source::Entries(self.store(store)?), self.bind_value(*value)),
            Domain::Rows { matrix, row } => (Source::Rows(*matrix, *row), self.bind_value(*row)),
            Domain::Listed { lo, hi, position, crd } => {
                let source = Source::Listed(self.usize(lo)?, self.usize(hi)?, *crd, position.0 as usize);
                (source, self.bind_value(None))
            }
        };
        for o in owned {
            self.owned[o.array.0 as usize] = true;
        }
        let (scratch, body) = (self.block(scratch)?, self.block(body)?);
        for o in owned {
            self.owned[o.array.0 as usize] = false;
        }
        let slot = var.0 as usize;
        let per_task = self.iterations_per_task;
        Ok(Box::new(move |f| {
            let mut done = 0;
            let mut iteration = |f: &mut Frame, at: Iteration| {
                f.tick(1)?;
                if done == 0 || per_task.is_some_and(|n| done % n.max(1) == 0) {
                    scratch(f)?;
                }
                done += 1;
                f.scalars[slot] = at.number as u64;
                for share in &shares {
                    share(f, at)?;
                }
                body(f)
            };
            match &source {
                Source::Range(lo, hi) => {
                    let (lo, hi) = (lo(f)?, hi(f)?);
                    for i in lo..hi {
                        iteration(f, Iteration { number: i, position: i })?;
                    }
                }
                Source::Listed(lo, hi, crd, position) => {
                    let (lo, hi) = (lo(f)?, hi(f)?);
                    for p in lo..hi {
                        let coords = u32::slice(&f.arrays[crd.0 as usize]);
                        let Some(&i) = coords.get(p) else {
                            let len = coords.len();
                            return f.fail(Fault::OutOfBounds(*crd, p, len));
                        };
                        f.scalars[*position] = p as u64;
                        iteration(f, Iteration { number: i as usize, position: p })?;
                    }
                }
                Source::Rows(matrix, row) => {
                    if let Some(store) = f.stores[matrix.0 as usize].clone() {
                        for k in 0..store.coords.len() {
                            bind(f, &store, k);
                            iteration(f, Iteration { number: store.coords[k], position: k })?;
                        }
                        return Ok(());
                    }
                    for i in 0..f.arrays[matrix.0 as usize].len() {
                        if let (Array::Stores(rows), Some(row)) = (&f.arrays[matrix.0 as usize], row) {
                            f.stores[row.0 as usize] = rows.get(i).cloned();
                        }
                        iteration(f, Iteration { number: i, position: i })?;
                    }
                }
                Source::Entries(store) => {
                    let store = store(f)?;
                    for k in 0..store.coords.len() {
                        bind(f, &store, k);
                        iteration(f, Iteration { number: store.coords[k], position: k })?;
                    }
                }
            }
            Ok(())
        }))
    }

    /// Code that says which part of an array iteration `i` owns.
    fn share(&self, owned: &Owned) -> Compiled<Share> {
        let slot = owned.array.0 as usize;
        Ok(match &owned.partition {
            Partition::Each { offset, stride } => {
                let (offset, stride) = (self.usize(offset)?, self.usize(stride)?);
                Box::new(move |f, at| {
                    let (offset, stride) = (offset(f)?, stride(f)?);
                    let Some(lo) = at.number.checked_mul(stride).and_then(|n| n.checked_add(offset)) else {
                        return f.fail(Fault::Overflow);
                    };
                    let Some(hi) = lo.checked_add(stride) else { return f.fail(Fault::Overflow) };
                    f.owned[slot] = (lo, hi);
                    Ok(())
                })
            }
            Partition::Segments { pos, stride } => {
                let (pos, stride) = (*pos, self.usize(stride)?);
                Box::new(move |f, Iteration { position: p, .. }| {
                    let stride = stride(f)?;
                    let pos_slice = usize::slice(&f.arrays[pos.0 as usize]);
                    match (pos_slice.get(p), p.checked_add(1).and_then(|n| pos_slice.get(n))) {
                        (Some(&lo), Some(&hi)) => {
                            let (Some(lo), Some(hi)) = (lo.checked_mul(stride), hi.checked_mul(stride)) else {
                                return f.fail(Fault::Overflow);
                            };
                            f.owned[slot] = (lo, hi);
                            Ok(())
                        }
                        _ => {
                            let len = pos_slice.len();
                            f.fail(Fault::OutOfBounds(pos, p.saturating_add(1), len))
                        }
                    }
                })
            }
            Partition::Anywhere => Box::new(move |f, _| {
                f.owned[slot] = (0, usize::MAX);
                Ok(())
            }),
            Partition::Positions { stride } => {
                let stride = self.usize(stride)?;
                Box::new(move |f, Iteration { position: p, .. }| {
                    let stride = stride(f)?;
                    let (Some(lo), Some(hi)) =
                        (p.checked_mul(stride), p.checked_add(1).and_then(|p| p.checked_mul(stride)))
                    else {
                        return f.fail(Fault::Overflow);
                    };
                    f.owned[slot] = (lo, hi);
                    Ok(())
                })
            }
        })
    }
}

#[inline]
fn element_mut<T: Prim>(f: &mut Frame, array: Var, i: usize) -> Result<&mut T, Stop> {
    let slot = array.0 as usize;
    let len = f.arrays[slot].len();
    if i >= len {
        return f.fail(Fault::OutOfBounds(array, i, len));
    }
    match T::vec(&mut f.arrays[slot]) {
        Some(elements) => Ok(&mut elements[i]),
        // Unreachable in a checked kernel.
        None => Err(Stop::Fault),
    }
}

/// Evaluates the bounds of a part of an array, checks them and charges for its length; an empty part may lie anywhere.
fn range(f: &mut Frame, array: Var, owned: bool, lo: &Code<usize>, hi: &Code<usize>) -> Result<(usize, usize), Stop> {
    let (lo, hi) = (lo(f)?, hi(f)?);
    if lo >= hi {
        return Ok((0, 0));
    }
    let len = f.arrays[array.0 as usize].len();
    if hi > len {
        return f.fail(Fault::OutOfBounds(array, hi - 1, len));
    }
    if owned {
        f.own(array, lo)?;
        f.own(array, hi - 1)?;
    }
    f.tick((hi - lo) as u64)?;
    Ok((lo, hi))
}

/// Turns the numbers of tasks; what is declared, unless it overflows.
fn turned(elements: &mut Vec<usize>, tasks: usize, parents: usize, turn: Turn) -> Option<usize> {
    let (mut sum, mut most) = (0usize, 0);
    match turn {
        Turn::Starts(_) | Turn::StartsWithin(_) => {
            let (first, within) = match turn {
                Turn::StartsWithin(_) => (0, true),
                _ => (1, false),
            };
            for p in 0..parents {
                sum = if within { 0 } else { sum };
                for task in 0..tasks {
                    let number = &mut elements[first + task * parents + p];
                    sum = sum.checked_add(std::mem::replace(number, sum))?;
                }
                most = most.max(sum);
            }
        }
        Turn::Bounds => {
            let last = tasks.saturating_sub(1) * parents;
            elements.copy_within(1 + last.., 1);
            elements.truncate(1 + parents);
        }
    }
    Some(most)
}

/// The positions of a store's entries, by coordinate if asked to.
fn order(store: &Store, ordered: bool) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..store.coords.len()).collect();
    if ordered && !store.ordered {
        positions.sort_by_key(|&k| store.coords[k]);
    }
    positions
}
