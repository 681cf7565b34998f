//! Rows as plain arrays, block by block: how a matrix is written to a file and read back without a sort.
//!
//! ```text
//!   Matrix ──each_block──► [rows | lengths | coordinates | values], …          in one pass, ascending
//!   RowSource ──from_blocks──► pages, in parallel ──► Matrix
//! ```

use std::error::Error;
use std::ops::{AddAssign, ControlFlow, Range};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use pleach_runtime::{
    BuildOuter, Change, Elements, Fiber, OuterLevel, OuterPart, PAGE_ROWS, RowBlock, Store, UpdateOuter, par_map,
    replace,
};

use super::Matrix;
use crate::Rows;
use crate::csr::too_large;

/// Rows with their nonzeros as plain arrays.
#[derive(Debug)]
pub struct BlockRows<'a, V> {
    /// The rows that are not empty, strictly ascending.
    pub rows: &'a [u32],
    /// The number of nonzeros of each.
    pub lens: &'a [u32],
    /// The columns, row after row, strictly ascending in each.
    pub coords: &'a [u32],
    /// The values, in the order of the columns.
    pub values: &'a [V],
}

/// What is done with a block, and the rows among which its own are, until it breaks.
pub type VisitBlock<'f, V> = &'f mut dyn FnMut(Range<usize>, BlockRows<'_, V>) -> ControlFlow<()>;

/// The part of a block of rows that is known before the block is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockShape {
    /// The rows that it may hold; they begin at a multiple of 64.
    pub rows: Range<usize>,
    /// Number of nonzeros.
    pub nonzeros: usize,
}

/// Why a block cannot be read.
pub type SourceError = Box<dyn Error + Send + Sync>;

/// Blocks of rows that can be read, several at once.
pub trait RowSource<V>: Sync {
    /// The blocks, by ascending rows.
    fn blocks(&self) -> &[BlockShape];

    /// Reads a block and hands it to `take`, once.
    ///
    /// # Errors
    ///
    /// Whatever stops it.
    fn read(&self, block: usize, take: &mut dyn FnMut(BlockRows<'_, V>)) -> Result<(), SourceError>;
}

/// Why blocks do not make a matrix.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BlockError {
    /// A block cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A block holds wrong rows, or rows of another matrix.
    #[error("block {block} of the rows is wrong: {reason}")]
    Wrong {
        /// Its number, from 0.
        block: usize,
        /// What is wrong.
        reason: String,
    },
    /// A dimension does not fit 32-bit coordinates.
    #[error("{size} {what} are more than the 4294967295 that 32-bit coordinates can number")]
    TooLarge {
        /// `"rows"` or `"columns"`.
        what: &'static str,
        /// The number given.
        size: usize,
    },
    /// The memory for arrays of rows or nonzeros cannot be allocated.
    #[error("the rows need about {bytes} bytes more memory than is available")]
    OutOfMemory {
        /// Bytes that could not be allocated.
        bytes: usize,
    },
}

/// This many leading rows are always built as pages, even if few of them hold nonzeros …
const SPARE: usize = 1 << 20;

/// … and this many more for each nonzero. Rows beyond are inserted one by one: time and memory do not grow with the empty rows between.
/// A block keeps to the same limit by its own nonzeros, which are counted before its pages are built: what another block says of itself may
/// be wrong.
const SPARE_PER_NONZERO: usize = 16;

impl<R: Store<Coord = u32>> Matrix<R>
where
    R::Value: Copy + Default,
{
    /// Calls `visit` with blocks of whole rows in ascending order, each of at least about `nonzeros` nonzeros. Each block but the first
    /// begins at a multiple of 64 rows. Empty rows are left out. Ends when `visit` breaks.
    pub fn each_block(&self, nonzeros: usize, visit: VisitBlock<'_, R::Value>) -> ControlFlow<()> {
        let (mut rows, mut lens, mut coords, mut values) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut unordered: Vec<(u32, R::Value)> = Vec::new();
        let mut begin = 0;
        self.try_rows(|coord, row| {
            if coords.len() >= nonzeros && coord / PAGE_ROWS > *rows.last().unwrap_or(&0) as usize / PAGE_ROWS {
                let end = coord / PAGE_ROWS * PAGE_ROWS;
                visit(begin..end, BlockRows { rows: &rows, lens: &lens, coords: &coords, values: &values })?;
                begin = end;
                rows.clear();
                lens.clear();
                coords.clear();
                values.clear();
            }
            let before = coords.len();
            if R::Fiber::<'_>::ORDERED {
                row.fold_runs((), |(), run| {
                    coords.extend_from_slice(run.coords());
                    values.extend_from_slice(run.values());
                });
            } else {
                row.fold_runs((), |(), run| unordered.extend(run.iter().map(|(coord, &value)| (coord, value))));
                unordered.sort_unstable_by_key(|nonzero| nonzero.0);
                coords.extend(unordered.iter().map(|nonzero| nonzero.0));
                values.extend(unordered.drain(..).map(|nonzero| nonzero.1));
            }
            if coords.len() > before {
                rows.push(coord as u32);
                lens.push((coords.len() - before) as u32);
            }
            ControlFlow::Continue(())
        })?;
        if rows.is_empty() {
            return ControlFlow::Continue(());
        }
        visit(begin..self.num_rows, BlockRows { rows: &rows, lens: &lens, coords: &coords, values: &values })
    }
}

impl<R: Store<Coord = u32>> Matrix<R>
where
    R::Value: Copy + Default + PartialEq,
{
    /// Builds a matrix from blocks of rows below the outer level `O`, in parallel, without a sort. Also gives the number of nonzeros on
    /// the diagonal. Takes memory in proportion to the nonzeros, whatever the source says of itself.
    ///
    /// # Errors
    ///
    /// [`BlockError`], if a block cannot be read or does not hold what its shape says: rows inside of it, columns that ascend and are
    /// inside the matrix; and if a dimension exceeds [`MAX_DIMENSION`](crate::csr::MAX_DIMENSION).
    pub fn from_blocks<O: BuildOuter<R> + UpdateOuter<R> + 'static>(
        num_rows: usize,
        num_cols: usize,
        source: &dyn RowSource<R::Value>,
    ) -> Result<(Self, usize), BlockError> {
        Self::from_blocks_below(OuterLevel::of::<O>(), num_rows, num_cols, source)
    }

    /// As [`from_blocks`](Self::from_blocks), below an outer level that is chosen at run time.
    ///
    /// # Errors
    ///
    /// As [`from_blocks`](Self::from_blocks).
    pub fn from_blocks_below(
        level: OuterLevel<R>,
        num_rows: usize,
        num_cols: usize,
        source: &dyn RowSource<R::Value>,
    ) -> Result<(Self, usize), BlockError> {
        let blocks = source.blocks();
        check_shapes(blocks, num_rows, num_cols)?;
        let near = near(blocks);
        let (parts, mut counted) = each_near(source, near, num_cols, &|block| level.build_part(block))?;
        let mut outer = level.join(blocks[..near].last().map_or(0, |block| block.rows.end), parts);
        counted += insert_far(&mut *outer, source, near, num_cols)?;
        Ok((Matrix { num_rows, num_cols, nnz: counted.nonzeros, outer }, counted.diagonal))
    }
}

/// What `build` makes of the first `near` blocks, in parallel, each with the rows up to the next.
fn each_near<V: Copy + Default + Send + Sync + 'static>(
    source: &dyn RowSource<V>,
    near: usize,
    num_cols: usize,
    build: &(dyn Fn(RowBlock<'_, u32, V>) -> OuterPart + Sync),
) -> Result<(Vec<OuterPart>, Counted), BlockError> {
    let blocks = source.blocks();
    let failed = AtomicBool::new(false);
    let built = par_map(near, 1, |k| {
        if failed.load(Relaxed) {
            return Ok((None, Counted::default()));
        }
        // Each part goes on to the next, the first one from row 0.
        let begin = if k == 0 { 0 } else { blocks[k].rows.start };
        let end = if k + 1 < near { blocks[k + 1].rows.start } else { blocks[k].rows.end };
        let mut part = None;
        let counted = read(source, k, num_cols, &mut |rows| {
            let mut offsets = Vec::with_capacity(end - begin + 1);
            let mut arcs = 0;
            offsets.push(0);
            for (&row, &len) in rows.rows.iter().zip(rows.lens) {
                offsets.resize(row as usize - begin + 1, arcs);
                arcs += len as usize;
                offsets.push(arcs);
            }
            offsets.resize(end - begin + 1, arcs);
            part = Some(build(RowBlock::new(begin, &offsets, Elements::copied(rows.coords, rows.values))));
        });
        failed.fetch_or(counted.is_err(), Relaxed);
        counted.map(|counted| (part, counted))
    });
    let (mut parts, mut sum) = (Vec::with_capacity(near), Counted::default());
    for built in built {
        let (part, counted) = built?;
        parts.extend(part);
        sum += counted;
    }
    Ok((parts, sum))
}

/// Inserts the rows of the blocks from `near` on.
fn insert_far<R: Store<Coord = u32, Value: Copy + PartialEq>>(
    outer: &mut dyn UpdateOuter<R>,
    source: &dyn RowSource<R::Value>,
    near: usize,
    num_cols: usize,
) -> Result<Counted, BlockError> {
    let mut counted = Counted::default();
    for k in near..source.blocks().len() {
        counted += read(source, k, num_cols, &mut |rows| {
            let wide: Vec<usize> = rows.rows.iter().map(|&row| row as usize).collect();
            let ends = rows.lens.iter().scan(0, |end, &len| {
                *end += len as usize;
                Some(*end)
            });
            let offsets: Vec<usize> = std::iter::once(0).chain(ends).collect();
            let batch = pleach_runtime::SortedBatch::new(&wide, &offsets, rows.coords, rows.values);
            outer.apply(batch, Change::Insert(&replace));
        })?;
    }
    Ok(counted)
}

/// What was found in a block, or in several.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counted {
    nonzeros: usize,
    pub(crate) diagonal: usize,
}

impl AddAssign for Counted {
    fn add_assign(&mut self, other: Self) {
        self.nonzeros += other.nonzeros;
        self.diagonal += other.diagonal;
    }
}

/// The blocks up to one that is far behind all others, or has many more rows than nonzeros.
fn near(blocks: &[BlockShape]) -> usize {
    let most = |nonzeros: usize| nonzeros.saturating_mul(SPARE_PER_NONZERO).saturating_add(SPARE);
    // Where the block before begins, and how many rows it may have up to this one.
    let (mut nonzeros, mut begin, mut most_before) = (0usize, 0, 0);
    let near = blocks.iter().enumerate().take_while(|(k, block)| {
        let fits = *k == 0 || block.rows.start - begin <= most_before;
        nonzeros = nonzeros.saturating_add(block.nonzeros);
        begin = if *k == 0 { 0 } else { block.rows.start };
        most_before = most(block.nonzeros);
        fits && block.rows.end <= most(nonzeros) && block.rows.end - begin <= most_before
    });
    near.count()
}

/// Checks what is known of a matrix before its blocks are read.
pub(crate) fn check_shapes(blocks: &[BlockShape], num_rows: usize, num_cols: usize) -> Result<(), BlockError> {
    if let Some((what, size)) = too_large(num_rows, num_cols) {
        return Err(BlockError::TooLarge { what, size });
    }
    let mut end = 0;
    for (block, shape) in blocks.iter().enumerate() {
        let BlockShape { rows, .. } = shape;
        if rows.start % PAGE_ROWS != 0 || rows.start < end || rows.start >= rows.end || rows.end > num_rows {
            let reason = format!("it is to hold rows {} to {} of {num_rows}", rows.start, rows.end);
            return Err(BlockError::Wrong { block, reason });
        }
        end = rows.end;
    }
    Ok(())
}

/// Reads a block of a matrix of so many columns, and hands it on if it is what its shape says, and its columns ascend.
///
/// # Errors
///
/// [`BlockError`], if it is not, or cannot be read.
pub fn read_block<V>(
    source: &dyn RowSource<V>,
    block: usize,
    num_cols: usize,
    take: &mut dyn FnMut(BlockRows<'_, V>),
) -> Result<(), BlockError> {
    read(source, block, num_cols, take).map(drop)
}

/// Reads a block, and hands it on if it is what its shape says.
pub(crate) fn read<V>(
    source: &dyn RowSource<V>,
    block: usize,
    num_cols: usize,
    take: &mut dyn FnMut(BlockRows<'_, V>),
) -> Result<Counted, BlockError> {
    let mut found = Err("it was not read".to_owned());
    source.read(block, &mut |rows| {
        found = check(&source.blocks()[block], &rows, num_cols);
        if found.is_ok() {
            take(rows);
        }
    })?;
    found.map_err(|reason| BlockError::Wrong { block, reason })
}

/// Checks a block against its shape.
fn check<V>(shape: &BlockShape, rows: &BlockRows<'_, V>, num_cols: usize) -> Result<Counted, String> {
    let &BlockRows { rows, lens, coords, values } = rows;
    let arcs: u64 = lens.iter().map(|&len| u64::from(len)).sum();
    if rows.len() != lens.len() || arcs != coords.len() as u64 || coords.len() != values.len() {
        return Err("its arrays differ in length".to_owned());
    }
    if coords.len() != shape.nonzeros {
        return Err(format!("it holds {} nonzeros instead of {}", coords.len(), shape.nonzeros));
    }
    let inside = |row: u32| shape.rows.contains(&(row as usize));
    if !rows.is_sorted_by(|a, b| a < b)
        || !rows.first().is_none_or(|&row| inside(row))
        || !rows.last().is_none_or(|&row| inside(row) && row != u32::MAX)
    {
        return Err("its rows do not ascend inside of its range".to_owned());
    }
    let (mut rest, mut diagonal) = (coords, 0);
    for (&row, &len) in rows.iter().zip(lens) {
        let (columns, others) = rest.split_at(len as usize);
        rest = others;
        // Without a branch for each column.
        let ascends = columns.windows(2).fold(true, |so_far, pair| so_far & (pair[0] < pair[1]));
        if !ascends || columns.last().is_none_or(|&last| last as usize >= num_cols || last == u32::MAX) {
            return Err(format!("the columns of row {row} do not ascend inside of the matrix"));
        }
        diagonal += usize::from(columns.binary_search(&row).is_ok());
    }
    Ok(Counted { nonzeros: coords.len(), diagonal })
}

#[cfg(test)]
mod tests {
    use pleach_runtime::{Dense, Nested, Packed, Paged};
    use pleach_stores::{BlistUnsorted, Bst, Ctree};

    use super::*;
    use crate::csr::MAX_DIMENSION;
    use crate::{BuildOptions, Csr, EdgeList};

    /// Rows, lengths, columns and values.
    type Arrays = (Vec<u32>, Vec<u32>, Vec<u32>, Vec<f64>);

    /// Blocks in memory.
    #[derive(Default)]
    struct Kept {
        shapes: Vec<BlockShape>,
        arrays: Vec<Arrays>,
    }

    impl RowSource<f64> for Kept {
        fn blocks(&self) -> &[BlockShape] {
            &self.shapes
        }

        fn read(&self, block: usize, take: &mut dyn FnMut(BlockRows<'_, f64>)) -> Result<(), SourceError> {
            let (rows, lens, coords, values) = &self.arrays[block];
            take(BlockRows { rows, lens, coords, values });
            Ok(())
        }
    }

    fn keep<R: Store<Coord = u32, Value = f64>>(matrix: &Matrix<R>, nonzeros: usize) -> Kept {
        let mut kept = Kept::default();
        let _ = matrix.each_block(nonzeros, &mut |rows, block| {
            kept.shapes.push(BlockShape { rows, nonzeros: block.coords.len() });
            let BlockRows { rows, lens, coords, values } = block;
            kept.arrays.push((rows.into(), lens.into(), coords.into(), values.into()));
            ControlFlow::Continue(())
        });
        kept
    }

    fn entries<A: Rows<Value = f64>>(matrix: &A) -> Vec<(usize, u32, f64)> {
        let mut all = Vec::new();
        matrix.rows(|row, fiber| {
            fiber.fold_runs((), |(), run| all.extend(run.iter().map(|(col, &value)| (row, col, value))));
        });
        all.sort_unstable_by_key(|entry| (entry.0, entry.1));
        all
    }

    fn back<R: Store<Coord = u32, Value = f64>, O: BuildOuter<R> + UpdateOuter<R> + 'static>(edges: &EdgeList<f64>) {
        let (matrix, _) = Matrix::<R>::from_edges::<O>(edges, &BuildOptions::default()).unwrap();
        for nonzeros in [1, 100, 1 << 20] {
            let kept = keep(&matrix, nonzeros);
            let (again, diagonal) = Matrix::<R>::from_blocks::<O>(edges.num_rows, edges.num_cols, &kept).unwrap();
            again.audit().unwrap();
            let (rows, _) = Csr::from_edges(edges, &BuildOptions::default()).unwrap();
            assert_eq!(Csr::from_blocks(edges.num_rows, edges.num_cols, &kept).unwrap(), (rows, diagonal));
            assert!(entries(&again) == entries(&matrix), "{}", matrix.store_name());
            assert_eq!((again.nnz(), again.num_rows()), (matrix.nnz(), matrix.num_rows()));
            assert_eq!(diagonal, entries(&matrix).iter().filter(|entry| entry.0 == entry.1 as usize).count());
        }
    }

    /// Short rows, a hub, empty pages, a last page exactly full, and no rows at all.
    #[test]
    fn rows_come_back_in_every_kind_of_store() {
        for (rows, arcs) in [(1, 0), (64, 200), (128, 900), (1000, 700), (5000, 3000)] {
            let mut edges = EdgeList::new(rows, rows.max(700));
            for k in 0..arcs as u64 {
                let bits = k.wrapping_mul(0x9E37_79B9_7F4A_7C15);
                let row = if k % 3 == 0 { 0 } else { (bits % rows as u64) as u32 };
                edges.push(row, (bits >> 40) as u32 % edges.num_cols as u32, k as f64);
            }
            if rows == 128 {
                edges.push(127, 127, 0.5);
            }
            back::<Packed<u32, f64>, Paged<_>>(&edges);
            back::<Packed<u32, f64>, Dense<_>>(&edges);
            back::<Ctree<f64>, Nested<Bst<_>>>(&edges);
            back::<BlistUnsorted<f64>, Nested<BlistUnsorted<_>>>(&edges);
        }
    }

    /// A row far behind all others is inserted; a few bytes make no large table.
    #[test]
    fn a_far_row_takes_no_room_for_those_before() {
        let mut matrix = Matrix::<Packed<u32, f64>>::empty::<Paged<_>>();
        let arcs = [(3, 4, 1.0), (u32::MAX - 1, u32::MAX - 1, 2.0)];
        matrix.insert(&crate::Batch::weighted(arcs, |_, last| last)).unwrap();
        let kept = keep(&matrix, 1);
        let (again, diagonal) =
            Matrix::<Packed<u32, f64>>::from_blocks::<Paged<_>>(matrix.num_rows(), matrix.num_cols(), &kept).unwrap();
        assert_eq!((entries(&again), diagonal), (entries(&matrix), 1));
        assert!(again.footprint().bytes < 100_000, "{:?}", again.footprint());
    }

    #[test]
    fn what_is_no_matrix_is_refused() {
        let mut edges = EdgeList::new(200, 200);
        [(0, 1), (0, 7), (3, 3), (130, 199)].iter().for_each(|&(row, col)| edges.push(row, col, 1.0));
        let (matrix, _) = Matrix::<Packed<u32, f64>>::from_edges::<Paged<_>>(&edges, &BuildOptions::default()).unwrap();
        let wrong = |change: fn(&mut Kept)| {
            let mut kept = keep(&matrix, 1);
            assert_eq!(kept.shapes.len(), 2);
            change(&mut kept);
            let built = Matrix::<Packed<u32, f64>>::from_blocks::<Paged<_>>(200, 200, &kept);
            assert!(matches!(built, Err(BlockError::Wrong { .. })));
        };
        wrong(|kept| kept.arrays[0].2.swap(0, 1));
        wrong(|kept| kept.arrays[1].2[0] = 200);
        wrong(|kept| kept.arrays[0].0[1] = 150);
        wrong(|kept| kept.arrays[0].0.swap(0, 1));
        wrong(|kept| kept.arrays[0].1[0] = u32::MAX);
        wrong(|kept| kept.arrays[0].1[0] = 0);
        wrong(|kept| kept.arrays[1].3.truncate(0));
        wrong(|kept| kept.shapes[0].nonzeros = 4);
        wrong(|kept| kept.shapes[1].rows = 0..200);
        wrong(|kept| kept.shapes[1].rows.end = 201);
        wrong(|kept| kept.shapes[1].rows.start = 129);
    }

    /// One block of one nonzero in a matrix of some rows.
    fn single(rows: Range<usize>, row: u32) -> Kept {
        let shapes = vec![BlockShape { rows, nonzeros: 1 }];
        Kept { shapes, arrays: vec![(vec![row], vec![1], vec![0], vec![1.0])] }
    }

    /// The last row that 32 bits can number is the gap mark.
    #[test]
    fn no_block_has_a_row_at_the_gap_mark() {
        let all = MAX_DIMENSION;
        for (row, refused) in [(u32::MAX - 1, false), (u32::MAX, true)] {
            let kept = single(all / PAGE_ROWS * PAGE_ROWS..all, row);
            let built = Matrix::<Ctree<f64>>::from_blocks::<Nested<Bst<_>>>(all, 1, &kept);
            assert_eq!(matches!(built, Err(BlockError::Wrong { .. })), refused, "{row}");
        }
        let beyond = single(all / PAGE_ROWS * PAGE_ROWS..all + 1, u32::MAX);
        let built = Matrix::<Ctree<f64>>::from_blocks::<Nested<Bst<_>>>(all + 1, 1, &beyond);
        assert!(matches!(built, Err(BlockError::TooLarge { what: "rows", .. })));
    }

    /// Extents that 32 bits cannot number, and nonzeros that no memory can hold, are an error before anything is allocated for them.
    #[test]
    fn extents_beyond_memory_are_refused() {
        let pages =
            |rows, cols, kept: &Kept| Matrix::<Packed<u32, f64>>::from_blocks::<Paged<_>>(rows, cols, kept).err();
        let arrays = |rows, cols, kept: &Kept| Csr::<f64>::from_blocks(rows, cols, kept).err();
        let kept = single(0..64, 3);
        for size in [MAX_DIMENSION + 1, usize::MAX] {
            for (rows, cols) in [(size, 9), (64, size)] {
                for error in [pages(rows, cols, &kept), arrays(rows, cols, &kept)] {
                    assert!(matches!(error, Some(BlockError::TooLarge { size: found, .. }) if found == size));
                }
            }
        }
        for nonzeros in [1 << 60, usize::MAX] {
            let mut kept = single(0..64, 3);
            kept.shapes[0].nonzeros = nonzeros;
            kept.shapes.push(BlockShape { rows: 64..128, nonzeros });
            kept.arrays.push((vec![64], vec![1], vec![0], vec![1.0]));
            assert!(matches!(pages(128, 9, &kept), Some(BlockError::Wrong { .. })));
            assert!(matches!(arrays(128, 9, &kept), Some(BlockError::OutOfMemory { bytes }) if bytes > 1 << 60));
        }
    }

    /// A block that claims more nonzeros than it has does not let the empty rows before it take memory.
    #[test]
    fn a_wrong_claim_takes_no_memory() {
        let far = 1 << 28;
        let mut kept = single(0..64, 3);
        kept.shapes.push(BlockShape { rows: far..far + 64, nonzeros: far });
        kept.arrays.push((vec![far as u32], vec![1], vec![0], vec![1.0]));
        assert_eq!(near(&kept.shapes), 1);
        let built = Matrix::<Packed<u32, f64>>::from_blocks::<Paged<_>>(far + 64, 1, &kept);
        assert!(matches!(built, Err(BlockError::Wrong { block: 1, .. })));
        // Its nonzeros are inserted behind those of the other blocks.
        kept.shapes[1].nonzeros = 1;
        let (matrix, _) = Matrix::<Packed<u32, f64>>::from_blocks::<Paged<_>>(far + 64, 1, &kept).unwrap();
        assert_eq!(entries(&matrix), [(3, 0, 1.0), (far, 0, 1.0)]);
        matrix.audit().unwrap();
    }
}
