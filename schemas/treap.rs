//! Splits and joins treaps along one path, in place where no other version shares it.

#![forbid(unsafe_code)]

use pleach_runtime::{Link, Node, NodeMut, NodeRef, Ref, make_mut};

use crate::shape::priority;

/// Levels that an update recurses into; what lies deeper is built anew. A treap of four billion keys is not that deep unless the
/// coordinates were chosen to spoil it.
pub(crate) const DEEPEST: u32 = 128;

/// A node of a treap, whose priority is [`priority`] of its key.
pub(crate) trait Knot: Node {
    /// The coordinate that separates its children.
    fn key(node: NodeRef<'_, Self>) -> Self::Coord;

    /// The links to its children, for reading.
    fn below(node: NodeRef<'_, Self>) -> [&Link<Self>; 2];

    /// The links to its children.
    fn links(node: NodeMut<'_, Self>) -> [&mut Link<Self>; 2];
}

/// The tree below a coordinate that is not among its keys, and the tree above. If a node that is shared panics while it is copied, the
/// tree is what it was.
pub(crate) fn split<T: Knot>(link: &mut Link<T>, at: T::Coord) -> [Link<T>; 2] {
    // Copies first: what follows only moves links.
    let mut next = &mut *link;
    while let Some(node) = next {
        let is_below = T::key(node.node()) < at;
        let [l, r] = T::links(make_mut(node));
        next = if is_below { r } else { l };
    }
    let mut tree = link.take();
    let (mut below, mut above) = (None, None);
    let (mut low, mut high) = (&mut below, &mut above);
    while let Some(node) = tree {
        if T::key(node.node()) < at {
            let [_, next] = T::links(make_mut(low.insert(node)));
            tree = next.take();
            low = next;
        } else {
            let [next, _] = T::links(make_mut(high.insert(node)));
            tree = next.take();
            high = next;
        }
    }
    [below, above]
}

/// The treap of the keys of two treaps, where all keys of the first are below those of the second. If a node that is shared panics while it
/// is copied, the treaps are what they were.
pub(crate) fn concat<T: Knot>(left: &mut Link<T>, right: &mut Link<T>) -> Link<T> {
    copy_seam(left, right);
    let (mut left, mut right) = (left.take(), right.take());
    let mut all = None;
    let mut hole = &mut all;
    loop {
        match (left, right) {
            (None, rest) | (rest, None) => {
                *hole = rest;
                return all;
            }
            (Some(low), Some(high)) if is_above(&low, &high) => {
                let [_, next] = T::links(make_mut(hole.insert(low)));
                (left, right) = (next.take(), Some(high));
                hole = next;
            }
            (Some(low), Some(high)) => {
                let [next, _] = T::links(make_mut(hole.insert(high)));
                (left, right) = (Some(low), next.take());
                hole = next;
            }
        }
    }
}

/// Copies the nodes that [`concat`] links anew where they are shared, so that it only moves links then.
fn copy_seam<T: Knot>(mut left: &mut Link<T>, mut right: &mut Link<T>) {
    while let (Some(low), Some(high)) = (&left, &right) {
        if is_above(low, high) {
            let Some(low) = left else { return };
            let [_, next] = T::links(make_mut(low));
            left = next;
        } else {
            let Some(high) = right else { return };
            let [next, _] = T::links(make_mut(high));
            right = next;
        }
    }
}

/// Whether the first node has the higher priority.
fn is_above<T: Knot>(left: &Ref<T>, right: &Ref<T>) -> bool {
    priority(T::key(left.node())) > priority(T::key(right.node()))
}
