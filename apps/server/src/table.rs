//! Lists of vertices with a value each, which are answered in JSON or in Arrow's format.

use serde_json::{Map, Value};

/// The values of one column.
#[derive(Clone, Debug)]
pub(crate) enum Column {
    /// Whole numbers: ids and counts.
    Numbers(Vec<u64>),
    /// Any numbers.
    Floats(Vec<f64>),
    /// Lengths of paths, which are written without a point where they are whole.
    Lengths(Vec<f64>),
    /// Names of vertices.
    Texts(Vec<String>),
}

/// Columns of one length, with their names.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub columns: Vec<(&'static str, Column)>,
}

impl Column {
    pub fn len(&self) -> usize {
        match self {
            Column::Numbers(all) => all.len(),
            Column::Floats(all) | Column::Lengths(all) => all.len(),
            Column::Texts(all) => all.len(),
        }
    }

    /// Bytes of its values.
    fn bytes(&self) -> usize {
        match self {
            Column::Texts(all) => all.iter().map(String::len).sum(),
            others => others.len() * size_of::<u64>(),
        }
    }

    /// A value in JSON.
    fn value(&self, at: usize) -> Value {
        match self {
            Column::Numbers(all) => all[at].into(),
            Column::Lengths(all) if all[at].fract() == 0.0 && all[at].abs() < 2f64.powi(53) => (all[at] as i64).into(),
            Column::Floats(all) | Column::Lengths(all) => all[at].into(),
            Column::Texts(all) => all[at].as_str().into(),
        }
    }
}

impl Table {
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    /// Bytes of all values.
    pub fn bytes(&self) -> usize {
        self.columns.iter().map(|(_, column)| column.bytes()).sum()
    }

    /// A list of objects.
    pub fn objects(&self) -> Value {
        let row = |at: usize| -> Value {
            self.columns
                .iter()
                .map(|(name, column)| ((*name).to_owned(), column.value(at)))
                .collect::<Map<_, _>>()
                .into()
        };
        (0..self.rows()).map(row).collect()
    }

    /// A list of lists.
    pub fn lists(&self) -> Value {
        let row = |at: usize| self.columns.iter().map(|(_, column)| column.value(at)).collect::<Value>();
        (0..self.rows()).map(row).collect()
    }
}
