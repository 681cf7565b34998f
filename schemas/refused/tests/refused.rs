//! See the crate's description.

#[test]
fn unsound_programs_are_refused() {
    trybuild::TestCases::new().compile_fail("programs/*.rs");
}
