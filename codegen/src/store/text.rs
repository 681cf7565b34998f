//! From tokens to the text of a file.

use proc_macro2::TokenStream;
use quote::quote;

use crate::diagnostic::{Diagnostic, Span};

/// A comment on a line of its own. Tokens cannot carry one, so it travels as a macro call that [`format`] turns back.
pub fn comment(text: impl AsRef<str>) -> TokenStream {
    let text = text.as_ref();
    quote!(comment!(#text);)
}

/// The reason why the unsafe block that follows is sound.
pub fn safety(text: impl AsRef<str>) -> TokenStream {
    comment(format!("SAFETY: {}", text.as_ref()))
}

/// Formats the items of a file.
pub fn format(items: TokenStream) -> Result<String, Vec<Diagnostic>> {
    let file = syn::parse2::<syn::File>(items).map_err(|error| {
        vec![Diagnostic::new(Span::new(0, 0), format!("the compiler generated Rust that does not parse: {error}"))]
    })?;
    let text = prettyplease::unparse(&file);
    let mut out = String::with_capacity(text.len());
    let mut lines = text.lines();
    let mut before = "";
    while let Some(line) = lines.next() {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        // An empty line between items, as a person would leave one.
        let last = before.trim_start();
        if before.len() - last.len() == indent && ends_item(last, trimmed) && starts_item(trimmed, indent) {
            out.push('\n');
        }
        before = line;
        // A long literal stands on a line of its own.
        let literal = match trimmed.strip_prefix("comment!(") {
            Some("") => {
                let literal = lines.next().map(str::trim);
                lines.next();
                literal
            }
            Some(rest) => rest.strip_suffix(");"),
            None => None,
        };
        match literal.and_then(|literal| syn::parse_str::<syn::LitStr>(literal).ok()) {
            Some(comment) => {
                for part in wrap(&comment.value(), 110_usize.saturating_sub(indent)) {
                    out.push_str(&line[..indent]);
                    out.push_str("// ");
                    out.push_str(&part);
                    out.push('\n');
                }
            }
            None => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    Ok(out)
}

/// Whether a line ends an item, or a group of short ones that `next` does not belong to.
fn ends_item(line: &str, next: &str) -> bool {
    const SHORT: [&str; 3] = ["use ", "type ", "const "];
    let is_short = |line: &str| SHORT.iter().any(|item| line.strip_prefix("pub ").unwrap_or(line).starts_with(item));
    line == "}" || line.contains("impl") && line.ends_with("{}") || is_short(line) && !is_short(next)
}

fn starts_item(line: &str, indent: usize) -> bool {
    const ITEMS: [&str; 12] = [
        "///",
        "#[",
        "pub ",
        "fn ",
        "impl",
        "unsafe impl",
        "unsafe fn",
        "struct ",
        "enum ",
        "const fn",
        "type ",
        "use ",
    ];
    ITEMS.iter().any(|item| line.starts_with(item)) || indent <= 4 && line.starts_with("comment!(")
}

fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("at least one line");
        if !line.is_empty() && line.len() + 1 + word.len() > width {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}
