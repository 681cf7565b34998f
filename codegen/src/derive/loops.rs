//! Stage 4: recursion becomes jumps between blocks and an explicit stack.
//!
//! A call puts what follows it on the stack and jumps to where the callee begins; at its end, a procedure continues in the
//! block on top of the stack. A call at the end of a procedure pushes nothing. Paper: §4.3, Figure 11c.

use super::blocks::{Cut, Cutter};
use super::finish::finish;
use super::ir::{Machine, Program};

/// Turns the calls of a program into jumps.
pub fn loops<'m>(inlined: &Program<'m>) -> Machine<'m> {
    let Program { model, vars, procs, labels } = inlined;
    let entries = procs.iter().enumerate().map(|(at, proc)| match at {
        0 => "start".to_owned(),
        _ => format!("enter_{}", model.target_name(proc.target).to_ascii_lowercase()),
    });
    let mut cutter = Cutter::new(Cut::Calls, model, vars.clone(), *labels, entries.collect(), procs);
    for (at, proc) in procs.iter().enumerate() {
        cutter.fill(at, &proc.body);
    }
    finish(cutter.finish())
}
