//! A panic while a batch is applied takes the graph back to the last batch that was acknowledged.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pleach::graph::{Action, Conflict, GraphOptions, Publish, Update, WeightedGraph};
use pleach::runtime::SplitMix64;
use pleach::sort::Weight;

use crate::FULL;
use crate::model::{Model, Sample, random_batch};
use crate::stuck::watched;

/// A number that cannot be added to thirteen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Touchy(i64);

impl Weight for Touchy {
    const ASSOCIATIVE: bool = true;

    fn sum(a: Self, b: Self) -> Self {
        assert!(b.0 != 13, "thirteen is not added to anything");
        Touchy(a.0.wrapping_add(b.0))
    }

    fn min(a: Self, b: Self) -> Self {
        Touchy(a.0.min(b.0))
    }

    fn max(a: Self, b: Self) -> Self {
        Touchy(a.0.max(b.0))
    }
}

impl Sample for Touchy {
    fn sample(n: usize) -> Self {
        Touchy(n as i64)
    }
}

/// Batches of all kinds, small and large, published now and then or never; after some of them one that panics when a part of it is
/// applied already.
fn run(options: GraphOptions<Touchy>, seed: u64) {
    let mut random = SplitMix64(seed);
    let graph = WeightedGraph::<Touchy>::new(options);
    let mut model = Model::new(options.directed);
    let mut held = Vec::new();
    let rounds = match () {
        () if cfg!(miri) => 6,
        () if FULL => 60,
        () => 30,
    };
    for round in 0..rounds {
        let size = [1, 2, 7, 40, 900][random.index(if cfg!(miri) { 3 } else { 5 })];
        let actions = [Action::Insert, Action::Reweight, Action::Delete];
        let batch = random_batch(&mut random, &model, 300, size, &actions[..1 + round % 3]);
        let prepared = graph.prepare(batch.iter().copied()).unwrap();
        assert_eq!(graph.commit(prepared).unwrap(), model.apply(&batch, options.conflict), "round {round}");
        match round % 6 {
            1 => {
                assert_eq!(graph.add_vertex(400 + round as u32).unwrap(), model.vertices.insert(400 + round as u32));
                model.batches += 1;
            }
            2 => {
                let vertex = random.index(100) as u32;
                assert_eq!(graph.remove_vertex(vertex).unwrap().removed, model.remove_vertex(vertex));
            }
            3 => held.push((graph.latest(), None)),
            4 => held.push((graph.publish(), Some(model.clone()))),
            _ => {}
        }
        let Some(&(from, to)) = model.edges.keys().next_back() else { continue };
        let new = (0..[0, 3, 1500][random.index(3)]).map(|k| Update::insert((k, k + 1, Touchy(1))));
        let torn = new.chain([Update::insert((from, to, Touchy(13)))]);
        let torn = graph.prepare(torn).unwrap();
        assert!(catch_unwind(AssertUnwindSafe(|| graph.commit(torn))).is_err(), "round {round}");
        if round % 2 == 0 {
            model.check(&graph.fresh());
        }
    }
    model.check(&graph.fresh());
    for (snapshot, model) in held {
        snapshot.audit().unwrap();
        if let Some(model) = model {
            model.check(&snapshot);
        }
    }
}

#[test]
fn the_graph_goes_back_to_the_last_batch() {
    for publish in [Publish::OnDemand, Publish::WhenAsked, Publish::EveryBatch] {
        for directed in [true, false] {
            for threads in [1, 2] {
                let options = GraphOptions::default()
                    .with_directed(directed)
                    .with_publish(publish)
                    .with_threads(threads)
                    .with_conflict(Conflict::Sum);
                watched("a graph beside panics", move || run(options, 3));
            }
        }
    }
}

/// More batches than are kept: the graph publishes by itself, and nothing is lost either.
#[test]
#[cfg_attr(miri, ignore = "twenty megabytes of batches")]
fn after_many_batches() {
    watched("a graph with many batches", || {
        let options = GraphOptions::default().with_conflict(Conflict::Sum).with_publish(Publish::OnDemand);
        let graph = WeightedGraph::<Touchy>::new(options);
        let rounds = 60u32;
        for k in 0..rounds {
            graph.insert((0..20_000).map(|j| (j, k, Touchy(1)))).unwrap();
            graph.insert([(0, 1, Touchy(1))]).unwrap();
        }
        let published = graph.latest().version();
        assert!(published > 0 && published < 2 * u64::from(rounds), "{published}");
        assert!(catch_unwind(AssertUnwindSafe(|| graph.insert([(0, 1, Touchy(13))]))).is_err());
        let snapshot = graph.fresh();
        assert_eq!((snapshot.version(), snapshot.num_edges()), (2 * u64::from(rounds), u64::from(rounds) * 20_000));
        assert_eq!(snapshot.weight(0, 1), Some(&Touchy(i64::from(rounds) + 1)));
        snapshot.audit().unwrap();
    });
}
