//! Targets that keep what the source keeps.

use super::made::Lowered;
use crate::format::{Format, FormatLevel};
use crate::ir::{self, Block, Expr, Scalar, Stmt, Type, Var, Vars};
use crate::level::SEGMENTS;
use crate::tensor::Levels;

/// The arrays of the source, copied; those that stores are built of are only read.
pub(super) fn copy(vars: &mut Vars, block: &mut Block, source: &Levels, target: &Format, name: &str) -> Lowered {
    let mut copied = |field: &str, var: Var, builds: bool| copied(vars, block, format!("{name}_{field}"), var, builds);
    let (mut fields, mut extents) = (Vec::new(), Vec::new());
    for (at, level) in source.format.levels.iter().enumerate() {
        let own = level.kind.fields(&level.switches).into_iter();
        let builds = target.levels[at].is_store();
        fields.push(own.map(|(field, _)| (field, copied(field, source.fields[at][field], builds))).collect());
        extents.push(match &source.extents[at] {
            Expr::Var(var) if crate::tensor::keeps_extent(&level.coordinate) => {
                let own = copied("extent", *var, false);
                (Some(own), own.into())
            }
            extent => (None, extent.clone()),
        });
    }
    let builds = target.levels.last().is_some_and(FormatLevel::is_store);
    let vals = source.vals.map(|vals| copied("vals", vals, builds));
    Lowered { fields, extents, vals }
}

/// An array of the values `vals` in another type.
pub(super) fn cast(vars: &mut Vars, block: &mut Block, vals: Var, to: Scalar, name: &str) -> Var {
    let (own, p) = (vars.fresh(format!("{name}_cast"), Type::vec(to)), vars.fresh("p", Scalar::Usize));
    block.push(Stmt::NewVec { var: own, capacity: Some(ir::len(vals)) });
    let push = Stmt::Push(own, ir::load(vals, p).cast(to));
    block.push(Stmt::count(p, ir::usize(0), ir::len(vals), push));
    own
}

/// The number or the array `from` under another name: a copy, or the array itself if it is one that a store is built of, which only reads it.
pub(super) fn copied(vars: &mut Vars, block: &mut Block, name: String, from: Var, builds: bool) -> Var {
    let info = vars[from].ty.clone();
    let own = match info.array_scalar() {
        Some(_) if builds => return from,
        Some(element) => vars.fresh(name, Type::vec(element)),
        None => vars.fresh(name, info.clone()),
    };
    block.push(match info {
        Type::Array(_) => Stmt::CopyArray { var: own, from, len: ir::len(from) },
        _ => Stmt::Let(own, from.into()),
    });
    own
}

/// Whether a tensor of `source` is kept in the arrays of `target`, or in those that its stores are built of.
pub(super) fn same_arrays(source: &Format, target: &Format) -> bool {
    let same = |(from, to): (&FormatLevel, &FormatLevel)| {
        from == to && !to.is_store()
            || from.coordinate == to.coordinate
                && to.is_store()
                && !from.is_store()
                && from.properties.ordered
                && from.properties.unique
                && from.keeps(&SEGMENTS)
                && from.properties.zeroless
    };
    source.levels.len() == target.levels.len() && source.levels.iter().zip(&target.levels).all(same)
}
