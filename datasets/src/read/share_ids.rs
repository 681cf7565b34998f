//! What vertices are called, where our own binary lists it beside the rows: a stretch of the list at a time.
//!
//! ```text
//!   ids    17 │ 20 │ 23 │ …            names   ada ⏎ bob ⏎ eve ⏎ …         arcs have the places in the list
//! ```

use std::ops::Range;
use std::path::Path;

use super::share_places::Places;
use crate::error::Error;
use crate::plg::Header;

/// The ids of some vertices that follow each other. Arcs have their places in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListedIds {
    /// They increase.
    Numbers(Vec<u64>),
    /// They increase by their bytes.
    Names(Vec<Box<str>>),
    /// Labels in any order. If all are different they are names; otherwise the ids of vertices are their positions in the list, from 1.
    /// None of them is empty, unless the file has changed.
    Labels(Vec<Box<str>>),
}

/// Where the list is in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StoredIds {
    /// So many numbers from a place on.
    Numbers(u64, u64),
    /// So many bytes from a place on.
    Names(u64, u64),
}

impl StoredIds {
    /// The list in a file of so many bytes, if that is known; `None` if there is none.
    pub(super) fn of(header: &Header, len: Option<u64>) -> Option<Self> {
        let (name, kind, size) = if header.array("names").is_some() { ("names", "u8", 1) } else { ("ids", "u64", 8) };
        let entry = header.array(name).filter(|entry| entry.kind == kind)?;
        entry.count.checked_mul(size)?.checked_add(entry.offset).filter(|&end| len.is_none_or(|len| end <= len))?;
        Some(match size {
            1 => StoredIds::Names(entry.offset, entry.count),
            _ => StoredIds::Numbers(entry.offset, entry.count),
        })
    }

    pub(super) fn are_names(self) -> bool {
        matches!(self, StoredIds::Names(..))
    }

    /// The stretch of one reader.
    pub(super) fn share(self, path: &Path, reader: usize, readers: usize) -> Result<ListedIds, Error> {
        let mut file = Places::open(path)?;
        let cut = |all: u64, reader: usize| (u128::from(all) * reader as u128 / readers as u128) as u64;
        match self {
            StoredIds::Numbers(at, count) => numbers(&mut file, at, cut(count, reader)..cut(count, reader + 1)),
            StoredIds::Names(at, bytes) => {
                names(&mut file, at..at + bytes, [at + cut(bytes, reader), at + cut(bytes, reader + 1)])
            }
        }
    }
}

fn damaged(file: &Places, offset: u64, reason: &str) -> Error {
    Error::Damaged { path: file.path().to_owned(), offset, reason: reason.to_owned() }
}

fn bytes(file: &mut Places, range: Range<u64>) -> Result<Vec<u8>, Error> {
    let (mut all, count) = (Vec::new(), range.end - range.start);
    file.read(range.start, count, &mut all)?;
    match all.len() as u64 == count {
        true => Ok(all),
        false => Err(damaged(file, range.start, "expected more of the ids of vertices, but the file ends")),
    }
}

fn numbers(file: &mut Places, at: u64, places: Range<u64>) -> Result<ListedIds, Error> {
    // With the one before them, to compare it.
    let first = places.start.saturating_sub(1);
    let all = bytes(file, at + 8 * first..at + 8 * places.end)?;
    let mut all: Vec<u64> = all.as_chunks().0.iter().map(|&eight| u64::from_le_bytes(eight)).collect();
    if let Some(k) = all.windows(2).position(|two| two[0] >= two[1]) {
        let reason = format!("expected ids that increase, found {} before {}", all[k], all[k + 1]);
        return Err(damaged(file, at + 8 * (first + k as u64), &reason));
    }
    all.drain(..(places.start - first).min(all.len() as u64) as usize);
    Ok(ListedIds::Numbers(all))
}

/// The names that begin between two places of the list.
fn names(file: &mut Places, whole: Range<u64>, [cut, end]: [u64; 2]) -> Result<ListedIds, Error> {
    // A name begins behind a line end.
    let from = match cut == whole.start {
        true => cut,
        false => {
            let mut skipped = Vec::new();
            file.read_line(cut - 1, whole.end, &mut skipped)?;
            cut - 1 + skipped.len() as u64
        }
    };
    let mut text = if from < end { bytes(file, from..end)? } else { Vec::new() };
    if !text.is_empty() && text.last() != Some(&b'\n') {
        file.read_line(end, whole.end, &mut text)?;
    }
    let text = String::from_utf8(text).map_err(|_| damaged(file, from, "expected names in UTF-8"))?;
    if !text.is_empty() && !text.ends_with('\n') {
        return Err(damaged(file, whole.end, "expected a name that is ended by a line end"));
    }
    let names: Vec<Box<str>> = text.split_terminator('\n').map(Into::into).collect();
    if let Some(two) = names.windows(2).find(|two| two[0] >= two[1]) {
        return Err(damaged(
            file,
            from,
            &format!("expected names that increase, found {:?} before {:?}", two[0], two[1]),
        ));
    }
    match names.first().is_some_and(|name| name.is_empty()) {
        true => Err(damaged(file, from, "expected names, found one of no bytes")),
        false => Ok(ListedIds::Names(names)),
    }
}
