use ::pleach_runtime as runtime;

/// The store `rbtree`.
///
/// The handle of a store `rbtree`. Cloning it shares all nodes.
pub struct Rbtree<V: runtime::Value, C: runtime::Coord = u32> {
    root: nodes::RbtreeRoot<V, C>,
}

impl<V: runtime::Value, C: runtime::Coord> Rbtree<V, C> {
    /// A store with the given root.
    pub fn new(root: nodes::RbtreeRoot<V, C>) -> Self {
        Self { root }
    }

    /// The root.
    pub fn root(&self) -> runtime::NodeRef<'_, nodes::RbtreeRoot<V, C>> {
        runtime::NodeRef::of(&self.root)
    }

    /// The root, for writing.
    pub fn root_mut(&mut self) -> runtime::NodeMut<'_, nodes::RbtreeRoot<V, C>> {
        runtime::NodeMut::of(&mut self.root)
    }
}

impl<V: runtime::Value, C: runtime::Coord> Clone for Rbtree<V, C> {
    #[inline]
    fn clone(&self) -> Self {
        Self { root: self.root.clone() }
    }
}

impl<V: runtime::Value, C: runtime::Coord> Default for Rbtree<V, C> {
    #[inline]
    fn default() -> Self {
        Self { root: Default::default() }
    }
}

impl<V: runtime::Value + ::std::fmt::Debug, C: runtime::Coord> ::std::fmt::Debug
for Rbtree<V, C> {
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
    handle: runtime::NodeRef<'a, nodes::RbtreeRoot<V, C>>,
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
                    FoldStep::Start(r) => {
                        // r
                        if let Some(r2) = nodes::RbtreeRoot::r(r) {
                            step = FoldStep::EnterRbtree(r2);
                            continue 'walk;
                        }
                        break 'visit;
                    }
                    FoldStep::EnterRbtree(mut n) => {
                        // l
                        while let Some(l) = nodes::Rbtree::l(n) {
                            stack.push(n);
                            n = l;
                        }
                        step = FoldStep::AfterL(n);
                        continue 'walk;
                    }
                    FoldStep::AfterL(n) => {
                        // e
                        folded = visit(folded, nodes::Rbtree::e(n))?;
                        // r
                        if let Some(r) = nodes::Rbtree::r(n) {
                            step = FoldStep::EnterRbtree(r);
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
                StorageStep::Start(r) => {
                    // r
                    if let Some(r2) = nodes::RbtreeRoot::r(r) {
                        step = StorageStep::EnterRbtree(r2);
                        continue 'walk;
                    }
                    return ::std::ops::ControlFlow::Continue(folded);
                }
                StorageStep::EnterRbtree(mut n) => {
                    loop {
                        n.prefetch_behind();
                        // e
                        folded = visit(folded, nodes::Rbtree::e(n))?;
                        // l, r
                        match forks.next(nodes::Rbtree::l(n), nodes::Rbtree::r(n)) {
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
                            |n| [nodes::Rbtree::l(n), nodes::Rbtree::r(n)],
                            move |mut folded, n| {
                                // e
                                folded = visit(folded, nodes::Rbtree::e(n))?;
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
        par_rbtree_root(handle, runtime::FORK_DEPTH, identity, fold, combine)
    }

    #[inline]
    fn locate(self, coord: C) -> Option<&'a V> {
        let mut place = Place::RbtreeRoot(self.handle);
        loop {
            match place {
                Place::RbtreeRoot(n) => {
                    // r
                    match nodes::RbtreeRoot::r(n) {
                        Some(child) => {
                            place = Place::Rbtree(child);
                            continue;
                        }
                        None => return None,
                    }
                }
                Place::Rbtree(n) => {
                    // e
                    match nodes::Rbtree::e(n).search(coord) {
                        runtime::Search::Found(value) => return Some(value),
                        runtime::Search::Before => {
                            match nodes::Rbtree::l(n) {
                                Some(child) => {
                                    place = Place::Rbtree(child);
                                    continue;
                                }
                                None => return None,
                            }
                        }
                        runtime::Search::Missing => return None,
                        runtime::Search::After => {}
                    }
                    // r
                    match nodes::Rbtree::r(n) {
                        Some(child) => {
                            place = Place::Rbtree(child);
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
    stack: runtime::Stack<runtime::NodeRef<'a, nodes::Rbtree<V, C>>, 16>,
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
                    Step::Start(r) => {
                        // r
                        if let Some(r2) = nodes::RbtreeRoot::r(r) {
                            step = Step::EnterRbtree(r2);
                            continue 'walk;
                        }
                        break 'visit;
                    }
                    Step::EnterRbtree(mut n) => {
                        // l
                        while let Some(l) = nodes::Rbtree::l(n) {
                            self.stack.push(n);
                            n = l;
                        }
                        step = Step::AfterL(n);
                        continue 'walk;
                    }
                    Step::AfterL(n) => {
                        // e
                        self.current = nodes::Rbtree::e(n);
                        self.step = Step::AfterE(n);
                        return true;
                    }
                    Step::AfterE(n) => {
                        // r
                        if let Some(r) = nodes::Rbtree::r(n) {
                            step = Step::EnterRbtree(r);
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
    Start(runtime::NodeRef<'a, nodes::RbtreeRoot<V, C>>),
    EnterRbtree(runtime::NodeRef<'a, nodes::Rbtree<V, C>>),
    AfterL(runtime::NodeRef<'a, nodes::Rbtree<V, C>>),
    AfterE(runtime::NodeRef<'a, nodes::Rbtree<V, C>>),
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
    Start(runtime::NodeRef<'a, nodes::RbtreeRoot<V, C>>),
    EnterRbtree(runtime::NodeRef<'a, nodes::Rbtree<V, C>>),
    AfterL(runtime::NodeRef<'a, nodes::Rbtree<V, C>>),
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
    Start(runtime::NodeRef<'a, nodes::RbtreeRoot<V, C>>),
    EnterRbtree(runtime::NodeRef<'a, nodes::Rbtree<V, C>>),
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
    RbtreeRoot(runtime::NodeRef<'a, nodes::RbtreeRoot<V, C>>),
    Rbtree(runtime::NodeRef<'a, nodes::Rbtree<V, C>>),
}

/// Maps over a `rbtree` and everything below it in parallel.
fn par_rbtree<'a, V: runtime::Value, C: runtime::Coord, A: Send>(
    n: runtime::NodeRef<'a, nodes::Rbtree<V, C>>,
    depth: u32,
    identity: &(impl Fn() -> A + Sync),
    fold: &(impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> A {
    if depth == 0 {
        return fold_rbtree(n, identity(), fold);
    }
    let (left, right) = runtime::join(
        || {
            // l
            match nodes::Rbtree::l(n) {
                Some(child) => par_rbtree(child, depth - 1, identity, fold, combine),
                None => identity(),
            }
        },
        || {
            let mut folded = identity();
            // e
            folded = fold(folded, nodes::Rbtree::e(n));
            combine(
                folded,
                {
                    // r
                    match nodes::Rbtree::r(n) {
                        Some(child) => {
                            par_rbtree(child, depth - 1, identity, fold, combine)
                        }
                        None => identity(),
                    }
                },
            )
        },
    );
    combine(left, right)
}

/// Where a fold over a `rbtree` goes on.
enum FoldRbtree<'a, V: runtime::Value, C: runtime::Coord> {
    Start(runtime::NodeRef<'a, nodes::Rbtree<V, C>>),
    AfterL(runtime::NodeRef<'a, nodes::Rbtree<V, C>>),
}

impl<V: runtime::Value, C: runtime::Coord> Clone for FoldRbtree<'_, V, C> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: runtime::Value, C: runtime::Coord> Copy for FoldRbtree<'_, V, C> {}

/// Folds over a `rbtree` and everything below it.
fn fold_rbtree<'a, V: runtime::Value, C: runtime::Coord, A>(
    n: runtime::NodeRef<'a, nodes::Rbtree<V, C>>,
    mut folded: A,
    visit: &impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A,
) -> A {
    let mut stack = runtime::Stack::<_, 32>::new();
    let mut step = FoldRbtree::Start(n);
    'walk: loop {
        'visit: {
            match step {
                FoldRbtree::Start(mut r) => {
                    // l
                    while let Some(l) = nodes::Rbtree::l(r) {
                        stack.push(r);
                        r = l;
                    }
                    step = FoldRbtree::AfterL(r);
                    continue 'walk;
                }
                FoldRbtree::AfterL(r) => {
                    // e
                    folded = visit(folded, nodes::Rbtree::e(r));
                    // r
                    if let Some(r2) = nodes::Rbtree::r(r) {
                        step = FoldRbtree::Start(r2);
                        continue 'walk;
                    }
                    break 'visit;
                }
            }
        }
        match stack.pop() {
            Some(next) => step = FoldRbtree::AfterL(next),
            None => {
                return folded;
            }
        }
    }
}

/// Maps over a `rbtree_root` and everything below it in parallel.
fn par_rbtree_root<'a, V: runtime::Value, C: runtime::Coord, A: Send>(
    n: runtime::NodeRef<'a, nodes::RbtreeRoot<V, C>>,
    depth: u32,
    identity: &(impl Fn() -> A + Sync),
    fold: &(impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> A {
    // r
    match nodes::RbtreeRoot::r(n) {
        Some(child) => par_rbtree(child, depth - 1, identity, fold, combine),
        None => identity(),
    }
}

impl<V: runtime::Value, C: runtime::Coord> runtime::Store for Rbtree<V, C> {
    type Coord = C;
    type Value = V;
    type Fiber<'a> = Fiber<'a, V, C>;
    type Page = runtime::ArrayPage<Self>;
    const NAME: &'static str = "rbtree";
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
            "rbtree_root",
            true,
            |report| nodes::RbtreeRoot::describe(
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
            |report| nodes::RbtreeRoot::describe(
                runtime::NodeRef::of(&self.root),
                report,
            ),
            value,
        )
    }
}

impl<V: runtime::Value, C: runtime::Coord, U: runtime::Value> runtime::MapValues<U>
for Rbtree<V, C> {
    type Output = Rbtree<U, C>;

    fn map_values<F: FnMut(C, &V) -> U>(&self, mut f: F) -> Rbtree<U, C> {
        let from = runtime::NodeRef::of(&self.root);
        let mut root = nodes::RbtreeRoot::like(from, &mut Vec::new(), &mut f);
        let fields = nodes::RbtreeRoot::fields(runtime::NodeMut::of(&mut root));
        if let Some(child) = nodes::RbtreeRoot::r(from) {
            copy_structure(
                Copying::Rbtree(child, fields.r, runtime::Parent::none()),
                &mut f,
            );
        }
        Rbtree { root }
    }
}

/// A node to copy, and the link that the copy belongs in.
enum Copying<'a, V: runtime::Value, C: runtime::Coord, U: runtime::Value> {
    Rbtree(
        runtime::NodeRef<'a, nodes::Rbtree<V, C>>,
        *mut runtime::Link<nodes::Rbtree<U, C>>,
        runtime::Parent<nodes::Rbtree<U, C>>,
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
            Copying::Rbtree(from, slot, up) => {
                let mut copy = nodes::Rbtree::like(from, &mut scratch, f);
                nodes::Rbtree::set_parent(copy.edit(), up);
                let parent = runtime::Parent::of(copy.node());
                let fields = nodes::Rbtree::fields(copy.edit());
                if let Some(child) = nodes::Rbtree::r(from) {
                    work.push(Copying::Rbtree(child, fields.r, parent));
                }
                if let Some(child) = nodes::Rbtree::l(from) {
                    work.push(Copying::Rbtree(child, fields.l, parent));
                }
                // SAFETY: the slot is a link of a node that was copied before and that only the copy under
                // construction reaches
                unsafe { *slot = Some(copy.finish()) };
            }
        }
    }
}

/// The nodes of the store `rbtree`.
///
/// ```text
/// // A red-black tree: a binary search tree whose nodes have a colour and a link to their parent.
/// def rbtree {
///   e : elem nonempty
///   l : rbtree
///   r : rbtree
///   p : parent
///   // Whether the node is red.
///   c : bool
///   seq = l, e, r
/// }
///
/// def rbtree_root {
///   r : rbtree
/// }
/// ```
pub mod nodes {
    use super::runtime;

    /// A red-black tree: a binary search tree whose nodes have a colour and a link to their parent.
    ///
    /// `seq = l, e, r`
    #[repr(C)]
    pub struct Rbtree<V: runtime::Value, C: runtime::Coord = u32> {
        node_count: runtime::Count,
        c: bool,
        e_coord: C,
        p: runtime::Parent<Rbtree<V, C>>,
        l: runtime::Link<Rbtree<V, C>>,
        r: runtime::Link<Rbtree<V, C>>,
        e_value: V,
        node_tail: runtime::Tail<C, V>,
    }

    /// The fields of a `rbtree`, for writing.
    pub struct RbtreeMut<'a, V: runtime::Value, C: runtime::Coord> {
        /// The value of `e`.
        pub e: &'a mut V,
        /// The link `l`.
        pub l: &'a mut runtime::Link<Rbtree<V, C>>,
        /// The link `r`.
        pub r: &'a mut runtime::Link<Rbtree<V, C>>,
        /// The field `c`.
        pub c: &'a mut bool,
    }

    impl<V: runtime::Value, C: runtime::Coord> Rbtree<V, C> {
        /// The fields, for writing.
        #[inline(always)]
        pub fn fields<'a>(node: runtime::NodeMut<'a, Self>) -> RbtreeMut<'a, V, C> {
            let node = node.into_raw().as_ptr();
            // SAFETY: the node is reached by nobody else during `'a`, and the fields and arrays handed out are
            // disjoint
            unsafe {
                RbtreeMut {
                    e: &mut (*node).e_value,
                    l: &mut (*node).l,
                    r: &mut (*node).r,
                    c: &mut (*node).c,
                }
            }
        }

        /// Sets the link to the parent.
        pub(super) fn set_parent(
            node: runtime::NodeMut<'_, Self>,
            parent: runtime::Parent<Rbtree<V, C>>,
        ) {
            // SAFETY: nobody else reaches the node
            let node = unsafe { &mut *node.into_raw().as_ptr() };
            node.p = parent;
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Rbtree<V, C> {
        /// A new `rbtree` that holds the given elements; its links are empty.
        #[inline]
        pub fn reserve(e: (C, V)) -> runtime::Reserved<Self> {
            let memory = runtime::pool::allocate(::std::alloc::Layout::new::<Self>())
                .cast::<Self>();
            // SAFETY: the memory is fresh and large enough; every field and every array is written before the
            // node is handed out
            unsafe {
                memory
                    .write(Rbtree {
                        node_count: runtime::Count::one(),
                        c: false,
                        p: runtime::Parent::none(),
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

    impl<V: runtime::Value, C: runtime::Coord> Rbtree<V, C> {
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
        ) -> Option<runtime::NodeRef<'a, Rbtree<V, C>>> {
            runtime::follow(&node.get().l)
        }

        /// The link `l`: a clone of it shares the child.
        #[inline(always)]
        pub fn l_link<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> &'a runtime::Link<Rbtree<V, C>> {
            &node.get().l
        }

        /// The child `r`.
        #[inline(always)]
        pub fn r<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> Option<runtime::NodeRef<'a, Rbtree<V, C>>> {
            runtime::follow(&node.get().r)
        }

        /// The link `r`: a clone of it shares the child.
        #[inline(always)]
        pub fn r_link<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> &'a runtime::Link<Rbtree<V, C>> {
            &node.get().r
        }

        /// The field `c`.
        #[inline(always)]
        pub fn c(node: runtime::NodeRef<'_, Self>) -> bool {
            node.get().c
        }

        /// The node that links to this one.
        #[inline(always)]
        pub fn p(node: runtime::NodeRef<'_, Self>) -> runtime::Parent<Rbtree<V, C>> {
            node.get().p
        }

        /// Lets the children know that this node is their parent. To be called when its links have been set.
        pub fn adopt(mut node: runtime::NodeMut<'_, Self>) {
            let parent = runtime::Parent::of(node.node());
            let fields = Self::fields(node.reborrow());
            if let Some(child) = fields.l {
                Rbtree::set_parent(runtime::make_mut(child), parent);
            }
            if let Some(child) = fields.r {
                Rbtree::set_parent(runtime::make_mut(child), parent);
            }
        }
    }

    // SAFETY: `reserve` makes every node with this layout and initialises all of it
    unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Node for Rbtree<V, C> {
        type Coord = C;
        type Value = V;

        fn layout(node: runtime::NodeRef<'_, Self>) -> ::std::alloc::Layout {
            let _ = node;
            ::std::alloc::Layout::new::<Self>()
        }

        fn copy(node: runtime::NodeRef<'_, Self>) -> runtime::Reserved<Self> {
            let mut copy: runtime::Link<Self> = None;
            let first = super::Copying::Rbtree(
                node,
                &raw mut copy,
                runtime::Parent::none(),
            );
            super::copy_structure(first, &mut |_, value: &V| value.clone());
            runtime::Reserved::from_unique(copy.expect("the copy of a node"))
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
            if let Some(child) = Self::l(node) {
                report.parent("l", Rbtree::p(child), Some(node));
            }
            let run = Self::e(node);
            report.elements("e", None, run.coords(), run.values(), true);
            report.child("r", None, &node.get().r, false);
            if let Some(child) = Self::r(node) {
                report.parent("r", Rbtree::p(child), Some(node));
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Rbtree<V, C> {
        /// A node of the same shape whose values are what `f` makes of this one's; its links are empty.
        pub(super) fn like<U: runtime::Value>(
            node: runtime::NodeRef<'_, Self>,
            _scratch: &mut Vec<U>,
            f: &mut impl FnMut(C, &V) -> U,
        ) -> runtime::Reserved<Rbtree<U, C>> {
            let run = Self::e(node);
            let e = (run.coords()[0], f(run.coords()[0], &run.values()[0]));
            let mut copy = Rbtree::<U, C>::reserve(e);
            let fields = Rbtree::<U, C>::fields(copy.edit());
            *fields.c = node.get().c;
            copy
        }
    }

    /// A node `rbtree_root`.
    #[repr(C)]
    pub struct RbtreeRoot<V: runtime::Value, C: runtime::Coord = u32> {
        r: runtime::Link<Rbtree<V, C>>,
        node_tail: runtime::Tail<C, V>,
    }

    /// The fields of a `rbtree_root`, for writing.
    pub struct RbtreeRootMut<'a, V: runtime::Value, C: runtime::Coord> {
        /// The link `r`.
        pub r: &'a mut runtime::Link<Rbtree<V, C>>,
    }

    impl<V: runtime::Value, C: runtime::Coord> RbtreeRoot<V, C> {
        /// The fields, for writing.
        #[inline(always)]
        pub fn fields<'a>(node: runtime::NodeMut<'a, Self>) -> RbtreeRootMut<'a, V, C> {
            let node = node.into_raw().as_ptr();
            // SAFETY: the node is reached by nobody else during `'a`, and the fields and arrays handed out are
            // disjoint
            unsafe { RbtreeRootMut { r: &mut (*node).r } }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> RbtreeRoot<V, C> {
        /// A handle whose links are empty.
        pub fn new() -> Self {
            RbtreeRoot {
                r: None,
                node_tail: runtime::Tail::new(),
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> RbtreeRoot<V, C> {
        /// The child `r`.
        #[inline(always)]
        pub fn r<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> Option<runtime::NodeRef<'a, Rbtree<V, C>>> {
            runtime::follow(&node.get().r)
        }

        /// The link `r`: a clone of it shares the child.
        #[inline(always)]
        pub fn r_link<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> &'a runtime::Link<Rbtree<V, C>> {
            &node.get().r
        }
    }

    // SAFETY: the type has no arrays behind its fields
    unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Flat
    for RbtreeRoot<V, C> {}
    impl<V: runtime::Value, C: runtime::Coord> Default for RbtreeRoot<V, C> {
        fn default() -> Self {
            Self::new()
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> RbtreeRoot<V, C> {
        /// Reports the fields.
        pub(super) fn describe<'a>(
            node: runtime::NodeRef<'a, Self>,
            report: &mut runtime::Inspection<'a, C, V>,
        ) {
            report.child("r", None, &node.get().r, false);
            if let Some(child) = Self::r(node) {
                report.parent("r", Rbtree::p(child), None);
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Clone for RbtreeRoot<V, C> {
        fn clone(&self) -> Self {
            let mut copy = Self::new();
            copy.r = self.r.clone();
            copy
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> RbtreeRoot<V, C> {
        /// A node of the same shape whose values are what `f` makes of this one's; its links are empty.
        pub(super) fn like<U: runtime::Value>(
            _node: runtime::NodeRef<'_, Self>,
            _scratch: &mut Vec<U>,
            _f: &mut impl FnMut(C, &V) -> U,
        ) -> RbtreeRoot<U, C> {
            RbtreeRoot::<U, C>::new()
        }
    }

    #[cfg(target_pointer_width = "64")]
    const _: () = {
        assert!(
            ::std::mem::size_of:: < Rbtree < f64, u32 >> () == 48 &&
            ::std::mem::align_of:: < Rbtree < f64, u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(Rbtree < f64, u32 >, node_count) == 0);
        assert!(::std::mem::offset_of!(Rbtree < f64, u32 >, c) == 4);
        assert!(::std::mem::offset_of!(Rbtree < f64, u32 >, e_coord) == 8);
        assert!(::std::mem::offset_of!(Rbtree < f64, u32 >, p) == 16);
        assert!(::std::mem::offset_of!(Rbtree < f64, u32 >, l) == 24);
        assert!(::std::mem::offset_of!(Rbtree < f64, u32 >, r) == 32);
        assert!(::std::mem::offset_of!(Rbtree < f64, u32 >, e_value) == 40);
        assert!(
            ::std::mem::size_of:: < RbtreeRoot < f64, u32 >> () == 8 &&
            ::std::mem::align_of:: < RbtreeRoot < f64, u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(RbtreeRoot < f64, u32 >, r) == 0);
        assert!(
            ::std::mem::size_of:: < Rbtree < (), u32 >> () == 40 &&
            ::std::mem::align_of:: < Rbtree < (), u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(Rbtree < (), u32 >, node_count) == 0);
        assert!(::std::mem::offset_of!(Rbtree < (), u32 >, c) == 4);
        assert!(::std::mem::offset_of!(Rbtree < (), u32 >, e_coord) == 8);
        assert!(::std::mem::offset_of!(Rbtree < (), u32 >, p) == 16);
        assert!(::std::mem::offset_of!(Rbtree < (), u32 >, l) == 24);
        assert!(::std::mem::offset_of!(Rbtree < (), u32 >, r) == 32);
        assert!(::std::mem::offset_of!(Rbtree < (), u32 >, e_value) == 40);
        assert!(
            ::std::mem::size_of:: < RbtreeRoot < (), u32 >> () == 8 &&
            ::std::mem::align_of:: < RbtreeRoot < (), u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(RbtreeRoot < (), u32 >, r) == 0);
        assert!(
            ::std::mem::size_of:: < Rbtree < f32, u64 >> () == 48 &&
            ::std::mem::align_of:: < Rbtree < f32, u64 >> () == 8
        );
        assert!(::std::mem::offset_of!(Rbtree < f32, u64 >, node_count) == 0);
        assert!(::std::mem::offset_of!(Rbtree < f32, u64 >, c) == 4);
        assert!(::std::mem::offset_of!(Rbtree < f32, u64 >, e_coord) == 8);
        assert!(::std::mem::offset_of!(Rbtree < f32, u64 >, p) == 16);
        assert!(::std::mem::offset_of!(Rbtree < f32, u64 >, l) == 24);
        assert!(::std::mem::offset_of!(Rbtree < f32, u64 >, r) == 32);
        assert!(::std::mem::offset_of!(Rbtree < f32, u64 >, e_value) == 40);
        assert!(
            ::std::mem::size_of:: < RbtreeRoot < f32, u64 >> () == 8 &&
            ::std::mem::align_of:: < RbtreeRoot < f32, u64 >> () == 8
        );
        assert!(::std::mem::offset_of!(RbtreeRoot < f32, u64 >, r) == 0);
    };
}
