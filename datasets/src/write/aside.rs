//! A file that appears under its name only when it is complete; and what else can stand where a file is named.
//!
//! ```text
//!   -, /dev/stdout      standard output                       written as it comes
//!   a device, a FIFO    what stands there                     written as it comes
//!   a symbolic link     the file that it leads to             beside that file, then renamed
//!   a file, or nothing  the file, with its permissions kept   beside it, then renamed; in place where its folder is closed
//! ```

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Error;

/// Number of the next file of this process.
static COUNTER: AtomicU32 = AtomicU32::new(0);

/// Files that are being written at present.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Symbolic links that are followed from one to the next.
const MOST_LINKS: usize = 40;

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

/// Whether a path names standard output.
pub fn is_standard_output(path: impl AsRef<Path>) -> bool {
    let path = path.as_ref();
    path == Path::new("-") || path == Path::new("/dev/stdout")
}

/// Refuses a place where no file can be written.
pub(super) fn check_place(path: &Path) -> Result<(), Error> {
    match Place::of(path)? {
        // Opening a FIFO waits for its reader.
        Place::Output | Place::Device => Ok(()),
        Place::File(target) => match Aside::beside(path, &target) {
            Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::PermissionDenied => {
                OpenOptions::new().write(true).open(&target).map(drop).map_err(|e| Error::io(path, e))
            }
            tried => tried.map(drop),
        },
    }
}

/// What stands where a file is to be written.
enum Place {
    /// Standard output.
    Output,
    /// Something that is no file, and is written as it stands.
    Device,
    /// A file that is there, or is to be.
    File(PathBuf),
}

impl Place {
    fn of(path: &Path) -> Result<Place, Error> {
        if is_standard_output(path) {
            return Ok(Place::Output);
        }
        match std::fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(Error::Directory { path: path.to_owned() }),
            Ok(found) if !found.is_file() => return Ok(Place::Device),
            // Another process's redirection, which a new file would not reach.
            Ok(_) if path.starts_with("/dev") || path.starts_with("/proc") => return Ok(Place::Device),
            _ => {}
        }
        let mut target = path.to_owned();
        for _ in 0..MOST_LINKS {
            let Ok(next) = std::fs::read_link(&target) else { return Ok(Place::File(target)) };
            target = target.parent().unwrap_or(Path::new("")).join(next);
        }
        Err(Error::io(path, io::Error::other("too many symbolic links lead from one to the next")))
    }
}

/// Standard output as a file.
fn standard_output() -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
    }
    #[cfg(windows)]
    {
        use std::os::windows::io::AsHandle;
        Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
    }
}

/// A file written beside its place; dropped before [`finish`](Self::finish), it is removed.
pub(crate) struct Aside {
    writer: BufWriter<File>,
    /// What the user called it.
    named: PathBuf,
    /// Where it is written and where it belongs, if these are not the same.
    moved: Option<(PathBuf, PathBuf)>,
}

impl Aside {
    pub(crate) fn create(named: &Path) -> Result<Aside, Error> {
        let direct = |file: io::Result<File>| {
            let file = file.map_err(|e| Error::io(named, e))?;
            Ok(Aside { writer: BufWriter::with_capacity(1 << 18, file), named: named.to_owned(), moved: None })
        };
        match Place::of(named)? {
            Place::Output => direct(standard_output()),
            Place::Device => direct(OpenOptions::new().write(true).open(named)),
            Place::File(target) => match Aside::beside(named, &target) {
                Err(Error::Io { source, .. })
                    if source.kind() == io::ErrorKind::PermissionDenied && target.exists() =>
                {
                    direct(OpenOptions::new().write(true).truncate(true).open(&target))
                }
                created => created,
            },
        }
    }

    /// A file beside `place`, which gets its permissions if it is there.
    fn beside(named: &Path, place: &Path) -> Result<Aside, Error> {
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        // A process that was killed may have left a file, and another one gets its number.
        let (aside, file) = loop {
            let number = COUNTER.fetch_add(1, Ordering::Relaxed);
            let aside = place.with_file_name(format!(".{name}.{}-{number}.part", std::process::id()));
            match File::create_new(&aside) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                file => break (aside, file.map_err(|e| Error::io(named, e))?),
            }
        };
        unfinished().push(aside.clone());
        if let Ok(found) = std::fs::metadata(place) {
            // Where they cannot be kept, those of a new file hold.
            let _ = file.set_permissions(found.permissions());
        }
        let moved = Some((aside, place.to_owned()));
        Ok(Aside { writer: BufWriter::with_capacity(1 << 18, file), named: named.to_owned(), moved })
    }

    /// Puts the file in its place.
    pub(crate) fn finish(mut self) -> Result<(), Error> {
        let mut done = self.writer.flush();
        if let (Ok(()), Some((aside, place))) = (&done, &self.moved) {
            done = std::fs::rename(aside, place);
            if done.is_ok() {
                unfinished().retain(|path| path != aside);
                self.moved = None;
            }
        }
        done.map_err(|e| Error::io(&self.named, e))
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
        if let Some((aside, _)) = &self.moved {
            // A failure cannot be reported from here.
            let _ = std::fs::remove_file(aside);
            unfinished().retain(|path| path != aside);
        }
    }
}
