//! The text of every bundled schema and format, and the Rust path of what is generated from it.
//!
//! ```text
//!   ctree.schema, bst.schema, …   how the nodes of a store are laid out    ─┐    ┌─► `pleach!`, build scripts
//!   formats.pleach                which levels a tensor's format is made of ─┼────┼─► the `pleach` command
//!   LEVELS                        levels written by hand, without a schema  ─┘    └─► `pleach_stores`, generated
//! ```
//!
//! The crate contains text only. The macro, build scripts and the command line look names up in it; the stores are generated from it.
//!
//! ```
//! let ctree = pleach_catalog::schema("ctree").unwrap();
//! assert!(ctree.text.contains("def prefix"));
//! assert_eq!(ctree.rust, "pleach_stores::ctree");
//!
//! assert!(pleach_catalog::FORMATS.contains("format coo(i, j)"));
//! assert!(pleach_catalog::LEVELS.contains(&"paged"));
//! ```
//!
//! | to | use |
//! |---|---|
//! | find the schema of a store by its name | [`schema()`] |
//! | list all stores | [`SCHEMAS`] |
//! | list all formats | [`FORMATS`] |
//! | list the levels without a schema, and say what each is | [`LEVELS`], [`level_summary`] |

#![forbid(unsafe_code)]

/// The declarations of every bundled format, one line each, in the notation of `format` items. They name the bundled stores
/// as levels.
pub const FORMATS: &str = include_str!("formats.pleach");

/// The bundled levels that no schema describes, because the runtime keeps them by hand: the copy-on-write table of rows, and rows
/// packed per page, plain and difference-coded. Formats name them as they name stores.
pub const LEVELS: &[&str] = &["paged", "packed", "packed_delta"];

/// The levels among [`LEVELS`] whose entries are stores of rows. Kernels take an array of rows in place of such a level.
pub const TABLES: &[&str] = &["paged"];

/// What each of [`LEVELS`] is, in one sentence.
pub fn level_summary(name: &str) -> Option<&'static str> {
    Some(match name {
        "paged" => {
            "Rows in a copy-on-write tree of pages: the outer level of graphs that change while others read them."
        }
        "packed" => "The rows of a page, packed one behind the other: the row store of the default graph.",
        "packed_delta" => "The same, with difference-coded coordinates: half the memory, slower to read.",
        _ => return None,
    })
}

/// A bundled schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schema {
    /// What formats and the command line call it.
    pub name: &'static str,
    /// The schema, one store of the same name. Bare `def`s are the store that is named after the file.
    pub text: &'static str,
    /// Path of the module that is generated from it.
    pub rust: &'static str,
}

macro_rules! schemas {
    ($($name:literal),* $(,)?) => {
        &[$(Schema {
            name: $name,
            text: include_str!(concat!("../", $name, ".schema")),
            rust: concat!("pleach_stores::", $name),
        }),*]
    };
}

/// Every bundled schema: the lists, then the trees.
pub const SCHEMAS: &[Schema] = schemas![
    "list",
    "blist",
    "blist_prefix",
    "blist_gaps",
    "blist_unsorted",
    "vblist",
    "bst",
    "rbtree",
    "ttree",
    "ctree",
    "ctree_delta",
    "btree",
];

/// The bundled schema called `name`.
pub fn schema(name: &str) -> Option<&'static Schema> {
    SCHEMAS.iter().find(|schema| schema.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_beside_the_manifest_is_bundled_once() {
        let mut files: Vec<String> = std::fs::read_dir(env!("CARGO_MANIFEST_DIR"))
            .unwrap()
            .filter_map(|entry| {
                entry.unwrap().file_name().into_string().unwrap().strip_suffix(".schema").map(str::to_owned)
            })
            .collect();
        files.sort();
        let mut names: Vec<&str> = SCHEMAS.iter().map(|schema| schema.name).collect();
        names.sort_unstable();
        assert_eq!(files, names);
        assert_eq!(schema("list").map(|schema| schema.name), Some("list"));
        assert_eq!(schema("lists"), None);
        assert!(LEVELS.iter().all(|name| level_summary(name).is_some()));
    }
}
