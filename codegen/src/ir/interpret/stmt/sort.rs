//! Sorting, prefix sums, and what turns the counts of tasks into positions.

use std::cmp::Ordering;

use crate::ir::expr::Expr;
use crate::ir::interpret::expr::{Compiled, Compiler};
use crate::ir::interpret::frame::{Action, Fault, Frame, Stop, checked_range};
use crate::ir::interpret::prim::{Prim, with_scalar};
use crate::ir::kernel::Var;
use crate::ir::stmt::Turn;
use crate::ir::types::Scalar;

/// Sorts a part of an array.
type SortPart = Box<dyn Fn(&mut Frame, usize, usize) -> Result<(), Stop> + Send + Sync>;

fn compared<T: PartialOrd>(a: &T, b: &T) -> Ordering {
    a.partial_cmp(b).unwrap_or(Ordering::Equal)
}

impl Compiler<'_> {
    pub(super) fn sort(&mut self, array: &Var, lo: &Expr, hi: &Expr, keys: &[Var]) -> Compiled<Action> {
        let (lo, hi, array) = (self.usize(lo)?, self.usize(hi)?, *array);
        let owned = self.owned[array.0 as usize];
        if keys.is_empty() {
            return Ok(with_scalar!(self.element(array).unwrap_or(Scalar::Bool), T => {
                Box::new(move |f| {
                    let (lo, hi) = checked_range(f, array, owned, &lo, &hi)?;
                    if let Some(elements) = T::vec(&mut f.arrays[array.0 as usize]) {
                        elements[lo..hi].sort_by(compared);
                    }
                    Ok(())
                })
            }));
        }
        // Each sort is stable: the last one decides first.
        let by_key = keys.iter().rev().map(|key| self.sort_by_key(array, *key)).collect::<Vec<_>>();
        Ok(Box::new(move |f| {
            let (lo, hi) = checked_range(f, array, owned, &lo, &hi)?;
            f.tick(((by_key.len() - 1) * (hi - lo)) as u64)?;
            by_key.iter().try_for_each(|sort| sort(f, lo, hi))
        }))
    }

    /// Code that sorts a part of an array by one key.
    fn sort_by_key(&self, array: Var, key: Var) -> SortPart {
        with_scalar!(self.element(key).unwrap_or(Scalar::Bool), T => {
            Box::new(move |f, lo, hi| {
                let mut part = usize::slice(&f.arrays[array.0 as usize])[lo..hi].to_vec();
                let by = T::slice(&f.arrays[key.0 as usize]);
                let len = by.len();
                if let Some(&bad) = part.iter().find(|&&k| k >= len) {
                    return f.fail(Fault::OutOfBounds(key, bad, len));
                }
                part.sort_by(|&a, &b| compared(&by[a], &by[b]));
                if let Some(elements) = usize::vec(&mut f.arrays[array.0 as usize]) {
                    elements[lo..hi].copy_from_slice(&part);
                }
                Ok(())
            })
        })
    }

    pub(super) fn prefix_sum(&mut self, a: &Var) -> Compiled<Action> {
        let slot = a.0 as usize;
        Ok(Box::new(move |f| {
            f.tick(f.arrays[slot].len() as u64)?;
            let mut sum = 0usize;
            let mut overflow = false;
            if let Some(elements) = usize::vec(&mut f.arrays[slot]) {
                for x in elements {
                    match sum.checked_add(*x) {
                        Some(s) => sum = s,
                        None => overflow = true,
                    }
                    *x = sum;
                }
            }
            if overflow { f.fail(Fault::Overflow) } else { Ok(()) }
        }))
    }

    pub(super) fn task_counts(&mut self, array: &Var, tasks: &Expr, parents: &Expr, turn: &Turn) -> Compiled<Action> {
        let (tasks, parents) = (self.usize(tasks)?, self.usize(parents)?);
        let (array, turn) = (*array, *turn);
        Ok(Box::new(move |f| {
            let (tasks, parents) = (tasks(f)?, parents(f)?);
            let slot = array.0 as usize;
            let len = f.arrays[slot].len();
            f.tick(len as u64)?;
            let first = usize::from(!matches!(turn, Turn::StartsWithin(_)));
            match tasks.checked_mul(parents).and_then(|all| all.checked_add(first)) {
                Some(all) if all == len => {}
                wanted => return f.fail(Fault::OutOfBounds(array, wanted.unwrap_or(usize::MAX), len)),
            }
            let Some(elements) = usize::vec(&mut f.arrays[slot]) else { return Ok(()) };
            let number = turned(elements, tasks, parents, turn);
            match (turn.declares(), number) {
                (Some(var), Some(number)) => f.scalars[var.0 as usize] = number.encode(),
                (None, _) => {}
                (Some(_), None) => return f.fail(Fault::Overflow),
            }
            Ok(())
        }))
    }
}

/// Converts the counts of tasks in place. Returns the number that the statement declares; `None` if it overflows.
fn turned(elements: &mut Vec<usize>, tasks: usize, parents: usize, turn: Turn) -> Option<usize> {
    let (mut sum, mut most) = (0usize, 0);
    match turn {
        Turn::Starts(_) | Turn::StartsWithin(_) => {
            let (first, within) = match turn {
                Turn::StartsWithin(_) => (0, true),
                _ => (1, false),
            };
            for p in 0..parents {
                sum = if within { 0 } else { sum };
                for task in 0..tasks {
                    let number = &mut elements[first + task * parents + p];
                    sum = sum.checked_add(std::mem::replace(number, sum))?;
                }
                most = most.max(sum);
            }
        }
        Turn::Bounds => {
            let last = tasks.saturating_sub(1) * parents;
            elements.copy_within(1 + last.., 1);
            elements.truncate(1 + parents);
        }
    }
    Some(most)
}
