//! Work on a pool of threads, while the interpreter goes on and can be interrupted.
//!
//! ```text
//!   Python thread ──► job ──► pool        the GIL is released; every 50 ms the thread looks for signals, so that Ctrl-C ends the wait,
//!                                         and tells a watcher how far the job is
//! ```

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use parking_lot::Mutex;
use pleach::runtime::serially;
use pleach::traverse::{Cancel, Progress};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBool;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure::Failure;

/// How often a thread that waits for a job looks for signals.
const LOOK: Duration = Duration::from_millis(50);

/// The most threads a pool may have.
const MOST_THREADS: usize = 1024;

/// Threads of jobs that do not say how many they want; 0 until it is known.
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// What a pool is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Work {
    /// Jobs of any length. The interpreter goes on meanwhile.
    Jobs,
    /// Passes over arrays, each of a tenth of a second at most. The interpreter waits: they must not queue behind a job.
    Passes,
}

/// The pools of one process, by what they are for and their number of threads.
struct Pools {
    process: u32,
    pools: Option<HashMap<(Work, usize), Arc<ThreadPool>>>,
}

static POOLS: Mutex<Pools> = Mutex::new(Pools { process: 0, pools: None });

/// The number of threads in the environment, or one for each core.
fn threads_by_default() -> usize {
    let named = |name| std::env::var(name).ok()?.trim().parse().ok();
    let threads = named("PLEACH_THREADS").or_else(|| named("RAYON_NUM_THREADS"));
    let threads = threads.filter(|&threads| threads > 0);
    threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).min(MOST_THREADS)
}

/// A number of threads that somebody asks for.
#[derive(Clone, Copy)]
pub(crate) struct Threads(usize);

impl<'a, 'py> FromPyObject<'a, 'py> for Threads {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if !given.hasattr("__index__")? || given.is_instance_of::<PyBool>() {
            return Err(PyTypeError::new_err(format!("threads must be an integer, not {}", given.get_type().name()?)));
        }
        match given.extract() {
            Ok(threads @ 1..=MOST_THREADS) => Ok(Threads(threads)),
            _ => Err(PyValueError::new_err(format!("threads must be 1 to {MOST_THREADS}, not {}", given.str()?))),
        }
    }
}

/// Sets the number of threads of everything that does not say how many it wants.
///
/// Parameters
/// ----------
/// threads : int
///     At least 1.
///
/// Examples
/// --------
/// >>> import pleach_graph as pl
/// >>> before = pl.get_threads()
/// >>> pl.set_threads(2)
/// >>> pl.get_threads()
/// 2
/// >>> pl.set_threads(before)
#[pyfunction]
pub(crate) fn set_threads(threads: Threads) {
    THREADS.store(threads.0, Ordering::Relaxed);
}

/// The number of threads of everything that does not say how many it wants: what `set_threads` was given, else the environment variable
/// ``PLEACH_THREADS``, else one for each core.
///
/// Returns
/// -------
/// int
///
/// Examples
/// --------
/// >>> import pleach_graph as pl
/// >>> pl.get_threads() >= 1
/// True
#[pyfunction]
pub(crate) fn get_threads() -> usize {
    match THREADS.load(Ordering::Relaxed) {
        0 => threads_by_default(),
        threads => threads,
    }
}

/// A pool of so many threads. A process that was forked starts its own: threads are not copied by `fork`.
fn pool(work: Work, threads: usize) -> PyResult<Arc<ThreadPool>> {
    let Some(mut kept) = POOLS.try_lock_for(Duration::from_secs(5)) else {
        return Err(PyRuntimeError::new_err(
            "the threads of this process cannot be started: it was forked while another thread started them; use the `spawn` method of \
             `multiprocessing`",
        ));
    };
    let process = std::process::id();
    if kept.process != process {
        // To end a pool means to wait for its threads, which exist in the parent only.
        std::mem::forget(kept.pools.take());
        kept.process = process;
    }
    let pools = kept.pools.get_or_insert_default();
    if let Some(pool) = pools.get(&(work, threads)) {
        return Ok(pool.clone());
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).thread_name(|thread| format!("pleach-{thread}")).build();
    let pool = Arc::new(pool.map_err(|error| PyRuntimeError::new_err(format!("no threads: {error}")))?);
    pools.insert((work, threads), pool.clone());
    Ok(pool)
}

/// Entries of a pass from which on it takes several times as long as to wake threads.
const SHARED: usize = 1 << 21;

/// Runs a pass over so many entries, by several threads if there are many. The GIL is held; the pass must not ask for it.
pub(crate) fn at_once<T: Send>(entries: usize, pass: impl FnOnce() -> T + Send) -> T {
    let threads = if entries < SHARED { 1 } else { get_threads() };
    match (threads > 1).then(|| pool(Work::Passes, threads)) {
        Some(Ok(pool)) => pool.install(pass),
        _ => serially(pass),
    }
}

thread_local! {
    /// What is told how far the jobs of a thread of Python's are.
    static WATCHER: RefCell<Option<Py<PyAny>>> = const { RefCell::new(None) };
}

/// Has a function called with what the jobs of this thread count, how much of it is done, and how much it is in all, if that is known: every
/// 50 ms, and at the end of each job. Returns the function that was called so far.
#[pyfunction]
pub(crate) fn watch(watcher: Option<Py<PyAny>>) -> Option<Py<PyAny>> {
    WATCHER.replace(watcher)
}

/// Tells the watcher of this thread, if there is one, how far a job is.
fn tell(py: Python<'_>, cancel: &Cancel) -> PyResult<()> {
    // The function may start jobs of its own, or set another one.
    let Some(watcher) = WATCHER.with_borrow(|watcher| watcher.as_ref().map(|watcher| watcher.clone_ref(py))) else {
        return Ok(());
    };
    let Progress { unit, done, total, .. } = cancel.progress();
    if !unit.is_empty() {
        watcher.call1(py, (unit, done, total))?;
    }
    Ok(())
}

/// Runs `work` on the pool, and waits for it without the GIL. A signal ends the wait: the exception is raised within 50 ms.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<Threads>,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    run_cancellable(py, threads, |_| work())
}

/// The same for work that changes something, and is done whatever happens meanwhile: the exception of a signal is raised afterwards.
pub(crate) fn run_to_end<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<Threads>,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    run_on_pool(py, threads, true, |_| work())
}

/// The same as [`run`] for work that ends early when it is cancelled, as it is by a signal.
pub(crate) fn run_cancellable<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<Threads>,
    work: impl FnOnce(&Cancel) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    run_on_pool(py, threads, false, work)
}

/// Runs work on the pool. After a signal it is waited for only if it is to be done to its end.
fn run_on_pool<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<Threads>,
    to_end: bool,
    work: impl FnOnce(&Cancel) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    let pool = pool(Work::Jobs, threads.map_or_else(get_threads, |threads| threads.0))?;
    let (answer, found) = sync_channel(1);
    let cancel = Arc::new(Cancel::new());
    let asked = cancel.clone();
    pool.spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(|| {
            asked.run(|| work(&asked)).unwrap_or_else(|cancelled| Err(Failure::runtime(cancelled)))
        }));
        // Whoever asked may have been interrupted.
        let _ = answer.send(done);
    });
    let found = Mutex::new(found);
    let mut raised = None;
    loop {
        match py.detach(|| found.lock().recv_timeout(LOOK)) {
            Ok(Ok(done)) => {
                if let Some(raised) = raised {
                    return Err(raised);
                }
                tell(py, &cancel)?;
                return Ok(done?);
            }
            Ok(Err(panic)) => return Err(panicked(&*panic)),
            // The first one counts, as there is one answer.
            Err(RecvTimeoutError::Timeout) if raised.is_some() => {}
            Err(RecvTimeoutError::Timeout) => match py.check_signals().and_then(|()| tell(py, &cancel)) {
                Ok(()) => {}
                Err(error) if to_end => raised = Some(error),
                Err(error) => {
                    cancel.cancel();
                    return Err(error);
                }
            },
            Err(RecvTimeoutError::Disconnected) => return Err(PyRuntimeError::new_err("the computation was stopped")),
        }
    }
}

fn panicked(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    PyRuntimeError::new_err(format!("a mistake of Pleach itself, please report it: {}", text.unwrap_or("unknown")))
}
