//! SplitMix64 requests against a model, frees from other threads, and that all memory comes back.

use std::alloc::Layout;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};

use pleach_runtime::SplitMix64;
use pleach_runtime::pool::{allocate, deallocate, fresh, stats, trim};

/// Bytes of a chunk, and the largest request that chunks serve.
const CHUNK: usize = if cfg!(miri) { 64 << 10 } else { 2 << 20 };
const LARGEST: usize = if cfg!(miri) { 4 << 10 } else { 32 << 10 };

/// Whether tests run at their full size, as by night.
const FULL: bool = option_env!("PLEACH_FULL_SIZE").is_some();

/// Whether sizes are those for miri, which is slow, by day.
const SHORT: bool = cfg!(miri) && !FULL;

/// Tests that look at what the whole pool holds run one after the other.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Mostly the sizes of nodes, now and then that of an array, rarely one beyond chunks.
fn some_layout(random: &mut SplitMix64) -> Layout {
    let size = match random.index(100) {
        0..70 => random.index(130),
        70..90 => random.index(1100),
        90..99 => random.index(LARGEST + 1),
        _ => LARGEST + random.index(1000),
    };
    let align = 1 << if random.index(20) == 0 { random.index(8) } else { random.index(4) };
    Layout::from_size_align(size, align).unwrap()
}

/// A node of arbitrary size, filled with a byte that is checked when it goes.
struct Filled {
    pointer: NonNull<u8>,
    layout: Layout,
    byte: u8,
}

// SAFETY: a `Filled` owns its memory.
unsafe impl Send for Filled {}

impl Filled {
    fn new(layout: Layout, byte: u8) -> Filled {
        let pointer = allocate(layout);
        assert_eq!(pointer.addr().get() % layout.align(), 0);
        // SAFETY: the memory is as long as the layout says.
        unsafe { pointer.write_bytes(byte, layout.size()) };
        Filled { pointer, layout, byte }
    }
}

impl Drop for Filled {
    fn drop(&mut self) {
        // SAFETY: `new` filled the memory.
        let bytes = unsafe { std::slice::from_raw_parts(self.pointer.as_ptr(), self.layout.size()) };
        // Under miri, which is slow, the edges must do.
        let step = if cfg!(miri) { 1 + bytes.len() / 8 } else { 1 };
        let intact = bytes.iter().step_by(step).chain(bytes.last()).all(|&byte| byte == self.byte);
        // SAFETY: `new` got the pointer for this layout.
        unsafe { deallocate(self.pointer, self.layout) };
        assert!(intact || std::thread::panicking(), "somebody else wrote into a node of {:?}", self.layout);
    }
}

const STEPS: usize = if SHORT {
    400
} else if cfg!(miri) {
    800
} else if FULL {
    400_000
} else {
    150_000
};

#[test]
fn nodes_never_overlap() {
    let _alone = alone();
    let mut random = SplitMix64(1);
    // Address of each live node, in order: neighbours show any overlap.
    let mut live: BTreeMap<usize, Filled> = BTreeMap::new();
    let mut keys = Vec::new();
    let mut guard = None;
    for step in 0..STEPS {
        // The heap breathes: it grows and shrinks by turns, so that chunks are filled, searched and given back.
        let growing = (step / (STEPS / 8)).is_multiple_of(2);
        if random.index(100) < if growing { 60 } else { 35 } || keys.is_empty() {
            let layout = some_layout(&mut random);
            let node = Filled::new(layout, random.bits() as u8);
            let (start, end) = (node.pointer.addr().get(), node.pointer.addr().get() + layout.size());
            if let Some((&before, node)) = live.range(..start).next_back() {
                assert!(before + node.layout.size() <= start);
            }
            if let Some((&after, _)) = live.range(start..).next() {
                assert!(end <= after && start < after);
            }
            assert!(live.insert(start, node).is_none());
            keys.push(start);
        } else {
            let key = keys.swap_remove(random.index(keys.len()));
            live.remove(&key).unwrap();
        }
        if random.index(STEPS / 20) == 0 {
            guard = if guard.is_none() { Some(fresh()) } else { None };
        }
        if random.index(STEPS / 10) == 0 {
            trim();
        }
    }
    drop(guard);
}

#[test]
fn fresh_memory_ascends_whatever_the_sizes() {
    let _alone = alone();
    let mut random = SplitMix64(2);
    // Freed slots of all small sizes, which a fresh build must not be served from.
    drop((1..200).map(|size| Filled::new(Layout::from_size_align(size, 1).unwrap(), 0)).collect::<Vec<_>>());
    let _fresh = fresh();
    let nodes: Vec<Filled> =
        (0..STEPS / 10).map(|_| Filled::new(Layout::from_size_align(1 + random.index(600), 8).unwrap(), 7)).collect();
    let mut jumps = 0;
    let mut bytes = 0;
    for pair in nodes.windows(2) {
        let [one, two] = pair else { unreachable!() };
        let (one, end) = (one.pointer.addr().get(), one.pointer.addr().get() + one.layout.size());
        let two = two.pointer.addr().get();
        if one / CHUNK == two / CHUNK {
            assert!((end..end + 8).contains(&two), "nodes of a chunk lie side by side");
        } else {
            jumps += 1;
        }
        bytes += end - one;
    }
    assert!(jumps <= bytes / (CHUNK / 4 * 3) + 1, "{jumps} chunks for {bytes} bytes");
}

#[test]
fn freed_slots_are_used_again() {
    let _alone = alone();
    let layout = Layout::new::<[u64; 5]>();
    let first = allocate(layout);
    // SAFETY: just allocated.
    unsafe { deallocate(first, layout) };
    let second = allocate(layout);
    assert_eq!(first, second);
    // SAFETY: just allocated.
    unsafe { deallocate(second, layout) };
}

#[test]
fn dropping_everything_returns_the_memory() {
    let _alone = alone();
    trim();
    let before = stats();
    let mut random = SplitMix64(3);
    let mut nodes: Vec<Filled> = (0..STEPS / 2).map(|step| Filled::new(some_layout(&mut random), step as u8)).collect();
    let requested: usize = nodes.iter().map(|node| node.layout.size().max(1)).sum();
    let now = stats();
    assert!(now.requested - before.requested + nodes.len() >= requested, "{now:?} after {before:?}, {requested} more");
    assert!(now.held >= now.requested);
    // In random order, which leaves every chunk partly free for a long time.
    while !nodes.is_empty() {
        nodes.swap_remove(random.index(nodes.len()));
    }
    trim();
    let after = stats();
    assert_eq!(after.requested, before.requested);
    assert!(after.chunks <= before.chunks, "{after:?}, {before:?} at the start");
}

#[test]
fn dropping_in_order_returns_the_memory_at_once() {
    let _alone = alone();
    trim();
    let before = stats();
    let mut random = SplitMix64(5);
    let size = 200;
    let nodes = if cfg!(miri) { 12 } else { 20 } * CHUNK / size;
    let _fresh = fresh();
    let layout = |random: &mut SplitMix64| Layout::from_size_align(1 + random.index(2 * size), 8).unwrap();
    let nodes: Vec<Filled> = (0..nodes).map(|_| Filled::new(layout(&mut random), 1)).collect();
    let full = stats();
    drop(nodes);
    let after = stats();
    assert_eq!(after.requested, before.requested);
    // What stays: the chunk in use, the reserve, and the few that the first slots lie in.
    assert!(after.chunks <= before.chunks + 6, "{after:?} after {full:?}");
}

#[test]
fn holes_are_found_by_other_sizes() {
    let _alone = alone();
    trim();
    // So many that their holes lie in several chunks.
    let (size, count) = match () {
        () if SHORT => (504, 3 * CHUNK / 2 / 504),
        () if cfg!(miri) => (320, 3 * CHUNK / 320),
        () => (40, 12 * CHUNK / 40),
    };
    let (small, large) = (Layout::from_size_align(size, 8).unwrap(), Layout::from_size_align(2 * size - 8, 8).unwrap());
    let mut nodes: Vec<Option<Filled>> = (0..count).map(|_| Some(Filled::new(small, 1))).collect();
    let full = stats().chunks;
    // Two of every three neighbours go: holes of two nodes, none as large as a chunk.
    for (number, node) in nodes.iter_mut().enumerate() {
        if number % 3 != 0 {
            *node = None;
        }
    }
    trim();
    let others: Vec<Filled> = (0..count / 3 * 9 / 10).map(|_| Filled::new(large, 2)).collect();
    let now = stats().chunks;
    assert!(now <= full + full / 4 + 1, "{now} chunks where {full} had room");
    drop((nodes, others));
}

#[test]
fn nodes_freed_by_another_thread_come_back() {
    let _alone = alone();
    trim();
    let before = stats();
    let rounds = if cfg!(miri) { 3 } else { 40 };
    let (nodes, most) = if SHORT { (100, 800) } else { (if cfg!(miri) { 300 } else { 40_000 }, 200) };
    let (sender, receiver) = mpsc::sync_channel::<Vec<Filled>>(2);
    // Threads are joined one by one: a scope ends when their closures do, before their locals are gone.
    std::thread::scope(|scope| {
        let allocating = scope.spawn(move || {
            let mut random = SplitMix64(4);
            for round in 0..rounds {
                let batch = (0..nodes)
                    .map(|_| Filled::new(Layout::from_size_align(8 + random.index(most), 8).unwrap(), round as u8));
                sender.send(batch.collect()).unwrap();
            }
        });
        let freeing = scope.spawn(move || {
            let mut chunks = 0;
            for batch in receiver {
                drop(batch);
                chunks = chunks.max(stats().chunks);
            }
            // At most four batches live at a time.
            let bound = before.chunks + 2 * 4 * nodes * (12 + most / 2) / CHUNK + 12;
            assert!(chunks <= bound, "{chunks} chunks, {bound} allowed");
        });
        allocating.join().unwrap();
        freeing.join().unwrap();
    });
    trim();
    let after = stats();
    assert_eq!(after.requested, before.requested);
    assert!(after.chunks <= before.chunks, "{after:?}, {before:?} at the start");
}

#[test]
fn many_threads_share_chunks() {
    let _alone = alone();
    trim();
    let before = stats();
    let (threads, steps, places) = match () {
        () if SHORT => (3, 150, 24),
        () if cfg!(miri) => (3, 400, 64),
        () => (8, if FULL { 100_000 } else { 30_000 }, if FULL { 50_000 } else { 15_000 }),
    };
    // Threads swap nodes through a common table, so that each frees what all allocated.
    let table: Vec<Mutex<Option<Filled>>> = (0..places).map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        let table = &table;
        let spawn = |thread: u64| {
            scope.spawn(move || {
                let mut random = SplitMix64(100 + thread);
                for _ in 0..steps {
                    let node =
                        (random.index(3) > 0).then(|| Filled::new(some_layout(&mut random), random.bits() as u8));
                    let old = std::mem::replace(&mut *table[random.index(table.len())].lock().unwrap(), node);
                    drop(old);
                }
            })
        };
        let threads: Vec<_> = (0..threads).map(spawn).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    drop(table);
    trim();
    let after = stats();
    assert_eq!(after.requested, before.requested);
    assert!(after.chunks <= before.chunks, "{after:?}, {before:?} at the start");
}

#[test]
fn nodes_outlive_their_thread_and_can_be_freed_while_a_thread_ends() {
    let _alone = alone();
    trim();
    let before = stats();
    struct AtEnd(std::cell::RefCell<Vec<Filled>>);
    impl Drop for AtEnd {
        fn drop(&mut self) {
            // The heap of this thread may be gone by now: both directions must work.
            let layout = Layout::new::<[u32; 7]>();
            drop(Filled::new(layout, 3));
            self.0.borrow_mut().clear();
        }
    }
    thread_local!(static KEPT: AtEnd = const { AtEnd(std::cell::RefCell::new(Vec::new())) });
    let nodes = std::thread::spawn(|| {
        KEPT.with(|kept| kept.0.borrow_mut().push(Filled::new(Layout::new::<[u64; 3]>(), 1)));
        let count = if SHORT { 200 } else { 1000 };
        (0..count).map(|step| Filled::new(Layout::new::<[u64; 3]>(), step as u8)).collect::<Vec<_>>()
    })
    .join()
    .unwrap();
    // The other order: the pool's heap is older than the local that outlives it.
    std::thread::spawn(|| {
        let node = Filled::new(Layout::new::<[u64; 3]>(), 1);
        KEPT.with(|kept| kept.0.borrow_mut().push(node));
    })
    .join()
    .unwrap();
    drop(nodes);
    trim();
    let after = stats();
    assert_eq!(after.requested, before.requested);
    assert!(after.chunks <= before.chunks, "{after:?}, {before:?} at the start");
}

#[test]
fn empty_and_oddly_aligned_requests_work() {
    let _alone = alone();
    for (size, align) in [(0, 1), (0, 8), (0, 64), (1, 4096), (17, 16), (LARGEST, 8), (LARGEST + 1, 8), (3 * CHUNK, 8)]
    {
        let layout = Layout::from_size_align(size, align).unwrap();
        drop((0..4).map(|byte| Filled::new(layout, byte)).collect::<Vec<_>>());
    }
}
