//! A node while its fields are checked.

use std::collections::HashMap;

use crate::schema::ast::{self, NodeDef, Type};
use crate::schema::model::{Array, FieldId, FieldKind, Slots};

/// A node while its fields are checked.
pub(super) struct Scope<'a> {
    pub def: &'a NodeDef,
    pub fields: &'a [ast::Field],
    pub by_name: HashMap<&'a str, FieldId>,
    /// Of the fields that were looked at already.
    pub kinds: Vec<FieldKind>,
}

impl<'a> Scope<'a> {
    pub(super) fn name(&self, id: FieldId) -> &'a str {
        &self.fields[id.0].name.text
    }

    /// A field of this type among those that were looked at already.
    pub(super) fn earlier(&self, ty: &Type) -> Option<&'a ast::Field> {
        self.fields[..self.kinds.len()].iter().find(|other| other.ty == *ty)
    }

    pub(super) fn is_array(&self, id: FieldId) -> bool {
        self.kinds[id.0].slots().is_some_and(|slots| slots.array.is_some())
    }

    pub(super) fn arrays(&self) -> impl Iterator<Item = (FieldId, &Array)> {
        self.kinds.iter().enumerate().filter_map(|(at, kind)| Some((FieldId(at), kind.slots()?.array.as_ref()?)))
    }
}

impl FieldKind {
    pub(super) fn slots(&self) -> Option<&Slots> {
        match self {
            FieldKind::Elem { slots, .. } | FieldKind::Child { slots, .. } => Some(slots),
            _ => None,
        }
    }

    pub(super) fn slots_mut(&mut self) -> Option<&mut Slots> {
        match self {
            FieldKind::Elem { slots, .. } | FieldKind::Child { slots, .. } => Some(slots),
            _ => None,
        }
    }
}
