//! The stores that carry names: any outer level over any row store, built and visited by name.
//!
//! Everything that is run on a store chosen at run time goes through here: kernels and their benches, which are compiled for each
//! row store, through [`with_matrix`]; graph algorithms, which are not, through [`StoredGraph`]. A program that knows its store
//! names the types instead: `Matrix::<Ctree<()>>::from_csr::<Nested<Bst<_>>>`.

mod stored;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use pleach_runtime::{Dense, Nested, Paged, Store, Value};

use pleach_stores::{
    Blist, BlistGaps, BlistPrefix, BlistUnsorted, Bst, Btree, Ctree, CtreeDelta, List, Rbtree, Ttree, Vblist,
};

use crate::graph::{Graph, GraphOptions};
use crate::sort::Weight;
use crate::{BuildError, BuildOptions, BuildReport, Csr, EdgeList, Matrix};
pub use stored::{AdjacencyVisitor, Ends, StoredGraph};
use stored::{build_csr, build_with};

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

/// Named pairs: format, outer level, row store. Those of the bundled formats that keep rows in a store.
pub const FORMATS: &[(&str, &str, &str)] = &[
    ("graph", "paged", "packed"),
    ("stinger", "dense", "blist"),
    ("graphone", "dense", "vblist"),
    ("aspen", "bst", "ctree"),
    ("terrace", "dense", "btree"),
    ("pam", "bst", "bst"),
    ("lil", "list", "list"),
];

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

/// Sorts arcs into the rows of a matrix below one outer level: [`Matrix::from_edges`].
type Builder<R> = fn(
    &EdgeList<<R as Store>::Value>,
    &BuildOptions<<R as Store>::Value>,
) -> Result<(Matrix<R>, BuildReport), BuildError>;

/// What is done with the builder of a pair of levels.
trait BuilderVisitor<V> {
    type Output;

    fn visit<R: Store<Coord = u32, Value = V>>(self, builder: Builder<R>) -> Self::Output;
}

/// Lists the outer levels and row stores once, and derives from the list everything that goes by name.
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

        /// Visits the builder of the named pair of levels.
        fn with_builder<V: Value + Copy + Default, T: BuilderVisitor<V>>(
            outer: &str,
            row: &str,
            visitor: T,
        ) -> T::Output {
            match (outer, row) {
                $($one => visitor.visit::<$one_row<V>>(Matrix::from_edges::<Nested<$one_outer<_>>>),)*
                $((_, $row_name) => visitor.visit::<$row<V>>(builder_below(outer)),)*
                _ => unreachable!("a parsed store name has no row store `{row}`"),
            }
        }

        /// The builder of rows of type `R` below the named outer level.
        fn builder_below<R: Store<Coord = u32, Value: Copy + Default>>(outer: &str) -> Builder<R> {
            match outer {
                $($outer_name => Matrix::from_edges::<$outer>,)*
                _ => unreachable!("a parsed store name has no outer level `{outer}`"),
            }
        }
    };
}

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
    struct Build<'a, V, T>(&'a EdgeList<V>, &'a BuildOptions<V>, T);

    impl<V: Value + Copy + Default, T: Visitor<V>> BuilderVisitor<V> for Build<'_, V, T> {
        type Output = Result<T::Output, BuildError>;

        fn visit<R: Store<Coord = u32, Value = V>>(self, builder: Builder<R>) -> Self::Output {
            let (matrix, held) = build_with(builder, self.0, self.1)?;
            Ok(self.2.visit(matrix, held))
        }
    }

    match *store {
        StoreName::Csr => {
            let (csr, held) = build_csr(edges, options)?;
            Ok(visitor.visit_csr(&csr, held))
        }
        StoreName::Pair(outer, row) => with_builder(outer, row, Build(edges, options, visitor)),
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
    struct Build<V: Weight, T>(EdgeList<V>, GraphOptions<V>, T);

    impl<V: Weight, T: GraphVisitor<V>> BuilderVisitor<V> for Build<V, T> {
        type Output = Result<T::Output, HoldError>;

        fn visit<R: Store<Coord = u32, Value = V>>(self, builder: Builder<R>) -> Self::Output {
            let (graph, report) = Graph::build(self.0, self.1, builder)?;
            Ok(self.2.visit(graph, report))
        }
    }

    match *store {
        StoreName::Csr => Err(HoldError::Static),
        StoreName::Pair(outer, row) => with_builder(outer, row, Build(edges, options, visitor)),
    }
}

/// Rows packed per page, with 32-bit coordinates.
pub type Packed<V> = pleach_runtime::Packed<u32, V>;

/// … and difference-coded ones.
type PackedDelta<V> = pleach_runtime::PackedDelta<u32, V>;

/// Stores of row handles as outer levels. Each is compiled once for all row stores: as a hundred and seventy pairs they would take
/// minutes.
mod over {
    use pleach_runtime::{AnyRow, NestedAny};
    use pleach_stores as stores;

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

#[cfg(test)]
mod tests {
    use pleach_codegen::format::ast::{FormatDecl, LevelDecl, RemapKind};
    use pleach_codegen::notation::ast::Item;
    use pleach_codegen::notation::parse_source;

    use super::*;

    /// The two levels of a format of matrices by rows, if stores hold the rows.
    fn pair(format: &FormatDecl) -> Option<(&str, &str)> {
        let ([i, j], [outer, row]) = (&format.indices[..], &format.levels[..]) else { return None };
        if !format.params.is_empty() || format.fill.is_some() {
            return None;
        }
        let (outer, row) = (plain(outer, &i.text)?, plain(row, &j.text)?);
        let is_store = |name| pleach_catalog::schema(name).is_some() || pleach_catalog::LEVELS.contains(&name);
        ((outer == "dense" || is_store(outer)) && is_store(row) && row != "paged").then_some((outer, row))
    }

    /// The kind of a level that keeps the index itself and has no switches.
    fn plain<'f>(level: &'f LevelDecl, index: &str) -> Option<&'f str> {
        let is_index = matches!(&level.coordinate.kind, RemapKind::Name(name) if name.text == index);
        (is_index && level.kind.args.is_empty() && level.kind.switches.is_empty()).then_some(&level.kind.name.text)
    }

    #[test]
    fn every_bundled_format_of_rows_in_a_store_has_a_name() {
        let (source, mistakes) = parse_source(pleach_catalog::FORMATS);
        assert!(mistakes.is_empty());
        let named = source.items.iter().filter_map(|item| match item {
            Item::Format(format) => pair(format).map(|(outer, row)| (&format.name.text[..], outer, row)),
            _ => None,
        });
        assert_eq!(named.collect::<Vec<_>>(), FORMATS);
    }

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
