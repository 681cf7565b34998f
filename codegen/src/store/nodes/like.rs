//! Nodes of the same shape with other values, and nodes that are linked to their own kind.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::params::reserve_args;
use crate::schema::model::Target;
use crate::store::plan::{Elem, NodePlan, Shape};
use crate::store::text::safety;

/// `fn like`: the same shape with other values.
pub fn like(node: &NodePlan<'_>) -> TokenStream {
    let ty = &node.ty;
    let call = Call::of(node);
    let after = write_fields(node);
    let Call { before, args, uses_scratch } = &call;
    let (result, make) = match node.flat {
        true => (quote!(#ty<U, C>), quote!(#ty::<U, C>::new)),
        false => (quote!(runtime::Reserved<#ty<U, C>>), quote!(#ty::<U, C>::reserve)),
    };
    let made = match &after {
        None => quote!(#make(#(#args),*)),
        Some(after) => quote! {
            let mut copy = #make(#(#args),*);
            #after
            copy
        },
    };
    let scratch = if *uses_scratch { quote!(scratch) } else { quote!(_scratch) };
    let reads_nothing = before.is_empty() && after.is_none() && args.is_empty();
    let node_arg = if reads_nothing { quote!(_node) } else { quote!(node) };
    let f_arg = if node.elems.is_empty() { quote!(_f) } else { quote!(f) };
    quote! {
        impl<V: runtime::Value, C: runtime::Coord> #ty<V, C> {
            /// A node of the same shape whose values are what `f` makes of this one's; its links are empty.
            pub(super) fn like<U: runtime::Value>(
                #node_arg: runtime::NodeRef<'_, Self>,
                #scratch: &mut Vec<U>,
                #f_arg: &mut impl FnMut(C, &V) -> U,
            ) -> #result {
                #(#before)*
                #made
            }
        }
    }
}

/// The call that makes the node.
struct Call {
    /// Statements before the call, which compute values.
    before: Vec<TokenStream>,
    args: Vec<TokenStream>,
    /// Whether the values of an array are computed into the buffer that the caller lends.
    uses_scratch: bool,
}

impl Call {
    fn of(node: &NodePlan<'_>) -> Call {
        let (params, free) = reserve_args(node);
        let mut call = Call { before: Vec::new(), args: Vec::new(), uses_scratch: false };
        for elem in params {
            let ident = &elem.ident;
            match &elem.shape {
                Shape::Array { .. } => call.array(elem),
                Shape::One { nonempty: false } => {
                    call.before.push(quote! {
                        let slots = Self::#ident(node);
                        let #ident = slots.value(0).map(|value| (slots.coords()[0], f(slots.coords()[0], value)));
                    });
                    call.args.push(quote!(#ident));
                }
                _ => {
                    call.before.push(quote! {
                        let run = Self::#ident(node);
                        let #ident = (run.coords()[0], f(run.coords()[0], &run.values()[0]));
                    });
                    call.args.push(quote!(#ident));
                }
            }
        }
        for size in free {
            let ident = &node.sizes[size].ident;
            call.args.push(quote!(Self::#ident(node)));
        }
        call
    }

    /// The elements of an array: its coordinates with new values. The first array takes the caller's buffer for them.
    fn array(&mut self, elem: &Elem) {
        let ident = &elem.ident;
        let (coords, values) = (format_ident!("{ident}_coords"), format_ident!("{ident}_values"));
        let coords_arg = if elem.is_coded() {
            self.before.push(quote! {
                let #coords = Self::#ident(node).decoded();
                let run = runtime::Run::new(&#coords, Self::#ident(node).values());
            });
            quote!(&#coords)
        } else {
            self.before.push(quote! {
                let run = Self::#ident(node);
                let #coords = run.coords();
            });
            quote!(#coords)
        };
        if std::mem::replace(&mut self.uses_scratch, true) {
            self.before
                .push(quote!(let mut #values: Vec<U> = run.iter().map(|(coord, value)| f(coord, value)).collect();));
            self.args.push(quote!(runtime::Elements::drain(#coords_arg, &mut #values)));
        } else {
            self.before.push(quote!(scratch.extend(run.iter().map(|(coord, value)| f(coord, value)));));
            self.args.push(quote!(runtime::Elements::drain(#coords_arg, scratch)));
        }
    }
}

/// What is written once the node is made: slots, metadata and counts. `None` if there are none of them.
fn write_fields(node: &NodePlan<'_>) -> Option<TokenStream> {
    let ty = &node.ty;
    let has_gaps = |elem: &&Elem| matches!(elem.shape, Shape::Array { nonempty: false, .. });
    let slots: Vec<TokenStream> = node.elems.iter().filter(has_gaps).map(write_slots).collect();
    let metadata = node.metadata.iter().map(|(ident, _)| ident);
    let numbers: Vec<&Ident> = metadata.chain(node.counts.iter().map(|(ident, _)| ident)).collect();
    if slots.is_empty() && numbers.is_empty() {
        return None;
    }
    let mutable = (!slots.is_empty()).then(|| quote!(mut));
    let edit = if node.flat { quote!(runtime::NodeMut::of(&mut copy)) } else { quote!(copy.edit()) };
    Some(quote! {
        let #mutable fields = #ty::<U, C>::fields(#edit);
        #(#slots)*
        #(*fields.#numbers = node.get().#numbers;)*
    })
}

fn write_slots(elem: &Elem) -> TokenStream {
    let ident = &elem.ident;
    match &elem.shape {
        Shape::Array { used: Some(_), .. } => quote! {
            for (coord, value) in Self::#ident(node).iter() {
                fields.#ident.push(coord, f(coord, value));
            }
        },
        _ => quote! {
            let slots = Self::#ident(node);
            for slot in 0..slots.len() {
                if let Some(value) = slots.value(slot) {
                    let coord = slots.coords()[slot];
                    fields.#ident.put(slot, coord, f(coord, value));
                }
            }
        },
    }
}

/// `impl Linked` for a node type with exactly one link to its own kind.
pub fn linked(node: &NodePlan<'_>) -> Option<TokenStream> {
    let own: Vec<_> = node.children.iter().filter(|child| child.target == Target::Node(node.id)).collect();
    let [only] = own[..] else { return None };
    if only.len.is_some() || node.flat {
        return None;
    }
    let (ty, ident) = (&node.ty, &only.ident);
    let because = safety("both return the one field of this type");
    Some(quote! {
        #because
        unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Linked for #ty<V, C> {
            #[inline(always)]
            fn next(node: runtime::NodeRef<'_, Self>) -> &runtime::Link<Self> {
                &node.get().#ident
            }

            #[inline(always)]
            fn next_mut(node: runtime::NodeMut<'_, Self>) -> &mut runtime::Link<Self> {
                Self::fields(node).#ident
            }
        }
    })
}
