//! Attributes that are being read, value by value.

use std::collections::HashMap;

use super::{Attribute, Value, called};

/// Attributes that are kept of vertices, and of edges: writers look at all of them for each row.
const MOST: usize = 1 << 10;

/// Attributes by their names.
#[derive(Default)]
pub(crate) struct Fields {
    columns: Vec<Attribute>,
    known: HashMap<String, usize>,
    /// Some of those that are too many, by their names.
    beyond: Vec<String>,
}

impl Fields {
    /// A name that no attribute has: this one, or with `_` behind it.
    pub(crate) fn unused(&self, name: &str) -> String {
        let mut unused = name.to_owned();
        while self.known.contains_key(&unused) {
            unused.push('_');
        }
        unused
    }

    /// Gives a row the value of an attribute. Rows come in order; of an attribute that has values of later rows already, another of this
    /// name, with `_` behind it, gets the value.
    pub(crate) fn set(&mut self, row: usize, name: &str, value: Value<'_>) {
        let at = match self.known.get(name) {
            Some(&at) if self.columns[at].last_row().is_some_and(|last| last > row) => {
                return self.set(row, &format!("{name}_"), value);
            }
            Some(&at) => at,
            None if self.columns.len() == MOST => {
                if self.beyond.len() < 20 && !self.beyond.iter().any(|known| known == name) {
                    self.beyond.push(name.to_owned());
                }
                return;
            }
            None => {
                let at = self.columns.len();
                self.columns.push(Attribute::new(name));
                self.known.insert(name.to_owned(), at);
                at
            }
        };
        self.columns[at].set(row, value);
    }

    /// Adds a column as a whole.
    pub(crate) fn add(&mut self, column: &Attribute) {
        column.iter().for_each(|(row, value)| self.set(row, column.name(), value));
    }

    /// Leaves out an attribute.
    pub(crate) fn remove(&mut self, name: &str) {
        let Some(removed) = self.known.remove(name) else { return };
        self.columns.remove(removed);
        self.known.values_mut().filter(|at| **at > removed).for_each(|at| *at -= 1);
    }

    /// The attributes with any value, and what is not kept of them.
    pub(crate) fn finish(self, of: &str) -> (Vec<Attribute>, Vec<String>) {
        (self.columns, self.beyond.iter().map(|name| called(name, of)).collect())
    }
}
