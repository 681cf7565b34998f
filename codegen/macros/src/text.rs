//! The text of a macro's input.
//!
//! Rust hands over tokens; the notations are made of text, in which line breaks and touching signs mean something. So every
//! token is put back at its own line and column, and messages count lines and columns as the user does.

use proc_macro2::{Delimiter, LineColumn, Span, TokenStream, TokenTree};

/// The text that `tokens` were read from, without comments; it starts on its first line and ends behind its last token.
pub fn of(tokens: TokenStream) -> String {
    let mut writer = Writer { text: String::new(), line: 0, column: 0 };
    writer.stream(tokens);
    writer.text
}

struct Writer {
    text: String,
    /// Where the last token ended; line 0 before the first one.
    line: usize,
    column: usize,
}

impl Writer {
    fn stream(&mut self, tokens: TokenStream) {
        for token in tokens {
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
            self.text.extend(std::iter::repeat_n('\n', line - self.line));
            self.text.extend(std::iter::repeat_n(' ', column));
        } else if line == self.line && column >= self.column {
            self.text.extend(std::iter::repeat_n(' ', column - self.column));
        } else {
            self.text.push(' ');
        }
        self.text.push_str(token);
        (self.line, self.column) = (line, column + token.chars().count());
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn lines_and_touching_signs_are_kept() {
        let text = "kernel f(y: dense, A: csr) {\n    y(i) min= A(i,j)   // a remark\n    C(i)<!M> = 1.5e-3\n}\nuse \"a b.pleach\"";
        let expected =
            "kernel f(y: dense, A: csr) {\n    y(i) min= A(i,j)\n    C(i)<!M> = 1.5e-3\n}\nuse \"a b.pleach\"";
        assert_eq!(of(text.parse().unwrap()), expected);
        assert_eq!(of("".parse().unwrap()), "");
    }
}
