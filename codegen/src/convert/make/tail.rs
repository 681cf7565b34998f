//! Targets with the innermost coordinates and the values in the order of the source. These arrays are copied, and only the levels above are
//! made.
//!
//! ```text
//!   coo to csr      entry p of row i            pos[i + 1] = p + 1; a row without entries ends where the row before it ends
//!   csr to coo      entries lo to hi of row i   row coordinates lo to hi are i
//!   dcsr to csr     entries lo to hi of row i   pos[i + 1] = hi
//! ```

use super::fit::coordinates;
use super::maker::Maker;
use crate::convert::copy::copied;
use crate::convert::made::Lowered;
use crate::convert::order::{self, Order};
use crate::convert::walk::Entry;
use crate::format::{Coordinate, Format, FormatLevel};
use crate::ir::{self, Block, Domain, Expr, Owned, Partition, Reduce, Scalar, Stmt, Var, Work};
use crate::level::{FieldKind, Made, Making, SEGMENTS, Walk};
use crate::tensor::Pos;

/// The array of the innermost coordinates of a format.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// Divided into segments, one for each position of the level above.
    Segments,
    /// One of several arrays of equal length, as in a list of coordinates.
    List,
}

/// How the innermost coordinates of a format are kept, if they are one array without gaps.
fn tail_of(format: &Format) -> Option<Tail> {
    let plain = |level: &FormatLevel| matches!(level.coordinate, Coordinate::Index(_)) && !level.switches.interleaved;
    let dense = |level: &FormatLevel| level.properties.full && level.keeps(&[]);
    let gapless = |level: &FormatLevel| dense(level) || level.properties.compact && level.properties.zeroless;
    let (last, above) = format.levels.split_last()?;
    if above.is_empty() || !format.levels.iter().all(|level| plain(level) && gapless(level)) {
        return None;
    }
    if last.keeps(&SEGMENTS) {
        return Some(Tail::Segments);
    }
    let is_list = |(at, level): (usize, &FormatLevel)| match at {
        0 => level.keeps(&SEGMENTS) && !level.properties.unique,
        _ => level.keeps(&SEGMENTS[1..]) && level.properties.branchless,
    };
    format.levels.iter().enumerate().all(is_list).then_some(Tail::List)
}

impl Maker<'_> {
    /// Whether the target has the same innermost coordinates and values as the source, in the same order.
    pub(super) fn keeps_tail(&self) -> bool {
        let (from, to) = (&self.source.format, self.target);
        let can_make = match (tail_of(from), tail_of(to)) {
            (Some(_), Some(Tail::Segments)) => to.levels.iter().rev().skip(1).all(|level| level.properties.full),
            (Some(Tail::Segments), Some(Tail::List)) => true,
            _ => false,
        };
        let (Some(own), Some(last)) = (from.levels.last(), to.levels.last()) else { return false };
        can_make
            && from.levels.iter().all(|level| !level.is_store())
            && own.coordinate == last.coordinate
            && order::is_unique(from)
            && Order::of(from).ascends(to.rank(), &[], &coordinates(to))
            && self.has_narrow_tail()
    }

    /// Whether the innermost coordinates of the source have 32 bits. Those of a list that a kernel has collected have more.
    fn has_narrow_tail(&self) -> bool {
        let array = self.source.coordinates_of(self.source.fields.len() - 1);
        array.is_some_and(|array| self.vars[array].ty.array_scalar() == Some(Scalar::U32))
    }

    /// Makes the target of copies of the innermost coordinates and of the values, and makes the levels above.
    pub(super) fn make_around_tail(&mut self) -> Lowered {
        let n = self.target.levels.len();
        let (mut made, mut extents, mut parents) = (Vec::<Made>::new(), Vec::new(), ir::usize(1));
        let list = tail_of(self.target) == Some(Tail::List);
        let stored = self.stored(n - 1, FieldKind::Coordinates);
        let entries = self.named(format!("{}_entries", self.prefix), ir::len(stored));
        for k in 0..n {
            let level = self.declared(k, parents.clone(), &mut extents);
            made.push(level);
            let Some(insertion) = self.target.levels[k].kind.insertion() else { continue };
            self.asked(k, insertion);
            insertion.begin(&mut Making { vars: self.vars, block: self.block, level: &mut made[k] });
            if k + 1 == n {
                let own = self.tail(format!("{}_crd", made[k].prefix), stored);
                made[k].held.insert(self.target.levels[k].field(FieldKind::Coordinates), own);
            } else if list {
                let mut making = Making { vars: self.vars, block: self.block, level: &mut made[k] };
                let name = self.target.levels[k].field(FieldKind::Coordinates);
                making.array(name, Scalar::U32, entries.clone(), ir::lit(ir::Literal::U32(0)));
            } else {
                parents = insertion.size(&made[k]);
            }
        }
        if list {
            let pos = self.array(&made, 0, FieldKind::Positions);
            self.block.push(Stmt::Store(pos, ir::usize(1), entries));
            self.fill_list(&made);
        } else {
            self.end_segments(&made, &entries);
        }
        let vals = self.source.vals.map(|vals| self.tail(format!("{}_vals", self.prefix), vals));
        self.plan.push("the innermost coordinates and the values are copied: they come in this order".to_owned());
        self.finished(made, extents, vals)
    }

    /// The array of level `at` of the source that holds what `kind` says.
    fn stored(&self, at: usize, kind: FieldKind) -> Var {
        self.source.fields[at][self.source.format.levels[at].field(kind)]
    }

    /// An array of the source, for the target.
    fn tail(&mut self, name: String, of: Var) -> Var {
        let builds = self.target.levels.last().is_some_and(FormatLevel::is_store);
        copied(self.vars, self.block, name, of, builds)
    }

    /// Fills the arrays of a list above the innermost one. Each row of the source has its coordinates written once for each of its entries.
    fn fill_list(&mut self, made: &[Made]) {
        let ends = self.stored(made.len() - 1, FieldKind::Positions);
        let above = &made[..made.len() - 1];
        let rows = match self.source.walk(0, &Pos::At(ir::usize(0)), &[]) {
            Walk::Interval { hi, .. } if above.len() == 1 => Some(hi),
            _ => None,
        };
        let coordinates = |k: usize| self.array(above, k, FieldKind::Coordinates);
        let arrays: Vec<Var> = (0..above.len()).map(coordinates).collect();
        let fill = |array: Var, at: Expr, value: Expr| Stmt::Fill {
            array,
            lo: ir::load(ends, at.clone()),
            hi: ir::load(ends, at + ir::usize(1)),
            value: value.cast(Scalar::U32),
        };
        let Some(rows) = rows else {
            let block = self.outer(|this, entry| {
                let coords = entry.all();
                let fill = |(level, &own): (&FormatLevel, &Var)| {
                    fill(own, position(entry), this.coordinate(&level.coordinate, &coords, None))
                };
                this.target.levels.iter().zip(&arrays).map(fill).collect()
            });
            self.block.append(block);
            return;
        };
        let row = self.vars.fresh(self.source.format.indices[0].clone(), Scalar::Usize);
        self.block.push(Stmt::Parallel {
            var: row,
            domain: Domain::Range { lo: ir::usize(0), hi: rows },
            owned: vec![Owned { array: arrays[0], partition: Partition::Segments { pos: ends, stride: ir::usize(1) } }],
            reductions: Vec::new(),
            work: Work { weights: Some(ends), ..Work::default() },
            scratch: Block::new(),
            body: fill(arrays[0], row.into(), row.into()).into(),
        });
    }

    /// Sets where the segment of each parent ends: behind its last entry, or where the segment before it ends if it has no entry.
    fn end_segments(&mut self, made: &[Made], entries: &Expr) {
        let last = made.len() - 1;
        let pos = self.array(made, last, FieldKind::Positions);
        if tail_of(&self.source.format) == Some(Tail::List) {
            self.end_entries(made, pos, entries);
        } else {
            let ends = self.stored(last, FieldKind::Positions);
            let block = self.outer(|this, entry| {
                let (mut block, parent) = this.position(made, last, &entry.all());
                let end = ir::load(ends, position(entry) + ir::usize(1));
                block.push(Stmt::Store(pos, parent + ir::usize(1), end));
                block
            });
            self.block.append(block);
        }
        let (p, end) = (self.vars.fresh("p", Scalar::Usize), self.vars.fresh("end", Scalar::Usize));
        self.block.push(Stmt::Let(end, ir::usize(0)));
        let raise = vec![Stmt::Update(end, Reduce::Max, ir::load(pos, p)), Stmt::Store(pos, p.into(), end.into())];
        self.block.push(Stmt::count(p, ir::usize(1), made[last].parents.clone() + ir::usize(1), raise));
    }

    /// Each entry of a list sets the end of its parent's segment to the position behind itself, so that the last entry decides. The stretch of
    /// each task begins with the first entry of an outermost coordinate: no two tasks have entries of the same parent.
    fn end_entries(&mut self, made: &[Made], pos: Var, entries: &Expr) {
        let last = made.len() - 1;
        let outermost = self.stored(0, FieldKind::Coordinates);
        let count = || entries.clone();
        let tasks = self.vars.fresh(format!("{}_tasks", self.prefix), Scalar::Usize);
        self.block.push(Stmt::Let(tasks, Expr::Tasks(Box::new(count())).min(count())));
        let [task, lo, hi] = ["task", "lo", "hi"].map(|name| self.vars.fresh(name, Scalar::Usize));
        let start = |task: Expr| Expr::Seek {
            array: outermost,
            from: Box::new(ir::usize(0)),
            to: Box::new(count()),
            coord: Box::new(ir::load(outermost, count() * task / Expr::Var(tasks)).cast(Scalar::Usize)),
        };
        let next = Expr::Var(task) + ir::usize(1);
        let mut body = Block::from(vec![
            Stmt::Let(lo, start(task.into())),
            Stmt::Let(hi, count()),
            Stmt::when(next.clone().less(tasks), Stmt::Assign(hi, start(next))),
        ]);
        body.append(self.stretch((lo, hi), &mut |this, entry| {
            let (mut block, parent) = this.position(made, last, &entry.all());
            block.push(Stmt::Store(pos, parent + ir::usize(1), position(entry) + ir::usize(1)));
            block
        }));
        self.block.push(Stmt::Parallel {
            var: task,
            domain: Domain::Range { lo: ir::usize(0), hi: tasks.into() },
            owned: vec![Owned { array: pos, partition: Partition::Anywhere }],
            reductions: Vec::new(),
            work: Work::TASK,
            scratch: Block::new(),
            body,
        });
    }
}

/// The position of an entry or, above the innermost level, of a parent of entries, in a source without stores.
fn position(entry: &Entry) -> Expr {
    match &entry.pos {
        Pos::At(at) => at.clone(),
        Pos::Store(_) | Pos::Value(_) | Pos::Span(..) => unreachable!("levels without stores have positions"),
    }
}
