use ::pleach_runtime as runtime;

/// The store `vblist`.
///
/// The handle of a store `vblist`. Cloning it shares all nodes.
pub struct Vblist<V: runtime::Value, C: runtime::Coord = u32> {
    root: nodes::VblistHead<V, C>,
}

impl<V: runtime::Value, C: runtime::Coord> Vblist<V, C> {
    /// A store with the given root.
    pub fn new(root: nodes::VblistHead<V, C>) -> Self {
        Self { root }
    }

    /// The root.
    pub fn root(&self) -> runtime::NodeRef<'_, nodes::VblistHead<V, C>> {
        runtime::NodeRef::of(&self.root)
    }

    /// The root, for writing.
    pub fn root_mut(&mut self) -> runtime::NodeMut<'_, nodes::VblistHead<V, C>> {
        runtime::NodeMut::of(&mut self.root)
    }
}

impl<V: runtime::Value, C: runtime::Coord> Clone for Vblist<V, C> {
    #[inline]
    fn clone(&self) -> Self {
        Self { root: self.root.clone() }
    }
}

impl<V: runtime::Value, C: runtime::Coord> Default for Vblist<V, C> {
    #[inline]
    fn default() -> Self {
        Self { root: Default::default() }
    }
}

impl<V: runtime::Value + ::std::fmt::Debug, C: runtime::Coord> ::std::fmt::Debug
for Vblist<V, C> {
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
    handle: runtime::NodeRef<'a, nodes::VblistHead<V, C>>,
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
        let v = handle;
        // h
        if let Some(h) = nodes::VblistHead::h(v) {
            let mut n = h;
            'l2: loop {
                // {e}
                folded = visit(folded, nodes::Vblist::e(n))?;
                // n
                if let Some(n2) = nodes::Vblist::n(n) {
                    n = n2;
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
        let v = handle;
        // h
        if let Some(h) = nodes::VblistHead::h(v) {
            let mut n = h;
            'l2: loop {
                // {e}
                folded = visit(folded, nodes::Vblist::e(n))?;
                // n
                if let Some(n2) = nodes::Vblist::n(n) {
                    n = n2;
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
        par_vblist_head(handle, runtime::FORK_DEPTH, identity, fold, combine)
    }

    #[inline]
    fn locate(self, coord: C) -> Option<&'a V> {
        let mut place = Place::VblistHead(self.handle);
        loop {
            match place {
                Place::VblistHead(n) => {
                    // h
                    match nodes::VblistHead::h(n) {
                        Some(child) => {
                            place = Place::Vblist(child);
                            continue;
                        }
                        None => return None,
                    }
                }
                Place::Vblist(n) => {
                    // {e}
                    match nodes::Vblist::e(n).search(coord) {
                        runtime::Search::Found(value) => return Some(value),
                        runtime::Search::Before | runtime::Search::Missing => return None,
                        runtime::Search::After => {}
                    }
                    // n
                    match nodes::Vblist::n(n) {
                        Some(child) => {
                            place = Place::Vblist(child);
                            continue;
                        }
                        None => return None,
                    }
                }
            }
        }
    }
}

/// The resumable iterator over the runs, derived from `seq = {e}, n`.
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
                Step::Start(v) => {
                    // h
                    if let Some(h) = nodes::VblistHead::h(v) {
                        step = Step::Again(h);
                        continue 'walk;
                    }
                    self.step = Step::End;
                    self.current = runtime::Run::empty();
                    return false;
                }
                Step::Again(n) => {
                    if !nodes::Vblist::e(n).is_empty() {
                        // {e}
                        self.current = nodes::Vblist::e(n);
                        self.step = Step::AfterE(n);
                        return true;
                    }
                    step = Step::AfterE(n);
                    continue 'walk;
                }
                Step::AfterE(n) => {
                    // n
                    if let Some(n2) = nodes::Vblist::n(n) {
                        step = Step::Again(n2);
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
    Start(runtime::NodeRef<'a, nodes::VblistHead<V, C>>),
    Again(runtime::NodeRef<'a, nodes::Vblist<V, C>>),
    AfterE(runtime::NodeRef<'a, nodes::Vblist<V, C>>),
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
    VblistHead(runtime::NodeRef<'a, nodes::VblistHead<V, C>>),
    Vblist(runtime::NodeRef<'a, nodes::Vblist<V, C>>),
}

/// Maps over a `vblist` and everything below it in parallel.
fn par_vblist<'a, V: runtime::Value, C: runtime::Coord, A: Send>(
    n: runtime::NodeRef<'a, nodes::Vblist<V, C>>,
    _depth: u32,
    identity: &(impl Fn() -> A + Sync),
    fold: &(impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> A {
    let stretch = |
        mut folded: A,
        mut n: runtime::NodeRef<'a, nodes::Vblist<V, C>>,
        nodes: usize|
    {
        for left in (0..nodes).rev() {
            folded = fold(folded, nodes::Vblist::e(n));
            match nodes::Vblist::n(n) {
                Some(next) if left > 0 => n = next,
                _ => break,
            }
        }
        folded
    };
    runtime::par_list(
        Some(n),
        |n| nodes::Vblist::e(n).len(),
        |n| nodes::Vblist::n(n),
        identity,
        &stretch,
        combine,
    )
}

/// Maps over a `vblist_head` and everything below it in parallel.
fn par_vblist_head<'a, V: runtime::Value, C: runtime::Coord, A: Send>(
    n: runtime::NodeRef<'a, nodes::VblistHead<V, C>>,
    depth: u32,
    identity: &(impl Fn() -> A + Sync),
    fold: &(impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> A {
    // h
    match nodes::VblistHead::h(n) {
        Some(child) => par_vblist(child, depth - 1, identity, fold, combine),
        None => identity(),
    }
}

impl<V: runtime::Value, C: runtime::Coord> runtime::Store for Vblist<V, C> {
    type Coord = C;
    type Value = V;
    type Fiber<'a> = Fiber<'a, V, C>;
    type Page = runtime::ArrayPage<Self>;
    const NAME: &'static str = "vblist";
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
            "vblist_head",
            true,
            |report| nodes::VblistHead::describe(
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
            |report| nodes::VblistHead::describe(
                runtime::NodeRef::of(&self.root),
                report,
            ),
            value,
        )
    }
}

impl<V: runtime::Value, C: runtime::Coord, U: runtime::Value> runtime::MapValues<U>
for Vblist<V, C> {
    type Output = Vblist<U, C>;

    fn map_values<F: FnMut(C, &V) -> U>(&self, mut f: F) -> Vblist<U, C> {
        let from = runtime::NodeRef::of(&self.root);
        let mut root = nodes::VblistHead::like(from, &mut Vec::new(), &mut f);
        let fields = nodes::VblistHead::fields(runtime::NodeMut::of(&mut root));
        if let Some(child) = nodes::VblistHead::h(from) {
            copy_structure(Copying::Vblist(child, fields.h), &mut f);
        }
        Vblist { root }
    }
}

/// A node to copy, and the link that the copy belongs in.
enum Copying<'a, V: runtime::Value, C: runtime::Coord, U: runtime::Value> {
    Vblist(
        runtime::NodeRef<'a, nodes::Vblist<V, C>>,
        *mut runtime::Link<nodes::Vblist<U, C>>,
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
            Copying::Vblist(from, slot) => {
                let mut copy = nodes::Vblist::like(from, &mut scratch, f);
                let fields = nodes::Vblist::fields(copy.edit());
                if let Some(child) = nodes::Vblist::n(from) {
                    work.push(Copying::Vblist(child, fields.n));
                }
                // SAFETY: the slot is a link of a node that was copied before and that only the copy under
                // construction reaches
                unsafe { *slot = Some(copy.finish()) };
            }
        }
    }
}

/// The nodes of the store `vblist`.
///
/// ```text
/// // A linked list of blocks, each as long as the batch that was appended.
/// def vblist {
///   e : elem[B] nonempty
///   n : vblist
///   B : size
///   seq = {e}, n
/// }
///
/// def vblist_head {
///   h : vblist
/// }
/// ```
pub mod nodes {
    use super::runtime;

    /// A linked list of blocks, each as long as the batch that was appended.
    ///
    /// `seq = {e}, n`
    #[repr(C)]
    pub struct Vblist<V: runtime::Value, C: runtime::Coord = u32> {
        node_count: runtime::Count,
        b: u32,
        n: runtime::Link<Vblist<V, C>>,
        node_tail: runtime::Tail<C, V>,
    }

    /// The fields of a `vblist`, for writing.
    pub struct VblistMut<'a, V: runtime::Value, C: runtime::Coord> {
        /// The values of `e`.
        pub e: &'a mut [V],
        /// The link `n`.
        pub n: &'a mut runtime::Link<Vblist<V, C>>,
    }

    impl<V: runtime::Value, C: runtime::Coord> Vblist<V, C> {
        /// The fields, for writing.
        #[inline(always)]
        pub fn fields<'a>(node: runtime::NodeMut<'a, Self>) -> VblistMut<'a, V, C> {
            let ptr = node.into_raw();
            let node = ptr.as_ptr();
            // SAFETY: the node is reached by nobody else during `'a`, and the fields and arrays handed out are
            // disjoint
            unsafe {
                let [_, e_values_at, _] = Self::offsets((*node).b as usize);
                VblistMut {
                    e: ::std::slice::from_raw_parts_mut(
                        runtime::tail_ptr::<_, V>(ptr, e_values_at),
                        (*node).b as usize,
                    ),
                    n: &mut (*node).n,
                }
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Vblist<V, C> {
        /// Where the arrays start behind the node, in bytes, and where the last one ends.
        #[inline(always)]
        const fn offsets(b: usize) -> [usize; 3] {
            let e_coords_at = runtime::align_up::<C>(::std::mem::size_of::<Self>());
            let e_values_at = runtime::align_up::<
                V,
            >(e_coords_at + b * ::std::mem::size_of::<C>());
            [e_coords_at, e_values_at, e_values_at + b * ::std::mem::size_of::<V>()]
        }

        /// A new `vblist` that holds the given elements; its links are empty.
        ///
        /// # Panics
        ///
        /// If a length is not one that the schema allows.
        #[inline]
        pub fn reserve(e: runtime::Elements<'_, C, V>) -> runtime::Reserved<Self> {
            let b = e.len();
            assert!(b <= u32::MAX as usize, "a node's `b` must fit into 32 bits");
            runtime::assert_fits(
                &[(b, ::std::mem::size_of::<C>()), (b, ::std::mem::size_of::<V>())],
            );
            let [e_coords_at, e_values_at, end] = Self::offsets(b);
            let memory = runtime::pool::allocate(runtime::tail_layout::<Self>(end))
                .cast::<Self>();
            // SAFETY: the memory is fresh and large enough; every field and every array is written before the
            // node is handed out
            unsafe {
                memory
                    .write(Vblist {
                        node_count: runtime::Count::one(),
                        b: b as u32,
                        n: None,
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

    impl<V: runtime::Value, C: runtime::Coord> Vblist<V, C> {
        /// The elements of `e`.
        #[inline(always)]
        pub fn e<'a>(node: runtime::NodeRef<'a, Self>) -> runtime::Run<'a, 'a, C, V> {
            let fields = node.get();
            let [e_coords_at, e_values_at, _] = Self::offsets(fields.b as usize);
            let slots = fields.b as usize;
            // SAFETY: the node has this array, initialised when the node was made
            unsafe {
                runtime::Run::new(
                    runtime::tail_slice(node, e_coords_at, slots),
                    runtime::tail_slice(node, e_values_at, slots),
                )
            }
        }

        /// The child `n`.
        #[inline(always)]
        pub fn n<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> Option<runtime::NodeRef<'a, Vblist<V, C>>> {
            runtime::follow(&node.get().n)
        }

        /// The link `n`: a clone of it shares the child.
        #[inline(always)]
        pub fn n_link<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> &'a runtime::Link<Vblist<V, C>> {
            &node.get().n
        }

        /// The size `b`.
        #[inline(always)]
        pub fn b(node: runtime::NodeRef<'_, Self>) -> usize {
            node.get().b as usize
        }
    }

    // SAFETY: `reserve` makes every node with this layout and initialises all of it
    unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Node for Vblist<V, C> {
        type Coord = C;
        type Value = V;

        fn layout(node: runtime::NodeRef<'_, Self>) -> ::std::alloc::Layout {
            let node = node.get();
            let [_, _, end] = Self::offsets(node.b as usize);
            runtime::tail_layout::<Self>(end)
        }

        fn copy(node: runtime::NodeRef<'_, Self>) -> runtime::Reserved<Self> {
            let mut copy = Self::like(
                node,
                &mut Vec::new(),
                &mut |_, value: &V| value.clone(),
            );
            let fields = Self::fields(copy.edit());
            *fields.n = node.get().n.clone();
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
                let [_, e_values_at, _] = Self::offsets((*ptr).b as usize);
                dead.bury((*ptr).n.take());
                if ::std::mem::needs_drop::<V>() {
                    ::std::ptr::drop_in_place(
                        ::std::ptr::slice_from_raw_parts_mut(
                            runtime::tail_ptr::<_, V>(node, e_values_at),
                            (*ptr).b as usize,
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
            let run = Self::e(node);
            report.elements("e", None, run.coords(), run.values(), true);
            report.child("n", None, &node.get().n, false);
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Vblist<V, C> {
        /// A node of the same shape whose values are what `f` makes of this one's; its links are empty.
        pub(super) fn like<U: runtime::Value>(
            node: runtime::NodeRef<'_, Self>,
            scratch: &mut Vec<U>,
            f: &mut impl FnMut(C, &V) -> U,
        ) -> runtime::Reserved<Vblist<U, C>> {
            let run = Self::e(node);
            let e_coords = run.coords();
            scratch.extend(run.iter().map(|(coord, value)| f(coord, value)));
            Vblist::<U, C>::reserve(runtime::Elements::drain(e_coords, scratch))
        }
    }

    // SAFETY: both return the one field of this type
    unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Linked for Vblist<V, C> {
        #[inline(always)]
        fn next(node: runtime::NodeRef<'_, Self>) -> &runtime::Link<Self> {
            &node.get().n
        }

        #[inline(always)]
        fn next_mut(node: runtime::NodeMut<'_, Self>) -> &mut runtime::Link<Self> {
            Self::fields(node).n
        }
    }

    /// A node `vblist_head`.
    #[repr(C)]
    pub struct VblistHead<V: runtime::Value, C: runtime::Coord = u32> {
        h: runtime::Link<Vblist<V, C>>,
        node_tail: runtime::Tail<C, V>,
    }

    /// The fields of a `vblist_head`, for writing.
    pub struct VblistHeadMut<'a, V: runtime::Value, C: runtime::Coord> {
        /// The link `h`.
        pub h: &'a mut runtime::Link<Vblist<V, C>>,
    }

    impl<V: runtime::Value, C: runtime::Coord> VblistHead<V, C> {
        /// The fields, for writing.
        #[inline(always)]
        pub fn fields<'a>(node: runtime::NodeMut<'a, Self>) -> VblistHeadMut<'a, V, C> {
            let node = node.into_raw().as_ptr();
            // SAFETY: the node is reached by nobody else during `'a`, and the fields and arrays handed out are
            // disjoint
            unsafe { VblistHeadMut { h: &mut (*node).h } }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> VblistHead<V, C> {
        /// A handle whose links are empty.
        pub fn new() -> Self {
            VblistHead {
                h: None,
                node_tail: runtime::Tail::new(),
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> VblistHead<V, C> {
        /// The child `h`.
        #[inline(always)]
        pub fn h<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> Option<runtime::NodeRef<'a, Vblist<V, C>>> {
            runtime::follow(&node.get().h)
        }

        /// The link `h`: a clone of it shares the child.
        #[inline(always)]
        pub fn h_link<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> &'a runtime::Link<Vblist<V, C>> {
            &node.get().h
        }
    }

    // SAFETY: the type has no arrays behind its fields
    unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Flat
    for VblistHead<V, C> {}
    impl<V: runtime::Value, C: runtime::Coord> Default for VblistHead<V, C> {
        fn default() -> Self {
            Self::new()
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> VblistHead<V, C> {
        /// Reports the fields.
        pub(super) fn describe<'a>(
            node: runtime::NodeRef<'a, Self>,
            report: &mut runtime::Inspection<'a, C, V>,
        ) {
            report.child("h", None, &node.get().h, false);
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Clone for VblistHead<V, C> {
        fn clone(&self) -> Self {
            let mut copy = Self::new();
            copy.h = self.h.clone();
            copy
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> VblistHead<V, C> {
        /// A node of the same shape whose values are what `f` makes of this one's; its links are empty.
        pub(super) fn like<U: runtime::Value>(
            _node: runtime::NodeRef<'_, Self>,
            _scratch: &mut Vec<U>,
            _f: &mut impl FnMut(C, &V) -> U,
        ) -> VblistHead<U, C> {
            VblistHead::<U, C>::new()
        }
    }

    #[cfg(target_pointer_width = "64")]
    const _: () = {
        assert!(
            ::std::mem::size_of:: < Vblist < f64, u32 >> () == 16 &&
            ::std::mem::align_of:: < Vblist < f64, u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(Vblist < f64, u32 >, node_count) == 0);
        assert!(::std::mem::offset_of!(Vblist < f64, u32 >, b) == 4);
        assert!(::std::mem::offset_of!(Vblist < f64, u32 >, n) == 8);
        let offsets = Vblist::<f64, u32>::offsets(3);
        assert!(offsets[0] == 16);
        assert!(offsets[1] == 32);
        assert!(offsets[2] == 56);
        assert!(
            ::std::mem::size_of:: < VblistHead < f64, u32 >> () == 8 &&
            ::std::mem::align_of:: < VblistHead < f64, u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(VblistHead < f64, u32 >, h) == 0);
        assert!(
            ::std::mem::size_of:: < Vblist < (), u32 >> () == 16 &&
            ::std::mem::align_of:: < Vblist < (), u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(Vblist < (), u32 >, node_count) == 0);
        assert!(::std::mem::offset_of!(Vblist < (), u32 >, b) == 4);
        assert!(::std::mem::offset_of!(Vblist < (), u32 >, n) == 8);
        let offsets = Vblist::<(), u32>::offsets(3);
        assert!(offsets[0] == 16);
        assert!(offsets[1] == 28);
        assert!(offsets[2] == 28);
        assert!(
            ::std::mem::size_of:: < VblistHead < (), u32 >> () == 8 &&
            ::std::mem::align_of:: < VblistHead < (), u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(VblistHead < (), u32 >, h) == 0);
        assert!(
            ::std::mem::size_of:: < Vblist < f32, u64 >> () == 16 &&
            ::std::mem::align_of:: < Vblist < f32, u64 >> () == 8
        );
        assert!(::std::mem::offset_of!(Vblist < f32, u64 >, node_count) == 0);
        assert!(::std::mem::offset_of!(Vblist < f32, u64 >, b) == 4);
        assert!(::std::mem::offset_of!(Vblist < f32, u64 >, n) == 8);
        let offsets = Vblist::<f32, u64>::offsets(3);
        assert!(offsets[0] == 16);
        assert!(offsets[1] == 40);
        assert!(offsets[2] == 52);
        assert!(
            ::std::mem::size_of:: < VblistHead < f32, u64 >> () == 8 &&
            ::std::mem::align_of:: < VblistHead < f32, u64 >> () == 8
        );
        assert!(::std::mem::offset_of!(VblistHead < f32, u64 >, h) == 0);
    };
}
