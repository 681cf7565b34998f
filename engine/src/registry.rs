//! The stores that carry names: any outer level over any row store, built and visited by name.
//!
//! Everything that is run on a store chosen at run time goes through here: kernels and their benches, which are compiled for each
//! row store, through [`with_matrix`]; graph algorithms, which are not, through [`StoredGraph`]. A program that knows its store names the types instead: `Matrix::<Ctree<()>>::from_csr::<Nested<Bst<_>>>`.

mod stored;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use pleach_runtime::{BuildOuter, Dense, Paged, Store, UpdateOuter, Value};

use pleach_stores::{
    Blist, BlistGaps, BlistPrefix, BlistUnsorted, Bst, Btree, Ctree, CtreeDelta, List, Rbtree, Ttree, Vblist,
};

use crate::graph::{Graph, GraphOptions};
use crate::sort::Weight;
use crate::{BuildError, BuildOptions, BuildReport, Csr, EdgeList, Matrix};
pub use stored::{AdjacencyVisitor, AnyHeld, AnyMatrix, Bundled, Ends, Levels, StoredGraph, StoredGraphError};
use stored::{boxed, build_csr, build_flat, build_with};

/// Which store a matrix is held in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreName {
    /// Static compressed sparse rows.
    Csr,
    /// An outer level over a row store, both by name.
    Pair(&'static str, &'static str),
}

/// A store name that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownStore {
    /// Neither a format nor a pair of levels.
    #[error("no store is called `{0}`: write `csr`, a format ({formats}) or OUTER,ROW such as `bst,ctree`", formats = format_names())]
    Name(String),
    /// No such outer level.
    #[error("no outer level is called `{0}`: there are {levels}", levels = OUTER_LEVELS.join(", "))]
    Outer(String),
    /// No such row store.
    #[error("no row store is called `{0}`: there are {stores}", stores = ROW_STORES.join(", "))]
    Row(String),
}

include!(concat!(env!("OUT_DIR"), "/formats.rs"));

fn format_names() -> String {
    FORMATS.iter().map(|format| format!("`{}`", format.0)).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for StoreName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreName::Csr => f.write_str("csr"),
            StoreName::Pair(outer, row) => write!(f, "{outer},{row}"),
        }
    }
}

impl FromStr for StoreName {
    type Err = UnknownStore;

    fn from_str(name: &str) -> Result<Self, UnknownStore> {
        if name == "csr" {
            return Ok(StoreName::Csr);
        }
        if let Some(&(_, outer, row)) = FORMATS.iter().find(|format| format.0 == name) {
            return Ok(StoreName::Pair(outer, row));
        }
        let (outer, row) = name.split_once(',').ok_or_else(|| UnknownStore::Name(name.into()))?;
        let (outer, row) = (outer.trim(), row.trim());
        let outer =
            OUTER_LEVELS.iter().find(|&&known| known == outer).ok_or_else(|| UnknownStore::Outer(outer.into()))?;
        let row = ROW_STORES.iter().find(|&&known| known == row).ok_or_else(|| UnknownStore::Row(row.into()))?;
        Ok(StoreName::Pair(outer, row))
    }
}

/// The store that commands use unless told otherwise.
pub const DEFAULT_STORE: &str = "paged,packed";

/// What is done with a matrix whose type is known only at run time.
pub trait Visitor<V> {
    /// What comes of it.
    type Output;

    /// Does it with static rows.
    fn visit_csr(self, csr: &Csr<V>, held: Held) -> Self::Output;

    /// Does it with a matrix in a store.
    fn visit<R: Store<Coord = u32, Value = V>>(self, matrix: Matrix<R>, held: Held) -> Self::Output;
}

/// How a matrix came to be held.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// Time spent building the store from the arcs.
    pub build: Duration,
    /// What building found.
    pub report: BuildReport,
    /// Bytes held by the store.
    pub bytes: usize,
}

/// What is done with a graph whose store is known only at run time.
pub trait GraphVisitor<V: Weight> {
    /// What comes of it.
    type Output;

    /// Does it.
    fn visit<R: Store<Coord = u32, Value = V>>(self, graph: Graph<R>, report: BuildReport) -> Self::Output;
}

/// Why a graph cannot be held in a store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HoldError {
    /// Static rows cannot be updated.
    #[error("`csr` is static and cannot be updated: choose OUTER,ROW such as `{DEFAULT_STORE}`")]
    Static,
    /// The edges cannot be sorted into rows.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The pair of levels is not bundled for edges with weights.
    #[error(transparent)]
    Weights(StoredGraphError),
}

/// Builds a graph with rows of type `R` below the outer level `O` and visits it.
fn graph_in<R, O, T>(
    edges: EdgeList<R::Value>,
    options: GraphOptions<R::Value>,
    visitor: T,
) -> Result<T::Output, HoldError>
where
    R: Store<Coord = u32, Value: Weight>,
    O: BuildOuter<R> + UpdateOuter<R> + 'static,
    T: GraphVisitor<R::Value>,
{
    let (graph, report) = Graph::<R>::from_edges::<O>(edges, options)?;
    Ok(visitor.visit(graph, report))
}

/// Lists the outer levels and row stores once, and derives from the list everything that goes by name.
macro_rules! registry {
    (
        outer levels { $($outer_name:literal => $($outer:ident)::+,)* }
        row stores { $($row_name:literal => $row:ident,)* }
    ) => {
        /// Names of the outer levels.
        pub const OUTER_LEVELS: &[&str] = &[$($outer_name),*];

        /// Names of the row stores.
        pub const ROW_STORES: &[&str] = &[$($row_name),*];

        /// Builds the matrix of the arcs in the named store and visits it.
        ///
        /// # Errors
        ///
        /// [`BuildError`] if the arcs cannot be sorted into rows as asked.
        pub fn with_matrix<V: Value + Copy + Default, T: Visitor<V>>(
            store: &StoreName,
            edges: &EdgeList<V>,
            options: &BuildOptions<V>,
            visitor: T,
        ) -> Result<T::Output, BuildError> {
            match *store {
                StoreName::Csr => {
                    let (csr, held) = build_csr(edges, options)?;
                    Ok(visitor.visit_csr(&csr, held))
                }
                $(StoreName::Pair(outer, $row_name) => with_rows::<V, $row<V>, T>(outer, edges, options, visitor),)*
                StoreName::Pair(_, row) => unreachable!("a parsed store name has no row store `{row}`"),
            }
        }

        /// Builds the graph of the edges in the named store and visits it. An empty list gives an empty graph.
        ///
        /// # Errors
        ///
        /// [`HoldError`] if the store is static or the edges cannot be sorted into rows.
        pub fn with_graph<V: Weight, T: GraphVisitor<V>>(
            store: &StoreName,
            edges: EdgeList<V>,
            options: GraphOptions<V>,
            visitor: T,
        ) -> Result<T::Output, HoldError> {
            match *store {
                StoreName::Csr => Err(HoldError::Static),
                $(StoreName::Pair(outer, $row_name) => {
                    let (graph, report) = graph_of_rows::<V, $row<V>>(outer, edges, options)?;
                    Ok(visitor.visit(graph, report))
                })*
                StoreName::Pair(_, row) => unreachable!("a parsed store name has no row store `{row}`"),
            }
        }

        /// Builds a graph with rows of type `R` below the named outer level.
        fn graph_of_rows<V: Weight, R: Store<Coord = u32, Value = V>>(
            outer: &str,
            edges: EdgeList<V>,
            options: GraphOptions<V>,
        ) -> Result<(Graph<R>, BuildReport), BuildError> {
            Graph::build(edges, options, match outer {
                $($outer_name => Matrix::<R>::from_edges::<$($outer)::+<R>>,)*
                _ => unreachable!("a parsed store name has no outer level `{outer}`"),
            })
        }

        /// Builds rows of type `R` below the named outer level and visits the matrix.
        fn with_rows<V: Value + Copy + Default, R: Store<Coord = u32, Value = V>, T: Visitor<V>>(
            outer: &str,
            edges: &EdgeList<V>,
            options: &BuildOptions<V>,
            visitor: T,
        ) -> Result<T::Output, BuildError> {
            let (matrix, held) = build::<V, R>(outer, edges, options)?;
            Ok(visitor.visit(matrix, held))
        }

        /// Builds rows of type `R` below the named outer level.
        fn build<V: Value + Copy + Default, R: Store<Coord = u32, Value = V>>(
            outer: &str,
            edges: &EdgeList<V>,
            options: &BuildOptions<V>,
        ) -> Result<(Matrix<R>, Held), BuildError> {
            match outer {
                $($outer_name => build_with::<R, $($outer)::+<R>>(edges, options),)*
                _ => unreachable!("a parsed store name has no outer level `{outer}`"),
            }
        }

        impl Bundled for () {
            // Inline, so that these hundred and seventy pairs are compiled by who uses them and not with this crate.
            #[inline]
            fn build_packed(
                store: Levels,
                edges: &EdgeList,
                options: &BuildOptions,
            ) -> Result<(Matrix<Packed<()>>, Held), StoredGraphError> {
                Ok(build(store.outer, edges, options)?)
            }

            #[inline]
            fn build_any(
                store: Levels,
                edges: &EdgeList,
                options: &BuildOptions,
            ) -> Result<AnyHeld<()>, StoredGraphError> {
                match store.row {
                    $($row_name => {
                        let (matrix, held) = build::<(), $row<()>>(store.outer, edges, options)?;
                        Ok((Box::new(matrix), held))
                    })*
                    row => unreachable!("a parsed store name has no row store `{row}`"),
                }
            }

            #[inline]
            fn hold<T: GraphVisitor<()>>(
                store: &StoreName,
                edges: EdgeList,
                options: GraphOptions,
                visitor: T,
            ) -> Result<T::Output, HoldError> {
                with_graph(store, edges, options, visitor)
            }
        }

        impl Bundled for f64 {
            #[inline]
            fn build_packed(
                store: Levels,
                edges: &EdgeList<f64>,
                options: &BuildOptions<f64>,
            ) -> Result<(Matrix<Packed<f64>>, Held), StoredGraphError> {
                build_flat(store, edges, options)
            }

            #[inline]
            fn build_any(
                store: Levels,
                edges: &EdgeList<f64>,
                options: &BuildOptions<f64>,
            ) -> Result<AnyHeld<f64>, StoredGraphError> {
                match (store.outer, store.row) {
                    ("bst", "ctree") => boxed(build_with::<Ctree<f64>, over::Bst<_>>(edges, options)?),
                    ("bst", "bst") => boxed(build_with::<Bst<f64>, over::Bst<_>>(edges, options)?),
                    ("list", "list") => boxed(build_with::<List<f64>, over::List<_>>(edges, options)?),
                    $((_, $row_name) => boxed(build_flat::<$row<f64>>(store, edges, options)?),)*
                    (_, row) => unreachable!("a parsed store name has no row store `{row}`"),
                }
            }

            #[inline]
            fn hold<T: GraphVisitor<f64>>(
                store: &StoreName,
                edges: EdgeList<f64>,
                options: GraphOptions<f64>,
                visitor: T,
            ) -> Result<T::Output, HoldError> {
                let StoreName::Pair(outer, row) = *store else { return Err(HoldError::Static) };
                match (outer, row) {
                    ("bst", "ctree") => graph_in::<Ctree<f64>, over::Bst<_>, T>(edges, options, visitor),
                    ("bst", "bst") => graph_in::<Bst<f64>, over::Bst<_>, T>(edges, options, visitor),
                    ("list", "list") => graph_in::<List<f64>, over::List<_>, T>(edges, options, visitor),
                    $(("dense", $row_name) => graph_in::<$row<f64>, Dense<_>, T>(edges, options, visitor),)*
                    $(("paged", $row_name) => graph_in::<$row<f64>, Paged<_>, T>(edges, options, visitor),)*
                    (outer, row) => Err(HoldError::Weights(StoredGraphError::Weights { outer, row })),
                }
            }
        }
    };
}

/// Rows packed per page, with 32-bit coordinates.
pub type Packed<V> = pleach_runtime::Packed<u32, V>;

/// … and difference-coded ones.
type PackedDelta<V> = pleach_runtime::PackedDelta<u32, V>;

/// Stores of row handles as outer levels.
mod over {
    use pleach_runtime::Nested;
    use pleach_stores as stores;

    pub type List<R> = Nested<stores::List<R>>;
    pub type Blist<R> = Nested<stores::Blist<R>>;
    pub type BlistPrefix<R> = Nested<stores::BlistPrefix<R>>;
    pub type BlistGaps<R> = Nested<stores::BlistGaps<R>>;
    pub type BlistUnsorted<R> = Nested<stores::BlistUnsorted<R>>;
    pub type Vblist<R> = Nested<stores::Vblist<R>>;
    pub type Bst<R> = Nested<stores::Bst<R>>;
    pub type Rbtree<R> = Nested<stores::Rbtree<R>>;
    pub type Ttree<R> = Nested<stores::Ttree<R>>;
    pub type Ctree<R> = Nested<stores::Ctree<R>>;
    pub type CtreeDelta<R> = Nested<stores::CtreeDelta<R>>;
    pub type Btree<R> = Nested<stores::Btree<R>>;
}

registry! {
    outer levels {
        "dense" => Dense,
        "paged" => Paged,
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_format_names_levels_that_there_are() {
        for &(name, outer, row) in FORMATS {
            assert_eq!(name.parse(), Ok(StoreName::Pair(outer, row)));
            assert_eq!(format!("{outer},{row}").parse(), Ok(StoreName::Pair(outer, row)));
        }
        assert_eq!("graph".parse(), DEFAULT_STORE.parse::<StoreName>());
        for name in ["stinger", "graphone", "aspen", "pam", "terrace", "lil"] {
            assert!(FORMATS.iter().any(|format| format.0 == name), "{name}");
        }
        // Formats of other shapes are no stores of graphs.
        for name in ["matrix", "csc", "coo", "hash"] {
            assert_eq!(name.parse::<StoreName>(), Err(UnknownStore::Name(name.into())));
        }
    }
}
