//! Where a graph is kept: a directory of files, behind a trait.
//!
//! All that is written goes through [`Storage`], so that a test can put something in the place of the disk that loses and tears what was not
//! synced, and fails at any operation. [`Directory`] is the disk.

use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A directory of files, none of which has a path of several parts.
///
/// What an operation did may be lost when the machine stops, until it was synced: the bytes of a file by [`StorageFile::sync`], its name by
/// [`Storage::sync`].
pub trait Storage: Send + Sync + fmt::Debug {
    /// The path of a file, for messages; that of the directory, if the name is empty.
    fn path(&self, name: &str) -> PathBuf;

    /// Makes the directory, if it is not there, and takes its lock: alone to write, with others to read. The lock is let go when what
    /// is returned is dropped, or the process ends.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] if somebody else holds the lock; [`io::ErrorKind::NotFound`] if nothing is to be written and the
    /// directory is not there.
    fn lock(&self, to_write: bool) -> io::Result<Box<dyn Send + Sync>>;

    /// The names of all files.
    ///
    /// # Errors
    ///
    /// If the directory cannot be read.
    fn list(&self) -> io::Result<Vec<String>>;

    /// Makes a file without bytes; one of the same name loses its bytes.
    ///
    /// # Errors
    ///
    /// If it cannot be made.
    fn create(&self, name: &str) -> io::Result<Box<dyn StorageFile>>;

    /// Opens a file that is there, to read it, and with `to_write` to append to it too.
    ///
    /// # Errors
    ///
    /// If it is not there or cannot be opened.
    fn open(&self, name: &str, to_write: bool) -> io::Result<Box<dyn StorageFile>>;

    /// Gives a file another name; a file that had that name is gone.
    ///
    /// # Errors
    ///
    /// If it cannot be renamed.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    ///
    /// If it cannot be removed.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Waits until the names of all files are on the disk.
    ///
    /// # Errors
    ///
    /// If that cannot be said.
    fn sync(&self) -> io::Result<()>;
}

/// An open file.
pub trait StorageFile: Send + Sync {
    /// Number of bytes.
    ///
    /// # Errors
    ///
    /// If it cannot be found out.
    fn size(&self) -> io::Result<u64>;

    /// Fills `bytes` from a place on.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::UnexpectedEof`] if there are fewer, or whatever stops it.
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()>;

    /// Writes bytes at the end.
    ///
    /// # Errors
    ///
    /// If not all of them were written; some may have been.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Cuts off all bytes from a place on.
    ///
    /// # Errors
    ///
    /// If they cannot be cut off.
    fn truncate(&mut self, size: u64) -> io::Result<()>;

    /// Waits until all bytes are on the disk.
    ///
    /// # Errors
    ///
    /// If that cannot be said. Bytes that were written before may be lost then, whatever a later call says.
    fn sync(&mut self) -> io::Result<()>;
}

/// A directory of the file system.
#[derive(Clone, Debug)]
pub struct Directory {
    path: PathBuf,
}

/// The name of the file whose lock stands for the directory.
const LOCK: &str = "LOCK";

impl Directory {
    /// The directory of that path, which need not be there.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Directory { path: path.into() }
    }

    /// The directory and those above it that are not there, the innermost first.
    pub(crate) fn missing(&self) -> Vec<&Path> {
        self.path.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists()).collect()
    }

    /// Removes directories that were [missing](Self::missing), as far as they hold nothing but the lock.
    pub(crate) fn unmake(&self, made: &[&Path]) {
        if !made.is_empty() {
            let _ = fs::remove_file(self.path(LOCK));
        }
        let _ = made.iter().try_for_each(fs::remove_dir);
    }

    /// Makes the directory and those above it, and sees to it that their names are on the disk.
    fn make(&self) -> io::Result<()> {
        let missing = self.missing();
        if missing.is_empty() {
            return if self.path.is_dir() { Ok(()) } else { Err(io::ErrorKind::NotADirectory.into()) };
        }
        fs::create_dir_all(&self.path)?;
        for path in missing {
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            File::open(parent.unwrap_or(Path::new(".")))?.sync_all()?;
        }
        Ok(())
    }
}

impl Storage for Directory {
    fn path(&self, name: &str) -> PathBuf {
        if name.is_empty() { self.path.clone() } else { self.path.join(name) }
    }

    fn lock(&self, to_write: bool) -> io::Result<Box<dyn Send + Sync>> {
        let path = self.path(LOCK);
        let file = if to_write {
            self.make()?;
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?
        } else {
            match File::open(path) {
                // Nobody can write to a directory without a lock that cannot be written to either.
                Err(error) if error.kind() == io::ErrorKind::NotFound && self.path.is_dir() => return Ok(Box::new(())),
                opened => opened?,
            }
        };
        match if to_write { file.try_lock() } else { file.try_lock_shared() } {
            Ok(()) => Ok(Box::new(file)),
            Err(TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn list(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            // A name that is no text is none of ours.
            names.extend(entry?.file_name().into_string().ok().filter(|name| name != LOCK));
        }
        Ok(names)
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn StorageFile>> {
        let path = self.path(name);
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path)?;
        Ok(Box::new(DiskFile { file, end: 0 }))
    }

    fn open(&self, name: &str, to_write: bool) -> io::Result<Box<dyn StorageFile>> {
        let file = OpenOptions::new().read(true).write(to_write).open(self.path(name))?;
        let end = file.metadata()?.len();
        Ok(Box::new(DiskFile { file, end }))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.path(from), self.path(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path(name))
    }

    fn sync(&self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()
    }
}

/// A file of the file system.
struct DiskFile {
    file: File,
    /// Where the next bytes go.
    end: u64,
}

impl StorageFile for DiskFile {
    fn size(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        #[cfg(unix)]
        return std::os::unix::fs::FileExt::read_exact_at(&self.file, bytes, offset);
        #[cfg(not(unix))]
        {
            use std::io::{Read, Seek, SeekFrom};
            let mut file = self.file.try_clone()?;
            file.seek(SeekFrom::Start(offset))?;
            file.read_exact(bytes)
        }
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        #[cfg(unix)]
        std::os::unix::fs::FileExt::write_all_at(&self.file, bytes, self.end)?;
        #[cfg(not(unix))]
        {
            use std::io::{Seek, SeekFrom};
            self.file.seek(SeekFrom::Start(self.end))?;
            self.file.write_all(bytes)?;
        }
        self.end += bytes.len() as u64;
        Ok(())
    }

    fn truncate(&mut self, size: u64) -> io::Result<()> {
        self.file.set_len(size)?;
        self.end = size;
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.sync_data()
    }
}
