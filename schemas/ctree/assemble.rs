//! How a C-tree is built: heads are sampled by a hash of the coordinate, and the tree of heads is a treap. How it is updated: chunk
//! by chunk, along the paths to those that change.
//!
//! A chunk ends where the next head begins, so a subtree does not know who owns what lies before its first head. It hands that
//! back to whoever asked it, an ancestor or the prefix: the batch's elements there, and the chunk of a first head that was deleted.

#![forbid(unsafe_code)]

use std::ops::Range;

use super::Ctree;
use super::nodes::{self, CtreeMut, Prefix};
use crate::edit::{Edit, Sorted, is_void};
use crate::shape::{Grow, Treap, mix};
use crate::treap::{DEEPEST, Knot, children, concat};
use pleach_runtime::{
    Build, Change, Coord, Counts, Elements, Link, Node, NodeMut, NodeRef, Ref, Reserved, RowBatch, Run, Store, Value,
    follow, make_mut, rebuild_row,
};

/// One coordinate in so many is a head, so that a chunk is so long on average. A power of two, 256 as in Aspen (Dhulipala,
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
    let coords = elements.coords();
    let heads: Vec<usize> = (0..coords.len()).filter(|&at| is_head(coords[at])).collect();
    let grow = Grow {
        shape: &Treap::new(heads.len(), |key| mix(coords[heads[key]])),
        start: |key| heads.get(key).copied().unwrap_or(coords.len()),
        make: |_, mut chunk: Elements<'_, C, V>| {
            let head = chunk.pop_front().expect("a chunk starts with its head");
            node(head, chunk)
        },
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
    (prefix, tree_of(elements, node, link))
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
        let shared = root.as_ref().is_some_and(|prefix| !prefix.is_unique());
        let mut heads = match root {
            Some(prefix) if shared => Prefix::r_link(prefix.node()).clone(),
            Some(prefix) => Prefix::fields(make_mut(prefix)).r.take(),
            None => None,
        };
        let Done { mut counts, leading, orphans } = update(&mut heads, edit, 0..edit.coords.len(), 0);
        let survey = edit.survey(0..leading, run(root));
        counts += survey.counts;
        if let Some(prefix) = root
            && !survey.found.is_empty()
        {
            let fields = Prefix::fields(make_mut(prefix));
            for (at, place) in survey.found {
                counts += edit.change(at, &mut fields.e[place]);
            }
        }
        if survey.reshapes || !orphans.is_empty() {
            let (mut chunk, merged) = edit.merge(0..leading, run(root));
            counts += merged;
            chunk.append(orphans);
            let mut rest = chunk.split_off(before_head(&chunk.coords));
            let heads = concat(tree(rest.elements()), heads);
            *root = (!chunk.is_empty() || heads.is_some()).then(|| {
                let mut prefix = Prefix::reserve(chunk.elements());
                *Prefix::fields(prefix.edit()).r = heads;
                prefix.finish()
            });
        } else if let Some(prefix) = root
            && !(shared && is_void(counts))
        {
            if heads.is_none() && Prefix::e(prefix.node()).is_empty() {
                *root = None;
            } else {
                *Prefix::fields(make_mut(prefix)).r = heads;
            }
        }
        counts
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

/// What became of a part of a batch that was applied to a tree of heads, and what is left to be done before its first head.
struct Done<C, V> {
    counts: Counts,
    /// So many of the part's first elements lie before the first head that the tree had.
    leading: usize,
    /// What a first head that was deleted leaves behind. It comes after the leading elements.
    orphans: Sorted<C, V>,
}

/// Applies a part of a batch to the tree below a link. Nodes that are shared are copied if anything changes in or below them.
fn update<V: Value, C: Coord>(
    link: &mut Link<nodes::Ctree<V, C>>,
    edit: &Edit<'_, C, V>,
    part: Range<usize>,
    depth: u32,
) -> Done<C, V> {
    let nothing = Done { counts: Counts::default(), leading: part.len(), orphans: Sorted::new() };
    let Some(root) = link.as_mut().filter(|_| !part.is_empty()) else { return nothing };
    if depth == DEEPEST {
        return rebuild(link, edit, part);
    }
    let (at, _) = edit.seek(part.clone(), nodes::Ctree::key(root.node()));
    let shared = !root.is_unique();
    let [mut l, mut r] = children(root);
    let (left, right) = edit.both(
        part.len(),
        || update(&mut l, edit, part.start..at, depth + 1),
        || update(&mut r, edit, at..part.end, depth + 1),
    );
    let Done { mut counts, leading, mut orphans } = left;
    counts += right.counts;

    // The node's own chunk.
    let own = at..at + right.leading;
    let survey = edit.survey(own.clone(), nodes::Ctree::h_t(root.node()));
    counts += survey.counts;
    if !survey.found.is_empty() {
        let fields = nodes::Ctree::fields(make_mut(root));
        for (at, place) in survey.found {
            let value = if place == 0 { &mut *fields.h } else { &mut fields.t[place - 1] };
            counts += edit.change(at, value);
        }
    }
    if survey.reshapes || !right.orphans.is_empty() {
        let (mut before, merged) = edit.merge(own, nodes::Ctree::h_t(root.node()));
        counts += merged;
        before.append(right.orphans);
        let mut rest = before.split_off(before_head(&before.coords));
        match &mut l {
            Some(l) => append(l, before),
            None => orphans.append(before),
        }
        *link = concat(concat(l, tree(rest.elements())), r);
    } else if !(shared && is_void(counts) && orphans.is_empty()) {
        let fields = nodes::Ctree::fields(make_mut(root));
        (*fields.l, *fields.r) = (l, r);
    }
    Done { counts, leading, orphans }
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
    let [l, _] = children(last);
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
    edit: &Edit<'_, C, V>,
    part: Range<usize>,
) -> Done<C, V> {
    let mut prefix = Prefix::reserve(Elements::none());
    *Prefix::fields(prefix.edit()).r = link.take();
    let old = Sorted::of(Ctree::new(Some(prefix.finish())).fiber());
    let (first, _) = edit.seek(part.clone(), old.coords[0]);
    let (mut orphans, counts) = edit.merge_all(first..part.end, old);
    let mut rest = orphans.split_off(before_head(&orphans.coords));
    *link = tree(rest.elements());
    Done { counts, leading: first - part.start, orphans }
}
