//! Graphs to compute on: read from files, generated, or bundled.
//!
//! ```text
//!   karate, florentine, …  ─┐
//!   rmat16, grid:300x200 …  ├─ open(name) ─► Input { edges, ids, directed, … } ─► Csr, stores, write(file)
//!   wiki-Vote.txt.gz, a.mtx ─┘
//! ```
//!
//! Text is read in blocks, which all cores parse. Ids become 32-bit coordinates without gaps, in the order of the ids; an [`IdMap`] maps
//! them back. A mistake in a file is an [`Error`] with its line and column.
//!
//! ```
//! use pleach::Csr;
//! use pleach_datasets::{Options, open};
//!
//! let karate = open("karate", &Options::default())?;
//! assert_eq!((karate.num_vertices(), karate.directed), (34, false));
//!
//! let options = karate.build_options();
//! let (matrix, report) = Csr::from_edges(&karate.edges.into_pattern(), &options)?;
//! assert_eq!((report.arcs, report.duplicates), (2 * 78, 0));
//! assert_eq!(karate.ids.external(0), 1); // the instructor, as the file numbers him
//! # assert_eq!(matrix.num_rows(), 34);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | open a bundled or generated graph, or a file, by its name | [`open`] |
//! | read a graph or a tensor from a file | [`fn@read`], [`read_tensor`] |
//! | estimate how many edges a file holds before it is read | [`expect`] |
//! | read a large file by several readers, each a part | [`Shared`] |
//! | build a store of a large `.plg` without the file in memory | [`RowFile`] |
//! | write one; the ending of the name chooses the format | [`fn@write`], [`write_tensor`] |
//! | generate a graph | [`Generator::generate`] |
//! | read a stream of updates line by line | [`stream`] |
//! | make batches of a stream, which a graph takes | [`batches`] |
//! | download a published graph | `fetch` (feature `fetch`) |
//! | read and write binary files with arrays of your own | [`plg`] |
#![forbid(unsafe_code)]

mod attributes;
pub mod batches;
mod binary;
mod catalog;
mod columns;
mod compress;
mod error;
#[cfg(feature = "fetch")]
pub mod fetch;
mod foreign;
pub mod generate;
mod ids;
mod input;
mod live;
mod npz;
pub mod plg;
mod progress;
mod read;
mod reorder;
mod rows;
mod scan;
mod source;
pub mod stream;
mod tensor;
mod write;

pub use attributes::{Attribute, Attributes, Kind, Value};
pub use catalog::{Entry, EntryKind, list, open};
pub use columns::{Column, Columns, ColumnsError};
pub use error::{Error, Fault};
pub use generate::Generator;
pub use ids::{IdMap, Label};
pub use input::{Direction, Edges, Format, Input, Options, UnknownFormatName, Weights};
pub use npz::{Sparse, write_sparse};
pub use progress::{Observer, Progress};
pub use read::expect::{Expected, expect};
pub use read::row_file::RowFile;
pub use read::share::{NamedArcs, Share, Shared};
pub use read::share_ids::ListedIds;
pub use read::{ReadTensor, ending, read, read_tensor, read_whole_tensor};
pub use reorder::{TimeOrder, Updates};
pub use tensor::Coo;
pub use write::{
    Shortest, check_graph_file, check_tensor_file, check_writable, is_standard_output, lost_attributes,
    remove_unfinished, write, write_as, write_complete, write_tensor, write_tensor_as, write_watched, written_endings,
};
