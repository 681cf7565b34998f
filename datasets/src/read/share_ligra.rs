//! Ligra's adjacency arrays, a number a line: some rows of them.
//!
//! ```text
//!   offset offset offset … │ target target target target …  │ weight weight weight weight …
//!      ▲ of the first row       ▲ of its first arc               ▲            three places that move on together
//! ```
//!
//! At which byte a number begins follows from the lines before it: every reader counts the numbers in a stretch of the file first. Of a
//! compressed file, the first reader reads everything, at three places at once.

use std::ops::Range;

use super::ligra;
use super::share_lines::{Form, LineShare, Lines};
use crate::error::{Error, Fault};
use crate::source::Source;

/// Rows and arcs that are handed out at a time.
const BLOCK: u32 = 1 << 18;

/// Lines before the numbers.
const HEADER: u64 = 3;

/// Adjacency arrays in a file.
#[derive(Clone, Debug)]
pub(super) struct Arrays {
    pub(super) lines: Lines,
    pub(super) weighted: bool,
    vertices: u64,
    arcs: u64,
    /// How many numbers precede the stretch of each reader, and how many there are in all, if they were counted.
    firsts: Vec<u64>,
}

impl Arrays {
    pub(super) fn open(mut source: Source) -> Result<Self, Error> {
        let ligra::Header { weighted, vertices, arcs } = ligra::Header::read(&mut source)?;
        let lines = Lines::behind(&source, Form::Numbers(false));
        Ok(Arrays { lines, weighted, vertices, arcs, firsts: Vec::new() })
    }

    pub(super) fn is_divided(&self) -> bool {
        self.lines.is_divided()
    }

    pub(super) fn is_counted_by(&self, readers: usize) -> bool {
        self.firsts.len() == readers + 1
    }

    pub(super) fn is_counted(&self) -> bool {
        !self.firsts.is_empty()
    }

    /// Takes the counts of all readers, in their order.
    pub(super) fn take_counts(&mut self, counts: impl Iterator<Item = u64>) -> Result<(), Error> {
        self.firsts = vec![0];
        counts.for_each(|count| self.firsts.push(self.firsts[self.firsts.len() - 1] + count));
        let columns = if self.weighted { 2 } else { 1 };
        let expected = self.vertices.saturating_add(self.arcs.saturating_mul(columns));
        let found = self.firsts.last().copied().unwrap_or(0);
        if found != expected {
            return Err(super::wrong_count(&self.lines.path, HEADER, expected, found, |_| true));
        }
        if self.vertices == 0 && self.arcs > 0 {
            let (expected, found) = ("at least one vertex".to_owned(), format!("{} arcs", self.arcs));
            return Err(self.fault(0, Fault::Header { expected, found }));
        }
        Ok(())
    }

    /// The rows of one reader.
    pub(super) fn share(&self, reader: usize, readers: usize) -> Result<ArraysShare, Error> {
        let cut = |reader: usize| (u128::from(self.vertices) * reader as u128 / readers as u128) as u64;
        let rows = match (self.is_divided(), reader) {
            (true, _) => cut(reader)..cut(reader + 1),
            (false, 0) => 0..self.vertices,
            (false, _) => 0..0,
        };
        let place = |number: u64| Place::new(self, number);
        let mut offsets = place(rows.start);
        let begin = if rows.is_empty() { 0 } else { self.offset(rows.start, &mut offsets, 0)? };
        let targets = place(self.vertices + begin);
        let weights = self.weighted.then(|| place(self.vertices + self.arcs + begin));
        Ok(ArraysShare { arrays: self.clone(), rows, end: begin, at: begin, empty: false, offsets, targets, weights })
    }

    /// The offset of a row, which is not below that of the row before.
    fn offset(&self, row: u64, offsets: &mut Place, last: u64) -> Result<u64, Error> {
        let (found, most) = (offsets.next()?, if row == 0 { 0 } else { self.arcs });
        // Numbers up to 2^53 are exact in floating point, and there are no more arcs than that.
        match found >= last as f64 && found <= most as f64 && found.fract() == 0.0 {
            true => Ok(found as u64),
            false => {
                let expected = format!("an offset between {last} and {most}");
                Err(self.fault(row, Fault::Header { expected, found: format!("`{found}`") }))
            }
        }
    }

    /// The error of a number, by its place among all: one a line, behind those of the header.
    fn fault(&self, number: u64, fault: Fault) -> Error {
        Error::at(&self.lines.path, number + HEADER + 1, 1, fault)
    }
}

/// Some rows.
pub(super) struct ArraysShare {
    arrays: Arrays,
    /// Rows that were not begun.
    rows: Range<u64>,
    /// Where the row that was begun ends, its next arc, and whether it has had none so far.
    end: u64,
    at: u64,
    empty: bool,
    offsets: Place,
    targets: Place,
    weights: Option<Place>,
}

impl ArraysShare {
    pub(super) fn next(
        &mut self,
        each: &mut dyn FnMut(u64, u64, f64),
        alone: &mut dyn FnMut(u64),
    ) -> Result<bool, Error> {
        let vertices = self.arrays.vertices;
        for done in 0..BLOCK {
            if self.at < self.end {
                let target = self.targets.next()?;
                if !(0.0..vertices as f64).contains(&target) || target.fract() != 0.0 {
                    let expected = format!("a vertex between 0 and {}", vertices.saturating_sub(1));
                    let fault = Fault::Header { expected, found: format!("`{target}`") };
                    return Err(self.arrays.fault(vertices + self.at, fault));
                }
                let weight = self.weights.as_mut().map_or(Ok(1.0), Place::next)?;
                each(self.rows.start - 1, target as u64, weight);
                (self.at, self.empty) = (self.at + 1, false);
                continue;
            }
            if std::mem::take(&mut self.empty) {
                alone(self.rows.start - 1);
            }
            let Some(row) = self.rows.next() else { return Ok(done > 0) };
            self.empty = true;
            self.end = match row + 1 < vertices {
                true => self.arrays.offset(row + 1, &mut self.offsets, self.end)?,
                false => self.arrays.arcs,
            };
        }
        Ok(true)
    }
}

/// Numbers of a file from one of them on.
struct Place {
    lines: Lines,
    /// The stretch that is read, of so many, and what is left of it.
    stretch: usize,
    stretches: usize,
    share: Option<LineShare>,
    numbers: std::vec::IntoIter<f64>,
    /// Numbers of the stretch that come before.
    skipped: u64,
}

impl Place {
    fn new(arrays: &Arrays, number: u64) -> Self {
        // The last stretch that begins there or before.
        let stretches = arrays.firsts.len() - 1;
        let stretch = arrays.firsts[..stretches].partition_point(|&first| first <= number).saturating_sub(1);
        let (lines, skipped) = (arrays.lines.clone(), number - arrays.firsts[stretch]);
        Place { lines, stretch, stretches, share: None, numbers: Vec::new().into_iter(), skipped }
    }

    fn next(&mut self) -> Result<f64, Error> {
        loop {
            if let Some(number) = self.numbers.next() {
                return Ok(number);
            }
            if self.share.is_none() && self.stretch < self.stretches {
                self.share = self.lines.share(self.stretch, self.stretches)?;
                self.stretch += 1;
            }
            let Some(share) = &mut self.share else {
                // It has become shorter since it was counted.
                let fault =
                    Fault::Header { expected: "more numbers".to_owned(), found: "the end of the file".to_owned() };
                return Err(Error::at(&self.lines.path, 1, 1, fault));
            };
            match share.next_numbers()? {
                Some(numbers) => {
                    let skipped = self.skipped.min(numbers.len() as u64);
                    self.skipped -= skipped;
                    self.numbers = numbers.into_iter();
                    if skipped > 0 {
                        self.numbers.nth(skipped as usize - 1);
                    }
                }
                None => self.share = None,
            }
        }
    }
}
