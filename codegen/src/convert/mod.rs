//! Conversion of a tensor from any format to any other, as one would write it by hand for that pair.
//!
//! ```text
//!   source format ─► the order of its entries ─┐
//!   target format ─► its levels' questions ────┼─► analysis, edges, coordinates   make      no sort, no list
//!                                              ├─► entries appended in order      append    where they come so
//!                                              ├─► buckets, then one of these     turn      where they do not
//!                                              └─► a list that is sorted          collect   what is left
//! ```
//!
//! After *Automatic Generation of Efficient Sparse Tensor Format Conversion Routines* (Chou, Kjolstad, Amarasinghe). What a level asks, and
//! how it is made, is said by the level ([`Insertion`](crate::level::Insertion)); nothing here knows a level by its name.
//!
//! A list that a kernel has collected is a source as well (`collected`, `list`). Where the loops of a kernel come to entries in the order of
//! the levels of its result (`appendable`), they append them as they come (`appended`).
//!
//! * [`query`] attribute queries and their text
//! * [`statement`] queries as concrete index notation
//! * [`rewrite`] the transformations that make them cheap
//! * [`order`] what the order of a source says of a target's coordinates

mod append;
pub(crate) mod appendable;
pub(crate) mod appended;
pub(crate) mod collected;
mod converter;
mod copy;
mod entries;
pub(crate) mod fold;
mod kernel;
pub(crate) mod list;
mod made;
mod make;
pub mod order;
pub mod query;
mod refuse;
pub(crate) mod reordered;
pub mod rewrite;
mod routine;
pub mod size;
pub mod statement;
pub(crate) mod turn;
pub(crate) mod walk;

pub(crate) use self::kernel::of_kernel;
pub use self::made::{Method, Stage};
pub use self::refuse::ConvertError;
pub(crate) use self::refuse::{check_assembly, check_fit, check_ways};
pub use self::routine::{Conversion, convert};
pub use self::size::{Overfull, Size, may_not_fit, size_of, why_not_fit};
