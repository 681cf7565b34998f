//! What statements read: variables, children, elements, runs.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::emitter::Emitter;
use crate::derive::ir::{Place, Value, VarId, VarKind, Yield, field};
use crate::schema::model::Target;
use crate::store::names::field_ident;
use crate::store::plan::{NodePlan, Place as Term, Shape};
use crate::store::tail::{is_nonempty, run_ident};
use crate::store::text::comment;

impl<'p, 'm> Emitter<'p, 'm> {
    pub(super) fn var(&self, id: VarId) -> Ident {
        let name = &self.machine.vars.get(id).name;
        match name.as_str() {
            "folded" | "len" | "visit" | "stack" | "forks" | "step" | "next" | "runtime" | "nodes" => {
                format_ident!("{name}_")
            }
            _ => field_ident(name),
        }
    }

    pub(super) fn mutable_token(&self, id: VarId) -> Option<TokenStream> {
        self.mutable[self.block.get()].contains(&id).then(|| quote!(mut))
    }

    pub(super) fn var_type(&self, id: VarId) -> TokenStream {
        match self.machine.vars.get(id).kind {
            VarKind::Slot => quote!(usize),
            VarKind::Node(target) => {
                let target = self.plan.target(target);
                quote!(runtime::NodeRef<'a, nodes::#target<V, C>>)
            }
        }
    }

    pub(super) fn node_of(&self, place: &Place) -> &'p NodePlan<'m> {
        match self.machine.vars.get(place.node).kind {
            VarKind::Node(Target::Node(id)) => self.plan.node(id),
            kind => unreachable!("{kind:?} has no fields"),
        }
    }

    /// A child that may be missing, as an `Option`.
    pub(super) fn child(&self, place: &Place) -> TokenStream {
        let node = self.node_of(place);
        let child = &node.children[node.child_index(place.field).expect("a child")];
        let (ty, ident, var) = (&node.ty, &child.ident, self.var(place.node));
        match place.slot {
            None => quote!(nodes::#ty::#ident(#var)),
            Some(slot) => {
                let slot = self.var(slot);
                quote!(runtime::follow(&nodes::#ty::#ident(#var)[#slot]))
            }
        }
    }

    pub(super) fn value(&self, value: &Value) -> TokenStream {
        match value {
            Value::Var(var) => {
                let var = self.var(*var);
                quote!(#var)
            }
            Value::Zero => quote!(0),
            Value::Child(place) => {
                let child = self.child(place);
                let message = format!("`{}` is nonempty", field(self.machine.model, &self.machine.vars, place).name);
                quote!(#child.expect(#message))
            }
        }
    }

    /// What a field of elements is read by: a run, or slots where there may be gaps.
    pub(super) fn elements(&self, place: &Place) -> TokenStream {
        let node = self.node_of(place);
        let elem = node.elem_index(place.field).expect("an element");
        let (ty, ident, var) = (&node.ty, run_ident(node, elem), self.var(place.node));
        quote!(nodes::#ty::#ident(#var))
    }

    /// Whether a place has to be decoded: a fiber of its own rather than a run.
    pub(super) fn is_coded(&self, place: &Place) -> bool {
        let node = self.node_of(place);
        node.elem_index(place.field).is_some_and(|elem| node.elems[elem].is_coded())
    }

    fn has_gaps(&self, place: &Place) -> bool {
        let node = self.node_of(place);
        let elem = &node.elems[node.elem_index(place.field).expect("an element")];
        !is_nonempty(elem) && !matches!(elem.shape, Shape::Array { used: Some(_), .. })
    }

    /// A yield as a run, which is empty if there is nothing to hand out.
    pub(super) fn run(&self, run: &Yield) -> TokenStream {
        match run {
            Yield::Run(place) => self.elements(place),
            Yield::One(place) => {
                let elements = self.elements(place);
                match (self.has_gaps(place), place.slot) {
                    (false, None) => elements,
                    (false, Some(slot)) => {
                        let slot = self.var(slot);
                        quote!(#elements.part(#slot..#slot + 1))
                    }
                    (true, None) => quote!(#elements.first_run()),
                    (true, Some(slot)) => {
                        let slot = self.var(slot);
                        quote!(#elements.slot(#slot).first_run())
                    }
                }
            }
            Yield::Stretch { lo, .. } => {
                let run = format_ident!("run_{}", self.machine.vars.get(*lo).name);
                quote!(#run)
            }
            Yield::Slots(_) => unreachable!("stretches are handed out one by one"),
        }
    }

    /// Some used slot of these arrays has this number.
    pub(super) fn length(&self, arrays: &[Place]) -> TokenStream {
        let lengths: Vec<TokenStream> = arrays
            .iter()
            .map(|place| {
                let node = self.node_of(place);
                let var = self.var(place.node);
                match node.child_index(place.field) {
                    Some(child) => {
                        let (ty, ident) = (&node.ty, &node.children[child].ident);
                        quote!(nodes::#ty::#ident(#var).len())
                    }
                    None => {
                        let elements = self.elements(place);
                        quote!(#elements.len())
                    }
                }
            })
            .collect();
        let (first, rest) = lengths.split_first().expect("at least one array");
        quote!(#first #(.max(#rest))*)
    }

    /// The term of the sequence that a place is part of, as a comment.
    pub(super) fn comment_on(&self, place: &Place) -> TokenStream {
        let node = self.node_of(place);
        let spelt = node.terms.iter().find_map(|term| {
            let found = match term {
                Term::Elem(elem) => node.elems[*elem].field == place.field,
                Term::Child(child) => node.children[*child].field == place.field,
                Term::Interleaved(_) => false,
            };
            found.then(|| node.spell(term))
        });
        match spelt {
            Some(spelt) => comment(spelt),
            None => {
                let slot = place.slot.map(|slot| format!("[{}]", self.machine.vars.get(slot).name)).unwrap_or_default();
                comment(format!("{}{slot}", node.node.field(place.field).name))
            }
        }
    }
}
