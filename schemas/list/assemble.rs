//! How a linked list is built: by appending.

#![forbid(unsafe_code)]

use super::List;
use super::nodes::{self, ListHead};
use pleach_runtime::{Append, Build, Chain, Coord, Elements, NodeMut, Value, build_by_appending};

impl<V: Value, C: Coord> Append for List<V, C> {
    type State = Chain<nodes::List<V, C>>;

    fn append_first(coord: C, value: V) -> Self::State {
        let mut chain = Chain::new();
        chain.push(nodes::List::reserve((coord, value)));
        chain
    }

    fn append_rest(chain: &mut Self::State, coord: C, value: V) {
        chain.push(nodes::List::reserve((coord, value)));
    }

    fn finish(chain: Self::State) -> Self {
        let mut head = ListHead::new();
        *ListHead::fields(NodeMut::of(&mut head)).h = chain.finish();
        List::new(head)
    }
}

impl<V: Value, C: Coord> Build<C, V> for List<V, C> {
    fn build(elements: Elements<'_, C, V>) -> Self {
        build_by_appending(elements)
    }
}
