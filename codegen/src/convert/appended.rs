//! Results whose entries come in the order of their levels, and results with a copy of an operand's levels, while loops assemble them.
//!
//! ```text
//!   appended            an entry goes behind the last one; the end of a row says how many entries there are so far
//!   counted, filled     a parallel loop runs twice: it counts the entries of each row, and then puts each entry at its position
//!   copied levels       positions and coordinates are those of an operand, and only values are computed
//! ```
//!
//! A level of dense blocks at the end has a block of values for each entry. A block is made before anything is written to it, and it becomes
//! an entry only if something was.

use super::appendable::Appendable;
use super::list::{build_stores, by_name};
use crate::format::Format;
use crate::ir::{self, Block, Expr, Owned, Partition, Reduce, Scalar, Stmt, Type, Var, Vars};
use crate::notation::ast::ValueType;
use crate::notation::concrete::Index;
use crate::tensor::{Levels, OwnFields, end_empty_segments, row_major, scalar, segments, size};

/// A result that is about to be assembled.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub places: &'a Appendable,
    pub format: &'a Format,
    /// What its arrays are named after.
    pub name: &'a str,
    /// The extents of its dimensions.
    pub shape: &'a [Expr],
    pub value: ValueType,
}

/// A result under assembly: levels that are dense, and below them levels that are compressed.
///
/// An entry is appended to a compressed level with others below it once the levels below have everything of the entry, and only if they have
/// anything.
#[derive(Clone, Debug)]
pub(crate) struct Append {
    /// Its levels.
    pub places: Appendable,
    /// Where the entries of each parent begin, and their coordinates, of each compressed level.
    levels: Vec<(Var, Var)>,
    /// The coordinates of the levels below that have one for each entry of the last compressed one.
    singles: Vec<Var>,
    /// The extents of the dense levels at the end: each entry of the last compressed level has a block of values.
    block: Vec<Expr>,
    /// Whether anything was written to the block that is open, where blocks are appended.
    any: Option<Var>,
    vals: Option<Var>,
    /// The dimensions of the dense levels at the top, outermost first, and their extents.
    rows: (Vec<usize>, Vec<Expr>),
    /// Whether some rows may be left out, and so have no end of their own.
    pub gaps: bool,
    /// What an assignment to the result does.
    phase: Phase,
}

/// How far the assembly is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Entries are appended.
    Append,
    /// Entries are counted.
    Count,
    /// Entries are put at the position that this variable holds, which then moves on.
    Fill(Var),
    /// All entries are in place.
    Filled,
    /// The coordinates are copied from an operand, and values are filled in. This array says where the segments of the operand's last
    /// compressed level begin.
    Copied(Var),
}

impl Append {
    /// Declares the variables of a result.
    fn new(vars: &mut Vars, target: Target<'_>, phase: Phase) -> Append {
        let Target { places, format, name, shape, value } = target;
        let modes: Vec<usize> = format.levels[..places.rows.len()].iter().filter_map(|l| l.dimension()).collect();
        let extents = modes.iter().map(|&m| shape[m].clone()).collect();
        let (first, below) = (places.rows.len(), places.listed.len() + 1);
        let alone = below == 1 && places.singles.is_empty();
        let numbered = |at: usize| if alone { name.to_owned() } else { format!("{name}{}", at + 1) };
        let levels = (first..first + below).map(|at| segments(&format.levels[at], vars, &numbered(at))).collect();
        let single = |n| vars.fresh(format!("{name}{}_crd", first + below + n + 1), Type::vec(Scalar::U32));
        let singles = (0..places.singles.len()).map(single).collect();
        let vals = (value != ValueType::Pattern).then(|| vars.fresh(format!("{name}_vals"), Type::vec(scalar(value))));
        let block: Vec<Expr> = places.tail.iter().map(|&m| shape[m].clone()).collect();
        let places = places.clone();
        Append { places, levels, singles, block, any: None, vals, rows: (modes, extents), gaps: false, phase }
    }

    /// Makes empty arrays for entries that are appended. Those of entries that are `counted` first are made once their number is known.
    pub fn declare(vars: &mut Vars, body: &mut Block, target: Target<'_>, counted: bool) -> Append {
        let mut append = Append::new(vars, target, Phase::Append);
        let mut ends = size(append.rows.1.clone()) + ir::usize(1);
        for &(pos, _) in &append.levels {
            let len = std::mem::replace(&mut ends, ir::usize(1));
            body.push(Stmt::NewArray { var: pos, len, fill: ir::usize(0) });
        }
        if !counted {
            let coordinates = append.levels.iter().map(|level| level.1);
            let arrays = coordinates.chain(append.singles.iter().copied()).chain(append.vals);
            body.extend(arrays.map(|var| Stmt::NewVec { var, capacity: None }));
        }
        append.any = (!append.block.is_empty()).then(|| vars.fresh(format!("{}_any", target.name), Scalar::Bool));
        append.gaps = append.places.rows.len() > 1;
        append
    }

    /// Copies the levels of an operand that has entries exactly where the result has them. Values are `fill` until loops fill them in: nothing
    /// is appended or counted, and the loops may run in parallel.
    pub fn copying(vars: &mut Vars, body: &mut Block, target: Target<'_>, from: &Levels, fill: Expr) -> Append {
        let mut append = Append::new(vars, target, Phase::Filled);
        let mut parents = size(append.rows.1.clone());
        for (at, &(pos, crd)) in (append.places.rows.len()..).zip(&append.levels) {
            let (from_pos, from_crd) = from.arrays(at);
            let entries = ir::load(from_pos, parents.clone());
            body.push(Stmt::CopyArray { var: pos, from: from_pos, len: parents + ir::usize(1) });
            body.push(Stmt::CopyArray { var: crd, from: from_crd, len: entries.clone() });
            append.phase = Phase::Copied(from_pos);
            parents = entries;
        }
        let len = if append.block.is_empty() { parents } else { parents * size(append.block.clone()) };
        body.extend(append.vals.map(|var| Stmt::NewArray { var, len, fill }));
        append
    }

    /// Where the entries of each parent begin in the last compressed level, and their coordinates.
    fn last(&self) -> (Var, Var) {
        self.levels[self.levels.len() - 1]
    }

    /// Where the value for these coordinates lies, at position `p` of the last compressed level.
    fn value_at(&self, p: Expr, coords: &[Expr]) -> Expr {
        if self.block.is_empty() {
            return p;
        }
        let inner: Vec<Expr> = self.places.tail.iter().map(|&m| coords[m].clone()).collect();
        p * size(self.block.clone()) + row_major(&self.block, &inner)
    }

    /// Writes a value at some coordinates, as the phase says; `put` writes it to a place of an array. `entry` is the position of the entry in
    /// levels that have been copied.
    pub fn write(
        &self,
        coords: &[Expr],
        value: Expr,
        entry: Option<Expr>,
        put: &dyn Fn(Var, Expr, Expr) -> Stmt,
        body: &mut Block,
    ) {
        let narrow = |m: usize| coords[m].clone().cast(Scalar::U32);
        let (last, (pos, crd)) = (self.places.last, self.last());
        match (self.phase, self.any) {
            (Phase::Append, Some(any)) => {
                body.extend(self.vals.map(|vals| put(vals, self.value_at(ir::len(crd), coords), value)));
                body.push(Stmt::Assign(any, ir::bool(true)));
            }
            (Phase::Append, None) => {
                body.push(Stmt::Push(crd, narrow(last)));
                let singles = self.places.singles.iter().zip(&self.singles);
                body.extend(singles.map(|(&m, &crd)| Stmt::Push(crd, narrow(m))));
                body.extend(self.vals.map(|vals| Stmt::Push(vals, value)));
            }
            (Phase::Count, _) => {
                let rows: Vec<Expr> = self.rows.0.iter().map(|&m| coords[m].clone()).collect();
                let end = row_major(&self.rows.1, &rows) + ir::usize(1);
                body.push(Stmt::StoreUpdate(pos, end, Reduce::Add, ir::usize(1)));
            }
            (Phase::Fill(at), _) => {
                body.push(Stmt::Store(crd, at.into(), narrow(last)));
                body.extend(self.vals.map(|vals| Stmt::Store(vals, at.into(), value)));
                body.push(Stmt::Update(at, Reduce::Add, ir::usize(1)));
            }
            (Phase::Copied(_), _) => {
                let at = self.value_at(entry.expect("a case of the loops has come to the entry"), coords);
                body.extend(self.vals.map(|vals| put(vals, at, value)));
            }
            (Phase::Filled, _) => unreachable!("one statement makes a result"),
        }
    }
}

/// Rows and blocks.
impl Append {
    /// Whether the loops over `path` come to an entry that has a block of values.
    pub fn has_block(&self, path: &[Index]) -> bool {
        self.any.is_some() && self.places.order() == path
    }

    /// Makes place for a block of values before anything is written to it.
    pub fn open_block(&mut self, vars: &mut Vars, fill: Expr, block: &mut Block) {
        let len = (ir::len(self.last().1) + ir::usize(1)) * size(self.block.clone());
        block.extend(self.vals.map(|array| Stmt::Resize { array, len, fill }));
        // Each place where blocks are opened has a variable of its own.
        let name = self.any.map(|any| vars[any].name.clone()).unwrap_or_default();
        let any = vars.fresh(name, Scalar::Bool);
        block.push(Stmt::Let(any, ir::bool(false)));
        self.any = Some(any);
    }

    /// Makes the open block an entry with this coordinate if anything was written to it.
    pub fn end_block(&self, coordinate: Expr, block: &mut Block) {
        let push = vec![Stmt::Push(self.last().1, coordinate)];
        block.extend(self.any.map(|any| Stmt::when(any.into(), push)));
    }

    /// Ends the row that the loops over `path` have made: it ends behind its entries. If it has any, and a compressed level lies above, it
    /// becomes an entry of that level. `coordinate` has the values of indices.
    pub fn end_row(&self, path: &[Index], coordinate: &dyn Fn(Index) -> Expr, block: &mut Block) {
        let (rows, listed) = (&self.places.rows, &self.places.listed);
        if self.phase != Phase::Append || !path.starts_with(rows) {
            return;
        }
        let own = &path[rows.len()..];
        let Some(&innermost) = own.last() else {
            let (pos, crd) = self.levels[0];
            let parent = row_major(&self.rows.1, &rows.iter().map(|&i| coordinate(i)).collect::<Vec<_>>());
            block.push(Stmt::Store(pos, parent + ir::usize(1), ir::len(crd)));
            return;
        };
        if listed.starts_with(own) {
            let ((_, above), (pos, crd)) = (self.levels[own.len() - 1], self.levels[own.len()]);
            let ended = ir::load(pos, ir::len(pos) - ir::usize(1));
            let coordinate = coordinate(innermost).cast(Scalar::U32);
            let entry = vec![Stmt::Push(above, coordinate), Stmt::Push(pos, ir::len(crd))];
            block.push(Stmt::when(ended.less(ir::len(crd)), entry));
        }
    }
}

/// Two passes of a parallel loop, and what its iterations own.
impl Append {
    /// From here on, entries are counted.
    pub fn count(&mut self) {
        self.phase = Phase::Count;
    }

    /// From here on, entries are put at their positions, which follow from the counts: arrays of their number are made.
    pub fn fill(&mut self, vars: &mut Vars, name: &str, block: &mut Block) {
        let (pos, crd) = self.last();
        let len = || ir::load(pos, ir::len(pos) - ir::usize(1));
        block.push(Stmt::PrefixSum(pos));
        // Where iterations fill their rows in order, the pass `uncleared` has the tasks clear what they leave out.
        block.push(Stmt::NewArray { var: crd, len: len(), fill: ir::lit(ir::Literal::U32(0)) });
        let zero = |vals: Var| ir::lit(vars[vals].ty.array_scalar().unwrap_or(Scalar::F64).zero());
        block.extend(self.vals.map(|vals| Stmt::NewArray { var: vals, len: len(), fill: zero(vals) }));
        self.phase = Phase::Fill(vars.fresh(format!("{name}_at"), Scalar::Usize));
    }

    /// All entries have been put at their positions.
    pub fn filled(&mut self) {
        self.phase = Phase::Filled;
    }

    /// Has an iteration that fills row `row` begin where the row does.
    pub fn begin_row(&self, row: Var, body: &mut Block) {
        if let Phase::Fill(at) = self.phase {
            body.push(Stmt::Let(at, ir::load(self.last().0, row)));
        }
    }

    /// The arrays of which each iteration owns a part.
    pub fn owned(&self) -> Vec<Owned> {
        let ((pos, crd), one) = (self.last(), ir::usize(1));
        match (self.phase, self.vals) {
            (Phase::Count, _) => {
                vec![Owned { array: pos, partition: Partition::Each { offset: ir::usize(1), stride: one } }]
            }
            (Phase::Copied(pos), Some(array)) => {
                let stride = size(self.block.clone());
                let alone = self.places.rows.is_empty() && self.levels.len() == 1;
                let by_segment = Partition::Segments { pos, stride: stride.clone() };
                let partition = if alone { Partition::Positions { stride } } else { by_segment };
                vec![Owned { array, partition }]
            }
            (Phase::Copied(_), None) => Vec::new(),
            (Phase::Append | Phase::Fill(_) | Phase::Filled, vals) => {
                let partition = Partition::Segments { pos, stride: one };
                [crd].into_iter().chain(vals).map(|array| Owned { array, partition: partition.clone() }).collect()
            }
        }
    }
}

/// The end.
impl Append {
    /// Ends the rows and blocks of a result whose entries have been appended.
    pub fn end(&self, vars: &mut Vars, fill: Expr, body: &mut Block) {
        let (ends, entries) = self.levels[0];
        if self.phase == Phase::Append && self.places.rows.is_empty() {
            body.push(Stmt::Store(ends, ir::usize(1), ir::len(entries)));
        } else if self.phase == Phase::Append && self.gaps {
            // A row that the loops left out ends where the row before it does.
            end_empty_segments(vars, body, ends);
        }
        if let (Some(_), Some(array)) = (self.any, self.vals) {
            // The last block may have stayed empty.
            let len = ir::len(self.last().1) * size(self.block.clone());
            body.push(Stmt::Resize { array, len, fill });
        }
    }

    /// The levels of the result, and their fields.
    pub fn levels(&self, vars: &mut Vars, body: &mut Block, target: Target<'_>) -> (Levels, Vec<OwnFields>) {
        let Target { format, name, shape, value, .. } = target;
        let mut made = Levels::without_fields(format, shape.to_vec(), self.vals, value);
        let mut own: Vec<OwnFields> = vec![Vec::new(); format.levels.len()];
        let rows = self.places.rows.len();
        for (at, (pos, crd)) in (rows..).zip(&self.levels) {
            own[at] = format.levels[at].segment_names().into_iter().zip([*pos, *crd]).collect();
        }
        for (at, crd) in (rows + self.levels.len()..).zip(&self.singles) {
            let level = &format.levels[at];
            own[at] = level.kind.fields(&level.switches).into_iter().map(|(name, _)| (name, *crd)).collect();
        }
        made.fields = own.iter().map(|own| by_name(own)).collect();
        build_stores(vars, body, name, format, value, &mut made.fields, &mut own, &mut made.vals);
        (made, own)
    }
}
