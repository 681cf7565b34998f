//! How a linked list of blocks of any length is built: what arrives together is one block.

#![forbid(unsafe_code)]

use super::Vblist;
use super::nodes::{self, VblistHead};
use pleach_runtime::{Build, Chain, Coord, Elements, NodeMut, Value};

/// The longest block of a bulk build, so that a long row can be read by several tasks.
const LONGEST: usize = 1 << 14;

impl<V: Value, C: Coord> Build<C, V> for Vblist<V, C> {
    fn build(mut elements: Elements<'_, C, V>) -> Self {
        let mut chain = Chain::new();
        while !elements.is_empty() {
            let block = elements.split_front(elements.len().min(LONGEST));
            chain.push(nodes::Vblist::reserve(block));
        }
        let mut head = VblistHead::new();
        *VblistHead::fields(NodeMut::of(&mut head)).h = chain.finish();
        Vblist::new(head)
    }
}
