//! Writers: a graph becomes a file that the readers, and everybody else's, understand.
//!
//! Lines are formatted, and compressed, in parallel, and written in order. The file is written aside and renamed when it is whole:
//! nothing half-written is left behind.

mod aside;
mod edge_list;
mod matrix_market;

use std::io::Write;
use std::ops::Range;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use rayon::prelude::*;

use crate::error::Error;
use crate::input::Input;
use crate::read::split_ending;
use aside::Aside;

/// Arcs that one task formats: about a mebibyte of text.
const GRAIN: usize = 1 << 16;

/// Arcs in a block of text in memory at a time: those of so many tasks.
const TASKS: usize = 64;

/// Writes a graph to `path`, in the format that its ending names: Matrix Market (`.mtx`) or an edge list (`.tsv .txt .csv .el .wel`),
/// compressed if `.gz` follows.
///
/// Edge lists keep the ids that the graph was read with, and cannot tell of vertices without edges; Matrix Market keeps the number of
/// vertices and counts them from 1. An undirected graph lists every edge once, and says that it is undirected where the format
/// has a place for it (`.el` and `.wel` have none).
///
/// # Errors
///
/// [`Error::UnknownEnding`], or [`Error::Io`] with the file that could not be written.
pub fn write(input: &Input, path: impl AsRef<Path>) -> Result<(), Error> {
    let path = path.as_ref();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let gz = name.to_ascii_lowercase().ends_with(".gz");
    let (_, ending) = split_ending(&name);
    let lines: &dyn Lines = match ending.as_str() {
        "mtx" => &matrix_market::MatrixMarket { input },
        "tsv" | "txt" => &edge_list::EdgeList { input, separator: b'\t', comments: true },
        "csv" => &edge_list::EdgeList { input, separator: b',', comments: true },
        "el" | "wel" => &edge_list::EdgeList { input, separator: b' ', comments: false },
        _ => {
            let expected =
                ".mtx, .tsv, .txt, .csv, .el or .wel, with .gz behind it if it is to be compressed".to_owned();
            return Err(Error::UnknownEnding { path: path.to_owned(), expected });
        }
    };
    let mut file = Aside::create(path)?;
    let mut put = |text: Vec<u8>| file.write_all(&text).map_err(|e| Error::io(path, e));
    put(finish(lines.head(), gz))?;
    let total = input.edges.len();
    for first in (0..total).step_by(GRAIN * TASKS) {
        let last = (first + GRAIN * TASKS).min(total);
        let texts: Vec<Vec<u8>> = (first..last)
            .into_par_iter()
            .step_by(GRAIN)
            .map(|begin| {
                let mut text = Vec::with_capacity(16 * GRAIN);
                lines.format(begin..(begin + GRAIN).min(last), &mut text);
                finish(text, gz)
            })
            .collect();
        texts.into_iter().try_for_each(&mut put)?;
    }
    file.finish()
}

/// What a format makes of a graph.
trait Lines: Sync {
    /// What precedes the arcs.
    fn head(&self) -> Vec<u8>;
    /// Appends the lines of some arcs.
    fn format(&self, arcs: Range<usize>, text: &mut Vec<u8>);
}

/// Compresses a piece of text into a gzip member of its own; a file of several members decompresses to all of them.
fn finish(text: Vec<u8>, gz: bool) -> Vec<u8> {
    if !gz || text.is_empty() {
        return text;
    }
    let mut encoder = GzEncoder::new(Vec::with_capacity(text.len() / 2), Compression::default());
    encoder.write_all(&text).expect("writing to memory succeeds");
    encoder.finish().expect("writing to memory succeeds")
}

/// Appends a number in decimal digits.
fn push_number(text: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[at..]);
}

/// Appends the shortest text that reads back as the same number.
fn push_weight(text: &mut Vec<u8>, weight: f64) {
    write!(text, "{weight}").expect("writing to memory succeeds");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Direction, Edges, Format, IdMap, Options, Weights, open, read};
    use pleach::EdgeList;
    use proptest::prelude::*;

    /// Arcs with the ids of the file, as a bag.
    fn arcs(input: &Input) -> Vec<(u64, u64, u64)> {
        let weight = |k: usize| input.edges.weight().map_or(0, |w| w[k].to_bits());
        let ends = input.edges.src().iter().zip(input.edges.dst());
        let id = |v: u32| input.ids.external(v);
        let mut arcs: Vec<_> = ends.enumerate().map(|(k, (&s, &d))| (id(s), id(d), weight(k))).collect();
        arcs.sort_unstable();
        arcs
    }

    fn some_graph(arcs: &[(u32, u32)], weighted: bool, directed: bool) -> Input {
        let n = arcs.iter().map(|a| a.0.max(a.1) + 1).max().unwrap_or(0) as usize;
        let mut edges = EdgeList::new(n, n);
        arcs.iter().enumerate().for_each(|(k, &(s, d))| edges.push(s, d, 0.1 * k as f64 - 1.0));
        let edges =
            if weighted { Edges::Weighted(edges) } else { Edges::Pattern(Edges::Weighted(edges).into_pattern()) };
        Input {
            name: "some".to_owned(),
            format: Format::Generated,
            ids: IdMap::from_sorted((0..n as u64).map(|v| 10 * v + 1).collect()),
            self_loops: edges.count_self_loops(),
            edges,
            directed,
            declared: None,
            mirrored: !directed,
        }
    }

    proptest! {
        #[test]
        #[cfg_attr(miri, ignore)]
        fn what_is_written_reads_back(
            list in prop::collection::vec((0u32..30, 0u32..30), 1..50),
            weighted: bool,
            directed: bool,
            ending in prop::sample::select(vec!["tsv", "txt", "csv", "el", "wel", "tsv.gz", "csv.gz"]),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(format!("graph.{ending}"));
            let graph = some_graph(&list, weighted, directed);
            write(&graph, &path).unwrap();
            let back = read(&path, &Options::default()).unwrap();
            prop_assert_eq!(arcs(&back), arcs(&graph));
            if !ending.ends_with("el") {
                prop_assert_eq!(back.directed, directed);
            }
            let mtx = folder.path().join("graph.mtx");
            write(&graph, &mtx).unwrap();
            let back = read(&mtx, &Options::default()).unwrap();
            prop_assert_eq!((back.num_vertices(), back.mirrored), (graph.num_vertices(), !directed));
            let unordered = |input: &Input| {
                let ends = input.edges.src().iter().zip(input.edges.dst());
                let mut arcs: Vec<_> = ends.map(|(s, d)| if directed { (*s, *d) } else { (*s.min(d), *s.max(d)) }).collect();
                arcs.sort_unstable();
                arcs
            };
            prop_assert_eq!(unordered(&back), unordered(&graph));
            prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "something was left behind");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn more_than_one_block_is_written_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let graph = open("grid:300x301", &Options::default()).unwrap();
        for ending in ["tsv", "tsv.gz"] {
            let path = folder.path().join(format!("grid.{ending}"));
            write(&graph, &path).unwrap();
            let back = read(&path, &Options::default()).unwrap();
            assert_eq!((back.edges, back.directed), (graph.edges.clone(), false));
        }
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn a_failure_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let graph = open("karate", &Options::default()).unwrap();
        let missing = folder.path().join("missing/graph.tsv");
        assert!(matches!(write(&graph, &missing), Err(Error::Io { path, .. }) if path == missing));
        let taken = folder.path().join("graph.tsv");
        std::fs::create_dir(&taken).unwrap();
        assert!(matches!(write(&graph, &taken), Err(Error::Directory { .. })));
        let odd = folder.path().join("graph.docx");
        assert!(matches!(write(&graph, &odd), Err(Error::UnknownEnding { .. })));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn a_file_that_was_there_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graph.tsv");
        std::fs::write(&path, "old").unwrap();
        let options = Options { direction: Some(Direction::Undirected), weights: Weights::OrOne, ..Options::default() };
        let graph = open("petersen", &options).unwrap();
        write(&graph, &path).unwrap();
        assert_eq!(arcs(&read(&path, &Options::default()).unwrap()), arcs(&graph));
    }
}
