//! Tensors far wider than they have entries: statements cost what their entries do. Steps are counted, not time.

use std::collections::BTreeMap;

use pleach_codegen::compile::stages;
use pleach_codegen::ir::interpret::{Compile, Limits, Value};
use pleach_codegen::notation::ast::{Item, ValueType};
use pleach_codegen::notation::concrete::Role;
use pleach_codegen::notation::{parse_source, resolve};
use pleach_codegen::reference::{Number, number, pack_within, unpack_with};

use crate::harness::world;

const WIDE: usize = 16_000_000;

/// Runs a kernel on matrices with two entries each, 3 at (6, 8) and `other` at the last place, and returns its scalar.
fn computed(text: &str, extent: usize, other: f64) -> Result<f64, String> {
    let world = world();
    let (source, mistakes) = parse_source(text);
    assert!(mistakes.is_empty(), "{}", mistakes.render("text", text));
    let Item::Kernel(ast) = &source.items[0] else { panic!("a kernel") };
    let kernel = resolve(ast, &world.declarations).map_err(|why| why.to_string())?.remove(0);
    let mut lowered = stages(&kernel).map_err(|why| why.to_string())?.lowered;
    lowered.simplify();
    let mut arguments: Vec<Value> = Vec::new();
    for tensor in kernel.tensors.iter().filter(|tensor| tensor.role == Role::Param) {
        let last = extent - 1;
        let entries = [(vec![6 % extent, 8 % extent], Number::Float(3.0)), (vec![last, last], Number::Float(other))];
        let format = tensor.format.as_ref().expect("a matrix");
        let fill = Number::from(tensor.fill);
        arguments.extend(
            pack_within(format, &[extent; 2], ValueType::F64, fill, &entries, 1 << 12).map_err(|n| n.to_string())?,
        );
    }
    let program = Compile::new().compile(&lowered).map_err(|why| why.to_string())?;
    let results = program.run(&mut arguments, Limits::default().with_steps(4000).with_elements(4000));
    match results.map_err(|why| format!("{why}\n{lowered}"))?.first() {
        Some(Value::Scalar(value)) => Ok(number(*value).float()),
        other => Err(format!("{other:?}")),
    }
}

#[test]
fn statements_cost_what_their_entries_do() {
    for format in [
        "dcsr",
        "dcsc",
        "coo",
        "coo_unsorted",
        "(bst, ctree)",
        "(list, list)",
        "(btree, compressed)",
        "(compressed, blist_unsorted)",
    ] {
        for (statement, expected) in [
            ("s min= A(i,j)", 0.0),
            ("s max= A(i,j)", 4.0),
            ("s *= A(i,j)", 0.0),
            ("s = A(i,j)", 7.0),
            ("s max= A(i,j) * A(i,j)", 16.0),
            ("s min= A(i,j) + B(i,j)", 0.0),
            ("s max= min(A(i,j), B(i,j))", 4.0),
        ] {
            let b = if statement.contains('B') { format!(", B: {format}") } else { String::new() };
            let text = format!("kernel f(A: {format}{b}) -> s: f64 {{ {statement} }}");
            assert_eq!(computed(&text, WIDE, 4.0), Ok(expected), "{text}");
        }
    }
}

#[test]
fn what_is_absent_counts_where_something_is() {
    for format in ["dcsr", "csr", "csc", "(bst, ctree)", "(dense, list)", "dok"] {
        // Of four places two are filled; of the one that there is, all: both entries lie there, and add up.
        for (statement, some, all) in
            [("s min= A(i,j)", 0.0, 8.0), ("s max= -A(i,j)", 0.0, -8.0), ("s *= A(i,j)", 0.0, 8.0)]
        {
            let text = format!("kernel f(A: {format}) -> s: f64 {{ {statement} }}");
            assert_eq!((computed(&text, 2, 5.0), computed(&text, 1, 5.0)), (Ok(some), Ok(all)), "{text}");
        }
    }
}

type Entries = Vec<(Vec<usize>, Number)>;

/// Runs a kernel on tensors with these extents and entries, and returns the entries of its result. Steps and elements are few.
fn entries_of(text: &str, tensors: &[(&[usize], &Entries)], of: &[usize]) -> BTreeMap<Vec<usize>, f64> {
    let world = world();
    let (source, mistakes) = parse_source(text);
    assert!(mistakes.is_empty(), "{}", mistakes.render("text", text));
    let Item::Kernel(ast) = &source.items[0] else { panic!("a kernel") };
    let kernel = resolve(ast, &world.declarations).unwrap_or_else(|why| panic!("{text}: {why}")).remove(0);
    let mut made = Vec::new();
    for simplified in [false, true] {
        let mut lowered = stages(&kernel).unwrap_or_else(|why| panic!("{text}: {why}")).lowered;
        if simplified {
            lowered.simplify();
        }
        let mut arguments: Vec<Value> = Vec::new();
        let params = kernel.tensors.iter().filter(|tensor| tensor.role == Role::Param);
        for (tensor, (shape, entries)) in params.zip(tensors) {
            let (format, fill) = (tensor.format.as_ref().expect("levels"), Number::from(tensor.fill));
            let packed = pack_within(format, shape, ValueType::F64, fill, entries, 1 << 16);
            arguments.extend(packed.unwrap_or_else(|many| panic!("{text}: {many} elements")));
        }
        let program = Compile::new().compile(&lowered).unwrap();
        let results = program.run(&mut arguments, Limits::default().with_steps(3_000_000).with_elements(2_000_000));
        let results = results.unwrap_or_else(|why| panic!("{text}: {why}\n{lowered}"));
        let result = kernel.tensors.iter().find(|tensor| tensor.role == Role::Result).expect("a result");
        let mut found = BTreeMap::new();
        unpack_with(result.format.as_ref().expect("levels"), of, result.value, &results, &mut |at, value| {
            // A dense operand makes entries that are zero.
            if value.float() != 0.0 {
                found.insert(at.to_vec(), value.float());
            }
        })
        .unwrap();
        made.push(found);
    }
    assert_eq!(made[0], made[1], "{text}");
    made.remove(1)
}

fn product(left: &Entries, right: &Entries) -> BTreeMap<Vec<usize>, f64> {
    let mut expected = BTreeMap::new();
    for (at, x) in left {
        for (behind, y) in right.iter().filter(|(behind, _)| behind[0] == at[1]) {
            *expected.entry(vec![at[0], behind[1]]).or_insert(0.0) += x.float() * y.float();
        }
    }
    expected
}

#[test]
fn a_workspace_is_no_larger_than_what_is_put_into_it() {
    const EXTENT: usize = 1_000_000_000;
    let entry = |n: usize| (vec![n % 100 * 9_000_011, n * 37 % 100 * 9_000_011], Number::Float(1.0 + (n % 3) as f64));
    let entries: Entries = (0..300).map(entry).collect();
    let expected = product(&entries, &entries);
    for formats in [
        "A: dcsr, B: dcsr) -> C: dcsr",
        "A: (bst, ctree), B: (list, list)) -> C: dcsr",
        "A: dcsr, B: dcsr) -> C: (bst, bst)",
    ] {
        let text = format!("kernel f({formats} {{ C(i,j) = A(i,k) * B(k,j) }}");
        let all = [EXTENT; 2];
        assert_eq!(entries_of(&text, &[(&all, &entries), (&all, &entries)], &all), expected, "{text}");
    }
}

#[test]
fn a_result_of_few_rows_may_be_as_wide_as_it_likes() {
    const WIDE: usize = 1_000_000_000;
    let value = |n: usize| Number::Float(1.0 + (n % 5) as f64);
    let narrow: Entries = (0..300).map(|n| (vec![n % 100, n / 100 * 29 + n % 7], value(n))).collect();
    let wide: Entries = (0..500).map(|n| (vec![n % 100, n * 41 % 97 * 9_000_011], value(n))).collect();
    let expected = product(&narrow, &wide);
    let (left, right): (&[usize], &[usize]) = (&[100; 2], &[100, WIDE]);
    for left_format in ["csr", "dcsr", "matrix", "(dense, bst)", "coo"] {
        for right_format in ["csr", "dcsr", "(dense, ctree)", "(dense, hashed)"] {
            for made in ["csr", "dcsr", "coo", "(dense, ctree)"] {
                let text = format!(
                    "kernel f(A: {left_format}, B: {right_format}) -> C: {made} {{ C(i,j) = A(i,k) * B(k,j) }}"
                );
                let found = entries_of(&text, &[(left, &narrow), (right, &wide)], right);
                assert_eq!(found, expected, "{text}");
            }
        }
    }
    let mut sums = BTreeMap::new();
    for (at, value) in &wide {
        *sums.entry(vec![at[1]]).or_insert(0.0) += value.float();
    }
    for format in ["csr", "dcsr", "(dense, ctree)", "coo"] {
        for made in ["sparse", "(bst)"] {
            let text = format!("kernel f(A: {format}) -> y: {made} {{ y(j) = A(i,j) }}");
            assert_eq!(entries_of(&text, &[(right, &wide)], &[WIDE]), sums, "{text}");
        }
    }
}

#[test]
fn what_would_have_an_entry_at_each_of_a_billion_coordinates_is_refused() {
    let world = world();
    let run = |text: &str, extent: usize| {
        let Item::Kernel(ast) = &parse_source(text).0.items[0] else { panic!("a kernel") };
        let kernel = resolve(ast, &world.declarations).unwrap_or_else(|why| panic!("{text}: {why}")).remove(0);
        let lowered = stages(&kernel).unwrap_or_else(|why| panic!("{text}: {why}")).lowered;
        let mut arguments: Vec<Value> = Vec::new();
        for tensor in kernel.tensors.iter().filter(|tensor| tensor.role == Role::Param) {
            let (format, fill) = (tensor.format.as_ref().expect("levels"), Number::from(tensor.fill));
            let (shape, entry) = (vec![extent; tensor.rank], (vec![1; tensor.rank], Number::Float(3.0)));
            arguments.extend(pack_within(format, &shape, ValueType::F64, fill, &[entry], 1 << 12).expect("small"));
        }
        let limits = Limits::default().with_steps(100_000).with_elements(100_000);
        Compile::new().compile(&lowered).unwrap().run(&mut arguments, limits).map(drop).map_err(|why| why.to_string())
    };
    let wide = |text: &str| run(text, 1_000_000_000);
    let fold = |target: &str, op: &str, fill: &str| {
        format!(
            "the largest `{target}` along `i` with an entry at each coordinate that fits into memory has extent 268435456, but `i`, where \
             `{op}` folds what is absent unless that is declared as `fill {fill}`, has extent 1000000000"
        )
    };
    for (text, said) in [
        ("kernel f(A: dcsr) -> y: sparse { y(i) max= A(i,j) }", fold("y", "max=", "-inf")),
        ("kernel f(A: dcsr) -> y: sparse { y(i) max= A(j,i) }", fold("y", "max=", "-inf")),
        ("kernel f(A: (bst, ctree)) -> y: (bst) fill inf { y(i) min= A(i,j) }", fold("y", "min=", "inf")),
        ("kernel f(A: dcsr) -> y: sparse { y(i) *= A(i,j) }", fold("y", "*=", "1")),
        ("kernel f(A: dcsr, B: dcsr) -> C: dcsr { C(i,j) max= A(i,k) * B(k,j) }", fold("C", "max=", "-inf")),
        ("kernel f(A: dcsr, B: coo) -> C: dcsr { C(i,j) min= A(i,j) * B(i,j) }", fold("C", "min=", "inf")),
    ] {
        assert_eq!(wide(text), Err(said), "{text}");
        // Small tensors give the same result.
        assert_eq!(run(text, 30), Ok(()), "{text}");
    }
    let said = wide("kernel f(a: sparse) -> y: sparse { y(i) = a(i) + 1 }").unwrap_err();
    assert!(said.ends_with("fits into memory has extent 268435456, but `i` has extent 1000000000"), "{said}");
    // 30,000 rows and columns are allowed.
    let said = run("kernel f(A: dcsr) -> C: dcsr { C(i,j) max= A(i,j) }", 30_000).unwrap_err();
    assert!(said.starts_with("the largest `C` along `j`") && said.contains("has extent 8947"), "{said}");
    // If the fill is the neutral element, as over a semiring, absent entries do not change the result.
    for text in [
        "kernel f(A: dcsr fill -inf) -> y: sparse { y(i) max= A(i,j) }",
        "kernel f(A: dcsr fill inf) -> y: sparse { y(j) min= A(i,j) }",
        "kernel f(A: (bst, ctree) fill 1) -> y: (bst) { y(i) *= A(i,j) }",
        "kernel f(A: dcsr, B: dcsr) -> C: dcsr { C(i,j) = A(i,k) * B(k,j) over max_times }",
    ] {
        assert_eq!(wide(text), Ok(()), "{text}");
    }
}
