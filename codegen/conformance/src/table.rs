//! The kernels of the grid: expressions over choices of formats, every level beside every other, and kernels that are neither. The
//! build script compiles them; the tests read them once more, for the interpreter and for the reference.

use std::collections::{BTreeMap, BTreeSet};

use crate::formats::{CUBES, MATRICES, PADDED, VECTORS};

/// How many combinations of formats each expression is computed with: every format in each of its places. Two more are all static
/// and all dynamic.
pub const COMBINATIONS: usize = 29;

/// Expressions over vectors (lower case), matrices (`A` to `D`, `M`) and cubes (`T`, `U`); `R` is the result. Of these, sums go over
/// what several tensors meet at.
pub const PRODUCTS: &[(&str, &str)] = &[
    ("spmv", "R(i) = A(i,j) * x(j)"),
    ("spmv_transposed", "R(j) = A(i,j) * x(i)"),
    ("spmv_scaled", "R(i) = alpha * A(i,j) * x(j) + beta * z(i)"),
    ("residual", "R(i) = b(i) - A(i,j) * x(j)"),
    ("jacobi", "R(i) = (b(i) - A(i,j) * x(j)) / 2"),
    ("spmv_min_plus", "R(i) = A(i,j) * x(j) over min_plus"),
    ("spmv_max_times", "R(i) = A(i,j) * x(j) over max_times"),
    ("spmv_plus_second", "R(i) = A(i,j) * x(j) over plus_second"),
    ("bilinear", "R = x(i) * A(i,j) * z(j)"),
    ("spgemm", "R(i,j) = A(i,k) * B(k,j)"),
    ("spgemm_min_plus", "R(i,j) = A(i,k) * B(k,j) over min_plus"),
    ("spgemm_masked", "R(i,j)<M> = A(i,k) * B(k,j)"),
    ("product_of_three", "R(i,j) = A(i,k) * B(k,l) * C(l,j)"),
    ("product_plus", "R(i,j) = A(i,k) * B(k,j) + C(i,j)"),
    ("gram", "R(i,j) = A(k,i) * A(k,j)"),
    ("sddmm", "R(i,j) = A(i,j) * B(i,k) * C(j,k)"),
    ("sddmm_rows", "R(i,j) = A(i,j) * B(i,k) * C(k,j)"),
    ("ttv", "R(i,j) = T(i,j,k) * x(k)"),
    ("ttm", "R(i,j,l) = T(i,j,k) * B(k,l)"),
    ("mttkrp", "R(i,l) = T(i,j,k) * C(j,l) * D(k,l)"),
    ("innerprod", "R = T(i,j,k) * U(i,j,k)"),
];

/// Expressions of which each entry comes from one entry of each operand, and sums over one tensor.
pub const ELEMENTWISE: &[(&str, &str)] = &[
    ("add_vectors", "R(i) = a(i) + b(i)"),
    ("subtract_vectors", "R(i) = a(i) - b(i)"),
    ("multiply_vectors", "R(i) = a(i) * b(i)"),
    ("three_vectors", "R(i) = a(i) + b(i) + c(i)"),
    ("dot", "R = a(i) * b(i)"),
    ("norm", "R = a(i) * a(i)"),
    ("outer", "R(i,j) = a(i) * b(j)"),
    ("subtract", "R(i,j) = A(i,j) - B(i,j)"),
    ("scaled_sum", "R(i,j) = alpha * A(i,j) + beta * B(i,j)"),
    ("sum_of_three", "R(i,j) = A(i,j) + B(i,j) + C(i,j)"),
    ("times_of_three", "R(i,j) = A(i,j) * B(i,j) * C(i,j)"),
    ("times_plus", "R(i,j) = A(i,j) * B(i,j) + C(i,j)"),
    ("times_sum", "R(i,j) = A(i,j) * (B(i,j) + C(i,j))"),
    ("plus_transpose", "R(i,j) = A(i,j) + A(j,i)"),
    ("times_transpose", "R(i,j) = A(i,j) * A(j,i)"),
    ("transpose", "R(j,i) = A(i,j)"),
    ("copy", "R(i,j) = A(i,j)"),
    ("diagonal", "R(i) = A(i,i)"),
    ("trace", "R = A(i,i)"),
    ("diagonal_scaling", "R(i,j) = A(i,j) * A(j,j)"),
    ("row_sums", "R(i) = A(i,j)"),
    ("column_sums", "R(j) = A(i,j)"),
    ("total", "R = A(i,j)"),
    ("largest_of_rows", "R(i) max= A(i,j)"),
    ("smallest_of_columns", "R(j) min= A(i,j)"),
    ("sum_masked", "R(i,j)<M> = A(i,j) + B(i,j)"),
    ("sum_masked_out", "R(i,j)<!M> = A(i,j) + B(i,j)"),
    ("without", "R(i,j) = A(i,j) without M(i,j)"),
    ("lower_triangle", "R(i,j) = select(A(i,j), i > j)"),
    ("large_entries", "R(i,j) = select(A(i,j), A(i,j) > 1)"),
    ("weighted_by_place", "R(i,j) = A(i,j) * (i - j)"),
    ("shifted", "R(i,j) = A(i,j) + 1"),
    ("smaller_of_two", "R(i,j) = min(A(i,j), B(i,j))"),
    ("sum_min_plus", "R(i,j) = A(i,j) + B(i,j) over min_plus"),
    ("function_of_two", "R(i,j) = near(A(i,j), B(i,j))"),
    ("function_of_one", "R(i,j) = clamp(A(i,j))"),
    ("add_cubes", "R(i,j,k) = T(i,j,k) + U(i,j,k)"),
    ("multiply_cubes", "R(i,j,k) = T(i,j,k) * U(i,j,k)"),
    ("slices", "R(i) = T(i,j,k)"),
];

/// Each a file of kernels, and a test that runs them.
pub const GROUPS: [&str; 4] = ["products", "elementwise", "levels", "kernels"];

/// Formats that compiled kernels read, and that the interpreter alone returns: stores of stores.
pub const NEVER_RETURNED: &[&str] =
    &["aspen", "pam", "lil", "graph", "(paged, ctree)", "(bst, bst, bst)", "(list, ctree, blist)", "paged"];

/// Kernels that are run with the same extents of `i`, `j`, `k` and `l`.
#[derive(Clone)]
pub struct Part {
    /// The kernels.
    pub text: String,
    /// Whether tensors are read across, which makes all extents the same.
    pub square: bool,
    /// Whether rustc compiles them too: the interpreter takes no time for it.
    pub compiled: bool,
}

impl Part {
    fn oblong(text: impl Into<String>) -> Part {
        Part { text: text.into(), square: false, compiled: true }
    }
}

/// Of how many pairs of formats in [`pairs`] rustc compiles one unless all are asked for; the interpreter runs all of them.
const SAMPLED: usize = 5;

/// What a group is made of; rustc compiles all of it if it is to be `full`.
pub fn parts(group: &str, full: bool) -> Vec<Part> {
    match group {
        "products" => expressions(PRODUCTS, full),
        "elementwise" => expressions(ELEMENTWISE, full),
        "levels" => pairs(full),
        _ => vec![
            Part::oblong(include_str!("../kernels/oblong.pleach")),
            Part { square: true, ..Part::oblong(include_str!("../kernels/square.pleach")) },
            Part::oblong(include_str!("../kernels/assembly.pleach")),
        ],
    }
}

/// Every expression in all its combinations, `spmv_0`, `spmv_1` and so on, and in its covering, `spmv_c0` and so on. Rustc compiles the
/// covering, and the combinations if they are all asked for.
fn expressions(table: &[(&str, &str)], full: bool) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut used = BTreeMap::new();
    for (number, (name, expression)) in table.iter().enumerate() {
        let square = ["A(j,i)", "A(i,i)", "A(j,j)", "A(k,j)"].iter().any(|access| expression.contains(access));
        let kernels = |prefix: &str, all: &[Vec<&str>]| -> String {
            let named = all.iter().enumerate().map(|(n, formats)| (format!("{name}_{prefix}{n}"), formats));
            named.map(|(name, formats)| kernel(&name, expression, formats)).collect()
        };
        let covering = kernels("c", &covering(expression, &mut used));
        let combinations = kernels("", &combinations(number, expression));
        parts.push(Part { square, ..Part::oblong(covering) });
        parts.push(Part { square, compiled: full, ..Part::oblong(combinations) });
    }
    parts
}

/// One kernel as text, with formats for those of its tensors that have any, in the order of [`tensors`].
fn kernel(name: &str, expression: &str, formats: &[&str]) -> String {
    let mut params: Vec<String> =
        ["alpha", "beta"].iter().filter(|p| expression.contains(*p)).map(|p| format!("{p}: f64")).collect();
    let (mut result, mut formats) = (String::from("R: f64"), formats.iter());
    for (tensor, rank) in tensors(expression) {
        match (tensor, rank) {
            ('R', 0) => {}
            ('R', _) => result = format!("R: {}", formats.next().expect("a format for each tensor")),
            _ => params.push(format!("{tensor}: {}", formats.next().expect("a format for each tensor"))),
        }
    }
    format!("kernel {name}({}) -> {result} {{ {expression} }}\n", params.join(", "))
}

/// The names that an expression is made of, with how many indices they have: the result first.
pub fn tensors(expression: &str) -> Vec<(char, usize)> {
    let mut found: Vec<(char, usize)> = Vec::new();
    let bytes = expression.as_bytes();
    for (at, c) in expression.char_indices().filter(|(_, c)| c.is_ascii_alphabetic()) {
        let alone = at == 0 || !bytes[at - 1].is_ascii_alphanumeric() && bytes[at - 1] != b'_';
        let rank = match bytes.get(at + 1) {
            Some(b'(') => expression[at..].split(')').next().unwrap().matches(',').count() + 1,
            Some(b'>') if c == 'M' => 2,
            _ if c == 'R' => 0,
            _ => continue,
        };
        if alone && found.iter().all(|(name, _)| *name != c) {
            found.push((c, rank));
        }
    }
    found
}

/// Formats for the tensors of an expression: by strides that bring every format to each of them; then once all of them static, and
/// once all of them dynamic.
pub fn combinations(number: usize, expression: &str) -> Vec<Vec<&'static str>> {
    let tensors = tensors(expression);
    let mut all = Vec::new();
    for n in 0..COMBINATIONS + 2 {
        let mut chosen: Vec<&'static str> = Vec::new();
        for (at, &(name, rank)) in tensors.iter().enumerate().filter(|(_, (_, rank))| *rank > 0) {
            let rounds = n / [VECTORS, MATRICES, CUBES][rank - 1].len();
            let alike = |format: &&str| n < COMBINATIONS || is_dynamic(format) == (n > COMBINATIONS);
            let formats: Vec<&'static str> = possible(name, rank, expression).filter(alike).collect();
            let format = formats[(n * (2 * at + 1) + rounds * (at + 1) + number + 5 * at) % formats.len()];
            chosen.push(kept(format));
        }
        all.push(chosen);
    }
    all
}

/// Formats for the tensors of an expression such that each two of its tensors are of each two kinds together: a pairwise covering. Of a
/// kind, the format that was used least is taken.
pub fn covering(expression: &str, used: &mut BTreeMap<(usize, &'static str), usize>) -> Vec<Vec<&'static str>> {
    let tensors: Vec<(char, usize)> = tensors(expression).into_iter().filter(|(_, rank)| *rank > 0).collect();
    let kinds = Kind::ALL.len();
    let choices: Vec<Vec<usize>> = (0..kinds.pow(tensors.len() as u32))
        .map(|choice| (0..tensors.len() as u32).map(|at| choice / kinds.pow(at) % kinds).collect())
        .collect();
    let together = |choice: &[usize]| -> Vec<[(usize, usize); 2]> {
        // A tensor that is alone meets itself.
        let pairs = (0..choice.len()).flat_map(|a| (a..choice.len()).map(move |b| (a, b)));
        pairs.filter(|(a, b)| a < b || choice.len() == 1).map(|(a, b)| [(a, choice[a]), (b, choice[b])]).collect()
    };
    let mut open: BTreeSet<[(usize, usize); 2]> = choices.iter().flat_map(|choice| together(choice)).collect();
    let mut all = Vec::new();
    while !open.is_empty() {
        let covers = |choice: &Vec<usize>| together(choice).iter().filter(|pair| open.contains(*pair)).count();
        // The first of those that cover most.
        let choice = choices.iter().rev().max_by_key(|choice| covers(choice)).expect("there are choices");
        together(choice).iter().for_each(|pair| {
            open.remove(pair);
        });
        let formats = tensors.iter().zip(choice).enumerate().map(|(at, (&(name, rank), &kind))| {
            let possible = possible(name, rank, expression).filter(|format| Kind::of(format) == Kind::ALL[kind]);
            let format = possible.min_by_key(|format| used.get(&(at, *format)).copied().unwrap_or(0));
            let format = format.expect("every kind has formats of every order");
            *used.entry((at, format)).or_default() += 1;
            kept(format)
        });
        all.push(formats.collect());
    }
    all
}

/// What makes the most of a difference to how a kernel is compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Arrays that keep places for more than the entries.
    Padded,
    /// Arrays that keep entries only.
    Entries,
    /// Some level is a store.
    Dynamic,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Padded, Kind::Entries, Kind::Dynamic];

    /// The kind of a format.
    pub fn of(format: &str) -> Kind {
        match format {
            _ if is_dynamic(format) => Kind::Dynamic,
            _ if PADDED.contains(&format) => Kind::Padded,
            _ => Kind::Entries,
        }
    }
}

/// The formats that a tensor of an expression may have.
fn possible(name: char, rank: usize, expression: &str) -> impl Iterator<Item = &'static str> {
    let formats = [VECTORS, MATRICES, CUBES][rank - 1];
    // What has an entry everywhere leaves nothing of what it is taken from.
    let all_left = name != 'M' || !expression.contains("without");
    let left = move |format: &&str| all_left || !FULL.contains(format);
    let returned = move |format: &&str| name != 'R' || !NEVER_RETURNED.contains(format);
    formats.iter().copied().filter(move |format| left(format) && returned(format))
}

/// The runtime's table of rows holds rows, and no values.
fn kept(format: &'static str) -> &'static str {
    if format == "paged" { "packed" } else { format }
}

const FULL: &[&str] = &["matrix", "column_major"];

/// Whether some level is a store.
pub fn is_dynamic(format: &str) -> bool {
    let stores = ["list", "bst", "tree", "packed", "paged"];
    let formats = ["pam", "graph", "stinger", "terrace", "lil", "aspen"];
    stores.iter().any(|store| format.contains(store)) || formats.contains(&format)
}

/// Matrices that have every kind of level that matrices have, and those of the best known dynamic ones.
const LEVELS: &[&str] = &[
    "csr",
    "csc",
    "coo",
    "matrix",
    "dok",
    "ell",
    "dia",
    "bcsr<2, 3>",
    "csb<2, 2>",
    "skyline",
    "stinger",
    "pam",
    "graph",
];

/// Matrices of levels that vectors do not have; the last is never returned.
const OF_MATRICES: &[&str] = &["coo", "ell", "dia", "skyline", "graph"];

/// Each two formats, one with itself too, in a union and in an intersection, returned in a format that has seldom been theirs. Of
/// formats that have the same levels, one is compiled.
fn pairs(full: bool) -> Vec<Part> {
    let (mut compiled, mut interpreted) = (Vec::new(), Vec::new());
    let mut returned: BTreeMap<[String; 2], usize> = BTreeMap::new();
    let mut pair = |name: String, at: &str, a: &str, b: &str, results: [&[&str]; 2], rustc: bool| {
        for ((of, operator), results) in [("union", '+'), ("intersection", '*')].into_iter().zip(results) {
            let possible = results.iter().filter(|result| !rustc || !NEVER_RETURNED.contains(result));
            let result = possible.min_by_key(|result| {
                let times = [a, b].map(|operand| returned.get(&[result.to_string(), operand.into()]));
                let mut times = times.map(|times| times.copied().unwrap_or(0));
                times.sort_unstable();
                times
            });
            let result = result.expect("something is returned");
            for operand in [a, b] {
                *returned.entry([result.to_string(), operand.into()]).or_default() += 1;
            }
            let sampled = full || (compiled.len() + interpreted.len()) % SAMPLED == 0;
            let part = if rustc && sampled { &mut compiled } else { &mut interpreted };
            part.push(format!(
                "kernel {of}_{name}(A: {a}, B: {b}) -> R: {result} {{ R({at}) = A({at}) {operator} B({at}) }}\n"
            ));
        }
    };
    let one_level = |format: &str| !format.contains("block") && !format.ends_with("es") && format != "paged";
    // Those that are compiled come first: what is returned varies most among them.
    for rustc in [true, false] {
        for (k, a) in VECTORS.iter().enumerate() {
            for (l, b) in VECTORS.iter().enumerate().skip(k).filter(|(_, b)| (one_level(a) && one_level(b)) == rustc) {
                pair(format!("1_{k}_{l}"), "i", a, b, [VECTORS; 2], rustc);
            }
        }
        let both = |a: &str, b: &str| LEVELS.contains(&a) && LEVELS.contains(&b);
        for (k, a) in MATRICES.iter().enumerate() {
            for (l, b) in MATRICES.iter().enumerate().skip(k).filter(|(_, b)| both(a, b) == rustc) {
                pair(format!("2_{k}_{l}"), "i,j", a, b, [MATRICES; 2], rustc);
            }
        }
    }
    // Each store of vectors beside those levels that only matrices have.
    for (k, store) in VECTORS.iter().enumerate().filter(|(_, store)| one_level(store) && is_dynamic(store)) {
        for (l, a) in OF_MATRICES.iter().enumerate() {
            let b = format!("(dense, {store})");
            pair(format!("3_{k}_{l}"), "i,j", a, &b, [&[&b], &[OF_MATRICES[(k + l) % 4]]], true);
        }
    }
    let parts = |kernels: Vec<String>, compiled: bool| {
        let parts = kernels.chunks(32).map(|some| Part { compiled, ..Part::oblong(some.concat()) });
        parts.collect::<Vec<_>>()
    };
    [parts(compiled, true), parts(interpreted, false)].concat()
}
