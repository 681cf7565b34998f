//! Expressions of which each entry comes from one entry of each operand, and sums of one tensor, over many combinations of formats.
#![allow(warnings, missing_docs, clippy::all, clippy::undocumented_unsafe_blocks)]

use pleach_conformance::table::ELEMENTWISE;
use pleach_conformance::{SMALL, many_combinations, pairwise};

pleach_conformance::grid!("elementwise");

#[test]
fn small() {
    pairwise(ELEMENTWISE);
    many_combinations(ELEMENTWISE, &GROUP.hold(&[(SMALL, 0..4)]));
}
