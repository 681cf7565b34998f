//! The graph that a command works on.

use std::path::Path;
use std::time::Instant;

use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use pleach::graph::Conflict;
use pleach::sort::Weight;
use pleach::{BuildOptions, BuildReport, Duplicates, EdgeList, SelfLoops};
use pleach_datasets::{Columns, Coo, Direction, Edges, Format, Generator, Label, Options, RowFile, Weights};
use pleach_erased::Ends;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::output::{detail, note};
use super::progress::{bar, shown_by};
use super::{Failure, complete, kept, memory};

/// How a graph is named and read.
#[derive(Args, Clone)]
pub struct InputArgs {
    /// A file, a directory that `pleach stream --into` made, or the name of a bundled or generated graph (`pleach data list` shows them)
    #[arg(value_name = "GRAPH", value_parser = complete::graphs(), hide_possible_values = true)]
    graph: String,
    /// Kind of the file [default: known by its content and ending]
    #[arg(long, value_name = "KIND", value_parser = complete::formats(), hide_possible_values = true)]
    format: Option<Format>,
    /// Columns of a list of edges: `src dst weight time`, `_` for one to ignore [default: known by a heading, or in this order]
    #[arg(long, value_name = "LIST")]
    pub columns: Option<Columns>,
    /// Weight of an edge that occurs more than once [default: last]
    #[arg(long, value_enum, value_name = "RULE")]
    pub conflict: Option<Winner>,
    /// Read every edge as directed
    #[arg(long, conflicts_with = "undirected")]
    directed: bool,
    /// Read every edge as undirected
    #[arg(long)]
    undirected: bool,
    /// Leave out edges from a vertex to itself
    #[arg(long)]
    drop_self_loops: bool,
    /// Seed of a generated graph [default: 0]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Whether weights may be infinite or no number, in formats that can hold such.
    #[arg(skip)]
    pub any_number: bool,
    /// Whether attributes of vertices and edges are kept.
    #[arg(skip)]
    pub attributes: bool,
}

/// The help of `--conflict` for algorithms whose default is the least weight.
pub const LEAST: &str = "Weight of an edge that occurs more than once [default: min]";

/// Which weight an edge has that occurs more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Winner {
    Last,
    First,
    Sum,
    Min,
    Max,
}

impl Winner {
    /// The weight that two make, the first of which comes before the other.
    pub fn choose(self, first: f64, last: f64) -> f64 {
        match self {
            Winner::Last => last,
            Winner::First => first,
            Winner::Sum => first + last,
            Winner::Min => first.min(last),
            Winner::Max => first.max(last),
        }
    }

    /// What holds of weights that it chooses from, for messages.
    pub fn told(self) -> &'static str {
        match self {
            Winner::Last => "the last counts",
            Winner::First => "the first counts",
            Winner::Sum => "the sum counts",
            Winner::Min => "the least counts",
            Winner::Max => "the largest counts",
        }
    }
}

impl<V> From<Winner> for Conflict<V> {
    fn from(winner: Winner) -> Self {
        match winner {
            Winner::Last => Conflict::Last,
            Winner::First => Conflict::First,
            Winner::Sum => Conflict::Sum,
            Winner::Min => Conflict::Min,
            Winner::Max => Conflict::Max,
        }
    }
}

impl<V: Weight> From<Winner> for Duplicates<V> {
    fn from(winner: Winner) -> Self {
        match winner {
            Winner::Last => Duplicates::Last,
            Winner::First => Duplicates::First,
            Winner::Sum => Duplicates::sum(),
            Winner::Min => Duplicates::min(),
            Winner::Max => Duplicates::max(),
        }
    }
}

/// A graph in memory, and how it came there.
#[derive(Clone)]
pub struct Input {
    /// The graph.
    pub graph: pleach_datasets::Input,
    /// The name that the user gave.
    named: String,
    /// Seconds spent reading or generating.
    pub seconds: f64,
    drop_self_loops: bool,
    conflict: Option<Winner>,
}

impl InputArgs {
    /// The graph of a name or path, with no other options.
    #[cfg(any(feature = "bench", feature = "compiler"))]
    pub fn named(graph: &str) -> Self {
        InputArgs {
            graph: graph.to_owned(),
            format: None,
            columns: None,
            conflict: None,
            directed: false,
            undirected: false,
            drop_self_loops: false,
            seed: None,
            any_number: false,
            attributes: false,
        }
    }

    /// The same graph, generated from other random numbers.
    #[cfg(feature = "bench")]
    pub fn seeded(self, seed: u64) -> Self {
        InputArgs { seed: Some(seed), ..self }
    }

    /// The same graph, with these columns.
    pub fn with_columns(&self, columns: Option<Columns>) -> Self {
        InputArgs { columns, ..self.clone() }
    }

    /// The file or name, as the user wrote it.
    pub fn name(&self) -> &str {
        &self.graph
    }

    /// Whether nothing but the graph was named.
    pub fn is_plain(&self) -> bool {
        self.format.is_none() && !self.is_of_graph()
    }

    /// Whether an option was given that applies to graphs and not to tensors.
    pub fn is_of_graph(&self) -> bool {
        let InputArgs {
            graph: _,
            format: _,
            columns,
            conflict,
            directed,
            undirected,
            drop_self_loops,
            seed,
            any_number: _,
            attributes: _,
        } = self;
        columns.is_some() || conflict.is_some() || *directed || *undirected || *drop_self_loops || seed.is_some()
    }

    /// Whether `--undirected` was given.
    pub fn is_undirected(&self) -> bool {
        self.undirected
    }

    /// The seed of random numbers.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(0)
    }

    /// Whether a seed was given.
    pub fn has_seed(&self) -> bool {
        self.seed.is_some()
    }

    /// Whether the kind of file was given.
    pub fn has_format(&self) -> bool {
        self.format.is_some()
    }

    /// Whether `--directed` or `--undirected` was given.
    pub fn has_direction(&self) -> bool {
        self.directed || self.undirected
    }

    /// Whether edges from a vertex to itself are left out.
    pub fn drops_self_loops(&self) -> bool {
        self.drop_self_loops
    }

    /// Reads or generates the graph; a bar shows progress on a terminal. Says how the file was read, where that is not plain.
    pub fn load(&self, weights: Weights) -> Result<Input, Failure> {
        self.open_kept_or_read(weights)?.map_err(Failure::input)
    }

    /// As [`load`](Self::load), with the error of the reader where a file is read.
    pub fn open_kept_or_read(&self, weights: Weights) -> Result<Result<Input, pleach_datasets::Error>, Failure> {
        if !pleach_log::holds_graph(&self.graph) {
            self.check_memory(weights)?;
            let input = self.open(weights);
            input.iter().flat_map(|input| &input.graph.notes).for_each(note);
            return Ok(input);
        }
        if self.format.is_some() || self.directed || self.undirected || self.columns.is_some() {
            return Err(Failure::usage(format!(
                "{} is a directory that holds a graph: --format, --columns, --directed and --undirected are for files",
                self.graph
            )));
        }
        let begin = Instant::now();
        let graph = kept::load(self.graph.as_ref())?;
        let seconds = begin.elapsed().as_secs_f64();
        Ok(Ok(self.loaded(graph, seconds)))
    }

    /// Refuses a graph that would be generated or read, and be larger than memory. A file beats a generator's name.
    pub fn check_memory(&self, weights: Weights) -> Result<(), Failure> {
        match self.graph.parse::<Generator>() {
            Ok(generator) if !Path::new(&self.graph).exists() => memory::check(&generator, memory::Use::Store),
            _ if Path::new(&self.graph).is_file() => memory::check_file(&self.graph, &self.options(weights)),
            _ => Ok(()),
        }
    }

    /// How a file of the graph is read.
    fn options(&self, weights: Weights) -> Options {
        let direction = match (self.directed, self.undirected) {
            (true, _) => Some(Direction::Directed),
            (_, true) => Some(Direction::Undirected),
            _ => None,
        };
        Options::default()
            .with_format(self.format)
            .with_direction(direction)
            .with_weights(weights)
            .with_seed(self.seed())
            .with_columns(self.columns.clone())
            .with_any_number(self.any_number)
            .with_attributes(self.attributes)
    }

    /// Refuses what has no effect on a tensor, and a file that could not be read once more.
    pub fn check_tensor(&self) -> Result<(), Failure> {
        if self.columns.is_some() || self.has_direction() || self.drop_self_loops || self.seed.is_some() {
            return Err(Failure::usage(format!(
                "{} holds a tensor: --columns, --directed, --undirected, --drop-self-loops and --seed are for graphs",
                self.graph
            )));
        }
        if !Path::new(&self.graph).is_file() {
            return Err(Failure::input(format!("{}: a tensor is read twice, which takes a file", self.graph)));
        }
        Ok(())
    }

    /// Reads the file as a tensor of any order.
    pub fn read_tensor(&self) -> Result<Coo, pleach_datasets::Error> {
        pleach_datasets::read_tensor(&self.graph, &Options::default().with_format(self.format))
    }

    /// How a file of the graph is read by several workers. A directory that holds a graph is none.
    #[cfg(feature = "cluster")]
    pub fn reading(&self, weights: Weights) -> Result<Options, Failure> {
        if pleach_log::holds_graph(&self.graph) {
            return Err(Failure::input(format!(
                "{} is a directory that holds a graph: workers read files (`pleach data write` makes one of it)",
                self.graph
            )));
        }
        Ok(self.options(weights))
    }

    /// Which weight an edge has that occurs more than once; `paths` says that the smallest is meant unless the user says otherwise.
    #[cfg(feature = "cluster")]
    pub fn duplicates(&self, paths: bool) -> Duplicates<f64> {
        match self.conflict {
            Some(winner) => winner.into(),
            None if paths => Duplicates::min(),
            None => Duplicates::Last,
        }
    }

    /// Reads or generates the graph; a directory is not opened, and nothing is printed but the bar.
    pub fn open(&self, weights: Weights) -> Result<Input, pleach_datasets::Error> {
        let bar = bar();
        let options = self.options(weights).with_progress(shown_by(&bar));
        let begin = Instant::now();
        let graph = pleach_datasets::open(&self.graph, &options);
        bar.finish_and_clear();
        let (graph, seconds) = (graph?, begin.elapsed().as_secs_f64());
        detail(format_args!("read {} as {}: {} edges in {seconds:.3} s", self.graph, graph.format, graph.edges.len()));
        Ok(self.loaded(graph, seconds))
    }

    /// Opens the rows of a `.plg` whose rows are those that `ends` names as the file holds them, with a bar that shows how much of it has
    /// been read.
    pub fn open_rows(&self, weights: Weights, ends: Ends) -> Result<Option<(Input, RowFile, ProgressBar)>, Failure> {
        if self.drop_self_loops || pleach_log::holds_graph(&self.graph) {
            return Ok(None);
        }
        let bar = bar();
        let options = self.options(weights).with_progress(shown_by(&bar));
        let begin = Instant::now();
        let opened = RowFile::open(&self.graph, &options).map_err(Failure::input)?;
        let Some((graph, rows)) = opened else { return Ok(None) };
        if !graph.is_square() || graph.directed && ends == Ends::Undirected {
            return Ok(None);
        }
        memory::check_rows(&self.graph, &rows, graph.directed && ends == Ends::Both)?;
        Ok(Some((self.loaded(graph, begin.elapsed().as_secs_f64()), rows, bar)))
    }

    /// A graph that took `seconds` to read or generate, with the options that apply to it.
    fn loaded(&self, graph: pleach_datasets::Input, seconds: f64) -> Input {
        let named = self.graph.clone();
        Input { graph, named, seconds, drop_self_loops: self.drop_self_loops, conflict: self.conflict }
    }
}

impl Input {
    /// Options to build rows from the arcs.
    pub fn build_options<V: Weight>(&self) -> BuildOptions<V>
    where
        BuildOptions<V>: Default,
    {
        let self_loops = if self.drop_self_loops { SelfLoops::Drop } else { SelfLoops::Keep };
        let options = self.graph.build_options().with_self_loops(self_loops);
        match self.conflict {
            Some(winner) => options.with_duplicates(winner.into()),
            None => options,
        }
    }

    /// The same graph with its weights as `weights` says.
    pub fn with_weights(mut self, weights: Weights) -> Self {
        let edges = std::mem::replace(&mut self.graph.edges, Edges::Pattern(EdgeList::new(0, 0)));
        self.graph.edges = match weights {
            Weights::AsRead => edges,
            Weights::Ignore => Edges::Pattern(edges.into_pattern()),
            Weights::OrOne => Edges::Weighted(edges.into_weighted()),
        };
        self
    }

    /// Says how many entries of a matrix have the coordinates of others, and which of their values count; `least` says that it is the least
    /// unless the user says otherwise.
    pub fn note_duplicates(&self, counted: &Counted, report: &BuildReport, weighted: bool, least: bool) {
        let duplicates = self.describe(counted, report, weighted)["duplicates"].as_u64().unwrap_or(0);
        if self.graph.format != Format::MatrixMarket || duplicates == 0 {
            return;
        }
        let winner = self.conflict.unwrap_or(if least { Winner::Min } else { Winner::Last });
        let told = if weighted { format!(", of whose values {}", winner.told()) } else { String::new() };
        note(format_args!("{duplicates} entries have the coordinates of others{told}"));
    }

    /// Whether the user has said which weight an edge has that occurs more than once.
    pub fn has_conflict_rule(&self) -> bool {
        self.conflict.is_some()
    }

    /// The arcs without weights.
    pub fn pattern(&self) -> std::borrow::Cow<'_, EdgeList<()>> {
        match &self.graph.edges {
            Edges::Pattern(edges) => std::borrow::Cow::Borrowed(edges),
            weighted => std::borrow::Cow::Owned(weighted.clone().into_pattern()),
        }
    }

    /// Takes the arcs out of the input, which must be those of a graph: as many rows as columns.
    pub fn take_edges(&mut self) -> Result<Edges, Failure> {
        if !self.graph.is_square() {
            return Err(Failure::input(format!(
                "{} is a matrix of {} rows and {} columns; a graph has as many of both",
                self.named,
                self.graph.edges.num_rows(),
                self.graph.edges.num_cols()
            )));
        }
        let none = Edges::Pattern(EdgeList::new(0, 0));
        Ok(std::mem::replace(&mut self.graph.edges, none))
    }

    /// As [`take_edges`](Self::take_edges), without self loops where they are left out.
    pub fn take_kept_edges(&mut self) -> Result<Edges, Failure> {
        let edges = self.take_edges()?;
        Ok(if self.drop_self_loops { without_loops(edges) } else { edges })
    }

    /// What the input lists, which takes as long as sorting its self loops. `symmetric` says that the rows are to be built in both
    /// directions though the graph has them, so that their number says nothing about it: arcs are then sorted, too.
    pub fn count(&self, edges: &Edges, symmetric: bool) -> Counted {
        let (src, dst) = (edges.src(), edges.dst());
        let pairs = || src.par_iter().zip(dst).with_min_len(1 << 14);
        let mut loops: Vec<u32> = pairs().filter(|(s, d)| s == d).map(|(s, _)| *s).collect();
        let listed_loops = loops.len();
        loops.par_sort_unstable();
        loops.dedup();
        let distinct = (symmetric && self.graph.directed && !self.graph.mirrored).then(|| {
            let mut arcs: Vec<u64> = pairs().map(|(&s, &d)| u64::from(s) << 32 | u64::from(d)).collect();
            arcs.par_sort_unstable();
            arcs.dedup();
            arcs.len()
        });
        Counted { listed: edges.len(), listed_loops, loops: loops.len(), distinct }
    }

    /// The graph as it stands in the result of every command: an edge of an undirected graph counts once, and so does one that is listed
    /// more than once.
    pub fn describe(&self, counted: &Counted, report: &BuildReport, weighted: bool) -> Value {
        let Counted { listed, listed_loops, loops, distinct } = *counted;
        let kept = if self.drop_self_loops { 0 } else { loops };
        let listed = if self.drop_self_loops { listed - listed_loops } else { listed };
        let arcs = match distinct {
            Some(distinct) => distinct - (loops - kept),
            None => report.arcs,
        };
        let edges = if self.graph.directed { arcs } else { arcs.saturating_add(kept) / 2 };
        // Where an entry of the file stands for two arcs, it is listed once for both.
        let once = if self.graph.mirrored { arcs.saturating_add(kept) / 2 } else { arcs };
        json!({
            "name": self.graph.name,
            "vertices": report.num_rows,
            "edges": edges,
            "arcs": arcs,
            "directed": self.graph.directed,
            "weighted": weighted,
            "self_loops": loops,
            "duplicates": listed.saturating_sub(once),
        })
    }
}

impl Counted {
    /// What rows list that a store was built of: each arc once.
    pub fn of_rows(report: &BuildReport) -> Self {
        Counted { listed: report.arcs, listed_loops: report.self_loops, loops: report.self_loops, distinct: None }
    }
}

/// What an input lists.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    /// Edges, as often as they are listed.
    listed: usize,
    /// Edges from a vertex to itself, as often as they are listed.
    listed_loops: usize,
    /// The same, each once.
    loops: usize,
    /// Arcs, each once, where they had to be counted.
    distinct: Option<usize>,
}

/// The edges between different vertices.
fn without_loops(edges: Edges) -> Edges {
    fn keep<V: Copy>(list: EdgeList<V>) -> EdgeList<V> {
        let mut kept = EdgeList::new(list.num_rows, list.num_cols);
        for ((&src, &dst), &weight) in list.src.iter().zip(&list.dst).zip(&list.weight) {
            if src != dst {
                kept.push(src, dst, weight);
            }
        }
        kept
    }
    match edges {
        Edges::Pattern(list) => Edges::Pattern(keep(list)),
        Edges::Weighted(list) => Edges::Weighted(keep(list)),
    }
}

/// What a vertex is called, for an object of JSON: a number or a string.
pub fn label_json(label: Label<'_>) -> Value {
    match label {
        Label::Id(id) => id.into(),
        Label::Name(name) => name.into(),
    }
}
