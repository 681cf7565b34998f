//! Parts of the compiler, each by itself.

mod comments;
mod diagnostic;
mod expression;
mod finish;
mod lattice;
mod lexer;
mod locate;
mod names;
mod reference;
mod session;
mod task;
