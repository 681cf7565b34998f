//! The allocator that the command is built with: jemalloc, or without that feature the one of the system.

#[cfg(feature = "jemalloc")]
mod jemalloc;
#[cfg(not(feature = "jemalloc"))]
mod system;

#[cfg(feature = "jemalloc")]
pub use jemalloc::*;
#[cfg(not(feature = "jemalloc"))]
pub use system::*;
