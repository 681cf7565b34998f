//! What a file says of vertices and edges beside ids and weights: columns of one type each, in which rows may be missing.
//!
//! ```text
//!   name      type      rows        values
//!   colour    text      0 1 2 3     red red blue red        texts that are the same are held once
//!   since     integer   0     3     1999      2003          rows 1 and 2 have none
//! ```
//!
//! A column takes memory for the values that it has, not for the rows that could have one, so that a file of many attributes with few
//! values each takes memory in proportion to its size.

mod column;
#[cfg(feature = "tables")]
mod date;
mod fields;
mod narrow;

use std::collections::{HashMap, HashSet};

pub use column::Attribute;
#[cfg(feature = "tables")]
pub(crate) use date::Clock;
pub(crate) use fields::Fields;

/// The attributes of a graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attributes {
    /// Those of vertices; rows are the vertices of the graph.
    pub vertices: Vec<Attribute>,
    /// Those of edges; rows are places in the list of edges.
    pub edges: Vec<Attribute>,
}

/// The value of an attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// True or false.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Float(f64),
    /// A text.
    Text(&'a str),
}

/// The type of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// True or false.
    Boolean,
    /// Whole numbers of 64 bits.
    Integer,
    /// Floating-point numbers of 64 bits.
    Float,
    /// Texts.
    Text,
}

impl Kind {
    /// The name of the type.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Boolean => "boolean",
            Kind::Integer => "integer",
            Kind::Float => "float",
            Kind::Text => "text",
        }
    }
}

impl Value<'_> {
    /// The type of the value.
    pub fn kind(self) -> Kind {
        match self {
            Value::Boolean(_) => Kind::Boolean,
            Value::Integer(_) => Kind::Integer,
            Value::Float(_) => Kind::Float,
            Value::Text(_) => Kind::Text,
        }
    }
}

impl std::fmt::Display for Value<'_> {
    /// Numbers as texts that read back as the same.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Boolean(value) => value.fmt(f),
            Value::Integer(value) => value.fmt(f),
            // With a point, so that a column of whole floats remains one of floats.
            Value::Float(value) => write!(f, "{value:?}"),
            Value::Text(value) => f.write_str(value),
        }
    }
}

impl Attributes {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.vertices.is_empty() && self.edges.is_empty()
    }

    /// All, as messages call them: `` `colour` of vertices``.
    pub fn names(&self) -> impl Iterator<Item = String> {
        let all = [("vertices", &self.vertices), ("edges", &self.edges)];
        all.into_iter().flat_map(|(of, columns)| columns.iter().map(move |column| called(column.name(), of)))
    }

    /// The same with vertices and edges at other places; `None` leaves one out.
    #[must_use]
    pub fn rearranged(
        &self,
        vertex: impl Fn(usize) -> Option<usize>,
        edge: impl Fn(usize) -> Option<usize>,
    ) -> Attributes {
        let all = |columns: &[Attribute], place: &dyn Fn(usize) -> Option<usize>| {
            let moved = columns.iter().map(|column| column.rearranged(place));
            moved.filter(|column| !column.is_empty()).collect()
        };
        Attributes { vertices: all(&self.vertices, &vertex), edges: all(&self.edges, &edge) }
    }
}

/// What messages call an attribute.
pub(crate) fn called(name: &str, of: &str) -> String {
    format!("`{}` of {of}", name.escape_debug())
}

/// Gives columns, each with its place, different names: the first of several of one name keeps it, the others get `_` behind it.
pub(crate) fn unlike(columns: &mut [(usize, String)]) {
    let mut taken = HashSet::new();
    // How many `_` the last column of a name got.
    let mut added: HashMap<String, usize> = HashMap::new();
    for (at, (place, name)) in columns.iter_mut().enumerate() {
        // Columns beyond these are not kept. With a number, names stay short, however many columns have the same one.
        if at >= fields::MOST && taken.contains(&*name) {
            *name = format!("{name}_{place}");
        }
        let own = name.len();
        let before = added.get(name.as_str()).copied().unwrap_or(0);
        name.extend(std::iter::repeat_n('_', before));
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        added.insert(name[..own].to_owned(), name.len() - own);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_one_name_get_others() {
        let columns = ["a", "b", "a", "a_", "a"].map(str::to_owned);
        let mut columns: Vec<(usize, String)> = columns.into_iter().enumerate().collect();
        unlike(&mut columns);
        assert_eq!(columns.iter().map(|column| &*column.1).collect::<Vec<_>>(), ["a", "b", "a_", "a__", "a___"]);
        // All names together do not take memory with the square of their number.
        let mut columns: Vec<(usize, String)> = (0..20_000).map(|place| (place, "a".to_owned())).collect();
        unlike(&mut columns);
        let length: usize = columns.iter().map(|column| column.1.len()).sum();
        assert!(length < fields::MOST * fields::MOST, "{length}");
        assert_eq!(columns.iter().map(|column| &column.1).collect::<HashSet<_>>().len(), columns.len());
    }
}
