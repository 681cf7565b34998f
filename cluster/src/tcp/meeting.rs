//! Connects all workers: each calls those with lower numbers, and meanwhile answers those with higher ones.

use std::io;
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use super::greeting::{GREETED, Greeting, Peer, Unmet};
use super::{Hosts, JoinError, seal};

/// Most handshakes at a time. Further callers wait until one of these has ended or has reached its time limit.
const GUESTS: usize = 256;

/// The longest patience: a longer one would overflow the clock.
const LONGEST: Duration = Duration::from_secs(1 << 30);

/// A connection to each other worker, in their order.
pub(super) fn meet(hosts: &Hosts, listener: Option<TcpListener>) -> Result<Vec<Option<Peer>>, JoinError> {
    let (me, addresses) = (hosts.worker, &hosts.addresses);
    let listen = |error| JoinError::Listen { worker: me, address: addresses[me].clone(), error };
    let listener = match listener {
        Some(listener) => listener,
        None => TcpListener::bind(&addresses[me]).map_err(listen)?,
    };
    listener.set_nonblocking(true).map_err(listen)?;
    let until = Instant::now() + hosts.patience.min(LONGEST);
    let greeting = Greeting { key: seal::key_of(hosts.key, &hosts.secret), me, workers: addresses.len() };
    let given_up = &AtomicBool::new(false);
    let (before, behind) = std::thread::scope(|scope| {
        let guests = Guests::new(&greeting, &listener, until);
        let answering = scope.spawn(move || guests.all(given_up));
        let before = call_all(hosts, &greeting, until);
        given_up.store(before.is_err(), Ordering::Relaxed);
        (before, answering.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    let (mut peers, (behind, noticed)) = (before?, behind.map_err(listen)?);
    peers.push(None);
    peers.extend(behind);
    match peers.iter().enumerate().position(|(worker, peer)| worker != me && peer.is_none()) {
        None => Ok(peers),
        Some(worker) => {
            let (address, patience) = (addresses[worker].clone(), hosts.patience);
            Err(JoinError::Absent { worker, address, patience, last: noticed.map(io::Error::other) })
        }
    }
}

/// Calls the workers with lower numbers, one after the other, until each has answered.
fn call_all(hosts: &Hosts, greeting: &Greeting, until: Instant) -> Result<Vec<Option<Peer>>, JoinError> {
    let mut peers = Vec::new();
    for (worker, address) in hosts.addresses.iter().enumerate().take(hosts.worker) {
        let address = address.clone();
        peers.push(loop {
            let limit = limit(until);
            match dial(&address, limit).map_err(Unmet::from).and_then(|socket| greeting.call(socket, worker, limit)) {
                Ok(peer) => break Some(peer),
                Err(Unmet::Stranger) => return Err(JoinError::Stranger { worker, address }),
                Err(Unmet::Silent(error)) if Instant::now() >= until => {
                    let patience = hosts.patience;
                    return Err(JoinError::Absent { worker, address, patience, last: Some(error) });
                }
                Err(Unmet::Silent(_)) => {}
            }
            std::thread::sleep(Duration::from_millis(20));
        });
    }
    Ok(peers)
}

/// The time limit of a handshake that should end before `until`.
fn limit(until: Instant) -> Duration {
    until.saturating_duration_since(Instant::now()).clamp(Duration::from_millis(200), GREETED)
}

/// Connects to the first IP address of a host that accepts.
fn dial(address: &str, limit: Duration) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no IP address");
    for place in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&place, limit) {
            Ok(socket) => return Ok(socket),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// The callers of this worker.
struct Guests<'g> {
    greeting: &'g Greeting,
    listener: &'g TcpListener,
    until: Instant,
    /// Where handshakes send their results.
    out: Sender<Result<Peer, Unmet>>,
    come: Receiver<Result<Peer, Unmet>>,
}

/// The connection to each worker with a higher number, and a message about other callers, if there were any.
type Behind = (Vec<Option<Peer>>, Option<&'static str>);

impl<'g> Guests<'g> {
    fn new(greeting: &'g Greeting, listener: &'g TcpListener, until: Instant) -> Self {
        let (out, come) = channel();
        Guests { greeting, listener, until, out, come }
    }

    /// Answers callers until all workers have come, or it is too late. A caller that is no worker of this run is refused; a worker whose handshake
    /// failed calls again.
    fn all(self, given_up: &AtomicBool) -> io::Result<Behind> {
        let first = self.greeting.me + 1;
        let mut peers: Vec<Option<Peer>> = (first..self.greeting.workers).map(|_| None).collect();
        let (mut greeted, mut noticed) = (0, None);
        while peers.iter().any(Option::is_none) && !given_up.load(Ordering::Relaxed) {
            while let Ok(guest) = self.come.try_recv() {
                greeted -= 1;
                match guest {
                    Ok(peer) => {
                        let place = peer.worker - first;
                        peers[place] = Some(peer);
                    }
                    Err(Unmet::Stranger) => noticed = Some(STRANGERS),
                    Err(Unmet::Silent(_)) => noticed = noticed.or(Some(SILENT)),
                }
            }
            let late = Instant::now() >= self.until;
            let someone = if greeted < GUESTS { self.someone()? } else { None };
            match someone {
                Some(socket) => greeted += usize::from(self.greet(socket)),
                None if late && greeted == 0 => break,
                None => std::thread::sleep(Duration::from_millis(5)),
            }
            if late && Instant::now() >= self.until + GREETED {
                break;
            }
        }
        Ok((peers, noticed))
    }

    /// The next connection, if there is one.
    fn someone(&self) -> io::Result<Option<TcpStream>> {
        match self.listener.accept() {
            Ok((socket, _)) => Ok(Some(socket)),
            Err(error) => match error.kind() {
                // A caller may have closed the connection before it was accepted.
                io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted | io::ErrorKind::ConnectionAborted => Ok(None),
                _ => Err(error),
            },
        }
    }

    /// Starts a handshake in a thread of its own. Returns whether the system had a thread for it.
    fn greet(&self, socket: TcpStream) -> bool {
        let (greeting, out, limit) = (self.greeting.clone(), self.out.clone(), limit(self.until));
        // Nobody receives the result if all workers have come meanwhile.
        let greet = move || drop(out.send(greeting.answer(socket, limit)));
        std::thread::Builder::new().spawn(greet).is_ok()
    }
}

const STRANGERS: &str = "callers were refused: they were no workers of this run, or had another version of Pleach, other arguments or another secret";
const SILENT: &str = "a caller connected and sent no greeting";
