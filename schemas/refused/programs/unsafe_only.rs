//! What the compiler cannot check takes `unsafe`.

use std::mem::MaybeUninit;
use std::ptr::NonNull;

use pleach_runtime::{Elements, FilledMut, Node, NodeMut, NodeRef, Ref, Reserved, Slots, SlotsMut, pool, tail_ptr, tail_slice};
use pleach_stores::bst::nodes::Bst;

type Tree = Bst<String>;

fn main() {
    let dangling = NonNull::<Tree>::dangling();
    Ref::from_raw(dangling);
    Reserved::from_raw(dangling);
    NodeRef::from_raw(dangling);
    NodeMut::from_raw(dangling);
    tail_slice::<Tree, u8>(todo!(), 8, 8);
    tail_ptr::<Tree, u8>(dangling, 8);
    pool::deallocate(dangling.cast(), std::alloc::Layout::new::<Tree>());
    Slots::<u32, String>::new(&[1], &[MaybeUninit::uninit()]);
    SlotsMut::<u32, String>::new(&mut [1], &mut [MaybeUninit::uninit()]);
    FilledMut::<u32, String, u8>::new(&mut [1], &mut [MaybeUninit::uninit()], &mut 1);
    Slots::<u32, String>::filled(todo!(), 1);
    Elements::<u32, String>::write_to(todo!(), todo!(), todo!());
    Elements::<u32, String>::write_coded_to(todo!(), None, todo!(), 0, todo!());
    Tree::destroy(dangling, todo!());
    NodeRef::<Tree>::cast::<u8>(todo!());
    NodeMut::<Tree>::cast::<u8>(todo!());
}
