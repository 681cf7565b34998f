//! The kernels of the grid. The build script compiles them; the tests read them once more, for the reference.

/// What the kernels call.
pub const FUNCTIONS: &str = "
function near(a, b) annihilator 0 = a + b * 2
function clamp(a) annihilator 0 = min(max(a, -1), 1)
function sum(a, b) identity 0 = a + b
";

/// Files of kernels: those that any extents will do for, those that want all extents alike, results of every way of assembly, and every
/// two levels together.
pub fn all() -> [(&'static str, String); 5] {
    [
        ("oblong", include_str!("oblong.pleach").into()),
        ("square", include_str!("square.pleach").into()),
        ("assembly", include_str!("assembly.pleach").into()),
        ("matrices", pairs(MATRICES, MATRICES.len(), RESULTS, &["i", "j"])),
        ("vectors", pairs(VECTORS, 4, VECTORS, &["i"])),
    ]
}

/// Formats that have every kind of level between them.
const MATRICES: &[&str] =
    &["csr", "matrix", "coo", "dok", "dia", "ell", "bcsr<2, 3>", "skyline", "stinger", "pam", "graph"];

/// What results are assembled in: in turn, so that operands of all kinds meet in one of them.
const RESULTS: &[&str] = &[
    "csr",
    "stinger",
    "matrix",
    "dcsr",
    "(dense, hashed)",
    "coo",
    "terrace",
    "dok",
    "csc",
    "(dense, ctree)",
    "dia",
    "ell",
    "(dense, bst)",
    "bcsr<2, 2>",
    "skyline",
    "banded",
    "graphone",
];

/// Every level that can keep a vector. What code is generated for a store depends on its capabilities alone, so that each meets the
/// first four and itself.
const VECTORS: &[&str] = &[
    "sparse",
    "dense",
    "hash",
    "bst",
    "blist",
    "blist_unsorted",
    "blist_gaps",
    "blist_prefix",
    "btree",
    "ctree",
    "list",
    "rbtree",
    "ttree",
    "vblist",
];

/// Each two formats, one with itself too, in a union and in an intersection; of those from number `all` on, one alone with itself.
fn pairs(formats: &[&str], all: usize, results: &[&str], indices: &[&str]) -> String {
    let at = indices.join(",");
    let mut text = String::new();
    let mut turn = 0;
    for (k, a) in formats.iter().enumerate() {
        for b in formats[k..].iter().filter(|b| k < all || *b == a) {
            for (name, operator) in [("union", '+'), ("intersection", '*')] {
                let c = results[turn % results.len()];
                turn += 1;
                let name = format!("{name}_{}_{}_{}", word(a), word(b), indices.len());
                text +=
                    &format!("kernel {name}(A: {a}, B: {b}) -> C: {c} {{ C({at}) = A({at}) {operator} B({at}) }}\n");
            }
        }
    }
    text
}

/// A format as part of a name.
fn word(format: &str) -> String {
    let kept = format.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    kept.collect::<String>().replace("__", "_").trim_matches('_').into()
}
