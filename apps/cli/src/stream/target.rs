//! The graph that a stream updates: in memory, or kept in a directory too.

use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use pleach::graph::{Applied, GraphError, GraphOptions, Prepared, UpdateList};
use pleach_erased::{AnyGraph, AnySnapshot};
use pleach_log::{Durable, IdKind, LogError, Options, Sync, VertexIds};

use super::held::Held;
use crate::{Failure, kept};

/// When a batch counts as kept, as `--sync` says it.
#[derive(Clone, Copy, Debug)]
pub struct SyncArg(Sync);

impl FromStr for SyncArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let time = |text: &str, unit: &str| text.strip_suffix(unit)?.parse::<u32>().ok().filter(|&time| time > 0);
        Ok(SyncArg(match text {
            "each" => Sync::EachBatch,
            "never" => Sync::Never,
            _ => {
                let millis = time(text, "ms").map(|time| Duration::from_millis(time.into()));
                let every = millis.or_else(|| time(text, "s").map(|time| Duration::from_secs(time.into())));
                Sync::Every(every.ok_or("expected `each`, `never`, or a time such as `100ms` or `2s`")?)
            }
        }))
    }
}

/// How a graph is kept, as the command line says it.
#[derive(Clone, Copy)]
pub struct Keeping<'a> {
    pub directory: &'a Path,
    pub sync: SyncArg,
    pub checkpoints: usize,
}

impl Keeping<'_> {
    fn options<V: Held>(&self, graph: GraphOptions<V>, store: &pleach_erased::StoreName, ids: IdKind) -> Options<V> {
        Options::of(graph).with_store(store.clone()).with_ids(ids).with_sync(self.sync.0).with_keep(self.checkpoints)
    }
}

/// The graph that a stream updates.
pub enum Target<V: Held> {
    Memory(AnyGraph<V>),
    Kept(Durable<V>),
}

/// Why a batch was not applied, or not kept.
pub enum NotCommitted {
    /// The graph does not take it.
    Refused(GraphError),
    /// It cannot be kept.
    Failed(Failure),
}

impl<V: Held> Target<V> {
    /// Opens the graph that a directory holds; its ids.
    pub fn open(
        keeping: &Keeping<'_>,
        options: GraphOptions<V>,
        store: &pleach_erased::StoreName,
        kind: IdKind,
    ) -> Result<(Self, VertexIds), Failure> {
        let options = keeping.options(options, store, kind);
        let durable = pleach_log::open(keeping.directory, options).map_err(kept::failure)?;
        let ids = durable.ids().clone();
        Ok((Target::Kept(durable), ids))
    }

    /// Keeps a graph from now on, with the ids of its vertices.
    pub fn create(
        keeping: &Keeping<'_>,
        graph: AnyGraph<V>,
        ids: &VertexIds,
        store: &pleach_erased::StoreName,
    ) -> Result<Self, Failure> {
        let options = keeping.options(*graph.options(), store, ids.kind());
        pleach_log::create(keeping.directory, graph, ids.clone(), options).map(Target::Kept).map_err(kept::failure)
    }

    /// Checks and sorts a batch.
    pub fn prepare_list(&self, updates: UpdateList<V>) -> Result<Prepared<V>, GraphError> {
        match self {
            Target::Memory(graph) => graph.prepare_list(updates),
            Target::Kept(graph) => graph.prepare_list(updates),
        }
    }

    /// Applies a batch; returns when it is kept, if it is to be.
    pub fn commit(&self, prepared: Prepared<V>) -> Result<Applied, NotCommitted> {
        match self {
            Target::Memory(graph) => graph.commit(prepared).map_err(NotCommitted::Refused),
            Target::Kept(graph) => graph.commit(prepared).map_err(|error| match error {
                LogError::Graph(error) => NotCommitted::Refused(error),
                error => NotCommitted::Failed(Failure::input(error)),
            }),
        }
    }

    /// The newest published version; asks the next boundary for another.
    pub fn latest(&self) -> AnySnapshot<V> {
        match self {
            Target::Memory(graph) => graph.latest(),
            Target::Kept(graph) => graph.latest(),
        }
    }

    /// The number of the newest published version.
    pub fn published(&self) -> u64 {
        match self {
            Target::Memory(graph) => graph.published(),
            Target::Kept(graph) => graph.published(),
        }
    }

    /// A version with all batches so far.
    pub fn fresh(&self) -> AnySnapshot<V> {
        match self {
            Target::Memory(graph) => graph.fresh(),
            Target::Kept(graph) => graph.fresh(),
        }
    }

    /// Ends, with all on the disk that is to be there.
    pub fn close(self) -> Result<(), Failure> {
        match self {
            Target::Memory(_) => Ok(()),
            Target::Kept(graph) => graph.close().map_err(Failure::input),
        }
    }
}
