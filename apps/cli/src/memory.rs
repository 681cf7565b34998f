//! How much memory a graph needs, and how much there is.

use std::path::Path;

use pleach_datasets::{Generator, Options, RowFile, Weights};

use super::Failure;

/// Bytes of an edge in the list that a reader or a generator makes: two coordinates.
const LISTED: u64 = 8;

/// Bytes of a weight.
const WEIGHT: u64 = 8;

/// Bytes of an arc in a store, about, without its weight.
const ARC: u64 = 5;

/// Bytes of an edge on top of the list while a store is built of it: for each of two arcs a key to sort by, and its place in the store.
const STORED: u64 = 2 * (8 + ARC);

/// Bytes of a row in a store, about.
const ROW: u64 = 8;

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
    refuse_beyond(&generator.to_string(), generator.num_edges().saturating_mul(an_edge))
}

/// Refuses to read a file whose graph needs more memory than there is, by the size of the file and what its beginning shows.
pub fn check_file(graph: &str, options: &Options) -> Result<(), Failure> {
    // What is wrong with a file, its reader says.
    let Ok(Some(expected)) = pleach_datasets::expect(Path::new(graph), options) else { return Ok(()) };
    let weight = if expected.weighted && options.weights != Weights::Ignore { WEIGHT } else { 0 };
    refuse_beyond(graph, expected.edges.saturating_mul(LISTED + ARC + 2 * weight))
}

/// Refuses to build a store of rows that needs more memory than there is; `both` says that rows of in-arcs are made, too.
pub fn check_rows(graph: &str, rows: &RowFile, both: bool) -> Result<(), Failure> {
    let weight = if rows.is_weighted() { WEIGHT } else { 0 };
    let an_arc = if both { 2 * (ARC + weight) + LISTED + weight } else { ARC + weight };
    let of_rows = (rows.shape().0 as u64).saturating_mul(ROW);
    refuse_beyond(graph, rows.num_arcs().saturating_mul(an_arc).saturating_add(of_rows))
}

/// Refuses what needs more bytes than there are. Says nothing where the system does not say how many there are.
fn refuse_beyond(what: &str, needed: u64) -> Result<(), Failure> {
    match available().filter(|&available| needed > available) {
        None => Ok(()),
        Some(available) => {
            // Small numbers in the unit in which they differ.
            let (unit, name) = if available < 4 << 30 { (1 << 20, "MiB") } else { (1 << 30, "GiB") };
            Err(Failure::Exhausted(format!(
                "{what} needs about {} {name} of memory, there are {}",
                needed.div_ceil(unit),
                available / unit
            )))
        }
    }
}

/// Bytes that the process may still take: what Linux says is available, or what is left of the limit of its control group, or of that on its
/// address space (`ulimit -v`).
fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let free = line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.saturating_mul(1 << 10);
    let number = |name: &str| -> Option<u64> {
        std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse().ok()
    };
    let left = number("memory.max").zip(number("memory.current")).map(|(most, taken)| most.saturating_sub(taken));
    [left, addresses()].into_iter().flatten().chain([free]).min()
}

/// What is left of the limit on the address space of the process, if it has one.
pub fn addresses() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let most: u64 = line.split_whitespace().next()?.parse().ok()?;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    let taken = line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.saturating_mul(1 << 10);
    Some(most.saturating_sub(taken))
}
