//! Sorts arcs into rows, from which every store is built.
//!
//! ```text
//!   edge list ──count──► bins of rows ──move──► buckets of consecutive rows ──sort in cache──► RowBlock, RowBlock, …
//!   (any order)          (high bits)            (parallel, order kept)         (parallel)       in parallel, to you
//! ```
//!
//! [`map_row_blocks`] reads the arcs twice and moves each once through memory; the rest of the work stays within a cache. It calls a function with
//! each block of consecutive rows as soon as the block is ready. For compressed sparse rows the function copies the block to its place, and for
//! other stores it builds their pages. The arcs of undirected graphs are mirrored on the way, without a list of twice the length. The
//! result does not depend on the number of threads.
//!
//! With `m` arcs and `n` rows this takes O(m + n) time and `m` keys of 4 bytes (8, if `n` and the number of columns are large)
//! of scratch memory, plus the values if there are any. A single huge row is sorted by several threads. A list whose arcs ascend already is cut
//! into blocks where it lies, without scratch memory.

mod bucket;
mod duplicates;
mod job;
mod key;
mod ordered;
mod packed;
mod partition;
mod source;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use pleach_runtime::{OuterPart, RowBlock};

use crate::csr::{CsrView, too_large};
use crate::edges::EdgeList;
pub use duplicates::{Duplicates, Weight};
pub use job::SortScratch;
pub(crate) use job::SplitRows;
pub(crate) use packed::{CLEARED, SortedArcs, bounds, sort_arcs, transpose_arcs};
use source::{EdgeArcs, Emit, MirroredArcs};

/// How arcs from a vertex to itself are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SelfLoops {
    /// They stay.
    #[default]
    Keep,
    /// They are left out.
    Drop,
}

/// How a graph is built from arcs.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct BuildOptions<V = ()> {
    /// Which of several arcs with the same source and target is kept. By default the first.
    pub duplicates: Duplicates<V>,
    /// How self loops are treated. They stay by default.
    pub self_loops: SelfLoops,
    /// Whether each arc also leads the other way. The graph is square then: the larger dimension counts. By
    /// default it does not.
    pub undirected: bool,
}

impl<V> BuildOptions<V> {
    /// Which of several arcs with the same source and target is kept.
    #[must_use]
    pub fn with_duplicates(mut self, duplicates: Duplicates<V>) -> Self {
        self.duplicates = duplicates;
        self
    }

    /// Whether self loops stay.
    #[must_use]
    pub fn with_self_loops(mut self, self_loops: SelfLoops) -> Self {
        self.self_loops = self_loops;
        self
    }

    /// Whether each arc also leads the other way.
    #[must_use]
    pub fn with_undirected(mut self, undirected: bool) -> Self {
        self.undirected = undirected;
        self
    }
}

/// What building found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BuildReport {
    /// Rows of the result.
    pub num_rows: usize,
    /// Columns of the result.
    pub num_cols: usize,
    /// Arcs in the result. An edge of an undirected graph counts twice unless it is a self loop.
    pub arcs: usize,
    /// Self loops in the input, kept or not.
    pub self_loops: usize,
    /// Arcs that were left out, or merged into another, because that other leads from the same source to the same target.
    /// Counted after mirroring.
    pub duplicates: usize,
}

/// Why a graph cannot be built from arcs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The arrays of the edge list differ in length.
    #[error("the edge list holds {src} sources, {dst} targets and {weight} weights; there must be equally many")]
    UnequalArrays {
        /// Number of sources.
        src: usize,
        /// Number of targets.
        dst: usize,
        /// Number of weights.
        weight: usize,
    },
    /// A dimension does not fit `u32` coordinates.
    #[error("{size} {what} are more than the 4294967295 that 32-bit coordinates can number")]
    TooLarge {
        /// `"rows"` or `"columns"`.
        what: &'static str,
        /// The number given.
        size: usize,
    },
    /// The matrix of a directed graph is not square.
    #[error("the matrix of a graph is square, and the list says {rows} rows and {cols} columns")]
    NotSquare {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        cols: usize,
    },
    /// There are more vertices than the graph was allowed.
    #[error(
        "{vertices} vertices are more than the {limit} that the graph may have: raise `GraphOptions::max_vertices`"
    )]
    TooManyVertices {
        /// The number given.
        vertices: usize,
        /// [`GraphOptions::max_vertices`](crate::graph::GraphOptions::max_vertices).
        limit: usize,
    },
    /// A source or target lies outside the graph.
    #[error(
        "arc {arc} leads from {src} to {dst}, but there are only {num_rows} sources and {num_cols} targets, counted from 0"
    )]
    OutOfRange {
        /// Index of the first such arc in the list, from 0.
        arc: usize,
        /// Its source.
        src: u32,
        /// Its target.
        dst: u32,
        /// Number of rows of the list.
        num_rows: usize,
        /// Number of columns of the list.
        num_cols: usize,
    },
    /// Two arcs have the same source and target, and the option is [`Duplicates::Error`].
    #[error("there is more than one arc from {src} to {dst}; ask for the first, the last, or a combination of them")]
    Duplicate {
        /// The source; no smaller one has duplicates.
        src: u32,
        /// The target; no smaller one is a duplicate at this source.
        dst: u32,
    },
}

/// Sorts the arcs of a list into rows and calls `build` on blocks of consecutive rows, in parallel.
///
/// The blocks tile `0..num_rows`, each begins at a multiple of [`PAGE_ROWS`](pleach_runtime::PAGE_ROWS), and within a row
/// coordinates ascend and differ. Results come in the order of the rows. `scratch` keeps its memory for the next call.
///
/// # Errors
///
/// [`BuildError`] names the first arc that is out of range, or the first duplicate if there must be none. `build` may have been
/// called on some blocks by then.
pub fn map_row_blocks<V, R, F>(
    edges: &EdgeList<V>,
    options: &BuildOptions<V>,
    scratch: &mut SortScratch<V>,
    build: F,
) -> Result<(Vec<R>, BuildReport), BuildError>
where
    V: Copy + Default + Send + Sync + 'static,
    R: Send,
    F: Fn(RowBlock<'_, u32, V>) -> R + Sync,
{
    map_row_blocks_into(Cow::Borrowed(edges), options, scratch, |_| (), |block, ()| build(block))
}

/// As [`map_row_blocks`], with less code to compile: once for each type of values.
pub(crate) fn collect_row_blocks<V: Copy + Default + Send + Sync + 'static>(
    edges: Cow<'_, EdgeList<V>>,
    options: &BuildOptions<V>,
    build: &(dyn Fn(RowBlock<'_, u32, V>) -> OuterPart + Sync),
) -> Result<(Vec<OuterPart>, BuildReport), BuildError> {
    // First rows and parts, in the order in which tasks end.
    let built = Mutex::new((Vec::new(), Vec::new()));
    let report = each_row_block(edges, options, &|block| {
        let (first_row, part) = (block.first_row(), build(block));
        let mut built = built.lock().unwrap_or_else(PoisonError::into_inner);
        built.0.push(first_row);
        built.1.push(Some(part));
    })?;
    let (first_rows, mut parts) = built.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok((ascending(&first_rows).into_iter().filter_map(|position| parts[position].take()).collect(), report))
}

fn each_row_block<V: Copy + Default + Send + Sync + 'static>(
    edges: Cow<'_, EdgeList<V>>,
    options: &BuildOptions<V>,
    build: &(dyn Fn(RowBlock<'_, u32, V>) + Sync),
) -> Result<BuildReport, BuildError> {
    let built = map_row_blocks_into(edges, options, &mut SortScratch::new(), |_| (), |block, ()| build(block));
    built.map(|(_, report)| report)
}

/// The positions of keys, in the ascending order of the keys.
fn ascending(keys: &[usize]) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..keys.len()).collect();
    positions.sort_unstable_by_key(|&position| keys[position]);
    positions
}

/// As [`map_row_blocks`], with a destination that is made for the number of arcs (duplicates included) and split among the blocks.
/// A list that is owned is freed while its arcs are moved.
pub(crate) fn map_row_blocks_into<V, D, R, F>(
    edges: Cow<'_, EdgeList<V>>,
    options: &BuildOptions<V>,
    scratch: &mut SortScratch<V>,
    destination: impl FnOnce(&Shape) -> D,
    build: F,
) -> Result<(Vec<R>, BuildReport), BuildError>
where
    V: Copy + Default + Send + Sync + 'static,
    D: SplitRows,
    R: Send,
    F: Fn(RowBlock<'_, u32, V>, D) -> R + Sync,
{
    let &EdgeList { num_rows, num_cols, ref src, ref dst, ref weight } = &*edges;
    if src.len() != dst.len() || src.len() != weight.len() {
        return Err(BuildError::UnequalArrays { src: src.len(), dst: dst.len(), weight: weight.len() });
    }
    let (mut rows, mut cols) = (num_rows, num_cols);
    if options.undirected {
        rows = rows.max(cols);
        cols = rows;
    }
    check_dimensions(rows, cols)?;
    let emit = Emit { mirrored: options.undirected, drop_loops: options.self_loops == SelfLoops::Drop };
    if !emit.mirrored
        && let Some(self_loops) = ordered::self_loops_if_ordered(&edges)
        && (self_loops == 0 || !emit.drop_loops)
    {
        let arcs = src.len();
        let results = ordered::cut(edges, destination(&Shape { rows, arcs }), build);
        return Ok((results, BuildReport { num_rows: rows, num_cols: cols, arcs, self_loops, duplicates: 0 }));
    }
    let job = job::Job { rows, cols, duplicates: options.duplicates, build };
    let mut arcs = EdgeArcs::new(edges, emit);
    job.run(&mut arcs, scratch, destination).map_err(|error| match error {
        // Found before any arc was moved.
        job::Failure::OutOfRange(arc) => {
            let (src, dst) = (arcs.edges.src[arc], arcs.edges.dst[arc]);
            BuildError::OutOfRange { arc, src, dst, num_rows, num_cols }
        }
        job::Failure::Duplicate(src, dst) => BuildError::Duplicate { src, dst },
    })
}

/// Sorts the nonzeros of a matrix and those of its transpose into the rows of both together.
pub(crate) fn map_mirrored_blocks_into<V, D, R, F>(
    matrix: CsrView<'_, V>,
    duplicates: Duplicates<V>,
    scratch: &mut SortScratch<V>,
    destination: impl FnOnce(&Shape) -> D,
    build: F,
) -> Result<(Vec<R>, BuildReport), BuildError>
where
    V: Copy + Default + Send + Sync + 'static,
    D: SplitRows,
    R: Send,
    F: Fn(RowBlock<'_, u32, V>, D) -> R + Sync,
{
    let vertices = matrix.num_rows().max(matrix.num_cols());
    let job = job::Job { rows: vertices, cols: vertices, duplicates, build };
    job.run(&mut MirroredArcs { matrix }, scratch, destination).map_err(|error| match error {
        job::Failure::Duplicate(src, dst) => BuildError::Duplicate { src, dst },
        job::Failure::OutOfRange(_) => unreachable!("the coordinates of a matrix are in range"),
    })
}

/// The size of the result, before arcs are sorted.
pub(crate) struct Shape {
    /// Rows of the result.
    pub rows: usize,
    /// Arcs, duplicates included.
    pub arcs: usize,
}

fn check_dimensions(rows: usize, cols: usize) -> Result<(), BuildError> {
    too_large(rows, cols).map_or(Ok(()), |(what, size)| Err(BuildError::TooLarge { what, size }))
}
