//! The kernel IR: what lowering writes and both backends read.
//!
//! ```text
//!   concrete index notation + formats
//!                │  lower
//!                ▼
//!     Kernel ── params · checks · body · results          print    a stable text form, for people
//!                │  passes                                check    types, scopes, who may write where
//!                ├───────────────► interpret              no compiler at run time
//!                └───────────────► backend::rust          Rust source
//! ```
//!
//! It is small and imperative: scalars, arrays, loops, branches, and the few operations that a dynamic level offers
//! (a cursor over its runs, a fold over its runs, locate, append, build). It knows nothing of tensors beyond the grouping
//! of parameters, nothing of formats, and nothing of Rust.
//!
//! * [`types`] scalars, literals and the types of variables
//! * [`expr`] expressions and the operators they are written with
//! * [`stmt`] statements
//! * [`kernel`] variables, parameters, results and the kernel itself
//! * `length` how long the text of a kernel is
//! * [`convention`] what each tensor is passed and returned as
//! * [`names`] one readable name for each variable, without capture
//! * [`mod@print`] the text form
//! * [`check`] declarations, scopes, types, and who may write where
//! * [`passes`] what makes kernels shorter and faster, for every backend
//! * [`interpret`] the backend that needs no compiler
//!
//! # Meaning
//!
//! What both backends agree on, where a reader could doubt:
//!
//! * `usize` arithmetic is exact: positions and coordinates never wrap. Whoever lowers sees to it that it cannot overflow; the
//!   interpreter reports [overflow](Expr) as an error.
//! * Arithmetic on the other integers wraps around. An integer quotient or remainder that does not exist (division by
//!   zero, or the one that overflows) is 0.
//! * `min` and `max` of floats are NaN if one side is, as IEEE 754 `minimum`: so `inf` and `-inf` leave every float alone, and a fold
//!   comes to the same wherever it starts and in whatever order it goes.
//! * `and`, `or` of booleans evaluate their right side only if the left one does not decide.
//! * The bounds of a `for` are evaluated once, before the first iteration.

pub mod check;
pub mod convention;
pub mod expr;
pub mod interpret;
pub mod kernel;
mod length;
pub mod names;
pub mod passes;
pub mod print;
pub mod stmt;
pub mod types;

pub use expr::{BinaryOp, Expr, UnaryOp, bool, len, lit, load, usize, var};
pub use kernel::{
    Access, Field, Foreign, FunctionId, Held, Kernel, Layout, LevelLayout, ShapeCheck, Tensor, Var, VarInfo, Vars,
};
pub use stmt::{Block, Domain, Owned, Partition, Reduce, Stmt, Turn, Walked, Work};
pub use types::{ArrayType, Element, Growth, Literal, Scalar, StoreType, Type};
