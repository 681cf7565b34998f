//! Operands: what each access is read from, sorted first where the plan says so.

use std::sync::Arc;

use super::nest::{Lower, Source};
use super::stored::Storage;
use crate::convert::collected::{Collected, Coming, Source as Entries};
use crate::convert::fold::Fold;
use crate::convert::list::List;
use crate::convert::walk::Visit;
use crate::format::Format;
use crate::ir::{Block, Expr as Code, Stmt};
use crate::notation::ast::{Literal, ValueType};
use crate::notation::concrete::{Access, Index, Reduction, TensorId};
use crate::plan::{From, sorted_format};
use crate::tensor::{Levels, literal, prefix, scalar};

/// The coordinates in a copy of the entry at some coordinates, and conditions that the entry has to meet.
type Picked<'f> = &'f dyn Fn(&[Code]) -> (Vec<Code>, Vec<Code>);

impl Lower<'_> {
    /// Finds what each operand of the statement is read from. Workspaces are made later.
    pub(super) fn read_operands(&mut self) {
        self.sources.clear();
        for reading in &self.plan.readings {
            let source = match (&self.stores[reading.access.tensor.0], &reading.from) {
                (Some(Storage::Levels(levels)), From::Levels(form, _)) if reading.sorted => {
                    let levels = levels.clone();
                    Source::Levels(self.sorted(&levels, &reading.access, &reading.order, &form.format))
                }
                (Some(Storage::Levels(levels)), From::Levels(..)) => Source::Levels(levels.clone()),
                _ => Source::Unmade,
            };
            self.sources.push(source);
        }
    }

    /// The operand sorted by the order of the loops, as levels of `format`.
    fn sorted(&mut self, levels: &Levels, access: &Access, order: &[Index], format: &Format) -> Arc<Levels> {
        let tensor = self.kernel.tensor(access.tensor);
        let suffix: String = order.iter().map(|index| self.index_name(*index)).collect();
        let (name, names) = (format!("{}_{suffix}", prefix(&tensor.name)), self.index_names(access));
        let of: Vec<String> = order.iter().map(|index| self.kernel.indices[index.0].clone()).collect();
        let comment = format!("{} in the order {}", self.kernel.show_access(access), of.join(", "));
        let shape = order.iter().map(|&index| self.extent(index)).collect();
        let picked: Picked<'_> = &|coords| picked(access, order, coords);
        self.copied(comment, (levels, &names, tensor.fill), &name, (format.clone(), shape), picked)
    }

    /// A copy of a sparse tensor in the order of its indices, in which coordinates can be searched.
    pub(super) fn searchable(&mut self, levels: &Levels, of: TensorId) -> Arc<Levels> {
        let (tensor, indices) = (self.kernel.tensor(of), &levels.format.indices);
        let comment = format!("{} in the order {}", tensor.name, indices.join(", "));
        let (name, made) = (format!("{}_sorted", prefix(&tensor.name)), sorted_format(indices.clone(), false));
        let all: Picked<'_> = &|coords| (coords.to_vec(), Vec::new());
        self.copied(comment, (levels, indices, tensor.fill), &name, (made, levels.shape.clone()), all)
    }

    /// Levels, called `name`, of the entries of a tensor, made before the loops.
    fn copied(
        &mut self,
        comment: String,
        (levels, names, fill): (&Levels, &[String], Literal),
        name: &str,
        (format, shape): (Format, Vec<Code>),
        picked: Picked<'_>,
    ) -> Arc<Levels> {
        let mut block = Block::from(Stmt::Comment(comment));
        let value = levels.value;
        let own = (value != ValueType::Pattern).then(|| scalar(value));
        let list = List::declare(&mut self.vars, &mut block, name, shape.len(), own);
        let padded = !levels.format.keeps_entries_only() && !levels.format.is_full();
        let gap = padded.then(|| literal(fill, scalar(value)));
        let visit = Visit { gap, ..Visit::stored(levels, names) };
        block.append(visit.each(&mut self.vars, &mut |_, entry| {
            let (picked, diagonal) = picked(&entry.all());
            Stmt::when_all(diagonal, list.push(picked, levels.value_at(&entry.pos)))
        }));
        let fold = Fold::of(Reduction::Add, value);
        let entries = Entries::of(&Coming::Repeated, (value, fold), (&format, Literal::Int(0), value), false);
        let list = Collected::List(&list);
        let (made, _) = entries.assemble(list, &mut self.vars, &mut block, name, &format, shape, value);
        self.prelude.append(block);
        Arc::new(made)
    }

    /// What the indices of an access are called in generated code.
    pub(super) fn index_names(&self, access: &Access) -> Vec<String> {
        access.indices.iter().map(|index| self.index_name(*index)).collect()
    }
}

/// The coordinates of the entry at `coords`, one for each index of `order`; and, for each index that stands twice in the access, the
/// condition that the entry lies on the diagonal.
pub(super) fn picked(access: &Access, order: &[Index], coords: &[Code]) -> (Vec<Code>, Vec<Code>) {
    let (mut picked, mut diagonal) = (Vec::new(), Vec::new());
    for index in order {
        let mut places = access.indices.iter().zip(coords).filter(|(i, _)| *i == index).map(|(_, c)| c);
        let first = places.next().expect("an index of the access");
        diagonal.extend(places.map(|other| first.clone().equal(other.clone())));
        picked.push(first.clone());
    }
    (picked, diagonal)
}
