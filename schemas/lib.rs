//! The bundled stores: trees, lists and blocks generated from node schemas.
//!
//! ```text
//!   catalog/ctree.schema ── compiler ──► structs, maps, iterator, locate, copy, audit      ctree::Ctree, ctree::nodes
//!                        (generated.rs)      ▲
//!   ctree/assemble.rs ──────────────────────┘  how the store is built, in safe Rust
//! ```
//!
//! A store is the handle of one row or vector. It is built from sorted elements and read as a fiber:
//!
//! ```
//! use pleach_runtime::{Elements, Fiber, Store};
//! use pleach_stores::Ctree;
//!
//! let row: Ctree<f64> = Ctree::build_row(Elements::copied(&[1, 4, 9], &[0.5, 1.5, 2.0]));
//! assert_eq!(row.fiber().locate(4), Some(&1.5));
//! let sum = row.fiber().fold_runs(0.0, |sum, run| sum + run.values().iter().sum::<f64>());
//! assert_eq!(sum, 4.0);
//! ```
//!
//! A store in no order is read by all who need none. Who merges rows needs one, and does not compile with such a store:
//!
//! ```
//! use pleach_runtime::{Cursor, Store};
//! let row = pleach_stores::Blist::<f64>::default();
//! assert_eq!(Cursor::over(row.fiber()).coord(), None);
//! ```
//!
//! ```compile_fail
//! use pleach_runtime::{Cursor, Store};
//! let row = pleach_stores::BlistUnsorted::<f64>::default();
//! assert_eq!(Cursor::over(row.fiber()).coord(), None);
//! ```

mod edit;
mod shape;
mod treap;

pub mod blist;
pub mod blist_gaps;
pub mod blist_prefix;
pub mod blist_unsorted;
pub mod bst;
pub mod btree;
pub mod ctree;
pub mod ctree_delta;
pub mod list;
pub mod rbtree;
pub mod ttree;
pub mod vblist;

pub use blist::Blist;
pub use blist_gaps::BlistGaps;
pub use blist_prefix::BlistPrefix;
pub use blist_unsorted::BlistUnsorted;
pub use bst::Bst;
pub use btree::Btree;
pub use ctree::Ctree;
pub use ctree_delta::CtreeDelta;
pub use list::List;
pub use rbtree::Rbtree;
pub use ttree::Ttree;
pub use vblist::Vblist;
