//! What a handle that lies by value needs besides.

use proc_macro2::TokenStream;
use quote::quote;

use super::inspect::inspect;
use super::params::is_param;
use crate::store::plan::{NodePlan, Plan};
use crate::store::tail::{coord_ident, is_nonempty};
use crate::store::text::safety;

pub fn flat_impls(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
    let ty = &node.ty;
    let because = safety("the type has no arrays behind its fields");
    let (default, clone, drop) = (implement_default(node), implement_clone(node), implement_drop(node));
    let inspect = inspect(plan, node);
    quote! {
        #because
        unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Flat for #ty<V, C> {}

        #default

        impl<V: runtime::Value, C: runtime::Coord> #ty<V, C> {
            /// Reports the fields.
            pub(super) fn describe<'a>(node: runtime::NodeRef<'a, Self>, report: &mut runtime::Inspection<'a, C, V>) {
                #inspect
            }
        }

        #clone

        #drop
    }
}

/// An empty handle. One that cannot be empty is refused by the checker.
fn implement_default(node: &NodePlan<'_>) -> Option<TokenStream> {
    if node.elems.iter().any(is_nonempty) {
        return None;
    }
    let ty = &node.ty;
    let args = node.elems.iter().filter(|elem| is_param(elem)).map(|_| quote!(None));
    Some(quote! {
        impl<V: runtime::Value, C: runtime::Coord> Default for #ty<V, C> {
            fn default() -> Self {
                Self::new(#(#args),*)
            }
        }
    })
}

fn implement_clone(node: &NodePlan<'_>) -> TokenStream {
    let ty = &node.ty;
    let read = (!node.elems.is_empty()).then(|| quote!(let node = runtime::NodeRef::of(self);));
    let elems = node.elems.iter().map(|elem| {
        let (ident, coord) = (&elem.ident, coord_ident(elem));
        quote!(Self::#ident(node).value(0).map(|value| (self.#coord, value.clone())))
    });
    let links = node.children.iter().map(|child| &child.ident);
    let sizes = node.sizes.iter().map(|size| &size.ident);
    let metadata = node.metadata.iter().map(|(ident, _)| ident);
    let numbers: Vec<_> = sizes.chain(metadata).chain(node.counts.iter().map(|(ident, _)| ident)).collect();
    let links: Vec<_> = links.collect();
    quote! {
        impl<V: runtime::Value, C: runtime::Coord> Clone for #ty<V, C> {
            fn clone(&self) -> Self {
                #read
                let mut copy = Self::new(#(#elems),*);
                #(copy.#links = self.#links.clone();)*
                #(copy.#numbers = self.#numbers;)*
                copy
            }
        }
    }
}

fn implement_drop(node: &NodePlan<'_>) -> Option<TokenStream> {
    if node.elems.is_empty() {
        return None;
    }
    let ty = &node.ty;
    let elems = node.elems.iter().map(|elem| &elem.ident);
    Some(quote! {
        impl<V: runtime::Value, C: runtime::Coord> Drop for #ty<V, C> {
            fn drop(&mut self) {
                let mut fields = Self::fields(runtime::NodeMut::of(self));
                #(fields.#elems.clear();)*
            }
        }
    })
}
