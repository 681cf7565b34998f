//! The nodes that wait in a pre-order walk over a binary tree.

use std::hint::select_unpredictable;
use std::mem::MaybeUninit;
use std::ops::ControlFlow;

/// The children that a walk still has to visit: of each node on its way, at most the second one.
///
/// Whether a node of a tree has a child is a coin toss to the processor, and a wrong guess costs as much as some twenty instructions: two
/// tosses a node were most of the time of a walk over single elements (8 ns a node, where the same walk without guesses takes 5). So
/// nothing here branches on it: a missing child is written too, and not counted.
///
/// ```text
///   loop { visit(node); match forks.next(first child, second child) { Some(next) => node = next, None => break } }
///   if !forks.is_done() { forks.rest(node, …) }
/// ```
///
/// The loop calls nothing, and nothing comes back into it, so that what a visitor accumulates stays in a register there.
pub struct Forks<T: Copy, const N: usize = 32> {
    /// Children that wait; one below zero at the end of the walk.
    len: usize,
    waiting: Waiting<T, N>,
}

/// Apart from their number, which can thus stay in a register. The first place holds nothing, and is read if no child waits; the waiting
/// children lie behind it. All of these are initialised.
struct Waiting<T: Copy, const N: usize>([MaybeUninit<Option<T>>; N]);

impl<T: Copy, const N: usize> Forks<T, N> {
    /// A walk without waiting nodes.
    #[inline(always)]
    pub const fn new() -> Self {
        const { assert!(N >= 4) };
        let mut places = [const { MaybeUninit::uninit() }; N];
        places[0] = MaybeUninit::new(None);
        Forks { len: 0, waiting: Waiting(places) }
    }

    /// The node to visit after one with these two children: the first child, else the second one, else what was left waiting
    /// last. There is none at the end of the walk and ever after, or where too many would wait.
    #[inline(always)]
    pub fn next(&mut self, first: Option<T>, second: Option<T>) -> Option<T> {
        // One comparison for both reasons: at the end of the walk `len` is the largest number there is.
        if self.len >= N - 1 {
            return None;
        }
        // SAFETY: `len + 1 < N`, and the places up to `len` are initialised.
        let last = unsafe {
            *self.waiting.0.get_unchecked_mut(self.len + 1) = MaybeUninit::new(second);
            self.waiting.0.get_unchecked(self.len).assume_init()
        };
        let (one, other) = (first.is_some(), second.is_some());
        self.len = self.len.wrapping_add(usize::from(one & other)).wrapping_sub(usize::from(!(one | other)));
        select_unpredictable(one, first, select_unpredictable(other, second, last))
    }

    /// Whether the walk is at its end, after `next` returned `None`.
    #[inline(always)]
    pub fn is_done(&self) -> bool {
        self.len == usize::MAX
    }

    /// The rest of a walk that became too deep: the nodes after `node`, for which `next` returned `None` although there are more. Here any
    /// number of children may wait.
    ///
    /// `children` gives a node's two children.
    ///
    /// # Panics
    ///
    /// If the walk [is at its end](Self::is_done).
    #[inline(always)]
    pub fn rest<A, B>(
        self,
        node: T,
        folded: A,
        children: impl Fn(T) -> [Option<T>; 2],
        visit: impl FnMut(A, T) -> ControlFlow<B, A>,
    ) -> ControlFlow<B, A> {
        self.waiting.rest(self.len, node, folded, children, visit)
    }
}

impl<T: Copy, const N: usize> Waiting<T, N> {
    #[cold]
    #[inline(never)]
    fn rest<A, B>(
        &self,
        len: usize,
        mut node: T,
        mut folded: A,
        children: impl Fn(T) -> [Option<T>; 2],
        mut visit: impl FnMut(A, T) -> ControlFlow<B, A>,
    ) -> ControlFlow<B, A> {
        assert!(len < N, "a walk that is at its end has no rest");
        // SAFETY: places `1..=len` are initialised, and hold something.
        let mut waiting: Vec<T> = self.0[1..=len].iter().filter_map(|entry| unsafe { entry.assume_init() }).collect();
        loop {
            let [first, second] = children(node);
            let next = match (first, second) {
                (Some(first), Some(second)) => {
                    waiting.push(second);
                    Some(first)
                }
                (one, other) => one.or(other).or_else(|| waiting.pop()),
            };
            match next {
                Some(next) => node = next,
                None => return ControlFlow::Continue(folded),
            }
            folded = visit(folded, node)?;
        }
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
            match forks.next(first, second) {
                Some(next) => node = next,
                None => break,
            }
        }
        if !forks.is_done() {
            let visited = forks.rest(node, (), children, |(), node| {
                seen.push(node);
                ControlFlow::<()>::Continue(())
            });
            assert!(visited.is_continue());
        }
        seen
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

    #[test]
    fn a_walk_that_is_at_its_end_stays_there() {
        let mut forks = Forks::<u32, 4>::new();
        assert_eq!(forks.next(Some(1), Some(2)), Some(1));
        assert_eq!(forks.next(None, None), Some(2));
        for children in [(None, None), (None, None), (Some(3), Some(4)), (None, Some(5)), (None, None)] {
            assert_eq!(forks.next(children.0, children.1), None);
            assert!(forks.is_done());
        }
        let rest = || forks.rest(7, (), |_| [None, None], |(), _| ControlFlow::<()>::Continue(()));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(rest)).is_err());
    }

    #[test]
    fn a_walk_that_is_full_stays_so() {
        let mut forks = Forks::<u32, 4>::new();
        for node in 0..3 {
            assert_eq!(forks.next(Some(node), Some(10 + node)), Some(node));
        }
        for _ in 0..3 {
            assert_eq!(forks.next(Some(3), Some(13)), None);
            assert!(!forks.is_done());
        }
        let seen = forks.rest(
            2,
            Vec::new(),
            |node| if node == 2 { [Some(3), Some(13)] } else { [None, None] },
            |mut seen: Vec<u32>, node| {
                seen.push(node);
                ControlFlow::<(), _>::Continue(seen)
            },
        );
        assert_eq!(seen, ControlFlow::Continue(vec![3, 13, 12, 11, 10]));
    }
}
