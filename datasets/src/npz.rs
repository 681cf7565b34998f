//! Matrices as `scipy.sparse.save_npz` writes them: a zip archive of NumPy arrays (`.npy`), among them `format` and `shape`.
//!
//! | format | arrays |
//! |---|---|
//! | `csr`, `csc`, `bsr` | `indptr`, `indices`, `data` |
//! | `coo` | `row`, `col` (or `coords`), `data` |
//! | `dia` | `offsets`, `data` |
//!
//! Values may be whole or floating-point numbers of any width, or truth values, of which a matrix has no weights. Matrices are written as
//! `csr`.

use std::io::{Cursor, Read, Seek, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::error::Error;
use crate::ids::IdMap;
use crate::input::Input;
use crate::progress::{Meter, Observer};
use crate::read::arcs::Arcs;
use crate::read::{Listing, Raw, check_proportion};
use crate::rows::Rows;
use crate::write::Output;

/// What a zip archive begins with.
pub(crate) const SIGNATURE: &[u8] = b"PK\x03\x04";

/// Bytes of a header of an array.
const MOST_HEADER: usize = 1 << 16;

/// An array: its shape and its numbers.
struct Array {
    shape: Vec<usize>,
    numbers: Numbers,
}

enum Numbers {
    Bool(Vec<bool>),
    Whole(Vec<i64>),
    Real(Vec<f64>),
    Text(String),
}

impl Numbers {
    fn len(&self) -> usize {
        match self {
            Numbers::Bool(v) => v.len(),
            Numbers::Whole(v) => v.len(),
            Numbers::Real(v) => v.len(),
            Numbers::Text(_) => 1,
        }
    }

    fn real(&self, at: usize) -> f64 {
        match self {
            Numbers::Bool(v) => f64::from(u8::from(v[at])),
            Numbers::Whole(v) => v[at] as f64,
            Numbers::Real(v) => v[at],
            Numbers::Text(_) => f64::NAN,
        }
    }
}

/// Reads the matrix in an archive.
pub(crate) fn read(path: &Path, bytes: Vec<u8>) -> Result<Raw, Error> {
    let wrong = |reason: String| Error::Damaged { path: path.to_owned(), offset: 0, reason };
    // Deflate packs at most about a thousand bytes into one.
    let limit = (bytes.len() as u64).saturating_mul(1100);
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| wrong(error.to_string()))?;
    let mut array = |name: &str| -> Result<Option<Array>, Error> {
        let named = format!("{name}.npy");
        if archive.index_for_name(&named).is_none() {
            return Ok(None);
        }
        let mut file = archive.by_name(&named).map_err(|error| wrong(format!("`{named}`: {error}")))?;
        let mut bytes = Vec::new();
        file.by_ref().take(limit).read_to_end(&mut bytes).map_err(|error| wrong(format!("`{named}`: {error}")))?;
        parse(&bytes).map(Some).map_err(|reason| wrong(format!("`{named}`: {reason}")))
    };
    let Some(Array { numbers: Numbers::Text(format), .. }) = array("format")? else {
        return Err(wrong("expected an array `format` of text, as scipy.sparse.save_npz writes it".to_owned()));
    };
    let whole = |name: &str, array: Option<Array>| -> Result<Vec<usize>, Error> {
        match array {
            Some(Array { numbers: Numbers::Whole(numbers), .. }) => {
                let numbers: Option<Vec<usize>> = numbers.into_iter().map(|n| usize::try_from(n).ok()).collect();
                numbers.ok_or_else(|| wrong(format!("expected numbers of 0 or more in `{name}`")))
            }
            _ => Err(wrong(format!("expected an array `{name}` of whole numbers"))),
        }
    };
    let shape = whole("shape", array("shape")?)?;
    let &[rows, cols] = &shape[..] else {
        return Err(Error::Order { path: path.to_owned(), order: shape.len() });
    };
    if rows.max(cols) > u32::MAX as usize {
        return Err(Error::TooManyVertices {
            what: crate::input::ROWS,
            path: path.to_owned(),
            vertices: rows.max(cols) as u64,
        });
    }
    let data = array("data")?.ok_or_else(|| wrong("expected an array `data`".to_owned()))?;
    let mut entries = Entries { rows, cols, arcs: Arcs { src: Vec::new(), dst: Vec::new(), weight: Vec::new() } };
    let outside = |(row, col): (usize, usize)| {
        wrong(format!("expected entries within {rows} × {cols}, found one at ({row}, {col})"))
    };
    match format.as_str() {
        "coo" => {
            let row = whole("row", array("row")?)?;
            let col = whole("col", array("col")?)?;
            if row.len() != col.len() || row.len() != data.numbers.len() {
                return Err(wrong("expected as many numbers in `row`, `col` and `data`".to_owned()));
            }
            for (k, (&row, &col)) in row.iter().zip(&col).enumerate() {
                entries.push(row, col, data.numbers.real(k)).map_err(outside)?;
            }
        }
        "csr" | "csc" | "bsr" => {
            let (indptr, indices) = (whole("indptr", array("indptr")?)?, whole("indices", array("indices")?)?);
            let (high, wide) = match (&format[..], &data.shape[..]) {
                ("bsr", &[_, high, wide]) if high > 0 && wide > 0 && high.checked_mul(wide).is_some() => (high, wide),
                ("bsr", _) => return Err(wrong("expected blocks in `data`".to_owned())),
                _ => (1, 1),
            };
            let lines = if format == "csc" { cols } else { rows / high };
            let fits = indptr.len() == lines + 1
                && indptr.first() == Some(&0)
                && indptr.is_sorted()
                && indptr.last() == Some(&indices.len())
                && indices.len().checked_mul(high * wide) == Some(data.numbers.len());
            if !fits {
                return Err(wrong(format!(
                    "expected {} offsets in `indptr` that ascend from 0 to the {} numbers of `indices`, and a value for each",
                    lines + 1,
                    indices.len()
                )));
            }
            for line in 0..lines {
                let held = indptr[line]..indptr[line + 1];
                for (at, &index) in held.clone().zip(&indices[held]) {
                    for block in 0..high * wide {
                        let value = data.numbers.real(at * high * wide + block);
                        let (row, col) = match format.as_str() {
                            "csc" => (index, line),
                            _ => (line * high + block / wide, index.saturating_mul(wide).saturating_add(block % wide)),
                        };
                        // The padding of blocks is no entry.
                        if value != 0.0 || high * wide == 1 {
                            entries.push(row, col, value).map_err(outside)?;
                        }
                    }
                }
            }
        }
        "dia" => {
            let (Some(Array { numbers: Numbers::Whole(offsets), .. }), &[diagonals, width]) =
                (array("offsets")?, &data.shape[..])
            else {
                return Err(wrong("expected whole numbers in `offsets`, and a row of `data` for each".to_owned()));
            };
            if offsets.len() != diagonals || diagonals.checked_mul(width) != Some(data.numbers.len()) {
                return Err(wrong("expected a row of `data` for each number of `offsets`".to_owned()));
            }
            for (diagonal, offset) in offsets.into_iter().enumerate() {
                for col in 0..width.min(cols) {
                    let row = (col as i64).checked_sub(offset).and_then(|row| usize::try_from(row).ok());
                    let value = data.numbers.real(diagonal * width + col);
                    if let Some(row) = row.filter(|&row| row < rows && value != 0.0) {
                        entries.push(row, col, value).map_err(outside)?;
                    }
                }
            }
        }
        other => return Err(wrong(format!("expected the format csr, csc, coo, bsr or dia, found `{other}`"))),
    }
    let Entries { mut arcs, .. } = entries;
    let weighted = !matches!(data.numbers, Numbers::Bool(_));
    if !weighted {
        arcs.weight = Vec::new();
    }
    if let Some(value) = arcs.weight.iter().find(|value| !value.is_finite()) {
        return Err(wrong(format!("expected finite numbers in `data`, found {value}")));
    }
    check_proportion(path, crate::input::ROWS, rows.max(cols) as u64, arcs.src.len() as u64)?;
    Ok(Raw {
        path: path.to_owned(),
        num_rows: rows,
        num_cols: cols,
        arcs,
        weighted,
        ids: IdMap::identity(rows.max(cols)),
        declared: None,
        listing: Listing::Once,
        notes: Vec::new(),
        extra: Default::default(),
    })
}

/// Entries of a matrix.
struct Entries {
    rows: usize,
    cols: usize,
    arcs: Arcs,
}

impl Entries {
    /// Adds an entry; its place is the error where it lies outside.
    fn push(&mut self, row: usize, col: usize, value: f64) -> Result<(), (usize, usize)> {
        if row >= self.rows || col >= self.cols {
            return Err((row, col));
        }
        self.arcs.src.push(row as u32);
        self.arcs.dst.push(col as u32);
        self.arcs.weight.push(value);
        Ok(())
    }
}

/// Reads an array of NumPy's format, version 1 to 3.
fn parse(bytes: &[u8]) -> Result<Array, String> {
    let version = bytes.strip_prefix(b"\x93NUMPY").and_then(|rest| rest.first()).ok_or("expected an array of NumPy")?;
    let (length, begin) = match (version, bytes) {
        (1, [_, _, _, _, _, _, _, _, a, b, ..]) => (usize::from(u16::from_le_bytes([*a, *b])), 10),
        (2 | 3, [_, _, _, _, _, _, _, _, a, b, c, d, ..]) => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, 12),
        _ => return Err(format!("expected version 1 to 3 of NumPy's format, found {version}")),
    };
    if length > MOST_HEADER || bytes.len() < begin + length {
        return Err("expected a whole header".to_owned());
    }
    let (header, data) = (String::from_utf8_lossy(&bytes[begin..begin + length]), &bytes[begin + length..]);
    let value = |key: &str| {
        let at = header.find(&format!("'{key}':"))? + key.len() + 3;
        Some(header[at..].trim_start())
    };
    let kind = value("descr").and_then(|rest| rest.strip_prefix('\'')?.split('\'').next());
    let kind = kind.ok_or("expected plain numbers")?;
    let fortran = value("fortran_order").is_some_and(|rest| rest.starts_with("True"));
    let shape = value("shape").and_then(|rest| rest.strip_prefix('(')?.split(')').next());
    let shape = shape.ok_or("expected a shape")?.split(',').map(str::trim).filter(|size| !size.is_empty());
    let shape = shape.map(|size| size.parse().map_err(|_| format!("expected sizes, found `{size}`")));
    let shape: Vec<usize> = shape.collect::<Result<_, _>>()?;
    if fortran && shape.len() > 1 {
        return Err("expected an array in the order of C, found one in the order of Fortran".to_owned());
    }
    let count =
        shape.iter().try_fold(1usize, |count, &size| count.checked_mul(size)).ok_or("the shape is too large")?;
    let (order, rest) = kind.split_at(kind.find(|c: char| !matches!(c, '<' | '>' | '|' | '=')).unwrap_or(0));
    let width: usize = rest
        .get(1..)
        .and_then(|width| width.parse().ok())
        .ok_or_else(|| format!("expected numbers, found `{kind}`"))?;
    let size = if rest.starts_with('U') { 4 * width } else { width };
    if size == 0 || count.checked_mul(size) != Some(data.len()) {
        return Err(format!("expected {count} numbers of {size} bytes, found {} bytes", data.len()));
    }
    let swapped = |bytes: &[u8]| -> [u8; 8] {
        let mut wide = [0; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        if order == ">" {
            wide[..bytes.len()].reverse();
        }
        wide
    };
    let sign = |wide: [u8; 8]| (i64::from_le_bytes(wide) << (64 - 8 * width)) >> (64 - 8 * width);
    let each = || data.chunks_exact(size);
    let numbers = match (&rest[..1], width) {
        ("b", 1) => Numbers::Bool(each().map(|b| b[0] != 0).collect()),
        ("i", 1 | 2 | 4 | 8) => Numbers::Whole(each().map(|b| sign(swapped(b))).collect()),
        ("u", 1 | 2 | 4) => Numbers::Whole(each().map(|b| i64::from_le_bytes(swapped(b))).collect()),
        ("u", 8) => Numbers::Real(each().map(|b| u64::from_le_bytes(swapped(b)) as f64).collect()),
        ("f", 4) => {
            let single = |wide: [u8; 8]| f32::from_le_bytes([wide[0], wide[1], wide[2], wide[3]]);
            Numbers::Real(each().map(|b| f64::from(single(swapped(b)))).collect())
        }
        ("f", 8) => Numbers::Real(each().map(|b| f64::from_le_bytes(swapped(b))).collect()),
        ("S", _) if count == 1 => Numbers::Text(String::from_utf8_lossy(data).trim_end_matches('\0').to_owned()),
        ("U", _) if count == 1 => {
            let chars = data.chunks_exact(4).map(|b| u32::from_le_bytes(*b.first_chunk().expect("four bytes")));
            Numbers::Text(chars.filter_map(char::from_u32).filter(|&c| c != '\0').collect())
        }
        ("c", _) => return Err("complex matrices are not supported: expected real, whole or truth values".to_owned()),
        _ => return Err(format!("expected whole or real numbers, found `{kind}`")),
    };
    Ok(Array { shape, numbers })
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
pub(crate) fn write(input: &Input, path: &Path, progress: &Observer) -> Result<(), Error> {
    let edges = &input.edges;
    let size = edges.num_rows().max(edges.num_cols());
    let (rows, cols) = if input.mirrored { (size, size) } else { (edges.num_rows(), edges.num_cols()) };
    let Rows { offsets, targets, weights } =
        Rows::of(input).map_err(|error| Error::CannotWrite { path: path.to_owned(), reason: error.to_string() })?;
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
    archive(path, arrays, !narrow, progress)
}

/// The array of extents.
fn sizes(rows: usize, cols: usize) -> Vec<u8> {
    let sizes: Vec<u8> = [rows as u64, cols as u64].into_iter().flat_map(u64::to_le_bytes).collect();
    array("<i8", "(2,)", &sizes)
}

/// Bytes that are compressed between two reports of progress.
const PIECE: usize = 1 << 20;

/// Writes arrays, which are `large` if they may take 4 GiB.
fn archive(path: &Path, arrays: Vec<(&str, Vec<u8>)>, large: bool, progress: &Observer) -> Result<(), Error> {
    let failed = |error: zip::result::ZipError| Error::Io { path: path.to_owned(), source: error.into() };
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated).large_file(large);
    let meter = Meter::new(progress, arrays.iter().map(|(_, bytes)| bytes.len() as u64).sum());
    for (name, bytes) in arrays {
        zip.start_file(format!("{name}.npy"), options).map_err(failed)?;
        for piece in bytes.chunks(PIECE) {
            zip.write_all(piece).map_err(|error| Error::io(path, error))?;
            meter.advance(piece.len() as u64);
        }
    }
    let mut file = zip.finish().map_err(failed)?;
    file.rewind().map_err(|error| Error::io(path, error))?;
    let mut output = Output::create(path)?;
    output.bytes(file.get_ref())?;
    output.finish()
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
    let large = arrays.iter().any(|(_, bytes)| bytes.len() >= u32::MAX as usize);
    archive(path.as_ref(), arrays, large, &Observer::default())
}
