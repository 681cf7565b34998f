//! Arrays of NumPy's format in a zip archive, decoded a piece at a time.

use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rawzip::{CompressionMethod, RECOMMENDED_BUFFER_SIZE, ZipArchive, ZipFileHeaderRecord};

use crate::error::{Error, counted};
use crate::read::opened::Opened;
use crate::scan::real_of;

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
        Error::Archive { path: self.path().to_owned(), reason: reason.into() }
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
        let damaged = |error: rawzip::Error| self.wrong(error.to_string());
        let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
        let archive = ZipArchive::from_seekable(self.open(), &mut buffer).map_err(damaged)?;
        let mut entries = archive.entries(&mut buffer);
        let mut last = None;
        // As in Python, the last of several entries of one name counts.
        while let Some(entry) = entries.next_entry().map_err(damaged)? {
            if entry.file_path().as_ref() == named.as_bytes() {
                last = Some(Place::of(&entry));
            }
        }
        let Some(Place { wayfinder, size, sum, method, encrypted }) = last else { return Ok(None) };
        let wrong = |reason: String| self.wrong(format!("`{named}`: {reason}"));
        if encrypted {
            return Err(wrong("expected an array that is not encrypted".to_owned()));
        }
        let (begin, end) =
            archive.get_entry(wayfinder).map_err(|error| wrong(error.to_string()))?.compressed_data_range();
        let mut file = archive.into_inner().into_inner();
        file.seek(SeekFrom::Start(begin)).map_err(|error| Error::io(self.path(), error))?;
        let packed = BufReader::new(file.take(end - begin));
        let from: Box<dyn Read + Send> = match method {
            CompressionMethod::STORE => Box::new(packed),
            CompressionMethod::DEFLATE => Box::new(flate2::read::DeflateDecoder::new(packed)),
            other => return Err(wrong(format!("expected an array that is stored or deflated, found {other}"))),
        };
        let bytes = Stored { from, sum: crc32fast::Hasher::new() };
        Array::open(self.clone(), name, bytes, (size, sum)).map(Some)
    }
}

/// What the directory of an archive says of an entry.
struct Place {
    wayfinder: rawzip::ZipArchiveEntryWayfinder,
    /// The bytes and the checksum of what is stored.
    size: u64,
    sum: u32,
    method: CompressionMethod,
    encrypted: bool,
}

impl Place {
    fn of(entry: &ZipFileHeaderRecord<'_>) -> Place {
        Place {
            wayfinder: entry.wayfinder(),
            size: entry.uncompressed_size_hint(),
            sum: entry.crc32(),
            method: entry.compression_method(),
            encrypted: entry.flags().is_encrypted(),
        }
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
    /// The type of the values as NumPy writes it: `<f8`.
    named: String,
    kind: Kind,
    /// Whether numbers are big-endian.
    swapped: bool,
    /// Whether the first index of several runs fastest.
    fortran: bool,
    /// Bytes of a number.
    size: usize,
    count: u64,
}

/// An array whose bytes are read a piece at a time.
pub(super) struct Array {
    archive: Archive,
    name: String,
    header: Header,
    bytes: Stored,
    /// The checksum of all bytes.
    sum: u32,
    /// The number of values not yet read, and the bytes that were read last.
    left: u64,
    piece: Vec<u8>,
}

impl Array {
    fn open(archive: Archive, name: &str, mut bytes: Stored, (size, sum): (u64, u32)) -> Result<Array, Error> {
        let wrong = |reason: String| archive.wrong(format!("`{name}.npy`: {reason}"));
        let (text, read) = read_header(&mut bytes).map_err(wrong)?;
        let header = Header::parse(&text).map_err(wrong)?;
        let wanted = header.count.checked_mul(header.size as u64);
        let found = size.saturating_sub(read);
        if wanted != Some(found) {
            let (numbers, width) = (counted(header.count, "number", "numbers"), header.size as u64);
            let (width, found) = (counted(width, "byte", "bytes"), counted(found, "byte", "bytes"));
            return Err(wrong(format!("expected {numbers} of {width}, found {found}")));
        }
        let left = header.count;
        let array = Array { archive, name: name.to_owned(), header, bytes, sum, left, piece: Vec::new() };
        if array.header.fortran { array.in_order_of_c() } else { Ok(array) }
    }

    /// The same array, whose numbers are read in the order in which the last index runs fastest. They are all in memory.
    fn in_order_of_c(mut self) -> Result<Array, Error> {
        let Header { ref shape, size, count, .. } = self.header;
        let mut bytes = Vec::new();
        let whole = (&mut self.bytes.from).take(count * size as u64).read_to_end(&mut bytes);
        whole.map_err(|error| self.wrong(error.to_string()))?;
        self.bytes.sum.update(&bytes);
        if bytes.len() as u64 != count * size as u64 || self.bytes.sum.clone().finalize() != self.sum {
            return Err(self.unlike_its_sum());
        }
        let mut ordered = Vec::with_capacity(bytes.len());
        let mut index = vec![0; shape.len()];
        for _ in 0..count {
            let at = index.iter().zip(shape).rev().fold(0, |at, (&i, &extent)| at * extent + i);
            ordered.extend_from_slice(&bytes[at * size..][..size]);
            for (i, &extent) in index.iter_mut().zip(shape).rev() {
                *i += 1;
                if *i < extent {
                    break;
                }
                *i = 0;
            }
        }
        let sum = crc32fast::hash(&ordered);
        let bytes = Stored { from: Box::new(Cursor::new(ordered)), sum: crc32fast::Hasher::new() };
        Ok(Array { bytes, sum, ..self })
    }

    pub(super) fn shape(&self) -> &[usize] {
        &self.header.shape
    }

    /// How many values there are.
    pub(super) fn len(&self) -> u64 {
        self.header.count
    }

    pub(super) fn is_bool(&self) -> bool {
        self.header.kind == Kind::Bool
    }

    fn wrong(&self, reason: String) -> Error {
        self.archive.wrong(format!("`{}.npy`: {reason}", self.name))
    }

    fn unlike_its_sum(&self) -> Error {
        self.wrong("expected numbers that have the checksum of the archive".to_owned())
    }

    /// The array, if it has no more than one dimension.
    pub(super) fn of_one_dimension(self) -> Result<Self, Error> {
        match self.header.shape.len() {
            0 | 1 => Ok(self),
            more => Err(self.wrong(format!("expected an array of 1 dimension, found one of {more}"))),
        }
    }

    /// The numbers of an array of whole ones.
    pub(super) fn of_whole(self) -> Result<Numbers<i64>, Error> {
        match self.header.kind {
            Kind::Signed | Kind::Unsigned => {
                Ok(Numbers { array: self, decode: Array::decode_whole, piece: Vec::new(), at: 0, rounded: false })
            }
            _ => Err(self.wrong(format!("expected whole numbers, found the type `{}`", self.header.named))),
        }
    }

    /// The numbers of an array of whole or real ones, or of booleans, which are 0 if they are false.
    pub(super) fn of_numbers(self) -> Result<Numbers<f64>, Error> {
        match self.header.kind {
            Kind::Bytes | Kind::Chars => Err(self.wrong("expected whole or real numbers, found text".to_owned())),
            _ => Ok(Numbers { array: self, decode: Array::decode_real, piece: Vec::new(), at: 0, rounded: false }),
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

    /// Reads more values.
    fn more(&mut self) -> Result<(), Error> {
        let count = self.left.min(PIECE);
        self.piece.resize(count as usize * self.header.size, 0);
        if count == 0 {
            return Err(self.wrong("expected more numbers".to_owned()));
        }
        self.bytes.fill(&mut self.piece).map_err(|error| self.wrong(error.to_string()))?;
        self.left -= count;
        match self.left > 0 || self.bytes.sum.clone().finalize() == self.sum {
            true => Ok(()),
            false => Err(self.unlike_its_sum()),
        }
    }

    /// Decodes the numbers of the current piece, which take `N` bytes each.
    fn decode<const N: usize, T>(&self, into: &mut Vec<T>, mut number: impl FnMut([u8; N]) -> T) {
        into.clear();
        let all = self.piece.as_chunks::<N>().0.iter();
        match self.header.swapped {
            false => into.extend(all.map(|&bytes| number(bytes))),
            true => into.extend(all.map(|bytes| {
                let mut bytes = *bytes;
                bytes.reverse();
                number(bytes)
            })),
        }
    }

    /// Decodes whole numbers of any type, and booleans.
    fn decode_any_whole<T>(&self, into: &mut Vec<T>, mut number: impl FnMut(i128) -> T) {
        match (self.header.kind, self.header.size) {
            (Kind::Signed, 1) => self.decode(into, |bytes| number(i8::from_le_bytes(bytes).into())),
            (Kind::Signed, 2) => self.decode(into, |bytes| number(i16::from_le_bytes(bytes).into())),
            (Kind::Signed, 4) => self.decode(into, |bytes| number(i32::from_le_bytes(bytes).into())),
            (Kind::Signed, _) => self.decode(into, |bytes| number(i64::from_le_bytes(bytes).into())),
            (_, 1) => self.decode(into, |bytes| number(u8::from_le_bytes(bytes).into())),
            (_, 2) => self.decode(into, |bytes| number(u16::from_le_bytes(bytes).into())),
            (_, 4) => self.decode(into, |bytes| number(u32::from_le_bytes(bytes).into())),
            _ => self.decode(into, |bytes| number(u64::from_le_bytes(bytes).into())),
        }
    }

    fn decode_whole(&self, into: &mut Vec<i64>, _: &mut bool) -> Result<(), Error> {
        let mut large = None;
        let number = |whole: i128| i64::try_from(whole).unwrap_or_else(|_| *large.insert(whole) as i64);
        self.decode_any_whole(into, number);
        match large {
            None => Ok(()),
            Some(large) => Err(self.wrong(format!("expected whole numbers below 2^63, found {large}"))),
        }
    }

    fn decode_real(&self, into: &mut Vec<f64>, rounded: &mut bool) -> Result<(), Error> {
        match (self.header.kind, self.header.size) {
            (Kind::Real, 4) => self.decode(into, |bytes| f64::from(f32::from_le_bytes(bytes))),
            (Kind::Real, _) => self.decode(into, f64::from_le_bytes),
            _ => self.decode_any_whole(into, |whole| real_of(whole, rounded)),
        }
        Ok(())
    }
}

/// The numbers of an array, which are read one after the other.
pub(super) struct Numbers<T> {
    array: Array,
    /// Decodes a piece.
    decode: fn(&Array, &mut Vec<T>, &mut bool) -> Result<(), Error>,
    /// The current piece, and how many of its numbers were returned.
    piece: Vec<T>,
    at: usize,
    /// Whether a whole number was rounded so far.
    rounded: bool,
}

impl<T: Copy> Numbers<T> {
    pub(super) fn array(&self) -> &Array {
        &self.array
    }

    /// How many numbers there are.
    pub(super) fn len(&self) -> u64 {
        self.array.len()
    }

    /// Whether a whole number was rounded so far.
    pub(super) fn rounded(&self) -> bool {
        self.rounded
    }

    /// The next number.
    #[inline]
    pub(super) fn next(&mut self) -> Result<T, Error> {
        if self.at == self.piece.len() {
            self.array.more()?;
            (self.decode)(&self.array, &mut self.piece, &mut self.rounded)?;
            self.at = 0;
        }
        self.at += 1;
        Ok(self.piece[self.at - 1])
    }

    /// Skips `count` numbers.
    pub(super) fn skip(&mut self, count: u64) -> Result<(), Error> {
        (0..count).try_for_each(|_| self.next().map(|_| ()))
    }
}

impl Numbers<i64> {
    /// The next number, which must not be negative.
    #[inline]
    pub(super) fn whole(&mut self) -> Result<u64, Error> {
        let number = self.next()?;
        u64::try_from(number).map_err(|_| self.array.wrong(format!("expected numbers of 0 or more, found {number}")))
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
        let count = shape.iter().try_fold(1u64, |count, &size| count.checked_mul(size as u64));
        let count = count.ok_or("the shape is too large")?;
        let (order, rest) = kind.split_at(kind.find(|c: char| !matches!(c, '<' | '>' | '|' | '=')).unwrap_or(0));
        let (named, fortran) = (kind.to_owned(), fortran && shape.len() > 1);
        let (kind, size) = Kind::parse(rest, count).ok_or_else(|| match rest {
            "f10" | "f12" | "f16" => format!(
                "expected real numbers of 8 bytes or less, found long doubles (`{named}`): `matrix.astype(\"float64\")` \
                 is what can be read"
            ),
            _ if rest.starts_with('c') => {
                "complex matrices are not supported: expected real, whole or truth values".to_owned()
            }
            _ => format!("expected whole or real numbers, found the type `{named}`"),
        })?;
        Ok(Header { shape, named, kind, swapped: order == ">" && kind != Kind::Chars, fortran, size, count })
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
