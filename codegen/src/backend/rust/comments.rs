//! Comments that survive the formatter.
//!
//! `prettyplease` formats a syntax tree, and comments are not part of one. A comment therefore travels as the statement
//! `__comment!("text");` and becomes `// text` after formatting. Tokens for a macro's output leave comments out.

use proc_macro2::TokenStream;
use quote::quote;

const MARKER: &str = "__comment!(";

/// The statement that stands for a comment.
pub(super) fn marker(text: &str) -> TokenStream {
    let text = text.replace(['\n', '\r'], " ");
    quote!(__comment!(#text);)
}

/// Turns markers into comments.
pub(super) fn restore(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        let Some(rest) = line.trim_start().strip_prefix(MARKER) else {
            out.push_str(line);
            out.push('\n');
            continue;
        };
        // What is too long for a line stands on lines of its own.
        let mut text = rest.to_owned();
        while !text.ends_with(");") {
            text.push_str(lines.next().map_or(");", str::trim));
        }
        let text = syn::parse_str::<syn::LitStr>(text.trim_end_matches(");"));
        out.push_str(&line[..indent]);
        out.push_str("// ");
        out.push_str(&text.map_or_else(|_| String::new(), |text| text.value()));
        out.push('\n');
    }
    out
}
