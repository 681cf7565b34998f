//! Edge lists: a line an arc, with the ids or names that the graph was read with; in CSV also with its attributes, below a heading.

use std::io::Write;
use std::ops::Range;
use std::path::Path;

use super::kept::{Named, holds, named};
use super::{Lines, push_number, push_weight};
use crate::attributes::Value;
use crate::columns::Columns;
use crate::error::Error;
use crate::ids::Label;
use crate::input::Input;

pub(super) struct EdgeList<'a> {
    input: &'a Input,
    separator: u8,
    /// Whether the file begins with comments, in SNAP's words.
    comments: bool,
    /// Whether a heading is written above a first edge that would itself be read as a heading.
    headings: bool,
    /// Whether names with blanks are quoted.
    quotes_blanks: bool,
    of_edges: Named<'a>,
}

impl<'a> EdgeList<'a> {
    pub(super) fn of(input: &'a Input, path: &Path, separator: u8, comments: bool) -> Result<Self, Error> {
        check_names(input, path)?;
        let ending = if separator == b',' { "csv" } else { "tsv" };
        let of_edges = named(input, ending).1;
        Ok(EdgeList { input, separator, comments, headings: true, quotes_blanks: false, of_edges })
    }

    /// The line that names the columns, if edges have attributes, or if the first edge would be read as such a line.
    fn heading(&self) -> String {
        if self.of_edges.columns.is_empty() && !self.begins_like_a_heading() {
            return String::new();
        }
        let separator = char::from(self.separator);
        let mut line = format!("src{separator}dst");
        if self.input.edges.is_weighted() {
            line += &format!("{separator}weight");
        }
        for name in &self.of_edges.names {
            let name: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            line += &format!("{separator}\"{}\"", name.replace('"', "\"\""));
        }
        line + "\n"
    }

    /// Whether the first edge leads from a vertex called `from`, say, to one called `to`.
    fn begins_like_a_heading(&self) -> bool {
        let (edges, ids) = (&self.input.edges, &self.input.ids);
        let (Some(&src), Some(&dst), None) = (edges.src().first(), edges.dst().first(), edges.weight()) else {
            return false;
        };
        match (ids.label(src), ids.label(dst)) {
            (Label::Name(src), Label::Name(dst)) => {
                self.headings && Columns::of_headings([src, dst].into_iter()).is_some()
            }
            _ => false,
        }
    }

    /// Appends the attributes of an edge: texts in quotes, nothing where there is none.
    fn push_attributes(&self, edge: usize, text: &mut Vec<u8>) {
        for column in self.of_edges.columns {
            text.push(self.separator);
            // Writing to memory succeeds.
            let _ = match column.get(edge).filter(|value| holds("csv", *value)) {
                Some(Value::Text(value)) => write!(text, "\"{}\"", value.replace('"', "\"\"")),
                Some(value) => write!(text, "{value}"),
                None => Ok(()),
            };
        }
    }
}

impl Lines for EdgeList<'_> {
    fn head(&self) -> Vec<u8> {
        if !self.comments {
            return Vec::new();
        }
        let kind = if self.input.directed { "Directed" } else { "Undirected" };
        let (name, vertices, edges) = (&self.input.name, self.input.num_vertices(), self.input.edges.len());
        let name: String = name.chars().filter(|c| !c.is_control()).collect();
        let named = if self.input.ids.has_names() { "# Vertices have names\n" } else { "" };
        format!("# {kind} graph: {name}\n# Nodes: {vertices} Edges: {edges}\n{named}{}", self.heading()).into_bytes()
    }

    fn count(&self) -> usize {
        self.input.edges.len()
    }

    fn format(&self, arcs: Range<usize>, text: &mut Vec<u8>) {
        let edges = &self.input.edges;
        let (src, dst, weight) = (edges.src(), edges.dst(), edges.weight());
        for k in arcs {
            self.push_end(text, src[k]);
            text.push(self.separator);
            self.push_end(text, dst[k]);
            if let Some(weight) = weight {
                text.push(self.separator);
                push_weight(text, weight[k]);
            }
            self.push_attributes(k, text);
            text.push(b'\n');
        }
    }
}

impl EdgeList<'_> {
    /// Appends the name or id of a vertex, in quotes where a reader would misread it otherwise.
    fn push_end(&self, text: &mut Vec<u8>, vertex: u32) {
        let label = self.input.ids.label(vertex);
        let odd = |name: &str| {
            name.bytes().any(|byte| matches!(byte, b'\t' | b',' | b';' | b'"') || byte == b' ' && self.quotes_blanks)
                || name.starts_with(['#', '%'])
                || matches!(name, "+" | "-")
                || name.trim_ascii() != name
        };
        match label {
            Label::Name(name) if odd(name) => {
                text.push(b'"');
                text.extend_from_slice(name.replace('"', "\"\"").as_bytes());
                text.push(b'"');
            }
            label => push_label(text, label),
        }
    }
}

/// A line an arc, two names; then a line for each vertex without arcs, its name.
pub(super) struct Names<'a> {
    edges: EdgeList<'a>,
    alone: Vec<u32>,
}

impl<'a> Names<'a> {
    pub(super) fn of(input: &'a Input, path: &Path) -> Result<Self, Error> {
        if input.edges.is_weighted() {
            let reason = "a .names file has no weights".to_owned();
            return Err(Error::CannotWrite { path: path.to_owned(), reason });
        }
        let mut used = vec![false; input.num_vertices()];
        input.edges.src().iter().chain(input.edges.dst()).for_each(|&v| used[v as usize] = true);
        let alone = (0..).zip(used).filter(|(_, used)| !used).map(|(vertex, _)| vertex).collect();
        // If no line has a tab, readers take blanks as separators.
        let quotes_blanks = input.edges.is_empty();
        let edges = EdgeList { headings: false, quotes_blanks, ..EdgeList::of(input, path, b'\t', true)? };
        Ok(Names { edges, alone })
    }
}

impl Lines for Names<'_> {
    fn head(&self) -> Vec<u8> {
        self.edges.head()
    }

    fn count(&self) -> usize {
        self.edges.count() + self.alone.len()
    }

    fn format(&self, lines: Range<usize>, text: &mut Vec<u8>) {
        let edges = self.edges.count();
        self.edges.format(lines.start.min(edges)..lines.end.min(edges), text);
        for k in lines.start.max(edges)..lines.end.max(edges) {
            self.edges.push_end(text, self.alone[k - edges]);
            text.push(b'\n');
        }
    }
}

/// Refuses names that no line can hold, quoted or not.
fn check_names(input: &Input, path: &Path) -> Result<(), Error> {
    if !input.ids.has_names() {
        return Ok(());
    }
    let is_control = |byte| byte < b' ' && !matches!(byte, b'\t' | b'\r' | 0x0b | 0x0c);
    let is_lost = |label: &Label<'_>| match label {
        Label::Name(name) => name.is_empty() || name.bytes().any(is_control),
        Label::Id(_) => false,
    };
    let Some(Label::Name(name)) = input.ids.labels().find(is_lost) else { return Ok(()) };
    let reason = format!("expected names of vertices of one line of text each, found {name:?}");
    Err(Error::CannotWrite { path: path.to_owned(), reason })
}

fn push_label(text: &mut Vec<u8>, label: Label<'_>) {
    match label {
        Label::Id(id) => push_number(text, id),
        Label::Name(name) => text.extend_from_slice(name.as_bytes()),
    }
}
