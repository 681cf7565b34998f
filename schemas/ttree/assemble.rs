//! How a T-tree is built: a balanced tree of blocks that are as full as the number of elements allows.

#![forbid(unsafe_code)]

use super::nodes::{self, TtreeRoot};
use super::{B, Ttree};
use crate::shape::{Balanced, Grow};
use pleach_runtime::{Build, Coord, Elements, NodeMut, Reserved, Value};

impl<V: Value, C: Coord> Build<C, V> for Ttree<V, C> {
    fn build(elements: Elements<'_, C, V>) -> Self {
        let len = elements.len();
        let blocks = len.div_ceil(B);
        let grow = Grow {
            shape: &Balanced,
            // Block k of n holds elements len·k/n up to len·(k + 1)/n: at least one, at most B.
            start: |block| (len as u128 * block as u128 / blocks.max(1) as u128) as usize,
            make: |_, own: Elements<'_, C, V>| nodes::Ttree::reserve(own),
            link: |node: &mut Reserved<nodes::Ttree<V, C>>, l, r| {
                let fields = nodes::Ttree::fields(node.edit());
                *fields.l = l;
                *fields.r = r;
            },
        };
        let tree = grow.grow(blocks, elements);
        let mut root = TtreeRoot::new();
        *TtreeRoot::fields(NodeMut::of(&mut root)).r = tree;
        Ttree::new(root)
    }
}
