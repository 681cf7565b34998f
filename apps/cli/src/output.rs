//! Where results go: standard output, or files that are written aside and renamed when they are whole.

use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::Failure;

/// Files being written, to be removed when the process is interrupted.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Makes an interrupt (Ctrl-C) remove unfinished files before the process ends.
pub fn clean_up_on_interrupt() {
    // Fails only if a handler was set before, in which case that one is in charge.
    let _ = ctrlc::set_handler(|| {
        for path in UNFINISHED.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).iter() {
            let _ = std::fs::remove_file(path);
        }
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

/// A place in a directory where a file is being written; removed unless it is kept.
struct Unfinished {
    path: PathBuf,
}

impl Unfinished {
    fn forget(&self) {
        UNFINISHED.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).retain(|path| *path != self.path);
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
        self.forget();
    }
}

/// Writes a file so that it is there whole or not at all: aside, in the same directory, and then renamed.
pub fn write_file(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<std::fs::File>) -> std::io::Result<()>,
) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::input(format!("cannot write {}: {error}", path.display()));
    if path.is_dir() {
        return Err(Failure::input(format!("cannot write {}: it is a directory", path.display())));
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let aside = tempfile::Builder::new().prefix(".pleach-").tempfile_in(directory).map_err(failed)?;
    let (file, aside) = aside.keep().map_err(|error| failed(error.error))?;
    UNFINISHED.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(aside.clone());
    let unfinished = Unfinished { path: aside };
    let mut writer = BufWriter::with_capacity(1 << 20, file);
    write(&mut writer).and_then(|()| writer.flush()).map_err(failed)?;
    std::fs::rename(&unfinished.path, path).map_err(failed)?;
    Ok(())
}
