//! Arcs that ascend already: blocks of rows are cut out of the list, and nothing is sorted or copied on the way.

use std::borrow::Cow;
use std::ops::Range;

use pleach_runtime::{Elements, PAGE_ROWS, RowBlock, par_first, par_items, par_parts};

use super::job::{BUCKET, BUCKET_ROWS, SplitRows};
use super::source::release;
use crate::edges::EdgeList;

/// Arcs that one task checks.
const GRAIN: usize = 1 << 16;

/// The number of self loops of a list whose arcs ascend strictly by source and target and lie within the bounds; nothing for any other
/// list. Ends early at the first arc that does not ascend.
pub(super) fn self_loops_if_ordered<V: Sync>(edges: &EdgeList<V>) -> Option<usize> {
    let EdgeList { num_rows, num_cols, src, dst, .. } = edges;
    if src.last().is_some_and(|&last| last as usize >= *num_rows) {
        return None;
    }
    let ascends = |k: usize| (src[k], dst[k]) < (src[k + 1], dst[k + 1]);
    if par_first(src.len().saturating_sub(1), GRAIN, |k| !ascends(k)).is_some() {
        return None;
    }
    let counted = par_parts(src.len(), GRAIN, |range| {
        let (src, dst) = (&src[range.clone()], &dst[range]);
        let inside = dst.iter().all(|&d| (d as usize) < *num_cols);
        inside.then(|| src.iter().zip(dst).filter(|(s, d)| s == d).count())
    });
    counted.into_iter().sum()
}

/// Calls `build` on blocks of rows, in parallel, each with its part of the destination. The arcs ascend, as [`self_loops_if_ordered`] says.
/// A list that is owned is freed from its end while blocks are built.
pub(super) fn cut<V, D, R>(
    mut edges: Cow<'_, EdgeList<V>>,
    destination: D,
    build: impl Fn(RowBlock<'_, u32, V>, D) -> R + Sync,
) -> Vec<R>
where
    V: Copy + Default + Send + Sync + 'static,
    D: SplitRows,
    R: Send,
{
    let (mut parts, mut rest): (Vec<Part<D>>, D) = (Vec::new(), destination);
    let (mut row, mut begin) = (0, 0);
    while row < edges.num_rows {
        // The row of the last arc that fits, and all of its page.
        let full = edges.src.get(begin + BUCKET).map_or(edges.num_rows, |&src| src as usize + 1);
        let next = full.next_multiple_of(PAGE_ROWS).min(row + BUCKET_ROWS).min(edges.num_rows);
        let arcs = edges.src[begin..].partition_point(|&src| (src as usize) < next);
        let (part, more) = rest.split(next - row, arcs);
        parts.push((row..next, begin..begin + arcs, part));
        (row, begin, rest) = (next, begin + arcs, more);
    }
    let rounds = if matches!(edges, Cow::Owned(_)) { ROUNDS } else { 1 };
    let at_a_time = parts.len().div_ceil(rounds).max(1);
    let mut built = Vec::new();
    while !parts.is_empty() {
        let last = parts.split_off(parts.len().saturating_sub(at_a_time));
        let first = last[0].1.start;
        built.push(cut_some(&edges, last, &build));
        release(&mut edges, first);
    }
    built.into_iter().rev().flatten().collect()
}

/// Blocks of rows that are built at a time, of a list that is freed meanwhile.
const ROUNDS: usize = 8;

/// Rows, the arcs of them in the list, and their part of the destination.
type Part<D> = (Range<usize>, Range<usize>, D);

fn cut_some<V: Copy + Send + Sync + 'static, D: Send, R: Send>(
    edges: &EdgeList<V>,
    parts: Vec<Part<D>>,
    build: &(impl Fn(RowBlock<'_, u32, V>, D) -> R + Sync),
) -> Vec<R> {
    par_items(parts, |(rows, arcs, part)| {
        let mut offsets = vec![0usize; rows.len() + 1];
        for &src in &edges.src[arcs.clone()] {
            offsets[src as usize - rows.start + 1] += 1;
        }
        let mut total = 0;
        for offset in &mut offsets {
            total += *offset;
            *offset = total;
        }
        let elements = Elements::copied(&edges.dst[arcs.clone()], &edges.weight[arcs]);
        build(RowBlock::new(rows.start, &offsets, elements), part)
    })
}
