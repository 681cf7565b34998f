//! A file that appears under its name only when it is whole.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Error;

/// Tells the files of one process apart.
static COUNTER: AtomicU32 = AtomicU32::new(0);

/// What is being written at present.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the files that are being written at present, by whichever thread. For a process that is interrupted and about to end.
pub fn remove_unfinished() {
    for path in unfinished().iter() {
        // There is nobody left to tell if this fails.
        let _ = std::fs::remove_file(path);
    }
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
            // There is nobody left to tell if even this fails.
            let _ = std::fs::remove_file(&self.aside);
        }
        unfinished().retain(|path| *path != self.aside);
    }
}
