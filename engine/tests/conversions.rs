//! Compiled conversions with several threads: what they make is what one thread makes, and what is expected.
#![cfg(not(miri))]

use pleach::convert::{
    Bcsr, Convert, Coo, Coo3, CooDuplicates, CooUnsorted, Csc, Csf, Csr, Dia, Ell, Format, Hicoo, Hicoo3, convert,
};
use pleach::runtime::tensor::{Arranged, Compressed, Dense, Singleton, Tensor, View};

type Rows = Tensor<2, (Dense, Compressed<Vec<usize>, Vec<u32>>), Vec<f64>>;

/// Rows of up to nine entries, of which every third is empty, below one that is full.
fn matrix(rows: usize, cols: usize, near: Option<usize>) -> Rows {
    let (mut pos, mut crd, mut state) = (vec![0], Vec::new(), 7u64);
    let mut below = |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n.max(1)
    };
    for i in 0..rows {
        let mut own: Vec<u32> = match near {
            _ if i % 3 == 1 => Vec::new(),
            Some(width) => (0..4).map(|_| (i + below(width)).min(cols - 1) as u32).collect(),
            None if i == 0 => (0..cols as u32).collect(),
            None => (0..below(9)).map(|_| below(cols) as u32).collect(),
        };
        own.sort_unstable();
        own.dedup();
        crd.extend(own);
        pos.push(crd.len());
    }
    let vals = (0..crd.len()).map(|k| 1.0 + k as f64).collect();
    Tensor { shape: [rows, cols], levels: (Dense, Compressed { pos, crd }), vals }
}

/// What `make` makes with each number of threads.
fn alike<T: PartialEq + Send>(what: &str, make: impl Fn() -> T + Sync) -> T {
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
        pool.install(&make)
    };
    let one = with(1);
    for threads in [2, 3, 8] {
        assert!(with(threads) == one, "{what} with {threads} threads");
    }
    one
}

#[test]
fn columns_are_those_of_the_transpose() {
    let rows = matrix(60_000, 40_000, None);
    let columns = alike("csr to csc", || convert::<Csr, Csc>(rows.view()));
    let mut want: Vec<(u32, u32, f64)> = Vec::new();
    let Compressed { pos, crd } = &rows.levels.1;
    for i in 0..rows.shape[0] {
        want.extend((pos[i]..pos[i + 1]).map(|at| (crd[at], i as u32, rows.vals[at])));
    }
    want.sort_by_key(|entry| (entry.0, entry.1));
    let Compressed { pos, crd } = &columns.levels.1;
    let held = (0..rows.shape[1]).flat_map(|j| (pos[j]..pos[j + 1]).map(move |at| (j as u32, at)));
    let held: Vec<_> = held.map(|(j, at)| (j, crd[at], columns.vals[at])).collect();
    assert!(held == want);
    let again = alike("csc to csr", || convert::<Csc, Csr>(columns.view()));
    assert!(again == rows);
}

#[test]
fn formats_and_back() {
    let rows = matrix(60_000, 40_000, None);
    let coo = alike("csr to coo", || convert::<Csr, Coo>(rows.view()));
    let Compressed { pos, crd } = &rows.levels.1;
    let own = (0..rows.shape[0]).flat_map(|i| std::iter::repeat_n(i as u32, pos[i + 1] - pos[i]));
    assert!(own.eq(coo.levels.0.crd.iter().copied()));
    assert!(coo.levels.0.pos == [0, crd.len()] && coo.levels.1.crd == *crd && coo.vals == rows.vals);
    assert!(alike("coo to csr", || coo.convert::<Csr>()) == rows);
    let blocks = alike("csr to bcsr", || convert::<Csr, Bcsr>(rows.view()));
    assert!(convert::<Bcsr, Csr>(blocks.view()) == rows);
    let banded = matrix(90_001, 90_003, Some(6));
    let diagonals = alike("csr to dia", || convert::<Csr, Dia>(banded.view()));
    assert!(convert::<Dia, Csr>(diagonals.view()) == banded);
    let slots = alike("csr to ell", || convert::<Csr, Ell>(banded.view()));
    assert!(convert::<Ell, Csr>(slots.view()) == banded);
}

/// Blocks in Morton order: those of 2 x 2 blocks of 4 x 4, each before the next four, and the entries of a block likewise.
#[test]
fn blocks_in_morton_order() {
    let rows = matrix(3_000, 2_000, None);
    let blocks = alike("csr to hicoo", || convert::<Csr, Hicoo>(rows.view()));
    let spread = |n: u32| (0..16).fold(0u64, |all, bit| all | u64::from(n >> bit & 1) << (2 * bit));
    let morton = |i: u32, j: u32| spread(i) | spread(j) << 1;
    let mut held = Vec::new();
    let (outer, inner) = (&blocks.levels.0.level, &blocks.levels.3.level);
    for block in 0..outer.crd.len() {
        let (r, c) = (blocks.levels.1.level.crd[block], blocks.levels.2.level.crd[block]);
        assert_eq!(u64::from(outer.crd[block]), morton(r, c));
        for at in inner.pos[block]..inner.pos[block + 1] {
            let (i, j) = (4 * r + blocks.levels.4.level.crd[at], 4 * c + blocks.levels.5.level.crd[at]);
            held.push((i, j, blocks.vals[at]));
        }
    }
    assert!(held.is_sorted_by_key(|entry| morton(entry.0, entry.1)));
    held.sort_by_key(|entry| (entry.0, entry.1));
    let coo = convert::<Csr, Coo>(rows.view());
    assert!(held.iter().map(|entry| entry.0).eq(coo.levels.0.crd.iter().copied()));
    assert!(held.iter().map(|entry| entry.1).eq(coo.levels.1.crd.iter().copied()));
    assert!(held.iter().map(|entry| entry.2).eq(coo.vals.iter().copied()));
    assert!(alike("hicoo to csr", || blocks.convert::<Csr>()) == rows);
}

/// The stretch of each task begins with the first entry of a row. One row may be longer than any stretch, and the last rows may be empty.
#[test]
fn lists_of_few_rows_become_rows() {
    let list = |rows: Vec<u32>| -> <Coo as Format>::Tensor {
        let (entries, cols) = (rows.len(), (0..rows.len() as u32).collect());
        let levels = (Compressed { pos: vec![0, entries], crd: rows }, Singleton { crd: cols });
        Tensor { shape: [9, entries.max(1)], levels, vals: vec![1.0; entries] }
    };
    let ends = |rows: Vec<u32>| alike("coo to csr", || list(rows.clone()).convert::<Csr>()).levels.1.pos;
    assert_eq!(ends(Vec::new()), [0; 10]);
    assert_eq!(ends(vec![0]), [0, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    assert_eq!(ends(vec![8]), [0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    assert_eq!(ends(vec![5; 300_000]), [0, 0, 0, 0, 0, 0, 300_000, 300_000, 300_000, 300_000]);
    let two = [vec![2; 250_000], vec![3; 10], vec![7; 100_000]].concat();
    assert_eq!(ends(two), [0, 0, 0, 250_000, 250_010, 250_010, 250_010, 250_010, 350_010, 350_010]);
}

#[test]
fn entries_of_one_place_are_added_up() {
    let list: <CooDuplicates as Format>::Tensor = Arranged::new(Tensor {
        shape: [3, 4],
        levels: (Compressed { pos: vec![0, 5], crd: vec![2, 0, 2, 2, 0] }, Singleton { crd: vec![1, 3, 0, 1, 3] }),
        vals: vec![1.0, 2.0, 4.0, 8.0, -2.0],
    });
    let rows = list.convert::<Csr>();
    let Compressed { pos, crd } = &rows.levels.1;
    // What cancels out is an entry still.
    assert_eq!((&pos[..], &crd[..], &rows.vals[..]), (&[0, 1, 1, 3][..], &[3, 0, 1][..], &[0.0, 4.0, 9.0][..]));
}

#[test]
fn lists_in_no_order_become_rows() {
    let list: <CooUnsorted as Format>::Tensor = Arranged::new(Tensor {
        shape: [3, 4],
        levels: (Compressed { pos: vec![0, 4], crd: vec![2, 0, 2, 0] }, Singleton { crd: vec![3, 3, 0, 1] }),
        vals: vec![1.0, 2.0, 4.0, 8.0],
    });
    let rows = list.convert::<Csr>();
    let Compressed { pos, crd } = &rows.levels.1;
    assert_eq!((&pos[..], &crd[..], &rows.vals[..]), (&[0, 2, 2, 4][..], &[1, 3, 0, 3][..], &[8.0, 2.0, 4.0, 1.0][..]));
}

/// Blocks of 4 x 4 x 4 in Morton order and fibers, there and back.
#[test]
fn tensors_of_the_third_order() {
    let mut places: Vec<[u32; 3]> = (0..40_000u32).map(|k| [k * 7919 % 61, k * 104_729 % 53, k * 1299 % 47]).collect();
    places.sort_unstable();
    places.dedup();
    let along = |mode: usize| places.iter().map(|place| place[mode]).collect::<Vec<_>>();
    let list: <Coo3 as Format>::Tensor = Tensor {
        shape: [61, 53, 47],
        levels: (
            Compressed { pos: vec![0, places.len()], crd: along(0) },
            Singleton { crd: along(1) },
            Singleton { crd: along(2) },
        ),
        vals: (0..places.len()).map(|k| k as f64).collect(),
    };
    let blocks = alike("coo3 to hicoo3", || list.convert::<Hicoo3>());
    let spread = |n: u32| (0..10).fold(0u64, |all, bit| all | u64::from(n >> bit & 1) << (3 * bit));
    let morton = |i: u32, j: u32, k: u32| spread(i) | spread(j) << 1 | spread(k) << 2;
    let (r, s, t) = (&blocks.levels.1.level.crd, &blocks.levels.2.level.crd, &blocks.levels.3.level.crd);
    let numbers: Vec<u64> = (0..r.len()).map(|block| morton(r[block], s[block], t[block])).collect();
    assert!(numbers.is_sorted_by(|one, next| one < next));
    assert!(numbers.iter().eq(blocks.levels.0.level.crd.iter().map(|&n| n as u64).collect::<Vec<_>>().iter()));
    assert!(alike("hicoo3 to coo3", || blocks.convert::<Coo3>()) == list);
    let fibers = alike("coo3 to csf", || list.convert::<Csf>());
    assert_eq!(fibers.levels.0.crd, (0..61).collect::<Vec<u32>>());
    assert!(alike("csf to coo3", || fibers.convert::<Coo3>()) == list);
}
