//! The handshake of two workers. Each proves to the other that it has the key of the run, without sending the key.
//!
//! ```text
//!   caller                                        listener
//!   hello: its number, workers, a nonce ──►
//!                                               ◄── hello, and the code of both hellos
//!   the code of both hellos ──►
//!                                               ◄── another code of both hellos
//! ```
//!
//! By the last code the caller learns that the listener counts it as met. The listener may give up any handshake before, and the caller calls
//! again. The listener's side waits for nobody: one thread goes on with all handshakes.
//!
//! A recorded hello cannot be used again, because the nonce of the other side differs in each handshake. The keys of the two directions of the
//! connection are derived from both hellos.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::seal::{CODE, Code, Key};

/// The first number of a hello, with the byte order of the machine: machines of different byte orders cannot exchange messages.
const HELLO: u64 = 0x0300_706c_6561_6368;

/// Time limit of a handshake.
pub(super) const GREETED: Duration = Duration::from_secs(5);

/// [`HELLO`], the number of the worker, the number of workers, and a nonce of two numbers.
type Hello = [u64; 5];

/// A worker's part in handshakes.
pub(super) struct Greeting {
    /// The key of the run.
    pub(super) key: Key,
    /// The number of the worker.
    pub(super) me: usize,
    pub(super) workers: usize,
}

/// Another worker of the run, with the keys of the directions to it and from it.
pub(super) struct Peer {
    pub(super) worker: usize,
    pub(super) socket: TcpStream,
    pub(super) sent: Key,
    pub(super) received: Key,
}

/// Why a handshake failed.
#[derive(Debug)]
pub(super) enum Unmet {
    /// The other side sent too little in time, or closed the connection.
    Silent(io::Error),
    /// The other side is not the expected worker of this run.
    Stranger,
}

impl From<io::Error> for Unmet {
    fn from(error: io::Error) -> Self {
        Unmet::Silent(error)
    }
}

/// A caller of this worker, whose handshake has not ended.
pub(super) struct Guest {
    socket: TcpStream,
    /// When it must have ended.
    until: Instant,
    mine: Hello,
    theirs: Hello,
    /// The code that the caller sends.
    proof: [u8; CODE],
    /// Bytes of the caller's hello and code that have come.
    come: usize,
}

/// How far a handshake is.
pub(super) enum Greeted {
    /// The caller has to send more.
    Waits(Guest),
    Met(Peer),
}

impl Guest {
    /// A caller that has connected, and has so much time.
    pub(super) fn new(greeting: &Greeting, socket: TcpStream, limit: Duration) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        socket.set_nodelay(true)?;
        let (until, mine) = (Instant::now() + limit, greeting.hello()?);
        Ok(Guest { socket, until, mine, theirs: [0; 5], proof: [0; CODE], come: 0 })
    }

    /// Goes on as far as bytes have come. The caller must be a worker whose number is higher.
    pub(super) fn go_on(mut self, greeting: &Greeting) -> Result<Greeted, Unmet> {
        loop {
            let rest = match self.come.checked_sub(size_of::<Hello>()) {
                None => &mut bytemuck::cast_slice_mut::<u64, u8>(&mut self.theirs)[self.come..],
                Some(come) => &mut self.proof[come..],
            };
            match self.socket.read(rest) {
                Ok(0) => return Err(self.failed(closed())),
                Ok(got) => self.come += got,
                Err(error) => match error.kind() {
                    io::ErrorKind::Interrupted => continue,
                    io::ErrorKind::WouldBlock if Instant::now() < self.until => return Ok(Greeted::Waits(self)),
                    io::ErrorKind::WouldBlock => return Err(self.failed(late())),
                    _ => return Err(self.failed(error)),
                },
            }
            let hellos = [self.theirs, self.mine];
            if self.come == size_of::<Hello>() {
                if self.theirs[0] != HELLO {
                    return Err(Unmet::Stranger);
                }
                // All that is sent in a handshake fits the send buffer.
                let code = greeting.code("listens", hellos);
                self.socket.write_all(&[bytemuck::cast_slice::<u64, u8>(&self.mine), code.as_slice()].concat())?;
            }
            if self.come == size_of::<Hello>() + CODE {
                let [_, worker, workers, ..] = self.theirs;
                let is_higher = workers == self.mine[2] && (greeting.me as u64 + 1..workers).contains(&worker);
                if !is_higher || greeting.code("calls", hellos) != self.proof {
                    return Err(Unmet::Stranger);
                }
                self.socket.write_all(greeting.code("has met", hellos).as_bytes())?;
                return greeting.met(self.socket, worker as usize, hellos).map(Greeted::Met);
            }
        }
    }

    /// Why the handshake failed. A caller with another key closes the connection when it has got the listener's code.
    fn failed(&self, error: io::Error) -> Unmet {
        if self.come < size_of::<Hello>() { Unmet::Silent(error) } else { Unmet::Stranger }
    }
}

impl Greeting {
    /// The caller's side of the handshake with a worker.
    pub(super) fn call(&self, mut socket: TcpStream, worker: usize, limit: Duration) -> Result<Peer, Unmet> {
        let until = Instant::now() + limit;
        let mine = self.hello()?;
        socket.set_nodelay(true)?;
        // A hello fits the send buffer, so that a write waits only if the network is broken.
        socket.set_write_timeout(Some(limit))?;
        socket.write_all(bytemuck::cast_slice(&mine))?;
        let mut theirs: Hello = [0; 5];
        read_until(&mut socket, bytemuck::cast_slice_mut(&mut theirs), until)?;
        if theirs[..3] != [HELLO, worker as u64, mine[2]] {
            return Err(Unmet::Stranger);
        }
        let hellos = [mine, theirs];
        let mut proof = [0; CODE];
        read_until(&mut socket, &mut proof, until)?;
        if self.code("listens", hellos) != proof {
            return Err(Unmet::Stranger);
        }
        socket.write_all(self.code("calls", hellos).as_bytes())?;
        // The listener may have begun later, and would count this worker as met until its own time is over.
        read_until(&mut socket, &mut proof, until + GREETED)?;
        match self.code("has met", hellos) == proof {
            true => self.met(socket, worker, hellos),
            false => Err(Unmet::Stranger),
        }
    }

    fn hello(&self) -> io::Result<Hello> {
        let [a, b] = random()?;
        Ok([HELLO, self.me as u64, self.workers as u64, a, b])
    }

    /// The code of both hellos, for a purpose.
    fn code(&self, purpose: &str, hellos: [Hello; 2]) -> Code {
        self.key.code(&[purpose.as_bytes(), bytemuck::cast_slice(&hellos[0]), bytemuck::cast_slice(&hellos[1])])
    }

    /// The peer after a handshake that has succeeded.
    fn met(&self, socket: TcpStream, worker: usize, hellos: [Hello; 2]) -> Result<Peer, Unmet> {
        socket.set_nonblocking(false)?;
        socket.set_read_timeout(None)?;
        socket.set_write_timeout(None)?;
        let of = |sender: usize| Key::new(self.code(&format!("{sender} sends"), hellos));
        Ok(Peer { worker, socket, sent: of(self.me), received: of(worker) })
    }
}

fn late() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "it sent no complete greeting")
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "it closed the connection during the greeting")
}

/// Fills `bytes` from the socket, or fails at `until`.
fn read_until(socket: &mut TcpStream, mut bytes: &mut [u8], until: Instant) -> io::Result<()> {
    while !bytes.is_empty() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(late());
        }
        socket.set_read_timeout(Some(left))?;
        match socket.read(bytes) {
            Ok(0) => return Err(closed()),
            Ok(got) => bytes = &mut bytes[got..],
            Err(error) => match error.kind() {
                io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {}
                _ => return Err(error),
            },
        }
    }
    Ok(())
}

/// Two random numbers of the operating system, fit for secrets.
pub(super) fn random() -> io::Result<[u64; 2]> {
    Ok([getrandom::u64()?, getrandom::u64()?])
}
