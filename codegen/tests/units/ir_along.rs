//! Names for elements and parts of arrays: which loops go along arrays, what is named outside of them, and what the interpreter and the
//! checker make of it.

use pleach_codegen::backend::rust::{Options, source};
use pleach_codegen::diagnostic::SourceFile;
use pleach_codegen::ir::check::CheckError;
use pleach_codegen::ir::interpret::{Array, Compile, Limits, RunError, Value};
use pleach_codegen::ir::passes::{slices, tasks, walk};
use pleach_codegen::ir::*;
use pleach_codegen::session::Session;

/// A small kernel in the making, with an array to write, one to read, one of coordinates, one of positions, a number, and what loops count.
struct Small {
    vars: Vars,
    y: Var,
    x: Var,
    c: Var,
    pos: Var,
    n: Var,
    counted: [Var; 3],
}

impl Small {
    fn new() -> Small {
        let mut vars = Vars::new();
        let [y, x] = ["y", "x"].map(|name| vars.fresh(name, Type::array(Scalar::F64)));
        let (c, pos) = (vars.fresh("c", Type::array(Scalar::U32)), vars.fresh("pos", Type::array(Scalar::Usize)));
        let n = vars.fresh("n", Scalar::Usize);
        let counted = ["i", "q", "p"].map(|name| vars.fresh(name, Scalar::Usize));
        Small { vars, y, x, c, pos, n, counted }
    }

    fn kernel(self, body: impl Into<Block>) -> Kernel {
        let fields = [("vals", None, self.x), ("crd", None, self.c), ("pos", None, self.pos), ("n", None, self.n)];
        Kernel {
            functions: vec![],
            name: "small".into(),
            doc: vec![],
            params: vec![
                crate::kernels::tensor("Y", "r: dense", Access::Write, &[("vals", None, self.y)]),
                crate::kernels::tensor("X", "r: dense", Access::Read, &fields),
            ],
            checks: vec![],
            body: body.into(),
            results: vec![],
            vars: self.vars,
        }
    }
}

/// What a pass makes of a kernel, which must be valid before and after.
fn after(mut kernel: Kernel, passes: &[fn(&mut Kernel)]) -> String {
    kernel.check().unwrap_or_else(|why| panic!("{why}\n{kernel}"));
    passes.iter().for_each(|pass| pass(&mut kernel));
    kernel.check().unwrap_or_else(|why| panic!("{why}\n{kernel}"));
    kernel.to_string()
}

fn one() -> Expr {
    lit(Literal::F64(1.0))
}

/// Makes the body of a loop.
type Body = fn(&mut Small, Var) -> Vec<Stmt>;

#[test]
fn a_loop_goes_along_arrays_where_it_only_counts_positions() {
    let cases: &[(Body, &str)] = &[
        (
            |s, p| vec![Stmt::Store(s.y, p.into(), load(s.x, p))],
            "for p in 0..n along written y_r = y[p], x_r = x[p] {\n    y_r = x_r",
        ),
        (
            |s, p| vec![Stmt::StoreUpdate(s.y, p + s.n, Reduce::Add, load(s.x, p))],
            "along written y_r = y[p + n], x_r = x[p] {\n    y_r += x_r",
        ),
        (
            |s, p| {
                let j = s.vars.fresh("j", Scalar::Usize);
                vec![Stmt::Let(j, load(s.c, p).cast(Scalar::Usize)), Stmt::Store(s.y, j.into(), load(s.x, p))]
            },
            "along j = c[p], x_r = x[p] {\n    let j: usize = j as usize\n    y[j] = x_r",
        ),
        (
            |s, p| {
                let t = s.vars.fresh("t", Scalar::F64);
                vec![Stmt::Let(t, load(s.x, p)), Stmt::Store(s.y, p.into(), var(t) * t)]
            },
            "along t = x[p], written y_r = y[p] {\n    y_r = t * t",
        ),
        // From here on the loop must count: what it counts is read as a number,
        (|s, p| vec![Stmt::Store(s.y, p.into(), var(p).cast(Scalar::F64))], "for p in 0..n {"),
        // an array that is written is used elsewhere as well,
        (|s, p| vec![Stmt::Store(s.y, p.into(), load(s.y, p + usize(1)))], "for p in 0..n {"),
        (|s, p| vec![Stmt::StoreUpdate(s.y, usize(0), Reduce::Add, load(s.y, p))], "for p in 0..n {"),
        // the elements may not exist where the condition does not hold,
        (|s, p| vec![Stmt::when(load(s.x, usize(0)).less(one()), Stmt::Store(s.y, p + s.n, one()))], "for p in 0..n {"),
        // the distance is another one each time,
        (
            |s, p| {
                let j = s.vars.fresh("j", Scalar::Usize);
                vec![Stmt::Let(j, load(s.c, usize(0)).cast(Scalar::Usize)), Stmt::Store(s.y, p + j, one())]
            },
            "for p in 0..n {",
        ),
        // positions have ends,
        (|s, p| vec![Stmt::Store(s.y, load(s.pos, p + usize(1)) - load(s.pos, p), one())], "for p in 0..n {"),
        // there are too many arrays side by side.
        (
            |s, p| {
                let at = |k: usize| load(s.x, p + usize(k));
                vec![Stmt::Store(s.y, usize(0), at(0) * at(1) * at(2) * at(3) * at(4))]
            },
            "for p in 0..n {",
        ),
    ];
    for (body, expected) in cases {
        let mut small = Small::new();
        let p = small.counted[2];
        let body = body(&mut small, p);
        let n = small.n;
        let text = after(small.kernel(Stmt::count(p, usize(0), n, body)), &[walk::run]);
        assert!(text.contains(expected), "{expected}\n{text}");
    }
}

#[test]
fn a_row_of_which_only_a_condition_says_that_it_exists_is_not_gone_along() {
    for (conditional, goes_along) in [(false, true), (true, false)] {
        let mut small = Small::new();
        let ([_, _, p], (x, y, n)) = (small.counted, (small.x, small.y, small.n));
        let first = small.vars.fresh("first", Scalar::Usize);
        let store = Stmt::Store(y, first + p, one());
        let body = if conditional { Stmt::when(load(x, usize(0)).less(one()), store) } else { store };
        let body =
            vec![Stmt::Let(first, load(small.c, usize(0)).cast(Scalar::Usize)), Stmt::count(p, usize(0), n, body)];
        let text = after(small.kernel(body), &[walk::run]);
        assert_eq!(text.contains("along"), goes_along, "{text}");
    }
}

/// A parallel loop that sets each element of an array to 1.
fn parallel(small: &Small, partition: Partition, work: Work, body: Vec<Stmt>) -> Stmt {
    Stmt::Parallel {
        var: small.counted[0],
        domain: Domain::Range { lo: usize(0), hi: small.n.into() },
        owned: vec![Owned { array: small.y, partition }],
        reductions: vec![],
        work,
        scratch: Block::new(),
        body: body.into(),
    }
}

#[test]
fn parallel_loops_go_along_what_they_own() {
    let each = || Partition::Each { offset: usize(0), stride: usize(1) };
    for (partition, work, goes_along) in
        [(each(), Work::default(), true), (Partition::Anywhere, Work::default(), false), (each(), Work::TASK, false)]
    {
        let small = Small::new();
        let stmt = parallel(&small, partition, work, vec![Stmt::Store(small.y, small.counted[0].into(), one())]);
        let text = after(small.kernel(stmt), &[walk::run]);
        assert_eq!(text.contains("along written y_r = y[i]"), goes_along, "{text}");
    }
}

#[test]
fn the_extent_of_a_vector_is_the_length_of_its_array() {
    for (kernel, expected) in [
        (
            "y: dense, x: dense) { y(i) = 2 * x(i) }",
            "{\n  for i in 0..x_vals.len along all written y_i = y_vals[i], all x_i = x_vals[i] {",
        ),
        // The number is needed while the elements are dealt out.
        ("y: dense, A: csr) { y(j - i) += A(i,j) }", "{\n  let y_len2: usize = y_vals.len\n"),
    ] {
        let mut session = Session::bundled();
        let text = format!("kernel f({kernel}");
        session.add(SourceFile::new("f", text), &mut |_, _| Err(std::io::ErrorKind::NotFound.into()));
        session.check().unwrap_or_else(|error| panic!("{error}"));
        let text = session.kernels().next().unwrap().ir.to_string();
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn all_of_an_array_is_known_by_its_length() {
    for (hi, checked, expected) in [
        (0, false, "along written y_r = y[p], all x_r = x[p]"),
        (0, true, "along all written y_r = y[p], all x_r = x[p]"),
        (1, true, "along written y_r = y[p], x_r = x[p]"),
    ] {
        let small = Small::new();
        let ([_, _, p], (x, y)) = (small.counted, (small.x, small.y));
        let hi = if hi == 0 { len(x) } else { var(small.n) };
        let mut kernel = small.kernel(Stmt::count(p, usize(0), hi, Stmt::Store(y, p.into(), load(x, p))));
        if checked {
            kernel.checks.push(crate::kernels::check(len(y), "one", len(x), "the other"));
        }
        let text = after(kernel, &[walk::run]);
        assert!(text.contains(expected), "{expected}\n{text}");
    }
}

/// `y[i * n + p] += x[q * n + p]` for all `q` and `p`, which are counted in loops inside of that over `i`, and a statement before it.
fn rows(before: impl FnOnce(&Small) -> Vec<Stmt>) -> Kernel {
    let small = Small::new();
    let ([i, q, p], (x, y, n)) = (small.counted, (small.x, small.y, small.n));
    let add = Stmt::StoreUpdate(y, i * n + p, Reduce::Add, load(x, q * n + p));
    let mut body = before(&small);
    body.push(Stmt::count(p, usize(0), n, add));
    let nest = Stmt::count(i, usize(0), n, Stmt::count(q, usize(0), n, body));
    small.kernel(nest)
}

#[test]
fn rows_are_named_outside_of_the_loops_that_stay_with_them() {
    let passes: &[fn(&mut Kernel)] = &[walk::run, slices::run];
    let text = after(rows(|_| vec![]), passes);
    let named = "\
  for i in 0..n {
    let y_i = written part y[i * n..i * n + n]
    for q in 0..n {
      for p in 0..n along all written y_r = y_i[p], x_r = x[q * n + p] {
        y_r += x_r
      }
    }
  }";
    assert!(text.contains(named), "{text}");
    // Not where the array is used otherwise meanwhile.
    let text = after(rows(|s| vec![Stmt::Store(s.y, usize(0), one())]), passes);
    assert!(!text.contains("part"), "{text}");
}

/// Runs a kernel with `y`, `x` and `n`, and returns `y`.
fn run(kernel: &Kernel, y: &[f64], x: &[f64], n: usize) -> Result<Vec<f64>, RunError> {
    let none = || Value::Array(Array::U32(vec![]));
    let mut args = [y.to_vec().into(), x.to_vec().into(), none(), Vec::<usize>::new().into(), Value::usize(n)];
    Compile::new().compile(kernel)?.run(&mut args, Limits::default())?;
    match &args[0] {
        Value::Array(Array::F64(y)) => Ok(y.clone()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_interpreter_knows_elements_and_parts_by_their_names() {
    let plain = rows(|_| vec![]);
    let mut named = plain.clone();
    walk::run(&mut named);
    slices::run(&mut named);
    let (y, x) = ([1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]);
    assert_eq!(run(&named, &y, &x, 2), Ok(vec![13.0, 16.0, 15.0, 18.0]));
    assert_eq!(run(&named, &y, &x, 2), run(&plain, &y, &x, 2));
    // The second row of three does not lie inside of the array: what is named is checked at once.
    let error = run(&named, &y, &[1.0; 9], 3).unwrap_err();
    assert_eq!(error, RunError::OutOfBounds { array: "y".into(), index: 5, len: 4 });
}

/// A loop over `0..n` along `y`, which is written.
fn along(small: &mut Small, whole: bool, body: impl FnOnce(Var) -> Vec<Stmt>) -> Stmt {
    let element = small.vars.fresh("y_p", Scalar::F64);
    let p = small.counted[2];
    let walked = vec![Walked { element, array: small.y, at: p.into(), written: true, whole }];
    Stmt::count(p, usize(0), small.n, Stmt::Along { walked, body: body(element).into() })
}

#[test]
fn what_an_iteration_has_written_stays_where_it_leaves_the_loop() {
    let mut small = Small::new();
    let stmt = along(&mut small, false, |element| {
        vec![
            Stmt::Update(element, Reduce::Add, one()),
            Stmt::when(var(element).greater(lit(Literal::F64(2.0))), Stmt::Break),
        ]
    });
    let kernel = small.kernel(stmt);
    assert_eq!(run(&kernel, &[0.0, 2.0, 0.0], &[], 3), Ok(vec![1.0, 3.0, 0.0]));
}

#[test]
fn the_interpreter_finds_loops_that_say_wrongly_that_they_go_along_all() {
    let mut small = Small::new();
    let stmt = along(&mut small, true, |element| vec![Stmt::Assign(element, one())]);
    let kernel = small.kernel(stmt);
    assert_eq!(run(&kernel, &[0.0; 2], &[], 2), Ok(vec![1.0; 2]));
    let error = run(&kernel, &[0.0; 3], &[], 2).unwrap_err();
    assert_eq!(error, RunError::OutOfBounds { array: "y".into(), index: 2, len: 3 });
}

#[test]
fn numbers_are_sorted_by_several_keys_the_first_of_which_decides_first() {
    let mut vars = Vars::new();
    let [a, b] = ["a", "b"].map(|name| vars.fresh(name, Type::array(Scalar::U32)));
    let order = vars.fresh("order", Type::vec(Scalar::Usize));
    let body = vec![
        Stmt::Numbers { var: order, len: len(a) },
        Stmt::Sort { array: order, lo: usize(0), hi: len(order), keys: vec![a, b] },
    ];
    let mut small = Small::new().kernel(vec![]);
    small.params = vec![crate::kernels::tensor("A", "", Access::Read, &[("a", None, a), ("b", None, b)])];
    small.results = vec![crate::kernels::tensor("R", "", Access::Write, &[("order", None, order)])];
    (small.vars, small.body) = (vars, body.into());
    let mut args = [vec![2u32, 1, 2, 1].into(), vec![0u32, 9, 0, 3].into()];
    let results = Compile::new().compile(&small).unwrap().run(&mut args, Limits::default()).unwrap();
    assert_eq!(results, [vec![3usize, 1, 0, 2].into()]);
    let rust = source(&[small], &Options::default()).unwrap();
    assert!(rust.contains("(0..a.len()).collect()") && rust.contains("order.sort_by_key(|&p| (a[p], b[p]))"), "{rust}");
}

#[test]
fn names_of_elements_that_others_touch_are_refused() {
    fn refused(make: impl FnOnce(&mut Small) -> Vec<Stmt>) -> CheckError {
        let mut small = Small::new();
        let body = make(&mut small);
        let kernel = small.kernel(body);
        kernel.check().expect_err(&kernel.to_string())
    }
    let read = |name: &str, reason| CheckError::Read { name: name.into(), reason };
    // Elsewhere than in a loop.
    let error = refused(|s| {
        let Stmt::For { body, .. } = along(s, false, |_| vec![]) else { panic!("a loop") };
        body.0
    });
    assert_eq!(error, CheckError::Along);
    let error = refused(|s| {
        let (y, stmt) = (s.y, along(s, false, |_| vec![]));
        let Stmt::For { var, lo, hi, mut body } = stmt else { panic!("a loop") };
        body.push(Stmt::Store(y, usize(0), one()));
        vec![Stmt::For { var, lo, hi, body }]
    });
    assert_eq!(error, CheckError::Along);
    // The array is used otherwise meanwhile.
    let error = refused(|s| {
        let y = s.y;
        vec![along(s, false, |_| vec![Stmt::Store(y, usize(0), one())])]
    });
    assert_eq!(error, read("y", "a loop that goes along it uses it otherwise"));
    // What the loop counts is read.
    let error = refused(|s| {
        let (y, p) = (s.x, s.counted[2]);
        vec![along(s, false, |element| vec![Stmt::Assign(element, load(y, p))])]
    });
    assert_eq!(error, read("p", "its loop goes along arrays"));
    let part = |s: &mut Small, written: bool| {
        let slice = s.vars.fresh("part", Type::array(Scalar::F64));
        (slice, Stmt::Slice { slice, array: s.y, lo: usize(0), hi: s.n.into(), written })
    };
    let error = refused(|s| {
        let (slice, stmt) = part(s, true);
        vec![stmt, Stmt::Store(s.y, usize(0), one()), Stmt::Store(slice, usize(0), one())]
    });
    assert_eq!(error, read("part", "what it is a part of is used meanwhile"));
    let error = refused(|s| {
        let (slice, stmt) = part(s, false);
        vec![stmt, Stmt::Store(slice, usize(0), one())]
    });
    assert!(matches!(error, CheckError::Write { .. }), "{error}");
    let error = refused(|s| {
        let (slice, stmt) = part(s, true);
        vec![stmt, Stmt::Fill { array: slice, lo: usize(0), hi: usize(1), value: one() }]
    });
    assert_eq!(error, read("part", "of a part only elements are used"));
    // A bound asks the array that is written.
    let error = refused(|s| {
        let slice = s.vars.fresh("part", Type::array(Scalar::F64));
        let stmt = Stmt::Slice { slice, array: s.y, lo: usize(0), hi: len(s.y), written: true };
        vec![stmt, Stmt::Store(slice, usize(0), one())]
    });
    assert_eq!(error, read("y", "a bound of a written part of it asks it"));
    let error = refused(|s| {
        let stmt = along(s, true, |element| vec![Stmt::Assign(element, one())]);
        let Stmt::For { var, lo, hi, mut body } = stmt else { panic!("a loop") };
        if let Stmt::Along { walked, .. } = &mut body.0[0] {
            walked.iter_mut().for_each(|one| one.at = one.at.clone() + len(one.array));
        }
        vec![Stmt::For { var, lo, hi, body }]
    });
    assert_eq!(error, read("y", "a bound of a written part of it asks it"));
}

#[test]
fn parts_of_arrays_that_tasks_share_are_refused() {
    let shared = |inner: &dyn Fn(&mut Small) -> Vec<Stmt>| {
        let mut small = Small::new();
        let body = inner(&mut small);
        let stmt = parallel(&small, Partition::Anywhere, Work::TASK, body);
        small.kernel(stmt).check()
    };
    let part = |lo: usize| {
        shared(&|s| {
            let slice = s.vars.fresh("part", Type::array(Scalar::F64));
            let stmt = Stmt::Slice { slice, array: s.y, lo: usize(lo), hi: s.n.into(), written: true };
            vec![stmt, Stmt::Store(slice, usize(0), one())]
        })
    };
    let read = |reason| Err(CheckError::Read { name: "y".into(), reason });
    assert_eq!(part(0), Ok(()));
    assert_eq!(part(1), read("tasks share it, and a part begins later"));
    let walked = shared(&|s| vec![along(s, true, |element| vec![Stmt::Assign(element, one())])]);
    assert_eq!(walked, read("tasks share it, and a loop goes along it"));
}

#[test]
fn a_task_has_a_part_that_begins_with_its_own_elements() {
    let own = "let y = written part y[i * n + 1..(i + 1) * n + 1]\n    y[0] = 1.0";
    for (at, expected) in [(1, own), (0, "a task each {\n    y[i * n] = 1.0")] {
        let small = Small::new();
        let (i, n) = (small.counted[0], small.n);
        let partition = Partition::Each { offset: usize(1), stride: n.into() };
        let position = if at == 0 { i * n } else { i * n + usize(at) };
        let stmt = parallel(&small, partition, Work::TASK, vec![Stmt::Store(small.y, position, one())]);
        let text = after(small.kernel(stmt), &[tasks::run]);
        assert!(text.contains(expected), "{text}");
    }
}

/// It is a reference there, and no number that a fold over the entries could hand on.
#[test]
fn a_map_over_a_store_writes_to_an_element_of_a_loop_around_it() {
    let mut small = Small::new();
    let row = StoreType {
        name: "packed".into(),
        coord: Scalar::U32,
        element: Element::Scalar(Scalar::F64),
        lookup: Growth::Logarithmic,
    };
    let (b, b_j) = (small.vars.fresh("b", Type::Store(row)), small.vars.fresh("b_j", Scalar::F64));
    let j = small.counted[1];
    let stmt = along(&mut small, false, |element| {
        let body = Stmt::Update(element, Reduce::Add, var(b_j)).into();
        vec![Stmt::ForEntries { store: var(b), coord: j, value: Some(b_j), ordered: false, fold: None, body }]
    });
    let mut kernel = small.kernel(stmt);
    kernel.params.push(crate::kernels::tensor("B", "j: packed", Access::Read, &[("root", Some(0), b)]));
    let rust = source(&[kernel], &Options::default()).unwrap_or_else(|error| panic!("{error}"));
    assert!(rust.contains("*y_p += b_j") && rust.contains("|(), run|"), "{rust}");
}
