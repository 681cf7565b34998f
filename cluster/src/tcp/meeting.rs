//! Connects all workers: each calls those with lower numbers, and meanwhile answers those with higher ones.

use std::collections::VecDeque;
use std::io;
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::greeting::{GREETED, Greeted, Greeting, Guest, Peer, Unmet};
use super::{Hosts, JoinError, seal};

/// Most handshakes at a time. A further caller takes the place of the one that came first: a worker needs its place for milliseconds, and calls
/// again if it has lost it. So callers that only connect, however many they are, keep no worker out.
const GUESTS: usize = 256;

/// Most callers that are let in before all handshakes go on.
const TOGETHER: usize = 32;

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
    let (mut peers, (behind, noticed)) = (before?, behind);
    peers.push(None);
    peers.extend(behind);
    match peers.iter().enumerate().position(|(worker, peer)| worker != me && peer.is_none()) {
        None => Ok(peers),
        Some(worker) => {
            let (address, patience) = (addresses[worker].clone(), hosts.patience);
            Err(JoinError::Absent { worker, address, patience, last: noticed })
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
    /// Handshakes that go on, in the order in which their callers came.
    guests: VecDeque<Guest>,
    /// What is known of callers that were no workers, and of an error of the system.
    noticed: Option<io::Error>,
}

/// The connection to each worker with a higher number, and what is known of others that called, or did not get through.
type Behind = (Vec<Option<Peer>>, Option<io::Error>);

impl<'g> Guests<'g> {
    fn new(greeting: &'g Greeting, listener: &'g TcpListener, until: Instant) -> Self {
        Guests { greeting, listener, until, guests: VecDeque::new(), noticed: None }
    }

    /// Answers callers until all workers have come, or it is too late. A caller that is no worker of this run is refused; a worker whose handshake
    /// failed calls again.
    fn all(mut self, given_up: &AtomicBool) -> Behind {
        let first = self.greeting.me + 1;
        let mut peers: Vec<Option<Peer>> = (first..self.greeting.workers).map(|_| None).collect();
        while peers.iter().any(Option::is_none) && !given_up.load(Ordering::Relaxed) {
            let late = Instant::now() >= self.until;
            let came = self.let_in();
            self.go_on(&mut peers);
            if late && (self.guests.is_empty() || Instant::now() >= self.until + GREETED) {
                break;
            }
            if !came {
                std::thread::sleep(Duration::from_millis(if self.guests.is_empty() { 5 } else { 1 }));
            }
        }
        (peers, self.noticed)
    }

    /// Begins handshakes with some of the callers that wait. Returns whether more may wait.
    fn let_in(&mut self) -> bool {
        for _ in 0..TOGETHER {
            match self.listener.accept() {
                Ok((socket, _)) => match Guest::new(self.greeting, socket, limit(self.until)) {
                    Ok(guest) => {
                        if self.guests.len() == GUESTS {
                            self.guests.pop_front();
                            self.silent();
                        }
                        self.guests.push_back(guest);
                    }
                    Err(error) => self.noticed = Some(error),
                },
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock => return false,
                    // A caller may have closed the connection before it was accepted.
                    io::ErrorKind::Interrupted | io::ErrorKind::ConnectionAborted => {}
                    // There may be no more descriptors: this makes one free.
                    _ => {
                        self.noticed = Some(error);
                        if self.guests.pop_front().is_none() {
                            return false;
                        }
                    }
                },
            }
        }
        true
    }

    /// Goes on with all handshakes.
    fn go_on(&mut self, peers: &mut [Option<Peer>]) {
        for guest in std::mem::take(&mut self.guests) {
            match guest.go_on(self.greeting) {
                Ok(Greeted::Waits(guest)) => self.guests.push_back(guest),
                Ok(Greeted::Met(peer)) => {
                    let place = peer.worker - self.greeting.me - 1;
                    peers[place] = Some(peer);
                }
                Err(Unmet::Stranger) => self.noticed = Some(io::Error::other(STRANGERS)),
                Err(Unmet::Silent(_)) => self.silent(),
            }
        }
    }

    /// A caller has sent no greeting. Anything else that is noticed says more.
    fn silent(&mut self) {
        self.noticed.get_or_insert_with(|| io::Error::other(SILENT));
    }
}

const STRANGERS: &str = "callers were refused: they were no workers of this run, or had another version of Pleach, other arguments or another secret";
const SILENT: &str = "a caller connected and sent no greeting";
