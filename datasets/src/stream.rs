//! Streams of edge updates: one a line, read as they come.
//!
//! ```text
//!   + 17 4      - 17 4      op src dst               `+` or `a` inserts, `-` or `d` deletes, `u` changes the weight
//!   u 3 9 0.25              op src dst weight
//!   17 4 0.5                src dst weight
//!   17,4,0.5,1082040961     src,dst,weight,time      separated by commas, semicolons or blanks; below a heading of tabs by tabs
//! ```
//!
//! Where vertices are called by names ([`StreamOptions::names`]), columns are separated as in a list of edges between names, and may be quoted;
//! of the letters for operations only `+` and `-` are known without a word from [`StreamOptions::columns`] or a heading, because others may be names.
//!
//! Operations are spelled in one way in all lines: `1` and `-1`, as KONECT has them, do not go with `+` and `-`.
//!
//! The columns are those that a file of the same lines has (see [`Columns`]): what [`StreamOptions::columns`] says, or a line of names, or
//! KONECT's header, or else their number in the first line that is not a comment (`#`, `%`). A deletion may leave its weight out. If a
//! stream begins with such deletions, the first later line that is no deletion, or that has more columns, settles the columns. A stream has
//! no end that a reader could wait for: lines are parsed one at a time, and nothing but the current one is kept.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use pleach::graph::Ids;

use crate::columns::{Column, Columns};
use crate::compress::Compression;
use crate::error::{Error, Fault};
use crate::input::Direction;
use crate::live::{Deadline, Live};
use crate::read::edge_type;
use crate::read::head::Head;
use crate::read::known_otherwise;
use crate::read::names::{check_quote, fields, is_bare, trimmed, unquoted};
use crate::read::pairs::{Comments, Separator, TAB, field_end, spaces};
use crate::scan::{blanks, decimal_comma, id_fault, is_operation, number, quote, real, token, whole};
use crate::source::MARK;
use crate::source::PAD;

/// Longest line of a stream, in bytes.
const LONGEST: usize = 64 << 10;

/// How a stream is read.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct StreamOptions {
    /// The columns; with `None`, the default, the first line shows them.
    pub columns: Option<Columns>,
    /// Pass over lines that cannot be read, and count them, rather than end with the first. By default the first ends the stream.
    pub skip_bad: bool,
    /// Leave weights out once they are checked, where lines have no operations and `columns` does not name them. By default they are kept.
    pub ignore_weights: bool,
    /// Whether vertices are called by names. By default they are called by whole numbers.
    pub names: bool,
    /// What Gephi's column `Type` must say of each edge, where lines have it: whether edges of the graph have a direction. With `None`, the
    /// default, it is not looked at.
    pub direction: Option<Direction>,
    /// How many digits behind the point of a time are kept: times are whole multiples of 10 to the power of minus this. With `None`, the
    /// default, 6 if the first time has a point, and otherwise 0.
    pub time_digits: Option<u32>,
}

/// The most digits behind the point of a time that can be kept.
pub const MOST_TIME_DIGITS: u32 = 9;

/// The digits that are kept where nothing else is said, and the first time has a point.
const SOME_TIME_DIGITS: u32 = 6;

impl StreamOptions {
    /// The columns of each line.
    #[must_use]
    pub fn with_columns(mut self, columns: impl Into<Option<Columns>>) -> Self {
        self.columns = columns.into();
        self
    }

    /// Whether weights are left out where nothing names them.
    #[must_use]
    pub fn with_ignore_weights(mut self, ignore_weights: bool) -> Self {
        self.ignore_weights = ignore_weights;
        self
    }

    /// Whether vertices are called by names.
    #[must_use]
    pub fn with_names(mut self, names: bool) -> Self {
        self.names = names;
        self
    }

    /// What Gephi's column `Type` must say of each edge.
    #[must_use]
    pub fn with_direction(mut self, direction: impl Into<Option<Direction>>) -> Self {
        self.direction = direction.into();
        self
    }

    /// How many digits behind the point of a time are kept, at most [`MOST_TIME_DIGITS`].
    #[must_use]
    pub fn with_time_digits(mut self, digits: impl Into<Option<u32>>) -> Self {
        self.time_digits = digits.into().map(|digits| digits.min(MOST_TIME_DIGITS));
        self
    }

    /// Whether lines that cannot be read are counted and skipped.
    #[must_use]
    pub fn with_skip_bad(mut self, skip_bad: bool) -> Self {
        self.skip_bad = skip_bad;
        self
    }
}

/// What a line does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Inserts the edge (`+`, `a`, or nothing).
    Insert,
    /// Changes the weight of the edge (`u`).
    Reweight,
    /// Deletes the edge (`-`, `d`).
    Delete,
}

/// A line of a stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeUpdate {
    /// What it does.
    pub operation: Operation,
    /// The source, as the stream numbers it; where vertices are called by names, the number of the name in [`EdgeStream::names`].
    pub src: u64,
    /// The target, in the same way.
    pub dst: u64,
    /// The weight, if the line has one.
    pub weight: Option<f64>,
    /// When it happens, if the line says, in units of the last digit that is kept ([`EdgeStream::time_digits`]).
    pub time: Option<i64>,
    /// Number of the line, from 1.
    pub line: u64,
}

/// How lines look.
#[derive(Clone)]
struct Layout {
    columns: Columns,
    /// Whether there may be more than the columns.
    more: bool,
    /// Whether only deletions without weights were read so far. They do not show whether other lines have weights.
    deletions: bool,
    /// Whether weights are left out.
    ignored: bool,
    /// What separates columns, where vertices are called by names, and below a heading.
    separator: u8,
    /// How operations are spelled, once one was seen.
    spelling: Option<Spelling>,
    /// The place of Gephi's column `Type`, and whether a line was seen that makes it that.
    edge_type: Option<(usize, bool)>,
}

/// How operations are spelled: in one way in all lines, since a number at the beginning of a line may be an id as well.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelling {
    /// `+`, `-`, `a`, `u` or `d`.
    Signs,
    /// KONECT's `1` or `+1` for edges that appear, and `-1` for those that vanish.
    Numbers,
}

/// The operation in a field, and how it is spelled.
fn operation_of(field: &[u8]) -> Option<(Operation, Spelling)> {
    match field {
        b"+" | b"a" => Some((Operation::Insert, Spelling::Signs)),
        b"u" => Some((Operation::Reweight, Spelling::Signs)),
        b"-" | b"d" => Some((Operation::Delete, Spelling::Signs)),
        b"1" | b"+1" => Some((Operation::Insert, Spelling::Numbers)),
        b"-1" => Some((Operation::Delete, Spelling::Numbers)),
        _ => None,
    }
}

impl Layout {
    fn new(columns: Columns, more: bool) -> Layout {
        Layout { columns, more, deletions: false, ignored: false, separator: b' ', spelling: None, edge_type: None }
    }

    /// The same below a heading of these names.
    fn below(self, names: &[&str], options: &StreamOptions) -> Layout {
        let place = edge_type::place(names.iter().copied()).filter(|_| options.columns.is_none());
        let ignored = options.ignore_weights && self.has_plain_weights();
        Layout { edge_type: place.map(|place| (place, false)), ignored, ..self }
    }

    /// Whether lines have weights and no operations.
    fn has_plain_weights(&self) -> bool {
        self.columns.contains(Column::Weight) && !self.columns.contains(Column::Operation)
    }

    /// The operation in a field, spelled as in the lines before.
    fn operation(&mut self, field: &[u8]) -> Result<Operation, Fault> {
        match operation_of(field) {
            Some((operation, spelling)) if *self.spelling.get_or_insert(spelling) == spelling => Ok(operation),
            _ => Err(Fault::Operation { found: quote(field) }),
        }
    }

    /// Refuses a line in whose column `Type` something else stands than the direction of the graph.
    fn check_type(&mut self, place: usize, field: &[u8], direction: Option<Direction>) -> Result<(), Fault> {
        let (Some((at, seen)), Some(direction)) = (self.edge_type, direction) else { return Ok(()) };
        if at != place {
            return Ok(());
        }
        if !seen && edge_type::of_field(field).is_none() {
            // Some other type.
            self.edge_type = None;
            return Ok(());
        }
        self.edge_type = Some((at, true));
        edge_type::check(field, direction)
    }
}

/// What a stream has at present.
#[derive(Debug)]
pub enum Polled {
    /// An update.
    Update(EdgeUpdate),
    /// A line that is wrong, or a failure of the file. The stream has ended.
    Error(Error),
    /// Nothing before the deadline, or before a stop was asked for.
    Pending,
    /// It has ended.
    End,
}

/// The updates of a stream, in order. Ends after the first error, unless that is passed over.
pub struct EdgeStream {
    path: PathBuf,
    reader: Box<dyn BufRead + Send>,
    /// Whether what it reads is decompressed on the way.
    compressed: bool,
    /// The reader's deadline, if the stream was opened with one.
    deadline: Option<Deadline>,
    options: StreamOptions,
    layout: Option<Layout>,
    /// The names of vertices so far.
    names: Option<Ids<str>>,
    /// What the comments before the first line say.
    head: Head,
    /// Which lines are comments.
    comments: Comments,
    /// Digits kept of times, once a time was seen.
    digits: Option<u32>,
    /// Read ahead.
    first: Option<Polled>,
    /// Whether the buffer holds the beginning of a line whose end is not there yet.
    cut: bool,
    /// Whether there was a line that is no comment.
    begun: bool,
    line: Vec<u8>,
    number: u64,
    skipped: u64,
    ended: bool,
}

impl EdgeStream {
    /// Opens a plain or compressed file; `-` is standard input.
    ///
    /// # Errors
    ///
    /// If there is no such file, or it is a directory.
    pub fn open(path: &Path, options: StreamOptions) -> Result<Self, Error> {
        let (raw, compressed) = Self::source(path, |file| file)?;
        let stream = Self::new(Self::name_of(path), BufReader::with_capacity(1 << 18, raw), options);
        Ok(EdgeStream { compressed, ..stream })
    }

    /// The same, read by a thread of its own, so that [`poll`](Self::poll) can have a deadline and ends its wait once `stop` is set. `through`
    /// stands between the file, as it is stored, and what reads it.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open); if no thread can be started.
    pub fn open_live(
        path: &Path,
        options: StreamOptions,
        stop: Arc<AtomicBool>,
        through: impl FnOnce(Box<dyn Read + Send>) -> Box<dyn Read + Send>,
    ) -> Result<Self, Error> {
        let mut started = Ok(None);
        let (raw, compressed) = Self::source(path, |file| match Live::new(file, stop) {
            Ok(live) => {
                started = Ok(Some(live.deadline()));
                through(Box::new(live))
            }
            Err(error) => {
                started = Err(error);
                Box::new(io::empty())
            }
        })?;
        let deadline = started.map_err(|error| Error::io(path, error))?;
        let mut stream = Self::new(Self::name_of(path), BufReader::with_capacity(1 << 18, raw), options);
        stream.compressed = compressed;
        // What decompresses cannot go on from any place.
        stream.deadline = deadline.filter(|_| !compressed);
        Ok(stream)
    }

    fn name_of(path: &Path) -> &Path {
        if path == Path::new("-") { Path::new("standard input") } else { path }
    }

    /// The plain text of a file, which is read through something, and whether it is compressed.
    fn source(
        path: &Path,
        through: impl FnOnce(Box<dyn Read + Send>) -> Box<dyn Read + Send>,
    ) -> Result<(Box<dyn Read + Send>, bool), Error> {
        let raw: Box<dyn Read + Send> = if path == Path::new("-") {
            Box::new(io::stdin())
        } else {
            let file = File::open(path).map_err(|error| Error::io(path, error))?;
            if file.metadata().map_err(|error| Error::io(path, error))?.is_dir() {
                return Err(Error::Directory { path: path.to_owned() });
            }
            Box::new(file)
        };
        let mut raw = through(raw);
        let mut magic = Vec::with_capacity(4);
        Read::by_ref(&mut raw).take(4).read_to_end(&mut magic).map_err(|error| Error::io(path, error))?;
        let compression = Compression::of_content(&magic);
        let raw = io::Cursor::new(magic).chain(raw);
        let plain = match compression {
            Some(compression) => compression.decoder(Box::new(raw)).map_err(|error| Error::io(path, error))?,
            None => Box::new(raw),
        };
        Ok((plain, compression.is_some()))
    }

    /// Reads plain text from anywhere; errors call it `name`.
    pub fn new(name: impl Into<PathBuf>, reader: impl BufRead + Send + 'static, options: StreamOptions) -> Self {
        let layout = options.columns.clone().map(|columns| Layout::new(columns, true));
        let names = options.names.then(Ids::new);
        EdgeStream {
            path: name.into(),
            reader: Box::new(reader),
            compressed: false,
            deadline: None,
            digits: options.time_digits,
            options,
            layout,
            names,
            head: Head::default(),
            comments: Comments::All,
            first: None,
            cut: false,
            begun: false,
            line: Vec::new(),
            number: 0,
            skipped: 0,
            ended: false,
        }
    }

    /// Says what Gephi's column `Type` must say of each edge from now on, as [`StreamOptions::direction`] does from the beginning.
    pub fn expect_direction(&mut self, direction: Direction) {
        self.options.direction = Some(direction);
    }

    /// The names of vertices in the lines so far, each with its number in updates. `None` where vertices are
    /// called by numbers.
    pub fn names(&self) -> Option<&Ids<str>> {
        self.names.as_ref()
    }

    /// Lines passed over because they could not be read.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Reads until the first line that is an update, or wrong, which is given out by the next call of `next`. The columns are known then.
    pub fn begin(&mut self) {
        if self.first.is_none() && !self.begun {
            let first = self.advance();
            self.first = if matches!(first, Polled::Pending) { None } else { Some(first) };
        }
    }

    /// How many digits behind the point of a time are kept; 0 until a time was seen, unless the options say it.
    pub fn time_digits(&self) -> u32 {
        self.digits.unwrap_or(0)
    }

    /// Whether [`poll`](Self::poll) waits until a deadline only, and not for its source.
    pub fn keeps_deadlines(&self) -> bool {
        self.deadline.is_some()
    }

    /// Whether weights are read and left out.
    pub fn ignores_weights(&self) -> bool {
        self.layout.as_ref().is_some_and(|layout| layout.ignored)
    }

    /// The columns, once a line gave them.
    pub fn columns(&self) -> Option<&Columns> {
        self.layout.as_ref().map(|layout| &layout.columns)
    }

    /// Where the stream comes from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The error of a fault in a line.
    pub fn error(&self, line: u64, column: usize, fault: Fault) -> Error {
        Error::at(&self.path, line, column, fault)
    }

    /// Reads the next line, without its end, into the buffer and pads it; false at the end of the stream, nothing where the line is not
    /// there yet.
    fn read_line(&mut self) -> Result<Option<bool>, Error> {
        if !std::mem::take(&mut self.cut) {
            self.line.clear();
        }
        let failed = |error: io::Error| match Compression::fault(&error).filter(|_| self.compressed) {
            Some(reason) if error.kind() != io::ErrorKind::Interrupted => {
                Error::Compressed { path: self.path.clone(), reason }
            }
            _ => Error::io(&self.path, error),
        };
        let room = (LONGEST + 1).saturating_sub(self.line.len()) as u64;
        match Read::take(&mut self.reader, room).read_until(b'\n', &mut self.line) {
            Ok(0) if self.line.is_empty() => return Ok(Some(false)),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.cut = !self.line.is_empty();
                return Ok(None);
            }
            Err(error) => return Err(failed(error)),
        }
        self.number += 1;
        if self.number == 1 && self.line.starts_with(MARK) {
            self.line.drain(..MARK.len());
        }
        if self.number == 1 {
            check_kind(&self.path, &self.line, &mut self.reader, self.options.columns.is_some())?;
        }
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
        } else if self.line.len() > LONGEST {
            // The rest of the line goes where its beginning went, however long it takes to come.
            if let Some(until) = &mut self.deadline {
                until.set(None);
            }
            loop {
                let rest = match self.reader.fill_buf() {
                    // A stop is asked for.
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                    rest => rest.map_err(failed)?,
                };
                let end = memchr::memchr(b'\n', rest);
                let length = rest.len();
                self.reader.consume(end.map_or(length, |end| end + 1));
                if end.is_some() || length == 0 {
                    break;
                }
            }
        }
        if self.line.last() == Some(&b'\r') {
            self.line.pop();
        }
        self.line.push(b'\n');
        self.line.resize(self.line.len() + PAD, 0);
        Ok(Some(true))
    }

    /// The update of the line in the buffer; `None` of a comment, an empty line or a heading.
    fn parse(&mut self) -> Result<Option<EdgeUpdate>, (usize, Fault)> {
        let line = &self.line[..];
        let length = line.len() - PAD - 1;
        if length >= LONGEST {
            return Err((0, Fault::LineTooLong { limit: LONGEST }));
        }
        let mut at = blanks(line, 0);
        let between = self.layout.as_ref().map_or(b' ', |layout| layout.separator);
        let separator = match between == TAB && line[..length].contains(&TAB) {
            true => Some(TAB),
            false => line[at..length].iter().copied().find(|byte| matches!(byte, b',' | b';')),
        };
        if is_bare(trimmed(&line[..length], between), between, self.comments) {
            if !self.begun && line[at] != b'\n' {
                self.head.line(&line[at..length]);
            }
            return Ok(None);
        }
        if self.names.is_some() {
            return self.parse_names();
        }
        if !std::mem::replace(&mut self.begun, true) && is_heading(&line[at..length], separator) {
            let text = String::from_utf8_lossy(line[..length].trim_ascii_end());
            let of = |names: &[&str]| Columns::of_headings(names.iter().copied());
            let by_tabs = headings(&text, Some(TAB));
            let separator = if of(&by_tabs).is_some() { Some(TAB) } else { separator };
            let names = headings(&text, separator);
            let columns = of(&names);
            if separator.is_some() || columns.is_some() {
                let below = columns.map(|columns| Layout::new(columns, false).below(&names, &self.options));
                self.layout = self.layout.take().or(below);
                if let (Some(layout), Some(separator)) = (&mut self.layout, separator) {
                    // As in a list of edges.
                    layout.separator = separator;
                    self.comments = Comments::Unlike(names.len());
                }
                return Ok(None);
            }
        }
        if self.layout.as_ref().is_none_or(|layout| layout.deletions) {
            let columns = guess(&line[at..length], &self.head)?;
            if self.layout.is_some() && !columns.contains(Column::Operation) {
                return Err((at, Fault::Operation { found: token(line, at) }));
            }
            let deletion = matches!(line[at], b'-' | b'd') && columns.contains(Column::Operation);
            let deletions = deletion && !columns.contains(Column::Weight);
            let layout = Layout { deletions, ..Layout::new(columns, false) };
            self.layout = Some(Layout { ignored: self.options.ignore_weights && layout.has_plain_weights(), ..layout });
        }
        let Some(layout) = &mut self.layout else { unreachable!("it was guessed") };
        let mut update =
            EdgeUpdate { operation: Operation::Insert, src: 0, dst: 0, weight: None, time: None, line: self.number };
        if separator == Some(TAB) {
            // The first column may be empty.
            at = spaces(line, 0);
        }
        for k in 0..layout.columns.as_slice().len() {
            let column = &{ layout.columns.as_slice()[k] };
            let mut separated = false;
            if k > 0 {
                (at, separated) = next_column(line, at, separator);
            }
            // What is ignored may be empty at the end of a line, too.
            if line[at] == b'\n' && !(separated && *column == Column::Other) {
                // Deletions need no weight, wherever else there is one.
                if *column == Column::Weight && update.operation == Operation::Delete {
                    continue;
                }
                return Err((at, Fault::MissingColumn { expected: expected(*column) }));
            }
            if k > 0 && !separated && separator == Some(TAB) {
                return Err((at, Fault::Separator { expected: name_of(separator), found: token(line, at) }));
            }
            match column {
                Column::Operation => {
                    let length = line[at..].iter().position(|&byte| ends(byte, separator)).unwrap_or(0);
                    update.operation = layout.operation(&line[at..at + length]).map_err(|fault| (at, fault))?;
                    at += length;
                }
                Column::Source => update.src = id(line, &mut at)?,
                Column::Target => update.dst = id(line, &mut at)?,
                Column::Weight => update.weight = Some(weight(line, &mut at, separator, layout.ignored)?),
                Column::Time => update.time = Some(time(line, &mut at, &mut self.digits)?),
                Column::Other => {
                    let end = field_end(line, at, separator.map_or(Separator::Blanks, Separator::Byte));
                    check_quote(&line[at..end], separator.unwrap_or(b' ')).map_err(|fault| (at, fault))?;
                    let checked = layout.check_type(k, &line[at..end], self.options.direction);
                    checked.map_err(|fault| (at, fault))?;
                    at = end;
                }
            }
            if !ends(line[at], separator) {
                return Err((at, Fault::Separator { expected: name_of(separator), found: token(line, at) }));
            }
        }
        if layout.ignored {
            update.weight = None;
        }
        at = blanks(line, at);
        if line[at] != b'\n' && !layout.more {
            return Err((at, Fault::ExtraColumn { expected: "the columns of the first line", found: token(line, at) }));
        }
        Ok(Some(update))
    }

    /// The same where vertices are called by names; `None` of a heading.
    fn parse_names(&mut self) -> Result<Option<EdgeUpdate>, (usize, Fault)> {
        let text = &self.line[..self.line.len() - PAD - 1];
        let place = |field: &[u8]| field.as_ptr().addr() - text.as_ptr().addr();
        let first = !std::mem::replace(&mut self.begun, true);
        let separator = [TAB, b',', b';'].into_iter().find(|byte| text.contains(byte)).unwrap_or(b' ');
        let line = trimmed(text, separator);
        if first {
            let words = String::from_utf8_lossy(line.trim_ascii_end()).into_owned();
            let words = words.split(char::from(separator)).map(|word| word.trim().trim_matches(['"', '\'']));
            let words: Vec<&str> = words.collect();
            if let Some(columns) = Columns::of_headings(words.iter().copied()) {
                let separated = |layout: Layout| Layout { separator, ..layout };
                let below = || Layout::new(columns, false).below(&words, &self.options);
                self.layout = Some(separated(self.layout.take().unwrap_or_else(below)));
                self.comments = Comments::None;
                return Ok(None);
            }
        }
        if self.layout.as_ref().is_none_or(|layout| layout.deletions) {
            // Behind deletions every line has an operation.
            let before = self.layout.as_ref();
            let separator = before.map_or(separator, |layout| layout.separator);
            let all: Vec<&[u8]> = fields(line.trim_ascii_end(), separator).collect();
            if before.is_some() && operation_of(&unquoted(all[0])).is_none() {
                return Err((place(line), Fault::Operation { found: quote(all[0]) }));
            }
            let operation = before.is_some() || matches!(all[..], [b"+" | b"-", ..]);
            let expected = "two to four columns, or `+` or `-` before them";
            let columns = Columns::of_count(operation, all.len() - usize::from(operation));
            let columns = columns.ok_or_else(|| (place(line), Fault::ExtraColumn { expected, found: quote(line) }))?;
            let deletion = operation && matches!(&*unquoted(all[0]), b"-" | b"d");
            let deletions = deletion && !columns.contains(Column::Weight);
            let layout = Layout { deletions, separator, ..Layout::new(columns, false) };
            self.layout = Some(Layout { ignored: self.options.ignore_weights && layout.has_plain_weights(), ..layout });
        } else if let Some(layout) = self.layout.as_mut().filter(|_| first) {
            layout.separator = separator;
        }
        let (Some(layout), Some(names)) = (&mut self.layout, &self.names) else { unreachable!("both are there") };
        let mut update =
            EdgeUpdate { operation: Operation::Insert, src: 0, dst: 0, weight: None, time: None, line: self.number };
        let separator = layout.separator;
        let mut all = fields(line, separator);
        let unexpected = !layout.columns.contains(Column::Operation)
            && all.clone().next().is_some_and(is_operation)
            && all.clone().nth(layout.columns.as_slice().len()).is_some();
        if unexpected {
            return Err((place(line), Fault::UnexpectedOperation { found: quote(&line[..1]) }));
        }
        for k in 0..layout.columns.as_slice().len() {
            let column = layout.columns.as_slice()[k];
            let Some(field) = all.next() else {
                // Deletions need no weight, wherever else there is one.
                if column == Column::Weight && update.operation == Operation::Delete {
                    continue;
                }
                return Err((place(line) + line.len(), Fault::MissingColumn { expected: expected(column) }));
            };
            check_quote(field, separator).map_err(|fault| (place(field), fault))?;
            let plain = unquoted(field);
            match column {
                Column::Operation => {
                    update.operation = layout.operation(&plain).map_err(|fault| (place(field), fault))?;
                }
                Column::Source | Column::Target => {
                    let name = std::str::from_utf8(&plain).ok().filter(|name| !name.is_empty());
                    let name = name.ok_or_else(|| (place(field), Fault::Name { found: quote(field) }))?;
                    let number = names.intern(name).map_err(|_| (place(field), Fault::Name { found: quote(field) }))?;
                    *(if column == Column::Source { &mut update.src } else { &mut update.dst }) = number.into();
                }
                Column::Weight | Column::Time => {
                    let mut padded = plain.to_vec();
                    padded.push(b'\n');
                    padded.resize(padded.len() + PAD, 0);
                    let mut at = 0;
                    let at_field = |(_, fault)| (place(field), fault);
                    if column == Column::Weight {
                        let separator = Some(separator).filter(|_| !field.starts_with(b"\""));
                        let weight = weight(&padded, &mut at, separator, layout.ignored).map_err(at_field)?;
                        update.weight = Some(weight).filter(|_| !layout.ignored);
                    } else {
                        update.time = Some(time(&padded, &mut at, &mut self.digits).map_err(at_field)?);
                    }
                    if at != plain.len() {
                        return Err((place(field), Fault::Number { found: quote(field) }));
                    }
                }
                Column::Other => {
                    let checked = layout.check_type(k, field, self.options.direction);
                    checked.map_err(|fault| (place(field), fault))?;
                }
            }
        }
        // Tabs at the end of a line do no harm.
        match all.find(|field| separator != TAB || !field.is_empty()).filter(|_| !layout.more) {
            Some(field) => {
                let expected = "the columns of the first line";
                Err((place(field), Fault::ExtraColumn { expected, found: quote(field) }))
            }
            None => Ok(Some(update)),
        }
    }
}

impl Iterator for EdgeStream {
    type Item = Result<EdgeUpdate, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.poll(None) {
            Polled::Update(update) => Some(Ok(update)),
            Polled::Error(error) => Some(Err(error)),
            Polled::Pending | Polled::End => None,
        }
    }
}

impl EdgeStream {
    /// The next update. [`Polled::Pending`] if the deadline passes first. A stream that was not opened by
    /// [`open_live`](Self::open_live) has no deadline: this waits for its source.
    pub fn poll(&mut self, deadline: Option<Instant>) -> Polled {
        if let Some(first) = self.first.take() {
            return first;
        }
        if let Some(until) = &mut self.deadline {
            until.set(deadline);
        }
        self.advance()
    }

    fn advance(&mut self) -> Polled {
        while !self.ended {
            match self.read_line() {
                Ok(Some(true)) => {}
                Ok(Some(false)) => break,
                Ok(None) => return Polled::Pending,
                Err(error) => {
                    self.ended = true;
                    return Polled::Error(error);
                }
            }
            let undecided = self.layout.as_ref().is_none_or(|layout| layout.deletions);
            let before = undecided.then(|| self.layout.clone());
            match self.parse() {
                Ok(None) => {}
                Ok(Some(update)) => return Polled::Update(update),
                Err(_) if self.options.skip_bad => {
                    self.skipped += 1;
                    // A line that cannot be read does not settle the columns.
                    if let Some(layout) = before {
                        self.layout = layout;
                    }
                }
                Err((at, fault)) => {
                    self.ended = true;
                    return Polled::Error(self.error(self.number, at + 1, fault));
                }
            }
        }
        self.ended = true;
        Polled::End
    }
}

/// Refuses a file of another kind, by its first line, which `rest` comes behind, and by its name, unless the `columns` of updates are named.
fn check_kind(path: &Path, line: &[u8], rest: &mut impl BufRead, columns: bool) -> Result<(), Error> {
    let mut begin = line.to_vec();
    let is_binary = begin.first() == Some(&0x89) || begin.iter().any(|&byte| byte < b'\t');
    if is_binary || matches!(begin.trim_ascii_start().first(), Some(b'<' | b'{' | b'*')) {
        // What it is stands in the lines behind, which come with the first. What cannot be read is met by who reads on.
        begin.extend_from_slice(rest.fill_buf().unwrap_or_default());
    }
    crate::foreign::check(path, &begin)?;
    match known_otherwise(path, &begin, columns) {
        None => Ok(()),
        Some(format) => Err(Error::NotUpdates { path: path.to_owned(), format }),
    }
}

/// Whether a column ends before this byte.
fn ends(byte: u8, separator: Option<u8>) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n') || Some(byte) == separator
}

/// The beginning of the next column, or the end of the line; and whether it lies behind a separator that is no blank.
fn next_column(line: &[u8], at: usize, separator: Option<u8>) -> (usize, bool) {
    let over = if separator == Some(TAB) { spaces } else { blanks };
    let at = over(line, at);
    if Some(line[at]) == separator { (over(line, at + 1), true) } else { (at, false) }
}

/// Reads a weight; any number, where weights are left out.
fn weight(line: &[u8], at: &mut usize, separator: Option<u8>, any: bool) -> Result<f64, (usize, Fault)> {
    let begin = *at;
    let weight = if any { number(line, at) } else { real(line, at) }.map_err(|fault| (begin, fault))?;
    if !ends(line[*at], separator) {
        let end = field_end(line, begin, separator.map_or(Separator::Blanks, Separator::Byte));
        if let Some(fault) = decimal_comma(line[begin..end].trim_ascii()) {
            return Err((begin, fault));
        }
    }
    Ok(weight)
}

fn id(line: &[u8], at: &mut usize) -> Result<u64, (usize, Fault)> {
    let begin = *at;
    whole(line, at).map_err(|why| (begin, id_fault(line, begin, why)))
}

/// Reads a time as a multiple of its last digit that is kept; says how many are kept, if that is open. Further digits are cut off.
fn time(line: &[u8], at: &mut usize, kept: &mut Option<u32>) -> Result<i64, (usize, Fault)> {
    let begin = *at;
    let negative = line[begin] == b'-';
    *at += usize::from(negative);
    let fault = || (begin, Fault::Time { found: token(line, begin) });
    let whole = whole(line, at).ok().and_then(|whole| i64::try_from(whole).ok()).ok_or_else(fault)?;
    if matches!(line[*at], b'e' | b'E') || line[*at] == b'.' && has_exponent(&line[*at + 1..]) {
        return Err((begin, Fault::TimeWithExponent { found: token(line, begin) }));
    }
    let fraction = line[*at] == b'.';
    let kept = *kept.get_or_insert(if fraction { SOME_TIME_DIGITS } else { 0 });
    let mut ticks = whole.checked_mul(10_i64.pow(kept)).ok_or_else(fault)?;
    if fraction {
        if kept == 0 {
            return Err((begin, Fault::FractionOfTime { found: token(line, begin) }));
        }
        let digits = &line[*at + 1..];
        let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let part = (0..kept as usize).fold(0, |part, k| {
            part * 10 + digits.get(k).filter(|_| k < count).map_or(0, |&digit| i64::from(digit - b'0'))
        });
        ticks = ticks.checked_add(part).ok_or_else(fault)?;
        *at += 1 + count;
    }
    Ok(if negative { -ticks } else { ticks })
}

/// Whether an exponent follows digits.
fn has_exponent(digits: &[u8]) -> bool {
    digits.iter().find(|byte| !byte.is_ascii_digit()).is_some_and(|byte| matches!(byte, b'e' | b'E'))
}

/// What a column should hold.
fn expected(column: Column) -> &'static str {
    match column {
        Column::Operation => "`+`, `-`, `a`, `u` or `d`",
        Column::Source | Column::Target => "a vertex id",
        Column::Weight => "a weight",
        Column::Time => "a time",
        Column::Other => "another column",
    }
}

fn name_of(separator: Option<u8>) -> &'static str {
    match separator {
        Some(b',') => "a comma",
        Some(TAB) => "a tab",
        Some(_) => "a semicolon",
        None => "a blank",
    }
}

/// The names of a heading; those between blanks are not empty.
fn headings(text: &str, separator: Option<u8>) -> Vec<&str> {
    let separates = |c: char| separator.map_or(matches!(c, ' ' | '\t'), |byte| c == char::from(byte));
    let names = text.split(separates).map(|name| name.trim().trim_matches(['"', '\'']));
    names.filter(|name| separator.is_some() || !name.is_empty()).collect()
}

/// Whether a line names its columns. The first of several that are separated may have no name, as the index of a table.
fn is_heading(line: &[u8], separator: Option<u8>) -> bool {
    let mut words = line.split(|byte| matches!(byte, b',' | b';' | b' ' | b'\t'));
    let mut word = words.next().unwrap_or(line);
    if matches!(word, b"" | b"\"\"") && separator.is_some() {
        word = words.next().unwrap_or_default();
    }
    word.len() > 1 && word.iter().all(|byte| !byte.is_ascii_digit()) && word.iter().any(u8::is_ascii_alphabetic)
}

/// The columns that the comments before a first line and its words show.
fn guess(line: &[u8], head: &Head) -> Result<Columns, (usize, Fault)> {
    let words = line.split(|byte| matches!(byte, b',' | b';' | b' ' | b'\t')).filter(|word| !word.is_empty());
    let first = words.clone().next().unwrap_or(line);
    let operation = matches!(first, [b'+' | b'-' | b'a' | b'u' | b'd']);
    let count = words.count() - usize::from(operation);
    let of_comments = if operation { None } else { head.columns(count) };
    match of_comments.or_else(|| Columns::of_count(operation, count)) {
        Some(columns) => Ok(columns),
        None if count < 2 && operation => {
            Err((0, Fault::MissingColumn { expected: "an operation and two vertex ids" }))
        }
        None if count < 2 => Err((line.len(), Fault::MissingColumn { expected: "a second vertex id" })),
        None => {
            let expected = "two to four columns, or an operation before them";
            Err((0, Fault::ExtraColumn { expected, found: quote(line) }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &'static str, columns: &str) -> Result<Vec<EdgeUpdate>, String> {
        let columns = (!columns.is_empty()).then(|| columns.parse().unwrap());
        let options = StreamOptions::default().with_columns(columns);
        EdgeStream::new("s", text.as_bytes(), options).collect::<Result<_, _>>().map_err(|error| error.to_string())
    }

    fn brief(text: &'static str, columns: &str) -> String {
        let updates = read(text, columns).unwrap().into_iter().map(|update| {
            let operation = match update.operation {
                Operation::Insert => '+',
                Operation::Reweight => 'u',
                Operation::Delete => '-',
            };
            let weight = update.weight.map_or(String::new(), |weight| format!(" w{weight}"));
            let time = update.time.map_or(String::new(), |time| format!(" t{time}"));
            format!("{}:{operation}{}>{}{weight}{time}", update.line, update.src, update.dst)
        });
        updates.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn the_first_line_tells_the_columns() {
        assert_eq!(brief("# weights\n1 2 5\n\n3\t4  -0.5\r\n", ""), "2:+1>2 w5, 4:+3>4 w-0.5");
        assert_eq!(brief("1 2 1082040961\n3\t4  -5\r\n", "src,dst,time"), "1:+1>2 t1082040961, 2:+3>4 t-5");
        assert_eq!(brief("# FromNodeId ToNodeId Time\n1 2 7\n", ""), "2:+1>2 t7");
        assert_eq!(
            brief("% sym dynamic\n% 2 3 3\n1 2 1 7\n1 2 -1 8\n3 1 +1 9\n", ""),
            "3:+1>2 t7, 4:-1>2 t8, 5:+3>1 t9"
        );
        assert_eq!(brief("7 8", ""), "1:+7>8");
        assert_eq!(brief("1,2,0.5,9\n", ""), "1:+1>2 w0.5 t9");
        assert_eq!(
            brief("d 1 2\n- 3 4\na 1 2 3e2\nu 1 2 1\nd 5 6\n", ""),
            "1:-1>2, 2:-3>4, 3:+1>2 w300, 4:u1>2 w1, 5:-5>6"
        );
        assert_eq!(brief("- 1 2\n- 3 4 5\n+ 1 2 7\n- 3 4\n", ""), "1:-1>2, 2:-3>4 w5, 3:+1>2 w7, 4:-3>4");
        assert_eq!(brief("- 1 2\n- 3 4 5 8\n+ 1 2 7 9\n", ""), "1:-1>2, 2:-3>4 w5 t8, 3:+1>2 w7 t9");
        assert_eq!(brief("from,to,at\n1, 2, 3\n", ""), "2:+1>2 t3");
    }

    #[test]
    fn vertices_can_have_names() {
        let named = |text: &'static str, columns: &str| -> Result<String, String> {
            let columns = (!columns.is_empty()).then(|| columns.parse().unwrap());
            let options = StreamOptions::default().with_columns(columns).with_names(true);
            let mut stream = EdgeStream::new("s", text.as_bytes(), options);
            let mut updates = Vec::new();
            while let Some(update) = stream.next() {
                let EdgeUpdate { operation, src, dst, weight, time, line } =
                    update.map_err(|error| error.to_string())?;
                let name = |number: u64| stream.names().unwrap().key(number as u32).unwrap().to_owned();
                let (src, dst) = (name(src), name(dst));
                updates.push(format!("{line}:{operation:?} {src}>{dst} {weight:?} {time:?}"));
            }
            Ok(updates.join("\n"))
        };
        for (text, columns, expected) in [
            (
                "# people\n+ ada bob\n- ada bob\n+ a d\n",
                "",
                "2:Insert ada>bob None None\n3:Delete ada>bob None None\n4:Insert a>d None None",
            ),
            (
                "from,to,weight,time\nNew York,\"a, \"\"b\"\"\",0.5,7\n7,007,1,8\n",
                "",
                "2:Insert New York>a, \"b\" Some(0.5) Some(7)\n3:Insert 7>007 Some(1.0) Some(8)",
            ),
            ("u x y 3\nd x y 1\n", "op,src,dst,weight", "1:Reweight x>y Some(3.0) None\n2:Delete x>y Some(1.0) None"),
            ("ada bob\n", "", "1:Insert ada>bob None None"),
            (
                "- x y\n- x z 1 7\n+ x y 3 8\n- x y 3 9\n",
                "",
                "1:Delete x>y None None\n2:Delete x>z Some(1.0) Some(7)\n3:Insert x>y Some(3.0) Some(8)\n4:Delete x>y Some(3.0) Some(9)",
            ),
            (
                "- x y\nu x y 3\nd x y\n",
                "",
                "1:Delete x>y None None\n2:Reweight x>y Some(3.0) None\n3:Delete x>y None None",
            ),
        ] {
            assert_eq!(named(text, columns).unwrap(), expected, "{text}");
        }
        for (text, expected) in [
            ("ada\n", "1:1: expected two to four columns"),
            ("ada bob x\n", "1:9: "),
            ("ada bob 1\nada,bob\n", "2:"),
            ("ada bob\nada bob 3\n", "2:9: expected the columns of the first line"),
            ("- x y\n+ x y\n+ x y 3\n", "3:7: expected the columns of the first line"),
            ("- x y\n+ x y 3\n+ x y\n", "3:6: expected a weight"),
            ("- x y\n+ x y 3 7 9\n", "2:1: expected two to four columns"),
            ("- x y\nx y z\n", "2:1: expected `+`, `-`, `a`, `u` or `d`, found `x`"),
        ] {
            let error = named(text, "").unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    /// Gephi's column `Type` says of each edge what the graph is, or the line is refused.
    #[test]
    fn a_column_of_directions_is_heeded() {
        let read = |text: &'static str, names: bool, direction: Option<Direction>| -> Result<usize, String> {
            let options = StreamOptions::default().with_names(names).with_direction(direction);
            let all: Result<Vec<_>, _> = EdgeStream::new("s", text.as_bytes(), options).collect();
            all.map(|all| all.len()).map_err(|error| error.to_string())
        };
        let (directed, undirected) = (Some(Direction::Directed), Some(Direction::Undirected));
        for (names, text) in [
            (false, "Source,Target,Type,Id,Label,Weight\n1,2,Directed,0,,1.5\n2,3,Directed,1,\"a, b\",2\n"),
            (true, "Source,Target,Type,Weight\na,b,Directed,1.5\nb,c,Directed,2\n"),
        ] {
            assert_eq!((read(text, names, directed), read(text, names, None)), (Ok(2), Ok(2)));
            let why = read(text, names, undirected).unwrap_err();
            assert!(why.starts_with("s:2:5: expected Undirected in the column `Type`"), "{why}");
        }
        let mixed = "Source,Target,Type\n1,2,Directed\n2,3,Undirected\n";
        assert!(read(mixed, false, directed).unwrap_err().starts_with("s:3:5: expected Directed"));
        assert_eq!(read("Source,Target,Type\n1,2,road\n2,3,rail\n", false, undirected), Ok(2));
    }

    /// What is no list of updates is told by its first line, or by its name.
    #[test]
    fn files_of_other_kinds_are_named() {
        for (name, text, expected) in [
            (
                "s",
                "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 5\n",
                "s: is read as mtx, expected updates",
            ),
            ("s", "<?xml version='1.0'?>\n<graphml>\n", "s: is read as graphml, expected updates"),
            ("s", "{\"nodes\": []}\n", "s: is read as json, expected updates"),
            ("s", "PAR1\u{15}\u{4}\n", "s: is read as parquet, expected updates"),
            ("roads.graph", "3 2\n2\n1 3\n", "roads.graph: is read as metis, expected updates"),
            ("s", "\u{89}HDF", ""),
        ] {
            let mut stream = EdgeStream::new(name, text.as_bytes(), StreamOptions::default().with_skip_bad(true));
            let why = stream.next().map(|first| first.unwrap_err().to_string()).unwrap_or_default();
            assert!(why.starts_with(expected), "{text:?}: {why}");
        }
        let columns = StreamOptions::default().with_columns("src,dst".parse::<Columns>().ok());
        assert_eq!(EdgeStream::new("roads.graph", &b"1 2\n"[..], columns).count(), 1, "its columns are named");
    }

    /// As in lists of edges: below a heading, names may begin like comments, and the index of a table has no heading.
    #[test]
    fn headings_are_read_as_in_lists_of_edges() {
        assert_eq!(brief(",src,dst,weight\n0,1,2,0.5\n# a comment\n", ""), "2:+1>2 w0.5");
        assert_eq!(brief("Unnamed: 0,src,dst\n0,1,2\n", ""), "2:+1>2");
        let options = StreamOptions::default().with_names(true);
        let mut stream = EdgeStream::new("s", &b"# people\nfrom,to\n#a,%b\n%b,c\n"[..], options.clone());
        assert_eq!(stream.by_ref().map(|update| update.unwrap().line).collect::<Vec<_>>(), [3, 4]);
        assert_eq!(stream.names().unwrap().key(0), Some("#a"));
        let first = EdgeStream::new("s", &b"#a,b\nc,d\n"[..], options).next();
        assert_eq!(first.unwrap().unwrap().line, 2, "a comment");
    }

    /// Below a heading that tabs separate, blanks and commas are parts of fields, and fields may be empty.
    #[test]
    fn tabs_alone_separate_columns_below_their_heading() {
        let expected = "2:+1>2 w0.5, 3:+3>4 w2, 5:+5>6 w3";
        let rows = "1\tNew York, NY\t2\t0.5\t\n3\t\t4\t 2 \t\ta b\n\t\t\n5\tx\t6\t3\n";
        for heading in ["source\tcity\ttarget\tweight", "source\t\"city, state\"\ttarget\tweight"] {
            let options = StreamOptions::default().with_columns("src,_,dst,weight".parse::<Columns>().ok());
            let text: &'static str = format!("{heading}\n{rows}").leak();
            let read: Vec<u64> =
                EdgeStream::new("s", text.as_bytes(), options).map(|update| update.unwrap().src).collect();
            assert_eq!(read, [1, 3, 5], "{heading}");
        }
        let text: &'static str = format!("source\tcity\ttarget\tweight\n{}", rows.replace("\t\ta b", "")).leak();
        assert_eq!(brief(text, ""), expected);
        assert_eq!(brief("\tsrc\tdst\n0\t1\t2\n\t3\t4\n", ""), "2:+1>2, 3:+3>4");
        assert_eq!(brief("src\tdst\tnote\n1\t2\t\n3\t4\tx y\n", ""), "2:+1>2, 3:+3>4");
        assert_eq!(brief("src,dst,note\n1,2,\n3,4,x\n", ""), "2:+1>2, 3:+3>4");
        // Where no line has a tab, blanks separate.
        assert_eq!(brief("src\tdst\n1 2\n", ""), "2:+1>2");
        for (text, wrong) in [
            ("src\tdst\n1 2\t3\n", "s:2:3: expected a tab between columns, found `2`"),
            ("src\tdst\n1\t2 3\n", "s:2:5: expected the columns of the first line, found more: `3`"),
            ("src\tnote\tdst\n1\tx\n", "s:2:4: expected a vertex id, found the end of the line"),
            ("src\tdst\tnote\n1\t2\n", "s:2:4: expected another column, found the end of the line"),
        ] {
            let error = read(text, "").unwrap_err();
            assert!(error.starts_with(wrong), "{text:?}: {error}");
        }
        let named = StreamOptions::default().with_names(true);
        let mut stream = EdgeStream::new("s", &b"from\tto\tnote\na b\tc\t\n"[..], named);
        assert_eq!(stream.next().unwrap().unwrap().line, 2);
        assert_eq!((stream.names().unwrap().key(0), stream.names().unwrap().key(1)), (Some("a b"), Some("c")));
    }

    #[test]
    fn columns_can_be_chosen() {
        assert_eq!(brief("name;time;b;a;rest\nx;5;2;1;y\n", "_,time,dst,src"), "2:+1>2 t5");
        assert_eq!(brief("1 2 0.25\n", "src,dst,weight"), "1:+1>2 w0.25");
        for (list, expected) in [
            ("src,dest", "no column is called `dest`"),
            ("src,src,dst", "`src` is listed twice"),
            ("src,time", "`dst` is missing"),
            ("", "no column is called ``"),
        ] {
            assert!(list.parse::<Columns>().unwrap_err().to_string().starts_with(expected), "{list}");
        }
        assert_eq!("op, src,dst,_".parse::<Columns>().unwrap().to_string(), "op,src,dst,_");
    }

    #[test]
    fn times_may_have_fractions() {
        assert_eq!(
            brief("1 2 1 0.5\n1 2 1 -7.12345678\n1 2 1 3\n", ""),
            "1:+1>2 w1 t500000, 2:+1>2 w1 t-7123456, 3:+1>2 w1 t3000000"
        );
        let options = StreamOptions::default().with_columns("src,dst,time".parse::<Columns>().ok()).with_time_digits(2);
        let mut stream = EdgeStream::new("s", &b"1 2 5\n1 2 6.789\n1 2 92233720368547758.08\n"[..], options);
        stream.begin();
        assert_eq!(stream.time_digits(), 2);
        assert_eq!(stream.next().unwrap().unwrap().time, Some(500));
        assert_eq!(stream.next().unwrap().unwrap().time, Some(678));
        assert!(stream.next().unwrap().unwrap_err().to_string().starts_with("s:3:5: expected a time"));
    }

    #[test]
    fn weights_that_nothing_names_can_be_left_out() {
        let weights = |text: &'static str, columns: Option<Columns>| {
            let options = StreamOptions::default().with_ignore_weights(true).with_columns(columns);
            EdgeStream::new("s", text.as_bytes(), options).map(|update| update.unwrap().weight).collect::<Vec<_>>()
        };
        assert_eq!(weights("1 2 5\n", None), [None]);
        assert_eq!(weights("+ 1 2 5\n", None), [Some(5.0)]);
        assert_eq!(weights("1 2 5\n", "src,dst,weight".parse().ok()), [Some(5.0)]);
    }

    #[test]
    fn mistakes_name_line_and_column() {
        for (text, expected) in [
            ("1 2\n3\n", "s:2:2: expected a vertex id, found the end of the line"),
            ("1 2\n3 x\n", "s:2:3: expected a vertex id (a whole number), found `x`"),
            ("1 2\n-3 4\n", "s:2:1: expected a vertex id of 0 or more, found the negative `-3`"),
            ("1 99999999999999999999\n", "s:1:3: expected a vertex id of at most 18446744073709551615"),
            ("1 2 3 4\n1 2 3 2.5\n", "s:2:7: expected a whole time, as in the first line, found `2.5`"),
            ("1 2 now\n", "s:1:5: expected a number, found `now`"),
            ("1 2 1 now\n", "s:1:7: expected a time (a number), found `now`"),
            ("1 2\n1 2 3\n", "s:2:5: expected the columns of the first line, found more: `3`"),
            ("a 1 2 nan\n", "s:1:7: expected a finite number, found `nan`"),
            ("+ 1 2\nx 1 2\n", "s:2:1: expected `+`, `-`, `a`, `u` or `d`, found `x`"),
            ("1\n", "s:1:2: expected a second vertex id"),
            ("1 2 3 4 5 6\n", "s:1:1: expected two to four columns"),
            ("+ 1\n", "s:1:1: expected an operation and two vertex ids"),
            ("1,2\n1 2,3\n", "s:2:4: expected"),
            ("1 2\n+ 3 4\n", "s:2:1: expected no operation, as in the first line, found `+`"),
            ("1 2 5\n- 3 4\n", "s:2:1: expected no operation, as in the first line, found `-`"),
            ("+ 1 2\n1 2 3\n", "s:2:1: expected `+`, `-`, `a`, `u` or `d`, found `1`"),
            ("- 1 2\n1 2 3\n", "s:2:1: expected `+`, `-`, `a`, `u` or `d`, found `1`"),
            ("- 1 2\n+ 1 2\n+ 1 2 3\n", "s:3:7: expected the columns of the first line, found more: `3`"),
            ("- 1 2\n- 1 2 3 4 5\n", "s:2:1: expected two to four columns"),
            ("% sym dynamic\n1 2 1 7\n1 2 + 8\n", "s:3:5: expected `+`, `-`, `a`, `u` or `d`, found `+`"),
            ("1;2;1,5\n", "s:1:5: expected a number with a decimal point, found `1,5`"),
            ("source,target\n1,2\n#3,4\n", "s:3:1: expected a vertex id"),
        ] {
            let error = read(text, "").unwrap_err();
            assert!(error.starts_with(expected), "{text:?}: {error}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn a_trickle_is_polled() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        std::fs::write(&path, "1 2\n3 4").unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let (reader, mut writer) = io::pipe().unwrap();
        let live = Live::new(Box::new(reader), stop.clone()).unwrap();
        let deadline = live.deadline();
        let mut stream = EdgeStream::new("s", BufReader::new(live), StreamOptions::default());
        stream.deadline = Some(deadline);
        let soon = || Some(Instant::now() + std::time::Duration::from_millis(20));
        use io::Write;
        writer.write_all(b"1 2\n3").unwrap();
        assert!(matches!(stream.poll(None), Polled::Update(EdgeUpdate { src: 1, dst: 2, .. })));
        assert!(matches!(stream.poll(soon()), Polled::Pending));
        writer.write_all(b"0 4\n").unwrap();
        assert!(matches!(stream.poll(None), Polled::Update(EdgeUpdate { src: 30, dst: 4, line: 2, .. })));
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(matches!(stream.poll(None), Polled::Pending));
        let live =
            EdgeStream::open_live(&path, StreamOptions::default(), Arc::new(AtomicBool::new(false)), |file| file)
                .unwrap();
        assert_eq!(live.map(|update| update.unwrap().src).collect::<Vec<_>>(), [1, 3]);
    }

    #[test]
    fn bad_lines_can_be_passed_over() {
        let mut text = b"1 2\nx y\n".to_vec();
        text.resize(text.len() + 3 * LONGEST, b'7');
        text.extend_from_slice(b"\n3 4\n\xff\0\n5 6");
        let options = StreamOptions { skip_bad: true, ..StreamOptions::default() };
        let mut stream = EdgeStream::new("s", io::Cursor::new(text.clone()), options);
        assert_eq!(stream.by_ref().map(|update| update.unwrap().src).collect::<Vec<_>>(), [1, 3, 5]);
        assert_eq!(stream.skipped(), 3);
        // Such lines do not settle the columns of later ones.
        for (text, names, left) in [
            ("-1 2\n3 4\n", false, 1),
            ("x y 1\n3 4\n5 6\n", false, 2),
            ("- 1 2\n+ x 4 5\n+ 3 4\n- 3 4\n", false, 3),
            ("a b x\nc d\n", true, 1),
            ("- a b\n+ a b x\n+ c d\n", true, 2),
        ] {
            let options = StreamOptions { skip_bad: true, names, ..StreamOptions::default() };
            let mut stream = EdgeStream::new("s", text.as_bytes(), options);
            let updates: Vec<_> = stream.by_ref().map(Result::unwrap).collect();
            assert_eq!((updates.len(), stream.skipped()), (left, 1), "{text}");
            assert!(updates.iter().all(|update| update.weight.is_none()), "{text}");
        }
        let mut strict = EdgeStream::new("s", io::Cursor::new(text.split_off(8)), StreamOptions::default());
        assert_eq!(strict.next().unwrap().unwrap_err().to_string(), "s:1:1: expected a line of at most 65536 bytes");
        assert!(strict.next().is_none());
    }

    #[test]
    fn weights_below_a_heading_are_left_out_as_others() {
        for names in [false, true] {
            let text =
                if names { "source,target,weight,time\na,b,1,5\n" } else { "source,target,weight,time\n1,2,1,5\n" };
            let options = StreamOptions::default().with_ignore_weights(true).with_names(names);
            let mut stream = EdgeStream::new("s", io::Cursor::new(text.as_bytes()), options);
            let update = stream.next().unwrap().unwrap();
            assert_eq!((update.weight, update.time, stream.ignores_weights()), (None, Some(5), true));
        }
    }

    #[test]
    fn times_have_all_of_their_digits() {
        for time in ["1e3", "1.5E3", "-2e0"] {
            let text: &'static str = format!("1 2 1 {time}\n").leak();
            let why = read(text, "").unwrap_err();
            assert!(why.contains("1:7: expected a time with all of its digits, such as 1000 or 0.25, found"), "{why}");
        }
    }

    #[test]
    fn quotes_close_in_their_line() {
        for text in ["source,target,note\n1,2,\"x\n3,4,z\"\n", "source,target,a,b\n1,2,,\"x\"\n1,2,\",\n"] {
            assert!(read(text, "").unwrap_err().contains("expected a closing `\"`"), "{text}");
        }
    }
}
