//! Arcs grouped by their source, as formats want them that keep one row after the other; and back.

use std::borrow::Cow;

use rayon::prelude::*;

use crate::input::Edges;

/// Compressed rows: the arcs of row `r` are `offsets[r]..offsets[r + 1]`, in the order in which they were listed.
pub(crate) struct Rows<'a> {
    pub(crate) offsets: Vec<u64>,
    pub(crate) targets: Cow<'a, [u32]>,
    pub(crate) weights: Option<Cow<'a, [f64]>>,
}

impl Rows<'_> {
    /// Groups arcs by source into `num_rows` rows; with `both`, every arc that is no loop leads back, too. Takes O(arcs + rows) time,
    /// and copies nothing if the arcs are grouped already.
    pub(crate) fn of(edges: &Edges, num_rows: usize, both: bool) -> Rows<'_> {
        let (src, dst, weight) = (edges.src(), edges.dst(), edges.weight());
        let mut offsets = vec![0u64; num_rows + 1];
        for (&s, &d) in src.iter().zip(dst) {
            offsets[s as usize + 1] += 1;
            if both && s != d {
                offsets[d as usize + 1] += 1;
            }
        }
        let mut total = 0;
        for offset in &mut offsets {
            total += *offset;
            *offset = total;
        }
        if !both && src.is_sorted() {
            return Rows { offsets, targets: Cow::Borrowed(dst), weights: weight.map(Cow::Borrowed) };
        }
        let mut next = offsets.clone();
        let mut targets = vec![0; total as usize];
        let mut weights = weight.map(|_| vec![0.0; total as usize]);
        let mut put = |from: u32, to: u32, arc: usize| {
            let place = next[from as usize] as usize;
            next[from as usize] += 1;
            targets[place] = to;
            if let (Some(weights), Some(weight)) = (&mut weights, weight) {
                weights[place] = weight[arc];
            }
        };
        for (arc, (&s, &d)) in src.iter().zip(dst).enumerate() {
            put(s, d, arc);
            if both && s != d {
                put(d, s, arc);
            }
        }
        Rows { offsets, targets: Cow::Owned(targets), weights: weights.map(Cow::Owned) }
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

/// The source of each arc, from checked offsets: 0 first, none below the one before it, `arcs` at last.
pub(crate) fn sources(offsets: &[u64], arcs: u64) -> Result<Vec<u32>, BadOffset> {
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
    use pleach::EdgeList;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn rows_hold_what_was_listed(list in prop::collection::vec((0u32..20, 0u32..20), 0..60), both: bool) {
            let mut edges = EdgeList::new(20, 20);
            list.iter().enumerate().for_each(|(k, &(s, d))| edges.push(s, d, k as f64));
            let edges = Edges::Weighted(edges);
            let rows = Rows::of(&edges, 20, both);
            let mut expected: Vec<(u32, u32, f64)> = Vec::new();
            for (k, &(s, d)) in list.iter().enumerate() {
                expected.push((s, d, k as f64));
                if both && s != d {
                    expected.push((d, s, k as f64));
                }
            }
            expected.sort_by_key(|arc| arc.0);
            let src = sources(&rows.offsets, rows.targets.len() as u64).unwrap();
            let weights = rows.weights.unwrap();
            let found: Vec<_> = (0..src.len()).map(|k| (src[k], rows.targets[k], weights[k])).collect();
            prop_assert_eq!(found, expected);
        }
    }

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
