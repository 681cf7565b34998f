//! What orders of loops cost, as far as that follows from the statement and the formats, without any tensor.
//!
//! ```text
//! C(i,j) = A(i,k) * B(j,k)     A, B: csr
//!
//!   loops i, j, k     row i of A is merged with row j of B, for every i and every j     rows(A) · nnz(B) + rows(B) · nnz(A) steps
//!   loops i, k, j     B is sorted by k first; each entry of A then meets its row of B   one sort, and a step for each product
//! ```
//!
//! The model: an index along a slice has as many values as the slice, if its bounds are numbers; any other one has 2^20. A level of a sparse
//! tensor has an entry for each of these values at the top, and 8 below each entry of the level above. An operand whose levels do not come
//! in the order of the loops is sorted first. If an index that is added up has the outermost loop around a sparse result, every product is
//! collected, and all of them are sorted. Where that makes no difference of a factor of 4, the order stays that is nearest to the
//! statement as it is written.

use std::collections::BTreeMap;

use super::algebra::simplify;
use super::concrete::{Access, Bound, Expr, Index, Kernel, Seen};
use super::presence::Presence;
use crate::format::FormatLevel;

/// The assumed extent of an index whose extent is unknown: kernels are compiled before there are tensors. It is so large that the costs of two
/// orders differ as they do for large tensors, for which the order matters most.
const EXTENT: f64 = 1_048_576.0;

/// The assumed number of entries below an entry of the level above. It is typical of graphs and of discretised equations.
const ENTRIES: f64 = 8.0;

/// What the model assumes, as messages say it.
pub(super) const ASSUMED: &str = "if each index has 10^6 values, or those of its slice, and each row 8 entries";

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
    target: &Access,
    (mask, value): (Option<&Access>, &Expr),
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
    let sizes = Sizes::of(kernel, &accesses);
    // Of a sparse result whose loops are all among these.
    let sparse = !kernel.tensor(target.tensor).is_full() && target.indices.iter().all(|index| first.contains(index));
    let collects =
        |order: &[Index]| sparse && order.first().is_some_and(|outermost| !target.indices.contains(outermost));
    let cost = |order: &[Index]| cost(&operands, &sizes, order, collects(order));
    let own = cost(&first);
    let mut best = (own / CHEAPER, None);
    permute(&mut first.clone(), 0, &mut |order| {
        let steps = cost(order);
        if steps < best.0 {
            best = (steps, Some(order.to_vec()));
        }
    });
    match best {
        (steps, Some(order)) => (order, Some((steps, own))),
        (_, None) => (first, None),
    }
}

/// How many values indices have that run along slices whose bounds are numbers.
struct Sizes(BTreeMap<Index, f64>);

impl Sizes {
    fn of(kernel: &Kernel, accesses: &[&Access]) -> Sizes {
        let mut sizes = BTreeMap::new();
        for (access, view) in accesses.iter().filter_map(|access| Some((access, kernel.views.get(&access.tensor)?))) {
            for seen in &view.coordinates {
                if let Seen::Slice { index, lo: Bound::Const(lo), hi: Some(Bound::Const(hi)), step } = seen {
                    sizes.insert(access.indices[*index], hi.saturating_sub(*lo).div_ceil(*step).max(1) as f64);
                }
            }
        }
        Sizes(sizes)
    }

    fn extent(&self, index: Index) -> f64 {
        self.0.get(&index).copied().unwrap_or(EXTENT)
    }

    /// How many entries there are in a level that keeps an index: below each entry of the level above, or at the `top`.
    fn entries(&self, index: Index, top: bool) -> f64 {
        let extent = self.extent(index);
        if top { extent } else { extent.min(ENTRIES) }
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
        let Some(format) = &kernel.tensor(access.tensor).format else {
            return Some(Operand { levels: access.indices.iter().map(|index| (*index, true)).collect(), needed });
        };
        if !format.is_plain() || !access.is_distinct() {
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
    fn entries(&self, sizes: &Sizes) -> f64 {
        let level = |(at, (index, searched)): (usize, &(Index, bool))| sizes.entries(*index, *searched || at == 0);
        self.levels.iter().enumerate().map(level).product()
    }

    /// How many of its entries one run of the loop over `index` visits; `None` if the loop does not walk it. An operand that is sorted is
    /// walked by the loops over all of its indices.
    fn visits(&self, index: Index, sizes: &Sizes, order: &[Index], sorted: bool) -> Option<f64> {
        let at = self.levels.iter().position(|(known, _)| *known == index)?;
        if !sorted {
            return (!self.levels[at].1).then_some(sizes.entries(index, at == 0));
        }
        let inside = |own: &(Index, bool)| order.contains(&own.0);
        let outermost = order.iter().find(|known| self.levels.iter().any(|(own, _)| own == *known));
        Some(sizes.entries(index, self.levels.iter().all(inside) && outermost == Some(&index)))
    }
}

/// The steps that loops in this order take; the products may have to be collected and sorted.
fn cost(operands: &[Operand], sizes: &Sizes, order: &[Index], collects: bool) -> f64 {
    let sorted: Vec<bool> = operands.iter().map(|one| one.is_sparse() && !one.comes_in(order)).collect();
    let sorts = operands.iter().zip(&sorted).filter(|(_, sorted)| **sorted);
    let mut steps: f64 = sorts.map(|(one, _)| one.entries(sizes) * SORT).sum();
    let mut times = 1.0;
    for &index in order {
        let extent = sizes.extent(index);
        let visits = |(one, &sorted): (_, &bool)| Some((one, Operand::visits(one, index, sizes, order, sorted)?));
        let walked = operands.iter().zip(&sorted).filter_map(visits);
        let walked: Vec<(bool, f64)> = walked.map(|(one, visits)| (one.needed, visits)).collect();
        let needed: Vec<f64> = walked.iter().filter(|(needed, _)| *needed).map(|(_, visits)| *visits).collect();
        let keeping = operands.iter().filter(|one| one.levels.iter().any(|(own, _)| *own == index)).count();
        let (visits, matches) = if !needed.is_empty() {
            // Operands that are needed are intersected; the longer ones are skipped through. The probability that all of them have a
            // coordinate is the product of their own.
            let least = needed.iter().copied().fold(extent, f64::min);
            let visits: f64 = needed.iter().map(|visits| visits.min(least * SKIP)).sum();
            (visits, needed.iter().fold(extent, |all, visits| all * visits / extent))
        } else if walked.is_empty() || walked.len() < keeping {
            (extent, extent)
        } else {
            let all: f64 = walked.iter().map(|(_, visits)| visits).sum();
            (all, all.min(extent))
        };
        steps += times * visits;
        times *= matches;
    }
    if collects { steps + times * SORT } else { steps }
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
