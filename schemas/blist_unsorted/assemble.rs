//! How a linked list of unordered blocks is built: every block full but the last one.

#![forbid(unsafe_code)]

use super::nodes::{Blist, BlistHead};
use super::{B, BlistUnsorted};
use pleach_runtime::{Build, Chain, Coord, Elements, NodeMut, Value};

impl<V: Value, C: Coord> Build<C, V> for BlistUnsorted<V, C> {
    fn build(mut elements: Elements<'_, C, V>) -> Self {
        let mut chain = Chain::new();
        while !elements.is_empty() {
            let block = elements.split_front(elements.len().min(B));
            chain.push(Blist::reserve(block));
        }
        let mut head = BlistHead::new();
        *BlistHead::fields(NodeMut::of(&mut head)).h = chain.finish();
        BlistUnsorted::new(head)
    }
}
