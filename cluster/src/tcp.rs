//! Workers that are processes, on one machine or several: an [`Exchange`] on timely dataflow over TCP.
//!
//! ```text
//!   worker ── message a worker ──► communicator: timely worker ── exchange by target, at epoch e ──► communicators of the others
//!      ▲                                                                    │
//!      └──────── messages of epoch e ◄───── when the frontier has passed e ─┘
//! ```
//!
//! A superstep is an epoch of a timely dataflow of one operator. Timely moves the messages and tracks progress; when its frontier has passed the epoch, no
//! message of it can come any more. Connections are made here and not by timely, so that a host that does not answer is an error after a
//! while, and so that the connection that breaks names the worker that has ended.

mod watched;

use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
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

/// What a connection begins with, in the order of bytes of the machine: workers whose orders differ do not understand each other.
const GREETING: u64 = 0x0100_706c_6561_6368;

/// How long a greeting may take.
const GREETED: Duration = Duration::from_secs(5);

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
    /// A number that is the same at workers that belong together, so that no stranger joins. Those of another version of this crate do not.
    pub key: u64,
}

impl Hosts {
    /// Worker `worker` of those at the addresses.
    pub fn new(worker: usize, addresses: Vec<String>) -> Self {
        Hosts { worker, addresses, patience: Duration::from_secs(60), key: 0 }
    }

    /// How long to wait for the others to come.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Hosts { patience, ..self }
    }

    /// A number that workers have in common that belong together.
    #[must_use]
    pub fn with_key(self, key: u64) -> Self {
        Hosts { key, ..self }
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
    #[error("worker {worker} cannot listen at {address}: {error}")]
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
         addresses and the same arguments"
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
        let sockets = connect(&hosts, listener)?;
        let watched = |(worker, socket): (usize, Option<TcpStream>)| {
            socket.map(|socket| Watched::new((hosts.worker, worker), socket, health.clone()))
        };
        let sockets: Vec<_> = sockets.into_iter().enumerate().map(watched).collect();
        let start = |error: io::Error| JoinError::Start(error.to_string());
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

/// A connection to each other worker: made to those before this one, awaited from those behind it.
fn connect(hosts: &Hosts, listener: Option<TcpListener>) -> Result<Vec<Option<TcpStream>>, JoinError> {
    let (me, addresses) = (hosts.worker, &hosts.addresses);
    let until = Instant::now() + hosts.patience;
    let listen = |error| JoinError::Listen { worker: me, address: addresses[me].clone(), error };
    let listener = match listener {
        Some(listener) => listener,
        None => TcpListener::bind(&addresses[me]).map_err(listen)?,
    };
    listener.set_nonblocking(true).map_err(listen)?;
    let mut sockets: Vec<Option<TcpStream>> = addresses.iter().map(|_| None).collect();
    let key = of_version(hosts.key);
    let mine = [GREETING, key, me as u64, addresses.len() as u64];
    let mut strangers = 0u64;
    for (worker, address) in addresses.iter().enumerate().take(me) {
        sockets[worker] = loop {
            let greeted = TcpStream::connect(address).and_then(|mut socket| {
                let theirs = greet(&mut socket, mine)?;
                socket.write_all(&[1])?;
                Ok((socket, theirs))
            });
            match greeted {
                Ok((socket, theirs)) if theirs == [GREETING, key, worker as u64, mine[3]] => break Some(socket),
                Ok(_) => return Err(JoinError::Stranger { worker, address: address.clone() }),
                Err(error) if Instant::now() >= until => {
                    let (address, patience) = (address.clone(), hosts.patience);
                    return Err(JoinError::Absent { worker, address, patience, last: Some(error) });
                }
                Err(_) => {}
            }
            std::thread::sleep(Duration::from_millis(20));
        };
    }
    while let Some(worker) = (me + 1..addresses.len()).find(|&worker| sockets[worker].is_none()) {
        match listener.accept() {
            Ok((mut socket, _)) => {
                // Whoever is no worker of this run is turned away; a worker comes again.
                let greeted = socket.set_nonblocking(false).and_then(|()| {
                    let theirs = greet(&mut socket, mine)?;
                    // It has heard the greeting, too, and has not given up meanwhile.
                    socket.set_read_timeout(Some(GREETED))?;
                    socket.read_exact(&mut [0])?;
                    socket.set_read_timeout(None)?;
                    Ok(theirs)
                });
                match greeted {
                    Ok([GREETING, theirs, other, count])
                        if (theirs, count) == (key, mine[3]) && (me as u64 + 1..count).contains(&other) =>
                    {
                        sockets[other as usize] = Some(socket);
                    }
                    _ => strangers += 1,
                }
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if Instant::now() >= until {
                    let (address, patience) = (addresses[worker].clone(), hosts.patience);
                    let last = (strangers > 0).then(|| {
                        let words = "others came that are no workers of this run, or of another version of Pleach, or with other arguments";
                        io::Error::other(words)
                    });
                    return Err(JoinError::Absent { worker, address, patience, last });
                }
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(error) => return Err(listen(error)),
        }
    }
    Ok(sockets)
}

/// A key that workers of another version do not have (FNV-1a).
fn of_version(key: u64) -> u64 {
    env!("CARGO_PKG_VERSION")
        .bytes()
        .fold(key ^ 0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Says who this is and hears who is there.
fn greet(socket: &mut TcpStream, mine: [u64; 4]) -> io::Result<[u64; 4]> {
    socket.set_nodelay(true)?;
    socket.set_read_timeout(Some(GREETED))?;
    socket.write_all(bytemuck::cast_slice(&mine))?;
    let mut theirs = [0u64; 4];
    socket.read_exact(bytemuck::cast_slice_mut(&mut theirs))?;
    socket.set_read_timeout(None)?;
    Ok(theirs)
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
