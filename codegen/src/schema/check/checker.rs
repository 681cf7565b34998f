//! A store while it is checked: its names, and what is wrong with it.

use std::collections::HashMap;

use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::schema::ast::{Def, Name, NodeDef, Store};
use crate::schema::model::{Amount, CoordWidth, Param, Supertype, Target};

/// The most node types, supertypes, parameters of a store and fields of a node.
pub(super) const MOST: usize = 256;

/// The greatest bound of a size: sizes are stored in 32 bits.
pub(super) const GREATEST_SIZE: u64 = u32::MAX as u64;

/// A store while it is checked.
pub(super) struct Checker<'a> {
    pub store: &'a Store,
    pub name: String,
    /// What stands for the whole store in a message.
    pub span: Span,
    pub params: Vec<Param>,
    pub used: Vec<bool>,
    pub node_defs: Vec<&'a NodeDef>,
    pub supertypes: Vec<Supertype>,
    pub targets: HashMap<&'a str, (Target, Span)>,
    pub coord: Option<(CoordWidth, Span)>,
    pub diagnostics: Diagnostics,
}

impl<'a> Checker<'a> {
    pub(super) fn new(store: &'a Store, name_if_bare: &str, arguments: &[(&str, u64)]) -> Checker<'a> {
        let mut checker = Checker {
            store,
            name: store.name.as_ref().map_or(name_if_bare, |name| &name.text).to_owned(),
            span: store_span(store),
            params: Vec::new(),
            used: vec![false; store.params.len()],
            node_defs: Vec::new(),
            supertypes: Vec::new(),
            targets: HashMap::new(),
            coord: None,
            diagnostics: Diagnostics::new(),
        };
        checker.params(arguments);
        checker.defs();
        checker
    }

    pub(super) fn say(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Names that Rust has no way to spell.
    pub(super) fn check_name(&mut self, name: &Name) {
        if matches!(name.text.as_str(), "self" | "Self" | "super" | "crate" | "_") {
            self.say(
                Diagnostic::new(name.span(), format!("nothing can be called `{}`", name.text))
                    .note("Rust keeps it for itself"),
            );
        }
    }

    pub(super) fn param(&mut self, name: &Name) -> Option<Amount> {
        let at = self.params.iter().position(|param| param.name == name.text)?;
        self.used[at] = true;
        Some(Amount { value: self.params[at].value, param: Some(name.text.clone()) })
    }
}

/// What stands for the whole store in a message: its name, or the first name of bare `def`s.
pub(in crate::schema) fn store_span(store: &Store) -> Span {
    let first = store.defs.first().map(|def| match def {
        Def::Supertype(supertype) => &supertype.name,
        Def::Node(node) => &node.name,
    });
    store.name.as_ref().or(first).map_or(store.at.0, Name::span)
}
