//! jemalloc: many threads build and drop small nodes, which it does well. It knows how much memory is in use, and how long it keeps what is
//! freed.

use jemalloc_ctl::{Access, AsName};
use pleach::runtime::share_heap_of_c;

use crate::memory::addresses;

/// The most addresses that an arena reserves in one step, if the address space is limited.
const LEAP: usize = 1 << 21;

/// Prepares the allocator, before there are threads.
///
/// Memory that is freed goes back to the system after ten seconds (jemalloc's option `dirty_decay_ms`), also while nothing is asked of the
/// allocator. Where addresses are limited (`ulimit -v`), there may be no room for the thread that does this: memory goes back with later
/// requests there. For the same reason the arenas are made now: jemalloc makes one when a new thread first allocates, and crashes where it
/// cannot. And they take addresses in small steps, not in ones that grow with what they hold.
pub fn prepare() {
    if addresses().is_none() {
        let _ = jemalloc_ctl::background_thread::write(true);
        return;
    }
    share_heap_of_c();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let arenas = jemalloc_ctl::opt::narenas::read().unwrap_or(0).min(2 * cores as u32 + 8);
    let of_thread = c"thread.arena".to_bytes_with_nul().name();
    let Ok::<u32, _>(mine) = of_thread.read() else { return };
    for arena in 0..arenas {
        // An arena is made when a thread moves to it.
        if of_thread.write(arena).is_err() {
            break;
        }
        let limit = format!("arena.{arena}.retain_grow_limit\0");
        let _ = limit.name().write(LEAP);
    }
    let _ = of_thread.write(mine);
}

/// A guard: while it is held, the time that freed memory stays with the process is changed.
pub struct Freed {
    /// The arenas of the allocator, and how long each kept what was freed.
    before: Vec<(String, isize)>,
}

/// Memory that is freed goes back to the system at once: a graph is read into several large arrays, each of which is freed when the next
/// has been made of it.
pub fn return_at_once() -> Freed {
    freed_stays(0)
}

/// Returns all memory to the system that is free now. What is freed from now on stays as long as before.
#[cfg(feature = "bench")]
pub fn return_all() {
    drop(return_at_once());
}

/// Memory that is freed stays with the process, and what is allocated next lies there, in pages that are there already. Otherwise large arrays
/// go back to the system at once.
#[cfg(feature = "bench")]
pub fn keep_freed() -> Freed {
    freed_stays(-1)
}

/// Sets how many milliseconds freed memory stays with the process; with -1 it stays until the process ends.
fn freed_stays(milliseconds: isize) -> Freed {
    let arenas = jemalloc_ctl::arenas::narenas::read().unwrap_or(0);
    // The default for new arenas, and each arena that exists.
    let all = std::iter::once("arenas".to_owned()).chain((0..arenas).map(|arena| format!("arena.{arena}")));
    let set = |arena: String| {
        let option = format!("{arena}.dirty_decay_ms\0");
        let before: isize = option.name().read().ok()?;
        option.name().write(milliseconds).ok()?;
        Some((option, before))
    };
    Freed { before: all.filter_map(set).collect() }
}

impl Drop for Freed {
    fn drop(&mut self) {
        for (option, before) in &self.before {
            // Freed memory goes back later than it could, at worst.
            let _ = option.name().write(*before);
        }
    }
}

/// Bytes that are handed out.
pub fn allocated() -> Option<usize> {
    // The figures are those of the last epoch.
    jemalloc_ctl::epoch::advance().and_then(|_| jemalloc_ctl::stats::allocated::read()).ok()
}

/// What jemalloc was told when it was built and when it was started.
#[cfg(feature = "bench")]
pub fn configuration() -> String {
    let built = jemalloc_ctl::config::malloc_conf::read().unwrap_or_default();
    let started = std::env::var("_RJEM_MALLOC_CONF").unwrap_or_default();
    // As a string of C, it ends with a zero.
    let all: Vec<&str> = [built.trim_end_matches('\0'), &started].into_iter().filter(|conf| !conf.is_empty()).collect();
    if all.is_empty() { "jemalloc".to_owned() } else { format!("jemalloc with {}", all.join(",")) }
}
