//! What graphs occupy, by stores and by plain Rust, and what algorithms occupy beside them at their height.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use pleach::Csr;
use pleach::runtime::pool::trim;
use pleach_algorithms::pagerank::{PageRank, Stop};
use pleach_compiled::{bc::bc, bfs::bfs, cc::components, pagerank::pagerank, tc::triangles};
use pleach_erased::{AnyMatrix, Ends, GraphView, StoreName, StoredGraph};

use super::SuiteError;
use crate::peers::{Kernel, Subject};
use crate::{Bench, Competitor, Graph, Side, Unit, Work, plain};

/// Measures stores on one graph. `allocated` gives the bytes that are allocated.
///
/// # Errors
///
/// [`SuiteError`] if the arcs cannot be sorted into rows.
pub fn run(
    bench: &mut Bench<'_>,
    graph: &Graph,
    stores: &[StoreName],
    allocated: fn() -> usize,
) -> Result<(), SuiteError> {
    bench.begin("memory", Some(&graph.name));
    let undirected = Graph { directed: false, ..graph.clone() };
    let csr = bench.within(|| undirected.rows())?;
    bench.add_graph(undirected.facts(&csr));
    let arcs = csr.nnz().max(1) as f64;
    let now = |bench: &Bench<'_>| {
        bench.pool().broadcast(|_| trim());
        trim();
        allocated()
    };
    let (mut names, mut said, mut taken) = (Vec::new(), Vec::new(), Vec::new());
    let mut add = |name: String, side: Side, says: Option<usize>, bytes: usize| {
        names.push((name, side));
        said.push(says.map(|bytes| vec![bytes as f64 / arcs]).ok_or_else(|| "it does not tell".to_owned()));
        taken.push(match says {
            Some(says) if side == Side::Ours && is_reused(bytes, says) => Err(REUSED.to_owned()),
            _ => Ok(vec![vec![bytes as f64 / arcs]]),
        });
    };
    let before = now(bench);
    let again = csr.clone();
    add("csr".to_owned(), Side::Static, Some(csr.footprint()), now(bench).saturating_sub(before));
    drop(again);
    let edges = undirected.pattern();
    for store in stores.iter().filter(|store| **store != StoreName::Csr) {
        let before = now(bench);
        let matrix = bench.within(|| AnyMatrix::from_edges(store, &edges, &undirected.build()))?.0;
        let after = now(bench);
        add(store.to_string(), Side::Ours, Some(matrix.footprint().bytes), after.saturating_sub(before));
    }
    for make in plain::ALL {
        let before = now(bench);
        let held = bench.within(|| make(&csr));
        add(held.name().to_owned(), Side::Hand, None, now(bench).saturating_sub(before));
    }
    let build = undirected.build();
    let ours = names.iter().zip(said).map(|((name, side), said)| {
        // It says the same each time.
        Competitor::new(name.clone(), *side, move || said.clone()).with_turns(1)
    });
    let theirs = bench.theirs(Kernel::Memory, Subject::of(&edges, &build, false, csr.nnz()));
    bench.compare(&[Work::in_unit("rows, as each store says", Unit::BytesPerArc)], ours.chain(theirs).collect());
    bench.record(&[Work::in_unit("rows, by the allocator", Unit::BytesPerArc)], &names, taken);
    heights(bench, &undirected, stores, &csr, allocated)
}

/// Why there is no figure of the allocator.
pub(super) const REUSED: &str =
    "it takes memory that was freed before, so that the allocator shows less than it occupies";

/// Whether a store that says how much it occupies has memory that was freed before: the node pool keeps some for later.
pub(super) fn is_reused(allocated: usize, says: usize) -> bool {
    allocated < says - says / 20
}

/// The algorithms whose memory is measured.
const APPS: [&str; 5] = ["bfs", "cc", "bc", "tc", "pagerank"];

/// What algorithms allocate at their height, in bytes for each arc of the graph: results, and all that is built for them.
fn heights(
    bench: &mut Bench<'_>,
    graph: &Graph,
    stores: &[StoreName],
    csr: &Csr,
    allocated: fn() -> usize,
) -> Result<(), SuiteError> {
    let source = (0..csr.num_rows()).max_by_key(|&vertex| csr.degree(vertex)).unwrap_or(0) as u32;
    if csr.num_rows() == 0 {
        return Ok(());
    }
    let (mut names, mut found) = (Vec::new(), Vec::new());
    let mut all = vec![StoreName::Csr];
    all.extend(stores.iter().filter(|store| **store != StoreName::Csr).cloned());
    for store in &all {
        let held = bench.within(|| StoredGraph::build(store, graph.pattern(), &graph.build(), false, Ends::Both))?;
        names.push((store.to_string(), if *store == StoreName::Csr { Side::Static } else { Side::Ours }));
        let heights = bench.within(|| held.view(|graph| each_height(graph, source, allocated)));
        found.push(Ok(heights.map(|bytes| vec![bytes as f64 / csr.nnz().max(1) as f64]).into()));
    }
    let works = APPS.map(|app| Work::in_unit(format!("{app}, at its height"), Unit::BytesPerArc));
    bench.record(&works, &names, found);
    Ok(())
}

/// Runs each algorithm once.
fn each_height(graph: GraphView<'_, ()>, source: u32, allocated: fn() -> usize) -> [usize; 5] {
    let options = PageRank::default().with_stop(Stop::Iterations(2));
    let runs: [&(dyn Fn() + Sync); 5] = [
        &|| drop(bfs(graph, source)),
        &|| drop(components(graph)),
        &|| drop(bc(graph, &[source])),
        &|| _ = triangles(graph),
        &|| drop(pagerank(graph, &options)),
    ];
    runs.map(|run| height(allocated, run))
}

/// The most bytes that are allocated while something runs, beyond those before: looked at twenty times in a millisecond.
fn height(allocated: fn() -> usize, run: &(dyn Fn() + Sync)) -> usize {
    let before = allocated();
    let (done, most) = (AtomicBool::new(false), AtomicUsize::new(before));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                most.fetch_max(allocated(), Ordering::Relaxed);
                thread::sleep(Duration::from_micros(50));
            }
        });
        run();
        done.store(true, Ordering::Relaxed);
    });
    most.into_inner().saturating_sub(before)
}
