//! What an operation leaves behind when a user's code panics in it, and panics that are expected.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

/// Calls `act` with `thing`. If it panics, calls `mend` with what `act` left there, before the panic goes on.
///
/// Costs nothing where nothing panics. `mend` must not panic: two panics at once end the process. So it moves values, and clones,
/// compares or drops none.
#[inline(always)]
pub fn or_mend<T, R>(thing: &mut T, act: impl FnOnce(&mut T) -> R, mend: impl FnOnce(&mut T)) -> R {
    struct Guard<'a, T, M: FnOnce(&mut T)> {
        thing: &'a mut T,
        mend: Option<M>,
    }

    impl<T, M: FnOnce(&mut T)> Drop for Guard<'_, T, M> {
        fn drop(&mut self) {
            if let Some(mend) = self.mend.take() {
                mend(self.thing);
            }
        }
    }

    let mut guard = Guard { thing, mend: Some(mend) };
    let result = act(guard.thing);
    guard.mend = None;
    result
}

thread_local! {
    /// Whether this thread is inside of [`caught`].
    static CATCHES: Cell<bool> = const { Cell::new(false) };
}

/// Calls `run`, which may panic on input that is damaged, as decoders of other libraries do. `None` if it did.
///
/// What `run` changes is to be dropped then.
pub fn caught<T>(run: impl FnOnce() -> T) -> Option<T> {
    let before = CATCHES.replace(true);
    let done = catch_unwind(AssertUnwindSafe(run));
    CATCHES.set(before);
    done.ok()
}

/// Panics inside of [`caught`] are not printed from now on, since they become errors that say what is wrong. All others go to the hook that
/// is in place when this is called first. For programs, at their start.
///
/// # Panics
///
/// If the thread is panicking.
pub fn silence_caught() {
    static SILENCED: Once = Once::new();
    SILENCED.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |panic| {
            if !CATCHES.get() {
                others(panic);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::{CATCHES, caught, or_mend};

    #[test]
    fn only_panics_inside_are_caught() {
        assert_eq!(caught(|| 1), Some(1));
        assert_eq!(caught(|| caught(|| -> i32 { std::panic::resume_unwind(Box::new(())) })), Some(None));
        assert!(!CATCHES.get());
        assert_eq!(caught(|| (caught(|| ()), CATCHES.get())), Some((Some(()), true)));
    }

    #[test]
    fn mends_only_what_panicked() {
        let mut calls = vec![];
        assert_eq!(or_mend(&mut calls, |calls| calls.len(), |calls| calls.push("mended")), 0);
        assert!(calls.is_empty());
        let act = |calls: &mut Vec<&str>| {
            calls.push("acted");
            std::panic::resume_unwind(Box::new(()));
        };
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            or_mend(&mut calls, act, |calls| calls.push("mended"));
        }));
        assert!(result.is_err());
        assert_eq!(calls, ["acted", "mended"]);
    }
}
