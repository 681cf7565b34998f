//! The `pleach!` macro compiles kernels in index notation to Rust functions, in place. Programs use it as `pleach::pleach!`.
//!
//! ```text
//!   pleach! { store …  format …  kernel … } ──► pleach-codegen ──► pub fn …(…) -> Result<…, ShapeError>
//!           ▲                                                      pub mod … (one for each store)
//!           └── mistakes and warnings, at the very token
//! ```
//!
//! This is a sketch of a program with a store of its own, and kernels for rows of it, of static rows and of a graph. The documentation of
//! `pleach::pleach` and the [guide](https://github.com/pleach-lang/pleach/blob/main/docs/src/macro.md) have programs that are compiled and run as
//! tests:
//!
//! ```text
//! use pleach::{Csr, pleach};
//!
//! pleach! {
//!     use "more.pleach"
//!     store mine {
//!         def list { e : elem nonempty  n : list  seq = e, n }
//!         def list_head { h : list  seq = h }
//!     }
//!     format rows(i, j) = i: dense, j: mine
//!     kernel spmv(y: dense, A: rows | csr, x: dense) { y(i) = A(i,j) * x(j) }
//!     kernel add(A: graph, B: csr) -> C: graph { C(i,j) = A(i,j) + B(i,j) }
//! }
//!
//! spmv_csr(&mut y, &a, &x)?;                       a: Csr<f64>
//! let c = add(&snapshot, &a)?;                     c: Matrix<Packed<u32, f64>>
//! ```
//!
//! Each store becomes a module, here `mine`, beside which its assembly is written by hand (`impl Build for mine::Mine`). Kernels
//! become functions, here `spmv_rows`, `spmv_csr` and `add`; those of a file that is used, in a module named after the file. The doc
//! comment above a kernel is a part of the function's documentation. Kernels add no other name to the module, so that the macro may be
//! called any number of times in it; a file with stores or kernels, which become modules, can be used by one of these calls. Bundled
//! schemas and formats are in scope under their names in the catalogue. Files are found relative to the crate's manifest.
//!
//! | declared as | passed as | returned as |
//! |---|---|---|
//! | `dense`, a vector | `&[f64]`, `&mut [f64]` | `Vec<f64>` |
//! | `f64`, a scalar | `f64` | `f64` |
//! | `csr` | `&Csr<f64>`, `CsrView<f64>` | `Csr<f64>` |
//! | `csc`, by columns | `&Csc<f64>`, `CscView<f64>` | `Csc<f64>` |
//! | an outer level over a store: `graph`, `aspen`, `(dense, ctree)` | `&Matrix`, `&Graph`, `&Snapshot`, `&Csr`, `&CsrView` | `Matrix` of that store |
//! | any other format | `&Tensor` of the runtime, or a view of one | `Tensor` |
//! | levels in another order than indices, or that keep computed numbers | the same in `pleach::runtime::tensor::Arranged` | `Arranged<Tensor<…>, (Index<1>, Index<0>)>` |
//!
//! Mistakes are underlined where they stand in the block. So are warnings: an index that is used only once, or a product that
//! merges two rows for each pair of outer coordinates. They come as uses of a deprecated constant, which is how a macro can warn.
//!
//! What is generated names the crate `pleach` as `::pleach`. A program that has it under another path says so first, as does one
//! that depends on the runtime alone; kernels then take and return the runtime's tensors:
//!
//! ```text
//! pleach! {
//!     #![pleach = ::graphs::pleach]
//!     …
//! }
//! pleach! {
//!     #![runtime = ::pleach_runtime]
//!     …
//! }
//! ```

#![forbid(unsafe_code)]

mod report;
mod text;

use std::path::{Path, PathBuf};

use pleach_codegen::diagnostic::SourceFile;
use pleach_codegen::session::{Content, Session};
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::quote;

use self::text::Text;

/// Compiles stores, formats, functions, semirings and kernels in place; see the crate's documentation.
#[proc_macro]
pub fn pleach(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand(input.into()).unwrap_or_else(|mistakes| mistakes).into()
}

/// The file name of the macro's own text, whose kernels stand in no module of their own.
const HERE: &str = "pleach!";

/// The generated code; or, as an error, calls of `compile_error!` that say what is wrong with the input.
fn expand(input: TokenStream) -> Result<TokenStream, TokenStream> {
    let (crates, input) = crates(input)?;
    let text = Text::of(input);
    let mut session = Session::bundled();
    if let Some(engine) = &crates.engine {
        session = session.embedded(engine);
    }
    let root = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let mut watched: Vec<String> = Vec::new();
    session.add(SourceFile::new(HERE, text.text.clone()), &mut |named, from| {
        // A file's own `use` is relative to that file.
        let folder = if from == HERE { &*root } else { Path::new(from).parent().unwrap_or(Path::new("")) };
        let path = folder.join(named).display().to_string();
        let text = std::fs::read_to_string(&path)?;
        watched.push(path.clone());
        Ok(SourceFile::new(path, text))
    });
    let mut items = report::warnings(session.warnings(), &text);
    let modules = session.finish(&crates.runtime).map_err(|error| report::mistakes(&error, &text))?;
    // Cargo expands the macro again when a file changes that the expansion includes.
    items.extend(quote!(#(const _: &str = include_str!(#watched);)*));
    for module in modules {
        let rust: TokenStream = module.rust.parse().map_err(|e| {
            let message = format!("the module `{}` is not Rust: {e}", module.name);
            report::error(Span::call_site(), Span::call_site(), &message)
        })?;
        let rust = crates.placed(rust);
        if module.name == HERE {
            items.extend(rust);
            continue;
        }
        let name = Ident::new(&module.name, Span::call_site());
        let doc = match module.content {
            Content::Store => format!(" The store `{name}`."),
            Content::Kernels => format!(" The kernels of `{name}.pleach`."),
        };
        let quiet = pleach_codegen::backend::rust::quiet();
        items.extend(quote! {
            #[doc = #doc]
            #quiet
            pub mod #name { #rust }
        });
    }
    Ok(items)
}

/// Where generated code finds the crates that it names.
struct Crates {
    runtime: String,
    /// The engine, whose matrices kernels take and return; none where a program has the runtime alone.
    engine: Option<String>,
    /// What stands in generated code for [`PATH`]. Code is generated as text, which cannot keep what tokens know: `$crate` is the crate of
    /// the macro around this one.
    path: TokenStream,
}

/// What generated code calls the crate whose path the program gives.
const PATH: &str = "__pleach_path";

impl Crates {
    /// Generated code with the program's path in it.
    fn placed(&self, rust: TokenStream) -> TokenStream {
        let mut placed = TokenStream::new();
        for token in rust {
            match token {
                TokenTree::Ident(name) if name == PATH => placed.extend(self.path.clone()),
                TokenTree::Group(group) => {
                    let mut inside = Group::new(group.delimiter(), self.placed(group.stream()));
                    inside.set_span(group.span());
                    placed.extend([TokenTree::Group(inside)]);
                }
                token => placed.extend([token]),
            }
        }
        placed
    }
}

/// Takes `#![pleach = PATH]` or `#![runtime = PATH]` off the front.
fn crates(input: TokenStream) -> Result<(Crates, TokenStream), TokenStream> {
    let of_engine = |path, tokens| Crates { runtime: format!("{path}::runtime"), engine: Some(path), path: tokens };
    let tokens: Vec<TokenTree> = input.into_iter().collect();
    // A doc comment of the first item begins with `#`, too, and a group follows.
    let ([TokenTree::Punct(hash), rest @ ..], false) =
        (&tokens[..], matches!(tokens.get(1), Some(TokenTree::Group(_))))
    else {
        return Ok((of_engine("::pleach".into(), TokenStream::new()), tokens.into_iter().collect()));
    };
    let end = rest.get(1).map_or(hash.span(), TokenTree::span);
    let wrong = || report::error(hash.span(), end, "expected `#![pleach = PATH]` or `#![runtime = PATH]`");
    let [TokenTree::Punct(bang), TokenTree::Group(attribute), rest @ ..] = rest else { return Err(wrong()) };
    let inside: Vec<TokenTree> = attribute.stream().into_iter().collect();
    let [TokenTree::Ident(word), TokenTree::Punct(equals), path @ ..] = &inside[..] else { return Err(wrong()) };
    if hash.as_char() != '#' || bang.as_char() != '!' || equals.as_char() != '=' || path.is_empty() {
        return Err(wrong());
    }
    let path: TokenStream = path.iter().cloned().collect();
    let crates = match &word.to_string()[..] {
        "pleach" => of_engine(PATH.to_owned(), path),
        "runtime" => Crates { runtime: PATH.to_owned(), engine: None, path },
        _ => return Err(wrong()),
    };
    Ok((crates, rest.iter().cloned().collect()))
}

#[cfg(test)]
mod tests {
    use pleach_codegen::diagnostic::SourceFile;
    use pleach_codegen::session::Session;

    #[test]
    fn a_doc_comment_is_that_of_the_function() {
        let input = "/// Sums up all.\nkernel f(x: dense) -> t: f64 { t = x(i) }".parse().unwrap();
        let (crates, input) = crate::crates(input).unwrap_or_else(|wrong| panic!("{wrong}"));
        let text = crate::text::Text::of(input).text;
        let mut session = Session::bundled().embedded(crates.engine.as_deref().unwrap());
        session.add(SourceFile::new("pleach!", text), &mut |_, _| unreachable!("no file is used"));
        let modules = session.finish(&crates.runtime).unwrap_or_else(|error| panic!("{error}"));
        assert!(modules[0].rust.contains("/// Sums up all.\n"), "{}", modules[0].rust);
    }

    /// A store that cannot hold rows is not offered as an outer level, and an outer level is not offered as a row store.
    const ONLY_OUTER: &[&str] = &["dense", "paged"];
    const ONLY_ROWS: &[&str] = &["packed", "packed_delta"];

    #[test]
    fn results_are_matrices_in_all_pairs_of_stores() {
        let stores: Vec<&str> = pleach_catalog::SCHEMAS.iter().map(|schema| schema.name).collect();
        let mut pairs = 0;
        for outer in ONLY_OUTER.iter().chain(&stores) {
            let mut session = Session::bundled().embedded("::pleach");
            let kernels: String = ONLY_ROWS
                .iter()
                .chain(&stores)
                .map(|row| {
                    pairs += 1;
                    format!("kernel over_{row}(A: csr, B: csr) -> C: ({outer}, {row}) {{ C(i,j) = A(i,j) + B(i,j) }}\n")
                })
                .collect();
            session.add(SourceFile::new("pleach!", kernels), &mut |_, _| unreachable!("no file is used"));
            let modules = session.finish("::pleach::runtime").unwrap_or_else(|error| panic!("{outer}: {error}"));
            let rust: String = modules[0].rust.split_whitespace().collect();
            let level = match *outer {
                "dense" => "::pleach::runtime::Dense<".to_owned(),
                "paged" => "::pleach::runtime::Paged<".to_owned(),
                store => format!("::pleach::runtime::Nested<::pleach::stores::{}<", camel(store)),
            };
            for row in ONLY_ROWS.iter().chain(&stores) {
                let of = match ONLY_ROWS.contains(row) {
                    true => format!("::pleach::runtime::{}<u32,f64>", camel(row)),
                    false => format!("::pleach::stores::{}<f64>", camel(row)),
                };
                assert!(rust.contains(&format!("::pleach::Matrix<{of}>")), "{outer}, {row}: {rust}");
                assert!(rust.contains(&format!("matrix_of::<{of},{level}")), "{outer}, {row}: {rust}");
            }
        }
        assert_eq!(pairs, 14 * 14);
    }

    /// `blist_gaps` as a type.
    fn camel(name: &str) -> String {
        name.split('_').map(|part| part[..1].to_uppercase() + &part[1..]).collect()
    }
}
