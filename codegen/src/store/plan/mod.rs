//! How the nodes of a model lie in memory.
//!
//! ```text
//!   ┌───────┬─────┬──────────────────┬─────────┬───────┬────────┐┌─────────────┬────────┬────────┐
//!   │ count │ tag │ sizes, metadata  │ coords  │ links │ values ││ child links │ coords │ values │ …
//!   └───────┴─────┴──────────────────┴─────────┴───────┴────────┘└─────────────┴────────┴────────┘
//!   └─ the struct: small fields first, so that they share words ┘└─ arrays, as long as they are ─┘
//! ```
//!
//! The handle of a store lies in the array of its row's page. If it has no arrays and no node refers to it, it lies there by
//! value (*flat*); otherwise as a link, where none means an empty row.
//!
//! A single element right before an array in the sequence (`h, {t}`) lies in the array's memory, before its first slot: the two
//! are then one run.
//!
//! Of a difference-coded array the coordinates are bytes behind everything else, as many as a field of the struct says. An element
//! right before it in the sequence is what its first coordinate is counted from.

mod lay;

use lay::field_idents;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::schema::model::{Amount, CoordWidth, FieldId, Model, Node, NodeId, Target, Term};
use crate::store::names::{const_ident, store_ident, type_ident};

/// A model with the memory of its nodes laid out.
pub struct Plan<'m> {
    /// The model.
    pub model: &'m Model,
    /// Its nodes, in the same order.
    pub nodes: Vec<NodePlan<'m>>,
    /// The store's type.
    pub store: Ident,
    /// The coordinate type where the user says nothing.
    pub coord: Ident,
}

/// A type of nodes laid out.
pub struct NodePlan<'m> {
    pub id: NodeId,
    pub node: &'m Node,
    /// The Rust type.
    pub ty: Ident,
    /// Lies in its page rather than in an allocation of its own.
    pub flat: bool,
    /// The tag that distinguishes it from its siblings under a supertype.
    pub tag: Option<u8>,
    pub elems: Vec<Elem>,
    pub children: Vec<Child>,
    pub sizes: Vec<SizeField>,
    /// `count` fields, with whether they count leaf nonzeros.
    pub counts: Vec<(Ident, bool)>,
    pub parents: Vec<(Ident, Target)>,
    pub metadata: Vec<(Ident, Ident)>,
    /// The terms of the sequence in memory order. An element right before an array is a slot of that array, not a term.
    pub terms: Vec<Place>,
}

/// A term of a sequence.
pub enum Place {
    /// One element, or an array of them.
    Elem(usize),
    /// One child, or all of an array of them.
    Child(usize),
    /// Several arrays, slot by slot.
    Interleaved(Vec<Slot>),
}

/// An array of an interleaved term.
#[derive(Clone, Copy)]
pub enum Slot {
    Elem(usize),
    Child(usize),
}

/// An `elem` field.
pub struct Elem {
    pub field: FieldId,
    pub ident: Ident,
    pub name: String,
    pub shape: Shape,
}

impl Elem {
    /// Whether it is an array with difference-coded coordinates.
    pub fn is_coded(&self) -> bool {
        matches!(self.shape, Shape::Array { delta: true, .. })
    }
}

/// How elements lie.
#[derive(Clone)]
pub enum Shape {
    /// One, which may be missing unless `nonempty`.
    One { nonempty: bool },
    /// One, right before the first slot of the array with this index.
    Lead { array: usize },
    /// An array.
    Array {
        len: Len,
        /// No slot is empty.
        nonempty: bool,
        /// Ascending inside.
        ordered: bool,
        /// Coordinates are difference-coded.
        delta: bool,
        /// The element that difference-coded coordinates are counted from.
        base: Option<usize>,
        /// The element that lies right before the first slot.
        lead: Option<usize>,
        /// The slots from this size on are empty.
        used: Option<usize>,
    },
}

/// How many slots an array has.
#[derive(Clone)]
pub enum Len {
    Const(Amount),
    /// As the size field with this index says.
    Size(usize),
}

/// A child field.
pub struct Child {
    pub field: FieldId,
    pub ident: Ident,
    pub name: String,
    pub target: Target,
    pub nonempty: bool,
    /// `None`: one link.
    pub len: Option<Len>,
}

/// A `size` field.
pub struct SizeField {
    pub field: FieldId,
    pub ident: Ident,
    pub ty: Ident,
    pub lo: Amount,
    pub hi: Option<Amount>,
    /// Says how far an array is used rather than how long one is.
    pub fills: bool,
}

impl<'m> Plan<'m> {
    /// Lays out the nodes of a model.
    pub fn new(model: &'m Model) -> Plan<'m> {
        let nodes = model.node_ids().map(|id| NodePlan::new(model, id)).collect();
        let coord = model.coord.map_or("u32", CoordWidth::rust);
        Plan { model, nodes, store: store_ident(&model.name), coord: format_ident!("{coord}") }
    }

    /// The handle.
    pub fn handle(&self) -> &NodePlan<'m> {
        &self.nodes[self.model.handle.0]
    }

    /// The layout of a node type.
    pub fn node(&self, id: NodeId) -> &NodePlan<'m> {
        &self.nodes[id.0]
    }

    /// The Rust type of what a link refers to.
    pub fn target(&self, target: Target) -> Ident {
        match target {
            Target::Node(id) => self.node(id).ty.clone(),
            Target::Super(id) => type_ident(&self.model.supertype(id).name),
        }
    }

    /// Whether nodes of the target know their parent.
    pub fn knows_parent(&self, target: Target) -> bool {
        self.model.target_nodes(target).iter().any(|&id| !self.node(id).parents.is_empty())
    }

    /// Whether children of the node know it as their parent.
    pub fn is_known_parent(&self, node: &NodePlan<'_>) -> bool {
        node.children.iter().any(|child| self.knows_parent(child.target))
    }
}

impl<'m> NodePlan<'m> {
    fn new(model: &'m Model, id: NodeId) -> NodePlan<'m> {
        let node = model.node(id);
        let tag = node.supertype.map(|parent| {
            let position = model.supertype(parent).subtypes.iter().position(|&sub| sub == id);
            position.expect("a node is a subtype of its supertype") as u8
        });
        let has_arrays = node.fields.iter().any(|field| field.slots().is_some_and(|slots| slots.array.is_some()));
        let referred = model
            .nodes
            .iter()
            .any(|from| from.children().any(|(_, target, _)| model.target_nodes(target).contains(&id)));
        let mut plan = NodePlan {
            id,
            node,
            ty: type_ident(&node.name),
            flat: id == model.handle && !has_arrays && !referred && node.supertype.is_none(),
            tag,
            elems: Vec::new(),
            children: Vec::new(),
            sizes: Vec::new(),
            counts: Vec::new(),
            parents: Vec::new(),
            metadata: Vec::new(),
            terms: Vec::new(),
        };
        // Arrays are as long as sizes say, which must be there before.
        let idents = field_idents(node);
        for (id, field) in node.fields() {
            plan.lay_number(id, field, &idents[id.0]);
        }
        for (id, field) in node.fields() {
            plan.lay_slots(id, field, &idents[id.0]);
        }
        plan.lay_leads();
        plan.lay_terms();
        plan
    }

    /// The index of an `elem` field.
    pub fn elem_index(&self, field: FieldId) -> Option<usize> {
        self.elems.iter().position(|elem| elem.field == field)
    }

    /// The index of a child field.
    pub fn child_index(&self, field: FieldId) -> Option<usize> {
        self.children.iter().position(|child| child.field == field)
    }

    /// The sequence as the schema spells it.
    pub fn spell_seq(&self) -> String {
        let name = |field: &FieldId| self.node.field(*field).name.clone();
        let terms: Vec<String> = self
            .node
            .sequence
            .iter()
            .map(|term| match term {
                Term::One(field) | Term::Bag(field) => name(field),
                Term::Interleaved(fields) => format!("{{{}}}", fields.iter().map(name).collect::<Vec<_>>().join(", ")),
            })
            .collect();
        terms.join(", ")
    }

    /// A place of the sequence as the schema spells it.
    pub fn spell(&self, place: &Place) -> String {
        match place {
            Place::Elem(elem) => match &self.elems[*elem].shape {
                Shape::Array { ordered, lead, .. } => {
                    let name = &self.elems[*elem].name;
                    let array = if *ordered { format!("{{{name}}}") } else { name.clone() };
                    lead.map_or(array.clone(), |lead| format!("{}, {array}", self.elems[lead].name))
                }
                _ => self.elems[*elem].name.clone(),
            },
            Place::Child(child) => self.children[*child].name.clone(),
            Place::Interleaved(slots) => {
                let names: Vec<&str> = slots
                    .iter()
                    .map(|slot| match slot {
                        Slot::Elem(elem) => self.elems[*elem].name.as_str(),
                        Slot::Child(child) => self.children[*child].name.as_str(),
                    })
                    .collect();
                format!("{{{}}}", names.join(", "))
            }
        }
    }

    /// The arrays whose coordinates are difference-coded.
    pub fn coded(&self) -> impl Iterator<Item = &Elem> {
        self.elems.iter().filter(|elem| elem.is_coded())
    }

    /// How long an array is, read from `node` (a reference to the struct).
    pub fn len_of(&self, len: &Len, node: &TokenStream) -> TokenStream {
        match len {
            Len::Const(amount) => amount_tokens(amount),
            Len::Size(size) => {
                let size = &self.sizes[*size].ident;
                quote!(#node.#size as usize)
            }
        }
    }
}

/// A constant as Rust: the parameter's name, if it is one.
pub fn amount_tokens(amount: &Amount) -> TokenStream {
    match &amount.param {
        Some(param) => {
            let param = const_ident(param);
            quote!(super::#param)
        }
        None => {
            let value = proc_macro2::Literal::u64_unsuffixed(amount.value);
            quote!(#value)
        }
    }
}
