//! Work that takes a while, away from the threads that serve connections.

use axum::http::StatusCode;

use crate::refusal::Refusal;

/// Does work on a thread for it, so that other requests are answered meanwhile. The work goes on if the future is dropped.
pub(crate) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let failed = |_| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "a failure of the program stopped the request");
    tokio::task::spawn_blocking(work).await.map_err(failed)?
}
