//! How a B-tree is updated: a leaf that changes is replaced, and the path to it is written in place or copied.
//!
//! A leaf that has become too large or empty, or an element between two children that was deleted, spoils the sequence
//!
//! ```text
//!   child element child element child        of a node of some height: every two children are parted by one element
//! ```
//!
//! Where the sequence is spoilt, the children there are opened and their contents are put in order, one height further down; at the leaves
//! their elements are merged. Only nodes beside the path are opened. A node whose children became one child hands that up, and its parent
//! opens the nodes beside it.

use std::ops::Range;

use super::super::nodes::{BtreeInternal, BtreeInternalMut, BtreeKind, BtreeKindMut, BtreeLeaf, BtreeRoot};
use super::super::{B, Btree, L, nodes};
use super::internal;
use crate::edit::{Edit, Sorted, is_void};
use pleach_runtime::{Coord, Counts, Link, NodeRef, Ref, Store, Value, follow, make_mut};

type Child<V, C> = Ref<nodes::Btree<V, C>>;

/// Levels that an update recurses into. A tree of which more are found was not built here; what lies deeper is built anew.
const DEEPEST: u32 = 64;

/// A term of a sequence.
enum Item<V: Value, C: Coord> {
    Child(Child<V, C>, Is),
    Element(C, V),
}

/// What is known of a child.
#[derive(Clone, Copy)]
struct Is {
    /// Levels of internal nodes, itself included.
    height: u32,
    /// Whether it may have become small.
    changed: bool,
}

/// Applies an edit to a tree.
pub(super) fn update<V: Value, C: Coord>(tree: &mut Btree<V, C>, edit: &Edit<'_, C, V>) -> Counts {
    let keys = edit.coords.len();
    let root = BtreeRoot::fields(tree.root_mut()).r;
    let (mut items, counts) = match root {
        None if edit.inserts() => {
            *tree = Btree::build_row(edit.elements(0..keys).elements());
            return Counts { new: keys, ..Counts::default() };
        }
        None => return Counts { absent: keys, ..Counts::default() },
        Some(root) => match replace(root, edit, 0..keys, height(root.node()), 0) {
            (counts, None) => return counts,
            (counts, Some(items)) => (items, counts),
        },
    };
    // The root was parted, or it is gone, or it has only one child left.
    let mut above = items.iter().map(|item| if let Item::Child(_, is) = item { is.height + 1 } else { 0 }).max();
    while items.len() > 1 {
        let height = above.unwrap_or(0);
        items = group(height, items);
        above = Some(height + 1);
    }
    *root = items.pop().and_then(|item| if let Item::Child(node, _) = item { Some(node) } else { None });
    counts
}

/// Levels of internal nodes on the way to the first leaf, at most [`DEEPEST`].
fn height<V: Value, C: Coord>(mut node: NodeRef<'_, nodes::Btree<V, C>>) -> u32 {
    for height in 0..DEEPEST {
        match nodes::Btree::kind(node) {
            BtreeKind::BtreeLeaf(_) => return height,
            BtreeKind::BtreeInternal(internal) => match BtreeInternal::c(internal).first().and_then(follow) {
                Some(first) => node = first,
                None => return height,
            },
        }
    }
    DEEPEST
}

/// Applies a part of an edit to a node of some height. If it becomes anything but one node of this height, returns what.
fn replace<V: Value, C: Coord>(
    node: &mut Child<V, C>,
    edit: &Edit<'_, C, V>,
    part: Range<usize>,
    height: u32,
    depth: u32,
) -> (Counts, Option<Vec<Item<V, C>>>) {
    if depth == DEEPEST {
        let (new, counts) = edit.merge_all(part, everything(node));
        return (counts, Some(leaves(new)));
    }
    match nodes::Btree::kind(node.node()) {
        BtreeKind::BtreeLeaf(_) => replace_leaf(node, edit, part),
        BtreeKind::BtreeInternal(_) => replace_internal(node, edit, part, height, depth),
    }
}

fn replace_leaf<V: Value, C: Coord>(
    node: &mut Child<V, C>,
    edit: &Edit<'_, C, V>,
    part: Range<usize>,
) -> (Counts, Option<Vec<Item<V, C>>>) {
    let survey = edit.survey(part.clone(), leaf(node));
    let mut counts = survey.counts;
    if !survey.found.is_empty()
        && let BtreeKindMut::BtreeLeaf(leaf) = nodes::Btree::kind_mut(make_mut(node))
    {
        let fields = BtreeLeaf::fields(leaf);
        for (at, place) in survey.found {
            counts += edit.change(at, &mut fields.e[place]);
        }
    }
    if !survey.reshapes {
        return (counts, None);
    }
    let (mut new, merged) = edit.merge(part, leaf(node));
    counts += merged;
    if (1..=L).contains(&new.len()) {
        *node = BtreeLeaf::upcast(BtreeLeaf::reserve(new.elements()).finish());
        return (counts, None);
    }
    (counts, Some(leaves(new)))
}

/// The elements of a leaf.
fn leaf<V: Value, C: Coord>(node: &Child<V, C>) -> pleach_runtime::Run<'_, '_, C, V> {
    match nodes::Btree::kind(node.node()) {
        BtreeKind::BtreeLeaf(leaf) => BtreeLeaf::e(leaf),
        BtreeKind::BtreeInternal(_) => pleach_runtime::Run::empty(),
    }
}

/// A child that a part of an edit goes to.
struct Branch<'n, V: Value, C: Coord> {
    slot: usize,
    part: Range<usize>,
    /// The child where it is, or a copy of the link to it where its parent is shared.
    child: &'n mut Child<V, C>,
    counts: Counts,
    /// What is to replace it, if it does not become a node of its height. Until then it is there as it was.
    items: Option<Vec<Item<V, C>>>,
}

fn replace_internal<V: Value, C: Coord>(
    node: &mut Child<V, C>,
    edit: &Edit<'_, C, V>,
    part: Range<usize>,
    height: u32,
    depth: u32,
) -> (Counts, Option<Vec<Item<V, C>>>) {
    let shared = !node.is_unique();
    let (parts, found) = branch(node, edit, part);
    let below = height.saturating_sub(1);
    let mut copies = if shared { copied(node, &parts) } else { Vec::new() };
    let mut branches = if shared {
        branches(copies.iter_mut().map(|(slot, link)| (*slot, link)), parts)
    } else {
        let Some(fields) = internal_mut(node) else { return (Counts::default(), None) };
        branches(fields.c.iter_mut().chain([fields.cl]).enumerate(), parts)
    };
    descend(&mut branches, edit, below, depth + 1);

    let (mut counts, mut slots, mut parted) = (Counts::default(), Vec::new(), Vec::new());
    for branch in branches {
        counts += branch.counts;
        slots.push(branch.slot);
        parted.extend(branch.items.map(|items| (branch.slot, items)));
    }
    let reshapes = edit.deletes() && !found.is_empty() || !parted.is_empty();
    let changes = edit.changes_values() && !found.is_empty();
    if !edit.changes_values() && !edit.deletes() {
        counts.unchanged += found.len();
    }
    if !reshapes && shared && is_void(counts) && !changes {
        return (counts, None);
    }
    let Some(mut fields) = internal_mut(node) else { return (counts, None) };
    for (slot, link) in copies {
        *slot_mut(&mut fields, slot) = link;
    }
    if changes {
        for &(at, slot) in &found {
            counts += edit.change(at, &mut fields.e[slot]);
        }
    }
    if !reshapes && (counts.removed == 0 || !slots.iter().any(|&slot| is_small(node, slot))) {
        return (counts, None);
    }

    // The children and the elements between them, less what is gone.
    let mut deleted = found.iter().filter(|_| edit.deletes()).map(|&(_, slot)| slot).peekable();
    let (mut parted, mut items) = (parted.into_iter().peekable(), Vec::new());
    let mut slot = 0;
    for item in open(node, below) {
        match item {
            Item::Child(child, mut is) => {
                is.changed = slots.binary_search(&slot).is_ok();
                match parted.next_if(|(at, _)| *at == slot) {
                    Some((_, instead)) => items.extend(instead),
                    None => items.push(Item::Child(child, is)),
                }
            }
            element => {
                match deleted.next_if_eq(&slot) {
                    Some(_) => counts.removed += 1,
                    None => items.push(element),
                }
                slot += 1;
            }
        }
    }
    let mut items = group(height, in_order(below, items));
    if let [Item::Child(_, is)] = &items[..]
        && is.height == height
        && let Some(Item::Child(new, _)) = items.pop()
    {
        *node = new;
        return (counts, None);
    }
    (counts, Some(items))
}

/// Which children the coordinates of a part go to: the child's slot and the coordinates. And which elements between them they are:
/// numbers of coordinates and of elements.
#[allow(clippy::type_complexity)]
fn branch<V: Value, C: Coord>(
    node: &Child<V, C>,
    edit: &Edit<'_, C, V>,
    part: Range<usize>,
) -> (Vec<(usize, Range<usize>)>, Vec<(usize, usize)>) {
    let (mut parts, mut found) = (Vec::new(), Vec::new());
    let BtreeKind::BtreeInternal(internal) = nodes::Btree::kind(node.node()) else { return (Vec::new(), found) };
    let parting = BtreeInternal::e(internal).coords();
    let mut at = part.start;
    while at < part.end {
        let coord = edit.coords[at];
        let slot = parting.partition_point(|&c| c < coord);
        match parting.get(slot) {
            Some(&there) if there == coord => {
                found.push((at, slot));
                at += 1;
            }
            Some(&next) => {
                let (end, _) = edit.seek(at..part.end, next);
                parts.push((slot, at..end));
                at = end;
            }
            None => {
                parts.push((slot, at..part.end));
                at = part.end;
            }
        }
    }
    (parts, found)
}

/// Copies of the links to the children that parts go to, each with its slot.
fn copied<V: Value, C: Coord>(
    node: &Child<V, C>,
    parts: &[(usize, Range<usize>)],
) -> Vec<(usize, Link<nodes::Btree<V, C>>)> {
    let BtreeKind::BtreeInternal(internal) = nodes::Btree::kind(node.node()) else { return Vec::new() };
    let (c, cl) = (BtreeInternal::c(internal), BtreeInternal::cl_link(internal));
    parts.iter().map(|&(slot, _)| (slot, c.get(slot).unwrap_or(cl).clone())).collect()
}

/// The children that parts go to. Both sequences ascend by slot; a part that does not, or for which there is no child, goes nowhere.
fn branches<'n, V: Value, C: Coord>(
    mut links: impl Iterator<Item = (usize, &'n mut Link<nodes::Btree<V, C>>)>,
    parts: Vec<(usize, Range<usize>)>,
) -> Vec<Branch<'n, V, C>> {
    let branch = |(slot, part)| {
        let (_, link) = links.find(|&(at, _)| at == slot)?;
        Some(Branch { slot, part, child: link.as_mut()?, counts: Counts::default(), items: None })
    };
    parts.into_iter().filter_map(branch).collect()
}

/// Applies to each child its part, in parallel if there is enough to do.
fn descend<V: Value, C: Coord>(branches: &mut [Branch<'_, V, C>], edit: &Edit<'_, C, V>, height: u32, depth: u32) {
    match branches {
        [] => {}
        [Branch { part, child, counts, items, .. }] => {
            (*counts, *items) = replace(child, edit, part.clone(), height, depth);
        }
        [first, .., last] => {
            let work = last.part.end - first.part.start;
            let (left, right) = branches.split_at_mut(branches.len() / 2);
            edit.both(work, || descend(left, edit, height, depth), || descend(right, edit, height, depth));
        }
    }
}

/// An internal node's fields, for writing.
fn internal_mut<V: Value, C: Coord>(node: &mut Child<V, C>) -> Option<BtreeInternalMut<'_, V, C>> {
    match nodes::Btree::kind_mut(make_mut(node)) {
        BtreeKindMut::BtreeInternal(node) => Some(BtreeInternal::fields(node)),
        BtreeKindMut::BtreeLeaf(_) => None,
    }
}

fn slot_mut<'a, V: Value, C: Coord>(
    fields: &'a mut BtreeInternalMut<'_, V, C>,
    slot: usize,
) -> &'a mut Link<nodes::Btree<V, C>> {
    fields.c.get_mut(slot).unwrap_or(fields.cl)
}

/// How full a node is, and how full it may be.
fn load<V: Value, C: Coord>(node: NodeRef<'_, nodes::Btree<V, C>>) -> (usize, usize) {
    match nodes::Btree::kind(node) {
        BtreeKind::BtreeLeaf(leaf) => (BtreeLeaf::n(leaf), L),
        BtreeKind::BtreeInternal(internal) => (BtreeInternal::n(internal), B),
    }
}

/// Whether two neighbours and what parts them fill no more than three quarters of a node.
fn fit<V: Value, C: Coord>(left: NodeRef<'_, nodes::Btree<V, C>>, right: NodeRef<'_, nodes::Btree<V, C>>) -> bool {
    let ((a, room), (b, _)) = (load(left), load(right));
    4 * (a + b + 1) <= 3 * room
}

/// Whether a child and one of its neighbours should become one.
fn is_small<V: Value, C: Coord>(node: &Child<V, C>, slot: usize) -> bool {
    let BtreeKind::BtreeInternal(internal) = nodes::Btree::kind(node.node()) else { return false };
    let links = BtreeInternal::c(internal);
    let child = |slot: usize| match links.get(slot) {
        Some(link) => follow(link),
        None => BtreeInternal::cl(internal),
    };
    let pair = |left: usize| child(left).zip(child(left + 1)).is_some_and(|(left, right)| fit(left, right));
    slot > 0 && pair(slot - 1) || slot < links.len() && pair(slot)
}

/// What is in a node: the children, which are so high, and the elements between them; or the elements of a leaf.
///
/// The node keeps them too, so that the tree is whole if anything panics before the node is replaced.
fn open<V: Value, C: Coord>(node: &Child<V, C>, below: u32) -> Vec<Item<V, C>> {
    let BtreeKind::BtreeInternal(internal) = nodes::Btree::kind(node.node()) else {
        return leaf(node).iter().map(|(coord, value)| Item::Element(coord, value.clone())).collect();
    };
    let mut elements = BtreeInternal::e(internal).iter();
    let (c, cl) = (BtreeInternal::c(internal), BtreeInternal::cl_link(internal));
    let is = Is { height: below, changed: false };
    let mut items = Vec::with_capacity(2 * c.len() + 1);
    for child in c.iter().chain([cl]) {
        items.extend(child.clone().map(|child| Item::Child(child, is)));
        items.extend(elements.next().map(|(coord, value)| Item::Element(coord, value.clone())));
    }
    items
}

/// All elements below a node.
fn everything<V: Value, C: Coord>(node: &Child<V, C>) -> Sorted<C, V> {
    Sorted::of(Btree::of(Some(node.clone())).fiber())
}

/// Leaves of elements and the elements that part them, as few as can hold them and equally full.
fn leaves<V: Value, C: Coord>(mut elements: Sorted<C, V>) -> Vec<Item<V, C>> {
    let len = elements.len();
    if len == 0 {
        return Vec::new();
    }
    let leaves = (len + 1).div_ceil(L + 1);
    let below = len - (leaves - 1);
    let (mut rest, mut items) = (elements.elements(), Vec::with_capacity(2 * leaves));
    for leaf in 0..leaves {
        let part = rest.split_front(below * (leaf + 1) / leaves - below * leaf / leaves);
        let node = BtreeLeaf::upcast(BtreeLeaf::reserve(part).finish());
        items.push(Item::Child(node, Is { height: 0, changed: false }));
        items.extend(rest.pop_front().map(|(coord, value)| Item::Element(coord, value)));
    }
    items
}

/// Nodes of a height of a sequence in order one height below, and the elements that part them. A lone child stays as it is.
fn group<V: Value, C: Coord>(height: u32, items: Vec<Item<V, C>>) -> Vec<Item<V, C>> {
    let children = items.len().div_ceil(2);
    if children <= 1 {
        return items;
    }
    let nodes = children.div_ceil(B + 1);
    let (mut items, mut grouped) = (items.into_iter(), Vec::with_capacity(2 * nodes));
    for node in 0..nodes {
        let size = children * (node + 1) / nodes - children * node / nodes;
        let (mut below, mut elements) = (Vec::with_capacity(size), Sorted::new());
        for item in items.by_ref().take(2 * size - 1) {
            match item {
                Item::Child(child, _) => below.push(child),
                Item::Element(coord, value) => elements.push(coord, value),
            }
        }
        let new = internal(BtreeInternal::reserve(elements.elements()), below);
        grouped.push(Item::Child(new, Is { height, changed: false }));
        grouped.extend(items.next());
    }
    grouped
}

/// Puts a sequence in order: children of a height, every two parted by one element. If there is too little for that, it is one lower
/// child, or nothing.
fn in_order<V: Value, C: Coord>(height: u32, items: Vec<Item<V, C>>) -> Vec<Item<V, C>> {
    let mut done: Vec<Item<V, C>> = Vec::with_capacity(items.len());
    for item in items {
        push(height, &mut done, item);
    }
    if let Some(Item::Element(..)) = done.last() {
        let from = done.len() - done.len().min(2);
        seam(height, &mut done, from, None);
    }
    done
}

/// Puts an item behind a sequence that is in order but for its end: it may end in an element, and a lone item may be anything.
fn push<V: Value, C: Coord>(height: u32, done: &mut Vec<Item<V, C>>, item: Item<V, C>) {
    let full = |is: &Is| is.height == height;
    let (before, last) = match &done[..] {
        [] => (None, None),
        [last] => (None, Some(last)),
        [.., before, last] => (Some(before), Some(last)),
    };
    // From where on the sequence is to be opened and joined, if at all; then whether with the new item.
    let (from, with) = match (&item, last) {
        (_, None) => return done.push(item),
        (Item::Element(..), Some(Item::Child(..))) => return done.push(item),
        (Item::Element(..), Some(Item::Element(..))) => (if before.is_some() { 2 } else { 1 }, before.is_none()),
        (Item::Child(new, is), Some(Item::Element(..))) => match before {
            Some(Item::Child(old, was)) if full(is) && full(was) => {
                if !(is.changed || was.changed) || !fit(old.node(), new.node()) {
                    return done.push(item);
                }
                (2, true)
            }
            Some(_) => (2, true),
            None => (1, true),
        },
        (Item::Child(..), Some(Item::Child(..))) => (1, true),
    };
    let from = done.len() - from;
    match with {
        true => seam(height, done, from, Some(item)),
        false => {
            seam(height, done, from, None);
            push(height, done, item);
        }
    }
}

/// Opens the children from a place on and puts what is in them, and a further item, in order.
fn seam<V: Value, C: Coord>(height: u32, done: &mut Vec<Item<V, C>>, mut from: usize, item: Option<Item<V, C>>) {
    let mut items: Vec<Item<V, C>> = done.drain(from..).chain(item).collect();
    loop {
        let joined = join_items(height, items);
        // A child of lower height occurs only alone.
        let low = matches!(&joined[..], [Item::Child(_, is)] if is.height < height);
        if !low || from == 0 {
            done.extend(joined);
            return;
        }
        from = from.saturating_sub(2);
        items = done.drain(from..).chain(joined).collect();
    }
}

fn join_items<V: Value, C: Coord>(height: u32, items: Vec<Item<V, C>>) -> Vec<Item<V, C>> {
    if height == 0 {
        let all = items.into_iter().fold(Sorted::new(), |mut all, item| {
            match item {
                Item::Child(child, _) => all.append(everything(&child)),
                Item::Element(coord, value) => all.push(coord, value),
            }
            all
        });
        return leaves(all);
    }
    let mut below = Vec::new();
    for item in items {
        match item {
            Item::Child(child, is) if is.height == height => below.extend(open(&child, height - 1)),
            item => below.push(item),
        }
    }
    group(height, in_order(height - 1, below))
}
