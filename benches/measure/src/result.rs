//! What was measured: one document of a run, which is printed, drawn, compared and kept.

use serde::{Deserialize, Serialize};

use crate::method::Spread;

/// The kind of document, so that another one is recognised.
pub const FORMAT: &str = "pleach-bench-1";

/// A run of one or more suites on one machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Results {
    /// [`FORMAT`].
    pub format: String,
    /// Where, with what and how it was measured.
    pub machine: Machine,
    /// The graphs.
    pub graphs: Vec<GraphFacts>,
    /// What was measured, in the order of time.
    pub rows: Vec<Row>,
}

/// Why a text is no document of a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoResults {
    /// It is no JSON of this kind.
    #[error("expected what `pleach bench … --json` prints: {0}")]
    Json(#[from] serde_json::Error),
    /// It is a document of another kind.
    #[error(
        "expected a document of the format {FORMAT}, as `pleach bench … --json` prints; this one has the format {0:?}"
    )]
    Format(String),
}

impl Results {
    /// Reads a document.
    ///
    /// # Errors
    ///
    /// [`NoResults`] if it is something else.
    pub fn parse(text: &str) -> Result<Self, NoResults> {
        let results: Results = serde_json::from_str(text)?;
        if results.format == FORMAT { Ok(results) } else { Err(NoResults::Format(results.format)) }
    }
}

/// Where, with what and how a run was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// The processor's name.
    pub cpu: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// Bytes of the last level of caches.
    pub cache_bytes: u64,
    /// The operating system.
    pub system: String,
    /// The threads that the two following figures were measured with.
    pub threads: usize,
    /// Gigabytes a second of `a[i] = b[i] + c * d[i]` over arrays that no cache holds: two read and one written.
    pub triad_gb_per_second: f64,
    /// Millions of 8-byte reads a second at random places of an array that no cache holds, none of which waits for another one.
    pub gather_m_per_second: f64,
    /// The compiler's version.
    pub rustc: String,
    /// The version of this program.
    pub version: String,
    /// The commit that the program was built from.
    pub commit: String,
    /// What the memory allocator was told.
    pub allocator: String,
    /// When the run began (UTC).
    pub date: String,
    /// Repetitions of each figure.
    pub rounds: usize,
    /// Seconds after which a figure is not repeated again.
    pub seconds: f64,
    /// Whether the caches were filled with something else before each repetition.
    pub cold: bool,
    /// Whether threads were bound to cores.
    pub pinned: bool,
    /// The command line.
    pub command: String,
}

/// A graph that was measured on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphFacts {
    /// As the user named it.
    pub name: String,
    /// Whether its edges have a direction.
    pub directed: bool,
    /// Vertices.
    pub vertices: usize,
    /// Arcs after merging duplicates; an edge of an undirected graph is two.
    pub arcs: usize,
    /// Arcs by vertices.
    pub mean_degree: f64,
    /// The most arcs of a vertex.
    pub max_degree: usize,
    /// Vertices without an arc.
    pub isolated: usize,
}

/// Whose figure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// A store, a kernel or an algorithm of Pleach.
    Ours,
    /// Static rows: compressed sparse rows of the same definition.
    Static,
    /// Plain Rust as one writes it without Pleach, or another library in the same process.
    Hand,
    /// A program of others, which the user has named.
    Peer,
}

impl Side {
    /// As it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Side::Ours => "ours",
            Side::Static => "static",
            Side::Hand => "by hand",
            Side::Peer => "theirs",
        }
    }
}

/// What a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// Seconds.
    #[serde(rename = "s")]
    Seconds,
    /// Arcs a second.
    #[serde(rename = "arcs/s")]
    ArcsPerSecond,
    /// Lines of a file a second.
    #[serde(rename = "lines/s")]
    LinesPerSecond,
    /// Requests to a server a second.
    #[serde(rename = "requests/s")]
    RequestsPerSecond,
    /// Bytes a second.
    #[serde(rename = "B/s")]
    BytesPerSecond,
    /// Bytes for each arc.
    #[serde(rename = "B/arc")]
    BytesPerArc,
    /// How often one figure holds another, where more is better.
    #[serde(rename = "×")]
    Times,
    /// A number.
    #[serde(rename = "1")]
    Count,
}

impl Unit {
    /// As it is written behind a figure.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Seconds => "s",
            Unit::ArcsPerSecond => "arcs/s",
            Unit::LinesPerSecond => "lines/s",
            Unit::RequestsPerSecond => "requests/s",
            Unit::BytesPerSecond => "B/s",
            Unit::BytesPerArc => "B/arc",
            Unit::Times => "×",
            Unit::Count => "",
        }
    }

    /// Whether more is better.
    pub fn is_rate(self) -> bool {
        let per_second = matches!(self, Unit::ArcsPerSecond | Unit::LinesPerSecond | Unit::RequestsPerSecond);
        per_second || matches!(self, Unit::BytesPerSecond | Unit::Times)
    }

    /// How often the cost of `figure` holds that of `other`: smaller is better for every unit.
    pub fn ratio(self, figure: f64, other: f64) -> f64 {
        if self.is_rate() { other / figure } else { figure / other }
    }
}

/// One figure, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The suite.
    pub suite: String,
    /// The graph or matrix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<String>,
    /// What is done.
    pub work: String,
    /// Who does it.
    pub competitor: String,
    /// Whose that is.
    pub side: Side,
    /// By how many threads.
    pub threads: usize,
    /// What the figure counts.
    pub unit: Unit,
    /// The median.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median: Option<f64>,
    /// The quartiles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quartiles: Option<[f64; 2]>,
    /// Repetitions.
    #[serde(default)]
    pub repetitions: usize,
    /// The cost over that of `beside`, in the same rounds: smaller is better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// The competitor that the ratio is to: `csr`, static rows, where there are such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<String>,
    /// The time over that in which the bytes that must be moved at least go through memory, by the machine's triad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_bandwidth: Option<f64>,
    /// What differs from what the others do: narrower numbers, say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Why there is no figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
}

impl Row {
    /// Whether both are figures of the same thing, in two runs.
    pub fn is_same(&self, other: &Row) -> bool {
        self.key() == other.key()
    }

    /// What names the figure.
    pub fn key(&self) -> (&str, Option<&str>, &str, &str, usize) {
        (&self.suite, self.graph.as_deref(), &self.work, &self.competitor, self.threads)
    }

    /// The figure, if there is one.
    pub fn spread(&self) -> Option<Spread> {
        let (median, quartiles) = (self.median?, self.quartiles?);
        Some(Spread { median, quartiles, repetitions: self.repetitions })
    }
}
