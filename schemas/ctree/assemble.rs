//! How a C-tree is built: heads are sampled by a hash of the coordinate, and the tree of heads is a treap.

#![forbid(unsafe_code)]

use super::Ctree;
use super::nodes::{self, Prefix};
use crate::shape::{Grow, Treap, mix};
use pleach_runtime::{Build, Coord, Elements, Reserved, Value};

/// One coordinate in so many is a head, so that a chunk is so long on average. A power of two, 256 as in Aspen (Dhulipala,
/// Blelloch & Shun, *Low-Latency Graph Streaming using Compressed Purely-Functional Trees*, §3).
const CHUNK: u64 = 256;

fn is_head<C: Coord>(coord: C) -> bool {
    mix(coord).is_multiple_of(CHUNK)
}

impl<V: Value, C: Coord> Build<C, V> for Ctree<V, C> {
    fn build(mut elements: Elements<'_, C, V>) -> Self {
        if elements.is_empty() {
            return Ctree::default();
        }
        let coords = elements.coords();
        let before = coords.iter().position(|&coord| is_head(coord)).unwrap_or(coords.len());
        let mut prefix = Prefix::reserve(elements.split_front(before));
        if !elements.is_empty() {
            let coords = elements.coords();
            let heads: Vec<usize> = (0..coords.len()).filter(|&at| is_head(coords[at])).collect();
            let grow = Grow {
                shape: &Treap::new(heads.len(), |key| mix(coords[heads[key]])),
                start: |key| heads.get(key).copied().unwrap_or(coords.len()),
                make: |_, mut chunk: Elements<'_, C, V>| {
                    let head = chunk.pop_front().expect("a chunk starts with its head");
                    nodes::Ctree::reserve(head, chunk)
                },
                link: |node: &mut Reserved<nodes::Ctree<V, C>>, l, r| {
                    let fields = nodes::Ctree::fields(node.edit());
                    *fields.l = l;
                    *fields.r = r;
                },
            };
            *Prefix::fields(prefix.edit()).r = grow.grow(heads.len(), elements);
        }
        Ctree::new(Some(prefix.finish()))
    }
}
