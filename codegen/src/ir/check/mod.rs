//! What must hold of a kernel before either backend sees it: declarations, scopes, types, and who may write where.
//!
//! Lowering is expected to produce valid kernels, so an error here is a mistake in the compiler (or in a level that somebody
//! plugged in), in the kernel's terms.

mod error;
mod expr;
mod parallel;
mod scope;
mod stmt;
mod walk;

pub use self::error::{CheckError, MAX_DEPTH};
use self::scope::{Checker, State};
use super::kernel::{Access, Kernel};
use super::types::{Scalar, Type};

impl Kernel {
    /// Checks declarations, scopes, types and writes.
    ///
    /// # Errors
    ///
    /// The first violation found.
    pub fn check(&self) -> Result<(), CheckError> {
        let mut checker = Checker::new(self);
        for (access, field) in self.param_fields() {
            let array = !matches!(self.kernel_type(field.var)?, Type::Scalar(_) | Type::Store(_));
            let state = if access == Access::Write && array { State::Mutable } else { State::Param };
            checker.declare(field.var, state)?;
        }
        for check in &self.checks {
            checker.scalar(&check.left, Scalar::Usize, "an extent")?;
            checker.scalar(&check.right, Scalar::Usize, "an extent")?;
        }
        let declared = checker.stmts(&self.body, 0)?;
        for field in self.result_fields() {
            if !declared.contains(&field.var) {
                return Err(CheckError::Undeclared(self.name_of(field.var)));
            }
        }
        Ok(())
    }
}
