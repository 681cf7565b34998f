//! Expressions of which each entry comes from one entry of each operand, and sums of one tensor, over many combinations of formats.

use pleach_conformance::table::ELEMENTWISE;
use pleach_conformance::{LARGE, LEAST, SMALL, many_combinations, pairwise};

pleach_conformance::compiled!("elementwise");

#[test]
fn small() {
    pairwise(ELEMENTWISE);
    many_combinations(ELEMENTWISE, &GROUP.hold(SMALL, 0..4));
}

#[test]
fn least() {
    LEAST.iter().for_each(|of| drop(GROUP.hold(*of, 0..1)));
}

#[test]
fn in_several_tasks() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    pool.install(|| GROUP.hold(LARGE, 5..6));
}
