//! Whether numbers ascend: many are compared at a time.

use crate::borrowed_rows::Index;

/// Whether ends begin at 0 and ascend.
pub(crate) fn ends_of<I: Index>(offsets: &[I]) -> bool {
    offsets.first().is_some_and(|first| first.index() == 0) && offsets.is_sorted()
}

/// Whether columns ascend in each row, none twice; the rows do.
pub(crate) fn ascend<I: Index>(rows: &[I], cols: &[I]) -> bool {
    let pairs = rows.windows(2).zip(cols.windows(2));
    pairs.fold(true, |all, (row, col)| all & ((row[0] != row[1]) | (col[0] < col[1])))
}

/// Numbers that are compared before a look at whether they ascend.
const STRETCH: usize = 1 << 10;

/// How many numbers are not above the one before. Counts of 32 bits take half as long as longer ones.
pub(crate) fn falls<I: Index>(numbers: &[I]) -> usize {
    let stretch = |begin: usize| numbers[begin..numbers.len().min(begin + STRETCH + 1)].windows(2);
    let count = |begin: usize| stretch(begin).fold(0u32, |all, pair| all + u32::from(pair[0] >= pair[1]));
    (0..numbers.len()).step_by(STRETCH).map(|begin| count(begin) as usize).sum()
}

/// Whether numbers ascend and are below an extent.
pub(crate) fn in_order<I: Index>(numbers: &[I], extent: usize) -> bool {
    let ends = [numbers.first(), numbers.last()];
    // Many are compared at a time, and each stretch overlaps the next by one.
    let stretch = |begin: usize| &numbers[begin..numbers.len().min(begin + STRETCH + 1)];
    let ascends = |numbers: &[I]| numbers.windows(2).fold(true, |all, pair| all & (pair[0] <= pair[1]));
    ends.into_iter().flatten().all(|number| number.index() < extent)
        && (0..numbers.len()).step_by(STRETCH).all(|begin| ascends(stretch(begin)))
}
