//! Emitted Rust as snapshots.

use pleach_codegen::backend::rust::{Options, source};

#[test]
fn emitted_source_reads_as_if_written_by_hand() {
    for mut kernel in crate::kernels::all() {
        kernel.simplify();
        let text = source(std::slice::from_ref(&kernel), &Options::default()).unwrap();
        insta::assert_snapshot!(kernel.name.clone(), text);
    }
}
