//! How long it takes to multiply a matrix with a vector, in each of several formats.

use std::time::Instant;

use pleach::Csr;
use pleach::kernels::ShapeError;
use pleach_compiled::products::product;

/// Rounds, of which the median counts.
const ROUNDS: usize = 9;

/// A round repeats the product until it has taken about so long, in seconds.
const ROUND: f64 = 0.002;

/// How long a product takes, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// The median of all rounds.
    pub median: f64,
    /// At least half of the rounds took no less than the first number, and no more than the second.
    pub middle: (f64, f64),
}

/// How long `y = A x` takes, with all threads, for a format by its name; `None` for formats that are not compiled. The matrix is converted
/// first, which is not measured.
pub fn times(csr: &Csr<f64>, format: &str) -> Option<Times> {
    let x: Vec<f64> = (0..csr.num_cols()).map(|j| 1.0 + (j % 7) as f64).collect();
    let mut y = vec![0.0; csr.num_rows()];
    let mut times = None;
    product(csr, format, &mut y, &x, &mut |product| times = Some(timed(product)));
    times
}

/// How long what is repeated takes.
fn timed(product: &mut dyn FnMut() -> Result<(), ShapeError>) -> Times {
    let mut round = |times: usize| {
        let begin = Instant::now();
        for _ in 0..times {
            product().expect("vectors are as long as the matrix is high and wide");
        }
        begin.elapsed().as_secs_f64() / times as f64
    };
    let times = (ROUND / round(1).max(1e-9)).ceil().clamp(1.0, 1e4) as usize;
    let mut all: Vec<f64> = (0..ROUNDS).map(|_| round(times)).collect();
    all.sort_by(f64::total_cmp);
    Times { median: all[ROUNDS / 2], middle: (all[ROUNDS / 4], all[ROUNDS - 1 - ROUNDS / 4]) }
}
