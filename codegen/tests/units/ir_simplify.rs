//! Simplification keeps results, and does what it says.

use crate::kernels::data::Random;
use crate::kernels::programs;
use pleach_codegen::ir::interpret::{Array, Compile, Limits, Store, Value};
use pleach_codegen::ir::*;

/// Small whole numbers in an array of any type.
fn array(scalar: Scalar, n: usize, rng: &mut Random) -> Value {
    let mut array = Array::empty(scalar);
    for _ in 0..n {
        array.push(Literal::from_f64(scalar, rng.value()));
    }
    Value::Array(array)
}

/// A kernel that writes to the array `y`.
fn writing(name: &str, y: Var, body: Vec<Stmt>, vars: Vars) -> Kernel {
    Kernel {
        functions: vec![],
        name: name.into(),
        doc: vec![],
        params: vec![crate::kernels::tensor("y", "i: dense", Access::Write, &[("vals", None, y)])],
        checks: vec![],
        body: body.into(),
        results: vec![],
        vars,
    }
}

#[test]
fn random_programs_keep_their_results() {
    let seeds = if cfg!(miri) { 0..5 } else { 1000..3000 };
    for seed in seeds {
        let kernel = programs::random(seed);
        let mut simple = kernel.clone();
        simple.simplify();
        let mut rng = Random(seed);
        let scalar = kernel.vars[kernel.params[1].fields[0].var].ty.array_scalar().unwrap();
        let mut args = [Value::usize(4), array(scalar, 4, &mut rng), array(scalar, 4, &mut rng)];
        let mut copy = args.clone();
        let run = |kernel: &Kernel, args: &mut [Value]| {
            Compile::new()
                .compile(kernel)
                .unwrap()
                .run(args, Limits::default().with_steps(1_000_000).with_elements(1_000_000))
        };
        let (plain, simplified) = (run(&kernel, &mut args), run(&simple, &mut copy));
        // NaN is not equal to itself, but prints alike.
        assert_eq!(format!("{plain:?} {args:?}"), format!("{simplified:?} {copy:?}"), "{kernel}\n{simple}");
    }
}

#[test]
fn what_is_known_goes() {
    let mut vars = Vars::new();
    let y = vars.fresh("y", Type::array(Scalar::F64));
    let (n, m, i) = (vars.fresh("n", Scalar::Usize), vars.fresh("m", Scalar::Usize), vars.fresh("i", Scalar::Usize));
    let (unused, j) = (vars.fresh("unused", Type::array(Scalar::F64)), vars.fresh("j", Scalar::Usize));
    let one = || lit(Literal::F64(1.0));
    let set = |at: Expr| Block::from(Stmt::Store(y, at, one()));
    let body = vec![
        Stmt::Let(n, len(y)),
        Stmt::Let(m, var(n)),
        Stmt::NewArray { var: unused, len: var(m), fill: one() },
        Stmt::count(
            i,
            usize(0),
            m,
            vec![
                Stmt::Store(unused, var(i), one()),
                Stmt::either(bool(true).and(var(i).less_equal(i)), set(i + (usize(1) - usize(1))), Block::new()),
                Stmt::If {
                    arms: vec![(var(i).less(usize(3)), set(var(i))), (var(i).greater(usize(7)), set(var(i)))],
                    otherwise: Block::new(),
                },
                Stmt::Let(j, var(i).min(n).min(i).min(usize(9)).min(usize(5))),
                Stmt::when(var(j).equal(usize(2)), Stmt::Store(y, var(j), one() * one())),
                Stmt::when(var(j).equal(usize(2)), Stmt::StoreUpdate(y, var(j), Reduce::Add, one())),
                Stmt::While(bool(false), Block::new()),
            ],
        ),
    ];
    let mut kernel = writing("known", y, body, vars);
    kernel.simplify();
    insta::assert_snapshot!(kernel.to_string());
}

#[test]
fn a_row_is_folded_in_parts_by_one_operator_that_reads_nothing_else() {
    let row = StoreType {
        name: "packed".into(),
        coord: Scalar::U32,
        element: Element::Scalar(Scalar::F64),
        lookup: Growth::Logarithmic,
    };
    for (shape, in_parts) in [(0, true), (1, false), (2, false)] {
        let mut vars = Vars::new();
        let (y, a) = (vars.fresh("y", Type::array(Scalar::F64)), vars.fresh("a", Type::Store(row.clone())));
        let (j, a_j) = (vars.fresh("j", Scalar::Usize), vars.fresh("a_j", Scalar::F64));
        let sum = vars.fresh("sum", Scalar::F64);
        let add = Stmt::Update(sum, Reduce::Add, var(a_j));
        let body = match shape {
            0 => vec![add],
            1 => vec![Stmt::Update(sum, Reduce::Mul, var(a_j)), add],
            _ => vec![Stmt::Update(sum, Reduce::Add, var(a_j) * var(sum))],
        };
        let body = vec![
            Stmt::Let(sum, lit(Literal::F64(0.0))),
            Stmt::ForEntries {
                store: var(a),
                coord: j,
                value: Some(a_j),
                ordered: false,
                fold: None,
                body: body.into(),
            },
            Stmt::StoreUpdate(y, usize(0), Reduce::Add, var(sum)),
        ];
        let mut kernel = writing("parts", y, body, vars);
        kernel.params.push(crate::kernels::tensor("A", "j: packed", Access::Read, &[("root", Some(0), a)]));
        kernel.simplify();
        assert_eq!(kernel.to_string().contains("in parts"), in_parts, "{kernel}");
    }
}

#[test]
fn a_cursor_that_only_counts_needs_no_order() {
    let row =
        StoreType { name: "list".into(), coord: Scalar::U32, element: Element::Pattern, lookup: Growth::Logarithmic };
    for (reads, text) in [(true, "cursor of a"), (false, "cursor in any order of a")] {
        let mut vars = Vars::new();
        let (y, a) = (vars.fresh("y", Type::array(Scalar::Usize)), vars.fresh("a", Type::Store(row.clone())));
        let cursor = vars.fresh("cursor", Type::Cursor(row.clone()));
        // The coordinate of the first entry, or how many entries there are.
        let goes_on = Expr::CursorValid(cursor).and(load(y, usize(0)).less(usize(if reads { 1 } else { 9 })));
        let value = if reads { Expr::CursorCoord(cursor) } else { usize(1) };
        let next = vec![Stmt::StoreUpdate(y, usize(0), Reduce::Add, value), Stmt::Advance(cursor)];
        let body = vec![Stmt::OpenCursor { cursor, store: var(a), ordered: true }, Stmt::While(goes_on, next.into())];
        let mut kernel = writing("counts", y, body, vars);
        kernel.params.push(crate::kernels::tensor("A", "j: list", Access::Read, &[("root", Some(0), a)]));
        kernel.simplify();
        assert!(kernel.to_string().contains(text), "{kernel}");
        let unordered = Store { coords: vec![5, 3, 8], values: None, ordered: false };
        let mut args = [vec![0usize].into(), Value::Store(unordered.into())];
        Compile::new().compile(&kernel).unwrap().run(&mut args, Limits::default()).unwrap();
        assert_eq!(args[0], vec![3usize].into(), "{kernel}");
    }
}

#[test]
fn the_lesser_of_two_is_told_by_how_they_stand() {
    for shape in 0..4 {
        let mut vars = Vars::new();
        let y = vars.fresh("y", Type::array(Scalar::Usize));
        let [a, b, j] = ["a", "b", "j"].map(|name| vars.fresh(name, Scalar::Usize));
        let (at_a, at_b) = (|| var(a).equal(j), || var(j).equal(b));
        let say =
            |n: usize, j: Expr| Block::from(vec![Stmt::Store(y, usize(2), usize(n)), Stmt::Store(y, usize(3), j)]);
        let mut body =
            vec![Stmt::Let(a, load(y, usize(0))), Stmt::Let(b, load(y, usize(1))), Stmt::Let(j, var(a).min(b))];
        body.push(match shape {
            0 => Stmt::If {
                arms: vec![(at_a().and(at_b()), say(1, var(j))), (at_b(), say(2, var(j)))],
                otherwise: say(3, var(j)),
            },
            1 => Stmt::If {
                arms: vec![(at_b().and(at_a()), say(1, var(j))), (at_a(), say(2, var(j)))],
                otherwise: say(3, var(j)),
            },
            // Another test in between, and one that says more than how the two stand.
            2 => Stmt::If {
                arms: vec![
                    (at_a().and(at_b()), say(1, var(j))),
                    (var(b).less_equal(usize(1)), say(4, var(j))),
                    (at_a().and(var(a).less(usize(2))), say(2, var(j))),
                ],
                otherwise: say(3, var(j)),
            },
            _ => Stmt::either(at_a(), say(5, var(j)), say(6, var(j) + var(a))),
        });
        body.push(Stmt::when(at_b(), Stmt::StoreUpdate(y, usize(3), Reduce::Add, var(j) + usize(10))));
        let kernel = writing("least", y, body, vars);
        let mut simple = kernel.clone();
        simple.simplify();
        assert_eq!(simple.to_string().contains("min"), shape == 2, "{simple}");
        for (a, b) in (0..4usize).flat_map(|a| (0..4usize).map(move |b| (a, b))) {
            let run = |kernel: &Kernel| {
                let mut args = [Value::from(vec![a, b, 0, 0])];
                Compile::new()
                    .compile(kernel)
                    .unwrap()
                    .run(&mut args, Limits::default().with_steps(1000).with_elements(1000))
                    .unwrap();
                format!("{args:?}")
            };
            assert_eq!(run(&kernel), run(&simple), "{a} {b}\n{kernel}\n{simple}");
        }
    }
}

#[test]
fn elements_that_a_loop_writes_in_order_are_pushed() {
    for (shape, pushed) in [(0, true), (1, true), (2, false), (3, false), (4, false), (5, false), (6, false)] {
        let mut vars = Vars::new();
        let [y, pos, a] = ["y", "pos", "a"].map(|name| vars.fresh(name, Type::vec(Scalar::Usize)));
        let [i, p, q, at] = ["i", "p", "q", "at"].map(|name| vars.fresh(name, Scalar::Usize));
        let value = || var(p) * usize(3) + usize(1);
        let (store, next) = (|| Stmt::Store(a, var(at), value()), || Stmt::Update(at, Reduce::Add, usize(1)));
        let inner = match shape {
            0 => vec![store(), next()],
            1 => vec![Stmt::Store(a, var(p), value())],
            2 => vec![Stmt::when(var(p).less(usize(2)), Stmt::Store(a, var(p), value()))],
            3 => vec![store(), store(), next()],
            4 => vec![store(), Stmt::when(var(p).less(usize(2)), next())],
            5 => vec![store(), next(), Stmt::Store(y, usize(0), load(a, load(pos, i)))],
            _ => vec![Stmt::Store(a, var(p), value()), Stmt::when(var(p).equal(usize(1)), Stmt::Break)],
        };
        let segments = |array: Var| Owned { array, partition: Partition::Segments { pos, stride: usize(1) } };
        let anywhere = Owned { array: y, partition: Partition::Anywhere };
        let body = vec![
            Stmt::NewArray { var: a, len: load(pos, usize(3)), fill: usize(0) },
            Stmt::Parallel {
                var: i,
                domain: Domain::Range { lo: usize(0), hi: usize(3) },
                owned: std::iter::once(segments(a)).chain((shape == 5).then_some(anywhere)).collect(),
                reductions: vec![],
                work: Work::default(),
                scratch: Block::new(),
                body: vec![
                    Stmt::Let(at, load(pos, i)),
                    Stmt::count(p, load(pos, i), load(pos, var(i) + usize(1)), inner),
                ]
                .into(),
            },
            Stmt::count(q, usize(0), len(a), Stmt::Store(y, var(q), load(a, q))),
        ];
        let mut kernel = writing("pushes", y, body, vars);
        kernel.params.push(crate::kernels::tensor("P", "i: dense", Access::Read, &[("vals", None, pos)]));
        let mut simple = kernel.clone();
        simple.simplify();
        assert_eq!(simple.to_string().contains("push a"), pushed, "{simple}");
        assert_eq!(simple.to_string().contains("cleared by tasks"), pushed, "{simple}");
        let run = |kernel: &Kernel| {
            let mut args = [Value::from(vec![7usize; 5]), Value::from(vec![0usize, 2, 2, 5])];
            Compile::new()
                .compile(kernel)
                .unwrap()
                .run(&mut args, Limits::default().with_steps(1000).with_elements(1000))
                .unwrap();
            format!("{args:?}")
        };
        assert_eq!(run(&kernel), run(&simple), "{kernel}\n{simple}");
    }
}
