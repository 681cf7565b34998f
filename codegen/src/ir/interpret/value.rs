//! What goes into an interpreted kernel and what comes out of it.

use std::sync::Arc;

use crate::ir::types::{Literal, Scalar};

/// An argument or a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number or truth value.
    Scalar(Literal),
    /// An array.
    Array(Array),
    /// A dynamic level's data structure.
    Store(Arc<Store>),
}

impl Value {
    /// A `usize`.
    pub fn usize(n: usize) -> Value {
        Value::Scalar(Literal::Usize(n))
    }
}

macro_rules! arrays {
    ($($variant:ident $ty:ty),*) => {
        /// An array of scalars of one type, or of stores.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Array {
            $(#[doc = concat!("Elements of type `", stringify!($ty), "`.")] $variant(Vec<$ty>),)*
            /// Stores of the next level.
            Stores(Vec<Arc<Store>>),
        }

        $(impl From<Vec<$ty>> for Value {
            fn from(array: Vec<$ty>) -> Value {
                Value::Array(Array::$variant(array))
            }
        })*

        impl Array {
            /// An empty array of `scalar`.
            pub fn empty(scalar: Scalar) -> Array {
                match scalar {
                    $(Scalar::$variant => Array::$variant(Vec::new()),)*
                }
            }

            /// The scalar type of its elements; `None` for stores.
            pub fn scalar(&self) -> Option<Scalar> {
                match self {
                    $(Array::$variant(_) => Some(Scalar::$variant),)*
                    Array::Stores(_) => None,
                }
            }

            /// Number of elements.
            pub fn len(&self) -> usize {
                match self {
                    $(Array::$variant(a) => a.len(),)*
                    Array::Stores(a) => a.len(),
                }
            }

            /// Element `index` of an array of scalars, if there is one.
            pub fn get(&self, index: usize) -> Option<Literal> {
                match self {
                    $(Array::$variant(a) => a.get(index).map(|&x| Literal::$variant(x)),)*
                    Array::Stores(_) => None,
                }
            }

            /// Appends an element of the array's own type; anything else is left out and reported by `false`.
            pub fn push(&mut self, value: Literal) -> bool {
                match (self, value) {
                    $((Array::$variant(a), Literal::$variant(x)) => a.push(x),)*
                    _ => return false,
                }
                true
            }
        }
    };
}

arrays!(F32 f32, F64 f64, I32 i32, I64 i64, U32 u32, U64 u64, Bool bool, Usize usize);

impl Array {
    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// How the interpreter models a dynamic level's data structure, whatever its schema: its entries in the order in which the
/// structure keeps them.
#[derive(Clone, Debug, PartialEq)]
pub struct Store {
    /// Coordinates, one for each entry.
    pub coords: Vec<usize>,
    /// Values, one for each entry; none for a pattern.
    pub values: Option<Array>,
    /// Whether coordinates ascend. If they do not, look-ups take time linear in the number of entries.
    pub ordered: bool,
}

impl Store {
    /// The position of an entry.
    pub(super) fn find(&self, coord: usize) -> Option<usize> {
        if self.ordered { self.coords.binary_search(&coord).ok() } else { self.coords.iter().position(|&c| c == coord) }
    }
}
