//! Transformations of concrete index notation: another order of loops, a workspace, a loop whose iterations run at the same time.
//!
//! ```text
//! reorder     forall(i, forall(j, S))                ->  forall(j, forall(i, S))
//! precompute  forall(i, forall(j, y(i) += A(i,j) * (x(j) / d(j))))
//!                ->  forall(i, forall(j, y(i) += A(i,j) * w(j))) where forall(j, w(j) = x(j) / d(j))
//! parallelize forall(i, S)                           ->  forall(i, parallel, S)
//! ```
//!
//! Each is checked: what it gives means what it was given, or it says why not. Sources: Kjolstad et al., "Tensor Algebra Compilation
//! with Workspaces", sections V and VI.

mod parallelize;
mod precompute;
mod reorder;

pub use parallelize::parallelize;
pub use precompute::precompute;
pub use reorder::reorder;

use super::concrete::{Index, Kernel, Stmt, TensorId};
use crate::diagnostic::Diagnostic;

type Transformed = Result<Stmt, Box<Diagnostic>>;

/// Names of indices, for people.
fn names(kernel: &Kernel, indices: &[Index]) -> String {
    let names: Vec<String> = indices.iter().map(|index| format!("`{}`", kernel.indices[index.0])).collect();
    names.join(", ")
}

/// The workspaces that a statement makes anew each time it runs.
pub(crate) fn made_inside(stmt: &Stmt, found: &mut Vec<TensorId>) {
    match stmt {
        Stmt::Assign(_) => {}
        Stmt::Forall { body, .. } => made_inside(body, found),
        Stmt::Where { consumer, producer } => {
            found.extend(producer.written());
            made_inside(producer, found);
            made_inside(consumer, found);
        }
        Stmt::Sequence(parts) => parts.iter().for_each(|part| made_inside(part, found)),
    }
}
