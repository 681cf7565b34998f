//! Verifiers refuse what is wrong, and what is right at the edges is found.

use pleach::graph::{GraphOptions, Snapshot, WeightedGraph};
use pleach_algorithms::{
    ABSENT, bc, closeness, degree, lcc, louvain, msf, nibble, spectral, sssp, tc, topological, walks,
};

type Packed = pleach::runtime::Packed<u32, f64>;

fn graph(options: GraphOptions<f64>, edges: impl IntoIterator<Item = (u32, u32, f64)>) -> Snapshot<Packed> {
    let graph = WeightedGraph::<f64>::new(options);
    graph.insert(edges).unwrap();
    graph.fresh()
}

fn undirected(edges: impl IntoIterator<Item = (u32, u32, f64)>) -> Snapshot<Packed> {
    graph(GraphOptions::undirected(), edges)
}

#[test]
fn what_is_no_lightest_forest_is_refused() {
    let tailed = undirected([(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (2, 3, 1.0)]);
    let right = msf::msf(&tailed).unwrap();
    msf::verify((&tailed).into(), &right).unwrap();
    let edges = vec![(0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0)];
    let cycle = msf::Forest { edges, parents: vec![1, 2, 0, 3], ..right };
    assert_eq!(msf::verify((&tailed).into(), &cycle), Err(msf::MsfWrong::NoForest));
    let uneven = undirected([(0, 1, 1.0), (1, 2, 1.0), (0, 2, 5.0)]);
    let right = msf::msf(&uneven).unwrap();
    let heavy = msf::Forest { edges: vec![(0, 1, 1.0), (0, 2, 5.0)], parents: vec![0, 0, 0], ..right };
    assert_eq!(msf::verify((&uneven).into(), &heavy), Err(msf::MsfWrong::Weight { found: 6.0, expected: 2.0 }));
    // Of edges that weigh the same, the first ones are taken, whichever zero they weigh.
    let zeros = undirected([(0, 1, 0.0), (0, 2, 0.0), (1, 2, -0.0)]);
    let found = msf::msf(&zeros).unwrap();
    assert_eq!(found.edges, [(0, 1, 0.0), (0, 2, 0.0)]);
}

#[test]
fn scores_that_are_no_numbers_or_not_scaled_are_refused() {
    let path = undirected([(0, 1, 1.0), (1, 2, 1.0), (2, 3, 2.0)]);
    let mut found = bc::bc(&path, &[0, 1]).unwrap();
    found.depth += 1;
    assert_eq!(bc::verify((&path).into(), &[0, 1], &found), Err(bc::BcWrong::Depth { found: 4, expected: 3 }));
    found.scores.fill(f64::NAN);
    assert!(matches!(bc::verify((&path).into(), &[0, 1], &found), Err(bc::BcWrong::Score { vertex: 0, .. })));
    let options = spectral::Spectral::default();
    let adjacency = || (&path).into();
    let right = spectral::eigenvector(&path, &options).unwrap();
    spectral::verify_eigenvector(adjacency(), &options, &right).unwrap();
    let of = |scores: Vec<f64>| spectral::Scores { scores, ..right.clone() };
    let wrong = spectral::verify_eigenvector(adjacency(), &options, &of(vec![0.0; 4]));
    assert_eq!(wrong, Err(spectral::SpectralWrong::Scale { found: 0.0 }));
    let short = spectral::SpectralWrong::Length { found: 2, vertices: 4 };
    assert_eq!(spectral::verify_eigenvector(adjacency(), &options, &of(vec![1.0; 2])), Err(short));
    let options = options.with_katz(0.1, 1.0);
    let right = spectral::katz(&path, &options).unwrap();
    spectral::verify_katz(adjacency(), &options, &right).unwrap();
    for factor in [0.0, -1.0, 1e-20] {
        let scores = of(right.scores.iter().map(|score| score * factor).collect());
        assert!(spectral::verify_katz(adjacency(), &options, &scores).is_err(), "{factor}");
    }
    assert_eq!(spectral::verify_katz(adjacency(), &options, &of(vec![1.0; 2])), Err(short));
    let mut found = spectral::hits(&path, &options).unwrap();
    spectral::verify_hits(adjacency(), &options, &found).unwrap();
    found.hubs.fill(0.0);
    found.authorities.fill(0.0);
    assert!(spectral::verify_hits(adjacency(), &options, &found).is_err());
    let options = louvain::Louvain::default();
    let mut found = louvain::louvain(&path, &options).unwrap();
    found.modularity = f64::NAN;
    assert!(louvain::verify((&path).into(), &options, &found).is_err());
}

#[test]
fn small_centralities_are_compared_by_their_size() {
    let long = undirected([(0, 1, 1e12), (1, 2, 1e12)]);
    let options = closeness::Closeness::default();
    let mut found = closeness::closeness_weighted(&long, &options).unwrap();
    closeness::verify_weighted((&long).into(), &options, &found).unwrap();
    found.closeness.fill(0.0);
    assert!(closeness::verify_weighted((&long).into(), &options, &found).is_err());
}

#[test]
fn an_order_without_a_vertex_is_refused() {
    let live = WeightedGraph::<f64>::new(GraphOptions::default());
    live.insert([(0, 2, 1.0), (1, 2, 1.0)]).unwrap();
    live.remove_vertex(1).unwrap();
    let snapshot = live.fresh();
    let right = topological::topological(&snapshot).unwrap();
    topological::verify((&snapshot).into(), &right).unwrap();
    assert_eq!((&right.order[..], &right.generations[..], right.count), (&[0, 2][..], &[0, ABSENT, 1][..], 2));
    let wrong = topological::Order { order: vec![1, 2], generations: vec![0, ABSENT, 0], count: 1 };
    assert!(topological::verify((&snapshot).into(), &wrong).is_err());
    let more = topological::Order { count: 3, ..right };
    assert!(topological::verify((&snapshot).into(), &more).is_err());
}

#[test]
fn a_seed_from_which_nothing_is_pushed_is_alone() {
    let triangle = undirected([(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0)]);
    let options = nibble::Nibble::default().with_epsilon(1.0);
    let found = nibble::nibble(&triangle, 1, &options).unwrap();
    assert_eq!((&found.members[..], found.conductance, found.volume, found.pushes), (&[1][..], 1.0, 2, 0));
    nibble::verify((&triangle).into(), 1, &options, &found).unwrap();
    let empty = nibble::Cluster { members: vec![], conductance: f64::INFINITY, volume: 0, ..found };
    assert!(nibble::verify((&triangle).into(), 1, &options, &empty).is_err());
}

#[test]
fn communities_of_no_level_are_single_vertices() {
    let triangle = undirected([(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0)]);
    for refine in [false, true] {
        let options = louvain::Louvain::default().with_refine(refine).with_levels(0);
        let found = louvain::louvain(&triangle, &options).unwrap();
        assert_eq!((&found.labels[..], found.levels), (&[0, 1, 2][..], 0));
        louvain::verify((&triangle).into(), &options, &found).unwrap();
    }
}

#[test]
fn figures_that_do_not_fit_degrees_are_refused() {
    let tailed = undirected([(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (2, 3, 1.0), (4, 4, 1.0)]);
    let right = degree::degrees(&tailed);
    degree::verify((&tailed).into(), &right).unwrap();
    assert_eq!(right.out.distribution, [(1, 2), (2, 2), (3, 1)]);
    let changes: [fn(&mut degree::Degrees); 7] = [
        |found| found.isolated += 1,
        |found| found.out.zero += 1,
        |found| found.incoming.median += 1,
        |found| found.out.gini += 0.01,
        |found| found.incoming.gini = f64::NAN,
        // As many vertices, arcs, and the same least and most.
        |found| found.out.distribution = vec![(1, 3), (3, 2)],
        |found| found.incoming.degrees.push(0),
    ];
    for (which, change) in changes.into_iter().enumerate() {
        let mut wrong = right.clone();
        change(&mut wrong);
        assert_eq!(degree::verify((&tailed).into(), &wrong), Err(degree::DegreesWrong::Statistics), "change {which}");
    }
}

#[test]
fn a_walk_along_an_arc_of_weight_zero_is_refused() {
    let fork = graph(GraphOptions::default(), [(0, 1, 0.0), (0, 2, 1.0)]);
    let options = walks::Walks::default().with_length(1);
    let found = walks::walks(&fork, &[0], &options).unwrap();
    assert_eq!(found, [0, 2]);
    walks::verify((&fork).into(), &[0], &options, &found).unwrap();
    let wrong = walks::verify((&fork).into(), &[0], &options, &[0, 1]);
    assert_eq!(wrong, Err(walks::WalksWrong::Step { walk: 0, step: 1 }));
}

/// Weights whose squares overflow or underflow give the same scores and communities as other weights.
#[test]
fn weights_of_any_size_count_by_their_ratios() {
    // Two triangles, joined by a light edge.
    let edges = [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (3, 4, 1.0), (4, 5, 1.0), (3, 5, 1.0), (2, 3, 0.125)];
    let expected = spectral::hits(&undirected(edges), &Default::default()).unwrap();
    assert!(expected.converged);
    for scale in [2f64.powi(700), 1.0, 2f64.powi(-700)] {
        let scaled = undirected(edges.map(|(u, v, weight)| (u, v, scale * weight)));
        for refine in [false, true] {
            let options = louvain::Louvain::default().with_refine(refine);
            let found = louvain::louvain(&scaled, &options).unwrap();
            assert_eq!((&found.labels[..], found.count), (&[0, 0, 0, 3, 3, 3][..], 2), "{scale}, {refine}");
            louvain::verify((&scaled).into(), &options, &found).unwrap();
        }
        // A power of two changes no digit.
        let found = spectral::hits(&scaled, &Default::default()).unwrap();
        assert_eq!(found, expected, "{scale}");
        spectral::verify_hits((&scaled).into(), &Default::default(), &found).unwrap();
    }
}

#[test]
fn the_sum_of_nothing_has_no_sign() {
    let fork = graph(GraphOptions::default(), [(0, 1, 1.0), (0, 2, 1.0)]);
    let found = spectral::hits(&fork, &Default::default()).unwrap();
    assert!(found.hubs.iter().chain(&found.authorities).all(|score| score.is_sign_positive()), "{found:?}");
    let single = undirected([(0, 0, 1.0)]);
    assert!(msf::msf(&single).unwrap().weight.is_sign_positive());
    let nothing = undirected([]);
    assert!(lcc::lcc(&nothing).unwrap().mean.is_sign_positive());
}

/// Work grows with the arcs, and not with the square of a hub: otherwise this would take minutes.
#[test]
fn hubs_take_no_longer_than_their_arcs() {
    let n = 200_000u32;
    let spider = undirected((1..=n).flat_map(|k| [(0, k, 1.0), (k, n + k, 1.0)]));
    let found = tc::triangles(&spider).unwrap();
    assert_eq!((found.count, found.edges), (0, 2 * n as usize));
    // Distances over the whole range of weights, and none in the rows that are sampled.
    let far = graph(GraphOptions::default(), (0..n).map(|k| (1, 2 + k, f64::from(k) * 5000.0)));
    let found = sssp::sssp(&far, 1, &Default::default()).unwrap();
    assert_eq!((found.reached, found.farthest), (n as usize + 1, f64::from(n - 1) * 5000.0));
    assert!((0..n).all(|k| found.distances[2 + k as usize] == f64::from(k) * 5000.0));
    sssp::verify((&far).into(), 1, &found).unwrap();
    let found = sssp::sssp(&far, 1, &sssp::Sssp::default().with_delta(1.0)).unwrap();
    sssp::verify((&far).into(), 1, &found).unwrap();
}
