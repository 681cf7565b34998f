//! How a C-tree is built: heads are sampled by a hash of the coordinate, and the tree of heads is a treap.

#![forbid(unsafe_code)]

use super::Ctree;
use super::nodes::{self, Prefix};
use crate::shape::{Grow, Treap, mix};
use pleach_runtime::{Build, Coord, Elements, Link, Node, Reserved, Value};

/// One coordinate in so many is a head, so that a chunk is so long on average. A power of two, 256 as in Aspen (Dhulipala,
/// Blelloch & Shun, *Low-Latency Graph Streaming using Compressed Purely-Functional Trees*, §3).
const CHUNK: u64 = 256;

fn is_head<C: Coord>(coord: C) -> bool {
    mix(coord).is_multiple_of(CHUNK)
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
    let coords = elements.coords();
    let before = coords.iter().position(|&coord| is_head(coord)).unwrap_or(coords.len());
    let prefix = prefix(elements.split_front(before));
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
    (prefix, grow.grow(heads.len(), elements))
}

impl<V: Value, C: Coord> Build<C, V> for Ctree<V, C> {
    fn build(elements: Elements<'_, C, V>) -> Self {
        if elements.is_empty() {
            return Ctree::default();
        }
        let (mut prefix, tree) =
            prefix_and_tree(elements, Prefix::reserve, nodes::Ctree::reserve, |node, left, right| {
                let fields = nodes::Ctree::fields(node.edit());
                (*fields.l, *fields.r) = (left, right);
            });
        *Prefix::fields(prefix.edit()).r = tree;
        Ctree::new(Some(prefix.finish()))
    }
}
