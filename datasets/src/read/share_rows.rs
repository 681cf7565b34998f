//! Rows of our own binary and of the GAP Benchmark Suite's, read a stretch at a time. Checksums are those of whole arrays and are not checked;
//! what is read is.
//!
//! ```text
//!   offsets  0 │ 3 │ 4 │ …          targets  7 8 9 │ 2 │ …          weights  as targets, or each behind its target
//! ```
//!
//! A file that is compressed as a whole has no places to begin at: the first reader reads all rows, and holds a stretch of each array.

use std::ops::Range;
use std::path::Path;

use super::share_ids::StoredIds;
use super::share_places::Places;
use super::{both_ends, check_proportion, gap};
use crate::error::Error;
use crate::plg::{Entry, Header};
use crate::source::Source;

/// Rows whose offsets are read at a time, and arcs.
const ROWS: u64 = 1 << 16;
const ARCS: u64 = 1 << 18;

/// Where the rows of a graph are in a file.
#[derive(Clone, Debug)]
pub(super) struct StoredRows {
    rows: u64,
    vertices: u64,
    arcs: u64,
    first_id: u64,
    /// Where the arrays begin.
    offsets: u64,
    targets: u64,
    weights: Stored,
    /// Where ids are listed that are not the numbers from `first_id` on.
    pub(super) ids: Option<StoredIds>,
    /// Whether the file is compressed as a whole.
    packed: bool,
    /// Where it must end, if it says so.
    end: Option<u64>,
    /// Whether each edge must be in the rows of both its ends.
    both: bool,
}

/// Where the weights of arcs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stored {
    None,
    /// 64-bit floating point, in an array of their own.
    Apart(u64),
    /// Whole numbers of 32 bits, each behind its target.
    Beside,
}

impl StoredRows {
    /// The rows, whether the graph is directed, and whether arcs stand for two where that does not follow. `None` if the file is none of a graph.
    pub(super) fn open(source: Source) -> Result<Option<(Self, bool, Option<bool>)>, Error> {
        let (path, len) = (source.path().to_owned(), source.plain_len());
        let mut file = source.into_binary();
        let header = Header::read(&mut file)?;
        if header.field("kind") != Some("graph") {
            return Ok(None);
        }
        let lists_ids = header.array("names").is_some() || header.field("first_id").is_none();
        let number = |name: &str| {
            let found = header.field(name).and_then(|text| text.parse::<u64>().ok());
            found.ok_or_else(|| file.damaged(0, format!("expected a number in the field `{name}`")))
        };
        let truth = |name: &str| {
            let found = header.field(name).and_then(|text| text.parse::<bool>().ok());
            found.ok_or_else(|| file.damaged(0, format!("expected `true` or `false` in the field `{name}`")))
        };
        let place = |name: &str, kind: &str, count: Option<u64>| {
            let fits = |entry: &&Entry| entry.kind == kind && count.is_none_or(|count| entry.count == count);
            let found = header.array(name).filter(fits);
            found.ok_or_else(|| file.damaged(0, format!("expected an array `{name}` of {kind} that fits the others")))
        };
        let (rows, columns) = (number("rows")?, number("columns")?);
        let first_id = if lists_ids { 0 } else { number("first_id")? };
        let vertices = rows.max(columns);
        let ends = rows.checked_add(1).filter(|_| first_id.checked_add(vertices.saturating_sub(1)).is_some());
        let ends = ends.ok_or_else(|| file.damaged(0, "holds more vertices than there are ids"))?;
        let targets = place("targets", "u32", None)?;
        let ids = match lists_ids {
            true => Some(StoredIds::of(&header, len).filter(|ids| match ids {
                StoredIds::Numbers(_, count) => *count == vertices,
                StoredIds::Names(_, bytes) => *bytes >= vertices,
            })),
            false => None,
        };
        if ids == Some(None) {
            return Err(file.damaged(0, "expected `first_id`, or an array `ids` or `names` with an id of each vertex"));
        }
        let ids = ids.flatten();
        // An arc takes four bytes at least. Of a compressed file, vertices come behind the arcs.
        let most = len.map_or(targets.count, |len| targets.count.min(len / 4));
        check_proportion(&path, crate::input::VERTICES, vertices, most)?;
        let weights = match header.array("weights") {
            Some(_) => Stored::Apart(place("weights", "f64", Some(targets.count))?.offset),
            None => Stored::None,
        };
        let found = StoredRows {
            rows,
            vertices,
            arcs: targets.count,
            first_id,
            offsets: place("offsets", "u64", Some(ends))?.offset,
            targets: targets.offset,
            weights,
            ids,
            packed: len.is_none(),
            end: None,
            both: false,
        };
        let (directed, mirrored) = (truth("directed")?, truth("mirrored")?);
        // As a reader of the whole file does: listed once, symmetric, or from both ends.
        let listed = match (directed, mirrored) {
            (true, false) | (false, true) => None,
            (true, true) => Some(true),
            (false, false) => Some(false),
        };
        Ok(Some((found, directed, listed)))
    }

    /// The rows of a file of the GAP Benchmark Suite, and whether the graph is directed.
    pub(super) fn of_gap(source: Source) -> Result<(Self, bool), Error> {
        let (path, len) = (source.path().to_owned(), source.plain_len());
        let mut file = source.into_binary();
        let gap::Header { directed, arcs, vertices, weighted } = gap::Header::read(&mut file)?;
        let (weights, width) = if weighted { (Stored::Beside, 8) } else { (Stored::None, 4) };
        let offsets = file.at();
        let side = arcs.checked_mul(width).and_then(|bytes| bytes.checked_add(8 * (vertices + 1)));
        let end = side.and_then(|side| side.checked_mul(if directed { 2 } else { 1 })?.checked_add(offsets));
        let end = end.ok_or_else(|| file.damaged(0, "holds more arcs than a file can"))?;
        if let Some(len) = len.filter(|&len| len != end) {
            return Err(file.damaged(len, format!("expected the end of the file at {end}, found it here")));
        }
        check_proportion(&path, crate::input::VERTICES, vertices, arcs)?;
        let (targets, packed) = (offsets + 8 * (vertices + 1), len.is_none());
        let (rows, first_id, ids, end) = (vertices, 0, None, Some(end));
        let both = !directed;
        let stored = StoredRows { rows, vertices, arcs, first_id, offsets, targets, weights, ids, packed, end, both };
        Ok((stored, directed))
    }

    pub(super) fn is_weighted(&self) -> bool {
        self.weights != Stored::None
    }

    pub(super) fn num_vertices(&self) -> u64 {
        self.vertices
    }

    pub(super) fn is_divided(&self) -> bool {
        !self.packed
    }

    /// The rows of one reader; the last one also has the vertices behind the rows.
    pub(super) fn share(&self, path: &Path, reader: usize, readers: usize) -> Result<RowShare, Error> {
        let (reader, readers) = match (self.packed, reader) {
            (false, _) => (reader, readers),
            (true, 0) => (0, 1),
            (true, _) => (1, 1),
        };
        let cut = |reader: usize| (u128::from(self.rows) * reader as u128 / readers as u128) as u64;
        let rows = if reader < readers { cut(reader)..cut(reader + 1) } else { 0..0 };
        let behind = if reader + 1 == readers { self.rows..self.vertices } else { 0..0 };
        let open = || Places::open(path);
        let weights = matches!(self.weights, Stored::Apart(_)).then(open).transpose()?;
        let (stored, row) = (self.clone(), rows.start);
        let places = (open()?, open()?, weights);
        Ok(RowShare { stored, places, rows, begin: None, ends: Vec::new(), row, at: 0, behind, balance: 0 })
    }

    /// Checks that each edge is in the rows of both its ends, by the [balance](both_ends::balance) of all arcs.
    pub(super) fn check(&self, path: &Path, balance: u64) -> Result<(), Error> {
        if !self.both || balance == 0 {
            return Ok(());
        }
        gap::check_both(path, (self.vertices, self.is_weighted()), &mut |each| {
            let mut share = self.share(path, 0, 1)?;
            while share.next(each, &mut |_| ())? {}
            Ok(())
        })
    }
}

/// Some rows of a file.
pub(super) struct RowShare {
    stored: StoredRows,
    /// The file for offsets, for targets, and for weights.
    places: (Places, Places, Option<Places>),
    /// Rows whose ends were not read.
    rows: Range<u64>,
    /// Where the first of them begins, if that was read.
    begin: Option<u64>,
    /// Where the rows before them end that were not handed out, the number of the first of them, and the next arc.
    ends: Vec<u64>,
    row: u64,
    at: u64,
    /// Vertices without rows.
    behind: Range<u64>,
    /// That of the arcs that were handed out, if it is checked.
    balance: u64,
}

impl RowShare {
    pub(super) fn next(
        &mut self,
        each: &mut dyn FnMut(u64, u64, f64),
        alone: &mut dyn FnMut(u64),
    ) -> Result<bool, Error> {
        let first_id = self.stored.first_id;
        if self.ends.is_empty() && !self.next_ends()? {
            self.check_end()?;
            let count = (self.behind.end - self.behind.start).min(ROWS);
            self.behind.by_ref().take(count as usize).for_each(|vertex| alone(first_id + vertex));
            return Ok(count > 0);
        }
        let end = self.ends.last().copied().unwrap_or(self.at).min(self.at.saturating_add(ARCS));
        let begin = self.at;
        let (targets, weights) = self.arcs(begin, end - begin)?;
        let mut done = 0;
        for &row_end in &self.ends {
            let id = first_id + self.row;
            let until = row_end.min(end);
            let had = until > self.at;
            while self.at < until {
                let k = (self.at - begin) as usize;
                let (target, weight) = (first_id + u64::from(targets[k]), weights.get(k).copied().unwrap_or(1.0));
                if self.stored.both {
                    self.balance = self.balance.wrapping_add(both_ends::balance(id, target, weight));
                }
                each(id, target, weight);
                self.at += 1;
            }
            if row_end > end {
                break;
            }
            if !had {
                alone(id);
            }
            self.row += 1;
            done += 1;
        }
        self.ends.drain(..done);
        Ok(true)
    }

    pub(super) fn balance(&self) -> u64 {
        self.balance
    }

    /// Checks where a compressed file ends, if it says so: of others that was known before.
    fn check_end(&mut self) -> Result<(), Error> {
        let Some(end) = self.stored.end.take().filter(|_| self.stored.packed && self.begin.is_some()) else {
            return Ok(());
        };
        let mut found = Vec::new();
        self.places.1.read(end - 1, 2, &mut found)?;
        match found.len() {
            1 => Ok(()),
            _ => Err(damaged(&self.places.1, end, "expected the end of the file here".to_owned())),
        }
    }

    /// Reads where the next rows end; whether there are any.
    fn next_ends(&mut self) -> Result<bool, Error> {
        let StoredRows { offsets, rows, arcs, .. } = self.stored;
        let count = (self.rows.end - self.rows.start).min(ROWS);
        if count == 0 {
            return Ok(false);
        }
        let first = self.rows.start;
        let begin = match self.begin {
            Some(begin) => begin,
            None => array(&mut self.places.0, offsets, first, 1, u64::from_le_bytes)?[0],
        };
        let ends = array(&mut self.places.0, offsets, first + 1, count, u64::from_le_bytes)?;
        let last = ends.last().copied().unwrap_or(begin);
        let fits = begin <= ends[0] && ends.is_sorted() && (first > 0 || begin == 0);
        if !fits || last > arcs || first + count == rows && last < arcs {
            let reason = format!("expected offsets that ascend from 0 to {arcs}");
            return Err(damaged(&self.places.0, offsets + 8 * first, reason));
        }
        (self.row, self.at, self.begin, self.ends) = (first, begin, Some(last), ends);
        self.rows.start += count;
        Ok(true)
    }

    /// The targets of arcs, and their weights, if they have any.
    fn arcs(&mut self, begin: u64, count: u64) -> Result<(Vec<u32>, Vec<f64>), Error> {
        let StoredRows { targets: at, weights, vertices, .. } = self.stored;
        let file = &mut self.places.1;
        let (targets, weights) = match (weights, &mut self.places.2) {
            (Stored::Beside, _) => {
                let pairs = array(file, at, begin, count, |both: [u8; 8]| {
                    let [a, b, c, d, weight @ ..] = both;
                    (u32::from_le_bytes([a, b, c, d]), f64::from(i32::from_le_bytes(weight)))
                })?;
                pairs.into_iter().unzip()
            }
            (Stored::Apart(place), Some(of_weights)) => {
                let targets = array(file, at, begin, count, u32::from_le_bytes)?;
                let weights = array(of_weights, place, begin, count, f64::from_le_bytes)?;
                if let Some(k) = weights.iter().position(|weight| !weight.is_finite()) {
                    let reason = format!("expected a finite number, found {}", weights[k]);
                    return Err(damaged(of_weights, place + 8 * (begin + k as u64), reason));
                }
                (targets, weights)
            }
            _ => (array(file, at, begin, count, u32::from_le_bytes)?, Vec::new()),
        };
        if let Some(k) = targets.iter().position(|&target| u64::from(target) >= vertices) {
            let width = if self.stored.weights == Stored::Beside { 8 } else { 4 };
            let reason = format!("expected a vertex below {vertices}, found {}", targets[k]);
            return Err(damaged(&self.places.1, at + width * (begin + k as u64), reason));
        }
        Ok((targets, weights))
    }
}

/// Numbers of an array that begins at a place of the file.
fn array<T, const N: usize>(
    file: &mut Places,
    array: u64,
    first: u64,
    count: u64,
    number: impl Fn([u8; N]) -> T,
) -> Result<Vec<T>, Error> {
    let at = array.saturating_add(first.saturating_mul(N as u64));
    let (mut bytes, wanted) = (Vec::new(), count * N as u64);
    file.read(at, wanted, &mut bytes)?;
    match bytes.len() as u64 == wanted {
        true => Ok(bytes.as_chunks::<N>().0.iter().map(|&bytes| number(bytes)).collect()),
        false => Err(damaged(file, at, "expected more numbers, but the file ends".to_owned())),
    }
}

fn damaged(file: &Places, offset: u64, reason: String) -> Error {
    Error::Damaged { path: file.path().to_owned(), offset, reason }
}
