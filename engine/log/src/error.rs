//! What can go wrong.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pleach::graph::{GraphError, IdsError};
use pleach_erased::HoldError;

/// Why a directory cannot be opened as a graph. Nothing in it was changed, unless the file system failed half-way.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// Somebody else has the directory open.
    #[error("{} is in use: another process, or this one, has the graph open", path.display())]
    InUse {
        /// The directory.
        path: PathBuf,
    },
    /// There is no graph.
    #[error("{} holds no graph", path.display())]
    NoGraph {
        /// The directory.
        path: PathBuf,
    },
    /// A graph is to be made where other files are.
    #[error("{} holds no graph, but other files, as `{file}`: a graph is made in a directory that is empty or not there", path.display())]
    OtherFiles {
        /// The directory.
        path: PathBuf,
        /// One of the files.
        file: String,
    },
    /// There is a graph where another one was to be made.
    #[error("{} holds a graph already", path.display())]
    Exists {
        /// The directory.
        path: PathBuf,
    },
    /// The graph is not what the options say.
    #[error("the graph in {} has {what} {held}, and not {asked}", path.display())]
    OtherGraph {
        /// The directory.
        path: PathBuf,
        /// What is different.
        what: &'static str,
        /// What the graph has.
        held: String,
        /// What the options say.
        asked: String,
    },
    /// A file was written by a newer program.
    #[error("{} is in format {found}, and this program reads formats up to {known}: open it with a newer one", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest one that is known here.
        known: u32,
    },
    /// A file does not hold what was written to it.
    #[error("{} is damaged at byte {offset}: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where the damage begins.
        offset: u64,
        /// What is wrong there.
        reason: String,
        /// Whether [`Options::repair`](crate::Options::repair) would cut it off.
        repairable: bool,
    },
    /// A version that is not kept.
    #[error("version {version} is not kept: {} has versions {first} to {last}", path.display())]
    NoVersion {
        /// The directory.
        path: PathBuf,
        /// The version that was asked for.
        version: u64,
        /// The first one that is kept.
        first: u64,
        /// The last one.
        last: u64,
    },
    /// The store cannot hold a graph.
    #[error(transparent)]
    Hold(#[from] HoldError),
    /// The file system fails.
    #[error("cannot {doing} {}: {error}", path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

impl OpenError {
    /// What makes an error of the file system one of ours.
    pub(crate) fn io(doing: &'static str, path: PathBuf) -> impl FnOnce(io::Error) -> OpenError {
        move |error| OpenError::Io { doing, path, error }
    }

    pub(crate) fn damaged(path: PathBuf, offset: u64, reason: impl Into<String>) -> Self {
        OpenError::Damaged { path, offset, reason: reason.into(), repairable: false }
    }
}

/// What the file system could not do, when a graph was to be kept.
#[derive(Clone, Debug, thiserror::Error)]
#[error("cannot {doing} {}: {error}", path.display())]
pub struct Failure {
    doing: &'static str,
    path: PathBuf,
    error: Arc<io::Error>,
}

impl Failure {
    pub(crate) fn new(doing: &'static str, path: PathBuf, error: io::Error) -> Self {
        Failure { doing, path, error: Arc::new(error) }
    }

    pub(crate) fn of(doing: &'static str, path: PathBuf) -> impl FnOnce(io::Error) -> Failure {
        move |error| Failure::new(doing, path, error)
    }

    /// The file or directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the system says.
    pub fn error(&self) -> &io::Error {
        &self.error
    }
}

impl From<Failure> for OpenError {
    fn from(Failure { doing, path, error }: Failure) -> Self {
        // The kind and the text are what an error of the system consists of.
        let error = io::Error::new(error.kind(), error.to_string());
        OpenError::Io { doing, path, error }
    }
}

/// Why a batch was not acknowledged.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// The graph does not take the batch. It is as it was before.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// An id cannot be kept. The graph is as it was before.
    #[error(transparent)]
    Ids(#[from] IdsError),
    /// The new ids of a batch are not new, are of another kind than those of the graph, or other ids were added meanwhile. The batch was not
    /// applied.
    #[error(
        "the ids for vertices from {first} on cannot be added: {bound} vertices have or had an id, and each id must be new"
    )]
    OtherIds {
        /// The vertex that the first of them is for.
        first: u32,
        /// The next vertex that gets an id.
        bound: usize,
    },
    /// The log stopped before this batch, which was not applied. The graph can be read as before;
    /// [`Durable::checkpoint`](crate::Durable::checkpoint) lets writing go on, once it succeeds.
    #[error("nothing is written any more since an earlier failure: {0}; a checkpoint that succeeds lets it go on")]
    Stopped(Failure),
    /// The batch was applied, and is seen by readers, but it is not known to be on the disk: if the process ends now, it may be lost.
    /// Nothing is written any more, as above.
    #[error("version {version} is not known to be on the disk (the last one that is: {durable}): {failure}")]
    NotDurable {
        /// The version that holds the batch.
        version: u64,
        /// The last version that is known to be on the disk.
        durable: u64,
        /// What failed.
        failure: Failure,
    },
    /// A checkpoint could not be written. The log goes on, unless it had stopped before.
    #[error("no checkpoint was written: {0}")]
    Checkpoint(Failure),
}
