//! Pajek's networks: the first reader reads the edges in blocks, and every reader the labels of its stretch of the vertices.
//!
//! ```text
//!   *Vertices 4        labels of places 0 … 1 │ 2 … 3        each reader keeps its own
//!   *Arcs              arcs between places                  the first reader sends them to the others
//! ```
//!
//! Labels are names if every vertex has one and all are different, which is known when all readers have read theirs.

use std::collections::HashSet;
use std::ops::Range;
use std::path::PathBuf;

use super::check_proportion;
use super::pajek::{Edge, Lines, Told};
use super::share_ids::ListedIds;
use super::share_steps::{BLOCK, Steps};
use crate::error::{Error, Fault};
use crate::scan;
use crate::source::Source;

/// A network in a file.
#[derive(Clone, Debug)]
pub(super) struct Network {
    pub(super) path: PathBuf,
    /// The counts of the first reader, after it has counted.
    pub(super) counts: Option<Counts>,
}

/// What the first reader counts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) vertices: u64,
    pub(super) directed: bool,
    pub(super) weighted: bool,
    /// Whether every vertex has a label that could be a name.
    labelled: bool,
}

const DIRECTED: u64 = 1;
const WEIGHTED: u64 = 2;
const LABELLED: u64 = 4;

impl Network {
    /// Counts vertices and edges, at the first reader only.
    pub(super) fn count(&self, reader: usize) -> Result<[u64; 3], Error> {
        if reader > 0 {
            return Ok([0; 3]);
        }
        let mut counted = Counted::default();
        let mut text = Text::open(&self.path)?;
        while text.next(&mut counted)? {}
        let Counted { counts: Counts { vertices, directed, weighted, .. }, labels, odd, next, .. } = counted;
        check_proportion(&self.path, crate::input::VERTICES, vertices, text.bytes)?;
        if vertices == 0 {
            return Err(Error::Empty { path: self.path.clone(), expected: "at least one vertex" });
        }
        let labelled = labels == vertices && next as u64 == vertices && !odd;
        let flags = [(directed, DIRECTED), (weighted, WEIGHTED), (labelled, LABELLED)];
        Ok([vertices, flags.into_iter().filter(|flag| flag.0).map(|flag| flag.1).sum(), 0])
    }

    /// Takes the counts of the first reader.
    pub(super) fn take_counts(&mut self, counts: &[[u64; 3]]) -> Counts {
        let [vertices, flags, _] = counts.first().copied().unwrap_or_default();
        let flag = |flag| flags & flag > 0;
        let (directed, weighted, labelled) = (flag(DIRECTED), flag(WEIGHTED), flag(LABELLED));
        *self.counts.insert(Counts { vertices, directed, weighted, labelled })
    }

    /// The labels of the vertices in a stretch, or their numbers if some vertex has no label.
    pub(super) fn listed_ids(&self, places: Range<u64>) -> Result<ListedIds, Error> {
        if !self.counts.is_some_and(|counts| counts.labelled) {
            return Ok(ListedIds::Numbers(places.map(|place| place + 1).collect()));
        }
        let count = (places.end - places.start) as usize;
        let mut kept = Labels { first: places.start as usize, labels: vec![Box::default(); count] };
        let mut text = Text::open(&self.path)?;
        while text.section.is_before_edges() && text.next(&mut kept)? {}
        Ok(ListedIds::Labels(kept.labels))
    }

    /// Starts to read the edges.
    pub(super) fn begin(&self) -> Result<Box<dyn Steps>, Error> {
        let directed = self.counts.is_some_and(|counts| counts.directed);
        Ok(Box::new(Edges { text: Text::open(&self.path)?, directed }))
    }
}

/// The text of a network, line by line.
struct Text {
    source: Source,
    section: Lines,
    bytes: u64,
}

impl Text {
    fn open(path: &std::path::Path) -> Result<Self, Error> {
        let mut source = Source::again(path, None)?;
        source.skip_mark();
        let section = Lines::new(path, source.plain_len().unwrap_or(u64::MAX));
        Ok(Text { source, section, bytes: 0 })
    }

    /// Reads the next line. Returns whether there was one.
    fn next(&mut self, told: &mut dyn Told) -> Result<bool, Error> {
        let Some(line) = self.source.line()? else { return Ok(false) };
        self.bytes += line.len() as u64 + 1;
        let text = std::str::from_utf8(&line)
            .map_err(|error| self.source.fault(error.valid_up_to() + 1, Fault::Name { found: scan::quote(&line) }))?;
        self.section.read(self.source.lines(), text, told).map(|()| true)
    }
}

#[derive(Default)]
struct Counted {
    counts: Counts,
    /// The number of lines with labels, and whether some label cannot be a name.
    labels: u64,
    odd: bool,
    /// The first vertex that is not listed so far, and the listed ones after it.
    next: usize,
    ahead: HashSet<usize>,
}

impl Told for Counted {
    fn vertices(&mut self, count: u32) {
        (self.counts.vertices, self.labels, self.odd) = (count.into(), 0, false);
    }

    fn vertex(&mut self, vertex: usize, words: &[String]) {
        if vertex >= self.next {
            self.ahead.insert(vertex);
        }
        while self.ahead.remove(&self.next) {
            self.next += 1;
        }
        match words.first() {
            Some(label) if !label.is_empty() => self.labels += 1,
            _ => self.odd = true,
        }
    }

    fn edge(&mut self, edge: Edge, _: &[String]) {
        self.counts.directed |= edge.directed;
        self.counts.weighted |= edge.weight.is_some();
    }
}

/// The labels of a stretch of vertices.
struct Labels {
    first: usize,
    labels: Vec<Box<str>>,
}

impl Told for Labels {
    fn vertices(&mut self, _: u32) {
        self.labels.fill(Box::default());
    }

    fn vertex(&mut self, vertex: usize, words: &[String]) {
        let place = vertex.checked_sub(self.first).and_then(|place| self.labels.get_mut(place));
        if let (Some(place), Some(label)) = (place, words.first()) {
            *place = label.as_str().into();
        }
    }

    fn edge(&mut self, _: Edge, _: &[String]) {}
}

/// The edges of a network, in blocks.
struct Edges {
    text: Text,
    directed: bool,
}

/// Passes arcs on to a function.
struct Handed<'e> {
    each: &'e mut dyn FnMut(u64, u64, f64),
    directed: bool,
    count: usize,
}

impl Told for Handed<'_> {
    fn vertices(&mut self, _: u32) {}

    fn vertex(&mut self, _: usize, _: &[String]) {}

    fn edge(&mut self, edge: Edge, _: &[String]) {
        self.count += 1;
        let each = &mut *self.each;
        edge.arcs(self.directed, &mut |src, dst, weight| each(src as u64, dst as u64, weight.unwrap_or(1.0)));
    }
}

impl Steps for Edges {
    fn next(&mut self, each: &mut dyn FnMut(u64, u64, f64)) -> Result<bool, Error> {
        let mut handed = Handed { each, directed: self.directed, count: 0 };
        while handed.count < BLOCK {
            if !self.text.next(&mut handed)? {
                return Ok(handed.count > 0);
            }
        }
        Ok(true)
    }
}
