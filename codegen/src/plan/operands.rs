//! The operands of a statement, and how each is read.

use std::sync::Arc;

use super::choice::Reach;
use super::draft::{Asked, Draft};
use super::kept::{From, Kept, Reading};
use super::tree::Operand;
use crate::format::{Form, Format};
use crate::notation::concrete::{Access, Index, Role, Stmt};

impl Draft<'_> {
    /// Finds out how each operand of a statement is read. Those that cannot be walked in the order of the loops are sorted first.
    pub fn collect(&mut self, stmt: &Stmt) -> Result<(), Asked> {
        if let Some(driven) = self.driven_of(stmt) {
            return self.collect_driven(&driven);
        }
        match stmt {
            Stmt::Where { consumer, producer } => {
                self.collect(producer)?;
                self.collect(consumer)
            }
            Stmt::Sequence(parts) => parts.iter().try_for_each(|part| self.collect(part)),
            nest => {
                nest.reads_in(&[], &mut |access, path| self.operand(access.clone(), path));
                Ok(())
            }
        }
    }

    /// Finds out how one operand is read.
    pub fn operand(&mut self, access: Access, path: &[Index]) {
        let order = Draft::order_of(&access, path);
        if self.lookup(&access, &order, None).is_some() {
            return;
        }
        let Some(Kept::Levels(form)) = self.kept[access.tensor.0].clone() else {
            let role = self.kernel.tensor(access.tensor).role;
            if role == Role::LookedUp {
                let unsearchable = self.kernel.views.get(&access.tensor).and_then(|view| {
                    let format = self.kernel.tensor(view.of).format.as_ref()?;
                    Some(format.levels[format.unsearchable()?].kind.name())
                });
                let (how, why) = match unsearchable {
                    Some(level) => {
                        (Reach::Sorted, format!("a coordinate is computed, and `{level}` cannot be searched for it"))
                    }
                    None => (Reach::Searched, "a coordinate is computed: each value is a search of its own".to_owned()),
                };
                return self.note(&access, how, why);
            }
            let workspace = role == Role::Workspace && !access.indices.is_empty();
            if workspace && !self.readings.iter().any(|known| known.access == access && known.order == order) {
                self.plan.readings.push(Reading { access, order, from: From::Unmade, drives: false, sorted: false });
            }
            return;
        };
        let sorted = self.plan.sorted.iter().find(|known| known.access == access && known.order == order);
        let (how, why) =
            match (self.reach(&form.format, &access, path), sorted.map(|one| one.why.as_str()).or(form.why_copied())) {
                (Ok(Reach::Located), _) => {
                    return self.note(&access, Reach::Located, "every value is found by its coordinates");
                }
                (Ok(Reach::Chained), None) => {
                    (Reach::Chained, "equal coordinates that follow each other are taken as one".to_owned())
                }
                (Ok(how), None) => (how, "its levels come in the order of the loops".to_owned()),
                (Ok(_), Some(why)) => (Reach::Sorted, why.to_owned()),
                (Err(why), _) => (Reach::Sorted, why),
            };
        let sorted = how == Reach::Sorted;
        self.note(&access, how, why);
        let from = if sorted {
            let format = self.sorted_format(&order);
            From::Levels(Arc::new(Form::whole(format)), order.clone())
        } else {
            let of = form.format.indices_of(&access);
            From::Levels(form, of)
        };
        self.plan.readings.push(Reading { access, order, from, drives: false, sorted });
    }

    /// The format of a copy that is sorted by `order`: a compressed level for each index, or a dense one for the first where a result has one
    /// for it. Tasks can then fill rows of the result from rows of the copy.
    fn sorted_format(&self, order: &[Index]) -> Format {
        let dense = self.plan.made.iter().any(|assign| {
            let levels = self.kernel.tensor(assign.target.tensor).format.iter().flat_map(|format| &format.levels);
            let first =
                levels.take(1).filter(|level| level.is_array()).find_map(|level| level.index_of(&assign.target));
            first.is_some() && first == order.first().copied()
        });
        let names = order.iter().map(|index| self.kernel.indices[index.0].clone());
        Format::sorted(names.collect(), dense && order.len() > 1)
    }

    /// Remembers how an operand is read.
    pub fn note(&mut self, access: &Access, how: Reach, why: impl Into<String>) {
        let operand = Operand { access: self.kernel.show_access(access), how, why: why.into() };
        if !self.plan.operands.contains(&operand) {
            self.plan.operands.push(operand);
        }
    }
}
