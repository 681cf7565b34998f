//! How a server behaves.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

/// How a server behaves. The defaults listen on 127.0.0.1, on a port that the system chooses.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The address to listen on. By default 127.0.0.1, with a port that the system chooses. Other machines reach a server only at an address
    /// that is not a loopback one, and then it needs a token.
    pub listen: SocketAddr,
    /// What a request must carry as `Authorization: Bearer TOKEN`. Without one, as by default, every request is let in.
    pub token: Option<String>,
    /// What requests may take. By default as [`Limits`] says.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Options { listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), token: None, limits: Limits::default() }
    }
}

impl Options {
    /// The address to listen on.
    #[must_use]
    pub fn with_listen(mut self, listen: SocketAddr) -> Self {
        self.listen = listen;
        self
    }

    /// What a request must carry as `Authorization: Bearer TOKEN`.
    #[must_use]
    pub fn with_token(mut self, token: Option<String>) -> Self {
        self.token = token;
        self
    }

    /// What requests may take.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

/// What requests may take of memory and time.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Connections that are open at a time. Default 512. Further ones wait until one is closed.
    pub connections: usize,
    /// Bytes of the body of a request, also after decompression. Default 16 MiB. More is answered with 413.
    pub body: usize,
    /// Bytes of all bodies that are held at a time. Default 256 MiB. More is answered with 429.
    pub bodies: usize,
    /// Total bytes of the events of `/changes` that are being sent. Default 256 MiB. Beyond that, readers wait until others have received theirs. A
    /// reader whose event alone would take more gets the event `lost`.
    pub changes: usize,
    /// Batches that wait for the writer. Default 64. Further ones are answered with 429.
    pub queue: usize,
    /// Time to send the head of a request. Default 10 seconds.
    pub head_time: Duration,
    /// Time to send the body of a request. Default 30 seconds, and more by [`body_rate`](Self::body_rate). A slower one is answered with 408.
    pub body_time: Duration,
    /// Bytes of a body that give its client another second to send the rest. Default 64 KiB.
    pub body_rate: usize,
    /// Time in which at least one byte must be sent or received, or the connection is closed. Default 60 seconds. It does not pass
    /// while a whole request waits for its answer.
    pub idle_time: Duration,
    /// Bytes a second at which a client must take its answers, while the server has more to send. Default 4 KiB. A client may be slower for `idle_time`
    /// in all. Faster stretches give this time back. After that, the connection is closed.
    pub answer_rate: usize,
    /// Versions that can be asked for by number, the newest included. Default 8.
    pub versions: usize,
    /// Algorithms that run at a time, or whose answers are being sent. Default 2. Further ones are answered with 503.
    pub runs: usize,
    /// Threads that algorithms run on. Default half of the processors, and at least one. Standing results have as many of their own.
    pub run_threads: usize,
    /// Time until a run is answered with 504. Default 30 seconds.
    pub run_time: Duration,
    /// Time that requests have to end once the server is told to stop. Default 10 seconds.
    pub stop_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connections: 512,
            body: 16 << 20,
            bodies: 256 << 20,
            changes: 256 << 20,
            queue: 64,
            head_time: Duration::from_secs(10),
            body_time: Duration::from_secs(30),
            body_rate: 64 << 10,
            idle_time: Duration::from_secs(60),
            answer_rate: 4 << 10,
            versions: 8,
            runs: 2,
            run_threads: std::thread::available_parallelism().map_or(1, |threads| threads.get().div_ceil(2)),
            run_time: Duration::from_secs(30),
            stop_time: Duration::from_secs(10),
        }
    }
}

macro_rules! setters {
    ($($set:ident $field:ident: $type:ty;)*) => {
        impl Limits {
            $(
                #[doc = concat!("Sets [`", stringify!($field), "`](Self::", stringify!($field), ").")]
                #[must_use]
                pub fn $set(self, $field: $type) -> Self {
                    Limits { $field, ..self }
                }
            )*
        }
    };
}

setters! {
    with_connections connections: usize;
    with_body body: usize;
    with_bodies bodies: usize;
    with_changes changes: usize;
    with_queue queue: usize;
    with_head_time head_time: Duration;
    with_body_time body_time: Duration;
    with_body_rate body_rate: usize;
    with_idle_time idle_time: Duration;
    with_answer_rate answer_rate: usize;
    with_versions versions: usize;
    with_runs runs: usize;
    with_run_threads run_threads: usize;
    with_run_time run_time: Duration;
    with_stop_time stop_time: Duration;
}

/// How long some bytes take at a rate of so many bytes a second.
pub(crate) fn time_of(bytes: usize, rate: usize) -> Duration {
    Duration::try_from_secs_f64(bytes as f64 / rate as f64).unwrap_or(Duration::MAX)
}
