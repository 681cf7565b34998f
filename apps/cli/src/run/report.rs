//! How the result of an algorithm is told: as text or JSON on standard output, and line by line in a file.

use std::io::{BufWriter, Write};
use std::path::Path;

use pleach_datasets::Label;
use pleach_erased::Held;
use serde_json::{Map, Value, json};

use super::super::Failure;
use super::super::input::Input;
use super::super::output::{print, print_json, write_file};
use super::super::plot::Picture;
use super::common::Common;

/// Seconds.
pub struct Times {
    /// Building the store and whatever else the algorithm needs before it starts.
    pub build: f64,
    /// The algorithm itself.
    pub run: f64,
}

/// Writes the value of a vertex.
type WriteValue<'a> = Box<dyn Fn(&mut dyn Write, u32) -> std::io::Result<()> + 'a>;

/// What there is to tell.
#[derive(Default)]
pub struct Report<'a> {
    iterations: Option<usize>,
    result: Vec<(&'static str, Value)>,
    hidden: Vec<(&'static str, Value)>,
    lines: String,
    value: Option<WriteValue<'a>>,
    picture: Option<Box<dyn Fn() -> Picture + 'a>>,
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

    /// A figure of the result in JSON, which text tells otherwise.
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
        write_file(path, |file: &mut BufWriter<_>| {
            vertices.try_for_each(|(vertex, label)| {
                write!(file, "{label} ")?;
                value(file, vertex)?;
                file.write_all(b"\n")
            })
        })
    }

    /// Prints or writes it.
    pub fn tell(
        self,
        app: &str,
        common: &Common,
        input: &Input,
        weighted: bool,
        held: &Held,
        times: Times,
    ) -> Result<(), Failure> {
        let Times { build, run } = times;
        if let Some(path) = &common.out {
            self.write(path, (0u32..).zip(input.graph.ids.labels()))?;
        }
        if let (Some(path), Some(picture)) = (&common.plot, &self.picture) {
            picture().write(&input.graph.name, path)?;
        }
        let bytes_per_edge = held.bytes as f64 / held.report.arcs.max(1) as f64;
        if common.json {
            let mut object = json!({
                "app": app,
                "graph": input.describe(&held.report, weighted),
                "store": common.store.to_string(),
                "threads": rayon::current_num_threads(),
                "seconds": { "load": input.seconds, "build": build, "run": run },
                "memory": { "bytes": held.bytes, "bytes_per_edge": bytes_per_edge },
            });
            if let Some(iterations) = self.iterations {
                object["iterations"] = iterations.into();
            }
            object["result"] = self.describe().1.into();
            return print_json(&object);
        }
        let mut text = format!(
            "{app} of {} ({} vertices, {} arcs) in {}\n\
             loaded in {:.3} s, built in {build:.3} s ({bytes_per_edge:.2} bytes per arc), ran in {run:.3} s{}\n",
            input.graph.name,
            held.report.num_rows,
            held.report.arcs,
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
        print(text.as_bytes())
    }
}
