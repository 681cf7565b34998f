//! Every bundled store, compiled for the value types `()` and `f64`, and looked up by its name.

use std::borrow::Cow;

use pleach::graph::{Graph, GraphOptions, Saved};
use pleach::matrix::{BlockError, RowSource};
use pleach::runtime::{BuildOuter, Dense, Nested, Paged, Store, UpdateOuter};
use pleach::sort::Weight;
use pleach::stores::{
    Blist, BlistGaps, BlistPrefix, BlistUnsorted, Bst, Btree, Ctree, CtreeDelta, List, Rbtree, Ttree, Vblist,
};
use pleach::{BuildError, BuildOptions, BuildReport, EdgeList, Matrix};

use crate::graph::ErasedGraph;
use crate::matrix::ErasedMatrix;
use crate::view::{self, VisitGraph, VisitRows};
use crate::{Ends, GraphView, StoreName, StoredGraph};

/// A matrix or a graph, and the report of its build.
type Built<T> = Result<(Box<T>, BuildReport), BuildError>;

/// Builds the matrix of a list of edges in a store.
pub(crate) type BuildMatrix<V> = fn(Cow<'_, EdgeList<V>>, &BuildOptions<V>) -> Built<dyn ErasedMatrix<V>>;

/// A matrix of which only the values have a type.
type Boxed<V> = Box<dyn ErasedMatrix<V>>;

/// A matrix of sorted rows, and the number of nonzeros on its diagonal.
type FromBlocks<V> = Result<(Boxed<V>, usize), BlockError>;

/// Builds the matrix of rows that are sorted already, of so many rows and columns.
pub(crate) type BuildBlocks<V> = fn(usize, usize, &dyn RowSource<V>) -> FromBlocks<V>;

/// Builds the graph of a list of edges in a store.
pub(crate) type BuildGraph<V> = fn(EdgeList<V>, GraphOptions<V>) -> Built<dyn ErasedGraph<V>>;

/// Builds the graph of a version that was written down.
pub(crate) type RestoreGraph<V> = fn(&Saved<'_, V>, GraphOptions<V>) -> Result<Box<dyn ErasedGraph<V>>, BlockError>;

/// How the matrices and graphs of one store are built.
#[derive(Clone, Copy)]
pub(crate) struct Builders<V: Weight> {
    pub matrix: BuildMatrix<V>,
    pub blocks: BuildBlocks<V>,
    pub graph: BuildGraph<V>,
    pub restore: RestoreGraph<V>,
}

/// What is done with graphs in all stores.
pub(crate) struct OnGraphs<V: Bundled> {
    pub build: BuildStored<V>,
    pub from_rows: StoredRows<V>,
    pub view: fn(&StoredGraph<V>, VisitGraph<'_, V>),
    pub over: fn(GraphView<'_, V>, VisitRows<'_, V>),
    pub out_degrees: fn(GraphView<'_, V>) -> Vec<u32>,
    pub in_degrees: fn(GraphView<'_, V>) -> Vec<u32>,
}

/// Builds the rows of a graph from a list of its edges.
type BuildStored<V> = fn(&StoreName, EdgeList<V>, &BuildOptions<V>, bool, Ends) -> Result<StoredGraph<V>, BuildError>;

/// Builds the rows of a graph of rows that are sorted already.
type StoredRows<V> =
    fn(&StoreName, (usize, usize), &dyn RowSource<V>, bool, Ends) -> Result<StoredGraph<V>, BlockError>;

mod sealed {
    /// The table of all stores. Its code is compiled in this crate, because each implementation names its value type.
    pub trait Compiled: pleach::sort::Weight {
        #[allow(private_interfaces, reason = "nobody outside can name this trait")]
        fn builders(outer: &str, row: &str) -> super::Builders<Self>;

        #[allow(private_interfaces, reason = "as above")]
        fn on_graphs() -> &'static super::OnGraphs<Self>
        where
            Self: super::Bundled;
    }
}

pub(crate) use sealed::Compiled;

/// The value types that every bundled store is compiled for: `()` for graphs without weights, and `f64`.
pub trait Bundled: Compiled {}

macro_rules! bundled {
    ($($value:ty),*) => {$(
        impl Bundled for $value {}

        #[allow(private_interfaces, reason = "as in the trait")]
        impl Compiled for $value {
            fn builders(outer: &str, row: &str) -> Builders<$value> {
                builders(outer, row)
            }

            // If it were inlined, each caller would compile everything that it names.
            #[inline(never)]
            fn on_graphs() -> &'static OnGraphs<$value> {
                &OnGraphs {
                    build: StoredGraph::build_here,
                    from_rows: StoredGraph::from_rows_here,
                    view: StoredGraph::view_here,
                    over: view::over,
                    out_degrees: view::out_degrees,
                    in_degrees: view::in_degrees,
                }
            }
        }
    )*};
}

bundled!((), f64);

/// Lists the outer levels and row stores once, and derives from the list everything that is looked up by name.
macro_rules! registry {
    (
        outer levels { $($outer_name:literal => $outer:ty,)* }
        row stores { $($row_name:literal => $row:ident,)* }
        pairs compiled as one { $($one:pat => $one_outer:ident < $one_row:ident >,)* }
    ) => {
        /// Names of the outer levels.
        pub const OUTER_LEVELS: &[&str] = &[$($outer_name),*];

        /// Names of the row stores.
        pub const ROW_STORES: &[&str] = &[$($row_name),*];

        /// The builders of the named pair of levels.
        fn builders<V: Weight>(outer: &str, row: &str) -> Builders<V> {
            match (outer, row) {
                $($one => pair!(Nested<$one_outer<_>>, $one_row<V>),)*
                $((_, $row_name) => below::<$row<V>>(outer),)*
                _ => unreachable!("a parsed store name has no row store `{row}`"),
            }
        }

        /// The builders of rows of type `R` below the named outer level.
        fn below<R: Store<Coord = u32, Value: Weight>>(outer: &str) -> Builders<R::Value> {
            match outer {
                $($outer_name => pair!($outer, R),)*
                _ => unreachable!("a parsed store name has no outer level `{outer}`"),
            }
        }
    };
}

/// The builders of a pair of types.
macro_rules! pair {
    ($outer:ty, $row:ty) => {
        Builders {
            matrix: build_matrix::<$row, $outer>,
            blocks: build_blocks::<$row, $outer>,
            graph: build_graph::<$row, $outer>,
            restore: restore_graph::<$row, $outer>,
        }
    };
}

// These are functions, since a closure that becomes a function pointer is compiled twice.

fn build_matrix<R: Store<Coord = u32, Value: Weight>, O: BuildOuter<R> + UpdateOuter<R> + 'static>(
    edges: Cow<'_, EdgeList<R::Value>>,
    options: &BuildOptions<R::Value>,
) -> Built<dyn ErasedMatrix<R::Value>> {
    boxed_matrix(Matrix::<R>::from_arcs::<O>(edges, options))
}

fn build_blocks<R: Store<Coord = u32, Value: Weight>, O: BuildOuter<R> + UpdateOuter<R> + 'static>(
    rows: usize,
    cols: usize,
    source: &dyn RowSource<R::Value>,
) -> FromBlocks<R::Value> {
    boxed_matrix(Matrix::<R>::from_blocks::<O>(rows, cols, source))
}

fn build_graph<R: Store<Coord = u32, Value: Weight>, O: BuildOuter<R> + UpdateOuter<R> + 'static>(
    edges: EdgeList<R::Value>,
    options: GraphOptions<R::Value>,
) -> Built<dyn ErasedGraph<R::Value>> {
    boxed_graph(Graph::<R>::from_edges::<O>(edges, options))
}

fn restore_graph<R: Store<Coord = u32, Value: Weight>, O: BuildOuter<R> + UpdateOuter<R> + 'static>(
    saved: &Saved<'_, R::Value>,
    options: GraphOptions<R::Value>,
) -> Result<Box<dyn ErasedGraph<R::Value>>, BlockError> {
    boxed_restored(Graph::<R>::restore::<O>(saved, options))
}

fn boxed_matrix<R: Store<Coord = u32, Value: Weight>, T, E>(
    built: Result<(Matrix<R>, T), E>,
) -> Result<(Boxed<R::Value>, T), E> {
    built.map(|(matrix, report)| (Box::new(matrix) as Box<_>, report))
}

fn boxed_graph<R: Store<Coord = u32, Value: Weight>>(
    built: Result<(Graph<R>, BuildReport), BuildError>,
) -> Built<dyn ErasedGraph<R::Value>> {
    built.map(|(graph, report)| (Box::new(graph) as Box<_>, report))
}

fn boxed_restored<R: Store<Coord = u32, Value: Weight>>(
    restored: Result<Graph<R>, BlockError>,
) -> Result<Box<dyn ErasedGraph<R::Value>>, BlockError> {
    restored.map(|graph| Box::new(graph) as Box<_>)
}

/// Rows packed per page, with 32-bit coordinates: those of the default store.
pub type Packed<V> = pleach::runtime::Packed<u32, V>;

/// … and difference-coded ones.
type PackedDelta<V> = pleach::runtime::PackedDelta<u32, V>;

/// Stores of row handles as outer levels. Each is compiled once for all row stores: as a hundred and seventy pairs they would take
/// minutes.
mod over {
    use pleach::runtime::{AnyRow, NestedAny};
    use pleach::stores;

    pub type List = NestedAny<stores::List<AnyRow>>;
    pub type Blist = NestedAny<stores::Blist<AnyRow>>;
    pub type BlistPrefix = NestedAny<stores::BlistPrefix<AnyRow>>;
    pub type BlistGaps = NestedAny<stores::BlistGaps<AnyRow>>;
    pub type BlistUnsorted = NestedAny<stores::BlistUnsorted<AnyRow>>;
    pub type Vblist = NestedAny<stores::Vblist<AnyRow>>;
    pub type Bst = NestedAny<stores::Bst<AnyRow>>;
    pub type Rbtree = NestedAny<stores::Rbtree<AnyRow>>;
    pub type Ttree = NestedAny<stores::Ttree<AnyRow>>;
    pub type Ctree = NestedAny<stores::Ctree<AnyRow>>;
    pub type CtreeDelta = NestedAny<stores::CtreeDelta<AnyRow>>;
    pub type Btree = NestedAny<stores::Btree<AnyRow>>;
}

registry! {
    outer levels {
        "dense" => Dense<_>,
        "paged" => Paged<_>,
        "list" => over::List,
        "blist" => over::Blist,
        "blist_prefix" => over::BlistPrefix,
        "blist_gaps" => over::BlistGaps,
        "blist_unsorted" => over::BlistUnsorted,
        "vblist" => over::Vblist,
        "bst" => over::Bst,
        "rbtree" => over::Rbtree,
        "ttree" => over::Ttree,
        "ctree" => over::Ctree,
        "ctree_delta" => over::CtreeDelta,
        "btree" => over::Btree,
    }
    row stores {
        "packed" => Packed,
        "packed_delta" => PackedDelta,
        "list" => List,
        "blist" => Blist,
        "blist_prefix" => BlistPrefix,
        "blist_gaps" => BlistGaps,
        "blist_unsorted" => BlistUnsorted,
        "vblist" => Vblist,
        "bst" => Bst,
        "rbtree" => Rbtree,
        "ttree" => Ttree,
        "ctree" => Ctree,
        "ctree_delta" => CtreeDelta,
        "btree" => Btree,
    }
    // What named formats of trees and lists stand for (those below `dense` and `paged` are compiled as one in any case).
    pairs compiled as one {
        ("bst", "ctree") => Bst<Ctree>,
        ("bst", "bst") => Bst<Bst>,
        ("list", "list") => List<List>,
    }
}
