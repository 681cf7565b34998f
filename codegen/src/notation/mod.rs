//! Index notation: what to compute. Text to tree and back.
//!
//! ```text
//! y(i) = A(i,j) * x(j)                  summed over j
//! d(i) min= A(i,j) + x(j)               any reduction: = += *= min= max= |= &=
//! C(i,j)<M> = A(i,k) * B(k,j)           only where M has an entry; <!M> where it has none
//! D(i,j) = A(i,j) without B(i,j)        A where B has no entry
//! d(i) = A(i,j) * x(j) over min_plus    `+`, `*`, the sum and the value of absent entries are the semiring's
//! forall(i, parallel, forall(j, y(i) += A(i,j) * w(j))) where forall(j, w(j) = x(j) / d(j))
//! ```
//!
//! # Items
//!
//! ```text
//! kernel spmv(y: dense, A: csr | aspen of f32, x: dense) { y(i) = A(i,j) * x(j) }
//! kernel add(A: graph, B: csr of f64 fill 0, alpha: f64) -> C: csr { C(i,j) = alpha * A(i,j) + B(i,j) }
//! function relu(a) annihilator 0 = max(a, 0)
//! function logistic(a) = extern "my_crate::logistic"
//! semiring min_plus { plus: min, zero: inf, times: +, one: 0 }
//! use "more.pleach"
//! ```
//!
//! A tensor on the left that is a parameter belongs to the caller. A dense one is written in place. A sparse one cannot be written in
//! place, because entries come and go: the new tensor is returned under its name and in its format, and the caller's stays unchanged. So
//! `kernel delete(A: csr, D: csr) { A(i,j) = A(i,j) without D(i,j) }` returns an `A`; results behind an arrow come before it.
//!
//! A parameter's value type stands behind `of` and is `f64` if it is not written; a parameter that is a value type and
//! no format is a scalar. Statements of a kernel may be separated by `;`.
//!
//! Operators, loosest first: `without`; `== != < <= > >=`; `+ -`; `* / %`; unary minus. Functions that are always there: `min max abs sqrt
//! and or not select first second pair`. `crate::reference` computes each of them in the plainest way, and so says what it means.
//!
//! # Files
//!
//! ```text
//! lexer, cursor, parse, parse_stmt, parse_expr    text to a tree (`ast`)
//! declare                                         what kernels can name: formats, functions, semirings
//! resolve, view, types                            a tree to a kernel whose names, types and fills are known (`concrete`)
//! versions                                        sparse tensors that are written more than once, or are parameters
//! orders, fills                                   what is refused before loops are made
//! einsum, cost, drive                             index notation to concrete index notation: sums, orders of loops, workspaces
//! algebra, presence                               what an expression is where operands are absent
//! written                                         parameters that are written in place
//! unused, pairs                                   warnings
//! print, concrete::show                           trees and statements to text
//! ```

pub mod algebra;
pub mod ast;
pub mod concrete;
mod cost;
pub(crate) mod cursor;
mod declare;
mod drive;
mod einsum;
mod fills;
#[doc(hidden)]
pub mod lexer;
mod orders;
pub(crate) mod pairs;
pub(crate) mod parse;
pub(crate) mod parse_expr;
mod parse_stmt;
pub mod presence;
pub(crate) mod print;
mod resolve;
mod types;
pub(crate) mod unused;
mod versions;
mod view;
mod written;

pub use declare::Declarations;
pub(crate) use declare::SEMIRINGS;
pub(crate) use drive::{Driven, driven, is_driven};
pub use einsum::{concretize, start};
pub(crate) use fills::check_fills;
pub use orders::check_orders;
pub use parse::{parse_format, parse_param, parse_source, parse_statements};
pub use resolve::resolve;
pub use types::{type_among, type_into, type_of, type_within};
pub(crate) use written::check_written;
