//! Orders of loops that are chosen for their cost, and what the compiler warns of.

use pleach_codegen::compile::compile;
use pleach_codegen::notation::ast::Item;
use pleach_codegen::notation::parse_source;

use crate::harness::{grid, world};

/// Products of rows with rows: row by row they would be merged for each pair.
const PAIRS: &str = "
kernel rows(A: csr | dcsr | pam | aspen, B: csr | dcsr | coo | stinger) -> C: csr { C(i,j) = A(i,k) * B(j,k) }
kernel dense(A: csr | graph, B: csr | (dense, blist_unsorted)) -> C: matrix { C(i,j) = A(i,k) * B(j,k) }
kernel columns(A: csc, B: csc) -> C: csc { C(i,j) = A(k,i) * B(k,j) }
kernel own(A: csr) -> C: dcsr { C(i,j) = A(i,k) * A(j,k) }
kernel scaled(A: csr, B: csr, d: dense) -> C: csr { C(i,j) = A(i,k) * d(k) * B(j,k) }
kernel least(A: csr fill inf, B: csr fill inf) -> C: matrix fill inf { C(i,j) = A(i,k) * B(j,k) over min_plus }
kernel added(C: matrix, A: csr, B: csr) { C(i,j) += A(i,k) * B(j,k) }
kernel chain(A: csr, B: csr, D: csr) -> C: csr { C(i,j) = A(i,k) * B(k,l) * D(j,l) }
kernel lengths(A: csr, B: csr) -> t: f64 { t = A(i,k) * B(j,k) }
";

#[test]
fn products_of_rows_with_rows_are_right_in_the_cheaper_order() {
    grid(PAIRS, &[("i", 5), ("j", 4), ("k", 6), ("l", 3)], 4);
    grid(PAIRS, &[("i", 1), ("j", 3), ("k", 0), ("l", 1)], 2);
}

/// The loops of the first kernel of a text, and what it is warned of.
fn compiled(text: &str) -> (String, Vec<String>) {
    let (source, mistakes) = parse_source(text);
    assert!(mistakes.is_empty(), "{}", mistakes.render("text", text));
    let kernels = source.items.iter().find_map(|item| match item {
        Item::Kernel(ast) => Some(compile(ast, text, &world().declarations)),
        _ => None,
    });
    let compiled = kernels.unwrap().unwrap_or_else(|wrong| panic!("{}", wrong.render("text", text)));
    let warnings = compiled[0].warnings.iter().map(|warning| warning.render_warning("text", text)).collect();
    (compiled[0].concrete(), warnings)
}

#[test]
fn no_two_rows_are_merged_for_each_pair_where_an_operand_can_be_sorted() {
    for (kernel, loops) in [
        (
            "kernel rows(A: csr, B: csr) -> C: csr { C(i,j) = A(i,k) * B(j,k) }",
            "forall(i, forall(j, C(i,j) = w(j)) where forall(k, forall(j, w(j) += A(i,k) * B(j,k))))",
        ),
        (
            "kernel dense(A: csr, B: csr) -> C: matrix { C(i,j) = A(i,k) * B(j,k) }",
            "forall(i, forall(k, forall(j, C(i,j) += A(i,k) * B(j,k))))",
        ),
        // Only pairs that a sparse operand or mask holds are merged: that is what is meant.
        (
            "kernel sampled(M: csr, A: csr, B: csr) -> C: csr { C(i,j) = M(i,j) * A(i,k) * B(j,k) }",
            "forall(i, forall(j, C(i,j) = t where forall(k, t += M(i,j) * A(i,k) * B(j,k))))",
        ),
        (
            "kernel triangles(A: csr of pattern) -> t: u64 { t = A(i,j) * A(j,k) * A(i,k) }",
            "forall(i, forall(j, forall(k, t += A(i,j) * A(j,k) * A(i,k))))",
        ),
    ] {
        let (concrete, warnings) = compiled(kernel);
        assert!(concrete.contains(loops), "{concrete}");
        assert_eq!(warnings, [""; 0], "{kernel}");
    }
}

#[test]
fn merges_for_each_pair_that_are_left_are_told() {
    let (_, warnings) = compiled("kernel sum(A: csr, B: csr, D: csr) -> C: csr { C(i,j) = D(i,j) + A(i,k) * B(j,k) }");
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    assert!(warning.starts_with("warning: `A` is merged with `B` along `k` for each pair of `i` and `j`"), "{warning}");
    assert!(warning.contains("T(i,j) = A(i,k) * B(j,k)"), "{warning}");
    let (_, warnings) = compiled(
        "kernel hand(A: csr, B: csr) -> C: matrix { forall(i, forall(j, forall(k, C(i,j) += A(i,k) * B(j,k)))) }",
    );
    assert_eq!(warnings.len(), 1, "{warnings:?}");
}

#[test]
fn an_index_that_is_used_once_and_on_no_left_side_is_told() {
    let (_, warnings) = compiled("kernel spmv(y: dense, A: csr, x: dense) { y(i) = A(i,j) * x(k) }");
    let shown = warnings.join("\n");
    assert!(
        shown.contains("index `j` is used once, and not on the left") && shown.contains("did you mean `j`?"),
        "{shown}"
    );
    assert!(
        shown.contains("index `k` is used once, and not on the left") && shown.contains("write `_k` if"),
        "{shown}"
    );
    for quiet in [
        "kernel spmv(y: dense, A: csr, x: dense) { y(i) = A(i,j) * x(j) }",
        "kernel sums(y: dense, A: csr) { y(i) = A(i,j) }",
        "kernel meant(y: dense, A: csr, x: dense) { y(i) = A(i,_j) * x(i) }",
        "kernel outer(x: dense, y: dense) -> C: matrix { C(i,j) = x(i) * y(j) }",
        "kernel lower(A: csr) -> C: csr { C(i,j) = select(A(i,j), j < i) }",
        "kernel loops(A: csr, x: dense) -> t: f64 { forall(i, forall(j, t += A(i,j))) }",
    ] {
        assert_eq!(compiled(quiet).1, [""; 0], "{quiet}");
    }
}
