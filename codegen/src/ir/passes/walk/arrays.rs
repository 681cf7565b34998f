//! Which arrays a loop can go along.

use std::collections::HashSet;

use crate::ir::expr::{BinaryOp, Expr};
use crate::ir::kernel::{Kernel, Var};
use crate::ir::stmt::{Block, Stmt, steps_with};
use crate::ir::types::Scalar;

/// An element that an iteration reads or writes.
pub(super) struct Place {
    pub array: Var,
    /// The position: what the loop counts, or at a distance from it.
    pub at: Expr,
    pub written: bool,
}

impl Place {
    pub fn is_at(&self, p: Var) -> bool {
        self.at == Expr::Var(p)
    }

    /// Whether an expression is the element.
    pub fn is_read_by(&self, e: &Expr) -> bool {
        matches!(e, Expr::Load(array, at) if *array == self.array && **at == self.at)
    }

    /// Whether a statement itself changes the element and nothing else.
    fn is_written_by(&self, stmt: &Stmt) -> bool {
        matches!(stmt, Stmt::Store(array, at, _) | Stmt::StoreUpdate(array, at, ..) if *array == self.array && *at == self.at)
    }
}

/// What is known of what is around a loop.
pub(super) struct Around {
    /// The variables that loops count, or that number rows.
    pub counted: HashSet<Var>,
    /// Arrays of which any iteration of a loop around may have any element.
    pub shared: Vec<Var>,
}

impl Around {
    /// The elements that the body of a loop uses, in the order of their first mention; `None` if the loop cannot go along their arrays.
    pub(super) fn places(
        &self,
        kernel: &Kernel,
        p: Var,
        bounds: Option<(&Expr, &Expr)>,
        body: &Block,
        most: usize,
    ) -> Option<Vec<Place>> {
        let places = places(p, body).filter(|places| !places.is_empty() && places.len() <= most)?;
        let mut declared: Vec<Var> = Vec::new();
        body.visit(&mut |stmt| declared.extend(stmt.declares()));
        let fits = |place: &Place| {
            self.is_array_of_scalars(kernel, place, p, &declared)
                && is_independent(place, bounds, body)
                && keeps_distance(place, p, &declared, body)
                && (place.is_at(p) || self.is_in_range(kernel, place, p, body))
        };
        places.iter().all(fits).then_some(places)
    }

    /// Whether an array holds scalars, from outside of the loop and for this thread alone.
    fn is_array_of_scalars(&self, kernel: &Kernel, place: &Place, p: Var, declared: &[Var]) -> bool {
        let scalar = kernel.vars[place.array].ty.array_scalar();
        // `pos[i]..pos[i + 1]` reads better than two names for its ends.
        let ends = scalar == Some(Scalar::Usize) && !place.is_at(p);
        scalar.is_some() && !ends && !declared.contains(&place.array) && !self.shared.contains(&place.array)
    }

    /// Whether a row that a loop goes along is sure to lie inside of its array. What only parameters and the loops around say does;
    /// the position of an operand that may have no entry here lies inside where the body touches it, and a body that does so under
    /// a condition may not have come to it.
    fn is_in_range(&self, kernel: &Kernel, place: &Place, p: Var, body: &Block) -> bool {
        let counted = |v: Var| v == p || self.counted.contains(&v);
        is_of_loops(&place.at, &counted, kernel) || always_touches(place, body)
    }
}

/// The variables that loops count, or that number rows.
pub(in crate::ir::passes) fn counted(body: &Block) -> HashSet<Var> {
    let mut counted = HashSet::new();
    body.visit(&mut |stmt| match stmt {
        Stmt::For { var, .. } | Stmt::Parallel { var, .. } | Stmt::Gather { coord: var, .. } => {
            counted.insert(*var);
        }
        _ => {}
    });
    counted
}

/// Whether a position is sure to lie inside of an array: it depends on nothing but parameters and what loops count, and each of its terms
/// depends on what a loop counts. A row with a constant number may not exist.
pub(in crate::ir::passes) fn is_of_loops(at: &Expr, counted: &dyn Fn(Var) -> bool, kernel: &Kernel) -> bool {
    let plain = |e: &Expr| {
        let mut plain = true;
        e.visit(&mut |e| {
            plain &= match e {
                Expr::Var(v) => counted(*v) || kernel.is_param(*v),
                Expr::Load(..) => false,
                _ => true,
            }
        });
        plain
    };
    let of_loops = |e| is_of_loops(e, counted, kernel);
    match at {
        Expr::Literal(_) => false,
        Expr::Var(v) => counted(*v),
        Expr::Binary(BinaryOp::Add, x, y) => of_loops(x) && of_loops(y),
        Expr::Binary(BinaryOp::Mul, x, y) => of_loops(x) && plain(y) || of_loops(y) && plain(x),
        _ => plain(at),
    }
}

/// The elements at `p` or at a distance from it; `None` if the body uses `p` for anything else.
fn places(p: Var, body: &Block) -> Option<Vec<Place>> {
    let mut sequential = true;
    let mut places: Vec<Place> = Vec::new();
    // Elements at `p`, and mentions of `p` at all.
    let (mut elements, mut mentions) = (0usize, 0usize);
    let mut note = |array: Var, at: &Expr, written: bool, places: &mut Vec<Place>| {
        if !steps_with(at, p) {
            return;
        }
        elements += 1;
        match places.iter_mut().find(|place| place.array == array && place.at == *at) {
            Some(place) => place.written |= written,
            None => places.push(Place { array, at: at.clone(), written }),
        }
    };
    body.visit(&mut |stmt| {
        match stmt {
            Stmt::Parallel { .. } | Stmt::Along { .. } => sequential = false,
            Stmt::Store(a, at, _) | Stmt::StoreUpdate(a, at, _, _) => note(*a, at, true, &mut places),
            _ => {}
        }
        for expr in stmt.exprs() {
            expr.visit(&mut |e| match e {
                Expr::Var(q) if *q == p => mentions += 1,
                Expr::Load(a, at) => note(*a, at, false, &mut places),
                _ => {}
            });
        }
    });
    (sequential && elements == mentions).then_some(places)
}

/// Whether the array can be lent to the whole loop: nothing writes to what is only read, and nothing else reads what is written.
fn is_independent(place: &Place, bounds: Option<(&Expr, &Expr)>, body: &Block) -> bool {
    let array = place.array;
    if !place.written {
        return !body.changes(array);
    }
    let read_by_bounds =
        bounds.is_some_and(|(lo, hi)| lo.mentions(array) || hi.mentions(array) && *hi != Expr::Len(array));
    !read_by_bounds && !mentioned_elsewhere(place, body)
}

/// Whether the distance of the position from `p` is the same all through the loop.
fn keeps_distance(place: &Place, p: Var, declared: &[Var], body: &Block) -> bool {
    let mut same = true;
    place.at.visit(&mut |e| {
        same &= match e {
            Expr::Var(v) => *v == p || !declared.contains(v) && !body.changes(*v),
            Expr::Load(a, _) | Expr::Len(a) => !body.changes(*a),
            Expr::Literal(_) | Expr::Binary(..) => true,
            _ => false,
        }
    });
    same
}

/// Whether the body reads or writes the element, whatever its conditions are.
fn always_touches(place: &Place, body: &Block) -> bool {
    fn reads(e: &Expr, place: &Place) -> bool {
        if place.is_read_by(e) {
            return true;
        }
        match e {
            Expr::Select(condition, _, _) => reads(condition, place),
            Expr::Binary(BinaryOp::And | BinaryOp::Or, first, _) => reads(first, place),
            Expr::Load(_, x) | Expr::Unary(_, x) | Expr::Cast(_, x) => reads(x, place),
            Expr::Binary(_, x, y) => reads(x, place) || reads(y, place),
            Expr::Call(_, args, _) => args.iter().any(|x| reads(x, place)),
            _ => false,
        }
    }
    body.0.iter().any(|stmt| {
        // Of a branch only the first condition is sure to be evaluated, and nothing of what is in it.
        let exprs = match stmt {
            Stmt::If { .. } => stmt.exprs().into_iter().take(1).collect(),
            _ => stmt.exprs(),
        };
        place.is_written_by(stmt) || exprs.into_iter().any(|e| reads(e, place))
    })
}

/// Whether the body reads or writes the array anywhere but at this element.
fn mentioned_elsewhere(place: &Place, body: &Block) -> bool {
    let mut found = false;
    body.visit(&mut |stmt| {
        let other = stmt.writes().contains(&place.array) || stmt.own_reads().contains(&place.array);
        found |= other && !place.is_written_by(stmt);
    });
    body.visit_exprs(&mut |e| found |= e.names(place.array) && !place.is_read_by(e));
    found
}
