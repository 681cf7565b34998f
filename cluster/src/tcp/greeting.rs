//! How two workers that are connected find out that they belong to the same run. Both show that they have the key, which is not sent.
//!
//! ```text
//!   caller                                        listener
//!   hello: its number, workers, a random number ──►
//!                                               ◄── hello, and the code of both hellos
//!   the code of both hellos ──►
//! ```
//!
//! A hello that was heard elsewhere is of no use: the other side's random number differs each time. From both hellos follow the keys of what is
//! sent afterwards.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::seal::{Code, Key, same};

/// What a hello begins with, in the order of bytes of the machine: workers whose orders differ do not understand each other.
const HELLO: u64 = 0x0200_706c_6561_6368;

/// How long a greeting may take.
pub(super) const GREETED: Duration = Duration::from_secs(5);

/// The mark, the number of the worker, how many workers there are, and two random numbers.
type Hello = [u64; 5];

/// What a worker says of itself.
#[derive(Clone)]
pub(super) struct Greeting {
    pub(super) key: Key,
    pub(super) me: usize,
    pub(super) workers: usize,
}

/// Another worker of the run, with the keys of what is sent to it and of what comes from it.
pub(super) struct Peer {
    pub(super) worker: usize,
    pub(super) socket: TcpStream,
    pub(super) sent: Key,
    pub(super) received: Key,
}

/// Why a greeting came to nothing.
#[derive(Debug)]
pub(super) enum Unmet {
    /// The other side said nothing, or not enough of it, or has gone.
    Silent(io::Error),
    /// The other side is no worker of this run.
    Stranger,
}

impl From<io::Error> for Unmet {
    fn from(error: io::Error) -> Self {
        Unmet::Silent(error)
    }
}

impl Greeting {
    /// Greets the worker that listens at the other end.
    pub(super) fn call(&self, mut socket: TcpStream, worker: usize, limit: Duration) -> Result<Peer, Unmet> {
        let until = Instant::now() + limit;
        let mine = self.hello();
        prepare(&socket, limit)?;
        socket.write_all(bytemuck::cast_slice(&mine))?;
        let mut theirs: Hello = [0; 5];
        read_until(&mut socket, bytemuck::cast_slice_mut(&mut theirs), until)?;
        if theirs[..3] != [HELLO, worker as u64, mine[2]] {
            return Err(Unmet::Stranger);
        }
        let hellos = [mine, theirs];
        let mut shown: Code = [0; 32];
        read_until(&mut socket, &mut shown, until)?;
        if !same(&shown, &self.code("listens", hellos)) {
            return Err(Unmet::Stranger);
        }
        socket.write_all(&self.code("calls", hellos))?;
        self.met(socket, worker, hellos)
    }

    /// Answers whoever has connected, and is a worker behind this one if it belongs to the run.
    pub(super) fn answer(&self, mut socket: TcpStream, limit: Duration) -> Result<Peer, Unmet> {
        let until = Instant::now() + limit;
        let mine = self.hello();
        prepare(&socket, limit)?;
        let mut theirs: Hello = [0; 5];
        read_until(&mut socket, bytemuck::cast_slice_mut(&mut theirs), until)?;
        let [mark, worker, workers, ..] = theirs;
        if mark != HELLO {
            return Err(Unmet::Stranger);
        }
        let hellos = [theirs, mine];
        socket.write_all(bytemuck::cast_slice(&mine))?;
        socket.write_all(&self.code("listens", hellos))?;
        let mut shown: Code = [0; 32];
        // Who has another key goes now.
        read_until(&mut socket, &mut shown, until).map_err(|_| Unmet::Stranger)?;
        let behind = workers == mine[2] && (self.me as u64 + 1..workers).contains(&worker);
        match behind && same(&shown, &self.code("calls", hellos)) {
            true => self.met(socket, worker as usize, hellos),
            false => Err(Unmet::Stranger),
        }
    }

    fn hello(&self) -> Hello {
        let [a, b] = random();
        [HELLO, self.me as u64, self.workers as u64, a, b]
    }

    fn code(&self, what: &str, hellos: [Hello; 2]) -> Code {
        self.key.code(&[what.as_bytes(), bytemuck::cast_slice(&hellos[0]), bytemuck::cast_slice(&hellos[1])])
    }

    fn met(&self, socket: TcpStream, worker: usize, hellos: [Hello; 2]) -> Result<Peer, Unmet> {
        socket.set_read_timeout(None)?;
        socket.set_write_timeout(None)?;
        let of = |sender: usize| Key::new(&self.code(&format!("{sender} sends"), hellos));
        Ok(Peer { worker, socket, sent: of(self.me), received: of(worker) })
    }
}

fn prepare(socket: &TcpStream, limit: Duration) -> io::Result<()> {
    socket.set_nonblocking(false)?;
    socket.set_nodelay(true)?;
    // A hello fits any buffer: writing does not wait, but for a machine that is gone.
    socket.set_write_timeout(Some(limit))
}

/// Reads as many bytes before `until`, however slowly they come.
fn read_until(socket: &mut TcpStream, mut bytes: &mut [u8], until: Instant) -> io::Result<()> {
    while !bytes.is_empty() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "it does not say who it is"));
        }
        socket.set_read_timeout(Some(left))?;
        match socket.read(bytes) {
            Ok(0) => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it goes without saying who it is")),
            Ok(got) => bytes = &mut bytes[got..],
            Err(error) => match error.kind() {
                io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {}
                _ => return Err(error),
            },
        }
    }
    Ok(())
}

/// Two numbers that nobody foresees: hashes by keys that the system has drawn.
pub(super) fn random() -> [u64; 2] {
    [0u8; 2].map(|zero| {
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u8(zero);
        hasher.finish()
    })
}
