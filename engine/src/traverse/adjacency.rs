//! A graph seen from both ends of its arcs.

use crate::Rows;
use crate::graph::VertexSet;

/// A graph as algorithms see it: its arcs by their sources and, if they are kept, by their targets, and the vertices that it has.
///
/// Both matrices are the same where the graph is undirected. Vertices are numbered below [`bound`](Self::bound), and all of these
/// numbers are vertices unless [`among`](Self::among) says otherwise, as for a graph from which vertices were removed. A
/// number that is not a vertex has no arcs.
///
/// A reference to a [`Snapshot`](crate::Snapshot) converts into this type, and so may be passed to every algorithm.
pub struct Adjacency<'a, A> {
    out: &'a A,
    incoming: Option<&'a A>,
    directed: bool,
    /// The vertices, if they are not all numbers below the bound.
    vertices: Option<&'a VertexSet>,
}

impl<A> Clone for Adjacency<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for Adjacency<'_, A> {}

impl<'a, A: Rows> Adjacency<'a, A> {
    /// An undirected graph: every arc is stored in both directions.
    ///
    /// # Panics
    ///
    /// If the matrix is not square.
    pub fn undirected(arcs: &'a A) -> Self {
        assert_eq!(arcs.num_rows(), arcs.num_cols(), "the matrix of a graph is square");
        Adjacency { out: arcs, incoming: Some(arcs), directed: false, vertices: None }
    }

    /// A directed graph: `incoming` is the transpose of `out`.
    ///
    /// # Panics
    ///
    /// If the matrices are not square and of one size with equally many nonzeros.
    pub fn directed(out: &'a A, incoming: &'a A) -> Self {
        assert_eq!(out.num_rows(), out.num_cols(), "the matrix of a graph is square");
        assert_eq!((out.num_rows(), out.num_cols()), (incoming.num_cols(), incoming.num_rows()), "a transpose fits");
        assert_eq!(out.nnz(), incoming.nnz(), "every arc leads out of one vertex and into another");
        Adjacency { out, incoming: Some(incoming), directed: true, vertices: None }
    }

    /// A directed graph without in-arcs.
    ///
    /// # Panics
    ///
    /// If the matrix is not square.
    pub fn outward(out: &'a A) -> Self {
        assert_eq!(out.num_rows(), out.num_cols(), "the matrix of a graph is square");
        Adjacency { out, incoming: None, directed: true, vertices: None }
    }

    /// The same arcs among `vertices` only: numbers that are not in the set are not vertices. Takes constant time.
    ///
    /// All ends of arcs must be in the set; this is not checked, and algorithms may then count such an end or not.
    ///
    /// # Panics
    ///
    /// If the set has more vertices than the matrix has rows.
    pub fn among(self, vertices: &'a VertexSet) -> Self {
        assert!(vertices.len() <= self.bound(), "every vertex has a row");
        Adjacency { vertices: (vertices.len() < self.bound()).then_some(vertices), ..self }
    }

    /// The numbers of vertices are below this: the length of an array with an element for each vertex.
    pub fn bound(&self) -> usize {
        self.out.num_rows()
    }

    /// Number of vertices: the [`bound`](Self::bound), less the numbers below it that are not vertices.
    pub fn num_vertices(&self) -> usize {
        self.vertices.map_or(self.bound(), VertexSet::len)
    }

    /// Whether a number is a vertex of the graph. Takes a few loads.
    #[inline]
    pub fn has_vertex(&self, vertex: u32) -> bool {
        (vertex as usize) < self.bound() && self.vertices.is_none_or(|vertices| vertices.contains(vertex))
    }

    /// Whether all numbers below the bound are vertices.
    pub fn is_compact(&self) -> bool {
        self.vertices.is_none()
    }

    /// The vertices, ascending.
    pub fn vertices(&self) -> impl Iterator<Item = u32> + use<'a, A> {
        let all = self.vertices.is_none().then_some(0..self.bound() as u32);
        let some = self.vertices.map(VertexSet::iter);
        all.into_iter().flatten().chain(some.into_iter().flatten())
    }

    /// The numbers below the bound that are not vertices, ascending. Takes constant time if there are none, else O(bound).
    pub fn absent(&self) -> impl Iterator<Item = u32> + use<'a, A> {
        let bound = self.bound() as u32;
        let gaps = self.vertices.map(|vertices| {
            let mut next = 0;
            let before = move |vertex| std::mem::replace(&mut next, vertex + 1)..vertex;
            vertices.iter().chain([bound]).flat_map(before)
        });
        gaps.into_iter().flatten()
    }

    /// Number of arcs; an edge of an undirected graph is two (a self loop one).
    pub fn num_arcs(&self) -> usize {
        self.out.nnz()
    }

    /// Whether arcs have a direction.
    pub fn is_directed(&self) -> bool {
        self.directed
    }

    /// Rows of out-arcs.
    pub fn out(&self) -> &'a A {
        self.out
    }

    /// Whether the graph has rows of in-arcs; only an [outward](Self::outward) graph has none.
    pub fn has_incoming(&self) -> bool {
        self.incoming.is_some()
    }

    /// Rows of in-arcs.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn incoming(&self) -> &'a A {
        self.incoming.expect("the rows of in-arcs are at hand")
    }

    /// The same graph with every arc reversed.
    ///
    /// # Panics
    ///
    /// If there are no rows of in-arcs.
    pub fn reversed(&self) -> Self {
        Adjacency { out: self.incoming(), incoming: Some(self.out), ..*self }
    }
}
