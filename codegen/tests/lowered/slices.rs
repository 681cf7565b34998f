//! Slices and computed coordinates, on both sides of a statement, in formats of all kinds, against the dense reference.

use std::collections::BTreeMap;

use pleach_codegen::compile::compile;
use pleach_codegen::ir::Literal;
use pleach_codegen::ir::interpret::{Compile, Limits, Value};
use pleach_codegen::notation::ast::Item;
use pleach_codegen::notation::{parse_source, resolve};

use crate::harness::{World, becomes_rust, grid, run, run_seeds, world};

const MATRICES: [&str; 12] = [
    "matrix",
    "csr",
    "csc",
    "dcsr",
    "coo",
    "coo_unsorted",
    "dok",
    "ell",
    "bcsr<2, 2>",
    "(dense, list)",
    "(bst, ctree)",
    "(dense, compressed(unordered))",
];

/// Runs the kernels of a text on random tensors whose extents are given by name and dimension.
fn agrees(world: &World, text: &str, extents: &[(&str, usize)]) {
    let (source, mistakes) = parse_source(text);
    assert!(mistakes.is_empty(), "{}", mistakes.render("text", text));
    let extents: BTreeMap<String, usize> = extents.iter().map(|&(name, n)| (name.to_owned(), n)).collect();
    for item in &source.items {
        let Item::Kernel(ast) = item else { continue };
        for kernel in resolve(ast, &world.declarations).unwrap_or_else(|why| panic!("{}", why.render("text", text))) {
            run_seeds(world, ast, &kernel, &extents, 8).unwrap_or_else(|why| panic!("{text}\n{why}"));
        }
    }
}

#[test]
fn slices_of_operands_in_every_format() {
    let world = world();
    let extents = [
        ("A0", 9),
        ("A1", 7),
        ("B0", 5),
        ("B1", 7),
        ("D0", 3),
        ("D1", 7),
        ("E0", 9),
        ("E1", 3),
        ("x0", 7),
        ("z0", 3),
        ("C0", 5),
        ("C1", 7),
        ("y0", 9),
    ];
    for a in MATRICES {
        for b in ["matrix", "csr", "(dense, bst)", "coo"] {
            for kernel in [
                format!("kernel f(A: {a}, B: {b}) -> C: matrix {{ C(i,j) = A(i in 2:7, j) + B(i,j) }}"),
                format!("kernel f(A: {a}, B: {b}) -> C: csr {{ C(:, :) = A(2:7, :) * B(:, :) }}"),
                format!("kernel f(A: {a}, D: {b}) -> C: csr {{ C(i,j) = A(i in 1:7:2, j) + D(i,j) }}"),
                format!("kernel f(A: {a}, E: {b}) -> C: dcsr {{ C(i,j) = A(i, j in 2:5) - E(i,j) }}"),
            ] {
                agrees(&world, &kernel, &extents);
            }
        }
        for kernel in [
            format!("kernel f(A: {a}, x: dense) -> y: dense {{ y(i) = A(i, :) * x(:) }}"),
            format!("kernel f(A: {a}, z: dense) -> y: dense {{ y(i) = A(i, 0:6:2) * z(:) }}"),
            format!("kernel f(A: {a}, x: dense) -> y: dense {{ y(i) = A(i, 2:5) * x(4:7) }}"),
            format!("kernel f(A: {a}, x: dense) -> s: f64 {{ s = A(8:, j in 1:6) * x(j in 2:) }}"),
            format!("kernel f(A: {a}) -> C: csr {{ C(i,j) = 2 * A(i in 3:8, j in 1:4) }}"),
            format!("kernel f(A: {a}) -> C: csr {{ C(i,j) = A(i in 0:7, k) * A(k in 0:7, j) }}"),
            format!("kernel f(A: {a}) -> s: f64 {{ s max= A(4:4, j) }}"),
            format!("kernel f(A: {a}, B: csr) -> C: csr {{ C(i,j) = B(i,j) without A(i in 2:7, j) }}"),
        ] {
            agrees(&world, &kernel, &extents);
        }
    }
}

#[test]
fn slices_on_the_left_and_computed_coordinates() {
    let world = world();
    let extents = [
        ("A0", 6),
        ("A1", 5),
        ("y0", 9),
        ("x0", 9),
        ("v0", 4),
        ("w0", 3),
        ("Q0", 10),
        ("n", 1),
        ("C0", 8),
        ("C1", 5),
        ("m0", 12),
    ];
    for kernel in [
        "kernel f(y: dense, v: dense) { y(2:6) = 3 * v(:) }",
        "kernel f(y: dense, v: dense) { y(1:9:2) += v(i) * v(i) }",
        "kernel f(y: dense, v: dense) { y(i in 1:9:2) += v(i) }",
        "kernel f(y: dense) { y(1:9) = y(0:8) }",
        "kernel f(y: dense) { y(0:8) = y(1:9) }",
        "kernel f(y: dense, A: csr | matrix | coo | (bst, list)) { y(i in 2:8) = A(i,j) }",
        "kernel f(C: matrix, A: csr | coo | bcsr<2, 2>) { C(i in 1:7, j) = A(i,j) }",
        "kernel f(C: matrix, A: csr | dcsr) { C(i in 1:7, j) max= A(i,j) }",
        "kernel f(y: dense, x: dense, w: dense) { y(i) = x(i + j - 1) * w(j) }",
        "kernel f(Q: dense, A: csr | coo | matrix) { Q(j - i + 5) += A(i,j) }",
        "kernel f(Q: dense, A: csr | dok) { Q(j - i) += A(i,j) }",
        "kernel f(A: csr | (bst, btree), Q: dense) -> C: csr { C(i,j) = A(i,j) * Q(i / 2 + j % 3) }",
        "kernel f(A: csr, Q: dense) -> C: csr { C(i,j) = A(i,j) * Q((i - 4) / 3 + 1) }",
        "kernel f(v: dense, m: dense) { v(i / 3) += m(i) }",
        // The right side reads the values from before the statement.
        "kernel f(v: dense, m: dense) { v(i / 3) += v(i / 3) * m(i) }",
        "kernel f(v: dense, m: dense) { v(i % 4) max= v(i % 4) + m(i) }",
        "kernel f(C: matrix, A: csr) { C(i / 2, j) += C(i / 2, j) * A(i,j) }",
        "kernel f(y: dense, v: dense) { y(2 * i + 1) += y(2 * i + 1) * v(i) }",
        "kernel f(y: dense, x: dense) { y(8 - i) = x(i) }",
        "kernel f(x: dense) -> y: dense { forall(i, y(i) = x(i) * x(i + 1)) }",
        "kernel f(y: dense, x: dense) { forall(i, y(i in 2:9) = x(i + 3)) }",
        "kernel f(y: dense, m: dense) { y(i) = m(i in 3:12); y(2:5) += y(0:3) }",
        "kernel f(x: sparse, m: dense) -> y: dense { y(i) = x(i) * m(i + 2) }",
    ] {
        agrees(&world, kernel, &extents);
    }
}

#[test]
fn computed_coordinates_of_operands_in_every_format() {
    let world = world();
    let extents = [
        ("A0", 6),
        ("A1", 5),
        ("B0", 6),
        ("B1", 5),
        ("D0", 9),
        ("D1", 8),
        ("E0", 4),
        ("E1", 3),
        ("x0", 9),
        ("y0", 6),
        ("z0", 5),
        ("C0", 6),
        ("C1", 5),
        ("w0", 5),
    ];
    let vectors = ["sparse", "hash", "bst", "blist_unsorted", "(compressed(nonunique))", "(compressed(unordered))"];
    for a in MATRICES.into_iter().chain([
        "dia",
        "csb<2, 2>",
        "skyline",
        "(dense, blist_unsorted)",
        "(bst, bst)",
        "(dense, hashed)",
    ]) {
        for kernel in [
            format!("kernel f(A: {a}, z: dense) -> y: dense {{ forall(i, forall(j, y(i) += A(i, j + 1) * z(j))) }}"),
            format!("kernel f(A: {a}, B: csr) -> C: csr {{ C(i,j) = A(i - 1, 4 - j) * B(i,j) }}"),
            format!("kernel f(A: {a}, B: csr) -> C: matrix {{ C(i,j) = A(i / 2, j) + B(i,j) }}"),
            format!("kernel f(A: {a}) -> y: dense {{ y(i) = A(i, i % 3) - A(i + 1, i / 2) }}"),
            format!("kernel f(A: {a}, B: csr) -> C: csr {{ C(i,j) = B(i,j) without A(i + 1, j) }}"),
            format!(
                "kernel f(A: {a} fill inf, B: csr fill inf) -> C: csr fill inf {{ C(i,j) = min(B(i,j), A(i, j - 1)) }}"
            ),
        ] {
            agrees(&world, &kernel, &extents);
        }
    }
    // An index that runs further than what is shifted along it, or not as far; two levels shifted; shifted and sliced; no entry seen.
    for a in [
        "matrix",
        "csr",
        "dcsr",
        "coo",
        "ell",
        "dia",
        "skyline",
        "(dense, list)",
        "(bst, ctree)",
        "(hashed, list)",
        "csc",
    ] {
        for kernel in [
            format!("kernel f(A: {a}) -> C: dcsr {{ C(i,j) = A(i,j) + A(i + 1, j) - A(i, j - 2) }}"),
            format!("kernel f(A: {a}, D: csr) -> C: csr {{ C(j,i) = A(i - 2, j + 1) + D(i,j) }}"),
            format!("kernel f(A: {a}, E: (list, bst)) -> C: (bst, ctree) {{ C(i,j) = A(i + 2, 1 + j) + E(i,j) }}"),
            format!("kernel f(A: {a}, E: dcsr) -> s: f64 {{ s = A(i - 1, j - 1) * E(i,j) }}"),
            format!("kernel f(A: {a}, B: csr) -> s: f64 {{ s max= A(i - 7, j) - B(i,j) * A(i, j + 9) }}"),
            format!("kernel f(A: {a}) -> C: csr {{ C(i,j) = A(i in 1:5, j + 1) + A(i in 0:4, j) }}"),
        ] {
            agrees(&world, &kernel, &extents);
        }
    }
    // Of what an earlier statement made, too.
    for kernel in [
        "kernel f(A: csr, B: csr) -> C: csr, D: csr { C(i,j) = 2 * A(i,j); D(i,j) = B(i,j) * C(i + 1, j) }",
        "kernel f(A: csr | (dense, hashed), D: csr) -> C: csr { forall(i, parallel, forall(j, C(i,j) = A(i - 1, j + 0) * D(i,j))) }",
        "kernel f(A: coo, B: csr) -> C: dcsr, D: csr { C(i,j) = 2 * A(i,j); D(i,j) = B(i,j) + C(5 - i, j) }",
        "kernel f(A: csr | csc, B: csr) -> s: f64 { s max= A(i,j) * B(i,j) * A(i, j + 1) }",
    ] {
        agrees(&world, kernel, &extents);
    }
    for x in vectors {
        for kernel in [
            format!("kernel f(x: {x}) -> y: dense {{ forall(i, y(i) = x(i + 1) - x(i)) }}"),
            format!("kernel f(x: {x}, z: sparse) -> y: sparse {{ y(i) = z(i) * x(2 * i) }}"),
            format!("kernel f(x: {x}, A: csr | coo | dia) -> s: f64 {{ s += A(i,j) * x(j - i + 4) }}"),
            format!("kernel f(x: {x}, z: sparse) -> y: sparse {{ y(i) = select(z(i), x(i + 2) > 0) }}"),
            // Looked up outside of the loop over j, and outside of all loops.
            format!("kernel f(x: {x}, A: csr | coo | (bst, ctree)) -> y: dense {{ y(i) = A(i,j) * x(i / 2) }}"),
            format!("kernel f(x: {x}, A: csr, B: csr) -> C: csr {{ C(i,j) = A(i,j) * x(3) + B(i,j) * x(i + 1) }}"),
            format!("kernel f(x: {x}, z: sparse, w: dense) {{ w(i)<z(i)> = x(8 - i) }}"),
            format!("kernel f(x: {x} of i32, z: sparse) -> y: sparse {{ y(i) = z(i) + x(i / 3) }}"),
        ] {
            agrees(&world, &kernel, &extents);
        }
    }
}

#[test]
fn masks_constants_and_quotients() {
    let world = world();
    let extents = [("A0", 6), ("A1", 5), ("C0", 6), ("C1", 5), ("x0", 5), ("d0", 5), ("y0", 6), ("v0", 6)];
    for kernel in [
        // The mask is read before anything is written.
        "kernel f(y: dense, v: dense) { y(i + 1)<y> = v(i) }",
        // A constant coordinate is one place.
        "kernel f(C: matrix, x: dense) { C(0, j) = x(j) }",
        "kernel f(C: matrix, x: dense) { C(i, 3) += C(i, 2); C(2, 1) = x(j) }",
        // What lies outside is not written, and the loop does not begin with reading it.
        "kernel f(y: dense, x: dense) { forall(i, y(9) += x(i)) }",
        "kernel f(y: dense, A: csr) { y(7) += A(i,j); y(2) += A(i,j) }",
        // What is left of a number when its whole part is taken away.
        "kernel f(v: dense) -> y: dense { y(i) = v(i) / 2 % 1 }",
        // Entries in another order than that of the loops would read what is written later.
        "kernel f(y: dense, A: csr) { forall(i, forall(j, y(i) += A(i,j) * y(j + 1))) }",
        // Quotients of whole numbers are rounded: of the sum of an entry that is there twice, and not of its parts.
        "kernel f(A: coo_duplicates of i64, y: dense of i64) { y(i) += A(i,j) / 2 }",
        "kernel f(A: coo_duplicates of i64, y: dense of i64) { y(i) += 3 * A(i,j) / 2 }",
        "kernel f(A: coo_duplicates, y: dense) { y(i) += A(i,j) / 2 }",
        "kernel f(v: dense of i64) -> y: dense of i64 { y(i) = v(i) + min(9007199254740993, 9007199254740992) }",
        "kernel f(v: dense of i64) -> y: dense of i64 { y(i) = v(i) + max(9007199254740992, 9007199254740993) }",
        "kernel f(v: dense of i64) -> y: dense of i64 { y(i) = v(i) + (9007199254740992 < 9007199254740993) }",
    ] {
        agrees(&world, kernel, &extents);
    }
}

#[test]
fn a_row_that_does_not_exist_is_empty() {
    let world = world();
    for columns in [4, 0] {
        let extents = [("A0", 6), ("A1", 5), ("C0", 6), ("T0", 6)];
        let rows = [("X0", 2), ("Y0", 2), ("T1", 2)];
        let widths = ["C1", "X1", "Y1", "T2", "x0", "y0", "z0"].map(|extent| (extent, columns));
        let extents = [&extents[..], &rows, &widths].concat();
        for kernel in [
            "kernel f(y: dense, X: matrix) { y(k) = X(7, k) }",
            "kernel f(y: dense, X: matrix, z: dense) { y(k) = z(k) + X(2, k) * z(k) }",
            "kernel f(C: matrix, A: csr, X: matrix) { C(i,k) = A(i,j) * X(7, k) }",
            "kernel f(C: matrix, A: csr, X: matrix) { C(i,k) += A(i,j) * X(1, k) }",
            "kernel f(Y: matrix, x: dense) { Y(3, k) += x(k) }",
            "kernel f(Y: matrix, A: csr, x: dense) { Y(7, k) += A(i,j) * x(k) }",
            "kernel f(C: matrix, T: (dense, dense, dense)) { C(i,k) = T(i, 7, k) }",
        ] {
            agrees(&world, kernel, &extents);
        }
    }
}

#[test]
fn what_is_no_coordinate_is_refused_in_place() {
    let world = world();
    for (kernel, message) in [
        ("kernel f(C: csr, A: csr) { C(2:4, j) = A(i,j) }", "`C` is not dense, and only a part of it is written"),
        ("kernel f(x: dense) -> y: dense { y(0:4) = x(0:4) }", "nothing says how large `y` is: only a part"),
        ("kernel f(y: dense, x: dense) { y(i / 2) = x(i) }", "several values may be assigned to one place of `y`"),
        (
            "kernel f(Q: dense, A: csr, x: dense) { Q(i / 2) = A(i,j) * x(j) over min_plus }",
            "several values may be assigned to one place of `Q`",
        ),
        ("kernel f(a: sparse of u32 fill -1) -> y: dense of u32 { y(i) = a(i) }", "u32 has no value below 0"),
        ("kernel f(a: sparse of i32 fill 3000000000) -> y: dense of i32 { y(i) = a(i) }", "is no value of i32"),
        ("kernel f(x: dense) -> y: dense { y(i) = x(i in 5:2) }", "this slice ends at 2, before it begins at 5"),
        (
            "kernel f(x: dense) -> y: dense { y(i) = x(i in 4294967296:) }",
            "4294967296 is too large for a bound of a slice",
        ),
        ("kernel f(x: dense, a: f64) -> y: dense { y(i) = x(i in 0:a) }", "`a` is no whole number that is passed in"),
        ("kernel f(x: dense) -> y: dense { y(i) = sqrt(1:2) + x(i) }", "a slice is a coordinate of a tensor"),
        ("kernel f(x: dense) -> y: dense { y(i) = x(i * x(i)) }", "this is no coordinate of a tensor"),
        ("kernel f(x: dense) -> s: f64 { s = x(i + j) }", "is no tensor, and no index"),
        (
            "kernel f(y: dense, x: dense, Q: dense) { y(i) = x(i) + Q(i * 65536 * 65536 * 65536) }",
            "this coordinate may not fit a whole number of 64 bits",
        ),
        (
            "kernel f(A: csr) -> B: csr { A(i,j) = 2 * A(i,j); B(i,j) = A(i in 1:3, j) }",
            "is written beside accesses to parts of it",
        ),
    ] {
        let (source, mistakes) = parse_source(kernel);
        assert!(mistakes.is_empty(), "{}", mistakes.render("text", kernel));
        let Item::Kernel(ast) = &source.items[0] else { panic!("a kernel") };
        let wrong = compile(ast, kernel, &world.declarations).err().map(|why| why.render("text", kernel));
        assert!(wrong.as_ref().is_some_and(|wrong| wrong.contains(message)), "{kernel}: {}", wrong.unwrap_or_default());
    }
    let (_, mistakes) = parse_source("kernel f(x: dense) -> y: dense { y(i) = x(i in 5:2:0) }");
    assert!(mistakes.render("text", "").contains("goes by 0"));
}

#[test]
fn a_slice_beyond_the_end_is_an_error_that_names_it() {
    let world = world();
    let extents = BTreeMap::from([("A0".to_owned(), 4), ("A1".to_owned(), 3)]);
    let text = "kernel f(A: csr) -> C: csr { C(i,j) = A(i in 2:6, j) }";
    let Item::Kernel(ast) = &parse_source(text).0.items[0] else { panic!("a kernel") };
    let kernel = resolve(ast, &world.declarations).unwrap().remove(0);
    let lowered = pleach_codegen::compile::stages(&kernel).unwrap().lowered;
    assert_eq!(lowered.checks.len(), 1, "{lowered}");
    assert!(lowered.checks[0].left_name.contains("`A` along its first index, as far as the slice `2:6`"));
    assert!(run(&world, ast, &kernel, &extents, 1).is_err());
}

#[test]
fn a_slice_neither_begins_nor_ends_below_0() {
    let world = world();
    let from = "kernel f(x: dense, n: i32) -> t: f64 { t = x(n:) }";
    let up_to = "kernel f(x: dense, n: i64) -> t: f64 { t = x(:n) }";
    for (text, n, sum) in [
        (from, 0, Some(6.0)),
        (from, 1, Some(5.0)),
        (from, 3, Some(0.0)),
        (from, 7, Some(0.0)),
        (from, -1, None),
        (up_to, 0, Some(0.0)),
        (up_to, 2, Some(3.0)),
        (up_to, 3, Some(6.0)),
        (up_to, -1, None),
    ] {
        let Item::Kernel(ast) = &parse_source(text).0.items[0] else { panic!("a kernel") };
        let kernel = resolve(ast, &world.declarations).unwrap().remove(0);
        becomes_rust(&kernel);
        let lowered = pleach_codegen::compile::stages(&kernel).unwrap().lowered;
        let bound = if text == from { Literal::I32(n) } else { Literal::I64(n.into()) };
        let mut arguments = vec![Value::usize(3), vec![1.0, 2.0, 3.0].into(), Value::Scalar(bound)];
        let found = Compile::new().compile(&lowered).unwrap().run(&mut arguments, Limits::default());
        match sum {
            Some(sum) => assert_eq!(found.unwrap(), [Value::Scalar(Literal::F64(sum))], "{text} {n}"),
            None => {
                let wrong = found.unwrap_err().to_string();
                let said = "the range below 0 that its negative bound `n` covers has extent 1";
                assert!(wrong.ends_with(said), "{wrong}");
            }
        }
    }
}

#[test]
fn a_slice_costs_what_lies_in_it() {
    let world = world();
    let text = "kernel f(A: csr) -> s: f64 { s = A(i in 10:12, j in 1000:1100) }";
    let Item::Kernel(ast) = &parse_source(text).0.items[0] else { panic!("a kernel") };
    let kernel = resolve(ast, &world.declarations).unwrap().remove(0);
    let entries: Vec<Vec<usize>> = (0..20).flat_map(|i| (0..2000).map(move |j| vec![i, j])).collect();
    let (steps, sum) = crate::costs::steps(&kernel, &[(vec![20, 2000], entries)]);
    assert_eq!(sum, 200.0);
    assert!(steps < 300, "{steps} steps");
}

#[test]
fn parts_of_tensors_of_any_extent() {
    let kernels = include_str!("../../conformance/kernels/square.pleach");
    let parts = &kernels[kernels.find("// Parts of tensors").expect("they come last")..];
    for n in [0, 1, 2, 5] {
        grid(parts, &[("i", n), ("j", n), ("k", n), ("l", n)], 3);
    }
}
