use super::*;
use pleach::Csr;

/// Rows of in-arcs and out-degrees of a small graph.
fn graph(vertices: usize, arcs: &[(u32, u32)]) -> (Csr<()>, Vec<u32>) {
    let mut degrees = vec![0; vertices];
    let mut rows = vec![Vec::new(); vertices];
    for &(from, to) in arcs {
        degrees[from as usize] += 1;
        rows[to as usize].push(from);
    }
    let mut offsets = vec![0];
    let mut coords = Vec::new();
    for row in &mut rows {
        row.sort_unstable();
        coords.extend_from_slice(row);
        offsets.push(coords.len());
    }
    (Csr::from_pattern(vertices, offsets, coords).expect("rows are sorted"), degrees)
}

fn run(vertices: usize, arcs: &[(u32, u32)], options: &PageRank) -> Result<Ranks, PageRankError> {
    let (a, degrees) = graph(vertices, arcs);
    from_in_arcs(&a.view(), &degrees, options, |_, _| ())
}

#[test]
fn a_cycle_is_uniform() {
    let ranks = run(4, &[(0, 1), (1, 2), (2, 3), (3, 0)], &PageRank::default()).unwrap();
    assert!(ranks.converged);
    assert!(ranks.ranks.iter().all(|rank| (rank - 0.25).abs() < 1e-12));
}

#[test]
fn dangling_rank_is_kept() {
    let ranks = run(3, &[(0, 1), (0, 2)], &PageRank::default()).unwrap();
    assert!((ranks.ranks.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    // r0 = t (1 + c ∑ dangling ...): solved by hand for two dangling vertices below one source.
    let c = 0.85;
    let r0 = (1.0 / 3.0) / (1.0 + c / 3.0);
    assert!((ranks.ranks[0] - r0).abs() < 1e-9, "{} is not {r0}", ranks.ranks[0]);
}

#[test]
fn ranks_in_32_bits_are_those_in_64_rounded() {
    // A vertex without arcs out, one without arcs in, and a cycle.
    let (a, _) = graph(5, &[(0, 1), (1, 2), (2, 0), (3, 0), (0, 4)]);
    let out = Csr::from_pattern(5, vec![0, 2, 3, 4, 5, 5], vec![1, 4, 2, 0, 0]).expect("rows are sorted");
    let (out, a) = (out.view(), a.view());
    let both = Adjacency::directed(&out, &a).expect("both have the same arcs");
    for personalisation in [vec![], vec![(3, 2.0), (1, 1.0)]] {
        let options = PageRank { personalisation, stop: Stop::Iterations(30), ..PageRank::default() };
        let wide = pagerank(both, &options).unwrap().ranks;
        let narrow: Ranks<f32> = pagerank_in(both, &options).unwrap();
        assert_eq!(verify(&a, &options, &wide), Ok(()));
        assert!(narrow.converged && narrow.iterations == 30);
        for (narrow, wide) in narrow.ranks.iter().zip(&wide) {
            assert!((f64::from(*narrow) - wide).abs() <= 1e-6 * wide.abs(), "{narrow} is not {wide}");
        }
    }
    // Seven digits are within reach of a change of a millionth.
    let options = PageRank { stop: Stop::Tolerance { change: 1e-6, most: 1000 }, ..PageRank::default() };
    assert!(pagerank_in::<f32, _>(both, &options).unwrap().converged);
}

#[test]
fn the_empty_graph_has_no_ranks() {
    let ranks = run(0, &[], &PageRank::default()).unwrap();
    assert!(ranks.ranks.is_empty() && ranks.converged);
}

#[test]
fn personalisation_concentrates_rank() {
    let options = PageRank { personalisation: vec![(1, 2.0)], ..PageRank::default() };
    let ranks = run(3, &[(0, 1), (1, 0)], &options).unwrap();
    assert_eq!(ranks.ranks[2], 0.0);
    assert!(ranks.ranks[1] > ranks.ranks[0]);
}

#[test]
fn wrong_options_are_named() {
    let arcs = [(0, 1)];
    let with = |change: fn(&mut PageRank)| {
        let mut options = PageRank::default();
        change(&mut options);
        run(2, &arcs, &options).unwrap_err().to_string()
    };
    assert!(with(|o| o.damping = 1.0).contains("damping"));
    assert!(with(|o| o.damping = f64::NAN).contains("damping"));
    assert!(with(|o| o.stop = Stop::Tolerance { change: 0.0, most: 9 }).contains("tolerance"));
    assert!(with(|o| o.personalisation = vec![(7, 1.0)]).contains("vertex 7"));
    assert!(with(|o| o.personalisation = vec![(1, -1.0)]).contains("weights"));
    assert!(with(|o| o.personalisation = vec![(1, 0.0)]).contains("weights"));
    assert!(with(|o| o.start = vec![(1, f64::NAN)]).starts_with("start weights"));
    assert!(with(|o| o.dangling = vec![(2, 1.0)]).starts_with("dangling names vertex 2"));
}

#[test]
fn wrong_ranks_are_found() {
    let arcs = [(0, 1), (1, 2), (2, 0), (2, 3)];
    let (a, _) = graph(4, &arcs);
    for stop in [Stop::Iterations(5), PageRank::default().stop] {
        for personalisation in [vec![], vec![(1, 3.0), (3, 1.0)]] {
            let options = PageRank { stop, personalisation, ..PageRank::default() };
            let ranks = run(4, &arcs, &options).unwrap().ranks;
            assert_eq!(verify(&a.view(), &options, &ranks), Ok(()));
            let mut moved = ranks.clone();
            (moved[0], moved[1]) = (ranks[0] + 1e-6, ranks[1] - 1e-6);
            assert!(matches!(
                verify(&a.view(), &options, &moved),
                Err(RanksWrong::NotFixed { .. } | RanksWrong::Rank { vertex: 0, .. })
            ));
            moved[1] = f64::NAN;
            assert!(matches!(verify(&a.view(), &options, &moved), Err(RanksWrong::Sum(_))));
            assert!(matches!(verify(&a.view(), &options, &ranks[..3]), Err(RanksWrong::Length { .. })));
        }
    }
}

#[test]
fn the_highest_come_first() {
    assert_eq!(top(&[0.1, 0.4, 0.1, 0.4], 3), vec![(1, 0.4), (3, 0.4), (0, 0.1)]);
    assert!(top(&[], 3).is_empty() && top(&[1.0], 0).is_empty());
}
