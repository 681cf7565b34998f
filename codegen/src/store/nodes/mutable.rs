//! The struct that gives write access to all fields of a node at once.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::parents::set_parent;
use crate::store::plan::{Child, Elem, NodePlan, Plan, Shape};
use crate::store::tail::{
    TailElements, bind_offsets, coord_ident, coords_at_ident, is_nonempty, links_at_ident, value_ident, values_at_ident,
};
use crate::store::text::safety;

pub fn mutable(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
    let mut fields = Fields::default();
    for elem in &node.elems {
        fields.elem(node, elem);
    }
    for child in &node.children {
        fields.child(plan, node, child);
    }
    // A size that is no array's length, and how far no array is used, is the assembly's own business.
    for (ident, ty) in &node.metadata {
        fields.add(format!(" The field `{ident}`."), ident, quote!(&'a mut #ty), quote!(&mut (*node).#ident));
    }
    for (ident, _) in &node.counts {
        let doc = " The number of nonzeros reachable from the node.".to_owned();
        fields.add(doc, ident, quote!(&'a mut u64), quote!(&mut (*node).#ident));
    }
    if fields.declared.is_empty() {
        return quote!();
    }
    // Values alone do not mention the coordinates.
    if node.children.is_empty() && node.elems.iter().all(is_nonempty) {
        fields.declared.push(quote!(node_type: ::std::marker::PhantomData<&'a (V, C)>,));
        fields.made.push(quote!(node_type: ::std::marker::PhantomData,));
    }
    fields.items(plan, node)
}

/// The fields of the struct, and how each is borrowed from the node.
#[derive(Default)]
struct Fields {
    declared: Vec<TokenStream>,
    made: Vec<TokenStream>,
    /// Whether arrays behind the node are among them.
    has_arrays: bool,
}

impl Fields {
    fn add(&mut self, doc: String, ident: &Ident, ty: TokenStream, value: TokenStream) {
        self.declared.push(quote!(#[doc = #doc] pub #ident: #ty,));
        self.made.push(quote!(#ident: #value,));
    }

    /// Coordinates of full slots stay as they are; slots with gaps are written as a whole.
    fn elem(&mut self, node: &NodePlan<'_>, elem: &Elem) {
        let (ident, name) = (&elem.ident, &elem.name);
        let (coord, value) = (coord_ident(elem), value_ident(elem));
        self.has_arrays |= matches!(elem.shape, Shape::Lead { .. } | Shape::Array { .. });
        match &elem.shape {
            Shape::One { nonempty: true } => {
                self.add(format!(" The value of `{name}`."), ident, quote!(&'a mut V), quote!(&mut (*node).#value));
            }
            Shape::One { nonempty: false } => {
                let slots = quote!(runtime::SlotsMut::new(
                    ::std::slice::from_mut(&mut (*node).#coord), ::std::slice::from_mut(&mut (*node).#value)));
                self.add(format!(" The slot `{name}`."), ident, quote!(runtime::SlotsMut<'a, C, V>), slots);
            }
            Shape::Lead { array } => {
                let at = values_at_ident(&node.elems[*array]);
                let value = quote!(&mut *runtime::tail_ptr::<_, V>(ptr, #at));
                self.add(format!(" The value of `{name}`."), ident, quote!(&'a mut V), value);
            }
            Shape::Array { len, nonempty: true, lead, .. } => {
                let at = values_at_ident(elem);
                let len = node.len_of(len, &quote!((*node)));
                let first = lead.map(|_| quote!(.add(1)));
                let values = quote!(::std::slice::from_raw_parts_mut(runtime::tail_ptr::<_, V>(ptr, #at)#first, #len));
                self.add(format!(" The values of `{name}`."), ident, quote!(&'a mut [V]), values);
            }
            Shape::Array { len, used, .. } => {
                let len = node.len_of(len, &quote!((*node)));
                let coords = slice_mut(&coords_at_ident(elem), quote!(C), &len);
                let values = slice_mut(&values_at_ident(elem), quote!(::std::mem::MaybeUninit<V>), &len);
                let Some(used) = used else {
                    let slots = quote!(runtime::SlotsMut::new(#coords, #values));
                    return self.add(
                        format!(" The slots of `{name}`."),
                        ident,
                        quote!(runtime::SlotsMut<'a, C, V>),
                        slots,
                    );
                };
                let (used, size) = (&node.sizes[*used].ident, &node.sizes[*used].ty);
                let doc = format!(" The slots of `{name}`, the first `{used}` of which are full.");
                let filled = quote!(runtime::FilledMut::new(#coords, #values, &mut (*node).#used));
                self.add(doc, ident, quote!(runtime::FilledMut<'a, C, V, #size>), filled);
            }
        }
    }

    fn child(&mut self, plan: &Plan<'_>, node: &NodePlan<'_>, child: &Child) {
        let (ident, name, target) = (&child.ident, &child.name, plan.target(child.target));
        let link = quote!(runtime::Link<#target<V, C>>);
        match &child.len {
            None => {
                self.add(format!(" The link `{name}`."), ident, quote!(&'a mut #link), quote!(&mut (*node).#ident));
            }
            Some(len) => {
                let len = node.len_of(len, &quote!((*node)));
                let slice = slice_mut(&links_at_ident(child), link.clone(), &len);
                self.add(format!(" The links `{name}`."), ident, quote!(&'a mut [#link]), slice);
                self.has_arrays = true;
            }
        }
    }

    /// The struct, and the function that makes it.
    fn items(&self, plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
        let Fields { declared, made, has_arrays } = self;
        let (ty, view) = (&node.ty, format_ident!("{}Mut", node.ty));
        let doc = format!(" The fields of a `{}`, for writing.", node.node.name);
        let offsets = has_arrays.then(|| {
            bind_offsets(node, &quote!((*node)), |array| match array.elements {
                TailElements::Coords(elem) => !is_nonempty(elem),
                TailElements::Coded(_) => false,
                TailElements::Links(_) | TailElements::Values(_) => true,
            })
        });
        let because =
            safety("the node is reached by nobody else during `'a`, and the fields and arrays handed out are disjoint");
        let ptr = if *has_arrays {
            quote!(let ptr = node.into_raw(); let node = ptr.as_ptr();)
        } else {
            quote!(let node = node.into_raw().as_ptr();)
        };
        let set_parent = set_parent(plan, node);
        quote! {
            #[doc = #doc]
            pub struct #view<'a, V: runtime::Value, C: runtime::Coord> { #(#declared)* }

            impl<V: runtime::Value, C: runtime::Coord> #ty<V, C> {
                /// The fields, for writing.
                #[inline(always)]
                pub fn fields<'a>(node: runtime::NodeMut<'a, Self>) -> #view<'a, V, C> {
                    #ptr
                    #because
                    unsafe {
                        #offsets
                        #view { #(#made)* }
                    }
                }
                #set_parent
            }
        }
    }
}

/// An array behind the node as an exclusive slice.
fn slice_mut(at: &Ident, ty: TokenStream, slots: &TokenStream) -> TokenStream {
    quote!(::std::slice::from_raw_parts_mut(runtime::tail_ptr::<_, #ty>(ptr, #at), #slots))
}
