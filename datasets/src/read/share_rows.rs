//! Rows of our own binary, read a stretch at a time. Checksums are those of whole arrays and are not checked; what is read is.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::check_proportion;
use super::share_ids::StoredIds;
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
    weights: Option<u64>,
    /// Where ids are listed that are not the numbers from `first_id` on.
    pub(super) ids: Option<StoredIds>,
}

impl StoredRows {
    /// The rows, whether the graph is directed, and whether arcs stand for two where that does not follow. `None` if the file is none of a graph.
    pub(super) fn open(source: Source) -> Result<Option<(Self, bool, Option<bool>)>, Error> {
        let (path, len) = (source.path().to_owned(), source.plain_len().unwrap_or_default());
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
        let ends = rows.checked_add(1).filter(|_| first_id.checked_add(vertices).is_some());
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
        // An arc takes four bytes at least.
        check_proportion(&path, crate::input::VERTICES, vertices, targets.count.min(len / 4))?;
        let weights = match header.array("weights") {
            Some(_) => Some(place("weights", "f64", Some(targets.count))?.offset),
            None => None,
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

    pub(super) fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }

    pub(super) fn num_vertices(&self) -> u64 {
        self.vertices
    }

    pub(super) fn num_rows(&self) -> u64 {
        self.rows
    }

    /// A reader of some rows; the `last` one also has the vertices behind the rows.
    pub(super) fn share(&self, path: &Path, file: File, rows: Range<u64>, last: bool) -> RowShare {
        let stored = self.clone();
        let behind = if last { self.rows..self.vertices } else { 0..0 };
        RowShare { stored, path: path.to_owned(), file, rows, ends: Vec::new(), row: 0, at: 0, behind }
    }
}

/// Some rows of a file.
pub(super) struct RowShare {
    stored: StoredRows,
    path: PathBuf,
    file: File,
    /// Rows whose offsets were not read.
    rows: Range<u64>,
    /// Where the rows before them end that were not handed out, the number of the first of them, and the next arc.
    ends: Vec<u64>,
    row: u64,
    at: u64,
    /// Vertices without rows.
    behind: Range<u64>,
}

impl RowShare {
    pub(super) fn next(
        &mut self,
        each: &mut dyn FnMut(u64, u64, f64),
        alone: &mut dyn FnMut(u64),
    ) -> Result<bool, Error> {
        let first_id = self.stored.first_id;
        if self.ends.is_empty() {
            let count = (self.rows.end - self.rows.start).min(ROWS);
            if count == 0 {
                let count = (self.behind.end - self.behind.start).min(ROWS);
                self.behind.by_ref().take(count as usize).for_each(|vertex| alone(first_id + vertex));
                return Ok(count > 0);
            }
            let offsets: Vec<u64> = self.array(self.stored.offsets, self.rows.start, count + 1, u64::from_le_bytes)?;
            if !offsets.is_sorted() || offsets.last().is_some_and(|&last| last > self.stored.arcs) {
                return Err(self.damaged(self.stored.offsets + 8 * self.rows.start, "expected offsets that ascend"));
            }
            (self.row, self.at) = (self.rows.start, offsets[0]);
            self.ends = offsets[1..].to_vec();
            self.rows.start += count;
        }
        let end = self.ends.last().copied().unwrap_or(self.at).min(self.at.saturating_add(ARCS));
        let (begin, count) = (self.at, end - self.at);
        let targets = self.array(self.stored.targets, begin, count, u32::from_le_bytes)?;
        let weights = match self.stored.weights {
            Some(weights) => self.array(weights, begin, count, f64::from_le_bytes)?,
            None => Vec::new(),
        };
        if let Some(k) = targets.iter().position(|&target| u64::from(target) >= self.stored.vertices) {
            let reason = format!("expected a vertex below {}, found {}", self.stored.vertices, targets[k]);
            return Err(self.damaged(self.stored.targets + 4 * (begin + k as u64), &reason));
        }
        if let Some(k) = weights.iter().position(|weight| !weight.is_finite()) {
            let at = self.stored.weights.unwrap_or_default() + 8 * (begin + k as u64);
            return Err(self.damaged(at, &format!("expected a finite number, found {}", weights[k])));
        }
        let mut done = 0;
        for &row_end in &self.ends {
            let id = first_id + self.row;
            let until = row_end.min(end);
            let had = until > self.at;
            while self.at < until {
                let k = (self.at - begin) as usize;
                each(id, first_id + u64::from(targets[k]), weights.get(k).copied().unwrap_or(1.0));
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

    /// Numbers of an array.
    fn array<T, const N: usize>(
        &self,
        array: u64,
        first: u64,
        count: u64,
        number: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>, Error> {
        let at = array.saturating_add(first.saturating_mul(N as u64));
        let mut bytes = vec![0; count as usize * N];
        let mut file = &self.file;
        let read = file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(&mut bytes));
        read.map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => self.damaged(at, "expected more numbers, but the file ends"),
            _ => Error::io(&self.path, error),
        })?;
        Ok(bytes.as_chunks::<N>().0.iter().map(|&bytes| number(bytes)).collect())
    }

    fn damaged(&self, offset: u64, reason: &str) -> Error {
        Error::Damaged { path: self.path.clone(), offset, reason: reason.to_owned() }
    }
}
