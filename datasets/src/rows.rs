//! Rows of arcs, as formats want them that keep one row after the other; and back.

use pleach::csr::CsrParts;
use pleach::sort::Weight;
use pleach::{BuildError, Csr, EdgeList};
use rayon::prelude::*;

use crate::input::{Edges, Input};

/// Compressed rows: the arcs of row `r` are `offsets[r]..offsets[r + 1]`, by ascending targets, each once.
pub(crate) struct Rows {
    pub(crate) offsets: Vec<u64>,
    pub(crate) targets: Vec<u32>,
    pub(crate) weights: Option<Vec<f64>>,
}

impl Rows {
    /// The rows that are built from a graph: arcs that stand for two are written out, and of duplicates the last counts.
    ///
    /// # Errors
    ///
    /// If the arcs are not sorted into rows because the graph is too large.
    pub(crate) fn of(input: &Input) -> Result<Rows, BuildError> {
        fn parts<V: Weight>(list: &EdgeList<V>, input: &Input) -> Result<CsrParts<V>, BuildError> {
            Csr::from_edges(list, &input.build_options()).map(|(rows, _)| rows.into_parts())
        }
        let (offsets, targets, weights) = match &input.edges {
            Edges::Pattern(list) => {
                let CsrParts { offsets, coords, .. } = parts(list, input)?;
                (offsets, coords, None)
            }
            Edges::Weighted(list) => {
                let CsrParts { offsets, coords, values, .. } = parts(list, input)?;
                (offsets, coords, Some(values))
            }
        };
        let offsets = offsets.into_par_iter().map(|offset| offset as u64).collect();
        Ok(Rows { offsets, targets, weights })
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.offsets.len() - 1
    }
}

/// What is wrong with the offsets of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadOffset {
    /// Which one.
    pub(crate) at: usize,
    /// What it may be at least and at most.
    pub(crate) between: (u64, u64),
}

/// Checks the offsets of rows: 0 first, none below the one before it, `arcs` at last.
pub(crate) fn check_offsets(offsets: &[u64], arcs: u64) -> Result<(), BadOffset> {
    let Some((&last, rows)) = offsets.split_last() else { return Err(BadOffset { at: 0, between: (0, 0) }) };
    if offsets[0] != 0 {
        return Err(BadOffset { at: 0, between: (0, 0) });
    }
    let wrong = offsets.par_windows(2).position_first(|pair| pair[0] > pair[1] || pair[1] > arcs);
    if let Some(at) = wrong {
        return Err(BadOffset { at: at + 1, between: (offsets[at].min(arcs), arcs) });
    }
    if last != arcs {
        return Err(BadOffset { at: rows.len(), between: (arcs, arcs) });
    }
    Ok(())
}

/// The source of each arc, from offsets that [`check_offsets`] has checked.
pub(crate) fn sources(offsets: &[u64], arcs: u64) -> Result<Vec<u32>, BadOffset> {
    check_offsets(offsets, arcs)?;
    let mut src = vec![0; arcs as usize];
    fill(offsets, 0, &mut src);
    Ok(src)
}

/// Writes each row's number into its part of `src`. The rows are halved until they are one task's work; they nest no deeper than
/// their number has bits.
fn fill(offsets: &[u64], first: u32, src: &mut [u32]) {
    const TASK: usize = 1 << 16;
    let rows = offsets.len() - 1;
    if rows <= 1 || src.len() + rows <= TASK {
        let begin = offsets[0];
        for (row, pair) in (first..).zip(offsets.windows(2)) {
            src[(pair[0] - begin) as usize..(pair[1] - begin) as usize].fill(row);
        }
        return;
    }
    let half = rows / 2;
    let (left, right) = src.split_at_mut((offsets[half] - offsets[0]) as usize);
    rayon::join(|| fill(&offsets[..=half], first, left), || fill(&offsets[half..], first + half as u32, right));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_offsets_are_named() {
        let bad = |at, between| Err(BadOffset { at, between });
        assert_eq!(sources(&[], 0), bad(0, (0, 0)));
        assert_eq!(sources(&[1, 2], 2), bad(0, (0, 0)));
        assert_eq!(sources(&[0, 2, 1, 3], 3), bad(2, (2, 3)));
        assert_eq!(sources(&[0, 4, 3], 3), bad(1, (0, 3)));
        assert_eq!(sources(&[0, u64::MAX, 3], 3), bad(1, (0, 3)));
        assert_eq!(sources(&[0, 1, 2], 3), bad(2, (3, 3)));
        assert_eq!(sources(&[0], 0), Ok(vec![]));
        let offsets: Vec<u64> = (0..=300_000u64).map(|row| row * 2 / 3).collect();
        let src = sources(&offsets, 200_000).unwrap();
        assert!(src.is_sorted());
        assert_eq!((src[0], src[199_999]), (1, 299_999));
    }
}
