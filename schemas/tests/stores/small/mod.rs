//! The stores again, with blocks as small as the paper draws them.

#![allow(missing_docs, dead_code)]

pub mod blist;
pub mod blist_gaps;
pub mod blist_prefix;
pub mod blist_unsorted;
pub mod btree;
pub mod ttree;
