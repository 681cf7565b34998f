//! What changes, told as it happens: server-sent events.
//!
//! ```text
//!   id: 18
//!   event: changes
//!   data: {"from": 17, "to": 18, "added": [[1, 2]], "removed": [], …}
//! ```

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use http_body_util::channel::{Channel, Sender};
use tokio::time::Instant;

use crate::routes::{Shared, with_type};

/// So often at least something is sent, so that neither side takes the other for gone.
const ALIVE: Duration = Duration::from_secs(15);

/// A stream of the changes behind a version. It ends when the client leaves, when the server ends, or when the client is so slow that the
/// version it has come to is not kept any more.
pub(crate) fn stream(shared: &Shared, since: u64) -> Response {
    let (sender, body) = Channel::<Bytes>::new(1);
    let (host, newest, mut stop) = (shared.host.clone(), shared.newest.clone(), shared.stop.clone());
    tokio::spawn(async move {
        tokio::select! {
            () = send(sender, |since| host.changes(since), newest, since) => {}
            () = async { drop(stop.wait_for(|&stop| stop).await) } => {}
        }
    });
    let mut response = with_type(Body::new(body), "text/event-stream");
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

async fn send(
    mut to: Sender<Bytes>,
    changes: impl Fn(u64) -> Result<(u64, serde_json::Value), crate::refusal::Refusal>,
    mut newest: tokio::sync::watch::Receiver<u64>,
    mut since: u64,
) {
    // A refused batch wakes whoever waits, and is nothing to send.
    let mut due = Instant::now() + ALIVE;
    loop {
        let event = if *newest.borrow_and_update() > since {
            match changes(since) {
                Ok((version, value)) => {
                    since = version;
                    format!("id: {version}\nevent: changes\ndata: {value}\n\n")
                }
                Err(refusal) => {
                    let reason = serde_json::Value::from(refusal.reason());
                    let _ = to.send_data(format!("event: lost\ndata: {{\"error\": {reason}}}\n\n").into()).await;
                    return;
                }
            }
        } else {
            match tokio::time::timeout_at(due, newest.changed()).await {
                Ok(Ok(())) => continue,
                // The writer has ended.
                Ok(Err(_)) => return,
                Err(_) => ": nothing new\n\n".to_owned(),
            }
        };
        if to.send_data(event.into()).await.is_err() {
            return;
        }
        due = Instant::now() + ALIVE;
    }
}
