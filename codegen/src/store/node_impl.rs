//! What the runtime asks of every node: its layout, a copy, its destruction, a report of its fields.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::nodes::{
    TailElements, coord_ident, is_nonempty, offsets_of, reserve_args, run_ident, tail_arrays, tail_fields, value_ident,
};
use super::plan::{Elem, NodePlan, Place, Plan, Shape, Slot, amount_tokens};
use super::text::safety;
use crate::schema::model::Target;

/// `impl Node`, for a node that has an allocation of its own.
pub fn item(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
    let ty = &node.ty;
    let layout = if tail_arrays(node).is_empty() {
        quote!(let _ = node; ::std::alloc::Layout::new::<Self>())
    } else {
        let names = tail_arrays(node).into_iter().map(|_| quote!(_));
        let offsets = offsets_of(node, &quote!(node));
        let read = match tail_fields(node).is_empty() {
            true => quote!(let _ = node;),
            false => quote!(let node = node.get();),
        };
        quote! {
            #read
            let [#(#names,)* end] = #offsets;
            runtime::tail_layout::<Self>(end)
        }
    };
    let copy = copy(plan, node);
    let destroy = destroy(plan, node);
    let inspect = inspect(plan, node);
    let because = safety("`reserve` makes every node with this layout and initialises all of it");
    quote! {
        #because
        unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Node for #ty<V, C> {
            type Coord = C;
            type Value = V;

            fn layout(node: runtime::NodeRef<'_, Self>) -> ::std::alloc::Layout {
                #layout
            }

            #copy
            #destroy

            fn inspect<'a>(node: runtime::NodeRef<'a, Self>, report: &mut runtime::Inspection<'a, C, V>) {
                report.allocation(<Self as runtime::Node>::layout(node));
                #inspect
            }
        }
    }
}

fn copy(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
    if plan.is_known_parent(node) {
        let variant = &node.ty;
        return quote! {
            fn copy(node: runtime::NodeRef<'_, Self>) -> runtime::Reserved<Self> {
                let mut copy: runtime::Link<Self> = None;
                let first = super::Copying::#variant(node, &raw mut copy, runtime::Parent::none());
                super::copy_structure(first, &mut |_, value: &V| value.clone());
                runtime::Reserved::from_unique(copy.expect("the copy of a node"))
            }
        };
    }
    let links = node.children.iter().map(|child| {
        let ident = &child.ident;
        match child.len {
            None => quote!(*fields.#ident = node.get().#ident.clone();),
            Some(_) => quote!(fields.#ident.clone_from_slice(Self::#ident(node));),
        }
    });
    let alike = quote!(Self::like(node, &mut Vec::new(), &mut |_, value: &V| value.clone()));
    let body = if node.children.is_empty() {
        alike
    } else {
        quote! {
            let mut copy = #alike;
            let fields = Self::fields(copy.edit());
            #(#links)*
            copy
        }
    };
    quote! {
        fn copy(node: runtime::NodeRef<'_, Self>) -> runtime::Reserved<Self> {
            #body
        }
    }
}

fn destroy(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
    let arrays = tail_arrays(node);
    let mut links = Vec::new();
    for child in node.children.iter().filter(|child| child.len.is_none()) {
        let ident = &child.ident;
        links.push(quote!(dead.bury((*ptr).#ident.take());));
    }
    let mut values = Vec::new();
    for elem in &node.elems {
        let (coord, value) = (coord_ident(elem), value_ident(elem));
        match elem.shape {
            Shape::One { nonempty: true } => values.push(quote!(::std::ptr::drop_in_place(&raw mut (*ptr).#value);)),
            Shape::One { nonempty: false } => values.push(quote! {
                if (*ptr).#coord != C::GAP {
                    (*ptr).#value.assume_init_drop();
                }
            }),
            _ => {}
        }
    }
    for array in &arrays {
        let at = &array.at;
        let len = node.len_of(array.len, &quote!((*ptr)));
        let slots = if array.lead > 0 { quote!(#len + 1) } else { len };
        match &array.elements {
            TailElements::Links(child) => {
                let target = plan.target(child.target);
                links.push(quote! {
                    for slot in 0..#slots {
                        let child = runtime::tail_ptr::<_, runtime::Link<#target<V, C>>>(node, #at).add(slot);
                        dead.bury((*child).take());
                    }
                });
            }
            TailElements::Coords(_) | TailElements::Coded(_) => {}
            TailElements::Values(elem) if is_nonempty(elem) => values.push(quote! {
                ::std::ptr::drop_in_place(::std::ptr::slice_from_raw_parts_mut(runtime::tail_ptr::<_, V>(node, #at), #slots));
            }),
            TailElements::Values(elem) => {
                let coords_at = format_ident!("{}_coords_at", elem.ident);
                values.push(quote! {
                    for slot in 0..#slots {
                        if runtime::tail_ptr::<_, C>(node, #coords_at).add(slot).read() != C::GAP {
                            ::std::ptr::drop_in_place(runtime::tail_ptr::<_, V>(node, #at).add(slot));
                        }
                    }
                });
            }
        }
    }
    let offsets = (!arrays.is_empty()).then(|| {
        let names = arrays.iter().map(|array| {
            let at = &array.at;
            match array.elements {
                TailElements::Coords(elem) if is_nonempty(elem) => quote!(_),
                TailElements::Coded(_) => quote!(_),
                _ => quote!(#at),
            }
        });
        let offsets = offsets_of(node, &quote!((*ptr)));
        quote!(let [#(#names,)* _] = #offsets;)
    });
    let values = (!values.is_empty()).then(|| {
        quote! {
            if ::std::mem::needs_drop::<V>() {
                #(#values)*
            }
        }
    });
    let because =
        safety("nobody else reaches the node; its links are taken, its values dropped once, its memory freed last");
    let dead = if links.is_empty() { quote!(_dead) } else { quote!(dead) };
    quote! {
        unsafe fn destroy(node: ::std::ptr::NonNull<Self>, #dead: &mut runtime::Graveyard) {
            let ptr = node.as_ptr();
            #because
            unsafe {
                let layout = <Self as runtime::Node>::layout(runtime::NodeRef::from_raw(node));
                #offsets
                #(#links)*
                #values
                runtime::pool::deallocate(node.cast(), layout);
            }
        }
    }
}

/// The report of the fields in the order of the sequence; also used by handles that lie by value.
pub fn inspect(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
    let mut lines = Vec::new();
    // Sizes first: what they bound is read with them.
    for size in &node.sizes {
        let (ident, name) = (&size.ident, size.ident.to_string());
        let lo = amount_tokens(&size.lo);
        let holds = match &size.hi {
            Some(hi) => {
                let hi = amount_tokens(hi);
                quote!((#lo..=#hi).contains(&Self::#ident(node)))
            }
            None if size.lo.value > 0 => quote!(Self::#ident(node) >= #lo),
            None => continue,
        };
        let bounds = match &size.hi {
            Some(hi) => format!("[{}, {}]", size.lo.value, hi.value),
            None => format!("[{}, *]", size.lo.value),
        };
        let message = format!("is {{}}, but must lie in {bounds}");
        lines.push(quote!(report.check(#name, #holds, || format!(#message, Self::#ident(node)));));
    }
    for (ident, deep) in &node.counts {
        if !deep {
            let name = ident.to_string();
            lines.push(quote!(report.count(#name, Self::#ident(node));));
        }
    }
    for place in &node.terms {
        match place {
            Place::Elem(elem) => lines.push(inspect_elem(node, *elem)),
            Place::Child(child) => {
                let child = &node.children[*child];
                let (ident, name, nonempty) = (&child.ident, &child.name, child.nonempty);
                let parent = inspect_parent(plan, node, child.target, name);
                lines.push(match child.len {
                    None => quote! {
                        report.child(#name, None, &node.get().#ident, #nonempty);
                        #parent
                    },
                    Some(_) => quote! {
                        for (slot, link) in Self::#ident(node).iter().enumerate() {
                            report.child(#name, Some(slot), link, #nonempty);
                        }
                    },
                });
            }
            Place::Interleaved(slots) => {
                let lens = slots.iter().map(|slot| match slot {
                    Slot::Elem(elem) => {
                        let ident = &node.elems[*elem].ident;
                        quote!(Self::#ident(node).len())
                    }
                    Slot::Child(child) => {
                        let ident = &node.children[*child].ident;
                        quote!(Self::#ident(node).len())
                    }
                });
                let steps = slots.iter().map(|slot| match slot {
                    Slot::Elem(elem) => {
                        let elem = &node.elems[*elem];
                        let (ident, name) = (&elem.ident, &elem.name);
                        if is_nonempty(elem) {
                            quote! {
                                let run = Self::#ident(node);
                                if slot < run.len() {
                                    report.elements(#name, Some(slot), &run.coords()[slot..=slot], &run.values()[slot..=slot], true);
                                }
                            }
                        } else {
                            quote! {
                                let slots = Self::#ident(node);
                                if slot < slots.len() {
                                    report.slots(#name, Some(slot), slots.slot(slot), true, None);
                                }
                            }
                        }
                    }
                    Slot::Child(child) => {
                        let child = &node.children[*child];
                        let (ident, name, nonempty) = (&child.ident, &child.name, child.nonempty);
                        quote! {
                            if let Some(link) = Self::#ident(node).get(slot) {
                                report.child(#name, Some(slot), link, #nonempty);
                            }
                        }
                    }
                });
                lines.push(quote! {
                    let longest = [#(#lens),*].into_iter().max().unwrap_or(0);
                    for slot in 0..longest {
                        #(#steps)*
                    }
                });
            }
        }
    }
    quote!(#(#lines)*)
}

fn inspect_elem(node: &NodePlan<'_>, index: usize) -> TokenStream {
    let elem = &node.elems[index];
    let (ident, name) = (&elem.ident, &elem.name);
    match &elem.shape {
        Shape::One { nonempty: true } => quote! {
            let run = Self::#ident(node);
            report.elements(#name, None, run.coords(), run.values(), true);
        },
        Shape::One { nonempty: false } => quote! {
            report.slots(#name, None, Self::#ident(node), true, None);
        },
        Shape::Lead { .. } => quote!(),
        Shape::Array { delta: true, .. } => quote!(report.coded(#name, Self::#ident(node));),
        Shape::Array { nonempty: true, ordered, lead, .. } => {
            let lead = lead.map(|lead| {
                let lead = &node.elems[lead];
                let (ident, name) = (&lead.ident, &lead.name);
                quote! {
                    let run = Self::#ident(node);
                    report.elements(#name, None, run.coords(), run.values(), true);
                }
            });
            quote! {
                #lead
                let run = Self::#ident(node);
                report.elements(#name, None, run.coords(), run.values(), #ordered);
            }
        }
        Shape::Array { ordered, used: Some(used), .. } => {
            let (all, used) = (format_ident!("{}_slots", elem.ident), &node.sizes[*used].ident);
            quote!(report.slots(#name, None, Self::#all(node), #ordered, Some(Self::#used(node)));)
        }
        Shape::Array { ordered, .. } => quote!(report.slots(#name, None, Self::#ident(node), #ordered, None);),
    }
}

fn inspect_parent(plan: &Plan<'_>, node: &NodePlan<'_>, target: Target, name: &str) -> TokenStream {
    let Target::Node(id) = target else { return quote!() };
    let child = plan.node(id);
    let Some((parent, parent_target)) = child.parents.first() else { return quote!() };
    let ident = node.children.iter().find(|child| child.name == name).map(|child| &child.ident);
    let child_ty = &child.ty;
    let expected = if *parent_target == Target::Node(node.id) { quote!(Some(node)) } else { quote!(None) };
    quote! {
        if let Some(child) = Self::#ident(node) {
            report.parent(#name, #child_ty::#parent(child), #expected);
        }
    }
}

/// `fn like`: the same shape with other values.
pub fn like(node: &NodePlan<'_>) -> TokenStream {
    let ty = &node.ty;
    let (params, free) = reserve_args(node);
    let mut before = Vec::new();
    let mut args = Vec::new();
    let mut scratch_used = false;
    for elem in params {
        let ident = &elem.ident;
        match &elem.shape {
            Shape::Array { .. } => {
                let coords = format_ident!("{}_coords", elem.ident);
                let values = format_ident!("{}_values", elem.ident);
                let coords_arg = if elem.is_coded() {
                    before.push(quote! {
                        let #coords = Self::#ident(node).decoded();
                        let run = runtime::Run::new(&#coords, Self::#ident(node).values());
                    });
                    quote!(&#coords)
                } else {
                    before.push(quote! {
                        let run = Self::#ident(node);
                        let #coords = run.coords();
                    });
                    quote!(#coords)
                };
                if std::mem::replace(&mut scratch_used, true) {
                    before.push(
                        quote!(let mut #values: Vec<U> = run.iter().map(|(coord, value)| f(coord, value)).collect();),
                    );
                    args.push(quote!(runtime::Elements::drain(#coords_arg, &mut #values)));
                } else {
                    before.push(quote!(scratch.extend(run.iter().map(|(coord, value)| f(coord, value)));));
                    args.push(quote!(runtime::Elements::drain(#coords_arg, scratch)));
                }
            }
            Shape::One { nonempty: false } => {
                before.push(quote! {
                    let slots = Self::#ident(node);
                    let #ident = slots.value(0).map(|value| (slots.coords()[0], f(slots.coords()[0], value)));
                });
                args.push(quote!(#ident));
            }
            _ => {
                before.push(quote! {
                    let run = Self::#ident(node);
                    let #ident = (run.coords()[0], f(run.coords()[0], &run.values()[0]));
                });
                args.push(quote!(#ident));
            }
        }
    }
    for size in free {
        let ident = &node.sizes[size].ident;
        args.push(quote!(Self::#ident(node)));
    }
    let mut after = Vec::new();
    let slots = |elem: &&Elem| matches!(elem.shape, Shape::Array { nonempty: false, .. });
    for elem in node.elems.iter().filter(slots) {
        let ident = &elem.ident;
        after.push(match &elem.shape {
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
        });
    }
    let mutable_fields = (!after.is_empty()).then(|| quote!(mut));
    for ident in node.metadata.iter().map(|(ident, _)| ident).chain(node.counts.iter().map(|(ident, _)| ident)) {
        after.push(quote!(*fields.#ident = node.get().#ident;));
    }
    let (result, make) = match node.flat {
        true => (quote!(#ty<U, C>), quote!(#ty::<U, C>::new)),
        false => (quote!(runtime::Reserved<#ty<U, C>>), quote!(#ty::<U, C>::reserve)),
    };
    let fields = (!after.is_empty()).then(|| {
        let edit = if node.flat { quote!(runtime::NodeMut::of(&mut copy)) } else { quote!(copy.edit()) };
        quote!(let #mutable_fields fields = #ty::<U, C>::fields(#edit);)
    });
    let made = match after.is_empty() {
        true => quote!(#make(#(#args),*)),
        false => quote! {
            let mut copy = #make(#(#args),*);
            #fields
            #(#after)*
            copy
        },
    };
    let scratch = if scratch_used { quote!(scratch) } else { quote!(_scratch) };
    let (node_arg, f_arg) = (
        if before.is_empty() && after.is_empty() && args.is_empty() { quote!(_node) } else { quote!(node) },
        if node.elems.is_empty() { quote!(_f) } else { quote!(f) },
    );
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

/// `impl Linked` for a node type with exactly one link to its own kind.
pub fn linked(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
    let _ = plan;
    let like = like(node);
    let own: Vec<_> = node.children.iter().filter(|child| child.target == Target::Node(node.id)).collect();
    let [only] = own[..] else { return like };
    if only.len.is_some() || node.flat {
        return like;
    }
    let (ty, ident) = (&node.ty, &only.ident);
    let _ = run_ident;
    let because = safety("both return the one field of this type");
    quote! {
        #like

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
    }
}
