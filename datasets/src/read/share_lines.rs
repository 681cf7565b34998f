//! Lines of a file that do not depend on each other, read a stretch at a time, or one block after the other where the file is compressed.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::arcs::{AnyPart, Part};
use super::pairs::{self, Rules};
use super::share::{NamedArcs, Tally};
use super::symmetry::Symmetry;
use super::{adjacency, both_ends, check_proportion, dimacs, edge_list, head, ldbc, matrix_market, metis, names};
use crate::columns::Columns;
use crate::error::{Error, Fault};
use crate::input::{Direction, Format, Options};
use crate::scan::Id;
use crate::source::{self, At, MAX_LINE, Source, Text};

/// Bytes that are read at a time.
const BLOCK: u64 = 1 << 20;

/// A file of lines, and what its head says of the graph.
pub(super) struct Body {
    pub(super) lines: Lines,
    pub(super) declared: Option<Direction>,
    pub(super) symmetry: Symmetry,
    /// Vertices that are there with or without arcs.
    pub(super) vertices: Range<u64>,
}

/// What a line holds.
#[derive(Clone, Debug)]
pub(super) enum Form {
    /// Two ids and perhaps a weight.
    Pairs(Rules),
    /// An id and those of its neighbours.
    Neighbours,
    /// An id of a vertex.
    Vertices,
    /// A number; if this is set, also NaN and infinities.
    Numbers(bool),
    /// Columns, of which two are names.
    NamedPairs(Rules, Columns, u8),
    /// The neighbours of the vertex whose number is that of the line.
    Rows(metis::Header),
    /// A name and those of its neighbours, with this byte between them.
    NamedNeighbours(u8),
}

/// How many entries a header promises.
#[derive(Clone, Copy, Debug)]
pub(super) struct Promise {
    pub(super) entries: u64,
    /// Entries before the first, as far as lines look alike.
    pub(super) header: u64,
    pub(super) is_entry: fn(&[u8]) -> bool,
}

/// Lines of a file.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    pub(super) path: PathBuf,
    /// The text of a bundled graph, which has no file.
    pub(super) text: Option<&'static [u8]>,
    pub(super) form: Form,
    /// Where the first line of data begins, at the earliest.
    pub(super) begin: u64,
    /// The length of the file; `None` if it is compressed or a bundled graph.
    pub(super) end: Option<u64>,
    /// What is added to ids: 1 where the reader makes coordinates begin at 0.
    pub(super) first_id: u64,
    /// What is added to targets: the vertices of the left set of a bipartite graph.
    pub(super) left: u64,
    /// The symmetry of the matrix, if the lines are entries of one.
    pub(super) symmetry: Symmetry,
    pub(super) promise: Option<Promise>,
    /// The first row of each share, where lines are rows and were counted, and whether each edge is listed once.
    pub(super) firsts: Vec<u64>,
    pub(super) once: bool,
}

impl Body {
    /// What a file holds whose lines do not depend on each other; `None` if it is of another kind.
    pub(super) fn of(mut source: Source, format: Format, options: &Options) -> Result<Option<Body>, Error> {
        match format {
            Format::EdgeList => Self::edges(source, options),
            Format::Names if options.columns.is_some() => Self::edges(source, options),
            Format::Names => {
                let declared = head::Head::of(source.peek()).direction;
                source.skip_comments(b"#%")?;
                let form = Form::NamedNeighbours(names::separator(source.peek()));
                Ok(Some(Body {
                    lines: Lines::behind(&source, form),
                    declared,
                    symmetry: Symmetry::General,
                    vertices: 0..0,
                }))
            }
            Format::Adjacency => {
                let declared = head::Head::of(source.peek()).direction;
                let lines = Lines::behind(&source, Form::Neighbours);
                Ok(Some(Body { lines, declared, symmetry: Symmetry::General, vertices: 0..0 }))
            }
            Format::Dimacs => dimacs::share(source, options).map(Some),
            Format::Metis => metis::share(source).map(Some),
            _ => Ok(None),
        }
    }

    fn edges(mut source: Source, options: &Options) -> Result<Option<Body>, Error> {
        let Some(layout) = edge_list::sniff(&mut source, options)? else {
            return Err(Error::Empty { path: source.path().to_owned(), expected: "at least one edge" });
        };
        let Some(edge_list::Kind { rules, columns, named, left, declared }) = layout.kind() else { return Ok(None) };
        let form = match named {
            true => {
                let separator = names::separator_of(&source, &rules);
                Form::NamedPairs(rules, columns, separator)
            }
            false => Form::Pairs(rules),
        };
        let lines = Lines { left, ..Lines::behind(&source, form) };
        Ok(Some(Body { lines, declared, symmetry: Symmetry::General, vertices: 0..0 }))
    }

    /// A matrix or a graph that declares its size: its vertices are counted from 1.
    pub(super) fn sized(
        source: &Source,
        rules: Rules,
        vertices: u64,
        promise: Promise,
        declared: Option<Direction>,
    ) -> Result<Body, Error> {
        // An entry takes four bytes at least. What the file promises is counted when all of it was read.
        let most = source.plain_len().map_or(promise.entries, |bytes| promise.entries.min(bytes / 4));
        check_proportion(source.path(), crate::input::VERTICES, vertices, most)?;
        let lines = Lines { first_id: 1, promise: Some(promise), ..Lines::behind(source, Form::Pairs(rules)) };
        Ok(Body { lines, declared, symmetry: Symmetry::General, vertices: 1..vertices + 1 })
    }
}

impl Lines {
    /// The lines that were not consumed.
    pub(super) fn behind(source: &Source, form: Form) -> Lines {
        Lines {
            path: source.path().to_owned(),
            text: source.program_text(),
            form,
            begin: source.consumed(),
            end: source.plain_len(),
            first_id: 0,
            left: 0,
            symmetry: Symmetry::General,
            promise: None,
            firsts: Vec::new(),
            once: false,
        }
    }

    pub(super) fn is_named(&self) -> bool {
        matches!(self.form, Form::NamedPairs(..) | Form::NamedNeighbours(_))
    }

    pub(super) fn is_weighted(&self) -> bool {
        match &self.form {
            Form::Pairs(rules) | Form::NamedPairs(rules, ..) => rules.weighted,
            Form::Rows(header) => header.weighted,
            _ => false,
        }
    }

    /// What the header says of a file whose lines are rows.
    pub(super) fn header(&self) -> Option<metis::Header> {
        match self.form {
            Form::Rows(header) => Some(header),
            _ => None,
        }
    }

    pub(super) fn is_divided(&self) -> bool {
        self.end.is_some()
    }

    /// Compares what all readers have found with what the header promises.
    pub(super) fn check(&self, [found, balance]: Tally) -> Result<(), Error> {
        if let Some(header) = self.header() {
            let rows = Lines { firsts: vec![0], ..self.clone() };
            return match self.once {
                true => header.check_once(&self.path, found, balance),
                false => header.check_both(&self.path, balance, &mut |each| rows.each_row(header, each)),
            };
        }
        match self.promise.filter(|promise| promise.entries != found) {
            // For the entries of a matrix this number is not a balance. It encodes their sides of the diagonal.
            None if Symmetry::are_both(balance) => Err(matrix_market::on_both_sides(&self.path, self.symmetry)),
            None => Ok(()),
            Some(Promise { entries, header, is_entry }) => {
                Err(super::wrong_count(&self.path, header, entries, found, is_entry))
            }
        }
    }

    /// The share of one reader; `None` if it has none.
    pub(super) fn share(&self, reader: usize, readers: usize) -> Result<Option<LineShare>, Error> {
        let fault = |error| Error::io(&self.path, error);
        let blocks = match self.end {
            None if reader > 0 => return Ok(None),
            None => {
                let mut source = Source::again(&self.path, self.text)?;
                source.skip_mark();
                while source.consumed() < self.begin {
                    source.line()?;
                }
                Blocks::Stream(Box::new(source))
            }
            Some(end) => {
                let cut = |reader: usize| {
                    let all = end.saturating_sub(self.begin);
                    self.begin + (u128::from(all) * reader as u128 / readers as u128) as u64
                };
                let mut file = File::open(&self.path).map_err(fault)?;
                let at = match cut(reader) == self.begin {
                    // A line begins here.
                    true => self.begin,
                    false => next_line(&mut file, cut(reader), end).map_err(fault)?,
                };
                let end = if reader + 1 == readers { u64::MAX } else { cut(reader + 1) };
                Blocks::Range(Stretch { path: self.path.clone(), file, at, end })
            }
        };
        let row = self.firsts.get(reader).copied().unwrap_or_default();
        Ok(Some(LineShare { lines: self.clone(), blocks, row, tally: Tally::default() }))
    }
}

impl Lines {
    /// Calls `each` with the arcs of all rows, between vertices that are counted from 0.
    fn each_row(&self, header: metis::Header, each: &mut dyn FnMut(u64, u64, f64)) -> Result<(), Error> {
        let rows = Lines { first_id: 0, ..self.clone() };
        let Some(mut share) = rows.share(0, 1)? else { return Ok(()) };
        while share.next_rows(header, each)? {}
        Ok(())
    }

    /// Counts the numbers in the stretch of a reader.
    pub(super) fn count_numbers(&self, reader: usize, readers: usize) -> Result<u64, Error> {
        let mut count = 0;
        if let Some(mut share) = self.share(reader, readers)? {
            while let Some(numbers) = share.next_numbers()? {
                count += numbers.len() as u64;
            }
        }
        Ok(count)
    }
}

/// Where the first line begins that does not begin before `at`.
fn next_line(file: &mut File, at: u64, end: u64) -> io::Result<u64> {
    let mut from = at.saturating_sub(1);
    file.seek(SeekFrom::Start(from))?;
    let mut buffer = vec![0; 64 << 10];
    while from < end {
        let got = file.read(&mut buffer)?;
        if got == 0 {
            break;
        }
        if let Some(found) = memchr::memchr(b'\n', &buffer[..got]) {
            return Ok(from + found as u64 + 1);
        }
        from += got as u64;
    }
    Ok(end)
}

/// Lines of a file for one reader.
pub(super) struct LineShare {
    lines: Lines,
    blocks: Blocks,
    /// The number of the next line, where lines are rows.
    row: u64,
    tally: Tally,
}

enum Blocks {
    Range(Stretch),
    Stream(Box<Source>),
}

impl LineShare {
    pub(super) fn next(
        &mut self,
        each: &mut dyn FnMut(u64, u64, f64),
        alone: &mut dyn FnMut(u64),
    ) -> Result<bool, Error> {
        let form = self.lines.form.clone();
        if let Form::Rows(header) = form {
            return self.next_rows(header, each);
        }
        let parse = |text: Text<'_>| match &form {
            Form::Pairs(rules) => pairs::parse(text, rules),
            Form::Vertices => {
                let alone = ldbc::parse_vertices(text)?;
                Ok(AnyPart::Wide(Part { alone, ..Part::with_capacity(0, false) }))
            }
            _ => adjacency::parse(text),
        };
        let Some(mut part) = self.parsed(parse)? else {
            // What a compressed file promises is not compared with its size, and nobody else reads it.
            let checked = if self.lines.is_divided() { Ok(()) } else { self.lines.check(self.tally) };
            return checked.map(|()| false);
        };
        let sides = self.lines.symmetry.sides(&part);
        self.tally = [self.tally[0] + part.len() as u64, self.tally[1].wrapping_add(sides)];
        if self.lines.left > 0 {
            let Lines { left, path, .. } = &self.lines;
            if let Some(found) = part.largest_source().filter(|found| found > left) {
                let fault = Fault::OutOfRange { what: "vertex of the left set", first: 1, last: *left, found };
                return Err(Error::at(path, 1, 1, fault));
            }
            if !part.shift_targets(*left) {
                let (what, path) = (crate::input::VERTICES, path.to_owned());
                return Err(Error::TooManyVertices { what, path, vertices: u64::MAX });
            }
        }
        match &part {
            AnyPart::Narrow(part) => self.visit(part, each, alone),
            AnyPart::Wide(part) => self.visit(part, each, alone),
        }
        Ok(true)
    }

    fn next_rows(&mut self, header: metis::Header, each: &mut dyn FnMut(u64, u64, f64)) -> Result<bool, Error> {
        let Some(part) = self.parsed(|text| metis::parse(text, header))? else { return Ok(false) };
        let (first, weights) = (self.lines.first_id, part.weight.iter().copied().chain(std::iter::repeat(1.0)));
        for ((&src, &dst), weight) in part.src.iter().zip(&part.dst).zip(weights) {
            let (src, dst) = (self.row + u64::from(src), u64::from(dst));
            let balance = both_ends::balance(src, dst, if self.lines.once { 1.0 } else { weight });
            self.tally[1] = self.tally[1].wrapping_add(balance);
            each(first + src, first + dst, weight);
        }
        self.tally[0] += part.src.len() as u64;
        self.row += part.lines as u64;
        Ok(true)
    }

    pub(super) fn tally(&self) -> Tally {
        self.tally
    }

    /// What the lines hold, if they are rows. Nothing is left of the share then.
    pub(super) fn count(mut self) -> Result<metis::Counts, Error> {
        let mut all = metis::Counts::default();
        let Some(header) = self.lines.header() else { return Ok(all) };
        while let Some(part) = self.parsed(|text| metis::parse(text, header))? {
            all = all.and(part.counts());
        }
        Ok(all)
    }

    fn visit<I: Id>(&self, part: &Part<I>, each: &mut dyn FnMut(u64, u64, f64), alone: &mut dyn FnMut(u64)) {
        let (first, skew) = (self.lines.first_id, self.lines.symmetry == Symmetry::Skew);
        let weights = part.weight.iter().copied().chain(std::iter::repeat(1.0));
        for ((src, dst), weight) in part.src.iter().zip(&part.dst).zip(weights) {
            let (src, dst) = (first + src.wide(), first + dst.wide());
            each(src, dst, weight);
            if skew && src != dst {
                each(dst, src, if part.weight.is_empty() { 1.0 } else { -weight });
            }
        }
        part.alone.iter().for_each(|id| alone(id.wide()));
    }

    pub(super) fn next_named(&mut self) -> Result<Option<NamedArcs>, Error> {
        let form = self.lines.form.clone();
        let parsed = self.parsed(|text| match &form {
            Form::NamedPairs(rules, columns, separator) => names::parse_columns(text, *separator, rules, columns),
            Form::NamedNeighbours(separator) => names::parse(text, *separator),
            _ => Ok(names::Part::default()),
        })?;
        Ok(parsed.map(names::Part::into_named))
    }

    /// The next numbers; `None` at the end.
    pub(super) fn next_numbers(&mut self) -> Result<Option<Vec<f64>>, Error> {
        let any_number = matches!(self.lines.form, Form::Numbers(true));
        self.parsed(|text| pairs::values(text, any_number).map(|(values, _)| values))
    }

    /// Parses the next block; `None` at the end.
    fn parsed<T>(&mut self, parse: impl FnOnce(Text<'_>) -> Result<T, At>) -> Result<Option<T>, Error> {
        let mut block = match &mut self.blocks {
            Blocks::Stream(source) => {
                let Some(block) = source.block()? else { return Ok(None) };
                let before = source.lines();
                let parsed = parse(Text::of(&block));
                source.count_lines(&block);
                let fault = |At { line, column, fault }| Error::at(&self.lines.path, before + line + 1, column, fault);
                return parsed.map(Some).map_err(fault);
            }
            Blocks::Range(stretch) => {
                if stretch.at >= stretch.end {
                    return Ok(None);
                }
                let Some(block) = stretch.block()? else { return Ok(None) };
                block
            }
        };
        let len = block.len() as u64;
        source::close(&mut block);
        let Blocks::Range(stretch) = &mut self.blocks else { return Ok(None) };
        let parsed = parse(Text::of(&block)).map_err(|at| stretch.fault(at))?;
        stretch.at += len;
        Ok(Some(parsed))
    }
}

/// A stretch of a plain file.
struct Stretch {
    path: PathBuf,
    file: File,
    /// Where the next line begins.
    at: u64,
    /// Lines that begin here or later are those of others.
    end: u64,
}

impl Stretch {
    /// Whole lines from the present place on, as far as they begin in the share; `None` at the end.
    fn block(&mut self) -> Result<Option<Vec<u8>>, Error> {
        let fault = |error| Error::io(&self.path, error);
        let mut block = Vec::new();
        self.file.seek(SeekFrom::Start(self.at)).map_err(fault)?;
        loop {
            let searched = block.len();
            let got = Read::by_ref(&mut self.file).take(BLOCK).read_to_end(&mut block).map_err(fault)?;
            if block.is_empty() {
                return Ok(None);
            }
            // The line that reaches to the end of the share, or over it, is the last one.
            let reach = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
            let last = reach.saturating_sub(1).max(searched);
            if let Some(found) = block.get(last..).and_then(|rest| memchr::memchr(b'\n', rest)) {
                block.truncate(last + found + 1);
                return Ok(Some(block));
            }
            if (got as u64) < BLOCK {
                return Ok(Some(block));
            }
            if reach > block.len()
                && let Some(found) = memchr::memrchr(b'\n', &block)
            {
                block.truncate(found + 1);
                return Ok(Some(block));
            }
            if block.len() > MAX_LINE {
                let at = At { line: 0, column: 1, fault: Fault::LineTooLong { limit: MAX_LINE } };
                return Err(self.fault(at));
            }
        }
    }

    /// The error of a fault in the present block. Lines before it are counted now.
    fn fault(&self, at: At) -> Error {
        match lines_before(&self.path, self.at) {
            Ok(lines) => Error::at(&self.path, lines + at.line + 1, at.column, at.fault),
            Err(error) => Error::io(&self.path, error),
        }
    }
}

/// How many lines of a file end before a place.
fn lines_before(path: &Path, at: u64) -> io::Result<u64> {
    let mut before = File::open(path)?.take(at);
    let (mut buffer, mut lines) = (vec![0; 64 << 10], 0);
    loop {
        match before.read(&mut buffer)? {
            0 => return Ok(lines),
            got => lines += memchr::memchr_iter(b'\n', &buffer[..got]).count() as u64,
        }
    }
}
