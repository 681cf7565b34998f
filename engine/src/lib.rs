//! Graph analytics over dynamic sparse tensors.
#![forbid(unsafe_code)]

pub mod edges;

pub use edges::EdgeList;
