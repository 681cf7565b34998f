//! Statements and blocks: scopes, and what is written.

use super::error::{CheckError, MAX_DEPTH};
use super::scope::{Checked, Checker, State, is_element};
use crate::ir::expr::Expr;
use crate::ir::kernel::Var;
use crate::ir::stmt::{Block, Reduce, Stmt, Turn};
use crate::ir::types::{ArrayType, Element, Scalar, StoreType, Type};

impl Checker<'_> {
    /// A block with a scope of its own.
    pub(super) fn block(&mut self, block: &Block, depth: usize) -> Checked {
        let declared = self.stmts(block, depth)?;
        self.forget(&declared);
        Ok(())
    }

    /// Checks statements and returns what they leave visible behind them.
    pub(super) fn stmts(&mut self, block: &Block, depth: usize) -> Checked<Vec<Var>> {
        if depth > MAX_DEPTH {
            return Err(CheckError::Depth);
        }
        let counted = self.counted.take().filter(|_| block.0.len() == 1);
        let mut declared = Vec::new();
        for (at, stmt) in block.0.iter().enumerate() {
            match (stmt, counted) {
                (Stmt::Along { walked, body }, Some(p)) => self.along(p, walked, body, depth + 1)?,
                (Stmt::Slice { .. }, _) => self.slice(stmt, &block.0[at + 1..])?,
                _ => self.stmt(stmt, depth + 1)?,
            }
            if stmt.blocks().is_empty() {
                declared.extend(stmt.declares());
            }
        }
        Ok(declared)
    }

    /// A block that binds variables and cannot be left by `break`.
    pub(super) fn closure(&mut self, bound: &[Option<Var>], body: &Block, depth: usize) -> Checked {
        let bound: Vec<Var> = bound.iter().flatten().copied().collect();
        for &v in &bound {
            self.declare(v, State::Bound)?;
        }
        let loops = std::mem::take(&mut self.loops);
        self.block(body, depth)?;
        self.loops = loops;
        self.forget(&bound);
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt, depth: usize) -> Checked {
        match stmt {
            Stmt::Comment(_) => {}
            Stmt::Let(v, x) => self.declare_as(v, x)?,
            Stmt::NewArray { var, len, fill } => self.new_array(var, len, fill)?,
            Stmt::NewUncleared { var, len } => {
                self.index(len, 0)?;
                match self.ty(*var)?.array_scalar() {
                    Some(_) => self.declare(*var, State::Uncleared)?,
                    None => return self.wrong_type(*var, "an array of scalars"),
                }
            }
            Stmt::NewLocal { var, .. } => match self.ty(*var)? {
                Type::Array(ArrayType { element: Element::Scalar(_), growable: false }) => {
                    self.declare(*var, State::Mutable)?;
                }
                _ => return self.wrong_type(*var, "an array of scalars that does not grow"),
            },
            Stmt::CopyArray { var, from, len } => self.copy_array(var, from, len)?,
            Stmt::NewVec { var, capacity } => self.new_vec(var, capacity)?,
            Stmt::Numbers { var, len } => {
                self.new_vec(var, &Some(len.clone()))?;
                self.array_of_usize(*var)?;
            }
            Stmt::Assign(v, x) => {
                self.writable(*v, false)?;
                match self.ty(*v)? {
                    Type::Scalar(s) => self.scalar(x, *s, "the value")?,
                    _ => return self.wrong_type(*v, "a scalar"),
                }
            }
            Stmt::Update(v, op, x) => self.update(v, op, x)?,
            Stmt::Store(a, i, x) => {
                let element = self.elements(*a)?.element.clone();
                self.writable(*a, true)?;
                self.index(i, 0)?;
                self.element(x, &element, "the value")?;
            }
            Stmt::StoreUpdate(a, i, op, x) => self.update_element(a, i, op, x)?,
            Stmt::Push(a, x) => {
                let made = self.live(*a)? == State::Made;
                let element = if made { self.array(*a)? } else { self.growable(*a)? }.element.clone();
                self.element(x, &element, "the value")?;
            }
            Stmt::Resize { array, len, fill } => {
                let element = self.growable(*array)?.element.clone();
                self.index(len, 0)?;
                self.element(fill, &element, "the value")?;
            }
            Stmt::Fill { array, lo, hi, value } => self.fill(array, lo, hi, value)?,
            Stmt::CopyPart { array, at, from, first, .. } => self.copy_part(*array, at, *from, first)?,
            Stmt::For { var, lo, hi, body } => self.count(var, lo, hi, body, depth)?,
            // Parts have been checked with what stands behind them.
            Stmt::Slice { .. } => {}
            Stmt::Along { .. } => return Err(CheckError::Along),
            Stmt::While(condition, body) => self.repeat(condition, body, depth)?,
            Stmt::If { arms, otherwise } => self.branch(arms, otherwise, depth)?,
            Stmt::Break => {
                if self.loops == 0 {
                    return Err(CheckError::Break);
                }
            }
            Stmt::Parallel { .. } => self.parallel(stmt, depth)?,
            Stmt::Sort { array, lo, hi, keys } => self.sort(array, lo, hi, keys)?,
            Stmt::PrefixSum(a) => {
                self.array_of_usize(*a)?;
                self.writable(*a, false)?;
            }
            Stmt::TaskCounts { array, tasks, parents, turn } => self.task_counts(array, tasks, parents, turn)?,
            Stmt::OpenCursor { cursor: v, store, .. } => {
                let store = self.store(store)?;
                if *self.ty(*v)? != Type::Cursor(store.clone()) {
                    return self.wrong_type(*v, Type::Cursor(store));
                }
                self.declare(*v, State::Mutable)?;
            }
            Stmt::Advance(c) => {
                self.cursor(*c)?;
                self.writable(*c, false)?;
            }
            Stmt::Rest { cursor, coord, value, body } => self.rest(cursor, coord, value, body, depth)?,
            Stmt::ForEntries { store, coord, value, fold, body, .. } => {
                self.entries(store, coord, value, fold, body, depth)?
            }
            Stmt::Gather { .. } => self.gather(stmt, depth)?,
            Stmt::FindRows { finder, matrix } => self.find_rows(finder, matrix)?,
            Stmt::Locate { store, coord, value, then, otherwise } => {
                self.locate(store, coord, value, then, otherwise, depth)?
            }
        }
        Ok(())
    }

    fn declare_as(&mut self, v: &Var, x: &Expr) -> Checked {
        let found = self.expr(x, 0)?;
        if found != *self.ty(*v)? {
            return Self::mismatch(&format!("`{}`", self.name(*v)), self.ty(*v)?, found);
        }
        let state = if matches!(found, Type::Scalar(_)) { State::Mutable } else { State::Bound };
        self.declare(*v, state)?;
        Ok(())
    }

    fn new_array(&mut self, var: &Var, len: &Expr, fill: &Expr) -> Checked {
        self.index(len, 0)?;
        match self.ty(*var)? {
            Type::Array(a) => self.element(fill, &a.element.clone(), "an element")?,
            _ => return self.wrong_type(*var, "an array"),
        }
        self.declare(*var, State::Mutable)?;
        Ok(())
    }

    fn copy_array(&mut self, var: &Var, from: &Var, len: &Expr) -> Checked {
        self.index(len, 0)?;
        let own = self.array(*from)?.element.clone();
        match self.ty(*var)? {
            Type::Array(a) if a.element == own && matches!(own, Element::Scalar(_)) => {}
            other => {
                return Self::mismatch(&format!("`{}`", self.name(*var)), "an array like the other", other);
            }
        }
        self.declare(*var, State::Mutable)?;
        Ok(())
    }

    fn new_vec(&mut self, var: &Var, capacity: &Option<Expr>) -> Checked {
        if let Some(capacity) = capacity {
            self.index(capacity, 0)?;
        }
        match self.ty(*var)? {
            Type::Array(a) if a.growable => {}
            _ => return self.wrong_type(*var, "a growable array"),
        }
        self.declare(*var, State::Mutable)?;
        Ok(())
    }

    fn update(&mut self, v: &Var, op: &Reduce, x: &Expr) -> Checked {
        let scalar = match self.ty(*v)? {
            Type::Scalar(s) => *s,
            _ => return self.wrong_type(*v, "a scalar"),
        };
        self.fold(*op, scalar)?;
        self.scalar(x, scalar, "the value")?;
        match self.live(*v)? {
            State::Folded(declared) if declared == *op => {}
            _ => self.writable(*v, false)?,
        }
        Ok(())
    }

    fn update_element(&mut self, a: &Var, i: &Expr, op: &Reduce, x: &Expr) -> Checked {
        let scalar = match &self.elements(*a)?.element {
            Element::Scalar(s) => *s,
            other => return Self::mismatch(&format!("`{}`", self.name(*a)), "an array of scalars", other),
        };
        self.writable(*a, true)?;
        self.fold(*op, scalar)?;
        self.index(i, 0)?;
        self.scalar(x, scalar, "the value")?;
        Ok(())
    }

    fn fill(&mut self, array: &Var, lo: &Expr, hi: &Expr, value: &Expr) -> Checked {
        let element = self.array(*array)?.element.clone();
        self.writable(*array, true)?;
        self.index(lo, 0)?;
        self.index(hi, 0)?;
        self.element(value, &element, "the value")?;
        Ok(())
    }

    fn copy_part(&self, array: Var, at: &Expr, from: Var, first: &Expr) -> Checked {
        let element = &self.array(from)?.element;
        if !matches!(element, Element::Scalar(_)) {
            return self.wrong_type(from, "an array of scalars");
        }
        if self.array(array)?.element != *element {
            return self.wrong_type(array, format!("an array of {element}"));
        }
        if array == from {
            return Err(CheckError::Read { name: self.name(from), reason: "it is the array that is written" });
        }
        self.writable(array, true)?;
        self.index(at, 0)?;
        self.index(first, 0)
    }

    fn count(&mut self, var: &Var, lo: &Expr, hi: &Expr, body: &Block, depth: usize) -> Checked {
        self.index(lo, 0)?;
        self.index(hi, 0)?;
        self.counter(*var)?;
        self.declare(*var, State::Bound)?;
        self.loops += 1;
        self.counted = Some(*var);
        self.block(body, depth)?;
        self.loops -= 1;
        self.forget(&[*var]);
        Ok(())
    }

    fn repeat(&mut self, condition: &Expr, body: &Block, depth: usize) -> Checked {
        self.scalar(condition, Scalar::Bool, "a condition")?;
        self.loops += 1;
        self.block(body, depth)?;
        self.loops -= 1;
        Ok(())
    }

    fn branch(&mut self, arms: &[(Expr, Block)], otherwise: &Block, depth: usize) -> Checked {
        for (condition, body) in arms {
            self.scalar(condition, Scalar::Bool, "a condition")?;
            self.block(body, depth)?;
        }
        self.block(otherwise, depth)?;
        Ok(())
    }

    fn sort(&mut self, array: &Var, lo: &Expr, hi: &Expr, keys: &[Var]) -> Checked {
        self.array_of_integers(*array)?;
        self.writable(*array, true)?;
        self.index(lo, 0)?;
        self.index(hi, 0)?;
        for key in keys {
            self.array_of_usize(*array)?;
            self.array_of_integers(*key)?;
        }
        Ok(())
    }

    fn task_counts(&mut self, array: &Var, tasks: &Expr, parents: &Expr, turn: &Turn) -> Checked {
        self.array_of_usize(*array)?;
        self.growable(*array)?;
        self.writable(*array, false)?;
        self.index(tasks, 0)?;
        self.index(parents, 0)?;
        if let Some(var) = turn.declares() {
            self.counter(var)?;
            self.declare(var, State::Mutable)?;
        }
        Ok(())
    }

    pub(super) fn entry(&self, coord: Var, value: Option<Var>, store: &StoreType) -> Checked {
        self.counter(coord)?;
        let Some(value) = value else { return Ok(()) };
        if is_element(self.ty(value)?, &store.element) { Ok(()) } else { self.wrong_type(value, &store.element) }
    }

    fn rest(&mut self, cursor: &Var, coord: &Var, value: &Option<Var>, body: &Block, depth: usize) -> Checked {
        let store = self.cursor(*cursor)?.clone();
        self.writable(*cursor, false)?;
        self.entry(*coord, *value, &store)?;
        if body.mentions(*cursor) {
            return Err(CheckError::Read { name: self.name(*cursor), reason: "it is being run to its end" });
        }
        self.closure(&[Some(*coord), *value], body, depth)?;
        Ok(())
    }

    fn entries(
        &mut self,
        store: &Expr,
        coord: &Var,
        value: &Option<Var>,
        fold: &Option<(Var, Reduce)>,
        body: &Block,
        depth: usize,
    ) -> Checked {
        let store = self.store(store)?;
        if let Some((v, op)) = fold {
            self.folded(*v, *op)?;
        }
        self.entry(*coord, *value, &store)?;
        self.closure(&[Some(*coord), *value], body, depth)?;
        Ok(())
    }

    fn find_rows(&mut self, finder: &Var, matrix: &Var) -> Checked {
        let row = self.row_type(*matrix)?;
        if self.ty(*finder)? != self.ty(*matrix)? {
            return self.wrong_type(*finder, format!("rows {row}"));
        }
        self.declare(*finder, State::Bound)?;
        Ok(())
    }

    fn locate(
        &mut self,
        store: &Expr,
        coord: &Expr,
        value: &Option<Var>,
        then: &Block,
        otherwise: &Block,
        depth: usize,
    ) -> Checked {
        let store = self.store(store)?;
        self.index(coord, 0)?;
        if let Some(value) = value {
            if !is_element(self.ty(*value)?, &store.element) {
                return self.wrong_type(*value, &store.element);
            }
            self.declare(*value, State::Bound)?;
        }
        self.block(then, depth)?;
        self.forget(&value.iter().copied().collect::<Vec<_>>());
        self.block(otherwise, depth)?;
        Ok(())
    }
}
