//! The sort against a `BTreeMap` that is filled arc by arc.

use std::collections::BTreeMap;

use pleach_runtime::SplitMix64;
use proptest::prelude::*;

use super::*;
use crate::Rows;
use crate::csr::{Csr, MAX_DIMENSION};

/// Whether tests run at their full size, as by night.
const FULL: bool = option_env!("PLEACH_FULL_SIZE").is_some();

/// The arcs of a list, read one at a time.
struct Model<V> {
    /// The weights of each arc, in the order of the list.
    arcs: BTreeMap<(u32, u32), Vec<V>>,
    self_loops: usize,
}

fn model<V: Weight>(edges: &EdgeList<V>, options: &BuildOptions<V>) -> Model<V> {
    let mut model = Model { arcs: BTreeMap::<_, Vec<V>>::new(), self_loops: 0 };
    for k in 0..edges.len() {
        let (src, dst, weight) = (edges.src[k], edges.dst[k], edges.weight[k]);
        let mut add = |arc| model.arcs.entry(arc).or_default().push(weight);
        if src != dst {
            add((src, dst));
            if options.undirected {
                add((dst, src));
            }
        } else {
            if options.self_loops == SelfLoops::Keep {
                add((src, dst));
            }
            model.self_loops += 1;
        }
    }
    model
}

/// Merges the weights of the duplicates of an arc.
fn merged<V: Weight>(weights: &[V], duplicates: Duplicates<V>) -> V {
    match duplicates {
        Duplicates::First | Duplicates::Error => weights[0],
        Duplicates::Last => weights[weights.len() - 1],
        Duplicates::Combine(combine) => weights[1..].iter().fold(weights[0], |old, &weight| combine(old, weight)),
    }
}

/// Builds and compares everything with the model.
fn check<V: Weight + std::fmt::Debug>(edges: &EdgeList<V>, options: &BuildOptions<V>, scratch: &mut SortScratch<V>) {
    check_with(&model(edges, options), edges, options, scratch);
}

/// As [`check`], with a model that is computed already. The model keeps the weights of all duplicates, so that one model serves every value of
/// `options.duplicates`.
fn check_with<V: Weight + std::fmt::Debug>(
    model: &Model<V>,
    edges: &EdgeList<V>,
    options: &BuildOptions<V>,
    scratch: &mut SortScratch<V>,
) {
    let built = Csr::from_edges_with(edges, options, scratch);
    let first_duplicate = model.arcs.iter().find(|(_, weights)| weights.len() > 1);
    if let (Duplicates::Error, Some((&(src, dst), _))) = (options.duplicates, first_duplicate) {
        assert_eq!(built.unwrap_err(), BuildError::Duplicate { src, dst });
        return;
    }
    let (csr, report) = built.unwrap();
    let (num_rows, num_cols) = match options.undirected {
        true => [edges.num_rows.max(edges.num_cols); 2].into(),
        false => (edges.num_rows, edges.num_cols),
    };
    let expected = BuildReport {
        num_rows,
        num_cols,
        arcs: model.arcs.len(),
        self_loops: model.self_loops,
        duplicates: model.arcs.values().map(|weights| weights.len() - 1).sum(),
    };
    assert_eq!(report, expected);
    assert_eq!((csr.num_rows(), csr.num_cols()), (num_rows, num_cols));
    let arcs = csr.view().rows().enumerate();
    let arcs = arcs.flat_map(|(row, r)| r.iter().map(move |(col, &value)| ((row as u32, col), value)));
    let expected = model.arcs.iter().map(|(&arc, weights)| (arc, merged(weights, options.duplicates)));
    assert!(arcs.eq(expected), "{options:?}");
    let parts = csr.into_parts();
    let csr = Csr::from_parts(num_cols, parts.offsets, parts.coords, parts.values).unwrap();
    // A list that is freed on the way.
    let freed = Csr::from_arcs(Cow::Owned(edges.clone()), options).unwrap();
    assert!(freed == (csr, report), "{options:?}");
}

/// Arcs that ascend, and lists that nearly do, are built like any others.
#[test]
fn arcs_in_order() {
    let (rows, cols) = if cfg!(miri) { (300, 90) } else { (20_000, 5_000) };
    let mut random = SplitMix64(3);
    let mut ordered = EdgeList::<f64>::new(rows, cols);
    for row in 0..rows as u32 {
        // Most rows are short, some empty, one is longer than a block.
        let step = match row {
            7 => 1,
            _ if row % 5 == 0 => cols as u32,
            _ => 800 + random.below(cols as u64) as u32,
        };
        (row % 3..cols as u32).step_by(step as usize).for_each(|col| ordered.push(row, col, f64::from(col) + 0.5));
    }
    assert!(ordered::self_loops_if_ordered(&ordered).is_some());
    check_all(&ordered);
    let n = ordered.len();
    let changed = |change: fn(&mut EdgeList<f64>, usize)| {
        let mut list = ordered.clone();
        change(&mut list, n);
        assert_eq!(ordered::self_loops_if_ordered(&list), None);
        list
    };
    // The last arc twice, the last two exchanged, and one beyond the rows or the columns.
    let ways = [Duplicates::Last, Duplicates::sum(), Duplicates::Error];
    check_ways(&changed(|list, n| list.push(list.src[n - 1], list.dst[n - 1], 9.0)), &ways);
    let exchanged = changed(|list, n| {
        list.src.swap(n - 1, n - 2);
        list.dst.swap(n - 1, n - 2);
    });
    check_ways(&exchanged, &ways[1..]);
    for list in [
        changed(|list, n| list.src[n - 1] = list.num_rows as u32),
        changed(|list, n| list.dst[n - 1] = list.num_cols as u32),
    ] {
        let error = Csr::from_edges(&list, &BuildOptions::default()).unwrap_err();
        assert!(matches!(error, BuildError::OutOfRange { arc, .. } if arc == n - 1), "{error}");
    }
    assert_eq!(ordered::self_loops_if_ordered(&EdgeList::<()>::new(0, 0)), Some(0));
    check_all(&EdgeList::<()>::new(200, 1));
}

/// Checks every option. Without weights it is the same whichever of several is kept, and all ways of it are checked by night only.
fn check_all<V: Weight + std::fmt::Debug>(edges: &EdgeList<V>) {
    let ways = [
        Duplicates::First,
        Duplicates::min(),
        Duplicates::max(),
        Duplicates::Last,
        Duplicates::sum(),
        Duplicates::Error,
    ];
    check_ways(edges, if size_of::<V>() == 0 && !FULL { &ways[3..] } else { &ways[..] });
}

/// Checks every option but for duplicates, which are treated in these ways.
fn check_ways<V: Weight + std::fmt::Debug>(edges: &EdgeList<V>, ways: &[Duplicates<V>]) {
    let mut scratch = SortScratch::new();
    for self_loops in [SelfLoops::Keep, SelfLoops::Drop] {
        for undirected in [false, true] {
            let options = BuildOptions { self_loops, undirected, ..BuildOptions::default() };
            let model = model(edges, &options);
            for &duplicates in ways {
                check_with(&model, edges, &BuildOptions { duplicates, ..options }, &mut scratch);
            }
        }
    }
}

/// A small generator, so that large inputs need no strategy.
struct Random(SplitMix64);

impl Random {
    fn below(&mut self, n: usize) -> u32 {
        self.0.below(n as u64) as u32
    }
}

/// `m` arcs whose weights tell them apart.
fn edges(num_rows: usize, num_cols: usize, m: usize, mut arc: impl FnMut(usize) -> (u32, u32)) -> EdgeList<i64> {
    let mut edges = EdgeList::new(num_rows, num_cols);
    for k in 0..m {
        let (src, dst) = arc(k);
        edges.push(src, dst, (k as i64 * 7919) % 1009 - 500);
    }
    edges
}

fn pattern<V>(edges: &EdgeList<V>) -> EdgeList<()> {
    EdgeList {
        num_rows: edges.num_rows,
        num_cols: edges.num_cols,
        src: edges.src.clone(),
        dst: edges.dst.clone(),
        weight: vec![(); edges.len()],
    }
}

#[test]
fn nothing() {
    for (rows, cols) in [(0, 0), (0, 5), (5, 0), (1, 1), (64, 64), (100_000, 3)] {
        check_all(&EdgeList::<f64>::new(rows, cols));
        check_all(&EdgeList::<()>::new(rows, cols));
    }
}

#[test]
fn one_arc_anywhere() {
    for (src, dst) in [(0, 0), (63, 0), (64, 99), (99, 99), (7, 7)] {
        check_all(&edges(100, 100, 1, |_| (src, dst)));
    }
}

#[test]
fn coordinates_as_large_as_they_get() {
    let max = MAX_DIMENSION as u32 - 1;
    check(
        &edges(3, MAX_DIMENSION, 9, |k| (k as u32 % 3, max - (k as u32 * 5 % 4))),
        &BuildOptions::default(),
        &mut SortScratch::new(),
    );
    check(
        &edges(1000, MAX_DIMENSION, 2000, |k| (k as u32 % 1000, max - (k as u32 * 7919 % 100))),
        &BuildOptions { duplicates: Duplicates::sum(), ..Default::default() },
        &mut SortScratch::new(),
    );
}

#[test]
fn all_arcs_alike() {
    check_all(&edges(300, 200, 500, |_| (299, 199)));
    check_all(&edges(300, 300, 500, |_| (150, 150)));
}

#[test]
#[cfg_attr(miri, ignore)]
fn arcs_all_over() {
    let mut random = Random(SplitMix64(1));
    let n = if FULL { 100_000 } else { 40_000 };
    let shapes = [(10, 10, 1000), (1000, 1000, 3 * n / 10), (5000, 70_000, 3 * n / 5), (n, 50, n), (7 * n / 10, 3, n)];
    for (number, (rows, cols, m)) in shapes.into_iter().enumerate() {
        let edges = edges(rows, cols, m, |_| (random.below(rows), random.below(cols)));
        // By day with weights or without, by turns.
        if FULL || number % 2 == 1 {
            check_all(&edges);
        }
        if FULL || number % 2 == 0 {
            check_all(&pattern(&edges));
        }
    }
}

#[test]
#[cfg_attr(miri, ignore)]
fn columns_of_all_widths() {
    let mut random = Random(SplitMix64(2));
    for bits in 1..=32 {
        let cols = MAX_DIMENSION.min(1 << bits);
        // Long rows and short ones; with few arcs every one counts.
        for (rows, m) in [(20, 2000), (3000, 4000)] {
            let edges = edges(rows, cols, m, |_| (random.below(rows), random.below(cols)));
            let options = BuildOptions { duplicates: Duplicates::sum(), ..Default::default() };
            check(&edges, &options, &mut SortScratch::new());
            check(&pattern(&edges), &BuildOptions::default(), &mut SortScratch::new());
        }
    }
}

#[test]
#[cfg_attr(miri, ignore)]
fn rows_of_all_numbers() {
    let mut random = Random(SplitMix64(3));
    for rows in [63, 64, 65, 4096 * 64 - 1, 4096 * 64 + 1, 3_000_000] {
        for cols in [100, 1 << 20] {
            let edges = edges(rows, cols, 20_000, |_| (random.below(rows), random.below(cols)));
            let options = BuildOptions { duplicates: Duplicates::Last, ..Default::default() };
            check(&edges, &options, &mut SortScratch::new());
        }
    }
}

#[test]
#[cfg_attr(miri, ignore)]
fn a_hub_that_is_split_by_columns() {
    let mut random = Random(SplitMix64(4));
    let m = 1_200_000;
    // Half of the arcs in one row, most of the others in its neighbours.
    let edges = edges(1000, 3_000_000, m, |k| {
        let row = if k % 2 == 0 { 130 } else { 128 + random.below(40) };
        (row, random.below(3_000_000))
    });
    let options = BuildOptions { duplicates: Duplicates::Last, ..Default::default() };
    check(&edges, &options, &mut SortScratch::new());
    check(&pattern(&edges), &BuildOptions::default(), &mut SortScratch::new());
}

#[test]
#[cfg_attr(miri, ignore)]
fn a_hub_of_one_arc_repeated() {
    let edges = edges(5, 9, 1_100_000, |k| (3, if k == 77 { 2 } else { 8 }));
    for duplicates in [Duplicates::First, Duplicates::Last, Duplicates::sum()] {
        check(&edges, &BuildOptions { duplicates, ..Default::default() }, &mut SortScratch::new());
    }
}

#[test]
#[cfg_attr(miri, ignore)]
fn crowded_rows_that_are_split_again() {
    let mut random = Random(SplitMix64(5));
    // So many rows that bins are coarse, and most arcs in few of those: more than a bucket has.
    let (rows, m) = (4096 * 512, if FULL { 600_000 } else { 320_000 });
    let edges = edges(rows, 1 << 20, m, |k| {
        let row = if k % 10 == 0 { random.below(rows) } else { 1_000_000 + random.below(400) };
        (row, random.below(1 << 20))
    });
    check(&edges, &BuildOptions { duplicates: Duplicates::sum(), ..Default::default() }, &mut SortScratch::new());
    let undirected = BuildOptions { undirected: true, ..Default::default() };
    check(&pattern(&edges), &undirected, &mut SortScratch::new());
}

#[test]
#[cfg_attr(miri, ignore)]
fn the_number_of_threads_does_not_matter() {
    let mut random = Random(SplitMix64(6));
    let mut edges = EdgeList::<f64>::new(2000, 2000);
    for _ in 0..if FULL { 300_000 } else { 100_000 } {
        edges.push(random.below(2000) & random.below(2000), random.below(2000), f64::from(random.below(1000)) / 7.0);
    }
    let options = BuildOptions { duplicates: Duplicates::sum(), undirected: true, ..Default::default() };
    let build = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Csr::from_edges(&edges, &options).unwrap())
    };
    let one = build(1);
    for threads in [2, 3, 7] {
        // Sums of floating-point numbers are equal bit by bit because they are added in the order of the list.
        assert!(build(threads) == one);
    }
}

#[test]
fn wrong_lists_are_refused() {
    let options = BuildOptions::default();
    let mut list = edges(10, 20, 5000, |k| (k as u32 % 10, k as u32 % 20));
    list.dst[4000] = 20;
    list.src[4500] = 10;
    let error = Csr::from_edges(&list, &options).unwrap_err();
    assert_eq!(error, BuildError::OutOfRange { arc: 4000, src: 0, dst: 20, num_rows: 10, num_cols: 20 });
    // Undirected, the larger dimension counts for the result but not for the list.
    let undirected = BuildOptions { undirected: true, ..options };
    assert_eq!(Csr::from_edges(&list, &undirected).unwrap_err(), error);
    list.weight.pop();
    let error = Csr::from_edges(&list, &options).unwrap_err();
    assert_eq!(error, BuildError::UnequalArrays { src: 5000, dst: 5000, weight: 4999 });
    let error = Csr::from_edges(&EdgeList::<()>::new(MAX_DIMENSION + 1, 1), &BuildOptions::default()).unwrap_err();
    assert_eq!(error, BuildError::TooLarge { what: "rows", size: MAX_DIMENSION + 1 });
}

#[test]
fn blocks_tile_the_rows() {
    let edges = edges(1000, 1000, 3000, |k| (k as u32 * 7919 % 1000, k as u32 * 104_729 % 1000));
    let mut scratch = SortScratch::new();
    let (blocks, report) = map_row_blocks(&edges, &BuildOptions::default(), &mut scratch, |mut block| {
        assert_eq!(block.first_row() % pleach_runtime::PAGE_ROWS, 0);
        let range = block.first_row()..block.first_row() + block.num_rows();
        let mut arcs = 0;
        while let Some((_, row)) = block.pop_row() {
            assert!(row.coords().windows(2).all(|w| w[0] < w[1]));
            arcs += row.len();
        }
        (range, arcs)
    })
    .unwrap();
    assert_eq!(blocks.iter().map(|b| b.1).sum::<usize>(), report.arcs);
    assert_eq!(blocks.iter().fold(0, |end, b| if b.0.start == end { b.0.end } else { usize::MAX }), 1000);
}

#[test]
#[cfg_attr(miri, ignore)]
fn transposes_and_unions() {
    let mut random = Random(SplitMix64(7));
    for (rows, cols, m) in [(1, 1, 1), (100, 37, 500), (37, 100, 500), (3000, 100_000, 50_000), (70_000, 10, 50_000)] {
        let list = edges(rows, cols, m, |_| (random.below(rows), random.below(cols)));
        let (a, _) = Csr::from_edges(&list, &BuildOptions::default()).unwrap();
        let reversed =
            EdgeList { num_rows: cols, num_cols: rows, src: list.dst.clone(), dst: list.src.clone(), ..list };
        let (expected, _) = Csr::from_edges(&reversed, &BuildOptions::default()).unwrap();
        assert!(a.transpose() == expected);
        assert!(a.transpose().transpose() == a);
        assert_eq!(a.view().col_degrees(), expected.view().row_degrees());

        let both = a.symmetrize(Duplicates::sum()).unwrap();
        assert_eq!(both.num_rows(), rows.max(cols));
        for (row, r) in both.view().rows().enumerate() {
            for (col, &value) in r.iter() {
                let at = |m: &Csr<i64>| (row < m.num_rows()).then(|| m.row(row).get(col).copied()).flatten();
                let (one, other) = (at(&a), at(&expected));
                // A self loop is there once, not once each way.
                let sum = if row == col as usize { one.unwrap() } else { one.unwrap_or(0) + other.unwrap_or(0) };
                assert_eq!(value, sum);
            }
        }
        assert!(both == both.transpose());
        assert!(a.view().rows().enumerate().all(|(row, r)| r.iter().all(|(col, _)| both.row(row).get(col).is_some())));
    }
}

#[test]
fn an_arc_and_its_reverse() {
    let a = Csr::from_parts(3, vec![0, 1, 2, 3], vec![1, 0, 2], vec![1.0, 2.0, 3.0]).unwrap();
    assert_eq!(a.symmetrize(Duplicates::Error), Err(BuildError::Duplicate { src: 0, dst: 1 }));
    assert_eq!(a.symmetrize(Duplicates::First).unwrap().values(), [1.0, 1.0, 3.0]);
    assert_eq!(a.symmetrize(Duplicates::Last).unwrap().values(), [2.0, 2.0, 3.0]);
    assert_eq!(a.symmetrize(Duplicates::sum()).unwrap().values(), [3.0, 3.0, 3.0]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 2 } else if FULL { 200 } else { 100 }, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_list(
        (rows, cols, arcs) in (1usize..200, 1usize..200).prop_flat_map(|(rows, cols)| {
            let arcs = prop::collection::vec((0..rows as u32, 0..cols as u32, -3i32..3), 0..if cfg!(miri) { 40 } else { 400 });
            (Just(rows), Just(cols), arcs)
        }),
    ) {
        let mut edges = EdgeList::new(rows, cols);
        arcs.iter().for_each(|&(src, dst, weight)| edges.push(src, dst, weight));
        check_all(&edges);
    }
}
