//! Nodes of linked stores: reference-counted, shared between versions, written in place while nobody shares them.
//!
//! ```text
//!   Link<T> = Option<Ref<T>>      8 bytes, owns one count
//!        │
//!        ▼        ┌───────┬──────────────┬─────────────┬────────────────────┐
//!   NodeRef<'a>   │ count │ sizes, links │ scalars …   │ arrays, inline     │   one allocation
//!                 └───────┴──────────────┴─────────────┴────────────────────┘
//!                 └────────── T ──────────────────────┘ └── tail ──────────┘
//! ```
//!
//! A node is read through a [`NodeRef`], a pointer with a lifetime that also reaches the arrays behind `T`. Reading never changes a count:
//! only a [`Ref`] can be cloned. So exclusive access to the only `Ref` of a node allows writing to the node. A new node is [`Reserved`]
//! until it is finished. It is allocated before its children, so that bulk builds store nodes in pre-order. A finished node is written
//! to through [`make_mut`].

use std::alloc::Layout;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::graveyard::{Graveyard, bury};
use crate::inspect::Inspection;
use crate::{Coord, Value, prefetch};

/// A link to a child: nothing, or a counted reference.
pub type Link<T> = Option<Ref<T>>;

/// The number of references to a node, the first field of every node.
#[derive(Debug)]
#[repr(transparent)]
pub struct Count(AtomicU32);

impl Count {
    /// The count of a node that was just made.
    #[inline(always)]
    pub const fn one() -> Self {
        Count(AtomicU32::new(1))
    }

    #[inline(always)]
    fn retain(&self) {
        // Relaxed: the caller already holds a reference.
        if self.0.fetch_add(1, Ordering::Relaxed) > u32::MAX / 2 {
            std::process::abort();
        }
    }

    /// Gives up one reference; whether it was the last.
    #[inline(always)]
    pub(crate) fn release(&self) -> bool {
        // The only owner needs no atomic write: nobody else can reach the node to clone it.
        if self.0.load(Ordering::Acquire) == 1 {
            return true;
        }
        let last = self.0.fetch_sub(1, Ordering::Release) == 1;
        if last {
            // This load takes the place of a fence, which thread sanitizer does not support.
            self.0.load(Ordering::Acquire);
        }
        last
    }

    #[inline(always)]
    fn is_unique(&self) -> bool {
        self.0.load(Ordering::Acquire) == 1
    }
}

/// What the compiler generates for each node type of a schema, and for each supertype.
///
/// # Safety
///
/// The type is `repr(C)` with a [`Count`] as its first field. A pointer to it, when reached through a [`Ref`], comes from
/// [`pool::allocate`](crate::pool::allocate) with the layout that `layout` returns, and everything that `layout`, `copy`,
/// `destroy` and `inspect` read there is initialised.
pub unsafe trait Node: Sized + Send + Sync + 'static {
    /// Coordinates of the nonzeros in the node.
    type Coord: Coord;
    /// Values of the nonzeros in the node.
    type Value: Value;

    /// The layout of the node's allocation, arrays included.
    fn layout(node: NodeRef<'_, Self>) -> Layout;

    /// A copy of the node that shares its children (a deep one where nodes know their parents, which forbids sharing).
    fn copy(node: NodeRef<'_, Self>) -> Reserved<Self>;

    /// Destroys the node: hands its links to `dead`, drops its values and frees its memory.
    ///
    /// # Safety
    ///
    /// Nobody holds a reference to the node, which is not used afterwards.
    unsafe fn destroy(node: NonNull<Self>, dead: &mut Graveyard);

    /// Reports the fields of the node in the order of its sequence attribute, and the invariants that it breaks.
    fn inspect<'a>(node: NodeRef<'a, Self>, report: &mut Inspection<'a, Self::Coord, Self::Value>);
}

/// A type of nodes that lies by value in something else, as the handle of a store does.
///
/// # Safety
///
/// All of the node lies in the type; there are no arrays behind it.
pub unsafe trait Flat {}

/// An owned, counted reference to a node that may be shared.
#[repr(transparent)]
pub struct Ref<T: Node> {
    ptr: NonNull<T>,
    marker: PhantomData<T>,
}

// SAFETY: a `Ref` shares and owns a `T`, which is `Send` and `Sync`; the count is atomic.
unsafe impl<T: Node> Send for Ref<T> {}
// SAFETY: as above.
unsafe impl<T: Node> Sync for Ref<T> {}

impl<T: Node> Ref<T> {
    /// Takes over one count of a node.
    ///
    /// # Safety
    ///
    /// `ptr` points at an initialised node as [`Node`] describes it, may be used for all of its allocation, and the caller owns
    /// the count that the new reference takes over.
    #[inline(always)]
    pub unsafe fn from_raw(ptr: NonNull<T>) -> Self {
        Ref { ptr, marker: PhantomData }
    }

    /// Gives up the reference but not its count.
    #[inline(always)]
    pub fn into_raw(self) -> NonNull<T> {
        std::mem::ManuallyDrop::new(self).ptr
    }

    /// The node, for reading.
    #[inline(always)]
    pub fn node(&self) -> NodeRef<'_, T> {
        NodeRef { ptr: self.ptr, marker: PhantomData }
    }

    /// Whether nobody else holds a reference to the node.
    #[inline(always)]
    pub fn is_unique(&self) -> bool {
        self.node().count().is_unique()
    }
}

impl<T: Node> Clone for Ref<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        self.node().count().retain();
        Ref { ptr: self.ptr, marker: PhantomData }
    }
}

impl<T: Node> Drop for Ref<T> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.node().count().release() {
            // SAFETY: this was the last reference.
            unsafe { bury(self.ptr) };
        }
    }
}

impl<T: Node> std::fmt::Debug for Ref<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Ref({:p})", self.ptr)
    }
}

/// A node seen for reading: a pointer with a lifetime, which may reach the arrays behind `T`.
#[repr(transparent)]
pub struct NodeRef<'a, T> {
    ptr: NonNull<T>,
    marker: PhantomData<&'a T>,
}

impl<T> Clone for NodeRef<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for NodeRef<'_, T> {}

impl<T> PartialEq for NodeRef<'_, T> {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.ptr == other.ptr
    }
}

impl<T> Eq for NodeRef<'_, T> {}

// SAFETY: like `&T`.
unsafe impl<T: Sync> Send for NodeRef<'_, T> {}
// SAFETY: like `&T`.
unsafe impl<T: Sync> Sync for NodeRef<'_, T> {}

impl<'a, T> NodeRef<'a, T> {
    /// A view of a node.
    ///
    /// # Safety
    ///
    /// `ptr` points at an initialised node, may be used for all of its allocation, and the node is neither written to nor freed
    /// during `'a`.
    #[inline(always)]
    pub unsafe fn from_raw(ptr: NonNull<T>) -> Self {
        NodeRef { ptr, marker: PhantomData }
    }

    /// The node's fields.
    #[inline(always)]
    pub fn get(self) -> &'a T {
        // SAFETY: a `NodeRef` points at an initialised node that lives for `'a`.
        unsafe { self.ptr.as_ref() }
    }

    /// The node as a pointer that may be used to read all of its allocation.
    #[inline(always)]
    pub fn as_ptr(self) -> *const T {
        self.ptr.as_ptr()
    }

    /// Prefetches memory a fixed distance behind the node. After a bulk build, the nodes there are visited next. The processor does not
    /// detect that by itself, because the walk follows links.
    #[inline(always)]
    pub fn prefetch_behind(self) {
        /// Bytes, so that the memory arrives before the walk does.
        const AHEAD: usize = 512;
        prefetch::read::<1>(self.ptr.as_ptr().cast::<u8>().wrapping_add(AHEAD));
    }

    /// `next`, in less time if it is the node right behind this one, as in a walk that takes the nodes as a bulk build laid them.
    ///
    /// A walk is a chain of loads, each of which waits for the one before. The address behind needs no load: the processor goes on
    /// there, and compares it with the link when that arrives. A sum over the nodes of a binary tree that was built in bulk takes 1.3 ns
    /// a node (2.7 ns without this) where it fits the caches, and 1.4 ns (2.9 ns) in memory; over a tree that was built by twenty
    /// batches of a thousand, whose nodes mostly lie apart, 2.4 ns (2.7 ns).
    #[inline(always)]
    pub fn go_on(self, next: NodeRef<'a, T>) -> NodeRef<'a, T> {
        NodeRef { ptr: prefetch::guessed(self.ptr.as_ptr().wrapping_add(1), next.ptr), marker: PhantomData }
    }

    /// The node seen as another type: a supertype as one of its subtypes, or the other way round.
    ///
    /// # Safety
    ///
    /// The node is a `U` too.
    #[inline(always)]
    pub unsafe fn cast<U>(self) -> NodeRef<'a, U> {
        NodeRef { ptr: self.ptr.cast(), marker: PhantomData }
    }
}

impl<'a, T: Flat> NodeRef<'a, T> {
    /// A view of a handle that lies by value.
    #[inline(always)]
    pub fn of(handle: &'a T) -> Self {
        NodeRef { ptr: NonNull::from(handle), marker: PhantomData }
    }
}

impl<'a, T: Node> NodeRef<'a, T> {
    #[inline(always)]
    fn count(self) -> &'a Count {
        // SAFETY: every node starts with its count.
        unsafe { self.ptr.cast::<Count>().as_ref() }
    }

    /// Whether only one owned reference to the node exists.
    #[inline(always)]
    pub fn is_unique(self) -> bool {
        self.count().is_unique()
    }
}

/// A node seen for writing: nobody else can reach it.
pub struct NodeMut<'a, T> {
    ptr: NonNull<T>,
    marker: PhantomData<&'a mut T>,
}

impl<'a, T> NodeMut<'a, T> {
    /// The node as a pointer that may be used for all of its allocation.
    #[inline(always)]
    pub fn into_raw(self) -> NonNull<T> {
        self.ptr
    }

    /// The node, for reading.
    #[inline(always)]
    pub fn node(&self) -> NodeRef<'_, T> {
        NodeRef { ptr: self.ptr, marker: PhantomData }
    }

    /// The node, for reading for as long as it was borrowed.
    #[inline(always)]
    pub fn into_node(self) -> NodeRef<'a, T> {
        NodeRef { ptr: self.ptr, marker: PhantomData }
    }

    /// The same access for a shorter time.
    #[inline(always)]
    pub fn reborrow(&mut self) -> NodeMut<'_, T> {
        NodeMut { ptr: self.ptr, marker: PhantomData }
    }

    /// The node seen as another type: a supertype as one of its subtypes, or the other way round.
    ///
    /// # Safety
    ///
    /// The node is a `U` too.
    #[inline(always)]
    pub unsafe fn cast<U>(self) -> NodeMut<'a, U> {
        NodeMut { ptr: self.ptr.cast(), marker: PhantomData }
    }

    /// Access to a node.
    ///
    /// # Safety
    ///
    /// As for [`NodeRef::from_raw`], and nobody else reaches the node during `'a`.
    #[inline(always)]
    pub unsafe fn from_raw(ptr: NonNull<T>) -> Self {
        NodeMut { ptr, marker: PhantomData }
    }
}

impl<'a, T: Flat> NodeMut<'a, T> {
    /// Access to a handle that lies by value.
    #[inline(always)]
    pub fn of(handle: &'a mut T) -> Self {
        NodeMut { ptr: NonNull::from(handle), marker: PhantomData }
    }
}

// SAFETY: like `&mut T`.
unsafe impl<T: Send> Send for NodeMut<'_, T> {}
// SAFETY: like `&mut T`.
unsafe impl<T: Sync> Sync for NodeMut<'_, T> {}

/// A node that was just made and that nobody else can reach: its elements are in place, its links can still be set.
#[derive(Debug)]
pub struct Reserved<T: Node>(Ref<T>);

impl<T: Node> Reserved<T> {
    /// Takes over a node that was just made.
    ///
    /// # Safety
    ///
    /// As for [`Ref::from_raw`], and nobody else reaches the node.
    #[inline(always)]
    pub unsafe fn from_raw(ptr: NonNull<T>) -> Self {
        // SAFETY: the caller's promise.
        Reserved(unsafe { Ref::from_raw(ptr) })
    }

    /// Takes over a node that nobody shares.
    ///
    /// # Panics
    ///
    /// If it is shared.
    pub fn from_unique(node: Ref<T>) -> Self {
        assert!(node.is_unique(), "a node that is shared cannot be written to");
        Reserved(node)
    }

    /// The node, for reading.
    #[inline(always)]
    pub fn node(&self) -> NodeRef<'_, T> {
        self.0.node()
    }

    /// The node, for writing.
    #[inline(always)]
    pub fn edit(&mut self) -> NodeMut<'_, T> {
        NodeMut { ptr: self.0.ptr, marker: PhantomData }
    }

    /// The finished node, which may now be shared.
    #[inline(always)]
    pub fn finish(self) -> Ref<T> {
        self.0
    }
}

/// Write access to a node: in place while nobody shares it, otherwise to a copy that takes its place.
///
/// Called on each link of a path from the handle down, this updates in place what no snapshot can see, and copies just the path
/// where one can.
#[inline]
pub fn make_mut<T: Node>(link: &mut Ref<T>) -> NodeMut<'_, T> {
    if !link.is_unique() {
        *link = T::copy(link.node()).finish();
    }
    NodeMut { ptr: link.ptr, marker: PhantomData }
}

/// Reads a link.
#[inline(always)]
pub fn follow<T: Node>(link: &Link<T>) -> Option<NodeRef<'_, T>> {
    link.as_ref().map(Ref::node)
}

/// A non-owning link to the node that owns this one, null at the root.
///
/// It only says where the parent was when the node was attached; only audits read it, to compare it.
#[derive(Debug)]
#[repr(transparent)]
pub struct Parent<T>(*const T);

// SAFETY: the pointer is only compared, never read through, by safe code.
unsafe impl<T> Send for Parent<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Parent<T> {}

impl<T> Clone for Parent<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Parent<T> {}

impl<T> Parent<T> {
    /// No parent.
    #[inline(always)]
    pub const fn none() -> Self {
        Parent(std::ptr::null())
    }

    /// The given parent.
    #[inline(always)]
    pub fn of(node: NodeRef<'_, T>) -> Self {
        Parent(node.as_ptr())
    }

    /// Whether there is none.
    #[inline(always)]
    pub fn is_none(self) -> bool {
        self.0.is_null()
    }

    /// Whether it is the given node.
    #[inline(always)]
    pub fn is(self, node: NodeRef<'_, T>) -> bool {
        std::ptr::eq(self.0, node.as_ptr())
    }

    /// The parent as a pointer.
    #[inline(always)]
    pub fn as_ptr(self) -> *const T {
        self.0
    }
}
