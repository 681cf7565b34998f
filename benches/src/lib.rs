//! Benchmarks, each a program of its own; `benches/README.md` has their figures.
//!
//! ```text
//!   cargo run --release -p pleach-benches --bin kernels     compiled kernels beside loops by hand
//!   cargo run --release -p pleach-benches --bin load        reading files
//!   pleach bench pagerank|apps|updates|incremental          stores beside static CSR (crate pleach-measure)
//! ```
