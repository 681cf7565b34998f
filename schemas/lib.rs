//! The bundled stores: trees, lists and blocks that the compiler generates from node schemas.
//!
//! ```text
//!   catalog/ctree.schema ──► compiler ──► ctree/generated.rs   nodes, iterators, search, copies, audit
//!                                                ▲
//!                            ctree/assemble.rs ──┘             how the store is built and updated, in safe Rust
//! ```
//!
//! A store is the handle of one row or one vector. Cloning it takes constant time and shares all nodes, so a clone is a snapshot:
//!
//! ```
//! use pleach_runtime::{Change, Elements, Fiber, RowBatch, Store, replace};
//! use pleach_stores::Ctree;
//!
//! let mut row: Ctree<f64> = Ctree::build_row(Elements::copied(&[1, 4, 9], &[0.5, 1.5, 2.0]));
//! assert_eq!(row.fiber().locate(4), Some(&1.5));
//!
//! let snapshot = row.clone();
//! row.update(RowBatch { coords: &[4, 6], values: &[3.0, 4.0] }, Change::Insert(&replace));
//! row.update(RowBatch { coords: &[9], values: &[] }, Change::Delete);
//! row.audit().unwrap();
//!
//! let sum = |row: &Ctree<f64>| row.fiber().fold_runs(0.0, |sum, run| sum + run.values().iter().sum::<f64>());
//! assert_eq!((sum(&snapshot), sum(&row)), (4.0, 7.5));
//! ```
//!
//! | call | what it does, for a row of `n` nonzeros and a batch of `m` |
//! |---|---|
//! | `Store::build_row` | builds the row from sorted elements, linear and in parallel |
//! | `Store::update` | inserts, updates or deletes a sorted batch: O(m log n) in [`Bst`], [`Btree`] and [`Ctree`], otherwise O(n + m) |
//! | `Fiber::fold_runs`, `par_fold` | visits all nonzeros, run by run |
//! | `Fiber::locate` | finds a value: logarithmic in trees, otherwise linear |
//! | `Store::audit` | checks every invariant of the schema |
//!
//! If a value's `Clone` or `Drop`, or a combiner, panics in an update, the store passes its audit and holds what it held, with a part of the
//! batch applied: see the front page of `pleach_runtime`.
//!
//! [`BlistUnsorted`] keeps its elements in no order. Code that needs the order does not compile with it:
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
