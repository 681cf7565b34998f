//! Arrays of numbers from a file, straight into their place.
//!
//! A plain file is read in pieces by all threads at once, each into its part of the array; a compressed one as it is decompressed.
//! A graph owns its arrays, so that a mapped file would be copied once, too; and a file that another process shortens meanwhile is an
//! error here, where a mapping would end the process.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use bytemuck::Pod;
use pleach::runtime::par_items;

use crate::error::Error;
use crate::progress::Meter;
use crate::source::{fill, wrap};

/// Bytes that one task reads.
const PIECE: usize = 4 << 20;

/// A number as files hold it, the lowest byte first.
pub(crate) trait Number: Pod + Send + Sync {
    /// Turns the order of the bytes around.
    fn swapped(self) -> Self;
}

macro_rules! numbers {
    ($($number:ty),*) => {
        $(impl Number for $number {
            fn swapped(self) -> Self {
                Self::from_ne_bytes({
                    let mut bytes = self.to_ne_bytes();
                    bytes.reverse();
                    bytes
                })
            }
        })*
    };
}

numbers!(u8, u32, i32, u64, f64);

/// A binary file that is being read from its beginning to its end.
pub(crate) struct Binary {
    path: PathBuf,
    from: From,
    at: u64,
}

enum From {
    /// A plain file, its length, and how much of it was counted before.
    File {
        file: File,
        len: u64,
        meter: Meter,
        counted: u64,
    },
    Stream {
        reader: Box<dyn Read + Send>,
        compressed: bool,
    },
}

impl Binary {
    pub(crate) fn of_file(path: PathBuf, file: File, len: u64, meter: Meter, counted: u64) -> Binary {
        Binary { path, from: From::File { file, len, meter, counted }, at: 0 }
    }

    pub(crate) fn of_stream(path: PathBuf, reader: Box<dyn Read + Send>, compressed: bool) -> Binary {
        Binary { path, from: From::Stream { reader, compressed }, at: 0 }
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The length of a plain file.
    pub(crate) fn plain_len(&self) -> Option<u64> {
        match self.from {
            From::File { len, .. } => Some(len),
            From::Stream { .. } => None,
        }
    }

    /// How many bytes have been read.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// The error of something at `offset` that should not be.
    pub(crate) fn damaged(&self, offset: u64, reason: impl Into<String>) -> Error {
        Error::Damaged { path: self.path.clone(), offset, reason: reason.into() }
    }

    /// Reads `count` numbers, and the checksum (CRC-32) of their bytes. What memory it takes is bounded by what the file holds.
    pub(crate) fn array<T: Number>(&mut self, count: u64, what: &str) -> Result<(Vec<T>, u32), Error> {
        let begin = self.at;
        let wanted = count.checked_mul(size_of::<T>() as u64);
        let short = |found: u64| Error::Damaged {
            path: self.path.clone(),
            offset: begin,
            reason: format!("expected {count} {what}, but the file ends {found} bytes behind this place"),
        };
        let (mut numbers, sum) = match &mut self.from {
            From::File { file, len, meter, counted } => {
                let left = len.saturating_sub(begin);
                let Some(wanted) = wanted.filter(|&wanted| wanted <= left) else { return Err(short(left)) };
                let mut numbers = vec![T::zeroed(); count as usize];
                let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut numbers);
                let sums = read_pieces(file, bytes, begin, meter, *counted).map_err(|e| match e.kind() {
                    // It was longer when it was opened.
                    io::ErrorKind::UnexpectedEof => short(left),
                    _ => Error::io(&self.path, e),
                })?;
                self.at = begin + wanted;
                (numbers, combine(&sums))
            }
            From::Stream { reader, compressed } => {
                let mut numbers: Vec<T> = Vec::new();
                let mut sums = Vec::new();
                while (numbers.len() as u64) < count {
                    let old = numbers.len();
                    let more = (count - old as u64).min((PIECE / size_of::<T>()) as u64) as usize;
                    numbers.resize(old + more, T::zeroed());
                    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut numbers[old..]);
                    let got = fill(&mut **reader, bytes).map_err(|e| wrap(&self.path, *compressed, e))?;
                    if got < bytes.len() {
                        return Err(short((old * size_of::<T>() + got) as u64));
                    }
                    sums.push(checksum(bytes));
                }
                self.at = begin + (numbers.len() * size_of::<T>()) as u64;
                (numbers, combine(&sums))
            }
        };
        if cfg!(target_endian = "big") {
            numbers.iter_mut().for_each(|number| *number = number.swapped());
        }
        Ok((numbers, sum))
    }

    /// Moves over bytes that hold nothing of interest.
    pub(crate) fn skip(&mut self, bytes: u64, what: &str) -> Result<(), Error> {
        if let From::File { len, .. } = &self.from
            && self.at.checked_add(bytes).is_some_and(|end| end <= *len)
        {
            self.at += bytes;
            return Ok(());
        }
        let mut left = bytes;
        while left > 0 {
            let piece = left.min(PIECE as u64);
            self.array::<u8>(piece, what)?;
            left -= piece;
        }
        Ok(())
    }

    /// Refuses a file that goes on behind its end.
    pub(crate) fn finish(&mut self) -> Result<(), Error> {
        let more = match &mut self.from {
            From::File { len, .. } => *len > self.at,
            From::Stream { reader, compressed } => {
                fill(&mut **reader, &mut [0]).map_err(|e| wrap(&self.path, *compressed, e))? > 0
            }
        };
        match more {
            true => Err(self.damaged(self.at, "expected the end of the file, found more")),
            false => Ok(()),
        }
    }
}

/// The checksum of one piece, and its length.
pub(crate) fn checksum(bytes: &[u8]) -> crc32fast::Hasher {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(bytes);
    hasher
}

fn combine(pieces: &[crc32fast::Hasher]) -> u32 {
    let mut all = crc32fast::Hasher::new();
    pieces.iter().for_each(|piece| all.combine(piece));
    all.finalize()
}

/// The checksum of a stretch of a file, which is read piece by piece.
pub(crate) fn checksum_of(file: &File, stretch: Range<u64>) -> io::Result<u32> {
    let mut buffer = vec![0; PIECE];
    let (mut sum, mut at) = (crc32fast::Hasher::new(), stretch.start);
    while at < stretch.end {
        let piece = &mut buffer[..(stretch.end - at).min(PIECE as u64) as usize];
        read_at(file, piece, at)?;
        sum.update(piece);
        at += piece.len() as u64;
    }
    Ok(sum.finalize())
}

/// Fills `bytes` from `begin` of the file on, in parallel, and says where `meter` is beyond `counted`; the checksums of the pieces.
fn read_pieces(
    file: &File,
    bytes: &mut [u8],
    begin: u64,
    meter: &Meter,
    counted: u64,
) -> io::Result<Vec<crc32fast::Hasher>> {
    let pieces = par_items(bytes.chunks_mut(PIECE).enumerate().collect(), |(piece, bytes): (usize, &mut [u8])| {
        let at = begin + (piece * PIECE) as u64;
        read_at(file, bytes, at)?;
        meter.advance((at + bytes.len() as u64).saturating_sub(at.max(counted)));
        Ok(checksum(bytes))
    });
    pieces.into_iter().collect()
}

/// Fills `bytes` from `offset` of the file on, whatever else reads it.
pub(crate) fn read_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        #[cfg(unix)]
        let got = std::os::unix::fs::FileExt::read_at(file, bytes, offset);
        #[cfg(windows)]
        let got = std::os::windows::fs::FileExt::seek_read(file, bytes, offset);
        match got {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(got) => {
                bytes = &mut bytes[got..];
                offset += got as u64;
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Observer;

    #[test]
    #[cfg_attr(miri, ignore)]
    fn files_and_streams_give_the_same_arrays_and_sums() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers");
        let numbers: Vec<u32> = (0..3_000_000u32).map(|k| k.wrapping_mul(2_654_435_761)).collect();
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        std::fs::write(&path, &bytes).unwrap();
        let meter = Meter::new(&Observer::default(), 0);
        let file = Binary::of_file(path.clone(), File::open(&path).unwrap(), bytes.len() as u64, meter, 0);
        let stream = Binary::of_stream(path, Box::new(io::Cursor::new(bytes.clone())), false);
        for mut binary in [file, stream] {
            binary.skip(4, "numbers").unwrap();
            let (found, sum) = binary.array::<u32>(2_999_998, "numbers").unwrap();
            assert!(found == numbers[1..2_999_999]);
            assert_eq!(sum, crc32fast::hash(&bytes[4..bytes.len() - 4]));
            assert!(binary.finish().is_err());
            // Far more than there is: an error, not an allocation.
            let error = binary.array::<u64>(1 << 60, "numbers").unwrap_err();
            assert!(matches!(error, Error::Damaged { offset: 11_999_996, .. }), "{error}");
        }
    }

    #[test]
    fn bytes_are_turned_around() {
        assert_eq!(0x0102_0304u32.swapped(), 0x0403_0201);
        assert_eq!(f64::from_bits(0x3ff0_0000_0000_0000).swapped().to_bits(), 0xf03f);
    }
}
