//! Kernels whose outermost loops were made parallel compute what the sequential ones do.

use pleach_codegen::compile::stages;
use pleach_codegen::diagnostic::SourceFile;
use pleach_codegen::ir::Stmt;
use pleach_codegen::ir::interpret::{Compile, Limits, Value};
use pleach_codegen::notation::ast::Item;
use pleach_codegen::notation::concrete::Role;
use pleach_codegen::notation::{parse_source, resolve};
use pleach_codegen::reference::{Number, pack, scalar_argument};
use pleach_codegen::session::Session;
use pleach_runtime::SplitMix64;

/// Kernels, and whether a loop of theirs must have become parallel, or must not.
const KERNELS: &[(&str, Option<bool>)] = &[
    ("kernel f(y: dense, A: csr, x: dense) { y(i) = A(i,j) * x(j) }", Some(true)),
    ("kernel f(y: dense, A: (dense, ctree), x: dense) { y(i) += A(i,j) * x(j) }", Some(true)),
    ("kernel f(y: dense, A: aspen, x: dense) { y(i) += A(i,j) * x(j) }", None),
    ("kernel f(A: csr, X: matrix) -> Y: matrix { Y(i,k) = A(i,j) * X(j,k) }", None),
    ("kernel f(A: csr, x: dense, y: dense) -> t: f64 { t = y(i) * A(i,j) * x(j) }", None),
    ("kernel f(A: csr) -> t: f64 { t max= A(i,j) }", None),
    ("kernel f(A: csr, B: csr) -> Y: matrix { Y(i,j) = A(i,k) * B(k,j) }", None),
    ("kernel f(A: csr, B: csc) -> Y: matrix { Y(i,j) = A(i,j) + B(i,j) }", None),
    // The width of the table follows from the lengths of all rows, which all iterations count.
    ("kernel f(A: csr, B: csr) -> C: (dense, hashed) { C(i,j) = A(i,j) + B(i,j) }", None),
    ("kernel f(y: dense, A: ell, x: dense) { y(i) += A(i,j) * x(j) }", Some(true)),
    ("kernel f(y: dense, A: dia, x: dense) { y(i) = A(i,j) * x(j) }", Some(true)),
    ("kernel f(y: dense, A: bcsr<2, 3>, x: dense) { y(i) = A(i,j) * x(j) }", Some(true)),
    // Iterations meet: each column is added to all rows.
    ("kernel f(y: dense, A: csc, x: dense) { y(i) += A(i,j) * x(j) }", None),
    ("kernel f(A: csr, B: csr) -> C: csr { C(i,j) = A(i,j) + B(i,j) }", None),
];

#[test]
fn parallel_loops_compute_what_sequential_ones_do() {
    for (text, must) in KERNELS {
        let mut session = Session::bundled();
        session.add(SourceFile::new("kernels.pleach", *text), &mut |_, _| Err(std::io::ErrorKind::NotFound.into()));
        session.check().unwrap_or_else(|error| panic!("{error}"));
        let compiled = session.kernels().next().unwrap();
        let mut parallel = false;
        compiled.ir.body.visit(&mut |stmt| parallel |= matches!(stmt, Stmt::Parallel { .. }));
        assert_eq!(parallel, must.unwrap_or(parallel), "{text}\n{}", compiled.ir);
        let Item::Kernel(kernel) = &parse_source(text).0.items[0] else { panic!("a kernel") };
        let sequential = stages(&resolve(kernel, session.scope()).unwrap()[0]).unwrap().lowered;
        for seed in 0..4 {
            let arguments = arguments(compiled, seed);
            let run = |kernel: &pleach_codegen::ir::Kernel| {
                let mut arguments = arguments.clone();
                let program = Compile::new().iterations_per_task(2).compile(kernel).unwrap();
                let results = program.run(&mut arguments, Limits::default()).unwrap();
                format!("{arguments:?} {results:?}")
            };
            assert_eq!(run(&sequential), run(&compiled.ir), "{text}\n{}", compiled.ir);
        }
    }
}

/// Square tensors of whole numbers, some rows of them empty.
fn arguments(compiled: &pleach_codegen::kernel::Compiled, seed: usize) -> Vec<Value> {
    let n = [5, 1, 8, 3][seed];
    let mut arguments = Vec::new();
    let mut random = SplitMix64(seed as u64 * 7 + 1);
    for tensor in compiled.kernel.tensors.iter().filter(|tensor| tensor.role == Role::Param) {
        let Some(format) = &tensor.format else {
            arguments.push(scalar_argument(Number::Int(3), tensor.value));
            continue;
        };
        let mut entries = Vec::new();
        for at in 0..n * if tensor.rank == 2 { n } else { 1 } {
            if (at / n) % 3 != 1 && random.below(2) == 0 || format.is_full() {
                let coords = if tensor.rank == 2 { vec![at / n, at % n] } else { vec![at] };
                entries.push((coords, Number::Float(random.below(9) as f64 - 4.0)));
            }
        }
        arguments.extend(pack(format, &vec![n; tensor.rank], tensor.value, Number::Int(0), &entries).arguments);
    }
    arguments
}
