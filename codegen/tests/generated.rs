//! The Rust of every bundled store, as a person would read it: review a change here as if it had been written by hand.

use pleach_codegen::schema::{check, parse};
use pleach_codegen::store::{Options, generate};

#[test]
fn rust_of_bundled_stores() {
    for schema in pleach_catalog::SCHEMAS {
        let model = check(&parse(schema.text).unwrap()[0], schema.name).unwrap();
        let options = Options { source: Some(schema.text.into()), ..Options::default() };
        let rust = generate(&model, &options).unwrap();
        // Documentation is what the user sees: every public item has one line of it at least.
        let lines: Vec<&str> = rust.lines().map(str::trim).collect();
        for (at, line) in lines.iter().enumerate() {
            let public = ["pub fn ", "pub struct ", "pub enum ", "pub const ", "pub mod "];
            if public.iter().any(|item| line.starts_with(item)) {
                let above = lines[..at].iter().rev().find(|line| !line.starts_with("#["));
                assert!(above.is_some_and(|line| line.starts_with("///")), "{}: `{line}` says nothing", schema.name);
            }
        }
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("generated_{}", schema.name), rust);
        });
    }
}
