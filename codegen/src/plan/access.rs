//! How an operand can be read in the order of the loops, by its format alone.

use crate::format::Format;
use crate::notation::concrete::{Access, Index, Kernel};

/// The ways to read an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Each value is found by its coordinates.
    Located,
    /// Level by level, in the order of the loops.
    Direct,
    /// Level by level, in the order of the loops; equal coordinates that follow each other are taken as one.
    Chained,
    /// Its entries are taken in the order in which they are stored, and the other operands are looked up.
    Driver,
    /// A copy in the order of the loops is made first.
    Sorted,
    /// Its levels are searched for coordinates that are computed.
    Searched,
}

/// Why an operand is sorted before the loops start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// Its levels keep one index above another, and the loops run the other way round.
    Order(Index, Index),
    /// A level keeps a computed coordinate.
    Computed,
    /// One index stands twice.
    Diagonal,
    /// A level keeps a coordinate more than once, and not in a row.
    Repeats,
    /// Others are merged with it, and this level (by number) does not keep its coordinates in ascending order.
    Merged(usize),
    /// Others are merged with it, in more cases than there may be code for, and this level (by number) has no part in a merge by flags, which
    /// steps from one coordinate to the next.
    Crowded(usize),
    /// A coordinate is computed, and this level (by number) cannot be searched for it.
    Sought(usize),
    /// The result takes its entries in ascending order, and this level keeps them in another.
    Appended(usize),
    /// A slice or a shifted part of it is read, and a level cannot be walked from one coordinate to another.
    Slice,
    /// Its rows are stores of which some may be missing, and others are merged with them.
    Missing(usize),
}

impl Why {
    /// The reason in words.
    pub fn show(&self, kernel: &Kernel, access: &Access) -> String {
        let name = |index: &Index| &kernel.indices[index.0];
        let level = |at: &usize| {
            let format = kernel.tensor(access.tensor).format.as_ref();
            format.and_then(|format| format.levels.get(*at)).map_or("a level", |level| level.kind.name()).to_owned()
        };
        match self {
            Why::Order(above, below) => {
                let (above, below) = (name(above), name(below));
                format!("its levels keep {above} above {below}, and the loop over {below} runs outside")
            }
            Why::Slice => {
                "a slice or a shifted part of it is read, and a level cannot be walked from a coordinate in between"
                    .into()
            }
            Why::Computed => "its levels keep computed coordinates".into(),
            Why::Diagonal => "one index stands twice".into(),
            Why::Repeats => "a level keeps a coordinate more than once, and not in a row".into(),
            Why::Merged(at) => {
                format!("it is merged with others, and `{}` cannot be stepped through in order", level(at))
            }
            Why::Crowded(at) => format!(
                "so many operands meet that flags take the place of cases, and `{}` cannot be stepped through in order",
                level(at)
            ),
            Why::Sought(at) => format!("a coordinate is computed, and `{}` cannot be searched for it", level(at)),
            Why::Appended(at) => format!("the result takes entries in order, and `{}` keeps them in none", level(at)),
            Why::Missing(at) => format!("some of its rows may be missing, and `{}` has no cursor over none", level(at)),
        }
    }
}

/// How `access` is read inside of the loops `path`, outermost first; `chained` is the first level from which on equal coordinates
/// that follow each other can be taken as one.
pub(crate) fn reach(format: &Format, access: &Access, path: &[Index], chained: Option<usize>) -> Result<Reach, Why> {
    let all = 0..format.levels.len();
    if format.is_dense() {
        return Ok(Reach::Located);
    }
    let kept: Vec<Option<Index>> = format.levels.iter().map(|level| level.index_of(access)).collect();
    if !format.is_plain() {
        return Err(Why::Computed);
    }
    if access.indices.iter().enumerate().any(|(m, index)| access.indices[..m].contains(index)) {
        return Err(Why::Diagonal);
    }
    let place = |index: Option<Index>| path.iter().position(|known| Some(*known) == index);
    for at in all.clone() {
        if format.levels[at].is_searched() {
            continue;
        }
        if !format.levels[at].properties.unique && chained.is_none_or(|from| from > at) {
            return Err(Why::Repeats);
        }
        if let Some(above) = (0..at).find(|&above| place(kept[above]) >= place(kept[at]))
            && let (Some(above), Some(below)) = (kept[above], kept[at])
        {
            return Err(Why::Order(above, below));
        }
    }
    Ok(if chained.is_some() { Reach::Chained } else { Reach::Direct })
}
