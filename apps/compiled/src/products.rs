//! Products of a matrix and a vector, in each of several formats.

use pleach::Csr;
use pleach::convert::{self as formats, convert};
use pleach::kernels::ShapeError;
use pleach::runtime::tensor::{Compressed, Dense, Tensor, View};

/// The products, compiled from `products.pleach`.
#[rustfmt::skip]
mod generated;

/// Takes a product, and calls it once or several times: each call computes the same.
pub type Run<'a> = &'a mut dyn FnMut(&mut dyn FnMut() -> Result<(), ShapeError>);

/// Converts a matrix to a format, by its name, and passes what computes `y = A x` with all threads to `run`. `false` if no product is compiled
/// for the format.
///
/// ```
/// use pleach::Csr;
/// use pleach_compiled::products::product;
///
/// let csr = Csr::from_entries(2, 2, [(0, 1, 3.0), (1, 0, 4.0)]).unwrap();
/// let mut y = [0.0; 2];
/// assert!(product(&csr, "coo", &mut y, &[1.0, 2.0], &mut |product| product().unwrap()));
/// assert_eq!(y, [6.0, 4.0]);
/// ```
#[inline(never)]
pub fn product(csr: &Csr<f64>, format: &str, y: &mut [f64], x: &[f64], run: Run<'_>) -> bool {
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
    match format {
        "csr" => run(&mut || generated::by_csr(y, rows(), x)),
        "csc" => converted!(Csc by_csc),
        "dcsr" => converted!(Dcsr by_dcsr),
        "coo" => converted!(Coo by_coo),
        "dia" => converted!(Dia by_dia),
        "ell" => converted!(Ell by_ell),
        "bcsr<2, 2>" => {
            let Ok(blocks) = generated::to_blocks_of_2(rows()) else { return false };
            run(&mut || generated::by_blocks_of_2(y, blocks.view(), x))
        }
        "bcsr" => converted!(Bcsr by_blocks_of_4),
        "skyline" => converted!(Skyline by_skyline),
        _ => return false,
    }
    true
}
