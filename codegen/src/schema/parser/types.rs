//! The types of fields, and what is said about them.

use super::{ANNOTATIONS, Parsed, Parser, Told};
use crate::diagnostic::{Diagnostic, nearest};
use crate::schema::ast::*;
use crate::schema::lexer::Kind;

impl Parser {
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let word = self.name("a type: `elem`, a node, `size`, `count`, `parent`, `bool` or an integer type")?;
        let ty = match word.text.as_str() {
            "elem" => {
                let array = self.array()?;
                Type::Elem { array, annotations: self.annotations()? }
            }
            "size" => Type::Size { range: self.size_range()? },
            "count" => Type::Count { deep: self.take_annotation("deep") },
            "parent" => Type::Parent,
            text => match Metadata::named(text) {
                Some(metadata) => Type::Metadata(metadata),
                None => {
                    let array = self.array()?;
                    Type::Child { node: word.clone(), array, annotations: self.annotations()? }
                }
            },
        };
        if self.is('[') {
            self.diagnostics.push(
                Diagnostic::new(self.span(), format!("`{}` cannot be an array", word.text))
                    .help("arrays are of `elem` or of children"),
            );
            return Err(Told);
        }
        if !matches!(ty, Type::Elem { .. } | Type::Child { .. })
            && let Some(annotation) = ANNOTATIONS.into_iter().find(|annotation| self.is_annotation(annotation))
        {
            self.diagnostics.push(
                Diagnostic::new(self.span(), format!("`{annotation}` says nothing of a `{}`", word.text))
                    .help("it belongs behind `elem` or a child's type"),
            );
            return Err(Told);
        }
        Ok(ty)
    }

    pub(super) fn array(&mut self) -> Parsed<Option<Amount>> {
        if !self.take('[') {
            return Ok(None);
        }
        if self.is(']') {
            self.diagnostics.push(
                Diagnostic::new(self.span(), "an array without a size")
                    .help("write a constant, a parameter, or a `size` field of this node: `[N]` with `N : size`"),
            );
            return Err(Told);
        }
        let amount = self.amount("the array's size")?;
        self.expect(']')?;
        Ok(Some(amount))
    }

    pub(super) fn size_range(&mut self) -> Parsed<Option<SizeRange>> {
        if !self.take_annotation("in") {
            return Ok(None);
        }
        let start = self.span();
        self.expect('[')?;
        let lo = self.amount("the least size")?;
        self.expect(',')?;
        let hi = match self.take('*') {
            true => None,
            false => Some(self.amount("the greatest size or `*`")?),
        };
        self.expect(']')?;
        Ok(Some(SizeRange { lo, hi, at: Place(start.to(self.span_before())) }))
    }

    pub(super) fn annotations(&mut self) -> Parsed<Annotations> {
        let mut annotations = Annotations::default();
        loop {
            let Some(word) = ANNOTATIONS.into_iter().find(|annotation| self.is_annotation(annotation)) else {
                // A word that is no field's name, since no colon follows it, is meant for one of these.
                if let (Kind::Name(word), next) = (self.peek(0), self.peek(1))
                    && !matches!(next, Kind::Punctuation(':' | '='))
                    && !matches!(word.as_str(), "def" | "store" | "seq")
                {
                    let mut diagnostic = Diagnostic::new(self.span(), format!("{} is no annotation", self.found()))
                        .note("`nonempty`, `delta`, `inline` and `coord` are");
                    diagnostic.help.extend(nearest(word, ANNOTATIONS).map(|meant| format!("did you mean `{meant}`?")));
                    self.diagnostics.push(diagnostic);
                    return Err(Told);
                }
                return Ok(annotations);
            };
            let span = self.span();
            self.at += 1;
            let place = Some(Place(span));
            let before = match word {
                "nonempty" => std::mem::replace(&mut annotations.nonempty, place),
                "delta" => std::mem::replace(&mut annotations.delta, place),
                "inline" => std::mem::replace(&mut annotations.inline, place),
                _ => {
                    let width = self.name("the integer type of the coordinates, such as `uint64`")?;
                    annotations.coord.replace(width).map(|width| width.at)
                }
            };
            if let Some(before) = before {
                self.diagnostics
                    .push(Diagnostic::new(span, format!("`{word}` is said twice")).related(before.0, "the first time"));
            }
        }
    }

    pub(super) fn seq(&mut self) -> Parsed<Seq> {
        let start = self.span();
        self.at += 1;
        self.expect('=')?;
        let mut entries = Vec::new();
        loop {
            let open = self.span();
            if self.take('{') {
                if self.take('}') {
                    let span = open.to(self.span_before());
                    self.diagnostics
                        .push(Diagnostic::new(span, "a group of nothing").help("name the arrays that it interleaves"));
                    if self.take(',') {
                        continue;
                    }
                    return Ok(Seq { entries, at: Place(start.to(span)) });
                }
                let mut names = Vec::new();
                loop {
                    names.push(self.name("a field")?);
                    if self.take('}') {
                        break;
                    }
                    if !self.take(',') {
                        return self.expected("`,` or `}`");
                    }
                }
                entries.push(Entry::Group(names, Place(open.to(self.span_before()))));
            } else {
                entries.push(Entry::Bare(self.name("a field or a `{…}` group of the sequence")?));
            }
            if !self.take(',') {
                return Ok(Seq { entries, at: Place(start.to(self.span_before())) });
            }
        }
    }
}
