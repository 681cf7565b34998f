//! Names that variables of emitted code must not have.

/// Keywords of Rust, and names that emitted code imports or binds.
#[rustfmt::skip]
pub(super) const RESERVED: &[&str] = &[
    "abstract", "as", "async", "await", "become", "bool", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "f32", "f64", "false", "final", "fn", "for", "gen", "i32", "i64", "if", "impl", "in",
    "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "std", "core", "str", "struct", "super", "trait", "true", "try", "type", "typeof", "u32", "u64", "u8", "unsafe",
    "unsized", "use", "usize", "virtual", "where", "while", "yield", "pleach", "pleach_runtime", "rayon", "vec",
    // What emitted code calls or binds by itself.
    "at", "block", "blocks", "bounds", "build", "build_of_stores", "build_pattern", "by", "check_extents", "copied", "each", "fold_row",
    "folded", "gather", "left", "listed", "maximum", "minimum", "par_fold", "par_for", "prefix_sum", "right", "run", "seek", "segments",
    "span", "starts", "starts_within", "tasks", "unaliased", "uncleared",
];
