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
//!     kernel spmv(y: dense, A: rows | csr, x: dense) { y(i) = A(i,j) * x(j) }
//! }
//! ```
//!
//! Each store becomes a module, here `mine`, beside which its assembly is written by hand (`impl Build for mine::Mine`). Kernels
//! become functions, here `spmv_rows` and `spmv_csr`; those of a file that is used, in a module named after the file. Bundled
//! schemas and formats are in scope under their names in the catalogue. Files are found relative to the crate's manifest.
//!
//! What is generated names the runtime crate as `::pleach_runtime`; a program that has it under another path says so first:
//!
//! ```text
//! pleach! {
//!     #![runtime = ::pleach::runtime]
//!     …
//! }
//! ```

#![forbid(unsafe_code)]

mod text;

use std::path::{Path, PathBuf};

use pleach_codegen::diagnostic::SourceFile;
use pleach_codegen::session::{Content, Session};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::quote;

/// Compiles stores, formats, functions, semirings and kernels in place; see the crate's documentation.
#[proc_macro]
pub fn pleach(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand(input.into())
        .unwrap_or_else(|message| {
            let message = format!("\n{message}");
            quote!(::core::compile_error!(#message);)
        })
        .into()
}

/// What the text of the macro's call is called: its kernels stand in no module of their own.
const HERE: &str = "pleach!";

fn expand(input: TokenStream) -> Result<TokenStream, String> {
    let (runtime, input) = runtime(input)?;
    let text = text::of(input);
    let mut session = Session::bundled();
    let root = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let mut watched: Vec<String> = Vec::new();
    session.add(SourceFile::new(HERE, text), &mut |named, from| {
        // A file's own `use` is relative to that file.
        let folder = if from == HERE { &*root } else { Path::new(from).parent().unwrap_or(Path::new("")) };
        let path = folder.join(named).display().to_string();
        let text = std::fs::read_to_string(&path)?;
        watched.push(path.clone());
        Ok(SourceFile::new(path, text))
    });
    let modules = session.finish(&runtime).map_err(|error| error.to_string())?;
    // Cargo expands the macro again when a file changes that the expansion includes.
    let mut items = quote!(#(const _: &str = include_str!(#watched);)*);
    for module in modules {
        let rust: TokenStream =
            module.rust.parse().map_err(|e| format!("the module `{}` is not Rust: {e}", module.name))?;
        if module.name == HERE {
            items.extend(rust);
            continue;
        }
        let name = Ident::new(&module.name, Span::call_site());
        let doc = match module.content {
            Content::Store => format!(" The store `{name}`."),
            Content::Kernels => format!(" The kernels of `{name}.pleach`."),
        };
        items.extend(quote!(#[doc = #doc] pub mod #name { #rust }));
    }
    Ok(items)
}

/// Takes `#![runtime = PATH]` off the front.
fn runtime(input: TokenStream) -> Result<(String, TokenStream), String> {
    let tokens: Vec<TokenTree> = input.into_iter().collect();
    if !matches!(&tokens[..], [TokenTree::Punct(p), ..] if p.as_char() == '#') {
        return Ok(("::pleach_runtime".into(), tokens.into_iter().collect()));
    }
    let wrong = || "expected `#![runtime = ::path::of::the::runtime]` here".to_owned();
    let [_, TokenTree::Punct(bang), TokenTree::Group(attribute), rest @ ..] = &tokens[..] else { return Err(wrong()) };
    let inside: Vec<TokenTree> = attribute.stream().into_iter().collect();
    match &inside[..] {
        [TokenTree::Ident(word), TokenTree::Punct(equals), path @ ..]
            if bang.as_char() == '!' && word == "runtime" && equals.as_char() == '=' && !path.is_empty() =>
        {
            let path: String = path.iter().map(TokenTree::to_string).collect();
            Ok((path, rest.iter().cloned().collect()))
        }
        _ => Err(wrong()),
    }
}
