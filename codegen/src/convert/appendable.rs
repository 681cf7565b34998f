//! Targets to which entries can be appended.

use crate::format::{Coordinate, Form, Format, FormatLevel};
use crate::level::FieldKind;
use crate::notation::concrete::{Access, Assign, Index, Stmt};

/// The levels of a target whose entries can be appended: dense ones, compressed ones below them, and dense ones again. The last compressed
/// one may keep a coordinate for each entry, and levels below it the other coordinates of the entry, as in a list of them.
#[derive(Clone, Debug)]
pub(crate) struct Appendable {
    /// The indices of the outermost levels, which are dense.
    pub rows: Vec<Index>,
    /// Those of the compressed levels below them, up to the last one.
    pub listed: Vec<Index>,
    /// The dimension that the last compressed level keeps.
    pub last: usize,
    /// The dimensions of the levels below it that have exactly one coordinate for each of its entries.
    pub singles: Vec<usize>,
    /// The dimensions of the dense levels at the end.
    pub tail: Vec<usize>,
    /// The indices of all levels.
    all: Vec<Index>,
}

impl Appendable {
    /// The levels of the target of an assignment, if entries can be appended to them.
    pub fn of(assign: &Assign, format: &Format) -> Option<Appendable> {
        if !format.is_plain() {
            return None;
        }
        let modes: Vec<usize> = format.levels.iter().filter_map(FormatLevel::dimension).collect();
        let appends = |level: &FormatLevel| {
            level.kind.capabilities().append && !level.properties.branchless && !level.properties.full
        };
        let rows = format.levels.iter().take_while(|level| level.is_array()).count();
        let tail = format.levels.iter().rev().take_while(|level| level.is_array()).count();
        let singles = format.levels.iter().rev().take_while(|level| is_single(level)).count();
        let below = format.levels.len().checked_sub(tail + singles)?;
        let last = below.checked_sub(1).filter(|&last| last >= rows)?;
        let listed = &format.levels[rows..last];
        if !appends(&format.levels[last]) || !listed.iter().all(|level| appends(level) && level.properties.unique) {
            return None;
        }
        // Each entry is appended with all of its coordinates, so that the last level keeps a coordinate again if the entry before has the same.
        let repeats = |level: &FormatLevel| !level.properties.unique && !level.is_store();
        if !format.levels[last..last + singles].iter().all(repeats) {
            return None;
        }
        let all: Vec<Index> = modes.iter().map(|&m| assign.target.indices[m]).collect();
        Some(Appendable {
            rows: all[..rows].to_vec(),
            listed: all[rows..last].to_vec(),
            last: modes[last],
            singles: modes[below..below + singles].to_vec(),
            tail: modes[below + singles..].to_vec(),
            all,
        })
    }

    /// Whether anything but one compressed level lies below the dense ones.
    pub fn is_deep(&self) -> bool {
        !(self.singles.is_empty() && self.tail.is_empty() && self.listed.is_empty())
    }

    /// The indices of all levels down to the last compressed one.
    pub fn order(&self) -> Vec<Index> {
        self.all[..self.all.len() - self.tail.len()].to_vec()
    }

    /// Whether an operand has the levels of the target's format, down to the last compressed one, for the same indices.
    pub fn has_levels_of(&self, format: &Format, form: &Form, access: &Access) -> bool {
        if form.is_part() {
            return false;
        }
        let (order, theirs) = (self.order(), &form.format);
        let same_level = |(at, &index): (usize, &Index)| {
            let (own, level) = (&format.levels[at], &theirs.levels[at]);
            let fields: Vec<FieldKind> = level.kind.fields(&level.switches).iter().map(|(_, kind)| *kind).collect();
            let arrays = [FieldKind::Positions, FieldKind::Coordinates];
            matches!(level.coordinate, Coordinate::Index(m) if access.indices[m] == index)
                && own.kind.name() == level.kind.name()
                && own.switches == level.switches
                && (if at < self.rows.len() { fields.is_empty() } else { fields == arrays })
        };
        // A padded operand may have a row of which no place holds an entry; a result that keeps entries only must not have that row.
        let holds_entries = theirs.keeps_entries_only() || !format.keeps_entries_only();
        access.is_distinct()
            && holds_entries
            && theirs.is_plain()
            && theirs.levels.len() >= order.len()
            && theirs.levels.iter().all(|level| level.properties.unique)
            && order.iter().enumerate().all(same_level)
    }

    /// Whether entries come in the order of the target, each once, or in blocks that are finished one after the other; `once` says that
    /// loops over the target's indices alone come to each entry once.
    pub fn are_appended(&self, stmt: &Stmt, assign: &Assign, once: bool) -> bool {
        match &stmt.paths(assign.target.tensor)[..] {
            // Within a block, values may come in any order, and are folded.
            [path] if !self.tail.is_empty() => {
                path.starts_with(&self.order()) && (assign.reduce.is_some() || *path == self.all)
            }
            [path] => once && *path == self.all,
            _ => false,
        }
    }

    /// Whether the loops come to each entry once, and stay there until its values are done.
    pub fn is_filled_once(&self, stmt: &Stmt, assign: &Assign) -> bool {
        match &stmt.paths(assign.target.tensor)[..] {
            [path] => path.starts_with(&self.order()) && (assign.reduce.is_some() || path.len() == self.all.len()),
            _ => false,
        }
    }
}

/// Whether a target's entries come in its own order, if loops over the target's indices alone come to each entry once.
pub(crate) fn comes_in_order(stmt: &Stmt, assign: &Assign, format: &Format) -> bool {
    let order: Vec<Index> = format.levels.iter().filter_map(|level| level.index_of(&assign.target)).collect();
    format.is_plain() && stmt.paths(assign.target.tensor) == [order]
}

/// Whether a level keeps one coordinate for each position of the level above, in an array of its own and without gaps.
fn is_single(level: &FormatLevel) -> bool {
    let fields: Vec<FieldKind> = level.kind.fields(&level.switches).iter().map(|(_, kind)| *kind).collect();
    level.properties.branchless
        && level.kind.capabilities().append
        && fields == [FieldKind::Coordinates]
        && !level.switches.interleaved
        && !level.switches.padded
}
