//! Readers, writers and generators of graphs.
#![forbid(unsafe_code)]

mod catalog;
mod error;
pub mod generate;
mod ids;
mod input;
mod progress;
mod read;
mod scan;
mod source;

pub use catalog::{Entry, EntryKind, list, open};
pub use error::{Error, Fault};
pub use generate::Generator;
pub use ids::IdMap;
pub use input::{Direction, Edges, Format, Input, Options, UnknownFormatName, Weights};
pub use progress::{Observer, Progress};
pub use read::read;
