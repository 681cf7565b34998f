//! Reads logs: frame by frame up to the end, and says what is wrong where a frame is.

use pleach::runtime::attempt;

use crate::frame::{
    BadHeader, FILE_HEADER, FORMAT, FRAME_HEADER, FRAME_MARK, FrameHeader, FrameKind, read_file_header,
};
use crate::storage::{Storage, StorageFile};
use crate::{OpenError, names};

/// Bytes that are read at once, at least.
const WINDOW: usize = 1 << 20;

/// A log file that is read from its beginning to its end.
pub(crate) struct LogReader {
    path: std::path::PathBuf,
    file: Box<dyn StorageFile>,
    size: u64,
    /// Bytes of the file from a place on.
    window: Vec<u8>,
    at: u64,
    /// Where the next frame begins.
    pub offset: u64,
    /// The version of the last frame.
    pub version: u64,
}

/// How the frames of a file end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With the file.
    Whole,
    /// With bytes that are no frame, and that may be what was being written when the machine stopped.
    Torn,
    /// With bytes that were whole once: something behind them says so.
    Damaged,
}

/// A frame or the end of all.
pub(crate) enum Next<'a> {
    Batch(FrameHeader, &'a [u8]),
    End(End),
}

/// Whether a frame is the batch that leads to a version.
fn makes(header: &FrameHeader, version: u64) -> bool {
    header.kind == FrameKind::Batch && header.version == version
}

impl LogReader {
    /// Opens the log behind a version.
    pub fn open(storage: &dyn Storage, base: u64) -> Result<Self, OpenError> {
        let name = names::log(base);
        let path = storage.path(&name);
        let io = || OpenError::io("read", path.clone());
        let file = storage.open(&name, false).map_err(io())?;
        let size = file.size().map_err(io())?;
        let mut header = [0; FILE_HEADER];
        if size < FILE_HEADER as u64 {
            return Err(OpenError::damaged(path, size, "it ends within its header"));
        }
        file.read_at(&mut header, 0).map_err(io())?;
        let found = match read_file_header(&header) {
            Ok(found) => found,
            Err(BadHeader::Newer(found)) => return Err(OpenError::Newer { path, found, known: FORMAT }),
            Err(BadHeader::Malformed(reason)) => return Err(OpenError::damaged(path, 0, reason)),
        };
        if found != base {
            return Err(OpenError::damaged(path, 16, format!("it begins behind version {found}, not as it is named")));
        }
        let offset = FILE_HEADER as u64;
        Ok(LogReader { path, file, size, window: Vec::new(), at: 0, offset, version: base })
    }

    /// Bytes of the file.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The error of damage at a place.
    pub fn damaged(&self, offset: u64, reason: impl Into<String>) -> OpenError {
        OpenError::Damaged { path: self.path.clone(), offset, reason: reason.into(), repairable: true }
    }

    /// Some bytes, which the file has. Holds no more than those and a window.
    fn slice(&mut self, offset: u64, len: usize) -> Result<&[u8], OpenError> {
        let held = self.at..self.at + self.window.len() as u64;
        if offset < held.start || offset + len as u64 > held.end {
            let bytes = (len.max(WINDOW) as u64).min(self.size - offset) as usize;
            self.window.clear();
            let full = |_| std::io::Error::from(std::io::ErrorKind::OutOfMemory);
            let ready = attempt(|| self.window.try_reserve_exact(bytes)).map_err(full).and_then(|()| {
                self.window.resize(bytes, 0);
                self.file.read_at(&mut self.window, offset)
            });
            if let Err(error) = ready {
                self.window.clear();
                return Err(OpenError::Io { doing: "read", path: self.path.clone(), error });
            }
            self.at = offset;
        }
        let begin = (offset - self.at) as usize;
        Ok(&self.window[begin..begin + len])
    }

    fn header(&mut self, offset: u64) -> Result<Option<FrameHeader>, OpenError> {
        if self.size - offset < FRAME_HEADER as u64 {
            return Ok(None);
        }
        let bytes = self.slice(offset, FRAME_HEADER)?;
        Ok(FrameHeader::read(bytes.first_chunk().expect("as many bytes as were asked for")))
    }

    /// The next batch, or the end.
    pub fn next(&mut self) -> Result<Next<'_>, OpenError> {
        loop {
            if self.offset == self.size {
                return Ok(Next::End(End::Whole));
            }
            let Some(header) = self.frame()? else {
                if self.passes_mark()? {
                    continue;
                }
                return self.broken();
            };
            let payload = self.offset + FRAME_HEADER as u64;
            self.offset = payload + header.padded();
            self.version = header.version;
            if header.kind == FrameKind::Batch {
                return Ok(Next::Batch(header, self.slice(payload, header.len as usize)?));
            }
        }
    }

    /// The header of the next frame, if the frame is complete, undamaged, and of the version that is expected.
    fn frame(&mut self) -> Result<Option<FrameHeader>, OpenError> {
        let Some(header) = self.header(self.offset)? else { return Ok(None) };
        let expected = self.version + u64::from(header.kind == FrameKind::Batch);
        let payload = self.offset + FRAME_HEADER as u64;
        if header.version != expected || header.padded() > self.size - payload {
            return Ok(None);
        }
        let whole = crc32fast::hash(self.slice(payload, header.len as usize)?) == header.sum;
        Ok(whole.then_some(header))
    }

    /// Skips a damaged mark: as many bytes as a mark has, followed by the next batch. No batch is lost by this. The batch behind may be the
    /// last one, which no other frame confirms.
    fn passes_mark(&mut self) -> Result<bool, OpenError> {
        let behind = self.offset + FRAME_HEADER as u64;
        if behind > self.size {
            return Ok(false);
        }
        let next = self.version + 1;
        if !self.header(behind)?.is_some_and(|header| makes(&header, next)) {
            return Ok(false);
        }
        tracing::warn!(path = %self.path.display(), offset = self.offset, "a mark in the log is damaged");
        self.offset = behind;
        Ok(true)
    }

    /// How the log ends where no valid frame follows. It is damaged, and not torn, if a later frame says that this one was on the disk, or
    /// if the next batch follows later: then the bad bytes are not those of an unfinished write.
    fn broken(&mut self) -> Result<Next<'_>, OpenError> {
        let (lost, begin) = (self.version + 1, self.offset);
        let mut offset = begin;
        while self.size - offset >= FRAME_HEADER as u64 {
            let len = (self.size - offset).min(WINDOW as u64) as usize;
            let window = self.slice(offset, len)?;
            // All frames begin at multiples of eight bytes.
            let marks = (0..len - 3).step_by(8).filter(|&at| window[at..at + 4] == FRAME_MARK);
            let marks: Vec<u64> = marks.map(|at| offset + at as u64).collect();
            for at in marks {
                let next = |header: &FrameHeader| at > begin && makes(header, lost);
                if self.header(at)?.is_some_and(|header| header.durable >= lost || next(&header)) {
                    return Ok(Next::End(End::Damaged));
                }
            }
            offset += (len as u64).next_multiple_of(8).min(self.size - offset);
        }
        Ok(Next::End(End::Torn))
    }
}
