//! What is known at a place in the loops, and what follows from it.
//!
//! All decisions rest on one question: does this operand have an entry here? [`Draft::presence`] answers it (yes, no, or only at run time),
//! and [`Draft::effect`] says what remains to be computed of an assignment under that answer, by the algebra of missing operands
//! (`crate::notation::algebra`).

use super::draft::Draft;
use super::kept::{From, Kept};
use super::known::Known;
use crate::format::{Format, FormatLevel, Way};
use crate::notation::algebra::{assigns_nothing, changes_nothing, constant_in, minds_absence, simplify_in};
use crate::notation::ast::{Literal, ValueType};
use crate::notation::concrete::{Access, Assign, Expr, Index, Role, Stmt, TensorId, number};
use crate::notation::presence::Presence;

impl Draft<'_> {
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
            let reading = &self.readings[*at];
            reading.access == *access && reading.order == order && !matches!(reading.from, From::Unmade)
        };
        driver.filter(is).or_else(|| (0..self.readings.len()).filter(|&at| !self.readings[at].drives).find(is))
    }

    /// How many levels an operand has.
    pub fn depth_of(&self, at: usize) -> usize {
        self.readings[at].form().map_or(1, |form| form.format.levels.len())
    }

    /// The next level of an operand; `None` for a workspace.
    pub fn level(&self, at: usize, known: &Known) -> Option<&FormatLevel> {
        self.readings[at].form()?.format.levels.get(known.of(at).depth)
    }

    /// What the next level of an operand is called.
    pub fn level_name(&self, at: usize, known: &Known) -> &str {
        self.level(at, known).map_or("a level", |level| level.kind.name())
    }

    /// How the next level of an operand is visited.
    pub fn way(&self, at: usize, known: &Known) -> Way {
        match self.level(at, known).map(FormatLevel::way) {
            // Below a level whose equal coordinates are taken as one, a level visits a stretch of positions.
            Some(Way::One) if self.is_below_chained(at, known, 1) => Way::Positions { array: true, gaps: false },
            Some(way) => way,
            None => Way::Positions { array: false, gaps: false },
        }
    }

    /// Whether equal coordinates are taken as one from the next level of an operand on, or from a level above.
    pub fn is_chained(&self, at: usize, known: &Known) -> bool {
        self.is_below_chained(at, known, 0)
    }

    fn is_below_chained(&self, at: usize, known: &Known, levels: usize) -> bool {
        let chained = self.readings[at].form().and_then(|form| form.format.chained());
        chained.is_some_and(|from| from + levels <= known.of(at).depth)
    }

    /// Follows the searched levels of `operands` whose index has a value. Returns each operand that was followed, and by how many levels.
    pub fn search(&self, operands: &[usize], known: &mut Known) -> Vec<(usize, usize)> {
        let mut searched = Vec::new();
        for &at in operands {
            let before = known.of(at).depth;
            self.follow_located(at, known);
            let levels = known.of(at).depth - before;
            searched.extend((levels > 0).then_some((at, levels)));
        }
        searched
    }

    /// Follows the levels of an operand that are searched and whose index has a value.
    fn follow_located(&self, at: usize, known: &mut Known) {
        let From::Levels(form, of) = &self.readings[at].from else { return };
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
    pub fn is_padded(&self, at: usize) -> bool {
        let reading = &self.readings[at];
        let format = &self.kernel.tensor(reading.access.tensor).format;
        format.as_ref().is_some_and(Format::is_full)
            || reading.form().is_some_and(|form| !form.format.keeps_entries_only())
    }

    /// Whether the value of an operand has to be tested before `body`: a sparse result keeps no more than entries, and some operations give
    /// something else of a missing operand than of its fill.
    pub fn needs_test(&self, at: usize, body: &Stmt, known: &Known) -> bool {
        let (access, followed) = (&self.readings[at].access, known.of(at));
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

    /// Whether entries are appended to one of the tensors that a statement writes.
    pub fn appends(&self, stmt: &Stmt) -> bool {
        stmt.written().iter().any(|id| matches!(self.kept[id.0], Some(Kept::Appended(..))))
    }

    /// Whether what a body writes has to come in ascending order.
    pub fn needs_order(&self, body: &Stmt) -> bool {
        body.written().iter().any(|id| self.kept[id.0].as_ref().is_some_and(Kept::needs_order))
    }
}
