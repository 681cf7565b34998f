//! Connections that remember how they broke, and pass on only what a worker of the run has sent: timely panics over anything else.
//!
//! ```text
//!   length │ bytes │ code          length │ bytes │ code          0 │ code            end │ code
//!   a record                       the next one                   a sign of life      nothing follows
//! ```
//!
//! A record is passed on when its code is right, which covers its place among all. A worker that has nothing to send sends a sign of life every
//! second: one that is silent for long is gone, or its machine is.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use timely::communication::allocator::zero_copy::stream::Stream;

use super::Health;
use super::greeting::Peer;
use super::seal::{Key, same};

/// Bytes of a record, at most.
const RECORD: usize = 64 << 10;

/// Bytes of the code of a record.
const CODE: usize = 16;

/// In place of a length: nothing follows.
const END: u32 = u32::MAX;

/// How often a worker shows that it is there.
const BEAT: Duration = Duration::from_secs(1);

/// What says of all records of one direction that they are as they were sent, and in their order.
#[derive(Clone)]
struct Seal {
    key: Key,
    /// How many there were.
    count: u64,
}

impl Seal {
    fn code(&mut self, length: [u8; 4], bytes: &[u8]) -> [u8; CODE] {
        let code = self.key.code(&[&self.count.to_le_bytes(), &length, bytes]);
        self.count += 1;
        std::array::from_fn(|k| code[k])
    }
}

/// What both directions of a connection have in common.
struct Link {
    worker: usize,
    socket: TcpStream,
    health: Arc<Health>,
    /// How long the other worker may be silent.
    silence: Duration,
    sending: Mutex<Sending>,
}

/// What is sent.
struct Sending {
    seal: Seal,
    last: Instant,
    ended: bool,
}

impl Link {
    /// Sends a record: bytes, none of them as a sign of life, or the end.
    fn send(&self, length: u32, bytes: &[u8]) -> io::Result<()> {
        let mut sending = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        let length = length.to_le_bytes();
        let code = sending.seal.code(length, bytes);
        let record = [&length, bytes, &code].concat();
        (&self.socket).write_all(&record)?;
        (sending.last, sending.ended) = (Instant::now(), length == END.to_le_bytes());
        self.health.sent.fetch_add(record.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Sends a sign of life if nothing else was sent; false if no more is needed.
    fn beat(&self) -> bool {
        let due = {
            let Ok(sending) = self.sending.try_lock() else { return true };
            if sending.ended {
                return false;
            }
            sending.last.elapsed() >= BEAT
        };
        // What reads finds out if the connection is broken.
        !due || self.send(0, &[]).is_ok()
    }

    fn note(&self, reason: String) {
        let mut lost = self.health.lost.lock().unwrap_or_else(PoisonError::into_inner);
        lost.get_or_insert((self.worker, reason));
    }

    /// Notes that the other worker is gone, and ends this thread's work: timely would panic.
    fn broken(&self, reason: String) -> ! {
        self.note(reason);
        loop {
            std::thread::park();
        }
    }

    fn failed(&self, error: &io::Error, silent: &str) -> ! {
        self.broken(match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                format!("{silent} for {} s", self.silence.as_secs_f64())
            }
            _ => format!("has ended: {error}"),
        })
    }
}

/// What has come.
#[derive(Clone)]
struct Received {
    seal: Seal,
    /// The record that is passed on, and how much of it was.
    record: Vec<u8>,
    at: usize,
    ended: bool,
}

/// A socket that remembers how it broke.
pub(super) struct Watched {
    link: Arc<Link>,
    received: Received,
}

impl Watched {
    /// The connection to another worker, which may be silent for so long.
    pub(super) fn new(peer: Peer, silence: Duration, health: Arc<Health>) -> io::Result<Self> {
        let Peer { worker, socket, sent, received } = peer;
        socket.set_read_timeout(Some(silence))?;
        socket.set_write_timeout(Some(silence))?;
        let seal = |key| Seal { key, count: 0 };
        let sending = Mutex::new(Sending { seal: seal(sent), last: Instant::now(), ended: false });
        let link = Arc::new(Link { worker, socket, health, silence, sending });
        let of_link = Arc::downgrade(&link);
        std::thread::Builder::new().name(format!("pleach:beat-{worker}")).spawn(move || beat(&of_link))?;
        let received = Received { seal: seal(received), record: Vec::new(), at: 0, ended: false };
        Ok(Watched { link, received })
    }

    /// Reads as many bytes of the record that begins with the first of them.
    fn fill(&self, mut bytes: &mut [u8], begun: Option<Instant>) {
        while !bytes.is_empty() {
            match (&self.link.socket).read(bytes) {
                Ok(0) => self.link.broken("has ended".to_owned()),
                Ok(got) => bytes = &mut bytes[got..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.link.failed(&error, "has said nothing"),
            }
            if begun.is_some_and(|begun| begun.elapsed() > self.link.silence) {
                self.link.failed(&io::ErrorKind::TimedOut.into(), "has not ended what it began to say");
            }
        }
    }

    /// Reads the next record.
    fn next_record(&mut self) {
        let mut length = [0; 4];
        let (first, others) = length.split_at_mut(1);
        self.fill(first, None);
        let begun = Some(Instant::now());
        self.fill(others, begun);
        let bytes = match u32::from_le_bytes(length) {
            END => 0,
            bytes => bytes as usize,
        };
        if bytes <= RECORD {
            let mut record = vec![0; bytes + CODE];
            self.fill(&mut record, begun);
            let (said, code) = record.split_at(bytes);
            if same(&self.received.seal.code(length, said), code) {
                record.truncate(bytes);
                (self.received.record, self.received.at) = (record, 0);
                self.received.ended = length == END.to_le_bytes();
                return;
            }
        }
        self.link.broken("sends what no worker of this run does".to_owned())
    }
}

/// Shows every second that this worker is there, as long as the connection is.
fn beat(link: &Weak<Link>) {
    loop {
        std::thread::sleep(BEAT);
        match link.upgrade() {
            Some(link) if link.beat() => {}
            _ => return,
        }
    }
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.received.at == self.received.record.len() && !self.received.ended && !buffer.is_empty() {
            self.next_record();
        }
        let Received { record, at, .. } = &mut self.received;
        let got = buffer.len().min(record.len() - *at);
        buffer[..got].copy_from_slice(&record[*at..*at + got]);
        *at += got;
        Ok(got)
    }
}

impl Write for Watched {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let bytes = &bytes[..bytes.len().min(RECORD)];
        match self.link.send(bytes.len() as u32, bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(error) => self.link.failed(&error, "has taken nothing"),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Watched {
    fn try_clone(&self) -> io::Result<Self> {
        Ok(Watched { link: self.link.clone(), received: self.received.clone() })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.link.socket.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        if let Err(error) = self.link.send(END, &[]) {
            self.link.failed(&error, "has taken nothing");
        }
        self.link.socket.shutdown(how)
    }
}
