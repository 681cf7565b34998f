//! Only functions that check invariants make such values: the private parts of these types cannot be reached.

use std::marker::PhantomData;
use std::sync::atomic::AtomicPtr;

use pleach_refused::pleach_runtime::{Count, Elements, Packed, Places, RowBlock, Stack};
use pleach_refused::pleach_stores::bst::nodes::Bst;

type Row = Packed<u32, String>;

fn main() {
    let _ = Places::<'_, Row>::Rows(vec![AtomicPtr::new(1 as *mut Row)], PhantomData);
    let mut block = RowBlock::<'_, u32, String>::empty();
    block.offsets = &[0, 300, 2];
    block.elements = Elements::none();
    let mut stack = Stack::<u32, 4>::new();
    stack.len = 3;
    let node = Bst::<String>::reserve((1, String::new()));
    let _ = node.node().get().e_value;
    let _ = Count::one().release();
}
