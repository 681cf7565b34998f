//! The `pleach!` macro: a thin shim over `pleach-codegen`.
