//! The structs of nodes.

use proc_macro2::TokenStream;
use quote::quote;

use crate::store::layout::struct_fields;
use crate::store::plan::{NodePlan, Plan};

/// The generic parameters of every generated type, as declared in structs.
pub fn declared_generics(plan: &Plan<'_>) -> TokenStream {
    let coord = &plan.coord;
    quote!(<V: runtime::Value, C: runtime::Coord = #coord>)
}

pub fn structure(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
    let (ty, generics) = (&node.ty, declared_generics(plan));
    let doc = doc_of(node);
    let fields = struct_fields(plan, node).into_iter().map(|(ident, _, ty)| quote!(#ident: #ty,));
    quote! {
        #(#[doc = #doc])*
        #[repr(C)]
        pub struct #ty #generics {
            #(#fields)*
            node_tail: runtime::Tail<C, V>,
        }
    }
}

fn doc_of(node: &NodePlan<'_>) -> Vec<String> {
    let mut doc: Vec<String> = match &node.node.doc[..] {
        [] => vec![format!(" A node `{}`.", node.node.name)],
        doc => doc.iter().map(|line| format!(" {}", line.trim())).collect(),
    };
    if node.node.has_seq {
        doc.push(String::new());
        doc.push(format!(" `seq = {}`", node.spell_seq()));
    }
    doc
}
