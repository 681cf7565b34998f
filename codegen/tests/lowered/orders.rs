//! What is refused: loops written by hand that a format forbids, formats that no kernel could read, statements of too many cases.

use pleach_codegen::compile::compile;
use pleach_codegen::notation::ast::Item;
use pleach_codegen::notation::parse_source;

use crate::harness::{World, world};

/// What the compiler says of a kernel; nothing if it compiles it.
fn said(world: &World, text: &str) -> String {
    let (source, mistakes) = parse_source(text);
    assert!(mistakes.is_empty(), "{}", mistakes.render("text", text));
    let Some(Item::Kernel(ast)) = source.items.first() else { panic!("{text}") };
    compile(ast, text, &world.declarations).map_or_else(|wrong| wrong.render("text", text), |_| String::new())
}

#[test]
fn orders_that_formats_forbid_are_refused() {
    let world = world();
    for (text, what, help) in [
        (
            "kernel turned(A: csr, x: dense) -> y: dense { forall(j, forall(i, y(i) += A(i,j) * x(j))) }",
            "the levels of `A` keep `i` above `j`, and the loop over `j` is the outer one",
            "run the loops in the order `i`, `j`",
        ),
        (
            "kernel trees(A: pam, x: dense) -> y: dense { forall(j, forall(i, y(i) += A(i,j) * x(j))) }",
            "the levels of `A` keep `i` above `j`",
            "run the loops in the order `i`, `j`",
        ),
        (
            "kernel product(A: csr, B: csr) -> C: matrix { forall(i, forall(j, forall(k, C(i,j) += A(i,k) * B(k,j)))) }",
            "the levels of `B` keep `k` above `j`, and the loop over `j` is the outer one",
            "run the loops in the order `i`, `k`, `j`",
        ),
        (
            "kernel both(A: csr) -> C: csr { forall(i, forall(j, C(i,j) = A(i,j) + A(j,i))) }",
            "the levels of `A` keep `j` above `i`",
            "keep `A` as `i: dense, j: compressed`",
        ),
        (
            "kernel both(A: csr) -> C: csr { forall(i, forall(j, C(i,j) = A(i,j) + A(j,i))) }",
            "the levels of `A` keep `j` above `i`",
            "write the statement without `forall`",
        ),
        (
            "kernel into(A: matrix) -> C: csc { forall(i, forall(j, C(i,j) = A(i,j))) }",
            "entries of `C` are appended with `j` above `i`, and the loop over `i` is the outer one",
            "run the loops in the order `j`, `i`",
        ),
        (
            "kernel gustavson(A: csr, B: csr) -> C: csr { forall(i, forall(k, forall(j, C(i,j) += A(i,k) * B(k,j)))) }",
            "`C` can only be appended to, and every `k` folds into entries that are there already",
            "fold a row in a workspace first: `forall(j, C(i,j) = w(j)) where …`; or return a dense format",
        ),
    ] {
        let message = said(&world, text);
        assert!(message.contains(what) && message.contains(help), "{text}\n{message}");
    }
}

#[test]
fn statements_of_too_many_cases_are_told_apart_at_run_time() {
    let terms: Vec<String> = "ABCDEF".chars().map(|name| format!("{name}(i,j,k)")).collect();
    let params: Vec<String> = "ABCDEF".chars().map(|name| format!("{name}: csf")).collect();
    let text = format!("kernel k({}) -> R: csf {{ R(i,j,k) = {} }}", params.join(", "), terms.join(" + "));
    assert_eq!(said(&world(), &text), "");
}

#[test]
fn levels_begin_at_zero() {
    let (source, _) = parse_source("format shifted(i) = (i + 3): compressed");
    let message = world().declarations.add(&source).to_string();
    let text = "the smallest coordinate of a level must be 0, and the smallest value of `i + 3` is 3";
    assert!(message.contains(text), "{message}");
    let (source, _) = parse_source("format mirrored(i) = (1 - i): compressed");
    let message = world().declarations.add(&source).to_string();
    assert!(message.contains("the smallest value of `1 - i` may be 1"), "{message}");
}

#[test]
fn orders_that_formats_allow_are_kept() {
    let world = world();
    for text in [
        "kernel k(A: csr | stinger | coo, x: dense) -> y: dense { forall(i, forall(j, y(i) += A(i,j) * x(j))) }",
        "kernel k(A: csc, x: dense) -> y: dense { forall(j, forall(i, y(i) += A(i,j) * x(j))) }",
        "kernel k(A: matrix, x: dense) -> y: dense { forall(j, forall(i, y(i) += A(i,j) * x(j))) }",
        "kernel k(A: csr, B: csr) -> C: matrix | dok { forall(i, forall(k, forall(j, C(i,j) += A(i,k) * B(k,j)))) }",
        "kernel k(A: csr, B: csc) -> C: csr { forall(i, forall(j, C(i,j) = t where forall(k, t += A(i,k) * B(k,j)))) }",
        "kernel k(A: csr, x: dense) -> y: sparse { forall(i, forall(j, y(i) += A(i,j) * x(j))) }",
        "kernel k(A: csr) -> C: coo_unsorted | aspen { forall(i, forall(j, C(i,j) = A(i,j))) }",
        "kernel k(A: csr, B: csr) -> C: csr {
            forall(i, parallel, forall(j, C(i,j) = w(j)) where forall(k, forall(j, w(j) += A(i,k) * B(k,j))))
        }",
    ] {
        assert_eq!(said(&world, text), "", "{text}");
    }
}
