//! Copy propagation: a name for a constant, or for a variable that never changes, is replaced by what it names.

use std::collections::HashMap;

use crate::ir::expr::Expr;
use crate::ir::kernel::{Kernel, Var};
use crate::ir::stmt::{Block, Stmt};

/// Replaces names of constants and of unchanging variables. What is no longer read is left for [`dead`](super::dead).
pub fn run(kernel: &mut Kernel) {
    let mut changed = vec![false; kernel.vars.len()];
    kernel.body.visit(&mut |stmt| {
        for v in stmt.writes() {
            changed[v.0 as usize] = true;
        }
    });
    let mut names: HashMap<Var, Expr> = HashMap::new();
    kernel.body.visit(&mut |stmt| {
        if let Stmt::Let(v, x) = stmt
            && !changed[v.0 as usize]
            && match x {
                Expr::Literal(_) => true,
                Expr::Var(w) => !changed[w.0 as usize] && *w != *v,
                _ => false,
            }
        {
            names.insert(*v, x.clone());
        }
    });
    // A result keeps its own variable.
    let results: Vec<Var> = kernel.result_fields().map(|f| f.var).collect();
    names.retain(|v, _| !results.contains(v));
    if !names.is_empty() {
        replace(&mut kernel.body, &names);
    }
}

fn replace(block: &mut Block, names: &HashMap<Var, Expr>) {
    for stmt in &mut block.0 {
        stmt.rewrite_exprs(&mut |e| {
            // Names of names lead to an end, because each is declared after what it names.
            while let Expr::Var(v) = e {
                match names.get(v) {
                    Some(x) => *e = x.clone(),
                    None => break,
                }
            }
        });
    }
}
