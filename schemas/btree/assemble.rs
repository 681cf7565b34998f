//! How a B-tree is built: all leaves on one level, nodes as full as the number of elements allows, in pre-order. How it is updated:
//! leaf by leaf, along the paths to those that change (`update.rs`).

#![forbid(unsafe_code)]

#[path = "update.rs"]
mod update;

use super::nodes::{self, BtreeInternal, BtreeLeaf, BtreeRoot};
use super::{B, Btree, L};
use crate::edit::Edit;
use pleach_runtime::{
    Build, Change, Coord, Counts, Elements, Link, NodeMut, Ref, RowBatch, Store, Value, join, rebuild_row,
};

/// Elements below which a subtree is built by one task.
const GRAIN: usize = 1 << 13;

/// The most elements in a tree with `levels` levels of internal nodes.
fn capacity(levels: u32) -> usize {
    (0..levels).fold(L, |below, _| below.saturating_mul(B + 1).saturating_add(B))
}

impl<V: Value, C: Coord> Build<C, V> for Btree<V, C> {
    fn build(elements: Elements<'_, C, V>) -> Self {
        Self::of((!elements.is_empty()).then(|| {
            let levels = (0..).find(|&levels| capacity(levels) >= elements.len()).expect("a height that suffices");
            node(elements, levels)
        }))
    }

    fn update(&mut self, batch: RowBatch<'_, C, V>, change: Change<'_, V>) -> Counts {
        // A batch as large as the row touches every leaf.
        Edit::with(batch, change, |edit| {
            if edit.rebuilds(self.fiber(), 1) { rebuild_row(self, batch, change) } else { update::update(self, edit) }
        })
    }

    fn each_mut(&mut self, coords: &[C], visit: &(dyn Fn(usize, &mut V) + Sync)) {
        Edit::visiting(coords, visit, |edit| update::update(self, edit));
    }
}

impl<V: Value, C: Coord> Btree<V, C> {
    fn of(tree: Link<nodes::Btree<V, C>>) -> Self {
        let mut root = BtreeRoot::new();
        *BtreeRoot::fields(NodeMut::of(&mut root)).r = tree;
        Btree::new(root)
    }
}

/// Builds a node with `levels` levels of internal nodes, itself included. No deeper than the logarithm of the number of
/// elements.
fn node<V: Value, C: Coord>(elements: Elements<'_, C, V>, levels: u32) -> Ref<nodes::Btree<V, C>> {
    if levels == 0 {
        return BtreeLeaf::upcast(BtreeLeaf::reserve(elements).finish());
    }
    // As few children as can hold everything, at least two; what is left goes to them in equal parts.
    let len = elements.len();
    let children = (len + 1).div_ceil(capacity(levels - 1).saturating_add(1)).max(2);
    let below = len - (children - 1);
    let mut rest = elements;
    let mut parts = Vec::with_capacity(children);
    let (mut coords, mut values) = (Vec::with_capacity(children - 1), Vec::with_capacity(children - 1));
    for child in 0..children {
        let size = below * (child + 1) / children - below * child / children;
        parts.push(rest.split_front(size));
        if let Some((coord, value)) = rest.pop_front() {
            coords.push(coord);
            values.push(value);
        }
    }
    let node_here = BtreeInternal::reserve(Elements::drain(&coords, &mut values));
    internal(node_here, subtrees(parts, levels - 1))
}

/// Links a node to its children, one more than it has elements.
fn internal<V: Value, C: Coord>(
    mut node: pleach_runtime::Reserved<BtreeInternal<V, C>>,
    mut children: Vec<Ref<nodes::Btree<V, C>>>,
) -> Ref<nodes::Btree<V, C>> {
    let fields = BtreeInternal::fields(node.edit());
    *fields.cl = children.pop();
    for (slot, child) in fields.c.iter_mut().zip(children) {
        *slot = Some(child);
    }
    BtreeInternal::upcast(node.finish())
}

/// Builds the children of a node, in parallel if there is enough to do.
fn subtrees<V: Value, C: Coord>(mut parts: Vec<Elements<'_, C, V>>, levels: u32) -> Vec<Ref<nodes::Btree<V, C>>> {
    let work: usize = parts.iter().map(Elements::len).sum();
    if parts.len() == 1 || work <= GRAIN {
        return parts.into_iter().map(|part| node(part, levels)).collect();
    }
    let right = parts.split_off(parts.len() / 2);
    let (mut left, mut right) = join(|| subtrees(parts, levels), || subtrees(right, levels));
    left.append(&mut right);
    left
}
