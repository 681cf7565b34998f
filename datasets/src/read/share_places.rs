//! A file that is read at places. Of a compressed file it is decompressed what lies before a place, and not kept: that is cheap where places
//! increase.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::compress::Compression;
use crate::error::Error;
use crate::source::wrap;

/// Bytes that are read at a time where it is not known how many there are.
const PIECE: u64 = 64 << 10;

/// A file, and where it is read.
pub(super) struct Places {
    path: PathBuf,
    from: From,
}

enum From {
    Plain(File),
    /// What is decompressed, and how much of it was.
    Packed(Box<dyn Read + Send>, u64),
}

impl Places {
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let fault = |error| Error::io(path, error);
        let mut file = File::open(path).map_err(fault)?;
        let mut begin = Vec::new();
        Read::by_ref(&mut file).take(4).read_to_end(&mut begin).map_err(fault)?;
        let path = path.to_owned();
        let Some(compression) = Compression::of_content(&begin) else {
            return Ok(Places { path, from: From::Plain(file) });
        };
        let reader =
            compression.decoder(Box::new(io::Cursor::new(begin).chain(file))).map_err(|e| Error::io(&path, e))?;
        Ok(Places { path, from: From::Packed(reader, 0) })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Appends up to `count` bytes at a place: fewer if the file ends. What memory it takes is bounded by what the file holds.
    pub(super) fn read(&mut self, at: u64, count: u64, bytes: &mut Vec<u8>) -> Result<(), Error> {
        if matches!(self.from, From::Packed(_, behind) if behind > at) {
            *self = Places::open(&self.path)?;
        }
        let read = match &mut self.from {
            From::Plain(file) => file.seek(SeekFrom::Start(at)).and_then(|_| file.take(count).read_to_end(bytes)),
            From::Packed(reader, behind) => {
                let skipped = io::copy(&mut reader.take(at - *behind), &mut io::sink());
                skipped.and_then(|skipped| {
                    *behind += skipped;
                    let got = if *behind < at { 0 } else { reader.take(count).read_to_end(bytes)? };
                    *behind += got as u64;
                    Ok(got)
                })
            }
        };
        let packed = matches!(self.from, From::Packed(..));
        read.map(drop).map_err(|error| wrap(&self.path, packed, error))
    }

    /// Appends bytes at a place up to the end of the line that they are in, and before another place at any rate.
    pub(super) fn read_line(&mut self, mut at: u64, end: u64, bytes: &mut Vec<u8>) -> Result<(), Error> {
        while at < end {
            let searched = bytes.len();
            self.read(at, PIECE.min(end - at), bytes)?;
            if let Some(found) = memchr::memchr(b'\n', &bytes[searched..]) {
                bytes.truncate(searched + found + 1);
                return Ok(());
            }
            if bytes.len() == searched {
                return Ok(());
            }
            at += (bytes.len() - searched) as u64;
        }
        Ok(())
    }
}
