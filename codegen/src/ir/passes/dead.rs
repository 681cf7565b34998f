//! Dead code: local variables that are never read, with everything that only writes them, and loops and branches that do nothing.

use crate::ir::kernel::{Access, Kernel, Var};
use crate::ir::stmt::{Block, Stmt};

/// Removes variables that are never read, and statements without effect.
///
/// A faulty access that only fed dead code goes with it; a kernel without faults computes what it did.
pub fn run(kernel: &mut Kernel) {
    let mut live = vec![false; kernel.vars.len()];
    let mut mark = |v: Var| live[v.0 as usize] = true;
    for (access, field) in kernel.param_fields() {
        if access == Access::Write {
            mark(field.var);
        }
    }
    kernel.result_fields().for_each(|f| mark(f.var));
    for check in &kernel.checks {
        for side in [&check.left, &check.right] {
            side.visit(&mut |e| e.own_vars().for_each(&mut mark));
        }
    }
    // What a live statement reads is live; repeat until there is no more.
    loop {
        let before = live.iter().filter(|&&l| l).count();
        share(&kernel.body, &mut live);
        spread(&kernel.body, &mut live);
        if live.iter().filter(|&&l| l).count() == before {
            break;
        }
    }
    sweep(&mut kernel.body, &live);
}

/// Whether a statement has an effect: it changes a live variable, or a statement inside of it does.
fn matters(stmt: &Stmt, live: &[bool]) -> bool {
    let alive = |v: &Var| live[v.0 as usize];
    match stmt {
        Stmt::Comment(_) | Stmt::Break => true,
        Stmt::Let(v, _) => alive(v),
        Stmt::NewArray { var, .. }
        | Stmt::NewLocal { var, .. }
        | Stmt::CopyArray { var, .. }
        | Stmt::NewUncleared { var, .. }
        | Stmt::NewVec { var, .. }
        | Stmt::Numbers { var, .. }
        | Stmt::OpenCursor { cursor: var, .. }
        | Stmt::Slice { slice: var, .. }
        | Stmt::FindRows { finder: var, .. } => alive(var),
        Stmt::While(..) => true,
        Stmt::Rest { cursor, .. } => alive(cursor) || stmt.blocks().into_iter().any(|b| busy(b, live)),
        Stmt::For { .. }
        | Stmt::Along { .. }
        | Stmt::If { .. }
        | Stmt::Parallel { .. }
        | Stmt::ForEntries { .. }
        | Stmt::Locate { .. } => stmt.blocks().into_iter().any(|b| busy(b, live)),
        Stmt::TaskCounts { array, turn, .. } => alive(array) || turn.declares().is_some_and(|var| alive(&var)),
        _ => stmt.writes().iter().any(alive),
    }
}

/// Whether a block holds a statement with an effect. Comments do not count.
fn busy(block: &Block, live: &[bool]) -> bool {
    block.0.iter().any(|s| !matches!(s, Stmt::Comment(_)) && matters(s, live))
}

/// An array is live if its elements are under another name, and the other way around.
fn share(block: &Block, live: &mut [bool]) {
    block.visit(&mut |stmt| {
        for (name, array) in stmt.written_names() {
            let alive = live[name.0 as usize] || live[array.0 as usize];
            (live[name.0 as usize], live[array.0 as usize]) = (alive, alive);
        }
    });
}

/// Marks the variables that live statements read. It goes from the last statement to the first: variables are assigned before they are read,
/// so that most of them are found in one round.
fn spread(block: &Block, live: &mut [bool]) {
    for stmt in block.0.iter().rev() {
        if !matters(stmt, live) {
            continue;
        }
        for expr in stmt.exprs() {
            expr.visit(&mut |e| e.own_vars().for_each(|v| live[v.0 as usize] = true));
        }
        stmt.own_reads().into_iter().for_each(|v| live[v.0 as usize] = true);
        if let Stmt::Rest { cursor, .. } = stmt {
            live[cursor.0 as usize] = true;
        }
        for inner in stmt.blocks() {
            spread(inner, live);
        }
    }
}

fn sweep(block: &mut Block, live: &[bool]) {
    block.0.retain(|stmt| matters(stmt, live));
    for stmt in &mut block.0 {
        if let Stmt::Parallel { owned, reductions, .. } = stmt {
            owned.retain(|o| live[o.array.0 as usize]);
            reductions.retain(|(v, _)| live[v.0 as usize]);
        }
        if let Stmt::Along { walked, .. } = stmt {
            walked.retain(|one| live[one.array.0 as usize]);
        }
        for inner in stmt.blocks_mut() {
            sweep(inner, live);
        }
    }
}
