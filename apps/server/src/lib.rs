//! A graph in a directory, served over HTTP: other programs send updates and ask questions while it runs.
//!
//! ```text
//!   POST /updates ──► queue ──► one thread: apply · log · one sync for all that waited ──► a version ──► answer
//!   GET  /graph, /vertices/ID, …  ◄── the last versions, which never change: readers wait for nobody
//!   GET  /run/APP                 ◄── the same versions, on threads of their own
//! ```
//!
//! ```
//! use std::io::{Read, Write};
//! use pleach_server::{Options, Server};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let directory = folder.path().join("graph");
//! let graph: pleach_log::Durable = pleach_log::open(&directory, pleach_log::Options::default())?;
//! graph.insert([(0, 1), (1, 2)])?;
//! graph.close()?;
//!
//! let server = Server::start(&directory, Options::default())?;
//! let mut client = std::net::TcpStream::connect(server.address())?;
//! client.write_all(b"GET /vertices/1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
//! let mut answer = String::new();
//! client.read_to_string(&mut answer)?;
//! assert!(answer.contains(r#""out_degree":1"#));
//! server.stop()?;
//! # Ok(())
//! # }
//! ```
//!
//! | request | answer |
//! |---|---|
//! | `POST /updates` | one batch, in NDJSON, CSV or Arrow: applied and on the disk as a whole, or not at all |
//! | `GET /graph` | what the graph is, and how large |
//! | `GET /vertices/ID` | the degrees of a vertex |
//! | `GET /vertices/ID/neighbours` | its neighbours; `direction=in`, `offset`, `limit` |
//! | `GET /versions` | the versions that `version=` can name |
//! | `GET /run/APP` | `bfs`, `cc`, `degree`, `kcore`, `pagerank`, `sssp` or `tc`; `source`, `top`, `values` |
//! | `PUT /standing/NAME` | has an algorithm run on each new version; `GET` has the last result, `DELETE` ends it |
//! | `GET /changes` | server-sent events: what differs from version to version, from `since` on |
//! | `GET /metrics` | counters, for Prometheus |
//! | `GET /healthz` | whether the server is there |
//! | `GET /` | a page that shows all this |
//!
//! A server listens on this machine only, unless it has a token, which requests must then carry. What requests can take of memory and time
//! is bounded by [`Limits`].
#![forbid(unsafe_code)]

mod apps;
mod arrow;
mod aside;
mod auth;
mod body;
mod bounded;
mod changes;
mod following;
mod host;
mod metrics;
mod net;
mod options;
mod parse;
mod parts;
mod refusal;
mod routes;
mod runs;
mod standing;
mod table;
mod writer;

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use host::Host;
pub use options::{Limits, Options};
use pleach_log::{LogError, OpenError};
use tokio::runtime::Runtime;
use tokio::sync::watch;

/// Why a server cannot start, or did not end well.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Other machines can reach the address, and anybody there could write.
    #[error("{address} can be reached from other machines: requests need a token there (`--token FILE`)")]
    NoToken {
        /// The address.
        address: SocketAddr,
    },
    /// The token cannot be sent in a header, or is too easily guessed.
    #[error("a token has at least 16 characters: letters, digits and `-._~+/=`")]
    Token,
    /// The graph cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        error: io::Error,
    },
    /// There are no threads.
    #[error("cannot start threads: {0}")]
    Threads(io::Error),
    /// What was applied last is not known to be on the disk.
    #[error(transparent)]
    Log(#[from] LogError),
}

/// A server that runs. Dropping it ends it as [`stop`](Self::stop) does, without saying what fails.
pub struct Server {
    address: SocketAddr,
    host: Arc<dyn Host>,
    stop: watch::Sender<bool>,
    serving: Option<tokio::task::JoinHandle<()>>,
    runtime: Option<Runtime>,
    writer: Option<JoinHandle<()>>,
}

impl Server {
    /// Checks the options, before a graph is opened.
    ///
    /// # Errors
    ///
    /// [`ServeError::NoToken`], if the address needs a token, and [`ServeError::Token`], if that is no token.
    pub fn check(options: &Options) -> Result<(), ServeError> {
        let Options { listen, token, .. } = options;
        if !listen.ip().is_loopback() && token.is_none() {
            return Err(ServeError::NoToken { address: *listen });
        }
        let fits = |c: char| c.is_ascii_alphanumeric() || "-._~+/=".contains(c);
        if token.as_ref().is_some_and(|token| token.len() < 16 || !token.chars().all(fits)) {
            return Err(ServeError::Token);
        }
        Ok(())
    }

    /// Opens the graph in a directory, and serves it.
    ///
    /// # Errors
    ///
    /// [`ServeError`], if the graph cannot be opened, if the address cannot be listened on, or if it needs a token.
    pub fn start(directory: impl AsRef<Path>, options: Options) -> Result<Self, ServeError> {
        Self::check(&options)?;
        let Options { listen, token, limits } = options;
        let host = host::open(directory.as_ref(), limits.versions)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(std::thread::available_parallelism().map_or(2, |threads| threads.get().clamp(2, 8)))
            .max_blocking_threads(4)
            .thread_name("pleach-serve")
            .enable_io()
            .enable_time()
            .build()
            .map_err(ServeError::Threads)?;
        let listening = |error| ServeError::Listen { address: listen, error };
        let listener = runtime.block_on(tokio::net::TcpListener::bind(listen)).map_err(listening)?;
        let address = listener.local_addr().map_err(listening)?;

        let metrics = Arc::new(metrics::Metrics::default());
        let (tell, newest) = watch::channel(host.figures().version);
        let (writer, thread) =
            writer::Writer::start(host.clone(), metrics.clone(), limits.queue, tell).map_err(ServeError::Threads)?;
        let runs =
            runs::Runs::new(&limits, metrics.clone()).map_err(|error| ServeError::Threads(io::Error::other(error)))?;
        let (runs, standing) = (Arc::new(runs), Arc::new(standing::Standing::default()));
        runtime.spawn(standing.clone().follow(host.clone(), runs.clone(), newest.clone()));
        let (stop, stopped) = watch::channel(false);
        let shared = routes::Shared {
            host: host.clone(),
            writer,
            memory: body::Memory::new(&limits),
            events: Arc::new(changes::Events::new(limits.changes)),
            metrics: metrics.clone(),
            runs,
            standing,
            newest,
            stop: stopped.clone(),
            token,
        };
        let router = routes::router(Arc::new(shared));
        let serving = runtime.spawn(net::serve(listener, router, limits, metrics, stopped));
        tracing::info!(%address, "listening");
        Ok(Server { address, host, stop, serving: Some(serving), runtime: Some(runtime), writer: Some(thread) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes no more connections, lets requests end, applies what was accepted, and syncs.
    ///
    /// # Errors
    ///
    /// [`ServeError::Log`], if the disk fails.
    pub fn stop(mut self) -> Result<(), ServeError> {
        self.end()
    }

    fn end(&mut self) -> Result<(), ServeError> {
        let Some(runtime) = self.runtime.take() else { return Ok(()) };
        self.stop.send_replace(true);
        if let Some(serving) = self.serving.take() {
            // It ends by itself, after a limited time.
            let _ = runtime.block_on(serving);
        }
        // With its tasks go the last ways to the writer, which then ends.
        runtime.shutdown_timeout(Duration::from_secs(5));
        if let Some(writer) = self.writer.take() {
            // A panic was told by the thread.
            let _ = writer.join();
        }
        self.host.sync()?;
        tracing::info!("stopped");
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // `stop` tells what fails.
        let _ = self.end();
    }
}
