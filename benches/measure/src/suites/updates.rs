//! Updates of a graph: how fast batches of each size are inserted and deleted, beside plain Rust and beside the rebuilding of static CSR.
//!
//! The graph is undirected and without weights; an *arc* is one direction of an edge, so that a batch of `b` arcs has `b / 2` edges.
//! *Skewed* batches are drawn from another graph of the same kind, *uniform* ones from all pairs of vertices. Each is inserted and deleted
//! again, so that all sizes meet the same graph. Versions are published when a reader asks for one. *In place*: no reader asks.
//! *Published*: a version is published after every batch, so that each batch copies what it touches. *Held*: the last eight versions are
//! kept as well. *Aged*: after a tenth of the edges was replaced.

use std::collections::VecDeque;
use std::time::Instant;

use pleach::graph::{Action, GraphError, GraphOptions, Publish, UpdateList, settle};
use pleach::{BuildOptions, Csr, EdgeList};
use pleach_erased::{AnyGraph, AnySnapshot, StoreName};

use super::{SuiteError, latency};
use crate::method::seconds;
use crate::peers::{Kernel, Subject};
use crate::plain::{self, Changing};
use crate::{Bench, Competitor, Graph, Side, Unit, Work};

/// Versions that are kept alive where they are held.
const HELD: usize = 8;

/// How to measure.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The stores.
    pub stores: Vec<StoreName>,
    /// Arcs of a batch, for each size that is measured; one that is larger than what there is becomes as large as that.
    pub batches: Vec<usize>,
    /// The same for batches between any two vertices. Default none.
    pub uniform: Vec<usize>,
    /// The same for stores that are aged. Default none.
    pub aged: Vec<usize>,
    /// Seconds for which snapshots of the first store are acquired beside a writer. Default 1.
    pub watched: f64,
}

impl Options {
    /// Batches of these sizes.
    pub fn new(stores: Vec<StoreName>, batches: Vec<usize>) -> Self {
        Options { stores, batches, uniform: Vec::new(), aged: Vec::new(), watched: 1.0 }
    }

    /// Sizes of batches between any two vertices.
    #[must_use]
    pub fn with_uniform(self, uniform: Vec<usize>) -> Self {
        Options { uniform, ..self }
    }

    /// Sizes of batches for stores that are aged.
    #[must_use]
    pub fn with_aged(self, aged: Vec<usize>) -> Self {
        Options { aged, ..self }
    }

    /// Seconds for which snapshots of the first store are acquired beside a writer.
    #[must_use]
    pub fn with_watched(self, watched: f64) -> Self {
        Options { watched, ..self }
    }
}

/// Edges to update a graph with.
pub struct Updates {
    /// From another graph of the same kind.
    pub skewed: EdgeList,
    /// From all pairs of vertices.
    pub uniform: EdgeList,
}

/// Whatever takes batches of edges.
trait Target: Send {
    fn insert(&mut self, edges: &EdgeList) -> Result<(), String>;
    fn delete(&mut self, edges: &EdgeList) -> Result<(), String>;
    /// Inserts and deletes in one batch.
    fn apply(&mut self, mixed: &mut Mixed) -> Result<(), String>;
    /// Publishes a version and keeps it with as many as `held` says.
    fn publish(&mut self, held: usize) -> Result<(), String>;
}

/// A batch that inserts some edges and deletes others.
struct Mixed {
    inserted: EdgeList,
    deleted: EdgeList,
    /// Both in one list, which is used up.
    together: UpdateList,
}

impl Mixed {
    fn new(inserted: EdgeList, deleted: EdgeList) -> Self {
        let mut together = UpdateList::new();
        for (list, action) in [(&inserted, Action::Insert), (&deleted, Action::Delete)] {
            list.src.iter().zip(&list.dst).for_each(|(&from, &to)| together.push(action, from, to, ()));
        }
        Mixed { inserted, deleted, together }
    }
}

/// A graph of ours, and versions that are kept.
struct Ours<'a> {
    graph: &'a AnyGraph<()>,
    versions: VecDeque<AnySnapshot<()>>,
}

/// What an update failed for.
pub(super) fn said<T>(applied: Result<T, GraphError>) -> Result<(), String> {
    applied.map(drop).map_err(|error| error.to_string())
}

impl Target for Ours<'_> {
    fn insert(&mut self, edges: &EdgeList) -> Result<(), String> {
        said(self.graph.insert_list(edges))
    }

    fn delete(&mut self, edges: &EdgeList) -> Result<(), String> {
        said(self.graph.delete_list(edges))
    }

    fn apply(&mut self, mixed: &mut Mixed) -> Result<(), String> {
        said(self.graph.apply_list(std::mem::take(&mut mixed.together)))
    }

    fn publish(&mut self, held: usize) -> Result<(), String> {
        self.versions.push_back(self.graph.publish());
        while self.versions.len() > held {
            self.versions.pop_front();
        }
        Ok(())
    }
}

impl Target for Box<dyn Changing> {
    fn insert(&mut self, edges: &EdgeList) -> Result<(), String> {
        Changing::insert(&mut **self, edges);
        Ok(())
    }

    fn delete(&mut self, edges: &EdgeList) -> Result<(), String> {
        Changing::delete(&mut **self, edges);
        Ok(())
    }

    fn apply(&mut self, mixed: &mut Mixed) -> Result<(), String> {
        Changing::insert(&mut **self, &mixed.inserted);
        Changing::delete(&mut **self, &mixed.deleted);
        Ok(())
    }

    fn publish(&mut self, _: usize) -> Result<(), String> {
        Err("it has no versions to publish".to_owned())
    }
}

/// Measures stores on one graph, all beside each other.
///
/// # Errors
///
/// [`SuiteError`] if the edges cannot be held in a store.
pub fn run(bench: &mut Bench<'_>, graph: &Graph, updates: &Updates, options: &Options) -> Result<(), SuiteError> {
    bench.begin("updates", Some(&graph.name));
    if updates.skewed.is_empty() {
        return Err(SuiteError::NoUpdates(graph.name.clone()));
    }
    let graph = &Graph { directed: false, ..graph.clone() };
    let rows = bench.within(|| graph.rows())?;
    bench.add_graph(graph.facts(&rows));
    let mut graphs = Vec::new();
    for store in options.stores.iter().filter(|store| **store != StoreName::Csr) {
        let graph_options = GraphOptions::undirected().with_publish(Publish::WhenAsked);
        let held = bench.within(|| AnyGraph::from_edges(store, graph.pattern(), graph_options))?.0;
        graphs.push((store.to_string(), held));
    }
    let footprints = |graphs: &[(String, AnyGraph<()>)]| graphs.iter().map(|(_, graph)| bytes_per_arc(graph)).collect();
    let before: Vec<f64> = footprints(&graphs);
    let (listed, build, arcs) = (graph.pattern(), graph.build(), rows.nnz());
    let mut others = Others::of(bench, &listed, &build, &rows);
    drop(rows);
    let largest = options.batches.iter().copied().max().unwrap_or(0);
    let theirs = Theirs { edges: &listed, build: &build, arcs, largest };
    for (kind, list, sizes) in
        [("skewed", &updates.skewed, &options.batches), ("uniform", &updates.uniform, &options.uniform)]
    {
        for edges in edges_of(sizes, list) {
            for way in WAYS {
                let batches = batches(list, edges, most(bench.method.seconds, edges, way.0));
                if !batches.is_empty() {
                    // Theirs draw from skewed graphs of their own.
                    let theirs = (kind == "skewed").then_some(&theirs);
                    let name = format!("{} arcs, {kind}", 2 * edges);
                    throughput(bench, &graphs, &mut others, theirs, &batches, way, &name);
                }
            }
        }
    }
    drop(others);
    latency::run(bench, &graphs, &updates.skewed, options.watched)?;
    settle();
    let after = footprints(&graphs);
    aged(bench, graph, &graphs, updates, &options.aged)?;
    settle();
    let names: Vec<_> = graphs.iter().map(|(name, _)| (name.clone(), Side::Ours)).collect();
    for (when, found) in [("as built", before), ("after updates", after), ("aged", footprints(&graphs))] {
        let work = Work::in_unit(format!("memory, {when}"), Unit::BytesPerArc);
        bench.record(&[work], &names, found.into_iter().map(|bytes| Ok(vec![vec![bytes]])).collect());
    }
    Ok(())
}

/// The edges of batches of so many arcs, each size once.
fn edges_of(arcs: &[usize], list: &EdgeList) -> Vec<usize> {
    let mut sizes: Vec<usize> = arcs.iter().map(|&arcs| (arcs / 2).clamp(1, list.len().max(1))).collect();
    sizes.dedup();
    sizes
}

fn bytes_per_arc(graph: &AnyGraph<()>) -> f64 {
    let snapshot = graph.fresh();
    snapshot.footprint().bytes as f64 / snapshot.num_arcs().max(1) as f64
}

/// Batches of a size that a graph takes in about a twentieth of the time of a comparison: small ones cost more for each arc, above all where each
/// is published.
fn most(seconds: f64, edges: usize, after: After) -> usize {
    let rate = match (after, edges) {
        (After::Nothing, ..500) => 2e6,
        (After::Nothing, _) => 1e7,
        (After::Publish(_), ..500) => 4e5,
        (After::Publish(_), _) => 4e6,
    };
    let wanted = seconds * rate / 20.0 / (2 * edges) as f64;
    (wanted as usize).clamp(1, 10_000)
}

/// At most `most` batches of so many edges.
pub(super) fn batches(list: &EdgeList, edges: usize, most: usize) -> Vec<EdgeList> {
    let part = |(src, dst): (&[u32], &[u32])| EdgeList {
        weight: vec![(); src.len()],
        src: src.to_vec(),
        dst: dst.to_vec(),
        ..EdgeList::new(list.num_rows, list.num_cols)
    };
    list.src.chunks_exact(edges).zip(list.dst.chunks_exact(edges)).take(most).map(part).collect()
}

/// What happens behind each batch.
#[derive(Clone, Copy)]
enum After {
    Nothing,
    Publish(usize),
}

/// What happens behind each batch, and what that is called.
type Way = (After, &'static str);

const WAYS: [Way; 3] =
    [(After::Nothing, "in place"), (After::Publish(0), "published"), (After::Publish(HELD), "published, 8 held")];

/// What stores are held against where nothing is published.
struct Others<'a> {
    plain: Vec<OfPlain>,
    edges: &'a EdgeList,
    build: &'a BuildOptions,
    arcs: usize,
    /// Seconds of building static rows anew, as often as was measured: about as long with a small batch as without.
    rebuilding: Vec<f64>,
}

/// What share of the arcs a batch has that static rows are built with.
const LARGE: usize = 16;

/// Plain Rust, and how long it takes for an arc.
struct OfPlain {
    graph: Box<dyn Changing>,
    seconds_per_arc: f64,
}

impl<'a> Others<'a> {
    fn of(bench: &Bench<'_>, edges: &'a EdgeList, build: &'a BuildOptions, rows: &Csr) -> Self {
        let rebuilding = bench.within(|| (0..5).map(|_| seconds(|| Csr::from_edges(edges, build))).collect());
        // Without petgraph, which changes edge by edge by one thread: it would take most of the time.
        let plain = bench.within(|| plain::CHANGING[..2].iter().map(|make| make(rows)).collect::<Vec<_>>());
        let plain = plain.into_iter().map(|graph| OfPlain { graph, seconds_per_arc: 0.0 }).collect();
        Others { plain, edges, build, arcs: rows.nnz(), rebuilding }
    }

    /// Static rows that are built anew: with the batch where that makes a difference.
    fn rebuilt(&self, batch: &EdgeList) -> Competitor<'a> {
        let (arcs, edges, build) = (2 * batch.len(), self.edges, self.build);
        if LARGE * arcs < self.arcs {
            let (turns, mut times) = (self.rebuilding.len(), self.rebuilding.clone().into_iter().cycle());
            let run = move || Ok(vec![arcs as f64 / times.next().unwrap_or(f64::NAN); 3]);
            let rebuilt = Competitor::new("csr rebuilt", Side::Static, run);
            return rebuilt.with_turns(turns).with_note("of the graph without the batch, once for all sizes");
        }
        let with = |new: &EdgeList| {
            let mut all = edges.clone();
            all.src.extend_from_slice(&new.src);
            all.dst.extend_from_slice(&new.dst);
            all.weight.extend_from_slice(&new.weight);
            all
        };
        let (inserted, mixed) = (with(batch), with(&halves(batch).1));
        Competitor::new("csr rebuilt", Side::Static, move || {
            let rate = |edges: &EdgeList| arcs as f64 / seconds(|| Csr::from_edges(edges, build)).max(1e-9);
            Ok([&inserted, edges, &mixed].map(rate).to_vec())
        })
    }

    /// Competitors for batches of so many arcs, all of which together have `arcs`.
    fn competitors<'b>(&'b mut self, batches: &'b [EdgeList], budget: f64) -> Vec<Competitor<'b>> {
        let arcs = 2 * batches.len() * batches[0].len();
        let mut all = vec![self.rebuilt(&batches[0])];
        for plain in &mut self.plain {
            let (name, expected) = (plain.graph.name(), plain.seconds_per_arc * arcs as f64);
            all.push(if expected > 10.0 * budget {
                let why = format!("it would take about {expected:.1} s, more than ten times --seconds");
                Competitor::missing(name, Side::Hand, why)
            } else {
                Competitor::new(name, Side::Hand, move || {
                    let begin = Instant::now();
                    let found = rates(&mut plain.graph, batches, After::Nothing);
                    plain.seconds_per_arc = begin.elapsed().as_secs_f64() / arcs as f64;
                    found
                })
            });
        }
        all
    }
}

/// The graph that programs of others update.
struct Theirs<'a> {
    edges: &'a EdgeList,
    build: &'a BuildOptions,
    arcs: usize,
    /// The largest batch.
    largest: usize,
}

impl<'a> Theirs<'a> {
    /// Those that insert batches of so many arcs.
    fn competitors(&self, bench: &Bench<'_>, arcs: usize, after: After) -> Vec<Competitor<'a>> {
        let published = match after {
            After::Nothing => false,
            After::Publish(0) => true,
            After::Publish(_) => return Vec::new(),
        };
        let kernel = Kernel::Insert { arcs, largest: self.largest, published };
        bench.theirs(kernel, Subject::of(self.edges, self.build, false, self.arcs))
    }
}

/// Inserts batches and deletes them again, and applies batches that do both.
fn throughput(
    bench: &mut Bench<'_>,
    graphs: &[(String, AnyGraph<()>)],
    others: &mut Others<'_>,
    theirs: Option<&Theirs<'_>>,
    batches: &[EdgeList],
    (after, way): Way,
    name: &str,
) {
    let mut all = stores(graphs, batches, after);
    if let After::Nothing = after {
        all.extend(others.competitors(batches, bench.method.seconds));
    }
    let arcs = 2 * batches[0].len();
    all.extend(theirs.into_iter().flat_map(|theirs| theirs.competitors(bench, arcs, after)));
    bench.compare(&works(name, way), all);
}

fn works(name: &str, way: &str) -> [Work; 3] {
    ["insert", "delete", "mixed"].map(|work| Work::in_unit(format!("{work} {name}, {way}"), Unit::ArcsPerSecond))
}

fn stores<'a>(graphs: &'a [(String, AnyGraph<()>)], batches: &'a [EdgeList], after: After) -> Vec<Competitor<'a>> {
    let all = graphs.iter().map(|(store, graph)| {
        let mut ours = Ours { graph, versions: VecDeque::new() };
        Competitor::new(store.clone(), Side::Ours, move || rates(&mut ours, batches, after))
    });
    all.collect()
}

/// Batches in which a tenth of the edges is replaced.
const AGEING: usize = 10;

/// Replaces a tenth of the edges of each graph by others between any two vertices, and measures again.
fn aged(
    bench: &mut Bench<'_>,
    of: &Graph,
    graphs: &[(String, AnyGraph<()>)],
    updates: &Updates,
    sizes: &[usize],
) -> Result<(), SuiteError> {
    let (edges, step) = (of.pattern(), 10 * AGEING);
    let part = |list: &EdgeList, batch: usize| {
        let places = || (batch..list.len()).step_by(step);
        EdgeList {
            src: places().map(|at| list.src[at]).collect(),
            dst: places().map(|at| list.dst[at]).collect(),
            weight: vec![(); places().count()],
            ..EdgeList::new(list.num_rows, list.num_cols)
        }
    };
    for batch in 0..AGEING {
        let (doomed, new) = (part(&edges, batch), part(&updates.uniform, batch));
        for (_, graph) in graphs {
            bench.within(|| graph.delete_list(&doomed).and_then(|_| graph.insert_list(&new)))?;
        }
    }
    for edges in edges_of(sizes, &updates.skewed) {
        for (after, way) in [(After::Nothing, "in place, aged"), (After::Publish(0), "published, aged")] {
            let batches = batches(&updates.skewed, edges, most(bench.method.seconds, edges, after));
            if !batches.is_empty() {
                let works = works(&format!("{} arcs, skewed", 2 * edges), way);
                bench.compare(&works, stores(graphs, &batches, after));
            }
        }
    }
    Ok(())
}

/// Arcs a second of inserting all batches, of deleting them, and of batches that insert one half while they delete the other.
fn rates(target: &mut dyn Target, batches: &[EdgeList], after: After) -> Result<Vec<f64>, String> {
    let end = |target: &mut dyn Target| match after {
        After::Nothing => Ok(()),
        After::Publish(held) => target.publish(held),
    };
    let arcs = batches.iter().map(|batch| 2 * batch.len()).sum::<usize>() as f64;
    // The first half of each batch is deleted while the second one is inserted.
    let mut mixed: Vec<Mixed> = batches.iter().map(halves).map(|(first, second)| Mixed::new(second, first)).collect();
    let mut figures = Vec::new();
    let mut timed = |target: &mut dyn Target, change: &mut dyn FnMut(&mut dyn Target, usize) -> Result<(), String>| {
        let begin = Instant::now();
        for at in 0..batches.len() {
            change(target, at)?;
            end(target)?;
        }
        figures.push(arcs / begin.elapsed().as_secs_f64().max(1e-9));
        Ok::<(), String>(())
    };
    timed(target, &mut |target, at| target.insert(&batches[at]))?;
    timed(target, &mut |target, at| target.delete(&batches[at]))?;
    for Mixed { deleted, .. } in &mixed {
        target.insert(deleted)?;
    }
    // Published, too: what is measured next copies what it touches, and does not find it copied by what was not measured.
    end(target)?;
    timed(target, &mut |target, at| target.apply(&mut mixed[at]))?;
    for Mixed { inserted, .. } in &mixed {
        target.delete(inserted)?;
    }
    end(target)?;
    Ok(figures)
}

/// Both halves of a batch; of a single edge, the second one is empty.
fn halves(batch: &EdgeList) -> (EdgeList, EdgeList) {
    let middle = batch.len().div_ceil(2);
    let part = |range: std::ops::Range<usize>| EdgeList {
        weight: vec![(); range.len()],
        src: batch.src[range.clone()].to_vec(),
        dst: batch.dst[range].to_vec(),
        ..EdgeList::new(batch.num_rows, batch.num_cols)
    };
    (part(0..middle), part(middle..batch.len()))
}
