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
use crate::{between, format, scope};

/// Formats of matrices.
pub const MATRICES: &[&str] = &[
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
    "hicoo",
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
    &["cube", "coo3", "csf", "mode_generic", "hicoo3", "(dense, compressed, compressed)", "(bst, bst, bst)"];

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

/// All pairs of these formats.
fn check(
    scope: &Declarations,
    formats: &[&str],
    shapes: &[(Vec<usize>, usize)],
    seed: u64,
) -> BTreeMap<(String, String), Vec<Method>> {
    let pairs = formats.iter().flat_map(|from| formats.iter().map(move |to| (*from, *to)));
    check_pairs(scope, pairs, shapes, seed)
}

fn check_pairs<'a>(
    scope: &Declarations,
    pairs: impl Iterator<Item = (&'a str, &'a str)>,
    shapes: &[(Vec<usize>, usize)],
    seed: u64,
) -> BTreeMap<(String, String), Vec<Method>> {
    let mut random = Random(seed);
    let inputs: Vec<(Vec<usize>, Entries)> =
        shapes.iter().map(|(shape, share)| (shape.clone(), entries(shape, &mut random, *share))).collect();
    let mut methods = BTreeMap::new();
    for (from, to) in pairs {
        let conversion = between(scope, from, to);
        let program = Compile::new()
            .compile(&conversion.kernel)
            .unwrap_or_else(|why| panic!("{from} to {to}: {why}\n{}", conversion.kernel));
        for (shape, entries) in &inputs {
            let count = entries.len();
            let context = format_args!("{from} to {to}, {shape:?} with {count} entries");
            run(&conversion, &program, shape, entries, context);
        }
        methods.insert((from.to_owned(), to.to_owned()), conversion.methods);
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

/// Matrix formats that keep entries only, and no place for each row or column: time is to grow with entries.
const HYPERSPARSE: &[&str] = &[
    "coo",
    "coo_aos",
    "coo_repeats",
    "coo_unsorted",
    "coo_duplicates",
    "dcsr",
    "dcsc",
    "dok",
    "graph",
    "aspen",
    "lil",
    "hicoo",
    "hicoo2",
];

/// Whether a list has to be sorted: for the order of Morton, which no counts of coordinates give; and where entries come in another order
/// than that of the target, and neither format has a place for each coordinate of a dimension.
fn needs_sort(from: &str, to: &str) -> bool {
    let by_rows = ["coo", "coo_aos", "coo_repeats", "dcsr", "graph", "aspen", "lil"];
    let hypersparse = HYPERSPARSE.contains(&from);
    match to {
        "hicoo" | "hicoo2" => from != to,
        "dcsc" => hypersparse && from != to,
        // Any order will do, but equal entries are one.
        "coo_unsorted" => from == "coo_duplicates",
        _ => by_rows.contains(&to) && hypersparse && !by_rows.contains(&from),
    }
}

#[test]
fn every_pair_of_matrix_formats_converts() {
    let methods = check(&scope(), MATRICES, &shapes(), 7);
    for ((from, to), methods) in &methods {
        let sorts = methods.contains(&Method::Sort);
        assert_eq!(sorts, needs_sort(from, to), "{from} to {to}");
    }
}

/// Each bundled level above each bundled row store, by rows and by columns.
#[test]
fn every_bundled_pair_of_levels_converts() {
    let schemas = pleach_catalog::SCHEMAS.iter().map(|schema| schema.name);
    let outer: Vec<&str> = schemas.clone().chain(["dense", "paged"]).collect();
    let rows: Vec<&str> = schemas.chain(["packed", "packed_delta"]).collect();
    let mut scope = scope();
    let mut names = Vec::new();
    for (outer, row) in outer.iter().flat_map(|outer| rows.iter().map(move |row| (outer, row))) {
        let text = format!(
            "format {outer}_of_{row}(i, j) = i: {outer}, j: {row}\n\
             format columns_{outer}_of_{row}(i, j) = j: {outer}, i: {row}\n"
        );
        let (source, mistakes) = pleach_codegen::notation::parse_source(&text);
        assert!(mistakes.is_empty(), "{mistakes}");
        let mistakes = scope.add(&source);
        assert!(mistakes.is_empty(), "{text}{mistakes}");
        names.extend([format!("{outer}_of_{row}"), format!("columns_{outer}_of_{row}")]);
    }
    let pairs = names.iter().flat_map(|name| {
        ["csr", "coo_duplicates", "hicoo"].map(|other| (other, &name[..])).into_iter().chain([(&name[..], "csr")])
    });
    check_pairs(&scope, pairs, &[(vec![6, 7], 40), (vec![9, 3], 10), (vec![4, 5], 0)], 5);
}

#[test]
fn every_pair_of_formats_of_the_third_order_converts() {
    let shapes =
        vec![(vec![5, 6, 7], 20), (vec![5, 6, 7], 0), (vec![1, 6, 1], 60), (vec![9, 1, 3], 40), (vec![3, 4, 2], 100)];
    check(&scope(), CUBES, &shapes, 11);
}

#[test]
fn csf_and_coo_in_every_order_of_modes() {
    let orders = ["", "_ikj", "_jik", "_jki", "_kij", "_kji"];
    let mut names: Vec<String> = orders.iter().map(|order| format!("csf{order}")).collect();
    names.push("coo3".to_owned());
    names.extend(orders[1..].iter().map(|order| format!("coo{order}")));
    let scope = scope();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    check(&scope, &names, &[(vec![5, 6, 7], 20), (vec![2, 9, 3], 50), (vec![4, 1, 5], 30), (vec![3, 4, 2], 0)], 3);
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
        ("csr", "dok"),
        ("csc", "dok"),
        ("dcsc", "dok"),
        ("coo_duplicates", "dok"),
        ("hicoo", "dok"),
        ("dia", "dcsr"),
        ("dia", "lil"),
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

/// Zeros in the input are entries of a format whose innermost level keeps entries only, whatever levels lie above it.
#[test]
fn zeros_are_entries_below_levels_with_empty_positions() {
    let mut scope = scope();
    let text = "format diagonals_of_entries(i, j) = (j - i): squeezed, i: compressed, j: offset";
    let (source, mistakes) = pleach_codegen::notation::parse_source(text);
    assert!(mistakes.is_empty(), "{mistakes}");
    let mistakes = scope.add(&source);
    assert!(mistakes.is_empty(), "{mistakes}");
    let mut given = entries(&[6, 7], &mut Random(31), 40);
    given.iter_mut().step_by(3).for_each(|(_, value)| *value = Number::Float(0.0));
    for name in [
        "(squeezed, compressed)",
        "(banded, compressed)",
        "(banded, hashed)",
        "(squeezed, list)",
        "(squeezed, bst)",
        "diagonals_of_entries",
    ] {
        assert!(format(&scope, name).keeps_entries_only(), "{name}");
        for other in ["coo", "coo_duplicates", "csr", "csc"] {
            for (from, to) in [(name, other), (other, name)] {
                let conversion = between(&scope, from, to);
                let program = Compile::new().compile(&conversion.kernel).unwrap();
                run(&conversion, &program, &[6, 7], &given, format_args!("{from} to {to}"));
            }
        }
    }
    for name in ["dia", "skyline", "banded", "(squeezed, dense)", "(squeezed, singleton)", "(compressed, dense)"] {
        assert!(!format(&scope, name).keeps_entries_only(), "{name}");
    }
}

/// Lists of blocks: each block once, whatever they are made of.
#[test]
fn lists_of_blocks_convert() {
    let others = ["coo", "coo_unsorted", "coo_duplicates", "csr", "csc", "dok", "dia", "bcsr<2, 3>", "bcsr", "matrix"];
    let lists = ["listed_blocks", "rows_of_listed_blocks"];
    let pairs = lists.iter().flat_map(|list| others.iter().flat_map(|other| [(*list, *other), (*other, *list)]));
    let among = lists.iter().flat_map(|from| lists.iter().map(|to| (*from, *to)));
    check_pairs(&scope(), pairs.chain(among), &shapes(), 13);
}

/// Levels below one that counts, and one that counts all entries.
#[test]
fn levels_below_counters_convert() {
    let others = ["coo", "coo_unsorted", "csr", "csc", "dia", "bcsr", "matrix"];
    let pairs = ["jagged", "counted"].iter().flat_map(|to| others.iter().map(move |from| (*from, *to)));
    check_pairs(&scope(), pairs, &shapes(), 17);
}

/// Blocks of the third order are found without an array of all that there could be.
#[test]
fn blocks_of_the_third_order_take_no_more_than_entries() {
    let conversion = between(&scope(), "coo3", "blocks3");
    let program = Compile::new().compile(&conversion.kernel).unwrap();
    let shape = [2, 3000, 3000];
    let entries = vec![(vec![0, 0, 0], Number::Float(1.0)), (vec![1, 2999, 2999], Number::Float(2.0))];
    let mut arguments = pack(&conversion.source, &shape, ValueType::F64, Number::Float(0.0), &entries).arguments;
    let limits = Limits::default().with_elements(100_000);
    assert!(program.run(&mut arguments, limits).is_ok(), "{}", conversion.kernel);
}

/// Blocks that hold several entries are kept once, by what packs them and by what copies them.
#[test]
fn blocks_are_kept_once() {
    let scope = scope();
    let entries = [([1, 0, 1], 3.0), ([0, 1, 2], 2.0), ([0, 1, 0], 1.0), ([0, 1, 0], 4.0)];
    let entries: Vec<_> = entries.iter().map(|(coords, value)| (coords.to_vec(), Number::Float(*value))).collect();
    for format in ["mode_generic", "(compressed(nonunique), singleton, dense)"] {
        let conversion = between(&scope, "mode_generic", format);
        let fill = Number::Float(0.0);
        let mut given = pack(&conversion.source, &[2, 2, 3], ValueType::F64, fill, &entries).arguments;
        let kept = Compile::new().compile(&conversion.kernel).unwrap().run(&mut given, Limits::default()).unwrap();
        for fields in [given, kept] {
            let shown: Vec<String> = fields.iter().map(|field| format!("{field:?}")).collect();
            assert_eq!(
                shown[3..],
                [
                    "Array(Usize([0, 2]))",
                    "Array(U32([0, 1]))",
                    "Array(U32([1, 0]))",
                    "Array(F64([5.0, 0.0, 2.0, 0.0, 3.0, 0.0]))"
                ],
                "{format}"
            );
        }
    }
}
