//! Products that are summed up, each over many combinations of formats.

use pleach_conformance::table::PRODUCTS;
use pleach_conformance::{LARGE, LEAST, SMALL, many_combinations, pairwise};

pleach_conformance::compiled!("products");

#[test]
fn small() {
    pairwise(PRODUCTS);
    many_combinations(PRODUCTS, &GROUP.hold(SMALL, 0..4));
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
