//! How much memory a generated graph needs, and how much there is.

use pleach_datasets::Generator;

use super::Failure;

/// Bytes of an edge in the list that a generator makes: two coordinates.
const LISTED: u64 = 8;

/// Bytes of an edge on top of that while a store is built from the list: for each of two arcs a key to sort by, and about 5 bytes in the store.
const STORED: u64 = 2 * (8 + 5);

/// What is done with a graph.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// It is listed and written.
    List,
    /// A store is built from it.
    Store,
}

/// Refuses to generate a graph that needs more memory than there is. Says nothing where the system does not say how much there is.
pub fn check(generator: &Generator, what: Use) -> Result<(), Failure> {
    let an_edge = if what == Use::Store { LISTED + STORED } else { LISTED };
    let needed = generator.num_edges().saturating_mul(an_edge);
    match available().filter(|&available| needed > available) {
        None => Ok(()),
        Some(available) => {
            let gib = |bytes: u64| bytes.div_ceil(1 << 30);
            Err(Failure::input(format!(
                "{generator} needs about {} GiB of memory, there are {}",
                gib(needed),
                available >> 30
            )))
        }
    }
}

/// Bytes that the process may still take: what Linux says is available, or what is left of the limit of its control group.
fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let free = line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.saturating_mul(1 << 10);
    let number = |name: &str| -> Option<u64> {
        std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse().ok()
    };
    let left = number("memory.max").zip(number("memory.current")).map(|(most, taken)| most.saturating_sub(taken));
    Some(left.map_or(free, |left| left.min(free)))
}
