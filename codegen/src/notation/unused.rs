//! Indices that are used once and on no left side: `y(i) = A(i,j) * x(k)`, typed for `x(j)`, sums over both.

use std::collections::BTreeMap;

use super::ast::{Assign, Expr, ExprKind, Kernel, Name, StmtKind};
use crate::diagnostic::{Diagnostic, nearest};

/// Warns of each index of an implied sum that is used only once, beside another operand that it may have been meant to meet.
///
/// The sum over a whole operand, as in `y(i) = A(i,j)`, is common and raises nothing; nor do names that begin with `_`.
pub(crate) fn used_once(kernel: &Kernel) -> Vec<Diagnostic> {
    let mut tensors: Vec<&str> =
        kernel.params.iter().chain(&kernel.results).map(|param| &param.name.text[..]).collect();
    let assigned = kernel.body.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::Assign(assign) => Some(assign),
        _ => None,
    });
    tensors.extend(assigned.clone().map(|assign| &assign.target.tensor.text[..]));
    assigned.flat_map(|assign| of_statement(&tensors, assign)).collect()
}

fn of_statement(tensors: &[&str], assign: &Assign) -> Vec<Diagnostic> {
    let mut uses = Uses { tensors, accesses: 0, uses: BTreeMap::new() };
    uses.expr(&assign.value);
    if let Some(own) = assign.mask.as_ref().and_then(|mask| mask.indices.as_ref()) {
        own.iter().for_each(|index| uses.index(index));
    }
    if uses.accesses < 2 {
        return Vec::new();
    }
    let on_left = |index: &str| assign.target.indices.iter().any(|own| own.text == index);
    let once: Vec<&Name> = uses.uses.values().filter(|(_, times)| *times == 1).map(|(name, _)| *name).collect();
    let mut found = Vec::new();
    for name in once.into_iter().filter(|name| !on_left(&name.text) && !name.text.starts_with('_')) {
        let left = &assign.target.tensor;
        let mut others = uses.uses.keys().copied().filter(|other| *other != name.text && !on_left(other));
        let message = format!("index `{name}` is used once, and not on the left: `{left}` sums over it alone");
        let mut warning = Diagnostic::new(name.span, message).label("nothing else has this index");
        if let Some(other) = nearest(&name.text, others.clone()).or_else(|| others.next_back()) {
            warning = warning.help(format!("did you mean `{other}`?"));
        }
        found.push(warning.help(format!("write `_{name}` if the sum is meant")));
    }
    found
}

/// Which index variables are used, where first, and how often.
struct Uses<'k> {
    tensors: &'k [&'k str],
    accesses: usize,
    uses: BTreeMap<&'k str, (&'k Name, usize)>,
}

impl<'k> Uses<'k> {
    fn index(&mut self, name: &'k Name) {
        self.uses.entry(&name.text).or_insert((name, 0)).1 += 1;
    }

    fn expr(&mut self, expr: &'k Expr) {
        match &expr.kind {
            ExprKind::Literal(_) => {}
            ExprKind::Name(name) if self.tensors.contains(&&name.text[..]) => {}
            ExprKind::Name(name) => self.index(name),
            ExprKind::Apply { name, args } => {
                self.accesses += usize::from(self.tensors.contains(&&name.text[..]));
                args.iter().for_each(|arg| self.expr(arg));
            }
            // A slice of a tensor may be meant to be summed.
            ExprKind::Slice(slice) if slice.named => self.index(&slice.index),
            ExprKind::Slice(_) => {}
            ExprKind::Neg(inner) => self.expr(inner),
            ExprKind::Binary { left, right, .. } => {
                self.expr(left);
                self.expr(right);
            }
        }
    }
}
