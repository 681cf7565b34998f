//! The threads of `pleach stream`: how many of those that `--threads` allows do what.
//!
//! ```text
//!   --threads     1         2          2            4               8
//!   --every       or not    without    with         with            with
//!   prepare       1 ─┐      1          1 ─┐         1               2
//!   apply            │      1             │         1               2
//!   compute         ─┘      –          1            2               4
//! ```
//!
//! No more threads than that run at a time. Where one stands for two or three, they take turns. The threads that read, apply and
//! compute wait for their pools, so none of them is a worker of one; and no pool lends another its workers, so that no batch waits
//! for an algorithm that runs elsewhere.

use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::Failure;

/// How many threads do what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// All.
    pub threads: usize,
    /// Read and prepare batches.
    pub preparing: usize,
    /// Apply them; with 0 those that prepare do, in turn.
    pub applying: usize,
    /// Run the algorithm meanwhile; with 0 those that prepare do, in turn.
    pub computing: usize,
}

impl Share {
    /// Shares out so many threads. With `meanwhile` an algorithm runs while batches are applied.
    pub fn of(threads: usize, meanwhile: bool) -> Self {
        let computing = if meanwhile { threads / 2 } else { 0 };
        let applying = (threads - computing) / 2;
        Share { threads, preparing: threads - computing - applying, applying, computing }
    }
}

/// As many threads as rayon would start: what `RAYON_NUM_THREADS` says, or all cores.
pub fn default() -> usize {
    let set =
        std::env::var("RAYON_NUM_THREADS").ok().and_then(|value| value.parse().ok()).filter(|&threads| threads > 0);
    set.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from))
}

/// A pool of so many threads, which are named so.
pub fn pool(threads: usize, name: &'static str) -> Result<ThreadPool, Failure> {
    let builder = ThreadPoolBuilder::new().num_threads(threads).thread_name(move |k| format!("{name}-{k}"));
    builder.build().map_err(|error| Failure::input(format!("cannot start {threads} threads: {error}")))
}

/// A thread that waits for others.
pub fn named(name: &str) -> thread::Builder {
    thread::Builder::new().name(name.to_owned())
}

pub fn no_thread(error: std::io::Error) -> Failure {
    Failure::input(format!("cannot start a thread: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_threads_are_shared_out_and_no_more() {
        for threads in 1..20 {
            for meanwhile in [false, true] {
                let share = Share::of(threads, meanwhile);
                assert_eq!(share.preparing + share.applying + share.computing, threads);
                assert!(share.preparing > 0 && (meanwhile || share.computing == 0));
                assert!(threads < 2 || share.computing > 0 || !meanwhile);
                assert!(threads < 3 || share.applying > 0);
            }
        }
    }
}
