//! The stores that carry names: any outer level over any row store, built and visited by name.
//!
//! Everything that is run on a store chosen at run time (the command line, the tests over all pairs, the benches) goes through
//! [`with_matrix`]. A program that knows its store names the types instead: `Matrix::<Ctree<()>>::from_csr::<Nested<Bst<_>>>`.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use pleach_runtime::{Dense, Paged, Store, Value};

use pleach_stores::{
    Blist, BlistGaps, BlistPrefix, BlistUnsorted, Bst, Btree, Ctree, CtreeDelta, List, Rbtree, Ttree, Vblist,
};

use crate::graph::{Graph, GraphOptions};
use crate::sort::Weight;
use crate::{BuildError, BuildOptions, BuildReport, Csr, EdgeList, Matrix};

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
                    let begin = Instant::now();
                    let (csr, report) = Csr::from_edges(edges, options)?;
                    let held = Held { build: begin.elapsed(), report, bytes: csr.footprint() };
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
            let begin = Instant::now();
            let (matrix, report) = match outer {
                $($outer_name => Matrix::<R>::from_edges::<$($outer)::+<R>>(edges, options)?,)*
                _ => unreachable!("a parsed store name has no outer level `{outer}`"),
            };
            let held = Held { build: begin.elapsed(), report, bytes: matrix.footprint().bytes };
            Ok(visitor.visit(matrix, held))
        }
    };
}

/// Rows packed per page, with 32-bit coordinates.
type Packed<V> = pleach_runtime::Packed<u32, V>;

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
