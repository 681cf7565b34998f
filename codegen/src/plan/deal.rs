//! How the iterations of a loop are dealt out to tasks, and what each of them owns.
//!
//! ```text
//! y(i) = …   dense           iteration i owns y[i], or the row of it
//! t += …     scalar          folded by each task, then over all tasks
//! C(i,j) = … compressed      first every iteration counts the entries of its row; a prefix sum says where each row begins;
//!                            then every iteration fills its own segment
//! ```
//!
//! A loop that the text declares parallel is refused where two iterations may write the same place. Any other outermost loop runs in
//! parallel where it can, and where that makes it faster. Floating-point sums may then be added up in another order.

use std::sync::Arc;

use super::choice::{Deal, Over, Refusal, Share};
use super::draft::{Asked, Draft};
use super::kept::Kept;
use super::known::Known;
use super::tree::{By, How, Merge, Node};
use crate::diagnostic::{Diagnostic, Span};
use crate::format::Way;
use crate::lattice::{Set, members, set_of};
use crate::notation::ast::ValueType;
use crate::notation::concrete::{Access, Assign, Index, Stmt};

/// What to do about a loop over the wrong index.
const ANOTHER: &str = "run another index in parallel";

/// The most arrays that one parallel loop writes: the runtime deals out no more.
const MOST_OWNED: usize = 8;

type Dealt<T> = Result<T, Refusal>;

impl Draft<'_> {
    /// How the loop over `index` is dealt out; `outside` is known outside of the loop. A loop that the text does not declare parallel is
    /// `automatic`: it is refused if only tasks would need it to run over all coordinates.
    pub fn deal(&self, index: Index, body: &Stmt, how: How, outside: &Known, automatic: bool) -> Dealt<(How, Deal)> {
        let merged = &how.merged;
        let By::Cases(mut lattice, mut loops) = how.by.clone() else { return Err(self.one_by_one(merged)) };
        let known = outside.inside(index);
        let shares = self.shares(index, body, outside)?;
        let arrays: usize = shares.iter().map(|share| self.arrays_of(share)).sum();
        if arrays > MOST_OWNED {
            let why = format!("its iterations write {arrays} arrays, and {MOST_OWNED} can be dealt out");
            return Err(Refusal::new(why, "split it into several loops"));
        }
        let appends = self.appends(body);
        // Rows that are dealt out by their numbers are looked up, where that is possible.
        let all: Set = (1 << merged.len()) - 1;
        let searched = set_of((0..merged.len()).filter(|&n| self.can_locate(merged[n], outside)));
        let leader = if let Merge::Walk(n) = loops { Some(n) } else { None };
        let folds = shares.iter().any(|share| matches!(share, Share::Fold(..)));
        let by_rows = leader.is_some_and(|n| self.holds_rows(merged[n], &known)) && !appends && !folds;
        if searched == all && !by_rows {
            if automatic && !lattice.whole {
                let why = "looking up every row costs more than visiting the rows that have entries";
                return Err(Refusal::new(why, "ask for it: `forall(…, parallel, …)`"));
            }
            lattice.over_dimension(searched);
            loops = Merge::Count;
        }
        let over = if lattice.whole && all & !lattice.located == 0 {
            Over::Coordinates
        } else {
            let found = leader.map(|n| (n, self.way(merged[n], &known)));
            match found {
                Some((n, Way::Interval)) => Over::Interval(n),
                Some((n, Way::Entries)) if by_rows && !known.of(merged[n]).flagged => Over::Entries(n),
                Some((n, Way::Positions { gaps: false, .. }))
                    if !appends && !self.is_chained(merged[n], &known) && self.is_ordered(merged[n], outside) =>
                {
                    if !self.has_array(merged[n], &known) {
                        return Err(Refusal::new("its coordinates are computed", ANOTHER));
                    }
                    Over::Positions(n)
                }
                _ => {
                    let walked: Vec<usize> = members(all & !lattice.located).map(|n| merged[n]).collect();
                    return Err(self.one_by_one(&walked));
                }
            }
        };
        let by_position = shares.iter().any(|share| self.is_by_position(share));
        if by_position && !matches!(over, Over::Positions(_)) {
            return Err(Refusal::new("a result is stored like an operand that the loop does not visit", ANOTHER));
        }
        Ok((How { by: By::Cases(lattice, loops), ..how }, Deal { shares, over }))
    }

    /// Whether the coordinates of the next level of an operand lie in an array, and all of the level is accessed.
    pub fn has_array(&self, at: usize, known: &Known) -> bool {
        let whole = self.readings[at].form().is_some_and(|form| !form.is_cut(known.of(at).depth));
        whole && matches!(self.way(at, known), Way::Positions { array: true, .. })
    }

    /// How many arrays the iterations write by a share.
    fn arrays_of(&self, share: &Share) -> usize {
        match share {
            Share::Fold(..) => 0,
            Share::Part(..) | Share::Stretch(_) => 1,
            Share::Row(id) if self.kernel.tensor(*id).value == ValueType::Pattern => 1,
            Share::Row(_) => 2,
        }
    }

    /// Whether the part that an iteration owns follows from the position of its coordinate in the copied levels, and not from the
    /// coordinate.
    fn is_by_position(&self, share: &Share) -> bool {
        let Share::Stretch(id) = share else { return false };
        matches!(&self.kept[id.0], Some(Kept::Copied(copied)) if copied.places.rows.is_empty())
    }

    /// The mistake that a loop cannot run in parallel.
    fn refuse(&self, index: Index, span: Span, refusal: Refusal) -> Box<Diagnostic> {
        let name = &self.kernel.indices[index.0];
        let mistake = Diagnostic::new(span, format!("the loop over `{name}` cannot run in parallel"));
        Box::new(mistake.note(refusal.why).help(refusal.help))
    }

    /// What each iteration writes, and what all of them fold into.
    fn shares(&self, index: Index, body: &Stmt, outside: &Known) -> Dealt<Vec<Share>> {
        let assigns = body.all_assigns();
        let inner = self.kernel.made_inside(body);
        let mut shares: Vec<Share> = Vec::new();
        for assign in assigns.iter().filter(|assign| !inner.contains(&assign.target.tensor)) {
            self.check_reads(index, assign, &assigns)?;
            let share = self.share(index, assign, outside)?;
            if let (Share::Fold(id, reduce), known) = (&share, &shares)
                && known.iter().any(|one| matches!(one, Share::Fold(other, way) if other == id && way != reduce))
            {
                let target = self.kernel.show_access(&assign.target);
                return Err(Refusal::new(format!("`{target}` is folded into in two ways"), "use one reduction"));
            }
            if shares.contains(&share) {
                continue;
            }
            if shares.iter().any(|known| known.tensor() == share.tensor()) {
                let name = &self.kernel.tensor(share.tensor()).name;
                let why = format!("one iteration writes several parts of `{name}`, and others write the same elements");
                return Err(Refusal::new(why, "write one of them in a statement of its own"));
            }
            shares.push(share);
        }
        // An iteration that counts a row and then fills it runs twice.
        let other = shares.iter().find(|share| !matches!(share, Share::Row(_)));
        if let (Some(other), Some(row)) = (other, shares.iter().find(|share| matches!(share, Share::Row(_)))) {
            return Err(self.written_twice(row.tensor(), other.tensor()));
        }
        Ok(shares)
    }

    /// Refuses an assignment to a tensor of which other iterations read what this one writes.
    fn check_reads(&self, index: Index, assign: &Assign, all: &[&Assign]) -> Dealt<()> {
        let id = assign.target.tensor;
        let foreign = |other: &&Assign| {
            let mut foreign = false;
            other.reads(&mut |access| {
                let same = access.tensor == id && self.is_same_part(access, &assign.target, index);
                foreign |= self.kernel.base(access.tensor) == self.kernel.base(id) && !same;
            });
            foreign
        };
        if !all.iter().any(foreign) {
            return Ok(());
        }
        let why = format!("iterations read what others write of `{}`", self.kernel.tensor(id).name);
        Err(Refusal::new(why, "compute it in a statement of its own"))
    }

    /// The share of one assignment.
    pub fn share(&self, index: Index, assign: &Assign, outside: &Known) -> Dealt<Share> {
        let (id, target) = (assign.target.tensor, self.kernel.show_access(&assign.target));
        let i = &self.kernel.indices[index.0];
        match &self.kept[id.0] {
            Some(Kept::Scalar { remembers: true }) => Err(Refusal::for_good(format!(
                "whether anything is folded into `{target}` matters, and no task knows that of the others"
            ))),
            Some(Kept::Scalar { .. }) => match assign.reduce {
                Some(reduce) => Ok(Share::Fold(id, reduce)),
                None => {
                    Err(Refusal::new(format!("every iteration assigns `{target}`"), "fold into it: `+=`, `min=`, …"))
                }
            },
            Some(Kept::Levels(form)) => self.part(assign, index, &form.format.indices_of(&assign.target), outside),
            Some(Kept::Array { listed: false }) => self.part(assign, index, &assign.target.indices, outside),
            Some(Kept::Appended(places, _)) if places.rows != [index] || places.is_deep() => Err(Refusal::new(
                format!(
                    "tasks fill a result row by row only if `{i}` is its dense level, with one compressed level below: \
                     `{target}` has other levels"
                ),
                "let the index of the dense level run in parallel, with one compressed level below it",
            )),
            Some(Kept::Appended(..)) => Ok(Share::Row(id)),
            Some(Kept::Copied(copied)) => {
                let (order, rows) = (copied.places.order(), copied.places.rows.len());
                match (order[0] == index, rows, order.len() - rows) {
                    (true, 1, 1) | (true, 0, 1 | 2) => Ok(Share::Stretch(id)),
                    _ => Err(Refusal::new(
                        format!(
                            "the entries of `{target}` are dealt out by its outermost level, and `{i}` is not its index"
                        ),
                        "let the index of the outermost level run in parallel, with one compressed level below it",
                    )),
                }
            }
            Some(Kept::View) => Err(Refusal::for_good(format!(
                "where `{target}` writes is computed, and iterations may write the same element"
            ))),
            Some(Kept::Collected(_)) if assign.reduce.is_some() => Err(self.folded_entries(&assign.target)),
            _ => Err(self.in_computed_order(&assign.target)),
        }
    }

    /// The part of a dense array that one iteration writes; `of` has the indices of its dimensions.
    fn part(&self, assign: &Assign, index: Index, of: &[Index], outside: &Known) -> Dealt<Share> {
        let place = of.iter().position(|one| *one == index);
        match place.filter(|&place| of[..place].iter().all(|above| outside.path.contains(above))) {
            Some(place) => Ok(Share::Part(assign.target.tensor, of[..place].to_vec())),
            None => {
                let name = |index: Index| &self.kernel.indices[index.0];
                let help = match place {
                    Some(_) => format!("run `{}` in parallel, or around it", name(of[0])),
                    None => {
                        let target = self.kernel.show_access(&assign.target);
                        format!("run an index of `{target}` in parallel, not `{}`", name(index))
                    }
                };
                Err(Refusal::new(self.same_element(&assign.target), help))
            }
        }
    }

    /// Whether an access stays within the part that an iteration owns by writing `target`, another place of the same tensor.
    fn is_same_part(&self, access: &Access, target: &Access, index: Index) -> bool {
        let stored = |access: &Access| match &self.kept[target.tensor.0] {
            Some(Kept::Levels(form)) if form.format.is_plain() => form.format.indices_of(access),
            _ => access.indices.clone(),
        };
        let (of, own) = (stored(access), stored(target));
        own.iter().position(|one| *one == index).is_some_and(|place| of.get(..=place) == Some(&own[..=place]))
    }
}

impl Draft<'_> {
    /// A loop that the text declares parallel.
    pub fn decide_parallel(&mut self, index: Index, body: &Stmt, span: Span, known: &Known) -> Result<Node, Asked> {
        if known.dealt {
            let refusal = Refusal::new("it stands inside of another parallel loop", "let one of them run in order");
            return Err(self.refuse(index, span, refusal).into());
        }
        if self.appends(body) && !known.path.is_empty() {
            let why = "a sparse result is made in it, and it stands inside of another loop";
            return Err(self.refuse(index, span, Refusal::new(why, "let the outermost loop run in parallel")).into());
        }
        let inside = known.inside(index);
        let how = self.merge(index, body, &inside);
        if how.is_never() {
            return Ok(Node::Nothing);
        }
        if let Some((at, why)) = self.unreadable(&how, body, &inside, true) {
            return Err(self.sort(at, why));
        }
        let dealt = self.dealt(index, body, how, known, false)?;
        dealt.map_err(|refusal| self.refuse(index, span, refusal).into())
    }

    /// The outermost loop, planned as `node`, in parallel where its iterations do not meet and have enough to do. Any other loop stays as
    /// it is.
    pub fn decide_tasks(&mut self, index: Index, body: &Stmt, known: &Known, node: Node) -> Node {
        let Node::Loop(at) = node else { return node };
        if !known.path.is_empty() || known.dealt {
            return node;
        }
        match self.in_tasks(index, body, known, at) {
            Ok(dealt) => dealt.unwrap_or(node),
            Err(refusal) => {
                Arc::make_mut(&mut self.plan.loops[at]).in_order = Some(refusal);
                node
            }
        }
    }

    /// Outermost loop number `at` in parallel; `None` if it is never run, or its cases cannot be computed in parallel.
    fn in_tasks(&mut self, index: Index, body: &Stmt, known: &Known, at: usize) -> Result<Option<Node>, Refusal> {
        // Tasks do not make a loop faster that only copies: it may be done before they have started.
        if !body.has_loops() && body.written().iter().any(|id| self.kernel.tensor(*id).rank > 0) {
            return Err(Refusal::for_good("it does little more than copy, which memory bounds"));
        }
        let how = match self.plan.loops[at].how.clone() {
            // Visiting the entries costs less than dealing out the whole dimension.
            How { by: By::Once(..), merged, .. } if !merged.is_empty() => {
                return Err(Refusal::for_good("it visits entries, which costs less than all coordinates do"));
            }
            // If nothing is merged, each iteration can fold into a variable of its own.
            How { by: By::Once(..), .. } => self.merge(index, body, &known.inside(index)),
            how => how,
        };
        if how.is_never() {
            return Ok(None);
        }
        self.dealt(index, body, how, known, true).map_or(Ok(None), |dealt| dealt.map(Some))
    }

    /// A loop whose iterations are dealt out to tasks, or why they are not.
    fn dealt(
        &mut self,
        index: Index,
        body: &Stmt,
        how: How,
        known: &Known,
        automatic: bool,
    ) -> Result<Result<Node, Refusal>, Asked> {
        let (how, deal) = match self.deal(index, body, how, known, automatic) {
            Ok(dealt) => dealt,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let iterated = match deal.over {
            Over::Coordinates => 0,
            Over::Interval(n) | Over::Positions(n) | Over::Entries(n) => 1 << n,
        };
        let inside = Known { dealt: true, ..known.inside(index) };
        let cases = self.decide_cases(&how, &[iterated], body, &inside, usize::MAX)?;
        if matches!(deal.over, Over::Entries(_))
            && cases.iter().any(|case| self.plan.keeps_arrays(self.kernel, &case.node))
        {
            let why = "each task would need a workspace of its own, and an outer level deals out its rows itself";
            return Ok(Err(Refusal::for_good(why)));
        }
        self.plan.counted.extend(deal.rows());
        Ok(Ok(self.add_loop(index, body, inside, how, cases, Some(deal))))
    }
}
