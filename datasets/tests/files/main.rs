//! Files as they are read and written, in every format. One program: each would link the library anew.
#![allow(missing_docs)]

mod attributes;
mod bad_input;
mod batches;
mod both_ends;
mod columns;
#[cfg(feature = "fetch")]
mod fetch;
mod formats;
mod lists;
#[cfg(feature = "tables")]
mod other_tables;
mod others;
mod reading;
mod real_files;
mod replay;
#[cfg(feature = "tables")]
mod tables;
