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
use pleach::runtime::{PAGE_ROWS, threads};
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
    /// [`BlockError`], if rows cannot be read, or are not those of a matrix.
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

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use pleach::{BuildOptions, EdgeList};

    use super::*;
    use crate::StoreName;

    #[test]
    fn parts_are_whole_pages() {
        let shape = |rows: Range<usize>, nonzeros| BlockShape { rows, nonzeros };
        assert_eq!(cut(&[], 10), []);
        assert_eq!(cut(&[0; 200], 10), [shape(0..200, 0)]);
        assert_eq!(cut(&[1; 130], 64), [shape(0..64, 64), shape(64..128, 64), shape(128..130, 2)]);
        assert_eq!(cut(&[1; 130], 66), [shape(0..64, 64), shape(64..130, 66)]);
        assert_eq!(cut(&[1000; 65], 10), [shape(0..64, 64_000), shape(64..65, 1000)]);
    }

    /// Rows and columns of their own lengths, arcs in no order, a hub on each side.
    #[test]
    fn every_arc_is_turned() {
        let mut edges = EdgeList::new(5000, 5000);
        for k in 0..300_000u64 {
            let bits = k.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let (row, col) = ((bits >> 20) as u32 % 5000, (bits >> 44) as u32 % 4000);
            match k % 10 {
                0 => edges.push(17, col, k as f64),
                1 => edges.push(row, 3999, k as f64),
                _ => edges.push(row, col, k as f64),
            }
        }
        for store in ["paged,packed", "bst,ctree", "blist_unsorted,blist_unsorted"] {
            let store: StoreName = store.parse().unwrap();
            let (matrix, _) = AnyMatrix::pair(&store, Cow::Borrowed(&edges), &BuildOptions::default()).unwrap();
            let turned = Turned::new(OutArcs::Stored(&matrix)).unwrap();
            assert!(turned.blocks().len() > 2, "{:?}", turned.blocks());
            let (found, _) = AnyMatrix::from_blocks(&store, 5000, 5000, &turned).unwrap();
            found.audit().unwrap();
            let (mut arcs, mut expected) = (Vec::new(), Vec::new());
            found.each_row(|row, cols, values| arcs.extend(cols.iter().zip(values).map(|(&col, &v)| (row, col, v))));
            matrix.each_row(|row, cols, values| {
                expected.extend(cols.iter().zip(values).map(|(&col, &v)| (col, row, v)));
            });
            expected.sort_unstable_by_key(|arc| (arc.0, arc.1));
            assert!(arcs == expected, "{store}");
            assert_eq!(found.nnz(), matrix.nnz());
            // Turned twice, the second time by reading the rows of the first again and again.
            let back = Turned::new(OutArcs::Read(&turned, 5000)).unwrap();
            let (back, _) = AnyMatrix::from_blocks(&store, 5000, 5000, &back).unwrap();
            let (mut again, mut expected) = (Vec::new(), Vec::new());
            back.each_row(|row, cols, values| again.push((row, cols.to_vec(), values.to_vec())));
            matrix.each_row(|row, cols, values| expected.push((row, cols.to_vec(), values.to_vec())));
            assert!(again == expected, "{store}");
        }
    }

    /// Two rows that change from one reading to the next, as those of a file may that is written at the same time.
    struct Changing(Vec<BlockShape>, AtomicU32);

    impl RowSource<()> for Changing {
        fn blocks(&self) -> &[BlockShape] {
            &self.0
        }

        fn read(&self, _: usize, take: &mut dyn FnMut(BlockRows<'_, ()>)) -> Result<(), SourceError> {
            let col = self.1.fetch_add(1, Relaxed);
            take(BlockRows { rows: &[0, 1], lens: &[1, 1], coords: &[col % 64, 3], values: &[(), ()] });
            Ok(())
        }
    }

    #[test]
    fn rows_that_change_or_are_none_are_refused() {
        let shape = |cols| (Changing(vec![BlockShape { rows: 0..2, nonzeros: 2 }], AtomicU32::new(cols)), 64);
        let (source, cols) = shape(0);
        let turned = Turned::new(OutArcs::Read(&source, cols)).unwrap();
        // In the place of an arc to 0 there is one to 1.
        let built = AnyMatrix::<()>::from_blocks(&"paged,packed".parse().unwrap(), 64, 64, &turned);
        assert!(matches!(built.err(), Some(BlockError::Source(_))));
        let (source, _) = shape(40);
        assert!(matches!(Turned::new(OutArcs::Read(&source, 30)).err(), Some(BlockError::Wrong { block: 0, .. })));
    }
}
