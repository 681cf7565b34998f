//! Simplification: passes that leave a kernel's results as they are and make it shorter and faster.
//!
//! Each pass has its own file and its own small promise; they are run in turn until nothing changes.
//!
//! * [`fold`] constants and neutral elements

pub mod fold;

use super::kernel::Kernel;

/// How often the passes are run at most. Each run shortens the kernel, so few are needed; the bound is there to be sure.
const MAX_ROUNDS: usize = 16;

impl Kernel {
    /// Runs all passes until nothing changes.
    pub fn simplify(&mut self) {
        for _ in 0..MAX_ROUNDS {
            let before = self.body.clone();
            fold::run(self);
            if self.body == before {
                break;
            }
        }
    }
}
