//! The conformance grid: every expression over many combinations of formats, and in unions, intersections and results every
//! format beside every other.

use std::collections::{BTreeMap, BTreeSet};

use pleach_codegen::notation::ast::Item;
use pleach_codegen::notation::{parse_source, resolve};

use crate::formats::{CUBES, MATRICES, VECTORS};
use crate::harness::{Outcome, World, becomes_rust, extents, run, world};

/// How many combinations of formats each expression is computed with.
const COMBINATIONS: usize = 26;

/// Expressions over vectors (lower case), matrices (`A` to `D`, `M`) and cubes (`T`, `U`); `R` is the result.
const EXPRESSIONS: &[(&str, &str)] = &[
    ("spmv", "R(i) = A(i,j) * x(j)"),
    ("spmv transposed", "R(j) = A(i,j) * x(i)"),
    ("scaled spmv", "R(i) = alpha * A(i,j) * x(j) + beta * z(i)"),
    ("residual", "R(i) = b(i) - A(i,j) * x(j)"),
    ("jacobi", "R(i) = (b(i) - A(i,j) * x(j)) / 2"),
    ("add vectors", "R(i) = a(i) + b(i)"),
    ("subtract vectors", "R(i) = a(i) - b(i)"),
    ("multiply vectors", "R(i) = a(i) * b(i)"),
    ("three vectors", "R(i) = a(i) + b(i) + c(i)"),
    ("dot", "R = a(i) * b(i)"),
    ("norm", "R = a(i) * a(i)"),
    ("outer", "R(i,j) = a(i) * b(j)"),
    ("subtract", "R(i,j) = A(i,j) - B(i,j)"),
    ("alpha A + beta B", "R(i,j) = alpha * A(i,j) + beta * B(i,j)"),
    ("A + B + C", "R(i,j) = A(i,j) + B(i,j) + C(i,j)"),
    ("A .* B .* C", "R(i,j) = A(i,j) * B(i,j) * C(i,j)"),
    ("A .* B + C", "R(i,j) = A(i,j) * B(i,j) + C(i,j)"),
    ("A .* (B + C)", "R(i,j) = A(i,j) * (B(i,j) + C(i,j))"),
    ("A + A'", "R(i,j) = A(i,j) + A(j,i)"),
    ("A .* A'", "R(i,j) = A(i,j) * A(j,i)"),
    ("transpose", "R(j,i) = A(i,j)"),
    ("copy", "R(i,j) = A(i,j)"),
    ("diagonal", "R(i) = A(i,i)"),
    ("trace", "R = A(i,i)"),
    ("diagonal scaling", "R(i,j) = A(i,j) * A(j,j)"),
    ("row sums", "R(i) = A(i,j)"),
    ("column sums", "R(j) = A(i,j)"),
    ("total", "R = A(i,j)"),
    ("largest of rows", "R(i) max= A(i,j)"),
    ("smallest of columns", "R(j) min= A(i,j)"),
    ("spgemm", "R(i,j) = A(i,k) * B(k,j)"),
    ("A B C", "R(i,j) = A(i,k) * B(k,l) * C(l,j)"),
    ("A B + C", "R(i,j) = A(i,k) * B(k,j) + C(i,j)"),
    ("gram", "R(i,j) = A(k,i) * A(k,j)"),
    ("sddmm", "R(i,j) = A(i,j) * B(i,k) * C(j,k)"),
    ("sddmm, rows", "R(i,j) = A(i,j) * B(i,k) * C(k,j)"),
    ("min-plus spmv", "R(i) = A(i,j) * x(j) over min_plus"),
    ("min-plus spgemm", "R(i,j) = A(i,k) * B(k,j) over min_plus"),
    ("max-times spmv", "R(i) = A(i,j) * x(j) over max_times"),
    ("plus-second spmv", "R(i) = A(i,j) * x(j) over plus_second"),
    ("masked", "R(i,j)<M> = A(i,k) * B(k,j)"),
    ("masked out", "R(i,j)<!M> = A(i,j) + B(i,j)"),
    ("without", "R(i,j) = A(i,j) without M(i,j)"),
    ("lower triangle", "R(i,j) = select(A(i,j), i > j)"),
    ("large entries", "R(i,j) = select(A(i,j), A(i,j) > 1)"),
    ("weighted by place", "R(i,j) = A(i,j) * (i - j)"),
    ("shifted", "R(i,j) = A(i,j) + 1"),
    ("smaller of two", "R(i,j) = min(A(i,j), B(i,j))"),
    ("a user's function", "R(i,j) = near(A(i,j), B(i,j))"),
    ("applied", "R(i,j) = clamp(A(i,j))"),
    ("bilinear", "R = x(i) * A(i,j) * z(j)"),
    ("ttv", "R(i,j) = T(i,j,k) * x(k)"),
    ("ttm", "R(i,j,l) = T(i,j,k) * B(k,l)"),
    ("mttkrp", "R(i,l) = T(i,j,k) * C(j,l) * D(k,l)"),
    ("innerprod", "R = T(i,j,k) * U(i,j,k)"),
    ("plus", "R(i,j,k) = T(i,j,k) + U(i,j,k)"),
    ("times", "R(i,j,k) = T(i,j,k) * U(i,j,k)"),
    ("slices", "R(i) = T(i,j,k)"),
];

/// The names that an expression is made of, with how many indices they have.
fn tensors(expression: &str) -> Vec<(String, usize)> {
    let mut found: Vec<(String, usize)> = Vec::new();
    let bytes = expression.as_bytes();
    for (at, c) in expression.char_indices().filter(|(_, c)| c.is_ascii_alphabetic()) {
        let alone = at == 0 || !bytes[at - 1].is_ascii_alphanumeric() && bytes[at - 1] != b'_';
        let rank = match bytes.get(at + 1) {
            Some(b'(') => expression[at..].split(')').next().unwrap().matches(',').count() + 1,
            Some(b'>') if c == 'M' => 2,
            _ if c == 'R' => 0,
            _ => continue,
        };
        if alone && found.iter().all(|(name, _)| *name != c.to_string()) {
            found.push((c.to_string(), rank));
        }
    }
    found
}

/// Runs one expression with the formats that `choose` picks for each tensor.
fn hold(world: &World, expression: &str, seed: u64, choose: &mut dyn FnMut(usize, usize) -> &'static str) {
    let mut params = vec!["alpha: f64".to_owned(), "beta: f64".to_owned()];
    let mut result = String::new();
    for (at, (name, rank)) in tensors(expression).into_iter().enumerate() {
        match (name.as_str(), rank) {
            ("R", 0) => result = "R: f64".into(),
            ("R", rank) => result = format!("R: {}", choose(at, rank)),
            (name, rank) => params.push(format!("{name}: {}", choose(at, rank))),
        }
    }
    let text = format!("kernel conformance({}) -> {result} {{ {expression} }}", params.join(", "));
    let (source, mistakes) = parse_source(&text);
    assert!(mistakes.is_empty(), "{}", mistakes.render("conformance", &text));
    let Some(Item::Kernel(ast)) = source.items.first() else { panic!("{text}") };
    let kernel = match resolve(ast, &world.declarations) {
        Ok(mut kernels) => kernels.remove(0),
        // Nothing would be left of what has an entry everywhere.
        Err(wrong) if wrong.to_string().contains("has an entry everywhere") => return,
        Err(wrong) => panic!("{}", wrong.render("conformance", &text)),
    };
    // Transposed access asks for a square.
    let square = ["A(j,i)", "A(i,i)", "A(j,j)", "A(k,j)"].iter().any(|access| expression.contains(access));
    let of =
        if square { [4; 4] } else { [[4, 5, 3, 2], [1, 1, 1, 1], [3, 0, 2, 1]][[0, 0, 0, 1, 2][seed as usize % 5]] };
    let of: BTreeMap<&str, usize> = ["i", "j", "k", "l"].into_iter().zip(of).collect();
    match run(world, ast, &kernel, &extents(ast, &of), seed) {
        Ok(Outcome::Agrees) => becomes_rust(&kernel),
        Ok(Outcome::Refused(why)) => panic!("{text}\nis refused: {why}"),
        Err(why) => panic!("{text}\n{why}"),
    }
}

#[test]
fn every_expression_over_many_formats() {
    const { assert!(EXPRESSIONS.len() >= 40 && COMBINATIONS >= 25) };
    let world = world();
    for (number, (_, expression)) in EXPRESSIONS.iter().enumerate() {
        let (mut combinations, mut operands, mut results) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let returned = expression.starts_with("R(");
        for combination in 0..COMBINATIONS + 2 {
            let mut chosen = Vec::new();
            let mut choose = |at: usize, rank: usize| {
                let formats = [VECTORS, MATRICES, CUBES][rank - 1];
                let format = match combination.checked_sub(COMBINATIONS) {
                    None => {
                        let rounds = combination / formats.len();
                        formats[(combination * (2 * at + 1) + rounds * (at + 1) + number + 5 * at) % formats.len()]
                    }
                    // Once all of them static, and once all of them dynamic.
                    Some(dynamic) => {
                        let alike: Vec<_> = formats.iter().filter(|f| is_dynamic(f) == (dynamic == 1)).collect();
                        alike[(number + at) % alike.len()]
                    }
                };
                chosen.push(format);
                format
            };
            hold(&world, expression, combination as u64, &mut choose);
            let (result, read) = chosen.split_at(usize::from(returned));
            let dynamic = read.iter().filter(|format| is_dynamic(format)).count();
            operands.insert((dynamic > 0, dynamic < read.len()));
            results.extend(result.iter().map(|format| is_dynamic(format)));
            combinations.insert(chosen);
        }
        assert!(combinations.len() >= 25, "{expression} in {} combinations of formats", combinations.len());
        // All operands static, all dynamic, and (of several) some of both.
        let several = tensors(expression).iter().filter(|(name, rank)| name != "R" && *rank > 0).count() > 1;
        assert!(operands.contains(&(false, true)) && operands.contains(&(true, false)), "{expression}: {operands:?}");
        assert!(!several || operands.contains(&(true, true)), "{expression}: {operands:?}");
        assert!(!returned || results.len() == 2, "{expression} is returned as a static and as a dynamic tensor");
    }
}

/// Whether some level is a store.
fn is_dynamic(format: &str) -> bool {
    ["list", "tree", "bst", "pa", "graph", "stinger", "terrace", "lil", "aspen"]
        .iter()
        .any(|name| format.contains(name))
}

#[test]
fn every_level_is_among_the_formats() {
    let (world, mut found) = (world(), BTreeSet::new());
    for format in VECTORS.iter().chain(MATRICES) {
        let text = format!("kernel all(A: {format}) -> t: f64 {{ t = 1 }}");
        let (source, _) = parse_source(&text);
        let Some(Item::Kernel(ast)) = source.items.first() else { panic!("{text}") };
        let format = world.declarations.formats.resolve(&ast.params[0].formats[0], &world.declarations.kinds).unwrap();
        found.extend(format.levels.iter().map(|level| level.kind.name().to_owned()));
    }
    let fixed =
        ["dense", "compressed", "singleton", "range", "offset", "hashed", "squeezed", "sliced", "banded"].into_iter();
    let stores = pleach_catalog::SCHEMAS.iter().map(|schema| schema.name).chain(pleach_catalog::LEVELS.iter().copied());
    let missing: Vec<&str> = fixed.chain(stores).filter(|name| !found.contains(*name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_format_beside_every_other() {
    let world = world();
    for expression in ["R(i,j) = A(i,j) + B(i,j)", "R(i,j) = A(i,j) * B(i,j)"] {
        for (a, left) in MATRICES.iter().enumerate() {
            for (b, right) in MATRICES.iter().enumerate() {
                // The result comes first.
                let mut choose = |at: usize, _: usize| match at {
                    0 => MATRICES[(a + 3 * b) % MATRICES.len()],
                    1 => left,
                    _ => right,
                };
                hold(&world, expression, (a * MATRICES.len() + b) as u64, &mut choose);
            }
        }
    }
    for expression in ["R(i) = a(i) + b(i)", "R(i) = a(i) * b(i)"] {
        for (a, left) in VECTORS.iter().enumerate() {
            for (b, right) in VECTORS.iter().enumerate().skip(a) {
                let mut choose = |at: usize, _: usize| [VECTORS[(a + 3 * b) % VECTORS.len()], left, right][at];
                hold(&world, expression, (a * VECTORS.len() + b) as u64, &mut choose);
            }
        }
    }
}
