//! What the columns of a list of edges hold: one rule for files and for streams.
//!
//! ```text
//!   1 2               src dst
//!   1 2 5             src dst weight
//!   1 2 0.5 1082040961   src dst weight time
//!   + 1 2 0.5 9       op src dst weight time
//! ```
//!
//! A line of names above the edges (`source,target,timestamp`) or a KONECT header says more than the number of columns does, and
//! `--columns` says more than both.

use std::fmt;
use std::str::FromStr;

/// What a column of a list of edges holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// `op`: what happens to the edge.
    Operation,
    /// `src`: the edge's source.
    Source,
    /// `dst`: its target.
    Target,
    /// `weight`: its weight.
    Weight,
    /// `time`: when it happens.
    Time,
    /// `_`: something that is ignored.
    Other,
}

impl Column {
    const NAMES: [(&'static str, Column); 6] = [
        ("op", Column::Operation),
        ("src", Column::Source),
        ("dst", Column::Target),
        ("weight", Column::Weight),
        ("time", Column::Time),
        ("_", Column::Other),
    ];

    fn name(self) -> &'static str {
        Column::NAMES.iter().find(|known| known.1 == self).map_or("_", |known| known.0)
    }

    /// What such a column should hold.
    pub(crate) fn expected(self) -> &'static str {
        match self {
            Column::Operation => "`+`, `-`, `a`, `u` or `d`",
            Column::Source => "a vertex id",
            Column::Target => "a second vertex id",
            Column::Weight => "a weight",
            Column::Time => "a time",
            Column::Other => "another column",
        }
    }

    /// Whether a column of this heading is more than an attribute.
    pub(crate) fn is_meant(heading: &str) -> bool {
        Column::of_heading(heading) != Column::Other
    }

    /// Whether a column of this heading holds times.
    pub(crate) fn is_time(heading: &str) -> bool {
        Column::of_heading(heading) == Column::Time
    }

    /// What a heading such as `Source` or `timestamp` stands for.
    fn of_heading(name: &str) -> Column {
        let plain: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        match plain.as_str() {
            "src" | "source" | "from" | "fromnodeid" | "fromid" | "sourceid" | "srcid" | "tail" | "node1" | "u" => {
                Column::Source
            }
            "dst" | "dest" | "target" | "to" | "tonodeid" | "toid" | "targetid" | "dstid" | "destination" | "head"
            | "node2" | "v" => Column::Target,
            "weight" | "w" | "value" | "rating" | "sign" | "cost" | "distance" | "length" | "capacity" => {
                Column::Weight
            }
            "time" | "timestamp" | "date" | "at" | "t" | "unixtime" | "unixts" => Column::Time,
            "op" | "operation" => Column::Operation,
            _ => Column::Other,
        }
    }
}

/// The columns of a list of edges from the left: `src,dst,time`. What a line holds behind them is ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns(Vec<Column>);

/// A list of columns that makes no list of edges.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnsError {
    /// No column has this name.
    #[error("no column is called `{0}`: there are `op`, `src`, `dst`, `weight`, `time`, and `_` for one to ignore")]
    Unknown(String),
    /// A column is listed twice.
    #[error("`{0}` is listed twice")]
    Twice(&'static str),
    /// An end of the edge is not listed.
    #[error("`{0}` is missing: every line names both ends of an edge")]
    Missing(&'static str),
}

impl FromStr for Columns {
    type Err = ColumnsError;

    fn from_str(list: &str) -> Result<Self, ColumnsError> {
        let mut columns = Vec::new();
        for name in list.split(',').map(str::trim) {
            let known = Column::NAMES.iter().find(|known| known.0 == name);
            let &(_, column) = known.ok_or_else(|| ColumnsError::Unknown(name.to_owned()))?;
            columns.push(column);
        }
        Columns::new(columns)
    }
}

impl fmt::Display for Columns {
    /// As [`FromStr`] reads them; with `{:#}` separated by blanks, as messages print them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separator = if f.alternate() { " " } else { "," };
        for (k, column) in self.0.iter().enumerate() {
            write!(f, "{}{}", if k > 0 { separator } else { "" }, column.name())?;
        }
        Ok(())
    }
}

impl Columns {
    /// These columns.
    ///
    /// # Errors
    ///
    /// If an end of the edge is missing, or anything is listed twice.
    pub fn new(columns: Vec<Column>) -> Result<Columns, ColumnsError> {
        for (k, column) in columns.iter().enumerate() {
            if *column != Column::Other && columns[..k].contains(column) {
                return Err(ColumnsError::Twice(column.name()));
            }
        }
        for column in [Column::Source, Column::Target] {
            if !columns.contains(&column) {
                return Err(ColumnsError::Missing(column.name()));
            }
        }
        Ok(Columns(columns))
    }

    /// The default meaning of `count` columns, an operation not counted: the third is a weight and the fourth a time. `None` unless
    /// `count` is 2 to 4.
    pub(crate) fn of_count(operation: bool, count: usize) -> Option<Columns> {
        use Column::{Operation, Source, Target, Time, Weight};
        let all = [Operation, Source, Target, Weight, Time];
        (2..=4).contains(&count).then(|| Columns(all[usize::from(!operation)..=count].to_vec()))
    }

    /// The columns that these headings name, if two of them name the ends of an edge.
    pub(crate) fn of_headings<'a>(names: impl Iterator<Item = &'a str>) -> Option<Columns> {
        let mut columns: Vec<Column> = Vec::new();
        for name in names {
            let column = Column::of_heading(name);
            // The first of several columns of one meaning counts.
            columns.push(if columns.contains(&column) { Column::Other } else { column });
        }
        Columns::new(columns).ok()
    }

    /// The same with another meaning for one column, where there is one.
    pub(crate) fn replaced(mut self, from: Column, to: Column) -> Columns {
        self.0.iter_mut().filter(|column| **column == from).for_each(|column| *column = to);
        self
    }

    /// The columns from the left.
    pub fn as_slice(&self) -> &[Column] {
        &self.0
    }

    /// Whether lines have such a column.
    pub fn contains(&self, column: Column) -> bool {
        self.0.contains(&column)
    }

    /// Where such a column stands, from 0.
    pub(crate) fn position(&self, column: Column) -> Option<usize> {
        self.0.iter().position(|&c| c == column)
    }
}
