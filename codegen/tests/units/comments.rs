//! Comments in printed Rust.

use pleach_codegen::backend::rust;
use pleach_codegen::ir::{Kernel, Stmt, Vars};

/// The comments of a kernel that has `text` as its only one.
fn printed(text: &str) -> Vec<String> {
    let mut kernel = Kernel {
        functions: vec![],
        name: "noted".into(),
        doc: vec![],
        params: vec![],
        checks: vec![],
        body: Stmt::Comment(text.into()).into(),
        results: vec![],
        vars: Vars::new(),
    };
    kernel.simplify();
    let rust = rust::source(&[kernel], &rust::Options::default()).unwrap();
    rust.lines().filter(|line| line.trim().starts_with("// ")).map(|line| line.trim().to_owned()).collect()
}

#[test]
fn comments_may_be_longer_than_a_line() {
    let text = "word ".repeat(40);
    assert_eq!(printed(text.trim()), [format!("// {}", text.trim())]);
}

#[test]
fn comments_keep_quotes_and_other_alphabets() {
    assert_eq!(printed("A ∪ B, \"quoted\" \\ and\nbroken"), ["// A ∪ B, \"quoted\" \\ and broken"]);
}
