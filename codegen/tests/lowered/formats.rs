//! The formats that tests range over.

/// Of vectors.
pub const VECTORS: &[&str] =
    &["dense", "sparse", "hash", "bst", "blist", "blist_unsorted", "blist_gaps", "(compressed(unordered))"];

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
];
