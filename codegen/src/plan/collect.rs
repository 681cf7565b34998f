//! Results whose entries are collected: the order of the entries, and how levels are made from them.

use super::draft::Draft;
use crate::convert::appendable::Appendable;
use crate::convert::collected::{Coming, Source};
use crate::convert::fold::Fold;
use crate::convert::order;
use crate::convert::turn::lines;
use crate::format::{Format, FormatLevel};
use crate::notation::ast::ValueType;
use crate::notation::concrete::{Access, Assign, Index, Reduction, Stmt, Tensor};
use crate::notation::is_driven;

impl Draft<'_> {
    /// The list of entries that a tensor is made of; they come in its order if they are `in_order`.
    pub(super) fn collected(&self, stmt: &Stmt, assign: &Assign, tensor: &Tensor, in_order: bool) -> Option<Source> {
        let (target, value) = (tensor.format.as_ref()?, tensor.value);
        if in_order {
            return Some(Source::in_order(target, tensor.fill, value));
        }
        let reads = stmt.reads();
        let coming = self.coming(stmt, assign, &reads);
        // Entries are folded in the type that they are computed in.
        let folded = match coming {
            Coming::Repeated if value != ValueType::Pattern => self.computed_type(assign),
            _ => value,
        };
        let fold = Fold::of(assign.reduce.unwrap_or(Reduction::Add), folded);
        let room = self.has_room(assign, target, &reads);
        Some(Source::of(&coming, (folded, fold), (target, tensor.fill, value), room))
    }

    /// Rows from which a matrix is made, if the outermost loop visits each row and the loop inside visits its entries in order. Tasks count the
    /// entries of rows, and then fill them in. If entries can be `appended` to the matrix itself, rows are used only if tasks also make the
    /// matrix from them.
    pub(super) fn by_rows(
        &self,
        stmt: &Stmt,
        assign: &Assign,
        tensor: &Tensor,
        (once, appended): (bool, bool),
    ) -> Option<(Source, Appendable)> {
        let target = tensor.format.as_ref().filter(|target| target.rank() == 2)?;
        let [path] = &stmt.paths(assign.target.tensor)[..] else { return None };
        let row = *path.first()?;
        let rows = assign.target.indices.iter().position(|index| *index == row)?;
        let rows = lines(&Format { fill: Some(tensor.fill), ..target.clone() }, rows);
        let places = Appendable::of(assign, &Some(rows.clone()))?;
        let reads = stmt.reads();
        // Each operand has an array as long as there are rows, and none has to be sorted.
        let fits = |access: &&Access| {
            self.kernel.tensor(access.tensor).format.as_ref().is_none_or(|format| {
                let every = !access.indices.contains(&row) || full(format).iter().any(|&m| access.indices[m] == row);
                every && format.levels.iter().all(|level| level.properties.ordered)
            })
        };
        if !places.are_appended(stmt, assign, once) || !reads.iter().all(fits) {
            return None;
        }
        let room = self.has_room(assign, target, &reads);
        let source = Source::of_rows(rows, (target, tensor.value), (room, appended))?;
        Some((source, places))
    }

    /// How the entries of a target come.
    fn coming(&self, stmt: &Stmt, assign: &Assign, reads: &[&Access]) -> Coming {
        let formats = || reads.iter().filter_map(|access| self.kernel.tensor(access.tensor).format.as_ref());
        let [path] = &stmt.paths(assign.target.tensor)[..] else { return Coming::Repeated };
        let place = |index: &Index| assign.target.indices.iter().position(|own| own == index);
        let order: Option<Vec<usize>> = path.iter().map(place).collect();
        let once = |order: &Vec<usize>| order.len() == assign.target.indices.len();
        match order.filter(once) {
            Some(order)
                if assign.reduce.is_none() && !is_driven(self.kernel, stmt) && formats().all(order::is_unique) =>
            {
                let ordered = |format: &Format| format.levels.iter().all(|level| level.properties.ordered);
                if stmt.is_nest() && formats().all(ordered) { Coming::Sorted(order) } else { Coming::Once }
            }
            _ => Coming::Repeated,
        }
    }

    /// Whether each dimension of a target has an array as long as it is, in the target or in an operand.
    fn has_room(&self, assign: &Assign, target: &Format, reads: &[&Access]) -> bool {
        let own = full(target);
        let read = |index: Index| {
            reads.iter().any(|access| {
                let format = self.kernel.tensor(access.tensor).format.as_ref();
                format.is_some_and(|format| full(format).iter().any(|&m| access.indices.get(m) == Some(&index)))
            })
        };
        assign.target.indices.iter().enumerate().all(|(m, &index)| own.contains(&m) || read(index))
    }
}

/// The dimensions for which the outermost levels of a format have a position for each coordinate.
fn full(format: &Format) -> Vec<usize> {
    let above = format.levels.iter().take_while(|level| level.is_full());
    above.filter_map(FormatLevel::dimension).collect()
}
