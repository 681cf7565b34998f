use ::pleach_runtime as runtime;

/// The parameter `B` of the schema.
pub const B: usize = 3;

/// A linked list of blocks, each packed and sorted.
///
/// The handle of a store `blist`. Cloning it shares all nodes.
pub struct Blist<V: runtime::Value, C: runtime::Coord = u32> {
    root: nodes::BlistHead<V, C>,
}

impl<V: runtime::Value, C: runtime::Coord> Blist<V, C> {
    /// A store with the given root.
    pub fn new(root: nodes::BlistHead<V, C>) -> Self {
        Self { root }
    }

    /// The root.
    pub fn root(&self) -> runtime::NodeRef<'_, nodes::BlistHead<V, C>> {
        runtime::NodeRef::of(&self.root)
    }

    /// The root, for writing.
    pub fn root_mut(&mut self) -> runtime::NodeMut<'_, nodes::BlistHead<V, C>> {
        runtime::NodeMut::of(&mut self.root)
    }
}

impl<V: runtime::Value, C: runtime::Coord> Clone for Blist<V, C> {
    #[inline]
    fn clone(&self) -> Self {
        Self { root: self.root.clone() }
    }
}

impl<V: runtime::Value, C: runtime::Coord> Default for Blist<V, C> {
    #[inline]
    fn default() -> Self {
        Self { root: Default::default() }
    }
}

impl<V: runtime::Value + ::std::fmt::Debug, C: runtime::Coord> ::std::fmt::Debug
for Blist<V, C> {
    fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
        let mut map = f.debug_map();
        runtime::Fiber::fold_runs(
            runtime::Store::fiber(self),
            (),
            |(), run| {
                map.entries(run.iter());
            },
        );
        map.finish()
    }
}

/// A view of the fiber that a store holds.
pub struct Fiber<'a, V: runtime::Value, C: runtime::Coord = u32> {
    handle: runtime::NodeRef<'a, nodes::BlistHead<V, C>>,
}

impl<V: runtime::Value, C: runtime::Coord> Clone for Fiber<'_, V, C> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: runtime::Value, C: runtime::Coord> Copy for Fiber<'_, V, C> {}

impl<'a, V: runtime::Value, C: runtime::Coord> runtime::Fiber<'a> for Fiber<'a, V, C> {
    type Coord = C;
    type Value = V;
    type Runs = Runs<'a, V, C>;
    const ORDERED: bool = true;

    fn len(self) -> usize {
        runtime::Fiber::fold_storage(self, 0, |len, run| len + run.len())
    }

    #[inline(always)]
    fn runs(self) -> Runs<'a, V, C> {
        Runs {
            step: Step::Start(self.handle),
            current: runtime::Run::empty(),
        }
    }

    #[inline(always)]
    fn try_fold_runs<A, B, F>(
        self,
        mut folded: A,
        mut visit: F,
    ) -> ::std::ops::ControlFlow<B, A>
    where
        F: FnMut(A, runtime::Run<'_, 'a, C, V>) -> ::std::ops::ControlFlow<B, A>,
    {
        let handle = self.handle;
        let b = handle;
        // h
        if let Some(h) = nodes::BlistHead::h(b) {
            let mut n = h;
            'l2: loop {
                // {e}
                folded = visit(folded, nodes::Blist::e(n))?;
                // next
                if let Some(next_) = nodes::Blist::next(n) {
                    n = next_;
                    continue 'l2;
                }
                break;
            }
        }
        ::std::ops::ControlFlow::Continue(folded)
    }

    #[inline(always)]
    fn try_fold_storage<A, B, F>(
        self,
        mut folded: A,
        mut visit: F,
    ) -> ::std::ops::ControlFlow<B, A>
    where
        F: FnMut(A, runtime::Run<'_, 'a, C, V>) -> ::std::ops::ControlFlow<B, A>,
    {
        let handle = self.handle;
        let b = handle;
        // h
        if let Some(h) = nodes::BlistHead::h(b) {
            let mut n = h;
            'l2: loop {
                // {e}
                folded = visit(folded, nodes::Blist::e(n))?;
                // next
                if let Some(next_) = nodes::Blist::next(n) {
                    n = next_;
                    continue 'l2;
                }
                break;
            }
        }
        ::std::ops::ControlFlow::Continue(folded)
    }

    fn par_fold<A, I, F, G>(self, identity: &I, fold: &F, combine: &G) -> A
    where
        A: Send,
        I: Fn() -> A + Sync,
        F: Fn(A, runtime::Run<'_, 'a, C, V>) -> A + Sync,
        G: Fn(A, A) -> A + Sync,
    {
        if !runtime::is_large(self) {
            return runtime::Fiber::fold_runs(self, identity(), fold);
        }
        let handle = self.handle;
        par_blist_head(handle, runtime::FORK_DEPTH, identity, fold, combine)
    }

    #[inline]
    fn locate(self, coord: C) -> Option<&'a V> {
        let mut place = Place::BlistHead(self.handle);
        loop {
            match place {
                Place::BlistHead(n) => {
                    // h
                    match nodes::BlistHead::h(n) {
                        Some(child) => {
                            place = Place::Blist(child);
                            continue;
                        }
                        None => return None,
                    }
                }
                Place::Blist(n) => {
                    // {e}
                    match nodes::Blist::e(n).search(coord) {
                        runtime::Search::Found(value) => return Some(value),
                        runtime::Search::Before | runtime::Search::Missing => return None,
                        runtime::Search::After => {}
                    }
                    // next
                    match nodes::Blist::next(n) {
                        Some(child) => {
                            place = Place::Blist(child);
                            continue;
                        }
                        None => return None,
                    }
                }
            }
        }
    }
}

/// The resumable iterator over the runs, derived from `seq = {e}, next`.
pub struct Runs<'a, V: runtime::Value, C: runtime::Coord = u32> {
    step: Step<'a, V, C>,
    current: runtime::Run<'a, 'a, C, V>,
}

impl<'a, V: runtime::Value, C: runtime::Coord> runtime::Runs<'a> for Runs<'a, V, C> {
    type Coord = C;
    type Value = V;

    #[inline]
    fn advance(&mut self) -> bool {
        let mut step = self.step;
        'walk: loop {
            match step {
                Step::Start(b) => {
                    // h
                    if let Some(h) = nodes::BlistHead::h(b) {
                        step = Step::Again(h);
                        continue 'walk;
                    }
                    self.step = Step::End;
                    self.current = runtime::Run::empty();
                    return false;
                }
                Step::Again(n) => {
                    if !nodes::Blist::e(n).is_empty() {
                        // {e}
                        self.current = nodes::Blist::e(n);
                        self.step = Step::AfterE(n);
                        return true;
                    }
                    step = Step::AfterE(n);
                    continue 'walk;
                }
                Step::AfterE(n) => {
                    // next
                    if let Some(next_) = nodes::Blist::next(n) {
                        step = Step::Again(next_);
                        continue 'walk;
                    }
                    self.step = Step::End;
                    self.current = runtime::Run::empty();
                    return false;
                }
                Step::End => return false,
            }
        }
    }

    #[inline(always)]
    fn run(&self) -> runtime::Run<'_, 'a, C, V> {
        self.current
    }
}

/// Where the iterator goes on.
enum Step<'a, V: runtime::Value, C: runtime::Coord> {
    Start(runtime::NodeRef<'a, nodes::BlistHead<V, C>>),
    Again(runtime::NodeRef<'a, nodes::Blist<V, C>>),
    AfterE(runtime::NodeRef<'a, nodes::Blist<V, C>>),
    End,
}

impl<V: runtime::Value, C: runtime::Coord> Clone for Step<'_, V, C> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: runtime::Value, C: runtime::Coord> Copy for Step<'_, V, C> {}

/// A node in which a coordinate is looked for.
enum Place<'a, V: runtime::Value, C: runtime::Coord> {
    BlistHead(runtime::NodeRef<'a, nodes::BlistHead<V, C>>),
    Blist(runtime::NodeRef<'a, nodes::Blist<V, C>>),
}

/// Maps over a `blist` and everything below it in parallel.
fn par_blist<'a, V: runtime::Value, C: runtime::Coord, A: Send>(
    n: runtime::NodeRef<'a, nodes::Blist<V, C>>,
    _depth: u32,
    identity: &(impl Fn() -> A + Sync),
    fold: &(impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> A {
    let stretch = |
        mut folded: A,
        mut n: runtime::NodeRef<'a, nodes::Blist<V, C>>,
        nodes: usize|
    {
        for left in (0..nodes).rev() {
            folded = fold(folded, nodes::Blist::e(n));
            match nodes::Blist::next(n) {
                Some(next) if left > 0 => n = next,
                _ => break,
            }
        }
        folded
    };
    runtime::par_list(
        Some(n),
        |n| nodes::Blist::e(n).len(),
        |n| nodes::Blist::next(n),
        identity,
        &stretch,
        combine,
    )
}

/// Maps over a `blist_head` and everything below it in parallel.
fn par_blist_head<'a, V: runtime::Value, C: runtime::Coord, A: Send>(
    n: runtime::NodeRef<'a, nodes::BlistHead<V, C>>,
    depth: u32,
    identity: &(impl Fn() -> A + Sync),
    fold: &(impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> A {
    // h
    match nodes::BlistHead::h(n) {
        Some(child) => par_blist(child, depth - 1, identity, fold, combine),
        None => identity(),
    }
}

impl<V: runtime::Value, C: runtime::Coord> runtime::Store for Blist<V, C> {
    type Coord = C;
    type Value = V;
    type Fiber<'a> = Fiber<'a, V, C>;
    type Page = runtime::ArrayPage<Self>;
    const NAME: &'static str = "blist";
    const JOIN: Option<fn(Vec<Self>) -> Self> = <Self as runtime::Build<C, V>>::JOIN;

    #[inline]
    fn build_row(elements: runtime::Elements<'_, C, V>) -> Self {
        <Self as runtime::Build<C, V>>::build(elements)
    }

    #[inline(always)]
    fn fiber(&self) -> Fiber<'_, V, C> {
        Fiber {
            handle: runtime::NodeRef::of(&self.root),
        }
    }

    fn each_mut(&mut self, coords: &[C], visit: &(dyn Fn(usize, &mut V) + Sync)) {
        <Self as runtime::Build<C, V>>::each_mut(self, coords, visit);
    }

    fn update(
        &mut self,
        batch: runtime::RowBatch<'_, C, V>,
        change: runtime::Change<'_, V>,
    ) -> runtime::Counts {
        <Self as runtime::Build<C, V>>::update(self, batch, change)
    }

    fn audit_with(
        &self,
        value: &mut dyn FnMut(&V) -> Result<(), runtime::AuditError>,
    ) -> Result<(), runtime::AuditError> {
        runtime::audit(
            "blist_head",
            true,
            |report| nodes::BlistHead::describe(
                runtime::NodeRef::of(&self.root),
                report,
            ),
            value,
        )
    }

    fn footprint_with(
        &self,
        value: &mut dyn FnMut(&V) -> runtime::Footprint,
    ) -> runtime::Footprint {
        runtime::footprint(
            |report| nodes::BlistHead::describe(
                runtime::NodeRef::of(&self.root),
                report,
            ),
            value,
        )
    }
}

impl<V: runtime::Value, C: runtime::Coord, U: runtime::Value> runtime::MapValues<U>
for Blist<V, C> {
    type Output = Blist<U, C>;

    fn map_values<F: FnMut(C, &V) -> U>(&self, mut f: F) -> Blist<U, C> {
        let from = runtime::NodeRef::of(&self.root);
        let mut root = nodes::BlistHead::like(from, &mut Vec::new(), &mut f);
        let fields = nodes::BlistHead::fields(runtime::NodeMut::of(&mut root));
        if let Some(child) = nodes::BlistHead::h(from) {
            copy_structure(Copying::Blist(child, fields.h), &mut f);
        }
        Blist { root }
    }
}

/// A node to copy, and the link that the copy belongs in.
enum Copying<'a, V: runtime::Value, C: runtime::Coord, U: runtime::Value> {
    Blist(
        runtime::NodeRef<'a, nodes::Blist<V, C>>,
        *mut runtime::Link<nodes::Blist<U, C>>,
    ),
}

/// Copies a node and everything below it, with the values that `f` makes of the old ones.
fn copy_structure<V: runtime::Value, C: runtime::Coord, U: runtime::Value>(
    first: Copying<'_, V, C, U>,
    f: &mut impl FnMut(C, &V) -> U,
) {
    let mut work = vec![first];
    let mut scratch = Vec::new();
    while let Some(next) = work.pop() {
        match next {
            Copying::Blist(from, slot) => {
                let mut copy = nodes::Blist::like(from, &mut scratch, f);
                let fields = nodes::Blist::fields(copy.edit());
                if let Some(child) = nodes::Blist::next(from) {
                    work.push(Copying::Blist(child, fields.next));
                }
                // SAFETY: the slot is a link of a node that was copied before and that only the copy under
                // construction reaches
                unsafe { *slot = Some(copy.finish()) };
            }
        }
    }
}

/// The nodes of the store `blist`.
///
/// ```text
/// // A linked list of blocks, each packed and sorted.
/// store blist<B = 64> {
///   def blist {
///     e : elem[n] nonempty
///     n : size in [0, B]
///     next : blist
///     seq = {e}, next
///   }
///
///   def blist_head {
///     h : blist
///   }
/// }
/// ```
pub mod nodes {
    use super::runtime;

    /// A node `blist`.
    ///
    /// `seq = {e}, next`
    #[repr(C)]
    pub struct Blist<V: runtime::Value, C: runtime::Coord = u32> {
        node_count: runtime::Count,
        n: u8,
        next: runtime::Link<Blist<V, C>>,
        node_tail: runtime::Tail<C, V>,
    }

    /// The fields of a `blist`, for writing.
    pub struct BlistMut<'a, V: runtime::Value, C: runtime::Coord> {
        /// The values of `e`.
        pub e: &'a mut [V],
        /// The link `next`.
        pub next: &'a mut runtime::Link<Blist<V, C>>,
    }

    impl<V: runtime::Value, C: runtime::Coord> Blist<V, C> {
        /// The fields, for writing.
        #[inline(always)]
        pub fn fields<'a>(node: runtime::NodeMut<'a, Self>) -> BlistMut<'a, V, C> {
            let ptr = node.into_raw();
            let node = ptr.as_ptr();
            // SAFETY: the node is reached by nobody else during `'a`, and the fields and arrays handed out are
            // disjoint
            unsafe {
                let [_, e_values_at, _] = Self::offsets((*node).n as usize);
                BlistMut {
                    e: ::std::slice::from_raw_parts_mut(
                        runtime::tail_ptr::<_, V>(ptr, e_values_at),
                        (*node).n as usize,
                    ),
                    next: &mut (*node).next,
                }
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Blist<V, C> {
        /// Where the arrays start behind the node, in bytes, and where the last one ends.
        #[inline(always)]
        const fn offsets(n: usize) -> [usize; 3] {
            let e_coords_at = runtime::align_up::<C>(::std::mem::size_of::<Self>());
            let e_values_at = runtime::align_up::<
                V,
            >(e_coords_at + n * ::std::mem::size_of::<C>());
            [e_coords_at, e_values_at, e_values_at + n * ::std::mem::size_of::<V>()]
        }

        /// A new `blist` that holds the given elements; its links are empty.
        ///
        /// # Panics
        ///
        /// If a length is not one that the schema allows.
        #[inline]
        pub fn reserve(e: runtime::Elements<'_, C, V>) -> runtime::Reserved<Self> {
            let n = e.len();
            assert!(n <= super::B, "a node's `n` must lie in [0, 3]");
            runtime::assert_fits(
                &[(n, ::std::mem::size_of::<C>()), (n, ::std::mem::size_of::<V>())],
            );
            let [e_coords_at, e_values_at, end] = Self::offsets(n);
            let memory = runtime::pool::allocate(runtime::tail_layout::<Self>(end))
                .cast::<Self>();
            // SAFETY: the memory is fresh and large enough; every field and every array is written before the
            // node is handed out
            unsafe {
                memory
                    .write(Blist {
                        node_count: runtime::Count::one(),
                        n: n as u8,
                        next: None,
                        node_tail: runtime::Tail::new(),
                    });
                e.write_to(
                    runtime::tail_ptr::<_, C>(memory, e_coords_at),
                    runtime::tail_ptr::<_, V>(memory, e_values_at),
                );
                runtime::Reserved::from_raw(memory)
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Blist<V, C> {
        /// The elements of `e`.
        #[inline(always)]
        pub fn e<'a>(node: runtime::NodeRef<'a, Self>) -> runtime::Run<'a, 'a, C, V> {
            let fields = node.get();
            let [e_coords_at, e_values_at, _] = Self::offsets(fields.n as usize);
            let slots = fields.n as usize;
            // SAFETY: the node has this array, initialised when the node was made
            unsafe {
                runtime::Run::new(
                    runtime::tail_slice(node, e_coords_at, slots),
                    runtime::tail_slice(node, e_values_at, slots),
                )
            }
        }

        /// The child `next`.
        #[inline(always)]
        pub fn next<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> Option<runtime::NodeRef<'a, Blist<V, C>>> {
            runtime::follow(&node.get().next)
        }

        /// The link `next`: a clone of it shares the child.
        #[inline(always)]
        pub fn next_link<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> &'a runtime::Link<Blist<V, C>> {
            &node.get().next
        }

        /// The size `n`.
        #[inline(always)]
        pub fn n(node: runtime::NodeRef<'_, Self>) -> usize {
            node.get().n as usize
        }
    }

    // SAFETY: `reserve` makes every node with this layout and initialises all of it
    unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Node for Blist<V, C> {
        type Coord = C;
        type Value = V;

        fn layout(node: runtime::NodeRef<'_, Self>) -> ::std::alloc::Layout {
            let node = node.get();
            let [_, _, end] = Self::offsets(node.n as usize);
            runtime::tail_layout::<Self>(end)
        }

        fn copy(node: runtime::NodeRef<'_, Self>) -> runtime::Reserved<Self> {
            let mut copy = Self::like(
                node,
                &mut Vec::new(),
                &mut |_, value: &V| value.clone(),
            );
            let fields = Self::fields(copy.edit());
            *fields.next = node.get().next.clone();
            copy
        }

        unsafe fn destroy(
            node: ::std::ptr::NonNull<Self>,
            dead: &mut runtime::Graveyard,
        ) {
            let ptr = node.as_ptr();
            // SAFETY: nobody else reaches the node; its links are taken, its values dropped once, its memory
            // freed last
            unsafe {
                let layout = <Self as runtime::Node>::layout(
                    runtime::NodeRef::from_raw(node),
                );
                let [_, e_values_at, _] = Self::offsets((*ptr).n as usize);
                dead.bury((*ptr).next.take());
                if ::std::mem::needs_drop::<V>() {
                    ::std::ptr::drop_in_place(
                        ::std::ptr::slice_from_raw_parts_mut(
                            runtime::tail_ptr::<_, V>(node, e_values_at),
                            (*ptr).n as usize,
                        ),
                    );
                }
                runtime::pool::deallocate(node.cast(), layout);
            }
        }

        fn inspect<'a>(
            node: runtime::NodeRef<'a, Self>,
            report: &mut runtime::Inspection<'a, C, V>,
        ) {
            report.allocation(<Self as runtime::Node>::layout(node));
            report
                .check(
                    "n",
                    (0..=super::B).contains(&Self::n(node)),
                    || format!("is {}, but must lie in [0, 3]", Self::n(node)),
                );
            let run = Self::e(node);
            report.elements("e", None, run.coords(), run.values(), true);
            report.child("next", None, &node.get().next, false);
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Blist<V, C> {
        /// A node of the same shape whose values are what `f` makes of this one's; its links are empty.
        pub(super) fn like<U: runtime::Value>(
            node: runtime::NodeRef<'_, Self>,
            scratch: &mut Vec<U>,
            f: &mut impl FnMut(C, &V) -> U,
        ) -> runtime::Reserved<Blist<U, C>> {
            let run = Self::e(node);
            let e_coords = run.coords();
            scratch.extend(run.iter().map(|(coord, value)| f(coord, value)));
            Blist::<U, C>::reserve(runtime::Elements::drain(e_coords, scratch))
        }
    }

    // SAFETY: both return the one field of this type
    unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Linked for Blist<V, C> {
        #[inline(always)]
        fn next(node: runtime::NodeRef<'_, Self>) -> &runtime::Link<Self> {
            &node.get().next
        }

        #[inline(always)]
        fn next_mut(node: runtime::NodeMut<'_, Self>) -> &mut runtime::Link<Self> {
            Self::fields(node).next
        }
    }

    /// A node `blist_head`.
    #[repr(C)]
    pub struct BlistHead<V: runtime::Value, C: runtime::Coord = u32> {
        h: runtime::Link<Blist<V, C>>,
        node_tail: runtime::Tail<C, V>,
    }

    /// The fields of a `blist_head`, for writing.
    pub struct BlistHeadMut<'a, V: runtime::Value, C: runtime::Coord> {
        /// The link `h`.
        pub h: &'a mut runtime::Link<Blist<V, C>>,
    }

    impl<V: runtime::Value, C: runtime::Coord> BlistHead<V, C> {
        /// The fields, for writing.
        #[inline(always)]
        pub fn fields<'a>(node: runtime::NodeMut<'a, Self>) -> BlistHeadMut<'a, V, C> {
            let node = node.into_raw().as_ptr();
            // SAFETY: the node is reached by nobody else during `'a`, and the fields and arrays handed out are
            // disjoint
            unsafe { BlistHeadMut { h: &mut (*node).h } }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> BlistHead<V, C> {
        /// A handle whose links are empty.
        pub fn new() -> Self {
            BlistHead {
                h: None,
                node_tail: runtime::Tail::new(),
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> BlistHead<V, C> {
        /// The child `h`.
        #[inline(always)]
        pub fn h<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> Option<runtime::NodeRef<'a, Blist<V, C>>> {
            runtime::follow(&node.get().h)
        }

        /// The link `h`: a clone of it shares the child.
        #[inline(always)]
        pub fn h_link<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> &'a runtime::Link<Blist<V, C>> {
            &node.get().h
        }
    }

    // SAFETY: the type has no arrays behind its fields
    unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Flat for BlistHead<V, C> {}

    impl<V: runtime::Value, C: runtime::Coord> Default for BlistHead<V, C> {
        fn default() -> Self {
            Self::new()
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> BlistHead<V, C> {
        /// Reports the fields.
        pub(super) fn describe<'a>(
            node: runtime::NodeRef<'a, Self>,
            report: &mut runtime::Inspection<'a, C, V>,
        ) {
            report.child("h", None, &node.get().h, false);
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Clone for BlistHead<V, C> {
        fn clone(&self) -> Self {
            let mut copy = Self::new();
            copy.h = self.h.clone();
            copy
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> BlistHead<V, C> {
        /// A node of the same shape whose values are what `f` makes of this one's; its links are empty.
        pub(super) fn like<U: runtime::Value>(
            _node: runtime::NodeRef<'_, Self>,
            _scratch: &mut Vec<U>,
            _f: &mut impl FnMut(C, &V) -> U,
        ) -> BlistHead<U, C> {
            BlistHead::<U, C>::new()
        }
    }

    #[cfg(target_pointer_width = "64")]
    const _: () = {
        assert!(
            ::std::mem::size_of:: < Blist < f64, u32 >> () == 16 &&
            ::std::mem::align_of:: < Blist < f64, u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(Blist < f64, u32 >, node_count) == 0);
        assert!(::std::mem::offset_of!(Blist < f64, u32 >, n) == 4);
        assert!(::std::mem::offset_of!(Blist < f64, u32 >, next) == 8);
        let offsets = Blist::<f64, u32>::offsets(3);
        assert!(offsets[0] == 16);
        assert!(offsets[1] == 32);
        assert!(offsets[2] == 56);
        assert!(
            ::std::mem::size_of:: < BlistHead < f64, u32 >> () == 8 &&
            ::std::mem::align_of:: < BlistHead < f64, u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(BlistHead < f64, u32 >, h) == 0);
        assert!(
            ::std::mem::size_of:: < Blist < (), u32 >> () == 16 && ::std::mem::align_of::
            < Blist < (), u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(Blist < (), u32 >, node_count) == 0);
        assert!(::std::mem::offset_of!(Blist < (), u32 >, n) == 4);
        assert!(::std::mem::offset_of!(Blist < (), u32 >, next) == 8);
        let offsets = Blist::<(), u32>::offsets(3);
        assert!(offsets[0] == 16);
        assert!(offsets[1] == 28);
        assert!(offsets[2] == 28);
        assert!(
            ::std::mem::size_of:: < BlistHead < (), u32 >> () == 8 &&
            ::std::mem::align_of:: < BlistHead < (), u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(BlistHead < (), u32 >, h) == 0);
        assert!(
            ::std::mem::size_of:: < Blist < f32, u64 >> () == 16 &&
            ::std::mem::align_of:: < Blist < f32, u64 >> () == 8
        );
        assert!(::std::mem::offset_of!(Blist < f32, u64 >, node_count) == 0);
        assert!(::std::mem::offset_of!(Blist < f32, u64 >, n) == 4);
        assert!(::std::mem::offset_of!(Blist < f32, u64 >, next) == 8);
        let offsets = Blist::<f32, u64>::offsets(3);
        assert!(offsets[0] == 16);
        assert!(offsets[1] == 40);
        assert!(offsets[2] == 52);
        assert!(
            ::std::mem::size_of:: < BlistHead < f32, u64 >> () == 8 &&
            ::std::mem::align_of:: < BlistHead < f32, u64 >> () == 8
        );
        assert!(::std::mem::offset_of!(BlistHead < f32, u64 >, h) == 0);
    };
}
