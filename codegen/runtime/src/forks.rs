//! Where a walk over a binary tree that visits a node before its children goes on.

use std::hint::select_unpredictable;
use std::mem::MaybeUninit;

/// The children that a walk still has to visit: of each node on its way, at most the second one.
///
/// Whether a node of a tree has a child is a coin toss to the processor, and a wrong guess costs as much as some twenty
/// instructions: two tosses a node were most of the time of a walk over single elements (8 ns a node, where the same walk
/// without guesses takes 5). So nothing here branches on it: what is not there is written too, and not counted.
///
/// ```text
///   loop {
///       loop { visit(node); match forks.next(first child, second child) { Some(next) => node = next, None => break } }
///       match forks.resume() { Some(next) => node = next, None => return }
///   }
/// ```
///
/// The inner loop calls nothing, so that what a visitor accumulates stays in a register there.
pub struct Forks<T: Copy, const N: usize = 32> {
    /// Entries of `waiting` that count; one below zero when the last one was asked for and there was none.
    len: usize,
    waiting: Waiting<T, N>,
}

/// Apart from their number, which can thus stay in a register.
struct Waiting<T: Copy, const N: usize> {
    /// The first place holds nothing, and is read where nobody waits; as many as count lie behind it. All of these are initialised.
    inline: [MaybeUninit<Option<T>>; N],
    /// The children that `next` found no room for.
    held: [Option<T>; 2],
    /// What was moved out of the way, oldest first.
    spill: Vec<T>,
}

impl<T: Copy, const N: usize> Forks<T, N> {
    /// A walk that has nowhere to go on yet.
    #[inline(always)]
    pub const fn new() -> Self {
        const { assert!(N >= 4) };
        let mut inline = [const { MaybeUninit::uninit() }; N];
        inline[0] = MaybeUninit::new(None);
        Forks { len: 0, waiting: Waiting { inline, held: [None; 2], spill: Vec::new() } }
    }

    /// The node to visit after one with these two children: the first child, else the second one, else what was left waiting
    /// last. If there is none, `resume` says how to go on.
    #[inline(always)]
    pub fn next(&mut self, first: Option<T>, second: Option<T>) -> Option<T> {
        let Some(place) = self.waiting.inline.get_mut(self.len.wrapping_add(1)) else {
            self.waiting.held = [first, second];
            return None;
        };
        *place = MaybeUninit::new(second);
        // SAFETY: the places up to `len` are initialised, and the one behind exists.
        let last = unsafe { self.waiting.inline.get_unchecked(self.len).assume_init() };
        let (one, other) = (first.is_some(), second.is_some());
        self.len = self.len.wrapping_add(usize::from(one & other)).wrapping_sub(usize::from(!(one | other)));
        select_unpredictable(one, first, select_unpredictable(other, second, last))
    }

    /// The node to go on with when `next` knew none; `None` at the end of the walk.
    #[inline(always)]
    pub fn resume(&mut self) -> Option<T> {
        if self.len == usize::MAX && self.waiting.spill.is_empty() {
            return None;
        }
        let (next, len) = self.waiting.move_over(self.len);
        self.len = len;
        next
    }
}

impl<T: Copy, const N: usize> Waiting<T, N> {
    /// Makes room, or brings back what had to make room. Returns the node to go on with, and how many wait inline.
    #[cold]
    #[inline(never)]
    fn move_over(&mut self, len: usize) -> (Option<T>, usize) {
        if len == N - 1 {
            // SAFETY: places `1..N` are initialised, and hold something.
            self.spill.extend(self.inline[1..=N / 2].iter().filter_map(|entry| unsafe { entry.assume_init() }));
            self.inline.copy_within(1 + N / 2..N, 1);
            let mut len = len - N / 2;
            let [first, second] = self.held;
            if first.is_some() && second.is_some() {
                len += 1;
                self.inline[len] = MaybeUninit::new(second);
            }
            return match first.or(second) {
                Some(next) => (Some(next), len),
                // SAFETY: initialised as above, and not the first place.
                None => (unsafe { self.inline[len].assume_init() }, len - 1),
            };
        }
        let next = self.spill.pop();
        let back = self.spill.len().min(N / 2);
        let from = self.spill.len() - back;
        for (place, entry) in self.inline[1..].iter_mut().zip(self.spill.drain(from..)) {
            *place = MaybeUninit::new(Some(entry));
        }
        (next, back)
    }
}

impl<T: Copy, const N: usize> Default for Forks<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Node `k` of a tree has the children that the function says; the order of the walk.
    fn walk(root: u32, children: impl Fn(u32) -> [Option<u32>; 2]) -> Vec<u32> {
        let (mut forks, mut node, mut seen) = (Forks::<u32, 4>::new(), root, Vec::new());
        loop {
            seen.push(node);
            let [first, second] = children(node);
            match forks.next(first, second).or_else(|| forks.resume()) {
                Some(next) => node = next,
                None => return seen,
            }
        }
    }

    #[test]
    fn walks_in_pre_order_and_spills() {
        // A full tree; a comb whose teeth all wait until the end; a path either way; a lone node.
        let full = walk(1, |k| [2 * k, 2 * k + 1].map(|child| (child < 256).then_some(child)));
        let mut expected = Vec::new();
        fn visit(k: u32, out: &mut Vec<u32>) {
            if k < 256 {
                out.push(k);
                visit(2 * k, out);
                visit(2 * k + 1, out);
            }
        }
        visit(1, &mut expected);
        assert_eq!(full, expected);
        for teeth in [1, 2, 3, 4, 5, 8, 9, 100] {
            let comb = walk(0, |k| if k < teeth { [Some(k + 1), Some(1000 + k)] } else { [None, None] });
            assert!(comb.iter().copied().eq((0..=teeth).chain((1000..1000 + teeth).rev())), "{comb:?}");
        }
        assert_eq!(walk(0, |k| [(k < 9).then_some(k + 1), None]).len(), 10);
        assert_eq!(walk(0, |k| [None, (k < 9).then_some(k + 1)]).len(), 10);
        assert_eq!(walk(7, |_| [None, None]), [7]);
    }
}
