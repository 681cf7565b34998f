//! The explicit stack of derived traversals.

use std::mem::MaybeUninit;

/// A stack that lies inline for its first `N` entries and on the heap beyond, so that a walk over a short tree allocates nothing
/// and one over a degenerate tree of any depth does not overflow.
pub struct Stack<T: Copy, const N: usize = 32> {
    len: usize,
    /// The first `len.min(N)` are initialised.
    inline: [MaybeUninit<T>; N],
    /// The entries from the `N`th on.
    spill: Vec<T>,
}

impl<T: Copy, const N: usize> Stack<T, N> {
    /// An empty stack.
    #[inline(always)]
    pub const fn new() -> Self {
        Stack { len: 0, inline: [const { MaybeUninit::uninit() }; N], spill: Vec::new() }
    }

    /// Puts an entry on top.
    #[inline(always)]
    pub fn push(&mut self, entry: T) {
        if self.len < N {
            self.inline[self.len].write(entry);
        } else {
            self.push_spill(entry);
        }
        self.len += 1;
    }

    #[cold]
    #[inline(never)]
    fn push_spill(&mut self, entry: T) {
        self.spill.push(entry);
    }

    /// Takes the entry on top.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<T> {
        if self.len == 0 {
            return None;
        }
        self.len -= 1;
        if self.len < N {
            // SAFETY: entries below `len.min(N)` are initialised.
            Some(unsafe { self.inline[self.len].assume_init() })
        } else {
            self.spill.pop()
        }
    }

    /// Number of entries.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no entry.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl<T: Copy, const N: usize> Default for Stack<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spills_and_returns() {
        let mut stack = Stack::<usize, 4>::new();
        for round in 0..3 {
            for entry in 0..11 {
                stack.push(entry + round);
            }
            assert_eq!(stack.len(), 11);
            for entry in (0..11).rev() {
                assert_eq!(stack.pop(), Some(entry + round));
            }
            assert!(stack.pop().is_none() && stack.is_empty());
        }
    }
}
