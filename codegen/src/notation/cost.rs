//! What orders of loops cost, as far as that follows from the statement and the formats, without any tensor.
//!
//! ```text
//! C(i,j) = A(i,k) * B(j,k)     A, B: csr
//!
//!   loops i, j, k     row i of A is merged with row j of B, for every i and every j     rows(A) · nnz(B) + rows(B) · nnz(A) steps
//!   loops i, k, j     B is sorted by k first; each entry of A then meets its row of B   one sort, and a step for each product
//! ```
//!
//! The model: every index has 2^20 values, and a level of a sparse tensor has 2^20 entries at the top and 8 below each entry of the level
//! above. An operand whose levels do not come in the order of the loops is sorted first. Where that makes no difference of a factor of
//! 4, the order stays that is nearest to the statement as it is written.

use super::algebra::simplify;
use super::concrete::{Access, Expr, Index, Kernel};
use super::presence::Presence;
use crate::format::FormatLevel;

/// Values of an index.
const EXTENT: f64 = 1_048_576.0;

/// Entries below an entry of the level above.
const ENTRIES: f64 = 8.0;

/// Steps that sorting takes for each entry.
const SORT: f64 = 20.0;

/// Steps that it takes to find a coordinate in a long row.
const SKIP: f64 = 20.0;

/// By which factor an order has to be cheaper to take the place of the one nearest to the statement.
const CHEAPER: f64 = 4.0;

/// The most loops of which every order is looked at: 120 of them.
const MOST_LOOPS: usize = 5;

/// The order of loops around `value`: `first`, or one that is much cheaper. In the second case also the steps that it takes, and those that
/// `first` takes.
pub(super) fn cheapest(
    kernel: &Kernel,
    first: Vec<Index>,
    mask: Option<&Access>,
    value: &Expr,
) -> (Vec<Index>, Option<(f64, f64)>) {
    let mut accesses: Vec<&Access> = Vec::new();
    value.accesses(&mut |access| accesses.push(access));
    accesses.extend(mask);
    let Some(operands) =
        accesses.iter().map(|access| Operand::of(kernel, access, mask, value)).collect::<Option<Vec<_>>>()
    else {
        return (first, None);
    };
    let sparse = operands.iter().filter(|operand| operand.is_sparse()).count();
    if sparse < 2 || first.len() > MOST_LOOPS {
        return (first, None);
    }
    let own = cost(&operands, &first);
    let mut best = (own / CHEAPER, None);
    permute(&mut first.clone(), 0, &mut |order| {
        let steps = cost(&operands, order);
        if steps < best.0 {
            best = (steps, Some(order.to_vec()));
        }
    });
    match best {
        (steps, Some(order)) => (order, Some((steps, own))),
        (_, None) => (first, None),
    }
}

/// An operand as the model sees it.
struct Operand {
    /// The index of each level, and whether positions are computed from its coordinates, so that no loop has to walk it.
    levels: Vec<(Index, bool)>,
    /// Whether nothing is computed where it has no entry.
    needed: bool,
}

impl Operand {
    /// `None` for an operand whose levels keep computed coordinates, or one index twice: every order sorts it, or it drives the loops.
    fn of(kernel: &Kernel, access: &Access, mask: Option<&Access>, value: &Expr) -> Option<Operand> {
        let absent = |other: &Access| if other == access { Presence::Never } else { Presence::When(()) };
        let needed = mask == Some(access) || matches!(simplify(value, &absent), Expr::Literal(_));
        let distinct = access.indices.iter().enumerate().all(|(m, index)| !access.indices[..m].contains(index));
        let Some(format) = &kernel.tensor(access.tensor).format else {
            return Some(Operand { levels: access.indices.iter().map(|index| (*index, true)).collect(), needed });
        };
        if !format.is_plain() || !distinct {
            return None;
        }
        let level = |level: &FormatLevel| level.index_of(access).map(|index| (index, level.is_searched()));
        Some(Operand { levels: format.levels.iter().filter_map(level).collect(), needed })
    }

    fn is_sparse(&self) -> bool {
        self.levels.iter().any(|(_, searched)| !searched)
    }

    /// Whether the loops can visit it as it is stored: the loop over a level that is walked runs inside of those over all levels above it.
    fn comes_in(&self, order: &[Index]) -> bool {
        let place = |index: Index| order.iter().position(|known| *known == index);
        (0..self.levels.len()).all(|at| {
            let (index, searched) = self.levels[at];
            // An index that has no loop here belongs to a loop outside of these, and has a value already.
            let outside = place(index).is_none();
            searched || outside || self.levels[..at].iter().all(|(above, _)| place(*above) < place(index))
        })
    }

    /// How many entries it has.
    fn entries(&self) -> f64 {
        let level = |(at, (_, searched)): (usize, &(Index, bool))| if *searched || at == 0 { EXTENT } else { ENTRIES };
        self.levels.iter().enumerate().map(level).product()
    }

    /// How many of its entries one run of the loop over `index` visits; `None` if the loop does not walk it. An operand that is sorted is
    /// walked by the loops over all of its indices.
    fn visits(&self, index: Index, order: &[Index], sorted: bool) -> Option<f64> {
        let at = self.levels.iter().position(|(known, _)| *known == index)?;
        if !sorted {
            return (!self.levels[at].1).then_some(if at == 0 { EXTENT } else { ENTRIES });
        }
        let inside = |own: &(Index, bool)| order.contains(&own.0);
        let outermost = order.iter().find(|known| self.levels.iter().any(|(own, _)| own == *known));
        Some(if self.levels.iter().all(inside) && outermost == Some(&index) { EXTENT } else { ENTRIES })
    }
}

/// The steps that loops in this order take.
fn cost(operands: &[Operand], order: &[Index]) -> f64 {
    let sorted: Vec<bool> = operands.iter().map(|one| one.is_sparse() && !one.comes_in(order)).collect();
    let sorts = operands.iter().zip(&sorted).filter(|(_, sorted)| **sorted);
    let mut steps: f64 = sorts.map(|(one, _)| one.entries() * SORT).sum();
    let mut times = 1.0;
    for &index in order {
        let walked =
            operands.iter().zip(&sorted).filter_map(|(one, &sorted)| Some((one, one.visits(index, order, sorted)?)));
        let walked: Vec<(bool, f64)> = walked.map(|(one, visits)| (one.needed, visits)).collect();
        let needed: Vec<f64> = walked.iter().filter(|(needed, _)| *needed).map(|(_, visits)| *visits).collect();
        let keeping = operands.iter().filter(|one| one.levels.iter().any(|(own, _)| *own == index)).count();
        let (visits, matches) = if !needed.is_empty() {
            // Operands that are needed are intersected; the longer ones are skipped through. The probability that all of them have a
            // coordinate is the product of their own.
            let least = needed.iter().copied().fold(EXTENT, f64::min);
            let visits: f64 = needed.iter().map(|visits| visits.min(least * SKIP)).sum();
            (visits, needed.iter().fold(EXTENT, |all, visits| all * visits / EXTENT))
        } else if walked.is_empty() || walked.len() < keeping {
            (EXTENT, EXTENT)
        } else {
            let all: f64 = walked.iter().map(|(_, visits)| visits).sum();
            (all, all.min(EXTENT))
        };
        steps += times * visits;
        times *= matches;
    }
    steps
}

/// Calls `f` with every order.
fn permute(order: &mut Vec<Index>, at: usize, f: &mut dyn FnMut(&[Index])) {
    if at == order.len() {
        return f(order);
    }
    for other in at..order.len() {
        order.swap(at, other);
        permute(order, at + 1, f);
        order.swap(at, other);
    }
}
