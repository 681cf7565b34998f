//! The text of a macro's input.
//!
//! Rust hands over tokens; the notations are made of text, in which line breaks and touching signs mean something. So every
//! token is put back at its own line and column, and messages count lines and columns as the user does. Doc comments, of which Rust makes
//! attributes, are comments again.

use std::ops::Range;

use pleach_codegen::backend::rust;
use pleach_codegen::diagnostic;
use proc_macro2::{Delimiter, Group, LineColumn, Span, TokenStream, TokenTree};

/// The text that tokens were read from, and which of them stands where in it.
pub struct Text {
    /// The text, without comments other than doc comments; it starts on its first line and ends behind its last token.
    pub text: String,
    /// The bytes of each token, ascending.
    tokens: Vec<(Range<usize>, Span)>,
}

impl Text {
    /// The text of `tokens`.
    pub fn of(tokens: TokenStream) -> Text {
        let made = Text { text: String::new(), tokens: Vec::new() };
        let mut writer = Writer { made, line: 0, column: 0, is_comment: false };
        writer.stream(tokens);
        writer.made
    }

    /// The first and the last token that a part of the text touches; where something is missing, the token before it.
    pub fn tokens(&self, part: diagnostic::Span) -> (Span, Span) {
        let Some(last) = self.tokens.len().checked_sub(1) else { return (Span::call_site(), Span::call_site()) };
        let end = part.end.max(part.start + 1);
        let first = self.tokens.partition_point(|(bytes, _)| bytes.end <= part.start);
        let behind = self.tokens.partition_point(|(bytes, _)| bytes.start < end);
        if first >= behind {
            let before = first.saturating_sub(1).min(last);
            return (self.tokens[before].1, self.tokens[before].1);
        }
        (self.tokens[first].1, self.tokens[behind - 1].1)
    }

    /// A part of the text.
    pub fn shown(&self, part: diagnostic::Span) -> &str {
        self.text.get(part.start..part.end).unwrap_or_default()
    }
}

struct Writer {
    made: Text,
    /// Where the last token ended; line 0 before the first one.
    line: usize,
    column: usize,
    /// Whether that was a comment, which ends with its line.
    is_comment: bool,
}

impl Writer {
    fn stream(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            if let Some(TokenTree::Group(attribute)) = tokens.peek()
                && let Some(lines) = doc_comment(&token, attribute)
            {
                tokens.next();
                lines.iter().for_each(|line| self.put(&format!("/// {line}"), token.span()));
                continue;
            }
            match token {
                TokenTree::Group(group) => {
                    let (open, close) = match group.delimiter() {
                        Delimiter::Parenthesis => ("(", ")"),
                        Delimiter::Brace => ("{", "}"),
                        Delimiter::Bracket => ("[", "]"),
                        Delimiter::None => ("", ""),
                    };
                    self.put(open, group.span_open());
                    self.stream(group.stream());
                    self.put(close, group.span_close());
                }
                other => self.put(&other.to_string(), other.span()),
            }
        }
    }

    fn put(&mut self, token: &str, span: Span) {
        let LineColumn { line, column } = span.start();
        if self.line == 0 {
            self.line = line;
            self.column = column;
        }
        // Tokens of another macro may come from anywhere: they are kept apart, and in order.
        if line > self.line {
            self.made.text.extend(std::iter::repeat_n('\n', line - self.line));
            self.made.text.extend(std::iter::repeat_n(' ', column));
        } else if self.is_comment {
            self.made.text.push('\n');
        } else if line == self.line && column >= self.column {
            self.made.text.extend(std::iter::repeat_n(' ', column - self.column));
        } else {
            self.made.text.push(' ');
        }
        let from = self.made.text.len();
        self.made.text.push_str(token);
        if !token.is_empty() {
            self.made.tokens.push((from..self.made.text.len(), span));
        }
        (self.line, self.column) = (line, column + token.chars().count());
        self.is_comment = token.starts_with("//");
    }
}

/// The lines of a doc comment, if two tokens are the attribute `#[doc = "…"]` that Rust makes of one.
fn doc_comment(hash: &TokenTree, attribute: &Group) -> Option<Vec<String>> {
    let inside: Vec<TokenTree> = attribute.stream().into_iter().collect();
    let (TokenTree::Punct(hash), [TokenTree::Ident(word), TokenTree::Punct(equals), TokenTree::Literal(text)]) =
        (hash, &inside[..])
    else {
        return None;
    };
    if hash.as_char() != '#' || attribute.delimiter() != Delimiter::Bracket || word != "doc" || equals.as_char() != '='
    {
        return None;
    }
    let text = rust::text_of(&text.to_string())?;
    // The lines of `/** … */` may begin with a star each.
    let lines = text.lines().enumerate().map(|(at, line)| match at {
        0 => line.trim(),
        _ => line.trim().trim_start_matches('*').trim(),
    });
    Some(lines.map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::Text;

    #[test]
    fn lines_and_touching_signs_are_kept() {
        let text = "kernel f(y: dense, A: csr) {\n    y(i) min= A(i,j)   // a remark\n    C(i)<!M> = 1.5e-3\n}\nuse \"a b.pleach\"";
        let expected =
            "kernel f(y: dense, A: csr) {\n    y(i) min= A(i,j)\n    C(i)<!M> = 1.5e-3\n}\nuse \"a b.pleach\"";
        assert_eq!(Text::of(text.parse().unwrap()).text, expected);
        assert_eq!(Text::of("".parse().unwrap()).text, "");
    }

    #[test]
    fn doc_comments_are_kept_as_comments() {
        let kernel = |name: &str| format!("kernel {name}(x: dense) -> t: f64 {{ t = x(i) }}");
        let text = format!("/// Sums up *all*.\n{}\n/** Two\n  * lines. */ {}", kernel("f"), kernel("g"));
        let made = Text::of(text.parse().unwrap()).text;
        assert!(made.starts_with(&format!("/// Sums up *all*.\n{}\n/// Two\n/// lines.\n", kernel("f"))), "{made}");
        assert!(made.ends_with(&kernel("g")), "{made}");
        // An attribute of another kind is none.
        assert_eq!(Text::of("#[inline] kernel".parse().unwrap()).text, "#[inline] kernel");
    }

    #[test]
    fn parts_of_the_text_are_tokens_of_the_input() {
        let text = Text::of("kernel f(y: dense)\n  { y(i) = A(i,k) }".parse().unwrap());
        let at = text.text.find("A(i,k)").unwrap();
        let columns = |from: usize, to: usize| {
            let (first, last) = text.tokens((from..to).into());
            (first.start().line, first.start().column, last.end().column)
        };
        assert_eq!(columns(at, at + 6), (2, 11, 17));
        assert_eq!(columns(at + 4, at + 5), (2, 15, 16));
        // Between tokens: the one before.
        assert_eq!(columns(at - 1, at - 1), (2, 9, 10));
        assert_eq!(columns(0, 0), (1, 0, 6));
        let end = text.text.len();
        assert_eq!(columns(end, end), (2, 18, 19));
    }
}
