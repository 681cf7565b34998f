//! The threads of `pleach stream`: how many of those that `--threads` allows do what.
//!
//! ```text
//!   --threads     1         2          2            4               8
//!   --every       or not    without    with         with            with
//!   prepare       1 ─┐      1          1 ╮          1               2
//!   apply            │      1          1 │ turns    1               2
//!   compute         ─┘      –          1 ╯          2               4
//! ```
//!
//! No more threads than that run at a time. Without `--threads` it is the cores that count: batches are applied by as many threads as there
//! are cores, unless an algorithm runs meanwhile, and the system divides the cores among them and those that prepare the next batch. One thread does all in turn. With two threads and `--every` there are three things to do: each
//! takes a [turn](Turns) for as long as it computes, and there are two turns. So the next batch is prepared while one is applied, except
//! where an algorithm runs meanwhile. The threads that read, apply and compute wait for their pools, so none of them is a worker of one; and
//! no pool lends another its workers, so that no batch waits for an algorithm that runs elsewhere.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
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
    /// Apply them; with 0 the thread that applies them takes turns with those that prepare and compute.
    pub applying: usize,
    /// Run the algorithm meanwhile; with 0 those that prepare do, in turn.
    pub computing: usize,
}

impl Share {
    /// Divides `threads` threads among the pools. With `meanwhile` an algorithm runs while batches are applied.
    pub fn of(threads: usize, meanwhile: bool) -> Self {
        let computing = if meanwhile { threads / 2 } else { 0 };
        let applying = (threads - computing) / 2;
        Share { threads, preparing: threads - computing - applying, applying, computing }
    }

    /// The same where the cores alone limit the threads. Applying takes longest: all cores do it while the next batches are prepared already.
    pub fn of_cores(cores: usize, meanwhile: bool) -> Self {
        let share = Share::of(cores, meanwhile);
        let applying = if meanwhile || share.is_one() { share.applying } else { cores };
        Share { applying, ..share }
    }

    /// Whether one thread does all, one thing after the other.
    pub fn is_one(self) -> bool {
        self.threads == 1
    }

    /// The turns that threads take: as many as there are, if more could run at a time, and otherwise enough for all.
    pub fn turns(self) -> Turns {
        Turns::new(if self.applying == 0 { self.threads } else { usize::MAX })
    }
}

/// A number of turns. A thread has one for as long as it computes, and gives it back before it waits for anything.
#[derive(Clone)]
pub struct Turns(Arc<Shared>);

struct Shared {
    free: Mutex<usize>,
    given_back: Condvar,
    /// Whether the thread that reads has a turn.
    reading: AtomicBool,
}

/// Ends when it is dropped.
pub struct Turn<'t>(&'t Turns);

impl Turns {
    fn new(count: usize) -> Self {
        let shared = Shared { free: Mutex::new(count), given_back: Condvar::new(), reading: AtomicBool::new(false) };
        Turns(Arc::new(shared))
    }

    fn begin(&self) {
        let mut free = self.0.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            free = self.0.given_back.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
    }

    fn end(&self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.given_back.notify_one();
    }

    /// Waits for a turn.
    pub fn take(&self) -> Turn<'_> {
        self.begin();
        Turn(self)
    }

    /// Runs `read` with a turn, which is given back while a file that came [through](Self::through) here makes the thread wait.
    pub fn reading<T>(&self, read: impl FnOnce() -> T) -> T {
        let turn = self.take();
        self.0.reading.store(true, Ordering::Relaxed);
        let result = read();
        self.0.reading.store(false, Ordering::Relaxed);
        drop(turn);
        result
    }

    /// A file that gives the turn of its reader back while it waits for bytes.
    pub fn through(&self, file: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
        Box::new(Waiting { file, turns: self.clone() })
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

struct Waiting {
    file: Box<dyn Read + Send>,
    turns: Turns,
}

impl Read for Waiting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let turn = self.turns.0.reading.load(Ordering::Relaxed);
        if turn {
            self.turns.end();
        }
        let read = self.file.read(buffer);
        if turn {
            self.turns.begin();
        }
        read
    }
}

/// As many threads as rayon would start: what `RAYON_NUM_THREADS` says, or all cores.
pub fn default() -> usize {
    set().unwrap_or_else(cores)
}

/// The cores of the machine that this process may use.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The number of threads that `RAYON_NUM_THREADS` allows, if it is set.
pub fn set() -> Option<usize> {
    std::env::var("RAYON_NUM_THREADS").ok()?.parse().ok().filter(|&threads| threads > 0)
}

/// A pool of `threads` threads with names that begin with `name`.
pub fn pool(threads: usize, name: &'static str) -> Result<ThreadPool, Failure> {
    let builder = ThreadPoolBuilder::new().num_threads(threads).thread_name(move |k| format!("{name}-{k}"));
    builder.build().map_err(|error| Failure::threads(threads, error))
}

/// A thread that waits for others.
pub fn named(name: &str) -> thread::Builder {
    thread::Builder::new().name(name.to_owned())
}

pub fn no_thread(error: io::Error) -> Failure {
    Failure::threads(1, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three threads want two turns, and one of them waits for bytes that come when both others have had theirs.
    #[test]
    fn no_more_have_a_turn_than_there_are_turns() {
        use std::sync::atomic::AtomicUsize;
        use std::sync::mpsc::{Receiver, channel};

        struct Later(Receiver<()>);
        impl Read for Later {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Ok(self.0.iter().take(200).count() - 200)
            }
        }

        let turns = Share::of(2, true).turns();
        let running = AtomicUsize::new(0);
        let run = || {
            assert!(running.fetch_add(1, Ordering::SeqCst) < 2);
            thread::yield_now();
            running.fetch_sub(1, Ordering::SeqCst);
        };
        let (send, receive) = channel();
        let mut file = turns.through(Box::new(Later(receive)));
        thread::scope(|threads| {
            for _ in 0..2 {
                let (send, turns) = (send.clone(), &turns);
                threads.spawn(move || {
                    for _ in 0..100 {
                        let turn = turns.take();
                        run();
                        drop(turn);
                        send.send(()).unwrap();
                    }
                });
            }
            drop(send);
            for _ in 0..100 {
                turns.reading(run);
            }
            assert_eq!(turns.reading(|| file.read(&mut [0]).unwrap()), 0);
        });
        assert_eq!(*turns.0.free.lock().unwrap(), 2);
    }

    #[test]
    fn all_threads_are_shared_out_and_no_more() {
        for threads in 1..20 {
            for meanwhile in [false, true] {
                let share = Share::of(threads, meanwhile);
                assert_eq!(share.preparing + share.applying + share.computing, threads);
                assert!(share.preparing > 0 && (meanwhile || share.computing == 0));
                assert!(threads < 2 || share.computing > 0 || !meanwhile);
                assert!(threads < 3 || share.applying > 0);
                assert_eq!(share.applying == 0, threads == 1 || threads == 2 && meanwhile);
                let of_cores = Share::of_cores(threads, meanwhile);
                assert_eq!(
                    of_cores,
                    if meanwhile || threads == 1 { share } else { Share { applying: threads, ..share } }
                );
            }
        }
    }
}
