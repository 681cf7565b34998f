//! Extents that are lengths: a vector with one dense level is passed as an array, and its extent is how many elements that has.
//!
//! ```text
//!   for i in 0..x_len                          for i in 0..len(x_vals)
//!     s += x_vals[i]                             s += x_vals[i]
//! ```
//!
//! A loop over all of the array is then known to be one.

use crate::ir::convention::Form;
use crate::ir::expr::{Expr, len, var};
use crate::ir::kernel::{Access, Kernel, Var};
use crate::ir::stmt::{Block, Domain, Stmt};

/// Takes the extents of such vectors from their arrays.
pub fn run(kernel: &mut Kernel) {
    for at in 0..kernel.params.len() {
        let tensor = &kernel.params[at];
        let (Form::Slice(vals), Some(extent)) = (kernel.form(tensor), tensor.extents().next()) else { continue };
        let written = tensor.access == Access::Write;
        for check in &mut kernel.checks {
            check.left.rewrite(&mut replaced(extent, len(vals)));
            check.right.rewrite(&mut replaced(extent, len(vals)));
        }
        let mut new = len(vals);
        // An array cannot be asked for its length while its parts are dealt out.
        let named = written && used_inside(&kernel.body, extent);
        if named {
            let (name, ty) = (kernel.vars[extent].name.clone(), kernel.vars[extent].ty.clone());
            new = var(kernel.vars.fresh(name, ty));
        }
        for stmt in &mut kernel.body.0 {
            stmt.rewrite_exprs(&mut replaced(extent, new.clone()));
        }
        if let (true, Expr::Var(own)) = (named, new) {
            kernel.body.0.insert(0, Stmt::Let(own, len(vals)));
        }
    }
}

/// Has `new` stand for a variable.
fn replaced(v: Var, new: Expr) -> impl FnMut(&mut Expr) {
    move |e| {
        if *e == Expr::Var(v) {
            *e = new.clone();
        }
    }
}

/// Whether a variable is used anywhere but as the bound of an outermost loop.
fn used_inside(body: &Block, v: Var) -> bool {
    body.0.iter().any(|stmt| {
        let header = match stmt {
            Stmt::For { lo, hi, .. } | Stmt::Parallel { domain: Domain::Range { lo, hi }, .. } => {
                [lo, hi].iter().any(|e| e.mentions(v))
            }
            _ => false,
        };
        let mut all = 0;
        stmt.visit_exprs(&mut |e| all += usize::from(*e == Expr::Var(v)));
        all > usize::from(header)
    })
}
