//! Stage 5: blocks that yield runs become the steps of an iterator that stops at each run and can be resumed.
//!
//! Rust has neither coroutines nor `goto`: what is emitted from this is a loop over a `match` of blocks, with the next
//! block as the iterator's state. Paper: §4.3, Figure 2c.

use super::blocks::{Cut, Cutter};
use super::finish::{finish, unfold};
use super::ir::Machine;

/// Cuts the blocks of a machine behind every run.
pub fn step<'m>(loops: &Machine<'m>) -> Machine<'m> {
    let mut registers = loops.clone();
    unfold(&mut registers);
    let Machine { model, vars, blocks, labels } = registers;
    let entries = blocks.iter().map(|block| block.name.clone()).collect();
    let mut cutter = Cutter::new(Cut::Yields, model, vars, labels, entries, &[]);
    for (at, block) in blocks.iter().enumerate() {
        cutter.fill(at, &block.body);
    }
    finish(cutter.finish())
}
