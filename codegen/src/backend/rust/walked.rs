//! Which arrays a loop walks along: the condition under which it becomes an iterator over slices.

use super::Emitter;
use crate::ir::expr::{BinaryOp, Expr};
use crate::ir::kernel::Var;
use crate::ir::stmt::{Block, Stmt};
use crate::ir::types::Scalar;

/// More arrays than this side by side are no longer pleasant to read.
const MAX_ARRAYS: usize = 4;

/// The positions that a loop visits.
pub(super) enum Stretch<'a> {
    /// From one expression up to another.
    Bounds(&'a Expr, &'a Expr),
    /// The block of iterations that a task was given, which is called `block`.
    Block,
}

/// An array that is walked along.
pub(super) struct Walked {
    pub array: Var,
    /// The position that is read or written: the loop variable, or at a distance from it.
    pub at: Expr,
    /// Whether it is the loop variable itself.
    pub plain: bool,
    pub written: bool,
}

impl Emitter<'_> {
    /// The arrays that the body walks along, in the order of their first mention; `None` if the loop is no walk.
    pub(super) fn walked(&self, p: Var, stretch: &Stretch<'_>, body: &Block) -> Option<Vec<Walked>> {
        let arrays = arrays_along(p, body).filter(|arrays| !arrays.is_empty() && arrays.len() <= MAX_ARRAYS)?;
        let mut declared: Vec<Var> = Vec::new();
        body.visit(&mut |stmt| declared.extend(stmt.declares()));
        let can_be_walked = |walked: &Walked| {
            self.is_slice_of_scalars(walked, &declared)
                && is_independent(walked, stretch, body)
                && keeps_distance(walked, p, &declared, body)
                && (walked.plain || self.is_in_range(walked, p, body))
        };
        arrays.iter().all(can_be_walked).then_some(arrays)
    }

    /// Whether an array holds scalars, from outside of the loop and for this thread alone.
    fn is_slice_of_scalars(&self, walked: &Walked, declared: &[Var]) -> bool {
        let scalar = self.kernel.vars[walked.array].ty.array_scalar();
        // `pos[i]..pos[i + 1]` reads better than two names for its ends.
        let ends = scalar == Some(Scalar::Usize) && !walked.plain;
        scalar.is_some() && !ends && !declared.contains(&walked.array) && !self.shared.borrow().contains(&walked.array)
    }

    /// Whether a row that a loop goes along is sure to lie inside of its array. What only parameters and the loops around say does;
    /// the position of an operand that may have no entry here lies inside where the body touches it, and a body that does so under
    /// a condition may not have come to it.
    fn is_in_range(&self, walked: &Walked, p: Var, body: &Block) -> bool {
        self.is_of_loops(&walked.at, p) || always_touches(walked, body)
    }

    /// Whether a position depends on nothing but parameters and variables of `for` loops.
    pub(super) fn is_of_loops(&self, at: &Expr, p: Var) -> bool {
        let mut of_loops = true;
        at.visit(&mut |e| {
            of_loops &= match e {
                Expr::Var(v) => *v == p || self.is_param(*v) || self.is_counted(*v),
                Expr::Load(..) => false,
                _ => true,
            }
        });
        of_loops
    }

    /// Whether a variable is that of a `for` loop.
    fn is_counted(&self, v: Var) -> bool {
        let mut counted = false;
        self.kernel.body.visit(&mut |stmt| {
            counted |= match stmt {
                Stmt::For { var, .. } | Stmt::Parallel { var, .. } | Stmt::Gather { coord: var, .. } => *var == v,
                _ => false,
            }
        });
        counted
    }
}

/// The arrays at the positions `p` or at a distance from them; `None` if the body uses `p` for anything else.
fn arrays_along(p: Var, body: &Block) -> Option<Vec<Walked>> {
    let mut sequential = true;
    let mut arrays: Vec<Walked> = Vec::new();
    // Elements of arrays at `p`, and mentions of `p` at all.
    let (mut elements, mut mentions) = (0usize, 0usize);
    let mut note = |array: Var, at: &Expr, written: bool, arrays: &mut Vec<Walked>| {
        if !steps(at, p) {
            return;
        }
        elements += 1;
        match arrays.iter_mut().find(|w| w.array == array && w.at == *at) {
            Some(walked) => walked.written |= written,
            None => arrays.push(Walked { array, at: at.clone(), plain: *at == Expr::Var(p), written }),
        }
    };
    body.visit(&mut |stmt| {
        match stmt {
            Stmt::Parallel { .. } => sequential = false,
            Stmt::Store(a, at, _) | Stmt::StoreUpdate(a, at, _, _) => note(*a, at, true, &mut arrays),
            _ => {}
        }
        for expr in stmt.exprs() {
            expr.visit(&mut |e| match e {
                Expr::Var(q) if *q == p => mentions += 1,
                Expr::Load(a, at) => note(*a, at, false, &mut arrays),
                _ => {}
            });
        }
    });
    (sequential && elements == mentions).then_some(arrays)
}

/// Whether the array can be borrowed for the whole loop: nothing writes to what is only read, and nothing else reads what is written.
fn is_independent(walked: &Walked, stretch: &Stretch<'_>, body: &Block) -> bool {
    let array = walked.array;
    if !walked.written {
        return !body.changes(array);
    }
    let read_by_bounds = match stretch {
        Stretch::Bounds(lo, hi) => lo.mentions(array) || hi.mentions(array) && **hi != Expr::Len(array),
        Stretch::Block => false,
    };
    !read_by_bounds && !mentioned_elsewhere(walked, body)
}

/// Whether the distance of the position from `p` is the same all through the loop.
fn keeps_distance(walked: &Walked, p: Var, declared: &[Var], body: &Block) -> bool {
    let mut same = true;
    walked.at.visit(&mut |e| {
        same &= match e {
            Expr::Var(v) => *v == p || !declared.contains(v) && !body.changes(*v),
            Expr::Load(a, _) | Expr::Len(a) => !body.changes(*a),
            Expr::Literal(_) | Expr::Binary(..) => true,
            _ => false,
        }
    });
    same
}

/// Whether a position is `p`, or always as far from it.
fn steps(at: &Expr, p: Var) -> bool {
    match at {
        Expr::Var(q) => *q == p,
        Expr::Binary(BinaryOp::Add, x, y) => steps(x, p) && !y.mentions(p) || steps(y, p) && !x.mentions(p),
        Expr::Binary(BinaryOp::Sub, x, y) => steps(x, p) && !y.mentions(p),
        _ => false,
    }
}

/// Whether the body reads or writes the array where it is walked along, whatever its conditions are.
fn always_touches(walked: &Walked, body: &Block) -> bool {
    fn reads(e: &Expr, walked: &Walked) -> bool {
        match e {
            Expr::Load(a, at) if *a == walked.array && **at == walked.at => true,
            Expr::Select(condition, _, _) => reads(condition, walked),
            Expr::Binary(BinaryOp::And | BinaryOp::Or, first, _) => reads(first, walked),
            Expr::Load(_, x) | Expr::Unary(_, x) | Expr::Cast(_, x) => reads(x, walked),
            Expr::Binary(_, x, y) => reads(x, walked) || reads(y, walked),
            Expr::Call(_, args, _) => args.iter().any(|x| reads(x, walked)),
            _ => false,
        }
    }
    body.0.iter().any(|stmt| {
        let writes = matches!(stmt, Stmt::Store(a, at, _) | Stmt::StoreUpdate(a, at, _, _) if *a == walked.array && *at == walked.at);
        // Of a branch only the first condition is sure to be evaluated, and nothing of what is in it.
        let exprs = match stmt {
            Stmt::If { .. } => stmt.exprs().into_iter().take(1).collect(),
            _ => stmt.exprs(),
        };
        writes || exprs.into_iter().any(|e| reads(e, walked))
    })
}

/// Whether the body reads or writes the array anywhere but where it is walked along.
fn mentioned_elsewhere(walked: &Walked, body: &Block) -> bool {
    let mut found = false;
    body.visit(&mut |stmt| {
        let here = matches!(stmt, Stmt::Store(a, at, _) | Stmt::StoreUpdate(a, at, _, _) if *a == walked.array && *at == walked.at);
        found |= !here && (stmt.writes().contains(&walked.array) || stmt.own_reads().contains(&walked.array));
    });
    body.visit_exprs(&mut |e| {
        let here = matches!(e, Expr::Load(a, i) if *a == walked.array && **i == walked.at);
        found |= !here && e.names(walked.array);
    });
    found
}
