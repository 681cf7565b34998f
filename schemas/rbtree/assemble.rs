//! How a red-black tree is built: balanced, black but for the nodes of the last level where it is not full.

#![forbid(unsafe_code)]

use super::Rbtree;
use super::nodes::{self, RbtreeRoot};
use crate::shape::{Balanced, Grow};
use pleach_runtime::{Build, Coord, Elements, NodeMut, Reserved, Value};

impl<V: Value, C: Coord> Build<C, V> for Rbtree<V, C> {
    fn build(elements: Elements<'_, C, V>) -> Self {
        let keys = elements.len();
        // Every path passes through this many full levels; what lies below is red.
        let black = (keys + 1).ilog2();
        let grow = Grow {
            shape: &Balanced,
            start: |key| key,
            make: |_, mut own: Elements<'_, C, V>| {
                let element = own.pop_front().expect("a key is one element");
                nodes::Rbtree::reserve(element)
            },
            link: |node: &mut Reserved<nodes::Rbtree<V, C>>, l, r| {
                let fields = nodes::Rbtree::fields(node.edit());
                *fields.l = l;
                *fields.r = r;
                nodes::Rbtree::adopt(node.edit());
            },
        };
        let mut tree = grow.grow(keys, elements);
        if let Some(root) = &mut tree {
            redden(root, black);
        }
        let mut root = RbtreeRoot::new();
        *RbtreeRoot::fields(NodeMut::of(&mut root)).r = tree;
        Rbtree::new(root)
    }
}

/// Colours the nodes below `levels` levels red. The tree is balanced, so this recurses no deeper than 64 levels.
fn redden<V: Value, C: Coord>(node: &mut pleach_runtime::Ref<nodes::Rbtree<V, C>>, levels: u32) {
    let fields = nodes::Rbtree::fields(pleach_runtime::make_mut(node));
    *fields.c = levels == 0;
    for child in [fields.l, fields.r].into_iter().flatten() {
        redden(child, levels.saturating_sub(1));
    }
}
