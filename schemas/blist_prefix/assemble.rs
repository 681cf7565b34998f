//! How a linked list of padded blocks is built: by appending to the last block until it is full.

#![forbid(unsafe_code)]

use super::BlistPrefix;
use super::nodes::{Blist, BlistHead};
use pleach_runtime::{Append, Build, Chain, Coord, Elements, NodeMut, Value, build_by_appending};

impl<V: Value, C: Coord> Append for BlistPrefix<V, C> {
    type State = Chain<Blist<V, C>>;

    fn append_first(coord: C, value: V) -> Self::State {
        let mut chain = Chain::new();
        chain.push(Blist::reserve());
        Self::append_rest(&mut chain, coord, value);
        chain
    }

    fn append_rest(chain: &mut Self::State, coord: C, value: V) {
        let last = chain.last().expect("a list that was begun has a block");
        if Blist::fields(last).e.is_full() {
            chain.push(Blist::reserve());
        }
        let last = chain.last().expect("a list that was begun has a block");
        Blist::fields(last).e.push(coord, value);
    }

    fn finish(chain: Self::State) -> Self {
        let mut head = BlistHead::new();
        *BlistHead::fields(NodeMut::of(&mut head)).h = chain.finish();
        BlistPrefix::new(head)
    }
}

impl<V: Value, C: Coord> Build<C, V> for BlistPrefix<V, C> {
    fn build(elements: Elements<'_, C, V>) -> Self {
        build_by_appending(elements)
    }
}
