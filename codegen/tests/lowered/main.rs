//! Lowered kernels, run by the interpreter, agree with the dense reference in values and in what is stored.

mod absence;
mod advice;
mod costs;
mod examples;
mod extents;
mod formats;
mod grid;
mod harness;
mod hunt;
mod hypersparse;
mod many;
mod orders;
mod outside;
mod parallel;
mod random;
mod shaped;
mod slices;
mod statements;
mod telling;

#[path = "../units/kernels/spans.rs"]
mod spans;
