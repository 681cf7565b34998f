//! What tensors are passed and returned as, as the calling convention prints it.

use pleach_codegen::diagnostic::SourceFile;
use pleach_codegen::session::Session;

fn convention(kernel: &str) -> String {
    let mut session = Session::bundled();
    session.add(SourceFile::new("kernel.pleach", kernel), &mut |_, _| Err(std::io::ErrorKind::NotFound.into()));
    session.check().unwrap_or_else(|error| panic!("{error}"));
    let all: Vec<String> = session.kernels().map(|compiled| compiled.ir.convention().to_string()).collect();
    all.join("\n")
}

/// The lines of a text without what they are indented by and aligned with.
fn words(text: &str) -> Vec<String> {
    let line = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    text.lines().map(line).filter(|line| !line.is_empty()).collect()
}

#[test]
fn vectors_are_slices_rows_are_rows_and_all_else_is_whole() {
    let text = convention(
        "kernel f(y: dense, A: (dense, ctree), B: csr, alpha: f64) -> C: csr, t: f64 {\n\
         y(i) = alpha * A(i,j)\nC(i,j) = A(i,j) * B(i,j)\nt = B(i,j)\n}",
    );
    let expected = "y slice written vals: [f64]
        A rows read stores: [ctree<f64>]
        B whole read extents: b_rows, b_cols
        level 0: dense
        level 1: compressed pos: [usize] crd: [u32]
        vals: [f64]
        alpha fields read value: f64
        C whole returned extents: c_rows, c_cols
        level 0: dense
        level 1: compressed pos: [usize] growable crd: [u32] growable
        vals: [f64] growable
        t fields returned value: f64";
    assert_eq!(words(&text), words(expected), "{text}");
}

#[test]
fn extents_of_computed_coordinates_and_patterns_are_said() {
    let text = convention("kernel f(y: dense, A: bcsr<2, 2>, P: csr of pattern) { y(i) = A(i,j) * P(i,j) }");
    let expected = "y slice written vals: [f64]
        A whole read extents: a_rows, a_cols
        level 0: dense extent: usize
        level 1: compressed extent: usize pos: [usize] crd: [u32]
        level 2: dense extent: usize
        level 3: dense extent: usize
        vals: [f64]
        P whole read extents: p_rows, p_cols
        level 0: dense
        level 1: compressed pos: [usize] crd: [u32]
        vals: none";
    assert_eq!(words(&text), words(expected), "{text}");
}

#[test]
fn a_matrix_by_columns_is_not_passed_as_rows() {
    let text = convention(
        "format columns(i, j) = j: dense, i: ctree\nkernel f(y: dense, A: columns) { y(i) += A(i,j) }\n\
         kernel g(A: (bst, ctree)) -> v: bst { v(i) = A(i,j) }",
    );
    let lines = words(&text);
    for line in [
        "A whole read extents: a_rows, a_cols",
        "level 1: ctree stores: [ctree<f64>]",
        "vals: in the stores",
        "A rows read stores: bst<ctree<f64>>",
        "v whole returned extents: v_len",
    ] {
        assert!(lines.iter().any(|own| own == line), "{line}: {text}");
    }
}
