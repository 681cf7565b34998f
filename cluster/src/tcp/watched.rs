//! Connections that check the bytes they receive, and note why they broke. Timely panics if it receives bytes that no timely worker has sent.
//!
//! ```text
//!   length │ bytes │ code          length │ bytes │ code          0 │ code            END │ code
//!   a record                       the next record                a heartbeat         the last record
//! ```
//!
//! Timely gets the bytes of a record once the code has been checked. The code covers the bytes, their length, and the number of the record.
//! A worker that has nothing to send sends a heartbeat every second. A worker that sends nothing for longer than `silence` counts as lost.

use std::io::{self, IoSlice, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use timely::communication::allocator::zero_copy::stream::Stream;

use super::Health;
use super::greeting::Peer;
use super::seal::{CODE, Code, Key};

/// Bytes of a record, at most.
const RECORD: usize = 64 << 10;

/// The length that the last record states.
const END: u32 = u32::MAX;

/// Time between two heartbeats.
const BEAT: Duration = Duration::from_secs(1);

/// Computes the codes of the records of one direction. A record that is changed, repeated, left out or moved gets another code.
#[derive(Clone)]
struct Seal {
    key: Key,
    /// The number of the next record.
    count: u64,
}

impl Seal {
    /// The code of the next record.
    fn code(&mut self, length: [u8; 4], bytes: &[u8]) -> Code {
        // The content comes first: BLAKE3 hashes many of its blocks at once if they start at a multiple of its block size.
        let code = self.key.code(&[bytes, &length, &self.count.to_le_bytes()]);
        self.count += 1;
        code
    }
}

/// The connection to a worker, which the threads that read, write and send heartbeats share.
struct Link {
    worker: usize,
    socket: TcpStream,
    health: Arc<Health>,
    /// How long the other worker may send nothing.
    silence: Duration,
    sending: Mutex<Sending>,
}

/// The state of the direction to the other worker.
struct Sending {
    seal: Seal,
    /// When the last record was sent.
    last: Instant,
    /// Whether the last record has been sent.
    ended: bool,
}

impl Link {
    /// Sends a record. The length is 0 for a heartbeat and [`END`] for the last record, both without bytes.
    fn send(&self, length: u32, bytes: &[u8]) -> io::Result<()> {
        let mut sending = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        let length = length.to_le_bytes();
        let code = sending.seal.code(length, bytes);
        self.write([&length, bytes, code.as_bytes()])?;
        (sending.last, sending.ended) = (Instant::now(), length == END.to_le_bytes());
        let sent = length.len() + bytes.len() + CODE;
        self.health.sent.fetch_add(sent as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Writes the parts of a record to the socket, without copying them together.
    fn write(&self, parts: [&[u8]; 3]) -> io::Result<()> {
        let mut slices = parts.map(IoSlice::new);
        let mut left = &mut slices[..];
        while !left.is_empty() {
            match (&self.socket).write_vectored(left) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => IoSlice::advance_slices(&mut left, written),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Sends a heartbeat if no record was sent for a while. Returns false if no further heartbeat is needed.
    fn beat(&self) -> bool {
        let due = {
            let Ok(sending) = self.sending.try_lock() else { return true };
            if sending.ended {
                return false;
            }
            sending.last.elapsed() >= BEAT
        };
        // If the connection is broken, the thread that reads from it reports this.
        !due || self.send(0, &[]).is_ok()
    }

    fn note(&self, reason: String) {
        let mut lost = self.health.lost.lock().unwrap_or_else(PoisonError::into_inner);
        lost.get_or_insert((self.worker, reason));
    }

    /// Notes why the other worker is lost, and blocks this thread for good: timely would panic if it got an error.
    fn broken(&self, reason: String) -> ! {
        self.note(reason);
        loop {
            std::thread::park();
        }
    }

    /// As [`broken`](Self::broken), after an error of the socket. `silent` says what the other worker has not done, if that took too long.
    fn failed(&self, error: &io::Error, silent: &str) -> ! {
        self.broken(match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                format!("{silent} for {} s", self.silence.as_secs_f64())
            }
            _ => format!("has ended: {error}"),
        })
    }
}

/// The state of the direction from the other worker.
#[derive(Clone)]
struct Received {
    seal: Seal,
    /// The bytes of the current record.
    record: Vec<u8>,
    /// How many of them timely has read.
    at: usize,
    /// Whether the last record has been received.
    ended: bool,
}

/// The connection to another worker, as timely uses it.
pub(super) struct Watched {
    link: Arc<Link>,
    received: Received,
}

impl Watched {
    /// The connection to a worker that has been greeted, and counts as lost if it sends nothing for longer than `silence`.
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

    /// Fills `bytes` from the socket. `begun` is when the first byte of the record came, if it did: a record may not take longer than `silence`.
    fn fill(&self, mut bytes: &mut [u8], begun: Option<Instant>) {
        while !bytes.is_empty() {
            match (&self.link.socket).read(bytes) {
                Ok(0) => self.link.broken("has ended".to_owned()),
                Ok(got) => bytes = &mut bytes[got..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.link.failed(&error, "has sent nothing"),
            }
            if begun.is_some_and(|begun| begun.elapsed() > self.link.silence) {
                self.link.failed(&io::ErrorKind::TimedOut.into(), "has not sent the rest of a record");
            }
        }
    }

    /// Reads the next record into `buffer` if it fits, and into `self.received.record` otherwise. Returns the number of bytes in `buffer`.
    fn next_record(&mut self, buffer: &mut [u8]) -> usize {
        let mut length = [0; 4];
        self.fill(&mut length, None);
        let begun = Some(Instant::now());
        let bytes = match u32::from_le_bytes(length) {
            END => 0,
            bytes => bytes as usize,
        };
        if bytes <= RECORD {
            let fits = bytes <= buffer.len();
            let mut record = std::mem::take(&mut self.received.record);
            record.resize(if fits { 0 } else { bytes }, 0);
            let content = if fits { &mut buffer[..bytes] } else { &mut record[..] };
            self.fill(content, begun);
            let mut code = [0; CODE];
            self.fill(&mut code, begun);
            if self.received.seal.code(length, content) == code {
                (self.received.record, self.received.at) = (record, 0);
                self.received.ended = length == END.to_le_bytes();
                return if fits { bytes } else { 0 };
            }
        }
        self.link.broken("sends what no worker of this run does".to_owned())
    }
}

/// Sends heartbeats until the connection is closed.
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
            let got = self.next_record(buffer);
            if got > 0 {
                return Ok(got);
            }
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
            Err(error) => self.link.failed(&error, "has received nothing"),
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
            self.link.failed(&error, "has received nothing");
        }
        self.link.socket.shutdown(how)
    }
}
