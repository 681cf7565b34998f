//! Passes over the IR, which leave a kernel's results as they are and make it shorter and faster, whatever backend it goes to.
//!
//! Each pass has a file of its own, which says what it changes. Those that simplify are run in turn until nothing changes:
//!
//! * [`fold`] constants and neutral elements
//! * [`minmax`] chains of `min` and `max`
//! * [`copy`] names of constants and of unchanging variables
//! * [`position`] names of sums that are positions
//! * [`branch`] branches whose outcome is known, arms that do the same
//! * [`once`] assignments that need to run once only
//! * [`dead`] variables that are never read, statements without effect
//!
//! Then each of these once:
//!
//! * [`least`] which of two coordinates is the lesser
//! * [`count`] `while` loops that count, or run to the end of a cursor
//! * [`sums`] short parts of arrays that a loop over blocks folds into, kept in local arrays
//! * [`accumulate`] elements that a loop folds into, kept in variables
//! * [`order`] maps, cursors and lists that need no order
//! * [`rows`] parallel loops that are handed the rows of a matrix
//! * [`gather`] entries that are gathered from all rows of a matrix
//! * [`hubs`] folds over a row that may be shared out
//! * [`finders`] rows that are looked up many times, by a finder
//! * [`uncleared`] arrays that a parallel loop makes, which nobody need clear before
//! * [`work`] how much an iteration of a parallel loop does
//! * [`lengths`] extents that are lengths of arrays
//! * [`tasks`] parts that tasks have for themselves
//! * [`walk`] loops that go along arrays
//! * [`slices`] rows of arrays that inner loops go along
//!
//! What LLVM does as well on the emitted code (hoisting invariant arithmetic, common subexpressions) is left to it.

pub mod accumulate;
pub mod branch;
pub mod copy;
pub mod count;
pub mod dead;
pub mod finders;
pub mod fold;
pub mod gather;
pub mod hubs;
pub mod least;
pub mod lengths;
mod matrices;
pub mod minmax;
pub mod once;
pub mod order;
pub mod position;
pub mod rows;
pub mod slices;
pub mod sums;
pub mod tasks;
pub mod uncleared;
pub mod walk;
pub mod work;

use super::kernel::Kernel;
use super::stmt::{Block, Stmt};

/// How often the passes are run at most. Each run shortens the kernel, so few are needed; the bound is there to be sure.
const MAX_ROUNDS: usize = 16;

impl Kernel {
    /// Runs all passes.
    pub fn simplify(&mut self) {
        for _ in 0..MAX_ROUNDS {
            let before = self.body.clone();
            fold::run(self);
            minmax::run(self);
            copy::run(self);
            position::run(self);
            branch::run(self);
            once::run(self);
            dead::run(self);
            if self.body == before {
                break;
            }
        }
        least::run(self);
        copy::run(self);
        dead::run(self);
        count::run(self);
        sums::run(self);
        accumulate::run(self);
        order::run(self);
        rows::run(self);
        gather::run(self);
        hubs::run(self);
        finders::run(self);
        work::run(self);
        uncleared::run(self);
        dead::run(self);
        lengths::run(self);
        tasks::run(self);
        walk::run(self);
        slices::run(self);
    }
}

/// Replaces each statement for which `change` returns others by these, outer statements before those inside of them.
fn replace(kernel: &mut Kernel, change: &mut dyn FnMut(&Stmt, &mut Kernel) -> Option<Vec<Stmt>>) {
    let mut body = std::mem::take(&mut kernel.body);
    replace_in(&mut body, kernel, change);
    kernel.body = body;
}

fn replace_in(block: &mut Block, kernel: &mut Kernel, change: &mut dyn FnMut(&Stmt, &mut Kernel) -> Option<Vec<Stmt>>) {
    for stmt in std::mem::take(&mut block.0) {
        match change(&stmt, kernel) {
            Some(stmts) => block.0.extend(stmts),
            None => block.push(stmt),
        }
    }
    for inner in block.0.iter_mut().flat_map(Stmt::blocks_mut) {
        replace_in(inner, kernel, change);
    }
}
