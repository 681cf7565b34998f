//! Kernels beside the table of expressions: in place, of other types, with fills, of several statements, assembled by copying levels.

use pleach_conformance::{LARGE, LEAST, SMALL};

pleach_conformance::compiled!("kernels");

#[test]
fn small() {
    GROUP.hold(SMALL, 0..5);
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
