//! Compressed files: recognised by their first bytes. A name that says a file is compressed must be right.

use std::io::{self, BufReader, Read, Write};
use std::path::Path;

/// Bytes that a decoder reads from the file at a time.
const BUFFER: usize = 1 << 18;

/// Kibibytes that decompressing an .xz may take: its strongest setting needs 64 MiB.
const XZ_MEMORY: u32 = 1 << 18;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    Gzip,
    Zstd,
    Xz,
    Bzip2,
}

impl Compression {
    pub(crate) const ALL: [Compression; 4] =
        [Compression::Gzip, Compression::Zstd, Compression::Xz, Compression::Bzip2];

    /// The ending of the name of such a file.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Compression::Gzip => "gz",
            Compression::Zstd => "zst",
            Compression::Xz => "xz",
            Compression::Bzip2 => "bz2",
        }
    }

    /// The first bytes of such a file.
    fn magic(self) -> &'static [u8] {
        match self {
            Compression::Gzip => &[0x1f, 0x8b],
            Compression::Zstd => &[0x28, 0xb5, 0x2f, 0xfd],
            Compression::Xz => &[0xfd, b'7', b'z', b'X'],
            Compression::Bzip2 => b"BZh",
        }
    }

    /// By the first four bytes of a file.
    pub(crate) fn of_content(begin: &[u8]) -> Option<Compression> {
        Self::ALL.into_iter().find(|c| begin.starts_with(c.magic()))
    }

    /// By the ending of a file's name.
    pub(crate) fn of_name(path: &Path) -> Option<Compression> {
        let ending = path.extension()?;
        Self::ALL.into_iter().find(|c| ending.eq_ignore_ascii_case(c.ending()))
    }

    /// Decompresses what `raw` yields: one member or frame after the other. `raw` is boxed so that the decoders, which are large, are compiled
    /// once.
    pub(crate) fn decoder(self, raw: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
        let raw = BufReader::with_capacity(BUFFER, raw);
        Ok(match self {
            Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(raw)),
            Compression::Zstd => Box::new(zstd::Decoder::with_buffer(raw)?),
            Compression::Xz => Box::new(lzma_rust2::XzReader::new_mem_limit(raw, true, XZ_MEMORY)),
            Compression::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(raw)),
        })
    }

    /// Whether files can be written so.
    pub(crate) fn is_written(self) -> bool {
        matches!(self, Compression::Gzip | Compression::Zstd)
    }

    /// Compresses a piece of a file into a member or frame of its own: one behind the other they decompress to the whole.
    ///
    /// # Panics
    ///
    /// If files cannot be written so.
    pub(crate) fn compress(self, piece: &[u8]) -> Vec<u8> {
        match self {
            Compression::Gzip => {
                let buffer = Vec::with_capacity(piece.len() / 2);
                let mut encoder = flate2::write::GzEncoder::new(buffer, flate2::Compression::default());
                encoder.write_all(piece).expect("writing to memory succeeds");
                encoder.finish().expect("writing to memory succeeds")
            }
            Compression::Zstd => {
                let frame = || {
                    let mut compressor = zstd::bulk::Compressor::new(zstd::DEFAULT_COMPRESSION_LEVEL)?;
                    compressor.include_checksum(true)?;
                    compressor.compress(piece)
                };
                frame().expect("compressing in memory succeeds")
            }
            Compression::Xz | Compression::Bzip2 => panic!("files are not written as .{}", self.ending()),
        }
    }

    /// What is wrong with the compressed data, if that is what `error` is about and not the disk.
    pub(crate) fn fault(error: &io::Error) -> Option<String> {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Some("ends too early: the file is truncated".to_owned()),
            _ if error.raw_os_error().is_none() => Some(format!("is damaged: {error}")),
            _ => None,
        }
    }
}

/// What precedes the ending of a compression in a file's name, and that compression.
pub(crate) fn split_name(name: &str) -> (&str, Option<Compression>) {
    let found = Compression::of_name(Path::new(name));
    match (found, name.rsplit_once('.')) {
        (Some(_), Some((plain, _))) => (plain, found),
        _ => (name, None),
    }
}
