//! Programs that measure what `pleach bench` does not; `benches/README.md` has their figures.
//!
//! ```text
//!   cargo run --release -p pleach-benches --bin algebra     algorithms as expressions, and as traversals
//!   cargo run --release -p pleach-benches --bin keeping     graphs in a directory: logs and checkpoints
//!   cargo run --release -p pleach-benches --bin serving     a server under load
//! ```
