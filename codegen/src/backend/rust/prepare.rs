//! A kernel before it is emitted: extents of slices are lengths, and slices are called what their tensors are.

use crate::ir::convention::Form;
use crate::ir::expr::Expr;
use crate::ir::kernel::{Access, Kernel, Var};
use crate::ir::stmt::{Block, Domain, Stmt};

/// The kernel with the extents of slices taken from the slices, which are called what their tensors are.
pub(super) fn prepare(kernel: &Kernel) -> Kernel {
    let mut kernel = kernel.clone();
    for at in 0..kernel.params.len() {
        let tensor = kernel.params[at].clone();
        let own = tensor.name.to_lowercase();
        match kernel.form(&tensor) {
            Form::Slice(vals) => {
                kernel.vars.rename(vals, own);
                let Some(len) = tensor.fields.iter().find(|field| field.name != "vals").map(|field| field.var) else {
                    continue;
                };
                kernel.params[at].fields.retain(|field| field.var != len);
                let mut measured = move |e: &mut Expr| {
                    if *e == Expr::Var(len) {
                        *e = Expr::Len(vals);
                    }
                };
                for check in &mut kernel.checks {
                    check.left.rewrite(&mut measured);
                    check.right.rewrite(&mut measured);
                }
                if tensor.access == Access::Write && used_inside(&kernel.body, len) {
                    // What is being written cannot be asked for its length.
                    kernel.body.0.insert(0, Stmt::Let(len, Expr::Len(vals)));
                    continue;
                }
                for stmt in &mut kernel.body.0 {
                    stmt.rewrite_exprs(&mut measured);
                }
            }
            Form::Rows(stores) => kernel.vars.rename(stores, own),
            Form::Fields | Form::Whole => {}
        }
    }
    for at in 0..kernel.results.len() {
        let tensor = kernel.results[at].clone();
        if let Form::Slice(vals) = kernel.form(&tensor) {
            kernel.vars.rename(vals, tensor.name.to_lowercase());
            kernel.results[at].fields.retain(|field| field.var == vals);
        }
    }
    kernel
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
