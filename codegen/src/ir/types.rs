//! Scalars, literals and the types of variables.

use std::fmt;

/// A scalar type. Coordinates in memory are `u32` or `u64`; everything that counts or indexes is `usize`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    /// 32-bit IEEE float.
    F32,
    /// 64-bit IEEE float.
    F64,
    /// Signed 32-bit integer; arithmetic wraps.
    I32,
    /// Signed 64-bit integer; arithmetic wraps.
    I64,
    /// Unsigned 32-bit integer; arithmetic wraps.
    U32,
    /// Unsigned 64-bit integer; arithmetic wraps.
    U64,
    /// Truth value.
    Bool,
    /// Position, coordinate or extent; arithmetic is exact.
    Usize,
}

impl Scalar {
    /// All scalar types.
    pub const ALL: [Scalar; 8] =
        [Scalar::F32, Scalar::F64, Scalar::I32, Scalar::I64, Scalar::U32, Scalar::U64, Scalar::Bool, Scalar::Usize];

    /// The type's name, as in Rust.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::U32 => "u32",
            Scalar::U64 => "u64",
            Scalar::Bool => "bool",
            Scalar::Usize => "usize",
        }
    }

    /// Whether it is `f32` or `f64`.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64)
    }

    /// Whether it is an integer, `usize` included.
    pub fn is_integer(self) -> bool {
        !self.is_float() && self != Scalar::Bool
    }

    /// Whether negative values exist.
    pub fn is_signed(self) -> bool {
        self.is_float() || matches!(self, Scalar::I32 | Scalar::I64)
    }

    /// The neutral element of addition; `false` for booleans.
    pub fn zero(self) -> Literal {
        match self {
            Scalar::F32 => Literal::F32(0.0),
            Scalar::F64 => Literal::F64(0.0),
            Scalar::I32 => Literal::I32(0),
            Scalar::I64 => Literal::I64(0),
            Scalar::U32 => Literal::U32(0),
            Scalar::U64 => Literal::U64(0),
            Scalar::Bool => Literal::Bool(false),
            Scalar::Usize => Literal::Usize(0),
        }
    }

    /// The neutral element of multiplication; `true` for booleans.
    pub fn one(self) -> Literal {
        match self {
            Scalar::F32 => Literal::F32(1.0),
            Scalar::F64 => Literal::F64(1.0),
            Scalar::I32 => Literal::I32(1),
            Scalar::I64 => Literal::I64(1),
            Scalar::U32 => Literal::U32(1),
            Scalar::U64 => Literal::U64(1),
            Scalar::Bool => Literal::Bool(true),
            Scalar::Usize => Literal::Usize(1),
        }
    }

    /// The neutral element of `min`: +∞, or the largest value there is.
    pub fn max_value(self) -> Literal {
        match self {
            Scalar::F32 => Literal::F32(f32::INFINITY),
            Scalar::F64 => Literal::F64(f64::INFINITY),
            Scalar::I32 => Literal::I32(i32::MAX),
            Scalar::I64 => Literal::I64(i64::MAX),
            Scalar::U32 => Literal::U32(u32::MAX),
            Scalar::U64 => Literal::U64(u64::MAX),
            Scalar::Bool => Literal::Bool(true),
            Scalar::Usize => Literal::Usize(usize::MAX),
        }
    }

    /// The neutral element of `max`: −∞, or the smallest value there is.
    pub fn min_value(self) -> Literal {
        match self {
            Scalar::F32 => Literal::F32(f32::NEG_INFINITY),
            Scalar::F64 => Literal::F64(f64::NEG_INFINITY),
            Scalar::I32 => Literal::I32(i32::MIN),
            Scalar::I64 => Literal::I64(i64::MIN),
            _ => self.zero(),
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A scalar constant. Two floats are equal if their bits are: `0.0` and `-0.0` differ, a NaN equals itself.
#[derive(Clone, Copy, Debug)]
pub enum Literal {
    /// An `f32`.
    F32(f32),
    /// An `f64`.
    F64(f64),
    /// An `i32`.
    I32(i32),
    /// An `i64`.
    I64(i64),
    /// A `u32`.
    U32(u32),
    /// A `u64`.
    U64(u64),
    /// A truth value.
    Bool(bool),
    /// A position, coordinate or extent.
    Usize(usize),
}

impl Literal {
    /// The type of the constant.
    pub fn scalar(self) -> Scalar {
        match self {
            Literal::F32(_) => Scalar::F32,
            Literal::F64(_) => Scalar::F64,
            Literal::I32(_) => Scalar::I32,
            Literal::I64(_) => Scalar::I64,
            Literal::U32(_) => Scalar::U32,
            Literal::U64(_) => Scalar::U64,
            Literal::Bool(_) => Scalar::Bool,
            Literal::Usize(_) => Scalar::Usize,
        }
    }

    /// The value as 64 bits: floats as their bits, signed integers extended by their sign.
    pub fn bits(self) -> u64 {
        match self {
            Literal::F32(x) => u64::from(x.to_bits()),
            Literal::F64(x) => x.to_bits(),
            Literal::I32(x) => i64::from(x) as u64,
            Literal::I64(x) => x as u64,
            Literal::U32(x) => u64::from(x),
            Literal::U64(x) => x,
            Literal::Bool(x) => u64::from(x),
            Literal::Usize(x) => x as u64,
        }
    }

    /// The value of type `scalar` whose [bits](Literal::bits) these are.
    pub fn from_bits(scalar: Scalar, bits: u64) -> Literal {
        match scalar {
            Scalar::F32 => Literal::F32(f32::from_bits(bits as u32)),
            Scalar::F64 => Literal::F64(f64::from_bits(bits)),
            Scalar::I32 => Literal::I32(bits as i32),
            Scalar::I64 => Literal::I64(bits as i64),
            Scalar::U32 => Literal::U32(bits as u32),
            Scalar::U64 => Literal::U64(bits),
            Scalar::Bool => Literal::Bool(bits != 0),
            Scalar::Usize => Literal::Usize(bits as usize),
        }
    }

    /// The value of type `scalar` nearest to `value`, as Rust's `as` has it; for booleans, whether it is not 0.
    pub fn from_f64(scalar: Scalar, value: f64) -> Literal {
        match scalar {
            Scalar::F32 => Literal::F32(value as f32),
            Scalar::F64 => Literal::F64(value),
            Scalar::I32 => Literal::I32(value as i32),
            Scalar::I64 => Literal::I64(value as i64),
            Scalar::U32 => Literal::U32(value as u32),
            Scalar::U64 => Literal::U64(value as u64),
            Scalar::Bool => Literal::Bool(value != 0.0),
            Scalar::Usize => Literal::Usize(value as usize),
        }
    }
}

impl PartialEq for Literal {
    fn eq(&self, other: &Self) -> bool {
        self.scalar() == other.scalar() && self.bits() == other.bits()
    }
}

impl Eq for Literal {}

impl std::hash::Hash for Literal {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.scalar().hash(state);
        self.bits().hash(state);
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::F32(x) => write!(f, "{x:?}f32"),
            Literal::F64(x) => write!(f, "{x:?}"),
            Literal::I32(x) => write!(f, "{x}i32"),
            Literal::I64(x) => write!(f, "{x}i64"),
            Literal::U32(x) => write!(f, "{x}u32"),
            Literal::U64(x) => write!(f, "{x}u64"),
            Literal::Bool(x) => write!(f, "{x}"),
            Literal::Usize(x) => write!(f, "{x}"),
        }
    }
}

/// What an array or a store holds for each entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// A number or truth value.
    Scalar(Scalar),
    /// A store of the next level: a row of a matrix whose rows are dynamic.
    Store(Box<StoreType>),
    /// Nothing: only the pattern is kept.
    Pattern,
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Element::Scalar(s) => s.fmt(f),
            Element::Store(s) => s.fmt(f),
            Element::Pattern => f.write_str("pattern"),
        }
    }
}

/// An array of elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayType {
    /// What it holds; never [`Element::Pattern`].
    pub element: Element,
    /// Whether it can be pushed to and resized; otherwise its length is fixed.
    pub growable: bool,
}

/// How the cost of an operation grows with the number of entries in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Growth {
    /// Not at all.
    #[default]
    Constant,
    /// With its logarithm.
    Logarithmic,
    /// In proportion.
    Linear,
}

impl Growth {
    /// How many steps an operation takes that comes to entry number `at` of `len`.
    pub fn steps(self, at: usize, len: usize) -> u64 {
        match self {
            Growth::Constant => 1,
            Growth::Logarithmic => u64::from(len.checked_ilog2().unwrap_or(0)) + 1,
            Growth::Linear => at as u64 + 1,
        }
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Growth::Constant => "constant",
            Growth::Logarithmic => "logarithmic",
            Growth::Linear => "linear",
        })
    }
}

/// A dynamic level's data structure, opaque to the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StoreType {
    /// The store's name, as in its schema: `ctree`.
    pub name: String,
    /// The type of coordinates in memory: `u32` or `u64`.
    pub coord: Scalar,
    /// What is kept for each coordinate.
    pub element: Element,
    /// What a lookup costs.
    pub lookup: Growth,
}

impl fmt::Display for StoreType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}<{}>", self.name, self.element)
    }
}

/// The type of a variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A number or truth value.
    Scalar(Scalar),
    /// An array: a parameter, a local one, or (bound by a run) a view of a part of a store.
    Array(ArrayType),
    /// A dynamic level's data structure.
    Store(StoreType),
    /// A cursor over the runs of a store: at an entry or at the end.
    Cursor(StoreType),
}

impl Type {
    /// An array of `scalar` whose length is fixed.
    pub fn array(scalar: Scalar) -> Type {
        Type::Array(ArrayType { element: Element::Scalar(scalar), growable: false })
    }

    /// An array of `scalar` that grows.
    pub fn vec(scalar: Scalar) -> Type {
        Type::Array(ArrayType { element: Element::Scalar(scalar), growable: true })
    }

    /// The type of a part of an array, whose length is fixed.
    pub fn part(&self) -> Type {
        match self {
            Type::Array(array) => Type::Array(ArrayType { element: array.element.clone(), growable: false }),
            other => other.clone(),
        }
    }

    /// The scalar type, if it is one.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Type::Scalar(s) => Some(*s),
            _ => None,
        }
    }

    /// The scalar that an array holds, if this is an array of scalars.
    pub fn array_scalar(&self) -> Option<Scalar> {
        match self {
            Type::Array(ArrayType { element: Element::Scalar(s), .. }) => Some(*s),
            _ => None,
        }
    }
}

impl From<Scalar> for Type {
    fn from(scalar: Scalar) -> Type {
        Type::Scalar(scalar)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Scalar(s) => s.fmt(f),
            Type::Array(a) if a.growable => write!(f, "vec[{}]", a.element),
            Type::Array(a) => write!(f, "[{}]", a.element),
            Type::Store(s) => s.fmt(f),
            Type::Cursor(s) => write!(f, "cursor of {s}"),
        }
    }
}
