//! Supertypes: what nodes of several types have in common, and how the tag leads to the subtype.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::structure::declared_generics;
use crate::schema::model::{SuperId, Target};
use crate::store::names::type_ident;
use crate::store::plan::{NodePlan, Plan};
use crate::store::text::safety;

pub fn supertype(plan: &Plan<'_>, id: SuperId) -> TokenStream {
    let supertype = plan.model.supertype(id);
    let (ty, generics) = (type_ident(&supertype.name), declared_generics(plan));
    let doc: Vec<String> = match &supertype.doc[..] {
        [] => vec![format!(" What all kinds of `{}` have in common.", supertype.name)],
        doc => doc.iter().map(|line| format!(" {}", line.trim())).collect(),
    };
    let subtypes: Vec<&NodePlan<'_>> = supertype.subtypes.iter().map(|&id| plan.node(id)).collect();
    let kinds = kinds(plan, id, &ty, &subtypes);
    let node = implement_node(&ty, &subtypes);
    quote! {
        #(#[doc = #doc])*
        #[repr(C)]
        pub struct #ty #generics {
            node_count: runtime::Count,
            node_tag: u8,
            node_type: ::std::marker::PhantomData<(V, C)>,
        }
        #kinds
        #node
    }
}

/// The `SAFETY` reason for casting a node to a subtype.
fn tag_says() -> TokenStream {
    safety("the tag says which subtype the node is")
}

/// The arms of a `match` on the tag. The last subtype stands for all other tags.
fn dispatch(subtypes: &[&NodePlan<'_>], arm: impl Fn(&Ident) -> TokenStream) -> TokenStream {
    let last = subtypes.len() - 1;
    let tags = 0..last as u8;
    let arms = subtypes[..last].iter().map(|subtype| arm(&subtype.ty));
    let last = arm(&subtypes[last].ty);
    quote!(#(#tags => { #arms })* _ => { #last })
}

/// The enums over the subtypes, and the functions that make them.
fn kinds(plan: &Plan<'_>, id: SuperId, ty: &Ident, subtypes: &[&NodePlan<'_>]) -> TokenStream {
    let (kind, kind_mut) = (format_ident!("{ty}Kind"), format_ident!("{ty}KindMut"));
    let variants = |reference: TokenStream| {
        let variants = subtypes.iter().map(|subtype| {
            let (sub, doc) = (&subtype.ty, format!(" A `{}`.", subtype.node.name));
            quote!(#[doc = #doc] #sub(runtime::#reference<'a, #sub<V, C>>),)
        });
        quote!(#(#variants)*)
    };
    let (variants, variants_mut) = (variants(quote!(NodeRef)), variants(quote!(NodeMut)));
    let cast = tag_says();
    let kinds = dispatch(subtypes, |sub| quote!(#cast #kind::#sub(unsafe { node.cast() })));
    let kinds_mut = dispatch(subtypes, |sub| quote!(#cast #kind_mut::#sub(unsafe { node.cast() })));
    let set_parent = set_parent(plan, id, subtypes);
    quote! {
        /// A node as its subtype.
        pub enum #kind<'a, V: runtime::Value, C: runtime::Coord> { #variants }

        /// A node as its subtype, for writing.
        pub enum #kind_mut<'a, V: runtime::Value, C: runtime::Coord> { #variants_mut }

        impl<V: runtime::Value, C: runtime::Coord> #ty<V, C> {
            /// The node as its subtype, for writing.
            #[inline(always)]
            pub fn kind_mut<'a>(node: runtime::NodeMut<'a, Self>) -> #kind_mut<'a, V, C> {
                match node.node().get().node_tag { #kinds_mut }
            }

            /// The node as its subtype.
            #[inline(always)]
            pub fn kind<'a>(node: runtime::NodeRef<'a, Self>) -> #kind<'a, V, C> {
                match node.get().node_tag { #kinds }
            }
            #set_parent
        }
    }
}

/// The function that sets the parent of a node, if some subtype has parent links.
fn set_parent(plan: &Plan<'_>, id: SuperId, subtypes: &[&NodePlan<'_>]) -> Option<TokenStream> {
    if !plan.knows_parent(Target::Super(id)) {
        return None;
    }
    let nodes = plan.model.target_nodes(Target::Super(id));
    let parents = nodes.iter().find_map(|&id| plan.node(id).parents.first());
    let target = parents.map(|(_, target)| plan.target(*target));
    let cast = tag_says();
    let arms = subtypes.iter().enumerate().map(|(tag, subtype)| {
        let (sub, tag) = (&subtype.ty, tag as u8);
        match subtype.parents.is_empty() {
            true => quote!(#tag => {}),
            false => quote!(#tag => { #cast #sub::set_parent(unsafe { node.cast() }, parent) }),
        }
    });
    Some(quote! {
        /// Sets the link to the parent in subtypes that have one.
        pub(super) fn set_parent(node: runtime::NodeMut<'_, Self>, parent: runtime::Parent<#target<V, C>>) {
            match node.node().get().node_tag {
                #(#arms)*
                _ => unreachable!("a tag that the schema does not have"),
            }
        }
    })
}

/// `impl Node`: what the subtype does.
fn implement_node(ty: &Ident, subtypes: &[&NodePlan<'_>]) -> TokenStream {
    let cast = tag_says();
    let layout = dispatch(subtypes, |sub| quote!(#cast runtime::Node::layout(unsafe { node.cast::<#sub<V, C>>() })));
    let copy = dispatch(subtypes, |sub| {
        quote! {
            #cast
            let copy = #sub::<V, C>::upcast(runtime::Node::copy(unsafe { node.cast::<#sub<V, C>>() }).finish());
            runtime::Reserved::from_unique(copy)
        }
    });
    let destroy = dispatch(subtypes, |sub| quote!(<#sub<V, C> as runtime::Node>::destroy(node.cast(), dead);));
    let inspect =
        dispatch(subtypes, |sub| quote!(#cast runtime::Node::inspect(unsafe { node.cast::<#sub<V, C>>() }, report)));
    let because =
        safety("every subtype starts with the fields of this type, and its tag tells which one's code to run");
    let destroy_because = safety("the caller's promise; the tag says which subtype the node is");
    quote! {
        #because
        unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Node for #ty<V, C> {
            type Coord = C;
            type Value = V;

            fn layout(node: runtime::NodeRef<'_, Self>) -> ::std::alloc::Layout {
                match node.get().node_tag { #layout }
            }

            fn copy(node: runtime::NodeRef<'_, Self>) -> runtime::Reserved<Self> {
                match node.get().node_tag { #copy }
            }

            unsafe fn destroy(node: ::std::ptr::NonNull<Self>, dead: &mut runtime::Graveyard) {
                #destroy_because
                unsafe {
                    match (*node.as_ptr()).node_tag { #destroy }
                }
            }

            fn inspect<'a>(node: runtime::NodeRef<'a, Self>, report: &mut runtime::Inspection<'a, C, V>) {
                match node.get().node_tag { #inspect }
            }
        }
    }
}
