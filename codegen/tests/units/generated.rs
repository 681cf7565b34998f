//! The Rust that is generated from the bundled schemas and kernels and kept in the repository, so that a build needs no compiler of
//! ours: it is what the compiler of today generates, and reads as if it had been written by hand. Review a change of it as such.
//!
//! `INSTA_UPDATE=always cargo test -p pleach-codegen` writes it anew, as it does the snapshots.

use std::fs;
use std::path::{Path, PathBuf};

use pleach_codegen::Build;
use pleach_codegen::convert::convert;
use pleach_codegen::notation::ast::ValueType;
use pleach_codegen::schema::{check_with, parse};
use pleach_codegen::store::{RUNTIME, generate};

/// Schemas with blocks as small as the paper draws them, for tests of the stores, and their parameters.
const SMALL: &[(&str, &[(&str, u64)])] = &[
    ("blist", &[("B", 3)]),
    ("blist_prefix", &[("B", 3)]),
    ("blist_gaps", &[("B", 4)]),
    ("blist_unsorted", &[("B", 3)]),
    ("ttree", &[("B", 4)]),
    ("btree", &[("B", 3), ("L", 3)]),
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Holds a file of the repository against what is generated, or writes it.
fn assert_kept(path: &str, rust: &str) {
    let file = repository().join(path);
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        fs::write(file, rust).unwrap();
        return;
    }
    let kept = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{path}: {error}"));
    if let Some((line, (kept, generated))) =
        kept.lines().zip(rust.lines()).enumerate().find(|(_, (kept, generated))| kept != generated)
    {
        panic!("{path}:{}: the file has `{kept}`, what is generated `{generated}`: {UPDATE}", line + 1);
    }
    assert_eq!(kept.len(), rust.len(), "{path} has another length than what is generated: {UPDATE}");
}

const UPDATE: &str = "`INSTA_UPDATE=always cargo test -p pleach-codegen` writes it anew";

fn store(name: &str, arguments: &[(&str, u64)]) -> String {
    let text = pleach_catalog::schema(name).unwrap().text;
    let model = check_with(&parse(text).unwrap()[0], name, arguments).unwrap();
    generate(&model, RUNTIME, Some(text)).unwrap()
}

#[test]
fn rust_of_bundled_stores() {
    for schema in pleach_catalog::SCHEMAS {
        let rust = store(schema.name, &[]);
        // Documentation is what the user sees: every public item has one line of it at least.
        let lines: Vec<&str> = rust.lines().map(str::trim).collect();
        for (at, line) in lines.iter().enumerate() {
            let public = ["pub fn ", "pub struct ", "pub enum ", "pub const ", "pub mod "];
            if public.iter().any(|item| line.starts_with(item)) {
                let above = lines[..at].iter().rev().find(|line| !line.starts_with("#["));
                assert!(above.is_some_and(|line| line.starts_with("///")), "{}: `{line}` says nothing", schema.name);
            }
        }
        assert_kept(&format!("schemas/{}/generated.rs", schema.name), &rust);
    }
}

#[test]
fn rust_of_stores_with_small_blocks() {
    for &(name, arguments) in SMALL {
        assert_kept(&format!("schemas/tests/stores/small/generated/{name}.rs"), &store(name, arguments));
    }
}

/// The pairs of formats whose conversions the library compiles, in the order of the paper and then of the alphabet.
const CONVERSIONS: &[(&str, &str)] = &[
    ("coo", "csr"),
    ("coo", "dia"),
    ("csr", "csc"),
    ("csr", "dia"),
    ("csr", "ell"),
    ("csc", "dia"),
    ("csc", "ell"),
    ("bcsr", "csr"),
    ("coo", "csc"),
    ("coo", "ell"),
    ("coo3", "csf"),
    ("coo3", "hicoo3"),
    ("coo_duplicates", "csr"),
    ("coo_unsorted", "csr"),
    ("csb", "csr"),
    ("csf", "coo3"),
    ("csc", "coo"),
    ("csc", "csr"),
    ("csr", "bcsr"),
    ("csr", "coo"),
    ("csr", "csb"),
    ("csr", "dcsr"),
    ("csr", "hicoo"),
    ("csr", "skyline"),
    ("dcsr", "csr"),
    ("dia", "csr"),
    ("ell", "csr"),
    ("hicoo", "csr"),
    ("hicoo3", "coo3"),
    ("skyline", "csr"),
];

#[test]
fn rust_of_bundled_conversions() {
    let session = pleach_codegen::session::Session::bundled();
    let format = |name: &str| session.format(name).unwrap();
    let kernels: Vec<_> = CONVERSIONS
        .iter()
        .map(|(from, to)| convert(&format(from), &format(to), ValueType::F64))
        .map(|conversion| conversion.unwrap().kernel)
        .collect();
    let rust =
        pleach_codegen::backend::rust::source(&kernels, &pleach_codegen::backend::rust::Options::default()).unwrap();
    let head = "// Generated from the formats that are bundled: see `codegen/tests/generated.rs`.\n\n";
    assert_kept("engine/src/convert/generated.rs", &format!("{head}{rust}"));
}

#[test]
fn rust_of_bundled_kernels() {
    let folder = tempfile::tempdir().unwrap();
    let kernels = repository().join("engine/src/kernels/pagerank.pleach");
    let written = Build::new().file(kernels).out_dir(folder.path()).compile().unwrap();
    let [rust] = &written[..] else { panic!("one file, not {written:?}") };
    assert_kept("engine/src/kernels/generated.rs", &fs::read_to_string(rust).unwrap());
}

#[test]
fn rust_of_measured_kernels() {
    for (kernels, kept) in [
        ("apps/compiled/src/products.pleach", "apps/compiled/src/products/generated.rs"),
        ("benches/measure/src/kernels.pleach", "benches/measure/src/compiled/generated.rs"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let kernels = repository().join(kernels);
        let written = Build::new().file(kernels).runtime("::pleach::runtime").out_dir(folder.path()).compile().unwrap();
        let [rust] = &written[..] else { panic!("one file, not {written:?}") };
        assert_kept(kept, &fs::read_to_string(rust).unwrap());
    }
}
