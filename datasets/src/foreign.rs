//! Recognises files of other programs by their first bytes, so that the error names their format.

use std::path::Path;

use crate::error::Error;

/// Advice for a packed file.
const UNPACK: &str = "unpack it first; .gz, .zst, .xz and .bz2 are read";
/// Advice for data of another program.
const EXPORT: &str = "expected a graph; save its edges as text, Parquet or Arrow first";
/// Advice for a list of neighbours that is not read.
const LISTED: &str = "expected an edge a line, as igraph's write_ncol and write_edgelist write";
/// Advice for text in another encoding.
const ENCODE: &str = "expected UTF-8; `iconv -f UTF-16 -t UTF-8` converts it";

/// What files of the first version of Feather begin with. The second is Arrow's IPC format.
pub(crate) const FEATHER_V1: &[u8] = b"FEA1";

/// For each format: an offset, the bytes that files have there, the name of the format, and advice.
const KINDS: &[(usize, &[u8], &str, &str)] = &[
    (0, b"\x04\x22\x4d\x18", "an lz4 file", UNPACK),
    (0, b"\x02\x21\x4c\x18", "an lz4 file", UNPACK),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    (0, b"Rar!\x1a\x07", "a rar archive", UNPACK),
    (0, b"\x1f\x9d", "a .Z file", UNPACK),
    (0, b"LZIP", "an lzip file", UNPACK),
    (0, b"\xff\x06\x00\x00sNaPpY", "a Snappy file", UNPACK),
    (257, b"ustar", "a tar archive", UNPACK),
    (30, b"[Content_Types].xml", "an Office document, such as .xlsx", EXPORT),
    (0, b"PK\x03\x04", "a zip archive", UNPACK),
    (0, b"PK\x05\x06", "a zip archive without files", UNPACK),
    (0, b"\x89HDF\r\n\x1a\n", "an HDF5 file", EXPORT),
    (0, b"SQLite format 3\0", "an SQLite database", EXPORT),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document, such as .xls", EXPORT),
    (0, b"\x93NUMPY", "a NumPy array", EXPORT),
    (
        0,
        FEATHER_V1,
        "a Feather V1 file",
        "expected Feather V2, which is Arrow's IPC format: pandas and pyarrow write it",
    ),
    (0, b"\xff\xfe", "text in UTF-16", ENCODE),
    (0, b"\xfe\xff", "text in UTF-16", ENCODE),
];

/// Refuses a file of one of these formats.
pub(crate) fn check(path: &Path, begin: &[u8]) -> Result<(), Error> {
    let fits = |&&(at, bytes, ..): &&(usize, &[u8], &str, &str)| begin.get(at..).is_some_and(|b| b.starts_with(bytes));
    // Some of these bytes are letters, with which a text may begin.
    match KINDS.iter().find(fits).filter(|_| !is_text(begin)) {
        Some(&(_, _, kind, advice)) => Err(Error::Foreign { path: path.to_owned(), kind, advice }),
        // Brotli has no signature: only the ending of the name tells.
        None if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("br")) && !is_text(begin) => {
            Err(Error::Foreign { path: path.to_owned(), kind: "a Brotli file", advice: UNPACK })
        }
        None => Ok(()),
    }
}

/// Refuses a graph in LGL, which has its vertices in comments: `# 0`, then the neighbours of 0, a line each. igraph writes such files.
pub(crate) fn check_lgl(path: &Path, begin: &[u8]) -> Result<(), Error> {
    let named = crate::read::split_ending(&path.file_name().unwrap_or_default().to_string_lossy()).1 == "lgl";
    match named || is_lgl(begin) {
        true => Err(Error::Foreign { path: path.to_owned(), kind: "a graph in LGL", advice: LISTED }),
        false => Ok(()),
    }
}

/// Whether a text has comments of one whole number each, at least two and the first line among them, and no others.
fn is_lgl(begin: &[u8]) -> bool {
    let lines = begin.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let is_number = |word: &[u8]| !word.is_empty() && word.iter().all(u8::is_ascii_digit);
    let mut comments = lines.clone().filter_map(|line| line.strip_prefix(b"#")).map(<[u8]>::trim_ascii);
    lines.clone().next().is_some_and(|first| first.starts_with(b"#"))
        && comments.clone().nth(1).is_some()
        && comments.all(is_number)
}

/// Whether bytes are UTF-8 without control characters. The last character may be incomplete.
fn is_text(begin: &[u8]) -> bool {
    let whole = std::str::from_utf8(begin).map_or_else(|error| error.error_len().is_none(), |_| true);
    whole && !begin.iter().any(|&byte| byte < b'\t')
}

/// Whether a zip archive may be one of NumPy: its first file is an array.
pub(crate) fn begins_with_an_array(archive: &[u8]) -> bool {
    let length = |at: usize| archive.get(at..at + 2).map(|bytes| usize::from(u16::from_le_bytes([bytes[0], bytes[1]])));
    let name = length(26).and_then(|length| archive.get(30..30 + length));
    name.is_some_and(|name| name.ends_with(b".npy"))
}
