//! Graphs in a named store, for algorithms that are not compiled for each.

use std::time::{Duration, Instant};

use pleach::runtime::Value;
use pleach::traverse::{Adjacency, DynRows};
use pleach::{BuildError, BuildOptions, BuildReport, Csr, CsrView, EdgeList, Rows};

use crate::{AnyMatrix, Bundled, StoreName};

/// How the build of a store went.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// Time spent building the store from the arcs.
    pub build: Duration,
    /// What building found.
    pub report: BuildReport,
    /// Bytes held by the store.
    pub bytes: usize,
}

/// The rows that an algorithm reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// Rows of out-arcs.
    Out,
    /// Rows of out-arcs and rows of in-arcs. In an undirected graph they are the same, and are stored once.
    Both,
    /// Rows of the undirected graph: each arc is stored in both directions.
    Undirected,
}

/// A graph in a named store, for algorithms that take any.
///
/// Compiling every algorithm for every row store would take hours. So [`over`](Self::over) compiles one for static rows, for the
/// default row store, and for [`DynRows`], which stands for all others.
pub struct StoredGraph<V: Bundled> {
    rows: StoredRows<V>,
    directed: bool,
    /// Time and bytes of all rows; the report is that of the out-arcs.
    pub held: Held,
}

/// Rows of out-arcs, and of in-arcs if these differ and are needed.
enum StoredRows<V: Bundled> {
    Csr(Csr<V>, Option<Csr<V>>),
    Any(AnyMatrix<V>, Option<AnyMatrix<V>>),
}

/// A computation on a graph whose store is known only at run time.
pub trait AdjacencyVisitor<V> {
    /// The result of the computation.
    type Output;

    /// Computes on the graph.
    fn visit<A: Rows<Value = V>>(self, graph: Adjacency<'_, A>) -> Self::Output;
}

impl<V: Bundled> StoredGraph<V> {
    /// Builds the rows that `ends` names; `directed` says whether arcs have a direction.
    ///
    /// # Errors
    ///
    /// [`BuildError`] if the arcs cannot be sorted into rows as the options say, or if the graph is directed and the numbers of rows and
    /// columns differ.
    pub fn build(
        store: &StoreName,
        edges: EdgeList<V>,
        options: &BuildOptions<V>,
        directed: bool,
        ends: Ends,
    ) -> Result<Self, BuildError> {
        let undirected = options.undirected || ends == Ends::Undirected && directed;
        if !undirected && edges.num_rows != edges.num_cols {
            return Err(BuildError::NotSquare { rows: edges.num_rows, cols: edges.num_cols });
        }
        let options = options.with_undirected(undirected);
        let directed = directed && !undirected;
        let both = directed && ends == Ends::Both;
        let (rows, held) = match store {
            StoreName::Csr => {
                let (out, incoming, held) = both_ends(edges, both, |edges| build_csr(edges, &options))?;
                (StoredRows::Csr(out, incoming), held)
            }
            StoreName::Pair(..) => {
                let (out, incoming, held) = both_ends(edges, both, |edges| build_any(store, edges, &options))?;
                (StoredRows::Any(out, incoming), held)
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
            StoredRows::Any(out, incoming) => match out.as_packed() {
                Some(out) => visitor.visit(self.adjacency(out, incoming.as_ref().and_then(AnyMatrix::as_packed))),
                None => self.over_any(|graph| visitor.visit(graph)),
            },
        }
    }

    /// Calls `f` with a view of the graph that has one type for all stores: for code that is not worth compiling for several stores.
    pub fn over_any<T>(&self, f: impl FnOnce(Adjacency<'_, DynRows<'_, V>>) -> T) -> T {
        let csr: (CsrView<'_, V>, Option<CsrView<'_, V>>);
        let (out, incoming) = match &self.rows {
            StoredRows::Csr(out, incoming) => {
                csr = (out.view(), incoming.as_ref().map(Csr::view));
                (DynRows::of(&csr.0), csr.1.as_ref().map(DynRows::of))
            }
            StoredRows::Any(out, incoming) => (out.rows(), incoming.as_ref().map(|rows| rows.rows())),
        };
        f(self.adjacency(&out, incoming.as_ref()))
    }

    fn adjacency<'a, A: Rows>(&self, out: &'a A, incoming: Option<&'a A>) -> Adjacency<'a, A> {
        let graph = match incoming {
            Some(incoming) => Adjacency::assume_directed(out, incoming),
            None if self.directed => Adjacency::outward(out),
            None => Adjacency::assume_undirected(out),
        };
        graph.expect("a graph is built square, and its two sides of the same arcs")
    }
}

/// Builds the rows of out-arcs, and those of in-arcs if `both` is set.
fn both_ends<V, M>(
    mut edges: EdgeList<V>,
    both: bool,
    build: impl Fn(&EdgeList<V>) -> Result<(M, Held), BuildError>,
) -> Result<(M, Option<M>, Held), BuildError> {
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

fn build_any<V: Bundled>(
    store: &StoreName,
    edges: &EdgeList<V>,
    options: &BuildOptions<V>,
) -> Result<(AnyMatrix<V>, Held), BuildError> {
    let begin = Instant::now();
    let (matrix, report) = AnyMatrix::pair(store, edges, options)?;
    let held = Held { build: begin.elapsed(), report, bytes: matrix.footprint().bytes };
    Ok((matrix, held))
}

fn build_csr<V: Value + Copy + Default>(
    edges: &EdgeList<V>,
    options: &BuildOptions<V>,
) -> Result<(Csr<V>, Held), BuildError> {
    let begin = Instant::now();
    let (csr, report) = Csr::from_edges(edges, options)?;
    let held = Held { build: begin.elapsed(), report, bytes: csr.footprint() };
    Ok((csr, held))
}
