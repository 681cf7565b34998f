//! How far a file has been read or written, or a graph generated.

use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How far a file has been read or written, or a graph generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes that are done: of the file that is read, before decompression; of the list of edges that is generated or written.
    pub done: u64,
    /// Bytes in all; 0 if unknown, as for a pipe.
    pub total: u64,
}

/// A function that is called with the progress of reading, writing or generating, from any thread, after some 64 KiB or more.
#[derive(Clone, Default)]
pub struct Observer(Option<Arc<dyn Fn(Progress) + Send + Sync>>);

impl Observer {
    /// Calls `report` as more of the file is read.
    pub fn new(report: impl Fn(Progress) + Send + Sync + 'static) -> Observer {
        Observer(Some(Arc::new(report)))
    }

    /// Reports the progress, if there is a function for it.
    #[cfg(feature = "fetch")]
    pub(crate) fn report(&self, progress: Progress) {
        if let Some(report) = &self.0 {
            report(progress);
        }
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Observer(..)" } else { "Observer(none)" })
    }
}

/// Adds up what is read, over all files of one graph, or what is written or generated.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    observer: Observer,
    done: Arc<AtomicU64>,
    total: u64,
}

impl Meter {
    pub(crate) fn new(observer: &Observer, total: u64) -> Meter {
        Meter { observer: observer.clone(), done: Arc::new(AtomicU64::new(0)), total }
    }

    /// Adds `got` bytes to those that are done, and reports the progress.
    pub(crate) fn advance(&self, got: u64) {
        if let Some(report) = &self.observer.0 {
            let done = self.done.fetch_add(got, Ordering::Relaxed) + got;
            report(Progress { done, total: self.total });
        }
    }
}

/// A reader that reports how many bytes were read from it.
pub(crate) struct Counted<R> {
    inner: R,
    meter: Meter,
}

impl<R> Counted<R> {
    pub(crate) fn new(inner: R, meter: &Meter) -> Self {
        Counted { inner, meter: meter.clone() }
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(buffer)?;
        self.meter.advance(got as u64);
        Ok(got)
    }
}
