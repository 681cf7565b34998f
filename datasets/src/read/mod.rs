//! Readers: a file becomes an [`Input`].

mod adjacency;
pub(crate) mod arcs;
#[cfg(feature = "tables")]
mod arrow;
#[cfg(feature = "tables")]
mod arrow_messages;
#[cfg(feature = "tables")]
mod arrow_values;
mod both_ends;
mod cells;
mod dimacs;
mod edge_list;
pub(crate) mod edge_type;
pub(crate) mod expect;
mod gap;
mod gexf;
mod graphml;
mod harwell_boeing;
pub(crate) mod head;
mod ldbc;
mod ligra;
mod listed;
mod matrix_fault;
mod matrix_market;
mod metis;
pub(crate) mod names;
mod node_link;
pub(crate) mod opened;
pub(crate) mod pairs;
mod pajek;
#[cfg(feature = "tables")]
mod parquet;
#[cfg(feature = "tables")]
mod parquet_values;
pub(crate) mod plg;
pub(crate) mod row_file;
pub(crate) mod share;
#[cfg(feature = "tables")]
mod share_arrow;
mod share_dense;
pub(crate) mod share_ids;
mod share_ligra;
mod share_lines;
mod share_listed;
mod share_packed;
mod share_pajek;
#[cfg(feature = "tables")]
mod share_parquet;
mod share_places;
mod share_rows;
pub(crate) mod share_steps;
#[cfg(feature = "tables")]
mod share_table;
pub(crate) mod symmetry;
#[cfg(feature = "tables")]
pub(crate) mod table;
pub(crate) mod tns;
mod xml;

use std::path::{Path, PathBuf};

use pleach::EdgeList;

use crate::attributes::Attributes;
use crate::compress::split_name;
use crate::error::{Error, Fault};
use crate::foreign::begins_with_an_array;
use crate::ids::IdMap;
use crate::input::{Direction, Edges, Format, Input, Options, Weights};
use crate::progress::Meter;
use crate::source::Source;
use crate::tensor::Coo;
use arcs::Arcs;

/// Vertices that any file may declare, whether or not an edge touches them.
const SPARE_VERTICES: u64 = 1 << 24;

/// Vertices that a file may declare beyond [`SPARE_VERTICES`] for each entry that it lists.
const VERTICES_PER_ENTRY: u64 = 16;

/// Reads the graph in the file at `path`.
///
/// A header may declare 2^24 vertices (or rows, or columns) and 16 more for every entry that the file lists, so that no file makes
/// a graph take memory out of proportion to its size. Formats that declare nothing number only the ids that occur.
///
/// The format is recognised by content and ending unless [`Options::format`] names it; a file may be compressed (gzip, Zstandard, xz,
/// bzip2), whatever its name. `-` is standard input.
/// Of an LDBC graph, any of its files or their common stem may be named.
///
/// # Errors
///
/// [`Error`] names the file, line and column and what was expected there.
pub fn read(path: impl AsRef<Path>, options: &Options) -> Result<Input, Error> {
    let path = path.as_ref();
    if let Some(files) = ldbc::Files::find(path, options.format) {
        return ldbc::read(&files?, options);
    }
    let size = std::fs::metadata(path).map_or(0, |m| m.len());
    let source = Source::open(path, &Meter::new(&options.progress, size))?;
    read_source(source, options)
}

/// Whether `path` is no file itself but the common stem of the files of an LDBC graph.
pub(crate) fn is_stem(path: &Path) -> bool {
    ldbc::Files::find(path, None).is_some()
}

/// Reads a graph from a text that is part of the program. Errors and the result name it `path`.
pub(crate) fn read_text(path: &Path, text: &'static [u8], options: &Options) -> Result<Input, Error> {
    read_source(Source::from_text(path, text)?, options)
}

/// Reads the tensor in the file at `path`, of any order: FROSTT's coordinates (`.tns`), our own binary (`.plg`), or any graph or matrix
/// that [`read`] reads, which has order 2; of SciPy's arrays (`.npz`), a `coo_array` may have another order.
///
/// Of `options`, what concerns graphs alone is ignored for tensors. Values of a tensor may be infinite or no number, as those that are computed
/// may be, in all formats that tensors are written in; weights of a graph are finite. Coordinates are those of the file, made to begin at 0; ids of a
/// graph that have gaps are numbered without. Extents may be out of proportion to the entries: nothing is allocated for them here.
///
/// # Errors
///
/// As [`read`].
pub fn read_tensor(path: impl AsRef<Path>, options: &Options) -> Result<Coo, Error> {
    read_whole_tensor(path, options).map(|read| read.tensor)
}

/// A tensor, and what else its file says.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReadTensor {
    /// The tensor.
    pub tensor: Coo,
    /// Whether the file states the extents. If it does not, they are one more than the largest coordinates. FROSTT's format states them only
    /// in an optional comment before the first nonzero.
    pub states_extents: bool,
    /// For the user: how the file was read, and what of it the tensor does not keep.
    pub notes: Vec<String>,
}

impl ReadTensor {
    /// A tensor in a file that states its extents.
    pub(crate) fn stated(tensor: Coo) -> ReadTensor {
        ReadTensor { tensor, states_extents: true, notes: Vec::new() }
    }

    /// The adjacency matrix of a graph.
    fn of_graph(mut graph: Input) -> ReadTensor {
        let mut notes = std::mem::take(&mut graph.notes);
        let order = match (graph.ids.has_names(), graph.ids.range()) {
            (true, _) => Some("names"),
            (false, Some((0 | 1, _))) => None,
            (false, _) => Some("ids"),
        };
        if let Some(order) = order {
            notes
                .push(format!("not kept: {order} of vertices; they are numbered from 1 in the order of their {order}"));
        }
        ReadTensor { notes, ..ReadTensor::stated(Coo::from_graph(graph)) }
    }
}

/// Reads a tensor as [`read_tensor`] does, and what else its file says.
///
/// # Errors
///
/// As [`read`].
pub fn read_whole_tensor(path: impl AsRef<Path>, options: &Options) -> Result<ReadTensor, Error> {
    let path = path.as_ref();
    if let Some(files) = ldbc::Files::find(path, options.format) {
        return Ok(ReadTensor::of_graph(ldbc::read(&files?, options)?));
    }
    let size = std::fs::metadata(path).map_or(0, |m| m.len());
    let mut source = Source::open(path, &Meter::new(&options.progress, size))?;
    let options = &options.clone().with_any_number(true);
    let format = recognise(&mut source, options.format, options.columns.is_some())?;
    if !matches!(format, Format::Tensor | Format::Plg) {
        check_columns(path, format, options)?;
    }
    Ok(match read_held(source, format, options)? {
        Held::Tensor(mut read, rounded) => {
            read.notes.extend(rounded.then(|| note_on_rounding("values")));
            read
        }
        // Nothing is made for each row or column, so they may be any number.
        Held::Graph(raw) => ReadTensor::of_graph(raw.finish(format, options)),
    })
}

/// What a file turned out to hold.
pub(crate) enum Held {
    /// A graph or a matrix.
    Graph(Raw),
    /// A tensor of any order, and whether a whole number among its values was rounded.
    Tensor(ReadTensor, bool),
}

fn read_source(mut source: Source, options: &Options) -> Result<Input, Error> {
    let format = recognise(&mut source, options.format, options.columns.is_some())?;
    read_as(source, format, options)
}

/// Recognises the format; `columns` says that those of a list of edges are named. Refuses empty files, and binary files where text is expected.
fn recognise(source: &mut Source, format: Option<Format>, columns: bool) -> Result<Format, Error> {
    if source.is_all() && source.peek().iter().all(u8::is_ascii_whitespace) {
        return Err(Error::Empty { path: source.path().to_owned(), expected: "a graph or a tensor" });
    }
    if source.peek().starts_with(crate::foreign::FEATHER_V1) {
        crate::foreign::check(source.path(), source.peek())?;
    }
    let binary = [Format::Plg, Format::Gap, Format::Npz, Format::Arrow, Format::Parquet];
    if let Some(binary) = format.or_else(|| detect_binary(source)).filter(|format| binary.contains(format)) {
        return Ok(binary);
    }
    crate::foreign::check(source.path(), source.peek())?;
    source.check_text()?;
    if let Some(format) = format {
        return Ok(format);
    }
    if !columns {
        crate::foreign::check_lgl(source.path(), source.peek())?;
    }
    detect(source, columns)
}

fn read_as(source: Source, format: Format, options: &Options) -> Result<Input, Error> {
    let path = source.path().to_owned();
    check_columns(&path, format, options)?;
    match read_held(source, format, options)? {
        Held::Graph(raw) => raw.checked(format, options),
        Held::Tensor(read, rounded) => {
            let raw = Raw { rounded, ..tns::into_raw(&path, read.tensor)? };
            raw.check_extents()?;
            Ok(raw.finish(format, options))
        }
    }
}

fn read_held(source: Source, format: Format, options: &Options) -> Result<Held, Error> {
    let path = source.path().to_owned();
    Ok(Held::Graph(match format {
        Format::MatrixMarket => matrix_market::read(source, options)?,
        Format::Adjacency => {
            let mut raw = adjacency::read(source)?;
            if options.format.is_none() {
                raw.notes.push("read as: a vertex and its neighbours, a line each".to_owned());
            }
            raw
        }
        Format::Metis => metis::read(source)?,
        Format::Names if options.columns.is_none() => names::read(source)?,
        Format::Names => edge_list::read(source, options)?,
        Format::Dimacs => dimacs::read(source, options)?,
        Format::Ligra => ligra::read(source)?,
        Format::HarwellBoeing => harwell_boeing::read(source)?,
        Format::Tensor => return tns::read(source, options.any_number),
        Format::Gap => gap::read(source)?,
        Format::GraphMl => graphml::read(source)?,
        Format::Gexf => gexf::read(source)?,
        Format::Pajek => pajek::read(source)?,
        Format::NodeLink => node_link::read(source)?,
        Format::Npz => {
            let any_number = options.any_number || options.weights == Weights::Ignore;
            return crate::npz::read(&path, source.rest()?, any_number);
        }
        #[cfg(feature = "tables")]
        Format::Arrow => arrow::read(&path, source.rest()?, options)?,
        #[cfg(feature = "tables")]
        Format::Parquet => parquet::read(&path, source.rest()?, options)?,
        #[cfg(not(feature = "tables"))]
        Format::Arrow | Format::Parquet => {
            let reason = format!("is read as {format}, which takes the feature `tables` of pleach-datasets");
            return Err(Error::Table { path, reason });
        }
        Format::Plg => return plg::read(source, options.any_number),
        Format::EdgeList | Format::Ldbc | Format::Generated => edge_list::read(source, options)?,
    }))
}

/// Refuses names of columns for a format that has no columns.
fn check_columns(path: &Path, format: Format, options: &Options) -> Result<(), Error> {
    let listed = matches!(format, Format::EdgeList | Format::Ldbc | Format::Names | Format::Arrow | Format::Parquet);
    match options.columns.is_some() && !listed {
        true => Err(Error::NoColumns { path: path.to_owned(), format }),
        false => Ok(()),
    }
}

/// Refuses more vertices (or whatever `what` says) than the entries can account for.
pub(crate) fn check_proportion(path: &Path, what: &'static str, vertices: u64, arcs: u64) -> Result<(), Error> {
    let most = SPARE_VERTICES + VERTICES_PER_ENTRY * arcs;
    match vertices <= most {
        true => Ok(()),
        false => Err(Error::TooSparse { path: path.to_owned(), what, vertices, arcs, most }),
    }
}

/// The result of a reader.
pub(crate) struct Raw {
    pub(crate) path: PathBuf,
    pub(crate) num_rows: usize,
    pub(crate) num_cols: usize,
    pub(crate) arcs: Arcs,
    pub(crate) weighted: bool,
    pub(crate) ids: IdMap,
    pub(crate) declared: Option<Direction>,
    /// What an entry of the listing stands for.
    pub(crate) listing: Listing,
    /// Whether a whole number among the weights was rounded.
    pub(crate) rounded: bool,
    /// What a person should know about how the file was read.
    pub(crate) notes: Vec<String>,
    /// What the file says beside ids and weights.
    pub(crate) extra: Extra,
}

/// What a file says beside ids and weights.
#[derive(Default)]
pub(crate) struct Extra {
    pub(crate) attributes: Attributes,
    /// What no attribute can hold.
    pub(crate) lost: Vec<String>,
}

impl Extra {
    /// The attributes, if they are to be kept; adds a note on what is not.
    fn kept(self, keep: bool, notes: &mut Vec<String>) -> Attributes {
        let Extra { attributes, mut lost } = self;
        let attributes = if keep {
            attributes
        } else {
            lost.extend(attributes.names());
            Attributes::default()
        };
        if !lost.is_empty() {
            let more =
                if lost.len() > MOST_NAMED { format!(" and {} more", lost.len() - MOST_NAMED) } else { String::new() };
            lost.truncate(MOST_NAMED);
            notes.push(format!("not kept: {}{more}", lost.join(", ")));
        }
        attributes
    }
}

/// Attributes that a note names.
const MOST_NAMED: usize = 20;

/// How a file lists edges.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listing {
    /// Each line is one arc of a directed graph or one edge of an undirected one.
    Once,
    /// Each entry stands for its mirror image too, whatever the graph is taken for.
    Symmetric,
    /// An undirected graph's edges are listed from both ends.
    Both,
}

impl Raw {
    /// A graph whose vertices are those of `ids`.
    fn graph(path: &Path, arcs: Arcs, ids: IdMap, weighted: bool) -> Raw {
        let n = ids.len();
        let path = path.to_owned();
        Raw {
            path,
            num_rows: n,
            num_cols: n,
            arcs,
            weighted,
            ids,
            declared: None,
            listing: Listing::Once,
            rounded: false,
            notes: Vec::new(),
            extra: Extra::default(),
        }
    }

    /// Refuses a tensor of order 2 whose extents are out of proportion to its nonzeros.
    fn check_extents(&self) -> Result<(), Error> {
        let nonzeros = self.arcs.src.len() as u64;
        let most = SPARE_VERTICES + VERTICES_PER_ENTRY * nonzeros;
        let extents = [self.num_rows as u64, self.num_cols as u64];
        match extents.into_iter().position(|extent| extent > most) {
            None => Ok(()),
            Some(at) => {
                let (path, extent) = (self.path.clone(), extents[at]);
                Err(Error::TooWide { path, mode: at + 1, extent, nonzeros, most })
            }
        }
    }

    /// The graph, unless it has more vertices than its arcs can account for.
    fn checked(self, format: Format, options: &Options) -> Result<Input, Error> {
        check_proportion(
            &self.path,
            format.counts(),
            self.num_rows.max(self.num_cols) as u64,
            self.arcs.src.len() as u64,
        )?;
        Ok(self.finish(format, options))
    }

    fn finish(self, format: Format, options: &Options) -> Input {
        let Raw { path, num_rows, num_cols, arcs, weighted, ids, declared, listing, rounded, mut notes, extra } = self;
        let Arcs { src, dst, weight } = arcs;
        let attributes = extra.kept(options.attributes, &mut notes);
        let arcs = src.len();
        let edges = if weighted && options.weights != Weights::Ignore {
            Edges::Weighted(EdgeList { num_rows, num_cols, src, dst, weight })
        } else {
            Edges::Pattern(EdgeList { num_rows, num_cols, src, dst, weight: vec![(); arcs] })
        };
        if rounded && edges.is_weighted() {
            let what = if format.is_of_matrices() { "values" } else { "weights" };
            notes.push(note_on_rounding(what));
        }
        let edges = if options.weights == Weights::OrOne { Edges::Weighted(edges.into_weighted()) } else { edges };
        let directed = options.direction.or(declared).unwrap_or(Direction::Directed) == Direction::Directed;
        let mirrored = match listing {
            Listing::Once => !directed,
            Listing::Symmetric => true,
            Listing::Both => false,
        };
        let self_loops = edges.count_self_loops();
        Input { name: name_of(&path), format, edges, ids, directed, declared, mirrored, self_loops, attributes, notes }
    }
}

/// The note on whole numbers that were rounded.
fn note_on_rounding(what: &str) -> String {
    format!("whole {what} of 2^53 and more were rounded: they are held as floating-point numbers")
}

/// The error of a file that holds another number of entries than its header says. Reads the file again to find where: lines for
/// which `is_entry` holds are counted, after the first `header` of them.
fn wrong_count(path: &Path, header: u64, expected: u64, found: u64, is_entry: impl Fn(&[u8]) -> bool) -> Error {
    if !path.is_file() {
        // What is no file of its own is read once: the place is not known.
        let fault = match found > expected {
            true => Fault::TooManyEntries { expected },
            false => Fault::TooFewEntries { expected, found },
        };
        return Error::at(path, 1, 1, fault);
    }
    let search = || -> Result<Error, Error> {
        let mut source = Source::again(path, None)?;
        source.skip_mark();
        let mut seen = 0;
        while let Some(line) = source.line()? {
            seen += u64::from(is_entry(&line));
            if seen.saturating_sub(header) > expected {
                return Ok(source.fault(1, Fault::TooManyEntries { expected }));
            }
        }
        Ok(source.fault(1, Fault::TooFewEntries { expected, found }))
    };
    search().unwrap_or_else(|error| error)
}

/// The file's name without its endings.
fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (stem, _) = split_ending(&name);
    stem.to_owned()
}

/// The ending of a file's name in lower case, leaving out that of a compression: `plg` of `A.PLG.zst`.
pub fn ending(path: &Path) -> String {
    split_ending(&path.file_name().unwrap_or_default().to_string_lossy()).1
}

/// Splits a file's name into what precedes its ending and the ending in lower case, leaving out that of a compression.
pub(crate) fn split_ending(name: &str) -> (&str, String) {
    let (plain, _) = split_name(name);
    match plain.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => (stem, ending.to_ascii_lowercase()),
        _ => (plain, String::new()),
    }
}

/// What files of Arrow's IPC format begin and end with; streams do not.
const ARROW: &[u8] = b"ARROW1";

/// What Parquet files begin and end with.
const PARQUET: &[u8] = b"PAR1";

/// Binary formats are recognised by their signature or, without one, by their names.
fn detect_binary(source: &Source) -> Option<Format> {
    binary(&source.path().file_name().unwrap_or_default().to_string_lossy(), source.peek())
}

/// The binary format of a file of this name that begins so.
fn binary(name: &str, begin: &[u8]) -> Option<Format> {
    match split_ending(name).1.as_str() {
        _ if crate::plg::has_signature(begin) => Some(Format::Plg),
        "plg" => Some(Format::Plg),
        "sg" | "wsg" => Some(Format::Gap),
        "npz" => Some(Format::Npz),
        "arrow" | "arrows" | "feather" => Some(Format::Arrow),
        "parquet" => Some(Format::Parquet),
        _ if begin.starts_with(ARROW) => Some(Format::Arrow),
        _ if begin.starts_with(PARQUET) => Some(Format::Parquet),
        _ if begin.starts_with(crate::npz::SIGNATURE) && begins_with_an_array(begin) => Some(Format::Npz),
        _ => None,
    }
}

/// The endings of Harwell-Boeing files: the type of the matrix, or that of its successor.
fn is_harwell_boeing(ending: &str) -> bool {
    let kind = |[values, symmetry, assembled]: [u8; 3]| {
        matches!(values, b'r' | b'c' | b'p' | b'i')
            && matches!(symmetry, b'u' | b's' | b'z' | b'h' | b'r')
            && matches!(assembled, b'a' | b'e')
    };
    matches!(ending, "hb" | "rb") || ending.as_bytes().try_into().is_ok_and(kind)
}

/// The formats of XML, Pajek and JSON begin in ways that no others do.
fn known_by_begin(text: &[u8]) -> Option<Format> {
    let text = text.trim_ascii_start();
    let holds = |tag: &[u8]| memchr::memmem::find(&text[..text.len().min(4096)], tag).is_some();
    match text {
        [b'<', ..] if holds(b"<graphml") => Some(Format::GraphMl),
        [b'<', ..] if holds(b"<gexf") => Some(Format::Gexf),
        [b'{', ..] => Some(Format::NodeLink),
        [b'*', ..] if text.len() > 9 && text[1..9].eq_ignore_ascii_case(b"vertices") => Some(Format::Pajek),
        _ => None,
    }
}

/// The text format that the beginning of a file shows.
fn known_text(text: &[u8]) -> Option<Format> {
    match known_by_begin(text) {
        _ if matrix_market::has_banner(text) => Some(Format::MatrixMarket),
        None if ligra::has_banner(text) => Some(Format::Ligra),
        known => known,
    }
}

/// The text format that the ending of a name stands for, if it is not a list of edges.
fn of_ending(ending: &str) -> Option<Format> {
    Some(match ending {
        "mtx" => Format::MatrixMarket,
        "graph" | "metis" => Format::Metis,
        "names" => Format::Names,
        "gr" => Format::Dimacs,
        "adj" => Format::Ligra,
        "tns" => Format::Tensor,
        "graphml" => Format::GraphMl,
        "gexf" => Format::Gexf,
        "net" => Format::Pajek,
        "json" => Format::NodeLink,
        ending if is_harwell_boeing(ending) => Format::HarwellBoeing,
        _ => return None,
    })
}

/// The format of a file that is no list of edges or updates, by its beginning, and by its name unless the `columns` of a list are named.
pub(crate) fn known_otherwise(path: &Path, begin: &[u8], columns: bool) -> Option<Format> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let by_name = || of_ending(&split_ending(&name).1).filter(|format| *format != Format::Names && !columns);
    binary(&name, begin).or_else(|| known_text(begin)).or_else(by_name)
}

/// Recognises the format by content, then by ending, then by the shape of the first lines.
fn detect(source: &Source, columns: bool) -> Result<Format, Error> {
    let name = source.path().file_name().unwrap_or_default().to_string_lossy();
    let (_, ending) = split_ending(&name);
    if let Some(format) = known_text(source.peek()) {
        return Ok(format);
    }
    if let Some(format) = of_ending(&ending).filter(|_| !columns) {
        return Ok(format);
    }
    match ending.as_str() {
        _ if columns => Ok(Format::EdgeList),
        "txt" | "csv" | "tsv" | "el" | "wel" | "e" => Ok(Format::EdgeList),
        // KONECT's lists of edges are recognised by their header, or by their names: `out.NETWORK`.
        _ if name.starts_with("out.") || head::Head::of(source.peek()).konect.is_some() => Ok(Format::EdgeList),
        _ => by_shape(source, &ending),
    }
}

/// Whether a file without a known ending is an edge list or a list of neighbours. Lines of two ids are the same as either. Lines that have
/// all three or four ids could be both, and are refused.
fn by_shape(source: &Source, ending: &str) -> Result<Format, Error> {
    let known = || Format::FILES.map(Format::name).join(", ");
    let unknown = |hint: String| Error::UnknownFormat { path: source.path().to_owned(), hint };
    let other = || {
        unknown(match ending {
            "" => format!("name its format by --format ({})", known()),
            _ => format!("the ending .{ending} is unknown: name its format by --format ({})", known()),
        })
    };
    let text = source.peek();
    let whole = match (source.is_all(), memchr::memrchr(b'\n', text)) {
        (false, Some(end)) => &text[..end],
        _ => text,
    };
    let is_id = |field: &[u8]| !field.is_empty() && field.iter().all(u8::is_ascii_digit);
    let mut columns = None;
    let mut even = true;
    let mut all_ids = true;
    for line in whole.split(|&b| b == b'\n') {
        let fields: Vec<&[u8]> =
            line.split(|b| matches!(b, b' ' | b'\t' | b'\r' | b',' | b';')).filter(|f| !f.is_empty()).collect();
        let Some(first) = fields.first() else { continue };
        if matches!(first[0], b'#' | b'%') {
            continue;
        }
        if !is_id(first) {
            return Err(other());
        }
        even &= *columns.get_or_insert(fields.len()) == fields.len();
        all_ids &= fields.iter().all(|field| is_id(field));
    }
    match columns {
        Some(2) if even => Ok(Format::EdgeList),
        Some(3 | 4) if even && !all_ids => Ok(Format::EdgeList),
        Some(count) if even && all_ids => Err(unknown(format!(
            "all lines have {count} columns of whole numbers: name its format, --format edges (src dst weight time) or --format adjacency \
             (a vertex and its neighbours)"
        ))),
        Some(_) if all_ids => Ok(Format::Adjacency),
        _ => Err(other()),
    }
}
