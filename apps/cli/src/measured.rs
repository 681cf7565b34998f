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

/// The median time of `y = A x` in seconds, with all threads, for a format by its name; `None` for formats that are not compiled. The
/// matrix is converted first, which is not measured.
pub fn seconds(csr: &Csr<f64>, format: &str) -> Option<f64> {
    let x: Vec<f64> = (0..csr.num_cols()).map(|j| 1.0 + (j % 7) as f64).collect();
    let mut y = vec![0.0; csr.num_rows()];
    product(csr, format, &mut y, &x, &mut timed)
}

/// What is done with a product.
type Run<'a> = &'a mut dyn FnMut(&mut dyn FnMut() -> Result<(), ShapeError>) -> f64;

/// Converts the matrix to a format and passes what computes `y = A x` to `run`.
fn product(csr: &Csr<f64>, format: &str, y: &mut [f64], x: &[f64], run: Run<'_>) -> Option<f64> {
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

/// The median time of what is repeated.
fn timed(product: &mut dyn FnMut() -> Result<(), ShapeError>) -> f64 {
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
    all[ROUNDS / 2]
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
                let mut calls = 0;
                let run: Run<'_> = &mut |product| {
                    product().unwrap();
                    calls += 1;
                    0.0
                };
                assert_eq!(product(&csr, format, &mut y, &x, run), Some(0.0), "{format} is measured");
                assert_eq!((&y, calls), (&want, 1), "{format}");
            }
            assert!(seconds(&csr, "csr").is_some_and(|time| time > 0.0));
        }
    }
}
