//! Vertices and edges that a file names one by one, by whatever it calls them.

use std::path::Path;

use super::arcs::Arcs;
use super::{Extra, Listing, Raw};
use crate::attributes::{Attributes, Fields, Value, called};
use crate::error::Error;
use crate::ids::IdMap;
use crate::input::Direction;

/// Whether an attribute is one of vertices or of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Vertices,
    Edges,
}

/// Receives the vertices and edges of a file in the order in which the parser reads them.
pub(super) trait Told<I> {
    /// The next vertex, with its attributes.
    fn vertex(&mut self, name: String, item: &I) -> Result<(), Error>;
    /// The next edge, with the names of its ends, its weight and its attributes.
    fn edge(&mut self, ends: [String; 2], weight: Option<f64>, item: &I) -> Result<(), Error>;
    /// Whether edges have directions. Without this call they have none.
    fn directed(&mut self, directed: bool);
    /// An attribute of the graph.
    fn of_graph(&mut self, _: &str) {}
    /// The value of an attribute, by its name, of all vertices or edges that say none.
    fn usual(&mut self, _: Of, _: &str, _: Value<'_>) {}
}

/// What a file lists.
#[derive(Default)]
pub(super) struct Listed {
    pub(super) directed: bool,
    pub(super) vertices: Vec<String>,
    pub(super) edges: Vec<(String, String)>,
    /// As long as `edges`, or empty if there are no weights.
    pub(super) weights: Vec<f64>,
    /// Whether a whole number among the weights was rounded.
    pub(super) rounded: bool,
    /// What is known of vertices; rows are places in `vertices`.
    pub(super) of_vertices: Fields,
    /// What is known of edges; rows are places in `edges`.
    pub(super) of_edges: Fields,
    /// What no attribute can hold.
    pub(super) lost: Vec<String>,
}

impl Listed {
    /// Adds an edge; an edge without a weight among others that have one weighs one.
    pub(super) fn edge(&mut self, src: &str, dst: &str, weight: Option<f64>) {
        if let Some(weight) = weight {
            self.weights.resize(self.edges.len(), 1.0);
            self.weights.push(weight);
        } else if !self.weights.is_empty() {
            self.weights.push(1.0);
        }
        self.edges.push((src.to_owned(), dst.to_owned()));
    }

    /// Notes what no attribute can hold.
    pub(super) fn lose(&mut self, of: &str, attribute: &str) {
        let lost = called(attribute, of);
        if !self.lost.contains(&lost) && self.lost.len() < 20 {
            self.lost.push(lost);
        }
    }

    /// A note about vertices that occur in edges only.
    fn undeclared(&self, ids: &IdMap) -> Option<String> {
        let mut declared = vec![false; ids.len()];
        self.vertices.iter().filter_map(|name| ids.find(name)).for_each(|place| declared[place as usize] = true);
        undeclared(declared.iter().filter(|declared| !**declared).count() as u64)
    }

    /// The graph: its vertices have ids if all are called by whole numbers, and names otherwise.
    pub(super) fn into_raw(self, path: &Path) -> Result<Raw, Error> {
        let called = || self.vertices.iter().chain(self.edges.iter().flat_map(|(src, dst)| [src, dst]));
        if called().next().is_none() {
            return Err(Error::Empty { path: path.to_owned(), expected: "at least one vertex" });
        }
        called().try_for_each(|name| check_name(path, name))?;
        let ids: Option<Vec<u64>> = called().map(|name| id(name)).collect();
        let ids = match ids {
            Some(mut ids) => {
                ids.sort_unstable();
                ids.dedup();
                check_count(path, ids.len())?;
                IdMap::from_sorted(ids)
            }
            None => {
                let mut names: Vec<&str> = called().map(String::as_str).collect();
                names.sort_unstable();
                names.dedup();
                check_count(path, names.len())?;
                IdMap::from_sorted_names(names)
            }
        };
        let place = |name: &String| ids.find(name).expect("every name is listed");
        let notes = self.undeclared(&ids).into_iter().collect();
        let weighted = !self.weights.is_empty();
        let arcs = Arcs {
            src: self.edges.iter().map(|(src, _)| place(src)).collect(),
            dst: self.edges.iter().map(|(_, dst)| place(dst)).collect(),
            weight: self.weights,
        };
        let of_vertices = self.of_vertices.rearranged(ids.len(), |row| Some(place(&self.vertices[row]) as usize));
        let of_edges = self.of_edges.rearranged(arcs.src.len(), Some);
        let extra = attributes(of_vertices, of_edges, self.lost);
        let declared = Some(if self.directed { Direction::Directed } else { Direction::Undirected });
        let (listing, rounded) = (Listing::Once, self.rounded);
        Ok(Raw { declared, listing, notes, extra, rounded, ..Raw::graph(path, arcs, ids, weighted) })
    }
}

/// A note about so many vertices that occur in edges only.
pub(super) fn undeclared(vertices: u64) -> Option<String> {
    match vertices {
        0 => None,
        1 => Some("1 vertex of edges is not among the nodes".to_owned()),
        count => Some(format!("{count} vertices of edges are not among the nodes")),
    }
}

/// The id that a name spells, if it spells one in the usual form: `007` is a name, since `7` would be the same vertex otherwise.
pub(super) fn id(name: &str) -> Option<u64> {
    name.parse::<u64>().ok().filter(|id| id.to_string() == name)
}

/// Refuses a name that is not one line of text.
pub(super) fn check_name(path: &Path, name: &str) -> Result<(), Error> {
    match name.is_empty() || name.contains('\n') {
        true => {
            let reason = format!("expected names of vertices of one line each, found {name:?}");
            Err(Error::Damaged { path: path.to_owned(), offset: 0, reason })
        }
        false => Ok(()),
    }
}

/// The attributes of a graph.
fn attributes(vertices: Fields, edges: Fields, mut lost: Vec<String>) -> Extra {
    let (vertices, beyond) = vertices.finish("vertices");
    lost.extend(beyond);
    let (edges, beyond) = edges.finish("edges");
    lost.extend(beyond);
    Extra { attributes: Attributes { vertices, edges }, lost }
}

fn check_count(path: &Path, vertices: usize) -> Result<(), Error> {
    match vertices > u32::MAX as usize {
        true => Err(Error::TooManyVertices {
            what: crate::input::VERTICES,
            path: path.to_owned(),
            vertices: vertices as u64,
        }),
        false => Ok(()),
    }
}
