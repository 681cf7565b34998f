//! Files that several readers share: each reads a stretch of it, and none the whole.
//!
//! ```text
//!   header │ line line line │ line line line │ line line          a line is in the share in which it begins
//!          │   share 0      │    share 1     │  share 2
//! ```
//!
//! Text whose lines do not depend on each other is cut by bytes ([`lines`](super::share_lines)), our own binary by rows
//! and that of the GAP Benchmark Suite by rows ([`rows`](super::share_rows)), Ligra's arrays by rows ([`ligra`](super::share_ligra)), matrices whose
//! values are all listed by values ([`dense`](super::share_dense)), tables in columns by rows ([`table`](super::share_table)), a generated graph
//! by edges. What is compressed cannot be cut, nor can formats whose parts depend on each other ([`steps`](super::share_steps)): the first reader
//! reads them, a block at a time. Ids stay those of the file.
//!
//! Where a line is the row of a vertex, which vertex it is follows from the lines before it: every reader [counts](Shared::count) its share
//! first.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::matrix_market::Entries;
use super::metis;
use super::opened::Opened;
use super::share_dense::{Dense, DenseShare};
use super::share_ids::{ListedIds, StoredIds};
use super::share_ligra::{Arrays, ArraysShare};
use super::share_lines::{Body, LineShare, Lines};
use super::share_listed::{self, Document, DocumentShare};
use super::share_packed::Packed;
use super::share_pajek::{self, Network};
use super::share_rows::{RowShare, StoredRows};
use super::share_steps::{InSteps, Matrix, Steps};
#[cfg(feature = "tables")]
use super::share_table::{SharedTable, TableShare};
use super::{check_columns, check_proportion, graphml, harwell_boeing, ldbc, matrix_market, recognise};
use crate::catalog::{self, Named};
use crate::error::Error;
use crate::generate::{Generator, Stretch};
use crate::input::{Direction, Format, Options, Weights};
use crate::npz;
use crate::progress::Meter;
use crate::source::Source;

/// Vertices that are handed out at a time.
const VERTICES: usize = 1 << 16;

/// A graph whose arcs can be read in shares.
#[derive(Clone, Debug)]
pub struct Shared {
    kind: Kind,
    /// What the options say of directions.
    asked: Option<Direction>,
    /// Vertices that the header declares, by their ids.
    vertices: Range<u64>,
    /// Whether the graph is directed, by what the file says unless the options say otherwise.
    pub directed: bool,
    /// Whether every arc stands for two, one in each direction.
    pub mirrored: bool,
    /// Whether arcs have weights.
    pub weighted: bool,
    /// Whether the options leave out weights, and whether the graph has weights that are left out.
    ignores: bool,
    ignored: bool,
    /// Whether vertices have names instead of ids: [`Share::next_named`] reads them, unless they are [listed](Self::num_listed).
    pub named: bool,
    /// What a person should know about how the file is read, once all counts are taken.
    pub note: Option<String>,
    /// Whether a file lists all vertices, so that an arc to any other is a mistake.
    pub listed: bool,
}

/// How a graph is cut.
#[derive(Clone, Debug)]
enum Kind {
    /// Files of lines, one after the other.
    Lines(Vec<Lines>),
    Rows(PathBuf, StoredRows),
    Arrays(Arrays),
    Dense(Dense),
    /// A file that the first reader reads sequentially.
    Steps(Arc<dyn InSteps>),
    Network(Network),
    Document(Document),
    Packed(Packed),
    #[cfg(feature = "tables")]
    Table(SharedTable),
    Generated(Generator, Options),
}

impl Shared {
    /// Opens a graph to be read in shares: a file, or a bundled or generated graph by its name. `None` if it is a file of a format that must be in
    /// memory as a whole. Such graphs are read by [`open`](crate::open).
    ///
    /// # Errors
    ///
    /// As [`read`](fn@super::read), as far as the beginning of the file shows what is wrong.
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Option<Shared>, Error> {
        let path = path.as_ref();
        if path == Path::new("-") {
            return Ok(None);
        }
        match path.to_str().map(|name| catalog::named(name, options)).transpose()? {
            None => Self::of_file(path, options),
            Some(Named::File(path, options)) => Self::of_file(&path, &options),
            Some(Named::Text(name, text, options)) => {
                Self::of_source(Source::from_text(Path::new(name), text)?, &options)
            }
            Some(Named::Generated(generator)) => Self::of_generator(generator, options).map(Some),
        }
    }

    fn of_file(path: &Path, options: &Options) -> Result<Option<Shared>, Error> {
        match ldbc::Files::find(path, options.format) {
            Some(files) => ldbc::share(&files?, options),
            None => Self::of_source(Source::open(path, &Meter::new(&options.progress, 0))?, options),
        }
    }

    fn of_source(mut source: Source, options: &Options) -> Result<Option<Shared>, Error> {
        let format = recognise(&mut source, options.format, options.columns.is_some())?;
        let path = source.path().to_owned();
        check_columns(&path, format, options)?;
        Ok(match format {
            Format::Pajek => {
                let network = Kind::Network(Network { path, counts: None });
                Some(Self::once(network, Some(Direction::Undirected), false, options))
            }
            Format::Plg => StoredRows::open(source)?.map(|(rows, directed, listed)| {
                let named = rows.ids.is_some_and(StoredIds::are_names);
                let weighted = rows.is_weighted();
                let shared = Self::once(Kind::Rows(path, rows), Some(of(directed)), weighted, options);
                Shared { named, mirrored: listed.unwrap_or(shared.mirrored), ..shared }
            }),
            Format::Gap => {
                let (rows, directed) = StoredRows::of_gap(source)?;
                let weighted = rows.is_weighted();
                let shared = Self::once(Kind::Rows(path, rows), Some(of(directed)), weighted, options);
                // An undirected graph has each edge in the rows of both its ends.
                Some(Shared { mirrored: directed && shared.mirrored, ..shared })
            }
            // Whether the names of igraph are all different is known only after all vertices have been read.
            Format::GraphMl if memchr::memmem::find(source.peek(), graphml::IGRAPH_NAME.as_bytes()).is_some() => None,
            Format::NodeLink | Format::GraphMl | Format::Gexf => {
                let document = Kind::Document(Document { path, format, counts: None });
                Some(Self::once(document, Some(Direction::Undirected), false, options))
            }
            Format::Ligra => {
                let arrays = Arrays::open(source)?;
                let weighted = arrays.weighted;
                Some(Self::once(Kind::Arrays(arrays), None, weighted, options))
            }
            Format::HarwellBoeing => Some(Self::of_matrix(harwell_boeing::share(source)?, options)),
            Format::Npz => Some(Self::of_places(source, format, options)?),
            #[cfg(feature = "tables")]
            Format::Parquet | Format::Arrow => Some(Self::of_places(source, format, options)?),
            Format::MatrixMarket => Some(match matrix_market::share(source, options)? {
                Entries::Lines(body) => Self::of_lines(body, options),
                Entries::Dense(dense) => Self::of_dense(dense, options),
            }),
            format => Body::of(source, format, options)?.map(|body| Self::of_lines(body, options)),
        })
    }

    /// A file that needs random access.
    fn of_places(source: Source, format: Format, options: &Options) -> Result<Shared, Error> {
        match source.plain_len() {
            Some(_) => Self::of_opened(Opened::of(source)?, format, options),
            None => Ok(Self::once(Kind::Packed(Packed::new(&source, format, options)), None, false, options)),
        }
    }

    pub(super) fn of_opened(file: Opened, format: Format, options: &Options) -> Result<Shared, Error> {
        Ok(match format {
            #[cfg(feature = "tables")]
            Format::Parquet | Format::Arrow => Self::of_table(SharedTable::open(file, format, options)?, options),
            _ => Self::of_matrix(npz::share(file)?, options),
        })
    }

    /// A graph that lists each edge once, with the direction that the options or the file state.
    fn once(kind: Kind, declared: Option<Direction>, weighted: bool, options: &Options) -> Shared {
        let directed = options.direction.or(declared).unwrap_or(Direction::Directed) == Direction::Directed;
        let ignores = options.weights == Weights::Ignore;
        let (weighted, ignored) = (weighted && !ignores, weighted && ignores);
        let (asked, vertices, mirrored) = (options.direction, 0..0, !directed);
        Shared {
            kind,
            asked,
            vertices,
            directed,
            mirrored,
            weighted,
            ignores,
            ignored,
            named: false,
            note: None,
            listed: false,
        }
    }

    /// A matrix that one reader reads.
    fn of_matrix(matrix: Matrix, options: &Options) -> Shared {
        let Matrix { steps, vertices, weighted, symmetry } = matrix;
        let shared = Self::once(Kind::Steps(steps), symmetry.declared(), weighted, options);
        Shared { vertices, mirrored: symmetry.mirrors(shared.directed), ..shared }
    }

    /// A matrix that lists all of its values.
    fn of_dense(dense: Dense, options: &Options) -> Shared {
        let (symmetry, vertices) = (dense.symmetry, 1..dense.rows + 1);
        let shared = Self::once(Kind::Dense(dense), symmetry.declared(), true, options);
        Shared { vertices, mirrored: symmetry.mirrors(shared.directed), ..shared }
    }

    /// A table in columns.
    #[cfg(feature = "tables")]
    fn of_table(table: SharedTable, options: &Options) -> Shared {
        let kind = table.kind();
        let shared = Self::once(Kind::Table(table), kind.declared, kind.weighted, options);
        Shared { named: kind.named, ..shared }
    }

    /// A file of lines.
    fn of_lines(body: Body, options: &Options) -> Shared {
        let Body { lines, declared, symmetry, vertices } = body;
        let (weighted, named) = (lines.is_weighted(), lines.is_named());
        let shared = Self::once(Kind::Lines(vec![lines]), declared, weighted, options);
        Shared { vertices, named, mirrored: symmetry.mirrors(shared.directed), ..shared }
    }

    /// The vertices and edges of an LDBC graph; `directed` is what its properties say.
    pub(super) fn of_ldbc(
        vertices: Option<Lines>,
        edges: Option<Lines>,
        declared: Option<Direction>,
        options: &Options,
    ) -> Shared {
        let (weighted, listed) = (edges.as_ref().is_some_and(Lines::is_weighted), vertices.is_some());
        let kind = Kind::Lines(vertices.into_iter().chain(edges).collect());
        Shared { listed, ..Self::once(kind, declared, weighted, options) }
    }

    fn of_generator(generator: Generator, options: &Options) -> Result<Shared, Error> {
        let vertices = 0..generator.shared_vertices()?;
        let kind = Kind::Generated(generator, options.clone());
        Ok(Shared { vertices, ..Self::once(kind, Some(Direction::Undirected), false, options) })
    }

    /// Whether every reader has a share of the arcs. Otherwise the first one reads them all, a block at a time.
    pub fn is_divided(&self) -> bool {
        match &self.kind {
            Kind::Lines(files) => files.iter().all(Lines::is_divided),
            Kind::Rows(_, rows) => rows.is_divided(),
            Kind::Arrays(arrays) => arrays.is_divided(),
            Kind::Dense(dense) => dense.lines.is_divided(),
            Kind::Steps(_) | Kind::Network(_) | Kind::Document(_) | Kind::Packed(_) => false,
            _ => true,
        }
    }

    /// The number of vertices, if the file lists what they are called beside the arcs, which have the places in this list then.
    pub fn num_listed(&self) -> Option<u64> {
        match &self.kind {
            Kind::Rows(_, rows) => rows.ids.map(|_| rows.num_vertices()),
            Kind::Network(network) => network.counts.map(|counts| counts.vertices),
            _ => None,
        }
    }

    /// What the file [lists](Self::num_listed), a stretch of equal length for each reader; no ids if it lists none.
    ///
    /// # Errors
    ///
    /// [`Error`], if the stretch cannot be read or does not increase.
    pub fn listed_ids(&self, reader: usize, readers: usize) -> Result<ListedIds, Error> {
        match &self.kind {
            Kind::Rows(path, StoredRows { ids: Some(ids), .. }) => ids.share(path, reader, readers),
            Kind::Network(network) => {
                let all = self.num_listed().unwrap_or_default();
                network.listed_ids(cut(all, reader, readers)..cut(all, reader + 1, readers))
            }
            _ => Ok(ListedIds::Numbers(Vec::new())),
        }
    }

    /// Whether every share must be [counted](Self::count) before it is read, and all counts [taken](Self::take_counts).
    pub fn needs_counts(&self) -> bool {
        match &self.kind {
            Kind::Arrays(arrays) => !arrays.is_counted(),
            Kind::Dense(dense) => dense.firsts.is_empty(),
            Kind::Network(network) => network.counts.is_none(),
            Kind::Document(document) => document.counts.is_none(),
            Kind::Packed(packed) => !packed.is_counted,
            _ => self.rows().is_some_and(|rows| rows.firsts.is_empty()),
        }
    }

    /// The file whose lines are rows, if it is one.
    fn rows(&self) -> Option<&Lines> {
        match &self.kind {
            Kind::Lines(files) => files.iter().find(|lines| lines.header().is_some()),
            _ => None,
        }
    }

    /// Counts what is in the share of a reader, which is read for it: vertices, those up to the last that has neighbours, and neighbours; or
    /// numbers.
    ///
    /// # Errors
    ///
    /// As [`Share::next`].
    pub fn count(&self, reader: usize, readers: usize) -> Result<[u64; 3], Error> {
        let numbers = match &self.kind {
            Kind::Network(network) => return network.count(reader),
            Kind::Document(document) => return document.count(reader),
            Kind::Packed(packed) => return packed.count(reader),
            Kind::Arrays(arrays) => Some(&arrays.lines),
            Kind::Dense(dense) => Some(&dense.lines),
            _ => None,
        };
        if let Some(lines) = numbers {
            return Ok([lines.count_numbers(reader, readers)?, 0, 0]);
        }
        let share = self.rows().map(|rows| rows.share(reader, readers)).transpose()?.flatten();
        let metis::Counts { lines, filled, neighbours } = share.map(LineShare::count).transpose()?.unwrap_or_default();
        Ok([lines, filled, neighbours])
    }

    /// Takes what all readers have counted, in their order: so many must read then. Whether the graph is directed, and whether arcs stand for
    /// two, is known now.
    ///
    /// # Errors
    ///
    /// [`Error`], if the header says something else.
    pub fn take_counts(&mut self, counts: &[[u64; 3]]) -> Result<(), Error> {
        let files = match &mut self.kind {
            Kind::Lines(files) => files,
            Kind::Arrays(arrays) => return arrays.take_counts(counts.iter().map(|count| count[0])),
            Kind::Dense(dense) => return dense.take_counts(counts.iter().map(|count| count[0])),
            Kind::Network(network) => {
                let share_pajek::Counts { vertices, directed, weighted, .. } = network.take_counts(counts);
                self.vertices = 0..vertices;
                self.take_kind(directed, weighted);
                return Ok(());
            }
            Kind::Document(document) => {
                let share_listed::Counts { named, directed, weighted, undeclared } = document.take_counts(counts);
                self.note = super::listed::undeclared(undeclared);
                self.named = named;
                self.take_kind(directed, weighted);
                return Ok(());
            }
            Kind::Packed(packed) => {
                [self.directed, self.mirrored, self.weighted, self.named] = packed.take_counts(counts);
                return Ok(());
            }
            _ => return Ok(()),
        };
        for rows in files {
            let Some(header) = rows.header() else { continue };
            let mut all = metis::Counts::default();
            rows.firsts.clear();
            for &[lines, filled, neighbours] in counts {
                rows.firsts.push(all.lines);
                all = all.and(metis::Counts { lines, filled, neighbours });
            }
            // What a compressed file promises could not be compared with its size.
            check_proportion(&rows.path, crate::input::VERTICES, header.vertices, all.neighbours)?;
            let once = header.lists_once(&rows.path, all)?;
            rows.once = once;
            let declared = if once { Direction::Directed } else { Direction::Undirected };
            self.directed = self.asked.unwrap_or(declared) == Direction::Directed;
            self.mirrored = once && !self.directed;
        }
        Ok(())
    }

    /// Takes the properties of edges that the first pass over a file has found.
    fn take_kind(&mut self, directed: bool, weighted: bool) {
        self.directed = self.asked.unwrap_or(of(directed)) == Direction::Directed;
        self.mirrored = !self.directed;
        (self.weighted, self.ignored) = (weighted && !self.ignores, weighted && self.ignores);
    }

    /// The share of reader `reader` of so many.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    ///
    /// # Panics
    ///
    /// If there are not so many readers, or if the file [needs counts](Self::needs_counts) of so many.
    pub fn share(&self, reader: usize, readers: usize) -> Result<Share, Error> {
        assert!(reader < readers, "reader {reader} of {readers}");
        let counted = match &self.kind {
            Kind::Arrays(arrays) => arrays.is_counted_by(readers),
            Kind::Dense(dense) => dense.firsts.len() == readers + 1,
            Kind::Network(network) => network.counts.is_some(),
            Kind::Document(document) => document.counts.is_some(),
            Kind::Packed(packed) => packed.is_counted,
            _ => self.rows().is_none_or(|rows| rows.firsts.len() == readers),
        };
        assert!(counted, "the shares of {readers} readers were counted");
        let of = |all: u64| cut(all, reader, readers)..cut(all, reader + 1, readers);
        let parts = match &self.kind {
            Kind::Rows(path, rows) => vec![Piece::Rows(rows.share(path, reader, readers)?)],
            Kind::Arrays(arrays) => vec![Piece::Arrays(Box::new(arrays.share(reader, readers)?))],
            Kind::Dense(dense) => {
                let share = dense.share(reader, readers)?;
                share.map(|share| Piece::Dense(Box::new(share))).into_iter().collect()
            }
            Kind::Steps(_) | Kind::Network(_) | Kind::Document(_) | Kind::Packed(_) if reader > 0 => Vec::new(),
            Kind::Packed(packed) => return packed.share(),
            Kind::Steps(steps) => vec![Piece::Steps(steps.begin()?)],
            Kind::Network(network) => vec![Piece::Steps(network.begin()?)],
            Kind::Document(document) => vec![Piece::Document(document.begin()?)],
            #[cfg(feature = "tables")]
            Kind::Table(table) => vec![Piece::Table(table.share(reader, readers)?)],
            Kind::Generated(generator, options) => {
                vec![Piece::Generated(generator.stretch(options, of(generator.shared_pieces())))]
            }
            Kind::Lines(files) => {
                let shares = files.iter().map(|lines| lines.share(reader, readers));
                shares.filter_map(Result::transpose).map(|share| share.map(Piece::Lines)).collect::<Result<_, _>>()?
            }
        };
        let Range { start, end } = match (self.is_divided(), reader) {
            (true, _) => of(self.vertices.end - self.vertices.start),
            // They come behind the arcs, when the promises of the header were checked.
            (false, 0) => 0..self.vertices.end - self.vertices.start,
            (false, _) => 0..0,
        };
        let vertices = self.vertices.start + start..self.vertices.start + end;
        Ok(Share { parts: parts.into(), vertices, tally: Tally::default(), ignored: self.ignored })
    }

    /// Checks that the file holds what its header says, by the [tallies](Share::tally) of all shares, which were read to their ends.
    ///
    /// # Errors
    ///
    /// [`Error`] with the line at which there is one entry too many, or the end of the file.
    pub fn check(&self, tallies: &[Tally]) -> Result<(), Error> {
        let all = tallies.iter().fold(Tally::default(), |all, &[entries, balance]| {
            [all[0].wrapping_add(entries), all[1].wrapping_add(balance)]
        });
        match &self.kind {
            Kind::Lines(files) => files.iter().try_for_each(|lines| lines.check(all)),
            Kind::Rows(path, rows) => rows.check(path, all[1]),
            _ => Ok(()),
        }
    }
}

/// The first of `all` items in the stretch of a reader.
fn cut(all: u64, reader: usize, readers: usize) -> u64 {
    (u128::from(all) * reader as u128 / readers as u128) as u64
}

/// The direction that a file states.
fn of(directed: bool) -> Direction {
    if directed { Direction::Directed } else { Direction::Undirected }
}

/// One reader's share of a graph.
pub struct Share {
    parts: std::collections::VecDeque<Piece>,
    /// Declared vertices that were not handed out.
    vertices: Range<u64>,
    /// Of the parts that were read to their ends.
    tally: Tally,
    ignored: bool,
}

/// What was read of a share: its entries, and the [balance](super::both_ends::balance) of its arcs, where rows list each once or each at both ends.
pub type Tally = [u64; 2];

enum Piece {
    Lines(LineShare),
    Rows(RowShare),
    Arrays(Box<ArraysShare>),
    Dense(Box<DenseShare>),
    Steps(Box<dyn Steps>),
    Document(DocumentShare),
    #[cfg(feature = "tables")]
    Table(TableShare),
    Generated(Stretch),
}

/// Arcs between vertices that have names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedArcs {
    /// Each name once.
    pub names: Vec<Box<str>>,
    /// Source and target, as places among the names, and the weight: 1 without.
    pub arcs: Vec<(u32, u32, f64)>,
}

impl Share {
    /// Calls `each` with source, target and weight (1 without) of the arcs of the next block, and `alone` with vertices that are named outside
    /// of arcs. Whether there was a block.
    ///
    /// # Errors
    ///
    /// [`Error`] with the place in the whole file.
    pub fn next(&mut self, each: &mut dyn FnMut(u64, u64, f64), alone: &mut dyn FnMut(u64)) -> Result<bool, Error> {
        match self.ignored {
            true => self.next_as_read(&mut |src, dst, _| each(src, dst, 1.0), alone),
            false => self.next_as_read(each, alone),
        }
    }

    fn next_as_read(&mut self, each: &mut dyn FnMut(u64, u64, f64), alone: &mut dyn FnMut(u64)) -> Result<bool, Error> {
        while let Some(piece) = self.parts.front_mut() {
            let more = match piece {
                Piece::Lines(lines) => lines.next(each, alone)?,
                Piece::Rows(rows) => rows.next(each, alone)?,
                Piece::Arrays(arrays) => arrays.next(each, alone)?,
                Piece::Dense(dense) => dense.next(each)?,
                Piece::Steps(steps) => steps.next(each)?,
                Piece::Document(document) => document.next(each, alone)?,
                #[cfg(feature = "tables")]
                Piece::Table(table) => table.next(each)?,
                Piece::Generated(stretch) => stretch.next(each),
            };
            if more {
                return Ok(true);
            }
            let [entries, balance] = match self.parts.pop_front() {
                Some(Piece::Lines(lines)) => lines.tally(),
                Some(Piece::Rows(rows)) => [0, rows.balance()],
                _ => Tally::default(),
            };
            self.tally = [self.tally[0] + entries, self.tally[1].wrapping_add(balance)];
        }
        let more = !self.vertices.is_empty();
        self.vertices.by_ref().take(VERTICES).for_each(alone);
        Ok(more)
    }

    /// What was read, when [`next`](Self::next) has come to the end.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// The next block of a graph whose vertices have names; `None` at the end.
    ///
    /// # Errors
    ///
    /// As [`next`](Self::next).
    pub fn next_named(&mut self) -> Result<Option<NamedArcs>, Error> {
        while let Some(piece) = self.parts.front_mut() {
            let block = match piece {
                Piece::Lines(lines) => lines.next_named()?,
                Piece::Document(document) => document.next_named()?,
                #[cfg(feature = "tables")]
                Piece::Table(table) => table.next_named()?,
                Piece::Rows(_) | Piece::Arrays(_) | Piece::Dense(_) | Piece::Steps(_) | Piece::Generated(_) => None,
            };
            if block.is_some() {
                return Ok(block);
            }
            self.parts.pop_front();
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
