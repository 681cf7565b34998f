//! Files that several readers share: each reads a stretch of it, and none the whole.
//!
//! ```text
//!   header │ line line line │ line line line │ line line          a line is in the share in which it begins
//!          │   share 0      │    share 1     │  share 2
//! ```
//!
//! Lists of edges as plain text are cut by bytes, our own binary by rows ([`rows`](super::share_rows)). Ids stay those of the file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::arcs::{AnyPart, Part};
use super::pairs::{self, Rules};
use super::share_rows::{RowShare, StoredRows};
use super::{edge_list, ldbc, recognise};
use crate::error::{Error, Fault};
use crate::input::{Direction, Format, Options, Weights};
use crate::progress::Meter;
use crate::scan::Id;
use crate::source::{self, At, MAX_LINE, Source, Text};

/// Bytes that are read at a time.
const BLOCK: u64 = 1 << 20;

/// A file whose arcs can be read in shares.
#[derive(Clone, Debug)]
pub struct Shared {
    path: PathBuf,
    kind: Kind,
    /// Whether the graph is directed, by what the file says unless the options say otherwise.
    pub directed: bool,
    /// Whether every arc stands for two, one in each direction.
    pub mirrored: bool,
    /// Whether arcs have weights.
    pub weighted: bool,
}

/// How a file is cut.
#[derive(Clone, Debug)]
enum Kind {
    Lines(Lines),
    Rows(StoredRows),
}

/// A list of edges.
#[derive(Clone, Debug)]
struct Lines {
    rules: Rules,
    /// Where the first line of data begins, at the earliest, and where the file ends.
    begin: u64,
    end: u64,
}

impl Shared {
    /// Opens a file to be read in shares. `None` if it is not of a kind that can be: compressed, with names of vertices, or of another
    /// format. Such files are read by [`read`](fn@super::read).
    ///
    /// # Errors
    ///
    /// As [`read`](fn@super::read), as far as the beginning of the file shows what is wrong.
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Option<Shared>, Error> {
        let path = path.as_ref();
        if path == Path::new("-") || !path.is_file() || ldbc::Files::find(path, options.format).is_some() {
            return Ok(None);
        }
        let mut source = Source::open(path, &Meter::new(&options.progress, 0))?;
        let Some(end) = source.plain_len() else { return Ok(None) };
        match recognise(&source, options.format, options.columns.is_some())? {
            Format::EdgeList => {}
            Format::Plg if options.columns.is_none() => {
                let Some((rows, declared, listed)) = StoredRows::open(source)? else { return Ok(None) };
                let directed = options.direction.map_or(declared, |direction| direction == Direction::Directed);
                let weighted = rows.is_weighted() && options.weights != Weights::Ignore;
                let mirrored = listed.unwrap_or(!directed);
                return Ok(Some(Shared {
                    path: path.to_owned(),
                    kind: Kind::Rows(rows),
                    directed,
                    mirrored,
                    weighted,
                }));
            }
            _ => return Ok(None),
        }
        let Some(layout) = edge_list::sniff(&mut source, options)? else {
            return Err(Error::Empty { path: path.to_owned(), expected: "at least one edge" });
        };
        let Some((rules, declared)) = layout.of_ids() else { return Ok(None) };
        let directed = options.direction.or(declared).unwrap_or(Direction::Directed) == Direction::Directed;
        let weighted = rules.weighted && options.weights != Weights::Ignore;
        let kind = Kind::Lines(Lines { rules, begin: source.consumed(), end });
        Ok(Some(Shared { path: path.to_owned(), kind, directed, mirrored: !directed, weighted }))
    }

    /// The share of reader `reader` of so many.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    ///
    /// # Panics
    ///
    /// If there are not so many readers.
    pub fn share(&self, reader: usize, readers: usize) -> Result<Share, Error> {
        assert!(reader < readers, "reader {reader} of {readers}");
        let cut = |all: u64, reader: usize| (u128::from(all) * reader as u128 / readers as u128) as u64;
        let fault = |error| Error::io(&self.path, error);
        let mut file = File::open(&self.path).map_err(fault)?;
        let last = reader + 1 == readers;
        let of = match &self.kind {
            Kind::Rows(rows) => {
                let all = rows.num_rows();
                Of::Rows(rows.share(&self.path, file, cut(all, reader)..cut(all, reader + 1), last))
            }
            Kind::Lines(lines) => {
                let place = |reader| lines.begin + cut(lines.end.saturating_sub(lines.begin), reader);
                let at = match place(reader) == lines.begin {
                    // A line begins here.
                    true => lines.begin,
                    false => next_line(&mut file, place(reader), lines.end).map_err(fault)?,
                };
                let end = if last { u64::MAX } else { place(reader + 1) };
                let (path, rules) = (self.path.clone(), lines.rules.clone());
                Of::Lines(LineShare { path, rules, file, at, end })
            }
        };
        Ok(Share { of })
    }
}

/// Where the first line begins that does not begin before `at`.
fn next_line(file: &mut File, at: u64, end: u64) -> io::Result<u64> {
    let mut from = at.saturating_sub(1);
    file.seek(SeekFrom::Start(from))?;
    let mut buffer = vec![0; 64 << 10];
    while from < end {
        let got = file.read(&mut buffer)?;
        if got == 0 {
            break;
        }
        if let Some(found) = memchr::memchr(b'\n', &buffer[..got]) {
            return Ok(from + found as u64 + 1);
        }
        from += got as u64;
    }
    Ok(end)
}

/// One reader's share of a file.
pub struct Share {
    of: Of,
}

enum Of {
    Lines(LineShare),
    Rows(RowShare),
}

impl Share {
    /// Calls `each` with source, target and weight (1 without) of the arcs of the next block, and `alone` with vertices without out-arcs, of
    /// a file that lists its vertices. Whether there was a block.
    ///
    /// # Errors
    ///
    /// [`Error`] with the place in the whole file.
    pub fn next(&mut self, each: &mut dyn FnMut(u64, u64, f64), alone: &mut dyn FnMut(u64)) -> Result<bool, Error> {
        match &mut self.of {
            Of::Lines(lines) => lines.next(each),
            Of::Rows(rows) => rows.next(each, alone),
        }
    }
}

/// Lines of a file.
struct LineShare {
    path: PathBuf,
    rules: Rules,
    file: File,
    /// Where the next line begins.
    at: u64,
    /// Lines that begin here or later are those of others.
    end: u64,
}

impl LineShare {
    fn next(&mut self, each: &mut dyn FnMut(u64, u64, f64)) -> Result<bool, Error> {
        if self.at >= self.end {
            return Ok(false);
        }
        let Some(mut block) = self.block()? else { return Ok(false) };
        let len = block.len() as u64;
        source::close(&mut block);
        let part = pairs::parse(Text::of(&block), &self.rules).map_err(|at| self.fault(at))?;
        match &part {
            AnyPart::Narrow(part) => visit(part, each),
            AnyPart::Wide(part) => visit(part, each),
        }
        self.at += len;
        Ok(true)
    }

    /// Whole lines from the present place on, as far as they begin in the share; `None` at the end.
    fn block(&mut self) -> Result<Option<Vec<u8>>, Error> {
        let fault = |error| Error::io(&self.path, error);
        let mut block = Vec::new();
        self.file.seek(SeekFrom::Start(self.at)).map_err(fault)?;
        loop {
            let searched = block.len();
            let got = Read::by_ref(&mut self.file).take(BLOCK).read_to_end(&mut block).map_err(fault)?;
            if block.is_empty() {
                return Ok(None);
            }
            // The line that reaches to the end of the share, or over it, is the last one.
            let reach = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
            let last = reach.saturating_sub(1).max(searched);
            if let Some(found) = block.get(last..).and_then(|rest| memchr::memchr(b'\n', rest)) {
                block.truncate(last + found + 1);
                return Ok(Some(block));
            }
            if (got as u64) < BLOCK {
                return Ok(Some(block));
            }
            if reach > block.len()
                && let Some(found) = memchr::memrchr(b'\n', &block)
            {
                block.truncate(found + 1);
                return Ok(Some(block));
            }
            if block.len() > MAX_LINE {
                let at = At { line: 0, column: 1, fault: Fault::LineTooLong { limit: MAX_LINE } };
                return Err(self.fault(at));
            }
        }
    }

    /// The error of a fault in the present block. Lines before it are counted now.
    fn fault(&self, at: At) -> Error {
        let path = &self.path;
        let count = || -> io::Result<u64> {
            let mut before = File::open(path)?.take(self.at);
            let (mut buffer, mut lines) = (vec![0; 64 << 10], 0);
            loop {
                match before.read(&mut buffer)? {
                    0 => return Ok(lines),
                    got => lines += memchr::memchr_iter(b'\n', &buffer[..got]).count() as u64,
                }
            }
        };
        match count() {
            Ok(lines) => Error::at(path, lines + at.line + 1, at.column, at.fault),
            Err(error) => Error::io(path, error),
        }
    }
}

fn visit<I: Id>(part: &Part<I>, each: &mut dyn FnMut(u64, u64, f64)) {
    let weights = part.weight.iter().copied().chain(std::iter::repeat(1.0));
    for ((src, dst), weight) in part.src.iter().zip(&part.dst).zip(weights) {
        each(src.wide(), dst.wide(), weight);
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
        assert!(text.len() as u64 > 4 * BLOCK);
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

    #[test]
    #[cfg_attr(miri, ignore)]
    fn other_files_are_not_shared() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            Shared::open(&path, &Options::default()).unwrap().is_none()
        };
        assert!(at("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n"));
        assert!(at("names.csv", "source,target\nann,bob\n"));
        assert!(Shared::open("karate", &Options::default()).unwrap().is_none());
    }
}
