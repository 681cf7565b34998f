//! `pleach data`: graphs by name, what is in a file, files of other formats, generated and fetched ones.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, Subcommand};
use pleach::{Csr, Rows};
use pleach_datasets::{
    Attribute, Coo, Direction, EntryKind, Error, Format, Generator, Options, Weights, list, lost_attributes,
};
use rayon::prelude::*;
use serde_json::json;

use super::input::{Input, InputArgs, label_json};
use super::output::{check_out, not_written, note, print, print_json};
use super::plot::named_as_svg;
use super::progress::{bar, shown_by};
use super::transform::Transform;
use super::{Failure, complete, memory, unused};

#[cfg(feature = "compiler")]
use super::structure::{Structure, draw};
#[cfg(not(feature = "compiler"))]
use unstructured::{Structure, draw};

/// The compiler knows how large a matrix is in each format. A build without it describes no structure, and says so.
#[cfg(not(feature = "compiler"))]
mod unstructured {
    use std::path::Path;

    use pleach_datasets::Coo;
    use serde_json::Value;

    use crate::Failure;
    use crate::output::note;

    pub enum Structure {}

    impl Structure {
        pub fn of(_: &Coo) -> Result<Option<Self>, Failure> {
            note(format_args!("the structure of the matrix is left out: this build has no feature `compiler`"));
            Ok(None)
        }

        pub fn measure(&mut self, _: &Coo) -> Result<(), Failure> {
            match *self {}
        }

        pub fn text(&self) -> String {
            match *self {}
        }

        pub fn json(&self) -> Value {
            match *self {}
        }
    }

    pub fn draw(_: &Coo, _: &Path) -> Result<(), Failure> {
        Ok(())
    }
}

#[cfg(feature = "fetch")]
mod fetch;

/// Nothing is listed as fetched by a build that fetches nothing.
#[cfg(not(feature = "fetch"))]
mod fetch {
    pub fn described() -> [serde_json::Value; 0] {
        []
    }

    pub fn listed() -> String {
        String::new()
    }
}

/// What to do with graphs.
#[derive(Subcommand)]
pub enum Data {
    /// List the graphs that can be named without a file
    ///
    /// Example: pleach data list
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Describe a graph or a tensor: its size, its degrees or slices, and the facts of the file
    ///
    /// Of a file that holds a matrix, also its diagonals, rows, bandwidth and blocks, and the bytes that it takes in each format.
    ///
    /// Example: pleach data info web.mtx.gz
    Info(InfoArgs),
    /// Generate a graph and write it to a file
    ///
    /// Example: pleach data gen rmat:16 -o rmat16.mtx.gz
    Gen(GenArgs),
    /// Write a graph to a file of another format, perhaps a part of it or its vertices numbered otherwise
    ///
    /// Transformations are made in the order in which the options are listed here.
    ///
    /// Example: pleach data write web.mtx.gz --largest-component --relabel degree -o web.plg
    Write(WriteArgs),
    /// Download a published graph or matrix, check it and keep it
    ///
    /// Its size and checksum are compared with the published ones. It is kept in the folder PLEACH_CACHE, or in the platform's cache
    /// folder; afterwards its name can be used wherever a graph is named. An interrupted download is resumed by the next call.
    ///
    /// Example: pleach data fetch wiki-Vote
    #[cfg(feature = "fetch")]
    Fetch(fetch::FetchArgs),
    /// Download a published graph or matrix (not in this build)
    #[cfg(not(feature = "fetch"))]
    Fetch(super::left_out::LeftOut),
}

/// Options of `data info`.
#[derive(Args)]
pub struct InfoArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Draw where the nonzeros of a matrix lie
    #[arg(long, value_name = "FILE.svg", value_parser = named_as_svg)]
    plot: Option<PathBuf>,
    /// Multiply a matrix with a vector in each format, and print how long it takes
    #[arg(long)]
    measure: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Options of `data gen`.
#[derive(Args)]
pub struct GenArgs {
    /// What to generate: rmat:SCALE[:EDGES_PER_VERTEX], grid:ROWSxCOLUMNS, rgg:SCALE or er:VERTICES:EDGES
    #[arg(value_name = "KIND", value_parser = complete::generators(), hide_possible_values = true)]
    kind: Generator,
    #[command(flatten)]
    to: OutputArgs,
    /// Seed of the random numbers: the same seed gives the same graph [default: 0]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Number the vertices of a grid or a geometric graph at random instead of by their position
    #[arg(long)]
    permute: bool,
    /// Generate a directed graph
    #[arg(long)]
    directed: bool,
}

/// Where a graph is written.
#[derive(Args)]
pub struct OutputArgs {
    /// File to write; its ending chooses the format: .plg, .mtx, .tsv, .txt, .csv, .el, .wel, .names, .graph, .adj, .sg, .wsg, .tns, .npz,
    /// .graphml, .gexf, .net, .json, .parquet, .arrow, .feather, .arrows, .dot or .gv, and .gz or .zst behind it. `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Write the format of this ending, whatever the file is called, compressed if `.gz` or `.zst` follows, as in `csv.gz` [default for
    /// standard output: tsv]
    #[arg(long, value_name = "ENDING", value_parser = complete::endings(), hide_possible_values = true)]
    to: Option<String>,
}

impl OutputArgs {
    /// Refuses a file that could not be written.
    fn check(&self) -> Result<(), Failure> {
        pleach_datasets::check_graph_file(&self.output, self.to.as_deref()).map_err(Failure::input)
    }

    fn write_tensor(&self, tensor: &Coo) -> Result<(), Failure> {
        let written = match &self.to {
            Some(ending) => pleach_datasets::write_tensor_as(tensor, &self.output, ending),
            None => pleach_datasets::write_tensor(tensor, &self.output),
        };
        written.map_err(|error| not_written(error, |error| error.to_string()))?;
        let dims: Vec<String> = tensor.dims.iter().map(usize::to_string).collect();
        note(format_args!("wrote {}: {}, {} nonzeros", self.output.display(), dims.join(" × "), tensor.nnz()));
        Ok(())
    }

    fn write(&self, graph: &pleach_datasets::Input) -> Result<(), Failure> {
        save(graph, &self.output, self.to.as_deref())
    }
}

/// Writes a graph in the format of an ending, or else in that of the file's name, and says what the format does not keep.
pub fn save(graph: &pleach_datasets::Input, path: &Path, to: Option<&str>) -> Result<(), Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let own = uncompressed(&name).rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let ending = to.or(own.as_deref()).unwrap_or("tsv");
    let bar = bar();
    let written = pleach_datasets::write_watched(graph, path, ending, &shown_by(&bar));
    bar.finish_and_clear();
    written.map_err(|error| not_written(error, |error| error.to_string()))?;
    let ending = uncompressed(ending);
    let merges = matches!(ending, "plg" | "graph" | "adj" | "sg" | "wsg" | "npz");
    let duplicates = if merges { merged(graph) } else { 0 };
    losses(graph, ending, duplicates).into_iter().for_each(note);
    // Both directions of an edge may be listed.
    let twice = !graph.directed && !graph.mirrored;
    let listed = graph.edges.len() - duplicates;
    let edges = if twice { (listed + graph.self_loops as usize) / 2 } else { listed };
    let vertices = graph.num_vertices();
    note(format_args!("wrote {}: {vertices} vertices, {edges} edges", path.display()));
    Ok(())
}

/// A name or an ending without that of a compression.
fn uncompressed(name: &str) -> &str {
    name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(name)
}

/// What a format does not keep of a graph, of whose edges it merges `duplicates` into others.
fn losses(graph: &pleach_datasets::Input, ending: &str, duplicates: usize) -> Vec<String> {
    let mut lost = lost_attributes(graph, ending);
    let by_place = matches!(ending, "mtx" | "graph" | "adj" | "sg" | "wsg" | "tns" | "npz");
    let first = u64::from(matches!(ending, "mtx" | "graph" | "tns"));
    let ids = &graph.ids;
    if by_place && ids.has_names() {
        lost.push(format!("not kept: names of vertices; they are numbered from {first} in the order of their names"));
    } else if by_place && ids.range().is_none_or(|(begin, _)| begin != first) {
        lost.push(format!("not kept: ids of vertices; they are numbered from {first} in the order of their ids"));
    }
    if matches!(ending, "el" | "wel" | "adj" | "tns" | "npz") && !graph.directed {
        lost.push("not kept: that the graph is undirected; read it with --undirected".to_owned());
    }
    if matches!(ending, "tsv" | "txt" | "csv" | "el" | "wel" | "parquet" | "arrow" | "feather" | "arrows") {
        let mut used = vec![false; graph.num_vertices()];
        graph.edges.src().iter().chain(graph.edges.dst()).for_each(|&vertex| used[vertex as usize] = true);
        let alone = used.iter().filter(|used| !**used).count();
        if alone > 0 {
            lost.push(format!("not kept: {alone} vertices without edges"));
        }
    }
    if duplicates > 0 {
        lost.push(format!(
            "merged: {duplicates} edges into others between the same vertices, of which the last counts"
        ));
    }
    if ending == "adj"
        && graph.edges.is_weighted()
        && graph.edges.weight().is_some_and(|w| w.iter().any(|w| w.fract() != 0.0))
    {
        lost.push("weights that are not whole, which Ligra itself does not read".to_owned());
    }
    lost
}

/// How many edges lie between vertices that a later one joins, too.
fn merged(graph: &pleach_datasets::Input) -> usize {
    let ends = graph.edges.src().par_iter().zip(graph.edges.dst());
    let key = |(&src, &dst): (&u32, &u32)| {
        let (src, dst) = if graph.mirrored { (src.min(dst), src.max(dst)) } else { (src, dst) };
        u64::from(src) << 32 | u64::from(dst)
    };
    let mut keys: Vec<u64> = ends.map(key).collect();
    keys.par_sort_unstable();
    keys.windows(2).filter(|pair| pair[0] == pair[1]).count()
}

/// Options of `data write`.
#[derive(Args)]
pub struct WriteArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    to: OutputArgs,
    #[command(flatten)]
    transform: Transform,
}

impl Data {
    /// Runs the command.
    pub fn run(self) -> Result<(), Failure> {
        match self {
            Data::List { json } => listing(json),
            Data::Info(args) => args.run(),
            Data::Gen(args) => args.run(),
            Data::Write(args) => args.run(),
            #[cfg(feature = "fetch")]
            Data::Fetch(args) => args.run(),
            #[cfg(not(feature = "fetch"))]
            Data::Fetch(left_out) => left_out.run("fetch", "fetch"),
        }
    }
}

impl WriteArgs {
    fn run(mut self) -> Result<(), Failure> {
        self.to.check()?;
        self.transform.check(&self.input)?;
        unused::refuse(&self.input, self.transform.draws())?;
        self.input.attributes = true;
        let tensor = match self.input.open_kept_or_read(Weights::AsRead)? {
            Ok(input) => return self.to.write(&self.transform.apply(&self.input, input)?),
            Err(Error::Order { order, .. }) => order,
            Err(error) => return Err(Failure::input(error)),
        };
        let name = self.input.name();
        if self.input.is_of_graph() || !self.transform.is_none() {
            return Err(Failure::usage(format!(
                "{name} is a tensor of order {tensor}; directions, self loops, columns, --conflict and transformations are for graphs"
            )));
        }
        if name == "-" {
            return Err(Failure::input(format!(
                "standard input is a tensor of order {tensor}, which is read from files only"
            )));
        }
        self.to.write_tensor(&self.input.read_tensor().map_err(Failure::input)?)
    }
}

fn listing(json: bool) -> Result<(), Failure> {
    if json {
        let entries: Vec<_> = list()
            .map(|entry| {
                json!({
                    "name": entry.name,
                    "bundled": entry.kind == EntryKind::Bundled,
                    "directed": entry.direction == Direction::Directed,
                    "vertices": entry.vertices,
                    "edges": entry.edges,
                    "summary": entry.summary,
                })
            })
            .collect();
        let fetched = fetch::described();
        return print_json(&entries.into_iter().chain(fetched).collect::<Vec<_>>());
    }
    let mut text = String::new();
    for entry in list() {
        text += &format!(
            "{:<18}{:>10} vertices {:>10} edges    {}\n",
            entry.name, entry.vertices, entry.edges, entry.summary
        );
    }
    text += &fetch::listed();
    text += "\nAny size: rmat:SCALE[:EDGES_PER_VERTEX], grid:ROWSxCOLUMNS, rgg:SCALE, er:VERTICES:EDGES\n";
    print(text.as_bytes())
}

/// Attributes, for an object of JSON.
fn columns_json(columns: &[Attribute]) -> Vec<serde_json::Value> {
    let column =
        |column: &Attribute| json!({ "name": column.name(), "type": column.kind().name(), "values": column.len() });
    columns.iter().map(column).collect()
}

/// The slices of a tensor along one mode.
struct Slices {
    size: usize,
    /// Number of slices that hold a nonzero.
    used: usize,
    /// Number of nonzeros in the fullest slice.
    largest: usize,
}

impl Slices {
    /// Sorts the coordinates rather than counting into an array of the mode's size, which the file alone says.
    fn of(size: usize, coords: &[u32]) -> Self {
        let mut sorted = coords.to_vec();
        sorted.par_sort_unstable();
        let slices = || sorted.chunk_by(|a, b| a == b);
        Slices { size, used: slices().count(), largest: slices().map(<[u32]>::len).max().unwrap_or(0) }
    }
}

impl InfoArgs {
    fn run(mut self) -> Result<(), Failure> {
        unused::refuse(&self.input, false)?;
        unused::refuse_conflict(&self.input, "`data info` merges none")?;
        // A file is described whatever its values are.
        self.input.any_number = true;
        self.input.attributes = true;
        #[cfg(not(feature = "compiler"))]
        for (given, option) in [(self.measure, "--measure"), (self.plot.is_some(), "--plot")] {
            if given {
                return Err(super::left_out::without(option, "compiler"));
            }
        }
        check_out(self.plot.as_deref())?;
        if pleach_log::holds_graph(self.input.name()) {
            let input = self.input.load(Weights::AsRead)?;
            return self.graph(input);
        }
        self.input.check_memory(Weights::AsRead)?;
        match self.input.open(Weights::AsRead) {
            Err(error) if error.is_of_tensor() => self.tensor(!matches!(error, Error::Order { .. })),
            opened => self.graph(opened.map_err(Failure::input)?),
        }
    }

    /// Describes a tensor of any order but 2, or a matrix whose extents are too large for what is described of a graph.
    fn tensor(self, is_matrix: bool) -> Result<(), Failure> {
        let name = self.input.name();
        for (given, option) in [(self.measure, "--measure"), (self.plot.is_some(), "--plot")] {
            if given && !is_matrix {
                return Err(Failure::usage(format!("{option} is for a matrix, of two indices")));
            }
        }
        if self.measure {
            return Err(Failure::input(format!(
                "{name}: --measure makes vectors as long as the extents, which are out of proportion to the entries; leave it out"
            )));
        }
        let begin = Instant::now();
        self.input.check_tensor()?;
        let tensor = self.input.read_tensor().map_err(Failure::input)?;
        let seconds = begin.elapsed().as_secs_f64();
        if let Some(path) = &self.plot {
            draw(&tensor, path)?;
        }
        let structure = if is_matrix { Structure::of(&tensor)? } else { None };
        let modes: Vec<Slices> =
            tensor.dims.iter().zip(&tensor.coords).map(|(&size, coords)| Slices::of(size, coords)).collect();
        let mut order: Vec<usize> = (0..tensor.nnz()).collect();
        let place = |k: usize| tensor.coords.iter().map(move |mode| mode[k]);
        order.par_sort_unstable_by(|&a, &b| place(a).cmp(place(b)));
        let duplicates = order.windows(2).filter(|pair| place(pair[0]).eq(place(pair[1]))).count();
        let least = tensor.values.iter().copied().min_by(f64::total_cmp);
        let most = tensor.values.iter().copied().max_by(f64::total_cmp);
        if self.json {
            let modes =
                modes.iter().map(|mode| json!({ "size": mode.size, "used": mode.used, "largest": mode.largest }));
            let mut told = json!({
                "name": name,
                "order": tensor.order(),
                "dims": tensor.dims,
                "nonzeros": tensor.nnz(),
                "duplicates": duplicates,
                "modes": modes.collect::<Vec<_>>(),
                "values": { "least": least, "most": most },
                "seconds": { "load": seconds },
            });
            if let Some(structure) = &structure {
                told["matrix"] = structure.json();
            }
            return print_json(&told);
        }
        let dims: Vec<String> = tensor.dims.iter().map(usize::to_string).collect();
        let mut text = format!(
            "{name}: a tensor of order {}\n{}, {} nonzeros, {duplicates} of them duplicates\n",
            tensor.order(),
            dims.join(" × "),
            tensor.nnz()
        );
        if is_matrix {
            text += "left out: what is described of a graph, such as degrees, which takes an array as long as the larger extent\n";
        }
        for (mode, Slices { size, used, largest }) in modes.iter().enumerate() {
            text += &format!("mode {}: {used} of {size} slices hold nonzeros, the fullest {largest}\n", mode + 1);
        }
        if let (Some(least), Some(most)) = (least, most) {
            text += &format!("values from {least} to {most}\n");
        }
        text += &structure.map_or(String::new(), |structure| structure.text());
        text += &format!("read in {seconds:.3} s\n");
        print(text.as_bytes())
    }

    /// Describes a graph or a matrix.
    fn graph(self, input: Input) -> Result<(), Failure> {
        let weighted = input.graph.edges.is_weighted();
        let begin = Instant::now();
        let (name, format) = (input.graph.name.clone(), input.graph.format.to_string());
        let options = input.build_options::<()>();
        let first_last = (input.graph.num_vertices() > 0).then(|| {
            let last = input.graph.num_vertices() as u32 - 1;
            (input.graph.ids.label(0), input.graph.ids.label(last))
        });
        let counted = input.count(&input.graph.edges, false);
        let describe = |report| input.describe(&counted, report, weighted);
        let pattern = input.pattern();
        let (matrix, report) = Csr::from_edges(&pattern, &options).map_err(Failure::input)?;
        let seconds = begin.elapsed().as_secs_f64();
        let mut graph = describe(&report);
        let structure = self.structure(&input)?;
        let mut degrees = matrix.view().row_degrees();
        degrees.sort_unstable();
        let quantile = |share: f64| degrees.get((share * degrees.len() as f64) as usize).copied();
        let max = degrees.last().copied();
        let empty = degrees.iter().take_while(|&&degree| degree == 0).count();
        graph["rows"] = json!(report.num_rows);
        graph["columns"] = json!(report.num_cols);
        graph["format"] = json!(format);
        graph["notes"] = json!(input.graph.notes);
        graph["ids"] = json!(first_last.map(|(first, last)| [label_json(first), label_json(last)]));
        graph["attributes"] = json!({
            "vertices": columns_json(&input.graph.attributes.vertices),
            "edges": columns_json(&input.graph.attributes.edges),
        });
        graph["out_degree"] = json!({ "median": quantile(0.5), "p99": quantile(0.99), "max": max, "zero": empty });
        if let Some(structure) = &structure {
            graph["matrix"] = structure.json();
        }
        if self.json {
            graph["seconds"] = json!({ "load": input.seconds, "build": seconds });
            return print_json(&graph);
        }
        let or_none = |value: Option<u32>| value.map_or("none".to_owned(), |value| value.to_string());
        let mut text = format!(
            "{name}: {format}, {}, {}\n{} rows, {} columns, {} edges stored as {} arcs\n",
            if input.graph.directed { "directed" } else { "undirected" },
            if weighted { "weighted" } else { "without weights" },
            report.num_rows,
            report.num_cols,
            graph["edges"],
            report.arcs
        );
        text += &format!("{} self loops, {} duplicates merged\n", graph["self_loops"], graph["duplicates"]);
        input.graph.notes.iter().for_each(|note| text += &format!("{note}\n"));
        let attributes = &input.graph.attributes;
        for (of, columns) in [("vertices", &attributes.vertices), ("edges", &attributes.edges)] {
            let column = |column: &Attribute| format!("{} ({})", column.name().escape_debug(), column.kind().name());
            let columns: Vec<String> = columns.iter().map(column).collect();
            if !columns.is_empty() {
                text += &format!("attributes of {of}: {}\n", columns.join(", "));
            }
        }
        if let Some((first, last)) = first_last {
            let called = if input.graph.ids.has_names() { "names" } else { "ids" };
            text += &format!("{called} from {first} to {last}\n");
        }
        text += &format!(
            "out-degree: median {}, 99th percentile {}, largest {}; {empty} rows without arcs\n",
            or_none(quantile(0.5)),
            or_none(quantile(0.99)),
            or_none(max)
        );
        text += &structure.map_or(String::new(), |structure| structure.text());
        text += &format!("read in {:.3} s, sorted in {seconds:.3} s\n", input.seconds);
        print(text.as_bytes())
    }

    /// The structure of a file that holds a matrix, and its picture, if one is asked for.
    fn structure(&self, input: &Input) -> Result<Option<Structure>, Failure> {
        let is_matrix =
            matches!(input.graph.format, Format::MatrixMarket | Format::HarwellBoeing | Format::Npz | Format::Tensor);
        if !is_matrix && self.measure {
            return Err(Failure::usage(format!(
                "--measure is for a matrix: `{}` is a graph ({})",
                self.input.name(),
                input.graph.format
            )));
        }
        if !is_matrix && self.plot.is_none() {
            return Ok(None);
        }
        // Standard input and pipes are read once only.
        let again = is_matrix && Path::new(self.input.name()).is_file();
        let matrix = match again {
            true => self.input.read_tensor().map_err(Failure::input)?,
            false => Coo::of_graph(&input.graph),
        };
        if let Some(path) = &self.plot {
            draw(&matrix, path)?;
        }
        if !is_matrix {
            return Ok(None);
        }
        let mut structure = Structure::of(&matrix)?;
        if self.measure
            && let Some(structure) = &mut structure
        {
            structure.measure(&matrix)?;
        }
        Ok(structure)
    }
}

impl GenArgs {
    fn run(self) -> Result<(), Failure> {
        self.to.check()?;
        unused::refuse_of_generator(&self.kind, self.seed.is_some(), self.permute)?;
        memory::check(&self.kind, memory::Use::List)?;
        let direction = self.directed.then_some(Direction::Directed);
        let bar = bar();
        let options = Options::default().with_direction(direction).with_permute(self.permute);
        let options = options.with_seed(self.seed.unwrap_or(0));
        let graph = self.kind.generate(&options.with_progress(shown_by(&bar)));
        bar.finish_and_clear();
        let graph = graph.map_err(Failure::input)?;
        self.to.write(&graph)
    }
}
