//! Kernels beside the table of expressions: in place, of other types, with fills, of several statements, assembled by copying levels.
#![allow(warnings, missing_docs, clippy::all, clippy::undocumented_unsafe_blocks)]

use pleach_conformance::SMALL;

pleach_conformance::grid!("kernels");

#[test]
fn small() {
    GROUP.hold(&[(SMALL, 0..5)]);
}
