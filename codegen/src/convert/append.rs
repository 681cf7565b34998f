//! Assembly by appending, where entries come in the order of the target's levels.
//!
//! ```text
//!   csf from ordered coo3, entry (i, j, k):   a new row if i is not the last one; a new column if the row is, or j is not the last one;
//!                                             and the entry itself, unless it equals the last one
//! ```

use std::ops::Range;

use super::fold::Fold;
use super::made::Lowered;
use super::order::Order;
use super::refuse::level_text;
use super::walk::Visit;
use crate::format::{Coordinate, Format, FormatLevel};
use crate::ir::{self, Block, Expr, Scalar, Stmt, Type, Var, Vars};
use crate::level::FieldKind;
use crate::notation::ast::ValueType;
use crate::tensor::{Levels, end_empty_segments, level_coordinate, literal, scalar};

/// How a level takes entries in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Positions follow from coordinates.
    Computed,
    /// A segment of one array for each parent.
    Segments,
    /// One coordinate for each parent.
    One,
}

fn way(format: &Format, k: usize) -> Option<Way> {
    let level = &format.levels[k];
    let can = level.kind.capabilities();
    if matches!(level.coordinate, Coordinate::Counter(_)) {
        return None;
    }
    match (can.append, level.properties.branchless) {
        (true, true) => Some(Way::One),
        (true, false) => Some(Way::Segments),
        (false, _) if level.properties.full && level.kind.fields(&level.switches).is_empty() => Some(Way::Computed),
        _ => None,
    }
}

/// Whether the entries of `source` can be appended to `target` as they come.
pub(super) fn fits(source: &Format, target: &Format, fold: Fold) -> Result<(), String> {
    let mut segments = false;
    for k in 0..target.levels.len() {
        match way(target, k) {
            None => return Err(format!("`{}` does not take entries in order", level_text(target, k))),
            Some(Way::Segments) => segments = true,
            Some(Way::One) if !segments || k == 0 => return Err("there is nothing to append to".to_owned()),
            // Equal coordinates that are kept apart would need the end of the entries above.
            Some(Way::One) if way(target, k - 1) == Some(Way::Computed) => {
                return Err(format!("`{}` lies below computed positions", level_text(target, k)));
            }
            Some(_) => {}
        }
    }
    if !segments {
        return Err("positions follow from coordinates at every level".to_owned());
    }
    if !fold.starts_from(target) && !super::order::is_unique(source) && super::order::is_unique(target) {
        return Err("equal entries, of which the source may have several, would be added to the fill".to_owned());
    }
    let wanted: Vec<Coordinate> = target.levels.iter().map(|level| level.coordinate.clone()).collect();
    if Order::of(source).ascends(target.rank(), &[], &wanted) {
        return Ok(());
    }
    Err("the source does not come in the order of the target".to_owned())
}

/// Makes `target` of the entries of `source`, which come in its order; equal ones are added up unless the target keeps both.
pub(super) fn append(
    vars: &mut Vars,
    block: &mut Block,
    source: &Levels,
    target: &Format,
    prefix: &str,
    fold: Fold,
) -> Lowered {
    let start = literal(fold.start(target), scalar(source.value));
    let arrays = Arrays::declare(vars, block, source, target, prefix, start);
    let unique = target.levels.last().is_some_and(|level| level.properties.unique);
    let adds = unique && !super::order::is_unique(&source.format);
    let entries = Visit::all(source).each(vars, &mut |vars, entry| {
        let coords = entry.all();
        let coordinate = |level: &FormatLevel| level_coordinate(&level.coordinate, &coords, &source.shape, None);
        let coordinates: Vec<Expr> = target.levels.iter().map(coordinate).collect();
        let (mut block, at) = arrays.entry(vars, &coordinates);
        if let Some(vals) = arrays.vals {
            let entry = source.value_at(&entry.pos);
            block.push(match adds {
                false => Stmt::Store(vals, at, entry),
                true => Stmt::StoreUpdate(vals, at, fold.reduce, entry),
            });
        }
        block
    });
    block.append(entries);
    arrays.end_empty_segments(vars, block);
    arrays.lowered()
}

/// The arrays of a tensor while entries are appended to them.
struct Arrays<'a> {
    format: &'a Format,
    ways: Vec<Way>,
    /// Of each level that has segments: where the segment of each parent ends.
    pos: Vec<Option<Var>>,
    /// Of each level that keeps coordinates: these.
    crd: Vec<Option<Var>>,
    /// The extent of each level, with the variable where it is kept as a number of its own.
    extents: Vec<(Option<Var>, Expr)>,
    vals: Option<Var>,
    /// What places hold before entries are put there.
    start: Expr,
}

impl Arrays<'_> {
    fn declare<'a>(
        vars: &mut Vars,
        block: &mut Block,
        source: &Levels,
        format: &'a Format,
        prefix: &str,
        start: Expr,
    ) -> Arrays<'a> {
        let n = format.levels.len();
        let ways = (0..n).map(|k| way(format, k).unwrap_or(Way::Computed)).collect();
        let (pos, crd) = (vec![None; n], vec![None; n]);
        let mut arrays = Arrays { format, ways, pos, crd, extents: Vec::new(), vals: None, start };
        let many = format.levels.iter().filter(|l| !l.kind.fields(&l.switches).is_empty()).count() > 1;
        let mut positions = ir::usize(1);
        for (k, level) in format.levels.iter().enumerate() {
            let extent = match &level.coordinate {
                Coordinate::Index(m) => (None, source.shape[*m].clone()),
                c => {
                    let var = vars.fresh(format!("{prefix}{}_extent", k + 1), Scalar::Usize);
                    block.push(Stmt::Let(var, crate::level::extent(c, &source.shape).unwrap_or(ir::usize(0))));
                    (Some(var), var.into())
                }
            };
            arrays.extents.push(extent);
            let name = if many { format!("{prefix}{}", k + 1) } else { prefix.to_owned() };
            positions = arrays.declare_level(vars, block, k, &name, positions);
        }
        if source.value != ValueType::Pattern {
            let vals = vars.fresh(format!("{prefix}_vals"), Type::vec(scalar(source.value)));
            block.push(Stmt::NewVec { var: vals, capacity: None });
            arrays.vals = Some(vals);
        }
        arrays
    }

    /// Declares the arrays of level `k` under `parents` positions. Returns how many positions the level has so far.
    fn declare_level(&mut self, vars: &mut Vars, block: &mut Block, k: usize, name: &str, parents: Expr) -> Expr {
        if self.ways[k] == Way::Computed {
            let extent = self.extents[k].1.clone();
            return if parents == ir::usize(1) { extent } else { parents * extent };
        }
        if self.ways[k] == Way::Segments {
            let ends = vars.fresh(format!("{name}_pos"), Type::vec(Scalar::Usize));
            block.push(Stmt::NewArray { var: ends, len: parents + ir::usize(1), fill: ir::usize(0) });
            self.pos[k] = Some(ends);
        }
        let crd = vars.fresh(format!("{name}_crd"), Type::vec(Scalar::U32));
        block.push(Stmt::NewVec { var: crd, capacity: None });
        self.crd[k] = Some(crd);
        ir::len(crd)
    }

    /// What appends an entry, as far as it is not the last one, and the position of its value.
    fn entry(&self, vars: &mut Vars, coordinates: &[Expr]) -> (Block, Expr) {
        let mut block = Block::new();
        let mut at = ir::usize(0);
        let mut k = 0;
        while k < self.ways.len() {
            if let (Some(ends), Some(crd)) = (self.pos[k], self.crd[k]) {
                let below = self.ways[k + 1..].iter().take_while(|way| **way == Way::One).count();
                let chain = k..k + 1 + below;
                let end = at + ir::usize(1);
                block.append(self.append_chain(vars, chain.clone(), ends, crd, end, coordinates));
                at = ir::len(crd) - ir::usize(1);
                k = chain.end;
            } else {
                let coordinate = coordinates[k].clone();
                at = if at == ir::usize(0) { coordinate } else { at * self.extents[k].1.clone() + coordinate };
                k += 1;
            }
        }
        (block, at)
    }

    /// Appends to a level with segments, whose coordinates are `crd`, and to those with one coordinate for each parent below it. The
    /// parent's segment ends at `ends[end]`.
    fn append_chain(
        &self,
        vars: &mut Vars,
        chain: Range<usize>,
        ends: Var,
        crd: Var,
        end: Expr,
        coordinates: &[Expr],
    ) -> Block {
        let pushed = |l: usize| Some(Stmt::Push(self.crd[l]?, coordinates[l].clone().cast(Scalar::U32)));
        let mut append: Block = chain.clone().filter_map(pushed).collect();
        append.push(Stmt::Store(ends, end.clone(), ir::len(crd)));
        append.extend(self.room_below(chain.end, ir::len(crd)));
        let keeps_equal = !self.format.levels[chain.end - 1].properties.unique;
        if keeps_equal && chain.end == self.ways.len() {
            return append;
        }
        // A level that keeps coordinates more than once has an entry for each chain of coordinates below it.
        let compared =
            if self.format.levels[chain.start].properties.unique { chain.start..chain.start + 1 } else { chain };
        let mut block = Block::new();
        let last = vars.fresh("last", Scalar::Usize);
        block.push(Stmt::Let(last, ir::len(crd).max(ir::usize(1)) - ir::usize(1)));
        let first = ir::load(ends, end).equal(ir::usize(0));
        let new = compared.fold(first, |new, l| match self.crd[l] {
            Some(array) => new.or(ir::load(array, last).cast(Scalar::Usize).not_equal(coordinates[l].clone())),
            None => new,
        });
        block.push(Stmt::when(new, append));
        block
    }

    /// Makes room for what lies below `positions` positions, from level `k` on: for the ends of segments, or for values.
    fn room_below(&self, k: usize, positions: Expr) -> Option<Stmt> {
        let computed = self.ways[k..].iter().take_while(|way| **way == Way::Computed).count();
        let extents = &self.extents[k..k + computed];
        let size = extents.iter().fold(positions, |size, (_, extent)| size * extent.clone());
        if k + computed < self.ways.len() {
            let (array, len) = (self.pos[k + computed]?, size + ir::usize(1));
            return Some(Stmt::Resize { array, len, fill: ir::usize(0) });
        }
        Some(Stmt::Resize { array: self.vals?, len: size, fill: self.start.clone() })
    }

    /// Sets the segment ends of parents without entries to the end of the segment before.
    fn end_empty_segments(&self, vars: &mut Vars, block: &mut Block) {
        for ends in self.pos.iter().flatten() {
            end_empty_segments(vars, block, *ends);
        }
    }

    fn lowered(self) -> Lowered {
        let fields = self.format.levels.iter().zip(self.pos.into_iter().zip(self.crd)).map(|(level, (pos, crd))| {
            let arrays = [(FieldKind::Positions, pos), (FieldKind::Coordinates, crd)];
            arrays.into_iter().filter_map(|(kind, array)| array.map(|array| (level.field(kind), array))).collect()
        });
        Lowered { fields: fields.collect(), extents: self.extents, vals: self.vals }
    }
}
