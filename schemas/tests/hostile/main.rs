//! Hostile callers in safe Rust: values whose methods panic or change other stores, and types that are larger than memory. Miri and the
//! sanitizers run these tests too, and detect what goes wrong without a crash. Programs that must not compile are in `schemas/refused`.

mod panics;
mod reenter;
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
