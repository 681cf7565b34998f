//! What changes, told as it happens: server-sent events.
//!
//! ```text
//!   id: 18
//!   event: changes
//!   data: {"from": 17, "to": 18, "added": [[1, 2]], "removed": [], …}
//! ```
//!
//! Readers at the same version share one event. All events that are being sent have a bounded number of bytes together. If there is no room
//! for another event, its reader waits until other readers have received theirs or have left.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use http_body_util::channel::{Channel, Sender};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, oneshot, watch};
use tokio::time::{Instant, timeout_at};

use crate::aside::aside;
use crate::host::Host;
use crate::parts::{keeping, next_part};
use crate::refusal::Refusal;
use crate::routes::{Shared, with_type};

/// So often at least something is sent, so that neither side takes the other for gone.
const ALIVE: Duration = Duration::from_secs(15);

/// A comment, which is sent to keep the connection alive.
const NOTHING: &[u8] = b": nothing new\n\n";

/// The events that are being sent to readers.
pub(crate) struct Events {
    /// One permit for each byte. A waiting reader may hold some of the permits that it needs.
    bytes: Arc<Semaphore>,
    most: usize,
    /// Total bytes of all existing events.
    held: Arc<AtomicUsize>,
    /// For each version, the newest event that begins at it, while a reader holds that event. The lock is held while an event is made, so
    /// that one is made at a time.
    made: Arc<Mutex<HashMap<u64, Weak<Event>>>>,
}

/// An event, with the permits for its bytes.
struct Event {
    /// The version that the event ends at.
    version: u64,
    text: Vec<u8>,
    held: Arc<AtomicUsize>,
    _permit: OwnedSemaphorePermit,
}

impl Drop for Event {
    fn drop(&mut self) {
        self.held.fetch_sub(self.text.len(), Ordering::Relaxed);
    }
}

/// An event as the bytes to send.
struct Held(Arc<Event>);

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.0.text
    }
}

impl Events {
    /// No events, which may have `most` bytes together.
    pub fn new(most: usize) -> Self {
        let most = most.clamp(1, Semaphore::MAX_PERMITS.min(u32::MAX as usize));
        Events { bytes: Arc::new(Semaphore::new(most)), most, held: Arc::default(), made: Arc::default() }
    }

    /// Total bytes of all existing events.
    pub fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    /// The event with the changes from version `since` to the newest one. Waits until there is room for it.
    async fn behind(&self, host: &Arc<dyn Host>, since: u64, newest: u64) -> Result<Arc<Event>, Refusal> {
        loop {
            let made = self.made.clone().lock_owned().await;
            let there = made.get(&since).and_then(Weak::upgrade);
            if let Some(event) = there.filter(|event| event.version >= newest) {
                return Ok(event);
            }
            let (host, most) = (host.clone(), self.most);
            // The thread that makes the event has the lock, also after the reader has left.
            let (version, text, mut made) = aside(move || {
                let (version, data) = host.changes(since, most)?;
                let mut text = format!("id: {version}\nevent: changes\ndata: ").into_bytes();
                text.reserve_exact(data.len() + 2);
                text.extend_from_slice(&data);
                text.extend_from_slice(b"\n\n");
                Ok((version, text, made))
            })
            .await?;
            let bytes = text.len().min(self.most) as u32;
            if let Ok(permit) = self.bytes.clone().try_acquire_many_owned(bytes) {
                self.held.fetch_add(text.len(), Ordering::Relaxed);
                let event = Arc::new(Event { version, text, held: self.held.clone(), _permit: permit });
                made.retain(|_, event| event.strong_count() > 0);
                made.insert(since, Arc::downgrade(&event));
                return Ok(event);
            }
            // While there is no room the text is dropped. It is made again later, because more may have changed by then.
            drop((made, text));
            drop(self.bytes.acquire_many(bytes).await);
        }
    }
}

/// A stream of the changes behind a version. It ends when the client leaves, when the server ends, or when the client is so slow that the
/// version it has come to is not kept any more.
pub(crate) fn stream(shared: &Shared, since: u64) -> Response {
    let (events, host) = (shared.events.clone(), shared.host.clone());
    told(events, host, (shared.newest.clone(), shared.stop.clone()), since)
}

fn told(
    events: Arc<Events>,
    host: Arc<dyn Host>,
    (newest, mut stop): (watch::Receiver<u64>, watch::Receiver<bool>),
    since: u64,
) -> Response {
    let (sender, body) = Channel::<Bytes>::new(1);
    let (reading, left) = oneshot::channel::<()>();
    tokio::spawn(async move {
        tokio::select! {
            () = send(sender, &events, &host, newest, since) => {}
            // The answer was dropped. Without this, the task would stay until there is something to send.
            _ = left => {}
            () = async { drop(stop.wait_for(|&stop| stop).await) } => {}
        }
    });
    let mut response = with_type(Body::new(body), "text/event-stream");
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    keeping(response, reading)
}

async fn send(
    mut to: Sender<Bytes>,
    events: &Events,
    host: &Arc<dyn Host>,
    mut newest: watch::Receiver<u64>,
    mut since: u64,
) {
    // A browser may come back with a version of another server, which this one may not have reached yet.
    if let Err(refusal) = host.about(Some(since)) {
        return lose(&mut to, &refusal).await;
    }
    // A refused batch wakes whoever waits, and is nothing to send.
    let mut due = Instant::now() + ALIVE;
    loop {
        let version = *newest.borrow_and_update();
        let text = if version > since {
            let mut event = pin!(events.behind(host, since, version));
            loop {
                match timeout_at(due, event.as_mut()).await {
                    Ok(Ok(event)) => {
                        since = event.version;
                        break Bytes::from_owner(Held(event));
                    }
                    Ok(Err(refusal)) => return lose(&mut to, &refusal).await,
                    // The event is being made, or other events use all the room.
                    Err(_) => {
                        if !put(&mut to, Bytes::from_static(NOTHING)).await {
                            return;
                        }
                        due = Instant::now() + ALIVE;
                    }
                }
            }
        } else {
            match timeout_at(due, newest.changed()).await {
                Ok(Ok(())) => continue,
                // The writer has ended.
                Ok(Err(_)) => return,
                Err(_) => Bytes::from_static(NOTHING),
            }
        };
        if !put(&mut to, text).await {
            return;
        }
        due = Instant::now() + ALIVE;
    }
}

/// Sends a text in parts. Returns whether the reader has got it.
async fn put(to: &mut Sender<Bytes>, mut text: Bytes) -> bool {
    while !text.is_empty() {
        if to.send_data(next_part(&mut text)).await.is_err() {
            return false;
        }
    }
    true
}

/// Tells a reader that it must read the graph anew, and why.
async fn lose(to: &mut Sender<Bytes>, refusal: &Refusal) {
    let reason = serde_json::Value::from(refusal.reason());
    // The reader may have left.
    let _ = to.send_data(format!("event: lost\ndata: {{\"error\": {reason}}}\n\n").into()).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_ends_when_its_reader_leaves() {
        let (_folder, host) = crate::host::tests::empty();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let ((_writer, newest), (_server, stop)) = (watch::channel(0), watch::channel(false));
            let answer = told(Arc::new(Events::new(1000)), host.clone(), (newest, stop), 0);
            tokio::task::yield_now().await;
            assert_eq!(Arc::strong_count(&host), 2);
            drop(answer);
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            assert_eq!(Arc::strong_count(&host), 1);
        });
    }
}
