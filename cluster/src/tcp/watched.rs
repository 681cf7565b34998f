//! Connections that remember how they broke, and pass on only what a worker of the run can have sent: timely panics over anything else.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use timely::communication::allocator::zero_copy::stream::Stream;

use super::Health;

/// Bytes of what timely puts before each message: its channel, its source, its first target, the one behind its last, its length, and its
/// place among all. A connection that ends in good order ends with a header of zeros.
const HEADER: usize = 48;

/// Bytes of a message that nobody sends.
const MOST: u64 = 1 << 40;

/// Where in a connection headers stand.
#[derive(Clone)]
struct Frames {
    /// Who sends, and to whom.
    between: (u64, u64),
    header: [u8; HEADER],
    /// Bytes of the header that have come, and bytes of the message that have not.
    come: usize,
    left: u64,
    /// Whether the header of zeros has come.
    ended: bool,
}

impl Frames {
    fn between(from: usize, to: usize) -> Self {
        Frames { between: (from as u64, to as u64), header: [0; HEADER], come: 0, left: 0, ended: false }
    }

    /// Follows what has come; whether it can be what the worker sends.
    fn take(&mut self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            if self.ended {
                return false;
            }
            let message = self.left.min(bytes.len() as u64);
            self.left -= message;
            bytes = &bytes[message as usize..];
            let more = bytes.len().min(HEADER - self.come);
            self.header[self.come..self.come + more].copy_from_slice(&bytes[..more]);
            (self.come, bytes) = (self.come + more, &bytes[more..]);
            if self.come == HEADER {
                let number = |k: usize| self.header[8 * k..8 * k + 8].iter().fold(0, |all, &b| all << 8 | u64::from(b));
                let [_, source, first, behind, length, _] = std::array::from_fn(number);
                let (from, to) = self.between;
                self.ended = self.header == [0; HEADER];
                if !self.ended && ((source, first, behind) != (from, to, to + 1) || !(1..MOST).contains(&length)) {
                    return false;
                }
                (self.come, self.left) = (0, length);
            }
        }
        true
    }
}

/// A socket that remembers how it broke.
pub(super) struct Watched {
    worker: usize,
    socket: TcpStream,
    health: Arc<Health>,
    frames: Frames,
}

impl Watched {
    /// The connection of worker `me` to another one.
    pub(super) fn new((me, worker): (usize, usize), socket: TcpStream, health: Arc<Health>) -> Self {
        Watched { worker, socket, health, frames: Frames::between(worker, me) }
    }

    /// Notes that the other worker is gone, and ends this thread's work: timely would panic.
    fn broken(&self, reason: String) -> ! {
        let mut lost = self.health.lost.lock().expect("no thread panics with the lock");
        lost.get_or_insert((self.worker, reason));
        drop(lost);
        loop {
            std::thread::park();
        }
    }
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.socket.read(buffer) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                self.broken(format!("has ended: {error}"));
            }
            Ok(0) if !self.frames.ended && !buffer.is_empty() => self.broken("has ended".to_owned()),
            Ok(got) => match self.frames.take(&buffer[..got]) {
                true => Ok(got),
                false => self.broken("sends what no worker of this run does".to_owned()),
            },
            error => error,
        }
    }
}

impl Write for Watched {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.socket.write(bytes) {
            Ok(sent) => {
                self.health.sent.fetch_add(sent as u64, Ordering::Relaxed);
                Ok(sent)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => self.broken(format!("has ended: {error}")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}

impl Stream for Watched {
    fn try_clone(&self) -> io::Result<Self> {
        let Watched { worker, socket, health, frames } = self;
        let (socket, health, frames) = (socket.try_clone()?, health.clone(), frames.clone());
        Ok(Watched { worker: *worker, socket, health, frames })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.socket.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.socket.shutdown(how)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(numbers: [u64; 6]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
    }

    #[test]
    fn headers_are_found_wherever_reads_end() {
        let good = [header([3, 1, 0, 1, 5, 0]), vec![255; 5], header([0, 1, 0, 1, 100, 1]), vec![0; 100]].concat();
        let all = [good.clone(), header([0; 6])].concat();
        for step in [1, 2, 5, 47, 48, 49, 1000] {
            let mut frames = Frames::between(1, 0);
            for (k, piece) in all.chunks(step).enumerate() {
                assert!(!frames.ended, "{k} of {step}");
                assert!(frames.take(piece), "{k} of {step}");
            }
            assert!(frames.ended && !frames.take(&[0]), "{step}: nothing follows the end");
        }
        for bad in
            [[3, 2, 0, 1, 5, 0], [3, 1, 1, 2, 5, 0], [3, 1, 0, 9, 5, 0], [3, 1, 0, 1, 1 << 50, 0], [3, 1, 0, 1, 0, 0]]
        {
            let mut frames = Frames::between(1, 0);
            assert!(frames.take(&good) && !frames.take(&header(bad)), "{bad:?}");
        }
    }
}
