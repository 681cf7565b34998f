//! A place in a list of tokens, and what all parsers need to know there.

use super::ast::Name;
use super::lexer::{Token, TokenKind, lex};
use crate::diagnostic::{Diagnostic, Span};

/// What a parser returns: the tree, or the one mistake that stopped it.
pub type Parsed<T> = Result<T, Box<Diagnostic>>;

/// How deep expressions and statements may nest. Every pass recurses over them, so this bounds its stack.
pub const DEEPEST: usize = 128;

/// A place in a list of tokens.
#[derive(Clone)]
pub struct Cursor<'s> {
    source: &'s str,
    tokens: Vec<Token>,
    at: usize,
}

impl<'s> Cursor<'s> {
    /// The beginning of `source`.
    pub fn new(source: &'s str) -> Cursor<'s> {
        Cursor { source, tokens: lex(source), at: 0 }
    }

    /// The token that comes next.
    pub fn peek(&self) -> Token {
        self.tokens[self.at]
    }

    /// The token behind the next one.
    pub fn second(&self) -> Token {
        self.tokens[(self.at + 1).min(self.tokens.len() - 1)]
    }

    /// Steps over the next token and returns it. The end is never stepped over.
    pub fn bump(&mut self) -> Token {
        let token = self.peek();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    /// The text of `token`.
    pub fn text(&self, token: Token) -> &'s str {
        &self.source[token.span.start..token.span.end]
    }

    /// The place where the last token that was stepped over ends.
    pub fn last_end(&self) -> usize {
        if self.at == 0 { 0 } else { self.tokens[self.at - 1].span.end }
    }

    /// From `start` to the end of the last token that was stepped over.
    pub fn since(&self, start: usize) -> Span {
        Span::new(start, self.last_end().max(start))
    }

    /// Whether the text is at its end.
    pub fn at_end(&self) -> bool {
        self.peek().kind == TokenKind::End
    }

    /// Whether the next token stands on a later line than the one before it.
    pub fn starts_line(&self) -> bool {
        self.source[self.last_end()..self.peek().span.start].contains('\n')
    }

    /// Whether the mark `mark` comes next. `>` is also found at the head of `>=` and `>>`.
    pub fn at_mark(&self, mark: &str) -> bool {
        match self.peek().kind {
            TokenKind::Mark(next) => next == mark || (mark == ">" && (next == ">=" || next == ">>")),
            _ => false,
        }
    }

    /// Steps over `mark` if it comes next.
    pub fn eat(&mut self, mark: &str) -> bool {
        if !self.at_mark(mark) {
            return false;
        }
        let token = &mut self.tokens[self.at];
        let rest = match token.kind {
            TokenKind::Mark(">=") if mark == ">" => Some("="),
            TokenKind::Mark(">>") if mark == ">" => Some(">"),
            _ => None,
        };
        match rest {
            Some(rest) => {
                token.kind = TokenKind::Mark(rest);
                token.span.start += 1;
            }
            None => self.at += 1,
        }
        true
    }

    /// Whether the word `word` comes next.
    pub fn at_word(&self, word: &str) -> bool {
        self.peek().kind == TokenKind::Name && self.text(self.peek()) == word
    }

    /// Steps over the word `word` if it comes next.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let there = self.at_word(word);
        if there {
            self.at += 1;
        }
        there
    }

    /// Steps over `mark`, or says that it was expected `place`, such as "behind the indices".
    pub fn expect(&mut self, mark: &str, place: &str) -> Parsed<Span> {
        let span = self.peek().span;
        if self.eat(mark) {
            Ok(Span::new(span.start, span.start + mark.len()))
        } else {
            Err(self.expected(&format!("`{mark}` {place}")))
        }
    }

    /// Steps over a name, or says that `what` was expected.
    pub fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.peek();
        if token.kind != TokenKind::Name {
            return Err(self.expected(what));
        }
        self.bump();
        if let Some(name) = self.raw_name(token) {
            let raw = token.span.to(name.span);
            let message = format!("`{}` is a raw identifier of Rust", &self.source[raw.start..raw.end]);
            let help = format!("write `{}`: names stand without `r#` here", self.text(name));
            return Err(Box::new(Diagnostic::new(raw, message).help(help)));
        }
        Ok(Name { text: self.text(token).to_owned(), span: token.span })
    }

    /// The name in `r#name`, of which `token` is the `r` and has been stepped over.
    fn raw_name(&self, token: Token) -> Option<Token> {
        let (mark, name) = (self.peek(), self.second());
        let touch = token.span.end == mark.span.start && mark.span.end == name.span.start;
        let is_raw = self.text(token) == "r" && mark.kind == TokenKind::Mark("#") && name.kind == TokenKind::Name;
        (is_raw && touch).then_some(name)
    }

    /// Steps over a whole number, with a minus or without, or says that `what` was expected.
    pub fn integer(&mut self, what: &str) -> Parsed<i64> {
        let start = self.peek().span.start;
        let negative = self.at_mark("-") && self.second().kind == TokenKind::Number;
        if negative {
            self.bump();
        }
        let token = self.peek();
        if token.kind != TokenKind::Number {
            return Err(self.expected(what));
        }
        self.bump();
        let digits: String = self.text(token).chars().filter(|&c| c != '_').collect();
        let signed = if negative { format!("-{digits}") } else { digits };
        signed.parse().map_err(|_| {
            Box::new(Diagnostic::new(
                self.since(start),
                format!("expected {what}, but `{signed}` is not a whole number of 64 bits"),
            ))
        })
    }

    /// Items between `open` and `close`, separated by commas; a comma behind the last one is allowed.
    pub fn list<T>(
        &mut self,
        open: &str,
        close: &str,
        place: &str,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        self.expect(open, place)?;
        let mut items = Vec::new();
        while !self.eat(close) {
            items.push(item(self)?);
            if !self.eat(",") && !self.at_mark(close) {
                return Err(self.expected(&format!("`,` or `{close}`")));
            }
        }
        Ok(items)
    }

    /// The mistake that `what` was expected, but something else stands here.
    pub fn expected(&self, what: &str) -> Box<Diagnostic> {
        let token = self.peek();
        let found = match token.kind {
            TokenKind::End => "the text ends".to_owned(),
            TokenKind::Unknown => {
                let shown: String = self.text(token).chars().take(20).collect();
                format!("found {shown:?}")
            }
            _ => {
                let shown: String = self.text(token).chars().take(40).collect();
                format!("found `{shown}`")
            }
        };
        Box::new(Diagnostic::new(token.span, format!("expected {what}, but {found}")))
    }

    /// Steps over tokens up to the next one, outside of all brackets opened here, that `stop` accepts, or to the
    /// bracket that closes what was open before, or to the end.
    pub fn skip_until(&mut self, mut stop: impl FnMut(&Self) -> bool) {
        let mut open = 0usize;
        while !self.at_end() {
            if open == 0 && stop(self) {
                return;
            }
            match self.peek().kind {
                TokenKind::Mark("(" | "{" | "[") => open += 1,
                TokenKind::Mark(")" | "}" | "]") if open == 0 => return,
                TokenKind::Mark(")" | "}" | "]") => open -= 1,
                _ => {}
            }
            self.bump();
        }
    }
}

/// The mistake that something nests too deep.
pub fn too_deep(span: Span, what: &str) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::new(span, format!("{what} nests deeper than {DEEPEST}"))
            .help("split it over several statements, with a temporary for each part"),
    )
}
