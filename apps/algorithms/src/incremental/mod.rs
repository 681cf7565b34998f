//! Results that follow a graph as it changes, instead of being computed anew.
//!
//! ```text
//!   version k ──batch──► version k + 1          static algorithm: all arcs of version k + 1
//!   result  k ──batch──► result  k + 1          here: what the batch touches, and what that changes
//! ```
//!
//! Where a batch changes so much that a computation from scratch is faster, that is what is done, or close to it: `pleach bench incremental` shows from which
//! size of batches on.

mod components;
mod ranks;

pub use components::GrowingComponents;
pub use ranks::{Moved, MovingRanks};
