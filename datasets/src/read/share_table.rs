//! Tables of edges, some of their rows at a time.

use super::arcs::{AnyPart, Part};
use super::opened::Opened;
use super::share::NamedArcs;
use super::share_arrow::Batches;
use super::share_parquet::RowGroups;
use super::table::Table;
use crate::error::Error;
use crate::input::{Direction, Format, Options};
use crate::scan::Id;

/// What a table says of its graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    pub(super) declared: Option<Direction>,
    pub(super) weighted: bool,
    pub(super) named: bool,
}

impl Kind {
    pub(super) fn of(table: &Table, named: bool) -> Self {
        Kind { declared: table.declared(), weighted: table.places.2.is_some(), named }
    }
}

/// A file with a table.
#[derive(Clone, Debug)]
pub(super) enum SharedTable {
    Parquet(RowGroups),
    Arrow(Batches),
}

impl SharedTable {
    /// Reads what precedes the rows.
    pub(super) fn open(file: Opened, format: Format, options: &Options) -> Result<Self, Error> {
        Ok(match format {
            Format::Arrow => SharedTable::Arrow(Batches::open(file, options)?),
            _ => SharedTable::Parquet(RowGroups::open(file, options)?),
        })
    }

    pub(super) fn kind(&self) -> Kind {
        match self {
            SharedTable::Parquet(groups) => groups.kind,
            SharedTable::Arrow(batches) => batches.kind,
        }
    }

    /// The rows of one reader.
    pub(super) fn share(&self, reader: usize, readers: usize) -> Result<TableShare, Error> {
        Ok(TableShare(match self {
            SharedTable::Parquet(groups) => Box::new(groups.share(reader, readers)?),
            SharedTable::Arrow(batches) => Box::new(batches.share(reader, readers)?),
        }))
    }
}

/// Rows that are read one after the other.
pub(super) trait NextRows: Send {
    /// Has the table hold the next rows, and no others; whether there are any.
    fn advance(&mut self) -> Result<bool, Error>;

    fn table(&mut self) -> &mut Table;
}

/// The rows of one reader.
pub(super) struct TableShare(Box<dyn NextRows>);

impl TableShare {
    pub(super) fn next(&mut self, each: &mut dyn FnMut(u64, u64, f64)) -> Result<bool, Error> {
        let more = self.0.advance()?;
        for part in self.0.table().take_parts() {
            match part {
                AnyPart::Narrow(part) => visit(&part, each),
                AnyPart::Wide(part) => visit(&part, each),
            }
        }
        Ok(more)
    }

    pub(super) fn next_named(&mut self) -> Result<Option<NamedArcs>, Error> {
        Ok(self.0.advance()?.then(|| self.0.table().take_named()))
    }
}

fn visit<I: Id>(part: &Part<I>, each: &mut dyn FnMut(u64, u64, f64)) {
    let weights = part.weight.iter().copied().chain(std::iter::repeat(1.0));
    part.src.iter().zip(&part.dst).zip(weights).for_each(|((src, dst), weight)| each(src.wide(), dst.wide(), weight));
}
