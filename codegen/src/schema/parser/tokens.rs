//! The tokens of a schema, one after the other: what comes next, and where to go on behind a mistake.

use super::{Parsed, Parser, Told};
use crate::diagnostic::{Diagnostic, Span};
use crate::schema::ast::*;
use crate::schema::lexer::{Kind, Token};

impl Parser {
    pub(super) fn amount(&mut self, what: &str) -> Parsed<Amount> {
        match self.peek(0) {
            Kind::Number(_) => Ok(Amount::Const(self.number(what)?)),
            _ => Ok(Amount::Named(self.name(what)?)),
        }
    }

    pub(super) fn number(&mut self, what: &str) -> Parsed<Number> {
        let Kind::Number(value) = *self.peek(0) else { return self.expected(what) };
        let at = Place(self.span());
        self.at += 1;
        Ok(Number { value, at })
    }

    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
        let Kind::Name(text) = self.peek(0).clone() else { return self.expected(what) };
        let at = Place(self.span());
        self.at += 1;
        Ok(Name { text, at })
    }

    /// The name of a store, node or supertype: not the word that begins the next one.
    pub(super) fn own_name(&mut self, what: &str) -> Parsed<Name> {
        match self.is_word("def") || self.is_word("store") {
            true => self.expected(what),
            false => self.name(what),
        }
    }

    pub(super) fn expect(&mut self, c: char) -> Parsed<()> {
        match self.take(c) {
            true => Ok(()),
            false => self.expected(&format!("`{c}`")),
        }
    }

    pub(super) fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let message = format!("expected {what}, found {}", self.found());
        self.diagnostics.push(Diagnostic::new(self.span(), message));
        Err(Told)
    }

    pub(super) fn take(&mut self, c: char) -> bool {
        let is = self.is(c);
        self.at += usize::from(is);
        is
    }

    pub(super) fn take_annotation(&mut self, word: &str) -> bool {
        let is = self.is_annotation(word);
        self.at += usize::from(is);
        is
    }

    /// Whether `word` comes next and is not the name of the next field.
    pub(super) fn is_annotation(&self, word: &str) -> bool {
        self.is_word(word) && *self.peek(1) != Kind::Punctuation(':')
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(0), Kind::Name(name) if name == word)
    }

    pub(super) fn is(&self, c: char) -> bool {
        *self.peek(0) == Kind::Punctuation(c)
    }

    pub(super) fn is_end(&self) -> bool {
        self.next().kind == Kind::End
    }

    pub(super) fn next(&self) -> &Token {
        &self.tokens[self.at]
    }

    pub(super) fn peek(&self, ahead: usize) -> &Kind {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].kind
    }

    pub(super) fn span(&self) -> Span {
        self.next().span
    }

    pub(super) fn span_before(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    pub(super) fn found(&self) -> String {
        self.next().kind.describe()
    }

    /// The comment lines before the next token.
    pub(super) fn doc(&self) -> Vec<String> {
        let own_lines = self.next().comments.iter().filter(|comment| !comment.trails);
        own_lines.map(|comment| comment.text.clone()).collect()
    }

    pub(super) fn skip_while(&mut self, wanted: impl Fn(&Kind, &Kind) -> bool) {
        while !self.is_end() && wanted(self.peek(0), self.peek(1)) {
            self.at += 1;
        }
    }

    /// To the next `def` or `store`, at least one token further unless this is one.
    pub(super) fn skip_to_item(&mut self) {
        self.skip_while(|kind, _| !matches!(kind, Kind::Name(word) if word == "def" || word == "store"));
    }

    /// To the next `NAME :`, `seq`, closing brace or `def`. What is passed cannot be one of these, except for the
    /// name of a field in which the mistake was reported, which was taken already.
    pub(super) fn skip_to_field(&mut self) {
        if self.is(',') || self.is(':') {
            self.at += 1;
        }
        self.skip_while(|kind, next| match kind {
            Kind::Name(word) => !matches!(word.as_str(), "seq" | "def") && *next != Kind::Punctuation(':'),
            Kind::Punctuation(c) => *c != '}',
            _ => true,
        });
    }
}
