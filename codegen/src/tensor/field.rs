//! What tensors and their fields are called in generated code, and how they are passed and returned.

use crate::format::{Coordinate, Format, FormatLevel};
use crate::ir::{self, Access, Block, Expr, Field, Reduce, Scalar, Stmt, Var, Vars};
use crate::level::Kinds;

/// The fields that one level was made with, in order.
pub(crate) type OwnFields = Vec<(&'static str, Var)>;

/// What a tensor is called in generated code.
pub(crate) fn prefix(name: &str) -> String {
    name.to_lowercase()
}

/// Names of the extents of a tensor of `rank` indices.
pub fn extent_names(rank: usize) -> Vec<String> {
    match rank {
        1 => vec!["len".into()],
        2 => vec!["rows".into(), "cols".into()],
        _ => (0..rank).map(|m| format!("dim{m}")).collect(),
    }
}

/// Whether the number of coordinates of a level is kept as a number of its own: it is not an extent of the tensor.
pub fn keeps_extent(coordinate: &Coordinate) -> bool {
    !matches!(coordinate, Coordinate::Index(_) | Coordinate::Counter(_))
}

/// The layout of tensors of a format, which says how they are passed.
fn layout(format: &Format) -> ir::Layout {
    let array = Kinds::array();
    // Where a format has a table of rows, the tensor that is passed has an array of them.
    let kind = |level: &FormatLevel| if level.kind.is_table() { array.name() } else { level.kind.name() }.to_owned();
    let repeats = format.levels.last().is_some_and(|level| !level.properties.unique);
    let lines = match &format.levels[..] {
        _ if repeats => None,
        [outer, inner] if outer.is_array() && outer.keeps(&[]) && inner.is_list() => {
            match (outer.dimension(), inner.dimension()) {
                (Some(0), Some(1)) => Some(ir::kernel::Lines::Rows),
                (Some(1), Some(0)) => Some(ir::kernel::Lines::Columns),
                _ => None,
            }
        }
        _ => None,
    };
    // Stores say by their own types whether they keep an order.
    let unordered = |level: &FormatLevel| level.switches.ordered == Some(false) && !level.is_store();
    let level = |level: &FormatLevel| ir::LevelLayout {
        kind: kind(level),
        coordinate: level.coordinate.clone(),
        structured: level.kind.is_structured(),
        unordered: unordered(level),
    };
    let levels = format.levels.iter().map(level).collect();
    ir::Layout { name: format.name.clone(), levels, repeats, lines, held: None }
}

/// A tensor that a kernel takes or returns.
pub(crate) fn described(name: &str, format: Option<&Format>, access: Access, fields: Vec<Field>) -> ir::Tensor {
    let (text, layout) = (format.map_or(String::new(), Format::levels_text), format.map(layout));
    ir::Tensor { name: name.to_owned(), format: text, layout, access, fields }
}

/// The fields of a result with its extents.
pub(crate) fn extent_fields(vars: &mut Vars, block: &mut Block, prefix: &str, shape: &[Expr]) -> Vec<Field> {
    let mut field = |(name, extent): (String, &Expr)| {
        let var = vars.fresh(format!("{prefix}_{name}"), Scalar::Usize);
        block.push(Stmt::Let(var, extent.clone()));
        Field { name, level: None, var }
    };
    extent_names(shape.len()).into_iter().zip(shape).map(&mut field).collect()
}

/// The fields of a result with its levels and values.
pub(crate) fn level_fields(levels: Vec<OwnFields>, vals: Option<Var>) -> Vec<Field> {
    let of = |(at, own): (usize, OwnFields)| {
        own.into_iter().map(move |(name, var)| Field { name: name.into(), level: Some(at), var })
    };
    let vals = vals.map(|var| Field { name: "vals".into(), level: None, var });
    levels.into_iter().enumerate().flat_map(of).chain(vals).collect()
}

/// Ends segments without entries where the segment before ends; `ends` has the ends of the others.
pub(crate) fn end_empty_segments(vars: &mut Vars, block: &mut Block, ends: Var) {
    let p = vars.fresh("p", Scalar::Usize);
    let before = ir::load(ends, Expr::Var(p) - ir::usize(1));
    let end = Stmt::StoreUpdate(ends, p.into(), Reduce::Max, before);
    block.push(Stmt::count(p, ir::usize(1), ir::len(ends), end));
}
