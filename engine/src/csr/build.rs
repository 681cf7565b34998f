//! Compressed sparse rows from arcs in any order, and from other compressed sparse rows.

use std::borrow::Cow;

use pleach_runtime::{RowBlock, par_items};
use rayon::prelude::*;

use super::{Csr, CsrView, MAX_DIMENSION};
use crate::edges::EdgeList;
use crate::matrix::{BlockError, BlockRows, RowSource, check_shapes, read};
use crate::room::has_room;
use crate::sort::{
    BuildError, BuildOptions, BuildReport, Duplicates, Shape, SortScratch, SplitRows, map_mirrored_blocks_into,
    map_row_blocks_into,
};

/// The destination of a block of rows: room for their offsets, and for their arcs with duplicates.
struct Place<'a, V> {
    offsets: &'a mut [usize],
    coords: &'a mut [u32],
    values: &'a mut [V],
}

impl<V: Send> SplitRows for Place<'_, V> {
    fn split(self, rows: usize, arcs: usize) -> (Self, Self) {
        let (offsets, more_offsets) = self.offsets.split_at_mut(rows);
        let (coords, more_coords) = self.coords.split_at_mut(arcs);
        let (values, more_values) = self.values.split_at_mut(arcs);
        (Place { offsets, coords, values }, Place { offsets: more_offsets, coords: more_coords, values: more_values })
    }
}

impl<V: Copy> Place<'_, V> {
    /// Copies rows here, of which the first is row `begin` and has `before` arcs before it.
    fn copy(self, rows: &BlockRows<'_, V>, begin: usize, before: usize) {
        let (mut next, mut arcs) = (0, before);
        for (&row, &len) in rows.rows.iter().zip(rows.lens) {
            let row = row as usize - begin;
            self.offsets[next..=row].fill(arcs);
            arcs += len as usize;
            next = row + 1;
        }
        self.offsets[next..].fill(arcs);
        self.coords.copy_from_slice(rows.coords);
        self.values.copy_from_slice(rows.values);
    }
}

/// A block of rows in its place.
struct Placed {
    rows: usize,
    /// Room that it was given.
    room: usize,
    /// Arcs that it holds.
    arcs: usize,
}

/// The three arrays while they are filled.
struct Arrays<V> {
    offsets: Vec<usize>,
    coords: Vec<u32>,
    values: Vec<V>,
}

impl<V: Copy + Default + Send + Sync + 'static> Arrays<V> {
    fn new() -> Self {
        Arrays { offsets: Vec::new(), coords: Vec::new(), values: Vec::new() }
    }

    /// Allocates without writing to the memory, and lends all of it but the last offset to the blocks.
    fn reserve(&mut self, shape: &Shape) -> Place<'_, V> {
        self.offsets = vec![0; shape.rows + 1];
        self.coords = vec![0; shape.arcs];
        self.values = vec![V::default(); shape.arcs];
        Place { offsets: &mut self.offsets[..shape.rows], coords: &mut self.coords, values: &mut self.values }
    }

    /// Copies a block to its place, with offsets that count from the block's first arc.
    fn place(block: RowBlock<'_, u32, V>, to: Place<'_, V>) -> Placed {
        let (rows, arcs) = (block.num_rows(), block.elements().len());
        to.offsets.copy_from_slice(&block.offsets()[..rows]);
        to.coords[..arcs].copy_from_slice(block.elements().coords());
        to.values[..arcs].copy_from_slice(block.elements().values());
        Placed { rows, room: to.coords.len(), arcs }
    }

    /// Closes the gaps that duplicates left, and makes offsets count from the first arc of the matrix.
    fn finish(mut self, blocks: Vec<Placed>, num_cols: usize) -> Csr<V> {
        if blocks.iter().any(|block| block.arcs < block.room) {
            close_gaps(&mut self.coords, &blocks);
            if size_of::<V>() != 0 {
                close_gaps(&mut self.values, &blocks);
            }
        }
        let (last, mut offsets) = self.offsets.split_last_mut().expect("one offset more than rows");
        let mut parts = Vec::with_capacity(blocks.len());
        let mut to = 0;
        for Placed { rows, arcs, .. } in blocks {
            let (part, rest) = offsets.split_at_mut(rows);
            parts.push((part, to));
            offsets = rest;
            to += arcs;
        }
        *last = to;
        par_items(parts, |(part, base): (&mut [usize], usize)| part.iter_mut().for_each(|offset| *offset += base));
        self.coords.truncate(to);
        self.coords.shrink_to_fit();
        self.values.truncate(to);
        self.values.shrink_to_fit();
        Csr { num_cols, offsets: self.offsets, coords: self.coords, values: self.values }
    }
}

/// Moves the arcs of each block down beside those of the block before.
///
/// The gaps add up, so that soon several blocks fit the room that was left before them: those are moved in parallel.
fn close_gaps<T: Copy + Send + Sync>(array: &mut [T], mut blocks: &[Placed]) {
    // Where the next block lies, and where it goes.
    let (mut from, mut to) = (0, 0);
    while !blocks.is_empty() {
        let (left, mut source) = array.split_at_mut(from);
        let mut gap = &mut left[to..];
        let mut moves = Vec::new();
        while let Some((block, rest)) = blocks.split_first()
            && block.arcs <= gap.len()
        {
            let (target, more) = gap.split_at_mut(block.arcs);
            let (room, behind) = source.split_at_mut(block.room);
            moves.push((target, &room[..block.arcs]));
            (gap, source, blocks) = (more, behind, rest);
            from += block.room;
            to += block.arcs;
        }
        if !moves.is_empty() {
            par_items(moves, |(target, arcs): (&mut [T], &[T])| target.copy_from_slice(arcs));
        } else if let Some((block, rest)) = blocks.split_first() {
            array.copy_within(from..from + block.arcs, to);
            blocks = rest;
            from += block.room;
            to += block.arcs;
        }
    }
}

impl<V: Copy + Default + Send + Sync + 'static> Csr<V> {
    /// Builds a matrix from arcs in any order, in parallel; O(arcs + rows).
    ///
    /// # Errors
    ///
    /// [`BuildError`] names the first arc that is out of range, or the first duplicate if there must be none.
    pub fn from_edges(edges: &EdgeList<V>, options: &BuildOptions<V>) -> Result<(Self, BuildReport), BuildError> {
        Csr::from_edges_with(edges, options, &mut SortScratch::new())
    }

    /// As [`from_edges`](Self::from_edges). A list that is owned is freed while its arcs are sorted, so that it and the matrix are not in
    /// memory at the same time.
    ///
    /// # Errors
    ///
    /// As [`from_edges`](Self::from_edges).
    pub fn from_arcs(
        edges: Cow<'_, EdgeList<V>>,
        options: &BuildOptions<V>,
    ) -> Result<(Self, BuildReport), BuildError> {
        Csr::sorted(edges, options, &mut SortScratch::new())
    }

    /// As [`from_edges`](Self::from_edges), with scratch memory that is used again from call to call.
    ///
    /// # Errors
    ///
    /// As [`from_edges`](Self::from_edges).
    pub fn from_edges_with(
        edges: &EdgeList<V>,
        options: &BuildOptions<V>,
        scratch: &mut SortScratch<V>,
    ) -> Result<(Self, BuildReport), BuildError> {
        Csr::sorted(Cow::Borrowed(edges), options, scratch)
    }

    fn sorted(
        edges: Cow<'_, EdgeList<V>>,
        options: &BuildOptions<V>,
        scratch: &mut SortScratch<V>,
    ) -> Result<(Self, BuildReport), BuildError> {
        let mut arrays = Arrays::new();
        let (blocks, report) =
            map_row_blocks_into(edges, options, scratch, |shape| arrays.reserve(shape), Arrays::place)?;
        Ok((arrays.finish(blocks, report.num_cols), report))
    }

    /// Copies blocks of sorted rows to their places, in parallel. Also gives the number of nonzeros on the diagonal.
    ///
    /// # Errors
    ///
    /// [`BlockError`], if a block cannot be read or does not hold what its shape says: rows inside of it, columns that ascend and are
    /// inside the matrix; if a dimension exceeds [`MAX_DIMENSION`]; and if the memory for the three arrays cannot be allocated.
    pub fn from_blocks(
        num_rows: usize,
        num_cols: usize,
        source: &dyn RowSource<V>,
    ) -> Result<(Self, usize), BlockError> {
        let blocks = source.blocks();
        check_shapes(blocks, num_rows, num_cols)?;
        let arcs = blocks.iter().fold(0usize, |arcs, block| arcs.saturating_add(block.nonzeros));
        let bytes =
            arcs.saturating_mul(size_of::<u32>() + size_of::<V>()).saturating_add((num_rows + 1) * size_of::<usize>());
        if !has_room(bytes) {
            return Err(BlockError::OutOfMemory { bytes });
        }
        let mut arrays = Arrays::new();
        let mut rest = arrays.reserve(&Shape { rows: num_rows, arcs });
        let (mut places, mut before) = (Vec::with_capacity(blocks.len()), 0);
        for (k, block) in blocks.iter().enumerate() {
            // Each block goes on to the next, the first one from row 0.
            let begin = if k == 0 { 0 } else { block.rows.start };
            let end = blocks.get(k + 1).map_or(num_rows, |next| next.rows.start);
            let (place, more) = rest.split(end - begin, block.nonzeros);
            places.push((begin, before, place));
            before += block.nonzeros;
            rest = more;
        }
        let read_to = |(k, (begin, before, place)): (usize, (usize, usize, Place<'_, V>))| {
            let mut place = Some(place);
            read(source, k, num_cols, &mut |rows| {
                place.take().into_iter().for_each(|place| place.copy(&rows, begin, before))
            })
            .map(|found| found.diagonal)
        };
        let diagonal = places.into_par_iter().enumerate().map(read_to).try_reduce(|| 0, |a, b| Ok(a + b))?;
        let Arrays { mut offsets, coords, values } = arrays;
        offsets[num_rows] = arcs;
        Ok((Csr { num_cols, offsets, coords, values }, diagonal))
    }

    /// The matrix with rows and columns exchanged; see [`CsrView::transpose`].
    pub fn transpose(&self) -> Csr<V> {
        self.view().transpose()
    }

    /// The union of the matrix and its transpose; see [`CsrView::symmetrize`].
    ///
    /// # Errors
    ///
    /// As [`CsrView::symmetrize`].
    pub fn symmetrize(&self, duplicates: Duplicates<V>) -> Result<Csr<V>, BuildError> {
        self.view().symmetrize(duplicates)
    }
}

impl<V: Copy + Default + Send + Sync + 'static> CsrView<'_, V> {
    /// The union of the matrix and its transpose, square: an undirected graph. Where both have a nonzero, `duplicates` chooses;
    /// "first" is the one in the smaller row of this matrix.
    ///
    /// # Errors
    ///
    /// [`BuildError::Duplicate`] for [`Duplicates::Error`] if an arc and its reverse are both there.
    pub fn symmetrize(self, duplicates: Duplicates<V>) -> Result<Csr<V>, BuildError> {
        debug_assert!(self.num_rows().max(self.num_cols()) <= MAX_DIMENSION);
        let (mut arrays, mut scratch) = (Arrays::new(), SortScratch::new());
        let (blocks, report) =
            map_mirrored_blocks_into(self, duplicates, &mut scratch, |shape| arrays.reserve(shape), Arrays::place)?;
        Ok(arrays.finish(blocks, report.num_cols))
    }
}
