//! What changes, told as it happens: server-sent events.
//!
//! ```text
//!   id: 18
//!   event: changes
//!   data: {"from": 17, "to": 18, "added": [[1, 2]], "removed": [], …}
//! ```
//!
//! Readers that have come to the same version share the event behind it. All events that are on their way have a bounded number of bytes:
//! a reader waits until slower ones have read theirs, or are gone.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use http_body_util::channel::{Channel, Sender};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, timeout_at};

use crate::host::Host;
use crate::parts::next_part;
use crate::refusal::Refusal;
use crate::routes::{Shared, with_type};

/// So often at least something is sent, so that neither side takes the other for gone.
const ALIVE: Duration = Duration::from_secs(15);

/// What is sent then: a comment.
const NOTHING: &[u8] = b": nothing new\n\n";

/// The events that are on their way to readers.
pub(crate) struct Events {
    /// A permit for each byte. A reader that waits may have some of what it needs already.
    bytes: Arc<Semaphore>,
    most: usize,
    /// Bytes of the events that are there.
    held: Arc<AtomicUsize>,
    /// The last event that was made behind each version, as long as somebody holds it. Locked while one is made: one at a time.
    made: Mutex<HashMap<u64, Weak<Event>>>,
}

/// An event, with its share of the memory.
struct Event {
    /// The version that it leads to.
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

/// An event whose bytes are sent.
struct Held(Arc<Event>);

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.0.text
    }
}

impl Events {
    /// So many bytes for all events.
    pub fn new(most: usize) -> Self {
        let most = most.clamp(1, Semaphore::MAX_PERMITS.min(u32::MAX as usize));
        Events { bytes: Arc::new(Semaphore::new(most)), most, held: Arc::default(), made: Mutex::default() }
    }

    /// Bytes of the events that are held.
    pub fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    /// The event that leads from a version to the newest one. Waits until there is room for it.
    async fn behind(&self, host: &dyn Host, since: u64, newest: u64) -> Result<Arc<Event>, Refusal> {
        loop {
            let mut made = self.made.lock().await;
            let there = made.get(&since).and_then(Weak::upgrade);
            if let Some(event) = there.filter(|event| event.version >= newest) {
                return Ok(event);
            }
            let (version, data) = host.changes(since, self.most)?;
            let mut text = format!("id: {version}\nevent: changes\ndata: ").into_bytes();
            text.reserve_exact(data.len() + 2);
            text.extend_from_slice(&data);
            text.extend_from_slice(b"\n\n");
            let bytes = text.len().min(self.most) as u32;
            if let Ok(permit) = self.bytes.clone().try_acquire_many_owned(bytes) {
                self.held.fetch_add(text.len(), Ordering::Relaxed);
                let event = Arc::new(Event { version, text, held: self.held.clone(), _permit: permit });
                made.retain(|_, event| event.strong_count() > 0);
                made.insert(since, Arc::downgrade(&event));
                return Ok(event);
            }
            // It is not held while there is no room, and made anew then: more may have changed.
            drop((made, data, text));
            drop(self.bytes.acquire_many(bytes).await);
        }
    }
}

/// A stream of the changes behind a version. It ends when the client leaves, when the server ends, or when the client is so slow that the
/// version it has come to is not kept any more.
pub(crate) fn stream(shared: &Shared, since: u64) -> Response {
    let (sender, body) = Channel::<Bytes>::new(1);
    let (events, host) = (shared.events.clone(), shared.host.clone());
    let (newest, mut stop) = (shared.newest.clone(), shared.stop.clone());
    tokio::spawn(async move {
        tokio::select! {
            () = send(sender, &events, &*host, newest, since) => {}
            () = async { drop(stop.wait_for(|&stop| stop).await) } => {}
        }
    });
    let mut response = with_type(Body::new(body), "text/event-stream");
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

async fn send(
    mut to: Sender<Bytes>,
    events: &Events,
    host: &dyn Host,
    mut newest: watch::Receiver<u64>,
    mut since: u64,
) {
    // A refused batch wakes whoever waits, and is nothing to send.
    let mut due = Instant::now() + ALIVE;
    loop {
        let version = *newest.borrow_and_update();
        let mut text = if version > since {
            match timeout_at(due, events.behind(host, since, version)).await {
                Ok(Ok(event)) => {
                    since = event.version;
                    Bytes::from_owner(Held(event))
                }
                Ok(Err(refusal)) => {
                    let reason = serde_json::Value::from(refusal.reason());
                    let _ = to.send_data(format!("event: lost\ndata: {{\"error\": {reason}}}\n\n").into()).await;
                    return;
                }
                // Other events take all the room.
                Err(_) => Bytes::from_static(NOTHING),
            }
        } else {
            match timeout_at(due, newest.changed()).await {
                Ok(Ok(())) => continue,
                // The writer has ended.
                Ok(Err(_)) => return,
                Err(_) => Bytes::from_static(NOTHING),
            }
        };
        while !text.is_empty() {
            if to.send_data(next_part(&mut text)).await.is_err() {
                return;
            }
        }
        due = Instant::now() + ALIVE;
    }
}
