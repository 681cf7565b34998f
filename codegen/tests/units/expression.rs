//! A kernel around an expression.

use std::collections::BTreeMap;

use pleach_codegen::diagnostic::SourceFile;
use pleach_codegen::expression::{Expression, Tensor};
use pleach_codegen::session::Session;

#[test]
fn tensors_scalars_indices_and_functions_are_told_apart() {
    let formats = BTreeMap::from([("A".to_owned(), "csr of f32".to_owned()), ("C".to_owned(), "csr".to_owned())]);
    for (text, kernel) in [
        ("y(i) = A(i,j) * x(j)", "kernel compute(A: csr of f32, x: dense) -> y: dense { y(i) = A(i,j) * x(j) }"),
        (
            "C(i,j)<M> = alpha * A(i,j) * (i - j)",
            "kernel compute(M: matrix, alpha: f64, A: csr of f32) -> C: csr { C(i,j)<M> = alpha * A(i,j) * (i - j) }",
        ),
        ("y(i) = f(A(i,j))", "kernel compute(A: csr of f32) -> y: dense { y(i) = f(A(i,j)) }"),
        ("y(i) = A(i,j + 1)", "kernel compute(A: csr of f32) -> y: dense { y(i) = A(i, j + 1) }"),
        (
            "y(2:10) = A(0:n:2, :) * x(:)",
            "kernel compute(A: csr of f32, n: u64, x: dense) -> y: dense { y(2:10) = A(0:n:2, :) * x(:) }",
        ),
        ("t = max(x(i), 0)", "kernel compute(x: dense) -> t: f64 { t = max(x(i), 0) }"),
        (
            "d(i) = A(i,j); y(i) = x(i) / d(i)",
            "kernel compute(A: csr of f32, x: dense) -> y: dense { d(i) = A(i,j); y(i) = x(i) / d(i) }",
        ),
        (
            "A(i,j) = A(i,j) without D(i,j); y(i) = A(i,j)",
            "kernel compute(A: csr of f32, D: matrix) -> y: dense { A(i,j) = A(i,j) without D(i,j); y(i) = A(i,j) }",
        ),
        (
            "forall(i, y(i) = t where t = T(i,j,k))",
            "kernel compute(T: (dense, dense, dense)) -> y: dense { forall(i, y(i) = t where t = T(i,j,k)) }",
        ),
    ] {
        let expression = Expression::parse(text, &[]).unwrap();
        assert_eq!(shown(&expression, &formats, |_| false), kernel);
    }
    let written = Expression::parse("y(i) += A(i,j)", &[]).unwrap();
    assert_eq!(
        shown(&written, &formats, |tensor| tensor.name == "y"),
        "kernel compute(y: dense, A: csr of f32) { y(i) += A(i,j) }"
    );
    assert!(Expression::parse("y(i) = ", &[]).is_err());
    for (text, why) in [
        ("", "the text is empty"),
        (" \n ", "the text is empty"),
        ("// y(i) = x(i)", "there is no statement in the text"),
        (";", "there is no statement in the text"),
    ] {
        let shown = Expression::parse(text, &[]).unwrap_err().render("expression", text);
        assert!(shown.contains(why) && shown.contains("such as `y(i) = A(i,j) * x(j)`"), "{shown}");
    }
    let functions = SourceFile::new("mine", "function wave(i, amplitude) = amplitude * (i % 2)");
    let called = Expression::parse("y(i) = x(i) * wave(i, amplitude)", &[functions]).unwrap();
    assert_eq!(
        shown(&called, &formats, |_| false),
        "kernel compute(x: dense, amplitude: f64) -> y: dense { y(i) = x(i) * wave(i,amplitude) }"
    );
}

/// The kernel of an expression, on one line.
fn shown(expression: &Expression, formats: &BTreeMap<String, String>, in_place: impl Fn(&Tensor) -> bool) -> String {
    let kernel = expression.kernel(formats, in_place).unwrap().to_string();
    kernel.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn mistakes_are_shown_in_the_text_of_the_expression() {
    let expression = Expression::parse("  y(i) = A(i,j)\n    * x(j)", &[]).unwrap();
    let given = |format: &str| BTreeMap::from([("A".to_owned(), format.to_owned())]);
    let mut session = Session::bundled();
    session.add_kernel(&expression.file(), expression.kernel(&given("csx"), |_| false).unwrap());
    let error = session.check().unwrap_err().to_string();
    assert!(error.contains("`csx`") && error.contains("y(i) = A(i,j)") && !error.contains("kernel"), "{error}");
    let error = expression.kernel(&given("csr of"), |_| false).unwrap_err().to_string();
    assert!(error.contains("the format of `A`") && error.contains("csr of"), "{error}");
}

#[test]
fn numbers_that_overflow_are_refused() {
    let error = Expression::parse("y(i) = x(i) * 1e999", &[]).unwrap_err().to_string();
    assert!(error.contains("`1e999` does not fit a floating-point number of 64 bits"), "{error}");
    assert!(Expression::parse("y(i) = x(i) * 1.7e308", &[]).is_ok());
}
