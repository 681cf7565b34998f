//! Characters to tokens.
//!
//! Lexing never fails: what belongs to no token becomes [`TokenKind::Unknown`], which the parser reports where it
//! stands, so that one stray character costs one message.

use crate::diagnostic::Span;

/// A token and where it stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of tokens. The text of names and numbers is read from the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TokenKind {
    /// A letter or underscore, then letters, digits and underscores.
    Name,
    /// Digits, with fraction and exponent or without.
    Number,
    /// `"…"` on one line.
    Text,
    /// A punctuation mark, the longest that fits.
    Mark(&'static str),
    /// A character that starts no token.
    Unknown,
    End,
}

/// Longest first, so that the first that fits is the longest.
const MARKS: [&str; 37] = [
    "->", "==", "!=", "<=", ">=", "+=", "*=", "|=", "&=", "<<", ">>", "(", ")", "{", "}", "<", ">", "[", "]", ",", ":",
    ";", "=", "+", "-", "*", "/", "%", "|", "&", "^", "#", "!", ".", "?", "~", "@",
];

/// The tokens of `source`, the last of which is [`TokenKind::End`]. Comments run from `//` to the end of the line.
pub fn lex(source: &str) -> Vec<Token> {
    let bytes = source.as_bytes();
    let mut tokens = Vec::with_capacity(source.len() / 3);
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let byte = bytes[at];
        let kind = if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        } else if source[at..].starts_with("//") {
            at = source[at..].find('\n').map_or(bytes.len(), |line| at + line);
            continue;
        } else if byte.is_ascii_alphabetic() || byte == b'_' {
            at += run(&bytes[at..], |b| b.is_ascii_alphanumeric() || b == b'_');
            TokenKind::Name
        } else if byte.is_ascii_digit() {
            at += number(&bytes[at..]);
            TokenKind::Number
        } else if byte == b'"' {
            let body = run(&bytes[at + 1..], |b| b != b'"' && b != b'\n');
            if bytes.get(at + 1 + body) == Some(&b'"') {
                at += body + 2;
                TokenKind::Text
            } else {
                at += body + 1;
                TokenKind::Unknown
            }
        } else if let Some(mark) = MARKS.iter().find(|mark| source[at..].starts_with(**mark)) {
            at += mark.len();
            TokenKind::Mark(mark)
        } else {
            let width = source[at..].chars().next().map_or(1, char::len_utf8);
            at += width;
            if source[start..at].chars().all(char::is_whitespace) {
                continue;
            }
            TokenKind::Unknown
        };
        tokens.push(Token { kind, span: Span::new(start, at) });
    }
    tokens.push(Token { kind: TokenKind::End, span: Span::new(source.len(), source.len()) });
    tokens
}

fn run(bytes: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|&&b| belongs(b)).count()
}

/// Length of `12`, `1.5`, `1e-3`. A dot belongs to the number only if a digit follows.
fn number(bytes: &[u8]) -> usize {
    let digits = |from: usize| run(&bytes[from.min(bytes.len())..], |b| b.is_ascii_digit() || b == b'_');
    let mut length = digits(0);
    if bytes.get(length) == Some(&b'.') && bytes.get(length + 1).is_some_and(u8::is_ascii_digit) {
        length += 1 + digits(length + 1);
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        if bytes.get(length + 1 + sign).is_some_and(u8::is_ascii_digit) {
            length += 1 + sign + digits(length + 1 + sign);
        }
    }
    length
}
