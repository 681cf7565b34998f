//! Maps that need no order: where each entry is only folded into something, a store is visited as its nodes lie.

use std::collections::HashSet;

use crate::ir::kernel::{Kernel, Var};
use crate::ir::stmt::{Block, Stmt};

/// Frees every map from the order that it does not need.
pub fn run(kernel: &mut Kernel) {
    block(&mut kernel.body);
}

fn block(b: &mut Block) {
    for stmt in &mut b.0 {
        if let Stmt::ForEntries { ordered, body, .. } = stmt {
            *ordered &= !folds_only(body);
        }
        for inner in stmt.blocks_mut() {
            block(inner);
        }
    }
}

/// Whether a block changes nothing from outside but by folding, and reads nothing that it changes.
fn folds_only(body: &Block) -> bool {
    let mut only = true;
    let mut inside: HashSet<Var> = HashSet::new();
    let mut folded: HashSet<Var> = HashSet::new();
    let mut operators = Vec::new();
    body.visit(&mut |stmt| {
        inside.extend(stmt.declares());
        match stmt {
            Stmt::Update(v, op, _) | Stmt::StoreUpdate(v, _, op, _) => {
                folded.insert(*v);
                only &= operators.iter().all(|(w, o)| w != v || o == op);
                operators.push((*v, *op));
            }
            Stmt::Break => only = false,
            _ => only &= stmt.writes().iter().all(|v| inside.contains(v)),
        }
    });
    folded.retain(|v| !inside.contains(v));
    body.visit_exprs(&mut |e| only &= e.own_vars().all(|v| !folded.contains(&v)));
    only
}
