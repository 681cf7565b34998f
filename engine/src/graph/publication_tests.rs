//! What the protocol replaces under the writer's lock is dropped after it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Weak};
use std::time::Duration;

use super::publication::{Panic, Publication, Publish, Working};

/// A version, or garbage, that looks at the lock when it is dropped.
struct Watch(u64, Weak<Publication<Watched>>);

static DROPPED: AtomicUsize = AtomicUsize::new(0);

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(publication) = self.1.upgrade() {
            assert!(!publication.is_locked(), "dropped under the lock");
            DROPPED.fetch_add(1, Ordering::Relaxed);
        }
    }
}

struct Watched {
    number: u64,
    torn: bool,
    home: Weak<Publication<Watched>>,
}

impl Working for Watched {
    type Version = Watch;
    type Garbage = Watch;

    fn number(&self) -> u64 {
        self.number
    }

    fn freeze(&mut self, _: Option<&Watch>) -> (Watch, Watch) {
        (Watch(self.number, self.home.clone()), Watch(self.number, self.home.clone()))
    }

    fn number_of(version: &Watch) -> u64 {
        version.0
    }

    fn is_due(&self) -> bool {
        self.number.is_multiple_of(5)
    }

    fn is_torn(&self) -> bool {
        self.torn
    }

    fn restore(&mut self, _: &Watch) -> Result<Watch, Panic> {
        self.torn = false;
        Ok(Watch(self.number, self.home.clone()))
    }
}

#[test]
fn nothing_is_freed_under_the_lock() {
    for policy in [Publish::WhenAsked, Publish::EveryBatch, Publish::OnDemand] {
        let new = |home: &Weak<_>| Publication::new(Watched { number: 0, torn: false, home: home.clone() }, policy);
        let graph = Arc::new_cyclic(new);
        let before = DROPPED.load(Ordering::Relaxed);
        for round in 0..20 {
            let mut writing = graph.write();
            writing.working().number += 1;
            writing.working().torn = round % 3 == 0;
            if round % 4 == 0 {
                writing.working().torn = false;
                writing.publish();
            }
            drop(writing);
            match round % 3 {
                0 => drop(graph.fresh()),
                1 => drop(graph.latest()),
                _ => graph.left(),
            }
        }
        assert!(DROPPED.load(Ordering::Relaxed) >= before + 20);
    }
}

/// A batch that cannot be undone: no call waits for ever, and each one panics.
#[test]
fn a_batch_that_cannot_be_undone_panics() {
    struct Broken(bool, u64);

    impl Working for Broken {
        type Version = u64;
        type Garbage = ();

        fn number(&self) -> u64 {
            self.1
        }

        fn freeze(&mut self, _: Option<&u64>) -> (u64, ()) {
            assert!(!self.0);
            (self.1, ())
        }

        fn number_of(version: &u64) -> u64 {
            *version
        }

        fn is_due(&self) -> bool {
            false
        }

        fn is_torn(&self) -> bool {
            self.0
        }

        fn restore(&mut self, _: &u64) -> Result<(), Panic> {
            Err(Box::new("still broken"))
        }
    }

    let graph = Arc::new(Publication::new(Broken(false, 0), Publish::OnDemand));
    graph.write().working().1 += 1;
    graph.write().working().0 = true;
    for _ in 0..2 {
        let waiting = std::thread::spawn({
            let graph = graph.clone();
            move || *graph.fresh()
        });
        assert!(waiting.join().is_err(), "a version that there is not is not waited for");
        let writing = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(graph.write())));
        assert_eq!(writing.unwrap_err().downcast_ref::<&str>(), Some(&"still broken"));
        assert_eq!(*graph.latest(), 0);
    }
}

/// While another thread fails to undo a batch, a reader sleeps: it checks the newest version once, and does not poll.
#[test]
fn a_reader_sleeps_while_a_batch_cannot_be_undone() {
    struct Stuck {
        number: u64,
        torn: bool,
        /// Gets a message when an attempt to undo begins.
        begun: Sender<()>,
        /// An attempt to undo waits for this message, and then fails.
        end: Receiver<()>,
    }

    static LOOKS: AtomicUsize = AtomicUsize::new(0);

    impl Working for Stuck {
        type Version = u64;
        type Garbage = ();

        fn number(&self) -> u64 {
            self.number
        }

        fn freeze(&mut self, _: Option<&u64>) -> (u64, ()) {
            assert!(!self.torn);
            (self.number, ())
        }

        fn number_of(version: &u64) -> u64 {
            LOOKS.fetch_add(1, Ordering::SeqCst);
            *version
        }

        fn is_due(&self) -> bool {
            false
        }

        fn is_torn(&self) -> bool {
            self.torn
        }

        fn restore(&mut self, _: &u64) -> Result<(), Panic> {
            self.begun.send(()).unwrap();
            self.end.recv().unwrap();
            Err(Box::new("still broken"))
        }
    }

    let ((begun, begins), (ends, end)) = (channel(), channel());
    let graph = Arc::new(Publication::new(Stuck { number: 0, torn: false, begun, end }, Publish::OnDemand));
    graph.write().working().number += 1;
    ends.send(()).unwrap();
    graph.write().working().torn = true;
    begins.recv().unwrap();
    let writing = std::thread::spawn({
        let graph = graph.clone();
        move || drop(graph.write())
    });
    // From here on the lock is held.
    begins.recv().unwrap();
    let reading = std::thread::spawn({
        let graph = graph.clone();
        move || *graph.fresh()
    });
    while LOOKS.load(Ordering::SeqCst) == 0 {
        std::thread::yield_now();
    }
    std::thread::sleep(Duration::from_millis(50));
    let looks = LOOKS.load(Ordering::SeqCst);
    ends.send(()).unwrap();
    ends.send(()).unwrap();
    assert!(writing.join().is_err() && reading.join().is_err());
    assert_eq!(looks, 1);
}
