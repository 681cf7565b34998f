//! What the compiler cannot check takes `unsafe`.

use std::mem::MaybeUninit;
use std::ptr::NonNull;

use pleach_refused::pleach_runtime::{
    Elements, FilledMut, Graveyard, Node, NodeMut, NodeRef, Ref, Reserved, Slots, SlotsMut, pool, tail_ptr, tail_slice,
};
use pleach_refused::pleach_stores::blist_gaps::nodes::Blist;
use pleach_refused::pleach_stores::bst::nodes::Bst;

type Tree = Bst<String>;

/// Nobody outside of the runtime has a graveyard.
fn destroy(dead: &mut Graveyard) {
    Tree::destroy(NonNull::dangling(), dead);
}

fn main() {
    let dangling = NonNull::<Tree>::dangling();
    Ref::from_raw(dangling);
    Reserved::from_raw(dangling);
    NodeRef::from_raw(dangling);
    NodeMut::from_raw(dangling);
    pool::deallocate(dangling.cast(), std::alloc::Layout::new::<Tree>());

    let mut node = Tree::reserve((1, "one".to_owned()));
    tail_slice::<Tree, u8>(node.node(), 8, 8);
    tail_ptr::<Tree, u8>(dangling, 8);
    NodeRef::cast::<u8>(node.node());
    NodeMut::cast::<u8>(node.edit());

    let (mut coords, mut values, mut used) = ([1_u32], [MaybeUninit::<String>::uninit()], 1_u8);
    Slots::new(&coords, &values);
    SlotsMut::new(&mut coords, &mut values);
    FilledMut::new(&mut coords, &mut values, &mut used);
    let block = Blist::<String>::reserve();
    Slots::filled(Blist::e(block.node()), 1);

    let (mut place, mut bytes, mut strings) = (0_u32, [0_u8], [String::new()]);
    Elements::<u32, String>::none().write_to(&mut place, strings.as_mut_ptr());
    Elements::<u32, String>::none().write_coded_to(None, bytes.as_mut_ptr(), 0, strings.as_mut_ptr());
}
