//! The sequence of a node, and what follows from it for sizes and coordinates.

use std::collections::HashMap;

use super::checker::Checker;
use super::scope::Scope;
use crate::diagnostic::{Diagnostic, Span, nearest};
use crate::schema::ast::{self, Entry, Name, Type};
use crate::schema::model::{Extent, FieldId, FieldKind, Term};

impl<'a> Checker<'a> {
    /// Finds the arrays of every size, and what its value bounds where no array has it as its size.
    pub(super) fn sizes(&mut self, scope: &mut Scope<'a>) {
        for at in 0..scope.kinds.len() {
            let FieldKind::Size(size) = &scope.kinds[at] else { continue };
            let hi = size.hi.clone();
            let id = FieldId(at);
            let sizes: Vec<FieldId> =
                scope.arrays().filter(|(_, array)| array.extent == Extent::Sized(id)).map(|(id, _)| id).collect();
            let mut fills = Vec::new();
            if sizes.is_empty() {
                let same = |extent: &Extent| match (extent, &hi) {
                    (Extent::Const(slots) | Extent::Filled { slots, .. }, Some(hi)) => {
                        slots.param == hi.param && slots.value == hi.value
                    }
                    _ => false,
                };
                fills = scope.arrays().filter(|(_, array)| same(&array.extent)).map(|(id, _)| id).collect();
                self.fills(scope, id, &fills);
            }
            if let FieldKind::Size(size) = &mut scope.kinds[at] {
                size.sizes = sizes;
                size.fills = fills;
            }
        }
    }

    fn fills(&mut self, scope: &mut Scope<'a>, size: FieldId, fills: &[FieldId]) {
        let field = &scope.fields[size.0];
        if fills.is_empty() {
            self.say(
                Diagnostic::new(field.name.span(), format!("size `{}` belongs to nothing", field.name.text))
                    .note("a `size` is the size of an array, or its greatest value is the constant size of one")
                    .help(format!("write `[{}]` behind the array that it sizes, or remove it", field.name.text)),
            );
        }
        for id in fills {
            let array_field = &scope.fields[id.0];
            let Some(slots) = scope.kinds[id.0].slots_mut() else { continue };
            if slots.nonempty {
                self.say(
                    Diagnostic::new(
                        array_field.name.span().to(array_field.at.0),
                        format!(
                            "`{}` is nonempty, but only as many of its slots are used as `{}` says",
                            array_field.name.text, field.name.text
                        ),
                    )
                    .related(field.name.span().to(field.at.0), "says how many slots are used")
                    .help(format!(
                        "write `[{}]` for an array that is never longer than what it holds, or leave out `nonempty`",
                        field.name.text
                    )),
                );
            }
            if let Some(array) = &mut slots.array {
                match &array.extent {
                    Extent::Const(slots) => array.extent = Extent::Filled { slots: slots.clone(), used: size },
                    Extent::Filled { used, .. } => {
                        let other = &scope.fields[used.0];
                        self.say(
                            Diagnostic::new(
                                field.name.span(),
                                format!("a second size for `{}`", array_field.name.text),
                            )
                            .related(other.name.span(), "the first one")
                            .help("remove one"),
                        );
                    }
                    Extent::Sized(_) => {}
                }
            }
        }
    }

    /// Resolves the `seq`: the node's terms, and whether coordinates ascend along them.
    pub(super) fn sequence(&mut self, scope: &mut Scope<'a>) -> (Vec<Term>, bool) {
        let Some(seq) = &scope.def.seq else {
            let terms: Vec<Term> = (0..scope.kinds.len())
                .filter_map(|at| scope.kinds[at].slots().map(|slots| (FieldId(at), slots)))
                .map(|(id, slots)| if slots.array.is_some() { Term::Bag(id) } else { Term::One(id) })
                .collect();
            let ordered = matches!(terms[..], [] | [Term::One(_)]);
            return (terms, ordered);
        };
        let mut mentioned: HashMap<FieldId, Span> = HashMap::new();
        let mut terms = Vec::new();
        for entry in &seq.entries {
            let names = match entry {
                Entry::Bare(name) => std::slice::from_ref(name),
                Entry::Group(names, _) => names,
            };
            let ids: Vec<FieldId> = names.iter().filter_map(|name| self.mention(scope, &mut mentioned, name)).collect();
            let Entry::Group(_, span) = entry else {
                terms.extend(ids.into_iter().map(|id| match scope.is_array(id) {
                    true => Term::Bag(id),
                    false => Term::One(id),
                }));
                continue;
            };
            if let [id] = ids[..]
                && !scope.is_array(id)
            {
                terms.push(Term::One(id));
                continue;
            }
            for (id, name) in ids.iter().zip(names) {
                if !scope.is_array(*id) {
                    self.say(
                        Diagnostic::new(name.span(), format!("`{}` is no array", scope.name(*id)))
                            .related(span.0, "a group interleaves the slots of arrays")
                            .help(format!("put `{}` before or behind the group", scope.name(*id))),
                    );
                }
                if let Some(array) = scope.kinds[id.0].slots_mut().and_then(|slots| slots.array.as_mut()) {
                    array.ordered = true;
                }
            }
            if !ids.is_empty() {
                terms.push(Term::Interleaved(ids));
            }
        }
        for (at, field) in scope.fields.iter().enumerate() {
            if scope.kinds[at].slots().is_some() && !mentioned.contains_key(&FieldId(at)) {
                let message = format!("the `seq` of `{}` forgets `{}`", scope.def.name.text, field.name.text);
                self.say(
                    Diagnostic::new(seq.at.0, message)
                        .related(field.name.span(), "holds elements, here or below")
                        .help(format!("say where the coordinates of `{}` lie among the others", field.name.text)),
                );
            }
        }
        let ordered = terms.iter().all(|term| !matches!(term, Term::Bag(_)));
        (terms, ordered)
    }

    fn mention(&mut self, scope: &Scope<'a>, mentioned: &mut HashMap<FieldId, Span>, name: &Name) -> Option<FieldId> {
        let Some(&id) = scope.by_name.get(name.text.as_str()) else {
            let known = scope.by_name.keys().copied();
            let message = format!("`{}` has no field `{}`", scope.def.name.text, name.text);
            let mut diagnostic = Diagnostic::new(name.span(), message);
            diagnostic.help.extend(nearest(&name.text, known).map(|name| format!("did you mean `{name}`?")));
            self.say(diagnostic);
            return None;
        };
        if scope.kinds[id.0].slots().is_none() {
            self.say(
                Diagnostic::new(name.span(), format!("`{}` holds no elements", name.text))
                    .related(scope.fields[id.0].name.span().to(scope.fields[id.0].at.0), "neither `elem` nor a child")
                    .help("leave it out: a `seq` orders elements and children"),
            );
            return None;
        }
        if let Some(first) = mentioned.insert(id, name.span()) {
            self.say(
                Diagnostic::new(name.span(), format!("the `seq` repeats `{}`", name.text))
                    .related(first, "mentioned here already")
                    .help("mention every field once"),
            );
            return None;
        }
        Some(id)
    }

    /// Differences need coordinates that ascend without gaps from slot to slot.
    pub(super) fn delta(&mut self, scope: &Scope<'a>, sequence: &[Term]) {
        for (at, field) in scope.fields.iter().enumerate() {
            let Type::Elem { annotations: ast::Annotations { delta: Some(place), .. }, .. } = &field.ty else {
                continue;
            };
            let FieldKind::Elem { slots, delta: true } = &scope.kinds[at] else { continue };
            let name = &field.name.text;
            if !slots.nonempty {
                self.say(
                    Diagnostic::new(place.0, format!("`{name}` may have gaps"))
                        .note("`delta` stores differences between neighbours, which a gap does not have")
                        .help("add `nonempty`"),
                );
            }
            if !sequence.contains(&Term::Interleaved(vec![FieldId(at)])) {
                self.say(
                    Diagnostic::new(place.0, format!("the slots of `{name}` do not follow each other in order"))
                        .note("`delta` stores differences between neighbours")
                        .help(format!("let the `seq` say `{{{name}}}`")),
                );
            }
        }
    }
}
