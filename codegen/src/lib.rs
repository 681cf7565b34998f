//! The Pleach compiler: four small notations in, Rust out.

#![forbid(unsafe_code)]

pub mod derive;
pub mod diagnostic;
pub mod emit;
pub mod format;
pub mod ir;
pub mod level;
pub mod notation;
pub mod schema;
pub mod store;
