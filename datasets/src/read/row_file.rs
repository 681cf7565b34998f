//! The rows of our own binary as they are stored, a block at a time, so that a store is built of them without the file in memory.
//!
//! ```text
//!   offsets ──► blocks of rows, by their arcs ──► each: its offsets, targets and weights ──► the pages of a store
//! ```

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use bytemuck::cast_slice_mut;
use pleach::matrix::{BlockRows, BlockShape, RowSource, SourceError};
use pleach::runtime::PAGE_ROWS;

use super::plg::Reading;
use super::{Listing, check_proportion, name_of};
use crate::binary::{self, Binary};
use crate::error::Error;
use crate::input::{Direction, Edges, Format, Input, Options, Weights};
use crate::plg::{Archive, Entry, Header};
use crate::progress::Meter;
use crate::rows;
use crate::source::Source;

/// Arcs of a block, unless a single page of rows has more.
const ARCS: u64 = 1 << 16;

/// Rows of a block at most.
const ROWS: usize = 1 << 14;

/// A graph in our own binary (`.plg`), whose rows are read when a store is built of them.
///
/// [`RowSource`] reads blocks of rows, on any thread. [`finish`](Self::finish) then says whether the file was whole.
pub struct RowFile {
    path: PathBuf,
    file: File,
    num_rows: usize,
    num_cols: usize,
    blocks: Vec<BlockShape>,
    /// The first arc of each block, and the end of the last.
    begins: Vec<u64>,
    offsets: u64,
    targets: Entry,
    weights: Option<Entry>,
    /// Checksums of the targets and weights of each block that was read.
    sums: Mutex<Vec<Option<Sums>>>,
    buffers: Mutex<Vec<Buffers>>,
    meter: Meter,
}

/// Checksums of what was read.
#[derive(Clone)]
struct Sums {
    targets: crc32fast::Hasher,
    weights: Option<crc32fast::Hasher>,
}

/// Memory that one block is read to, and the file, open once for each array: both are kept for the next block. The system reads ahead where
/// an open file is read from front to back, as each of these is.
struct Buffers {
    arrays: [File; 3],
    offsets: Vec<u64>,
    rows: Vec<u32>,
    lens: Vec<u32>,
    targets: Vec<u32>,
    weights: Vec<f64>,
}

impl Buffers {
    fn open(path: &Path) -> Result<Self, Error> {
        let open = || File::open(path).map_err(|error| Error::io(path, error));
        let arrays = [open()?, open()?, open()?];
        Ok(Buffers {
            arrays,
            offsets: Vec::new(),
            rows: Vec::new(),
            lens: Vec::new(),
            targets: Vec::new(),
            weights: Vec::new(),
        })
    }
}

impl RowFile {
    /// Opens the graph in the file at `path`: everything but its arcs, which are those of the returned rows and not of the [`Input`].
    ///
    /// `None` if the file is none of our own, is compressed, or has another shape than that of rows which are those of a graph as it is
    /// asked for: each edge of an undirected graph in the rows of both its ends. [`read`](fn@super::read) reads such a file.
    ///
    /// # Errors
    ///
    /// As [`read`](fn@super::read), as far as what stands before the arcs shows what is wrong.
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Option<(Input, RowFile)>, Error> {
        let path = path.as_ref();
        let of_other_kind = options.format.is_some_and(|format| format != Format::Plg) || options.columns.is_some();
        // The numbers of a file have their lowest byte first, and are read to their place.
        if of_other_kind || cfg!(target_endian = "big") || !path.is_file() {
            return Ok(None);
        }
        let size = std::fs::metadata(path).map_or(0, |m| m.len());
        let meter = Meter::new(&options.progress, size);
        let source = Source::open(path, &meter)?;
        if source.plain_len().is_none() || !crate::plg::has_signature(source.peek()) {
            return Ok(None);
        }
        let mut binary = source.into_binary();
        let mut header = Header::read(&mut binary)?;
        if header.field("kind") != Some("graph") {
            return Ok(None);
        }
        let behind = header.arrays.iter().position(|entry| entry.name == "targets");
        let Some(targets) = behind else { return Ok(None) };
        let mut after = header.arrays.split_off(targets).into_iter();
        let (Some(targets), weights, None) = (after.next(), after.next(), after.next()) else { return Ok(None) };
        if targets.kind != "u32" || weights.as_ref().is_some_and(|w| w.name != "weights" || w.kind != "f64") {
            return Ok(None);
        }
        let Some(offsets) = header.array("offsets").map(|entry| entry.offset) else { return Ok(None) };
        let mut archive = Archive::of_fields(header.fields);
        for entry in header.arrays {
            let values = entry.read(&mut binary)?;
            archive = archive.with_array(&entry.name, values);
        }
        check_length(&mut binary, &targets, weights.as_ref())?;
        let mut reading = Reading { path: path.to_owned(), archive, any_number: false };
        let shape = reading.shape()?;
        if shape.listing() != Listing::Both && shape.listing() != Listing::Once {
            return Ok(None);
        }
        let directed = options.direction.map_or(shape.directed, |direction| direction == Direction::Directed);
        if shape.listing() == Listing::Once && !directed {
            return Ok(None);
        }
        let ids = reading.ids(shape.vertices())?;
        let ends = reading.offsets(shape.num_rows)?;
        rows::check_offsets(&ends, targets.count).map_err(|bad| reading.bad_offset(&ends, bad))?;
        check_proportion(path, crate::input::VERTICES, shape.vertices() as u64, targets.count)?;
        let (blocks, begins) = cut(&ends);
        let edges = pleach::EdgeList::new(shape.num_rows, shape.num_cols);
        let input = Input {
            name: name_of(path),
            format: Format::Plg,
            edges: match (options.weights, weights.is_some()) {
                (Weights::OrOne, _) | (Weights::AsRead, true) => Edges::Weighted(edges),
                _ => Edges::Pattern(Edges::Weighted(edges).into_pattern()),
            },
            ids,
            directed,
            declared: Some(if shape.directed { Direction::Directed } else { Direction::Undirected }),
            mirrored: false,
            self_loops: 0,
            attributes: Default::default(),
            notes: Vec::new(),
        };
        let file = File::open(path).map_err(|error| Error::io(path, error))?;
        let rows = RowFile {
            path: path.to_owned(),
            file,
            num_rows: shape.num_rows,
            num_cols: shape.num_cols,
            sums: Mutex::new(vec![None; blocks.len()]),
            blocks,
            begins,
            offsets,
            targets,
            weights,
            buffers: Mutex::default(),
            meter,
        };
        Ok(Some((input, rows)))
    }

    /// The numbers of rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.num_rows, self.num_cols)
    }

    /// The number of arcs.
    pub fn num_arcs(&self) -> u64 {
        self.targets.count
    }

    /// Whether arcs have weights.
    pub fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// Checks what was read against the checksums of the file; weights that were not asked for are read, too.
    ///
    /// # Errors
    ///
    /// If an array is damaged, or cannot be read.
    pub fn finish(&self) -> Result<(), Error> {
        let sums = self.sums.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut targets, mut weights) = (crc32fast::Hasher::new(), crc32fast::Hasher::new());
        let mut weighed = true;
        for (block, sums) in sums.iter().enumerate() {
            // A block without arcs need not have been read.
            let Some(sums) = sums else {
                debug_assert!(self.blocks[block].nonzeros == 0, "block {block} was not read");
                continue;
            };
            targets.combine(&sums.targets);
            match &sums.weights {
                Some(sum) => weights.combine(sum),
                None => weighed = false,
            }
        }
        self.targets.check(&self.path, targets.finalize())?;
        let Some(entry) = &self.weights else { return Ok(()) };
        let sum = match weighed {
            true => weights.finalize(),
            false => binary::checksum_of(&self.file, entry.offset..entry.end())
                .map_err(|error| Error::io(&self.path, error))?,
        };
        entry.check(&self.path, sum)
    }

    /// Reads a block to the buffers: its rows, and their arcs.
    fn fill(&self, block: usize, with_weights: bool, buffers: &mut Buffers) -> Result<(), Error> {
        let Buffers { arrays: [offset_file, target_file, weight_file], offsets, rows, lens, targets, weights } =
            buffers;
        let BlockShape { rows: among, nonzeros } = &self.blocks[block];
        let begin = self.begins[block];
        offsets.resize(among.len() + 1, 0);
        let read = |file: &File, bytes: &mut [u8], at: u64| {
            binary::read_at(file, bytes, at).map_err(|error| Error::io(&self.path, error))
        };
        read(offset_file, cast_slice_mut(offsets), self.offsets + 8 * among.start as u64)?;
        rows.clear();
        lens.clear();
        for (row, ends) in (among.start as u32..).zip(offsets.windows(2)) {
            if ends[0] != ends[1] {
                rows.push(row);
                lens.push(ends[1].wrapping_sub(ends[0]) as u32);
            }
        }
        targets.resize(*nonzeros, 0);
        let bytes: &mut [u8] = cast_slice_mut(targets);
        read(target_file, bytes, self.targets.offset + 4 * begin)?;
        let mut size = bytes.len();
        let mut found = Sums { targets: binary::checksum(bytes), weights: None };
        if with_weights && let Some(entry) = &self.weights {
            weights.resize(*nonzeros, 0.0);
            let bytes: &mut [u8] = cast_slice_mut(weights);
            read(weight_file, bytes, entry.offset + 8 * begin)?;
            size += bytes.len();
            found.weights = Some(binary::checksum(bytes));
            if let Some(k) = weights.iter().position(|weight| !weight.is_finite()) {
                let reason = format!(
                    "expected finite numbers in the array `weights`, found {} at position {}",
                    weights[k],
                    begin + k as u64
                );
                return Err(Error::Damaged { path: self.path.clone(), offset: 0, reason });
            }
        }
        // The arcs of a directed graph are read several times where only in-arcs are stored: as progress they count once.
        if self.sums.lock().unwrap_or_else(PoisonError::into_inner)[block].replace(found).is_none() {
            self.meter.advance(size as u64);
        }
        Ok(())
    }

    fn with_block(&self, block: usize, with_weights: bool, take: impl FnOnce(&mut Buffers)) -> Result<(), SourceError> {
        let lock = || self.buffers.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = lock().pop();
        let mut buffers = kept.map_or_else(|| Buffers::open(&self.path), Ok)?;
        self.fill(block, with_weights, &mut buffers)?;
        take(&mut buffers);
        lock().push(buffers);
        Ok(())
    }
}

impl RowSource<()> for RowFile {
    fn blocks(&self) -> &[BlockShape] {
        &self.blocks
    }

    fn read(&self, block: usize, take: &mut dyn FnMut(BlockRows<'_, ()>)) -> Result<(), SourceError> {
        self.with_block(block, false, |Buffers { rows, lens, targets, .. }| {
            take(BlockRows { rows, lens, coords: targets, values: &vec![(); targets.len()] });
        })
    }
}

/// Arcs without weights weigh 1.
impl RowSource<f64> for RowFile {
    fn blocks(&self) -> &[BlockShape] {
        &self.blocks
    }

    fn read(&self, block: usize, take: &mut dyn FnMut(BlockRows<'_, f64>)) -> Result<(), SourceError> {
        self.with_block(block, true, |Buffers { rows, lens, targets, weights, .. }| {
            if self.weights.is_none() {
                weights.clear();
                weights.resize(targets.len(), 1.0);
            }
            take(BlockRows { rows, lens, coords: targets, values: weights });
        })
    }
}

/// Refuses a file whose arrays of arcs are not all that is left of it.
fn check_length(file: &mut Binary, targets: &Entry, weights: Option<&Entry>) -> Result<(), Error> {
    let wrong = |file: &Binary, entry: &Entry, reason: String| Err(file.damaged(entry.offset, reason));
    let Some(length) = file.plain_len() else { return Ok(()) };
    let mut at = file.at();
    for entry in [Some(targets), weights].into_iter().flatten() {
        if entry.offset < at {
            let reason = format!("expected the array `{}` at offset {at} or later", entry.name);
            return wrong(file, entry, reason);
        }
        if entry.count != targets.count {
            let reason =
                format!("expected {} numbers in the array `{}`, found {}", targets.count, entry.name, entry.count);
            return wrong(file, entry, reason);
        }
        at = entry.end();
        if at > length {
            let reason = format!(
                "expected {} numbers of the array `{}`, but the file ends {} bytes behind this place",
                entry.count,
                entry.name,
                length.saturating_sub(entry.offset)
            );
            return wrong(file, entry, reason);
        }
    }
    match at < length {
        true => Err(file.damaged(at, "expected the end of the file, found more")),
        false => Ok(()),
    }
}

/// Cuts rows into blocks of whole pages, and the first arc of each.
fn cut(ends: &[u64]) -> (Vec<BlockShape>, Vec<u64>) {
    let num_rows = ends.len() - 1;
    let (mut blocks, mut begins) = (Vec::new(), vec![0]);
    let mut row = 0;
    while row < num_rows {
        let most = (row + ROWS).min(num_rows);
        let full = ends[row..=most].partition_point(|&end| end <= ends[row] + ARCS);
        // Whole pages, as many as fit, and one at least.
        let next = ((row + full.saturating_sub(1)) / PAGE_ROWS * PAGE_ROWS).max(row + PAGE_ROWS).min(most);
        let next = if row + full > most { most } else { next };
        blocks.push(BlockShape { rows: row..next, nonzeros: (ends[next] - ends[row]) as usize });
        begins.push(ends[next]);
        row = next;
    }
    (blocks, begins)
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use pleach::runtime::{Dense, Packed};
    use pleach::{Csr, Matrix};

    use super::*;

    fn entries<V: Copy>(rows: &Csr<V>) -> Vec<(usize, u32, V)> {
        let view = rows.view();
        (0..rows.num_rows()).flat_map(|row| view.row(row).iter().map(move |(col, &value)| (row, col, value))).collect()
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn rows_are_those_of_the_reader() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["karate", "dijkstra", "debian", "rmat:12", "grid:300x40"] {
            let path = folder.path().join("graph.plg");
            crate::write(&crate::open(name, &Options::default()).unwrap(), &path).unwrap();
            let whole = crate::read(&path, &Options::default().with_weights(Weights::OrOne)).unwrap();
            let Edges::Weighted(list) = &whole.edges else { panic!("weights were asked for") };
            let expected = Csr::from_edges(list, &whole.build_options()).unwrap().0;
            let options = Options::default().with_weights(Weights::OrOne);
            let (input, rows) = RowFile::open(&path, &options).unwrap().unwrap();
            assert_eq!((input.directed, input.mirrored, &input.ids), (whole.directed, whole.mirrored, &whole.ids));
            let (n, m) = rows.shape();
            let (found, diagonal) = Csr::<f64>::from_blocks(n, m, &rows).unwrap();
            rows.finish().unwrap();
            assert!(entries(&found) == entries(&expected), "{name}");
            assert_eq!(diagonal as u64, whole.self_loops, "{name}");
            let (_, rows) = RowFile::open(&path, &Options::default()).unwrap().unwrap();
            let (pages, _) = Matrix::<Packed<u32, ()>>::from_blocks::<Dense<_>>(n, m, &rows).unwrap();
            rows.finish().unwrap();
            let mut count = 0;
            let _ = pages.each_block(1 << 12, &mut |_, block| {
                count += block.coords.len();
                ControlFlow::Continue(())
            });
            assert_eq!(count, expected.nnz(), "{name}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn blocks_are_whole_pages() {
        let mut ends = vec![0];
        for row in 0..200_000u64 {
            // Short rows, empty ones, and a huge one.
            let arcs = if row == 70_000 { 3 * ARCS } else { row % 5 };
            ends.push(ends[row as usize] + arcs);
        }
        let (blocks, begins) = cut(&ends);
        assert_eq!((blocks[0].rows.start, blocks.last().unwrap().rows.end), (0, 200_000));
        for (k, block) in blocks.iter().enumerate() {
            assert!(block.rows.start % PAGE_ROWS == 0 && !block.rows.is_empty() && block.rows.len() <= ROWS);
            assert_eq!(begins[k], ends[block.rows.start]);
            assert_eq!(block.nonzeros as u64, ends[block.rows.end] - ends[block.rows.start]);
            assert!(block.nonzeros as u64 <= ARCS || block.rows.len() <= PAGE_ROWS, "{block:?}");
        }
        assert!(blocks.windows(2).all(|pair| pair[0].rows.end == pair[1].rows.start));
        assert!(blocks.len() < 24, "{}", blocks.len());
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn damage_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graph.plg");
        crate::write(&crate::open("dijkstra", &Options::default()).unwrap(), &path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let load = |with_weights: bool| -> Result<(), String> {
            let options = Options::default().with_weights(if with_weights { Weights::OrOne } else { Weights::Ignore });
            let opened = RowFile::open(&path, &options).map_err(|error| error.to_string())?;
            let (_, rows) = opened.ok_or("of another kind")?;
            let (n, m) = rows.shape();
            if with_weights {
                Csr::<f64>::from_blocks(n, m, &rows).map(drop).map_err(|error| error.to_string())?;
            } else {
                Csr::<()>::from_blocks(n, m, &rows).map(drop).map_err(|error| error.to_string())?;
            }
            rows.finish().map_err(|error| error.to_string())
        };
        for with_weights in [true, false] {
            std::fs::write(&path, &bytes).unwrap();
            load(with_weights).unwrap();
            // Every byte counts but those of the padding; weights that are not asked for do, too.
            let mut unseen = 0;
            for at in 0..bytes.len() {
                let mut damaged = bytes.clone();
                damaged[at] ^= 0x10;
                std::fs::write(&path, &damaged).unwrap();
                unseen += usize::from(load(with_weights).is_ok());
            }
            assert!(unseen < 5 * 64, "{unseen} of {} bytes", bytes.len());
            for length in 0..bytes.len() {
                std::fs::write(&path, &bytes[..length]).unwrap();
                assert!(load(with_weights).is_err(), "{length} bytes");
            }
            std::fs::write(&path, [&bytes[..], b"x"].concat()).unwrap();
            assert!(load(with_weights).is_err());
        }
    }
}
