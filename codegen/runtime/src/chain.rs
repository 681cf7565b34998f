//! Lists that grow at the end.

use std::ptr::NonNull;

use crate::node::{Link, Node, NodeMut, NodeRef, Ref, Reserved, follow};

/// A node type with exactly one link to its own type: the next node of a list.
///
/// # Safety
///
/// Both methods return the same link, which lies in the given node, and do nothing else.
pub unsafe trait Linked: Node {
    /// The link to the next node.
    fn next(node: NodeRef<'_, Self>) -> &Link<Self>;

    /// The link to the next node, for writing.
    fn next_mut(node: NodeMut<'_, Self>) -> &mut Link<Self>;
}

/// A list under construction: nodes are pushed at the end, and the last one can still be written to.
pub struct Chain<T: Linked> {
    head: Link<T>,
    /// The last node reachable from `head`; nobody else holds a reference to it.
    last: Option<NonNull<T>>,
}

// SAFETY: a chain owns its nodes, which are `Send` and `Sync`.
unsafe impl<T: Linked> Send for Chain<T> {}
// SAFETY: `&Chain` gives no access to nodes other than for reading.
unsafe impl<T: Linked> Sync for Chain<T> {}

impl<T: Linked> Chain<T> {
    /// An empty list.
    pub const fn new() -> Self {
        Chain { head: None, last: None }
    }

    /// Puts a node at the end.
    ///
    /// # Panics
    ///
    /// If the node is already linked to another one.
    pub fn push(&mut self, node: Reserved<T>) {
        assert!(follow(T::next(node.node())).is_none(), "a node at the end of a list has no next one");
        let node = node.finish().into_raw();
        // SAFETY: the count of the reserved node is handed on to the link that follows.
        let link = Some(unsafe { Ref::from_raw(node) });
        match self.last() {
            Some(last) => *T::next_mut(last) = link,
            None => self.head = link,
        }
        self.last = Some(node);
    }

    /// The last node, for writing.
    pub fn last(&mut self) -> Option<NodeMut<'_, T>> {
        // SAFETY: the last node was a reserved one, and the only reference to it is the link in which `push` put it: that of the node
        // before, which only the chain can still reach, or `head`. The chain is borrowed.
        self.last.map(|last| unsafe { NodeMut::from_raw(last) })
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.head.is_none()
    }

    /// The finished list.
    pub fn finish(self) -> Link<T> {
        self.head
    }
}

impl<T: Linked> Default for Chain<T> {
    fn default() -> Self {
        Self::new()
    }
}
