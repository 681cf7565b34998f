//! Parts of the compiler, each by itself.

mod build;
mod bundled;
mod comments;
mod convention;
mod derive;
mod diagnostic;
mod emit;
mod expression;
mod finish;
#[cfg(not(miri))]
mod generated;
mod ir_along;
mod ir_interpret;
mod ir_print;
mod ir_simplify;
mod kernels;
mod lattice;
mod layout;
mod lexer;
mod locate;
mod meaning;
mod names;
mod notation;
mod parallel;
mod plans;
mod reference;
mod schema;
mod session;
mod sums;
mod task;
mod telling;
