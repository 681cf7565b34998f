//! A store of the user's own, compiled in place, assembled by hand, and read.

#![deny(missing_docs)]

use mine::nodes::{List, ListHead};
use pleach_macros::pleach;
use pleach_runtime::{Build, Chain, Coord, Elements, Fiber, NodeMut, Store, Value};

pleach! {
    // A singly linked list.
    store mine {
        def list { e : elem nonempty  n : list  seq = e, n }
        def list_head { h : list  seq = h }
    }
    format rows(i, j) = i: dense, j: mine
    format trees(i, j) = i: bst, j: ctree
    function relu(a) annihilator 0 = max(a, 0)
}

impl<V: Value, C: Coord> Build<C, V> for mine::Mine<V, C> {
    fn build(mut elements: Elements<'_, C, V>) -> Self {
        let mut chain = Chain::new();
        while let Some(element) = elements.pop_front() {
            chain.push(List::reserve(element));
        }
        let mut head = ListHead::new();
        *ListHead::fields(NodeMut::of(&mut head)).h = chain.finish();
        mine::Mine::new(head)
    }
}

#[test]
fn the_store_holds_what_it_was_built_from() {
    let row: mine::Mine<f64> = mine::Mine::build_row(Elements::copied(&[1, 5, 8], &[2.0, 3.0, 4.0]));
    assert_eq!(row.fiber().len(), 3);
    assert_eq!(row.fiber().locate(5), Some(&3.0));
    assert_eq!(row.fiber().locate(6), None);
    row.audit().unwrap();
}
