//! Conversions between formats: every pair against the dense reference, level by level, and the code that is generated.
#![cfg(not(miri))]

mod audit;
mod hunt;
mod pairs;
mod queries;
mod remapping;
mod sources;

use std::sync::Arc;

use pleach_codegen::convert::{Conversion, convert};
use pleach_codegen::format::Format;
use pleach_codegen::level::StoreLevel;
use pleach_codegen::notation::ast::ValueType;
use pleach_codegen::notation::{Declarations, parse_format, parse_source};
use pleach_codegen::schema;

/// Formats that the tests declare besides those that are bundled.
pub const DECLARED: &str = "
format coo_repeats(i, j) = i: compressed(nonunique), j: singleton(nonunique)
format columns(i, j) = j: dense, i: compressed(unordered)
format tree_columns(i, j) = j: dense, i: ctree
format hicoo2(i, j) = (let r = i / 2 in let s = j / 2 in
    (r & 1) | (s & 1) << 1 | (r & 2) << 1 | (s & 2) << 2 | (r & 4) << 2 | (s & 4) << 3): compressed(nonunique),
    (i / 2): singleton, (j / 2): singleton,
    (let u = i % 2 in let v = j % 2 in (u & 1) | (v & 1) << 1): compressed, (i % 2): singleton, (j % 2): singleton
format ell_columns(i, j) = (#j): sliced, j: dense, i: singleton(padded)
format listed_blocks(i, j) = (i / 2): compressed(nonunique), (j / 3): singleton, (i % 2): dense, (j % 3): dense
format rows_of_listed_blocks(i, j) = (i / 2): dense, (j / 3): compressed(nonunique), (j / 6): singleton, (i % 2): dense, (j % 3): dense
format jagged(i, j) = (#i): sliced, i: compressed, j: singleton
format counted(i, j) = (#): sliced, i: singleton(padded), j: singleton(padded)
format blocks3(i, j, k) = (i / 2): dense, (j / 2): dense, (k / 2): compressed, (i % 2): dense, (j % 2): dense, (k % 2): dense
format shifted(i, j) = (i >> 1): dense, (j & 3): dense, (j / 4): compressed, (i & 1): dense
";

/// Everything that is bundled, and what the tests declare.
pub fn scope() -> Declarations {
    let mut declarations = Declarations::new();
    for schema in pleach_catalog::SCHEMAS {
        let stores = schema::parse(schema.text).unwrap();
        let model = schema::check(&stores[0], schema.name).unwrap();
        declarations.kinds.add(Arc::new(StoreLevel::of(&model)));
    }
    for level in pleach_catalog::LEVELS {
        declarations.kinds.add(Arc::new(StoreLevel::by_hand(level, pleach_catalog::TABLES.contains(level))));
    }
    for text in [pleach_catalog::FORMATS, DECLARED] {
        let (source, mistakes) = parse_source(text);
        assert!(mistakes.is_empty(), "{mistakes}");
        let mistakes = declarations.add(&source);
        assert!(mistakes.is_empty(), "{mistakes}");
    }
    declarations
}

/// The format that `text` names.
pub fn format(scope: &Declarations, text: &str) -> Format {
    scope.formats.resolve(&parse_format(text).unwrap(), &scope.kinds).unwrap()
}

/// The conversion between two formats, of `f64`.
pub fn between(scope: &Declarations, from: &str, to: &str) -> Conversion {
    convert(&format(scope, from), &format(scope, to), ValueType::F64).unwrap()
}
