//! Sums of a row of blocks: a short part of an array that a loop over blocks folds into is kept in a local array while the loop runs.
//!
//! ```text
//!                                                         let whole = i * 6 + 5 < rows
//!                                                         let y_i, local, of 6
//!                                                         if whole { y_i = y[i * 6..i * 6 + 6] }
//!   for p in pos[i]..pos[i + 1] {                         for p in pos[i]..pos[i + 1] {
//!     if i * 6 + 5 < rows && crd[p] * 6 + 5 < cols {        if whole && crd[p] * 6 + 5 < cols {
//!       for r in 0..6 { y[i * 6 + r] += … }                   for r in 0..6 { y_i[r] += … }
//!     } else {                                              } else {
//!                                                             if whole { y[i * 6..i * 6 + 6] = y_i }
//!       …                                                     …
//!                                                             if whole { y_i = y[i * 6..i * 6 + 6] }
//!     }                                                     }
//!   }                                                     }
//!                                                         if whole { y[i * 6..i * 6 + 6] = y_i }
//! ```
//!
//! Each element sees the same values in the same order as before. The part must exist, which a condition before the fold has to say. Blocks at
//! the edge, for which it may not hold, find the array as it would be.

use std::collections::HashSet;

use super::accumulate::{fixed, short};
use super::branch::leaves;
use crate::ir::expr::{BinaryOp, Expr, usize, var};
use crate::ir::kernel::{Kernel, Var, Vars};
use crate::ir::stmt::{Block, Partition, Stmt};
use crate::ir::types::{Literal, Scalar, Type};

/// What has more elements is left where it is: registers would not hold it.
const MAX_LEN: usize = 8;

/// Gives every loop that folds into a short part of an array a local array.
pub fn run(kernel: &mut Kernel) {
    super::replace(kernel, &mut kept);
}

/// A short part of an array.
struct Part {
    array: Var,
    /// Where it begins.
    from: Expr,
    len: usize,
    /// The conditions under which the loop folds into it and which are the same in every iteration. One of them says that it exists.
    conditions: Vec<Expr>,
}

/// The loop with a local array for the part that it folds into.
fn kept(stmt: &Stmt, kernel: &mut Kernel) -> Option<Vec<Stmt>> {
    let Stmt::For { var: p, lo, hi, body } = stmt else { return None };
    let mut inside = HashSet::from([*p]);
    body.visit(&mut |stmt| inside.extend(stmt.declares().into_iter().chain(stmt.writes())));
    let part = body.0.iter().find_map(|stmt| part(stmt, &inside))?;
    // A loop within a block comes to its end too soon to be worth it.
    let within = matches!(hi, Expr::Literal(_));
    if within || leaves(body) || [lo, hi].iter().any(|e| e.mentions(part.array)) || is_shared(part.array, kernel) {
        return None;
    }
    let scalar = kernel.vars[part.array].ty.array_scalar()?;
    let local = kernel.vars.fresh(name(&part, &kernel.vars), Type::array(scalar));
    let whole = kernel.vars.fresh("whole", Scalar::Bool);
    let keeping = Keeping { part: &part, local, whole };
    let mut body = body.clone();
    keeping.change(&mut body)?;
    let all = part.conditions.iter().cloned().reduce(Expr::and)?;
    let inner = Stmt::For { var: *p, lo: lo.clone(), hi: hi.clone(), body };
    let declared = [Stmt::Let(whole, all), Stmt::NewLocal { var: local, len: part.len }];
    Some(declared.into_iter().chain([keeping.load(), inner, keeping.store()]).collect())
}

/// `y_i` for the part of `y` that begins at `i * 6`.
fn name(part: &Part, vars: &Vars) -> String {
    let mut of = None;
    part.from.visit(&mut |e| of = of.or(e.own_vars().next()));
    format!("{}_{}", short(part.array, vars), of.map_or("part", |v| &vars[v].name))
}

/// Whether tasks share the array, and not parts of it.
fn is_shared(array: Var, kernel: &Kernel) -> bool {
    let mut shared = false;
    kernel.body.visit(&mut |stmt| {
        if let Stmt::Parallel { owned, .. } = stmt {
            shared |= owned.iter().any(|share| share.array == array && share.partition == Partition::Anywhere);
        }
    });
    shared
}

/// The part that a branch folds into, if its condition says that the part exists.
fn part(stmt: &Stmt, inside: &HashSet<Var>) -> Option<Part> {
    let Stmt::If { arms, .. } = stmt else { return None };
    let (condition, then) = arms.first()?;
    let (conditions, _) = divided(condition, inside);
    let mut found = None;
    each_fold(then, &mut Vec::new(), &mut |array, from, len| {
        if found.is_some() || !(2..=MAX_LEN).contains(&len) || !fixed(from, inside) {
            return;
        }
        let end = from.clone() + usize(len - 1);
        if conditions.iter().any(|c| matches!(c, Expr::Binary(BinaryOp::Lt, last, _) if **last == end)) {
            found = Some(Part { array, from: from.clone(), len, conditions: conditions.clone() });
        }
    });
    found.filter(|part| part.is_all_of(then))
}

impl Part {
    /// Whether a block does nothing with the array but to fold into this part.
    fn is_all_of(&self, block: &Block) -> bool {
        let mut folds = 0;
        each_fold(block, &mut Vec::new(), &mut |array, from, len| {
            folds += usize::from(array == self.array && *from == self.from && len == self.len);
        });
        folds == block.uses(self.array)
    }
}

/// Calls `f` with the array, the start and the length for every fold into `array[start + r]` in loops over `r` in `0..len`.
fn each_fold(block: &Block, counters: &mut Vec<(Var, usize)>, f: &mut impl FnMut(Var, &Expr, usize)) {
    for stmt in &block.0 {
        match stmt {
            Stmt::StoreUpdate(array, Expr::Binary(BinaryOp::Add, from, last), _, _) => {
                if let Some((_, len)) = counters.iter().find(|(r, _)| **last == var(*r)) {
                    f(*array, from, *len);
                }
            }
            Stmt::For { var: r, lo, hi: Expr::Literal(Literal::Usize(len)), body } if *lo == usize(0) => {
                counters.push((*r, *len));
                each_fold(body, counters, f);
                counters.pop();
            }
            _ => {}
        }
    }
}

/// The parts of a condition that are comparisons of what is the same in every iteration, and its other parts.
fn divided(condition: &Expr, inside: &HashSet<Var>) -> (Vec<Expr>, Vec<Expr>) {
    match condition {
        Expr::Binary(BinaryOp::And, x, y) => {
            let (mut same, mut other) = divided(x, inside);
            let (more, others) = divided(y, inside);
            same.extend(more);
            other.extend(others);
            (same, other)
        }
        Expr::Binary(op, x, y) if op.is_comparison() && fixed(x, inside) && fixed(y, inside) => {
            (vec![condition.clone()], Vec::new())
        }
        _ => (Vec::new(), vec![condition.clone()]),
    }
}

/// A part that is kept in a local array where it exists.
struct Keeping<'p> {
    part: &'p Part,
    local: Var,
    /// Whether the part exists.
    whole: Var,
}

impl Keeping<'_> {
    fn load(&self) -> Stmt {
        let Part { array, from, len, .. } = self.part;
        let (at, first, from) = (usize(0), from.clone(), *array);
        Stmt::when(var(self.whole), Stmt::CopyPart { array: self.local, at, from, first, len: *len })
    }

    fn store(&self) -> Stmt {
        let Part { array, from, len, .. } = self.part;
        let (at, first) = (from.clone(), usize(0));
        Stmt::when(var(self.whole), Stmt::CopyPart { array: *array, at, from: self.local, first, len: *len })
    }

    /// Has branches of the loop that fold into the part fold into the local array, and others find the array as it would be. `None` if
    /// the array is used outside of branches.
    fn change(&self, body: &mut Block) -> Option<()> {
        for stmt in &mut body.0 {
            let Stmt::If { arms, otherwise } = stmt else {
                if Block::from(stmt.clone()).mentions(self.part.array) {
                    return None;
                }
                continue;
            };
            for (nth, (condition, then)) in arms.iter_mut().enumerate() {
                if condition.mentions(self.part.array) {
                    return None;
                }
                if nth == 0 && self.narrow(condition) && self.part.is_all_of(then) {
                    then.0.iter_mut().for_each(|stmt| self.replace(stmt));
                } else {
                    self.around(then);
                }
            }
            self.around(otherwise);
        }
        Some(())
    }

    /// Whether a condition implies that the part exists. It then asks for that by the name.
    fn narrow(&self, condition: &mut Expr) -> bool {
        let mut others = Vec::new();
        flat(condition, &mut others);
        let before = others.len();
        others.retain(|c| !self.part.conditions.contains(c));
        let implies = before - others.len() == self.part.conditions.len();
        if implies {
            *condition = others.into_iter().fold(var(self.whole), Expr::and);
        }
        implies
    }

    fn replace(&self, stmt: &mut Stmt) {
        if let Stmt::StoreUpdate(array, at, _, _) = stmt
            && *array == self.part.array
            && let Expr::Binary(BinaryOp::Add, _, last) = &*at
        {
            (*array, *at) = (self.local, (**last).clone());
        }
        for block in stmt.blocks_mut() {
            block.0.iter_mut().for_each(|stmt| self.replace(stmt));
        }
    }

    /// Writes the part back before a block that uses the array, and reads it again behind the block.
    fn around(&self, block: &mut Block) {
        if block.mentions(self.part.array) {
            block.0.insert(0, self.store());
            block.push(self.load());
        }
    }
}

/// The parts of a conjunction.
fn flat(condition: &Expr, parts: &mut Vec<Expr>) {
    match condition {
        Expr::Binary(BinaryOp::And, x, y) => {
            flat(x, parts);
            flat(y, parts);
        }
        _ => parts.push(condition.clone()),
    }
}
