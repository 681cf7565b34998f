//! Writers: a graph becomes a file that these readers, and those of other programs, understand.
//!
//! Lines are formatted, and compressed, in parallel, and written in order. A file is written beside its place and renamed when it is complete:
//! no unfinished file is left behind.

mod aside;
mod edge_list;
mod escape;
mod gap;
mod kept;
mod ligra;
mod markup;
mod matrix_market;
mod metis;
#[cfg(feature = "tables")]
mod table;
mod target;
mod tns;

use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::Path;

use pleach::runtime::par_parts;
use pleach::sort::Weight;
use pleach::{BuildError, BuildOptions, Csr, EdgeList};

use crate::compress::Compression;
use crate::error::Error;
use crate::generate::LISTED;
use crate::input::{Edges, Input};
use crate::progress::{Meter, Observer};
use crate::read::{plg, split_ending};
use crate::tensor::Coo;
pub(crate) use aside::Aside;
pub use aside::{is_standard_output, remove_unfinished};
pub use kept::lost_attributes;
pub(crate) use target::Target;

/// Lines that one task formats: about a mebibyte of text.
const GRAIN: usize = 1 << 16;

/// Tasks whose text is in memory at a time.
const TASKS: usize = 64;

/// Bytes that are compressed as one piece.
const PIECE: usize = 1 << 20;

/// Writes a graph to `path`, in the format that its ending names; compressed if `.gz` or `.zst` follows.
///
/// | ending | format | keeps |
/// |---|---|---|
/// | `.plg` | our own binary | everything; sorts and merges arcs, which are rows then: opening them sorts nothing |
/// | `.mtx` | Matrix Market | all vertices, counted from 1; a symmetric matrix if each arc stands for two |
/// | `.tsv .txt` | edge list with a comment that says whether it is directed | ids, but no vertices without edges |
/// | `.csv` | the same, with a heading if edges have attributes | the same, and attributes of edges |
/// | `.el .wel` | edge list without comments | ids |
/// | `.names` | edge list of names, a vertex without edges on a line of its own | names or ids, all vertices; refuses weights |
/// | `.graph` | METIS | all vertices, counted from 1; sorts and merges arcs; refuses directed graphs, self loops, and weights that are not whole or not above 0 |
/// | `.adj` | Ligra's adjacency arrays | all vertices, counted from 0; each edge of an undirected graph both ways; sorts and merges arcs |
/// | `.sg` | the GAP Benchmark Suite's binary | all vertices, counted from 0; sorts and merges arcs; refuses weights |
/// | `.wsg` | … with weights | the same with whole weights, 1 where there are none |
/// | `.graphml .gexf .json` | GraphML, GEXF, NetworkX's node-link | names or ids, all vertices, weights, attributes |
/// | `.net` | Pajek | names or ids as labels, all vertices, weights, attributes |
/// | `.dot .gv` | Graphviz | names or ids, all vertices, weights, attributes; is not read |
/// | `.npz` | SciPy's sparse matrix in the format csr | all vertices, counted from 0; each edge of an undirected graph both ways; sorts and merges arcs |
/// | `.parquet .arrow .feather .arrows` | a table of edges in Parquet or in Arrow's IPC format (feature `tables`) | names or ids, weights, direction and attributes of edges, but no vertices without edges |
/// | `.tns` | FROSTT's coordinates, counted from 1 | all vertices; each edge of an undirected graph both ways; 1 where there are no weights |
///
/// # Errors
///
/// [`Error::UnknownEnding`], [`Error::CannotWrite`] if the format cannot hold the graph, or [`Error::Io`] with the file that could
/// not be written. Nothing is left behind then.
pub fn write(input: &Input, path: impl AsRef<Path>) -> Result<(), Error> {
    let path = path.as_ref();
    write_as(input, path, &ending(path))
}

/// Writes a graph to `path` in the format of the ending `ending`, whatever the path is called: `csv`, or `csv.gz` for one that is compressed.
///
/// # Errors
///
/// As [`write`](write()).
pub fn write_as(input: &Input, path: impl AsRef<Path>, ending: &str) -> Result<(), Error> {
    write_watched(input, path, ending, &Observer::default())
}

/// As [`write_as`]. Calls `progress` while the file is written.
///
/// # Errors
///
/// As [`write`](write()).
pub fn write_watched(input: &Input, path: impl AsRef<Path>, ending: &str, progress: &Observer) -> Result<(), Error> {
    let (target, ending) = Target::in_format(path.as_ref(), ending)?;
    let path = target.path;
    let text = |lines: &dyn Lines| text(target, lines, progress);
    // What keeps rows wants both directions; everything else lists an edge once.
    let keeps_rows = matches!(ending, "plg" | "graph" | "adj" | "sg" | "wsg" | "npz" | "tns");
    let input = &*if keeps_rows { Cow::Borrowed(input) } else { once(input) };
    let list = |separator, comments| text(&edge_list::EdgeList::of(input, path, separator, comments)?);
    let markup = |kind| text(&markup::Markup::of(input, path, kind)?);
    match ending {
        "plg" => {
            let refused = |error: BuildError| Error::CannotWrite { path: path.to_owned(), reason: error.to_string() };
            plg::archive(input).map_err(refused)?.write_watched(target, progress)
        }
        "mtx" => text(&matrix_market::MatrixMarket { input }),
        "tsv" | "txt" => list(b'\t', true),
        "csv" => list(b',', true),
        // Names are told from damaged numbers by the comment above them.
        "el" | "wel" if input.ids.has_names() => list(b'\t', true),
        "el" | "wel" => list(b' ', false),
        "names" => text(&edge_list::Names::of(input, path)?),
        "graph" => text(&metis::Metis::of(input, path)?),
        "adj" => text(&ligra::Ligra::of(input, path)?),
        "sg" => gap::write(input, target, false, progress),
        "wsg" => gap::write(input, target, true, progress),
        "tns" => text(&tns::Tns { tensor: &Coo::of_graph(input) }),
        "graphml" => markup(markup::Kind::GraphMl),
        "gexf" => markup(markup::Kind::Gexf),
        "net" => markup(markup::Kind::Pajek),
        "dot" | "gv" => markup(markup::Kind::Dot),
        "json" => markup(markup::Kind::NodeLink),
        "npz" => crate::npz::write(input, target, progress),
        #[cfg(feature = "tables")]
        "parquet" => table::write_parquet(input, target, progress),
        #[cfg(feature = "tables")]
        "arrow" | "feather" => table::write_arrow(input, target, table::Kind::File, progress),
        #[cfg(feature = "tables")]
        "arrows" => table::write_arrow(input, target, table::Kind::Stream, progress),
        _ => Err(unknown_ending(path)),
    }
}

/// An undirected graph that lists each edge at both ends, with each edge once; any other graph as it is.
fn once(input: &Input) -> Cow<'_, Input> {
    fn halved<V: Weight>(list: &EdgeList<V>) -> Option<EdgeList<V>> {
        let (rows, report) = Csr::from_edges(list, &BuildOptions::default()).ok()?;
        // What differs between the two ends, or is listed twice at one of them, is written as it was read.
        if report.duplicates > 0 || rows.transpose() != rows {
            return None;
        }
        let mut half = EdgeList::new(list.num_rows, list.num_cols);
        let edges = list.src.iter().zip(&list.dst).zip(&list.weight);
        edges.filter(|((src, dst), _)| src <= dst).for_each(|((&src, &dst), &weight)| half.push(src, dst, weight));
        Some(half)
    }
    if input.directed || input.mirrored || !input.is_square() {
        return Cow::Borrowed(input);
    }
    let half = match &input.edges {
        Edges::Pattern(list) => halved(list).map(Edges::Pattern),
        Edges::Weighted(list) => halved(list).map(Edges::Weighted),
    };
    let mut kept = 0..;
    let ends = input.edges.src().iter().zip(input.edges.dst());
    let places: Vec<Option<usize>> = ends.map(|(src, dst)| if src <= dst { kept.next() } else { None }).collect();
    let with = |edges: Edges| Input {
        self_loops: edges.count_self_loops(),
        edges,
        attributes: input.attributes.rearranged(Some, |edge| places[edge]),
        format: input.format,
        directed: input.directed,
        declared: input.declared,
        mirrored: true,
        name: input.name.clone(),
        ids: input.ids.clone(),
        notes: input.notes.clone(),
    };
    half.map_or(Cow::Borrowed(input), |edges| Cow::Owned(with(edges)))
}

/// The endings that [`write`](write()) knows.
const ENDINGS: [&str; 19] = [
    "plg", "mtx", "tsv", "txt", "csv", "el", "wel", "names", "graph", "adj", "sg", "wsg", "tns", "graphml", "gexf",
    "net", "dot", "gv", "json",
];

/// Those of tables of edges, as far as they are compiled.
const TABLES: &[&str] = if cfg!(feature = "tables") { &["parquet", "arrow", "feather", "arrows"] } else { &[] };

/// The endings that [`write`](write()) knows, which [`write_as`] takes.
pub fn written_endings() -> impl Iterator<Item = &'static str> {
    ENDINGS.into_iter().chain(["npz"]).chain(TABLES.iter().copied())
}

/// The endings that [`write_tensor`] knows.
const TENSORS: [&str; 3] = ["tns", "plg", "mtx"];

fn unknown_ending(path: &Path) -> Error {
    let all: Vec<String> = ENDINGS.iter().chain(TABLES).map(|ending| format!(".{ending}")).collect();
    let expected = format!("{} or .npz, with .gz or .zst behind it if it is to be compressed", all.join(", "));
    Error::UnknownEnding { path: path.to_owned(), expected }
}

/// Refuses a path to which [`write`](write()), or [`write_as`] with this ending, could not write a graph, before the work whose result is to go there.
///
/// # Errors
///
/// [`Error::UnknownEnding`], or as [`check_writable`].
pub fn check_graph_file(path: impl AsRef<Path>, as_ending: Option<&str>) -> Result<(), Error> {
    let path = path.as_ref();
    let own = ending(path);
    let (_, ending) = Target::in_format(path, as_ending.unwrap_or(&own))?;
    if written_endings().all(|known| known != ending) {
        return Err(unknown_ending(path));
    }
    check_writable(path)
}

/// Writes a tensor to `path`: FROSTT's coordinates (`.tns`), our own binary (`.plg`) or, if it has order 1 or 2, Matrix Market
/// (`.mtx`; a vector is a matrix of one column);
/// compressed if `.gz` or `.zst` follows.
///
/// # Errors
///
/// As [`write`](write()); [`Error::Order`] if the format holds matrices only.
pub fn write_tensor(tensor: &Coo, path: impl AsRef<Path>) -> Result<(), Error> {
    let path = path.as_ref();
    let ending = if is_standard_output(path) { "tns".to_owned() } else { ending(path) };
    write_tensor_as(tensor, path, &ending)
}

/// Writes a tensor to `path` in the format of the ending `ending`, whatever the path is called: `tns`, or `tns.gz` for one that is compressed.
///
/// # Errors
///
/// As [`write_tensor`].
pub fn write_tensor_as(tensor: &Coo, path: impl AsRef<Path>, ending: &str) -> Result<(), Error> {
    let (target, ending) = Target::in_format(path.as_ref(), ending)?;
    let path = target.path;
    let text = |lines: &dyn Lines| text(target, lines, &Observer::default());
    match ending {
        "tns" => text(&tns::Tns { tensor }),
        "plg" => plg::tensor_archive(tensor).write_watched(target, &Observer::default()),
        "mtx" if matches!(tensor.order(), 1 | 2) => text(&matrix_market::Matrix { tensor }),
        "mtx" => Err(Error::Order { path: path.to_owned(), order: tensor.order() }),
        _ => Err(unknown_tensor_ending(path, &[])),
    }
}

fn unknown_tensor_ending(path: &Path, more: &[&str]) -> Error {
    let all: Vec<String> = TENSORS.iter().chain(more).map(|ending| format!(".{ending}")).collect();
    let expected = format!("{}, with .gz or .zst behind it if it is to be compressed", all.join(", "));
    Error::UnknownEnding { path: path.to_owned(), expected }
}

/// Refuses a path to which [`write_tensor`] could not write, before the work whose result is to go there. Other endings that the caller writes
/// itself are `more`.
///
/// # Errors
///
/// [`Error::UnknownEnding`], or as [`check_writable`].
pub fn check_tensor_file(path: impl AsRef<Path>, more: &[&str]) -> Result<(), Error> {
    let path = path.as_ref();
    let own = ending(path);
    if !is_standard_output(path) && !TENSORS.iter().chain(more).any(|known| *known == own) {
        return Err(unknown_tensor_ending(path, more));
    }
    check_writable(path)
}

/// The ending of a name; of standard output, that of lists.
fn ending(path: &Path) -> String {
    if is_standard_output(path) {
        return "tsv".to_owned();
    }
    split_ending(&path.file_name().unwrap_or_default().to_string_lossy()).1
}

/// A format of lines.
trait Lines: Sync {
    /// What precedes the lines.
    fn head(&self) -> Vec<u8>;
    /// How many there are.
    fn count(&self) -> usize;
    /// Appends some of them.
    fn format(&self, lines: Range<usize>, text: &mut Vec<u8>);
    /// What follows them.
    fn tail(&self) -> Vec<u8> {
        Vec::new()
    }
}

/// Writes a file that appears under its name only when it is complete: it is written beside its place, and then renamed. It is compressed if the name
/// ends in `.gz` or `.zst`. `-` and `/dev/stdout` are standard output; to devices and FIFOs is written as it comes; a symbolic link stays one.
///
/// # Errors
///
/// [`Error::Directory`] or [`Error::Io`] with the file that could not be written. Nothing is left behind then.
pub fn write_complete(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    let mut write = Some(write);
    complete(path.as_ref(), &mut |output| write.take().map_or(Ok(()), |write| write(output)))
}

/// As [`write_complete`]. It is compiled once for all functions that write.
fn complete(path: &Path, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    let mut output = Output::create(Target::of(path)?)?;
    let mut buffered = BufWriter::with_capacity(PIECE, &mut output);
    let written = write(&mut buffered).and_then(|()| buffered.flush());
    // What is left after an error is not written.
    drop(buffered.into_parts());
    if let Some(error) = output.failed.take() {
        return Err(error);
    }
    written.map_err(|error| Error::io(path, error))?;
    output.finish()
}

/// Refuses a path that could not be written, before the work whose result is to go there.
///
/// # Errors
///
/// [`Error::Directory`], [`Error::Io`] or [`Error::CannotWrite`], as [`write_complete`].
pub fn check_writable(path: impl AsRef<Path>) -> Result<(), Error> {
    let path = path.as_ref();
    Target::of(path)?;
    aside::check_place(path)
}

/// Writes lines, formatted and compressed in parallel.
fn text(target: Target<'_>, lines: &dyn Lines, progress: &Observer) -> Result<(), Error> {
    let mut output = Output::create(target)?;
    output.bytes(&lines.head())?;
    let total = lines.count();
    let meter = Meter::new(progress, LISTED * total as u64);
    let compression = output.compression;
    for first in (0..total).step_by(GRAIN * TASKS) {
        let last = (first + GRAIN * TASKS).min(total);
        let texts: Vec<Vec<u8>> = par_parts(last - first, GRAIN, |some| {
            let mut text = Vec::with_capacity(16 * GRAIN);
            lines.format(first + some.start..first + some.end, &mut text);
            match compression {
                Some(compression) => compression.compress(&text),
                None => text,
            }
        });
        texts.iter().try_for_each(|text| output.raw(text))?;
        meter.advance(LISTED * (last - first) as u64);
    }
    let tail = lines.tail();
    if !tail.is_empty() {
        output.bytes(&tail)?;
    }
    output.finish()
}

/// A file being written, compressed if its name says so.
pub(crate) struct Output {
    file: Aside,
    path: std::path::PathBuf,
    compression: Option<Compression>,
    meter: Meter,
    /// Why bytes could not be written that came through [`Write`], whose errors encoders of other libraries turn into words.
    failed: Option<Error>,
}

impl Output {
    pub(crate) fn create(target: Target<'_>) -> Result<Output, Error> {
        Output::watched(target, Meter::new(&Observer::default(), 0))
    }

    /// A file whose bytes `meter` counts, before they are compressed.
    pub(crate) fn watched(target: Target<'_>, meter: Meter) -> Result<Output, Error> {
        let Target { path, compression } = target;
        Ok(Output { file: Aside::create(path)?, path: path.to_owned(), compression, meter, failed: None })
    }

    /// Appends bytes, compressed in parallel where that is asked for.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        for pieces in bytes.chunks(PIECE * TASKS) {
            match self.compression {
                None => self.raw(pieces)?,
                Some(compression) => {
                    let packed = par_parts(pieces.len(), PIECE, |piece| compression.compress(&pieces[piece]));
                    packed.iter().try_for_each(|piece| self.raw(piece))?;
                }
            }
            self.meter.advance(pieces.len() as u64);
        }
        Ok(())
    }

    /// Appends bytes as they are.
    fn raw(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file.write_all(bytes).map_err(|e| Error::io(&self.path, e))
    }

    /// Puts the file in its place.
    pub(crate) fn finish(self) -> Result<(), Error> {
        self.file.finish()
    }
}

impl Write for &mut Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes(bytes).map(|()| bytes.len()).map_err(|error| {
            let told = io::Error::other(error.to_string());
            self.failed = Some(error);
            told
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
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

/// Appends lines of coordinates, counted from 1, and values.
fn push_nonzeros(tensor: &Coo, nonzeros: Range<usize>, text: &mut Vec<u8>) {
    for k in nonzeros {
        for mode in &tensor.coords {
            push_number(text, u64::from(mode[k]) + 1);
            text.push(b' ');
        }
        push_weight(text, tensor.values[k]);
        text.push(b'\n');
    }
}

/// Appends the shortest text that reads back as the same number.
fn push_weight(text: &mut Vec<u8>, weight: f64) {
    write!(text, "{}", Shortest(weight)).expect("writing to memory succeeds");
}

/// A number in the fewest digits that read back as the same number: `0.25`, `1e-310`. Numbers below 10^-6 and those from 10^21 on, which 64 bits
/// cannot hold as whole ones, have an exponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shortest(pub f64);

impl fmt::Display for Shortest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        match size == 0.0 || !size.is_finite() || (1e-6..1e21).contains(&size) {
            true => write!(f, "{}", self.0),
            false => write!(f, "{:e}", self.0),
        }
    }
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
            attributes: Default::default(),
            directed,
            declared: None,
            mirrored: !directed,
            notes: Vec::new(),
        }
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn progress_goes_from_nothing_to_all() {
        use crate::Progress;
        use std::sync::{Arc, Mutex};
        let watch = |act: &dyn Fn(Observer)| -> Vec<Progress> {
            let seen = Arc::new(Mutex::new(Vec::new()));
            let add = seen.clone();
            act(Observer::new(move |progress| add.lock().unwrap().push(progress)));
            let mut seen = std::mem::take(&mut *seen.lock().unwrap());
            seen.sort_by_key(|progress| progress.done);
            seen
        };
        let folder = tempfile::tempdir().unwrap();
        for spec in ["rmat:14", "grid:300x300", "er:50000:100000"] {
            let generator: crate::Generator = spec.parse().unwrap();
            let seen = watch(&|progress| {
                generator.generate(&Options::default().with_progress(progress)).unwrap();
            });
            let last = seen.last().unwrap();
            assert!(seen.len() > 2 && last.done * 100 >= last.total * 99, "{spec}: {last:?}");
            let graph = generator.generate(&Options::default()).unwrap();
            for ending in ["tsv", "plg", "mtx", "tsv.gz", "sg", "wsg.gz", "npz", "tns"] {
                let path = folder.path().join(format!("g.{ending}"));
                let seen = watch(&|progress| write_watched(&graph, &path, &super::ending(&path), &progress).unwrap());
                let last = seen.last().unwrap();
                assert!(last.done == last.total && last.total > 0, "{spec}.{ending}: {last:?}");
            }
        }
    }

    proptest! {
        #[test]
        #[cfg_attr(miri, ignore)]
        fn what_is_written_reads_back(
            list in prop::collection::vec((0u32..30, 0u32..30), 1..50),
            weighted: bool,
            directed: bool,
            ending in prop::sample::select(vec!["tsv", "txt", "csv", "el", "wel", "tsv.gz", "csv.zst"]),
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
        for ending in ["tsv", "tsv.gz", "tsv.zst"] {
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
