//! Compiles the bundled kernels, and derives the pairs of levels that carry a name from the bundled formats.

use std::path::Path;
use std::{env, fs};

use pleach_codegen::format::ast::{FormatDecl, LevelDecl, RemapKind};
use pleach_codegen::notation::ast::Item;
use pleach_codegen::notation::parse_source;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    pleach_codegen::Build::new().file("src/kernels/pagerank.pleach").run();
    let (source, mistakes) = parse_source(pleach_catalog::FORMATS);
    assert!(mistakes.is_empty(), "{}", mistakes.render("formats.pleach", pleach_catalog::FORMATS));
    let mut pairs = String::new();
    for item in &source.items {
        if let Item::Format(format) = item
            && let Some((outer, row)) = pair(format)
        {
            pairs += &format!("    ({:?}, {outer:?}, {row:?}),\n", format.name.text);
        }
    }
    let text = format!(
        "/// Named pairs: format, outer level, row store. Those of the bundled formats that keep rows in a store.\n\
         pub const FORMATS: &[(&str, &str, &str)] = &[\n{pairs}];\n"
    );
    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("formats.rs"), text).expect("OUT_DIR can be written to");
}

/// The two levels of a format of matrices by rows, if stores hold the rows.
fn pair(format: &FormatDecl) -> Option<(&str, &str)> {
    let ([i, j], [outer, row]) = (&format.indices[..], &format.levels[..]) else { return None };
    if !format.params.is_empty() || format.fill.is_some() {
        return None;
    }
    let (outer, row) = (plain(outer, &i.text)?, plain(row, &j.text)?);
    let is_store = |name| pleach_catalog::schema(name).is_some() || pleach_catalog::LEVELS.contains(&name);
    ((outer == "dense" || is_store(outer)) && is_store(row) && row != "paged").then_some((outer, row))
}

/// The kind of a level that keeps the index itself and has no switches.
fn plain<'f>(level: &'f LevelDecl, index: &str) -> Option<&'f str> {
    let is_index = matches!(&level.coordinate.kind, RemapKind::Name(name) if name.text == index);
    (is_index && level.kind.args.is_empty() && level.kind.switches.is_empty()).then_some(&level.kind.name.text)
}
