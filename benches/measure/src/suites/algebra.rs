//! Graph algorithms as compiled expressions beside those that are written as traversals: what the latter save. Both work over static rows and
//! find the same.

use pleach::runtime::tensor::{Compressed, Dense, Tensor};
use pleach::traverse::Adjacency;
use pleach::{BuildOptions, Csr, CsrView, EdgeList};
use pleach_algorithms::bfs::UNREACHED;
use pleach_algorithms::cdlp::Cdlp;
use pleach_algorithms::sssp::Sssp;
use pleach_compiled::bfs::bfs;
use pleach_compiled::cdlp::cdlp;
use pleach_compiled::sssp::sssp;
use pleach_compiled::tc::triangles;
use pleach_erased::{Bundled, GraphView};

use super::SuiteError;
use super::apps::weighted;
use crate::compiled;
use crate::{Bench, Competitor, Graph, Side, Work};

/// Measures one graph, whose edges are read without a direction.
///
/// # Errors
///
/// [`SuiteError`] if the edges cannot be sorted into rows.
///
/// # Panics
///
/// If the two sides disagree.
pub fn run(bench: &mut Bench<'_>, graph: &Graph) -> Result<(), SuiteError> {
    bench.begin("algebra", Some(&graph.name));
    let undirected_graph = Graph { directed: false, ..graph.clone() };
    let edges = graph.pattern();
    let with_weights = BuildOptions::<f64>::default().with_undirected(true);
    let weights = bench.within(|| Csr::from_edges(&weighted(&edges), &with_weights))?.0;
    let rows = bench.within(|| undirected_graph.rows())?;
    bench.add_graph(undirected_graph.facts(&rows));
    let (view, weighted) = (rows.view(), weights.view());
    // Searches begin at the vertex of the most arcs.
    let source = (0..rows.num_rows()).max_by_key(|&vertex| rows.degree(vertex)).unwrap_or(0) as u32;
    if rows.nnz() == 0 {
        bench.skip(&Work::timed("search, by levels"), "expression", Side::Ours, "the graph has no arc");
        return Ok(());
    }
    both(
        bench,
        "search, by levels",
        || search(view, source),
        || bfs(undirected(&view), source).expect("it is there").depths,
    );
    both(
        bench,
        "shortest paths, by rounds",
        || rounds(weighted, source),
        || sssp(undirected(&weighted), source, &Sssp::default()).expect("weights are sound").distances,
    );
    let oriented = oriented(view)?;
    both(
        bench,
        "triangles, by degree beforehand",
        || compiled::triangles(&oriented.view()).expect("it is square") as u64,
        || triangles(undirected(&view)).expect("it is undirected").count,
    );
    let once = Cdlp::default().with_iterations(1);
    both(
        bench,
        "labels of neighbours, once",
        || counted(view),
        || cdlp(undirected(&view), &once).expect("it is undirected").labels,
    );
    Ok(())
}

/// Compares both and measures them.
fn both<T: PartialEq + Send>(
    bench: &mut Bench<'_>,
    name: &str,
    expression: impl Fn() -> T + Sync,
    traversal: impl Fn() -> T + Sync,
) {
    assert!(bench.within(|| expression() == traversal()), "{name}: the two sides disagree");
    let all = vec![
        Competitor::timed("traversal", Side::Ours, &traversal),
        Competitor::timed("expression", Side::Ours, &expression),
    ];
    bench.compare(&[Work::timed(name)], all);
}

/// Depths: one product for each level, of which those that are reached for the first time are the next frontier.
fn search(graph: CsrView<'_>, source: u32) -> Vec<u32> {
    let vertices = graph.num_rows();
    let mut depths = vec![UNREACHED; vertices];
    let (mut frontier, mut reached) = (vec![f64::INFINITY; vertices], vec![f64::INFINITY; vertices]);
    depths[source as usize] = 0;
    frontier[source as usize] = f64::from(source);
    for depth in 1.. {
        reached.fill(f64::INFINITY);
        compiled::level(&mut reached, &graph, &frontier).expect("shapes fit");
        let mut more = false;
        for (vertex, &parent) in reached.iter().enumerate() {
            let new = parent.is_finite() && depths[vertex] == UNREACHED;
            frontier[vertex] = if new { vertex as f64 } else { f64::INFINITY };
            if new {
                depths[vertex] = depth;
                more = true;
            }
        }
        if !more {
            break;
        }
    }
    depths
}

/// Distances: all arcs are relaxed until no distance changes.
fn rounds(graph: CsrView<'_, f64>, source: u32) -> Vec<f64> {
    let mut distances = vec![f64::INFINITY; graph.num_rows()];
    distances[source as usize] = 0.0;
    loop {
        let mut next = distances.clone();
        compiled::relax(&mut next, &graph, &distances).expect("shapes fit");
        if next == distances {
            return distances;
        }
        distances = next;
    }
}

/// The graph with each edge once, from the end of lower degree to the other; vertices are numbered by degree.
fn oriented(graph: CsrView<'_>) -> Result<Csr, SuiteError> {
    let mut order: Vec<u32> = (0..graph.num_rows() as u32).collect();
    order.sort_by_key(|&vertex| graph.row(vertex as usize).coords.len());
    let mut rank = vec![0u32; order.len()];
    order.iter().zip(0..).for_each(|(&vertex, place)| rank[vertex as usize] = place);
    let mut edges = EdgeList::new(order.len(), order.len());
    for (vertex, row) in graph.rows().enumerate() {
        for &other in row.coords.iter().filter(|&&other| rank[vertex] < rank[other as usize]) {
            edges.push(rank[vertex], rank[other as usize], ());
        }
    }
    Ok(Csr::from_edges(&edges, &BuildOptions::default())?.0)
}

/// The labels after one iteration: how often each occurs is a product with the matrix that says who has which, which of them occurs most often is not.
fn counted(graph: CsrView<'_>) -> Vec<u32> {
    let vertices = graph.num_rows();
    let ones = vec![1.0; graph.nnz()];
    let a = Tensor {
        shape: [vertices, vertices],
        levels: (Dense, Compressed { pos: graph.offsets(), crd: graph.coords() }),
        vals: &ones[..],
    };
    let (pos, crd): (Vec<usize>, Vec<u32>) = ((0..=vertices).collect(), (0..vertices as u32).collect());
    let has = Tensor {
        shape: [vertices, vertices],
        levels: (Dense, Compressed { pos: &pos[..], crd: &crd[..] }),
        vals: &ones[..vertices.min(ones.len())],
    };
    let counts = compiled::labels(a, has).expect("shapes fit");
    let Compressed { pos, crd } = &counts.levels.1;
    let most = |vertex: usize| {
        let row = pos[vertex]..pos[vertex + 1];
        let labels = crd[row.clone()].iter().zip(&counts.vals[row]);
        labels.reduce(|best, next| if next.1 > best.1 { next } else { best }).map_or(vertex as u32, |(&label, _)| label)
    };
    (0..vertices).map(most).collect()
}

/// An undirected graph, which is built as one.
fn undirected<'a, V: Bundled>(rows: &'a CsrView<'a, V>) -> GraphView<'a, V> {
    Adjacency::assume_undirected(rows).expect("the rows of a graph are square").into()
}
