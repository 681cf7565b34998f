//! The threads that apply large batches: a pool apart from the one in which batches are prepared and algorithms run.
//!
//! The thread that applies a batch holds the writer's lock. If it waited for other workers of its own pool meanwhile, rayon would have it
//! run any other job of that pool: another `commit`, which waits for the same lock on the same stack, or a search that takes minutes. So no
//! work is shared with that pool under the lock. Small batches are applied by the calling thread alone; large ones by a pool that runs
//! nothing else, and for which a worker of another pool waits asleep.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;
use pleach_runtime::{is_recorded, serially};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// A batch of at most so many arcs is applied by the calling thread: waking others takes as long.
pub(super) const ALONE: usize = 1 << 9;

/// The pool with this number of threads, which all graphs with the same number share. `None` if it cannot be started.
fn pool(threads: usize) -> Option<Arc<ThreadPool>> {
    static POOLS: Mutex<BTreeMap<usize, Arc<ThreadPool>>> = Mutex::new(BTreeMap::new());
    let mut pools = POOLS.lock();
    if let Some(pool) = pools.get(&threads) {
        return Some(pool.clone());
    }
    let name = move |k| format!("pleach-apply-{k}");
    let pool = Arc::new(ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build().ok()?);
    pools.insert(threads, pool.clone());
    Some(pool)
}

/// Runs work on `size` arcs: on the given number of threads if it is large, otherwise on this one alone. Runs no other job meanwhile,
/// whichever thread this is.
pub(super) fn apply<T: Send>(threads: usize, size: usize, work: impl FnOnce() -> T + Send) -> T {
    let (mut work, mut done) = (Some(work), None);
    run(threads, size, &mut || done = work.take().map(|work| work()));
    done.expect("the work is done once")
}

/// As [`apply`]; compiled once for all kinds of work.
fn run(threads: usize, size: usize, work: &mut (dyn FnMut() + Send)) {
    if threads <= 1 || size <= ALONE {
        return serially(work);
    }
    if is_recorded() {
        return work();
    }
    let Some(pool) = pool(threads) else { return serially(work) };
    if rayon::current_thread_index().is_none() {
        return pool.install(work);
    }
    // A worker that waits in `install` would run other jobs of its own pool: a thread of no pool waits in its place.
    let mut wait = || pool.install(&mut *work);
    let waited =
        thread::scope(|scope| thread::Builder::new().spawn_scoped(scope, &mut wait).map(|thread| thread.join()).ok());
    match waited {
        Some(Ok(())) => {}
        Some(Err(panic)) => resume_unwind(panic),
        // No thread was started.
        None => serially(work),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_work_runs_on_as_many_threads_as_asked_for_and_small_work_here() {
        let here = thread::current().id();
        for threads in [1, 2, 3] {
            let (ran, id) = apply(threads, 1 << 20, || (rayon::current_num_threads(), thread::current().id()));
            assert!(if threads == 1 { id == here } else { ran == threads && id != here });
            assert_eq!(apply(threads, ALONE, || thread::current().id()), here);
        }
        let outer = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(outer.install(|| apply(2, 1 << 20, rayon::current_num_threads)), 2);
    }
}
