//! The lesser of two coordinates: a comparison of one of them with the lesser one becomes a comparison of the two.
//!
//! ```text
//!   let j = min(j_a, j_b)
//!   if j_a == j && j_b == j { … j … }          if j_a == j_b { … j_a … }
//!   else if j_b == j { … j … }                 else if j_b < j_a { … j_b … }
//!   else { … j … }                             else { … j_a … }
//! ```

use crate::ir::expr::{BinaryOp, Expr, var};
use crate::ir::kernel::{Kernel, Var, Vars};
use crate::ir::stmt::{Block, Stmt};

/// Rewrites what follows each minimum of two variables that stay as they are.
pub fn run(kernel: &mut Kernel) {
    block(&mut kernel.body, &kernel.vars);
}

/// Two variables, and the lesser of them.
struct Least {
    of: [Var; 2],
    least: Var,
}

fn block(b: &mut Block, vars: &Vars) {
    for at in 0..b.0.len() {
        for inner in b.0[at].blocks_mut() {
            block(inner, vars);
        }
        let Stmt::Let(least, Expr::Binary(BinaryOp::Min, x, y)) = &b.0[at] else { continue };
        let (Expr::Var(x), Expr::Var(y)) = (&**x, &**y) else { continue };
        let known = Least { of: [*x, *y], least: *least };
        let integers = known.of.iter().all(|v| vars[*v].ty.scalar().is_some_and(|s| !s.is_float()));
        let rest = &b.0[at + 1..];
        let stays = |v: &Var| {
            rest.iter().all(|stmt| !stmt.writes().contains(v) && stmt.blocks().iter().all(|b| !b.changes(*v)))
        };
        if integers && known.of.iter().chain([&known.least]).all(stays) {
            for stmt in &mut b.0[at + 1..] {
                known.stmt(stmt);
            }
        }
    }
}

impl Least {
    /// Rewrites a statement, its conditions before what depends on them.
    fn stmt(&self, stmt: &mut Stmt) {
        for expr in stmt.exprs_mut() {
            expr.rewrite(&mut |e| self.condition(e));
        }
        let [a, b] = self.of.map(var);
        if let Stmt::If { arms, otherwise } = stmt {
            let equal = a.clone().equal(b.clone());
            let (mut differ, mut first_greater, mut second_greater) = (false, false, false);
            for (condition, body) in arms {
                if let Expr::Binary(op @ BinaryOp::Le, x, y) = condition
                    && differ
                    && ([&**x, &**y] == [&a, &b] || [&**x, &**y] == [&b, &a])
                {
                    // Equal they are no more.
                    *op = BinaryOp::Lt;
                }
                let lesser = match condition {
                    Expr::Binary(BinaryOp::Eq, x, y) if [&**x, &**y] == [&a, &b] => Some(self.of[0]),
                    Expr::Binary(BinaryOp::Le | BinaryOp::Lt, x, y) if [&**x, &**y] == [&a, &b] => Some(self.of[0]),
                    Expr::Binary(BinaryOp::Le | BinaryOp::Lt, x, y) if [&**x, &**y] == [&b, &a] => Some(self.of[1]),
                    _ => None,
                };
                differ |= *condition == equal;
                first_greater |= lesser == Some(self.of[0]) && *condition != equal;
                second_greater |= lesser == Some(self.of[1]);
                if let Some(lesser) = lesser {
                    self.is(lesser, body);
                }
            }
            match (first_greater, second_greater) {
                (true, false) => self.is(self.of[1], otherwise),
                (false, true) => self.is(self.of[0], otherwise),
                _ => {}
            }
        }
        for block in stmt.blocks_mut() {
            block.0.iter_mut().for_each(|stmt| self.stmt(stmt));
        }
    }

    /// A condition on the lesser one as one on the two.
    fn condition(&self, e: &mut Expr) {
        let [a, b] = self.of.map(var);
        let is_least = |x: &Expr, y: &Expr, of: &Expr| {
            let least = var(self.least);
            (x == of && *y == least) || (y == of && *x == least)
        };
        match e {
            Expr::Binary(BinaryOp::Eq, x, y) if is_least(x, y, &a) => *e = a.binary(BinaryOp::Le, b),
            Expr::Binary(BinaryOp::Eq, x, y) if is_least(x, y, &b) => *e = b.binary(BinaryOp::Le, a),
            Expr::Binary(BinaryOp::And, x, y) => {
                let (below, above) =
                    (a.clone().binary(BinaryOp::Le, b.clone()), b.clone().binary(BinaryOp::Le, a.clone()));
                if [&**x, &**y] == [&below, &above] || [&**x, &**y] == [&above, &below] {
                    *e = a.equal(b);
                }
            }
            _ => {}
        }
    }

    /// Names the lesser one in a block.
    fn is(&self, lesser: Var, body: &mut Block) {
        for stmt in &mut body.0 {
            stmt.rewrite_exprs(&mut |e| {
                if *e == Expr::Var(self.least) {
                    *e = var(lesser);
                }
            });
        }
    }
}
