//! The plan of a kernel: every choice between the statement and its loops, made before any code is made.
//!
//! ```text
//!   concrete notation + formats ──► plan ──► lower ──► IR
//!
//!   access    how each operand is read: at its coordinates, level by level, as a driver, or as a sorted copy
//!   result    how each result is made: in place, appended, copied from an operand, or collected and then assembled or sorted
//!   loop      how each loop runs: over all coordinates, over one operand, or over several by cases or by flags
//! ```
//!
//! A plan holds no variable of the IR. `pleach compile --emit plan` prints it (`crate::explain`).
//!
//! # Files
//!
//! ```text
//! kernel                     the statements of a kernel one after the other, and how tensors are kept between them
//! target                     how the results of a statement are made
//! operands, access           how its operands are read
//! decide, merge, workspace   how its loops run, and what is done in each case
//! read                       how each access is read there, and what is tested
//! flags                      merges with a flag for each operand
//! deal, drive, refusal       which loops are dealt out to tasks, and why others are not
//! skip                       which operands of an intersection skip coordinates
//! tree, choice               the plan as data
//! draft                      the plan of a statement, while it is made
//! kept, known, facts         how tensors are kept, what is known at a place in the loops, and what follows from both
//! ranges                     how far indices run
//! ```

mod access;
mod choice;
mod deal;
mod decide;
mod draft;
mod drive;
mod facts;
mod flags;
mod kept;
mod kernel;
mod known;
mod merge;
mod operands;
mod ranges;
mod read;
mod refusal;
mod skip;
mod target;
mod tree;
mod workspace;

pub use choice::Reach;
pub(crate) use choice::{Deal, DealtLevel, Over, Range, Share, Wide, Workspace};
pub(crate) use kept::{From, Kept, Reading};
pub use kernel::plan;
pub(crate) use read::Tests;
pub(crate) use tree::{Assignment, By, Case, Entry, Flags, Loop, Merge, Needs, Node, Origin, Read, Where};
pub use tree::{MOST_CASES, MOST_LENGTH, MOST_NODES, Operand, Plan, Statement};
