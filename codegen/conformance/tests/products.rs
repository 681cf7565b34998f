//! Products that are summed up, each over many combinations of formats.
#![allow(warnings, missing_docs, clippy::all, clippy::undocumented_unsafe_blocks)]

use pleach_conformance::table::PRODUCTS;
use pleach_conformance::{SMALL, many_combinations, pairwise};

pleach_conformance::grid!("products");

#[test]
fn small() {
    pairwise(PRODUCTS);
    many_combinations(PRODUCTS, &GROUP.hold(&[(SMALL, 0..4)]));
}
