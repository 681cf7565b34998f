//! The store that is generated from `ladder.schema`, and how it is built.

include!(concat!(env!("OUT_DIR"), "/ladder.rs"));

mod assemble;
