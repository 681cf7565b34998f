//! Links from children to their parents.

use proc_macro2::TokenStream;
use quote::quote;

use crate::schema::model::Target;
use crate::store::plan::{NodePlan, Plan};
use crate::store::text::safety;

/// Sets the parent links of children.
pub fn adopt(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
    if node.flat || !plan.is_known_parent(node) {
        return quote!();
    }
    let mut steps = Vec::new();
    for child in node.children.iter().filter(|child| plan.knows_parent(child.target)) {
        let (ident, target) = (&child.ident, plan.target(child.target));
        let set = quote!(#target::set_parent(runtime::make_mut(child), parent););
        steps.push(match child.len {
            None => quote!(if let Some(child) = fields.#ident { #set }),
            Some(_) => quote!(for child in fields.#ident.iter_mut().flatten() { #set }),
        });
    }
    // Nodes say who their parent is by the type of their own `parent` field.
    let Some(parent_target) = parent_target(plan, node) else { return quote!() };
    let own = Target::Node(node.id);
    let parent = if parent_target == own {
        quote!(runtime::Parent::of(node.node()))
    } else {
        let target = plan.target(parent_target);
        let because = safety("every subtype is its supertype too");
        quote!({ #because runtime::Parent::of(unsafe { node.node().cast::<#target<V, C>>() }) })
    };
    quote! {
        /// Lets the children know that this node is their parent. To be called when its links have been set.
        pub fn adopt(mut node: runtime::NodeMut<'_, Self>) {
            let parent = #parent;
            let fields = Self::fields(node.reborrow());
            #(#steps)*
        }
    }
}

/// The type to which the children's parent links refer, if some children have a parent link that can refer to the node.
pub fn parent_target(plan: &Plan<'_>, node: &NodePlan<'_>) -> Option<Target> {
    let mut targets = node
        .children
        .iter()
        .flat_map(|child| plan.model.target_nodes(child.target))
        .flat_map(|id| plan.node(id).parents.iter().map(|(_, target)| *target));
    targets.find(|target| plan.model.target_nodes(*target).contains(&node.id))
}

/// The function by which a parent tells the node that it is.
pub fn set_parent(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
    let Some((ident, target)) = node.parents.first() else { return quote!() };
    let target = plan.target(*target);
    let others = node.parents.iter().skip(1).map(|(ident, _)| quote!(node.#ident = parent;));
    let because = safety("nobody else reaches the node");
    quote! {
        /// Sets the link to the parent.
        pub(super) fn set_parent(node: runtime::NodeMut<'_, Self>, parent: runtime::Parent<#target<V, C>>) {
            #because
            let node = unsafe { &mut *node.into_raw().as_ptr() };
            node.#ident = parent;
            #(#others)*
        }
    }
}
