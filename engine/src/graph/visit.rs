//! The `visit` traits of petgraph, so that its algorithms run on snapshots.
//!
//! ```
//! use petgraph::algo::dijkstra;
//! use pleach::graph::{GraphOptions, WeightedGraph};
//!
//! let graph = WeightedGraph::<f64>::new(GraphOptions::undirected());
//! graph.insert([(0, 1, 1.0), (1, 2, 0.5), (0, 2, 9.0), (5, 6, 1.0)])?;
//! let snapshot = graph.fresh();
//!
//! let distances = dijkstra(&snapshot, 0, None, |(_, _, &weight)| weight);
//! assert_eq!(distances[&2], 1.5);
//! # Ok::<(), pleach::graph::GraphError>(())
//! ```
//!
//! Vertices that are not there have indices, too: what petgraph calls compact indices a snapshot does not have.

use fixedbitset::FixedBitSet;
use petgraph::visit::{
    Data, EdgeCount, GetAdjacencyMatrix, GraphBase, GraphProp, IntoEdgeReferences, IntoEdges, IntoEdgesDirected,
    IntoNeighbors, IntoNeighborsDirected, IntoNodeIdentifiers, IntoNodeReferences, NodeCount, NodeIndexable, Visitable,
};
use petgraph::{Directed, Direction};
use pleach_runtime::Store;

use super::{Neighbors, Snapshot};
use crate::Rows;

/// The ends of the arcs at one vertex.
pub struct Ends<'a, R: Store + 'a>(Neighbors<'a, R>);

impl<R: Store<Coord = u32>> Iterator for Ends<'_, R> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.0.next().map(|(vertex, _)| vertex)
    }
}

/// The arcs at one vertex, as `(source, target, weight)`.
pub struct Arcs<'a, R: Store + 'a> {
    vertex: u32,
    direction: Direction,
    ends: Neighbors<'a, R>,
}

impl<'a, R: Store<Coord = u32>> Iterator for Arcs<'a, R> {
    type Item = (u32, u32, &'a R::Value);

    fn next(&mut self) -> Option<Self::Item> {
        let (end, weight) = self.ends.next()?;
        Some(match self.direction {
            Direction::Outgoing => (self.vertex, end, weight),
            Direction::Incoming => (end, self.vertex, weight),
        })
    }
}

impl<R: Store<Coord = u32>> Snapshot<R> {
    /// The ends of the arcs at one vertex.
    ///
    /// # Panics
    ///
    /// If in-arcs are asked for and the graph is directed and does not keep them.
    fn ends(&self, vertex: u32, direction: Direction) -> Neighbors<'_, R> {
        match direction {
            Direction::Outgoing => self.neighbors(vertex),
            Direction::Incoming => self.in_neighbors(vertex).expect("a graph that keeps its in-arcs"),
        }
    }
}

impl<R: Store<Coord = u32>> GraphBase for Snapshot<R> {
    type NodeId = u32;
    type EdgeId = (u32, u32);
}

impl<R: Store<Coord = u32>> Data for Snapshot<R> {
    type NodeWeight = ();
    type EdgeWeight = R::Value;
}

impl<R: Store<Coord = u32>> GraphProp for Snapshot<R> {
    /// Known only at run time: ask [`GraphProp::is_directed`].
    type EdgeType = Directed;

    fn is_directed(&self) -> bool {
        Snapshot::is_directed(self)
    }
}

impl<R: Store<Coord = u32>> NodeCount for Snapshot<R> {
    fn node_count(&self) -> usize {
        self.num_vertices()
    }
}

impl<R: Store<Coord = u32>> EdgeCount for Snapshot<R> {
    fn edge_count(&self) -> usize {
        self.num_edges() as usize
    }
}

impl<R: Store<Coord = u32>> NodeIndexable for Snapshot<R> {
    fn node_bound(&self) -> usize {
        self.num_rows()
    }

    fn to_index(&self, vertex: u32) -> usize {
        vertex as usize
    }

    fn from_index(&self, index: usize) -> u32 {
        index as u32
    }
}

impl<R: Store<Coord = u32>> Visitable for Snapshot<R> {
    type Map = FixedBitSet;

    fn visit_map(&self) -> FixedBitSet {
        FixedBitSet::with_capacity(self.num_rows())
    }

    fn reset_map(&self, map: &mut FixedBitSet) {
        map.clear();
        map.grow(self.num_rows());
    }
}

impl<R: Store<Coord = u32>> GetAdjacencyMatrix for Snapshot<R> {
    type AdjMatrix = ();

    fn adjacency_matrix(&self) {}

    fn is_adjacent(&self, (): &(), from: u32, to: u32) -> bool {
        self.has_edge(from, to)
    }
}

impl<'a, R: Store<Coord = u32>> IntoNodeIdentifiers for &'a Snapshot<R> {
    type NodeIdentifiers = Box<dyn Iterator<Item = u32> + 'a>;

    fn node_identifiers(self) -> Self::NodeIdentifiers {
        Box::new(self.vertices())
    }
}

impl<'a, R: Store<Coord = u32>> IntoNodeReferences for &'a Snapshot<R> {
    type NodeRef = (u32, &'a ());
    type NodeReferences = Box<dyn Iterator<Item = (u32, &'a ())> + 'a>;

    fn node_references(self) -> Self::NodeReferences {
        Box::new(self.vertices().map(|vertex| (vertex, &())))
    }
}

impl<'a, R: Store<Coord = u32>> IntoNeighbors for &'a Snapshot<R> {
    type Neighbors = Ends<'a, R>;

    fn neighbors(self, vertex: u32) -> Ends<'a, R> {
        Ends(self.ends(vertex, Direction::Outgoing))
    }
}

impl<'a, R: Store<Coord = u32>> IntoNeighborsDirected for &'a Snapshot<R> {
    type NeighborsDirected = Ends<'a, R>;

    fn neighbors_directed(self, vertex: u32, direction: Direction) -> Ends<'a, R> {
        Ends(self.ends(vertex, direction))
    }
}

impl<'a, R: Store<Coord = u32>> IntoEdgeReferences for &'a Snapshot<R> {
    type EdgeRef = (u32, u32, &'a R::Value);
    type EdgeReferences = Box<dyn Iterator<Item = Self::EdgeRef> + 'a>;

    fn edge_references(self) -> Self::EdgeReferences {
        Box::new(self.edges())
    }
}

impl<'a, R: Store<Coord = u32>> IntoEdges for &'a Snapshot<R> {
    type Edges = Arcs<'a, R>;

    fn edges(self, vertex: u32) -> Arcs<'a, R> {
        self.edges_directed(vertex, Direction::Outgoing)
    }
}

impl<'a, R: Store<Coord = u32>> IntoEdgesDirected for &'a Snapshot<R> {
    type EdgesDirected = Arcs<'a, R>;

    fn edges_directed(self, vertex: u32, direction: Direction) -> Arcs<'a, R> {
        Arcs { vertex, direction, ends: self.ends(vertex, direction) }
    }
}
