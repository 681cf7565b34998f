//! Extents that do not agree: said before anything is computed, never found out by an index.

use pleach_codegen::compile::stages;
use pleach_codegen::ir::interpret::{Compile, Limits, RunError, Value};
use pleach_codegen::notation::ast::Item;
use pleach_codegen::notation::concrete::Role;
use pleach_codegen::notation::{parse_source, resolve};
use pleach_codegen::reference::{Number, pack};

use crate::harness::world;

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
    program.run(&mut arguments, Limits { steps: 100_000, elements: 100_000 }).map(drop)
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
fn coordinates_wider_than_32_bits_are_refused_before_anything_is_computed() {
    let world = world();
    let run = |text: &str, rows: usize, cols: usize| {
        let Item::Kernel(ast) = &parse_source(text).0.items[0] else { panic!("a kernel") };
        let kernel = resolve(ast, &world.declarations).unwrap().remove(0);
        let lowered = stages(&kernel).unwrap().lowered;
        // The rows are not there: whoever reads them is told so.
        let (pos, crd, vals): (Vec<usize>, Vec<u32>, Vec<f64>) = (vec![0], Vec::new(), Vec::new());
        let mut arguments = [Value::usize(rows), Value::usize(cols), pos.into(), crd.into(), vals.into()];
        Compile::new().compile(&lowered).unwrap().run(&mut arguments, Limits { steps: 1000, elements: 1000 }).map(drop)
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
