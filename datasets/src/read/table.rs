//! Tables of edges in columns: Arrow's IPC format and Parquet.
//!
//! ```text
//!   src: int64   dst: int64   weight: float64   since: date32       a row an edge; other columns are attributes
//! ```
//!
//! The columns of the two ends and of the weight are known by their names, as in a list of edges ([`Columns`]), or by the options. Ends are whole
//! numbers of any width, or texts, which are names. The direction is that of the metadata `directed`, where there is one.

use std::mem;
use std::path::{Path, PathBuf};

use pleach::graph::Ids;
use pleach::runtime::caught;

use super::arcs::{self, AnyPart, Arcs, Part};
use super::share::NamedArcs;
use super::{Extra, Listing, Raw, edge_type};
use crate::attributes::{Attributes, Fields, called, unlike};
use crate::columns::{Column, Columns};
use crate::error::Error;
use crate::ids::IdMap;
use crate::input::{Direction, Format, Options, Weights};
use crate::scan;

/// The metadata that says whether a table of edges has a direction.
pub(crate) const DIRECTED: &str = "directed";

/// Rows that any file may have.
const SPARE_ROWS: u64 = 1 << 24;

/// Rows that a file may have beyond [`SPARE_ROWS`] for each of its bytes.
const ROWS_PER_BYTE: u64 = 256;

/// The ends of some edges.
pub(crate) enum Ends {
    /// By numbers.
    Ids(Vec<u64>),
    /// By the numbers of their names in the table.
    Names(Vec<u32>),
}

impl Ends {
    pub(crate) fn len(&self) -> usize {
        match self {
            Ends::Ids(ids) => ids.len(),
            Ends::Names(names) => names.len(),
        }
    }
}

/// The weights of some edges.
#[derive(Default)]
pub(crate) struct Weighed {
    weight: Vec<f64>,
    /// Whether a whole number was rounded.
    rounded: bool,
}

impl Weighed {
    /// Weights that are floating-point numbers in the file.
    pub(crate) fn of_real(weight: Vec<f64>) -> Self {
        Weighed { weight, rounded: false }
    }

    /// Weights that are whole numbers in the file.
    pub(crate) fn of_whole(numbers: impl Iterator<Item: Into<i128>>) -> Self {
        let mut rounded = false;
        let weight = numbers.map(Into::into).map(|number| scan::real_of(number, &mut rounded)).collect();
        Weighed { weight, rounded }
    }
}

/// A table that is being read, some rows after the other.
pub(crate) struct Table {
    path: PathBuf,
    format: Format,
    any_number: bool,
    /// The size of the file.
    bytes: u64,
    /// The places of source, target and weight among the columns of the file.
    pub(crate) places: (usize, usize, Option<usize>),
    parts: Vec<AnyPart>,
    named: Option<(Vec<u32>, Vec<u32>)>,
    weights: Vec<f64>,
    /// Whether a whole number among the weights was rounded.
    rounded: bool,
    pub(crate) names: Ids<str>,
    rows: u64,
    /// Values of attributes that were decoded.
    values: u64,
    declared: Option<Direction>,
    /// The place of Gephi's column `Type`, and what it says, if there is one; before that is known, the place alone.
    edge_type: Option<(usize, Option<Direction>)>,
    /// Whether the user says which direction edges have.
    direction_given: bool,
    /// The places and names of the columns that are attributes; none if they are not to be kept.
    pub(crate) others: Vec<(usize, String)>,
    pub(crate) fields: Fields,
    /// Columns that no attribute can hold, or that are not to be kept, and their places.
    lost: Vec<(usize, String)>,
}

impl Table {
    /// A table in a file of so many bytes with columns of these names, whose metadata say so of its direction.
    pub(crate) fn new(
        path: &Path,
        format: Format,
        bytes: usize,
        columns: &[&str],
        directed: Option<&str>,
        options: &Options,
    ) -> Result<Self, Error> {
        let table = |reason| Error::Table { path: path.to_owned(), reason };
        let meaning = match &options.columns {
            Some(named) if named.as_slice().len() > columns.len() => {
                return Err(table(format!("has {} columns, fewer than --columns names", columns.len())));
            }
            Some(named) => named.clone(),
            None => Columns::of_headings(columns.iter().copied()).ok_or_else(|| {
                let found = columns.join(", ");
                table(format!("expected columns called src and dst (or source and target, from and to), found {found}: --columns names them"))
            })?,
        };
        let place = |column| meaning.position(column);
        let (Some(src), Some(dst)) = (place(Column::Source), place(Column::Target)) else {
            return Err(table("lacks a column of sources or targets".to_owned()));
        };
        if meaning.contains(Column::Operation) {
            return Err(table("is a list of updates: `pleach stream` reads those as text".to_owned()));
        }
        let weight = place(Column::Weight);
        let kept = [Some(src), Some(dst), weight];
        let others = columns.iter().enumerate().filter(|(at, _)| !kept.contains(&Some(*at)));
        let mut others: Vec<(usize, String)> = others.map(|(at, name)| (at, (*name).to_owned())).collect();
        unlike(&mut others);
        let used = |place: &usize| options.columns.is_none() && !kept.contains(&Some(*place));
        let edge_type = edge_type::place(columns.iter().copied()).filter(used).map(|place| (place, None));
        let mut lost = Vec::new();
        if !options.attributes {
            lost.extend(others.drain(..).map(|(at, name)| (at, called(&name, "edges"))));
        }
        let declared = match directed {
            Some("true") => Some(Direction::Directed),
            Some("false") => Some(Direction::Undirected),
            _ => None,
        };
        Ok(Table {
            path: path.to_owned(),
            format,
            any_number: options.any_number || options.weights == Weights::Ignore,
            bytes: bytes as u64,
            places: (src, dst, weight),
            parts: Vec::new(),
            named: None,
            weights: Vec::new(),
            rounded: false,
            names: Ids::new(),
            rows: 0,
            values: 0,
            declared,
            edge_type,
            direction_given: options.direction.is_some(),
            others,
            fields: Fields::default(),
            lost,
        })
    }

    /// The place of a column that may be Gephi's `Type`.
    pub(crate) fn place_of_type(&self) -> Option<usize> {
        self.edge_type.map(|(place, _)| place)
    }

    /// Takes what the first edge has in that column: it is none if that is no direction.
    pub(crate) fn take_type(&mut self, first: Option<&str>) {
        let Some((place, _)) = self.edge_type.take() else { return };
        let Some(direction) = first.and_then(|text| edge_type::of_field(text.as_bytes())) else { return };
        self.edge_type = Some((place, Some(direction)));
        self.declared = Some(direction);
        self.others.retain(|(at, _)| *at != place);
        self.lost.retain(|(at, _)| *at != place);
    }

    /// Gephi's column `Type` and what all edges must have there; none where the user says which direction they have.
    pub(crate) fn checked_type(&self) -> Option<(usize, Direction)> {
        let (place, direction) = self.edge_type.filter(|_| !self.direction_given)?;
        Some((place, direction?))
    }

    /// Refuses more rows than a file of this size can account for, where so many have been decoded behind those that were added: a column
    /// that repeats one value takes a few bytes, however many rows it claims.
    pub(crate) fn check_rows(&self, decoded: usize) -> Result<(), Error> {
        let most = self.most();
        match self.rows + decoded as u64 <= most {
            true => Ok(()),
            false => Err(self.error(format!("claims more than the {most} rows that {} bytes may have", self.bytes))),
        }
    }

    /// The largest number of rows that a file of this size can have.
    fn most(&self) -> u64 {
        SPARE_ROWS.saturating_add(ROWS_PER_BYTE.saturating_mul(self.bytes))
    }

    /// Counts values of attributes that were decoded. Refuses more of them, in all columns together, than the file could have rows: otherwise
    /// a thousand columns of one value each would take a thousand times the memory.
    pub(crate) fn add_values(&mut self, decoded: usize) -> Result<(), Error> {
        self.values += decoded as u64;
        let most = self.most();
        match self.values <= most {
            true => Ok(()),
            false => {
                let bytes = self.bytes;
                Err(self.error(format!("claims more than the {most} values of attributes that {bytes} bytes may have")))
            }
        }
    }

    /// Leaves out a column whose type no attribute has.
    pub(crate) fn lose(&mut self, at: usize, name: &str, kind: impl std::fmt::Display) {
        self.others.retain(|(other, _)| *other != at);
        self.lost.push((at, format!("{} ({kind})", called(name, "edges"))));
    }

    /// The number of rows that were added.
    pub(crate) fn rows(&self) -> usize {
        self.rows as usize
    }

    /// The error of something in the table.
    pub(crate) fn error(&self, reason: impl Into<String>) -> Error {
        Error::Table { path: self.path.clone(), reason: reason.into() }
    }

    /// The error of something in a row, counted from 0 behind those that were added.
    pub(crate) fn error_at(&self, row: usize, reason: impl std::fmt::Display) -> Error {
        self.error(format!("row {}: {reason}", self.rows + row as u64 + 1))
    }

    /// A number as an id.
    pub(crate) fn id(&self, row: usize, number: impl TryInto<u64> + Copy + std::fmt::Display) -> Result<u64, Error> {
        number.try_into().map_err(|_| self.error_at(row, format_args!("expected an id of 0 or more, found {number}")))
    }

    /// The number of a name.
    pub(crate) fn name(&self, row: usize, name: &str) -> Result<u32, Error> {
        if name.is_empty() || name.contains('\n') {
            return Err(self.error_at(row, format_args!("expected a name of one line, found {name:?}")));
        }
        self.names.intern(name).map_err(|error| self.error_at(row, error))
    }

    /// Adds rows: both ends, and weights if there is a column of them.
    pub(crate) fn add(&mut self, src: Ends, dst: Ends, weight: Option<Weighed>) -> Result<(), Error> {
        let count = src.len();
        self.check_rows(count)?;
        let Weighed { weight, rounded } = weight.unwrap_or_default();
        self.rounded |= rounded;
        if let Some(row) = weight.iter().position(|weight| !weight.is_finite()).filter(|_| !self.any_number) {
            return Err(self.error_at(row, format_args!("expected a finite weight, found {}", weight[row])));
        }
        let weighed = weight.len() == count || weight.is_empty() && self.places.2.is_none();
        match (src, dst) {
            _ if !weighed => return Err(self.error("has columns of different lengths")),
            (Ends::Ids(src), Ends::Ids(dst)) if src.len() == dst.len() && self.named.is_none() => {
                self.parts.push(AnyPart::Wide(Part { src, dst, weight, alone: Vec::new(), rounded: false }));
            }
            (Ends::Names(src), Ends::Names(dst)) if src.len() == dst.len() && self.parts.is_empty() => {
                let named = self.named.get_or_insert_default();
                named.0.extend(src);
                named.1.extend(dst);
                self.weights.extend(weight);
            }
            (Ends::Ids(_), Ends::Ids(_)) | (Ends::Names(_), Ends::Names(_)) => {
                return Err(self.error("has columns of different lengths"));
            }
            _ => return Err(self.error("calls sources by numbers and targets by names, or the other way round")),
        }
        self.rows += count as u64;
        Ok(())
    }

    /// Says that so many rows come before the next one.
    pub(crate) fn behind(&mut self, rows: u64) {
        self.rows = rows;
    }

    /// Whether a row is an arc with a direction, as the file says.
    pub(crate) fn declared(&self) -> Option<Direction> {
        self.declared
    }

    /// The rows that were added since this was called last, if ends are numbers.
    pub(crate) fn take_parts(&mut self) -> Vec<AnyPart> {
        mem::take(&mut self.parts)
    }

    /// The rows that were added since this was called last, if ends are names.
    pub(crate) fn take_named(&mut self) -> NamedArcs {
        let (names, weights) = (mem::take(&mut self.names), mem::take(&mut self.weights));
        let (src, dst) = self.named.take().unwrap_or_default();
        let weights = weights.into_iter().chain(std::iter::repeat(1.0));
        let arcs = src.into_iter().zip(dst).zip(weights).map(|((src, dst), weight)| (src, dst, weight)).collect();
        let mut called = vec![Box::default(); names.len()];
        names.iter().for_each(|(number, name)| called[number as usize] = name.into());
        NamedArcs { names: called, arcs }
    }

    /// The graph.
    pub(crate) fn into_raw(self) -> Result<Raw, Error> {
        let Table { path, places, parts, named, weights, rounded, names, declared, rows, fields, lost, .. } = self;
        let (edges, beyond) = fields.finish("edges");
        let mut lost: Vec<String> = lost.into_iter().map(|(_, name)| name).collect();
        lost.extend(beyond);
        let extra = Extra { attributes: Attributes { vertices: Vec::new(), edges }, lost };
        if rows == 0 {
            return Err(Error::Empty { path, expected: "at least one edge" });
        }
        let (arcs, ids) = match named {
            None => arcs::number(&path, parts)?,
            Some((src, dst)) => {
                let mut order: Vec<(&str, u32)> = names.iter().map(|(number, name)| (name, number)).collect();
                order.sort_unstable();
                let mut place = vec![0; order.len()];
                order.iter().zip(0..).for_each(|(&(_, number), at)| place[number as usize] = at);
                let all = |ends: Vec<u32>| ends.into_iter().map(|end| place[end as usize]).collect();
                let arcs = Arcs { src: all(src), dst: all(dst), weight: weights };
                (arcs, IdMap::from_sorted_names(order.iter().map(|&(name, _)| name)))
            }
        };
        let graph = Raw::graph(&path, arcs, ids, places.2.is_some());
        Ok(Raw { declared, extra, rounded, listing: Listing::Once, ..graph })
    }

    /// The error of a file that does not follow its format.
    pub(crate) fn damaged(path: &Path, format: Format, reason: &str) -> Error {
        Error::Table { path: path.to_owned(), reason: format!("is no whole {format} file: {reason}") }
    }

    /// Runs a decoder of another library, which panics on some damaged files: that is an error of the file like all others.
    pub(crate) fn caught<T, E: std::fmt::Display>(
        path: &Path,
        format: Format,
        decode: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, Error> {
        let damaged = |reason: &str| Self::damaged(path, format, reason);
        match caught(decode) {
            Some(decoded) => decoded.map_err(|error| damaged(&error.to_string())),
            None => Err(damaged("its parts contradict one another")),
        }
    }

    /// As [`caught`](Self::caught), for a table whose columns are known.
    pub(crate) fn decode<T, E: std::fmt::Display>(&self, decode: impl FnOnce() -> Result<T, E>) -> Result<T, Error> {
        Self::caught(&self.path, self.format, decode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_attributes_are_in_proportion_to_the_file() {
        let options = Options::default().with_attributes(true);
        let columns = ["src", "dst", "flag", "kind"];
        let mut table = Table::new(Path::new("t"), Format::Parquet, 1000, &columns, None, &options).unwrap();
        table.add_values(1 << 24).unwrap();
        table.add_values(256_000).unwrap();
        let error = table.add_values(1).unwrap_err().to_string();
        assert_eq!(error, "t: claims more than the 17033216 values of attributes that 1000 bytes may have");
    }
}
