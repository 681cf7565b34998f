//! Stores that are chosen at run time. One program: each would link all stores anew.
#![allow(missing_docs)]

mod differences;
mod graphs;
mod names;
mod pairs;
mod turned;
