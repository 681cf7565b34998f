//! What an operation leaves behind when a user's code panics in it.

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

#[cfg(test)]
mod tests {
    use super::or_mend;

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
