//! The publication protocol under loom, which runs every interleaving of small programs that the memory model allows.
//!
//! The protocol's own file is compiled here once more, over loom's primitives instead of those in `primitive.rs`.

#[path = "publication.rs"]
#[allow(dead_code, clippy::duplicate_mod)]
mod publication;

/// Loom's primitives under the names of `primitive.rs`.
mod primitive {
    use std::sync::Arc;

    pub(super) use loom::sync::MutexGuard;
    pub(super) use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};

    pub(super) struct Mutex<T>(loom::sync::Mutex<T>);

    impl<T> Mutex<T> {
        pub(super) fn new(value: T) -> Self {
            Mutex(loom::sync::Mutex::new(value))
        }

        pub(super) fn lock(&self) -> MutexGuard<'_, T> {
            self.0.lock().expect("no thread of a model panics")
        }

        pub(super) fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
            self.0.try_lock().ok()
        }
    }

    pub(super) struct Condvar(loom::sync::Condvar);

    impl Condvar {
        pub(super) fn new() -> Self {
            Condvar(loom::sync::Condvar::new())
        }

        pub(super) fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
            self.0.wait(guard).expect("no thread of a model panics")
        }

        pub(super) fn notify_all(&self) {
            self.0.notify_all();
        }
    }

    /// The slot as what it promises to be: loads and stores that happen one after the other.
    pub(super) struct Slot<T>(Mutex<Arc<T>>);

    impl<T> Slot<T> {
        pub(super) fn new(version: Arc<T>) -> Self {
            Slot(Mutex::new(version))
        }

        pub(super) fn load(&self) -> Arc<T> {
            self.0.lock().clone()
        }

        pub(super) fn swap(&self, version: Arc<T>) -> Arc<T> {
            std::mem::replace(&mut *self.0.lock(), version)
        }
    }
}

use loom::sync::Arc;
use loom::thread;
use publication::{Panic, Publication, Publish, Working};

/// A graph of two halves, both of which every batch raises: a version with different halves is a torn batch.
#[derive(Clone)]
struct Halves {
    number: u64,
    halves: [u64; 2],
    torn: bool,
}

impl Working for Halves {
    type Version = Halves;
    type Garbage = ();

    fn number(&self) -> u64 {
        self.number
    }

    fn freeze(&mut self, _: Option<&Halves>) -> (Halves, ()) {
        assert!(!self.torn);
        (self.clone(), ())
    }

    fn is_due(&self) -> bool {
        false
    }

    fn number_of(version: &Halves) -> u64 {
        version.number
    }

    fn is_torn(&self) -> bool {
        self.torn
    }

    fn restore(&mut self, version: &Halves) -> Result<(), Panic> {
        // What was applied since the version is applied once more.
        let applied = [self.number; 2];
        *self = Halves { number: self.number, halves: applied, ..version.clone() };
        Ok(())
    }
}

fn graph(policy: Publish) -> Publication<Halves> {
    Publication::new(Halves { number: 0, halves: [0; 2], torn: false }, policy)
}

fn apply_batch(graph: &Publication<Halves>) -> u64 {
    let mut writing = graph.write();
    let working = writing.working();
    working.torn = true;
    working.halves[0] += 1;
    thread::yield_now();
    working.halves[1] += 1;
    working.number += 1;
    working.torn = false;
    working.number
}

fn check(version: &Halves) {
    assert_eq!(version.halves[0], version.halves[1], "a reader saw half of a batch");
    assert_eq!(version.number, version.halves[0], "versions are numbered by their batches");
}

/// The number of a fresh version, which is checked.
fn fresh(graph: &Publication<Halves>) -> u64 {
    let version = graph.fresh();
    check(&version);
    version.number
}

/// Runs work on the graph in another thread.
fn spawn<T: 'static>(
    graph: &Arc<Publication<Halves>>,
    work: impl FnOnce(&Publication<Halves>) -> T + 'static,
) -> thread::JoinHandle<T> {
    let graph = graph.clone();
    thread::spawn(move || work(&graph))
}

/// All interleavings with at most three preemptions, which finds nearly all errors and ends soon.
fn explore(program: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(program);
}

#[test]
fn waiting_readers_are_served() {
    explore(|| {
        let graph = Arc::new(graph(Publish::OnDemand));
        apply_batch(&graph);
        let reader = spawn(&graph, fresh);
        apply_batch(&graph);
        assert_eq!(fresh(&graph), 2);
        assert!(
            (1..=2).contains(&reader.join().unwrap()),
            "a fresh version holds what was applied before it was asked for"
        );
    });
}

#[test]
fn two_readers_and_an_idle_writer() {
    explore(|| {
        let graph = Arc::new(graph(Publish::WhenAsked));
        apply_batch(&graph);
        for reader in [(); 2].map(|()| spawn(&graph, fresh)) {
            assert_eq!(reader.join().unwrap(), 1);
        }
    });
}

#[test]
fn versions_never_go_back() {
    explore(|| {
        let graph = Arc::new(graph(Publish::WhenAsked));
        let reader = spawn(&graph, |graph| {
            let (first, second) = (graph.latest(), graph.latest());
            check(&first);
            check(&second);
            assert!(first.number <= second.number);
        });
        apply_batch(&graph);
        apply_batch(&graph);
        reader.join().unwrap();
        // The reader asked, perhaps after the last boundary: the next one publishes.
        apply_batch(&graph);
        assert!(graph.latest().number >= 1);
    });
}

/// If the last reader leaves while a writer is at work, the slot does not keep the version from before both.
#[test]
fn the_last_reader_leaves() {
    explore(|| {
        let graph = Arc::new(graph(Publish::WhenAsked));
        apply_batch(&graph);
        let reader = spawn(&graph, Publication::left);
        apply_batch(&graph);
        reader.join().unwrap();
        let version = graph.latest();
        check(&version);
        assert!(version.number >= 1);
    });
}

/// What was asked of the next boundary counts there, also if the last reader of an older version leaves meanwhile.
#[test]
fn a_request_outlasts_a_reader_that_leaves() {
    explore(|| {
        let graph = Arc::new(graph(Publish::WhenAsked));
        apply_batch(&graph);
        let reader = spawn(&graph, Publication::left);
        graph.latest();
        let number = apply_batch(&graph);
        assert_eq!(graph.published().number, number);
        reader.join().unwrap();
    });
}

/// A reader never sees a batch that is interrupted, and no batch that was acknowledged before it is lost.
#[test]
fn a_batch_is_interrupted() {
    explore(|| {
        let graph = Arc::new(graph(Publish::OnDemand));
        apply_batch(&graph);
        let reader = spawn(&graph, fresh);
        {
            let mut writing = graph.write();
            let working = writing.working();
            working.torn = true;
            working.halves[0] += 1;
            thread::yield_now();
        }
        assert_eq!(apply_batch(&graph), 2);
        assert!(reader.join().unwrap() >= 1);
        assert_eq!(fresh(&graph), 2);
    });
}

#[test]
fn two_writers_and_a_reader() {
    explore(|| {
        let graph = Arc::new(graph(Publish::OnDemand));
        let writers = [(); 2].map(|()| spawn(&graph, apply_batch));
        fresh(&graph);
        for writer in writers {
            assert!(writer.join().unwrap() <= 2);
        }
        assert_eq!(fresh(&graph), 2);
    });
}

#[test]
fn boundaries_publish_when_asked() {
    explore(|| {
        let graph = graph(Publish::WhenAsked);
        apply_batch(&graph);
        // No reader had asked, so nothing was published; this asks.
        assert_eq!(graph.latest().number, 0);
        apply_batch(&graph);
        assert_eq!(graph.latest().number, 2);
        let eager = self::graph(Publish::EveryBatch);
        apply_batch(&eager);
        assert_eq!(eager.latest().number, 1);
        let lazy = self::graph(Publish::OnDemand);
        lazy.latest();
        apply_batch(&lazy);
        assert_eq!(lazy.latest().number, 0);
        assert_eq!(lazy.write().publish().number, 1);
    });
}
