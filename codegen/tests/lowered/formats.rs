//! The formats that tests range over: as many of each order as is prime, so that strides of any length come by all of them.

/// Functions that kernels call.
pub const PRELUDE: &str = "
function near(a, b) annihilator 0 = a + b * 2
function clamp(a) annihilator 0 = min(max(a, -1), 1)
function sum(a, b) identity 0 = a + b
function half(a) = a * 0.5
function above(a, b) = a * 2 > b * 2
function root(a) = sqrt(a)
semiring most { plus: max, zero: 0, times: *, one: 1 }
";

/// Formats of vectors that are declared for the tests, besides those that are bundled.
pub const DECLARED: &str = "
format ctree_columns(i, j) = j: dense, i: ctree
format bst_columns(i, j) = j: bst, i: list
format blocks(i) = (i / 3): dense, (i % 3): dense
format residues(i) = (i % 2): dense, (i / 2): dense
format blocks_of_entries(i) = (i / 2): compressed, (i % 2): dense
format entries_in_blocks(i) = (i / 2): dense, (i % 2): compressed
format entries_of_residues(i) = (i % 2): dense, (i / 2): compressed
format trees_of_blocks(i) = (i / 2): bst, (i % 2): dense
format blocks_of_trees(i) = (i / 2): dense, (i % 2): ctree
format entries_of_entries(i) = (i / 4): compressed, (i % 4): compressed
";

/// Of vectors.
pub const VECTORS: &[&str] = &[
    "dense",
    "sparse",
    "hash",
    "bst",
    "blist",
    "blist_unsorted",
    "blist_gaps",
    "(compressed(unordered))",
    "paged",
    "list",
    "ctree",
    "packed_delta",
    "blist_prefix",
    "rbtree",
    "vblist",
    "(compressed(nonunique))",
    "btree",
    "blocks_of_entries",
    "ttree",
    "ctree_delta",
    "packed",
    "blocks",
    "(compressed(unordered, nonunique))",
    "entries_in_blocks",
    "entries_of_residues",
    "entries_of_entries",
    "residues",
    "trees_of_blocks",
    "blocks_of_trees",
];

/// Of matrices.
pub const MATRICES: &[&str] = &[
    "matrix",
    "column_major",
    "csr",
    "csc",
    "coo",
    "coo_unsorted",
    "coo_aos",
    "csr_unsorted",
    "dcsr",
    "dcsc",
    "dok",
    "ell",
    "dia",
    "bcsr<2, 3>",
    "csb<2, 2>",
    "skyline",
    "banded",
    "stinger",
    "aspen",
    "pam",
    "lil",
    "terrace",
    "(bst, dense)",
    "(dense, hashed)",
    "(hashed, compressed)",
    "(paged, ctree)",
    "(dense, blist_unsorted)",
    "(compressed, btree)",
    "graph",
];

/// Of all of these, those that keep places for more than their entries.
pub const PADDED: &[&str] = &[
    "dense",
    "matrix",
    "column_major",
    "dia",
    "bcsr<2, 3>",
    "skyline",
    "banded",
    "(bst, dense)",
    "cube",
    "mode_generic",
    "blocks",
    "residues",
    "blocks_of_entries",
    "trees_of_blocks",
    "(dense, compressed, dense)",
];

/// Of tensors of the third order.
pub const CUBES: &[&str] = &[
    "cube",
    "coo3",
    "csf",
    "mode_generic",
    "(dense, dense, compressed)",
    "(bst, bst, bst)",
    "(dense, bst, compressed)",
    "(bst, dense, list)",
    "(compressed, dense, compressed)",
    "(dense, compressed, dense)",
    "(list, ctree, blist)",
    "(dense, dense, ctree)",
    "(dense, compressed, compressed)",
];
