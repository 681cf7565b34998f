//! A checked schema: names resolved, layout decided, order and recursion known.
//!
//! Everything that is derived from a schema reads this and nothing else. Fields, nodes and supertypes are referred to
//! by index; [`Model::node`] and its siblings look them up.

use super::ast::Metadata;
use crate::diagnostic::Span;

/// Index of a node type in [`Model::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub usize);

/// Index of a supertype in [`Model::supertypes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SuperId(pub usize);

/// Index of a field in [`Node::fields`] of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldId(pub usize);

/// A checked store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// What the user calls the store.
    pub name: String,
    /// The comment before it.
    pub doc: Vec<String>,
    /// Its parameters with the values that this model was checked with.
    pub params: Vec<Param>,
    /// Types of nodes, in the order of the schema.
    pub nodes: Vec<Node>,
    /// Supertypes, in the order of the schema.
    pub supertypes: Vec<Supertype>,
    /// The one node type that no other node refers to: what a row holds.
    pub handle: NodeId,
    /// The integer type of the coordinates if the schema fixes it; `None` leaves it to the user (`u32` by default).
    pub coord: Option<CoordWidth>,
    /// Whether a traversal in coordinate order yields ascending coordinates: every node is [`Node::ordered`].
    pub ordered: bool,
    /// Node types that (through supertypes too) refer to each other in a circle, or single ones, callers first: the
    /// handle's is the first. [`Node::component`] is an index into this.
    pub components: Vec<Vec<NodeId>>,
}

/// A parameter of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// What the schema calls it.
    pub name: String,
    /// Its value where the user says nothing.
    pub default: u64,
    /// Its value in this model.
    pub value: u64,
}

/// The integer type of coordinates. The greatest value of the type is the gap mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Each variant is the type that it is called.
pub enum CoordWidth {
    U16,
    U32,
    U64,
}

impl CoordWidth {
    /// How Rust spells it.
    pub fn rust(self) -> &'static str {
        match self {
            CoordWidth::U16 => "u16",
            CoordWidth::U32 => "u32",
            CoordWidth::U64 => "u64",
        }
    }
}

/// A name for several types of nodes, which are distinguished at run time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Supertype {
    /// What the schema calls it.
    pub name: String,
    /// The comment before it.
    pub doc: Vec<String>,
    /// The node types it stands for, at least one, in the order of the schema.
    pub subtypes: Vec<NodeId>,
}

/// A type of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What the schema calls it.
    pub name: String,
    /// The comment before it.
    pub doc: Vec<String>,
    /// The supertype it belongs to.
    pub supertype: Option<SuperId>,
    /// Its fields, in the order of the schema.
    pub fields: Vec<Field>,
    /// Its elements and children in the order in which coordinates ascend as far as the schema says so, each once.
    /// In a node without `seq` they stand in the order of its fields.
    pub sequence: Vec<Term>,
    /// Whether the schema spells [`Node::sequence`] out.
    pub has_seq: bool,
    /// Whether all coordinates reachable from the node ascend along [`Node::sequence`], provided that those reachable
    /// from each child do.
    pub ordered: bool,
    /// Index in [`Model::components`].
    pub component: usize,
    /// How the node refers to its own kind.
    pub recursion: Recursion,
    /// The fewest elements that are reachable from such a node.
    pub min_elems: u64,
}

/// How a type of nodes refers back to itself, directly, through a supertype or through other types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Recursion {
    /// Not at all.
    None,
    /// By one reference, so nodes form a chain: a loop visits it, and it may be as long as the store is large.
    Chain,
    /// By several references or an array: nodes form a tree.
    Tree,
}

/// An entry of [`Node::sequence`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// One element or one child.
    One(FieldId),
    /// An array's slots in ascending order; of several arrays slot by slot: `{c, e}` is c₀ e₀ c₁ e₁ …. Arrays may
    /// differ in length: the longer ones go on alone.
    Interleaved(Vec<FieldId>),
    /// A whole array, unordered inside.
    Bag(FieldId),
}

impl Term {
    /// The fields in it.
    pub fn fields(&self) -> &[FieldId] {
        match self {
            Term::One(field) | Term::Bag(field) => std::slice::from_ref(field),
            Term::Interleaved(fields) => fields,
        }
    }
}

/// A field of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// What the schema calls it.
    pub name: String,
    /// The comment before it, or behind it on the same line.
    pub doc: Vec<String>,
    /// Where it stands in the source.
    pub span: Span,
    /// What it holds.
    pub kind: FieldKind,
}

/// What a field holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Coordinates with their values (or with what the next level stores below them).
    Elem {
        /// One or an array.
        slots: Slots,
        /// Coordinates are stored as differences, in packed bits. Only arrays that are ordered and have
        /// no gaps are stored so.
        delta: bool,
    },
    /// References to children.
    Child {
        /// What they refer to.
        target: Target,
        /// One or an array.
        slots: Slots,
    },
    /// The length of arrays, or how far they are used.
    Size(Size),
    /// How many entries are reachable from the node, itself included.
    Count {
        /// Leaf nonzeros rather than entries of this level.
        deep: bool,
    },
    /// The node that refers to this one, or nothing where the handle (or another type of node) does.
    Parent {
        /// The node's own type, or its supertype.
        target: Target,
    },
    /// For the assembly's own use.
    Metadata(Metadata),
}

/// What a reference refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// One type of nodes.
    Node(NodeId),
    /// Any subtype of a supertype, distinguished by the node's tag.
    Super(SuperId),
}

/// How many elements or children a field holds, and whether they can be missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slots {
    /// `None`: exactly one.
    pub array: Option<Array>,
    /// Whether every slot holds something. Otherwise an element may be a gap (its coordinate is the gap mark), a
    /// reference null.
    pub nonempty: bool,
}

/// An array field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// How many slots there are and how many are used.
    pub extent: Extent,
    /// Where they lie.
    pub layout: Layout,
    /// Whether its slots are in ascending order: it stands in a `{…}` group of a `seq`.
    pub ordered: bool,
}

/// How many slots an array has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Always the same number, all of them used.
    Const(Amount),
    /// As many as a `size` field of the node says.
    Sized(FieldId),
    /// Always the same number, of which those behind the first so many are empty.
    Filled {
        /// How many there are.
        slots: Amount,
        /// The `size` field that says how many are used.
        used: FieldId,
    },
}

impl Extent {
    /// The `size` field that says how many slots are used.
    pub fn size(&self) -> Option<FieldId> {
        match self {
            Extent::Const(_) => None,
            Extent::Sized(size) | Extent::Filled { used: size, .. } => Some(*size),
        }
    }
}

/// A constant, and the parameter that it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amount {
    /// Its value in this model.
    pub value: u64,
    /// The parameter, if the schema names one.
    pub param: Option<String>,
}

/// Where an array's slots lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// In the node, as an array of constant capacity (Rust: `[T; N]`).
    Member {
        /// How many slots there is room for.
        capacity: Amount,
    },
    /// Elsewhere, behind a pointer (Rust: `Box<[T]>` or `Vec<T>`).
    Pointer,
    /// Right behind the node's header in the same allocation, exactly as many as there are.
    Tail,
}

/// A `size` field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// The least value.
    pub lo: Amount,
    /// The greatest value; none if it is not bounded.
    pub hi: Option<Amount>,
    /// Arrays that have exactly so many slots ([`Extent::Sized`]).
    pub sizes: Vec<FieldId>,
    /// Arrays of constant size whose slots from there on are empty ([`Extent::Filled`]).
    pub fills: Vec<FieldId>,
}

impl Model {
    /// The type of nodes with this index.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// The supertype with this index.
    pub fn supertype(&self, id: SuperId) -> &Supertype {
        &self.supertypes[id.0]
    }

    /// Indices of all types of nodes.
    pub fn node_ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId)
    }

    /// What the schema calls the target of a reference.
    pub fn target_name(&self, target: Target) -> &str {
        match target {
            Target::Node(node) => &self.node(node).name,
            Target::Super(supertype) => &self.supertype(supertype).name,
        }
    }

    /// The node types that a reference can refer to.
    pub fn target_nodes(&self, target: Target) -> Vec<NodeId> {
        match target {
            Target::Node(node) => vec![node],
            Target::Super(supertype) => self.supertype(supertype).subtypes.clone(),
        }
    }
}

impl Node {
    /// The field with this index.
    pub fn field(&self, id: FieldId) -> &Field {
        &self.fields[id.0]
    }

    /// The fields with their indices.
    pub fn fields(&self) -> impl Iterator<Item = (FieldId, &Field)> {
        self.fields.iter().enumerate().map(|(at, field)| (FieldId(at), field))
    }

    /// The fields that hold elements, with their slots and whether they are difference-coded.
    pub fn elems(&self) -> impl Iterator<Item = (FieldId, &Slots, bool)> {
        self.fields().filter_map(|(id, field)| match &field.kind {
            FieldKind::Elem { slots, delta } => Some((id, slots, *delta)),
            _ => None,
        })
    }

    /// The fields that refer to children, with what they refer to and their slots.
    pub fn children(&self) -> impl Iterator<Item = (FieldId, Target, &Slots)> {
        self.fields().filter_map(|(id, field)| match &field.kind {
            FieldKind::Child { target, slots } => Some((id, *target, slots)),
            _ => None,
        })
    }

    /// The least number of slots that are used of an array (or of a single field: 1).
    pub fn min_slots(&self, slots: &Slots) -> u64 {
        match slots.array.as_ref().map(|array| &array.extent) {
            None => 1,
            Some(Extent::Const(amount)) => amount.value,
            Some(Extent::Sized(size) | Extent::Filled { used: size, .. }) => match &self.field(*size).kind {
                FieldKind::Size(size) => size.lo.value,
                _ => 0,
            },
        }
    }
}

impl Field {
    /// The slots of an element or child field.
    pub fn slots(&self) -> Option<&Slots> {
        match &self.kind {
            FieldKind::Elem { slots, .. } | FieldKind::Child { slots, .. } => Some(slots),
            _ => None,
        }
    }

    /// Whether it holds elements.
    pub fn is_elem(&self) -> bool {
        matches!(self.kind, FieldKind::Elem { .. })
    }
}

/// `rb_tree` as Rust calls a type: `RbTree`.
pub fn type_name(name: &str) -> String {
    name.split('_')
        .map(|word| {
            let mut chars = word.chars();
            chars.next().map_or(String::new(), |first| first.to_ascii_uppercase().to_string() + chars.as_str())
        })
        .collect()
}
