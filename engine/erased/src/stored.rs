//! Graphs in a named store, for algorithms that are not compiled for each.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use pleach::matrix::{BlockError, RowSource};
use pleach::traverse::{Adjacency, DynRows};
use pleach::{BuildError, BuildOptions, BuildReport, Csr, EdgeList, Rows};

use crate::turned::{OutArcs, Turned};
use crate::view::VisitGraph;
use crate::{AnyMatrix, Bundled, GraphView, StoreName};

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
    /// Rows of in-arcs, in place of those of out-arcs.
    In,
    /// Rows of out-arcs and rows of in-arcs. In an undirected graph they are the same, and are stored once.
    Both,
    /// Rows of the undirected graph: each arc is stored in both directions.
    Undirected,
}

/// A graph in a named store, for algorithms that take any.
///
/// Compiling every algorithm for every row store would take hours. So [`view`](Self::view) shows the graph as a [`GraphView`], which has three
/// kinds of rows.
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

impl<V: Bundled> StoredRows<V> {
    fn nnz(&self) -> usize {
        match self {
            StoredRows::Csr(out, _) => out.nnz(),
            StoredRows::Any(out, _) => out.nnz(),
        }
    }

    /// Builds rows in a named store. Also gives the number of nonzeros on the diagonal.
    fn from_blocks(
        store: &StoreName,
        (num_rows, num_cols): (usize, usize),
        source: &dyn RowSource<V>,
    ) -> Result<(Self, usize), BlockError> {
        Ok(match store {
            StoreName::Csr => {
                let (rows, diagonal) = Csr::from_blocks(num_rows, num_cols, source)?;
                (StoredRows::Csr(rows, None), diagonal)
            }
            StoreName::Pair(..) => {
                let (rows, diagonal) = AnyMatrix::from_blocks(store, num_rows, num_cols, source)?;
                (StoredRows::Any(rows, None), diagonal)
            }
        })
    }

    /// Adds the rows of in-arcs, those of out-arcs turned around.
    fn turn(&mut self, store: &StoreName) -> Result<(), BlockError> {
        match self {
            StoredRows::Csr(out, incoming) => *incoming = Some(out.transpose()),
            StoredRows::Any(out, incoming) => {
                let turned = Turned::new(OutArcs::Stored(out))?;
                *incoming = Some(AnyMatrix::from_blocks(store, out.num_cols(), out.num_rows(), &turned)?.0);
            }
        }
        Ok(())
    }
}

impl<V: Bundled> StoredGraph<V> {
    /// Builds the rows that `ends` names; `directed` says whether arcs have a direction.
    ///
    /// # Errors
    ///
    /// [`BuildError`] if the arcs cannot be sorted into rows as the options say, or if the graph is directed and the numbers of rows and
    /// columns differ. It names arcs as they are in the list; with [`Ends::In`] the duplicate that it names is the first by its target.
    pub fn build(
        store: &StoreName,
        edges: EdgeList<V>,
        options: &BuildOptions<V>,
        directed: bool,
        ends: Ends,
    ) -> Result<Self, BuildError> {
        (V::on_graphs().build)(store, edges, options, directed, ends)
    }

    /// As [`build`](Self::build).
    pub(crate) fn build_here(
        store: &StoreName,
        mut edges: EdgeList<V>,
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
        let begin = Instant::now();
        // Those of an undirected graph are its arcs, which may be in order already.
        let turned = directed && ends == Ends::In;
        if turned {
            std::mem::swap(&mut edges.src, &mut edges.dst);
        }
        let built = match store {
            StoreName::Csr => both_ends(edges, both, |edges| Csr::from_arcs(edges, &options))
                .map(|(out, incoming, report)| (StoredRows::Csr(out, incoming), report)),
            StoreName::Pair(..) => both_ends(edges, both, |edges| AnyMatrix::pair(store, edges, &options))
                .map(|(out, incoming, report)| (StoredRows::Any(out, incoming), report)),
        };
        let (rows, report) = built.map_err(|error| if turned { turn_back(error) } else { error })?;
        Ok(Self::held(rows, directed, begin.elapsed(), report))
    }

    /// Builds the rows of a graph from rows that are sorted already: they go into the store as they are read, without a sort and without
    /// a list of all arcs in memory. The rows of in-arcs, where `ends` asks for them and the graph is directed, are
    /// those of out-arcs turned around a part at a time; the rows of in-arcs alone are made in several passes over the source.
    ///
    /// # Errors
    ///
    /// [`BlockError`] if the rows cannot be read, do not ascend, or are not those of a square matrix; if there are more of them than 32 bits
    /// can number, or than memory can hold; and if `ends` asks for the undirected graph of a directed one, which has other rows.
    pub fn from_rows(
        store: &StoreName,
        shape: (usize, usize),
        source: &dyn RowSource<V>,
        directed: bool,
        ends: Ends,
    ) -> Result<Self, BlockError> {
        (V::on_graphs().from_rows)(store, shape, source, directed, ends)
    }

    /// As [`from_rows`](Self::from_rows).
    pub(crate) fn from_rows_here(
        store: &StoreName,
        (num_rows, num_cols): (usize, usize),
        source: &dyn RowSource<V>,
        directed: bool,
        ends: Ends,
    ) -> Result<Self, BlockError> {
        if num_rows != num_cols || directed && ends == Ends::Undirected {
            let reason = format!("{num_rows} rows and {num_cols} columns are not those of such a graph");
            return Err(BlockError::Wrong { block: 0, reason });
        }
        let begin = Instant::now();
        let (mut rows, diagonal) = if directed && ends == Ends::In {
            let turned = Turned::new(OutArcs::Read(source, num_cols))?;
            StoredRows::from_blocks(store, (num_cols, num_rows), &turned)?
        } else {
            StoredRows::from_blocks(store, (num_rows, num_cols), source)?
        };
        if directed && ends == Ends::Both {
            rows.turn(store)?;
        }
        let arcs = rows.nnz();
        let report = BuildReport { num_rows, num_cols, arcs, self_loops: diagonal, duplicates: 0 };
        Ok(Self::held(rows, directed, begin.elapsed(), report))
    }

    fn held(rows: StoredRows<V>, directed: bool, build: Duration, report: BuildReport) -> Self {
        let bytes = match &rows {
            StoredRows::Csr(out, incoming) => out.footprint() + incoming.as_ref().map_or(0, Csr::footprint),
            StoredRows::Any(out, incoming) => {
                out.footprint().bytes + incoming.as_ref().map_or(0, |rows| rows.footprint().bytes)
            }
        };
        StoredGraph { rows, directed, held: Held { build, report, bytes } }
    }

    /// Calls `f` with the graph as algorithms take it. One of [`Ends::In`] has the rows of in-arcs where others have those of out-arcs.
    pub fn view<T>(&self, f: impl FnOnce(GraphView<'_, V>) -> T) -> T {
        let (mut f, mut done) = (Some(f), None);
        (V::on_graphs().view)(self, &mut |graph| done = f.take().map(|f| f(graph)));
        done.expect("there is one view")
    }

    /// Calls `f` with the graph behind one type for all stores: for code that is not worth compiling for several.
    pub fn over<T>(&self, f: impl FnOnce(Adjacency<'_, DynRows<'_, V>>) -> T) -> T {
        self.view(|graph| graph.over(f))
    }

    /// As [`view`](Self::view).
    pub(crate) fn view_here(&self, f: VisitGraph<'_, V>) {
        match &self.rows {
            StoredRows::Csr(out, incoming) => {
                let (out, incoming) = (out.view(), incoming.as_ref().map(Csr::view));
                f(self.adjacency(&out, incoming.as_ref()).into());
            }
            StoredRows::Any(out, incoming) => match out.as_packed() {
                Some(out) => f(self.adjacency(out, incoming.as_ref().and_then(AnyMatrix::as_packed)).into()),
                None => {
                    let (out, incoming) = (out.rows(), incoming.as_ref().map(|rows| rows.rows()));
                    f(self.adjacency(&out, incoming.as_ref()).into());
                }
            },
        }
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

/// Turns an error about a list with swapped sources and targets into one about the original list.
fn turn_back(error: BuildError) -> BuildError {
    match error {
        BuildError::UnequalArrays { src, dst, weight } => BuildError::UnequalArrays { src: dst, dst: src, weight },
        BuildError::OutOfRange { arc, src, dst, num_rows, num_cols } => {
            BuildError::OutOfRange { arc, src: dst, dst: src, num_rows: num_cols, num_cols: num_rows }
        }
        BuildError::Duplicate { src, dst } => BuildError::Duplicate { src: dst, dst: src },
        error => error,
    }
}

/// Builds the rows of out-arcs, and those of in-arcs if `both` is set. The list is freed while the last ones are built.
fn both_ends<V: Clone, M>(
    mut edges: EdgeList<V>,
    both: bool,
    build: impl Fn(Cow<'_, EdgeList<V>>) -> Result<(M, BuildReport), BuildError>,
) -> Result<(M, Option<M>, BuildReport), BuildError> {
    if !both {
        let (out, report) = build(Cow::Owned(edges))?;
        return Ok((out, None, report));
    }
    let (out, report) = build(Cow::Borrowed(&edges))?;
    std::mem::swap(&mut edges.src, &mut edges.dst);
    let (incoming, _) = build(Cow::Owned(edges))?;
    Ok((out, Some(incoming), report))
}
