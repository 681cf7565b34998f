//! Algorithms on versions, on threads of their own.
//!
//! ```text
//!   request ──► a place, if one is free ──► pool ──► result, sent ──► its place is free
//!      │ its client leaves, or its time is over
//!      └──► cancelled: the algorithm ends at its next round, and its place is free
//! ```

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use pleach::traverse::{Cancel, Cancelled};
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::apps::{Found, Question};
use crate::host::{Host, State};
use crate::metrics::Metrics;
use crate::options::Limits;
use crate::refusal::Refusal;

/// The threads, and places for the requests that may use them.
pub(crate) struct Runs {
    pool: rayon::ThreadPool,
    /// The threads of standing results, which have no time limit: a request must not wait for them.
    standing: rayon::ThreadPool,
    places: Arc<Semaphore>,
    most: usize,
    time: Duration,
    metrics: Arc<Metrics>,
}

/// Cancels a run when it is dropped: with the future that waits for the run.
struct CancelOnDrop(Arc<Cancel>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Runs {
    pub fn new(limits: &Limits, metrics: Arc<Metrics>) -> Result<Self, rayon::ThreadPoolBuildError> {
        let pool = |name: &'static str| {
            let threads = rayon::ThreadPoolBuilder::new().thread_name(move |thread| format!("pleach-{name}-{thread}"));
            threads.num_threads(limits.run_threads.max(1)).build()
        };
        let (pool, standing) = (pool("run")?, pool("standing")?);
        let most = limits.runs.max(1);
        Ok(Runs { pool, standing, places: Arc::new(Semaphore::new(most)), most, time: limits.run_time, metrics })
    }

    /// Runs an algorithm for a request, and writes the answer: if there is a place, and for a limited time. Cancels it when the time is over,
    /// and when the future is dropped because the client has left. Returns the place with the answer: it stays taken until the answer is
    /// dropped.
    pub async fn ask<T: Send + 'static>(
        &self,
        host: &Arc<dyn Host>,
        question: Question,
        write: impl FnOnce(&Found) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<(T, OwnedSemaphorePermit), Refusal> {
        let place = self.places.clone().try_acquire_owned().map_err(|_| {
            Refusal::unavailable(format!("{} algorithms run already, as many as may: ask again later", self.most))
        })?;
        let (host, cancel, app) = (host.clone(), Arc::new(Cancel::new()), question.app.name());
        let run = move |cancel: &Cancel| write(&host.run(&question, cancel)?);
        let found = self.start(&self.pool, (app, cancel), place, run);
        tokio::time::timeout(self.time, found).await.unwrap_or_else(|_| {
            let reason = format!("the algorithm did not end within {} seconds", self.time.as_secs_f64());
            Err(Refusal::new(StatusCode::GATEWAY_TIMEOUT, reason))
        })
    }

    /// Runs an algorithm for a standing result, until `cancel` asks it to end. Returns the version, the result and what the next one goes on from.
    pub async fn follow(
        &self,
        host: &Arc<dyn Host>,
        question: Question,
        kept: State,
        cancel: Arc<Cancel>,
    ) -> Result<(u64, Arc<Value>, State), Refusal> {
        let (host, app) = (host.clone(), question.app.name());
        let run = move |cancel: &Cancel| {
            let (found, kept) = host.follow(&question, kept, cancel)?;
            Ok::<_, Refusal>((found.version, Arc::new(found.json()), kept))
        };
        self.start(&self.standing, (app, cancel), (), run).await.map(|(found, ())| found)
    }

    async fn start<T: Send + 'static, P: Send + 'static>(
        &self,
        pool: &rayon::ThreadPool,
        (app, cancel): (&'static str, Arc<Cancel>),
        place: P,
        run: impl FnOnce(&Cancel) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<(T, P), Refusal> {
        let _cancel_on_drop = CancelOnDrop(cancel.clone());
        let (answer, found) = oneshot::channel();
        let metrics = self.metrics.clone();
        let span = tracing::debug_span!("run", app);
        pool.spawn(move || {
            let _in_span = span.entered();
            let begin = Instant::now();
            metrics.runs.fetch_add(1, Relaxed);
            let found = match cancel.is_cancelled() {
                true => Ok(Err(Cancelled)),
                false => catch_unwind(AssertUnwindSafe(|| cancel.run(|| run(&cancel)))),
            };
            metrics.runs.fetch_sub(1, Relaxed);
            let seconds = begin.elapsed().as_secs_f64();
            let found = match found {
                Ok(Ok(found)) => {
                    tracing::debug!(seconds, refused = found.is_err(), "ran an algorithm");
                    found
                }
                Ok(Err(cancelled)) => {
                    metrics.runs_cancelled.fetch_add(1, Relaxed);
                    tracing::debug!(seconds, "cancelled an algorithm");
                    Err(Refusal::unavailable(cancelled))
                }
                Err(_) => {
                    tracing::error!("a panic stopped an algorithm");
                    let reason = "a failure of the program stopped the algorithm";
                    Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, reason))
                }
            };
            // If the client has left, or the algorithm failed, this frees the place.
            let _ = answer.send(found.map(|found| (found, place)));
        });
        found.await.unwrap_or_else(|_| Err(Refusal::unavailable("the algorithm was stopped")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apps::App;

    #[test]
    fn an_answer_is_written_by_the_threads_of_runs() {
        let (_folder, host) = crate::host::tests::empty();
        let runs = Runs::new(&Limits::default(), Arc::default()).unwrap();
        let question = Question { app: App::Degree, version: None, source: None, top: 1, values: false };
        let thread = |_: &Found| Ok(std::thread::current().name().map(str::to_owned));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let (thread, _place) = runtime.block_on(runs.ask(&host, question, thread)).unwrap();
        assert!(thread.as_ref().is_some_and(|name| name.starts_with("pleach-run-")), "{thread:?}");
    }
}
