//! Loops, workspaces and assignments.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::list::List;
use super::storage::{Levels, Pos, literal, scalar};
use super::value::{Stored, fold};
use super::{Stopped, unsupported};
use crate::diagnostic::Span;
use crate::format::Coordinate;
use crate::ir::{self, Block, Expr as Code, Scalar, Stmt as IrStmt, Type, Var, Vars};
use crate::lattice::{Lattice, MOST_MERGED, Set};
use crate::level::Walk;
use crate::notation::algebra::{Presence, changes_nothing, simplify};
use crate::notation::ast::{Literal, ValueType};
use crate::notation::concrete::*;
use crate::notation::type_of;

/// Where a tensor lies.
#[derive(Clone, Debug)]
pub(super) enum Storage {
    /// A scalar; `flag` tells whether anything was written to it.
    Scalar { var: Var, flag: Option<Var> },
    /// Levels.
    Levels(Rc<Levels>),
    /// A dense workspace in row-major order.
    Dense { shape: Vec<Code>, vals: Var, marks: Option<Marks> },
    /// A sparse result under collection.
    List(List),
    /// A sparse result whose entries come in its own order.
    Append(Append),
}

/// What remembers where something was written to a workspace of one dimension.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    /// Whether it was, for each coordinate.
    pub set: Var,
    /// The coordinates where it was.
    pub list: Var,
}

/// A result of levels that are dense down to the last one, which is compressed, under assembly.
#[derive(Clone, Debug)]
pub(super) struct Append {
    pub pos: Var,
    pub crd: Var,
    pub vals: Option<Var>,
    /// The extents of the dense levels and the indices that they keep.
    pub dense: Vec<(usize, Code)>,
    /// The index that the compressed level keeps.
    pub last: usize,
}

/// How an access is read while loops run.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    access: Access,
    /// The loops over its indices, outermost first, as they stand around the assignment.
    order: Vec<Index>,
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    /// Level by level; each level with the index it keeps.
    Levels(Rc<Levels>, Vec<Index>),
    /// The list of what was written to a workspace.
    Marked(Var, Marks),
}

/// What is known of an operand at some place in the loops.
#[derive(Clone, Debug)]
pub(super) struct Reached {
    /// Levels that have been resolved.
    depth: usize,
    pos: Pos,
    above: Vec<Code>,
    absent: bool,
}

/// What is known at some place in the loops.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    indices: BTreeMap<Index, Code>,
    /// The loops around, outermost first.
    path: Vec<Index>,
    operands: BTreeMap<usize, Reached>,
}

/// Lowers the statements of one kernel.
pub(super) struct Lower<'k> {
    pub kernel: &'k Kernel,
    pub vars: Vars,
    pub stores: Vec<Option<Storage>>,
    /// Tensors that an earlier statement wrote.
    pub written: BTreeSet<TensorId>,
    /// How far the indices of the current statement run.
    pub extents: BTreeMap<Index, Code>,
    pub operands: Vec<Operand>,
    /// Accesses that must be sorted into the order of the loops, found out while lowering.
    pub forced: BTreeSet<String>,
    /// Where the statement stands.
    pub span: Span,
    /// Statements that run before the current one.
    pub prelude: Block,
}

impl Lower<'_> {
    /// The operands of a statement. Those that cannot be walked in the order of the loops are sorted first.
    pub(super) fn collect(&mut self, stmt: &Stmt, path: &mut Vec<Index>) -> Result<(), Stopped> {
        match stmt {
            Stmt::Assign(assign) => {
                let mut accesses = Vec::new();
                assign.reads(&mut |access| accesses.push(access.clone()));
                for access in accesses {
                    self.operand(access, path)?;
                }
                Ok(())
            }
            Stmt::Forall { index, body, .. } => {
                path.push(*index);
                let done = self.collect(body, path);
                path.pop();
                done
            }
            Stmt::Where { consumer, producer } => {
                self.collect(producer, path)?;
                self.collect(consumer, path)
            }
            Stmt::Sequence(parts) => parts.iter().try_for_each(|part| self.collect(part, path)),
        }
    }

    fn order_of(access: &Access, path: &[Index]) -> Vec<Index> {
        path.iter().copied().filter(|index| access.indices.contains(index)).collect()
    }

    fn key(&self, access: &Access, order: &[Index]) -> String {
        format!("{:?} {:?} {} {order:?}", access.tensor, access.indices, access.fill)
    }

    fn operand(&mut self, access: Access, path: &[Index]) -> Result<(), Stopped> {
        let order = Self::order_of(&access, path);
        if self.operands.iter().any(|operand| operand.access == access && operand.order == order) {
            return Ok(());
        }
        let Some(Storage::Levels(levels)) = self.stores[access.tensor.0].clone() else { return Ok(()) };
        if levels.format.is_full() && levels.format.is_plain() && Self::all_located(&levels) {
            return Ok(());
        }
        let direct = levels.format.is_plain() && order.len() == access.indices.len() && {
            let of: Vec<Index> = level_indices(&levels, &access);
            let place = |index: &Index| path.iter().position(|p| p == index);
            (0..of.len()).all(|at| {
                let properties = levels.format.levels[at].properties;
                let searched = properties.full && levels.format.capabilities(at).locate;
                searched
                    || (properties.ordered
                        && properties.unique
                        && (0..at).all(|above| place(&of[above]) < place(&of[at])))
            })
        };
        let source = if direct && !self.forced.contains(&self.key(&access, &order)) {
            let of = level_indices(&levels, &access);
            Source::Levels(levels, of)
        } else {
            self.sorted(&levels, &access, &order)?
        };
        self.operands.push(Operand { access, order, source });
        Ok(())
    }

    fn all_located(levels: &Levels) -> bool {
        (0..levels.format.levels.len()).all(|at| levels.format.capabilities(at).locate)
    }

    /// The operand sorted by the order of the loops, as compressed levels.
    fn sorted(&mut self, levels: &Rc<Levels>, access: &Access, order: &[Index]) -> Result<Source, Stopped> {
        let name = format!("{}_{}", super::storage::prefix(&self.kernel.tensor(access.tensor).name), self.names(order));
        let kinds = crate::level::Kinds::fixed();
        let compressed = kinds.get("compressed").expect("always there");
        let switches = crate::level::Switches::default();
        let format = crate::format::Format {
            name: "sorted".into(),
            indices: order.iter().map(|index| self.kernel.indices[index.0].clone()).collect(),
            levels: (0..order.len())
                .map(|m| crate::format::FormatLevel {
                    coordinate: Coordinate::Index(m),
                    properties: compressed.properties(&switches),
                    kind: compressed.clone(),
                    args: Vec::new(),
                    switches: switches.clone(),
                })
                .collect(),
            fill: None,
            inverse: (0..order.len()).map(crate::format::Inverse::Level).collect(),
        };
        let value = levels.value;
        let own = (value != ValueType::Pattern).then(|| scalar(value));
        let mut block = Block::new();
        let list = List::declare(&mut self.vars, &mut block, &name, order.len(), own);
        let source = levels.clone();
        block.append(levels.drive(&mut self.vars, &mut |_, coords, pos| {
            let mut picked = Vec::new();
            let mut diagonal = None;
            for index in order {
                let mut places = access.indices.iter().enumerate().filter(|(_, i)| *i == index).map(|(m, _)| m);
                let first = places.next().expect("an index of the access");
                for other in places {
                    let same = coords[first].clone().equal(coords[other].clone());
                    diagonal = Some(match diagonal {
                        None => same,
                        Some(all) => Code::and(all, same),
                    });
                }
                picked.push(coords[first].clone());
            }
            let push = list.push(picked, source.value_at(&pos));
            match diagonal {
                None => push,
                Some(diagonal) => IrStmt::when(diagonal, push).into(),
            }
        }));
        let shape: Vec<Code> = order.iter().map(|index| self.extents[index].clone()).collect();
        let sum = fold(Reduction::Add, scalar(value));
        let made = list.finish(&mut self.vars, &mut block, &name, &format, shape, value, Literal::Int(0), sum);
        let (made, _) = made.ok_or_else(|| unsupported(access.span, "this tensor cannot be sorted"))?;
        self.prelude.push(IrStmt::Comment(format!(
            "{} in the order {}",
            self.kernel.show_access(access),
            order.iter().map(|index| self.kernel.indices[index.0].as_str()).collect::<Vec<_>>().join(", ")
        )));
        self.prelude.append(block);
        Ok(Source::Levels(Rc::new(made), order.to_vec()))
    }

    fn names(&self, order: &[Index]) -> String {
        order.iter().map(|index| self.kernel.indices[index.0].to_lowercase()).collect()
    }

    fn find(&self, access: &Access, state: &State) -> Option<usize> {
        let order = Self::order_of(access, &state.path);
        self.operands.iter().position(|operand| operand.access == *access && operand.order == order)
    }

    pub(super) fn index_value(&self, index: Index, state: &State) -> Code {
        state.indices[&index].clone()
    }

    fn reached<'s>(&self, at: usize, state: &'s State) -> std::borrow::Cow<'s, Reached>
    where
        Reached: Clone,
    {
        match state.operands.get(&at) {
            Some(reached) => std::borrow::Cow::Borrowed(reached),
            None => std::borrow::Cow::Owned(Reached {
                depth: 0,
                pos: Pos::At(ir::usize(0)),
                above: Vec::new(),
                absent: false,
            }),
        }
    }

    fn depth_of(&self, at: usize) -> usize {
        match &self.operands[at].source {
            Source::Levels(levels, _) => levels.format.levels.len(),
            Source::Marked(..) => 1,
        }
    }

    /// Whether `access` has an entry here, if that is known.
    pub(super) fn present(&self, access: &Access, state: &State) -> Option<bool> {
        let at = self.find(access, state)?;
        let reached = self.reached(at, state);
        if reached.absent {
            Some(false)
        } else if reached.depth == self.depth_of(at) {
            Some(true)
        } else {
            None
        }
    }

    fn presence(&self, access: &Access, state: &State, gone: &[TensorId]) -> Presence {
        if gone.contains(&access.tensor) {
            return Presence::Absent;
        }
        match self.present(access, state) {
            Some(true) => Presence::Present,
            Some(false) => Presence::Absent,
            None => Presence::Unknown,
        }
    }

    /// The flag of a scalar workspace.
    pub(super) fn flag(&self, access: &Access) -> Option<Var> {
        match self.stores[access.tensor.0] {
            Some(Storage::Scalar { flag, .. }) => flag,
            _ => None,
        }
    }

    /// Presence where nothing was written to the workspaces that remember it.
    pub(super) fn bare_presence(&self, access: &Access) -> Presence {
        if self.flag(access).is_some() { Presence::Absent } else { Presence::Unknown }
    }

    /// The value of an access, in the type of its tensor.
    pub(super) fn read(&mut self, access: &Access, state: &State, block: &mut Block) -> Result<Code, Stopped> {
        let own = scalar(self.kernel.tensor(access.tensor).value);
        if let Some(at) = self.find(access, state) {
            let reached = self.reached(at, state).into_owned();
            if reached.absent {
                return Ok(literal(access.fill, own));
            }
            return Ok(match (&self.operands[at].source, &reached.pos) {
                (Source::Levels(levels, _), pos) => levels.value_at(pos),
                (Source::Marked(vals, _), _) => ir::load(*vals, self.index_value(access.indices[0], state)),
            });
        }
        match self.stores[access.tensor.0].clone() {
            Some(Storage::Scalar { var, .. }) => Ok(var.into()),
            Some(Storage::Dense { shape, vals, .. }) => {
                let coords: Vec<Code> = access.indices.iter().map(|&index| self.index_value(index, state)).collect();
                Ok(ir::load(vals, row_major(&shape, &coords)))
            }
            Some(Storage::Levels(levels)) => {
                let pos = self.locate_all(&levels, access, state, block)?;
                Ok(levels.value_at(&pos))
            }
            _ => {
                let name = &self.kernel.tensor(access.tensor).name;
                Err(unsupported(access.span, format!("`{name}` is read while it is being made")))
            }
        }
    }

    /// The position of an access into levels all of which can be searched.
    fn locate_all(
        &mut self,
        levels: &Levels,
        access: &Access,
        state: &State,
        block: &mut Block,
    ) -> Result<Pos, Stopped> {
        let mut pos = Pos::At(ir::usize(0));
        let mut above = Vec::new();
        for (at, index) in level_indices(levels, access).into_iter().enumerate() {
            let coordinate = self.index_value(index, state);
            let located = levels
                .locate(at, &pos, &above, coordinate.clone(), &mut self.vars)
                .ok_or_else(|| unsupported(access.span, "this tensor cannot be searched"))?;
            block.append(located.setup);
            pos = Pos::At(located.position);
            above.push(coordinate);
        }
        Ok(pos)
    }

    /// What an assignment comes to where operands are present as `state` says; `None` if nothing is to be done.
    fn effect(&self, assign: &Assign, state: &State, gone: &[TensorId]) -> Option<Expr> {
        let presence = |access: &Access| self.presence(access, state, gone);
        let tensor = self.kernel.tensor(assign.target.tensor);
        let fresh = tensor.role != Role::Param && !self.written.contains(&assign.target.tensor);
        let value = match &assign.mask {
            Some(mask) if presence(&mask.access) == if mask.negated { Presence::Present } else { Presence::Absent } => {
                if assign.reduce.is_some() {
                    return None;
                }
                Expr::Literal(tensor.fill)
            }
            _ => simplify(&assign.value, &presence),
        };
        if let Expr::Literal(constant) = value {
            let nothing = match assign.reduce {
                Some(reduce) => changes_nothing(reduce, assign.over.as_ref().map(|semiring| semiring.zero), constant),
                None => fresh && same(constant, tensor.fill),
            };
            if nothing {
                return None;
            }
        }
        Some(value)
    }

    fn nothing_to_do(&self, stmt: &Stmt, state: &State, gone: &[TensorId]) -> bool {
        match stmt {
            Stmt::Assign(assign) => self.effect(assign, state, gone).is_none(),
            Stmt::Forall { body, .. } => self.nothing_to_do(body, state, gone),
            Stmt::Where { consumer, producer } => {
                if self.nothing_to_do(producer, state, gone) {
                    let gone = [gone, &producer.written()].concat();
                    return self.nothing_to_do(consumer, state, &gone);
                }
                self.nothing_to_do(consumer, state, gone)
            }
            Stmt::Sequence(parts) => parts.iter().all(|part| self.nothing_to_do(part, state, gone)),
        }
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt, state: &State) -> Result<Block, Stopped> {
        match stmt {
            Stmt::Assign(assign) => self.assign(assign, state),
            Stmt::Forall { index, body, .. } => self.forall(*index, body, state),
            Stmt::Where { consumer, producer } => self.where_(consumer, producer, state),
            Stmt::Sequence(parts) => {
                let mut block = Block::new();
                for part in parts {
                    block.append(self.stmt(part, state)?);
                }
                Ok(block)
            }
        }
    }

    fn where_(&mut self, consumer: &Stmt, producer: &Stmt, state: &State) -> Result<Block, Stopped> {
        let mut block = Block::new();
        let mut clear = Block::new();
        let mut marked = Vec::new();
        for id in producer.written() {
            let tensor = self.kernel.tensor(id).clone();
            if tensor.role != Role::Workspace {
                continue;
            }
            let own = scalar(tensor.value);
            let fill = literal(tensor.fill, own);
            let sparse =
                self.nothing_to_do(consumer, state, &[id]) && consumer.written().iter().any(|w| self.is_sparse(*w));
            let prefix = super::storage::prefix(&tensor.name);
            if tensor.rank == 0 {
                let var = self.vars.fresh(prefix.clone(), own);
                block.push(IrStmt::Let(var, fill));
                let remembers = consumer.written().iter().any(|w| self.is_sparse(*w));
                let flag = remembers.then(|| {
                    let flag = self.vars.fresh(format!("{prefix}_set"), Scalar::Bool);
                    block.push(IrStmt::Let(flag, ir::bool(false)));
                    flag
                });
                self.stores[id.0] = Some(Storage::Scalar { var, flag });
                continue;
            }
            let mut indices = None;
            producer.assigns(&mut |assign| {
                if assign.target.tensor == id {
                    indices = Some(assign.target.indices.clone());
                }
            });
            let shape: Vec<Code> =
                indices.unwrap_or_default().iter().map(|index| self.extents[index].clone()).collect();
            let vals = self.vars.fresh(prefix.clone(), Type::vec(own));
            let len = shape.iter().cloned().reduce(|a, b| a * b).unwrap_or(ir::usize(1));
            self.prelude.push(IrStmt::NewArray { var: vals, len: len.clone(), fill: fill.clone() });
            let marks = (tensor.rank == 1 && sparse).then(|| {
                let set = self.vars.fresh(format!("{prefix}_set"), Type::vec(Scalar::Bool));
                let list = self.vars.fresh(format!("{prefix}_list"), Type::vec(Scalar::Usize));
                self.prelude.push(IrStmt::NewArray { var: set, len: len.clone(), fill: ir::bool(false) });
                self.prelude.push(IrStmt::NewVec { var: list, capacity: None });
                Marks { set, list }
            });
            if let Some(marks) = marks {
                let q = self.vars.fresh("q", Scalar::Usize);
                let forget = IrStmt::Store(marks.set, ir::load(marks.list, q), ir::bool(false));
                clear.push(IrStmt::count(q, ir::usize(0), ir::len(marks.list), forget));
                clear.push(IrStmt::Resize { array: marks.list, len: ir::usize(0), fill: ir::usize(0) });
                marked.push((id, vals, marks));
            } else if !state.path.is_empty() {
                block.push(IrStmt::Fill { array: vals, lo: ir::usize(0), hi: len, value: fill });
            }
            self.stores[id.0] = Some(Storage::Dense { shape, vals, marks });
        }
        block.append(self.stmt(producer, state)?);
        for (id, vals, marks) in marked {
            block.push(IrStmt::Sort { array: marks.list, lo: ir::usize(0), hi: ir::len(marks.list), keys: None });
            let mut found = Vec::new();
            reads_of(consumer, id, &mut state.path.clone(), &mut found);
            for (access, path) in found {
                let order = Self::order_of(&access, &path);
                if !self.operands.iter().any(|operand| operand.access == access && operand.order == order) {
                    self.operands.push(Operand { access, order, source: Source::Marked(vals, marks) });
                }
            }
        }
        block.append(self.stmt(consumer, state)?);
        block.append(clear);
        Ok(block)
    }

    fn is_sparse(&self, id: TensorId) -> bool {
        matches!(self.stores[id.0], Some(Storage::List(_) | Storage::Append(_)))
            || matches!(
                self.stores[id.0],
                Some(Storage::Dense { marks: Some(_), .. } | Storage::Scalar { flag: Some(_), .. })
            )
    }

    /// Resolves the levels of an operand that can be searched and whose index has a value.
    fn settle(&mut self, at: usize, state: &mut State, block: &mut Block) -> Result<(), Stopped> {
        let Source::Levels(levels, of) = self.operands[at].source.clone() else { return Ok(()) };
        let mut reached = self.reached(at, state).into_owned();
        while !reached.absent && reached.depth < of.len() {
            let level = &levels.format.levels[reached.depth];
            let searched = level.properties.full && level.kind.capabilities().locate;
            let Some(coordinate) = state.indices.get(&of[reached.depth]).filter(|_| searched).cloned() else { break };
            let Some(located) =
                levels.locate(reached.depth, &reached.pos, &reached.above, coordinate.clone(), &mut self.vars)
            else {
                break;
            };
            block.append(located.setup);
            reached.pos = Pos::At(located.position);
            reached.above.push(coordinate);
            reached.depth += 1;
        }
        state.operands.insert(at, reached);
        Ok(())
    }

    fn forall(&mut self, index: Index, body: &Stmt, state: &State) -> Result<Block, Stopped> {
        let mut block = Block::new();
        let mut state = state.clone();
        state.path.push(index);
        // The operands that the body reads, by the loops around it.
        let mut reads = Vec::new();
        operands_of(body, &mut state.path.clone(), &mut |access, path| {
            reads.push((access.clone(), Self::order_of(access, path)))
        });
        let mut active = Vec::new();
        for (access, order) in reads {
            let found = self.operands.iter().position(|operand| operand.access == access && operand.order == order);
            if let Some(at) = found.filter(|at| !active.contains(at)) {
                active.push(at);
            }
        }
        // Those whose next level keeps this index and has to be gone through.
        let mut merged = Vec::new();
        for &at in &active {
            let reached = self.reached(at, &state);
            if reached.absent || reached.depth >= self.depth_of(at) {
                continue;
            }
            let here = match &self.operands[at].source {
                Source::Levels(levels, of) => {
                    let level = &levels.format.levels[reached.depth];
                    of[reached.depth] == index && !(level.properties.full && level.kind.capabilities().locate)
                }
                Source::Marked(..) => self.operands[at].access.indices == [index],
            };
            if here {
                merged.push(at);
            }
        }
        if merged.len() > MOST_MERGED {
            return Err(unsupported(
                self.span,
                format!(
                    "{} sparse operands meet at `{}`, and {MOST_MERGED} can be merged at once",
                    merged.len(),
                    self.kernel.indices[index.0]
                ),
            ));
        }
        let absent = |state: &State, set: Set, this: &Self| {
            let mut state = state.clone();
            for (n, &at) in merged.iter().enumerate() {
                if set & (1 << n) == 0 {
                    let mut reached = this.reached(at, &state).into_owned();
                    reached.absent = true;
                    state.operands.insert(at, reached);
                }
            }
            state
        };
        let complete = |state: &State, set: Set, this: &Self| {
            // Where an operand's last level has an entry, it is present.
            let mut state = absent(state, set, this);
            for (n, &at) in merged.iter().enumerate() {
                if set & (1 << n) != 0 {
                    let mut reached = this.reached(at, &state).into_owned();
                    reached.depth += 1;
                    state.operands.insert(at, reached);
                }
            }
            state
        };
        let mut locatable = 0;
        for (n, &at) in merged.iter().enumerate() {
            if let Source::Levels(levels, _) = &self.operands[at].source {
                let depth = self.reached(at, &state).depth;
                if levels.format.capabilities(depth).locate {
                    locatable |= 1 << n;
                }
            }
        }
        let lattice =
            Lattice::new(merged.len(), locatable, |set| !self.nothing_to_do(body, &complete(&state, set, self), &[]));
        if lattice.points.is_empty() {
            return Ok(block);
        }
        let name = self.kernel.indices[index.0].to_lowercase();
        let mut iterators = BTreeMap::new();
        if lattice.whole {
            let set = ((1 << merged.len()) - 1) & !lattice.located;
            for (n, &at) in merged.iter().enumerate().filter(|(n, _)| set & (1 << n) != 0) {
                let iterator = self.iterator(at, &name, &state, &mut block)?;
                iterators.insert(n, iterator);
            }
            let i = self.vars.fresh(name, Scalar::Usize);
            state.indices.insert(index, i.into());
            let mut inner = Block::new();
            let mut here = Vec::new();
            for (&n, iterator) in &iterators {
                let present = self.vars.fresh(format!("{}_here", self.tensor_name(merged[n])), Scalar::Bool);
                inner.push(IrStmt::Let(present, iterator.valid().and(iterator.coordinate().equal(i))));
                here.push((n, present));
            }
            let tests = here.iter().map(|&(n, present)| (n, Code::Var(present))).collect();
            inner.append(self.cases(&lattice, set, tests, &merged, &iterators, &active, body, &state)?);
            for (n, present) in here {
                inner.push(IrStmt::when(present.into(), iterators[&n].advance()));
            }
            block.push(IrStmt::count(i, ir::usize(0), self.extents[&index].clone(), inner));
            return Ok(block);
        }
        let loops = lattice.loops();
        if let [only] = loops.as_slice()
            && only.count_ones() == 1
        {
            let n = only.trailing_zeros() as usize;
            block.append(self.single(index, n, &lattice, &merged, &active, body, &state)?);
            return Ok(block);
        }
        let together = loops.iter().fold(0, |all, set| all | set);
        for (n, &at) in merged.iter().enumerate().filter(|(n, _)| together & (1 << n) != 0) {
            let iterator = self.iterator(at, &name, &state, &mut block)?;
            iterators.insert(n, iterator);
        }
        for set in loops {
            let own: Vec<usize> = (0..merged.len()).filter(|n| set & (1 << n) != 0).collect();
            let valid = own.iter().map(|n| iterators[n].valid()).reduce(Code::and).expect("a loop has operands");
            let mut inner = Block::new();
            let mut coordinates = Vec::new();
            for &n in &own {
                let c = self.vars.fresh(format!("{name}_{}", self.tensor_name(merged[n])), Scalar::Usize);
                inner.push(IrStmt::Let(c, iterators[&n].coordinate()));
                coordinates.push((n, c));
            }
            let mut inside = state.clone();
            if let [(_, c)] = coordinates.as_slice() {
                inside.indices.insert(index, Code::Var(*c));
            } else {
                let i = self.vars.fresh(name.clone(), Scalar::Usize);
                let least =
                    coordinates.iter().map(|(_, c)| Code::Var(*c)).reduce(Code::min).expect("a loop has operands");
                inner.push(IrStmt::Let(i, least));
                inside.indices.insert(index, i.into());
            }
            let i = inside.indices[&index].clone();
            let alone = own.len() == 1;
            let tests =
                coordinates.iter().filter(|_| !alone).map(|&(n, c)| (n, Code::Var(c).equal(i.clone()))).collect();
            inner.append(self.cases(&lattice, set, tests, &merged, &iterators, &active, body, &inside)?);
            for (n, c) in coordinates {
                let advance = iterators[&n].advance();
                if alone {
                    inner.append(advance);
                } else {
                    inner.push(IrStmt::when(Code::Var(c).equal(i.clone()), advance));
                }
            }
            block.push(IrStmt::While(valid, inner));
        }
        Ok(block)
    }

    fn tensor_name(&self, at: usize) -> String {
        super::storage::prefix(&self.kernel.tensor(self.operands[at].access.tensor).name)
    }

    /// One operand leads, and what else there is can be looked up.
    #[allow(clippy::too_many_arguments, reason = "the loop being built")]
    fn single(
        &mut self,
        index: Index,
        n: usize,
        lattice: &Lattice,
        merged: &[usize],
        active: &[usize],
        body: &Stmt,
        state: &State,
    ) -> Result<Block, Stopped> {
        let at = merged[n];
        let name = self.kernel.indices[index.0].to_lowercase();
        let tensor = self.tensor_name(at);
        let c = self.vars.fresh(name, Scalar::Usize);
        let mut inside = state.clone();
        inside.indices.insert(index, c.into());
        let walk = self.walk(at, state);
        let mut iterators = BTreeMap::new();
        let place = |pos: Pos| Iterator_ { kind: Kind::Fixed { coordinate: c.into(), pos } };
        match walk {
            Walk::Interval { lo, hi, position } => {
                iterators.insert(n, place(Pos::At(position(c.into()))));
                let inner = self.cases(lattice, 1 << n, Vec::new(), merged, &iterators, active, body, &inside)?;
                Ok(IrStmt::count(c, lo, hi, inner).into())
            }
            Walk::Positions { lo, hi, coordinate, present } => {
                let p = self.vars.fresh(format!("{tensor}_p"), Scalar::Usize);
                iterators.insert(n, place(Pos::At(p.into())));
                let mut inner = Block::from(IrStmt::Let(c, coordinate(p.into())));
                inner.append(self.cases(lattice, 1 << n, Vec::new(), merged, &iterators, active, body, &inside)?);
                if let Some(present) = present {
                    inner = IrStmt::when(present(p.into()), inner).into();
                }
                Ok(IrStmt::count(p, lo, hi, inner).into())
            }
            Walk::One { position, coordinate, present } => {
                iterators.insert(n, place(Pos::At(position)));
                let mut inner = Block::from(IrStmt::Let(c, coordinate));
                inner.append(self.cases(lattice, 1 << n, Vec::new(), merged, &iterators, active, body, &inside)?);
                Ok(match present {
                    Some(present) => IrStmt::when(present, inner).into(),
                    // A scope of its own: the coordinate is bound once for each case of the loops around.
                    None => IrStmt::when(ir::bool(true), inner).into(),
                })
            }
            Walk::Entries { store } => {
                let Source::Levels(levels, _) = self.operands[at].source.clone() else {
                    return Err(unsupported(self.span, "a workspace is no store"));
                };
                let depth = self.reached(at, state).depth;
                let value = levels.entry_type(depth).map(|ty| self.vars.fresh(format!("{tensor}_entry"), ty));
                iterators.insert(n, place(levels.below(depth, value.map_or(ir::bool(true), Code::Var))));
                let inner = self.cases(lattice, 1 << n, Vec::new(), merged, &iterators, active, body, &inside)?;
                Ok(IrStmt::ForEntries { store, coord: c, value, ordered: true, body: inner }.into())
            }
        }
    }

    fn walk(&self, at: usize, state: &State) -> Walk {
        let reached = self.reached(at, state);
        match &self.operands[at].source {
            Source::Levels(levels, _) => levels.walk(reached.depth, &reached.pos, &reached.above),
            Source::Marked(_, marks) => {
                let list = marks.list;
                Walk::Positions {
                    lo: ir::usize(0),
                    hi: ir::len(list),
                    coordinate: Box::new(move |p| ir::load(list, p)),
                    present: None,
                }
            }
        }
    }

    /// An iterator over the next level of an operand, declared in `block`.
    fn iterator(&mut self, at: usize, name: &str, state: &State, block: &mut Block) -> Result<Iterator_, Stopped> {
        let tensor = self.tensor_name(at);
        let operand = self.operands[at].clone();
        Ok(match self.walk(at, state) {
            Walk::Interval { lo, hi, position } => {
                let c = self.vars.fresh(format!("{tensor}_{name}"), Scalar::Usize);
                let end = self.vars.fresh(format!("{tensor}_end"), Scalar::Usize);
                block.push(IrStmt::Let(c, lo));
                block.push(IrStmt::Let(end, hi));
                Iterator_ { kind: Kind::Counted { at: c, end, coordinate: Box::new(|c| c), position } }
            }
            Walk::Positions { lo, hi, coordinate, present: None } => {
                let p = self.vars.fresh(format!("{tensor}_p"), Scalar::Usize);
                let end = self.vars.fresh(format!("{tensor}_end"), Scalar::Usize);
                block.push(IrStmt::Let(p, lo));
                block.push(IrStmt::Let(end, hi));
                Iterator_ { kind: Kind::Counted { at: p, end, coordinate, position: Box::new(|p| p) } }
            }
            Walk::One { position, coordinate, present } => {
                let p = self.vars.fresh(format!("{tensor}_p"), Scalar::Usize);
                let end = self.vars.fresh(format!("{tensor}_end"), Scalar::Usize);
                block.push(IrStmt::Let(p, position.clone()));
                let one = position.clone() + ir::usize(1);
                block.push(IrStmt::Let(end, present.map_or(one.clone(), |present| present.select(one, position))));
                Iterator_ {
                    kind: Kind::Counted {
                        at: p,
                        end,
                        coordinate: Box::new(move |_| coordinate.clone()),
                        position: Box::new(|p| p),
                    },
                }
            }
            // Positions that keep nothing come in no order.
            Walk::Positions { .. } => return Err(Stopped::Sort(self.key(&operand.access, &operand.order))),
            Walk::Entries { store } => {
                let Source::Levels(levels, _) = &operand.source else {
                    return Err(unsupported(self.span, "a workspace is no store"));
                };
                let depth = self.reached(at, state).depth;
                let ty =
                    levels.store_type(depth).ok_or_else(|| unsupported(self.span, "a static level below a store"))?;
                let cursor = self.vars.fresh(format!("{tensor}_cursor"), Type::Cursor(ty));
                block.push(IrStmt::OpenCursor(cursor, store));
                let pos = levels.below(depth, Code::CursorValue(cursor));
                Iterator_ { kind: Kind::Cursor { cursor, pos } }
            }
        })
    }

    /// The cases of a loop: which operands are present, and what is done then.
    #[allow(clippy::too_many_arguments, reason = "the loop being built")]
    fn cases(
        &mut self,
        lattice: &Lattice,
        iterated: Set,
        tests: Vec<(usize, Code)>,
        merged: &[usize],
        iterators: &BTreeMap<usize, Iterator_>,
        active: &[usize],
        body: &Stmt,
        state: &State,
    ) -> Result<Block, Stopped> {
        let mut block = Block::new();
        let mut tests: BTreeMap<usize, Code> = tests.into_iter().collect();
        let mut places: BTreeMap<usize, (Pos, Code)> = BTreeMap::new();
        let always = |n: usize, tests: &BTreeMap<usize, Code>| !tests.contains_key(&n);
        for (&n, iterator) in iterators {
            places.insert(n, (iterator.pos(), iterator.coordinate()));
        }
        // What is looked up.
        for n in (0..merged.len()).filter(|n| lattice.located & (1 << n) != 0) {
            let at = merged[n];
            let Source::Levels(levels, of) = self.operands[at].source.clone() else { continue };
            let reached = self.reached(at, state).into_owned();
            let coordinate = state.indices[&of[reached.depth]].clone();
            let located = levels
                .locate(reached.depth, &reached.pos, &reached.above, coordinate.clone(), &mut self.vars)
                .ok_or_else(|| unsupported(self.span, "a level cannot be searched"))?;
            block.append(located.setup);
            if let Some(found) = located.found {
                tests.insert(n, found);
            }
            places.insert(n, (Pos::At(located.position), coordinate));
        }
        let mut arms: Vec<(Code, Block)> = Vec::new();
        let mut otherwise = Block::new();
        for (set, needed) in lattice.cases(iterated) {
            // An operand without a test is always there.
            let possible = iterated | lattice.located;
            if (0..merged.len()).any(|n| possible & (1 << n) != 0 && always(n, &tests) && set & (1 << n) == 0) {
                continue;
            }
            let condition = (0..merged.len())
                .filter(|n| set & (1 << n) != 0)
                .filter_map(|n| tests.get(&n).cloned())
                .reduce(Code::and);
            let mut arm = Block::new();
            if needed {
                let mut inside = state.clone();
                for (n, &at) in merged.iter().enumerate() {
                    let mut reached = self.reached(at, &inside).into_owned();
                    if set & (1 << n) == 0 {
                        reached.absent = true;
                    } else {
                        let (pos, coordinate) = places[&n].clone();
                        reached.pos = pos;
                        reached.above.push(coordinate);
                        reached.depth += 1;
                    }
                    inside.operands.insert(at, reached);
                }
                for &at in active {
                    self.settle(at, &mut inside, &mut arm)?;
                }
                arm.append(self.stmt(body, &inside)?);
            }
            match condition {
                Some(condition) => arms.push((condition, arm)),
                None => {
                    otherwise = arm;
                    break;
                }
            }
        }
        match arms.len() {
            0 => block.append(otherwise),
            _ => block.push(IrStmt::If { arms, otherwise }),
        }
        Ok(block)
    }

    fn assign(&mut self, assign: &Assign, state: &State) -> Result<Block, Stopped> {
        let mut block = Block::new();
        let Some(value) = self.effect(assign, state, &[]) else { return Ok(block) };
        let id = assign.target.tensor;
        let tensor = self.kernel.tensor(id).clone();
        let own = scalar(tensor.value);
        let ty = type_of(&assign.value, &self.kernel.tensors).map_or(tensor.value, |ty| ty.join(tensor.value));
        let ty = scalar(ty);
        // A mask that goes by values is tested at run time.
        let mut allowed = None;
        if let Some(mask) = &assign.mask
            && self.present(&mask.access, state).is_none()
        {
            let entry = self.has_entry(&mask.access, state, &mut block)?;
            allowed = Some(if mask.negated { !entry } else { entry });
        }
        let storage = self.stores[id.0].clone().ok_or_else(|| unsupported(assign.span, "the target has no place"))?;
        let sparse = self.is_sparse(id);
        let mut body = Block::new();
        let mut condition = allowed.clone();
        if sparse {
            let nothing = match assign.reduce {
                Some(reduce) => crate::notation::start(assign, reduce, tensor.value),
                None => tensor.fill,
            };
            match self.stored(&value, nothing, state, &mut block)? {
                Stored::Never => return Ok(block),
                Stored::Always => {}
                Stored::If(stored) => {
                    condition = Some(match condition {
                        None => stored,
                        Some(allowed) => allowed.and(stored),
                    });
                }
            }
        }
        let mut code = self.value(&value, ty, state, &mut body)?;
        let coords: Vec<Code> = assign.target.indices.iter().map(|&index| self.index_value(index, state)).collect();
        if !sparse
            && assign.reduce.is_none()
            && let Some(allowed) = condition.take()
        {
            // What is masked out of the caller's tensor is cleared.
            code = allowed.select(code, literal(tensor.fill, ty));
        }
        let narrow = |code: Code| if ty == own { code } else { code.cast(own) };
        match storage {
            Storage::Scalar { var, flag } => {
                let code = narrow(code);
                body.push(match assign.reduce {
                    None => IrStmt::Assign(var, code),
                    Some(reduce) => IrStmt::Update(var, fold(reduce, own), code),
                });
                if let Some(flag) = flag {
                    body.push(IrStmt::Assign(flag, ir::bool(true)));
                }
            }
            Storage::Dense { shape, vals, marks } => {
                let at = row_major(&shape, &coords);
                let code = narrow(code);
                match (marks, assign.reduce) {
                    (None, None) => body.push(IrStmt::Store(vals, at, code)),
                    (None, Some(reduce)) => body.push(IrStmt::StoreUpdate(vals, at, fold(reduce, own), code)),
                    (Some(marks), reduce) => {
                        let new = self.vars.fresh("value", own);
                        body.push(IrStmt::Let(new, code));
                        let first = vec![
                            IrStmt::Store(marks.set, at.clone(), ir::bool(true)),
                            IrStmt::Push(marks.list, at.clone()),
                            IrStmt::Store(vals, at.clone(), new.into()),
                        ];
                        let again = match reduce {
                            None => IrStmt::Store(vals, at.clone(), new.into()),
                            Some(reduce) => IrStmt::StoreUpdate(vals, at.clone(), fold(reduce, own), new.into()),
                        };
                        body.push(IrStmt::either(ir::load(marks.set, at), again, first));
                    }
                }
            }
            Storage::Levels(levels) => {
                let pos = self.locate_all(&levels, &assign.target, state, &mut body)?;
                let code = narrow(code);
                if let (Some(vals), Pos::At(at)) = (levels.vals, pos) {
                    body.push(match assign.reduce {
                        None => IrStmt::Store(vals, at, code),
                        Some(reduce) => IrStmt::StoreUpdate(vals, at, fold(reduce, own), code),
                    });
                }
            }
            Storage::List(list) => {
                let code = if list.scalar == ty { code } else { code.cast(list.scalar) };
                body.append(list.push(coords, code));
            }
            Storage::Append(append) => {
                let parent =
                    append.dense.iter().fold(ir::usize(0), |at, (m, extent)| at * extent.clone() + coords[*m].clone());
                body.push(IrStmt::Push(append.crd, coords[append.last].clone().cast(Scalar::U32)));
                if let Some(vals) = append.vals {
                    body.push(IrStmt::Push(vals, narrow(code)));
                }
                body.push(IrStmt::StoreUpdate(append.pos, parent + ir::usize(1), ir::Reduce::Add, ir::usize(1)));
            }
        }
        match condition {
            None => block.append(body),
            Some(condition) => block.push(IrStmt::when(condition, body)),
        }
        Ok(block)
    }
}

/// An iterator in generated code.
struct Iterator_ {
    kind: Kind,
}

enum Kind {
    Counted {
        at: Var,
        end: Var,
        coordinate: Box<dyn Fn(Code) -> Code>,
        position: Box<dyn Fn(Code) -> Code>,
    },
    Cursor {
        cursor: Var,
        pos: Pos,
    },
    /// The loop itself moves it.
    Fixed {
        coordinate: Code,
        pos: Pos,
    },
}

impl Iterator_ {
    fn valid(&self) -> Code {
        match &self.kind {
            Kind::Counted { at, end, .. } => Code::Var(*at).less(*end),
            Kind::Cursor { cursor, .. } => Code::CursorValid(*cursor),
            Kind::Fixed { .. } => ir::bool(true),
        }
    }

    fn coordinate(&self) -> Code {
        match &self.kind {
            Kind::Counted { at, coordinate, .. } => coordinate((*at).into()),
            Kind::Cursor { cursor, .. } => Code::CursorCoord(*cursor),
            Kind::Fixed { coordinate, .. } => coordinate.clone(),
        }
    }

    fn pos(&self) -> Pos {
        match &self.kind {
            Kind::Counted { at, position, .. } => Pos::At(position((*at).into())),
            Kind::Cursor { pos, .. } | Kind::Fixed { pos, .. } => pos.clone(),
        }
    }

    fn advance(&self) -> Block {
        match &self.kind {
            Kind::Counted { at, .. } => IrStmt::Assign(*at, Code::Var(*at) + ir::usize(1)).into(),
            Kind::Cursor { cursor, .. } => IrStmt::Advance(*cursor).into(),
            Kind::Fixed { .. } => Block::new(),
        }
    }
}

/// The index that each level keeps.
pub(super) fn level_indices(levels: &Levels, access: &Access) -> Vec<Index> {
    levels
        .format
        .levels
        .iter()
        .filter_map(|level| match level.coordinate {
            Coordinate::Index(m) => Some(access.indices[m]),
            _ => None,
        })
        .collect()
}

pub(super) fn row_major(shape: &[Code], coords: &[Code]) -> Code {
    let mut places = shape.iter().zip(coords);
    let first = places.next().map_or(ir::usize(0), |(_, c)| c.clone());
    places.fold(first, |at, (extent, c)| at * extent.clone() + c.clone())
}

/// Calls `f` with everything that a statement reads and the loops around it.
fn operands_of(stmt: &Stmt, path: &mut Vec<Index>, f: &mut impl FnMut(&Access, &[Index])) {
    match stmt {
        Stmt::Assign(assign) => assign.reads(&mut |access| f(access, path)),
        Stmt::Forall { index, body, .. } => {
            path.push(*index);
            operands_of(body, path, f);
            path.pop();
        }
        Stmt::Where { consumer, producer } => {
            operands_of(producer, path, f);
            operands_of(consumer, path, f);
        }
        Stmt::Sequence(parts) => parts.iter().for_each(|part| operands_of(part, path, f)),
    }
}

fn reads_of(stmt: &Stmt, id: TensorId, path: &mut Vec<Index>, found: &mut Vec<(Access, Vec<Index>)>) {
    operands_of(stmt, path, &mut |access, path| {
        if access.tensor == id {
            found.push((access.clone(), path.to_vec()));
        }
    });
}
