//! The traits, nodes and memory that generated stores are built on: runs, fibers, stores, outer levels and the node pool. Only this
//! crate, generated stores and the border to C contain `unsafe`.
//!
//! ```text
//!   matrix   outer level: dense, paged, or a store of row handles    called dynamically, once for about 64 rows
//!     └─ row   a Store, read through its Fiber                       compiled for each store
//!          └─ Run   coordinates  1   4   9                           a loop over two slices
//!                   values      .5 1.5   2
//! ```
//!
//! A row is built from sorted elements, read run by run, and updated with a sorted batch:
//!
//! ```
//! use pleach_runtime::{Change, Elements, Fiber, Packed, RowBatch, Store, replace};
//!
//! let mut row = Packed::<u32, f64>::build_row(Elements::copied(&[1, 4, 9], &[0.5, 1.5, 2.0]));
//! assert_eq!(row.fiber().locate(4), Some(&1.5));
//!
//! let snapshot = row.clone(); // shares all nodes
//! let counts = row.update(RowBatch { coords: &[4, 6], values: &[3.0, 4.0] }, Change::Insert(&replace));
//! assert_eq!((counts.changed, counts.new), (1, 1));
//!
//! let sum = |row: &Packed<u32, f64>| row.fiber().fold_runs(0.0, |sum, run| sum + run.values().iter().sum::<f64>());
//! assert_eq!((sum(&snapshot), sum(&row)), (4.0, 9.5));
//! ```
//!
//! | to | see |
//! |---|---|
//! | read a row | [`Fiber`]: `fold_runs`, `locate`, `len`; [`Run`] |
//! | change a row or a matrix | [`Store::update`] with a [`RowBatch`], [`UpdateOuter::apply`] with a [`SortedBatch`]; [`Change`] |
//! | write a store | [`Append`] or [`Build`], [`Elements`], [`make_mut`] |
//! | write an outer level | [`Outer`], [`BuildOuter`], [`UpdateOuter`] |
//! | check and measure a store | [`audit`](audit()), [`footprint`] |
//! | know where nodes are stored | [`pool`] |
//!
//! # When a value panics
//!
//! `Clone`, `Drop` and `PartialEq` of values, combiners, and the closures of [`Store::each_mut`] may panic. After a panic in an update
//!
//! * the store passes its [audit](Store::audit), and can be read, updated and dropped as before;
//! * it holds what it held, with a part of the batch applied. Each element of the batch was applied or was not, in no particular order.
//!   What the batch does not name is unchanged. The value on which a combiner panicked is as the combiner left it;
//! * clones and snapshots that share nodes with the store hold what they held.
//!
//! A build that panics gives back no store, and drops its elements. No value is dropped twice. None is leaked, unless a destructor
//! panicked: others may not run then. As everywhere in Rust, a second panic while one unwinds aborts the process. Bundled stores keep these
//! promises; a store of your own does if its `Build::update` does ([`or_mend`] helps), or if it leaves updates to [`rebuild_row`].

mod ahead;
mod any_row;
mod audit;
mod chain;
mod coded;
mod coord;
mod elements;
mod exhausted;
mod filled;
mod forks;
mod graveyard;
mod hangup;
mod huge_pages;
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
mod position;
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
mod transposed;
mod tuples;
mod unwind;
mod update;

pub use ahead::ahead;
pub use any_row::AnyRow;
pub use audit::{AuditError, Footprint};
pub use chain::{Chain, Linked};
pub use coded::{CODED_BLOCK, Coded, CodedBlocks, CodedError, CodedRuns, CodedView, coded_len};
pub use coord::Coord;
pub use elements::Elements;
pub use exhausted::{OUT_OF_MEMORY, OrExit, attempt, share_heap_of_c};
pub use filled::{Filling, par_filled};
pub use forks::Forks;
pub use graveyard::Graveyard;
pub use hangup::keep_ignored_hangups;
pub use huge_pages::HugePages;
pub use inspect::{Inspection, audit, footprint};
pub use nested::{Nested, NestedAny};
pub use node::{Count, Flat, Link, Node, NodeMut, NodeRef, Parent, Ref, Reserved, follow, make_mut};
pub use outer::{
    ArrayPage, BuildOuter, Dense, Outer, OuterLevel, OuterPart, PAGE_ROWS, RowBlock, RowGroup, RowMask, Visit,
    VisitPair,
};
pub use output::{Scalar, SharedOutput};
pub use packed::{Packed, PackedDelta};
pub use paged::Paged;
pub use parallel::{
    Each, EachRange, FORK_DEPTH, GRAIN, WIDE_DEPTH, WorkAndSpan, is_large, is_recorded, join, on_pool, par_concat,
    par_each, par_first, par_items, par_list, par_map, par_parts, par_ranges, par_slots, par_sort, par_sort_by,
    serially, sort_by_coord, threads, work_and_span,
};
pub use places::Places;
pub use position::Position;
pub use prefetch::{Ahead, prefetch, prefetch_at};
pub use random::{GOLDEN, SplitMix64, mix};
pub use rows::{Rows, VisitNear, first_coords};
pub use run::{Run, Search};
pub use slice::{SliceFiber, SliceRuns};
pub use slots::{FilledMut, Slots, SlotsMut};
pub use stack::Stack;
pub use store::{
    Append, Build, Cursor, Fiber, MapValues, Page, Runs, SameValues, SideBySide, Store, Stretch, Value,
    build_by_appending,
};
pub use tail::{Tail, align_up, assert_fits, tail_layout, tail_ptr, tail_slice};
pub use transposed::{gathered, transposed};
pub use unwind::{caught, or_mend, silence_caught};
pub use update::{Change, Combine, Counts, RowBatch, SortedBatch, UpdateOuter, rebuild_row, replace};

/// Whether tests are of small sizes: under miri, which is slow, unless `PLEACH_FULL_SIZE` is set.
#[cfg(test)]
const SHORT: bool = cfg!(miri) && option_env!("PLEACH_FULL_SIZE").is_none();
