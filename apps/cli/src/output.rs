//! Where results go: standard output, or files that appear only when they are complete.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use pleach::runtime::keep_ignored_hangups;

use super::{Failure, progress};

/// How much is said beside results.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Errors only.
    Quiet,
    /// What a person should know.
    Normal,
    /// Also what takes time.
    Verbose,
}

static VERBOSITY: AtomicU8 = AtomicU8::new(Verbosity::Normal as u8);

/// Sets how much is said beside results.
pub fn set_verbosity(quiet: bool, verbose: bool) {
    let verbosity = match (quiet, verbose) {
        (true, _) => Verbosity::Quiet,
        (_, true) => Verbosity::Verbose,
        _ => Verbosity::Normal,
    };
    VERBOSITY.store(verbosity as u8, Ordering::Relaxed);
}

/// How much is said beside results.
pub fn verbosity() -> Verbosity {
    match VERBOSITY.load(Ordering::Relaxed) {
        0 => Verbosity::Quiet,
        1 => Verbosity::Normal,
        _ => Verbosity::Verbose,
    }
}

/// Says something that a person should know, on standard error, unless `--quiet` was given.
pub fn note(text: impl std::fmt::Display) {
    if verbosity() >= Verbosity::Normal {
        progress::above(|| tell(format_args!("{text}\n")));
    }
}

/// Writes to standard error. What it holds is lost where that is closed, as when its terminal has hung up; the command goes on.
pub fn tell(text: std::fmt::Arguments<'_>) {
    let _ = std::io::stderr().write_fmt(text);
}

/// Says what is being done, on standard error, if `--verbose` was given.
pub fn detail(text: impl std::fmt::Display) {
    if verbosity() >= Verbosity::Verbose {
        progress::above(|| tell(format_args!("{text}\n")));
    }
}

/// Set by the first interrupt while a command is running that ends by itself then.
static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// When the first interrupt came.
static STOPPED: OnceLock<Instant> = OnceLock::new();

/// An interrupt that follows the first within this time counts as the same one: `timeout` signals its command and then the process group of the
/// command, and a wrapper may forward what the terminal has sent already.
const TOGETHER: Duration = Duration::from_secs(1);

/// Calls `handler` at each interrupt from now on: Ctrl-C, a request to terminate, or the hangup of the terminal, unless that was ignored when
/// the process began (`nohup`).
pub fn on_interrupt(handler: impl FnMut() + Send + 'static) -> Result<(), ctrlc::Error> {
    keep_ignored_hangups(|| ctrlc::set_handler(handler))
}

/// Makes an interrupt remove unfinished files before the process ends.
pub fn clean_up_on_interrupt() {
    // Fails only if a handler was set before, in which case that one is in charge.
    let _ = on_interrupt(|| {
        if let Some(stop) = STOP.get() {
            stop.store(true, Ordering::Relaxed);
            if STOPPED.get_or_init(Instant::now).elapsed() < TOGETHER {
                return;
            }
        }
        progress::remove();
        pleach_datasets::remove_unfinished();
        #[cfg(feature = "bench")]
        pleach_measure::peers::abandon();
        std::process::exit(INTERRUPTED.into());
    });
}

/// The exit status of a command that was interrupted.
pub const INTERRUPTED: u8 = 130;

/// From now on the first interrupt sets the flag that is returned. Another one ends the process if it comes at least a second later.
pub fn stop_on_interrupt() -> Arc<AtomicBool> {
    STOP.get_or_init(Arc::default).clone()
}

/// Whether an interrupt came to a command that ends by itself.
fn is_stopping() -> bool {
    STOP.get().is_some_and(|stop| stop.load(Ordering::Relaxed))
}

/// Writes to standard output. A closed pipe ends the command quietly.
pub fn print(bytes: &[u8]) -> Result<(), Failure> {
    let write = || {
        let mut out = std::io::stdout().lock();
        out.write_all(bytes).and_then(|()| out.flush())
    };
    match if std::io::stdout().is_terminal() { progress::above(write) } else { write() } {
        Ok(()) => Ok(()),
        // Who interrupts the command may end its reader as well, or be the terminal that hangs up.
        Err(error) if error.kind() == ErrorKind::BrokenPipe || is_stopping() => Err(Failure::ClosedPipe),
        Err(error) => Err(Failure::input(format!("cannot write to standard output: {error}"))),
    }
}

/// Writes one JSON object and a line end to standard output.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    print_json_beside(None, value)
}

/// Refuses a path that could not be written, before the work whose result is to go there.
pub fn check_out(path: Option<&Path>) -> Result<(), Failure> {
    match path.map_or(Ok(()), pleach_datasets::check_writable) {
        Err(pleach_datasets::Error::Directory { path }) => {
            Err(Failure::input(format!("cannot write {}: it is a directory", path.display())))
        }
        Err(pleach_datasets::Error::Io { path, source }) if source.kind() == ErrorKind::NotFound => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists());
            let missing = folder.map(|folder| format!("there is no directory {}", folder.display()));
            let why = missing.unwrap_or_else(|| source.to_string());
            Err(Failure::input(format!("cannot write {}: {why}", path.display())))
        }
        checked => checked.map_err(|error| Failure::input(format!("cannot write {error}"))),
    }
}

/// Refuses two options that name the same file, or both standard output: the second output would overwrite the first one or follow it.
pub fn check_apart(outputs: [(&str, Option<&Path>); 2]) -> Result<(), Failure> {
    let [(first, Some(one)), (second, Some(other))] = outputs else { return Ok(()) };
    if one != other && ![one, other].into_iter().all(pleach_datasets::is_standard_output) {
        return Ok(());
    }
    Err(Failure::usage(format!("{first} and {second} cannot both write to {}", other.display())))
}

/// Prints a report to standard output, or to standard error where standard output has the values of vertices.
pub fn print_beside(out: Option<&Path>, text: &[u8]) -> Result<(), Failure> {
    if out.is_some_and(pleach_datasets::is_standard_output) {
        // A closed standard error loses the report and not the result.
        let _ = std::io::stderr().write_all(text);
        return Ok(());
    }
    print(text)
}

/// As [`print_beside`] for one JSON object and a line end.
pub fn print_json_beside(out: Option<&Path>, value: &impl serde::Serialize) -> Result<(), Failure> {
    let mut text = serde_json::to_vec(value).map_err(Failure::input)?;
    text.push(b'\n');
    print_beside(out, &text)
}

/// Writes a file that is either complete or not there, compressed if its name ends in `.gz` or `.zst`.
pub fn write_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), Failure> {
    pleach_datasets::write_complete(path, write).map_err(cannot_write)
}

fn cannot_write(error: pleach_datasets::Error) -> Failure {
    not_written(error, |error| format!("cannot write {error}"))
}

/// Why a file could not be written, in the words of `told`. A closed pipe ends the command quietly.
pub fn not_written(error: pleach_datasets::Error, told: impl FnOnce(pleach_datasets::Error) -> String) -> Failure {
    match error {
        pleach_datasets::Error::Io { source, .. } if source.kind() == ErrorKind::BrokenPipe => Failure::ClosedPipe,
        error => Failure::Input(told(error)),
    }
}
