//! A graph seen from both ends of its arcs.

use std::fmt;
use std::hash::BuildHasher;
use std::ops::ControlFlow;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::fast::RandomState;
use pleach_runtime::{Fiber, mix};
use rayon::iter::Either;

use super::{Cancel, DynRows};
use crate::Rows;
use crate::graph::VertexSet;
use crate::graph::counted::Counted;

/// The seed with which arcs are hashed: random, so that no matrix can be made to deceive the check.
static SEED: LazyLock<RandomState> = LazyLock::new(RandomState::default);

/// Why matrices do not make a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AdjacencyError {
    /// Rows and columns are not equally many.
    #[error("the matrix of a graph is square, and this one has {rows} rows and {cols} columns")]
    NotSquare {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        cols: usize,
    },
    /// An undirected graph has an arc without its reverse.
    #[error(
        "the arc from {src} to {dst} is there one way only, and an undirected graph holds every arc both ways: build the matrix with \
         `BuildOptions::undirected`, or pass it to `Adjacency::directed` or `Adjacency::outward`"
    )]
    NotSymmetric {
        /// Source of the first such arc.
        src: u32,
        /// Its target.
        dst: u32,
    },
    /// An arc is among the out-arcs or the in-arcs only.
    #[error(
        "the arc from {src} to {dst} is not in both matrices: the in-arcs of a graph are the transpose of its out-arcs"
    )]
    NotTransposed {
        /// Source of such an arc.
        src: u32,
        /// Its target.
        dst: u32,
    },
    /// Out-arcs and in-arcs are not equally many.
    #[error(
        "the out-arcs have {} rows and {} nonzeros, the in-arcs {} and {}: they are the same arcs, by their sources and by their targets",
        out.0, out.1, incoming.0, incoming.1
    )]
    NoTranspose {
        /// Rows and nonzeros of the out-arcs.
        out: (usize, usize),
        /// Rows and nonzeros of the in-arcs.
        incoming: (usize, usize),
    },
    /// There are more vertices than rows.
    #[error("{vertices} vertices are more than the {rows} rows of the matrix")]
    TooManyVertices {
        /// Number of vertices.
        vertices: usize,
        /// Number of rows.
        rows: usize,
    },
    /// A vertex is beyond the rows.
    #[error("vertex {vertex} is beyond the {rows} rows of the matrix, which are numbered from 0")]
    VertexOutOfRange {
        /// The largest vertex.
        vertex: u32,
        /// Number of rows.
        rows: usize,
    },
}

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
    /// What ends algorithms on the graph early, if something does.
    pub(super) cancel: Option<&'a Cancel>,
}

impl<A> Clone for Adjacency<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for Adjacency<'_, A> {}

impl<A: Rows> fmt::Debug for Adjacency<'_, A> {
    /// Direction and size.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Adjacency")
            .field("directed", &self.directed)
            .field("vertices", &self.num_vertices())
            .field("arcs", &self.num_arcs())
            .finish_non_exhaustive()
    }
}

impl<'a, A: Rows> Adjacency<'a, A> {
    /// An undirected graph: the matrix holds every arc both ways. Values are not compared. Reads all arcs once, in parallel.
    ///
    /// # Errors
    ///
    /// [`AdjacencyError`] if the matrix is not square, or names the first arc without its reverse.
    pub fn undirected(arcs: &'a A) -> Result<Self, AdjacencyError> {
        let graph = Self::assume_undirected(arcs)?;
        check_reversed(arcs, arcs).map_err(|(src, dst)| AdjacencyError::NotSymmetric { src, dst })?;
        Ok(graph)
    }

    /// An undirected graph, for a matrix that is known to hold every arc both ways. Takes constant time.
    ///
    /// If it does not, algorithms see some edges from one end only. Their results are then wrong, but memory stays safe.
    ///
    /// # Errors
    ///
    /// [`AdjacencyError::NotSquare`].
    pub fn assume_undirected(arcs: &'a A) -> Result<Self, AdjacencyError> {
        check_square(arcs)?;
        Ok(Adjacency { out: arcs, incoming: Some(arcs), directed: false, vertices: None, cancel: None })
    }

    /// A directed graph: `incoming` is the transpose of `out`. Values are not compared. Reads all arcs once, in parallel.
    ///
    /// # Errors
    ///
    /// [`AdjacencyError`] if the matrices are not square and of one size, or names the first arc that is in one of them only.
    pub fn directed(out: &'a A, incoming: &'a A) -> Result<Self, AdjacencyError> {
        let graph = Self::assume_directed(out, incoming)?;
        check_reversed(out, incoming).map_err(|(src, dst)| AdjacencyError::NotTransposed { src, dst })?;
        Ok(graph)
    }

    /// A directed graph of two matrices, where the caller knows that `incoming` is the transpose of `out`. Takes constant time.
    ///
    /// If it is not, the results of algorithms are wrong, but memory stays safe.
    ///
    /// # Errors
    ///
    /// [`AdjacencyError`] if the matrices are not square and of one size with equally many nonzeros.
    pub fn assume_directed(out: &'a A, incoming: &'a A) -> Result<Self, AdjacencyError> {
        check_square(out)?;
        check_square(incoming)?;
        let sizes = |rows: &A| (rows.num_rows(), rows.nnz());
        if sizes(out) != sizes(incoming) {
            return Err(AdjacencyError::NoTranspose { out: sizes(out), incoming: sizes(incoming) });
        }
        Ok(Adjacency { out, incoming: Some(incoming), directed: true, vertices: None, cancel: None })
    }

    /// A directed graph without in-arcs. Takes constant time.
    ///
    /// # Errors
    ///
    /// [`AdjacencyError::NotSquare`].
    pub fn outward(out: &'a A) -> Result<Self, AdjacencyError> {
        check_square(out)?;
        Ok(Adjacency { out, incoming: None, directed: true, vertices: None, cancel: None })
    }

    /// A graph of parts that are known to fit.
    pub(crate) fn of(out: &'a A, incoming: Option<&'a A>, directed: bool, vertices: &'a VertexSet) -> Self {
        let vertices = (vertices.len() < out.num_rows()).then_some(vertices);
        Adjacency { out, incoming: if directed { incoming } else { Some(out) }, directed, vertices, cancel: None }
    }

    /// The same arcs among `vertices` only: numbers that are not in the set are not vertices. Takes constant time.
    ///
    /// All ends of arcs must be in the set; this is not checked, and algorithms may then count such an end or not.
    ///
    /// # Errors
    ///
    /// [`AdjacencyError::TooManyVertices`] if the set has more vertices than the matrix has rows, and
    /// [`AdjacencyError::VertexOutOfRange`] if one of them has no row.
    pub fn among(self, vertices: &'a VertexSet) -> Result<Self, AdjacencyError> {
        if vertices.len() > self.bound() {
            return Err(AdjacencyError::TooManyVertices { vertices: vertices.len(), rows: self.bound() });
        }
        if let Some(vertex) = vertices.last().filter(|&last| last as usize >= self.bound()) {
            return Err(AdjacencyError::VertexOutOfRange { vertex, rows: self.bound() });
        }
        Ok(Adjacency { vertices: (vertices.len() < self.bound()).then_some(vertices), ..self })
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
    pub fn vertices(&self) -> impl ExactSizeIterator<Item = u32> + use<'a, A> {
        match self.vertices {
            None => Either::Left(0..self.bound() as u32),
            Some(vertices) => Either::Right(vertices.iter()),
        }
    }

    /// The numbers below the bound that are not vertices, ascending. Takes constant time if there are none, else O(bound).
    pub fn absent(&self) -> impl ExactSizeIterator<Item = u32> + use<'a, A> {
        let bound = self.bound() as u32;
        let gaps = self.vertices.map(|vertices| {
            let mut next = 0;
            let before = move |vertex| std::mem::replace(&mut next, vertex + 1)..vertex;
            vertices.iter().chain([bound]).flat_map(before)
        });
        Counted::new(gaps.into_iter().flatten(), self.bound() - self.num_vertices())
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

    /// Rows of in-arcs; `None` if the graph is an [outward](Self::outward) one.
    pub fn incoming(&self) -> Option<&'a A> {
        self.incoming
    }

    /// The same graph with every arc reversed; `None` if the graph is an [outward](Self::outward) one.
    pub fn reversed(&self) -> Option<Self> {
        Some(Adjacency { out: self.incoming?, incoming: Some(self.out), ..*self })
    }

    /// Calls `f` with the same graph behind a type that all stores share. Takes a pass over the outer levels, as [`DynRows::of`] does.
    pub fn erased<T>(&self, f: impl FnOnce(Adjacency<'_, DynRows<'a, A::Value>>) -> T) -> T {
        let Adjacency { directed, vertices, cancel, .. } = *self;
        let out = DynRows::of(self.out);
        let incoming = self.incoming.filter(|_| directed).map(DynRows::of);
        let incoming = if directed { incoming.as_ref() } else { Some(&out) };
        f(Adjacency { out: &out, incoming, directed, vertices, cancel })
    }
}

fn check_square<A: Rows>(arcs: &A) -> Result<(), AdjacencyError> {
    let (rows, cols) = (arcs.num_rows(), arcs.num_cols());
    if rows == cols { Ok(()) } else { Err(AdjacencyError::NotSquare { rows, cols }) }
}

/// Checks that the arcs of `incoming` are the reversed arcs of `out`. If not, returns an arc of one of them that has no counterpart.
///
/// Both are multisets of pairs, and they are compared by sums of a hash under a seed of this process: one pass, whatever the stores.
fn check_reversed<A: Rows>(out: &A, incoming: &A) -> Result<(), (u32, u32)> {
    let seed = SEED.hash_one(out.nnz());
    let hash = |from: u32, to: u32| mix(mix(seed ^ u64::from(from)).wrapping_add(u64::from(to)));
    let total = |rows: &A, turned: bool| {
        let sum = AtomicU64::new(0);
        rows.par_rows(|row, fiber| {
            let row = row as u32;
            let own = fiber.fold_storage(0u64, |sum, run| {
                let of = |&col: &u32| if turned { hash(col, row) } else { hash(row, col) };
                run.coords().iter().map(of).fold(sum, u64::wrapping_add)
            });
            sum.fetch_add(own, Ordering::Relaxed);
        });
        sum.into_inner()
    };
    if total(out, false) == total(incoming, true) {
        return Ok(());
    }
    first_alone(out, incoming).or_else(|| first_alone(incoming, out).map(|(to, from)| (from, to))).map_or(Ok(()), Err)
}

/// The first arc of `rows` that is not among the columns of `others`.
fn first_alone<A: Rows>(rows: &A, others: &A) -> Option<(u32, u32)> {
    let found = rows.try_rows(|row, fiber| {
        fiber.try_fold_runs((), |(), run| {
            let alone = |&&col: &&u32| others.row(col as usize).is_none_or(|other| other.locate(row as u32).is_none());
            match run.coords().iter().find(alone) {
                Some(&col) => ControlFlow::Break((row as u32, col)),
                None => ControlFlow::Continue(()),
            }
        })
    });
    found.break_value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Csr;

    fn pattern(size: usize, arcs: &[(u32, u32)]) -> Csr {
        Csr::from_entries(size, size, arcs.iter().map(|&(from, to)| (from, to, ()))).unwrap()
    }

    #[test]
    fn a_directed_matrix_is_no_undirected_graph() {
        for arcs in [&[][..], &[(0, 1), (1, 0), (2, 2)], &[(0, 3), (3, 0), (1, 3), (3, 1)]] {
            assert!(Adjacency::undirected(&pattern(4, arcs)).is_ok(), "{arcs:?}");
        }
        for (arcs, alone) in [(&[(0, 1)][..], (0, 1)), (&[(0, 1), (1, 0), (3, 2), (3, 3)], (3, 2))] {
            let error = Adjacency::undirected(&pattern(4, arcs)).err().unwrap();
            assert_eq!(error, AdjacencyError::NotSymmetric { src: alone.0, dst: alone.1 });
        }
        // As many arcs in one direction as in the other, but not the same ones.
        let error = Adjacency::undirected(&pattern(4, &[(0, 1), (2, 1), (3, 2), (1, 3)])).err().unwrap();
        assert_eq!(error, AdjacencyError::NotSymmetric { src: 0, dst: 1 });
        assert!(error.to_string().contains("from 0 to 1"), "{error}");
        assert!(Adjacency::assume_undirected(&pattern(4, &[(0, 1)])).is_ok());
    }

    #[test]
    fn in_arcs_are_the_transpose() {
        let out = pattern(4, &[(0, 1), (0, 2), (3, 3)]);
        assert!(Adjacency::directed(&out, &out.transpose()).is_ok());
        let error = Adjacency::directed(&out, &out).err().unwrap();
        assert_eq!(error, AdjacencyError::NotTransposed { src: 0, dst: 1 });
        let error = Adjacency::directed(&out, &pattern(4, &[(1, 0)])).err().unwrap();
        assert_eq!(error, AdjacencyError::NoTranspose { out: (4, 3), incoming: (4, 1) });
        assert!(Adjacency::assume_directed(&out, &out).is_ok());
    }

    #[test]
    fn a_graph_behind_the_type_of_all_stores_is_the_same() {
        let (out, two) = (pattern(4, &[(0, 1), (0, 2), (3, 3)]), [0, 1, 2].into_iter().collect::<VertexSet>());
        let facts = |graph: Adjacency<'_, DynRows<'_, ()>>| {
            let lens = |rows: &DynRows<'_, ()>| rows.row_degrees();
            (graph.is_directed(), graph.num_vertices(), lens(graph.out()), graph.incoming().map(lens))
        };
        let (outward, incoming) = (Adjacency::outward(&out).unwrap(), out.transpose());
        assert_eq!(outward.erased(facts), (true, 4, vec![2, 0, 0, 1], None));
        let directed = Adjacency::directed(&out, &incoming).unwrap().among(&two).unwrap();
        assert_eq!(directed.erased(facts), (true, 3, vec![2, 0, 0, 1], Some(vec![0, 1, 1, 1])));
        let undirected = Adjacency::assume_undirected(&out).unwrap();
        assert_eq!(undirected.erased(facts), (false, 4, vec![2, 0, 0, 1], Some(vec![2, 0, 0, 1])));
    }

    #[test]
    fn the_matrix_of_a_graph_is_square() {
        let flat = Csr::<()>::from_entries(2, 3, [(0, 1, ())]).unwrap();
        let error = AdjacencyError::NotSquare { rows: 2, cols: 3 };
        assert_eq!(Adjacency::undirected(&flat).err(), Some(error));
        assert_eq!(Adjacency::assume_undirected(&flat).err(), Some(error));
        assert_eq!(Adjacency::directed(&flat, &flat.transpose()).err(), Some(error));
        assert_eq!(Adjacency::outward(&flat).err(), Some(error));
        let (square, five) = (pattern(4, &[(0, 1)]), (0..5).collect::<VertexSet>());
        let graph = Adjacency::outward(&square).unwrap();
        let error = AdjacencyError::TooManyVertices { vertices: 5, rows: 4 };
        assert_eq!(graph.among(&five).err(), Some(error));
        let [near, far] = [[1, 3], [1, 4]].map(|ends| ends.into_iter().collect::<VertexSet>());
        assert!(graph.among(&near).is_ok_and(|graph| graph.absent().eq([0, 2])));
        assert_eq!(graph.among(&far).err(), Some(AdjacencyError::VertexOutOfRange { vertex: 4, rows: 4 }));
        assert!(graph.incoming().is_none() && graph.reversed().is_none());
    }
}
