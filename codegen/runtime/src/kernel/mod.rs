//! What generated kernels call: the check of extents, parallel loops over blocks of iterations, prefix sums.
//!
//! ```text
//!   par_for(Work::over(0..rows).weighted(&pos), (each(&mut y, 0, 1), segments(&mut vals, &pos)), |block, (mut y, mut vals)| {
//!       for i in block { … y[i] = …; vals[p] = … }         positions are those of the whole array
//!   })
//! ```

mod absent;
mod scan;
mod shape;
mod share;
mod sink;
mod work;

pub use absent::MaybeRuns;
pub use scan::prefix_sum;
pub use shape::{ShapeError, check_extents};
pub use share::{Owned, Part, Share, each, segments};
pub use sink::{Sink, build, build_pattern};
pub use work::{Work, par_fold, par_for};
