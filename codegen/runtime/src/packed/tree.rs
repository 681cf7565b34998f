//! The tree of blocks that holds a long row.
//!
//! ```text
//!   Node [first coordinates | children …]            at most FANOUT children, all leaves equally deep
//!     └─ Node [first coordinates | chunks …]
//!          └─ chunk, chunk, chunk …                  nearly full when built
//! ```
//!
//! An update goes down to the chunks that the batch touches, copies nodes that are shared, and on the way up splits nodes that overflow and
//! joins thin ones: O(log n + FANOUT) a touched chunk.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::chunk::{BLOCK, Chunk, FILL, JOIN, THIN};
use crate::{AuditError, Change, Counts, Elements, Fiber, Footprint, RowBatch, or_mend};

/// Children a node has at most.
const FANOUT: usize = 64;

/// Children of a node when it is built.
const FILL_NODE: usize = 60;

/// A node with fewer children is thin.
const THIN_NODE: usize = 16;

/// A node of the tree.
#[derive(Clone)]
pub struct Node<B: Chunk> {
    /// Number of nonzeros below.
    pub(super) len: usize,
    /// The first coordinate below each child.
    firsts: Vec<B::Coord>,
    pub(super) kids: Kids<B>,
}

/// The children of a node: never none.
#[derive(Clone)]
pub(super) enum Kids<B: Chunk> {
    Chunks(Vec<B>),
    Nodes(Vec<Arc<Node<B>>>),
}

/// What is alike in chunks and nodes as children of a node.
trait Child<B: Chunk>: Clone {
    fn first(&self) -> Option<B::Coord>;
    fn is_thin(&self) -> bool;
    fn update(
        &mut self,
        batch: RowBatch<'_, B::Coord, B::Value>,
        change: Change<'_, B::Value>,
        more: &mut Vec<Self>,
    ) -> Counts;
    /// Takes in the neighbour to the right, if the two are small enough.
    fn absorb(&mut self, right: &Self) -> bool;
}

impl<B: Chunk> Child<B> for B {
    fn first(&self) -> Option<B::Coord> {
        Chunk::first(self)
    }

    fn is_thin(&self) -> bool {
        self.len() < THIN
    }

    fn update(
        &mut self,
        batch: RowBatch<'_, B::Coord, B::Value>,
        change: Change<'_, B::Value>,
        more: &mut Vec<Self>,
    ) -> Counts {
        Chunk::update(self, batch, change, more)
    }

    fn absorb(&mut self, right: &Self) -> bool {
        let small = self.len() + right.len() <= JOIN;
        if small {
            self.join(right);
        }
        small
    }
}

impl<B: Chunk> Child<B> for Arc<Node<B>> {
    fn first(&self) -> Option<B::Coord> {
        self.firsts.first().copied()
    }

    fn is_thin(&self) -> bool {
        self.firsts.len() < THIN_NODE
    }

    fn update(
        &mut self,
        batch: RowBatch<'_, B::Coord, B::Value>,
        change: Change<'_, B::Value>,
        more: &mut Vec<Self>,
    ) -> Counts {
        let mut under = (Arc::make_mut(self), more);
        let counts = or_mend(&mut under, |(node, _)| node.update(batch, change), |(node, more)| node.split(more));
        let (node, more) = under;
        node.split(more);
        counts
    }

    fn absorb(&mut self, right: &Self) -> bool {
        if self.firsts.len() + right.firsts.len() > FILL_NODE {
            return false;
        }
        let node = Arc::make_mut(self);
        node.len += right.len;
        node.firsts.extend_from_slice(&right.firsts);
        match (&mut node.kids, &right.kids) {
            (Kids::Chunks(left), Kids::Chunks(right)) => left.extend_from_slice(right),
            (Kids::Nodes(left), Kids::Nodes(right)) => left.extend_from_slice(right),
            _ => unreachable!("all leaves are equally deep"),
        }
        true
    }
}

/// The children of a node while a batch is applied to them.
struct Under<'n, B: Chunk, K> {
    /// The first coordinate below each child.
    firsts: &'n mut Vec<B::Coord>,
    kids: &'n mut Vec<K>,
    /// The child to which a part of the batch is applied, and what it splits off.
    at: usize,
    more: Vec<K>,
    /// What children split off, each with the child's number.
    split: Vec<(usize, Vec<K>)>,
}

impl<B: Chunk, K: Child<B>> Under<'_, B, K> {
    fn apply(&mut self, mut batch: RowBatch<'_, B::Coord, B::Value>, change: Change<'_, B::Value>) -> Counts {
        let (mut counts, mut thin) = (Counts::default(), false);
        while let Some(&coord) = batch.coords.first() {
            self.at += self.firsts[self.at..].partition_point(|&first| first <= coord).saturating_sub(1);
            let n = match self.firsts.get(self.at + 1) {
                // At least one, so that a batch out of order cannot stop the loop.
                Some(&next) => batch.coords.partition_point(|&c| c < next).max(1),
                None => batch.len(),
            };
            let (part, rest) = batch.split_at(n);
            let kid = &mut self.kids[self.at];
            counts += kid.update(part, change, &mut self.more);
            if let Some(first) = kid.first() {
                self.firsts[self.at] = first;
            }
            thin |= kid.is_thin();
            if !self.more.is_empty() {
                self.split.push((self.at, std::mem::take(&mut self.more)));
            }
            batch = rest;
        }
        if thin || !self.split.is_empty() {
            self.settle();
            self.join_thin();
        }
        counts
    }

    /// Puts what was split off in its places and drops empty children. Moves children only, so that it can be done after a panic too.
    fn settle(&mut self) {
        if !self.more.is_empty() {
            self.split.push((self.at, std::mem::take(&mut self.more)));
        }
        let room = self.kids.len() + self.split.iter().map(|(_, more)| more.len()).sum::<usize>();
        let mut split = std::mem::take(&mut self.split).into_iter().peekable();
        let old = std::mem::replace(self.kids, Vec::with_capacity(room));
        self.firsts.clear();
        let mut push = |kid: K| {
            if let Some(first) = kid.first() {
                self.kids.push(kid);
                self.firsts.push(first);
            }
        };
        for (index, kid) in old.into_iter().enumerate() {
            push(kid);
            while let Some((_, more)) = split.next_if(|&(at, _)| at == index) {
                more.into_iter().for_each(&mut push);
            }
        }
    }

    /// Joins thin children with their neighbours.
    fn join_thin(&mut self) {
        let mut at = 1;
        while at < self.kids.len() {
            let (left, right) = self.kids.split_at_mut(at);
            let (left, right) = (&mut left[at - 1], &right[0]);
            if (left.is_thin() || right.is_thin()) && left.absorb(right) {
                self.firsts.remove(at);
                drop(self.kids.remove(at));
            } else {
                at += 1;
            }
        }
    }
}

/// Applies a batch to the children of a node. If it panics, the children are in order, though there may be too many or none.
fn update_kids<B: Chunk, K: Child<B>>(
    firsts: &mut Vec<B::Coord>,
    kids: &mut Vec<K>,
    batch: RowBatch<'_, B::Coord, B::Value>,
    change: Change<'_, B::Value>,
) -> Counts {
    let mut under = Under { firsts, kids, at: 0, more: Vec::new(), split: Vec::new() };
    or_mend(&mut under, |under| under.apply(batch, change), Under::settle)
}

/// Nodes or chunks of one level, each with the first coordinate below it, ascending.
type Listed<'a, B, T> = Vec<(<B as Chunk>::Coord, &'a T)>;

/// Takes out what both lists hold.
fn leave_shared<C: Ord + Copy, T>(newer: &mut Vec<(C, &T)>, older: &mut Vec<(C, &T)>, same: impl Fn(&T, &T) -> bool) {
    let (mut all, mut before) =
        (std::mem::take(newer).into_iter().peekable(), std::mem::take(older).into_iter().peekable());
    loop {
        match (all.peek(), before.peek()) {
            (Some(a), Some(b)) if a.0 == b.0 => {
                if !same(a.1, b.1) {
                    newer.extend(all.next());
                    older.extend(before.next());
                    continue;
                }
                all.next();
                before.next();
            }
            (Some(a), Some(b)) if a.0 > b.0 => older.extend(before.next()),
            (Some(_), _) => newer.extend(all.next()),
            (None, Some(_)) => older.extend(before.next()),
            (None, None) => return,
        }
    }
}

/// Calls `visit` with the chunks of one tree (`false`) and of another (`true`) that are not in both. Shared nodes are not looked into.
pub(super) fn unshared<'a, B: Chunk>(newer: &'a Node<B>, older: &'a Node<B>, mut visit: impl FnMut(bool, &'a B)) {
    fn below<'a, B: Chunk>(nodes: Listed<'a, B, Node<B>>) -> Listed<'a, B, Node<B>> {
        let mut all = Vec::new();
        for (_, node) in nodes {
            if let Kids::Nodes(kids) = &node.kids {
                all.extend(node.firsts.iter().copied().zip(kids.iter().map(|kid| &**kid)));
            }
        }
        all
    }
    fn chunks<'a, B: Chunk>(nodes: Listed<'a, B, Node<B>>) -> Listed<'a, B, B> {
        let mut all = Vec::new();
        for (_, node) in nodes {
            if let Kids::Chunks(kids) = &node.kids {
                all.extend(node.firsts.iter().copied().zip(kids));
            }
        }
        all
    }
    let (mut all, mut before) = (vec![(newer.firsts[0], newer)], vec![(older.firsts[0], older)]);
    let (mut height, mut old_height) = (newer.height(), older.height());
    loop {
        if height == old_height {
            leave_shared(&mut all, &mut before, |a, b| std::ptr::eq(a, b));
        }
        if height.max(old_height) == 1 {
            break;
        }
        let (deeper, old_deeper) = (height >= old_height, old_height >= height);
        if deeper {
            (all, height) = (below::<B>(all), height - 1);
        }
        if old_deeper {
            (before, old_height) = (below::<B>(before), old_height - 1);
        }
    }
    let (mut all, mut before) = (chunks::<B>(all), chunks::<B>(before));
    leave_shared(&mut all, &mut before, B::is);
    all.into_iter().for_each(|(_, chunk)| visit(false, chunk));
    before.into_iter().for_each(|(_, chunk)| visit(true, chunk));
}

impl<B: Chunk> Node<B> {
    /// Builds the tree of at least one element.
    pub(super) fn build(mut elements: Elements<'_, B::Coord, B::Value>) -> Arc<Self> {
        let mut chunks = Vec::with_capacity(elements.len().div_ceil(FILL));
        while !elements.is_empty() {
            chunks.push(B::build(elements.split_front(elements.len().min(FILL))));
        }
        Self::over_chunks(chunks)
    }

    /// The tree over at least one chunk, none of them empty.
    pub(super) fn over_chunks(chunks: Vec<B>) -> Arc<Self> {
        let mut nodes: Vec<Arc<Self>> = Vec::with_capacity(chunks.len().div_ceil(FILL_NODE));
        let parts = chunks.len().div_ceil(FILL_NODE);
        let (mut left, mut chunks) = (chunks.len(), chunks.into_iter());
        for part in (1..=parts).rev() {
            let n = left.div_ceil(part);
            left -= n;
            let kids: Vec<B> = chunks.by_ref().take(n).collect();
            nodes.push(Arc::new(Node {
                len: kids.iter().map(B::len).sum(),
                firsts: kids.iter().map(|kid| kid.first().expect("a chunk that is not empty")).collect(),
                kids: Kids::Chunks(kids),
            }));
        }
        Self::over_nodes(nodes)
    }

    /// The tree over at least one node.
    fn over_nodes(mut nodes: Vec<Arc<Self>>) -> Arc<Self> {
        while nodes.len() > 1 {
            let parts = nodes.len().div_ceil(FILL_NODE);
            let (mut left, mut kids) = (nodes.len(), nodes.into_iter());
            nodes = (1..=parts)
                .rev()
                .map(|part| {
                    let n = left.div_ceil(part);
                    left -= n;
                    let kids: Vec<_> = kids.by_ref().take(n).collect();
                    Arc::new(Node {
                        len: kids.iter().map(|kid| kid.len).sum(),
                        firsts: kids.iter().map(|kid| kid.firsts[0]).collect(),
                        kids: Kids::Nodes(kids),
                    })
                })
                .collect();
        }
        nodes.pop().expect("at least one node")
    }

    /// Applies a batch. The node may have too many children afterwards, or none.
    fn update(&mut self, batch: RowBatch<'_, B::Coord, B::Value>, change: Change<'_, B::Value>) -> Counts {
        let counts = or_mend(
            self,
            |node| match &mut node.kids {
                Kids::Chunks(kids) => update_kids::<B, _>(&mut node.firsts, kids, batch, change),
                Kids::Nodes(kids) => update_kids::<B, _>(&mut node.firsts, kids, batch, change),
            },
            |node| {
                node.len = match &node.kids {
                    Kids::Chunks(kids) => kids.iter().map(B::len).sum(),
                    Kids::Nodes(kids) => kids.iter().map(|kid| kid.len).sum(),
                }
            },
        );
        self.len = self.len + counts.new - counts.removed;
        counts
    }

    /// If there are too many children, keeps the first part of them and appends nodes with the rest to `more`.
    fn split(&mut self, more: &mut Vec<Arc<Self>>) {
        if self.firsts.len() <= FANOUT {
            return;
        }
        let parts = self.firsts.len().div_ceil(FILL_NODE);
        let mut rest = std::mem::replace(self, Node { len: 0, firsts: Vec::new(), kids: Kids::Chunks(Vec::new()) });
        let mut nodes = Vec::with_capacity(parts);
        for part in (1..=parts).rev() {
            let keep = rest.firsts.len() - rest.firsts.len().div_ceil(part);
            let tail = rest.firsts.len() - keep;
            // The first `tail` children leave; `split_off` keeps them in place and returns the others.
            let firsts = rest.firsts.split_off(tail);
            let (kids, len) = match &mut rest.kids {
                Kids::Chunks(kids) => {
                    let others = kids.split_off(tail);
                    (Kids::Chunks(others), kids.iter().map(B::len).sum())
                }
                Kids::Nodes(kids) => {
                    let others = kids.split_off(tail);
                    (Kids::Nodes(others), kids.iter().map(|kid| kid.len).sum())
                }
            };
            let others = Node { len: rest.len - len, firsts, kids };
            rest.len = len;
            nodes.push(std::mem::replace(&mut rest, others));
        }
        let mut nodes = nodes.into_iter();
        *self = nodes.next().expect("at least two parts");
        more.extend(nodes.map(Arc::new));
    }

    /// Applies a batch to the whole tree. What it splits off at its end is appended to `more`: see [`settle_root`](Self::settle_root).
    pub(super) fn update_root(
        root: &mut Arc<Self>,
        batch: RowBatch<'_, B::Coord, B::Value>,
        change: Change<'_, B::Value>,
        more: &mut Vec<Arc<Self>>,
    ) -> Counts {
        Child::<B>::update(root, batch, change, more)
    }

    /// Makes one root of a root and what it split off, as low as can be. It is empty if nothing is left.
    pub(super) fn settle_root(root: &mut Arc<Self>, mut more: Vec<Arc<Self>>) {
        if !more.is_empty() {
            more.insert(0, root.clone());
            *root = Self::over_nodes(more);
        }
        while let Kids::Nodes(kids) = &root.kids
            && let [only] = &kids[..]
        {
            *root = only.clone();
        }
    }

    /// The number of the child to which a coordinate belongs.
    fn child_of(&self, coord: B::Coord) -> usize {
        self.firsts.partition_point(|&first| first <= coord).saturating_sub(1)
    }

    /// The chunk in which a coordinate lies, if anywhere.
    pub(super) fn chunk_of(&self, coord: B::Coord) -> &B {
        let mut node = self;
        loop {
            let at = node.child_of(coord);
            match &node.kids {
                Kids::Chunks(chunks) => return &chunks[at],
                Kids::Nodes(nodes) => node = &nodes[at],
            }
        }
    }

    /// The first node over chunks.
    pub(super) fn first_leaf(&self) -> &Self {
        let mut node = self;
        while let Kids::Nodes(nodes) = &node.kids {
            node = &nodes[0];
        }
        node
    }

    /// The next node over chunks after `leaf`. Takes logarithmic time.
    pub(super) fn leaf_after(&self, leaf: &Self) -> Option<&Self> {
        let &first = leaf.firsts.first()?;
        let (mut node, mut after) = (self, None);
        while let Kids::Nodes(nodes) = &node.kids {
            let at = node.child_of(first);
            after = nodes.get(at + 1).or(after);
            node = &nodes[at];
        }
        after.map(|node| node.first_leaf())
    }

    /// Prefetches the node itself.
    #[inline(always)]
    pub(super) fn prefetch(&self) {
        crate::prefetch::read::<2>(std::ptr::from_ref(self).cast());
    }

    /// Prefetches the memory that changing an element touches: in step 0 the node, in step 1 its arrays, in further steps the child that
    /// the coordinate leads to. Returns whether there is another step. A `shared` node is copied, which raises the reference counts of all
    /// its children.
    pub(super) fn prefetch_step(this: &Arc<Self>, coord: B::Coord, step: usize, shared: bool) -> bool {
        if step == 0 {
            this.prefetch();
            return true;
        }
        if step == 1 {
            crate::prefetch::prefetch(&this.firsts);
            match &this.kids {
                Kids::Chunks(chunks) => crate::prefetch::whole(chunks),
                Kids::Nodes(nodes) => crate::prefetch::whole(nodes),
            }
            return true;
        }
        let shared = shared || Arc::strong_count(this) > 1;
        let at = this.firsts.partition_point(|&first| first <= coord).saturating_sub(1);
        match &this.kids {
            Kids::Chunks(chunks) => {
                if step == 2 && shared {
                    chunks.iter().for_each(B::prefetch_header);
                }
                chunks[at].prefetch_step(step - 2, shared)
            }
            Kids::Nodes(nodes) => {
                if step == 2 && shared {
                    nodes.iter().for_each(|node| node.prefetch());
                }
                Self::prefetch_step(&nodes[at], coord, step - 2, shared)
            }
        }
    }

    /// Depth of the tree: 1 if the children are chunks.
    fn height(&self) -> usize {
        match &self.kids {
            Kids::Chunks(_) => 1,
            Kids::Nodes(nodes) => 1 + nodes.first().map_or(0, |node| node.height()),
        }
    }

    /// Checks counts, order and sizes.
    pub(super) fn audit_with(
        &self,
        value: &mut dyn FnMut(&B::Value) -> Result<(), AuditError>,
    ) -> Result<(), AuditError> {
        let wrong = |message: String| Err(AuditError::new("node", message));
        let n = match &self.kids {
            Kids::Chunks(kids) => kids.len(),
            Kids::Nodes(kids) => kids.len(),
        };
        if n == 0 || n > FANOUT || n != self.firsts.len() {
            return wrong(format!("{n} children, {} first coordinates, at most {FANOUT}", self.firsts.len()));
        }
        let mut last = None;
        let mut below = |first: B::Coord, k: usize, node: ControlFlow<(), B::Coord>| match node {
            ControlFlow::Continue(to) if first == self.firsts[k] && last.is_none_or(|last| last < first) => {
                last = Some(to);
                Ok(())
            }
            _ => wrong(format!("child {k} begins at {first}, filed under {}, after {last:?}", self.firsts[k])),
        };
        let mut len = 0;
        match &self.kids {
            Kids::Chunks(kids) => {
                for (k, kid) in kids.iter().enumerate() {
                    kid.audit_with(value).map_err(|error| error.within(&format!("chunk[{k}]")))?;
                    let Some(first) = kid.first() else { return wrong(format!("chunk {k} is empty")) };
                    below(first, k, last_of(kid))?;
                    len += kid.len();
                }
            }
            Kids::Nodes(kids) => {
                let height = kids[0].height();
                for (k, kid) in kids.iter().enumerate() {
                    kid.audit_with(value).map_err(|error| error.within(&format!("node[{k}]")))?;
                    if kid.height() != height {
                        return wrong(format!("child {k} is {} deep, the first one {height}", kid.height()));
                    }
                    below(kid.firsts[0], k, kid.last())?;
                    len += kid.len;
                }
            }
        }
        if len == self.len { Ok(()) } else { wrong(format!("{len} elements, counted as {}", self.len)) }
    }

    /// The last coordinate.
    fn last(&self) -> ControlFlow<(), B::Coord> {
        match &self.kids {
            Kids::Chunks(kids) => kids.last().map_or(ControlFlow::Break(()), last_of),
            Kids::Nodes(kids) => kids.last().map_or(ControlFlow::Break(()), |kid| kid.last()),
        }
    }

    /// Bytes of the nodes and chunks.
    pub(super) fn footprint_with(&self, value: &mut dyn FnMut(&B::Value) -> Footprint) -> Footprint {
        /// The two counts before what an `Arc` points to.
        const COUNTS: usize = 2 * size_of::<usize>();
        let bytes = COUNTS + size_of::<Self>() + self.firsts.capacity() * size_of::<B::Coord>();
        let mut sum = Footprint { bytes, nodes: 1, gaps: 0 };
        match &self.kids {
            Kids::Chunks(kids) => {
                sum.bytes += kids.capacity() * size_of::<B>();
                kids.iter().for_each(|kid| sum += kid.footprint_with(value));
            }
            Kids::Nodes(kids) => {
                sum.bytes += kids.capacity() * size_of::<Arc<Self>>();
                kids.iter().for_each(|kid| sum += kid.footprint_with(value));
            }
        }
        sum
    }

    /// Whether all elements fit one chunk with room to spare.
    pub(super) fn fits_chunk(&self) -> bool {
        self.len <= BLOCK / 2
    }
}

/// The last coordinate of a chunk.
fn last_of<B: Chunk>(chunk: &B) -> ControlFlow<(), B::Coord> {
    let last = chunk.view().fold_runs(None, |_, run| run.coords().last().copied());
    last.map_or(ControlFlow::Break(()), ControlFlow::Continue)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::Block;

    type Tree = Arc<Node<Block<u32, ()>>>;

    /// A node over chunks of two elements, which begin with these coordinates.
    fn leaf(firsts: &[u32]) -> Tree {
        let chunk = |&first: &u32| Block::build(Elements::copied(&[first, first + 1], &[(); 2]));
        let kids = Kids::Chunks(firsts.iter().map(chunk).collect());
        Arc::new(Node { len: 2 * firsts.len(), firsts: firsts.to_vec(), kids })
    }

    fn over(nodes: Vec<Tree>) -> Tree {
        let firsts = nodes.iter().map(|node| node.firsts[0]).collect();
        Arc::new(Node { len: nodes.iter().map(|node| node.len).sum(), firsts, kids: Kids::Nodes(nodes) })
    }

    /// Nodes of different sizes, as updates leave them.
    #[test]
    fn leaves_follow_one_another() {
        let alone = leaf(&[4, 8]);
        let pair = || over(vec![leaf(&[0]), leaf(&[2, 4])]);
        let deep = over(vec![pair(), over(vec![leaf(&[6])]), over(vec![leaf(&[8, 10]), leaf(&[12]), leaf(&[14])])]);
        for (root, expected) in [(alone, vec![4]), (pair(), vec![0, 2]), (deep, vec![0, 2, 6, 8, 12, 14])] {
            root.audit_with(&mut |_| Ok(())).unwrap();
            let leaves = std::iter::successors(Some(root.first_leaf()), |leaf| root.leaf_after(leaf));
            assert_eq!(leaves.map(|leaf| leaf.firsts[0]).collect::<Vec<_>>(), expected);
        }
    }
}
