//! How much a file holds, by its size and its beginning.

use std::path::Path;

use super::{edge_list, ldbc, matrix_market, recognise};
use crate::error::Error;
use crate::input::{Format, Options};
use crate::progress::Meter;
use crate::source::Source;

/// Bytes of text that one byte of a compressed file stands for, at least, in most lists of edges.
const UNPACKED: u64 = 3;

/// Bytes of text that one byte of a compressed file stands for, at most: gzip cannot do more.
const MOST_UNPACKED: u64 = 1032;

/// Bytes of the shortest line of an entry: a value, and the end of the line.
const SHORTEST_LINE: u64 = 2;

/// What a file is expected to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Edges or entries, as often as they are listed.
    pub edges: u64,
    /// Whether they have weights.
    pub weighted: bool,
}

/// How many edges a file holds, before it is read: by its header, where that says it, or by its size and the length of its first lines. `None` for
/// formats of which neither can be said, and for standard input.
///
/// # Errors
///
/// As [`read`](fn@super::read), as far as the beginning of the file shows what is wrong.
pub fn expect(path: &Path, options: &Options) -> Result<Option<Expected>, Error> {
    if !path.is_file() || ldbc::Files::find(path, options.format).is_some() {
        return Ok(None);
    }
    let size = std::fs::metadata(path).map_or(0, |m| m.len());
    let mut source = Source::open(path, &Meter::new(&Default::default(), 0))?;
    let bytes = if source.plain_len().is_some() { size } else { size.saturating_mul(UNPACKED) };
    Ok(match recognise(&mut source, options.format, options.columns.is_some())? {
        Format::MatrixMarket => {
            let most = if source.plain_len().is_some() { size } else { size.saturating_mul(MOST_UNPACKED) };
            let Expected { edges, weighted } = matrix_market::expect(&mut source)?;
            // A header that says more than the file has room for is wrong. The reader refuses it, and says why.
            Some(Expected { edges: edges.min(most / SHORTEST_LINE), weighted })
        }
        Format::EdgeList => {
            let weighted = edge_list::sniff(&mut source, options)?.is_some_and(|layout| layout.rules.weighted);
            of_lines(&source, bytes).map(|edges| Expected { edges, weighted })
        }
        Format::Dimacs => of_lines(&source, bytes).map(|edges| Expected { edges, weighted: true }),
        _ => None,
    })
}

/// How many lines there are in so many bytes, if they are as long as the first ones.
fn of_lines(source: &Source, bytes: u64) -> Option<u64> {
    let text = source.peek();
    let lines = memchr::memchr_iter(b'\n', text).count() as u64;
    (lines > 0).then(|| (u128::from(bytes) * u128::from(lines) / text.len() as u128) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore)]
    fn what_files_say_of_themselves() {
        let folder = tempfile::tempdir().unwrap();
        let expected = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            expect(&path, &Options::default()).unwrap().map(|found| (found.edges, found.weighted))
        };
        let entries = "1 1 1\n".repeat(900);
        let header = format!("%%MatrixMarket matrix coordinate real general\n% a comment\n3 3 900\n{entries}");
        assert_eq!(expected("a.mtx", &header), Some((900, true)));
        assert_eq!(
            expected("lie.mtx", &header.replace("900", "99999999999")),
            Some((header.len() as u64 / 2 + 4, true))
        );
        assert_eq!(
            expected("b.mtx", &format!("%%MatrixMarket matrix array real general\n40 5\n{}", "1\n".repeat(200))),
            Some((200, true))
        );
        let lines: String = (100_000..150_000).map(|k| format!("{k} {k}\n")).collect();
        let about = |found: Option<(u64, bool)>, lines: u64, weighted: bool| {
            let (edges, has_weights) = found.unwrap();
            assert!(edges.abs_diff(lines) <= lines / 1000 && has_weights == weighted, "{edges}");
        };
        about(expected("a.el", &lines), 50_000, false);
        let lines: String = (10_000..20_000).map(|k| format!("{k} 1 0.5\n")).collect();
        about(expected("a.wel", &lines), 10_000, true);
        assert_eq!(expected("a.graphml", "<graphml></graphml>"), None);
    }
}
