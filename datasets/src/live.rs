//! A reader with a deadline, for streams that deliver slowly or never end.
//!
//! A thread reads from the source and hands over what it has got. A reader of these bytes waits for it until a deadline, or until a stop is
//! asked for, and can go on later.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes that are read at a time.
const PIECE: usize = 1 << 18;

/// Pieces that may wait to be taken.
const WAITING: usize = 4;

/// How often it is looked whether a stop was asked for.
const LOOK: Duration = Duration::from_millis(50);

/// Until when is waited; without, until the end.
#[derive(Clone, Default)]
pub(crate) struct Deadline {
    shared: Arc<Mutex<Option<Instant>>>,
    /// The deadline that was set last. Only one handle sets deadlines.
    last: Option<Instant>,
}

impl Deadline {
    /// Sets the deadline. It is called for each line, and takes the lock only if the deadline changes.
    pub(crate) fn set(&mut self, deadline: Option<Instant>) {
        if self.last != deadline {
            self.last = deadline;
            *self.shared.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
        }
    }

    fn get(&self) -> Option<Instant> {
        *self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A reader beside a thread that reads ahead.
pub(crate) struct Live {
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    at: usize,
    deadline: Deadline,
    stop: Arc<AtomicBool>,
}

impl Live {
    /// Reads `source` on a thread of its own, which ends with the source, or once its bytes are not taken any more.
    pub(crate) fn new(mut source: Box<dyn Read + Send>, stop: Arc<AtomicBool>) -> io::Result<Live> {
        let (send, pieces) = sync_channel(WAITING);
        let read = move || {
            loop {
                let mut piece = vec![0; PIECE];
                let read = match source.read(&mut piece) {
                    Ok(0) => break,
                    Ok(length) => {
                        piece.truncate(length);
                        Ok(piece)
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => Err(error),
                };
                let failed = read.is_err();
                if send.send(read).is_err() || failed {
                    break;
                }
            }
        };
        thread::Builder::new().name("lines".to_owned()).spawn(read)?;
        Ok(Live { pieces, piece: Vec::new(), at: 0, deadline: Deadline::default(), stop })
    }

    /// Until when `read` waits.
    pub(crate) fn deadline(&self) -> Deadline {
        self.deadline.clone()
    }
}

impl Read for Live {
    /// Fails with [`io::ErrorKind::WouldBlock`] where there is nothing before the deadline, or a stop is asked for.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.piece.len() {
            if self.stop.load(Ordering::Relaxed) {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            let left = self.deadline.get().map(|deadline| deadline.saturating_duration_since(Instant::now()));
            match self.pieces.recv_timeout(left.map_or(LOOK, |left| left.min(LOOK))) {
                Ok(piece) => {
                    self.piece = piece?;
                    self.at = 0;
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
                Err(RecvTimeoutError::Timeout) if left.is_some_and(|left| left <= LOOK) => {
                    return Err(io::ErrorKind::WouldBlock.into());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        let length = buffer.len().min(self.piece.len() - self.at);
        buffer[..length].copy_from_slice(&self.piece[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}
