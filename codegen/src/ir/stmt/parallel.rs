//! What a parallel loop runs over, how it deals out arrays, and how much its iterations do.

use crate::ir::expr::Expr;
use crate::ir::kernel::Var;

/// What a parallel loop runs over.
#[derive(Clone, Debug, PartialEq)]
pub enum Domain {
    /// The numbers from `lo` up to, but not including, `hi`.
    Range {
        /// First number.
        lo: Expr,
        /// One past the last number.
        hi: Expr,
    },
    /// The entries of a store: the loop variable is the coordinate.
    Entries {
        /// The store.
        store: Expr,
        /// The entry's value, where it is wanted.
        value: Option<Var>,
    },
    /// The rows of a matrix, in any order: the loop variable is the row's number. Rows that hold nothing may be left out.
    Rows {
        /// The matrix: an array of stores, or a store of stores.
        matrix: Var,
        /// The row, where it is wanted.
        row: Option<Var>,
    },
    /// The coordinates `crd[lo..hi]`, no two of which are the same: the loop variable is the coordinate.
    Listed {
        /// First position.
        lo: Expr,
        /// One past the last position.
        hi: Expr,
        /// The position, a `usize`.
        position: Var,
        /// The coordinates, an array of `u32`.
        crd: Var,
    },
}

/// How an array is dealt out to the iterations of a parallel loop.
#[derive(Clone, Debug, PartialEq)]
pub enum Partition {
    /// Iteration `i` owns `array[offset + i * stride .. offset + (i + 1) * stride]`.
    Each {
        /// Elements before those of iteration 0.
        offset: Expr,
        /// Elements of each iteration.
        stride: Expr,
    },
    /// Iteration `i` owns `array[pos[i] * stride .. pos[i + 1] * stride]`; in a loop over positions, `i` is the position.
    Segments {
        /// An ascending array of positions.
        pos: Var,
        /// Elements for each position.
        stride: Expr,
    },
    /// In a loop over positions, the iteration at `p` owns `array[p * stride .. (p + 1) * stride]`.
    Positions {
        /// Elements of each iteration.
        stride: Expr,
    },
    /// Any iteration may own any element, and no two iterations own the same one, or both store the same value there.
    Anywhere,
}

/// An array that the iterations of a parallel loop write, and the part of it that is each one's own. Inside the loop the array
/// is indexed as outside of it; reading or writing another iteration's part is an error.
#[derive(Clone, Debug, PartialEq)]
pub struct Owned {
    /// The array.
    pub array: Var,
    /// Who owns which part.
    pub partition: Partition,
}

/// How much an iteration of a parallel loop does: how many of them make a task follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Iteration `i` goes over the positions from `weights[i]` to `weights[i + 1]`.
    pub weights: Option<Var>,
    /// About how many steps it takes besides: 0 for a few instructions, 1 for a loop, 32 for each further loop inside.
    pub steps: usize,
    /// Whether each iteration is a task of its own, whatever it does.
    pub is_task: bool,
}

impl Work {
    /// That of a loop whose iterations are tasks.
    pub const TASK: Work = Work { weights: None, steps: 1, is_task: true };
}

impl Default for Work {
    fn default() -> Work {
        Work { weights: None, steps: 1, is_task: false }
    }
}

/// A step that turns the counts of several tasks into insertion positions, or these into bounds. Each task has a number for each parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Counts behind the first element become places in one array for all parents: parent by parent, and task by task for each of them.
    /// Declares how many places there are.
    Starts(Var),
    /// Counts become places in an array for each parent, task by task. Declares how many places the longest one has.
    StartsWithin(Var),
    /// Places behind the first element, each moved to its end by the task, become the bounds of parents: the array keeps those of the
    /// last task.
    Bounds,
}

impl Turn {
    /// The number that is declared.
    pub fn declares(self) -> Option<Var> {
        match self {
            Turn::Starts(var) | Turn::StartsWithin(var) => Some(var),
            Turn::Bounds => None,
        }
    }
}
