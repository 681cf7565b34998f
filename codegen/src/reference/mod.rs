//! The dense reference evaluator: what a kernel means, computed in the plainest way.
//!
//! It shares nothing with the compiler but the syntax tree. Tensors are arrays of cells, each stored or not; every statement visits every
//! combination of its indices. Tests compare results with it; it is far too slow for anything else.
//!
//! # Meaning
//!
//! A cell that is not stored has the fill of its tensor. An expression at some place is either a *constant*, known from fills
//! and literals alone, or *computed* from something stored:
//!
//! * An operation of constants is a constant. An annihilator (`0` of `*`, `inf` of `+`, what a function declares, the zero of a
//!   semiring) that is a constant makes the operation that constant, whatever the other side is. A constant that is the
//!   identity leaves the other side as it is. Everything else is computed.
//! * `A without B` is A where B has no entry, and A's fill as a constant where it has one. `select(A, c)` is A where c is not 0. A number
//!   that stands alone in the place of A is an entry everywhere, and has the fill 0, or the zero of the semiring.
//! * A sum drops constants that are its identity; if nothing is left, it is that identity, as a constant.
//! * A cell of the result is stored if its value was computed, or is a constant other than the result's fill. In a pattern, what
//!   is stored is true.
//!
//! A mask, and what stands behind `without`, has an entry where its tensor stores one or, if that keeps places for more than its
//! entries (dense, blocks, bands), where its value is not its fill. Where C is masked out, it stays as it is.
//!
//! A parameter without a declared fill is, under `over`, the semiring's zero where it stores nothing; a reduction of numbers that writes it
//! starts there from its neutral element. Once it has been written, its fill is the zero of that statement's semiring, or 0.
//!
//! An implied sum stands around the smallest term of a sum or difference that holds the index:
//! `b(i) - A(i,j) * x(j)` sums its second term, `(b(i) - A(i,j) * x(j)) / d(i)` the term in the brackets. With a reduction other
//! than `+=`, the whole right side is reduced. `min=` and the like start, in a tensor that nothing was written to, from the first
//! value.
//!
//! A statement is computed in the latest type, in the order `pattern bool u32 i32 u64 i64 f32 f64`, among those of its operands
//! and its target; a comparison, `and`, `or` and `not` in that of their own operands. A constant with a fraction where everything
//! else is an integer makes it `f64`. Over truth values `+` and `max` are *or*, `*` and `min` are *and*.

mod cells;
mod known;
mod layout;
mod number;
mod operate;
mod pack;
mod run;
mod statement;
mod sum;
mod tensor;
mod types;
mod unpack;
mod value;

pub use self::number::{Number, number};
pub use self::pack::{PackedTensor, pack, pack_within, scalar_argument};
pub use self::run::Scope;
pub use self::statement::evaluate;
pub use self::tensor::Tensor;
pub use self::unpack::{unpack, unpack_with};
