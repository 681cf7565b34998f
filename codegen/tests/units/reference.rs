//! The reference evaluator against answers that were computed by hand.

use std::collections::BTreeMap;

use pleach_codegen::notation::ast::{Item, ValueType};
use pleach_codegen::notation::parse_source;
use pleach_codegen::reference::{Number, Scope, Tensor, evaluate};

fn f(values: &[f64]) -> Vec<Option<Number>> {
    values.iter().map(|&x| if x.is_nan() { None } else { Some(Number::Float(x)) }).collect()
}

/// A sparse tensor; NaN marks what is not stored.
fn sparse(shape: &[usize], values: &[f64]) -> Tensor {
    Tensor { cells: f(values), ..Tensor::empty(shape.to_vec(), ValueType::F64) }
}

fn dense(shape: &[usize], values: &[f64]) -> Tensor {
    Tensor { by_value: true, ..sparse(shape, values) }
}

const N: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

fn run(text: &str, inputs: &[(&str, Tensor)]) -> BTreeMap<String, Tensor> {
    let (source, mistakes) = parse_source(text);
    assert!(mistakes.is_empty(), "{}", mistakes.render("test", text));
    let mut scope = Scope::default();
    let (semirings, _) = parse_source(
        "semiring min_plus { plus: min, zero: inf, times: +, one: 0 } semiring plus_second { plus: +, zero: 0, times: second }",
    );
    scope.add(&semirings);
    scope.add(&source);
    let kernel = source.items.iter().find_map(|item| match item {
        Item::Kernel(kernel) => Some(kernel),
        _ => None,
    });
    let inputs = inputs.iter().map(|(name, tensor)| ((*name).to_owned(), tensor.clone())).collect();
    evaluate(kernel.unwrap(), &scope, inputs).unwrap()
}

fn check(text: &str, inputs: &[(&str, Tensor)], name: &str, expected: &[f64]) {
    assert_eq!(run(text, inputs)[name].cells, f(expected), "{text}");
}

#[test]
fn sums_and_patterns() {
    let a = || sparse(&[2, 2], &[1.0, N, 3.0, 0.0]);
    let b = || sparse(&[2, 2], &[N, N, 5.0, 7.0]);
    let x = || dense(&[2], &[10.0, 100.0]);
    check(
        "kernel k(A: csr, x: dense) -> y: dense { y(i) = A(i,j) * x(j) }",
        &[("A", a()), ("x", x())],
        "y",
        &[10.0, 30.0],
    );
    check(
        "kernel k(A: csr, B: csr) -> C: csr { C(i,j) = A(i,j) + B(i,j) }",
        &[("A", a()), ("B", b())],
        "C",
        &[1.0, N, 8.0, 7.0],
    );
    check(
        "kernel k(A: csr, B: csr) -> C: csr { C(i,j) = A(i,j) * B(i,j) }",
        &[("A", a()), ("B", b())],
        "C",
        &[N, N, 15.0, 0.0],
    );
    check(
        "kernel k(A: csr, B: csr) -> C: csr { C(i,j) = A(i,k) * B(k,j) }",
        &[("A", a()), ("B", b())],
        "C",
        &[N, N, 0.0, 0.0],
    );
    check(
        "kernel k(A: csr, B: csr) -> C: csr { C(i,j) = A(i,j) without B(i,j) }",
        &[("A", a()), ("B", b())],
        "C",
        &[1.0, N, N, N],
    );
    check("kernel k(A: csr) -> C: csr { C(i,j) = A(i,j) + 1 }", &[("A", a())], "C", &[2.0, 1.0, 4.0, 1.0]);
    check("kernel k(A: csr) -> C: csr { C(i,j) = A(i,j) * (i - j) }", &[("A", a())], "C", &[0.0, N, 3.0, 0.0]);
    check("kernel k(A: csr) -> C: csr { C(i,j) = select(A(i,j), i > j) }", &[("A", a())], "C", &[N, N, 3.0, N]);
    check("kernel k(A: csr) -> t: f64 { t = A(i,j) }", &[("A", a())], "t", &[4.0]);
    check("kernel k(A: csr) -> d: dense { d(i) = A(i,i) }", &[("A", a())], "d", &[1.0, 0.0]);
}

#[test]
fn each_term_has_its_own_sum() {
    let a = sparse(&[2, 2], &[1.0, 2.0, N, 4.0]);
    let v = |p, q| dense(&[2], &[p, q]);
    let inputs = [("A", a), ("x", v(1.0, 10.0)), ("b", v(100.0, 200.0)), ("d", v(2.0, 4.0))];
    let kernel = |stmt: &str| format!("kernel k(A: csr, x: dense, b: dense, d: dense) -> y: dense {{ {stmt} }}");
    check(&kernel("y(i) = b(i) - A(i,j) * x(j)"), &inputs, "y", &[79.0, 160.0]);
    check(&kernel("y(i) = (b(i) - A(i,j) * x(j)) / d(i)"), &inputs, "y", &[39.5, 40.0]);
    check(&kernel("y(i) = A(i,j) * x(j) + A(i,k) * b(k)"), &inputs, "y", &[21.0 + 500.0, 40.0 + 800.0]);
    check(&kernel("y(i) = A(i,j) * (x(j) + b(i))"), &inputs, "y", &[321.0, 840.0]);
    check(&kernel("y(i) = sqrt(A(i,j) * A(i,j))"), &inputs, "y", &[3.0, 4.0]);
    check(&kernel("y(i) max= A(i,j) * x(j)"), &inputs, "y", &[20.0, 40.0]);
    check(&kernel("y(i) = b(i) y(i) += A(i,j) * x(j)"), &inputs, "y", &[121.0, 240.0]);
    check(
        &kernel("forall(i, forall(j, y(i) += A(i,j) * w(j))) where forall(j, w(j) = x(j) / d(j))"),
        &inputs,
        "y",
        &[5.5, 10.0],
    );
}

#[test]
fn semirings_masks_and_functions() {
    let a = sparse(&[2, 2], &[1.0, 2.0, N, N]);
    let x = dense(&[2], &[5.0, 1.0]);
    let inputs = [("A", a.clone()), ("x", x)];
    check("kernel k(A: csr, x: dense) -> y: dense { y(i) = A(i,j) * x(j) over min_plus }", &inputs, "y", &[3.0, N]);
    let y = &run("kernel k(A: csr, x: dense) -> y: dense { y(i) = A(i,j) * x(j) over min_plus }", &inputs)["y"];
    assert_eq!(y.values(), [Number::Float(3.0), Number::Float(INF)]);
    check("kernel k(A: csr, x: dense) -> y: sparse { y(i) = A(i,j) * x(j) over plus_second }", &inputs, "y", &[6.0, N]);
    let m = sparse(&[2, 2], &[N, 0.0, 1.0, N]);
    let masked = [("A", a.clone()), ("M", m)];
    check("kernel k(A: csr, M: csr) -> C: csr { C(i,j)<M> = A(i,j) + 1 }", &masked, "C", &[N, 3.0, 1.0, N]);
    check("kernel k(A: csr, M: csr) -> C: csr { C(i,j)<!M> = A(i,j) }", &masked, "C", &[1.0, N, N, N]);
    let text =
        "function f(a, b) annihilator 0 = a + b  kernel k(A: csr, x: dense) -> C: csr { C(i,j) = f(A(i,j), x(j)) }";
    check(text, &inputs, "C", &[6.0, 3.0, N, N]);
    let far = Tensor { fill: Some(Number::Float(INF)), ..a };
    check(
        "kernel k(A: csr, x: dense) -> d: dense { d(i) min= A(i,j) + x(j) }",
        &[("A", far), inputs[1].clone()],
        "d",
        &[3.0, N],
    );
}

#[test]
fn integers_and_truth_values() {
    let n = |x: i128| Some(Number::Int(x));
    let a = Tensor { cells: vec![n(7), n(-8)], ..Tensor::empty(vec![2], ValueType::I32) };
    let y = run("kernel k(a: sparse of i32) -> y: dense of i32 { y(i) = a(i) / 2 + a(i) % 3 }", &[("a", a.clone())]);
    assert_eq!(y["y"].values(), [Number::Int(4), Number::Int(-6)]);
    let y =
        run("kernel k(a: sparse of i32) -> y: dense of u32 { y(i) = a(i) * a(i) * 1000000000 }", &[("a", a.clone())]);
    assert_eq!(
        y["y"].values()[0],
        Number::Int((49_000_000_000i128 + (1 << 31)).rem_euclid(1 << 32) - (1 << 31)).cast(ValueType::U32)
    );
    let y = run("kernel k(a: sparse of i32) -> y: dense of bool { y(i) = a(i) > 0.5 }", &[("a", a)]);
    assert_eq!(y["y"].values(), [Number::Bool(true), Number::Bool(false)]);
}
