//! The thread that frees versions: away from the writer, who replaces them, and from readers, who let go of them.

use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;

/// What the thread is sent.
enum Parcel {
    /// A version that nobody holds any more.
    Retired(Box<dyn Send>),
    /// Answered when everything that was sent before is freed.
    Settle(SyncSender<()>),
}

/// Versions that may wait to be freed. Whoever retires one more frees it: memory stays bounded if the thread falls behind.
const WAITING: usize = 1024;

/// The way to the thread, which starts when the first version is retired; nothing where it could not be started.
fn thread() -> Option<&'static SyncSender<Parcel>> {
    static THREAD: OnceLock<Option<SyncSender<Parcel>>> = OnceLock::new();
    let start = || {
        let (sender, receiver) = sync_channel(WAITING);
        let work = move || free(&receiver);
        thread::Builder::new().name("pleach-reclaim".into()).spawn(work).ok().map(|_| sender)
    };
    THREAD.get_or_init(start).as_ref()
}

/// What the thread does.
fn free(parcels: &Receiver<Parcel>) {
    for parcel in parcels {
        match parcel {
            Parcel::Retired(version) => drop(version),
            Parcel::Settle(done) => {
                // Whoever waited may have given up.
                let _ = done.send(());
            }
        }
    }
}

/// Hands over what nobody needs any more. Takes constant time unless very much is waiting already.
pub(super) fn retire(version: Box<dyn Send>) {
    if let Some(thread) = thread()
        && let Err(TrySendError::Full(parcel) | TrySendError::Disconnected(parcel)) =
            thread.try_send(Parcel::Retired(version))
    {
        drop(parcel);
    }
}

/// Waits until every version is freed that nobody held any more when this was called. For measurements of memory: nothing else
/// needs to wait for it.
pub fn settle() {
    let Some(thread) = thread() else { return };
    let (sender, receiver) = sync_channel(1);
    if thread.send(Parcel::Settle(sender)).is_ok() {
        let _ = receiver.recv();
    }
}
