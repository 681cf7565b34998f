//! The graph that a command works on.

use std::io::IsTerminal;
use std::time::Instant;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use pleach::{BuildOptions, BuildReport, EdgeList, SelfLoops};
use pleach_datasets::{Direction, Format, Label, Observer, Options, Weights};
use serde_json::{Value, json};

use super::{Failure, kept};

/// How a graph is named and read.
#[derive(Args)]
pub struct InputArgs {
    /// A file, a directory that `pleach stream --into` made, or the name of a bundled or generated graph (`pleach data list` shows them)
    #[arg(value_name = "GRAPH")]
    graph: String,
    /// Kind of the file [default: known by its content and ending]
    #[arg(long, value_name = "KIND")]
    format: Option<Format>,
    /// Read every edge as directed
    #[arg(long, conflicts_with = "undirected")]
    directed: bool,
    /// Read every edge as undirected
    #[arg(long)]
    undirected: bool,
    /// Leave out edges from a vertex to itself
    #[arg(long)]
    drop_self_loops: bool,
    /// Seed of a generated graph
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// A graph in memory, and how it came there.
pub struct Input {
    /// The graph.
    pub graph: pleach_datasets::Input,
    /// The name that the user gave.
    named: String,
    /// Seconds spent reading or generating.
    pub seconds: f64,
    drop_self_loops: bool,
}

impl InputArgs {
    /// The graph of a name or path, with no other options.
    pub fn named(graph: &str) -> Self {
        InputArgs {
            graph: graph.to_owned(),
            format: None,
            directed: false,
            undirected: false,
            drop_self_loops: false,
            seed: 0,
        }
    }

    /// The same graph, generated from other random numbers.
    pub fn seeded(self, seed: u64) -> Self {
        InputArgs { seed, ..self }
    }

    /// The file or name, as the user wrote it.
    pub fn name(&self) -> &str {
        &self.graph
    }

    /// Whether nothing but the graph was named.
    pub fn is_plain(&self) -> bool {
        let InputArgs { graph: _, format, directed, undirected, drop_self_loops, seed } = self;
        format.is_none() && !directed && !undirected && !drop_self_loops && *seed == 0
    }

    /// Whether `--undirected` was given.
    pub fn is_undirected(&self) -> bool {
        self.undirected
    }

    /// Reads or generates the graph; a bar shows progress on a terminal.
    pub fn load(&self, weights: Weights) -> Result<Input, Failure> {
        if !pleach_log::holds_graph(&self.graph) {
            return self.open(weights).map_err(Failure::input);
        }
        if self.format.is_some() || self.directed || self.undirected {
            return Err(Failure::usage(format!(
                "{} is a directory that holds a graph: --format, --directed and --undirected are for files",
                self.graph
            )));
        }
        let begin = Instant::now();
        let graph = kept::load(self.graph.as_ref())?;
        let seconds = begin.elapsed().as_secs_f64();
        Ok(Input { graph, named: self.graph.clone(), seconds, drop_self_loops: self.drop_self_loops })
    }

    /// As [`load`](Self::load), with the error of the reader.
    pub fn open(&self, weights: Weights) -> Result<Input, pleach_datasets::Error> {
        let direction = match (self.directed, self.undirected) {
            (true, _) => Some(Direction::Directed),
            (_, true) => Some(Direction::Undirected),
            _ => None,
        };
        let bar = bar();
        let progress = shown_by(&bar);
        let options = Options::default()
            .with_format(self.format)
            .with_direction(direction)
            .with_weights(weights)
            .with_seed(self.seed)
            .with_progress(progress);
        let begin = Instant::now();
        let graph = pleach_datasets::open(&self.graph, &options);
        bar.finish_and_clear();
        Ok(Input {
            graph: graph?,
            named: self.graph.clone(),
            seconds: begin.elapsed().as_secs_f64(),
            drop_self_loops: self.drop_self_loops,
        })
    }
}

impl Input {
    /// Options to build rows from the arcs.
    pub fn build_options<V>(&self) -> BuildOptions<V>
    where
        BuildOptions<V>: Default,
    {
        let self_loops = if self.drop_self_loops { SelfLoops::Drop } else { SelfLoops::Keep };
        self.graph.build_options().with_self_loops(self_loops)
    }

    /// The arcs without weights.
    pub fn pattern(&self) -> std::borrow::Cow<'_, EdgeList<()>> {
        match &self.graph.edges {
            pleach_datasets::Edges::Pattern(edges) => std::borrow::Cow::Borrowed(edges),
            weighted => std::borrow::Cow::Owned(weighted.clone().into_pattern()),
        }
    }

    /// Takes the arcs out of the input, which must be those of a graph: as many rows as columns.
    pub fn take_edges(&mut self) -> Result<pleach_datasets::Edges, Failure> {
        if !self.graph.is_square() {
            return Err(Failure::input(format!(
                "{} is a matrix of {} rows and {} columns; a graph has as many of both",
                self.named,
                self.graph.edges.num_rows(),
                self.graph.edges.num_cols()
            )));
        }
        let none = pleach_datasets::Edges::Pattern(EdgeList::new(0, 0));
        Ok(std::mem::replace(&mut self.graph.edges, none))
    }

    /// The graph as it stands in the result of every command: an edge of an undirected graph counts once.
    pub fn describe(&self, report: &BuildReport, weighted: bool) -> Value {
        json!({
            "name": self.graph.name,
            "vertices": report.num_rows,
            "edges": if self.graph.directed { report.arcs } else { report.arcs.saturating_add(report.self_loops) / 2 },
            "arcs": report.arcs,
            "directed": self.graph.directed,
            "weighted": weighted,
            "self_loops": report.self_loops,
            "duplicates": report.duplicates,
        })
    }
}

/// What a vertex is called, for an object of JSON: a number or a string.
pub fn label_json(label: Label<'_>) -> Value {
    match label {
        Label::Id(id) => id.into(),
        Label::Name(name) => name.into(),
    }
}

/// What makes a bar show how much has been read.
pub fn shown_by(bar: &ProgressBar) -> Observer {
    let bar = bar.clone();
    Observer::new(move |progress| {
        bar.set_length(progress.total);
        bar.set_position(progress.done);
    })
}

/// A bar of bytes read, on a terminal's standard error.
pub fn bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style =
        ProgressStyle::with_template("{wide_bar} {bytes}/{total_bytes} {bytes_per_sec}").expect("a valid template");
    ProgressBar::new(0).with_style(style)
}
