//! Graphs in a named store, for algorithms that are not compiled for each.

use std::time::Instant;

use pleach_runtime::{BuildOuter, Dense, Paged, Store, UpdateOuter, Value};

use super::{GraphVisitor, Held, HoldError, Packed, StoreName, format_names};
use crate::graph::GraphOptions;
use crate::sort::Weight;
use crate::traverse::{Adjacency, DynRows};
use crate::{BuildError, BuildOptions, Csr, CsrView, EdgeList, Matrix, Rows};

/// A matrix of any store.
pub trait AnyMatrix<V: Value>: Send + Sync {
    /// Its rows.
    fn rows(&self) -> DynRows<'_, V>;
}

/// A matrix of any store, and how it came to be held.
pub type AnyHeld<V> = (Box<dyn AnyMatrix<V>>, Held);

impl<R: Store<Coord = u32>> AnyMatrix<R::Value> for Matrix<R> {
    fn rows(&self) -> DynRows<'_, R::Value> {
        DynRows::of(self)
    }
}

/// The names of an outer level and a row store.
#[derive(Clone, Copy, Debug)]
pub struct Levels {
    pub(super) outer: &'static str,
    pub(super) row: &'static str,
}

/// What arcs carry in a [`StoredGraph`]: nothing, in every pair of levels; or weights in double precision, in any row store below `dense` and
/// `paged` and in the named formats. Each further pair would be compiled once more into every program that runs any.
pub trait Bundled: Value + Copy + Default {
    /// Builds rows of the default store.
    ///
    /// # Errors
    ///
    /// [`StoredGraphError`] if the arcs cannot be sorted into rows, or the pair is not there for such values.
    fn build_packed(
        store: Levels,
        edges: &EdgeList<Self>,
        options: &BuildOptions<Self>,
    ) -> Result<(Matrix<Packed<Self>>, Held), StoredGraphError>;

    /// Builds rows of any store.
    ///
    /// # Errors
    ///
    /// [`StoredGraphError`] if the arcs cannot be sorted into rows, or the pair is not there for such values.
    fn build_any(
        store: Levels,
        edges: &EdgeList<Self>,
        options: &BuildOptions<Self>,
    ) -> Result<AnyHeld<Self>, StoredGraphError>;

    /// Builds a graph that can be updated in a named store and visits it. An empty list gives an empty graph.
    ///
    /// # Errors
    ///
    /// [`HoldError`] if the store is static or not there for such values, or the edges cannot be sorted into rows.
    fn hold<T: GraphVisitor<Self>>(
        store: &StoreName,
        edges: EdgeList<Self>,
        options: GraphOptions<Self>,
        visitor: T,
    ) -> Result<T::Output, HoldError>
    where
        Self: Weight;
}

/// Why a graph cannot be held as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoredGraphError {
    /// Its arcs cannot be sorted into rows.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The pair of levels is not bundled for arcs with weights.
    #[error(
        "arcs with weights are not bundled for `{outer},{row}`: hold them in `dense,{row}`, `paged,{row}`, `csr` or a format ({formats})",
        formats = format_names()
    )]
    Weights {
        /// The outer level.
        outer: &'static str,
        /// The row store.
        row: &'static str,
    },
}

pub(super) fn boxed<R: Store<Coord = u32>>(
    (matrix, held): (Matrix<R>, Held),
) -> Result<AnyHeld<R::Value>, StoredGraphError> {
    Ok((Box::new(matrix), held))
}

/// Builds rows of type `R` below the outer level `O`.
pub(super) fn build_with<R, O>(
    edges: &EdgeList<R::Value>,
    options: &BuildOptions<R::Value>,
) -> Result<(Matrix<R>, Held), BuildError>
where
    R: Store<Coord = u32, Value: Copy + Default>,
    O: BuildOuter<R> + UpdateOuter<R> + 'static,
{
    let begin = Instant::now();
    let (matrix, report) = Matrix::from_edges::<O>(edges, options)?;
    let held = Held { build: begin.elapsed(), report, bytes: matrix.footprint().bytes };
    Ok((matrix, held))
}

/// Builds rows of type `R` below `dense` or `paged`.
pub(super) fn build_flat<R: Store<Coord = u32, Value: Copy + Default>>(
    store: Levels,
    edges: &EdgeList<R::Value>,
    options: &BuildOptions<R::Value>,
) -> Result<(Matrix<R>, Held), StoredGraphError> {
    match store.outer {
        "dense" => Ok(build_with::<R, Dense<R>>(edges, options)?),
        "paged" => Ok(build_with::<R, Paged<R>>(edges, options)?),
        outer => Err(StoredGraphError::Weights { outer, row: store.row }),
    }
}

/// The arcs whose rows an algorithm reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// Those out of each vertex.
    Out,
    /// Those out of each vertex and those into it. They are the same where the graph is undirected, and are then held once.
    Both,
    /// Those of the undirected graph that is left when arcs lose their direction.
    Undirected,
}

/// A graph in a named store, for algorithms that take any.
///
/// Compiling every algorithm for every row store would take hours. So [`over`](Self::over) compiles one for static rows, for the
/// default row store, and for [`DynRows`], which stands for all others.
pub struct StoredGraph<V: Value> {
    rows: StoredRows<V>,
    directed: bool,
    /// Time and bytes of all rows; the report is that of the out-arcs.
    pub held: Held,
}

/// Rows of out-arcs, and of in-arcs where these are others and asked for.
enum StoredRows<V: Value> {
    Csr(Csr<V>, Option<Csr<V>>),
    Packed(Matrix<Packed<V>>, Option<Matrix<Packed<V>>>),
    Other(Box<dyn AnyMatrix<V>>, Option<Box<dyn AnyMatrix<V>>>),
}

/// What is done with a graph whose store is known only at run time.
pub trait AdjacencyVisitor<V> {
    /// What comes of it.
    type Output;

    /// Does it.
    fn visit<A: Rows<Value = V>>(self, graph: Adjacency<'_, A>) -> Self::Output;
}

impl<V: Bundled> StoredGraph<V> {
    /// Builds rows for the ends that are asked for; `directed` says whether arcs have a direction.
    ///
    /// # Errors
    ///
    /// [`StoredGraphError`] if the arcs cannot be sorted into rows as asked, or the store is not bundled for what they carry.
    ///
    /// # Panics
    ///
    /// If arcs are directed and there are not as many rows as columns.
    pub fn build(
        store: &StoreName,
        edges: EdgeList<V>,
        options: &BuildOptions<V>,
        directed: bool,
        ends: Ends,
    ) -> Result<Self, StoredGraphError> {
        let undirected = options.undirected || ends == Ends::Undirected && directed;
        assert!(undirected || edges.num_rows == edges.num_cols, "the matrix of a graph is square");
        let options = BuildOptions { undirected, ..*options };
        let directed = directed && !undirected;
        let both = directed && ends == Ends::Both;
        let (rows, held) = match *store {
            StoreName::Csr => {
                let (out, incoming, held) = both_ends(edges, both, |edges| Ok(build_csr(edges, &options)?))?;
                (StoredRows::Csr(out, incoming), held)
            }
            StoreName::Pair(outer, row @ "packed") => {
                let levels = Levels { outer, row };
                let (out, incoming, held) = both_ends(edges, both, |edges| V::build_packed(levels, edges, &options))?;
                (StoredRows::Packed(out, incoming), held)
            }
            StoreName::Pair(outer, row) => {
                let levels = Levels { outer, row };
                let (out, incoming, held) = both_ends(edges, both, |edges| V::build_any(levels, edges, &options))?;
                (StoredRows::Other(out, incoming), held)
            }
        };
        Ok(StoredGraph { rows, directed, held })
    }

    /// Visits the graph.
    pub fn over<T: AdjacencyVisitor<V>>(&self, visitor: T) -> T::Output {
        match &self.rows {
            StoredRows::Csr(out, incoming) => {
                let (out, incoming) = (out.view(), incoming.as_ref().map(Csr::view));
                visitor.visit(self.adjacency(&out, incoming.as_ref()))
            }
            StoredRows::Packed(out, incoming) => visitor.visit(self.adjacency(out, incoming.as_ref())),
            StoredRows::Other(..) => self.over_any(|graph| visitor.visit(graph)),
        }
    }

    /// Calls `f` with a view of the graph that has one type for all stores: for what is not worth compiling for some of them.
    pub fn over_any<T>(&self, f: impl FnOnce(Adjacency<'_, DynRows<'_, V>>) -> T) -> T {
        let csr: (CsrView<'_, V>, Option<CsrView<'_, V>>);
        let (out, incoming) = match &self.rows {
            StoredRows::Csr(out, incoming) => {
                csr = (out.view(), incoming.as_ref().map(Csr::view));
                (DynRows::of(&csr.0), csr.1.as_ref().map(DynRows::of))
            }
            StoredRows::Packed(out, incoming) => (DynRows::of(out), incoming.as_ref().map(DynRows::of)),
            StoredRows::Other(out, incoming) => (out.rows(), incoming.as_ref().map(|rows| rows.rows())),
        };
        f(self.adjacency(&out, incoming.as_ref()))
    }

    fn adjacency<'a, A: Rows>(&self, out: &'a A, incoming: Option<&'a A>) -> Adjacency<'a, A> {
        match incoming {
            Some(incoming) => Adjacency::directed(out, incoming),
            None if self.directed => Adjacency::outward(out),
            None => Adjacency::undirected(out),
        }
    }
}

/// Builds the rows of out-arcs, and those of in-arcs if both are asked for.
fn both_ends<V, M>(
    mut edges: EdgeList<V>,
    both: bool,
    build: impl Fn(&EdgeList<V>) -> Result<(M, Held), StoredGraphError>,
) -> Result<(M, Option<M>, Held), StoredGraphError> {
    let (out, mut held) = build(&edges)?;
    if !both {
        return Ok((out, None, held));
    }
    std::mem::swap(&mut edges.src, &mut edges.dst);
    let (incoming, more) = build(&edges)?;
    held.build += more.build;
    held.bytes += more.bytes;
    Ok((out, Some(incoming), held))
}

pub(super) fn build_csr<V: Value + Copy + Default>(
    edges: &EdgeList<V>,
    options: &BuildOptions<V>,
) -> Result<(Csr<V>, Held), BuildError> {
    let begin = Instant::now();
    let (csr, report) = Csr::from_edges(edges, options)?;
    let held = Held { build: begin.elapsed(), report, bytes: csr.footprint() };
    Ok((csr, held))
}
