//! Views: slices of tensors, and places that are computed from index variables.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::nest::{Lower, State};
use super::stored::{Storage, Viewed};
use crate::checks::{Checks, Sliced};
use crate::ir::{self, Block, Expr as Code, Scalar};
use crate::level::Window;
use crate::notation::concrete::{Access, Bound, Seen, TensorId, View};
use crate::tensor::{Levels, Part, literal, prefix, scalar};

impl Viewed {
    /// The levels of a sparse tensor, which is looked up.
    pub fn sparse(&self) -> Option<&Levels> {
        match &self.of {
            Storage::Levels(levels) if !levels.format.is_full_in_place() => Some(levels),
            _ => None,
        }
    }
}

impl Lower<'_> {
    /// Looks up those of `accesses` that read sparse tensors at computed coordinates, as soon as all of their indices have values: inner loops
    /// over other indices then find the value ready. Returns the state with the values, if there is any such access.
    pub(super) fn looked_up<'s>(
        &mut self,
        accesses: impl IntoIterator<Item = &'s Access>,
        state: &State,
        block: &mut Block,
    ) -> Option<State> {
        let mut inside: Option<State> = None;
        for access in accesses {
            let Some(Storage::Viewed(viewed)) = self.stores[access.tensor.0].clone() else { continue };
            let Some(levels) = viewed.sparse() else { continue };
            let known = access.indices.iter().all(|index| state.indices.contains_key(index));
            let state = inside.get_or_insert_with(|| state.clone());
            if !known || state.looked_up(access).is_some() {
                continue;
            }
            let (coords, within) = self.coordinates_in(&viewed, access, state, block);
            let name = prefix(&self.kernel.tensor(access.tensor).name);
            let fill = literal(access.fill, scalar(levels.value));
            let found = levels.look_up(&coords, within, &name, fill, &mut self.vars, block);
            state.looked_up.push((access.clone(), found));
        }
        inside
    }
}

impl Lower<'_> {
    /// Sets where the views are stored that the statement accesses, and adds checks that tensors are large enough for their slices.
    pub(super) fn show_views(&mut self, checks: &mut Checks<'_>) {
        let kernel = self.kernel;
        let mut copies: BTreeMap<TensorId, Arc<Levels>> = BTreeMap::new();
        for access in self.plan.stmt.accesses() {
            let Some(view) = kernel.views.get(&access.tensor) else { continue };
            let of = self.stores[view.of.0].clone();
            let shape = match &of {
                Some(Storage::Levels(levels)) => levels.shape.clone(),
                Some(Storage::Dense { shape, .. }) => shape.clone(),
                _ => unreachable!("the plan refuses parts of what is not made"),
            };
            let windows = self.windows(view, &shape, checks);
            let storage = match of {
                Some(Storage::Levels(levels)) if kernel.tensor(access.tensor).format.is_some() => {
                    let windows = if windows.iter().all(Option::is_none) { Vec::new() } else { windows };
                    let format = kernel.tensor(access.tensor).format.clone().expect("what is walked has levels");
                    Storage::Levels(Arc::new(Levels { windows, format, ..(*levels).clone() }))
                }
                Some(Storage::Levels(levels)) if levels.format.unsearchable().is_some() => {
                    let made = || self.searchable(&levels, view.of);
                    let searched = Storage::Levels(copies.entry(view.of).or_insert_with(made).clone());
                    Storage::Viewed(Arc::new(Viewed { of: searched, part: Part::of(view, windows, shape) }))
                }
                Some(of) => Storage::Viewed(Arc::new(Viewed { of, part: Part::of(view, windows, shape) })),
                None => continue,
            };
            self.store(access.tensor, storage);
        }
    }

    /// Ends the shifted parts that views show where their indices end.
    pub(super) fn end_shifted(&mut self) {
        for access in self.plan.stmt.accesses() {
            let Some(view) = self.kernel.views.get(&access.tensor) else { continue };
            let Some(Storage::Levels(levels)) = &mut self.stores[access.tensor.0] else { continue };
            let Levels { windows, shape, .. } = Arc::make_mut(levels);
            for ((window, seen), extent) in windows.iter_mut().zip(&view.coordinates).zip(shape) {
                if let (Some(window), Seen::Shifted { along, .. }) = (window, seen) {
                    window.end_at(&self.extents[along], extent);
                }
            }
        }
    }

    /// What each slice of a view shows. A slice of a parameter must end within it; any other one ends where the tensor does.
    fn windows(&self, view: &View, shape: &[Code], checks: &mut Checks<'_>) -> Vec<Option<Window>> {
        let bound = |bound: &Bound| match bound {
            Bound::Const(n) => ir::usize(*n),
            Bound::Scalar(_) => self.scalar_bound(bound).map_or(ir::usize(0), |value| value.cast(Scalar::Usize)),
        };
        let mut windows = Vec::new();
        for (m, (seen, extent)) in view.coordinates.iter().zip(shape).enumerate() {
            let (lo, hi, step) = match seen {
                Seen::Slice { lo, hi, step, .. } => (lo, hi, step),
                Seen::Shifted { by, .. } => {
                    windows.push(Some(Window::shifted(*by, extent.clone())));
                    continue;
                }
                Seen::Index(_) | Seen::Computed(_) => {
                    windows.push(None);
                    continue;
                }
            };
            let (first, end) = (bound(lo), hi.as_ref().map_or(extent.clone(), bound));
            let sliced = Sliced { tensor: view.of, dimension: m, extent };
            for limit in std::iter::once(lo).chain(hi) {
                checks.not_below_0(&sliced, limit, self.scalar_bound(limit));
            }
            let end = match hi {
                Some(_) if checks.reads_locals(extent) => end.min(extent.clone()),
                Some(hi) => {
                    checks.ends_within(&sliced, (lo, hi), &end);
                    end
                }
                None => end,
            };
            let span = match (&first, &end) {
                (Code::Literal(ir::Literal::Usize(first)), Code::Literal(ir::Literal::Usize(end))) => {
                    ir::usize(end.saturating_sub(*first).div_ceil(*step))
                }
                (Code::Literal(ir::Literal::Usize(0)), _) => whole_steps(end, *step),
                _ => whole_steps(end.max(first.clone()) - first.clone(), *step),
            };
            windows.push(Some(Window { first: 0, lo: first, step: *step, len: span, shifted: false, open: false }));
        }
        windows
    }

    /// The value of a bound that is a scalar.
    fn scalar_bound(&self, bound: &Bound) -> Option<Code> {
        let Bound::Scalar(id) = bound else { return None };
        match &self.stores[id.0] {
            Some(Storage::Scalar { var, .. }) => Some(Code::Var(*var)),
            _ => None,
        }
    }

    /// The coordinates of an access to a view, as the tensor has them, and whether they lie in it, if that is not certain.
    pub(super) fn coordinates_in(
        &mut self,
        viewed: &Viewed,
        access: &Access,
        state: &State,
        block: &mut Block,
    ) -> (Vec<Code>, Option<Code>) {
        let indices: Vec<Code> = access.indices.iter().map(|&index| state.index(index)).collect();
        let name = prefix(&self.kernel.tensor(access.tensor).name);
        viewed.part.coordinates(&indices, &name, &mut self.vars, block)
    }
}

/// How many steps cover `length`.
fn whole_steps(length: Code, step: usize) -> Code {
    if step == 1 { length } else { (length + ir::usize(step - 1)) / ir::usize(step) }
}
