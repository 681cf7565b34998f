//! Graphs that were updated, against published answers and against graphs that were loaded at once.

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use common::{data, difference, text, values};
use pleach::graph::{Conflict, Graph, GraphOptions, Ids, Update, WeightedGraph};
use pleach::runtime::{Dense, Nested, Packed, Paged, Store};
use pleach::stores::{Bst, Ctree};
use pleach::{EdgeList, Rows};
use pleach_apps::pagerank::{PageRank, Stop, pagerank};

/// The words of each line of a file, `.gz` or not, that is no comment.
fn lines(path: &Path) -> Vec<Vec<String>> {
    let text = text(path);
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
}

fn number<T: std::str::FromStr>(word: &str) -> T {
    word.parse().unwrap_or_else(|_| panic!("{word} is a number"))
}

/// Gnutella's edges after ten thousand additions, changes and deletions in batches of some size.
fn gnutella<R: Store<Coord = u32, Value = f64>>(folder: &Path, graph: &Graph<R>, ids: &Ids<u64>, batch: usize) {
    let id = |word: &str| ids.intern(&number(word)).expect("there is room");
    for line in lines(&folder.join("p2p-31.v.gz")) {
        graph.add_vertex(id(&line[0])).unwrap();
    }
    let base = lines(&folder.join("p2p-31.e.mutable_base.gz"));
    graph.insert(base.iter().map(|line| (id(&line[0]), id(&line[1]), number(&line[2])))).unwrap();
    let delta = lines(&folder.join("p2p-31.e.mutable_delta.gz"));
    let old = graph.fresh();
    let before = old.num_edges();
    for part in delta.chunks(batch) {
        let update = |line: &Vec<String>| {
            let (from, to) = (id(&line[1]), id(&line[2]));
            match line[0].as_str() {
                "a" => Update::insert((from, to, number(&line[3]))),
                "u" => Update::reweight(from, to, number(&line[3])),
                "d" => Update::delete(from, to),
                other => panic!("an unknown update {other}"),
            }
        };
        let applied = graph.apply(part.iter().map(update)).unwrap();
        assert_eq!(applied.updates(), part.len());
    }
    assert_eq!(old.num_edges(), before, "a snapshot does not change");
}

#[test]
fn gnutella_updated_is_gnutella() {
    let Some(data) = data("gnutella_updated_is_gnutella") else { return };
    let folder = data.join("golden/p2p-31");
    let expected: BTreeMap<(u64, u64), f64> = lines(&folder.join("p2p-31.e.gz"))
        .iter()
        .map(|line| ((number(&line[0]), number(&line[1])), number(&line[2])))
        .collect();
    assert_eq!(expected.len(), 147_892);

    let directed = WeightedGraph::<f64>::new(GraphOptions::default());
    let ids = Ids::new();
    gnutella(&folder, &directed, &ids, 1000);
    let snapshot = directed.fresh();
    snapshot.audit().unwrap();
    let found: BTreeMap<(u64, u64), f64> =
        snapshot.edges().map(|(from, to, &weight)| ((ids.key(from).unwrap(), ids.key(to).unwrap()), weight)).collect();
    assert!(found == expected, "the same arcs with the same weights");
    assert_eq!((snapshot.num_vertices(), snapshot.num_edges()), (62_586, 147_892));

    // The published ranks are those of the undirected graph.
    let undirected = Graph::<Ctree<f64>>::below::<Nested<Bst<_>>>(GraphOptions::undirected());
    let ids = Ids::new();
    gnutella(&folder, &undirected, &ids, 333);
    let snapshot = undirected.fresh();
    snapshot.audit().unwrap();
    let options = PageRank { stop: Stop::Iterations(10), ..PageRank::default() };
    let ranks = pagerank(&snapshot, &snapshot.row_degrees(), &options, |_, _| ()).unwrap().ranks;
    let found = ranks.iter().zip(0..).map(|(&rank, vertex)| (ids.key(vertex).unwrap(), rank)).collect();
    let off = difference(&found, &values(&folder.join("p2p-31-PR.gz")));
    assert!(off < 1e-9, "off by {off}");
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

    let options = GraphOptions { conflict: Conflict::Sum, ..GraphOptions::default() };
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
    streamed("sx-mathoverflow.txt.gz", &[50, 20_000, 1_000_000]);
}
