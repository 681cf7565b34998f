//! Sets of vertices, shared between versions.
//!
//! ```text
//!   root ─▶ [64 children] ─▶ [64 children] ─▶ leaf: 64 words of 64 bits        as high as the largest vertex asks for
//! ```
//!
//! Cloning shares everything; the first change after it copies one path of half-kilobyte nodes. A set of all of `0..n` has one
//! node a level, whatever `n`.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use pleach_runtime::par_concat;

use super::counted::Counted;

/// Children of a node, and words of a leaf.
const FANOUT: usize = 64;

/// Bits of a vertex that a node resolves.
const BITS: u32 = FANOUT.trailing_zeros();

/// Bits of a vertex that a leaf resolves.
const LEAF_BITS: u32 = 2 * BITS;

/// Vertices of which one task finds those that are not in the set.
const SEARCHED: usize = 1 << 13;

/// A set of vertices below 2^32: those that a [`Snapshot`](super::Snapshot) holds, for example.
///
/// Cloning takes constant time and shares all memory; the first change after it copies one short path. Takes a bit for each number
/// in the blocks of 4096 numbers that hold a vertex.
///
/// ```
/// use pleach::graph::VertexSet;
///
/// let mut set: VertexSet = [7, 3, 100_000].into_iter().collect();
/// let before = set.clone();
/// set.remove(7);
/// assert!(set.iter().eq([3, 100_000]) && before.contains(7));
/// ```
#[derive(Clone, Default)]
pub struct VertexSet {
    root: Option<Arc<Node>>,
    /// Levels of nodes above the leaves.
    height: u32,
    len: usize,
}

#[derive(Clone)]
enum Node {
    Leaf([u64; FANOUT]),
    /// Children, and how many vertices lie below them.
    Inner([Option<Arc<Node>>; FANOUT], u64),
}

impl Node {
    fn empty(height: u32) -> Arc<Node> {
        Arc::new(if height == 0 { Node::Leaf([0; FANOUT]) } else { Node::Inner([const { None }; FANOUT], 0) })
    }

    /// Vertices below a node. Takes constant time.
    fn count(&self) -> u64 {
        match self {
            Node::Leaf(words) => words.iter().map(|word| u64::from(word.count_ones())).sum(),
            Node::Inner(_, count) => *count,
        }
    }

    /// Adds those vertices of a range that lie below a node, which holds those from `base` on. Returns how many are new. `full` holds a
    /// full node of each height, lowest first.
    fn fill(node: &mut Arc<Node>, height: u32, base: u64, range: &Range<u64>, full: &mut Vec<Arc<Node>>) -> u64 {
        let below = 1u64 << (LEAF_BITS + BITS * height);
        let (begin, end) = (range.start.max(base), range.end.min(base + below));
        let old = node.count();
        // A full node stays, and is shared as before.
        if begin >= end || old == below {
            return 0;
        }
        if end - begin == below {
            while full.len() <= height as usize {
                let child = full.last().cloned();
                full.push(Arc::new(match child {
                    None => Node::Leaf([u64::MAX; FANOUT]),
                    Some(child) => {
                        Node::Inner(std::array::from_fn(|_| Some(child.clone())), child.count() * FANOUT as u64)
                    }
                }));
            }
            *node = full[height as usize].clone();
            return below - old;
        }
        match Arc::make_mut(node) {
            Node::Leaf(words) => {
                let mut new = 0;
                for (k, word) in words.iter_mut().enumerate() {
                    let first = base + 64 * k as u64;
                    let (from, to) = (begin.max(first), end.min(first + 64));
                    if from < to {
                        let bits = u64::MAX >> (64 - (to - from)) << (from - first);
                        new += u64::from((bits & !*word).count_ones());
                        *word |= bits;
                    }
                }
                new
            }
            Node::Inner(children, count) => {
                let size = below / FANOUT as u64;
                let (first, last) = ((begin - base) / size, (end - 1 - base) / size);
                for k in first..=last {
                    let child = children[k as usize].get_or_insert_with(|| Node::empty(height - 1));
                    *count += Node::fill(child, height - 1, base + k * size, range, full);
                }
                *count - old
            }
        }
    }

    /// The first `n` vertices below a node, of which there are 2^(12 + 6 height).
    fn first(n: u64, height: u32, full: &mut Vec<Arc<Node>>) -> Arc<Node> {
        if height == 0 {
            let word = |k: u64| match n.saturating_sub(64 * k) {
                0 => 0,
                bits @ 1..64 => (1 << bits) - 1,
                _ => u64::MAX,
            };
            return Arc::new(Node::Leaf(std::array::from_fn(|k| word(k as u64))));
        }
        let below = 1u64 << (LEAF_BITS + BITS * (height - 1));
        // One full child is shared by all places that need one; `full` holds that of each level.
        if full.len() < height as usize {
            let child = Node::first(below, height - 1, full);
            full.push(child);
        }
        let children = std::array::from_fn(|k| match n.saturating_sub(below * k as u64) {
            0 => None,
            rest if rest >= below => Some(full[height as usize - 1].clone()),
            rest => Some(Node::first(rest, height - 1, full)),
        });
        Arc::new(Node::Inner(children, n))
    }
}

impl VertexSet {
    /// All vertices below `n`. Takes O(log n) time and memory.
    ///
    /// # Panics
    ///
    /// If `n` is above 2^32.
    pub fn first(n: usize) -> Self {
        assert!(n as u64 <= 1 << 32, "vertices are numbered by 32 bits");
        let mut set = VertexSet::default();
        if n > 0 {
            set.rise_to((n - 1) as u32);
            set.root = Some(Node::first(n as u64, set.height, &mut Vec::new()));
            set.len = n;
        }
        set
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no vertex.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Makes the tree high enough for a vertex.
    fn rise_to(&mut self, vertex: u32) {
        while u64::from(vertex) >> (LEAF_BITS + BITS * self.height) != 0 {
            self.root = self.root.take().map(|below| {
                let (mut children, count) = ([const { None }; FANOUT], below.count());
                children[0] = Some(below);
                Arc::new(Node::Inner(children, count))
            });
            self.height += 1;
        }
    }

    /// The leaf that holds a vertex, if there is one.
    fn leaf(&self, vertex: u32) -> Option<&[u64; FANOUT]> {
        let (mut node, mut shift) = (self.root.as_deref()?, LEAF_BITS + BITS * self.height);
        if u64::from(vertex) >> shift != 0 {
            return None;
        }
        loop {
            match node {
                Node::Leaf(words) => return Some(words),
                Node::Inner(children, _) => {
                    shift -= BITS;
                    node = children[(vertex >> shift) as usize % FANOUT].as_deref()?;
                }
            }
        }
    }

    /// Whether a vertex is in the set. Takes a few loads.
    pub fn contains(&self, vertex: u32) -> bool {
        self.leaf(vertex).is_some_and(|words| words[word_of(vertex)] & bit_of(vertex) != 0)
    }

    /// Mutable access to the leaf where a vertex is to be added or removed, which the nodes above count already. Shared nodes on the path to
    /// it are copied first.
    fn leaf_mut(&mut self, vertex: u32, adds: bool) -> &mut [u64; FANOUT] {
        self.rise_to(vertex);
        let mut height = self.height;
        let mut node = self.root.get_or_insert_with(|| Node::empty(height));
        loop {
            match Arc::make_mut(node) {
                Node::Leaf(words) => return words,
                Node::Inner(children, count) => {
                    *count = if adds { *count + 1 } else { *count - 1 };
                    height -= 1;
                    let child = &mut children[(vertex >> (LEAF_BITS + BITS * height)) as usize % FANOUT];
                    node = child.get_or_insert_with(|| Node::empty(height));
                }
            }
        }
    }

    /// Adds a vertex. Returns whether it is new.
    pub fn insert(&mut self, vertex: u32) -> bool {
        let new = !self.contains(vertex);
        if new {
            self.leaf_mut(vertex, true)[word_of(vertex)] |= bit_of(vertex);
            self.len += 1;
        }
        new
    }

    /// Adds vertices. Returns how many are new. Vertices in the same leaf are found together.
    pub fn extend(&mut self, vertices: impl IntoIterator<Item = u32>) -> usize {
        let new = self.missing(vertices.into_iter());
        new.into_iter().filter(|&vertex| self.insert(vertex)).count()
    }

    /// Adds the vertices `vertex(0)` to `vertex(n - 1)`. Which of them are new is found in parallel.
    pub(super) fn extend_by(&mut self, n: usize, vertex: impl Fn(usize) -> u32 + Sync) -> usize {
        let new = par_concat(n, SEARCHED, |range| self.missing(range.map(&vertex)));
        new.into_iter().filter(|&vertex| self.insert(vertex)).count()
    }

    /// Those of some vertices that are not in the set.
    fn missing(&self, vertices: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut new = Vec::new();
        let mut cached: Option<(u32, Option<&[u64; FANOUT]>)> = None;
        for vertex in vertices {
            let leaf = match cached {
                Some((at, leaf)) if at == vertex >> LEAF_BITS => leaf,
                _ => self.leaf(vertex),
            };
            cached = Some((vertex >> LEAF_BITS, leaf));
            if leaf.is_none_or(|words| words[word_of(vertex)] & bit_of(vertex) == 0) {
                new.push(vertex);
            }
        }
        new
    }

    /// Removes a vertex. Returns whether it was in the set.
    pub fn remove(&mut self, vertex: u32) -> bool {
        let there = self.contains(vertex);
        if there {
            self.leaf_mut(vertex, false)[word_of(vertex)] &= !bit_of(vertex);
            self.len -= 1;
        }
        there
    }

    /// Adds all vertices of a range. Takes time and memory that grow with the logarithm of its length: full parts of the set are shared, and
    /// not looked at again. What full parts take the place of is freed.
    ///
    /// # Panics
    ///
    /// If the range ends above 2^32.
    pub fn insert_range(&mut self, range: Range<u64>) {
        assert!(range.end <= 1 << 32, "vertices are numbered by 32 bits");
        if range.is_empty() {
            return;
        }
        self.rise_to((range.end - 1) as u32);
        let height = self.height;
        let root = self.root.get_or_insert_with(|| Node::empty(height));
        self.len += Node::fill(root, height, 0, &range, &mut Vec::new()) as usize;
    }

    /// The largest vertex. Takes a few loads.
    pub fn last(&self) -> Option<u32> {
        /// The last one below a node, which holds the vertices from `base` on.
        fn search(node: &Node, height: u32, base: u64) -> Option<u32> {
            match node {
                Node::Leaf(words) => {
                    let k = words.iter().rposition(|&word| word != 0)?;
                    Some((base + 64 * k as u64) as u32 + 63 - words[k].leading_zeros())
                }
                Node::Inner(children, _) => {
                    let below = 1u64 << (LEAF_BITS + BITS * (height - 1));
                    (0..FANOUT).rev().find_map(|k| search(children[k].as_deref()?, height - 1, base + below * k as u64))
                }
            }
        }
        search(self.root.as_deref()?, self.height, 0)
    }

    /// Calls `visit` with each vertex that is in this set or in an older one, but not in both: ascending, and whether it is in this one. Parts
    /// that the two share are not looked at.
    pub fn each_difference(&self, older: &Self, visit: &mut dyn FnMut(u32, bool)) {
        /// Node `k` below one of a height, which may be lower than the other: then it lies below the first.
        fn below(node: Option<&Arc<Node>>, own: u32, height: u32, k: usize) -> Option<&Arc<Node>> {
            match node.map(|node| &**node) {
                _ if own < height => node.filter(|_| k == 0),
                Some(Node::Inner(children, _)) => children[k].as_ref(),
                _ => None,
            }
        }
        fn search(
            (newer, own): (Option<&Arc<Node>>, u32),
            (older, other): (Option<&Arc<Node>>, u32),
            base: u64,
            visit: &mut dyn FnMut(u32, bool),
        ) {
            match (newer, older) {
                (None, None) => return,
                (Some(newer), Some(older)) if Arc::ptr_eq(newer, older) => return,
                _ => {}
            }
            let height = own.max(other);
            if height == 0 {
                let words = |node: Option<&Arc<Node>>| match node.map(|node| &**node) {
                    Some(Node::Leaf(words)) => *words,
                    _ => [0; FANOUT],
                };
                let (newer, older) = (words(newer), words(older));
                for k in 0..FANOUT {
                    let mut differing = newer[k] ^ older[k];
                    while differing != 0 {
                        let bit = differing.trailing_zeros();
                        differing &= differing - 1;
                        visit((base + 64 * k as u64) as u32 + bit, newer[k] >> bit & 1 != 0);
                    }
                }
                return;
            }
            let size = 1u64 << (LEAF_BITS + BITS * (height - 1));
            for k in 0..FANOUT {
                let (newer, older) = (below(newer, own, height, k), below(older, other, height, k));
                search((newer, own.min(height - 1)), (older, other.min(height - 1)), base + size * k as u64, visit);
            }
        }
        search((self.root.as_ref(), self.height), (older.root.as_ref(), older.height), 0, visit);
    }

    /// The vertices as ranges, ascending, none next to another.
    pub fn ranges(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        let mut vertices = self.iter().map(u64::from).peekable();
        std::iter::from_fn(move || {
            let start = vertices.next()?;
            let mut end = start + 1;
            while vertices.next_if_eq(&end).is_some() {
                end += 1;
            }
            Some(start..end)
        })
    }

    /// The first vertex of the set that is at least `vertex`.
    fn next_from(&self, vertex: u64) -> Option<u32> {
        /// The first one below a node, which holds the vertices from `base` on.
        fn search(node: &Node, height: u32, base: u64, from: u64) -> Option<u32> {
            match node {
                Node::Leaf(words) => (word_of(from.max(base) as u32)..FANOUT).find_map(|k| {
                    let begin = base + 64 * k as u64;
                    let word = words[k] & u64::MAX << from.saturating_sub(begin).min(63);
                    (word != 0).then(|| begin as u32 + word.trailing_zeros())
                }),
                Node::Inner(children, _) => {
                    let below = 1u64 << (LEAF_BITS + BITS * (height - 1));
                    let first = from.saturating_sub(base) / below;
                    (first as usize..FANOUT)
                        .find_map(|k| search(children[k].as_deref()?, height - 1, base + below * k as u64, from))
                }
            }
        }
        if vertex >> (LEAF_BITS + BITS * self.height) != 0 {
            return None;
        }
        search(self.root.as_deref()?, self.height, 0, vertex)
    }

    /// The vertices, ascending.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u32> + Clone + use<'_> {
        let (mut word, mut base, mut next) = (0u64, 0u32, 0u64);
        let vertices = std::iter::from_fn(move || {
            while word == 0 {
                // The next word that is not empty, found from the root.
                let vertex = self.next_from(next)?;
                base = vertex & !63;
                word = self.leaf(vertex)?[word_of(vertex)];
                next = u64::from(base) + 64;
            }
            let vertex = base + word.trailing_zeros();
            word &= word - 1;
            Some(vertex)
        });
        Counted::new(vertices, self.len)
    }
}

impl FromIterator<u32> for VertexSet {
    fn from_iter<I: IntoIterator<Item = u32>>(vertices: I) -> Self {
        let mut set = VertexSet::default();
        set.extend(vertices);
        set
    }
}

impl fmt::Debug for VertexSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl PartialEq for VertexSet {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}

impl Eq for VertexSet {}

/// The word of a leaf in which a vertex has its bit.
#[inline]
fn word_of(vertex: u32) -> usize {
    (vertex >> BITS) as usize % FANOUT
}

/// The bit of a vertex in its word.
#[inline]
fn bit_of(vertex: u32) -> u64 {
    1 << (vertex % 64)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use pleach_runtime::SplitMix64;

    use super::*;

    /// Whether tests run at their full size, as by night.
    const FULL: bool = option_env!("PLEACH_FULL_SIZE").is_some();

    /// Looks at every node: each counts what lies below it.
    fn counts_agree(set: &VertexSet) {
        fn counted(node: &Node) -> u64 {
            if let Node::Inner(children, count) = node {
                assert_eq!(children.iter().flatten().map(|child| counted(child)).sum::<u64>(), *count);
            }
            node.count()
        }
        assert_eq!(set.root.as_deref().map_or(0, counted), set.len() as u64);
    }

    /// A part that is full is shared as it is: it is neither counted node by node nor replaced.
    #[test]
    fn what_is_full_stays() {
        let before = VertexSet::first(1 << 32);
        let mut all = before.clone();
        for start in 0..500 {
            all.insert_range(start * 1_000_003..1 << 32);
        }
        assert_eq!(all.len(), 1 << 32);
        let children = |set: &VertexSet| match set.root.as_deref() {
            Some(Node::Inner(children, _)) => children.clone(),
            _ => panic!("a set of all vertices has several levels"),
        };
        let (old, new) = (children(&before), children(&all));
        assert!(old.iter().flatten().zip(new.iter().flatten()).all(|(old, new)| Arc::ptr_eq(old, new)));
        // A gap is filled, and what is beside it stays.
        assert!(all.remove(5) && all.len() == u32::MAX as usize);
        all.insert_range(0..1 << 32);
        assert!(all.contains(5) && all.len() == 1 << 32);
        let new = children(&all);
        assert!(old.iter().flatten().zip(new.iter().flatten()).skip(1).all(|(old, new)| Arc::ptr_eq(old, new)));
    }

    #[test]
    fn sets_of_the_first_vertices() {
        for n in [0, 1, 63, 64, 65, 4095, 4096, 4097, 262_144, 300_000] {
            let set = VertexSet::first(n);
            assert_eq!(set.len(), n);
            counts_agree(&set);
            assert!(set.iter().eq(0..n as u32), "{n}");
            assert!(!set.contains(n as u32) && !set.contains(u32::MAX));
        }
    }

    #[test]
    fn ranges_are_added_and_given_back() {
        let mut random = SplitMix64(11);
        // One, two and three levels.
        for bound in [300, 20_000, if FULL { 1_000_000 } else { 300_000 }] {
            let (mut set, mut model) = (VertexSet::default(), BTreeSet::new());
            for _ in 0..40 {
                let start = random.below(bound);
                let range = start..start + random.below(bound / 4 + 2);
                set.insert_range(range.clone());
                model.extend(range.map(|vertex| vertex as u32));
                let one = random.below(bound) as u32;
                assert_eq!(set.remove(one), model.remove(&one));
                assert_eq!(set.len(), model.len());
                counts_agree(&set);
            }
            assert!(set.iter().eq(model.iter().copied()));
            assert_eq!(set.last(), model.last().copied());
            let mut again = VertexSet::default();
            set.ranges().for_each(|range| again.insert_range(range));
            assert!(again == set && again.len() == set.len());
        }
        // All there can be take no more than a path of nodes.
        let mut all = VertexSet::default();
        all.insert_range(1..1 << 32);
        assert_eq!((all.len(), all.contains(0), all.contains(u32::MAX)), (u32::MAX as usize, false, true));
        assert!(all.remove(1 << 31) && !all.contains(1 << 31) && all.contains((1 << 31) + 1));
    }

    #[test]
    fn random_changes_against_a_set_with_versions_held() {
        let mut random = SplitMix64(7);
        let (mut set, mut model) = (VertexSet::default(), BTreeSet::new());
        let mut kept: Vec<(VertexSet, BTreeSet<u32>)> = Vec::new();
        for round in 0..40 {
            let range = [100, 5_000, 1 << 20, 1 << 32][round % 4];
            let batch: Vec<u32> = (0..200).map(|_| random.below(range) as u32).collect();
            let before = model.len();
            if round % 3 == 2 {
                batch.iter().for_each(|vertex| assert_eq!(set.remove(*vertex), model.remove(vertex)));
            } else {
                let new = if round % 2 == 0 {
                    set.extend(batch.iter().copied())
                } else {
                    set.extend_by(batch.len(), |k| batch[k])
                };
                model.extend(batch);
                assert_eq!(new, model.len() - before);
            }
            assert_eq!(set.len(), model.len());
            counts_agree(&set);
            assert!(set.iter().eq(model.iter().copied()));
            for (older, before) in kept.iter().rev().step_by(3) {
                let mut changes: Vec<(u32, bool)> = Vec::new();
                let mut expected = changes.clone();
                set.each_difference(older, &mut |vertex, added| changes.push((vertex, added)));
                expected.extend(model.symmetric_difference(before).map(|&vertex| (vertex, model.contains(&vertex))));
                assert_eq!(changes, expected);
                changes.clear();
                older.each_difference(&set, &mut |vertex, added| changes.push((vertex, !added)));
                assert_eq!(changes, expected);
            }
            kept.push((set.clone(), model.clone()));
        }
        set.insert(u32::MAX);
        assert_eq!(set.iter().last(), Some(u32::MAX));
        for (set, model) in kept {
            assert!(set.iter().eq(model.iter().copied()), "a version does not change");
        }
    }
}
