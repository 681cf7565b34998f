//! Streams whose lines are not in the order of their times.
//!
//! Either all of them are sorted, in pieces of bounded size that are kept in files without names and then merged; or lines are held back until
//! those that may still come cannot be earlier.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::PathBuf;
use std::time::Instant;

use crate::error::Error;
use crate::stream::{EdgeStream, EdgeUpdate, Operation, Polled};

/// Updates that are sorted at a time: 128 MiB.
const PIECE: usize = 1 << 21;

/// In which order updates are given out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeOrder {
    /// As they come.
    #[default]
    AsRead,
    /// By their times; those of equal times as they come. All are read before the first is given out.
    Sorted,
    /// By their times, each held back until a line was read that is this much later. One that comes later than that is given out as it comes.
    Late(u64),
}

/// The updates of a stream in an order of their times. Updates without a time are given out as they come.
pub struct Updates {
    stream: EdgeStream,
    order: TimeOrder,
    /// Held back: the earliest on top.
    held: BinaryHeap<Reverse<Timed>>,
    /// The latest time so far.
    newest: i64,
    /// The sorted pieces, once all is read.
    merge: Option<Merge>,
    piece: usize,
}

/// An update that is ordered by its time and then by its line.
struct Timed(EdgeUpdate);

impl Timed {
    fn key(&self) -> (Option<i64>, u64) {
        (self.0.time, self.0.line)
    }
}

impl PartialEq for Timed {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Timed {}

impl PartialOrd for Timed {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Timed {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl From<EdgeStream> for Updates {
    /// The updates as they come.
    fn from(stream: EdgeStream) -> Self {
        Updates::new(stream, TimeOrder::AsRead)
    }
}

impl Updates {
    /// The updates of `stream` in an order.
    pub fn new(stream: EdgeStream, order: TimeOrder) -> Self {
        Updates { stream, order, held: BinaryHeap::new(), newest: i64::MIN, merge: None, piece: PIECE }
    }

    /// The stream.
    pub fn stream(&self) -> &EdgeStream {
        &self.stream
    }

    /// The next update. [`Polled::Pending`] if the deadline passes first, as in [`EdgeStream::poll`].
    pub fn poll(&mut self, deadline: Option<Instant>) -> Polled {
        match self.order {
            TimeOrder::AsRead => self.stream.poll(deadline),
            TimeOrder::Late(late) => self.poll_late(late, deadline),
            TimeOrder::Sorted => self.poll_sorted(),
        }
    }

    fn poll_late(&mut self, late: u64, deadline: Option<Instant>) -> Polled {
        loop {
            let due = self.newest.saturating_sub_unsigned(late);
            if self.held.peek().is_some_and(|Reverse(first)| first.0.time <= Some(due)) {
                return self.pop().map_or(Polled::End, Polled::Update);
            }
            match self.stream.poll(deadline) {
                Polled::Update(update) => {
                    let Some(time) = update.time else { return Polled::Update(update) };
                    self.newest = self.newest.max(time);
                    self.held.push(Reverse(Timed(update)));
                }
                Polled::End => return self.pop().map_or(Polled::End, Polled::Update),
                other => return other,
            }
        }
    }

    fn pop(&mut self) -> Option<EdgeUpdate> {
        self.held.pop().map(|Reverse(Timed(update))| update)
    }

    fn poll_sorted(&mut self) -> Polled {
        if self.merge.is_none() {
            let mut pieces = Vec::new();
            let mut piece: Vec<EdgeUpdate> = Vec::new();
            loop {
                match self.stream.poll(None) {
                    Polled::Update(update) => piece.push(update),
                    Polled::End => break,
                    other => return other,
                }
                if piece.len() == self.piece {
                    match spill(&mut piece) {
                        Ok(file) => pieces.push(file),
                        Err(error) => return Polled::Error(failed(error)),
                    }
                }
            }
            piece.sort_by_key(|update| update.time);
            match Merge::of(pieces, piece) {
                Ok(merge) => self.merge = Some(merge),
                Err(error) => return Polled::Error(failed(error)),
            }
        }
        match self.merge.as_mut().expect("it was just made").next() {
            Ok(Some(update)) => Polled::Update(update),
            Ok(None) => Polled::End,
            Err(error) => Polled::Error(failed(error)),
        }
    }
}

fn failed(error: io::Error) -> Error {
    Error::Io { path: PathBuf::from("a temporary file of the sorted stream"), source: error }
}

/// Bytes of an update in a file.
const RECORD: usize = 42;

/// Sorts a piece and writes it to a file without a name.
fn spill(piece: &mut Vec<EdgeUpdate>) -> io::Result<File> {
    piece.sort_by_key(|update| update.time);
    let mut file = BufWriter::with_capacity(1 << 20, tempfile::tempfile()?);
    for update in piece.drain(..) {
        file.write_all(&encode(&update))?;
    }
    let mut file = file.into_inner().map_err(|error| error.into_error())?;
    file.rewind()?;
    Ok(file)
}

fn encode(update: &EdgeUpdate) -> [u8; RECORD] {
    let mut record = [0; RECORD];
    record[0] = match update.operation {
        Operation::Insert => 0,
        Operation::Reweight => 1,
        Operation::Delete => 2,
    };
    record[1] = u8::from(update.weight.is_some()) | u8::from(update.time.is_some()) << 1;
    let words =
        [update.src, update.dst, update.weight.unwrap_or(0.0).to_bits(), update.time.unwrap_or(0) as u64, update.line];
    for (place, word) in record[2..].chunks_exact_mut(8).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    record
}

fn decode(record: &[u8; RECORD]) -> EdgeUpdate {
    let word = |k: usize| u64::from_le_bytes(*record[2 + 8 * k..].first_chunk().expect("a record has five words"));
    EdgeUpdate {
        operation: [Operation::Insert, Operation::Reweight, Operation::Delete][usize::from(record[0]).min(2)],
        src: word(0),
        dst: word(1),
        weight: (record[1] & 1 != 0).then(|| f64::from_bits(word(2))),
        time: (record[1] & 2 != 0).then(|| word(3) as i64),
        line: word(4),
    }
}

/// Sorted pieces, of which the earliest update is given out.
struct Merge {
    files: Vec<BufReader<File>>,
    last: std::vec::IntoIter<EdgeUpdate>,
    /// The next of each piece; the last piece is the one in memory.
    heads: BinaryHeap<Reverse<(Timed, usize)>>,
}

impl Merge {
    fn of(files: Vec<File>, last: Vec<EdgeUpdate>) -> io::Result<Merge> {
        let files = files.into_iter().map(|file| BufReader::with_capacity(1 << 16, file)).collect::<Vec<_>>();
        let mut merge = Merge { files, last: last.into_iter(), heads: BinaryHeap::new() };
        (0..=merge.files.len()).try_for_each(|piece| merge.advance(piece))?;
        Ok(merge)
    }

    /// Puts the next update of a piece among the heads.
    fn advance(&mut self, piece: usize) -> io::Result<()> {
        let update = match self.files.get_mut(piece) {
            None => self.last.next(),
            Some(file) => {
                let mut record = [0; RECORD];
                match file.read_exact(&mut record) {
                    Ok(()) => Some(decode(&record)),
                    Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => None,
                    Err(error) => return Err(error),
                }
            }
        };
        self.heads.extend(update.map(|update| Reverse((Timed(update), piece))));
        Ok(())
    }

    fn next(&mut self) -> io::Result<Option<EdgeUpdate>> {
        let Some(Reverse((Timed(update), piece))) = self.heads.pop() else { return Ok(None) };
        self.advance(piece)?;
        Ok(Some(update))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::StreamOptions;

    fn lines(text: String, order: TimeOrder, piece: usize) -> Vec<u64> {
        let stream = EdgeStream::new("s", io::Cursor::new(text), StreamOptions::default());
        let mut updates = Updates { piece, ..Updates::new(stream, order) };
        std::iter::from_fn(|| match updates.poll(None) {
            Polled::Update(update) => Some(update.line),
            Polled::End => None,
            other => panic!("{other:?}"),
        })
        .collect()
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn sorting_in_pieces_is_sorting() {
        let times: Vec<i64> = (0..1000).map(|k: i64| k * k * 37 % 101 - 50).collect();
        let text: String = times.iter().enumerate().map(|(k, time)| format!("- {k} {} 0.5 {time}\n", 2 * k)).collect();
        let mut expected: Vec<u64> = (1..=1000).collect();
        expected.sort_by_key(|&line| times[line as usize - 1]);
        for piece in [1_000_000, 1000, 999, 64] {
            assert_eq!(lines(text.clone(), TimeOrder::Sorted, piece), expected, "{piece}");
        }
    }

    #[test]
    fn records_come_back() {
        let update = EdgeUpdate {
            operation: Operation::Reweight,
            src: 1,
            dst: u64::MAX,
            weight: Some(-0.5),
            time: Some(-7),
            line: 9,
        };
        for update in [update, EdgeUpdate { operation: Operation::Delete, weight: None, time: None, ..update }] {
            assert_eq!(decode(&encode(&update)), update);
        }
    }

    #[test]
    fn lines_are_held_back_as_long_as_earlier_ones_may_come() {
        let text = "1 2 1 10\n1 2 1 14\n1 2 1 12\n1 2 1 20\n1 2 1 11\n1 2 1 19\n".to_owned();
        // 12 overtakes 14; 11 comes when 20 has been read, which gave 14 out.
        assert_eq!(lines(text.clone(), TimeOrder::Late(3), 1), [1, 3, 2, 5, 6, 4]);
        assert_eq!(lines(text.clone(), TimeOrder::Late(100), 1), [1, 5, 3, 2, 6, 4]);
        assert_eq!(lines(text, TimeOrder::Late(0), 1), [1, 2, 3, 4, 5, 6]);
    }
}
