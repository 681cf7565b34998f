//! Verifiers refuse what is wrong, and what is right at the edges is found.

use pleach::graph::{GraphOptions, Snapshot, WeightedGraph};
use pleach_algorithms::{
    ABSENT, bc, cdlp, closeness, degree, diameter, khop, lcc, louvain, mis, msf, nibble, similarity, spectral, sssp,
    tc, topological, walks,
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
    // Another root, a circle of two parents, no parent at all, and another order of the edges.
    let right = msf::msf(&uneven).unwrap();
    let of = |parents: Vec<u32>| msf::verify((&uneven).into(), &msf::Forest { parents, ..right.clone() });
    assert_eq!(of(vec![0, 0, 1]), Ok(()));
    assert_eq!(of(vec![1, 2, 2]), Err(msf::MsfWrong::Parent { vertex: 0, found: 1 }));
    assert_eq!(of(vec![ABSENT, 0, 1]), Err(msf::MsfWrong::Parent { vertex: 0, found: ABSENT }));
    assert_eq!(of(vec![1, 0, 1]), Err(msf::MsfWrong::Parent { vertex: 0, found: 1 }));
    let turned = msf::Forest { edges: right.edges.iter().rev().copied().collect(), ..right.clone() };
    assert_eq!(msf::verify((&uneven).into(), &turned), Err(msf::MsfWrong::Order));
    let live = WeightedGraph::<f64>::new(GraphOptions::undirected());
    live.insert([(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
    live.remove_vertex(2).unwrap();
    let gap = live.fresh();
    let right = msf::msf(&gap).unwrap();
    msf::verify((&gap).into(), &right).unwrap();
    let wrong = msf::Forest { parents: vec![0, 0, 2], ..right };
    assert_eq!(msf::verify((&gap).into(), &wrong), Err(msf::MsfWrong::Parent { vertex: 2, found: 2 }));
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
    for (iterations, converged) in [(options.iterations + 1, true), (options.iterations - 1, false)] {
        let wrong = spectral::Scores { iterations, converged, ..right.clone() };
        let most = options.iterations;
        let expected = Err(spectral::SpectralWrong::Iterations { found: iterations, most });
        assert_eq!(spectral::verify_eigenvector(adjacency(), &options, &wrong), expected);
    }
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
fn a_cluster_that_is_not_the_best_of_its_ranks_is_refused() {
    // Two triangles and an edge in between.
    let edges = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)];
    let joined = undirected(edges.map(|(u, v)| (u, v, 1.0)));
    let options = nibble::Nibble::default();
    let right = nibble::nibble(&joined, 0, &options).unwrap();
    assert_eq!((&right.members[..], right.volume, right.conductance), (&[0, 1, 2][..], 7, 1.0 / 7.0));
    nibble::verify((&joined).into(), 0, &options, &right).unwrap();
    // Its conductance is that of its vertices.
    let alone = nibble::Cluster { members: vec![0], volume: 2, conductance: 1.0, ..right.clone() };
    let best = nibble::NibbleWrong::NotBest { members: 3, conductance: 1.0 / 7.0 };
    assert_eq!(nibble::verify((&joined).into(), 0, &options, &alone), Err(best));
    for members in [vec![2, 1, 0], vec![0, 0, 1, 2], vec![0, 1, 9]] {
        let wrong = nibble::Cluster { members, ..right.clone() };
        assert_eq!(nibble::verify((&joined).into(), 0, &options, &wrong), Err(nibble::NibbleWrong::Vertices));
    }
}

/// Each field of a result is compared, and so are the numbers of its elements.
#[test]
fn fields_that_are_wrong_are_refused() {
    let tailed = undirected([(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (2, 3, 1.0), (3, 3, 1.0)]);
    let right = tc::triangles(&tailed).unwrap();
    tc::verify((&tailed).into(), &right).unwrap();
    let wrong = tc::Triangles { edges: 5, ..right };
    let expected = tc::TrianglesWrong::Edges { found: 5, expected: 4 };
    assert_eq!(tc::verify((&tailed).into(), &wrong), Err(expected));
    let wrong = tc::Triangles { count: 2, ..right };
    let expected = tc::TrianglesWrong::Count { found: 2, expected: 1 };
    assert_eq!(tc::verify((&tailed).into(), &wrong), Err(expected));

    let pairs = [(0, 1), (2, 3)];
    let right = similarity::similarity(&tailed, &pairs).unwrap();
    similarity::verify((&tailed).into(), &pairs, &right).unwrap();
    let more = [&right[..], &right[..1]].concat();
    for found in [&right[..1], &more[..], &[][..]] {
        let expected = similarity::SimilarityWrong::Length { found: found.len(), pairs: 2 };
        assert_eq!(similarity::verify((&tailed).into(), &pairs, found), Err(expected));
    }
    let changes: [fn(&mut similarity::Likeness); 3] =
        [|found| found.common += 1, |found| found.jaccard += 0.25, |found| found.overlap = f64::NAN];
    for change in changes {
        let mut found = right.clone();
        change(&mut found[1]);
        let wrong = similarity::verify((&tailed).into(), &pairs, &found);
        assert!(matches!(wrong, Err(similarity::SimilarityWrong::Likeness { u: 2, v: 3, .. })), "{wrong:?}");
    }

    for iterations in [0, 1, 10] {
        let options = cdlp::Cdlp::default().with_iterations(iterations);
        let right = cdlp::cdlp(&tailed, &options).unwrap();
        let verify = |found: &cdlp::Communities| cdlp::verify((&tailed).into(), &options, found);
        assert_eq!((verify(&right), right.changed.len()), (Ok(()), right.iterations));
        let wrong = cdlp::Communities { iterations: right.iterations + 1, ..right.clone() };
        assert!(matches!(verify(&wrong), Err(cdlp::CdlpWrong::Iterations { .. })));
        let mut changed = right.changed.clone();
        changed.push(0);
        let wrong = cdlp::Communities { changed, ..right.clone() };
        assert!(matches!(verify(&wrong), Err(cdlp::CdlpWrong::Changed { .. })));
        let wrong = cdlp::Communities { count: right.count + 1, ..right };
        assert!(matches!(verify(&wrong), Err(cdlp::CdlpWrong::Count { .. })));
    }

    let mut found = khop::khop(&tailed, &[0], 1).unwrap();
    khop::verify((&tailed).into(), &[0], 1, &found).unwrap();
    found.distances.push(2);
    let expected = khop::KhopWrong::Length { found: 5, vertices: 4 };
    assert_eq!(khop::verify((&tailed).into(), &[0], 1, &found), Err(expected));
}

#[test]
fn removed_vertices_in_a_result_are_refused() {
    let live = WeightedGraph::<f64>::new(GraphOptions::undirected());
    live.insert([(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
    live.remove_vertex(1).unwrap();
    let gap = live.fresh();
    let mut found = mis::mis(&gap, &Default::default()).unwrap();
    mis::verify((&gap).into(), &Default::default(), &found).unwrap();
    (found.members[1], found.size) = (true, 3);
    assert_eq!(mis::verify((&gap).into(), &Default::default(), &found), Err(mis::MisWrong::NoVertex(1)));
    let right = diameter::diameter(&gap, &Default::default()).unwrap();
    diameter::verify((&gap).into(), &right).unwrap();
    for (ends, wrong) in [((1, 1), 1), ((0, 7), 7), ((7, 0), 7)] {
        let found = diameter::Bounds { ends: Some(ends), ..right };
        assert_eq!(diameter::verify((&gap).into(), &found), Err(diameter::DiameterWrong::NoVertex(wrong)));
    }
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
    let vector = spectral::eigenvector(&undirected(edges), &Default::default()).unwrap();
    assert!(expected.converged && vector.converged && vector.scores[2] > vector.scores[0], "{vector:?}");
    for scale in [2f64.powi(700), 1.0, 2f64.powi(-40), 2f64.powi(-700)] {
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
        let found = spectral::eigenvector(&scaled, &Default::default()).unwrap();
        assert_eq!(found, vector, "{scale}");
        spectral::verify_eigenvector((&scaled).into(), &Default::default(), &found).unwrap();
    }
}

/// Sums of the largest weights overflow, and those of the smallest have few digits.
#[test]
fn vectors_of_extreme_weights() {
    for weight in [f64::MAX, f64::from_bits(3)] {
        let star = undirected((1..5).map(|k| (0, k, weight)));
        let found = spectral::eigenvector(&star, &Default::default()).unwrap();
        assert!(found.converged && (found.scores[0] - 0.5f64.sqrt()).abs() < 1e-6, "{found:?}");
        spectral::verify_eigenvector((&star).into(), &Default::default(), &found).unwrap();
        let found = spectral::hits(&star, &Default::default()).unwrap();
        assert!(found.converged && found.hubs.iter().all(|hub| hub.is_finite()), "{found:?}");
        spectral::verify_hits((&star).into(), &Default::default(), &found).unwrap();
    }
}

/// All walks end at the last vertex.
#[test]
fn the_vector_of_a_graph_without_cycles_is_its_end() {
    let arc = graph(GraphOptions::default(), [(0, 1, 1.0)]);
    let found = spectral::eigenvector(&arc, &Default::default()).unwrap();
    assert!(found.converged && found.scores[0] < 1e-8, "{found:?}");
    spectral::verify_eigenvector((&arc).into(), &Default::default(), &found).unwrap();
}

/// The tolerance of Katz's scores is relative to `β`.
#[test]
fn scores_of_katz_are_in_proportion_to_beta() {
    let path = undirected([(0, 1, 1.0), (1, 2, 1.0), (2, 3, 2.0)]);
    let options = |beta, normalised| {
        spectral::Spectral::default().with_katz(0.125, beta).with_normalised(normalised).with_iterations(200)
    };
    // A power of two changes no digit.
    let small = 2f64.powi(-40);
    for normalised in [false, true] {
        let expected = spectral::katz(&path, &options(1.0, normalised)).unwrap();
        let mut found = spectral::katz(&path, &options(small, normalised)).unwrap();
        spectral::verify_katz((&path).into(), &options(small, normalised), &found).unwrap();
        if !normalised {
            // One step from 0.
            let first = spectral::Scores { scores: vec![small; 4], ..found.clone() };
            assert!(spectral::verify_katz((&path).into(), &options(small, false), &first).is_err());
            found.scores.iter_mut().for_each(|score| *score /= small);
        }
        assert!(expected.converged);
        assert_eq!(found, expected);
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
