//! How a binary search tree is built: as a treap, node by node in pre-order.

#![forbid(unsafe_code)]

use super::Bst;
use super::nodes::{self, BstRoot};
use crate::shape::{Grow, Treap, mix};
use pleach_runtime::{Build, Coord, Elements, NodeMut, Value};

impl<V: Value, C: Coord> Build<C, V> for Bst<V, C> {
    fn build(elements: Elements<'_, C, V>) -> Self {
        let (coords, keys) = (elements.coords(), elements.len());
        let grow = Grow {
            shape: &Treap::new(keys, |key| mix(coords[key])),
            start: |key| key,
            make: |_, mut own: Elements<'_, C, V>| {
                let element = own.pop_front().expect("a key is one element");
                nodes::Bst::reserve(element)
            },
            link: |node: &mut pleach_runtime::Reserved<nodes::Bst<V, C>>, l, r| {
                let fields = nodes::Bst::fields(node.edit());
                *fields.l = l;
                *fields.r = r;
            },
        };
        let tree = grow.grow(keys, elements);
        let mut root = BstRoot::new();
        *BstRoot::fields(NodeMut::of(&mut root)).r = tree;
        Bst::new(root)
    }
}
