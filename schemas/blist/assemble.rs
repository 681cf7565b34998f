//! How a linked list of blocks is built: every block full but the last one.

#![forbid(unsafe_code)]

use super::nodes::{self, BlistHead};
use super::{B, Blist};
use pleach_runtime::{Append, Build, Chain, Coord, Elements, NodeMut, Value};

fn finish<V: Value, C: Coord>(chain: Chain<nodes::Blist<V, C>>) -> Blist<V, C> {
    let mut head = BlistHead::new();
    *BlistHead::fields(NodeMut::of(&mut head)).h = chain.finish();
    Blist::new(head)
}

impl<V: Value, C: Coord> Build<C, V> for Blist<V, C> {
    fn build(mut elements: Elements<'_, C, V>) -> Self {
        let mut chain = Chain::new();
        while !elements.is_empty() {
            let block = elements.split_front(elements.len().min(B));
            chain.push(nodes::Blist::reserve(block));
        }
        finish(chain)
    }
}

/// A list that is appended to: full blocks, and what will be the next one.
pub struct State<V: Value, C: Coord> {
    chain: Chain<nodes::Blist<V, C>>,
    coords: Vec<C>,
    values: Vec<V>,
}

impl<V: Value, C: Coord> State<V, C> {
    fn push(&mut self, coord: C, value: V) {
        self.coords.push(coord);
        self.values.push(value);
        if self.coords.len() == B {
            self.close();
        }
    }

    fn close(&mut self) {
        if !self.coords.is_empty() {
            self.chain.push(nodes::Blist::reserve(Elements::drain(&self.coords, &mut self.values)));
            self.coords.clear();
        }
    }
}

impl<V: Value, C: Coord> Append for Blist<V, C> {
    type State = State<V, C>;

    fn append_first(coord: C, value: V) -> State<V, C> {
        let mut state = State { chain: Chain::new(), coords: Vec::new(), values: Vec::new() };
        state.push(coord, value);
        state
    }

    fn append_rest(state: &mut State<V, C>, coord: C, value: V) {
        state.push(coord, value);
    }

    fn finish(mut state: State<V, C>) -> Self {
        state.close();
        finish(state.chain)
    }
}
