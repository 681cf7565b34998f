//! Sparse results that several statements write: each statement makes a version of its own.
//!
//! ```text
//! C(i,j) = A(i,j)                 C1(i,j) = A(i,j)
//! C(i,j) += B(i,k) * B(k,j)       C2(i,j) += B(i,k) * B(k,j);  C(i,j) = C1(i,j) + C2(i,j)
//! ```
//!
//! A sparse tensor cannot be written in place, but merged with what is added to it. What reads C in between reads the version that
//! is the newest there.
//!
//! A sparse parameter that is written stays as it is, too: what it becomes is returned, under its name and in its format. So
//! `A(i,j) = A(i,j) without D(i,j)` takes an `A` and gives another one back.

use std::sync::Arc;

use super::algebra::{annihilated, background, changes_nothing};
use super::ast::{Literal, ValueType};
use super::concrete::*;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::format::{Format, FormatLevel};
use crate::level::{Kinds, Switches};

/// Splits sparse results that are written more than once.
///
/// # Errors
///
/// Several statements that cannot be split: loops written by hand, and reductions that no operator merges.
pub fn split(kernel: &mut Kernel) -> Result<(), Diagnostics> {
    for at in 0..kernel.tensors.len() {
        let id = TensorId(at);
        let tensor = kernel.tensor(id);
        if tensor.role == Role::Param || tensor.is_full() {
            continue;
        }
        let writers = kernel.body.iter().filter(|statement| writes(statement, id)).count();
        if writers > 1 {
            split_one(kernel, id, writers, false)?;
        }
    }
    Ok(())
}

/// Splits sparse parameters that are written: their last version is a result. `open` has the tensors without a declared fill.
///
/// # Errors
///
/// Those of [`split`].
pub fn split_params(kernel: &mut Kernel, open: &[TensorId]) -> Result<(), Diagnostics> {
    for at in 0..kernel.tensors.len() {
        let id = TensorId(at);
        let tensor = kernel.tensor(id);
        let by_hand = |statement: &Statement| matches!(statement, Statement::Concrete(_)) && writes(statement, id);
        // Loops written by hand say themselves where each value goes: lowering says what is wrong with that.
        if tensor.role != Role::Param || tensor.is_full() || kernel.body.iter().any(by_hand) {
            continue;
        }
        let writers = kernel.body.iter().filter(|statement| writes(statement, id)).count();
        if writers > 0 {
            let open = open.contains(&id);
            let fill = if open { first_fill(kernel, id) } else { tensor.fill };
            kernel.tensors.push(Tensor { role: Role::Result, fill, ..kernel.tensor(id).clone() });
            split_one(kernel, id, writers, open)?;
        }
    }
    Ok(())
}

/// The fill that a parameter without a declared one has once it is written: the zero of the semiring of the first statement that writes it,
/// or 0.
fn first_fill(kernel: &Kernel, id: TensorId) -> Literal {
    let over = kernel.body.iter().find_map(|statement| match statement {
        Statement::Index(assign) if assign.target.tensor == id => Some(assign.over.as_ref()),
        _ => None,
    });
    over.flatten().map_or(Literal::Int(0), |semiring| semiring.zero)
}

fn writes(statement: &Statement, id: TensorId) -> bool {
    match statement {
        Statement::Index(assign) => assign.target.tensor == id,
        Statement::Concrete(stmt) => stmt.written().contains(&id),
    }
}

fn split_one(kernel: &mut Kernel, id: TensorId, writers: usize, open: bool) -> Result<(), Diagnostics> {
    if kernel.views.values().any(|view| view.of == id) {
        let tensor = kernel.tensor(id);
        let message = format!("`{}` is not dense, and is written beside accesses to parts of it", tensor.name);
        return Err(Diagnostic::new(tensor.span, message)
            .help("take the part in a kernel of its own, or pass the tensor in a dense format")
            .into());
    }
    let holds = kernel.tensor(id).role == Role::Param;
    // What the last statement writes.
    let made = if holds { TensorId(kernel.tensors.len() - 1) } else { id };
    let tensor = Tensor { role: kernel.tensor(id).role, ..kernel.tensor(made).clone() };
    let mut split = Split { made, newest: id, written: 0, writers, open, tensor };
    for mut statement in std::mem::take(&mut kernel.body) {
        let writes = writes(&statement, id);
        let assign = match &mut statement {
            Statement::Concrete(stmt) if writes => {
                let mut span = split.tensor.span;
                stmt.assigns(&mut |assign| span = assign.span);
                let message =
                    format!("`{}` is not dense, and is written by this and by another statement", split.tensor.name);
                return Err(Diagnostic::new(span, message)
                    .help("write all of it in these loops, or write the other statements without loops")
                    .into());
            }
            Statement::Concrete(stmt) => {
                stmt.assigns_mut(&mut |assign| split.renew(assign, id));
                kernel.body.push(statement);
                continue;
            }
            Statement::Index(assign) => assign,
        };
        split.renew(assign, id);
        if writes {
            split.written += 1;
            let assign = assign.clone();
            split.write(kernel, assign, holds)?;
        } else {
            kernel.body.push(statement);
        }
    }
    Ok(())
}

/// A sparse tensor that several statements write.
struct Split {
    /// The tensor as its last statement leaves it.
    made: TensorId,
    /// The version that is read at this place.
    newest: TensorId,
    /// How many of its statements have been passed.
    written: usize,
    writers: usize,
    /// Whether it is a parameter without a declared fill.
    open: bool,
    /// What all versions are like.
    tensor: Tensor,
}

impl Split {
    /// Reads the newest version in place of `old`.
    fn renew(&self, assign: &mut Assign, old: TensorId) {
        let set = |access: &mut Access| {
            if access.tensor == old && self.newest != old {
                access.tensor = self.newest;
                access.fill = self.tensor.fill;
            }
        };
        assign.value.accesses_mut(&mut { set });
        if let Some(mask) = &mut assign.mask {
            set(&mut mask.access);
        }
    }

    /// What this statement writes.
    fn version(&self, kernel: &mut Kernel) -> TensorId {
        if self.written == self.writers { self.made } else { self.temporary(kernel, self.tensor.fill) }
    }

    /// An intermediate version. It stays inside the kernel. No format is declared for it, so it has no stores.
    fn temporary(&self, kernel: &mut Kernel, fill: Literal) -> TensorId {
        let format = self.tensor.format.clone().map(without_stores);
        kernel.fresh_tensor(Tensor { role: Role::Temporary, fill, format, ..self.tensor.clone() })
    }

    /// Adds what makes the version that `assign` leaves: `assign` alone if it needs no old values, otherwise also a merge with the newest
    /// version. `holds` says whether there are old values before the first statement.
    fn write(&mut self, kernel: &mut Kernel, assign: Assign, holds: bool) -> Result<(), Diagnostics> {
        let old = self.newest;
        let first = self.written == 1;
        let Some(reduce) = assign.reduce else {
            if assign.mask.is_some() && (holds || !first) {
                return self.replace(kernel, assign);
            }
            self.newest = self.version(kernel);
            let target = Access { tensor: self.newest, ..assign.target };
            kernel.body.push(Statement::Index(Assign { target, ..assign }));
            return Ok(());
        };
        if first && !holds {
            self.newest = self.version(kernel);
            let target = Access { tensor: self.newest, ..assign.target };
            kernel.body.push(Statement::Index(Assign { target, ..assign }));
            return Ok(());
        }
        let Tensor { value: own, fill, .. } = self.tensor;
        let operator = match (&assign.over, reduce) {
            (Some(semiring), _) => Operator::Plus(semiring.clone()),
            (None, Reduction::Or | Reduction::And) if own.is_number() => {
                let message = format!("`{}` is made already, and is not dense", self.tensor.name);
                return Err(Diagnostic::new(assign.span, message).help("compute it in one statement").into());
            }
            (None, reduce) => reduce.operator(),
        };
        let neutral = assign.over.as_ref().map_or(reduce.identity(own), |semiring| semiring.zero);
        // Where an old value is missing, the reduction starts from its neutral element.
        let starts = self.open && first && own.is_number() && !same(neutral, fill);
        let old = Access { tensor: old, fill, ..assign.target.clone() };
        let ty = assign.computed_type(&kernel.tensors);
        let sums = assign.value.indices().iter().any(|index| !assign.target.indices.contains(index));
        let zero = assign.over.as_ref().map(|semiring| semiring.zero);
        let adds_nothing = starts && changes_nothing(reduce, zero, background(&assign.value), ty);
        // The right side becomes a value of the tensor's type before it is merged with the old value.
        let value = match assign.value.clone() {
            value if ty == own => value,
            // It is computed in the type of the statement, and converted as a whole.
            value => Expr::Apply(Operator::As(own), vec![Expr::Apply(Operator::As(ty), vec![value])]),
        };
        if adds_nothing && !holds_neutral(&assign.value, reduce, ty) {
            let old = Access { fill: neutral, ..old };
            return self.fold_everywhere(kernel, assign, operator, old, if sums { None } else { Some(value) });
        }
        if !sums && assign.mask.is_none() && !adds_nothing {
            let old = if starts { Access { fill: neutral, ..old } } else { old };
            self.merge(kernel, &assign, operator, old, value);
            return Ok(());
        }
        // An absent value that changes old values would be written wherever the mask allows it. What follows from fills alone is not
        // stored, and must not be computed with as a number either (`-inf * 0`).
        let absent = background(&assign.value);
        let changes = !changes_nothing(reduce, zero, absent, ty)
            && (self.tensor.format.as_ref().is_some_and(Format::keeps_entries_only)
                || annihilated(&operator, 1, absent).is_some() && number(fill).is_infinite());
        if !sums && !adds_nothing && (starts || changes || ty != own && assign.over.is_none()) {
            // The old value is folded in where the mask is. So is what leaves the reduction alone as a value of the tensor's type only,
            // such as 0 for `max=` of unsigned integers.
            let old = Expr::Access(if starts { Access { fill: neutral, ..old } } else { old });
            let value = Expr::Apply(operator, vec![old, value]);
            return self.replace(kernel, Assign { reduce: None, value, ..assign });
        }
        let added = self.temporary(kernel, neutral);
        let target = Access { tensor: added, fill: neutral, ..assign.target.clone() };
        kernel.body.push(Statement::Index(Assign { target, ..assign.clone() }));
        let (operator, neutral) = match starts {
            true => (Operator::Function(Arc::new(either(reduce.symbol(), fill, operator))), fill),
            false => (operator, neutral),
        };
        let added = Access { tensor: added, fill: neutral, ..assign.target.clone() };
        self.merge(kernel, &assign, operator, old, Expr::Access(added));
        Ok(())
    }

    /// `R(i) *= a(i) + 1`: where `a` has no entry, the right side is computed, and happens to be the neutral element. Such a value is an
    /// entry, and is stored wherever the mask allows it. `value` is what is folded in; `None` if that is a sum.
    fn fold_everywhere(
        &mut self,
        kernel: &mut Kernel,
        assign: Assign,
        operator: Operator,
        old: Access,
        value: Option<Expr>,
    ) -> Result<(), Diagnostics> {
        let value = value.unwrap_or_else(|| {
            let target = Access { tensor: self.temporary(kernel, old.fill), fill: old.fill, ..assign.target.clone() };
            kernel.body.push(Statement::Index(Assign { target: target.clone(), ..assign.clone() }));
            Expr::Access(target)
        });
        if assign.mask.is_none() {
            self.merge(kernel, &assign, operator, old, value);
            return Ok(());
        }
        let value = Expr::Apply(operator, vec![Expr::Access(old), value]);
        self.replace(kernel, Assign { reduce: None, value, ..assign })
    }

    /// `C(i,j)<M> = …` keeps what is masked out: the old values under the opposite mask are merged with those that are written.
    fn replace(&mut self, kernel: &mut Kernel, assign: Assign) -> Result<(), Diagnostics> {
        let fill = self.tensor.fill;
        let [zero, least, most] = [0.0, f64::INFINITY, f64::NEG_INFINITY].map(|x| number(fill) == x);
        let operator = match (zero, least, most) {
            (true, ..) => Operator::Add,
            (_, true, _) => Operator::Min,
            (_, _, true) => Operator::Max,
            _ if self.tensor.format.as_ref().is_some_and(Format::keeps_entries_only) => {
                Operator::Function(Arc::new(either("either", fill, Operator::Second)))
            }
            _ => {
                let name = &self.tensor.name;
                let message = format!("`{name}` keeps places for more than its entries, which are {fill} here");
                return Err(Diagnostic::new(assign.span, message)
                    .help("write what is masked into a tensor of its own, in a format that keeps entries only")
                    .into());
            }
        };
        let [kept, written] = [(); 2].map(|()| self.temporary(kernel, fill));
        let of = |tensor: TensorId| Access { tensor, fill, ..assign.target.clone() };
        let mask = assign.mask.clone().map(|mask| Mask { negated: !mask.negated, ..mask });
        let old = Expr::Access(of(self.newest));
        let keep = Assign { target: of(kept), mask, reduce: None, value: old, over: None, span: assign.span };
        kernel.body.push(Statement::Index(keep));
        kernel.body.push(Statement::Index(Assign { target: of(written), ..assign.clone() }));
        self.merge(kernel, &Assign { over: None, ..assign.clone() }, operator, of(kept), Expr::Access(of(written)));
        Ok(())
    }

    /// The next version: `operator` of the old one and of what is added.
    fn merge(&mut self, kernel: &mut Kernel, assign: &Assign, operator: Operator, old: Access, added: Expr) {
        self.newest = self.version(kernel);
        kernel.body.push(Statement::Index(Assign {
            target: Access { tensor: self.newest, fill: self.tensor.fill, ..assign.target.clone() },
            mask: None,
            reduce: None,
            value: Expr::Apply(operator, vec![Expr::Access(old), added]),
            over: assign.over.clone(),
            span: assign.span,
        }));
    }
}

/// Whether the fill of an operand of `value` is the neutral element of a reduction: where it is absent, nothing is folded in. For `min=`
/// and `max=` any infinite fill counts, since a sign or a factor may make the neutral element of it.
fn holds_neutral(value: &Expr, reduce: Reduction, ty: ValueType) -> bool {
    let mut holds = false;
    let infinite = matches!(reduce, Reduction::Min | Reduction::Max);
    value.accesses(&mut |access| {
        holds |= changes_nothing(reduce, None, access.fill, ty) || infinite && number(access.fill).is_infinite();
    });
    holds
}

/// A format with compressed levels in place of stores.
fn without_stores(mut format: Format) -> Format {
    for level in format.levels.iter_mut().filter(|level| level.is_store()) {
        *level = FormatLevel::new(level.coordinate.clone(), Kinds::list(), Vec::new(), Switches::default());
    }
    format
}

/// `operator` as a function: a side that is not stored, and so is `absent`, leaves the other one alone.
fn either(name: &str, absent: Literal, operator: Operator) -> Function {
    Function {
        name: name.trim_end_matches('=').to_owned(),
        params: vec!["old".into(), "new".into()],
        annihilator: None,
        identity: Some(absent),
        body: Ok(Expr::Apply(operator, vec![Expr::Argument(0), Expr::Argument(1)])),
        size: 3,
        height: 2,
    }
}
