//! What a level keeps, as a type: one of the tensor's indices, or a number computed of them.
//!
//! ```text
//!   i / 4: dense, j / 4: compressed, i % 4: dense, j % 4: dense
//!
//!   (Div<Index<0>, Const<4>>, Div<Index<1>, Const<4>>, Rem<Index<0>, Const<4>>, Rem<Index<1>, Const<4>>)
//! ```
//!
//! The types have no values that anybody needs; they tell apart [tensors](super::Arranged) whose arrays have the same types.

use std::marker::PhantomData;

macro_rules! coordinates {
    ($($(#[$doc:meta])* $name:ident $([$(const $number:ident: $type:ty),*])? $(<$($of:ident),*>)?;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name<$($(const $number: $type,)*)? $($($of),*)?>($(PhantomData<($($of,)*)>)?);
    )*};
}

coordinates! {
    /// Index `M` of the tensor, counted from 0.
    Index[const M: usize];
    /// A constant.
    Const[const VALUE: i64];
    /// How many entries with the same values of the indices `M` came before: `M` is a tuple of [`Index`].
    Counter<M>;
    /// `-A`
    Neg<A>;
    /// `A + B`
    Add<A, B>;
    /// `A - B`
    Sub<A, B>;
    /// `A * B`
    Mul<A, B>;
    /// `A / B`, rounded down.
    Div<A, B>;
    /// `A % B`, which has the sign of `B`.
    Rem<A, B>;
    /// `A & B`
    And<A, B>;
    /// `A | B`
    Or<A, B>;
    /// `A ^ B`
    Xor<A, B>;
    /// `A << B`
    Shl<A, B>;
    /// `A >> B`
    Shr<A, B>;
    /// `let v = A in B`, where `v` is [`Variable<N>`](Variable).
    Let[const N: usize]<A, B>;
    /// A variable of a [`Let`].
    Variable[const N: usize];
    /// `A`, in any order within each parent. A level whose type does not say so keeps its coordinates in ascending order.
    Unordered<A>;
    /// Beside the coordinates `C` of all levels: several entries may have the same ones, and are added up.
    Repeated<C>;
}
