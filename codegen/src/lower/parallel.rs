//! Parallel loops: what each iteration owns, and results that are counted before they are filled.
//!
//! ```text
//! y(i) = …   dense           iteration i owns y[i], or the row of it
//! t += …     scalar          folded by each task, then over all tasks
//! C(i,j) = … compressed      first every iteration counts the entries of its row; a prefix sum says where each row begins;
//!                            then every iteration fills its own segment
//! ```
//!
//! What cannot be dealt out so is refused: two iterations never write the same place. An outermost loop that nobody has asked to
//! be parallel is, where it can be, is not made to compute anything twice, and gains by it. Floating-point sums may then be
//! added up in another order.

use std::collections::BTreeMap;

use super::loops::{Merge, Plan};
use super::nest::{Lower, Phase, Source, State, Storage};
use super::operand::level_indices;
use super::value::fold;
use super::{Stopped, storage};
use crate::diagnostic::{Diagnostic, Span};
use crate::ir::{self, Block, Domain, Expr as Code, Owned, Partition, Reduce, Scalar, Stmt as IrStmt, Var};
use crate::level::Walk;
use crate::notation::concrete::{Access, Assign, Index, Stmt, TensorId};
use crate::notation::transform::made_inside;

/// The most arrays that one parallel loop writes: the runtime deals out no more.
const MOST_OWNED: usize = 8;

/// What the iterations of a parallel loop write outside of it.
#[derive(Default)]
pub(super) struct Shares {
    pub owned: Vec<Owned>,
    pub reductions: Vec<(Var, Reduce)>,
    /// Whether iterations own something by the position of their coordinate.
    by_position: bool,
}

impl Lower<'_> {
    /// `forall(index, parallel, body)`.
    pub(super) fn parallel(&mut self, index: Index, body: &Stmt, span: Span, state: &State) -> Result<Block, Stopped> {
        if self.scratch.is_some() {
            return Err(self.refuse(
                index,
                span,
                "it stands inside of another parallel loop",
                "let one of them run in order",
            ));
        }
        let counted: Vec<TensorId> =
            body.written().into_iter().filter(|id| matches!(self.stores[id.0], Some(Storage::Append(_)))).collect();
        if counted.is_empty() {
            return self.parallel_loop(index, body, span, state);
        }
        if !state.path.is_empty() {
            return Err(self.refuse(
                index,
                span,
                "a sparse result is made in it, and it stands inside of another loop",
                "let the outermost loop run in parallel",
            ));
        }
        let mut block = Block::new();
        self.phase(&counted, |_, _| Phase::Count);
        block.append(self.parallel_loop(index, body, span, state)?);
        for id in &counted {
            if let Some(Storage::Append(append)) = &self.stores[id.0] {
                let len = || ir::load(append.pos, ir::len(append.pos) - ir::usize(1));
                block.push(IrStmt::PrefixSum(append.pos));
                // Memory that is asked for zeroed is not touched before it is filled, by several threads.
                block.push(IrStmt::NewArray { var: append.crd, len: len(), fill: ir::lit(ir::Literal::U32(0)) });
                let zero =
                    |vals: Var, this: &Self| ir::lit(this.vars[vals].ty.array_scalar().unwrap_or(Scalar::F64).zero());
                block.extend(append.vals.map(|vals| IrStmt::NewArray {
                    var: vals,
                    len: len(),
                    fill: zero(vals, self),
                }));
            }
        }
        self.phase(&counted, |this, name| Phase::Fill(this.fresh(format!("{name}_at"), Scalar::Usize)));
        block.append(self.parallel_loop(index, body, span, state)?);
        self.phase(&counted, |_, _| Phase::Filled);
        Ok(block)
    }

    /// The outermost loop over `index` in parallel where its iterations do not meet and have enough to do; `None` if it runs in
    /// order. Rows of a sparse result are computed twice in parallel, which is left to who asks for it.
    pub(super) fn automatic(
        &mut self,
        index: Index,
        body: &Stmt,
        span: Span,
        state: &State,
    ) -> Result<Option<Block>, Stopped> {
        let appends = body.written().iter().any(|id| matches!(self.stores[id.0], Some(Storage::Append(_))));
        // A loop that only copies is bound by memory, and done before tasks have started.
        let works = loops_inside(body) || self.folds_only(body);
        if appends || !works || self.scratch.is_some() || self.automatic {
            return Ok(None);
        }
        let mut inside = state.clone();
        inside.path.push(index);
        if matches!(self.how(index, body, &inside)?, Plan::Once(once) if !once.merged.is_empty()) {
            // Going by the entries costs less than dealing out the whole dimension.
            return Ok(None);
        }
        let before = (self.vars.clone(), self.stores.clone(), self.operands.clone());
        let before = (before, self.prelude.clone());
        self.automatic = true;
        let tried = self.parallel_loop(index, body, span, state);
        self.automatic = false;
        match tried {
            Ok(block) => Ok(Some(block)),
            Err(Stopped::Wrong(_)) => {
                let ((vars, stores, operands), prelude) = before;
                (self.vars, self.stores, self.operands) = (vars, stores, operands);
                (self.prelude, self.scratch) = (prelude, None);
                Ok(None)
            }
            Err(anew) => Err(anew),
        }
    }

    /// Whether all that a loop does is to fold into scalars.
    fn folds_only(&self, body: &Stmt) -> bool {
        body.written().iter().all(|id| self.kernel.tensor(*id).rank == 0)
    }

    fn phase(&mut self, ids: &[TensorId], mut phase: impl FnMut(&mut ir::Vars, &str) -> Phase) {
        for id in ids {
            let name = storage::prefix(&self.kernel.tensor(*id).name);
            if let Some(Storage::Append(append)) = &mut self.stores[id.0] {
                append.phase = phase(&mut self.vars, &name);
            }
        }
    }

    fn refuse(&self, index: Index, span: Span, why: impl Into<String>, help: &str) -> Stopped {
        let name = &self.kernel.indices[index.0];
        Stopped::Wrong(Box::new(
            Diagnostic::new(span, format!("the loop over `{name}` cannot run in parallel")).note(why).help(help),
        ))
    }

    /// Refuses a loop whose iterations are found by going through operands.
    fn refuse_entries<'o>(&self, index: Index, span: Span, operands: impl Iterator<Item = &'o usize>) -> Stopped {
        let name = |at: &usize| format!("`{}`", self.kernel.tensor(self.operands[*at].access.tensor).name);
        let names: Vec<String> = operands.map(name).collect();
        let why = format!("its values are found by going through {}, entry by entry", names.join(" and "));
        self.refuse(index, span, why, "run an index in parallel whose levels are dense, or can be searched")
    }

    fn parallel_loop(&mut self, index: Index, body: &Stmt, span: Span, state: &State) -> Result<Block, Stopped> {
        let mut inside = state.clone();
        inside.path.push(index);
        let how = match self.how(index, body, &inside)? {
            // Where nothing is merged, each iteration may fold for itself.
            Plan::Once(_) => self.merge(index, body, &inside, usize::MAX)?,
            how => how,
        };
        let Merge { active, merged, mut lattice } = match how {
            Plan::Cases(merge) | Plan::Once(merge) => merge,
            Plan::Flags(flags) => return Err(self.refuse_entries(index, span, flags.merged.iter())),
        };
        if lattice.points.is_empty() {
            return Ok(Block::new());
        }
        let shares = self.shares(index, body, span, state)?;
        if shares.owned.len() > MOST_OWNED {
            let why = format!("its iterations write {} arrays, and {MOST_OWNED} can be dealt out", shares.owned.len());
            return Err(self.refuse(index, span, why, "split it into several loops"));
        }
        let appends = body.written().iter().any(|id| matches!(self.stores[id.0], Some(Storage::Append(_))));
        let i = self.vars.fresh(self.kernel.indices[index.0].to_lowercase(), Scalar::Usize);
        inside.indices.insert(index, i.into());
        // Rows that are dealt out by their numbers are looked up, where that is possible.
        let all = (1 << merged.len()) - 1;
        let searched = (0..merged.len()).filter(|&n| self.can_locate(merged[n], state)).fold(0, |set, n| set | 1 << n);
        let leader = match lattice.loops().as_slice() {
            [only] if only.count_ones() == 1 => Some(only.trailing_zeros() as usize),
            _ => None,
        };
        let walk = leader.map(|n| self.walk(merged[n], &inside));
        let outer = leader.is_some_and(|n| self.holds_rows(merged[n], &inside));
        let by_entries = outer && !appends && shares.reductions.is_empty();
        if searched == all && !by_entries {
            if self.automatic && !lattice.whole {
                let why = "looking up every row costs more than going through those that there are";
                return Err(self.refuse(index, span, why, "ask for it: `forall(…, parallel, …)`"));
            }
            lattice.over_dimension(searched);
        }
        let mut steppers = BTreeMap::new();
        let (domain, iterated) = if lattice.whole && all & !lattice.located == 0 {
            (Domain::Range { lo: ir::usize(0), hi: self.extents[&index].clone() }, 0)
        } else {
            match (leader, walk) {
                (Some(n), Some(Walk::Interval { lo, hi, position })) => {
                    let pos = storage::Pos::At(position(i.into()));
                    steppers.insert(n, super::iterate::Stepper::fixed(i.into(), pos));
                    (Domain::Range { lo, hi }, 1 << n)
                }
                (Some(n), Some(Walk::Entries { store }))
                    if by_entries && self.reached(merged[n], &inside).flag.is_none() =>
                {
                    let Source::Levels(levels, _) = self.operands[merged[n]].source.clone() else {
                        return Err(self.refuse(
                            index,
                            span,
                            "a workspace is gone through",
                            "run another index in parallel",
                        ));
                    };
                    let depth = self.reached(merged[n], state).depth;
                    let name = format!("{}_entry", self.tensor_name(merged[n]));
                    let value = levels.entry_type(depth).map(|ty| self.vars.fresh(name, ty));
                    let pos = levels.below(depth, value.map_or(ir::bool(true), Code::Var));
                    steppers.insert(n, super::iterate::Stepper::fixed(i.into(), pos));
                    (Domain::Entries { store, value }, 1 << n)
                }
                (Some(n), Some(Walk::Positions { lo, hi, coordinate, present: None }))
                    if !appends && !self.is_chained(merged[n], &inside) && self.is_ordered(merged[n], state) =>
                {
                    let tensor = self.tensor_name(merged[n]);
                    let p = self.vars.fresh(format!("{tensor}_p"), Scalar::Usize);
                    let Code::Cast(Scalar::Usize, stored) = coordinate(p.into()) else {
                        return Err(self.refuse(
                            index,
                            span,
                            "its coordinates are computed",
                            "run another index in parallel",
                        ));
                    };
                    let Code::Load(crd, _) = *stored else {
                        return Err(self.refuse(
                            index,
                            span,
                            "its coordinates are computed",
                            "run another index in parallel",
                        ));
                    };
                    steppers.insert(n, super::iterate::Stepper::fixed(i.into(), storage::Pos::At(p.into())));
                    (Domain::Listed { lo, hi, position: p, crd }, 1 << n)
                }
                _ => {
                    let searched = (0..merged.len()).filter(|n| lattice.located & (1 << n) == 0);
                    return Err(self.refuse_entries(index, span, searched.map(|n| &merged[n])));
                }
            }
        };
        if shares.by_position && !matches!(domain, Domain::Listed { .. }) {
            let why = "a result is stored like an operand that the loop does not go through";
            return Err(self.refuse(index, span, why, "run another index in parallel"));
        }
        self.scratch = Some(Block::new());
        let mut inner = Block::new();
        for id in body.written() {
            if let Some(Storage::Append(append)) = &self.stores[id.0]
                && let Phase::Fill(at) = append.phase
            {
                inner.push(IrStmt::Let(at, ir::load(append.pos, i)));
            }
        }
        let cases = self.cases(&lattice, iterated, Vec::new(), &merged, &steppers, &active, body, &inside);
        let scratch = self.scratch.take().unwrap_or_default();
        inner.append(cases?);
        if by_entries && !scratch.is_empty() {
            let why = "each task would need a workspace of its own, and an outer level deals out its rows itself";
            return Err(self.refuse(index, span, why, "let the loop run in order"));
        }
        Ok(IrStmt::Parallel {
            var: i,
            domain,
            owned: shares.owned,
            reductions: shares.reductions,
            scratch,
            body: inner,
        }
        .into())
    }

    /// Whether the next level of an operand is an outer one: a store of rows.
    pub(super) fn holds_rows(&self, at: usize, state: &State) -> bool {
        let Source::Levels(levels, _) = &self.operands[at].source else { return false };
        let depth = self.reached(at, state).depth;
        depth == 0 && levels.format.levels.len() == 2 && levels.format.levels.iter().all(|level| level.is_store())
    }

    /// Whether the next level of an operand can be searched.
    pub(super) fn can_locate(&self, at: usize, state: &State) -> bool {
        match &self.operands[at].source {
            Source::Levels(levels, _) => {
                let reached = self.reached(at, state);
                reached.flag.is_none() && levels.format.capabilities(reached.depth).locate
            }
            Source::Marked(..) | Source::Unmade => false,
        }
    }

    /// What belongs to each iteration, and what all of them fold into.
    pub(super) fn shares(&self, index: Index, body: &Stmt, span: Span, state: &State) -> Result<Shares, Stopped> {
        let mut assigns: Vec<&Assign> = Vec::new();
        body.assigns(&mut |assign| assigns.push(assign));
        let mut shares = Shares::default();
        let mut inner = Vec::new();
        made_inside(body, &mut inner);
        for assign in &assigns {
            let id = assign.target.tensor;
            if inner.contains(&id) {
                continue;
            }
            let name = self.kernel.show_access(&assign.target);
            let i = &self.kernel.indices[index.0];
            let one = |why: String, help: &str| Err(self.refuse(index, span, why, help));
            let read = assigns.iter().any(|other| {
                let mut foreign = false;
                other.reads(&mut |access| {
                    let same = access.tensor == id && same_part(access, &assign.target, index);
                    foreign |= self.kernel.base(access.tensor) == self.kernel.base(id) && !same;
                });
                foreign
            });
            if read {
                let name = &self.kernel.tensor(id).name;
                return one(
                    format!("iterations read what others write of `{name}`"),
                    "compute it in a statement of its own",
                );
            }
            match &self.stores[id.0] {
                Some(Storage::Scalar { flag: Some(_), .. }) => {
                    return one(
                        format!(
                            "whether anything is folded into `{name}` matters, and no task knows that of the others"
                        ),
                        "let the loop run in order",
                    );
                }
                Some(Storage::Scalar { var, .. }) => {
                    let Some(reduce) = assign.reduce else {
                        return one(format!("every iteration assigns `{name}`"), "fold into it: `+=`, `min=`, …");
                    };
                    let share = (*var, fold(reduce, storage::scalar(self.kernel.tensor(id).value)));
                    match shares.reductions.iter().find(|(known, _)| known == var) {
                        Some(known) if *known != share => {
                            return one(format!("`{name}` is folded into in two ways"), "use one reduction");
                        }
                        Some(_) => {}
                        None => shares.reductions.push(share),
                    }
                }
                Some(Storage::Levels(levels)) => {
                    let of = level_indices(levels, &assign.target);
                    if let Some(vals) = levels.vals {
                        self.own(&mut shares, vals, index, &of, &levels.extents, &name, span, state)?;
                    }
                }
                Some(Storage::Dense { shape, vals, marks: None }) => {
                    self.own(&mut shares, *vals, index, &assign.target.indices, shape, &name, span, state)?;
                }
                Some(Storage::Append(append)) => {
                    if append.rows != [index] || !append.outer.is_empty() || append.tail.is_some() {
                        return one(
                            format!("the entries of `{name}` are dealt out by rows, and `{i}` does not number them"),
                            "let the index of the dense level run in parallel, with one compressed level below it",
                        );
                    }
                    let pos = append.pos;
                    let parts = match append.phase {
                        Phase::Count => {
                            let each = Partition::Each { offset: ir::usize(1), stride: ir::usize(1) };
                            vec![Owned { array: pos, partition: each }]
                        }
                        _ => std::iter::once(append.crd)
                            .chain(append.vals)
                            .map(|array| Owned { array, partition: Partition::Segments { pos, stride: ir::usize(1) } })
                            .collect(),
                    };
                    shares
                        .owned
                        .extend(parts.into_iter().filter(|part| !shares.owned.contains(part)).collect::<Vec<_>>());
                }
                Some(Storage::Shaped(shaped)) => {
                    let Some((array, partition)) = shaped.partition(index) else {
                        return one(
                            format!(
                                "the entries of `{name}` are dealt out by its outermost level, and `{i}` is not its index"
                            ),
                            "let the index of the outermost level run in parallel, with one compressed level below it",
                        );
                    };
                    shares.by_position |= shaped.by_position();
                    let share = Owned { array, partition };
                    if !shares.owned.contains(&share) {
                        shares.owned.push(share);
                    }
                }
                Some(Storage::Viewed(_)) => {
                    return one(
                        format!("where `{name}` writes is computed, and iterations may write the same element"),
                        "let the loop run in order",
                    );
                }
                Some(Storage::List(_)) if assign.reduce.is_some() => {
                    let entries: Vec<&str> =
                        assign.target.indices.iter().map(|index| &self.kernel.indices[index.0][..]).collect();
                    let (last, target) = (entries.last().copied().unwrap_or_default(), &self.kernel.tensor(id).name);
                    return one(
                        format!("`{name}` is folded into, and the entries of a sparse result are appended, each once"),
                        &format!(
                            "fold a row in a workspace first: `forall({last}, {target}({}) = w({last})) where …`; or return a dense \
                             format",
                            entries.join(","),
                        ),
                    );
                }
                _ => {
                    return one(
                        format!("entries of `{name}` are collected in the order in which they are computed"),
                        "run the loops in the order of the result's levels, the outermost of them dense",
                    );
                }
            }
        }
        Ok(shares)
    }

    /// The part of a dense array that one iteration writes.
    #[allow(clippy::too_many_arguments, reason = "all of it describes one array")]
    fn own(
        &self,
        shares: &mut Shares,
        array: Var,
        index: Index,
        of: &[Index],
        extents: &[Code],
        name: &str,
        span: Span,
        state: &State,
    ) -> Result<(), Stopped> {
        let i = &self.kernel.indices[index.0];
        let place = of.iter().position(|known| *known == index);
        let Some(place) = place.filter(|&place| of[..place].iter().all(|above| state.indices.contains_key(above)))
        else {
            return Err(self.refuse(
                index,
                span,
                format!("several iterations may write the same element of `{name}`"),
                &match place {
                    None => format!("run an index of `{name}` in parallel, not `{i}`"),
                    Some(_) => format!("run `{}` in parallel, or around it", self.kernel.indices[of[0].0]),
                },
            ));
        };
        let stride = extents[place + 1..].iter().cloned().reduce(|a, b| a * b).unwrap_or(ir::usize(1));
        let before = of[..place].iter().zip(extents).map(|(above, extent)| (state.indices[above].clone(), extent));
        let row = before.fold(None, |row: Option<Code>, (c, extent)| {
            Some(match row {
                None => c,
                Some(row) => row * extent.clone() + c,
            })
        });
        let offset = row.map_or(ir::usize(0), |row| row * extents[place].clone() * stride.clone());
        let share = Owned { array, partition: Partition::Each { offset, stride } };
        if !shares.owned.contains(&share) {
            shares.owned.push(share);
        }
        Ok(())
    }
}

/// Whether there is a loop in a statement.
pub(super) fn loops_inside(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Assign(_) => false,
        Stmt::Forall { .. } => true,
        Stmt::Where { consumer, producer } => loops_inside(consumer) || loops_inside(producer),
        Stmt::Sequence(parts) => parts.iter().any(loops_inside),
    }
}

/// Whether an access stays within the part that an iteration owns by writing `target`.
fn same_part(access: &Access, target: &Access, index: Index) -> bool {
    !target.indices.is_empty()
        && access.indices.iter().zip(&target.indices).all(|(a, b)| a == b || (*b != index && *a != index))
        && access.indices.contains(&index)
}
