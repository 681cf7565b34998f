//! Connections. Their number is limited. One on which no byte moves, or whose client takes an answer too slowly, is closed.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::Request;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, Sleep, sleep};

use crate::metrics::Metrics;
use crate::options::{Limits, time_of};

/// The most bytes of the head of a request.
const HEAD: usize = 64 << 10;

/// Serves connections until it is told to stop; then lets requests end.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    metrics: Arc<Metrics>,
    mut stop: watch::Receiver<bool>,
) {
    let places = Arc::new(Semaphore::new(limits.connections.clamp(1, Semaphore::MAX_PERMITS)));
    let graceful = GracefulShutdown::new();
    loop {
        let accepted = async {
            let place = places.clone().acquire_owned().await.expect("the semaphore is never closed");
            (listener.accept().await, place)
        };
        let (stream, place) = tokio::select! {
            () = async { drop(stop.wait_for(|&stop| stop).await) } => break,
            (accepted, place) = accepted => match accepted {
                Ok((stream, _)) => (stream, place),
                Err(error) => {
                    // The client has left, or there are no more file descriptors.
                    tracing::warn!(%error, "cannot accept a connection");
                    sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        // Answers are short: they are sent at once.
        let _ = stream.set_nodelay(true);
        let answering = Arc::new(AtomicBool::new(false));
        let io = TokioIo::new(Timed::new(stream, &limits, answering.clone()));
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(limits.head_time).max_buf_size(HEAD);
        let router = Answering { router: TowerToHyperService::new(router.clone()), answering };
        let connection = builder.serve_connection(io, router);
        let (connection, metrics) = (graceful.watch(connection), metrics.clone());
        metrics.connections.fetch_add(1, Relaxed);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended");
            }
            metrics.connections.fetch_sub(1, Relaxed);
            drop(place);
        });
    }
    drop(listener);
    if tokio::time::timeout(limits.stop_time, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests that did not end in time are cut off");
    }
}

/// A router that says while a whole request waits for its answer: then it is not the client who lets time pass.
struct Answering {
    router: TowerToHyperService<Router>,
    answering: Arc<AtomicBool>,
}

impl Service<Request<Incoming>> for Answering {
    type Response = axum::response::Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let answering = self.answering.clone();
        answering.store(request.body().is_end_stream(), Relaxed);
        let answer = self.router.call(request.map(|body| Told { body, answering: answering.clone() }));
        Box::pin(async move {
            let answer = answer.await;
            answering.store(false, Relaxed);
            answer
        })
    }
}

/// A body that says when all of it is there.
struct Told {
    body: Incoming,
    answering: Arc<AtomicBool>,
}

impl Body for Told {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if frame.is_none() || self.body.is_end_stream() {
            self.answering.store(true, Relaxed);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A stream that fails in two cases: no byte has moved for some time although no answer was being computed; or the client takes its answers
/// too slowly.
struct Timed<S> {
    stream: S,
    time: Duration,
    end: Pin<Box<Sleep>>,
    answering: Arc<AtomicBool>,
    pace: Pace,
}

impl<S> Timed<S> {
    fn new(stream: S, limits: &Limits, answering: Arc<AtomicBool>) -> Self {
        let time = limits.idle_time;
        let pace = Pace { rate: limits.answer_rate, most: time, left: time, waiting: None };
        Timed { stream, time, end: Box::pin(sleep(time)), answering, pace }
    }

    /// Lets more time pass after bytes have moved, and fails when it is over.
    fn check<T>(&mut self, context: &mut Context<'_>, moved: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if moved.is_ready() || self.answering.load(Relaxed) {
            // A time that no clock reaches is no end.
            if let Some(end) = Instant::now().checked_add(self.time) {
                self.end.as_mut().reset(end);
            }
            return moved;
        }
        ready!(self.end.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

/// How long a client may still be slower than a rate. This time passes while bytes wait to be sent. Bytes that are sent give some of it back.
struct Pace {
    /// Bytes a second.
    rate: usize,
    /// The most time that there can be.
    most: Duration,
    left: Duration,
    /// Since when bytes wait, and the end of the time that was left then.
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl Pace {
    fn sent(&mut self, bytes: usize) {
        if let Some((since, _)) = self.waiting.take() {
            self.left = self.left.saturating_sub(since.elapsed());
        }
        // Timers round up, so that the end of the time may be noticed only now. Then no time is given back.
        if !self.left.is_zero() {
            self.left = self.left.saturating_add(time_of(bytes, self.rate)).min(self.most);
        }
    }

    /// Bytes cannot be sent now. Ready when the client is too slow.
    fn poll_late(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.left.is_zero() {
            return Poll::Ready(());
        }
        let left = self.left;
        let (_, end) = self.waiting.get_or_insert_with(|| (Instant::now(), Box::pin(sleep(left))));
        end.as_mut().poll(context)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Timed<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let moved = Pin::new(&mut self.stream).poll_read(context, to);
        self.check(context, moved)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Timed<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, from: &[u8]) -> Poll<io::Result<usize>> {
        let moved = Pin::new(&mut self.stream).poll_write(context, from);
        match moved {
            Poll::Ready(Ok(bytes)) => self.pace.sent(bytes),
            Poll::Pending if self.pace.poll_late(context).is_ready() => {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            _ => {}
        }
        self.check(context, moved)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    /// A client that takes one byte at every second attempt, and is ready for the next attempt at once.
    struct ByteByByte {
        takes: bool,
    }

    impl AsyncWrite for ByteByByte {
        fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, _: &[u8]) -> Poll<io::Result<usize>> {
            self.takes = !self.takes;
            if self.takes {
                return Poll::Ready(Ok(1));
            }
            context.waker().wake_by_ref();
            Poll::Pending
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    /// Sends up to so many bytes; the error that ends it, if one does.
    fn send(bytes: usize, limits: &Limits) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let mut stream = Timed::new(ByteByByte { takes: false }, limits, Arc::default());
            for _ in 0..bytes {
                poll_fn(|context| Pin::new(&mut stream).poll_write(context, b"x")).await?;
            }
            Ok(())
        })
    }

    #[test]
    fn who_takes_an_answer_too_slowly_is_cut_off_although_bytes_move() {
        let limits = Limits { idle_time: Duration::from_millis(50), answer_rate: usize::MAX, ..Limits::default() };
        assert_eq!(send(10_000_000, &limits).unwrap_err().kind(), io::ErrorKind::TimedOut);
        // Slow as it is, it is faster than a byte a second.
        send(10_000, &Limits { answer_rate: 1, ..Limits::default() }).unwrap();
    }
}
