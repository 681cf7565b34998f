//! What a caller can do who writes safe Rust and means harm: values whose methods panic, types that are larger than memory. Run by miri
//! too, which sees what goes wrong without a crash. Programs that must not compile are in `schemas/refused`.

mod panics;
mod sizes;

/// The B-tree and blocks once more, as small as the paper draws them.
#[path = "../stores/small/mod.rs"]
mod small;

#[allow(dead_code)]
#[path = "../../edit.rs"]
mod edit;
#[allow(dead_code)]
#[path = "../../shape.rs"]
mod shape;
