//! Shapes of binary trees, and how a tree of a shape is built from sorted elements.
//!
//! ```text
//!   keys 0 1 2 3 4 5       a key is one element or a block of consecutive ones
//!            3             nodes are allocated in pre-order (3 1 0 2 5 4), so that a traversal
//!          ┌─┴─┐           that visits a node before its children reads memory forwards
//!          1   5
//!         ┌┴┐ ┌┘
//!         0 2 4
//! ```

#![forbid(unsafe_code)]

use pleach_runtime::{Coord, Elements, Link, Node, Ref, Reserved, join};

/// Which key is the root of which range of keys.
pub(crate) trait Shape: Sync {
    /// The root of all keys.
    fn root(&self, keys: usize) -> usize;
    /// The root of `lo..parent`, the keys to the left of `parent`.
    fn left(&self, parent: usize, lo: usize) -> usize;
    /// The root of `parent + 1..hi`, the keys to the right of `parent`.
    fn right(&self, parent: usize, hi: usize) -> usize;
}

/// A tree in which both sides of every node hold equally many keys, but for one.
pub(crate) struct Balanced;

impl Shape for Balanced {
    fn root(&self, keys: usize) -> usize {
        keys / 2
    }

    fn left(&self, parent: usize, lo: usize) -> usize {
        lo + (parent - lo) / 2
    }

    fn right(&self, parent: usize, hi: usize) -> usize {
        parent + 1 + (hi - parent - 1) / 2
    }
}

/// A treap: every key's priority is above those of its children. With priorities from a hash of the coordinate, its shape
/// depends on what is in it and not on how that came about; its depth is logarithmic unless the coordinates were chosen to spoil
/// it (Seidel & Aragon, *Randomized Search Trees*, 1996).
pub(crate) struct Treap {
    root: u32,
    /// The roots of the keys to the left and to the right; the key itself where there are none.
    children: Vec<[u32; 2]>,
}

impl Treap {
    /// The treap of `keys` keys. Linear: keys arrive in order, and the stack holds the right spine.
    pub(crate) fn new(keys: usize, priority: impl Fn(usize) -> u64) -> Self {
        let keys = u32::try_from(keys).expect("fewer than 2^32 nonzeros in one row");
        let mut children: Vec<[u32; 2]> = (0..keys).map(|key| [key, key]).collect();
        let mut spine: Vec<(u32, u64)> = Vec::new();
        for key in 0..keys {
            let rank = priority(key as usize);
            let mut below = None;
            while let Some(&(top, top_rank)) = spine.last()
                && top_rank < rank
            {
                below = Some(top);
                spine.pop();
            }
            if let Some(below) = below {
                children[key as usize][0] = below;
            }
            if let Some(&(top, _)) = spine.last() {
                children[top as usize][1] = key;
            }
            spine.push((key, rank));
        }
        Treap { root: spine.first().map_or(0, |&(key, _)| key), children }
    }
}

impl Treap {
    /// The root of the keys `lo..hi`, of which there is one at least, given the root of keys that they are among.
    pub(crate) fn root_of(&self, lo: usize, hi: usize, mut above: usize) -> usize {
        loop {
            let [left, right] = self.children[above];
            above = match above {
                _ if above < lo => right as usize,
                _ if above >= hi => left as usize,
                _ => return above,
            };
        }
    }
}

impl Shape for Treap {
    fn root(&self, _keys: usize) -> usize {
        self.root as usize
    }

    fn left(&self, parent: usize, _lo: usize) -> usize {
        self.children[parent][0] as usize
    }

    fn right(&self, parent: usize, _hi: usize) -> usize {
        self.children[parent][1] as usize
    }
}

/// The priority of a coordinate in a treap: first how many of its lowest bits are zeros, then a hash of it.
///
/// Of consecutive coordinates this makes a tree that is balanced perfectly, as there is one with more zeros between any two with equally
/// many. Neither a build nor a walk takes a branch then that the processor does not foresee. Scattered coordinates have as many zeros as a
/// coin has tails in a row, which makes a zip tree (Tarjan, Levy & Timmel, *Zip Trees*, 2021), and those with equally many zeros make a treap.
#[inline]
pub(crate) fn priority<C: Coord>(coord: C) -> u64 {
    u64::from(coord.to_u64().trailing_zeros().min(63)) << 58 | mix(coord) >> 6
}

/// A hash of a coordinate that no two coordinates share.
#[inline]
pub(crate) fn mix<C: Coord>(coord: C) -> u64 {
    pleach_runtime::mix(coord.to_u64().wrapping_add(pleach_runtime::GOLDEN))
}

/// How a tree is grown.
pub(crate) struct Grow<'s, S, P, M, L> {
    /// Its shape.
    pub shape: &'s S,
    /// The position of a key's first element; of the number of keys: the number of elements.
    pub start: P,
    /// Makes the node of a key from its elements.
    pub make: M,
    /// Sets the links of a node.
    pub link: L,
}

/// A node whose links are still to be set.
struct Open<'e, T: Node> {
    node: Reserved<T>,
    key: usize,
    lo: usize,
    hi: usize,
    /// What belongs below it and was not built yet.
    left: Option<Elements<'e, T::Coord, T::Value>>,
    right: Option<Elements<'e, T::Coord, T::Value>>,
    built: [Link<T>; 2],
    is_left: bool,
}

/// Elements below which a subtree is built by one task.
const GRAIN: usize = 1 << 13;

/// Levels that are split into tasks.
const FORKS: u32 = 24;

/// Levels of a task's subtree that are built by recursion, in half the time that an explicit stack takes. What lies deeper is built with
/// a stack, however deep it is: a treap of keys without order is about fifty levels deep at most.
const RECURSIVE: u32 = 96;

impl<S, P, M, L> Grow<'_, S, P, M, L>
where
    S: Shape,
    P: Fn(usize) -> usize + Sync,
{
    /// Builds the tree of all keys.
    pub(crate) fn grow<T>(&self, keys: usize, elements: Elements<'_, T::Coord, T::Value>) -> Link<T>
    where
        T: Node,
        M: Fn(usize, Elements<'_, T::Coord, T::Value>) -> Reserved<T> + Sync,
        L: Fn(&mut Reserved<T>, Link<T>, Link<T>) + Sync,
    {
        (keys > 0).then(|| self.fork(self.shape.root(keys), 0, keys, elements, FORKS)).flatten()
    }

    fn fork<T>(
        &self,
        key: usize,
        lo: usize,
        hi: usize,
        elements: Elements<'_, T::Coord, T::Value>,
        forks: u32,
    ) -> Link<T>
    where
        T: Node,
        M: Fn(usize, Elements<'_, T::Coord, T::Value>) -> Reserved<T> + Sync,
        L: Fn(&mut Reserved<T>, Link<T>, Link<T>) + Sync,
    {
        if elements.len() <= GRAIN || forks == 0 {
            return Some(self.recursive(key, lo, hi, elements, RECURSIVE));
        }
        let mut open = self.open(key, lo, hi, elements, false);
        let (left, right) = (open.left.take(), open.right.take());
        let (left, right) = join(
            || left.and_then(|left| self.fork(self.shape.left(key, lo), lo, key, left, forks - 1)),
            || right.and_then(|right| self.fork(self.shape.right(key, hi), key + 1, hi, right, forks - 1)),
        );
        (self.link)(&mut open.node, left, right);
        Some(open.node.finish())
    }

    fn recursive<T>(
        &self,
        key: usize,
        lo: usize,
        hi: usize,
        elements: Elements<'_, T::Coord, T::Value>,
        levels: u32,
    ) -> Ref<T>
    where
        T: Node,
        M: Fn(usize, Elements<'_, T::Coord, T::Value>) -> Reserved<T> + Sync,
        L: Fn(&mut Reserved<T>, Link<T>, Link<T>) + Sync,
    {
        if levels == 0 {
            return self.stacked(key, lo, hi, elements);
        }
        let (first, begin, end) = ((self.start)(lo), (self.start)(key), (self.start)(key + 1));
        let (left, mut rest) = elements.split_at(begin - first);
        let mut node = (self.make)(key, rest.split_front(end - begin));
        // Half of all nodes are leaves, which need no call of their own.
        let left = match key - lo {
            0 => None,
            1 => Some((self.make)(lo, left).finish()),
            _ => Some(self.recursive(self.shape.left(key, lo), lo, key, left, levels - 1)),
        };
        let right = match hi - (key + 1) {
            0 => None,
            1 => Some((self.make)(key + 1, rest).finish()),
            _ => Some(self.recursive(self.shape.right(key, hi), key + 1, hi, rest, levels - 1)),
        };
        (self.link)(&mut node, left, right);
        node.finish()
    }

    #[inline]
    fn open<'e, T>(
        &self,
        key: usize,
        lo: usize,
        hi: usize,
        elements: Elements<'e, T::Coord, T::Value>,
        is_left: bool,
    ) -> Open<'e, T>
    where
        T: Node,
        M: Fn(usize, Elements<'_, T::Coord, T::Value>) -> Reserved<T> + Sync,
    {
        let (first, begin, end) = ((self.start)(lo), (self.start)(key), (self.start)(key + 1));
        let (left, mut rest) = elements.split_at(begin - first);
        let own = rest.split_front(end - begin);
        let node = (self.make)(key, own);
        let (left, right) = ((key > lo).then_some(left), (key + 1 < hi).then_some(rest));
        Open { node, key, lo, hi, left, right, built: [None, None], is_left }
    }

    fn stacked<T>(&self, key: usize, lo: usize, hi: usize, elements: Elements<'_, T::Coord, T::Value>) -> Ref<T>
    where
        T: Node,
        M: Fn(usize, Elements<'_, T::Coord, T::Value>) -> Reserved<T> + Sync,
        L: Fn(&mut Reserved<T>, Link<T>, Link<T>) + Sync,
    {
        let mut stack = Vec::new();
        let mut top = self.open(key, lo, hi, elements, false);
        loop {
            if let Some(left) = top.left.take() {
                let below = self.open(self.shape.left(top.key, top.lo), top.lo, top.key, left, true);
                stack.push(std::mem::replace(&mut top, below));
            } else if let Some(right) = top.right.take() {
                let below = self.open(self.shape.right(top.key, top.hi), top.key + 1, top.hi, right, false);
                stack.push(std::mem::replace(&mut top, below));
            } else {
                let [left, right] = std::mem::take(&mut top.built);
                (self.link)(&mut top.node, left, right);
                let (done, is_left) = (top.node.finish(), top.is_left);
                match stack.pop() {
                    Some(above) => top = above,
                    None => return done,
                }
                top.built[usize::from(!is_left)] = Some(done);
            }
        }
    }
}
