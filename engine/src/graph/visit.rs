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
//! let distances = dijkstra(&snapshot.petgraph()?, 0, None, |(_, _, &weight)| weight);
//! assert_eq!(distances[&2], 1.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Vertices have compact indices, as [`NodeCompactIndexable`] promises: from 0 on, without those that were removed.

use std::fmt;
use std::marker::PhantomData;

use fixedbitset::FixedBitSet;
use petgraph::visit::{
    Data, EdgeCount, GetAdjacencyMatrix, GraphBase, GraphProp, IntoEdgeReferences, IntoEdges, IntoEdgesDirected,
    IntoNeighbors, IntoNeighborsDirected, IntoNodeIdentifiers, IntoNodeReferences, NodeCompactIndexable, NodeCount,
    NodeIndexable, Visitable,
};
use petgraph::{Directed, Direction};
use pleach_runtime::Store;

use super::compact::Numbering;
use super::{Neighbors, Snapshot};
use crate::Rows;

/// The snapshot is of a directed graph that does not keep its in-arcs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the graph is directed and keeps no in-arcs; keep them (`GraphOptions::incoming`), or look along out-arcs only (`petgraph_outward`)"
)]
pub struct NoInArcs;

/// Arcs can be followed from both of their ends.
#[derive(Clone, Copy, Debug)]
pub enum BothWays {}

/// Arcs can be followed from their sources only.
#[derive(Clone, Copy, Debug)]
pub enum Outward {}

/// A snapshot with the `visit` traits of petgraph.
pub struct View<'s, R: Store, D = BothWays> {
    snapshot: &'s Snapshot<R>,
    /// Compact numbers, unless those of the snapshot are compact.
    numbering: Option<Numbering>,
    directions: PhantomData<D>,
}

impl<R: Store<Coord = u32>> Snapshot<R> {
    /// The snapshot with the `visit` traits of petgraph. Takes constant time if no vertex was removed, otherwise O(n) for `n` vertices.
    ///
    /// # Errors
    ///
    /// [`NoInArcs`] if the graph is directed and does not keep its in-arcs.
    pub fn petgraph(&self) -> Result<View<'_, R>, NoInArcs> {
        if self.incoming().is_some() { Ok(View::of(self)) } else { Err(NoInArcs) }
    }

    /// As [`petgraph`](Self::petgraph), for algorithms that follow arcs from their sources only. In-arcs are not needed.
    pub fn petgraph_outward(&self) -> View<'_, R, Outward> {
        View::of(self)
    }
}

impl<'s, R: Store<Coord = u32>, D> View<'s, R, D> {
    fn of(snapshot: &'s Snapshot<R>) -> Self {
        let gaps = snapshot.num_vertices() < snapshot.num_rows();
        let numbering = gaps.then(|| Numbering::of(snapshot.vertices().collect()));
        View { snapshot, numbering, directions: PhantomData }
    }

    /// The snapshot.
    pub fn snapshot(&self) -> &'s Snapshot<R> {
        self.snapshot
    }
}

impl<R: Store<Coord = u32>, D> fmt::Debug for View<'_, R, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("View").field(self.snapshot).finish()
    }
}

/// The ends of the arcs at one vertex.
pub struct Ends<'a, R: Store + 'a>(Neighbors<'a, R>);

impl<R: Store<Coord = u32>> Iterator for Ends<'_, R> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.0.next().map(|(vertex, _)| vertex)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<R: Store<Coord = u32>> ExactSizeIterator for Ends<'_, R> {}

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

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.ends.size_hint()
    }
}

impl<R: Store<Coord = u32>> ExactSizeIterator for Arcs<'_, R> {}

impl<'s, R: Store<Coord = u32>> View<'s, R> {
    /// The ends of the arcs at one vertex.
    fn ends(&self, vertex: u32, direction: Direction) -> Neighbors<'s, R> {
        match direction {
            Direction::Outgoing => self.snapshot.neighbors(vertex),
            Direction::Incoming => self.snapshot.in_neighbors(vertex).expect("looked at when the view was made"),
        }
    }
}

impl<R: Store<Coord = u32>, D> GraphBase for View<'_, R, D> {
    type NodeId = u32;
    type EdgeId = (u32, u32);
}

impl<R: Store<Coord = u32>, D> Data for View<'_, R, D> {
    type NodeWeight = ();
    type EdgeWeight = R::Value;
}

impl<R: Store<Coord = u32>, D> GraphProp for View<'_, R, D> {
    /// Known only at run time: ask [`GraphProp::is_directed`].
    type EdgeType = Directed;

    fn is_directed(&self) -> bool {
        self.snapshot.is_directed()
    }
}

impl<R: Store<Coord = u32>, D> NodeCount for View<'_, R, D> {
    fn node_count(&self) -> usize {
        self.snapshot.num_vertices()
    }
}

impl<R: Store<Coord = u32>, D> EdgeCount for View<'_, R, D> {
    fn edge_count(&self) -> usize {
        self.snapshot.num_edges() as usize
    }
}

impl<R: Store<Coord = u32>, D> NodeIndexable for View<'_, R, D> {
    fn node_bound(&self) -> usize {
        self.snapshot.num_vertices()
    }

    /// Constant time if no vertex was removed, otherwise logarithmic.
    ///
    /// # Panics
    ///
    /// If there is no such vertex.
    fn to_index(&self, vertex: u32) -> usize {
        match &self.numbering {
            None => vertex as usize,
            Some(numbering) => numbering.new_of(vertex).expect("a vertex of the graph") as usize,
        }
    }

    /// Constant time.
    ///
    /// # Panics
    ///
    /// If the index is not below the number of vertices.
    fn from_index(&self, index: usize) -> u32 {
        match &self.numbering {
            None => index as u32,
            Some(numbering) => numbering.old()[index],
        }
    }
}

impl<R: Store<Coord = u32>, D> NodeCompactIndexable for View<'_, R, D> {}

impl<R: Store<Coord = u32>, D> Visitable for View<'_, R, D> {
    type Map = FixedBitSet;

    fn visit_map(&self) -> FixedBitSet {
        FixedBitSet::with_capacity(self.snapshot.num_rows())
    }

    fn reset_map(&self, map: &mut FixedBitSet) {
        map.clear();
        map.grow(self.snapshot.num_rows());
    }
}

impl<R: Store<Coord = u32>, D> GetAdjacencyMatrix for View<'_, R, D> {
    type AdjMatrix = ();

    fn adjacency_matrix(&self) {}

    fn is_adjacent(&self, (): &(), from: u32, to: u32) -> bool {
        self.snapshot.has_edge(from, to)
    }
}

impl<'v, R: Store<Coord = u32>, D> IntoNodeIdentifiers for &'v View<'_, R, D> {
    type NodeIdentifiers = Box<dyn Iterator<Item = u32> + 'v>;

    fn node_identifiers(self) -> Self::NodeIdentifiers {
        Box::new(self.snapshot.vertices())
    }
}

impl<'v, R: Store<Coord = u32>, D> IntoNodeReferences for &'v View<'_, R, D> {
    type NodeRef = (u32, &'v ());
    type NodeReferences = Box<dyn Iterator<Item = (u32, &'v ())> + 'v>;

    fn node_references(self) -> Self::NodeReferences {
        Box::new(self.snapshot.vertices().map(|vertex| (vertex, &())))
    }
}

impl<'s, R: Store<Coord = u32>, D> IntoNeighbors for &View<'s, R, D> {
    type Neighbors = Ends<'s, R>;

    fn neighbors(self, vertex: u32) -> Ends<'s, R> {
        Ends(self.snapshot.neighbors(vertex))
    }
}

impl<'s, R: Store<Coord = u32>> IntoNeighborsDirected for &View<'s, R> {
    type NeighborsDirected = Ends<'s, R>;

    fn neighbors_directed(self, vertex: u32, direction: Direction) -> Ends<'s, R> {
        Ends(self.ends(vertex, direction))
    }
}

impl<'s, R: Store<Coord = u32>, D> IntoEdgeReferences for &View<'s, R, D> {
    type EdgeRef = (u32, u32, &'s R::Value);
    type EdgeReferences = Box<dyn Iterator<Item = Self::EdgeRef> + 's>;

    fn edge_references(self) -> Self::EdgeReferences {
        Box::new(self.snapshot.edges())
    }
}

impl<'s, R: Store<Coord = u32>, D> IntoEdges for &View<'s, R, D> {
    type Edges = Arcs<'s, R>;

    fn edges(self, vertex: u32) -> Arcs<'s, R> {
        Arcs { vertex, direction: Direction::Outgoing, ends: self.snapshot.neighbors(vertex) }
    }
}

impl<'s, R: Store<Coord = u32>> IntoEdgesDirected for &View<'s, R> {
    type EdgesDirected = Arcs<'s, R>;

    fn edges_directed(self, vertex: u32, direction: Direction) -> Arcs<'s, R> {
        Arcs { vertex, direction, ends: self.ends(vertex, direction) }
    }
}
