//! Results and workspaces fit: their coordinates into 32 bits, and their arrays into memory.

use std::collections::BTreeMap;

use super::{Checks, dimension};
use crate::format::ast::RemapOp;
use crate::format::{Coordinate, FormatLevel};
use crate::ir::{self, BinaryOp, Expr as Code, ShapeCheck};
use crate::level::extent;
use crate::notation::concrete::{Access, Index, Role};
use crate::notation::start;
use crate::plan::{Loop, Statement};

/// The most entries of a sparse result that has an entry at each coordinate: about 4 GiB of coordinates and values. More entries are most likely
/// a mistake.
const MOST_ENTRIES: usize = 1 << 28;

/// The largest number of elements of an array whose elements have 8 bytes.
const MOST_PLACES: usize = isize::MAX as usize / 8;

/// How far the indices of a statement run.
type Extents = BTreeMap<Index, Code>;

impl Checks<'_> {
    /// Checks that what a statement makes fits.
    pub fn sizes(&mut self, plan: &Statement, extents: &Extents) {
        self.check_width(plan, extents);
        self.check_places(plan, extents);
        self.check_entries(plan, extents);
    }

    /// Checks that the coordinates of what is made fit into the 32 bits that levels have for each. An index that an operand keeps in such a
    /// level fits, and is not checked.
    fn check_width(&mut self, plan: &Statement, extents: &Extents) {
        let (kernel, stmt) = (self.kernel, &plan.stmt);
        let kept = |access: &Access| -> Vec<Index> {
            let format = kernel.tensor(access.tensor).format.as_ref();
            let levels = format.into_iter().flat_map(|format| &format.levels).filter(|level| level.keeps_coordinates());
            let ranged = kernel.ranged(access);
            let own = levels.filter_map(|level| access.indices.get(level.dimension()?).copied());
            own.filter(|index| ranged.contains(index)).collect()
        };
        let mut narrow: Vec<Index> = Vec::new();
        stmt.assigns(&mut |assign| assign.reads(&mut |access| narrow.extend(kept(access))));
        let most = || ir::usize(crate::level::GAP as usize);
        stmt.assigns(&mut |assign| {
            let tensor = kernel.tensor(assign.target.tensor);
            let Some(format) = tensor.format.as_ref().filter(|_| matches!(tensor.role, Role::Result | Role::Temporary))
            else {
                return;
            };
            let mut check = |extent: Code, name: String| {
                let left_name = format!("`{}` along {name}, which has 32 bits for a coordinate,", tensor.name);
                let left = extent.clone().min(most());
                self.add(ShapeCheck { left, left_name, right: extent, right_name: name });
            };
            for level in format.levels.iter().filter(|level| level.keeps_coordinates()) {
                match &level.coordinate {
                    Coordinate::Index(m) => {
                        let index = assign.target.indices[*m];
                        if !narrow.contains(&index) {
                            check(extents[&index].clone(), format!("`{}`", kernel.indices[index.0]));
                        }
                    }
                    coordinate => {
                        let shape: Vec<Code> =
                            assign.target.indices.iter().map(|index| extents[index].clone()).collect();
                        if let Some(extent) = values(coordinate, &shape) {
                            check(extent, "its computed coordinate".into());
                        }
                    }
                }
            }
        });
    }

    /// Checks that the extents of consecutive dense levels do not multiply to more elements than an array can have. A product that wraps
    /// around would make an array that is too short.
    fn check_places(&mut self, plan: &Statement, extents: &Extents) {
        let kernel = self.kernel;
        plan.stmt.assigns(&mut |assign| {
            let tensor = kernel.tensor(assign.target.tensor);
            let shape: Option<Vec<Code>> =
                assign.target.indices.iter().map(|index| extents.get(index).cloned()).collect();
            let Some(shape) = shape.filter(|_| matches!(tensor.role, Role::Result | Role::Temporary | Role::Workspace))
            else {
                return;
            };
            let whole = |m: usize| {
                let index = assign.target.indices[m];
                let named = format!("`{}`", kernel.indices[index.0].to_lowercase());
                Some((shape[m].clone(), if self.is_unnamed(index) { dimension(m) } else { named }))
            };
            let of_level = |level: &FormatLevel| match &level.coordinate {
                _ if !level.is_array() => None,
                Coordinate::Index(m) => whole(*m),
                computed => Some((extent(computed, &shape)?, "its computed coordinate".to_owned())),
            };
            let levels: Vec<Option<(Code, String)>> = match &tensor.format {
                None => (0..shape.len()).map(whole).collect(),
                Some(format) => format.levels.iter().map(of_level).collect(),
            };
            // Consecutive dense levels have an element for each combination of their coordinates.
            for run in levels.split(Option::is_none) {
                let mut room = ir::usize(MOST_PLACES);
                for (at, (own, name)) in run.iter().flatten().enumerate() {
                    let left_name = format!("the largest `{}` along {name} {}", tensor.name, ShapeCheck::WITHIN_MEMORY);
                    let left = own.clone().min(room.clone());
                    let check = ShapeCheck { left, left_name, right: own.clone(), right_name: name.clone() };
                    let fits = constant_of(&check.left).is_some_and(|left| constant_of(own) == Some(left));
                    if at > 0 && !fits {
                        self.add(check);
                    }
                    room = room / own.clone().max(ir::usize(1));
                }
            }
        });
    }

    /// Bounds sparse results that get an entry at every coordinate, also where no operand has one, if no tensor of the statement has an array of
    /// that length. An example is `y(i) max= A(i,j)`: it is 0, not -inf, in each row without entries of a hypersparse `A`.
    fn check_entries(&mut self, plan: &Statement, extents: &Extents) {
        let (kernel, stmt) = (self.kernel, &plan.stmt);
        let everywhere = |index: &Index| {
            let visits = |one: &Loop| one.index == *index && one.how.visits_all();
            let mut loops = plan.loops.iter().filter(|one| visits(one));
            loops.any(|one| one.body.written().iter().any(|id| plan.is_sparse(*id)))
        };
        let kept = |index: &Index| {
            stmt.accesses().into_iter().any(|access| {
                let format = kernel.tensor(access.tensor).format.as_ref();
                format.is_some_and(|format| format.spans(|m| access.indices.get(m) == Some(index)))
            })
        };
        stmt.assigns(&mut |assign| {
            let tensor = kernel.tensor(assign.target.tensor);
            let mut indices = assign.target.indices.clone();
            indices.retain(everywhere);
            if tensor.role == Role::Workspace || !plan.is_sparse(assign.target.tensor) || indices.iter().all(kept) {
                return;
            }
            let folded = assign.reduce.map_or(String::new(), |reduce| {
                let (symbol, neutral) = (reduce.symbol(), start(assign, reduce, tensor.value));
                format!(", where `{symbol}` folds what is absent unless that is declared as `fill {neutral}`,")
            });
            let mut room = ir::usize(MOST_ENTRIES);
            for index in indices {
                let (own, name) = (extents[&index].clone(), format!("`{}`", kernel.indices[index.0]));
                let along = format!("the largest `{}` along {name}", tensor.name);
                let left_name = format!("{along} {} {}", ShapeCheck::EVERYWHERE, ShapeCheck::WITHIN_MEMORY);
                let (left, right_name) = (own.clone().min(room.clone()), format!("{name}{folded}"));
                self.add(ShapeCheck { left, left_name, right: own.clone(), right_name });
                room = room / own.max(ir::usize(1));
            }
        });
    }
}

/// How many values a coordinate has, or more; `None` if it counts entries, or always fits.
fn values(coordinate: &Coordinate, extents: &[Code]) -> Option<Code> {
    // A difference has no more values than both indices together.
    if let Coordinate::Binary(RemapOp::Sub, ..) = coordinate {
        return extents.iter().cloned().reduce(|a, b| a + b);
    }
    // Bits that are cut out of indices, as in Morton order, fit whatever the indices are.
    let longest = vec![ir::usize(usize::MAX); extents.len()];
    let fits = |most: u128| most <= u128::from(crate::level::GAP);
    if coordinate.counts() || extent(coordinate, &longest).as_ref().and_then(constant_of).is_some_and(fits) {
        return None;
    }
    // Any other coordinate is taken to have no more values than the longest index.
    extent(coordinate, extents).or_else(|| extents.iter().cloned().reduce(Code::max))
}

/// The value of a computation of constants, as extents are computed, without overflow.
fn constant_of(code: &Code) -> Option<u128> {
    match code {
        Code::Literal(ir::Literal::Usize(value)) => Some(*value as u128),
        Code::Binary(op, left, right) => {
            let (left, right) = (constant_of(left)?, constant_of(right)?);
            match op {
                BinaryOp::Add => Some(left.saturating_add(right)),
                BinaryOp::Sub => left.checked_sub(right),
                BinaryOp::Mul => Some(left.saturating_mul(right)),
                BinaryOp::Div => left.checked_div(right),
                BinaryOp::Min => Some(left.min(right)),
                BinaryOp::Max => Some(left.max(right)),
                _ => None,
            }
        }
        _ => None,
    }
}
