//! External ids: any 64-bit value or string, mapped to dense vertices and back.
//!
//! ```text
//!   keys    [64][128][256] …       key of vertex 0, 1, 2, …   appended only; blocks double, so that no key ever moves
//!   table   [ – 3 – – 0 2 – 1 ]    open addressing: vertices by the hash of their key, four bytes a slot
//!   own     5                      keys 0 to 4 are the numbers of their own vertices, and are not in the table
//!   earlier [ – – – 1 – ]          the vertex that a key named before it was removed and added again
//! ```
//!
//! Many graphs call their vertices 0, 1, 2, …: such a key is found without the table, whose random reads would take longer than all else
//! that a line of a stream needs.
//!
//! Ids are appended and never changed, and an id that is removed is only marked with the number of its removal. That is why all versions
//! share one map: a version of it is the map, a length and a number of removals. Readers never wait, even while other threads add or remove
//! ids. Threads that add or remove ids wait for one another.
//!
//! A key has one slot, however often it is removed and added again. The slot holds the key's newest vertex; earlier versions of the map
//! find older vertices from there.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use pleach_runtime::attempt;

use super::compact::Numbering;
use super::counted::Counted;
use super::error::MAX_VERTICES;

/// The types of external ids: `u64` or `str`.
pub trait ExternalId: Hash + Eq + Send + Sync + sealed::Sealed {
    /// The type that lookups of an id return.
    type Loaded<'a>;
    /// Where it is kept.
    #[doc(hidden)]
    type Cell: Default + Send + Sync;
    #[doc(hidden)]
    fn store(&self, cell: &Self::Cell);
    #[doc(hidden)]
    fn load(cell: &Self::Cell) -> Self::Loaded<'_>;
    #[doc(hidden)]
    fn is_in(&self, cell: &Self::Cell) -> bool;
    #[doc(hidden)]
    fn hash_of(cell: &Self::Cell, hasher: &impl BuildHasher) -> u64;
    /// Bytes kept outside of the cell.
    #[doc(hidden)]
    fn bytes(cell: &Self::Cell) -> usize;
    /// The vertex that the id would be the number of, if it is a number.
    #[doc(hidden)]
    fn as_vertex(&self) -> Option<u32>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u64 {}
    impl Sealed for str {}
}

impl ExternalId for u64 {
    type Loaded<'a> = u64;
    type Cell = AtomicU64;

    fn store(&self, cell: &AtomicU64) {
        // Relaxed: a thread reads the cell only after an acquiring load of a slot or of the length.
        cell.store(*self, Ordering::Relaxed);
    }

    fn load(cell: &AtomicU64) -> u64 {
        cell.load(Ordering::Relaxed)
    }

    fn is_in(&self, cell: &AtomicU64) -> bool {
        cell.load(Ordering::Relaxed) == *self
    }

    fn hash_of(cell: &AtomicU64, hasher: &impl BuildHasher) -> u64 {
        hasher.hash_one(Self::load(cell))
    }

    fn bytes(_: &AtomicU64) -> usize {
        0
    }

    fn as_vertex(&self) -> Option<u32> {
        u32::try_from(*self).ok()
    }
}

impl ExternalId for str {
    type Loaded<'a> = &'a str;
    type Cell = OnceLock<Box<str>>;

    fn store(&self, cell: &OnceLock<Box<str>>) {
        cell.get_or_init(|| self.into());
    }

    fn load(cell: &OnceLock<Box<str>>) -> &str {
        cell.get().map_or("", |key| key)
    }

    fn is_in(&self, cell: &OnceLock<Box<str>>) -> bool {
        cell.get().is_some_and(|key| **key == *self)
    }

    fn hash_of(cell: &OnceLock<Box<str>>, hasher: &impl BuildHasher) -> u64 {
        hasher.hash_one(Self::load(cell))
    }

    fn bytes(cell: &OnceLock<Box<str>>) -> usize {
        Self::load(cell).len()
    }

    fn as_vertex(&self) -> Option<u32> {
        None
    }
}

/// Why an id cannot be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdsError {
    /// There are as many ids as vertex numbers.
    #[error("there are {MAX_VERTICES} ids already, as many as there can be vertices")]
    Full,
    /// A vertex that is numbered anew has no id.
    #[error("vertex {vertex} has no id")]
    NoId {
        /// The vertex.
        vertex: u32,
    },
    /// The memory for one more cannot be allocated.
    #[error("{bytes} bytes of memory for more ids cannot be allocated")]
    OutOfMemory {
        /// Bytes that could not be allocated.
        bytes: usize,
    },
}

/// Keys in the first block; each further one holds twice as many as the one before.
const FIRST_BLOCK: usize = 64;

/// Blocks for as many keys as there can be vertices.
const BLOCKS: usize = 27;

/// A growing map between external ids and dense vertices. Cloning it gives another handle of the same map.
///
/// Vertices are numbered in the order in which their ids were added, from 0. Takes about 16 bytes a `u64` id, or half of that for the ids
/// 0, 1, 2, … as long as they are added in this order first. The number of an id that
/// was removed is not given to another one, and its memory is kept for earlier versions: [`compact`](Self::compact) makes a map
/// without such ids.
///
/// ```
/// use pleach::graph::Ids;
///
/// let ids: Ids<str> = Ids::new();
/// let (ada, bob) = (ids.intern("ada")?, ids.intern("bob")?);
/// let version = ids.version();
/// ids.intern("eve")?;
///
/// assert_eq!((ids.intern("ada")?, ids.get("bob"), ids.key(2)), (ada, Some(bob), Some("eve")));
/// assert_eq!((version.get("eve"), version.len()), (None, 2));
///
/// // An id that is removed leaves earlier versions as they are; added again, it names a new vertex.
/// assert_eq!((ids.remove("bob"), ids.get("bob"), version.get("bob")), (Some(bob), None, Some(bob)));
/// assert_eq!((ids.intern("bob")?, ids.len(), ids.bound()), (3, 3, 4));
/// # Ok::<(), pleach::graph::IdsError>(())
/// ```
pub struct Ids<K: ExternalId + ?Sized = u64> {
    shared: Arc<Shared<K>>,
}

/// What stands in place of the number of a removal where a vertex never had an id. No removal has this number: there are fewer vertices.
const NEVER: u32 = u32::MAX;

struct Shared<K: ExternalId + ?Sized> {
    blocks: [OnceLock<Box<[K::Cell]>>; BLOCKS],
    /// The first vertices, as many as have their own numbers as keys. Grows only.
    own: AtomicU32,
    /// The vertices behind those. Never replaced by a smaller one. Slots hold vertex + 1, or 0.
    table: ArcSwap<Box<[AtomicU32]>>,
    /// The number of the removal of each vertex's id, from 1 on, or 0, or [`NEVER`]; no block where none was removed.
    removed: [OnceLock<Box<[AtomicU32]>>; BLOCKS],
    /// For each vertex, 1 + the vertex that had the same key before, or 0. A block is allocated when a key of one of its vertices is added
    /// again. Keys that are the numbers of their own vertices are not recorded.
    earlier: [OnceLock<Box<[AtomicU32]>>; BLOCKS],
    /// A [`State`]. It counts keys that are in their cells and in the table, and removals that are marked.
    state: AtomicU64,
    /// Locked while a key is added or removed.
    changing: Mutex<()>,
    hasher: foldhash::fast::RandomState,
}

/// The number of keys and of removals at one moment.
#[derive(Clone, Copy, PartialEq, Eq)]
struct State {
    /// Keys added.
    added: u32,
    /// Keys removed.
    removals: u32,
}

impl State {
    fn unpack(bits: u64) -> Self {
        State { added: bits as u32, removals: (bits >> 32) as u32 }
    }

    fn pack(self) -> u64 {
        u64::from(self.removals) << 32 | u64::from(self.added)
    }

    /// Number of ids.
    fn len(self) -> usize {
        (self.added - self.removals) as usize
    }
}

impl<K: ExternalId + ?Sized> Clone for Ids<K> {
    fn clone(&self) -> Self {
        Ids { shared: self.shared.clone() }
    }
}

impl<K: ExternalId + ?Sized> Default for Ids<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: ExternalId + ?Sized> Shared<K> {
    /// The block of a vertex, and its place there.
    fn place(vertex: usize) -> (usize, usize) {
        let shifted = vertex + FIRST_BLOCK;
        let block = shifted.ilog2() - FIRST_BLOCK.ilog2();
        (block as usize, shifted - (FIRST_BLOCK << block))
    }

    fn cell(&self, vertex: usize) -> Option<&K::Cell> {
        let (block, at) = Self::place(vertex);
        self.blocks.get(block)?.get()?.get(at)
    }

    fn state(&self) -> State {
        State::unpack(self.state.load(Ordering::Acquire))
    }

    /// Whether a vertex had an id when the map was in some state.
    fn has_id(&self, vertex: u32, state: State) -> bool {
        vertex < state.added
            && (state.removals == 0
                || match self.removal(vertex) {
                    0 => true,
                    NEVER => false,
                    removal => removal > state.removals,
                })
    }

    /// The number of the removal of a vertex's id, or 0, or [`NEVER`].
    fn removal(&self, vertex: u32) -> u32 {
        let (block, at) = Self::place(vertex as usize);
        // Relaxed: a thread looks for a removal only after an acquiring load of the state.
        self.removed[block].get().map_or(0, |removals| removals[at].load(Ordering::Relaxed))
    }

    /// The vertex that a key named in some state, if the key equals the number of the vertex.
    fn own_vertex(&self, key: &K, state: State) -> Option<u32> {
        // Relaxed: the number was stored before the state was.
        key.as_vertex().filter(|&vertex| vertex < self.own.load(Ordering::Relaxed) && self.has_id(vertex, state))
    }

    /// The vertex that a key named in some state. Keys that are numbers of vertices are found without the table.
    fn find(&self, key: &K, state: State) -> Option<u32> {
        self.own_vertex(key, state).or_else(|| self.probe(&self.table.load(), key, state).ok())
    }

    /// As [`find`](Self::find), in a table; or the slot where the key would be put.
    fn probe(&self, table: &[AtomicU32], key: &K, state: State) -> Result<u32, usize> {
        if let Some(vertex) = self.own_vertex(key, state) {
            return Ok(vertex);
        }
        let mask = table.len() - 1;
        let mut at = self.hasher.hash_one(key) as usize & mask;
        loop {
            // Acquire: the key that the slot refers to was written before.
            let Some(newest) = table[at].load(Ordering::Acquire).checked_sub(1) else { return Err(at) };
            if self.cell(newest as usize).is_some_and(|cell| key.is_in(cell)) {
                // No other slot has the key.
                return if self.has_id(newest, state) { Ok(newest) } else { self.earlier(newest, state).ok_or(at) };
            }
            at = (at + 1) & mask;
        }
    }

    /// The vertex that a key named in an earlier state, found from the key's `newest` vertex. Takes a step for each time that the key was
    /// added since.
    #[cold]
    fn earlier(&self, newest: u32, state: State) -> Option<u32> {
        let mut vertex = newest;
        while vertex >= state.added {
            let (block, at) = Self::place(vertex as usize);
            // Relaxed: it was stored before the slot that led here was.
            vertex = self.earlier[block].get()?[at].load(Ordering::Relaxed).checked_sub(1)?;
        }
        // The key's vertices before this one were removed before it was added.
        self.has_id(vertex, state).then_some(vertex)
    }

    /// Makes room for the key of the next vertex.
    fn make_cell(&self, vertex: usize) -> Result<(), IdsError> {
        let (block, place) = Self::place(vertex);
        if place == 0 {
            let size = FIRST_BLOCK << block;
            let mut cells = Vec::new();
            let bytes = size * size_of::<K::Cell>();
            attempt(|| cells.try_reserve_exact(size)).map_err(|_| IdsError::OutOfMemory { bytes })?;
            cells.resize_with(size, K::Cell::default);
            // The block may exist already, if growing the table failed after it was added.
            let _ = self.blocks[block].set(cells.into_boxed_slice());
        }
        Ok(())
    }

    /// Marks the id of a vertex as removed, by the removal of a number.
    fn mark(&self, vertex: u32, removal: u32) {
        let (block, at) = Self::place(vertex as usize);
        self.removed[block].get_or_init(|| zeros(FIRST_BLOCK << block))[at].store(removal, Ordering::Relaxed);
    }

    /// Records 1 + the vertex that the key of `vertex` named before.
    fn follow(&self, vertex: usize, earlier: u32) {
        let (block, at) = Self::place(vertex);
        self.earlier[block].get_or_init(|| zeros(FIRST_BLOCK << block))[at].store(earlier, Ordering::Relaxed);
    }

    /// Whether the table, of which half stays free, has no room for the key of the next vertex.
    fn is_full(&self, table: &[AtomicU32], next: usize) -> bool {
        2 * (next + 1 - self.own.load(Ordering::Relaxed) as usize) > table.len()
    }

    /// A table twice as large.
    fn grow(&self, len: usize) -> Result<Arc<Box<[AtomicU32]>>, IdsError> {
        let old = self.table.load();
        let slots = 2 * old.len();
        let mut table = Vec::new();
        let bytes = slots * size_of::<AtomicU32>();
        attempt(|| table.try_reserve_exact(slots)).map_err(|_| IdsError::OutOfMemory { bytes })?;
        table.resize_with(slots, AtomicU32::default);
        for vertex in self.own.load(Ordering::Relaxed) as usize..len {
            let removal = self.removal(vertex as u32);
            if removal == NEVER {
                continue;
            }
            let cell = self.cell(vertex).expect("keys below the length are in their cells");
            let hash = K::hash_of(cell, &self.hasher) as usize;
            // If its key was added again, the slot holds a newer vertex, and this one is found from there.
            if removal != 0 && !holds(&old, vertex as u32, hash) {
                continue;
            }
            let mut at = hash & (slots - 1);
            while table[at].load(Ordering::Relaxed) != 0 {
                at = (at + 1) & (slots - 1);
            }
            table[at].store(vertex as u32 + 1, Ordering::Relaxed);
        }
        Ok(Arc::new(table.into_boxed_slice()))
    }
}

/// An array of `n` zeros.
fn zeros(n: usize) -> Box<[AtomicU32]> {
    (0..n).map(|_| AtomicU32::new(0)).collect()
}

/// Whether a slot of a table holds the vertex. `hash` is the hash of its key.
fn holds(table: &[AtomicU32], vertex: u32, hash: usize) -> bool {
    let mask = table.len() - 1;
    let mut at = hash & mask;
    loop {
        match table[at].load(Ordering::Relaxed).checked_sub(1) {
            None => return false,
            Some(found) if found == vertex => return true,
            Some(_) => at = (at + 1) & mask,
        }
    }
}

impl<K: ExternalId + ?Sized> Ids<K> {
    /// A map without ids.
    pub fn new() -> Self {
        Ids {
            shared: Arc::new(Shared {
                blocks: [const { OnceLock::new() }; BLOCKS],
                own: AtomicU32::new(0),
                table: ArcSwap::from_pointee(zeros(2 * FIRST_BLOCK)),
                removed: [const { OnceLock::new() }; BLOCKS],
                earlier: [const { OnceLock::new() }; BLOCKS],
                state: AtomicU64::new(0),
                changing: Mutex::new(()),
                hasher: Default::default(),
            }),
        }
    }

    /// The vertex of an id. Adds the id if it is new. Takes constant time, except when the table grows to twice its size.
    ///
    /// # Errors
    ///
    /// [`IdsError`] if there are too many ids or too little memory.
    pub fn intern(&self, key: &K) -> Result<u32, IdsError> {
        if let Some(vertex) = self.get(key) {
            return Ok(vertex);
        }
        let shared = &*self.shared;
        let _changing = shared.changing.lock();
        let state = shared.state();
        let len = state.added as usize;
        let mut table = shared.table.load_full();
        // Another thread may have added it before this one got the lock.
        let mut at = match shared.probe(&table, key, state) {
            Ok(vertex) => return Ok(vertex),
            Err(at) => at,
        };
        if len == MAX_VERTICES {
            return Err(IdsError::Full);
        }
        shared.make_cell(len)?;
        let own = key.as_vertex() == Some(len as u32) && shared.own.load(Ordering::Relaxed) == len as u32;
        if !own && shared.is_full(&table, len) {
            table = shared.grow(len)?;
            shared.table.store(table.clone());
            at = shared.probe(&table, key, state).expect_err("the key was not there a moment ago");
        }
        key.store(shared.cell(len).expect("the block was just made"));
        if own {
            shared.own.store(len as u32 + 1, Ordering::Relaxed);
        } else {
            let earlier = table[at].load(Ordering::Relaxed);
            if earlier != 0 {
                shared.follow(len, earlier);
            }
            table[at].store(len as u32 + 1, Ordering::Release);
        }
        shared.state.store(State { added: state.added + 1, ..state }.pack(), Ordering::Release);
        Ok(len as u32)
    }

    /// Removes an id. Returns the vertex that it named, if it existed. The number of the vertex is not given to another id, and what
    /// [`version`](Self::version) gave before stays as it was. A graph's vertex is removed by
    /// [`Graph::remove_vertex`](super::Graph::remove_vertex). Constant time.
    pub fn remove(&self, key: &K) -> Option<u32> {
        let shared = &*self.shared;
        let _changing = shared.changing.lock();
        let state = shared.state();
        let vertex = shared.find(key, state)?;
        let removals = state.removals + 1;
        shared.mark(vertex, removals);
        shared.state.store(State { removals, ..state }.pack(), Ordering::Release);
        Some(vertex)
    }

    /// Gives the next number to a vertex without an id, as if it had had one that was removed: for programs that write a map to a file and
    /// read it back. Constant time.
    ///
    /// # Errors
    ///
    /// As [`intern`](Self::intern).
    pub fn add_removed(&self) -> Result<u32, IdsError> {
        let shared = &*self.shared;
        let _changing = shared.changing.lock();
        let State { added, removals } = shared.state();
        if added as usize == MAX_VERTICES {
            return Err(IdsError::Full);
        }
        shared.make_cell(added as usize)?;
        // The table has twice as many slots as there are keys that are looked for in it.
        if shared.is_full(&shared.table.load(), added as usize) {
            shared.table.store(shared.grow(added as usize)?);
        }
        shared.mark(added, NEVER);
        shared.state.store(State { added: added + 1, removals: removals + 1 }.pack(), Ordering::Release);
        Ok(added)
    }

    /// The vertex of an id, if it exists. Takes constant time and never waits.
    pub fn get(&self, key: &K) -> Option<u32> {
        self.get_in(key, self.shared.state())
    }

    /// The vertex that an id named when the map was in some state.
    fn get_in(&self, key: &K, state: State) -> Option<u32> {
        self.shared.find(key, state)
    }

    /// The id of a vertex, if it has one. Takes constant time and never waits.
    pub fn key(&self, vertex: u32) -> Option<K::Loaded<'_>> {
        self.key_in(vertex, self.shared.state())
    }

    /// The id that a vertex had when the map was in some state.
    fn key_in(&self, vertex: u32, state: State) -> Option<K::Loaded<'_>> {
        self.shared.has_id(vertex, state).then(|| self.shared.cell(vertex as usize).map(K::load)).flatten()
    }

    /// Number of ids; those that were removed do not count.
    pub fn len(&self) -> usize {
        self.shared.state().len()
    }

    /// One more than the largest vertex that an id was ever given to: the length of an array with an element for each.
    pub fn bound(&self) -> usize {
        self.shared.state().added as usize
    }

    /// Whether there are no ids.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The current ids with their vertices, ascending by vertex. Later additions and removals have no effect on the iterator.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, K::Loaded<'_>)> {
        let state = self.shared.state();
        let keys = (0..state.added).filter_map(move |vertex| Some((vertex, self.key_in(vertex, state)?)));
        Counted::new(keys, state.len())
    }

    /// A version of the map with the current ids. Later additions and removals have no effect on it. Takes constant time.
    pub fn version(&self) -> IdsVersion<K> {
        IdsVersion { state: self.shared.state(), ids: self.clone() }
    }

    /// Bytes held, those of strings included.
    pub fn bytes(&self) -> usize {
        let shared = &*self.shared;
        let cells: usize = shared.blocks.iter().filter_map(OnceLock::get).map(|block| block.len()).sum();
        let marks = shared.removed.iter().chain(&shared.earlier).filter_map(OnceLock::get);
        let marks: usize = marks.map(|block| block.len()).sum();
        let added = shared.state().added as usize;
        let strings: usize = (0..added).filter_map(|vertex| shared.cell(vertex)).map(K::bytes).sum();
        cells * size_of::<K::Cell>() + (shared.table.load().len() + marks) * size_of::<AtomicU32>() + strings
    }
}

impl<K: ExternalId + ?Sized> Ids<K>
where
    for<'a> K::Loaded<'a>: Borrow<K>,
{
    /// The ids of the vertices of a numbering, numbered by it: the map that belongs to a graph that was
    /// [made compact](super::Snapshot::compact). Takes O(n) for `n` vertices.
    ///
    /// # Errors
    ///
    /// [`IdsError`] if a vertex has no id, or if there is too little memory.
    pub fn compact(&self, numbering: &Numbering) -> Result<Self, IdsError> {
        let (state, ids) = (self.shared.state(), Ids::new());
        for &vertex in numbering.old() {
            let key = self.key_in(vertex, state).ok_or(IdsError::NoId { vertex })?;
            ids.intern(key.borrow())?;
        }
        Ok(ids)
    }
}

impl<K: ExternalId + ?Sized> fmt::Debug for Ids<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ids").field("len", &self.len()).field("bound", &self.bound()).finish_non_exhaustive()
    }
}

/// One version of a map of ids: a handle, a length and a number of removals.
pub struct IdsVersion<K: ExternalId + ?Sized = u64> {
    ids: Ids<K>,
    state: State,
}

impl<K: ExternalId + ?Sized> Clone for IdsVersion<K> {
    fn clone(&self) -> Self {
        IdsVersion { ids: self.ids.clone(), state: self.state }
    }
}

impl<K: ExternalId + ?Sized> fmt::Debug for IdsVersion<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdsVersion").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl<K: ExternalId + ?Sized> IdsVersion<K> {
    /// The vertex of an id, if the id existed. Never waits. Takes constant time, plus a step for each time that the id was added again
    /// since.
    pub fn get(&self, key: &K) -> Option<u32> {
        self.ids.get_in(key, self.state)
    }

    /// The id of a vertex, if it had one.
    pub fn key(&self, vertex: u32) -> Option<K::Loaded<'_>> {
        self.ids.key_in(vertex, self.state)
    }

    /// Number of ids.
    pub fn len(&self) -> usize {
        self.state.len()
    }

    /// Whether there are no ids.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::thread;

    use pleach_runtime::SplitMix64;

    use super::*;

    /// Whether tests run at their full size, as by night.
    const FULL: bool = option_env!("PLEACH_FULL_SIZE").is_some();

    #[test]
    fn vertices_without_ids_take_numbers_only() {
        let (numbers, names) = (Ids::<u64>::new(), Ids::<str>::new());
        for k in 0..1000u32 {
            if k % 3 == 0 {
                assert_eq!((numbers.add_removed(), names.add_removed()), (Ok(k), Ok(k)));
            } else {
                assert_eq!((numbers.intern(&u64::from(k - 1)), names.intern(&k.to_string())), (Ok(k), Ok(k)));
            }
        }
        assert_eq!((numbers.len(), numbers.bound(), names.len()), (666, 1000, 666));
        // An empty cell looks like the id zero or the empty string, which are valid ids.
        assert_eq!((numbers.get(&0), names.get(""), numbers.key(3), names.key(0)), (Some(1), None, None, None));
        assert_eq!((names.intern(""), names.get("")), (Ok(1000), Some(1000)));
        // Many of them take no more time each: they are in no table.
        let key = |k: u32| format!("key {k}");
        let many = if FULL { 1 << 19 } else { 1 << 16 };
        for k in 0..many {
            names.add_removed().unwrap();
            names.intern(&key(k)).unwrap();
        }
        assert!((0..many).all(|k| names.get(&key(k)) == Some(1002 + 2 * k)));
    }

    /// Keys that are the numbers of their vertices at first, then others; some are removed and added again.
    #[test]
    fn ids_that_are_the_numbers_of_their_vertices() {
        let (ids, mut model) = (Ids::<u64>::new(), HashMap::new());
        for key in (0..1000).chain([5000, 1001, 1002]).chain(1000..3000) {
            let next = model.len() as u32;
            let expected = *model.entry(key).or_insert(next);
            assert_eq!((ids.intern(&key), ids.get(&key)), (Ok(expected), Some(expected)));
        }
        assert!(ids.bytes() < 18 * model.len(), "the first thousand are not in the table");
        let before = ids.version();
        for key in [0, 999, 1000, 2999] {
            let removed = model.remove(&key);
            assert_eq!((ids.remove(&key), ids.get(&key), before.get(&key)), (removed, None, removed));
            let next = ids.bound() as u32;
            assert_eq!((ids.intern(&key), ids.get(&key)), (Ok(next), Some(next)));
            model.insert(key, next);
        }
        assert!((0..6000).all(|key| ids.get(&key) == model.get(&key).copied()));
        assert!((before.get(&999), before.get(&5000), before.get(&1000)) == (Some(999), Some(1000), Some(1003)));
        // Every key, also that of a vertex that was removed and whose number came again as a key.
        assert!(ids.iter().all(|(vertex, key)| ids.get(&key) == Some(vertex)));
    }

    #[test]
    fn ids_against_a_map() {
        let (ids, mut model) = (Ids::<u64>::new(), HashMap::new());
        let mut versions = vec![];
        for k in 0..10_000u64 {
            let key = k.wrapping_mul(0x9E37_79B9_7F4A_7C15) % 3_000 * (u64::MAX / 3_000);
            let next = model.len() as u32;
            let expected = *model.entry(key).or_insert(next);
            assert_eq!(ids.get(&key).unwrap_or(next), expected);
            assert_eq!(ids.intern(&key), Ok(expected));
            assert_eq!(ids.key(expected), Some(key));
            if k % 1000 == 0 {
                versions.push((ids.version(), model.len()));
            }
        }
        assert_eq!((ids.len(), ids.key(model.len() as u32)), (model.len(), None));
        assert!(ids.bytes() >= 12 * model.len() && ids.bytes() < 40 * model.len());
        for (version, len) in versions {
            assert_eq!((version.len(), version.is_empty()), (len, len == 0));
            for (key, &vertex) in &model {
                let there = (vertex as usize) < len;
                assert_eq!((version.get(key), version.key(vertex)), (there.then_some(vertex), there.then_some(*key)));
            }
        }
    }

    #[test]
    fn removals_against_a_map_with_versions_held() {
        let (ids, mut model, mut random) = (Ids::<u64>::new(), HashMap::new(), SplitMix64(11));
        let mut versions = vec![];
        for k in 0..6_000u32 {
            let key = random.below(1024);
            if random.below(4) == 0 {
                assert_eq!(ids.remove(&key), model.remove(&key));
            } else {
                let next = ids.bound() as u32;
                assert_eq!(ids.intern(&key), Ok(*model.entry(key).or_insert(next)));
            }
            assert_eq!((ids.get(&key), ids.len()), (model.get(&key).copied(), model.len()));
            if k % 500 == 0 {
                versions.push((ids.version(), ids.bound() as u32, model.clone()));
            }
        }
        assert!(ids.bound() > 2 * ids.len(), "ids were added again");
        for (version, bound, model) in versions {
            assert_eq!(version.len(), model.len());
            assert!((0..1024).all(|key| version.get(&key) == model.get(&key).copied()));
            let keys = (0..bound).filter_map(|vertex| Some((version.key(vertex)?, vertex)));
            assert_eq!(keys.collect::<HashMap<u64, u32>>(), model);
        }
        assert_eq!(ids.iter().map(|(vertex, key)| (key, vertex)).collect::<HashMap<u64, u32>>(), model);
        let vertices: Vec<u32> = ids.iter().map(|(vertex, _)| vertex).collect();
        let compact = ids.compact(&Numbering::of(vertices)).unwrap();
        assert!(compact.iter().map(|(_, key)| key).eq(ids.iter().map(|(_, key)| key)));
        assert_eq!((compact.len(), compact.bound()), (ids.len(), ids.len()));
        assert!(ids.compact(&Numbering::of(vec![u32::MAX - 1])).is_err());
    }

    /// An id that is removed and added again keeps one slot, and earlier versions still find its older vertices.
    #[test]
    fn an_id_that_is_added_again_and_again_has_one_slot() {
        let ids = Ids::<u64>::new();
        let slots = || ids.shared.table.load().iter().filter(|slot| slot.load(Ordering::Relaxed) != 0).count();
        let mut versions = vec![ids.version()];
        // The first vertex has the number that is its id, and needs no slot.
        for k in 0..1000 {
            assert_eq!((ids.intern(&0), ids.intern(&0), ids.get(&0)), (Ok(k), Ok(k), Some(k)));
            versions.push(ids.version());
            assert_eq!((ids.remove(&0), ids.get(&0), ids.remove(&0)), (Some(k), None, None));
        }
        assert_eq!((slots(), ids.len(), ids.bound()), (1, 0, 1000));
        assert_eq!((ids.intern(&5), ids.intern(&0), ids.get(&5)), (Ok(1000), Ok(1001), Some(1000)));
        assert_eq!((slots(), ids.get(&0), ids.len()), (2, Some(1001), 2));
        for (version, k) in versions.iter().zip(0u32..) {
            assert_eq!((version.get(&0), version.get(&5)), (k.checked_sub(1), None));
        }
        let names = Ids::<str>::new();
        let first = names.intern("ada").map(|_| names.version()).unwrap();
        for _ in 0..500 {
            names.remove("ada").unwrap();
            names.intern("ada").unwrap();
        }
        assert_eq!((first.get("ada"), names.get("ada"), names.key(500)), (Some(0), Some(500), Some("ada")));
        assert!(names.shared.table.load().iter().filter(|slot| slot.load(Ordering::Relaxed) != 0).count() == 1);
    }

    #[test]
    fn blocks_follow_one_another() {
        let mut last = (0, 0);
        assert_eq!(Shared::<u64>::place(0), last);
        for vertex in 1..100_000 {
            let place = Shared::<u64>::place(vertex);
            let expected = if last.1 + 1 == FIRST_BLOCK << last.0 { (last.0 + 1, 0) } else { (last.0, last.1 + 1) };
            assert_eq!(place, expected);
            last = place;
        }
        assert!(Shared::<u64>::place(MAX_VERTICES).0 < BLOCKS);
    }

    #[test]
    fn readers_beside_several_who_add() {
        let ids = Ids::<str>::new();
        thread::scope(|scope| {
            for thread in 0..3 {
                let ids = &ids;
                scope.spawn(move || {
                    for k in 0..2_000u32 {
                        let key = format!("vertex {}", k.wrapping_mul(thread + 1) % 1_500);
                        let vertex = ids.intern(&key).expect("there is room");
                        assert_eq!(ids.key(vertex), Some(key.as_str()));
                        assert_eq!(ids.get(&key), Some(vertex));
                        let version = ids.version();
                        assert!(
                            (0..version.len())
                                .step_by(97)
                                .all(|v| { version.key(v as u32).and_then(|key| version.get(key)) == Some(v as u32) })
                        );
                    }
                });
            }
        });
        assert_eq!(ids.len(), 1_500);
    }
}
