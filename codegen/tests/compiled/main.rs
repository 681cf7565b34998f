//! The two backends against each other: kernels run through the interpreter and through compiled Rust give the same. Kernels in index
//! notation are compared so by `pleach-conformance`.
//!
//! `generated.rs` beside this file is what the emitter writes for the kernels written by hand and for random programs. A test
//! holds it against what the emitter writes now; `PLEACH_UPDATE=1 cargo test -p pleach-codegen --test compiled` renews it.

#[path = "../kernels/mod.rs"]
mod kernels;

#[rustfmt::skip]
#[allow(warnings)]
mod generated;

use kernels::data::{CsrData, Random, SHAPES};
use kernels::{programs, stores};
use pleach_codegen::emit::{Options, source};
use pleach_codegen::ir::Kernel;
use pleach_codegen::ir::interpret::{Compile, Limits, Value};
use pleach_runtime::{BuildOuter, Dense, Elements, Fiber, Outer, Packed, RowBlock, RowGroup, Rows, Store};
use std::ops::ControlFlow;

/// How many random programs are compiled.
const PROGRAMS: u64 = 8;

fn all() -> Vec<Kernel> {
    kernels::all()
        .into_iter()
        .chain([stores::spmv_store(), stores::add_stores()])
        .chain((0..PROGRAMS).map(programs::random))
        .collect()
}

fn generated() -> String {
    let mut text = String::from("// Written by the emitter; see main.rs.\n\n");
    text += &source(&all(), &Options::default()).unwrap();
    text
}

/// The random programs with their types, so that each is run.
fn table() -> String {
    let mut text = String::from("programs! {\n");
    for seed in 0..PROGRAMS {
        let name = programs::random(seed).name;
        let ty = name.rsplit('_').next().unwrap_or_default();
        text += &format!("    {name} {seed} {ty};\n");
    }
    text + "}\n"
}

#[test]
#[cfg_attr(miri, ignore)]
fn what_was_compiled_is_what_the_emitter_writes() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/compiled/");
    for (file, new) in [("generated.rs", generated()), ("table.rs", table())] {
        let path = format!("{folder}{file}");
        if std::env::var_os("PLEACH_UPDATE").is_some() {
            std::fs::write(&path, &new).unwrap();
        }
        assert!(std::fs::read_to_string(&path).unwrap() == new, "{file}: run again with PLEACH_UPDATE=1");
    }
}

fn interpret(kernel: &Kernel, args: &mut [Value]) -> Vec<Value> {
    Compile::new().iterations_per_task(5).compile(kernel).unwrap().run(args, Limits::default()).unwrap()
}

/// Runs a kernel simplified and as it is; both must give the same.
fn interpret_twice(kernel: &Kernel, args: &mut [Value]) -> Vec<Value> {
    let mut simple = kernel.clone();
    simple.simplify();
    let mut copy = args.to_vec();
    let results = interpret(&simple, &mut copy);
    let plain = interpret(kernel, args);
    assert!(same(&plain, &results) && same(args, &copy), "{}", kernel.name);
    results
}

/// Equal but for the payload of a NaN.
fn same(a: &[Value], b: &[Value]) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

#[test]
fn kernels_written_by_hand_agree() {
    let mut rng = Random(7);
    for (rows, cols, percent) in SHAPES {
        let (a, b) = (CsrData::random(&mut rng, rows, cols, percent), CsrData::random(&mut rng, rows, cols, percent));
        let (x, x2) = (rng.values(cols), rng.values(cols));
        for (kernel, run) in [
            (
                kernels::spmv_csr(false),
                generated::spmv_csr as fn(&mut [f64], usize, usize, &[usize], &[u32], &[f64], &[f64]) -> _,
            ),
            (kernels::spmv_csr(true), generated::spmv_csr_parallel),
        ] {
            let mut y = vec![1.0; rows];
            let mut args = vec![y.clone().into()];
            args.extend(a.args());
            args.push(x.clone().into());
            interpret_twice(&kernel, &mut args);
            run(&mut y, rows, cols, &a.pos, &a.crd, &a.vals, &x).unwrap();
            assert!(same(&args[..1], &[y.into()]));
        }

        let mut y = vec![1.0; rows];
        let (crd_i, crd_j) = (a.row_crd(), &a.crd);
        let mut args = vec![
            y.clone().into(),
            Value::usize(rows),
            Value::usize(cols),
            crd_i.clone().into(),
            crd_j.clone().into(),
            a.vals.clone().into(),
            x.clone().into(),
        ];
        interpret_twice(&kernels::spmv_coo(), &mut args);
        generated::spmv_coo(&mut y, rows, cols, &crd_i, crd_j, &a.vals, &x).unwrap();
        assert!(same(&args[..1], &[y.into()]));

        let results = interpret_twice(&kernels::dot(false), &mut [x.clone().into(), x2.clone().into()]);
        assert!(same(&results, &[Value::Scalar(pleach_codegen::ir::Literal::F64(generated::dot(&x, &x2).unwrap()))]));
        assert_eq!(generated::dot(&x, &x2), generated::dot_parallel(&x, &x2), "whole numbers add up in any order");

        let c = interpret_twice(&kernels::add_csr(), &mut [a.args(), b.args()].concat());
        let (pos, crd, vals) =
            generated::add_csr(rows, cols, &a.pos, &a.crd, &a.vals, rows, cols, &b.pos, &b.crd, &b.vals).unwrap();
        assert!(same(&c, &[pos.into(), crd.into(), vals.into()]));

        let b = CsrData::random(&mut rng, cols, rows + 3, percent);
        let c = interpret_twice(&kernels::spgemm_csr(), &mut [a.args(), b.args()].concat());
        let (pos, crd, vals) =
            generated::spgemm_csr(rows, cols, &a.pos, &a.crd, &a.vals, cols, rows + 3, &b.pos, &b.crd, &b.vals)
                .unwrap();
        assert!(same(&c, &[pos.into(), crd.into(), vals.into()]));
    }
}

#[test]
fn wrong_extents_are_the_same_error() {
    let error = generated::dot(&[1.0], &[]).unwrap_err();
    assert_eq!(error.to_string(), "`x` along `i` has extent 1, but `y` along `i` has extent 0");
    let program = Compile::new().compile(&kernels::dot(false)).unwrap();
    let found = program.run(&mut [vec![1.0].into(), Vec::<f64>::new().into()], Limits::default()).unwrap_err();
    assert_eq!(found.to_string(), error.to_string());
}

/// A dense level of packed rows, read by rows.
struct OfLevel {
    level: Dense<Packed<u32, f64>>,
    rows: usize,
    cols: usize,
}

impl Rows for OfLevel {
    type Value = f64;
    type Fiber<'a> = <Packed<u32, f64> as Store>::Fiber<'a>;

    fn num_rows(&self) -> usize {
        self.rows
    }

    fn num_cols(&self) -> usize {
        self.cols
    }

    fn nnz(&self) -> usize {
        (0..self.rows).filter_map(|i| self.row(i)).map(Fiber::len).sum()
    }

    fn row(&self, i: usize) -> Option<Self::Fiber<'_>> {
        self.level.row(i)
    }

    fn par_rows<'a, F: Fn(usize, Self::Fiber<'a>) + Sync>(&'a self, visit: F) {
        self.level.par_batches(&|batch: RowGroup<'_, 'a, Packed<u32, f64>>| {
            batch.for_each(|i, row| {
                if i < self.rows {
                    visit(i, row)
                }
            })
        });
    }

    fn try_rows<'a, B, F>(&'a self, mut visit: F) -> ControlFlow<B>
    where
        F: FnMut(usize, Self::Fiber<'a>) -> ControlFlow<B>,
    {
        (0..self.rows).try_for_each(|i| self.level.row(i).map_or(ControlFlow::Continue(()), |row| visit(i, row)))
    }
}

#[test]
fn kernels_over_stores_agree() {
    use pleach_codegen::ir::interpret::{Array, Store as Model};
    use std::sync::Arc;
    let model = |coords: &[u32], vals: &[f64]| {
        let coords = coords.iter().map(|&c| c as usize).collect();
        Arc::new(Model { coords, values: Some(Array::F64(vals.to_vec())), ordered: true })
    };
    let mut rng = Random(11);
    for (rows, cols, percent) in SHAPES {
        let a = CsrData::random(&mut rng, rows, cols, percent);
        let x = rng.values(cols);
        let row = |i: usize| a.pos[i]..a.pos[i + 1];
        let models = (0..rows).map(|i| model(&a.crd[row(i)], &a.vals[row(i)])).collect();
        let outer = Model { coords: (0..rows).collect(), values: Some(Array::Stores(models)), ordered: true };
        let mut args = [vec![2.0; rows].into(), Value::Store(Arc::new(outer)), x.clone().into()];
        interpret_twice(&stores::spmv_store(), &mut args);
        let block = RowBlock::new(0, &a.pos, Elements::copied(&a.crd, &a.vals));
        let dense: Dense<Packed<u32, f64>> = Dense::join(rows, vec![Dense::<Packed<u32, f64>>::build_part(block)]);
        let mut y = vec![2.0; rows];
        generated::spmv_store(&mut y, &OfLevel { level: dense, rows, cols }, &x).unwrap();
        assert!(same(&args[..1], &[y.into()]));

        for i in 1..rows {
            let (left, right) = (row(i - 1), row(i));
            let mut args = [&left, &right].map(|r| Value::Store(model(&a.crd[r.clone()], &a.vals[r.clone()])));
            let results = interpret_twice(&stores::add_stores(), &mut args);
            let [left, right] =
                [left, right].map(|r| Packed::build_row(Elements::copied(&a.crd[r.clone()], &a.vals[r])));
            let (c, n): (Packed<u32, f64>, _) = generated::add_stores(left.fiber(), right.fiber()).unwrap();
            let (coords, vals): (Vec<u32>, Vec<f64>) = c.fiber().fold_runs((vec![], vec![]), |mut all, run| {
                all.0.extend(run.coords());
                all.1.extend(run.values());
                all
            });
            assert!(same(&results, &[Value::Store(model(&coords, &vals)), Value::usize(n)]));
        }
    }
}

/// Runs one compiled program on its arguments and compares.
macro_rules! programs {
    ($($name:ident $seed:literal $ty:ident;)*) => {
        #[test]
        fn random_programs_agree() {
            $({
                let kernel = programs::random($seed);
                let mut rng = Random($seed + 1000);
                for n in [1usize, 2, 9] {
                    let mut a: Vec<$ty> = (0..n).map(|_| rng.value() as $ty).collect();
                    let b: Vec<$ty> = (0..n).map(|_| rng.value() as $ty).collect();
                    let mut args = [Value::usize(n), a.clone().into(), b.clone().into()];
                    let results = interpret_twice(&kernel, &mut args);
                    let s = generated::$name(n, &mut a, &b).unwrap();
                    assert!(
                        same(&args[1..2], &[a.clone().into()]) && same(&results, &[scalar(vec![s].into())]),
                        "{} on {n}: {args:?} {results:?} against {a:?} {s:?}", kernel.name,
                    );
                }
            })*
        }
    };
}

/// The only element of an array.
fn scalar(array: Value) -> Value {
    match array {
        Value::Array(array) => Value::Scalar(array.get(0).unwrap()),
        other => other,
    }
}

include!("table.rs");
