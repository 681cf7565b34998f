//! The interpreter against results computed in the plainest way, and its errors.

use crate::kernels::data::{CsrData, Random, SHAPES};
use pleach_codegen::ir::check::CheckError;
use pleach_codegen::ir::interpret::{Array, Compile, Limits, Program, RunError, Store, Value};
use pleach_codegen::ir::*;
use std::sync::Arc;

fn program(kernel: &Kernel) -> Program {
    Compile::new().iterations_per_task(3).compile(kernel).unwrap()
}

fn f64s(value: &Value) -> &[f64] {
    match value {
        Value::Array(Array::F64(a)) => a,
        other => panic!("{other:?}"),
    }
}

fn matrix(rows: usize, cols: usize, results: &[Value]) -> Vec<Vec<f64>> {
    let [Value::Array(Array::Usize(pos)), Value::Array(Array::U32(crd)), Value::Array(Array::F64(vals))] = results
    else {
        panic!("{results:?}")
    };
    for i in 0..rows {
        assert!(crd[pos[i]..pos[i + 1]].is_sorted_by(|a, b| a < b), "rows are ordered and unique");
    }
    assert_eq!((pos.len(), pos[rows], crd.len()), (rows + 1, crd.len(), vals.len()));
    CsrData { rows, cols, pos: pos.clone(), crd: crd.clone(), vals: vals.clone() }.dense()
}

#[test]
fn spmv_in_every_form() {
    let mut rng = Random(1);
    for (rows, cols, percent) in SHAPES {
        let a = CsrData::random(&mut rng, rows, cols, percent);
        let x = rng.values(cols);
        let expected: Vec<f64> =
            a.dense().iter().map(|row| row.iter().zip(&x).map(|(a, x)| a * x).sum::<f64>()).collect();
        for kernel in [crate::kernels::spmv_csr(false), crate::kernels::spmv_csr(true)] {
            let mut args = vec![vec![7.0; rows].into()];
            args.extend(a.args());
            args.push(x.clone().into());
            program(&kernel).run(&mut args, Limits::default()).unwrap();
            assert_eq!(f64s(&args[0]), expected, "{} {rows}x{cols}", kernel.name);
        }
        let mut args = vec![
            vec![7.0; rows].into(),
            Value::usize(rows),
            Value::usize(cols),
            a.row_crd().into(),
            a.crd.clone().into(),
            a.vals.clone().into(),
            x.clone().into(),
        ];
        program(&crate::kernels::spmv_coo()).run(&mut args, Limits::default()).unwrap();
        assert_eq!(f64s(&args[0]), expected, "coo {rows}x{cols}");
    }
}

#[test]
fn dot_and_add_and_spgemm() {
    let mut rng = Random(2);
    for (rows, cols, percent) in SHAPES {
        let (x, y) = (rng.values(cols), rng.values(cols));
        for parallel in [false, true] {
            let mut args = [x.clone().into(), y.clone().into()];
            let result = program(&crate::kernels::dot(parallel)).run(&mut args, Limits::default()).unwrap();
            let expected = x.iter().zip(&y).map(|(x, y)| x * y).sum::<f64>() + 0.0;
            assert_eq!(result, [Value::Scalar(Literal::F64(expected))]);
        }

        let (a, b) = (CsrData::random(&mut rng, rows, cols, percent), CsrData::random(&mut rng, rows, cols, percent));
        let mut args = [a.args(), b.args()].concat();
        let c = program(&crate::kernels::add_csr()).run(&mut args, Limits::default()).unwrap();
        let mut expected = a.dense();
        expected.iter_mut().zip(b.dense()).for_each(|(x, y)| x.iter_mut().zip(y).for_each(|(x, y)| *x += y));
        assert_eq!(matrix(rows, cols, &c), expected);

        let b = CsrData::random(&mut rng, cols, rows + 2, percent);
        let mut args = [a.args(), b.args()].concat();
        let c = program(&crate::kernels::spgemm_csr()).run(&mut args, Limits::default()).unwrap();
        let (da, db) = (a.dense(), b.dense());
        let expected: Vec<Vec<f64>> = (0..rows)
            .map(|i| (0..rows + 2).map(|j| (0..cols).map(|k| da[i][k] * db[k][j]).sum::<f64>() + 0.0).collect())
            .collect();
        assert_eq!(matrix(rows, rows + 2, &c), expected);
    }
}

/// A kernel of its own variables, without parameters.
fn kernel(build: impl FnOnce(&mut Vars) -> (Block, Vec<Var>)) -> Kernel {
    let mut vars = Vars::new();
    let (body, results) = build(&mut vars);
    let fields: Vec<_> = results.iter().map(|&v| ("value", None, v)).collect();
    Kernel {
        functions: vec![],
        name: "test".into(),
        doc: vec![],
        params: vec![],
        checks: vec![],
        body,
        results: vec![crate::kernels::tensor("r", "", Access::Write, &fields)],
        vars,
    }
}

fn run(kernel: &Kernel) -> Result<Vec<Value>, RunError> {
    Compile::new().compile(kernel)?.run(&mut [], Limits::default().with_steps(10_000).with_elements(10_000))
}

#[test]
fn faults_are_errors() {
    let forever = kernel(|_| (Stmt::While(bool(true), Block::new()).into(), vec![]));
    assert_eq!(run(&forever), Err(RunError::Steps));

    let large = kernel(|vars| {
        let a = vars.fresh("a", Type::array(Scalar::U32));
        (Stmt::NewArray { var: a, len: usize(1 << 60), fill: lit(Literal::U32(0)) }.into(), vec![])
    });
    let refused = RunError::Memory { array: "a".into(), elements: 1 << 60, left: 10_000 };
    assert_eq!(run(&large), Err(refused));

    let outside = |at: usize| {
        kernel(|vars| {
            let a = vars.fresh("a", Type::array(Scalar::U32));
            let x = vars.fresh("x", Scalar::U32);
            (
                vec![
                    Stmt::NewArray { var: a, len: usize(3), fill: lit(Literal::U32(5)) },
                    Stmt::Let(x, load(a, usize(at))),
                ]
                .into(),
                vec![x],
            )
        })
    };
    assert_eq!(run(&outside(2)), Ok(vec![Value::Scalar(Literal::U32(5))]));
    assert_eq!(run(&outside(3)), Err(RunError::OutOfBounds { array: "a".into(), index: 3, len: 3 }));

    let negative = kernel(|vars| {
        let x = vars.fresh("x", Scalar::Usize);
        (Stmt::Let(x, usize(1) - usize(2)).into(), vec![x])
    });
    assert_eq!(run(&negative), Err(RunError::Overflow));

    let mut unknown = kernel(|vars| {
        let x = vars.fresh("x", Scalar::F64);
        (Stmt::Let(x, Expr::Call(FunctionId(0), vec![], Scalar::F64)).into(), vec![x])
    });
    assert!(matches!(run(&unknown), Err(RunError::Invalid(CheckError::Undeclared(_)))));
    unknown.functions.push(Foreign { name: "s".into(), from: "sigmoid".into() });
    assert!(unknown.to_string().contains("s()"), "{unknown}");
    assert_eq!(run(&unknown), Err(RunError::UnknownFunction("sigmoid".into())));
    let known = Compile::new()
        .function("sigmoid", Arc::new(|args| Literal::F64(args.len() as f64)))
        .compile(&unknown)
        .unwrap()
        .run(&mut [], Limits::default());
    assert_eq!(known, Ok(vec![Value::Scalar(Literal::F64(0.0))]));
}

#[test]
fn an_iteration_may_not_touch_what_another_owns() {
    let stray = |by: usize| {
        kernel(|vars| {
            let (a, i) = (vars.fresh("a", Type::array(Scalar::F64)), vars.fresh("i", Scalar::Usize));
            let body = vec![
                Stmt::NewArray { var: a, len: usize(5), fill: lit(Literal::F64(0.0)) },
                Stmt::Parallel {
                    var: i,
                    domain: Domain::Range { lo: usize(0), hi: usize(4) },
                    owned: vec![Owned { array: a, partition: Partition::Each { offset: usize(0), stride: usize(1) } }],
                    reductions: vec![],
                    work: Work::default(),
                    scratch: Block::new(),
                    body: Stmt::Store(a, i + usize(by), lit(Literal::F64(1.0))).into(),
                },
            ];
            (body.into(), vec![a])
        })
    };
    assert_eq!(run(&stray(0)), Ok(vec![vec![1.0, 1.0, 1.0, 1.0, 0.0].into()]));
    assert_eq!(run(&stray(1)), Err(RunError::NotOwned { array: "a".into(), index: 1 }));
}

/// A loop of two iterations that makes `a`: each owns three elements, and pushes `each`.
fn making(a: Var, i: Var, each: usize) -> Vec<Stmt> {
    let push = |k: usize| Stmt::Push(a, var(i) * usize(10) + usize(k));
    vec![
        Stmt::NewUncleared { var: a, len: usize(7) },
        Stmt::Parallel {
            var: i,
            domain: Domain::Range { lo: usize(0), hi: usize(2) },
            owned: vec![Owned { array: a, partition: Partition::Each { offset: usize(0), stride: usize(3) } }],
            reductions: vec![],
            work: Work::default(),
            scratch: Block::new(),
            body: (0..each).map(push).collect(),
        },
    ]
}

#[test]
fn iterations_push_as_many_elements_as_they_own() {
    let pushing = |each: usize| {
        kernel(|vars| {
            let (a, i) = (vars.fresh("a", Type::vec(Scalar::Usize)), vars.fresh("i", Scalar::Usize));
            let mut body = making(a, i, each);
            body.push(Stmt::Push(a, usize(9)));
            (body.into(), vec![a])
        })
    };
    assert_eq!(run(&pushing(3)), Ok(vec![vec![0usize, 1, 2, 10, 11, 12, 0, 9].into()]));
    assert_eq!(run(&pushing(2)), Err(RunError::Unfilled("a".into())));
    assert_eq!(run(&pushing(4)), Err(RunError::NotOwned { array: "a".into(), index: 3 }));
}

#[test]
fn shapes_and_arguments_are_checked() {
    let spmv = program(&crate::kernels::spmv_csr(false));
    let a = CsrData::random(&mut Random(3), 3, 4, 50);
    let mut args = vec![vec![0.0; 2].into()];
    args.extend(a.args());
    args.push(vec![0.0; 4].into());
    let error = spmv.run(&mut args, Limits::default()).unwrap_err();
    assert_eq!(error.to_string(), "`y` along `i` has extent 2, but `A` along `i` has extent 3");
    assert_eq!(f64s(&args[0]).len(), 2, "arguments survive an error");
    args[0] = vec![0u32; 3].into();
    assert!(matches!(spmv.run(&mut args, Limits::default()), Err(RunError::ArgumentType { .. })));
    assert!(matches!(spmv.run(&mut args[1..], Limits::default()), Err(RunError::ArgumentCount { .. })));
}

#[test]
fn integers_wrap_and_missing_quotients_are_zero() {
    use BinaryOp::*;
    let cases = [
        (Add, Literal::I32(i32::MAX), Literal::I32(1), Literal::I32(i32::MIN)),
        (Div, Literal::I64(i64::MIN), Literal::I64(-1), Literal::I64(0)),
        (Div, Literal::U32(7), Literal::U32(0), Literal::U32(0)),
        (Rem, Literal::I32(-7), Literal::I32(3), Literal::I32(-1)),
        (Shl, Literal::I32(1), Literal::I32(32), Literal::I32(0)),
        (Shl, Literal::I32(1), Literal::I32(31), Literal::I32(i32::MIN)),
        (Shr, Literal::I64(-8), Literal::I64(99), Literal::I64(-1)),
        (Shr, Literal::U64(1 << 63), Literal::U64(62), Literal::U64(2)),
        (Max, Literal::F64(f64::NEG_INFINITY), Literal::F64(-1.0), Literal::F64(-1.0)),
        (Lt, Literal::F32(f32::NAN), Literal::F32(1.0), Literal::Bool(false)),
        (Xor, Literal::Bool(true), Literal::Bool(true), Literal::Bool(false)),
    ];
    for (op, x, y, expected) in cases {
        let k = kernel(|vars| {
            let r = vars.fresh("r", expected.scalar());
            (Stmt::Let(r, lit(x).binary(op, lit(y))).into(), vec![r])
        });
        assert_eq!(run(&k), Ok(vec![Value::Scalar(expected)]), "{op:?} {x} {y}");
    }
}

fn tree(entries: &[(usize, f64)]) -> Arc<Store> {
    Arc::new(Store {
        coords: entries.iter().map(|e| e.0).collect(),
        values: Some(Array::F64(entries.iter().map(|e| e.1).collect())),
        ordered: true,
    })
}

/// `C(j) = A(j) + B(j)` over two stores, into a store: cursors and rests. Then `t = C(j) * A(j)`: a map over C that looks up A.
#[test]
fn stores_are_merged_located_and_assembled() {
    let mut kernel = crate::kernels::stores::add_stores();
    let (a, c) = (kernel.params[0].fields[0].var, kernel.results[0].fields[0].var);
    let [found, other, total] = ["found", "other", "total"].map(|name| kernel.vars.fresh(name, Scalar::F64));
    let j = kernel.vars.fresh("j", Scalar::Usize);
    kernel.body.extend([
        Stmt::Let(total, lit(Literal::F64(0.0))),
        Stmt::ForEntries {
            store: var(c),
            coord: j,
            value: Some(found),
            ordered: false,
            fold: None,
            body: Stmt::Locate {
                store: var(a),
                coord: var(j),
                value: Some(other),
                then: Stmt::Update(total, Reduce::Add, found * var(other)).into(),
                otherwise: Block::new(),
            }
            .into(),
        },
    ]);
    kernel.results.push(crate::kernels::tensor("t", "", Access::Write, &[("value", None, total)]));
    insta::assert_snapshot!("merge", kernel.to_string());
    let mut args = [Value::Store(tree(&[(1, 1.0), (4, 2.0), (9, 3.0)])), Value::Store(tree(&[(0, 5.0), (4, 6.0)]))];
    let results = program(&kernel).run(&mut args, Limits::default()).unwrap();
    let expected = tree(&[(0, 5.0), (1, 1.0), (4, 8.0), (9, 3.0)]);
    assert_eq!(results, [Value::Store(expected), Value::Scalar(Literal::F64(1.0 + 16.0 + 9.0))]);
}

#[test]
fn invalid_kernels_are_refused() {
    let mistakes: Vec<(&str, Kernel)> = vec![
        (
            "`x` is used where it is not declared",
            kernel(|vars| {
                let x = vars.fresh("x", Scalar::Usize);
                (Stmt::Assign(x, usize(1)).into(), vec![])
            }),
        ),
        (
            "`x` is declared twice",
            kernel(|vars| {
                let x = vars.fresh("x", Scalar::Usize);
                (vec![Stmt::Let(x, usize(1)), Stmt::Let(x, usize(1))].into(), vec![])
            }),
        ),
        (
            "`x` must be usize, not f64",
            kernel(|vars| {
                let x = vars.fresh("x", Scalar::Usize);
                (Stmt::Let(x, lit(Literal::F64(1.0))).into(), vec![])
            }),
        ),
        (
            "there is no `and` for f64",
            kernel(|vars| {
                let x = vars.fresh("x", Scalar::F64);
                let one = lit(Literal::F64(1.0));
                (Stmt::Let(x, one.clone().and(one)).into(), vec![])
            }),
        ),
        (
            "`i` is written, but is bound by a loop or a look-up",
            kernel(|vars| {
                let i = vars.fresh("i", Scalar::Usize);
                (Stmt::count(i, usize(0), usize(2), Stmt::Assign(i, usize(1))).into(), vec![])
            }),
        ),
        ("`break` outside of a `for` or `while`", kernel(|_| (Stmt::Break.into(), vec![]))),
        (
            "`x` is written, but belongs to the outside of a parallel loop that does not own it",
            kernel(|vars| {
                let (x, i) = (vars.fresh("x", Scalar::Usize), vars.fresh("i", Scalar::Usize));
                let parallel = Stmt::Parallel {
                    var: i,
                    domain: Domain::Range { lo: usize(0), hi: usize(2) },
                    owned: vec![],
                    reductions: vec![],
                    work: Work::default(),
                    scratch: Block::new(),
                    body: Stmt::Update(x, Reduce::Add, usize(1)).into(),
                };
                (vec![Stmt::Let(x, usize(1)), parallel].into(), vec![])
            }),
        ),
        (
            "`a` is written, but waits for the parallel loop that makes it",
            kernel(|vars| {
                let (a, i) = (vars.fresh("a", Type::vec(Scalar::Usize)), vars.fresh("i", Scalar::Usize));
                let mut body = making(a, i, 3);
                body.insert(1, Stmt::Store(a, usize(0), usize(1)));
                (body.into(), vec![])
            }),
        ),
        (
            "`a` is written, but inside a parallel loop only elements may change, not lengths",
            kernel(|vars| {
                let (a, i) = (vars.fresh("a", Type::vec(Scalar::Usize)), vars.fresh("i", Scalar::Usize));
                let mut body = making(a, i, 3);
                body[0] = Stmt::NewArray { var: a, len: usize(7), fill: usize(0) };
                (body.into(), vec![])
            }),
        ),
        (
            "nested more than 200 levels deep",
            kernel(|vars| {
                let x = vars.fresh("x", Scalar::Usize);
                let deep = (0..300).fold(usize(0), |e, _| e + usize(1));
                (Stmt::Let(x, deep).into(), vec![])
            }),
        ),
        (
            "`x` is used where it is not declared",
            kernel(|vars| {
                let x = vars.fresh("x", Scalar::Usize);
                (Stmt::when(bool(true), Stmt::Let(x, usize(1))).into(), vec![x])
            }),
        ),
    ];
    for (message, kernel) in mistakes {
        assert_eq!(kernel.check().unwrap_err().to_string(), message);
    }
    for kernel in crate::kernels::all() {
        assert_eq!(kernel.check(), Ok(()), "{}", kernel.name);
    }
}
