//! Random statements, compiled by rustc and run over the generated stores. `.ci/hunt SEED COUNT` runs others, and more.
#![allow(warnings, missing_docs, clippy::all, clippy::undocumented_unsafe_blocks)]

pleach_conformance::compiled!("random");

#[test]
fn statements_agree() {
    let ran = pleach_conformance::hold_statements(compiled::TEXTS, GROUP.kernels, compiled::SEED);
    println!("{ran} of {} statements compiled by rustc; no Rust for:", compiled::TEXTS.len());
    GROUP.missing.iter().for_each(|(name, why)| println!("{name}: {why}"));
    assert!(ran * 2 > compiled::TEXTS.len(), "{ran} of {} were compiled", compiled::TEXTS.len());
}
