//! The names of files.

/// The log behind a version.
pub(crate) fn log(base: u64) -> String {
    format!("log-{base:020}")
}

/// The checkpoint of a version.
pub(crate) fn checkpoint(version: u64) -> String {
    format!("checkpoint-{version:020}")
}

/// A file while it is written.
pub(crate) fn aside(name: &str) -> String {
    format!("{name}{ASIDE}")
}

/// What the name of a file that is being written ends with.
pub(crate) const ASIDE: &str = ".new";

/// The version in the name of a file.
fn version(name: &str, prefix: &str) -> Option<u64> {
    let digits = name.strip_prefix(prefix)?;
    (digits.len() == 20 && digits.bytes().all(|b| b.is_ascii_digit())).then(|| digits.parse().ok())?
}

/// The versions behind which there are logs, and those of checkpoints, both ascending.
pub(crate) fn versions(names: &[String]) -> (Vec<u64>, Vec<u64>) {
    let all = |prefix| {
        let mut versions: Vec<u64> = names.iter().filter_map(|name| version(name, prefix)).collect();
        versions.sort_unstable();
        versions
    };
    (all("log-"), all("checkpoint-"))
}
