//! Long answers, which are handed to connections in parts.
//!
//! A connection copies each part that it gets. The rest of the answer stays here, together with what must live until all of it is sent.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes};
use axum::response::Response;
use hyper::body::{Body as HttpBody, Frame, SizeHint};

/// Largest number of bytes of a part.
const PART: usize = 64 << 10;

/// Takes the next part from the front of some bytes.
pub(crate) fn next_part(rest: &mut Bytes) -> Bytes {
    rest.split_to(rest.len().min(PART))
}

/// An answer that keeps `kept` alive until the connection has taken all of it or the client has left.
pub(crate) fn keeping<K: Send + Unpin + 'static>(answer: Response, kept: K) -> Response {
    answer.map(|body| Body::new(Parts { body, rest: Bytes::new(), _kept: kept }))
}

/// A body in parts.
struct Parts<K> {
    body: Body,
    /// What is left of the last frame of the body.
    rest: Bytes,
    _kept: K,
}

impl<K: Unpin> HttpBody for Parts<K> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Parts { body, rest, .. } = self.get_mut();
        while rest.is_empty() {
            match ready!(Pin::new(&mut *body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => *rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                end => return Poll::Ready(end),
            }
        }
        Poll::Ready(Some(Ok(Frame::data(next_part(rest)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let body = self.body.size_hint().exact();
        body.map_or_else(SizeHint::default, |body| SizeHint::with_exact(body + self.rest.len() as u64))
    }
}
