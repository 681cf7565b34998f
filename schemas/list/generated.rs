use ::pleach_runtime as runtime;

/// The store `list`.
///
/// The handle of a store `list`. Cloning it shares all nodes.
pub struct List<V: runtime::Value, C: runtime::Coord = u32> {
    root: nodes::ListHead<V, C>,
}

impl<V: runtime::Value, C: runtime::Coord> List<V, C> {
    /// A store with the given root.
    pub fn new(root: nodes::ListHead<V, C>) -> Self {
        Self { root }
    }

    /// The root.
    pub fn root(&self) -> runtime::NodeRef<'_, nodes::ListHead<V, C>> {
        runtime::NodeRef::of(&self.root)
    }

    /// The root, for writing.
    pub fn root_mut(&mut self) -> runtime::NodeMut<'_, nodes::ListHead<V, C>> {
        runtime::NodeMut::of(&mut self.root)
    }
}

impl<V: runtime::Value, C: runtime::Coord> Clone for List<V, C> {
    #[inline]
    fn clone(&self) -> Self {
        Self { root: self.root.clone() }
    }
}

impl<V: runtime::Value, C: runtime::Coord> Default for List<V, C> {
    #[inline]
    fn default() -> Self {
        Self { root: Default::default() }
    }
}

impl<V: runtime::Value + ::std::fmt::Debug, C: runtime::Coord> ::std::fmt::Debug
for List<V, C> {
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
    handle: runtime::NodeRef<'a, nodes::ListHead<V, C>>,
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
        let l = handle;
        // h
        if let Some(h) = nodes::ListHead::h(l) {
            let mut n = h;
            'l2: loop {
                // e
                folded = visit(folded, nodes::List::e(n))?;
                // n
                if let Some(n2) = nodes::List::n(n) {
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
        let l = handle;
        // h
        if let Some(h) = nodes::ListHead::h(l) {
            let mut n = h;
            'l2: loop {
                // e
                folded = visit(folded, nodes::List::e(n))?;
                // n
                if let Some(n2) = nodes::List::n(n) {
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
        par_list_head(handle, runtime::FORK_DEPTH, identity, fold, combine)
    }

    #[inline]
    fn locate(self, coord: C) -> Option<&'a V> {
        let mut place = Place::ListHead(self.handle);
        loop {
            match place {
                Place::ListHead(n) => {
                    // h
                    match nodes::ListHead::h(n) {
                        Some(child) => {
                            place = Place::List(child);
                            continue;
                        }
                        None => return None,
                    }
                }
                Place::List(n) => {
                    // e
                    match nodes::List::e(n).search(coord) {
                        runtime::Search::Found(value) => return Some(value),
                        runtime::Search::Before | runtime::Search::Missing => return None,
                        runtime::Search::After => {}
                    }
                    // n
                    match nodes::List::n(n) {
                        Some(child) => {
                            place = Place::List(child);
                            continue;
                        }
                        None => return None,
                    }
                }
            }
        }
    }
}

/// The resumable iterator over the runs, derived from `seq = e, n`.
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
                Step::Start(l) => {
                    // h
                    if let Some(h) = nodes::ListHead::h(l) {
                        step = Step::Again(h);
                        continue 'walk;
                    }
                    self.step = Step::End;
                    self.current = runtime::Run::empty();
                    return false;
                }
                Step::Again(n) => {
                    // e
                    self.current = nodes::List::e(n);
                    self.step = Step::AfterE(n);
                    return true;
                }
                Step::AfterE(n) => {
                    // n
                    if let Some(n2) = nodes::List::n(n) {
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
    Start(runtime::NodeRef<'a, nodes::ListHead<V, C>>),
    Again(runtime::NodeRef<'a, nodes::List<V, C>>),
    AfterE(runtime::NodeRef<'a, nodes::List<V, C>>),
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
    ListHead(runtime::NodeRef<'a, nodes::ListHead<V, C>>),
    List(runtime::NodeRef<'a, nodes::List<V, C>>),
}

/// Maps over a `list` and everything below it in parallel.
fn par_list<'a, V: runtime::Value, C: runtime::Coord, A: Send>(
    n: runtime::NodeRef<'a, nodes::List<V, C>>,
    _depth: u32,
    identity: &(impl Fn() -> A + Sync),
    fold: &(impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> A {
    let stretch = |
        mut folded: A,
        mut n: runtime::NodeRef<'a, nodes::List<V, C>>,
        nodes: usize|
    {
        for left in (0..nodes).rev() {
            folded = fold(folded, nodes::List::e(n));
            match nodes::List::n(n) {
                Some(next) if left > 0 => n = next,
                _ => break,
            }
        }
        folded
    };
    runtime::par_list(
        Some(n),
        |n| nodes::List::e(n).len(),
        |n| nodes::List::n(n),
        identity,
        &stretch,
        combine,
    )
}

/// Maps over a `list_head` and everything below it in parallel.
fn par_list_head<'a, V: runtime::Value, C: runtime::Coord, A: Send>(
    n: runtime::NodeRef<'a, nodes::ListHead<V, C>>,
    depth: u32,
    identity: &(impl Fn() -> A + Sync),
    fold: &(impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> A {
    // h
    match nodes::ListHead::h(n) {
        Some(child) => par_list(child, depth - 1, identity, fold, combine),
        None => identity(),
    }
}

impl<V: runtime::Value, C: runtime::Coord> runtime::Store for List<V, C> {
    type Coord = C;
    type Value = V;
    type Fiber<'a> = Fiber<'a, V, C>;
    type Page = runtime::ArrayPage<Self>;
    const NAME: &'static str = "list";
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
            "list_head",
            true,
            |report| nodes::ListHead::describe(runtime::NodeRef::of(&self.root), report),
            value,
        )
    }

    fn footprint_with(
        &self,
        value: &mut dyn FnMut(&V) -> runtime::Footprint,
    ) -> runtime::Footprint {
        runtime::footprint(
            |report| nodes::ListHead::describe(runtime::NodeRef::of(&self.root), report),
            value,
        )
    }
}

impl<V: runtime::Value, C: runtime::Coord, U: runtime::Value> runtime::MapValues<U>
for List<V, C> {
    type Output = List<U, C>;

    fn map_values<F: FnMut(C, &V) -> U>(&self, mut f: F) -> List<U, C> {
        let from = runtime::NodeRef::of(&self.root);
        let mut root = nodes::ListHead::like(from, &mut Vec::new(), &mut f);
        let fields = nodes::ListHead::fields(runtime::NodeMut::of(&mut root));
        if let Some(child) = nodes::ListHead::h(from) {
            copy_structure(Copying::List(child, fields.h), &mut f);
        }
        List { root }
    }
}

/// A node to copy, and the link that the copy belongs in.
enum Copying<'a, V: runtime::Value, C: runtime::Coord, U: runtime::Value> {
    List(runtime::NodeRef<'a, nodes::List<V, C>>, *mut runtime::Link<nodes::List<U, C>>),
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
            Copying::List(from, slot) => {
                let mut copy = nodes::List::like(from, &mut scratch, f);
                let fields = nodes::List::fields(copy.edit());
                if let Some(child) = nodes::List::n(from) {
                    work.push(Copying::List(child, fields.n));
                }
                // SAFETY: the slot is a link of a node that was copied before and that only the copy under
                // construction reaches
                unsafe { *slot = Some(copy.finish()) };
            }
        }
    }
}

/// The nodes of the store `list`.
///
/// ```text
/// // A linked list: one nonzero a node.
/// def list {
///   e : elem nonempty
///   n : list
///   seq = {e}, n
/// }
///
/// def list_head {
///   h : list
/// }
/// ```
pub mod nodes {
    use super::runtime;

    /// A linked list: one nonzero a node.
    ///
    /// `seq = e, n`
    #[repr(C)]
    pub struct List<V: runtime::Value, C: runtime::Coord = u32> {
        node_count: runtime::Count,
        e_coord: C,
        n: runtime::Link<List<V, C>>,
        e_value: V,
        node_tail: runtime::Tail<C, V>,
    }

    /// The fields of a `list`, for writing.
    pub struct ListMut<'a, V: runtime::Value, C: runtime::Coord> {
        /// The value of `e`.
        pub e: &'a mut V,
        /// The link `n`.
        pub n: &'a mut runtime::Link<List<V, C>>,
    }

    impl<V: runtime::Value, C: runtime::Coord> List<V, C> {
        /// The fields, for writing.
        #[inline(always)]
        pub fn fields<'a>(node: runtime::NodeMut<'a, Self>) -> ListMut<'a, V, C> {
            let node = node.into_raw().as_ptr();
            // SAFETY: the node is reached by nobody else during `'a`, and the fields and arrays handed out are
            // disjoint
            unsafe {
                ListMut {
                    e: &mut (*node).e_value,
                    n: &mut (*node).n,
                }
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> List<V, C> {
        /// A new `list` that holds the given elements; its links are empty.
        #[inline]
        pub fn reserve(e: (C, V)) -> runtime::Reserved<Self> {
            let memory = runtime::pool::allocate(::std::alloc::Layout::new::<Self>())
                .cast::<Self>();
            // SAFETY: the memory is fresh and large enough; every field and every array is written before the
            // node is handed out
            unsafe {
                memory
                    .write(List {
                        node_count: runtime::Count::one(),
                        n: None,
                        e_coord: e.0,
                        e_value: e.1,
                        node_tail: runtime::Tail::new(),
                    });
                runtime::Reserved::from_raw(memory)
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> List<V, C> {
        /// The element `e`.
        #[inline(always)]
        pub fn e<'a>(node: runtime::NodeRef<'a, Self>) -> runtime::Run<'a, 'a, C, V> {
            let node = node.get();
            runtime::Run::one(&node.e_coord, &node.e_value)
        }

        /// The child `n`.
        #[inline(always)]
        pub fn n<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> Option<runtime::NodeRef<'a, List<V, C>>> {
            runtime::follow(&node.get().n)
        }

        /// The link `n`: a clone of it shares the child.
        #[inline(always)]
        pub fn n_link<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> &'a runtime::Link<List<V, C>> {
            &node.get().n
        }
    }

    // SAFETY: `reserve` makes every node with this layout and initialises all of it
    unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Node for List<V, C> {
        type Coord = C;
        type Value = V;

        fn layout(node: runtime::NodeRef<'_, Self>) -> ::std::alloc::Layout {
            let _ = node;
            ::std::alloc::Layout::new::<Self>()
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
                dead.bury((*ptr).n.take());
                if ::std::mem::needs_drop::<V>() {
                    ::std::ptr::drop_in_place(&raw mut (*ptr).e_value);
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

    impl<V: runtime::Value, C: runtime::Coord> List<V, C> {
        /// A node of the same shape whose values are what `f` makes of this one's; its links are empty.
        pub(super) fn like<U: runtime::Value>(
            node: runtime::NodeRef<'_, Self>,
            _scratch: &mut Vec<U>,
            f: &mut impl FnMut(C, &V) -> U,
        ) -> runtime::Reserved<List<U, C>> {
            let run = Self::e(node);
            let e = (run.coords()[0], f(run.coords()[0], &run.values()[0]));
            List::<U, C>::reserve(e)
        }
    }

    // SAFETY: both return the one field of this type
    unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Linked for List<V, C> {
        #[inline(always)]
        fn next(node: runtime::NodeRef<'_, Self>) -> &runtime::Link<Self> {
            &node.get().n
        }

        #[inline(always)]
        fn next_mut(node: runtime::NodeMut<'_, Self>) -> &mut runtime::Link<Self> {
            Self::fields(node).n
        }
    }

    /// A node `list_head`.
    #[repr(C)]
    pub struct ListHead<V: runtime::Value, C: runtime::Coord = u32> {
        h: runtime::Link<List<V, C>>,
        node_tail: runtime::Tail<C, V>,
    }

    /// The fields of a `list_head`, for writing.
    pub struct ListHeadMut<'a, V: runtime::Value, C: runtime::Coord> {
        /// The link `h`.
        pub h: &'a mut runtime::Link<List<V, C>>,
    }

    impl<V: runtime::Value, C: runtime::Coord> ListHead<V, C> {
        /// The fields, for writing.
        #[inline(always)]
        pub fn fields<'a>(node: runtime::NodeMut<'a, Self>) -> ListHeadMut<'a, V, C> {
            let node = node.into_raw().as_ptr();
            // SAFETY: the node is reached by nobody else during `'a`, and the fields and arrays handed out are
            // disjoint
            unsafe { ListHeadMut { h: &mut (*node).h } }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> ListHead<V, C> {
        /// A handle whose links are empty.
        pub fn new() -> Self {
            ListHead {
                h: None,
                node_tail: runtime::Tail::new(),
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> ListHead<V, C> {
        /// The child `h`.
        #[inline(always)]
        pub fn h<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> Option<runtime::NodeRef<'a, List<V, C>>> {
            runtime::follow(&node.get().h)
        }

        /// The link `h`: a clone of it shares the child.
        #[inline(always)]
        pub fn h_link<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> &'a runtime::Link<List<V, C>> {
            &node.get().h
        }
    }

    // SAFETY: the type has no arrays behind its fields
    unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Flat for ListHead<V, C> {}

    impl<V: runtime::Value, C: runtime::Coord> Default for ListHead<V, C> {
        fn default() -> Self {
            Self::new()
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> ListHead<V, C> {
        /// Reports the fields.
        pub(super) fn describe<'a>(
            node: runtime::NodeRef<'a, Self>,
            report: &mut runtime::Inspection<'a, C, V>,
        ) {
            report.child("h", None, &node.get().h, false);
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Clone for ListHead<V, C> {
        fn clone(&self) -> Self {
            let mut copy = Self::new();
            copy.h = self.h.clone();
            copy
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> ListHead<V, C> {
        /// A node of the same shape whose values are what `f` makes of this one's; its links are empty.
        pub(super) fn like<U: runtime::Value>(
            _node: runtime::NodeRef<'_, Self>,
            _scratch: &mut Vec<U>,
            _f: &mut impl FnMut(C, &V) -> U,
        ) -> ListHead<U, C> {
            ListHead::<U, C>::new()
        }
    }

    #[cfg(target_pointer_width = "64")]
    const _: () = {
        assert!(
            ::std::mem::size_of:: < List < f64, u32 >> () == 24 && ::std::mem::align_of::
            < List < f64, u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(List < f64, u32 >, node_count) == 0);
        assert!(::std::mem::offset_of!(List < f64, u32 >, e_coord) == 4);
        assert!(::std::mem::offset_of!(List < f64, u32 >, n) == 8);
        assert!(::std::mem::offset_of!(List < f64, u32 >, e_value) == 16);
        assert!(
            ::std::mem::size_of:: < ListHead < f64, u32 >> () == 8 &&
            ::std::mem::align_of:: < ListHead < f64, u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(ListHead < f64, u32 >, h) == 0);
        assert!(
            ::std::mem::size_of:: < List < (), u32 >> () == 16 && ::std::mem::align_of::
            < List < (), u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(List < (), u32 >, node_count) == 0);
        assert!(::std::mem::offset_of!(List < (), u32 >, e_coord) == 4);
        assert!(::std::mem::offset_of!(List < (), u32 >, n) == 8);
        assert!(::std::mem::offset_of!(List < (), u32 >, e_value) == 16);
        assert!(
            ::std::mem::size_of:: < ListHead < (), u32 >> () == 8 &&
            ::std::mem::align_of:: < ListHead < (), u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(ListHead < (), u32 >, h) == 0);
        assert!(
            ::std::mem::size_of:: < List < f32, u64 >> () == 32 && ::std::mem::align_of::
            < List < f32, u64 >> () == 8
        );
        assert!(::std::mem::offset_of!(List < f32, u64 >, node_count) == 0);
        assert!(::std::mem::offset_of!(List < f32, u64 >, e_coord) == 8);
        assert!(::std::mem::offset_of!(List < f32, u64 >, n) == 16);
        assert!(::std::mem::offset_of!(List < f32, u64 >, e_value) == 24);
        assert!(
            ::std::mem::size_of:: < ListHead < f32, u64 >> () == 8 &&
            ::std::mem::align_of:: < ListHead < f32, u64 >> () == 8
        );
        assert!(::std::mem::offset_of!(ListHead < f32, u64 >, h) == 0);
    };
}
