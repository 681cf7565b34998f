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
//! parallel where it can, and where it gains by it. Floating-point sums may then be added up in another order.

use super::facts::{Facts, has_loops};
use super::kept::{From, Kept, Way};
use super::known::Known;
use super::{How, Meeting};
use crate::diagnostic::{Diagnostic, Span};
use crate::lattice::{Lattice, Set};
use crate::notation::ast::ValueType;
use crate::notation::concrete::{Access, Assign, Index, Reduction, Role, Stmt, TensorId};

/// The most arrays that one parallel loop writes: the runtime deals out no more.
const MOST_OWNED: usize = 8;

/// How a loop is dealt out to tasks.
#[derive(Clone, Debug)]
pub(crate) struct Deal {
    /// What its iterations write.
    pub shares: Vec<Share>,
    /// What is dealt out.
    pub over: Over,
    /// Whether what is dealt out are the rows of a store, which has tasks of its own.
    pub by_rows: bool,
}

impl Deal {
    /// The results of which each iteration counts, and then fills, a row.
    pub fn rows(&self) -> impl Iterator<Item = TensorId> {
        let row = |share: &Share| if let Share::Row(id) = share { Some(*id) } else { None };
        self.shares.iter().filter_map(row)
    }
}

/// What the iterations of a parallel loop write.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Share {
    /// All of them fold into a number.
    Fold(TensorId, Reduction),
    /// Each writes a part of a dense array: the loop's index runs along the dimension behind those of these indices, which loops around
    /// it run over.
    Part(TensorId, Vec<Index>),
    /// Each counts, and then fills, a row of an appended result.
    Row(TensorId),
    /// Each writes the values of a stretch of copied levels.
    Stretch(TensorId),
}

impl Share {
    /// The tensor that is written.
    fn tensor(&self) -> TensorId {
        match self {
            Share::Fold(id, _) | Share::Part(id, ..) | Share::Row(id) | Share::Stretch(id) => *id,
        }
    }
}

/// What a parallel loop runs over. Operands are numbered as in the sets of its lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    /// All coordinates.
    Coordinates,
    /// The coordinates between two bounds that an operand gives.
    Interval(usize),
    /// The positions of an operand.
    Positions(usize),
    /// The entries of a store.
    Entries(usize),
}

type Dealt<T> = Result<T, Box<Diagnostic>>;

impl Facts<'_> {
    /// Whether the outermost loop over `body` gains by tasks. A loop that only copies is bound by memory, and done before tasks have
    /// started.
    pub fn gains_by_tasks(&self, body: &Stmt) -> bool {
        has_loops(body) || body.written().iter().all(|id| self.kernel.tensor(*id).rank == 0)
    }

    /// How the loop over `index` is dealt out; `outside` is known outside of the loop. In an `automatic` loop, nobody has asked for tasks:
    /// it is refused if it would run over all coordinates only to have tasks.
    pub fn deal(
        &self,
        (index, body, span): (Index, &Stmt, Span),
        how: How,
        outside: &Known,
        automatic: bool,
    ) -> Dealt<(Meeting, Lattice, Deal)> {
        let (meeting, mut lattice) = match how {
            How::Cases(meeting, lattice) | How::Once(meeting, lattice) => (meeting, lattice),
            How::Flags(meeting, _) => return Err(self.refuse_entries(index, span, &meeting.merged)),
        };
        let known = outside.inside(index);
        let shares = self.shares(index, body, span, outside)?;
        let arrays: usize = shares.iter().map(|share| self.arrays_of(share)).sum();
        if arrays > MOST_OWNED {
            let why = format!("its iterations write {arrays} arrays, and {MOST_OWNED} can be dealt out");
            return Err(self.refuse(index, span, why, "split it into several loops"));
        }
        let appends = self.appends(body);
        let merged = &meeting.merged;
        // Rows that are dealt out by their numbers are looked up, where that is possible.
        let all: Set = (1 << merged.len()) - 1;
        let searched =
            (0..merged.len()).filter(|&n| self.can_locate(merged[n], outside)).fold(0, |set, n| set | 1 << n);
        let leader = match lattice.loops()[..] {
            [only] if only.count_ones() == 1 => Some(only.trailing_zeros() as usize),
            _ => None,
        };
        let folds = shares.iter().any(|share| matches!(share, Share::Fold(..)));
        let by_rows = leader.is_some_and(|n| self.holds_rows(merged[n], &known)) && !appends && !folds;
        if searched == all && !by_rows {
            if automatic && !lattice.whole {
                let why = "looking up every row costs more than visiting those that there are";
                return Err(self.refuse(index, span, why, "ask for it: `forall(…, parallel, …)`"));
            }
            lattice.over_dimension(searched);
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
                        let why = "its coordinates are computed";
                        return Err(self.refuse(index, span, why, "run another index in parallel"));
                    }
                    Over::Positions(n)
                }
                _ => {
                    let walked = (0..merged.len()).filter(|n| lattice.located & (1 << n) == 0);
                    let walked: Vec<usize> = walked.map(|n| merged[n]).collect();
                    return Err(self.refuse_entries(index, span, &walked));
                }
            }
        };
        let by_position = shares.iter().any(|share| self.is_by_position(share));
        if by_position && !matches!(over, Over::Positions(_)) {
            let why = "a result is stored like an operand that the loop does not visit";
            return Err(self.refuse(index, span, why, "run another index in parallel"));
        }
        Ok((meeting, lattice, Deal { shares, over, by_rows }))
    }

    /// Whether the coordinates of the next level of an operand lie in an array, and all of the level is accessed.
    fn has_array(&self, at: usize, known: &Known) -> bool {
        let From::Levels(form, _) = &self.operands[at].from else { return false };
        matches!(self.way(at, known), Way::Positions { array: true, .. }) && !form.is_cut(known.of(at).depth)
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
        matches!(&self.kept[id.0], Some(Kept::Copied(copied)) if copied.rows == 0)
    }

    /// The mistake that a loop cannot run in parallel.
    pub fn refuse(&self, index: Index, span: Span, why: impl Into<String>, help: &str) -> Box<Diagnostic> {
        let name = &self.kernel.indices[index.0];
        Box::new(Diagnostic::new(span, format!("the loop over `{name}` cannot run in parallel")).note(why).help(help))
    }

    /// Refuses a loop whose iterations are found entry by entry.
    fn refuse_entries(&self, index: Index, span: Span, operands: &[usize]) -> Box<Diagnostic> {
        let names: Vec<String> = operands.iter().map(|&at| self.tensor_text(at)).collect();
        let why = format!("its values are found by going through {}, entry by entry", names.join(" and "));
        self.refuse(index, span, why, "run an index in parallel whose levels are dense, or can be searched")
    }

    /// What belongs to each iteration, and what all of them fold into.
    fn shares(&self, index: Index, body: &Stmt, span: Span, outside: &Known) -> Dealt<Vec<Share>> {
        let mut assigns: Vec<&Assign> = Vec::new();
        body.assigns(&mut |assign| assigns.push(assign));
        let mut inner = Vec::new();
        self.made_inside(body, &mut inner);
        let mut shares: Vec<Share> = Vec::new();
        for assign in assigns.iter().filter(|assign| !inner.contains(&assign.target.tensor)) {
            let refuse = |(why, help): (String, String)| self.refuse(index, span, why, &help);
            self.check_reads(index, assign, &assigns).map_err(refuse)?;
            let share = self.share(index, assign, outside).map_err(refuse)?;
            if let (Share::Fold(id, reduce), known) = (&share, &shares)
                && known.iter().any(|one| matches!(one, Share::Fold(other, way) if other == id && way != reduce))
            {
                let name = self.kernel.show_access(&assign.target);
                return Err(refuse((format!("`{name}` is folded into in two ways"), "use one reduction".into())));
            }
            if shares.contains(&share) {
                continue;
            }
            if shares.iter().any(|known| known.tensor() == share.tensor()) {
                let name = &self.kernel.tensor(share.tensor()).name;
                let why = format!("one iteration writes several parts of `{name}`, and others write the same elements");
                return Err(refuse((why, "write one of them in a statement of its own".into())));
            }
            shares.push(share);
        }
        // An iteration that counts a row and then fills it runs twice.
        let other = shares.iter().find(|share| !matches!(share, Share::Row(_)));
        if let (Some(other), Some(row)) = (other, shares.iter().find(|share| matches!(share, Share::Row(_)))) {
            let [other, row] = [other, row].map(|share| &self.kernel.tensor(share.tensor()).name);
            let why = format!(
                "rows of `{row}` are counted before they are filled, and `{other}` would be written both times"
            );
            return Err(self.refuse(index, span, why, &format!("compute `{other}` in a statement of its own")));
        }
        Ok(shares)
    }

    /// Refuses an assignment to a tensor of which other iterations read what this one writes.
    fn check_reads(&self, index: Index, assign: &Assign, all: &[&Assign]) -> Result<(), (String, String)> {
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
        let name = &self.kernel.tensor(id).name;
        let why = format!("iterations read what others write of `{name}`");
        Err((why, "compute it in a statement of its own".into()))
    }

    /// The share of one assignment; why there is none, and what to do about it.
    fn share(&self, index: Index, assign: &Assign, outside: &Known) -> Result<Share, (String, String)> {
        let id = assign.target.tensor;
        let (name, i) = (self.kernel.show_access(&assign.target), &self.kernel.indices[index.0]);
        let refused = |why: String, help: &str| Err((why, help.to_owned()));
        match &self.kept[id.0] {
            Some(Kept::Scalar { remembers: true }) => refused(
                format!("whether anything is folded into `{name}` matters, and no task knows that of the others"),
                "let the loop run in order",
            ),
            Some(Kept::Scalar { .. }) => match assign.reduce {
                Some(reduce) => Ok(Share::Fold(id, reduce)),
                None => refused(format!("every iteration assigns `{name}`"), "fold into it: `+=`, `min=`, …"),
            },
            Some(Kept::Levels(form)) => self.part(id, index, &form.indices(&assign.target), &name, outside),
            Some(Kept::Array { listed: false }) => self.part(id, index, &assign.target.indices, &name, outside),
            Some(Kept::Appended { rows, deep }) if *rows != [index] || *deep => refused(
                format!("the entries of `{name}` are dealt out by rows, and `{i}` does not number them"),
                "let the index of the dense level run in parallel, with one compressed level below it",
            ),
            Some(Kept::Appended { .. }) => Ok(Share::Row(id)),
            Some(Kept::Copied(copied)) => {
                let below = copied.order.len() - copied.rows;
                match (copied.order[0] == index, copied.rows, below) {
                    (true, 1, 1) | (true, 0, 1 | 2) => Ok(Share::Stretch(id)),
                    _ => refused(
                        format!(
                            "the entries of `{name}` are dealt out by its outermost level, and `{i}` is not its index"
                        ),
                        "let the index of the outermost level run in parallel, with one compressed level below it",
                    ),
                }
            }
            Some(Kept::View) => refused(
                format!("where `{name}` writes is computed, and iterations may write the same element"),
                "let the loop run in order",
            ),
            Some(Kept::Collected { .. }) if assign.reduce.is_some() => {
                let entries: Vec<&str> =
                    assign.target.indices.iter().map(|index| &self.kernel.indices[index.0][..]).collect();
                let (last, target) = (entries.last().copied().unwrap_or_default(), &self.kernel.tensor(id).name);
                let help = format!(
                    "fold a row in a workspace first: `forall({last}, {target}({}) = w({last})) where …`; or return a dense format",
                    entries.join(","),
                );
                refused(
                    format!("`{name}` is folded into, and the entries of a sparse result are appended, each once"),
                    &help,
                )
            }
            _ => refused(
                format!("entries of `{name}` are collected in the order in which they are computed"),
                "run the loops in the order of the result's levels, the outermost of them dense",
            ),
        }
    }

    /// The part of a dense array that one iteration writes.
    fn part(
        &self,
        id: TensorId,
        index: Index,
        of: &[Index],
        name: &str,
        outside: &Known,
    ) -> Result<Share, (String, String)> {
        let place = of.iter().position(|one| *one == index);
        match place.filter(|&place| of[..place].iter().all(|above| outside.path.contains(above))) {
            Some(place) => Ok(Share::Part(id, of[..place].to_vec())),
            None => {
                let i = &self.kernel.indices[index.0];
                let help = match place {
                    None => format!("run an index of `{name}` in parallel, not `{i}`"),
                    Some(_) => format!("run `{}` in parallel, or around it", self.kernel.indices[of[0].0]),
                };
                Err((format!("several iterations may write the same element of `{name}`"), help))
            }
        }
    }

    /// Whether an access stays within the part that an iteration owns by writing `target`, another place of the same tensor.
    fn is_same_part(&self, access: &Access, target: &Access, index: Index) -> bool {
        let stored = |access: &Access| match &self.kept[target.tensor.0] {
            Some(Kept::Levels(form)) if form.format.is_plain() => form.indices(access),
            _ => access.indices.clone(),
        };
        let (of, own) = (stored(access), stored(target));
        own.iter().position(|one| *one == index).is_some_and(|place| of.get(..=place) == Some(&own[..=place]))
    }

    /// The workspaces that a statement makes anew each time it runs.
    fn made_inside(&self, stmt: &Stmt, found: &mut Vec<TensorId>) {
        match stmt {
            Stmt::Assign(_) => {}
            Stmt::Forall { body, .. } => self.made_inside(body, found),
            Stmt::Where { consumer, producer } => {
                let workspace = |id: &TensorId| self.kernel.tensor(*id).role == Role::Workspace;
                found.extend(producer.written().into_iter().filter(workspace));
                self.made_inside(producer, found);
                self.made_inside(consumer, found);
            }
            Stmt::Sequence(parts) => parts.iter().for_each(|part| self.made_inside(part, found)),
        }
    }
}
