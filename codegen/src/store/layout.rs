//! The layout of nodes as numbers: where each field lies, how large a node is, where the arrays behind it begin.
//!
//! ```text
//!   ctree of u32 and f64                  24 bytes, aligned to 8
//!     node_count   0  4
//!     n            4  4
//!     l            8  8
//!     r           16  8
//!     t coords     4 for each of n + 1
//!     t values     8 for each of n + 1
//! ```
//!
//! The Rust of a store is printed from the same fields, and asserts when it is compiled that the numbers hold. So code
//! that is not Rust may walk nodes by them. They are those of targets with pointers of 64 bits.

use std::fmt;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::plan::{Len, NodePlan, Plan, Shape};
use super::tail::{TailElements, bytes_ident, coord_ident, tail_arrays, tail_fields, value_ident};
use crate::schema::model::{Model, Target};

/// Bytes of a link, of a pointer to a parent, of a count of elements.
const WORD: usize = 8;

/// Bytes and alignment of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// How many bytes a value takes.
    pub bytes: usize,
    /// What its address is a multiple of.
    pub align: usize,
}

impl Size {
    /// The size of a type whose alignment is as large as it is: every number.
    pub const fn of_number(bytes: usize) -> Size {
        Size { bytes, align: if bytes == 0 { 1 } else { bytes } }
    }
}

/// The layout of the nodes of a store, for one type of coordinates and one of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreLayout {
    /// The store's name.
    pub store: String,
    /// A coordinate.
    pub coord: Size,
    /// A value; no bytes in a pattern.
    pub value: Size,
    /// The types of nodes, in the order of the schema.
    pub nodes: Vec<NodeLayout>,
}

/// The layout of a type of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeLayout {
    /// Its name in the schema.
    pub name: String,
    /// Whether it lies in the array of its row's page, and not in an allocation of its own.
    pub flat: bool,
    /// The tag that tells it from the other subtypes of its supertype, if it has one.
    pub tag: Option<u8>,
    /// The struct, without the arrays behind it.
    pub size: Size,
    /// The fields of the struct, by ascending offset.
    pub fields: Vec<FieldLayout>,
    /// The arrays behind the struct, in the order in which they lie.
    pub arrays: Vec<ArrayLayout>,
}

/// A field of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldLayout {
    /// Its name in the struct.
    pub name: String,
    /// What it holds.
    pub content: Content,
    /// Bytes from the beginning of the node.
    pub offset: usize,
    /// Its own size.
    pub size: Size,
}

/// What a field or an array holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// The number of references to the node, 32 bits.
    References,
    /// Which subtype the node is, 8 bits.
    Tag,
    /// A size, metadata, or a number of coded bytes.
    Number,
    /// How many elements are in or below the node.
    Count,
    /// A coordinate; the gap mark if the slot is empty.
    Coord,
    /// A value.
    Value,
    /// A value, which is initialised exactly if the coordinate is not the gap mark.
    MaybeValue,
    /// A link to a child: an address, or 0 where there is none.
    Link(Target),
    /// The address of the parent.
    Parent(Target),
    /// Bytes of difference-coded coordinates.
    Coded,
}

/// An array behind a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayLayout {
    /// The field of the schema that it belongs to.
    pub name: String,
    /// What it holds.
    pub content: Content,
    /// One slot.
    pub slot: Size,
    /// How many slots there are.
    pub slots: Slots,
}

/// How many slots an array has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slots {
    /// So many.
    Const(usize),
    /// As many as the number in the field of this name says, and `more`.
    Field {
        /// The field.
        name: String,
        /// Slots before those that are counted: 1 where a single element lies right before an array.
        more: usize,
    },
}

/// The layout of the nodes of a store, with coordinates and values of the given sizes.
pub fn layout(model: &Model, coord: Size, value: Size) -> StoreLayout {
    let plan = Plan::new(model);
    let nodes = plan.nodes.iter().map(|node| node_layout(&plan, node, coord, value)).collect();
    StoreLayout { store: model.name.clone(), coord, value, nodes }
}

impl NodeLayout {
    /// Where the arrays begin, and where the last one ends, if the field of each name holds the number that `sizes` says.
    pub fn array_offsets(&self, sizes: impl Fn(&str) -> usize) -> Vec<usize> {
        let mut end = self.size.bytes;
        let mut all = Vec::new();
        for array in &self.arrays {
            let slots = match &array.slots {
                Slots::Const(slots) => *slots,
                Slots::Field { name, more } => sizes(name) + more,
            };
            let at = end.next_multiple_of(array.slot.align);
            all.push(at);
            end = at + slots * array.slot.bytes;
        }
        all.push(end);
        all
    }
}

/// The fields of a node's struct in the order in which they lie, each with what it holds and its type: small ones first, so that they
/// share words.
pub(super) fn struct_fields(plan: &Plan<'_>, node: &NodePlan<'_>) -> Vec<(Ident, Content, TokenStream)> {
    let mut fields = Vec::new();
    if !node.flat {
        fields.push((format_ident!("node_count"), Content::References, quote!(runtime::Count)));
    }
    if node.tag.is_some() {
        fields.push((format_ident!("node_tag"), Content::Tag, quote!(u8)));
    }
    let mut numbers: Vec<(usize, Ident, TokenStream)> = Vec::new();
    for (ident, ty) in
        node.sizes.iter().map(|size| (&size.ident, &size.ty)).chain(node.metadata.iter().map(|(i, t)| (i, t)))
    {
        numbers.push((number_bytes(ty), ident.clone(), quote!(#ty)));
    }
    numbers.extend(node.coded().map(|elem| (4, bytes_ident(elem), quote!(u32))));
    numbers.sort_by_key(|(bytes, ..)| *bytes);
    let (words, longs): (Vec<_>, Vec<_>) = numbers.into_iter().partition(|(bytes, ..)| *bytes < WORD);
    let number = |(_, ident, ty)| (ident, Content::Number, ty);
    let singles = || node.elems.iter().filter(|elem| matches!(elem.shape, Shape::One { .. }));
    fields.extend(words.into_iter().map(number));
    fields.extend(singles().map(|elem| (coord_ident(elem), Content::Coord, quote!(C))));
    fields.extend(longs.into_iter().map(number));
    fields.extend(node.counts.iter().map(|(ident, _)| (ident.clone(), Content::Count, quote!(u64))));
    for (ident, target) in &node.parents {
        let ty = plan.target(*target);
        fields.push((ident.clone(), Content::Parent(*target), quote!(runtime::Parent<#ty<V, C>>)));
    }
    for child in node.children.iter().filter(|child| child.len.is_none()) {
        let ty = plan.target(child.target);
        fields.push((child.ident.clone(), Content::Link(child.target), quote!(runtime::Link<#ty<V, C>>)));
    }
    fields.extend(singles().map(|elem| match elem.shape {
        Shape::One { nonempty: true } => (value_ident(elem), Content::Value, quote!(V)),
        _ => (value_ident(elem), Content::MaybeValue, quote!(::std::mem::MaybeUninit<V>)),
    }));
    fields
}

fn number_bytes(ty: &Ident) -> usize {
    match ty.to_string().as_str() {
        "bool" | "u8" | "i8" => 1,
        "u16" | "i16" => 2,
        "u32" | "i32" => 4,
        _ => 8,
    }
}

fn node_layout(plan: &Plan<'_>, node: &NodePlan<'_>, coord: Size, value: Size) -> NodeLayout {
    let mut fields = Vec::new();
    // The struct ends in a field without bytes that aligns it for the arrays behind it.
    let (mut end, mut align) = (0usize, coord.align.max(value.align));
    for (ident, content, ty) in struct_fields(plan, node) {
        let size = match content {
            Content::References => Size::of_number(4),
            Content::Tag | Content::Coded => Size::of_number(1),
            Content::Number => Size::of_number(number_bytes(&format_ident!("{}", ty.to_string()))),
            Content::Count | Content::Link(_) | Content::Parent(_) => Size::of_number(WORD),
            Content::Coord => coord,
            Content::Value | Content::MaybeValue => value,
        };
        let offset = end.next_multiple_of(size.align);
        (end, align) = (offset + size.bytes, align.max(size.align));
        fields.push(FieldLayout { name: ident.to_string(), content, offset, size });
    }
    let arrays = tail_arrays(node).into_iter().map(|array| {
        let (name, content, slot) = match &array.elements {
            TailElements::Links(child) => (&child.name, Content::Link(child.target), Size::of_number(WORD)),
            TailElements::Coords(elem) => (&elem.name, Content::Coord, coord),
            TailElements::Values(elem) => (&elem.name, Content::Value, value),
            TailElements::Coded(elem) => (&elem.name, Content::Coded, Size::of_number(1)),
        };
        let slots = match (&array.elements, array.len) {
            (TailElements::Coded(elem), _) => Slots::Field { name: bytes_ident(elem).to_string(), more: 0 },
            (_, Len::Const(amount)) => Slots::Const(amount.value as usize + array.lead),
            (_, Len::Size(size)) => Slots::Field { name: node.sizes[*size].ident.to_string(), more: array.lead },
        };
        ArrayLayout { name: name.clone(), content, slot, slots }
    });
    NodeLayout {
        name: node.node.name.clone(),
        flat: node.flat,
        tag: node.tag,
        size: Size { bytes: end.next_multiple_of(align), align },
        arrays: arrays.collect(),
        fields,
    }
}

/// Values and coordinates for which the numbers are asserted: bytes, and their types in Rust.
const ASSERTED: &[(usize, &str, usize, &str)] = &[(8, "f64", 4, "u32"), (0, "()", 4, "u32"), (4, "f32", 8, "u64")];

/// Assertions in Rust that the nodes of a store lie as the numbers say.
pub(super) fn assertions(plan: &Plan<'_>) -> TokenStream {
    let mut all = TokenStream::new();
    for &(value_bytes, value, coord_bytes, coord) in ASSERTED {
        let types = |ty: &str| ty.parse::<TokenStream>().unwrap_or_default();
        let (v, c) = (types(value), types(coord));
        for node in &plan.nodes {
            let own = node_layout(plan, node, Size::of_number(coord_bytes), Size::of_number(value_bytes));
            let ty = &node.ty;
            let (bytes, align) = (number(own.size.bytes), number(own.size.align));
            all.extend(quote! {
                assert!(::std::mem::size_of::<#ty<#v, #c>>() == #bytes && ::std::mem::align_of::<#ty<#v, #c>>() == #align);
            });
            for field in &own.fields {
                let (ident, offset) = (format_ident!("{}", field.name), number(field.offset));
                all.extend(quote!(assert!(::std::mem::offset_of!(#ty<#v, #c>, #ident) == #offset);));
            }
            if !own.arrays.is_empty() {
                // With 3 and more of everything that is counted.
                let counted = tail_fields(node);
                let of = |name: &str| counted.iter().position(|field| field == name).map_or(0, |at| at + 3);
                let arguments = (0..counted.len()).map(|at| number(at + 3));
                let offsets = own.array_offsets(of);
                let each = offsets.iter().enumerate().map(|(at, offset)| {
                    let (at, offset) = (number(at), number(*offset));
                    quote!(assert!(offsets[#at] == #offset);)
                });
                all.extend(quote! {
                    let offsets = #ty::<#v, #c>::offsets(#(#arguments),*);
                    #(#each)*
                });
            }
        }
    }
    quote! {
        // The layout that code which is not Rust walks nodes by.
        #[cfg(target_pointer_width = "64")]
        const _: () = { #all };
    }
}

fn number(n: usize) -> Literal {
    Literal::usize_unsuffixed(n)
}

impl fmt::Display for StoreLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: coordinates of {} bytes, values of {}", self.store, self.coord.bytes, self.value.bytes)?;
        for node in &self.nodes {
            let place = if node.flat { ", in its page" } else { "" };
            writeln!(f, "  {}: {} bytes, aligned to {}{place}", node.name, node.size.bytes, node.size.align)?;
            for field in &node.fields {
                writeln!(f, "    {:<16}{:>4}{:>4}", field.name, field.offset, field.size.bytes)?;
            }
            for array in &node.arrays {
                let slots = match &array.slots {
                    Slots::Const(slots) => slots.to_string(),
                    Slots::Field { name, more: 0 } => name.clone(),
                    Slots::Field { name, more } => format!("{name} + {more}"),
                };
                let what = match array.content {
                    Content::Coord => "coordinates",
                    Content::Link(_) => "links",
                    Content::Coded => "coded coordinates",
                    _ => "values",
                };
                writeln!(f, "    {} {what}: {} bytes for each of {slots}", array.name, array.slot.bytes)?;
            }
        }
        Ok(())
    }
}
