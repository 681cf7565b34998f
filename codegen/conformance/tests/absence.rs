//! The examples of the page on absence, compiled by rustc: everything comes out as it was computed by hand.
#![allow(warnings, missing_docs, clippy::all, clippy::undocumented_unsafe_blocks)]

pleach_conformance::compiled!("absence");

#[test]
fn examples_come_out_as_computed_by_hand() {
    let ran = pleach_conformance::hold_page(GROUP.kernels);
    assert!(ran > 200, "{ran} kernels");
}
