//! What generated code is built on: runs, elements, the traits of fibers and stores, outer levels, nodes and their memory. This is
//! the only crate with `unsafe` code, apart from generated code, which keeps the rules that are documented here.
//!
//! ```text
//!   outer level (dense, paged, any store)      one dynamic call a batch of rows
//!     └─ row: a Store, seen as a Fiber         monomorphic
//!          └─ Run, Run, Run …                  coordinates and values side by side
//! ```
//!
//! A row is built from sorted elements and read run by run:
//!
//! ```
//! use pleach_runtime::{Elements, Fiber, Packed, Store};
//!
//! let row = Packed::<u32, f64>::build_row(Elements::copied(&[1, 4, 9], &[0.5, 1.5, 2.0]));
//! assert_eq!(row.fiber().locate(4), Some(&1.5));
//! let sum = row.fiber().fold_runs(0.0, |sum, run| sum + run.values().iter().sum::<f64>());
//! assert_eq!(sum, 4.0);
//! ```
//!
//! | to | see |
//! |---|---|
//! | read a row | [`Fiber`]: `fold_runs`, `locate`, `len`; [`Run`] |
//! | write a store | [`Append`] or [`Build`], [`Elements`], [`make_mut`] |
//! | write an outer level | [`Outer`], [`BuildOuter`], [`UpdateOuter`] |
//! | check and measure a store | [`audit`](audit()), [`footprint`] |
//! | know where nodes are stored | [`pool`] |

mod any_row;
mod audit;
mod chain;
mod coded;
mod coord;
mod elements;
mod forks;
mod graveyard;
mod inspect;
pub mod kernel;
mod nested;
mod node;
mod outer;
mod output;
pub mod packed;
mod paged;
mod parallel;
mod places;
pub mod pool;
mod prefetch;
mod random;
mod rows;
mod run;
mod slice;
mod slots;
mod stack;
mod store;
mod tail;
pub mod tensor;
mod update;

pub use any_row::AnyRow;
pub use audit::{AuditError, Footprint};
pub use chain::{Chain, Linked};
pub use coded::{CODED_BLOCK, Coded, CodedBlocks, CodedError, CodedRuns, CodedView, coded_len, encode_coords};
pub use coord::Coord;
pub use elements::Elements;
pub use forks::Forks;
pub use graveyard::Graveyard;
pub use inspect::{Inspection, audit, footprint};
pub use nested::{Nested, NestedAny};
pub use node::{Count, Flat, Link, Node, NodeMut, NodeRef, Parent, Ref, Reserved, follow, make_mut};
pub use outer::{ArrayPage, BuildOuter, Dense, Outer, PAGE_ROWS, RowBlock, RowGroup, RowMask, Visit, build_pages};
pub use output::{Scalar, SharedOutput};
pub use packed::{Packed, PackedDelta};
pub use paged::Paged;
pub use parallel::{
    Each, EachRange, FORK_DEPTH, GRAIN, WIDE_DEPTH, is_large, join, par_concat, par_each, par_list, par_map, par_parts,
    par_ranges, par_slots, serially,
};
pub use places::Places;
pub use prefetch::{prefetch, prefetch_at};
pub use random::{GOLDEN, SplitMix64, mix};
pub use rows::{Near, Rows, each_ahead, first_coords};
pub use run::{Run, Search};
pub use slice::{SliceFiber, SliceRuns};
pub use slots::{FilledMut, Slots, SlotsMut};
pub use stack::Stack;
pub use store::{Append, Build, Cursor, Fiber, MapValues, Page, Runs, Store, Value, build_by_appending};
pub use tail::{Tail, align_up, assert_fits, tail_layout, tail_ptr, tail_slice};
pub use update::{Change, Combine, Counts, RowBatch, SortedBatch, UpdateOuter, rebuild_row, replace};
