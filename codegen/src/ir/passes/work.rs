//! How much an iteration of a parallel loop does, which decides how many of them make a task.
//!
//! ```text
//!   parallel for i in 0..a_rows                 weighted by a_pos: iteration i goes over a_pos[i]..a_pos[i + 1]
//!     for p in a_pos[i]..a_pos[i + 1]
//!       for k in 0..32                          32 steps: a loop inside of the loop
//! ```

use crate::ir::expr::{BinaryOp, Expr};
use crate::ir::kernel::{Kernel, Var, Vars};
use crate::ir::stmt::{Block, Domain, Owned, Stmt, Work};
use crate::ir::types::{Literal, Scalar};

/// How many iterations a loop is taken to have whose bounds are not known.
const ROUNDS: usize = 32;
/// Loops that are nested deeper than this are not counted.
const MOST_LOOPS: u32 = 4;

/// Estimates the work of every parallel loop over numbers or positions.
pub fn run(kernel: &mut Kernel) {
    block(&mut kernel.body, &kernel.vars);
}

fn block(b: &mut Block, vars: &Vars) {
    for stmt in &mut b.0 {
        if let Stmt::Parallel { var, domain, owned, work, body, .. } = stmt {
            let counted = match domain {
                Domain::Range { .. } => Some(*var),
                Domain::Listed { position, .. } => Some(*position),
                Domain::Entries { .. } | Domain::Rows { .. } => None,
            };
            if let Some(i) = counted.filter(|_| !work.is_task) {
                let steps = match nesting(body) {
                    0 => 0,
                    loops => ROUNDS.pow(loops.min(MOST_LOOPS) - 1),
                };
                *work = Work { weights: weights(i, body, owned, vars), steps, is_task: false };
            }
        }
        for inner in stmt.blocks_mut() {
            block(inner, vars);
        }
    }
}

/// The array of positions by which iterations are weighted: `pos`, if the body mentions both `pos[i]` and `pos[i + 1]`.
fn weights(i: Var, body: &Block, owned: &[Owned], vars: &Vars) -> Option<Var> {
    let next = Expr::Var(i).binary(BinaryOp::Add, Literal::Usize(1));
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    body.visit_exprs(&mut |e| {
        if let Expr::Load(pos, index) = e {
            let positions = vars[*pos].ty.array_scalar() == Some(Scalar::Usize);
            if positions && owned.iter().all(|share| share.array != *pos) {
                if **index == Expr::Var(i) {
                    starts.push(*pos);
                } else if **index == next {
                    ends.push(*pos);
                }
            }
        }
    });
    starts.into_iter().find(|pos| ends.contains(pos))
}

/// How deep loops are nested in a block.
fn nesting(block: &Block) -> u32 {
    let of = |stmt: &Stmt| {
        let inner = stmt.blocks().into_iter().map(nesting).max().unwrap_or(0);
        inner + u32::from(matches!(stmt, Stmt::For { .. } | Stmt::While(..) | Stmt::ForEntries { .. }))
    };
    block.0.iter().map(of).max().unwrap_or(0)
}
