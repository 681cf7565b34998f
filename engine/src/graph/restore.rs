//! Graphs from rows that were written to a file, as in a checkpoint.

use pleach_runtime::{BuildOuter, OuterLevel, Store, UpdateOuter};

use super::version::Contents;
use super::{Graph, GraphOptions, MAX_VERTICES, VertexSet};
use crate::matrix::{BlockError, RowSource};
use crate::sort::Weight;
use crate::{Matrix, Rows};

/// A version of a graph that was written to a file.
#[derive(Clone)]
pub struct Saved<'a, V> {
    /// Its number, from which versions go on.
    pub version: u64,
    /// Rows, and columns, of its matrices: one more than the largest vertex.
    pub bound: usize,
    /// The vertices that are there.
    pub vertices: VertexSet,
    /// The rows of out-arcs.
    pub out: &'a dyn RowSource<V>,
    /// The rows of in-arcs, if the graph is directed and keeps them.
    pub incoming: Option<&'a dyn RowSource<V>>,
}

impl<R> Graph<R>
where
    R: Store<Coord = u32>,
    R::Value: Weight,
{
    /// A graph that continues from a version that was written to a file, with its rows below the outer level `O`. Rows go into their pages
    /// as they are read, in parallel and without a sort.
    ///
    /// Rows are checked as far as the soundness of the graph requires, and in-arcs and out-arcs must be equally many. Whether in-arcs are the
    /// reversed out-arcs, [`Snapshot::audit`](super::Snapshot::audit) says.
    ///
    /// # Errors
    ///
    /// [`BlockError`], if rows cannot be read or do not fit such a graph.
    pub fn restore<O: BuildOuter<R> + UpdateOuter<R> + 'static>(
        saved: &Saved<'_, R::Value>,
        options: GraphOptions<R::Value>,
    ) -> Result<Self, BlockError> {
        Self::restore_below(OuterLevel::of::<O>(), saved, options)
    }

    /// As [`restore`](Self::restore), below an outer level that is chosen at run time.
    ///
    /// # Errors
    ///
    /// As [`restore`](Self::restore).
    pub fn restore_below(
        level: OuterLevel<R>,
        saved: &Saved<'_, R::Value>,
        options: GraphOptions<R::Value>,
    ) -> Result<Self, BlockError> {
        let build = |rows| Matrix::from_blocks_below(level, saved.bound, saved.bound, rows);
        let bound = saved.bound;
        let last = saved.vertices.last().map_or(0, |last| last as usize + 1);
        if bound > MAX_VERTICES || last > bound || saved.incoming.is_some() != (options.directed && options.incoming) {
            let reason = format!("it has {bound} rows, and its largest vertex is {last}");
            return Err(BlockError::Wrong { block: 0, reason });
        }
        let (out, loops) = build(saved.out)?;
        let incoming = saved.incoming.map(build).transpose()?.map(|(matrix, _)| matrix);
        if let Some(incoming) = incoming.as_ref().filter(|incoming| incoming.nnz() != out.nnz()) {
            let reason = format!("there are {} out-arcs, but {} in-arcs", out.nnz(), incoming.nnz());
            return Err(BlockError::Wrong { block: 0, reason });
        }
        let mut contents = Contents::new(out, incoming, options.directed);
        contents.vertices = saved.vertices.clone();
        contents.loops = if options.directed { 0 } else { loops };
        contents.number = saved.version;
        Ok(Self::of(contents, options))
    }
}
