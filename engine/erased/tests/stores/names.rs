//! The names of stores are those of the bundled formats.

use pleach_codegen::format::ast::{FormatDecl, LevelDecl, RemapKind};
use pleach_codegen::notation::ast::Item;
use pleach_codegen::notation::parse_source;

use pleach_erased::{DEFAULT_STORE, FORMATS, StoreName, UnknownStore};

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

#[test]
fn every_bundled_format_of_rows_in_a_store_has_a_name() {
    let (source, mistakes) = parse_source(pleach_catalog::FORMATS);
    assert!(mistakes.is_empty());
    let named = source.items.iter().filter_map(|item| match item {
        Item::Format(format) => pair(format).map(|(outer, row)| (&format.name.text[..], outer, row)),
        _ => None,
    });
    assert_eq!(named.collect::<Vec<_>>(), FORMATS);
}

#[test]
fn every_named_format_names_levels_that_there_are() {
    for &(name, outer, row) in FORMATS {
        assert_eq!(name.parse(), Ok(StoreName::Pair(outer, row)));
        assert_eq!(format!("{outer},{row}").parse(), Ok(StoreName::Pair(outer, row)));
    }
    assert_eq!("graph".parse(), DEFAULT_STORE.parse::<StoreName>());
    for name in ["stinger", "graphone", "aspen", "pam", "terrace", "lil"] {
        assert!(FORMATS.iter().any(|format| format.0 == name), "{name}");
    }
    // Formats of other shapes are no stores of graphs.
    for name in ["matrix", "csc", "coo", "hash"] {
        assert_eq!(name.parse::<StoreName>(), Err(UnknownStore::Name(name.into())));
    }
}
