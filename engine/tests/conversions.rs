//! Compiled conversions with several threads: what they make is what one thread makes, and what is expected.
#![cfg(not(miri))]

use pleach::convert::{Bcsr, Coo, Csc, Csr, Dia, Ell, convert};
use pleach::runtime::tensor::{Compressed, Dense, Tensor, View};

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
    let coo = convert::<Csr, Coo>(rows.view());
    let of_coo = || Tensor {
        shape: coo.shape,
        levels: (
            Compressed { pos: &coo.levels.0.pos[..], crd: &coo.levels.0.crd[..] },
            pleach::runtime::tensor::Singleton { crd: &coo.levels.1.crd[..] },
        ),
        vals: &coo.vals[..],
    };
    assert!(alike("coo to csr", || convert::<Coo, Csr>(of_coo())) == rows);
    let blocks = alike("csr to bcsr", || convert::<Csr, Bcsr>(rows.view()));
    assert!(convert::<Bcsr, Csr>(blocks.view()) == rows);
    let banded = matrix(90_001, 90_003, Some(6));
    let diagonals = alike("csr to dia", || convert::<Csr, Dia>(banded.view()));
    assert!(convert::<Dia, Csr>(diagonals.view()) == banded);
    let slots = alike("csr to ell", || convert::<Csr, Ell>(banded.view()));
    assert!(convert::<Ell, Csr>(slots.view()) == banded);
}
