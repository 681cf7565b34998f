//! What the compiler takes: from a kernel in index notation to Rust text. Bundled formats and stores are in scope before.

use pleach_codegen::diagnostic::SourceFile;
use pleach_codegen::session::Session;

use super::SuiteError;
use crate::method::seconds;
use crate::{Bench, Competitor, Side, Work};

/// What is compiled.
const KERNELS: [(&str, &str); 5] = [
    ("spmv", "kernel f(y: dense, A: csr, x: dense) { y(i) = A(i,j) * x(j) }"),
    ("addition", "kernel f(A: aspen, B: csr) -> C: csr { C(i,j) = A(i,j) + B(i,j) }"),
    ("spgemm", "kernel f(A: csr, B: csr) -> C: csr { C(i,j) = A(i,k) * B(k,j) }"),
    ("transpose", "kernel f(A: csr, B: csc) -> C: dcsr { C(i,j) = A(i,j) + B(i,j) * 2 }"),
    ("mttkrp", "kernel f(A: csf, C: matrix, D: matrix) -> B: matrix { B(i,l) = A(i,j,k) * C(j,l) * D(k,l) }"),
];

/// Measures all kernels, by one thread.
///
/// # Errors
///
/// [`SuiteError`] if the system starts no more threads.
pub fn run(bench: &mut Bench<'_>) -> Result<(), SuiteError> {
    bench.begin("compile", None);
    Ok(bench.serially(kernels)?)
}

fn kernels(bench: &mut Bench<'_>) {
    for (name, text) in KERNELS {
        let run = move || {
            let mut session = Session::bundled();
            let source = SourceFile::new("f.pleach", text);
            let mut made = Err("nothing was generated".to_owned());
            let took = seconds(|| {
                session.add(source, &mut |_, _| Err(std::io::ErrorKind::NotFound.into()));
                if let Ok(modules) = session.finish("::pleach_runtime")
                    && modules.first().is_some_and(|module| !module.rust.is_empty())
                {
                    made = Ok(());
                }
            });
            made.map(|()| vec![took])
        };
        bench.compare(&[Work::timed(name)], vec![Competitor::new("pleach", Side::Ours, run)]);
    }
}
