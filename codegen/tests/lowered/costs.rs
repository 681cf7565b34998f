//! What merges and lookups cost, in steps and not in time: rows of any two levels grow, and what is counted stays in its class.

use pleach_codegen::compile::stages;
use pleach_codegen::ir::Growth;
use pleach_codegen::ir::interpret::{Compile, Limits, Value};
use pleach_codegen::notation::ast::{Item, ValueType};
use pleach_codegen::notation::concrete::{Kernel, Role};
use pleach_codegen::notation::{parse_source, resolve};
use pleach_codegen::reference::{Number, number, pack_within};

use crate::harness::{World, world};

/// Levels of static formats that hold a vector of any coordinates.
const STATIC: [&str; 5] = ["compressed", "compressed(nonunique)", "compressed(unordered)", "hashed", "squeezed"];

/// Every level that holds a vector of any coordinates.
fn levels() -> impl Iterator<Item = &'static str> {
    let stores = pleach_catalog::SCHEMAS.iter().map(|schema| schema.name);
    STATIC.into_iter().chain(stores).chain(pleach_catalog::LEVELS.iter().copied())
}

fn kernel(world: &World, text: &str) -> Kernel {
    let (source, mistakes) = parse_source(text);
    assert!(mistakes.is_empty(), "{}", mistakes.render("text", text));
    let Item::Kernel(ast) = &source.items[0] else { panic!("a kernel") };
    resolve(ast, &world.declarations).unwrap_or_else(|why| panic!("{text}: {why}")).remove(0)
}

/// How many steps a kernel takes that makes a number of tensors with these entries and extents, and the number.
pub fn steps(kernel: &Kernel, tensors: &[(Vec<usize>, Vec<Vec<usize>>)]) -> (u64, f64) {
    let lowered = stages(kernel).unwrap_or_else(|why| panic!("{why}")).lowered;
    let mut simplified = lowered.clone();
    simplified.simplify();
    let mut found = Vec::new();
    for lowered in [lowered, simplified] {
        let mut arguments: Vec<Value> = Vec::new();
        let params = kernel.tensors.iter().filter(|tensor| tensor.role == Role::Param);
        for (tensor, (shape, entries)) in params.zip(tensors) {
            let format = tensor.format.as_ref().expect("a tensor");
            let entries: Vec<_> = entries.iter().map(|at| (at.clone(), Number::Float(1.0))).collect();
            let packed = pack_within(format, shape, ValueType::F64, Number::Float(0.0), &entries, 1 << 26);
            arguments.extend(packed.unwrap_or_else(|many| panic!("{many} elements")));
        }
        let program = Compile::new().compile(&lowered).unwrap();
        let (results, steps) = program.counted(&mut arguments, Limits::default()).unwrap();
        let Some(Value::Scalar(value)) = results.first() else { panic!("a number") };
        found.push((steps, number(*value).float()));
    }
    assert_eq!(found[0].1, found[1].1);
    found[1]
}

fn vector(n: usize, apart: usize) -> (Vec<usize>, Vec<Vec<usize>>) {
    (vec![1 << 20], (0..n).map(|k| vec![k * apart]).collect())
}

/// What a lookup costs, if the level can; with `true` where only its coordinates lie in one ascending array, in which one can gallop.
fn lookup(world: &World, level: &str) -> (Option<Growth>, bool) {
    let kernel = kernel(world, &format!("kernel f(A: ({level})) -> s: f64 {{ s = A(i) }}"));
    let format = kernel.tensors[0].format.as_ref().expect("a vector");
    let level = &format.levels[0];
    (level.kind.lookup(&level.switches), level.kind.name() == "compressed" && level.properties.ordered)
}

#[test]
fn rows_of_any_two_levels_meet_in_time_linear_in_their_entries() {
    let world = world();
    for a in levels() {
        for b in levels() {
            for (what, count) in [("A(i) * B(i)", 1.0), ("A(i) + B(i)", 2.0)] {
                let text = format!("kernel f(A: ({a}), B: ({b})) -> s: f64 {{ s = {what} }}");
                let kernel = kernel(&world, &text);
                let run = |n: usize| steps(&kernel, &[vector(n, 6), vector(n, 6)]);
                let ((short, value), (long, _)) = (run(250), run(2000));
                assert_eq!(value, 250.0 * count, "{text}");
                // Eight times the entries; with a search in a tree for each, eleven times the steps.
                assert!(long <= 11 * short, "{text}: {short} steps, and {long} for eight times the entries");
                assert!(long <= 60 * 2000, "{text}: {long} steps for 2000 entries");
            }
        }
    }
}

#[test]
fn sparse_sums_cost_what_their_entries_do() {
    let world = world();
    let levels: Vec<&str> = levels().collect();
    let pairs = levels.iter().flat_map(|&level| [("hashed", level), (level, "hashed")]);
    for (a, b) in pairs.chain([("compressed", "compressed(unordered)")]) {
        let text = format!("kernel f(A: ({a}), B: ({b})) -> s: f64, y: sparse {{ y(i) = A(i) + B(i); s = y(i) }}");
        let kernel = kernel(&world, &text);
        let run = |n: usize| steps(&kernel, &[vector(n, 6), vector(n, 6)]);
        let ((short, value), (long, _)) = (run(250), run(2000));
        assert_eq!(value, 500.0, "{text}");
        assert!(long <= 12 * short, "{text}: {short} steps, and {long} for eight times the entries");
        assert!(long <= 200 * 2000, "{text}: {long} steps for 2000 entries");
    }
}

#[test]
fn a_short_row_finds_its_way_in_a_long_one_that_can_be_searched() {
    let world = world();
    for a in levels() {
        for b in levels() {
            let (of_b, gallops) = lookup(&world, b);
            let text = format!("kernel f(A: ({a}), B: ({b})) -> s: f64 {{ s = A(i) * B(i) }}");
            let kernel = kernel(&world, &text);
            let run = |n: usize| steps(&kernel, &[vector(8, 6 * (n / 8 - 1)), vector(n, 6)]);
            let ((short, value), (long, _)) = (run(250), run(4000));
            assert_eq!(value, 8.0, "{text}");
            // The shorter row is walked if the longer one can be searched, or is an array that has each coordinate once and in order.
            let searched = of_b.is_some_and(|growth| growth < Growth::Linear);
            let follows = searched || gallops && !b.contains('(');
            match follows {
                true => assert!(long <= short + 400, "{text}: {short} steps, and {long} with a row 16 times as long"),
                false => assert!(long <= 17 * short, "{text}: {short} steps, and {long} with a row 16 times as long"),
            }
        }
    }
}

#[test]
fn a_computed_coordinate_is_searched_also_where_entries_come_in_no_order() {
    let world = world();
    for format in ["coo_unsorted", "(dense, compressed(unordered))", "(dense, blist_unsorted)", "csr"] {
        let text = format!("kernel f(A: csr, B: {format}) -> s: f64 {{ s = A(i,j) * B(i, j + 1) }}");
        let kernel = kernel(&world, &text);
        let rows = |n: usize, shift: usize| {
            (vec![4, 1 << 16], (0..n).map(|k| vec![k % 4, k / 4 * 3 + shift]).collect::<Vec<_>>())
        };
        let run = |n: usize| steps(&kernel, &[rows(n, 0), rows(n, 1)]);
        let ((few, value), (many, _)) = (run(500), run(4000));
        assert_eq!(value, 500.0, "{text}");
        // Eight times the entries, and a search of a longer row for each.
        assert!(many <= 12 * few, "{text}: {few} steps, and {many} for eight times the entries");
    }
}

#[test]
fn products_of_hypersparse_matrices_cost_what_their_entries_do() {
    let world = world();
    // Every row and column has one entry or none.
    let matrix = |n: usize, shift: usize| {
        let entries = (0..n).map(|k| vec![(k * 7919 + shift) % n * 1000, (k * 104_729) % n * 1000]).collect();
        (vec![1 << 28; 2], entries)
    };
    for (format, product) in [
        ("dcsr", "A(i,k) * B(k,j)"),
        ("dcsr", "A(i,k) * B(j,k)"),
        ("dcsc", "A(i,k) * B(k,j)"),
        ("(bst, compressed)", "A(i,k) * B(k,j)"),
        ("(list, list)", "A(i,k) * B(j,k)"),
        ("coo", "A(i,k) * B(j,k)"),
    ] {
        let text =
            format!("kernel f(A: {format}, B: {format}) -> C: dcsr, s: f64 {{ C(i,j) = {product}; s = C(i,j) }}");
        let kernel = kernel(&world, &text.replace("-> C: dcsr, s: f64", "-> s: f64, C: dcsr"));
        let run = |n: usize| steps(&kernel, &[matrix(n, 0), matrix(n, 3)]);
        let ((few, value), (many, _)) = (run(1000), run(8000));
        assert!(value > 0.0, "{text}");
        assert!(many <= 12 * few, "{text}: {few} steps, and {many} for eight times the entries");
    }
}

#[test]
fn a_shifted_operand_costs_what_its_entries_do() {
    let world = world();
    // Each row has one entry; rows and columns are far apart.
    let matrix = |n: usize| {
        let entries = (0..n).map(|k| vec![k * 1000 + 1, (k * 104_729) % n * 1000 + 1]).collect();
        (vec![1 << 28; 2], entries)
    };
    for (format, sum) in
        ["dcsr", "dcsc", "coo", "coo_unsorted", "(bst, ctree)", "(list, list)", "(compressed, blist_unsorted)"]
            .into_iter()
            .flat_map(|format| {
                ["A(i,j) + A(i + 1, j)", "A(i,j) + A(i, j - 1)", "A(i - 1, 1 + j) + A(i,j)"].map(|sum| (format, sum))
            })
    {
        let text = format!("kernel f(A: {format}) -> s: f64, C: dcsr {{ C(i,j) = {sum}; s = C(i,j) }}");
        let kernel = kernel(&world, &text);
        let run = |n: usize| steps(&kernel, &[matrix(n)]);
        let ((few, value), (many, _)) = (run(500), run(4000));
        assert_eq!(value, 1000.0, "{text}");
        assert!(many <= 12 * few, "{text}: {few} steps, and {many} for eight times the entries");
        assert!(many <= 400 * 4000, "{text}: {many} steps for 4000 entries");
    }
    // Each row exists, and there are far more columns than entries.
    let wide = |n: usize| (vec![16, 1 << 28], (0..n).map(|k| vec![k % 16, k / 16 * 1000 + 1]).collect::<Vec<_>>());
    for format in ["csr", "(dense, bst)", "(dense, list)"] {
        let text =
            format!("kernel f(A: {format}) -> s: f64, C: csr {{ C(i,j) = A(i,j) - A(i + 1, j + 2); s = C(i,j) }}");
        let kernel = kernel(&world, &text);
        let ((few, _), (many, _)) = (steps(&kernel, &[wide(480)]), steps(&kernel, &[wide(3840)]));
        assert!(many <= 12 * few, "{text}: {few} steps, and {many} for eight times the entries");
    }
}
