//! Pajek's networks (`.net`): `*Vertices N`, perhaps lines of a number and a label, then `*Arcs` or `*Edges` of two numbers and perhaps a
//! weight, or `*Arcslist` or `*Edgeslist` of a number and those that it leads to.
//!
//! Behind the label of a vertex may stand its place and its shape, then, as behind the weight of an edge, pairs of a name and a value, which are
//! attributes. NetworkX writes `0.0 0.0 ellipse` for each vertex that has none of these, which is left out.

use std::path::{Path, PathBuf};

use super::Raw;
use super::listed::Listed;
use crate::attributes::{Attribute, Fields, Value};
use crate::error::{Error, Fault};
use crate::scan;
use crate::source::Source;

#[derive(Clone, Copy, PartialEq)]
enum Section {
    None,
    Vertices,
    Pairs { directed: bool },
    Lists { directed: bool },
}

/// An edge between vertices that are counted from 0.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub(super) src: usize,
    pub(super) dst: usize,
    pub(super) weight: Option<f64>,
    /// Whether the weight is a whole number that was rounded.
    rounded: bool,
    pub(super) directed: bool,
}

impl Edge {
    /// Calls `each` with its arcs: one for an arc, two for an edge.
    pub(super) fn arcs(self, directed: bool, each: &mut dyn FnMut(usize, usize, Option<f64>)) {
        each(self.src, self.dst, self.weight);
        if directed && !self.directed && self.src != self.dst {
            each(self.dst, self.src, self.weight);
        }
    }
}

/// Receives the vertices and edges of a network in the order of its lines.
pub(super) trait Told {
    /// The list of so many vertices begins.
    fn vertices(&mut self, count: u32);
    /// A vertex, counted from 0, with its label and the rest of its line.
    fn vertex(&mut self, vertex: usize, words: &[String]);
    /// An edge, and the rest of its line after the weight.
    fn edge(&mut self, edge: Edge, words: &[String]);
    /// Something that no attribute can hold.
    fn lose(&mut self, _of: &str, _what: &str) {}
}

/// The lines of a network, read one after the other.
pub(super) struct Lines {
    path: PathBuf,
    /// An upper bound of the bytes of the file.
    size: u64,
    section: Section,
    vertices: u64,
    /// Whether a list of vertices has begun.
    begun: bool,
}

impl Lines {
    pub(super) fn new(path: &Path, size: u64) -> Self {
        // No file has 2^56 bytes.
        Lines { path: path.to_owned(), size: size.min(1 << 56), section: Section::None, vertices: 0, begun: false }
    }

    /// Whether the last line read belongs to the list of vertices or precedes it.
    pub(super) fn is_before_edges(&self) -> bool {
        matches!(self.section, Section::None | Section::Vertices)
    }

    /// Reads a line that begins with the number of a vertex.
    pub(super) fn read(&mut self, number: u64, line: &str, told: &mut dyn Told) -> Result<(), Error> {
        let fault = |fault| Error::at(&self.path, number, 1, fault);
        let header = |expected: &str, found: &str| {
            fault(Fault::Header { expected: expected.to_owned(), found: scan::quote(found.as_bytes()) })
        };
        let line = line.trim();
        if line.is_empty() || line.starts_with('%') {
            return Ok(());
        }
        let (mut words, quoted) = words(line);
        let is_times = |at: &usize| !quoted[*at] && words[*at].starts_with('[') && words[*at].ends_with(']');
        if let Some(times) = (2..words.len()).find(is_times) {
            // When a vertex or an edge is there.
            words.remove(times);
            told.lose(if self.is_before_edges() { "vertices" } else { "edges" }, "times");
        }
        let last = self.vertices;
        let vertex = |word: &str| match word.parse::<u64>() {
            Ok(vertex) if (1..=last).contains(&vertex) => Ok(vertex as usize - 1),
            Ok(found) => Err(fault(Fault::OutOfRange { what: "vertex", first: 1, last, found })),
            Err(_) => Err(fault(Fault::Id { found: scan::quote(word.as_bytes()) })),
        };
        if line.starts_with('*') {
            self.section = match words[0].to_ascii_lowercase().as_str() {
                "*vertices" | "*network" if self.begun => return Err(header("one network in a file", line)),
                "*vertices" => {
                    self.begun = true;
                    if words.len() > 2 {
                        told.lose("the network", "two modes");
                    }
                    let count: u32 =
                        words.get(1).and_then(|word| word.parse().ok()).ok_or_else(|| header("`*Vertices N`", line))?;
                    super::check_proportion(&self.path, crate::input::VERTICES, count.into(), self.size)?;
                    self.vertices = count.into();
                    told.vertices(count);
                    Section::Vertices
                }
                kind @ ("*arcs" | "*edges") => {
                    if words.len() > 1 {
                        told.lose("edges", "relation");
                    }
                    Section::Pairs { directed: kind == "*arcs" }
                }
                "*arcslist" => Section::Lists { directed: true },
                "*edgeslist" => Section::Lists { directed: false },
                "*network" => Section::None,
                _ => return Err(header("`*Vertices`, `*Arcs`, `*Edges`, `*Arcslist` or `*Edgeslist`", line)),
            };
            return Ok(());
        }
        match self.section {
            Section::None => return Err(header("`*Vertices N`", line)),
            Section::Vertices => told.vertex(vertex(&words[0])?, &words[1..]),
            Section::Pairs { directed } => {
                let (Some(src), Some(dst)) = (words.first(), words.get(1)) else {
                    return Err(fault(Fault::MissingColumn { expected: "a second vertex" }));
                };
                let weight = words.get(2).map(|word| {
                    let weight = word.parse::<f64>().ok().filter(|weight| weight.is_finite());
                    weight.ok_or_else(|| fault(Fault::Number { found: scan::quote(word.as_bytes()) }))
                });
                let weight = weight.transpose()?;
                let said = weight.zip(words.get(2));
                let rounded = said.is_some_and(|(weight, word)| scan::is_rounded(word.as_bytes(), weight));
                let edge = Edge { src: vertex(src)?, dst: vertex(dst)?, weight, rounded, directed };
                told.edge(edge, words.get(3..).unwrap_or_default());
            }
            Section::Lists { directed } => {
                let src = vertex(&words[0])?;
                for word in &words[1..] {
                    told.edge(Edge { src, dst: vertex(word)?, weight: None, rounded: false, directed }, &[]);
                }
            }
        }
        Ok(())
    }
}

/// A whole network in memory.
#[derive(Default)]
struct Network {
    labels: Vec<Option<String>>,
    edges: Vec<Edge>,
    lost: Listed,
    /// Vertices in the order of their lines, and the attributes of vertices and edges.
    described: Vec<usize>,
    of_vertices: Fields,
    of_edges: Fields,
}

impl Told for Network {
    fn lose(&mut self, of: &str, what: &str) {
        self.lost.lose(of, what);
    }

    fn vertices(&mut self, count: u32) {
        self.labels = vec![None; count as usize];
    }

    fn vertex(&mut self, vertex: usize, words: &[String]) {
        self.labels[vertex] = words.first().cloned();
        let row = self.described.len();
        let pairs = place(&mut self.of_vertices, row, words.get(1..).unwrap_or_default());
        if !set_pairs(&mut self.of_vertices, row, pairs) {
            self.lost.lose("vertices", "a word without a value");
        }
        self.described.push(vertex);
    }

    fn edge(&mut self, edge: Edge, words: &[String]) {
        if !set_pairs(&mut self.of_edges, self.edges.len(), words) {
            self.lost.lose("edges", "a word without a value");
        }
        self.lost.rounded |= edge.rounded;
        self.edges.push(edge);
    }
}

pub(super) fn read(source: Source) -> Result<Raw, Error> {
    let path = source.path().to_owned();
    let text = source.text()?;
    let mut network = Network::default();
    let mut lines = Lines::new(&path, text.len() as u64);
    for (number, line) in (1..).zip(text.lines()) {
        lines.read(number, line, &mut network)?;
    }
    network.into_listed().into_raw(&path)
}

impl Network {
    fn into_listed(self) -> Listed {
        let Network { labels, edges, lost, described, of_vertices, of_edges } = self;
        // Labels serve as names only if each vertex is listed once and all labels differ.
        let mut known: Vec<&String> = labels.iter().flatten().collect();
        known.sort_unstable();
        let all = known.len() == labels.len() && described.len() == labels.len();
        let named = all && known.windows(2).all(|pair| pair[0] != pair[1]);
        let name = |vertex: usize| match &labels[vertex] {
            Some(label) if named => label.clone(),
            _ => (vertex + 1).to_string(),
        };
        let directed = edges.iter().any(|edge| edge.directed);
        let Listed { rounded, lost, .. } = lost;
        let vertices = (0..labels.len()).map(name).collect();
        let mut listed = Listed { directed, vertices, rounded, lost, ..Listed::default() };
        if !named {
            // Otherwise labels are an attribute.
            let labelled = labels.iter().enumerate().filter_map(|(vertex, label)| Some((vertex, label.as_deref()?)));
            let name = of_vertices.unused("label");
            labelled.for_each(|(vertex, label)| listed.of_vertices.set(vertex, &name, Value::Text(label)));
        }
        let (columns, beyond) = of_vertices.finish("vertices");
        listed.lost.extend(beyond);
        for column in without_defaults(columns).into_iter().map(Attribute::narrowed) {
            listed.of_vertices.add(&column.rearranged(|row| Some(described[row])));
        }
        let (columns, beyond) = of_edges.finish("edges");
        listed.lost.extend(beyond);
        // The first arc of each edge, and the end of the last one's.
        let mut arcs = vec![0];
        for edge in edges {
            edge.arcs(directed, &mut |src, dst, weight| listed.edge(&name(src), &name(dst), weight));
            arcs.push(listed.edges.len());
        }
        for column in columns.into_iter().map(Attribute::narrowed) {
            for (row, value) in column.iter() {
                (arcs[row]..arcs[row + 1]).for_each(|arc| listed.of_edges.set(arc, column.name(), value));
            }
        }
        listed
    }
}

/// Where a vertex is drawn, and how, where a line does not say it.
const DEFAULTS: [(&str, &str); 3] = [("x", "0.0"), ("y", "0.0"), ("shape", "ellipse")];

/// Sets the place of a vertex, of two or three numbers, and its shape. Returns the pairs behind them.
fn place<'w>(fields: &mut Fields, row: usize, words: &'w [String]) -> &'w [String] {
    let numbers = words.iter().take(3).take_while(|word| word.parse::<f64>().is_ok()).count();
    let (numbers, rest) = words.split_at(numbers);
    for (name, number) in ["x", "y", "z"].iter().zip(numbers) {
        fields.set(row, name, Value::Text(number));
    }
    match rest {
        [shape, pairs @ ..] if pairs.len().is_multiple_of(2) => {
            fields.set(row, "shape", Value::Text(shape));
            pairs
        }
        pairs => pairs,
    }
}

/// Sets pairs of a name and a value; false if a word is left over.
fn set_pairs(fields: &mut Fields, row: usize, words: &[String]) -> bool {
    let pairs = words.chunks_exact(2);
    let even = pairs.remainder().is_empty();
    pairs.for_each(|pair| fields.set(row, &pair[0], Value::Text(&pair[1])));
    even
}

/// The columns without places and shapes, if all vertices have the defaults.
fn without_defaults(columns: Vec<Attribute>) -> Vec<Attribute> {
    let usual = |column: &Attribute| {
        DEFAULTS.iter().any(|(name, usual)| column.name() == *name && column.distinct_texts().eq([*usual]))
    };
    let drawn = |column: &&Attribute| matches!(column.name(), "x" | "y" | "z" | "shape");
    let all_usual = columns.iter().filter(drawn).all(usual);
    columns.into_iter().filter(|column| !all_usual || !drawn(&column)).collect()
}

/// The words of a line, and whether each is in quotes.
fn words(line: &str) -> (Vec<String>, Vec<bool>) {
    let (mut words, mut quotes) = (Vec::new(), Vec::new());
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        quotes.push(rest.starts_with('"'));
        if let Some(quoted) = rest.strip_prefix('"') {
            let mut word = String::new();
            let mut escaped = false;
            let mut end = quoted.len();
            for (at, c) in quoted.char_indices() {
                match c {
                    _ if escaped => {
                        // Only a quote and a backslash are written with a backslash before them.
                        if !matches!(c, '"' | '\\') {
                            word.push('\\');
                        }
                        word.push(c);
                        escaped = false;
                    }
                    '\\' => escaped = true,
                    '"' => {
                        end = at + 1;
                        break;
                    }
                    c => word.push(c),
                }
            }
            words.push(word);
            rest = quoted[end..].trim_start();
        } else {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            words.push(rest[..end].to_owned());
            rest = rest[end..].trim_start();
        }
    }
    (words, quotes)
}
