//! The macro's errors and warnings, and that they are reported at the right token: the programs in `messages/` must not compile, and beside
//! each lies what rustc prints. `TRYBUILD=overwrite cargo test -p pleach-refused --test messages` writes that anew, to be reviewed.

#[test]
fn messages_underline_the_token() {
    trybuild::TestCases::new().compile_fail("messages/*.rs");
}
