//! Structs of nodes, how they are made, read and written.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::layout::{assertions, struct_fields};
use super::names::type_ident;
use super::plan::{Child, Elem, Len, NodePlan, Plan, Shape, amount_tokens};
use super::text::safety;
use crate::schema::model::{SuperId, Target};

/// The items of the module `nodes`.
pub fn items(plan: &Plan<'_>) -> TokenStream {
    let supertypes = (0..plan.model.supertypes.len()).map(|id| supertype(plan, SuperId(id)));
    let nodes = plan.nodes.iter().map(|node| {
        let structure = structure(plan, node);
        let mutable = mutable(plan, node);
        let make = make(plan, node);
        let read = read(plan, node);
        let flat = node.flat.then(|| flat_impls(plan, node));
        let boxed = (!node.flat).then(|| super::node_impl::item(plan, node));
        let linked = super::node_impl::linked(plan, node);
        quote!(#structure #mutable #make #read #flat #boxed #linked)
    });
    let layout = assertions(plan);
    quote!(#(#supertypes)* #(#nodes)* #layout)
}

/// The generic parameters of every generated type, as declared in structs.
fn declared(plan: &Plan<'_>) -> TokenStream {
    let coord = &plan.coord;
    quote!(<V: runtime::Value, C: runtime::Coord = #coord>)
}

/// The struct's fields that hold the child links which are not arrays.
fn scalar_children<'p>(node: &'p NodePlan<'_>) -> impl Iterator<Item = &'p Child> {
    node.children.iter().filter(|child| child.len.is_none())
}

fn structure(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
    let (ty, generics) = (&node.ty, declared(plan));
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

pub fn coord_ident(elem: &Elem) -> Ident {
    format_ident!("{}_coord", elem.ident)
}

pub fn value_ident(elem: &Elem) -> Ident {
    format_ident!("{}_value", elem.ident)
}

/// The field that says how many bytes the coded coordinates of an array take.
pub fn bytes_ident(elem: &Elem) -> Ident {
    format_ident!("node_{}_bytes", elem.ident)
}

/// An array behind the struct.
pub struct TailArray<'p> {
    pub elements: TailElements<'p>,
    /// What it is called among the offsets.
    pub at: Ident,
    pub len: &'p Len,
    /// Slots before the first one of the field.
    pub lead: usize,
}

/// What an array behind the struct holds.
pub enum TailElements<'p> {
    Links(&'p Child),
    Coords(&'p Elem),
    Values(&'p Elem),
    /// Bytes of difference-coded coordinates.
    Coded(&'p Elem),
}

/// The arrays behind the struct in the order in which they lie: links, coordinates, values, coded coordinates.
pub fn tail_arrays<'p>(node: &'p NodePlan<'_>) -> Vec<TailArray<'p>> {
    let mut arrays = Vec::new();
    for child in &node.children {
        if let Some(len) = &child.len {
            arrays.push(TailArray {
                elements: TailElements::Links(child),
                at: format_ident!("{}_at", child.ident),
                len,
                lead: 0,
            });
        }
    }
    for values in [false, true] {
        for elem in &node.elems {
            if let Shape::Array { len, lead, delta, .. } = &elem.shape {
                if *delta && !values {
                    continue;
                }
                let (elements, at) = match values {
                    false => (TailElements::Coords(elem), format_ident!("{}_coords_at", elem.ident)),
                    true => (TailElements::Values(elem), format_ident!("{}_values_at", elem.ident)),
                };
                arrays.push(TailArray { elements, at, len, lead: usize::from(lead.is_some()) });
            }
        }
    }
    for elem in node.coded() {
        if let Shape::Array { len, .. } = &elem.shape {
            let at = format_ident!("{}_coded_at", elem.ident);
            arrays.push(TailArray { elements: TailElements::Coded(elem), at, len, lead: 0 });
        }
    }
    arrays
}

/// The size fields that arrays behind the struct depend on.
pub fn tail_sizes(node: &NodePlan<'_>) -> Vec<usize> {
    let mut sizes: Vec<usize> = tail_arrays(node)
        .iter()
        .filter_map(|array| match array.len {
            Len::Size(size) => Some(*size),
            Len::Const(_) => None,
        })
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// The fields that arrays behind the struct depend on: sizes, and numbers of coded bytes.
pub fn tail_fields(node: &NodePlan<'_>) -> Vec<Ident> {
    let sizes = tail_sizes(node).into_iter().map(|size| node.sizes[size].ident.clone());
    sizes.chain(node.coded().map(bytes_ident)).collect()
}

/// `let [a_at, …, end] = Self::offsets(…)`, the sizes read from `from` (a reference to the struct).
pub fn offsets_of(node: &NodePlan<'_>, from: &TokenStream) -> TokenStream {
    let sizes = tail_fields(node).into_iter().map(|ident| quote!(#from.#ident as usize));
    quote!(Self::offsets(#(#sizes),*))
}

fn len_param(node: &NodePlan<'_>, len: &Len) -> TokenStream {
    match len {
        Len::Const(amount) => amount_tokens(amount),
        Len::Size(size) => {
            let ident = &node.sizes[*size].ident;
            quote!(#ident)
        }
    }
}

fn offsets(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
    let arrays = tail_arrays(node);
    if arrays.is_empty() {
        return quote!();
    }
    let params = tail_fields(node).into_iter().map(|ident| quote!(#ident: usize));
    let mut end = quote!(::std::mem::size_of::<Self>());
    let mut lines = Vec::new();
    for array in &arrays {
        let at = &array.at;
        let ty = match &array.elements {
            TailElements::Coded(elem) => {
                let bytes = bytes_ident(elem);
                lines.push(quote!(let #at = #end;));
                end = quote!(#at + #bytes);
                continue;
            }
            TailElements::Links(child) => {
                let target = plan.target(child.target);
                quote!(runtime::Link<#target<V, C>>)
            }
            TailElements::Coords(_) => quote!(C),
            TailElements::Values(_) => quote!(V),
        };
        let len = len_param(node, array.len);
        let slots = if array.lead > 0 { quote!((#len + 1)) } else { quote!(#len) };
        lines.push(quote!(let #at = runtime::align_up::<#ty>(#end);));
        end = quote!(#at + #slots * ::std::mem::size_of::<#ty>());
    }
    let names = arrays.iter().map(|array| &array.at);
    let n = proc_macro2::Literal::usize_unsuffixed(arrays.len() + 1);
    quote! {
        /// Where the arrays start behind the node, in bytes, and where the last one ends.
        #[inline(always)]
        const fn offsets(#(#params),*) -> [usize; #n] {
            #(#lines)*
            [#(#names,)* #end]
        }
    }
}

fn runs_type() -> TokenStream {
    quote!(runtime::Run<'a, 'a, C, V>)
}

/// What `reserve` takes for an `elem` field, if anything.
fn param_of(elem: &Elem) -> Option<TokenStream> {
    let ident = &elem.ident;
    match &elem.shape {
        Shape::One { nonempty: true } | Shape::Lead { .. } => Some(quote!(#ident: (C, V))),
        Shape::One { nonempty: false } => Some(quote!(#ident: Option<(C, V)>)),
        Shape::Array { nonempty: true, .. } => Some(quote!(#ident: runtime::Elements<'_, C, V>)),
        Shape::Array { .. } => None,
    }
}

/// Sizes that `reserve` takes, because no `Elements` tells them.
fn free_sizes(node: &NodePlan<'_>) -> Vec<usize> {
    tail_sizes(node).into_iter().filter(|&size| size_from(node, size).is_none()).collect()
}

/// The `elem` array whose elements tell a size.
fn size_from<'p>(node: &'p NodePlan<'_>, size: usize) -> Option<&'p Elem> {
    node.elems
        .iter()
        .find(|elem| matches!(&elem.shape, Shape::Array { len: Len::Size(from), nonempty: true, .. } if *from == size))
}

/// The arguments of `reserve` in order: a name each.
pub fn reserve_args<'p>(node: &'p NodePlan<'_>) -> (Vec<&'p Elem>, Vec<usize>) {
    (node.elems.iter().filter(|elem| param_of(elem).is_some()).collect(), free_sizes(node))
}

/// The function that makes a node.
fn make(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
    let ty = &node.ty;
    let params: Vec<TokenStream> = node
        .elems
        .iter()
        .filter_map(param_of)
        .chain(free_sizes(node).into_iter().map(|size| {
            let ident = &node.sizes[size].ident;
            quote!(#ident: usize)
        }))
        .collect();

    // Sizes: from the elements' number, all arrays of one size alike, within the bounds of the schema.
    let mut checks = Vec::new();
    for size in tail_sizes(node) {
        let field = &node.sizes[size];
        let ident = &field.ident;
        let mut from: Vec<&Elem> = node
            .elems
            .iter()
            .filter(|elem| matches!(&elem.shape, Shape::Array { len: Len::Size(s), nonempty: true, .. } if *s == size))
            .collect();
        if !from.is_empty() {
            let first = &from.remove(0).ident;
            checks.push(quote!(let #ident = #first.len();));
            for other in from {
                let (other, message) = (&other.ident, format!("`{}` says the length of several arrays", field.ident));
                checks.push(quote!(assert!(#other.len() == #ident, #message);));
            }
        }
        let name = ident.to_string();
        let lo = amount_tokens(&field.lo);
        let (hi, message) = match &field.hi {
            Some(hi) => {
                (amount_tokens(hi), format!("a node's `{name}` must lie in [{}, {}]", field.lo.value, hi.value))
            }
            None => (quote!(u32::MAX as usize), format!("a node's `{name}` must fit into 32 bits")),
        };
        checks.push(match field.lo.value {
            0 => quote!(assert!(#ident <= #hi, #message);),
            _ => quote!(assert!((#lo..=#hi).contains(&#ident), #message);),
        });
    }
    for elem in &node.elems {
        if let Shape::Array { len: Len::Const(amount), nonempty: true, .. } = &elem.shape {
            let (ident, len) = (&elem.ident, amount_tokens(amount));
            let message = format!("`{}` has exactly {} elements", elem.name, amount.value);
            checks.push(quote!(assert!(#ident.len() == #len, #message);));
        }
    }

    // Coded coordinates: as many bytes as it takes.
    for elem in node.coded() {
        let (ident, bytes, base) = (&elem.ident, bytes_ident(elem), base_of(node, elem));
        let message = format!("the coded coordinates of `{}` must fit into 32 bits of bytes", elem.name);
        checks.push(quote! {
            let #bytes = runtime::coded_len(#ident.coords(), #base);
            assert!(#bytes <= u32::MAX as usize, #message);
        });
    }

    // The struct's fields.
    let count = (!node.flat).then(|| quote!(node_count: runtime::Count::one(),));
    let tag = node.tag.map(|tag| quote!(node_tag: #tag,));
    let sizes = node.sizes.iter().map(|size| {
        let (ident, ty) = (&size.ident, &size.ty);
        if size.fills { quote!(#ident: 0,) } else { quote!(#ident: #ident as #ty,) }
    });
    let coded = node.coded().map(|elem| {
        let bytes = bytes_ident(elem);
        quote!(#bytes: #bytes as u32,)
    });
    let metadata =
        node.metadata.iter().map(|(ident, ty)| if ty == "bool" { quote!(#ident: false,) } else { quote!(#ident: 0,) });
    let counts = node.counts.iter().map(|(ident, _)| quote!(#ident: 0,));
    let parents = node.parents.iter().map(|(ident, _)| quote!(#ident: runtime::Parent::none(),));
    let links = scalar_children(node).map(|child| {
        let ident = &child.ident;
        quote!(#ident: None,)
    });
    let mut unpack = Vec::new();
    let mut scalars = Vec::new();
    for elem in &node.elems {
        let (ident, coord, value) = (&elem.ident, coord_ident(elem), value_ident(elem));
        match elem.shape {
            Shape::One { nonempty: true } => scalars.push(quote!(#coord: #ident.0, #value: #ident.1,)),
            Shape::One { nonempty: false } => {
                unpack.push(quote! {
                    let (#coord, #value) = match #ident {
                        Some((coord, value)) => {
                            assert!(coord != C::GAP, "the gap mark is no coordinate");
                            (coord, ::std::mem::MaybeUninit::new(value))
                        }
                        None => (C::GAP, ::std::mem::MaybeUninit::uninit()),
                    };
                });
                scalars.push(quote!(#coord, #value,));
            }
            _ => {}
        }
    }
    let literal = quote! {
        #ty { #count #tag #(#sizes)* #(#coded)* #(#metadata)* #(#counts)* #(#parents)* #(#links)* #(#scalars)* node_tail: runtime::Tail::new() }
    };

    if node.flat {
        return quote! {
            impl<V: runtime::Value, C: runtime::Coord> #ty<V, C> {
                /// A handle whose links are empty.
                pub fn new(#(#params),*) -> Self {
                    #(#checks)* #(#unpack)*
                    #literal
                }
            }
        };
    }

    // The arrays.
    let arrays = tail_arrays(node);
    let offsets_fn = offsets(plan, node);
    let (layout, fill) = if arrays.is_empty() {
        (quote!(let memory = runtime::pool::allocate(::std::alloc::Layout::new::<Self>()).cast::<Self>();), Vec::new())
    } else {
        let names: Vec<TokenStream> = arrays
            .iter()
            .map(|array| {
                let at = &array.at;
                // Values of slots stay uninitialised.
                match array.elements {
                    TailElements::Values(elem) if !is_nonempty(elem) => quote!(_),
                    _ => quote!(#at),
                }
            })
            .collect();
        let sizes = tail_fields(node);
        let extents = arrays.iter().map(|array| {
            let len = len_param(node, array.len);
            let slots = if array.lead > 0 { quote!(#len + 1) } else { len };
            match &array.elements {
                TailElements::Links(child) => {
                    let target = plan.target(child.target);
                    quote!((#slots, ::std::mem::size_of::<runtime::Link<#target<V, C>>>()))
                }
                TailElements::Coords(_) => quote!((#slots, ::std::mem::size_of::<C>())),
                TailElements::Values(_) => quote!((#slots, ::std::mem::size_of::<V>())),
                TailElements::Coded(elem) => {
                    let bytes = bytes_ident(elem);
                    quote!((#bytes, 1))
                }
            }
        });
        let layout = quote! {
            runtime::assert_fits(&[#(#extents),*]);
            let [#(#names,)* end] = Self::offsets(#(#sizes),*);
            let memory = runtime::pool::allocate(runtime::tail_layout::<Self>(end)).cast::<Self>();
        };
        let fill = arrays.iter().filter_map(|array| {
            let at = &array.at;
            let len = len_param(node, array.len);
            match &array.elements {
                TailElements::Links(child) => {
                    let target = plan.target(child.target);
                    Some(quote! {
                        for slot in 0..#len {
                            runtime::tail_ptr::<_, runtime::Link<#target<V, C>>>(memory, #at).add(slot).write(None);
                        }
                    })
                }
                TailElements::Coords(elem) if is_nonempty(elem) => {
                    let ident = &elem.ident;
                    let values = format_ident!("{}_values_at", elem.ident);
                    let Shape::Array { lead, .. } = &elem.shape else { return None };
                    Some(match lead {
                        Some(lead) => {
                            let lead = &node.elems[*lead].ident;
                            quote! {
                                runtime::tail_ptr::<_, C>(memory, #at).write(#lead.0);
                                runtime::tail_ptr::<_, V>(memory, #values).write(#lead.1);
                                #ident.write_to(runtime::tail_ptr::<_, C>(memory, #at).add(1), runtime::tail_ptr::<_, V>(memory, #values).add(1));
                            }
                        }
                        None => quote! {
                            #ident.write_to(runtime::tail_ptr::<_, C>(memory, #at), runtime::tail_ptr::<_, V>(memory, #values));
                        },
                    })
                }
                TailElements::Coords(_) => Some(quote! {
                    for slot in 0..#len {
                        runtime::tail_ptr::<_, C>(memory, #at).add(slot).write(C::GAP);
                    }
                }),
                TailElements::Values(_) => None,
                TailElements::Coded(elem) => {
                    let (ident, bytes, base) = (&elem.ident, bytes_ident(elem), base_of(node, elem));
                    let values = format_ident!("{}_values_at", elem.ident);
                    Some(quote! {
                        #ident.write_coded_to(#base, runtime::tail_ptr::<_, u8>(memory, #at), #bytes, runtime::tail_ptr::<_, V>(memory, #values));
                    })
                }
            }
        }).collect();
        (layout, fill)
    };
    let because = safety(
        "the memory is fresh and large enough; every field and every array is written before the node is handed out",
    );
    let sized = if params.is_empty() { "" } else { " that holds the given elements" };
    let doc = format!(" A new `{}`{sized}; its links are empty.", node.node.name);
    let panics = (!checks.is_empty()).then(|| {
        quote! {
            #[doc = ""]
            #[doc = " # Panics"]
            #[doc = ""]
            #[doc = " If a length is not one that the schema allows."]
        }
    });
    quote! {
        impl<V: runtime::Value, C: runtime::Coord> #ty<V, C> {
            #offsets_fn

            #[doc = #doc]
            #panics
            #[inline]
            pub fn reserve(#(#params),*) -> runtime::Reserved<Self> {
                #(#checks)* #(#unpack)*
                #layout
                #because
                unsafe {
                    memory.write(#literal);
                    #(#fill)*
                    runtime::Reserved::from_raw(memory)
                }
            }
        }
    }
}

/// What the coded coordinates of an array are counted from, given what `reserve` takes.
fn base_of(node: &NodePlan<'_>, elem: &Elem) -> TokenStream {
    match &elem.shape {
        Shape::Array { base: Some(base), .. } => {
            let base = &node.elems[*base].ident;
            quote!(Some(#base.0))
        }
        _ => quote!(None),
    }
}

pub fn is_nonempty(elem: &Elem) -> bool {
    matches!(elem.shape, Shape::One { nonempty: true } | Shape::Lead { .. } | Shape::Array { nonempty: true, .. })
}

/// What a term of elements is called where a lead and its array are one run.
pub fn run_ident(node: &NodePlan<'_>, elem: usize) -> Ident {
    match &node.elems[elem].shape {
        Shape::Array { lead: Some(lead), .. } => {
            format_ident!("{}_{}", node.elems[*lead].ident, node.elems[elem].ident)
        }
        _ => node.elems[elem].ident.clone(),
    }
}

/// Functions that read a node.
fn read(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
    let ty = &node.ty;
    let because = safety("the node has this array, initialised when the node was made");
    let mut functions = Vec::new();
    for (index, elem) in node.elems.iter().enumerate() {
        let (ident, name) = (&elem.ident, &elem.name);
        let run = runs_type();
        match &elem.shape {
            Shape::One { nonempty: true } => {
                let (coord, value) = (coord_ident(elem), value_ident(elem));
                let doc = format!(" The element `{name}`.");
                functions.push(quote! {
                    #[doc = #doc]
                    #[inline(always)]
                    pub fn #ident<'a>(node: runtime::NodeRef<'a, Self>) -> #run {
                        let node = node.get();
                        runtime::Run::one(&node.#coord, &node.#value)
                    }
                });
            }
            Shape::One { nonempty: false } => {
                let (coord, value) = (coord_ident(elem), value_ident(elem));
                let doc = format!(" The element `{name}`, or no element.");
                let because = safety("a value is initialised where its coordinate is not the gap mark");
                functions.push(quote! {
                    #[doc = #doc]
                    #[inline(always)]
                    pub fn #ident<'a>(node: runtime::NodeRef<'a, Self>) -> runtime::Slots<'a, C, V> {
                        let node = node.get();
                        #because
                        unsafe { runtime::Slots::new(::std::slice::from_ref(&node.#coord), ::std::slice::from_ref(&node.#value)) }
                    }
                });
            }
            Shape::Lead { array } => {
                let fused = run_ident(node, *array);
                let doc = format!(" The element `{name}`.");
                functions.push(quote! {
                    #[doc = #doc]
                    #[inline(always)]
                    pub fn #ident<'a>(node: runtime::NodeRef<'a, Self>) -> #run {
                        Self::#fused(node).first(1)
                    }
                });
            }
            Shape::Array { delta: true, len, base, .. } => {
                let (values_at, coded_at) =
                    (format_ident!("{}_values_at", elem.ident), format_ident!("{}_coded_at", elem.ident));
                let names = tail_arrays(node).into_iter().map(|array| {
                    let at = array.at;
                    if at == values_at || at == coded_at { quote!(#at) } else { quote!(_) }
                });
                let offsets = offsets_of(node, &quote!(fields));
                let (bytes, len) = (bytes_ident(elem), node.len_of(len, &quote!(fields)));
                let base = match base {
                    Some(base) => {
                        let base = coord_ident(&node.elems[*base]);
                        quote!(Some(fields.#base))
                    }
                    None => quote!(None),
                };
                let doc = format!(" The elements of `{name}`, whose coordinates are difference-coded.");
                functions.push(quote! {
                    #[doc = #doc]
                    #[inline(always)]
                    pub fn #ident<'a>(node: runtime::NodeRef<'a, Self>) -> runtime::CodedView<'a, C, V> {
                        let fields = node.get();
                        let [#(#names,)* _] = #offsets;
                        #because
                        let (coded, values) = unsafe {
                            (
                                runtime::tail_slice(node, #coded_at, fields.#bytes as usize),
                                runtime::tail_slice(node, #values_at, #len),
                            )
                        };
                        runtime::CodedView::new(coded, values, #base)
                    }
                });
            }
            Shape::Array { len, nonempty, lead, used, .. } => {
                let coords_at = format_ident!("{}_coords_at", elem.ident);
                let values_at = format_ident!("{}_values_at", elem.ident);
                let names = tail_arrays(node).into_iter().map(|array| {
                    let at = array.at;
                    if at == coords_at || at == values_at { quote!(#at) } else { quote!(_) }
                });
                let offsets = offsets_of(node, &quote!(fields));
                let len = node.len_of(len, &quote!(fields));
                let fields = (!tail_fields(node).is_empty()).then(|| quote!(let fields = node.get();));
                let slots = if lead.is_some() { quote!(#len + 1) } else { len };
                let whole = run_ident(node, index);
                if *nonempty {
                    let doc = match lead {
                        Some(lead) => format!(
                            " The element `{}` and those of `{name}`, which lie behind it.",
                            node.elems[*lead].name
                        ),
                        None => format!(" The elements of `{name}`."),
                    };
                    functions.push(quote! {
                        #[doc = #doc]
                        #[inline(always)]
                        pub fn #whole<'a>(node: runtime::NodeRef<'a, Self>) -> #run {
                            #fields
                            let [#(#names,)* _] = #offsets;
                            let slots = #slots;
                            #because
                            unsafe {
                                runtime::Run::new(
                                    runtime::tail_slice(node, #coords_at, slots),
                                    runtime::tail_slice(node, #values_at, slots),
                                )
                            }
                        }
                    });
                    if lead.is_some() {
                        let doc = format!(" The elements of `{name}`.");
                        functions.push(quote! {
                            #[doc = #doc]
                            #[inline(always)]
                            pub fn #ident<'a>(node: runtime::NodeRef<'a, Self>) -> #run {
                                Self::#whole(node).skip(1)
                            }
                        });
                    }
                } else {
                    let names: Vec<TokenStream> = names.collect();
                    let all = format_ident!("{}_slots", elem.ident);
                    let (slots_fn, doc) = match used {
                        Some(_) => (&all, format!(" All slots of `{name}`, those that are not in use included.")),
                        None => (ident, format!(" The slots of `{name}`.")),
                    };
                    functions.push(quote! {
                        #[doc = #doc]
                        #[inline(always)]
                        pub fn #slots_fn<'a>(node: runtime::NodeRef<'a, Self>) -> runtime::Slots<'a, C, V> {
                            #fields
                            let [#(#names,)* _] = #offsets;
                            let slots = #slots;
                            #because
                            unsafe {
                                runtime::Slots::new(
                                    runtime::tail_slice(node, #coords_at, slots),
                                    runtime::tail_slice(node, #values_at, slots),
                                )
                            }
                        }
                    });
                    if let Some(used) = used {
                        let used = &node.sizes[*used].ident;
                        let doc = format!(" The elements of `{name}`: its first `{used}` slots.");
                        let because =
                            safety("only `FilledMut` writes the slots, and keeps exactly the first ones full");
                        functions.push(quote! {
                            #[doc = #doc]
                            #[inline(always)]
                            pub fn #ident<'a>(node: runtime::NodeRef<'a, Self>) -> #run {
                                let used = node.get().#used as usize;
                                #because
                                unsafe { Self::#slots_fn(node).filled(used) }
                            }
                        });
                    }
                }
            }
        }
    }
    for child in &node.children {
        let (ident, name, target) = (&child.ident, &child.name, plan.target(child.target));
        match &child.len {
            None => {
                let (link, doc) = (format_ident!("{ident}_link"), format!(" The child `{name}`."));
                let link_doc = format!(" The link `{name}`: a clone of it shares the child.");
                functions.push(quote! {
                    #[doc = #doc]
                    #[inline(always)]
                    pub fn #ident<'a>(node: runtime::NodeRef<'a, Self>) -> Option<runtime::NodeRef<'a, #target<V, C>>> {
                        runtime::follow(&node.get().#ident)
                    }

                    #[doc = #link_doc]
                    #[inline(always)]
                    pub fn #link<'a>(node: runtime::NodeRef<'a, Self>) -> &'a runtime::Link<#target<V, C>> {
                        &node.get().#ident
                    }
                });
            }
            Some(len) => {
                let at = format_ident!("{}_at", child.ident);
                let names = tail_arrays(node).into_iter().map(|array| {
                    let name = array.at;
                    if name == at { quote!(#name) } else { quote!(_) }
                });
                let offsets = offsets_of(node, &quote!(fields));
                let len = node.len_of(len, &quote!(fields));
                let fields = (!tail_fields(node).is_empty()).then(|| quote!(let fields = node.get();));
                let doc = format!(" The children `{name}`.");
                functions.push(quote! {
                    #[doc = #doc]
                    #[inline(always)]
                    pub fn #ident<'a>(node: runtime::NodeRef<'a, Self>) -> &'a [runtime::Link<#target<V, C>>] {
                        #fields
                        let [#(#names,)* _] = #offsets;
                        let slots = #len;
                        #because
                        unsafe { runtime::tail_slice(node, #at, slots) }
                    }
                });
            }
        }
    }
    for size in &node.sizes {
        let ident = &size.ident;
        let doc = format!(" The size `{ident}`.");
        functions.push(quote! {
            #[doc = #doc]
            #[inline(always)]
            pub fn #ident(node: runtime::NodeRef<'_, Self>) -> usize {
                node.get().#ident as usize
            }
        });
    }
    let scalars = node.metadata.iter().map(|(ident, ty)| (ident, quote!(#ty), format!(" The field `{ident}`.")));
    let counts = node.counts.iter().map(|(ident, deep)| {
        let what = if *deep { "leaf nonzeros" } else { "nonzeros" };
        (ident, quote!(u64), format!(" The number of {what} reachable from the node, as assembly wrote it."))
    });
    for (ident, ty, doc) in scalars.chain(counts) {
        functions.push(quote! {
            #[doc = #doc]
            #[inline(always)]
            pub fn #ident(node: runtime::NodeRef<'_, Self>) -> #ty {
                node.get().#ident
            }
        });
    }
    for (ident, target) in &node.parents {
        let target = plan.target(*target);
        functions.push(quote! {
            /// The node that links to this one.
            #[inline(always)]
            pub fn #ident(node: runtime::NodeRef<'_, Self>) -> runtime::Parent<#target<V, C>> {
                node.get().#ident
            }
        });
    }
    let adopt = adopt(plan, node);
    let upcast = match node.node.supertype {
        Some(parent) => {
            let parent = plan.target(Target::Super(parent));
            let doc = format!(" The node as a `{parent}`.");
            let because =
                safety("a subtype's fields start with those of its supertype, and its tag says which subtype it is");
            quote! {
                #[doc = #doc]
                #[inline(always)]
                pub fn upcast(node: runtime::Ref<Self>) -> runtime::Ref<#parent<V, C>> {
                    #because
                    unsafe { runtime::Ref::from_raw(node.into_raw().cast()) }
                }
            }
        }
        None => quote!(),
    };
    quote! {
        impl<V: runtime::Value, C: runtime::Coord> #ty<V, C> {
            #(#functions)*
            #adopt
            #upcast
        }
    }
}

/// Sets the parent links of children.
fn adopt(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
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

/// What the children of a node say of it, if they know it as their parent.
pub fn parent_target(plan: &Plan<'_>, node: &NodePlan<'_>) -> Option<Target> {
    let mut targets = node
        .children
        .iter()
        .flat_map(|child| plan.model.target_nodes(child.target))
        .flat_map(|id| plan.node(id).parents.iter().map(|(_, target)| *target));
    targets.find(|target| plan.model.target_nodes(*target).contains(&node.id))
}

/// The struct that gives write access to all fields at once.
fn mutable(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
    let ty = &node.ty;
    let view = format_ident!("{}Mut", ty);
    let mut declared = Vec::new();
    let mut made = Vec::new();
    let mut needs_arrays = false;
    let array_mut = |at: &Ident, ty: TokenStream, slots: &TokenStream| quote!(::std::slice::from_raw_parts_mut(runtime::tail_ptr::<_, #ty>(ptr, #at), #slots));
    for elem in &node.elems {
        let (ident, name) = (&elem.ident, &elem.name);
        let (coord, value) = (coord_ident(elem), value_ident(elem));
        let (coords_at, values_at) = (format_ident!("{}_coords_at", ident), format_ident!("{}_values_at", ident));
        match &elem.shape {
            Shape::One { nonempty: true } => {
                let doc = format!(" The value of `{name}`.");
                declared.push(quote!(#[doc = #doc] pub #ident: &'a mut V,));
                made.push(quote!(#ident: &mut (*node).#value,));
            }
            Shape::One { nonempty: false } => {
                let doc = format!(" The slot `{name}`.");
                declared.push(quote!(#[doc = #doc] pub #ident: runtime::SlotsMut<'a, C, V>,));
                made.push(quote!(#ident: runtime::SlotsMut::new(
                    ::std::slice::from_mut(&mut (*node).#coord), ::std::slice::from_mut(&mut (*node).#value)),));
            }
            Shape::Lead { array } => {
                let doc = format!(" The value of `{name}`.");
                let at = format_ident!("{}_values_at", node.elems[*array].ident);
                declared.push(quote!(#[doc = #doc] pub #ident: &'a mut V,));
                made.push(quote!(#ident: &mut *runtime::tail_ptr::<_, V>(ptr, #at),));
                needs_arrays = true;
            }
            Shape::Array { len, nonempty: true, lead, .. } => {
                let doc = format!(" The values of `{name}`.");
                let len = node.len_of(len, &quote!((*node)));
                declared.push(quote!(#[doc = #doc] pub #ident: &'a mut [V],));
                made.push(match lead {
                    None => {
                        let slice = array_mut(&values_at, quote!(V), &len);
                        quote!(#ident: #slice,)
                    }
                    Some(_) => quote!(#ident: ::std::slice::from_raw_parts_mut(runtime::tail_ptr::<_, V>(ptr, #values_at).add(1), #len),),
                });
                needs_arrays = true;
            }
            Shape::Array { len, used, .. } => {
                let len = node.len_of(len, &quote!((*node)));
                let coords = array_mut(&coords_at, quote!(C), &len);
                let values = array_mut(&values_at, quote!(::std::mem::MaybeUninit<V>), &len);
                needs_arrays = true;
                match used {
                    None => {
                        let doc = format!(" The slots of `{name}`.");
                        declared.push(quote!(#[doc = #doc] pub #ident: runtime::SlotsMut<'a, C, V>,));
                        made.push(quote!(#ident: runtime::SlotsMut::new(#coords, #values),));
                    }
                    Some(used) => {
                        let (used, size) = (&node.sizes[*used].ident, &node.sizes[*used].ty);
                        let doc = format!(" The slots of `{name}`, the first `{used}` of which are full.");
                        declared.push(quote!(#[doc = #doc] pub #ident: runtime::FilledMut<'a, C, V, #size>,));
                        made.push(quote!(#ident: runtime::FilledMut::new(#coords, #values, &mut (*node).#used),));
                    }
                }
            }
        }
    }
    for child in &node.children {
        let (ident, name, target) = (&child.ident, &child.name, plan.target(child.target));
        match &child.len {
            None => {
                let doc = format!(" The link `{name}`.");
                declared.push(quote!(#[doc = #doc] pub #ident: &'a mut runtime::Link<#target<V, C>>,));
                made.push(quote!(#ident: &mut (*node).#ident,));
            }
            Some(len) => {
                let doc = format!(" The links `{name}`.");
                let len = node.len_of(len, &quote!((*node)));
                let slice = array_mut(&format_ident!("{}_at", child.ident), quote!(runtime::Link<#target<V, C>>), &len);
                declared.push(quote!(#[doc = #doc] pub #ident: &'a mut [runtime::Link<#target<V, C>>],));
                made.push(quote!(#ident: #slice,));
                needs_arrays = true;
            }
        }
    }
    // A size that is no array's length, and how far no array is used, is the assembly's own business.
    for (ident, ty) in &node.metadata {
        let doc = format!(" The field `{ident}`.");
        declared.push(quote!(#[doc = #doc] pub #ident: &'a mut #ty,));
        made.push(quote!(#ident: &mut (*node).#ident,));
    }
    for (ident, _) in &node.counts {
        declared.push(quote!(#[doc = " The number of nonzeros reachable from the node."] pub #ident: &'a mut u64,));
        made.push(quote!(#ident: &mut (*node).#ident,));
    }
    let doc = format!(" The fields of a `{}`, for writing.", node.node.name);
    if declared.is_empty() {
        return quote!();
    }
    // Values alone do not mention the coordinates.
    if node.children.is_empty() && !node.elems.iter().any(|elem| !is_nonempty(elem)) {
        declared.push(quote!(node_type: ::std::marker::PhantomData<&'a (V, C)>,));
        made.push(quote!(node_type: ::std::marker::PhantomData,));
    }
    let arrays = needs_arrays.then(|| {
        let names = tail_arrays(node).into_iter().map(|array| {
            let at = array.at;
            let coords_of_full = match array.elements {
                TailElements::Coords(elem) => is_nonempty(elem),
                TailElements::Coded(_) => true,
                _ => false,
            };
            if coords_of_full { quote!(_) } else { quote!(#at) }
        });
        let offsets = offsets_of(node, &quote!((*node)));
        quote!(let [#(#names,)* _] = #offsets;)
    });
    let because =
        safety("the node is reached by nobody else during `'a`, and the fields and arrays handed out are disjoint");
    let ptr = if needs_arrays {
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
                    #arrays
                    #view { #(#made)* }
                }
            }
            #set_parent
        }
    }
}

fn set_parent(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
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

/// What a handle that lies by value needs besides.
fn flat_impls(plan: &Plan<'_>, node: &NodePlan<'_>) -> TokenStream {
    let ty = &node.ty;
    let args = node.elems.iter().filter(|elem| param_of(elem).is_some()).map(|_| quote!(None));
    let has_nonempty = node.elems.iter().any(is_nonempty);
    // A handle that cannot be empty is refused by the checker.
    let default = (!has_nonempty).then(|| {
        quote! {
            impl<V: runtime::Value, C: runtime::Coord> Default for #ty<V, C> {
                fn default() -> Self {
                    Self::new(#(#args),*)
                }
            }
        }
    });
    let mut clones = Vec::new();
    for elem in &node.elems {
        let (ident, coord) = (&elem.ident, coord_ident(elem));
        clones.push(quote!(Self::#ident(node).value(0).map(|value| (self.#coord, value.clone()))));
    }
    let read = (!node.elems.is_empty()).then(|| quote!(let node = runtime::NodeRef::of(self);));
    let mut rest = Vec::new();
    for child in &node.children {
        let ident = &child.ident;
        rest.push(quote!(copy.#ident = self.#ident.clone();));
    }
    for ident in node.sizes.iter().map(|size| &size.ident).chain(node.metadata.iter().map(|(ident, _)| ident)) {
        rest.push(quote!(copy.#ident = self.#ident;));
    }
    for (ident, _) in &node.counts {
        rest.push(quote!(copy.#ident = self.#ident;));
    }
    let drop = (!node.elems.is_empty()).then(|| {
        let clear = node.elems.iter().map(|elem| {
            let ident = &elem.ident;
            quote!(fields.#ident.clear();)
        });
        quote! {
            impl<V: runtime::Value, C: runtime::Coord> Drop for #ty<V, C> {
                fn drop(&mut self) {
                    let mut fields = Self::fields(runtime::NodeMut::of(self));
                    #(#clear)*
                }
            }
        }
    });
    let because = safety("the type has no arrays behind its fields");
    let inspect = super::node_impl::inspect(plan, node);
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

        impl<V: runtime::Value, C: runtime::Coord> Clone for #ty<V, C> {
            fn clone(&self) -> Self {
                #read
                let mut copy = Self::new(#(#clones),*);
                #(#rest)*
                copy
            }
        }

        #drop
    }
}

fn supertype(plan: &Plan<'_>, id: SuperId) -> TokenStream {
    let supertype = plan.model.supertype(id);
    let (ty, generics) = (type_ident(&supertype.name), declared(plan));
    let kind = format_ident!("{}Kind", ty);
    let doc: Vec<String> = match &supertype.doc[..] {
        [] => vec![format!(" What all kinds of `{}` have in common.", supertype.name)],
        doc => doc.iter().map(|line| format!(" {}", line.trim())).collect(),
    };
    let subtypes: Vec<&Ident> = supertype.subtypes.iter().map(|&id| &plan.node(id).ty).collect();
    let variants = supertype.subtypes.iter().map(|&id| {
        let (sub, doc) = (&plan.node(id).ty, format!(" A `{}`.", plan.node(id).node.name));
        quote!(#[doc = #doc] #sub(runtime::NodeRef<'a, #sub<V, C>>),)
    });
    let kind_mut = format_ident!("{}KindMut", ty);
    let variants_mut = supertype.subtypes.iter().map(|&id| {
        let (sub, doc) = (&plan.node(id).ty, format!(" A `{}`.", plan.node(id).node.name));
        quote!(#[doc = #doc] #sub(runtime::NodeMut<'a, #sub<V, C>>),)
    });
    let tags: Vec<u8> = (0..subtypes.len()).map(|tag| tag as u8).collect();
    let last = tags.len() - 1;
    let (head_tags, head_types, last_type) = (&tags[..last], &subtypes[..last], &subtypes[last]);
    let cast = safety("the tag says which subtype the node is");
    let set_parent = plan.knows_parent(Target::Super(id)).then(|| {
        let target = plan
            .model
            .target_nodes(Target::Super(id))
            .iter()
            .find_map(|&id| plan.node(id).parents.first().map(|(_, target)| plan.target(*target)));
        let arms = supertype.subtypes.iter().enumerate().map(|(tag, &id)| {
            let (sub, tag) = (&plan.node(id).ty, tag as u8);
            match plan.node(id).parents.is_empty() {
                true => quote!(#tag => {}),
                false => quote!(#tag => { #cast #sub::set_parent(unsafe { node.cast() }, parent) }),
            }
        });
        quote! {
            /// Sets the link to the parent in subtypes that have one.
            pub(super) fn set_parent(node: runtime::NodeMut<'_, Self>, parent: runtime::Parent<#target<V, C>>) {
                match node.node().get().node_tag {
                    #(#arms)*
                    _ => unreachable!("a tag that the schema does not have"),
                }
            }
        }
    });
    let dispatch = |call: &dyn Fn(&Ident) -> TokenStream| {
        let (heads, last) = (head_types.iter().map(|ty| call(ty)), call(last_type));
        quote!(#(#head_tags => { #heads })* _ => { #last })
    };
    let layout = dispatch(&|sub| quote!(#cast runtime::Node::layout(unsafe { node.cast::<#sub<V, C>>() })));
    let copy = dispatch(&|sub| {
        quote! {
            #cast
            let copy = #sub::<V, C>::upcast(runtime::Node::copy(unsafe { node.cast::<#sub<V, C>>() }).finish());
            runtime::Reserved::from_unique(copy)
        }
    });
    let destroy = dispatch(&|sub| quote!(<#sub<V, C> as runtime::Node>::destroy(node.cast(), dead);));
    let inspect = dispatch(&|sub| quote!(#cast runtime::Node::inspect(unsafe { node.cast::<#sub<V, C>>() }, report)));
    let kinds = dispatch(&|sub| quote!(#cast #kind::#sub(unsafe { node.cast() })));
    let kinds_mut = dispatch(&|sub| quote!(#cast #kind_mut::#sub(unsafe { node.cast() })));
    let because =
        safety("every subtype starts with the fields of this type, and its tag tells which one's code to run");
    let destroy_because = safety("the caller's promise; the tag says which subtype the node is");
    quote! {
        #(#[doc = #doc])*
        #[repr(C)]
        pub struct #ty #generics {
            node_count: runtime::Count,
            node_tag: u8,
            node_type: ::std::marker::PhantomData<(V, C)>,
        }

        /// A node as its subtype.
        pub enum #kind<'a, V: runtime::Value, C: runtime::Coord> { #(#variants)* }

        /// A node as its subtype, for writing.
        pub enum #kind_mut<'a, V: runtime::Value, C: runtime::Coord> { #(#variants_mut)* }

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
