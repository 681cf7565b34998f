//! Hostile callers in safe Rust: values whose methods panic or change other stores, and types that are larger than memory. Miri and the
//! sanitizers run these tests too, and detect what goes wrong without a crash. Programs that must not compile are in `schemas/refused`.
//!
//! With a sanitizer, all of it at once takes rustc more memory than most machines have: `.ci/sanitizers` builds it with `--cfg part` and
//! `--cfg part="trees"`, `"lists"`, `"pages"`, `"reenter"` or `"sizes"`, and runs one after the other.
#![cfg_attr(part, allow(dead_code, unused_imports, reason = "other parts use it"))]
#![allow(unexpected_cfgs, reason = "nothing but the script sets it")]

mod panics;
#[cfg(any(not(part), part = "reenter"))]
mod reenter;
#[cfg(any(not(part), part = "sizes"))]
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
