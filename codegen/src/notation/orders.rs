//! Loops written by hand run in the order in which they are written: what a format forbids is refused.
//!
//! ```text
//! forall(j, forall(i, y(i) += A(i,j) * x(j)))                      A: csr    i lies above j: the loops have to run i, j
//! forall(i, forall(k, forall(j, C(i,j) += A(i,k) * B(k,j))))       C: csr    entries are appended, and each k folds into them
//! ```
//!
//! Where loops are implied, the compiler chooses an order, and sorts operands that cannot be visited in it. Loops that are written fix the
//! order.

use super::concrete::*;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::format::Format;

/// Checks the loops that a kernel's author wrote out.
///
/// # Errors
///
/// Operands whose levels come in another order than the loops, and sparse results whose entries do, with the order of loops or the
/// levels that would do.
pub fn check_orders(kernel: &Kernel) -> Result<(), Diagnostics> {
    let mut mistakes = Diagnostics::new();
    for statement in &kernel.body {
        if let Statement::Concrete(stmt) = statement {
            check(kernel, stmt, &mut Vec::new(), &mut mistakes);
        }
    }
    mistakes.into_result(())
}

fn check(kernel: &Kernel, stmt: &Stmt, path: &mut Vec<Index>, mistakes: &mut Diagnostics) {
    match stmt {
        Stmt::Assign(assign) => mistakes.extend(Loops { kernel, assign, path }.mistake()),
        Stmt::Forall { index, body, .. } => {
            path.push(*index);
            check(kernel, body, path, mistakes);
            path.pop();
        }
        Stmt::Where { consumer, producer } => {
            check(kernel, producer, path, mistakes);
            check(kernel, consumer, path, mistakes);
        }
        Stmt::Sequence(parts) => parts.iter().for_each(|part| check(kernel, part, path, mistakes)),
    }
}

/// An assignment and the loops around it.
struct Loops<'k> {
    kernel: &'k Kernel,
    assign: &'k Assign,
    path: &'k [Index],
}

impl Loops<'_> {
    fn mistake(&self) -> Option<Diagnostic> {
        let mut reads = Vec::new();
        self.assign.reads(&mut |access| reads.push(access));
        // A shifted operand whose order does not fit is sorted first, also for loops by hand.
        reads.retain(|access| self.kernel.ranged(access).len() == access.indices.len());
        let mut before: Vec<(Index, Index)> = reads.iter().flat_map(|access| self.nested(access)).collect();
        if let Some((access, (first, then))) = reads.iter().find_map(|access| Some((*access, self.broken(access)?))) {
            let message = format!(
                "the levels of `{}` keep {} above {}, and the loop over {} is the outer one",
                self.name(access),
                self.index(first),
                self.index(then),
                self.index(then)
            );
            return Some(self.helped(Diagnostic::new(access.span, message), access, &before));
        }
        let target = &self.assign.target;
        let format = self.kernel.tensor(target.tensor).format.as_ref().filter(|format| is_appended(format))?;
        if self.kernel.tensor(target.tensor).role == Role::Param {
            return None;
        }
        if let Some((first, then)) = self.broken(target) {
            before.extend(self.nested(target));
            let message = format!(
                "entries of `{}` are appended with {} above {}, and the loop over {} is the outer one",
                self.name(target),
                self.index(first),
                self.index(then),
                self.index(then)
            );
            return Some(self.helped(Diagnostic::new(self.assign.span, message), target, &before));
        }
        let last = (0..format.levels.len()).rev().find(|&at| !format.levels[at].is_searched())?;
        let last = self.place(format.levels[last].index_of(target)?)?;
        let folded = self.path[..last].iter().find(|index| !target.indices.contains(index))?;
        self.assign.reduce?;
        let shown = self.kernel.show_access(target);
        let names: Vec<&str> = target.indices.iter().map(|index| self.kernel.indices[index.0].as_str()).collect();
        let row = names.last().copied().unwrap_or_default();
        let message = format!(
            "`{}` can only be appended to, and every {} folds into entries that are there already",
            self.name(target),
            self.index(*folded)
        );
        Some(Diagnostic::new(self.assign.span, message).note(format!("its format is {format}")).help(format!(
            "fold a row in a workspace first: `forall({row}, {shown} = w({row})) where …`; or return a dense format"
        )))
    }

    /// The pair of an access's indices whose loops run the wrong way round.
    fn broken(&self, access: &Access) -> Option<(Index, Index)> {
        self.nested(access).into_iter().find(|(first, then)| self.place(*first) > self.place(*then))
    }

    /// Pairs of indices of an access: the loop over the first has to run outside of the loop over the second, since the level of the second
    /// cannot be searched and lies below that of the first.
    fn nested(&self, access: &Access) -> Vec<(Index, Index)> {
        let Some(format) = self.kernel.tensor(access.tensor).format.as_ref().filter(|format| format.is_plain()) else {
            return Vec::new();
        };
        let mut pairs = Vec::new();
        for at in (0..format.levels.len()).filter(|&at| !format.levels[at].is_searched()) {
            for above in 0..at {
                if let (Some(a), Some(b)) = (format.levels[above].index_of(access), format.levels[at].index_of(access))
                    && a != b
                {
                    pairs.push((a, b));
                }
            }
        }
        pairs
    }

    /// Suggests another order of the loops, if one suits all operands, or other levels.
    fn helped(&self, mistake: Diagnostic, access: &Access, before: &[(Index, Index)]) -> Diagnostic {
        let Some(format) = &self.kernel.tensor(access.tensor).format else { return mistake };
        let mistake = mistake.note(format!("its format is {format}"));
        let mut left = self.path.to_vec();
        let mut order = Vec::new();
        while let Some(free) = left.iter().position(|b| !before.iter().any(|(a, c)| c == b && left.contains(a))) {
            order.push(left.remove(free));
        }
        let named = |order: &[Index]| order.iter().map(|index| self.index(*index)).collect::<Vec<_>>().join(", ");
        if left.is_empty() {
            return mistake.help(format!("run the loops in the order {}", named(&order)));
        }
        let mut wanted: Vec<Index> = access.indices.clone();
        wanted.sort_by_key(|index| self.place(*index));
        let levels: Vec<String> = wanted
            .iter()
            .zip(&format.levels)
            .map(|(index, level)| format!("{}: {}{}", self.kernel.indices[index.0], level.kind.name(), level.switches))
            .collect();
        mistake
            .help(format!("keep `{}` as `{}`", self.name(access), levels.join(", ")))
            .help("or write the statement without `forall`: what lies in another order is then sorted first")
    }

    fn place(&self, index: Index) -> Option<usize> {
        self.path.iter().position(|known| *known == index)
    }

    fn index(&self, index: Index) -> String {
        format!("`{}`", self.kernel.indices[index.0])
    }

    fn name(&self, access: &Access) -> &str {
        &self.kernel.tensor(access.tensor).name
    }
}

/// Whether entries can only be put behind the last one: no level that is walked takes them anywhere else.
fn is_appended(format: &Format) -> bool {
    let takes = |at: usize| format.levels[at].properties.ordered && !format.capabilities(at).insert;
    format.is_plain()
        && !format.is_full()
        && (0..format.levels.len()).all(|at| format.levels[at].is_searched() || takes(at))
}
