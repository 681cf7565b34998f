//! Connections: a limited number, each for as long as bytes move.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, Sleep, sleep};

use crate::metrics::Metrics;
use crate::options::Limits;

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
        let io = TokioIo::new(Timed::new(stream, limits.idle_time));
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(limits.head_time).max_buf_size(HEAD);
        let connection = builder.serve_connection(io, TowerToHyperService::new(router.clone()));
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

/// A stream that fails when no byte has moved for some time.
struct Timed {
    stream: TcpStream,
    time: Duration,
    end: Pin<Box<Sleep>>,
}

impl Timed {
    fn new(stream: TcpStream, time: Duration) -> Self {
        Timed { stream, time, end: Box::pin(sleep(time)) }
    }

    /// Lets more time pass after bytes have moved, and fails when it is over.
    fn check<T>(&mut self, context: &mut Context<'_>, moved: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if moved.is_ready() {
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

impl AsyncRead for Timed {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let moved = Pin::new(&mut self.stream).poll_read(context, to);
        self.check(context, moved)
    }
}

impl AsyncWrite for Timed {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, from: &[u8]) -> Poll<io::Result<usize>> {
        let moved = Pin::new(&mut self.stream).poll_write(context, from);
        self.check(context, moved)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
