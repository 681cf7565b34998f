//! A second store and a kernel over it, compiled in place by the macro.

use self::chain::nodes::{Cell, First};
use pleach::pleach;
use pleach::runtime::{Build, Chain, Coord, Elements, NodeMut, Value};

pleach! {
    // One cell an element, each knowing the next.
    store chain {
        def cell { e : elem nonempty  next : cell  seq = e, next }
        def first { head : cell  seq = head }
    }

    kernel add(A: (dense, chain), B: csr) -> C: csr { C(i,j) = A(i,j) + B(i,j) }
}

impl<V: Value, C: Coord> Build<C, V> for chain::Chain<V, C> {
    fn build(mut elements: Elements<'_, C, V>) -> Self {
        let mut cells = Chain::new();
        while let Some(element) = elements.pop_front() {
            cells.push(Cell::reserve(element));
        }
        let mut first = First::new();
        *First::fields(NodeMut::of(&mut first)).head = cells.finish();
        chain::Chain::new(first)
    }
}
