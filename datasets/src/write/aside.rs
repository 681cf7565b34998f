//! A file that appears under its name only when it is complete.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Error;

/// Number of the next file of this process.
static COUNTER: AtomicU32 = AtomicU32::new(0);

/// Files that are being written at present.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the files that are being written at present, by whichever thread. For a process that is interrupted and about to end.
pub fn remove_unfinished() {
    for path in unfinished().iter() {
        // The process is about to end; a failure cannot be reported.
        let _ = std::fs::remove_file(path);
    }
}

/// Writes a file that appears under its name only when it is complete: it is written beside its place, and then renamed.
///
/// # Errors
///
/// [`Error::Directory`] or [`Error::Io`] with the file that could not be written. Nothing is left behind then.
pub fn write_complete(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), Error> {
    let path = path.as_ref();
    let mut file = Aside::create(path)?;
    write(&mut file.writer).map_err(|e| Error::io(path, e))?;
    file.finish()
}

/// A file written beside its place; dropped before [`finish`](Self::finish), it is removed.
pub(crate) struct Aside {
    writer: BufWriter<File>,
    aside: PathBuf,
    place: PathBuf,
    done: bool,
}

impl Aside {
    pub(crate) fn create(place: &Path) -> Result<Aside, Error> {
        if place.is_dir() {
            return Err(Error::Directory { path: place.to_owned() });
        }
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let aside = place.with_file_name(format!(".{name}.{}-{number}.part", std::process::id()));
        let file = File::create_new(&aside).map_err(|e| Error::io(place, e))?;
        unfinished().push(aside.clone());
        Ok(Aside { writer: BufWriter::with_capacity(1 << 18, file), aside, place: place.to_owned(), done: false })
    }

    /// Puts the file in its place.
    pub(crate) fn finish(mut self) -> Result<(), Error> {
        let moved = self.writer.flush().and_then(|()| std::fs::rename(&self.aside, &self.place));
        self.done = moved.is_ok();
        moved.map_err(|e| Error::io(&self.place, e))
    }
}

impl Write for Aside {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        if !self.done {
            // A failure cannot be reported from here.
            let _ = std::fs::remove_file(&self.aside);
        }
        unfinished().retain(|path| *path != self.aside);
    }
}
