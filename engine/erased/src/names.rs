//! The names of the stores that can be chosen at run time.

use std::fmt;
use std::str::FromStr;

use pleach::BuildError;
use pleach::matrix::BlockError;

use crate::{OUTER_LEVELS, ROW_STORES};

/// The name of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreName {
    /// Static compressed sparse rows.
    Csr,
    /// An outer level over a row store, both by name.
    Pair(&'static str, &'static str),
}

/// A store name that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
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

/// Why a matrix or a graph cannot be held in a store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HoldError {
    /// Static rows cannot be updated.
    #[error("`csr` is static and cannot be updated: choose OUTER,ROW such as `{DEFAULT_STORE}`")]
    Static,
    /// The edges cannot be sorted into rows.
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// Why a graph cannot be restored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// Static rows cannot be updated.
    #[error(transparent)]
    Hold(#[from] HoldError),
    /// Rows cannot be read, or do not fit such a graph.
    #[error(transparent)]
    Rows(#[from] BlockError),
}
