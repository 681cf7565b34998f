//! Concrete index notation means what the index notation it was made from means: both are evaluated by the reference.

use std::collections::BTreeMap;

use crate::bundled::bundled;
use pleach_codegen::notation::ast::{Item, Source, ValueType};
use pleach_codegen::notation::{concretize, parse_source, parse_statements, resolve};
use pleach_codegen::reference::{Number, Scope, Tensor, evaluate};

const KERNELS: &str = "
function near(a, b) annihilator 0 = a + b * 2
kernel spmv(A: csr, x: dense) -> y: dense { y(i) = A(i,j) * x(j) }
kernel spmv_csc(A: csc, x: dense) -> y: dense { y(i) = A(i,j) * x(j) }
kernel spmv_in_place(y: dense, A: csc, x: dense) { y(i) = A(i,j) * x(j) }
kernel residual(A: csr, x: dense, b: dense) -> y: dense { y(i) = b(i) - A(i,j) * x(j) }
kernel jacobi(x: dense, A: csr, b: dense) { x(i) = (b(i) - A(i,j) * x(j)) / 2 }
kernel add(A: csr, B: csr) -> C: csr { C(i,j) = A(i,j) + B(i,j) }
kernel transpose_add(A: csr, B: csr) -> C: csr { C(i,j) = A(i,j) + A(j,i) }
kernel spgemm(A: csr, B: csr) -> C: csr { C(i,j) = A(i,k) * B(k,j) }
kernel spgemm_csc(A: csc, B: csc) -> C: csr { C(i,j) = A(i,k) * B(k,j) }
kernel spgemm_plus(A: csr, B: csr) -> C: csr { C(i,j) = A(i,k) * B(k,j) + A(i,j) }
kernel masked(A: csr, B: csr) -> C: csr { C(i,j)<B> = A(i,k) * A(k,j) }
kernel two(A: csr, B: csr, x: dense) -> y: dense { y(i) = A(i,j) * x(j) + B(i,k) * x(k) }
kernel total(A: csr) -> t: f64 { t = A(i,j) }
kernel rows(A: csr) -> m: dense { m(i) max= A(i,j) }
kernel sssp(A: csr, x: dense) -> d: dense { d(i) = A(i,j) * x(j) over min_plus }
kernel gram(A: csr) -> C: csr { C(i,j) = A(k,i) * A(k,j) }
kernel product(A: csr, x: dense) -> y: dense { y(i) = A(i,j) * (x(j) + x(i)) }
kernel nested(A: csr, B: csr, x: dense) -> y: dense { y(i) = A(i,j) * (x(j) + B(j,k) * x(k)) }
kernel called(A: csr, x: dense) -> y: dense { y(i) = near(A(i,j), x(j)) }
kernel several(A: csr, x: dense) -> y: dense { t(i) = A(i,j) * x(j)  y(i) = t(i) * x(i)  y(i) += 1 * x(i) }
kernel written(A: csr, x: dense) -> y: dense { forall(i, parallel, forall(j, y(i) += A(i,j) * w(j))) where forall(j, w(j) = x(j) * 2) }
";

fn input(name: &str, seed: u64) -> Tensor {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ name.len() as u64 ^ u64::from(name.as_bytes()[0]);
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let n = 4;
    if name.chars().all(char::is_lowercase) {
        return Tensor::dense(
            vec![n],
            ValueType::F64,
            (0..n).map(|_| Number::Float((next() % 9) as f64 - 4.0)).collect(),
        );
    }
    let mut tensor = Tensor::empty(vec![n, n], ValueType::F64);
    for cell in &mut tensor.cells {
        if next() % 3 == 0 {
            *cell = Some(Number::Float((next() % 5) as f64 - 1.0));
        }
    }
    tensor
}

#[test]
fn concrete_notation_means_the_same() {
    let (mut scope, mut world) = (bundled(), Scope::bundled());
    let (source, mistakes) = parse_source(KERNELS);
    assert!(mistakes.is_empty(), "{}", mistakes.render("kernels", KERNELS));
    assert!(scope.add(&source).is_empty());
    world.add(&source);
    let Source { items } = source;
    for item in items {
        let Item::Kernel(ast) = item else { continue };
        let mut kernel = resolve(&ast, &scope).unwrap().remove(0);
        let stmts = concretize(&mut kernel).unwrap();
        let text: String = stmts.iter().map(|stmt| format!("({});\n", kernel.show(stmt))).collect();
        let (body, mistakes) = parse_statements(&text);
        assert!(mistakes.is_empty(), "{text}");
        let concrete = pleach_codegen::notation::ast::Kernel { body, ..ast.clone() };
        for seed in 0..20 {
            let inputs: BTreeMap<String, Tensor> =
                ast.params.iter().map(|param| (param.name.text.clone(), input(&param.name.text, seed))).collect();
            let expected = evaluate(&ast, &world, inputs.clone()).unwrap();
            let found = evaluate(&concrete, &world, inputs).unwrap_or_else(|why| panic!("{why} in {text}"));
            for name in ast.params.iter().chain(&ast.results).map(|param| &param.name.text) {
                assert_eq!(expected[name].cells, found[name].cells, "{name} of {}, seed {seed}:\n{text}", ast.name);
            }
        }
        // What is printed is what it was made from, read again by the compiler.
        let again = resolve(&concrete, &scope).unwrap_or_else(|wrong| panic!("{}", wrong.render("printed", &text)));
        let mut again = again.into_iter().next().unwrap();
        let stmts_again = concretize(&mut again).unwrap();
        let text_again: String = stmts_again.iter().map(|stmt| format!("({});\n", again.show(stmt))).collect();
        assert_eq!(text, text_again);
    }
}
