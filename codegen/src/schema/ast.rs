//! What a schema says, as it was written: names are not resolved, nothing is checked.
//!
//! Two trees are equal if they say the same, wherever it stands in the source ([`Place`]).

use crate::diagnostic::Span;

/// Where something stands in the source. Never makes two trees differ.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place(pub Span);

impl PartialEq for Place {
    fn eq(&self, _: &Place) -> bool {
        true
    }
}

impl Eq for Place {}

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name: an ASCII letter or `_`, then letters, digits and `_`.
    pub text: String,
    /// Where it stands.
    pub at: Place,
}

impl Name {
    /// Where it stands.
    pub fn span(&self) -> Span {
        self.at.0
    }
}

/// A constant and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// The constant.
    pub value: u64,
    /// Where it stands.
    pub at: Place,
}

/// `store NAME<PARAM = DEFAULT, …> { def … }`, or the bare `def`s of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    /// The comment before it, line by line.
    pub doc: Vec<String>,
    /// Its name; none for bare `def`s, which are named after their file.
    pub name: Option<Name>,
    /// Parameters with their defaults.
    pub params: Vec<Param>,
    /// Supertypes and nodes, in the order in which they are written.
    pub defs: Vec<Def>,
    /// The whole item.
    pub at: Place,
}

/// `B = 64`: a constant that the user of a store may choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// What the schema calls it.
    pub name: Name,
    /// Its value where the user says nothing.
    pub default: Number,
}

/// `def …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Def {
    /// `def supertype NAME`.
    Supertype(SupertypeDef),
    /// `def NAME { … }` or `def NAME : SUPERTYPE { … }`.
    Node(NodeDef),
}

/// `def supertype NAME`: a name for several types of nodes, which are distinguished at run time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SupertypeDef {
    /// The comment before it, line by line.
    pub doc: Vec<String>,
    /// Its name.
    pub name: Name,
}

/// `def NAME : SUPERTYPE { FIELD… seq = … }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeDef {
    /// The comment before it, line by line.
    pub doc: Vec<String>,
    /// Its name.
    pub name: Name,
    /// The supertype that it belongs to.
    pub supertype: Option<Name>,
    /// Its fields, in the order in which they are written.
    pub fields: Vec<Field>,
    /// In which order the fields' elements follow each other, if in any.
    pub seq: Option<Seq>,
}

/// `NAME : TYPE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The comment before it or behind it on the same line, line by line.
    pub doc: Vec<String>,
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// Where the type stands.
    pub at: Place,
}

/// What a field holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// `elem` or `elem[N]`: a coordinate with its value, or an array of them.
    Elem {
        /// The size, if it is an array.
        array: Option<Amount>,
        /// Words behind it.
        annotations: Annotations,
    },
    /// `NODE` or `NODE[N]`: a reference to a child, or an array of them.
    Child {
        /// A node or a supertype.
        node: Name,
        /// The size, if it is an array.
        array: Option<Amount>,
        /// Words behind it.
        annotations: Annotations,
    },
    /// `size` or `size in [LO, HI]`: how many slots of an array there are.
    Size {
        /// The least and the greatest size.
        range: Option<SizeRange>,
    },
    /// `count` or `count deep`: how many entries are reachable from the node.
    Count {
        /// Count the leaf nonzeros below, not this level's entries.
        deep: bool,
    },
    /// `parent`: a reference back to the node that refers to this one.
    Parent,
    /// `bool` or an integer for the assembly's own use.
    Metadata(Metadata),
}

/// `N` or `4`: a `size` field, a parameter or a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Amount {
    /// A constant.
    Const(Number),
    /// A `size` field or a parameter.
    Named(Name),
}

impl Amount {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Amount::Const(number) => number.at.0,
            Amount::Named(name) => name.span(),
        }
    }
}

/// `[LO, HI]` or `[LO, *]`, both ends included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeRange {
    /// The least size.
    pub lo: Amount,
    /// The greatest size; none for `*`.
    pub hi: Option<Amount>,
    /// Where the range stands.
    pub at: Place,
}

/// The words that may follow `elem` or a node's name, each at most once, in any order.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Annotations {
    /// `nonempty`: no slot is ever empty.
    pub nonempty: Option<Place>,
    /// `delta`: coordinates are stored as differences, in packed bits.
    pub delta: Option<Place>,
    /// `inline`: the array lies right behind the node's header, in the same allocation.
    pub inline: Option<Place>,
    /// `coord uint64`: the integer type of the coordinates.
    pub coord: Option<Name>,
}

/// Types of metadata, in the language's spelling and in Rust's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Each variant is the type that it is called.
pub enum Metadata {
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    Uint8,
    Uint16,
    Uint32,
    Uint64,
}

impl Metadata {
    /// Every type of metadata.
    pub const ALL: [Metadata; 9] = [
        Metadata::Bool,
        Metadata::Int8,
        Metadata::Int16,
        Metadata::Int32,
        Metadata::Int64,
        Metadata::Uint8,
        Metadata::Uint16,
        Metadata::Uint32,
        Metadata::Uint64,
    ];

    /// How schemas spell it.
    pub fn name(self) -> &'static str {
        match self {
            Metadata::Bool => "bool",
            Metadata::Int8 => "int8",
            Metadata::Int16 => "int16",
            Metadata::Int32 => "int32",
            Metadata::Int64 => "int64",
            Metadata::Uint8 => "uint8",
            Metadata::Uint16 => "uint16",
            Metadata::Uint32 => "uint32",
            Metadata::Uint64 => "uint64",
        }
    }

    /// How Rust spells it.
    pub fn rust(self) -> &'static str {
        match self {
            Metadata::Bool => "bool",
            Metadata::Int8 => "i8",
            Metadata::Int16 => "i16",
            Metadata::Int32 => "i32",
            Metadata::Int64 => "i64",
            Metadata::Uint8 => "u8",
            Metadata::Uint16 => "u16",
            Metadata::Uint32 => "u32",
            Metadata::Uint64 => "u64",
        }
    }

    /// The type that schemas spell `name`.
    pub fn named(name: &str) -> Option<Metadata> {
        Metadata::ALL.into_iter().find(|metadata| metadata.name() == name)
    }
}

/// `seq = l, h, {t}, r`: everything reachable from an entry comes before everything reachable from the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seq {
    /// The entries, least coordinates first.
    pub entries: Vec<Entry>,
    /// Where it stands.
    pub at: Place,
}

/// One entry of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A field; if it is an array it is unordered inside.
    Bare(Name),
    /// `{c, e}`: the slots of the arrays, ordered, first of each, then second of each, and so on.
    Group(Vec<Name>, Place),
}
