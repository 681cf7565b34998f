//! Files with random access for several readers at once. A file that is compressed as a whole is decompressed first, into an unnamed temporary file
//! that the system removes when the last reader closes it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::binary::read_at;
use crate::error::Error;
use crate::source::{Source, wrap};

/// A file with a read position. Each clone has its own position.
#[derive(Clone, Debug)]
pub(crate) struct Opened {
    path: PathBuf,
    file: Arc<File>,
    len: u64,
    at: u64,
}

impl Opened {
    /// Opens the file of a source at its beginning, decompressed.
    pub(crate) fn of(source: Source) -> Result<Opened, Error> {
        let path = source.path().to_owned();
        let fault = |error| Error::io(&path, error);
        let (file, len) = if source.plain_len().is_some() {
            let file = File::open(&path).map_err(fault)?;
            let len = file.metadata().map_err(fault)?.len();
            (file, len)
        } else {
            let full = |error| Error::io(&std::env::temp_dir(), error);
            let mut file = tempfile::tempfile().map_err(full)?;
            let mut reader = source.into_reader();
            let (mut buffer, mut len) = (vec![0; 1 << 16], 0);
            loop {
                let got = reader.read(&mut buffer).map_err(|error| wrap(&path, true, error))?;
                if got == 0 {
                    break (file, len);
                }
                io::Write::write_all(&mut file, &buffer[..got]).map_err(full)?;
                len += got as u64;
            }
        };
        Ok(Opened { path, file: Arc::new(file), len, at: 0 })
    }

    /// The path of the file, for errors.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    #[cfg(feature = "tables")]
    pub(crate) fn size(&self) -> u64 {
        self.len
    }
}

impl Read for Opened {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let got = usize::try_from(self.len.saturating_sub(self.at)).unwrap_or(usize::MAX).min(bytes.len());
        read_at(&self.file, &mut bytes[..got], self.at)?;
        self.at += got as u64;
        Ok(got)
    }
}

impl Seek for Opened {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (from, by) = match to {
            SeekFrom::Start(at) => (at, 0),
            SeekFrom::End(by) => (self.len, by),
            SeekFrom::Current(by) => (self.at, by),
        };
        self.at = from.checked_add_signed(by).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

#[cfg(feature = "tables")]
impl parquet::file::reader::Length for Opened {
    fn len(&self) -> u64 {
        self.len
    }
}

#[cfg(feature = "tables")]
impl parquet::file::reader::ChunkReader for Opened {
    type T = io::BufReader<Opened>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        Ok(io::BufReader::new(Opened { at: start, ..self.clone() }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<bytes::Bytes> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.len) {
            return Err(parquet::errors::ParquetError::EOF(format!("expected {length} bytes at {start}")));
        }
        let mut buffer = vec![0; length];
        read_at(&self.file, &mut buffer, start)?;
        Ok(buffer.into())
    }
}
