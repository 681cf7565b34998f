//! The order of the loops around a statement.

use super::Einsum;
use crate::format::{Coordinate, Format, FormatLevel};
use crate::notation::concrete::*;
use crate::notation::cost::{ASSUMED, cheapest};

impl Einsum<'_> {
    /// The order of the loops over `indices` around the whole right side: see [`Einsum::order_of`].
    pub(super) fn order(&mut self, indices: &[Index]) -> Vec<Index> {
        let value = self.assign.value.clone();
        self.order_of(indices, &value)
    }

    /// The order of the loops over `indices`, as near to the target's levels as the operands of `expr` allow.
    pub(super) fn order_of(&mut self, indices: &[Index], expr: &Expr) -> Vec<Index> {
        let target = &self.assign.target;
        let mut wanted: Vec<Index> = Vec::new();
        if let Some(format) = &self.kernel.tensor(target.tensor).format {
            wanted.extend(format.levels.iter().filter_map(|level| level.index_of(target)));
        }
        wanted.extend(indices);
        wanted.retain(|index| indices.contains(index));
        let mut preferred: Vec<Index> = Vec::new();
        for index in wanted {
            if !preferred.contains(&index) {
                preferred.push(index);
            }
        }
        let mut kept: Vec<Index> = Vec::new();
        let mut sparse = |access: &Access| {
            if !self.kernel.tensor(access.tensor).is_full() {
                kept.extend(&access.indices);
            }
        };
        expr.accesses(&mut sparse);
        self.assign.mask.iter().for_each(|mask| sparse(&mask.access));
        if self.kernel.tensor(target.tensor).is_full() {
            if !kept.is_empty() {
                preferred.sort_by_key(|index| !kept.contains(index));
            }
        } else {
            // A row at a time is folded into the dense levels at the end.
            let tail = self.dense_tail();
            preferred.sort_by_key(|index| tail.contains(index) && !kept.contains(index));
        }
        let mut before: Vec<(Index, Index)> = Vec::new();
        let mut edges = |access: &Access| before.extend(self.nested(access));
        expr.accesses(&mut edges);
        if let Some(mask) = &self.assign.mask {
            edges(&mask.access);
        }
        let mask = self.assign.mask.as_ref().filter(|mask| !mask.negated).map(|mask| &mask.access);
        let first = topological(&preferred, &before);
        let (order, steps) = cheapest(self.kernel, first.clone(), target, (mask, expr));
        let (other, why) = match steps {
            Some((cheap, dear)) => {
                let (cheap, dear) = (cheap.log10(), dear.log10());
                (&first[..], Some(format!("about 10^{cheap:.0} steps, not 10^{dear:.0}, {ASSUMED}")))
            }
            None => (indices, self.why_ordered(indices, &order, expr)),
        };
        let named = |order: &[Index]| -> String {
            order.iter().map(|index| self.kernel.indices[index.0].as_str()).collect::<Vec<_>>().join(" ")
        };
        let said = why.map(|why| format!("{}, not {}: {why}", named(&order), named(other)));
        self.reordered.extend(said);
        order
    }

    /// Why loops run in this order and not in that of `indices`: the first access whose levels need it, or those of the target, to which it is
    /// as near as can be.
    fn why_ordered(&self, indices: &[Index], order: &[Index], expr: &Expr) -> Option<String> {
        let target = &self.assign.target;
        let place = |of: &[Index], index: Index| of.iter().position(|one| *one == index);
        let turned = |(above, below): &(Index, Index)| {
            let [written, run] = [indices, order].map(|of| Some((place(of, *above)?, place(of, *below)?)));
            written.is_some_and(|(above, below)| above > below) && run.is_some_and(|(above, below)| above < below)
        };
        let mut found = None;
        let mut look = |access: &Access, mut pairs: Vec<(Index, Index)>| {
            pairs.retain(turned);
            found = found.take().or_else(|| pairs.first().map(|pair| (access.tensor, *pair)));
        };
        expr.accesses(&mut |access| look(access, self.nested(access)));
        self.assign.mask.iter().for_each(|mask| look(&mask.access, self.nested(&mask.access)));
        let format = self.kernel.tensor(target.tensor).format.as_ref();
        let kept: Vec<Index> =
            format.iter().flat_map(|format| &format.levels).filter_map(|level| level.index_of(target)).collect();
        look(
            target,
            kept.iter().enumerate().flat_map(|(at, below)| kept[..at].iter().map(|above| (*above, *below))).collect(),
        );
        let (tensor, (above, below)) = found?;
        let name = |index: Index| &self.kernel.indices[index.0];
        Some(format!("the levels of `{}` keep {} above {}", self.kernel.tensor(tensor).name, name(above), name(below)))
    }

    /// The indices of the dense levels at the end of the target, if it has sparse ones above them.
    pub(super) fn dense_tail(&self) -> Vec<Index> {
        let target = &self.assign.target;
        let Some(format) = self.kernel.tensor(target.tensor).format.as_ref().filter(|format| format.is_plain()) else {
            return Vec::new();
        };
        let tail = format.levels.iter().rev().take_while(|level| level.is_array());
        tail.filter_map(|level| level.index_of(target)).collect()
    }

    /// Pairs of indices of an access: the loop over the first has to run outside of the loop over the second, since the level of the second
    /// is walked below that of the first.
    pub(super) fn nested(&self, access: &Access) -> Vec<(Index, Index)> {
        let Some(format) = &self.kernel.tensor(access.tensor).format else { return Vec::new() };
        if !format.is_plain() {
            return Vec::new();
        }
        let of = |at: usize| match format.levels[at].coordinate {
            Coordinate::Index(m) => access.indices[m],
            _ => unreachable!("a plain format keeps its indices"),
        };
        let mut before = Vec::new();
        for at in 0..format.levels.len() {
            if !format.levels[at].is_searched() {
                before.extend((0..at).map(|above| (of(above), of(at))).filter(|(a, b)| a != b));
            }
        }
        before
    }
}

/// The first order, by preference, that satisfies `before`; where it cannot be satisfied, preference alone decides.
pub(super) fn topological(preferred: &[Index], before: &[(Index, Index)]) -> Vec<Index> {
    let mut left: Vec<Index> = preferred.to_vec();
    let mut order = Vec::new();
    while !left.is_empty() {
        let free =
            left.iter().position(|index| !before.iter().any(|(a, b)| b == index && a != index && left.contains(a)));
        order.push(left.remove(free.unwrap_or(0)));
    }
    order
}

/// Whether a format keeps each of the target's indices in a level of its own, and those of `outer` first and in this order.
pub(super) fn begins_with(format: &Format, indices: &[Index], outer: &[Index]) -> bool {
    let levels: Vec<Index> = format.levels.iter().filter_map(|level| level.dimension()).map(|m| indices[m]).collect();
    levels.len() == indices.len() && levels[..outer.len()] == *outer
}

/// Whether all levels from `at` on are dense, and the one above them is not.
pub(super) fn ends_densely(format: Option<&Format>, at: usize) -> bool {
    format.is_some_and(|format| {
        format.is_plain()
            && at < format.levels.len()
            && format.levels[at..].iter().all(FormatLevel::is_array)
            && format.levels[..at].last().is_some_and(|above| !above.is_array())
    })
}
