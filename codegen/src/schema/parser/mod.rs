//! Tokens to [`ast`](super::ast). The grammar is flat, so nothing here recurses.
//!
//! ```text
//! file       ::= store* | def*
//! store      ::= 'store' NAME ['<' param (',' param)* [','] '>'] '{' def* '}'
//! param      ::= NAME '=' CONST
//! def        ::= 'def' 'supertype' NAME
//!              | 'def' NAME [':' NAME] '{' field* ['seq' '=' entry (',' entry)*] '}'
//! field      ::= NAME ':' type
//! type       ::= 'elem' ['[' amount ']'] annotation* | NAME ['[' amount ']'] annotation*
//!              | 'size' ['in' '[' amount ',' (amount | '*') ']'] | 'count' ['deep'] | 'parent'
//!              | 'bool' | 'int8' | 'int16' | 'int32' | 'int64' | 'uint8' | 'uint16' | 'uint32' | 'uint64'
//! amount     ::= NAME | CONST
//! annotation ::= 'nonempty' | 'delta' | 'inline' | 'coord' NAME
//! entry      ::= NAME | '{' NAME (',' NAME)* '}'
//! ```
//!
//! After a mistake the parser goes on at the next field, or at the next `def` or `store`.

mod tokens;
mod types;

use std::collections::HashMap;

use crate::diagnostic::{Diagnostic, Diagnostics, Span, nearest};
use crate::schema::ast::{Def, Field, Name, NodeDef, Param, Place, Seq, Store, SupertypeDef};
use crate::schema::lexer::{Kind, Token, lex};

/// Words that may follow `elem` or a child's type.
const ANNOTATIONS: [&str; 4] = ["nonempty", "delta", "inline", "coord"];

/// Parses a file of schemas: any number of `store`s, or bare `def`s, which are one store without a name.
///
/// Takes time linear in the text and does not recurse, whatever the text is.
///
/// # Errors
///
/// What the grammar does not allow, several mistakes per run.
pub fn parse(source: &str) -> Result<Vec<Store>, Diagnostics> {
    parse_part(source, Span::new(0, source.len()))
}

/// Parses `source[part]`, such as one `store` among the formats and kernels of a larger file. Spans count from the
/// start of `source`.
///
/// # Errors
///
/// As [`parse`].
///
/// # Panics
///
/// If `part` does not lie in `source` or cuts a character.
pub fn parse_part(source: &str, part: Span) -> Result<Vec<Store>, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let tokens = lex(source, part, &mut diagnostics);
    let mut parser = Parser { tokens, at: 0, diagnostics };
    let stores = parser.file();
    super::tell(parser.diagnostics, stores)
}

struct Parser {
    tokens: Vec<Token>,
    /// The next token. The last one, the end of the text, is never passed.
    at: usize,
    diagnostics: Diagnostics,
}

/// A mistake was reported; the caller goes on at the next sensible place.
struct Told;

type Parsed<T> = Result<T, Told>;

impl Parser {
    fn file(&mut self) -> Vec<Store> {
        let mut stores = Vec::new();
        let mut bare = Vec::new();
        while !self.is_end() {
            if self.is_word("store") {
                stores.extend(self.store());
            } else if self.is_word("def") {
                bare.extend(self.def());
            } else {
                let message = format!("expected `store` or `def`, found {}", self.found());
                let help = match &self.next().kind {
                    Kind::Name(word) => nearest(word, ["store", "def"]).map(|word| format!("did you mean `{word}`?")),
                    _ => None,
                };
                let mut diagnostic = Diagnostic::new(self.span(), message);
                diagnostic.help.extend(help);
                self.diagnostics.push(diagnostic);
                self.skip_to_item();
            }
        }
        let mut names: HashMap<&str, &Name> = HashMap::new();
        for name in stores.iter().filter_map(|store: &Store| store.name.as_ref()) {
            if let Some(first) = names.insert(&name.text, name) {
                self.diagnostics.push(
                    Diagnostic::new(name.span(), format!("two stores called `{}`", name.text))
                        .related(first.span(), "the first one")
                        .help("remove or rename one"),
                );
            }
        }
        if let (Some(def), Some(store)) = (bare.first(), stores.first()) {
            let store_name = store.name.as_ref().map_or(store.at.0, Name::span);
            self.diagnostics.push(
                Diagnostic::new(def_name(def).span(), "a `def` outside of the file's stores")
                    .related(store_name, "a store of this file")
                    .help("move it into a `store … { }`: a file is either one store of bare `def`s or holds `store`s"),
            );
        }
        if !bare.is_empty() {
            let span = def_name(&bare[0]).span().to(def_name(&bare[bare.len() - 1]).span());
            stores.push(Store { doc: Vec::new(), name: None, params: Vec::new(), defs: bare, at: Place(span) });
        }
        stores
    }

    /// `store NAME<…> { def … }`. Tells its mistakes and goes on behind it.
    fn store(&mut self) -> Option<Store> {
        let doc = self.doc();
        let start = self.span();
        self.at += 1;
        match self.store_head() {
            Ok((name, params)) => {
                let mut defs = Vec::new();
                loop {
                    if self.is_word("def") {
                        defs.extend(self.def());
                    } else if self.take('}') {
                        break;
                    } else if self.is_end() || self.is_word("store") && matches!(self.peek(1), Kind::Name(_)) {
                        let _: Parsed<()> = self.expected("`def` or the `}` that closes the store");
                        break;
                    } else {
                        let _: Parsed<()> = self.expected("`def` or `}`");
                        self.at += 1;
                        self.skip_while(|kind, _| {
                            !matches!(kind, Kind::Name(word) if word == "def" || word == "store")
                                && *kind != Kind::Punctuation('}')
                        });
                    }
                }
                Some(Store { doc, name: Some(name), params, defs, at: Place(start.to(self.span_before())) })
            }
            Err(Told) => {
                // Nothing can be said of its body, except where it ends.
                self.skip_to_item();
                while self.is_word("def") {
                    self.def();
                }
                self.take('}');
                None
            }
        }
    }

    fn store_head(&mut self) -> Parsed<(Name, Vec<Param>)> {
        let name = self.own_name("the store's name")?;
        let mut params = Vec::new();
        if self.take('<') {
            while !self.take('>') {
                let name = self.name("a parameter's name")?;
                if !self.take('=') {
                    self.diagnostics.push(
                        Diagnostic::new(self.span(), format!("expected `=`, found {}", self.found()))
                            .help(format!("parameters have a default: `{} = 64`", name.text)),
                    );
                    return Err(Told);
                }
                let default = self.number("the parameter's default")?;
                params.push(Param { name, default });
                if !self.take(',') && !self.is('>') {
                    return self.expected("`,` or `>`");
                }
            }
        }
        self.expect('{')?;
        Ok((name, params))
    }

    /// `def …`. Tells its mistakes and goes on behind it.
    fn def(&mut self) -> Option<Def> {
        let doc = self.doc();
        self.at += 1;
        if self.is_word("supertype") {
            self.at += 1;
            return match self.own_name("the supertype's name") {
                Ok(name) => Some(Def::Supertype(SupertypeDef { doc, name })),
                Err(Told) => {
                    self.skip_to_item();
                    None
                }
            };
        }
        match self.node_head() {
            Ok((name, supertype)) => {
                let (fields, seq) = self.node_body();
                Some(Def::Node(NodeDef { doc, name, supertype, fields, seq }))
            }
            Err(Told) => {
                self.skip_to_item();
                None
            }
        }
    }

    fn node_head(&mut self) -> Parsed<(Name, Option<Name>)> {
        let name = self.own_name("the node's name")?;
        let supertype = match self.take(':') {
            true => Some(self.name("the supertype's name")?),
            false => None,
        };
        self.expect('{')?;
        Ok((name, supertype))
    }

    /// Everything up to and with the closing brace.
    fn node_body(&mut self) -> (Vec<Field>, Option<Seq>) {
        let mut fields = Vec::new();
        let mut seq: Option<Seq> = None;
        loop {
            if self.take('}') {
                return (fields, seq);
            }
            // `def` without a `:` behind it begins the next node, so a brace is missing here.
            if self.is_end() || self.is_word("def") && *self.peek(1) != Kind::Punctuation(':') {
                let _: Parsed<()> = self.expected("a field or the `}` that closes the node");
                return (fields, seq);
            }
            let parsed = if self.is_word("seq") && *self.peek(1) != Kind::Punctuation(':') {
                self.seq().map(|new| match &seq {
                    Some(first) => self.diagnostics.push(
                        Diagnostic::new(new.at.0, "a node has one `seq`")
                            .related(first.at.0, "the first one")
                            .help("list all its elements and children in one"),
                    ),
                    None => seq = Some(new),
                })
            } else {
                self.field().map(|field| {
                    if let Some(seq) = &seq {
                        self.diagnostics.push(
                            Diagnostic::new(field.name.span(), format!("field `{}` behind the `seq`", field.name.text))
                                .related(seq.at.0, "ends the node's fields")
                                .help("move it before the `seq`"),
                        );
                    }
                    fields.push(field);
                })
            };
            if let Err(Told) = parsed {
                self.skip_to_field();
            }
        }
    }

    fn field(&mut self) -> Parsed<Field> {
        let mut doc = self.doc();
        if self.is(',') {
            self.diagnostics.push(
                Diagnostic::new(self.span(), "expected a field, found `,`")
                    .help("fields follow each other without a separator"),
            );
            return Err(Told);
        }
        let name = self.name("a field's name")?;
        self.expect(':')?;
        let start = self.span();
        let ty = self.ty()?;
        if let Some(comment) = self.tokens[self.at].comments.first().filter(|comment| comment.trails) {
            doc.push(comment.text.clone());
        }
        Ok(Field { doc, name, ty, at: Place(start.to(self.span_before())) })
    }
}

fn def_name(def: &Def) -> &Name {
    match def {
        Def::Supertype(supertype) => &supertype.name,
        Def::Node(node) => &node.name,
    }
}
