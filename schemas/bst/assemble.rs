//! How a binary search tree is built: as a treap, node by node in pre-order. How it is updated: along the paths to what changes.
//!
//! The elements of a batch form a treap too, which is not built. If the priority of its root is above that of the tree's root, it
//! becomes the root, and the tree is split there; otherwise the batch is split at the root (Blelloch, Ferizovic & Sun, *Just Join for Parallel Ordered
//! Sets*, 2016). A batch of `m` elements touches O(m log(1 + n/m)) nodes of a tree of `n`.

#![forbid(unsafe_code)]

use super::Bst;
use super::nodes::{self, BstMut, BstRoot};
use crate::edit::{Edit, Sorted, is_void};
use crate::shape::{Grow, Shape, Treap, priority};
use crate::treap::{DEEPEST, Knot, concat, split};
use pleach_runtime::{
    Build, Change, Coord, Counts, Elements, Link, NodeMut, NodeRef, RowBatch, Store, Value, make_mut, rebuild_row,
};

/// A row with at most this many nonzeros for each one in the batch is built anew: that streams through memory, where following paths waits
/// for one cache miss after the other.
const REBUILT: usize = 12;

impl<V: Value, C: Coord> Build<C, V> for Bst<V, C> {
    const JOIN: Option<fn(Vec<Self>) -> Self> = Some(Self::joined);

    fn build(elements: Elements<'_, C, V>) -> Self {
        Self::of(tree(elements))
    }

    fn update(&mut self, batch: RowBatch<'_, C, V>, change: Change<'_, V>) -> Counts {
        Edit::with(batch, change, |edit| {
            if edit.rebuilds(self.fiber(), REBUILT) { rebuild_row(self, batch, change) } else { self.apply(edit) }
        })
    }

    fn each_mut(&mut self, coords: &[C], visit: &(dyn Fn(usize, &mut V) + Sync)) {
        Edit::visiting(coords, visit, |edit| self.apply(edit));
    }
}

impl<V: Value, C: Coord> Bst<V, C> {
    fn of(tree: Link<nodes::Bst<V, C>>) -> Self {
        let mut root = BstRoot::new();
        *BstRoot::fields(NodeMut::of(&mut root)).r = tree;
        Bst::new(root)
    }

    /// The tree of consecutive trees: the shape of a treap does not depend on how it came about.
    fn joined(parts: Vec<Self>) -> Self {
        let mut all = None;
        for mut part in parts {
            all = concat(&mut all, BstRoot::fields(part.root_mut()).r);
        }
        Self::of(all)
    }

    fn apply(&mut self, edit: &Edit<'_, C, V>) -> Counts {
        let keys = edit.coords.len();
        let order = edit.inserts().then(|| Treap::new(keys, |key| priority(edit.coords[key])));
        let part = Part { lo: 0, hi: keys, top: order.as_ref().map_or(0, |order| order.root(keys)) };
        update(BstRoot::fields(self.root_mut()).r, edit, order.as_ref(), part, 0)
    }
}

impl<V: Value, C: Coord> Knot for nodes::Bst<V, C> {
    fn key(node: NodeRef<'_, Self>) -> C {
        Self::e(node).coords()[0]
    }

    fn below(node: NodeRef<'_, Self>) -> [&Link<Self>; 2] {
        [Self::l_link(node), Self::r_link(node)]
    }

    fn links(node: NodeMut<'_, Self>) -> [&mut Link<Self>; 2] {
        let BstMut { l, r, .. } = Self::fields(node);
        [l, r]
    }
}

fn tree<V: Value, C: Coord>(elements: Elements<'_, C, V>) -> Link<nodes::Bst<V, C>> {
    let (coords, keys) = (elements.coords(), elements.len());
    let grow = Grow {
        shape: &Treap::new(keys, |key| priority(coords[key])),
        start: |key| key,
        make: |_, mut own: Elements<'_, C, V>| {
            let element = own.pop_front().expect("a key is one element");
            nodes::Bst::reserve(element)
        },
        link: |node: &mut pleach_runtime::Reserved<nodes::Bst<V, C>>, l, r| {
            let fields = nodes::Bst::fields(node.edit());
            *fields.l = l;
            *fields.r = r;
        },
    };
    grow.grow(keys, elements)
}

/// The elements `lo..hi` of a batch, and the root of a treap that they are among.
#[derive(Clone, Copy)]
struct Part {
    lo: usize,
    hi: usize,
    top: usize,
}

/// Whether a coordinate is below a node. In a treap it is not if its priority is above that of the node, but callers can build trees that
/// are no treaps.
fn contains<V: Value, C: Coord>(root: NodeRef<'_, nodes::Bst<V, C>>, coord: C) -> bool {
    let mut at = Some(root);
    while let Some(node) = at {
        let key = nodes::Bst::key(node);
        if key == coord {
            return true;
        }
        at = if coord < key { nodes::Bst::l(node) } else { nodes::Bst::r(node) };
    }
    false
}

/// The root of a part of a batch, if it becomes that of the tree: its priority is above that of the tree's root, and it is new.
fn risen<V: Value, C: Coord>(
    root: NodeRef<'_, nodes::Bst<V, C>>,
    edit: &Edit<'_, C, V>,
    order: Option<&Treap>,
    Part { lo, hi, top }: Part,
) -> Option<usize> {
    let top = order?.root_of(lo, hi, top);
    let coord = edit.coords[top];
    (priority(coord) > priority(nodes::Bst::key(root)) && !contains(root, coord)).then_some(top)
}

/// Applies a part of a batch to the tree below a link. Nodes that are shared are copied if anything changes in or below them.
fn update<V: Value, C: Coord>(
    link: &mut Link<nodes::Bst<V, C>>,
    edit: &Edit<'_, C, V>,
    order: Option<&Treap>,
    Part { lo, hi, top }: Part,
    depth: u32,
) -> Counts {
    if lo == hi {
        return Counts::default();
    }
    let Some(root) = link else {
        if edit.inserts() {
            *link = tree(edit.elements(lo..hi).elements());
            return Counts { new: hi - lo, ..Counts::default() };
        }
        return Counts { absent: hi - lo, ..Counts::default() };
    };
    if depth == DEEPEST {
        let old = Bst::of(link.clone());
        let (mut new, counts) = edit.merge_all(lo..hi, Sorted::of(old.fiber()));
        *link = tree(new.elements());
        return counts;
    }
    let key = nodes::Bst::key(root.node());
    let risen = risen(root.node(), edit, order, Part { lo, hi, top });
    let top = order.map_or(top, |order| order.root_of(lo, hi, top));
    let below = |link: &mut Link<_>, lo, hi| update(link, edit, order, Part { lo, hi, top }, depth + 1);

    if let Some(top) = risen {
        let mut node = nodes::Bst::reserve(edit.element(top));
        let [l, r] = split(link, edit.coords[top]);
        let fields = nodes::Bst::fields(node.edit());
        (*fields.l, *fields.r) = (l, r);
        let [l, r] = nodes::Bst::links(make_mut(link.insert(node.finish())));
        let (mut counts, others) = edit.both(hi - lo, || below(l, lo, top), || below(r, top + 1, hi));
        counts += others;
        counts.new += 1;
        return counts;
    }

    let part = Part { lo, hi, top };
    if !root.is_unique() {
        let (new, counts) = beside(root.node(), edit, order, part, depth);
        if let Some(new) = new {
            *link = new;
        }
        return counts;
    }
    let (at, found) = edit.seek(lo..hi, key);
    let behind = at + usize::from(found);
    // Links are written where they are, so that a panic further down leaves a tree.
    let [l, r] = nodes::Bst::links(make_mut(root));
    let (mut counts, others) = edit.both(hi - lo, || below(l, lo, at), || below(r, behind, hi));
    counts += others;
    if found && edit.deletes() {
        counts.removed += 1;
        *link = concat(l, r);
    } else if found {
        counts += edit.change(at, nodes::Bst::fields(make_mut(root)).e);
    }
    counts
}

/// The tree after a part of a batch, built beside the old one, which is not written; `None` if nothing changes. Reference counts rise only for
/// nodes that both trees have.
fn updated<V: Value, C: Coord>(
    link: &Link<nodes::Bst<V, C>>,
    edit: &Edit<'_, C, V>,
    order: Option<&Treap>,
    part: Part,
    depth: u32,
) -> (Option<Link<nodes::Bst<V, C>>>, Counts) {
    if part.lo == part.hi {
        return (None, Counts::default());
    }
    if let Some(root) = link
        && depth < DEEPEST
        && risen(root.node(), edit, order, part).is_none()
    {
        return beside(root.node(), edit, order, part, depth);
    }
    let mut new = link.clone();
    let counts = update(&mut new, edit, order, part, depth);
    ((!is_void(counts)).then_some(new), counts)
}

/// As [`updated`], for a tree whose root stays its root.
fn beside<V: Value, C: Coord>(
    root: NodeRef<'_, nodes::Bst<V, C>>,
    edit: &Edit<'_, C, V>,
    order: Option<&Treap>,
    Part { lo, hi, top }: Part,
    depth: u32,
) -> (Option<Link<nodes::Bst<V, C>>>, Counts) {
    let key = nodes::Bst::key(root);
    let top = order.map_or(top, |order| order.root_of(lo, hi, top));
    let (at, found) = edit.seek(lo..hi, key);
    let below = |link, lo, hi| updated(link, edit, order, Part { lo, hi, top }, depth + 1);
    let [l, r] = nodes::Bst::below(root);
    let behind = at + usize::from(found);
    let ((left, mut counts), (right, others)) = edit.both(hi - lo, || below(l, lo, at), || below(r, behind, hi));
    counts += others;
    let changes = found && (edit.deletes() || edit.changes_values());
    if is_void(counts) && !changes {
        counts.unchanged += usize::from(found);
        return (None, counts);
    }
    let (mut left, mut right) = (left.unwrap_or_else(|| l.clone()), right.unwrap_or_else(|| r.clone()));
    if found && edit.deletes() {
        counts.removed += 1;
        return (Some(concat(&mut left, &mut right)), counts);
    }
    let mut node = nodes::Bst::reserve((key, nodes::Bst::e(root).values()[0].clone()));
    let fields = nodes::Bst::fields(node.edit());
    (*fields.l, *fields.r) = (left, right);
    if found {
        counts += edit.change(at, fields.e);
    }
    (Some(Some(node.finish())), counts)
}
