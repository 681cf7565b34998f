//! Copies of a tensor in another order: levels that can be walked and searched in that order.

use super::collected::{Collected, Coming, Source};
use super::fold::Fold;
use super::list::List;
use super::walk::Visit;
use crate::format::Format;
use crate::ir::{Block, Expr, Stmt, Vars};
use crate::notation::ast::{Literal, ValueType};
use crate::notation::concrete::{Access, Index, Reduction};
use crate::tensor::{Levels, literal, scalar};

/// The coordinates in a copy of the entry at some coordinates, and conditions that the entry has to meet.
pub(crate) type Picked<'f> = &'f dyn Fn(&[Expr]) -> (Vec<Expr>, Vec<Expr>);

/// A copy of a tensor in another order.
pub(crate) struct Reordered<'a> {
    pub from: &'a Levels,
    /// What the indices of the tensor are called in generated code.
    pub names: &'a [String],
    /// The value of the tensor where it has no entry.
    pub fill: Literal,
    /// What the copy is called in generated code.
    pub name: &'a str,
    /// The format of the copy, and its extents.
    pub format: Format,
    pub shape: Vec<Expr>,
}

impl Reordered<'_> {
    /// Makes the copy of those entries, and at those coordinates, that `picked` says.
    pub fn make(self, picked: Picked<'_>, vars: &mut Vars, block: &mut Block) -> Levels {
        let Reordered { from, names, fill, name, format, shape } = self;
        let value = from.value;
        let own = (value != ValueType::Pattern).then(|| scalar(value));
        let list = List::declare(vars, block, name, shape.len(), own);
        let padded = !from.format.keeps_entries_only() && !from.format.is_full();
        let gap = padded.then(|| literal(fill, scalar(value)));
        let visit = Visit { gap, ..Visit::stored(from, names) };
        block.append(visit.each(vars, &mut |_, entry| {
            let (picked, diagonal) = picked(&entry.all());
            Stmt::when_all(diagonal, list.push(picked, from.value_at(&entry.pos)))
        }));
        let fold = Fold::of(Reduction::Add, value);
        // Entries of one place are added up, so that the sum begins with 0 whatever the fill.
        let entries = Source::of(&Coming::Repeated, (value, fold), (&format, Literal::Int(0), value), false);
        entries.assemble(Collected::List(&list), vars, block, name, &format, shape, value).0
    }
}

/// The coordinates of the entry at `coords`, one for each index of `order`; and, for each index that stands twice in the access, the
/// condition that the entry lies on the diagonal.
pub(crate) fn picked(access: &Access, order: &[Index], coords: &[Expr]) -> (Vec<Expr>, Vec<Expr>) {
    let (mut picked, mut diagonal) = (Vec::new(), Vec::new());
    for index in order {
        let mut places = access.indices.iter().zip(coords).filter(|(i, _)| *i == index).map(|(_, c)| c);
        let first = places.next().expect("an index of the access");
        diagonal.extend(places.map(|other| first.clone().equal(other.clone())));
        picked.push(first.clone());
    }
    (picked, diagonal)
}
