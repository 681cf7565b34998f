//! Graphs that survive: kept in a directory by a write-ahead log and checkpoints, and restored from it after a crash.
//!
//! ```text
//!   commit ─► prepared batch ─► applied ─► log ─► disk ─► acknowledged          readers take snapshots meanwhile, as ever
//!                                  │
//!                              snapshot ─► checkpoint ─► the log before it is dropped
//!
//!   open ─► newest checkpoint ─► log behind it ─► the graph, with the same version number as before
//! ```
//!
//! ```
//! use pleach::graph::{GraphOptions, Update};
//! use pleach_log::{Durable, Options};
//!
//! # let folder = tempfile::tempdir()?;
//! # let directory = folder.path().join("graph");
//! let options = || Options::of(GraphOptions::undirected());
//! let graph: Durable = pleach_log::open(&directory, options())?;
//! graph.insert([(0, 1), (1, 2)])?;
//! // The batch is on the disk when this returns.
//! let applied = graph.apply([Update::delete(0, 1), Update::insert((2, 3))])?;
//! drop(graph);
//!
//! let graph: Durable = pleach_log::open(&directory, options())?;
//! assert_eq!((graph.fresh().version(), graph.fresh().num_edges()), (applied.version, 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | make or open a graph | [`open`], with [`Options`] |
//! | keep a graph that is in memory already | [`create`] |
//! | find out what a directory holds | [`describe`] |
//! | write, and know that it is kept | [`Durable::commit`], [`Durable::insert`], [`Durable::apply`] |
//! | choose what may be lost | [`Sync`] |
//! | shorten the log | [`Durable::checkpoint`], [`Options::checkpoint_bytes`], [`Options::checkpoint_every`] |
//! | go back to an earlier version | [`open_at`], [`Options::keep`] |
//! | call vertices by names or 64-bit numbers | [`Options::ids`], [`VertexIds`], [`Durable::submit_with_ids`] |
//! | put something else in the place of the disk | [`Storage`] |
//!
//! The graph is an [`AnyGraph`]: any bundled store, with or without weights. That is why `open` is a function of
//! this crate and no method of `pleach::Graph`: a directory says what graph it holds, but not in which store, and a program that never
//! keeps a graph depends on nothing here.
//!
//! # What is promised
//!
//! * What was acknowledged under [`Sync::EachBatch`] is there again, whether the process was killed or the machine stopped. What the other
//!   policies may lose is [said there](Sync). What is restored is the graph as it was after one of its batches, never a part of one.
//! * Version numbers go on: the batch that made version 17 makes version 17 again.
//! * The last bytes of a log that are no whole frame are what was being written when the machine stopped. They are cut off, and
//!   [`Recovery::cut`] says so. Damage before that is an error that names file and offset, [`OpenError::Damaged`];
//!   [`Options::repair`] cuts there. A checkpoint that is damaged or cannot be read is an error unless an older one is kept, and the logs
//!   behind that one reach the version of the other.
//! * A batch that the graph refuses, or a panic while one is applied, leaves graph and directory at the last version that was applied.
//! * When the disk fails or is full, the batch that met it is not acknowledged ([`LogError::NotDurable`]), further ones are refused
//!   ([`LogError::Stopped`]), and readers go on. A [`Durable::checkpoint`] that succeeds writes down all that is in memory, and lets writing
//!   go on.
//! * One process has a directory open to write, or several to read.
//! * Files of a newer format are refused by name. Bytes in files are never trusted: a file that was changed makes an error, no panic, and
//!   memory is taken in proportion to what files hold.
#![forbid(unsafe_code)]

mod bytes;
mod checkpoint;
mod durable;
mod error;
mod frame;
mod ids;
mod log;
mod meta;
mod names;
mod options;
mod recover;
mod replay;
pub mod storage;
mod value;
mod view;

use std::io;
use std::path::Path;
use std::sync::Arc;

pub use durable::{Durable, Status, Submitted};
pub use error::{Failure, LogError, OpenError};
pub use ids::{NewIds, VertexIds};
use log::Log;
pub use meta::Description;
pub use options::{IdKind, Options, Sync};
use pleach_erased::AnyGraph;
pub use recover::{Cut, Recovery};
use storage::Directory;
pub use storage::Storage;
pub use value::Weights;
pub use view::View;

/// Opens the graph in a directory. Where there is none, and nothing else, an empty one is made.
///
/// # Errors
///
/// [`OpenError`], if the directory is in use, holds another graph or other files, is damaged, or cannot be read or written.
pub fn open<V: Weights>(directory: impl AsRef<Path>, options: Options<V>) -> Result<Durable<V>, OpenError> {
    open_in(Arc::new(Directory::new(directory.as_ref())), options)
}

/// As [`open`], in any storage.
///
/// # Errors
///
/// As [`open`].
pub fn open_in<V: Weights>(storage: Arc<dyn Storage>, options: Options<V>) -> Result<Durable<V>, OpenError> {
    let lock = lock(&*storage, true)?;
    match recover::description(&*storage)? {
        Some(held) => held.check(&Description::of(&options), &storage.path(""))?,
        None => {
            let graph = AnyGraph::new(&options.store, options.graph)?;
            recover::make_room(&*storage)?;
            recover::create(&*storage, &graph, &VertexIds::new(options.ids), &options)?;
        }
    }
    let recovered = recover::recover(&*storage, &options, None)?;
    Durable::new(recovered.into_log(storage)?, options, lock)
}

/// Makes a directory for a graph that is in memory already, with the ids of its vertices: it is written as the first checkpoint. The graph
/// goes on behind its version.
///
/// # Errors
///
/// [`OpenError`], if the directory is in use, holds a graph or other files, or cannot be written; and if graph and ids are not what the
/// options say.
pub fn create<V: Weights>(
    directory: impl AsRef<Path>,
    graph: AnyGraph<V>,
    ids: VertexIds,
    options: Options<V>,
) -> Result<Durable<V>, OpenError> {
    create_in(Arc::new(Directory::new(directory.as_ref())), graph, ids, options)
}

/// As [`create`], in any storage.
///
/// # Errors
///
/// As [`create`].
pub fn create_in<V: Weights>(
    storage: Arc<dyn Storage>,
    graph: AnyGraph<V>,
    ids: VertexIds,
    options: Options<V>,
) -> Result<Durable<V>, OpenError> {
    let (lock, root) = (lock(&*storage, true)?, storage.path(""));
    check_none(&*storage)?;
    let made = Options { graph: *graph.options(), ids: ids.kind(), ..options.clone() };
    Description::of(&made).check(&Description::of(&options), &root)?;
    recover::make_room(&*storage)?;
    let tail = recover::create(&*storage, &graph, &ids, &options)?;
    let version = tail.base;
    let log = Log::new(storage, tail, version, ids.bound() as u32, 0);
    let recovery = Recovery { checkpoint: version, ..Recovery::default() };
    Durable::new((graph, ids, recovery, log), options, lock)
}

fn check_none(storage: &dyn Storage) -> Result<(), OpenError> {
    match recover::description(storage)? {
        Some(_) => Err(OpenError::Exists { path: storage.path("") }),
        None => Ok(()),
    }
}

/// Checks beforehand that [`create`] can make a directory for a graph, as far as it is seen without the graph. A directory that is not there
/// is made and removed again.
///
/// # Errors
///
/// [`OpenError`], if the directory is in use, holds a graph or other files, or cannot be written.
pub fn check_new(directory: impl AsRef<Path>) -> Result<(), OpenError> {
    let storage = Directory::new(directory.as_ref());
    let missing = storage.missing();
    let checked = lock(&storage, true).and_then(|_lock| {
        check_none(&storage)?;
        recover::make_room(&storage)
    });
    storage.unmake(&missing);
    checked
}

/// Reads a version of the graph in a directory: the last one, or an earlier one that is still kept. Changes nothing there.
///
/// # Errors
///
/// As [`open`], and [`OpenError::NoVersion`] if the version is not kept.
pub fn open_at<V: Weights>(
    directory: impl AsRef<Path>,
    version: Option<u64>,
    options: &Options<V>,
) -> Result<View<V>, OpenError> {
    open_at_in(&Directory::new(directory.as_ref()), version, options)
}

/// As [`open_at`], in any storage.
///
/// # Errors
///
/// As [`open_at`].
pub fn open_at_in<V: Weights>(
    storage: &dyn Storage,
    version: Option<u64>,
    options: &Options<V>,
) -> Result<View<V>, OpenError> {
    let _lock = lock(storage, false)?;
    let root = storage.path("");
    let held = recover::description(storage)?.ok_or_else(|| OpenError::NoGraph { path: root.clone() })?;
    held.check(&Description::of(options), &root)?;
    recover::recover(storage, options, version).map(View::new)
}

/// What graph a directory holds.
///
/// # Errors
///
/// [`OpenError::NoGraph`], or what else is wrong with the file that says it.
pub fn describe(directory: impl AsRef<Path>) -> Result<Description, OpenError> {
    let storage = Directory::new(directory.as_ref());
    recover::description(&storage)?.ok_or_else(|| OpenError::NoGraph { path: storage.path("") })
}

/// Whether a path is that of a directory that holds a graph.
pub fn holds_graph(directory: impl AsRef<Path>) -> bool {
    directory.as_ref().join(meta::NAME).is_file()
}

/// The examples of the guide's page on this crate, compiled and run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/durability.md")]
struct Guide;

fn lock(storage: &dyn Storage, to_write: bool) -> Result<Box<dyn Send + std::marker::Sync>, OpenError> {
    storage.lock(to_write).map_err(|error| {
        let path = storage.path("");
        match error.kind() {
            io::ErrorKind::WouldBlock => OpenError::InUse { path },
            io::ErrorKind::NotFound if !to_write => OpenError::NoGraph { path },
            _ => OpenError::Io { doing: if to_write { "write to" } else { "read" }, path, error },
        }
    })
}
