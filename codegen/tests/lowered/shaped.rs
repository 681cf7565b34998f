//! Results with entries exactly where an operand has them: its levels are copied, nothing is appended or sorted.

use pleach_codegen::ir::Stmt;
use pleach_codegen::notation::ast::Item;
use pleach_codegen::notation::{parse_source, resolve};

use crate::harness::{grid, world};

const OBLONG: &[(&str, usize)] = &[("i", 6), ("j", 5), ("k", 4), ("l", 3)];

/// Formats whose levels are copied by statements without written loops, and by others.
const COPIED: &str = "
kernel scaled(A: csr | csc | dcsr | (dense, compressed(unordered)), s: f64) -> C: csr | csc | dcsr | (dense, compressed(unordered)) {
    C(i,j) = s * A(i,j)
}
kernel transposed(A: csc, s: f64) -> C: csr { C(i,j) = s * A(j,i) }
kernel negated(A: csf) -> C: csf { C(i,j,k) = -A(i,j,k) }
kernel rounded(A: csr) -> C: csr of i64 { C(i,j) = A(i,j) * 2 }
kernel vector(x: sparse, d: dense) -> y: sparse { y(i) = x(i) * d(i) }
kernel sddmm(B: csr | dcsr | csc, X: matrix, Z: matrix) -> C: csr | dcsr | csc { C(i,j) = B(i,j) * X(i,k) * Z(j,k) }
kernel ttv(A: csf, x: dense) -> C: dcsr { C(i,j) = A(i,j,k) * x(k) }
kernel ttm(A: csf, B: matrix) -> C: (compressed, compressed, dense) { C(i,j,l) = A(i,j,k) * B(k,l) }
kernel row_sums(A: dcsr) -> y: sparse { y(i) = A(i,j) }
kernel panels(A: dcsr, B: matrix) -> C: (compressed, dense) { C(i,k) = A(i,j) * B(j,k) }
kernel boxes(A: (compressed, dense), s: f64) -> C: (compressed, dense) { C(i,j) = A(i,j) * s }
kernel deep(A: (dense, compressed, compressed), x: dense) -> C: csr { C(i,j) = A(i,j,k) * x(k) }
kernel rows(A: (dense, dense, compressed), s: f64) -> C: (dense, dense, compressed) { C(i,j,k) = A(i,j,k) * s }
kernel least(A: csf fill inf, x: dense) -> C: dcsr fill inf { C(i,j) = A(i,j,k) * x(k) over min_plus }
kernel folded(A: dcsr, x: dense) -> y: sparse { forall(i, forall(j, y(i) += A(i,j) * x(j))) }
kernel at_once(A: csr, x: dense) -> C: csr { forall(i, parallel, forall(j, C(i,j) = A(i,j) * x(j))) }
kernel at_once_listed(A: dcsr, x: dense) -> C: dcsr { forall(i, parallel, forall(j, C(i,j) = A(i,j) * x(j))) }
kernel ahead(A: csr, x: dense) -> C: csr { forall(i, forall(j, C(i,j) = A(i,j) * w(j))) where forall(j, w(j) = x(j) + 1) }
kernel twice(A: csr) -> C: csr { C(i,j) = A(i,j) * A(i,j) + A(i,j) }
kernel again(A: csr, B: csr, s: f64) -> T: csr, C: csr { T(i,j) = A(i,j) + B(i,j)  C(i,j) = s * T(i,j) }
";

#[test]
fn results_with_an_operands_levels() {
    for extents in [OBLONG, &[("i", 1), ("j", 5), ("k", 1), ("l", 1)], &[("i", 0), ("j", 3), ("k", 2), ("l", 1)]] {
        grid(COPIED, extents, 8);
    }
}

/// The kernels of a text, each with the number of arrays that it copies.
fn copies(text: &str) -> Vec<(String, usize)> {
    let world = world();
    let (source, mistakes) = parse_source(text);
    assert!(mistakes.is_empty(), "{}", mistakes.render("text", text));
    let mut counts = Vec::new();
    for item in &source.items {
        let Item::Kernel(ast) = item else { continue };
        let kernels =
            resolve(ast, &world.declarations).unwrap_or_else(|wrong| panic!("{}", wrong.render("text", text)));
        for kernel in kernels {
            let lowered = pleach_codegen::compile::stages(&kernel)
                .unwrap_or_else(|e| panic!("{}", e.render("text", text)))
                .lowered;
            let mut count = 0;
            lowered.body.visit(&mut |stmt| count += usize::from(matches!(stmt, Stmt::CopyArray { .. })));
            counts.push((lowered.name, count));
        }
    }
    counts
}

#[test]
fn levels_are_copied_where_they_are_the_same() {
    for text in [
        "kernel scaled(A: csr, s: f64) -> C: csr { C(i,j) = s * A(i,j) }",
        "kernel sddmm(B: csr, X: matrix, Z: matrix) -> C: csr { C(i,j) = B(i,j) * X(i,k) * Z(j,k) }",
        "kernel vector(x: sparse, d: dense) -> y: sparse { y(i) = x(i) * d(i) }",
        "kernel row_sums(A: dcsr) -> y: sparse { y(i) = A(i,j) }",
    ] {
        assert_eq!(copies(text)[0].1, 2, "{text}");
    }
    for text in [
        "kernel ttv(A: csf, x: dense) -> C: dcsr { C(i,j) = A(i,j,k) * x(k) }",
        "kernel ttm(A: csf, B: matrix) -> C: (compressed, compressed, dense) { C(i,j,l) = A(i,j,k) * B(k,l) }",
    ] {
        assert_eq!(copies(text)[0].1, 4, "{text}");
    }
}

/// Entries may be missing where the operand has some, or be there where it has none.
const OTHERS: &str = "
kernel both(A: csr, B: csr) -> C: csr { C(i,j) = A(i,j) * B(i,j) }
kernel either(A: csr, B: csr) -> C: csr { C(i,j) = A(i,j) + B(i,j) }
kernel shifted(A: csr) -> C: csr { C(i,j) = A(i,j) + 1 }
kernel chosen(A: csr) -> C: csr { C(i,j) = select(A(i,j), A(i,j) > 0.5) }
kernel masked(A: csr, M: csr) -> C: csr { C(i,j)<M> = A(i,j) }
kernel turned(A: csr) -> C: csr { C(i,j) = A(j,i) }
kernel product(A: csr, B: csr) -> C: csr { C(i,j) = A(i,k) * B(k,j) }
kernel within(A: csr, B: csr) -> C: csr { C(i,j) = A(i,j) * B(i,k) * B(j,k) }
kernel other_format(A: csr) -> C: dcsr { C(i,j) = A(i,j) * 2 }
kernel other_order(A: (dense, compressed(unordered))) -> C: csr { C(i,j) = A(i,j) * 2 }
kernel repeated(A: coo) -> C: coo { C(i,j) = A(i,j) * 2 }
";

#[test]
fn levels_are_not_copied_where_they_differ() {
    for (name, count) in copies(OTHERS) {
        assert_eq!(count, 0, "{name}");
    }
    grid(OTHERS, &[("i", 5), ("j", 5), ("k", 5)], 8);
}
