//! Workers that are processes, on one machine or several: an [`Exchange`] on timely dataflow over TCP.
//!
//! ```text
//!   worker ── message a worker ──► communicator: timely worker ── exchange by target, at epoch e ──► communicators of the others
//!      ▲                                                                    │
//!      └──────── messages of epoch e ◄───── when the frontier has passed e ─┘
//! ```
//!
//! A superstep is an epoch of a timely dataflow of one operator. Timely moves the messages and tracks progress; when its frontier has passed the epoch, no
//! message of it can come any more. This module makes the connections instead of timely: a host that does not answer becomes an error after a time
//! limit, an error names the worker whose connection broke, and timely receives only what workers of the run have sent.

mod greeting;
mod meeting;
mod seal;
mod watched;

use std::cell::RefCell;
use std::io;
use std::net::TcpListener;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use timely::communication::Hooks;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::dataflow::InputHandle;
use timely::dataflow::channels::pact::Exchange as ByTarget;
use timely::dataflow::operators::generic::operator::Operator;
use timely::dataflow::operators::{Input, Probe};
use timely::worker::Worker;

use self::watched::Watched;
use crate::exchange::{Exchange, Lost};

/// How long a worker that ends waits for the others to take what it has sent.
const LINGER: Duration = Duration::from_secs(10);

/// How the workers are found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Hosts {
    /// The number of this worker.
    pub worker: usize,
    /// The address `host:port` of each worker.
    pub addresses: Vec<String>,
    /// How long to wait for the others to come. Default 60 seconds.
    pub patience: Duration,
    /// How long another worker may send nothing before it counts as lost; each sends a heartbeat every second. Default 60 seconds.
    pub silence: Duration,
    /// A number that all workers of a run have in common, as they have the version of this crate.
    pub key: u64,
    /// A secret of the workers of a run, which is not sent. Empty by default: then whoever knows `key` can join the run.
    pub secret: Vec<u8>,
}

impl Hosts {
    /// Worker `worker` of those at the addresses.
    pub fn new(worker: usize, addresses: Vec<String>) -> Self {
        let minute = Duration::from_secs(60);
        Hosts { worker, addresses, patience: minute, silence: minute, key: 0, secret: Vec::new() }
    }

    /// How long to wait for the others to come.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Hosts { patience, ..self }
    }

    /// How long another worker may send nothing before it counts as lost: some seconds at least.
    #[must_use]
    pub fn with_silence(self, silence: Duration) -> Self {
        Hosts { silence, ..self }
    }

    /// A number that all workers of a run have in common.
    #[must_use]
    pub fn with_key(self, key: u64) -> Self {
        Hosts { key, ..self }
    }

    /// A secret of the workers of a run.
    #[must_use]
    pub fn with_secret(self, secret: impl Into<Vec<u8>>) -> Self {
        Hosts { secret: secret.into(), ..self }
    }
}

/// Why workers could not be joined.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JoinError {
    /// This worker is not one of those at the addresses.
    #[error("there is no worker {worker} of {workers}; they are counted from 0")]
    NoSuchWorker {
        /// Its number.
        worker: usize,
        /// How many there are.
        workers: usize,
    },
    /// This worker's own address cannot be listened at.
    #[error("worker {worker} cannot listen at {address}: {error}{}", advice(.error))]
    Listen {
        /// Its number.
        worker: usize,
        /// Its address.
        address: String,
        /// What the system said.
        error: io::Error,
    },
    /// Some worker has not come in time.
    #[error("worker {worker} ({address}) has not come within {} s{}", .patience.as_secs(), .last.as_ref().map(|e| format!(": {e}")).unwrap_or_default())]
    Absent {
        /// Its number.
        worker: usize,
        /// Its address.
        address: String,
        /// How long was waited.
        patience: Duration,
        /// What the system said last.
        last: Option<io::Error>,
    },
    /// Somebody else listens at an address.
    #[error(
        "what answers at {address} is not worker {worker} of the same run: every worker needs the same version of Pleach, the same number of \
         addresses, the same arguments and the same secret"
    )]
    Stranger {
        /// The worker that should be there.
        worker: usize,
        /// Its address.
        address: String,
    },
    /// Timely or the system refused.
    #[error("cannot start the exchange between workers: {0}")]
    Start(String),
}

/// What to do where a worker cannot listen.
fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            "; end the program that listens there, perhaps a worker of an earlier run, or give this worker another port"
        }
        io::ErrorKind::AddrNotAvailable => "; expected an address of this machine",
        io::ErrorKind::PermissionDenied => "; a port above 1023 needs no permission",
        _ => "",
    }
}

/// Messages of a superstep, and where the answer goes.
struct Request {
    to: Vec<Vec<u8>>,
    answer: Sender<Answer>,
}

/// A message from each worker, or one that has ended and sent none.
type Answer = Result<Vec<Vec<u8>>, usize>;

/// A worker's end of an exchange over TCP.
///
/// Dropping it ends the worker in good order: the others may go on without an error as long as they need nothing from it.
pub struct Tcp {
    hosts: Hosts,
    requests: Option<Sender<Request>>,
    communicator: std::thread::Thread,
    guards: Option<timely::communication::WorkerGuards<()>>,
    health: Arc<Health>,
}

/// What the connections know.
#[derive(Default)]
struct Health {
    lost: Mutex<Option<(usize, String)>>,
    /// Bytes that were written to sockets.
    sent: AtomicU64,
}

impl Tcp {
    /// Connects the workers; returns when all have come. `listener` listens at this worker's address already, if given.
    ///
    /// # Errors
    ///
    /// [`JoinError`], with the worker that has not come.
    pub fn join(hosts: Hosts, listener: Option<TcpListener>) -> Result<Self, JoinError> {
        let workers = hosts.addresses.len();
        if hosts.worker >= workers {
            return Err(JoinError::NoSuchWorker { worker: hosts.worker, workers });
        }
        let health = Arc::new(Health::default());
        let start = |error: io::Error| JoinError::Start(error.to_string());
        let watched = |peer| Watched::new(peer, hosts.silence, health.clone());
        let peers = meeting::meet(&hosts, listener)?.into_iter();
        let sockets = peers.map(|peer| peer.map(watched).transpose()).collect::<Result<Vec<_>, _>>().map_err(start)?;
        let hooks = Hooks::default();
        let own = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), None);
        let (builders, guard) =
            initialize_networking_from_sockets(own, sockets, hosts.worker, 1, hooks).map_err(start)?;
        let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
        let (requests, receiver) = channel();
        let (started, thread) = channel();
        let work = Mutex::new(Some((receiver, started)));
        let serve = move |worker: &mut Worker| {
            let work = work.lock().ok().and_then(|mut work| work.take());
            let Some((requests, started)) = work else { return };
            let _ = started.send(std::thread::current());
            communicate(worker, &requests);
        };
        let config = timely::WorkerConfig::default();
        let guards =
            timely::execute::execute_from(builders, Box::new(guard), config, serve).map_err(JoinError::Start)?;
        let communicator = thread.recv().map_err(|error| JoinError::Start(error.to_string()))?;
        Ok(Tcp { hosts, requests: Some(requests), communicator, guards: Some(guards), health })
    }

    fn lost(&self) -> Option<Lost> {
        let lost = self.health.lost.lock().expect("no thread panics with the lock");
        let (worker, reason) = lost.clone()?;
        Some(Lost { worker, at: Some(self.hosts.addresses[worker].clone()), reason })
    }
}

impl Exchange for Tcp {
    fn worker(&self) -> usize {
        self.hosts.worker
    }

    fn workers(&self) -> usize {
        self.hosts.addresses.len()
    }

    fn bytes_on_network(&self) -> u64 {
        self.health.sent.load(Ordering::Relaxed)
    }

    fn all_to_all(&mut self, to: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Lost> {
        assert_eq!(to.len(), self.workers(), "there is a message for each worker");
        let (answer, answered) = channel();
        let own = |reason: &str| Lost { worker: self.hosts.worker, at: None, reason: reason.to_owned() };
        let requests = self.requests.as_ref().ok_or_else(|| own("has ended"))?;
        requests.send(Request { to, answer }).map_err(|_| self.lost().unwrap_or_else(|| own("has ended")))?;
        self.communicator.unpark();
        loop {
            match answered.recv_timeout(Duration::from_millis(50)) {
                Ok(Ok(from)) => return Ok(from),
                Ok(Err(worker)) => {
                    let at = Some(self.hosts.addresses[worker].clone());
                    return Err(Lost { worker, at, reason: "has ended".to_owned() });
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(lost) = self.lost() {
                        return Err(lost);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.lost().unwrap_or_else(|| own("cannot exchange messages any more")));
                }
            }
        }
    }
}

impl Drop for Tcp {
    fn drop(&mut self) {
        drop(self.requests.take());
        self.communicator.unpark();
        // What was sent last is on its way when all threads have ended. They never do where a connection is broken.
        let (guards, (done, ended)) = (self.guards.take(), channel::<()>());
        let waiting = std::thread::Builder::new().spawn(move || {
            drop(guards);
            drop(done);
        });
        let until = Instant::now() + LINGER;
        while waiting.is_ok() && self.lost().is_none() && Instant::now() < until {
            if ended.recv_timeout(Duration::from_millis(10)) == Err(RecvTimeoutError::Disconnected) {
                break;
            }
        }
    }
}

/// One message on its way: the worker it is for, the one it is from, its epoch, and its bytes.
type Parcel = (u64, u64, u64, Bytes);

/// Bytes that are written as they are.
#[derive(Clone, serde::Serialize, serde::Deserialize)]
struct Bytes(#[serde(with = "serde_bytes")] Vec<u8>);

/// Serves the requests of a worker until it ends.
fn communicate(worker: &mut Worker, requests: &Receiver<Request>) {
    let me = worker.index() as u64;
    let workers = worker.peers();
    let arrived: Rc<RefCell<Vec<Parcel>>> = Rc::default();
    let mut input: InputHandle<u64, timely::container::CapacityContainerBuilder<Vec<Parcel>>> = InputHandle::new();
    let (probe, into) = {
        let into = arrived.clone();
        let probe = worker.dataflow(|scope| {
            let by_target = ByTarget::new(|parcel: &Parcel| parcel.0);
            let stream = scope.input_from(&mut input);
            let kept = stream.unary::<timely::container::CapacityContainerBuilder<Vec<()>>, _, _, _>(
                by_target,
                "arrive",
                move |_, _| {
                    move |input, _| input.for_each(|_, parcels: &mut Vec<Parcel>| into.borrow_mut().append(parcels))
                },
            );
            kept.probe().0
        });
        (probe, arrived)
    };
    let mut epoch = 0;
    let mut answer: Option<Sender<Answer>> = None;
    loop {
        if let Some(waiting) = answer.take_if(|_| !probe.less_than(&epoch)) {
            let mut from: Vec<Option<Vec<u8>>> = vec![None; workers];
            // A worker that has its messages already may have sent those of the next epoch, too.
            for (_, sender, _, bytes) in into.borrow_mut().extract_if(.., |parcel| parcel.2 < epoch) {
                from[sender as usize] = Some(bytes.0);
            }
            let all = from.into_iter().enumerate().map(|(sender, bytes)| bytes.ok_or(sender)).collect();
            // If nobody waits any more, the worker has ended.
            let _ = waiting.send(all);
        }
        if answer.is_none() {
            match requests.try_recv() {
                Ok(Request { to, answer: waiting }) => {
                    for (target, bytes) in to.into_iter().enumerate() {
                        input.send((target as u64, me, epoch, Bytes(bytes)));
                    }
                    epoch += 1;
                    input.advance_to(epoch);
                    answer = Some(waiting);
                }
                Err(TryRecvError::Empty) => {}
                // The input is dropped, and the dataflow ends when those of the others have.
                Err(TryRecvError::Disconnected) => return,
            }
        }
        worker.step_or_park(Some(Duration::from_millis(100)));
    }
}

/// Listeners at free ports of this machine, with their addresses: for workers on one machine.
///
/// # Errors
///
/// If the system has no free port.
pub fn free_ports(workers: usize) -> io::Result<(Vec<TcpListener>, Vec<String>)> {
    let listeners: Vec<TcpListener> =
        (0..workers).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<Result<_, _>>()?;
    let addresses = listeners.iter().map(|l| l.local_addr().map(|at| at.to_string())).collect::<Result<_, _>>()?;
    Ok((listeners, addresses))
}

/// A random secret for the workers of one run, of 32 hexadecimal digits.
///
/// # Errors
///
/// If the system has no random numbers.
pub fn random_secret() -> io::Result<String> {
    let [a, b] = greeting::random()?;
    Ok(format!("{a:016x}{b:016x}"))
}
