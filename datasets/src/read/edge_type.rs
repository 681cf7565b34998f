//! Gephi's column `Type`, which says of each edge whether it has a direction.
//!
//! ```text
//!   Source,Target,Type,Weight
//!   1,2,Undirected,0.5
//! ```
//!
//! The column is taken for that if the first edge has `Directed` or `Undirected` there. Edges of both kinds make no graph.

use crate::error::Fault;
use crate::input::Direction;
use crate::read::names::unquoted;
use crate::scan;

/// The place of the column among the names of columns.
pub(crate) fn place<'n>(mut names: impl Iterator<Item = &'n str>) -> Option<usize> {
    names.position(|name| name.eq_ignore_ascii_case("type"))
}

/// What a field of the column says.
pub(crate) fn of_field(field: &[u8]) -> Option<Direction> {
    let plain = unquoted(field.trim_ascii());
    let kinds = [Direction::Directed, Direction::Undirected];
    kinds.into_iter().find(|&kind| plain.eq_ignore_ascii_case(name(kind).as_bytes()))
}

/// Refuses an edge that is of another kind than this.
#[inline]
pub(crate) fn check(field: &[u8], expected: Direction) -> Result<(), Fault> {
    match of_field(field) {
        Some(found) if found == expected => Ok(()),
        _ => Err(Fault::Direction { expected: name(expected), found: scan::quote(field.trim_ascii()) }),
    }
}

/// How Gephi spells it.
fn name(direction: Direction) -> &'static str {
    match direction {
        Direction::Directed => "Directed",
        Direction::Undirected => "Undirected",
    }
}
