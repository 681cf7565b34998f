//! Entries that the loops of a kernel have collected: a list, which is a source like any other. Levels are made of it by counts where a
//! conversion makes them so, and by sorting elsewhere.
//!
//! ```text
//! forall(i, forall(j, C(j,i) = A(i,j) + B(i,j)))    entries come by i, then by j, each once      Sorted
//! forall(i, forall(j, …)) through a workspace       in any order, each once                     Once
//! forall(k, forall(j, forall(i, C(i,k) += …)))      in any order, and several at one place      Repeated
//! ```

use super::fold::Fold;
use super::turn::inverse;
use super::{Converter, Method};
use crate::format::{Coordinate, Format, FormatLevel};
use crate::ir::{self, Block, Expr, Scalar, Stmt, Type, Vars};
use crate::level::{FieldKind, Kinds, Switches};
use crate::lower::list::{List, OwnFields};
use crate::lower::storage::Levels;
use crate::notation::ast::{Literal, ValueType};

/// How the entries of a list come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Coming {
    /// In the order of these indices of the tensor, the first of which counts most, each entry once.
    Sorted(Vec<usize>),
    /// In any order, each once.
    Once,
    /// In any order, and perhaps several at one place.
    Repeated,
}

/// What a list of entries is to a target that is made of it without sorting.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The list as a source.
    pub list: Format,
    /// The type of its values, in which entries at the same place are folded.
    pub value: ValueType,
    /// How these become one.
    pub fold: Fold,
    /// How the target is made of them, in words.
    pub steps: Vec<String>,
}

/// What a list of entries of `target` is as a source.
pub(crate) fn list_format(target: &Format, fill: Literal, coming: &Coming) -> Format {
    let rank = target.rank();
    let order = match coming {
        Coming::Sorted(order) => order.clone(),
        Coming::Once | Coming::Repeated => (0..rank).collect(),
    };
    let level = |(at, &m): (usize, &usize)| {
        let kind = if at == 0 { Kinds::list() } else { Kinds::single() };
        let switches = Switches {
            ordered: (!matches!(coming, Coming::Sorted(_))).then_some(false),
            unique: (at + 1 < rank || *coming == Coming::Repeated).then_some(false),
            ..Switches::default()
        };
        FormatLevel::new(Coordinate::Index(m), kind, Vec::new(), switches)
    };
    Format {
        name: "list".into(),
        indices: target.indices.clone(),
        levels: order.iter().enumerate().map(level).collect(),
        fill: Some(fill),
        inverse: inverse(&order),
    }
}

/// What is made of a list: `target` with the fill of the list, and each entry once, also if the format would keep several at one place.
fn filled(list: &Format, target: &Format) -> Format {
    let mut filled = Format { fill: list.fill, ..target.clone() };
    if let Some(last) = filled.levels.last_mut().filter(|last| !last.properties.unique) {
        last.switches.unique = None;
        last.properties = last.kind.properties(&last.switches);
    }
    filled
}

/// How `target` is made of a list without sorting it, in words; `None` if it is not. The list has values of the type `folded`, of which
/// those at one place are folded. Buckets by indices of which the target has no array are made only if there is `room`: something else in
/// the kernel is as long as each dimension.
pub(crate) fn assembly(
    (list, folded, fold): (&Format, ValueType, Fold),
    target: &Format,
    value: ValueType,
    room: bool,
) -> Option<Vec<String>> {
    let target = &filled(list, target);
    super::check_formats(list, target, value).ok()?;
    let (mut vars, mut block) = (Vars::new(), Block::new());
    let (levels, _) = Levels::passed(&mut vars, "list", list, folded);
    super::check_extents(target, &levels).ok()?;
    let (mut methods, mut plan, mut wide) = (Vec::new(), Vec::new(), false);
    let mut converter = Converter {
        vars: &mut vars,
        block: &mut block,
        stages: &mut Vec::new(),
        plan: &mut plan,
        methods: &mut methods,
        wide: &mut wide,
        value,
        name: "b".into(),
        between: "t".into(),
        room,
        fold,
    };
    converter.all(&levels, target).ok()?;
    // The list has wider coordinates than arrays that could be copied.
    let assembled = methods.first() != Some(&Method::Copy) && !methods.contains(&Method::Sort) && (room || !wide);
    assembled.then_some(plan)
}

/// Makes a tensor of the format `target`, with the given shape, of a list that [`assembly`] agreed to.
#[allow(clippy::too_many_arguments, reason = "all of it describes the one tensor that is made")]
pub(crate) fn assemble(
    list: &List,
    source: &Source,
    vars: &mut Vars,
    block: &mut Block,
    prefix: &str,
    target: &Format,
    shape: Vec<Expr>,
    value: ValueType,
) -> (Levels, Vec<OwnFields>) {
    let ends = vars.fresh(format!("{prefix}_ends"), Type::vec(Scalar::Usize));
    block.push(Stmt::NewArray { var: ends, len: ir::usize(2), fill: ir::usize(0) });
    block.push(Stmt::Store(ends, ir::usize(1), ir::len(list.coords[0])));
    let (mut fields, mut extents) = (Vec::new(), Vec::new());
    for level in &source.list.levels {
        let Coordinate::Index(m) = level.coordinate else { unreachable!("a list keeps indices as they are") };
        let array = |kind| if kind == FieldKind::Positions { ends } else { list.coords[m] };
        fields.push(level.kept().into_iter().map(|(name, kind)| (name.to_owned(), array(kind))).collect());
        extents.push(shape[m].clone());
    }
    let format = source.list.clone();
    let levels = Levels { format, shape, extents, fields, vals: list.vals, value: source.value, windows: Vec::new() };
    let filled = filled(&source.list, target);
    let mut converter = Converter {
        vars,
        block,
        stages: &mut Vec::new(),
        plan: &mut Vec::new(),
        methods: &mut Vec::new(),
        wide: &mut false,
        value,
        name: prefix.to_owned(),
        between: format!("{prefix}_t"),
        room: true,
        fold: source.fold,
    };
    let (made, own, _) = converter.all(&levels, &filled).unwrap_or_else(|_| unreachable!("the plan has tried it"));
    let own =
        own.into_iter().map(|(extent, fields)| extent.map(|var| ("extent", var)).into_iter().chain(fields).collect());
    (Levels { format: target.clone(), ..made }, own.collect())
}
