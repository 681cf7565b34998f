//! A graph seen from both ends of its arcs.

use crate::Rows;

/// The arcs of a graph by their sources and, where asked for, by their targets. Both are the same matrix where the graph is undirected.
pub struct Adjacency<'a, A> {
    out: &'a A,
    incoming: Option<&'a A>,
    directed: bool,
}

impl<A> Clone for Adjacency<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for Adjacency<'_, A> {}

impl<'a, A: Rows> Adjacency<'a, A> {
    /// An undirected graph: every arc is there both ways.
    ///
    /// # Panics
    ///
    /// If the matrix is not square.
    pub fn undirected(arcs: &'a A) -> Self {
        assert_eq!(arcs.num_rows(), arcs.num_cols(), "the matrix of a graph is square");
        Adjacency { out: arcs, incoming: Some(arcs), directed: false }
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
        Adjacency { out, incoming: Some(incoming), directed: true }
    }

    /// A directed graph of which only the out-arcs are at hand.
    ///
    /// # Panics
    ///
    /// If the matrix is not square.
    pub fn outward(out: &'a A) -> Self {
        assert_eq!(out.num_rows(), out.num_cols(), "the matrix of a graph is square");
        Adjacency { out, incoming: None, directed: true }
    }

    /// Number of vertices.
    pub fn num_vertices(&self) -> usize {
        self.out.num_rows()
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

    /// Whether rows of in-arcs are at hand, as they are unless the graph is an [outward](Self::outward) one.
    pub fn has_incoming(&self) -> bool {
        self.incoming.is_some()
    }

    /// Rows of in-arcs.
    ///
    /// # Panics
    ///
    /// If there are none at hand.
    pub fn incoming(&self) -> &'a A {
        self.incoming.expect("the rows of in-arcs are at hand")
    }

    /// The same graph with every arc turned round.
    ///
    /// # Panics
    ///
    /// If there are no rows of in-arcs at hand.
    pub fn reversed(&self) -> Self {
        Adjacency { out: self.incoming(), incoming: Some(self.out), directed: self.directed }
    }
}
