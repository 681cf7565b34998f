//! Every bundled store, compiled for the value types `()` and `f64`, and looked up by its name.

use std::borrow::Cow;

use pleach::graph::{Graph, GraphOptions, Saved};
use pleach::matrix::{BlockError, RowSource};
use pleach::runtime::{Dense, Nested, OuterLevel, Paged, Store};
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

/// A matrix of sorted rows, and the number of nonzeros on its diagonal.
type FromBlocks<V> = Result<(Box<dyn ErasedMatrix<V>>, usize), BlockError>;

/// Builds the matrices and graphs of one store.
pub(crate) trait Builder<V: Weight> {
    /// Builds the matrix of a list of edges.
    fn matrix(&self, edges: Cow<'_, EdgeList<V>>, options: &BuildOptions<V>) -> Built<dyn ErasedMatrix<V>>;

    /// Builds the matrix of rows that are sorted already.
    fn blocks(&self, num_rows: usize, num_cols: usize, source: &dyn RowSource<V>) -> FromBlocks<V>;

    /// Builds the graph of a list of edges.
    fn graph(&self, edges: EdgeList<V>, options: GraphOptions<V>) -> Built<dyn ErasedGraph<V>>;

    /// Builds the graph of a version that was saved.
    fn restore(&self, saved: &Saved<'_, V>, options: GraphOptions<V>) -> Result<Box<dyn ErasedGraph<V>>, BlockError>;
}

impl<R: Store<Coord = u32, Value: Weight>> Builder<R::Value> for OuterLevel<R> {
    fn matrix(
        &self,
        edges: Cow<'_, EdgeList<R::Value>>,
        options: &BuildOptions<R::Value>,
    ) -> Built<dyn ErasedMatrix<R::Value>> {
        Matrix::from_arcs_below(*self, edges, options).map(|(matrix, report)| (Box::new(matrix) as _, report))
    }

    fn blocks(&self, num_rows: usize, num_cols: usize, source: &dyn RowSource<R::Value>) -> FromBlocks<R::Value> {
        let built = Matrix::from_blocks_below(*self, num_rows, num_cols, source);
        built.map(|(matrix, diagonal)| (Box::new(matrix) as _, diagonal))
    }

    fn graph(&self, edges: EdgeList<R::Value>, options: GraphOptions<R::Value>) -> Built<dyn ErasedGraph<R::Value>> {
        Graph::from_edges_below(*self, edges, options).map(|(graph, report)| (Box::new(graph) as _, report))
    }

    fn restore(
        &self,
        saved: &Saved<'_, R::Value>,
        options: GraphOptions<R::Value>,
    ) -> Result<Box<dyn ErasedGraph<R::Value>>, BlockError> {
        Graph::restore_below(*self, saved, options).map(|graph| Box::new(graph) as _)
    }
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
        fn builder(outer: &str, row: &str) -> Box<dyn super::Builder<Self>>;

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
            fn builder(outer: &str, row: &str) -> Box<dyn Builder<$value>> {
                builder(outer, row)
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

        /// The builder of the named pair of levels.
        fn builder<V: Weight>(outer: &str, row: &str) -> Box<dyn Builder<V>> {
            match (outer, row) {
                $($one => Box::new(OuterLevel::<$one_row<V>>::of::<Nested<$one_outer<_>>>()),)*
                $((_, $row_name) => Box::new(level::<$row<V>>(outer)),)*
                _ => unreachable!("a parsed store name has no row store `{row}`"),
            }
        }

        /// The named outer level of rows of type `R`.
        fn level<R: Store<Coord = u32, Value: Weight>>(outer: &str) -> OuterLevel<R> {
            match outer {
                $($outer_name => OuterLevel::of::<$outer>(),)*
                _ => unreachable!("a parsed store name has no outer level `{outer}`"),
            }
        }
    };
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
