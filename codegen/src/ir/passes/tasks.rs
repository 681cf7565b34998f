//! What a task does with its arrays, so that each access costs what it does in a routine for one thread.
//!
//! ```text
//!   parallel for task in 0..tasks                  parallel for task in 0..tasks
//!       owns b_pos by rows from 1                      owns b_pos by rows from 1
//!       owns b_crd anywhere                            owns b_crd anywhere
//!       owns b_vals anywhere {                         owns b_vals anywhere
//!                                                      each task has {
//!                                                        let b_vals = written part b_vals[0..len(b_crd)]
//!                                                      } {
//!                                                    let b_pos = written part b_pos[task * rows + 1..…]
//!     let at = b_pos[task * rows + i + 1]            let at = b_pos[i]
//!     b_pos[task * rows + i + 1] = at + 1            b_pos[i] = at + 1
//!     b_crd[at] = j                                  b_crd[at] = j
//!     b_vals[at] = a_ij                              b_vals[at] = a_ij
//!   }                                              }
//! ```
//!
//! The part that a task has for itself is an array whose positions begin with the part: no sum, and one comparison. Shared arrays of one
//! length get that length from one number, so that a position which lies inside of one of them is known to lie inside of the others.

use crate::ir::expr::{Expr, len, usize, var};
use crate::ir::kernel::{Kernel, Var, Vars};
use crate::ir::stmt::{Block, Owned, Partition, Stmt};

/// Rewrites every loop whose iterations are tasks.
pub fn run(kernel: &mut Kernel) {
    let mut vars = std::mem::take(&mut kernel.vars);
    let whole = kernel.body.clone();
    block(&mut kernel.body, &whole, &mut vars);
    kernel.vars = vars;
}

fn block(b: &mut Block, kernel: &Block, vars: &mut Vars) {
    for stmt in &mut b.0 {
        if let Stmt::Parallel { var: task, owned, work, scratch, body, .. } = stmt
            && work.is_task
        {
            alike(owned, scratch, body, kernel, vars);
            for share in owned.iter().rev() {
                own_part(*task, share, body, vars);
            }
        }
        stmt.blocks_mut().into_iter().for_each(|inner| block(inner, kernel, vars));
    }
}

/// Names the part that a task has of an array for itself, if it uses nothing else of it.
fn own_part(task: Var, share: &Owned, body: &mut Block, vars: &mut Vars) {
    let (array, Partition::Each { offset, stride }) = (share.array, &share.partition) else { return };
    let begins = [var(task) * stride.clone(), offset.clone()];
    let Some(mut part) = relative(body, array, &begins) else { return };
    let slice = part_of(array, vars);
    each_element(&mut part, array, &mut |name, _| *name = slice);
    let end = (var(task) + usize(1)) * stride.clone();
    let (lo, hi) = (sum(begins), sum([end, offset.clone()]));
    part.0.insert(0, Stmt::Slice { slice, array, lo, hi, written: true });
    *body = part;
}

/// Has shared arrays that are of one length be parts of it, where they are.
fn alike(owned: &[Owned], scratch: &mut Block, body: &mut Block, kernel: &Block, vars: &mut Vars) {
    let shared = owned.iter().filter(|share| share.partition == Partition::Anywhere).map(|share| share.array);
    let mut shared: Vec<Var> = shared.filter(|array| body.mentions(*array)).collect();
    shared.sort_unstable();
    let mut known: Vec<(Var, Var)> = Vec::new();
    for array in shared {
        let Some(length) = fixed_length(array, kernel) else { continue };
        match known.iter().find(|(other, _)| *other == length) {
            Some((_, first)) => {
                let slice = part_of(array, vars);
                scratch.push(Stmt::Slice { slice, array, lo: usize(0), hi: len(*first), written: true });
                each_element(body, array, &mut |name, _| *name = slice);
            }
            None => known.push((length, array)),
        }
    }
}

/// The variable that says how many elements an array has, if it is made once, of a length that has a name, and keeps it.
fn fixed_length(array: Var, kernel: &Block) -> Option<Var> {
    let (mut made, mut keeps) = (Vec::new(), true);
    kernel.visit(&mut |stmt| match stmt {
        Stmt::NewArray { var, len, .. } if *var == array => made.push(len.clone()),
        Stmt::Push(a, _) | Stmt::Resize { array: a, .. } => keeps &= *a != array,
        Stmt::Gather { crd, vals, .. } => keeps &= *crd != array && *vals != array,
        _ => {}
    });
    match made[..] {
        [Expr::Var(len)] if keeps && !kernel.changes(len) => Some(len),
        _ => None,
    }
}

/// A variable for a part of an array, which has its name.
fn part_of(array: Var, vars: &mut Vars) -> Var {
    vars.fresh(vars[array].name.clone(), vars[array].ty.part())
}

/// A block with the positions in an array counted from a sum of terms on, if each of them is a sum of these terms and others, and the block
/// does nothing else with the array.
pub fn relative(block: &Block, array: Var, terms: &[Expr]) -> Option<Block> {
    let (mut relative, mut counted) = (block.clone(), 0);
    each_element(&mut relative, array, &mut |_, at| {
        if let Some(rest) = without(at, terms) {
            *at = rest;
            counted += 1;
        }
    });
    (counted > 0 && counted == block.uses(array)).then_some(relative)
}

/// Calls `f` wherever a block names an array to read or write an element, with the position of that.
fn each_element(block: &mut Block, array: Var, f: &mut impl FnMut(&mut Var, &mut Expr)) {
    for stmt in &mut block.0 {
        for expr in stmt.exprs_mut() {
            expr.rewrite(&mut |e| match e {
                Expr::Load(a, at) if *a == array => f(a, at),
                _ => {}
            });
        }
        match stmt {
            Stmt::Store(a, at, _) | Stmt::StoreUpdate(a, at, _, _) if *a == array => f(a, at),
            _ => {}
        }
        for inner in stmt.blocks_mut() {
            each_element(inner, array, f);
        }
    }
}

/// What is left of a sum without some of its terms; `None` if it lacks one of them.
pub fn without(position: &Expr, terms: &[Expr]) -> Option<Expr> {
    let mut all: Vec<Expr> = position.terms().into_iter().cloned().collect();
    for term in terms.iter().filter(|term| !is_zero(term)) {
        let at = all.iter().position(|one| one == term)?;
        all.remove(at);
    }
    Some(sum(all))
}

/// The sum of some terms.
fn sum(terms: impl IntoIterator<Item = Expr>) -> Expr {
    let terms = terms.into_iter().filter(|term| !is_zero(term));
    terms.reduce(|sum, term| sum + term).unwrap_or(usize(0))
}

fn is_zero(e: &Expr) -> bool {
    *e == usize(0)
}
