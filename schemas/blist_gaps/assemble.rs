//! How a linked list of blocks with gaps is built: one slot in four of every block stays empty, at even distances.

#![forbid(unsafe_code)]

use super::nodes::{Blist, BlistHead};
use super::{B, BlistGaps};
use pleach_runtime::{Build, Chain, Coord, Elements, NodeMut, Value};

/// Slots of a block that are filled when it is built.
const FILLED: usize = if B < 4 { B } else { B - B / 4 };

impl<V: Value, C: Coord> Build<C, V> for BlistGaps<V, C> {
    fn build(mut elements: Elements<'_, C, V>) -> Self {
        let mut chain = Chain::new();
        while !elements.is_empty() {
            let own = elements.split_front(elements.len().min(FILLED));
            let mut block = Blist::reserve();
            let mut slots = Blist::fields(block.edit()).e;
            for (position, (coord, value)) in own.enumerate() {
                slots.put(position * B / FILLED, coord, value);
            }
            chain.push(block);
        }
        let mut head = BlistHead::new();
        *BlistHead::fields(NodeMut::of(&mut head)).h = chain.finish();
        BlistGaps::new(head)
    }
}
