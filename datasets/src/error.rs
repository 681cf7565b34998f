//! What can go wrong while reading, generating or writing a graph, in the user's words.

use std::path::{Path, PathBuf};

use crate::input::ROWS;

/// Why a graph could not be read, generated or written.
///
/// Every variant names the file or the argument at fault; [`Error::Malformed`] also names the line and the column.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused: no such file, no permission, a full disk.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A directory stands where a file was expected.
    #[error("{}: is a directory, expected a file", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
    },
    /// The file, or what it decompresses to, holds no edge and declares no vertex.
    #[error("{}: is empty, expected {expected}", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// What should have been there.
        expected: &'static str,
    },
    /// The file holds bytes that no text format has.
    #[error("{}: is a binary file (byte {byte:#04x} at offset {offset}), expected text", path.display())]
    Binary {
        /// The file.
        path: PathBuf,
        /// Offset in the decompressed file, in bytes.
        offset: usize,
        /// The byte found there.
        byte: u8,
    },
    /// The file has a format of another program, or a compression that is not supported.
    #[error("{}: is {kind}: {advice}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Its kind, such as `"a tar archive"`.
        kind: &'static str,
        /// What to do about it.
        advice: &'static str,
    },
    /// The file's name ends in `.gz`, `.zst`, `.xz` or `.bz2`, but the file is not compressed.
    #[error("{}: is named .{ending}, but is not {ending}-compressed", path.display())]
    NotCompressed {
        /// The file.
        path: PathBuf,
        /// The ending of the name.
        ending: &'static str,
    },
    /// The compressed file is cut short or damaged.
    #[error("{}: the compressed data {reason}", path.display())]
    Compressed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A binary file does not follow its format.
    #[error("{}: offset {offset}: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where, in bytes from the beginning of the decompressed file.
        offset: u64,
        /// What was expected there, and what was found.
        reason: String,
    },
    /// An archive of arrays (`.npz`) is damaged, or its arrays do not form a sparse matrix or tensor as SciPy writes it.
    #[error("{}: {reason}", path.display())]
    Archive {
        /// The file.
        path: PathBuf,
        /// What was expected in which array, and what was found.
        reason: String,
    },
    /// The format that the file's name stands for cannot hold the graph.
    #[error("{}: {reason}", path.display())]
    CannotWrite {
        /// The file.
        path: PathBuf,
        /// What the format cannot hold.
        reason: String,
    },
    /// A tensor was read where a graph or a matrix is needed.
    #[error("{}: is a tensor of order {order}, expected a graph or a matrix, which has order 2", path.display())]
    Order {
        /// The file.
        path: PathBuf,
        /// The number of its modes.
        order: usize,
    },
    /// A matrix was read where a graph is needed.
    #[error("{}: is a matrix of {rows} rows and {cols} columns; a graph has as many of both", path.display())]
    NotSquare {
        /// The file.
        path: PathBuf,
        /// Its rows.
        rows: u64,
        /// Its columns.
        cols: u64,
    },
    /// A file could not be fetched.
    #[error("cannot fetch {url}: {reason}; a copy from elsewhere can be put at {}", place.display())]
    Network {
        /// Where it should have come from.
        url: String,
        /// What the network, or the server, said.
        reason: String,
        /// Where a file is looked for before it is fetched.
        place: PathBuf,
    },
    /// A fetched file differs from an earlier download.
    #[error(
        "{}: has the SHA-256 {found}, expected {recorded} as an earlier download had; \
         remove {} to accept the change, or the file to fetch it again",
        path.display(),
        record.display()
    )]
    Changed {
        /// The file.
        path: PathBuf,
        /// The file that records the checksum.
        record: PathBuf,
        /// The checksum recorded.
        recorded: String,
        /// The checksum found.
        found: String,
    },
    /// A graph that was fetched has not the size that its publisher says.
    #[error("{}: expected {expected} as published, found {found}", path.display())]
    NotAsPublished {
        /// The file, which has been removed.
        path: PathBuf,
        /// What was published.
        expected: String,
        /// What was found.
        found: String,
    },
    /// No folder for downloads is known.
    #[error("there is no folder to keep downloads in; name one in the environment variable PLEACH_CACHE")]
    NoCache,
    /// A text file does not follow its format.
    #[error("{}:{line}:{column}: {fault}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: u64,
        /// Column in bytes, counted from 1.
        column: usize,
        /// What was found and what was expected.
        fault: Fault,
    },
    /// The format of the file is not recognised.
    #[error("{}: cannot tell what kind of graph this is; {hint}", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// What to do about it.
        hint: String,
    },
    /// A file of another kind where updates are expected.
    #[error(
        "{}: is read as {format}, expected updates, a line each: `pleach data write` lists the edges of such a file in one that ends in .tsv",
        path.display()
    )]
    NotUpdates {
        /// The file.
        path: PathBuf,
        /// Its format.
        format: crate::Format,
    },
    /// Columns are named for a kind of file that is no list of edges.
    #[error("{}: is read as {format}, which has no columns that could be named; lists of edges have", path.display())]
    NoColumns {
        /// The file.
        path: PathBuf,
        /// Its format.
        format: crate::Format,
    },
    /// Neither a file nor the name of a bundled or generated graph.
    #[error("there is no file and no bundled graph named `{name}`; {known}")]
    UnknownGraph {
        /// The name.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// The name of a graph that can be fetched, and has not been.
    #[error("`{name}` has not been fetched yet; `pleach data fetch {name}` does")]
    NotFetched {
        /// The graph.
        name: String,
    },
    /// A generator's arguments are wrong.
    #[error("`{spec}`: {reason}")]
    Generator {
        /// The name as given, or the generator's own.
        spec: String,
        /// What would be right.
        reason: String,
    },
    /// No writer knows the ending of the file's name.
    #[error("{}: cannot tell what to write; expected a name that ends in {expected}", path.display())]
    UnknownEnding {
        /// The file.
        path: PathBuf,
        /// The known endings.
        expected: String,
    },
    /// A table of edges cannot be read: its columns are others than expected, a row is wrong, or the file is damaged.
    #[error("{}: {reason}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// More vertices than 32-bit coordinates can number.
    #[error("{}: has {vertices} {what}, and at most {max} can be numbered", path.display(), max = u32::MAX)]
    TooManyVertices {
        /// The file, or the generator's name.
        path: PathBuf,
        /// What there are so many of: `"vertices"`, or in a matrix `"rows or columns"`.
        what: &'static str,
        /// How many there are.
        vertices: u64,
    },
    /// A file declares far more vertices than it lists edges: what is built from it would take memory out of proportion to it.
    #[error(
        "{}: declares {vertices} {what} and lists {}, expected at most {most} {what} for so many; \
         in an edge list, ids may have gaps of any size",
        path.display(),
        counted(*arcs, "entry", "entries")
    )]
    TooSparse {
        /// The file.
        path: PathBuf,
        /// What it declares: `"vertices"`, or in a matrix `"rows or columns"`.
        what: &'static str,
        /// How many vertices, rows or columns it declares.
        vertices: u64,
        /// How many entries it lists.
        arcs: u64,
        /// The largest number of vertices for this number of entries.
        most: u64,
    },
    /// A tensor that is read as a graph is far wider than it has nonzeros: the graph would take memory out of proportion to it.
    #[error(
        "{}: mode {mode} of the tensor has extent {extent} for {}, expected at most {most} for so many",
        path.display(),
        counted(*nonzeros, "nonzero", "nonzeros")
    )]
    TooWide {
        /// The file.
        path: PathBuf,
        /// The mode, counted from 1.
        mode: usize,
        /// Its extent.
        extent: u64,
        /// How many nonzeros there are.
        nonzeros: u64,
        /// The largest extent for this number of nonzeros.
        most: u64,
    },
}

impl Error {
    /// Wraps an error of the operating system with the file it is about.
    pub(crate) fn io(path: &Path, source: std::io::Error) -> Error {
        Error::Io { path: path.to_owned(), source }
    }

    /// Whether [`read_tensor`](crate::read_tensor) reads the file all the same: it holds a tensor of another order than 2, or a matrix whose extents
    /// are out of proportion to its entries.
    pub fn is_of_tensor(&self) -> bool {
        match self {
            Error::Order { .. } | Error::TooWide { .. } => true,
            Error::TooSparse { what, .. } => *what == ROWS,
            _ => false,
        }
    }

    /// The error of `fault` at `line` and `column`, both counted from 1.
    pub(crate) fn at(path: &Path, line: u64, column: usize, fault: Fault) -> Error {
        Error::Malformed { path: path.to_owned(), line, column, fault }
    }
}

/// What is wrong at one place of a text file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// Something else where a vertex id belongs.
    #[error("expected a vertex id (a whole number), found {found}")]
    Id {
        /// The text found, quoted.
        found: String,
    },
    /// A vertex's name that is not text.
    #[error("expected a name in UTF-8, found {found}")]
    Name {
        /// The bytes found, quoted.
        found: String,
    },
    /// A negative vertex id.
    #[error("expected a vertex id of 0 or more, found the negative {found}")]
    NegativeId {
        /// The text found, quoted.
        found: String,
    },
    /// A vertex id beyond 64 bits.
    #[error("expected a vertex id of at most {max}, found {found}", max = u64::MAX)]
    IdOverflow {
        /// The text found, quoted.
        found: String,
    },
    /// Something else where a row or a column of a matrix belongs.
    #[error("expected a {what} between 1 and {last}, found {found}")]
    Place {
        /// `row` or `column`.
        what: &'static str,
        /// The last one of the matrix.
        last: u64,
        /// The text found, quoted.
        found: String,
    },
    /// A coordinate outside the dimensions that the file declares.
    #[error("expected a {what} between {first} and {last}, found {found}")]
    OutOfRange {
        /// `row`, `column` or `vertex`.
        what: &'static str,
        /// The smallest that is allowed.
        first: u64,
        /// The largest that is allowed.
        last: u64,
        /// The number found.
        found: u64,
    },
    /// Something else where a coordinate of a tensor belongs, or one that 32 bits do not hold.
    #[error("expected a coordinate between 1 and {max}, found {found}", max = u32::MAX)]
    Coordinate {
        /// The text found, quoted.
        found: String,
    },
    /// Something else where a number belongs.
    #[error("expected a number, found {found}")]
    Number {
        /// The text found, quoted.
        found: String,
    },
    /// A number with a comma in the place of the point.
    #[error("expected a number with a decimal point, found {found}")]
    DecimalComma {
        /// The text found, quoted.
        found: String,
    },
    /// An edge of another kind than the graph, in Gephi's column `Type`.
    #[error(
        "expected {expected} in the column `Type`, as in the lines before or in the graph itself, found {found}; `--directed` or `--undirected` reads all \
         edges alike"
    )]
    Direction {
        /// `Directed` or `Undirected`.
        expected: &'static str,
        /// The text found, quoted.
        found: String,
    },
    /// An operation in a list whose first line has none.
    #[error(
        "expected no operation, as in the first line, found {found}: every line has one, or none has; a name that looks like one stands in \
         quotes"
    )]
    UnexpectedOperation {
        /// The text found, quoted.
        found: String,
    },
    /// NaN, an infinity, or a number too large for 64-bit floating point.
    #[error("expected a finite number, found {found}")]
    NotFinite {
        /// The text found, quoted.
        found: String,
    },
    /// The line ends too early.
    #[error("expected {expected}, found the end of the line")]
    MissingColumn {
        /// What should have followed.
        expected: &'static str,
    },
    /// The line has more columns than it should.
    #[error("expected {expected}, found more: {found}")]
    ExtraColumn {
        /// The columns that there should be.
        expected: &'static str,
        /// The text found, quoted.
        found: String,
    },
    /// Something between two columns is not the separator.
    #[error("expected {expected} between columns, found {found}")]
    Separator {
        /// The separator that the file uses.
        expected: &'static str,
        /// The text found, quoted.
        found: String,
    },
    /// A line longer than any reader accepts.
    #[error("expected a line of at most {limit} bytes")]
    LineTooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// A field that begins with a quote, without another at its end.
    #[error("expected a closing `\"` before the end of the line, found {found}: no field may go on in the next line")]
    OpenQuote {
        /// The text found, quoted.
        found: String,
    },
    /// An edge that is listed at one of its ends only, in a file that lists each at both.
    #[error(
        "expected each edge at both ends, with one weight; found {dst} among the neighbours of {src}{}, and not {src} among those of {dst}{}",
        with(weight.as_ref()),
        weight.as_ref().map_or("", |_| " with this weight")
    )]
    OneSided {
        /// The end that the edge is listed at.
        src: u64,
        /// The other end.
        dst: u64,
        /// The weight there, if the file has weights.
        weight: Option<String>,
    },
    /// An edge's end that the vertex file does not list.
    #[error("expected a vertex that is listed in {vertices}, found {id}")]
    UnknownVertex {
        /// The id found.
        id: u64,
        /// The vertex file.
        vertices: String,
    },
    /// Something else where a header belongs.
    #[error("expected {expected}, found {found}")]
    Header {
        /// What should have been there.
        expected: String,
        /// The text found, quoted.
        found: String,
    },
    /// A kind of matrix that is not supported, such as a complex one.
    #[error("{kind} matrices are not supported: expected {expected}")]
    Unsupported {
        /// The kind as the file names it.
        kind: String,
        /// What could be read.
        expected: &'static str,
    },
    /// An entry at a place that the symmetry of its matrix excludes.
    #[error("expected {expected}, found {found}")]
    Entry {
        /// The places that the symmetry allows.
        expected: &'static str,
        /// The place of this entry.
        found: String,
    },
    /// Something else where the operation of an update belongs.
    #[error("expected `+`, `-`, `a`, `u` or `d`, found {found}")]
    Operation {
        /// The text found, quoted.
        found: String,
    },
    /// Something else where a time belongs.
    #[error("expected a time (a number), found {found}")]
    Time {
        /// The text found, quoted.
        found: String,
    },
    /// A fraction where times are whole.
    #[error(
        "expected a whole time, as in the first line, found {found}; `--time-digits 6` keeps six digits behind the point"
    )]
    FractionOfTime {
        /// The text found, quoted.
        found: String,
    },
    /// A time such as `1e3`, which might stand for more digits than it shows.
    #[error("expected a time with all of its digits, such as 1000 or 0.25, found {found}")]
    TimeWithExponent {
        /// The text found, quoted.
        found: String,
    },
    /// A list of updates where a list of edges belongs.
    #[error(
        "expected a list of edges, found one of updates, which insert and delete: `pleach stream empty --updates FILE` applies them"
    )]
    Updates,
    /// Fewer entries than the header promised.
    #[error("expected {} as the header says, found only {found}", counted(*expected, "entry", "entries"))]
    TooFewEntries {
        /// The number that the header promised.
        expected: u64,
        /// The number found.
        found: u64,
    },
    /// More entries than the header promised.
    #[error("expected {} as the header says, found more", counted(*expected, "entry", "entries"))]
    TooManyEntries {
        /// The number that the header promised.
        expected: u64,
    },
}

/// A number of things, in a message.
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// How a message names a weight.
fn with(weight: Option<&String>) -> String {
    weight.map_or(String::new(), |weight| format!(" with the weight {weight}"))
}
