//! How a C-tree is built: heads are sampled by a hash of the coordinate, and the tree of heads is a treap. How it is updated: chunk
//! by chunk, along the paths to those that change.
//!
//! A chunk ends where the next head begins, so a subtree does not know the owner of the elements before its first head. It returns
//! them to its caller, which owns them or returns them in turn: the batch's elements there, and the chunk of a first head that was
//! deleted. If anything panics before that chunk has a new place, the chunk returns to its old one, with its first element as its head.
//! Such a tree is sound, and the next update of that place moves the chunk to its owner.

#![forbid(unsafe_code)]

use std::ops::Range;

use super::Ctree;
use super::nodes::{self, CtreeMut, Prefix};
use crate::edit::{Edit, Sorted, is_void};
use crate::shape::{Grow, Treap, mix, priority};
use crate::treap::{DEEPEST, Knot, concat};
use pleach_runtime::{
    Build, Change, Coord, Counts, Elements, Link, Node, NodeMut, NodeRef, Ref, Reserved, RowBatch, Run, Store, Value,
    follow, make_mut, or_mend, rebuild_row,
};

/// One coordinate in `CHUNK` is a head, so that chunks have this length on average. A power of two, 256 as in Aspen (Dhulipala,
/// Blelloch & Shun, *Low-Latency Graph Streaming using Compressed Purely-Functional Trees*, §3).
const CHUNK: u64 = 256;

fn is_head<C: Coord>(coord: C) -> bool {
    mix(coord).is_multiple_of(CHUNK)
}

/// The tree of elements of which the first one is a head, if there are any.
fn tree_of<T, C, V>(
    elements: Elements<'_, C, V>,
    node: impl Fn((C, V), Elements<'_, C, V>) -> Reserved<T> + Sync,
    link: impl Fn(&mut Reserved<T>, Link<T>, Link<T>) + Sync,
) -> Link<T>
where
    T: Node<Coord = C, Value = V>,
    C: Coord,
    V: Value,
{
    if elements.is_empty() {
        return None;
    }
    let coords = elements.coords();
    let make = |_, mut chunk: Elements<'_, C, V>| {
        let head = chunk.pop_front().expect("a chunk starts with its head");
        node(head, chunk)
    };
    if before_head(&coords[1..]) + 1 == coords.len() {
        return Some(make(0, elements).finish());
    }
    let heads: Vec<usize> = (0..coords.len()).filter(|&at| is_head(coords[at])).collect();
    let grow = Grow {
        shape: &Treap::new(heads.len(), |key| priority(coords[heads[key]])),
        start: |key| heads.get(key).copied().unwrap_or(coords.len()),
        make,
        link,
    };
    grow.grow(heads.len(), elements)
}

/// Builds the prefix of the elements before the first head, and the tree of heads and their chunks.
pub(crate) fn prefix_and_tree<P, T, C, V>(
    mut elements: Elements<'_, C, V>,
    prefix: impl FnOnce(Elements<'_, C, V>) -> Reserved<P>,
    node: impl Fn((C, V), Elements<'_, C, V>) -> Reserved<T> + Sync,
    link: impl Fn(&mut Reserved<T>, Link<T>, Link<T>) + Sync,
) -> (Reserved<P>, Link<T>)
where
    P: Node,
    T: Node<Coord = C, Value = V>,
    C: Coord,
    V: Value,
{
    let prefix = prefix(elements.split_front(before_head(elements.coords())));
    // Most short rows have no head.
    let tree = if elements.is_empty() { None } else { tree_of(elements, node, link) };
    (prefix, tree)
}

/// The tree of heads of this store's nodes.
fn tree<V: Value, C: Coord>(elements: Elements<'_, C, V>) -> Link<nodes::Ctree<V, C>> {
    tree_of(elements, nodes::Ctree::reserve, link)
}

/// Links a node to its children.
fn link<V: Value, C: Coord>(
    node: &mut Reserved<nodes::Ctree<V, C>>,
    left: Link<nodes::Ctree<V, C>>,
    right: Link<nodes::Ctree<V, C>>,
) {
    let fields = nodes::Ctree::fields(node.edit());
    (*fields.l, *fields.r) = (left, right);
}

impl<V: Value, C: Coord> Build<C, V> for Ctree<V, C> {
    fn build(elements: Elements<'_, C, V>) -> Self {
        if elements.is_empty() {
            return Ctree::default();
        }
        let (mut prefix, tree) = prefix_and_tree(elements, Prefix::reserve, nodes::Ctree::reserve, link);
        *Prefix::fields(prefix.edit()).r = tree;
        Ctree::new(Some(prefix.finish()))
    }

    fn update(&mut self, batch: RowBatch<'_, C, V>, change: Change<'_, V>) -> Counts {
        // A batch as large as the row touches every chunk.
        Edit::with(batch, change, |edit| {
            if edit.rebuilds(self.fiber(), 1) { rebuild_row(self, batch, change) } else { self.apply(edit) }
        })
    }

    fn each_mut(&mut self, coords: &[C], visit: &(dyn Fn(usize, &mut V) + Sync)) {
        Edit::visiting(coords, visit, |edit| self.apply(edit));
    }
}

impl<V: Value, C: Coord> Knot for nodes::Ctree<V, C> {
    fn key(node: NodeRef<'_, Self>) -> C {
        Self::h_t(node).coords()[0]
    }

    fn below(node: NodeRef<'_, Self>) -> [&Link<Self>; 2] {
        [Self::l_link(node), Self::r_link(node)]
    }

    fn links(node: NodeMut<'_, Self>) -> [&mut Link<Self>; 2] {
        let CtreeMut { l, r, .. } = Self::fields(node);
        [l, r]
    }
}

impl<V: Value, C: Coord> Ctree<V, C> {
    fn apply(&mut self, edit: &Edit<'_, C, V>) -> Counts {
        let root = self.root_mut();
        let copy = match root {
            Some(prefix) if !prefix.is_unique() => Some(Prefix::r_link(prefix.node()).clone()),
            Some(_) => None,
            None => return edit.survey(0..edit.coords.len(), Run::empty()).counts,
        };
        let mut under = Under { at: root, copy, orphans: Sorted::new() };
        or_mend(&mut under, |under| under.apply(edit), Under::settle)
    }
}

/// The prefix while an edit is applied to it and to the tree of heads.
struct Under<'r, V: Value, C: Coord> {
    at: &'r mut Link<Prefix<V, C>>,
    /// The tree of heads, if the prefix is shared and still has what the tree was.
    copy: Option<Link<nodes::Ctree<V, C>>>,
    /// What left the tree.
    orphans: Sorted<C, V>,
}

impl<V: Value, C: Coord> Under<'_, V, C> {
    /// Applies an edit to the tree of heads, and then to the prefix what comes before the first head.
    fn apply(&mut self, edit: &Edit<'_, C, V>) -> Counts {
        let below = heads(&mut self.copy, self.at);
        let Done { mut counts, leading } = update(below, &mut self.orphans, edit, 0..edit.coords.len(), 0);
        let survey = edit.survey(0..leading, run(self.at));
        counts += survey.counts;
        if let Some(prefix) = self.at
            && !survey.found.is_empty()
        {
            let fields = Prefix::fields(make_mut(prefix));
            for (at, place) in survey.found {
                counts += edit.change(at, &mut fields.e[place]);
            }
        }
        if survey.reshapes || !self.orphans.is_empty() {
            let (mut chunk, merged) = edit.merge(0..leading, run(self.at));
            counts += merged;
            chunk.extend(self.orphans.run());
            let mut rest = chunk.split_off(before_head(&chunk.coords));
            let mut first = tree(rest.elements());
            // The tree is copied where it is linked anew: the old one is there until the new one is finished.
            let old = heads(&mut self.copy, self.at);
            let heads = match first {
                Some(_) => concat(&mut first, &mut old.clone()),
                None => old.take(),
            };
            let new = (!chunk.is_empty() || heads.is_some()).then(|| {
                let mut prefix = Prefix::reserve(chunk.elements());
                *Prefix::fields(prefix.edit()).r = heads;
                prefix.finish()
            });
            let _moved = self.orphans.take();
            *self.at = new;
        } else if let Some(prefix) = self.at {
            if let Some(heads) = self.copy.take_if(|_| !is_void(counts)) {
                *Prefix::fields(make_mut(prefix)).r = heads;
            }
            if Prefix::r_link(prefix.node()).is_none() && Prefix::e(prefix.node()).is_empty() {
                *self.at = None;
            }
        }
        counts
    }

    /// Puts what left the tree back. Moves nonzeros and links only, so that it can be done after a panic.
    fn settle(&mut self) {
        if self.copy.is_none()
            && let Some(prefix) = self.at
        {
            put_back(Prefix::fields(make_mut(prefix)).r, &mut self.orphans);
        }
    }
}

/// The tree of heads: a copy of the link to it where the prefix is shared, otherwise the prefix's own.
fn heads<'a, V: Value, C: Coord>(
    copy: &'a mut Option<Link<nodes::Ctree<V, C>>>,
    root: &'a mut Link<Prefix<V, C>>,
) -> &'a mut Link<nodes::Ctree<V, C>> {
    match (copy, root) {
        (None, Some(prefix)) => Prefix::fields(make_mut(prefix)).r,
        (copy, _) => copy.get_or_insert_default(),
    }
}

/// The elements of the prefix.
fn run<V: Value, C: Coord>(root: &Link<Prefix<V, C>>) -> Run<'_, '_, C, V> {
    follow(root).map_or(Run::empty(), Prefix::e)
}

/// How many coordinates lie before the first head.
fn before_head<C: Coord>(coords: &[C]) -> usize {
    coords.iter().position(|&coord| is_head(coord)).unwrap_or(coords.len())
}

/// The result of applying a part of a batch to a tree of heads.
struct Done {
    counts: Counts,
    /// The number of the part's elements before the first head that the tree had.
    leading: usize,
}

/// Puts nonzeros that come before all of a tree into it, as a node above it. Moves them, and clones, compares or drops none.
fn put_back<V: Value, C: Coord>(link: &mut Link<nodes::Ctree<V, C>>, orphans: &mut Sorted<C, V>) {
    if orphans.is_empty() {
        return;
    }
    let mut orphans = orphans.take();
    let mut chunk = orphans.elements();
    let head = chunk.pop_front().expect("nonzeros to put back");
    let mut node = nodes::Ctree::reserve(head, chunk);
    *nodes::Ctree::fields(node.edit()).r = link.take();
    *link = Some(node.finish());
}

/// Applies a part of a batch to the tree below a link. Nodes that are shared are copied if anything changes in or below them.
///
/// What a first head that was deleted leaves behind is moved to `orphans`. It comes after the leading elements.
fn update<V: Value, C: Coord>(
    link: &mut Link<nodes::Ctree<V, C>>,
    orphans: &mut Sorted<C, V>,
    edit: &Edit<'_, C, V>,
    part: Range<usize>,
    depth: u32,
) -> Done {
    let Some(root) = link.as_ref().filter(|_| !part.is_empty()) else {
        return Done { counts: Counts::default(), leading: part.len() };
    };
    if depth == DEEPEST {
        return rebuild(link, orphans, edit, part);
    }
    let (at, _) = edit.seek(part.clone(), nodes::Ctree::key(root.node()));
    let copies = (!root.is_unique()).then(|| nodes::Ctree::below(root.node()).map(Link::clone));
    let mut level = Level { link, orphans, copies, left: Sorted::new(), right: Sorted::new() };
    or_mend(&mut level, |level| level.apply(edit, part, at, depth), Level::settle)
}

/// A node while an edit is applied to it and below it. Its children are written where they are, so that a panic leaves a tree.
struct Level<'n, V: Value, C: Coord> {
    link: &'n mut Link<nodes::Ctree<V, C>>,
    /// What leaves the tree.
    orphans: &'n mut Sorted<C, V>,
    /// The children, if the node is shared and still has what they were.
    copies: Option<[Link<nodes::Ctree<V, C>>; 2]>,
    /// What left the two children.
    left: Sorted<C, V>,
    right: Sorted<C, V>,
}

impl<V: Value, C: Coord> Level<'_, V, C> {
    /// Applies to the children their parts of a batch, of which the right one begins at a place, and to the node its own.
    fn apply(&mut self, edit: &Edit<'_, C, V>, part: Range<usize>, at: usize, depth: u32) -> Done {
        let (orphans_left, orphans_right) = (&mut self.left, &mut self.right);
        let [l, r] = children(self.link, &mut self.copies);
        let (left, right) = edit.both(
            part.len(),
            || update(l, orphans_left, edit, part.start..at, depth + 1),
            || update(r, orphans_right, edit, at..part.end, depth + 1),
        );
        let mut counts = left.counts;
        counts += right.counts;

        let own = at..at + right.leading;
        let root = self.link.as_mut().expect(NODE);
        let survey = edit.survey(own.clone(), nodes::Ctree::h_t(root.node()));
        counts += survey.counts;
        if !survey.found.is_empty() {
            let fields = nodes::Ctree::fields(make_mut(root));
            for (at, place) in survey.found {
                let value = if place == 0 { &mut *fields.h } else { &mut fields.t[place - 1] };
                counts += edit.change(at, value);
            }
        }
        if survey.reshapes || !self.right.is_empty() {
            let (chunk, merged) = edit.merge(own, nodes::Ctree::h_t(root.node()));
            counts += merged;
            self.replace(chunk);
        } else {
            let fields = (self.copies.is_some() && !is_void(counts)).then(|| nodes::Ctree::fields(make_mut(root)));
            let _old = fields
                .zip(self.copies.take())
                .map(|(fields, [l, r])| [std::mem::replace(fields.l, l), std::mem::replace(fields.r, r)]);
            *self.orphans = self.left.take();
        }
        Done { counts, leading: left.leading }
    }

    /// Replaces the node's chunk, behind which goes what left the right child.
    fn replace(&mut self, mut chunk: Sorted<C, V>) {
        chunk.extend(self.right.run());
        let mut rest = chunk.split_off(before_head(&chunk.coords));
        let mut new = tree(rest.elements());
        let key = nodes::Ctree::key(self.link.as_ref().expect(NODE).node());
        let [l, r] = children(self.link, &mut self.copies);
        match &mut new {
            // The same head, and no other: the children stay where they are.
            Some(node) if chunk.is_empty() && is_alone(node.node(), key) => {
                let fields = nodes::Ctree::fields(make_mut(node));
                (*fields.l, *fields.r) = (l.take(), r.take());
            }
            // Children are copied where they are linked anew: the old tree is there until the new one is finished.
            _ => {
                let (mut l, mut r) = (l.clone(), r.clone());
                if let Some(l) = &mut l {
                    append(l, chunk.take());
                }
                new = concat(&mut concat(&mut l, &mut new), &mut r);
            }
        }
        *self.orphans = self.left.take();
        self.orphans.append(chunk);
        let _moved = self.right.take();
        let _old = std::mem::replace(self.link, new);
    }

    /// Puts back what left the children. Moves nonzeros and links only, so that it can be done after a panic.
    fn settle(&mut self) {
        if self.copies.is_some() {
            return;
        }
        if let Some(root) = self.link {
            put_back(nodes::Ctree::fields(make_mut(root)).r, &mut self.right);
        }
        put_back(self.link, &mut self.left);
    }
}

/// Why there is a node.
const NODE: &str = "an edit is applied to a node";

/// The links to the children of a node: its own, or copies of them.
fn children<'a, V: Value, C: Coord>(
    link: &'a mut Link<nodes::Ctree<V, C>>,
    copies: &'a mut Option<[Link<nodes::Ctree<V, C>>; 2]>,
) -> [&'a mut Link<nodes::Ctree<V, C>>; 2] {
    match copies {
        Some(copies) => copies.each_mut(),
        None => nodes::Ctree::links(make_mut(link.as_mut().expect(NODE))),
    }
}

/// Whether a node has this head and no children.
fn is_alone<V: Value, C: Coord>(node: NodeRef<'_, nodes::Ctree<V, C>>, head: C) -> bool {
    nodes::Ctree::key(node) == head && nodes::Ctree::below(node).into_iter().all(Option::is_none)
}

/// Puts elements behind the last chunk of a tree.
fn append<V: Value, C: Coord>(tree: &mut Ref<nodes::Ctree<V, C>>, elements: Sorted<C, V>) {
    if elements.is_empty() {
        return;
    }
    let mut last = tree;
    while nodes::Ctree::r(last.node()).is_some() {
        let fields = nodes::Ctree::fields(make_mut(last));
        last = fields.r.as_mut().expect("a link that was followed");
    }
    let l = nodes::Ctree::l_link(last.node()).clone();
    let mut chunk = Sorted::new();
    chunk.extend(nodes::Ctree::h_t(last.node()));
    chunk.append(elements);
    let mut chunk = chunk.elements();
    let head = chunk.pop_front().expect("a chunk starts with its head");
    let mut node = nodes::Ctree::reserve(head, chunk);
    *nodes::Ctree::fields(node.edit()).l = l;
    *last = node.finish();
}

/// Applies a part of a batch to a tree by building it anew.
fn rebuild<V: Value, C: Coord>(
    link: &mut Link<nodes::Ctree<V, C>>,
    orphans: &mut Sorted<C, V>,
    edit: &Edit<'_, C, V>,
    part: Range<usize>,
) -> Done {
    let mut prefix = Prefix::reserve(Elements::none());
    *Prefix::fields(prefix.edit()).r = link.clone();
    let whole = Ctree::new(Some(prefix.finish()));
    let old = Sorted::of(whole.fiber());
    let (first, _) = edit.seek(part.clone(), old.coords[0]);
    let (mut before, counts) = edit.merge_all(first..part.end, old);
    let mut rest = before.split_off(before_head(&before.coords));
    *link = tree(rest.elements());
    *orphans = before;
    Done { counts, leading: first - part.start }
}
