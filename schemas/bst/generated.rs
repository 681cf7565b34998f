use ::pleach_runtime as runtime;

/// The store `bst`.
///
/// The handle of a store `bst`. Cloning it shares all nodes.
pub struct Bst<V: runtime::Value, C: runtime::Coord = u32> {
    root: nodes::BstRoot<V, C>,
}

impl<V: runtime::Value, C: runtime::Coord> Bst<V, C> {
    /// A store with the given root.
    pub fn new(root: nodes::BstRoot<V, C>) -> Self {
        Self { root }
    }

    /// The root.
    pub fn root(&self) -> runtime::NodeRef<'_, nodes::BstRoot<V, C>> {
        runtime::NodeRef::of(&self.root)
    }

    /// The root, for writing.
    pub fn root_mut(&mut self) -> runtime::NodeMut<'_, nodes::BstRoot<V, C>> {
        runtime::NodeMut::of(&mut self.root)
    }
}

impl<V: runtime::Value, C: runtime::Coord> Clone for Bst<V, C> {
    #[inline]
    fn clone(&self) -> Self {
        Self { root: self.root.clone() }
    }
}

impl<V: runtime::Value, C: runtime::Coord> Default for Bst<V, C> {
    #[inline]
    fn default() -> Self {
        Self { root: Default::default() }
    }
}

impl<V: runtime::Value + ::std::fmt::Debug, C: runtime::Coord> ::std::fmt::Debug
for Bst<V, C> {
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
    handle: runtime::NodeRef<'a, nodes::BstRoot<V, C>>,
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
            stack: runtime::Stack::new(),
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
        let mut stack = runtime::Stack::<_, 32>::new();
        let mut step = FoldStep::Start(handle);
        'walk: loop {
            'visit: {
                match step {
                    FoldStep::Start(b) => {
                        // r
                        if let Some(r) = nodes::BstRoot::r(b) {
                            step = FoldStep::EnterBst(r);
                            continue 'walk;
                        }
                        break 'visit;
                    }
                    FoldStep::EnterBst(mut n) => {
                        // l
                        while let Some(l) = nodes::Bst::l(n) {
                            stack.push(n);
                            n = l;
                        }
                        step = FoldStep::AfterL(n);
                        continue 'walk;
                    }
                    FoldStep::AfterL(n) => {
                        // e
                        folded = visit(folded, nodes::Bst::e(n))?;
                        // r
                        if let Some(r) = nodes::Bst::r(n) {
                            step = FoldStep::EnterBst(r);
                            continue 'walk;
                        }
                        break 'visit;
                    }
                }
            }
            match stack.pop() {
                Some(next) => step = FoldStep::AfterL(next),
                None => {
                    return ::std::ops::ControlFlow::Continue(folded);
                }
            }
        }
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
        let mut forks = runtime::Forks::<_, 32>::new();
        let mut step = StorageStep::Start(handle);
        'walk: loop {
            match step {
                StorageStep::Start(b) => {
                    // r
                    if let Some(r) = nodes::BstRoot::r(b) {
                        step = StorageStep::EnterBst(r);
                        continue 'walk;
                    }
                    return ::std::ops::ControlFlow::Continue(folded);
                }
                StorageStep::EnterBst(mut n) => {
                    loop {
                        n.prefetch_behind();
                        // e
                        folded = visit(folded, nodes::Bst::e(n))?;
                        // l, r
                        match forks.next(nodes::Bst::l(n), nodes::Bst::r(n)) {
                            Some(next) => n = n.go_on(next),
                            None => break,
                        }
                    }
                    if forks.is_done() {
                        return ::std::ops::ControlFlow::Continue(folded);
                    }
                    return forks
                        .rest(
                            n,
                            folded,
                            |n| [nodes::Bst::l(n), nodes::Bst::r(n)],
                            move |mut folded, n| {
                                // e
                                folded = visit(folded, nodes::Bst::e(n))?;
                                ::std::ops::ControlFlow::Continue(folded)
                            },
                        );
                }
            }
        }
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
        par_bst_root(handle, runtime::FORK_DEPTH, identity, fold, combine)
    }

    #[inline]
    fn locate(self, coord: C) -> Option<&'a V> {
        let mut place = Place::BstRoot(self.handle);
        loop {
            match place {
                Place::BstRoot(n) => {
                    // r
                    match nodes::BstRoot::r(n) {
                        Some(child) => {
                            place = Place::Bst(child);
                            continue;
                        }
                        None => return None,
                    }
                }
                Place::Bst(n) => {
                    // e
                    match nodes::Bst::e(n).search(coord) {
                        runtime::Search::Found(value) => return Some(value),
                        runtime::Search::Before => {
                            match nodes::Bst::l(n) {
                                Some(child) => {
                                    place = Place::Bst(child);
                                    continue;
                                }
                                None => return None,
                            }
                        }
                        runtime::Search::Missing => return None,
                        runtime::Search::After => {}
                    }
                    // r
                    match nodes::Bst::r(n) {
                        Some(child) => {
                            place = Place::Bst(child);
                            continue;
                        }
                        None => return None,
                    }
                }
            }
        }
    }
}

/// The resumable iterator over the runs, derived from `seq = l, e, r`.
pub struct Runs<'a, V: runtime::Value, C: runtime::Coord = u32> {
    step: Step<'a, V, C>,
    stack: runtime::Stack<runtime::NodeRef<'a, nodes::Bst<V, C>>, 16>,
    current: runtime::Run<'a, 'a, C, V>,
}

impl<'a, V: runtime::Value, C: runtime::Coord> runtime::Runs<'a> for Runs<'a, V, C> {
    type Coord = C;
    type Value = V;

    #[inline]
    fn advance(&mut self) -> bool {
        let mut step = self.step;
        'walk: loop {
            'visit: {
                match step {
                    Step::Start(b) => {
                        // r
                        if let Some(r) = nodes::BstRoot::r(b) {
                            step = Step::EnterBst(r);
                            continue 'walk;
                        }
                        break 'visit;
                    }
                    Step::EnterBst(mut n) => {
                        // l
                        while let Some(l) = nodes::Bst::l(n) {
                            self.stack.push(n);
                            n = l;
                        }
                        step = Step::AfterL(n);
                        continue 'walk;
                    }
                    Step::AfterL(n) => {
                        // e
                        self.current = nodes::Bst::e(n);
                        self.step = Step::AfterE(n);
                        return true;
                    }
                    Step::AfterE(n) => {
                        // r
                        if let Some(r) = nodes::Bst::r(n) {
                            step = Step::EnterBst(r);
                            continue 'walk;
                        }
                        break 'visit;
                    }
                    Step::End => return false,
                }
            }
            match self.stack.pop() {
                Some(next) => step = Step::AfterL(next),
                None => {
                    self.step = Step::End;
                    self.current = runtime::Run::empty();
                    return false;
                }
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
    Start(runtime::NodeRef<'a, nodes::BstRoot<V, C>>),
    EnterBst(runtime::NodeRef<'a, nodes::Bst<V, C>>),
    AfterL(runtime::NodeRef<'a, nodes::Bst<V, C>>),
    AfterE(runtime::NodeRef<'a, nodes::Bst<V, C>>),
    End,
}

impl<V: runtime::Value, C: runtime::Coord> Clone for Step<'_, V, C> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: runtime::Value, C: runtime::Coord> Copy for Step<'_, V, C> {}

/// Where a fold in coordinate order goes on.
enum FoldStep<'a, V: runtime::Value, C: runtime::Coord> {
    Start(runtime::NodeRef<'a, nodes::BstRoot<V, C>>),
    EnterBst(runtime::NodeRef<'a, nodes::Bst<V, C>>),
    AfterL(runtime::NodeRef<'a, nodes::Bst<V, C>>),
}

impl<V: runtime::Value, C: runtime::Coord> Clone for FoldStep<'_, V, C> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: runtime::Value, C: runtime::Coord> Copy for FoldStep<'_, V, C> {}

/// Where a fold in storage order goes on.
enum StorageStep<'a, V: runtime::Value, C: runtime::Coord> {
    Start(runtime::NodeRef<'a, nodes::BstRoot<V, C>>),
    EnterBst(runtime::NodeRef<'a, nodes::Bst<V, C>>),
}

impl<V: runtime::Value, C: runtime::Coord> Clone for StorageStep<'_, V, C> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: runtime::Value, C: runtime::Coord> Copy for StorageStep<'_, V, C> {}

/// A node in which a coordinate is looked for.
enum Place<'a, V: runtime::Value, C: runtime::Coord> {
    BstRoot(runtime::NodeRef<'a, nodes::BstRoot<V, C>>),
    Bst(runtime::NodeRef<'a, nodes::Bst<V, C>>),
}

/// Maps over a `bst` and everything below it in parallel.
fn par_bst<'a, V: runtime::Value, C: runtime::Coord, A: Send>(
    n: runtime::NodeRef<'a, nodes::Bst<V, C>>,
    depth: u32,
    identity: &(impl Fn() -> A + Sync),
    fold: &(impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> A {
    if depth == 0 {
        return fold_bst(n, identity(), fold);
    }
    let (left, right) = runtime::join(
        || {
            // l
            match nodes::Bst::l(n) {
                Some(child) => par_bst(child, depth - 1, identity, fold, combine),
                None => identity(),
            }
        },
        || {
            let mut folded = identity();
            // e
            folded = fold(folded, nodes::Bst::e(n));
            combine(
                folded,
                {
                    // r
                    match nodes::Bst::r(n) {
                        Some(child) => par_bst(child, depth - 1, identity, fold, combine),
                        None => identity(),
                    }
                },
            )
        },
    );
    combine(left, right)
}

/// Where a fold over a `bst` goes on.
enum FoldBst<'a, V: runtime::Value, C: runtime::Coord> {
    Start(runtime::NodeRef<'a, nodes::Bst<V, C>>),
    AfterL(runtime::NodeRef<'a, nodes::Bst<V, C>>),
}

impl<V: runtime::Value, C: runtime::Coord> Clone for FoldBst<'_, V, C> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: runtime::Value, C: runtime::Coord> Copy for FoldBst<'_, V, C> {}

/// Folds over a `bst` and everything below it.
fn fold_bst<'a, V: runtime::Value, C: runtime::Coord, A>(
    n: runtime::NodeRef<'a, nodes::Bst<V, C>>,
    mut folded: A,
    visit: &impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A,
) -> A {
    let mut stack = runtime::Stack::<_, 32>::new();
    let mut step = FoldBst::Start(n);
    'walk: loop {
        'visit: {
            match step {
                FoldBst::Start(mut b) => {
                    // l
                    while let Some(l) = nodes::Bst::l(b) {
                        stack.push(b);
                        b = l;
                    }
                    step = FoldBst::AfterL(b);
                    continue 'walk;
                }
                FoldBst::AfterL(b) => {
                    // e
                    folded = visit(folded, nodes::Bst::e(b));
                    // r
                    if let Some(r) = nodes::Bst::r(b) {
                        step = FoldBst::Start(r);
                        continue 'walk;
                    }
                    break 'visit;
                }
            }
        }
        match stack.pop() {
            Some(next) => step = FoldBst::AfterL(next),
            None => {
                return folded;
            }
        }
    }
}

/// Maps over a `bst_root` and everything below it in parallel.
fn par_bst_root<'a, V: runtime::Value, C: runtime::Coord, A: Send>(
    n: runtime::NodeRef<'a, nodes::BstRoot<V, C>>,
    depth: u32,
    identity: &(impl Fn() -> A + Sync),
    fold: &(impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> A {
    // r
    match nodes::BstRoot::r(n) {
        Some(child) => par_bst(child, depth - 1, identity, fold, combine),
        None => identity(),
    }
}

impl<V: runtime::Value, C: runtime::Coord> runtime::Store for Bst<V, C> {
    type Coord = C;
    type Value = V;
    type Fiber<'a> = Fiber<'a, V, C>;
    type Page = runtime::ArrayPage<Self>;
    const NAME: &'static str = "bst";
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
            "bst_root",
            true,
            |report| nodes::BstRoot::describe(runtime::NodeRef::of(&self.root), report),
            value,
        )
    }

    fn footprint_with(
        &self,
        value: &mut dyn FnMut(&V) -> runtime::Footprint,
    ) -> runtime::Footprint {
        runtime::footprint(
            |report| nodes::BstRoot::describe(runtime::NodeRef::of(&self.root), report),
            value,
        )
    }
}

impl<V: runtime::Value, C: runtime::Coord, U: runtime::Value> runtime::MapValues<U>
for Bst<V, C> {
    type Output = Bst<U, C>;

    fn map_values<F: FnMut(C, &V) -> U>(&self, mut f: F) -> Bst<U, C> {
        let from = runtime::NodeRef::of(&self.root);
        let mut root = nodes::BstRoot::like(from, &mut Vec::new(), &mut f);
        let fields = nodes::BstRoot::fields(runtime::NodeMut::of(&mut root));
        if let Some(child) = nodes::BstRoot::r(from) {
            copy_structure(Copying::Bst(child, fields.r), &mut f);
        }
        Bst { root }
    }
}

/// A node to copy, and the link that the copy belongs in.
enum Copying<'a, V: runtime::Value, C: runtime::Coord, U: runtime::Value> {
    Bst(runtime::NodeRef<'a, nodes::Bst<V, C>>, *mut runtime::Link<nodes::Bst<U, C>>),
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
            Copying::Bst(from, slot) => {
                let mut copy = nodes::Bst::like(from, &mut scratch, f);
                let fields = nodes::Bst::fields(copy.edit());
                if let Some(child) = nodes::Bst::r(from) {
                    work.push(Copying::Bst(child, fields.r));
                }
                if let Some(child) = nodes::Bst::l(from) {
                    work.push(Copying::Bst(child, fields.l));
                }
                // SAFETY: the slot is a link of a node that was copied before and that only the copy under
                // construction reaches
                unsafe { *slot = Some(copy.finish()) };
            }
        }
    }
}

/// The nodes of the store `bst`.
///
/// ```text
/// // A binary search tree: one nonzero a node.
/// def bst {
///   e : elem nonempty
///   l : bst
///   r : bst
///   seq = l, e, r
/// }
///
/// def bst_root {
///   r : bst
/// }
/// ```
pub mod nodes {
    use super::runtime;

    /// A binary search tree: one nonzero a node.
    ///
    /// `seq = l, e, r`
    #[repr(C)]
    pub struct Bst<V: runtime::Value, C: runtime::Coord = u32> {
        node_count: runtime::Count,
        e_coord: C,
        l: runtime::Link<Bst<V, C>>,
        r: runtime::Link<Bst<V, C>>,
        e_value: V,
        node_tail: runtime::Tail<C, V>,
    }

    /// The fields of a `bst`, for writing.
    pub struct BstMut<'a, V: runtime::Value, C: runtime::Coord> {
        /// The value of `e`.
        pub e: &'a mut V,
        /// The link `l`.
        pub l: &'a mut runtime::Link<Bst<V, C>>,
        /// The link `r`.
        pub r: &'a mut runtime::Link<Bst<V, C>>,
    }

    impl<V: runtime::Value, C: runtime::Coord> Bst<V, C> {
        /// The fields, for writing.
        #[inline(always)]
        pub fn fields<'a>(node: runtime::NodeMut<'a, Self>) -> BstMut<'a, V, C> {
            let node = node.into_raw().as_ptr();
            // SAFETY: the node is reached by nobody else during `'a`, and the fields and arrays handed out are
            // disjoint
            unsafe {
                BstMut {
                    e: &mut (*node).e_value,
                    l: &mut (*node).l,
                    r: &mut (*node).r,
                }
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Bst<V, C> {
        /// A new `bst` that holds the given elements; its links are empty.
        #[inline]
        pub fn reserve(e: (C, V)) -> runtime::Reserved<Self> {
            let memory = runtime::pool::allocate(::std::alloc::Layout::new::<Self>())
                .cast::<Self>();
            // SAFETY: the memory is fresh and large enough; every field and every array is written before the
            // node is handed out
            unsafe {
                memory
                    .write(Bst {
                        node_count: runtime::Count::one(),
                        l: None,
                        r: None,
                        e_coord: e.0,
                        e_value: e.1,
                        node_tail: runtime::Tail::new(),
                    });
                runtime::Reserved::from_raw(memory)
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Bst<V, C> {
        /// The element `e`.
        #[inline(always)]
        pub fn e<'a>(node: runtime::NodeRef<'a, Self>) -> runtime::Run<'a, 'a, C, V> {
            let node = node.get();
            runtime::Run::one(&node.e_coord, &node.e_value)
        }

        /// The child `l`.
        #[inline(always)]
        pub fn l<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> Option<runtime::NodeRef<'a, Bst<V, C>>> {
            runtime::follow(&node.get().l)
        }

        /// The link `l`: a clone of it shares the child.
        #[inline(always)]
        pub fn l_link<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> &'a runtime::Link<Bst<V, C>> {
            &node.get().l
        }

        /// The child `r`.
        #[inline(always)]
        pub fn r<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> Option<runtime::NodeRef<'a, Bst<V, C>>> {
            runtime::follow(&node.get().r)
        }

        /// The link `r`: a clone of it shares the child.
        #[inline(always)]
        pub fn r_link<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> &'a runtime::Link<Bst<V, C>> {
            &node.get().r
        }
    }

    // SAFETY: `reserve` makes every node with this layout and initialises all of it
    unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Node for Bst<V, C> {
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
            *fields.l = node.get().l.clone();
            *fields.r = node.get().r.clone();
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
                dead.bury((*ptr).l.take());
                dead.bury((*ptr).r.take());
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
            report.child("l", None, &node.get().l, false);
            let run = Self::e(node);
            report.elements("e", None, run.coords(), run.values(), true);
            report.child("r", None, &node.get().r, false);
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Bst<V, C> {
        /// A node of the same shape whose values are what `f` makes of this one's; its links are empty.
        pub(super) fn like<U: runtime::Value>(
            node: runtime::NodeRef<'_, Self>,
            _scratch: &mut Vec<U>,
            f: &mut impl FnMut(C, &V) -> U,
        ) -> runtime::Reserved<Bst<U, C>> {
            let run = Self::e(node);
            let e = (run.coords()[0], f(run.coords()[0], &run.values()[0]));
            Bst::<U, C>::reserve(e)
        }
    }

    /// A node `bst_root`.
    #[repr(C)]
    pub struct BstRoot<V: runtime::Value, C: runtime::Coord = u32> {
        r: runtime::Link<Bst<V, C>>,
        node_tail: runtime::Tail<C, V>,
    }

    /// The fields of a `bst_root`, for writing.
    pub struct BstRootMut<'a, V: runtime::Value, C: runtime::Coord> {
        /// The link `r`.
        pub r: &'a mut runtime::Link<Bst<V, C>>,
    }

    impl<V: runtime::Value, C: runtime::Coord> BstRoot<V, C> {
        /// The fields, for writing.
        #[inline(always)]
        pub fn fields<'a>(node: runtime::NodeMut<'a, Self>) -> BstRootMut<'a, V, C> {
            let node = node.into_raw().as_ptr();
            // SAFETY: the node is reached by nobody else during `'a`, and the fields and arrays handed out are
            // disjoint
            unsafe { BstRootMut { r: &mut (*node).r } }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> BstRoot<V, C> {
        /// A handle whose links are empty.
        pub fn new() -> Self {
            BstRoot {
                r: None,
                node_tail: runtime::Tail::new(),
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> BstRoot<V, C> {
        /// The child `r`.
        #[inline(always)]
        pub fn r<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> Option<runtime::NodeRef<'a, Bst<V, C>>> {
            runtime::follow(&node.get().r)
        }

        /// The link `r`: a clone of it shares the child.
        #[inline(always)]
        pub fn r_link<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> &'a runtime::Link<Bst<V, C>> {
            &node.get().r
        }
    }

    // SAFETY: the type has no arrays behind its fields
    unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Flat for BstRoot<V, C> {}

    impl<V: runtime::Value, C: runtime::Coord> Default for BstRoot<V, C> {
        fn default() -> Self {
            Self::new()
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> BstRoot<V, C> {
        /// Reports the fields.
        pub(super) fn describe<'a>(
            node: runtime::NodeRef<'a, Self>,
            report: &mut runtime::Inspection<'a, C, V>,
        ) {
            report.child("r", None, &node.get().r, false);
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Clone for BstRoot<V, C> {
        fn clone(&self) -> Self {
            let mut copy = Self::new();
            copy.r = self.r.clone();
            copy
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> BstRoot<V, C> {
        /// A node of the same shape whose values are what `f` makes of this one's; its links are empty.
        pub(super) fn like<U: runtime::Value>(
            _node: runtime::NodeRef<'_, Self>,
            _scratch: &mut Vec<U>,
            _f: &mut impl FnMut(C, &V) -> U,
        ) -> BstRoot<U, C> {
            BstRoot::<U, C>::new()
        }
    }

    #[cfg(target_pointer_width = "64")]
    const _: () = {
        assert!(
            ::std::mem::size_of:: < Bst < f64, u32 >> () == 32 && ::std::mem::align_of::
            < Bst < f64, u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(Bst < f64, u32 >, node_count) == 0);
        assert!(::std::mem::offset_of!(Bst < f64, u32 >, e_coord) == 4);
        assert!(::std::mem::offset_of!(Bst < f64, u32 >, l) == 8);
        assert!(::std::mem::offset_of!(Bst < f64, u32 >, r) == 16);
        assert!(::std::mem::offset_of!(Bst < f64, u32 >, e_value) == 24);
        assert!(
            ::std::mem::size_of:: < BstRoot < f64, u32 >> () == 8 &&
            ::std::mem::align_of:: < BstRoot < f64, u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(BstRoot < f64, u32 >, r) == 0);
        assert!(
            ::std::mem::size_of:: < Bst < (), u32 >> () == 24 && ::std::mem::align_of:: <
            Bst < (), u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(Bst < (), u32 >, node_count) == 0);
        assert!(::std::mem::offset_of!(Bst < (), u32 >, e_coord) == 4);
        assert!(::std::mem::offset_of!(Bst < (), u32 >, l) == 8);
        assert!(::std::mem::offset_of!(Bst < (), u32 >, r) == 16);
        assert!(::std::mem::offset_of!(Bst < (), u32 >, e_value) == 24);
        assert!(
            ::std::mem::size_of:: < BstRoot < (), u32 >> () == 8 &&
            ::std::mem::align_of:: < BstRoot < (), u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(BstRoot < (), u32 >, r) == 0);
        assert!(
            ::std::mem::size_of:: < Bst < f32, u64 >> () == 40 && ::std::mem::align_of::
            < Bst < f32, u64 >> () == 8
        );
        assert!(::std::mem::offset_of!(Bst < f32, u64 >, node_count) == 0);
        assert!(::std::mem::offset_of!(Bst < f32, u64 >, e_coord) == 8);
        assert!(::std::mem::offset_of!(Bst < f32, u64 >, l) == 16);
        assert!(::std::mem::offset_of!(Bst < f32, u64 >, r) == 24);
        assert!(::std::mem::offset_of!(Bst < f32, u64 >, e_value) == 32);
        assert!(
            ::std::mem::size_of:: < BstRoot < f32, u64 >> () == 8 &&
            ::std::mem::align_of:: < BstRoot < f32, u64 >> () == 8
        );
        assert!(::std::mem::offset_of!(BstRoot < f32, u64 >, r) == 0);
    };
}
