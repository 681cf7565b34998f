//! Tables of expressions and formats.

use pleach_codegen::notation::ast::ValueType;

use crate::harness::grid;

const SQUARE: &[(&str, usize)] = &[("i", 5), ("j", 5), ("k", 5), ("l", 5)];
const OBLONG: &[(&str, usize)] = &[("i", 4), ("j", 7), ("k", 3), ("l", 5)];

const MATRICES: &str = "csr | csc | coo | coo_unsorted | coo_aos | dcsr | dok | matrix | dia | ell | bcsr<2, 3> | skyline | banded | stinger | pam";

#[test]
fn matrix_times_vector() {
    let ran = grid(
        &format!(
            "
kernel spmv(A: {MATRICES}, x: dense) -> y: dense {{ y(i) = A(i,j) * x(j) }}
kernel transposed(A: {MATRICES}, x: dense) -> y: dense {{ y(j) = A(i,j) * x(i) }}
kernel spmspv(A: csr | csc | dcsr | coo | stinger, x: sparse | hash | bst) -> y: dense {{ y(i) = A(i,j) * x(j) }}
kernel sparse_result(A: csr | csc | coo | pam, x: sparse | dense) -> y: sparse {{ y(i) = A(i,j) * x(j) }}
kernel in_place(y: dense, A: csr | csc | coo | dia, x: dense) {{ y(i) = A(i,j) * x(j) }}
kernel accumulate(y: dense, A: csr | csc | ell, x: dense) {{ y(i) += A(i,j) * x(j) }}
kernel residual(A: csr | csc | coo | stinger, x: dense, b: dense) -> y: dense {{ y(i) = b(i) - A(i,j) * x(j) }}
kernel min_plus(A: csr | csc | dcsr | pam | bcsr<2, 3> | dia | skyline, x: dense | sparse) -> y: dense {{ y(i) = A(i,j) * x(j) over min_plus }}
kernel plus_second(A: csr of pattern | csc of pattern, x: dense) -> y: dense {{ y(i) = A(i,j) * x(j) over plus_second }}
kernel rows(A: {MATRICES}) -> y: dense {{ y(i) = A(i,j) }}
kernel largest(A: csr | csc | coo) -> y: dense {{ y(i) max= A(i,j) }}
kernel total(A: {MATRICES}) -> t: f64 {{ t = A(i,j) }}
"
        )
        .replace("csr of pattern | csc of pattern", "csr | csc of pattern"),
        OBLONG,
        12,
    );
    assert!(ran > 100, "{ran}");
}

#[test]
fn elementwise() {
    let ran = grid(
        &format!(
            "
kernel add(A: {MATRICES}, B: csr | coo | dcsr) -> C: csr {{ C(i,j) = A(i,j) + B(i,j) }}
kernel multiply(A: {MATRICES}, B: csr | csc) -> C: csr {{ C(i,j) = A(i,j) * B(i,j) }}
kernel subtract(A: csr | stinger | pam, B: csr | dcsr | matrix) -> C: dcsr {{ C(i,j) = A(i,j) - B(i,j) }}
kernel into(A: csr, B: pam) -> C: coo {{ C(i,j) = A(i,j) + B(i,j) }}
kernel three(A: csr | pam, B: csr | csc, C: coo | dcsr) -> D: csr {{ D(i,j) = A(i,j) + B(i,j) + C(i,j) }}
kernel mixed(A: csr | stinger, B: csr | dia, C: csr | ell) -> D: csr {{ D(i,j) = A(i,j) * B(i,j) + C(i,j) }}
kernel factored(A: csr, B: csr | pam, C: csr | matrix) -> D: csr {{ D(i,j) = A(i,j) * (B(i,j) + C(i,j)) }}
kernel gone(A: csr | pam, B: csr | coo of pattern) -> C: csr {{ C(i,j) = A(i,j) without B(i,j) }}
kernel gone_by_value(A: csr | pam, B: bcsr<2, 3> | dia | skyline | ell) -> C: csr | dia {{ C(i,j) = A(i,j) without B(i,j) }}
kernel masked(A: csr, B: dcsr | pam, M: csr | matrix | bcsr<2, 2> | dia | banded) -> C: csr {{ C(i,j)<M> = A(i,j) + B(i,j) }}
kernel unmasked(A: csr, B: dcsr | pam, M: csr | matrix | bcsr<2, 2> | dia | banded) -> C: csr {{ C(i,j)<!M> = A(i,j) + B(i,j) }}
kernel constant(A: csr | coo | pam) -> C: matrix {{ C(i,j) = A(i,j) + 1 }}
kernel filled(A: csr | coo | pam) -> C: csr fill 1 {{ C(i,j) = A(i,j) + 1 }}
kernel unfilled(A: csr | csc) -> C: csr {{ C(i,j) = A(i,j) + 1 }}
kernel scaled(A: csr | csc, B: csr, alpha: f64, beta: f64) -> C: csr {{ C(i,j) = alpha * A(i,j) + beta * B(i,j) }}
kernel lower(A: csr | csc | coo) -> C: csr {{ C(i,j) = select(A(i,j), i > j) }}
kernel indexed(A: csr | dcsr | pam) -> C: csr {{ C(i,j) = A(i,j) * (i - j) }}
kernel function(A: csr | coo, B: csr | matrix) -> C: csr {{ C(i,j) = near(A(i,j), B(i,j)) }}
kernel apply(A: csr | csc | pam) -> C: csc {{ C(i,j) = clamp(A(i,j)) }}
kernel copy(A: {MATRICES}) -> C: csr {{ C(i,j) = A(i,j) }}
kernel difference(A: csr fill inf, B: csr) -> C: csr fill inf {{ C(i,j) = min(A(i,j), A(i,j) + B(i,j)) }}
kernel integers(A: csr | csc of i32, B: coo of i64) -> C: csr of i64 {{ C(i,j) = A(i,j) + B(i,j) / 2 }}
kernel truth(A: csr of bool, B: csr of pattern) -> C: csr of bool {{ C(i,j) = or(A(i,j), B(i,j)) }}
kernel single(A: csr of f32, B: csc of f32) -> C: csr of f32 {{ C(i,j) = A(i,j) * 0.5 + B(i,j) }}
"
        ),
        OBLONG,
        8,
    );
    assert!(ran > 100, "{ran}");
}

#[test]
fn transposes_and_products() {
    let ran = grid(
        "
kernel symmetric(A: csr | csc | coo | dcsr | stinger | dia) -> C: csr { C(i,j) = A(i,j) + A(j,i) }
kernel diagonal(A: csr | csc | coo | pam | matrix) -> d: dense { d(i) = A(i,i) }
kernel twice(A: csr | coo) -> C: csr { C(i,j) = A(i,j) * A(i,j) }
kernel both(A: (dense, hashed) | coo | csc | dia, d: bst) -> t: f64 { t = A(k,k) + A(i,i) * d(i) * A(k,k) }
kernel both_turned(A: (dense, hashed) | coo | csc | dia, d: bst) -> t: f64 { t = A(i,i) * d(i) * A(k,k) + A(k,k) }
kernel gram(A: csr | csc | coo) -> C: csr { C(i,j) = A(k,i) * A(k,j) }
kernel spgemm(A: matrix | csr | csc | coo, B: matrix | csr | csc | coo) -> C: csr { C(i,j) = A(i,k) * B(k,j) }
kernel spgemm_dense(A: csr | csc, B: csr | csc) -> C: matrix { C(i,j) = A(i,k) * B(k,j) }
kernel spgemm_csc(A: csr | csc, B: csr | csc) -> C: csc { C(i,j) = A(i,k) * B(k,j) }
kernel spgemm_coo(A: csr | pam, B: csr | stinger) -> C: coo { C(i,j) = A(i,k) * B(k,j) }
kernel spgemm_min(A: csr, B: csr | dcsr) -> C: csr { C(i,j) = A(i,k) * B(k,j) over min_plus }
kernel masked(A: csr, B: csr, M: csr of pattern) -> C: csr { C(i,j)<M> = A(i,k) * B(k,j) }
kernel triangles(A: csr of pattern) -> t: u64 { t = A(i,j) * A(j,k) * A(i,k) }
kernel sddmm(A: csr | coo | pam, B: matrix, C: matrix) -> D: csr { D(i,j) = A(i,j) * B(i,k) * C(j,k) }
kernel spmm(A: csr | csc | coo | ell, B: matrix) -> C: matrix { C(i,j) = A(i,k) * B(k,j) }
kernel chain(A: csr, B: csr, C: csr) -> D: csr { D(i,j) = A(i,k) * B(k,l) * C(l,j) }
kernel plus(A: csr, B: csr, C: csr) -> D: csr { D(i,j) = A(i,k) * B(k,j) + C(i,j) }
",
        SQUARE,
        8,
    );
    assert!(ran > 50, "{ran}");
}

#[test]
fn higher_orders() {
    let ran = grid(
        "
kernel ttv(A: csf | coo3 | cube | mode_generic, x: dense) -> C: csr { C(i,j) = A(i,j,k) * x(k) }
kernel ttm(A: csf | coo3, B: matrix) -> C: (dense, dense, dense) | csf { C(i,j,l) = A(i,j,k) * B(k,l) }
kernel mttkrp(A: csf | coo3 | cube, C: matrix, D: matrix) -> B: matrix { B(i,l) = A(i,j,k) * C(j,l) * D(k,l) }
kernel inner(A: csf | coo3 | mode_generic, B: csf | cube) -> t: f64 { t = A(i,j,k) * B(i,j,k) }
kernel plus(A: csf | coo3, B: csf | cube) -> C: csf { C(i,j,k) = A(i,j,k) + B(i,j,k) }
kernel blocks(A: hicoo3) -> t: f64 { t = A(i,j,k) }
",
        OBLONG,
        6,
    );
    assert!(ran > 20, "{ran}");
}

#[test]
fn results_of_every_kind() {
    let ran = grid("
kernel made(A: csr | pam, B: csc) -> C: csr | csc | coo | coo_aos | dcsr | dok | dia | ell | bcsr<2, 2> | skyline | banded { C(i,j) = A(i,j) + B(i,j) }
kernel blocks(A: csf | coo3) -> C: hicoo3 | mode_generic | coo3 | cube { C(i,j,k) = A(i,j,k) * 2 }
kernel blocks_of_blocks(A: hicoo3, B: csf) -> C: hicoo3 { C(i,j,k) = A(i,j,k) + B(i,j,k) }
", &[("i", 4), ("j", 7), ("k", 9)], 8);
    assert!(ran > 10, "{ran}");
}

#[test]
fn blocks_whose_numbers_repeat() {
    let ran = grid(
        "kernel blocks(A: hicoo3 | coo3) -> C: hicoo3 | csf { C(i,j,k) = A(i,j,k) * 2 }",
        &[("i", 4200), ("j", 2), ("k", 1)],
        3,
    );
    assert_eq!(ran, 4);
}

#[test]
fn folded_before_they_are_inserted() {
    let formats = "bcsr<2, 3> | csb<2, 2> | ell | dia | dok | skyline | banded | (dense, hashed) | (compressed, dense)";
    let text = format!(
        "
kernel largest(A: csc, B: csc, x: dense) -> C: {formats} {{ C(i,k) = A(i,j) * B(j,k) * x(i) over most }}
kernel largest_cubes(A: csc, B: csc, X: cube) -> C: mode_generic | (dense, compressed, dense) {{
    C(i,j,k) = A(i,l) * B(j,l) * X(i,j,k) over most
}}
kernel least(A: csc of i64, B: csc of i64, x: dense of i64) -> C: csr | {formats} of i64 fill inf {{ C(i,k) min= A(i,j) * B(j,k) * x(i) }}
kernel narrowed(A: csc, B: csc, x: dense) -> C: csr | csc | dcsr | coo | pam | {formats} of f32 {{ C(i,k) += A(i,j) * B(j,k) * x(i) }}
kernel narrowed_largest(A: csc, B: csc, x: dense) -> C: csr | {formats} of f32 {{ C(i,k) = A(i,j) * B(j,k) * x(i) over most }}
kernel whole(A: csc, B: csc of i64, x: dense) -> C: csr | coo | {formats} of i32 {{ C(i,k) += A(i,j) * B(j,k) * x(i) / 2 }}
kernel kept_once(A: csc, B: csc, x: dense) -> C: (dense, compressed(nonunique)) | coo_duplicates of f32 {{
    C(i,k) max= A(i,j) * B(j,k) * x(i)
}}
kernel truth(A: csc, B: csc, x: dense) -> C: csr | dok | bcsr<2, 2> of bool {{ C(i,k) += A(i,j) * B(j,k) * x(i) }}
"
    );
    for (of, seeds) in [([4, 7, 3, 5], 12), ([1; 4], 3), ([0; 4], 1), ([3, 0, 2, 0], 1)] {
        let of: Vec<(&str, usize)> = ["i", "j", "k", "l"].into_iter().zip(of).collect();
        let ran = grid(&text, &of, seeds);
        assert!(ran > 40, "{ran}");
    }
}

#[test]
fn empty_and_single() {
    for n in [0, 1] {
        let of = [("i", n), ("j", n), ("k", n), ("l", n)];
        grid(
            "
kernel add(A: csr | csc | coo | dia | ell | bcsr<2, 2> | dok | pam, B: csr) -> C: csr { C(i,j) = A(i,j) + B(i,j) }
kernel spgemm(A: csr, B: csr | csc) -> C: csr { C(i,j) = A(i,k) * B(k,j) }
kernel spmv(A: csr | dia | skyline | ell, x: dense) -> y: dense { y(i) = A(i,j) * x(j) }
",
            &of,
            6,
        );
    }
}

#[test]
fn written_by_hand() {
    grid(
        "
kernel pagerank(y: dense, A: csr | stinger, x: dense, d: dense) {
    forall(i, forall(j, y(i) += A(i,j) * w(j))) where forall(j, w(j) = x(j) * d(j))
}
kernel gustavson(A: csr, B: csr) -> C: csr {
    forall(i, forall(j, C(i,j) = w(j)) where forall(k, forall(j, w(j) += A(i,k) * B(k,j))))
}
kernel steps(A: csr, x: dense) -> y: dense { t(i) = A(i,j) * x(j)  y(i) = t(i) * 2  y(i) += x(i) }
",
        SQUARE,
        8,
    );
}

#[test]
fn types_meet() {
    for ty in ValueType::ALL {
        grid(
            &format!(
                "kernel add(A: csr of {ty}, B: csc of {ty}) -> C: csr of {ty} {{ C(i,j) = A(i,j) + B(i,j) }}
kernel spmv(A: csr of {ty}, x: dense of f64) -> y: dense of f64 {{ y(i) = A(i,j) * x(j) }}"
            ),
            OBLONG,
            4,
        );
    }
}
