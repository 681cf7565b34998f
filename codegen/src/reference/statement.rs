//! Kernels and their statements.

use std::collections::{BTreeMap, BTreeSet};

use super::cells::{all, plain};
use super::known::{Known, constant, fold, identity};
use super::number::Number;
use super::run::{Env, Run, Scope, Statement};
use super::tensor::Tensor;
use crate::notation::ast::{Assign, AssignOp, Kernel, Stmt, StmtKind, ValueType};

/// Runs `kernel`. `tensors` holds every parameter, with its fill if its declaration or format says one, and for every result an
/// empty tensor that says its fill, if one is declared, whether masks go by its values, and whether it is dense. What else is
/// written is dense.
///
/// Returns all tensors as they are afterwards.
///
/// # Errors
///
/// Says why a statement makes no sense. The compiler should have refused it.
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
    let mut run = Run { scope, params, types, declared, tensors: state, fresh: BTreeMap::new(), all_absent: false };
    for stmt in &kernel.body {
        run.statement(stmt)?;
    }
    run.fill_untouched();
    Ok(run.tensors)
}

impl<'a> Run<'a> {
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
            tensor.cells[at] = assigned(value, statement.ty, zero, (ty, fill));
            if let Some((fresh, _)) = self.fresh.get_mut(name) {
                fresh[at] = false;
            }
            return Ok(());
        }
        let nothing = statement.over.map_or(identity(assign.op, statement.ty), |semiring| constant(&semiring.zero));
        let starts = matches!(assign.op, AssignOp::Min | AssignOp::Max | AssignOp::Mul)
            && zero.is_none()
            && ty.is_number()
            && tensor.fill.is_none()
            && !tensor.full;
        let is_neutral = |x: Number| x.cast(statement.ty) == nothing.cast(statement.ty);
        if matches!(value, Known::Constant(x) if is_neutral(x)) {
            // What is computed where nothing is stored counts; what is neutral because nothing was folded does not.
            let counts = starts
                && identity(assign.op, ty) != fill
                && is_neutral(self.background(&assign.value, statement, statement.ty)?)
                && self.computes(&assign.value, nothing, statement.ty);
            if !counts {
                return Ok(());
            }
        }
        let tensor = &self.tensors[name];
        let added = match value {
            // What holds a number everywhere is added to as a number: NaN stays NaN.
            Known::Constant(x) if tensor.full => Known::Computed(x.cast(ty)),
            Known::Constant(x) => Known::Constant(x.cast(ty)),
            Known::Computed(x) => Known::Computed(x.cast(ty)),
        };
        let value = value.number();
        let missing = if starts { identity(assign.op, ty) } else { fill };
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
}

/// What a cell of a tensor with values of type `own` holds once `value` is assigned to it, which was computed in type `ty`; `None` if it then
/// has no entry. `zero` is that of the semiring, if there is one.
fn assigned(value: Known, ty: ValueType, zero: Option<Number>, (own, fill): (ValueType, Number)) -> Option<Number> {
    match value {
        // What folding nothing over a semiring gives is nothing, in whatever type.
        Known::Constant(x) if Some(x.cast(ty)) == zero.map(|zero| zero.cast(ty)) => {
            zero.map(|zero| zero.cast(own)).filter(|zero| *zero != fill)
        }
        Known::Constant(x) if x.cast(own) == fill => None,
        // An entry of a pattern is an entry, whatever was computed.
        _ if own == ValueType::Pattern => Some(Number::Bool(true)),
        Known::Computed(x) | Known::Constant(x) => Some(x.cast(own)),
    }
}

/// The tensors that a statement writes.
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
