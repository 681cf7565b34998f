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
    for line in source.lines() {
        let indent = line.len() - line.trim_start().len();
        let comment = line
            .trim_start()
            .strip_prefix(MARKER)
            .and_then(|rest| rest.strip_suffix(");"))
            .and_then(|text| syn::parse_str::<syn::LitStr>(text).ok());
        match comment {
            Some(text) => {
                out.push_str(&line[..indent]);
                out.push_str("// ");
                out.push_str(&text.value());
            }
            None => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_keep_quotes_and_other_alphabets() {
        let text = "A ∪ B, \"quoted\" \\ and\nbroken";
        let marker = marker(text);
        let file: syn::File = syn::parse2(quote!(fn f() { #marker g(); })).unwrap();
        let source = restore(&prettyplease::unparse(&file));
        assert_eq!(source, "fn f() {\n    // A ∪ B, \"quoted\" \\ and broken\n    g();\n}\n");
    }
}
