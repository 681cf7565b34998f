//! The machine: what it is called, and what its memory can do.

use std::fs;
use std::hint::black_box;
use std::path::Path;

use pleach_memory::{Gather, Triad};

use crate::method::{Method, Spread, seconds};
use crate::result::Machine;

/// Bytes of the last level of caches: what the system says, within a megabyte and half a gigabyte; 32 MB if it says nothing.
pub fn cache_bytes() -> usize {
    let folder = "/sys/devices/system/cpu/cpu0/cache";
    let size = |index: usize| {
        let text = fs::read_to_string(format!("{folder}/index{index}/size")).ok()?;
        let text = text.trim();
        let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
        let factor = match unit {
            "K" => 1 << 10,
            "M" => 1 << 20,
            _ => 1,
        };
        Some(number.parse::<usize>().ok()?.saturating_mul(factor))
    };
    let largest = (0..8).filter_map(size).max();
    largest.unwrap_or(32 << 20).clamp(1 << 20, 512 << 20)
}

/// What a line `key : value` of a text says.
fn field(text: &str, key: &str) -> Option<String> {
    let line = text.lines().find(|line| line.split(':').next().is_some_and(|name| name.trim() == key))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The text of a file, empty if it cannot be read.
fn text(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// Describes the machine and measures its memory with the threads of `method`. `allocator` and `command` are printed as they are.
///
/// # Errors
///
/// The system's message if it starts no more threads.
pub fn describe(method: &Method, allocator: String, command: String) -> Result<Machine, rayon::ThreadPoolBuildError> {
    let pool = method.pool()?;
    let (triad_gb_per_second, gather_m_per_second) = pool.install(|| (triad(method), gather(method)));
    let kilobytes =
        field(&text("/proc/meminfo"), "MemTotal").and_then(|line| line.split(' ').next()?.parse::<u64>().ok());
    let unknown = || "unknown".to_owned();
    Ok(Machine {
        cpu: field(&text("/proc/cpuinfo"), "model name").unwrap_or_else(unknown),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        memory_bytes: kilobytes.unwrap_or(0) << 10,
        cache_bytes: cache_bytes() as u64,
        system: format!(
            "{} {} {}",
            std::env::consts::OS,
            text("/proc/sys/kernel/osrelease").trim(),
            std::env::consts::ARCH
        ),
        threads: method.threads,
        triad_gb_per_second,
        gather_m_per_second,
        rustc: env!("PLEACH_RUSTC").to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: env!("PLEACH_COMMIT").to_owned(),
        allocator,
        date: chrono::Utc::now().format("%Y-%m-%d %H:%M:%S").to_string(),
        rounds: method.rounds,
        seconds: method.seconds,
        cold: method.cold,
        pinned: method.pin,
        command,
    })
}

/// The command line of a run as it is kept: of a path only the last component, so that a document says nothing of a machine's folders.
///
/// ```
/// # use pleach_measure::machine::command;
/// let words = ["bench", "all", "--peer", "gap=/home/me/gapbs/", "--report=../out/page", "--graph", "er:100:200", "--seconds", "0.5"];
/// assert_eq!(
///     command(words.map(String::from)),
///     "pleach bench all --peer gap=gapbs --report=page --graph er:100:200 --seconds 0.5"
/// );
/// ```
pub fn command(words: impl IntoIterator<Item = String>) -> String {
    let last = |part: &str| match Path::new(part).file_name() {
        Some(name) if part.contains('/') => name.to_string_lossy().into_owned(),
        _ => part.to_owned(),
    };
    let short = |word: String| word.split('=').map(last).collect::<Vec<_>>().join("=");
    std::iter::once("pleach".to_owned()).chain(words.into_iter().map(short)).collect::<Vec<_>>().join(" ")
}

/// Doubles in an array that is larger than the caches; at most a gigabyte in all arrays. Fewer where a competitor
/// has less time than it takes to read an array at a gigabyte a second: short runs stay short.
fn doubles(method: &Method) -> usize {
    let bytes = (2 * cache_bytes()).min((1e9 * method.seconds) as usize);
    (bytes / size_of::<f64>()).clamp(1 << 21, 1 << 25)
}

/// The median rate of some repetitions of `work`, each of which does `units`.
fn rate(method: &Method, units: f64, mut work: impl FnMut()) -> f64 {
    work();
    let begin = std::time::Instant::now();
    let mut times = Vec::new();
    while !method.is_enough(times.len(), begin, 1) {
        times.push(seconds(&mut work));
    }
    Spread::of(&times).map_or(0.0, |spread| units / spread.median.max(f64::MIN_POSITIVE))
}

/// Gigabytes a second of `a = b + c * d`.
fn triad(method: &Method) -> f64 {
    let mut triad = Triad::new(doubles(method));
    rate(method, 1e-9 * triad.bytes() as f64, || triad.run())
}

/// Millions of independent reads a second at random places.
fn gather(method: &Method) -> f64 {
    let gather = Gather::new(doubles(method));
    rate(method, 1e-6 * gather.reads() as f64, || {
        black_box(gather.run());
    })
}
