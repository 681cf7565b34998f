//! Arrays of NumPy's format in a zip archive, read number by number.

use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zip::{CompressionMethod, ZipArchive};

use crate::error::Error;
use crate::read::opened::Opened;

/// Most bytes of the header of an array.
const MOST_HEADER: usize = 1 << 16;

/// Most bytes of a text.
const MOST_TEXT: u64 = 1 << 16;

/// Numbers that are read at a time.
const PIECE: u64 = 1 << 13;

/// An archive that can be read at several places at once.
#[derive(Clone, Debug)]
pub(super) enum Archive {
    File(Opened),
    /// Bytes, with the path of their file for errors.
    Memory(PathBuf, Bytes),
}

/// The bytes of a file.
#[derive(Clone, Debug)]
pub(super) struct Bytes(pub(super) Arc<Vec<u8>>);

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

trait Seekable: Read + Seek + Send {}
impl<T: Read + Seek + Send> Seekable for T {}

impl Archive {
    pub(super) fn path(&self) -> &Path {
        match self {
            Archive::File(file) => file.path(),
            Archive::Memory(path, _) => path,
        }
    }

    /// An error about this archive.
    pub(super) fn wrong(&self, reason: impl Into<String>) -> Error {
        Error::Damaged { path: self.path().to_owned(), offset: 0, reason: reason.into() }
    }

    fn open(&self) -> Box<dyn Seekable> {
        match self {
            Archive::File(file) => Box::new(file.clone()),
            Archive::Memory(_, bytes) => Box::new(Cursor::new(bytes.clone())),
        }
    }

    /// Opens an array by its name and reads its header; `None` if there is none.
    pub(super) fn array(&self, name: &str) -> Result<Option<Array>, Error> {
        let named = format!("{name}.npy");
        let mut archive = ZipArchive::new(self.open()).map_err(|error| self.wrong(error.to_string()))?;
        if archive.index_for_name(&named).is_none() {
            return Ok(None);
        }
        let wrong = |reason: String| self.wrong(format!("`{named}`: {reason}"));
        let (begin, packed, size, sum, method) = {
            let file = archive.by_name(&named).map_err(|error| wrong(error.to_string()))?;
            let begin = file.data_start().ok_or_else(|| wrong("expected a place of the array".to_owned()))?;
            (begin, file.compressed_size(), file.size(), file.crc32(), file.compression())
        };
        let mut file = archive.into_inner();
        file.seek(SeekFrom::Start(begin)).map_err(|error| Error::io(self.path(), error))?;
        let packed = BufReader::new(file.take(packed));
        let from: Box<dyn Read + Send> = match method {
            CompressionMethod::Stored => Box::new(packed),
            CompressionMethod::Deflated => Box::new(flate2::read::DeflateDecoder::new(packed)),
            other => return Err(wrong(format!("expected an array that is stored or deflated, found {other}"))),
        };
        let bytes = Stored { from, sum: crc32fast::Hasher::new() };
        Array::open(self.clone(), name, bytes, (size, sum)).map(Some)
    }
}

/// Reads the bytes of an array and computes their checksum.
struct Stored {
    from: Box<dyn Read + Send>,
    sum: crc32fast::Hasher,
}

impl Stored {
    fn fill(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.from.read_exact(bytes)?;
        self.sum.update(bytes);
        Ok(())
    }
}

/// The type of the values of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    Signed,
    Unsigned,
    Real,
    /// Characters of one byte, or of four bytes.
    Bytes,
    Chars,
}

/// The header of an array.
#[derive(Debug)]
struct Header {
    shape: Vec<usize>,
    kind: Kind,
    /// Whether numbers are big-endian.
    swapped: bool,
    /// Bytes of a number.
    size: usize,
    count: u64,
}

/// An array whose numbers are read one after the other.
pub(super) struct Array {
    archive: Archive,
    name: String,
    header: Header,
    bytes: Stored,
    /// The checksum that the archive states.
    sum: u32,
    /// The number of values not yet read, and the bytes that were read and not yet returned.
    left: u64,
    piece: Vec<u8>,
    at: usize,
}

impl Array {
    fn open(archive: Archive, name: &str, mut bytes: Stored, (size, sum): (u64, u32)) -> Result<Array, Error> {
        let wrong = |reason: String| archive.wrong(format!("`{name}.npy`: {reason}"));
        let (text, read) = read_header(&mut bytes).map_err(wrong)?;
        let header = Header::parse(&text).map_err(wrong)?;
        let wanted = header.count.checked_mul(header.size as u64);
        let found = size.saturating_sub(read);
        if wanted != Some(found) {
            let Header { count, size, .. } = header;
            return Err(wrong(format!("expected {count} numbers of {size} bytes, found {found} bytes")));
        }
        let left = header.count;
        Ok(Array { archive, name: name.to_owned(), header, bytes, sum, left, piece: Vec::new(), at: 0 })
    }

    pub(super) fn shape(&self) -> &[usize] {
        &self.header.shape
    }

    /// How many numbers there are.
    pub(super) fn len(&self) -> u64 {
        self.header.count
    }

    pub(super) fn is_bool(&self) -> bool {
        self.header.kind == Kind::Bool
    }

    fn wrong(&self, reason: String) -> Error {
        self.archive.wrong(format!("`{}.npy`: {reason}", self.name))
    }

    /// The array, if it holds integers that fit `i64`.
    pub(super) fn of_whole(self) -> Result<Self, Error> {
        let Header { kind, size, .. } = self.header;
        match kind == Kind::Signed || kind == Kind::Unsigned && size < 8 {
            true => Ok(self),
            false => Err(self.archive.wrong(format!("expected an array `{}` of whole numbers", self.name))),
        }
    }

    /// The array, if it holds numbers or booleans.
    pub(super) fn of_numbers(self) -> Result<Self, Error> {
        match self.header.kind {
            Kind::Bytes | Kind::Chars => Err(self.wrong("expected whole or real numbers, found text".to_owned())),
            _ => Ok(self),
        }
    }

    /// The text of an array that holds a single one; `None` if it holds something else.
    pub(super) fn text(mut self) -> Result<Option<String>, Error> {
        let bytes = self.header.count.saturating_mul(self.header.size as u64);
        let is_text = matches!(self.header.kind, Kind::Bytes | Kind::Chars) && self.header.count == 1;
        if !is_text || bytes > MOST_TEXT {
            return Ok(None);
        }
        self.more()?;
        Ok(Some(match self.header.kind {
            Kind::Bytes => String::from_utf8_lossy(&self.piece).trim_end_matches('\0').to_owned(),
            _ => {
                let chars = self.piece.as_chunks::<4>().0.iter().map(|&bytes| u32::from_le_bytes(bytes));
                chars.filter_map(char::from_u32).filter(|&c| c != '\0').collect()
            }
        }))
    }

    /// Reads more numbers.
    fn more(&mut self) -> Result<(), Error> {
        let count = self.left.min(PIECE);
        self.piece.resize(count as usize * self.header.size, 0);
        if count == 0 {
            return Err(self.wrong("expected more numbers".to_owned()));
        }
        self.bytes.fill(&mut self.piece).map_err(|error| self.wrong(error.to_string()))?;
        (self.left, self.at) = (self.left - count, 0);
        match self.left > 0 || self.bytes.sum.clone().finalize() == self.sum {
            true => Ok(()),
            false => Err(self.wrong("expected numbers that have the checksum of the archive".to_owned())),
        }
    }

    /// The bytes of the next number in little-endian order, padded with zeros.
    fn next(&mut self) -> Result<[u8; 8], Error> {
        if self.at == self.piece.len() {
            self.more()?;
        }
        let Header { size, swapped, .. } = self.header;
        let mut wide = [0; 8];
        wide[..size].copy_from_slice(&self.piece[self.at..self.at + size]);
        if swapped {
            wide[..size].reverse();
        }
        self.at += size;
        Ok(wide)
    }

    /// The next number of an array [of whole ones](Self::of_whole).
    pub(super) fn signed(&mut self) -> Result<i64, Error> {
        let number = i64::from_le_bytes(self.next()?);
        let spare = 64 - 8 * self.header.size as u32;
        Ok(if self.header.kind == Kind::Signed { number << spare >> spare } else { number })
    }

    /// Skips `count` numbers.
    pub(super) fn skip(&mut self, count: u64) -> Result<(), Error> {
        (0..count).try_for_each(|_| self.next().map(|_| ()))
    }

    /// The next number of an array [of whole ones](Self::of_whole), which must not be negative.
    pub(super) fn whole(&mut self) -> Result<u64, Error> {
        let number = self.signed()?;
        let expected = || self.archive.wrong(format!("expected numbers of 0 or more in `{}`", self.name));
        u64::try_from(number).map_err(|_| expected())
    }

    /// The next number of an array [of numbers](Self::of_numbers).
    pub(super) fn real(&mut self) -> Result<f64, Error> {
        Ok(match (self.header.kind, self.header.size) {
            (Kind::Real, 4) => {
                let [a, b, c, d, ..] = self.next()?;
                f64::from(f32::from_le_bytes([a, b, c, d]))
            }
            (Kind::Real, _) => f64::from_le_bytes(self.next()?),
            (Kind::Unsigned, _) => u64::from_le_bytes(self.next()?) as f64,
            (Kind::Bool, _) => f64::from(u8::from(self.next()?[0] != 0)),
            _ => self.signed()? as f64,
        })
    }
}

/// Reads the header (version 1 to 3 of NumPy's format). Also returns its length in bytes.
fn read_header(bytes: &mut Stored) -> Result<(String, u64), String> {
    let whole = |_| "expected a whole header".to_owned();
    let mut begin = [0; 8];
    bytes.fill(&mut begin).map_err(|_| "expected an array of NumPy".to_owned())?;
    let [magic @ .., version, _] = begin;
    if magic != *b"\x93NUMPY" {
        return Err("expected an array of NumPy".to_owned());
    }
    let mut length = [0; 4];
    let width = match version {
        1 => 2,
        2 | 3 => 4,
        _ => return Err(format!("expected version 1 to 3 of NumPy's format, found {version}")),
    };
    bytes.fill(&mut length[..width]).map_err(whole)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MOST_HEADER {
        return Err("expected a whole header".to_owned());
    }
    let mut text = vec![0; length];
    bytes.fill(&mut text).map_err(whole)?;
    Ok((String::from_utf8_lossy(&text).into_owned(), (8 + width + length) as u64))
}

impl Header {
    fn parse(header: &str) -> Result<Header, String> {
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
        let count = shape.iter().try_fold(1u64, |count, &size| count.checked_mul(size as u64));
        let count = count.ok_or("the shape is too large")?;
        let (order, rest) = kind.split_at(kind.find(|c: char| !matches!(c, '<' | '>' | '|' | '=')).unwrap_or(0));
        let (kind, size) = Kind::parse(rest, count).ok_or_else(|| match rest.starts_with('c') {
            true => "complex matrices are not supported: expected real, whole or truth values".to_owned(),
            false => format!("expected whole or real numbers, found `{kind}`"),
        })?;
        Ok(Header { shape, kind, swapped: order == ">" && kind != Kind::Chars, size, count })
    }
}

impl Kind {
    /// The type of values from its letter and size, and the number of bytes of one value.
    fn parse(text: &str, count: u64) -> Option<(Kind, usize)> {
        let width: usize = text.get(1..)?.parse().ok()?;
        let kind = match (text.as_bytes()[0], width) {
            (b'b', 1) => Kind::Bool,
            (b'i', 1 | 2 | 4 | 8) => Kind::Signed,
            (b'u', 1 | 2 | 4 | 8) => Kind::Unsigned,
            (b'f', 4 | 8) => Kind::Real,
            (b'S', 1..) if count == 1 => Kind::Bytes,
            (b'U', 1..) if count == 1 => return Some((Kind::Chars, width.checked_mul(4)?)),
            _ => return None,
        };
        Some((kind, width))
    }
}
