//! The thread that frees versions, so that neither the writer, which replaces them, nor readers, which drop them, spend time on it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;
use std::time::Duration;

/// What the thread is sent.
enum Parcel {
    /// A value to be freed, of about so many bytes.
    Retired(Box<dyn Send>, usize),
    /// Answered when everything that was sent before is freed.
    Settle(Sender<()>),
}

/// Bytes that may wait to be freed. A caller that would exceed them frees its value itself, so that memory stays bounded if the thread
/// falls behind.
const WAITING: usize = 64 << 20;

/// Bytes that even the smallest value counts for, so that the number of waiting values is bounded too.
const LEAST: usize = 64 << 10;

/// The thread and its queue.
struct Reclaimer {
    send: Sender<Parcel>,
    waiting: AtomicUsize,
}

/// The thread, which starts when the first version is retired; `None` if it could not be started.
fn reclaimer() -> Option<&'static Reclaimer> {
    static RECLAIMER: OnceLock<Option<Reclaimer>> = OnceLock::new();
    let start = || {
        let (send, receive) = channel();
        let work = move || free(&receive);
        let started = thread::Builder::new().name("pleach-reclaim".into()).spawn(work);
        started.ok().map(|_| Reclaimer { send, waiting: AtomicUsize::new(0) })
    };
    RECLAIMER.get_or_init(start).as_ref()
}

/// How long the thread sleeps when it has freed all that was sent, instead of waiting to be woken: waking a thread would take a writer of small
/// batches a tenth of its time.
const PAUSE: Duration = Duration::from_millis(1);

/// What the thread is sent next, or `None` when nothing can be sent any more.
fn next(parcels: &Receiver<Parcel>) -> Option<Parcel> {
    match parcels.try_recv() {
        Err(TryRecvError::Empty) => thread::sleep(PAUSE),
        received => return received.ok(),
    }
    // Nothing comes in quick succession.
    parcels.try_recv().or_else(|_| parcels.recv().map_err(|_| TryRecvError::Disconnected)).ok()
}

/// What the thread does.
fn free(parcels: &Receiver<Parcel>) {
    while let Some(parcel) = next(parcels) {
        match parcel {
            Parcel::Retired(retired, bytes) => {
                drop(retired);
                if let Some(reclaimer) = reclaimer() {
                    reclaimer.waiting.fetch_sub(bytes, Ordering::Relaxed);
                }
            }
            Parcel::Settle(done) => {
                // The thread that waited may have ended.
                let _ = done.send(());
            }
        }
    }
}

/// Has the thread free a value of about so many bytes. Takes constant time unless [`WAITING`] bytes wait already: then it is freed here.
/// Not to be called under a lock.
pub(super) fn retire(retired: Box<dyn Send>, bytes: usize) {
    let Some(Reclaimer { send, waiting }) = reclaimer() else { return };
    let bytes = bytes.max(LEAST);
    let before = waiting.fetch_add(bytes, Ordering::Relaxed);
    // A large value goes to the thread only if its queue is empty.
    if before > 0 && before.saturating_add(bytes) > WAITING {
        waiting.fetch_sub(bytes, Ordering::Relaxed);
        return drop(retired);
    }
    // Without the thread, the value is freed with the message that could not be sent.
    let _ = send.send(Parcel::Retired(retired, bytes));
}

/// Waits until all versions are freed that were already dropped when this was called.
///
/// What is freed goes back to the allocator, which may keep it for a while: jemalloc for ten seconds, and then until it is called
/// again, unless its `background_thread` option is on, as it is in the `pleach` command. See the [module](super#memory).
pub fn settle() {
    let Some(reclaimer) = reclaimer() else { return };
    let (sender, receiver) = channel();
    if reclaimer.send.send(Parcel::Settle(sender)).is_ok() {
        let _ = receiver.recv();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits for a message when it is dropped, then tells on which thread that happens.
    struct Slow(Receiver<()>, Sender<thread::ThreadId>);

    impl Drop for Slow {
        fn drop(&mut self) {
            let _ = self.0.recv();
            let _ = self.1.send(thread::current().id());
        }
    }

    /// While the thread is busy with a large version, a caller that retires another large one frees it itself, and small ones wait.
    #[test]
    fn what_waits_is_bounded_by_bytes() {
        let (go, wait) = channel();
        let (tell, told) = channel();
        settle();
        retire(Box::new(Slow(wait, tell.clone())), 10 * WAITING);
        let (at_once, wait) = channel();
        at_once.send(()).unwrap();
        retire(Box::new(Slow(wait, tell)), WAITING);
        let here = thread::current().id();
        assert_eq!(told.recv().unwrap(), here, "freed by whoever retired it");
        go.send(()).unwrap();
        assert_ne!(told.recv().unwrap(), here, "the first one is freed by the thread");
        settle();
    }
}
