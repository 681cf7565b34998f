//! How workers talk: one operation, behind which is a network or none.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};

/// A worker's way to the others.
///
/// Workers compute in supersteps. In each, every worker hands in a message for every worker, itself included, and gets one from each. All
/// workers call [`all_to_all`](Self::all_to_all) equally often and in the same order; it is all that a network has to offer.
pub trait Exchange: Send {
    /// The number of this worker, from 0.
    fn worker(&self) -> usize;

    /// How many workers there are.
    fn workers(&self) -> usize;

    /// Hands in `to[k]` for worker `k`; returns what worker `k` has handed in for this one, at place `k`.
    ///
    /// # Errors
    ///
    /// [`Lost`], with the name of a worker that has ended: the others can only end, too.
    fn all_to_all(&mut self, to: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Lost>;

    /// Bytes that this worker has written to a network so far, with what protocols above TCP add; 0 where there is no network.
    fn bytes_on_network(&self) -> u64 {
        0
    }
}

/// A worker has ended before the others.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("worker {worker}{} {reason}", place(.at))]
pub struct Lost {
    /// Its number.
    pub worker: usize,
    /// Its address, if it has one.
    pub at: Option<String>,
    /// How that was noticed.
    pub reason: String,
}

fn place(at: &Option<String>) -> String {
    at.as_ref().map(|at| format!(" ({at})")).unwrap_or_default()
}

/// Workers that are threads of one process and exchange their messages in memory.
pub struct LoopBack {
    worker: usize,
    to: Vec<Sender<Vec<u8>>>,
    from: Vec<Receiver<Vec<u8>>>,
    /// The first worker that ended while another one waited for it. Those that end because of it are not named.
    lost: Arc<OnceLock<usize>>,
}

impl LoopBack {
    /// The ends of so many workers, in their order.
    pub fn new(workers: usize) -> Vec<LoopBack> {
        let lost = Arc::new(OnceLock::new());
        let end = |worker| LoopBack { worker, to: Vec::new(), from: Vec::new(), lost: lost.clone() };
        let mut ends: Vec<LoopBack> = (0..workers).map(end).collect();
        for from in 0..workers {
            for to in 0..workers {
                let (sender, receiver) = channel();
                ends[from].to.push(sender);
                // Senders are visited in their order, so that receivers are, too.
                ends[to].from.push(receiver);
            }
        }
        ends
    }
}

impl Exchange for LoopBack {
    fn worker(&self) -> usize {
        self.worker
    }

    fn workers(&self) -> usize {
        self.to.len()
    }

    fn all_to_all(&mut self, to: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Lost> {
        assert_eq!(to.len(), self.to.len(), "there is a message for each worker");
        let lost =
            |worker| Lost { worker: *self.lost.get_or_init(|| worker), at: None, reason: "has ended".to_owned() };
        for (worker, message) in to.into_iter().enumerate() {
            self.to[worker].send(message).map_err(|_| lost(worker))?;
        }
        self.from.iter().enumerate().map(|(worker, from)| from.recv().map_err(|_| lost(worker))).collect()
    }
}

/// Runs one worker a thread, each with its end of a [`LoopBack`]; their results, in their order.
///
/// # Panics
///
/// If a worker panics.
pub fn on_loop_back<T: Send>(workers: usize, work: impl Fn(LoopBack) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = LoopBack::new(workers).into_iter().map(|end| scope.spawn(|| work(end))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a worker panicked")).collect()
    })
}
