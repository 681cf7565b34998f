//! All pairs of formats, on random tensors of the shapes that go wrong, by the interpreter.

use std::collections::BTreeMap;
use std::fmt;

use pleach_codegen::convert::{Conversion, Method};
use pleach_codegen::format::Format;
use pleach_codegen::ir::interpret::{Compile, Limits, Program, Value};
use pleach_codegen::notation::Declarations;
use pleach_codegen::notation::ast::ValueType;
use pleach_codegen::reference::{Number, pack, unpack_with};

use crate::audit::audit;
use crate::{between, scope};

const MATRICES: &[&str] = &[
    "matrix",
    "column_major",
    "coo",
    "coo_unsorted",
    "coo_aos",
    "coo_repeats",
    "coo_duplicates",
    "csr",
    "csr_unsorted",
    "csc",
    "columns",
    "dcsr",
    "dcsc",
    "dok",
    "(dense, hashed)",
    "ell",
    "ell_columns",
    "dia",
    "bcsr<2, 3>",
    "bcsr",
    "csb<2, 2>",
    "csb",
    "skyline",
    "banded",
    "hicoo2",
    "shifted",
    "graph",
    "stinger",
    "aspen",
    "lil",
    "terrace",
    "tree_columns",
    "(dense, blist_unsorted)",
];

const CUBES: &[&str] =
    &["cube", "coo3", "csf", "mode_generic", "hicoo", "(dense, compressed, compressed)", "(bst, bst, bst)"];

/// Coordinates and values.
pub type Entries = Vec<(Vec<usize>, Number)>;

/// A sequence of numbers that look random.
pub struct Random(pub u64);

impl Random {
    /// A number below `n`; 0 if there is none.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

/// Entries of a tensor, each once; in no order.
pub fn entries(shape: &[usize], random: &mut Random, share: usize) -> Entries {
    let mut all = BTreeMap::new();
    let count: usize = shape.iter().product();
    for _ in 0..count * share / 100 {
        let coords: Vec<usize> = shape.iter().map(|&n| random.below(n)).collect();
        all.insert(coords, Number::Float(1.0 + random.below(9) as f64));
    }
    let mut all: Entries = all.into_iter().collect();
    for at in (1..all.len()).rev() {
        all.swap(at, random.below(at + 1));
    }
    all
}

/// What a tensor holds. What equals the fill counts only where it is kept as an entry.
fn held(
    format: &Format,
    shape: &[usize],
    fields: &[Value],
    entries_only: bool,
    context: fmt::Arguments<'_>,
) -> BTreeMap<Vec<usize>, f64> {
    let mut all = BTreeMap::new();
    unpack_with(format, shape, ValueType::F64, fields, &mut |coords, value| {
        if entries_only || value != fill(format) {
            *all.entry(coords).or_insert(0.0) += value.float();
        }
    })
    .unwrap_or_else(|why| panic!("{context}: {why}"));
    all.retain(|_, value| entries_only || *value != fill(format).float());
    all
}

fn fill(format: &Format) -> Number {
    format.fill.map_or(Number::Float(0.0), Number::from)
}

/// Converts a tensor that holds `entries`, and some of them twice where the source keeps both; checks the result level by level, and what
/// it holds.
pub fn run(
    conversion: &Conversion,
    program: &Program,
    shape: &[usize],
    entries: &Entries,
    context: fmt::Arguments<'_>,
) {
    let (source, target) = (&conversion.source, &conversion.target);
    let mut given = entries.clone();
    if !source.levels.last().unwrap().properties.unique {
        given.extend(entries.iter().step_by(2).cloned());
    }
    let entries_only = source.keeps_entries_only() && target.keeps_entries_only();
    let mut want = BTreeMap::new();
    for (coords, value) in &given {
        *want.entry(coords.clone()).or_insert(0.0) += value.float();
    }
    want.retain(|_, value| entries_only || *value != fill(source).float());
    let mut arguments = pack(source, shape, ValueType::F64, fill(source), &given).arguments;
    let kernel = &conversion.kernel;
    let made =
        program.run(&mut arguments, Limits::default()).unwrap_or_else(|why| panic!("{context}: {why}\n{kernel}"));
    let fields: Vec<_> = kernel.result_fields().cloned().collect();
    audit(target, &fields, &made, format_args!("{context}\n{kernel}"));
    let got = held(target, shape, &made, entries_only, context);
    assert_eq!(got, want, "{context}\n{kernel}");
}

fn check(
    scope: &Declarations,
    formats: &[&str],
    shapes: &[(Vec<usize>, usize)],
    seed: u64,
) -> BTreeMap<(String, String), Vec<Method>> {
    let mut random = Random(seed);
    let inputs: Vec<(Vec<usize>, Entries)> =
        shapes.iter().map(|(shape, share)| (shape.clone(), entries(shape, &mut random, *share))).collect();
    let mut methods = BTreeMap::new();
    for from in formats {
        for to in formats {
            let conversion = between(scope, from, to);
            let program = Compile::new()
                .compile(&conversion.kernel)
                .unwrap_or_else(|why| panic!("{from} to {to}: {why}\n{}", conversion.kernel));
            for (shape, entries) in &inputs {
                let count = entries.len();
                run(
                    &conversion,
                    &program,
                    shape,
                    entries,
                    format_args!("{from} to {to}, {shape:?} with {count} entries"),
                );
            }
            methods.insert(((*from).to_owned(), (*to).to_owned()), conversion.methods);
        }
    }
    methods
}

fn shapes() -> Vec<(Vec<usize>, usize)> {
    vec![
        (vec![6, 7], 40),
        (vec![7, 5], 8),
        (vec![4, 4], 100),
        (vec![5, 6], 0),
        (vec![1, 9], 50),
        (vec![9, 1], 50),
        (vec![1, 1], 100),
        (vec![13, 11], 25),
    ]
}

#[test]
fn every_pair_of_matrix_formats_converts() {
    let methods = check(&scope(), MATRICES, &shapes(), 7);
    let sorted: Vec<_> =
        methods.iter().filter(|(_, methods)| methods.contains(&Method::Sort)).map(|(pair, _)| pair).collect();
    eprintln!("{} of {} pairs sort a list: {sorted:?}", sorted.len(), methods.len());
}

#[test]
fn every_pair_of_formats_of_the_third_order_converts() {
    let shapes =
        vec![(vec![5, 6, 7], 20), (vec![5, 6, 7], 0), (vec![1, 6, 1], 60), (vec![9, 1, 3], 40), (vec![3, 4, 2], 100)];
    check(&scope(), CUBES, &shapes, 11);
}

#[test]
fn csf_and_coo_in_every_order_of_modes() {
    let mut scope = scope();
    let mut names = Vec::new();
    let mut text = String::new();
    for order in ["ijk", "ikj", "jik", "jki", "kij", "kji"] {
        let [a, b, c] = [0, 1, 2].map(|at| &order[at..=at]);
        text += &format!("format csf_{order}(i, j, k) = {a}: compressed, {b}: compressed, {c}: compressed\n");
        text += &format!(
            "format coo_{order}(i, j, k) = {a}: compressed(nonunique), {b}: singleton(nonunique), {c}: singleton\n"
        );
        names.extend([format!("csf_{order}"), format!("coo_{order}")]);
    }
    let (source, mistakes) = pleach_codegen::notation::parse_source(&text);
    assert!(mistakes.is_empty() && scope.add(&source).is_empty());
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    check(&scope, &names, &[(vec![5, 6, 7], 20), (vec![2, 9, 3], 50)], 3);
}

/// The pairs of the paper, and those that follow from it, take no list.
#[test]
fn common_pairs_sort_no_list() {
    let scope = scope();
    for (from, to) in [
        ("coo", "csr"),
        ("coo", "dia"),
        ("coo", "ell"),
        ("coo", "csc"),
        ("coo_unsorted", "csr"),
        ("coo_unsorted", "dia"),
        ("csr", "csc"),
        ("csr", "dia"),
        ("csr", "ell"),
        ("csr", "bcsr"),
        ("csr", "csb"),
        ("csr", "skyline"),
        ("csr", "banded"),
        ("csr", "coo"),
        ("csr", "dcsr"),
        ("csr", "graph"),
        ("csr", "(dense, hashed)"),
        ("csc", "csr"),
        ("csc", "dia"),
        ("csc", "ell"),
        ("csc", "bcsr"),
        ("bcsr", "csr"),
        ("dia", "csr"),
        ("ell", "csr"),
        ("csb", "csr"),
        ("skyline", "csr"),
        ("graph", "csr"),
        ("aspen", "csr"),
        ("graph", "csc"),
        ("coo_repeats", "csr"),
        ("coo3", "csf"),
        ("csf", "coo3"),
        ("hicoo2", "csr"),
        ("dok", "csr"),
        ("coo_duplicates", "bcsr"),
        ("coo_duplicates", "ell"),
        ("coo_duplicates", "csb"),
        ("coo_repeats", "bcsr"),
        ("coo_repeats", "ell_columns"),
    ] {
        let conversion = between(&scope, from, to);
        assert!(!conversion.methods.contains(&Method::Sort), "{from} to {to}\n{}", conversion.plan());
    }
}
