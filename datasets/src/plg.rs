//! Pleach's own binary files (`.plg`): a header of text, then arrays of numbers in the layout that they have in memory.
//!
//! ```text
//!  offset 0   89 50 4c 47 0d 0a 1a 0a     signature: "\x89PLG", and line ends that a transfer as text would break
//!         8   version (u32), header length (u32), CRC-32 of the header's text (u32), 0 (u32)
//!        24   kind graph                  the header's text: what the file holds, a field a line …
//!             rows 34
//!             array offsets u64 35 256 1a2b3c4d         … then an array a line: name, type, length, offset, CRC-32
//!             array targets u32 156 576 5e6f7a8b
//!       256   …                           the arrays, the lowest byte first, each at a multiple of 64
//! ```
//!
//! Loading is reading the arrays to their place ([`Archive::read`]), as fast as memory takes them; each is held to its checksum,
//! and what is made of them is checked on top, so that a damaged file is an error. [`Archive`] carries any arrays; a graph is kept
//! as compressed sparse rows, its `kind` is `graph`:
//!
//! | field or array | what it holds |
//! |---|---|
//! | `rows`, `columns` | how many there are |
//! | `directed`, `mirrored` | `true` or `false`, as in [`Input`](crate::Input) |
//! | `first_id` | the id of coordinate 0, if ids have no gaps; otherwise the array `ids` (`u64`) has the id of each coordinate |
//! | `names` (`u8`) | instead of ids, where vertices have names: each in UTF-8, ended by a line end, in the order of their bytes |
//! | `offsets` (`u64`) | where each row begins in the others, and at last where the last ends |
//! | `targets` (`u32`), `weights` (`f64`) | of each arc; no weights in a graph without |
//!
//! What is written has the arcs of each row by ascending targets, each once, and the edges of an undirected graph at both ends: stores are built
//! from them without sorting. Files with other rows are read, too.
//!
//! A tensor's `kind` is `tensor`: `dims`, numbers separated by blanks, the arrays `mode0`, `mode1`, … (`u32`) of its coordinates,
//! and `values` (`f64`).

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use crate::binary::{Binary, Number};
use crate::error::Error;
use crate::progress::{Meter, Observer};
use crate::source::Source;
use crate::write::{Output, Target};

/// What every `.plg` begins with.
const SIGNATURE: &[u8; 8] = b"\x89PLG\r\n\x1a\n";
/// The version that is written, and the newest that is read.
const VERSION: u32 = 1;
/// Bytes before the header's text.
const FIXED: usize = 24;
/// Arrays begin at multiples of this.
const ALIGN: u64 = 64;
/// The longest header that is read.
const MAX_HEADER: u32 = 1 << 20;

pub(crate) fn has_signature(begin: &[u8]) -> bool {
    begin.starts_with(SIGNATURE)
}

/// The numbers of one array, owned or borrowed.
#[derive(Clone, Debug, PartialEq)]
pub enum Values<'a> {
    /// Bytes.
    U8(Cow<'a, [u8]>),
    /// 32 bits without sign.
    U32(Cow<'a, [u32]>),
    /// 32 bits with sign.
    I32(Cow<'a, [i32]>),
    /// 64 bits without sign.
    U64(Cow<'a, [u64]>),
    /// 64-bit floating point.
    F64(Cow<'a, [f64]>),
}

impl Values<'_> {
    fn kind(&self) -> &'static str {
        match self {
            Values::U8(_) => "u8",
            Values::U32(_) => "u32",
            Values::I32(_) => "i32",
            Values::U64(_) => "u64",
            Values::F64(_) => "f64",
        }
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        match self {
            Values::U8(v) => v.len(),
            Values::U32(v) => v.len(),
            Values::I32(v) => v.len(),
            Values::U64(v) => v.len(),
            Values::F64(v) => v.len(),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes as the file holds them.
    fn bytes(&self) -> Cow<'_, [u8]> {
        fn little<T: Number>(numbers: &[T]) -> Cow<'_, [u8]> {
            if cfg!(target_endian = "little") {
                return Cow::Borrowed(bytemuck::cast_slice(numbers));
            }
            let swapped: Vec<T> = numbers.iter().map(|n| n.swapped()).collect();
            Cow::Owned(bytemuck::cast_slice(&swapped).to_vec())
        }
        match self {
            Values::U8(v) => little(v),
            Values::U32(v) => little(v),
            Values::I32(v) => little(v),
            Values::U64(v) => little(v),
            Values::F64(v) => little(v),
        }
    }
}

macro_rules! values {
    ($($kind:ident $number:ty),*) => {$(
        impl<'a> From<&'a [$number]> for Values<'a> {
            fn from(numbers: &'a [$number]) -> Self {
                Values::$kind(Cow::Borrowed(numbers))
            }
        }

        impl From<Vec<$number>> for Values<'_> {
            fn from(numbers: Vec<$number>) -> Self {
                Values::$kind(Cow::Owned(numbers))
            }
        }

        impl TryFrom<Values<'_>> for Vec<$number> {
            type Error = WrongType;

            fn try_from(values: Values<'_>) -> Result<Self, WrongType> {
                match values {
                    Values::$kind(numbers) => Ok(numbers.into_owned()),
                    other => Err(WrongType { expected: stringify!($number), found: other.kind() }),
                }
            }
        }
    )*};
}

values!(U8 u8, U32 u32, I32 i32, U64 u64, F64 f64);

/// An array holds numbers of another type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected numbers of type {expected}, found {found}")]
pub struct WrongType {
    expected: &'static str,
    found: &'static str,
}

/// What a `.plg` holds: fields of text and arrays of numbers, under names of letters, digits and `_`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Archive<'a> {
    fields: Vec<(String, String)>,
    arrays: Vec<(String, Values<'a>)>,
}

/// Whether a name needs no escaping anywhere.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

impl<'a> Archive<'a> {
    /// An archive of something of this kind.
    pub fn new(kind: &str) -> Self {
        Archive::default().with("kind", kind)
    }

    /// Adds a field. Line ends and other control characters of its text become blanks.
    ///
    /// # Panics
    ///
    /// If `name` has other characters than letters, digits and `_`, or is `array`.
    pub fn with(mut self, name: &str, value: impl fmt::Display) -> Self {
        assert!(is_name(name) && name != "array", "`{name}` cannot name a field");
        let value = value.to_string().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        self.fields.push((name.to_owned(), value));
        self
    }

    /// Adds an array.
    ///
    /// # Panics
    ///
    /// If `name` has other characters than letters, digits and `_`.
    pub fn with_array(mut self, name: &str, values: impl Into<Values<'a>>) -> Self {
        assert!(is_name(name), "`{name}` cannot name an array");
        self.arrays.push((name.to_owned(), values.into()));
        self
    }

    /// The text of a field.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// What kind of thing this is: `graph`, `tensor`.
    pub fn kind(&self) -> &str {
        self.field("kind").unwrap_or_default()
    }

    /// Whether there is an array of this name.
    pub fn has(&self, name: &str) -> bool {
        self.arrays.iter().any(|(n, _)| n == name)
    }

    /// Takes an array out.
    pub fn take(&mut self, name: &str) -> Option<Values<'a>> {
        let at = self.arrays.iter().position(|(n, _)| n == name)?;
        Some(self.arrays.swap_remove(at).1)
    }

    /// Writes the archive, aside and then to its place; compressed if the name ends in `.gz` or `.zst`.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] with the file that could not be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        self.write_watched(Target::of(path.as_ref())?, &Observer::default())
    }

    /// As [`write`](Self::write), with the progress of it.
    pub(crate) fn write_watched(&self, target: Target<'_>, progress: &Observer) -> Result<(), Error> {
        let arrays: Vec<_> = self.arrays.iter().map(|(name, values)| (name, values, values.bytes())).collect();
        let mut fields = String::new();
        for (name, value) in &self.fields {
            fields += &format!("{name} {value}\n");
        }
        let sums: Vec<u32> = arrays.iter().map(|(_, _, bytes)| crc32fast::hash(bytes)).collect();
        let table = |first: u64| {
            let (mut text, mut at) = (fields.clone(), first);
            let mut places = Vec::new();
            for ((name, values, bytes), sum) in arrays.iter().zip(&sums) {
                text += &format!("array {name} {} {} {at} {sum:08x}\n", values.kind(), values.len());
                places.push(at);
                at = (at + bytes.len() as u64).next_multiple_of(ALIGN);
            }
            (text, places)
        };
        // The offsets stand in the text whose length they depend on: leave room for any of them.
        let room = table(u64::MAX / 2).0.len() + FIXED;
        let header = (room as u64).next_multiple_of(ALIGN);
        let (mut text, places) = table(header);
        text.extend(std::iter::repeat_n('\n', header as usize - FIXED - text.len()));
        let mut begin = SIGNATURE.to_vec();
        for number in [VERSION, header as u32, crc32fast::hash(text.as_bytes()), 0] {
            begin.extend(number.to_le_bytes());
        }
        begin.extend(text.as_bytes());
        let last = arrays.iter().zip(&places).map(|((_, _, bytes), place)| place + bytes.len() as u64).max();
        let mut output = Output::watched(target, Meter::new(progress, last.unwrap_or(header)))?;
        output.bytes(&begin)?;
        let mut at = header;
        for ((_, _, bytes), place) in arrays.iter().zip(places) {
            output.bytes(&[0; ALIGN as usize][..(place - at) as usize])?;
            output.bytes(bytes)?;
            at = place + bytes.len() as u64;
        }
        output.finish()
    }
}

impl Archive<'static> {
    /// An archive of these fields, without arrays.
    pub(crate) fn of_fields(fields: Vec<(String, String)>) -> Self {
        Archive { fields, arrays: Vec::new() }
    }

    /// Reads an archive, plain or compressed, all of it.
    ///
    /// # Errors
    ///
    /// [`Error`] with the place if the file is none, of a newer version, cut short, or damaged: every array has its checksum.
    pub fn read(path: impl AsRef<Path>, progress: &Observer) -> Result<Self, Error> {
        let path = path.as_ref();
        let size = std::fs::metadata(path).map_or(0, |m| m.len());
        let source = Source::open(path, &Meter::new(progress, size))?;
        Self::from_source(source)
    }

    pub(crate) fn from_source(source: Source) -> Result<Self, Error> {
        let mut file = source.into_binary();
        let header = Header::read(&mut file)?;
        let mut archive = Archive::of_fields(header.fields);
        for entry in header.arrays {
            let values = entry.read(&mut file)?;
            archive.arrays.push((entry.name, values));
        }
        file.finish()?;
        Ok(archive)
    }
}

/// The kind of what a file holds, by its header.
///
/// # Errors
///
/// As [`Archive::read`], as far as the header shows what is wrong.
pub fn kind(path: impl AsRef<Path>) -> Result<String, Error> {
    let source = Source::open(path.as_ref(), &Meter::new(&Observer::default(), 0))?;
    let header = Header::read(&mut source.into_binary())?;
    Ok(header.field("kind").unwrap_or_default().to_owned())
}

/// What stands before the arrays.
pub(crate) struct Header {
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) arrays: Vec<Entry>,
}

impl Header {
    /// Reads the header of a file from its beginning.
    pub(crate) fn read(file: &mut Binary) -> Result<Self, Error> {
        let (begin, _) = file.array::<u8>(8, "bytes of a .plg's signature")?;
        if begin != SIGNATURE {
            return Err(file.damaged(0, "expected the signature of a .plg file, found something else"));
        }
        let (numbers, _) = file.array::<u32>(4, "numbers of the header")?;
        let (version, length, sum) = (numbers[0], numbers[1], numbers[2]);
        if version != VERSION {
            return Err(file.damaged(8, format!("expected version {VERSION}, found {version}")));
        }
        if !(FIXED as u32..=MAX_HEADER).contains(&length) {
            return Err(file.damaged(12, format!("expected a header of {FIXED} to {MAX_HEADER} bytes, found {length}")));
        }
        let (text, found) = file.array::<u8>(u64::from(length) - FIXED as u64, "bytes of the header")?;
        if found != sum {
            return Err(file.damaged(16, format!("expected a header of checksum {sum:08x}, found {found:08x}")));
        }
        let odd = |file: &Binary, line: &str| {
            file.damaged(
                FIXED as u64,
                format!("expected a field or an array, found {}", crate::scan::quote(line.as_bytes())),
            )
        };
        let Ok(text) = String::from_utf8(text) else { return Err(odd(file, "text that is not UTF-8")) };
        let mut header = Header { fields: Vec::new(), arrays: Vec::new() };
        for line in text.lines().filter(|line| !line.is_empty()) {
            let Some((name, value)) = line.split_once(' ').filter(|(name, _)| is_name(name)) else {
                return Err(odd(file, line));
            };
            if name != "array" {
                header.fields.push((name.to_owned(), value.to_owned()));
                continue;
            }
            header.arrays.push(Entry::parse(value).ok_or_else(|| odd(file, line))?);
        }
        Ok(header)
    }

    /// The value of a field.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
    }

    /// An array.
    pub(crate) fn array(&self, name: &str) -> Option<&Entry> {
        self.arrays.iter().find(|entry| entry.name == name)
    }
}

/// A line of the header about an array.
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) count: u64,
    pub(crate) offset: u64,
    sum: u32,
}

/// The types of numbers, by their names in the header, and the bytes of each.
const TYPES: [(&str, u64); 5] = [("u8", 1), ("u32", 4), ("i32", 4), ("u64", 8), ("f64", 8)];

impl Entry {
    /// Where the array ends.
    pub(crate) fn end(&self) -> u64 {
        let bytes = TYPES.iter().find(|(kind, _)| *kind == self.kind).map_or(1, |(_, bytes)| *bytes);
        self.offset.saturating_add(self.count.saturating_mul(bytes))
    }

    /// Refuses an array of another checksum than that of the header.
    pub(crate) fn check(&self, path: &Path, found: u32) -> Result<(), Error> {
        let Entry { name, sum, offset, .. } = self;
        if found == *sum {
            return Ok(());
        }
        let reason = format!("expected the array `{name}` to have checksum {sum:08x}, found {found:08x}");
        Err(Error::Damaged { path: path.to_owned(), offset: *offset, reason })
    }

    fn parse(line: &str) -> Option<Entry> {
        let [name, kind, count, offset, sum] = line.split(' ').collect::<Vec<_>>()[..] else { return None };
        let sum = u32::from_str_radix(sum, 16).ok()?;
        let (name, kind) = (name.to_owned(), kind.to_owned());
        Some(Entry { name, kind, count: count.parse().ok()?, offset: offset.parse().ok()?, sum })
    }

    /// Reads the array, which is at the present place of the file or behind it.
    pub(crate) fn read(&self, file: &mut Binary) -> Result<Values<'static>, Error> {
        let (name, offset) = (&self.name, self.offset);
        let Some(gap) = offset.checked_sub(file.at()) else {
            return Err(file.damaged(offset, format!("expected the array `{name}` at offset {} or later", file.at())));
        };
        file.skip(gap, "bytes of padding")?;
        let what = format!("numbers of the array `{name}`");
        fn read<T: Number>(file: &mut Binary, count: u64, what: &str) -> Result<(Values<'static>, u32), Error>
        where
            Values<'static>: From<Vec<T>>,
        {
            file.array::<T>(count, what).map(|(numbers, sum)| (numbers.into(), sum))
        }
        let (values, sum) = match self.kind.as_str() {
            "u8" => read::<u8>(file, self.count, &what)?,
            "u32" => read::<u32>(file, self.count, &what)?,
            "i32" => read::<i32>(file, self.count, &what)?,
            "u64" => read::<u64>(file, self.count, &what)?,
            "f64" => read::<f64>(file, self.count, &what)?,
            other => {
                let reason = format!("the array `{name}` has the type `{other}`, expected u8, u32, i32, u64 or f64");
                return Err(file.damaged(FIXED as u64, reason));
            }
        };
        self.check(file.path(), sum)?;
        Ok(values)
    }
}
