//! How much Rust a kernel becomes: at most 60,000 bytes, whatever its expression and its formats.

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

/// The bytes of Rust that each kernel of a text becomes, with its name.
fn lengths(text: &str) -> Vec<(String, usize)> {
    let mut session = Session::bundled();
    for part in [formats::PRELUDE, formats::DECLARED] {
        session.declare(SourceFile::new("formats.pleach", part));
    }
    session.add(SourceFile::new("kernels.pleach", text), &mut |_, _| Err(std::io::ErrorKind::NotFound.into()));
    session.check().unwrap_or_else(|error| panic!("{text}: {error}"));
    let modules = session.finish("::pleach::runtime").unwrap_or_else(|error| panic!("{text}: {error}"));
    modules.into_iter().map(|module| (text.to_owned(), module.rust.len())).collect()
}

fn hold(texts: impl IntoIterator<Item = String>) {
    for (text, bytes) in texts.into_iter().flat_map(|text| lengths(&text)) {
        assert!(bytes <= MOST, "{bytes} bytes of Rust for {text}");
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
