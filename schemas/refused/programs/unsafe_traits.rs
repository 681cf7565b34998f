//! The traits that unsafe code trusts are unsafe to implement, or sealed.

use pleach_refused::pleach_runtime::{Coord, Flat, Linked, Link, Node, NodeMut, NodeRef, Scalar};
use pleach_refused::pleach_stores::list::nodes::List;

struct Mine(u8);

impl Flat for Mine {}

impl Linked for Mine {
    fn next(_: NodeRef<'_, Self>) -> &Link<Self> {
        &None
    }

    fn next_mut(_: NodeMut<'_, Self>) -> &mut Link<Self> {
        Box::leak(Box::new(None))
    }
}

impl Scalar for Mine {
    type Atomic = u8;

    fn load(cell: &u8) -> Self {
        Mine(*cell)
    }

    fn store(_: &u8, _: Self) {}
}

fn is_coord<C: Coord>() {}

fn is_node<T: Node>() {}

fn main() {
    is_coord::<u8>();
    is_coord::<i32>();
    is_node::<List<std::rc::Rc<u8>>>();
    is_node::<List<std::cell::Cell<u8>>>();
    is_node::<List<&'static mut u8>>();
}
