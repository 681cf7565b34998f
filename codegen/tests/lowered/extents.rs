//! Extents that do not agree: said before anything is computed, never found out by an index.

use pleach_codegen::compile::stages;
use pleach_codegen::ir::interpret::{Compile, Limits, RunError, Value};
use pleach_codegen::notation::ast::Item;
use pleach_codegen::notation::concrete::Role;
use pleach_codegen::notation::{parse_source, resolve};
use pleach_codegen::reference::{Number, pack};

use crate::harness::{becomes_rust, world};

/// Runs a kernel on tensors of ones with these shapes.
fn run(text: &str, shapes: &[(&str, &[usize])]) -> Result<(), RunError> {
    let world = world();
    let (source, mistakes) = parse_source(text);
    assert!(mistakes.is_empty(), "{}", mistakes.render("text", text));
    let Item::Kernel(ast) = &source.items[0] else { panic!("a kernel") };
    let kernel = resolve(ast, &world.declarations).unwrap_or_else(|e| panic!("{}", e.render("text", text))).remove(0);
    let lowered = stages(&kernel).unwrap_or_else(|e| panic!("{}", e.render("text", text))).lowered;
    let mut arguments: Vec<Value> = Vec::new();
    for tensor in kernel.tensors.iter().filter(|tensor| tensor.role == Role::Param) {
        let (_, shape) = shapes.iter().find(|(name, _)| *name == tensor.name).expect("a shape");
        let mut entries = vec![Vec::new()];
        for &n in *shape {
            entries = entries.iter().flat_map(|at: &Vec<usize>| (0..n).map(|c| [&at[..], &[c]].concat())).collect();
        }
        let entries: Vec<_> = entries.into_iter().map(|at| (at, Number::Float(1.0))).collect();
        arguments
            .extend(pack(tensor.format.as_ref().unwrap(), shape, tensor.value, Number::Int(0), &entries).arguments);
    }
    let program = Compile::new().compile(&lowered).unwrap();
    program.run(&mut arguments, Limits::default().with_steps(100_000).with_elements(100_000)).map(drop)
}

#[test]
fn workspaces_are_as_large_as_those_who_read_them() {
    for text in [
        "kernel f(x: dense, y: dense) { forall(i, y(i) = w(i)) where forall(j, w(j) = x(j)) }",
        "kernel f(x: dense, y: dense) { forall(i, y(i) += w(i)) where forall(j, w(j) = x(j) * 2) }",
        "kernel f(x: sparse, y: dense) { forall(i, y(i) = w(i)) where forall(j, w(j) = x(j)) }",
        "kernel f(x: dense, y: dense) {
            forall(i, y(i) = v(i)) where (forall(k, v(k) = w(k)) where forall(j, w(j) = x(j)))
        }",
        "kernel f(y: dense, A: csr, x: dense) { forall(i, forall(j, y(i) += A(i,j) * w(j))) where forall(k, w(k) = x(k)) }",
    ] {
        let shape = |rows: usize, columns: usize| {
            let a: &'static [usize] = if rows == 3 { &[3, 3] } else { &[4, 3] };
            let (x, y): (&'static [usize], &'static [usize]) =
                (if columns == 3 { &[3] } else { &[4] }, if rows == 3 { &[3] } else { &[4] });
            [("A", a), ("x", x), ("y", y)]
        };
        assert_eq!(run(text, &shape(3, 3)), Ok(()), "{text}");
        let of_matrix = text.contains("A:");
        let wrong = if of_matrix { shape(3, 4) } else { shape(4, 3) };
        let said = run(text, &wrong).unwrap_err();
        assert!(matches!(said, RunError::Shape { .. }), "{text}: {said}");
    }
}

#[test]
fn dimensions_of_one_tensor_are_told_apart() {
    for text in [
        "kernel f(A: csr) -> t: f64 { t = A(i,j) * A(j,k) }",
        "kernel f(A: csr) -> t: f64 { t = A(i in 0:2, j) * A(j, i in 0:2) }",
    ] {
        let said = run(text, &[("A", &[3, 4])]).unwrap_err().to_string();
        let wanted = "`A` along its second index has extent 4, but `A` along its first index has extent 3";
        assert_eq!(said, wanted, "{text}");
    }
}

#[test]
fn slices_are_named_where_extents_differ() {
    for (text, wanted) in [
        (
            "kernel f(A: csr) -> y: dense { y(i) = A(i in 4:8, i) }",
            "the slice `4:8` of `A` along its first index has extent 4, but `A` along its second index has extent 9",
        ),
        (
            "kernel f(x: dense, z: dense) -> y: dense { y(i) = x(i in 1::2) + z(i) }",
            "the slice `1::2` of `x` along `i` has extent 2, but `z` along `i` has extent 3",
        ),
    ] {
        let said = run(text, &[("A", &[9, 9]), ("x", &[5]), ("z", &[3])]).unwrap_err().to_string();
        assert_eq!(said, wanted, "{text}");
    }
}

#[test]
fn coordinates_wider_than_32_bits_are_refused_before_anything_is_computed() {
    let world = world();
    let run = |text: &str, rows: usize, cols: usize| {
        let Item::Kernel(ast) = &parse_source(text).0.items[0] else { panic!("a kernel") };
        let kernel = resolve(ast, &world.declarations).unwrap().remove(0);
        let lowered = stages(&kernel).unwrap().lowered;
        // The rows are not there: whoever reads them is told so.
        let (pos, crd, vals): (Vec<usize>, Vec<u32>, Vec<f64>) = (vec![0], Vec::new(), Vec::new());
        let mut arguments = [Value::usize(rows), Value::usize(cols), pos.into(), crd.into(), vals.into()];
        Compile::new()
            .compile(&lowered)
            .unwrap()
            .run(&mut arguments, Limits::default().with_steps(1000).with_elements(1000))
            .map(drop)
    };
    const MOST: usize = u32::MAX as usize;
    let transposed = "kernel f(A: csr) -> C: dcsr { C(j,i) = A(i,j) }";
    let diagonals = "kernel f(A: csr) -> C: dia { C(i,j) = A(i,j) }";
    for (text, rows, cols, extent) in
        [(transposed, MOST + 1, 3, MOST + 1), (diagonals, MOST / 2 + 1, MOST / 2 + 1, MOST + 1)]
    {
        let said = run(text, rows, cols).unwrap_err();
        let RunError::Shape { left, left_extent, right_extent, .. } = &said else { panic!("{said}") };
        assert!(left.contains("which has 32 bits for a coordinate") && left.contains("`C`"), "{said}");
        assert_eq!((*left_extent, *right_extent), (MOST, extent), "{said}");
    }
    // As large as can be, and what another tensor keeps in 32 bits.
    for (text, rows) in [(transposed, MOST), ("kernel f(A: csr) -> C: csr { C(i,j) = 2 * A(i,j) }", MOST + 1)] {
        assert!(!matches!(run(text, rows, 3), Err(RunError::Shape { .. })), "{text}");
    }
}

#[test]
fn places_that_multiply_beyond_memory_are_refused_before_anything_is_made() {
    let world = world();
    let run = |text: &str, extents: &[usize]| {
        let Item::Kernel(ast) = &parse_source(text).0.items[0] else { panic!("a kernel") };
        let kernel = resolve(ast, &world.declarations).unwrap().remove(0);
        becomes_rust(&kernel);
        let lowered = stages(&kernel).unwrap().lowered;
        // Each vector has one entry.
        let (pos, crd, vals) = (vec![0_usize, 1], vec![0_u32], vec![1.0_f64]);
        let vector = |&n: &usize| [Value::usize(n), pos.clone().into(), crd.clone().into(), vals.clone().into()];
        let mut arguments: Vec<Value> = extents.iter().flat_map(vector).collect();
        Compile::new()
            .compile(&lowered)
            .unwrap()
            .run(&mut arguments, Limits::default().with_steps(1000).with_elements(1000))
            .map(drop)
    };
    const MOST: usize = isize::MAX as usize / 8;
    // The product wraps around: to 5, and to 0.
    let (third, cube) = (usize::MAX / 3 + 2, [1 << 22, 1 << 21, 1 << 21]);
    let matrix = "kernel f(a: sparse, b: sparse) -> C: matrix { C(i,j) = a(i) * b(j) }";
    let workspace = "kernel f(a: sparse, b: sparse) -> t: f64 {
        forall(i, forall(j, t += w(i,j))) where forall(i, forall(j, w(i,j) = a(i) * b(j)))
    }";
    let product = "{ C(i,j,k) = a(i) * b(j) * c(k) }";
    let dense = format!("kernel f(a: sparse, b: sparse, c: sparse) -> C: (dense, dense, dense) {product}");
    let rows = format!("kernel f(a: sparse, b: sparse, c: sparse) -> C: (dense, dense, compressed) {product}");
    for (text, extents, of, most) in [
        (matrix, &[3, third][..], "`C` along `j`", MOST / 3),
        (workspace, &[3, third][..], "`w` along `j`", MOST / 3),
        (&dense[..], &cube[..], "`C` along `k`", MOST >> 43),
        (&rows[..], &[3, third, 1][..], "`C` along `j`", MOST / 3),
    ] {
        let said = run(text, extents).unwrap_err();
        let RunError::Shape { left, left_extent, .. } = &said else { panic!("{text}: {said}") };
        assert_eq!(left, &format!("the largest {of} that fits into memory"), "{text}");
        assert_eq!(*left_extent, most, "{text}: {said}");
    }
    assert_eq!(run(matrix, &[3, 2]), Ok(()));
    // The interpreter has no room for these, but a product of the extents does not wrap around.
    assert!(matches!(run(matrix, &[1 << 20, 1 << 20]), Err(RunError::Memory { .. })));
    assert!(matches!(run(&rows, &[1 << 20, 1 << 20, 1 << 31]), Err(RunError::Memory { .. })));
}
