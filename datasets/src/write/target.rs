//! Where a file is written, and how it is compressed: by the ending of its name, or by the ending that stands for its format.

use std::path::Path;

use crate::compress::{Compression, split_name};
use crate::error::Error;

/// A file to be written.
#[derive(Clone, Copy)]
pub(crate) struct Target<'p> {
    pub(crate) path: &'p Path,
    pub(super) compression: Option<Compression>,
}

impl<'p> Target<'p> {
    /// A file that is compressed as its name says.
    pub(crate) fn of(path: &'p Path) -> Result<Self, Error> {
        let (_, compression) = split_name(&path.file_name().unwrap_or_default().to_string_lossy());
        Target { path, compression }.checked()
    }

    /// A file in the format of an ending, such as `csv` or `csv.gz`, and the ending of the format alone. An ending without a compression
    /// leaves it to the name of the file.
    pub(super) fn in_format<'e>(path: &'p Path, ending: &'e str) -> Result<(Self, &'e str), Error> {
        // The name of a file that has nothing but an ending.
        let (plain, asked) = split_name(ending);
        let named = Target::of(path)?;
        match (asked, named.compression) {
            (None, _) => Ok((named, plain)),
            (Some(asked), Some(other)) if asked != other => {
                let reason = format!("is named .{}, and would be written as .{}", other.ending(), asked.ending());
                Err(Error::CannotWrite { path: path.to_owned(), reason })
            }
            (compression, _) => Ok((Target { path, compression }.checked()?, plain)),
        }
    }

    /// Refuses a compression that is read only.
    fn checked(self) -> Result<Self, Error> {
        match self.compression.filter(|compression| !compression.is_written()) {
            None => Ok(self),
            Some(compression) => {
                let reason =
                    format!("files are read, but not written as .{}: expected .gz or .zst", compression.ending());
                Err(Error::CannotWrite { path: self.path.to_owned(), reason })
            }
        }
    }
}
