//! What all algorithms share: options, reading and building the graph, the clock, and telling the result.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Instant;

use clap::Args;
use pleach::graph::VertexSet;
use pleach::matrix::{BlockError, RowSource};
use pleach::runtime::Value;
use pleach::traverse::{Adjacency, DynRows};
use pleach::{BuildOptions, Duplicates, EdgeList};
use pleach_datasets::{Edges, IdMap, Label, RowFile, Weights};
use pleach_erased::{Bundled, Ends, GraphView, StoreName, StoredGraph};
use pleach_log::{IdKind, VertexIds};
use rayon::prelude::*;
use serde_json::Value as Json;

use super::super::Failure;
use super::super::allocator;
use super::super::complete;
use super::super::ids;
use super::super::input::{Counted, Input, InputArgs, label_json};
use super::super::output::{check_apart, check_out};
use super::super::plot::{Picture, named_as_svg};
use super::super::stream::default_threads;
use super::super::unused;
use super::following::Following;
use super::report::{Measured, Report, Times};
use super::source::Source;
use super::verifying::{self, Size};

/// What every algorithm takes.
#[derive(Args)]
pub struct Common {
    #[command(flatten)]
    pub input: InputArgs,
    /// Store to hold the graph in: OUTER,ROW (such as `bst,ctree`), or a format (`csr`, `aspen`, …)
    #[arg(long, value_name = "OUTER,ROW", default_value = pleach_erased::DEFAULT_STORE, value_parser = complete::stores(), hide_possible_values = true)]
    pub store: StoreName,
    /// Threads to use [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
    /// Write one line a vertex, `ID VALUE`, sorted by id
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Print the vertices of the K largest values, the K largest groups where values are groups, or the K pairs that are most alike [default:
    /// 10 for pagerank, all pairs for similarity, else 0]
    #[arg(long, value_name = "K")]
    pub top: Option<usize>,
    /// Draw the result as a distribution: of degrees, ranks, distances, or sizes of components, cores, trusses or colours
    #[arg(long, value_name = "FILE.svg", value_parser = named_as_svg)]
    pub plot: Option<PathBuf>,
}

/// What algorithms take that can check their results.
#[derive(Args)]
pub struct Checked {
    #[command(flatten)]
    pub common: Common,
    /// Check the result by a second, independent method, and fail if it is wrong
    #[arg(long)]
    pub verify: bool,
}

/// The values that arcs carry: nothing, or weights.
pub trait Carried: Bundled {
    /// Whether these are weights.
    const WEIGHTED: bool;
    /// How weights are read.
    const READ: Weights;

    /// The arcs.
    fn edges(edges: Edges) -> EdgeList<Self>;

    /// A graph without weights, if that is what these are.
    fn of_pattern(graph: GraphView<'_, ()>) -> Option<GraphView<'_, Self>>;

    /// A graph with weights, if that is what these are.
    fn of_weighted(graph: GraphView<'_, f64>) -> Option<GraphView<'_, Self>>;

    /// The rows of a file.
    fn rows(file: &RowFile) -> &dyn RowSource<Self>;
}

impl Carried for () {
    const WEIGHTED: bool = false;
    const READ: Weights = Weights::Ignore;

    fn edges(edges: Edges) -> EdgeList {
        edges.into_pattern()
    }

    fn of_pattern(graph: GraphView<'_, ()>) -> Option<GraphView<'_, ()>> {
        Some(graph)
    }

    fn of_weighted(_: GraphView<'_, f64>) -> Option<GraphView<'_, ()>> {
        None
    }

    fn rows(file: &RowFile) -> &dyn RowSource<()> {
        file
    }
}

impl Carried for f64 {
    const WEIGHTED: bool = true;
    const READ: Weights = Weights::OrOne;

    fn edges(edges: Edges) -> EdgeList<f64> {
        edges.into_weighted()
    }

    fn of_pattern(_: GraphView<'_, ()>) -> Option<GraphView<'_, f64>> {
        None
    }

    fn of_weighted(graph: GraphView<'_, f64>) -> Option<GraphView<'_, f64>> {
        Some(graph)
    }

    fn rows(file: &RowFile) -> &dyn RowSource<f64> {
        file
    }
}

/// An algorithm of the command line: its options are the fields.
pub trait Algorithm: Sync {
    /// Its name.
    const NAME: &'static str;
    /// The arcs whose rows it reads.
    const ENDS: Ends;
    /// Whether it finds a value for each vertex, which `--out` could write.
    const HAS_VALUES: bool = true;
    /// Makes the picture that `--plot` draws, if there is one.
    const PICTURE: Option<fn(&Self::Found) -> Picture> = None;
    /// What arcs carry for it.
    type Value: Carried;
    /// Its result.
    type Found: Send;

    /// The options that all share.
    fn options(&self) -> &Checked;

    /// Changes how duplicate arcs and self loops are treated, if the defaults do not suit the algorithm.
    fn adjust(&self, build: &mut BuildOptions<Self::Value>) {
        let _ = build;
    }

    /// Whether the result depends on how vertices are numbered, as where the smallest of several vertices wins. On a stream, in which
    /// vertices are numbered as their ids come, it is then computed on a view of the graph that numbers them by ascending ids.
    fn by_number(&self) -> bool {
        true
    }

    /// Runs the algorithm.
    fn compute(&self, graph: GraphView<'_, Self::Value>, vertices: &Vertices<'_>) -> Result<Self::Found, Failure>;

    /// Checks the result by a second method; the error says what is wrong.
    fn verify(
        &self,
        graph: Adjacency<'_, DynRows<'_, Self::Value>>,
        vertices: &Vertices<'_>,
        found: &Self::Found,
    ) -> Result<(), String>;

    /// About how many steps [`verify`](Self::verify) takes for this result: a pass over the graph, unless it says otherwise.
    fn steps_to_verify(&self, size: &Size<'_, Self::Value>, vertices: &Vertices<'_>, found: &Self::Found) -> f64 {
        let _ = (vertices, found);
        size.pass()
    }

    /// The form of the algorithm that updates its result from version to version of a streamed graph, if there is one for these options.
    fn following(&self) -> Option<Box<dyn Following<'_> + '_>> {
        None
    }

    /// Makes the report of a result.
    fn report<'a>(&self, found: &'a Self::Found, vertices: &'a Vertices<'_>) -> Report<'a>;
}

/// The ids or names of the vertices of a graph.
#[derive(Clone, Copy)]
pub enum Names<'a> {
    /// By the ids of a file, which ascend.
    File(&'a IdMap),
    /// By the ids of a stream, in the order of their first occurrence; with the set of vertices of the version, and its number of rows.
    Stream(&'a VertexIds, &'a VertexSet, usize),
    /// By the ids of a stream, ascending; with the set of vertices of the version, in the numbers of the stream.
    Ordered(&'a VertexIds, &'a VertexSet, &'a Order),
}

/// The vertices of a stream by ascending ids, where they did not come in that order.
pub struct Order {
    /// The vertices.
    by_id: Vec<u32>,
    /// The place of each.
    places: Vec<u32>,
}

impl Order {
    /// The first `len` vertices of a stream; nothing if their ids ascend.
    pub fn of(ids: &VertexIds, len: usize) -> Option<Self> {
        let key = |vertex: u32| ids::label(ids, vertex);
        if (0..len as u32).map(key).is_sorted() {
            return None;
        }
        let mut by_id: Vec<u32> = (0..len as u32).collect();
        by_id.par_sort_unstable_by_key(|&vertex| key(vertex));
        let mut places = vec![0; len];
        by_id.iter().zip(0..).for_each(|(&vertex, place)| places[vertex as usize] = place);
        Some(Order { by_id, places })
    }

    /// The same rows by ascending ids.
    pub fn view<'a, V: Value>(&'a self, rows: DynRows<'a, V>) -> DynRows<'a, V> {
        rows.renumbered(&self.by_id, &self.places)
    }

    /// The place of a vertex.
    pub fn place(&self, vertex: u32) -> u32 {
        self.places[vertex as usize]
    }
}

/// What holds of streams.
const WITH_ITS_ID: &str = "every vertex of a stream came with its id";

impl<'a> Names<'a> {
    /// Number of vertices.
    pub fn len(self) -> usize {
        match self {
            Names::File(ids) => ids.len(),
            Names::Stream(.., len) => len,
            Names::Ordered(.., order) => order.by_id.len(),
        }
    }

    /// Of each set of vertices with the same label, which is one of them, the vertex of the smallest id.
    pub fn smallest(self, labels: &[u32]) -> Vec<u32> {
        let mut smallest: Vec<u32> = (0..labels.len() as u32).collect();
        // In the other cases ids ascend, and so do labels.
        if let Names::Stream(ids, ..) = self {
            for (vertex, &label) in (0..).zip(labels) {
                // A vertex that was removed has no label.
                if let Some(so_far) = smallest.get_mut(label as usize)
                    && ids::label(ids, vertex) < ids::label(ids, *so_far)
                {
                    *so_far = vertex;
                }
            }
        }
        smallest
    }

    /// What a vertex is called.
    pub fn label(self, vertex: u32) -> Label<'a> {
        match self {
            Names::File(ids) => ids.label(vertex),
            Names::Stream(ids, ..) => ids::label(ids, vertex).expect(WITH_ITS_ID),
            Names::Ordered(ids, _, order) => ids::label(ids, order.by_id[vertex as usize]).expect(WITH_ITS_ID),
        }
    }

    /// Whether the graph has this vertex. It does not have a removed one.
    pub fn has(self, vertex: u32) -> bool {
        match self {
            Names::File(_) => true,
            Names::Stream(_, there, _) => there.contains(vertex),
            Names::Ordered(_, there, order) => there.contains(order.by_id[vertex as usize]),
        }
    }

    /// The name of a group as an object of JSON: as that of a vertex, if groups are called after one, or a number.
    pub fn group_json(self, group: &str) -> Json {
        match group.parse::<u64>() {
            Ok(number) if !self.are_names() || self.find(group).is_none() => number.into(),
            _ => group.into(),
        }
    }

    /// The same for an object of JSON: a number or a string.
    pub fn json(self, vertex: u32) -> Json {
        label_json(self.label(vertex))
    }

    /// The vertex that is called so.
    fn find(self, called: &str) -> Option<u32> {
        match self {
            Names::File(ids) => ids.find(called),
            Names::Stream(ids, there, _) => ids::find(ids, called).filter(|&vertex| there.contains(vertex)),
            Names::Ordered(ids, there, order) => {
                ids::find(ids, called).filter(|&vertex| there.contains(vertex)).map(|vertex| order.place(vertex))
            }
        }
    }

    /// Whether vertices have names instead of ids.
    fn are_names(self) -> bool {
        match self {
            Names::File(ids) => ids.has_names(),
            Names::Stream(ids, ..) | Names::Ordered(ids, ..) => ids.kind() == IdKind::Names,
        }
    }
}

/// The vertices of the graph under their names.
pub struct Vertices<'a> {
    /// Maps ids to coordinates and back.
    pub ids: Names<'a>,
    /// What the graph is called.
    graph: &'a str,
}

impl<'a> Vertices<'a> {
    /// The vertices of a graph.
    pub fn of(input: &'a Input) -> Self {
        Vertices { ids: Names::File(&input.graph.ids), graph: &input.graph.name }
    }

    /// The vertices `there` of a version with `len` rows, in the order of the stream. Messages call the version `graph`.
    pub fn streamed(ids: &'a VertexIds, there: &'a VertexSet, len: usize, graph: &'a str) -> Self {
        Vertices { ids: Names::Stream(ids, there, len), graph }
    }

    /// The same by ascending ids.
    pub fn ordered(ids: &'a VertexIds, there: &'a VertexSet, order: &'a Order, graph: &'a str) -> Self {
        Vertices { ids: Names::Ordered(ids, there, order), graph }
    }

    /// The vertex that the user calls so: by its id or its name in the input.
    pub fn find(&self, label: &str) -> Result<u32, Failure> {
        let label = label.trim();
        if !self.ids.are_names() && label.parse::<u64>().is_err() {
            return Err(Failure::usage(format!("`{label}` is not a vertex id (a whole number)")));
        }
        self.ids.find(label).ok_or_else(|| {
            let range = match (self.ids, self.ids.len()) {
                (_, 0) => "; it has none".to_owned(),
                (Names::Stream(..) | Names::Ordered(..), _) => String::new(),
                (Names::File(ids), n) => format!(
                    "; its {n} vertices are {} from {} to {}",
                    if ids.has_names() { "named" } else { "numbered" },
                    ids.label(0),
                    ids.label(n as u32 - 1)
                ),
            };
            Failure::NoVertex(format!("{} has no vertex {label}{range}", self.graph))
        })
    }

    /// The vertices that the user calls so.
    pub fn find_all(&self, labels: &[String]) -> Result<Vec<u32>, Failure> {
        labels.iter().map(|label| self.find(label)).collect()
    }
}

/// Refuses options that an algorithm cannot use, and files that cannot be written.
/// `weighted` says that this algorithm, or another that runs on the same graph, reads weights.
pub fn check<T: Algorithm>(algorithm: &T, weighted: bool) -> Result<(), Failure> {
    algorithm.options().common.check(T::NAME, weighted, T::HAS_VALUES, T::PICTURE.is_some())
}

/// Reads and builds the graph, runs the algorithm, checks the result if that is asked for, and reports it.
pub fn run<T: Algorithm + Send>(algorithm: &T, source: &mut Source) -> Result<(), Failure> {
    let options = algorithm.options();
    options.common.with_threads(|| {
        let Loaded { input, weighted, counted, graph } =
            load(&options.common, source, T::ENDS, &|build| algorithm.adjust(build))?;
        let vertices = Vertices::of(&input);
        let begin = Instant::now();
        let (found, run) = graph.view(|graph| {
            let begin = Instant::now();
            let found = algorithm.compute(graph, &vertices);
            (found, begin.elapsed().as_secs_f64())
        });
        // A view of the rows is a part of building.
        let build = graph.held.build.as_secs_f64() + (begin.elapsed().as_secs_f64() - run).max(0.0);
        let found = found?;
        if options.verify {
            graph.over(|graph| verifying::check(algorithm, graph, &vertices, &found))?;
        }
        let found = &found;
        let mut report = algorithm.report(found, &vertices);
        if let Some(picture) = T::PICTURE {
            report.picture(move || picture(found));
        }
        if options.verify {
            report.result("verified", true);
        }
        report.top(options.common.top.unwrap_or(0), &vertices);
        let graph = Measured { input: &input, counted, weighted, held: graph.held };
        report.print(T::NAME, &options.common, &graph, Times { build, run })
    })
}

/// A graph in its store.
pub struct Loaded<V: Bundled> {
    /// What is known about the graph; its arcs are in the store.
    pub input: Input,
    pub weighted: bool,
    pub counted: Counted,
    pub graph: StoredGraph<V>,
}

/// Reads a graph, and builds the store that an algorithm runs on. `adjust` changes how duplicate arcs and self loops are treated, unless the
/// command line says so.
pub fn load<V: Carried>(
    common: &Common,
    source: &mut Source,
    ends: Ends,
    adjust: &dyn Fn(&mut BuildOptions<V>),
) -> Result<Loaded<V>, Failure> {
    let returned = allocator::return_at_once();
    let Common { input: args, store, .. } = common;
    if let Some((input, rows, bar)) = source.rows(args, V::READ, ends)? {
        let loaded = load_rows(store, input, &rows, ends);
        bar.finish_and_clear();
        if let Some(loaded) = loaded? {
            return Ok(loaded);
        }
    }
    let mut input = source.take(args, V::READ)?;
    // What a store is built of stays where it is freed: pages that went back would come again, as huge pages for a few small nodes each.
    drop(returned);
    let weighted = input.graph.edges.is_weighted();
    let edges = input.take_edges()?;
    let counted = input.count(&edges, ends == Ends::Undirected);
    let edges = V::edges(edges);
    let mut build = input.build_options();
    if !input.has_conflict_rule() {
        adjust(&mut build);
    }
    let directed = input.graph.directed;
    let least = !matches!(build.duplicates, Duplicates::Last);
    let graph = StoredGraph::build(store, edges, &build, directed, ends).map_err(Failure::input)?;
    input.note_duplicates(&counted, &graph.held.report, weighted && V::WEIGHTED, least);
    Ok(Loaded { input, weighted, counted, graph })
}

/// Builds the store of rows as a file holds them. `None` if they do not ascend, and have to be sorted first.
fn load_rows<V: Carried>(
    store: &StoreName,
    input: Input,
    rows: &RowFile,
    ends: Ends,
) -> Result<Option<Loaded<V>>, Failure> {
    let directed = input.graph.directed;
    match StoredGraph::from_rows(store, rows.shape(), V::rows(rows), directed, ends) {
        Err(BlockError::Wrong { .. }) => Ok(None),
        Err(error) => Err(Failure::input(error)),
        Ok(graph) => {
            rows.finish().map_err(Failure::input)?;
            let counted = Counted::of_rows(&graph.held.report);
            Ok(Some(Loaded { weighted: input.graph.edges.is_weighted(), input, counted, graph }))
        }
    }
}

impl Common {
    /// Refuses options that an algorithm cannot use, which has values or a picture or neither, and files that cannot be written.
    fn check(&self, app: &str, weighted: bool, has_values: bool, has_picture: bool) -> Result<(), Failure> {
        self.check_input(app, weighted)?;
        if !has_values && self.out.is_some() {
            let message = format!("{app} has no value for each vertex, so there is nothing for --out to write");
            return Err(Failure::usage(message));
        }
        if !has_picture && self.plot.is_some() {
            return Err(Failure::usage(format!("--plot cannot draw the result of {app}, which is no distribution")));
        }
        self.check_files()
    }

    /// Refuses options that have no effect on what the algorithm makes of the graph.
    pub fn check_input(&self, app: &str, weighted: bool) -> Result<(), Failure> {
        unused::refuse(&self.input, false)?;
        if weighted { Ok(()) } else { unused::refuse_conflict(&self.input, &format!("{app} reads none")) }
    }

    /// Refuses files that cannot be written.
    pub fn check_files(&self) -> Result<(), Failure> {
        let (out, plot) = (self.out.as_deref(), self.plot.as_deref());
        check_apart([("--out", out), ("--plot", plot)])?;
        check_out(out)?;
        check_out(plot)
    }

    /// Refuses options that `pleach stream` itself has.
    pub fn check_on_snapshot(&self) -> Result<(), Failure> {
        let store = self.store.to_string() != pleach_erased::DEFAULT_STORE;
        if self.plot.is_some() {
            return Err(Failure::usage(
                "--app: a stream draws no --plot: `pleach stream --save FILE` writes the graph at the end, of which `pleach run` draws one",
            ));
        }
        if store || self.threads.is_some() || self.json || self.out.is_some() || !self.input.is_plain() {
            return Err(Failure::usage(
                "--app takes only the options of the algorithm itself: give those of reading, --store, --threads, --json and --out to \
                 `pleach stream`",
            ));
        }
        Ok(())
    }

    /// Runs `work` on as many threads as asked for.
    pub fn with_threads<T: Send>(&self, work: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
        with_threads(self.threads, work)
    }
}

/// Threads that may be asked for, for each core: more only wait for each other.
const THREADS_PER_CORE: usize = 8;

/// Refuses far more threads than there are cores.
pub fn check_threads(threads: Option<usize>) -> Result<(), Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    match threads.filter(|&threads| threads > THREADS_PER_CORE * cores) {
        None => Ok(()),
        Some(threads) => Err(Failure::usage(format!(
            "--threads {threads}: there are {cores} cores, and at most {THREADS_PER_CORE} threads for each are of use: expected at most {}",
            THREADS_PER_CORE * cores
        ))),
    }
}

/// Starts the threads that all parallel work shares, unless they have been started: at its first use rayon would panic where that cannot be.
pub fn start_threads() -> Result<(), Failure> {
    static FAILED: OnceLock<Option<String>> = OnceLock::new();
    let start = || {
        let error = rayon::ThreadPoolBuilder::new().build_global().err()?;
        // Without a cause, it says that there are such threads already.
        std::error::Error::source(&error).map(ToString::to_string)
    };
    match FAILED.get_or_init(start) {
        None => Ok(()),
        Some(error) => Err(Failure::threads(default_threads(), error)),
    }
}

/// Runs `work` on `threads` threads, or on all cores.
pub fn with_threads<T: Send>(
    threads: Option<u16>,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    let (mut work, mut done) = (Some(work), None);
    on_threads(threads, &mut || done = work.take().map(|work| work()))?;
    done.expect("the work is done once")
}

/// As [`with_threads`]. It is compiled once, and not for each algorithm.
fn on_threads(threads: Option<u16>, work: &mut (dyn FnMut() + Send)) -> Result<(), Failure> {
    check_threads(threads.map(usize::from))?;
    match threads {
        // On a thread of the pool: work in many rounds need not wake it up in each.
        None => {
            start_threads()?;
            rayon::scope(|_| work());
        }
        Some(threads) => rayon::ThreadPoolBuilder::new()
            .num_threads(threads.into())
            .build()
            .map_err(|error| Failure::threads(threads.into(), error))?
            .install(work),
    }
    Ok(())
}
