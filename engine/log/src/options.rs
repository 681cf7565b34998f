//! How a graph is kept.

use std::time::Duration;

use pleach::graph::GraphOptions;
use pleach_erased::{DEFAULT_STORE, StoreName};

/// When a batch counts as kept.
///
/// | policy | a batch is acknowledged | lost at worst, if the process is killed | … if the machine stops |
/// |---|---|---|---|
/// | `EachBatch` | when it is on the disk | nothing | nothing |
/// | `Every(time)` | when the system has it | nothing | what was acknowledged in the last `time`, and while a sync ran |
/// | `Never` | when the system has it | nothing | what the system had not written by itself: on Linux about 30 seconds |
///
/// What is lost are always the last batches: what is left is the graph as it was after one of its batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sync {
    /// Each batch is on the disk before it is acknowledged. Writers that commit at the same time share one sync.
    #[default]
    EachBatch,
    /// A thread syncs so long after a batch was written, at the latest.
    Every(Duration),
    /// Nobody syncs but a checkpoint, and [`Durable::close`](crate::Durable::close).
    Never,
}

/// What vertices are called outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdKind {
    /// They have no other name than their number.
    #[default]
    None,
    /// By 64-bit numbers: [`Ids<u64>`](pleach::graph::Ids).
    Numbers,
    /// By strings: [`Ids<str>`](pleach::graph::Ids).
    Names,
}

/// How a graph is kept in a directory.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options<V = ()> {
    /// How the graph behaves. Whether it is directed, keeps in-arcs, and what happens to an edge that is inserted again is written down
    /// in the directory, and must be the same whenever it is opened. The defaults are those of [`GraphOptions`].
    pub graph: GraphOptions<V>,
    /// The store that holds the rows: by default `paged,packed`. It may be another one each time.
    pub store: StoreName,
    /// What vertices are called. By default they have no other name than their number. Written down, as above.
    pub ids: IdKind,
    /// When a batch counts as kept. By default each is synced.
    pub sync: Sync,
    /// Bytes of log after which a thread writes a checkpoint: 256 MiB by default; with `None` the length of the log makes none.
    pub checkpoint_bytes: Option<u64>,
    /// Time after which a thread writes a checkpoint, if there were batches. By default time makes none.
    pub checkpoint_every: Option<Duration>,
    /// Checkpoints that are kept, with the log behind the oldest of them: any version from there on can be gone back to. One by default,
    /// and at least one.
    pub keep: usize,
    /// Whether a log that is damaged before its end is cut off where the damage begins: whatever was behind is lost. By default that is
    /// an error.
    pub repair: bool,
}

impl<V> Default for Options<V> {
    fn default() -> Self {
        Options {
            graph: GraphOptions::default(),
            store: DEFAULT_STORE.parse().expect("the default store has a name"),
            ids: IdKind::None,
            sync: Sync::EachBatch,
            checkpoint_bytes: Some(256 << 20),
            checkpoint_every: None,
            keep: 1,
            repair: false,
        }
    }
}

impl<V> Options<V> {
    /// Of a graph that behaves so.
    pub fn of(graph: GraphOptions<V>) -> Self {
        Options { graph, ..Self::default() }
    }

    /// How the graph behaves.
    #[must_use]
    pub fn with_graph(mut self, graph: GraphOptions<V>) -> Self {
        self.graph = graph;
        self
    }

    /// The store that holds the rows.
    #[must_use]
    pub fn with_store(mut self, store: StoreName) -> Self {
        self.store = store;
        self
    }

    /// What vertices are called.
    #[must_use]
    pub fn with_ids(mut self, ids: IdKind) -> Self {
        self.ids = ids;
        self
    }

    /// When a batch counts as kept.
    #[must_use]
    pub fn with_sync(mut self, sync: Sync) -> Self {
        self.sync = sync;
        self
    }

    /// Bytes of log after which a checkpoint is written.
    #[must_use]
    pub fn with_checkpoint_bytes(mut self, bytes: Option<u64>) -> Self {
        self.checkpoint_bytes = bytes;
        self
    }

    /// Time after which a checkpoint is written.
    #[must_use]
    pub fn with_checkpoint_every(mut self, time: Option<Duration>) -> Self {
        self.checkpoint_every = time;
        self
    }

    /// Checkpoints that are kept.
    #[must_use]
    pub fn with_keep(mut self, checkpoints: usize) -> Self {
        self.keep = checkpoints;
        self
    }

    /// Whether a damaged log is cut off.
    #[must_use]
    pub fn with_repair(mut self, repair: bool) -> Self {
        self.repair = repair;
        self
    }
}
