//! Streams of edges, cut into batches.

use std::num::{NonZeroU64, NonZeroUsize};

use pleach::graph::{Conflict, Graph, GraphOptions, Grouping, Ids, Update, WeightedGraph, Window};
use pleach_datasets::batches::{BatchOptions, Batches, StreamBatch, Streamed};
use pleach_datasets::stream::{EdgeStream, StreamOptions};

/// A window of ten units of time.
fn ten<V: Copy>(conflict: Conflict<V>, directed: bool) -> Option<Window<V>> {
    let options = GraphOptions::default().with_conflict(conflict).with_directed(directed);
    Some(Window::new(NonZeroU64::new(10).unwrap(), &options))
}

fn count(lines: usize) -> Grouping {
    Grouping::Count(NonZeroUsize::new(lines).unwrap())
}

fn span(length: u64) -> Grouping {
    Grouping::Span(NonZeroU64::new(length).unwrap())
}

fn batches<V: Streamed>(
    text: &'static str,
    ids: &Ids,
    options: BatchOptions<V>,
) -> Result<Vec<StreamBatch<V>>, String> {
    // Three columns without an operation end in a time here.
    let timed = text.lines().all(|line| line.starts_with(|c: char| c.is_ascii_digit()) && line.split(' ').count() == 3);
    let columns = timed.then(|| "src,dst,time".parse().unwrap());
    let stream = EdgeStream::new("s", text.as_bytes(), StreamOptions::default().with_columns(columns));
    Batches::new(stream, ids, options).collect::<Result<_, _>>().map_err(|error| error.to_string())
}

#[test]
fn lines_are_grouped_by_count() {
    let ids = Ids::<u64>::new();
    let found =
        batches::<()>("+ 70 80\n+ 80 90\n- 70 80\n- 1 2\n+ 90 70\n", &ids, BatchOptions::new(count(2))).unwrap();
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
    let found = batches::<()>(text, &Ids::<u64>::new(), BatchOptions::new(span(10))).unwrap();
    assert_eq!(
        found.iter().map(|b| (b.lines, b.time)).collect::<Vec<_>>(),
        [(2, Some(109)), (1, Some(110)), (2, Some(159)), (1, Some(160))]
    );
    let far = "1 2 -9223372036854775807\n1 3 9223372036854775807\n";
    assert_eq!(batches::<()>(far, &Ids::<u64>::new(), BatchOptions::new(span(u64::MAX))).unwrap().len(), 1);
    assert_eq!(batches::<()>(far, &Ids::<u64>::new(), BatchOptions::new(span(1))).unwrap().len(), 2);
}

#[test]
fn edges_leave_the_window() {
    let text = "1 2 0\n2 1 3\n3 4 5\n1 2 9\n5 6 10\n7 8 30\n";
    let ids = Ids::<u64>::new();
    let left = |directed: bool, lines: usize| {
        let windowed = BatchOptions::new(count(lines)).with_window(ten(Conflict::Last, directed));
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
    assert_eq!(left(true, 1), [(1, 0), (2, 0), (3, 0), (3, 0), (4, 1), (1, 4)]);
    assert_eq!(left(false, 1), [(1, 0), (1, 0), (2, 0), (2, 0), (3, 1), (1, 4)]);
    // An edge that comes and goes within a batch is not there afterwards.
    assert_eq!(left(true, 6), [(1, 5)]);
}

#[test]
fn a_deleted_edge_does_not_expire() {
    let text = "+ 1 2 1 0\n- 1 2 1 1\n+ 1 2 1 8\n+ 3 4 1 12\n";
    let windowed = BatchOptions::new(count(1)).with_window(ten(Conflict::Last, true));
    let found = batches::<f64>(text, &Ids::<u64>::new(), windowed).unwrap();
    assert_eq!(found.iter().map(|batch| batch.expired).collect::<Vec<_>>(), [0; 4]);
}

/// The weight of an edge is what is within the window, whatever the batches; what leaves is taken off.
#[test]
fn weights_are_those_of_the_window() {
    let text =
        "+ 1 2 5 0\n+ 1 2 2 4\n+ 1 2 1 9\n+ 3 4 1 10\n+ 3 4 1 14\nu 1 2 8 15\n+ 1 2 3 16\n+ 3 4 1 19\n+ 3 4 1 26\n";
    // Of 1→2 after each line, by hand: 5 leaves at 10 and 2 at 14; 8 takes the place of 1, and leaves with it at 19; 3 leaves at 26.
    for (conflict, expected) in [
        (
            Conflict::Sum,
            [Some(5.0), Some(7.0), Some(8.0), Some(3.0), Some(1.0), Some(8.0), Some(11.0), Some(3.0), None],
        ),
        (Conflict::Max, [Some(5.0), Some(5.0), Some(5.0), Some(2.0), Some(1.0), Some(8.0), Some(8.0), Some(3.0), None]),
        (
            Conflict::First,
            [Some(5.0), Some(5.0), Some(5.0), Some(2.0), Some(1.0), Some(8.0), Some(8.0), Some(3.0), None],
        ),
        (
            Conflict::Last,
            [Some(5.0), Some(2.0), Some(1.0), Some(1.0), Some(1.0), Some(8.0), Some(3.0), Some(3.0), None],
        ),
    ] {
        for lines in [1, 2, 3, 9] {
            let options = BatchOptions::new(count(lines)).with_window(ten(conflict, true));
            let graph = WeightedGraph::<f64>::new(GraphOptions::default().with_conflict(conflict));
            let mut done = 0;
            for batch in batches::<f64>(text, &Ids::<u64>::new(), options).unwrap() {
                done += batch.lines;
                graph.apply_list(batch.updates).unwrap();
                assert_eq!(graph.fresh().weight(0, 1).copied(), expected[done - 1], "{conflict:?}, line {done}");
            }
            assert_eq!(done, 9);
        }
    }
}

/// A batch is given out with its last line, before there is another one.
#[test]
fn a_full_batch_does_not_wait() {
    struct Lines(u8);
    impl std::io::Read for Lines {
        fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
            self.0 += 1;
            assert!(self.0 <= 2, "the line after a full batch was read");
            to[..4].copy_from_slice(b"1 2\n");
            Ok(4)
        }
    }
    let ids = Ids::<u64>::new();
    let stream = EdgeStream::new("s", std::io::BufReader::with_capacity(4, Lines(0)), StreamOptions::default());
    assert_eq!(Batches::<()>::new(stream, &ids, BatchOptions::new(count(2))).next().unwrap().unwrap().lines, 2);
}

#[test]
fn lines_that_do_not_fit_are_refused_by_number() {
    let strict = BatchOptions::new(count(10));
    let windowed = strict.with_window(ten(Conflict::Last, true));
    for (text, options, expected) in [
        ("+ 1 2 0.5\n", strict, "s:1: the line has a weight"),
        ("1 2\n", windowed, "s:1: the line has no time"),
        ("1 2 7\n2 3 6\n", windowed, "s:2: expected a time of 7 or later, as the lines before have, found 6"),
        ("+ 1 2\nu 1 2\n", strict, "s:2: the line changes a weight, but has none"),
        ("+ 1 2\n+ 3\n", strict, "s:2:4: expected a vertex id, found the end of the line"),
    ] {
        let error = batches::<()>(text, &Ids::<u64>::new(), options).unwrap_err();
        assert!(error.starts_with(expected), "{text:?}: {error}");
    }
    let timed = StreamOptions::default().with_columns(Some("src,dst,time".parse().unwrap()));
    let stream = EdgeStream::new("s", "1 2 7\n2 3 6\n4 5 8\n".as_bytes(), timed);
    let ids = Ids::<u64>::new();
    let mut lenient = Batches::<()>::new(stream, &ids, windowed.with_skip_bad(true));
    assert_eq!(lenient.next().unwrap().unwrap().lines, 2);
    assert_eq!(lenient.skipped(), 1);
}
