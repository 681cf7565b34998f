//! Shortest paths in numbers of 32 bits, and with buckets that are much narrower than the paths are long.

use pleach::graph::GraphOptions;
use pleach::graph::WeightedGraph;
use pleach::runtime::mix;
use pleach::traverse::Adjacency;
use pleach::{BuildOptions, Csr, Duplicates, EdgeList};
use pleach_algorithms::sssp::{Distances, Sssp, SsspError, sssp, sssp_in, verify};

const VERTICES: u32 = 3000;

/// A ring with chords, a hub with an arc to each vertex whose row several threads share, and a vertex apart. Whole weights from 1 to 255.
fn edges(hub: u32) -> EdgeList<f64> {
    let mut edges = EdgeList::new(VERTICES as usize + 1, VERTICES as usize + 1);
    let weight = |k: u32| (mix(u64::from(k)) % 255 + 1) as f64;
    for k in 0..VERTICES {
        edges.push(k, (k + 1) % VERTICES, weight(k));
        edges.push(k, mix(u64::from(k)) as u32 % VERTICES, 40.0 * weight(k + VERTICES));
    }
    (0..hub).for_each(|k| edges.push(7, k % VERTICES, 10_000.0 + f64::from(k)));
    edges
}

fn rows(edges: &EdgeList<f64>) -> Csr<f64> {
    let options = BuildOptions::default().with_undirected(true).with_duplicates(Duplicates::min());
    Csr::from_edges(edges, &options).unwrap().0
}

/// The same with narrow weights.
fn narrow(rows: &Csr<f64>) -> Csr<f32> {
    let values = rows.values().iter().map(|&weight| weight as f32).collect();
    Csr::from_parts(rows.num_cols(), rows.offsets().to_vec(), rows.coords().to_vec(), values).unwrap()
}

#[test]
fn whole_lengths_are_the_same_in_32_bits() {
    let wide = rows(&edges(2900));
    let slim = narrow(&wide);
    let (wide, slim) = (Adjacency::undirected(&wide).unwrap(), Adjacency::undirected(&slim).unwrap());
    // From all vertices in one bucket to thousands of buckets that are nearly all empty.
    for delta in [None, Some(1e9), Some(700.0), Some(1.0), Some(0.01)] {
        let options = Sssp::default().with_delta(delta);
        let found = sssp(wide, 3, &options).unwrap();
        verify(wide, 3, &found).unwrap();
        assert_eq!(found.reached, VERTICES as usize);
        let short: Distances<f32> = sssp_in(slim, 3, &options).unwrap();
        verify(slim, 3, &short).unwrap();
        assert!(
            short.distances.iter().map(|&length| f64::from(length)).eq(found.distances.iter().copied()),
            "{delta:?}"
        );
        assert_eq!((f64::from(short.farthest), short.reached), (found.farthest, found.reached));
        assert_eq!(short.distances[VERTICES as usize], f32::INFINITY);
    }
}

#[test]
fn lengths_beyond_all_buckets_share_the_last() {
    let graph: WeightedGraph<f64> = WeightedGraph::new(GraphOptions::undirected());
    graph.insert([(0, 1, 1e300), (1, 2, 1e300), (0, 2, 2.5e300), (2, 3, 1.0)]).unwrap();
    let found = sssp(&graph.fresh(), 0, &Sssp::default().with_delta(1e-3)).unwrap();
    assert_eq!(found.distances, [0.0, 1e300, 2e300, 2e300]);
}

#[test]
fn the_first_wrong_weight_is_named_in_32_bits_too() {
    for (wrong, at) in [(-1.0, (2, 4)), (f64::NAN, (2, 4)), (f64::INFINITY, (2, 4)), (-0.0, (9, 9))] {
        let mut edges = EdgeList::new(10, 10);
        (0..8).for_each(|k| edges.push(k, k + 1, 1.0));
        edges.push(2, 4, wrong);
        let csr = narrow(&Csr::from_edges(&edges, &BuildOptions::default()).unwrap().0);
        // The weight is met on the way from 0, and not from 9.
        for source in [0, 9] {
            let found: Result<Distances<f32>, _> = sssp_in(Adjacency::outward(&csr).unwrap(), source, &Sssp::default());
            match found {
                Err(SsspError::Weight { from, to, .. }) => assert_eq!((from, to), at),
                other => assert!(wrong == 0.0 && other.is_ok(), "{wrong}: {other:?}"),
            }
        }
    }
}
