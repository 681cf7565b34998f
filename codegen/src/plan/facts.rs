//! What is known at a place in the loops, and what follows from it.
//!
//! All decisions rest on one question: does this operand have an entry here? [`Facts::presence`] answers it (yes, no, or only at run time),
//! and [`Facts::effect`] says what remains to be computed of an assignment under that answer, by the algebra of missing operands
//! (`crate::notation::algebra`).

use std::collections::BTreeSet;

use super::kept::{From, Kept, Reading};
use super::known::Known;
use crate::format::{Format, FormatLevel, Way};
use crate::level::Kinds;
use crate::notation::algebra::{assigns_nothing, changes_nothing, constant_in, minds_absence, simplify_in};
use crate::notation::ast::{Literal, ValueType};
use crate::notation::concrete::{Access, Assign, Expr, Index, Kernel, Role, Stmt, TensorId, number};
use crate::notation::presence::Presence;

/// How many operands are tested by value with code of their own for each answer. Where there are more, a flag keeps the answer.
const MOST_TESTED: usize = 2;

/// What a statement's plan is made from: the kernel, how its tensors are kept, and how operands are read. Lowering follows it along the
/// loops of the plan.
#[derive(Clone)]
pub(crate) struct Facts<'k> {
    pub kernel: &'k Kernel,
    /// Tensors that an earlier statement wrote.
    pub written: BTreeSet<TensorId>,
    /// How each tensor is kept.
    pub kept: Vec<Option<Kept>>,
    /// How each operand of the statement is read.
    pub operands: Vec<Reading>,
}

impl<'k> Facts<'k> {
    /// Before the first statement.
    pub fn new(kernel: &'k Kernel) -> Facts<'k> {
        Facts { kernel, written: BTreeSet::new(), kept: vec![None; kernel.tensors.len()], operands: Vec::new() }
    }

    /// The operand that is read as `access` at a place.
    pub fn find(&self, access: &Access, known: &Known) -> Option<usize> {
        self.lookup(access, &Self::order_of(access, &known.path), known.driver)
    }

    /// The indices of an access in the order of the loops around it.
    pub fn order_of(access: &Access, path: &[Index]) -> Vec<Index> {
        path.iter().copied().filter(|index| access.indices.contains(index)).collect()
    }

    /// The operand that is read as `access` inside of loops in this order; `driver` is the one that drives them, if one does.
    pub fn lookup(&self, access: &Access, order: &[Index], driver: Option<usize>) -> Option<usize> {
        let is = |at: &usize| {
            let reading = &self.operands[*at];
            reading.access == *access && reading.order == order && !matches!(reading.from, From::Unmade)
        };
        driver.filter(is).or_else(|| (0..self.operands.len()).filter(|&at| !self.operands[at].drives).find(is))
    }

    /// How many levels an operand has.
    pub fn depth_of(&self, at: usize) -> usize {
        match &self.operands[at].from {
            From::Levels(form, _) => form.format.levels.len(),
            From::Written | From::Unmade => 1,
        }
    }

    /// The next level of an operand; `None` for a workspace.
    pub fn level(&self, at: usize, known: &Known) -> Option<&FormatLevel> {
        match &self.operands[at].from {
            From::Levels(form, _) => form.format.levels.get(known.of(at).depth),
            From::Written | From::Unmade => None,
        }
    }

    /// How the next level of an operand is visited.
    pub fn way(&self, at: usize, known: &Known) -> Way {
        let From::Levels(form, _) = &self.operands[at].from else {
            return Way::Positions { array: false, gaps: false };
        };
        let depth = known.of(at).depth;
        let level = &form.format.levels[depth];
        match level.way() {
            // Below a level whose equal coordinates are taken as one, a level visits a stretch of positions.
            Way::One if depth > 0 && form.format.chained().is_some_and(|from| from < depth) => {
                Way::Positions { array: true, gaps: false }
            }
            way => way,
        }
    }

    /// Follows the levels of an operand that are searched and whose index has a value.
    pub fn follow_located(&self, at: usize, known: &mut Known) {
        let From::Levels(form, of) = &self.operands[at].from else { return };
        let mut followed = known.of(at);
        let searched = |depth: usize| form.format.levels[depth].is_searched() && known.path.contains(&of[depth]);
        while !followed.absent && followed.depth < of.len() && searched(followed.depth) {
            followed.depth += 1;
        }
        known.set(at, followed);
    }

    /// Whether `access` has an entry at a place, as far as that is known before the kernel runs.
    pub fn presence(&self, access: &Access, known: &Known) -> Presence {
        if known.unwritten.contains(&access.tensor) {
            return Presence::Never;
        }
        let Some(at) = self.find(access, known) else { return Presence::When(()) };
        let followed = known.of(at);
        let reached = followed.depth == self.depth_of(at) && (!self.is_padded(at) || followed.tested);
        match (followed.absent, followed.flagged) {
            (true, _) => Presence::Never,
            (false, false) if reached => Presence::Always,
            _ => Presence::When(()),
        }
    }

    /// Whether an operand has positions for more than its entries, so that only values say which hold one.
    fn is_padded(&self, at: usize) -> bool {
        let reading = &self.operands[at];
        let format = &self.kernel.tensor(reading.access.tensor).format;
        format.as_ref().is_some_and(Format::is_full)
            || matches!(&reading.from, From::Levels(form, _) if !form.format.keeps_entries_only())
    }

    /// Whether an access is of a padded operand whose value has not been tested.
    pub fn is_untested(&self, access: &Access, known: &Known) -> bool {
        self.find(access, known).is_some_and(|at| self.is_padded(at) && !known.of(at).tested)
    }

    /// The operands among `operands` whose values have to be tested before `body`: a sparse result keeps no more than entries, and some
    /// operations give something else of a missing operand than of its fill.
    pub fn tested(&self, operands: &[usize], body: &Stmt, known: &Known) -> Vec<usize> {
        operands.iter().copied().filter(|&at| self.needs_test(at, body, known)).collect()
    }

    /// Whether a flag keeps the answer of the test of `tested[0]`. Otherwise there is code of its own for each answer.
    pub fn tests_by_flag(&self, tested: &[usize], known: &Known) -> bool {
        tested.len() > MOST_TESTED || known.of(tested[0]).flagged
    }

    fn needs_test(&self, at: usize, body: &Stmt, known: &Known) -> bool {
        let (access, followed) = (&self.operands[at].access, known.of(at));
        let here = followed.depth == self.depth_of(at) && !followed.absent && !followed.tested;
        if !here || !self.is_padded(at) || self.kernel.tensor(access.tensor).is_full() {
            return false;
        }
        // Integers have no infinity. Where the fill is infinite, an unused position holds the largest integer, which is an ordinary number.
        let is_number = number(access.fill).is_infinite() && !self.kernel.tensor(access.tensor).value.is_float();
        let mut needs = false;
        body.assigns(&mut |assign| {
            let mut reads = false;
            assign.value.accesses(&mut |other| reads |= other == access);
            let minds = is_number || minds_absence(&assign.value, access);
            needs |= reads && (self.is_sparse(assign.target.tensor) || minds);
        });
        needs
    }

    /// Whether a flag says here whether the operand of an access has an entry.
    pub fn is_flagged(&self, access: &Access, known: &Known) -> bool {
        !known.unwritten.contains(&access.tensor)
            && self.find(access, known).is_some_and(|at| known.of(at).flagged && !known.of(at).absent)
    }

    /// Whether a statement is the first to write a tensor.
    pub fn is_fresh(&self, id: TensorId) -> bool {
        !matches!(self.kernel.tensor(id).role, Role::Param | Role::View | Role::LookedUp) && !self.written.contains(&id)
    }

    /// The value that remains to be computed of an assignment at a place; `None` if nothing is to be done. Nothing has been written to the
    /// workspaces `unwritten`.
    pub fn effect(&self, assign: &Assign, known: &Known, unwritten: &[TensorId]) -> Option<Expr> {
        let presence = |access: &Access| match unwritten.contains(&access.tensor) {
            true => Presence::Never,
            false => self.presence(access, known),
        };
        if let Some(mask) = &assign.mask
            && presence(&mask.access) == if mask.negated { Presence::Always } else { Presence::Never }
        {
            return None;
        }
        let ty = self.computed_type(assign);
        let value = simplify_in(&assign.value, Some(ty), &presence);
        let nothing = constant_in(&value, ty).is_some_and(|constant| self.leaves_target(assign, constant));
        (!nothing).then_some(value)
    }

    /// The type in which an assignment is computed.
    pub fn computed_type(&self, assign: &Assign) -> ValueType {
        assign.computed_type(&self.kernel.tensors)
    }

    /// Whether the target of an assignment stays as it is where a constant is assigned to it or folded into it.
    pub fn leaves_target(&self, assign: &Assign, constant: Literal) -> bool {
        let (tensor, ty) = (self.kernel.tensor(assign.target.tensor), self.computed_type(assign));
        let zero = assign.over.as_ref().map(|semiring| semiring.zero);
        match assign.reduce {
            Some(reduce) => changes_nothing(reduce, zero, constant, ty),
            None => {
                self.is_fresh(assign.target.tensor) && assigns_nothing(zero, constant, ty, tensor.fill, tensor.value)
            }
        }
    }

    /// Whether a statement does nothing here. Nothing has been written to the workspaces `unwritten`.
    pub fn nothing_to_do(&self, stmt: &Stmt, known: &Known, unwritten: &[TensorId]) -> bool {
        match stmt {
            Stmt::Assign(assign) => self.effect(assign, known, unwritten).is_none(),
            // Accesses are found by the loops around them.
            Stmt::Forall { index, body, .. } => self.nothing_to_do(body, &known.inside(*index), unwritten),
            Stmt::Where { consumer, producer } => {
                if self.nothing_to_do(producer, known, unwritten) {
                    let unwritten = [unwritten, &producer.written()].concat();
                    return self.nothing_to_do(consumer, known, &unwritten);
                }
                self.nothing_to_do(consumer, known, unwritten)
            }
            Stmt::Sequence(parts) => parts.iter().all(|part| self.nothing_to_do(part, known, unwritten)),
        }
    }

    /// Whether only entries of a tensor are written.
    pub fn is_sparse(&self, id: TensorId) -> bool {
        matches!(
            self.kept[id.0],
            Some(
                Kept::Collected { .. }
                    | Kept::Appended { .. }
                    | Kept::Array { listed: true }
                    | Kept::Scalar { remembers: true }
            )
        )
    }

    /// Whether entries are appended to one of the tensors that a statement writes.
    pub fn appends(&self, stmt: &Stmt) -> bool {
        stmt.written().iter().any(|id| matches!(self.kept[id.0], Some(Kept::Appended { .. })))
    }

    /// Whether what a body writes has to come in ascending order.
    pub fn needs_order(&self, body: &Stmt) -> bool {
        let in_order =
            |kept: &Option<Kept>| matches!(kept, Some(Kept::Appended { .. } | Kept::Collected { in_order: true }));
        body.written().iter().any(|id| in_order(&self.kept[id.0]))
    }

    /// The format of sorted entries: a compressed level for each index.
    pub fn sorted_format(&self, order: &[Index]) -> Format {
        sorted_format(order.iter().map(|index| self.kernel.indices[index.0].clone()).collect())
    }

    /// The access of operand `at` as text.
    pub fn shown(&self, at: usize) -> String {
        self.kernel.show_access(&self.operands[at].access)
    }
}

/// The format of entries that are sorted by these indices: a compressed level for each.
pub(crate) fn sorted_format(indices: Vec<String>) -> Format {
    let levels = (0..indices.len()).map(|m| (m, Kinds::list(), true, true)).collect();
    Format::keeping("sorted", &indices, None, levels)
}
