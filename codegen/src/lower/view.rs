//! Views: slices of tensors, and places that are computed from index variables.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::nest::{Lower, State};
use super::ranges::{self, dimension, reads_locals};
use super::stored::{Place, Storage, Viewed};
use crate::ir::{self, Block, Expr as Code, Scalar, ShapeCheck};
use crate::level::Window;
use crate::notation::ast::ValueType;
use crate::notation::concrete::{Access, Bound, Seen, TensorId, View};
use crate::plan::accesses;
use crate::tensor::{Levels, literal, prefix, scalar};

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
    /// Looks up those of `accesses` that are of sparse tensors at computed coordinates, as soon as all of their indices have values: before
    /// the loops that do not change them. Returns the place with what was found, if there is any such access.
    pub(super) fn looked_up(&mut self, accesses: &[Access], state: &State, block: &mut Block) -> Option<State> {
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
    pub(super) fn show_views(&mut self, checks: &mut Vec<ShapeCheck>) {
        let kernel = self.kernel;
        let mut copies: BTreeMap<TensorId, Arc<Levels>> = BTreeMap::new();
        for access in accesses(&self.plan.stmt) {
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
                    Storage::Viewed(Arc::new(viewed(searched, view, windows, shape)))
                }
                Some(of) => Storage::Viewed(Arc::new(viewed(of, view, windows, shape))),
                None => continue,
            };
            self.store(access.tensor, storage);
        }
    }

    /// Ends the shifted parts that views show where their indices end.
    pub(super) fn end_shifted(&mut self) {
        for access in accesses(&self.plan.stmt) {
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
    fn windows(&self, view: &View, shape: &[Code], checks: &mut Vec<ShapeCheck>) -> Vec<Option<Window>> {
        let name = &self.kernel.tensor(view.of).name;
        let bound = |bound: &Bound| match bound {
            Bound::Const(n) => ir::usize(*n),
            Bound::Scalar(id) => match &self.stores[id.0] {
                Some(Storage::Scalar { var, .. }) => Code::Var(*var).cast(Scalar::Usize),
                _ => ir::usize(0),
            },
        };
        let shown = |bound: &Bound| ranges::bound(self.kernel, bound);
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
            for limit in std::iter::once(lo).chain(hi) {
                let check = self.not_below_0(limit, name, m).filter(|check| !checks.contains(check));
                checks.extend(check);
            }
            let end = match hi {
                None => end,
                Some(_) if reads_locals(extent, self) => end.min(extent.clone()),
                Some(hi) => {
                    let check = ShapeCheck {
                        left: end.clone().min(extent.clone()),
                        left_name: format!(
                            "`{name}` along {}, as far as the slice `{}:{}`",
                            dimension(m),
                            shown(lo),
                            shown(hi)
                        ),
                        right: end.clone(),
                        right_name: "the end of the slice".into(),
                    };
                    if !checks.contains(&check) {
                        checks.push(check);
                    }
                    end
                }
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

    /// The check that a bound of a slice of the tensor `name` along dimension `m` is not below 0, if it may be.
    fn not_below_0(&self, bound: &Bound, name: &str, m: usize) -> Option<ShapeCheck> {
        let Bound::Scalar(id) = bound else { return None };
        let Some(Storage::Scalar { var, .. }) = &self.stores[id.0] else { return None };
        let scalar = self.kernel.tensor(*id);
        let number = match scalar.value {
            ValueType::I64 => Code::Var(*var),
            ValueType::I32 => Code::Var(*var).cast(Scalar::I64),
            _ => return None,
        };
        let zero = || ir::lit(ir::Literal::I64(0));
        // The message has the distance from 0: as an extent, a number below 0 would be a huge one.
        let below = number.clone().less(zero()).select(zero() - number, zero());
        Some(ShapeCheck {
            left: ir::usize(0),
            left_name: format!("the range below 0 that a slice of `{name}` may cover along {}", dimension(m)),
            right: below.cast(Scalar::Usize),
            right_name: format!("the range below 0 that its negative bound `{}` covers", scalar.name),
        })
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
        let (mut coords, mut inside) = (Vec::new(), Vec::new());
        for (place, extent) in viewed.places.iter().zip(&viewed.shape) {
            let coordinate = match place {
                Place::Along(m, None) => indices[*m].clone(),
                Place::Along(m, Some(window)) => window.own(indices[*m].clone()),
                Place::Computed(coordinate) => {
                    let name = format!("{}_at", prefix(&self.kernel.tensor(access.tensor).name));
                    let at = self.vars.fresh(name, Scalar::Usize);
                    // What is below 0 becomes too large.
                    let value = coordinate.code(&indices, None).cast(Scalar::Usize);
                    block.push(ir::Stmt::Let(at, value));
                    inside.push(Code::Var(at).less(extent.clone()));
                    at.into()
                }
            };
            coords.push(coordinate);
        }
        (coords, inside.into_iter().reduce(Code::and))
    }
}

fn viewed(of: Storage, view: &View, windows: Vec<Option<Window>>, shape: Vec<Code>) -> Viewed {
    let (mut places, mut ranges) = (Vec::new(), Vec::new());
    for ((seen, window), extent) in view.coordinates.iter().zip(windows).zip(&shape) {
        places.push(match seen {
            Seen::Index(m) | Seen::Slice { index: m, .. } | Seen::Shifted { index: m, .. } => {
                ranges.push(window.as_ref().map_or(extent.clone(), |window| window.len.clone()));
                Place::Along(*m, window)
            }
            Seen::Computed(coordinate) => Place::Computed(coordinate.clone()),
        });
    }
    Viewed { of, places, ranges, shape }
}

/// How many steps cover `length`.
fn whole_steps(length: Code, step: usize) -> Code {
    if step == 1 { length } else { (length + ir::usize(step - 1)) / ir::usize(step) }
}
