//! `pleach bench stream`: a file of lines goes through `pleach stream` as a process of its own, as a user runs it.
//!
//! Three lines of four insert an edge that is drawn for this; the fourth deletes one that was inserted a thousand lines before. The time is that
//! from the first line to the last, which the command prints; reading the graph at the beginning is not part of it. *In place*: no version is
//! published. *Published*: one at each batch. *Held*: the last eight of them are kept as well.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use clap::Args;
use pleach::EdgeList;
use pleach_datasets::{Edges, Format, IdMap, Input};
use pleach_measure::suites::updates::Updates;
use pleach_measure::{Bench, Competitor, Graph, Side, Unit, Work};
use serde_json::Value;

use super::common::{Common, Graphs, graph_and_updates};
use crate::Failure;
use crate::output::write_file;

/// Lines of a file, and lines of a batch, by default.
pub const LINES: u32 = 1_000_000;
pub const BATCH: u32 = 10_000;

/// How versions are published, and what that is called.
const WAYS: [(&[&str], &str); 3] = [
    (&["--publish", "asked"], "in place"),
    (&["--publish", "batch"], "published"),
    (&["--publish", "batch", "--hold", "8"], "published, 8 held"),
];

/// Options of the suite.
#[derive(Args)]
pub struct StreamArgs {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    graphs: Graphs,
    /// Lines of a batch (repeat it for more)
    #[arg(long = "batch", value_name = "N", default_values_t = [BATCH], value_parser = clap::value_parser!(u32).range(1..))]
    batches: Vec<u32>,
    /// Lines of a file
    #[arg(long, value_name = "N", default_value_t = LINES, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    lines: u32,
}

impl StreamArgs {
    /// Measures on each graph.
    pub fn run(&self) -> Result<(), Failure> {
        let batches: Vec<usize> = self.batches.iter().map(|&batch| batch as usize).collect();
        self.common.run(&mut |bench| {
            self.graphs.each(|name| {
                let (graph, updates) = graph_and_updates(name)?;
                run(bench, &graph, &updates, &batches, self.lines as usize)
            })
        })
    }
}

/// Measures on one graph.
pub fn run(
    bench: &mut Bench<'_>,
    graph: &Graph,
    updates: &Updates,
    batches: &[usize],
    lines: usize,
) -> Result<(), Failure> {
    bench.begin("stream", Some(&graph.name));
    if updates.skewed.is_empty() {
        return Err(Failure::input(format!("{}: there are no edges to draw updates from", graph.name)));
    }
    bench.add_graph(graph.facts(&bench.within(|| graph.rows()).map_err(Failure::input)?));
    let folder = tempfile::tempdir().map_err(|error| Failure::input(format!("cannot make a folder: {error}")))?;
    let base = folder.path().join("base.plg");
    save(graph, &base)?;
    for (kind, edges) in [("skewed", &updates.skewed), ("uniform", &updates.uniform)] {
        let file = folder.path().join(format!("{kind}.txt"));
        write_file(&file, |to| to.write_all(text(edges, lines).as_bytes()))?;
        for &batch in batches {
            for (publish, way) in WAYS {
                let work = Work::in_unit(format!("batches of {batch} lines, {kind}, {way}"), Unit::LinesPerSecond);
                let threads = bench.method.threads;
                let all = [("undirected", "--undirected"), ("directed, with in-arcs", "--directed")].map(
                    |(name, direction)| {
                        let (base, file) = (&base, &file);
                        Competitor::new(name, Side::Ours, move || {
                            streamed(base, direction, file, batch, publish, threads, lines).map(|rate| vec![rate])
                        })
                    },
                );
                bench.compare(&[work], all.into());
            }
        }
    }
    Ok(())
}

/// Writes the graph, each edge once.
fn save(graph: &Graph, path: &Path) -> Result<(), Failure> {
    let edges = graph.pattern();
    let input = Input {
        name: graph.name.clone(),
        format: Format::EdgeList,
        ids: IdMap::identity(edges.num_rows.max(edges.num_cols)),
        self_loops: edges.src.iter().zip(&edges.dst).filter(|(from, to)| from == to).count() as u64,
        attributes: Default::default(),
        edges: Edges::Pattern(edges),
        directed: graph.directed,
        declared: None,
        mirrored: !graph.directed,
        notes: Vec::new(),
    };
    pleach_datasets::write(&input, path).map_err(Failure::input)
}

/// How far behind its insertion an edge is deleted.
const BEHIND: usize = 1000;

/// The lines.
fn text(edges: &EdgeList, lines: usize) -> String {
    let mut text = String::with_capacity(20 * lines);
    let mut inserted = Vec::new();
    let mut drawn = edges.src.iter().zip(&edges.dst).cycle();
    for line in 0..lines {
        let deleted = (line % 4 == 3).then(|| inserted.len().checked_sub(BEHIND)).flatten();
        let (sign, (from, to)) = match deleted {
            Some(place) => ('-', inserted[place]),
            None => {
                let (&from, &to) = drawn.next().expect("there are edges");
                inserted.push((from, to));
                ('+', (from, to))
            }
        };
        writeln!(text, "{sign} {from} {to}").expect("writing to a string succeeds");
    }
    text
}

/// Lines a second of one process.
fn streamed(
    base: &Path,
    direction: &str,
    updates: &Path,
    batch: usize,
    publish: &[&str],
    threads: usize,
    lines: usize,
) -> Result<f64, String> {
    let program = std::env::current_exe().map_err(|error| format!("this program is not found: {error}"))?;
    let mut command = Command::new(program);
    command.args(["--quiet", "stream", direction, "--json"]).args(publish);
    command.args(["--batch", &batch.to_string(), "--threads", &threads.to_string()]);
    command.arg(base).arg("--updates").arg(updates);
    let output = command.output().map_err(|error| format!("`pleach stream` does not start: {error}"))?;
    if !output.status.success() {
        return Err(format!("`pleach stream` failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let printed = String::from_utf8_lossy(&output.stdout);
    let end: Option<Value> = printed.lines().last().and_then(|line| serde_json::from_str(line).ok());
    let seconds = end.as_ref().and_then(|end| end["seconds"]["total"].as_f64());
    match (seconds, end.as_ref().and_then(|end| end["lines"].as_u64())) {
        (Some(seconds), Some(read)) if read == lines as u64 => Ok(read as f64 / seconds.max(1e-9)),
        _ => Err(format!("expected that `pleach stream` reads {lines} lines, and that it says so")),
    }
}
