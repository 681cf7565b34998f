//! The file beside the parts that says what all of them have in common. It is written last, whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::GrowingOptions;
use crate::owner::Ownership;

/// What is common to all parts in a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub format: u32,
    pub workers: usize,
    pub range: u64,
    pub directed: bool,
    /// Whether ids are numbers of names, in the order in which the source has them.
    #[serde(default)]
    pub named: bool,
    /// Whether edges from a vertex to itself are left out of what the source has. They are no updates then. Older manifests do not say it.
    #[serde(default)]
    pub drops_loops: Option<bool>,
    /// Which folder the parts are in: a new one when they are dealt to other workers.
    pub generation: u64,
    /// The epoch of version 0 of the parts in this folder; below 0 if it took more batches to deal them than there are epochs.
    pub before: i64,
    /// The epoch that every part has.
    pub epoch: u64,
    /// Updates up to it.
    pub updates: u64,
    /// How many of them are edges of the graph at the beginning.
    pub initial: u64,
    /// Updates of the epoch behind it.
    pub next: u64,
    /// [`digest`](super::digest) of all updates; 0 where it is not known.
    #[serde(default)]
    pub digest: u64,
    /// The same of those of the epoch behind it.
    #[serde(default)]
    pub next_digest: u64,
}

/// The format that is written here, and the newest that is read.
const FORMAT: u32 = 1;

/// The name of the file.
const NAME: &str = "cluster.json";

/// What stands for a truth that is not known among the numbers.
const UNKNOWN: u64 = 2;

/// Numbers of a manifest as workers send them to each other.
pub(super) type Numbers = [u64; 14];

impl Manifest {
    /// That of an empty graph.
    pub fn new(options: &GrowingOptions) -> Self {
        Manifest {
            format: FORMAT,
            workers: options.ownership.workers(),
            range: options.ownership.range(),
            directed: options.directed,
            named: options.named,
            drops_loops: Some(options.drops_loops),
            generation: 0,
            before: 0,
            epoch: 0,
            updates: 0,
            initial: 0,
            next: 0,
            digest: 0,
            next_digest: 0,
        }
    }

    /// What this graph is, in words, if that is other than the options say.
    pub fn differs(&self, options: &GrowingOptions) -> Option<&'static str> {
        let drops_loops = self.drops_loops.unwrap_or(options.drops_loops);
        let all = [
            (self.directed, options.directed, ["that is directed", "that is undirected"]),
            (self.named, options.named, ["whose vertices are called by names", "whose vertices are called by numbers"]),
            (
                drops_loops,
                options.drops_loops,
                ["whose source was read without its self loops", "whose source was read with its self loops"],
            ),
        ];
        let (is, _, [yes, no]) = all.into_iter().find(|(is, asked, _)| is != asked)?;
        Some(if is { yes } else { no })
    }

    /// As numbers: the first of them is 1. All are 0 if there is no manifest.
    pub fn numbers(of: Option<Self>) -> Numbers {
        let numbers = |m: Self| {
            let [workers, before] = [m.workers as u64, m.before as u64];
            let drops = m.drops_loops.map_or(UNKNOWN, u64::from);
            let [directed, named] = [m.directed.into(), m.named.into()];
            let at = [m.generation, before, m.epoch, m.updates, m.initial, m.next, m.digest, m.next_digest];
            let mut numbers = [1, workers, m.range, directed, named, drops, 0, 0, 0, 0, 0, 0, 0, 0];
            numbers[6..].copy_from_slice(&at);
            numbers
        };
        of.map_or([0; 14], numbers)
    }

    /// The manifest that some numbers are, if there is one.
    pub fn of(numbers: Numbers) -> Option<Self> {
        let [found, workers, range, directed, named, drops_loops, ref at @ ..] = numbers;
        let [generation, before, epoch, updates, initial, next, digest, next_digest] = *at;
        (found == 1).then_some(Manifest {
            format: FORMAT,
            workers: workers as usize,
            range,
            directed: directed == 1,
            named: named == 1,
            drops_loops: (drops_loops != UNKNOWN).then_some(drops_loops == 1),
            generation,
            before: before as i64,
            epoch,
            updates,
            initial,
            next,
            digest,
            next_digest,
        })
    }

    /// Who owned what.
    pub fn ownership(&self) -> Ownership {
        Ownership::new(self.workers).with_range(self.range)
    }

    /// The version of the parts at an epoch.
    pub fn version(&self, epoch: u64) -> u64 {
        (epoch as i64 - self.before) as u64
    }

    /// The epoch that a version of the parts is.
    pub fn epoch_of(&self, version: u64) -> u64 {
        (version as i64 + self.before) as u64
    }

    /// The folder of its parts.
    pub fn folder(&self, directory: &Path) -> PathBuf {
        directory.join(format!("generation-{}", self.generation))
    }

    /// The folder of a worker's part.
    pub fn part(&self, directory: &Path, worker: usize) -> PathBuf {
        self.folder(directory).join(format!("part-{worker}"))
    }

    /// What the file in a directory says, if there is one.
    pub fn read(directory: &Path) -> Result<Option<Self>, String> {
        let path = directory.join(NAME);
        let wrong = |reason: String| format!("{}: {reason}", path.display());
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(wrong(error.to_string())),
        };
        let manifest: Self = serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
        if manifest.format > FORMAT {
            return Err(wrong(format!("is of format {}; this program reads up to {FORMAT}", manifest.format)));
        }
        match manifest.workers > 0 && manifest.range > 0 {
            true => Ok(Some(manifest)),
            false => Err(wrong("names no worker, or ranges without vertices".to_owned())),
        }
    }

    /// Writes it to a directory, where it takes the place of the one before.
    pub fn write(&self, directory: &Path) -> Result<(), String> {
        let write = || -> io::Result<()> {
            let aside = directory.join(format!("{NAME}.new"));
            let mut file = File::create(&aside)?;
            file.write_all(&serde_json::to_vec(self)?)?;
            file.sync_all()?;
            fs::rename(&aside, directory.join(NAME))?;
            File::open(directory)?.sync_all()
        };
        write().map_err(|error| format!("{}: {error}", directory.join(NAME).display()))
    }

    /// Removes the folders of other generations. One that cannot be removed now is removed when parts are opened again.
    pub fn clean(&self, directory: &Path) {
        let folder = self.folder(directory);
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with("generation-") && entry.path() != folder {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }
}
