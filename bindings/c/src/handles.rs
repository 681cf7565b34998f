//! What C programs hold instead of pointers: numbers that name a graph or a snapshot, and that name nothing when it is freed.
//!
//! ```text
//!   handle     generation (32 bits) · slot + 1 (32 bits)
//!   slots      [64][128][256] …     blocks double, so that no slot ever moves; each has the object of one generation, or none
//! ```
//!
//! A slot that is freed gets another generation, so that a handle is told from all earlier ones of its slot. Looking a handle up takes no
//! lock, and a call that uses an object keeps it alive: another thread may free its handle meanwhile.

use std::sync::{Arc, OnceLock};

use arc_swap::{ArcSwapOption, Guard};
use parking_lot::Mutex;

use crate::failure::{Failure, Status};
use crate::graph::AnyGraph;
use crate::snapshot::AnySnapshot;

/// What a handle names.
pub(crate) enum Object {
    Graph(Box<dyn AnyGraph>),
    Snapshot(Box<dyn AnySnapshot>),
}

/// An object, and the generation of the handle that names it.
struct Entry {
    generation: u32,
    object: Object,
}

/// Slots in the first block; each further one has twice as many as the one before.
const FIRST_BLOCK: usize = 64;
/// Blocks for as many slots as a handle can name.
const BLOCKS: usize = 26;

pub(crate) struct Handles {
    blocks: [OnceLock<Box<[ArcSwapOption<Entry>]>>; BLOCKS],
    unused: Mutex<Unused>,
}

struct Unused {
    /// Slots that were freed, each with its next generation.
    freed: Vec<(usize, u32)>,
    /// The first slot that was never used.
    next: usize,
}

/// All handles of the program.
pub(crate) static HANDLES: Handles = Handles::new();

impl Handles {
    const fn new() -> Self {
        Handles {
            blocks: [const { OnceLock::new() }; BLOCKS],
            unused: Mutex::new(Unused { freed: Vec::new(), next: 0 }),
        }
    }

    /// The block of a slot, and its place there.
    fn place(slot: usize) -> (usize, usize) {
        let shifted = slot + FIRST_BLOCK;
        let block = (shifted.ilog2() - FIRST_BLOCK.ilog2()) as usize;
        (block, shifted - (FIRST_BLOCK << block))
    }

    fn slot(&self, slot: usize) -> Option<&ArcSwapOption<Entry>> {
        let (block, at) = Self::place(slot);
        self.blocks.get(block)?.get()?.get(at)
    }

    /// A handle for an object.
    pub(crate) fn add(&self, object: Object) -> Result<u64, Failure> {
        let (slot, generation) = {
            let mut unused = self.unused.lock();
            match unused.freed.pop() {
                Some(freed) => freed,
                None => {
                    unused.next += 1;
                    (unused.next - 1, 1)
                }
            }
        };
        let (block, at) = Self::place(slot);
        let Some(block) = self.blocks.get(block) else {
            return Err(Failure::new(Status::TooMany, "there are too many graphs and snapshots: free some"));
        };
        let empty = || (0..FIRST_BLOCK << Self::place(slot).0).map(|_| ArcSwapOption::empty()).collect();
        block.get_or_init(empty)[at].store(Some(Arc::new(Entry { generation, object })));
        Ok(u64::from(generation) << 32 | (slot as u64 + 1))
    }

    fn find(&self, handle: u64, kind: &str) -> Result<Guard<Option<Arc<Entry>>>, Failure> {
        let (slot, generation) = (handle as u32, (handle >> 32) as u32);
        let entry = slot.checked_sub(1).and_then(|slot| self.slot(slot as usize)).map(ArcSwapOption::load);
        match entry {
            Some(entry) if entry.as_ref().is_some_and(|entry| entry.generation == generation) => Ok(entry),
            _ => Err(no_such(handle, kind)),
        }
    }

    /// Calls `f` with the graph that a handle names.
    pub(crate) fn graph<T>(
        &self,
        handle: u64,
        f: impl FnOnce(&dyn AnyGraph) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        match self.find(handle, "graph")?.as_deref() {
            Some(Entry { object: Object::Graph(graph), .. }) => f(&**graph),
            _ => Err(other_kind("graph", "snapshot")),
        }
    }

    /// Calls `f` with the snapshot that a handle names.
    pub(crate) fn snapshot<T>(
        &self,
        handle: u64,
        f: impl FnOnce(&dyn AnySnapshot) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        match self.find(handle, "snapshot")?.as_deref() {
            Some(Entry { object: Object::Snapshot(snapshot), .. }) => f(&**snapshot),
            _ => Err(other_kind("snapshot", "graph")),
        }
    }

    /// Frees what a handle names; calls that use it go on.
    pub(crate) fn free(&self, handle: u64, kind: &'static str) -> Result<(), Failure> {
        match (&self.find(handle, kind)?.as_deref().expect("found").object, kind) {
            (Object::Graph(_), "graph") | (Object::Snapshot(_), "snapshot") => {}
            (Object::Graph(_), _) => return Err(other_kind(kind, "graph")),
            (Object::Snapshot(_), _) => return Err(other_kind(kind, "snapshot")),
        }
        let (slot, generation) = (handle as u32 as usize - 1, (handle >> 32) as u32);
        let mut unused = self.unused.lock();
        let place = self.slot(slot).expect("the handle was found");
        // Another thread may have freed it before this one got the lock.
        if place.load().as_ref().is_none_or(|entry| entry.generation != generation) {
            return Err(no_such(handle, kind));
        }
        let freed = place.swap(None);
        // A slot whose generations are used up is left unused.
        if let Some(next) = generation.checked_add(1) {
            unused.freed.push((slot, next));
        }
        // Dropped without the lock: a graph takes a while.
        drop(unused);
        drop(freed);
        Ok(())
    }
}

fn no_such(handle: u64, kind: &str) -> Failure {
    let message = match handle {
        0 => format!("the handle of the {kind} is zero: nothing was created, or not successfully"),
        _ => format!("{handle:#x} is no handle of a {kind}: it was freed, or never created"),
    };
    Failure::new(Status::BadHandle, message)
}

fn other_kind(wanted: &str, found: &str) -> Failure {
    Failure::new(Status::BadHandle, format!("the handle is that of a {found}, and a {wanted} is expected"))
}
