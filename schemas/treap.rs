//! Taking treaps apart and putting them together, along one path and in place where nobody shares it.

#![forbid(unsafe_code)]

use pleach_runtime::{Link, Node, NodeMut, NodeRef, Ref, make_mut};

use crate::shape::mix;

/// Levels that an update recurses into; what lies deeper is built anew. A treap of four billion keys is not that deep unless the
/// coordinates were chosen to spoil it.
pub(crate) const DEEPEST: u32 = 128;

/// A node of a treap, whose priority is [`mix`] of its key.
pub(crate) trait Knot: Node {
    /// The coordinate that parts its children.
    fn key(node: NodeRef<'_, Self>) -> Self::Coord;

    /// The links to its children, for reading.
    fn below(node: NodeRef<'_, Self>) -> [&Link<Self>; 2];

    /// The links to its children.
    fn links(node: NodeMut<'_, Self>) -> [&mut Link<Self>; 2];
}

/// The children of a node, taken out of it if nobody shares it.
pub(crate) fn children<T: Knot>(node: &mut Ref<T>) -> [Link<T>; 2] {
    if node.is_unique() { T::links(make_mut(node)).map(Option::take) } else { T::below(node.node()).map(Link::clone) }
}

/// The keys below a coordinate, which is none of them, and those above.
pub(crate) fn split<T: Knot>(mut tree: Link<T>, at: T::Coord) -> [Link<T>; 2] {
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

/// The keys of two treaps, those of the first all below those of the second.
pub(crate) fn concat<T: Knot>(mut left: Link<T>, mut right: Link<T>) -> Link<T> {
    let mut all = None;
    let mut hole = &mut all;
    loop {
        match (left, right) {
            (None, rest) | (rest, None) => {
                *hole = rest;
                return all;
            }
            (Some(low), Some(high)) if mix(T::key(low.node())) > mix(T::key(high.node())) => {
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
