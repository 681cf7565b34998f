//! Where results go: standard output, or files that appear only when they are complete.

use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;

use super::Failure;

/// Makes an interrupt (Ctrl-C) remove unfinished files before the process ends.
pub fn clean_up_on_interrupt() {
    // Fails only if a handler was set before, in which case that one is in charge.
    let _ = ctrlc::set_handler(|| {
        pleach_datasets::remove_unfinished();
        std::process::exit(130);
    });
}

/// Writes to standard output. A closed pipe ends the command quietly.
pub fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::ClosedPipe),
        Err(error) => Err(Failure::input(format!("cannot write to standard output: {error}"))),
    }
}

/// Writes one JSON object and a line end to standard output.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let mut text = serde_json::to_vec(value).map_err(Failure::input)?;
    text.push(b'\n');
    print(&text)
}

/// Writes a file that is either complete or not there.
pub fn write_file(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<std::fs::File>) -> std::io::Result<()>,
) -> Result<(), Failure> {
    pleach_datasets::write_complete(path, write).map_err(|error| Failure::input(format!("cannot write {error}")))
}
