//! How the result of an algorithm is printed: as text or JSON on standard output, and line by line in a file.

use std::io::Write;
use std::path::Path;

use pleach_datasets::Label;
use pleach_erased::Held;
use serde_json::{Map, Value, json};

use super::super::Failure;
use super::super::input::{Counted, Input};
use super::super::output::{print_beside, write_file};
use super::super::plot::Picture;
use super::common::{Common, Vertices};

/// Seconds.
pub struct Times {
    /// Building the store and whatever else the algorithm needs before it starts.
    pub build: f64,
    /// The algorithm itself.
    pub run: f64,
}

/// The graph that an algorithm ran on, as the output describes it.
pub struct Measured<'a> {
    pub input: &'a Input,
    /// What the input lists.
    pub counted: Counted,
    /// Whether edges have weights.
    pub weighted: bool,
    /// How it was held.
    pub held: Held,
}

/// Writes the value of a vertex.
type WriteValue<'a> = Box<dyn Fn(&mut dyn Write, u32) -> std::io::Result<()> + 'a>;

/// What a run has found, and how it is printed.
#[derive(Default)]
pub struct Report<'a> {
    iterations: Option<usize>,
    result: Vec<(&'static str, Value)>,
    hidden: Vec<(&'static str, Value)>,
    lines: String,
    value: Option<WriteValue<'a>>,
    /// Whether values are groups that vertices belong to.
    grouped: bool,
    picture: Option<Box<dyn Fn() -> Picture + 'a>>,
}

/// The report of scores: the largest one, and that of each vertex.
pub fn scored<'a>(scores: &'a [f64], vertices: &'a Vertices<'_>) -> Report<'a> {
    let mut report = Report::new();
    let all = (0..).zip(scores).filter(|(vertex, _)| vertices.ids.has(*vertex));
    // Of equal ones, the first.
    let best = all.max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
    report.result("max_vertex", best.map(|(vertex, _)| vertices.ids.json(vertex)));
    report.result("max", best.map(|(_, &score)| score));
    report.value(|file, vertex| write!(file, "{}", scores[vertex as usize]));
    report
}

impl<'a> Report<'a> {
    /// An empty report.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of iterations, rounds or levels.
    pub fn iterations(&mut self, count: usize) -> &mut Self {
        self.iterations = Some(count);
        self
    }

    /// A figure of the result, in text and JSON.
    pub fn result(&mut self, name: &'static str, value: impl Into<Value>) -> &mut Self {
        self.result.push((name, value.into()));
        self
    }

    /// A figure of the result in JSON, which text shows in another way.
    pub fn hidden(&mut self, name: &'static str, value: impl Into<Value>) -> &mut Self {
        self.hidden.push((name, value.into()));
        self
    }

    /// Lines below the text.
    pub fn lines(&mut self, lines: &str) -> &mut Self {
        self.lines += lines;
        self
    }

    /// How the value of each vertex is written to a file.
    pub fn value(&mut self, write: impl Fn(&mut dyn Write, u32) -> std::io::Result<()> + 'a) -> &mut Self {
        self.value = Some(Box::new(write));
        self
    }

    /// Says that the value of a vertex is the group that it belongs to: the largest groups are printed, not the largest values.
    pub fn grouped(&mut self) -> &mut Self {
        self.grouped = true;
        self
    }

    /// Tells the vertices of the `count` largest values, or the `count` largest groups, largest first; of equal ones the first vertices.
    /// Vertices that are not reached have no value.
    pub fn top(&mut self, count: usize, vertices: &Vertices<'_>) -> &mut Self {
        let Some(value) = self.value.as_ref().filter(|_| count > 0) else { return self };
        let mut text = Vec::new();
        let named = (0..vertices.ids.len() as u32).filter(|&vertex| vertices.ids.has(vertex));
        let values = named.filter_map(|vertex| {
            text.clear();
            // Writing to memory does not fail.
            value(&mut text, vertex).ok()?;
            let value = String::from_utf8_lossy(&text).into_owned();
            (value != "infinity" && value != super::bfs::INFINITY.to_string()).then_some((vertex, value))
        });
        let mut best: Vec<(String, Value, f64)> = if self.grouped {
            let mut sizes = std::collections::HashMap::<String, (u32, u64)>::new();
            values.for_each(|(vertex, group)| sizes.entry(group).or_insert((vertex, 0)).1 += 1);
            let mut sizes: Vec<_> = sizes.into_iter().collect();
            sizes.sort_unstable_by_key(|&(_, (first, size))| (std::cmp::Reverse(size), first));
            sizes.truncate(count);
            sizes
                .into_iter()
                .map(|(group, (_, size))| (group.clone(), vertices.ids.group_json(&group), size as f64))
                .collect()
        } else {
            let mut all: Vec<(u32, f64)> =
                values.filter_map(|(vertex, value)| Some((vertex, value.parse().ok()?))).collect();
            let order = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
            if all.len() > count {
                all.select_nth_unstable_by(count, order);
                all.truncate(count);
            }
            all.sort_unstable_by(order);
            let ids = vertices.ids;
            all.into_iter().map(|(vertex, value)| (ids.label(vertex).to_string(), ids.json(vertex), value)).collect()
        };
        let width = best.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0).max(12);
        for (name, _, value) in &best {
            self.lines += &format!("{name:>width$}  {value}\n");
        }
        let pairs: Vec<Value> = best.drain(..).map(|(_, name, value)| json!([name, value])).collect();
        self.hidden("top", pairs)
    }

    /// What is drawn of it, if that is asked for.
    pub fn picture(&mut self, picture: impl Fn() -> Picture + 'a) -> &mut Self {
        self.picture = Some(Box::new(picture));
        self
    }

    /// The result as an object, with the iterations if there are any.
    pub fn describe(self) -> (Option<usize>, Map<String, Value>) {
        let named = self.result.into_iter().chain(self.hidden);
        (self.iterations, named.map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// Writes a line for each vertex, its id or name and its value, in the order in which they are given.
    pub fn write<'v>(&self, path: &Path, vertices: impl Iterator<Item = (u32, Label<'v>)>) -> Result<(), Failure> {
        let Some(value) = &self.value else { return Ok(()) };
        let mut vertices = vertices;
        write_file(path, |file| {
            vertices.try_for_each(|(vertex, label)| {
                write!(file, "{label} ")?;
                value(file, vertex)?;
                file.write_all(b"\n")
            })
        })
    }

    /// Prints or writes it.
    pub fn print(self, app: &str, common: &Common, measured: &Measured<'_>, times: Times) -> Result<(), Failure> {
        let (Measured { input, counted, weighted, held }, Times { build, run }) = (measured, times);
        if let Some(path) = &common.out {
            self.write(path, (0u32..).zip(input.graph.ids.labels()))?;
        }
        if let (Some(path), Some(picture)) = (&common.plot, &self.picture) {
            picture().write(&input.graph.name, path)?;
        }
        let graph = input.describe(counted, &held.report, *weighted);
        let bytes_per = |count: u64| held.bytes as f64 / count.max(1) as f64;
        let bytes_per_arc = bytes_per(held.report.arcs as u64);
        if common.json {
            let bytes_per_edge = bytes_per(graph["edges"].as_u64().unwrap_or(0));
            let mut object = json!({
                "app": app,
                "graph": graph,
                "store": common.store.to_string(),
                "threads": rayon::current_num_threads(),
                "seconds": { "load": input.seconds, "build": build, "run": run },
                "memory": { "bytes": held.bytes, "bytes_per_edge": bytes_per_edge, "bytes_per_arc": bytes_per_arc },
            });
            if let Some(iterations) = self.iterations {
                object["iterations"] = iterations.into();
            }
            object["result"] = self.describe().1.into();
            return print_beside(common.out.as_deref(), format!("{object}\n").as_bytes());
        }
        let mut text = format!(
            "{app} of {} ({} vertices, {} arcs) in {}\n\
             loaded in {:.3} s, built in {build:.3} s ({bytes_per_arc:.2} bytes per arc), ran in {run:.3} s{}\n",
            input.graph.name,
            held.report.num_rows,
            graph["arcs"],
            common.store,
            input.seconds,
            self.iterations.map_or(String::new(), |count| format!(", {count} iterations")),
        );
        let width = self.result.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, value) in &self.result {
            let name = name.replace('_', " ");
            text += &format!("{name:<width$}  {value}\n");
        }
        text += &self.lines;
        print_beside(common.out.as_deref(), text.as_bytes())
    }
}
