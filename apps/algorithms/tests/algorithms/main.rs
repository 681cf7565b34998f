//! The algorithms as library functions. One program, which compiles each of them once over the same graphs.

mod cancel;
mod incremental;
mod lengths;
mod library;
mod public;
mod removed;
#[cfg(feature = "serde")]
mod serde;
mod unordered;
mod verifiers;
