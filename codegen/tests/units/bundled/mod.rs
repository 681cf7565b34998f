//! The bundled formats, as tests of the notation see them.

use std::sync::Arc;

use pleach_codegen::level::{Capabilities, Growth, Properties, StoreLevel};
use pleach_codegen::notation::{Declarations, parse_source};

/// The bundled formats, over stores that are only named.
pub fn bundled() -> Declarations {
    let mut scope = Declarations::new();
    for name in ["list", "blist", "vblist", "bst", "rbtree", "ttree", "ctree", "btree", "paged", "packed"] {
        scope.kinds.add(Arc::new(StoreLevel {
            name: name.to_owned(),
            parameters: vec![64],
            properties: Properties { ordered: true, unique: true, ..Properties::default() },
            capabilities: Capabilities { map: true, step: true, build: true, ..Capabilities::default() },
            table: false,
            lookup: Growth::Logarithmic,
        }));
    }
    let (source, mistakes) = parse_source(pleach_catalog::FORMATS);
    assert!(mistakes.is_empty(), "{}", mistakes.render("formats.pleach", pleach_catalog::FORMATS));
    let mistakes = scope.add(&source);
    assert!(mistakes.is_empty(), "{}", mistakes.render("formats.pleach", pleach_catalog::FORMATS));
    scope
}
