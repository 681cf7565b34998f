//! The hangup of a terminal (SIGHUP), which ends a process unless the process was told to ignore it, as `nohup` does.

/// Calls `install`, which catches signals that ask a process to end. A hangup that was ignored before is ignored afterwards, too: what
/// `nohup` starts goes on when its terminal closes.
pub fn keep_ignored_hangups<T>(install: impl FnOnce() -> T) -> T {
    let ignored = is_ignored();
    let installed = install();
    if ignored {
        ignore();
    }
    installed
}

/// Whether a hangup is ignored.
#[cfg(all(unix, not(miri)))]
fn is_ignored() -> bool {
    // SAFETY: the action is a plain structure, of which zeros are a value, and the call only writes what holds at present to it.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGHUP, std::ptr::null(), &raw mut action) == 0 && action.sa_sigaction == libc::SIG_IGN
    }
}

#[cfg(not(all(unix, not(miri))))]
fn is_ignored() -> bool {
    false
}

/// Ignores hangups from now on.
#[cfg(all(unix, not(miri)))]
fn ignore() {
    // SAFETY: to ignore a signal runs no code of ours when it comes.
    unsafe {
        libc::signal(libc::SIGHUP, libc::SIG_IGN);
    }
}

#[cfg(not(all(unix, not(miri))))]
fn ignore() {}

#[cfg(all(test, unix, not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_ignored_is_ignored_afterwards() {
        // Stands for a handler that is installed.
        // SAFETY: the default of a signal runs no code of ours.
        let install = || unsafe {
            libc::signal(libc::SIGHUP, libc::SIG_DFL);
        };
        keep_ignored_hangups(install);
        assert!(!is_ignored());
        ignore();
        keep_ignored_hangups(install);
        assert!(is_ignored());
        install();
    }
}
