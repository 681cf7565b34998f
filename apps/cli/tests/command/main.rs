//! The command, run as its users run it. One program, since each would be linked with everything that they share.
#![allow(missing_docs)]

mod algorithms;
mod bad_input;
mod bench;
mod cluster;
mod common;
mod completions;
mod convert;
mod data;
mod kept;
mod kernels;
mod manners;
mod meaning;
mod names;
mod python;
mod schema;
mod serve;
mod stream;
mod temporal;
mod updates;
