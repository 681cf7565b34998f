//! What shows that work goes on: a bar or a line that changes, on a terminal's standard error, and nothing elsewhere. One at a time is shown, and
//! what is printed meanwhile stands above it.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle, WeakProgressBar};
use pleach_datasets::Observer;

use super::output::{Verbosity, verbosity};

/// The one that is shown, or was last.
static SHOWN: Mutex<Option<WeakProgressBar>> = Mutex::new(None);

/// Whether any is shown: on a terminal, unless `--quiet` was given.
fn is_shown() -> bool {
    verbosity() >= Verbosity::Normal && std::io::stderr().is_terminal()
}

/// The one that is shown at present.
fn shown() -> Option<ProgressBar> {
    let shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner).as_ref().and_then(WeakProgressBar::upgrade);
    shown.filter(|bar| !bar.is_finished())
}

/// Shows one, unless another is shown already.
fn show(template: &str, bar: ProgressBar) -> ProgressBar {
    if !is_shown() || shown().is_some() {
        return ProgressBar::hidden();
    }
    let bar = bar.with_style(style(template));
    *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.downgrade());
    bar
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("a valid template")
}

/// A bar of bytes that are read or written.
pub fn bar() -> ProgressBar {
    show("{wide_bar} {bytes}/{total_bytes} {bytes_per_sec}, {eta} left", ProgressBar::new(0))
}

/// A line of text, which changes with the bar's message.
pub fn line() -> ProgressBar {
    show("{spinner} {msg}", ProgressBar::new_spinner())
}

/// A line that says for how long something has been done.
pub fn clock(doing: &str) -> ProgressBar {
    let bar = show(&format!("{{spinner}} {doing}, {{elapsed}} so far"), ProgressBar::new_spinner());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// What makes a bar show how much has been read or written. Where the end is not known, as of a pipe, it shows that alone.
pub fn shown_by(bar: &ProgressBar) -> Observer {
    let (bar, endless) = (bar.clone(), Once::new());
    Observer::new(move |progress| {
        if progress.total > 0 {
            bar.set_length(progress.total);
        } else {
            endless.call_once(|| bar.set_style(style("{spinner} {bytes} {bytes_per_sec}")));
        }
        bar.set_position(progress.done);
    })
}

/// Prints above what is shown.
pub fn above<T>(print: impl FnOnce() -> T) -> T {
    match shown() {
        Some(bar) => bar.suspend(print),
        None => print(),
    }
}

/// Removes what is shown from the terminal, for a process that is about to end. Waits for no thread that is printing.
pub fn remove() {
    let shown = SHOWN.try_lock().is_ok_and(|shown| shown.as_ref().is_some_and(|bar| bar.upgrade().is_some()));
    if shown && is_shown() {
        // The line begins anew, and what stands there is erased.
        let _ = std::io::stderr().write_all(b"\r\x1b[2K");
    }
}
