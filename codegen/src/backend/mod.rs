//! The backends that print code: one folder for each.
//!
//! The interpreter, which runs a kernel at once, stands beside the IR: `crate::ir::interpret`.

pub mod rust;
