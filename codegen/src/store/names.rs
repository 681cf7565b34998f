//! Rust names for what a schema calls its parts.

use proc_macro2::Ident;
use quote::format_ident;

use crate::schema::model::type_name;

/// Types of the prelude and of generated code, which no node type may hide.
const TYPES: &[&str] = &[
    "Self",
    "Some",
    "None",
    "Ok",
    "Err",
    "Option",
    "Result",
    "Vec",
    "Box",
    "String",
    "Iterator",
    "IntoIterator",
    "Clone",
    "Copy",
    "Default",
    "Drop",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "Into",
    "Send",
    "Sync",
    "Sized",
    "ToOwned",
    "ToString",
    "AsRef",
    "AsMut",
    "Extend",
    "Ord",
    "PartialOrd",
    "Eq",
    "PartialEq",
    "DoubleEndedIterator",
    "ExactSizeIterator",
    "TryFrom",
    "TryInto",
    "FromIterator",
    "Fiber",
    "Runs",
];

/// Types that generated code declares beside the type of the store.
const BESIDE_STORES: &[&str] = &["Step", "FoldStep", "StorageStep", "LenStep", "Place", "Copying"];

/// Associated functions of a generated node type, which no accessor may hide.
const FUNCTIONS: &[&str] =
    &["new", "reserve", "fields", "like", "offsets", "kind", "adopt", "finish", "upcast", "describe", "set_parent"];

/// The Rust type of a store.
pub fn store_ident(name: &str) -> Ident {
    let ident = type_ident(name);
    if BESIDE_STORES.contains(&ident.to_string().as_str()) { format_ident!("{ident}Node") } else { ident }
}

/// The Rust type of a node or supertype.
pub fn type_ident(name: &str) -> Ident {
    let mut name = type_name(name);
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert_str(0, "Node");
    }
    // One letter is what generic parameters are called.
    if name.len() == 1 || TYPES.contains(&name.as_str()) {
        name.push_str("Node");
    }
    format_ident!("{name}")
}

/// The Rust name of a field.
pub fn field_ident(name: &str) -> Ident {
    let name = &*name.to_ascii_lowercase();
    if FUNCTIONS.contains(&name) || name == "_" || syn::parse_str::<Ident>(name).is_err() {
        return format_ident!("{name}_");
    }
    format_ident!("{name}")
}

/// The Rust name of a constant.
pub fn const_ident(name: &str) -> Ident {
    format_ident!("{}", name.to_ascii_uppercase())
}
