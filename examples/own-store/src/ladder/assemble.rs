//! How a ladder is built: rung by rung, each twice as long as the one before. Safe Rust throughout.

#![forbid(unsafe_code)]

use super::Ladder;
use super::nodes::{self, Ladder as Handle};
use pleach::runtime::{Build, Chain, Coord, Elements, NodeMut, Value};

/// Elements of the lowest rung.
const FIRST: usize = 4;

impl<V: Value, C: Coord> Build<C, V> for Ladder<V, C> {
    fn build(mut elements: Elements<'_, C, V>) -> Self {
        let mut rungs = Chain::new();
        let mut length = FIRST;
        while !elements.is_empty() {
            rungs.push(nodes::Rung::reserve(elements.split_front(elements.len().min(length))));
            length *= 2;
        }
        let mut handle = Handle::new();
        *Handle::fields(NodeMut::of(&mut handle)).bottom = rungs.finish();
        Ladder::new(handle)
    }
}
