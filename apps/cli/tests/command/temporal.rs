//! Temporal graphs in batches of several sizes, against the same graphs loaded at once.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::{FULL, data, text};
use pleach::EdgeList;
use pleach::graph::{Conflict, Graph, GraphOptions, Ids, WeightedGraph};
use pleach::runtime::{Dense, Packed, Paged};

/// The words of each line of a file, `.gz` or not, that is no comment.
fn lines(path: &Path) -> Vec<Vec<String>> {
    let text = text(path);
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
}

fn number<T: std::str::FromStr>(word: &str) -> T {
    word.parse().unwrap_or_else(|_| panic!("{word} is a number"))
}

/// The events of a temporal graph in batches of several sizes leave what loading them at once gives: each edge with the number of
/// its events.
fn streamed(file: &str, batches: &[usize]) {
    let Some(data) = data(file) else { return };
    let ids = Ids::<u64>::new();
    let id = |word: &str| ids.intern(&number(word)).expect("there is room");
    let events: Vec<(u32, u32, u64)> =
        lines(&data.join("temporal").join(file)).iter().map(|line| (id(&line[0]), id(&line[1]), 1)).collect();
    let mut expected = BTreeMap::new();
    events.iter().for_each(|&(from, to, _)| *expected.entry((from, to)).or_insert(0) += 1);

    let options = GraphOptions::default().with_conflict(Conflict::Sum);
    let mut list = EdgeList::new(ids.len(), ids.len());
    events.iter().for_each(|&(from, to, count)| list.push(from, to, count));
    let (loaded, _) = WeightedGraph::<u64>::from_edges::<Paged<_>>(list, options).unwrap();
    let loaded = loaded.fresh();
    assert!(loaded.edges().map(|(from, to, &count)| ((from, to), count)).eq(expected));
    for (k, &batch) in batches.iter().enumerate() {
        let graph = if k % 2 == 0 {
            WeightedGraph::<u64>::new(options)
        } else {
            Graph::<Packed<u32, u64>>::below::<Dense<_>>(options)
        };
        for (k, part) in events.chunks(batch).enumerate() {
            let applied = graph.insert(part.iter().copied()).unwrap();
            assert_eq!(applied.updates(), part.len());
            // Somebody reads now and then.
            if k % 100 == 0 {
                assert!(graph.fresh().num_edges() > 0);
            }
        }
        let snapshot = graph.fresh();
        snapshot.audit().unwrap();
        assert!(snapshot.edges().eq(loaded.edges()), "in batches of {batch}");
        assert!(snapshot.vertices().eq(loaded.vertices()));
    }
}

#[test]
fn messages_in_any_size_of_batch() {
    streamed("CollegeMsg.txt.gz", &[1, 7, 1000, 100_000]);
}

#[test]
fn answers_in_any_size_of_batch() {
    streamed("sx-mathoverflow.txt.gz", if FULL { &[50, 20_000, 1_000_000] } else { &[20_000, 1_000_000] });
}
