//! Where public compilers fall down, one test each.

use crate::harness::grid;

const SQUARE: &[(&str, usize)] = &[("i", 5), ("j", 5), ("k", 5), ("l", 5)];
const OBLONG: &[(&str, usize)] = &[("i", 4), ("j", 7), ("k", 3), ("l", 5)];

#[test]
fn a_matrix_and_its_transpose() {
    grid(
        "kernel add(A: csr | csc | coo | dcsr | stinger | aspen | dia) -> C: csr | matrix { C(i,j) = A(i,j) + A(j,i) }
         kernel multiply(A: csr | csc | pam | dok) -> C: csr | coo | lil { C(i,j) = A(i,j) * A(j,i) }",
        SQUARE,
        6,
    );
}

#[test]
fn rows_and_columns_together() {
    grid(
        "kernel add(A: csr, B: csc) -> C: csr | csc | matrix | dcsr { C(i,j) = A(i,j) + B(i,j) }
         kernel multiply(A: csr, B: csc) -> C: csr | csc | matrix | coo { C(i,j) = A(i,j) * B(i,j) }
         kernel product(A: csr, B: csc) -> C: csr | csc | matrix | coo { C(i,j) = A(i,k) * B(k,j) }",
        OBLONG,
        8,
    );
}

#[test]
fn the_diagonal() {
    grid(
        "kernel taken(A: csr | csc | coo | pam | matrix | dia | ell | bcsr<2, 3>) -> d: dense | sparse | bst { d(i) = A(i,i) }
         kernel trace(A: csr | coo | aspen | skyline) -> t: f64 { t = A(i,i) }
         kernel of_a_cube(T: csf | coo3 | cube) -> d: dense | sparse { d(i) = T(i,i,i) }",
        SQUARE,
        6,
    );
}

#[test]
fn the_same_tensor_twice() {
    grid(
        "kernel squares(A: csr | coo | pam | matrix) -> C: csr { C(i,j) = A(i,j) * A(i,j) }
         kernel twice(A: csr | csc | lil) -> C: csr { C(i,j) = A(i,j) + A(i,j) }
         kernel chain(A: csr | csc | coo) -> C: csr { C(i,j) = A(i,k) * A(k,j) }
         kernel triangles(A: csr of pattern) -> t: u64 { t = A(i,j) * A(j,k) * A(i,k) }",
        SQUARE,
        8,
    );
}

#[test]
fn gram_into_rows() {
    grid("kernel gram(A: csr | csc | coo | dcsr | pam) -> C: csr | csc | coo { C(i,j) = A(k,i) * A(k,j) }", SQUARE, 8);
}

#[test]
fn sddmm_with_either_factor_by_rows() {
    grid(
        "kernel columns(A: csr | coo | aspen, B: matrix, C: matrix) -> D: csr | coo { D(i,j) = A(i,j) * B(i,k) * C(j,k) }
         kernel rows(A: csr | coo | aspen, B: matrix, C: matrix) -> D: csr | coo { D(i,j) = A(i,j) * B(i,k) * C(k,j) }",
        OBLONG,
        8,
    );
}

#[test]
fn ttm_into_sparse_cubes() {
    grid(
        "kernel ttm(A: csf | coo3, B: matrix | csr) -> C: (compressed, compressed, dense) | csf | (bst, bst, bst) {
             C(i,j,l) = A(i,j,k) * B(k,l)
         }",
        OBLONG,
        6,
    );
}

#[test]
fn spgemm_over_four_by_four_by_four() {
    let ran = grid(
        "kernel spgemm(A: matrix | csr | csc | coo, B: matrix | csr | csc | coo) -> C: matrix | csr | csc | coo {
             C(i,j) = A(i,k) * B(k,j)
         }",
        OBLONG,
        5,
    );
    assert_eq!(ran, 64);
}

#[test]
fn sparse_plus_a_constant() {
    grid(
        "kernel dense(A: csr | coo | pam | dia) -> C: matrix { C(i,j) = A(i,j) + 1 }
         kernel filled(A: csr | coo | pam) -> C: csr | dcsr | lil fill 1 { C(i,j) = A(i,j) + 1 }
         kernel everywhere(A: csr | csc | stinger) -> C: csr | aspen { C(i,j) = A(i,j) + 1 }",
        OBLONG,
        8,
    );
}

#[test]
fn what_is_missing_is_infinite() {
    grid(
        "kernel spmv(A: csr | csc | dcsr | pam, x: dense | sparse | bst) -> y: dense | sparse { y(i) = A(i,j) * x(j) over min_plus }
         kernel spgemm(A: csr | aspen, B: csr | csc) -> C: csr | matrix { C(i,j) = A(i,k) * B(k,j) over min_plus }
         kernel add(A: csr | stinger, B: csr | coo) -> C: csr { C(i,j) = A(i,j) + B(i,j) over min_plus }
         kernel relaxed(A: csr fill inf, B: csr fill inf) -> C: csr fill inf { C(i,j) = min(A(i,j), B(i,j) + 1) }
         kernel far(A: csr of i32, B: csr of i32) -> C: matrix of i64 { C(i,j) = max(A(i,j), B(i,j)) * 2 over min_plus }",
        OBLONG,
        8,
    );
}

/// 0 - 1 wraps around where numbers have no sign, whether it is computed at run time or before.
#[test]
fn truths_of_what_is_missing_are_numbers() {
    grid(
        "kernel less(x: sparse of i32, y: dense | sparse | hash of f64) -> s: u64 { s min= x(i) - not(y(i)) }",
        OBLONG,
        8,
    );
}

#[test]
fn indices_as_values() {
    grid(
        "kernel weighted(A: csr | dcsr | pam | coo | dia) -> C: csr | matrix { C(i,j) = A(i,j) * (i - j) }
         kernel moments(A: csr | csc) -> t: f64 { t = A(i,j) * i * j }
         kernel position(x: sparse | dense) -> p: dense of i64 { p(i) = select(i, x(i) > 0) }",
        OBLONG,
        8,
    );
}

#[test]
fn results_that_outgrow_their_first_capacity() {
    grid(
        "kernel outer(a: dense, b: dense) -> C: csr | coo | dcsr | terrace { C(i,j) = a(i) * b(j) }
         kernel spgemm(A: csr, B: csr) -> C: csr | aspen { C(i,j) = A(i,k) * B(k,j) }",
        &[("i", 70), ("j", 130), ("k", 8)],
        2,
    );
}

#[test]
fn explicit_zeros_are_kept() {
    // What is stored is compared with what the reference stores, value by value and place by place.
    grid(
        "kernel cancelled(A: csr | pam, B: csr | coo) -> C: csr | dcsr | lil { C(i,j) = A(i,j) - B(i,j) }
         kernel times_zero(A: csr | coo) -> C: csr | aspen { C(i,j) = A(i,j) * (i - i) }",
        OBLONG,
        10,
    );
}

#[test]
fn a_result_in_several_statements() {
    grid(
        "kernel add(A: csr | pam, B: csr | coo) -> C: csr | aspen | dcsr { C(i,j) = A(i,j)  C(i,j) += B(i,k) * B(j,k) }
         kernel anew(A: csr, B: csr) -> C: csr | matrix | lil { C(i,j) = A(i,j)  C(i,j) = A(i,j) + B(i,k) * A(k,j) }
         kernel within(A: csr, B: dcsr) -> C: csr { C(i,j) = A(i,j)  C(i,j) = C(i,j) * B(i,j)  C(i,j) min= A(i,j) }",
        SQUARE,
        8,
    );
}

#[test]
fn sparse_parameters_become_new_tensors() {
    let ran = grid(
        "
kernel delete(A: csr | csc | coo | dcsr | stinger | aspen | dok | dia, D: csr | pam) { A(i,j) = A(i,j) without D(i,j) }
kernel delete_by_pattern(A: csr, D: csr of pattern) { A(i,j) = A(i,j) without D(i,j) }
kernel add(A: csr | stinger | coo_unsorted, B: csr | csc) { A(i,j) = A(i,j) + B(i,j) }
kernel add_to(A: csr | stinger, B: csr | csc) { A(i,j) += B(i,j) }
kernel add_product(A: csr | dcsr, B: csr) { A(i,j) += B(i,k) * B(k,j) }
kernel scale(A: csr | csc | pam | bcsr<2, 3>, alpha: f64) { A(i,j) = alpha * A(i,j) }
kernel scale_in_place(A: csr, alpha: f64) { A(i,j) *= alpha }
kernel vector(x: sparse | bst, y: sparse) { x(i) = x(i) + y(i) }
kernel least(A: csr, B: csr) { A(i,j) min= B(i,j) }
kernel replace(A: csr, B: csr) { A(i,j) = B(i,j) }
kernel masked(A: csr, M: csr) { A(i,j)<M> = A(i,j) * 2 }
kernel turn(A: csr) { A(i,j) = A(j,i) }
kernel steps(A: csr, B: csr, x: dense) -> y: dense {
    A(i,j) = A(i,j) + B(i,j)  y(i) = A(i,j) * x(j)  A(i,j) = A(i,j) without B(i,j)  A(i,j) += A(i,k) * B(k,j)
}
kernel two(A: csr, B: csr) { A(i,j) = A(i,j) + B(i,j)  B(i,j) = A(i,j) * B(i,j) }
",
        &[("i", 5), ("j", 5), ("k", 5)],
        12,
    );
    assert!(ran > 30, "{ran}");
}

#[test]
fn constants_are_kept_as_they_are_computed() {
    // −2 is 0 as an unsigned integer if it is computed as a float, and a large number if it is computed as an integer.
    let text = "
kernel floats(x: sparse | bst) -> R: sparse of u32 | sparse of u64 { R(i) = x(i) - 2 }
kernel integers(x: sparse of i64) -> R: sparse of u32 { R(i) = x(i) - 2 }
kernel sums(A: csr, x: sparse) -> R: sparse of u32 { R(i) = 0 - 1 - A(j,i) + x(i) }
kernel many(a: sparse, b: sparse, c: sparse, d: sparse, e: sparse) -> R: sparse of u32 {
    R(i) = a(i) + b(i) + c(i) + d(i) - e(i) - 3
}
";
    let text = text.replace("sparse of u32 | sparse of u64", "sparse of u32");
    assert_eq!(grid(&text, &[("i", 6), ("j", 4)], 12), 5);
}
