//! What the fuzz targets run: plain functions, which an ordinary test calls with what has been found before.

use std::sync::Arc;

use pleach_codegen::compile::stages;
use pleach_codegen::level::StoreLevel;
use pleach_codegen::notation::ast::Item;
use pleach_codegen::notation::{Declarations, parse_source, resolve};
use pleach_codegen::schema;

/// Longer texts say nothing new.
const LONGEST: usize = 2000;

/// Parses and checks whatever stands in a text as the schema of stores, and derives the capabilities of those that make sense.
#[allow(dead_code, reason = "each target runs one of these")]
pub fn schema(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if text.len() > LONGEST {
        return;
    }
    match schema::parse(text) {
        Ok(stores) => {
            for store in &stores {
                match schema::check(store, "fuzz") {
                    Ok(model) => drop(StoreLevel::of(&model)),
                    Err(wrong) => drop(wrong.render("fuzz", text)),
                }
            }
        }
        Err(wrong) => drop(wrong.render("fuzz", text)),
    }
}

/// Parses, resolves and lowers whatever stands in a text, beside the bundled formats: expressions over formats. What makes no
/// sense is refused; nothing panics.
#[allow(dead_code, reason = "each target runs one of these")]
pub fn kernel(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if text.len() > LONGEST {
        return;
    }
    let (source, mistakes) = parse_source(text);
    let _ = mistakes.render("fuzz", text);
    let mut scope = Declarations::new();
    for schema in pleach_catalog::SCHEMAS {
        if let Ok(model) = schema::parse(schema.text).and_then(|stores| schema::check(&stores[0], schema.name)) {
            scope.kinds.add(Arc::new(StoreLevel::of(&model)));
        }
    }
    scope.add(&parse_source(pleach_catalog::FORMATS).0);
    let _ = scope.add(&source).render("fuzz", text);
    for item in &source.items {
        let Item::Kernel(kernel) = item else { continue };
        match resolve(kernel, &scope) {
            Ok(kernels) => kernels.iter().take(4).for_each(|kernel| drop(stages(kernel))),
            Err(wrong) => drop(wrong.render("fuzz", text)),
        }
    }
}
