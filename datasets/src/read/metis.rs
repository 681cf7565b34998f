//! METIS: a line `VERTICES EDGES [FORMAT [CONSTRAINTS]]`, then for each vertex a line of its neighbours, counted from 1; lines
//! that begin with `%` are comments (METIS manual 5.1, section 4.1.1).
//!
//! The digits of FORMAT say, from the right, whether neighbours are followed by the weight of the edge, whether the line begins with
//! CONSTRAINTS weights of the vertex, and whether its size comes first. Weights and sizes of vertices are skipped.
//!
//! An edge is listed at both of its ends. Where there are only as many neighbours as EDGES, each is an arc of a directed graph, as in files of
//! the GAP Benchmark Suite.

use std::path::Path;

use super::arcs::Arcs;
use super::both_ends::{self, EachArc, balance_of};
use super::share_lines::{Body, Form, Lines};
use super::symmetry::Symmetry;
use super::{Listing, Raw, check_proportion, pairs};
use crate::error::{Error, Fault};
use crate::ids::IdMap;
use crate::input::Direction;
use crate::scan;
use crate::source::{At, Source, Text};

/// What the first line says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    pub(super) vertices: u64,
    edges: u64,
    pub(super) weighted: bool,
    /// Numbers before a vertex's first neighbour.
    before: usize,
}

/// The vertices of one block.
#[derive(Default)]
pub(super) struct Part {
    /// Number of vertices, blank lines at the end included.
    pub(super) lines: usize,
    /// Number of vertices up to the last that has a neighbour.
    filled: usize,
    /// Counted from the block's first vertex.
    pub(super) src: Vec<u32>,
    pub(super) dst: Vec<u32>,
    pub(super) weight: Vec<f64>,
    /// Whether a whole number among the weights was rounded.
    rounded: bool,
}

/// What stretches of a file hold that follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Vertices, blank lines included.
    pub(super) lines: u64,
    /// Vertices up to the last that has a neighbour.
    pub(super) filled: u64,
    pub(super) neighbours: u64,
}

impl Counts {
    /// Of this stretch and the one behind it.
    pub(super) fn and(self, next: Counts) -> Counts {
        Counts {
            lines: self.lines + next.lines,
            filled: if next.filled > 0 { self.lines + next.filled } else { self.filled },
            neighbours: self.neighbours + next.neighbours,
        }
    }
}

impl Part {
    pub(super) fn counts(&self) -> Counts {
        let of = |count: usize| count as u64;
        Counts { lines: of(self.lines), filled: of(self.filled), neighbours: of(self.dst.len()) }
    }
}

pub(super) fn read(mut source: Source) -> Result<Raw, Error> {
    let path = source.path().to_owned();
    let header = read_header(&mut source)?;
    let parts = source.parse(|text| parse(text, header))?;

    let counts = parts.iter().fold(Counts::default(), |all, part| all.and(part.counts()));
    let once = header.lists_once(&path, counts)?;
    let (mut first, rounded) = (0, parts.iter().any(|part| part.rounded));
    let mut arcs = Arcs { src: Vec::new(), dst: Vec::new(), weight: Vec::new() };
    arcs.src.reserve_exact(counts.neighbours as usize);
    arcs.dst.reserve_exact(counts.neighbours as usize);
    for part in parts {
        let base = first as u32;
        arcs.src.extend(part.src.iter().map(|v| base + v));
        arcs.dst.extend_from_slice(&part.dst);
        arcs.weight.extend_from_slice(&part.weight);
        first += part.lines as u64;
    }
    let balance = balance_of(&arcs, !once);
    match once {
        true => header.check_once(&path, counts.neighbours, balance)?,
        false => header.check_both(&path, balance, &mut |each| {
            arcs.for_each(each);
            Ok(())
        })?,
    }
    let ids = IdMap::offset(1, header.vertices as usize);
    let raw = Raw { rounded, ..Raw::graph(&path, arcs, ids, header.weighted) };
    Ok(match once {
        true => Raw { declared: Some(Direction::Directed), ..raw },
        false => Raw { declared: Some(Direction::Undirected), listing: Listing::Both, ..raw },
    })
}

/// A file that is read in shares: whether the graph is directed is known when all were counted.
pub(super) fn share(mut source: Source) -> Result<Body, Error> {
    let header = read_header(&mut source)?;
    // A neighbour takes two bytes at least. What the file promises is compared when all of it was counted.
    let most = source.plain_len().map_or(header.edges, |bytes| header.edges.min(bytes / 2));
    check_proportion(source.path(), crate::input::VERTICES, header.vertices, most)?;
    let lines = Lines { first_id: 1, ..Lines::behind(&source, Form::Rows(header)) };
    Ok(Body {
        lines,
        declared: Some(Direction::Undirected),
        symmetry: Symmetry::General,
        vertices: 1..header.vertices + 1,
    })
}

impl Header {
    /// Whether a file with these counts lists each arc once, and not each edge at both ends.
    pub(super) fn lists_once(self, path: &Path, counts: Counts) -> Result<bool, Error> {
        let Counts { lines, filled, neighbours } = counts;
        let wrong = || {
            let is_vertex = |line: &[u8]| line.first() != Some(&b'%');
            Err(super::wrong_count(path, 1, self.vertices, lines, is_vertex))
        };
        // Blank lines behind the last vertex do no harm, and vertices without neighbours may be left out at the end.
        if filled > self.vertices || lines < self.vertices && neighbours == 0 && self.edges > 0 {
            return wrong();
        }
        // The GAP Benchmark Suite's files list each arc of a directed graph once.
        let once = neighbours == self.edges && self.edges > 0;
        // A file that lists edges at both ends, and is cut off in the middle, may hold as many neighbours too.
        if once && lines < self.vertices {
            return wrong();
        }
        if !once && neighbours != self.edges.saturating_mul(2) {
            let expected = format!("{0} edges, each listed at both ends, or {0} arcs", self.edges);
            let found = format!("{neighbours} neighbours");
            return Err(Error::at(path, 1, 1, Fault::Header { expected, found }));
        }
        Ok(once)
    }

    /// Refuses a file that lists each edge at both ends, if its arcs have this [`balance`](both_ends::balance) together. `each` gives them
    /// again.
    pub(super) fn check_both(self, path: &Path, balance: u64, each: EachArc<'_>) -> Result<(), Error> {
        if balance == 0 {
            return Ok(());
        }
        match both_ends::find(self.vertices, each)? {
            Some(odd) => Err(Error::at(path, line_of(path, odd.src)?, 1, odd.fault(1, self.weighted))),
            None => Ok(()),
        }
    }

    /// Refuses a file that lists each arc once, if so many neighbours have this [`balance`](both_ends::balance) together.
    pub(super) fn check_once(self, path: &Path, neighbours: u64, balance: u64) -> Result<(), Error> {
        if balance != 0 {
            return Ok(());
        }
        // Whether the number is wrong, or each of these edges leads both ways, cannot be known.
        let expected = format!("{} edges, each listed at both ends", self.edges);
        let found = format!("{neighbours} neighbours");
        Err(Error::at(path, 1, 1, Fault::Header { expected, found }))
    }
}

/// The line of a vertex, counted from 0.
fn line_of(path: &Path, vertex: u64) -> Result<u64, Error> {
    // What is no file of its own is read once.
    if !path.is_file() {
        return Ok(1);
    }
    let mut source = Source::again(path, None)?;
    source.skip_mark();
    let mut before = 0;
    while let Some(line) = source.line()? {
        before += u64::from(line.first() != Some(&b'%'));
        // The header precedes the vertices.
        if before == vertex + 2 {
            break;
        }
    }
    Ok(source.lines())
}

fn read_header(source: &mut Source) -> Result<Header, Error> {
    source.skip_comments(b"%")?;
    let line = source.line()?.unwrap_or_default();
    let text = String::from_utf8_lossy(&line);
    let words: Vec<&str> = text.split_whitespace().collect();
    let numbers: Option<Vec<u64>> = words.iter().map(|w| w.parse().ok()).collect();
    let flags = words.get(2).copied().unwrap_or("0");
    let digits = flags.len() <= 3 && flags.bytes().all(|b| matches!(b, b'0' | b'1'));
    let (Some(numbers @ [vertices, edges, ..]), true, 2..=4) = (numbers.as_deref(), digits, words.len()) else {
        let expected = "`VERTICES EDGES [FORMAT [CONSTRAINTS]]`".to_owned();
        return Err(source.fault(1, Fault::Header { expected, found: scan::quote(&line) }));
    };
    if *vertices > u64::from(u32::MAX) {
        return Err(Error::TooManyVertices {
            what: crate::input::VERTICES,
            path: source.path().to_owned(),
            vertices: *vertices,
        });
    }
    let flag = |from_right: usize| flags.bytes().rev().nth(from_right) == Some(b'1');
    let constraints = numbers.get(3).map_or(1, |&n| usize::try_from(n).unwrap_or(usize::MAX));
    let before = usize::from(flag(2)).saturating_add(if flag(1) { constraints } else { 0 });
    Ok(Header { vertices: *vertices, edges: *edges, weighted: flag(0), before })
}

pub(super) fn parse(text: Text<'_>, header: Header) -> Result<Part, At> {
    let bytes = text.padded();
    let mut part = Part::default();
    part.dst.reserve(text.len() / 6);
    part.src.reserve(text.len() / 6);
    let (mut at, mut line) = (0, 0);
    while at < text.len() {
        let start = at;
        if bytes[at] == b'%' {
            at = scan::find_line_end(bytes, at) + 1;
        } else {
            parse_vertex(bytes, &mut at, header, &mut part).map_err(|fault| At {
                line,
                column: at - start + 1,
                fault,
            })?;
        }
        line += 1;
    }
    Ok(part)
}

fn parse_vertex(bytes: &[u8], at: &mut usize, header: Header, part: &mut Part) -> Result<(), Fault> {
    let vertex = part.lines as u32;
    part.lines += 1;
    *at = scan::blanks(bytes, *at);
    if !scan::line_ends(bytes, *at) {
        for _ in 0..header.before {
            pairs::id(bytes, at)?;
            next_column(bytes, at)?;
        }
    }
    while !scan::line_ends(bytes, *at) {
        let begin = *at;
        let found = pairs::id(bytes, at)?;
        if found == 0 || found > header.vertices {
            *at = begin;
            return Err(Fault::OutOfRange { what: "vertex", first: 1, last: header.vertices, found });
        }
        next_column(bytes, at)?;
        if header.weighted {
            if scan::line_ends(bytes, *at) {
                return Err(Fault::MissingColumn { expected: "the weight of the edge" });
            }
            let begin = *at;
            let weight = scan::real(bytes, at)?;
            part.weight.push(weight);
            part.rounded |= scan::is_rounded(&bytes[begin..*at], weight);
            next_column(bytes, at)?;
        }
        part.src.push(vertex);
        part.dst.push((found - 1) as u32);
        part.filled = part.lines;
    }
    *at += if bytes[*at] == b'\r' { 2 } else { 1 };
    Ok(())
}

/// Moves over the blanks behind a number.
fn next_column(bytes: &[u8], at: &mut usize) -> Result<(), Fault> {
    let behind = scan::blanks(bytes, *at);
    if behind == *at && !scan::line_ends(bytes, behind) {
        return Err(Fault::Separator { expected: "a space or a tab", found: scan::token(bytes, behind) });
    }
    *at = behind;
    Ok(())
}
