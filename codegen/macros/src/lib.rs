//! The `pleach!` macro: a thin shim over `pleach-codegen`.
//!
//! ```text
//! pleach! {
//!     use "more.pleach"
//!     store mine {
//!         def list { e : elem nonempty  n : list  seq = e, n }
//!         def list_head { h : list  seq = h }
//!     }
//!     format rows(i, j) = i: dense, j: mine
//! }
//! ```
//!
//! Each store becomes a module, here `mine`, beside which its assembly is written by hand (`impl Build for mine::Mine`). Bundled
//! schemas and formats are in scope under their names in the catalogue. Files are found relative to the crate's manifest.

#![forbid(unsafe_code)]

mod text;

use std::path::{Path, PathBuf};

use pleach_codegen::diagnostic::SourceFile;
use pleach_codegen::session::Session;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// Compiles stores, formats, functions and semirings in place; see the crate's documentation.
#[proc_macro]
pub fn pleach(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand(&text::of(input.into()))
        .unwrap_or_else(|message| {
            let message = format!("\n{message}");
            quote!(::core::compile_error!(#message);)
        })
        .into()
}

fn expand(text: &str) -> Result<TokenStream, String> {
    let mut session = Session::new();
    for schema in pleach_catalog::SCHEMAS {
        session.store_elsewhere(schema.name, schema.text);
    }
    for level in pleach_catalog::LEVELS {
        session.level_elsewhere(level);
    }
    session.declare(SourceFile::new("formats.pleach", pleach_catalog::FORMATS));
    let root = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let mut watched: Vec<String> = Vec::new();
    session.add(SourceFile::new("pleach!", text), &mut |named, from| {
        // A file's own `use` is relative to that file.
        let folder = if from == "pleach!" { &*root } else { Path::new(from).parent().unwrap_or(Path::new("")) };
        let path = folder.join(named).display().to_string();
        let text = std::fs::read_to_string(&path)?;
        watched.push(path.clone());
        Ok(SourceFile::new(path, text))
    });
    let modules = session.finish("::pleach_runtime").map_err(|error| error.to_string())?;
    // Cargo expands the macro again when a file changes that the expansion includes.
    let mut items = quote!(#(const _: &str = include_str!(#watched);)*);
    for module in modules {
        let name = Ident::new(&module.name, Span::call_site());
        let rust: TokenStream = module.rust.parse().map_err(|e| format!("the module `{name}` is not Rust: {e}"))?;
        let doc = format!(" The store `{}`.", module.name);
        items.extend(quote!(#[doc = #doc] pub mod #name { #rust }));
    }
    Ok(items)
}
