//! Streams of edges, cut into batches.

use std::num::{NonZeroU64, NonZeroUsize};

use pleach::graph::{Graph, GraphOptions, Ids, Update};
use pleach_apps::batches::{BatchOptions, Batches, Grouping, StreamBatch, Streamed};
use pleach_datasets::stream::{EdgeStream, StreamOptions};

fn options(grouping: Grouping) -> BatchOptions {
    BatchOptions { grouping, window: None, directed: true, skip_bad: false }
}

fn count(lines: usize) -> Grouping {
    Grouping::Count(NonZeroUsize::new(lines).unwrap())
}

fn span(length: u64) -> Grouping {
    Grouping::Span(NonZeroU64::new(length).unwrap())
}

fn batches<V: Streamed>(text: &'static str, ids: &Ids, options: BatchOptions) -> Result<Vec<StreamBatch<V>>, String> {
    let stream = EdgeStream::new("s", text.as_bytes(), StreamOptions::default());
    Batches::new(stream, ids, options).collect::<Result<_, _>>().map_err(|error| error.to_string())
}

#[test]
fn lines_are_grouped_by_count() {
    let ids = Ids::new();
    let found = batches::<()>("+ 70 80\n+ 80 90\n- 70 80\n- 1 2\n+ 90 70\n", &ids, options(count(2))).unwrap();
    let brief: Vec<_> =
        found.iter().map(|b| (b.first_line, b.last_line, b.lines, b.updates.len(), b.unknown)).collect();
    assert_eq!(brief, [(1, 2, 2, 2, 0), (3, 4, 2, 1, 1), (5, 5, 1, 1, 0)]);
    assert!(found[1].updates.iter().eq([Update::delete(0, 1)]));
    // What is deleted does not become a vertex.
    assert_eq!(ids.len(), 3);
}

#[test]
fn lines_are_grouped_by_time() {
    let text = "1 2 100\n1 3 109\n1 4 110\n1 5 150\n1 6 159\n1 7 160\n";
    let found = batches::<()>(text, &Ids::new(), options(span(10))).unwrap();
    assert_eq!(
        found.iter().map(|b| (b.lines, b.time)).collect::<Vec<_>>(),
        [(2, Some(109)), (1, Some(110)), (2, Some(159)), (1, Some(160))]
    );
    let far = "1 2 -9223372036854775807\n1 3 9223372036854775807\n";
    assert_eq!(batches::<()>(far, &Ids::new(), options(span(u64::MAX))).unwrap().len(), 1);
    assert_eq!(batches::<()>(far, &Ids::new(), options(span(1))).unwrap().len(), 2);
}

#[test]
fn edges_leave_the_window() {
    let text = "1 2 0\n2 1 3\n3 4 5\n1 2 9\n5 6 10\n7 8 30\n";
    let ids = Ids::new();
    let left = |directed: bool, lines: usize| {
        let windowed = BatchOptions { window: NonZeroU64::new(10), directed, ..options(count(lines)) };
        let graph: Graph = Graph::new(if directed { GraphOptions::default() } else { GraphOptions::undirected() });
        let mut sizes = Vec::new();
        for batch in batches::<()>(text, &ids, windowed).unwrap() {
            graph.commit(graph.prepare_list(batch.updates).unwrap()).unwrap();
            graph.fresh().audit().unwrap();
            sizes.push((graph.fresh().num_edges(), batch.expired));
        }
        sizes
    };
    // At 10, 1→2 was renewed at 9; at 30 all but the last are gone.
    assert_eq!(left(true, 1), [(1, 0), (2, 0), (3, 0), (3, 0), (4, 0), (1, 4)]);
    assert_eq!(left(false, 1), [(1, 0), (1, 0), (2, 0), (2, 0), (3, 0), (1, 3)]);
    // An edge that comes and goes within a batch is not there afterwards.
    assert_eq!(left(true, 6), [(1, 4)]);
}

#[test]
fn a_deleted_edge_does_not_expire() {
    let text = "+ 1 2 1 0\n- 1 2 1 1\n+ 1 2 1 8\n+ 3 4 1 12\n";
    let windowed = BatchOptions { window: NonZeroU64::new(10), ..options(count(1)) };
    let found = batches::<f64>(text, &Ids::new(), windowed).unwrap();
    assert_eq!(found.iter().map(|batch| batch.expired).collect::<Vec<_>>(), [0; 4]);
}

#[test]
fn lines_that_do_not_fit_are_refused_by_number() {
    let strict = options(count(10));
    let windowed = BatchOptions { window: NonZeroU64::new(10), ..strict };
    for (text, options, expected) in [
        ("+ 1 2 0.5\n", strict, "s:1: the line has a weight"),
        ("1 2\n", windowed, "s:1: the line has no time"),
        ("1 2 7\n2 3 6\n", windowed, "s:2: expected a time of 7 or later, as the lines before have, found 6"),
        ("+ 1 2\nu 1 2\n", strict, "s:2: the line changes a weight, but has none"),
        ("+ 1 2\n+ 3\n", strict, "s:2:4: expected a vertex id, found the end of the line"),
    ] {
        let error = batches::<()>(text, &Ids::new(), options).unwrap_err();
        assert!(error.starts_with(expected), "{text:?}: {error}");
    }
    let stream = EdgeStream::new("s", "1 2 7\n2 3 6\n4 5 8\n".as_bytes(), StreamOptions::default());
    let ids = Ids::new();
    let mut lenient = Batches::<()>::new(stream, &ids, BatchOptions { skip_bad: true, ..windowed });
    assert_eq!(lenient.next().unwrap().unwrap().lines, 2);
    assert_eq!(lenient.skipped(), 1);
}
