//! Structs of nodes, how they are made, read and written, and what the runtime asks of them.

mod flat;
mod implement;
mod inspect;
mod like;
mod make;
mod mutable;
mod params;
mod parents;
mod read;
mod structure;
mod supertype;

use proc_macro2::TokenStream;
use quote::quote;

pub use self::parents::parent_target;
use super::layout::assertions;
use super::plan::Plan;
use crate::schema::model::SuperId;

/// The items of the module `nodes`.
pub fn items(plan: &Plan<'_>) -> TokenStream {
    let supertypes = (0..plan.model.supertypes.len()).map(|id| supertype::supertype(plan, SuperId(id)));
    let nodes = plan.nodes.iter().map(|node| {
        let structure = structure::structure(plan, node);
        let mutable = mutable::mutable(plan, node);
        let make = make::make(plan, node);
        let read = read::read(plan, node);
        let implement = match node.flat {
            true => flat::flat_impls(plan, node),
            false => implement::implement_node(plan, node),
        };
        let (like, linked) = (like::like(node), like::linked(node));
        quote!(#structure #mutable #make #read #implement #like #linked)
    });
    let layout = assertions(plan);
    quote!(#(#supertypes)* #(#nodes)* #layout)
}
