//! What generated kernels call: the check of extents, parallel loops over blocks of iterations, folds over rows, prefix
//! sums, stores as results; and what of the rest of the crate they name.
//!
//! ```text
//!   par_for(Work::over(0..rows).weighted(&pos), (each(&mut y, 0, 1), segments(&mut vals, &pos)), |block, (mut y, mut vals)| {
//!       for i in block { … y[i] = …; vals[p] = … }         positions are those of the whole array
//!   })
//! ```

mod absent;
mod build;
mod copied;
mod counts;
mod extremum;
mod fold;
mod gather;
mod rows;
mod scan;
mod seek;
mod shape;
mod share;
mod unaliased;
mod uncleared;
mod work;

pub use absent::MaybeRuns;
pub use build::{build, build_of_stores, build_pattern};
pub use copied::copied;
pub use counts::{bounds, starts, starts_within};
pub use extremum::{maximum, minimum};
pub use fold::fold_row;
pub use gather::gather;
pub use rows::RowCursor;
pub use scan::prefix_sum;
pub use seek::seek;
pub use shape::{ShapeError, check_extents};
pub use share::{Owned, Part, Share, blocks, each, listed, segments};
pub use unaliased::unaliased;
pub use uncleared::{Uncleared, UnclearedPart, uncleared};
pub use work::{Work, par_fold, par_for, tasks};

#[doc(no_inline)]
pub use crate::tensor::{Arranged, Banded, Compressed, Hashed, Remapped, Singleton, Sliced, Squeezed, Stores, Tensor};
#[doc(no_inline)]
pub use crate::{Cursor, Fiber, Rows, SharedOutput};
