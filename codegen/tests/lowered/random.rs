//! Random expressions over random formats. A wrong result without an error is the worst outcome there is: what the compiler
//! accepts must come out as the reference has it; what it refuses, it refuses with a message and not with a panic.
//!
//! `PLEACH_CASES=100000 PLEACH_SEED=7 cargo test --release -p pleach-codegen --test lowered random` runs as many as one likes.

use std::collections::BTreeMap;

use pleach_codegen::notation::ast::Item;
use pleach_codegen::notation::{parse_source, resolve};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::formats::{CUBES, MATRICES, PADDED, VECTORS};
use crate::harness::{Outcome, World, extents, run, world};

const SPARSE: [&[&str]; 3] = [&["sparse", "bst", "hash"], &["csr", "coo", "dcsc", "aspen", "dok"], &["csf", "coo3"]];
const TYPES: &[&str] = &["f64", "f64", "f64", "f64", "f64", "i32", "u32", "i64", "u64", "f32", "bool", "pattern"];
const INDICES: [&str; 4] = ["i", "j", "k", "l"];

/// An expression, before its tensors have names and formats.
#[derive(Clone, Debug)]
enum E {
    /// A tensor of its own, or (where that is possible) an earlier one again.
    Access {
        indices: Vec<usize>,
        format: usize,
        ty: usize,
        again: bool,
        /// One of the indices in a computed coordinate: which, and what stands before and behind it.
        computed: Option<(usize, (&'static str, &'static str))>,
    },
    Scalar(usize),
    Index(usize),
    Constant(&'static str),
    Unary(&'static str, Box<E>),
    Infix(&'static str, Box<E>, Box<E>),
    Call(&'static str, Box<E>, Box<E>),
    Select(Box<E>, &'static str, Box<E>),
    Without(Box<E>, Box<E>),
}

impl E {
    /// The indices of all accesses.
    fn accessed(&self, found: &mut Vec<usize>) {
        match self {
            E::Access { indices, .. } => found.extend(indices),
            E::Scalar(_) | E::Index(_) | E::Constant(_) => {}
            E::Unary(_, a) => a.accessed(found),
            E::Infix(_, a, b) | E::Call(_, a, b) | E::Select(a, _, b) | E::Without(a, b) => {
                a.accessed(found);
                b.accessed(found);
            }
        }
    }
}

#[derive(Clone, Debug)]
struct Case {
    value: E,
    target: Vec<usize>,
    format: usize,
    ty: usize,
    op: &'static str,
    over: &'static str,
    mask: Option<(bool, usize)>,
    /// A second statement that reads what the first one made, or writes to it again.
    then: Option<(&'static str, E)>,
    in_place: bool,
    square: bool,
    extents: [usize; 4],
    seed: u64,
}

fn access() -> impl Strategy<Value = E> {
    let arithmetic = vec![("", " + 1"), ("", " - 1"), ("", " / 2"), ("2 * ", ""), ("3 - ", ""), ("", " % 2")];
    let computed = prop::option::weighted(0.06, (0..3usize, prop::sample::select(arithmetic)));
    (prop::collection::vec(0..4usize, 1..=3), 0..64usize, 0..TYPES.len(), prop::bool::weighted(0.2), computed).prop_map(
        |(mut indices, format, ty, again, computed)| {
            // Third-order tensors are rarer than matrices.
            if indices.len() == 3 && format % 3 > 0 {
                indices.truncate(2);
            }
            E::Access { indices, format, ty, again, computed }
        },
    )
}

fn expression() -> impl Strategy<Value = E> {
    let leaf = prop_oneof![
        12 => access(),
        1 => (0..2usize).prop_map(E::Scalar),
        1 => (0..4usize).prop_map(E::Index),
        1 => prop::sample::select(vec!["0", "1", "2", "0.5", "3", "-1"]).prop_map(E::Constant),
    ];
    leaf.prop_recursive(4, 12, 2, |inner| {
        let pair = || (inner.clone(), inner.clone());
        let two = |(a, b): (E, E)| (Box::new(a), Box::new(b));
        prop_oneof![
            8 => pair().prop_map(move |p| { let (a, b) = two(p); E::Infix("*", a, b) }),
            5 => pair().prop_map(move |p| { let (a, b) = two(p); E::Infix("+", a, b) }),
            3 => pair().prop_map(move |p| { let (a, b) = two(p); E::Infix("-", a, b) }),
            1 => (inner.clone(), prop::sample::select(vec!["2", "4", "-1"]))
                .prop_map(|(a, by)| E::Infix("/", Box::new(a), Box::new(E::Constant(by)))),
            1 => (access(), prop::sample::select(vec!["2", "3"]))
                .prop_map(|(a, by)| E::Infix("%", Box::new(a), Box::new(E::Constant(by)))),
            1 => (pair(), prop::sample::select(vec!["<", "==", ">=", "!="]))
                .prop_map(move |(p, op)| { let (a, b) = two(p); E::Infix(op, a, b) }),
            2 => (pair(), prop::sample::select(vec!["min", "max", "first", "second", "pair", "and", "or", "near", "sum"]))
                .prop_map(move |(p, f)| { let (a, b) = two(p); E::Call(f, a, b) }),
            1 => (inner.clone(), prop::sample::select(vec!["-", "abs", "not", "clamp"]))
                .prop_map(|(a, f)| E::Unary(f, Box::new(a))),
            1 => (pair(), prop::sample::select(vec!["<", ">", "!="]))
                .prop_map(move |(p, op)| { let (a, b) = two(p); E::Select(a, op, b) }),
            1 => (inner.clone(), access()).prop_map(|(a, d)| E::Without(Box::new(a), Box::new(d))),
        ]
    })
}

fn case() -> impl Strategy<Value = Case> {
    let shape = (prop::bool::weighted(0.4), prop::array::uniform4(prop::sample::select(vec![0, 1, 2, 3, 4, 5, 5])));
    let target = (prop::collection::vec(0..4usize, 0..=3), 0..64usize, 0..TYPES.len());
    let op = prop::sample::select(vec!["=", "=", "=", "=", "=", "+=", "+=", "min=", "max=", "*="]);
    let over =
        prop::sample::select(vec!["", "", "", "", "", "", "", " over min_plus", " over or_and", " over plus_second"]);
    let mask = prop::option::weighted(0.15, (any::<bool>(), 0..64usize));
    let then = prop::option::weighted(0.15, (prop::sample::select(vec!["=", "+=", "min="]), expression()));
    (expression(), target, op, over, mask, then, prop::bool::weighted(0.15), shape, any::<u64>()).prop_map(
        |(value, (target, format, ty), op, over, mask, then, in_place, (square, mut extents), seed)| {
            if square {
                extents = [extents[0]; 4];
            }
            let over = if matches!(op, "=" | "+=") { over } else { "" };
            // A sum of what was a minimum has no fill that makes sense.
            let then = then.filter(|(then, _)| *then == "=" || matches!(op, "=" | "+=") && over.is_empty());
            Case { value, target, format, ty, op, over, mask, then, in_place, square, extents, seed }
        },
    )
}

/// A case as the text of a kernel.
struct Written<'c> {
    case: &'c Case,
    /// Names, declarations and numbers of indices of the tensors.
    tensors: Vec<(String, String, usize)>,
    /// Indices that some tensor has been accessed with so far.
    ranged: Vec<usize>,
    /// Indices that some tensor is accessed with anywhere.
    accessed: Vec<usize>,
    /// Whether a sparse tensor is wanted.
    sparse: bool,
}

impl Written<'_> {
    fn tensor(&mut self, rank: usize, format: usize, ty: usize) -> String {
        let formats = if self.sparse { SPARSE[rank - 1] } else { [VECTORS, MATRICES, CUBES][rank - 1] };
        let name = format!("T{}", self.tensors.len());
        let padded = PADDED.contains(&formats[format % formats.len()]);
        let ty = match TYPES[ty] {
            "pattern" if padded => "bool",
            _ if self.case.over == " over or_and" => "bool",
            ty => ty,
        };
        let declaration = format!("{name}: {} of {}", formats[format % formats.len()], ty);
        self.tensors.push((name.clone(), declaration, rank));
        name
    }

    fn expression(&mut self, e: &E) -> String {
        match e {
            E::Access { indices, format, ty, again, computed } => {
                let earlier = self
                    .tensors
                    .iter()
                    .filter(|(_, _, rank)| *again && !self.sparse && self.case.square && *rank == indices.len());
                let earlier = earlier.map(|(name, _, _)| name.clone()).next();
                let mut indices = indices.clone();
                if !self.case.square {
                    // The same index twice asks for a square tensor.
                    let mut seen = Vec::new();
                    indices.retain(|i| {
                        if seen.contains(i) {
                            false
                        } else {
                            seen.push(*i);
                            true
                        }
                    });
                }
                let name = match earlier {
                    Some(name) => name,
                    None => self.tensor(indices.len(), *format, *ty),
                };
                let mut coordinates: Vec<String> = indices.iter().map(|&i| INDICES[i].to_owned()).collect();
                if let Some((place, (before, behind))) = computed {
                    // Another access has to say how far the index runs.
                    let place = place % indices.len();
                    coordinates[place] = format!("{before}{}{behind}", coordinates[place]);
                    indices.remove(place);
                }
                self.ranged.extend(&indices);
                format!("{name}({})", coordinates.join(","))
            }
            E::Scalar(n) => format!("s{n}"),
            // Only what a tensor is accessed with has a range.
            E::Index(i) => match self.accessed.contains(i) {
                true => INDICES[*i].to_owned(),
                false => self.accessed.first().map_or("2", |i| INDICES[*i]).to_owned(),
            },
            E::Constant(c) => (*c).to_owned(),
            E::Unary("-", a) if self.case.over.is_empty() => format!("-({})", self.expression(a)),
            E::Unary("-", a) => self.expression(a),
            E::Unary(f, a) => format!("{f}({})", self.expression(a)),
            E::Infix(op, a, b) if !self.case.over.is_empty() => {
                let op = if matches!(*op, "+" | "-") { "+" } else { "*" };
                format!("({} {op} {})", self.expression(a), self.expression(b))
            }
            E::Infix(op, a, b) => format!("({} {op} {})", self.expression(a), self.expression(b)),
            E::Call(f, a, b) => format!("{f}({}, {})", self.expression(a), self.expression(b)),
            E::Select(a, op, b) => {
                let a = self.expression(a);
                let b = self.expression(b);
                format!("select({a}, {b} {op} 1)")
            }
            E::Without(a, d) => {
                let a = self.expression(a);
                self.sparse = true;
                let d = self.expression(d);
                self.sparse = false;
                format!("({a} without {d})")
            }
        }
    }
}

/// The kernel, and the extents of the indices.
fn write(case: &Case) -> String {
    let mut accessed = Vec::new();
    for e in std::iter::once(&case.value).chain(case.then.as_ref().map(|(_, e)| e)) {
        if accessed.is_empty() {
            e.accessed(&mut accessed);
        }
    }
    let mut w = Written { case, tensors: Vec::new(), ranged: Vec::new(), accessed, sparse: false };
    let value = w.expression(&case.value);
    let then = case.then.as_ref().map(|(op, e)| (*op, w.expression(e)));
    let mut target: Vec<usize> = Vec::new();
    for i in &case.target {
        if w.ranged.contains(i) && !target.contains(i) {
            target.push(*i);
        }
    }
    let rank = target.len();
    let indices: Vec<&str> = target.iter().map(|&i| INDICES[i]).collect();
    let left = if rank == 0 { "R".to_owned() } else { format!("R({})", indices.join(",")) };
    let mask = match case.mask {
        Some((negated, format)) if rank > 0 => {
            let name = w.tensor(rank, format, 0);
            format!("<{}{name}>", if negated { "!" } else { "" })
        }
        _ => String::new(),
    };
    let ty = if case.over == " over or_and" { "bool" } else { TYPES[case.ty] };
    let in_place = case.in_place && rank > 0;
    let format = match rank {
        0 if ty == "pattern" => "bool".to_owned(),
        0 => ty.to_owned(),
        _ if in_place => {
            format!("{} of {ty}", ["dense", ["matrix", "column_major"][case.format % 2], "cube"][rank - 1])
        }
        _ => {
            let formats = [VECTORS, MATRICES, CUBES][rank - 1];
            format!("{} of {ty}", formats[case.format % formats.len()])
        }
    };
    let mut params: Vec<String> = w.tensors.iter().map(|(_, declaration, _)| declaration.clone()).collect();
    params.extend(["s0: f64".to_owned(), "s1: i32".to_owned()]);
    let mut results = String::new();
    if in_place {
        params.push(format!("R: {format}"));
    } else {
        results = format!(" -> R: {format}");
    }
    let mut body = format!("{left}{mask} {} {value}{}", case.op, case.over);
    if let Some((op, then)) = then {
        body = format!("{body}; {left} {op} {then}");
    }
    format!("kernel random({}){results} {{ {body} }}", params.join(", "))
}

/// Whether the kernel agrees with the reference; the text that it is, and what is wrong.
fn hold(world: &World, case: &Case) -> Result<Outcome, String> {
    let text = write(case);
    let (source, mistakes) = parse_source(&text);
    if !mistakes.is_empty() {
        return Err(format!("{}\n{text}", mistakes.render("random", &text)));
    }
    let Some(Item::Kernel(ast)) = source.items.first() else { return Err(text) };
    let kernel = match resolve(ast, &world.declarations) {
        Ok(mut kernels) => kernels.remove(0),
        Err(wrong) => return Ok(Outcome::Refused(wrong.to_string())),
    };
    let of: BTreeMap<&str, usize> = INDICES.into_iter().zip(case.extents).collect();
    run(world, ast, &kernel, &extents(ast, &of), case.seed).map_err(|why| format!("{text}\n{why}"))
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn random_expressions_agree() {
    let (cases, first) = (number("PLEACH_CASES", 900), number("PLEACH_SEED", 1));
    // Rounds with seeds of their own: one run tells several mistakes apart.
    let rounds = number("PLEACH_ROUNDS", 3);
    let world = world();
    let refused = std::cell::Cell::new(0);
    let why: std::cell::RefCell<BTreeMap<String, u32>> = std::cell::RefCell::default();
    let mut wrong = Vec::new();
    for round in 0..rounds {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&(first + round).to_le_bytes());
        let cases = (cases / rounds) as u32;
        let config = Config { cases, failure_persistence: None, max_shrink_iters: 2000, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
        let result = runner.run(&case(), |case| match hold(&world, &case) {
            Ok(Outcome::Agrees) => Ok(()),
            Ok(Outcome::Refused(message)) => {
                refused.set(refused.get() + 1);
                let words: Vec<&str> = message.lines().next().unwrap_or("").split('`').step_by(2).collect();
                *why.borrow_mut().entry(words.join("…")).or_default() += 1;
                Ok(())
            }
            Err(wrong) => Err(TestCaseError::fail(wrong)),
        });
        match result {
            Ok(()) => {}
            Err(proptest::test_runner::TestError::Fail(why, case)) => {
                wrong.push(format!("{}extents {:?}, seed {}\n", why.message(), case.extents, case.seed));
            }
            Err(other) => wrong.push(other.to_string()),
        }
    }
    println!("{} of {cases} refused:", refused.get());
    for (message, count) in why.borrow().iter() {
        println!("{count:6} {message}");
    }
    assert!(wrong.is_empty(), "{} of {rounds} rounds:\n{}", wrong.len(), wrong.join("\n"));
    assert!(refused.get() * 2 < cases, "most of the cases should be computed, and {} were refused", refused.get());
}
