//! Tensors far wider than they have entries: statements cost what their entries do. Steps are counted, not time.

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
    let results = program.run(&mut arguments, Limits { steps: 4000, elements: 4000 });
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

#[test]
fn a_workspace_is_no_larger_than_what_is_put_into_it() {
    const EXTENT: usize = 1_000_000_000;
    let entry = |n: usize| (vec![n % 100 * 9_000_011, n * 37 % 100 * 9_000_011], Number::Float(1.0 + (n % 3) as f64));
    let entries: Vec<_> = (0..300).map(entry).collect();
    let mut expected = std::collections::BTreeMap::new();
    for (left, x) in &entries {
        for (right, y) in entries.iter().filter(|(right, _)| right[0] == left[1]) {
            *expected.entry([left[0], right[1]]).or_insert(0.0) += x.float() * y.float();
        }
    }
    let world = world();
    for formats in [
        "A: dcsr, B: dcsr) -> C: dcsr",
        "A: (bst, ctree), B: (list, list)) -> C: dcsr",
        "A: dcsr, B: dcsr) -> C: (bst, bst)",
    ] {
        let text = format!("kernel f({formats} {{ C(i,j) = A(i,k) * B(k,j) }}");
        let Item::Kernel(ast) = &parse_source(&text).0.items[0] else { panic!("a kernel") };
        let kernel = resolve(ast, &world.declarations).unwrap().remove(0);
        for simplified in [false, true] {
            let mut lowered = stages(&kernel).unwrap().lowered;
            if simplified {
                lowered.simplify();
            }
            let mut arguments: Vec<Value> = Vec::new();
            for tensor in kernel.tensors.iter().filter(|tensor| tensor.role == Role::Param) {
                let format = tensor.format.as_ref().expect("a matrix");
                let packed = pack_within(format, &[EXTENT; 2], ValueType::F64, Number::Float(0.0), &entries, 1 << 12);
                arguments.extend(packed.unwrap());
            }
            let program = Compile::new().compile(&lowered).unwrap();
            let results = program.run(&mut arguments, Limits { steps: 3_000_000, elements: 2_000_000 });
            let results = results.unwrap_or_else(|why| panic!("{text}: {why}\n{lowered}"));
            let of = kernel.tensors.iter().find(|tensor| tensor.role == Role::Result).expect("a result");
            let mut found = std::collections::BTreeMap::new();
            let format = of.format.as_ref().expect("a matrix");
            unpack_with(format, &[EXTENT; 2], of.value, &results, &mut |at, value| {
                found.insert([at[0], at[1]], value.float());
            })
            .unwrap();
            assert_eq!(found, expected, "{text}");
        }
    }
}
