//! What each function does, and what it refuses.

mod support;

use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};
use std::thread;
use std::time::Duration;

use pleach_capi::*;
use support::*;

const FAR: u64 = u64::MAX;

#[test]
fn edges_and_vertices_come_and_go() {
    for directed in [false, true] {
        let graph = new(directed, true);
        assert_eq!(insert(graph, 7, FAR, 1.5), Ok(true));
        assert_eq!(insert(graph, 7, FAR, 2.5), Ok(false), "it keeps its weight");
        assert_eq!(insert(graph, FAR, 7, 9.0), Ok(directed));
        assert_eq!((weight(graph, 7, FAR), weight(graph, FAR, 7)), (Some(1.5), Some(if directed { 9.0 } else { 1.5 })));
        assert_eq!(result(|new| pleach_graph_connect(graph, 7, 8, 1.0, new)), Err(Status::NoVertex));
        assert_eq!(message(), "there is no vertex 8");
        assert_eq!(result(|new| pleach_graph_insert_vertex(graph, 8, new)), Ok(true));
        assert_eq!(result(|new| pleach_graph_insert_vertex(graph, 8, new)), Ok(false));
        assert_eq!(result(|new| pleach_graph_connect(graph, 7, 8, 1.0, new)), Ok(true));
        assert_eq!(result(|new| pleach_graph_connect(graph, 7, 8, 2.0, new)), Ok(false));
        assert_eq!(result(|new| pleach_graph_put_edge(graph, 7, 8, 3.0, new)), Ok(false));
        assert_eq!(result(|new| pleach_graph_put_edge(graph, 8, 9, 4.0, new)), Ok(true));
        assert_eq!((weight(graph, 7, 8), weight(graph, 8, 9)), (Some(3.0), Some(4.0)));
        assert_eq!(result(|there| pleach_graph_update_edge(graph, 8, 9, 5.0, there)), Ok(true));
        assert_eq!(result(|there| pleach_graph_update_edge(graph, 9, 7, 5.0, there)), Ok(false));
        assert_eq!((weight(graph, 8, 9), weight(graph, 9, 7)), (Some(5.0), None));

        let before = snapshot(graph);
        assert_eq!(result(|there| pleach_graph_delete_edge(graph, 7, 8, there)), Ok(true));
        assert_eq!(result(|there| pleach_graph_delete_edge(graph, 7, 8, there)), Ok(false));
        assert_eq!(result(|there| pleach_graph_delete_edge(graph, 7, 1234, there)), Ok(false));
        assert_eq!(result(|there| pleach_graph_delete_vertex(graph, 9, there)), Ok(true));
        assert_eq!(result(|there| pleach_graph_delete_vertex(graph, 9, there)), Ok(false));
        assert_eq!(result(|there| pleach_graph_delete_vertex(graph, 1234, there)), Ok(false));
        let edges = if directed { 2 } else { 1 };
        assert_eq!(result(|count| pleach_graph_num_edges(graph, count)), Ok(edges));
        assert_eq!(result(|count| pleach_graph_num_vertices(graph, count)), Ok(3));
        assert_eq!(result(|there| pleach_graph_has_vertex(graph, 9, there)), Ok(false));
        assert_eq!(result(|there| pleach_graph_has_vertex(graph, FAR, there)), Ok(true));

        // The snapshot stays, even without the graph.
        let now = snapshot(graph);
        assert_eq!(pleach_graph_free(graph), Status::Ok);
        assert_eq!(result(|count| pleach_snapshot_num_edges(before, count)), Ok(edges + 2));
        assert_eq!(result(|count| pleach_snapshot_num_vertices(before, count)), Ok(4));
        assert_eq!(result(|there| pleach_snapshot_has_vertex(before, 9, there)), Ok(true));
        assert_eq!(result(|there| pleach_snapshot_has_vertex(now, 9, there)), Ok(false));
        assert_eq!(result(|weight| pleach_snapshot_find_edge(before, 8, 9, None, weight)), Ok(5.0));
        assert_eq!(result(|there| pleach_snapshot_find_edge(now, 8, 9, there, None)), Ok(false));
        let versions = [before, now].map(|taken| result(|version| pleach_snapshot_version(taken, version)).unwrap());
        assert!(versions[0] < versions[1]);
        let out = vec![(8, 3.0), (FAR, 1.5)];
        assert_eq!(neighbors(before, 7, false), out);
        assert_eq!(neighbors(before, 7, true), if directed { vec![(FAR, 9.0)] } else { out });
        assert_eq!(neighbors(now, 8, false), []);
        assert_eq!(pleach_snapshot_free(before), Status::Ok);
        assert_eq!(pleach_snapshot_free(now), Status::Ok);
    }
}

#[test]
fn without_weights_every_edge_weighs_one() {
    let graph = new(true, false);
    assert_eq!(insert(graph, 1, 2, f64::NAN), Ok(true), "the weight is not looked at");
    assert_eq!(insert(graph, 2, 3, 5.0), Ok(true));
    assert_eq!(result(|new| pleach_graph_put_edge(graph, 2, 3, 6.0, new)), Ok(false));
    assert_eq!((weight(graph, 1, 2), weight(graph, 2, 1)), (Some(1.0), None));
    assert_eq!(result(|there| pleach_graph_update_edge(graph, 1, 2, 5.0, there)), Err(Status::NoWeights));
    let taken = snapshot(graph);
    // SAFETY: the array has so many elements.
    let lengths = by_vertex(taken, |out, len| unsafe { pleach_snapshot_sssp(taken, 2, out, len) });
    assert_eq!(lengths, Ok(vec![(1, f64::INFINITY), (2, 0.0), (3, 1.0)]));
    assert_eq!((pleach_snapshot_free(taken), pleach_graph_free(graph)), (Status::Ok, Status::Ok));
}

#[test]
fn many_edges_in_one_call() {
    let graph = new(false, true);
    assert_eq!(insert(graph, 5, 6, 0.5), Ok(true));
    let (from, to, weights) = ([1, 2, 6, 1], [2, 3, 5, 2], [1.0, 2.0, 3.0, 4.0]);
    let insert_edges = |weights: *const f64, count| {
        // SAFETY: the arrays have as many elements as stated.
        result(|new| unsafe { pleach_graph_insert_edges(graph, from.as_ptr(), to.as_ptr(), weights, count, new) })
    };
    assert_eq!(insert_edges(weights.as_ptr(), 4), Ok(2));
    assert_eq!((weight(graph, 1, 2), weight(graph, 3, 2), weight(graph, 5, 6)), (Some(1.0), Some(2.0), Some(0.5)));
    assert_eq!(insert_edges(null(), 4), Ok(0));
    assert_eq!(insert_edges([1.0, f64::INFINITY].as_ptr(), 2), Err(Status::BadArgument));
    assert_eq!(message(), "weight 1 is inf: a weight is a finite number");
    // SAFETY: null pointers and no elements.
    let nothing =
        |from: *const u64, count| unsafe { pleach_graph_insert_edges(graph, from, from, null(), count, None) };
    assert_eq!(nothing(null(), 0), Status::Ok);
    assert_eq!(nothing(null(), 1), Status::NullPointer);
    assert_eq!(message(), "`from` is a null pointer");
    assert_eq!(nothing(from.as_ptr(), usize::MAX), Status::BadArgument);
    assert_eq!(nothing(from.as_ptr().wrapping_byte_add(1), 1), Status::BadArgument);
    assert_eq!(message(), "`from` is not aligned to 8 bytes");
    assert_eq!(pleach_graph_free(graph), Status::Ok);
}

#[test]
fn handles_that_name_nothing_are_refused() {
    let graph = new(true, true);
    insert(graph, 1, 2, 1.0).unwrap();
    let taken = snapshot(graph);
    for (id, says) in [
        (0, "the handle of the graph is zero"),
        (graph.id + (1 << 32), "it was freed, or never created"),
        (u64::MAX, "it was freed, or never created"),
        (1 << 40, "it was freed, or never created"),
        (taken.id, "the handle is that of a snapshot, and a graph is expected"),
    ] {
        let wrong = PleachGraph { id };
        assert_eq!(insert(wrong, 1, 2, 1.0), Err(Status::BadHandle));
        assert!(message().contains(says), "{} does not say {says}", message());
        assert_eq!(pleach_graph_free(wrong), Status::BadHandle);
        assert_eq!(result(|taken| pleach_graph_snapshot(wrong, taken)), Err(Status::BadHandle));
    }
    let wrong = PleachSnapshot { id: graph.id };
    assert_eq!(pleach_snapshot_free(wrong), Status::BadHandle);
    assert_eq!(message(), "the handle is that of a graph, and a snapshot is expected");
    assert_eq!(result(|version| pleach_snapshot_version(wrong, version)), Err(Status::BadHandle));

    assert_eq!(pleach_graph_free(graph), Status::Ok);
    assert_eq!(pleach_graph_free(graph), Status::BadHandle, "it is freed once");
    // What takes its place has another handle.
    let others: Vec<PleachGraph> = (0..200).map(|_| new(false, false)).collect();
    assert!(!others.contains(&graph));
    assert_eq!(insert(graph, 1, 2, 1.0), Err(Status::BadHandle));
    for other in others {
        assert_eq!(pleach_graph_free(other), Status::Ok);
    }
    assert_eq!(pleach_snapshot_free(taken), Status::Ok);
    assert_eq!(result(|version| pleach_snapshot_version(taken, version)), Err(Status::BadHandle));
}

#[test]
fn null_pointers_are_refused_where_a_result_is_needed() {
    let graph = new(true, true);
    insert(graph, 1, 2, 1.0).unwrap();
    let taken = snapshot(graph);
    assert_eq!(pleach_graph_new(true, true, None), Status::NullPointer);
    assert_eq!(message(), "`graph` is a null pointer");
    for status in [
        pleach_graph_snapshot(graph, None),
        pleach_graph_has_vertex(graph, 1, None),
        pleach_graph_find_edge(graph, 1, 2, None, None),
        pleach_graph_num_vertices(graph, None),
        pleach_graph_num_edges(graph, None),
        pleach_snapshot_version(taken, None),
        pleach_snapshot_num_vertices(taken, None),
        pleach_snapshot_num_edges(taken, None),
        pleach_snapshot_has_vertex(taken, 1, None),
        pleach_snapshot_find_edge(taken, 1, 2, None, None),
        pleach_snapshot_out_degree(taken, 1, None),
        pleach_snapshot_in_degree(taken, 1, None),
    ] {
        assert_eq!(status, Status::NullPointer);
    }
    // SAFETY: the pointers are null.
    unsafe {
        for status in [
            pleach_snapshot_vertices(taken, null_mut(), 2),
            pleach_snapshot_out_neighbors(taken, 1, null_mut(), null_mut(), 2, None),
            pleach_snapshot_in_neighbors(taken, 1, null_mut(), null_mut(), 2, None),
            pleach_snapshot_bfs(taken, 1, null_mut(), 2),
            pleach_snapshot_pagerank(taken, 1, 0.85, null_mut(), 2),
            pleach_snapshot_wcc(taken, null_mut(), 2),
            pleach_snapshot_cdlp(taken, 1, null_mut(), 2),
            pleach_snapshot_lcc(taken, null_mut(), 2),
            pleach_snapshot_sssp(taken, 1, null_mut(), 2),
        ] {
            assert_eq!(status, Status::NullPointer);
        }
        // Of no elements an array may be null, and is too short.
        assert_eq!(pleach_snapshot_bfs(taken, 1, null_mut(), 0), Status::BufferTooSmall);
        assert_eq!(message(), "the array has room for 0 elements, and 2 are needed");
        let mut count = MaybeUninit::new(0);
        let asked = pleach_snapshot_out_neighbors(taken, 1, null_mut(), null_mut(), 0, Some(&mut count));
        assert_eq!((asked, count.assume_init()), (Status::BufferTooSmall, 1));
    }
    // Those that say whether something was there are not needed.
    assert_eq!(pleach_graph_insert_edge(graph, 3, 4, 1.0, None), Status::Ok);
    assert_eq!(pleach_graph_delete_edge(graph, 3, 4, None), Status::Ok);
    assert_eq!((pleach_snapshot_free(taken), pleach_graph_free(graph)), (Status::Ok, Status::Ok));
}

#[test]
fn arguments_of_algorithms_are_checked() {
    let graph = new(true, true);
    insert(graph, 10, 20, -1.0).unwrap();
    let taken = snapshot(graph);
    let mut numbers = [0.0; 2];
    let mut depths = [0; 2];
    // SAFETY: the arrays have as many elements.
    unsafe {
        assert_eq!(pleach_snapshot_bfs(taken, 11, depths.as_mut_ptr(), 2), Status::NoVertex);
        assert_eq!(message(), "there is no vertex 11");
        assert_eq!(pleach_snapshot_sssp(taken, 10, numbers.as_mut_ptr(), 2), Status::BadArgument);
        assert!(message().contains("the edge from 10 to 20 weighs -1"), "{}", message());
        for damping in [-0.1, 1.0, f64::NAN] {
            let status = pleach_snapshot_pagerank(taken, 1, damping, numbers.as_mut_ptr(), 2);
            assert_eq!(status, Status::BadArgument);
        }
        assert_eq!(pleach_snapshot_lcc(taken, numbers.as_mut_ptr(), 1), Status::BufferTooSmall);
    }
    for weight in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(insert(graph, 1, 2, weight), Err(Status::BadArgument));
    }
    assert_eq!(result(|count| pleach_graph_num_edges(graph, count)), Ok(1));
    assert_eq!((pleach_snapshot_free(taken), pleach_graph_free(graph)), (Status::Ok, Status::Ok));
}

/// Of an empty graph there are results, too.
#[test]
fn an_empty_graph_has_results_of_no_elements() {
    let graph = new(false, true);
    let taken = snapshot(graph);
    // SAFETY: no elements.
    unsafe {
        assert_eq!(pleach_snapshot_vertices(taken, null_mut(), 0), Status::Ok);
        assert_eq!(pleach_snapshot_wcc(taken, null_mut(), 0), Status::Ok);
        assert_eq!(pleach_snapshot_cdlp(taken, 5, null_mut(), 0), Status::Ok);
        assert_eq!(pleach_snapshot_lcc(taken, null_mut(), 0), Status::Ok);
        assert_eq!(pleach_snapshot_pagerank(taken, 5, 0.85, null_mut(), 0), Status::Ok);
        assert_eq!(pleach_snapshot_bfs(taken, 0, null_mut(), 0), Status::NoVertex);
    }
    assert_eq!((pleach_snapshot_free(taken), pleach_graph_free(graph)), (Status::Ok, Status::Ok));
}

/// PageRank without end, until another thread ends it.
#[test]
fn an_algorithm_can_be_cancelled() {
    let graph = new(false, false);
    (1..50).for_each(|k| assert_eq!(insert(graph, k, k + 1, 1.0), Ok(true)));
    let (taken, other) = (snapshot(graph), snapshot(graph));
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(20));
            assert_eq!(pleach_snapshot_cancel(taken), Status::Ok);
        });
        // SAFETY: the array has so many elements.
        let ranks =
            by_vertex::<f64>(taken, |out, len| unsafe { pleach_snapshot_pagerank(taken, u64::MAX, 0.85, out, len) });
        assert_eq!(ranks, Err(Status::Cancelled));
        assert_eq!(message(), "the algorithm was cancelled");
    });
    // SAFETY: the array has so many elements.
    let components = |taken| by_vertex::<u64>(taken, |out, len| unsafe { pleach_snapshot_wcc(taken, out, len) });
    assert_eq!(components(taken), Err(Status::Cancelled), "it stays cancelled");
    assert_eq!(components(other).unwrap().len(), 50);
    assert_eq!(pleach_snapshot_free(taken), Status::Ok);
    assert_eq!((pleach_snapshot_free(other), pleach_graph_free(graph)), (Status::Ok, Status::Ok));
}
