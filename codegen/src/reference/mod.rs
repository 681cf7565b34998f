//! The dense reference evaluator: what a kernel means, computed in the plainest way.
//!
//! It shares nothing with the compiler but the syntax tree. Tensors are arrays of cells, each stored or not; every statement visits every
//! combination of its indices. Tests compare results with it; it is far too slow for anything else.
//!
//! # Meaning
//!
//! A cell that is not stored has the fill of its tensor. An expression at some place is either a *constant*, known from fills
//! and literals alone, or *computed* from something stored:
//!
//! * An operation of constants is a constant. An annihilator (`0` of `*`, `inf` of `+`, what a function declares, the zero of a
//!   semiring) that is a constant makes the operation that constant, whatever the other side is. A constant that is the
//!   identity leaves the other side as it is. Everything else is computed.
//! * `A without B` is A where B has no entry, and A's fill as a constant where it has one. `select(A, c)` is A where c is not 0.
//! * A sum drops constants that are its identity; if nothing is left, it is that identity, as a constant.
//! * A cell of the result is stored if its value was computed, or is a constant other than the result's fill. In a pattern, what
//!   is stored is true.
//!
//! A mask, and what stands behind `without`, has an entry where its tensor stores one or, if that keeps places for more than its
//! entries (dense, blocks, bands), where its value is not its fill. Where C is masked out, it stays as it is.
//!
//! A parameter without a declared fill is, under `over`, the semiring's zero where it stores nothing; a reduction of numbers that writes it
//! starts there from its neutral element. Once it has been written, its fill is the zero of that statement's semiring, or 0.
//!
//! An implied sum stands around the smallest term of a sum or difference that holds the index:
//! `b(i) - A(i,j) * x(j)` sums its second term, `(b(i) - A(i,j) * x(j)) / d(i)` the term in the brackets. With a reduction other
//! than `+=`, the whole right side is reduced. `min=` and the like start, in a tensor that nothing was written to, from the first
//! value.
//!
//! A statement is computed in the latest type, in the order `pattern bool u32 i32 u64 i64 f32 f64`, among those of its operands
//! and its target; a comparison, `and`, `or` and `not` in that of their own operands. A constant with a fraction where everything
//! else is an integer makes it `f64`. Over truth values `+` and `max` are *or*, `*` and `min` are *and*.

use std::collections::{BTreeMap, BTreeSet};

use crate::notation::ast::*;

mod layout;
mod number;
mod pack;
mod unpack;

pub use number::{Number, number};
pub use pack::{PackedTensor, pack, pack_within, scalar_argument};
pub use unpack::{unpack, unpack_with};

/// A tensor as an array of cells in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Extent of each dimension; empty for a scalar.
    pub shape: Vec<usize>,
    /// The type of its values.
    pub value: ValueType,
    /// The value of cells that are not stored; `None` if it is not declared, and no statement has decided it yet.
    pub fill: Option<Number>,
    /// Whether more cells may be stored than those that are entries: a mask then goes by values.
    pub by_value: bool,
    /// Whether every cell has a value in memory, so that only the removal of entries needs its fill.
    pub full: bool,
    /// The cells; `None` if not stored.
    pub cells: Vec<Option<Number>>,
}

impl Tensor {
    /// A tensor of `shape` in which nothing is stored.
    pub fn empty(shape: Vec<usize>, value: ValueType) -> Tensor {
        let cells = vec![None; shape.iter().product()];
        Tensor { shape, value, fill: None, by_value: false, full: false, cells }
    }

    /// A dense tensor with the given cells.
    pub fn dense(shape: Vec<usize>, value: ValueType, cells: Vec<Number>) -> Tensor {
        assert_eq!(shape.iter().product::<usize>(), cells.len(), "one cell for each place");
        Tensor {
            shape,
            value,
            fill: None,
            by_value: true,
            full: true,
            cells: cells.into_iter().map(|x| Some(x.cast(value))).collect(),
        }
    }

    fn fill(&self) -> Number {
        self.fill.unwrap_or(Number::Int(0)).cast(self.value)
    }

    /// The value of every cell, stored or not.
    pub fn values(&self) -> Vec<Number> {
        self.cells.iter().map(|cell| cell.unwrap_or(self.fill())).collect()
    }
}

/// What a kernel can name besides its tensors.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    functions: BTreeMap<String, FunctionDecl>,
    semirings: BTreeMap<String, SemiringDecl>,
}

impl Scope {
    /// The semirings that are always there.
    pub fn bundled() -> Scope {
        let mut scope = Scope::default();
        scope.add(&crate::notation::parse_source(crate::notation::SEMIRINGS).0);
        scope
    }

    /// The functions and semirings that `source` declares.
    pub fn add(&mut self, source: &Source) {
        for item in &source.items {
            match item {
                Item::Function(decl) => drop(self.functions.insert(decl.name.text.clone(), decl.clone())),
                Item::Semiring(decl) => drop(self.semirings.insert(decl.name.text.clone(), decl.clone())),
                _ => {}
            }
        }
    }
}

/// Runs `kernel`. `tensors` holds every parameter, with its fill if its declaration or format says one, and for every result an
/// empty tensor that says its fill, if one is declared, whether masks go by its values, and whether it is dense. What else is
/// written is dense.
///
/// Returns all tensors as they are afterwards.
///
/// # Errors
///
/// What makes no sense: the compiler should have refused it.
pub fn evaluate(
    kernel: &Kernel,
    scope: &Scope,
    tensors: BTreeMap<String, Tensor>,
) -> Result<BTreeMap<String, Tensor>, String> {
    let mut types = BTreeMap::new();
    for result in &kernel.results {
        types.insert(result.name.text.clone(), result.value.unwrap_or(ValueType::F64));
    }
    let params: BTreeSet<String> = kernel.params.iter().map(|param| param.name.text.clone()).collect();
    if let Some(missing) = params.iter().find(|name| !tensors.contains_key(*name)) {
        return Err(format!("no tensor was given for {missing}"));
    }
    let mut declared = BTreeMap::new();
    let mut state = BTreeMap::new();
    for (name, tensor) in tensors {
        if params.contains(&name) {
            state.insert(name, tensor);
        } else {
            declared.insert(name, tensor);
        }
    }
    let mut run = Run { scope, params, types, declared, tensors: state, fresh: BTreeMap::new() };
    for stmt in &kernel.body {
        run.statement(stmt)?;
    }
    run.fill_untouched();
    Ok(run.tensors)
}

/// What is known of an expression at one place.
#[derive(Clone, Copy, Debug)]
enum Known {
    Constant(Number),
    Computed(Number),
}

impl Known {
    fn number(self) -> Number {
        match self {
            Known::Constant(x) | Known::Computed(x) => x,
        }
    }
}

type Env = BTreeMap<String, usize>;

struct Run<'a> {
    scope: &'a Scope,
    params: BTreeSet<String>,
    types: BTreeMap<String, ValueType>,
    /// What is declared of the tensors that are made here, without cells.
    declared: BTreeMap<String, Tensor>,
    tensors: BTreeMap<String, Tensor>,
    /// Tensors made here whose cells no reduction has touched yet, by the value they then have.
    fresh: BTreeMap<String, (Vec<bool>, Number)>,
}

/// What a statement computes with.
struct Statement<'s> {
    over: Option<&'s SemiringDecl>,
    ty: ValueType,
    ranges: BTreeMap<String, usize>,
}

impl Statement<'_> {
    /// The extents of the target's indices.
    fn extents(&self, assign: &Assign) -> Result<Vec<usize>, String> {
        let extent =
            |name: &str| self.ranges.get(name).copied().ok_or_else(|| format!("nothing says how far {name} runs"));
        assign.target.indices.iter().map(|index| extent(&index.text)).collect()
    }
}

impl<'a> Run<'a> {
    /// Gives cells that no reduction touched the value of an empty reduction.
    fn fill_untouched(&mut self) {
        for (name, (fresh, nothing)) in std::mem::take(&mut self.fresh) {
            let tensor = self.tensors.get_mut(&name).expect("it was made");
            for (cell, fresh) in tensor.cells.iter_mut().zip(fresh) {
                if fresh {
                    *cell = None;
                    if nothing != tensor.fill.unwrap_or(Number::Int(0)).cast(tensor.value) {
                        *cell = Some(nothing);
                    }
                }
            }
        }
    }

    fn statement(&mut self, stmt: &Stmt) -> Result<(), String> {
        match &stmt.kind {
            StmtKind::Assign(assign) => {
                self.fill_untouched();
                self.implied(assign)
            }
            _ => {
                let mut ranges = BTreeMap::new();
                // Workspaces have the extents of the indices they are written with; ranges may follow from other workspaces.
                self.ranges_of(stmt, &mut ranges)?;
                self.concrete(stmt, &mut Env::new(), &ranges)
            }
        }
    }

    fn ranges_of(&self, stmt: &Stmt, ranges: &mut BTreeMap<String, usize>) -> Result<(), String> {
        match &stmt.kind {
            StmtKind::Assign(assign) => self.ranges(assign, ranges),
            StmtKind::Forall { body, .. } => self.ranges_of(body, ranges),
            StmtKind::Where { consumer, producer } => {
                self.ranges_of(producer, ranges)?;
                self.ranges_of(consumer, ranges)
            }
            StmtKind::Sequence(parts) => parts.iter().try_for_each(|part| self.ranges_of(part, ranges)),
        }
    }

    fn concrete(&mut self, stmt: &Stmt, env: &mut Env, ranges: &BTreeMap<String, usize>) -> Result<(), String> {
        match &stmt.kind {
            StmtKind::Assign(assign) => {
                let statement = self.context(assign, ranges.clone())?;
                self.make(assign, &statement)?;
                let value = self.value(&assign.value, env, &statement, statement.ty)?;
                if !self.is_allowed(assign, env)? {
                    return Ok(());
                }
                self.write(assign, env, value, &statement)
            }
            StmtKind::Forall { index, body, .. } => {
                let extent = *ranges.get(&index.text).ok_or_else(|| format!("nothing says how far {index} runs"))?;
                for at in 0..extent {
                    env.insert(index.text.clone(), at);
                    self.concrete(body, env, ranges)?;
                }
                env.remove(&index.text);
                Ok(())
            }
            StmtKind::Where { consumer, producer } => {
                let mut made = Vec::new();
                targets(producer, &mut made);
                for name in made {
                    if !self.params.contains(&name) && !self.types.contains_key(&name) {
                        self.tensors.remove(&name);
                        self.fresh.remove(&name);
                    }
                }
                self.concrete(producer, env, ranges)?;
                let mut keep = self.fresh.clone();
                let mut written = Vec::new();
                targets(producer, &mut written);
                self.fresh.retain(|name, _| written.contains(name));
                self.fill_untouched();
                keep.retain(|name, _| !written.contains(name));
                self.fresh = keep;
                self.concrete(consumer, env, ranges)
            }
            StmtKind::Sequence(parts) => parts.iter().try_for_each(|part| self.concrete(part, env, ranges)),
        }
    }

    /// A statement of index notation.
    fn implied(&mut self, assign: &Assign) -> Result<(), String> {
        let mut ranges = BTreeMap::new();
        self.ranges(assign, &mut ranges)?;
        let statement = self.context(assign, ranges)?;
        self.make(assign, &statement)?;
        let extents = statement.extents(assign)?;
        // Everything is computed before anything is written: the target may stand on the right.
        let mut values = Vec::new();
        for coords in all(&extents) {
            let mut env: Env = assign.target.indices.iter().map(|i| i.text.clone()).zip(coords).collect();
            let whole = !matches!(assign.op, AssignOp::Set | AssignOp::Add) && statement.over.is_none();
            let value = if whole {
                self.reduce_all(&assign.value, assign.op, &mut env, &statement)?
            } else {
                self.total(&assign.value, &mut env, &statement, statement.ty)?
            };
            values.push((env, value));
        }
        // So is where the mask lets it be written.
        let allowed: Vec<bool> =
            values.iter().map(|(env, _)| self.is_allowed(assign, env)).collect::<Result<_, _>>()?;
        for (env, value) in values.into_iter().zip(allowed).filter_map(|(value, allowed)| allowed.then_some(value)) {
            self.write(assign, &env, value, &statement)?;
        }
        let tensor = self.tensors.get_mut(&assign.target.tensor.text).expect("it was made");
        let zero = statement.over.map_or(Number::Int(0), |semiring| constant(&semiring.zero));
        if !tensor.full {
            tensor.fill.get_or_insert(zero.cast(tensor.value));
        }
        Ok(())
    }

    /// Whether the mask of an assignment lets it write here.
    fn is_allowed(&self, assign: &Assign, env: &Env) -> Result<bool, String> {
        let Some(mask) = &assign.mask else { return Ok(true) };
        let indices = mask.indices.as_ref().unwrap_or(&assign.target.indices);
        Ok(self.has_entry(&mask.tensor.text, &plain(indices), env)? != mask.negated)
    }

    /// The type that a statement is computed in, and its semiring.
    fn context(&self, assign: &Assign, ranges: BTreeMap<String, usize>) -> Result<Statement<'a>, String> {
        let scope: &'a Scope = self.scope;
        let over = match &assign.over {
            None => None,
            Some(name) => Some(scope.semirings.get(&name.text).ok_or_else(|| format!("no semiring {name}"))?),
        };
        let own = self.type_of(&assign.value);
        let target = match self.tensors.get(&assign.target.tensor.text) {
            Some(tensor) => Some(tensor.value),
            None => self.types.get(&assign.target.tensor.text).copied(),
        };
        let ty = match (own, target) {
            (Some(a), Some(b)) => a.max(b),
            (a, b) => a.or(b).unwrap_or(ValueType::F64),
        };
        Ok(Statement { over, ty, ranges })
    }

    /// Makes the target if it is not there yet.
    fn make(&mut self, assign: &Assign, statement: &Statement<'_>) -> Result<(), String> {
        let name = &assign.target.tensor.text;
        if self.tensors.contains_key(name) {
            return Ok(());
        }
        if assign.target.coordinates().iter().any(|coordinate| coordinate.whole().is_none()) {
            return Err(format!("nothing says how large {name} is"));
        }
        let shape = statement.extents(assign)?;
        let value = self.types.get(name).copied().unwrap_or_else(|| match self.type_of(&assign.value) {
            Some(ValueType::Pattern) if matches!(assign.op, AssignOp::Or | AssignOp::And) => ValueType::Bool,
            Some(ValueType::Pattern) => ValueType::U64,
            Some(ty) => ty,
            None => ValueType::F64,
        });
        let nothing = match (statement.over, assign.op) {
            (Some(semiring), _) => Some(constant(&semiring.zero)),
            (None, AssignOp::Set) => None,
            (None, op) => Some(identity(op, value)),
        };
        let mut tensor = Tensor::empty(shape, value);
        let declared = self.declared.get(name);
        tensor.by_value = declared.is_none_or(|declared| declared.by_value);
        tensor.full = declared.is_none_or(|declared| declared.full);
        let fill = declared.and_then(|declared| declared.fill);
        tensor.fill = Some(match fill {
            // What is absent is infinite, for integers too; the neutral element of a reduction is a number of the type.
            Some(fill) if fill.float().is_infinite() && !tensor.full => fill,
            fill => fill.or(nothing).unwrap_or(Number::Int(0)).cast(value),
        });
        if assign.op != AssignOp::Set {
            let nothing = nothing.expect("a reduction has an identity").cast(value);
            self.fresh.insert(name.clone(), (vec![true; tensor.cells.len()], nothing));
        }
        self.tensors.insert(name.clone(), tensor);
        Ok(())
    }

    fn write(&mut self, assign: &Assign, env: &Env, value: Known, statement: &Statement<'_>) -> Result<(), String> {
        let semiring_op = statement.over.map(|semiring| semiring.plus.text.clone());
        let name = &assign.target.tensor.text;
        // Nothing is written outside of a tensor.
        let Some(at) = self.position(name, &assign.target.coordinates(), env)? else { return Ok(()) };
        let tensor = self.tensors.get_mut(name).expect("it was made");
        let ty = tensor.value;
        let zero = statement.over.map(|semiring| constant(&semiring.zero));
        let fill = tensor.fill.or(zero.filter(|_| !tensor.full)).unwrap_or(Number::Int(0)).cast(ty);
        if assign.op == AssignOp::Set {
            tensor.cells[at] = match value {
                // What folding nothing over a semiring gives is nothing, in whatever type.
                Known::Constant(x) if Some(x) == zero.map(|zero| zero.cast(statement.ty)) => {
                    zero.map(|zero| zero.cast(ty)).filter(|zero| *zero != fill)
                }
                Known::Constant(x) if x.cast(ty) == fill => None,
                // An entry of a pattern is an entry, whatever was computed.
                _ if ty == ValueType::Pattern => Some(Number::Bool(true)),
                Known::Computed(x) | Known::Constant(x) => Some(x.cast(ty)),
            };
            if let Some((fresh, _)) = self.fresh.get_mut(name) {
                fresh[at] = false;
            }
            return Ok(());
        }
        let nothing = statement.over.map_or(identity(assign.op, statement.ty), |semiring| constant(&semiring.zero));
        if matches!(value, Known::Constant(x) if x.cast(statement.ty) == nothing.cast(statement.ty)) {
            return Ok(());
        }
        let added = match value {
            // What holds a number everywhere is added to as a number: NaN stays NaN.
            Known::Constant(x) if tensor.full => Known::Computed(x.cast(ty)),
            Known::Constant(x) => Known::Constant(x.cast(ty)),
            Known::Computed(x) => Known::Computed(x.cast(ty)),
        };
        let value = value.number();
        let starts =
            matches!(assign.op, AssignOp::Min | AssignOp::Max | AssignOp::Mul) && zero.is_none() && ty.is_number();
        let missing = if tensor.fill.is_none() && !tensor.full && starts { identity(assign.op, ty) } else { fill };
        let old = match tensor.cells[at] {
            Some(x) => Known::Computed(x),
            None if tensor.full => Known::Computed(missing),
            None => Known::Constant(missing),
        };
        let infinite = matches!(tensor.fill, Some(Number::Float(fill)) if fill.is_infinite());
        if infinite && !tensor.full && tensor.cells[at].is_none() && assign.op == AssignOp::Add && zero.is_none() {
            // As an integer its fill is a number; what is absent is infinite, and stays so in a sum.
            return Ok(());
        }
        let fresh = self.fresh.get_mut(name).is_some_and(|(fresh, _)| std::mem::replace(&mut fresh[at], false));
        let new = match (fresh, assign.op) {
            (true, _) => Known::Computed(value),
            (false, AssignOp::Or | AssignOp::And) => {
                Known::Computed(fold(assign.op, semiring_op.as_deref(), old.number(), value.cast(ty), ty))
            }
            (false, op) => {
                // The semiring's own sum is what `+` is there.
                let op = if statement.over.is_some() { AssignOp::Add } else { op };
                let symbol = op.symbol().trim_end_matches('=');
                self.operate(symbol, &[old, added], ty, statement)?
            }
        };
        let tensor = self.tensors.get_mut(name).expect("it was made");
        tensor.cells[at] = match new {
            Known::Constant(x) if x.cast(ty) == fill => None,
            _ if ty == ValueType::Pattern => Some(Number::Bool(true)),
            new => Some(new.number().cast(ty)),
        };
        Ok(())
    }

    /// The sum of each term over the indices that are its own.
    fn total(&self, expr: &Expr, env: &mut Env, s: &Statement<'_>, ty: ValueType) -> Result<Known, String> {
        match &expr.kind {
            ExprKind::Neg(inner) => {
                let inner = self.total(inner, env, s, ty)?;
                self.operate("neg", &[inner], ty, s)
            }
            ExprKind::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), left, right } => {
                let left = self.total(left, env, s, ty)?;
                let right = self.total(right, env, s, ty)?;
                self.operate(if *op == BinaryOp::Add { "+" } else { "-" }, &[left, right], ty, s)
            }
            _ => {
                let mut own = Vec::new();
                self.names(expr, &mut own);
                own.retain(|name| !env.contains_key(name));
                let (inner, outer): (Vec<String>, Vec<String>) =
                    own.into_iter().partition(|v| self.belongs_inside(expr, v));
                for v in &inner {
                    if !self.linear(expr, v) {
                        return Err(format!("it is not clear what the sum over {v} holds"));
                    }
                }
                let extents: Vec<usize> = outer
                    .iter()
                    .map(|v| s.ranges.get(v).copied().ok_or(format!("no range for {v}")))
                    .collect::<Result<_, _>>()?;
                let mut sum = None;
                if outer.is_empty() {
                    return self.term(expr, env, s, ty);
                }
                let nothing = s.over.map_or(Number::Int(0), |semiring| constant(&semiring.zero)).cast(ty);
                for coords in all(&extents) {
                    env.extend(outer.iter().cloned().zip(coords));
                    let value = self.term(expr, env, s, ty)?;
                    if matches!(value, Known::Constant(x) if x.cast(s.ty) == nothing) {
                        continue;
                    }
                    let value = value.number();
                    sum = Some(match sum {
                        None => value,
                        Some(sum) => {
                            fold(AssignOp::Add, s.over.map(|semiring| semiring.plus.text.as_str()), sum, value, ty)
                        }
                    });
                }
                for v in &outer {
                    env.remove(v);
                }
                Ok(sum.map_or(Known::Constant(nothing), Known::Computed))
            }
        }
    }

    /// A term whose own sums stand around it already: those of its factors remain.
    fn term(&self, expr: &Expr, env: &mut Env, s: &Statement<'_>, ty: ValueType) -> Result<Known, String> {
        match &expr.kind {
            ExprKind::Binary { op: op @ (BinaryOp::Mul | BinaryOp::Div), left, right } => {
                let left = self.total(left, env, s, ty)?;
                let right = self.total(right, env, s, ty)?;
                self.operate(op.symbol(), &[left, right], ty, s)
            }
            _ => self.value(expr, env, s, ty),
        }
    }

    /// Whether the sum over `v` stands around a term inside of `expr`, which holds every `v` that there is.
    fn belongs_inside(&self, expr: &Expr, v: &str) -> bool {
        let uses = |expr: &Expr| {
            let mut names = Vec::new();
            self.names(expr, &mut names);
            names.iter().any(|name| name == v)
        };
        let holders = |parts: &[&Expr]| {
            let holders: Vec<&Expr> = parts.iter().copied().filter(|part| uses(part)).collect();
            if holders.len() == 1 { self.belongs_inside(holders[0], v) } else { false }
        };
        match &expr.kind {
            ExprKind::Binary { op: BinaryOp::Add | BinaryOp::Sub, left, right } => {
                if uses(left) != uses(right) {
                    return true;
                }
                self.belongs_inside(left, v) || self.belongs_inside(right, v)
            }
            ExprKind::Binary { left, right, .. } => holders(&[left, right]),
            ExprKind::Neg(inner) => holders(&[inner]),
            ExprKind::Apply { args, .. } => holders(&args.iter().collect::<Vec<_>>()),
            _ => false,
        }
    }

    /// Whether everything between `expr` and the term that holds `v` is a product, or a quotient's numerator.
    fn linear(&self, expr: &Expr, v: &str) -> bool {
        let uses = |expr: &Expr| {
            let mut names = Vec::new();
            self.names(expr, &mut names);
            names.iter().any(|name| name == v)
        };
        match &expr.kind {
            ExprKind::Binary { op: BinaryOp::Add | BinaryOp::Sub, left, right } if uses(left) && uses(right) => {
                self.linear(left, v) && self.linear(right, v)
            }
            ExprKind::Binary { op: BinaryOp::Add | BinaryOp::Sub, left, right } => {
                // The term is found, unless it holds further ones.
                let term = if uses(left) { left } else { right };
                !self.belongs_inside(term, v) || self.linear(term, v)
            }
            ExprKind::Binary { op: BinaryOp::Mul, left, right } => {
                self.linear(if uses(left) { left } else { right }, v)
            }
            ExprKind::Binary { op: BinaryOp::Div, left, right } => !uses(right) && self.linear(left, v),
            ExprKind::Neg(inner) => self.linear(inner, v),
            _ => !self.belongs_inside(expr, v),
        }
    }

    /// A reduction of the whole right side over every index that is not on the left.
    fn reduce_all(&self, expr: &Expr, op: AssignOp, env: &mut Env, s: &Statement<'_>) -> Result<Known, String> {
        let mut own = Vec::new();
        self.names(expr, &mut own);
        own.retain(|name| !env.contains_key(name));
        if own.is_empty() {
            return self.value(expr, env, s, s.ty);
        }
        let extents: Vec<usize> = own
            .iter()
            .map(|v| s.ranges.get(v).copied().ok_or(format!("no range for {v}")))
            .collect::<Result<_, _>>()?;
        let nothing = identity(op, s.ty).cast(s.ty);
        let mut folded = None;
        for coords in all(&extents) {
            env.extend(own.iter().cloned().zip(coords));
            let value = self.value(expr, env, s, s.ty)?;
            if matches!(value, Known::Constant(x) if x.cast(s.ty) == nothing) {
                continue;
            }
            let value = value.number();
            folded = Some(folded.map_or(value, |folded| fold(op, None, folded, value, s.ty)));
        }
        for v in &own {
            env.remove(v);
        }
        Ok(folded.map_or(Known::Constant(nothing), Known::Computed))
    }

    /// The value of an expression all of whose indices have values.
    fn value(&self, expr: &Expr, env: &Env, s: &Statement<'_>, ty: ValueType) -> Result<Known, String> {
        match &expr.kind {
            ExprKind::Literal(literal) => Ok(Known::Constant(Number::from(*literal).cast(ty))),
            ExprKind::Name(name) if self.tensors.contains_key(&name.text) => self.cell(&name.text, &[], env, s, ty),
            ExprKind::Name(name) => match env.get(&name.text) {
                Some(&at) => Ok(Known::Computed(Number::Int(at as i128).cast(ValueType::I64).cast(ty))),
                None => Err(format!("{name} has no value")),
            },
            ExprKind::Slice(_) => Err("a slice is a coordinate".into()),
            ExprKind::Neg(inner) => {
                if let ExprKind::Literal(literal) = inner.kind {
                    let negative = match literal {
                        Literal::Int(x) => Literal::Int(-x),
                        Literal::Float(x) => Literal::Float(-x),
                        Literal::Bool(x) => Literal::Bool(x),
                    };
                    return Ok(Known::Constant(Number::from(negative).cast(ty)));
                }
                let inner = self.value(inner, env, s, ty)?;
                self.operate("neg", &[inner], ty, s)
            }
            ExprKind::Binary { op: BinaryOp::Without, left, right } => {
                let entry = match &right.kind {
                    ExprKind::Apply { name, args } => self.has_entry(&name.text, args, env)?,
                    ExprKind::Name(name) => self.has_entry(&name.text, &[], env)?,
                    _ => return Err("only a tensor has entries".into()),
                };
                if entry { Ok(Known::Constant(self.background(left, s, ty)?)) } else { self.value(left, env, s, ty) }
            }
            ExprKind::Binary { op, left, right } if op.compares() => {
                // Constants among themselves are compared as they are.
                let of = self.type_among(&[left, right]).unwrap_or(ValueType::F64);
                let left = self.value(left, env, s, of)?;
                let right = self.value(right, env, s, of)?;
                let (a, b) = (left.number(), right.number());
                let order = match (a, b) {
                    (Number::Int(a), Number::Int(b)) => Some(a.cmp(&b)),
                    (a, b) => a.float().partial_cmp(&b.float()),
                };
                let yes = match op {
                    BinaryOp::Eq => order.is_some_and(|o| o.is_eq()),
                    BinaryOp::Ne => !order.is_some_and(|o| o.is_eq()),
                    BinaryOp::Lt => order.is_some_and(|o| o.is_lt()),
                    BinaryOp::Le => order.is_some_and(|o| o.is_le()),
                    BinaryOp::Gt => order.is_some_and(|o| o.is_gt()),
                    _ => order.is_some_and(|o| o.is_ge()),
                };
                Ok(same_kind(&[left, right], Number::Bool(yes).cast(ty)))
            }
            ExprKind::Binary { op, left, right } => {
                let left = self.value(left, env, s, ty)?;
                let right = self.value(right, env, s, ty)?;
                self.operate(op.symbol(), &[left, right], ty, s)
            }
            ExprKind::Apply { name, args } if self.tensors.contains_key(&name.text) => {
                self.cell(&name.text, args, env, s, ty)
            }
            ExprKind::Apply { name, args } if name.text == "select" => {
                let background = self.background(&args[0], s, ty)?;
                let kept = self.value(&args[0], env, s, ty)?;
                if matches!(kept, Known::Constant(x) if x == background) {
                    return Ok(kept);
                }
                let plain = Statement { over: None, ty: s.ty, ranges: BTreeMap::new() };
                let of = self.type_of(&args[1]).unwrap_or(ty);
                let condition = self.value(&args[1], env, &plain, of)?;
                Ok(if condition.number().truth() { kept } else { Known::Constant(background) })
            }
            ExprKind::Apply { name, args } => {
                let of = match name.text.as_str() {
                    "sqrt" if !ty.is_float() => ValueType::F64,
                    "and" | "or" | "not" => self.type_among(&args.iter().collect::<Vec<_>>()).unwrap_or(ValueType::F64),
                    _ => ty,
                };
                let args: Vec<Known> = args.iter().map(|arg| self.value(arg, env, s, of)).collect::<Result<_, _>>()?;
                let result = self.operate(&name.text, &args, of, s)?;
                Ok(match result {
                    // What is absent and infinite stays so until it is stored, in integers too.
                    Known::Constant(x) if x.float().is_infinite() => result,
                    Known::Constant(x) => Known::Constant(x.cast(ty)),
                    Known::Computed(x) => Known::Computed(x.cast(ty)),
                })
            }
        }
    }

    /// The value of an expression where nothing is stored, if it is a constant; 0 otherwise.
    fn background(&self, expr: &Expr, s: &Statement<'_>, ty: ValueType) -> Result<Number, String> {
        let mut empty = Run {
            scope: self.scope,
            params: self.params.clone(),
            types: BTreeMap::new(),
            declared: BTreeMap::new(),
            tensors: self.tensors.clone(),
            fresh: BTreeMap::new(),
        };
        for tensor in empty.tensors.values_mut() {
            tensor.cells.clear();
            (tensor.by_value, tensor.full) = (false, false);
        }
        let mut names = Vec::new();
        self.names(expr, &mut names);
        let env = names.into_iter().map(|name| (name, 0)).collect();
        Ok(match empty.value(expr, &env, s, ty)? {
            Known::Constant(x) => x,
            Known::Computed(_) => Number::Int(0).cast(ty),
        })
    }

    fn cell(&self, name: &str, indices: &[Expr], env: &Env, s: &Statement<'_>, ty: ValueType) -> Result<Known, String> {
        let at = self.position(name, indices, env)?;
        let tensor = &self.tensors[name];
        if let (None, true) = (at, tensor.full) {
            // Outside of a tensor that holds a value everywhere there is its fill, as a value like any other.
            return Ok(Known::Computed(tensor.fill().cast(ty)));
        }
        Ok(match at.and_then(|at| tensor.cells[at]) {
            Some(x) => Known::Computed(x.cast(tensor.value).cast(ty)),
            None => {
                let open = tensor.fill.is_none() && !tensor.full;
                let zero = s.over.filter(|_| open).map(|semiring| constant(&semiring.zero).cast(ty));
                Known::Constant(zero.unwrap_or_else(|| match tensor.fill {
                    // As a constant of a computation without a semiring, `inf` is infinite for integers too.
                    Some(fill) if s.over.is_none() && fill.float().is_infinite() => fill,
                    Some(fill) => fill.cast(ty),
                    None => Number::Int(0).cast(ty),
                }))
            }
        })
    }

    fn has_entry(&self, name: &str, indices: &[Expr], env: &Env) -> Result<bool, String> {
        let at = self.position(name, indices, env)?;
        let tensor = &self.tensors[name];
        Ok(match at.and_then(|at| tensor.cells[at]) {
            Some(x) if tensor.by_value => x != tensor.fill(),
            cell => cell.is_some(),
        })
    }

    /// Where a cell lies; `None` if it lies outside of the tensor, as one at computed coordinates may, or if the tensor has no cells.
    fn position(&self, name: &str, indices: &[Expr], env: &Env) -> Result<Option<usize>, String> {
        let tensor = self.tensors.get(name).ok_or_else(|| format!("no tensor {name}"))?;
        if indices.len() != tensor.shape.len() {
            return Err(format!("{name} has {} dimensions", tensor.shape.len()));
        }
        if tensor.cells.is_empty() {
            return Ok(None);
        }
        let mut at = 0;
        for (index, extent) in indices.iter().zip(&tensor.shape) {
            let coord = self.coordinate(index, env)?;
            let Some(coord) = usize::try_from(coord).ok().filter(|coord| coord < extent) else {
                return match index.kind {
                    ExprKind::Name(_) | ExprKind::Slice(_) => Err(format!("{index} = {coord} lies outside of {name}")),
                    _ => Ok(None),
                };
            };
            at = at * extent + coord;
        }
        Ok(Some(at))
    }

    fn coordinate(&self, coordinate: &Expr, env: &Env) -> Result<i64, String> {
        let of = |index: &Name| env.get(&index.text).map(|&c| c as i64).ok_or_else(|| format!("{index} has no value"));
        match &coordinate.kind {
            ExprKind::Name(index) => of(index),
            ExprKind::Slice(slice) => {
                Ok(self.bound(slice.lo.as_deref())?.unwrap_or(0) as i64 + of(&slice.index)? * slice.step)
            }
            ExprKind::Literal(Literal::Int(n)) => i64::try_from(*n).map_err(|why| why.to_string()),
            ExprKind::Neg(inner) => Ok(-self.coordinate(inner, env)?),
            ExprKind::Binary { op, left, right } => {
                let (a, b) = (self.coordinate(left, env)?, self.coordinate(right, env)?);
                match op {
                    BinaryOp::Add => Ok(a + b),
                    BinaryOp::Sub => Ok(a - b),
                    BinaryOp::Mul => Ok(a * b),
                    BinaryOp::Div if b > 0 => Ok(a.div_euclid(b)),
                    BinaryOp::Rem if b > 0 => Ok(a.rem_euclid(b)),
                    _ => Err(format!("{} is no operator of coordinates", op.symbol())),
                }
            }
            _ => Err(format!("{coordinate} is no coordinate")),
        }
    }

    /// The value of a slice's bound, if it has one.
    fn bound(&self, bound: Option<&Expr>) -> Result<Option<usize>, String> {
        Ok(match bound.map(|bound| &bound.kind) {
            None => None,
            Some(ExprKind::Literal(Literal::Int(n @ 0..))) => Some(*n as usize),
            Some(ExprKind::Name(name)) => {
                let scalar = self.tensors.get(&name.text).ok_or_else(|| format!("no scalar {name}"))?;
                Some(scalar.values()[0].float() as usize)
            }
            Some(_) => return Err("a bound is a number or a scalar".into()),
        })
    }

    /// An operator or function, by its spelling, of values of type `ty`.
    fn operate(&self, op: &str, args: &[Known], ty: ValueType, s: &Statement<'_>) -> Result<Known, String> {
        if let Some(semiring) = s.over {
            let zero = constant(&semiring.zero).cast(ty);
            if op == "+" {
                return match args {
                    [Known::Constant(x), other] | [other, Known::Constant(x)] if *x == zero => Ok(*other),
                    [a, b] => {
                        let value = fold(AssignOp::Add, Some(&semiring.plus.text), a.number(), b.number(), ty);
                        Ok(same_kind(args, value))
                    }
                    _ => Err("+ takes two".into()),
                };
            }
            if op == "*" {
                let one = semiring.one.as_ref().map(|one| constant(one).cast(ty));
                return match args {
                    [Known::Constant(x), _] | [_, Known::Constant(x)] if *x == zero => Ok(Known::Constant(zero)),
                    [Known::Constant(x), other] | [other, Known::Constant(x)] if Some(*x) == one => Ok(*other),
                    _ => {
                        let plain = Statement { over: None, ty: s.ty, ranges: BTreeMap::new() };
                        let value = self.operate(&semiring.times.text, args, ty, &plain)?.number();
                        Ok(same_kind(args, value))
                    }
                };
            }
        }
        if let Some(function) = self.scope.functions.get(op) {
            return self.call(function, args, ty, s);
        }
        let constant_at =
            |at: usize, wanted: f64| matches!(args.get(at), Some(Known::Constant(x)) if x.float() == wanted);
        let infinite = |at: usize| match args.get(at) {
            Some(Known::Constant(x)) => x.float().is_infinite(),
            _ => false,
        };
        let a = args[0].number();
        let b = args.get(1).map_or(a, |b| b.number());
        let constants = args.iter().all(|arg| matches!(arg, Known::Constant(_)));
        let ty = if constants && (infinite(0) || infinite(1)) { ValueType::F64 } else { ty };
        // What is a constant whatever the other side is.
        match op {
            "+" | "-" if infinite(0) => return Ok(args[0]),
            "+" if infinite(1) => return Ok(args[1]),
            "-" if infinite(1) => return Ok(Known::Constant(Number::Float(-b.float()))),
            "*" if constant_at(0, 0.0) || constant_at(1, 0.0) => return Ok(Known::Constant(Number::Int(0).cast(ty))),
            "/" | "%" if constant_at(0, 0.0) => return Ok(args[0]),
            "and" if constant_at(0, 0.0) || constant_at(1, 0.0) => {
                return Ok(Known::Constant(Number::Bool(false).cast(ty)));
            }
            "or" if args.iter().any(|arg| matches!(arg, Known::Constant(x) if x.truth())) => {
                return Ok(Known::Constant(Number::Bool(true).cast(ty)));
            }
            "min" if constant_at(0, f64::NEG_INFINITY) || constant_at(1, f64::NEG_INFINITY) => {
                return Ok(Known::Constant(Number::Float(f64::NEG_INFINITY).cast(ty)));
            }
            "max" if constant_at(0, f64::INFINITY) || constant_at(1, f64::INFINITY) => {
                return Ok(Known::Constant(Number::Float(f64::INFINITY).cast(ty)));
            }
            _ => {}
        }
        // What leaves the other side alone.
        let left_alone = match op {
            "+" => Some((0.0, true)),
            "-" => Some((0.0, false)),
            "*" => Some((1.0, true)),
            "/" => Some((1.0, false)),
            "min" => Some((f64::INFINITY, true)),
            "max" => Some((f64::NEG_INFINITY, true)),
            _ => None,
        };
        if let Some((neutral, either)) = left_alone {
            if constant_at(1, neutral) {
                return Ok(args[0]);
            }
            if either && constant_at(0, neutral) {
                return Ok(args[1]);
            }
        }
        match op {
            "first" => return Ok(args[0]),
            "second" => return Ok(args[1]),
            _ => {}
        }
        let value = match op {
            "+" => a.add(b, ty),
            "-" => a.sub(b, ty),
            "*" => a.mul(b, ty),
            "/" => a.div(b, ty),
            "%" => a.rem(b, ty),
            "min" => a.min(b, ty),
            "max" => a.max(b, ty),
            "neg" => Number::Int(0).cast(ty).sub(a, ty),
            "abs" if a.float() < 0.0 => Number::Int(0).cast(ty).sub(a, ty),
            "abs" => a,
            "sqrt" => Number::Float(a.float().sqrt()).cast(ty),
            "and" => Number::Bool(a.truth() && b.truth()),
            "or" => Number::Bool(a.truth() || b.truth()),
            "not" => Number::Bool(!a.truth()),
            "pair" => Number::Int(1),
            _ => return Err(format!("no function {op}")),
        };
        Ok(same_kind(args, value.cast(ty)))
    }

    fn call(&self, function: &FunctionDecl, args: &[Known], ty: ValueType, s: &Statement<'_>) -> Result<Known, String> {
        let annihilator = function.annihilator.as_ref().map(|value| constant(value).cast(ty));
        let identity = function.identity.as_ref().map(|value| constant(value).cast(ty));
        for arg in args {
            if matches!(arg, Known::Constant(x) if Some(*x) == annihilator) {
                return Ok(*arg);
            }
        }
        if let [a, b] = args {
            if matches!(b, Known::Constant(x) if Some(*x) == identity) {
                return Ok(*a);
            }
            if matches!(a, Known::Constant(x) if Some(*x) == identity) {
                return Ok(*b);
            }
        }
        let FunctionBody::Expr(body) = &function.body else {
            return Err(format!("{} is a function of Rust", function.name));
        };
        // The body is about numbers: its parameters are scalars of a world of their own.
        let scalar = |x: Number| Tensor {
            shape: Vec::new(),
            value: ty,
            fill: None,
            by_value: false,
            full: true,
            cells: vec![Some(x)],
        };
        let tensors =
            function.params.iter().map(|p| p.text.clone()).zip(args.iter().map(|arg| scalar(arg.number()))).collect();
        let world = Run {
            scope: self.scope,
            params: BTreeSet::new(),
            types: BTreeMap::new(),
            declared: BTreeMap::new(),
            tensors,
            fresh: BTreeMap::new(),
        };
        let plain = Statement { over: None, ty: s.ty, ranges: BTreeMap::new() };
        let value = world.value(body, &Env::new(), &plain, ty)?.number();
        Ok(same_kind(args, value))
    }

    /// Index variables of an expression, each once.
    fn names(&self, expr: &Expr, found: &mut Vec<String>) {
        match &expr.kind {
            ExprKind::Literal(_) => {}
            ExprKind::Name(name) => {
                if !self.tensors.contains_key(&name.text) && !found.contains(&name.text) {
                    found.push(name.text.clone());
                }
            }
            ExprKind::Slice(slice) => {
                if !found.contains(&slice.index.text) {
                    found.push(slice.index.text.clone());
                }
            }
            ExprKind::Neg(inner) => self.names(inner, found),
            ExprKind::Binary { left, right, .. } => {
                self.names(left, found);
                self.names(right, found);
            }
            ExprKind::Apply { args, .. } => args.iter().for_each(|arg| self.names(arg, found)),
        }
    }

    /// How far the indices of a statement run.
    fn ranges(&self, assign: &Assign, ranges: &mut BTreeMap<String, usize>) -> Result<(), String> {
        let mut note = |name: &str, coordinates: &[Expr]| -> Result<(), String> {
            let Some(tensor) = self.tensors.get(name) else { return Ok(()) };
            for (coordinate, &extent) in coordinates.iter().zip(&tensor.shape) {
                let (index, extent) = match &coordinate.kind {
                    ExprKind::Name(index) => (index, extent),
                    ExprKind::Slice(slice) => {
                        let lo = self.bound(slice.lo.as_deref())?.unwrap_or(0);
                        let hi = self.bound(slice.hi.as_deref())?.unwrap_or(extent);
                        if hi > extent {
                            return Err(format!("a slice of {name} ends at {hi}, and {name} at {extent}"));
                        }
                        (&slice.index, hi.saturating_sub(lo).div_ceil(slice.step as usize))
                    }
                    _ => continue,
                };
                let known = *ranges.entry(index.text.clone()).or_insert(extent);
                if known != extent {
                    return Err(format!("{index} runs to {known} and, in {name}, to {extent}"));
                }
            }
            Ok(())
        };
        note(&assign.target.tensor.text, &assign.target.coordinates())?;
        if let Some(mask) = &assign.mask {
            note(&mask.tensor.text, &plain(mask.indices.as_ref().unwrap_or(&assign.target.indices)))?;
        }
        let mut stack = vec![&assign.value];
        while let Some(expr) = stack.pop() {
            match &expr.kind {
                ExprKind::Apply { name, args } if self.tensors.contains_key(&name.text) => note(&name.text, args)?,
                ExprKind::Apply { args, .. } => stack.extend(args),
                ExprKind::Neg(inner) => stack.push(inner),
                ExprKind::Binary { left, right, .. } => stack.extend([&**left, right]),
                _ => {}
            }
        }
        Ok(())
    }

    /// The latest type among the operands; `None` for constants. A constant with a fraction among integers makes them floats.
    fn type_of(&self, expr: &Expr) -> Option<ValueType> {
        let (ty, fraction) = self.latest(expr);
        if fraction && !ty.is_some_and(ValueType::is_float) { Some(ValueType::F64) } else { ty }
    }

    /// The type that several operands have in common.
    fn type_among(&self, args: &[&Expr]) -> Option<ValueType> {
        let found = args.iter().map(|arg| self.latest(arg));
        let (ty, fraction) = found.fold((None, false), |(ty, f), (other, g)| (ty.max(other), f || g));
        if fraction && !ty.is_some_and(ValueType::is_float) { Some(ValueType::F64) } else { ty }
    }

    /// The latest type among the operands, and whether there is a fraction among them.
    fn latest(&self, expr: &Expr) -> (Option<ValueType>, bool) {
        let all = |args: &[&Expr]| {
            let found = args.iter().map(|arg| self.latest(arg));
            found.fold((None, false), |(ty, fraction), (other, another)| (ty.max(other), fraction || another))
        };
        match &expr.kind {
            ExprKind::Literal(Literal::Float(x)) => (None, x.is_finite() && x.fract() != 0.0),
            ExprKind::Literal(_) => (None, false),
            ExprKind::Name(name) => {
                (Some(self.tensors.get(&name.text).map_or(ValueType::I64, |tensor| tensor.value)), false)
            }
            ExprKind::Slice(_) => (None, false),
            ExprKind::Neg(inner) => self.latest(inner),
            ExprKind::Binary { op, .. } if op.compares() => (Some(ValueType::Bool), false),
            ExprKind::Binary { op: BinaryOp::Without, left, .. } => self.latest(left),
            ExprKind::Binary { left, right, .. } => all(&[left, right]),
            ExprKind::Apply { name, args } => match self.tensors.get(&name.text) {
                Some(tensor) => (Some(tensor.value), false),
                None => match name.text.as_str() {
                    "and" | "or" | "not" => (Some(ValueType::Bool), false),
                    "select" => self.latest(&args[0]),
                    "sqrt" => {
                        (Some(self.type_of(&args[0]).filter(|ty| ty.is_float()).unwrap_or(ValueType::F64)), false)
                    }
                    _ => all(&args.iter().collect::<Vec<_>>()),
                },
            },
        }
    }
}

fn same_kind(args: &[Known], value: Number) -> Known {
    if args.iter().all(|arg| matches!(arg, Known::Constant(_))) {
        Known::Constant(value)
    } else {
        Known::Computed(value)
    }
}

fn constant(expr: &Expr) -> Number {
    match &expr.kind {
        ExprKind::Literal(literal) => Number::from(*literal),
        ExprKind::Neg(inner) => match constant(inner) {
            Number::Int(x) => Number::Int(-x),
            other => Number::Float(-other.float()),
        },
        _ => Number::Int(0),
    }
}

/// Index variables as coordinates.
fn plain(indices: &[Name]) -> Vec<Expr> {
    indices.iter().map(|index| Expr { kind: ExprKind::Name(index.clone()), span: index.span }).collect()
}

/// What folding nothing gives.
fn identity(op: AssignOp, ty: ValueType) -> Number {
    let logical = matches!(ty, ValueType::Bool | ValueType::Pattern);
    match op {
        AssignOp::Set | AssignOp::Add | AssignOp::Or => Number::Int(0),
        AssignOp::Mul => Number::Int(1),
        AssignOp::Min => Number::Float(f64::INFINITY),
        AssignOp::Max if logical => Number::Int(0),
        AssignOp::Max => Number::Float(f64::NEG_INFINITY),
        AssignOp::And if logical => Number::Bool(true),
        AssignOp::And => Number::Int(-1),
    }
    .cast(ty)
}

/// Two values folded into one; over a semiring, by its sum.
fn fold(op: AssignOp, plus: Option<&str>, a: Number, b: Number, ty: ValueType) -> Number {
    let op = match plus {
        Some("+") => AssignOp::Add,
        Some("*") => AssignOp::Mul,
        Some("min") => AssignOp::Min,
        Some("max") => AssignOp::Max,
        Some("or") => AssignOp::Or,
        Some("and") => AssignOp::And,
        _ => op,
    };
    match op {
        AssignOp::Set => b,
        AssignOp::Add => a.add(b, ty),
        AssignOp::Mul => a.mul(b, ty),
        AssignOp::Min => a.min(b, ty),
        AssignOp::Max => a.max(b, ty),
        AssignOp::Or => a.or(b, ty),
        AssignOp::And => a.and(b, ty),
    }
}

/// Every combination of coordinates below `extents`, in row-major order.
fn all(extents: &[usize]) -> Vec<Vec<usize>> {
    extents.iter().fold(vec![Vec::new()], |prefixes, &extent| {
        prefixes.iter().flat_map(|prefix| (0..extent).map(|at| [prefix.as_slice(), &[at]].concat())).collect()
    })
}

fn targets(stmt: &Stmt, found: &mut Vec<String>) {
    match &stmt.kind {
        StmtKind::Assign(assign) => found.push(assign.target.tensor.text.clone()),
        StmtKind::Forall { body, .. } => targets(body, found),
        StmtKind::Where { consumer, producer } => {
            targets(producer, found);
            targets(consumer, found);
        }
        StmtKind::Sequence(parts) => parts.iter().for_each(|part| targets(part, found)),
    }
}
