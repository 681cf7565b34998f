//! How long it takes to multiply a matrix with a vector, in each of several formats.

use std::time::Instant;

use pleach::Csr;
use pleach::convert::{self as formats, convert};
use pleach::kernels::ShapeError;
use pleach::runtime::tensor::{Compressed, Dense, Tensor, View};

/// The products, compiled from `measured.pleach`.
#[rustfmt::skip]
mod generated;

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
    product(csr, format, &mut y, &x, &mut timed)
}

/// What is done with a product.
type Run<'a> = &'a mut dyn FnMut(&mut dyn FnMut() -> Result<(), ShapeError>) -> Times;

/// Converts the matrix to a format and passes what computes `y = A x` to `run`.
fn product(csr: &Csr<f64>, format: &str, y: &mut [f64], x: &[f64], run: Run<'_>) -> Option<Times> {
    let rows = || Tensor {
        shape: [csr.num_rows(), csr.num_cols()],
        levels: (Dense, Compressed { pos: csr.offsets(), crd: csr.coords() }),
        vals: csr.values(),
    };
    macro_rules! converted {
        ($format:ident $kernel:ident) => {{
            let tensor = convert::<formats::Csr, formats::$format>(rows());
            run(&mut || generated::$kernel(y, tensor.view(), x))
        }};
    }
    Some(match format {
        "csr" => run(&mut || generated::by_csr(y, rows(), x)),
        "csc" => converted!(Csc by_csc),
        "dcsr" => converted!(Dcsr by_dcsr),
        "coo" => converted!(Coo by_coo),
        "dia" => converted!(Dia by_dia),
        "ell" => converted!(Ell by_ell),
        "bcsr<2, 2>" => {
            let blocks = generated::to_blocks_of_2(rows()).ok()?;
            run(&mut || generated::by_blocks_of_2(y, blocks.view(), x))
        }
        "bcsr" => converted!(Bcsr by_blocks_of_4),
        "skyline" => converted!(Skyline by_skyline),
        _ => return None,
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structure::FORMATS;

    #[test]
    fn products_in_all_formats_are_equal() {
        let entries = (0..40u32).flat_map(|i| (0..i % 5).map(move |k| (i, (i * 3 + k * 7) % 31, f64::from(i + k))));
        for csr in [Csr::from_entries(40, 31, entries).unwrap(), Csr::empty(3, 0).unwrap(), Csr::empty(0, 3).unwrap()] {
            let x: Vec<f64> = (0..csr.num_cols()).map(|j| j as f64).collect();
            let want: Vec<f64> =
                (0..csr.num_rows()).map(|i| csr.row(i).iter().map(|(j, value)| value * x[j as usize]).sum()).collect();
            for format in FORMATS {
                let mut y = vec![f64::NAN; csr.num_rows()];
                let (mut calls, none) = (0, Times { median: 0.0, middle: (0.0, 0.0) });
                let run: Run<'_> = &mut |product| {
                    product().unwrap();
                    calls += 1;
                    none
                };
                assert_eq!(product(&csr, format, &mut y, &x, run), Some(none), "{format} is measured");
                assert_eq!((&y, calls), (&want, 1), "{format}");
            }
            assert!(times(&csr, "csr").is_some_and(|times| {
                let (low, high) = times.middle;
                0.0 < low && low <= times.median && times.median <= high
            }));
        }
    }
}
