//! How much Rust a kernel becomes: at most 60,000 bytes. Only loops nested as deep as formats allow may take more.

use pleach_codegen::diagnostic::SourceFile;
use pleach_codegen::session::Session;

#[path = "lowered/formats.rs"]
#[allow(dead_code)]
mod formats;
#[path = "../conformance/src/table.rs"]
#[allow(dead_code)]
mod table;

/// The most bytes of Rust for a kernel.
const MOST: usize = 60_000;

/// One in so many kernels is compiled, unless the tests are built for their full size.
const SAMPLED: usize = if option_env!("PLEACH_FULL_SIZE").is_some() { 1 } else { 29 };

/// The Rust of the kernels of a text.
fn rust(text: &str) -> String {
    let mut session = Session::bundled();
    for part in [formats::PRELUDE, formats::DECLARED] {
        session.declare(SourceFile::new("formats.pleach", part));
    }
    session.add(SourceFile::new("kernels.pleach", text), &mut |_, _| Err(std::io::ErrorKind::NotFound.into()));
    session.check().unwrap_or_else(|error| panic!("{text}: {error}"));
    let modules = session.finish("::pleach::runtime").unwrap_or_else(|error| panic!("{text}: {error}"));
    modules.into_iter().map(|module| module.rust).collect()
}

fn hold(kernels: impl IntoIterator<Item = String>) {
    for kernel in kernels {
        let bytes = rust(&kernel).len();
        assert!(bytes <= MOST, "{bytes} bytes of Rust for {kernel}");
    }
}

/// A kernel for `expression`, whose operands are single letters: all in formats of `operands`, in turn.
fn kernel(expression: &str, indices: &str, operands: &[&str], (result, format): (&str, &str)) -> String {
    let letters: Vec<char> = ('A'..='H').filter(|letter| expression.contains(*letter)).collect();
    let params: Vec<String> =
        letters.iter().enumerate().map(|(n, letter)| format!("{letter}: {}", operands[n % operands.len()])).collect();
    let accessed: String = expression
        .chars()
        .map(|c| if letters.contains(&c) { format!("{c}({indices})") } else { c.to_string() })
        .collect();
    format!("kernel f({}) -> {format} {{ {result} {accessed} }}", params.join(", "))
}

/// Sums of products of four to six tensors.
const EXPRESSIONS: [&str; 6] = [
    "A + B + C + D",
    "A * B + C * D",
    "(A + B) * C - D",
    "A - select(B, A > 1) + C + D",
    "A + B * C + max(D, C) - E",
    "(((A * B + C) * D) + max(E, D)) + F * G",
];

const CUBES: [&str; 9] = [
    "csf",
    "(ctree, ctree, ctree)",
    "(list, list, list)",
    "(bst, list, btree)",
    "(hashed, hashed, hashed)",
    "(compressed, dense, compressed)",
    "(dense, dense, compressed)",
    "(compressed(unordered), compressed, dense)",
    "(compressed(nonunique), singleton(nonunique), singleton)",
];

const MATRICES: [&str; 12] = [
    "csr",
    "csc",
    "coo",
    "dcsr",
    "dia",
    "skyline",
    "bcsr<2, 2>",
    "stinger",
    "aspen",
    "(list, list)",
    "(hashed, hashed)",
    "(compressed, dense)",
];

#[test]
fn sums_of_products_are_short_in_all_formats() {
    let mut kernels = Vec::new();
    let cubes =
        [("R(i,j,k) =", "R: csf"), ("R(i,j,k) =", "R: (compressed, compressed, dense)"), ("y(i) max=", "y: dense")];
    let matrices = [("R(i,j) =", "R: csr"), ("R(i,j) =", "R: bcsr<2, 2>"), ("s =", "s: f64")];
    for (indices, formats, results) in [("i,j,k", &CUBES[..], cubes), ("i,j", &MATRICES[..], matrices)] {
        for (n, expression) in EXPRESSIONS.iter().enumerate() {
            for (m, format) in formats.iter().enumerate() {
                for (k, result) in results.into_iter().enumerate() {
                    let others: Vec<&str> = (0..4).map(|at| formats[(m + at * (n + k + 1)) % formats.len()]).collect();
                    kernels.push(kernel(expression, indices, &[format], result));
                    kernels.push(kernel(expression, indices, &others, result));
                }
            }
        }
    }
    hold(kernels.into_iter().step_by(SAMPLED));
}

/// Those that were the longest before a bound held for all of a kernel.
#[test]
fn the_longest_kernels_are_short() {
    let (csf, csr) = (("R(i,j,k) =", "R: csf"), ("R(i,j) =", "R: csr"));
    let mut kernels = vec![kernel("A + B + C + D", "i,j", &["skyline"], csr)];
    for format in ["hashed, hashed, hashed", "ctree, ctree, ctree", "list, list, list"] {
        kernels.push(kernel("A * B + C * D", "i,j,k", &[&format!("({format})")], csf));
    }
    kernels.push(kernel("A * B + C * D", "i,j,k", &[CUBES[8]], csf));
    let mixed =
        ["csf", "(bst, list, btree)", "(dense, dense, compressed)", "(compressed(unordered), compressed, dense)"];
    kernels.push(kernel("A - B + C * select(D, A > 1)", "i,j,k", &mixed, ("y(i) max=", "y: dense")));
    hold(kernels);
}

#[test]
fn the_kernels_of_the_grid_are_short() {
    // The kernels of the last group are compiled for many choices of formats each, into one module.
    for group in &table::GROUPS[..3] {
        for part in table::parts(group, true) {
            let kernels = part.text.split_inclusive("}\n").filter(|kernel| kernel.starts_with("kernel "));
            hold(kernels.step_by(SAMPLED).map(str::to_owned));
        }
    }
}

#[test]
fn code_is_bounded_whatever_meets() {
    let sum = |n: usize, format: &str, result: &str, indices: &str| {
        let params: Vec<String> = (0..n).map(|k| format!("t{k}: {format}")).collect();
        let terms: Vec<String> = (0..n).map(|k| format!("t{k}({indices})")).collect();
        format!("kernel sum({}) -> R: {result} {{ R({indices}) = {} }}", params.join(", "), terms.join(" + "))
    };
    for (n, format, indices) in [
        (2, "csf", "i,j,k"),
        (3, "csf", "i,j,k"),
        (4, "csf", "i,j,k"),
        (5, "csf", "i,j,k"),
        (6, "csf", "i,j,k"),
        (4, "dcsr", "i,j"),
        (4, "csr", "i,j"),
        (4, "(bst, bst)", "i,j"),
        (4, "(compressed, compressed, compressed, compressed)", "i,j,k,l"),
        (4, "(hashed, compressed)", "i,j"),
        (4, "(hashed, compressed(nonunique))", "i,j"),
        (4, "(hashed, squeezed)", "i,j"),
        (4, "(hashed, bst)", "i,j"),
        (8, "(hashed, compressed)", "i,j"),
    ] {
        let result = if format.contains("bst") || format.contains("hashed") { "csr" } else { format };
        hold([sum(n, format, result, indices)]);
    }
}

/// Rows that are looked up, because a result has a place for every row, and rows that are walked.
#[test]
fn code_is_bounded_where_formats_differ() {
    for format in ["(bst, compressed)", "(bst, squeezed)", "(hashed, compressed)", "(hashed, bst)", "(blist, bst)"] {
        for n in [4, 8] {
            let of = |k: usize| if k.is_multiple_of(2) { format } else { "csr" };
            let params: Vec<String> = (0..n).map(|k| format!("t{k}: {}", of(k))).collect();
            let terms: Vec<String> = (0..n).map(|k| format!("t{k}(i,j)")).collect();
            let text = format!("kernel sum({}) -> R: csr {{ R(i,j) = {} }}", params.join(", "), terms.join(" + "));
            hold([text]);
        }
    }
}

/// The coordinates of a format in the order of Morton are tall expressions of bits, and types of such a tensor say them.
#[test]
fn types_of_tall_coordinates_are_short() {
    let text = "kernel total_of_blocks(A: hicoo3) -> t: f64 { t = A(i,j,k) }";
    let rust = rust(text);
    assert!(rust.len() <= MOST, "{} bytes of Rust", rust.len());
    assert!(rust.contains("pub type Hicoo3Coordinate ="), "{rust}");
}

/// In many modes: a loop with too many cases is planned with flags, too, and what is inside of it must not be followed twice as often for
/// each such loop around.
#[test]
fn loops_with_many_cases_nest_as_deep_as_formats_allow() {
    const MODES: usize = 16;
    let indices: Vec<String> = (0..MODES).map(|mode| format!("i{mode}")).collect();
    let indices = indices.join(",");
    let format = format!("({})", vec!["compressed"; MODES].join(", "));
    for n in [4, 6] {
        let params: Vec<String> = (0..n).map(|k| format!("t{k}: {format}")).collect();
        let terms: Vec<String> = (0..n).map(|k| format!("t{k}({indices})")).collect();
        let (params, terms) = (params.join(", "), terms.join(" + "));
        let text = format!("kernel sum({params}) -> R: {format} {{ R({indices}) = {terms} }}");
        let rust = rust(&text);
        assert!(rust.len() <= 150_000, "{} bytes of Rust for a sum of {n} tensors", rust.len());
    }
}
