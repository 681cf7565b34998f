//! Operands: how each access is read while the loops run, in place or sorted first.

use std::rc::Rc;

use super::list::List;
use super::nest::{Lower, Operand, Reached, Source, State, Storage};
use super::storage::{Levels, Pos, literal, scalar};
use super::value::fold;
use super::{Stopped, unsupported};
use crate::format::Coordinate;
use crate::ir::{self, Block, Expr as Code, Stmt as IrStmt};
use crate::notation::ast::{Literal, ValueType};
use crate::notation::concrete::{Access, Index, Reduction, Role, Stmt, TensorId};
use crate::plan::{Reach, Why, reach};

impl Lower<'_> {
    /// The operands of a statement. Those that cannot be walked in the order of the loops are sorted first.
    pub(super) fn collect(&mut self, stmt: &Stmt, path: &mut Vec<Index>) -> Result<(), Stopped> {
        if path.is_empty()
            && let Some(driven) = self.driven_of(stmt)
        {
            return self.collect_driven(&driven);
        }
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

    pub(super) fn operand(&mut self, access: Access, path: &[Index]) -> Result<(), Stopped> {
        let order = Self::order_of(&access, path);
        if self.lookup(&access, &order, None).is_some() {
            return Ok(());
        }
        let Some(Storage::Levels(levels)) = self.stores[access.tensor.0].clone() else {
            let workspace = self.kernel.tensor(access.tensor).role == Role::Workspace && !access.indices.is_empty();
            if workspace && !self.operands.iter().any(|known| known.access == access && known.order == order) {
                self.operands.push(Operand { access, order, source: Source::Unmade, drives: false });
            }
            return Ok(());
        };
        let sorted = self.plan.sorted.iter().find(|known| known.access == access && known.order == order);
        let (how, why) = match (reach(&levels.format, &access, path, levels.chained()), sorted) {
            (Ok(Reach::Located), _) => {
                self.plan.note_operand(self.kernel, &access, Reach::Located, None);
                return Ok(());
            }
            (Ok(_), None) if !levels.shows_in_place() => (Reach::Sorted, Some(Why::Slice)),
            (Ok(how), None) => (how, None),
            (Ok(_), Some(sorted)) => (Reach::Sorted, Some(sorted.why.clone())),
            (Err(why), _) => (Reach::Sorted, Some(why)),
        };
        self.plan.note_operand(self.kernel, &access, how, why);
        let source = match how {
            Reach::Sorted => self.sorted(&levels, &access, &order)?,
            _ => {
                let of = level_indices(&levels, &access);
                Source::Levels(levels, of)
            }
        };
        self.operands.push(Operand { access, order, source, drives: false });
        Ok(())
    }

    pub(super) fn order_of(access: &Access, path: &[Index]) -> Vec<Index> {
        path.iter().copied().filter(|index| access.indices.contains(index)).collect()
    }

    /// The operand sorted by the order of the loops, as compressed levels.
    pub(super) fn sorted(&mut self, levels: &Rc<Levels>, access: &Access, order: &[Index]) -> Result<Source, Stopped> {
        let name = format!("{}_{}", super::storage::prefix(&self.kernel.tensor(access.tensor).name), self.names(order));
        let format = self.compressed(order);
        let value = levels.value;
        let own = (value != ValueType::Pattern).then(|| scalar(value));
        let mut block = Block::new();
        let list = List::declare(&mut self.vars, &mut block, &name, order.len(), own);
        let source = levels.clone();
        let names = self.index_names(access);
        let padded = !levels.format.keeps_entries_only() && !levels.format.is_full();
        let fill = literal(self.kernel.tensor(access.tensor).fill, scalar(value));
        block.append(levels.drive(&mut self.vars, &names, &mut |_, coords, pos| {
            let (picked, diagonal) = picked(access, order, &coords);
            let mut push = list.push(picked, source.value_at(&pos));
            if padded {
                push = IrStmt::when(source.value_at(&pos).not_equal(fill.clone()), push).into();
            }
            match diagonal {
                None => push,
                Some(diagonal) => IrStmt::when(diagonal, push).into(),
            }
        }));
        let shape: Vec<Code> = order.iter().map(|index| self.extents[index].clone()).collect();
        let sum = fold(Reduction::Add, scalar(value));
        let made = list.finish(&mut self.vars, &mut block, &name, &format, shape, value, Literal::Int(0), sum);
        let (made, _) = made.map_err(|_| unsupported(access.span, "this tensor cannot be sorted"))?;
        self.prelude.push(IrStmt::Comment(format!(
            "{} in the order {}",
            self.kernel.show_access(access),
            order.iter().map(|index| self.kernel.indices[index.0].as_str()).collect::<Vec<_>>().join(", ")
        )));
        self.prelude.append(block);
        Ok(Source::Levels(Rc::new(made), order.to_vec()))
    }

    /// The format of sorted entries: a compressed level for each index.
    pub(super) fn compressed(&self, order: &[Index]) -> crate::format::Format {
        let kinds = crate::level::Kinds::fixed();
        let compressed = kinds.get("compressed").expect("always there");
        let switches = crate::level::Switches::default();
        crate::format::Format {
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
        }
    }

    pub(super) fn names(&self, order: &[Index]) -> String {
        order.iter().map(|index| self.kernel.indices[index.0].to_lowercase()).collect()
    }

    pub(super) fn find(&self, access: &Access, state: &State) -> Option<usize> {
        self.lookup(access, &Self::order_of(access, &state.path), state.driver)
    }

    /// The operand that is read as `access` inside of loops in this order; `driver` is the one that drives them, if one does.
    pub(super) fn lookup(&self, access: &Access, order: &[Index], driver: Option<usize>) -> Option<usize> {
        let is = |at: &usize| {
            let known = &self.operands[*at];
            known.access == *access && known.order == order && !matches!(known.source, Source::Unmade)
        };
        driver.filter(is).or_else(|| (0..self.operands.len()).filter(|&at| !self.operands[at].drives).find(is))
    }

    pub(super) fn reached<'s>(&self, at: usize, state: &'s State) -> std::borrow::Cow<'s, Reached>
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
                flag: None,
            }),
        }
    }

    pub(super) fn depth_of(&self, at: usize) -> usize {
        match &self.operands[at].source {
            Source::Levels(levels, _) => levels.format.levels.len(),
            Source::Marked(..) | Source::Unmade => 1,
        }
    }

    /// What the indices of an access are called in generated code.
    pub(super) fn index_names(&self, access: &Access) -> Vec<String> {
        access.indices.iter().map(|index| self.kernel.indices[index.0].to_lowercase()).collect()
    }

    pub(super) fn tensor_name(&self, at: usize) -> String {
        super::storage::prefix(&self.kernel.tensor(self.operands[at].access.tensor).name)
    }
}

/// The coordinates of the entry at `coords` by the indices in `order`, and what holds of it if it lies on the diagonal that an
/// index which stands twice means.
pub(super) fn picked(access: &Access, order: &[Index], coords: &[Code]) -> (Vec<Code>, Option<Code>) {
    let mut picked = Vec::new();
    let mut diagonal = None;
    for index in order {
        let mut places = access.indices.iter().zip(coords).filter(|(i, _)| *i == index).map(|(_, c)| c);
        let first = places.next().expect("an index of the access");
        for other in places {
            let same = first.clone().equal(other.clone());
            diagonal = Some(match diagonal {
                None => same,
                Some(all) => Code::and(all, same),
            });
        }
        picked.push(first.clone());
    }
    (picked, diagonal)
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

/// Calls `f` with everything that a statement reads and the loops around it.
pub(super) fn operands_of(stmt: &Stmt, path: &mut Vec<Index>, f: &mut impl FnMut(&Access, &[Index])) {
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

pub(super) fn reads_of(stmt: &Stmt, id: TensorId, path: &mut Vec<Index>, found: &mut Vec<(Access, Vec<Index>)>) {
    operands_of(stmt, path, &mut |access, path| {
        if access.tensor == id {
            found.push((access.clone(), path.to_vec()));
        }
    });
}
