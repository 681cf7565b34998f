//! Arrays that lie right behind a node's fields, in the same allocation: one cache miss, not two.

use std::alloc::Layout;
use std::ptr::NonNull;

use crate::node::NodeRef;

/// A field of size zero at the end of a node's fields, which aligns the node for the arrays behind it.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Tail<C, V> {
    coords: [C; 0],
    values: [V; 0],
}

impl<C, V> Tail<C, V> {
    /// The field.
    #[inline(always)]
    pub const fn new() -> Self {
        Tail { coords: [], values: [] }
    }
}

/// Where an array of `E` starts that lies behind `end` bytes.
#[inline(always)]
pub const fn align_up<E>(end: usize) -> usize {
    (end + align_of::<E>() - 1) & !(align_of::<E>() - 1)
}

/// Checks that arrays fit into memory together, each given by its length and the bytes of one element, so that no computation with
/// their sizes overflows. A type of values may be larger than memory as long as there is no value of it.
///
/// # Panics
///
/// If they do not.
#[inline(always)]
pub const fn assert_fits(arrays: &[(usize, usize)]) {
    let (mut bytes, mut at) = (0usize, 0);
    while at < arrays.len() {
        bytes = bytes.saturating_add(arrays[at].0.saturating_mul(arrays[at].1));
        at += 1;
    }
    assert!(bytes <= isize::MAX as usize / 2, "a node that fits into memory");
}

/// The layout of a node of type `T` whose last array ends at `end`.
///
/// # Panics
///
/// If a node cannot be that large.
#[inline(always)]
pub fn tail_layout<T>(end: usize) -> Layout {
    let size = if end > size_of::<T>() { end } else { size_of::<T>() };
    Layout::from_size_align(size, align_of::<T>()).expect("a node that fits into memory")
}

/// The array of `len` elements that starts `offset` bytes behind the start of the node.
///
/// # Safety
///
/// There is such an array, initialised for as long as the node lives.
#[inline(always)]
pub unsafe fn tail_slice<'a, T, E>(node: NodeRef<'a, T>, offset: usize, len: usize) -> &'a [E] {
    // SAFETY: the caller's promise; a `NodeRef` may be used for all of its allocation.
    unsafe { std::slice::from_raw_parts(node.as_ptr().byte_add(offset).cast::<E>(), len) }
}

/// A pointer to the array that starts `offset` bytes behind the start of the node.
///
/// # Safety
///
/// The node's allocation extends at least that far.
#[inline(always)]
pub unsafe fn tail_ptr<T, E>(node: NonNull<T>, offset: usize) -> *mut E {
    // SAFETY: the caller's promise.
    unsafe { node.as_ptr().byte_add(offset).cast::<E>() }
}
