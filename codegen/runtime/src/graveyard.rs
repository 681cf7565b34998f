//! Dropping nodes without recursion: a list of ten million nodes or a degenerate tree must not overflow the stack.
//!
//! The last reference to a node opens a queue; each node that dies hands its links to the queue instead of dropping them. Values
//! that are stores themselves (a further level out) open a queue of their own, so the stack grows with the order of the tensor
//! and not with its size.

use std::ptr::NonNull;

use smallvec::SmallVec;

use crate::node::{Link, Node};

struct Grave {
    node: NonNull<u8>,
    /// # Safety
    ///
    /// To be called once, with `node`.
    destroy: unsafe fn(NonNull<u8>, &mut Graveyard),
}

/// Nodes without references, waiting to be destroyed.
pub struct Graveyard {
    graves: SmallVec<[Grave; 16]>,
}

impl Graveyard {
    /// Gives up a link. If it was the last one to its node, the node will be destroyed.
    #[inline]
    pub fn bury<T: Node>(&mut self, link: Link<T>) {
        if let Some(link) = link {
            let node = link.into_raw();
            // SAFETY: the link held a count, so the node is alive; every node starts with its count.
            if unsafe { node.cast::<crate::node::Count>().as_ref() }.release() {
                self.graves.push(Grave { node: node.cast(), destroy: destroy::<T> });
            }
        }
    }
}

/// # Safety
///
/// As for [`Node::destroy`]; `node` is a `T`.
unsafe fn destroy<T: Node>(node: NonNull<u8>, dead: &mut Graveyard) {
    // SAFETY: the caller's promise.
    unsafe { T::destroy(node.cast(), dead) };
}

/// Destroys a node and everything that only it keeps alive.
///
/// # Safety
///
/// Nobody holds a reference to the node, which is not used afterwards.
#[cold]
#[inline(never)]
pub(crate) unsafe fn bury<T: Node>(node: NonNull<T>) {
    let mut dead = Graveyard { graves: SmallVec::new() };
    // SAFETY: the caller's promise.
    unsafe { T::destroy(node, &mut dead) };
    while let Some(grave) = dead.graves.pop() {
        // SAFETY: only nodes without references get into the queue, and each leaves it once.
        unsafe { (grave.destroy)(grave.node, &mut dead) };
    }
}
