//! Results that follow a graph: after every batch they are those of a computation from scratch on the same snapshot.

use pleach::Rows;
use pleach::graph::{Graph, GraphOptions, Snapshot, Update};
use pleach::runtime::SplitMix64;
use pleach::traverse::{Adjacency, DynRows};
use pleach_algorithms::cc::components;
use pleach_algorithms::incremental::{Moved, MovingComponents, MovingRanks, changed_sources};
use pleach_algorithms::pagerank::{PageRank, Stop, pagerank};

type Rows32 = pleach::runtime::Packed<u32, ()>;

/// The largest relative difference.
fn difference(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).map(|(a, b)| (a - b).abs() / b).fold(0.0, f64::max)
}

/// Far below what is compared, so that both are right to 1e-9.
const TOLERANCE: f64 = 1e-14;

fn anew<A: Rows>(graph: Adjacency<'_, A>) -> Vec<f64> {
    let options = PageRank::default().with_stop(Stop::Tolerance { change: TOLERANCE, most: 1000 });
    pagerank(graph, &options).unwrap().ranks
}

/// Follows random batches, insertions and deletions mixed, in a graph that grows.
fn follows(directed: bool) {
    let mut random = SplitMix64(5);
    let graph: Graph = Graph::new(GraphOptions::default().with_directed(directed));
    graph.insert((0..300u32).map(|k| (k, (k * 7 + 1) % 300))).unwrap();
    let mut before = graph.fresh();
    let mut moving = MovingRanks::new(before.adjacency().unwrap(), 0.85, TOLERANCE).unwrap();
    let mut totals = Moved::default();
    for (batch, size) in [0, 1, 1, 2, 5, 40, 300, 1, 1000, 3].into_iter().enumerate() {
        let vertices = 300 + 20 * batch as u64;
        let mut changed = Vec::new();
        let updates: Vec<Update<()>> = (0..size)
            .map(|_| {
                let (from, to) = (random.below(vertices) as u32, random.below(vertices) as u32);
                changed.extend([from, to]);
                if random.below(3) > 0 { Update::insert((from, to)) } else { Update::delete(from, to) }
            })
            .collect();
        graph.apply(updates).unwrap();
        let after = graph.fresh();
        let moved = moving.follow(before.adjacency().unwrap(), after.adjacency().unwrap(), &changed).unwrap();
        let expected = anew(after.adjacency().unwrap());
        let off = difference(&moving.ranks(), &expected);
        assert!(off < 1e-9, "batch {batch} of {size} edges, directed {directed}: off by {off}, {moved:?}");
        totals = Moved { pushes: totals.pushes + moved.pushes, iterations: totals.iterations + moved.iterations };
        // Through a view of any store the same.
        {
            let (out, incoming) = (DynRows::of(after.matrix()), DynRows::of(after.incoming().unwrap()));
            let view =
                if directed { Adjacency::directed(&out, &incoming) } else { Adjacency::undirected(&out) }.unwrap();
            assert!(difference(&anew(view.among(after.vertex_set()).unwrap()), &expected) < 1e-12);
        }
        before = after;
    }
    assert!(totals.iterations > 0, "some batch changes everything");
}

#[test]
fn ranks_of_a_directed_graph_follow_it() {
    follows(true);
}

#[test]
fn ranks_of_an_undirected_graph_follow_it() {
    follows(false);
}

#[test]
fn a_far_change_of_a_wide_graph_is_pushed_and_not_iterated() {
    // A long cycle, whose far side does not notice.
    let graph: Graph = Graph::new(GraphOptions::undirected());
    graph.insert((0..200_000u32).map(|k| (k, (k + 1) % 200_000))).unwrap();
    let before = graph.fresh();
    let mut moving = MovingRanks::new(before.adjacency().unwrap(), 0.85, 1e-10).unwrap();
    graph.insert([(10, 50), (60, 20)]).unwrap();
    let after = graph.fresh();
    let moved = moving.follow(before.adjacency().unwrap(), after.adjacency().unwrap(), &[10, 50, 60, 20]).unwrap();
    assert!(moved.iterations == 0 && (1..50_000).contains(&moved.pushes), "{moved:?}");
    let off = difference(&moving.ranks(), &anew(after.adjacency().unwrap()));
    assert!(off < 1e-7, "{off}");
    // Nothing happened.
    assert_eq!(moving.follow(after.adjacency().unwrap(), after.adjacency().unwrap(), &[]).unwrap(), Moved::default());
    assert_eq!(moving.follow(after.adjacency().unwrap(), after.adjacency().unwrap(), &[10, 10]).unwrap().iterations, 0);
}

#[test]
fn residuals_of_many_small_batches_stay_within_the_tolerance() {
    // A hub, and a path whose far parts no batch touches.
    let graph: Graph = Graph::new(GraphOptions::undirected());
    graph.insert((1..500u32).map(|k| (0, k)).chain((500..999u32).map(|k| (k, k + 1)))).unwrap();
    let mut before = graph.fresh();
    let mut moving = MovingRanks::new(&before, 0.85, 1e-3).unwrap();
    assert!(moving.converged());
    for batch in 0..20u32 {
        let edge = (510 + 20 * batch, 525 + 20 * batch);
        graph.insert([edge]).unwrap();
        let after = graph.fresh();
        moving.follow(&before, &after, &[edge.0, edge.1]).unwrap();
        assert!(moving.converged() && moving.residual() <= 1e-3, "batch {batch}: {}", moving.residual());
        before = after;
    }
}

#[test]
fn ranks_of_nothing_and_of_what_grows_from_it() {
    let graph: Graph = Graph::new(GraphOptions::default());
    let nothing = graph.fresh();
    let mut moving = MovingRanks::new(nothing.adjacency().unwrap(), 0.85, TOLERANCE).unwrap();
    assert!(moving.ranks().is_empty());
    graph.insert([(0, 1), (2, 1), (2, 2)]).unwrap();
    let some = graph.fresh();
    moving.follow(nothing.adjacency().unwrap(), some.adjacency().unwrap(), &[0, 2]).unwrap();
    assert!(difference(&moving.ranks(), &anew(some.adjacency().unwrap())) < 1e-12);
    for (damping, tolerance) in [(1.0, 1e-9), (-0.1, 1e-9), (f64::NAN, 1e-9), (0.5, 0.0), (0.5, f64::NAN)] {
        assert!(MovingRanks::new(some.adjacency().unwrap(), damping, tolerance).is_err());
    }
}

/// SplitMix64 batches of insertions, deletions and removals, with each version and the edges that made it.
fn stream(
    directed: bool,
    seed: u64,
    vertices: u64,
    sizes: &[usize],
    mut visit: impl FnMut(&Snapshot<Rows32>, &Snapshot<Rows32>, &[(u32, u32)]),
) {
    let mut random = SplitMix64(seed);
    let graph: Graph = Graph::new(GraphOptions::default().with_directed(directed));
    let mut before = graph.fresh();
    for (batch, &size) in sizes.iter().enumerate() {
        let reach = vertices * (batch as u64 + 4) / (sizes.len() as u64 + 4);
        let there: Vec<(u32, u32)> = before.edges().map(|(from, to, ())| (from, to)).collect();
        let updates: Vec<Update<()>> = (0..size)
            .map(|_| {
                let edge = (random.below(reach) as u32, random.below(reach) as u32);
                match random.below(20) {
                    0 => Update::remove_vertex(edge.0),
                    1..10 if !there.is_empty() => {
                        let (from, to) = there[random.below(there.len() as u64) as usize];
                        Update::delete(from, to)
                    }
                    10 => Update::delete(edge.0, edge.1),
                    _ => Update::insert(edge),
                }
            })
            .collect();
        graph.apply(updates.iter().copied()).unwrap();
        let after = graph.fresh();
        let edges: Vec<(u32, u32)> = updates.iter().map(|update| (update.edge.from, update.edge.to)).collect();
        visit(&before, &after, &edges);
        before = after;
    }
}

#[test]
fn components_follow_deletions() {
    let mut splits = 0;
    for directed in [false, true] {
        for (seed, vertices, size) in [(1, 30, 4), (2, 60, 12), (3, 400, 30), (4, 3000, 700), (5, 200, 1)] {
            let mut moving = MovingComponents::default();
            stream(directed, seed, vertices, &[size; 60], |before, after, edges| {
                let count = moving.count();
                moving.follow(before, after, edges).unwrap();
                let expected = components(after);
                assert_eq!(moving.components(), expected, "version {}, directed {directed}", after.version());
                assert_eq!(moving.count(), expected.count);
                splits += usize::from(expected.count > count);
                let labels = &expected.labels;
                for (u, v) in edges.iter().filter(|&&(u, v)| after.has_vertex(u) && after.has_vertex(v)) {
                    assert_eq!(moving.connected(*u, *v), labels[*u as usize] == labels[*v as usize]);
                }
            });
        }
    }
    assert!(splits > 50, "some deletions split components");
}

#[test]
fn a_middle_part_that_splits_off_parts_the_rest() {
    let graph: Graph = Graph::new(GraphOptions::undirected());
    // Two long paths, joined by one vertex.
    graph.insert((0..200u32).filter(|&k| k != 99).map(|k| (k, k + 1)).chain([(99, 300), (300, 100)])).unwrap();
    let before = graph.fresh();
    let mut moving = MovingComponents::new(&before);
    assert_eq!(moving.count(), 1);
    graph.delete([(99, 300), (300, 100)]).unwrap();
    let after = graph.fresh();
    moving.follow(&before, &after, &[(99, 300), (300, 100)]).unwrap();
    assert_eq!(moving.components(), components(&after));
    assert_eq!(moving.count(), 3);
}

#[test]
fn ranks_follow_removals() {
    for directed in [false, true] {
        let mut moving = None;
        stream(directed, 9, 500, &[300, 1, 5, 40, 2, 200, 1, 1, 60, 3], |before, after, edges| {
            let moving = moving.get_or_insert_with(|| MovingRanks::new(before, 0.85, TOLERANCE).unwrap());
            moving.follow(before, after, &changed_sources(before, edges)).unwrap();
            let (found, expected) = (moving.ranks(), anew(after.adjacency().unwrap()));
            let wrong = found.iter().zip(&expected).position(|(a, b)| (a - b).abs() > 1e-9 * b);
            assert_eq!(wrong, None, "version {}, directed {directed}", after.version());
            assert!(after.num_vertices() < Rows::num_rows(after) || after.version() == 1, "some are removed");
        });
    }
}
