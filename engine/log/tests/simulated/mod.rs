//! A disk in memory that does to a graph what disks may do: it fails at any operation, and when the machine stops it loses what was not
//! synced, sector by sector and name by name, in any order.
#![allow(dead_code, missing_docs)]

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use pleach_log::storage::{Storage, StorageFile};

/// Bytes that are written as a whole, or not at all.
const SECTOR: usize = 512;

/// A sequence of numbers that look random.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((u128::from(self.0 ^ self.0 >> 29) * u128::from(n)) >> 64) as u64
    }
}

/// What happens at an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It fails half-way, as do all after it: the machine stops.
    Stop,
    /// It fails half-way, and those after it do not.
    Once(io::ErrorKind),
}

#[derive(Clone, Default)]
struct FileData {
    now: Vec<u8>,
    synced: Vec<u8>,
}

#[derive(Clone)]
enum Name {
    Set(String, usize),
    Moved(String, String, usize),
    Gone(String),
}

#[derive(Default)]
struct State {
    files: Vec<FileData>,
    names: BTreeMap<String, usize>,
    synced_names: BTreeMap<String, usize>,
    /// What was done to names since the last sync.
    pending: Vec<Name>,
    operations: u64,
    fault: Option<(u64, Fault)>,
    /// The file that cannot be read.
    unreadable: Option<usize>,
    stopped: bool,
    locked: bool,
}

#[derive(Clone, Default)]
pub struct Disk {
    state: Arc<Mutex<State>>,
    pub syncs: Arc<AtomicU64>,
    /// How long a sync takes.
    slow: Duration,
}

impl std::fmt::Debug for Disk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a simulated disk")
    }
}

impl Disk {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// A disk on which a sync takes so long.
    pub fn slow(sync: Duration) -> Self {
        Disk { slow: sync, ..Disk::default() }
    }

    /// A fault at the operation of a number, from 0.
    pub fn fail_at(&self, operation: u64, fault: Fault) {
        self.state().fault = Some((operation, fault));
    }

    /// Makes reads of a file fail, or succeed again.
    pub fn set_unreadable(&self, name: &str, unreadable: bool) {
        let mut state = self.state();
        state.unreadable = unreadable.then(|| state.names[name]);
    }

    /// Operations so far that change something.
    pub fn operations(&self) -> u64 {
        self.state().operations
    }

    /// Counts an operation; whether it is to end half-way.
    fn operation(state: &mut State) -> Result<(), io::Error> {
        let stopped = || io::Error::other("the machine has stopped");
        if state.stopped {
            return Err(stopped());
        }
        let number = state.operations;
        state.operations += 1;
        match state.fault {
            Some((at, Fault::Stop)) if at == number => {
                state.stopped = true;
                Err(stopped())
            }
            Some((at, Fault::Once(kind))) if at == number => Err(kind.into()),
            _ => Ok(()),
        }
    }

    /// The disk after the process was killed: nothing is lost.
    pub fn killed(&self) -> Disk {
        let old = self.state();
        let state = State {
            files: old.files.clone(),
            names: old.names.clone(),
            synced_names: old.synced_names.clone(),
            pending: old.pending.clone(),
            ..State::default()
        };
        Disk { state: Arc::new(Mutex::new(state)), ..Disk::default() }
    }

    /// The disk after the machine stopped: what was not synced is there or not, sector by sector and name by name.
    pub fn stopped(&self, random: &mut Random) -> Disk {
        let old = self.state();
        let mut names = old.synced_names.clone();
        for name in old.pending.iter() {
            if random.below(2) == 0 {
                continue;
            }
            match name {
                Name::Set(name, file) => drop(names.insert(name.clone(), *file)),
                Name::Moved(from, to, file) => {
                    names.remove(from);
                    names.insert(to.clone(), *file);
                }
                Name::Gone(name) => drop(names.remove(name)),
            }
        }
        let files = old.files.iter().map(|file| {
            let bytes = torn(file, random);
            FileData { now: bytes.clone(), synced: bytes }
        });
        let state = State { files: files.collect(), synced_names: names.clone(), names, ..State::default() };
        Disk { state: Arc::new(Mutex::new(state)), ..Disk::default() }
    }

    /// The bytes of a file.
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        let state = self.state();
        state.files[state.names[name]].now.clone()
    }

    /// Puts bytes in the place of a file's.
    pub fn set_bytes(&self, name: &str, bytes: Vec<u8>) {
        let mut state = self.state();
        let file = state.names[name];
        state.files[file] = FileData { now: bytes.clone(), synced: bytes };
    }

    pub fn names(&self) -> Vec<String> {
        self.state().names.keys().cloned().collect()
    }
}

/// What is left of a file.
fn torn(file: &FileData, random: &mut Random) -> Vec<u8> {
    let (old, new) = (&file.synced, &file.now);
    if old == new {
        return new.clone();
    }
    let (least, most) = (old.len().min(new.len()), old.len().max(new.len()));
    let len = match random.below(3) {
        0 => old.len(),
        1 => new.len(),
        _ => least + random.below((most - least + 1) as u64) as usize,
    };
    let mut bytes = vec![0; len];
    for begin in (0..len).step_by(SECTOR) {
        let end = len.min(begin + SECTOR);
        let from = if random.below(2) == 0 { old } else { new };
        let mut copy = |from: &[u8]| {
            if from.len() > begin {
                let end = end.min(from.len());
                bytes[begin..end].copy_from_slice(&from[begin..end]);
            }
        };
        copy(from);
        // What was synced does not get lost where the file only grew.
        if new.len() >= old.len() {
            copy(old);
        }
    }
    bytes
}

struct Handle {
    disk: Disk,
    file: usize,
}

struct Lock(Disk);

impl Drop for Lock {
    fn drop(&mut self) {
        self.0.state().locked = false;
    }
}

impl Storage for Disk {
    fn path(&self, name: &str) -> PathBuf {
        PathBuf::from("disk").join(name)
    }

    fn lock(&self, _: bool) -> io::Result<Box<dyn Send + Sync>> {
        if std::mem::replace(&mut self.state().locked, true) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        Ok(Box::new(Lock(self.clone())))
    }

    fn list(&self) -> io::Result<Vec<String>> {
        Ok(self.names())
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn StorageFile>> {
        let mut state = self.state();
        Self::operation(&mut state)?;
        let file = state.files.len();
        state.files.push(FileData::default());
        state.names.insert(name.to_owned(), file);
        state.pending.push(Name::Set(name.to_owned(), file));
        Ok(Box::new(Handle { disk: self.clone(), file }))
    }

    fn open(&self, name: &str, _: bool) -> io::Result<Box<dyn StorageFile>> {
        let state = self.state();
        let &file = state.names.get(name).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(Handle { disk: self.clone(), file }))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut state = self.state();
        Self::operation(&mut state)?;
        let file = state.names.remove(from).ok_or(io::ErrorKind::NotFound)?;
        state.names.insert(to.to_owned(), file);
        state.pending.push(Name::Moved(from.to_owned(), to.to_owned(), file));
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut state = self.state();
        Self::operation(&mut state)?;
        state.names.remove(name).ok_or(io::ErrorKind::NotFound)?;
        state.pending.push(Name::Gone(name.to_owned()));
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.state();
        Self::operation(&mut state)?;
        state.synced_names = state.names.clone();
        state.pending.clear();
        Ok(())
    }
}

impl StorageFile for Handle {
    fn size(&self) -> io::Result<u64> {
        Ok(self.disk.state().files[self.file].now.len() as u64)
    }

    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        let state = self.disk.state();
        if state.unreadable == Some(self.file) {
            return Err(io::Error::other("a sector cannot be read"));
        }
        let begin = usize::try_from(offset).map_err(io::Error::other)?;
        let held = &state.files[self.file].now;
        let end = begin.checked_add(bytes.len()).filter(|&end| end <= held.len());
        bytes.copy_from_slice(&held[begin..end.ok_or(io::ErrorKind::UnexpectedEof)?]);
        Ok(())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.disk.state();
        let done = Disk::operation(&mut state);
        // A part of them is written also where it fails.
        let part = if done.is_ok() { bytes.len() } else { bytes.len() / 2 };
        if done.is_ok() || !state.stopped || state.fault.is_some_and(|(at, _)| at + 1 == state.operations) {
            state.files[self.file].now.extend_from_slice(&bytes[..part]);
        }
        done
    }

    fn truncate(&mut self, size: u64) -> io::Result<()> {
        let mut state = self.disk.state();
        Disk::operation(&mut state)?;
        state.files[self.file].now.resize(size as usize, 0);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        if !self.disk.slow.is_zero() {
            std::thread::sleep(self.disk.slow);
        }
        self.disk.syncs.fetch_add(1, Ordering::Relaxed);
        let mut state = self.disk.state();
        Disk::operation(&mut state)?;
        let file = &mut state.files[self.file];
        file.synced = file.now.clone();
        Ok(())
    }
}
