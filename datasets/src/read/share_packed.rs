//! Files of formats that need random access but are compressed as a whole: the first reader decompresses them into a temporary file and reads all of it.

use std::sync::{Arc, OnceLock};

use super::opened::Opened;
use super::share::{Share, Shared};
use crate::error::Error;
use crate::input::{Format, Options};
use crate::source::Source;

/// A file that is compressed as a whole.
#[derive(Clone, Debug)]
pub(super) struct Packed {
    pub(super) path: std::path::PathBuf,
    pub(super) format: Format,
    pub(super) options: Options,
    /// The decompressed file, at the first reader.
    inner: Arc<OnceLock<Shared>>,
    pub(super) is_counted: bool,
}

const DIRECTED: u64 = 1;
const MIRRORED: u64 = 2;
const WEIGHTED: u64 = 4;
const NAMED: u64 = 8;

impl Packed {
    pub(super) fn new(source: &Source, format: Format, options: &Options) -> Self {
        let (path, options) = (source.path().to_owned(), options.clone());
        Packed { path, format, options, inner: Arc::default(), is_counted: false }
    }

    /// Decompresses the file at the first reader, and returns the properties of its graph.
    pub(super) fn count(&self, reader: usize) -> Result<[u64; 3], Error> {
        if reader > 0 {
            return Ok([0; 3]);
        }
        let inner = Shared::of_opened(Opened::of(Source::again(&self.path, None)?)?, self.format, &self.options)?;
        let flags =
            [(inner.directed, DIRECTED), (inner.mirrored, MIRRORED), (inner.weighted, WEIGHTED), (inner.named, NAMED)];
        // It may have been decompressed before, with the same content.
        let _ = self.inner.set(inner);
        Ok([flags.into_iter().filter(|flag| flag.0).map(|flag| flag.1).sum(), 0, 0])
    }

    /// Takes the properties that the first reader has found: whether the graph is directed, mirrored and weighted, and whether vertices have names.
    pub(super) fn take_counts(&mut self, counts: &[[u64; 3]]) -> [bool; 4] {
        self.is_counted = true;
        let flags = counts.first().map_or(0, |count| count[0]);
        [DIRECTED, MIRRORED, WEIGHTED, NAMED].map(|flag| flags & flag > 0)
    }

    /// The whole file as one share.
    pub(super) fn share(&self) -> Result<Share, Error> {
        match self.inner.get() {
            Some(inner) => inner.share(0, 1),
            None => Err(Error::io(&self.path, std::io::Error::other("was not unpacked"))),
        }
    }
}
