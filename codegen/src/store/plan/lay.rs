//! How the fields of a node are laid out.

use proc_macro2::Ident;
use quote::format_ident;

use super::*;
use crate::schema::ast::Metadata;
use crate::schema::model::{Amount, Extent, Field, FieldId, FieldKind, Node, Term};
use crate::store::names::field_ident;

impl<'m> NodePlan<'m> {
    /// A field that holds no elements and no children.
    pub(super) fn lay_number(&mut self, field: FieldId, Field { kind, .. }: &Field, ident: &Ident) {
        let ident = ident.clone();
        match kind {
            FieldKind::Size(size) => self.sizes.push(SizeField {
                field,
                ident,
                ty: size_type(size.hi.as_ref()),
                lo: size.lo.clone(),
                hi: size.hi.clone(),
                fills: size.sizes.is_empty(),
            }),
            FieldKind::Count { deep } => self.counts.push((ident, *deep)),
            FieldKind::Parent { target } => self.parents.push((ident, *target)),
            FieldKind::Metadata(kind) => self.metadata.push((ident, metadata_type(*kind))),
            FieldKind::Elem { .. } | FieldKind::Child { .. } => {}
        }
    }

    /// A field of elements or children.
    pub(super) fn lay_slots(&mut self, field: FieldId, Field { name, kind, .. }: &Field, ident: &Ident) {
        let (ident, name) = (ident.clone(), name.clone());
        match kind {
            FieldKind::Elem { slots, delta } => {
                let shape = match &slots.array {
                    None => Shape::One { nonempty: slots.nonempty },
                    Some(array) => Shape::Array {
                        len: self.len(&array.extent),
                        nonempty: slots.nonempty,
                        ordered: array.ordered,
                        delta: *delta,
                        base: None,
                        lead: None,
                        used: match &array.extent {
                            Extent::Filled { used, .. } => Some(self.size_index(*used)),
                            _ => None,
                        },
                    },
                };
                self.elems.push(Elem { field, ident, name, shape });
            }
            FieldKind::Child { target, slots } => {
                let len = slots.array.as_ref().map(|array| self.len(&array.extent));
                self.children.push(Child { field, ident, name, target: *target, nonempty: slots.nonempty, len });
            }
            _ => {}
        }
    }

    pub(super) fn size_index(&self, field: FieldId) -> usize {
        self.sizes.iter().position(|size| size.field == field).expect("a checked size")
    }

    pub(super) fn len(&self, extent: &Extent) -> Len {
        match extent {
            Extent::Const(amount) | Extent::Filled { slots: amount, .. } => Len::Const(amount.clone()),
            Extent::Sized(size) => Len::Size(self.size_index(*size)),
        }
    }

    /// Finds elements that lead an array, and those that one is counted from.
    pub(super) fn lay_leads(&mut self) {
        if !self.node.has_seq {
            return;
        }
        for pair in self.node.sequence.windows(2) {
            let [Term::One(one), Term::Interleaved(group)] = pair else { continue };
            let (Some(one), [array]) = (self.elem_index(*one), &group[..]) else { continue };
            let Some(array) = self.elem_index(*array) else { continue };
            let Shape::One { nonempty: true } = self.elems[one].shape else { continue };
            match &mut self.elems[array].shape {
                Shape::Array { delta: true, base, .. } => *base = Some(one),
                Shape::Array { len: Len::Size(_), nonempty: true, lead, .. } => {
                    *lead = Some(one);
                    self.elems[one].shape = Shape::Lead { array };
                }
                _ => {}
            }
        }
    }

    pub(super) fn lay_terms(&mut self) {
        let mut terms = Vec::new();
        for term in &self.node.sequence {
            match term {
                Term::One(field) | Term::Bag(field) => terms.push(match self.elem_index(*field) {
                    Some(elem) if matches!(self.elems[elem].shape, Shape::Lead { .. }) => continue,
                    Some(elem) => Place::Elem(elem),
                    None => Place::Child(self.child_index(*field).expect("a term is an element or a child")),
                }),
                Term::Interleaved(fields) => {
                    let slots: Vec<Slot> = fields
                        .iter()
                        .map(|&field| match self.elem_index(field) {
                            Some(elem) => Slot::Elem(elem),
                            None => Slot::Child(self.child_index(field).expect("a term is an element or a child")),
                        })
                        .collect();
                    terms.push(match slots[..] {
                        [Slot::Elem(elem)] => Place::Elem(elem),
                        [Slot::Child(child)] => Place::Child(child),
                        _ => Place::Interleaved(slots),
                    });
                }
            }
        }
        self.terms = terms;
    }
}

/// The Rust names of a node's fields. Fields whose names differ only in case get different names, and no field gets the name of a generated
/// part of another field, or of a variable that would hide it in the function that makes the node.
pub(super) fn field_idents(node: &Node) -> Vec<Ident> {
    let mut idents: Vec<Ident> = Vec::new();
    for (_, field) in node.fields() {
        let ident = free(field_ident(&field.name), &idents);
        idents.push(ident);
    }
    // A part's name is longer than the field's that it is derived from, so that this ends.
    loop {
        let (parts, variables) = (parts_of(node, &idents), variables_of(node, &idents));
        let taken = |(id, field): (FieldId, &Field)| {
            let is_argument = matches!(field.kind, FieldKind::Elem { .. } | FieldKind::Size(_));
            let mut names = parts.iter().chain(variables.iter().filter(|_| is_argument));
            names.any(|name| idents[id.0] == *name).then_some(id.0)
        };
        let Some(at) = node.fields().find_map(taken) else { return idents };
        let ident = free(format_ident!("{}_", idents[at]), &idents);
        idents[at] = ident;
    }
}

/// A name that no field has so far.
fn free(mut ident: Ident, taken: &[Ident]) -> Ident {
    while taken.contains(&ident) {
        ident = format_ident!("{ident}_");
    }
    ident
}

/// The names that generated code gives to the parts of a node that are not fields of the schema, and to functions that read parts of
/// fields.
fn parts_of(node: &Node, idents: &[Ident]) -> Vec<String> {
    let mut parts: Vec<String> = ["node_count", "node_tag", "node_tail"].map(str::to_owned).into();
    for (id, field) in node.fields() {
        let ident = &idents[id.0];
        match &field.kind {
            FieldKind::Child { slots, .. } if slots.array.is_none() => parts.push(format!("{ident}_link")),
            FieldKind::Elem { slots, delta } => match &slots.array {
                None => parts.extend([format!("{ident}_coord"), format!("{ident}_value")]),
                Some(_) if *delta => parts.push(format!("node_{ident}_bytes")),
                Some(array) if matches!(array.extent, Extent::Filled { .. }) => parts.push(format!("{ident}_slots")),
                Some(_) => {}
            },
            _ => {}
        }
    }
    for pair in node.sequence.windows(2) {
        if let [Term::One(lead), Term::Interleaved(group)] = pair
            && let [array] = &group[..]
            && [lead, array].iter().all(|id| node.field(**id).is_elem())
        {
            parts.push(format!("{}_{}", idents[lead.0], idents[array.0]));
        }
    }
    parts
}

/// The variables of the functions that make a node, which take elements and sizes under the names of their fields.
fn variables_of(node: &Node, idents: &[Ident]) -> Vec<String> {
    let mut variables: Vec<String> = ["memory", "end"].map(str::to_owned).into();
    for (id, field) in node.fields() {
        let ident = &idents[id.0];
        if field.slots().is_none_or(|slots| slots.array.is_none()) {
            continue;
        }
        let ends: &[&str] =
            if field.is_elem() { &["coords_at", "values_at", "coded_at", "coords", "values"] } else { &["at"] };
        variables.extend(ends.iter().map(|end| format!("{ident}_{end}")));
    }
    variables
}

pub(super) fn size_type(hi: Option<&Amount>) -> Ident {
    format_ident!(
        "{}",
        match hi.map(|hi| hi.value) {
            Some(0..=0xff) => "u8",
            Some(0x100..=0xffff) => "u16",
            _ => "u32",
        }
    )
}

pub(super) fn metadata_type(kind: Metadata) -> Ident {
    format_ident!("{}", kind.rust())
}
