//! Matrices as `scipy.sparse.save_npz` writes them: a zip archive of NumPy arrays (`.npy`), among them `format` and `shape`.
//!
//! | format | arrays |
//! |---|---|
//! | `csr`, `csc`, `bsr` | `indptr`, `indices`, `data` |
//! | `coo` | `row`, `col` (or `coords`), `data` |
//! | `dia` | `offsets`, `data` |
//!
//! Values may be whole numbers of any width, floating-point numbers of 32 or 64 bits, or truth values, of which a matrix has no weights: where several
//! have one place, they are joined by *or*. Arrays may be in the order of C or of Fortran. A tensor of another order than 2 has the format `coo`. Matrices
//! are written as `csr`.

mod array;
mod entries;

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use flate2::write::DeflateEncoder;
use rawzip::{CompressionMethod, ZipArchiveWriter};

use self::array::{Archive, Bytes};
use self::entries::Matrix;

use crate::error::Error;
use crate::ids::IdMap;
use crate::input::Input;
use crate::progress::{Meter, Observer};
use crate::read::arcs::Arcs;
use crate::read::opened::Opened;
use crate::read::share_steps::{self, Steps, check_square};
use crate::read::symmetry::Symmetry;
use crate::read::{Held, Listing, Raw, ReadTensor, check_proportion};
use crate::rows::Rows;
use crate::write::{Output, Target};

/// What a zip archive begins with.
pub(crate) const SIGNATURE: &[u8] = b"PK\x03\x04";

/// Reads the matrix or the tensor in an archive; `any_number` allows values that are infinite or no number.
pub(crate) fn read(path: &Path, bytes: Vec<u8>, any_number: bool) -> Result<Held, Error> {
    let size = bytes.len();
    let archive = Archive::Memory(path.to_owned(), Bytes(Arc::new(bytes)));
    if let Some((tensor, rounded)) = entries::tensor(&archive, any_number)? {
        return Ok(Held::Tensor(ReadTensor::stated(tensor), rounded));
    }
    let matrix = Matrix::open(archive, any_number)?;
    let Matrix { rows, cols, weighted, .. } = matrix;
    // Most files have several bytes for each entry. What an archive claims beyond that is not believed before it has been read.
    let room = usize::try_from(matrix.most).unwrap_or(usize::MAX).min(size);
    let [src, dst] = [room; 2].map(Vec::with_capacity);
    let mut arcs = Arcs { src, dst, weight: Vec::with_capacity(if weighted { room } else { 0 }) };
    let mut entries = matrix.entries()?;
    let mut entry = |row, col, value| {
        arcs.src.push(row as u32);
        arcs.dst.push(col as u32);
        if weighted {
            arcs.weight.push(value);
        }
    };
    while entries.next(&mut entry)? {}
    if !weighted {
        let mut modes = [arcs.src, arcs.dst];
        entries::keep_first(&mut modes);
        [arcs.src, arcs.dst] = modes;
    }
    Ok(Held::Graph(Raw {
        path: path.to_owned(),
        num_rows: rows as usize,
        num_cols: cols as usize,
        arcs,
        weighted,
        ids: IdMap::identity(rows.max(cols) as usize),
        declared: None,
        listing: Listing::Once,
        rounded: entries.rounded(),
        notes: Vec::new(),
        extra: Default::default(),
    }))
}

/// The matrix in an archive, to be read a block at a time.
pub(crate) fn share(file: Opened) -> Result<share_steps::Matrix, Error> {
    let path = file.path().to_owned();
    let matrix = Matrix::open(Archive::File(file), false)?;
    let (rows, weighted) = (matrix.rows, matrix.weighted);
    check_square(&path, rows, matrix.cols)?;
    check_proportion(&path, crate::input::ROWS, rows, matrix.most)?;
    let (steps, symmetry) = (Arc::new(matrix), Symmetry::General);
    Ok(share_steps::Matrix { steps, vertices: 0..rows, weighted, symmetry })
}

/// An array of NumPy's format, version 1.
fn array(kind: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    // Data begins at a multiple of 64.
    let length = (10 + header.len() + 1).next_multiple_of(64) - 10;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(format!("{header:<0$}\n", length - 1).into_bytes());
    bytes.extend(data);
    bytes
}

/// Writes the adjacency matrix of a graph, arcs that stand for two in both directions.
pub(crate) fn write(input: &Input, target: Target<'_>, progress: &Observer) -> Result<(), Error> {
    let edges = &input.edges;
    let size = edges.num_rows().max(edges.num_cols());
    let (rows, cols) = if input.mirrored { (size, size) } else { (edges.num_rows(), edges.num_cols()) };
    let Rows { offsets, targets, weights } = Rows::of(input)
        .map_err(|error| Error::CannotWrite { path: target.path.to_owned(), reason: error.to_string() })?;
    let narrow = targets.len() <= i32::MAX as usize && cols <= i32::MAX as usize;
    let index = |numbers: &mut dyn Iterator<Item = u64>| -> Vec<u8> {
        if narrow {
            numbers.flat_map(|n| (n as u32).to_le_bytes()).collect()
        } else {
            numbers.flat_map(u64::to_le_bytes).collect()
        }
    };
    let kind = if narrow { "<i4" } else { "<i8" };
    let shape = |length: usize| format!("({length},)");
    let data = match &weights {
        Some(weights) => {
            array("<f8", &shape(weights.len()), &weights.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<_>>())
        }
        None => array("|b1", &shape(targets.len()), &vec![1; targets.len()]),
    };
    let arrays = vec![
        ("indices", array(kind, &shape(targets.len()), &index(&mut targets.iter().map(|&t| t.into())))),
        ("indptr", array(kind, &shape(offsets.len()), &index(&mut offsets.iter().copied()))),
        ("format", array("|S3", "()", b"csr")),
        ("shape", sizes(rows, cols)),
        ("data", data),
    ];
    archive(target, arrays, progress)
}

/// The array of extents.
fn sizes(rows: usize, cols: usize) -> Vec<u8> {
    let sizes: Vec<u8> = [rows as u64, cols as u64].into_iter().flat_map(u64::to_le_bytes).collect();
    array("<i8", "(2,)", &sizes)
}

/// Bytes that are compressed between two reports of progress.
const PIECE: usize = 1 << 20;

/// Writes arrays, each compressed.
fn archive(target: Target<'_>, arrays: Vec<(&str, Vec<u8>)>, progress: &Observer) -> Result<(), Error> {
    let meter = Meter::new(progress, arrays.iter().map(|(_, bytes)| bytes.len() as u64).sum());
    let bytes = zipped(&arrays, &meter).map_err(|error| Error::io(target.path, error))?;
    let mut output = Output::create(target)?;
    output.bytes(&bytes)?;
    output.finish()
}

/// A zip archive of arrays.
fn zipped(arrays: &[(&str, Vec<u8>)], meter: &Meter) -> io::Result<Vec<u8>> {
    let mut zip = ZipArchiveWriter::new(Vec::new());
    for (name, bytes) in arrays {
        let name = format!("{name}.npy");
        let file = zip.new_file(&name).compression_method(CompressionMethod::DEFLATE);
        let (mut entry, config) = file.start().map_err(io::Error::other)?;
        let mut data = config.wrap(DeflateEncoder::new(&mut entry, flate2::Compression::default()));
        for piece in bytes.chunks(PIECE) {
            data.write_all(piece)?;
            meter.advance(piece.len() as u64);
        }
        let (encoder, descriptor) = data.finish().map_err(io::Error::other)?;
        encoder.finish()?;
        entry.finish(descriptor).map_err(io::Error::other)?;
    }
    zip.finish().map_err(io::Error::other)
}

/// A matrix in the arrays of one of SciPy's formats.
#[derive(Clone, Debug, PartialEq)]
pub enum Sparse {
    /// Compressed rows: where each begins, columns, values.
    Csr {
        /// Where each row begins, and at last where the last one ends.
        indptr: Vec<usize>,
        /// Columns.
        indices: Vec<u32>,
        /// Values.
        data: Vec<f64>,
    },
    /// Compressed columns.
    Csc {
        /// Where each column begins, and at last where the last one ends.
        indptr: Vec<usize>,
        /// Rows.
        indices: Vec<u32>,
        /// Values.
        data: Vec<f64>,
    },
    /// A list of entries.
    Coo {
        /// Rows.
        row: Vec<u32>,
        /// Columns.
        col: Vec<u32>,
        /// Values.
        data: Vec<f64>,
    },
    /// Diagonals.
    Dia {
        /// Column minus row of each.
        offsets: Vec<i64>,
        /// For each diagonal a value for each column.
        data: Vec<f64>,
    },
    /// Blocks that fill the matrix.
    Bsr {
        /// Where each row of blocks begins, and at last where the last one ends.
        indptr: Vec<usize>,
        /// Columns of blocks.
        indices: Vec<u32>,
        /// Values, block by block.
        data: Vec<f64>,
        /// Rows and columns of a block.
        block: (usize, usize),
    },
}

/// Writes a matrix of `rows` × `cols` as `scipy.sparse.save_npz` does.
///
/// # Errors
///
/// [`Error::Io`] with the file that could not be written. Nothing is left behind then.
pub fn write_sparse(matrix: &Sparse, (rows, cols): (usize, usize), path: impl AsRef<Path>) -> Result<(), Error> {
    let whole = |numbers: &mut dyn Iterator<Item = i64>| -> Vec<u8> {
        let all: Vec<i64> = numbers.collect();
        let bytes: Vec<u8> = all.iter().flat_map(|n| n.to_le_bytes()).collect();
        array("<i8", &format!("({},)", all.len()), &bytes)
    };
    let ends = |numbers: &[usize]| whole(&mut numbers.iter().map(|&n| n as i64));
    let coordinates = |numbers: &[u32]| whole(&mut numbers.iter().map(|&n| i64::from(n)));
    let real = |numbers: &[f64], shape: String| {
        array("<f8", &shape, &numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>())
    };
    let line = |numbers: &[f64]| real(numbers, format!("({},)", numbers.len()));
    let (name, mut arrays) = match matrix {
        Sparse::Csr { indptr, indices, data } => {
            ("csr", vec![("indices", coordinates(indices)), ("indptr", ends(indptr)), ("data", line(data))])
        }
        Sparse::Csc { indptr, indices, data } => {
            ("csc", vec![("indices", coordinates(indices)), ("indptr", ends(indptr)), ("data", line(data))])
        }
        Sparse::Coo { row, col, data } => {
            ("coo", vec![("row", coordinates(row)), ("col", coordinates(col)), ("data", line(data))])
        }
        Sparse::Dia { offsets, data } => {
            let data = real(data, format!("({}, {cols})", offsets.len()));
            ("dia", vec![("offsets", whole(&mut offsets.iter().copied())), ("data", data)])
        }
        Sparse::Bsr { indptr, indices, data, block: (high, wide) } => {
            let data = real(data, format!("({}, {high}, {wide})", indices.len()));
            ("bsr", vec![("indices", coordinates(indices)), ("indptr", ends(indptr)), ("data", data)])
        }
    };
    arrays.extend([("format", array("|S3", "()", name.as_bytes())), ("shape", sizes(rows, cols))]);
    archive(Target::of(path.as_ref())?, arrays, &Observer::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::share::Shared;
    use crate::{Coo, Options, read_tensor};

    fn whole(numbers: &[i64]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    fn real(numbers: &[f64]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    /// The same array, whose first index runs fastest.
    fn fortran(kind: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = array(kind, shape, data);
        let at = bytes.windows(5).position(|word| word == b"False").unwrap();
        bytes[at..at + 5].copy_from_slice(b"True ");
        bytes
    }

    /// Writes arrays beside a format and extents.
    fn put(path: &Path, format: &str, extents: &[i64], arrays: Vec<(&str, Vec<u8>)>) {
        let mut all = vec![
            ("format", array(&format!("|S{}", format.len()), "()", format.as_bytes())),
            ("shape", array("<i8", &format!("({},)", extents.len()), &whole(extents))),
        ];
        all.extend(arrays);
        archive(Target::of(path).unwrap(), all, &Observer::default()).unwrap();
    }

    /// The entries of a file in the order of their places.
    fn entries(path: &Path) -> Vec<(Vec<u32>, f64)> {
        let tensor = read_tensor(path, &Options::default()).unwrap();
        let entry = |k: usize| (tensor.coords.iter().map(|mode| mode[k]).collect(), tensor.values[k]);
        let mut all: Vec<(Vec<u32>, f64)> = (0..tensor.nnz()).map(entry).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    fn refused(path: &Path) -> String {
        let why = read_tensor(path, &Options::default()).unwrap_err().to_string();
        assert!(why.contains("a.npz: ") && !why.contains("offset 0"), "{why}");
        why
    }

    /// As `toarray()` of SciPy does.
    #[test]
    #[cfg_attr(miri, ignore)]
    fn truth_values_at_one_place_are_joined_by_or() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        let truth = || ("data", array("|b1", "(5,)", &[1, 1, 1, 0, 1]));
        let line = |numbers: &[i64]| array("<i8", "(5,)", &whole(numbers));
        let (row, col) = (line(&[2, 0, 2, 0, 1]), line(&[1, 0, 1, 2, 1]));
        put(&path, "coo", &[3, 3], vec![("row", row), ("col", col), truth()]);
        let expected = Coo { dims: vec![3, 3], coords: vec![vec![2, 0, 1], vec![1, 0, 1]], values: vec![1.0; 3] };
        assert_eq!(read_tensor(&path, &Options::default()).unwrap(), expected);
        let coords = array("<i8", "(1, 5)", &whole(&[4, 0, 4, 1, 2]));
        put(&path, "coo", &[5], vec![("coords", coords), truth()]);
        let expected = Coo { dims: vec![5], coords: vec![vec![4, 0, 2]], values: vec![1.0; 3] };
        assert_eq!(read_tensor(&path, &Options::default()).unwrap(), expected);
    }

    /// SciPy refuses them, too.
    #[test]
    #[cfg_attr(miri, ignore)]
    fn arrays_that_make_no_matrix_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        let diagonals = array("<f8", "(3, 2)", &real(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        put(&path, "dia", &[2, 2], vec![("offsets", array("<i8", "(3,)", &whole(&[1, 0, 1]))), ("data", diagonals)]);
        assert!(refused(&path).contains("expected each diagonal once in `offsets`, found 1 twice"));
        for wide in ["indptr", "indices", "data"] {
            let shape = |name: &str, length: usize| match name == wide {
                true => format!("(1, {length})"),
                false => format!("({length},)"),
            };
            let arrays = vec![
                ("indptr", array("<i8", &shape("indptr", 3), &whole(&[0, 1, 2]))),
                ("indices", array("<i8", &shape("indices", 2), &whole(&[1, 0]))),
                ("data", array("<f8", &shape("data", 2), &real(&[1.0, 2.0]))),
            ];
            put(&path, "csr", &[2, 2], arrays);
            let expected = format!("`{wide}.npy`: expected an array of 1 dimension, found one of 2");
            assert!(refused(&path).contains(&expected), "{}", refused(&path));
        }
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn arrays_may_be_in_the_order_of_fortran() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        // The rows of diagonals are 1 2 3 and 4 5 6.
        let data = || fortran("<f8", "(2, 3)", &real(&[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]));
        let arrays = |data| vec![("offsets", array("<i8", "(2,)", &whole(&[0, 1]))), ("data", data)];
        put(&path, "dia", &[3, 3], arrays(data()));
        let expected = [([0u32, 0], 1.0), ([0, 1], 5.0), ([1, 1], 2.0), ([1, 2], 6.0), ([2, 2], 3.0)];
        assert_eq!(entries(&path), expected.map(|(place, value)| (place.to_vec(), value)));
        let mut short = data();
        short.truncate(short.len() - 8);
        put(&path, "dia", &[3, 3], arrays(short));
        assert!(refused(&path).contains("`data.npy`: expected 6 numbers of 8 bytes, found 40 bytes"));
        // Two blocks, of the rows 1 2, 3 4 and 5 6, 7 8.
        let data = fortran("<i2", "(2, 2, 2)", &[1u16, 5, 3, 7, 2, 6, 4, 8].map(u16::to_le_bytes).concat());
        let (indptr, indices) = (array("<i8", "(3,)", &whole(&[0, 1, 2])), array("<i8", "(2,)", &whole(&[0, 1])));
        put(&path, "bsr", &[4, 4], vec![("indptr", indptr), ("indices", indices), ("data", data)]);
        let expected: Vec<(Vec<u32>, f64)> = [[0, 0], [0, 1], [1, 0], [1, 1], [2, 2], [2, 3], [3, 2], [3, 3]]
            .into_iter()
            .zip(1..)
            .map(|(place, value)| (place.to_vec(), f64::from(value)))
            .collect();
        assert_eq!(entries(&path), expected);
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn numbers_have_any_type_that_is_exact() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        let col = || ("col", array(">u2", "(2,)", &[0, 2, 0, 1]));
        let with = |row: [u64; 2], data: Vec<u8>| {
            let row = array("<u8", "(2,)", &row.map(u64::to_le_bytes).concat());
            put(&path, "coo", &[3, 3], vec![("row", row), col(), ("data", data)]);
        };
        with([1, 2], array("<f8", "(2,)", &real(&[0.5, -1.0])));
        assert_eq!(entries(&path), [(vec![1u32, 2], 0.5), (vec![2, 1], -1.0)]);
        with([1, u64::MAX], array("<f8", "(2,)", &real(&[0.5, -1.0])));
        let expected = "`row.npy`: expected whole numbers below 2^63, found 18446744073709551615";
        assert!(refused(&path).contains(expected), "{}", refused(&path));
        with([1, 2], array("<f16", "(2,)", &[0; 32]));
        let expected = "`data.npy`: expected real numbers of 8 bytes or less, found long doubles (`<f16`)";
        assert!(refused(&path).contains(expected), "{}", refused(&path));
        // Only whole numbers are rounded.
        for (kind, numbers, rounded) in [
            ("<i8", whole(&[-7, (1 << 53) + 1]), true),
            ("<u8", whole(&[7, -1]), true),
            ("<i8", whole(&[-7, 1 << 53]), false),
            ("<f8", real(&[1e20, 1.7e308]), false),
        ] {
            with([1, 2], array(kind, "(2,)", &numbers));
            let notes = crate::read(&path, &Options::default()).unwrap().notes;
            let told = "whole values of 2^53 and more were rounded: they are held as floating-point numbers";
            assert_eq!(notes.contains(&told.to_owned()), rounded, "{kind}: {notes:?}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn tensors_of_other_orders_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        let with = |format: &str, extents: &[i64], name: &'static str, shape: &str, coords: &[i64]| {
            let data = array("<f8", "(2,)", &real(&[1.5, -2.0]));
            put(&path, format, extents, vec![(name, array("<i8", shape, &whole(coords))), ("data", data)]);
        };
        with("coo", &[5], "coords", "(1, 2)", &[3, 1]);
        let expected = Coo { dims: vec![5], coords: vec![vec![3, 1]], values: vec![1.5, -2.0] };
        assert_eq!(read_tensor(&path, &Options::default()).unwrap(), expected);
        let graph = crate::read(&path, &Options::default()).unwrap_err();
        assert!(matches!(graph, Error::Order { order: 1, .. }), "{graph}");
        with("coo", &[2, 3, 4_000_000_000], "coords", "(3, 2)", &[1, 0, 0, 2, 3_999_999_999, 1]);
        let dims = vec![2, 3, 4_000_000_000];
        let expected = Coo { dims, coords: vec![vec![1, 0], vec![0, 2], vec![3_999_999_999, 1]], ..expected };
        assert_eq!(read_tensor(&path, &Options::default()).unwrap(), expected);
        with("coo", &[2, 3, 4], "coords", "(3, 2)", &[1, 0, 0, 2, 4, 1]);
        assert!(refused(&path).contains("expected coordinates below 4 in `coords`, found 4"));
        with("coo", &[2, 3, 4], "coords", "(2, 2)", &[1, 0, 0, 2]);
        assert!(refused(&path).contains("expected 3 rows of 2 numbers in `coords`, as in `data`"));
        with("csr", &[5], "indices", "(2,)", &[3, 1]);
        assert!(refused(&path).contains("is a tensor of order 1 in the format csr, expected the format coo"));
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn rows_and_columns_may_be_in_one_array() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        let put = |coords: &[i64], shape: &str| {
            let coords: Vec<u8> = coords.iter().flat_map(|number| number.to_le_bytes()).collect();
            let data: Vec<u8> = [0.5, 2.0, -1.0].into_iter().flat_map(f64::to_le_bytes).collect();
            let arrays = vec![
                ("coords", array("<i8", shape, &coords)),
                ("format", array("|S3", "()", b"coo")),
                ("shape", sizes(4, 4)),
                ("data", array("<f8", "(3,)", &data)),
                ("_is_array", array("|b1", "()", &[1])),
            ];
            archive(Target::of(&path).unwrap(), arrays, &Observer::default()).unwrap();
        };
        put(&[3, 0, 1, 2, 0, 3], "(2, 3)");
        let input = crate::read(&path, &Options::default()).unwrap();
        assert_eq!((input.edges.src(), input.edges.dst()), (&[3, 0, 1][..], &[2, 0, 3][..]));
        assert_eq!(input.edges.weight(), Some(&[0.5, 2.0, -1.0][..]));
        let shared = Shared::open(&path, &Options::default()).unwrap().unwrap();
        let (mut share, mut arcs) = (shared.share(0, 1).unwrap(), Vec::new());
        while share.next(&mut |row, col, value| arcs.push((row, col, value)), &mut |_| ()).unwrap() {}
        assert_eq!(arcs, [(3, 2, 0.5), (0, 0, 2.0), (1, 3, -1.0)]);
        let wrong: [(&[i64], &str); 3] =
            [(&[3, 0, 1, 2, 0, 3], "(3, 2)"), (&[3, 0, 1], "(3,)"), (&[3, 0, 2, 0], "(2, 2)")];
        for (coords, shape) in wrong {
            put(coords, shape);
            let refused = crate::read(&path, &Options::default()).unwrap_err().to_string();
            assert!(refused.contains("expected 2 rows of 3 numbers in `coords`"), "{refused}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn of_several_arrays_of_one_name_the_last_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        let line = |numbers: &[i64]| array("<i8", &format!("({},)", numbers.len()), &whole(numbers));
        let data = |numbers: &[f64]| array("<f8", "(1,)", &real(numbers));
        let arrays = vec![("data", data(&[7.0])), ("row", line(&[1])), ("col", line(&[0])), ("data", data(&[2.5]))];
        put(&path, "coo", &[2, 2], arrays);
        assert_eq!(entries(&path), [(vec![1, 0], 2.5)]);
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn encrypted_arrays_and_damaged_directories_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        put(&path, "coo", &[1, 1], Vec::new());
        let plain = std::fs::read(&path).unwrap();
        let (header, directory) = (b"PK\x03\x04".as_slice(), b"PK\x01\x02".as_slice());
        let mut encrypted = plain.clone();
        for (signature, flags) in [(header, 6), (directory, 8)] {
            let at = plain.windows(4).position(|word| word == signature).unwrap();
            encrypted[at + flags] |= 1;
        }
        std::fs::write(&path, encrypted).unwrap();
        assert!(refused(&path).contains("`format.npy`: expected an array that is not encrypted"));
        let mut damaged = plain.clone();
        let at = plain.windows(4).position(|word| word == directory).unwrap();
        damaged[at] = 0;
        std::fs::write(&path, damaged).unwrap();
        assert!(refused(&path).contains("a.npz"));
    }
}
