//! The thread that applies batches.
//!
//! ```text
//!   requests ──► queue of bounded length ──► all that waits, one batch after the other ──► one sync ──► a version ──► answers
//! ```

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;

use pleach::graph::Applied;
use tokio::sync::{mpsc, oneshot, watch};

use crate::body::Bytes;
use crate::host::Host;
use crate::metrics::Metrics;
use crate::parse::Updates;
use crate::refusal::Refusal;

/// A batch that waits.
struct Job {
    updates: Updates,
    /// The memory that it was read into, given back when it is applied.
    memory: Bytes,
    answer: oneshot::Sender<Result<Applied, Refusal>>,
}

/// The way to the writer. When all clones are dropped, the thread ends, after what it was given.
#[derive(Clone)]
pub(crate) struct Writer {
    queue: mpsc::Sender<Job>,
    length: usize,
}

impl Writer {
    /// Starts the thread. `newest` is told each version that is published.
    pub fn start(
        host: Arc<dyn Host>,
        metrics: Arc<Metrics>,
        length: usize,
        newest: watch::Sender<u64>,
    ) -> std::io::Result<(Self, JoinHandle<()>)> {
        let length = length.max(1);
        let (queue, jobs) = mpsc::channel(length);
        let thread = std::thread::Builder::new().name("pleach-writer".to_owned());
        let thread = thread.spawn(move || write(&*host, &metrics, jobs, &newest))?;
        Ok((Writer { queue, length }, thread))
    }

    /// Batches that wait.
    pub fn waiting(&self) -> usize {
        self.length - self.queue.capacity()
    }

    /// Applies a batch, and returns when it is kept.
    pub async fn apply(&self, updates: Updates, memory: Bytes) -> Result<Applied, Refusal> {
        let (answer, applied) = oneshot::channel();
        self.queue.try_send(Job { updates, memory, answer }).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => Refusal::busy(format!(
                "{} batches wait already, as many as may: send this one again later",
                self.length
            )),
            mpsc::error::TrySendError::Closed(_) => Refusal::unavailable("no batches are taken any more"),
        })?;
        applied.await.unwrap_or_else(|_| Err(Refusal::unavailable("the thread that applies batches has ended")))
    }
}

/// Applies batches until nobody can send more.
fn write(host: &dyn Host, metrics: &Metrics, mut jobs: mpsc::Receiver<Job>, newest: &watch::Sender<u64>) {
    let mut group = Vec::new();
    while jobs.blocking_recv_many(&mut group, 64) > 0 {
        let (mut batches, mut rest) = (Vec::new(), Vec::new());
        for Job { updates, memory, answer } in group.drain(..) {
            batches.push(updates);
            rest.push((memory, answer));
        }
        let span = tracing::debug_span!("batches", batches = batches.len());
        let applied = span.in_scope(|| catch_unwind(AssertUnwindSafe(|| host.apply(&batches))));
        let applied = applied.unwrap_or_else(|_| {
            tracing::error!("a panic stopped the application of a batch");
            let refusal =
                || Refusal::unavailable("a failure of the program stopped the batch; it may be applied or not");
            batches.iter().map(|_| Err(refusal())).collect()
        });
        for ((batch, applied), (memory, answer)) in batches.iter().zip(applied).zip(rest) {
            match &applied {
                Ok(applied) => {
                    metrics.applied(batch.len());
                    tracing::debug!(version = applied.version, updates = batch.len(), "acknowledged a batch");
                }
                Err(refusal) => tracing::info!(?refusal, "refused a batch"),
            }
            drop(memory);
            // The client may be gone; its batch is kept all the same.
            let _ = answer.send(applied);
        }
        let version = host.figures().version;
        newest.send_if_modified(|newest| std::mem::replace(newest, version) != version);
    }
}
