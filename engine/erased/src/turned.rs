//! In-arcs from out-arcs, a part of the columns at a time, so that no list of all arcs is needed beside the two.
//!
//! ```text
//!   out-arcs ──pass──► arcs to vertices 0 … a   ──► rows of their in-arcs ──► the pages of a store
//!            ──pass──► arcs to vertices a … b   ──► …
//! ```
//!
//! No pass sorts: the numbers of in-arcs say where each row begins, and out-arcs are visited by ascending rows, so that each row of in-arcs
//! ascends as well. Out-arcs are those of a store, or are read again in each pass.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use pleach::matrix::{BlockError, BlockRows, BlockShape, RowSource, SourceError, read_block};
use pleach::runtime::{PAGE_ROWS, attempt, threads};
use rayon::prelude::*;

use crate::matrix::each_row_of;
use crate::{AnyMatrix, Bundled};

/// Passes over the matrix that each thread makes. More passes take less memory, which is that of one part for each thread.
const PASSES: usize = 8;

/// Nonzeros that are worth a pass of their own.
const LEAST: usize = 1 << 16;

/// Rows of out-arcs.
pub(crate) enum OutArcs<'a, V: Bundled> {
    Stored(&'a AnyMatrix<V>),
    /// Rows that are read each time, of a matrix of so many columns.
    Read(&'a dyn RowSource<V>, usize),
}

impl<V: Bundled> OutArcs<'_, V> {
    /// Calls `visit` with each row that is not empty, its columns, and their values, by ascending rows.
    fn each_row(&self, mut visit: impl FnMut(u32, &[u32], &[V])) -> Result<(), BlockError> {
        match *self {
            OutArcs::Stored(matrix) => matrix.each_row(visit),
            OutArcs::Read(source, num_cols) => {
                for block in 0..source.blocks().len() {
                    read_block(source, block, num_cols, &mut |rows| each_row_of(&rows, &mut visit))?;
                }
            }
        }
        Ok(())
    }

    /// The number of nonzeros of each column.
    fn count(&self) -> Result<Vec<u32>, BlockError> {
        match *self {
            OutArcs::Stored(matrix) => {
                let mut lens = vec![0; matrix.num_cols()];
                matrix.each_row(|_, cols, _| cols.iter().for_each(|&col| lens[col as usize] += 1));
                Ok(lens)
            }
            OutArcs::Read(source, num_cols) => {
                // The caller gave the number, and no row has been checked yet.
                attempt(|| Vec::<u32>::new().try_reserve_exact(num_cols))
                    .map_err(|_| BlockError::OutOfMemory { bytes: num_cols.saturating_mul(size_of::<u32>()) })?;
                let lens: Vec<AtomicU32> = (0..num_cols).into_par_iter().map(|_| AtomicU32::new(0)).collect();
                (0..source.blocks().len()).into_par_iter().try_for_each(|block| {
                    read_block(source, block, num_cols, &mut |rows| {
                        rows.coords.iter().for_each(|&col| _ = lens[col as usize].fetch_add(1, Relaxed));
                    })
                })?;
                Ok(lens.into_iter().map(AtomicU32::into_inner).collect())
            }
        }
    }
}

/// The rows of the transpose of a matrix.
pub(crate) struct Turned<'a, V: Bundled> {
    arcs: OutArcs<'a, V>,
    /// The number of nonzeros of each column of the matrix.
    lens: Vec<u32>,
    blocks: Vec<BlockShape>,
}

impl<'a, V: Bundled> Turned<'a, V> {
    /// Counts the nonzeros of each column: one pass over the matrix, and 4 bytes a column.
    ///
    /// # Errors
    ///
    /// [`BlockError`], if rows cannot be read, or are not those of a matrix; and if the memory for the counts cannot be allocated.
    pub(crate) fn new(arcs: OutArcs<'a, V>) -> Result<Self, BlockError> {
        let lens = arcs.count()?;
        let nonzeros: usize = lens.iter().map(|&len| len as usize).sum();
        let parts = PASSES * threads();
        let blocks = cut(&lens, (nonzeros / parts).max(LEAST));
        Ok(Turned { arcs, lens, blocks })
    }
}

impl<V: Bundled> RowSource<V> for Turned<'_, V> {
    fn blocks(&self) -> &[BlockShape] {
        &self.blocks
    }

    fn read(&self, block: usize, take: &mut dyn FnMut(BlockRows<'_, V>)) -> Result<(), SourceError> {
        let BlockShape { rows: among, nonzeros } = &self.blocks[block];
        let begin = among.start as u32;
        let (mut rows, mut lens, mut places) = (Vec::new(), Vec::new(), Vec::with_capacity(among.len()));
        let mut place = 0;
        for (row, &len) in (begin..).zip(&self.lens[among.clone()]) {
            places.push(place);
            place += len as usize;
            if len > 0 {
                rows.push(row);
                lens.push(len);
            }
        }
        let (mut coords, mut values) = (vec![0; *nonzeros], vec![V::default(); *nonzeros]);
        self.arcs.each_row(|row, cols, of_row| {
            let part = within(cols, among);
            for (&col, &value) in cols[part.clone()].iter().zip(&of_row[part]) {
                let place = &mut places[(col - begin) as usize];
                // Rows that are read may have changed since they were counted.
                if *place < *nonzeros {
                    coords[*place] = row;
                    values[*place] = value;
                }
                *place += 1;
            }
        })?;
        let ends = self.lens[among.clone()].iter().scan(0, |end, &len| {
            *end += len as usize;
            Some(*end)
        });
        if !places.into_iter().eq(ends) {
            return Err("the rows have changed while they were read".into());
        }
        take(BlockRows { rows: &rows, lens: &lens, coords: &coords, values: &values });
        Ok(())
    }
}

/// The positions of ascending columns that are in a range.
fn within(cols: &[u32], among: &Range<usize>) -> Range<usize> {
    let begin = cols.partition_point(|&col| (col as usize) < among.start);
    begin..begin + cols[begin..].partition_point(|&col| (col as usize) < among.end)
}

/// Cuts rows of such lengths into blocks of whole pages with about so many nonzeros each.
fn cut(lens: &[u32], nonzeros: usize) -> Vec<BlockShape> {
    let mut blocks: Vec<BlockShape> = Vec::new();
    for (page, lens) in lens.chunks(PAGE_ROWS).enumerate() {
        let begin = page * PAGE_ROWS;
        let more = lens.iter().map(|&len| len as usize).sum::<usize>();
        match blocks.last_mut() {
            Some(last) if last.nonzeros + more <= nonzeros => {
                last.rows.end = begin + lens.len();
                last.nonzeros += more;
            }
            _ => blocks.push(BlockShape { rows: begin..begin + lens.len(), nonzeros: more }),
        }
    }
    blocks
}
