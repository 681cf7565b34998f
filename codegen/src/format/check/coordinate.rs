//! What the levels of a format keep: coordinates over the names of its indices.

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, Diagnostics, nearest};
use crate::format::ast::*;
use crate::format::model::Coordinate;
use crate::notation::ast::Name;
use crate::notation::cursor::{Cursor, Parsed};

/// Reads a coordinate in remapping notation over `indices`.
pub(crate) fn coordinate(cursor: &mut Cursor<'_>, indices: &[String]) -> Parsed<Coordinate> {
    let remap = crate::format::parse::remap(cursor)?;
    let mut mistakes = Diagnostics::new();
    let params = BTreeMap::new();
    let mut resolver = Resolver { params: &params, indices, scope: Vec::new(), vars: 0, mistakes: &mut mistakes };
    let coordinate = resolver.resolve(&remap);
    match mistakes.into_iter().next() {
        Some(mistake) => Err(Box::new(mistake)),
        None => Ok(coordinate),
    }
}

pub(super) struct Resolver<'a> {
    pub(super) params: &'a BTreeMap<&'a str, i64>,
    pub(super) indices: &'a [String],
    pub(super) scope: Vec<(String, usize)>,
    pub(super) vars: usize,
    pub(super) mistakes: &'a mut Diagnostics,
}

impl Resolver<'_> {
    fn index(&mut self, name: &Name) -> Option<usize> {
        let found = self.indices.iter().position(|index| *index == name.text);
        if found.is_none() {
            self.unknown(name, "index");
        }
        found
    }

    fn unknown(&mut self, name: &Name, what: &str) {
        let mut mistake = Diagnostic::new(name.span, format!("there is no {what} called `{name}`"));
        let candidates = self.indices.iter().map(String::as_str).chain(self.params.keys().copied());
        mistake = match nearest(&name.text, candidates) {
            Some(near) => mistake.help(format!("did you mean `{near}`?")),
            None => mistake.help(format!("the format's indices are {}", self.indices.join(", "))),
        };
        self.mistakes.push(mistake);
    }

    pub(super) fn resolve(&mut self, remap: &Remap) -> Coordinate {
        match &remap.kind {
            RemapKind::Const(value) => Coordinate::Const(*value),
            RemapKind::Name(name) => {
                if let Some((_, var)) = self.scope.iter().rev().find(|(var, _)| *var == name.text) {
                    return Coordinate::Var(*var);
                }
                if let Some(value) = self.params.get(name.text.as_str()) {
                    return Coordinate::Const(*value);
                }
                if let Some(m) = self.indices.iter().position(|index| *index == name.text) {
                    return Coordinate::Index(m);
                }
                self.unknown(name, "index, parameter or variable");
                Coordinate::Const(0)
            }
            RemapKind::Counter(of) => {
                let of: Vec<Option<usize>> = of.iter().map(|name| self.index(name)).collect();
                Coordinate::Counter(of.into_iter().flatten().collect())
            }
            RemapKind::Neg(inner) => match self.resolve(inner) {
                Coordinate::Const(value) => Coordinate::Const(value.wrapping_neg()),
                inner => Coordinate::Neg(Box::new(inner)),
            },
            RemapKind::Binary { op, left, right } => {
                let (left, right) = (self.resolve(left), self.resolve(right));
                if matches!(op, RemapOp::Div | RemapOp::Rem) && right == Coordinate::Const(0) {
                    self.mistakes.push(Diagnostic::new(remap.span, "division by zero"));
                }
                match (&left, &right) {
                    (Coordinate::Const(a), Coordinate::Const(b)) => {
                        Coordinate::Const(crate::format::remap::apply(*op, *a, *b))
                    }
                    _ => Coordinate::Binary(*op, Box::new(left), Box::new(right)),
                }
            }
            RemapKind::Let { name, value, body } => {
                let value = self.resolve(value);
                let var = self.vars;
                self.vars += 1;
                self.scope.push((name.text.clone(), var));
                let body = self.resolve(body);
                self.scope.pop();
                Coordinate::Let(var, Box::new(value), Box::new(body))
            }
        }
    }
}
