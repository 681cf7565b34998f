//! Graphs from existing rows: static rows, or a matrix that a kernel has computed.

use std::ops::Range;

use pleach_runtime::{Paged, Store, par_first, par_parts};

use super::snapshot::same;
use super::version::Contents;
use super::vertices::VertexSet;
use super::{Graph, GraphOptions, MAX_VERTICES};
use crate::sort::Weight;
use crate::{Csr, CsrView, Matrix, Rows};

/// Why a matrix cannot become a graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FromRowsError {
    /// There are more rows or columns than the graph may have vertices.
    #[error("there are {vertices} rows or columns, and the graph may have at most {limit} vertices")]
    TooManyVertices {
        /// The rows or columns, whichever are more.
        vertices: usize,
        /// The most vertices there may be.
        limit: usize,
    },
    /// The graph is to be undirected, but an arc has no counterpart, or one of another weight.
    #[error(
        "the graph is undirected, but the arc from {from} to {to} is not there the other way round with the same weight; \
         `Csr::symmetrize` adds what is missing"
    )]
    Asymmetric {
        /// Its row.
        from: u32,
        /// Its column.
        to: u32,
    },
}

impl<R: Store<Coord = u32, Value: Weight>> Graph<R> {
    /// The graph whose out-arcs are the nonzeros of static rows, in parallel, with its rows in pages. Every row and column is a vertex,
    /// even without edges. O(nonzeros + rows + columns).
    ///
    /// ```
    /// use pleach::graph::{GraphOptions, WeightedGraph};
    /// use pleach::Csr;
    ///
    /// let csr = Csr::from_entries(3, 3, [(0, 1, 0.5), (2, 0, 1.5)])?;
    /// let graph = WeightedGraph::<f64>::from_csr(&csr, GraphOptions::default())?;
    /// graph.insert([(1, 2, 2.5)])?;
    /// assert_eq!(Csr::from(&graph.fresh()).values(), [0.5, 2.5, 1.5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`FromRowsError`] if there are too many vertices, or the graph is undirected and the matrix not symmetric.
    pub fn from_csr<'a>(
        csr: impl Into<CsrView<'a, R::Value>>,
        options: GraphOptions<R::Value>,
    ) -> Result<Self, FromRowsError> {
        let csr = csr.into();
        // What is too large is refused before it is copied.
        check_size(csr.num_rows(), csr.num_cols(), &options)?;
        Self::of_rows(Matrix::from_csr::<Paged<R>>(csr), csr, options)
    }

    /// The graph whose out-arcs are the nonzeros of a matrix, which keeps its outer level and its rows; only the rows of in-arcs, if the
    /// graph keeps them, are made anew, in pages. O(nonzeros + rows + columns).
    ///
    /// # Errors
    ///
    /// As [`from_csr`](Self::from_csr).
    pub fn from_matrix(matrix: Matrix<R>, options: GraphOptions<R::Value>) -> Result<Self, FromRowsError> {
        check_size(matrix.num_rows(), matrix.num_cols(), &options)?;
        if options.directed && !options.incoming {
            return Ok(Self::of_contents(matrix, None, options));
        }
        let csr = Csr::from(&matrix);
        Self::of_rows(matrix, csr.view(), options)
    }

    /// The graph of a matrix, and of the same rows as static ones.
    fn of_rows(
        out: Matrix<R>,
        csr: CsrView<'_, R::Value>,
        options: GraphOptions<R::Value>,
    ) -> Result<Self, FromRowsError> {
        if options.directed {
            let incoming = options.incoming.then(|| Matrix::from_csr::<Paged<R>>(csr.transpose().view()));
            return Ok(Self::of_contents(out, incoming, options));
        }
        let turned = csr.transpose();
        let alone = |row: usize| first_alone(row as u32, entries(csr, row), entries(turned.view(), row));
        let rows = csr.num_rows().max(csr.num_cols());
        if let Some((from, to)) = par_first(rows, ROWS_PER_TASK, |row| alone(row).is_some()).and_then(alone) {
            return Err(FromRowsError::Asymmetric { from, to });
        }
        let loops = |rows: Range<usize>| rows.filter(|&row| csr.get(row, row).is_some()).count();
        let mut contents = Self::contents(out, None, &options);
        contents.loops = par_parts(csr.num_rows(), ROWS_PER_TASK, loops).into_iter().sum();
        Ok(Self::of(contents, options))
    }

    fn of_contents(out: Matrix<R>, incoming: Option<Matrix<R>>, options: GraphOptions<R::Value>) -> Self {
        Self::of(Self::contents(out, incoming, &options), options)
    }

    fn contents(mut out: Matrix<R>, mut incoming: Option<Matrix<R>>, options: &GraphOptions<R::Value>) -> Contents<R> {
        let vertices = out.num_rows().max(out.num_cols());
        out.grow_within(vertices, vertices);
        if let Some(incoming) = &mut incoming {
            incoming.grow_within(vertices, vertices);
        }
        let mut contents = Contents::new(out, incoming, options.directed);
        contents.vertices = VertexSet::first(vertices);
        contents
    }
}

/// Rows that one task compares.
const ROWS_PER_TASK: usize = 1 << 10;

/// The first arc at a vertex that does not lead both ways with the same weight, if its row is not that of the transpose.
fn first_alone<V: Weight>(vertex: u32, own: (&[u32], &[V]), turned: (&[u32], &[V])) -> Option<(u32, u32)> {
    let pairs = own.0.iter().zip(own.1).zip(turned.0.iter().zip(turned.1));
    let alike = pairs.take_while(|((a, v), (b, w))| a == b && same(*v, *w)).count();
    match (own.0.get(alike), turned.0.get(alike)) {
        (None, None) => None,
        (Some(&col), Some(&source)) if source < col => Some((source, vertex)),
        (Some(&col), _) => Some((vertex, col)),
        (None, Some(&source)) => Some((source, vertex)),
    }
}

fn entries<V>(csr: CsrView<'_, V>, row: usize) -> (&[u32], &[V]) {
    if row < csr.num_rows() {
        let row = csr.row(row);
        (row.coords, row.values)
    } else {
        (&[], &[])
    }
}

fn check_size<V>(num_rows: usize, num_cols: usize, options: &GraphOptions<V>) -> Result<(), FromRowsError> {
    let (vertices, limit) = (num_rows.max(num_cols), options.max_vertices.min(MAX_VERTICES));
    if vertices > limit { Err(FromRowsError::TooManyVertices { vertices, limit }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use pleach_runtime::Nested;
    use pleach_stores::{Bst, Ctree};

    use super::*;
    use crate::graph::WeightedGraph;

    fn sample() -> Csr<f64> {
        Csr::from_entries(70, 80, [(0, 1, 1.0), (1, 0, 1.0), (3, 3, 2.0), (69, 79, 4.0)]).unwrap()
    }

    #[test]
    fn static_rows_become_a_graph_and_come_back() {
        for options in [GraphOptions::default(), GraphOptions { incoming: false, ..GraphOptions::default() }] {
            let graph = WeightedGraph::<f64>::from_csr(&sample(), options).unwrap();
            let snapshot = graph.fresh();
            snapshot.audit().unwrap();
            assert_eq!((snapshot.num_vertices(), snapshot.num_edges()), (80, 4));
            assert_eq!(Csr::from(&snapshot).coords(), sample().coords());
            graph.delete([(69, 79)]).unwrap();
            graph.insert([(79, 69, 1.0), (100, 2, 3.0)]).unwrap();
            graph.fresh().audit().unwrap();
            assert_eq!(graph.fresh().weight(100, 2), Some(&3.0));
        }
    }

    #[test]
    fn a_matrix_keeps_its_rows() {
        let matrix = Matrix::<Ctree<f64>>::from_csr::<Nested<Bst<_>>>(sample().view());
        let graph = Graph::from_matrix(matrix, GraphOptions::default()).unwrap();
        graph.insert([(79, 0, 5.0)]).unwrap();
        let snapshot = graph.fresh();
        snapshot.audit().unwrap();
        assert_eq!((snapshot.matrix().store_name(), snapshot.in_degree(0)), ("bst,ctree".to_owned(), Some(2)));
    }

    #[test]
    fn an_undirected_graph_takes_a_symmetric_matrix_only() {
        let options = GraphOptions::undirected;
        let error = |csr: &Csr<f64>| WeightedGraph::<f64>::from_csr(csr, options()).err();
        assert_eq!(error(&sample()), Some(FromRowsError::Asymmetric { from: 69, to: 79 }));
        let lower = Csr::from_entries(3, 3, [(2, 1, 1.0)]).unwrap();
        assert_eq!(error(&lower), Some(FromRowsError::Asymmetric { from: 2, to: 1 }));
        let weights = Csr::from_entries(3, 3, [(2, 1, 1.0), (1, 2, 2.0)]).unwrap();
        assert_eq!(error(&weights), Some(FromRowsError::Asymmetric { from: 1, to: 2 }));
        let both = Csr::from_entries(4, 4, [(0, 1, 1.0), (1, 0, 1.0), (3, 3, 2.0)]).unwrap();
        let graph = WeightedGraph::<f64>::from_csr(both.view(), options()).unwrap();
        graph.fresh().audit().unwrap();
        assert_eq!(graph.fresh().num_edges(), 2);
        // The first of many rows is named, whichever thread finds one.
        let ring = |k: u32| [(k, (k + 1) % 9_000, 1.0), ((k + 1) % 9_000, k, 1.0)];
        let mut arcs: Vec<(u32, u32, f64)> = (0..9_000).flat_map(ring).collect();
        arcs.extend([(8_000, 17, 1.0), (5_000, 4_000, 1.0), (30, 30, 2.0)]);
        let many = Csr::from_entries(9_000, 9_000, arcs.clone()).unwrap();
        assert_eq!(error(&many), Some(FromRowsError::Asymmetric { from: 8_000, to: 17 }));
        arcs.extend([(17, 8_000, 1.0), (4_000, 5_000, 1.0)]);
        let many = Csr::from_entries(9_000, 9_000, arcs).unwrap();
        let graph = WeightedGraph::<f64>::from_csr(&many, options()).unwrap();
        graph.fresh().audit().unwrap();
        assert_eq!(graph.fresh().num_edges(), 9_003);
        let few = GraphOptions { max_vertices: 3, ..options() };
        let error = WeightedGraph::<f64>::from_csr(&both, few).err();
        assert_eq!(error, Some(FromRowsError::TooManyVertices { vertices: 4, limit: 3 }));
    }
}
