//! Batches of timed events in windows, against a computation from scratch.
#![allow(missing_docs)]

use std::collections::BTreeMap;
use std::num::{NonZeroU64, NonZeroUsize};

use pleach::graph::{
    BatchError, Batcher, Batches, Conflict, EdgeChange, Event, GraphOptions, Grouping, Ids, Update, WeightedGraph,
    Window,
};

fn count(n: usize) -> Grouping {
    Grouping::Count(NonZeroUsize::new(n).unwrap())
}

fn span(n: u64) -> Grouping {
    Grouping::Span(NonZeroU64::new(n).unwrap())
}

fn random_events(seed: u64, events: usize) -> Vec<Event<u64, i64>> {
    let (mut state, mut time) = (seed, -50);
    let mut below = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let mut event = || {
        time += (below(8) / 5) as i64;
        let (from, to) = (1000 + below(6), 1000 + below(6));
        match below(10) {
            0 => Event::delete(time, from, to),
            1 => Event::reweight(time, from, to, below(9) as i64),
            _ => Event::insert(time, from, to, below(20) as i64 - 7),
        }
    };
    (0..events).map(|_| event()).collect()
}

/// The edges after some events: of each the weights of all insertions since its last deletion and within the window, combined in order.
/// Another weight takes the place of the last insertion, and of all before it.
fn from_scratch(events: &[Event<u64, i64>], window: Option<Window<i64>>) -> BTreeMap<(u64, u64), i64> {
    let now = events.last().map_or(0, |event| event.time);
    let combine = |a: i64, b: i64| match window.map_or(Conflict::Sum, |window| window.conflict) {
        Conflict::Sum => a + b,
        Conflict::Min => a.min(b),
        Conflict::Max => a.max(b),
        Conflict::First => a,
        _ => b,
    };
    let mut weights: BTreeMap<(u64, u64), Vec<(i64, i64)>> = BTreeMap::new();
    for event in events {
        let (from, to) = (event.from, event.to);
        let directed = window.is_none_or(|window| window.directed);
        let edge = if directed { (from, to) } else { (from.min(to), from.max(to)) };
        let is_within = |time: i64, now: i64| window.is_none_or(|window| now - time < window.length.get() as i64);
        match event.change {
            EdgeChange::Delete => drop(weights.remove(&edge)),
            EdgeChange::RemoveVertex => weights.retain(|edge, _| edge.0 != from && edge.1 != from),
            EdgeChange::Insert(weight) => weights.entry(edge).or_default().push((event.time, weight)),
            EdgeChange::Reweight(weight) => {
                let of_edge = weights.entry(edge).or_default();
                of_edge.retain(|&(time, _)| is_within(time, event.time));
                if let Some(&(last, _)) = of_edge.last() {
                    *of_edge = vec![(last, weight)];
                }
            }
        }
    }
    let total = |weights: Vec<(i64, i64)>| {
        let within = |&(time, _): &(i64, i64)| window.is_none_or(|window| now - time < window.length.get() as i64);
        weights.into_iter().filter(within).map(|(_, weight)| weight).reduce(combine)
    };
    weights.into_iter().filter_map(|(edge, weights)| Some((edge, total(weights)?))).collect()
}

/// The same events, some of which remove a vertex instead.
fn with_removals(mut events: Vec<Event<u64, i64>>) -> Vec<Event<u64, i64>> {
    for event in events.iter_mut().skip(9).step_by(11) {
        *event = Event::remove_vertex(event.time, event.from);
    }
    events
}

#[test]
fn windows_hold_what_is_within_them() {
    let mut expired = 0;
    for conflict in [Conflict::Sum, Conflict::Min, Conflict::Max, Conflict::First, Conflict::Last] {
        for (directed, removals) in [(true, false), (false, false), (true, true), (false, true)] {
            let events = random_events(3, 400);
            let events = if removals { with_removals(events) } else { events };
            let options = GraphOptions::default().with_directed(directed).with_conflict(conflict);
            let window = Window::new(NonZeroU64::new(12).unwrap(), &options);
            for grouping in [count(1), count(7), span(5), count(1000)] {
                let graph = WeightedGraph::<i64>::new(options);
                let (ids, mut done) = (Ids::<u64>::new(), 0);
                for batch in Batches::new(events.iter().copied(), &ids, grouping, Some(window)) {
                    let batch = batch.unwrap();
                    (done, expired) = (done + batch.events, expired + batch.expired);
                    assert_eq!(batch.time, events[done - 1].time);
                    graph.apply_list(batch.updates).unwrap();
                    let snapshot = graph.fresh();
                    let id = |vertex| ids.key(vertex).unwrap();
                    let edge =
                        |(from, to): (u64, u64)| if directed { (from, to) } else { (from.min(to), from.max(to)) };
                    let found: BTreeMap<(u64, u64), i64> =
                        snapshot.edges().map(|(from, to, &weight)| (edge((id(from), id(to))), weight)).collect();
                    assert_eq!(found, from_scratch(&events[..done], Some(window)), "{conflict:?} after {done} events");
                }
                assert_eq!(done, events.len());
            }
        }
    }
    assert!(expired > 1000);
}

/// What is taken out of the graph past its window: nothing brings it back but another insertion, with which the earlier ones count again
/// once one of them leaves. A removal that is an event takes them out of the window.
#[test]
fn a_window_knows_the_removals_that_come_through_it() {
    let options = GraphOptions::default().with_conflict(Conflict::Sum);
    let window = Window::new(NonZeroU64::new(10).unwrap(), &options);
    for through in [false, true] {
        let (graph, ids) = (WeightedGraph::<i64>::new(options), Ids::<u64>::new());
        let mut batcher = Batcher::new(&ids, count(1), Some(window));
        let mut pass = |event: Event<u64, i64>| {
            batcher.push(event).unwrap();
            graph.apply_list(batcher.take().unwrap().updates).unwrap()
        };
        for (time, to, weight) in [(0, 800, 5), (2, 800, 7), (2, 900, 1), (3, 900, 2)] {
            pass(Event::insert(time, 700, to, weight));
        }
        if through {
            assert_eq!(pass(Event::remove_vertex(4, 700)).removed, 2);
        } else {
            assert_eq!(graph.remove_vertex(0).unwrap().removed, 2);
        }
        pass(Event::insert(5, 700, 800, 3));
        let weight = |to| graph.fresh().weight(0, to).copied();
        assert_eq!((weight(1), weight(2)), (Some(3), None));
        // The first of the insertions before the removal leaves, then the others: none of the edge to 900 has any effect.
        let mut found = Vec::new();
        for time in [10, 12, 13, 14] {
            pass(Event::delete(time, 800, 700));
            found.push((weight(1), weight(2)));
        }
        let counted = if through { 3 } else { 10 };
        assert_eq!(found, [(Some(counted), None), (Some(3), None), (Some(3), None), (Some(3), None)]);
        pass(Event::delete(15, 800, 700));
        assert_eq!(graph.fresh().num_edges(), 0);
    }
}

#[test]
fn sums_of_floats_do_not_drift() {
    let options = GraphOptions::default().with_conflict(Conflict::Sum);
    let graph = WeightedGraph::<f64>::new(options);
    let window = Window::new(NonZeroU64::new(10).unwrap(), &options);
    // Subtracting 1e17 again would leave nothing of the small ones.
    let weights = [1e17, 0.25, 0.5].into_iter().chain((0..50).map(|k| f64::from(k) * 0.125));
    let events = weights.zip(0..).map(|(weight, time)| Event::insert(time, 1, 2, weight));
    for batch in Batches::new(events, &Ids::<u64>::new(), count(3), Some(window)) {
        graph.apply_list(batch.unwrap().updates).unwrap();
    }
    let expected: f64 = (40..50).map(|k| f64::from(k) * 0.125).sum();
    assert_eq!(graph.fresh().weight(0, 1), Some(&expected));
}

#[test]
fn groups_end_by_count_or_time() {
    let events =
        |times: &[i64]| times.iter().map(|&time| Event::insert(time, 1, 2, 1)).collect::<Vec<Event<u64, i64>>>();
    let sizes = |times: &[i64], grouping| {
        let ids = Ids::<u64>::new();
        Batches::new(events(times), &ids, grouping, None).map(|batch| batch.unwrap().events).collect::<Vec<_>>()
    };
    assert_eq!(sizes(&[0, 1, 2, 9, 10, 11, 30], span(10)), [4, 2, 1]);
    assert_eq!(sizes(&[0, 1, 2, 9, 10, 11, 30], count(3)), [3, 3, 1]);
    assert_eq!(sizes(&[i64::MIN, i64::MAX], span(u64::MAX)), [1, 1]);
    assert_eq!(sizes(&[], count(3)), [0; 0]);
}

#[test]
fn strings_and_errors() {
    let ids = Ids::<str>::new();
    let events = [
        Event::insert(0, "a".to_owned(), "b".to_owned(), ()),
        Event::delete(1, "a".to_owned(), "c".to_owned()),
        Event::insert(0, "c".to_owned(), "a".to_owned(), ()),
    ];
    let mut batches = Batches::new(events, &ids, count(2), None);
    let first = batches.next().unwrap().unwrap();
    assert_eq!((first.updates.len(), first.unknown, ids.len()), (1, 1, 2));
    let error = batches.next().unwrap().unwrap_err();
    assert_eq!(error, BatchError::Backwards { event: 2, time: 0, before: 1 });
    assert!(batches.next().is_none());
}

/// A batch of a directed graph is sorted once, and so the weights of one edge are combined once: its in-arcs are its out-arcs, transposed.
#[test]
fn a_directed_batch_is_sorted_once() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use pleach::sort::Weight;

    static COMBINED: AtomicUsize = AtomicUsize::new(0);

    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    struct Counted(u32);

    impl Weight for Counted {
        fn sum(a: Counted, b: Counted) -> Counted {
            Counted(a.0 + b.0)
        }
        fn min(a: Counted, b: Counted) -> Counted {
            COMBINED.fetch_add(1, Ordering::Relaxed);
            Counted(a.0.min(b.0))
        }
        fn max(a: Counted, b: Counted) -> Counted {
            Counted(a.0.max(b.0))
        }
    }

    let graph = WeightedGraph::<Counted>::new(GraphOptions::default().with_conflict(Conflict::Min));
    assert!(graph.fresh().is_directed() && graph.fresh().in_degree(0).is_some());
    // Each of 1000 edges three times, none of which stand beside each other.
    let edge = |k: u32| (k % 40, 40 + k / 40);
    let updates = (0..3u32).flat_map(|round| {
        (0..1000).rev().map(move |k| {
            let (from, to) = edge(k * 7 % 1000);
            Update::insert((from, to, Counted(9 - round)))
        })
    });
    let prepared = graph.prepare(updates).unwrap();
    assert_eq!(COMBINED.load(Ordering::Relaxed), 2000);
    graph.commit(prepared).unwrap();
    let snapshot = graph.fresh();
    assert_eq!(snapshot.num_edges(), 1000);
    for k in 0..1000 {
        let (from, to) = edge(k);
        assert_eq!(snapshot.weight(from, to), Some(&Counted(7)));
        assert!(snapshot.in_neighbors(to).unwrap().any(|(source, weight)| (source, *weight) == (from, Counted(7))));
    }
}
