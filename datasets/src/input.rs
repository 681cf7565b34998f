//! What a reader or a generator returns, and the options that it takes.

use std::fmt;
use std::str::FromStr;

use pleach::runtime::par_parts;
use pleach::{BuildOptions, Duplicates, EdgeList};

use crate::attributes::Attributes;
use crate::columns::Columns;
use crate::ids::IdMap;
use crate::progress::Observer;

/// A graph as it was read or generated: its arcs in coordinates, and what is known about it.
///
/// Self loops and duplicates are included. They are merged and counted when a store or a matrix is built from the arcs
/// ([`build_options`](Self::build_options)).
#[derive(Clone, Debug)]
pub struct Input {
    /// The file's name without endings, or the name in the catalogue.
    pub name: String,
    /// Where the arcs come from.
    pub format: Format,
    /// The arcs in the order of the file.
    pub edges: Edges,
    /// Maps coordinates to the ids of the file and back.
    pub ids: IdMap,
    /// Whether the graph is directed, by what the file says unless [`Options::direction`] says otherwise.
    pub directed: bool,
    /// What the file itself says about direction, if it does.
    pub declared: Option<Direction>,
    /// Whether every arc stands for two, one in each direction: an undirected graph or a symmetric matrix whose file lists every edge
    /// once. [`build_options`](Self::build_options) says so to what is built from the arcs; here they are listed once.
    pub mirrored: bool,
    /// The number of arcs from a vertex to itself.
    pub self_loops: u64,
    /// What the file says of vertices and edges beside ids and weights, where [`Options::attributes`] asks for it.
    pub attributes: Attributes,
    /// What a person should know about how the file was read: what its columns were taken for, where that is not plain, and how its
    /// header differs from its content.
    pub notes: Vec<String>,
}

impl Input {
    /// The number of vertices: of a matrix, the larger of its dimensions.
    pub fn num_vertices(&self) -> usize {
        self.edges.num_rows().max(self.edges.num_cols())
    }

    /// How a matrix or a store is built from the arcs: mirrored where they stand for two, of duplicates the last, self loops kept.
    pub fn build_options<V>(&self) -> BuildOptions<V>
    where
        BuildOptions<V>: Default,
    {
        BuildOptions::default().with_undirected(self.mirrored).with_duplicates(Duplicates::Last)
    }

    /// Whether rows and columns are as many, as they are in every graph.
    pub fn is_square(&self) -> bool {
        self.edges.num_rows() == self.edges.num_cols()
    }
}

/// The arcs of an [`Input`], with or without weights.
#[derive(Clone, Debug, PartialEq)]
pub enum Edges {
    /// No weights.
    Pattern(EdgeList<()>),
    /// A weight each: finite, unless [`Options::any_number`] was set.
    Weighted(EdgeList<f64>),
}

impl Edges {
    /// The number of arcs.
    pub fn len(&self) -> usize {
        self.src().len()
    }

    /// Whether there is no arc.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether there are weights.
    pub fn is_weighted(&self) -> bool {
        matches!(self, Edges::Weighted(_))
    }

    /// The number of rows.
    pub fn num_rows(&self) -> usize {
        match self {
            Edges::Pattern(edges) => edges.num_rows,
            Edges::Weighted(edges) => edges.num_rows,
        }
    }

    /// The number of columns.
    pub fn num_cols(&self) -> usize {
        match self {
            Edges::Pattern(edges) => edges.num_cols,
            Edges::Weighted(edges) => edges.num_cols,
        }
    }

    /// The source of each arc.
    pub fn src(&self) -> &[u32] {
        match self {
            Edges::Pattern(edges) => &edges.src,
            Edges::Weighted(edges) => &edges.src,
        }
    }

    /// The target of each arc.
    pub fn dst(&self) -> &[u32] {
        match self {
            Edges::Pattern(edges) => &edges.dst,
            Edges::Weighted(edges) => &edges.dst,
        }
    }

    /// The weight of each arc, if there are weights.
    pub fn weight(&self) -> Option<&[f64]> {
        match self {
            Edges::Pattern(_) => None,
            Edges::Weighted(edges) => Some(&edges.weight),
        }
    }

    /// The arcs without weights. Copies nothing.
    pub fn into_pattern(self) -> EdgeList<()> {
        match self {
            Edges::Pattern(edges) => edges,
            Edges::Weighted(EdgeList { num_rows, num_cols, src, dst, .. }) => {
                let weight = vec![(); src.len()];
                EdgeList { num_rows, num_cols, src, dst, weight }
            }
        }
    }

    /// The arcs with weights, which are 1 where the file has none.
    pub fn into_weighted(self) -> EdgeList<f64> {
        match self {
            Edges::Weighted(edges) => edges,
            Edges::Pattern(EdgeList { num_rows, num_cols, src, dst, .. }) => {
                let weight = vec![1.0; src.len()];
                EdgeList { num_rows, num_cols, src, dst, weight }
            }
        }
    }

    /// The arcs, each followed by the one in the other direction, as [`Input::mirrored`] means it.
    #[must_use]
    pub fn both_ways(self) -> Self {
        fn both<V: Copy>(edges: EdgeList<V>) -> EdgeList<V> {
            let most = edges.num_rows.max(edges.num_cols);
            let mut all = EdgeList::new(most, most);
            for ((&src, &dst), &weight) in edges.src.iter().zip(&edges.dst).zip(&edges.weight) {
                all.push(src, dst, weight);
                if src != dst {
                    all.push(dst, src, weight);
                }
            }
            all
        }
        match self {
            Edges::Pattern(edges) => Edges::Pattern(both(edges)),
            Edges::Weighted(edges) => Edges::Weighted(both(edges)),
        }
    }

    pub(crate) fn count_self_loops(&self) -> u64 {
        let (src, dst) = (self.src(), self.dst());
        let loops = par_parts(src.len(), 1 << 14, |range| range.filter(|&k| src[k] == dst[k]).count() as u64);
        loops.into_iter().sum()
    }
}

/// Whether arcs have a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// An edge `u v` leads from `u` to `v`.
    Directed,
    /// An edge `u v` leads both ways.
    Undirected,
}

/// How weights are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weights {
    /// Kept where the file has them.
    #[default]
    AsRead,
    /// Checked, then left out: the result is always [`Edges::Pattern`].
    Ignore,
    /// Kept, and 1 where the file has none: the result is always [`Edges::Weighted`].
    OrOne,
}

/// How a graph is to be read or generated.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// The format; `None`, the default, recognises it by content and ending.
    pub format: Option<Format>,
    /// Overrides what the file says about direction; `None`, the default, does not. An edge list that says nothing is directed.
    pub direction: Option<Direction>,
    /// How weights are read. As the file has them by default.
    pub weights: Weights,
    /// Whether generators that number vertices along space (grid, random geometric) number them at random instead. By default they do not.
    pub permute: bool,
    /// Seed of generators, 0 by default. The same seed gives the same graph, with any number of threads.
    pub seed: u64,
    /// Called with the progress of reading a file. Nothing is by default.
    pub progress: Observer,
    /// The columns of a list of edges; `None`, the default, goes by its header and their number.
    pub columns: Option<Columns>,
    /// Whether weights and values may be infinite or no number, in formats that can hold such. By default they may not, unless they are left out of
    /// a list, a table or a matrix.
    pub any_number: bool,
    /// Whether attributes of vertices and edges are kept. By default they are not, and a note says which there were.
    pub attributes: bool,
}

impl Options {
    /// The format.
    #[must_use]
    pub fn with_format(mut self, format: impl Into<Option<Format>>) -> Self {
        self.format = format.into();
        self
    }

    /// What direction edges have, whatever the file says.
    #[must_use]
    pub fn with_direction(mut self, direction: impl Into<Option<Direction>>) -> Self {
        self.direction = direction.into();
        self
    }

    /// How weights are read.
    #[must_use]
    pub fn with_weights(mut self, weights: Weights) -> Self {
        self.weights = weights;
        self
    }

    /// Whether generators number vertices at random.
    #[must_use]
    pub fn with_permute(mut self, permute: bool) -> Self {
        self.permute = permute;
        self
    }

    /// Seed of generators.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The columns of a list of edges.
    #[must_use]
    pub fn with_columns(mut self, columns: impl Into<Option<Columns>>) -> Self {
        self.columns = columns.into();
        self
    }

    /// Whether weights and values may be infinite or no number.
    #[must_use]
    pub fn with_any_number(mut self, any_number: bool) -> Self {
        self.any_number = any_number;
        self
    }

    /// Whether attributes of vertices and edges are kept.
    #[must_use]
    pub fn with_attributes(mut self, attributes: bool) -> Self {
        self.attributes = attributes;
        self
    }

    /// What is called with the progress of reading.
    #[must_use]
    pub fn with_progress(mut self, progress: Observer) -> Self {
        self.progress = progress;
        self
    }
}

/// The kinds of file that can be read, and [`Generated`](Format::Generated) for graphs that come from no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Matrix Market (`.mtx`), coordinate or array.
    MatrixMarket,
    /// Lines of two ids and perhaps a weight (`.txt .csv .tsv .el .wel`).
    EdgeList,
    /// LDBC Graphalytics: vertices (`.v`) and edges (`.e`), perhaps with `.properties`.
    Ldbc,
    /// Lines of a vertex and its neighbours, as in LDBC Graphalytics' validation set. Without a known ending, a list
    /// in which all lines have two columns or all have three is read as an edge list.
    Adjacency,
    /// Lines of a vertex's name and the names of those that its edges lead to (`.names`); two names a line make an edge list.
    Names,
    /// METIS and the 10th DIMACS challenge (`.graph`): the neighbours of the n-th vertex on the n-th line.
    Metis,
    /// The 9th DIMACS challenge's shortest-path files (`.gr`): lines `a u v weight`; also its older `e u v`.
    Dimacs,
    /// Ligra's and Aspen's adjacency arrays (`.adj`): offsets, then targets.
    Ligra,
    /// Harwell-Boeing and Rutherford-Boeing (`.rua .rsa .pua .psa .rra .hb .rb …`), assembled, real or pattern.
    HarwellBoeing,
    /// FROSTT's coordinates (`.tns`); a graph if there are two of them.
    Tensor,
    /// The GAP Benchmark Suite's serialized graphs (`.sg`, and with weights `.wsg`).
    Gap,
    /// GraphML (`.graphml`).
    GraphMl,
    /// GEXF, Gephi's format (`.gexf`).
    Gexf,
    /// Pajek's networks (`.net`).
    Pajek,
    /// JSON with `nodes` and `edges` or `links`, as NetworkX and D3 have it (`.json`).
    NodeLink,
    /// SciPy's sparse matrices (`.npz`).
    Npz,
    /// A table of edges in Arrow's IPC format, as a file or a stream (`.arrow .feather .arrows`).
    Arrow,
    /// A table of edges in Parquet (`.parquet`).
    Parquet,
    /// Our own binary (`.plg`).
    Plg,
    /// No file: the graph was generated.
    Generated,
}

/// What a graph has, for messages.
pub(crate) const VERTICES: &str = "vertices";

/// What a matrix has, for messages.
pub(crate) const ROWS: &str = "rows or columns";

impl Format {
    /// Whether files of this format hold matrices or tensors.
    pub(crate) fn is_of_matrices(self) -> bool {
        matches!(self, Format::MatrixMarket | Format::HarwellBoeing | Format::Tensor | Format::Npz)
    }

    /// What the numbers in a file's header count, for messages.
    pub(crate) fn counts(self) -> &'static str {
        if self.is_of_matrices() { ROWS } else { VERTICES }
    }

    /// The formats of files, in the order in which they are listed for users.
    pub const FILES: [Format; 19] = [
        Format::MatrixMarket,
        Format::EdgeList,
        Format::Ldbc,
        Format::Adjacency,
        Format::Names,
        Format::Metis,
        Format::Dimacs,
        Format::Ligra,
        Format::HarwellBoeing,
        Format::Tensor,
        Format::Gap,
        Format::GraphMl,
        Format::Gexf,
        Format::Pajek,
        Format::NodeLink,
        Format::Npz,
        Format::Arrow,
        Format::Parquet,
        Format::Plg,
    ];

    /// The name by which users choose the format.
    pub fn name(self) -> &'static str {
        match self {
            Format::MatrixMarket => "mtx",
            Format::EdgeList => "edges",
            Format::Ldbc => "ldbc",
            Format::Adjacency => "adjacency",
            Format::Names => "names",
            Format::Metis => "metis",
            Format::Dimacs => "dimacs",
            Format::Ligra => "ligra",
            Format::HarwellBoeing => "hb",
            Format::Tensor => "tns",
            Format::Gap => "gap",
            Format::GraphMl => "graphml",
            Format::Gexf => "gexf",
            Format::Pajek => "pajek",
            Format::NodeLink => "json",
            Format::Npz => "npz",
            Format::Arrow => "arrow",
            Format::Parquet => "parquet",
            Format::Plg => "plg",
            Format::Generated => "generated",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text names no format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no graph format `{name}`; there are {}", Format::FILES.map(Format::name).join(", "))]
pub struct UnknownFormatName {
    /// The name that was given.
    pub name: String,
}

impl FromStr for Format {
    type Err = UnknownFormatName;

    fn from_str(name: &str) -> Result<Format, UnknownFormatName> {
        let found = Format::FILES.into_iter().find(|format| format.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| UnknownFormatName { name: name.to_owned() })
    }
}
