//! Files that several readers share: each reads a stretch of it, and none the whole.
//!
//! ```text
//!   header │ line line line │ line line line │ line line          a line is in the share in which it begins
//!          │   share 0      │    share 1     │  share 2
//! ```
//!
//! Text whose lines do not depend on each other is cut by bytes ([`lines`](super::share_lines)), our own binary by rows
//! ([`rows`](super::share_rows)), tables in columns by rows ([`table`](super::share_table)), a generated graph by edges. Compressed text cannot be cut: the first reader reads it, a block at a time. Ids
//! stay those of the file.
//!
//! Where a line is the row of a vertex, which vertex it is follows from the lines before it: every reader [counts](Shared::count) its share
//! first.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::metis::Counts;
use super::share_lines::{Body, LineShare, Lines};
use super::share_rows::{RowShare, StoredRows};
#[cfg(feature = "tables")]
use super::share_table::{SharedTable, TableShare};
use super::{check_proportion, ldbc, recognise};
use crate::error::Error;
use crate::generate::{Generator, Stretch};
use crate::input::{Direction, Format, Options, Weights};
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
    /// Whether the options leave out weights that are there.
    ignored: bool,
    /// Whether vertices have names instead of ids: [`Share::next_named`] reads them.
    pub named: bool,
    /// Whether a file lists all vertices, so that an arc to any other is a mistake.
    pub listed: bool,
}

/// How a graph is cut.
#[derive(Clone, Debug)]
enum Kind {
    /// Files of lines, one after the other.
    Lines(Vec<Lines>),
    Rows(PathBuf, StoredRows),
    #[cfg(feature = "tables")]
    Table(SharedTable),
    Generated(Generator, Options),
}

impl Shared {
    /// Opens a graph to be read in shares: a file, or a generated graph by its name. `None` if it is not of a kind that can be: a bundled graph,
    /// or a file of a format whose parts depend on each other. Such graphs are read by [`open`](crate::open).
    ///
    /// # Errors
    ///
    /// As [`read`](fn@super::read), as far as the beginning of the file shows what is wrong.
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Option<Shared>, Error> {
        let path = path.as_ref();
        if path == Path::new("-") {
            return Ok(None);
        }
        if let Some(files) = ldbc::Files::find(path, options.format) {
            return ldbc::share(&files?, options);
        }
        if !path.is_file() {
            let generator = path.to_str().filter(|_| !path.exists()).and_then(|name| name.parse::<Generator>().ok());
            return generator.map_or(Ok(None), |generator| Self::of_generator(generator, options));
        }
        let mut source = Source::open(path, &Meter::new(&options.progress, 0))?;
        match recognise(&mut source, options.format, options.columns.is_some())? {
            Format::Plg if options.columns.is_none() && source.plain_len().is_some() => {
                let Some((rows, declared, listed)) = StoredRows::open(source)? else { return Ok(None) };
                let directed = options.direction.map_or(declared, |direction| direction == Direction::Directed);
                let (weighted, ignored) = kept(rows.is_weighted(), options);
                let (mirrored, kind) = (listed.unwrap_or(!directed), Kind::Rows(path.to_owned(), rows));
                let asked = options.direction;
                let vertices = 0..0;
                Ok(Some(Shared {
                    kind,
                    asked,
                    vertices,
                    directed,
                    mirrored,
                    weighted,
                    ignored,
                    named: false,
                    listed: false,
                }))
            }
            #[cfg(feature = "tables")]
            format @ (Format::Parquet | Format::Arrow) if source.plain_len().is_some() => {
                Ok(Some(Self::of_table(SharedTable::open(path, format, options)?, options)))
            }
            format => Ok(Body::of(source, format, options)?.map(|body| Self::of_lines(body, options))),
        }
    }

    /// A table in columns.
    #[cfg(feature = "tables")]
    fn of_table(table: SharedTable, options: &Options) -> Shared {
        let kind = table.kind();
        let directed = options.direction.or(kind.declared).unwrap_or(Direction::Directed) == Direction::Directed;
        let (weighted, ignored) = kept(kind.weighted, options);
        let (asked, named, kind) = (options.direction, kind.named, Kind::Table(table));
        let (vertices, mirrored) = (0..0, !directed);
        Shared { kind, asked, vertices, directed, mirrored, weighted, ignored, named, listed: false }
    }

    /// A file of lines.
    fn of_lines(body: Body, options: &Options) -> Shared {
        let Body { lines, declared, symmetric, vertices } = body;
        let directed = options.direction.or(declared).unwrap_or(Direction::Directed) == Direction::Directed;
        let (weighted, ignored) = kept(lines.is_weighted(), options);
        let named = lines.is_named();
        // A skew-symmetric matrix is written out.
        let mirrored = symmetric || !directed && !lines.skew;
        let kind = Kind::Lines(vec![lines]);
        let asked = options.direction;
        Shared { kind, asked, vertices, directed, mirrored, weighted, ignored, named, listed: false }
    }

    /// The vertices and edges of an LDBC graph; `directed` is what its properties say.
    pub(super) fn of_ldbc(
        vertices: Option<Lines>,
        edges: Option<Lines>,
        declared: Option<Direction>,
        options: &Options,
    ) -> Shared {
        let directed = options.direction.or(declared).unwrap_or(Direction::Directed) == Direction::Directed;
        let (weighted, ignored) = kept(edges.as_ref().is_some_and(Lines::is_weighted), options);
        let listed = vertices.is_some();
        let kind = Kind::Lines(vertices.into_iter().chain(edges).collect());
        let asked = options.direction;
        Shared { kind, asked, vertices: 0..0, directed, mirrored: !directed, weighted, ignored, named: false, listed }
    }

    fn of_generator(generator: Generator, options: &Options) -> Result<Option<Shared>, Error> {
        let Some(vertices) = generator.shared_vertices()? else { return Ok(None) };
        let directed = options.direction == Some(Direction::Directed);
        let kind = Kind::Generated(generator, options.clone());
        let (vertices, mirrored, asked) = (0..vertices, !directed, options.direction);
        Ok(Some(Shared {
            kind,
            asked,
            vertices,
            directed,
            mirrored,
            weighted: false,
            ignored: false,
            named: false,
            listed: false,
        }))
    }

    /// Whether every reader has a share of the arcs. Otherwise the first one reads them all, a block at a time.
    pub fn is_divided(&self) -> bool {
        match &self.kind {
            Kind::Lines(files) => files.iter().all(Lines::is_divided),
            _ => true,
        }
    }

    /// Whether every share must be [counted](Self::count) before it is read, and all counts [taken](Self::take_counts).
    pub fn needs_counts(&self) -> bool {
        self.rows().is_some_and(|rows| rows.firsts.is_empty())
    }

    /// The file whose lines are rows, if it is one.
    fn rows(&self) -> Option<&Lines> {
        match &self.kind {
            Kind::Lines(files) => files.iter().find(|lines| lines.header().is_some()),
            _ => None,
        }
    }

    /// Counts what is in the share of a reader, which is read for it: vertices, those up to the last that has neighbours, and neighbours.
    ///
    /// # Errors
    ///
    /// As [`Share::next`].
    pub fn count(&self, reader: usize, readers: usize) -> Result<[u64; 3], Error> {
        let share = self.rows().map(|rows| rows.share(reader, readers)).transpose()?.flatten();
        let Counts { lines, filled, neighbours } = share.map(LineShare::count).transpose()?.unwrap_or_default();
        Ok([lines, filled, neighbours])
    }

    /// Takes what all readers have counted, in their order: so many must read then. Whether the graph is directed, and whether arcs stand for
    /// two, is known now.
    ///
    /// # Errors
    ///
    /// [`Error`], if the header says something else.
    pub fn take_counts(&mut self, counts: &[[u64; 3]]) -> Result<(), Error> {
        let Kind::Lines(files) = &mut self.kind else { return Ok(()) };
        for rows in files {
            let Some(header) = rows.header() else { continue };
            let mut all = Counts::default();
            rows.firsts.clear();
            for &[lines, filled, neighbours] in counts {
                rows.firsts.push(all.lines);
                all = all.and(Counts { lines, filled, neighbours });
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
        let counted = self.rows().is_none_or(|rows| rows.firsts.len() == readers);
        assert!(counted, "the shares of {readers} readers were counted");
        let cut = |all: u64, reader: usize| (u128::from(all) * reader as u128 / readers as u128) as u64;
        let of = |all: u64| cut(all, reader)..cut(all, reader + 1);
        let last = reader + 1 == readers;
        let parts = match &self.kind {
            Kind::Rows(path, rows) => {
                let file = File::open(path).map_err(|error| Error::io(path, error))?;
                vec![Piece::Rows(rows.share(path, file, of(rows.num_rows()), last))]
            }
            #[cfg(feature = "tables")]
            Kind::Table(table) => vec![Piece::Table(table.share(reader, readers)?)],
            Kind::Generated(generator, options) => {
                vec![Piece::Generated(generator.stretch(options, of(generator.shared_edges())))]
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
            _ => Ok(()),
        }
    }
}

/// Whether weights that may be there are kept, and whether they are left out.
fn kept(there: bool, options: &Options) -> (bool, bool) {
    let ignored = options.weights == Weights::Ignore;
    (there && !ignored, there && ignored)
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

/// What was read of a share: its entries, and the [balance](super::metis::balance) of its arcs where each should be listed once.
pub type Tally = [u64; 2];

enum Piece {
    Lines(LineShare),
    Rows(RowShare),
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
                #[cfg(feature = "tables")]
                Piece::Table(table) => table.next(each)?,
                Piece::Generated(stretch) => stretch.next(each),
            };
            if more {
                return Ok(true);
            }
            if let Some(Piece::Lines(lines)) = self.parts.pop_front() {
                let [entries, balance] = lines.tally();
                self.tally = [self.tally[0] + entries, self.tally[1].wrapping_add(balance)];
            }
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
                #[cfg(feature = "tables")]
                Piece::Table(table) => table.next_named()?,
                Piece::Rows(_) | Piece::Generated(_) => None,
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
mod tests {
    use super::*;

    /// All arcs by so many readers, in order.
    fn by_shares(path: &Path, readers: usize) -> Vec<(u64, u64, f64)> {
        let shared = Shared::open(path, &Options::default()).unwrap().unwrap();
        let mut arcs = Vec::new();
        for reader in 0..readers {
            let mut share = shared.share(reader, readers).unwrap();
            while share.next(&mut |src, dst, weight| arcs.push((src, dst, weight)), &mut |_| ()).unwrap() {}
        }
        arcs
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn shares_are_the_file() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text, expected) in [
            ("one.txt", "1 2", vec![(1, 2, 1.0)]),
            ("ends.txt", "# a comment\n1 2\n\n3 4\n5 6\n", vec![(1, 2, 1.0), (3, 4, 1.0), (5, 6, 1.0)]),
            ("head.csv", "source,target\n7,8\r\n9,10\r\n", vec![(7, 8, 1.0), (9, 10, 1.0)]),
            (
                "long.wel",
                "5000000000 2 0.25\n1 18446744073709551615 4\n",
                vec![(5_000_000_000, 2, 0.25), (1, u64::MAX, 4.0)],
            ),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            for readers in 1..=text.len() + 2 {
                assert_eq!(by_shares(&path, readers), expected, "{name} in {readers}");
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn blocks_end_with_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("many.txt");
        let expected: Vec<(u64, u64, f64)> = (0..400_000u64).map(|k| (k * k % 100_003, k, 1.0)).collect();
        let text: String = expected.iter().map(|(src, dst, _)| format!("{src} {dst}\n")).collect();
        assert!(text.len() > 4 << 20, "several blocks");
        std::fs::write(&path, text).unwrap();
        for readers in [1, 2, 3, 7] {
            assert!(by_shares(&path, readers) == expected, "{readers} readers");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn faults_name_the_line_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bad.txt");
        let text: String =
            (0..1000).map(|k| if k == 900 { "1 x\n".to_owned() } else { format!("{k} {k}\n") }).collect();
        std::fs::write(&path, text).unwrap();
        let shared = Shared::open(&path, &Options::default()).unwrap().unwrap();
        let mut share = shared.share(3, 4).unwrap();
        let error = share.next(&mut |_, _, _| (), &mut |_| ()).unwrap_err().to_string();
        assert!(error.contains("bad.txt") && error.contains("901"), "{error}");
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn rows_of_our_binary_are_shared() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["karate", "dijkstra", "rmat:10"] {
            let input = crate::open(name, &Options::default()).unwrap();
            let path = folder.path().join("graph.plg");
            crate::write(&input, &path).unwrap();
            let again = crate::read(&path, &Options::default()).unwrap();
            let weights: Vec<f64> = again.edges.weight().map_or(vec![1.0; again.edges.len()], <[f64]>::to_vec);
            let ends = again.edges.src().iter().zip(again.edges.dst());
            let expected: Vec<_> =
                ends.zip(weights).map(|((&s, &d), w)| (again.ids.external(s), again.ids.external(d), w)).collect();
            let shared = Shared::open(&path, &Options::default()).unwrap().unwrap();
            assert_eq!((shared.directed, shared.mirrored), (again.directed, again.mirrored));
            for readers in [1, 2, 5, 40] {
                assert!(by_shares(&path, readers) == expected, "{name} by {readers}");
                let mut seen: std::collections::BTreeSet<u64> = expected.iter().map(|arc| arc.0).collect();
                for reader in 0..readers {
                    let mut share = shared.share(reader, readers).unwrap();
                    while share.next(&mut |_, _, _| (), &mut |id| seen.extend([id])).unwrap() {}
                }
                assert!(seen.into_iter().eq(again.ids.iter()), "{name} by {readers}");
            }
            // A byte of the targets that is wrong, and a file that is cut.
            let bytes = std::fs::read(&path).unwrap();
            std::fs::write(&path, &bytes[..bytes.len() - 70]).unwrap();
            let shared = Shared::open(&path, &Options::default()).unwrap().unwrap();
            let read = |reader| {
                let mut share = shared.share(reader, 2).unwrap();
                while share.next(&mut |_, _, _| (), &mut |_| ())? {}
                Ok::<(), Error>(())
            };
            assert!(read(0).and_then(|()| read(1)).is_err(), "{name}");
        }
    }

    /// A graph that so many readers have counted.
    fn counted(path: &Path, options: &Options, readers: usize) -> Shared {
        let mut shared = Shared::open(path, options).unwrap().unwrap();
        if shared.needs_counts() {
            let counts: Vec<_> = (0..readers).map(|reader| shared.count(reader, readers).unwrap()).collect();
            shared.take_counts(&counts).unwrap();
        }
        shared
    }

    /// Arcs and vertices of a graph by so many readers, and what a reader of the whole says.
    fn equals_the_whole(path: &Path, options: &Options) {
        let whole = crate::read(path, options).unwrap();
        let shared = counted(path, options, 1);
        assert_eq!((shared.directed, shared.mirrored), (whole.directed, whole.mirrored), "{}", path.display());
        assert_eq!(shared.weighted, whole.edges.is_weighted(), "{}", path.display());
        let weights: Vec<f64> = whole.edges.weight().map_or(vec![1.0; whole.edges.len()], <[f64]>::to_vec);
        let ends = whole.edges.src().iter().zip(whole.edges.dst()).zip(weights);
        let mut expected: Vec<_> =
            ends.map(|((&s, &d), w)| (whole.ids.external(s), whole.ids.external(d), w.to_bits())).collect();
        // A matrix is written out in another order.
        expected.sort_unstable();
        for readers in [1, 2, 5, 40] {
            let shared = counted(path, options, readers);
            let (mut arcs, mut vertices, mut tallies) = (Vec::new(), std::collections::BTreeSet::new(), Vec::new());
            for reader in 0..readers {
                let mut share = shared.share(reader, readers).unwrap();
                let mut arc = |src, dst, weight: f64| arcs.push((src, dst, weight.to_bits()));
                while share.next(&mut arc, &mut |id| vertices.extend([id])).unwrap() {}
                tallies.push(share.tally());
            }
            shared.check(&tallies).unwrap();
            arcs.sort_unstable();
            assert!(arcs == expected, "{} by {readers}", path.display());
            vertices.extend(arcs.iter().flat_map(|arc| [arc.0, arc.1]));
            assert!(vertices.into_iter().eq(whole.ids.iter()), "vertices of {} by {readers}", path.display());
        }
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn shares_of_every_format_of_lines_are_the_graph() {
        let folder = tempfile::tempdir().unwrap();
        let banner = "%%MatrixMarket matrix coordinate";
        for (name, text) in [
            ("a.mtx", format!("{banner} real general\n% a comment\n4 4 3\n1 2 0.5\n\n4 1 -2\n2 2 3\n")),
            ("sym.mtx", format!("{banner} pattern symmetric\n5 5 2\n2 1\n3 3\n")),
            ("skew.mtx", format!("{banner} integer skew-symmetric\n3 3 2\n2 1 7\n3 1 -1\n")),
            ("a.gr", "c roads\np sp 5 3\na 1 2 10\nc\na 2 1 20\na 4 2 5\n".to_owned()),
            ("old.gr", "p edge 4 2\ne 1 2\ne 3 2\n".to_owned()),
            ("free.gr", "a 7 8 3\na 9 7 4\n".to_owned()),
            ("out.bip", "% bip unweighted\n% 3 2 4\n1 1\n2 4\n1 3\n".to_owned()),
            ("weights.csv", "source;target;weight\n1;2;0.25\n7;1;4\n".to_owned()),
            ("a.graph", "% rows\n5 4\n2 3\n1 3\n% in between\n2 1 5\n\n3\n\n".to_owned()),
            ("w.graph", "3 2 11\n7 2 0.5 3 2\n1 1 0.5\n9 1 2\n".to_owned()),
            ("gap.graph", "4 3\n2\n\n4 1\n\n".to_owned()),
            ("crlf.graph", "% rows\r\n4 4 1\r\n2 0.5 3 1\r\n1 0.5\r\n\r\n".to_owned() + "3 7\r\n"),
            ("sizes.graph", "3 2 110 2\n5 1 1 2\n5 1 1 1 3\n5 1 1 2".to_owned()),
            ("all.graph", "3 2 111 1\n5 1 2 9 3 8\n5 1 1 9\n% the last line has no end\n5 1 1 8".to_owned()),
            ("twice.graph", "3 4\n2 2 3\n1 1\n1 3 3\n".to_owned()),
            ("empty.graph", "4 0\n".to_owned()),
            ("few.graph", "300 1\n3\n\n1\n".to_owned()),
            ("loop.graph", "2 2\n1 2\n\n".to_owned()),
            ("neighbours", "1 2 3 9\n5\n2 9\n9 1 4 4 4\n".to_owned()),
            ("quoted.csv", "\"from\",\"to\"\n\"1\",\"2\"\n\"3\",\"1\"\n".to_owned()),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, &text).unwrap();
            for weights in [Weights::AsRead, Weights::Ignore] {
                equals_the_whole(&path, &Options::default().with_weights(weights));
            }
            for direction in [Direction::Directed, Direction::Undirected] {
                equals_the_whole(&path, &Options::default().with_direction(direction));
            }
            // The same compressed, which the first reader reads.
            let packed = folder.path().join(format!("{name}.gz"));
            let mut to = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            std::io::Write::write_all(&mut to, text.as_bytes()).unwrap();
            std::fs::write(&packed, to.finish().unwrap()).unwrap();
            equals_the_whole(&packed, &Options::default());
            assert!(!Shared::open(&packed, &Options::default()).unwrap().unwrap().is_divided());
        }
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn ldbc_graphs_list_their_vertices() {
        let folder = tempfile::tempdir().unwrap();
        let (v, e) = (folder.path().join("g.v"), folder.path().join("g.e"));
        std::fs::write(&v, "9\n2\n3\n7\n").unwrap();
        std::fs::write(&e, "2 3 0.5\n9 2 1\n").unwrap();
        std::fs::write(folder.path().join("g.properties"), "graph.g.directed = false\n").unwrap();
        equals_the_whole(&e, &Options::default());
        assert!(Shared::open(&v, &Options::default()).unwrap().unwrap().listed);
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn names_are_read_in_shares() {
        let folder = tempfile::tempdir().unwrap();
        let line = |k: u64| format!("person {},person {},{}\n", k * k % 101, k % 37, k % 5);
        let text: String = "source,target,weight\n".to_owned() + &(0..5000).map(line).collect::<String>();
        let lines: String = (0..300).map(|k| format!("v{k} v{} v{}\n", k * 7 % 301, k * k % 311)).collect();
        for (name, text) in [("people.csv", text), ("some.names", lines + "nobody\n")] {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            let whole = crate::read(&path, &Options::default()).unwrap();
            let called = |vertex: u32| whole.ids.label(vertex).to_string();
            let weight = |k: usize| whole.edges.weight().map_or(1.0, |weights| weights[k]);
            let ends = whole.edges.src().iter().zip(whole.edges.dst()).enumerate();
            let expected: Vec<_> = ends.map(|(k, (&s, &d))| (called(s), called(d), weight(k))).collect();
            let shared = Shared::open(&path, &Options::default()).unwrap().unwrap();
            assert!(shared.named);
            for readers in [1, 2, 9] {
                let (mut arcs, mut names) = (Vec::new(), std::collections::BTreeSet::new());
                for reader in 0..readers {
                    let mut share = shared.share(reader, readers).unwrap();
                    while let Some(block) = share.next_named().unwrap() {
                        let name = |at: u32| block.names[at as usize].to_string();
                        arcs.extend(block.arcs.iter().map(|&(s, d, w)| (name(s), name(d), w)));
                        names.extend(block.names.iter().map(ToString::to_string));
                    }
                }
                assert!(arcs == expected, "{name} by {readers}");
                assert!(names.into_iter().eq((0..whole.ids.len()).map(|vertex| called(vertex as u32))));
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn promises_of_headers_are_checked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("short.mtx");
        std::fs::write(&path, "%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 2\n2 3\n").unwrap();
        let shared = Shared::open(&path, &Options::default()).unwrap().unwrap();
        let error = shared.check(&[[1, 0], [1, 0]]).unwrap_err().to_string();
        assert!(error.contains("short.mtx:4") && error.contains('3'), "{error}");
        // As many vertices as no file of this size has.
        std::fs::write(&path, "%%MatrixMarket matrix coordinate pattern general\n4000000000 4000000000 1\n1 2\n")
            .unwrap();
        assert!(matches!(Shared::open(&path, &Options::default()), Err(Error::TooSparse { .. })));
        std::fs::write(&path, "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 4\n").unwrap();
        let shared = Shared::open(&path, &Options::default()).unwrap().unwrap();
        let read = |reader| {
            let mut share = shared.share(reader, 2).unwrap();
            while share.next(&mut |_, _, _| (), &mut |_| ())? {}
            Ok::<(), Error>(())
        };
        let error = read(0).and_then(|()| read(1)).unwrap_err().to_string();
        assert!(error.contains("short.mtx:4") && error.contains('4'), "{error}");
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn rows_that_contradict_the_header_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.graph");
        for text in [
            "3 2\n2\n1 3\n",
            "2 1\n2\n1\n\n1\n",
            "3 5\n2\n1 3\n2\n",
            "4 4\n2 3\n1 3\n",
            "3 18446744073709551615\n2\n1\n",
            // Each edge is listed at both ends, and counted twice.
            "4 6\n2 3\n1 4\n1\n2\n",
        ] {
            std::fs::write(&path, text).unwrap();
            let expected = crate::read(&path, &Options::default()).unwrap_err().to_string();
            for readers in [1, 2, 3, 9] {
                let mut shared = Shared::open(&path, &Options::default()).unwrap().unwrap();
                let counts: Vec<_> = (0..readers).map(|reader| shared.count(reader, readers).unwrap()).collect();
                let taken = shared.take_counts(&counts).and_then(|()| {
                    let tally = |reader| all_of(shared.share(reader, readers)?);
                    shared.check(&(0..readers).map(tally).collect::<Result<Vec<_>, _>>()?)
                });
                assert_eq!(taken.unwrap_err().to_string(), expected, "{text:?} by {readers}");
            }
        }
    }

    /// Reads a share to its end.
    fn all_of(mut share: Share) -> Result<Tally, Error> {
        while share.next(&mut |_, _, _| (), &mut |_| ())? {}
        Ok(share.tally())
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn no_vertex_is_handed_out_before_a_promise_is_checked() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n4000000000 4000000000 900000000\n1 2\n"),
            ("a.graph", "4000000000 900000000\n2\n1\n"),
        ] {
            // Nothing is known of the size of what is compressed.
            let path = folder.path().join(format!("{name}.gz"));
            let mut to = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            std::io::Write::write_all(&mut to, text.as_bytes()).unwrap();
            std::fs::write(&path, to.finish().unwrap()).unwrap();
            let read = || {
                let mut shared = Shared::open(&path, &Options::default())?.unwrap();
                if shared.needs_counts() {
                    let counts = [shared.count(0, 2)?, shared.count(1, 2)?];
                    shared.take_counts(&counts)?;
                }
                let mut vertices = 0;
                for reader in [1, 0] {
                    let mut share = shared.share(reader, 2)?;
                    while share.next(&mut |_, _, _| (), &mut |_| vertices += 1)? {
                        assert!(vertices == 0, "{name}");
                    }
                }
                Ok::<_, Error>(())
            };
            let message = read().unwrap_err().to_string();
            assert!(message.contains(name), "{message}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn other_files_are_not_shared() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            Shared::open(&path, &Options::default()).unwrap().is_none()
        };
        assert!(at("array.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n"));
        assert!(at("wide.mtx", "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 2 1\n"));
        assert!(at("links.json", "{\"nodes\": [], \"links\": []}"));
        assert!(Shared::open("karate", &Options::default()).unwrap().is_none());
        assert!(Shared::open("rgg:8", &Options::default()).unwrap().is_none());
    }
}
