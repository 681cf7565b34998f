//! Attributes that are being read, value by value.

use std::collections::{BTreeMap, HashMap};

use super::{Attribute, Value, called};

/// Attributes that are kept of vertices, and of edges: writers look at all of them for each row.
pub(super) const MOST: usize = 1 << 10;

/// Attributes by their names.
#[derive(Default)]
pub(crate) struct Fields {
    columns: Vec<Attribute>,
    known: HashMap<String, usize>,
    /// The values of rows that have none of their own, by the names of attributes: columns of one row.
    usual: BTreeMap<String, Attribute>,
    /// Some of those that are too many, by their names.
    beyond: Vec<String>,
}

impl Fields {
    /// A name that no attribute has: this one, or with `_` behind it.
    pub(crate) fn unused(&self, name: &str) -> String {
        let mut unused = name.to_owned();
        while self.known.contains_key(&unused) || self.usual.contains_key(&unused) {
            unused.push('_');
        }
        unused
    }

    /// Gives a row the value of an attribute. Rows come in order; of an attribute that has values of later rows already, another of this
    /// name, with `_` behind it, gets the value.
    pub(crate) fn set(&mut self, row: usize, name: &str, value: Value<'_>) {
        match self.known.get(name) {
            Some(&at) if self.columns[at].last_row().is_some_and(|last| last > row) => {
                self.set(row, &format!("{name}_"), value);
            }
            Some(&at) => self.columns[at].set(row, value),
            None => {
                if let Some(column) = self.column(name) {
                    column.set(row, value);
                }
            }
        }
    }

    /// The column of a name, which is added if it is new; `None` if there are too many.
    fn column(&mut self, name: &str) -> Option<&mut Attribute> {
        let at = match self.known.get(name) {
            Some(&at) => at,
            None if self.columns.len() == MOST => {
                if self.beyond.len() < 20 && !self.beyond.iter().any(|known| known == name) {
                    self.beyond.push(name.to_owned());
                }
                return None;
            }
            None => {
                let at = self.columns.len();
                self.columns.push(Attribute::new(name));
                self.known.insert(name.to_owned(), at);
                at
            }
        };
        Some(&mut self.columns[at])
    }

    /// Sets the value of an attribute in rows that do not give one.
    pub(crate) fn set_usual(&mut self, name: &str, value: Value<'_>) {
        let mut usual = Attribute::new(name);
        usual.set(0, value);
        self.usual.insert(name.to_owned(), usual);
    }

    /// Adds a column as a whole.
    pub(crate) fn add(&mut self, column: &Attribute) {
        column.iter().for_each(|(row, value)| self.set(row, column.name(), value));
    }

    /// Leaves out an attribute.
    pub(crate) fn remove(&mut self, name: &str) {
        self.usual.remove(name);
        let Some(removed) = self.known.remove(name) else { return };
        self.columns.remove(removed);
        self.known.values_mut().filter(|at| **at > removed).for_each(|at| *at -= 1);
    }

    /// The same with rows at other places, as in [`Attribute::rearranged`]. Of the `rows` rows that there are then, those without a value get the
    /// usual one.
    pub(crate) fn rearranged(mut self, rows: usize, place: impl Fn(usize) -> Option<usize>) -> Fields {
        self.columns.iter_mut().for_each(|column| *column = column.rearranged(&place));
        for (name, usual) in std::mem::take(&mut self.usual) {
            if let (Some(column), Some(value)) = (self.column(&name), usual.get(0)) {
                column.set_usual(value, rows);
            }
        }
        self
    }

    /// The attributes with any value, and what is not kept of them.
    pub(crate) fn finish(mut self, of: &str) -> (Vec<Attribute>, Vec<String>) {
        self.columns.retain(|column| !column.is_empty());
        (self.columns, self.beyond.iter().map(|name| called(name, of)).collect())
    }
}
