//! Views: slices of tensors, and places that are computed from index variables.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::nest::{Lower, State};
use super::stored::{Storage, Viewed};
use crate::checks::Checks;
use crate::ir::{Block, Expr as Code};
use crate::notation::concrete::{Access, Bound, Seen, TensorId};
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
            let windows = checks.windows(view, &shape, &|bound| self.scalar_bound(bound));
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
