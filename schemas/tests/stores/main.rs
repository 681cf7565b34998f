//! Every bundled store against a `BTreeMap`: built, read in every way, changed, copied, shared, dropped; audited after each step.

mod audits;
mod deep;
mod model;
mod random;
mod small;

/// The assemblies of stores with small blocks are compiled once more in this crate.
#[allow(dead_code)]
#[path = "../../edit.rs"]
mod edit;
#[allow(dead_code)]
#[path = "../../shape.rs"]
mod shape;

/// Whether tests run at their full size, as by night.
const FULL: bool = option_env!("PLEACH_FULL_SIZE").is_some();
