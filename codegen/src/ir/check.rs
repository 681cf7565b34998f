//! What must hold of a kernel before either backend sees it: declarations, scopes, types, and who may write where.
//!
//! Lowering is expected to produce valid kernels, so an error here is a mistake in the compiler (or in a level that somebody
//! plugged in), in the kernel's terms.

use std::collections::HashMap;

use super::expr::{BinaryOp, Expr, UnaryOp};
use super::kernel::{Access, Kernel, Var};
use super::stmt::{Block, Domain, Partition, Reduce, Stmt, Turn};
use super::types::{ArrayType, Element, Scalar, StoreType, Type};

/// How deep expressions and blocks may be nested.
pub const MAX_DEPTH: usize = 200;

/// Why a kernel is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// A variable is used where it is not declared.
    #[error("`{0}` is used where it is not declared")]
    Undeclared(String),
    /// A variable is declared a second time.
    #[error("`{0}` is declared twice")]
    Redeclared(String),
    /// An expression is of another type than its place asks for.
    #[error("{place} must be {expected}, not {found}")]
    Type {
        /// Where.
        place: String,
        /// What would be right.
        expected: String,
        /// What is there.
        found: String,
    },
    /// An operator is applied to a type that does not have it.
    #[error("there is no `{op}` for {ty}")]
    Operator {
        /// The operator.
        op: String,
        /// The type.
        ty: String,
    },
    /// Something is written that must not be.
    #[error("`{name}` is written, but {reason}")]
    Write {
        /// The variable.
        name: String,
        /// Why it must not be written.
        reason: &'static str,
    },
    /// Something is read that must not be.
    #[error("`{name}` is read, but {reason}")]
    Read {
        /// The variable.
        name: String,
        /// Why it must not be read.
        reason: &'static str,
    },
    /// A `break` outside of any loop that can be left.
    #[error("`break` outside of a `for` or `while`")]
    Break,
    /// A parallel loop inside another one.
    #[error("a parallel loop inside a parallel loop")]
    NestedParallel,
    /// Nested deeper than [`MAX_DEPTH`].
    #[error("nested more than {MAX_DEPTH} levels deep")]
    Depth,
}

impl Kernel {
    /// Checks declarations, scopes, types and writes.
    ///
    /// # Errors
    ///
    /// The first violation found.
    pub fn check(&self) -> Result<(), CheckError> {
        let mut checker = Checker { kernel: self, state: HashMap::new(), loops: 0, parallel: None };
        for (access, field) in self.param_fields() {
            let array = !matches!(self.kernel_type(field.var)?, Type::Scalar(_) | Type::Store(_));
            let state = if access == Access::Write && array { State::Mutable } else { State::Param };
            checker.declare(field.var, state)?;
        }
        for check in &self.checks {
            checker.scalar(&check.left, Scalar::Usize, "an extent")?;
            checker.scalar(&check.right, Scalar::Usize, "an extent")?;
        }
        let declared = checker.stmts(&self.body, 0)?;
        for field in self.result_fields() {
            if !declared.contains(&field.var) {
                return Err(CheckError::Undeclared(self.name_of(field.var)));
            }
        }
        Ok(())
    }

    fn name_of(&self, var: Var) -> String {
        self.vars.get(var).map_or_else(|| format!("variable {}", var.0), |info| info.name.clone())
    }

    fn kernel_type(&self, var: Var) -> Result<&Type, CheckError> {
        self.vars.get(var).map(|info| &info.ty).ok_or_else(|| CheckError::Undeclared(self.name_of(var)))
    }
}

/// What may be done with a variable.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// Read only: a parameter.
    Param,
    /// Read only: bound by a loop or a look-up.
    Bound,
    /// Everything.
    Mutable,
    /// From outside of the parallel loop that we are in: read only.
    Outside,
    /// Belongs in parts to the iterations of the parallel loop that we are in.
    Owned,
    /// Folded into by the parallel loop that we are in.
    Folded(Reduce),
    /// Out of scope, or used up.
    Gone,
}

struct Checker<'a> {
    kernel: &'a Kernel,
    state: HashMap<Var, State>,
    /// Loops around us that `break` could leave.
    loops: usize,
    /// Whether we are inside a parallel loop.
    parallel: Option<()>,
}

type Checked<T = ()> = Result<T, CheckError>;

impl Checker<'_> {
    fn name(&self, var: Var) -> String {
        self.kernel.name_of(var)
    }

    fn ty(&self, var: Var) -> Checked<&Type> {
        self.kernel.kernel_type(var)
    }

    fn declare(&mut self, var: Var, state: State) -> Checked {
        self.ty(var)?;
        match self.state.insert(var, state) {
            None => Ok(()),
            Some(_) => Err(CheckError::Redeclared(self.name(var))),
        }
    }

    fn forget(&mut self, vars: &[Var]) {
        for &v in vars {
            self.state.insert(v, State::Gone);
        }
    }

    fn live(&self, var: Var) -> Checked<State> {
        match self.state.get(&var) {
            None | Some(State::Gone) => Err(CheckError::Undeclared(self.name(var))),
            Some(&state) => Ok(state),
        }
    }

    fn mismatch<T>(place: &str, expected: impl ToString, found: impl ToString) -> Checked<T> {
        Err(CheckError::Type { place: place.into(), expected: expected.to_string(), found: found.to_string() })
    }

    fn no_operator<T>(op: impl std::fmt::Debug, ty: Scalar) -> Checked<T> {
        Err(CheckError::Operator { op: format!("{op:?}").to_lowercase(), ty: ty.to_string() })
    }

    /// An array that is in scope.
    fn array(&self, var: Var) -> Checked<&ArrayType> {
        self.live(var)?;
        match self.ty(var)? {
            Type::Array(a) => Ok(a),
            other => Self::mismatch(&format!("`{}`", self.name(var)), "an array", other),
        }
    }

    fn array_of_integers(&self, var: Var) -> Checked {
        match &self.array(var)?.element {
            Element::Scalar(s) if s.is_integer() => Ok(()),
            other => Self::mismatch(&format!("`{}`", self.name(var)), "an array of integers", other),
        }
    }

    fn array_of_usize(&self, var: Var) -> Checked {
        match &self.array(var)?.element {
            Element::Scalar(Scalar::Usize) => Ok(()),
            other => Self::mismatch(&format!("`{}`", self.name(var)), "an array of usize", other),
        }
    }

    fn store(&self, expr: &Expr) -> Checked<StoreType> {
        match self.expr(expr, 0)? {
            Type::Store(s) => Ok(s),
            other => Self::mismatch(&self.kernel.show_expr(expr), "a store", other),
        }
    }

    fn cursor(&self, var: Var) -> Checked<&StoreType> {
        self.live(var)?;
        match self.ty(var)? {
            Type::Cursor(s) => Ok(s),
            other => Self::mismatch(&format!("`{}`", self.name(var)), "a cursor", other),
        }
    }

    fn writable(&self, var: Var, in_place: bool) -> Checked {
        let reason = match self.live(var)? {
            State::Mutable => return Ok(()),
            State::Owned if in_place => return Ok(()),
            State::Owned => "inside a parallel loop only elements may change, not lengths",
            State::Param => "is a parameter that is only read",
            State::Bound => "is bound by a loop or a look-up",
            State::Outside => "belongs to the outside of a parallel loop that does not own it",
            State::Folded(_) => "is folded into by a parallel loop",
            State::Gone => "is out of scope",
        };
        Err(CheckError::Write { name: self.name(var), reason })
    }

    fn growable(&self, var: Var) -> Checked<&ArrayType> {
        let array = self.array(var)?;
        if !array.growable {
            return Self::mismatch(&format!("`{}`", self.name(var)), "a growable array", self.ty(var)?);
        }
        self.writable(var, false)?;
        Ok(array)
    }

    fn scalar(&self, expr: &Expr, expected: Scalar, place: &str) -> Checked {
        match self.expr(expr, 0)? {
            Type::Scalar(s) if s == expected => Ok(()),
            other => Self::mismatch(&format!("{place} `{}`", self.kernel.show_expr(expr)), expected, other),
        }
    }

    fn any_scalar(&self, expr: &Expr, depth: usize) -> Checked<Scalar> {
        match self.expr(expr, depth)? {
            Type::Scalar(s) => Ok(s),
            other => Self::mismatch(&format!("`{}`", self.kernel.show_expr(expr)), "a scalar", other),
        }
    }

    fn element(&self, expr: &Expr, expected: &Element, place: &str) -> Checked {
        let found = self.expr(expr, 0)?;
        let same = match (&found, expected) {
            (Type::Scalar(s), Element::Scalar(e)) => s == e,
            (Type::Store(s), Element::Store(e)) => *s == **e,
            _ => false,
        };
        if same {
            Ok(())
        } else {
            Self::mismatch(&format!("{place} `{}`", self.kernel.show_expr(expr)), expected, found)
        }
    }

    fn expr(&self, expr: &Expr, depth: usize) -> Checked<Type> {
        if depth > MAX_DEPTH {
            return Err(CheckError::Depth);
        }
        let depth = depth + 1;
        let scalar = match expr {
            Expr::Literal(l) => l.scalar(),
            Expr::Var(v) => {
                if let State::Folded(_) = self.live(*v)? {
                    return Err(CheckError::Read {
                        name: self.name(*v),
                        reason: "inside a parallel loop it is only folded into",
                    });
                }
                match self.ty(*v)? {
                    ty @ (Type::Scalar(_) | Type::Store(_)) => return Ok(ty.clone()),
                    other => return Self::mismatch(&format!("`{}`", self.name(*v)), "a scalar or a store", other),
                }
            }
            Expr::Load(a, i) => {
                let array = self.array(*a)?;
                self.index(i, depth)?;
                return match &array.element {
                    Element::Scalar(s) => Ok(Type::Scalar(*s)),
                    Element::Store(s) => Ok(Type::Store((**s).clone())),
                    Element::Pattern => {
                        Self::mismatch(&format!("`{}`", self.name(*a)), "an array of something", "pattern")
                    }
                };
            }
            Expr::Len(a) => {
                self.array(*a)?;
                if self.live(*a)? == State::Owned {
                    return Err(CheckError::Read {
                        name: self.name(*a),
                        reason: "a parallel loop that owns parts of it cannot ask for its length",
                    });
                }
                Scalar::Usize
            }
            Expr::Seek { array, from, to, coord } => {
                let of = self.array(*array)?;
                if !matches!(of.element, Element::Scalar(Scalar::U32 | Scalar::Usize)) {
                    return Self::mismatch(
                        &format!("`{}`", self.name(*array)),
                        "an array of u32 or usize",
                        Type::Array(of.clone()),
                    );
                }
                for position in [from, to, coord] {
                    self.index(position, depth)?;
                }
                Scalar::Usize
            }
            Expr::Unary(op, x) => {
                let s = self.any_scalar(x, depth)?;
                let exists = match op {
                    UnaryOp::Neg | UnaryOp::Abs => s.is_signed(),
                    UnaryOp::Not => !s.is_float(),
                    UnaryOp::Sqrt => s.is_float(),
                };
                if !exists {
                    return Self::no_operator(op, s);
                }
                s
            }
            Expr::Binary(op, x, y) => {
                let (s, t) = (self.any_scalar(x, depth)?, self.any_scalar(y, depth)?);
                if s != t {
                    return Self::mismatch(&format!("the right side of `{}`", self.kernel.show_expr(expr)), s, t);
                }
                use BinaryOp::*;
                let exists = match op {
                    Add | Sub | Mul | Div | Rem | Min | Max => s != Scalar::Bool,
                    Shl | Shr => s.is_integer(),
                    And | Or | Xor => !s.is_float(),
                    Eq | Ne | Lt | Le | Gt | Ge => true,
                };
                if !exists {
                    return Self::no_operator(op, s);
                }
                if op.is_comparison() { Scalar::Bool } else { s }
            }
            Expr::Select(c, x, y) => {
                if self.any_scalar(c, depth)? != Scalar::Bool {
                    return Self::mismatch("a condition", "bool", self.any_scalar(c, depth)?);
                }
                let (s, t) = (self.any_scalar(x, depth)?, self.any_scalar(y, depth)?);
                if s != t {
                    return Self::mismatch(&format!("the other side of `{}`", self.kernel.show_expr(expr)), s, t);
                }
                s
            }
            Expr::Cast(to, x) => {
                self.any_scalar(x, depth)?;
                *to
            }
            Expr::Call(_, args, result) => {
                for arg in args {
                    self.any_scalar(arg, depth)?;
                }
                *result
            }
            Expr::CursorValid(c) => {
                self.cursor(*c)?;
                Scalar::Bool
            }
            Expr::CursorCoord(c) => {
                self.cursor(*c)?;
                Scalar::Usize
            }
            Expr::CursorValue(c) => {
                return match &self.cursor(*c)?.element {
                    Element::Scalar(s) => Ok(Type::Scalar(*s)),
                    Element::Store(s) => Ok(Type::Store((**s).clone())),
                    Element::Pattern => {
                        Self::mismatch(&format!("`{}`", self.name(*c)), "a cursor with values", "pattern")
                    }
                };
            }
            Expr::Tasks(work) => {
                self.index(work, depth)?;
                Scalar::Usize
            }
            Expr::Build { store, coords, values, lo, hi } => {
                self.index(lo, depth)?;
                self.index(hi, depth)?;
                if self.array(*coords)?.element != Element::Scalar(store.coord) {
                    return Self::mismatch(
                        &format!("`{}`", self.name(*coords)),
                        format!("an array of {}", store.coord),
                        self.ty(*coords)?,
                    );
                }
                match values {
                    Some(values) if self.array(*values)?.element != store.element => {
                        return Self::mismatch(
                            &format!("`{}`", self.name(*values)),
                            format!("an array of {}", store.element),
                            self.ty(*values)?,
                        );
                    }
                    None if store.element != Element::Pattern => {
                        return Self::mismatch("the values of a store", &store.element, "missing");
                    }
                    _ => {}
                }
                return Ok(Type::Store(store.clone()));
            }
        };
        Ok(Type::Scalar(scalar))
    }

    fn index(&self, expr: &Expr, depth: usize) -> Checked {
        match self.expr(expr, depth)? {
            Type::Scalar(Scalar::Usize) => Ok(()),
            other => Self::mismatch(&format!("the position `{}`", self.kernel.show_expr(expr)), Scalar::Usize, other),
        }
    }

    fn fold(&self, op: Reduce, scalar: Scalar) -> Checked {
        match op.identity(scalar) {
            Some(_) => Ok(()),
            None => Self::no_operator(op, scalar),
        }
    }

    /// A block with a scope of its own.
    fn block(&mut self, block: &Block, depth: usize) -> Checked {
        let declared = self.stmts(block, depth)?;
        self.forget(&declared);
        Ok(())
    }

    /// Checks statements and returns what they leave visible behind them.
    fn stmts(&mut self, block: &Block, depth: usize) -> Checked<Vec<Var>> {
        if depth > MAX_DEPTH {
            return Err(CheckError::Depth);
        }
        let mut declared = Vec::new();
        for stmt in &block.0 {
            self.stmt(stmt, depth + 1)?;
            if stmt.blocks().is_empty() {
                declared.extend(stmt.declares());
            }
        }
        Ok(declared)
    }

    /// A block that binds variables and cannot be left by `break`.
    fn closure(&mut self, bound: &[Option<Var>], body: &Block, depth: usize) -> Checked {
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

    fn entry(&self, coord: Var, value: Option<Var>, store: &StoreType) -> Checked {
        if *self.ty(coord)? != Type::Scalar(Scalar::Usize) {
            return Self::mismatch(&format!("`{}`", self.name(coord)), Scalar::Usize, self.ty(coord)?);
        }
        let Some(value) = value else { return Ok(()) };
        let same = match (self.ty(value)?, &store.element) {
            (Type::Scalar(s), Element::Scalar(e)) => s == e,
            (Type::Store(s), Element::Store(e)) => *s == **e,
            _ => false,
        };
        if same { Ok(()) } else { Self::mismatch(&format!("`{}`", self.name(value)), &store.element, self.ty(value)?) }
    }

    fn stmt(&mut self, stmt: &Stmt, depth: usize) -> Checked {
        match stmt {
            Stmt::Comment(_) => {}
            Stmt::Let(v, x) => self.declare_as(v, x)?,
            Stmt::NewArray { var, len, fill } => self.new_array(var, len, fill)?,
            Stmt::CopyArray { var, from, len } => self.copy_array(var, from, len)?,
            Stmt::NewVec { var, capacity } => self.new_vec(var, capacity)?,
            Stmt::Assign(v, x) => {
                self.writable(*v, false)?;
                match self.ty(*v)? {
                    Type::Scalar(s) => self.scalar(x, *s, "the value")?,
                    other => return Self::mismatch(&format!("`{}`", self.name(*v)), "a scalar", other),
                }
            }
            Stmt::Update(v, op, x) => self.update(v, op, x)?,
            Stmt::Store(a, i, x) => {
                let element = self.array(*a)?.element.clone();
                self.writable(*a, true)?;
                self.index(i, 0)?;
                self.element(x, &element, "the value")?;
            }
            Stmt::StoreUpdate(a, i, op, x) => self.update_element(a, i, op, x)?,
            Stmt::Push(a, x) => {
                let element = self.growable(*a)?.element.clone();
                self.element(x, &element, "the value")?;
            }
            Stmt::Resize { array, len, fill } => {
                let element = self.growable(*array)?.element.clone();
                self.index(len, 0)?;
                self.element(fill, &element, "the value")?;
            }
            Stmt::Fill { array, lo, hi, value } => self.fill(array, lo, hi, value)?,
            Stmt::For { var, lo, hi, body } => self.count(var, lo, hi, body, depth)?,
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
            Stmt::OpenCursor(v, x) => {
                let store = self.store(x)?;
                if *self.ty(*v)? != Type::Cursor(store.clone()) {
                    return Self::mismatch(&format!("`{}`", self.name(*v)), Type::Cursor(store), self.ty(*v)?);
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

    fn fill(&mut self, array: &Var, lo: &Expr, hi: &Expr, value: &Expr) -> Checked {
        let element = self.array(*array)?.element.clone();
        self.writable(*array, true)?;
        self.index(lo, 0)?;
        self.index(hi, 0)?;
        self.element(value, &element, "the value")?;
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
            other => return Self::mismatch(&format!("`{}`", self.name(*var)), "an array", other),
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
            other => return Self::mismatch(&format!("`{}`", self.name(*var)), "a growable array", other),
        }
        self.declare(*var, State::Mutable)?;
        Ok(())
    }

    fn update(&mut self, v: &Var, op: &Reduce, x: &Expr) -> Checked {
        let scalar = match self.ty(*v)? {
            Type::Scalar(s) => *s,
            other => return Self::mismatch(&format!("`{}`", self.name(*v)), "a scalar", other),
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
        let scalar = match &self.array(*a)?.element {
            Element::Scalar(s) => *s,
            other => return Self::mismatch(&format!("`{}`", self.name(*a)), "an array of scalars", other),
        };
        self.writable(*a, true)?;
        self.fold(*op, scalar)?;
        self.index(i, 0)?;
        self.scalar(x, scalar, "the value")?;
        Ok(())
    }

    fn count(&mut self, var: &Var, lo: &Expr, hi: &Expr, body: &Block, depth: usize) -> Checked {
        self.index(lo, 0)?;
        self.index(hi, 0)?;
        if *self.ty(*var)? != Type::Scalar(Scalar::Usize) {
            return Self::mismatch(&format!("`{}`", self.name(*var)), Scalar::Usize, self.ty(*var)?);
        }
        self.declare(*var, State::Bound)?;
        self.loops += 1;
        self.block(body, depth)?;
        self.loops -= 1;
        self.forget(&[*var]);
        Ok(())
    }

    fn sort(&mut self, array: &Var, lo: &Expr, hi: &Expr, keys: &Option<Var>) -> Checked {
        self.array_of_integers(*array)?;
        self.writable(*array, true)?;
        self.index(lo, 0)?;
        self.index(hi, 0)?;
        if let Some(keys) = keys {
            self.array_of_usize(*array)?;
            self.array_of_integers(*keys)?;
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
            if *self.ty(var)? != Type::Scalar(Scalar::Usize) {
                return Self::mismatch(&format!("`{}`", self.name(var)), Scalar::Usize, self.ty(var)?);
            }
            self.declare(var, State::Mutable)?;
        }
        Ok(())
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
            self.writable(*v, false)?;
            match self.ty(*v)? {
                Type::Scalar(s) => self.fold(*op, *s)?,
                other => return Self::mismatch(&format!("`{}`", self.name(*v)), "a scalar", other),
            }
        }
        self.entry(*coord, *value, &store)?;
        self.closure(&[Some(*coord), *value], body, depth)?;
        Ok(())
    }

    fn find_rows(&mut self, finder: &Var, matrix: &Var) -> Checked {
        let row = self.row_type(*matrix)?;
        if self.ty(*finder)? != self.ty(*matrix)? {
            return Self::mismatch(&format!("`{}`", self.name(*finder)), format!("rows {row}"), self.ty(*finder)?);
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
            let same = match (self.ty(*value)?, &store.element) {
                (Type::Scalar(s), Element::Scalar(e)) => s == e,
                (Type::Store(s), Element::Store(e)) => *s == **e,
                _ => false,
            };
            if !same {
                return Self::mismatch(&format!("`{}`", self.name(*value)), &store.element, self.ty(*value)?);
            }
            self.declare(*value, State::Bound)?;
        }
        self.block(then, depth)?;
        self.forget(&value.iter().copied().collect::<Vec<_>>());
        self.block(otherwise, depth)?;
        Ok(())
    }

    /// The type of a matrix's rows.
    fn row_type(&self, matrix: Var) -> Checked<StoreType> {
        self.live(matrix)?;
        match self.ty(matrix)? {
            Type::Array(ArrayType { element: Element::Store(row), .. })
            | Type::Store(StoreType { element: Element::Store(row), .. }) => Ok((**row).clone()),
            other => Self::mismatch(&format!("`{}`", self.name(matrix)), "a matrix whose rows are stores", other),
        }
    }

    fn row(&self, row: Var, of: &StoreType) -> Checked {
        match self.ty(row)? {
            Type::Store(own) if own == of => Ok(()),
            other => Self::mismatch(&format!("`{}`", self.name(row)), of, other),
        }
    }

    fn gather(&mut self, stmt: &Stmt, depth: usize) -> Checked {
        let Stmt::Gather { matrix, coord, row, body, flag, value, crd, vals } = stmt else { return Ok(()) };
        let of = self.row_type(*matrix)?;
        self.row(*row, &of)?;
        if *self.ty(*coord)? != Type::Scalar(Scalar::Usize) {
            return Self::mismatch(&format!("`{}`", self.name(*coord)), Scalar::Usize, self.ty(*coord)?);
        }
        if self.growable(*crd)?.element != Element::Scalar(Scalar::U32) {
            return Self::mismatch(&format!("`{}`", self.name(*crd)), "an array of u32", self.ty(*crd)?);
        }
        let element = self.growable(*vals)?.element.clone();
        // Rows may be computed at the same time: what is outside is only read.
        let before = self.state.clone();
        for state in self.state.values_mut() {
            if *state == State::Mutable {
                *state = State::Outside;
            }
        }
        for array in [crd, vals] {
            self.state.insert(*array, State::Gone);
        }
        for v in [coord, row] {
            self.declare(*v, State::Bound)?;
        }
        let loops = std::mem::take(&mut self.loops);
        self.stmts(body, depth)?;
        self.loops = loops;
        self.scalar(&Expr::Var(*flag), Scalar::Bool, "the flag")?;
        self.element(value, &element, "the value")?;
        let declared: Vec<Var> = self.state.keys().filter(|v| !before.contains_key(v)).copied().collect();
        self.forget(&declared);
        for (v, state) in before {
            self.state.insert(v, state);
        }
        Ok(())
    }

    fn parallel(&mut self, stmt: &Stmt, depth: usize) -> Checked {
        let Stmt::Parallel { var, domain, owned, reductions, work, scratch, body } = stmt else { return Ok(()) };
        if let Some(weights) = work.weights {
            self.array_of_usize(weights)?;
        }
        if self.parallel.is_some() {
            return Err(CheckError::NestedParallel);
        }
        let mut bound = vec![Some(*var)];
        match domain {
            Domain::Range { lo, hi } => {
                self.index(lo, 0)?;
                self.index(hi, 0)?;
                if *self.ty(*var)? != Type::Scalar(Scalar::Usize) {
                    return Self::mismatch(&format!("`{}`", self.name(*var)), Scalar::Usize, self.ty(*var)?);
                }
            }
            Domain::Entries { store, value } => {
                let store = self.store(store)?;
                self.entry(*var, *value, &store)?;
                bound.push(*value);
            }
            Domain::Rows { matrix, row } => {
                let of = self.row_type(*matrix)?;
                if let Some(row) = row {
                    self.row(*row, &of)?;
                }
                if *self.ty(*var)? != Type::Scalar(Scalar::Usize) {
                    return Self::mismatch(&format!("`{}`", self.name(*var)), Scalar::Usize, self.ty(*var)?);
                }
                bound.push(*row);
            }
            Domain::Listed { lo, hi, position, crd } => {
                self.index(lo, 0)?;
                self.index(hi, 0)?;
                for v in [*var, *position] {
                    if *self.ty(v)? != Type::Scalar(Scalar::Usize) {
                        return Self::mismatch(&format!("`{}`", self.name(v)), Scalar::Usize, self.ty(v)?);
                    }
                }
                match &self.array(*crd)?.element {
                    Element::Scalar(Scalar::U32) => {}
                    other => {
                        return Self::mismatch(&format!("`{}`", self.name(*crd)), "an array of u32", other);
                    }
                }
                if owned.iter().any(|share| share.array == *crd) {
                    return Err(CheckError::Read { name: self.name(*crd), reason: "the loop over it writes it" });
                }
                bound.push(Some(*position));
            }
        }
        for share in owned {
            self.array(share.array)?;
            self.writable(share.array, true)?;
            match &share.partition {
                Partition::Each { offset, stride } => {
                    self.index(offset, 0)?;
                    self.index(stride, 0)?;
                }
                Partition::Segments { pos, stride } => {
                    self.array_of_usize(*pos)?;
                    self.index(stride, 0)?;
                }
                Partition::Positions { stride } => {
                    self.index(stride, 0)?;
                    if !matches!(domain, Domain::Listed { .. }) {
                        return Self::mismatch("the loop", "a loop over positions", "a loop over numbers");
                    }
                }
                Partition::Anywhere => {}
            }
        }
        for (v, op) in reductions {
            self.writable(*v, false)?;
            match self.ty(*v)? {
                Type::Scalar(s) => self.fold(*op, *s)?,
                other => return Self::mismatch(&format!("`{}`", self.name(*v)), "a scalar", other),
            }
        }

        let before = self.state.clone();
        for state in self.state.values_mut() {
            if *state == State::Mutable {
                *state = State::Outside;
            }
        }
        for share in owned {
            if self.state.insert(share.array, State::Owned) == Some(State::Owned) {
                return Err(CheckError::Redeclared(self.name(share.array)));
            }
        }
        for share in owned {
            if let Partition::Segments { pos, .. } = share.partition
                && self.state.get(&pos) == Some(&State::Owned)
            {
                return Err(CheckError::Read { name: self.name(pos), reason: "the loop that it deals out writes it" });
            }
        }
        for (v, op) in reductions {
            self.state.insert(*v, State::Folded(*op));
        }
        self.parallel = Some(());
        let scratch = {
            let loops = std::mem::take(&mut self.loops);
            let declared = self.stmts(scratch, depth)?;
            self.loops = loops;
            declared
        };
        self.closure(&bound, body, depth)?;
        self.forget(&scratch);
        self.parallel = None;
        for (v, state) in before {
            self.state.insert(v, state);
        }
        Ok(())
    }
}
