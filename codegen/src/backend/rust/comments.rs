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

/// The text that a string literal of Rust stands for; `None` if `literal` is none.
pub fn text_of(literal: &str) -> Option<String> {
    syn::parse_str::<syn::LitStr>(literal).ok().map(|text| text.value())
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
        out.push_str(&line[..indent]);
        out.push_str("// ");
        out.push_str(&text_of(text.trim_end_matches(");")).unwrap_or_default());
        out.push('\n');
    }
    out
}
