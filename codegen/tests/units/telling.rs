//! The Rust of a dozen telling kernels, from their text: reviewed snapshots of what users read in a debugger.

use pleach_codegen::diagnostic::SourceFile;
use pleach_codegen::session::Session;

const KERNELS: &[(&str, &str)] = &[
    ("spmv_csr", "y: dense, A: csr, x: dense) { y(i) = A(i,j) * x(j) }"),
    ("spmv_ctree", "y: dense, A: (dense, ctree), x: dense) { y(i) = A(i,j) * x(j) }"),
    ("spmv_dia", "y: dense, A: dia, x: dense) { y(i) = A(i,j) * x(j) }"),
    ("spmv_coo", "y: dense, A: coo, x: dense) { y(i) += A(i,j) * x(j) }"),
    ("spmv_bcsr", "y: dense, A: bcsr<4, 4>, x: dense) { y(i) = A(i,j) * x(j) }"),
    ("pagerank", "y: dense, A: (dense, packed) of pattern, x: dense, d: dense) { y(i) += A(i,j) * x(j) / d(j) }"),
    ("bst_or_csr", "A: (dense, bst), B: csr) -> C: csr { C(i,j) = A(i,j) + B(i,j) }"),
    ("bst_and_blist", "A: (dense, bst), B: (dense, blist)) -> C: csr { C(i,j) = A(i,j) * B(i,j) }"),
    ("csr_and_csr", "A: csr, B: csr) -> C: csr { C(i,j) = A(i,j) * B(i,j) }"),
    ("slices", "A: csr, B: csr) -> C: csr { C(i,j) = A(i in 2:, j in 1:5) * B(i,j) }"),
    ("diagonals", "Q: dense, A: csr) { Q(j - i) += A(i,j) }"),
    ("coo_plus_csr", "A: coo, B: csr) -> C: csr { C(i,j) = A(i,j) + B(i,j) }"),
    ("csr_without_csr", "A: csr, B: csr) -> C: csr { C(i,j) = A(i,j) without B(i,j) }"),
    ("spgemm", "A: csr, B: csr) -> C: csr { C(i,j) = A(i,k) * B(k,j) }"),
    ("spmm", "A: csr, X: matrix) -> Y: matrix { Y(i,k) = A(i,j) * X(j,k) }"),
    ("sddmm", "B: csr, X: matrix, Z: matrix) -> C: csr { C(i,j) = B(i,j) * X(i,k) * Z(j,k) }"),
    ("mttkrp", "B: csf, C: matrix, D: matrix) -> A: matrix { A(i,r) = B(i,k,l) * C(k,r) * D(l,r) }"),
    ("ttv", "A: csf, x: dense) -> C: dcsr { C(i,j) = A(i,j,k) * x(k) }"),
    ("total", "A: csr) -> t: f64 { t = A(i,j) }"),
];

#[test]
#[cfg_attr(miri, ignore)]
fn generated_kernels_read_as_if_written_by_hand() {
    for (name, rest) in KERNELS {
        let mut session = Session::bundled();
        let text = format!("kernel {name}({rest}\n");
        session.add(SourceFile::new("kernels.pleach", text), &mut |_, _| Err(std::io::ErrorKind::NotFound.into()));
        let modules = session.finish("::pleach::runtime").unwrap_or_else(|error| panic!("{error}"));
        // The aliases above the function are the same for all.
        let rust = &modules[0].rust;
        let function = rust.find("/// ").filter(|_| !rust.contains("pub type")).or_else(|| {
            let last = rust.rfind("pub type")?;
            rust[last..].find(";\n").map(|end| last + end + 2)
        });
        insta::assert_snapshot!(*name, &rust[function.unwrap_or(0)..]);
    }
}
