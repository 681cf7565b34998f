//! Connections: a limited number, each for as long as bytes move.

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
        let answering = Arc::new(AtomicBool::new(false));
        let io = TokioIo::new(Timed::new(stream, limits.idle_time, answering.clone()));
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

/// A stream that fails when no byte has moved for some time, in which nothing was being answered.
struct Timed {
    stream: TcpStream,
    time: Duration,
    end: Pin<Box<Sleep>>,
    answering: Arc<AtomicBool>,
}

impl Timed {
    fn new(stream: TcpStream, time: Duration, answering: Arc<AtomicBool>) -> Self {
        Timed { stream, time, end: Box::pin(sleep(time)), answering }
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
