//! Assembly by appending, where entries come in the order of the target's levels.
//!
//! ```text
//!   csf from ordered coo3, entry (i, j, k):   a new row if i is not the last one; a new column if the row is, or j is not the last one;
//!                                             and the entry itself, unless it equals the last one
//! ```

use super::make::target_coordinate;
use super::order::Order;
use super::walk::Visit;
use super::{Lowered, level_text};
use crate::format::{Coordinate, Format};
use crate::ir::{self, Block, Expr, Reduce, Scalar, Stmt, Type, Var, Vars};
use crate::lower::storage::{Levels, literal, scalar};
use crate::notation::ast::{Literal, ValueType};

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
pub(super) fn fits(source: &Format, target: &Format) -> Result<(), String> {
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
    let no_fill = matches!(target.fill, None | Some(Literal::Int(0)));
    if !no_fill && !super::order::is_unique(source) && super::order::is_unique(target) {
        return Err("equal entries, of which the source may have several, would be added to the fill".to_owned());
    }
    let wanted: Vec<Coordinate> = target.levels.iter().map(|level| level.coordinate.clone()).collect();
    if Order::of(source).ascends(target.rank(), &[], &wanted) {
        return Ok(());
    }
    Err("the source does not come in the order of the target".to_owned())
}

/// Makes `target` of the entries of `source`, which come in its order; equal ones are added up unless the target keeps both.
#[allow(clippy::too_many_arguments, reason = "all of it describes the one tensor that is made")]
pub(super) fn append(
    vars: &mut Vars,
    block: &mut Block,
    source: &Levels,
    target: &Format,
    shape: &[Expr],
    prefix: &str,
    value: ValueType,
) -> Lowered {
    let n = target.levels.len();
    let many = target.levels.iter().filter(|l| !l.kind.fields(&l.switches).is_empty()).count() > 1;
    let (mut pos, mut crd): (Vec<Option<Var>>, Vec<Option<Var>>) = (vec![None; n], vec![None; n]);
    let (mut extents, mut fields) = (Vec::new(), Vec::new());
    // How many positions each level has so far.
    let mut sizes: Vec<Expr> = Vec::new();
    let fill = || literal(target.fill.unwrap_or(Literal::Int(0)), scalar(value));
    for (k, level) in target.levels.iter().enumerate() {
        let number = if many { (k + 1).to_string() } else { String::new() };
        let own = match &level.coordinate {
            Coordinate::Index(m) => (None, shape[*m].clone()),
            c => {
                let var = vars.fresh(format!("{prefix}{}_extent", k + 1), Scalar::Usize);
                block.push(Stmt::Let(var, crate::level::extent(c, shape).unwrap_or(ir::usize(0))));
                (Some(var), var.into())
            }
        };
        let parents = sizes.last().cloned().unwrap_or(ir::usize(1));
        let mut kept = Vec::new();
        match way(target, k) {
            Some(Way::Segments) => {
                let ends = vars.fresh(format!("{prefix}{number}_pos"), Type::vec(Scalar::Usize));
                block.push(Stmt::NewArray { var: ends, len: parents + ir::usize(1), fill: ir::usize(0) });
                pos[k] = Some(ends);
                kept.push(("pos", ends));
            }
            Some(Way::Computed) => {
                sizes.push(if parents == ir::usize(1) { own.1.clone() } else { parents * own.1.clone() })
            }
            _ => {}
        }
        if matches!(way(target, k), Some(Way::Segments | Way::One)) {
            let array = vars.fresh(format!("{prefix}{number}_crd"), Type::vec(Scalar::U32));
            block.push(Stmt::NewVec { var: array, capacity: None });
            crd[k] = Some(array);
            kept.push(("crd", array));
            sizes.push(ir::len(array));
        }
        extents.push(own);
        fields.push(kept);
    }
    let vals = (value != ValueType::Pattern).then(|| {
        let vals = vars.fresh(format!("{prefix}_vals"), Type::vec(scalar(value)));
        block.push(Stmt::NewVec { var: vals, capacity: None });
        vals
    });
    let unique = target.levels[n - 1].properties.unique;
    // Levels whose positions follow from coordinates all the way down from level `k`.
    let computed_from = (0..n).rev().take_while(|&k| way(target, k) == Some(Way::Computed)).last().unwrap_or(n);
    let walk = Visit::all(source).each(vars, &mut |vars, entry| {
        let coords = entry.all();
        let c: Vec<Expr> =
            target.levels.iter().map(|l| target_coordinate(&l.coordinate, &coords, shape, None)).collect();
        let mut block = Block::new();
        let mut at = ir::usize(0);
        let mut k = 0;
        while k < n {
            match way(target, k) {
                Some(Way::Segments) => {
                    let below = (k + 1..n).take_while(|&l| way(target, l) == Some(Way::One)).count();
                    let chain = k..k + 1 + below;
                    let keeps = !target.levels[k + below].properties.unique;
                    // A level that keeps coordinates more than once has an entry for each chain of coordinates below it.
                    let compared = if target.levels[k].properties.unique { k..k + 1 } else { chain.clone() };
                    let (Some(ends), Some(own)) = (pos[k], crd[k]) else { break };
                    let end = at.clone() + ir::usize(1);
                    let mut append: Block = chain
                        .clone()
                        .filter_map(|l| Some(Stmt::Push(crd[l]?, c[l].clone().cast(Scalar::U32))))
                        .collect();
                    append.push(Stmt::Store(ends, end.clone(), ir::len(own)));
                    // Room for what lies below the new position.
                    let mut next = k + 1 + below;
                    let mut size = ir::len(own);
                    while next < n {
                        match way(target, next) {
                            Some(Way::Computed) => size = size * extents[next].1.clone(),
                            Some(Way::Segments) => {
                                if let Some(array) = pos[next] {
                                    let len = size.clone() + ir::usize(1);
                                    append.push(Stmt::Resize { array, len, fill: ir::usize(0) });
                                }
                                break;
                            }
                            _ => break,
                        }
                        next += 1;
                    }
                    if next == n
                        && let Some(vals) = vals
                    {
                        append.push(Stmt::Resize { array: vals, len: size, fill: fill() });
                    }
                    if keeps && k + below + 1 == n {
                        block.append(append);
                    } else {
                        let last = vars.fresh("last", Scalar::Usize);
                        block.push(Stmt::Let(last, ir::len(own).max(ir::usize(1)) - ir::usize(1)));
                        let first = ir::load(ends, end).equal(ir::usize(0));
                        let new = compared.fold(first, |new, l| match crd[l] {
                            Some(array) => new.or(ir::load(array, last).cast(Scalar::Usize).not_equal(c[l].clone())),
                            None => new,
                        });
                        block.push(Stmt::when(new, append));
                    }
                    at = ir::len(own) - ir::usize(1);
                    k += 1 + below;
                }
                _ => {
                    at = if at == ir::usize(0) { c[k].clone() } else { at * extents[k].1.clone() + c[k].clone() };
                    k += 1;
                }
            }
        }
        if let Some(vals) = vals {
            let entry = source.value_at(&entry.pos);
            let adds = unique && !super::order::is_unique(&source.format);
            block.push(match (adds, value) {
                (false, _) => Stmt::Store(vals, at, entry),
                (true, ValueType::Bool) => Stmt::StoreUpdate(vals, at, Reduce::Or, entry),
                (true, _) => Stmt::StoreUpdate(vals, at, Reduce::Add, entry),
            });
        }
        block
    });
    block.append(walk);
    debug_assert!(computed_from > 0, "something is appended to");
    // Parents without entries end where those before them do.
    for ends in pos.iter().flatten() {
        let p = vars.fresh("p", Scalar::Usize);
        let before = ir::load(*ends, Expr::Var(p) - ir::usize(1));
        let end = Stmt::StoreUpdate(*ends, p.into(), Reduce::Max, before);
        block.push(Stmt::count(p, ir::usize(1), ir::len(*ends), end));
    }
    Lowered { fields, extents, vals }
}
