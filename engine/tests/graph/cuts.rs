//! What a graph holds depends on the updates and their order, not on how they are cut into batches.

use pleach::graph::{Action, Conflict, GraphOptions, Update, WeightedGraph};
use pleach::runtime::SplitMix64;

use crate::FULL;

/// Updates of edges between so many vertices, with weights whose sums are rounded. If they are few, an edge is often updated several times.
fn updates(random: &mut SplitMix64, vertices: usize, count: usize) -> Vec<Update<f64>> {
    let actions = [Action::Insert, Action::Insert, Action::Delete, Action::Reweight];
    let update = |random: &mut SplitMix64| {
        let (from, to) = (random.index(vertices) as u32, random.index(vertices) as u32);
        let weight = [0.1, 1e16, -1e16, 0.3, 7.0, f64::NAN][random.index(6)];
        Update { edge: (from, to, weight).into(), action: actions[random.index(4)] }
    };
    (0..count).map(|_| update(random)).collect()
}

/// The vertices and edges that are left, weights by their bits.
fn left(options: GraphOptions<f64>, updates: &[Update<f64>], cut: usize) -> (Vec<u32>, Vec<(u32, u32, u64)>) {
    let graph = WeightedGraph::<f64>::new(options);
    for batch in updates.chunks(cut) {
        if batch.iter().all(|update| update.action == Action::Insert) {
            graph.insert(batch.iter().map(|update| update.edge)).unwrap();
        } else {
            graph.apply(batch.iter().copied()).unwrap();
        }
    }
    let snapshot = graph.fresh();
    snapshot.audit().unwrap();
    let edges = snapshot.edges().map(|(from, to, weight)| (from, to, weight.to_bits())).collect();
    (snapshot.vertices().collect(), edges)
}

#[test]
fn cuts_do_not_matter() {
    let mut random = SplitMix64(17);
    let conflicts: [Conflict<f64>; 6] = [
        Conflict::Last,
        Conflict::First,
        Conflict::Sum,
        Conflict::Min,
        Conflict::Max,
        Conflict::With(|old, new| old / 2.0 + new),
    ];
    let rounds = match () {
        () if cfg!(miri) => 1,
        () if FULL => 12,
        () => 6,
    };
    for round in 0..rounds {
        let mut updates = updates(&mut random, 9, 60 + 40 * round);
        if round % 3 == 0 {
            updates.retain(|update| update.action == Action::Insert);
        }
        for conflict in conflicts {
            for directed in [true, false] {
                let options = GraphOptions::default().with_directed(directed).with_conflict(conflict);
                let expected = left(options, &updates, 1);
                for cut in [2, 3, 7, 50, updates.len()] {
                    assert_eq!(left(options, &updates, cut), expected, "batches of {cut}, {options:?}");
                }
            }
        }
    }
}

/// A batch that several threads prepare has the effect of many small ones, also if one vertex has most of its edges.
#[test]
#[cfg_attr(miri, ignore)]
fn large_batches_of_all_kinds() {
    let mut random = SplitMix64(18);
    let mut updates = updates(&mut random, 150, 50_000);
    for update in updates.iter_mut().step_by(3) {
        update.edge.from = 70;
    }
    for conflict in [Conflict::Last, Conflict::Sum, Conflict::With(|old, new| old / 2.0 + new)] {
        for directed in [true, false] {
            let options = GraphOptions::default().with_directed(directed).with_conflict(conflict);
            assert_eq!(left(options, &updates, updates.len()), left(options, &updates, 1_000), "{options:?}");
        }
    }
}

#[test]
fn what_was_inserted_leaves_its_vertices() {
    let updates =
        [Update::insert((1, 2, 1.0)), Update::delete(1, 2), Update::delete(3, 4), Update::reweight(5, 6, 1.0)];
    for options in [GraphOptions::default(), GraphOptions::undirected()] {
        for cut in 1..=4 {
            assert_eq!(left(options, &updates, cut), (vec![1, 2], vec![]), "batches of {cut}");
        }
    }
}
