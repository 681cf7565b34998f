//! The default row store: short rows packed together in their page, long ones outside in blocks.
//!
//! ```text
//!   (paged, packed)   a page ──▶ [starts | 4 arcs | 2 arcs | – | 7 arcs | …  slack]      64 rows in one slab
//!                                                       │
//!                                                       └▶ a long row: a block of up to 508 elements,
//!                                                          or a tree of blocks nearly full
//!   (bst, packed)     a lone row: nothing, one block, or a tree of blocks
//! ```
//!
//! * [`Packed`]: coordinates and values as they are.
//! * [`PackedDelta`]: coordinates difference-coded ([`crate::Coded`]), in about half the memory; a touched row is decoded and coded
//!   again.
//!
//! Rows of degree 4 cost two bytes beside their arcs; a traversal reads a page from front to back; an insertion moves a few kilobytes at
//! most. Everything is reference-counted by page and by block, so that a snapshot copies nothing and an update copies only those of the
//! pages and blocks it touches that are shared.

mod area;
mod block;
mod chunk;
mod class;
mod coded;
mod coded_page;
mod page;
mod row;
mod tree;

pub use block::Block;
pub use chunk::Chunk;
pub use coded::CodedBlock;
pub use coded_page::CodedPage;
pub use page::PackedPage;
pub use row::{PackedFiber, PackedRow, PackedRuns};

/// The default row store, plain: `packed`.
pub type Packed<C, V> = PackedRow<Block<C, V>>;

/// The default row store with difference-coded coordinates: `packed_delta`.
pub type PackedDelta<C, V> = PackedRow<CodedBlock<C, V>>;
