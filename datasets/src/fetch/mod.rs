//! Published graphs and matrices, fetched once and kept (feature `fetch`).
//!
//! ```text
//!   catalogue ──► address ──► NAME.tar.gz.part ──► NAME.tar.gz ──► NAME.mtx ──► read, counted ──► kept
//!                 (HTTP, resumed where it broke)   (SHA-256)      (unpacked)   (as published?)
//! ```
//!
//! The publishers give no checksums of these files. So the first download whose graph has the published size records its SHA-256
//! beside it, and every later download must have the same.

mod catalogue;
mod download;
mod unpack;

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};

pub use catalogue::catalogue;

use crate::error::Error;
use crate::input::{Direction, Edges, Input, Options};
use crate::progress::Observer;
use crate::read::read;

/// The environment variable that names the folder in which downloads are kept.
pub const CACHE_VARIABLE: &str = "PLEACH_CACHE";

/// A published graph or matrix, with its published size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// Its name, here and at its publisher.
    pub name: String,
    /// Its address.
    pub url: String,
    /// How the file lists edges.
    pub listing: Listing,
    /// The number of rows and of columns, or of vertices.
    pub vertices: Published,
    /// The number of nonzeros of a matrix, both triangles of a symmetric one counted; or of edges of a graph.
    pub entries: Published,
    /// The table or collection that it is from.
    pub summary: &'static str,
}

/// How a published file lists edges, and hence what its publisher counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// A Matrix Market file in a `.tar.gz`: nonzeros, of both triangles.
    Matrix,
    /// A line an arc of a directed graph: lines.
    Directed,
    /// A line an edge of an undirected graph: lines.
    UndirectedOnce,
    /// Two lines an edge of an undirected graph, one for a loop: edges.
    UndirectedTwice,
}

/// A published number, to as many digits as are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    digits: u64,
    /// What the last digit counts.
    unit: u64,
}

impl Published {
    /// A number printed in full.
    pub const fn exactly(number: u64) -> Published {
        Published { digits: number, unit: 1 }
    }

    /// A number printed as `digits` of which the last counts `unit`: 1.44M is `about(144, 10_000)`.
    pub const fn about(digits: u64, unit: u64) -> Published {
        Published { digits, unit }
    }

    /// Whether `found`, rounded as this is, is this.
    pub fn is(self, found: u64) -> bool {
        found.abs_diff(self.number()).saturating_mul(2) <= self.unit
    }

    /// The number as printed.
    pub fn number(self) -> u64 {
        self.digits * self.unit
    }
}

impl fmt::Display for Published {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.unit > 1 {
            f.write_str("about ")?;
        }
        write!(f, "{}", self.number())
    }
}

/// How to fetch.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FetchOptions {
    /// Where downloads are kept, a folder for each name; `None`, the default, is `PLEACH_CACHE`, or else the platform's folder for such things.
    pub cache: Option<PathBuf>,
    /// Another address of the same file, such as a mirror's. The publisher's by default.
    pub from: Option<String>,
    /// Called with the number of bytes received so far. Not set by default.
    pub progress: Observer,
    /// How long to wait before a broken download is resumed, half a second by default; each time without any progress waits as long again.
    pub pause: Duration,
}

impl Default for FetchOptions {
    fn default() -> Self {
        FetchOptions { cache: None, from: None, progress: Observer::default(), pause: Duration::from_millis(500) }
    }
}

impl FetchOptions {
    /// The folder in which downloads are kept.
    #[must_use]
    pub fn with_cache(mut self, cache: impl Into<Option<PathBuf>>) -> Self {
        self.cache = cache.into();
        self
    }

    /// Another address of the same file.
    #[must_use]
    pub fn with_from(mut self, from: impl Into<Option<String>>) -> Self {
        self.from = from.into();
        self
    }

    /// What is called with the progress of the download.
    #[must_use]
    pub fn with_progress(mut self, progress: Observer) -> Self {
        self.progress = progress;
        self
    }

    /// How long to wait before a broken download is resumed.
    #[must_use]
    pub fn with_pause(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }
}

/// What has been fetched.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// The file that can be read.
    pub path: PathBuf,
    /// The SHA-256 of the download, in hexadecimal digits.
    pub sha256: String,
    /// Whether it had been fetched before.
    pub cached: bool,
    /// The number of rows or columns, whichever are more, or of vertices.
    pub vertices: u64,
    /// The number of nonzeros or edges, as the publisher counts them.
    pub entries: u64,
}

impl Remote {
    /// The entry of the catalogue that has this name.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownGraph`] names those there are.
    pub fn named(name: &str) -> Result<Remote, Error> {
        catalogue().find(|entry| entry.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
            let names: Vec<String> = catalogue().map(|entry| entry.name).collect();
            Error::UnknownGraph { name: name.to_owned(), known: format!("these can be fetched: {}", names.join(", ")) }
        })
    }

    /// The file that [`fetch`](Self::fetch) leaves in a folder of downloads.
    fn place(&self, cache: &Path) -> PathBuf {
        let file = match self.listing {
            Listing::Matrix => format!("{}.mtx", self.name),
            _ => self.download_name().to_owned(),
        };
        cache.join(&self.name).join(file)
    }

    /// The name that the download has at its publisher.
    fn download_name(&self) -> &str {
        self.url.rsplit('/').next().unwrap_or(&self.name)
    }

    /// The file of the graph if it was fetched to the default folder.
    pub fn fetched(&self) -> Option<PathBuf> {
        let place = self.place(&cache_folder().ok()?);
        // Without a recorded checksum it was not checked completely.
        record(&place).is_file().then_some(place).filter(|place| place.is_file())
    }

    /// How the graph is to be read, unless `options` say otherwise.
    pub(crate) fn options(&self, options: &Options) -> Options {
        let undirected = matches!(self.listing, Listing::UndirectedOnce | Listing::UndirectedTwice);
        let declared = undirected.then_some(Direction::Undirected);
        Options { direction: options.direction.or(declared), ..options.clone() }
    }

    /// Fetches the graph unless it is there, and checks it: its file against the recorded SHA-256 and its size against the published
    /// one. A download that breaks off is resumed where it broke, at once or by the next call.
    ///
    /// Checking reads the graph: it takes about 20 bytes of memory an entry.
    ///
    /// # Errors
    ///
    /// [`Error::Network`] if it cannot be fetched, [`Error::Changed`] if it is another file than it once was,
    /// [`Error::NotAsPublished`] if its size is another, and those of [`read`].
    pub fn fetch(&self, options: &FetchOptions) -> Result<Fetched, Error> {
        let cache = match &options.cache {
            Some(cache) => cache.clone(),
            None => cache_folder()?,
        };
        let folder = cache.join(&self.name);
        std::fs::create_dir_all(&folder).map_err(|e| Error::io(&folder, e))?;
        let _lock = lock(&folder)?;
        let place = self.place(&cache);
        let download = folder.join(self.download_name());

        let cached = place.is_file() && record(&place).is_file();
        if !cached && !download.is_file() {
            download::download(self, options, &download)?;
        }
        // The recorded checksum stays, even if the file is removed.
        let found = if download.is_file() { Some(sum(&download)?) } else { None };
        if let Some(found) = &found {
            hold(&download, found)?;
        }
        if self.listing == Listing::Matrix && !cached {
            unpack::unpack(&download, &format!("{}.mtx", self.name), &place, self.limit()).inspect_err(|_| {
                // A damaged archive would fail the next time, too.
                let _ = std::fs::remove_file(&download);
            })?;
        }
        let place_sum = match &found {
            Some(found) if place == download => found.clone(),
            _ => sum(&place)?,
        };
        hold(&place, &place_sum)?;
        let (vertices, entries) = match self.check(&place) {
            Ok(counts) => counts,
            Err(error) => {
                // A file that failed its check must not be used later.
                let _ = std::fs::remove_file(&place);
                let _ = std::fs::remove_file(&download);
                return Err(error);
            }
        };
        if let Some(found) = &found {
            write_record(&download, found)?;
        }
        write_record(&place, &place_sum)?;
        if place != download && download.is_file() {
            std::fs::remove_file(&download).map_err(|e| Error::io(&download, e))?;
        }
        let sha256 = read_record(&download)?.unwrap_or(place_sum);
        Ok(Fetched { path: place, sha256, cached, vertices, entries })
    }

    /// The most bytes that the unpacked matrix may have: no entry takes more than 100, and comments stay short.
    fn limit(&self) -> u64 {
        (16 << 20) + 100 * self.entries.number()
    }

    /// Reads the graph and compares its size with the published one.
    fn check(&self, place: &Path) -> Result<(u64, u64), Error> {
        let input = read(place, &self.options(&Options::default()))?;
        let vertices = input.num_vertices() as u64;
        let counts = self.counts(&input);
        let Some(entries) =
            counts.into_iter().find(|&count| self.entries.is(count)).filter(|_| self.vertices.is(vertices))
        else {
            return Err(Error::NotAsPublished {
                path: place.to_owned(),
                expected: format!("{} vertices and {} entries", self.vertices, self.entries),
                found: format!("{vertices} and {}", counts[0]),
            });
        };
        Ok((vertices, entries))
    }

    /// Possible meanings of the published number of entries: for matrices, some publishers count stored zeros and some do not.
    fn counts(&self, input: &Input) -> [u64; 2] {
        let ends = input.edges.src().iter().zip(input.edges.dst());
        let lines = input.edges.len() as u64;
        match self.listing {
            Listing::Directed | Listing::UndirectedOnce => [lines; 2],
            Listing::UndirectedTwice => [ends.filter(|(s, d)| s <= d).count() as u64; 2],
            Listing::Matrix => {
                let stands_for = |(s, d): (&u32, &u32)| if input.mirrored && s != d { 2 } else { 1 };
                let all = ends.clone().map(stands_for).sum();
                let nonzero = match &input.edges {
                    Edges::Pattern(_) => all,
                    Edges::Weighted(edges) => {
                        ends.zip(&edges.weight).filter(|(_, w)| **w != 0.0).map(|(ends, _)| stands_for(ends)).sum()
                    }
                };
                [nonzero, all]
            }
        }
    }
}

/// The folder of downloads: `PLEACH_CACHE`, or the platform's for what can be fetched again.
///
/// # Errors
///
/// [`Error::NoCache`] if there is neither.
pub fn cache_folder() -> Result<PathBuf, Error> {
    use etcetera::BaseStrategy;
    if let Some(folder) = std::env::var_os(CACHE_VARIABLE).filter(|folder| !folder.is_empty()) {
        return Ok(folder.into());
    }
    let platform = etcetera::base_strategy::choose_native_strategy().map_err(|_| Error::NoCache)?;
    Ok(platform.cache_dir().join("pleach"))
}

/// Keeps two processes from fetching the same graph at a time, as long as the file is open.
fn lock(folder: &Path) -> Result<File, Error> {
    let path = folder.join(".lock");
    let file = File::create(&path).map_err(|e| Error::io(&path, e))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => {
            let busy = io::Error::new(io::ErrorKind::ResourceBusy, "another process is fetching this graph");
            Err(Error::io(folder, busy))
        }
        Err(std::fs::TryLockError::Error(e)) => Err(Error::io(&path, e)),
    }
}

/// The file beside `path` that records its checksum.
fn record(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".sha256");
    name.into()
}

fn read_record(path: &Path) -> Result<Option<String>, Error> {
    let record = record(path);
    match std::fs::read_to_string(&record) {
        Ok(text) => Ok(text.split_whitespace().next().map(str::to_owned)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Error::io(&record, e)),
    }
}

/// Refuses a file whose checksum is not the recorded one. Without a record any file is accepted.
fn hold(path: &Path, found: &str) -> Result<(), Error> {
    match read_record(path)? {
        Some(recorded) if recorded != found => {
            Err(Error::Changed { path: path.to_owned(), record: record(path), recorded, found: found.to_owned() })
        }
        _ => Ok(()),
    }
}

/// Records a checksum as `sha256sum` writes it, so that `sha256sum -c` checks it.
fn write_record(path: &Path, sum: &str) -> Result<(), Error> {
    let record = record(path);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let write = || File::create(&record)?.write_all(format!("{sum}  {name}\n").as_bytes());
    write().map_err(|e| Error::io(&record, e))
}

/// The SHA-256 of a file, in hexadecimal digits.
fn sum(path: &Path) -> Result<String, Error> {
    let mut file = File::open(path).map_err(|e| Error::io(path, e))?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(got) => hasher.update(&buffer[..got]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(Error::io(path, e)),
        }
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_numbers_are_compared_as_they_are_rounded() {
        let about = Published::about(144, 10_000);
        assert!(about.is(1_441_295) && about.is(1_435_000) && about.is(1_444_999) && about.is(1_445_000));
        assert!(!about.is(1_445_001) && !about.is(1_434_999));
        assert_eq!((about.to_string(), about.number()), ("about 1440000".to_owned(), 1_440_000));
        let exactly = Published::exactly(7115);
        assert!(exactly.is(7115) && !exactly.is(7114) && !exactly.is(7116));
        assert!(!Published::about(1, 10).is(u64::MAX));
    }
}
