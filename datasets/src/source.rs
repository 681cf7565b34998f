//! Bytes from a file, decompressed as they come, cut into blocks at line ends and parsed in parallel.
//!
//! ```text
//!  file ──► (unpack) ──► block 0 │ block 1 │ block 2 …      whole lines, about a mebibyte each
//!                          │         │         │            handed out in order, parsed by whichever worker is free
//!                        part 0    part 1    part 2 …       returned in order
//! ```
//!
//! A free worker takes the next block and reads it while the others parse theirs, so that decompression overlaps parsing, and there is at most one
//! block for each worker in memory. Plain files are read the same way rather than mapped: with 4 threads over 200 MB in
//! the page cache, reused block buffers gave 2.3–2.5 GB/s and a mapping 2.3–2.6, but a mapped file that another process shortens
//! kills the process, a pipe cannot be mapped, and the padding behind a block lets numbers be parsed a word at a time.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::iter::{ParallelBridge, ParallelIterator};

use crate::binary::Binary;
use crate::compress::Compression;
use crate::error::{Error, Fault};
use crate::progress::{Counted, Meter, Observer};

/// Bytes of text in one block: large enough to make hand-over free, small enough to stay in a core's own cache.
const BLOCK: usize = 1 << 20;

/// Bytes that are read to recognise the format.
const SNIFF: usize = 64 << 10;

/// Longest line that any reader accepts. A neighbour list of a hub can be long; a file without line ends must not fill the memory.
pub(crate) const MAX_LINE: usize = 256 << 20;

/// Zero bytes behind the text of a block, so that a word can be loaded at any position of it.
pub(crate) const PAD: usize = 16;

/// A text file that is being read.
pub(crate) struct Source {
    path: PathBuf,
    reader: Box<dyn Read + Send>,
    compressed: bool,
    /// The file itself and its length, if it is plain and can be read at any offset.
    plain: Option<(File, u64)>,
    /// The text of a bundled graph.
    text: Option<&'static [u8]>,
    meter: Meter,
    /// What was read and not yet handed out is `head[at..]`.
    head: Vec<u8>,
    at: usize,
    end: bool,
    lines: u64,
    /// Bytes of the lines that were consumed one by one.
    consumed: u64,
}

impl Source {
    /// Opens a plain or compressed file. Compression is recognised by content; a name that ends in `.gz`, `.zst`, `.xz` or `.bz2` on a plain file is an error.
    pub(crate) fn open(path: &Path, meter: &Meter) -> Result<Source, Error> {
        if path == Path::new("-") {
            return Source::of_stdin(meter);
        }
        let mut file = File::open(path).map_err(|e| Error::io(path, e))?;
        let metadata = file.metadata().map_err(|e| Error::io(path, e))?;
        if metadata.is_dir() {
            return Err(Error::Directory { path: path.to_owned() });
        }
        let mut magic = Vec::with_capacity(4);
        Read::by_ref(&mut file).take(4).read_to_end(&mut magic).map_err(|e| Error::io(path, e))?;
        let compression = Compression::of_content(&magic);
        if let Some(promised) = Compression::of_name(path)
            && compression.is_none()
        {
            return Err(match magic.is_empty() {
                true => Error::Empty { path: path.to_owned(), expected: "a compressed graph" },
                false => Error::NotCompressed { path: path.to_owned(), ending: promised.ending() },
            });
        }
        let plain = match compression.is_none() && metadata.is_file() {
            true => Some((file.try_clone().map_err(|e| Error::io(path, e))?, metadata.len())),
            false => None,
        };
        let raw = Counted::new(io::Cursor::new(magic).chain(file), meter);
        let reader: Box<dyn Read + Send> = match compression {
            Some(compression) => compression.decoder(Box::new(raw)).map_err(|e| Error::io(path, e))?,
            None => Box::new(raw),
        };
        Source::new(path, reader, compression.is_some(), plain, meter)
    }

    /// Standard input, plain or compressed.
    fn of_stdin(meter: &Meter) -> Result<Source, Error> {
        let path = Path::new("standard input");
        let mut magic = Vec::with_capacity(4);
        io::stdin().take(4).read_to_end(&mut magic).map_err(|e| Error::io(path, e))?;
        let compression = Compression::of_content(&magic);
        let raw = Counted::new(io::Cursor::new(magic).chain(io::stdin()), meter);
        let reader: Box<dyn Read + Send> = match compression {
            Some(compression) => compression.decoder(Box::new(raw)).map_err(|e| Error::io(path, e))?,
            None => Box::new(raw),
        };
        Source::new(path, reader, compression.is_some(), None, meter)
    }

    /// Text in memory, plain or compressed. Errors name it `path`.
    pub(crate) fn from_text(path: &Path, text: &'static [u8]) -> Result<Source, Error> {
        let compression = Compression::of_content(text);
        let reader: Box<dyn Read + Send> = match compression {
            Some(compression) => compression.decoder(Box::new(text)).map_err(|e| Error::io(path, e))?,
            None => Box::new(text),
        };
        let meter = Meter::new(&Observer::default(), 0);
        Ok(Source { text: Some(text), ..Source::new(path, reader, compression.is_some(), None, &meter)? })
    }

    /// The text of a bundled graph, which has no file.
    pub(crate) fn program_text(&self) -> Option<&'static [u8]> {
        self.text
    }

    /// Opens a file, or the `text` of a bundled graph, from its beginning once more.
    pub(crate) fn again(path: &Path, text: Option<&'static [u8]>) -> Result<Source, Error> {
        match text {
            Some(text) => Source::from_text(path, text),
            None => Source::open(path, &Meter::new(&Observer::default(), 0)),
        }
    }

    fn new(
        path: &Path,
        reader: Box<dyn Read + Send>,
        compressed: bool,
        plain: Option<(File, u64)>,
        meter: &Meter,
    ) -> Result<Source, Error> {
        let mut source = Source {
            path: path.to_owned(),
            reader,
            compressed,
            plain,
            text: None,
            meter: meter.clone(),
            head: Vec::new(),
            at: 0,
            end: false,
            lines: 0,
            consumed: 0,
        };
        while !source.end && source.head.len() < SNIFF {
            source.more(SNIFF)?;
        }
        Ok(source)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The length of a plain file that can be read at any offset.
    pub(crate) fn plain_len(&self) -> Option<u64> {
        self.plain.as_ref().map(|plain| plain.1)
    }

    /// Where the first line begins that was not consumed.
    pub(crate) fn consumed(&self) -> u64 {
        self.consumed
    }

    /// How many lines were consumed.
    pub(crate) fn lines(&self) -> u64 {
        self.lines
    }

    /// Consumes some whole lines, closed and padded; `None` at the end of the file. They are counted by [`count_lines`](Self::count_lines).
    pub(crate) fn block(&mut self) -> Result<Option<Vec<u8>>, Error> {
        let mut searched = 0;
        let length = loop {
            while !self.end && self.peek().len() < searched + BLOCK {
                self.more(BLOCK)?;
            }
            if self.end {
                break self.peek().len();
            }
            if let Some(last) = memchr::memrchr(b'\n', &self.peek()[searched..]) {
                break searched + last + 1;
            }
            searched = self.peek().len();
            if searched > MAX_LINE {
                return Err(Error::at(&self.path, self.lines + 1, 1, Fault::LineTooLong { limit: MAX_LINE }));
            }
        };
        if length == 0 {
            return Ok(None);
        }
        let mut block = self.peek()[..length].to_vec();
        self.at += length;
        self.head.drain(..self.at);
        self.at = 0;
        close(&mut block);
        Ok(Some(block))
    }

    /// Counts the lines of a [`block`](Self::block), whose last line is closed.
    pub(crate) fn count_lines(&mut self, block: &[u8]) {
        self.lines += memchr::memchr_iter(b'\n', block).count() as u64;
    }

    /// The first bytes that have not been consumed: at least 64 KiB, or the whole rest of the file.
    pub(crate) fn peek(&self) -> &[u8] {
        &self.head[self.at..]
    }

    /// Whether `peek` shows the whole rest of the file.
    pub(crate) fn is_all(&self) -> bool {
        self.end
    }

    /// The error of `fault` at `column` of the line consumed last.
    pub(crate) fn fault(&self, column: usize, fault: Fault) -> Error {
        Error::at(&self.path, self.lines.max(1), column, fault)
    }

    /// The rest of the file, as text.
    pub(crate) fn text(self) -> Result<String, Error> {
        let path = self.path.clone();
        let bytes = self.rest()?;
        String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let byte = error.as_bytes().get(at).copied().unwrap_or_default();
            Error::Binary { path, offset: at, byte }
        })
    }

    /// The rest of the file, as it is read.
    pub(crate) fn into_reader(self) -> impl Read + Send {
        let Source { reader, mut head, at, .. } = self;
        head.drain(..at);
        io::Cursor::new(head).chain(reader)
    }

    /// The rest of the file.
    pub(crate) fn rest(mut self) -> Result<Vec<u8>, Error> {
        let mut bytes = self.head.split_off(self.at);
        let left = self.plain_len().map_or(0, |all| all.saturating_sub(bytes.len() as u64));
        bytes.reserve_exact(usize::try_from(left).unwrap_or(0));
        let read = self.reader.read_to_end(&mut bytes);
        read.map_err(|error| self.wrap(error))?;
        Ok(bytes)
    }

    /// Looks at the next line without its end; `None` at the end of the file.
    pub(crate) fn peek_line(&mut self) -> Result<Option<&[u8]>, Error> {
        let mut searched = 0;
        let length = loop {
            if let Some(found) = memchr::memchr(b'\n', &self.peek()[searched..]) {
                break searched + found;
            }
            searched = self.peek().len();
            if self.end {
                break searched;
            }
            if searched > MAX_LINE {
                return Err(Error::at(&self.path, self.lines + 1, 1, Fault::LineTooLong { limit: MAX_LINE }));
            }
            self.more(SNIFF)?;
        };
        if self.end && self.peek().is_empty() {
            return Ok(None);
        }
        let line = &self.peek()[..length];
        Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)))
    }

    /// Consumes one line and returns it without its end; `None` at the end of the file.
    pub(crate) fn line(&mut self) -> Result<Option<Vec<u8>>, Error> {
        let Some(line) = self.peek_line()?.map(<[u8]>::to_vec) else { return Ok(None) };
        let end = memchr::memchr(b'\n', self.peek()).map_or(self.peek().len(), |n| n + 1);
        self.at += end;
        self.consumed += end as u64;
        self.lines += 1;
        if self.at > SNIFF {
            self.head.drain(..self.at);
            self.at = 0;
        }
        Ok(Some(line))
    }

    /// Consumes empty lines and lines that begin with one of `marks`.
    pub(crate) fn skip_comments(&mut self, marks: &[u8]) -> Result<(), Error> {
        while let Some(line) = self.peek_line()? {
            match line.iter().find(|b| !matches!(b, b' ' | b'\t')) {
                Some(first) if !marks.contains(first) => break,
                _ => self.line()?,
            };
        }
        Ok(())
    }

    /// Skips the mark that some programs put in front of UTF-8.
    pub(crate) fn skip_mark(&mut self) {
        if self.consumed == 0 && self.peek().starts_with(MARK) {
            self.at = MARK.len();
            self.consumed = MARK.len() as u64;
        }
    }

    /// Refuses a file with bytes that do not occur in text, among those read so far. Skips the mark that some programs put in front of UTF-8.
    pub(crate) fn check_text(&mut self) -> Result<(), Error> {
        self.skip_mark();
        let odd = |b: &u8| *b < b' ' && !matches!(b, b'\n' | b'\r' | b'\t' | 0x0b | 0x0c);
        match self.peek().iter().position(odd) {
            Some(offset) => Err(Error::Binary { path: self.path.clone(), offset, byte: self.peek()[offset] }),
            None => Ok(()),
        }
    }

    /// Changes to reading arrays of numbers, from the beginning of the file. Nothing may have been consumed before.
    pub(crate) fn into_binary(self) -> Binary {
        debug_assert_eq!(self.at, 0, "the head is handed on");
        let Source { path, reader, compressed, plain, meter, head, .. } = self;
        match plain {
            Some((file, len)) => Binary::of_file(path, file, len, meter, head.len() as u64),
            None => Binary::of_stream(path, Box::new(io::Cursor::new(head).chain(reader)), compressed),
        }
    }

    /// Appends up to `limit` more bytes to the head.
    fn more(&mut self, limit: usize) -> Result<(), Error> {
        let old = self.head.len();
        self.head.resize(old + limit, 0);
        let result = fill(&mut *self.reader, &mut self.head[old..]);
        self.head.truncate(old + *result.as_ref().unwrap_or(&0));
        self.end = self.head.len() < old + limit;
        result.map(drop).map_err(|e| self.wrap(e))
    }

    fn wrap(&self, error: io::Error) -> Error {
        wrap(&self.path, self.compressed, error)
    }

    /// Cuts the rest into blocks of whole lines and parses them in parallel; the results come back in the order of the file.
    ///
    /// `parse` is given the text of one block. The first fault in the order of the file is reported, whatever the number of threads.
    pub(crate) fn parse<T: Send>(self, parse: impl Fn(Text<'_>) -> Result<T, At> + Sync) -> Result<Vec<T>, Error> {
        let (path, compressed, before) = (self.path.clone(), self.compressed, self.lines);
        let failed = AtomicBool::new(false);
        let spare = Mutex::new(Vec::new());
        let blocks =
            Blocks { carry: self.head[self.at..].to_vec(), source: self, spare: &spare, index: 0, failed: &failed };
        let parts = Mutex::new(Vec::new());
        blocks.each(&|index, block| {
            let result = block.and_then(|buffer| {
                let text = Text { bytes: &buffer, len: buffer.len() - PAD };
                let lines = memchr::memchr_iter(b'\n', text.as_bytes()).count();
                let part = parse(Text { ..text }).map_err(Stop::At);
                spare.lock().expect("no thread panics with the lock").push(buffer);
                Ok::<_, Stop>((part?, lines as u64))
            });
            if result.is_err() {
                failed.store(true, Ordering::Relaxed);
            }
            parts.lock().expect("no thread panics with the lock").push((index, result));
        });
        let mut parts = parts.into_inner().expect("no thread panics with the lock");
        parts.sort_unstable_by_key(|(index, _)| *index);
        let mut line = before;
        let mut done = Vec::with_capacity(parts.len());
        for (_, part) in parts {
            match part {
                Ok((part, lines)) => {
                    line += lines;
                    done.push(part);
                }
                Err(Stop::At(at)) => return Err(Error::at(&path, line + at.line + 1, at.column, at.fault)),
                Err(Stop::TooLong) => {
                    return Err(Error::at(&path, line + 1, 1, Fault::LineTooLong { limit: MAX_LINE }));
                }
                Err(Stop::Io(error)) => return Err(wrap(&path, compressed, error)),
            }
        }
        Ok(done)
    }
}

/// The byte order mark, in UTF-8.
pub(crate) const MARK: &[u8] = b"\xef\xbb\xbf";

/// The text of one block: whole lines, the last one closed by a line end, and [`PAD`] zero bytes behind them.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a> {
    bytes: &'a [u8],
    len: usize,
}

impl<'a> Text<'a> {
    /// The text without the padding.
    pub(crate) fn as_bytes(self) -> &'a [u8] {
        &self.bytes[..self.len]
    }

    /// The text with the padding.
    pub(crate) fn padded(self) -> &'a [u8] {
        self.bytes
    }

    /// The number of bytes without the padding.
    pub(crate) fn len(self) -> usize {
        self.len
    }

    /// Text over a buffer that was closed by [`close`].
    pub(crate) fn of(buffer: &'a [u8]) -> Text<'a> {
        Text { bytes: buffer, len: buffer.len() - PAD }
    }
}

/// Closes the last line of a buffer and pads it.
pub(crate) fn close(buffer: &mut Vec<u8>) {
    if buffer.last() != Some(&b'\n') {
        buffer.push(b'\n');
    }
    buffer.resize(buffer.len() + PAD, 0);
}

/// A fault and its place in a block: the line counted from 0, the column from 1.
#[derive(Debug)]
pub(crate) struct At {
    pub(crate) line: u64,
    pub(crate) column: usize,
    pub(crate) fault: Fault,
}

/// Why a block could not be parsed.
enum Stop {
    At(At),
    TooLong,
    Io(io::Error),
}

/// The blocks of a source, in order.
struct Blocks<'a> {
    source: Source,
    /// The beginning of the next block: what followed the last line end of the one before.
    carry: Vec<u8>,
    spare: &'a Mutex<Vec<Vec<u8>>>,
    index: usize,
    failed: &'a AtomicBool,
}

impl Blocks<'_> {
    /// Calls `each` with every block, in parallel. Compiled once for all that is parsed.
    fn each(self, each: &(dyn Fn(usize, Result<Vec<u8>, Stop>) + Sync)) {
        self.par_bridge().for_each(|(index, block)| each(index, block));
    }

    /// Reads one block; `None` at the end of the file.
    fn read(&mut self) -> Result<Option<Vec<u8>>, Stop> {
        let mut buffer = self.spare.lock().expect("no thread panics with the lock").pop().unwrap_or_default();
        buffer.clear();
        buffer.append(&mut self.carry);
        let mut searched = 0;
        loop {
            if !self.source.end && buffer.len() < searched + BLOCK {
                let old = buffer.len();
                let wanted = searched + BLOCK - old;
                buffer.resize(old + wanted, 0);
                let got = fill(&mut *self.source.reader, &mut buffer[old..]).map_err(Stop::Io)?;
                buffer.truncate(old + got);
                self.source.end = got < wanted;
            }
            if self.source.end {
                break;
            }
            if let Some(last) = memchr::memrchr(b'\n', &buffer[searched..]) {
                self.carry.extend_from_slice(&buffer[searched + last + 1..]);
                buffer.truncate(searched + last + 1);
                break;
            }
            searched = buffer.len();
            if searched > MAX_LINE {
                return Err(Stop::TooLong);
            }
        }
        if buffer.is_empty() {
            return Ok(None);
        }
        close(&mut buffer);
        Ok(Some(buffer))
    }
}

impl Iterator for Blocks<'_> {
    type Item = (usize, Result<Vec<u8>, Stop>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed.load(Ordering::Relaxed) {
            return None;
        }
        let block = self.read().transpose()?;
        self.index += 1;
        Some((self.index, block))
    }
}

/// Reads until `buffer` is full or the input ends, and returns how much it was.
pub(crate) fn fill(reader: &mut (dyn Read + Send), buffer: &mut [u8]) -> io::Result<usize> {
    let mut got = 0;
    while got < buffer.len() {
        match reader.read(&mut buffer[got..]) {
            Ok(0) => break,
            Ok(n) => got += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(got)
}

/// The error of a reader: damaged compressed data, or a failing disk.
pub(crate) fn wrap(path: &Path, compressed: bool, error: io::Error) -> Error {
    let path = path.to_owned();
    match Compression::fault(&error).filter(|_| compressed) {
        Some(reason) => Error::Compressed { path, reason },
        None => Error::Io { path, source: error },
    }
}
