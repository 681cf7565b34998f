//! Warns of products whose loops merge two rows for each pair of outer coordinates.

use super::algebra::simplify;
use super::concrete::{Access, Assign, Expr, Index, Kernel, Stmt};
use super::presence::Presence;
use crate::diagnostic::Diagnostic;
use crate::format::Coordinate;

/// Two sparse operands that are merged along `summed` for each pair of the coordinates `outer`.
#[derive(Clone, Debug, PartialEq)]
struct Pairs {
    left: Access,
    right: Access,
    /// An index of `left` and one of `right`.
    outer: (Index, Index),
    summed: Index,
}

/// A warning for each product of a statement that merges two rows for each pair of outer coordinates.
pub(crate) fn costs(kernel: &Kernel, stmt: &Stmt) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    walk(kernel, stmt, &mut Vec::new(), &mut Vec::new(), &mut found);
    found
}

fn walk<'s>(
    kernel: &Kernel,
    stmt: &'s Stmt,
    loops: &mut Vec<Index>,
    around: &mut Vec<&'s Assign>,
    found: &mut Vec<Diagnostic>,
) {
    match stmt {
        Stmt::Assign(assign) => {
            let masks = std::iter::once(assign).chain(around.iter().copied());
            let mask = masks.filter_map(|assign| assign.mask.as_ref()).find(|mask| !mask.negated);
            let mask = mask.map(|mask| &mask.access);
            if let Some(pairs) = find(kernel, loops, &assign.target, mask, &assign.value) {
                found.push(pairs.warning(kernel, assign));
            }
        }
        Stmt::Forall { index, body, .. } => {
            loops.push(*index);
            walk(kernel, body, loops, around, found);
            loops.pop();
        }
        Stmt::Where { consumer, producer } => {
            walk(kernel, consumer, loops, around, found);
            // The workspace is needed only where the consumer writes: the masks of the consumer bound the pairs, too.
            let before = around.len();
            consumer_assigns(consumer, around);
            walk(kernel, producer, loops, around, found);
            around.truncate(before);
        }
        Stmt::Sequence(parts) => parts.iter().for_each(|part| walk(kernel, part, loops, around, found)),
    }
}

fn consumer_assigns<'s>(stmt: &'s Stmt, found: &mut Vec<&'s Assign>) {
    match stmt {
        Stmt::Assign(assign) => found.push(assign),
        Stmt::Forall { body, .. } => consumer_assigns(body, found),
        Stmt::Where { consumer, .. } => consumer_assigns(consumer, found),
        Stmt::Sequence(parts) => parts.iter().for_each(|part| consumer_assigns(part, found)),
    }
}

fn find(kernel: &Kernel, loops: &[Index], target: &Access, mask: Option<&Access>, value: &Expr) -> Option<Pairs> {
    let place = |index: &Index| loops.iter().position(|known| known == index);
    let mut sparse: Vec<&Access> = Vec::new();
    value.accesses(&mut |access| {
        if kernel.tensor(access.tensor).format.is_some() && !kernel.tensor(access.tensor).is_full() {
            sparse.push(access);
        }
    });
    // Where one operand or the mask has both indices, the loops come to its pairs only.
    let bounded = |i: Index, j: Index| {
        let holds = |access: &&Access| access.indices.contains(&i) && access.indices.contains(&j);
        sparse.iter().copied().any(|access| holds(&access))
            || mask.is_some_and(|mask| holds(&mask) && !kernel.tensor(mask.tensor).is_full())
    };
    // Whether there is nothing to sum where the operand is missing.
    let needed = |access: &Access| {
        let absent = |other: &Access| if other == access { Presence::Never } else { Presence::When(()) };
        matches!(simplify(value, &absent), Expr::Literal(_))
    };
    for (at, left) in sparse.iter().enumerate() {
        for right in &sparse[at + 1..] {
            let shared = left.indices.iter().filter(|index| right.indices.contains(index));
            for &summed in shared.filter(|index| !target.indices.contains(index)) {
                let Some(inner) = place(&summed) else { continue };
                let outside = |own: &Access, other: &Access| -> Vec<Index> {
                    let is_outer = |index: &&Index| place(index).is_some_and(|outer| outer < inner);
                    own.indices
                        .iter()
                        .filter(is_outer)
                        .filter(|index| !other.indices.contains(index))
                        .copied()
                        .collect()
                };
                if !is_merged(kernel, left, summed) || !is_merged(kernel, right, summed) {
                    continue;
                }
                let (of_left, of_right) = (outside(left, right), outside(right, left));
                let pairs = of_left.iter().flat_map(|&i| of_right.iter().map(move |&j| (i, j)));
                if let Some(outer) = { pairs }.find(|&(i, j)| !bounded(i, j))
                    && needed(left)
                    && needed(right)
                {
                    return Some(Pairs { left: (*left).clone(), right: (*right).clone(), outer, summed });
                }
            }
        }
    }
    None
}

/// Whether an operand is walked along an index, and not searched.
fn is_merged(kernel: &Kernel, access: &Access, index: Index) -> bool {
    let Some(format) = kernel.tensor(access.tensor).format.as_ref().filter(|format| format.is_plain()) else {
        return false;
    };
    format.levels.iter().any(|level| {
        matches!(level.coordinate, Coordinate::Index(m) if access.indices[m] == index) && !level.is_searched()
    })
}

impl Pairs {
    fn warning(&self, kernel: &Kernel, assign: &Assign) -> Diagnostic {
        let name = |index: Index| &kernel.indices[index.0];
        let (i, j) = (name(self.outer.0), name(self.outer.1));
        let (left, right) = (&kernel.tensor(self.left.tensor).name, &kernel.tensor(self.right.tensor).name);
        let message =
            format!("`{left}` is merged with `{right}` along `{}` for each pair of `{i}` and `{j}`", name(self.summed));
        let product = format!("{} * {}", kernel.show_access(&self.left), kernel.show_access(&self.right));
        Diagnostic::new(assign.span, message)
            .label("takes time for each pair, also where no entries meet")
            .help(format!(
                "compute the product by a statement of its own, `T({i},{j}) = {product}`: `{right}` is then sorted by `{}` first",
                name(self.summed)
            ))
            .help("or mask the result, so that only pairs that are wanted are computed")
    }
}
