//! Mistakes and warnings, at the tokens of the block that they are about.

use pleach_codegen::diagnostic::{Diagnostic, Diagnostics, SourceFile};
use pleach_codegen::session::SessionError;
use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::quote_spanned;

use crate::HERE;
use crate::text::Text;

/// A call of `compile_error!` for each mistake.
pub fn mistakes(error: &SessionError, text: &Text) -> TokenStream {
    each(&error.0, text, "error").map(|(from, to, message)| self::error(from, to, &message)).collect()
}

/// What makes rustc print each warning: the use of a constant that is deprecated with its message.
pub fn warnings(warnings: &[(SourceFile, Diagnostics)], text: &Text) -> TokenStream {
    each(warnings, text, "warning").map(|(from, _, message)| warning(from, &message)).collect()
}

/// The first and last token and the words of each diagnostic.
fn each<'d>(
    files: &'d [(SourceFile, Diagnostics)],
    text: &'d Text,
    kind: &'d str,
) -> impl Iterator<Item = (Span, Span, String)> + 'd {
    files.iter().flat_map(move |(file, all)| {
        all.iter().map(move |one| match file.name == HERE {
            true => {
                let (from, to) = text.tokens(one.span);
                (from, to, words(one, text))
            }
            // The tokens of other files are not available, so mistakes there are drawn as text.
            false => {
                let drawn = match kind {
                    "warning" => one.render_warning(&file.name, &file.text),
                    _ => one.render(&file.name, &file.text),
                };
                (Span::call_site(), Span::call_site(), format!("in `{}`\n{drawn}", file.name))
            }
        })
    })
}

/// A diagnostic without a drawing, which rustc adds.
fn words(one: &Diagnostic, text: &Text) -> String {
    let mut words = one.message.clone();
    let mut add = |kind: &str, text: &str| words.push_str(&format!("\n  {kind}: {}", text.replace('\n', "\n    ")));
    if !one.label.is_empty() {
        add("here", &one.label);
    }
    for (span, label) in &one.related {
        add("see", &format!("line {}, `{}`: {label}", text.tokens(*span).0.start().line, text.shown(*span)));
    }
    one.notes.iter().for_each(|note| add("note", note));
    one.help.iter().for_each(|help| add("help", help));
    words
}

/// `::core::compile_error! { "…" }`, which rustc underlines from the first span to the second.
pub fn error(from: Span, to: Span, message: &str) -> TokenStream {
    let punct = |sign, spacing| {
        let mut punct = Punct::new(sign, spacing);
        punct.set_span(from);
        TokenTree::from(punct)
    };
    let ident = |name: &str| TokenTree::from(Ident::new(name, from));
    let mut literal = Literal::string(message);
    literal.set_span(to);
    let mut group = Group::new(Delimiter::Brace, TokenTree::from(literal).into());
    group.set_span(to);
    [
        punct(':', Spacing::Joint),
        punct(':', Spacing::Alone),
        ident("core"),
        punct(':', Spacing::Joint),
        punct(':', Spacing::Alone),
        ident("compile_error"),
        punct('!', Spacing::Alone),
        group.into(),
    ]
    .into_iter()
    .collect()
}

fn warning(at: Span, message: &str) -> TokenStream {
    let at = at.resolved_at(Span::call_site());
    quote_spanned! {at=>
        const _: () = {
            #[deprecated(note = #message)]
            #[allow(non_upper_case_globals)]
            const pleach: () = ();
            let _ = pleach;
        };
    }
}
