//! Tensors in static formats: extents, what each level keeps, and values, in arrays that are owned or borrowed.
//!
//! ```text
//! csr(i, j) = i: dense, j: compressed
//!
//!   rows 3, cols 6     Tensor {
//!   . a . . . b            shape:  [3, 6],
//!   . . . . . .            levels: (Dense, Compressed { pos: [0, 2, 2, 3], crd: [1, 5, 0] }),
//!   c . . . . .            vals:   [a, b, c],
//!                      }
//! ```
//!
//! A tensor whose levels keep its indices in another order, or keep numbers computed of them, is [`Arranged`]: its type says what each
//! level keeps.
//!
//! The struct of a level holds the arrays that the level's file in the compiler draws, under the same names. Generated modules
//! bring an alias for each format that their kernels use: `Csr<V>` with arrays of its own, and `CsrView<'a, V>`, which borrows them.
//!
//! ```
//! use pleach_runtime::tensor::{Compressed, Dense, Tensor, View};
//!
//! let a = Tensor {
//!     shape: [3, 6],
//!     levels: (Dense, Compressed { pos: vec![0, 2, 2, 3], crd: vec![1, 5, 0] }),
//!     vals: vec![1.0, 2.0, 3.0],
//! };
//! assert_eq!(a.view().levels.1.crd, &[1, 5, 0]);
//! ```
//!
//! [`Tensor::new`] checks that arrays fit together. A tensor that is put together without it need not be one: a kernel that is given
//! it panics or computes nonsense, and does no other harm.

mod arranged;
mod check;
pub mod coordinate;

pub use arranged::Arranged;
pub use check::{CheckLevel, CheckLevels, TensorError, Values};

/// A tensor of `N` indices: its extents, its levels from the outermost on, and its values.
///
/// The values of a pattern are `()`, as many as there are entries. Where the innermost level is a store, it holds them, and `vals`
/// is `()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tensor<const N: usize, L, V> {
    /// How many coordinates each index has, in the order of the tensor's own indices.
    #[doc(alias = "extents")]
    pub shape: [usize; N],
    /// What each level keeps: a tuple.
    pub levels: L,
    /// The values, by position in the innermost level.
    pub vals: V,
}

/// What is owned, borrowed.
pub trait View {
    /// The same with borrowed arrays.
    type View<'a>
    where
        Self: 'a;

    /// Borrows every array.
    fn view(&self) -> Self::View<'_>;
}

impl<T> View for Vec<T> {
    type View<'a>
        = &'a [T]
    where
        T: 'a;

    #[inline(always)]
    fn view(&self) -> &[T] {
        self
    }
}

impl<const N: usize, L: View, V: View> View for Tensor<N, L, V> {
    type View<'a>
        = Tensor<N, L::View<'a>, V::View<'a>>
    where
        Self: 'a;

    #[inline]
    fn view(&self) -> Self::View<'_> {
        Tensor { shape: self.shape, levels: self.levels.view(), vals: self.vals.view() }
    }
}

impl<'a, const N: usize, L: View, V: View> From<&'a Tensor<N, L, V>> for Tensor<N, L::View<'a>, V::View<'a>> {
    /// Borrows every array; see [`View::view`].
    fn from(tensor: &'a Tensor<N, L, V>) -> Self {
        tensor.view()
    }
}

impl<'a, const N: usize, L: View, T> From<&'a mut Tensor<N, L, Vec<T>>> for Tensor<N, L::View<'a>, &'a mut [T]> {
    /// Borrows every array, the values to be written.
    fn from(tensor: &'a mut Tensor<N, L, Vec<T>>) -> Self {
        Tensor { shape: tensor.shape, levels: tensor.levels.view(), vals: &mut tensor.vals }
    }
}

macro_rules! tuples {
    ($(($($level:ident $at:tt),*))*) => {$(
        impl<$($level: View),*> View for ($($level,)*) {
            type View<'a> = ($($level::View<'a>,)*) where Self: 'a;

            #[inline]
            fn view(&self) -> Self::View<'_> {
                ($(self.$at.view(),)*)
            }
        }
    )*};
}

crate::tuples::each_tuple!(tuples);

/// Levels: a struct each, generic in what its arrays are.
macro_rules! levels {
    ($($(#[$doc:meta])* $level:ident { $([$number_doc:literal $number:ident])? $($array_doc:literal $array:ident: $type:ident),* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $level<$($type),*> {
            $(#[doc = $number_doc] pub $number: usize,)?
            $(#[doc = $array_doc] pub $array: $type,)*
        }

        impl<$($type: View),*> View for $level<$($type),*> {
            type View<'a> = $level<$($type::View<'a>),*> where Self: 'a;

            #[inline]
            fn view(&self) -> Self::View<'_> {
                $level { $($number: self.$number,)? $($array: self.$array.view(),)* }
            }
        }
    )*};
}

levels! {
    /// Those coordinates that occur, parent after parent.
    Compressed {
        "Where the coordinates of each parent begin, and at last where those of the last one end."
        pos: P,
        "The coordinates."
        crd: C
    }
    /// One coordinate for each parent.
    Singleton {
        "The coordinates; `u32::MAX` where there is none."
        crd: C
    }
    /// A hash table of equal size for each parent.
    Hashed {
        ["Slots of each table." width]
        "The coordinate in each slot; `u32::MAX` where there is none."
        crd: C
    }
    /// Those coordinates that occur anywhere, the same for each parent.
    Squeezed {
        "The coordinates, counted from the smallest there can be."
        crd: C
    }
    /// One interval of coordinates for each parent.
    Banded {
        "Where the values of each parent begin, and at last where those of the last one end."
        pos: P,
        "The first coordinate of each parent."
        first: C
    }
}

/// Levels that keep no array.
macro_rules! copied {
    ($($level:ident)*) => {$(
        impl View for $level {
            type View<'a> = $level;

            #[inline]
            fn view(&self) -> $level {
                *self
            }
        }
    )*};
}

/// Every coordinate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dense;

/// An interval that follows from a difference kept above.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range;

/// The one coordinate that follows from a difference kept above.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offset;

/// As many slices as the entries need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sliced {
    /// How many there are.
    pub slices: usize,
}

copied! { Dense Range Offset Sliced }

/// A level that keeps no index itself but something computed of indices, and so has an extent of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Remapped<L> {
    /// How many coordinates there can be.
    pub extent: usize,
    /// What the level keeps.
    pub level: L,
}

impl<L: View> View for Remapped<L> {
    type View<'a>
        = Remapped<L::View<'a>>
    where
        Self: 'a;

    #[inline]
    fn view(&self) -> Self::View<'_> {
        Remapped { extent: self.extent, level: self.level.view() }
    }
}

/// A level kept by stores, and with it the values: the fiber of one, or the rows of many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stores<S>(pub S);
