//! Text to tokens. Comments go along with the token that follows them.

use crate::diagnostic::{Diagnostic, Diagnostics, Span};

/// A token and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
    /// Comments between the token before and this one.
    pub(super) comments: Vec<Comment>,
}

/// `// text`, trimmed.
#[derive(Clone, Debug)]
pub(super) struct Comment {
    pub(super) text: String,
    /// Stands behind a token on the same line.
    pub(super) trails: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Name(String),
    Number(u64),
    Punctuation(char),
    /// Of the text.
    End,
}

impl Kind {
    /// How a message calls it.
    pub(super) fn describe(&self) -> String {
        match self {
            Kind::Name(name) => format!("`{}`", shorten(name)),
            Kind::Number(number) => format!("`{number}`"),
            Kind::Punctuation(c) => format!("`{c}`"),
            Kind::End => "the end of the text".to_owned(),
        }
    }
}

/// Keeps a message readable whatever is called so.
fn shorten(name: &str) -> String {
    const SHOWN: usize = 40;
    match name.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// The tokens of `source[part]`, the last of them [`Kind::End`]. Spans count from the start of `source`.
pub(super) fn lex(source: &str, part: Span, diagnostics: &mut Diagnostics) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut comments = Vec::new();
    let mut fresh_line = true;
    let mut chars = source[part.start..part.end].char_indices().map(|(at, c)| (part.start + at, c)).peekable();
    while let Some((start, c)) = chars.next() {
        let mut eat_while = |wanted: fn(char) -> bool| {
            let mut end = start + c.len_utf8();
            while let Some(&(at, c)) = chars.peek() {
                if !wanted(c) {
                    break;
                }
                end = at + c.len_utf8();
                chars.next();
            }
            Span::new(start, end)
        };
        let (kind, span) = match c {
            '\n' => {
                fresh_line = true;
                continue;
            }
            c if c.is_whitespace() => continue,
            '/' if source[start..part.end].starts_with("//") => {
                let span = eat_while(|c| c != '\n');
                let text = source[span.start..span.end].trim_start_matches('/').trim().to_owned();
                comments.push(Comment { text, trails: !fresh_line });
                continue;
            }
            c if c.is_alphabetic() || c == '_' => {
                let span = eat_while(|c| c.is_alphanumeric() || c == '_');
                let name = &source[span.start..span.end];
                if !name.is_ascii() {
                    let message = format!("`{}` is no name", shorten(name));
                    diagnostics.push(Diagnostic::new(span, message).help("names are ASCII letters, digits and `_`"));
                }
                (Kind::Name(name.to_owned()), span)
            }
            '0'..='9' => {
                let span = eat_while(|c| c.is_ascii_alphanumeric() || c == '_');
                let text = &source[span.start..span.end];
                match text.parse() {
                    Ok(number) => (Kind::Number(number), span),
                    Err(_) => {
                        diagnostics.push(match text.bytes().all(|byte| byte.is_ascii_digit()) {
                            true => Diagnostic::new(span, "this number is too large")
                                .help(format!("constants are at most {}", u64::MAX)),
                            false => Diagnostic::new(span, "this is neither a number nor a name")
                                .help("numbers are decimal digits; names begin with a letter or `_`"),
                        });
                        (Kind::Number(1), span)
                    }
                }
            }
            '{' | '}' | '[' | ']' | '<' | '>' | ',' | ':' | '=' | '*' => {
                (Kind::Punctuation(c), Span::new(start, start + 1))
            }
            _ => {
                let span = eat_while(|c| !c.is_ascii() || c.is_ascii_control() && c != '\n');
                diagnostics.push(unknown(c, span));
                continue;
            }
        };
        tokens.push(Token { kind, span, comments: std::mem::take(&mut comments) });
        fresh_line = false;
    }
    tokens.push(Token { kind: Kind::End, span: Span::new(part.end, part.end), comments });
    tokens
}

fn unknown(c: char, span: Span) -> Diagnostic {
    let diagnostic = match c {
        c if c.is_control() => Diagnostic::new(span, "a control character has no place in a schema"),
        c => Diagnostic::new(span, format!("`{c}` has no meaning in a schema")),
    };
    match c {
        '/' | '#' => diagnostic.help("comments begin with `//`"),
        ';' => diagnostic.help("fields follow each other without a separator"),
        '(' | ')' => diagnostic.help("groups of a `seq` stand in `{…}`, sizes and ranges in `[…]`"),
        _ => diagnostic,
    }
}
