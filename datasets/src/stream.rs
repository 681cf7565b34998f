//! Streams of edge updates: one a line, read as they come.
//!
//! ```text
//!   1 2 1082040961          src dst time             edges with the second they appeared in (SNAP's temporal graphs)
//!   + 17 4      - 17 4      op src dst               `+` or `a` inserts, `-` or `d` deletes, `u` changes the weight
//!   u 3 9 0.25              op src dst weight
//!   17,4,0.5,1082040961     src,dst,weight,time      separated by commas, semicolons or blanks
//! ```
//!
//! The first line that is not a comment (`#`, `%`) tells how the others look, unless
//! [`StreamOptions::columns`] says it. A stream has no end that a reader could wait for: lines are parsed one at a time, and nothing
//! but the current one is kept.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::compress::Compression;
use crate::error::{Error, Fault};
use crate::scan::{blanks, id_fault, quote, real, token, whole};
use crate::source::PAD;

/// Longest line of a stream, in bytes.
const LONGEST: usize = 64 << 10;

/// What a column of a stream holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// `op`: what happens to the edge.
    Operation,
    /// `src`: the edge's source.
    Source,
    /// `dst`: its target.
    Target,
    /// `weight`: its weight.
    Weight,
    /// `time`: when it happens, a whole number.
    Time,
    /// `_`: something that is passed over.
    Other,
}

impl Column {
    const NAMES: [(&'static str, Column); 6] = [
        ("op", Column::Operation),
        ("src", Column::Source),
        ("dst", Column::Target),
        ("weight", Column::Weight),
        ("time", Column::Time),
        ("_", Column::Other),
    ];
}

/// The columns of a stream from the left: `src,dst,time`. What a line holds behind them is passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns(Vec<Column>);

/// A list of columns that makes no stream.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnsError {
    /// No column has this name.
    #[error("no column is called `{0}`: there are `op`, `src`, `dst`, `weight`, `time`, and `_` for one to pass over")]
    Unknown(String),
    /// A column is listed twice.
    #[error("`{0}` is listed twice")]
    Twice(&'static str),
    /// An end of the edge is not listed.
    #[error("`{0}` is missing: every line names both ends of an edge")]
    Missing(&'static str),
}

impl FromStr for Columns {
    type Err = ColumnsError;

    fn from_str(list: &str) -> Result<Self, ColumnsError> {
        let mut columns = Vec::new();
        for name in list.split(',').map(str::trim) {
            let known = Column::NAMES.iter().find(|known| known.0 == name);
            let &(name, column) = known.ok_or_else(|| ColumnsError::Unknown(name.to_owned()))?;
            if column != Column::Other && columns.contains(&column) {
                return Err(ColumnsError::Twice(name));
            }
            columns.push(column);
        }
        for (name, column) in [("src", Column::Source), ("dst", Column::Target)] {
            if !columns.contains(&column) {
                return Err(ColumnsError::Missing(name));
            }
        }
        Ok(Columns(columns))
    }
}

impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, column) in self.0.iter().enumerate() {
            let name = Column::NAMES.iter().find(|known| known.1 == *column).map_or("_", |known| known.0);
            write!(f, "{}{name}", if k > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}

impl Columns {
    /// Whether lines have such a column.
    pub fn contains(&self, column: Column) -> bool {
        self.0.contains(&column)
    }
}

/// How a stream is read.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct StreamOptions {
    /// The columns; with `None`, the default, the first line tells.
    pub columns: Option<Columns>,
    /// Pass over lines that cannot be read, and count them, rather than end with the first. By default the first ends the stream.
    pub skip_bad: bool,
}

impl StreamOptions {
    /// The columns of each line.
    #[must_use]
    pub fn with_columns(mut self, columns: impl Into<Option<Columns>>) -> Self {
        self.columns = columns.into();
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
    /// The source, as the stream numbers it.
    pub src: u64,
    /// The target.
    pub dst: u64,
    /// The weight, if the line has one.
    pub weight: Option<f64>,
    /// When it happens, if the line says.
    pub time: Option<i64>,
    /// Number of the line, from 1.
    pub line: u64,
}

/// How lines look.
struct Layout {
    columns: Columns,
    /// Whether there may be more than the columns.
    more: bool,
    /// Whether only deletions were seen, which do not show if other lines have weights.
    deletions: bool,
}

/// The updates of a stream, in order. Ends after the first error, unless that is passed over.
pub struct EdgeStream {
    path: PathBuf,
    reader: Box<dyn BufRead + Send>,
    options: StreamOptions,
    layout: Option<Layout>,
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
        Self::open_through(path, options, |file| file)
    }

    /// The same, where `through` stands between the file, as it is stored, and what reads it.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn open_through(
        path: &Path,
        options: StreamOptions,
        through: impl FnOnce(Box<dyn Read + Send>) -> Box<dyn Read + Send>,
    ) -> Result<Self, Error> {
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
        let raw: Box<dyn Read + Send> = match compression {
            Some(compression) => compression.decoder(raw).map_err(|error| Error::io(path, error))?,
            None => Box::new(raw),
        };
        let name = if path == Path::new("-") { Path::new("standard input") } else { path };
        Ok(Self::new(name, BufReader::with_capacity(1 << 18, raw), options))
    }

    /// Reads plain text from anywhere; errors call it `name`.
    pub fn new(name: impl Into<PathBuf>, reader: impl BufRead + Send + 'static, options: StreamOptions) -> Self {
        let layout = options.columns.clone().map(|columns| Layout { columns, more: true, deletions: false });
        EdgeStream {
            path: name.into(),
            reader: Box::new(reader),
            options,
            layout,
            begun: false,
            line: Vec::new(),
            number: 0,
            skipped: 0,
            ended: false,
        }
    }

    /// Lines passed over because they could not be read.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// The columns, once a line told them.
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

    /// Reads the next line, without its end, into the buffer and pads it; false at the end of the stream.
    fn read_line(&mut self) -> Result<bool, Error> {
        self.line.clear();
        let failed = |error: io::Error| match Compression::fault(&error) {
            Some(reason) if error.kind() != io::ErrorKind::Interrupted => {
                Error::Compressed { path: self.path.clone(), reason }
            }
            _ => Error::io(&self.path, error),
        };
        let mut limited = Read::take(&mut self.reader, LONGEST as u64 + 1);
        if limited.read_until(b'\n', &mut self.line).map_err(failed)? == 0 {
            return Ok(false);
        }
        self.number += 1;
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
        } else if self.line.len() > LONGEST {
            // The rest of the line goes where its beginning went.
            loop {
                let rest = self.reader.fill_buf().map_err(failed)?;
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
        Ok(true)
    }

    /// The update of the line in the buffer; `None` of a comment, an empty line or a heading.
    fn parse(&mut self) -> Result<Option<EdgeUpdate>, (usize, Fault)> {
        let line = &self.line[..];
        let length = line.len() - PAD - 1;
        if length >= LONGEST {
            return Err((0, Fault::LineTooLong { limit: LONGEST }));
        }
        let mut at = blanks(line, 0);
        if matches!(line[at], b'\n' | b'#' | b'%') {
            return Ok(None);
        }
        let separator = line[at..length].iter().copied().find(|byte| matches!(byte, b',' | b';'));
        if !std::mem::replace(&mut self.begun, true) && separator.is_some() && is_heading(&line[at..length]) {
            return Ok(None);
        }
        let deletion = matches!(line[at], b'-' | b'd');
        if self.layout.as_ref().is_none_or(|layout| layout.deletions && !deletion) {
            let columns = guess(&line[at..length])?;
            let deletions = deletion && !columns.contains(Column::Weight);
            self.layout = Some(Layout { columns, more: false, deletions });
        }
        let Some(layout) = &self.layout else { unreachable!("it was guessed") };
        let mut update =
            EdgeUpdate { operation: Operation::Insert, src: 0, dst: 0, weight: None, time: None, line: self.number };
        for (k, column) in layout.columns.0.iter().enumerate() {
            if k > 0 {
                at = next_column(line, at, separator);
            }
            if line[at] == b'\n' {
                // Deletions need no weight, wherever else there is one.
                if *column == Column::Weight && update.operation == Operation::Delete {
                    continue;
                }
                return Err((at, Fault::MissingColumn { expected: expected(*column) }));
            }
            match column {
                Column::Operation => {
                    update.operation = match line[at] {
                        b'+' | b'a' => Operation::Insert,
                        b'u' => Operation::Reweight,
                        b'-' | b'd' => Operation::Delete,
                        _ => return Err((at, Fault::Operation { found: token(line, at) })),
                    };
                    at += 1;
                }
                Column::Source => update.src = id(line, &mut at)?,
                Column::Target => update.dst = id(line, &mut at)?,
                Column::Weight => update.weight = Some(real(line, &mut at).map_err(|fault| (at, fault))?),
                Column::Time => update.time = Some(time(line, &mut at)?),
                Column::Other => {
                    while !ends(line[at], separator) {
                        at += 1;
                    }
                }
            }
            if !ends(line[at], separator) {
                return Err((at, Fault::Separator { expected: name_of(separator), found: token(line, at) }));
            }
        }
        at = blanks(line, at);
        if line[at] != b'\n' && !layout.more {
            return Err((at, Fault::ExtraColumn { expected: "the columns of the first line", found: token(line, at) }));
        }
        Ok(Some(update))
    }
}

impl Iterator for EdgeStream {
    type Item = Result<EdgeUpdate, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            match self.read_line() {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    self.ended = true;
                    return Some(Err(error));
                }
            }
            match self.parse() {
                Ok(None) => {}
                Ok(Some(update)) => return Some(Ok(update)),
                Err(_) if self.options.skip_bad => self.skipped += 1,
                Err((at, fault)) => {
                    self.ended = true;
                    return Some(Err(self.error(self.number, at + 1, fault)));
                }
            }
        }
        self.ended = true;
        None
    }
}

/// Whether a column ends before this byte.
fn ends(byte: u8, separator: Option<u8>) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n') || Some(byte) == separator
}

/// The beginning of the next column, or the end of the line.
fn next_column(line: &[u8], at: usize, separator: Option<u8>) -> usize {
    let at = blanks(line, at);
    if Some(line[at]) == separator { blanks(line, at + 1) } else { at }
}

fn id(line: &[u8], at: &mut usize) -> Result<u64, (usize, Fault)> {
    let begin = *at;
    whole(line, at).map_err(|why| (begin, id_fault(line, begin, why)))
}

fn time(line: &[u8], at: &mut usize) -> Result<i64, (usize, Fault)> {
    let begin = *at;
    let negative = line[begin] == b'-';
    *at += usize::from(negative);
    let fault = || (begin, Fault::Time { found: token(line, begin) });
    let seconds = whole(line, at).ok().and_then(|seconds| i64::try_from(seconds).ok()).ok_or_else(fault)?;
    Ok(if negative { -seconds } else { seconds })
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
        Some(_) => "a semicolon",
        None => "a blank",
    }
}

/// Whether a line of a separated file names its columns.
fn is_heading(line: &[u8]) -> bool {
    let word = line.split(|byte| matches!(byte, b',' | b';' | b' ' | b'\t')).next().unwrap_or(line);
    word.len() > 1 && word.iter().all(|byte| !byte.is_ascii_digit()) && word.iter().any(u8::is_ascii_alphabetic)
}

/// The columns that a first line shows.
fn guess(line: &[u8]) -> Result<Columns, (usize, Fault)> {
    use Column::{Operation, Source, Target, Time, Weight};
    let words = line.split(|byte| matches!(byte, b',' | b';' | b' ' | b'\t')).filter(|word| !word.is_empty());
    let first = words.clone().next().unwrap_or(line);
    let operation = matches!(first, [b'+' | b'-' | b'a' | b'u' | b'd']);
    Ok(Columns(match (operation, words.count()) {
        (true, ..3) => return Err((0, Fault::MissingColumn { expected: "an operation and two vertex ids" })),
        (true, 3) => vec![Operation, Source, Target],
        (true, 4) => vec![Operation, Source, Target, Weight],
        (true, 5) => vec![Operation, Source, Target, Weight, Time],
        (false, 2) => vec![Source, Target],
        (false, 3) => vec![Source, Target, Time],
        (false, 4) => vec![Source, Target, Weight, Time],
        (_, 1) => return Err((line.len(), Fault::MissingColumn { expected: "a second vertex id" })),
        _ => {
            let expected = "two to four columns, or an operation before them";
            return Err((0, Fault::ExtraColumn { expected, found: quote(line) }));
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &'static str, columns: &str) -> Result<Vec<EdgeUpdate>, String> {
        let columns = (!columns.is_empty()).then(|| columns.parse().unwrap());
        let options = StreamOptions { columns, skip_bad: false };
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
        assert_eq!(brief("# temporal\n1 2 1082040961\n\n3\t4  -5\r\n", ""), "2:+1>2 t1082040961, 4:+3>4 t-5");
        assert_eq!(brief("7 8", ""), "1:+7>8");
        assert_eq!(brief("1,2,0.5,9\n", ""), "1:+1>2 w0.5 t9");
        assert_eq!(
            brief("d 1 2\n- 3 4\na 1 2 3e2\nu 1 2 1\nd 5 6\n", ""),
            "1:-1>2, 2:-3>4, 3:+1>2 w300, 4:u1>2 w1, 5:-5>6"
        );
        assert_eq!(brief("from,to,at\n1, 2, 3\n", ""), "2:+1>2 t3");
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
    fn mistakes_name_line_and_column() {
        for (text, expected) in [
            ("1 2\n3\n", "s:2:2: expected a vertex id, found the end of the line"),
            ("1 2\n3 x\n", "s:2:3: expected a vertex id (a whole number), found `x`"),
            ("1 2\n-3 4\n", "s:2:1: expected a vertex id of 0 or more, found the negative `-3`"),
            ("1 99999999999999999999\n", "s:1:3: expected a vertex id of at most 18446744073709551615"),
            ("1 2 3\n1 2 2.5\n", "s:2:6: expected a blank between columns, found `.5`"),
            ("1 2 now\n", "s:1:5: expected a time (a whole number), found `now`"),
            ("1 2\n1 2 3\n", "s:2:5: expected the columns of the first line, found more: `3`"),
            ("a 1 2 nan\n", "s:1:7: expected a finite number, found `nan`"),
            ("+ 1 2\nx 1 2\n", "s:2:1: expected `+`, `-`, `a`, `u` or `d`, found `x`"),
            ("1\n", "s:1:2: expected a second vertex id"),
            ("1 2 3 4 5 6\n", "s:1:1: expected two to four columns"),
            ("+ 1\n", "s:1:1: expected an operation and two vertex ids"),
            ("1,2\n1 2,3\n", "s:2:4: expected"),
        ] {
            let error = read(text, "").unwrap_err();
            assert!(error.starts_with(expected), "{text:?}: {error}");
        }
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
        let mut strict = EdgeStream::new("s", io::Cursor::new(text.split_off(8)), StreamOptions::default());
        assert_eq!(strict.next().unwrap().unwrap_err().to_string(), "s:1:1: expected a line of at most 65536 bytes");
        assert!(strict.next().is_none());
    }
}
