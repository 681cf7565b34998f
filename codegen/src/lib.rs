//! The Pleach compiler: four small notations in, Rust out.

#![forbid(unsafe_code)]

pub mod build;
pub mod derive;
pub mod diagnostic;
pub mod emit;
pub mod format;
pub mod ir;
pub mod lattice;
pub mod level;
pub mod lower;
pub mod notation;
pub mod reference;
pub mod schema;
pub mod session;
pub mod store;

pub use build::Build;
